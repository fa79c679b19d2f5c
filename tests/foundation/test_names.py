from datetime import date
from decimal import Decimal
from enum import Enum, IntEnum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import names

import graphtm as gtm
from graphtm.foundation.names import name_from_json, name_key, name_to_json, normalize_name
from graphtm.foundation.numbering import Names


def test_names_of_different_types_are_different_names():
    vocabulary = gtm.Vocabulary([1, True, "1", None, (1,), (True,)])
    assert [vocabulary.symbols.index(name) for name in (1, True, "1", None, (1,), (True,))] == list(range(6))
    assert 1.0 not in vocabulary.symbols


def test_numpy_scalars_are_plain_names():
    vocabulary = gtm.Vocabulary([3, True, "x"])
    found = [vocabulary.symbols.index(name) for name in (np.int16(3), np.True_, np.str_("x"))]
    assert found == [0, 1, 2]
    assert type(normalize_name(np.int64(3))) is int
    assert type(normalize_name(np.str_("x"))) is str


@given(names)
def test_json_keeps_name_and_type(name):
    again = name_from_json(name_to_json(name))
    assert name_key(again) == name_key(name)
    assert repr(again) == repr(name)


@pytest.mark.parametrize("name", [1.5, b"x", frozenset("a"), ("a", 1.5)])
def test_names_that_a_file_cannot_hold_are_refused(name):
    with pytest.raises(gtm.GraphError, match=r"str, int, bool, None or tuples of these.*Rename it before saving"):
        name_to_json(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (float("nan"), "must not be NaN"),
        (np.float32("nan"), "must not be NaN"),
        (Decimal("nan"), "must not be NaN"),
        (complex("nan"), "must not be NaN"),
        (np.datetime64("2026-01-01"), "must not be a NumPy date"),
        (np.datetime64("NaT", "D"), "must not be a NumPy date"),
        (np.zeros(2), "got an array"),
        (["a"], "must be hashable"),
        ({}, "dict"),
    ],
)
def test_impossible_names_are_refused(name, message):
    with pytest.raises(gtm.GraphError, match=message):
        gtm.Vocabulary([name])
    with pytest.raises(gtm.GraphError, match=message):
        gtm.Graph().add_node("n", properties=[name])


def test_a_name_given_twice_is_refused():
    with pytest.raises(gtm.GraphError, match="Names of edge types must be unique; got 'up' twice"):
        gtm.Vocabulary(edge_types=["up", "down", "up"])


def test_a_string_is_no_list_of_names():
    with pytest.raises(TypeError, match=r"got the string 'AB'. Write \['AB'\]"):
        gtm.Vocabulary("AB")
    with pytest.raises(TypeError, match="list of names"):
        gtm.Vocabulary(b"AB")


def test_unknown_names_are_reported_with_what_is_near():
    vocabulary = gtm.Vocabulary([f"word{number}" for number in range(20)])
    with pytest.raises(gtm.UnknownSymbolError, match=r"Unknown symbol 'wrod7'.*20 symbols.*\(15 more\).*Did you mean"):
        vocabulary.symbols.index("wrod7")
    with pytest.raises(gtm.UnknownSymbolError, match="which has no node types"):
        vocabulary.node_types.index("x")


def test_vocabulary_does_not_change():
    vocabulary = gtm.Vocabulary(["A"])
    with pytest.raises(AttributeError):
        vocabulary.symbols = Names(["B"])
    with pytest.raises(TypeError):
        vocabulary.symbols[0] = "B"
    with pytest.raises(AttributeError):
        vocabulary.symbols.kind = "edge type"


def test_no_node_type_is_named_none():
    with pytest.raises(gtm.GraphError, match="must not be None"):
        gtm.Vocabulary(node_types=[None])


@given(st.lists(names, unique_by=repr), st.lists(names, unique_by=repr))
def test_union_keeps_the_numbers_of_the_first(one, other):
    first, second = gtm.Vocabulary(one), gtm.Vocabulary(other)
    union = first.union(second)
    assert union.symbols[: len(one)] == tuple(one)
    assert {repr(name) for name in union.symbols} == {repr(name) for name in [*one, *other]}
    assert first.symbols.numbers_in(union.symbols).tolist() == list(range(len(one)))
    assert all(number >= 0 for number in second.symbols.numbers_in(union.symbols))


def test_equal_vocabularies_hash_alike():
    assert gtm.Vocabulary(["A"]) == gtm.Vocabulary(["A"])
    assert hash(gtm.Vocabulary(["A"])) == hash(gtm.Vocabulary(["A"]))
    assert gtm.Vocabulary([1]) != gtm.Vocabulary([True])


