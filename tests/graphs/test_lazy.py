"""Batches whose graphs are made on demand behave like those that are packed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from strategies import batches, graph_lists

import graphtm as gtm
from graphtm import codes
from graphtm.codes.encode import _joined as joined
from graphtm.graphs import GraphSource


class Shelf:
    """A source that hands out the graphs of a packed batch and remembers what it was asked for."""

    def __init__(self, batch: gtm.GraphBatch) -> None:
        self.vocabulary = batch.vocabulary
        self.node_counts = batch.node_counts
        self._packed = batch.pack()
        self.asked: list[list[int]] = []

    def make(self, graphs):
        self.asked.append(graphs.tolist())
        return self._packed.take(graphs)


def both(graphs) -> tuple[gtm.GraphBatch, gtm.GraphBatch]:
    packed = gtm.GraphBatch.from_graphs(graphs)
    return packed, gtm.GraphBatch.from_source(Shelf(packed))


@given(batches(), st.data())
def test_lazy_equals_packed(graphs_and_batch, data):
    graphs, packed = graphs_and_batch
    lazy = gtm.GraphBatch.from_source(Shelf(packed))
    assert isinstance(Shelf(packed), GraphSource)
    assert lazy.is_lazy
    assert not packed.is_lazy
    lazy.validate()
    assert lazy == packed
    assert list(lazy) == graphs
    assert len(lazy) == len(packed)
    assert lazy.n_nodes == packed.n_nodes
    n = len(graphs)
    window = data.draw(st.slices(n))
    assert lazy[window] == packed[window]
    places = data.draw(st.lists(st.integers(-n, n - 1), max_size=8)) if n else []
    chosen, again = lazy[places], packed[places]
    assert chosen == again
    if n:
        assert lazy.with_readout(None) == packed.with_readout(None)
        assert gtm.GraphBatch.concatenate([lazy, lazy]).with_readout(None)[0].readout is None
        assert lazy[n - 1] == graphs[-1]
        mask = np.array(data.draw(st.lists(st.booleans(), min_size=again.n_nodes, max_size=again.n_nodes)), dtype=bool)
        mask[np.cumsum(again.node_counts) - 1] = True
        assert chosen.with_readout(mask) == again.with_readout(mask)
        assert chosen.with_readout(mask)[::-1] == again.with_readout(mask)[::-1]
        assert list(gtm.GraphBatch.concatenate([again, chosen.with_readout(mask), lazy])) == list(
            gtm.GraphBatch.concatenate([again, again.with_readout(mask), packed])
        )


def test_concatenation_with_a_lazy_batch_is_lazy_and_merges_names():
    one = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], symbols=["A", "B"])
    other = gtm.GraphBatch.from_source(Shelf(gtm.GraphBatch.from_arrays([1, 2], [[1], [0], [1]], symbols=["C"])))
    joined = gtm.GraphBatch.concatenate([one, other])
    assert joined.is_lazy
    assert list(joined.vocabulary.symbols) == ["A", "B", "C"]
    assert [graph.properties(0) for graph in joined[[3, 0, 2, 1]]] == [(), ("A",), ("C",), ("B",)]
    assert len(joined[[]].pack().node_counts) == 0


def test_only_what_is_read_is_made():
    packed = gtm.GraphBatch.from_arrays([2] * 10)
    shelf = Shelf(packed)
    lazy = gtm.GraphBatch.from_source(shelf)
    subset = lazy[[7, 3]]
    assert shelf.asked == []
    assert subset[1].n_nodes == 2
    assert shelf.asked == [[3]]
    shelf.asked.clear()
    list(lazy.chunks(max_nodes=8))
    assert shelf.asked == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


@pytest.mark.parametrize("size", [None, 256])
def test_a_fit_makes_each_graph_once(size):
    """Hashed codes want to know how often symbols occur, which is counted on the way."""
    packed, y = gtm.datasets.sequences(40, random_state=0)
    shelf = Shelf(packed)
    clf = gtm.GraphTMClassifier(n_clauses=4, T=8, s=3.0, epochs=3, hypervector_size=size, random_state=0)
    lazy = clf.fit(gtm.GraphBatch.from_source(shelf), y)
    assert sorted(number for asked in shelf.asked for number in asked) == list(range(40))
    assert lazy.state_.equals(clone(clf).fit(packed, y).state_)


def test_too_small_codes_are_still_warned_of():
    packed, y = gtm.datasets.sequences(40, random_state=0)
    lazy = gtm.GraphBatch.from_source(Shelf(packed))
    for graphs in (packed, lazy):
        with pytest.warns(gtm.CodeCollisionWarning, match="Hypervectors are too small"):
            gtm.GraphTMClassifier(n_clauses=4, T=8, epochs=1, hypervector_size=4, random_state=0).fit(graphs, y)


def test_names_are_matched_chunk_by_chunk():
    known = gtm.Vocabulary(["B", "A"])
    shelf = Shelf(gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], symbols=["A", "B"]))
    moved = gtm.GraphBatch.from_source(shelf).with_vocabulary(known)
    assert shelf.asked == []
    assert moved.vocabulary == known
    assert moved[0].properties(0) == ("A",)
    with pytest.raises(gtm.UnknownSymbolError, match="'B'"):
        list(gtm.GraphBatch.from_source(shelf).with_vocabulary(gtm.Vocabulary(["A"])))
    ignoring = gtm.GraphBatch.from_source(shelf).with_vocabulary(gtm.Vocabulary(["A"]), unknown="ignore")
    assert ignoring[1].properties(0) == ()


def test_a_source_must_keep_its_word():
    shelf = Shelf(gtm.GraphBatch.from_arrays([2, 3]))
    shelf.node_counts = np.array([2, 2])
    with pytest.raises(
        gtm.GraphError, match="'Shelf' must return graphs with the announced vocabulary and node counts"
    ):
        list(gtm.GraphBatch.from_source(shelf))


@pytest.mark.parametrize("counts", [[1, 0], [1, -3], [2**62] * 4, [1.5]])
def test_announced_counts_are_checked(counts):
    shelf = Shelf(gtm.GraphBatch.from_arrays([2, 3]))
    shelf.node_counts = counts
    with pytest.raises(gtm.GraphError, match=r"at least one node|not be negative|at most 2\^31|integers"):
        gtm.GraphBatch.from_source(shelf)


def test_a_source_must_make_packed_graphs():
    shelf = Shelf(gtm.GraphBatch.from_arrays([2, 3]))
    shelf.make = lambda graphs: None
    with pytest.raises(TypeError, match=r"'Shelf' must return PackedGraphs .* got a 'NoneType'"):
        gtm.GraphBatch.from_source(shelf)[0]


def test_lazy_untyped_graphs_do_not_take_a_typed_vocabulary():
    shelf = Shelf(gtm.GraphBatch.from_arrays([2, 3]))
    with pytest.raises(gtm.GraphError, match="Nodes must have types"):
        gtm.GraphBatch.from_source(shelf).with_vocabulary(gtm.Vocabulary(node_types=["x"]))


def test_repr_says_lazy(tmp_path):
    packed = gtm.GraphBatch.from_arrays([2, 3])
    lazy = gtm.GraphBatch.from_source(Shelf(packed))
    assert repr(lazy) == "GraphBatch(2 graphs, 5 nodes, 0 symbols, 0 edge types, lazy)"
    assert "memory" not in str(lazy)
    lazy.save(tmp_path / "lazy.gtmg")
    assert gtm.load_graphs(tmp_path / "lazy.gtmg") == packed


def test_readout_by_name_asks_the_graphs():
    graph = gtm.Graph()
    graph.add_node("a")
    graph.add_node("b")
    _, lazy = both([graph])
    assert lazy.with_readout([["b"]])[0].readout == ("b",)


@given(graph_lists())
def test_a_lazy_batch_is_encoded_chunk_by_chunk(graphs):
    packed, lazy = both(graphs)
    code = codes.one_hot(len(packed.vocabulary.symbols))
    whole, parts = codes.encode(packed, code), [codes.encode(lazy[[place]], code) for place in range(len(lazy))]
    for encoded in (
        codes.encode(lazy, code),
        joined(iter(parts), whole.n_nodes) if parts else codes.encode(lazy, code),
    ):
        assert np.array_equal(encoded.bits, whole.bits)
        assert np.array_equal(encoded.node_ptr, whole.node_ptr)
        assert encoded.in_edges.equals(whole.in_edges)
        assert encoded.out_edges.equals(whole.out_edges)
        assert (encoded.node_types is None) == (whole.node_types is None)
        assert whole.node_types is None or np.array_equal(encoded.node_types, whole.node_types)
        read = [np.ones(whole.n_nodes, bool) if one.readout is None else one.readout for one in (encoded, whole)]
        assert np.array_equal(*read)
