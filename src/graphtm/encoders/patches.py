"""Graphs of image patches, made on demand: how images are cut into patches, and how patches become nodes.

Images are stored as packed bits, row by row. Each row of a patch is a run of bits of an image row. It is copied to a
run of bits of the patch's node with shifts of whole words, without unpacking.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from graphtm.encoders.booleanise import MODES, SPACINGS, Booleaniser
from graphtm.encoders.rendering import Scale
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array, WordArray
from graphtm.foundation.parameters import ParameterChecks, is_integer
from graphtm.foundation.properties import PackedProperties, n_words, pack_bits
from graphtm.graphs import PackedGraphs, Vocabulary
from graphtm.graphs.edges import STEPS, EdgeTable, edge_table, grid_edges, repeated

Pair: TypeAlias = tuple[int, int]

PARAMETERS = ("patch_size", "stride", "dilation", "booleanise", "threshold", "bins", "spacing", "sigma", "offset")
"""Parameters of the encoder that a view may override."""


@dataclass(frozen=True)
class View:
    """One way to cut images into patches and to Booleanise their pixels.

    Parameters
    ----------
    name
        Name of the view; ``None`` if there is only one.
    patch, stride, dilation, grid
        Height and width of a patch, vertical and horizontal steps between patches and between the pixels of a patch,
        rows and columns of the grid of patches.
    pixels
        How pixels are Booleanised.
    """

    name: Hashable
    patch: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    grid: tuple[int, int]
    pixels: Booleaniser

    @property
    def n_nodes(self) -> int:
        return self.grid[0] * self.grid[1]

    @property
    def n_symbols(self) -> int:
        """Number of pixel symbols."""
        return self.patch[0] * self.patch[1] * self.pixels.n_bits

    def pixel_symbols(self) -> list[Hashable]:
        """Return the names of the pixel symbols, in the order of the bits of a patch."""
        start = ("pixel",) if self.name is None else (self.name, "pixel")
        ends = self.pixels.names()
        return [(*start, i, j, *end) for i in range(self.patch[0]) for j in range(self.patch[1]) for end in ends]

    def places(self) -> tuple[Int64Array, Int64Array]:
        """Return the grid row and the grid column of each node."""
        row, column = np.divmod(np.arange(self.n_nodes), self.grid[1])
        return row, column


def view_settings(encoder: Any) -> list[tuple[Hashable, Any]]:
    """Return the name of each view of an encoder, and an encoder with the checked parameters of that view.

    Raises
    ------
    ValueError
        If ``views`` or a parameter that views may override is invalid.
    """
    _check_parameters(encoder)
    if encoder.views is None:
        return [(None, encoder)]
    if not isinstance(encoder.views, list | tuple) or not encoder.views:
        ParameterChecks(encoder).refuse("views", "a list of dictionaries or None")
    owner, settings = type(encoder).__name__, []
    for view in encoder.views:
        if not isinstance(view, Mapping) or not set(view) <= {"name", *PARAMETERS}:
            raise ValueError(
                f"The 'views' parameter of {owner} must be dictionaries with keys among 'name', "
                f"{', '.join(map(repr, PARAMETERS))}. Got {view!r} instead."
            )
        one = clone(encoder).set_params(**{key: value for key, value in view.items() if key != "name"})
        _check_parameters(one)
        settings.append((view.get("name", one.booleanise), one))
    names = [name for name, _ in settings]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError(
            f"The 'views' parameter of {owner} must be dictionaries with distinct strings as 'name'. Got {names} "
            "instead."
        )
    return settings


def fitted_view(name: Hashable, encoder: Any, images: NDArray[Any]) -> View:
    """Return the view of an encoder with checked parameters, fitted to images.

    Raises
    ------
    GraphError
        If the images are smaller than a patch, or cannot be Booleanised in this way.
    """
    layout = _layout(encoder, images.shape[1:3])
    pixels = Booleaniser.fit(
        images, encoder.booleanise, encoder.threshold, encoder.bins, encoder.spacing, encoder.sigma, encoder.offset
    )
    return View(name, *layout, pixels)


def restored_view(name: Hashable, encoder: Any, image_shape: tuple[int, int, int], levels: Any) -> View:
    """Return the view of an encoder with checked parameters, with the levels that a file holds."""
    layout = _layout(encoder, image_shape[:2])
    pixels = Booleaniser.restore(image_shape[2], levels, encoder.booleanise, encoder.sigma, encoder.offset)
    return View(name, *layout, pixels)


def _layout(encoder: Any, size: tuple[int, int]) -> tuple[Pair, Pair, Pair, Pair]:
    """Return the size of a patch, the strides, the dilations, and the rows and columns of the grid of patches."""
    patch, stride, dilation = _pair(encoder.patch_size), _pair(encoder.stride), _pair(encoder.dilation)
    height, width = (patch[0] - 1) * dilation[0] + 1, (patch[1] - 1) * dilation[1] + 1
    if height > size[0] or width > size[1]:
        raise GraphError(
            f"Images must be at least as large as a patch, {height} x {width} pixels; got {size[0]} x {size[1]}."
        )
    grid = ((size[0] - height) // stride[0] + 1, (size[1] - width) // stride[1] + 1)
    return patch, stride, dilation, grid


def _check_parameters(encoder: Any) -> None:
    checks = ParameterChecks(encoder)
    for name in ("patch_size", "stride", "dilation"):
        value = getattr(encoder, name)
        pair = isinstance(value, list | tuple) and len(value) == 2
        if not all(is_integer(number) and number >= 1 for number in (value if pair else [value])):
            checks.refuse(name, "an int of at least 1, or a pair of them")
    checks.one_of("booleanise", MODES)
    checks.integer("threshold", 1, 255)
    checks.integer("bins", 1, 255)
    checks.one_of("spacing", SPACINGS)
    checks.positive("sigma")
    checks.number("offset", -255, 255)


def _pair(value: Any) -> tuple[int, int]:
    down, across = (value, value) if is_integer(value) else value
    return int(down), int(across)


GRID = "grid4"
"""Neighbourhood of the grid of patches; the type of an edge is its direction, seen from its source."""


@dataclass(frozen=True)
class PatchPlan:
    """Everything about a graph of patches that does not depend on the image.

    Parameters
    ----------
    views
        The views; the nodes of the first come first.
    position
        ``"one_hot"``, ``"thermometer"`` or ``None``.
    marked
        Whether nodes have a symbol with the name of their view.
    typed
        Whether the node type is the name of the view.
    connected
        Whether adjacent patches are connected.
    joined
        Whether views share their nodes; they have the same grid then.
    """

    views: tuple[View, ...]
    position: str | None
    marked: bool = False
    typed: bool = False
    connected: bool = False
    joined: bool = False

    def __post_init__(self) -> None:
        grids = [view.grid for view in self.views]
        if self.joined and len(set(grids)) > 1:
            raise GraphError(
                "Views that share nodes must have as many rows and columns of patches; got "
                f"{', '.join(f'{rows} x {columns}' for rows, columns in grids)}. Change patch_size, stride or dilation."
            )

    @property
    def n_nodes(self) -> int:
        return sum(view.n_nodes for view in self.node_views())

    def node_views(self) -> tuple[View, ...]:
        """Return the views that have nodes of their own: the first, if views share nodes."""
        return self.views[:1] if self.joined else self.views

    def parts(self) -> Iterator[tuple[View, slice, slice]]:
        """Yield each view with its nodes and with its symbols among those of pixels."""
        node = symbol = 0
        for view in self.views:
            yield view, slice(node, node + view.n_nodes), slice(symbol, symbol + view.n_symbols)
            node, symbol = node + view.n_nodes * (not self.joined), symbol + view.n_symbols

    def axes(self) -> list[Scale]:
        """Return the scales of rows and columns, which views share; none without position symbols."""
        if self.position is None:
            return []
        sizes = np.max([view.grid for view in self.views], axis=0).tolist()
        graded = self.position == "thermometer"
        return [Scale((name,), n, graded) for name, n in zip(("row", "column"), sizes, strict=True)]

    @property
    def n_symbols(self) -> int:
        """Number of symbols, with the marks of views."""
        pixels, places = sum(view.n_symbols for view in self.views), sum(axis.n_symbols for axis in self.axes())
        return pixels + places + len(self.views) * self.marked

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary: positions, names of views, then the pixels of each view."""
        places = [name for axis in self.axes() for name in axis.symbols()]
        marks = [("view", view.name) for view in self.views] if self.marked else []
        pixels = [name for view in self.views for name in view.pixel_symbols()]
        return Vocabulary(
            [*places, *marks, *pixels],
            tuple(STEPS[GRID]) if self.connected else (),
            [view.name for view in self.views] if self.typed else (),
        )

    def fixed_properties(self) -> NDArray[np.bool_]:
        """Return the symbols for position and view of every node, as a Boolean matrix."""
        columns = [np.zeros((self.n_nodes, 0), np.bool_)]
        for number, axis in enumerate(self.axes()):
            columns.append(axis.booleans(np.concatenate([view.places()[number] for view in self.node_views()])))
        if self.marked:
            columns.append(self.view_of_nodes()[:, None] == np.arange(len(self.views)))
        return np.concatenate(columns, axis=1)

    def view_of_nodes(self) -> Int64Array:
        """Return the index of each node's view."""
        views = self.node_views()
        return np.repeat(np.arange(len(views)), [view.n_nodes for view in views])

    def edges(self) -> tuple[EdgeTable, EdgeTable]:
        """Return the edges of one graph, by source and by destination."""
        parts, first = [np.zeros((3, 0), np.int64)], 0
        for view in self.node_views() if self.connected else ():
            source, destination, direction = grid_edges(view.grid, STEPS[GRID])
            parts.append(np.stack([source + first, destination + first, direction]))
            first += view.n_nodes
        source, destination, direction = np.concatenate(parts, axis=1)
        return (
            edge_table(source, destination, direction, self.n_nodes),
            edge_table(destination, source, direction, self.n_nodes),
        )


