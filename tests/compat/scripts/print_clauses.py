"""Print the clauses of a deep machine: symbols of a node, and clauses of nodes that send it messages."""

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine

np.random.seed(5)
number_of_examples = 1000
letters = ["A", "B"]

graphs = Graphs(number_of_examples, symbols=letters, hypervector_size=32, hypervector_bits=2)
for graph_id in range(number_of_examples):
    graphs.set_number_of_graph_nodes(graph_id, 2)
graphs.prepare_node_configuration()
for graph_id in range(number_of_examples):
    graphs.add_graph_node(graph_id, "first", 1)
    graphs.add_graph_node(graph_id, "second", 1)
graphs.prepare_edge_configuration()
X = np.random.randint(2, size=(number_of_examples, 2))
Y = X[:, 0] ^ X[:, 1]
for graph_id in range(number_of_examples):
    graphs.add_graph_node_edge(graph_id, "first", "second", "forth")
    graphs.add_graph_node_edge(graph_id, "second", "first", "back")
    graphs.add_graph_node_property(graph_id, "first", letters[X[graph_id, 0]])
    graphs.add_graph_node_property(graph_id, "second", letters[X[graph_id, 1]])
graphs.encode()

tm = MultiClassGraphTsetlinMachine(20, 100, 2.0, depth=2, message_size=256, message_bits=2, max_included_literals=6)
tm.fit(graphs, Y, epochs=5)
accuracy = 100 * (tm.predict(graphs) == Y).mean()
print("%.2f" % accuracy)

graphs.print_graph(0)
graphs.print_graph_nodes(1)
graphs.print_graph_edges(1)

weights = tm.get_weights()
clause_literals = tm.get_clause_literals(graphs.hypervectors)
messages = tm.get_messages(1, len(graphs.edge_type_id))
number_of_symbols = len(graphs.symbol_id)
symbol_names = {number: symbol for symbol, number in graphs.symbol_id.items()}
edge_names = {number: edge_type for edge_type, number in graphs.edge_type_id.items()}
for clause in range(tm.number_of_clauses):
    literals = []
    for literal in range(2 * number_of_symbols):
        if clause_literals[clause, literal] > 0:
            sign = "" if literal < number_of_symbols else "NOT "
            literals.append(
                "%s%s x%d" % (sign, symbol_names[literal % number_of_symbols], clause_literals[clause, literal])
            )
    for edge_type in range(messages.shape[0]):
        for literal in range(2 * tm.number_of_clauses):
            if messages[edge_type, clause, literal] > 0:
                sign = "" if literal < tm.number_of_clauses else "NOT "
                sender = literal % tm.number_of_clauses
                literals.append(
                    "%s%s:C%d x%d" % (sign, edge_names[edge_type], sender, messages[edge_type, clause, literal])
                )
    print("Clause #%d %s: %s" % (clause, weights[:, clause], " AND ".join(literals)))

# The same literals, bit by bit.
hyperliterals = tm.get_hyperliterals(1)
for clause in range(tm.number_of_clauses):
    for ta in range(2 * tm.message_size):
        assert tm.ta_action(1, clause, ta) == hyperliterals[clause, ta]
print(tm.get_ta_states(1).max())
