"""Keys of parameter values, and what they are for: trials share encoded data only if their encoders are the same."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline

import graphtm as gtm
from graphtm.encoders import Table, WholeGraph
from graphtm.search.keys import NoKeyError, key_of, same
from graphtm.search.space import given_space

LONG = np.zeros(2000)
ALMOST = np.where(np.arange(2000) == 1000, 1.0, 0.0)
DIFFERENT = [
    1, 1.0, True, "1", None, [1], (1,), {"a": 1}, {"a": True}, np.int64(1), LONG, ALMOST,
    LONG.astype(int), Table(), WholeGraph(), Table(bins=3), [("a", Table())], [("b", Table())], ["passthrough"],
]  # fmt: skip


class Keep(TransformerMixin, BaseEstimator):
    def fit(self, X, y=None):
        return self

    def transform(self, X):
        return X


class Drop(Keep):
    def transform(self, X):
        return X * 0


class Scale(Keep):
    """Multiply the data by the sum of ``factors``."""

    def __init__(self, factors):
        self.factors = factors

    def transform(self, X):
        return X * np.sum(self.factors)


class Apply(Keep):
    def __init__(self, function):
        self.function = function

    def transform(self, X):
        return self.function(X)


def test_keys_tell_values_apart():
    assert len({key_of(value) for value in DIFFERENT}) == len(DIFFERENT)
    assert same(Table(bins=[1, 2]), Table(bins=[1, 2]))
    assert same(float("nan"), float("nan"))
    assert same(LONG, LONG.copy())
    for unknown in (len, np.array([None]), Apply(len)):
        with pytest.raises(NoKeyError):
            key_of(unknown)
    assert same(len, len)
    assert not same(Apply(len), Apply(len))


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (Drop(), Keep()),
        (Drop(), "passthrough"),
        (Scale(LONG), Scale(ALMOST)),
        (Apply(np.zeros_like), Apply(np.copy)),
    ],
)
def test_trials_share_encoded_data_only_with_the_same_encoders(worse, better):
    pytest.importorskip("optuna", reason="Optuna is not installed")
    X = np.random.default_rng(0).random((60, 2))
    machine = gtm.GraphTMClassifier(n_clauses=10, epochs=5, depth=1, random_state=0)
    pipeline = Pipeline([("before", worse), ("table", Table()), ("machine", machine)])
    result = gtm.tune(X, X[:, 0] > 0.5, 5, pipeline=pipeline, space={"before": [better]}, refit=False)
    assert same(result.best_params["before"], better)
    assert result.best_score > result.start_score + 0.2


def test_values_with_equal_text_are_different_choices():
    pipeline = Pipeline([("before", Scale(LONG)), ("machine", gtm.GraphTMClassifier())])
    space = given_space(pipeline, {"before__factors": [LONG.copy(), ALMOST]})
    (factors,) = space.dimensions
    assert [value.sum() for value in factors.values] == [0, 1]
    labels = []

    class Trial:
        def suggest_categorical(self, name, choices):
            labels.extend(choices)
            return choices[-1]

    assert factors.draw(Trial()).sum() == 1
    assert len(set(labels)) == 2
    assert factors.start == labels[0]
