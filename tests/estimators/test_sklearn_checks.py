"""scikit-learn's estimator checks: none skipped in silence, each expected failure with its reason."""

import os
import pickle

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import graphtm as gtm
from graphtm.encoders import Table

IN_PLACE = "Pipeline fits its steps in place, whatever they are"
EXPECTED_TO_FAIL = {
    "check_estimators_overwrite_params": IN_PLACE,
    "check_dont_overwrite_parameters": IN_PLACE,
    "check_estimators_nan_inf": "Table tells missing values by a symbol; Pipeline does not hand on its tag allow_nan",
}
UNSEEDED = "Pipeline has no random_state of its own to fix, so that two fits differ"
FAIL_WITHOUT_A_SEED = {
    **EXPECTED_TO_FAIL,
    "check_pipeline_consistency": UNSEEDED,
    "check_transformer_general": UNSEEDED,
    "check_fit_idempotent": UNSEEDED,
    "check_supervised_y_2d": UNSEEDED,
    "check_classifier_data_not_an_array": UNSEEDED,
    "check_transformer_data_not_an_array": UNSEEDED,
}
SKIPPED = {"check_array_api_input": "SCIPY_ARRAY_API is not set"}


def outcomes(estimator, expected):
    """Run the checks; return the names that failed, in any of their forms, after a look at those skipped."""
    results = check_estimator(estimator, expected_failed_checks=expected, on_skip=None, on_fail=None)
    assert len(results) > 50
    by = {
        status: {one["check_name"] for one in results if one["status"] == status}
        for status in ("passed", "failed", "xfail", "skipped")
    }
    assert by["failed"] == set(), [
        (one["check_name"], one["exception"]) for one in results if one["status"] == "failed"
    ]
    for one in results:
        if one["status"] == "skipped":
            assert SKIPPED[one["check_name"]] in str(one["exception"])
    return by["xfail"]


pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the checks provoke warnings on purpose
    pytest.mark.skipif("SCIPY_ARRAY_API" in os.environ, reason="array API input is not supported, nor claimed to be"),
]


def test_checks_with_a_seed():
    estimator = make_pipeline(Table(), gtm.GraphTMClassifier(n_clauses=20, epochs=5, random_state=0))
    assert outcomes(estimator, EXPECTED_TO_FAIL) == set(EXPECTED_TO_FAIL)


def test_checks_of_the_regressor():
    estimator = make_pipeline(Table(), gtm.GraphTMRegressor(n_clauses=20, epochs=20, random_state=0))
    assert outcomes(estimator, EXPECTED_TO_FAIL) == set(EXPECTED_TO_FAIL)


@pytest.mark.slow
def test_checks_without_a_seed():
    estimator = make_pipeline(Table(), gtm.GraphTMClassifier(n_clauses=20, epochs=5))
    assert outcomes(estimator, FAIL_WITHOUT_A_SEED) >= {"check_estimators_overwrite_params"}


@pytest.mark.slow
def test_only_the_pipeline_itself_fails_if_missing_values_are_refused():
    machine = gtm.GraphTMClassifier(n_clauses=20, epochs=5, random_state=0)
    expected = dict.fromkeys(["check_estimators_overwrite_params", "check_dont_overwrite_parameters"], IN_PLACE)
    assert outcomes(make_pipeline(Table(missing="error"), machine), expected) == set(expected)


def test_checked_estimators_are_of_use():
    """What the checks are run on does learn, and travels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X[:, 0] > 0).astype(int)
    model = make_pipeline(Table(), gtm.GraphTMClassifier(n_clauses=20, epochs=20, random_state=0)).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).score(X, y) > 0.95
