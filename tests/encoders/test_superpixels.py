"""Superpixels: segments, symbols and edges against a loop over nodes, and what is refused."""

import importlib
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from shared import shared_data
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import booleanise
from graphtm.encoders.segments import nearest_segments
from graphtm.encoders.superpixels import Superpixels
from graphtm.errors import MissingLibraryError
from graphtm.testing import check_encoder

pytest.importorskip("skimage", reason="superpixels need scikit-image")


def blobs(seed, n, height=20, width=24, channels=None):
    """Return images with a bright rectangle each, and some noise."""
    rng = np.random.default_rng(seed)
    shape = (n, height, width) if channels is None else (n, height, width, channels)
    images = rng.integers(0, 60, shape).astype(np.uint8)
    for image in images:
        top, left = rng.integers(0, height // 2), rng.integers(0, width // 2)
        image[top : top + height // 2, left : left + width // 3] = rng.integers(120, 256)
    return images


def centre(mask):
    y, x = np.nonzero(mask)
    return x.mean() + 0.5, y.mean() + 0.5


def twin(image, labels, neighbours, levels, places):
    """Return the symbols of each node and the connected pairs, one segment at a time."""
    n = labels.max() + 1
    centres = [centre(labels == node) for node in range(n)]
    near = []
    for x, y in centres:
        distance = [round((x - a) ** 2 + (y - b) ** 2, 9) for a, b in centres]
        near.append(
            [node for _, node in sorted((d, node) for node, d in enumerate(distance) if (x, y) != centres[node])]
        )
    linked = {(a, b) for a in range(n) for b in near[a][:neighbours]}
    linked |= {(b, a) for a, b in linked}
    step = [(int(x * places / labels.shape[1]), int(y * places / labels.shape[0])) for x, y in centres]
    nodes = []
    for node in range(n):
        nearest = step[near[node][0] if near[node] else node]
        nodes.append(
            {
                ("intensity", int(image[labels == node].mean() * levels / 256)),
                ("x", step[node][0]),
                ("y", step[node][1]),
                ("nearest x", nearest[0]),
                ("nearest y", nearest[1]),
                ("neighbours", min(2 * neighbours, sum(a == node for a, _ in linked))),
            }
        )
    return nodes, linked


@given(st.integers(0, 999), st.sampled_from([1, 5, 20, 60]), st.integers(1, 9))
@settings(max_examples=15)
def test_graphs_are_those_of_a_loop_over_segments(seed, n_segments, neighbours):
    images = blobs(seed, 2)
    encoder = Superpixels(n_segments, neighbours=neighbours, levels=5, places=7).fit(images)
    graphs, labels = encoder.transform(images), encoder.segments(images)
    graphs.validate()
    for image, label, graph in zip(images, labels, graphs, strict=True):
        assert np.array_equal(np.unique(label), np.arange(len(graph.nodes)))
        nodes, linked = twin(image, label, neighbours, 5, 7)
        assert [set(graph.properties(node)) for node in graph.nodes] == nodes
        assert set(graph.edges) == {(a, b, "neighbour") for a, b in linked}
        assert graph.n_edges == len(linked)


def test_thermometers_and_colours():
    images = blobs(1, 3, channels=3)
    plain = Superpixels(20, levels=4, places=6).fit(images)
    graded = Superpixels(20, levels=4, places=6, encoding="thermometer").fit(images)
    for one, other in zip(plain.transform(images), graded.transform(images), strict=True):
        for node in one.nodes:
            symbols = {name[:-1]: name[-1] for name in one.properties(node)}
            expected = {(*name, ">=", step) for name, last in symbols.items() for step in range(1, last + 1)}
            assert set(other.properties(node)) == expected
    assert ("intensity", "green", 3) in plain.vocabulary_.symbols
    bare = Superpixels(20, levels=4, places=6, neighbour_features=False).fit(images)
    assert [name[0] for name in bare.transform(images)[0].properties(0)] == ["intensity"] * 3 + ["x", "y"]


def test_odd_images():
    one = Superpixels().fit_transform(np.ones((1, 1, 1)))
    one.validate()
    assert one[0].properties(0) == (
        ("intensity", 7),
        ("x", 14),
        ("y", 14),
        ("nearest x", 14),
        ("nearest y", 14),
        ("neighbours", 0),
    )
    black = Superpixels(10).fit_transform(np.zeros((2, 12, 12), bool))
    black.validate()
    assert black[0] == black[1]
    assert len(Superpixels().fit(np.ones((1, 5, 5))).transform(np.ones((0, 5, 5)))) == 0


def test_floats_and_bytes_agree_and_jobs_do_not_matter(monkeypatch):
    images = blobs(2, 20, 8, 8)
    encoder = Superpixels(6).fit(images)
    expected = encoder.transform(images)
    assert encoder.transform(images / 255) == expected
    assert encoder.transform(images[15:18]) == expected[15:18]
    monkeypatch.setattr(booleanise, "_BLOCK", 6 * 64 * 64)
    several = clone(encoder).set_params(n_jobs=2).fit(images)
    with parallel_config("threading"):  # processes take seconds to start
        assert several.transform(images) == expected
        assert np.array_equal(several.segments(images), encoder.segments(images))


def test_graphs_are_lazy_and_the_same_whenever_they_are_made(monkeypatch):
    images = blobs(3, 7, 9, 8)
    encoder = Superpixels(6).fit(images)
    graphs = encoder.transform(images)
    assert graphs.is_lazy
    expected = gtm.GraphBatch.from_graphs(list(graphs), graphs.vocabulary)
    assert list(graphs[[4, 1, 4]]) == [expected[4], expected[1], expected[4]]
    assert len(graphs[:0].validate() or list(graphs[:0])) == 0
    assert pickle.loads(pickle.dumps(graphs)) == expected
    monkeypatch.setattr(booleanise, "_BLOCK", 1)
    assert encoder.transform(images) == expected
    images[:] = 0
    assert graphs == expected


@pytest.mark.parametrize(
    ("parameters", "channels"), [({}, None), ({"encoding": "thermometer"}, None), ({"neighbour_features": False}, 3)]
)
def test_it_is_an_encoder_like_any_other(parameters, channels):
    images = blobs(5, 2, 6, 6, channels)
    encoder = Superpixels(4, neighbours=3, levels=3, places=3, **parameters)
    bad = [images.astype(float), images[:0]]
    check_encoder(encoder, images, bad=bad)
    check_encoder(encoder, images, bad=bad, render=lambda fitted: fitted.segments(images))


def test_ties_go_to_the_smaller_number():
    order, pairs = nearest_segments(np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]), 1)
    assert order.tolist() == [[1], [0], [1]]
    assert set(zip(*pairs.tolist(), strict=True)) == {(0, 1), (1, 0), (1, 2), (2, 1)}


