from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import names

import graphtm as gtm
from graphtm.graphs.names import Names, name_from_json, name_key, name_to_json, normalize_name


def test_names_of_different_types_are_different_names():
    vocabulary = gtm.Vocabulary([1, True, "1", 1.0, None, (1,), (True,)])
    assert [vocabulary.symbols.index(name) for name in (1, True, "1", 1.0, None, (1,), (True,))] == list(range(7))


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
    with pytest.raises(gtm.GraphError, match="Every edge type must be named once; got 'up' twice"):
        gtm.Vocabulary(edge_types=["up", "down", "up"])


def test_a_string_is_no_list_of_names():
    with pytest.raises(TypeError, match=r"got the string 'AB'; write \['AB'\]"):
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
    with pytest.raises(gtm.GraphError, match="must not be named None"):
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
