"""A trained machine as a program: what all exports write down, without automata and packed bits."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError, GraphTMError
from graphtm.foundation.names import Name, name_to_json
from graphtm.graphs import Vocabulary
from graphtm.model import Model, VoteScale

Task: TypeAlias = Literal["classification", "multilabel", "regression"]


@dataclass(frozen=True)
class Term:
    """What one clause includes in one layer: bits that must be 1 and bits that must be 0, ascending."""

    ones: tuple[int, ...]
    zeros: tuple[int, ...]

    @property
    def n_literals(self) -> int:
        """Number of included literals."""
        return len(self.ones) + len(self.zeros)


@dataclass(frozen=True)
class Program:
    """Everything that a prediction needs.

    Parameters
    ----------
    task
        ``"classification"``: the first output with the largest vote sum is predicted. ``"multilabel"``: all outputs
        with a vote sum of at least 0 are. ``"regression"``: vote sums are numbers, as ``scale`` says.
    outputs
        Names of the classes, labels or targets.
    vocabulary
        Names of symbols, edge types and node types; the index of a name is its number.
    hypervector_size, message_size
        Number of bits of a node and of an inbox; the latter is 0 if ``depth`` is 1.
    symbol_bits, clause_bits
        Bits that each symbol and each clause owns, ascending. A message of a clause over an edge of type number ``t``
        is made of the bits ``(bit + t) mod message_size``. ``clause_bits`` is empty if ``depth`` is 1.
    terms
        ``terms[layer][clause]``: the included literals. Layer 0 reads the bits of a node, the others those of its
        inbox.
    weights
        ``weights[output][clause]``.
    max_misses
        How many included literals a clause may miss, over all layers; 0 for clauses that are true or false.
    types_matter
        Whether clause ``j`` is true only at nodes whose type has the number ``j mod len(vocabulary.node_types)``.
    ignores_unknown
        Whether names that are not in the vocabulary are ignored; otherwise they are errors.
    scale
        For regression: what vote sums mean.
    is_vector
        For regression: whether a prediction is one number, not one per output.
    """

    task: Task
    outputs: tuple[Name | float, ...]
    vocabulary: Vocabulary
    hypervector_size: int
    message_size: int
    symbol_bits: tuple[tuple[int, ...], ...]
    clause_bits: tuple[tuple[int, ...], ...]
    terms: tuple[tuple[Term, ...], ...]
    weights: tuple[tuple[int, ...], ...]
    max_misses: int
    types_matter: bool
    ignores_unknown: bool
    scale: VoteScale | None = None
    is_vector: bool = False

    @property
    def depth(self) -> int:
        """Number of layers."""
        return len(self.terms)

    @property
    def n_clauses(self) -> int:
        """Number of clauses."""
        return len(self.terms[0])

    def message_bits(self, clause: int) -> tuple[int, ...]:
        """Return the bits of the messages of a clause; none if ``depth`` is 1."""
        return self.clause_bits[clause] if self.clause_bits else ()

    def meanings(self) -> tuple[tuple[float, float, float, float], ...]:
        """Return, for each output of a regression: intercept, value of a vote, lowest and highest prediction."""
        if self.scale is None:
            return ()
        scale = self.scale
        return tuple(
            zip(*(row.tolist() for row in (scale.intercepts, scale.values, scale.lows, scale.highs)), strict=True)
        )

    def layers(self, clause: int) -> tuple[Term, ...]:
        """Return what a clause includes in each layer."""
        return tuple(layer[clause] for layer in self.terms)

    def votes(self, clause: int) -> tuple[int, ...]:
        """Return the votes of a clause for the outputs."""
        return tuple(row[clause] for row in self.weights)


def program_of(model: Model, task: Task, outputs: Sequence[Name | float], *, ignores_unknown: bool) -> Program:
    """Return a trained machine as a program.

    Parameters
    ----------
    model
        The machine.
    task, outputs, ignores_unknown
        As in :class:`Program`.

    Raises
    ------
    GraphTMError
        If an output is not a str, int, float, bool, None or a tuple of these without floats.
    """
    for output in outputs:
        _check_output(output)
    params, code = model.params, model.params.message_code
    deep = code is not None and params.depth > 1
    return Program(
        task=task,
        outputs=tuple(outputs),
        vocabulary=model.vocabulary,
        hypervector_size=params.hypervector_size,
        message_size=params.message_size,
        symbol_bits=_rows(model.symbol_code.positions),
        clause_bits=_rows(code.positions) if deep and code is not None else (),
        terms=tuple(_terms(model, layer) for layer in range(params.depth)),
        weights=_rows(model.state.weights),
        max_misses=params.max_misses,
        types_matter=params.n_node_types > 1,
        ignores_unknown=ignores_unknown,
    )


def _check_output(output: object) -> None:
    if type(output) is float and math.isfinite(output):
        return
    try:
        name_to_json(output)
    except GraphError:
        raise GraphTMError(
            "Labels must be str, int, float, bool, None or tuples of these to be exported; got "
            f"{output!r} of type {type(output).__name__!r}. Convert the labels before fitting."
        ) from None


def _terms(model: Model, layer: int) -> tuple[Term, ...]:
    size = model.params.layer_size(layer)
    included = model.state.includes(layer, model.params.state_bits)
    return tuple(
        Term(tuple(np.flatnonzero(row[:size]).tolist()), tuple(np.flatnonzero(row[size:]).tolist())) for row in included
    )


def _rows(matrix: NDArray[np.int32]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, matrix.tolist()))
