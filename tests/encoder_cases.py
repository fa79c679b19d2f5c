"""For every encoder of the package: fitted parameters and data, drawn at random, all of which can be saved."""

import re

from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

from graphtm import Graph, GraphBatch
from graphtm.encoders import (
    BoardGame,
    ImagePatches,
    KMers,
    Neighbourhoods,
    Relations,
    Superpixels,
    Table,
    Tokens,
    WholeGraph,
)

N = 4
"""Samples in all data, so that one list of labels fits all."""


def images(channels=(None, 3)):
    shape = st.sampled_from(channels).map(lambda n: (N, 5, 6) if n is None else (N, 5, 6, n))
    return shape.flatmap(lambda shape: st_numpy.arrays("uint8", shape, elements=st.integers(1, 255)))


@st.composite
def boards(draw):
    symbols = draw(st.sampled_from([None, {0: None, 1: "X", 2: ("O", 2)}, {2: "b", 0: "a", 1: "b"}]))
    neighbours = draw(st.sampled_from(["grid4", "grid8", "hex"]))
    shape = draw(st.sampled_from([None, (2, 3), [2, 3]]))
    encoder = BoardGame(shape, neighbours, symbols, draw(st.booleans()), draw(st.booleans()))
    return encoder, draw(st_numpy.arrays("int16", (N, 2, 3), elements=st.integers(0, 2)))


@st.composite
def patches(draw):
    data = draw(images())
    modes = ["threshold", "thermometer", "adaptive"] + ["colour"] * (data.ndim == 4)
    views = [{"name": "a", "booleanise": "adaptive", "patch_size": (3, 2)}, {"booleanise": "thermometer", "bins": 2}]
    encoder = ImagePatches(
        draw(st.sampled_from([2, (2, 3), [3, 2]])),
        draw(st.integers(1, 2)),
        position=draw(st.sampled_from(["one_hot", "thermometer", None])),
        booleanise=draw(st.sampled_from(modes)),
        bins=draw(st.integers(1, 4)),
        spacing=draw(st.sampled_from(["linear", "quantile"])),
        views=draw(st.sampled_from([None, views, views[::-1]])),
        mark_views=draw(st.sampled_from(["symbol", "type", None])),
        edges=draw(st.sampled_from(["grid", None])),
    )
    return encoder, data


@st.composite
def superpixels(draw):
    encoder = Superpixels(
        draw(st.integers(1, 6)),
        compactness=draw(st.sampled_from([0.3, 2])),
        neighbours=draw(st.integers(1, 3)),
        levels=draw(st.integers(1, 4)),
        places=draw(st.integers(1, 5)),
        encoding=draw(st.sampled_from(["one_hot", "thermometer"])),
        neighbour_features=draw(st.booleans()),
    )
    return encoder, draw(images())


@st.composite
def tokens(draw):
    texts = draw(st.lists(st.text("ab'C é", max_size=9), min_size=N - 1, max_size=N - 1))
    encoder = Tokens(
        vocabulary_size=draw(st.sampled_from([None, 2])),
        lowercase=draw(st.booleans()),
        pattern=draw(st.sampled_from([r"\w+", re.compile(r"[a-z]+", re.IGNORECASE), "(a)|b"])),
        ngrams=draw(st.integers(1, 3)),
        position=draw(st.sampled_from([True, False, 2])),
        edges=draw(st.sampled_from(["window", "neighbours", None])),
        window=draw(st.sampled_from([None, 1, 3])),
        max_length=draw(st.sampled_from([None, 3])),
        unknown=draw(st.sampled_from(["drop", "symbol"])),
    )
    return encoder, [*texts, "a b a b"]


@st.composite
def kmers(draw):
    encoder = KMers(
        draw(st.integers(1, 3)),
        draw(st.integers(1, 2)),
        draw(st.sampled_from(["ACGT", "acg"])),
        position=draw(st.sampled_from([True, False, 2])),
        edges=draw(st.sampled_from(["both", "right", "left", None])),
        max_length=draw(st.sampled_from([None, 4])),
        unknown=draw(st.sampled_from(["drop", "symbol"])),
    )
    return encoder, draw(st.lists(st.text("ACGTN", max_size=8), min_size=N, max_size=N))


