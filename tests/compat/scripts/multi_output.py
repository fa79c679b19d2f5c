"""XOR, AND and OR of two nodes, as three outputs of one machine."""

import argparse
import random

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiOutputGraphTsetlinMachine

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", default=20, type=int)
parser.add_argument("--number-of-examples", default=2000, type=int)
parser.add_argument("--number-of-clauses", default=20, type=int)
parser.add_argument("--T", default=100, type=int)
parser.add_argument("--s", default=2.0, type=float)
parser.add_argument("--q", default=1.0, type=float)
parser.add_argument("--noise", default=0.01, type=float)
args = parser.parse_args()

np.random.seed(7)
random.seed(7)


def fill(graphs, noise):
    for graph_id in range(graphs.number_of_graphs):
        graphs.set_number_of_graph_nodes(graph_id, 2)
    graphs.prepare_node_configuration()
    for graph_id in range(graphs.number_of_graphs):
        for node_name in ("left", "right"):
            graphs.add_graph_node(graph_id, node_name, 1)
    graphs.prepare_edge_configuration()
    Y = np.empty((graphs.number_of_graphs, 3), dtype=np.uint32)
    for graph_id in range(graphs.number_of_graphs):
        graphs.add_graph_node_edge(graph_id, "left", "right", "Plain")
        graphs.add_graph_node_edge(graph_id, "right", "left", "Plain")
        x1, x2 = random.randint(0, 1), random.randint(0, 1)
        graphs.add_graph_node_property(graph_id, "left", x1)
        graphs.add_graph_node_property(graph_id, "right", x2)
        Y[graph_id] = x1 ^ x2, x1 & x2, x1 | x2
    graphs.encode()
    return np.where(np.random.rand(*Y.shape) < noise, 1 - Y, Y)


graphs_train = Graphs(args.number_of_examples, symbols=[0, 1], one_hot_encoding=True)
Y_train = fill(graphs_train, args.noise)
graphs_test = Graphs(args.number_of_examples, init_with=graphs_train)
Y_test = fill(graphs_test, 0)

tm = MultiOutputGraphTsetlinMachine(
    args.number_of_clauses,
    args.T,
    args.s,
    q=args.q,
    depth=2,
    message_size=256,
    message_bits=2,
    max_included_literals=4,
    one_hot_encoding=True,
)
for i in range(args.epochs):
    tm.fit(graphs_train, Y_train, epochs=1, incremental=True)
    result_test = 100 * (tm.predict(graphs_test) == Y_test).mean(axis=0)
    print("%d XOR %.2f AND %.2f OR %.2f" % (i, *result_test))
