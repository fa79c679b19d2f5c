"""Patches of images: what nodes carry, against a twin that goes pixel by pixel, and what is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.ndimage import gaussian_filter
from shared import shared_data
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.codes import encode, one_hot
from graphtm.encoders.booleanise import linear_levels
from graphtm.encoders.gradients import DIRECTIONS, gradient_maps
from graphtm.encoders.images import ImagePatches
from graphtm.explain import Literal
from graphtm.testing import check_encoder

COLOURS = {1: [None], 2: [0, 1], 3: ["red", "green", "blue"], 4: ["red", "green", "blue", "alpha"], 5: [0, 1, 2, 3, 4]}


def images_of(seed, n, height, width, channels=None):
    shape = (n, height, width) if channels is None else (n, height, width, channels)
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def pixel_ends(image, y, x, mode, threshold, bins, smooth):
    """Yield the ends of the names of a pixel's symbols, one channel after the other."""
    for channel, name in enumerate(COLOURS[image.shape[2]]):
        start, level = (() if name is None else (name,)), int(image[y, x, channel])
        if mode in ("threshold", "adaptive"):
            if level >= threshold if mode == "threshold" else level > smooth[y, x, channel] - 2:
                yield start
        else:
            for step in linear_levels(bins).tolist():
                if level >= step:
                    yield (*start, ">=", step)


def twin(image, patch, stride, position, mode, threshold=76, bins=8, view=None, dilation=(1, 1)):
    """Return the symbols of every patch of one image, as sets."""
    image = image.reshape(*image.shape[:2], -1)
    smooth = np.stack(
        [
            gaussian_filter(image[..., channel].astype(float), 2.0, mode="nearest", truncate=2.5)
            for channel in range(image.shape[2])
        ],
        axis=-1,
    )
    nodes = []
    height, width = ((n - 1) * step + 1 for n, step in zip(patch, dilation, strict=True))
    for row, top in enumerate(range(0, image.shape[0] - height + 1, stride[0])):
        for column, left in enumerate(range(0, image.shape[1] - width + 1, stride[1])):
            symbols = set()
            if position == "one_hot":
                symbols |= {("row", row), ("column", column)}
            elif position == "thermometer":
                symbols |= {("row", ">=", step) for step in range(1, row + 1)}
                symbols |= {("column", ">=", step) for step in range(1, column + 1)}
            for i in range(patch[0]):
                for j in range(patch[1]):
                    y, x = top + i * dilation[0], left + j * dilation[1]
                    for end in pixel_ends(image, y, x, mode, threshold, bins, smooth):
                        symbols.add(("pixel", i, j, *end) if view is None else (view, "pixel", i, j, *end))
            nodes.append(symbols)
    return nodes


def carried(graph):
    return [set(graph.properties(node)) for node in graph.nodes]


shapes = st.tuples(st.integers(1, 9), st.integers(1, 11))


