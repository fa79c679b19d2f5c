"""Tuning: the first trial is the pipeline itself, trials are pruned by epoch, and nothing leaks from held-out data."""

import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

import graphtm as gtm
from graphtm import search
from graphtm.encoders import Neighbourhoods, WholeGraph
from graphtm.estimators.advice import LEAST_GRADED_S
from graphtm.search.space import default_space, given_space
from graphtm.search.tuning import _splits, read_samples

optuna = pytest.importorskip("optuna", reason="Optuna is not installed")

DATA = tuple(gtm.datasets.sequences(200, noise=0.05, random_state=0))
N_TRAIN = 160
CLAUSES = "graphtmclassifier__n_clauses"


def small_pipeline(**changes):
    return gtm.make_classifier(DATA[0], **dict(n_clauses=30, epochs=8, random_state=0) | changes)


@pytest.fixture(scope="module")
def tuned():
    return gtm.tune(*DATA, 12, pipeline=small_pipeline())


def held_out_score(pipeline):
    """Return the accuracy of a pipeline that is fitted to the training part, after its last epoch."""
    (split,) = _splits(read_samples(*DATA, False), 0.2, 0)
    assert (len(split.train), len(split.test)) == (N_TRAIN, 40)
    return clone(pipeline).fit(split.train.X, split.train.truth).score(split.test.X, split.test.truth)


def test_the_first_trial_is_the_pipeline_itself(tuned):
    pipeline = small_pipeline()
    known = pipeline.get_params()
    assert {name: known[name] for name in tuned.start_params} == tuned.start_params == tuned.trials[0].params
    assert tuned.trials[0].score == tuned.start_score == held_out_score(pipeline)
    assert tuned.best_score >= tuned.start_score
    assert tuned.start_params["graphtmclassifier__T"] == "auto"


def test_scores_are_those_of_the_last_epoch_on_held_out_graphs(tuned):
    assert tuned.best_score == max(trial.score for trial in tuned.trials if not trial.pruned)
    assert tuned.best_score == held_out_score(small_pipeline().set_params(**tuned.best_params))
    assert len({str(trial.params) for trial in tuned.trials}) > 8


def test_trials_are_pruned_by_epoch(tuned):
    pruned = [trial for trial in tuned.trials if trial.pruned]
    assert pruned
    assert all(trial.number >= 5 for trial in pruned)
    for trial in tuned.trials:
        assert (trial.epochs < trial.params["graphtmclassifier__epochs"]) == trial.pruned


def test_the_best_pipeline_is_fitted_to_all_data(tuned):
    again = small_pipeline().set_params(**tuned.best_params).fit(*DATA)
    assert np.array_equal(
        tuned.pipeline[-1].class_sums(tuned.pipeline[:-1].transform(DATA[0])),
        again[-1].class_sums(again[:-1].transform(DATA[0])),
    )
    assert set(tuned.pipeline.classes_) == set(DATA[1])
    loose = gtm.tune(*DATA, 1, pipeline=small_pipeline(), refit=False)
    with pytest.raises(NotFittedError):
        loose.pipeline.predict(DATA[0])


def test_a_seed_gives_the_same_trials(tuned):
    def comparable(result):
        return [(trial.number, trial.score, trial.pruned, trial.params) for trial in result.trials]

    assert comparable(gtm.tune(*DATA, 12, pipeline=small_pipeline(), refit=False)) == comparable(tuned)
    other = gtm.tune(*DATA, 4, pipeline=small_pipeline(), refit=False, random_state=1)
    assert comparable(other) != comparable(tuned)[:4]


def test_encoders_see_training_data_only_and_are_shared(monkeypatch):
    seen = []
    fit_transform = WholeGraph.fit_transform

    def watched(self, X, y=None, **others):
        seen.append(len(X))
        return fit_transform(self, X, y, **others)

    monkeypatch.setattr(WholeGraph, "fit_transform", watched)
    space = {CLAUSES: [10, 20, 40], "neighbourhoods__hops": [1, 2]}
    result = gtm.tune(*DATA, 6, pipeline=small_pipeline(epochs=2), space=space, refit=False)
    assert seen == [N_TRAIN] * len({trial.params["neighbourhoods__hops"] for trial in result.trials})
    assert len(seen) == 2


def test_the_text_and_the_frame(tuned):
    text = str(tuned)
    n_pruned = sum(trial.pruned for trial in tuned.trials)
    assert text.startswith(
        f"Best accuracy on held-out samples: {tuned.best_score:.3f} (first: {tuned.start_score:.3f})"
    )
    assert f"12 trials, {n_pruned} pruned." in text
    assert max(map(len, text.splitlines())) <= 80
    for name in tuned.best_params:
        assert f"\n{name} " in text
    assert repr(tuned) == f"<TuningResult: best accuracy {tuned.best_score:.3f} of 12 trials>"
    pytest.importorskip("pandas", reason="pandas is not installed")
    frame = tuned.to_frame()
    assert frame["score"].tolist() == [trial.score for trial in tuned.trials]
    assert frame[CLAUSES].tolist() == [trial.params[CLAUSES] for trial in tuned.trials]


