"""MNIST as graphs without edges: a node per patch of 10 x 10 pixels, whose symbols are its white pixels and place."""

import argparse
from time import time

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--training-images", default=10000, type=int)
parser.add_argument("--test-images", default=10000, type=int)
parser.add_argument("--epochs", default=12, type=int)
parser.add_argument("--number-of-clauses", default=1000, type=int)
parser.add_argument("--T", default=1000, type=int)
parser.add_argument("--s", default=5.0, type=float)
parser.add_argument("--q", default=9.0, type=float)
parser.add_argument("--max-included-literals", default=32, type=int)
parser.add_argument("--hypervector-size", default=128, type=int)
parser.add_argument("--hypervector-bits", default=2, type=int)
parser.add_argument("--one-hot-encoding", action="store_true")
args = parser.parse_args()

np.random.seed(0)

data = np.load(args.data)
X_train = np.where(data["x_train"][: args.training_images] > 75, 1, 0)
X_test = np.where(data["x_test"][: args.test_images] > 75, 1, 0)
Y_train = data["y_train"][: args.training_images].astype(np.uint32)
Y_test = data["y_test"][: args.test_images].astype(np.uint32)

patch_size = 10
dim = 28 - patch_size + 1


def fill(graphs, X):
    for graph_id in range(X.shape[0]):
        graphs.set_number_of_graph_nodes(graph_id, dim * dim)
    graphs.prepare_node_configuration()
    for graph_id in range(X.shape[0]):
        for node_id in range(dim * dim):
            graphs.add_graph_node(graph_id, node_id, 0)
    graphs.prepare_edge_configuration()
    for graph_id in range(X.shape[0]):
        windows = np.lib.stride_tricks.sliding_window_view(X[graph_id], (patch_size, patch_size))
        for q in range(dim):
            for r in range(dim):
                node_id = q * dim + r
                for k in windows[q, r].reshape(-1).nonzero()[0]:
                    graphs.add_graph_node_property(graph_id, node_id, k)
                graphs.add_graph_node_property(graph_id, node_id, "C:%d" % q)
                graphs.add_graph_node_property(graph_id, node_id, "R:%d" % r)
    graphs.encode()


symbols = list(range(patch_size * patch_size))
for i in range(dim):
    symbols += ["C:%d" % i, "R:%d" % i]

start = time()
graphs_train = Graphs(
    X_train.shape[0],
    symbols=symbols,
    hypervector_size=args.hypervector_size,
    hypervector_bits=args.hypervector_bits,
    one_hot_encoding=args.one_hot_encoding,
)
fill(graphs_train, X_train)
graphs_test = Graphs(X_test.shape[0], init_with=graphs_train)
fill(graphs_test, X_test)
print("Built in %.0f s" % (time() - start))

tm = MultiClassGraphTsetlinMachine(
    args.number_of_clauses, args.T, args.s, q=args.q, max_included_literals=args.max_included_literals
)
for i in range(args.epochs):
    start_training = time()
    tm.fit(graphs_train, Y_train, epochs=1, incremental=True)
    stop_training = time()
    result_test = 100 * (tm.predict(graphs_test) == Y_test).mean()
    print("%d %.2f %.2f" % (i, result_test, stop_training - start_training), flush=True)
