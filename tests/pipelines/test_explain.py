"""Explanations of pipelines on the user's own graph: scores by their definition, any data, and what is refused."""

import json
import pickle
from collections import Counter

import numpy as np
import pytest
from encoder_cases import CASES
from fitted import estimator_of
from hypothesis import given, settings
from hypothesis import strategies as st
from naive_looks import NaiveLooks
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, MinMaxScaler

import graphtm as gtm
from graphtm import codes
from graphtm.codes import encode
from graphtm.encoders import KMers, Neighbourhoods, Relations, Table, Tokens, WholeGraph
from graphtm.engines.trace import trace_graph
from graphtm.explain import Explanation, LabelExplanation, OwnGraphExplanation, OwnGraphLabelExplanation, fidelity
from graphtm.model import MachineParams, MachineState, Model
from graphtm.pipelines.samples import one_sample

PARTS = ("counts", "pairs", "degrees", "paths")
EDGE_TYPES = ("single", "near")
STEPS = {
    "both": lambda: [Neighbourhoods(2, PARTS, 1), WholeGraph(counts=(1, 2), min_graphs=1)],
    "whole": lambda: [WholeGraph(counts=(1, 2), min_graphs=1)],
    "looks": lambda: [Neighbourhoods(2, PARTS, 1)],
}


def random_graph(rng, typed, order=None):
    """A graph with self-loops, parallel edges and bare nodes; with ``order``, its nodes are added in that order."""
    n = int(rng.integers(1, 7))
    carried = [[symbol for symbol in "CNO" if rng.random() < 0.4] for _ in range(n)]
    kinds = ["xy"[rng.integers(2)] if typed else None for _ in range(n)]
    edges = [(f"n{a}", f"n{b}", EDGE_TYPES[rng.integers(2)]) for a, b in rng.integers(0, n, (rng.integers(0, 9), 2))]
    edges += [(b, a, kind) for a, b, kind in edges if rng.random() < 0.7]
    graph = gtm.Graph()
    for node in range(n) if order is None else order.permutation(n).tolist():
        graph.add_node(f"n{node}", carried[node], kinds[node])
    for edge in edges:
        graph.add_edge(*edge)
    return graph


def random_graphs(seed, typed, order=None):
    rng = np.random.default_rng(seed)
    return gtm.GraphBatch.from_graphs([random_graph(rng, typed, order) for _ in range(4)])


def random_machine(rng, seen, depth, max_misses, kind):
    """A machine whose clauses are true somewhere in graphs, and include literals that are missed if it is graded."""
    vocabulary, n_clauses = seen.vocabulary, 6
    n_symbols = len(vocabulary.symbols)
    symbol_code = (
        codes.one_hot(n_symbols)
        if n_symbols < 9 or rng.random() < 0.6
        else codes.double_hashing(n_symbols, n_symbols, distinct=True)
    )
    messages = codes.one_hot(n_clauses, max(1, len(vocabulary.edge_types))) if depth > 1 else None
    params = MachineParams(
        n_outputs=3,
        n_clauses=n_clauses,
        hypervector_size=symbol_code.size,
        message_code=messages,
        depth=depth,
        max_misses=max_misses,
        n_node_types=len(vocabulary.node_types),
    )
    automata = [np.zeros((n_clauses, 2 * params.layer_size(layer)), np.uint8) for layer in range(depth)]
    weights = rng.integers(-5, 6, (3, n_clauses)).astype(np.int32)
    encoded = encode(seen, symbol_code)
    for layer, clause in np.ndindex(depth, n_clauses):
        traced = trace_graph(params, MachineState(tuple(automata), weights), encoded, int(rng.integers(len(seen))))
        at = np.flatnonzero(traced.truth[layer][clause])
        if len(at):
            node = rng.choice(at)
            bits = traced.bits[node] if layer == 0 else traced.messages[layer - 1][node] > 0
            there, absent = np.flatnonzero(bits), np.flatnonzero(~bits)
            automata[layer][clause, rng.permutation(there)[: rng.integers(0, 4)]] = 200
            automata[layer][clause, len(bits) + rng.permutation(absent)[: rng.integers(0, 3)]] = 200
            if max_misses:
                automata[layer][clause, rng.permutation(absent)[: rng.integers(0, 3)]] = 200
    return estimator_of(Model(vocabulary, symbol_code, params, MachineState(tuple(automata), weights)), kind)


def random_pipeline(seed, steps, graphs, depth=1, max_misses=0, kind=gtm.GraphTMClassifier):
    encoders, seen = STEPS[steps](), graphs
    for encoder in encoders:
        seen = encoder.fit_transform(seen)
    machine = random_machine(np.random.default_rng(seed), seen, depth, max_misses, kind)
    return make_pipeline(*encoders, machine), seen


