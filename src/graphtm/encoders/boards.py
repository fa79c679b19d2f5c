"""Boards to graphs: a node per cell, edges to the neighbouring cells."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.board_graphs import Board, BoardSource, make_board
from graphtm.encoders.weights import are_of_symbols, symbol_weights
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import normalize_name, shorten
from graphtm.foundation.numbering import Numbering
from graphtm.foundation.parameters import ParameterChecks, is_integer
from graphtm.graphs import GraphBatch, Vocabulary
from graphtm.graphs.edges import STEPS


class BoardGame(GraphEncoder):
    """Boards as graphs of cells.

    A node is a cell: it carries what lies there and, if asked for, its row and column. Edges join neighbouring cells
    both ways, typed by direction: over ``"right"`` a cell hears from the one on its left. The graphs are lazy: only the
    boards are kept.

    Parameters
    ----------
    shape
        Rows and columns of the boards; ``None``: those of the training boards.
    neighbours
        ``"grid4"``: the cells that share a side. ``"grid8"``: those that share a corner, too. ``"hex"``: the six
        neighbours of a cell of a Hex board, whose rows are each shifted by half a cell.
    symbols
        A mapping from the values of cells to the names of the pieces, such as ``{0: None, 1: "black", 2: "white"}``;
        a cell whose value is mapped to ``None`` carries nothing. ``None``: the values of the training boards are the
        names.
    position
        Whether a cell carries its row and its column, ``("row", 0)`` and ``("column", 0)``.
    directions
        Whether edges are typed by direction; otherwise all are of the type ``"neighbour"``.

    Attributes
    ----------
    vocabulary_
        Names of the pieces, then of rows and columns.
    values_
        The values that a cell can have.
    shape_
        Rows and columns of the boards.

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
        """Learn the shape of the boards and what can lie on them.

        Parameters
        ----------
        X
            The boards, (n, rows, columns) whole numbers.
        y
            Not used.
        """
        self._check_parameters()
        boards = _read(X, self.shape)
        if not len(boards):
            raise GraphError("At least one board is needed to learn from; got none.")
        names: dict[int, Any] = {int(value): int(value) for value in np.unique(boards)}
        if self.symbols is not None:
            names = {int(value): name for value, name in self.symbols.items()}
        values = np.array(sorted(names), dtype=np.int64)
        _number_cells(boards, values)
        number_of = Numbering()
        symbols = {value: -1 if name is None else number_of(normalize_name(name)) for value, name in names.items()}
        pieces = list(number_of.names())
        rows, columns = boards.shape[1:]
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
        return self

    def transform(self, X: ArrayLike) -> GraphBatch:
        """Return boards as lazy graphs."""
        check_is_fitted(self, "vocabulary_")
        cells = _number_cells(_read(X, self._plan.shape), self._plan.values)
        return GraphBatch.from_source(BoardSource(self.vocabulary_, cells, self._plan))

    def inverse_transform(self, X: GraphBatch) -> Int64Array:
        """Return the boards of graphs that this encoder made.

        Where several values have one name, or none, the smallest of them comes back.
        """
        graphs, plan = self._own_graphs(X), self._plan
        n_cells = plan.shape[0] * plan.shape[1]
        other = np.flatnonzero(graphs.node_counts != n_cells)
        if len(other):
            raise GraphError(
                f"A graph of a board must have {n_cells} nodes; graph {other[0]} has {graphs.node_counts[other[0]]}."
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
        """Return weights as a picture of the board.

        Parameters
        ----------
        weights
            Weights of cells: an array with one for each node of a graph. Or weights of symbols: a mapping from symbols
            to numbers, or the literals of a rule, ``rule.layers[0]``, which weigh 1, or -1 where negated.

        Returns
        -------
        ndarray
            Of cells: (rows, columns). Of symbols: (pieces, rows, columns), what that piece would weigh lying there, its
            row and its column included.

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
                    "The weights to render must be a number for each cell, literals of a rule, `rule.layers[0]`, or a "
                    f"mapping from symbols to numbers; got {weights!r:.60}."
                ) from None
            if cells.size != rows * columns:
                raise ValueError(f"There must be a weight for each of the {rows * columns} cells; got {cells.size}.")
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
                "The 'shape' parameter of BoardGame must be (rows, columns), whole numbers above 0, or None. "
                f"Got {self.shape!r} instead."
            )
        whole = isinstance(self.symbols, Mapping) and len(self.symbols) and all(map(is_integer, self.symbols))
        if self.symbols is not None and not whole:
            raise ValueError(
                "The 'symbols' parameter of BoardGame must be a mapping from whole numbers, the values of cells, to "
                f"names, or None. Got {self.symbols!r} instead."
            )


def _read(X: ArrayLike, shape: tuple[int, int] | None) -> Int64Array:
    """Return boards as whole numbers of the right shape."""
    try:
        boards = np.asarray(X)
    except ValueError:
        raise GraphError("Boards must all have the same shape; got boards of different shapes.") from None
    if boards.ndim != 3 or 0 in boards.shape[1:]:
        raise GraphError(
            f"Boards must be an array (n, rows, columns); got shape {boards.shape}. Write [board] for one board."
        )
    if boards.dtype.kind not in "biu":
        raise GraphError(f"The cells of boards must be whole numbers (an integer array); got dtype {boards.dtype}.")
    if shape is not None and boards.shape[1:] != tuple(shape):
        raise GraphError(f"Boards must have the shape {tuple(shape)}; got {boards.shape[1:]}.")
    return boards.astype(np.int64)


def _number_cells(boards: Int64Array, values: Int64Array) -> NDArray[np.unsignedinteger[Any]]:
    """Return, for each cell, which of the values it has; refuse any other value by its place."""
    numbers = np.minimum(np.searchsorted(values, boards), len(values) - 1)
    bad = np.argwhere(values[numbers] != boards)
    if len(bad):
        board, row, column = bad[0].tolist()
        raise GraphError(
            f"A cell must have one of the values {shorten(values.tolist())}; board {board} has "
            f"{boards[board, row, column]} in row {row}, column {column}. Name it in `symbols`, or fit on boards "
            "that have it."
        )
    return numbers.reshape(len(boards), boards.shape[1] * boards.shape[2]).astype(np.min_scalar_type(len(values)))
