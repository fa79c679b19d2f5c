"""Heat maps of images, against a slow computation that reads rules and the names of symbols."""

import warnings

import numpy as np
import pytest
from fitted import with_state

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; heat maps are drawn with it")
matplotlib.use("Agg")

from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402
from sklearn.preprocessing import FunctionTransformer  # noqa: E402

from graphtm.encoders import ImagePatches, Superpixels, Tokens  # noqa: E402
from graphtm.pipelines.heat_maps import heat_map  # noqa: E402
from graphtm.plots import HeatMapDisplay  # noqa: E402

CASES = {
    "exact": ({}, {}),
    "graded": ({}, {"max_misses": 3, "max_included_literals": 8, "s": 40.0}),
    "hashed": ({"stride": 2}, {"symbol_encoding": "random", "hypervector_size": 16, "max_misses": 2, "s": 40.0}),
    "levels": (
        {"position": None, "booleanise": "thermometer", "bins": 3},
        {"max_misses": 3, "max_included_literals": 8, "s": 40.0},
    ),
}


def bars(n, seed=0):
    """Return images of a horizontal or a vertical bar, and of both, with noise."""
    rng = np.random.default_rng(seed)
    images, y = rng.integers(0, 90, (n, 7, 6)).astype(np.uint8), np.arange(n) % 3
    for image, kind, place in zip(images, y, rng.integers(1, 5, n), strict=True):
        if kind != 1:
            image[place, 1:] = 200
        if kind != 0:
            image[1:, place] = 250
    return images, np.array(["rows", "columns", "both"])[y]


