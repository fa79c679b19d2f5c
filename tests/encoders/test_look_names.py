"""Names of looks: readable, and different for different looks, whatever the names of symbols and types are."""

from itertools import chain, combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.encoders import Neighbourhoods
from graphtm.encoders.look_names import LookNames, name_text
from graphtm.encoders.row_tables import Rows
from graphtm.foundation.arrays import pointers
from graphtm.foundation.names import name_key

DELIMITERS = r"a!=<>-+,:|&*#~'()[]{}\ "
WORDS = ["a in any", "a is missing", "a < 1", "a ", " 1", " in any", "a>=1", "a>=1!", "[a=1]", "-[1]:a", "a!", "in any"]
STATEMENTS = ["in", "is", "any", "missing", "[0, 1)", "[0,1)", "< 1", ">= 1", ">=", "<", "!=", "1", "", "True"]
ATOMS = ["a", "!", "=", "b!", "!b", " ", "a ", " 1", "1!", *STATEMENTS, "-1.5", "-1", 1, -1, 0, True, None, ()]


def distinct(names):
    return list({name_key(name): name for name in names}.values())


def batch(nodes, edges=()):
    """Return one graph twice, given the symbols of nodes and ``(source, destination, type)``."""
    graph = gtm.Graph()
    for number, symbols in enumerate(nodes):
        graph.add_node(number, properties=symbols)
    for source, destination, kind in edges:
        graph.add_edge(source, destination, type=kind)
    return gtm.GraphBatch.from_graphs([graph, graph])


def own_names(symbols, chosen):
    """Return the names of nodes that carry the chosen symbols, given as lists of numbers."""
    ptr = pointers(np.array([len(numbers) for numbers in chosen]))
    rows = Rows(ptr, np.array([number for numbers in chosen for number in sorted(numbers)], dtype=np.int64))
    return LookNames.of(gtm.Vocabulary(symbols)).own(rows)


@pytest.mark.parametrize("step", [190, pytest.param(97, marks=pytest.mark.slow)])
def test_no_two_names_have_the_same_text(step):
    strings = ["".join(characters) for n in range(3) for characters in product(DELIMITERS, repeat=n)]
    pairs = list(product([*strings, *WORDS, *ATOMS], ["a", "=a", "!", 1]))
    small = [*product(ATOMS, repeat=3), *product(ATOMS, repeat=2), *((atom,) for atom in ATOMS)]
    nested = [
        *product(small[::step], ATOMS),
        *product(ATOMS, small[:: step - 8]),
        *product(small[:: step + 4], small[::step]),
    ]
    nested += [(name, "in", text) for name in small[::31] for text in STATEMENTS] + [(name,) for name in small]
    names = distinct([*strings, *WORDS, *ATOMS, *pairs, *small, *nested])
    # Texts as names again: an attacker would take these.
    names = distinct([*names, *map(name_text, small), *((name_text(name), "in", "any") for name in small)])
    assert len(names) > 20_000
    assert len(set(map(name_text, names))) == len(names)


def test_no_two_sets_of_symbols_have_the_same_text():
    hostile = ["a", "x>=1", "x>=1!", "[x>=1!]", "x>=2", "a,b", "b", ("x", ">=", "1!"), ("x>=1", ">=", 2), ("x", ">=")]
    hostile += [("x", ">=", 1), ("x", ">=", "1.5"), ("x", ">=", 10), (True, ">=", 1), (1, ">=", 1), (1, ">=", 2)]
    hostile += [("x", ">=", "1.5!"), ("x", "is", "missing"), ("x", "!=", 1), "x is missing"]
    chosen = list(chain.from_iterable(combinations(range(len(hostile)), n) for n in range(5)))
    assert len(set(own_names(hostile, chosen))) == len(chosen)


def test_no_two_neighbours_have_the_same_text():
    types = distinct(["plain", "single", "double", *WORDS, *ATOMS, *((atom,) for atom in ATOMS), ("w", "in", "[0, 1)")])
    symbols = distinct([*WORDS, *ATOMS, ("a", ">=", 1), ("a", "in", "[0, 1)"), "1:a", ":a", ">a", "-a"])
    texts = LookNames.of(gtm.Vocabulary(symbols, types))
    kinds = [relation + symbol for relation in texts.relations for symbol in texts.symbols]
    assert len(set(kinds)) == len(kinds)


hostile_names = st.recursive(
    st.one_of(st.text(DELIMITERS, max_size=3), st.sampled_from([*WORDS, *ATOMS])),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=4,
)


@settings(max_examples=100)
@given(
    st.lists(st.lists(hostile_names, max_size=3, unique_by=name_key), min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), hostile_names), max_size=6),
)
def test_graphs_with_hostile_names_have_looks(nodes, edges):
    edges = [(one % len(nodes), other % len(nodes), kind) for one, other, kind in edges]
    graphs = batch(nodes, edges)
    made = Neighbourhoods(1, ["counts", "pairs", "degrees", "paths"]).fit_transform(graphs)
    made.validate()
    assert [made[0].properties(n)[: len(own)] for n, own in enumerate(nodes)] == [
        graphs[0].properties(n) for n in range(len(nodes))
    ]


