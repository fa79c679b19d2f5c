"""Checkpoints and exact resumption: a fit that is killed ends with the bits of one that is not."""

import json
import subprocess
import sys
from pathlib import Path

import killed_fit
import numpy as np
import pytest

import graphtm as gtm
from graphtm.datasets import sequences
from graphtm.engines import engine_statuses
from graphtm.model import read_model, write_model

QUICK = dict(n_clauses=6, T=8, s=3.0, epochs=4, random_state=5)


@pytest.fixture(scope="module")
def data():
    return tuple(sequences(120, noise=0.1, random_state=1))


@pytest.fixture(scope="module")
def whole(data):
    return gtm.GraphTMClassifier(**QUICK).fit(*data)


class Killed(BaseException):
    pass


class KillAt(gtm.Callback):
    """Ends the fit at a certain step, as a kill would, as far as the checkpoint is concerned."""

    def __init__(self, step):
        self.every_examples = self.step = step

    def on_progress(self, training):
        if training.step == self.step:
            raise Killed

    on_epoch_end = on_progress


def interrupted(data, path, step, engine="auto", **checkpoint):
    """Train up to a step, with checkpoints; return the estimator, which has not finished."""
    clf = gtm.GraphTMClassifier(**QUICK, engine=engine)
    with pytest.raises(Killed):
        clf.fit(*data, callbacks=[KillAt(step), gtm.Checkpoint(path, **checkpoint)])
    return clf


def without_times(history):
    return [{name: value for name, value in record.items() if name != "seconds"} for record in history]


