"""Machines with the interface of the package GraphTsetlinMachine."""

import inspect
import pickle
import tracemalloc

import numpy as np
import pytest

import graphtm as gtm
from graphtm import GraphTMError, ModelFormatError, NotEnoughMemoryError, UnknownSymbolError
from graphtm.compat.GraphTsetlinMachine.graphs import Graphs
from graphtm.compat.GraphTsetlinMachine.tm import (
    GraphTsetlinMachine,
    MultiClassGraphTsetlinMachine,
    MultiOutputGraphTsetlinMachine,
)
from graphtm.foundation import resources

SMALL = dict(number_of_clauses=6, T=20, s=2.0, depth=3, message_size=64, max_included_literals=5)


@pytest.fixture(autouse=True)
def _same_seeds(monkeypatch):
    state = np.random.get_state()
    np.random.seed(2)
    monkeypatch.setenv("GRAPHTM_ENGINE", "cpu")
    yield
    np.random.set_state(state)


def words(n, init_with=None, longest=4, symbols="ABC", edge="next"):
    """Return chains of letters with edges both ways, and which of the words contain AB."""
    drawn = ["".join(np.random.choice(list(symbols), np.random.randint(2, longest + 1))) for _ in range(n)]
    graphs = Graphs(n, symbols=list(symbols), hypervector_size=24, init_with=init_with)
    for graph, word in enumerate(drawn):
        graphs.set_number_of_graph_nodes(graph, len(word))
    graphs.prepare_node_configuration()
    for graph, word in enumerate(drawn):
        for node in range(len(word)):
            graphs.add_graph_node(graph, node, (node > 0) + (node < len(word) - 1))
    graphs.prepare_edge_configuration()
    for graph, word in enumerate(drawn):
        for node, letter in enumerate(word):
            graphs.add_graph_node_property(graph, node, letter)
            if node:
                graphs.add_graph_node_edge(graph, node - 1, node, edge)
                graphs.add_graph_node_edge(graph, node, node - 1, "back")
    graphs.encode()
    return graphs, np.array(["AB" in word for word in drawn], int)


def trained(kind=MultiClassGraphTsetlinMachine, n=200, epochs=2, **parameters):
    graphs, y = words(n)
    machine = kind(**SMALL | parameters)
    machine.fit(graphs, np.stack([y, 1 - y], axis=1) if kind is MultiOutputGraphTsetlinMachine else y, epochs=epochs)
    return machine, graphs, y


# The same machine as the native one


@pytest.mark.parametrize(
    "parameters",
    [{}, {"one_hot_encoding": True}, {"double_hashing": True}, {"q": 0.5, "boost_true_positive_feedback": 0}],
)
def test_it_learns_what_the_native_estimator_learns(parameters):
    machine, graphs, y = trained(**parameters)
    native = machine.native()
    assert (native.class_sums(graphs.batch) == machine.score(graphs)).all()
    again = gtm.GraphTMClassifier(**{**native.get_params(), "epochs": 2, "engine": "reference"})
    # The codes of symbols were drawn before the machine's seed, so only one_hot ones could be the same.
    again.model_, again.classes_ = machine.new_model(graphs.codebook, 2), native.classes_
    assert again.model_.vocabulary == machine.model.vocabulary
    part, labels = graphs[:40], y[:40]
    engine = gtm.engines.make_engine("reference")
    np.random.seed(9)
    machine.fit(part, labels, epochs=2)
    np.random.seed(9)
    model = machine.new_model(graphs.codebook, 2)
    engine.load(model.params, model.state)
    prepared = engine.prepare(gtm.codes.encode(part.batch, model.symbol_code))
    targets = gtm.engines.class_targets(labels, 2, model.params.T, machine.q)
    for _ in range(2):
        engine.fit(prepared, targets, np.arange(40))
    assert engine.state().equals(machine.model.state)


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        (MultiClassGraphTsetlinMachine, (200, 2)),
        (MultiOutputGraphTsetlinMachine, (200, 2)),
        (GraphTsetlinMachine, (200,)),
    ],
)
def test_what_machines_return(kind, shape):
    machine, graphs, y = trained(kind, epochs=20, depth=2, number_of_clauses=10, one_hot_encoding=True)
    sums, clauses = machine.score(graphs), machine.number_of_clauses
    assert sums.shape == shape
    predicted = machine.predict(graphs)
    assert ((predicted[:, 0] if predicted.ndim == 2 else predicted) == y).mean() > 0.9
    outputs, same_sums = machine.transform(graphs)
    assert outputs.shape == (200, clauses)
    assert (same_sums == sums).all()
    weighted = outputs.astype(int) @ machine.get_weights().T
    assert (weighted.reshape(sums.shape) == sums).all()
    at_nodes, same_sums = machine.transform_nodewise(graphs)
    assert at_nodes.shape == (200, clauses, graphs.max_number_of_graph_nodes)
    assert (at_nodes.max(axis=2) == outputs).all()
    assert (same_sums == sums).all()
    places = np.arange(graphs.max_number_of_graph_nodes)
    assert not at_nodes.sum(axis=1)[places >= graphs.number_of_graph_nodes[:, None]].any()


