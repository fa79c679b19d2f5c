"""Rules of graded clauses count what the machine counts, and say so."""

import numpy as np
from explained import Naive, differences, graded_machine, graded_models
from hypothesis import given, settings

import graphtm as gtm
from graphtm import codes
from graphtm.explain import Clauses, Literal, Rule, RuleSet, evaluate, rules_of
from graphtm.model import MachineParams, MachineState, Model


def test_a_rule_counts():
    """By hand: C1 has three literals, C0 one."""
    expected = {
        0: ("A   [+1, 0]", "B AND NOT A AND red:C0   [-2, +3]"),
        1: (
            "strength 1 always, and 1 more for each of: A   [+1, 0] x strength",
            "at least 2 of: B, NOT A, red:C0   [-2, +3], and once more for each further one",
        ),
        2: (
            "strength 2 always, and 1 more for each of: A   [+1, 0] x strength",
            "at least 1 of: B, NOT A, red:C0   [-2, +3], and once more for each further one",
        ),
        5: (
            "strength 5 always, and 1 more for each of: A   [+1, 0] x strength",
            "strength 3 always, and 1 more for each of: B, NOT A, red:C0   [-2, +3] x strength",
        ),
    }
    for max_misses, texts in expected.items():
        model, _ = graded_machine(max_misses)
        for simplify in (True, False):
            rules = rules_of(model, ["no", "yes"], simplify=simplify)
            assert [str(rule) for rule in rules] == [f"C{j}: {text}" for j, text in enumerate(texts)]
            assert [rule.max_misses for rule in rules] == [max_misses] * 2
    assert (rules[1].n_needed, rules[1].full_strength) == (0, 6)
    assert rules[1].to_dict()["max_misses"] == 5


def test_rules_in_all_forms():
    model, graphs = graded_machine(1)
    rules = rules_of(model, ["no", "yes"], simplify=True)
    assert str(rules).splitlines() == [
        "2 rules; votes for [no, yes]",
        "C0: strength 1 always, and 1 more for each of: A   [+1, 0] x strength",
        "C1: at least 2 of: B, NOT A, red:C0   [-2, +3], and once more for each further one",
        "Clauses that messages refer to, as far as the layer below:",
        "C0: A",
    ]
    assert rules.to_markdown().splitlines() == [
        "| clause | rule | full strength | votes for no (x strength) | votes for yes (x strength) |",
        "| --- | --- | --- | --- | --- |",
        "| C0 | strength 1 always, and 1 more for each of: A | 2 | 1 | 0 |",
        "| C1 | at least 2 of: B, NOT A, red:C0 | 2 | -2 | 3 |",
        "| C0 (used) | A |  |  |  |",
    ]
    assert rules.to_latex().splitlines()[1:-1] == [
        r"&C_{0} = 1 + A;~[1, 0] \\",
        r"&C_{1} = \max(0, B + \neg A + \mathrm{red}1{:}0 - 1);~[-2, 3] \\",
        r"&C_{0}^{0} = A",
    ]
    assert [str(row) for row in rules.unroll()] == [
        "strength 1 always, and 1 more for each of: A",
        "at least 2 of: B, NOT A, EXISTS red: A",
    ]
    assert str(rules.unroll()[1].chain({"red": -1})) == "at least 2 of: M(B, X_n), M(NOT A, X_n), M(A, X_{n-1})"
    assert rules.truth_table(graphs[0]).rows == (("C0", "2", "2", "1"), ("C1", "0", "0", "2"))
    table = rules.traceability()
    assert table.header[-3:] == table.latex_header[-3:] == ("needed", "full strength", "weights")
    assert [row[-3:] for row in table.rows] == [("0", "2", "[1, 0]"), ("2", "2", "[-2, 3]"), ("", "", "")]
    assert [one["used"] for one in rules.to_dict()] == [False, False, True]
    html = rules._repr_html_()
    assert ">full strength<" in html
    assert ">votes for no (x strength)<" in html
    assert ">at least 2 of: B, NOT A, red:C0<" in rules[1]._repr_html_()
    frame = rules.to_frame()
    assert frame["needed"].tolist() == [0, 2]
    assert frame["full strength"].tolist() == [2, 2]


