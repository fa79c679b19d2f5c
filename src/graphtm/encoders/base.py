"""Base class of the encoders: transformers that turn raw data into graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphtm.foundation.display import bare
from graphtm.graphs import Graph, GraphBatch, Vocabulary


class GraphEncoder(ABC, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the encoders.

    ``fit`` checks the parameters, learns the vocabulary from training data and sets ``vocabulary_``. If it fails, the
    encoder does not change. ``transform`` turns data into graphs with that vocabulary.
    """

    vocabulary_: Vocabulary

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # Graphs are not a table: scikit-learn must not wrap them, whatever its output is set to.
        super().__init_subclass__(auto_wrap_output_keys=None, **kwargs)

    @abstractmethod
    def fit(self, X: Any, y: Any = None) -> GraphEncoder:
        """Learn the vocabulary from training data; ``y`` is ignored."""

    @abstractmethod
    def transform(self, X: Any) -> GraphBatch:
        """Return the data as graphs, one per sample."""

    def _own_graphs(self, X: Any) -> GraphBatch:
        """Return graphs for ``inverse_transform`` with the encoder's vocabulary, or raise if they do not fit it."""
        check_is_fitted(self, "vocabulary_")
        if not isinstance(X, GraphBatch):
            raise TypeError(
                f"The 'X' parameter of inverse_transform must be a GraphBatch made by {type(self).__name__}. Got "
                f"{type(X).__name__!r} instead."
            )
        return X.with_vocabulary(self.vocabulary_)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the symbols as strings, in the order of ``vocabulary_.symbols``.

        scikit-learn accepts only strings as feature names.
        """
        check_is_fitted(self, "vocabulary_")
        return np.array(symbol_texts(self.vocabulary_.symbols), dtype=object)


def graph_batch(X: GraphBatch | Iterable[Graph]) -> GraphBatch:
    """Return graphs as a batch, for encoders of graphs."""
    return X if isinstance(X, GraphBatch) else GraphBatch.from_graphs(X)


def symbol_texts(symbols: Iterable[Hashable]) -> list[str]:
    """Return symbols as strings: strings unchanged, others as rules print them; all as printed if two would be equal.

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