def naive_scores(pipeline, graphs, number, seen):
    """Spread the scores of the machine's graph by loops over facts, nodes and edges."""
    scores = pipeline[-1].explain(seen[number]).scores(0)
    own, names = graphs[number], pipeline[-1].model_.vocabulary.symbols
    looks = isinstance(pipeline[0], Neighbourhoods)
    middle = pipeline[0].transform(graphs) if looks else graphs
    nodes, edges = Counter(), Counter()
    plain = [([(g.node_type(n), list(g.properties(n))) for n in g.nodes], list(g.edges)) for g in graphs]
    numbered = [
        (carried, [(g.nodes.index(a), g.nodes.index(b), kind) for a, b, kind in found])
        for g, (carried, found) in zip(graphs, plain, strict=True)
    ]
    naive = NaiveLooks(numbered, 2)
    table = scores.present.toarray()
    for node, symbol in zip(*np.nonzero(table), strict=True):
        name, at = names[int(symbol)], [own.nodes[node]] if len(table) == own.n_nodes else []
        if isinstance(pipeline[-2], WholeGraph):
            at, name = pipeline[-2].locate(middle, number, name), name[0]
        for where in at:
            share = table[node, symbol] / len(at)
            nodes[where, names[int(symbol)]] += share
            place = own.nodes.index(where)
            covered = naive.edges(place, numbered[number], PARTS).get(name, set()) if looks else set()
            every = [edge for edge in numbered[number][1] if edge in covered]
            for edge in set(every):
                edges[own.nodes[edge[0]], own.nodes[edge[1]], edge[2]] += share * every.count(edge) / len(every)
    return scores, nodes, edges


machines = st.tuples(
    st.integers(0, 2**32), st.sampled_from(sorted(STEPS)), st.booleans(), st.integers(1, 2), st.sampled_from([0, 1, 4])
)


def made_from(case, kind=gtm.GraphTMClassifier):
    seed, steps, typed, depth, max_misses = case
    graphs = random_graphs(seed, typed)
    depth = depth if steps == "looks" else 1
    return graphs, *random_pipeline(seed, steps, graphs, depth, max_misses, kind)


@settings(max_examples=12)
@given(machines)
def test_scores_are_those_of_the_definition(case):
    compare(case)


@pytest.mark.slow
@settings(max_examples=400)
@given(machines)
def test_scores_are_those_of_the_definition_hundreds_of_times(case):
    compare(case)


def compare(case):
    graphs, pipeline, seen = made_from(case)
    for number in range(len(graphs)):
        ex = gtm.explain(pipeline, graphs, number)
        before, nodes, edges = naive_scores(pipeline, graphs, number, seen)
        scores, names = ex.scores(0), ex.model.vocabulary.symbols
        present = scores.present.tocoo()
        found = {
            (ex.nodes[row], names[column]): value
            for row, column, value in zip(*present.coords, present.data, strict=True)
        }
        assert found == pytest.approx({key: value for key, value in nodes.items() if key in found or value})
        carried = Counter()
        for edge, score in zip(ex.edges, scores.edges.tolist(), strict=True):
            carried[tuple(edge)] += score
        messages = pipeline[-1].explain(seen[number])
        for edge, score in zip(messages.edges, before.edges.tolist(), strict=True):
            edges[tuple(edge)] += score
        assert carried == pytest.approx({edge: edges[edge] for edge in carried})
        np.testing.assert_allclose(scores.absences, before.absences)
        np.testing.assert_allclose(scores.symbols, before.symbols)
        if case[1] == "looks":
            np.testing.assert_allclose(scores.nodes, before.nodes)


@settings(max_examples=10)
@given(machines, st.sampled_from([gtm.GraphTMClassifier, gtm.GraphTMMultiLabelClassifier]))
def test_nothing_is_lost(case, kind):
    """Votes are those of the machine, and nodes and the whole graph add up to them; so do symbols."""
    graphs, pipeline, seen = made_from(case, kind)
    sums = pipeline[-1].class_sums(seen)
    for number in range(len(graphs)):
        ex = gtm.explain(pipeline, graphs, number)
        assert list(ex.votes.values()) == sums[number].tolist()
        assert ex.graph == graphs[number]
        for output, against in ((0, None), (2, None), (1, 0)):
            scores = ex.scores(output, against)
            vote = ex.votes[output] - (0 if against is None else ex.votes[against])
            assert scores.nodes.sum() + scores.whole == pytest.approx(vote)
            rest = scores.silence + scores.existence
            assert scores.symbols.sum() + scores.absences.sum() + rest == pytest.approx(vote)
            assert len(scores.nodes) == len(ex.nodes) == graphs[number].n_nodes
            assert len(scores.edges) == len(ex.edges) == graphs[number].n_edges
            if case[1] == "looks":
                assert scores.whole == 0
            else:
                assert scores.whole == pytest.approx(scores.absences.sum() + rest)
        assert "\n" in ex.to_text()
        assert ex._repr_html_().startswith("<p>")


