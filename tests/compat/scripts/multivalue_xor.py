"""Is the sum of two of twenty values odd? Symbols have hashed codes."""

import argparse

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", default=30, type=int)
parser.add_argument("--number-of-examples", default=5000, type=int)
parser.add_argument("--number-of-symbols", default=20, type=int)
parser.add_argument("--number-of-clauses", default=100, type=int)
parser.add_argument("--T", default=1000, type=int)
parser.add_argument("--s", default=2.2, type=float)
parser.add_argument("--hypervector-size", default=256, type=int)
parser.add_argument("--message-size", default=2048, type=int)
parser.add_argument("--double-hashing", action="store_true")
parser.add_argument("--noise", default=0.01, type=float)
parser.add_argument("--seed", default=1, type=int)
args = parser.parse_args()

np.random.seed(args.seed)


def values(number_of_examples):
    X = np.random.randint(0, args.number_of_symbols, size=(number_of_examples, 2))
    return X, (X.sum(axis=1) % 2).astype(np.uint32)


def fill(graphs, X):
    for graph_id in range(X.shape[0]):
        graphs.set_number_of_graph_nodes(graph_id, 2)
    graphs.prepare_node_configuration()
    for graph_id in range(X.shape[0]):
        for node_id in range(2):
            graphs.add_graph_node(graph_id, node_id, 1)
    graphs.prepare_edge_configuration()
    for graph_id in range(X.shape[0]):
        for node_id in range(2):
            graphs.add_graph_node_edge(graph_id, node_id, 1 - node_id, "Plain")
            graphs.add_graph_node_property(graph_id, node_id, X[graph_id, node_id])
    graphs.encode()


X_train, Y_train = values(args.number_of_examples)
Y_train = np.where(np.random.rand(args.number_of_examples) < args.noise, 1 - Y_train, Y_train)
graphs_train = Graphs(
    args.number_of_examples,
    symbols=range(args.number_of_symbols),
    hypervector_size=args.hypervector_size,
    hypervector_bits=2,
    double_hashing=args.double_hashing,
)
fill(graphs_train, X_train)
X_test, Y_test = values(args.number_of_examples)
graphs_test = Graphs(args.number_of_examples, init_with=graphs_train)
fill(graphs_test, X_test)

tm = MultiClassGraphTsetlinMachine(
    args.number_of_clauses,
    args.T,
    args.s,
    depth=2,
    message_size=args.message_size,
    message_bits=2,
    double_hashing=args.double_hashing,
)
for i in range(args.epochs):
    tm.fit(graphs_train, Y_train, epochs=1, incremental=True)
    result_test = 100 * (tm.predict(graphs_test) == Y_test).mean()
    print("%d %.2f" % (i, result_test))