@st.composite
def tables(draw):
    cells = {
        "number": st.sampled_from([0.25, -3, 1e300, 7, None]),
        "large": st.integers(2**60, 2**60 + 5),
        "word": st.sampled_from(["x", "y", 1, True, None]),
        "flag": st.sampled_from([True, False, None]),
    }
    rows = [[draw(cell) for cell in cells.values()] for _ in range(N)]
    columns = draw(st.sampled_from([None, [2, 0], {1: "category", 0: "quantile", 3: "category"}]))
    encoder = Table(
        columns,
        draw(st.sampled_from(["one_node", "node_per_column"])),
        draw(st.integers(2, 4)),
        draw(st.sampled_from(["thermometer", "quantile", "one_hot"])),
        draw(st.sampled_from(["symbol", "drop"])),
    )
    return encoder, rows


@st.composite
def relations(draw):
    cell = st.sampled_from(["u", 1, True, None, ["v", "w"]])
    rows = [
        {"who": draw(st.sampled_from("AB")), ("what", 1): draw(cell), "tag": draw(cell), "day": day} for day in range(N)
    ]
    encoder = Relations(
        ["who", ("what", 1)],
        draw(st.sampled_from([None, [("who", "has", ("what", 1)), ("who", ("then", 1), "who")]])),
        draw(st.sampled_from([None, {"who": ["tag"]}, {("what", 1): ("tag", "who")}])),
        graph=draw(st.sampled_from([None, "day"])),
        identity=draw(st.sampled_from([True, False, ["who"], {"who"}])),
        both_ways=draw(st.booleans()),
        min_count=draw(st.integers(1, 2)),
        unknown=draw(st.sampled_from(["drop", "symbol"])),
    )
    return encoder, rows


@st.composite
def batches(draw):
    """Graphs with symbols, types and edges of several kinds, or without."""
    symbols = draw(st.sampled_from([[], ["C", "C(-C)", ("size", 3), None], [("label", 1), ("label", "1")]]))
    typed, edge_types = draw(st.booleans()), draw(st.sampled_from([["plain"], ["single", "double", ("near", 2)]]))
    graphs = []
    for _ in range(N):
        graph = Graph()
        n = draw(st.integers(1, 4))
        for node in range(n):
            kinds = {"type": draw(st.sampled_from(["a|b", 2]))} if typed else {}
            graph.add_node(node, draw(st.lists(st.sampled_from(symbols), unique=True)) if symbols else [], **kinds)
        for _ in range(draw(st.integers(0, 5))):
            graph.add_edge(draw(st.integers(0, n - 1)), draw(st.integers(0, n - 1)), draw(st.sampled_from(edge_types)))
        graphs.append(graph)
    return GraphBatch.from_graphs(graphs)


@st.composite
def neighbourhoods(draw):
    parts = draw(st.sampled_from([True, False, ["paths", "counts"], ("degrees",)]))
    return Neighbourhoods(draw(st.integers(1, 3)), parts, draw(st.integers(1, 2))), draw(batches())


@st.composite
def whole_graphs(draw):
    counts = draw(st.sampled_from([(1, 2, 3, 5, 8), [2, 1], range(1, 3)]))
    return WholeGraph(counts, draw(st.integers(1, 2))), draw(batches())


CASES = {
    "BoardGame": boards(),
    "ImagePatches": patches(),
    "KMers": kmers(),
    "Neighbourhoods": neighbourhoods(),
    "Relations": relations(),
    "Superpixels": superpixels(),
    "Table": tables(),
    "Tokens": tokens(),
    "WholeGraph": whole_graphs(),
}
"""A strategy of pairs of an encoder and data for it, by name."""
