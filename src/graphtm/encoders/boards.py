"""Encode boards as graphs: one node per cell, with edges to neighbouring cells."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.learned import Learned
from graphtm.encoders.rendering import are_of_symbols, symbol_weights
from graphtm.errors import GraphError
from graphtm.foundation import properties as property_tables
from graphtm.foundation.arrays import FrozenArrays, Int64Array, pointers
from graphtm.foundation.names import normalize_name, shorten
from graphtm.foundation.numbering import Numbering
from graphtm.foundation.parameters import ParameterChecks, is_integer
from graphtm.graphs import GraphBatch, Vocabulary
from graphtm.graphs.edges import STEPS, EdgeTable, edge_table, grid_edges, repeated
from graphtm.graphs.packed import PackedGraphs


class BoardGame(GraphEncoder):
    """Encode boards as graphs of cells.

    Each cell is a node with a symbol for its piece and, optionally, symbols for its row and column. Edges connect
    neighbouring cells in both directions. Their type is the direction: along ``"right"``, a cell receives messages
    from the cell on its left. The graphs are lazy: only the boards are stored.

    Parameters
    ----------
    shape
        Number of rows and columns. If None, the shape of the training boards.
    neighbours
        ``"grid4"``: cells that share a side. ``"grid8"``: cells that share a side or a corner. ``"hex"``: the six
        neighbours on a Hex board, where each row is shifted by half a cell.
    symbols
        Mapping from cell values to names of pieces, such as ``{0: None, 1: "black", 2: "white"}``. Cells whose value
        maps to ``None`` have no piece symbol. If None, the values of the training boards are the names.
    position
        Whether to add symbols for the row and the column, ``("row", 0)`` and ``("column", 0)``.
    directions
        Whether the edge type is the direction. If False, all edges have type ``"neighbour"``.

    Attributes
    ----------
    vocabulary_
        The names: pieces, then rows and columns.
    values_
        Possible values of a cell.
    shape_
        Number of rows and columns.

    Examples
    --------
    >>> from graphtm.encoders import BoardGame
    >>> encoder = BoardGame(symbols={0: None, 1: "X", 2: "O"})
    >>> graphs = encoder.fit_transform([[[1, 0], [2, 1]]])
    >>> print(graphs[0])
    Graph with 4 nodes and 8 edges
      0: 'X'
          right -> 1
          down -> 2
      1: no properties
          left -> 0
          down -> 3
      2: 'O'
          up -> 0
          right -> 3
      3: 'X'
          up -> 1
          left -> 2
    >>> encoder.inverse_transform(graphs).tolist()
    [[[1, 0], [2, 1]]]
    """

    shape_: tuple[int, int]
    values_: Int64Array
    _plan: Board

    def __init__(
        self,
        shape: tuple[int, int] | None = None,
        neighbours: str = "grid4",
        symbols: Mapping[int, Hashable] | None = None,
        position: bool = False,
        directions: bool = True,
    ) -> None:
        self.shape = shape
        self.neighbours = neighbours
        self.symbols = symbols
        self.position = position
        self.directions = directions

    def fit(self, X: ArrayLike, y: Any = None) -> BoardGame:  # noqa: ARG002
        """Learn the shape of the boards and the values of their cells.

        Parameters
        ----------
        X
            Boards, an integer array of shape (n, rows, columns).
        y
            Ignored.
        """
        self._check_parameters()
        boards = _read(X, self.shape)
        if not len(boards):
            raise GraphError("BoardGame needs at least one board to fit; got none.")
        names = self._names(np.unique(boards))
        _number_cells(boards, np.array(sorted(names), dtype=np.int64))
        self._make(boards.shape[1:], names)
        self._keep_parameters()
        return self

    def _names(self, values: Int64Array) -> dict[int, Any]:
        """Return the name of each value of a cell: as ``symbols`` says, or the values of the training boards."""
        if self.symbols is None:
            return {value: value for value in values.tolist()}
        return {int(value): name for value, name in self.symbols.items()}

    def _make(self, shape: tuple[int, int], names: dict[int, Any]) -> None:
        values = np.array(sorted(names), dtype=np.int64)
        number_of = Numbering()
        symbols = {value: -1 if name is None else number_of(normalize_name(name)) for value, name in names.items()}
        pieces = list(number_of.names())
        rows, columns = shape
        places = [("row", i) for i in range(rows)] + [("column", i) for i in range(columns)]
        steps = STEPS[self.neighbours]
        vocabulary = Vocabulary(
            pieces + places * bool(self.position), list(steps) if self.directions else ["neighbour"]
        )
        symbol_of = np.array([symbols[value] for value in values.tolist()])
        self._plan = make_board(
            (rows, columns), steps, values, symbol_of, len(pieces), bool(self.position), bool(self.directions)
        )
        self.shape_ = (rows, columns)
        self.values_ = values
        self.vocabulary_ = vocabulary

    def _learned(self) -> dict[str, Any]:
        return {"shape": list(self._plan.shape), "values": self._plan.values}

    def _restore(self, learned: Learned) -> None:
        self._check_parameters()
        rows, columns = learned.shape("shape", 2)
        if self.shape is not None and (rows, columns) != tuple(self.shape):
            raise ValueError("the shape of the boards does not match the parameters")
        learned.allow(rows * columns * len(STEPS[self.neighbours]))
        values = learned.array("values", np.int64, None)
        names = self._names(values)
        if sorted(names) != values.tolist():
            raise ValueError("the values of cells do not match the parameters, or are not ascending")
        self._make((rows, columns), names)

    def transform(self, X: ArrayLike) -> GraphBatch:
        """Return the boards as lazy graphs."""
        check_is_fitted(self, "vocabulary_")
        cells = _number_cells(_read(X, self._plan.shape), self._plan.values)
        return GraphBatch.from_source(BoardSource(self.vocabulary_, cells, self._plan))

    def inverse_transform(self, X: GraphBatch) -> Int64Array:
        """Return the boards of graphs made by this encoder.

        If several values share a name, or have none, the smallest of them is returned.
        """
        graphs, plan = self._own_graphs(X), self._plan
        n_cells = plan.shape[0] * plan.shape[1]
        other = np.flatnonzero(graphs.node_counts != n_cells)
        if len(other):
            raise GraphError(
                f"The graph of a board must have {n_cells} nodes; graph {other[0]} has {graphs.node_counts[other[0]]}."
            )
        value_of = np.full(plan.n_pieces + 1, plan.values[0])
        value_of[plan.symbol_of[::-1]] = plan.values[::-1]
        boards = []
        for chunk in graphs.chunks():
            nodes, symbols = chunk.pack().properties.pairs()
            lying = symbols < plan.n_pieces
            cells = np.full(chunk.n_nodes, -1)
            cells[nodes[lying]] = symbols[lying]
            boards.append(value_of[cells].reshape(-1, *plan.shape))
        return np.concatenate([np.zeros((0, *plan.shape), np.int64), *boards])

    def render(self, weights: Any) -> NDArray[np.float64]:
        """Return weights as an array in the shape of the board.

        Parameters
        ----------
        weights
            Weights of cells, an array with one number per node; or weights of symbols, a mapping from symbols to
            numbers or the literals of a rule, ``rule.layers[0]`` (weight 1, or -1 if negated).

        Returns
        -------
        ndarray
            For weights of cells: shape (rows, columns). For weights of symbols: shape (pieces, rows, columns), the
            total weight of the piece in that cell, including its row and column.

        Examples
        --------
        >>> from graphtm.encoders import BoardGame
        >>> encoder = BoardGame(symbols={0: None, 1: "X"}, position=True).fit([[[1, 0], [0, 1]]])
        >>> encoder.render([1, 2, 3, 4])
        array([[1., 2.],
               [3., 4.]])
        >>> encoder.render({"X": 1, ("row", 0): 2, ("column", 1): -1})
        array([[[3., 2.],
                [1., 0.]]])
        """
        check_is_fitted(self, "vocabulary_")
        rows, columns = self._plan.shape
        if not are_of_symbols(weights):
            try:
                cells = np.asarray(weights, dtype=np.float64)
            except (TypeError, ValueError):
                raise TypeError(
                    "The weights to render must be one number per cell, a mapping from symbols to numbers, or the "
                    f"literals of a rule, `rule.layers[0]`; got {weights!r:.60}."
                ) from None
            if cells.size != rows * columns:
                raise ValueError(
                    f"The weights to render must be one number per cell, {rows * columns}; got {cells.size}."
                )
            return cells.reshape(rows, columns)
        values = symbol_weights(weights, self.vocabulary_.symbols)
        pieces, places = np.split(values, [self._plan.n_pieces])
        if not len(places):
            places = np.zeros(rows + columns)
        return pieces[:, None, None] + places[:rows, None] + places[rows:]

    def _check_parameters(self) -> None:
        checks = ParameterChecks(self)
        checks.one_of("neighbours", STEPS)
        checks.boolean("position")
        checks.boolean("directions")
        pair = isinstance(self.shape, tuple | list) and len(self.shape) == 2
        if self.shape is not None and not (pair and all(is_integer(side) and side > 0 for side in self.shape)):
            raise ValueError(
                "The 'shape' parameter of BoardGame must be a pair (rows, columns) of positive integers, or None. Got "
                f"{self.shape!r} instead."
            )
        whole = isinstance(self.symbols, Mapping) and len(self.symbols) and all(map(is_integer, self.symbols))
        if self.symbols is not None and not whole:
            raise ValueError(
                "The 'symbols' parameter of BoardGame must be a mapping from integers (cell values) to names, or None. "
                f"Got {self.symbols!r} instead."
            )


def _read(X: ArrayLike, shape: tuple[int, int] | None) -> Int64Array:
    """Return the boards as an integer array, after checking shape and type."""
    try:
        boards = np.asarray(X)
    except ValueError:
        raise GraphError("Boards must all have the same shape; got boards of different shapes.") from None
    if boards.ndim != 3 or 0 in boards.shape[1:]:
        raise GraphError(
            f"Boards must be an array of shape (n, rows, columns); got shape {boards.shape}. Pass a single board as "
            "[board]."
        )
    if boards.dtype.kind not in "biu":
        raise GraphError(f"Boards must be an integer array; got dtype {boards.dtype}.")
    if shape is not None and boards.shape[1:] != tuple(shape):
        raise GraphError(f"Boards must have shape {tuple(shape)}; got {boards.shape[1:]}.")
    return boards.astype(np.int64)


def _number_cells(boards: Int64Array, values: Int64Array) -> NDArray[np.unsignedinteger[Any]]:
    """Return the index of each cell's value in ``values``; raise for the first cell with another value."""
    numbers = np.minimum(np.searchsorted(values, boards), len(values) - 1)
    bad = np.argwhere(values[numbers] != boards)
    if len(bad):
        board, row, column = bad[0].tolist()
        raise GraphError(
            f"Cells must have one of the values {shorten(values.tolist())}; board {board} has "
            f"{boards[board, row, column]} in row {row}, column {column}. Add it to `symbols`, or fit on boards that "
            "contain it."
        )
    return numbers.reshape(len(boards), boards.shape[1] * boards.shape[2]).astype(np.min_scalar_type(len(values)))