def kills_survived(folder, engines, kills, seed):
    """Have a fit killed so many times; return how many examples had been seen at each."""
    script = Path(killed_fit.__file__)
    done = subprocess.run(
        [sys.executable, script, folder, engines, str(kills), str(seed)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert list(folder.glob(".run.gtm.*")) == []  # nothing unfinished is left
    resumed, clean = gtm.load(folder / "final.gtm"), killed_fit.train()
    assert resumed.state_.equals(clean.state_)
    assert without_times(resumed.history_) == without_times(clean.history_)
    assert resumed.epoch_ == clean.epoch_ < len(clean.history_)  # the best epoch, not the last
    return json.loads(done.stdout)


def test_killed_again_and_again(tmp_path):
    seen = kills_survived(tmp_path, "cpu", 6, 1)
    assert len(seen) == 6
    assert len(set(seen)) > 2


@pytest.mark.slow
@pytest.mark.parametrize("engines", ["reference", "cpu", "cpu,reference"])
@pytest.mark.parametrize("seed", range(4))
def test_killed_a_thousand_times(tmp_path, engines, seed):
    seen = kills_survived(tmp_path, engines, 84, seed)
    assert len(seen) == 84
    assert len(set(seen)) > 20
    assert any(step % killed_fit.TRAINED for step in seen)


@pytest.mark.parametrize("step", [1, 60, 119, 120, 121, 300, 480])
def test_any_moment_will_do(data, whole, tmp_path, step):
    path = tmp_path / "run.gtm"
    clf = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(Killed):
        clf.fit(*data, callbacks=[gtm.Checkpoint(path, every=step, unit="examples"), _KillAfterSave(step)])
    saved = read_model(path).model
    assert (saved.state.step, saved.epoch, saved.position) == (step, step // 120, step % 120)
    engine = "reference" if step == 300 else "cpu"
    resumed = gtm.GraphTMClassifier(**QUICK, engine=engine).fit(*data, resume_from=path)
    assert resumed.state_.equals(whole.state_)
    assert without_times(resumed.history_) == without_times(whole.history_)


@pytest.mark.parametrize("step", [100, 300])
def test_a_resumed_fit_that_ends_at_once_leaves_what_there_was(data, tmp_path, step):
    """Whether the checkpoint was written in the first epoch or later."""
    path = tmp_path / "run.gtm"
    interrupted(data, path, step + 1, every=step, unit="examples")
    graphs, y = data
    clf = gtm.GraphTMClassifier(**QUICK).fit(graphs[:50], np.where(y[:50], "yes", "no"))
    before, history = clf.model_, list(clf.history_)
    with pytest.raises(Killed):
        clf.fit(graphs, y, resume_from=path, callbacks=[KillAt(step + 1)])
    assert clf.model_ is before
    assert clf.history_ == history
    assert set(clf.predict(graphs)) <= {"yes", "no"}


ENGINES = [status.name for status in engine_statuses() if status.available]


@pytest.mark.parametrize("first", ENGINES)
@pytest.mark.parametrize("second", ENGINES)
def test_any_engine_goes_on_where_any_other_was(data, whole, tmp_path, first, second):
    path = tmp_path / "run.gtm"
    interrupted(data, path, 171, every=170, unit="examples", engine=first)
    resumed = gtm.GraphTMClassifier(**QUICK, engine=second).fit(*data, resume_from=path)
    assert resumed.engine_ == second
    assert resumed.state_.equals(whole.state_)
    assert without_times(resumed.history_) == without_times(whole.history_)


class _KillAfterSave(gtm.Checkpoint):
    """Sorted among the checkpoints, hence after the one that saves."""

    def __init__(self, step):
        self.every_examples = self.step = step

    def on_fit_begin(self, training):
        pass

    def on_progress(self, training):
        if training.step == self.step:
            raise Killed

    on_epoch_end = on_progress


def test_when_checkpoints_are_written(data, tmp_path, monkeypatch):
    def steps(**settings):
        taken = []
        monkeypatch.setattr(gtm.learning.Training, "save", lambda self, path: taken.append(self.step))
        gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(tmp_path / "run.gtm", **settings)])
        return taken

    assert steps() == [120, 240, 360, 480]
    assert steps(every=3) == [360, 480]
    assert steps(every=100, unit="examples") == [100, 200, 300, 400, 480]
    assert steps(every=1000, unit="seconds") == [480]
    often = steps(every=0, unit="seconds")
    assert often[-1] == 480
    assert len(often) > 4


def test_a_finished_fit_is_resumed_as_finished(data, tmp_path):
    path = tmp_path / "run.gtm"
    evaluation = sequences(60, random_state=2)

    def train(**kwargs):
        callbacks = [gtm.Checkpoint(path), gtm.EarlyStopping(patience=1)]
        clf = gtm.GraphTMClassifier(**{**QUICK, "epochs": 30})
        return clf.fit(*data, eval_set=evaluation, callbacks=callbacks, **kwargs), callbacks[1]

    first, stopped = train()
    assert len(first.history_) < 30
    again, other = train(resume_from=path)
    assert again.state_.equals(first.state_)
    assert again.history_ == first.history_
    assert (other.best_epoch, other.best_score) == (stopped.best_epoch, stopped.best_score)


def stopped_fit(data, path, epochs=30, resume=False, patience=1):
    """Train with early stopping, an evaluation set and checkpoints."""
    clf = gtm.GraphTMClassifier(**{**QUICK, "epochs": epochs})
    callbacks = [gtm.Checkpoint(path), gtm.EarlyStopping(patience)]
    return clf.fit(
        *data, eval_set=sequences(60, random_state=2), callbacks=callbacks, resume_from=path if resume else None
    )


def test_the_last_checkpoint_is_the_model_that_fit_returned(data, tmp_path):
    path = tmp_path / "run.gtm"
    clf = stopped_fit(data, path)
    assert clf.epoch_ < len(clf.history_) < 30
    loaded = gtm.load(path)
    assert loaded.state_.equals(clf.state_)
    assert loaded.epoch_ == clf.epoch_
    assert loaded.history_ == clf.history_


def test_a_finished_fit_is_written_to_another_file_too(data, tmp_path):
    first = gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(tmp_path / "run.gtm")])
    other = gtm.Checkpoint(tmp_path / "other.gtm")
    gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[other], resume_from=tmp_path / "run.gtm")
    assert gtm.load(tmp_path / "other.gtm").state_.equals(first.state_)


def test_training_goes_on_from_the_last_epoch_not_from_the_best(data, tmp_path):
    """All epochs are over, and the best one is returned; with more of them it is as if there had been no end."""
    path = tmp_path / "run.gtm"
    for epochs in range(2, 9):
        short = stopped_fit(data, path, epochs, patience=30)
        if short.epoch_ < epochs:
            break
    assert short.epoch_ < epochs == len(short.history_)
    resumed = stopped_fit(data, path, 12, resume=True, patience=30)
    whole = stopped_fit(data, tmp_path / "whole.gtm", 12, patience=30)
    assert resumed.state_.equals(whole.state_)
    assert without_times(resumed.history_) == without_times(whole.history_)
    assert gtm.load(path).state_.equals(whole.state_)


