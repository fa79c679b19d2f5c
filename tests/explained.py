"""Random machines whose clauses are true somewhere, in every layer, and how they are evaluated in sets and loops."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from graphtm import Graph, GraphBatch, Vocabulary, codes
from graphtm.codes import encode
from graphtm.engines import make_engine
from graphtm.engines.trace import trace_graph
from graphtm.explain import Clauses, Message, evaluate, matches, rules_of
from graphtm.model import MachineParams, MachineState, Model

SYMBOLS, EDGE_TYPES, NODE_TYPES = tuple("ABCDE"), ("red", "blue", "green"), ("x", "y")


def random_graph(rng, typed=False, partial=False):
    """A graph with self-loops, parallel edges, bare nodes and, maybe, node types and a readout."""
    graph = Graph()
    n_nodes = int(rng.integers(1, 7))
    for node in range(n_nodes):
        carried = [symbol for symbol in SYMBOLS if rng.random() < 0.4]
        graph.add_node(f"n{node}", carried, NODE_TYPES[rng.integers(2)] if typed else None)
    for _ in range(int(rng.integers(0, 2 * n_nodes + 1))):
        source, destination = rng.integers(0, n_nodes, 2)
        graph.add_edge(f"n{source}", f"n{destination}", EDGE_TYPES[rng.integers(3)])
    if partial:
        graph.set_readout([f"n{node}" for node in range(n_nodes) if rng.random() < 0.5] or ["n0"])
    return graph


def random_codes(rng, n_clauses):
    def code(n, stride, distinct):
        scheme = rng.integers(3)
        if scheme == 0:
            return codes.one_hot(n, stride)
        if scheme == 1:
            return codes.double_hashing(n, int(rng.integers(5, 12)), distinct=distinct)
        return codes.random(
            n, int(rng.integers(6, 20)), int(rng.integers(1 if n < 6 else 2, 3)), draw, distinct=distinct
        )

    def draw(owner, number):
        return rng.integers(0, 2**32, np.broadcast(owner, number).shape, dtype=np.uint64).astype(np.uint32)

    return code(len(SYMBOLS), 1, True), code(n_clauses, len(EDGE_TYPES), False)


def random_model(seed, max_misses=0):
    """A model and a batch of graphs; each clause includes literals that hold together at some node of the first.

    Many graded clauses include others besides, which are missed or not.
    """
    rng = np.random.default_rng(seed)
    typed, depth, n_clauses = bool(rng.integers(2)), int(rng.integers(1, 5)), int(rng.integers(2, 8))
    vocabulary = Vocabulary(SYMBOLS, EDGE_TYPES, NODE_TYPES if typed else ())
    graphs = GraphBatch.from_graphs([random_graph(rng, typed, bool(rng.integers(2))) for _ in range(3)], vocabulary)
    symbol_code, message_code = random_codes(rng, n_clauses)
    params = MachineParams(
        n_outputs=3,
        n_clauses=n_clauses,
        hypervector_size=symbol_code.size,
        message_code=message_code,
        depth=depth,
        max_misses=max_misses,
        n_node_types=len(vocabulary.node_types),
    )
    graded = max_misses > 0 and rng.random(n_clauses) < 0.7
    automata = [np.zeros((n_clauses, 2 * params.layer_size(layer)), np.uint8) for layer in range(depth)]
    weights = rng.integers(-5, 6, (3, n_clauses)).astype(np.int32)
    encoded = encode(graphs, symbol_code)
    for layer in range(depth):
        traced = trace_graph(params, MachineState(tuple(automata), weights), encoded)
        for clause in range(n_clauses):
            at = np.flatnonzero(traced.truth[layer][clause])
            if len(at):
                node = rng.choice(at)
                bits = traced.bits[node] if layer == 0 else traced.messages[layer - 1][node] > 0
                holding = np.flatnonzero(np.concatenate([bits, ~bits]))
                positive = holding[holding < len(bits)]
                chosen = [*rng.choice(holding, rng.integers(0, 3)), *positive[: rng.integers(0, 3)]]
                automata[layer][clause, chosen] = 128 + rng.integers(0, 128)
    for layer, clause in np.ndindex(depth, n_clauses * bool(max_misses)):
        if graded[clause] and (layer == depth - 1 or rng.random() < 0.3):
            n_more = rng.integers(0, min(12, max_misses + 3))
            automata[layer][clause, rng.integers(0, 2 * params.layer_size(layer), n_more)] = 200
    return Model(vocabulary, symbol_code, params, MachineState(tuple(automata), weights)), graphs


def chain_machine():
    """C0: A; C1: B AND red:C0, on A -red-> B and another A -red-> the same B."""
    params = MachineParams(
        n_outputs=2, n_clauses=2, hypervector_size=2, message_code=codes.one_hot(2), depth=2, n_node_types=0
    )
    automata = [np.zeros((2, 4), np.uint8), np.zeros((2, 4), np.uint8)]
    automata[0][0, 0] = automata[0][1, 1] = automata[0][1, 2] = automata[1][1, 0] = 255
    state = MachineState(tuple(automata), np.array([[1, -2], [0, 3]], np.int32))
    model = Model(Vocabulary(["A", "B"], ["red"]), codes.one_hot(2), params, state)
    graph = Graph()
    for name, symbol in (("x", "A"), ("y", "A"), ("z", "B")):
        graph.add_node(name, [symbol])
    graph.add_edge("x", "z", "red")
    graph.add_edge("y", "z", "red")
    return model, GraphBatch.from_graphs([graph], model.vocabulary)


def graded_machine(max_misses, node_types=(), second=((1, 2), (0,))):
    """C0: A; C1: B, NOT A, red:C0, or other literals, on A -red-> B <-red- A and B; so many may be missed."""
    params = MachineParams(
        n_outputs=2,
        n_clauses=2,
        hypervector_size=2,
        message_code=codes.one_hot(2),
        depth=2,
        max_misses=max_misses,
        n_node_types=len(node_types),
    )
    automata = [np.zeros((2, 4), np.uint8), np.zeros((2, 4), np.uint8)]
    automata[0][0, 0] = automata[0][1, second[0]] = automata[1][1, second[1]] = 255
    state = MachineState(tuple(automata), np.array([[1, -2], [0, 3]], np.int32))
    model = Model(Vocabulary(["A", "B"], ["red"], node_types), codes.one_hot(2), params, state)
    graph = Graph()
    for name, symbols in (("x", "A"), ("y", "AB"), ("z", "B")):
        graph.add_node(name, list(symbols), node_types[name == "z"] if node_types else None)
    graph.add_edge("x", "z", "red")
    graph.add_edge("y", "z", "red")
    return model, GraphBatch.from_graphs([graph], model.vocabulary)


models = st.integers(0, 2**32 - 1).map(random_model)
graded_models = st.builds(random_model, st.integers(0, 2**32 - 1), st.integers(1, 20))


def oracle(model, graphs):
    engine = loaded_engine(model, "reference")
    return engine, encode(graphs.with_vocabulary(model.vocabulary), model.symbol_code)


def loaded_engine(model, name="cpu"):
    engine = make_engine(name, 1)
    engine.load(model.params, model.state)
    return engine


def differences(model, batch):
    """How many (clause, node) pairs differ between the machine and its formulas, simplified or not."""
    engine, encoded = oracle(model, batch)
    expected = engine.node_outputs(encoded)
    clauses = Clauses(model)
    return sum(
        int(np.count_nonzero(evaluate(clauses.unroll(range(clauses.n_clauses), simplify=simplify), batch) != expected))
        for simplify in (True, False)
    )


def check_class_sums(model, batch):
    """Simplified rules vote as the machine does: merged, dropped and all."""
    rules = rules_of(model, range(model.params.n_outputs), simplify=True)
    votes = np.array([rule.weights for rule in rules], np.int64).reshape(len(rules), model.params.n_outputs)
    truth = matches(rules.unroll(), batch)
    engine, encoded = oracle(model, batch)
    np.testing.assert_array_equal(truth.astype(np.int64) @ votes, engine.class_sums(encoded))


def chain_truth(formula, word, n):
    """Evaluate the paper's form by hand at place ``n`` of a word."""
    if formula.kind == "match":
        place, conditions = formula.name
        there = n + place
        return 0 <= there < len(word) and all(
            (word[there] == condition.name) if condition.kind == "has" else (word[there] != condition.parts[0].name)
            for condition in conditions
        )
    parts = [chain_truth(part, word, n) for part in formula.parts]
    return {"all": all(parts), "any": any(parts), "not": not any(parts), "true": True, "false": False}[formula.kind]


