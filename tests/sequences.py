"""Words as graphs, and machines written down by hand."""

import numpy as np

from graphtm import Graph, GraphBatch, Vocabulary, codes
from graphtm.engines.reference import ReferenceEngine
from graphtm.model import MachineParams, MachineState, Model

RIGHT, LEFT = 0, 1


def word_graph(word, symbols=None, edge_types=("right", "left")):
    """A node per letter; ``right`` is the edge n -> n+1 and number 0, ``left`` the edge n -> n-1 and number 1."""
    right, left = edge_types
    graph = Graph()
    for place, letter in enumerate(word):
        graph.add_node(place, [letter] if symbols is None or letter in symbols else [])
    for place in range(len(word) - 1):
        graph.add_edge(place, place + 1, right)
        graph.add_edge(place + 1, place, left)
    return graph


def word_batch(words, symbols):
    return GraphBatch.from_graphs([word_graph(word, symbols) for word in words], Vocabulary(symbols, ["right", "left"]))


def hand_made(clauses, weights, depth):
    """An engine with the clauses of :func:`hand_made_model`."""
    model = hand_made_model(clauses, weights, depth)
    engine = ReferenceEngine()
    engine.load(model.params, model.state)
    return engine


def hand_made_model(clauses, weights, depth, edge_types=("right", "left")):
    """A model with these clauses over the one symbol A, messages one_hot.

    A clause is a list of literals: ``"A"``, ``"NOT A"``, ``"r1:2"`` (over a right edge, layer 1, from clause 2),
    ``"NOT l2:0"``.
    """
    n_clauses = len(clauses)
    code = codes.one_hot(n_clauses, stride=2)
    params = MachineParams(
        n_outputs=len(weights[0]), n_clauses=n_clauses, hypervector_size=1, message_code=code, depth=depth
    )
    automata = [np.full((n_clauses, 2 * params.layer_size(layer)), 127, np.uint8) for layer in range(depth)]
    for number, literals in enumerate(clauses):
        for literal in literals:
            negated, name = literal.startswith("NOT "), literal.removeprefix("NOT ")
            layer, place = 0, 0
            if name != "A":
                layer, sender = int(name[1]), int(name.split(":")[1])
                place = 2 * sender + {"r": RIGHT, "l": LEFT}[name[0]]
            automata[layer][number, place + negated * params.layer_size(layer)] = 128
    state = MachineState(tuple(automata), np.array(weights, dtype=np.int32).T.copy())
    return Model(Vocabulary(["A"], edge_types), codes.one_hot(1), params, state)


def true_nodes(engine, word):
    """For each clause the places in the word where it is true."""
    graphs = engine.prepare(codes.encode(word_batch([word], ["A"]), codes.one_hot(1)))
    return [np.flatnonzero(row).tolist() for row in engine.node_outputs(graphs).T]


def votes(engine, word):
    graphs = engine.prepare(codes.encode(word_batch([word], ["A"]), codes.one_hot(1)))
    return engine.class_sums(graphs)[0].tolist()