@dataclass(frozen=True, eq=False)
class Board(FrozenArrays):
    """What all boards share: shape, edges, position symbols, the values of cells and their symbols (-1: none)."""

    shape: tuple[int, int]
    out_edges: EdgeTable
    in_edges: EdgeTable
    place_symbols: Int64Array
    values: Int64Array
    symbol_of: Int64Array
    n_pieces: int


def make_board(
    shape: tuple[int, int],
    steps: Mapping[str, tuple[int, int]],
    values: Int64Array,
    symbol_of: Int64Array,
    n_pieces: int,
    position: bool,
    directions: bool,
) -> Board:
    """Return what boards of a shape share; ``steps`` are the directions of edges as (down, right)."""
    rows, columns = np.indices(shape).reshape(2, -1)
    source, destination, direction = grid_edges(shape, steps)
    types = direction if directions else np.zeros_like(direction)
    places = np.stack([n_pieces + rows, n_pieces + shape[0] + columns], axis=1)
    return Board(
        shape,
        edge_table(source, destination, types, len(rows)),
        edge_table(destination, source, types, len(rows)),
        places if position else places[:, :0],
        values,
        symbol_of,
        n_pieces,
    )


@dataclass(frozen=True, eq=False)
class BoardSource(FrozenArrays):
    """Makes graphs of chosen boards; ``cells`` has one row of value indices per board."""

    vocabulary: Vocabulary
    cells: NDArray[np.unsignedinteger[Any]]
    board: Board

    @property
    def node_counts(self) -> Int64Array:
        """Number of nodes of each graph."""
        return np.full(len(self.cells), self.cells.shape[1])

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Make the graphs with these indices."""
        n, size = len(graphs), self.cells.shape[1]
        pieces = self.board.symbol_of[self.cells[graphs]].reshape(-1, 1)
        symbols = np.concatenate([pieces, np.tile(self.board.place_symbols, (n, 1))], axis=1)
        carried = symbols >= 0
        nodes = np.repeat(np.arange(n * size), np.count_nonzero(carried, axis=1))
        return PackedGraphs(
            self.vocabulary,
            pointers(np.full(n, size)),
            property_tables.from_pairs(nodes, symbols[carried], n * size, len(self.vocabulary.symbols)),
            repeated(self.board.out_edges, n),
            repeated(self.board.in_edges, n),
        )