def test_early_stopping_cannot_be_left_out(data, tmp_path):
    path = tmp_path / "run.gtm"
    settings = dict(**QUICK, validation_fraction=0.2)
    gtm.GraphTMClassifier(**settings, patience=1).fit(*data, callbacks=[gtm.Checkpoint(path)])
    clf = gtm.GraphTMClassifier(**settings)
    with pytest.raises(ValueError, match=r"must be resumed with the same callbacks; EarlyStopping is missing"):
        clf.fit(*data, resume_from=path)
    assert not hasattr(clf, "model_")


def test_early_stopping_cannot_be_added(data, tmp_path):
    path = tmp_path / "run.gtm"
    settings = dict(**QUICK, validation_fraction=0.2)
    gtm.GraphTMClassifier(**settings).fit(*data, callbacks=[gtm.Checkpoint(path)])
    clf = gtm.GraphTMClassifier(**{**settings, "epochs": 9}, patience=1)
    with pytest.raises(ValueError, match=r"there was no EarlyStopping when the checkpoint was written\. Remove it"):
        clf.fit(*data, resume_from=path)
    assert not hasattr(clf, "model_")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(patience=3), "'patience' parameter of EarlyStopping must be 2, as it was when the checkpoint"),
        (dict(monitor="val_accuracy"), "'monitor' parameter of EarlyStopping must be None, as it was"),
        (dict(min_delta=0.1), "'min_delta' parameter of EarlyStopping must be 0.0, as it was .* Got 0.1 instead"),
        (dict(mode="min"), "'mode' parameter of EarlyStopping must be 'max', as it was"),
        (dict(restore_best=False), "'restore_best' parameter of EarlyStopping must be True, as it was"),
    ],
)
def test_early_stopping_cannot_be_changed(data, tmp_path, change, message):
    path, evaluation = tmp_path / "run.gtm", sequences(60, random_state=2)
    clf = gtm.GraphTMClassifier(**{**QUICK, "epochs": 2})
    clf.fit(*data, eval_set=evaluation, callbacks=[gtm.EarlyStopping(2), gtm.Checkpoint(path)])
    clf = gtm.GraphTMClassifier(**QUICK)
    stopping = gtm.EarlyStopping(**{"patience": 2, **change})
    with pytest.raises(ValueError, match=message):
        clf.fit(*data, eval_set=evaluation, callbacks=[stopping], resume_from=path)
    assert not hasattr(clf, "model_")


def test_other_evaluation_sets_are_refused(data, tmp_path):
    path, (graphs, y) = tmp_path / "run.gtm", sequences(60, random_state=2)
    clf = gtm.GraphTMClassifier(**{**QUICK, "epochs": 2})
    clf.fit(*data, eval_set=(graphs, y), callbacks=[gtm.Checkpoint(path)])
    for other in ((graphs[:50], y[:50]), (graphs, 1 - y), [(graphs, y), (graphs, y)]):
        clf = gtm.GraphTMClassifier(**QUICK)
        with pytest.raises(ValueError, match="must be resumed with the same evaluation sets"):
            clf.fit(*data, eval_set=other, resume_from=path)
        assert not hasattr(clf, "model_")
    for same in ((graphs, y), None):  # without any, nothing can be decided by them
        clf = gtm.GraphTMClassifier(**QUICK).fit(*data, eval_set=same, resume_from=path)
        assert clf.epoch_ == 4


def test_a_checkpoint_of_the_first_format_goes_on(data, whole, tmp_path):
    """Its progress says nothing of evaluation sets, of settings, of a last state."""
    path = tmp_path / "run.gtm"
    interrupted(data, path, 300, every=100, unit="examples")
    saved = read_model(path)
    for name in ("evaluations", "last_epoch"):
        del saved.extra["progress"][name]
    write_model(saved.model, path, saved.kind, saved.settings, saved.extra)
    clf = gtm.GraphTMClassifier(**QUICK).fit(*data, eval_set=data, resume_from=path)
    assert clf.state_.equals(whole.state_)


