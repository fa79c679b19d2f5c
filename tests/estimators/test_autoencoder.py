"""The auto-encoder as a user meets it."""

import dataclasses
import json
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphtm as gtm
from graphtm.codes import encode
from graphtm.engines import initial_state, make_engine
from graphtm.engines.random import epoch_order
from graphtm.engines.targets import sparse_targets
from graphtm.estimators.autoencoder_examples import MaskedGraphs, sampled

QUICK = dict(n_clauses=16, T=20, s=3.0, n_contexts=12, epochs=3, random_state=5, n_jobs=1)


def drawn(n, seed, types=False):
    """Random graphs of nodes with up to three symbols of six, some nodes read out."""
    rng = np.random.default_rng(seed)
    graphs = []
    for _ in range(n):
        graph, size = gtm.Graph(), int(rng.integers(2, 6))
        for node in range(size):
            symbols = rng.choice(list("abcdef"), rng.integers(0, 4), replace=False).tolist()
            graph.add_node(f"n{node}", symbols, **({"type": "xy"[node % 2]} if types else {}))
        for one, other, kind in rng.integers(0, [size, size, 2], (size + 2, 3)).tolist():
            graph.add_edge(f"n{one}", f"n{other}", type=("to", "of")[kind])
        graphs.append(graph)
    batch = gtm.GraphBatch.from_graphs(
        graphs, gtm.Vocabulary(list("abcdef"), ["to", "of"], ["x", "y"] if types else ())
    )
    return batch.with_readout([[f"n{node}" for node in range(0, len(graph.nodes), 2)] for graph in graphs])


def masked(graph, node, symbol):
    """Return a graph with that symbol of a node left out, and the node as its readout node; slow and plain."""
    changed = gtm.Graph()
    for name in graph.nodes:
        kept = [one for one in graph.properties(name) if (name, one) != (node, symbol)]
        changed.add_node(name, kept, **({} if graph.node_type(name) is None else {"type": graph.node_type(name)}))
    for source, destination, kind in graph.edges:
        changed.add_edge(source, destination, type=kind)
    return changed


def alone(graph, node, symbol, vocabulary):
    return gtm.GraphBatch.from_graphs([masked(graph, node, symbol)], vocabulary).with_readout([[node]])


def readout_nodes(graph):
    return graph.nodes[::2]  # as drawn


@pytest.fixture(scope="module")
def data():
    return drawn(25, 1)


def make(**changes):
    return gtm.GraphTMAutoencoder(**{**QUICK, **changes})


@pytest.fixture(scope="module")
def fitted(data):
    return make().fit(data)


# Examples


def test_examples_mask_a_symbol_that_is_there_and_name_some_that_are_not(data):
    packed = data.pack()
    batch, truth = sampled(packed, tuple("abcd"), 1, n_contexts=20, accumulation=1, n_absent=2, seed=3)
    assert np.bincount(truth.numbers[:, 0]).tolist() == [20] * 4
    seen = {}
    for graph in data:
        for node in readout_nodes(graph):
            for symbol in graph.properties(node):
                key = tuple(sorted(set(graph.properties(node)) - {symbol}))
                seen.setdefault((symbol, key), set()).add(frozenset(graph.properties(node)))
    for graph, (first, *absent) in zip(batch, truth.numbers.tolist(), strict=True):
        (node,) = [name for name, out in zip(graph.nodes, graph_readout(batch, graph), strict=True) if out]
        there = set(graph.properties(node))
        symbol = "abcd"[first]
        assert symbol not in there
        assert (symbol, tuple(sorted(there))) in seen
        named = [one for one in absent if one >= 0]
        assert len(set(named)) == len(named) == min(2, len(set("abcd") - there - {symbol}))
        assert not {"abcd"[one] for one in named} & (there | {symbol})


def graph_readout(batch, graph):
    number = next(i for i, one in enumerate(batch) if one is graph or one == graph)
    packed = batch[number : number + 1].pack()
    return packed.readout.tolist()


