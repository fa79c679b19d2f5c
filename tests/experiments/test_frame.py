"""What all experiments share: presets, trials, records, and summaries."""

import dataclasses
import json
import re
import subprocess

import numpy as np
import pytest
from experiments.parity import PARITY, PRESET, graphs_of, load, runs

import graphtm as gtm
from graphtm.experiments import NAMES, Reported, Run, experiment, progress, read_records, records, reproduce
from graphtm.experiments.options import Options, data_for
from graphtm.experiments.records import append
from graphtm.experiments.summary import epochs_text, measured, memory_text

# Settings


def test_variants_and_quick_looks_change_the_preset():
    assert PRESET.of("").parameters == {"n_clauses": 4, "T": 4, "s": 2.0, "depth": 1, "epochs": 3, "size": 3}
    assert PRESET.of("deep").parameters == {**PRESET.parameters, "depth": 2, "size": 4}
    assert PRESET.of("deep", quick=True).parameters == {**PRESET.parameters, "depth": 2, "size": 2, "epochs": 1}
    # A parameter of the estimator that the preset does not have.
    assert PRESET.with_changes({"max_misses": 2}).machine["max_misses"] == 2
    assert "max_misses" not in PRESET.with_changes({"max_misses": 2}).task
    for name in ("clauses", "random_state", "engine"):
        with pytest.raises(ValueError, match=rf"There is no parameter '{name}' to set\..* Choose from: 'size', "):
            PRESET.with_changes({name: 1})


def test_parameters_that_would_change_how_runs_are_tested():
    for name, value in (("validation_fraction", 0.2), ("patience", 2), ("warm_start", True)):
        with pytest.raises(ValueError, match=rf"The parameter '{name}' cannot be set: every run trains for a fixed "):
            runs(changes={name: value})


