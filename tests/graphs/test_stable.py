"""What must not depend on the process, on the order of a set, or on what was read before."""

import copy
import os
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
from hypothesis import given
from strategies import batches, graph_lists

import graphtm as gtm
from graphtm.foundation.names import in_order
from graphtm.graphs.build import packed_graph

SETS = """
import graphtm as gtm
import networkx as nx
import pandas as pd

words = {"red", "round", "heavy", "old", ("size", 3), ("size", "x"), 7, 12, True, None}
graph = gtm.Graph()
graph.add_node("n", properties=words)
graph.add_node("m", properties={word: 0 for word in words}.keys())
graph.add_node("o", properties={"kinds": frozenset(words)})
print(list(gtm.GraphBatch.from_graphs([graph]).vocabulary.symbols))
print(gtm.Vocabulary({"a", "b", "c"}, {"up", "down", "left"}, {"x", "y", "z"}))

there = nx.Graph()
there.add_node("n", a={"x", "y", "z"}, b="x", c="y", d="z")
print(list(gtm.from_networkx(there, node_attributes={"a", "b", "c", "d"}).vocabulary.symbols))

nodes = pd.DataFrame({"graph": [0], "node": [0], "a": ["x"], "b": ["y"], "c": ["z"], "d": [{"x", "y", "z"}]})
print(list(gtm.from_pandas(nodes, symbols={"a", "b", "c", "d"}).vocabulary.symbols))

batch = gtm.GraphBatch.from_graphs([graph])
print([example.readout for example in batch.node_examples(1, [{"n", "m", "o"}])])
"""


def test_the_order_of_sets_does_not_matter():
    pytest.importorskip("networkx", reason="networkx is not installed")
    pytest.importorskip("pandas", reason="pandas is not installed")
    printed = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-c", SETS]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        printed.add(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)
    assert len(printed) == 1
    assert "'heavy'" in printed.pop()


def test_sets_within_names_and_numbers_of_numpy_are_ordered_by_value():
    assert in_order({("x", frozenset("abc")), ("x", frozenset("abd"))})[0] == ("x", frozenset("abc"))
    assert in_order({np.int64(3), 2, np.str_("b"), "a"}) == [2, 3, "a", "b"]


def used(batch):
    """Read a batch in every way that could leave something behind."""
    repr(batch), str(batch), batch._repr_html_(), batch.validate(), batch.shape, batch.node_counts
    list(batch), list(batch.chunks(1)), batch[:1], batch.vocabulary.symbols.kind, batch == batch
    [str(graph) for graph in batch]


@given(batches())
def test_reading_changes_neither_pickles_nor_hashes(made):
    _, batch = made
    before = pickle.dumps(batch), joblib.hash(batch)
    used(batch)
    assert (pickle.dumps(batch), joblib.hash(batch)) == before
    assert pickle.loads(pickle.dumps(batch)) == batch


def test_reading_a_lazy_batch_changes_neither_its_pickle_nor_its_hash():
    batch = gtm.GraphBatch.from_arrays([3, 2], np.eye(5), list("abcde"), edges=([0, 1], [1, 2]))
    examples = batch.node_examples(2)
    before = pickle.dumps(examples), joblib.hash(examples)
    used(examples)
    assert (pickle.dumps(examples), joblib.hash(examples)) == before
    assert pickle.loads(before[0]) == examples


@given(graph_lists(min_size=1))
def test_a_graph_from_a_batch_is_packed_as_it_was(graphs):
    batch = gtm.GraphBatch.from_graphs(graphs)
    for number in range(len(batch)):
        graph = batch[number]
        again = gtm.GraphBatch(packed_graph(graph))
        again.validate()
        assert again == batch[number : number + 1]
        alone = gtm.GraphBatch.from_graphs([graph])
        assert alone.with_vocabulary(batch.vocabulary) == again
        # What is built anew has its own names only.
        assert set(map(repr, alone.vocabulary.symbols)) == {
            repr(name) for node in graph for name in graph.properties(node)
        }


@pytest.mark.parametrize(
    "change",
    [
        lambda graph: graph.add_node("new"),
        lambda graph: graph.add_edge(0, 1),
        lambda graph: graph.set_readout([1]),
        lambda graph: graph.set_readout(None),
    ],
)
def test_a_graph_that_is_changed_forgets_how_it_was_packed(change):
    batch = gtm.GraphBatch.from_arrays([2, 1], np.eye(3), ["a", "b", "c"], edges=([0], [1])).with_readout([0, 2])
    graph = batch[0]
    assert packed_graph(graph).vocabulary == batch.vocabulary
    kept = copy.copy(graph)
    change(graph)
    assert gtm.GraphBatch(packed_graph(graph)) == gtm.GraphBatch.from_graphs([graph])
    assert gtm.GraphBatch(packed_graph(graph))[0] == graph
    assert kept == batch[0]


def test_what_a_graph_remembers_is_no_part_of_its_pickle_or_hash():
    batch = gtm.GraphBatch.from_arrays([2], np.eye(2), ["a", "b"], edges=([0], [1]))
    alone = gtm.Graph()
    alone.add_node(0, ["a"])
    alone.add_node(1, ["b"])
    alone.add_edge(0, 1)
    assert joblib.hash(batch[0]) == joblib.hash(alone)
    assert pickle.loads(pickle.dumps(batch[0]))._packed is None


def test_a_graph_keeps_no_other_graphs_in_memory():
    batch = gtm.GraphBatch.from_arrays([1] * 1000, np.ones((1000, 1)), edges=(range(1000), range(1000)))
    packed = packed_graph(batch[3])
    for array in (packed.properties.bits, packed.out_edges.neighbours, packed.in_edges.types):
        owner = array
        while owner.base is not None:
            owner = owner.base
        assert owner.nbytes < 100