def test_what_scripts_read():
    machine, graphs, _ = trained(one_hot_encoding=True)
    assert (machine.number_of_clauses, machine.T, machine.s, machine.depth) == (6, 20, 2.0, 3)
    assert machine.number_of_outputs == 2
    assert machine.number_of_literals == 2 * graphs.hypervector_size == 48
    assert machine.message_size == 6 * len(graphs.edge_type_id)
    assert machine.hypervectors.tolist() == [[2 * clause] for clause in range(6)]
    automata, weights, *numbers, _ = machine.get_state()
    assert numbers == [2, 6, 48, 3, 8]
    assert [layer.shape for layer in automata] == [(6, 48), (6, 24), (6, 24)]
    assert (weights.reshape(2, -1) == machine.get_weights()).all()


def test_literals_layer_by_layer():
    machine, graphs, _ = trained()
    included = 0
    for depth, size in enumerate((48, 128, 128)):
        states, literals = machine.get_ta_states(depth), machine.get_hyperliterals(depth)
        assert states.shape == literals.shape == (6, size)
        assert (literals == (states >= 128)).all()
        assert all(machine.ta_action(depth, 2, ta) == literals[2, ta] for ta in range(size))
        included += literals.sum()
    assert included
    counts, literals = machine.get_clause_literals(graphs.hypervectors), machine.get_hyperliterals(0)
    assert counts.shape == (6, 6)
    for symbol, bits in enumerate(graphs.hypervectors):
        assert (counts[:, symbol] == literals[:, bits].sum(axis=1)).all()
        assert (counts[:, 3 + symbol] == literals[:, 24 + bits].sum(axis=1)).all()
    for depth in (1, 2):
        counts, literals = machine.get_messages(depth, 2), machine.get_hyperliterals(depth)
        assert counts.shape == (2, 6, 12)
        for edge_type in range(2):
            for sender, bits in enumerate(machine.hypervectors):
                shifted = (bits + edge_type) % 64
                assert (counts[edge_type, :, sender] == literals[:, shifted].sum(axis=1)).all()
                assert (counts[edge_type, :, 6 + sender] == literals[:, 64 + shifted].sum(axis=1)).all()


def test_results_can_be_subtracted():
    machine, graphs, y = trained(epochs=5)
    labels = y.astype(np.uint32)
    assert np.abs(machine.predict(graphs) - labels).max() <= 1
    assert (2 * machine.transform(graphs)[0] - 1).min() == -1
    assert (machine.transform_nodewise(graphs)[0] - 1).min() == -1
    literals, messages = machine.get_clause_literals(graphs.hypervectors), machine.get_messages(1, 2)
    assert abs(literals[:, :3] - literals[:, 3:]).max() <= 2
    assert abs(messages[..., :6] - messages[..., 6:]).max() <= 2
    assert (literals[:, :3] < literals[:, 3:]).any()


def test_predictions_of_several_outputs_can_be_subtracted():
    machine, graphs, y = trained(MultiOutputGraphTsetlinMachine, epochs=1)
    for labels in (np.stack([y, 1 - y], axis=1), np.stack([1 - y, y], axis=1)):
        errors = machine.predict(graphs) - labels.astype(np.uint32)
        assert {-1, 1} >= set(np.unique(errors[errors != 0]).tolist())
        assert errors.any()


