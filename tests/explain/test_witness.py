"""A witness proves that a clause is true: every condition is there, and what grants it is all that does."""

import pytest
from explained import EDGE_TYPES, SYMBOLS, Naive, chain_machine, models, oracle, random_model
from hypothesis import given, settings

from graphtm import Graph, GraphBatch
from graphtm.explain import Arrival, Explanation, Message


def explained(model, graphs, number=0):
    return Explanation(model, graphs[number : number + 1], ["a", "b", "c"])


def witnesses(model, graphs):
    """Every witness of every graph, with the graph read by sets and loops."""
    for number in range(len(graphs)):
        explanation, naive = explained(model, graphs, number), Naive(model, graphs[number])
        for fired in explanation.fired:
            for node in fired.nodes:
                yield naive, explanation.witness(fired.clause, node)


def named(naive, layer, granting):
    if layer == 0:
        return tuple(SYMBOLS[symbol] for symbol in granting)
    ends = [(*naive.edges[edge], clause) for edge, clause in granting]
    return tuple((naive.nodes[a], naive.nodes[b], EDGE_TYPES[kind], clause) for a, b, kind, clause in ends)


def plain(granted):
    return tuple((*one.edge, one.clause) if isinstance(one, Arrival) else one for one in granted)


@settings(max_examples=40, deadline=None)
@given(models)
def test_a_witness_is_the_whole_truth(made):
    model, graphs = made
    for naive, witness in witnesses(model, graphs):
        assert (witness.steps[0].clause, witness.steps[0].layer) == (witness.clause, model.params.depth - 1)
        keys = [(step.clause, step.node, step.layer) for step in witness.steps]
        assert len(set(keys)) == len(keys)
        for clause, node, layer in keys:
            assert (clause, naive.nodes.index(node)) in naive.true[layer]
        for step in witness.steps:
            node, conditions = naive.nodes.index(step.node), iter(step.conditions)
            for layer in range(step.layer + 1):
                for number in naive.includes[layer][step.clause]:
                    negated, bit = divmod(number, model.params.layer_size(layer))
                    owners = naive.owners(layer, bit)
                    if not owners:
                        continue
                    condition = next(conditions)
                    assert (condition.literal.layer, condition.literal.negated) == (layer, bool(negated))
                    if layer:
                        assert condition.literal.owners == tuple(Message(EDGE_TYPES[t], j) for j, t in owners)
                    else:
                        assert condition.literal.owners == tuple(SYMBOLS[symbol] for symbol in owners)
                    granting = named(naive, layer, naive.granting(layer, bit, node))
                    assert plain(condition.granted_by) == granting
                    assert bool(granting) != bool(negated)
                    if layer and not negated:
                        assert keys[condition.step] == (granting[0][3], granting[0][0], layer - 1)
                    else:
                        assert condition.step is None
            assert next(conditions, None) is None


def copy(graph, properties=None, without=()):
    """The graph with other properties of some nodes, and without some edges."""
    changed = Graph()
    for node in graph.nodes:
        changed.add_node(node, (properties or {}).get(node, graph.properties(node)), graph.node_type(node))
    for edge in graph.edges:
        if edge not in without:
            changed.add_edge(*edge)
    changed.set_readout(graph.readout)
    return changed


def holds(model, graph, clause, node):
    engine, encoded = oracle(model, GraphBatch.from_graphs([graph], model.vocabulary))
    return bool(engine.node_outputs(encoded)[graph.nodes.index(node), clause])


@settings(max_examples=25, deadline=None)
@given(models)
def test_what_is_necessary_cannot_be_taken_away(made):
    """Without all that grants a property or a first message, or with what must not be there, the clause is false."""
    model, graphs = made
    for naive, witness in witnesses(model, graphs):
        graph, clause, node = naive.graph, witness.clause, witness.node
        assert holds(model, copy(graph), clause, node)
        for condition in witness.steps[0].conditions:
            literal, carried = condition.literal, graph.properties(node)
            if literal.layer == 0 and literal.negated:
                for owner in literal.owners:
                    assert not holds(model, copy(graph, {node: [*carried, owner]}), clause, node)
            elif literal.layer == 0:
                left = [symbol for symbol in carried if symbol not in condition.granted_by]
                assert not holds(model, copy(graph, {node: left}), clause, node)
            elif literal.layer == 1 and not literal.negated:
                cut = copy(graph, without=[one.edge for one in condition.granted_by])
                assert not holds(model, cut, clause, node)


def test_random_machines_do_rest_on_messages():
    """The properties above would hold of machines without messages, too; these have them, in all layers."""
    layers = [
        condition.literal.layer
        for seed in range(30)
        for _, witness in witnesses(*random_model(seed))
        for step in witness.steps
        for condition in step.conditions
        if condition.granted_by
    ]
    assert all(layers.count(layer) > 10 for layer in range(4))


def test_text_and_data():
    model, graphs = chain_machine()
    witness = Explanation(model, graphs, ["no", "yes"]).witness(1)
    assert str(witness).splitlines() == [
        "C1 is true at 'z':",
        "  B",
        "  NOT A",
        "  red:C0: by C0 at 'x' over red, C0 at 'y' over red",
        "    C0 is true at 'x':",
        "      A",
    ]
    assert [step["clause"] for step in witness.to_dict()] == [1, 0]
    assert witness.to_dict()[0]["conditions"][2] == {
        "literal": {"layer": 1, "negated": False, "owners": [{"edge_type": "red", "clause": 0}]},
        "granted_by": [{"edge": ("x", "z", "red"), "clause": 0}, {"edge": ("y", "z", "red"), "clause": 0}],
        "step": 1,
    }


def test_wrong_questions():
    model, graphs = chain_machine()
    explanation = Explanation(model, graphs, ["no", "yes"])
    for clause in (-1, 2, True, 0.0, "C1"):
        with pytest.raises(ValueError, match="The clause must be a number from 0 to 1; got"):
            explanation.witness(clause)
    with pytest.raises(ValueError, match=r"must be true at the node; got 'x', but C1 is true at 'z'"):
        explanation.witness(1, "x")
    with pytest.raises(ValueError, match=r"Every node must be one of 'x', 'y', 'z'; got 'w'"):
        explanation.witness(1, "w")
    elsewhere = Explanation(model, graphs.with_readout([["x"]]), ["no", "yes"])
    with pytest.raises(ValueError, match="The clause must be true for the graph; C1 is not"):
        elsewhere.witness(1)
    assert elsewhere.witness(1, "z").node == "z"