def test_names_that_were_once_the_same():
    """With these two symbols, fit failed, since names of symbols must be unique."""
    assert name_text(("a!", "b")) == r"[a\!=b]"
    assert name_text(("a", "!=", "b")) == "[a!=b]"
    graphs = batch([[("a!", "b"), "c"], [("a", "!=", "b"), "c"]])
    assert {r"{a\!=b,c}", "{a!=b,c}"} <= set(Neighbourhoods().fit(graphs).vocabulary_.symbols)


def test_delimiters_are_escaped():
    assert name_text("C-C") == r"C\-C"
    assert [name_text(name) for name in (" a b ", "a  ", " ")] == [r"\ a b\ ", r"a \ ", r"\ "]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (("w", "in", "[0.50949588, 0.7685)"), "[w in [0.50949588, 0.7685)]"),
        (("edge attribute 0", "in", "< 1e-05"), "[edge attribute 0 < 1e-05]"),
        (("w", "in", ">= 0.77"), "[w >= 0.77]"),
        (("w", "in", "any"), "[w in any]"),
        (("w", ">=", "-1.5"), "[w>=-1.5]"),
        (("w", "1e-05"), "[w=1e-05]"),
        (("w", ">=", "-1"), r"[w>=\-1]"),
        (("w", "is", "missing"), "[w is missing]"),
        ((("bond", "single"), ("w", "in", "[0, 1)")), "[[bond=single],[w in [0, 1)]]"),
        (("w", "in", "[a,b)"), r"[w,in,\[a\,b\)]"),
        (("w", "is", "red"), "[w,is,red]"),
        ((1,), "[1,]"),
        ((), "[]"),
    ],
)
def test_tuples_are_readable(name, text):
    assert name_text(name) == text


def test_bins_of_edges_are_printed_as_elsewhere():
    g = gtm.Graph()
    for node, kind in ((0, "[0.5, 0.77)"), (1, "< 0.5"), (2, ">= 0.77")):
        g.add_node(node)
        g.add_node(node + 10)
        g.add_edge(node, node + 10, type=("w", "in", kind))
    carried = Neighbourhoods(1, False).fit_transform([g, g])[0]
    assert [carried.properties(node)[1] for node in range(3)] == [
        "deg1(->[w in [0.5, 0.77)]:deg1)",
        "deg1(->[w < 0.5]:deg1)",
        "deg1(->[w >= 0.77]:deg1)",
    ]


def test_edge_types_that_are_not_strings_are_in_brackets():
    g = gtm.Graph()
    for node, kind in enumerate([1, -1, True, None, "1", "a", (1,)], 1):
        g.add_node(0 if node == 1 else 10 * node, properties=[2])
        g.add_node(node, properties=[2])
        g.add_edge(0 if node == 1 else 10 * node, node, type=kind)
    names = Neighbourhoods(1, ["counts"]).fit([g, g]).vocabulary_.symbols
    for edge in ("[1]", "[-1]", "[True]", "[None]", "'1'", "a", "[1,]"):
        assert {f"2(->{edge}:2)", f"2: ->{edge}:2>=1"} <= set(names)


def test_of_the_cuts_of_an_attribute_only_the_highest_is_written():
    star = gtm.GraphBatch.from_arrays([4, 4], edges=([0, 0, 0, 4, 4, 4], [1, 2, 3, 5, 6, 7])).with_degrees(3)
    carried = Neighbourhoods(1, ["degrees"]).fit_transform(star)[0]
    assert carried.properties(0)[3:] == (
        "[degree>=3]",
        "[degree>=3](->[degree>=1]*3)",
        "[degree>=3]: ->[degree>=1] of degree 1",
    )
    assert carried.properties(1)[1:] == ("[degree>=1](<-[degree>=3])", "[degree>=1]: <-[degree>=3] of degree 3")


def test_cuts_are_compared_as_numbers():
    cuts = [("x", ">=", cut) for cut in (10, "2.5", -1, "1e1000", "no", True)]
    low, middle, high = ("x", ">=", -1), ("x", ">=", "2.5"), ("x", ">=", 10)
    sets = {
        (low,): "[x>=-1]",
        (low, middle): "[x>=2.5]",
        (low, middle, high): "[x>=10]",
        (high,): "[x>=10!]",
        (low, high): "{x>=-1!,x>=10!}",
        (middle, high): "{x>=10!,x>=2.5!}",
        (low, middle, "C"): "{C,x>=2.5}",
        (middle, "C"): "{C,x>=2.5!}",
        (("x", ">=", "no"),): "[x>=no]",
        (("x", ">=", "1e1000"), ("x", ">=", True)): "{x>=1e1000,x>=True}",
        (): "{}",
    }
    symbols = [*cuts, "C"]
    chosen = [[symbols.index(symbol) for symbol in one] for one in sets]
    assert own_names(symbols, chosen) == list(sets.values())


def test_a_name_does_not_depend_on_the_order_of_symbols():
    """Cuts that are the same number are in the order of their texts."""
    symbols = [("x", ">=", cut) for cut in ("0.5", "0.50", 3, "3", "3.0")]
    chosen = [list(one) for n in range(6) for one in combinations(range(5), n)]
    expected = own_names(symbols, chosen)
    assert len(set(expected)) == len(chosen)
    assert own_names(symbols[::-1], [[4 - number for number in one] for one in chosen]) == expected
