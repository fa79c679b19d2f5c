"""What is shown in consoles and notebooks: estimators, encoders, rules, explanations; short, escaped, unambiguous."""

import dataclasses
import importlib
import inspect
from html import escape
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm import encoders
from graphtm.codes import encode
from graphtm.encoders import Table
from graphtm.encoders.base import symbol_texts
from graphtm.engines import class_targets
from graphtm.explain import ClauseTable, Literal, Message, Rule, RuleSet
from graphtm.foundation.display import bare
from graphtm.foundation.names import name_key

ENCODERS = [getattr(encoders, name) for name in encoders.__all__ if name != "GraphEncoder"]
PUBLIC = [getattr(gtm, name) for name in gtm.__all__ if name != "__version__"]
ESTIMATORS = [kind for kind in PUBLIC if inspect.isclass(kind) and issubclass(kind, BaseEstimator)]
IMAGES = np.random.default_rng(0).integers(0, 256, (4, 12, 12)).astype(np.uint8)
GRAPHS = gtm.from_smiles(["CCO", "CC=O", "CCO", "CC=O"])
DATA = {
    "BoardGame": np.array([[[1, 0], [0, 2]], [[1, 2], [0, 0]]] * 2),
    "ImagePatches": IMAGES,
    "KMers": ["ACGTNN", "GGTTAA", "ACACAC", "TTTTTT"],
    "Neighbourhoods": GRAPHS,
    "Relations": [{"who": name, "what": "<tea>"} for name in ("Ann", "Ben", "Cy", "Di")],
    "Superpixels": IMAGES,
    "Table": [[1, "<a>", True], [2.5, "b", False], [3, None, True], [4, "b", None]],
    "Tokens": ["not so good", "very good", "not <b>bad</b>", "good"],
    "WholeGraph": GRAPHS,
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
    if "Regressor" in kind.__name__:
        return [1.0, 2.0, 1.5, 2.0]
    if "Bandit" in kind.__name__:
        return [0, 1, 0, 1], [1, 0, 1, 0]
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


# Names


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (("color", "red"), "color=red"),
        (("color", "dark red"), "color=dark red"),
        (("color", "a=b"), "color='a=b'"),
        (("size", "3"), "size='3'"),
        (("size", 3), "size=3"),
        (("smoker", True), "smoker=True"),
        (("age", ">=", 30), "age>=30"),
        (("age", ">=", "30.5"), "age>=30.5"),
        (("age", "in", "[30, 45.5)"), "age IN [30, 45.5)"),
        (("age", "in", "< 30"), "age < 30"),
        (("age", "is", "missing"), "age IS missing"),
        (("unknown",), "(unknown)"),
        (("position", 0), "position=0"),
        (("distance", -2), "distance=-2"),
        (("pixel", 5, 7), "pixel(5, 7)"),
        (("pixel", 5, 7, "red", ">=", 28), "pixel(5, 7, red)>=28"),
        (("colour", "pixel", 5, 7), "colour(pixel, 5, 7)"),
        (("intensity", "red", ">=", 3), "intensity(red)>=3"),
        (("not", "so", "good"), "not+so+good"),
        ((3, 5), "(3, 5)"),
        ((("a", "b"), ">=", 3), "(a=b)>=3"),
        ((), "()"),
        ("color=red", "'color=red'"),
        ("age IS missing", "'age IS missing'"),
    ],
)
def test_tuples_read_as_what_they_mean(name, text):
    assert bare(name) == text
    assert str(Literal(0, True, (name,))) == f"NOT {text}"
    assert str(Literal(1, False, (Message(name, 3),))) == f"{text}:C3"


awkward = st.sampled_from(
    ["a", "b", "is", "in", ">=", "<", "[1, 2)", "< 3", "1.5", "2", "NOT", "a b", "a=b", "C1", "a+b", "", ", ", "(", ")"]
)
parts = st.one_of(awkward, st.integers(-2, 2), st.booleans(), st.none())
nested = st.recursive(parts, lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=8)


@settings(max_examples=20)
@given(st.lists(nested, min_size=30, max_size=60))
def test_different_names_print_differently(names):
    printed = {}
    for name in names:
        assert printed.setdefault(bare(name), name_key(name)) == name_key(name)


# Notebooks


