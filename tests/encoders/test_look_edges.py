"""The edges that looks and parts are about, against loops over nodes and edges."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_looks import NaiveLooks

import graphtm as gtm
from graphtm.encoders import Neighbourhoods, look_edges

ALL = ("counts", "pairs", "degrees", "paths")


def random_graph(rng, symbols, typed, both_ways):
    """Return a list of ``(type, symbols)`` and a list of ``(source, destination, type)``."""
    n = int(rng.integers(1, 7))
    nodes = [("xy"[rng.integers(2)] if typed else None, [s for s in symbols if rng.random() < 0.5]) for _ in range(n)]
    pairs = rng.integers(0, n, (int(rng.integers(0, 9)), 2)).tolist()
    edges = [(one, other, ("single", "near")[rng.integers(2)]) for one, other in pairs]
    return nodes, edges + [(other, one, kind) for one, other, kind in edges if both_ways]


def batch(graphs):
    made = []
    for nodes, edges in graphs:
        graph = gtm.Graph()
        for node, (kind, symbols) in enumerate(nodes):
            graph.add_node(node, symbols, kind)
        for edge in edges:
            graph.add_edge(*edge)
        made.append(graph)
    return gtm.GraphBatch.from_graphs(made)


def covered(encoder, graphs, number):
    """Return the edges that the encoder finds for each node and symbol of a graph, with repetitions."""
    packed, seen = graphs[number : number + 1].pack(), encoder.transform(graphs[number : number + 1])
    nodes, symbols = seen.pack().properties.pairs()
    places, edges = encoder._edges_of(packed, nodes, symbols)
    table = packed.out_edges
    named = list(zip(table.near_ends().tolist(), table.neighbours.tolist(), table.types.tolist(), strict=True))
    kinds, names = packed.vocabulary.edge_types, seen.vocabulary.symbols
    found = {(node, names[symbol]): [] for node, symbol in zip(nodes.tolist(), symbols.tolist(), strict=True)}
    for place, edge in zip(places.tolist(), edges.tolist(), strict=True):
        source, destination, kind = named[edge]
        found[int(nodes[place]), names[int(symbols[place])]].append((source, destination, kinds[kind]))
    return found


cases = st.tuples(st.integers(0, 2**32), st.sampled_from(["", "C", "CNO"]), st.booleans(), st.booleans())


def compare(case, hops, parts):
    seed, symbols, typed, both_ways = case
    rng = np.random.default_rng(seed)
    graphs = [random_graph(rng, symbols, typed, both_ways) for _ in range(3)]
    looks, made = NaiveLooks(graphs, hops), batch(graphs)
    encoder = Neighbourhoods(hops, parts, min_graphs=1).fit(made)
    for number, graph in enumerate(graphs):
        for (node, name), edges in covered(encoder, made, number).items():
            expected = looks.edges(node, graph, parts).get(name, set())
            # Of parallel edges, each is covered once.
            assert sorted(edges) == sorted(edge for edge in graph[1] if edge in expected), name


@settings(max_examples=25)
@given(cases, st.integers(1, 3), st.sampled_from([(), ALL]))
def test_edges_are_those_of_loops(case, hops, parts):
    compare(case, hops, parts)


@settings(max_examples=5)
@given(cases)
def test_few_looks_at_a_time_are_the_same(case):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(look_edges, "_MOST_ENTRIES", 4)
        compare(case, 2, ALL)


def test_edges_of_a_molecule():
    """Acetic acid, C0-C1(=O2)-O3, each bond as two edges."""
    graphs = gtm.from_smiles(["CC(=O)O"] * 2, hydrogens=False, rings=False)
    found = covered(Neighbourhoods(parts=ALL).fit(graphs), graphs, 0)
    bonds = {
        name: {(min(edge[:2]), max(edge[:2])) for edge in edges} for (node, name), edges in found.items() if node == 3
    }
    assert bonds == {
        ("element", "O"): set(),
        "O(-C)": {(1, 3)},
        "O(-C(-C,-O,=O))": {(0, 1), (1, 2), (1, 3)},
        "O: -C>=1": {(1, 3)},
        "O: -C of degree 3": {(1, 3)},
        "O-C-C": {(0, 1), (1, 3)},
        "O-C=O": {(1, 2), (1, 3)},
    }
    assert len(found[3, "O(-C)"]) == 2
