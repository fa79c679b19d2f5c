"""Random graphs with a hidden motif, or with a near miss of it: whether they have it, or how often."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from graphtm.datasets.generated import (
    Generated,
    Labels,
    Mask,
    TrueRule,
    any_node,
    balanced_labels,
    check_common,
    check_count,
    packed,
    with_noise,
)
from graphtm.datasets.matching import Motif, find_motif
from graphtm.foundation.names import is_set
from graphtm.foundation.numbering import Names
from graphtm.graphs import Graph, GraphBatch

MOTIFS = {
    "path": Motif((("A",), ("B",), ("C",)), ((0, 1, "red"), (1, 2, "blue"))),
    "star": Motif((("A",), ("B",), ("C",)), ((1, 0, "red"), (2, 0, "blue"))),
    "triangle": Motif((("A",), ("B",), ("C",)), ((0, 1, "red"), (1, 2, "blue"), (2, 0, "red"))),
}
"""Motifs by name."""

ROUNDS = 100
"""How often to redraw graphs with the wrong label before raising an error."""


@dataclass(frozen=True)
class MotifRule(TrueRule):
    """Class 1: the graph contains the motif. The nodes are those of all its occurrences."""

    motif: Motif

    def __str__(self) -> str:
        return f"1 if the graph has {self.motif}, else 0"

    def __call__(self, graphs: GraphBatch) -> Labels:
        return any_node(packed(graphs), self.nodes(graphs)).astype(np.int64)

    def nodes(self, graphs: GraphBatch) -> Mask:
        arrays = packed(graphs)
        made = np.zeros(arrays.n_nodes, dtype=np.bool_)
        made[find_motif(arrays, self.motif)] = True
        return made


class CountRule(MotifRule):
    """The target is the number of occurrences of the motif. The nodes are those of all of them."""

    def __str__(self) -> str:
        return f"the number of times that the graph has {self.motif}"

    def __call__(self, graphs: GraphBatch) -> Labels:
        arrays = packed(graphs)
        found = find_motif(arrays, self.motif)
        graph = np.searchsorted(arrays.node_ptr, found[:, 0], side="right") - 1
        return np.bincount(graph, minlength=arrays.n_graphs)


@dataclass(frozen=True)
class _Settings:
    """Settings for random graphs; the motif has its symbols and edge types as indices."""

    symbols: Names
    edge_types: Names
    n_nodes: tuple[int, int]
    density: float
    motif_symbols: Labels
    motif_ends: Labels
    motif_types: Labels


def motif_graphs(
    n_samples: int = 1000,
    *,
    motif: str | Graph = "path",
    n_nodes: int | tuple[int, int] = (8, 16),
    density: float = 1.0,
    symbols: Sequence[object] | Set[object] = "ABCDE",
    edge_types: Sequence[object] = ("red", "blue"),
    noise: float = 0.0,
    random_state: int | None = None,
) -> Generated:
    """Generate random graphs that contain a motif (class 1) or a near miss of it (class 0).

    A near miss is the motif with one symbol changed, one edge of another type, or one edge missing. So neither
    single symbols nor single edges separate the classes.

    Parameters
    ----------
    n_samples
        Number of graphs, half of them in class 1.
    motif
        ``"path"`` (A -red-> B -blue-> C), ``"star"`` (B -red-> A <-blue- C), ``"triangle"`` (the path closed by
        C -red-> A), or a connected graph with one symbol per node. Messages cannot distinguish a triangle from a
        longer cycle with the same pattern, so the triangle is the hardest.
    n_nodes
        Number of nodes per graph, or its minimum and maximum.
    density
        Number of random edges per node, in addition to those of the motif.
    symbols, edge_types
        Symbols of the nodes, one each, and types of the edges.
    noise
        Fraction of flipped labels.
    random_state
        Seed of the random generator.

    Returns
    -------
    Generated
        The graphs, their classes and the true rule.

    Examples
    --------
    >>> import graphtm as gtm
    >>> made = gtm.datasets.motif_graphs(100, random_state=0)
    >>> made
    Generated(GraphBatch(100 graphs, 1,241 nodes, 1,428 edges, 5 symbols, 2 edge types),
    rule='1 if the graph has A -red-> B, B -blue-> C, else 0')
    >>> int(made.y.sum()), int(made.nodes.sum())
    (50, 161)
    """
    check_common("motif_graphs", n_samples, noise)
    pattern = _pattern(motif)
    names = Names(symbols if is_set(symbols) else list(symbols))  # a string means its letters
    settings = _settings(pattern, n_nodes, density, names, Names(edge_types, "edge type"))
    rng = np.random.default_rng(random_state)
    rule = MotifRule(pattern)
    y = balanced_labels(n_samples, rng)
    graphs = _draw(y, settings, rng)
    wrong = np.flatnonzero(rule(graphs) != y)
    for _ in range(ROUNDS):
        if not len(wrong):
            return Generated(graphs, with_noise(y, noise, rng), rule)
        # Random edges have completed some near misses; such graphs are redrawn.
        chosen = np.arange(n_samples)
        chosen[wrong] = n_samples + np.arange(len(wrong))
        graphs = GraphBatch.concatenate([graphs, _draw(y[wrong], settings, rng)])[chosen]
        wrong = np.flatnonzero(rule(graphs) != y)
    raise ValueError(
        f"The motif must be rare in random graphs; {len(wrong)} of {n_samples} graphs still contain it by chance. "
        "Lower 'density' or 'n_nodes', or pass more 'symbols' or 'edge_types'."
    )


def motif_counts(
    n_samples: int = 1000,
    *,
    motif: str | Graph = "star",
    n_nodes: int | tuple[int, int] = (8, 16),
    density: float = 1.5,
    symbols: Sequence[object] | Set[object] = "ABC",
    edge_types: Sequence[object] = ("red", "blue"),
    random_state: int | None = None,
) -> Generated:
    """Generate random graphs whose target is the number of occurrences of a motif, for regression.

    The motif is planted into half of the graphs, a near miss into the others, and random edges add more occurrences.
    How many nodes carry which symbol says little about the target, since it depends on edges.

    Parameters
    ----------
    n_samples
        Number of graphs.
    motif, n_nodes, density, symbols, edge_types
        As for :func:`motif_graphs`. Motifs of more symbols, or of symbols among more, occur less often.
    random_state
        Seed of the random generator.

    Returns
    -------
    Generated
        The graphs, their targets and the true rule.

    Examples
    --------
    >>> import graphtm as gtm
    >>> import numpy as np
    >>> made = gtm.datasets.motif_counts(100, random_state=0)
    >>> print(made.rule)
    the number of times that the graph has B -red-> A, C -blue-> A
    >>> np.bincount(made.y)
    array([33, 46, 14,  4,  1,  0,  2])
    """
    check_common("motif_counts", n_samples, 0.0)
    pattern = _pattern(motif)
    names = Names(symbols if is_set(symbols) else list(symbols))
    rng = np.random.default_rng(random_state)
    settings = _settings(pattern, n_nodes, density, names, Names(edge_types, "edge type"))
    graphs, rule = _draw(balanced_labels(n_samples, rng), settings, rng), CountRule(pattern)
    return Generated(graphs, rule(graphs), rule)


def _pattern(motif: str | Graph) -> Motif:
    if isinstance(motif, Graph):
        return Motif.from_graph(motif)
    if isinstance(motif, str) and motif in MOTIFS:
        return MOTIFS[motif]
    raise ValueError(
        f"The 'motif' parameter of motif_graphs must be one of {', '.join(map(repr, MOTIFS))} or a Graph. "
        f"Got {motif!r} instead."
    )


def _settings(
    motif: Motif,
    n_nodes: int | tuple[int, int],
    density: float,
    symbols: Names,
    edge_types: Names,
) -> _Settings:
    least, most = n_nodes if isinstance(n_nodes, tuple) else (n_nodes, n_nodes)
    check_count("motif_graphs", "n_nodes", least, max(2, len(motif.symbols)))
    check_count("motif_graphs", "n_nodes", most, least)
    if not 0 <= density < np.inf:
        raise ValueError(f"The 'density' parameter of motif_graphs must be a number >= 0. Got {density!r} instead.")
    if not len(edge_types):
        raise ValueError("The 'edge_types' parameter of motif_graphs must not be empty. Got no types instead.")
    for carried in motif.symbols:
        if len(carried) != 1 or carried[0] not in symbols:
            raise ValueError(
                f"Each node of the motif must have one symbol from 'symbols', {list(symbols)!r}. "
                f"Got {carried!r} instead."
            )
    for *_, kind in motif.edges:
        if kind not in edge_types:
            raise ValueError(
                f"Each edge of the motif must have a type from 'edge_types', {list(edge_types)!r}. "
                f"Got {kind!r} instead."
            )
    if len(symbols) < 2 and not motif.edges:
        raise ValueError("A motif of one node needs at least two 'symbols'. Got one instead.")
    return _Settings(
        symbols,
        edge_types,
        (least, most),
        density,
        np.array([symbols.index(carried[0]) for carried in motif.symbols]),
        np.array([edge[:2] for edge in motif.edges], dtype=np.int64).reshape(-1, 2),
        np.array([edge_types.index(edge[2]) for edge in motif.edges], dtype=np.int64),
    )


def _draw(y: Labels, settings: _Settings, rng: np.random.Generator) -> GraphBatch:
    """Draw graphs with the motif if ``y`` is 1, and with a near miss if it is 0."""
    n, (least, most) = len(y), settings.n_nodes
    counts = rng.integers(least, most + 1, n)
    first = np.cumsum(counts) - counts
    carried = rng.integers(0, len(settings.symbols), int(counts.sum()))

    keys = rng.random((n, most))
    keys[np.arange(most) >= counts[:, None]] = np.inf
    placed = first[:, None] + np.argsort(keys, axis=1)[:, : len(settings.motif_symbols)]
    motif_symbols, motif_types, kept = _near_misses(y, settings, rng)
    carried[placed] = motif_symbols

    n_random = np.rint(settings.density * counts).astype(np.int64)
    graph = np.repeat(np.arange(n), n_random)
    source = rng.integers(0, counts[graph])
    destination = (source + rng.integers(1, counts[graph])) % counts[graph]
    types = rng.integers(0, len(settings.edge_types), len(graph))
    ends = placed[:, settings.motif_ends][kept]
    return GraphBatch.from_arrays(
        counts,
        (np.arange(len(carried)), carried),
        symbols=settings.symbols,
        edges=(
            np.concatenate([ends[:, 0], first[graph] + source]),
            np.concatenate([ends[:, 1], first[graph] + destination]),
            np.concatenate([motif_types[kept], types]),
        ),
        edge_types=settings.edge_types,
    )


def _near_misses(y: Labels, settings: _Settings, rng: np.random.Generator) -> tuple[Labels, Labels, Mask]:
    """Return the symbols, edge types and edges of the motif for each graph, with one change in class 0."""
    n, n_edges = len(y), len(settings.motif_types)
    symbols, types = np.tile(settings.motif_symbols, (n, 1)), np.tile(settings.motif_types, (n, 1))
    kept = np.ones((n, n_edges), dtype=np.bool_)
    ways = ["symbol"] * (len(settings.symbols) > 1) + ["missing"] * (n_edges > 0)
    ways += ["type"] * (n_edges > 0 and len(settings.edge_types) > 1)
    way = np.where(y == 1, -1, rng.integers(0, len(ways), n))
    for number, name in enumerate(ways):
        graphs = np.flatnonzero(way == number)
        if name == "symbol":
            places = graphs, rng.integers(0, symbols.shape[1], len(graphs))
            other = rng.integers(1, len(settings.symbols), len(graphs))
            symbols[places] = (symbols[places] + other) % len(settings.symbols)
            continue
        places = graphs, rng.integers(0, n_edges, len(graphs))
        if name == "missing":
            kept[places] = False
        else:
            other = rng.integers(1, len(settings.edge_types), len(graphs))
            types[places] = (types[places] + other) % len(settings.edge_types)
    return symbols, types, kept
