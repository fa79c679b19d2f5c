"""Has a sequence one, two or three A's in a row? Sequences differ in length."""

import argparse

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", default=20, type=int)
parser.add_argument("--number-of-examples", default=4000, type=int)
parser.add_argument("--number-of-clauses", default=20, type=int)
parser.add_argument("--T", default=200, type=int)
parser.add_argument("--s", default=2.0, type=float)
parser.add_argument("--depth", default=3, type=int)
parser.add_argument("--message-size", default=256, type=int)
parser.add_argument("--max-included-literals", default=8, type=int)
parser.add_argument("--shortest", default=4, type=int)
parser.add_argument("--longest", default=8, type=int)
parser.add_argument("--longest-test", default=12, type=int)
parser.add_argument("--double-hashing", action="store_true")
parser.add_argument("--noise", default=0.01, type=float)
parser.add_argument("--seed", default=3, type=int)
args = parser.parse_args()

np.random.seed(args.seed)


def sequence_graphs(graphs, longest):
    for graph_id in range(graphs.number_of_graphs):
        graphs.set_number_of_graph_nodes(graph_id, np.random.randint(args.shortest, longest + 1))
    graphs.prepare_node_configuration()
    for graph_id in range(graphs.number_of_graphs):
        last = graphs.number_of_graph_nodes[graph_id] - 1
        for node_id in range(graphs.number_of_graph_nodes[graph_id]):
            graphs.add_graph_node(graph_id, node_id, 1 if node_id in (0, last) else 2)
    graphs.prepare_edge_configuration()
    Y = np.empty(graphs.number_of_graphs, dtype=np.uint32)
    for graph_id in range(graphs.number_of_graphs):
        length = graphs.number_of_graph_nodes[graph_id]
        for node_id in range(length):
            if node_id > 0:
                graphs.add_graph_node_edge(graph_id, node_id, node_id - 1, "Left")
            if node_id < length - 1:
                graphs.add_graph_node_edge(graph_id, node_id, node_id + 1, "Right")
        Y[graph_id] = np.random.randint(3)
        first = np.random.randint(length - Y[graph_id])
        for node_id in range(length):
            inside = first <= node_id <= first + Y[graph_id]
            graphs.add_graph_node_property(graph_id, node_id, "A" if inside else "B")
    graphs.encode()
    return Y


graphs_train = Graphs(
    args.number_of_examples,
    symbols=["A", "B"],
    hypervector_size=16,
    hypervector_bits=1,
    double_hashing=args.double_hashing,
)
Y_train = sequence_graphs(graphs_train, args.longest)
Y_train = np.where(np.random.rand(len(Y_train)) < args.noise, np.random.randint(3, size=len(Y_train)), Y_train)
graphs_test = Graphs(args.number_of_examples, init_with=graphs_train)
Y_test = sequence_graphs(graphs_test, args.longest_test)
print(graphs_train.max_number_of_graph_nodes, graphs_test.max_number_of_graph_nodes)

tm = MultiClassGraphTsetlinMachine(
    args.number_of_clauses,
    args.T,
    args.s,
    depth=args.depth,
    message_size=args.message_size,
    double_hashing=args.double_hashing,
    max_included_literals=args.max_included_literals,
)
for i in range(args.epochs):
    tm.fit(graphs_train, Y_train, epochs=1, incremental=True)
    result_test = 100 * (tm.predict(graphs_test) == Y_test).mean()
    print("%d %.2f" % (i, result_test))
