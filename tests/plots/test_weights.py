"""The matrix of weights: order, colours, names, and what is refused."""

import sys

import numpy as np
import pytest

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from hostile import HOSTILE, SHOWN, literal_texts  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from graphtm.encoders import Tokens  # noqa: E402
from graphtm.plots import TrainingDisplay, WeightsDisplay, draw_weights  # noqa: E402


def names(ticks):
    return [label.get_text() for label in ticks]


def test_clauses_are_sorted_by_their_class():
    weights = np.array([[1, -4, 9, 0, 2], [5, -9, 3, 7, -1], [0, -5, 2, -3, 2]])
    ax = draw_weights(weights, ["a", "b", "c"])
    assert names(ax.get_xticklabels()) == ["C2", "C4", "C1", "C3", "C0"]
    np.testing.assert_array_equal(ax.images[0].get_array(), weights[:, [2, 4, 1, 3, 0]])
    assert names(ax.get_yticklabels()) == ["a", "b", "c"]
    assert ax.get_xlabel() == "5 clauses, sorted by the class they vote for most"


def test_orange_votes_for_and_blue_votes_against():
    ax = draw_weights([[-4, 4, 0]], limit=4)
    picture = ax.images[0]
    against, orange, nothing = picture.cmap(picture.norm([-4, 4, 0]))[:, :3]
    assert against[2] > against[0] + 0.3
    assert orange[0] > orange[2] + 0.3
    assert nothing.min() > 0.98
    assert picture.get_clim() == (-4, 4)
    assert draw_weights(np.zeros((2, 2))).images[0].get_clim() == (-1, 1)
    outlier = np.ones((10, 200))
    outlier[0, 0] = -999
    assert draw_weights(outlier).images[0].get_clim() == (-1, 1)
    assert names(draw_weights([[1], [2]]).get_yticklabels()) == ["0", "1"]


def test_hostile_names_are_written_as_they_are():
    ax = draw_weights(np.eye(8), HOSTILE)
    assert tuple(names(ax.get_yticklabels())) == SHOWN
    assert set(SHOWN) <= set(literal_texts(ax.figure))


def test_many_clauses_and_outputs_have_no_names():
    ax = draw_weights(np.ones((41, 31)))
    assert len(ax.get_xticks()) == 0
    assert ax.get_ylabel() == "41 outputs"
    assert ax.get_xlabel().startswith("31 clauses")
    assert draw_weights(np.ones((2, 31)), ax=ax) is ax


def test_displays_have_the_weights_of_an_estimator():
    texts, y = ["a good film", "good fun", "a bad film", "bad"] * 5, ["+", "+", "-", "-"] * 5
    machine = gtm.GraphTMClassifier(n_clauses=6, T=5, s=3.0, depth=1, epochs=2, random_state=0, engine="reference")
    pipeline = make_pipeline(Tokens(), machine)
    with pytest.raises(NotFittedError):
        WeightsDisplay.from_estimator(pipeline)
    display = WeightsDisplay.from_estimator(pipeline.fit(texts, y))
    np.testing.assert_array_equal(display.weights, machine.state_.weights)
    assert names(display.ax_.get_yticklabels()) == ["+", "-"]
    assert display.figure_ is display.ax_.figure
    for kind in (WeightsDisplay, TrainingDisplay):
        text = (
            f"'estimator' parameter of {kind.__name__}.from_estimator must be an estimator of graphtm, or a Pipeline "
        )
        with pytest.raises(TypeError, match=text) as error:
            kind.from_estimator(make_pipeline(Tokens(), LogisticRegression()))
        assert str(error.value).endswith("that ends with one. Got a 'LogisticRegression' instead.")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([1, 2],),
            r"must be a matrix of finite numbers, \(outputs, clauses\). Got an array with shape \(2,\) instead",
        ),
        (([[np.inf]],), "Got an array with numbers that are not finite instead"),
        ((np.zeros((2, 0)),), r"a row per output and a column per clause. Got shape \(2, 0\) instead"),
        (([[1], [2]], ["a"]), "must have one name per row of the weights, 2 in total. Got 1 instead"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_weights(*arguments)
    with pytest.raises(
        ValueError, match=r"'limit' parameter of draw_weights must be a number above 0\. Got -1 instead"
    ):
        draw_weights([[1]], limit=-1)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(gtm.MissingLibraryError, match=r"draw_weights needs .*pip install 'graphtm\[plots\]'"):
        draw_weights([[1]])
