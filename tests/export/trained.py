"""Machines trained in a moment, with graphs that they have not seen, for the tests of all exports.

What counts is that exports agree with ``predict``, not accuracy; but clauses must read symbols and messages, and
several classes must be predicted.
"""

from functools import cache

import numpy as np
from shared import shared_data

import graphtm as gtm
from graphtm import datasets, encoders

NAMES = ["sequence", "xor", "hex", "tu", "text", "digits", "labels"]
"""All of them; ``tu``, ``text`` and ``digits`` need shared data, ``labels`` is multi-label with node types."""
QUICK = ["sequence", "xor", "hex", "tu", "text", "labels"]
"""Those with a few hundred graphs."""


@cache
def trained(name, graded=False):
    """Return a fitted estimator and graphs in its vocabulary; the test is skipped where shared data are missing.

    Parameters
    ----------
    name
        One of ``NAMES``.
    graded
        Whether clauses may miss literals.
    """
    settings, train, y, graphs = _task(name)
    kind = gtm.GraphTMMultiLabelClassifier if name == "labels" else gtm.GraphTMClassifier
    if graded:
        settings = settings | dict(max_misses=3, T=5 * settings["T"], s=100.0, max_included_literals=12)
    estimator = kind(**{"random_state": 1, "engine": "cpu", "n_jobs": 1, **settings}).fit(train, y)
    _check(estimator, graphs)
    return estimator, graphs


@cache
def _task(name):
    return _TASKS[name]()


def _check(estimator, graphs):
    """Check that agreement with this machine says something."""
    predicted = estimator.class_sums(graphs)
    sums = np.unique(predicted, axis=0)
    assert len(sums) > 2, "the vote sums hardly differ"
    if hasattr(estimator, "rank"):
        assert 0 < np.mean(predicted >= 0) < 1
    else:
        assert len(set(estimator.predict(graphs).tolist())) > 1, "one class is predicted everywhere"
    bits = estimator.model_.params.state_bits
    layers = [estimator.state_.includes(layer, bits) for layer in range(estimator.model_.params.depth)]
    assert all(layer.any() for layer in layers), "a layer includes nothing"


def _sequence():
    train, test = (datasets.sequences(n, noise=0.01, random_state=n) for n in (1000, 300))
    return dict(n_clauses=10, T=10, s=3.0, depth=3, epochs=4), train.graphs, train.y, test.graphs


def _xor():
    train, test = (datasets.multivalue_xor(n, n_values=6, random_state=n) for n in (1000, 200))
    return dict(n_clauses=20, T=20, s=3.0, epochs=4), train.graphs, train.y, test.graphs


def _hex():
    """Boards with hashed messages: clauses share bits of the inbox."""
    boards = datasets.hex_boards(700, size=5, random_state=0)
    sizes = dict(message_encoding="random", message_size=128)
    machine = dict(n_clauses=60, T=60, s=3.0, depth=3, epochs=6, **sizes)
    return machine, boards.graphs[:500], boards.y[:500], boards.graphs[500:600]


def _tu():
    graphs, y = datasets.load_tudataset("PTC_FM", data_home=shared_data("tu"))
    return dict(n_clauses=40, T=40, s=3.0, epochs=20), graphs[::2], y[::2], graphs


def _text():
    """The first words of reviews, with hashed words and messages."""
    texts, y = datasets.load_yelp(data_home=shared_data("yelp_reviews_stars"))
    encoder = encoders.Tokens(vocabulary_size=1000, window=2, position=False, max_length=12).fit(texts[:400])
    sizes = dict(symbol_encoding="random", hypervector_size=400, message_encoding="random", message_size=512)
    machine = dict(n_clauses=60, T=60, s=3.0, epochs=15, class_weight="balanced", **sizes)
    return machine, encoder.transform(texts[:400]), y[:400], encoder.transform(texts[400:500])


def _digits():
    X, y = datasets.load_mnist(data_home=shared_data("mnist"))
    test, _ = datasets.load_mnist(data_home=shared_data("mnist"), subset="test")
    encoder = encoders.ImagePatches(patch_size=10, stride=6).fit(X[:1000])
    machine = dict(n_clauses=100, T=100, s=5.0, depth=1, epochs=3, symbol_encoding="one_hot")
    return machine, encoder.transform(X[:1000]), y[:1000], encoder.transform(test[:2000])


def _labels():
    """Two-part graphs: words with an A, words with a B after an A, letters and marks being nodes of two types."""
    graphs, labels = [], []
    rng = np.random.default_rng(0)
    for _ in range(400):
        word = rng.choice(list("ABC"), 4).tolist()
        graph = gtm.Graph()
        for place, letter in enumerate(word):
            graph.add_node(place, [letter], type="letter")
            graph.add_node(("mark", place), ["!"] if rng.random() < 0.5 else [], type="mark")
            graph.add_edge(place, ("mark", place), "has")
        for place in range(3):
            graph.add_edge(place, place + 1, "next")
        graphs.append(graph)
        labels.append({name for name, has in (("has A", "A" in word), ("A, then B", "AB" in "".join(word))) if has})
    batch = gtm.GraphBatch.from_graphs(graphs)
    return dict(n_clauses=30, T=30, s=3.0, epochs=6), batch[:250], labels[:250], batch[250:]


_TASKS = {
    "sequence": _sequence,
    "xor": _xor,
    "hex": _hex,
    "tu": _tu,
    "text": _text,
    "digits": _digits,
    "labels": _labels,
}