class Color(str, Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


def test_texts_and_numbers_of_other_classes_are_plain_names():
    graph = gtm.Graph()
    graph.add_node("n", [Color.RED, Level.HIGH, ("x", Color.RED)], type=Color.RED)
    assert [type(name) for name in graph.properties("n")] == [str, int, tuple]
    assert graph.properties("n") == ("red", 3, ("x", "red"))
    assert type(graph.properties("n")[2][1]) is str
    assert type(graph.node_type("n")) is str


UNSAVABLE = [0.5, b"x", frozenset("a"), date(2026, 1, 1), Decimal(1), 1j, ("a", 0.5), (("a", b"x"),), object()]


@pytest.mark.parametrize("name", UNSAVABLE)
def test_names_that_cannot_be_saved_are_refused_when_graphs_are_built(name):
    graph = gtm.Graph()
    graph.add_node("n")
    message = "Names of {} must be str, int, bool, None or tuples of these; got "
    for build, kind in (
        (lambda: graph.add_node("m", [name]), "symbols"),
        (lambda: graph.add_node("m", {name}), "symbols"),
        (lambda: graph.add_node("m", type=name), "node types"),
        (lambda: graph.add_edge("n", "n", type=name), "edge types"),
        (lambda: gtm.Vocabulary([name]), "symbols"),
        (lambda: gtm.Vocabulary(edge_types=[name]), "edge types"),
        (lambda: gtm.Vocabulary(node_types=[name]), "node types"),
        (lambda: gtm.GraphBatch.from_arrays([1], [[1]], [name]), "symbols"),
        (lambda: gtm.GraphBatch.from_arrays([1], edges=([0], [0]), edge_types=[name]), "edge types"),
        (lambda: gtm.GraphBatch.from_arrays([1], node_types=[name]), "node types"),
        (lambda: gtm.GraphBatch.from_arrays([1], node_types=([0], [name])), "node types"),
        (lambda: gtm.from_adjacency([{name: np.eye(2)}]), "edge types"),
    ):
        with pytest.raises(gtm.GraphError, match=message.format(kind)):
            build()
    assert (graph.n_nodes, graph.n_edges) == (1, 0)


def test_advice_for_numbers_with_a_fraction():
    with pytest.raises(
        gtm.GraphError, match=r"got 0.5 of type 'float'. Divide numbers into bins, or convert it to a string"
    ):
        gtm.Vocabulary([("age", ">=", 0.5)])


def test_nodes_may_be_named_anything():
    graph = gtm.Graph()
    for name in (0.5, b"x", frozenset("a"), date(2026, 1, 1)):
        graph.add_node(name)
    assert gtm.GraphBatch.from_graphs([graph])[0].nodes == graph.nodes


def test_names_are_not_nested_without_end():
    name = ()
    for _ in range(99):
        name = (name,)
    gtm.Vocabulary([name])
    assert name_from_json(name_to_json(name)) == name
    for _ in range(5000):
        name = (name,)
    with pytest.raises(gtm.GraphError, match="must be nested at most 100 deep"):
        gtm.Vocabulary([name])
    with pytest.raises(gtm.GraphError, match="must be nested at most 100 deep"):
        gtm.Graph().add_node(name)


def test_a_set_is_sorted_and_a_mapping_is_no_list():
    assert list(gtm.Vocabulary({"b", "a", 1, ("x", 2)}).symbols) == [1, "a", "b", ("x", 2)]
    assert list(gtm.Vocabulary({"b": 1, "a": 2}.keys()).symbols) == ["b", "a"]
    with pytest.raises(TypeError, match="The symbols must be a list of names; got a 'dict'"):
        gtm.Vocabulary({"a": 0, "b": 1})
    with pytest.raises(TypeError, match="The node types must be a list of names; got an 'int'"):
        gtm.Vocabulary(node_types=3)


@pytest.mark.parametrize("parameter", ["symbols", "edge_types", "node_types"])
def test_names_that_belong_to_columns_are_no_set(parameter):
    arrays = dict(node_counts=[2], properties=np.eye(2), edges=([0, 1], [1, 0], [0, 1]))
    with pytest.raises(
        TypeError, match=f"'{parameter}' parameter of from_arrays must be a list, .* Got a 'set' instead"
    ):
        gtm.GraphBatch.from_arrays(**arrays, **{parameter: {"a", "b"}})
    if parameter == "node_types":
        with pytest.raises(TypeError, match=r"'node_types' parameter of from_arrays .* Got a 'set' instead"):
            gtm.GraphBatch.from_arrays(**arrays, node_types=([0, 1], {"a", "b"}))


def test_the_keys_of_a_dict_have_an_order():
    names = {"z": 1, "a": 2, "m": 3}
    batch = gtm.GraphBatch.from_arrays([3], np.eye(3, dtype=bool), names.keys())
    assert list(batch.vocabulary.symbols) == ["z", "a", "m"]
    graph = gtm.Graph()
    graph.add_node(0, properties=names.keys())
    assert graph.properties(0) == ("z", "a", "m")
    graph.add_node(1, properties=set(names))
    assert graph.properties(1) == ("a", "m", "z")


def test_missing_values_and_huge_integers_are_no_names():
    pandas = pytest.importorskip("pandas")
    graph = gtm.Graph()
    for value in (pandas.NA, pandas.NaT, float("nan")):
        with pytest.raises(gtm.GraphError, match="must not be NaN or missing"):
            graph.add_node(0, properties=[value])
    with pytest.raises(gtm.GraphError, match="at most 4,096 bits"):
        graph.add_node(0, properties=[10**5000])
    with pytest.raises(TypeError, match=r"got a 'pandas.Series'. Use to_dict\(\) for named values, to_list\(\) for"):
        graph.add_node(0, properties=pandas.Series({"color": "red"}))
    assert graph.n_nodes == 0