@given(
    shapes,
    st.sampled_from([None, 1, 2, 3, 4, 5]),
    st.data(),
    st.sampled_from(["one_hot", "thermometer", None]),
    st.sampled_from(["threshold", "thermometer", "adaptive", "colour"]),
)
@settings(max_examples=60)
def test_nodes_carry_what_a_loop_over_pixels_finds(shape, channels, data, position, mode):
    if mode == "colour" and channels in (None, 1):
        channels = 3
    patch = (data.draw(st.integers(1, shape[0])), data.draw(st.integers(1, shape[1])))
    stride = (data.draw(st.integers(1, 3)), data.draw(st.integers(1, 3)))
    most = [(n - 1) // max(1, size - 1) for n, size in zip(shape, patch, strict=True)]
    dilation = tuple(data.draw(st.integers(1, max(1, n))) for n in most)
    bins = data.draw(st.sampled_from([1, 2, 8, 23]))
    images = images_of(data.draw(st.integers(0, 99)), 2, *shape, channels)
    encoder = ImagePatches(
        patch, stride, dilation=dilation, position=position, booleanise=mode, bins=bins, threshold=100
    )
    graphs = encoder.fit_transform(images)
    graphs.validate()
    assert graphs.is_lazy
    for image, graph in zip(images, graphs, strict=True):
        assert carried(graph) == twin(image, patch, stride, position, mode, 100, bins, dilation=dilation)


@pytest.mark.parametrize(("bins", "width"), [(64, 3), (63, 3), (65, 2), (1, 70), (2, 64), (31, 9)])
def test_runs_of_bits_may_cross_words(bins, width):
    images = images_of(0, 1, 4, width)
    graphs = ImagePatches((3, width - 1), booleanise="thermometer", bins=bins).fit_transform(images)
    assert carried(graphs[0]) == twin(images[0], (3, width - 1), (1, 1), "one_hot", "thermometer", bins=bins)


def test_the_paper_s_numbers_of_symbols_and_nodes():
    grey, photos = np.zeros((1, 28, 28), np.uint8), np.zeros((1, 32, 32, 3), np.uint8)
    mnist = ImagePatches(10).fit_transform(grey)
    fashion = ImagePatches(3, booleanise="thermometer", bins=8).fit_transform(grey)
    cifar = ImagePatches(8, views=[{"booleanise": "adaptive"}, {"booleanise": "colour"}]).fit_transform(photos)
    assert [len(batch.vocabulary.symbols) for batch in (mnist, fashion)] == [138, 124]
    assert [batch.n_nodes for batch in (mnist, fashion, cifar)] == [361, 676, 1250]


def test_floats_booleans_and_bytes_agree():
    images = images_of(1, 3, 6, 6)
    for mode in ("threshold", "thermometer", "adaptive"):
        encoder = ImagePatches(3, booleanise=mode, bins=30).fit(images)
        expected = encoder.transform(images)
        for kind in (np.float16, np.float32, np.float64):
            assert encoder.transform((images / 255).astype(kind)) == expected
        assert encoder.transform(images[..., None]) == expected
        assert encoder.transform(list(images)) == expected
    ink = images > 100
    encoder = ImagePatches(3).fit(ink)
    assert encoder.transform(ink) == encoder.transform(ink.astype(float)) == encoder.transform(ink * np.uint8(255))


def test_a_batch_does_not_change_with_the_images_it_was_made_of():
    images = images_of(2, 2, 5, 5)
    graphs = ImagePatches(3).fit_transform(images)
    before = list(graphs)
    images[:] = 0
    assert list(graphs) == before


def test_lazy_graphs_are_chosen_pickled_and_encoded():
    images = images_of(3, 6, 8, 8)
    graphs = ImagePatches(3, edges="grid").fit_transform(images)
    assert list(graphs[[4, 1]]) == [graphs[4], graphs[1]]
    assert pickle.loads(pickle.dumps(graphs)) == graphs
    packed = gtm.GraphBatch.from_graphs(list(graphs), graphs.vocabulary)
    assert graphs == packed
    code = one_hot(len(graphs.vocabulary.symbols))
    assert np.array_equal(encode(graphs, code).bits, encode(packed, code).bits)
    assert len(ImagePatches(3).fit(images).transform(images[:0])) == 0


# Views


def test_views_are_nodes_of_one_graph():
    images = images_of(4, 2, 6, 7, 3)
    views = [
        {"booleanise": "adaptive", "patch_size": (4, 3), "name": "edges"},
        {"booleanise": "colour", "bins": 2, "stride": 2},
    ]
    encoder = ImagePatches(3, views=views, edges="grid")
    graphs = encoder.fit_transform(images)
    graphs.validate()
    assert [view.grid for view in encoder.views_] == [(3, 5), (2, 3)]
    for image, graph in zip(images, graphs, strict=True):
        first = twin(image, (4, 3), (1, 1), "one_hot", "adaptive", view="edges")
        second = twin(image, (3, 3), (2, 2), "one_hot", "colour", bins=2, view="colour")
        marks = [("view", "edges")] * 15 + [("view", "colour")] * 6
        assert carried(graph) == [symbols | {mark} for symbols, mark in zip(first + second, marks, strict=True)]
        assert all((source < 15) == (destination < 15) for source, destination, _ in graph.edges)
    assert encoder.places().tolist()[:2] == [[0, 0, 0], [0, 0, 1]]
    assert encoder.places().tolist()[-1] == [1, 2, 4]


def test_views_may_share_their_nodes():
    images = images_of(4, 2, 7, 8, 3)
    views = [
        {"booleanise": "adaptive", "patch_size": (3, 2), "stride": 2, "name": "edges"},
        {"booleanise": "colour", "bins": 2, "patch_size": 2, "dilation": (2, 1), "stride": 2},
    ]
    encoder = ImagePatches(views=views, join_views=True, edges="grid")
    graphs = encoder.fit_transform(images)
    graphs.validate()
    assert not any("view" in symbol for symbol in encoder.vocabulary_.symbols)
    for image, graph in zip(images, graphs, strict=True):
        first = twin(image, (3, 2), (2, 2), "one_hot", "adaptive", view="edges")
        second = twin(image, (2, 2), (2, 2), "one_hot", "colour", bins=2, view="colour", dilation=(2, 1))
        assert carried(graph) == [one | other for one, other in zip(first, second, strict=True)]
        assert len(graph.edges) == 2 * (3 * 3 + 2 * 4)
    assert encoder.places().tolist()[-1] == [0, 4, 6]


def test_views_of_different_grids_cannot_share_their_nodes():
    encoder = ImagePatches(2, views=[{"name": "a"}, {"name": "b", "stride": 2}], join_views=True)
    with pytest.raises(gtm.GraphError, match=r"must have as many rows and columns of patches; got 3 x 3, 2 x 2\."):
        encoder.fit(np.zeros((1, 4, 4)))


# Gradients


def slow_gradients(image, sigma):
    """Return the maps of one image, pixel by pixel and in double precision, before they are rounded."""
    height, width = image.shape[:2]
    bright = image.astype(float).mean(axis=2)
    shares = np.zeros((8, height, width))
    for y in range(height):
        for x in range(width):
            up, below, left, right = max(y - 1, 0), min(y + 1, height - 1), max(x - 1, 0), min(x + 1, width - 1)
            down = (bright[below, x] - bright[up, x]) / max(1, below - up)
            across = (bright[y, right] - bright[y, left]) / max(1, right - left)
            strength = 2 * np.hypot(down, across)
            if strength:
                # Which of the eight directions is how near, by angles.
                first, angle = divmod(np.degrees(np.arctan2(down, across)) % 360, 45)
                slope = abs(np.tan(np.radians(angle if first % 2 == 0 else 45 - angle)))
                straight, diagonal = (first, first + 1) if first % 2 == 0 else (first + 1, first)
                shares[int(straight) % 8, y, x] += (1 - slope) * strength
                shares[int(diagonal) % 8, y, x] += slope * strength
    mean = np.stack([gaussian_filter(share, sigma, mode="nearest", truncate=2.5) for share in shares], axis=-1)
    return np.minimum(mean, 255)


@given(st.integers(0, 99), shapes, st.sampled_from([1, 3]), st.sampled_from([0.5, 1.0, 2.5]))
def test_gradients_are_those_of_a_loop_over_pixels(seed, shape, channels, sigma):
    images = images_of(seed, 2, *shape, channels)
    maps = gradient_maps(images, sigma, 2.5)
    assert maps.dtype == np.uint8
    for image, found in zip(images, maps, strict=True):
        assert np.abs(found - slow_gradients(image, sigma)).max() <= 0.51  # rounded


@pytest.mark.parametrize("spacing", ["linear", "quantile"])
@pytest.mark.parametrize("channels", [None, 3])
def test_symbols_of_gradients_compare_their_maps(spacing, channels):
    images = images_of(6, 3, 6, 7, channels)
    encoder = ImagePatches((3, 4), booleanise="gradients", bins=3, spacing=spacing, sigma=0.8, position=None)
    graphs = encoder.fit_transform(images)
    (view,) = encoder.views_
    maps = gradient_maps(images.reshape(*images.shape[:3], -1), 0.8, 2.5)
    for graph, of_image in zip(graphs, maps, strict=True):
        for symbols, (_, top, left) in zip(carried(graph), encoder.places().tolist(), strict=True):
            assert symbols == {
                ("pixel", i, j, direction, ">=", level)
                for i in range(3)
                for j in range(4)
                for number, direction in enumerate(DIRECTIONS)
                for level in view.pixels.levels[number]
                if of_image[top + i, left + j, number] >= level
            }


def test_directions_lead_to_the_brighter_side():
    ramp = np.zeros((1, 9, 9, 1), np.uint8)
    for direction, image in zip(
        ("right", "down right", "down", "left", "up"),
        (
            20 * np.arange(9)[None, :] + 0 * np.arange(9)[:, None],
            10 * (np.arange(9)[None, :] + np.arange(9)[:, None]),
            20 * np.arange(9)[:, None] + 0 * np.arange(9)[None, :],
            20 * np.arange(9)[None, ::-1] + 0 * np.arange(9)[:, None],
            20 * np.arange(9)[::-1, None] + 0 * np.arange(9)[None, :],
        ),
        strict=True,
    ):
        ramp[0, :, :, 0] = image
        found = gradient_maps(ramp, 1.0, 2.5)[0, 4, 4]
        assert DIRECTIONS[int(found.argmax())] == direction
        assert found.max() >= 2 * np.sort(found)[-2]
    assert not gradient_maps(np.full((1, 4, 4, 1), 200, np.uint8), 1.0, 2.5).any()


def test_transparency_is_not_brightness():
    images = images_of(3, 2, 6, 6, 4)
    np.testing.assert_array_equal(gradient_maps(images, 1.0, 2.5), gradient_maps(images[..., :3], 1.0, 2.5))


def test_quantiles_need_gradients_in_every_direction():
    ramp = np.repeat(np.arange(0, 250, 50, dtype=np.uint8)[None, None], 5, axis=1)
    encoder = ImagePatches(2, booleanise="gradients", spacing="quantile")
    with pytest.raises(gtm.GraphError, match="that get brighter in every direction; none gets brighter down right"):
        encoder.fit(ramp)


def test_views_may_be_types_or_unmarked():
    images, views = images_of(5, 1, 4, 4), [{"booleanise": "threshold"}, {"booleanise": "thermometer", "bins": 1}]
    typed = ImagePatches(3, views=views, mark_views="type").fit_transform(images)
    typed.validate()
    assert [typed[0].node_type(node) for node in typed[0].nodes] == ["threshold"] * 4 + ["thermometer"] * 4
    plain = ImagePatches(3, views=views, mark_views=None).fit_transform(images)
    assert carried(plain[0]) == carried(typed[0])
    assert not any(name[0] == "view" for name in plain.vocabulary.symbols)


def test_grid_edges_go_to_the_next_patches_and_back():
    graph = ImagePatches(2, edges="grid").fit_transform(np.zeros((1, 3, 4)))[0]
    expected = set()
    for row in range(2):
        for column in range(3):
            node = row * 3 + column
            if column < 2:
                expected |= {(node, node + 1, "right"), (node + 1, node, "left")}
            if row < 1:
                expected |= {(node, node + 3, "down"), (node + 3, node, "up")}
    assert set(graph.edges) == expected
    alone = ImagePatches(3, edges="grid").fit_transform(np.zeros((2, 3, 3)))
    assert alone[1].n_edges == 0
    assert list(alone.vocabulary.edge_types) == ["right", "left", "down", "up"]


# Levels


def test_quantiles_are_those_of_the_training_images():
    train = np.zeros((1, 10, 10), np.uint8)
    train[0, :, :9] = np.arange(1, 91).reshape(10, 9)
    encoder = ImagePatches(10, booleanise="thermometer", bins=2, spacing="quantile").fit(train)
    # 30 of the 90 pixels that are not black are below 31, and 60 below 61.
    assert encoder.views_[0].pixels.levels == ((31, 61),)
    bright = encoder.transform(np.full((1, 10, 10), 40, np.uint8))
    assert ("pixel", 9, 9, ">=", 31) in bright[0].properties(0)
    assert ("pixel", 9, 9, ">=", 61) not in bright[0].properties(0)
    same = np.full((1, 4, 4), 9, np.uint8)
    merged = ImagePatches(2, booleanise="thermometer", spacing="quantile").fit(same)
    assert merged.views_[0].pixels.levels == ((9,),)
    with pytest.raises(gtm.GraphError, match=r"nonzero pixels; channel 0 has none. Use spacing='linear'"):
        ImagePatches(2, booleanise="thermometer", spacing="quantile").fit(same * 0)


def test_quantiles_differ_by_channel():
    image = np.stack([np.full((4, 4), level, np.uint8) for level in (10, 20, 30)], axis=-1)[None]
    encoder = ImagePatches(2, booleanise="colour", bins=3, spacing="quantile").fit(image)
    assert encoder.views_[0].pixels.levels == ((10,), (20,), (30,))
    assert ("pixel", 1, 1, "green", ">=", 20) in encoder.transform(image)[0].properties(0)


@given(st.integers(1, 255))
def test_linear_levels_are_distinct_and_tell_black_from_white(bins):
    levels = linear_levels(bins)
    assert len(set(levels.tolist())) == bins
    assert levels[0] >= 1
    assert levels[-1] <= 255


# Back to pictures


@given(st.sampled_from(["one_hot", "thermometer"]), st.sampled_from([None, 3]), st.integers(0, 99))
@settings(max_examples=20)
def test_rendering_gives_back_what_a_node_carries(position, channels, seed):
    image = images_of(seed, 1, 6, 5, channels)
    encoder = ImagePatches((3, 2), position=position, booleanise="thermometer", bins=3).fit(image)
    graph = encoder.transform(image)[0]
    node = seed % len(graph.nodes)
    picture = encoder.render(dict.fromkeys(graph.properties(node), 1))
    _, top, left = encoder.places()[node]
    seen = image[0, top : top + 3, left : left + 2].reshape(3, 2, -1)
    steps = (seen[..., None] >= linear_levels(3)).sum(axis=-1)
    assert np.array_equal(picture.pixels.reshape(steps.shape), steps)
    assert picture.bits.sum() == steps.sum()
    if position == "one_hot":
        assert np.argwhere(picture.position == 2).tolist() == [[top, left]]
    else:
        # A patch collects a weight for every step above and left of it.
        assert picture.position[top, left] == top + left == picture.position.max()


def test_rendering_rules_and_weights():
    encoder = ImagePatches(2).fit(np.zeros((1, 4, 4)))
    literals = [
        Literal(0, False, (("pixel", 0, 0),)),
        Literal(0, True, (("pixel", 1, 1), ("row", 2))),
    ]
    picture = encoder.render(literals)
    assert picture.pixels.tolist() == [[1, 0], [0, -0.5]]
    assert picture.rows.tolist() == [0, 0, -0.5]
    assert picture.columns.tolist() == [0, 0, 0]
    assert encoder.render({}).position.shape == (3, 3)
    bare = ImagePatches(2, position=None).fit(np.zeros((1, 4, 4)))
    assert bare.render({("pixel", 0, 1): 2}).pixels.tolist() == [[0, 2], [0, 0]]
    assert bare.render({}).position.tolist() == [[0] * 3] * 3
    with pytest.raises(gtm.UnknownSymbolError, match=r"Unknown symbol \('pixel', 2, 0\)"):
        encoder.render({("pixel", 2, 0): 1})
    with pytest.raises(ValueError, match=r"The 'view' parameter of render must be one of \[None\]. Got 'a' instead"):
        encoder.render({}, view="a")


def test_rendering_one_of_several_views():
    encoder = ImagePatches(2, views=[{"name": "a"}, {"name": "b", "patch_size": 3}]).fit(np.zeros((1, 4, 4)))
    weights = {("b", "pixel", 2, 2): 5.0, ("a", "pixel", 0, 0): 1.0, ("row", 2): 1.0, ("view", "a"): 1.0}
    assert encoder.render(weights, view="b").pixels.tolist() == [[0, 0, 0], [0, 0, 0], [0, 0, 5]]
    assert encoder.render(weights, view="b").rows.tolist() == [0, 0]
    assert encoder.render(weights, view="a").rows.tolist() == [0, 0, 1]


# scikit-learn


def crosses(n, seed):
    """Return images of a horizontal or a vertical bar at any place, and which it is."""
    rng = np.random.default_rng(seed)
    images, y = np.zeros((n, 8, 8), np.uint8), rng.integers(0, 2, n)
    for image, kind, (a, b) in zip(images, y, rng.integers(0, 5, (n, 2)), strict=True):
        image[(a, slice(b, b + 4)) if kind else (slice(b, b + 4), a)] = 255
    return images, y


def test_a_pipeline_learns_from_arrays():
    images, y = crosses(200, 0)
    classifier = gtm.GraphTMClassifier(n_clauses=8, T=16, s=3.0, depth=1, epochs=5, random_state=1)
    pipeline = make_pipeline(ImagePatches(3, position=None), classifier)
    assert pipeline.fit(images, y).score(*crosses(100, 1)) > 0.95
    search = GridSearchCV(pipeline, {"imagepatches__patch_size": [1, 3]}, cv=2).fit(images, y)
    assert search.best_params_ == {"imagepatches__patch_size": 3}


@pytest.mark.parametrize("position", ["one_hot", "thermometer", None])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"booleanise": "thermometer", "bins": 2, "edges": "grid"},
        {"booleanise": "thermometer", "spacing": "quantile", "stride": (2, 1)},
        {"views": [{"booleanise": "adaptive"}, {"bins": 2, "name": "b"}], "mark_views": "type"},
        {"views": [{"booleanise": "gradients", "dilation": 2}, {"name": "b", "dilation": 2}], "join_views": True},
    ],
)
def test_it_is_an_encoder_like_any_other(position, parameters):
    def render(encoder):
        view = "b" if "views" in parameters else None
        weights = {symbol: n for n, symbol in enumerate(encoder.vocabulary_.symbols)}
        return encoder.render(weights, view), encoder.places()

    images = images_of(8, 2, 5, 6)
    bad = [images.astype(float), images[:0], images[:, :1, :1]]
    check_encoder(ImagePatches(2, position=position, **parameters), images, bad=bad, render=render)


