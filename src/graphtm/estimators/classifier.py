"""The classifier: one class per graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import ClassifierMixin

from graphtm.engines import Targets, class_targets, predicted_classes
from graphtm.estimators.calibration import best_temperature, checked_temperature, class_margins, effective_size
from graphtm.estimators.class_weights import check_class_weight, class_weighted
from graphtm.estimators.fit_inputs import checked_weights
from graphtm.estimators.labels import (
    as_labels,
    check_classes,
    check_same_kind,
    class_numbers,
    classes_from_json,
    classes_of,
    classes_to_json,
    given_classes,
)
from graphtm.estimators.parameters import ThinningSettings
from graphtm.estimators.rule_regression import RuleWeights
from graphtm.estimators.short_models import ShortModels
from graphtm.explain import Explanation, RuleSet
from graphtm.foundation.arrays import BoolArray
from graphtm.foundation.calling import warn_user
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import documented, parameter


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class GraphTMClassifier(ClassifierMixin, ThinningSettings, ShortModels):  # type: ignore[misc]
    """Graph Tsetlin Machine for classification, with scikit-learn's interface.

    Clauses are AND-rules over the symbols of a node and the messages from its neighbours. They vote for classes, and
    they can be read: see :meth:`rules`.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_
        Class labels, sorted, or as given to ``partial_fit``.
    history_
        One record per epoch: its number, seconds, scores and statistics of the clauses.
    epoch_
        Number of complete epochs.
    seed_, engine_, state_
        Seed, name of the engine, and learned state.
    temperature_
        Temperature set by :meth:`calibrate` or :meth:`refit`; 1 before.

    Examples
    --------
    Which words have an A right after a B?

    >>> import graphtm as gtm
    >>> def word(text):
    ...     graph = gtm.Graph()
    ...     for place, letter in enumerate(text):
    ...         graph.add_node(place, properties=[letter])
    ...     for place in range(1, len(text)):
    ...         graph.add_edge(place - 1, place, type="right")
    ...     return graph
    >>> words = ["BA", "AB", "ABA", "AAB", "BBA", "BB", "AA", "AABA"] * 20
    >>> graphs = gtm.GraphBatch.from_graphs(map(word, words))
    >>> y = ["yes" if "BA" in text else "no" for text in words]
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=5, random_state=1).fit(graphs, y)
    >>> clf.score(graphs, y)
    1.0
    >>> clf.predict([word("BAB"), word("AAAA")])
    array(['yes', 'no'], dtype='<U3')
    """

    class_weight: Any = parameter(
        check_class_weight,
        "Weight of the graphs of each class, which multiplies ``sample_weight``. A dict from labels to numbers, 1 for "
        'labels that it lacks; ``"balanced"`` gives all classes the same total weight; ``None`` gives all graphs the '
        "weight 1.",
        default=None,
    )

    _metrics = ("accuracy",)
    _task = "classification"

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: Any = None
    ) -> GraphTMClassifier:
        """Train for one more epoch on the given graphs.

        Parameters
        ----------
        X, y
            Graphs and their labels. They need not contain every class.
        classes
            All classes. Needed only in the first call, and only if ``y`` does not contain all of them.
        sample_weight
            Weight of each graph.
        """
        self._check()
        if isinstance(self.class_weight, str):
            raise ValueError(
                "The 'class_weight' parameter of GraphTMClassifier must be a dict or None for partial_fit, which does "
                f"not see all graphs. Got {self.class_weight!r} instead."
            )
        given = None if classes is None else given_classes(classes)
        if given is not None and hasattr(self, "model_"):
            check_classes(given, self.classes_)
        self._fit_epoch(X, y, given, sample_weight)
        return self

    # What GraphTMEstimator requires

    def _truth(self, y: Any, n: int) -> NDArray[Any]:
        return as_labels(y, n)

    def _outputs_of(self, truth: NDArray[Any]) -> NDArray[Any]:
        return classes_of(truth)

    def _fitted_outputs(self) -> NDArray[Any]:
        return self.classes_

    def _adopt(self, outputs: NDArray[Any]) -> None:
        self.classes_, self.temperature_ = outputs, 1.0

    def _targets(
        self, truth: NDArray[Any], outputs: NDArray[Any], weights: NDArray[np.float64] | None, T: int
    ) -> Targets:
        numbers = class_numbers(truth, outputs)
        weights = class_weighted(self.class_weight, numbers, outputs, weights)
        return class_targets(numbers, len(outputs), T, self.q, weights)

    def _scores(self, sums: NDArray[np.int64], truth: NDArray[Any], outputs: NDArray[Any]) -> dict[str, float]:
        numbers = class_numbers(truth, outputs, strict=False)
        return {"accuracy": float(np.mean(predicted_classes(sums) == numbers))}

    def _truth_numbers(self, truth: NDArray[Any], outputs: NDArray[Any]) -> list[NDArray[Any]]:
        return [class_numbers(truth, outputs, strict=False)]

    def _check_kind(self, truth: NDArray[Any], outputs: NDArray[Any], what: str) -> None:
        check_same_kind(truth, outputs, what)

    def _strata(self, truth: NDArray[Any], outputs: NDArray[Any]) -> NDArray[np.int64]:
        return class_numbers(truth, outputs)

    def _regression_truth(
        self, y: Any, weights: NDArray[np.float64] | None, n: int
    ) -> tuple[BoolArray, NDArray[np.float64] | None]:
        numbers = class_numbers(as_labels(y, n), self.classes_)
        weights = class_weighted(self.class_weight, numbers, self.classes_, weights)
        counts = np.bincount(numbers, weights, minlength=len(self.classes_))
        if len(counts) < 2 or not counts.all():
            raise ValueError(
                f"The graphs must be of every class, {shorten(self.classes_.tolist())}, and of at least two; none is "
                f"of {shorten(self.classes_[counts == 0].tolist()) or 'a second class'}."
            )
        truth = numbers[:, None] == np.arange(len(self.classes_))
        return truth if len(self.classes_) > 2 else truth[:, 1:], weights

    def _from_regression(self, found: RuleWeights) -> tuple[NDArray[np.int32], float]:
        if len(self.classes_) == 2:  # half of the logit for one class, half against the other
            return np.concatenate([-found.weights, found.weights]), 2 * found.scale / self.model_.params.T
        return found.weights, found.scale / self.model_.params.T

    def _warn_of_silence(self, found: RuleWeights) -> None:
        if len(found.without):
            warn_user(
                f"No rule votes for or against {shorten(self.classes_[found.without].tolist())}: the vote sum is 0 for "
                "every graph, so that such a class is predicted only where no other sum is above 0. Increase n_rules "
                "or C.",
                UserWarning,
            )

    def _extra(self) -> dict[str, Any]:
        return {"classes": classes_to_json(self.classes_), "temperature": self.temperature_}

    def _restore_extra(self, extra: dict[str, Any]) -> None:
        self.classes_ = classes_from_json(extra["classes"])
        if len(self.classes_) != self.model_.params.n_outputs:
            raise ValueError("there must be one class per output")
        self.temperature_ = checked_temperature(extra["temperature"])

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest vote sum; ties go to the first class.

        Returns
        -------
        ndarray, (graphs,)
        """
        sums = self.class_sums(X)
        return np.asarray(self.classes_[predicted_classes(sums)])

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the accuracy: the fraction of graphs whose class is predicted correctly.

        Parameters
        ----------
        X, y
            Graphs and their true labels, of any type that ``fit`` accepts.
        sample_weight
            Weight of each graph.
        """
        sums = self.class_sums(X)
        labels = as_labels(y, len(sums))
        check_same_kind(labels, self.classes_, "y")
        truth = class_numbers(labels, self.classes_, strict=False)
        return float(np.average(predicted_classes(sums) == truth, weights=checked_weights(sample_weight, len(sums))))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the vote sums in the shape and type that scikit-learn expects.

        Returns
        -------
        ndarray of float64
            ``(graphs,)`` for two classes: the sum of the second minus that of the first. Else ``(graphs, classes)``.
        """
        sums = self.class_sums(X)
        return np.asarray(sums[:, 1] - sums[:, 0] if len(self.classes_) == 2 else sums, dtype=np.float64)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return a probability for each class: the softmax of the vote sums in units of T.

        Training drives the sum of the true class to T and that of the others to -T, which gives a probability of 0.88
        with two classes. These values rank graphs correctly but need not match observed frequencies; use
        :meth:`calibrate` for that. The most probable class is the predicted one.

        Returns
        -------
        ndarray of float64, (graphs, classes)
            Each row sums to 1.
        """
        sums = self.class_sums(X)
        behind = sums - sums.max(axis=1, keepdims=True)  # in integers, so that equal margins have equal probabilities
        return np.asarray(softmax(behind / (self.model_.params.T * self.temperature_), axis=1))

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> GraphTMClassifier:
        """Calibrate :meth:`predict_proba` on these graphs by temperature scaling.

        Vote sums are divided by ``temperature_``, chosen to maximise the likelihood of the labels (Guo et al., 2017,
        arXiv:1706.04599). Predictions do not change. The temperature is saved with the model and reset to 1 by further
        training. Use graphs that were not in the training data, on which the model is overconfident.

        Parameters
        ----------
        X, y
            Graphs and their labels.
        sample_weight
            Weight of each graph.

        Raises
        ------
        ValueError
            If the graphs are all of one class.

        Warns
        -----
        UserWarning
            If all graphs are predicted correctly or the votes contradict the labels, so that there is no best
            temperature. It is then fitted as if one more graph were wrong, or set to the highest value.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs, y = gtm.datasets.sequences(600, noise=0.1, random_state=0)
        >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=5, random_state=0).fit(graphs[:400], y[:400])
        >>> from sklearn.metrics import log_loss
        >>> before = log_loss(y[400:], clf.predict_proba(graphs[400:]))
        >>> log_loss(y[400:], clf.calibrate(graphs[400:], y[400:]).predict_proba(graphs[400:])) < before
        True
        """
        sums = self.class_sums(X)
        numbers = class_numbers(as_labels(y, len(sums)), self.classes_)
        if not len(sums):
            raise ValueError("At least one graph is needed to calibrate; got none.")
        weights = checked_weights(sample_weight, len(sums))
        if weights is not None:
            counted = weights > 0
            sums, numbers, weights = sums[counted], numbers[counted], weights[counted]
        if len(np.unique(numbers)) < 2:
            raise ValueError(
                "The calibration graphs must be of at least two classes; all of them are of class "
                f"{self.classes_[numbers].tolist()[0]!r}. Add graphs of other classes."
            )
        margins = class_margins(sums, numbers) / self.model_.params.T
        self.temperature_ = best_temperature(margins, weights, effective_size(weights, len(sums)))
        return self

    def rules(self, class_: Any = None, top: int | None = None, simplify: bool = True) -> RuleSet:
        """Return the clauses as rules, in the names of the data.

        With ``max_misses`` above 0, rules count their literals: see :class:`~graphtm.explain.Rule`.

        Parameters
        ----------
        class_
            Class that the rules must vote for; the strongest come first. Default: all classes.
        top
            Maximum number of rules, strongest first.
        simplify
            Whether to merge equivalent clauses, drop those that are never true or never vote, and remove redundant
            literals. Class sums stay the same.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
        >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
        >>> print(clf.fit(graphs, ["summer", "winter"] * 20).rules("winter"))
        1 rule; votes for [summer, winter]
        C3: cold AND NOT hot   [-5, +5]
        """
        self._check_fitted()
        number = None
        if class_ is not None:
            number = int(class_numbers(given_classes([class_]), self.classes_, strict=False)[0])
            if number < 0:
                raise ValueError(f"The class must be one of [{shorten(self.classes_.tolist())}]; got {class_!r}.")
        return self._rules(self.classes_.tolist(), number, top, simplify, alone=False)

    def explain(self, graph: Any) -> Explanation:
        """Explain the prediction for one graph: votes, the clauses behind them, where these are true, and why.

        Graded clauses are shown where they are strongest.

        Parameters
        ----------
        graph
            A :class:`~graphtm.Graph`, such as ``graphs[3]``, or a batch of one graph, ``graphs[3:4]``, which is faster.

        Returns
        -------
        Explanation
            Use ``print``, or its methods for witnesses of clauses, scores of nodes, edges and symbols, and the smallest
            change that changes the prediction.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
        >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
        >>> ex = clf.fit(graphs, ["summer", "winter"] * 20).explain(graphs[0])
        >>> ex.votes
        {'summer': 5, 'winter': -6}
        """
        self._check_fitted()
        return self._explain(graph, self.classes_.tolist(), Explanation)
