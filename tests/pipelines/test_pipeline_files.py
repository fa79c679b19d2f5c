"""One file for the whole pipeline: every encoder comes back as it was, here and in another process."""

import json
import pickle
import struct
import subprocess
import sys
import warnings
from collections import Counter
from datetime import date

import numpy as np
import pytest
from encoder_cases import CASES, N
from forgery import forged, generator, mutated
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

import graphtm as gtm
from graphtm.encoders import BoardGame, KMers, Relations, Table, Tokens
from graphtm.pipelines.files import ENCODER_KINDS

QUICK = dict(n_clauses=5, T=8, s=3.0, epochs=2, random_state=5, engine="reference")
TEXTS, LABELS = ["a good film", "good fun", "a bad film", "bad"], ["+", "+", "-", "-"]


@pytest.fixture(scope="module")
def fitted():
    return make_pipeline(Tokens(ngrams=2), gtm.GraphTMClassifier(**QUICK)).fit(TEXTS, LABELS)


@pytest.fixture
def saved(fitted, tmp_path):
    gtm.save(fitted, tmp_path / "pipeline.gtm")
    return tmp_path / "pipeline.gtm"


def back(model, folder):
    gtm.save(model, folder / "model.gtm")
    return gtm.load(folder / "model.gtm")


def example(name, seed=0):
    """Return an encoder and data for it."""
    found = []

    @settings(max_examples=1, database=None)
    @given(st.tuples(*[CASES[name]] * (seed + 1)))
    def draw(cases):
        found.append(cases[-1])

    draw()
    return found[0]


def test_every_encoder_is_tested():
    assert set(CASES) == set(ENCODER_KINDS)


@pytest.mark.parametrize("name", CASES)
def test_every_encoder_comes_back(name, tmp_path_factory):
    """What it makes of data, its names, its parameters, and the bytes of its file are the same."""
    folder = tmp_path_factory.mktemp(name)

    @settings(max_examples=25)
    @given(CASES[name])
    def check(case):
        encoder, data = case
        graphs = encoder.fit_transform(data)
        again = back(encoder, folder)
        assert type(again) is type(encoder)
        assert again.transform(data) == graphs
        assert again.vocabulary_ == encoder.vocabulary_
        fitted = {key for key in vars(encoder) if key.endswith("_") and key != "vocabulary_"}
        assert {key: repr(vars(again)[key]) for key in fitted} == {key: repr(vars(encoder)[key]) for key in fitted}
        written = (folder / "model.gtm").read_bytes()
        back(again, folder)
        assert (folder / "model.gtm").read_bytes() == written

    check()


@pytest.mark.parametrize("encoder", [BoardGame((1, 2), symbols={0: None, 1: "x"}), BoardGame([1, 2])])
def test_parameters_come_back(encoder, tmp_path):
    again = back(encoder.fit([[[0, 1]]]), tmp_path)
    assert again.get_params() == encoder.get_params()
    assert type(again.shape) is type(encoder.shape)