def test_an_interrupted_study_keeps_its_trials(monkeypatch):
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    pipeline, space = small_pipeline(epochs=2), {CLAUSES: list(range(10, 30))}
    fit, calls = gtm.GraphTMClassifier.fit, []

    def interrupted(self, *args, **others):
        calls.append(self)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return fit(self, *args, **others)

    with monkeypatch.context() as patch:
        patch.setattr(gtm.GraphTMClassifier, "fit", interrupted)
        with pytest.raises(KeyboardInterrupt):
            gtm.tune(*DATA, 5, pipeline=pipeline, space=space, study=study)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE", "COMPLETE", "FAIL"]
    result = gtm.tune(*DATA, 2, pipeline=pipeline, space=space, study=study, refit=False)
    assert result.study is study
    assert [trial.number for trial in result.trials] == [0, 1, 3, 4]
    assert [trial.params == result.start_params for trial in result.trials].count(True) == 1


def test_time_stops_further_trials():
    result = gtm.tune(*DATA, 50, pipeline=small_pipeline(epochs=1), timeout=1e-9, refit=False)
    assert [trial.params == result.start_params for trial in result.trials] == [True]


def test_folds_and_splitters():
    space = {CLAUSES: [10]}
    pipeline = small_pipeline(epochs=2)
    (folds,) = (gtm.tune(*DATA, 1, pipeline=pipeline, space=space, validation=3, refit=False).trials,)
    scores = []
    for split in _splits(read_samples(*DATA, False), 3, 0):
        fitted = clone(pipeline).fit(split.train.X, split.train.truth)
        scores.append(fitted.score(split.test.X, split.test.truth))
    assert folds[0].score == pytest.approx(np.mean(scores))
    pairs = list(KFold(2).split(DATA[1]))
    by_pairs, by_splitter = (
        gtm.tune(*DATA, 1, pipeline=pipeline, space=space, validation=cv, refit=False) for cv in (pairs, KFold(2))
    )
    assert by_pairs.best_score == by_splitter.best_score


def test_several_labels():
    tags = [{"a", "b"} if label else {"b"} for label in DATA[1]]
    pipeline = gtm.make_classifier(DATA[0], tags, n_clauses=20, epochs=3)
    result = gtm.tune(DATA[0], tags, 3, pipeline=pipeline, metric="f1")
    assert result.metric == "f1"
    assert result.best_score > 0.5
    assert result.pipeline.predict(DATA[0][:1])[0] <= {"a", "b"}


def test_a_bare_classifier_and_foreign_steps():
    clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=2)
    result = gtm.tune(*DATA, 2, pipeline=clf, random_state=5)
    assert result.start_params["graphtmclassifier__T"] == 10
    assert result.pipeline[-1].random_state == 5
    assert clf.random_state is None
    pipeline = make_pipeline(FunctionTransformer(), "passthrough", clf)
    assert gtm.tune(*DATA, 1, pipeline=pipeline, random_state=5).best_score == result.start_score


def test_samples_held_out_by_the_classifier_are_not_scored():
    pipeline = small_pipeline(epochs=3, validation_fraction=0.2, patience=1)
    result = gtm.tune(*DATA, 1, pipeline=pipeline, space={CLAUSES: [30]}, refit=False)
    assert result.start_score == held_out_score(pipeline)


def test_parameters_are_drawn_to_fit_each_other():
    pipeline = small_pipeline(n_clauses=400, epochs="auto")
    space = default_space(pipeline)
    machine = "graphtmclassifier__"

    def drawn(**changes):
        values = space.start() | {machine + name: value for name, value in changes.items()}
        found = space.draw(optuna.trial.FixedTrial(values), pipeline, 100)
        return {name.removeprefix(machine): value for name, value in found.items() if name.startswith(machine)}

    start = clone(pipeline[-1]).chosen(100)
    assert drawn()["T"] == drawn()["s"] == drawn()["epochs"] == "auto"
    assert drawn(T_factor=0.5)["T"] == start["T"] // 2
    assert drawn(T_factor=0.5, n_clauses=200)["T"] == start["T"] // 4
    assert drawn(s_factor=2.0)["s"] == 2 * start["s"]
    assert drawn(s_factor=2.0, max_misses=0)["s"] == 10.0
    assert drawn(s_factor=0.125, max_misses=0)["s"] == 1.0
    assert start["s"] == 100
    assert drawn(s_factor=0.5)["s"] == 50.0
    assert drawn(s_factor=0.125)["s"] == LEAST_GRADED_S
    assert drawn(epochs_factor=0.25)["epochs"] == round(start["epochs"] / 4)
    assert drawn(max_misses=19, max_included_literals=10)["max_included_literals"] == 57
    assert drawn(max_misses=4, max_included_literals=10)["max_included_literals"] == 10


