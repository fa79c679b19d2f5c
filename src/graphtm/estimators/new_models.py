"""New models for an estimator's parameters, and whether a model is still theirs."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtm.codes import (
    Code,
    message_code,
    message_collisions,
    symbol_code,
    symbol_collisions,
    warn_if_too_small,
)
from graphtm.engines import initial_state
from graphtm.engines.random import Purpose, code_draws
from graphtm.errors import GraphError
from graphtm.estimators.parameters import sampling_for, seed_from
from graphtm.graphs import GraphBatch, Vocabulary
from graphtm.model import MachineParams, Model


def new_model(estimator: Any, batch: GraphBatch, n_outputs: int) -> Model:
    """Return a new model for these graphs: codes, parameters, initial state.

    Raises
    ------
    GraphTMError
        If there are no graphs, or no codes or memory for what the parameters ask for.
    ValueError
        If there are fewer clauses than node types.
    """
    if len(batch) == 0:
        raise GraphError("At least one graph is needed to learn from; got none.")
    seed = seed_from(estimator.random_state)
    vocabulary = batch.vocabulary
    if len(vocabulary.node_types) > estimator.n_clauses:
        raise ValueError(
            f"The 'n_clauses' parameter of {type(estimator).__name__} must be at least the number of node types, "
            f"{len(vocabulary.node_types)}, since a clause serves one type. Got {estimator.n_clauses} instead."
        )
    symbols = symbol_code(
        len(vocabulary.symbols),
        code_draws(seed, Purpose.SYMBOL_CODE),
        encoding=estimator.symbol_encoding,
        size=estimator.hypervector_size,
        bits=int(estimator.symbol_bits),
    )
    messages = _message_code(estimator, vocabulary, seed)
    params = MachineParams(
        n_outputs=n_outputs,
        hypervector_size=symbols.size,
        message_code=messages,
        n_node_types=len(vocabulary.node_types),
        seed=seed,
        **_machine_settings(estimator, n_outputs),
    )
    _warn_of_collisions(batch, symbols, messages)
    return Model(vocabulary, symbols, params, initial_state(params))


def _machine_settings(estimator: Any, n_outputs: int) -> dict[str, Any]:
    """Return the parameters that are the machine's own, and cannot change once it learns."""
    several = isinstance(estimator.s, list | tuple | np.ndarray)
    limit = estimator.max_included_literals
    return {
        "n_clauses": int(estimator.n_clauses),
        "depth": int(estimator.depth),
        "T": int(estimator.T),
        "s": tuple(map(float, estimator.s)) if several else (float(estimator.s),) * int(estimator.depth),
        "negative_sampling": sampling_for(estimator.negative_sampling, n_outputs),
        "max_included_literals": None if limit is None else int(limit),
        "boost_true_positive": bool(estimator.boost_true_positive),
        "state_bits": int(estimator.state_bits),
    }


def check_unchanged(estimator: Any, model: Model) -> None:
    """Refuse parameters that contradict a model which has begun to learn.

    Raises
    ------
    ValueError
        If one does; the message names it.
    """
    for name, value in _machine_settings(estimator, model.params.n_outputs).items():
        fixed = getattr(model.params, name)
        if value != fixed:
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} must stay {fixed!r}, since the model has begun "
                f"to learn with it. Got {getattr(estimator, name)!r} instead. Use fit to start anew."
            )
    _check_code(estimator, "symbol", "hypervector_size", model.symbol_code)
    if model.params.message_code is not None:
        _check_code(estimator, "message", "message_size", model.params.message_code)


def _check_code(estimator: Any, what: str, size: str, code: Code) -> None:
    """Refuse parameters that contradict a code which is in use; what they leave open stays as it is."""
    fixed: dict[str, tuple[Any, ...]] = {f"{what}_encoding": (code.scheme, "auto"), size: (code.size, None)}
    if code.scheme == "random":
        fixed[f"{what}_bits"] = (code.bits,)
    for name, allowed in fixed.items():
        if getattr(estimator, name) not in allowed:
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} must stay {' or '.join(map(repr, allowed))}, "
                f"since the model has begun to learn with it. Got {getattr(estimator, name)!r} instead."
            )


def _message_code(estimator: Any, vocabulary: Vocabulary, seed: int) -> Code | None:
    if estimator.depth == 1:
        return None
    return message_code(
        int(estimator.n_clauses),
        len(vocabulary.edge_types),
        code_draws(seed, Purpose.CLAUSE_CODE),
        encoding=estimator.message_encoding,
        size=estimator.message_size,
        bits=int(estimator.message_bits),
    )


def _warn_of_collisions(batch: GraphBatch, symbols: Code, messages: Code | None) -> None:
    symbol_report = message_report = None
    if symbols.scheme != "one_hot":
        frequencies = sum(chunk.pack().properties.frequencies() for chunk in batch.chunks())
        symbol_report = symbol_collisions(symbols, frequencies, batch.n_nodes)
    if messages is not None and messages.scheme != "one_hot":
        message_report = message_collisions(messages, len(batch.vocabulary.edge_types))
    warn_if_too_small(symbol_report, message_report)