def test_the_unfinished_file_of_another_checkpoint_stays(data, tmp_path):
    """The names that files of "run.gtm" have while they are written begin like those of "run"."""
    ours, others = tmp_path / f".run.{'0' * 16}.tmp", tmp_path / f".run.gtm.{'0' * 16}.tmp"
    for path in (ours, others):
        path.write_bytes(b"half a file")
    gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(tmp_path / "run")])
    assert not ours.exists()
    assert others.exists()


def test_data_is_checksummed_only_for_checkpoints(data, tmp_path, monkeypatch):
    from graphtm.estimators import fit_inputs, fitting

    taken = []
    for room in (fitting, fit_inputs):
        monkeypatch.setattr(room, "fingerprint", lambda *parts: taken.append(parts) or 7)
    gtm.GraphTMClassifier(**QUICK).fit(*data, eval_set=data)
    assert taken == []

    class Own(gtm.Callback):
        def on_fit_end(self, training):
            training.save(tmp_path / "own.gtm")

    gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[Own()])
    assert len(taken) == 1
    assert gtm.GraphTMClassifier(**{**QUICK, "epochs": 5}).fit(*data, resume_from=tmp_path / "own.gtm").epoch_ == 5


def test_what_a_failed_resumption_knew_is_forgotten(data, tmp_path):
    path, evaluation = tmp_path / "run.gtm", sequences(60, random_state=2)
    clf = gtm.GraphTMClassifier(**QUICK)
    clf.fit(*data, eval_set=evaluation, callbacks=[gtm.EarlyStopping(9), gtm.Checkpoint(path)])
    stopping = gtm.EarlyStopping(9)
    with pytest.raises(ValueError, match="Early stopping needs a score to monitor"):
        clf.fit(*data, callbacks=[stopping], resume_from=path)
    other = gtm.GraphTMClassifier(**{**QUICK, "epochs": 1})
    other.fit(data[0], 1 - data[1], eval_set=evaluation, callbacks=[stopping])
    assert (stopping.best_epoch, other.epoch_) == (0, 1)
    assert stopping.best_score == other.history_[0]["val_accuracy"]


def test_more_epochs_can_be_asked_for(data, tmp_path):
    path = tmp_path / "run.gtm"
    gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(path)])
    longer = gtm.GraphTMClassifier(**{**QUICK, "epochs": 6})
    assert longer.fit(*data, resume_from=path).state_.equals(
        gtm.GraphTMClassifier(**{**QUICK, "epochs": 6}).fit(*data).state_
    )


@pytest.mark.parametrize(("step", "least"), [(360, 3), (250, 3), (240, 2)])
def test_fewer_epochs_than_there_were_are_refused(data, whole, tmp_path, step, least):
    path = tmp_path / "run.gtm"
    interrupted(data, path, step + 1, every=step, unit="examples")
    clf = gtm.GraphTMClassifier(**{**QUICK, "epochs": least - 1})
    with pytest.raises(
        ValueError, match=f"'epochs' parameter of GraphTMClassifier must be at least {least}, the number"
    ):
        clf.fit(*data, resume_from=path)
    assert not hasattr(clf, "model_")
    clf = gtm.GraphTMClassifier(**{**QUICK, "epochs": least}).fit(*data, resume_from=path)
    assert clf.state_.equals(gtm.GraphTMClassifier(**{**QUICK, "epochs": least}).fit(*data).state_)


def test_an_epoch_in_which_a_fit_is_stopped_is_finished(data, tmp_path):
    class StopAt(gtm.Callback):
        every_examples = 130

        def on_progress(self, training):
            if training.step == 130:
                training.stop()

    path = tmp_path / "run.gtm"
    whole = gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[StopAt()])
    checkpoint = gtm.Checkpoint(path, every=50, unit="examples")
    with pytest.raises(Killed):
        gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[StopAt(), checkpoint, KillAt(201)])
    assert read_model(path).model.state.step == 200
    resumed = gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[StopAt()], resume_from=path)
    assert resumed.epoch_ == whole.epoch_ == 2
    assert resumed.state_.equals(whole.state_)
    assert without_times(resumed.history_) == without_times(whole.history_)


