"""The multi-label classifier: any number of labels per graph."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.base import ClassifierMixin

from graphtm.engines import Targets, label_targets
from graphtm.estimators.calibration import best_temperature, checked_temperature, effective_size, label_margins
from graphtm.estimators.fit_inputs import checked_weights
from graphtm.estimators.label_sets import FORMS, Labelling, LabelTable, read_labels, write_labels
from graphtm.estimators.labels import (
    check_classes,
    check_same_kind,
    class_numbers,
    classes_from_json,
    classes_to_json,
    given_classes,
)
from graphtm.estimators.parameters import ThinningSettings
from graphtm.estimators.rule_regression import RuleWeights
from graphtm.estimators.short_models import ShortModels
from graphtm.explain import LabelExplanation, RuleSet
from graphtm.foundation.arrays import BoolArray
from graphtm.foundation.calling import warn_user
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import documented, is_integer

_SUMS_AT_ONCE = 1 << 22
"""Number of vote sums held in memory at a time where only a few are kept: 32 MiB."""
_MANY_SILENT = 0.1
"""Share of graphs without a label and with a vote sum of 0 above which ``refit`` warns."""


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class GraphTMMultiLabelClassifier(ClassifierMixin, ThinningSettings, ShortModels):  # type: ignore[misc]
    """Graph Tsetlin Machine for multi-label classification, with scikit-learn's interface.

    All labels share the clauses; each clause votes for or against every label. Present labels are always updated, and
    on average ``q`` absent labels are sampled per present one, so that training scales to thousands of labels.

    Labels (``y``) are an indicator matrix with a row per graph and a column per label, dense (an array or a data frame)
    or sparse; or a list with a set of labels for each graph. :meth:`predict` returns the same form.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    classes_
        Labels: sorted names, or the columns of the indicator matrix.
    history_
        One record per epoch.
    seed_, engine_, state_
        Seed, name of the engine, and learned state.
    temperature_
        Temperature set by :meth:`calibrate` or :meth:`refit`; 1 before.

    Examples
    --------
    >>> import graphtm as gtm
    >>> symbols = ["fur", "wings", "eggs"]
    >>> has = [[1, 0, 0], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 20
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 80, has, symbols)
    >>> labels = [{"mammal"}, {"bird", "flies"}, {"mammal"}, {"mammal", "flies"}] * 20
    >>> clf = gtm.GraphTMMultiLabelClassifier(n_clauses=20, T=10, s=3.0, depth=1, epochs=10, random_state=0)
    >>> clf.fit(graphs, labels).predict(graphs[:4]) == labels[:4]
    True
    >>> clf.rank(graphs[:2], 1).tolist()
    [['mammal'], ['bird']]
    """

    _metrics = ("f1", "accuracy")
    _task = "multilabel"
    _noun = "label"
    _former_parameters = ("class_weight",)

    def partial_fit(
        self, X: Any, y: Any, classes: ArrayLike | None = None, sample_weight: Any = None
    ) -> GraphTMMultiLabelClassifier:
        """Train for one more epoch on the given graphs.

        Parameters
        ----------
        X, y
            Graphs and their labels. They need not contain every label.
        classes
            All labels, or the names of the columns. Needed only in the first call, and only if ``y`` does not contain
            all of them.
        sample_weight
            Weight of each graph.
        """
        self._check()
        batch = self._batch(X)
        labels = self._truth(y, len(batch))
        given = None if classes is None else Labelling(given_classes(classes), labels.form)
        if given is not None and hasattr(self, "model_"):
            check_classes(given.classes, self.classes_)
        self._fit_epoch(batch, labels, given, sample_weight)
        return self

    # What GraphTMEstimator requires

    def _truth(self, y: Any, n: int) -> LabelTable:
        return y if isinstance(y, LabelTable) else read_labels(y, n)  # held-out graphs have been read before

    def _outputs_of(self, truth: LabelTable) -> Labelling:
        return truth.labelling()

    def _fitted_outputs(self) -> Labelling:
        return Labelling(self.classes_, self._form)

    def _adopt(self, outputs: Labelling) -> None:
        self.classes_, self._form, self.temperature_ = outputs.classes, outputs.form, 1.0

    def _targets(self, truth: LabelTable, outputs: Labelling, weights: NDArray[np.float64] | None, T: int) -> Targets:
        return label_targets(truth.numbered(outputs.classes), T, self.q, weights)

    def _scores(self, sums: NDArray[np.int64], truth: LabelTable, outputs: Labelling) -> dict[str, float]:
        wanted = truth.numbered(outputs.classes, strict=False)
        common, predicted, true = _agreement(sparse.csr_array(sums >= 0), wanted)
        return {
            "f1": 2.0 * int(common.sum()) / max(1, int(predicted.sum() + true.sum())),
            "accuracy": float(np.mean((common == predicted) & (common == true))),
        }

    def _truth_numbers(self, truth: LabelTable, outputs: Labelling) -> list[NDArray[Any]]:
        matrix = truth.numbered(outputs.classes, strict=False)
        return [matrix.indptr, matrix.indices]

    def _check_kind(self, truth: LabelTable, outputs: Labelling, what: str) -> None:
        if truth.names is not None:
            check_same_kind(truth.names, outputs.classes, what)

    def _regression_truth(
        self, y: Any, weights: NDArray[np.float64] | None, n: int
    ) -> tuple[BoolArray, NDArray[np.float64] | None]:
        truth = self._truth(y, n).numbered(self.classes_).toarray().astype(np.bool_)
        absent = ~truth[slice(None) if weights is None else weights > 0].any(axis=0)
        if absent.any():
            raise ValueError(
                "Each label must be present in at least one of the graphs; none has "
                f"{shorten(self.classes_[absent].tolist())}."
            )
        return truth, weights

    def _from_regression(self, found: RuleWeights) -> tuple[NDArray[np.int32], float]:
        return found.weights, 2 * found.scale / self.model_.params.T

    def _warn_of_silence(self, found: RuleWeights) -> None:
        if len(found.without):
            warn_user(
                f"No rule votes for or against {shorten(self.classes_[found.without].tolist())}: the vote sum is 0 for "
                "every graph, which counts as present, so that every graph is predicted to have such a label. Increase "
                "n_rules or C.",
                UserWarning,
            )
        often = np.setdiff1d(np.flatnonzero(found.silent > _MANY_SILENT), found.without)
        if len(often):
            warn_user(
                f"No rule votes for or against {shorten(self.classes_[often].tolist())} in many graphs: the vote sum "
                f"is 0, which counts as present, so that more than {_MANY_SILENT:.0%} of the graphs are wrongly "
                "predicted to have such a label. Increase n_rules or C.",
                UserWarning,
            )

    def _extra(self) -> dict[str, Any]:
        return {"classes": classes_to_json(self.classes_), "form": self._form, "temperature": self.temperature_}

    def _restore_extra(self, extra: dict[str, Any]) -> None:
        self.classes_, self._form = classes_from_json(extra["classes"]), extra["form"]
        if len(self.classes_) != self.model_.params.n_outputs:
            raise ValueError("there must be one label per output")
        if self._form not in FORMS:
            raise ValueError(f"labels of the form {self._form!r}")
        # Files of the first versions have none.
        self.temperature_ = checked_temperature(extra.get("temperature", 1.0))

    def predict(self, X: Any) -> Any:
        """Return the labels with a vote sum of at least 0, in the form that was passed to ``fit``.

        Returns
        -------
        ndarray, csr_array or list of set
            An indicator matrix (graphs, labels), dense or sparse, or a set of labels per graph.
        """
        return write_labels(self._predicted(X), self._fitted_outputs())

    def rank(self, X: Any, n: int = 10, *, return_sums: bool = False) -> Any:
        """Return the ``n`` labels with the largest vote sums, in descending order; ties go to the first label.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.
        n
            Number of labels per graph.
        return_sums
            Whether to return the vote sums as well.

        Returns
        -------
        labels : ndarray, (graphs, n)
        sums : ndarray of int64, (graphs, n)
            Only if ``return_sums`` is True.
        """
        self._check_fitted()
        n_labels = len(self.classes_)
        if not is_integer(n) or not 1 <= n <= n_labels:
            raise ValueError(
                f"The 'n' parameter of rank must be an int in the range [1, {n_labels}], the number of labels. "
                f"Got {n!r} instead."
            )
        best, sums = [np.zeros((0, n), np.int64)], [np.zeros((0, n), np.int64)]
        for part in self._sums_by_parts(X):
            columns = largest(part, int(n))
            best.append(columns)
            sums.append(np.take_along_axis(part, columns, axis=1))
        labels = self.classes_[np.concatenate(best)]
        return (labels, np.concatenate(sums)) if return_sums else labels

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the subset accuracy: the fraction of graphs whose set of labels is predicted exactly.

        With many labels, metrics such as ``sklearn.metrics.f1_score`` are more informative.

        Parameters
        ----------
        X, y
            Graphs and their true labels, in any form that ``fit`` accepts.
        sample_weight
            Weight of each graph.
        """
        answers = self._predicted(X)
        truth = self._truth(y, answers.shape[0])
        self._check_kind(truth, self._fitted_outputs(), "y")
        wanted = truth.numbered(self.classes_, strict=False)
        common, predicted, true = _agreement(answers, wanted)
        right = (common == predicted) & (common == true)
        return float(np.average(right, weights=checked_weights(sample_weight, len(right))))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the vote sums as floats, above 0 for predicted labels, as scikit-learn expects.

        Returns
        -------
        ndarray of float64, (graphs, labels)
            :meth:`class_sums` plus 0.5, since a label with a sum of 0 is predicted.
        """
        return self.class_sums(X) + np.float64(0.5)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return a probability for each label: the logistic function of its vote sum.

        The output of :meth:`decision_function` is divided by T / 2, so that a sum of T gives a probability of 0.88, and
        predicted labels are above 0.5. These values rank graphs correctly but need not match observed frequencies; use
        :meth:`calibrate` for that.

        Returns
        -------
        ndarray of float64, (graphs, labels)
        """
        sums = self.decision_function(X)
        return np.asarray(expit(2.0 * sums / (self.model_.params.T * self.temperature_)))

    def calibrate(self, X: Any, y: Any, sample_weight: Any = None) -> GraphTMMultiLabelClassifier:
        """Calibrate :meth:`predict_proba` on these graphs by temperature scaling.

        Vote sums are divided by ``temperature_``, the same for all labels, chosen to maximise the likelihood of the
        labels. Predictions do not change. The temperature is saved with the model and reset to 1 by further training.
        Use graphs that were not in the training data, on which the model is overconfident.

        Parameters
        ----------
        X, y
            Graphs and their labels, in any form that ``fit`` accepts.
        sample_weight
            Weight of each graph.

        Raises
        ------
        ValueError
            If a label is unknown, no graph has a label, or every graph has all labels.

        Warns
        -----
        UserWarning
            If all labels are predicted correctly or the votes contradict the labels, so that there is no best
            temperature. It is then fitted as if one more label were wrong, or set to the highest value.
        """
        self._check_fitted()
        batch = self._known(X, self.model_.vocabulary)
        truth = self._truth(y, len(batch)).numbered(self.classes_)
        if not len(batch):
            raise ValueError("At least one graph is needed to calibrate; got none.")
        weights = checked_weights(sample_weight, len(batch))
        if weights is not None:
            counted = weights > 0
            batch, truth, weights = batch[counted], truth[counted], weights[counted]
        if truth.nnz in (0, len(batch) * len(self.classes_)):
            raise ValueError(
                "The calibration graphs must have some of the labels and lack others; they have "
                f"{'all' if truth.nnz else 'none'} of them. Add graphs with other labels."
            )
        per_graph = np.ones(len(batch)) if weights is None else weights
        margins, counts = label_margins(self._sums_by_parts(batch), truth, per_graph)
        n = effective_size(weights, len(batch)) * len(self.classes_)
        self.temperature_ = best_temperature(-margins[:, None] / self.model_.params.T, counts, n)
        return self

    def rules(self, class_: Any = None, top: int | None = None, simplify: bool = True) -> RuleSet:
        """Return the clauses as rules, in the names of the data.

        With ``max_misses`` above 0, rules count their literals: see :class:`~graphtm.explain.Rule`.

        Parameters
        ----------
        class_
            Label that the rules must vote for; the strongest come first, and only votes for it are shown. Default: all.
        top
            Maximum number of rules, strongest first.
        simplify
            Whether to merge equivalent clauses, drop those that are never true or never vote, and remove redundant
            literals. Class sums stay the same.
        """
        self._check_fitted()
        number = None
        if class_ is not None:
            number = int(class_numbers(given_classes([class_]), self.classes_, strict=False)[0])
            if number < 0:
                raise ValueError(f"The label must be one of [{shorten(self.classes_.tolist())}]; got {class_!r}.")
        return self._rules(self.classes_.tolist(), number, top, simplify, alone=True)

    def explain(self, graph: Any) -> LabelExplanation:
        """Explain the prediction for one graph: votes, the clauses behind them, where these are true, and why.

        Graded clauses are shown where they are strongest.

        Parameters
        ----------
        graph
            A :class:`~graphtm.Graph`, such as ``graphs[3]``, or a batch of one graph, ``graphs[3:4]``, which is faster.

        Returns
        -------
        LabelExplanation
            Use ``print``, or its methods for witnesses of clauses, scores of nodes, edges and symbols, and the smallest
            change that adds or removes a label.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [1, 1]] * 20, symbols=["fur", "wings"])
        >>> clf = gtm.GraphTMMultiLabelClassifier(n_clauses=6, T=5, s=3.0, depth=1, epochs=10, random_state=3)
        >>> ex = clf.fit(graphs, [{"mammal"}, {"mammal", "flies"}] * 20).explain(graphs[0])
        >>> ex.prediction
        ('mammal',)
        """
        self._check_fitted()
        return self._explain(graph, self.classes_.tolist(), LabelExplanation)

    def _sums_by_parts(self, X: Any) -> Iterator[NDArray[np.int64]]:
        """Yield vote sums of a few graphs at a time, all of which might not fit into memory."""
        self._check_fitted()
        batch = self._known(X, self.model_.vocabulary)
        step = max(1, _SUMS_AT_ONCE // len(self.classes_))
        for start in range(0, len(batch), step):
            yield self.class_sums(batch[start : start + step])

    def _predicted(self, X: Any) -> sparse.csr_array:
        parts = [sparse.csr_array(sums >= 0) for sums in self._sums_by_parts(X)]
        empty = sparse.csr_array((0, len(self.classes_)), dtype=np.bool_)
        return sparse.csr_array(sparse.vstack([empty, *parts], format="csr", dtype=np.bool_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.multi_label = True
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags


def _agreement(
    predicted: sparse.csr_array, truth: sparse.csr_array
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return, per graph, the numbers of labels that are predicted and true, predicted, and true."""
    predicted.resize(truth.shape)  # one more column, for labels that cannot be predicted
    common = sparse.csr_array(predicted.multiply(truth))
    return np.diff(common.indptr), np.diff(predicted.indptr), np.diff(truth.indptr)


def largest(sums: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Return the columns of the ``n`` largest numbers of each row, in descending order; ties go to the first column.

    Rows are only partially sorted.

    Examples
    --------
    >>> largest(np.array([[3, 9, 9, 1], [0, 0, 0, 0]]), 3)
    array([[1, 2, 0],
           [0, 1, 2]])
    """
    place = sums.shape[1] - n
    least = np.partition(sums, place, axis=1)[:, place : place + 1]
    above, ties = sums > least, sums == least
    room = n - np.count_nonzero(above, axis=1, keepdims=True)
    chosen = above | (ties & (np.cumsum(ties, axis=1) <= room))
    columns = np.nonzero(chosen)[1].reshape(-1, n)
    order = np.argsort(-np.take_along_axis(sums, columns, axis=1), axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1)