def test_predictions_of_one_output_are_a_mask():
    machine, graphs, _ = trained(GraphTsetlinMachine, epochs=5)
    predicted = machine.predict(graphs)
    assert len(graphs[predicted]) == predicted.sum()
    assert machine.predict(graphs[~predicted]).sum() == 0


# Training


def test_a_specificity_per_layer():
    machine, graphs, y = trained(s=(2.0, 5.0, 1.5))
    assert machine.model.params.s_per_layer == (2.0, 5.0, 1.5)
    loaded = MultiClassGraphTsetlinMachine(1, 1, 1.0)
    loaded.load(machine.save())
    assert loaded.s == machine.s == (2.0, 5.0, 1.5)
    for one in (machine, loaded):
        one.fit(graphs, y, epochs=1, incremental=True)
    assert loaded.model.state.equals(machine.model.state)
    assert (machine.native().class_sums(graphs.batch) == machine.score(graphs)).all()


def test_seeds_follow_the_global_generator():
    graphs, y = words(100)
    states = []
    for seed in (1, 1, 2):
        np.random.seed(seed)
        machine = MultiClassGraphTsetlinMachine(**SMALL)
        machine.fit(graphs, y, epochs=1)
        states.append(machine.model.state)
    assert states[0].equals(states[1])
    assert not states[0].equals(states[2])


def test_epochs_add_up_and_a_fit_from_scratch_forgets_every_layer():
    graphs, y = words(100)
    machines = [MultiClassGraphTsetlinMachine(**SMALL) for _ in range(2)]
    for machine, epochs in zip(machines, ([3], [1, 2]), strict=True):
        np.random.seed(4)
        for n in epochs:
            machine.fit(graphs, y, epochs=n, incremental=True)
    assert machines[0].model.state.equals(machines[1].model.state)
    assert machines[0].model.epoch == 3
    machines[0].fit(graphs, y, epochs=0)
    assert all((machines[0].get_ta_states(depth) == 127).all() for depth in range(3))
    assert (abs(machines[0].get_weights()) == 1).all()


def test_the_launch_grid_is_ignored():
    sums = []
    for grid, block in (((1, 1, 1), (1, 1, 1)), ((16 * 13, 1, 1), (128, 1, 1)), (None, None)):
        np.random.seed(3)
        machine, graphs, _ = trained(grid=grid, block=block)
        sums.append(machine.score(graphs))
    assert (sums[0] == sums[1]).all()
    assert (sums[0] == sums[2]).all()


def test_larger_graphs_and_new_edge_types_in_the_test_set():
    machine, graphs, _ = trained(n=600, epochs=20, number_of_clauses=20, T=60, depth=2)
    larger, y = words(100, graphs, longest=9)
    assert larger.max_number_of_graph_nodes > graphs.max_number_of_graph_nodes
    assert (machine.predict(larger) == y).mean() > 0.9
    other, _ = words(10, graphs, edge="new")
    with pytest.raises(UnknownSymbolError, match="Unknown edge type 'new'"):
        machine.predict(other)
    assert (machine.predict(graphs) == machine.predict(graphs[:])).all()


def typed(types, init_with=None):
    """Return one node per type, each a graph of its own, with an A."""
    graphs = Graphs(len(types), symbols=["A", "B"], hypervector_size=16, init_with=init_with)
    for graph in range(len(types)):
        graphs.set_number_of_graph_nodes(graph, 1)
    graphs.prepare_node_configuration()
    for graph, node_type in enumerate(types):
        graphs.add_graph_node(graph, "n", 0, node_type)
    graphs.prepare_edge_configuration()
    for graph in range(len(types)):
        graphs.add_graph_node_property(graph, "n", "A")
    graphs.encode()
    return graphs


def test_new_node_types_of_other_graphs_do_not_matter():
    train = typed(["Plain"] * 4)
    machine = MultiClassGraphTsetlinMachine(4, 10, 2.0)
    machine.fit(train, [0, 1, 1, 1], epochs=2)
    sums = machine.score(train)
    other = typed(["Plain", "atom"], init_with=train)
    assert (machine.score(train[:]) == sums).all()
    assert (machine.score(other[:1]) == sums[:1]).all()
    with pytest.raises(UnknownSymbolError, match=r"Unknown node types .*'atom'"):
        machine.score(other)


