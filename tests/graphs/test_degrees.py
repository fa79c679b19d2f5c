"""Symbols for the number of neighbours."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import batches

import graphtm as gtm


@given(batches(min_size=0), st.integers(1, 4))
def test_degrees_are_those_counted_one_by_one(case, largest):
    graphs, batch = case
    degrees = [("degree", ">=", number) for number in range(1, largest + 1)]
    made = batch.with_degrees(largest)
    made.validate()
    assert list(made.vocabulary.symbols) == [*batch.vocabulary.symbols, *degrees]
    for graph, with_symbols, before in zip(graphs, made, batch, strict=True):
        names = list(graph.nodes)
        for place, name in enumerate(names):
            ends = [(names.index(edge.source), names.index(edge.destination)) for edge in graph.edges]
            found = {other for pair in ends if place in pair for other in pair} - {place}
            assert with_symbols.properties(name) == (*before.properties(name), *degrees[: len(found)])
        assert with_symbols.edges == before.edges
        assert with_symbols.readout == before.readout


def test_lazy_batches_and_what_is_refused():
    lazy = gtm.encoders.KMers(1).fit_transform(["ACG"])
    assert [len(lazy.with_degrees()[0].properties(node)) for node in range(3)] == [2, 3, 2]
    with pytest.raises(
        gtm.GraphError, match=r"must not have symbols for degrees yet; it already has some, such as degree>=1. Use it"
    ):
        lazy.with_degrees().with_degrees(2)
    for wrong in (0, 2.5, True):
        with pytest.raises(ValueError, match="'largest' parameter of with_degrees must be an int in the range"):
            lazy.with_degrees(wrong)
