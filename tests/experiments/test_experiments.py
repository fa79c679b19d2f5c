"""Every experiment, on its stand-in: nothing is skipped."""

import sys

import pytest

from graphtm.errors import CodeCollisionWarning, MissingLibraryError
from graphtm.estimators import GraphTMClassifier
from graphtm.experiments import NAMES, experiment, reproduce
from graphtm.experiments.declaration import TRAINING_SECONDS

EVERY = [experiment(name) for name in NAMES]
collisions = pytest.mark.filterwarnings(f"ignore::{CodeCollisionWarning.__module__}.CodeCollisionWarning")


@pytest.mark.parametrize("one", EVERY, ids=NAMES)
def test_what_is_declared_holds_together(one):
    assert {"paper", "best"} <= one.presets.keys()
    assert one.name in NAMES
    assert one.title
    assert one.section
    assert len({(row.variant, row.metric) for row in one.reported}) == len(one.reported)
    for preset in one.presets.values():
        assert preset.variants.keys() <= set(one.variants)
        for variant in one.variants:
            for quick in (False, True):
                machine = dict(preset.of(variant, quick).machine)
                assert isinstance(machine["epochs"], int)
                GraphTMClassifier(**machine)._check()


PRESETS = [
    pytest.param(one, name, id=f"{one.name}-{name}")
    for one in EVERY
    for name, preset in one.presets.items()
    if name == "paper" or preset is not one.presets["paper"]
]


@collisions
@pytest.mark.parametrize(("one", "preset"), PRESETS)
def test_a_quick_look_at_the_stand_in(one, preset, data):
    """Each variant and each metric of the paper is measured, on the two parts of the data."""
    records = reproduce(one.name, preset=preset, data_home=data, quick=True, n_jobs=1)
    measured = {(record.variant, metric) for record in records for metric in (*record.final, TRAINING_SECONDS)}
    only = one.variants_of(preset)
    assert measured >= {(row.variant, row.metric) for row in one.reported if row.variant in only}
    counts = {row.metric for row in one.reported if not row.compared}
    for record in records:
        assert record.quick
        assert min(record.n_train, record.n_test) > 0
        for metric, values in record.scores.items():
            assert len(values) == len(record.seconds) == record.parameters["epochs"]
            assert all(value >= 0 and (value <= 1 or metric in counts) for value in values)


@pytest.mark.parametrize(("name", "data"), [("mnist", "MNIST"), ("fashion_mnist", "Fashion-MNIST")])
def test_data_that_is_missing(name, data, tmp_path, monkeypatch):
    """It would be downloaded, which needs a library."""
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(MissingLibraryError, match=rf"The download of {data} needs the library 'pooch'"):
        reproduce(name, data_home=tmp_path, quick=True)


def test_three_as_are_found_in_few_epochs(capsys):
    """A tenth of the words suffices for 100 % without noise; the clauses are shown as in the paper."""
    shown = []
    (record,) = reproduce("sequence", engine="cpu", n_jobs=1, quick=True, epochs=6, show=shown.append)
    assert max(record.scores["accuracy"]) == 1.0
    assert 0.98 < max(record.scores["training accuracy"]) < 1.0
    clauses, origins, truth = shown
    assert "votes for [0, 1]" in clauses
    assert "C_j^1(X_n)" in origins
    assert "BAAAE" in truth
    assert "X_1=A" in truth