def test_given_margins_grow_with_the_votes_of_clauses():
    pipeline = make_pipeline(gtm.GraphTMClassifier(n_clauses=100, T=500, s=[20.0, 40.0], max_misses=4, epochs=10))
    space = default_space(pipeline)
    misses = next(one for one in space.dimensions if one.name.endswith("max_misses"))
    assert misses.values == (4, 9, 19)  # an s for graded clauses is none for exact ones
    values = space.start() | {CLAUSES: 200, misses.name: 9, "graphtmclassifier__s_factor": 2.0}
    found = space.draw(optuna.trial.FixedTrial(values), pipeline, 100)
    assert found["graphtmclassifier__T"] == 2000
    assert found["graphtmclassifier__s"] == (40.0, 80.0)
    values["graphtmclassifier__s_factor"] = 0.8
    assert space.draw(optuna.trial.FixedTrial(values), pipeline, 100)["graphtmclassifier__s"] == (30.0, 32.0)
    start = space.draw(optuna.trial.FixedTrial(space.start()), pipeline, 100)
    assert (start["graphtmclassifier__T"], start["graphtmclassifier__s"]) == (500, [20.0, 40.0])


def test_values_of_any_type_can_be_searched():
    pipeline = make_pipeline(Neighbourhoods(), WholeGraph(), gtm.GraphTMClassifier())
    space = given_space(pipeline, {"neighbourhoods__parts": [["counts"], False], CLAUSES: np.array([10, 1000])})
    parts, clauses = space.dimensions
    assert parts.values == (True, ["counts"], False)
    assert clauses.values == (1000, 10)
    drawn = space.draw(optuna.trial.FixedTrial({parts.name: "['counts']", CLAUSES: 10}), pipeline, 100)
    assert drawn == {parts.name: ["counts"], CLAUSES: 10}


def test_nothing_is_printed_or_warned_unless_asked_for(capfd):
    before = optuna.logging.get_verbosity()
    pipeline = small_pipeline(epochs=2, s=5.0)  # too small for graded clauses, of which fit warns
    gtm.tune(*DATA, 2, pipeline=pipeline, refit=False)
    assert capfd.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == before
    gtm.tune(*DATA, 2, pipeline=pipeline, refit=False, verbose=1)
    assert "best=" in capfd.readouterr().err
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gtm.tune(*DATA, 1, pipeline=pipeline)
    assert {warning.category for warning in caught} == {UserWarning}
    assert "Graded clauses" in str(caught[0].message)


def test_trials_can_run_at_the_same_time():
    result = gtm.tune(*DATA, 6, pipeline=small_pipeline(epochs=3), n_jobs=2, refit=False)
    assert len(result.trials) == 6
    assert result.start_score == held_out_score(small_pipeline(epochs=3))


def test_optuna_is_needed_by_tune_only(monkeypatch):
    sources = list(Path(search.__file__).parent.glob("*.py"))
    assert len(sources) > 5
    assert not any(re.search(r"^\s*(import|from) optuna", path.read_text(), re.MULTILINE) for path in sources)
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(gtm.MissingLibraryError, match=r"tune needs the library 'optuna'.*graphtm\[search\]"):
        gtm.tune(*DATA)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (dict(n_trials=0), ValueError, "The 'n_trials' parameter of tune must be an int of at least 1. Got 0 instead"),
        (dict(timeout=-1), ValueError, "The 'timeout' parameter of tune must be a number above 0, or None"),
        (dict(n_jobs=0), ValueError, "'n_jobs'"),
        (dict(random_state=1.5), ValueError, "'random_state'"),
        (dict(validation=1.5), ValueError, "The 'validation' parameter of tune must be a number between 0 and 1"),
        (dict(validation=1), ValueError, "'validation'"),
        (dict(validation="all"), ValueError, "'validation'"),
        (dict(metric="f1"), ValueError, r"The 'metric' parameter of tune must be a str among \{'accuracy'\}"),
        (dict(space={"n_clauses": [1]}), ValueError, "must name parameters of the pipeline; got 'n_clauses'"),
        (
            dict(space={CLAUSES: 10}),
            ValueError,
            f"must have a list of values for each parameter. Got 10 for '{CLAUSES}'",
        ),
        (dict(pipeline=DecisionTreeClassifier()), TypeError, "Got a 'DecisionTreeClassifier' instead"),
        (dict(pipeline=make_pipeline(DecisionTreeClassifier())), TypeError, "one that ends with a 'DecisionTreeClass"),
        (dict(pipeline=gtm.GraphTMClassifier(T=0)), ValueError, "The 'T' parameter"),
        (dict(study=3), ValueError, "The 'study' parameter of tune must be a study of Optuna whose direction is"),
        (dict(y=[1] * 200), ValueError, "at least two classes"),
        (dict(y=[1, 2]), ValueError, "200"),
    ],
)
def test_errors(change, error, message):
    given = {"X": DATA[0], "y": DATA[1], "n_trials": 1, "pipeline": small_pipeline(epochs=1), **change}
    with pytest.raises(error, match=message):
        gtm.tune(**given)
    if "study" in change:
        with pytest.raises(error, match=message):
            gtm.tune(**given | {"study": optuna.create_study(direction="minimize")})
