"""Data and labels to search on: read once, sampled and split with the same share of every class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from graphtm.encoders.base import graph_batch
from graphtm.errors import GraphError
from graphtm.estimators.fitting import GraphTMEstimator
from graphtm.estimators.label_sets import read_labels
from graphtm.estimators.labels import as_labels, class_numbers, classes_of, given_classes, refuse_numbers
from graphtm.foundation.arrays import BoolArray, Int64Array
from graphtm.graphs import Graph, GraphBatch

LEAST_SAMPLES = 12
"""Fewest samples to compare anything on: four in each of three folds."""


@dataclass(frozen=True, eq=False)
class Samples:
    """Graphs, texts or rows of a table, with their labels.

    Parameters
    ----------
    X
        A :class:`~graphtm.GraphBatch`, a list of texts, or a table.
    labels
        What machines are fitted to: the label of each sample or, with several labels, a sparse indicator matrix of 0
        and 1.
    truth
        What samples are stratified by: the number of the class of each sample or, with several labels, the matrix.
    classes
        The labels of all data, of which a part may lack some; ``None`` with several labels.
    class_sizes
        Number of samples of each class or label.
    """

    X: Any
    labels: Any
    truth: Any
    classes: NDArray[Any] | None
    class_sizes: Int64Array

    def __len__(self) -> int:
        return int(self.truth.shape[0])

    def part(self, index: Int64Array) -> Samples:
        """Return some of the samples."""
        return replace(self, X=_safe_indexing(self.X, index), labels=self.labels[index], truth=self.truth[index])

    def stratified_order(self, seed: int) -> Int64Array:
        """Return the samples in random order, class by class; every k-th of them is a stratified choice."""
        order = np.random.default_rng(seed).permutation(len(self))
        if self.classes is None:
            return order
        return order[np.argsort(self.truth[order], kind="stable")]

    def folds(self, n_folds: int, seed: int) -> Int64Array:
        """Return the number of the fold of each sample."""
        folds = np.empty(len(self), np.int64)
        folds[self.stratified_order(seed)] = np.arange(len(self)) % n_folds
        return folds

    def sample(self, most: int, seed: int) -> Samples:
        """Return at most so many of the samples."""
        n = min(most, len(self))
        order = self.stratified_order(seed)
        return self if n == len(self) else self.part(np.sort(order[np.arange(n) * len(self) // n]))

    def correct(self, predicted: Any) -> BoolArray:
        """Return which predictions are right; with several labels, all of a sample must be."""
        if self.classes is None:
            wrong = (sparse.csr_array(predicted) != self.truth).sum(axis=1)
            return np.asarray(np.ravel(wrong) == 0, dtype=np.bool_)
        return np.asarray(class_numbers(predicted, self.classes) == self.truth, dtype=np.bool_)

    def prepared(self, machine: GraphTMEstimator) -> GraphTMEstimator:
        """Return a copy of a machine to fit to these samples, without progress bar and weights of missing classes.

        A rare class may be missing in a part of the data, which is no mistake of the caller.
        """
        quiet = clone(machine).set_params(verbose=0)
        weights = getattr(machine, "class_weight", None)
        if isinstance(weights, Mapping) and self.classes is not None:
            numbers = class_numbers(given_classes(list(weights)), self.classes, strict=False)
            missing = ~np.isin(numbers, self.truth) & (numbers >= 0)
            kept = {label: weight for (label, weight), gone in zip(weights.items(), missing, strict=True) if not gone}
            quiet.set_params(class_weight=kept or None)
        return quiet  # type: ignore[no-any-return]


def read_samples(X: Any, y: Any, multilabel: bool) -> Samples:
    """Read data and their labels.

    Raises
    ------
    ValueError
        If labels do not match the data, or are all the same.
    GraphError
        If there are too few data.
    """
    # A list, an array or a series of graphs; other kinds of data can have two dimensions.
    if not isinstance(X, GraphBatch) and getattr(X, "ndim", 1) == 1 and isinstance(next(iter(X), None), Graph):
        X = graph_batch(X)
    n = int(X.shape[0]) if hasattr(X, "shape") else len(X)
    if n < LEAST_SAMPLES:
        raise GraphError(
            f"At least {LEAST_SAMPLES} samples are needed to compare anything on held-out ones; got {n}. Use "
            "graphtm.make_classifier, which needs no trial."
        )
    refuse_numbers(y)
    if multilabel:
        matrix = read_labels(y, n).matrix.astype(np.int64)
        return Samples(X, matrix, matrix, None, np.asarray(matrix.sum(axis=0)).ravel())
    labels = as_labels(y, n)
    classes = classes_of(labels)
    if len(classes) < 2:
        raise ValueError(f"y must have at least two classes to learn from; all labels are {classes.tolist()[0]!r}.")
    numbers = class_numbers(labels, classes)
    return Samples(X, labels, numbers, classes, np.bincount(numbers))


def n_nodes(X: Any) -> int | None:
    """Return the number of nodes of graphs, ``None`` for other data."""
    return X.n_nodes if isinstance(X, GraphBatch) else None
