"""Rules say what the machine computes: every literal, every layer, in the user's names."""

import copy
import pickle
import time

import joblib
import numpy as np
import pytest
from shared import shared_data

import graphtm as gtm
from graphtm import codes
from graphtm.datasets import sequences
from graphtm.explain import Clauses, ClauseTable, Literal, Meaning, Message, Rule, RuleSet, matches, rules_of
from graphtm.explain.literals import latex_name
from graphtm.model import MachineParams, MachineState, Model

VOCABULARY = gtm.Vocabulary(["A", "B"], ["right", "left"])


def machine(includes, depth, symbol_code=None, message_code=None, weights=((1,), (-2,)), n_node_types=0):
    """Rules of a one-clause machine that includes these literals, layer by layer."""
    symbol_code = symbol_code or codes.one_hot(2)
    message_code = message_code or codes.one_hot(1, stride=2)
    params = MachineParams(
        n_outputs=2,
        n_clauses=len(weights[0]),
        hypervector_size=symbol_code.size,
        message_code=message_code,
        depth=depth,
        n_node_types=n_node_types,
    )
    automata = [np.full((params.n_clauses, 2 * params.layer_size(layer)), 127, np.uint8) for layer in range(depth)]
    for layer, literals in enumerate(includes):
        automata[layer][0, literals] = 128
    state = MachineState(tuple(automata), np.array(weights, np.int32))
    return rules_of(Model(VOCABULARY, symbol_code, params, state), ["no", "yes"])


def test_the_papers_manner():
    (rule,) = machine([[0, 3], [0, 3]], depth=2)
    assert str(rule) == "C0: A AND NOT B AND right:C0 AND NOT left:C0   [+1, -2]"
    assert rule.layers[0] == (Literal(0, False, ("A",)), Literal(0, True, ("B",)))
    assert rule.layers[1] == (Literal(1, False, (Message("right", 0),)), Literal(1, True, (Message("left", 0),)))
    assert rule.to_dict() == {
        "clause": 0,
        "equal": [],
        "node_type": None,
        "text": str(rule),
        "layers": [
            [{"layer": 0, "negated": False, "owners": ["A"]}, {"layer": 0, "negated": True, "owners": ["B"]}],
            [
                {"layer": 1, "negated": False, "owners": [{"edge_type": "right", "clause": 0}]},
                {"layer": 1, "negated": True, "owners": [{"edge_type": "left", "clause": 0}]},
            ],
        ],
        "weights": {"no": 1, "yes": -2},
        "measures": None,
    }


def test_deeper_layers_are_named():
    (rule,) = machine([[0], [1], [0]], depth=3)
    assert str(rule) == "C0: A AND left:C0 AND right(2):C0   [+1, -2]"


def test_an_empty_clause_is_about_any_node():
    (rule,) = machine([[]], depth=1, weights=((0,), (3,)))
    assert str(rule) == "C0: ANY NODE   [0, +3]"


def test_shared_bits_are_shown_as_such():
    shared = codes.Code("random", 3, np.array([[0, 1], [1, 2]], dtype=np.int32))
    (rule,) = machine([[0, 1, 4]], depth=1, symbol_code=shared)
    assert str(rule).startswith("C0: A AND ANY OF 2: (A, B) AND NOT ANY OF 2: (A, B)   ")
    unused = codes.Code("random", 4, np.array([[0, 1], [1, 2]], dtype=np.int32))
    (rule,) = machine([[0, 3]], depth=1, symbol_code=unused)
    assert str(rule).startswith("C0: NEVER ")
    (rule,) = machine([[0, 7]], depth=1, symbol_code=unused)
    assert str(rule).startswith("C0: A   ")
    own = codes.Code("random", 4, np.array([[0, 1], [2, 3]], dtype=np.int32))
    (rule,) = machine([[0, 1]], depth=1, symbol_code=own)
    assert str(rule).startswith("C0: A   ")


@pytest.mark.parametrize(
    "name", ["NOT A", "A AND B", "right:C0", "NEVER", "ANY NODE", "TYPE x", "C3", "", " a", "1", "a,b"]
)
def test_names_that_look_like_rules_are_quoted(name):
    assert str(Literal(0, False, (name,))) == repr(name)