def test_numbers_may_be_of_numpy():
    images = images_of(9, 1, 5, 5)
    parameters = {"patch_size": 2, "booleanise": "adaptive", "sigma": 1, "offset": 3}
    of_numpy = {key: np.int64(value) if key != "booleanise" else value for key, value in parameters.items()}
    assert ImagePatches(**of_numpy).fit_transform(images) == ImagePatches(**parameters).fit_transform(images)


def test_views_are_copied_when_the_encoder_is():
    views = [{"booleanise": "adaptive"}]
    encoder = ImagePatches((3, 4), views=views, edges="grid")
    copied = clone(encoder)
    assert copied.get_params() == encoder.get_params()
    assert copied.views is not encoder.views


# What is refused

FINE = np.zeros((2, 4, 4))


@pytest.mark.parametrize(
    ("images", "message"),
    [
        (np.zeros((2, 16)), r"must be an array of shape .* got shape \(2, 16\). Reshape flattened images"),
        (np.zeros((4,)), r"got shape \(4,\)"),
        (np.zeros((1, 2, 3, 4, 5)), r"got shape \(1, 2, 3, 4, 5\)"),
        ([np.zeros((2, 2)), np.zeros((3, 3))], "must all have the same shape; got different shapes"),
        (np.zeros((2, 0, 4)), r"must have pixels; got shape \(2, 0, 4\)"),
        (np.zeros((0, 4, 4)), "needs at least one image to fit; got none"),
        (FINE + 2, r"must be in \[0, 1\]; got values from 2 to 2. Divide by"),
        (FINE - 0.5, r"must be in \[0, 1\]; got values from -0.5 to -0.5"),
        (FINE * np.nan, r"must be in \[0, 1\]; got NaN"),
        (FINE.astype(int), "must have dtype bool, uint8 .* got int64"),
        (FINE.astype(str), "must have dtype bool, uint8 .* got <U32"),
        (np.zeros((1, 3, 9)), "at least as large as a patch, 4 x 4 pixels; got 3 x 9"),
    ],
)
def test_wrong_images_are_refused(images, message):
    with pytest.raises(gtm.GraphError, match=message):
        ImagePatches(4).fit(images)