def test_node_types_are_matched_by_name():
    train = typed(["atom", "bond"] * 50)
    machine = MultiClassGraphTsetlinMachine(4, 10, 2.0)
    machine.fit(train, [0, 1] * 50, epochs=10)
    assert machine.predict(train).tolist() == [0, 1] * 50
    assert machine.predict(typed(["bond", "atom"])).tolist() == [1, 0]
    assert machine.predict(typed(["bond", "bond"])).tolist() == [1, 1]
    assert machine.predict(train[[1, 3]]).tolist() == [1, 1]


def test_graphs_with_other_codes_are_matched_by_name():
    machine, graphs, _ = trained()
    sums, (other, _) = machine.score(graphs), words(3, symbols="CBA", edge="back")
    assert (other.hypervectors != graphs.hypervectors).any()
    np.random.seed(8)
    mine, _ = words(50, graphs)
    np.random.seed(8)
    theirs = Graphs(1, symbols=["C", "A", "B"], hypervector_size=64)
    again, _ = words(50, theirs)
    assert (machine.score(again) == machine.score(mine)).all()
    assert (machine.score(graphs) == sums).all()


def test_every_node_type_needs_a_clause():
    graphs = typed(["atom", "bond", "ring"])
    with pytest.raises(ValueError, match=r"'number_of_clauses' parameter of .* at least the number of node types, 3"):
        MultiClassGraphTsetlinMachine(2, 10, 2.0).fit(graphs, [0, 1, 1], epochs=1)


def test_batches_without_the_top_class():
    graphs, _ = words(90)
    y = np.arange(90) % 3
    machine = MultiClassGraphTsetlinMachine(**SMALL)
    machine.fit(graphs[y < 2], y[y < 2], epochs=1, incremental=True)
    assert machine.number_of_outputs == 2
    before = machine.get_weights()
    machine.fit(graphs[:0], y[:0], epochs=1, incremental=True)
    assert (machine.get_weights() == before).all()
    machine.fit(graphs, y, epochs=1, incremental=True)
    assert machine.score(graphs).shape == (90, 3)
    machine.fit(graphs[y < 1], y[y < 1], epochs=1, incremental=True)
    assert machine.number_of_outputs == 3


def test_more_state_bits_than_there_are():
    with pytest.warns(UserWarning, match="number_of_state_bits=10 is treated as 8"):
        machine, _, _ = trained(number_of_state_bits=10)
    assert machine.number_of_state_bits == 8
    assert machine.get_ta_states(0).max() < 256
    machine, _, _ = trained(number_of_state_bits=4)
    assert machine.get_ta_states(0).max() < 16


def test_the_engine_comes_from_the_environment(monkeypatch):
    machine, graphs, _ = trained()
    sums = machine.score(graphs)
    monkeypatch.setenv("GRAPHTM_ENGINE", "reference")
    copy = pickle.loads(pickle.dumps(machine))
    assert (copy.score(graphs) == sums).all()
    assert copy._engine.name == "reference"
    monkeypatch.setenv("GRAPHTM_ENGINE", "")
    assert (pickle.loads(pickle.dumps(machine)).score(graphs) == sums).all()
    monkeypatch.setenv("GRAPHTM_ENGINE", "fast")
    with pytest.raises(ValueError, match=r"GRAPHTM_ENGINE must be one of 'auto', 'cuda'.*Got 'fast' instead"):
        pickle.loads(pickle.dumps(machine)).score(graphs)


def test_without_the_engine_nothing_is_forgotten(monkeypatch):
    machine, graphs, y = trained()
    before = machine.model.state
    monkeypatch.setenv("GRAPHTM_ENGINE", "fast")
    with pytest.raises(ValueError, match="GRAPHTM_ENGINE must be one of"):
        machine.fit(graphs, y, epochs=1)
    assert machine.model.state.equals(before)


# Saving