@settings(max_examples=6)
@given(machines)
def test_the_order_of_nodes_does_not_matter(case):
    seed, steps, typed, _, max_misses = case
    graphs = random_graphs(seed, typed)
    pipeline, _ = random_pipeline(seed, steps, graphs, 1, max_misses)
    other = random_graphs(seed, typed, np.random.default_rng(1))
    assert any(one.nodes != two.nodes for one, two in zip(graphs, other, strict=True)) or graphs.n_nodes < 12
    for number in range(len(graphs)):
        one, two = gtm.explain(pipeline, graphs, number), gtm.explain(pipeline, other, number)
        assert one.votes == two.votes
        mine, theirs = (dict(zip(ex.nodes, ex.scores(0).nodes.tolist(), strict=True)) for ex in (one, two))
        assert mine == pytest.approx(theirs)
        totals = []
        for ex in (one, two):
            total = Counter()
            for edge, score in zip(ex.edges, ex.scores(0).edges.tolist(), strict=True):
                total[edge] += score
            totals.append(total)
        assert totals[0] == pytest.approx(totals[1])


# Real pipelines

QUICK = dict(n_clauses=8, T=8, s=2.0, depth=1, epochs=5, random_state=1, engine="reference")
TEXTS, TAGS = ["a good film", "good fun", "a bad film", "so bad", "not so good a film"], ["+", "+", "-", "-", "-"]