@pytest.mark.parametrize("epochs", ["auto", 0, 2.5, True, None])
def test_epochs_are_a_number(epochs):
    message = rf"The 'epochs' parameter of reproduce must be an int of at least 1\. Got {epochs!r} instead\."
    with pytest.raises(ValueError, match=message):
        runs(changes={"epochs": epochs})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(preset="paperr"), "parity has no preset 'paperr'. Did you mean 'paper'? Choose from: paper, best."),
        (
            dict(variants=("dep",)),
            "parity has no variant 'dep' with preset 'paper'. Did you mean 'deep'? Choose from: '', 'deep'.",
        ),
        (dict(seeds=0), "The 'seeds' parameter of reproduce must be an int of at least 1 or None. Got 0 instead."),
        (dict(first_seed=-1), "The 'first_seed' parameter of reproduce must be an int of at least 0"),
        (dict(epochs=0), "The 'epochs' parameter of reproduce must be an int of at least 1"),
        (dict(epochs=2, changes={"epochs": 2}), "The number of epochs is given twice, by epochs and by changes (--set"),
        (dict(holdout=40), "to hold out must be from 1 to 39, all but one of those for training; got 40."),
        (dict(holdout=30, train_size=11), "There are 10 samples for training; train_size is 11."),
        (dict(changes={"siz": 1}), "There is no parameter 'siz' to set."),
    ],
)
def test_mistakes_are_told(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        runs(**options)


def test_there_is_no_such_experiment(tmp_path):
    wrong = r"There is no experiment 'mnits'. Did you mean 'mnist'\? Choose from: sequence, .*mnist"
    with pytest.raises(ValueError, match=wrong):
        experiment("mnits")
    with pytest.raises(FileNotFoundError, match=r"none does not exist\. Create it first"):
        reproduce("sequence", quick=True, output=tmp_path / "none")
    with pytest.raises(ValueError, match=r"The data of sequence is generated: train_size cannot cut it, only holdout"):
        reproduce("sequence", quick=True, train_size=5)
    uncut = dataclasses.replace(PARITY, load=lambda data_home, quick: {})
    with pytest.raises(ValueError, match=r"The data of parity cannot be cut by train_size and holdout\."):
        runs(experiment=uncut, holdout=5)


# Data for trials


def test_trials_hold_out_training_samples():
    """The test set is never seen: the last samples for training take its place."""
    data = data_for(PARITY, Options(holdout=5), None)
    assert data.test == [35, 36, 37, 38, 39]
    assert data.train == list(range(35))
    assert data.y_test.tolist() == [1, 0, 1, 0, 1]
    assert len(data.y) == 35
    cut = data_for(PARITY, Options(holdout=5, train_size=8), None)
    assert (cut.train, cut.test) == (list(range(8)), data.test)
    assert len(cut.y) == 8


GENERATED = [name for name in NAMES if experiment(name).generates]


@pytest.mark.parametrize("name", GENERATED)
def test_trials_on_generated_data_have_another_test_set(name):
    """The test set is never seen: its scores differ from those on the one for trials, which has any size."""
    options = dict(variants=experiment(name).variants_of("paper")[-1:], quick=True, n_jobs=1, engine="cpu")
    (result,), (trial,), (same) = (reproduce(name, **options, holdout=n) for n in (None, 777, 777))
    assert (trial.n_test, trial.n_train) == (777, result.n_train)
    assert trial.changes == {"holdout": 777}
    assert trial.scores == same[0].scores


def test_test_sets_that_are_generated():
    assert set(GENERATED) == {"sequence", "sequence3", "elimination", "multivalue_xor"}
    sets = {holdout: Run(PARITY, Options(holdout=holdout), None).test_set(20) for holdout in (None, 30)}
    assert sets == {None: (20, 1_000_003), 30: (30, 1_000_004)}


# Records


def test_a_run_is_recorded(tmp_path):
    records = runs(tmp_path, seeds=2, first_seed=3, variants=("deep",))
    assert [(one.variant, one.seed) for one in records] == [("deep", 3), ("deep", 4)]
    first = records[0]
    assert (first.changes, first.quick) == ({}, False)
    assert first.parameters == {"n_clauses": 4, "T": 4, "s": 2.0, "depth": 2, "epochs": 3, "size": 4}
    options = "--variant deep --seeds 2 --first-seed 3 --engine reference"
    assert first.command == f"graphtm reproduce parity --preset paper {options}"
    assert first.version.partition("+")[0] == gtm.__version__
    assert first.engine == "reference"
    assert len(first.seconds) == 3
    assert first.peak_bytes > 2**20
    assert (first.n_train, first.n_test) == (40, 10)
    # The result is the mean of the last two epochs.
    last = first.scores["accuracy"][-2:]
    assert first.final == {"accuracy": pytest.approx(sum(last) / 2)}
    assert first.date.endswith("+00:00")
    # The lines hold the same.
    assert read_records(tmp_path, "parity") == records
    assert len((tmp_path / "parity.jsonl").read_text().splitlines()) == 2
    runs(tmp_path)
    assert len(read_records(tmp_path, "parity")) == 4
    assert read_records(tmp_path, "other") == []


def test_the_version_has_the_commit_of_a_work_tree(tmp_path, monkeypatch):
    """A package that lies in a work tree without being a part of it has none; neither has one without git."""

    def git(*words):
        names = ["-c", "user.name=n", "-c", "user.email=e"]
        return subprocess.run(
            ["git", "-C", tmp_path, *names, *words], check=True, capture_output=True, text=True
        ).stdout

    package = tmp_path / "package"
    (package / "experiments").mkdir(parents=True)
    monkeypatch.setattr(records, "__file__", str(package / "experiments" / "records.py"))
    assert records.commit.__wrapped__() == ""
    git("init")
    git("commit", "--allow-empty", "-m", "begin")
    assert records.commit.__wrapped__() == ""
    (package / "a.py").touch()
    git("add", ".")
    git("commit", "-m", "add")
    short = git("log", "-1", "--format=%h").strip()
    assert records.commit.__wrapped__() == f"+g{short}"
    (package / "a.py").write_text("changed")
    assert records.commit.__wrapped__() == f"+g{short}.changed"
    monkeypatch.setenv("PATH", "")
    assert records.commit.__wrapped__() == ""


def test_trials_are_recorded_as_such():
    """What equals the preset is no change; sizes of the data are."""
    (same,) = runs(variants=("",), epochs=3, changes={"n_clauses": 4, "s": 2})
    assert same.changes == {}
    (trial,) = runs(variants=("",), epochs=2, changes={"n_clauses": 5, "state_bits": 7, "size": 9}, holdout=10)
    assert trial.changes == {"n_clauses": 5, "state_bits": 7, "epochs": 2, "size": 9, "holdout": 10}
    assert len(trial.seconds) == 2
    assert (trial.n_train, trial.n_test) == (30, 10)
    assert trial.command == (
        "graphtm reproduce parity --preset paper --variant '' --epochs 2 --holdout 10 --engine reference "
        "--set n_clauses=5 --set state_bits=7 --set size=9"
    )
    (quick,) = runs(variants=("deep",), quick=True)
    assert quick.changes == {}
    assert quick.quick
    assert quick.parameters["epochs"] == 1


def test_a_change_holds_in_every_variant():
    records = runs(changes={"depth": 3}, seeds=1)
    assert [one.parameters["depth"] for one in records] == [3, 3]
    assert [one.changes for one in records] == [{"depth": 3}, {"depth": 3}]


def test_what_is_no_record(tmp_path):
    (record,) = runs(tmp_path, variants=("",))
    good = record.to_json()
    for line, reason in (
        (good[:-5], "Line 2 of .*parity.jsonl is not the record of a run"),
        (good.replace('"seed"', '"sead"'), "missing or unknown fields: 'sead', 'seed'"),
        ("[1]", "Line 2 of .*parity.jsonl is not the record of a run"),
    ):
        (tmp_path / "parity.jsonl").write_text(f"{good}\n{line}\n")
        with pytest.raises(gtm.GraphFormatError, match=reason):
            read_records(tmp_path, "parity")


def test_values_of_numpy_are_written(tmp_path):
    (record,) = runs(variants=("",), changes={"s": np.float64(3.5)})
    assert json.loads(record.to_json())["changes"] == {"s": 3.5}
    odd = dataclasses.replace(record, parameters={"set": {1}})
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        append(odd, tmp_path)


def test_each_run_is_written_when_it_ends(tmp_path, monkeypatch):
    """A long command that is interrupted has saved what was complete."""
    seen = []
    fit = gtm.GraphTMClassifier.fit

    def broken(self, *args, **kwargs):
        seen.append(self.random_state)
        if len(seen) == 2:
            raise KeyboardInterrupt
        return fit(self, *args, **kwargs)

    monkeypatch.setattr(gtm.GraphTMClassifier, "fit", broken)
    with pytest.raises(KeyboardInterrupt):
        runs(tmp_path, seeds=3, variants=("",))
    assert [one.seed for one in read_records(tmp_path, "parity")] == [0]


def test_an_experiment_measures_other_scores(tmp_path):
    """They replace the accuracy on the test graphs, which are only counted, and reach the notes."""
    seen, told = [], []

    def measure(classifier):
        seen.append(classifier.epoch_)
        return {"accuracy": 0.25, "macro-F1": len(seen) / 10}

    run = Run(PARITY, Options(engine="reference"), load(None, False), output=tmp_path, note=told.append)
    run.fit((graphs_of(run.data.train), run.data.y), ([1, 2, 3], [0, 0, 0]), seed=0, measure=measure)
    (record,) = run.records
    assert seen == [1, 2, 3]
    assert record.scores == {"accuracy": [0.25] * 3, "macro-F1": [0.1, 0.2, 0.3]}
    assert record.final == {"accuracy": 0.25, "macro-F1": pytest.approx(0.25)}
    assert (record.n_train, record.n_test) == (40, 3)
    assert "25.00 %" in told[-1]


def test_progress_is_told(monkeypatch):
    told = []
    runs(note=told.append, variants=("deep",))
    assert len(told) == 1  # an epoch takes less than a second: only the last one is told
    assert told.pop().startswith("parity, deep, seed 0, epoch 3/3: ")
    monkeypatch.setattr(progress, "LEAST_SECONDS", 0.0)
    runs(note=told.append, variants=("deep",))
    assert len(told) == 3
    assert told[0].startswith("parity, deep, seed 0, epoch 1/3: ")
    assert told[2].startswith("parity, deep, seed 0, epoch 3/3: ")
    assert told[2].endswith(" literals")


# Summaries


def test_means_and_spreads(tmp_path):
    (record,) = runs(variants=("",))
    finals = (0.5, 0.7, 0.9)
    three = [dataclasses.replace(record, seed=n, final={"accuracy": final}) for n, final in enumerate(finals)]
    row = PARITY.reported[0]
    found = measured(PARITY, row, three)
    assert (found.value, found.spread, found.n_seeds) == (pytest.approx(70), pytest.approx(20), 3)
    assert found.text == "70.00 ± 20.00"
    errors = dataclasses.replace(PARITY, standard_error=True)
    assert measured(errors, row, three).spread == pytest.approx(20 / 3**0.5)
    assert measured(PARITY, row, three[:1]).text == "50.00"
    assert measured(PARITY, PARITY.reported[1], three) is None
    assert measured(PARITY, dataclasses.replace(row, metric="other"), three) is None
    assert measured(PARITY, dataclasses.replace(row, percent=False), three[:1]).text == "0.5000"
    assert epochs_text(PARITY, three) == "the mean of the last 2 of 3 epochs"
    assert epochs_text(dataclasses.replace(PARITY, last_epochs=1), three) == "the last of 3 epochs"
    assert memory_text([dataclasses.replace(record, peak_bytes=3 * 2**30)]) == "3.00 GiB"
    assert memory_text([dataclasses.replace(record, peak_bytes=None)]) == "memory unknown"


def test_what_the_paper_reports_as_text():
    row = Reported(90.0, 1.0, best=95.5, best_name="other")
    assert (row.paper_text, row.best_text) == ("90.00 ± 1.00", "95.50 (other)")
    assert (Reported().paper_text, Reported().best_text) == ("-", "-")
    assert Reported(0.1089, percent=False).paper_text == "0.1089"
