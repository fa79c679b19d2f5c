"""XOR of two nodes, each of which hears the other's symbol. One in a hundred labels is wrong."""

import argparse
import random
from time import time

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", default=20, type=int)
parser.add_argument("--number-of-examples", default=2000, type=int)
parser.add_argument("--number-of-clauses", default=10, type=int)
parser.add_argument("--T", default=100, type=int)
parser.add_argument("--s", default=1.0, type=float)
parser.add_argument("--number-of-state-bits", default=8, type=int)
parser.add_argument("--depth", default=2, type=int)
parser.add_argument("--hypervector-size", default=32, type=int)
parser.add_argument("--hypervector-bits", default=2, type=int)
parser.add_argument("--message-size", default=256, type=int)
parser.add_argument("--message-bits", default=2, type=int)
parser.add_argument("--double-hashing", action="store_true")
parser.add_argument("--one-hot-encoding", action="store_true")
parser.add_argument("--max-included-literals", default=8, type=int)
parser.add_argument("--noise", default=0.01, type=float)
parser.add_argument("--seed", default=42, type=int)
args = parser.parse_args()

np.random.seed(args.seed)
random.seed(args.seed)


def fill(graphs, noise):
    for graph_id in range(graphs.number_of_graphs):
        graphs.set_number_of_graph_nodes(graph_id, 2)
    graphs.prepare_node_configuration()
    for graph_id in range(graphs.number_of_graphs):
        graphs.add_graph_node(graph_id, "Node 1", 1)
        graphs.add_graph_node(graph_id, "Node 2", 1)
    graphs.prepare_edge_configuration()
    Y = np.empty(graphs.number_of_graphs, dtype=np.uint32)
    for graph_id in range(graphs.number_of_graphs):
        graphs.add_graph_node_edge(graph_id, "Node 1", "Node 2", "Plain")
        graphs.add_graph_node_edge(graph_id, "Node 2", "Node 1", "Plain")
        x1 = random.choice(["A", "B"])
        x2 = random.choice(["A", "B"])
        graphs.add_graph_node_property(graph_id, "Node 1", x1)
        graphs.add_graph_node_property(graph_id, "Node 2", x2)
        Y[graph_id] = 0 if x1 == x2 else 1
    graphs.encode()
    return np.where(np.random.rand(len(Y)) < noise, 1 - Y, Y)


graphs_train = Graphs(
    args.number_of_examples,
    symbols=["A", "B"],
    hypervector_size=args.hypervector_size,
    hypervector_bits=args.hypervector_bits,
    double_hashing=args.double_hashing,
    one_hot_encoding=args.one_hot_encoding,
)
Y_train = fill(graphs_train, args.noise)
graphs_test = Graphs(args.number_of_examples, init_with=graphs_train)
Y_test = fill(graphs_test, 0)

tm = MultiClassGraphTsetlinMachine(
    args.number_of_clauses,
    args.T,
    args.s,
    number_of_state_bits=args.number_of_state_bits,
    depth=args.depth,
    message_size=args.message_size,
    message_bits=args.message_bits,
    max_included_literals=args.max_included_literals,
    double_hashing=args.double_hashing,
    one_hot_encoding=args.one_hot_encoding,
    grid=(16 * 13, 1, 1),
    block=(128, 1, 1),
)

for i in range(args.epochs):
    start_training = time()
    tm.fit(graphs_train, Y_train, epochs=1, incremental=True)
    stop_training = time()

    start_testing = time()
    result_test = 100 * (tm.predict(graphs_test) == Y_test).mean()
    stop_testing = time()

    result_train = 100 * (tm.predict(graphs_train) == Y_train).mean()
    print(
        "%d %.2f %.2f %.2f %.2f"
        % (i, result_train, result_test, stop_training - start_training, stop_testing - start_testing)
    )

weights = tm.get_state()[1].reshape(2, -1)
for i in range(tm.number_of_clauses):
    literals = []
    for k in range(graphs_train.hypervector_size * 2):
        if tm.ta_action(0, i, k):
            literals.append(
                "x%d" % k if k < graphs_train.hypervector_size else "NOT x%d" % (k - graphs_train.hypervector_size)
            )
    for k in range(tm.message_size * 2):
        if tm.depth > 1 and tm.ta_action(1, i, k):
            literals.append("c%d" % k if k < tm.message_size else "NOT c%d" % (k - tm.message_size))
    print("Clause #%d W:(%d %d)" % (i, weights[0, i], weights[1, i]), " AND ".join(literals))

print(graphs_test.hypervectors)
print(tm.hypervectors)
print(graphs_test.edge_type_id)