def fitted(encoder, settings):
    machine = {"n_clauses": 12, "T": 15, "s": 5.0, "depth": 1, "epochs": 4, "random_state": 1, "engine": "reference"}
    clf = gtm.GraphTMClassifier(**(machine | settings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gtm.CodeCollisionWarning)
        return make_pipeline(ImagePatches(**({"patch_size": 3} | encoder)), clf).fit(*bars(30))


@pytest.fixture(scope="module", params=list(CASES))
def pipeline(request):
    return fitted(*CASES[request.param])


def slow_maps(pipeline, image, class_):
    """Share out votes with loops over rules, nodes and literals; return those of pixels, and all for the class."""
    encoder, clf = pipeline[0], pipeline[-1]
    graph = encoder.transform(image[None])[0]
    corners = encoder.places()[:, 1:].tolist()
    number = clf.classes_.tolist().index(class_)
    maps, votes = np.zeros((2, *image.shape)), 0.0
    for rule in clf.rules(simplify=False):
        weight = rule.weights[number]
        held = {}
        for node in graph.nodes:
            found = set(graph.properties(node))
            holds = [one for one in rule.layers[0] if one.negated != bool(found.intersection(one.owners))]
            if len(rule.layers[0]) - len(holds) <= clf.max_misses:
                held[node] = (clf.max_misses + 1 - len(rule.layers[0]) + len(holds), holds, found)
        strongest = max((strength for strength, _, _ in held.values()), default=0)
        if weight <= 0 or not strongest:
            continue
        votes += weight * strongest
        at = [node for node, (strength, _, _) in held.items() if strength == strongest]
        for node in at:
            _, holds, found = held[node]
            holds = [literal for literal in holds if literal.owners]
            for literal in holds:
                to = literal.owners if literal.negated else found.intersection(literal.owners)
                for symbol in to:
                    if symbol[0] == "pixel":
                        y, x = np.add(corners[node], symbol[1:3])
                        maps[int(literal.negated), y, x] += weight * strongest / len(at) / len(holds) / len(to)
    return maps, votes


def test_a_heat_map_is_that_of_the_slow_computation(pipeline):
    images, _ = bars(6, seed=1)
    predicted, total = pipeline.predict(images), np.zeros(2)
    for i in range(3):
        for class_ in (None, "rows", "both"):
            *maps, image, title = heat_map(pipeline, images, i, class_)
            shown = predicted[i] if class_ is None else class_
            expected, votes = slow_maps(pipeline, images[i], shown)
            np.testing.assert_allclose(maps, expected, atol=1e-9)
            assert title == f"Votes for {shown}"
            np.testing.assert_array_equal(image, images[i])
            assert np.sum(maps) <= votes + 1e-9
            total += expected.sum(axis=(1, 2))
    assert (total > 0).all()


def test_the_votes_of_a_machine_without_positions_are_those_of_pixels():
    pipeline = fitted(*CASES["levels"])
    images, _ = bars(4, seed=2)
    clf, graphs = pipeline[-1], pipeline[0].transform(images)
    lengths = np.array([len(rule.literals) for rule in clf.rules(simplify=False)])
    votes = np.maximum(clf.state_.weights[1], 0) * clf.transform(graphs) * (lengths > 0)
    for i in range(4):
        positive, negative, *_ = heat_map(pipeline, images, i, clf.classes_[1])
        assert np.isclose(positive.sum() + negative.sum(), votes[i].sum())
    assert votes.sum() > 0


def test_several_images_have_their_mean():
    pipeline = fitted(*CASES["graded"])
    images, _ = bars(9, seed=3)
    predicted = pipeline.predict(images).tolist()
    for class_ in ("columns", None):
        display = HeatMapDisplay.from_estimator(pipeline, images, class_=class_)
        maps = [slow_maps(pipeline, image, class_ or own)[0] for image, own in zip(images, predicted, strict=True)]
        np.testing.assert_allclose([display.positive, display.negative], np.mean(maps, axis=0), atol=1e-9)
        np.testing.assert_allclose(display.image, images.mean(axis=0), atol=0.5)
        assert display.title == f"Votes for {class_ or 'the predicted class'}, mean of 9 images"


def test_messages_give_to_the_patches_that_sent_them():
    """At depth 2, the votes of pixels are those that the explanation of a machine without votes against has."""
    pipeline = fitted({"edges": "grid"}, {"depth": 2})
    encoder, clf = pipeline[0], pipeline[-1]
    images, _ = bars(4, seed=4)
    found = [heat_map(pipeline, images, i, None)[:2] for i in range(4)]
    predicted = pipeline.predict(images)
    clf.model_ = with_state(clf.model_, weights=np.maximum(clf.state_.weights, 0))
    symbols, total = clf.model_.vocabulary.symbols, 0.0
    for i, (positive, negative) in enumerate(found):
        scores = clf.explain(encoder.transform(images[i : i + 1])).scores(predicted[i])
        for votes, table in ((positive, scores.present), (negative, scores.absent)):
            expected, table = np.zeros(images[i].shape), table.tocoo()
            for node, symbol, score in zip(table.row.tolist(), table.col.tolist(), table.data.tolist(), strict=True):
                if symbols[symbol][0] == "pixel":
                    expected[tuple(encoder.places()[node, 1:] + symbols[symbol][1:])] += score
            np.testing.assert_allclose(votes, expected, atol=1e-9)
            total += votes.sum()
    assert total > 0
    assert clf.state_.includes(1, 8).any()


def test_segments_have_the_votes_of_superpixels():
    pytest.importorskip("skimage", reason="superpixels need scikit-image")
    encoder = Superpixels(n_segments=8, levels=2, neighbours=2, places=3, neighbour_features=False)
    clf = gtm.GraphTMClassifier(n_clauses=16, T=10, s=2.0, depth=1, epochs=4, random_state=0, engine="reference")
    images, y = bars(30)
    pipeline = make_pipeline(encoder, clf).fit(images, y)
    display = HeatMapDisplay.from_estimator(pipeline, images, 0)
    labels = encoder.segments(images[:1])[0]
    for votes in (display.positive, display.negative):
        assert all(len(np.unique(votes[labels == segment])) == 1 for segment in range(labels.max() + 1))
    assert (display.positive + display.negative).sum() > 0
    single = [heat_map(pipeline, images, i, None)[:2] for i in range(3)]
    np.testing.assert_allclose(heat_map(pipeline, images[:3], None, None)[:2], np.mean(single, axis=0))
    assert (np.sum(single, axis=(1, 2, 3)) > 0).all()
    assert len({encoder.segments(images[i : i + 1]).tobytes() for i in range(3)}) == 3


def test_colours_steps_before_the_encoder_and_nested_pipelines():
    images, y = bars(30)
    colours = np.stack([images, images // 2, images // 3], axis=-1)
    clf = gtm.GraphTMClassifier(n_clauses=6, T=10, s=3.0, depth=1, epochs=2, random_state=0, engine="reference")
    halved = FunctionTransformer(lambda images: images / 255)
    inner = Pipeline([("encoder", ImagePatches(3)), ("machine", clf)])
    display = HeatMapDisplay.from_estimator(make_pipeline(halved, inner).fit(colours, y), colours, -1)
    np.testing.assert_array_equal(display.image, colours[-1])
    assert display.image_ax_.images[0].get_array().shape == (7, 6, 3)
    assert display.ax_.images[0].get_array().shape == (7, 6)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"i": 30}, IndexError, "'i' parameter of HeatMapDisplay.from_estimator must be a number from -3 to 2"),
        ({"i": 1.0}, TypeError, "'i' parameter of HeatMapDisplay.from_estimator must be the number of a sample"),
        ({"class_": "circles"}, ValueError, r"The class must be one of \['both', 'columns', 'rows'\]; got 'circles'"),
        ({"X": np.zeros((0, 7, 6))}, ValueError, "At least one image is needed for a heat map; got none"),
        ({"X": np.zeros((1, 7, 7))}, gtm.GraphError, r"training images, \(7, 6, 1\); got \(7, 7, 1\)"),
    ],
)
def test_what_is_refused(arguments, error, message):
    pipeline = fitted({}, {"epochs": 1})
    with pytest.raises(error, match=message):
        HeatMapDisplay.from_estimator(pipeline, **({"X": bars(3)[0]} | arguments))


