"""``Graphs``: a set of graphs as earlier implementations have it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import encode
from graphtm.compat.building import Building
from graphtm.compat.codebook import Codebook, positions_of, scheme
from graphtm.compat.text import edges_text, graph_text, nodes_text
from graphtm.errors import GraphError
from graphtm.foundation.arrays import WithoutCaches, ragged
from graphtm.foundation.display import count
from graphtm.foundation.parameters import check_at_least, is_integer
from graphtm.foundation.properties import unpack_bits
from graphtm.foundation.type_names import type_of
from graphtm.graphs import GraphBatch, PackedGraphs, Vocabulary
from graphtm.graphs.validate import graph_numbers

UInt32Array = NDArray[np.uint32]
_BLOCK_NODES = 1 << 14


class Graphs(WithoutCaches, Building):
    """A set of graphs, built call by call; see the page on scripts for earlier implementations.

    Parameters
    ----------
    number_of_graphs
        Number of graphs.
    hypervector_size, hypervector_bits
        Number of bits of a node's hypervector, and number of bits per symbol.
    double_hashing
        Whether to compute the two bits of a symbol from its number, instead of drawing them.
    one_hot_encoding
        Whether each symbol has a bit of its own. The other parameters of hypervectors do not matter then.
    symbols
        The symbols that nodes may have. Default: those that are added.
    init_with
        Graphs whose symbols, hypervectors and types these graphs share, such as the training data. The parameters of
        hypervectors do not matter then.

    Examples
    --------
    >>> from graphtm.compat.GraphTsetlinMachine.graphs import Graphs
    >>> graphs = Graphs(1, symbols=["A", "B"], hypervector_size=16, hypervector_bits=2)
    >>> graphs.set_number_of_graph_nodes(0, 2)
    >>> graphs.prepare_node_configuration()
    >>> graphs.add_graph_node(0, "first", 1)
    >>> graphs.add_graph_node(0, "last", 0)
    >>> graphs.prepare_edge_configuration()
    >>> graphs.add_graph_node_edge(0, "first", "last", "right")
    >>> graphs.add_graph_node_property(0, "first", "A")
    >>> graphs.add_graph_node_property(0, "last", "C")
    Traceback (most recent call last):
        ...
    graphtm.errors.UnknownSymbolError: The symbol 'C' of node 'last' of graph 0 is not one of the 2 symbols: 'A', 'B'.
    Add it to the symbols of Graphs.
    >>> graphs.encode()
    >>> graphs.print_graph(0)
    Graph 0 with 2 nodes and 1 edge
      'first' (Plain): 'A'
        right -> 'last'
      'last' (Plain):
    """

    def __init__(
        self,
        number_of_graphs: int,
        hypervector_size: int = 128,
        hypervector_bits: int = 2,
        double_hashing: bool = False,
        one_hot_encoding: bool = False,
        symbols: Iterable[Hashable] | None = None,
        init_with: Graphs | None = None,
    ) -> None:
        check_at_least("number_of_graphs", "Graphs", number_of_graphs, 0, optional=False)
        if init_with is not None and not isinstance(init_with, Graphs):
            raise TypeError(f"The 'init_with' parameter of Graphs must be Graphs or None. Got {type_of(init_with)}.")
        codebook = None if init_with is None else init_with.codebook
        if codebook is None:
            check_at_least("hypervector_size", "Graphs", hypervector_size, 1, optional=False)
            check_at_least("hypervector_bits", "Graphs", hypervector_bits, 1, optional=False)
            codebook = Codebook(symbols, hypervector_size, hypervector_bits, scheme(double_hashing, one_hot_encoding))
        self.double_hashing = codebook.scheme == "double_hashing"
        self.one_hot_encoding = codebook.scheme == "one_hot"
        self._last_numbers: tuple[int, int, dict[Hashable, int]] = (-1, 0, {})
        super().__init__(int(number_of_graphs), codebook)

    # Sizes and numbers

    @property
    def hypervector_size(self) -> int:
        """Number of bits of a hypervector."""
        return self.codebook.size

    @property
    def hypervector_bits(self) -> int:
        """Number of bits per symbol."""
        return self.codebook.bits

    @property
    def number_of_hypervector_chunks(self) -> int:
        """Number of 32-bit words of a row of ``X``."""
        return (2 * self.hypervector_size + 31) // 32

    @property
    def hypervectors(self) -> UInt32Array:
        """Positions of the bits of each symbol, ``(symbols, bits)``."""
        return positions_of(self.codebook.code)

    @property
    def number_of_graph_nodes(self) -> UInt32Array:
        """Number of nodes of each graph."""
        if self._node_ptr is None:
            return np.frombuffer(self._sizes, np.uint32) if self.number_of_graphs else np.zeros(0, np.uint32)
        return self._node_counts

    @cached_property
    def _node_counts(self) -> UInt32Array:
        return np.diff(self._pointers).astype(np.uint32)

    @property
    def max_number_of_graph_nodes(self) -> int:
        """Number of nodes of the largest graph."""
        return int(self.number_of_graph_nodes.max(initial=0))

    @cached_property
    def node_index(self) -> UInt32Array:
        """Number of the first node of each graph, counted over all graphs."""
        return self._pointers[:-1].astype(np.uint32)

    @property
    def graph_node_id(self) -> Sequence[dict[Hashable, int]]:
        """For each graph, the number of each node name."""
        return _PerGraph(self.number_of_graphs, self._numbers_of)

    def _numbers_of(self, graph: int) -> dict[Hashable, int]:
        """Return the number of each node of a graph; at once if they are those of the last call."""
        growing = self._numbers or self._growing
        named = growing[graph] if growing else {}
        n_named = len(named) if self._packed is None else int(self.number_of_graph_nodes[graph])
        if self._last_numbers[:2] != (graph, n_named):
            names = named if self._packed is None else self.names_of(graph)
            self._last_numbers = graph, n_named, {name: place for place, name in enumerate(names)}
        return self._last_numbers[2]

    def names_of(self, graph: int) -> list[Hashable]:
        """Return the names of the nodes of a graph."""
        nodes = ragged(self._pointers, slice(graph, graph + 1))
        return list(self._names[nodes])

    def number_of_node_types(self) -> int:
        """Return the number of node types."""
        return len(self.node_type_id)

    # Encoded graphs

    @property
    def packed(self) -> PackedGraphs:
        """The encoded graphs, without the names of their nodes."""
        return self._packed_as(self.codebook.vocabulary())

    def packed_for(self, vocabulary: Vocabulary) -> PackedGraphs:
        """Return the encoded graphs with the names of a model; names are matched."""
        mine = self.codebook.vocabulary()
        if mine is vocabulary:
            return self._packed_as(mine)
        if len(vocabulary.node_types):
            mine = self.codebook.vocabulary(typed=True)
        elif not self.node_type.any():  # another type has been added since, by graphs that share names
            mine = Vocabulary(mine.symbols, mine.edge_types)
        return self._packed_as(mine).with_vocabulary(vocabulary)

    def _packed_as(self, vocabulary: Vocabulary) -> PackedGraphs:
        encoded = self.encoded
        types = encoded.node_types if len(vocabulary.node_types) else None
        return replace(encoded, vocabulary=vocabulary, node_types=types)

    @property
    def encoded(self) -> PackedGraphs:
        """The graphs as they were encoded; names may have been added since, to other graphs that share them."""
        if self._packed is None:
            raise GraphError("encode() must be called before the graphs are used.")
        return self._packed

    @property
    def batch(self) -> GraphBatch:
        """The graphs as a :class:`graphtm.GraphBatch`, for the native interface."""
        names = [tuple(self.names_of(graph)) for graph in range(len(self))]
        given = tuple(None if _are_numbers(one) else one for one in names)
        return GraphBatch(replace(self.packed, node_names=given if any(given) else None))

    @cached_property
    def X(self) -> UInt32Array:  # noqa: N802 -- the name that scripts read
        """Hypervectors of all nodes, ``(nodes, chunks)``: bits, then negated bits, in words of 32 bits."""
        size, code = self.hypervector_size, self.codebook.code
        words = encode(GraphBatch(self.packed), code).bits
        rows = np.zeros((len(words), 4 * self.number_of_hypervector_chunks), np.uint8)
        for start in range(0, len(words), _BLOCK_NODES):
            bits = unpack_bits(words[start : start + _BLOCK_NODES], size)
            octets = np.packbits(np.concatenate([bits, ~bits], axis=1), axis=1, bitorder="little")
            rows[start : start + _BLOCK_NODES, : octets.shape[1]] = octets
        return rows.view("<u4").astype(np.uint32, copy=False)

    @cached_property
    def edge_index(self) -> UInt32Array:
        """Number of the first edge of each node, counted over all graphs; edges are sorted by source."""
        return self.packed.out_edges.ptr[:-1].astype(np.uint32)

    @cached_property
    def edge(self) -> UInt32Array:
        """Destination, numbered in its graph, and type of each edge, ``(edges, 2)``."""
        table = self.packed.out_edges
        return np.stack([table.neighbours, table.types], axis=1).astype(np.uint32)

    @cached_property
    def node_type(self) -> UInt32Array:
        """Type of each node."""
        types = self.encoded.node_types
        assert types is not None  # noqa: S101 -- encode() gives every node one
        return types.astype(np.uint32)

    @cached_property
    def signature(self) -> bytes:
        """A digest of the encoded graphs: the same for equal graphs."""
        digest = hashlib.sha256()
        for array in (self.node_index, self.X, self.node_type, self.edge_index, self.edge):
            digest.update(np.ascontiguousarray(array).data)
        return digest.digest()

    # Selection

    def __len__(self) -> int:
        return self.number_of_graphs

    def __getitem__(self, index: Any) -> Graphs:
        """Return the selected graphs: by an int, a slice, or a list or array of numbers or Booleans."""
        if isinstance(index, np.ndarray) and index.ndim == 0:
            index = index.item()
        if isinstance(index, slice):
            numbers = np.arange(len(self))[index]
        else:
            numbers = graph_numbers([index] if is_integer(index) else index, len(self))
        chosen = Graphs(len(numbers), init_with=self)
        chosen._packed = self.encoded.take(numbers)
        chosen._node_ptr = chosen._packed.node_ptr
        chosen._sizes = chosen._packed.node_counts.tolist()
        chosen._names = self._names[ragged(self._pointers, numbers)]
        return chosen

    # Printing

    def print_graph(self, graph_id: int) -> None:
        """Print the nodes of a graph with their symbols and edges."""
        print(graph_text(self, graph_id))  # noqa: T201 -- what scripts call it for

    def print_graph_nodes(self, graph_id: int) -> None:
        """Print the nodes of a graph with their symbols."""
        print(nodes_text(self, graph_id))  # noqa: T201 -- what scripts call it for

    def print_graph_edges(self, graph_id: int) -> None:
        """Print the edges of a graph."""
        print(edges_text(self, graph_id))  # noqa: T201 -- what scripts call it for

    def __repr__(self) -> str:
        state = "not encoded" if self._packed is None else "encoded"
        return f"Graphs({count(len(self), 'graph')}, {count(len(self.symbol_id), 'symbol')}, {state})"


def _are_numbers(names: Sequence[Hashable]) -> bool:
    """Return whether nodes are named 0, 1, 2, ..., as batches name them by default."""
    return all(type(name) is int and name == place for place, name in enumerate(names))


class _PerGraph(Sequence[dict[Hashable, int]]):
    """A list with one item per graph, made when it is asked for.

    Parameters
    ----------
    length, item
        Number of graphs, and the function that returns an item.
    """

    def __init__(self, length: int, item: Callable[[int], dict[Hashable, int]]) -> None:
        self._length = length
        self._item = item

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        numbers = range(self._length)[index]
        return [self._item(number) for number in numbers] if isinstance(numbers, range) else self._item(numbers)

    def __repr__(self) -> str:
        return repr(list(self))
