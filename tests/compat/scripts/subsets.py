"""Train and test on parts of one set of graphs, chosen by slices, lists, arrays and masks."""

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import GraphTsetlinMachine

np.random.seed(17)
number_of_examples = 2000
sizes = np.random.randint(2, 6, size=number_of_examples)

graphs = Graphs(
    number_of_examples, symbols=["A", "B", "C"], hypervector_size=64, hypervector_bits=2, double_hashing=True
)
for graph_id in range(number_of_examples):
    graphs.set_number_of_graph_nodes(graph_id, sizes[graph_id])
graphs.prepare_node_configuration()
for graph_id in range(number_of_examples):
    for node_id in range(sizes[graph_id]):
        graphs.add_graph_node(graph_id, "n%d" % node_id, 0, "odd" if node_id % 2 else "even")
graphs.prepare_edge_configuration()
Y = np.zeros(number_of_examples, dtype=int)
for graph_id in range(number_of_examples):
    for node_id in range(sizes[graph_id]):
        symbol = np.random.choice(["A", "B", "C"])
        graphs.add_graph_node_property(graph_id, "n%d" % node_id, symbol)
        if symbol == "A" and node_id % 2:
            Y[graph_id] = 1
graphs.encode()

order = np.random.permutation(number_of_examples)
train, test = order[:1500], order[1500:]
tm = GraphTsetlinMachine(number_of_clauses=20, T=100, s=2.0)
tm.fit(graphs[train], Y[train], epochs=10)
accuracy = 100 * (tm.predict(graphs[test]) == Y[test]).mean()
print("%.2f" % accuracy)

scores = tm.score(graphs)
mask = sizes == 3
assert len(graphs[mask]) == mask.sum() and graphs[mask].max_number_of_graph_nodes == 3
assert (tm.score(graphs[mask]) == scores[mask]).all()
assert (tm.score(graphs[list(test)]) == scores[test]).all()
assert (tm.score(graphs[100:50:-7]) == scores[100:50:-7]).all()
assert tm.score(graphs[3])[0] == scores[3]
print(graphs.number_of_node_types(), graphs[mask].number_of_graphs)
