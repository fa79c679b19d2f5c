"""Commands that are interrupted, and continued by the same command."""

import pytest
from experiments.parity import runs

import graphtm as gtm
from graphtm.experiments import read_records
from graphtm.learning import Training

RUNS = [("", 0), ("", 1), ("deep", 0), ("deep", 1)]


class Epochs(list):
    """The epochs that are trained; Ctrl-C comes before the one with the number ``last``, counted over all runs."""

    last = None

    def interrupt(self, number, action):
        self.last = number
        with pytest.raises(KeyboardInterrupt):
            action()
        self.last = None


@pytest.fixture
def epochs(monkeypatch):
    seen, run_epoch = Epochs(), Training._run_epoch

    def counted(self):
        if len(seen) == seen.last:
            raise KeyboardInterrupt
        seen.append(self.epoch)
        run_epoch(self)

    monkeypatch.setattr(Training, "_run_epoch", counted)
    return seen


def test_a_run_continues(tmp_path, epochs):
    (whole,) = runs(variants=("",))
    epochs.clear()
    epochs.interrupt(2, lambda: runs(checkpoints=tmp_path, variants=("",)))
    (path,) = tmp_path.iterdir()
    assert path.name.startswith("parity-paper-seed0-")
    (resumed,) = runs(checkpoints=tmp_path, variants=("",))
    assert epochs == [0, 1, 2]
    assert resumed.scores == whole.scores
    assert list(tmp_path.iterdir()) == []


def test_runs_that_have_ended_are_not_repeated(tmp_path, epochs):
    """Of two variants with two seeds of three epochs, the third run is interrupted after its first epoch."""
    output, checkpoints = tmp_path / "output", tmp_path / "checkpoints"
    output.mkdir()
    checkpoints.mkdir()
    whole = runs(seeds=2)
    options = dict(output=output, checkpoints=checkpoints, seeds=2)
    epochs.clear()
    epochs.interrupt(7, lambda: runs(**options))
    first = read_records(output, "parity")
    assert [(one.variant, one.seed) for one in first] == RUNS[:2]
    assert len(list(checkpoints.iterdir())) == 5
    told = []
    records = runs(note=told.append, **options)
    assert epochs == [0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]
    assert told[:2] == [f"parity, seed {n}: done before the interruption" for n in (0, 1)]
    assert [(one.variant, one.seed) for one in records] == RUNS
    assert records[:2] == first
    assert read_records(output, "parity") == records
    assert [one.scores for one in records] == [one.scores for one in whole]
    assert list(checkpoints.iterdir()) == []
    # A later command is another one.
    runs(**options)
    assert len(read_records(output, "parity")) == 8


def test_the_classifier_of_a_run_that_has_ended(tmp_path, epochs):
    """An experiment that prints clauses after a run prints the same again; models are saved again, too."""
    epochs.interrupt(3, lambda: runs(checkpoints=tmp_path))
    (tmp_path / "models").mkdir()
    runs(checkpoints=tmp_path, models=tmp_path / "models")
    (tmp_path / "others").mkdir()
    runs(models=tmp_path / "others")
    names = sorted(path.name for path in (tmp_path / "models").iterdir())
    assert names == ["parity-paper-deep-seed0.gtm", "parity-paper-seed0.gtm"]
    for name in names:
        resumed, whole = (gtm.load(tmp_path / folder / name) for folder in ("models", "others"))
        assert str(resumed.rules()) == str(whole.rules())
        assert resumed.engine == "reference"


def test_records_are_appended_where_they_are_missing(tmp_path, epochs):
    """The first command had no folder for results, or stopped before it wrote to it."""
    epochs.interrupt(4, lambda: runs(checkpoints=tmp_path, seeds=2))
    output = tmp_path / "output"
    output.mkdir()
    assert runs(output, checkpoints=tmp_path, seeds=2) == read_records(output, "parity")


def test_runs_with_other_settings_have_other_checkpoints(tmp_path, epochs):
    epochs.interrupt(1, lambda: runs(checkpoints=tmp_path))
    for options in (dict(changes={"T": 5}), dict(holdout=7), dict(train_size=9), dict(quick=True), dict(epochs=2)):
        runs(checkpoints=tmp_path, **options)
        assert len(list(tmp_path.iterdir())) == 1


def test_checkpoints_of_other_data(tmp_path, epochs, monkeypatch):
    epochs.interrupt(1, lambda: runs(checkpoints=tmp_path))
    (path,) = tmp_path.iterdir()
    labels = [0, 1, 1, 1] * 10
    fit = gtm.GraphTMClassifier.fit
    monkeypatch.setattr(gtm.GraphTMClassifier, "fit", lambda self, X, y, **options: fit(self, X, labels, **options))
    message = rf"The checkpoint {path} is of a run with other settings or data. Delete it, or use another folder\."
    with pytest.raises(ValueError, match=message):
        runs(checkpoints=tmp_path)
    assert path.exists()