def test_rendering():
    encoder = Superpixels(neighbours=2, levels=3, places=4).fit(np.zeros((1, 9, 9, 3)))
    weights = {("intensity", "blue", 1): 2.0, ("y", 3): 1.0, ("nearest x", 0): 5.0, ("neighbours", 4): 1.0}
    picture = encoder.render(weights)
    assert picture.intensity.tolist() == [[0, 0, 0], [0, 0, 0], [0, 2, 0]]
    assert picture.position.sum(axis=1).tolist() == [0, 0, 0, 4]
    assert picture.nearest[:, 0].tolist() == [5] * 4
    assert picture.neighbours.tolist() == [0, 0, 0, 0, 1]
    graded = Superpixels(places=3, encoding="thermometer", neighbour_features=False).fit(np.zeros((1, 9, 9)))
    assert graded.render({("x", ">=", 1): 1}).position.tolist() == [[0, 1, 1]] * 3
    assert graded.render([]).intensity.tolist() == [0] * 8
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'x'"):
        graded.render({"x": 1})


def test_a_pipeline_learns_where_the_light_is():
    rng = np.random.default_rng(0)
    images, y = np.zeros((120, 12, 12)), rng.integers(0, 2, 120)
    images[np.arange(120), 2:10, 3 + 6 * y] = 1.0
    classifier = gtm.GraphTMClassifier(n_clauses=10, T=20, s=3.0, depth=1, epochs=15, random_state=0)
    pipeline = make_pipeline(Superpixels(16, places=2, compactness=1.0), classifier)
    assert pipeline.fit(images[:80], y[:80]).score(images[80:], y[80:]) > 0.9


# What is refused


def test_without_scikit_image_the_message_says_what_to_install(monkeypatch):
    real = importlib.import_module

    def import_module(name, *rest):
        if name.startswith("skimage"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(importlib, "import_module", import_module)
    with pytest.raises(MissingLibraryError, match=r"Superpixels needs the library 'skimage'.*graphtm\[images\]"):
        Superpixels().fit(np.zeros((1, 4, 4)))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_segments": 0}, "'n_segments' parameter of Superpixels must be an int in the range"),
        ({"neighbours": 1.5}, "'neighbours' parameter"),
        ({"levels": 257}, r"'levels' parameter of Superpixels must be an int in the range \[1, 256\]"),
        ({"places": True}, "'places' parameter"),
        ({"compactness": 0}, "'compactness' parameter of Superpixels must be a finite number above 0"),
        ({"encoding": "binary"}, "'encoding' parameter of Superpixels must be a str among {'one_hot', 'thermometer'}"),
        ({"neighbour_features": 1}, "'neighbour_features' parameter of Superpixels must be a bool"),
        ({"n_jobs": 0}, "'n_jobs' parameter of Superpixels must be an int above 0, -1 for all processors, -2 for all"),
        ({"n_jobs": "two"}, "'n_jobs' parameter"),
    ],
)
def test_wrong_parameters_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        Superpixels(**parameters).fit(np.zeros((1, 4, 4)))


def test_wrong_images_are_refused():
    with pytest.raises(NotFittedError):
        Superpixels().transform(np.zeros((1, 4, 4)))
    with pytest.raises(gtm.GraphError, match="Superpixels needs at least one image to fit"):
        Superpixels().fit(np.zeros((0, 4, 4)))
    with pytest.raises(gtm.GraphError, match="Images for Superpixels must be an array of shape"):
        Superpixels().fit(np.zeros((4, 4)))
    with pytest.raises(gtm.GraphError, match=r"of the training images, \(4, 4, 1\); got \(5, 4, 1\)"):
        Superpixels().fit(np.zeros((1, 4, 4))).transform(np.zeros((1, 5, 4)))


def test_digits_have_about_as_many_segments_as_asked_for():
    with np.load(shared_data("mnist") / "mnist.npz") as arrays:
        digits = arrays["x_test"][:50]
    graphs = Superpixels(75).fit_transform(digits)
    assert 60 <= graphs.node_counts.min() <= graphs.node_counts.max() <= 90
