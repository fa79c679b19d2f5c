"""MNIST as graphs of one node, whose symbols are the white pixels."""

import argparse
from time import time

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--training-images", default=10000, type=int)
parser.add_argument("--test-images", default=10000, type=int)
parser.add_argument("--epochs", default=20, type=int)
parser.add_argument("--number-of-clauses", default=5000, type=int)
parser.add_argument("--T", default=3000, type=int)
parser.add_argument("--s", default=8.0, type=float)
parser.add_argument("--q", default=9.0, type=float)
parser.add_argument("--max-included-literals", default=32, type=int)
args = parser.parse_args()

np.random.seed(0)

data = np.load(args.data)
X_train = np.where(data["x_train"][: args.training_images] > 75, 1, 0).reshape(-1, 28 * 28)
X_test = np.where(data["x_test"][: args.test_images] > 75, 1, 0).reshape(-1, 28 * 28)
Y_train = data["y_train"][: args.training_images].astype(np.uint32)
Y_test = data["y_test"][: args.test_images].astype(np.uint32)


def fill(graphs, X):
    for graph_id in range(X.shape[0]):
        graphs.set_number_of_graph_nodes(graph_id, 1)
    graphs.prepare_node_configuration()
    for graph_id in range(X.shape[0]):
        graphs.add_graph_node(graph_id, "Image Node", 0)
    graphs.prepare_edge_configuration()
    for graph_id in range(X.shape[0]):
        for k in X[graph_id].nonzero()[0]:
            graphs.add_graph_node_property(graph_id, "Image Node", "W:%d,%d" % (k // 28, k % 28))
    graphs.encode()


symbols = ["W:%d,%d" % (i, j) for i in range(28) for j in range(28)]
graphs_train = Graphs(X_train.shape[0], symbols=symbols, one_hot_encoding=True)
fill(graphs_train, X_train)
graphs_test = Graphs(X_test.shape[0], init_with=graphs_train)
fill(graphs_test, X_test)

tm = MultiClassGraphTsetlinMachine(
    args.number_of_clauses, args.T, args.s, q=args.q, max_included_literals=args.max_included_literals
)
for i in range(args.epochs):
    start_training = time()
    tm.fit(graphs_train, Y_train, epochs=1, incremental=True)
    stop_training = time()
    result_test = 100 * (tm.predict(graphs_test) == Y_test).mean()
    print("%d %.2f %.2f" % (i, result_test, stop_training - start_training))
