"""Checks before the first trial: whatever the space can draw can be trained and scored."""

import numpy as np
import pytest
from sklearn.base import clone

import graphtm as gtm
from graphtm.search.space import default_space, given_space
from graphtm.search.tuning_checks import check_machines

pytest.importorskip("optuna", reason="Optuna is not installed")

DATA = tuple(gtm.datasets.sequences(60, noise=0.2, random_state=0))
STEP = "graphtmclassifier"


def small_pipeline(**changes):
    return gtm.make_classifier(DATA[0], **dict(n_clauses=10, epochs=2, random_state=0) | changes)


@pytest.mark.parametrize(
    ("parameters", "space", "error", "message"),
    [
        (dict(patience=2), None, ValueError, "must be None in tune unless validation_fraction is set.*Got patience=2"),
        ({}, dict(patience=[2]), ValueError, "Set validation_fraction=0.1, for instance, or patience=None"),
        (dict(patience=2, validation_fraction=0.2), dict(validation_fraction=[None]), ValueError, "patience=2"),
        (dict(epochs=0), None, ValueError, "The 'epochs' parameter of GraphTMClassifier must be at least 1 in tune"),
        ({}, dict(epochs=[5, 0]), ValueError, "scores trials after each epoch. Got 0 instead"),
        (
            {},
            {"": [gtm.GraphTMMultiLabelClassifier()]},
            TypeError,
            "must keep the kind of classifier, 'GraphTMClassifier'. Got a 'GraphTMMultiLabelClassifier'",
        ),
    ],
)
def test_errors_come_before_the_first_trial(parameters, space, error, message, monkeypatch):
    monkeypatch.setattr(gtm.GraphTMClassifier, "fit", lambda *_, **__: pytest.fail("a trial has begun"))
    if space is not None:
        space = {f"{STEP}__{name}" if name else STEP: values for name, values in space.items()}
    with pytest.raises(error, match=message):
        gtm.tune(*DATA, 3, pipeline=small_pipeline(**parameters), space=space)


@pytest.mark.parametrize("kind", [gtm.GraphTMRegressor, gtm.GraphTMBandit, gtm.GraphTMAutoencoder])
def test_only_classifiers_are_tuned(kind):
    message = f"ends with a classifier of graphtm.*Got one that ends with a '{kind.__name__}'.*use a search of scikit-"
    with pytest.raises(TypeError, match=message):
        gtm.tune(*DATA, 3, pipeline=kind())
    with pytest.raises(ValueError, match=r"Unknown label type: 0.5. .*To predict numbers, use GraphTMRegressor"):
        gtm.tune(DATA[0], DATA[1] / 2, 3, pipeline=small_pipeline())


def test_what_can_be_scored_is_accepted():
    for parameters in ({}, dict(patience=2, validation_fraction=0.2), dict(validation_fraction=0.2)):
        pipeline = small_pipeline(**parameters)
        check_machines(pipeline, default_space(pipeline))
    stopping = clone(small_pipeline()[-1]).set_params(patience=2, validation_fraction=0.2)
    check_machines(small_pipeline(), given_space(small_pipeline(), {STEP: [stopping]}))


def test_every_trial_is_scored_on_samples_that_its_classifier_does_not_see():
    pipeline, train, test = small_pipeline(), np.arange(45), np.arange(45, 60)
    space = {f"{STEP}__validation_fraction": [0.4]}
    result = gtm.tune(*DATA, 4, pipeline=pipeline, space=space, validation=[(train, test)], refit=False)
    assert len({str(trial.params) for trial in result.trials}) == 2
    for trial in result.trials:
        fitted = clone(pipeline).set_params(**trial.params).fit(DATA[0][train], DATA[1][train])
        assert trial.score == fitted.score(DATA[0][test], DATA[1][test])
