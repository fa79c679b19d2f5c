"""Patches of images as graphs that are made on demand, from bits to bits.

Images are held as packed bits, row by row. A patch's part of an image row is a run of bits of that row, and goes to a
run of bits of the patch's node: whole words are shifted, and no Boolean is ever a byte.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.encoders.scales import Scale
from graphtm.encoders.views import View
from graphtm.foundation.arrays import Int64Array, WordArray
from graphtm.foundation.properties import PackedProperties, n_words, pack_bits
from graphtm.graphs import PackedGraphs, Vocabulary
from graphtm.graphs.edges import STEPS, EdgeTable, edge_table, grid_edges, repeated

GRID = "grid4"
"""Which neighbours in the grid are connected; edges are typed by where they go, from the patch they leave."""


@dataclass(frozen=True)
class PatchPlan:
    """Everything about a graph of patches that does not depend on the image.

    Parameters
    ----------
    views
        The views, whose nodes follow one another.
    position
        ``"one_hot"``, ``"thermometer"`` or ``None``.
    marked
        Whether nodes carry a symbol with the name of their view.
    typed
        Whether the name of their view is the type of nodes.
    connected
        Whether neighbours in the grid are connected.
    """

    views: tuple[View, ...]
    position: str | None
    marked: bool = False
    typed: bool = False
    connected: bool = False

    @property
    def n_nodes(self) -> int:
        return sum(view.n_nodes for view in self.views)

    def axes(self) -> list[Scale]:
        """Return the scales of rows and of columns, which views share; none if patches do not know their place."""
        if self.position is None:
            return []
        sizes = np.max([view.grid for view in self.views], axis=0).tolist()
        graded = self.position == "thermometer"
        return [Scale((name,), n, graded) for name, n in zip(("row", "column"), sizes, strict=True)]

    def vocabulary(self) -> Vocabulary:
        """Return all names: positions, marks of views, then the pixels of each view."""
        places = [name for axis in self.axes() for name in axis.symbols()]
        marks = [("view", view.name) for view in self.views] if self.marked else []
        pixels = [name for view in self.views for name in view.pixel_symbols()]
        return Vocabulary(
            [*places, *marks, *pixels],
            tuple(STEPS[GRID]) if self.connected else (),
            [view.name for view in self.views] if self.typed else (),
        )

    def fixed_properties(self) -> NDArray[np.bool_]:
        """Return position and mark of every node, as a Boolean matrix."""
        columns = [np.zeros((self.n_nodes, 0), np.bool_)]
        for number, axis in enumerate(self.axes()):
            columns.append(axis.booleans(np.concatenate([view.places()[number] for view in self.views])))
        if self.marked:
            columns.append(self.view_of_nodes()[:, None] == np.arange(len(self.views)))
        return np.concatenate(columns, axis=1)

    def view_of_nodes(self) -> Int64Array:
        """Return the number of each node's view."""
        return np.repeat(np.arange(len(self.views)), [view.n_nodes for view in self.views])

    def edges(self) -> tuple[EdgeTable, EdgeTable]:
        """Return the edges of one graph, by source and by destination."""
        parts, first = [np.zeros((3, 0), np.int64)], 0
        for view in self.views if self.connected else ():
            source, destination, direction = grid_edges(view.grid, STEPS[GRID])
            parts.append(np.stack([source + first, destination + first, direction]))
            first += view.n_nodes
        source, destination, direction = np.concatenate(parts, axis=1)
        return (
            edge_table(source, destination, direction, self.n_nodes),
            edge_table(destination, source, direction, self.n_nodes),
        )


class PatchSource:
    """Makes the patches of some images at a time; holds each view of the images as packed bits.

    Parameters
    ----------
    plan
        What the graphs are like.
    vocabulary
        The plan's names.
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
        node, symbol = 0, self._n_fixed
        for view, rows in zip(plan.views, self._rows, strict=True):
            # Splitting one axis in two takes no copy, so this writes into ``bits``.
            nodes = bits[:, node : node + view.n_nodes].reshape(n, *view.grid, bits.shape[2])
            _add_patches(nodes, rows[graphs], view, symbol)
            node, symbol = node + view.n_nodes, symbol + view.n_symbols
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
    """Set the bits of patches, from bit ``first`` on, in nodes of shape (images, grid rows, grid columns, words)."""
    n_rows, n_columns = view.grid
    length = view.patch[1] * view.pixels.n_bits
    last = (n_rows - 1) * view.stride[0] + 1
    for column in range(n_columns):
        runs = _cut(rows, column * view.stride[1] * view.pixels.n_bits, length)
        for i in range(view.patch[0]):
            _paste(nodes[:, :, column], first + i * length, runs[:, i : i + last : view.stride[0]])


def _cut(words: WordArray, start: int, length: int) -> WordArray:
    """Return ``length`` bits from bit ``start`` on, of the words along the last axis; the padding is 0."""
    word, shift = divmod(start, 64)
    cut: WordArray = words[..., word : word + n_words(length)] >> np.uint64(shift)
    if shift:
        following = words[..., word + 1 : word + 1 + n_words(length)]
        cut[..., : following.shape[-1]] |= following << np.uint64(64 - shift)
    if length % 64:
        cut[..., -1] &= np.uint64((1 << length % 64) - 1)
    return cut


def _paste(words: WordArray, start: int, bits: WordArray) -> None:
    """Set bits from bit ``start`` on, of the words along the last axis."""
    word, shift = divmod(start, 64)
    words[..., word : word + bits.shape[-1]] |= bits << np.uint64(shift)
    if shift:
        following = words[..., word + 1 : word + 1 + bits.shape[-1]]
        following |= bits[..., : following.shape[-1]] >> np.uint64(64 - shift)
