"""From symbols back to pictures: scales and their symbols, weights of symbols, and the arrays that show them."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.foundation.numbering import Names
from graphtm.foundation.short_repr import short_repr

ENCODINGS = ("one_hot", "thermometer")
"""How a step is encoded: by its own symbol, or by the symbols of all steps up to it."""


@dataclass(frozen=True)
class Scale:
    """Steps 0, 1, ..., ``n`` - 1, such as rows of a grid or levels of intensity, and their symbols.

    Parameters
    ----------
    name
        First part of the symbols' names.
    n
        Number of steps.
    graded
        If True, there is a symbol for "at least this step" instead of one for each step.

    Examples
    --------
    >>> Scale(("row",), 3, graded=False).symbols()
    [('row', 0), ('row', 1), ('row', 2)]
    >>> Scale(("row",), 3, graded=True).symbols()
    [('row', '>=', 1), ('row', '>=', 2)]
    """

    name: tuple[Hashable, ...]
    n: int
    graded: bool

    @property
    def n_symbols(self) -> int:
        return self.n - 1 if self.graded else self.n

    def symbols(self) -> list[Hashable]:
        """Return the names of the symbols."""
        if self.graded:
            return [(*self.name, ">=", step) for step in range(1, self.n)]
        return [(*self.name, step) for step in range(self.n)]

    def booleans(self, steps: Int64Array) -> BoolArray:
        """Return one row of Booleans per step, with one column per symbol."""
        places = np.arange(self.n_symbols)
        return np.asarray(steps[:, None] > places if self.graded else steps[:, None] == places)

    def gathered(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the weight of each step, given the weights of the symbols: its own, or the sum of all up to it.

        Examples
        --------
        >>> Scale(("row",), 4, graded=True).gathered(np.array([1.0, 0.0, 2.0]))
        array([0., 1., 1., 3.])
        """
        return np.concatenate([[0.0], np.cumsum(weights)]) if self.graded else weights


@runtime_checkable
class RuleLiteral(Protocol):
    """The attributes of :class:`graphtm.explain.Literal` that are read here; encoders do not import that room."""

    @property
    def layer(self) -> int: ...

    @property
    def negated(self) -> bool: ...

    @property
    def owners(self) -> tuple[Hashable, ...]: ...


Weights: TypeAlias = Mapping[Hashable, float] | Sequence[RuleLiteral]
"""One weight per symbol, or the literals of a rule's first layer."""


def are_of_symbols(weights: Any) -> TypeGuard[Weights]:
    """Return whether weights are a mapping or a list of literals, which may be empty."""
    literals = isinstance(weights, list | tuple) and all(isinstance(item, RuleLiteral) for item in weights)
    return literals or isinstance(weights, Mapping)


def symbol_weights(weights: Any, symbols: Names) -> NDArray[np.float64]:
    """Return one weight per symbol, in the order of the symbols; the default is 0.

    Parameters
    ----------
    weights
        A mapping from symbols to numbers, or the literals of a rule's first layer, ``rule.layers[0]``. A literal has
        weight 1, or -1 if it is negated; symbols that share its bit share its weight.
    symbols
        The encoder's symbols.

    Raises
    ------
    UnknownSymbolError
        If the encoder does not have a symbol.
    ValueError
        If a literal is about messages, which come from other nodes.
    TypeError
        If ``weights`` is neither, or a weight is not a number.

    Examples
    --------
    >>> from graphtm.explain import Literal
    >>> symbol_weights({"b": 2.5}, Names(["a", "b"]))
    array([0. , 2.5])
    >>> symbol_weights([Literal(0, True, ("a",)), Literal(0, False, ("b",))], Names(["a", "b"]))
    array([-1.,  1.])
    """
    if not are_of_symbols(weights):
        raise TypeError(
            "The weights to render must be a mapping from symbols to numbers, or the literals of a rule, "
            f"`rule.layers[0]`; got {type(weights).__name__!r}."
        )
    result = np.zeros(len(symbols))
    for symbol, weight in weights.items() if isinstance(weights, Mapping) else _weighed(weights):
        if not isinstance(weight, Real | np.bool_):
            raise TypeError(f"The weights to render must be numbers; got {weight!r} for symbol {symbol!r}.")
        result[symbols.index(symbol)] += weight
    return result


def _weighed(literals: Sequence[RuleLiteral]) -> Iterator[tuple[Hashable, float]]:
    """Yield the symbols of literals with their weights."""
    for literal in literals:
        if literal.layer:
            raise ValueError(
                "The literals to render must be about the symbols of the node, `rule.layers[0]`; got "
                f"{str(literal)!r}, a literal about messages of layer {literal.layer}."
            )
        for owner in literal.owners:
            yield owner, (-1.0 if literal.negated else 1.0) / len(literal.owners)


def heaviest(weights: Any, symbols: Names) -> list[tuple[Hashable, float]]:
    """Return the symbols with a nonzero weight in descending order; ties keep the order of the symbols."""
    values = symbol_weights(weights, symbols)
    order = np.argsort(-values, kind="stable")
    return [(symbols[int(number)], float(values[number])) for number in order if values[number]]


FloatArray: TypeAlias = NDArray[np.float64]


def node_scores(scores: Any, n_nodes: int, n_symbols: int) -> FloatArray:
    """Return scores of symbols at the nodes of a graph as an array, (nodes, symbols).

    Parameters
    ----------
    scores
        An array or a sparse matrix.
    n_nodes, n_symbols
        The shape that it must have.

    Raises
    ------
    ValueError
        If it has another shape, or a score is not a finite number.

    Examples
    --------
    >>> from scipy import sparse
    >>> node_scores(sparse.csr_array([[0, 2]]), 1, 2)
    array([[0., 2.]])
    """
    found = np.asarray(scores.toarray() if hasattr(scores, "toarray") else scores, dtype=np.float64)
    if found.shape != (n_nodes, n_symbols) or not np.isfinite(found).all():
        raise ValueError(
            "The 'scores' parameter of to_pixels must have one finite number per node and symbol of one graph, "
            f"{n_nodes:,} x {n_symbols:,}. Got an array of shape {found.shape} instead."
        )
    return found


@dataclass(frozen=True, eq=False)
class PatchPicture:
    """Weights of symbols as arrays that can be plotted.

    Parameters
    ----------
    pixels
        Weights of a patch's pixels, of shape (height, width) or (height, width, channels), summed over levels.
    bits
        The same for each level, of shape (height, width, bits per pixel).
    rows, columns
        Weight of each row and each column of the grid of patches.
    """

    pixels: FloatArray
    bits: FloatArray
    rows: FloatArray
    columns: FloatArray

    __repr__ = short_repr

    @property
    def position(self) -> FloatArray:
        """Weight of each cell of the grid of patches: the sum of its row's and its column's."""
        return np.add.outer(self.rows, self.columns)


@dataclass(frozen=True, eq=False)
class SuperpixelPicture:
    """Weights of symbols as arrays that can be plotted.

    Parameters
    ----------
    intensity
        Weight of each level of intensity; for colour images, one row per channel.
    position
        Weight of each position of a segment's centre.
    nearest
        Weight of each position of the centre of the nearest other segment.
    neighbours
        Weight of each number of neighbours.
    """

    intensity: FloatArray
    position: FloatArray
    nearest: FloatArray
    neighbours: FloatArray

    __repr__ = short_repr