def test_node_types_are_not_literals():
    model, graphs = graded_machine(1, ("p", "q"))
    rules = rules_of(model, ["no", "yes"], simplify=True)
    assert str(rules[0]).startswith("C0: TYPE p AND strength 1 always, and 1 more for each of: A   [+1, 0] x strength")
    assert str(rules[1]).startswith("C1: TYPE q AND at least 2 of: B, NOT A, red:C0   ")
    assert rules[0].to_latex() == r"C_{0} = \mathrm{type}\,p \wedge (1 + A);~[1, 0]"
    assert str(rules.unroll()[1]) == "TYPE q AND (at least 2 of: B, NOT A, EXISTS red: (TYPE p AND A))"
    assert evaluate(rules.unroll(), graphs).tolist() == [[2, 0], [2, 0], [0, 2]]


def test_long_rules_are_shortened():
    literals = tuple(Literal(0, False, (f"s{number}",)) for number in range(60))
    rule = Rule(3, (literals,), (2,), ("y",), max_misses=20)
    assert repr(rule) == (
        "<Rule C3: at least 40 of: s0, s1, s2, s3, s4, s5, s6, s7, ... (52 more)   "
        "[+2], and once more for each further one>"
    )
    assert str(Rule(3, ((),), (2,), ("y",), max_misses=4)) == "C3: strength 5 always   [+2] x strength"
    assert Rule(3, ((),), (2,), ("y",), max_misses=4).to_latex() == "C_{3} = 5;~[2]"


def test_literals_that_no_node_or_every_node_satisfies():
    """Bits 0 and 1 are A's, 2 and 3 are B's, 4 has no owner: A takes two misses, bit 4 one at every node."""
    code = codes.Code("random", 5, np.array([[0, 1], [2, 3]], dtype=np.int32))
    teams = [[0, 1, 2], [0, 1, 4], [0, 2, 5 + 0], [0, 2, 5 + 4], [4, 4, 0, 5 + 0, 2, 5 + 2]]
    params = MachineParams(n_outputs=1, n_clauses=5, hypervector_size=5, max_misses=2)
    automata = np.full((5, 10), 50, np.uint8)
    for clause, literals in enumerate(teams):
        automata[clause, literals] = 200
    model = Model(gtm.Vocabulary(["A", "B"]), code, params, MachineState((automata,), np.ones((1, 5), np.int32)))
    again = "[+1], and once more for each further one"
    assert [str(rule) for rule in rules_of(model, ["y"])] == [
        f"C0: at least 1 of: A (counts as 2), B   {again}",
        f"C1: at least 1 of: A (counts as 2)   {again}",
        f"C2: at least 1 of: A, B, NOT A   {again}",
        "C3: strength 1 always, and 1 more for each of: A, B   [+1] x strength",
        f"C4: at least 3 of: A, B, NOT A, NOT B   {again}",
    ]
    simple = rules_of(model, ["y"], simplify=True)
    assert [str(rule) for rule in simple] == [
        f"C0: at least 1 of: A (counts as 2), B   {again}",
        f"C1: at least 1 of: A (counts as 2)   {again}",
        "C2: strength 1 always, and 1 more for each of: B   [+1] x strength",
        "C3: strength 1 always, and 1 more for each of: A, B   [+1] x strength",
    ]
    assert str(simple.rule(4)) == "C4: NEVER   [+1]"
    assert simple.rule(4).full_strength == 0
    assert [rule.max_misses for rule in simple] == [2, 1, 1, 2]
    graphs = gtm.GraphBatch.from_arrays([4], [[0, 0], [1, 0], [0, 1], [1, 1]], symbols=["A", "B"])
    assert evaluate(simple.unroll(), graphs).tolist() == [[0, 0, 1, 1], [2, 2, 1, 2], [1, 0, 2, 2], [3, 2, 2, 3]]
    assert differences(model, graphs) == 0


