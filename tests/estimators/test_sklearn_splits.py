"""scikit-learn's splitters hand on batches, not lists."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score, train_test_split
from sklearn.utils import resample, shuffle

import graphtm as gtm


@pytest.fixture
def batch():
    return gtm.GraphBatch.from_arrays([1] * 12, np.eye(12, dtype=bool))


def numbers(batch):
    return [graph.properties(0)[0] for graph in batch]


def test_train_test_split(batch):
    y = np.arange(12)
    train, test, y_train, y_test = train_test_split(batch, y, random_state=0)
    assert isinstance(train, gtm.GraphBatch)
    assert isinstance(test, gtm.GraphBatch)
    assert numbers(train) == y_train.tolist()
    assert numbers(test) == y_test.tolist()


def test_shuffle_and_resample(batch):
    y = np.arange(12)
    for tool in (shuffle, resample):
        mixed, labels = tool(batch, y, random_state=1)
        assert isinstance(mixed, gtm.GraphBatch)
        assert numbers(mixed) == labels.tolist()


class Seen(ClassifierMixin, BaseEstimator):
    """Scores 1 if it was handed batches whose graphs belong to their labels."""

    def fit(self, X, y):
        self.right_ = isinstance(X, gtm.GraphBatch) and [number % 3 for number in numbers(X)] == list(y)
        return self

    def score(self, X, y):
        fits = isinstance(X, gtm.GraphBatch) and [number % 3 for number in numbers(X)] == list(y)
        return float(self.right_ and fits)


@pytest.mark.parametrize("splitter", [KFold(3, shuffle=True, random_state=0), StratifiedKFold(2), 4])
def test_cross_validation(batch, splitter):
    assert cross_val_score(Seen(), batch, np.arange(12) % 3, cv=splitter).min() == 1.0
