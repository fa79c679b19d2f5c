"""Rules say what the machine computes: every literal, every layer, in the user's names."""

import numpy as np
import pytest

import graphtm as gtm
from graphtm import codes
from graphtm.datasets import make_sequences
from graphtm.explain import Literal, Message, Rule, RuleSet, rules_of
from graphtm.model import MachineParams, MachineState

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
    return rules_of(state, params, symbol_code, VOCABULARY, ["no", "yes"])


def test_the_papers_manner():
    (rule,) = machine([[0, 3], [0, 3]], depth=2)
    assert str(rule) == "C0: A AND NOT B AND right:C0 AND NOT left:C0   [+1, -2]"
    assert rule.layers[0] == (Literal(0, False, ("A",)), Literal(0, True, ("B",)))
    assert rule.layers[1] == (Literal(1, False, (Message("right", 0),)), Literal(1, True, (Message("left", 0),)))
    assert rule.to_dict() == {
        "clause": 0,
        "node_type": None,
        "layers": [["A", "NOT B"], ["right:C0", "NOT left:C0"]],
        "weights": {"no": 1, "yes": -2},
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
    (rule,) = machine([[3]], depth=1, symbol_code=unused)
    assert str(rule).startswith("C0: NOTHING ")


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
    assert [rule.node_type for rule in clf.rules()] == ["x", "y"]
    assert str(clf.rules()[1]).startswith("C1: TYPE y")


def test_choosing_rules():
    rules = [Rule(j, ((),), weights, ("no", "yes")) for j, weights in enumerate([(1, -5), (0, 3), (-2, 4), (0, 0)])]
    rule_set = RuleSet(rules, ["no", "yes"])
    assert [rule.clause for rule in rule_set.strongest(1)] == [2, 1]
    assert [rule.clause for rule in rule_set.strongest(top=2)] == [0, 2]
    assert [rule.clause for rule in rule_set[1:3]] == [1, 2]
    assert len(rule_set.to_dict()) == 4
    assert repr(rule_set) == "RuleSet(4 rules)"
    assert str(rule_set).splitlines()[0] == "4 rules; votes for [no, yes]"


def literal_holds(literal, properties, messages):
    present = any(owner in (properties if literal.layer == 0 else messages) for owner in literal.owners)
    return present != literal.negated


@pytest.mark.parametrize("hashed", [False, True])
def test_rules_decide_as_the_machine_does(hashed):
    """Evaluate the printed literals by hand on every node; the machine must agree."""
    graphs, y = make_sequences(60, random_state=3)
    settings = dict(symbol_encoding="random", hypervector_size=16, message_encoding="random", message_size=24)
    clf = gtm.GraphTMClassifier(n_clauses=6, T=8, s=2.0, epochs=3, random_state=1, **(settings if hashed else {}))
    clf.fit(graphs, y)
    rules = clf.rules()
    expected = clf.transform_nodes(graphs).toarray().reshape(60, 5, 6)
    for number, graph in enumerate(graphs):
        own = {
            (rule.clause, node): all(literal_holds(lit, graph.properties(node), ()) for lit in rule.layers[0])
            for rule in rules
            for node in graph.nodes
        }
        for node in graph.nodes:
            inbox = {
                Message(edge_type, rule.clause)
                for source, destination, edge_type in graph.edges
                if destination == node
                for rule in rules
                if own[rule.clause, source]
            }
            for rule in rules:
                true = own[rule.clause, node] and all(literal_holds(lit, (), inbox) for lit in rule.layers[1])
                assert true == expected[number, node, rule.clause]


def test_rules_of_a_class():
    graphs, y = make_sequences(60, random_state=3)
    clf = gtm.GraphTMClassifier(n_clauses=6, T=8, s=2.0, epochs=2, random_state=1).fit(graphs, y)
    assert all(rule.weights[1] > 0 for rule in clf.rules(class_=1))
    assert len(clf.rules(top=2)) <= 2
    with pytest.raises(ValueError, match=r"The class must be one of \[0, 1\]; got 7"):
        clf.rules(class_=7)
