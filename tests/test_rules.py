"""Rules say what the machine computes: every literal, every layer, in the user's names."""

import numpy as np
import pytest

import graphtm as gtm
from graphtm import codes
from graphtm.datasets import sequences
from graphtm.explain import Literal, Message, Rule, RuleSet, rules_of
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
    rules = clf.fit(graphs, y).rules(simplify=False)
    expected = clf.transform_nodes(graphs).toarray()
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