@pytest.mark.parametrize("kind", [MultiClassGraphTsetlinMachine, MultiOutputGraphTsetlinMachine, GraphTsetlinMachine])
def test_a_file_is_a_native_model(kind, tmp_path):
    machine, graphs, _ = trained(kind)
    machine.save(tmp_path / "old.pkl")
    native = gtm.load(tmp_path / "old.pkl")
    assert (native.class_sums(graphs.batch).reshape(machine.score(graphs).shape) == machine.score(graphs)).all()
    assert len(native.rules()) <= 6
    loaded = kind(1, 1, 1.0)
    loaded.load(fname=tmp_path / "old.pkl")
    assert loaded.arguments() == machine.arguments()
    assert repr(loaded) == repr(machine)
    loaded.load({}, tmp_path / "old.pkl")
    assert (loaded.predict(graphs) == machine.predict(graphs)).all()


def test_a_state_can_be_changed_and_set():
    machine, graphs, _ = trained()
    automata, weights, *_, model = machine.get_state()
    weights[:] = np.arange(12)
    machine.set_state((automata, weights, model))
    assert machine.get_weights().tolist() == [list(range(6)), list(range(6, 12))]
    weights[:] = 0
    assert machine.get_weights().any()
    with pytest.raises(GraphTMError, match="must have 2 x 6 weights; got 3"):
        machine.set_state((automata, weights[:3], model))
    with pytest.raises(TypeError, match="what get_state returned"):
        machine.set_state(weights)
    assert machine.predict(graphs).any()


def test_what_cannot_be_loaded(tmp_path):
    machine, _, _ = trained()
    saved = machine.save(tmp_path / "model")
    with pytest.raises(ModelFormatError, match="must be loaded from a GraphTMMultiLabelClassifier; got a GraphTMCl"):
        MultiOutputGraphTsetlinMachine(6, 20, 2.0).load(saved)
    with pytest.raises(ValueError, match="needs either state_dict, as save returned it, or fname"):
        machine.load({})
    with pytest.raises(TypeError, match="dict that save returned, with 'header' and 'arrays'; got a 'dict'"):
        machine.load({"T": 3})
    with pytest.raises(TypeError, match=r"got a 'str'\. To load a file, pass fname"):
        machine.load("model")
    two, _, _ = trained(MultiOutputGraphTsetlinMachine)
    one, graphs, _ = trained(GraphTsetlinMachine)
    sums = one.score(graphs)
    for restore in (lambda: one.load(two.save()), lambda: one.set_state(two.get_state())):
        with pytest.raises(ModelFormatError, match="has one output; got a model with 2"):
            restore()
    assert (one.score(graphs) == sums).all()
    arrays = saved["arrays"]
    for name in ("symbol_positions", "message_positions", "weights"):
        for wrong in (arrays[name][:-1], arrays[name].astype(np.int64)):
            with pytest.raises(ModelFormatError, match=f"state_dict is damaged: .*{name} must be <i4 of shape"):
                machine.load(saved | {"arrays": arrays | {name: wrong}})
    before, model = machine.arguments(), machine.model
    header, deep = saved["header"], dict(depth=3, number_of_clauses=9, message_size=32, epochs=0)
    other = trained(q=0.5, **deep)[0].save()
    wrong = {"header": other["header"] | {"settings": other["header"]["settings"] | {"q": -1}}}
    with pytest.raises(ModelFormatError, match=r"state_dict is damaged: The 'q' parameter of .* Got -1 instead"):
        machine.load(other | wrong)
    assert (machine.arguments(), machine.model) == (before, model)
    flat, _, _ = trained(depth=1, epochs=0)
    for wrong, match in (
        ({"message_size": 0}, "'message_size'"),
        ({"double_hashing": 1, "one_hot_encoding": 1}, "both"),
    ):
        with pytest.raises(ModelFormatError, match=f"state_dict is damaged: .*{match}"):
            machine.load(flat.save() | wrong)
    assert (machine.arguments(), machine.model) == (before, model)
    assert header == machine.save()["header"]
    machine.load(saved)
    (tmp_path / "model").write_bytes(b"no model")
    with pytest.raises(ModelFormatError):
        machine.load(fname=tmp_path / "model")
    assert machine.number_of_outputs == 2


