"""Base class of the encoders: transformers that turn raw data into graphs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.learned import Learned
from graphtm.errors import UnknownNameWarning
from graphtm.foundation.calling import warn_user
from graphtm.foundation.display import bare
from graphtm.foundation.names import shorten
from graphtm.foundation.values_json import copied
from graphtm.graphs import Graph, GraphBatch, Vocabulary

Self = TypeVar("Self", bound="GraphEncoder")


class GraphEncoder(ABC, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base class of the encoders.

    ``fit`` checks the parameters, learns the vocabulary from training data and sets ``vocabulary_``. If it fails, the
    encoder does not change. ``transform`` turns data into graphs with that vocabulary.

    Encoders of the package can be saved. A file holds the parameters of the last ``fit``, which ends with
    ``_keep_parameters``, and what it learned from data. ``_learned`` returns that, and ``_restore`` sets the attributes
    of a fit from it.
    """

    vocabulary_: Vocabulary
    _fitted_params: dict[str, Any]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        # Graphs are not a table: scikit-learn must not wrap them, whatever its output is set to.
        super().__init_subclass__(auto_wrap_output_keys=None, **kwargs)

    @abstractmethod
    def fit(self, X: Any, y: Any = None) -> GraphEncoder:
        """Learn the vocabulary from training data; ``y`` is ignored."""

    @abstractmethod
    def transform(self, X: Any) -> GraphBatch:
        """Return the data as graphs, one per sample."""

    def _keep_parameters(self) -> None:
        """Keep the parameters of this fit for files; they may change later, also in place."""
        self._fitted_params = copied(self.get_params(deep=False))

    def _learned(self) -> dict[str, Any]:
        """Return what ``fit`` learned from data: values, and arrays of integers, Booleans or floats, by name."""
        raise NotImplementedError(f"{type(self).__name__} must implement _learned to be saved.")

    def _restore(self, learned: Learned) -> None:
        """Check the parameters and set all attributes of a fit from what :meth:`_learned` returned.

        Any error means that the file is damaged. Nothing may be made in numbers that the file only states, without
        asking ``learned.allow``.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement _restore to be loaded.")

    @classmethod
    def _from_file(cls: type[Self], settings: dict[str, Any], learned: Learned) -> Self:
        """Return the fitted encoder that a file describes; a damaged file may raise any error."""
        encoder = cls(**settings)
        encoder._restore(learned)
        learned.check_all_read()
        encoder._keep_parameters()
        return encoder

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


def warn_of_unknown(encoder: GraphEncoder, names: Sequence[Hashable]) -> None:
    """Issue one warning of symbols and edge types that no training graph had, unless there are none."""
    if names:
        warn_user(
            f"Names that are not in the training data are ignored by {type(encoder).__name__}, {len(names):,} in all: "
            f"{shorten(names)}.",
            UnknownNameWarning,
        )


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