@pytest.mark.parametrize("name", ["A", "red", "next to", "carbon-oxygen", "CO", "word_7", "Ångström"])
def test_plain_names_are_bare(name):
    assert str(Literal(0, False, (name,))) == name


def test_data_holds_all_owners():
    literal = Literal(0, False, tuple(range(10)))
    assert str(literal) == "ANY OF 10: (0, 1, 2, ...)"
    assert literal.to_dict()["owners"] == list(range(10))


def test_rules_of_graphs_without_edges_are_readable():
    graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, epochs=3, random_state=0).fit(graphs, [0, 1] * 20)
    assert "NOTHING" not in str(clf.rules())
    assert "ALWAYS" not in str(clf.rules())


def test_shared_message_bits_name_clause_and_edge_type():
    shared = codes.Code("random", 3, np.array([[0, 1], [1, 2], [0, 2]], dtype=np.int32))
    rules = machine([[], [1]], depth=2, message_code=shared, weights=((1, 1, 1), (0, 0, 0)))
    owners = {str(owner) for owner in rules[0].layers[1][0].owners}
    # bit 1 is set by whom? position + shift = 1 modulo 3
    assert owners == {"right:C0", "left:C0", "right:C1", "left:C2"}
    assert str(rules[0].layers[1][0]).startswith("ANY OF 4: (")


def test_node_types_are_named():
    graphs = gtm.GraphBatch.from_arrays([2] * 4, [[1], [0]] * 4, node_types=["x", "y"] * 4)
    clf = gtm.GraphTMClassifier(n_clauses=2, T=5, depth=1, epochs=1, random_state=0).fit(graphs, [0, 1, 0, 1])
    assert [rule.node_type for rule in clf.rules(simplify=False)] == ["x", "y"]
    assert str(clf.rules(simplify=False)[1]).startswith("C1: TYPE y")


def by_hand(*weights):
    """Rules without conditions that cast these votes."""
    return RuleSet([Rule(j, ((),), one, ("no", "yes")) for j, one in enumerate(weights)], ["no", "yes"])


def numbers(rules):
    return [rule.clause for rule in rules]


def test_choosing_rules():
    rules = by_hand((1, -5), (0, 3), (-2, 4), (0, 0))
    assert numbers(rules.filter("yes")) == [1, 2]
    assert numbers(rules.filter("yes").sort("weight", "yes")) == [2, 1]
    assert numbers(rules.filter("yes", min_weight=4)) == [2]
    assert numbers(rules.filter(min_weight=4)) == [0, 2]
    assert numbers(rules.filter()) == [0, 1, 2, 3]
    assert numbers(rules.sort()) == [0, 2, 1, 3]
    assert numbers(rules.sort().sort("clause")) == [0, 1, 2, 3]
    assert numbers(rules[1:3]) == [1, 2]
    assert rules[1].class_ == "yes"
    assert len(rules.to_dict()) == 4
    assert repr(rules) == "RuleSet(4 rules)"
    assert str(rules).splitlines()[0] == "4 rules; votes for [no, yes]"
    with pytest.raises(ValueError, match=r"The class must be one of \['no', 'yes'\]; got 'maybe'"):
        rules.filter("maybe")
    with pytest.raises(ValueError, match=r"'layer' parameter of filter must be one of 0..0. Got 1 instead"):
        rules.filter(layer=1)
    for wrong in (True, "0", -1):
        with pytest.raises(ValueError, match="'layer' parameter of filter must be an int of at least 0"):
            rules.filter(layer=wrong)
    with pytest.raises(ValueError, match=r"'by' parameter of sort must be one of .*'weight'\]. Got 'size' instead"):
        rules.sort("size")


