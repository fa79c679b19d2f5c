"""The check of encoders itself: it must see each thing that an encoder can do wrong."""

import numpy as np
import pytest
from sklearn.utils.validation import check_is_fitted

import graphtm as gtm
from graphtm.encoders import GraphEncoder
from graphtm.testing import EncoderCheckError, check_encoder

WORDS = ["a", "b"]


class Letters(GraphEncoder):
    """A small encoder that does everything right: a node for each word."""

    def __init__(self, mark=("word",)):
        self.mark = mark

    def fit(self, X, y=None):
        if not isinstance(self.mark, tuple):
            raise ValueError(f"The 'mark' parameter must be a tuple. Got {self.mark!r} instead.")
        self.vocabulary_ = gtm.Vocabulary([(*self.mark, word) for word in sorted(set(self.checked(X)))])
        self._mark = self.mark
        return self

    def transform(self, X):
        check_is_fitted(self, "vocabulary_")
        names = [(*self._mark, word) for word in X]
        index = np.array([self.vocabulary_.symbols.index(name) for name in names])
        return gtm.GraphBatch.from_arrays(
            np.ones(len(names), int), (np.arange(len(names)), index), symbols=self.vocabulary_.symbols
        )

    def inverse_transform(self, X):
        return [graph.properties(0)[0][-1] for graph in X]

    def render(self, weights):
        return {"mark": self._mark, "weights": np.array([weights.get(s, 0) for s in self.vocabulary_.symbols])}

    def checked(self, X):
        if not all(isinstance(word, str) for word in X):
            raise TypeError("Words must be strings.")
        return X


def test_a_proper_encoder_passes():
    encoder = Letters()
    check_encoder(encoder, WORDS, bad=[["a", 1]])
    check_encoder(encoder.fit(WORDS), WORDS, render=lambda fitted: fitted.render({}))
    assert encoder.transform(WORDS)


class ReturnsNone(Letters):
    def fit(self, X, y=None):
        super().fit(X)


class ChangesParameters(Letters):
    def fit(self, X, y=None):
        super().fit(X)
        self.mark = ("other",)
        return self


class NeverAsksWhetherFitted(Letters):
    def transform(self, X):
        return gtm.GraphBatch.from_graphs([])


class ReadsParameters(Letters):
    def render(self, weights):
        return self.mark


class ReadsParametersAndFails(Letters):
    def transform(self, X):
        check_is_fitted(self, "vocabulary_")
        len(self.mark)
        return super().transform(X)


class Counts(Letters):
    def transform(self, X):
        graphs = super().transform(X)
        self.times = getattr(self, "times", 0) + 1
        return graphs if self.times < 3 else graphs[::-1]


class ForgetsNames(Letters):
    def get_feature_names_out(self, input_features=None):
        return super().get_feature_names_out()[::-1]


class GivesLists(Letters):
    def transform(self, X):
        return list(super().transform(X))


class SetsFirst(Letters):
    def fit(self, X, y=None):
        self.n_features_in_ = object()
        return super().fit(X)


class TakesAnything(Letters):
    def checked(self, X):
        return X if isinstance(X, list) else []


class NamesNoParameter(Letters):
    def fit(self, X, y=None):
        if not isinstance(self.mark, tuple):
            raise ValueError("Something is wrong.")
        return super().fit(X)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (ReturnsNone, "ReturnsNone.fit must return the encoder itself"),
        (ChangesParameters, r"must not change parameters; it changed \['mark'\]"),
        (NeverAsksWhetherFitted, "transform must raise NotFittedError before fit"),
        (
            ReadsParameters,
            r"ReadsParameters.render must .* the same result after set_params\(mark=<no parameter>\)",
        ),
        (ReadsParametersAndFails, "must return the same results after set_params.*it failed with TypeError"),
        (Counts, "must return the same GraphBatch from fit_transform and transform"),
        (ForgetsNames, "get_feature_names_out must return the symbols of vocabulary_"),
        (GivesLists, "transform must return a GraphBatch; it returned 'list'"),
        (SetsFirst, r"must not change anything if it fails; with invalid data it changed \['n_features_in_'\]"),
        (TakesAnything, "fit must raise a ValueError or TypeError for invalid data; it did not"),
        (NamesNoParameter, "must name it, 'mark'; it is: Something is wrong."),
    ],
)
def test_what_is_wrong_is_seen(kind, message):
    with pytest.raises(EncoderCheckError, match=message):
        check_encoder(kind(), WORDS)