class PatchSource:
    """Makes graphs of chosen images; stores each view of the images as packed bits.

    Parameters
    ----------
    plan
        Layout of the graphs.
    vocabulary
        The plan's vocabulary.
    rows
        For each view, the bits of each row of each image, see :meth:`Booleaniser.packed_rows`.
    """

    def __init__(self, plan: PatchPlan, vocabulary: Vocabulary, rows: Sequence[WordArray]) -> None:
        self._plan = plan
        self._rows = rows
        fixed = plan.fixed_properties()
        self._fixed = np.zeros((plan.n_nodes, n_words(len(vocabulary.symbols))), np.uint64)
        self._fixed[:, : n_words(fixed.shape[1])] = pack_bits(fixed)
        self._n_fixed = fixed.shape[1]
        self._edges = plan.edges()
        self.vocabulary = vocabulary
        self.node_counts = np.full(len(rows[0]), plan.n_nodes, np.int64)

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Make the graphs of these images."""
        n, plan = len(graphs), self._plan
        bits = np.empty((n, *self._fixed.shape), np.uint64)
        bits[:] = self._fixed
        for (view, own, symbols), rows in zip(plan.parts(), self._rows, strict=True):
            # Splitting an axis does not copy, so this writes into ``bits``.
            nodes = bits[:, own].reshape(n, *view.grid, bits.shape[2])
            _add_patches(nodes, rows[graphs], view, self._n_fixed + symbols.start)
        out_edges, in_edges = self._edges
        return PackedGraphs(
            self.vocabulary,
            np.arange(n + 1) * plan.n_nodes,
            PackedProperties(bits.reshape(n * plan.n_nodes, bits.shape[2]), len(self.vocabulary.symbols)),
            repeated(out_edges, n),
            repeated(in_edges, n),
            np.tile(plan.view_of_nodes().astype(np.int32), n) if plan.typed else None,
        )


def _add_patches(nodes: WordArray, rows: WordArray, view: View, first: int) -> None:
    """Set the bits of patches from bit ``first`` in nodes of shape (images, grid rows, grid columns, words)."""
    n_rows, n_columns = view.grid
    n_bits, across = view.pixels.n_bits, view.dilation[1]
    # Pixels side by side are one run of bits, pixels that lie apart are a run each.
    length, n_runs = (view.patch[1] * n_bits, 1) if across == 1 else (n_bits, view.patch[1])
    last = (n_rows - 1) * view.stride[0] + 1
    for column in range(n_columns):
        for run in range(n_runs):
            bits = _cut(rows, (column * view.stride[1] + run * across) * n_bits, length)
            for i in range(view.patch[0]):
                top = i * view.dilation[0]
                place = first + (i * n_runs + run) * length
                _paste(nodes[:, :, column], place, bits[:, top : top + last : view.stride[0]])


def _cut(words: WordArray, start: int, length: int) -> WordArray:
    """Return ``length`` bits from bit ``start`` of the words along the last axis, padded with 0."""
    word, shift = divmod(start, 64)
    cut: WordArray = words[..., word : word + n_words(length)] >> np.uint64(shift)
    if shift:
        following = words[..., word + 1 : word + 1 + n_words(length)]
        cut[..., : following.shape[-1]] |= following << np.uint64(64 - shift)
    if length % 64:
        cut[..., -1] &= np.uint64((1 << length % 64) - 1)
    return cut


def _paste(words: WordArray, start: int, bits: WordArray) -> None:
    """Set bits from bit ``start`` in the words along the last axis."""
    word, shift = divmod(start, 64)
    words[..., word : word + bits.shape[-1]] |= bits << np.uint64(shift)
    if shift:
        following = words[..., word + 1 : word + 1 + bits.shape[-1]]
        following |= bits[..., : following.shape[-1]] >> np.uint64(64 - shift)