@pytest.mark.parametrize("messages", [{"double_hashing": True}, {"one_hot_encoding": True, "message_bits": 5}])
def test_a_dict_has_the_parameters_of_messages_that_one_layer_does_not_need(messages, tmp_path):
    machine, _, _ = trained(depth=1, epochs=0, message_size=99, **messages)
    loaded, of_file = MultiClassGraphTsetlinMachine(1, 1, 1.0), MultiClassGraphTsetlinMachine(1, 1, 1.0)
    loaded.load(machine.save(tmp_path / "model"))
    assert loaded.arguments() == machine.arguments()
    of_file.load(fname=tmp_path / "model")
    own = {"message_size": 256, "message_bits": 2, "double_hashing": False, "one_hot_encoding": False}
    assert of_file.arguments() == machine.arguments() | own


def test_a_state_of_another_depth_needs_one_specificity():
    machine, _, _ = trained(epochs=0)
    other = MultiClassGraphTsetlinMachine(9, 500, (1.5, 2.5), depth=2)
    with pytest.raises(
        ValueError,
        match=r"'s' parameter of MultiClassGraphTsetlinMachine must be a number, or 3 of them, one per layer of the "
        r"state\. Got \(1\.5, 2\.5\) instead\. Set s to a number, or create the machine with depth=3\.",
    ):
        other.set_state(machine.get_state())
    other.s = 1.5
    other.set_state(machine.get_state())
    assert (other.depth, other.s) == (3, 1.5)


# Wrong calls


def test_before_training():
    machine = MultiClassGraphTsetlinMachine(**SMALL)
    graphs, _ = words(3)
    for call in (lambda: machine.predict(graphs), lambda: machine.get_weights(), lambda: machine.save()):
        with pytest.raises(
            GraphTMError, match="This MultiClassGraphTsetlinMachine is not trained yet; call fit or load"
        ):
            call()


@pytest.mark.parametrize(
    ("kind", "y", "match"),
    [
        (MultiClassGraphTsetlinMachine, [0, 1], "one entry for each of 3 graphs; got 2"),
        (MultiClassGraphTsetlinMachine, [0, 1, -1], "integers from 0 to 2,147,483,646; got -1 for graph 2"),
        (MultiClassGraphTsetlinMachine, np.uint32([0, 1, 2**32 - 1]), "got 4294967295 for graph 2"),
        (MultiClassGraphTsetlinMachine, [0, 1, 0.5], "got 0.5 for graph 2"),
        (MultiClassGraphTsetlinMachine, [0, 1, np.nan], "got nan for graph 2"),
        (MultiClassGraphTsetlinMachine, [[0], [1], [1]], r"one class per graph; got an array of shape \(3, 1\)"),
        (MultiClassGraphTsetlinMachine, ["a", "b", "c"], "Y must be numbers"),
        (MultiOutputGraphTsetlinMachine, [0, 1, 1], "one row per graph and one column per output"),
        (MultiOutputGraphTsetlinMachine, [[0, 1], [1, 2], [0, 0]], "got 2 for output 1 of graph 1"),
        (MultiOutputGraphTsetlinMachine, [[0], [1], [0]], "Y must have 2 columns"),
        (GraphTsetlinMachine, [[0, 1], [1, 1], [0, 0]], "Y must be 0 or 1 for each graph"),
    ],
)
def test_wrong_labels_change_nothing(kind, y, match):
    machine, graphs, _ = trained(kind)
    before = machine.model.state
    with pytest.raises(ValueError, match=match):
        machine.fit(graphs[:3], y, incremental=True)
    assert machine.model.state.equals(before)


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("number_of_clauses", 0, "'number_of_clauses' parameter of GraphTsetlinMachine must be an int"),
        ("T", 0.5, "'T' parameter"),
        ("s", 0, "'s' parameter"),
        ("s", (2.0, 3.0), r"a number above 0 and up to 2\^32, or 3 of them, one per layer\. Got \(2.0, 3.0\) instead"),
        ("q", -1, "'q' parameter"),
        ("depth", "2", "'depth' parameter"),
        ("message_size", 0, "'message_size' parameter"),
        ("number_of_state_bits", 0, "'number_of_state_bits' parameter"),
    ],
)
def test_wrong_parameters(name, value, match):
    with pytest.raises(ValueError, match=match):
        GraphTsetlinMachine(**SMALL | {name: value})


