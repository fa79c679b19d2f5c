"""What all machines of earlier implementations have in common: training, evaluation, and views of what was learned."""

from __future__ import annotations

import os
import sys
from abc import ABC
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from tqdm import tqdm

from graphtm.codes import EncodedBatch, encode
from graphtm.compat.codebook import positions_of
from graphtm.compat.graphs import Graphs
from graphtm.compat.literals import message_counts, symbol_counts
from graphtm.compat.settings import Settings, require_new_weights
from graphtm.engines import Engine, Targets, make_engine
from graphtm.engines.random import initial_weights
from graphtm.engines.registry import engine_choices, is_engine_name
from graphtm.errors import GraphTMError
from graphtm.foundation.arrays import Int32Array, Int64Array
from graphtm.foundation.parameters import check_at_least, is_integer
from graphtm.foundation.resources import require_memory
from graphtm.foundation.type_names import type_of
from graphtm.graphs import GraphBatch
from graphtm.model import MachineParams, MachineState, Model

UInt32Array = NDArray[np.uint32]
ENGINE_VARIABLE = "GRAPHTM_ENGINE"


class Machine(Settings, ABC):
    """Base class of the machines."""

    _model: Model | None = None
    _engine: Engine | None = None
    _is_behind = False  # the model, behind what the engine has learned since

    # Training

    def _train(
        self,
        graphs: Graphs,
        targets_for: Callable[[MachineParams], Targets],
        n_outputs: int,
        epochs: int,
        incremental: bool,
    ) -> None:
        """Train a new model, or the present one, in the order of the graphs."""
        check_at_least("epochs", "fit", epochs, 0, optional=False)
        model = self.model if incremental and self._model is not None else self.new_model(graphs.codebook, n_outputs)
        if n_outputs > model.params.n_outputs:
            model = _with_outputs(model, n_outputs)
        targets = targets_for(model.params)
        if model is self._model:
            prepared = self._prepared_graphs(graphs)
        else:
            encoded, engine = _encoded(graphs, model), _new_engine()  # may raise; the present model stays then
            self._set(model)
            prepared = self._load(model, engine).prepare(encoded)
            self._prepared[graphs] = prepared
        engine, order = self._loaded_engine(), np.arange(len(graphs))
        bar = tqdm(range(epochs), desc="fit", unit="epoch", leave=False, disable=epochs < 2 or not sys.stderr.isatty())
        for _ in bar:
            self._is_behind = True
            engine.fit(prepared, targets, order)
            model = self._model = replace(model, epoch=model.epoch + 1)

    def _checked(self, graphs: Any) -> int:
        """Return the number of graphs, after checking that they can be used."""
        if not isinstance(graphs, Graphs):
            raise TypeError(f"The graphs must be Graphs; got {type_of(graphs)}.")
        return graphs.encoded.n_graphs

    # Evaluation

    def score(self, graphs: Graphs) -> Int64Array:
        """Return the class sums, ``(graphs, outputs)``."""
        self._checked(graphs)
        prepared = self._prepared_graphs(graphs)
        return self._loaded_engine().class_sums(prepared)

    def transform(self, graphs: Graphs) -> tuple[Int32Array, Int64Array]:
        """Return which clauses are true of which graphs, ``(graphs, clauses)``, and the class sums."""
        sums = self.score(graphs)
        outputs = self._loaded_engine().clause_outputs(self._prepared_graphs(graphs))
        return outputs.astype(np.int32), sums

    def transform_nodewise(self, graphs: Graphs) -> tuple[Int32Array, Int64Array]:
        """Return which clauses are true at which nodes, and the class sums.

        Returns
        -------
        tuple
            The clauses, ``(graphs, clauses, nodes of the largest graph)``, 0 where a graph has no more nodes; and the
            class sums.
        """
        sums = self.score(graphs)
        shape = (len(graphs), self.number_of_clauses, graphs.max_number_of_graph_nodes)
        require_memory(
            5 * int(np.prod(shape, dtype=np.int64)),
            f"The clauses at all nodes of {len(graphs):,} graphs",
            "Pass fewer graphs at a time, such as graphs[:100]",
        )
        outputs = self._loaded_engine().node_outputs(self._prepared_graphs(graphs))
        counts = graphs.encoded.node_counts
        graph = np.repeat(np.arange(len(graphs)), counts)
        place = np.arange(len(graph)) - graphs.encoded.node_ptr[graph]
        clauses = np.zeros(shape, np.int32)
        clauses[graph, :, place] = outputs
        return clauses, sums

    # What was learned

    @property
    def model(self) -> Model:
        """The current model.

        Raises
        ------
        GraphTMError
            If there is none yet.
        """
        if self._model is None:
            raise GraphTMError(f"This {type(self).__name__} is not trained yet; call fit or load first.")
        if self._is_behind and self._engine is not None:
            self._model, self._is_behind = replace(self._model, state=self._engine.state()), False
        return self._model

    @property
    def number_of_outputs(self) -> int:
        """Number of outputs, such as classes."""
        return self.model.params.n_outputs

    @property
    def number_of_literals(self) -> int:
        """Number of literals of layer 0: the bits of a hypervector and their negations."""
        return 2 * self.model.params.hypervector_size

    @property
    def hypervectors(self) -> UInt32Array:
        """Positions of the bits that each clause sends, ``(clauses, bits)``; without bits if the depth is 1."""
        code = self.model.params.message_code
        return np.zeros((self.number_of_clauses, 0), np.uint32) if code is None else positions_of(code)

    def get_weights(self) -> NDArray[np.int32]:
        """Return the weights, ``(outputs, clauses)``."""
        return self.model.state.weights.copy()

    def get_ta_states(self, depth: int) -> UInt32Array:
        """Return the states of the automata of a layer, ``(clauses, literals)``; the upper half includes."""
        return self.model.state.automata[self._layer(depth)].astype(np.uint32)

    def get_hyperliterals(self, depth: int) -> UInt32Array:
        """Return which literals of a layer clauses include, ``(clauses, literals)``: bits, then negated bits."""
        return self._includes(depth).astype(np.uint32)

    def ta_action(self, depth: int, clause: int, ta: int) -> bool:
        """Return whether a clause includes a literal of a layer."""
        model = self.model
        states = model.state.automata[self._layer(depth)]
        for name, number, most in (("clause", clause, len(states)), ("ta", ta, states.shape[1])):
            if not is_integer(number) or not 0 <= number < most:
                raise ValueError(f"{name} must be a number from 0 to {most - 1}; got {number!r}.")
        return bool(states[clause, ta] >= 1 << (model.params.state_bits - 1))

    def get_clause_literals(self, hypervectors: ArrayLike) -> Int32Array:
        """Return how many bits of each symbol clauses include, ``(clauses, 2 * symbols)``: plain, then negated.

        Parameters
        ----------
        hypervectors
            Positions of the bits of each symbol: ``graphs.hypervectors``.
        """
        return symbol_counts(self.model, hypervectors)

    def get_messages(self, depth: int, edge_types: int) -> Int32Array:
        """Return how many bits of each message clauses include in a layer.

        Parameters
        ----------
        depth
            The layer, from 1 on.
        edge_types
            Number of edge types: ``len(graphs.edge_type_id)``.

        Returns
        -------
        ndarray, (edge types, clauses, 2 * clauses)
            For each edge type and each clause, the number of bits included of each sender: plain, then negated.
        """
        if self._layer(depth) == 0:
            raise ValueError("Messages arrive from layer 1 on; got depth 0, whose literals are symbols.")
        check_at_least("edge_types", "get_messages", edge_types, 0, optional=False)
        return message_counts(self.model, depth, int(edge_types))

    def _includes(self, depth: int) -> NDArray[np.bool_]:
        model = self.model
        return model.state.includes(self._layer(depth), model.params.state_bits)

    def _layer(self, depth: int) -> int:
        if not is_integer(depth) or not 0 <= depth < self.model.params.depth:
            raise ValueError(f"depth must be a layer from 0 to {self.model.params.depth - 1}; got {depth!r}.")
        return int(depth)

    # The parameters and the engine

    @property
    def _is_trained(self) -> bool:
        return self._model is not None

    def _changed(self) -> None:
        if self._model is None:
            return
        params = self.params_with_own(self._model.params)
        if params.machine_settings() == self._model.params.machine_settings():
            self.adopt(self._model)  # a number may be of another type
        else:
            self._set(replace(self.model, params=params))

    def _set(self, model: Model, others: Mapping[str, Any] | None = None) -> None:
        """Replace the model, and take its parameters, and others that it does not have."""
        self.adopt(model, others)
        self._forget_engine()
        self._model = model

    def _forget_engine(self) -> None:
        self._engine, self._is_behind = None, False

    def _load(self, model: Model, engine: Engine) -> Engine:
        engine.load(model.params, model.state)
        self._engine, self._prepared = engine, WeakKeyDictionary[Graphs, Any]()
        return engine

    def _loaded_engine(self) -> Engine:
        return self._load(self.model, _new_engine()) if self._engine is None else self._engine

    def _prepared_graphs(self, graphs: Graphs) -> Any:
        """Return graphs prepared for the engine, at once if they have been used before."""
        engine = self._loaded_engine()
        if graphs not in self._prepared:
            self._prepared[graphs] = engine.prepare(_encoded(graphs, self.model))
        return self._prepared[graphs]

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.arguments().items() if value is not None)
        return f"{type(self).__name__}({', '.join(given)})"

    def __getstate__(self) -> dict[str, Any]:
        held = {"_model": self._model and self.model}
        return {name: value for name, value in vars(self).items() if name not in _OF_ENGINE} | held

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget_engine()


_OF_ENGINE = ("_engine", "_is_behind", "_prepared")


def _new_engine() -> Engine:
    """Return a new engine, the one that the environment selects."""
    name = os.environ.get(ENGINE_VARIABLE) or "auto"
    if not is_engine_name(name):
        raise ValueError(f"{ENGINE_VARIABLE} must be one of {engine_choices()}. Got {name!r} instead.")
    return make_engine(name)


def _encoded(graphs: Graphs, model: Model) -> EncodedBatch:
    """Encode graphs for a model; symbols and types are matched by name."""
    return encode(GraphBatch(graphs.packed_for(model.vocabulary)), model.symbol_code)


def _with_outputs(model: Model, n_outputs: int) -> Model:
    """Return a model with more outputs, whose new weights are those of a new machine."""
    params = replace(model.params, n_outputs=n_outputs)
    require_new_weights(params)
    weights = initial_weights(params.seed, n_outputs, params.n_clauses)
    weights[: len(model.state.weights)] = model.state.weights
    return replace(model, params=params, state=MachineState(model.state.automata, weights, model.state.step))
