"""What all encoders share: they are transformers that make graphs of raw data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphtm.graphs import GraphBatch, Vocabulary


class GraphEncoder(ABC, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the encoders.

    An encoder learns from training data what there is to name (``fit``) and turns data into graphs with those names
    (``transform``). Parameters are checked in ``fit``, which sets ``vocabulary_``; nothing is changed if it fails.
    """

    vocabulary_: Vocabulary

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # Graphs are no table: scikit-learn must not wrap them, whatever output it is set to.
        super().__init_subclass__(auto_wrap_output_keys=None, **kwargs)

    @abstractmethod
    def fit(self, X: Any, y: Any = None) -> GraphEncoder:
        """Learn the names from training data; ``y`` is not used."""

    @abstractmethod
    def transform(self, X: Any) -> GraphBatch:
        """Return data as graphs, one per example."""

    def _own_graphs(self, X: Any) -> GraphBatch:
        """Return graphs to be turned back, under the encoder's own names; refuse what is no batch, or not of these."""
        check_is_fitted(self, "vocabulary_")
        if not isinstance(X, GraphBatch):
            raise TypeError(
                f"The 'X' parameter of inverse_transform must be a GraphBatch that {type(self).__name__} made. Got a "
                f"{type(X).__name__!r} instead."
            )
        return X.with_vocabulary(self.vocabulary_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the symbols, in the order of their numbers."""
        check_is_fitted(self, "vocabulary_")
        names = np.empty(len(self.vocabulary_.symbols), dtype=object)
        names[:] = list(self.vocabulary_.symbols)
        return names
