"""Random and hand-made machines as fitted estimators."""

from dataclasses import replace

import numpy as np
from machines import batch_of, params_of, start_of

import graphtm as gtm
from graphtm import codes
from graphtm.estimators.labels import classes_to_json
from graphtm.model import Model
from graphtm.model.settings import MachineSettings


def estimator_of(model, kind=gtm.GraphTMClassifier, engine="reference"):
    """Return a fitted estimator with this model; its classes are the numbers of the outputs."""
    params, messages = model.params, model.params.message_code
    settings = {name: getattr(params, name) for name in MachineSettings.__dataclass_fields__}
    settings |= {"symbol_encoding": model.symbol_code.scheme, "symbol_bits": model.symbol_code.bits_per_owner}
    if messages is not None:
        settings |= {"message_encoding": messages.scheme, "message_bits": messages.bits_per_owner}
    estimator = kind(**settings, negative_sampling=params.negative_sampling, engine=engine)
    classes = classes_to_json(np.arange(params.n_outputs))
    estimator._restore(model, {"history": [], "classes": classes, "temperature": 1.0, "form": "sets"})
    return estimator


def model_of(case):
    """Return the model of one of the small machines of :func:`machines.cases`, and its graphs."""
    batch = batch_of(case)
    return Model(batch.vocabulary, codes.one_hot(case["H"]), params_of(case), start_of(case)), batch


def included(estimator):
    """Return the included literals of each layer."""
    bits = estimator.model_.params.state_bits
    return [estimator.state_.includes(layer, bits) for layer in range(estimator.model_.params.depth)]


def without(model, layer, clause, literal):
    """Return a model that excludes one more literal."""
    automata = [states.copy() for states in model.state.automata]
    automata[layer][clause, literal] = 0
    return with_state(model, automata=tuple(automata))


def with_state(model, **changes):
    """Return a model with some arrays of its state replaced."""
    return replace(model, state=replace(model.state, **changes))
