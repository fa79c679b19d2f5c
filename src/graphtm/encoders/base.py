"""What all encoders share: they are transformers that make graphs of raw data."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphtm.foundation.display import bare
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
        """Return the symbols as text, in the order of their numbers; the symbols themselves are in ``vocabulary_``.

        scikit-learn's tools, its display in notebooks among them, take nothing but strings for the names of features.
        """
        check_is_fitted(self, "vocabulary_")
        return np.array(symbol_texts(self.vocabulary_.symbols), dtype=object)


def symbol_texts(symbols: Iterable[Hashable]) -> list[str]:
    """Return symbols as text: strings as they are, others as rules print them; if two would be alike, all of them.

    Examples
    --------
    >>> symbol_texts(["good", ("position", 0)])
    ['good', 'position=0']
    >>> symbol_texts(["1", 1])
    ["'1'", '1']
    """
    symbols = list(symbols)
    texts = [symbol if isinstance(symbol, str) else bare(symbol) for symbol in symbols]
    return texts if len(set(texts)) == len(texts) else [bare(symbol) for symbol in symbols]