def molecules(n=12):
    smiles = ["CCO", "CCCO", "CCN", "CCCN", "CC(=O)O", "CC(N)C"] * (n // 6)
    return gtm.from_smiles(smiles, hydrogens=False, rings=False), ["o", "o", "n", "n", "o", "n"] * (n // 6)


@pytest.fixture(scope="module")
def alcohols():
    graphs, y = molecules()
    steps = Neighbourhoods(), WholeGraph(counts=(1, 2)), gtm.GraphTMClassifier(**QUICK)
    return make_pipeline(*steps).fit(graphs, y), graphs


def sums_of(pipeline, X):
    for step in pipeline[:-1]:
        X = step.transform(X)
    return pipeline[-1].class_sums(X)


@pytest.mark.parametrize("max_misses", [0, 2])
@pytest.mark.parametrize(
    ("encoders", "X", "own"),
    [
        ([Tokens(ngrams=2), WholeGraph(counts=[1], min_graphs=1)], TEXTS, True),
        ([Tokens(), Neighbourhoods(1), WholeGraph(min_graphs=1)], np.array(TEXTS), True),
        ([KMers(k=2), WholeGraph(counts=(1, 2))], ["ACAC", "CACA", "GGG", "GACA", "GGA"], True),
        ([Tokens()], tuple(TEXTS), False),
        ([Table(bins=2)], np.arange(20.0).reshape(5, 4) % 7, False),
        ([MinMaxScaler(), Table(bins=2), WholeGraph(min_graphs=1)], np.arange(20.0).reshape(5, 4) % 7, True),
        ([Relations(["a", "b"]), WholeGraph(min_graphs=1)], {"a": list("xyzxy"), "b": list("uvuvu")}, True),
        (
            [Table(bins=2), WholeGraph(min_graphs=1)],
            [[number, "xy"[number % 2]] for number in range(5)],
            True,
        ),
        ([Relations(["who", "what"])], [{"who": "AB"[n % 2], "what": "uvw"[n % 3]} for n in range(5)], False),
    ],
)
def test_any_data(encoders, X, own, max_misses):
    pipeline = make_pipeline(
        *encoders, gtm.GraphTMClassifier(**QUICK | {"max_misses": max_misses, "s": 100.0 if max_misses else 2.0})
    ).fit(X, TAGS)
    sums, predicted = sums_of(pipeline, X), pipeline.predict(X)
    for number in (0, 3, np.int64(2), -1, np.int32(-5)):
        ex = gtm.explain(pipeline, X, number)
        assert isinstance(ex, Explanation)
        assert isinstance(ex, OwnGraphExplanation) == own
        assert list(ex.votes.values()) == sums[number].tolist()
        assert ex.prediction == predicted[number]
        scores = ex.scores()
        assert scores.nodes.sum() + scores.whole == pytest.approx(ex.votes[ex.prediction])


@pytest.mark.filterwarnings("ignore:Nothing can be learned from nodes without symbols")
@pytest.mark.parametrize("name", CASES)
def test_every_encoder(name):
    @settings(max_examples=1)
    @given(CASES[name])
    def check(case):
        encoder, X = case
        whole = [WholeGraph(min_graphs=1)] if not isinstance(encoder, WholeGraph) else []
        pipeline = make_pipeline(encoder, *whole, gtm.GraphTMClassifier(**QUICK)).fit(X, list("abab"))
        for number, sums in enumerate(sums_of(pipeline, X).tolist()):
            ex = gtm.explain(pipeline, X, number)
            assert list(ex.votes.values()) == sums
            scores = ex.scores("a")
            assert scores.nodes.sum() + scores.whole == pytest.approx(ex.votes["a"])

    check()


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_data_frames(frames):
    library = pytest.importorskip(frames, reason=f"{frames} is not installed; explain takes its data frames")
    X = library.DataFrame({"a": [1, 2, 3, 4, 5], "b": list("xyxyx")})
    if frames == "pandas":
        X.index = [4.0, 3.0, 2.0, 1.0, 0.0]
    pipeline = make_pipeline(Table(bins=2), gtm.GraphTMClassifier(**QUICK)).fit(X, TAGS)
    for number in range(5):
        assert list(gtm.explain(pipeline, X, number).votes.values()) == sums_of(pipeline, X)[number].tolist()


def test_estimators_alone_explain_as_before():
    graphs, y = molecules()
    clf = gtm.GraphTMClassifier(**QUICK | {"depth": 2}).fit(graphs, y)
    expected = clf.explain(graphs[3])
    for X in (graphs, list(graphs), make_pipeline(clf)):
        ex = gtm.explain(clf, graphs, 3) if isinstance(X, Pipeline) else gtm.explain(clf, X, 3)
        assert type(ex) is Explanation
        assert str(ex) == str(expected)
    assert str(gtm.explain(make_pipeline(clf), graphs, 3)) == str(expected)


def test_several_labels():
    graphs, y = molecules()
    labels = [{name, "all"} for name in y]
    clf = gtm.GraphTMMultiLabelClassifier(**QUICK)
    pipeline = make_pipeline(Neighbourhoods(), WholeGraph(), clf).fit(graphs, labels)
    ex = gtm.explain(pipeline, graphs, 0)
    assert isinstance(ex, OwnGraphLabelExplanation)
    assert isinstance(ex, LabelExplanation)
    assert set(ex.prediction) == pipeline.predict(graphs)[0]
    scores = ex.scores("o")
    assert scores.nodes.sum() + scores.whole == pytest.approx(ex.votes["o"])


def test_lazy_batches_and_steps_that_are_left_out():
    graphs, y = molecules()
    lazy = graphs.node_examples(4, [[0]] * len(graphs))
    assert lazy.is_lazy
    inner = Pipeline([("looks", Neighbourhoods()), ("no", "passthrough")])
    pipeline = Pipeline(
        [("none", None), ("inner", inner), ("whole", WholeGraph()), ("m", gtm.GraphTMClassifier(**QUICK))]
    )
    ex = gtm.explain(pipeline.fit(lazy, y), lazy, 5)
    assert ex.graph == lazy[5]


def test_only_one_sample_is_encoded(monkeypatch, alcohols):
    pipeline, graphs = alcohols
    sizes = []
    honest = Neighbourhoods.transform
    monkeypatch.setattr(Neighbourhoods, "transform", lambda self, X: sizes.append(len(X)) or honest(self, X))
    gtm.explain(pipeline, graphs, -2).scores()
    gtm.explain(pipeline, list(graphs), 1).scores()
    assert set(sizes) == {1}


def test_samples_of_several_rows():
    rows = {"user": [7, 9, 7, 8], "film": ["Alien", "Alien", "Brazil", "Brazil"]}
    encoder = Relations(edges=[("film", "next", "film")], graph="user")
    pipeline = make_pipeline(encoder, gtm.GraphTMClassifier(**QUICK)).fit(rows, list("aba"))
    for number in (0, 1, 2, -1):
        assert list(gtm.explain(pipeline, rows, number).votes.values()) == sums_of(pipeline, rows)[number].tolist()
    with pytest.raises(IndexError, match=r"from -3 to 2, since 'X' has 3 samples. Got 3 instead"):
        gtm.explain(pipeline, rows, 3)


@pytest.mark.filterwarnings("ignore:Names that are not in the training data are ignored")
def test_names_that_were_not_seen_in_training(alcohols):
    """They stay in the graph, without scores, as far as the encoders leave them out."""
    pipeline, _ = alcohols
    graph = gtm.Graph()
    for node, symbols in enumerate([["X"], [("element", "C")], [("element", "C"), "Y"], []]):
        graph.add_node(node, symbols)
    for edge in ((0, 1, "strange"), (1, 2, "single"), (2, 1, "single"), (2, 3, "strange"), (1, 1, "single")):
        graph.add_edge(*edge)
    for steps in (pipeline, make_pipeline(Neighbourhoods(), gtm.GraphTMClassifier(**QUICK | {"depth": 2}))):
        if steps is not pipeline:
            steps.fit(*molecules())
        ex = gtm.explain(steps, [graph], 0)
        assert ex.graph.n_edges == len(ex.edges) == 5
        scores = ex.scores()
        assert scores.nodes.sum() + scores.whole == pytest.approx(ex.votes[ex.prediction])
        strange = [edge.type == "strange" for edge in ex.edges]
        assert sum(strange) == 2
        assert not scores.edges[strange].any() or steps is pipeline


@pytest.mark.parametrize("graph", [([], []), (["C"], []), (["C"], [("only", "only")])])
def test_one_node(alcohols, graph):
    pipeline, _ = alcohols
    symbols, edges = graph
    one = gtm.Graph()
    one.add_node("only", [("element", symbol) for symbol in symbols])
    for source, destination in edges:
        one.add_edge(source, destination, "single")
    ex = gtm.explain(pipeline, [one], 0)
    scores = ex.scores()
    assert ex.nodes == ("only",)
    assert scores.nodes.sum() + scores.whole == pytest.approx(ex.votes[ex.prediction])
    assert len(scores.edges) == len(edges)


# What an explanation offers


def hand_made():
    """C0: O>=1 AND NOT N>=1; C1: nothing; C2: C>=2, missed by CO; on C-C-O and C-O."""
    graphs = gtm.from_smiles(["CCO", "CCO", "CCN", "CCN", "CO"], hydrogens=False, rings=False)
    whole = WholeGraph(counts=(1, 2)).fit(graphs)
    names = list(whole.vocabulary_.symbols)
    size = len(names)
    params = MachineParams(n_outputs=2, n_clauses=3, hypervector_size=size, message_code=None, depth=1, n_node_types=0)
    automata = np.zeros((3, 2 * size), np.uint8)
    automata[0, [names.index((("element", "O"), ">=", 1)), size + names.index((("element", "N"), ">=", 1))]] = 255
    automata[2, names.index((("element", "C"), ">=", 2))] = 255
    state = MachineState((automata,), np.array([[4, 3, -6], [1, 0, 2]], np.int32))
    model = Model(whole.vocabulary_, codes.one_hot(size), params, state)
    return make_pipeline(whole, estimator_of(model)), graphs


def test_facts_of_readout_nodes_are_at_these_nodes():
    made = []
    for on_a, on_b in [(1, 0), (0, 1), (1, 1), (0, 0)] * 10:
        g = gtm.Graph()
        g.add_node("a", properties=["on"] if on_a else ["off"])
        g.add_node("b", properties=["on"] if on_b else ["off"])
        made.append(g)
    graphs = gtm.GraphBatch.from_graphs(made).with_readout([["b"]] * 40)
    y = [0, 1, 1, 0] * 10
    machine = gtm.GraphTMClassifier(n_clauses=20, T=20, s=3.0, depth=1, epochs=30, random_state=0)
    pipeline = make_pipeline(WholeGraph(counts=(1,)), machine).fit(graphs, y)
    assert pipeline.score(graphs, y) == 1
    ex = gtm.explain(pipeline, graphs, 2)
    assert ex.locate(("readout", "on")) == ("b",)
    assert ex.locate(("on", ">=", 1)) == ("a", "b")
    scores = ex.scores(1)
    assert scores.nodes[1] > abs(scores.nodes[0]), "only b decides"
    assert scores.nodes.sum() + scores.whole == pytest.approx(ex.votes[1])


def test_scores_by_hand():
    pipeline, graphs = hand_made()
    ex = gtm.explain(pipeline, graphs, 0)
    scores = ex.scores(0)
    assert ex.votes == {0: 1, 1: 3}
    assert scores.nodes.tolist() == [-3, -3, 2]
    assert scores.whole == 5
    assert scores.existence == 3
    assert scores.absences.sum() == 2
    assert [ex.nodes_of(clause) for clause in range(3)] == [(2,), (), (0, 1)]
    assert ex.locate((("element", "C"), ">=", 2)) == (0, 1)
    assert ex.locate((("element", "N"), ">=", 1)) == ()
    small = gtm.explain(pipeline, graphs, 4)
    assert small.nodes_of(2) == ()
    assert small.scores(0).nodes.tolist() == [0, 2]
    with pytest.raises(gtm.UnknownSymbolError):
        ex.locate("C")


def test_text_by_hand():
    pipeline, graphs = hand_made()
    assert str(gtm.explain(pipeline, graphs, 0)).splitlines() == [
        "Predicted 1; votes: 1 +3, 0 +1",
        "Symbols that contribute most to 1, and the nodes that have them:",
        "  (element=C)>=2 +2.00 at 0 (C), 1 (C)",
        "  (element=O)>=1 +0.50 at 2 (O)",
        "Nodes that contribute most to 1: 0 (C) +1.00, 1 (C) +1.00, 2 (O) +0.50",
        "The graph as a whole contributes +0.50 to 1",
        "Absent facts that contribute most to 1: NOT (element=N)>=1 +0.50",
        "3 of 3 clauses are true; those that vote most for or against 1:",
        "  C2: (element=C)>=2   [-6, +2]   at 0 (C), 1 (C)",
        "  C0: (element=O)>=1 AND NOT (element=N)>=1   [+4, +1]   at 2 (O)",
        "  C1: ANY NODE   [+3, 0]   of the graph as a whole",
    ]
    ex = gtm.explain(pipeline, graphs, 0)
    assert ex.to_markdown().splitlines()[-6:] == [
        "- Symbols that contribute most to 1, and the nodes that have them:",
        "  - (element=C)>=2 +2.00 at 0 (C), 1 (C)",
        "  - (element=O)>=1 +0.50 at 2 (O)",
        "- Nodes that contribute most to 1: 0 (C) +1.00, 1 (C) +1.00, 2 (O) +0.50",
        "- The graph as a whole contributes +0.50 to 1",
        "- Absent facts that contribute most to 1: NOT (element=N)>=1 +0.50",
    ]
    latex = ex.to_latex().splitlines()
    assert [latex.count(rf"\{word}{{itemize}}") for word in ("begin", "end")] == [2, 2]
    assert r"\item The graph as a whole contributes +0.50 to 1" in latex
    whole = "The graph as a whole contributes +5.00 to 0: absent facts +2.00, all else +3.00"
    assert whole in gtm.explain(pipeline, graphs, 0).to_text(0).splitlines()


def test_text_of_words_and_of_types_that_are_numbers():
    pipeline = make_pipeline(
        Tokens(ngrams=2, position=False, edges=None), WholeGraph(min_graphs=1), gtm.GraphTMClassifier(**QUICK)
    ).fit(TEXTS, TAGS)
    ex = gtm.explain(pipeline, TEXTS, 4)
    scores = ex.scores().nodes
    largest = [node for node in np.argsort(-np.abs(scores), kind="stable").tolist() if scores[node]]
    words = [f"{node} ({TEXTS[4].split()[node]}) {scores[node]:+.2f}" for node in largest]
    assert f"Nodes that contribute most to '-': {', '.join(words)}" in ex.to_text()
    assert ex.to_dict()["nodes"] == [0, 1, 2, 3, 4]
    graphs, y = molecules()
    numbered = []
    for graph in graphs:
        one = gtm.Graph()
        for node in graph.nodes:
            one.add_node(node, [("label", "CNO".index(graph.properties(node)[0][1]))])
        for source, destination, _ in graph.edges:
            one.add_edge(source, destination, 1)
        numbered.append(one)
    text = str(
        gtm.explain(make_pipeline(Neighbourhoods(), gtm.GraphTMClassifier(**QUICK)).fit(numbered, y), numbered, 0)
    )
    assert " -[1]- 1 " in text
    assert " (" not in text.split("Nodes that")[1].splitlines()[0]


def test_long_text_is_folded_and_shortened():
    """Lines are short, literals that hold come first, and the data stays complete."""
    rng = np.random.default_rng(0)
    smiles = ["".join(rng.choice(list("CCCNO"), 9)) for _ in range(60)]
    graphs = gtm.from_smiles(smiles, hydrogens=False, rings=False)
    quick = QUICK | {"n_clauses": 60, "max_misses": 2, "s": 50.0, "max_included_literals": 40, "epochs": 15}
    pipeline = make_pipeline(Neighbourhoods(), WholeGraph(), gtm.GraphTMClassifier(**quick))
    ex = gtm.explain(pipeline.fit(graphs, ["NO" in one for one in smiles]), graphs, 0)
    lines = str(ex).splitlines()
    assert max(map(len, lines)) <= 110
    assert any("... (" in line for line in lines)
    whole = "".join(ex.to_text(max_rules=None).split())
    held = ex._packed.properties.pairs()[1]
    names = [ex.model.vocabulary.symbols[symbol] for symbol in held.tolist()]
    n_long = 0
    for rule in ex.rules(top=5):
        assert "".join(str(rule).split()) in whole
        n, order = ex._relevance(ex.prediction).shown(rule)
        assert sorted(map(str, order)) == sorted(map(str, rule.varying))
        if n == len(order):
            continue
        n_long += 1
        kinds = [(literal.negated == (literal.owners[0] in names), literal.negated) for literal in order]
        assert kinds == sorted(kinds)
        scores = dict(zip(ex.model.vocabulary.symbols, ex.scores().symbols.tolist(), strict=True))
        there = [abs(scores[literal.owners[0]]) for literal, kind in zip(order, kinds, strict=True) if kind == (0, 0)]
        assert there == sorted(there, reverse=True)
    assert n_long


def test_witnesses():
    pipeline, graphs = hand_made()
    ex = gtm.explain(pipeline, graphs, 0)
    assert [str(condition.literal) for condition in ex.witness(0).steps[0].conditions] == [
        "(element=O)>=1",
        "NOT (element=N)>=1",
    ]
    with pytest.raises(ValueError, match="The clause must be true for the graph; C2 is not"):
        gtm.explain(pipeline, graphs, 4).witness(2)
    with pytest.raises(ValueError, match=r"'node' parameter of witness must be None after WholeGraph. Got 2 instead"):
        ex.witness(0, 2)
    looks = make_pipeline(Neighbourhoods(), gtm.GraphTMClassifier(**QUICK)).fit(*molecules())
    found = gtm.explain(looks, molecules()[0], 0)
    fired = found.fired[0]
    assert str(found.witness(fired.clause, fired.nodes[0])) == str(found.witness(fired.clause))


def test_plain_data_pickles_and_files(alcohols, tmp_path):
    pipeline, graphs = alcohols
    ex = gtm.explain(pipeline, graphs, 4)
    plain = json.loads(json.dumps(ex.to_dict()))
    assert plain["nodes"] == [0, 1, 2, 3]
    assert set(plain["scores"]["o"]) == {"nodes", "edges", "present", "absent", "silence", "existence", "whole"}
    ex.scores()
    again = pickle.loads(pickle.dumps(ex))
    assert str(again) == str(ex)
    assert again.smallest_change().votes == ex.smallest_change().votes
    gtm.save(pipeline, tmp_path / "m.gtm")
    assert str(gtm.explain(gtm.load(tmp_path / "m.gtm"), graphs, 4)) == str(ex)


@pytest.mark.parametrize("steps", ["both", "whole", "looks"])
def test_the_smallest_change_is_one_of_the_own_graph(steps):
    graphs, y = molecules()
    pipeline = make_pipeline(*STEPS[steps](), gtm.GraphTMClassifier(**QUICK | {"epochs": 15})).fit(graphs, y)
    n_found = 0
    for number in range(6):
        ex = gtm.explain(pipeline, graphs, number)
        change = ex.smallest_change(max_changes=1)
        single = set()
        for node in ex.nodes:
            for symbol in graphs.vocabulary.symbols:
                tried = gtm.explain(pipeline, [toggled(ex.graph, node, symbol)], 0)
                single |= {(node, symbol)} if tried.prediction != ex.prediction else set()
        assert change.found == bool(single)
        assert change.searched[0].total == len(ex.nodes) * len(graphs.vocabulary.symbols)
        if change.found:
            n_found += 1
            (edit,) = change.edits
            assert (edit.node, edit.symbol) in single
            assert gtm.explain(pipeline, [change.apply(ex.graph)], 0).votes == change.votes
    assert n_found


def toggled(graph, node, symbol):
    changed = gtm.Graph()
    for name in graph.nodes:
        carried = set(graph.properties(name)) ^ ({symbol} if name == node else set())
        changed.add_node(name, carried, graph.node_type(name))
    for edge in graph.edges:
        changed.add_edge(*edge)
    return changed


def test_edits_can_be_restricted(alcohols):
    pipeline, graphs = alcohols
    ex = gtm.explain(pipeline, graphs, 0)
    change = ex.smallest_change(nodes=[2], symbols=[("element", "O"), ("element", "N")], max_changes=2)
    assert change.searched[0].total == 2
    assert {edit.node for edit in change.edits} <= {2}


def test_fidelity_of_the_own_graph(alcohols):
    """Metrics take the scores of own graphs as they take others."""
    pipeline, graphs = alcohols
    scores = [gtm.explain(pipeline, graphs, number).scores().nodes for number in range(len(graphs))]
    chosen = np.concatenate([one == one.max() for one in scores])
    assert 0 <= fidelity(pipeline.predict, graphs, chosen).necessity <= 1
    explained = [gtm.explain(pipeline, graphs, number) for number in range(4)]
    assert gtm.explain.edge_patterns(explained, "o")[0][1] > 0


# What is refused


def test_samples_of_any_kind():
    assert one_sample([1, 2, 3], -1) == [3]
    assert one_sample(sparse.coo_array(np.eye(3)), 1).toarray().tolist() == [[0, 1, 0]]
    assert one_sample(np.arange(6).reshape(3, 2), np.int8(2)).tolist() == [[4, 5]]
    assert one_sample({"a": [1, 2], "b": (3, 4)}, 1) == {"a": [2], "b": (4,)}


@pytest.mark.parametrize("i", [12, -13])
def test_samples_that_do_not_exist(alcohols, i):
    with pytest.raises(IndexError, match=f"must be a number from -12 to 11, since 'X' has 12 samples. Got {i} instead"):
        gtm.explain(*alcohols, i)


def test_no_samples(alcohols):
    with pytest.raises(IndexError, match=r"but 'X' has none. Got 0 instead"):
        gtm.explain(alcohols[0], alcohols[1][:0], 0)


@pytest.mark.parametrize("i", [True, 1.0, "1", None, [1], slice(1)])
def test_numbers_of_samples(alcohols, i):
    with pytest.raises(TypeError, match="The 'i' parameter of explain must be the number of a sample, an int"):
        gtm.explain(*alcohols, i)


def test_wrong_data(alcohols):
    pipeline, graphs = alcohols
    for X, kind in ((graphs[0], "Graph"), ("CCO", "str"), (iter(graphs), "generator"), (3, "int"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"must hold all samples.*Got an? {kind!r} instead; write \\[x\\]"):
            gtm.explain(pipeline, X, 0)
    with pytest.raises(TypeError, match="must be a list of Graph"):
        gtm.explain(pipeline, TEXTS, 0)


def test_pipelines_that_are_not_fitted():
    graphs, y = molecules()
    with pytest.raises(NotFittedError):
        gtm.explain(make_pipeline(WholeGraph(), gtm.GraphTMClassifier()), graphs, 0)
    with pytest.raises(NotFittedError):
        gtm.explain(gtm.GraphTMClassifier(), graphs, 0)
    with pytest.raises(NotFittedError, match="Neighbourhoods"):
        gtm.explain(make_pipeline(Neighbourhoods(), gtm.GraphTMClassifier(**QUICK).fit(graphs, y)), graphs, 0)


def test_pipelines_that_cannot_be_explained(alcohols):
    pipeline, graphs = alcohols
    whole, machine = pipeline[1], pipeline[-1]
    with pytest.raises(TypeError, match=r"The pipeline must be an estimator of graphtm.*Got a 'WholeGraph' instead"):
        gtm.explain(whole, graphs, 0)
    with pytest.raises(TypeError, match="Step 'wholegraph', the last of the pipeline, must be an estimator of graphtm"):
        gtm.explain(pipeline[:-1], graphs, 0)
    same = FunctionTransformer(lambda X: X)
    for steps, after in (([whole, same], "WholeGraph"), ([pipeline[0], same, whole], "Neighbourhoods")):
        with pytest.raises(TypeError, match=f"step 'functiontransformer', a 'FunctionTransformer', follows {after}"):
            gtm.explain(make_pipeline(*steps, machine), graphs, 0)
    with pytest.raises(TypeError, match="step 'neighbourhoods', a 'Neighbourhoods', follows WholeGraph"):
        gtm.explain(make_pipeline(whole, pipeline[0], machine), graphs, 0)
    search = GridSearchCV(gtm.GraphTMClassifier(**QUICK), {"T": [5]}, cv=2).fit(*molecules())
    with pytest.raises(TypeError, match=r"Got a 'GridSearchCV' instead. Pass its best_estimator_."):
        gtm.explain(search, graphs, 0)


def test_foreign_steps_may_come_first(alcohols):
    pipeline, graphs = alcohols
    longer = make_pipeline(FunctionTransformer(lambda X: X), *[step for _, step in pipeline.steps])
    assert str(gtm.explain(longer, graphs, 2)) == str(gtm.explain(pipeline, graphs, 2))