def test_a_warm_start_is_resumed_as_one(data, tmp_path):
    path = tmp_path / "run.gtm"
    clf = gtm.GraphTMClassifier(**QUICK, warm_start=True).fit(*data)
    with pytest.raises(Killed):
        clf.fit(*data, callbacks=[gtm.Checkpoint(path, every=50, unit="examples"), KillAt(700)])
    resumed = gtm.GraphTMClassifier(**QUICK, warm_start=True).fit(*data, resume_from=path)
    assert resumed.epoch_ == len(resumed.history_) == 8
    assert resumed.state_.equals(gtm.GraphTMClassifier(**{**QUICK, "epochs": 8}).fit(*data).state_)


def test_a_drawn_seed_comes_from_the_checkpoint(data, tmp_path):
    path = tmp_path / "run.gtm"
    settings = {**QUICK, "random_state": None}
    first = gtm.GraphTMClassifier(**{**settings, "epochs": 2}).fit(*data, callbacks=[gtm.Checkpoint(path)])
    resumed = gtm.GraphTMClassifier(**settings).fit(*data, resume_from=path)
    assert resumed.seed_ == first.seed_
    assert resumed.state_.equals(gtm.GraphTMClassifier(**{**QUICK, "random_state": first.seed_}).fit(*data).state_)


def test_a_checkpoint_is_a_model_file(data, tmp_path):
    path = tmp_path / "run.gtm"
    interrupted(data, path, 300, every=100, unit="examples")
    clf = gtm.load(path)
    assert (clf.state_.step, clf.epoch_, clf.model_.position) == (200, 1, 80)
    assert clf.predict(data[0]).shape == (120,)
    clf.partial_fit(*data)  # a new epoch, not the rest of the old one, which does not count
    assert (clf.state_.step, clf.epoch_, clf.model_.position) == (320, 2, 0)
    assert [record["epoch"] for record in clf.history_] == [0, 1]
    clf.save(path)
    with pytest.raises(ValueError, match=r"run.gtm is a saved model. To train a saved model further, use graphtm.load"):
        gtm.GraphTMClassifier(**QUICK).fit(*data, resume_from=path)


def test_a_script_can_be_started_again(data, whole, tmp_path):
    path = tmp_path / "run.gtm"
    clf = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(FileNotFoundError, match="no Checkpoint callback writes it"):
        clf.fit(*data, resume_from=path)
    with pytest.raises(FileNotFoundError, match=r"folder of the checkpoint .* does not exist; create it"):
        clf.fit(*data, callbacks=[gtm.Checkpoint(tmp_path / "none" / "run.gtm")])
    assert not hasattr(clf, "model_")
    for _ in range(2):
        clf = gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(path)], resume_from=str(path))
        assert clf.state_.equals(whole.state_)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(T=9), "The 'T' parameter of GraphTMClassifier must stay 8"),
        (dict(random_state=6), "The 'random_state' parameter of GraphTMClassifier must be 5, as it was when the check"),
        (dict(shuffle=False), "The 'shuffle' parameter of GraphTMClassifier must be True, as it was"),
        (dict(shuffle=np.False_), "The 'shuffle' parameter of GraphTMClassifier must be True, as it was"),
        (dict(hypervector_size=64), "The 'hypervector_size' parameter of GraphTMClassifier must stay 5 or None"),
        (dict(q=0.5), r"the same graphs, labels and weights \(class_weight, q and"),
        (dict(class_weight={0: 2.0}), "must be resumed with the same graphs, labels and weights"),
        (dict(q=2.0, negative_sampling="class"), "The 'negative_sampling' parameter of GraphTMClassifier must stay"),
        (dict(validation_fraction=0.5), "120 graphs then, 60 now"),
    ],
)
def test_another_fit_is_refused(data, tmp_path, change, message):
    path = tmp_path / "run.gtm"
    gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(path)])
    clf = gtm.GraphTMClassifier(**{**QUICK, **change})
    with pytest.raises(ValueError, match=message):
        clf.fit(*data, resume_from=path)
    assert not hasattr(clf, "model_")