def test_literals_that_mean_the_same_are_written_once():
    """C0 and C1 are both A; C2 wants neither of their messages, and B."""
    params = MachineParams(
        n_outputs=1, n_clauses=3, hypervector_size=2, message_code=codes.one_hot(3), depth=2, max_misses=2
    )
    automata = np.zeros((3, 4), np.uint8), np.zeros((3, 6), np.uint8)
    automata[0][[0, 1, 2], [0, 0, 1]] = automata[1][2, [3, 4]] = 255
    state = MachineState(automata, np.ones((1, 3), np.int32))
    model = Model(gtm.Vocabulary(["A", "B"], ["left"]), codes.one_hot(2), params, state)
    assert str(rules_of(model, ["y"]).rule(2)).startswith("C2: at least 1 of: B, NOT left:C0, NOT left:C1   ")
    rules = rules_of(model, ["y"], simplify=True)
    text = "at least 1 of: B, NOT left:C0 (counts as 2)"
    assert str(rules[1]) == f"C2: {text}   [+1], and once more for each further one"
    assert f"| C2 | {text} | 3 | 1 |" in rules.to_markdown().splitlines()
    assert f">{text}<" in rules[1]._repr_html_()
    assert rules[1].to_latex() == r"C_{2} = B + 2 \cdot \neg \mathrm{left}1{:}0;~[1]"
    assert rules[1:].traceability().rows == (
        ("C2", "B", "NOT left:C0 (counts as 2)", "C2^0(X_n)", "NOT C0^0(X_{n+1})", "1", "3", "[1]"),
    )
    assert r"$2 \cdot \neg \mathrm{left}1{:}0$" in rules[1:].traceability().latex_rows[0]
    assert str(rules[1].unroll()) == "at least 1 of: B, NOT EXISTS left: A (counts as 2)"
    # Where nothing may be missed, it does not matter how often a literal counts.
    twice = Literal(0, False, ("A",))
    rule = Rule(3, ((twice, twice, Literal(0, False, ())),), (2,), ("y",), max_misses=1)
    assert str(rule) == "C3: A   [+2]"
    assert rule.to_latex() == "C_{3} = A;~[2]"


def test_equal_strengths_make_clauses_equal():
    """A twice is not A once; the order of literals does not matter; a message of a graded clause needs all of it."""
    code = codes.Code("random", 4, np.array([[0, 1], [2, 3]], dtype=np.int32))
    teams = [[0, 2], [1, 3], [0, 1, 2], [2, 1, 0], [0]]
    params = MachineParams(n_outputs=1, n_clauses=5, hypervector_size=4, max_misses=1)
    automata = np.full((5, 8), 50, np.uint8)
    for clause, literals in enumerate(teams):
        automata[clause, literals] = 200
    weights = np.array([[1, 2, 4, 8, 16]], np.int32)
    model = Model(gtm.Vocabulary(["A", "B"]), code, params, MachineState((automata,), weights))
    assert [(rule.clause, rule.equal, rule.weights) for rule in rules_of(model, ["y"], simplify=True)] == [
        (0, (1,), (3,)),
        (2, (3,), (12,)),
        (4, (), (16,)),
    ]


@settings(max_examples=40, deadline=None)
@given(graded_models)
def test_rules_count_what_the_machine_counts(made):
    """The literals of a rule, and how many may be missed, give every strength; so do those that are simplified."""
    model, graphs = made
    clauses = Clauses(model)
    for simplify, graph in ((simplify, graph) for simplify in (True, False) for graph in graphs):
        naive = Naive(model, graph)
        for clause in range(model.params.n_clauses):
            rule = RuleSet([], "abc", clauses, simplify=simplify).rule(clause)
            for node in range(len(naive.nodes)):
                missed = sum(not naive.satisfies(literal, node) for literal in rule.literals)
                strength = max(0, rule.max_misses + 1 - missed) * naive.serves(clause, node)
                assert strength == naive.strength(clause, node)
                enough = sum(naive.satisfies(literal, node) for literal in rule.varying) >= rule.n_needed
                assert (strength > 0) == (bool(rule.full_strength) and enough and naive.serves(clause, node))


def test_measures_ask_whether_a_strength_is_above_zero():
    rules = RuleSet([Rule(j, ((),), (1, 0), ("no", "yes")) for j in range(2)], ["no", "yes"])
    strengths = np.array([[3, 0], [1, 0], [0, 2]], np.uint8)
    assert rules.measured(strengths, ["no", "yes", "yes"]).to_dict() == (
        rules.measured(strengths > 0, ["no", "yes", "yes"]).to_dict()
    )
    assert [rule.measures.support for rule in rules.measured(strengths)] == [2, 1]