def test_pipelines_of_every_encoder_predict_in_another_process(tmp_path):
    """Raw data go in at one end, class sums come out at the other; steps keep their names."""
    expected = {}
    for name in CASES:
        encoder, data = example(name)
        steps = [("first", encoder), ("machine", gtm.GraphTMClassifier(**QUICK))]
        pipeline = Pipeline(steps).fit(data, list("abab"))
        gtm.save(pipeline, tmp_path / f"{name}.gtm")
        (tmp_path / f"{name}.pickle").write_bytes(pickle.dumps(data))
        sums = pipeline[-1].class_sums(pipeline[0].transform(data))
        expected[name] = [sums.tolist(), pipeline.predict(data).tolist(), list(pipeline.named_steps)]
    script = """
import json, pathlib, pickle, sys
import graphtm
found = {}
for path in pathlib.Path(sys.argv[1]).glob("*.gtm"):
    pipeline, data = graphtm.load(path), pickle.loads(path.with_suffix(".pickle").read_bytes())
    sums = pipeline[-1].class_sums(pipeline[0].transform(data))
    found[path.stem] = [sums.tolist(), pipeline.predict(data).tolist(), list(pipeline.named_steps)]
print(json.dumps(found))
"""
    done = subprocess.run([sys.executable, "-c", script, tmp_path], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == expected
    assert len(expected) == len(ENCODER_KINDS)


def test_a_pipeline_goes_on(fitted, saved):
    again = gtm.load(saved)
    assert repr(again) == repr(fitted)
    assert again.score(TEXTS, LABELS) == fitted.score(TEXTS, LABELS)
    assert str(again[-1].rules()) == str(fitted[-1].rules())
    assert again[0].inverse_transform(again[0].transform(TEXTS)) == [text.split() for text in TEXTS]
    assert again.fit(TEXTS, LABELS)[-1].state_.equals(fitted[-1].state_)


def test_later_parameters_are_not_those_of_the_file(fitted, tmp_path):
    changed = pickle.loads(pickle.dumps(fitted))
    changed.set_params(tokens__ngrams=1, tokens__pattern=None, tokens__edges="none")
    again = back(changed, tmp_path)
    assert again[0].get_params() == fitted[0].get_params()
    assert again[0].transform(TEXTS) == fitted[0].transform(TEXTS)


def test_what_fit_was_given_can_change_in_place(tmp_path):
    symbols = {0: None, 1: "x"}
    encoder = BoardGame(symbols=symbols).fit([[[0, 1]]])
    symbols[7] = object()
    assert back(encoder, tmp_path).get_params()["symbols"] == {0: None, 1: "x"}


def test_columns_may_be_the_keys_of_a_dict(tmp_path):
    rows = {"who": ["a"], "what": ["b"]}
    encoder = Relations(rows.keys()).fit(rows)
    assert back(encoder, tmp_path).transform(rows) == encoder.transform(rows)


def test_estimators_and_encoders_alone(fitted, tmp_path):
    """An estimator makes the same file as its own method; encoders may be a pipeline without it."""
    gtm.save(fitted[-1], tmp_path / "one.gtm")
    fitted[-1].save(tmp_path / "other.gtm")
    assert (tmp_path / "one.gtm").read_bytes() == (tmp_path / "other.gtm").read_bytes()
    assert gtm.load(tmp_path / "one.gtm").state_.equals(fitted[-1].state_)
    encoders = back(make_pipeline(Tokens()).fit(TEXTS), tmp_path)
    assert isinstance(encoders, Pipeline)
    assert encoders.transform(TEXTS) == Tokens().fit_transform(TEXTS)


def test_multilabel_pipelines(tmp_path):
    labels = [{"x"}, {"x", "y"}, {"y"}, set()]
    pipeline = make_pipeline(Tokens(), gtm.GraphTMMultiLabelClassifier(**QUICK)).fit(TEXTS, labels)
    assert back(pipeline, tmp_path).predict(TEXTS) == pipeline.predict(TEXTS)


class Derived(Tokens):
    pass


class OtherPipeline(Pipeline):
    pass


FITTED = Tokens().fit(TEXTS)


def machine():
    return gtm.GraphTMClassifier(**QUICK)


REFUSED = {
    "nested": (
        lambda: make_pipeline(make_pipeline(Tokens()), machine()).fit(TEXTS, LABELS),
        TypeError,
        r"Step 'pipeline' of the pipeline must be an encoder of graphtm; got a sklearn.pipeline.Pipeline. Write the",
    ),
    "foreign": (
        lambda: make_pipeline(FunctionTransformer(), Tokens(), machine()).fit(TEXTS, LABELS),
        TypeError,
        r"Step 'functiontransformer' of the pipeline must be an encoder of graphtm; got a sklearn.*Save the steps of",
    ),
    "passed": (
        lambda: make_pipeline("passthrough", Tokens(), machine()).fit(TEXTS, LABELS),
        TypeError,
        r"must be an encoder of graphtm; got 'passthrough'. Leave the step out",
    ),
    "foreign end": (
        lambda: make_pipeline(Tokens(), FunctionTransformer()).fit(TEXTS),
        TypeError,
        r"the last of the pipeline, must be an estimator or encoder of graphtm; got a sklearn",
    ),
    "no estimator at the start": (
        lambda: Pipeline([("a", machine()), ("b", FITTED)]),
        TypeError,
        r"Step 'a' of the pipeline must be an encoder of graphtm; got a graphtm.estimators",
    ),
    "subclass": (lambda: Derived().fit(TEXTS), TypeError, r"The 'model' parameter of save must .*Got a .*Derived inst"),
    "other pipeline": (lambda: OtherPipeline([("a", FITTED)]), TypeError, "Got a .*OtherPipeline instead"),
    "nothing": (lambda: None, TypeError, "Got None instead"),
    "not fitted": (lambda: make_pipeline(Tokens(), machine()), NotFittedError, "not fitted yet"),
    "half fitted": (lambda: make_pipeline(FITTED, machine()), NotFittedError, "not fitted yet"),
    "encoder not fitted": (lambda: KMers(), NotFittedError, "not fitted yet"),
    "parameter": (
        lambda: Relations(["a"], graph=date(2020, 1, 1)).fit({"a": [1], date(2020, 1, 1): [1]}),
        gtm.GraphTMError,
        "the parameter 'graph' of Relations has a value of type 'date'",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused_is_not_written(case, tmp_path):
    make, error, message = REFUSED[case]
    path = tmp_path / "model.gtm"
    path.write_bytes(b"old")
    with pytest.raises(error, match=message):
        gtm.save(make(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_changed_encoder_is_refused(tmp_path):
    encoder = Tokens().fit(TEXTS)
    encoder.vocabulary_ = gtm.Vocabulary(["x"])
    with pytest.raises(gtm.GraphTMError, match="Tokens cannot be saved: it was changed after it was fitted"):
        gtm.save(encoder, tmp_path / "m.gtm")


def test_a_pipeline_is_no_checkpoint(saved):
    graphs = Tokens(ngrams=2).fit_transform(TEXTS)
    with pytest.raises(gtm.ModelFormatError, match=r"holds encoders, not only a model. Use graphtm.load"):
        gtm.GraphTMClassifier(**QUICK).fit(graphs, LABELS, resume_from=saved)


# Damage


def test_every_flipped_bit_is_noticed(tmp_path):
    path = tmp_path / "encoder.gtm"
    gtm.save(Tokens(ngrams=2).fit(TEXTS), path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << place % 8)]) + whole[place + 1 :])
        with pytest.raises(gtm.ModelFormatError):
            gtm.load(path)
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(gtm.ModelFormatError, match=r"truncated|is not a"):
            gtm.load(path)


def test_newer_files(saved):
    content = bytearray(saved.read_bytes())
    content[8:12] = struct.pack("<I", 4)
    saved.write_bytes(content)
    with pytest.raises(gtm.ModelFormatError, match=r"has format 4; this version reads formats 1 to 3. Update graphtm"):
        gtm.load(saved)


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    """The bytes of a pipeline of each encoder, and its data."""
    folder, files = tmp_path_factory.mktemp("files"), {}
    for name in CASES:
        encoder, data = example(name, 1)
        gtm.save(make_pipeline(encoder, gtm.GraphTMClassifier(**QUICK)).fit(data, list("abab")), folder / "m.gtm")
        files[name] = (folder / "m.gtm").read_bytes(), data
    return files


def use(path, data):
    """Load a pipeline and use it; say whether it was refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", gtm.EngineUnavailableWarning)
            pipeline = gtm.load(path, most_bytes=1 << 24)
    except gtm.ModelFormatError:
        return "refused"
    gtm.save(pipeline, path.with_suffix(".again.gtm"))
    encoder = pipeline[0] if isinstance(pipeline, Pipeline) else pipeline
    try:
        graphs = encoder.transform(data)
        if isinstance(pipeline, Pipeline) and isinstance(pipeline[-1], gtm.GraphTMClassifier):
            assert len(pipeline[-1].predict(graphs)) == N
    except (gtm.GraphTMError, ValueError, TypeError):
        return "loaded for other data"  # a forged encoder may want images of another size
    return "loaded"


def outcomes(contents, path, change, n):
    counts = Counter()
    for name, (original, data) in contents.items():
        for number in range(n):
            content = change(original, generator(change.__name__, name, number))
            if content != original:
                path.write_bytes(content)
                counts[use(path, data)] += 1
    return counts


def test_accidents_are_noticed(contents, tmp_path):
    assert set(outcomes(contents, tmp_path / "m.gtm", mutated, 20)) == {"refused"}


def test_forgeries_are_refused_or_whole(contents, tmp_path):
    assert set(outcomes(contents, tmp_path / "m.gtm", forged, 30)) >= {"refused", "loaded"}


@pytest.mark.slow
def test_ten_thousand_forgeries(contents, tmp_path):
    counts = outcomes(contents, tmp_path / "m.gtm", forged, 1500)
    assert counts["refused"] > 1000
    assert counts["loaded"] > 300


def test_huge_encoders_are_refused_before_they_are_made(tmp_path):
    """A few bytes in a file must not become millions of names."""
    path = tmp_path / "m.gtm"
    gtm.save(KMers(1, position=True).fit(["ACGT" * 50]), path)
    with pytest.raises(gtm.ModelFormatError, match=r"it makes 204 names or edges; at most 78 are allowed"):
        gtm.load(path, most_bytes=10_000)


def test_tables_of_named_columns(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [20, 30, 40.5, np.nan], "city": ["Rome", "Oslo", None, "Rome"]})
    again = back(Table(["age", "city"]).fit(frame), tmp_path)
    assert again.feature_names_in_.tolist() == ["age", "city"]
    assert again.n_features_in_ == 2
    assert again.transform(frame) == Table(["age", "city"]).fit_transform(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        again.transform(frame.rename(columns={"age": "years"}))
