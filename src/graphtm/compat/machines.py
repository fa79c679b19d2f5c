"""The machines of the earlier implementation: classes, several outputs, and one output."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.compat.graphs import Graphs
from graphtm.compat.labels import classes_of, label_matrix
from graphtm.compat.saving import SavedMachine
from graphtm.engines import class_targets, label_targets, predicted_classes
from graphtm.errors import ModelFormatError
from graphtm.estimators import GraphTMClassifier, GraphTMMultiLabelClassifier
from graphtm.foundation.arrays import Int64Array
from graphtm.model import Model


class MultiClassGraphTsetlinMachine(SavedMachine):
    """A machine that learns one of several classes; ``Y`` has the number of a class for each graph.

    Parameters
    ----------
    number_of_clauses, T, s
        Number of clauses, voting margin, and specificity: a number or one per layer.
    q
        Expected number of negative classes updated per graph. Default: 1; for up to 32 outputs of a
        ``MultiOutputGraphTsetlinMachine``, all.
    max_included_literals
        Number of literals above which a clause stops growing; ``None`` for no limit.
    boost_true_positive_feedback
        Whether to always reinforce true literals.
    number_of_state_bits
        Number of bits of an automaton, up to 8; more are treated as 8, with a warning.
    depth
        Number of layers.
    message_size, message_bits
        Number of bits of an inbox, and number of bits per clause.
    double_hashing
        Whether to compute the two bits of a clause from its number, instead of drawing them.
    one_hot_encoding
        Whether each pair of clause and edge type has a bit of its own. ``message_size`` is their number then.
    grid, block
        Ignored: results do not depend on how work is split.

    Notes
    -----
    The environment variable ``GRAPHTM_ENGINE`` selects the engine; by default it is the fastest that can run here.
    Seeds follow ``numpy.random.seed``.
    """

    _native = GraphTMClassifier

    def fit(self, graphs: Graphs, Y: ArrayLike, epochs: int = 100, incremental: bool = False) -> None:
        """Train for some epochs, in the order of the graphs.

        Parameters
        ----------
        graphs
            Encoded graphs.
        Y
            Class of each graph: integers from 0 on.
        epochs
            Number of epochs.
        incremental
            Whether to continue from the last call; else, everything that was learned is forgotten. Later calls may lack
            classes, and may have new ones.
        """
        classes = classes_of(Y, self._checked(graphs))
        n_classes = int(classes.max(initial=0)) + 1
        self._train(
            graphs,
            lambda params: class_targets(classes, params.n_outputs, params.T, self.q),
            n_classes,
            epochs,
            incremental,
        )

    def predict(self, graphs: Graphs) -> Int64Array:
        """Return the class with the largest class sum for each graph."""
        return predicted_classes(self.score(graphs)).astype(np.int64)


class MultiOutputGraphTsetlinMachine(SavedMachine):
    """A machine that learns several outputs at once; ``Y`` has a row of 0 and 1 for each graph.

    The parameters are those of :class:`MultiClassGraphTsetlinMachine`.
    """

    _native = GraphTMMultiLabelClassifier

    def fit(self, graphs: Graphs, Y: ArrayLike, epochs: int = 100, incremental: bool = False) -> None:
        """Train for some epochs, in the order of the graphs.

        Parameters
        ----------
        graphs
            Encoded graphs.
        Y
            0 or 1 for each graph and output, ``(graphs, outputs)``.
        epochs, incremental
            See :meth:`MultiClassGraphTsetlinMachine.fit`.
        """
        labels = label_matrix(Y, self._checked(graphs))
        known = labels.shape[1] if self._model is None or not incremental else self.number_of_outputs
        if labels.shape[1] != known:
            raise ValueError(f"Y must have {known} columns, as in earlier calls of fit; got {labels.shape[1]}.")
        self._train(graphs, lambda params: label_targets(labels, params.T, self.q), known, epochs, incremental)

    def predict(self, graphs: Graphs) -> NDArray[Any]:
        """Return 1 for each output whose class sum is at least 0, ``(graphs, outputs)``."""
        return (self.score(graphs) >= 0).astype(np.int64)


class GraphTsetlinMachine(MultiOutputGraphTsetlinMachine):
    """A machine that learns one output; ``Y`` is 0 or 1 for each graph.

    The parameters are those of :class:`MultiClassGraphTsetlinMachine`. Class sums and predictions have one number per
    graph.
    """

    def fit(self, graphs: Graphs, Y: ArrayLike, epochs: int = 100, incremental: bool = False) -> None:
        """Train for some epochs, in the order of the graphs.

        Parameters
        ----------
        graphs
            Encoded graphs.
        Y
            0 or 1 for each graph.
        epochs, incremental
            See :meth:`MultiClassGraphTsetlinMachine.fit`.
        """
        given = np.asarray(Y)
        if given.ndim > 2 or (given.ndim == 2 and given.shape[1] != 1):
            raise ValueError(f"Y must be 0 or 1 for each graph; got an array of shape {given.shape}.")
        super().fit(graphs, given[:, None] if given.ndim == 1 else given, epochs, incremental)

    def score(self, graphs: Graphs) -> Int64Array:
        """Return the class sum of each graph."""
        return super().score(graphs)[:, 0]

    def predict(self, graphs: Graphs) -> NDArray[Any]:
        """Return whether the class sum of each graph is at least 0."""
        return self.score(graphs) >= 0

    def _set(self, model: Model, others: Mapping[str, Any] | None = None) -> None:
        if model.params.n_outputs != 1:
            raise ModelFormatError(
                f"A GraphTsetlinMachine has one output; got a model with {model.params.n_outputs}. Use the class that "
                "was saved."
            )
        super()._set(model, others)
