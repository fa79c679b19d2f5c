"""Save a deep machine to a dict and to a file, and load both into new machines."""

import os
import pickle
import tempfile

import numpy as np
from GraphTsetlinMachine.graphs import Graphs
from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine

np.random.seed(11)


def chains(number_of_examples, init_with=None):
    graphs = Graphs(
        number_of_examples, symbols=["A", "B"], hypervector_size=16, hypervector_bits=2, init_with=init_with
    )
    for graph_id in range(number_of_examples):
        graphs.set_number_of_graph_nodes(graph_id, 3)
    graphs.prepare_node_configuration()
    for graph_id in range(number_of_examples):
        for node_id in range(3):
            graphs.add_graph_node(graph_id, node_id, 1 if node_id < 2 else 0)
    graphs.prepare_edge_configuration()
    X = np.random.randint(2, size=(number_of_examples, 3))
    for graph_id in range(number_of_examples):
        for node_id in range(3):
            graphs.add_graph_node_property(graph_id, node_id, "AB"[X[graph_id, node_id]])
            if node_id < 2:
                graphs.add_graph_node_edge(graph_id, node_id, node_id + 1, "next")
    graphs.encode()
    return graphs, X[:, 1] ^ X[:, 2]


graphs_train, Y_train = chains(1500)
graphs_test, Y_test = chains(500, init_with=graphs_train)
tm = MultiClassGraphTsetlinMachine(40, 100, 2.0, depth=3, message_size=256, max_included_literals=8)
tm.fit(graphs_train, Y_train, epochs=10)
accuracy = 100 * (tm.predict(graphs_test) == Y_test).mean()

with tempfile.TemporaryDirectory() as folder:
    fname = os.path.join(folder, "model.tm")
    state_dict = tm.save(fname)
    from_file = MultiClassGraphTsetlinMachine(1, 1, 1.0)
    from_file.load(fname=fname)

state_dict = pickle.loads(pickle.dumps(state_dict))
from_dict = MultiClassGraphTsetlinMachine(
    number_of_clauses=state_dict["number_of_clauses"],
    T=state_dict["T"],
    s=state_dict["s"],
    depth=state_dict["depth"],
    message_size=state_dict["message_size"],
    message_bits=state_dict["message_bits"],
)
from_dict.load(state_dict)

from_state = MultiClassGraphTsetlinMachine(20, 100, 2.0, depth=3)
from_state.set_state(tm.get_state())

for loaded in (from_file, from_dict, from_state):
    assert (loaded.score(graphs_test) == tm.score(graphs_test)).all()
    for depth in range(3):
        assert (loaded.get_ta_states(depth) == tm.get_ta_states(depth)).all()

# Training goes on as if nothing had happened, and a fit from scratch forgets all layers.
for machine in (tm, from_file, from_dict, from_state):
    machine.fit(graphs_train, Y_train, epochs=2, incremental=True)
    assert (machine.score(graphs_test) == tm.score(graphs_test)).all()
tm.fit(graphs_train, Y_train, epochs=0)
for depth in range(3):
    assert (tm.get_hyperliterals(depth) == 0).all()
print("%.2f" % accuracy)