class Naive:
    """One graph in the machine, by sets and loops: what each clause asks for, and what grants it."""

    def __init__(self, model, graph):
        self.model, self.graph, params = model, graph, model.params
        self.nodes = list(graph.nodes)
        self.edges = sorted(
            (self.nodes.index(a), self.nodes.index(b), EDGE_TYPES.index(kind)) for a, b, kind in graph.edges
        )
        self.carried = [{SYMBOLS.index(symbol) for symbol in graph.properties(node)} for node in self.nodes]
        half = 1 << (params.state_bits - 1)
        self.includes = [
            [np.flatnonzero(row >= half).tolist() for row in automata] for automata in model.state.automata
        ]
        self.true = [
            {
                (j, n)
                for j in range(params.n_clauses)
                for n in range(len(self.nodes))
                if self.serves(j, n) and all(self.holds(0, literal, n) for literal in self.includes[0][j])
            }
        ]
        for layer in range(1, params.depth):
            below = self.true[-1]
            self.true.append(
                {(j, n) for j, n in below if all(self.holds(layer, k, n) for k in self.includes[layer][j])}
            )

    def serves(self, clause, node):
        n_types = self.model.params.n_node_types
        return n_types < 2 or self.graph.node_type(self.nodes[node]) == NODE_TYPES[clause % n_types]

    def strength(self, clause, node):
        layers = range(self.model.params.depth)
        missed = sum(not self.holds(d, literal, node) for d in layers for literal in self.includes[d][clause])
        return max(0, self.model.params.max_misses + 1 - missed) * self.serves(clause, node)

    def holds(self, layer, literal, node):
        negated, bit = divmod(literal, self.model.params.layer_size(layer))
        return bool(self.granting(layer, bit, node)) != bool(negated)

    def satisfies(self, literal, node):
        """Whether a literal of a rule holds at a node, in the names of the data."""
        if literal.layer == 0:
            there = any(SYMBOLS.index(symbol) in self.carried[node] for symbol in literal.owners)
        else:
            sent = {
                Message(EDGE_TYPES[kind], clause)
                for source, destination, kind in self.edges
                for clause in range(self.model.params.n_clauses)
                if destination == node and (clause, source) in self.true[literal.layer - 1]
            }
            there = not sent.isdisjoint(literal.owners)
        return there != literal.negated

    def granting(self, layer, bit, node):
        """The symbols, or (edge, clause) pairs, that set a bit at a node."""
        if layer == 0:
            return [symbol for symbol in sorted(self.carried[node]) if bit in self.owned(symbol)]
        return [
            (edge, j)
            for edge, (source, destination, kind) in enumerate(self.edges)
            for j in range(self.model.params.n_clauses)
            if destination == node and (j, source) in self.true[layer - 1] and bit in self.sent(j, kind)
        ]

    def owned(self, symbol):
        return set(self.model.symbol_code.positions[symbol].tolist())

    def sent(self, clause, kind):
        code = self.model.params.message_code
        return {(position + kind) % code.size for position in code.positions[clause].tolist()}

    def owners(self, layer, bit):
        if layer == 0:
            return [symbol for symbol in range(len(SYMBOLS)) if bit in self.owned(symbol)]
        pairs = [(j, kind) for j in range(self.model.params.n_clauses) for kind in range(len(EDGE_TYPES))]
        return [pair for pair in pairs if bit in self.sent(*pair)]

    def readout(self):
        names = self.graph.readout
        return [n for n, name in enumerate(self.nodes) if names is None or name in names]

    def share(self, weights, misses=True):
        """Share out votes, with fractions: scores of nodes, edges, present and absent symbols, silence, existence."""
        self.scores = {"nodes": {}, "edges": {}, "present": {}, "absent": {}, "silence": {}, "existence": {}}
        for j, weight in enumerate(weights):
            strengths = {n: self.strength(j, n) for n in self.readout()}
            at = [n for n, strength in strengths.items() if 0 < strength == max(strengths.values())]
            for node in at:
                self.vote(j, node, Fraction(int(weight), len(at)), strengths[node], misses)
        return self.scores

    def add(self, what, key, amount):
        self.scores[what][key] = self.scores[what].get(key, Fraction(0)) + amount

    def vote(self, clause, node, weight, strength, misses):
        """What a clause gives at one of the nodes where it is strongest, if its weight there is this much."""
        params = self.model.params
        literals = [(d, literal) for d in range(params.depth) for literal in self.includes[d][clause]]
        for d, literal in literals:
            if misses and not self.holds(d, literal, node):
                self.give_to(d, literal % params.layer_size(d), node, -weight)
        whole = weight * (params.max_misses + 1 if misses else strength)
        held = [(d, literal % params.layer_size(d)) for d, literal in literals if self.holds(d, literal, node)]
        self.give_all([(d, bit) for d, bit in held if self.owners(d, bit)], node, whole)

    def give(self, clause, node, layer, amount, receiver):
        """What a sender gets: all its conditions hold."""
        bits = [
            (d, literal % self.model.params.layer_size(d))
            for d in range(layer + 1)
            for literal in self.includes[d][clause]
        ]
        self.give_all([(d, bit) for d, bit in bits if self.owners(d, bit)], node, amount, receiver)

    def give_all(self, bits, node, amount, receiver=None):
        if not bits:
            self.add("existence", None, amount)
            self.add("nodes", node if receiver is None else receiver, amount)
        for d, bit in bits:
            self.give_to(d, bit, node, amount / len(bits))

    def give_to(self, layer, bit, node, amount):
        """To what sets a bit, or to what does not and could."""
        granting = self.granting(layer, bit, node)
        if layer and granting:
            for edge, sender in granting:
                self.add("edges", edge, amount / len(granting))
                self.give(sender, self.edges[edge][0], layer - 1, amount / len(granting), node)
            return
        self.add("nodes", node, amount)
        symbols = granting or self.owners(layer, bit)
        if not symbols:
            self.add("existence", None, amount)
        elif layer:
            self.add("silence", None, amount)
        else:
            for symbol in symbols:
                self.add("present" if granting else "absent", (node, symbol), amount / len(symbols))
