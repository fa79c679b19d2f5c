"""Scores of symbols at nodes as images, against a loop over the names of symbols, and what is refused."""

import numpy as np
import pytest
from scipy import sparse

import graphtm as gtm
from graphtm.encoders import ImagePatches, Superpixels

VIEWS = [{"name": "fine", "patch_size": 2}, {"name": "coarse", "booleanise": "colour", "bins": 3, "stride": 2}]


def patches(channels=None, **parameters):
    shape = (1, 7, 6) if channels is None else (1, 7, 6, channels)
    image = np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)
    return ImagePatches(**{"patch_size": (3, 2), **parameters}).fit(image), image


@pytest.mark.parametrize(
    ("channels", "parameters"),
    [
        (None, {}),
        (None, {"stride": (2, 3), "position": None, "booleanise": "thermometer", "bins": 2}),
        (3, {"views": VIEWS, "position": "thermometer"}),
        (3, {"views": VIEWS, "mark_views": "type"}),
        (3, {"dilation": (2, 3), "booleanise": "gradients", "bins": 2}),
        (3, {"views": [{**view, "stride": 2, "patch_size": 2} for view in VIEWS], "join_views": True}),
    ],
)
def test_scores_of_pixels_are_placed_where_the_pixels_are(channels, parameters):
    encoder, _ = patches(channels, **parameters)
    symbols, places = encoder.vocabulary_.symbols, encoder.places()
    scores = np.random.default_rng(1).integers(-5, 6, (len(places), len(symbols)))
    names = [view.name for view in encoder.views_]
    expected = np.zeros((7, 6))
    for node, (view, top, left) in enumerate(places.tolist()):
        for number, symbol in enumerate(symbols):
            start = symbol[:1] if names == [None] else symbol[:2]
            shown = names if parameters.get("join_views") else [names[view]]
            if start in [("pixel",) if name is None else (name, "pixel") for name in shown]:
                i, j = symbol[len(start) : len(start) + 2]
                down, across = encoder.dilation if isinstance(encoder.dilation, tuple) else (encoder.dilation,) * 2
                expected[top + i * down, left + j * across] += scores[node, number]
    np.testing.assert_array_equal(encoder.to_pixels(scores), expected)
    np.testing.assert_array_equal(encoder.to_pixels(sparse.csr_array(scores)), expected)
    assert expected.any()


def test_symbols_of_an_image_are_its_pixels():
    """Pixels that are on count once per patch that covers them."""
    encoder, image = patches(booleanise="threshold", threshold=128)
    graph = encoder.transform(image)[0]
    symbols = list(encoder.vocabulary_.symbols)
    present = np.array([[symbol in set(graph.properties(node)) for symbol in symbols] for node in graph.nodes])
    covered = encoder.to_pixels(np.ones(present.shape))
    np.testing.assert_array_equal(encoder.to_pixels(present), np.where(image[0] >= 128, covered, 0))
    np.testing.assert_array_equal(encoder.to_pixels(~present), np.where(image[0] >= 128, 0, covered))
    assert covered[0, 0] == 1
    assert covered[3, 3] == 6


@pytest.mark.parametrize("channels", [None, 3])
def test_scores_of_segments(channels):
    pytest.importorskip("skimage", reason="superpixels need scikit-image")
    shape = (1, 12, 12) if channels is None else (1, 12, 12, channels)
    image = np.random.default_rng(0).integers(0, 60, shape).astype(np.uint8)
    image[0, 2:8, 3:7] = 250
    encoder = Superpixels(n_segments=9, levels=4, neighbours=2, places=4).fit(image)
    symbols = encoder.vocabulary_.symbols
    scores = np.random.default_rng(1).integers(-5, 6, (encoder.transform(image).n_nodes, len(symbols)))
    labels = encoder.segments(image)[0]
    expected = np.zeros((12, 12))
    for (y, x), node in np.ndenumerate(labels):
        own = [scores[node, number] for number, symbol in enumerate(symbols) if symbol[0] == "intensity"]
        expected[y, x] = sum(own) / np.count_nonzero(labels == node)
    np.testing.assert_allclose(encoder.to_pixels(scores, image[0]), expected)
    with pytest.raises(gtm.GraphError, match=r"training images, \(12, 12, .\); got \(12, 11, .\)"):
        encoder.to_pixels(scores, image[0][:, :11])


def test_scores_that_do_not_fit():
    encoder, _ = patches()
    n_nodes, n_symbols = len(encoder.places()), len(encoder.vocabulary_.symbols)
    message = (
        f"The 'scores' parameter of to_pixels must have one finite number per node and symbol of one graph, "
        f"{n_nodes} x {n_symbols}. Got an array of shape "
    )
    with pytest.raises(ValueError, match="one finite number per node and symbol") as error:
        encoder.to_pixels(np.zeros((n_nodes, n_symbols - 1)))
    assert str(error.value) == f"{message}({n_nodes}, {n_symbols - 1}) instead."
    with pytest.raises(ValueError, match="one finite number per node and symbol"):
        encoder.to_pixels(np.full((n_nodes, n_symbols), np.nan))
