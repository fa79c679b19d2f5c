"""Rules by support and precision: points, labels, legends, and what is refused."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from hostile import HOSTILE, SHOWN, literal_texts, overlaps  # noqa: E402
from sklearn.exceptions import NotFittedError  # noqa: E402
from sklearn.pipeline import Pipeline, make_pipeline  # noqa: E402

from graphtm.encoders import Tokens  # noqa: E402
from graphtm.plots import RulesDisplay, draw_rules  # noqa: E402
from graphtm.plots.display import looks, spread  # noqa: E402


def points(ax):
    """Points of each class of the legend, (support, precision, area)."""
    return {
        one.get_label(): np.column_stack(
            [one.get_offsets(), one.get_sizes() * np.ones(len(one.get_offsets()))]
        ).tolist()
        for one in ax.collections
    }


def texts(axes):
    return [text.get_text() for text in axes]


def test_points_are_support_precision_and_votes():
    ax = draw_rules([40, 10, 30], [0.9, 1.0, 0.25], [10, -5, 0], ["x", "y", "x"])
    found = points(ax)
    assert [point[:2] for point in found["x"]] == [[40, 0.9], [30, 0.25]]
    assert [point[:2] for point in found["y"]] == [[10, 1.0]]
    (_, _, largest), (_, _, smallest) = found["x"]
    assert largest > smallest
    assert found["y"][0][2] == (largest + smallest) / 2
    assert texts(ax.get_legend().get_texts()) == ["x", "y"]
    assert ax.get_legend().get_title().get_text() == "class (larger points: more votes)"
    assert not ax.texts
    assert ax.get_xscale() == "linear"
    assert draw_rules([1, 100], [1, 1]).get_xscale() == "log"
    assert draw_rules([1, 100], [1, 1]).get_legend() is None
    assert draw_rules([1], [1], classes=["a"], ax=ax) is ax


def test_the_largest_votes_are_labelled():
    ax = draw_rules([4, 5, 6], [1, 1, 1], [1, -7, 5], ["a", "b", "a"], ["first", "second", "third"], top=2)
    assert {text.get_text(): tuple(text.xy) for text in ax.texts} == {"second": (5, 1), "third": (6, 1)}
    second, third = (text.arrow_patch.get_edgecolor() for text in ax.texts)
    assert matplotlib.colors.same_color(second, looks(1)["color"])
    assert matplotlib.colors.same_color(third, looks(0)["color"])
    assert not draw_rules([4], [1], texts=["no"], top=0).texts


def long_text(n_conditions):
    return "C1: " + " AND ".join(f"a rather long condition {number}" for number in range(n_conditions))


def assert_inside(ax):
    assert overlaps(ax.texts, ax.figure) <= 0
    figure, found = ax.figure.bbox, [one.get_window_extent() for one in (*ax.texts, ax.title) if one.get_text()]
    assert max(one.x1 for one in found) <= figure.x1
    assert max(one.y1 for one in found) <= figure.y1
    assert min(min(one.x0, one.y0) for one in found) >= 0


def test_long_texts_are_wrapped_and_do_not_overlap():
    text = long_text(4)
    ax = draw_rules([5] * 5, [0.02] * 5, range(5), ["a"] * 5, [text] * 5)
    assert all(" ".join(one.get_text().split("\n")) == text for one in ax.texts)
    assert_inside(ax)


@pytest.mark.parametrize(("n_rules", "lines"), [(2, 6), (5, 4), (9, 2), (30, 1)])
def test_texts_that_are_too_long_are_cut(n_rules, lines):
    text = long_text(90)
    ax = draw_rules([5] * n_rules, [0.5] * n_rules, texts=[text] * n_rules, top=n_rules)
    for one in ax.texts:
        first, mark = one.get_text().replace("\n", " "), " …"
        assert one.get_text().count("\n") == lines - 1
        assert first.endswith(mark)
        assert text.startswith(first.removesuffix(mark))
    assert_inside(ax)


def test_titles_that_are_too_long_are_cut():
    ax = draw_rules([5, 6], [0.5, 1.0], texts=["C1: a", "C2: b"], title=f"Rules\n{long_text(90)}")
    assert ax.get_title().startswith("Rules\nC1: a rather long condition 0 AND ")
    assert ax.get_title().count("\n") == 5
    assert ax.get_title().endswith(" …")
    assert_inside(ax)


def test_labels_are_level_with_their_points():
    ax = draw_rules([4, 5, 6], [0.9, 0.7, 0.8], texts=["high", "low", "middle"])
    ax.figure.canvas.draw()
    for text in ax.texts:
        level = ax.transAxes.inverted().transform(ax.transData.transform(text.xy))[1]
        assert text.get_position()[1] == pytest.approx(level, abs=0.05)


@given(st.lists(st.tuples(st.floats(0, 100), st.floats(1, 30)), min_size=1, max_size=8))
def test_labels_are_spread_in_order(items):
    levels, sizes = np.array(items).T
    centres = spread(levels, sizes, 100.0)
    order = np.argsort(levels, kind="stable")
    gaps = np.diff(centres[order]) - (sizes[order][1:] + sizes[order][:-1]) / 2
    assert (gaps >= -1e-9).all()
    assert (centres - sizes / 2 >= -1e-9).all()
    if sizes.sum() <= 100:
        assert (centres + sizes / 2 <= 100 + 1e-9).all()
    if len(items) == 1:
        assert np.isclose(centres[0], np.clip(levels[0], sizes[0] / 2, 100 - sizes[0] / 2))


def test_hostile_names_are_written_as_they_are():
    n = len(HOSTILE)
    ax = draw_rules([5] * n, [0.5] * n, range(n), HOSTILE, [f"C0: {name}" for name in SHOWN], top=n)
    assert [text.strip() for text in texts(ax.get_legend().get_texts())] == list(SHOWN)
    found = [text.strip() for text in literal_texts(ax.figure)]
    assert {*SHOWN, *(f"C0: {name}".strip() for name in SHOWN)} <= set(found)


def test_many_classes():
    assert len({tuple(looks(number).values()) for number in range(35)}) == 35
    ax = draw_rules([5] * 20, [0.5] * 20, classes=range(20))
    assert texts(ax.get_legend().get_texts())[-2:] == ["10", "\u2026 9 more classes"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 2], [1]), "'precision' parameter of draw_rules must have one entry per rule, 2 in total. Got 1 instead"),
        (([1], [1], None, ["a", "b"]), "'classes' parameter .* 1 in total. Got 2 instead"),
        (([0], [1]), "must be numbers above 0, and shares from 0 to 1. Got support from 0, and precision from 1 to 1"),
        (([1], [1.5]), "precision from 1.5 to 1.5. Leave out rules that are never true"),
        (([1], [np.nan]), "'precision' .* one finite number per rule. Got an array with numbers that are not finite"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_rules(*arguments)
    with pytest.raises(ValueError, match="'top' parameter of draw_rules must be"):
        draw_rules([1], [1], top=-1)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(gtm.MissingLibraryError, match=r"draw_rules needs .*pip install 'graphtm\[plots\]'"):
        draw_rules([1], [1])


# Rules of estimators

WORDS = ["a good film", "good fun", "a bad film", "bad", "good", "no good film", "bad fun", "a film"]


def fitted(kind, y, **parameters):
    settings = {"n_clauses": 8, "T": 8, "s": 3.0, "depth": 1, "epochs": 5, "random_state": 0, "engine": "reference"}
    return make_pipeline(Tokens(position=False), kind(**(settings | parameters))).fit(WORDS * 3, y * 3)


def expected_of(rules, true, has, class_=None):
    """Count graphs for which rules are true, and those of them that have the class, one by one."""
    found = {}
    for rule in rules:
        place = rule.weights.index(max(rule.weights)) if class_ is None else rule.outputs.index(class_)
        at = [graph for graph in range(len(true)) if true[graph][rule.clause]]
        if at and (class_ is None or rule.weights[place] > 0):
            precision = sum(has[graph][place] for graph in at) / len(at)
            found[rule.clause] = (len(at), precision, rule.weights[place], rule.outputs[place])
    return found


def shown(display):
    numbers = [int(text[1 : text.index(":")]) for text in display.texts]
    columns = (display.support, display.precision, display.weights)
    rows = zip(*(column.tolist() for column in columns), display.classes, strict=True)
    return dict(zip(numbers, rows, strict=True))


@pytest.mark.parametrize("graded", [{}, {"max_misses": 1, "s": 30.0, "max_included_literals": 4}])
def test_rules_of_a_classifier_are_counted(graded):
    y = ["+", "+", "-", "-", "+", "-", "-", "0"]
    pipeline = fitted(gtm.GraphTMClassifier, y, **graded)
    encoder, clf = pipeline.steps[0][1], pipeline.steps[1][1]
    graphs = encoder.transform(WORDS)
    has = [[label == name for name in clf.classes_] for label in y]
    expected = expected_of(clf.rules(), clf.transform(graphs).tolist(), has)
    assert len(expected) > 2
    display = RulesDisplay.from_estimator(pipeline, WORDS, y, top=1)
    assert shown(display) == expected
    assert len(display.ax_.texts) == 1
    assert list(dict.fromkeys(display.classes)) == sorted(set(display.classes))
    found = points(display.ax_)
    assert sorted(found) == sorted(set(display.classes))
    one = RulesDisplay.from_estimator(clf, graphs, y, class_="+")
    assert shown(one) == expected_of(clf.rules(), clf.transform(graphs).tolist(), has, "+")
    nested = Pipeline([("all", pipeline)])
    assert shown(RulesDisplay.from_estimator(nested, WORDS, y)) == expected
    ax = clf.plot_rules(graphs, y, "+", top=3)
    assert sum(len(points) for points in points(ax).values()) == len(one.texts)
    assert len(ax.texts) == min(3, len(one.texts))
    with pytest.raises(ValueError, match=r"The class must be one of \['\+', '-', '0'\]; got '!'"):
        clf.plot_rules(graphs, y, "!")
    with pytest.raises(ValueError, match="At least one rule must be true for one of the graphs to be drawn; none is"):
        clf.plot_rules(graphs[:0], [])


@pytest.mark.parametrize("form", ["sets", "matrix", "sparse"])
def test_rules_of_labels_are_counted(form):
    sets = [{"film", "fun"} & set(text.split()) | ({"long"} if len(text) > 8 else set()) for text in WORDS]
    names = ["film", "fun", "long"]
    matrix = np.array([[name in labels for name in names] for labels in sets])
    y = {"sets": sets, "matrix": matrix, "sparse": sparse.csr_array(matrix)}[form]
    known = names if form == "sets" else [0, 1, 2]
    three = sets * 3 if form == "sets" else np.concatenate([matrix] * 3)
    settings = {"n_clauses": 8, "T": 8, "s": 3.0, "depth": 1, "epochs": 5, "random_state": 0, "engine": "reference"}
    clf = gtm.GraphTMMultiLabelClassifier(**settings)
    graphs = Tokens(position=False).fit_transform(WORDS * 3)
    clf.fit(graphs, three if form != "sparse" else sparse.csr_array(three))
    display = RulesDisplay.from_estimator(clf, graphs[: len(WORDS)], y)
    true = clf.transform(graphs[: len(WORDS)]).tolist()
    assert shown(display) == expected_of(clf.rules(), true, matrix.tolist())
    one = RulesDisplay.from_estimator(clf, graphs[: len(WORDS)], y, class_=known[0])
    assert shown(one) == expected_of(clf.rules(), true, matrix.tolist(), known[0])


def test_error_texts_say_what_to_do():
    y = ["+", "-"] * 4
    pipeline = fitted(gtm.GraphTMClassifier, y)
    clf, graphs = pipeline[-1], pipeline[0].transform(WORDS)
    for arguments in [(), (graphs,), (None, y)]:
        with pytest.raises(
            TypeError, match=r"^plot_rules needs graphs and their labels: .* clf.plot_rules\(graphs, y\)"
        ):
            clf.plot_rules(*arguments)
    with pytest.raises(
        ValueError, match=r"^Labels must be names of outputs to measure precision, '\+', '-'. Got 'a', "
    ):
        clf.plot_rules(graphs, ["a"] * 8)
    for top in (-1, None, 1.5):
        with pytest.raises(
            ValueError, match=rf"'top' parameter of draw_rules must be an int of at least 0. Got {top} "
        ):
            clf.plot_rules(graphs, y, top=top)
    with pytest.raises(TypeError, match=r"or a Pipeline that ends with one\. Got an 'int' instead"):
        RulesDisplay.from_estimator(3, graphs, y)


def test_estimators_must_be_fitted():
    with pytest.raises(NotFittedError):
        gtm.GraphTMClassifier().plot_rules([], [])
    with pytest.raises(
        TypeError, match=r"'estimator' parameter of RulesDisplay.from_estimator must be .* Got a 'Tokens'"
    ):
        RulesDisplay.from_estimator(Tokens(), [], [])