def test_other_images_than_fitted_are_refused():
    encoder = ImagePatches(2).fit(FINE)
    with pytest.raises(gtm.GraphError, match=r"of the training images, \(4, 4, 1\); got \(4, 5, 1\)"):
        encoder.transform(np.zeros((1, 4, 5)))
    with pytest.raises(gtm.GraphError, match=r"got \(4, 4, 3\)"):
        encoder.transform(np.zeros((1, 4, 4, 3)))
    with pytest.raises(gtm.GraphError, match=r"'colour' needs images of shape.*Use 'thermometer'"):
        ImagePatches(2, booleanise="colour").fit(FINE)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"patch_size": 0}, "'patch_size' parameter of ImagePatches must be an int of at least 1, or a pair"),
        ({"patch_size": (1, 2, 3)}, r"'patch_size'.*Got \(1, 2, 3\) instead"),
        ({"stride": (1, 0)}, "'stride' parameter"),
        ({"stride": 1.5}, "'stride' parameter"),
        ({"position": "polar"}, "'position' parameter of ImagePatches must be a str among {'one_hot', 'thermometer'}"),
        ({"booleanise": "otsu"}, "'booleanise' parameter of ImagePatches must be a str among {'threshold', 'therm"),
        ({"threshold": 0}, r"'threshold' parameter of ImagePatches must be an int in the range \[1, 255\]. Got 0"),
        ({"threshold": 0.3}, "'threshold' parameter"),
        ({"bins": 256}, r"'bins' parameter of ImagePatches must be an int in the range \[1, 255\]"),
        ({"spacing": "log"}, "'spacing' parameter"),
        ({"sigma": 0}, "'sigma' parameter of ImagePatches must be a finite number above 0"),
        ({"offset": "2"}, r"'offset' parameter of ImagePatches must be a number in the range \[-255, 255\]"),
        ({"offset": True}, "'offset' parameter"),
        ({"offset": np.nan}, "'offset' parameter"),
        ({"edges": False}, "'edges' parameter of ImagePatches must be a str among {'grid'} or None. Got False"),
        ({"mark_views": "x"}, "'mark_views' parameter"),
        ({"join_views": 1}, "'join_views' parameter"),
        ({"join_views": True}, "'join_views' parameter of ImagePatches must be False without views"),
        (
            {"join_views": True, "views": [{}], "mark_views": "type"},
            "'mark_views' parameter of ImagePatches must be 'symbol' or None if views share nodes",
        ),
        ({"dilation": 0}, "'dilation' parameter of ImagePatches must be an int of at least 1, or a pair of them"),
        ({"views": []}, "'views' parameter of ImagePatches must be a list of dictionaries or None. Got"),
        ({"views": {"bins": 3}}, "'views' parameter of ImagePatches must be a list of dictionaries"),
        ({"views": [{"edges": "grid"}]}, "must be dictionaries with keys among 'name', 'patch_size'"),
        ({"views": ["adaptive"]}, "must be dictionaries with keys among"),
        ({"views": [{"bins": 0}]}, "'bins' parameter of ImagePatches"),
        ({"views": [{}, {}]}, r"with distinct strings as 'name'. Got \['threshold', 'threshold'\] instead"),
        ({"views": [{"name": 1}]}, r"with distinct strings as 'name'. Got \[1\] instead"),
    ],
)
def test_wrong_parameters_are_refused_before_anything_changes(parameters, message):
    encoder = ImagePatches(**{"patch_size": 2, **parameters})
    with pytest.raises(ValueError, match=message):
        encoder.fit(FINE)
    assert not hasattr(encoder, "vocabulary_")


def test_mnist_patches_as_the_benchmark_makes_them():
    grey = gtm.datasets.load_mnist(subset="test", data_home=shared_data("mnist"), download=False)[0][:20]
    images = grey > 75
    graphs = ImagePatches(10, threshold=76).fit_transform(grey)
    for image in (0, 7, 19):
        theirs = [
            {("row", r), ("column", c)}
            | {("pixel", i, j) for i, j in np.argwhere(images[image, r : r + 10, c : c + 10]).tolist()}
            for r in range(19)
            for c in range(19)
        ]
        assert carried(graphs[image]) == theirs