def test_a_machine_shows_its_parameters():
    shown = "number_of_clauses=10, T=20, s=2.0, boost_true_positive_feedback=True, number_of_state_bits=8, depth=1"
    assert repr(GraphTsetlinMachine(10, 20, 2.0)).startswith(f"GraphTsetlinMachine({shown}, message_size=256")
    names = list(inspect.signature(MultiClassGraphTsetlinMachine).parameters)
    assert names == [
        "number_of_clauses", "T", "s", "q", "max_included_literals", "boost_true_positive_feedback",
        "number_of_state_bits", "depth", "message_size", "message_bits", "double_hashing", "one_hot_encoding", "grid",
        "block",
    ]  # fmt: skip


def test_printing_copies_no_state(monkeypatch):
    machine, _, _ = trained()
    copies = []
    engine, state = machine._engine, machine._engine.state
    monkeypatch.setattr(engine, "state", lambda: copies.append(1) or state())
    literals = [machine.ta_action(depth, clause, ta) for depth in range(3) for clause in range(6) for ta in range(48)]
    assert any(literals)
    assert sum(copies) == 1
    tracemalloc.start()
    machine.ta_action(1, 0, 0)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < machine.get_ta_states(1).size


def test_fractions_of_t_are_cut_off():
    assert GraphTsetlinMachine(10, 12.8, 2.0).T == 12


def test_wrong_layers_clauses_and_literals():
    machine, graphs, _ = trained()
    with pytest.raises(ValueError, match="depth must be a layer from 0 to 2; got 3"):
        machine.get_ta_states(3)
    with pytest.raises(ValueError, match="Messages arrive from layer 1 on"):
        machine.get_messages(0, 2)
    with pytest.raises(ValueError, match="clause must be a number from 0 to 5; got 6"):
        machine.ta_action(0, 6, 0)
    with pytest.raises(ValueError, match="ta must be a number from 0 to 127; got -1"):
        machine.ta_action(1, 0, -1)
    with pytest.raises(ValueError, match="positions from 0 to 23 for this machine"):
        machine.get_clause_literals(graphs.hypervectors + 24)
    with pytest.raises(ValueError, match=r"shape \(symbols, bits\)"):
        machine.get_clause_literals([1, 2])
    with pytest.raises(TypeError, match="must be Graphs; got a 'list'"):
        machine.predict([graphs])
    with pytest.raises(ValueError, match="'epochs' parameter of fit must be an int of at least 0"):
        machine.fit(graphs, np.zeros(200, int), epochs=1.5)


def test_counts_of_bits_need_no_more_memory_than_they_take(monkeypatch):
    machine, graphs, _ = trained(number_of_clauses=200, depth=2, epochs=0)
    machine.get_messages(1, 2)
    tracemalloc.start()
    n_bytes = machine.get_messages(1, 8).nbytes
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1.5 * n_bytes
    monkeypatch.setattr(resources, "free_memory", lambda: 1 << 20)
    with pytest.raises(NotEnoughMemoryError, match=r"messages of 8 edge types between 200 clauses would take 2\.4 MiB"):
        machine.get_messages(1, 8)
    hypervectors = np.tile(graphs.hypervectors, (1000, 1))
    with pytest.raises(NotEnoughMemoryError, match=r"symbols of 200 clauses would take .* Pass fewer hypervectors"):
        machine.get_clause_literals(hypervectors)
    assert machine.get_clause_literals(hypervectors[:100]).shape == (200, 200)


# Parameters set after training


