"""Models that runs save: they take the raw data of the experiment, and explain it."""

import numpy as np
import pytest
from experiments.parity import runs
from sklearn.pipeline import Pipeline

import graphtm as gtm
from graphtm.encoders import Superpixels
from graphtm.errors import CodeCollisionWarning, UnknownNameWarning
from graphtm.experiments import experiment, reproduce, superpixels
from graphtm.plots import HeatMapDisplay

pytestmark = pytest.mark.filterwarnings(f"ignore::{CodeCollisionWarning.__module__}.CodeCollisionWarning")
IMAGES = [
    *(("mnist", preset, "") for preset in ("paper", "best")),
    *(("fashion_mnist", preset, "") for preset in ("paper", "best")),
    ("cifar10", "paper", "one view"),
    ("superpixels", "paper", "all features"),
    ("superpixels", "paper", "without nearest neighbour"),
    ("superpixels", "paper", "without both"),
    ("superpixels", "best", "all features"),
]


@pytest.mark.filterwarnings(f"ignore::{UnknownNameWarning.__module__}.UnknownNameWarning")
@pytest.mark.parametrize(("name", "preset", "variant"), IMAGES)
def test_models_take_raw_images(name, preset, variant, data, tmp_path):
    """Features that a variant leaves out are ignored, with a warning."""
    options = dict(preset=preset, variants=[variant], quick=True, n_jobs=1, data_home=data, epochs=1)
    (record,) = reproduce(name, models=tmp_path, **options)
    (path,) = tmp_path.iterdir()
    assert path.name == "-".join(filter(None, (name, preset, variant.replace(" ", "_"), "seed0.gtm")))
    model = gtm.load(path)
    images = experiment(name).load(data, True)
    accuracy = np.mean(model.predict(images.test) == images.y_test)
    assert accuracy == pytest.approx(record.scores["accuracy"][-1], abs=1e-6)
    if preset == "best" and name == "superpixels":
        assert len(model.steps) == 4  # heat maps need the graph of the image itself
    else:
        HeatMapDisplay.from_estimator(model, images.test, 0)


def test_other_experiments_save_classifiers(tmp_path):
    runs(models=tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "parity-paper-deep-seed0.gtm",
        "parity-paper-seed0.gtm",
    ]
    assert not isinstance(gtm.load(tmp_path / "parity-paper-seed0.gtm"), Pipeline)


def test_a_variant_is_measured_alike_alone_and_with_others(data):
    """Images are segmented once for all variants, with all features that one of them needs."""
    options = dict(quick=True, n_jobs=1, data_home=data, epochs=1)
    both = reproduce("superpixels", variants=["all features", "without both"], **options)
    (alone,) = reproduce("superpixels", variants=["without both"], **options)
    assert alone.scores == both[1].scores


def test_segments_are_made_by_several_processes(data, monkeypatch):
    seen = []
    fit = Superpixels.fit
    monkeypatch.setattr(Superpixels, "fit", lambda self, *given: seen.append(self.n_jobs) or fit(self, *given))
    reproduce("superpixels", variants=[superpixels.ALL], quick=True, n_jobs=2, data_home=data, epochs=1)
    assert seen == [2]