def test_what_cannot_be_written_is_told_before_the_first_example(data, tmp_path):
    graphs, y = data
    clf = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(IsADirectoryError, match="checkpoint must be a file"):
        clf.fit(*data, callbacks=[gtm.Checkpoint(tmp_path)])
    with pytest.raises(gtm.GraphTMError, match=r"dtype datetime64\[D\] cannot be saved"):
        clf.fit(graphs, y.astype("datetime64[D]"), callbacks=[gtm.Checkpoint(tmp_path / "run.gtm")])
    assert not hasattr(clf, "model_")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="a folder that refuses files even to root")
def test_a_folder_that_refuses_files(data):
    clf = gtm.GraphTMClassifier(**QUICK)
    with pytest.raises(OSError, match="Cannot create files in the folder of the checkpoint"):
        clf.fit(*data, callbacks=[gtm.Checkpoint("/proc/self/run.gtm")])
    assert not hasattr(clf, "model_")


def test_other_data_is_refused(data, tmp_path):
    path = tmp_path / "run.gtm"
    graphs, y = data
    gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(path)])
    for other in ((graphs[::-1], y), (graphs, 1 - y), (graphs[:100], y[:100])):
        with pytest.raises(ValueError, match="must be resumed with the same graphs, labels and weights"):
            gtm.GraphTMClassifier(**QUICK).fit(*other, resume_from=path)
    renumbered = gtm.GraphBatch.from_graphs(graphs[::-1])[::-1]  # the same, under other numbers
    assert renumbered.vocabulary != graphs.vocabulary
    resumed = gtm.GraphTMClassifier(**QUICK).fit(renumbered, y, resume_from=path)
    assert resumed.epoch_ == 4


@pytest.mark.parametrize(
    "damage",
    [
        lambda progress: progress.pop("seconds"),
        lambda progress: progress.update(first_epoch="0"),
        lambda progress: progress.update(callbacks=[3]),
        lambda progress: progress.update(callbacks=[{"kind": "EarlyStopping", "values": None, "states": []}]),
        lambda progress: progress.update(callbacks=[{"kind": "EarlyStopping", "values": {}, "states": ["best"]}]),
        lambda progress: progress.update(callbacks=[{"kind": "EarlyStopping", "values": {}, "states": 3}]),
        lambda progress: progress.update(records=99),
        lambda progress: progress.update(records=True),
        lambda progress: progress.update(last_epoch=3),
        lambda progress: progress.update(seconds=float("nan")),
        lambda progress: progress.update(n_examples=-1),
        lambda progress: progress.update(more=1),
    ],
)
def test_damaged_progress(data, tmp_path, damage):
    path = tmp_path / "run.gtm"
    gtm.GraphTMClassifier(**QUICK).fit(*data, callbacks=[gtm.Checkpoint(path)])
    saved = read_model(path)
    damage(saved.extra["progress"])
    write_model(saved.model, path, saved.kind, saved.settings, saved.extra)
    with pytest.raises(gtm.ModelFormatError, match="its content is not a checkpoint"):
        gtm.GraphTMClassifier(**QUICK).fit(*data, resume_from=path)


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"best_score": "0.5", "best_epoch": 0},
        {"best_score": 0.5, "best_epoch": 2**40},
        {"best_score": 0.5, "best_epoch": True},
        {"best_score": 0.5, "best_epoch": 0, "settings": 3},
    ],
)
def test_damaged_memory_of_early_stopping(data, tmp_path, values):
    path = tmp_path / "run.gtm"
    stopped_fit(data, path, 3)
    saved = read_model(path)
    saved.extra["progress"]["callbacks"][0]["values"] = values
    write_model(saved.model, path, saved.kind, saved.settings, saved.extra, saved.states)
    with pytest.raises(gtm.ModelFormatError, match="damaged: the state of early stopping"):
        stopped_fit(data, path, 3, resume=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (dict(unit="minutes"), r"'unit' parameter of Checkpoint must be a str among {'epochs', 'examples', 'seconds'}"),
        (dict(every=0), "'every' parameter of Checkpoint must be an int of at least 1 for epochs. Got 0 instead"),
        (dict(every=0.5, unit="examples"), "an int of at least 1 for examples. Got 0.5 instead"),
        (dict(every=-1, unit="seconds"), "a number of at least 0 for seconds. Got -1 instead"),
    ],
)
def test_parameters_of_a_checkpoint(settings, message):
    with pytest.raises(ValueError, match=message):
        gtm.Checkpoint("run.gtm", **settings)
