"""Generated datasets with their true rules.

A true rule reads only the symbols and edges of graphs, never the generator's random draws. So it also labels graphs
that were held out, shuffled, saved or built by hand, and it checks the generator itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import WithoutCaches
from graphtm.graphs import GraphBatch, PackedGraphs

Labels: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]


class TrueRule(ABC):
    """The true rule of a generated dataset: ``str(rule)`` describes it, ``rule(graphs)`` returns the labels."""

    @abstractmethod
    def __str__(self) -> str:
        """Return a description of the rule."""

    @abstractmethod
    def __call__(self, graphs: GraphBatch) -> Labels:
        """Return the label of each graph, without noise."""

    @abstractmethod
    def nodes(self, graphs: GraphBatch) -> Mask:
        """Return a mask of the nodes that make the rule true; none in graphs where it is false."""


@dataclass(frozen=True, eq=False)
class Generated(WithoutCaches):
    """Generated graphs with their labels and their true rule; unpacks as ``graphs, y = ...``.

    Parameters
    ----------
    graphs
        The graphs.
    y
        Their labels, including noise.
    rule
        The true rule: ``str(rule)`` describes it, ``rule(graphs)`` returns the labels without noise.
    data
        Raw data of the graphs, for encoders: boards, letters or values, one row per graph. ``None`` if there is none.

    Examples
    --------
    >>> import graphtm as gtm
    >>> made = gtm.datasets.noisy_xor(100, noise=0.1, random_state=0)
    >>> graphs, y = made
    >>> int((made.rule(graphs) != y).sum())
    11
    >>> bool((made.rule.nodes(graphs[:5]) == made.nodes[:10]).all())
    True
    """

    graphs: GraphBatch
    y: Labels
    rule: TrueRule
    data: NDArray[Any] | None = field(default=None, repr=False)

    def __iter__(self) -> Iterator[Any]:
        yield self.graphs
        yield self.y

    @cached_property
    def nodes(self) -> Mask:
        """Mask of the nodes that make the rule true: what a perfect explanation would highlight."""
        return self.rule.nodes(self.graphs)

    def __repr__(self) -> str:
        return f"Generated({self.graphs!r}, rule={str(self.rule)!r})"


def check_common(name: str, n_samples: int, noise: float) -> None:
    """Check the parameters that all generators share."""
    check_count(name, "n_samples", n_samples, 0)
    if not 0 <= noise <= 1:
        raise ValueError(f"The 'noise' parameter of {name} must be in the range [0, 1]. Got {noise} instead.")


def check_count(name: str, parameter: str, value: object, least: int) -> None:
    """Raise if a parameter is not an integer of at least ``least``."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"The {parameter!r} parameter of {name} must be an integer >= {least}. Got {value!r} instead.")


def with_noise(y: Labels, noise: float, rng: np.random.Generator) -> Labels:
    """Return binary labels with a fraction flipped."""
    wrong = rng.random(len(y)) < noise
    return np.where(wrong, 1 - y, y)


def balanced_labels(n_samples: int, rng: np.random.Generator) -> Labels:
    """Return equally many ones and zeros in random order; they differ by one if ``n_samples`` is odd."""
    return rng.permutation(np.arange(n_samples, dtype=np.int64) % 2)


def packed(graphs: GraphBatch) -> PackedGraphs:
    """Return the arrays of a batch; raise for other types."""
    if not isinstance(graphs, GraphBatch):
        raise TypeError(f"A true rule needs a GraphBatch; got {type(graphs).__name__!r}.")
    return graphs.pack()


def graph_of_nodes(graphs: PackedGraphs) -> Labels:
    """Return the index of each node's graph."""
    return np.repeat(np.arange(graphs.n_graphs), graphs.node_counts)


def carries(graphs: PackedGraphs, symbol: object) -> Mask:
    """Return a mask of the nodes with a symbol; it is empty if the vocabulary does not have the symbol."""
    mask = np.zeros(graphs.n_nodes, dtype=np.bool_)
    names = graphs.vocabulary.symbols
    if symbol in names:
        nodes, symbols = graphs.properties.pairs()
        mask[nodes[symbols == names.index(symbol)]] = True
    return mask


def edges_of(graphs: PackedGraphs) -> tuple[Labels, Labels, Labels]:
    """Return source, destination and type of every edge, with node indices of the whole batch."""
    table = graphs.out_edges
    sources = table.near_ends()
    first = graphs.node_ptr[:-1][graph_of_nodes(graphs)[sources]]
    return sources, first + table.neighbours, table.types.astype(np.int64)


def edges_of_type(graphs: PackedGraphs, edge_type: object) -> tuple[Labels, Labels]:
    """Return source and destination of the edges of a type; none if the vocabulary does not have it."""
    names = graphs.vocabulary.edge_types
    if edge_type not in names:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    sources, destinations, types = edges_of(graphs)
    chosen = types == names.index(edge_type)
    return sources[chosen], destinations[chosen]


def any_node(graphs: PackedGraphs, mask: Mask) -> Mask:
    """Return a mask of the graphs with a node in the mask."""
    return np.bincount(graph_of_nodes(graphs)[mask], minlength=graphs.n_graphs) > 0