def test_frequent_symbols_have_other_nodes_in_every_example(data):
    """Nodes repeat only after all were used; and in another order."""
    graphs = gtm.GraphBatch.from_arrays([1] * 10, [[1, 0]] * 3 + [[0, 1]] * 7, symbols=["a", "b"])
    packed = graphs.with_readout(None).pack()
    whole = []
    source, truth = sampled(packed, ("a", "b"), 0, n_contexts=21, accumulation=1, n_absent=1, seed=0)
    nodes = source._store.source._nodes[:, 0]
    for output, there in ((0, 3), (1, 7)):
        counts = np.bincount(nodes[truth.numbers[:, 0] == output], minlength=10)
        whole.append(counts[counts > 0].tolist())
        assert whole[-1] == [21 // there] * there


@pytest.mark.parametrize("types", [False, True])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_votes_are_those_of_the_whole_graph_with_the_symbol_masked(types, depth):
    graphs = drawn(12, 2, types)
    encoder = make(depth=depth).fit(graphs)
    packed, sums = graphs.pack(), []
    nodes, symbols = packed.properties.pairs()
    for place, symbol in zip(nodes.tolist(), symbols.tolist(), strict=True):
        number = int(np.searchsorted(packed.node_ptr, place, side="right")) - 1
        graph, node = graphs[number], f"n{place - packed.node_ptr[number]}"
        sums.append(encoder.class_sums(alone(graph, node, "abcdef"[symbol], packed.vocabulary))[0])
    assert np.array_equal(encoder._sums_at(packed, nodes, symbols), sums)


def test_merged_nodes_have_the_symbols_and_edges_of_all():
    graphs = drawn(10, 4)
    packed = graphs.pack()
    rng = np.random.default_rng(0)
    examples = rng.choice(packed.n_nodes, (8, 3), replace=False) if packed.n_nodes >= 24 else None
    made = gtm.GraphBatch.from_source(MaskedGraphs(packed, examples, np.full(8, -1), 1))
    made.validate()
    for centres, graph, whole in zip(examples.tolist(), made, made.chunks(1), strict=True):
        symbols, arrows, others = set(), [], 0
        for place in centres:
            number = int(np.searchsorted(packed.node_ptr, place, side="right")) - 1
            one, node = graphs[number], f"n{place - packed.node_ptr[number]}"
            symbols |= set(one.properties(node))
            arriving = {source for source, destination, _ in one.edges if destination == node and source != node}
            others += len(arriving)
            for source, destination, kind in one.edges:
                if destination == node:
                    arrows.append((source == node, kind, None if source == node else tuple(one.properties(source))))
        (centre,) = np.flatnonzero(whole.pack().readout).tolist()
        assert set(graph.properties(centre)) == symbols
        assert len(graph.nodes) == 1 + others
        found = [
            (source == centre, kind, None if source == centre else tuple(graph.properties(source)))
            for source, destination, kind in graph.edges
            if destination == centre
        ]
        assert sorted(map(repr, found)) == sorted(map(repr, arrows))


def test_merged_nodes_lose_the_masked_symbol(data):
    batch, truth = sampled(data.pack(), tuple("abc"), 1, n_contexts=6, accumulation=4, n_absent=1, seed=3)
    assert len(batch) == 18
    for whole, (symbol, absent) in zip(batch.chunks(1), truth.numbers.tolist(), strict=True):
        packed = whole.pack()
        (centre,) = np.flatnonzero(packed.readout)
        there = set(packed.properties.select(np.array([centre])).pairs()[1].tolist())
        assert symbol not in there
        assert absent not in there


# Learning


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("changes", [{}, dict(accumulation=3, n_absent=2), dict(max_misses=2, depth=1, s=100.0)])
def test_it_is_the_machine_with_silent_symbols(data, engine, changes):
    """The auto-encoder against an engine that is told every target by hand."""
    encoder = make(engine=engine, **changes).fit(data)
    params, packed = encoder.model_.params, data.pack()
    names = dict(n_contexts=12, accumulation=changes.get("accumulation", 1), n_absent=changes.get("n_absent", 1))
    batch, truth = sampled(packed, encoder.symbols_, params.depth - 1, **names, seed=5)
    ptr, outputs, values = [0], [], []
    for first, *absent in truth.numbers.tolist():
        listed = sorted([(first, params.T), *((one, -params.T) for one in absent if one >= 0)])
        outputs += [one for one, _ in listed]
        values += [value for _, value in listed]
        ptr.append(len(outputs))
    oracle = make_engine("reference")
    oracle.load(params, initial_state(params))
    graphs = oracle.prepare(encode(batch, encoder.model_.symbol_code))
    targets = sparse_targets(ptr, outputs, values, len(encoder.symbols_), params.T, silent=True)
    for epoch in range(3):
        oracle.fit(graphs, targets, epoch_order(5, epoch, len(batch)))
    assert encoder.state_.equals(oracle.state())


@pytest.mark.parametrize("engine", ["reference", "cpu"])
@pytest.mark.parametrize("unit", ["epochs", "examples"])
def test_a_fit_that_was_interrupted_gives_the_same_bits(data, tmp_path, engine, unit):
    path = tmp_path / "run.gtm"
    whole = make(validation_fraction=0.2).fit(data, eval_set=drawn(10, 9))
    every = {"epochs": 1, "examples": 50}[unit]

    class Stop(gtm.Callback):
        def on_epoch_end(self, training):
            if training.epoch == 2:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(validation_fraction=0.2).fit(
            data, eval_set=drawn(10, 9), callbacks=[gtm.Checkpoint(path, every=every, unit=unit), Stop()]
        )
    resumed = make(validation_fraction=0.2, engine=engine)
    resumed.fit(data, eval_set=drawn(10, 9), resume_from=path)
    assert resumed.state_.equals(whole.state_)
    scores = [{name: one[name] for name in one if name.endswith("accuracy")} for one in whole.history_]
    assert [{name: one[name] for name in one if name.endswith("accuracy")} for one in resumed.history_] == scores
    assert set(scores[0]) >= {"val_accuracy", "val2_accuracy"}
    with pytest.raises(ValueError, match="The data has changed"):
        make(validation_fraction=0.2).fit(data[:20], eval_set=drawn(10, 9), resume_from=path)


def test_partial_fit_is_an_epoch_of_fit(data):
    whole, parts = make(epochs=2).fit(data), make()
    for _ in range(2):
        assert parts.partial_fit(data) is parts
    assert parts.state_.equals(whole.state_)
    more = make(epochs=1, warm_start=True).fit(data).fit(data)
    assert more.state_.equals(whole.state_)


def test_a_seed_that_was_drawn_gives_the_same_bits_again(data, tmp_path):
    """Also the sample is drawn from it, now and in a fit that is resumed."""
    path = tmp_path / "run.gtm"
    drawn_seed = make(random_state=None).fit(data, callbacks=[gtm.Checkpoint(path, every=2)])
    again = make(random_state=drawn_seed.seed_).fit(data)
    assert again.state_.equals(drawn_seed.state_)
    assert drawn_seed.get_params()["random_state"] is None
    assert drawn_seed.score(data) == again.score(data)
    resumed = make(random_state=None, epochs=4).fit(data, resume_from=path)
    assert resumed.state_.equals(make(random_state=drawn_seed.seed_, epochs=4).fit(data).state_)
    assert drawn_seed.partial_fit(data).state_.equals(again.partial_fit(data).state_)
    other = make(random_state=None).fit(data)
    assert other.seed_ != drawn_seed.seed_


def test_it_finds_what_is_alike():
    """Symbols on a circle occur with those near them: a rank correlation, and neighbours."""
    rng = np.random.default_rng(0)
    place = rng.random(800)
    near = np.rint(12 * (place[:, None] + rng.normal(0, 0.06, (800, 4)))).astype(int) % 12
    graphs = gtm.GraphBatch.from_arrays([1] * 800, (np.repeat(np.arange(800), 4), near.ravel()), list(range(12)))
    encoder = gtm.GraphTMAutoencoder(
        n_clauses=100, T=200, s=3.0, depth=1, n_contexts=60, accumulation=2, random_state=0, n_jobs=1
    ).fit(graphs)
    angle = 2 * np.pi * np.arange(12) / 12
    pairs = np.triu_indices(12, 1)
    true = np.cos(angle[:, None] - angle)[pairs]
    ranks = [np.argsort(np.argsort(one)) for one in (encoder.similarities()[pairs], true)]
    assert np.corrcoef(ranks)[0, 1] > 0.6
    assert all((found - symbol) % 12 in (1, 11, 2, 10) for symbol in range(12) for found, _ in near_of(encoder, symbol))
    assert encoder.score(graphs) > 0.8


def near_of(encoder, symbol):
    return encoder.most_similar(symbol, 1)


# What was learned


def test_similarities(fitted):
    vectors = fitted.embeddings_.astype(float)
    assert vectors.shape == (6, 16)
    similar = fitted.similarities()
    for one in range(6):
        for other in range(6):
            a, b = vectors[one], vectors[other]
            assert similar[one, other] == pytest.approx(a @ b / np.sqrt((a @ a) * (b @ b)))
    found = fitted.most_similar("c", 3)
    assert [value for _, value in found] == sorted(np.delete(similar[2], 2), reverse=True)[:3]
    assert all(value == similar[2, "abcdef".index(symbol)] for symbol, value in found)
    assert len(fitted.most_similar("c", 99)) == 5
    assert fitted.most_similar(np.array(["c"])[0]) == fitted.most_similar("c")
    with pytest.raises(ValueError, match=r"The symbol must be one of those that are predicted, 'a', .*; got 'z'"):
        fitted.most_similar("z")
    with pytest.raises(ValueError, match="The 'n' parameter of most_similar must be an int of at least 1"):
        fitted.most_similar("c", 0)


def test_reconstruct_judges_each_symbol_from_the_rest(data, fitted, monkeypatch):
    expected = []
    for graph in data:
        for node in readout_nodes(graph):
            there = fitted.class_sums(alone(graph, node, None, data.vocabulary))[0]
            for symbol in graph.properties(node):
                number = fitted.symbols_.index(symbol)
                there[number] = fitted.class_sums(alone(graph, node, symbol, data.vocabulary))[0, number]
            expected.append(there >= 0)
    found = fitted.reconstruct(data)
    assert found.dtype == bool
    assert np.array_equal(found.toarray(), expected)
    monkeypatch.setattr("graphtm.estimators.autoencoder._AT_ONCE", 20)
    assert np.array_equal(fitted.reconstruct(data).toarray(), expected)
    few = make(symbols=["d", "b"]).fit(data)
    assert few.reconstruct(data).shape == (len(expected), 2)
    assert few.reconstruct(data[:0]).shape == (0, 2)


def test_score_counts_wins_over_absent_symbols(data, fitted, monkeypatch):
    batch, truth = sampled(data.pack(), fitted.symbols_, 1, n_contexts=12, accumulation=1, n_absent=1, seed=5)
    sums, wins = fitted.class_sums(batch), []
    for row, (first, absent) in zip(sums, truth.numbers.tolist(), strict=True):
        if absent >= 0:
            wins.append((np.sign(row[first] - row[absent]) + 1) / 2)
    assert fitted.score(data) == pytest.approx(np.mean(wins))
    again = make().fit(data, callbacks=[gtm.History()])
    assert again.history_[-1]["accuracy"] == fitted.score(data)
    monkeypatch.setattr("graphtm.estimators.autoencoder._AT_ONCE", 40)
    assert fitted.score(data) == pytest.approx(np.mean(wins))
    assert again.set_params(depth=1).score(data) == fitted.score(data)  # the depth is the model's


def test_rules_explanations_exports_and_pruning(data, fitted, tmp_path):
    encoder = pickle.loads(pickle.dumps(fitted))
    sums = encoder.class_sums(data)
    votes = np.zeros((16, 6), int)
    for rule in encoder.rules(simplify=False):
        votes[rule.clause] = rule.weights
    assert np.array_equal(encoder.transform(data).astype(int) @ votes, sums)
    strongest = encoder.rules("b", top=3)
    weights = [rule.weights[0] for rule in strongest]
    assert weights == sorted(weights, reverse=True)
    assert weights[0] > 0
    with pytest.raises(ValueError, match=r"The symbol must be one of \['a', 'b', 'c', .*\]; got 'z'"):
        encoder.rules().filter("z")
    graph = next(graph for graph in data if graph.properties("n0"))
    symbol = graph.properties("n0")[0]
    found = encoder.explain(graph, "n0", symbol)
    assert list(found.votes.values()) == encoder.class_sums(alone(graph, "n0", symbol, data.vocabulary))[0].tolist()
    found = encoder.explain(graph, "n0")
    assert list(found.votes.values()) == encoder.class_sums(alone(graph, "n0", None, data.vocabulary))[0].tolist()
    few = found.smallest_change(max_changes=1)
    assert (found._output, few.noun) == ("symbol", "symbol")
    assert "a symbol" in str(dataclasses.replace(few, edits=()))
    assert found.headline == "Predicted a +10, b +1, e +0; not predicted: f -1, d -2, c -4"
    against = dataclasses.replace(encoder.state_, weights=np.full((6, 16), -1, np.int32))
    no_one = pickle.loads(pickle.dumps(fitted))
    no_one.model_ = dataclasses.replace(encoder.model_, state=against)
    n = len(found.fired)
    expected = f"Predicted no symbol; not predicted: a -{n}, b -{n}, c -{n}, ... (6 symbols in all)"
    assert no_one.explain(graph, "n0").headline == expected
    encoder.export(tmp_path / "encoder.py")
    space = {}
    exec((tmp_path / "encoder.py").read_text(), space)
    encoder.export(tmp_path / "graphs.jsonl", data)
    lines = (tmp_path / "graphs.jsonl").read_text().splitlines()
    expected = [[symbol for symbol, total in zip("abcdef", row, strict=True) if total >= 0] for row in sums.tolist()]
    assert [list(space["predict"](json.loads(line))) for line in lines] == expected
    assert np.array_equal(encoder.prune(data).class_sums(data), sums)


@pytest.mark.parametrize(("types", "accumulation"), [(False, 1), (True, 1), (False, 3)])
def test_pruning_keeps_what_is_said_of_masked_symbols(types, accumulation):
    """Vote sums of whole graphs, with all symbols, say little about what an auto-encoder predicts."""
    data = drawn(25, 1, types)
    encoder = make(accumulation=accumulation, n_clauses=24, epochs=5).fit(data)
    packed = data.pack()
    nodes, symbols = packed.properties.pairs()
    kept = packed.readout[nodes]
    before = [encoder._sums_at(packed, nodes[kept], symbols[kept]), encoder.reconstruct(data).toarray()]
    score, n_literals = encoder.score(data), literals(encoder)
    assert encoder.prune(data) is encoder
    assert literals(encoder) < n_literals
    after = [encoder._sums_at(packed, nodes[kept], symbols[kept]), encoder.reconstruct(data).toarray()]
    assert all(map(np.array_equal, after, before))
    assert encoder.score(data) == score


def literals(encoder):
    return sum(int(encoder.state_.includes(layer, 8).sum()) for layer in range(2))


def test_graphs_that_cannot_be_pruned_with(data, fitted):
    with pytest.raises(ValueError, match="At least one graph is needed to prune"):
        fitted.prune(data[:0])
    without = gtm.GraphBatch.from_arrays([2], [[0] * 6] * 2, symbols=list("abcdef"))
    encoder = make(accumulation=2).fit(data)
    assert encoder.prune(without).reconstruct(without).shape == (2, 6)


def test_explanations_that_are_refused(data, fitted):
    graph = next(graph for graph in data if len(graph.nodes) > 2 and "a" not in graph.properties("n0"))
    with pytest.raises(ValueError, match=r"explain needs the name of a node; the graph has .* readout nodes"):
        fitted.explain(graph)
    with pytest.raises(ValueError, match="The symbol to mask must be one of the node's; it does not have 'a'"):
        fitted.explain(graph, "n0", "a")
    with pytest.raises(ValueError, match="explain takes one graph; got 2"):
        fitted.explain(data[:2], "n0")


# Files


@pytest.mark.parametrize("how", ["file", "pickle"])
def test_it_travels(data, fitted, tmp_path, how):
    if how == "file":
        fitted.save(tmp_path / "m.gtm")
        other = gtm.load(tmp_path / "m.gtm")
    else:
        other = pickle.loads(pickle.dumps(fitted))
    assert other.symbols_ == fitted.symbols_
    assert other.get_params() == fitted.get_params()
    assert np.array_equal(other.embeddings_, fitted.embeddings_)
    assert np.array_equal(other.reconstruct(data).toarray(), fitted.reconstruct(data).toarray())
    same = pickle.loads(pickle.dumps(fitted)).partial_fit(data)
    assert other.partial_fit(data).state_.equals(same.state_)
    assert not hasattr(clone(fitted), "model_")


@pytest.mark.parametrize("symbols", [["a"], ["a", "b", "c", "d", "e", "z"], [["a"]], None])
def test_damaged_files_are_refused(fitted, symbols, tmp_path, monkeypatch):
    monkeypatch.setattr(type(fitted), "_extra", lambda self: {"symbols": symbols})
    with pytest.raises((ValueError, KeyError, TypeError, gtm.GraphTMError)):
        fitted.save(tmp_path / "m.gtm")
    assert not (tmp_path / "m.gtm").exists()


# What is refused


def test_symbols_to_predict(data):
    assert make().fit(data).symbols_ == tuple("abcdef")
    assert make(symbols=["e", "a"]).fit(data).symbols_ == ("e", "a")
    array = make(symbols=np.array(["e", "a"])).fit(data)
    assert array.partial_fit(data).symbols_ == ("e", "a")
    with pytest.raises(ValueError, match="'symbols' parameter of GraphTMAutoencoder must be an int of at least 2, a"):
        make(symbols=np.array([["e", "a"]])).fit(data)
    counts = data.pack().properties.frequencies()
    nodes, symbols = data.pack().properties.pairs()
    counts = np.bincount(symbols[data.pack().readout[nodes]], minlength=6)
    most = np.sort(np.argsort(-counts, kind="stable")[:3])
    assert make(symbols=3).fit(data).symbols_ == tuple("abcdef"[number] for number in most)
    for wrong, message in [
        (["a"], "'symbols' parameter of GraphTMAutoencoder must be an int of at least 2, a list of at least two"),
        (["a", "a"], "a list of at least two different symbols"),
        ("ab", "a list of at least two different symbols"),
        (1, r"'symbols' parameter of GraphTMAutoencoder must be an int in the range \[2, "),
    ]:
        with pytest.raises(ValueError, match=message):
            make(symbols=wrong).fit(data)
    with pytest.raises((ValueError, gtm.GraphTMError), match="'z'"):
        make(symbols=["a", "z"]).fit(data)
    with pytest.raises(ValueError, match="There must be at least two symbols to predict; the readout nodes have 1"):
        make().fit(gtm.GraphBatch.from_arrays([1], [[1]], symbols=["a"]))


def test_what_else_is_refused(data):
    with pytest.raises(NotFittedError):
        make().reconstruct(data)
    with pytest.raises(TypeError, match="The graphs must be a GraphBatch or a list of Graph"):
        make().fit(data, eval_set=3)
    for pair in ((data, data), (list(data), [0] * len(data))):
        with pytest.raises(TypeError, match="takes one evaluation set, without labels"):
            make().fit(data, eval_set=pair)
    with pytest.raises(
        ValueError, match="'accumulation' parameter of GraphTMAutoencoder must be 1 if nodes have types"
    ):
        make(accumulation=2).fit(drawn(5, 1, types=True))
    with pytest.raises(ValueError, match="'n_contexts' parameter of GraphTMAutoencoder"):
        make(n_contexts=0).fit(data)
    encoder = make(symbols=["a", "b"]).fit(data)
    none = gtm.GraphBatch.from_arrays([1], [[1]], symbols=["c"])
    with pytest.raises(gtm.GraphTMError, match="The readout nodes must have some of the symbols 'a', 'b'"):
        encoder.score(none)
    assert make().get_params()["accumulation"] == 1


def test_training_is_drawn(data):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    encoder = make().fit(data, callbacks=[gtm.History()])
    assert [text.get_text() for text in encoder.plot_training().texts] == ["accuracy"]
    pyplot.close("all")