def test_choosing_by_what_rules_are_about():
    layers = [
        ((Literal(0, False, (1,)),), ()),
        ((Literal(0, True, (True,)),), (Literal(1, True, (Message("right", 0),)),)),
        ((), (Literal(1, False, (Message("left", 0),)),)),
    ]
    rules = RuleSet([Rule(j, one, (1,), ("y",)) for j, one in enumerate(layers)], ["y"])
    assert numbers(rules.filter(symbol=1)) == numbers(rules.filter(symbol=np.int64(1))) == [0]
    assert numbers(rules.filter(symbol=True)) == [1]
    assert numbers(rules.filter(layer=0)) == [0, 1]
    assert numbers(rules.filter(layer=1)) == [1, 2]
    assert numbers(rules.filter(edge_type="left")) == [2]
    assert numbers(rules.sort("length")) == [0, 2, 1]


def test_measures_are_counted():
    rules = by_hand((1, -5), (0, 3), (2, 2))
    truth = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]], bool)
    measured = rules.measured(truth, ["no", "no", "yes", "yes"])
    first, second, third = (rule.measures for rule in measured)
    assert (first.support, first.coverage, first.precision, first.recall) == (2, 0.5, (1.0, 0.0), (1.0, 0.0))
    assert (second.support, second.coverage) == (3, 0.75)
    assert second.precision == (1 / 3, 2 / 3)
    assert second.recall == (0.5, 1.0)
    assert (third.support, third.coverage, third.precision, third.recall) == (0, 0.0, (None, None), (0.0, 0.0))
    assert measured.to_dict()[0]["measures"]["precision"] == [1.0, 0.0]
    assert numbers(measured.sort("support")) == [1, 0, 2]
    assert numbers(measured.sort("precision")) == [0, 1, 2]
    assert numbers(measured.sort("precision", "yes")) == [1, 0, 2]
    labels = measured.measured(truth, [[1, 0], [1, 0], [0, 1], [0, 1]])
    assert labels.to_dict() == measured.to_dict()
    assert rules.measured(truth)[1].measures.precision == ()
    frame = measured.to_frame()
    assert frame["support"].tolist() == [2, 3, 0]
    assert frame["recall for yes"].tolist() == [0.0, 1.0, 0.0]
    assert frame["votes for no"].tolist() == [1, 0, 2]
    assert frame["class"].tolist() == ["no", "yes", "no"]


def test_measures_that_cannot_be():
    rules = by_hand((1, -5), (0, 3))
    with pytest.raises(gtm.GraphTMError, match=r"Rules must be measured first; write rules.measured"):
        rules.sort("support")
    with pytest.raises(gtm.GraphTMError, match="Rules must be measured with labels first"):
        rules.measured(np.ones((3, 2), bool)).sort("precision")
    for wrong in (np.ones((3, 1), bool), np.ones(3, bool), np.ones((3, 2), int)):
        with pytest.raises(ValueError, match=r"a column per clause \(at least 2\). Got"):
            rules.measured(wrong)
    with pytest.raises(ValueError, match=r"must hold 3 labels, one per graph, .*Got an array of shape \(2,\) instead"):
        rules.measured(np.ones((3, 2), bool), [0, 1])
    with pytest.raises(
        ValueError, match=r"Labels must be names of outputs to measure precision, 'no', 'yes'. Got 0, 1, 1 instead"
    ):
        rules.measured(np.ones((3, 2), bool), [0, 1, 1])


def test_measures_of_one_label():
    """A column of Booleans says which graphs have the label, whatever it is called: False is not the label 0."""
    rules = RuleSet([Rule(0, ((),), (1,), (0,))], [0])
    truth = np.array([[True], [True], [False]])
    for y in (np.array([True, True, False]), [[1], [1], [0]]):
        assert rules.measured(truth, y)[0].measures.precision == (1.0,)


def test_rules_by_hand_cannot_be_traced():
    rules = by_hand((1, -5))
    for trace in (rules.unroll, rules.traceability, lambda: rules.rule(5), rules[0].unroll, rules[0].meaning):
        with pytest.raises(gtm.GraphTMError, match=r"built by hand.*Use .* of .*`clf.rules\(\)`"):
            trace()
    with pytest.raises(ValueError, match=r"'layer' parameter of meaning must be one of 0..0. Got 1 instead"):
        rules[0].meaning(1)


