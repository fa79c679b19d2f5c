"""How explanations are printed: folded lines, and names of nodes and edges."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.explain import Explanation, Literal
from graphtm.explain.explanation_text import WIDTH, edge_text, folded, node_texts
from graphtm.explain.relevance import n_shown
from graphtm.graphs import Edge

ITEMS = ["a +1.00", "NOT 'C: -O & =O'>=1", "(1, 2)", "[+1, -2]", "1 (C) -single- 2 (O) -3.50", '"it\'s, so"', "x AND"]


@given(st.lists(st.sampled_from(ITEMS), min_size=1, max_size=40), st.sampled_from(["", "  ", "Nodes: "]))
def test_lines_are_short_and_say_the_same(items, start):
    text = folded(start + ", ".join(items))
    first, *others = text.split("\n")
    assert "".join(text.split()) == "".join((start + ", ".join(items)).split())
    assert max(map(len, text.split("\n"))) <= WIDTH
    assert first.startswith(start)
    assert all(line.startswith("    ") for line in others)
    assert all(text.count(item) == (start + ", ".join(items)).count(item) for item in ITEMS)


def test_short_lines_stay_and_long_names_are_broken_after_commas():
    assert folded("x" * WIDTH) == "x" * WIDTH
    assert folded(f"Nodes: {'ab' * WIDTH}, 1, 2").split("\n") == ["Nodes:", f"    {'ab' * WIDTH},", "    1, 2"]
    first, *others = folded(f"Nodes: {'a b, ' * 40!r}, 1, 2").split("\n")
    assert first == "Nodes:"
    assert all(line.startswith("    ") and len(line) <= WIDTH for line in others)
    assert "".join("".join(others).split()) == "'" + "ab," * 40 + "',1,2"


@pytest.mark.parametrize(
    ("symbols", "text"),
    [
        (["bites"], "0 (bites)"),
        (["bites", ("dog", "bites"), ("position", 3)], "0 (bites)"),
        ([("element", "C"), ("hydrogens", 3)], "0 (C)"),
        (["a, b"], "0 ('a, b')"),
        (["a", "b"], "0"),
        ([("colour", "red"), ("size", "big")], "0"),
        ([("label", 2)], "0"),
        ([3], "0"),
        ([], "0"),
    ],
)
def test_numbers_of_nodes_come_with_what_they_are(symbols, text):
    graph = gtm.Graph()
    graph.add_node(0, symbols)
    graph.add_node("name", symbols)
    assert node_texts(gtm.GraphBatch.from_graphs([graph]).pack()) == [text, "'name'"]
    alone = gtm.Graph()
    alone.add_node(0, symbols)
    assert node_texts(gtm.GraphBatch.from_graphs([alone]).pack()) == ["0"]


def test_types_that_are_no_words_are_in_brackets():
    texts = [
        edge_text(Edge(5, 6, kind), str, both=both) for kind in ("single", 1, ("bond", 1)) for both in (True, False)
    ]
    assert texts == ["5 -single- 6", "5 -single-> 6", "5 -[1]- 6", "5 -[1]-> 6", "5 -[bond=1]- 6", "5 -[bond=1]-> 6"]


def test_number_of_printed_literals():
    def literals(n, name):
        return [Literal(0, False, (f"{name}{number}",)) for number in range(n)]

    assert [n_shown(literals(n, "a")) for n in (0, 1, 8, 9, 100)] == [0, 1, 8, 8, 8]
    assert n_shown(literals(9, "a" * 60)) == 4
    assert n_shown(literals(9, "a" * 400)) == 3


def test_clauses_that_do_not_vote_are_counted_but_not_listed():
    graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    clf = gtm.GraphTMClassifier(n_clauses=12, T=5, s=3.0, depth=1, epochs=10, random_state=3)
    model = clf.fit(graphs, ["summer", "winter"] * 20).model_
    fired = [one.clause for one in clf.explain(graphs[0]).fired]

    def explained(voting, against=()):
        weights = np.where(np.isin(np.arange(12), voting), np.int32([[3], [-2]]), np.int32(0))
        weights[:, list(against)] *= -1
        state = dataclasses.replace(model.state, weights=weights)
        return Explanation(dataclasses.replace(model, state=state), graphs[:1], clf.classes_)

    assert len(fired) > 2
    for voting, end in [
        ([], ", none of which votes"),
        (fired[:1], ", 1 of which votes; those that vote most for or against summer:"),
        (fired[:2], ", 2 of which vote; those that vote most for or against summer:"),
        (fired, "; those that vote most for or against summer:"),
    ]:
        found = explained(voting)
        text = f"{len(fired)} of 12 clauses are true{end}"
        assert text in found.to_text(width=None).splitlines()
        assert text in found.to_markdown().splitlines()
        assert f"<p>{text}</p>" in found._repr_html_()
        assert sorted(one.clause for one in found.fired) == sorted(fired)
        assert found.n_rules == len(found.rules()) <= len(voting)
        assert bool(found.rules()) == bool(voting)
        assert not any(line.strip().startswith("C") and "[0, 0]" in line for line in str(found).splitlines())

    equal = next(members for members in explained(fired)._groups if len(members) > 1)[:2]
    cancelled = explained(equal, equal[1:])
    assert not cancelled.rules()
    assert cancelled.to_text(width=None).endswith(f"{len(fired)} of 12 clauses are true, none of which votes")
