"""Every public estimator and encoder can be shown, fitted or not, by itself and in a pipeline."""

import inspect
from html import escape

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm import encoders
from graphtm.encoders import Table
from graphtm.encoders.base import symbol_texts

ENCODERS = [getattr(encoders, name) for name in encoders.__all__ if name != "GraphEncoder"]
PUBLIC = [getattr(gtm, name) for name in gtm.__all__ if name != "__version__"]
ESTIMATORS = [kind for kind in PUBLIC if inspect.isclass(kind) and issubclass(kind, BaseEstimator)]
IMAGES = np.random.default_rng(0).integers(0, 256, (4, 12, 12)).astype(np.uint8)
DATA = {
    "BoardGame": np.array([[[1, 0], [0, 2]], [[1, 2], [0, 0]]] * 2),
    "ImagePatches": IMAGES,
    "KMers": ["ACGTNN", "GGTTAA", "ACACAC", "TTTTTT"],
    "Relations": [{"who": name, "what": "<tea>"} for name in ("Ann", "Ben", "Cy", "Di")],
    "Superpixels": IMAGES,
    "Table": [[1, "<a>", True], [2.5, "b", False], [3, None, True], [4, "b", None]],
    "Tokens": ["not so good", "very good", "not <b>bad</b>", "good"],
}
SETTINGS = {
    "ImagePatches": {"patch_size": 4},
    "KMers": {"k": 2, "unknown": "symbol"},
    "Relations": {"edges": [("who", "drinks", "what")], "unknown": "symbol"},
    "Superpixels": {"n_segments": 6},
    "Tokens": {"ngrams": 3, "unknown": "symbol", "pattern": r"\S+"},
}


def encoder_of(kind):
    return kind(**SETTINGS.get(kind.__name__, {}))


def estimator_of(kind):
    return kind(n_clauses=6, T=5, s=3.0, epochs=1, random_state=0)


def labels_of(kind):
    return [{"a"}, {"b"}, {"a", "b"}, set()] if "MultiLabel" in kind.__name__ else ["a", "b", "a", "b"]


def show(shown):
    """Show it in all the ways that a console and a notebook have."""
    texts = [repr(shown), str(shown), shown._repr_html_(), shown._repr_mimebundle_()["text/html"]]
    assert all(isinstance(text, str) and text for text in texts)
    return texts[2]


def test_nothing_is_forgotten():
    assert {kind.__name__ for kind in ENCODERS} == set(DATA)
    assert {kind.__name__ for kind in ESTIMATORS} >= {"GraphTMClassifier", "GraphTMMultiLabelClassifier"}


@pytest.mark.parametrize("kind", ENCODERS)
def test_encoders_are_shown(kind):
    encoder = encoder_of(kind)
    show(encoder)
    html = show(encoder.fit(DATA[kind.__name__]))
    texts = symbol_texts(encoder.vocabulary_.symbols)
    for text in texts[:100]:
        assert escape(text) in html
    assert "<b>bad" not in html
    assert "<tea>" not in html


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_estimators_are_shown(kind):
    graphs = Table().fit_transform(DATA["Table"])
    estimator = estimator_of(kind)
    show(estimator)
    show(estimator.fit(graphs, labels_of(kind)))


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_pipelines_are_shown(encoder, estimator):
    pipeline = make_pipeline(encoder_of(encoder), estimator_of(estimator))
    show(pipeline)
    show(pipeline.fit(DATA[encoder.__name__], labels_of(estimator)))
    show(pipeline[:-1])
    assert pipeline.get_feature_names_out().tolist() == ["C0", "C1", "C2", "C3", "C4", "C5"]
    names = pipeline[:-1].get_feature_names_out()
    assert names.dtype == object
    assert all(type(name) is str for name in names)
    assert len(set(names.tolist())) == len(names) == len(pipeline[0].vocabulary_.symbols)


@pytest.mark.parametrize(
    ("symbols", "texts"),
    [
        (["good", ("not", "good")], ["good", "not=good"]),
        (["color=red", ("color", "red")], ["'color=red'", "color=red"]),
        (["1", 1, True], ["'1'", "1", "True"]),
    ],
)
def test_features_have_different_names(symbols, texts):
    assert symbol_texts(symbols) == texts