def test_markdown_and_latex():
    (rule,) = rules = machine([[0, 3], [0, 3]], depth=2)
    assert rules.to_markdown().splitlines() == [
        "| clause | rule | votes for no | votes for yes |",
        "| --- | --- | --- | --- |",
        "| C0 | A AND NOT B AND right:C0 AND NOT left:C0 | 1 | -2 |",
    ]
    assert rule.to_latex() == (
        r"C_{0} = A \wedge \neg B \wedge \mathrm{right}1{:}0 \wedge \neg \mathrm{left}1{:}0;~[1, -2]"
    )
    assert Rule(0, ((),), (1,), ("y",)).to_latex() == r"C_{0} = \phi;~[1]"
    assert Rule(0, ((Literal(0, False, ()),),), (1,), ("y",)).to_latex() == r"C_{0} = \bot;~[1]"
    many = Rule(7, ((Literal(0, True, tuple(range(7812))),),), (1,), ("y",), "a_b")
    assert many.to_latex() == (
        r"C_{7} = \mathrm{type}\,\mathrm{a\_b} \wedge \neg \bigvee\nolimits_{7,812} (0, 1, 2, \ldots);~[1]"
    )


def test_latex_of_any_name():
    """What LaTeX would take for a command is escaped: in names, and in tables that are not written for it."""
    assert latex_name("{a}_~^\\ b") == (
        r"\mathrm{'\{a\}\_\text{\textasciitilde}\text{\textasciicircum}{\backslash}{\backslash}\ b'}"
    )
    table = ClauseTable(("50 %", "x"), (("a_b", r"\c"),))
    assert table.to_latex().splitlines() == [
        r"\begin{tabular}{ll}",
        r"\toprule",
        r"50 \% & x \\",
        r"\midrule",
        r"a\_b & \textbackslash{}c \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
    assert RuleSet([], ["y"]).to_latex() == ""


# Hashing made honest


def test_bits_together_mean_less_than_each_alone():
    """Bits 0 and 1 are A's; F owns 0 and G owns 1: they say A, or F and G. Forbidding a bit of F leaves A alone."""
    code = codes.Code("random", 5, np.array([[0, 1], [0, 2], [1, 3]], dtype=np.int32))
    vocabulary = gtm.Vocabulary(["A", "F", "G"])
    params = MachineParams(n_outputs=1, n_clauses=2, hypervector_size=5)
    automata = np.full((2, 10), 50, np.uint8)
    automata[:, [0, 1]] = 200
    automata[1, 5 + 2] = 200
    model = Model(vocabulary, code, params, MachineState((automata,), np.ones((1, 2), np.int32)))
    first, second = rules_of(model, ["y"], simplify=True)
    assert str(first) == "C0: ANY OF 2: (A, F) AND ANY OF 2: (A, G)   [+1]"
    assert first.meaning().is_ambiguous
    assert first.meaning().combinations() == (("A",), ("F", "G"))
    assert first.symbols() == ("A",)
    assert str(second) == "C1: A AND NOT F   [+1]"
    assert second.meaning() == Meaning(required=("A",), forbidden=("F",))
    plain = rules_of(model, ["y"])
    assert str(plain[1]) == "C1: ANY OF 2: (A, F) AND ANY OF 2: (A, G) AND NOT F   [+1]"


def test_meanings_print_as_rules_do():
    """The first few of many owners, in text; all of them as data."""
    meaning = Meaning(required=("A",), choices=(tuple(range(7812)),), forbidden=(Message("right", 3),))
    assert str(meaning) == "A AND ANY OF 7,812: (0, 1, 2, ...) AND NOT right:C3"
    assert str(Meaning(possible=False)) == "NEVER"
    assert str(Meaning()) == "ANY"


def test_combinations_are_the_smallest_sets():
    """Against all subsets, one by one."""
    rng = np.random.default_rng(0)
    for _ in range(100):
        choices = tuple(
            tuple(rng.choice(6, rng.integers(2, 4), replace=False).tolist()) for _ in range(rng.integers(0, 4))
        )
        meaning = Meaning(required=(6,), choices=choices)
        subsets = [frozenset(i for i in range(7) if mask >> i & 1) for mask in range(128)]
        good = [one for one in subsets if 6 in one and all(not one.isdisjoint(choice) for choice in choices)]
        smallest = {one for one in good if not any(other < one for other in good)}
        assert {frozenset(one) for one in meaning.combinations()} == smallest
    assert Meaning(choices=((1, 2), (3, 4), (5, 6), (7, 8))).combinations(most=10) is None
    assert Meaning(possible=False).combinations() == ()
    assert str(Meaning(possible=False)) == "NEVER"
    assert str(Meaning()) == "ANY"


def test_bits_of_many_messages_print_as_such():
    """2,500 clauses over 25 edge types in 16 bits: a bit has thousands of owners, which are counted, not guessed."""
    n_clauses, edge_types = 2500, [f"t{number}" for number in range(25)]
    code = codes.double_hashing(n_clauses, 16, distinct=False)
    params = MachineParams(n_outputs=1, n_clauses=n_clauses, hypervector_size=1, message_code=code, depth=2)
    automata = [np.full((n_clauses, 2 * params.layer_size(layer)), 50, np.uint8) for layer in range(2)]
    automata[0][:, 0] = 200
    automata[1][0, 5] = automata[1][1, [5, 16 + 6]] = 200
    state = MachineState(tuple(automata), np.ones((1, n_clauses), np.int32))
    model = Model(gtm.Vocabulary(["A"], edge_types), codes.one_hot(1), params, state)
    rule = rules_of(model, ["y"])[0]
    expected = {
        Message(edge_type, clause)
        for clause, positions in enumerate(code.positions.tolist())
        for number, edge_type in enumerate(edge_types)
        if 5 in [(position + number) % 16 for position in positions]
    }
    assert set(rule.layers[1][0].owners) == expected
    assert len(rule.layers[1][0].owners) == len(expected) == 7815
    assert str(rule) == "C0: A AND ANY OF 7,815: (t4:C0, t5:C0, t20:C0, ...)   [+1]"
    # All clauses are A at layer 0 and send together, over any edge all bits: C0 wants an edge, C1 can never be true.
    simple = rules_of(model, ["y"], simplify=True)
    assert [rule.clause for rule in simple] == [0, 2]
    assert str(simple[0]).startswith("C0: A AND ANY OF 25: (t0:C0, t1:C0, t2:C0, ...)")
    assert str(simple[1]) == "C2 (and 2,497 equal): A   [+2498]"


def test_shared_bits_are_not_traced_away():
    """C0 as far as layer 1 is more than A: it also wants a message, over right or left, which no component says."""
    rules = machine([[0], [1], [0]], depth=3, message_code=codes.double_hashing(1, 4, distinct=False))
    assert str(rules[0]) == "C0: A AND ANY OF 2: (right:C0, left:C0) AND right(2):C0   [+1, -2]"
    assert rules.traceability().rows == (
        (
            "C0",
            "A",
            "ANY OF 2: (right:C0, left:C0)",
            "right(2):C0",
            "C0^0(X_n)",
            "ANY OF 2: (right:C0, left:C0)",
            "C0^1(X_{n-1})",
            "[1, -2]",
        ),
    )


# Equal clauses, and those that never fire


def clauses_machine(teams, weights, symbols=("A", "B")):
    """A one_hot machine of depth 2 over two symbols and one edge type; a team is (literals, message literals)."""
    n_clauses = len(teams)
    params = MachineParams(
        n_outputs=len(weights),
        n_clauses=n_clauses,
        hypervector_size=len(symbols),
        message_code=codes.one_hot(n_clauses),
        depth=2,
    )
    automata = [np.full((n_clauses, 2 * params.layer_size(layer)), 50, np.uint8) for layer in range(2)]
    for clause, team in enumerate(teams):
        for layer, literals in enumerate(team):
            automata[layer][clause, literals] = 200
    state = MachineState(tuple(automata), np.array(weights, np.int32))
    return Model(gtm.Vocabulary(symbols, ["t"]), codes.one_hot(len(symbols)), params, state)


def test_equal_clauses_become_one_rule():
    model = clauses_machine([([0], []), ([1], [0]), ([0], []), ([1], [2]), ([1], [])], [[1, 2, 3, 4, 0]])
    assert [str(rule) for rule in rules_of(model, ["y"], simplify=True)] == [
        "C0 (and 1 equal): A   [+4]",
        "C1 (and 1 equal): B AND t:C0   [+6]",
    ]
    assert len(rules_of(model, ["y"])) == 5
    rules = rules_of(model, ["y"], simplify=True)
    assert rules[1].equal == (3,)
    assert rules.rule(3) is rules[1]
    assert str(rules.rule(4)) == "C4: B   [0]"
    for wrong in (9, -1, True, "0"):
        with pytest.raises(ValueError, match=rf"The clause must be a number from 0 to 4; got {wrong!r}"):
            rules.rule(wrong)


def test_clauses_that_are_never_true_are_left_out():
    """A and not A; a message of such a clause; one that C0 sends and does not send."""
    model = clauses_machine([([0], []), ([0, 2], []), ([], [1]), ([1], [0, 5 + 0]), ([1], [5 + 1])], [[1, 1, 1, 1, 1]])
    assert [str(rule) for rule in rules_of(model, ["y"], simplify=True)] == ["C0: A   [+1]", "C4: B   [+1]"]
    assert [formula.is_false for formula in rules_of(model, ["y"]).unroll()] == [False, True, True, True, False]


def test_elimination_is_printed_as_such():
    """Multivalue XOR: an even number is what is no odd one."""
    graphs, y = gtm.datasets.multivalue_xor(4000, n_values=10, random_state=1)
    clf = gtm.GraphTMClassifier(n_clauses=8, T=10, s=3.0, epochs=10, random_state=1).fit(graphs, y)
    assert clf.score(graphs, y) == 1.0
    rule = clf.rules(class_=1, top=1)[0]
    assert str(rule).startswith("C2: NOT 1 AND NOT 3 AND NOT 5 AND NOT 7 AND NOT 9 AND ")
    assert rule.symbols() == (0, 2, 4, 6, 8)
    assert str(rule.unroll()) == (
        "NOT 1 AND NOT 3 AND NOT 5 AND NOT 7 AND NOT 9 AND EXISTS plain: (NOT 0 AND NOT 8) AND EXISTS plain: "
        "(NOT 0 AND NOT 6) AND NOT EXISTS plain: (NOT 1 AND NOT 3 AND NOT 5 AND NOT 7 AND NOT 9)"
    )


def literal_holds(literal, properties, messages):
    present = any(owner in (properties if literal.layer == 0 else messages) for owner in literal.owners)
    return present != literal.negated


def random_graphs(rng, n_edge_types, typed):
    """Graphs with many edge types, self-loops and parallel edges."""
    counts = rng.integers(1, 6, 40)
    ends = np.repeat(counts, 2 * counts)
    return gtm.GraphBatch.from_arrays(
        counts,
        rng.random((counts.sum(), 6)) < 0.4,
        symbols=list("ABCDEF"),
        edges=(rng.integers(0, ends), rng.integers(0, ends), rng.integers(0, n_edge_types, len(ends))),
        edge_types=[f"t{number}" for number in range(n_edge_types)],
        edge_counts=2 * counts,
        node_types=rng.choice(["x", "y", "z"], counts.sum()) if typed else None,
    )


def truth_by_rules(rules, graph, depth):
    """Evaluate printed literals by hand, layer by layer: which clauses hold at which nodes."""
    true = {
        (rule.clause, node): rule.node_type in (None, graph.node_type(node))
        and all(literal_holds(literal, graph.properties(node), ()) for literal in rule.layers[0])
        for rule in rules
        for node in graph.nodes
    }
    for layer in range(1, depth):
        inbox = {
            node: {
                Message(edge_type, rule.clause)
                for source, destination, edge_type in graph.edges
                if destination == node
                for rule in rules
                if true[rule.clause, source]
            }
            for node in graph.nodes
        }
        true = {
            (rule.clause, node): true[rule.clause, node]
            and all(literal_holds(literal, (), inbox[node]) for literal in rule.layers[layer])
            for rule in rules
            for node in graph.nodes
        }
    return true


HASHED = dict(symbol_encoding="random", hypervector_size=16, message_encoding="random", message_size=24)
DOUBLE = dict(symbol_encoding="double_hashing", hypervector_size=9, message_encoding="double_hashing", message_size=5)
THREE = dict(symbol_encoding="random", hypervector_size=12, symbol_bits=3, message_size=9, message_bits=3)


@pytest.mark.filterwarnings("ignore::graphtm.CodeCollisionWarning")
@pytest.mark.parametrize("settings", [{}, HASHED, DOUBLE, THREE])
@pytest.mark.parametrize(("depth", "n_edge_types", "typed"), [(2, 2, False), (3, 9, True), (1, 1, True)])
def test_rules_decide_as_the_machine_does(settings, depth, n_edge_types, typed):
    """What is printed is what is computed: any depth, node types, more edge types than bits, shared bits."""
    graphs = random_graphs(np.random.default_rng(3), n_edge_types, typed)
    y = [int(len(graph.edges) > 5) for graph in graphs]
    clf = gtm.GraphTMClassifier(n_clauses=6, T=8, s=2.0, depth=depth, epochs=3, random_state=1, **settings)
    clauses = Clauses(clf.fit(graphs, y).model_)
    expected = clf.transform_nodes(graphs).toarray()
    for simplify in (False, True):
        rules = [
            Rule(clause, clauses.literals(clause, simplify=simplify), (0,), ("y",), clauses.node_type(clause))
            for clause in range(6)
        ]
        first = 0
        for graph in graphs:
            true = truth_by_rules(rules, graph, depth)
            for place, node in enumerate(graph.nodes):
                for rule in rules:
                    assert true[rule.clause, node] == expected[first + place, rule.clause]
            first += graph.n_nodes


def test_rules_of_a_class():
    graphs, y = sequences(60, random_state=3)
    clf = gtm.GraphTMClassifier(n_clauses=6, T=8, s=2.0, epochs=2, random_state=1).fit(graphs, y)
    assert all(rule.weights[1] > 0 for rule in clf.rules(class_=1))
    assert len(clf.rules(top=2)) <= 2
    with pytest.raises(ValueError, match=r"The class must be one of \[0, 1\]; got 7"):
        clf.rules(class_=7)
    for wrong in (-1, 1.5):
        with pytest.raises(ValueError, match="'top' parameter of rules must be an int of at least 0"):
            clf.rules(top=wrong)


@pytest.mark.slow
def test_many_rules_of_images_are_read_in_two_seconds():
    """A model with 2,500 clauses on MNIST."""
    images, y = gtm.datasets.load_mnist(data_home=shared_data("mnist"), download=False)
    graphs = gtm.encoders.ImagePatches(patch_size=10).fit_transform(images[:2000])
    clf = gtm.GraphTMClassifier(n_clauses=2500, T=3125, s=10.0, depth=1, epochs=2, random_state=0)
    clf.fit(graphs, y[:2000])
    start = time.perf_counter()
    rules = clf.rules()
    seconds = time.perf_counter() - start
    assert len(rules) > 1000
    assert seconds < 2.0
    votes = np.array([rule.weights for rule in rules])
    some = graphs[:20]
    truth = matches(rules.unroll(), some)
    np.testing.assert_array_equal(truth.astype(int) @ votes, clf.class_sums(some))


def chain_of_messages(simplify=False):
    """C0 hears C1 at layer 2, which hears C2 at layer 1; C3 is equal to C2; C4 is used by nobody."""
    params = MachineParams(n_outputs=1, n_clauses=5, hypervector_size=2, message_code=codes.one_hot(5, 2), depth=3)
    automata = [np.zeros((5, 2 * params.layer_size(layer)), np.uint8) for layer in range(3)]
    automata[0][1, 0] = automata[0][2, 1] = automata[0][3, 1] = automata[0][4, 0] = 255
    automata[2][0, 2] = automata[1][1, 5] = automata[2][2, 8] = 255
    state = MachineState(tuple(automata), np.array([[9, 0, 1, 1, 1]], np.int32))
    return rules_of(Model(VOCABULARY, codes.one_hot(2), params, state), ["y"], simplify=simplify)


def test_clauses_that_messages_name_are_listed():
    top = chain_of_messages()[:1]
    assert len(top) == len(list(top)) == 1
    assert str(top).splitlines() == [
        "1 rule; votes for [y]",
        "C0: right(2):C1   [+9]",
        "Clauses that messages refer to, as far as the layer below:",
        "C1: A AND left:C2",
        "C2: B",
    ]
    assert [rule.clause for rule in top.used()] == [1, 2]
    assert top.used()[1].layers == ((Literal(0, False, ("B",)),),)
    assert top.used()[1].class_ is None
    assert top.to_markdown().splitlines()[2:] == [
        "| C0 | right(2):C1 | 9 |",
        "| C1 (used) | A AND left:C2 |  |",
        "| C2 (used) | B |  |",
    ]
    assert top.to_latex().splitlines()[1:-1] == [
        r"&C_{0} = \mathrm{right}2{:}1;~[9] \\",
        r"&C_{1} = A \wedge \mathrm{left}1{:}2 \\",
        r"&C_{2} = B",
    ]
    assert [(one["clause"], one["used"], one["weights"]) for one in top.to_dict()] == [
        (0, False, {"y": 9}),
        (1, True, {}),
        (2, True, {}),
    ]
    with pytest.raises(
        gtm.GraphTMError, match=r"only a part of a clause. Use a rule of `clf.rules\(\)`, or `rules.rule"
    ):
        top.used()[0].unroll()
    assert str(top.rule(1)) == "C1: A AND left:C2   [0]"


def test_a_whole_set_lists_only_what_it_lacks():
    rules = chain_of_messages()
    assert rules.used() == ()
    assert "refer to" not in str(rules)
    simplified = chain_of_messages(simplify=True)
    assert [rule.clause for rule in simplified.used()] == [1]  # it casts no vote
    assert by_hand((1, 2)).used() == ()


def test_many_used_clauses_are_counted():
    graphs, y = gtm.datasets.motif_graphs(200, random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=200, T=200, s=10.0, epochs=2, random_state=4).fit(graphs, y)
    rules = clf.rules(top=3, simplify=False)
    text = str(rules).splitlines()
    named = {rule.clause for rule in rules.used()}
    assert len(named) > 20
    assert text[-1] == f"... and {len(named) - 20:,} more; see .used()"
    assert len(text) == 1 + 3 + 1 + 20 + 1


def test_the_votes_for_thousands_are_few():
    weights = tuple(range(-500, 500))
    rule = Rule(3, ((Literal(0, False, ("A",)),),), weights, tuple(f"label {n}" for n in range(1000)))
    assert str(rule) == "C3: A   [label 0 -500, label 1 -499, label 999 +499, ... (1,000 in all)]"
    assert rule.to_dict()["weights"]["label 999"] == 499


def test_a_pickled_rule_is_small_and_plain():
    """It holds what it says; the set keeps the machine, also for its rules."""
    graphs, y = gtm.datasets.motif_graphs(300, motif="star", random_state=0)
    clf = gtm.GraphTMClassifier(n_clauses=1000, T=2000, s=10.0, epochs=1, random_state=4).fit(graphs, y)
    rules = clf.rules().measured(clf.transform(graphs), y)
    before = pickle.dumps(rules), joblib.hash(rules)
    formulas = [str(rule.unroll()) for rule in rules[:5]]
    assert (pickle.dumps(rules), joblib.hash(rules)) == before
    for rule in rules[:5]:
        assert len(pickle.dumps(rule)) < 5000
        alone = pickle.loads(pickle.dumps(rule))
        assert alone == rule
        assert (str(alone), alone.to_dict(), alone.to_latex()) == (str(rule), rule.to_dict(), rule.to_latex())
        assert alone.class_ == rule.class_
        for ask in (alone.unroll, alone.meaning, alone.symbols):
            with pytest.raises(gtm.GraphTMError, match="unpickled on its own"):
                ask()
        assert copy.deepcopy(rule).meaning() == copy.copy(rule).meaning() == rule.meaning()
    again = pickle.loads(before[0])
    assert [str(rule.unroll()) for rule in again[:5]] == formulas
    assert again[0].meaning() == rules[0].meaning()
    assert str(copy.deepcopy(rules)[0].unroll()) == formulas[0]