def test_labels_are_called_labels():
    images, y = bars(20)
    clf = gtm.GraphTMMultiLabelClassifier(
        n_clauses=4, T=5, s=3.0, depth=1, epochs=1, random_state=0, engine="reference"
    )
    pipeline = make_pipeline(ImagePatches(3), clf).fit(images, [{label} for label in y.tolist()])
    with pytest.raises(ValueError, match=r"The label must be one of \['both', 'columns', 'rows'\]; got 'circles'"):
        HeatMapDisplay.from_estimator(pipeline, images, class_="circles")


def test_pipelines_that_have_no_pixels():
    clf = gtm.GraphTMClassifier(n_clauses=4, depth=1, engine="reference")
    text = r"whose last steps are ImagePatches or Superpixels and an estimator of graphtm. Got 'Tokens' and"
    with pytest.raises(TypeError, match=text):
        HeatMapDisplay.from_estimator(make_pipeline(Tokens(), clf), ["a"], 0)
    with pytest.raises(TypeError, match="Got 'GraphTMClassifier' instead"):
        HeatMapDisplay.from_estimator(clf, bars(3)[0], 0)
    search = GridSearchCV(make_pipeline(ImagePatches(3), clf), {"graphtmclassifier__T": [5]})
    search.best_estimator_ = None
    with pytest.raises(TypeError, match=r"Got 'GridSearchCV' instead\. Pass its best_estimator_\."):
        HeatMapDisplay.from_estimator(search, bars(3)[0], 0)
    with pytest.raises(NotFittedError):
        HeatMapDisplay.from_estimator(make_pipeline(ImagePatches(3), clf), bars(3)[0], 0)
