"""New models from an estimator's parameters, and checks that a model still matches them."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtm.codes import Code, message_collisions, symbol_collisions, warn_if_too_small
from graphtm.codes.choice import CodePlan, plan_message_code, plan_symbol_code
from graphtm.engines import initial_state
from graphtm.engines.base import require_machine_memory
from graphtm.engines.random import Purpose, code_draws
from graphtm.engines.registry import engine_kind, resolved_name
from graphtm.errors import GraphError
from graphtm.foundation.parameters import is_integer, seed_from
from graphtm.graphs import GraphBatch, PackedGraphs
from graphtm.learning.pruning import can_lose_clauses
from graphtm.model import MachineParams, MachineSize, Model


def new_model(estimator: Any, batch: GraphBatch, n_outputs: int) -> Model:
    """Return a new model for these graphs: codes, parameters and initial state.

    Raises
    ------
    GraphTMError
        If there are no graphs, or not enough codes or memory for the parameters.
    ValueError
        If there are fewer clauses than node types.
    """
    if len(batch) == 0:
        raise GraphError("At least one graph is needed for training; got none.")
    seed = seed_from(estimator.random_state)
    vocabulary = batch.vocabulary
    if len(vocabulary.node_types) > estimator.n_clauses:
        raise ValueError(
            f"The 'n_clauses' parameter of {type(estimator).__name__} must be at least the number of node types, "
            f"{len(vocabulary.node_types)}, since a clause serves one type. Got {estimator.n_clauses} instead."
        )
    symbols, messages = _code_plans(estimator, batch)
    settings = estimator.settings_for(n_outputs, len(batch))
    message_size, also = (0, 0) if messages is None else (messages.size, messages.n_bytes)
    sizes = n_outputs, settings["n_clauses"], symbols.size, message_size
    size = MachineSize(*sizes, settings["depth"], settings["max_misses"])
    also += engine_kind(resolved_name(estimator.engine)).machine_bytes(size)
    require_machine_memory(size, symbols.n_bytes + also)  # drawing the codes of very many clauses takes long
    symbol_code = symbols.code(code_draws(seed, Purpose.SYMBOL_CODE))
    params = MachineParams(
        n_outputs=n_outputs,
        hypervector_size=symbols.size,
        message_code=None if messages is None else messages.code(code_draws(seed, Purpose.CLAUSE_CODE)),
        n_node_types=len(vocabulary.node_types),
        seed=seed,
        **settings,
    )
    return Model(vocabulary, symbol_code, params, initial_state(params))


def _code_plans(estimator: Any, batch: GraphBatch) -> tuple[CodePlan, CodePlan | None]:
    """Return the codes to make for symbols and, from depth 2 on, for messages."""
    symbols = plan_symbol_code(
        len(batch.vocabulary.symbols),
        encoding=estimator.symbol_encoding,
        size=estimator.hypervector_size,
        bits=int(estimator.symbol_bits),
        single_nodes=batch.n_nodes == len(batch),
    )
    if estimator.depth == 1:
        return symbols, None
    messages = plan_message_code(
        int(estimator.n_clauses),
        len(batch.vocabulary.edge_types),
        encoding=estimator.message_encoding,
        size=estimator.message_size,
        bits=int(estimator.message_bits),
    )
    return symbols, messages


def check_unchanged(estimator: Any, model: Model, n_clauses: Any = None) -> None:
    """Refuse parameters that differ from those a model was trained with.

    Parameters
    ----------
    estimator, model
        The estimator and the model.
    n_clauses
        The parameter that the model was fitted with; pruning may have left fewer clauses. ``None`` if it is not known.

    Raises
    ------
    ValueError
        If one does.
    """
    for name, value in estimator.settings_for(model.params.n_outputs).items():
        fixed = getattr(model.params, name)
        if name == "n_clauses" and is_integer(n_clauses) and can_lose_clauses(model.params):
            fixed = max(fixed, int(n_clauses))
        if value != fixed:
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} must stay {fixed!r}, since the model was "
                f"trained with it. Got {getattr(estimator, name)!r} instead. {estimator._from_scratch}"
            )
    _check_code(estimator, "symbol", "hypervector_size", model.symbol_code)
    if model.params.message_code is not None:
        _check_code(estimator, "message", "message_size", model.params.message_code)


def _check_code(estimator: Any, what: str, size: str, code: Code) -> None:
    """Refuse parameters that contradict the code of a model."""
    fixed: dict[str, tuple[Any, ...]] = {f"{what}_encoding": (code.scheme, "auto"), size: (code.size, None)}
    if code.scheme == "random":
        fixed[f"{what}_bits"] = (code.bits_per_owner,)
    for name, allowed in fixed.items():
        if getattr(estimator, name) not in allowed:
            raise ValueError(
                f"The {name!r} parameter of {type(estimator).__name__} must stay {' or '.join(map(repr, allowed))}, "
                f"since the model was trained with it. Got {getattr(estimator, name)!r} instead."
            )


class CollisionWatch:
    """Counts symbols while graphs are encoded, and warns if hypervectors are too small.

    Parameters
    ----------
    model
        The new model.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._counts = np.zeros(len(model.vocabulary.symbols), np.int64)
        self._n_nodes = 0

    def __call__(self, graphs: PackedGraphs) -> None:
        if self._model.symbol_code.scheme != "one_hot":
            self._counts += graphs.properties.frequencies()
            self._n_nodes += graphs.n_nodes

    def warn(self) -> None:
        """Warn if hypervectors are too small for the graphs seen."""
        symbols, messages = self._model.symbol_code, self._model.params.message_code
        symbol_report = message_report = None
        if symbols.scheme != "one_hot":
            symbol_report = symbol_collisions(symbols, self._counts, self._n_nodes)
        if messages is not None and messages.scheme != "one_hot":
            message_report = message_collisions(messages, len(self._model.vocabulary.edge_types))
        warn_if_too_small(symbol_report, message_report)