def test_parameters_that_are_set_take_effect_at_the_next_fit(tmp_path):
    machine, graphs, y = trained()
    sums = machine.score(graphs)
    np.random.seed(6)
    same = MultiClassGraphTsetlinMachine(**SMALL | {"T": 9, "s": 5.0, "max_included_literals": 3, "q": 0.5})
    same.set_state(machine.get_state())
    machine.T, machine.s, machine.max_included_literals, machine.q = 9.7, 5, 3, 0.5
    assert (machine.score(graphs) == sums).all()
    for one in (machine, same):
        one.fit(graphs, y, epochs=1, incremental=True)
    assert machine.model.state.equals(same.model.state)
    assert machine.arguments() == same.arguments()
    assert machine.model.params.T == 9
    machine.s = machine.s * 0.9
    machine.boost_true_positive_feedback = 0
    native, saved = machine.native(), machine.save(tmp_path / "model")
    assert (native.T, native.s, native.boost_true_positive) == (9, 4.5, False)
    assert (saved["T"], saved["s"], saved["max_included_literals"], saved["q"]) == (9, 4.5, 3, 0.5)
    loaded = MultiClassGraphTsetlinMachine(1, 1, 1.0)
    loaded.load(fname=tmp_path / "model")
    assert loaded.arguments() == machine.arguments()
    for one in (machine, loaded):
        one.fit(graphs, y, epochs=1, incremental=True)
    assert loaded.model.state.equals(machine.model.state)


def test_parameters_that_stay_the_same_keep_the_engine():
    machine, graphs, y = trained()
    engine, prepared = machine._engine, machine._prepared[graphs]
    machine.T, machine.s, machine.max_included_literals, machine.q = 20.0, [2, 2, 2], 5, 0.5
    machine.boost_true_positive_feedback = 1
    assert machine._engine is engine
    assert machine._prepared[graphs] is prepared
    assert repr(machine).startswith("MultiClassGraphTsetlinMachine(number_of_clauses=6, T=20, s=2.0, q=0.5, max")
    before = machine.model.state
    machine.fit(graphs, y, epochs=1, incremental=True)
    assert not machine.model.state.equals(before)
    machine.T = 21
    assert machine._engine is None


def test_parameters_are_checked_when_they_are_set():
    machine, graphs, y = trained()
    before = machine.arguments(), machine.model.state
    for name, value in (("T", 0), ("s", (1.0, 2.0)), ("s", "2"), ("q", -1), ("max_included_literals", -1)):
        with pytest.raises(ValueError, match=f"'{name}' parameter of MultiClassGraphTsetlinMachine must be"):
            setattr(machine, name, value)
    for name in ("number_of_clauses", "depth", "message_size", "number_of_state_bits", "one_hot_encoding"):
        with pytest.raises(AttributeError, match=f"{name} of a trained .* cannot be changed. Create a new one with"):
            setattr(machine, name, 4)
    assert (machine.arguments(), machine.model.state) == before
    new = MultiClassGraphTsetlinMachine(**SMALL)
    new.depth, new.message_size = 2.0, 32
    new.fit(graphs, y, epochs=1)
    assert [len(layer[0]) for layer in new.get_state()[0]] == [48, 64]


def test_a_state_leaves_the_parameters_of_training():
    machine, _, _ = trained(number_of_state_bits=6)
    other = MultiClassGraphTsetlinMachine(9, 500, 7.0, q=3, max_included_literals=4, boost_true_positive_feedback=False)
    other.set_state(machine.get_state())
    structure = ("number_of_clauses", "depth", "message_size", "message_bits", "number_of_state_bits")
    taken = {name: machine.arguments()[name] for name in structure}
    mine = {"T": 500, "s": 7.0, "q": 3, "max_included_literals": 4, "boost_true_positive_feedback": False}
    assert other.arguments() == machine.arguments() | taken | mine
    assert other.model.state.equals(machine.model.state)
    assert other.native().T == 500
    assert other.get_hyperliterals(1).any()
    assert other.ta_action(1, *np.argwhere(other.get_hyperliterals(1))[0].tolist())


def test_a_wild_class_is_refused_before_anything_changes(monkeypatch):
    machine, graphs, y = trained()
    monkeypatch.setattr(resources, "free_memory", lambda: 1 << 30)
    before = machine.model.state
    for incremental in (True, False):
        with pytest.raises(NotEnoughMemoryError, match="each clause has 1,000,000,001 weights"):
            machine.fit(graphs, np.append(y[1:], 10**9), epochs=1, incremental=incremental)
    assert machine.model.state.equals(before)