class Checked(HTMLParser):
    """Reads a table: which tags there are, and the text of each cell."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.cells, self._open = set(), [], []
        self.feed(html)
        assert not self._open

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self._open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, text):
        if self._open and self._open[-1] in ("td", "th"):
            self.cells[-1] += text


TAGS = {"table", "thead", "tbody", "tr", "th", "td", "p"}
EVIL = "<script>alert('&')</script>"


@pytest.fixture(scope="module")
def evil():
    """A machine all of whose names are markup."""
    graph = gtm.Graph()
    graph.add_node(EVIL, [("<b>", EVIL)], type="<i>")
    graph.add_node("</table>", ["<u>"], type="<i>")
    graph.add_edge(EVIL, "</table>", type="<a href=x>")
    other = gtm.Graph()
    other.add_node(0, ["<u>"], type="<em>")
    other.add_node(1, [("<b>", EVIL)], type="<em>")
    other.add_edge(0, 1, type="<a href=x>")
    clf = gtm.GraphTMClassifier(n_clauses=12, T=10, s=2.0, epochs=10, random_state=1)
    return clf.fit([graph, other] * 20, ["<yes>", "<no>"] * 20), graph


def test_html_is_escaped(evil):
    clf, graph = evil
    explanation, rules = clf.explain(graph), clf.rules()
    for shown in (explanation, rules, rules[0], rules.traceability(), rules.truth_table(graph)):
        html = shown._repr_html_()
        read = Checked(html)
        assert read.tags <= TAGS
        assert "<script" not in html
    assert any("<script>" in cell for cell in Checked(rules._repr_html_()).cells)
    assert "votes for '<yes>'" in Checked(rules._repr_html_()).cells


def test_html_says_what_text_says(evil):
    clf, graph = evil
    rules, explanation = clf.rules(), clf.explain(graph)
    cells = Checked(rules._repr_html_()).cells
    for rule in (*rules, *rules.used()):
        assert str(rule).partition(": ")[0] in cells
    assert Checked(ClauseTable(("a", "b"), (("1", "<2>"),))._repr_html_()).cells == ["a", "b", "1", "<2>"]
    assert any(cell.startswith("contribute most to") for cell in Checked(explanation._repr_html_()).cells)


def test_big_html_is_short():
    literals = tuple(Literal(0, True, (symbol,)) for symbol in range(300))
    outputs = tuple(range(2000))
    rules = RuleSet([Rule(j, (literals,), (1,) * 2000, outputs) for j in range(400)], outputs)
    html = rules._repr_html_()
    assert len(html) < 25_000
    assert "... and 350 more rows" in html
    assert "... (292 more)" in html
    assert len(rules[0]._repr_html_()) < 2_000
    table = ClauseTable(("n",), tuple((str(n),) for n in range(1000)))
    assert len(table._repr_html_()) < 5_000
    assert "... and 950 more rows" in table._repr_html_()


# Short forms


def test_arrays_are_not_printed(evil):
    _, graph = evil
    graphs = gtm.GraphBatch.from_graphs([graph] * 300)
    big = gtm.GraphTMClassifier(n_clauses=400, T=10, s=2.0, epochs=1, depth=3, random_state=1)
    model = big.fit(graphs, [0, 1] * 150).model_
    explanation = big.explain(graph)
    encoded = encode(graphs, model.symbol_code)
    targets = class_targets(np.zeros(300, np.int64), 2, 10, None, None)
    trace, scores = explanation.trace, explanation.scores()
    deep = gtm.model.MachineParams(n_outputs=1, n_clauses=1, hypervector_size=2, depth=1)
    for value in (model, model.params, model.params.message_code, model.state, encoded, targets, trace, scores, deep):
        text = repr(value)
        assert text.startswith(type(value).__name__ + "(")
        assert len(text) < 1500
        assert "\n" not in text
        assert "array(" not in text
    assert "positions=<int32 array (400, 1)>" in repr(model.params)
    assert "weights=<int32 array (2, 400)>" in repr(model.state)
    for shown in (explanation, explanation.rules()[0], explanation.witness(explanation.fired[0].clause)):
        assert len(repr(shown)) < 400


def public_dataclasses():
    for room in ("codes", "datasets", "encoders", "engines", "explain", "graphs", "learning", "model", "plots"):
        module = importlib.import_module(f"graphtm.{room}")
        for name in module.__all__:
            kind = getattr(module, name)
            if inspect.isclass(kind) and dataclasses.is_dataclass(kind):
                yield kind


@pytest.mark.parametrize("kind", list(public_dataclasses()))
def test_no_public_dataclass_prints_arrays(kind):
    annotations = " ".join(str(field.type) for field in dataclasses.fields(kind) if field.repr)
    holds_arrays = any(word in annotations for word in ("Array", "Floats", "csr_"))
    written_by_dataclass = kind.__repr__.__qualname__ == f"{kind.__qualname__}.__repr__" and hasattr(
        kind.__repr__, "__wrapped__"
    )
    assert not (holds_arrays and written_by_dataclass)


def test_long_names_of_neighbourhoods_are_shortened_in_print_only():
    short, long, other = "C(-C,-C)", f"C({20 * '-C(-C),'}-N)", f"C({20 * '-C(-C),'}-O)"
    assert bare(short) == repr(short)
    assert len({bare(long), bare(other)}) == 2, "they differ only where they are cut off"
    assert bare(long).startswith(repr(long[:60])[:-1])
    assert len(bare(long)) < 80
    assert bare((long, ">=", 2)) == f"{bare(long)}>=2"
    assert bare("x" * 200) == "x" * 200
    assert bare("-" * 200) == repr("-" * 200)
    graph = gtm.Graph()
    graph.add_node(0, properties=[long])
    assert str(graph).endswith(f"0: {bare(long)}")
    assert graph.properties(0) == (long,)
