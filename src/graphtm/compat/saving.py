"""State dicts and files of machines; a file is a model file of graphtm, which :func:`graphtm.load` reads, too."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from graphtm.compat.machine import Machine
from graphtm.compat.settings import OF_MESSAGES
from graphtm.errors import GraphTMError, ModelFormatError
from graphtm.estimators.labels import classes_to_json
from graphtm.foundation.type_names import type_of
from graphtm.model import MachineState, Model, SavedModel, read_model
from graphtm.model.file import Parts, model_from_parts, model_to_parts


class SavedMachine(Machine):
    """A machine that can be saved, restored and converted to an estimator."""

    _native: ClassVar[Any]
    """The estimator that learns and predicts the same."""

    def get_state(self) -> tuple[Any, ...]:
        """Return what was learned, for :meth:`set_state`.

        Returns
        -------
        tuple
            The states of the automata of each layer; the weights of all outputs, one after the other; the numbers of
            outputs, clauses, literals, layers and state bits; and the model that all this belongs to.
        """
        state = self.model.state.copy()
        return (
            tuple(np.array(layer) for layer in state.automata),
            np.array(state.weights).reshape(-1),
            self.number_of_outputs,
            self.number_of_clauses,
            self.number_of_literals,
            self.depth,
            self.number_of_state_bits,
            self.model,
        )

    def set_state(self, state: Sequence[Any]) -> None:
        """Restore what :meth:`get_state` returned, in this machine or in a new one.

        The parameters of training stay those of this machine: ``T``, ``s``, ``q``, ``max_included_literals`` and
        ``boost_true_positive_feedback``. :meth:`load` restores them, too.

        Raises
        ------
        GraphTMError
            If the state does not fit the model that comes with it.
        ValueError
            If this machine has one ``s`` per layer, and the state another number of layers.
        """
        if not isinstance(state, Sequence) or len(state) < 3 or not isinstance(state[-1], Model):
            raise TypeError("The state must be what get_state returned: automata, weights, numbers and the model.")
        automata, weights, model = state[0], state[1], state[-1]
        self.check_layers(model.params.depth)
        params = self.params_with_own(model.params)
        if np.size(weights) != params.n_outputs * params.n_clauses:
            raise GraphTMError(
                f"The state must have {params.n_outputs} x {params.n_clauses} weights; got {np.size(weights):,}."
            )
        table = np.asarray(weights).reshape(params.n_outputs, params.n_clauses)
        learned = MachineState(tuple(map(np.asarray, automata)), table, model.state.step)
        learned.check(params)
        self._set(replace(model, params=params, state=learned.copy()))

    def save(self, fname: str | os.PathLike[str] = "") -> dict[str, Any]:
        """Return the machine as a dict of plain values and arrays, and write it to a file if a name is given.

        Parameters
        ----------
        fname
            Name of the file. It is a model file of graphtm: :func:`graphtm.load` reads it, with all that estimators can
            do.
        """
        if fname:
            self.native().save(fname)
        header, arrays = model_to_parts(self.model, self._native.__name__, self._native_settings(), self._extra())
        hypervectors = self.hypervectors
        outputs = self.number_of_outputs
        return {
            **self.arguments(),
            "number_of_outputs": outputs,
            "hypervectors": hypervectors,
            "header": header,
            "arrays": arrays,
        }

    def load(self, state_dict: Mapping[str, Any] | None = None, fname: str | os.PathLike[str] = "") -> None:
        """Restore a saved machine, with its parameters; or leave this one as it is, if that fails.

        A file of a machine with one layer does not have the parameters of messages. They stay those of this machine.

        Parameters
        ----------
        state_dict
            What :meth:`save` returned.
        fname
            Name of a file that :meth:`save` wrote; ``state_dict`` does not matter then.

        Raises
        ------
        ModelFormatError
            If what was saved is damaged, or another machine was saved.
        """
        if not state_dict and not fname:
            raise ValueError("load needs either state_dict, as save returned it, or fname, a file that save wrote.")
        if not fname:
            if not isinstance(state_dict, Mapping) or not {"header", "arrays"} <= set(state_dict):
                raise TypeError(
                    "state_dict must be the dict that save returned, with 'header' and 'arrays'; got "
                    f"{type_of(state_dict)}. To load a file, pass fname."
                )
            saved = model_from_parts("state_dict", Parts(state_dict["header"], state_dict["arrays"]))
            others = {name: state_dict[name] for name in OF_MESSAGES if name in state_dict}
        else:
            saved, others = read_model(fname), {}
        self._check_kind(saved)
        try:
            self._set(saved.model, others | {"q": saved.settings.get("q")})
        except ModelFormatError:
            raise
        except ValueError as cause:
            raise ModelFormatError(f"{fname or 'state_dict'} is damaged: {cause}") from cause

    def native(self) -> Any:
        """Return the machine as a fitted estimator, for rules, explanations and exports.

        Returns
        -------
        GraphTMClassifier or GraphTMMultiLabelClassifier
            It predicts the same for ``graphs.batch``. Classes and labels are numbers.
        """
        return self._native._from_file(self.model, self._native_settings(), self._extra())

    def _check_kind(self, saved: SavedModel) -> None:
        if saved.kind != self._native.__name__:
            raise ModelFormatError(
                f"A {type(self).__name__} must be loaded from a {self._native.__name__}; got a {saved.kind}. Use the "
                "class that was saved."
            )

    def _native_settings(self) -> dict[str, Any]:
        params, symbols, messages = self.model.params, self.model.symbol_code, self.model.params.message_code
        settings = {name: value for name, value in params.machine_settings().items() if name != "s"}
        settings |= {
            "s": self.s,
            "q": self.q,
            "negative_sampling": params.negative_sampling,
            "epochs": max(1, self.model.epoch),
            "symbol_encoding": symbols.scheme,
            "hypervector_size": symbols.size,
            "shuffle": False,
            "random_state": params.seed,
        }
        if symbols.scheme == "random":
            settings["symbol_bits"] = symbols.bits_per_owner
        if messages is not None:
            settings |= {"message_encoding": messages.scheme, "message_size": messages.size}
            if messages.scheme == "random":
                settings["message_bits"] = messages.bits_per_owner
        return settings

    def _extra(self) -> dict[str, Any]:
        """Return what the estimator needs besides the model."""
        classes = classes_to_json(np.arange(self.model.params.n_outputs))
        return {"classes": classes, "form": "int", "temperature": 1.0, "history": [], "epochs": self.model.epoch}
