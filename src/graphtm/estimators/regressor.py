"""The regressor: numbers per graph."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import mean_absolute_error

from graphtm.engines import Targets, value_targets
from graphtm.estimators.fit_inputs import checked_weights
from graphtm.estimators.linear_rules import LinearRules
from graphtm.estimators.prunable import PrunableEstimator
from graphtm.estimators.regression_settings import RegressionSettings
from graphtm.estimators.regression_targets import (
    RegressionOutputs,
    TargetTable,
    r_squared,
    read_targets,
    target_names,
)
from graphtm.explain import RegressionExplanation, RuleSet
from graphtm.export import Program
from graphtm.foundation.calling import warn_user
from graphtm.foundation.display import count
from graphtm.foundation.names import name_key, normalize_name, shorten
from graphtm.foundation.parameters import check_at_least, documented
from graphtm.learning import Callback
from graphtm.model import VoteScale

_MOST_WEIGHT = 2**31 - 1


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class GraphTMRegressor(RegressorMixin, RegressionSettings, PrunableEstimator):  # type: ignore[misc]
    """Graph Tsetlin Machine for regression, with scikit-learn's interface.

    Clauses vote for a larger or a smaller number, and the vote sum is the prediction: a sum of ``-T`` is the smallest
    target of the training data, ``T`` the largest. Rules and explanations say what each clause adds, in the units of
    the targets. Several targets per graph share the clauses.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    target_names_
        Names of the targets: of the columns of a data frame, else ``"y"``, or ``"y0"``, ``"y1"``, ...
    target_range_
        Smallest and largest prediction, a row per target.
    intercept_
        Prediction for a vote sum of 0, per target.
    vote_values_
        What one vote adds to a prediction, per target.
    history_
        One record per epoch: its number, seconds, scores (``"r2"`` and ``"mae"``) and statistics of the clauses.
    epoch_
        Number of complete epochs.
    seed_, engine_, state_
        Seed, name of the engine, and learned state.

    Examples
    --------
    How often is there an A right after a B? Clauses see a word with numbered places.

    >>> import graphtm as gtm
    >>> import numpy as np
    >>> def word(text):
    ...     graph = gtm.Graph()
    ...     for place, letter in enumerate(text):
    ...         graph.add_node(place, properties=[letter, ("place", place)])
    ...     for place in range(1, len(text)):
    ...         graph.add_edge(place - 1, place, type="right")
    ...     return graph
    >>> words = ["".join(letters) for letters in np.random.default_rng(0).choice(["A", "B"], (400, 5))]
    >>> graphs = gtm.GraphBatch.from_graphs(map(word, words))
    >>> y = [text.count("BA") for text in words]
    >>> machine = gtm.GraphTMRegressor(n_clauses=100, random_state=0).fit(graphs[:300], y[:300])
    >>> machine.score(graphs[300:], y[300:]) > 0.9
    True
    >>> machine.predict([word("AAAAB"), word("BABAA")]).round(1)
    array([0. , 1.9])
    """

    _metrics = ("r2", "mae")
    _task = "regression"
    _noun = "target"

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        callbacks: Iterable[Callback] | None = None,
        resume_from: str | os.PathLike[str] | None = None,
    ) -> GraphTMRegressor:
        """Fit the model to graphs and their targets, from scratch unless ``warm_start`` or ``resume_from`` is set.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.
        y
            Targets: one finite number per graph, or a row of numbers per graph (an array or a data frame).
        sample_weight
            Weight of each graph: 0 ignores it, 2 makes feedback twice as likely.
        eval_set
            A pair ``(graphs, y)`` or a list of such pairs, scored at the end of each epoch. The scores are in
            ``history_`` as ``"val_r2"``, ``"val_mae"``, ``"val2_r2"`` and so on. With several targets they are means.
        callbacks
            List of callbacks, such as :class:`~graphtm.EarlyStopping`, :class:`~graphtm.Checkpoint` or your own.
        resume_from
            File written by :class:`~graphtm.Checkpoint`, as for :meth:`GraphTMClassifier.fit`.

        Raises
        ------
        ValueError
            If a parameter is out of range, the targets do not match the graphs, or the checkpoint is from another fit.
        GraphTMError
            If the graphs cannot be learned from. The estimator stays unchanged.

        Warns
        -----
        UserWarning
            If targets are outside ``target_range``, or outside the range of the first fit when training goes on.
        """
        super().fit(X, y, sample_weight, eval_set=eval_set, callbacks=callbacks, resume_from=resume_from)
        return self

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> GraphTMRegressor:
        """Train for one more epoch on the given graphs.

        The first call fixes the number of targets, and their range unless ``target_range`` does.

        Parameters
        ----------
        X, y
            Graphs and their targets.
        sample_weight
            Weight of each graph.

        Raises
        ------
        ValueError
            If there are more or fewer targets than in the first call, or ``target_range`` was changed.

        Warns
        -----
        UserWarning
            If targets are outside the range; they are learned as its nearest end.
        """
        self._check()
        self._fit_epoch(X, y, None, sample_weight)
        return self

    # What was learned about targets

    @property
    def target_names_(self) -> list[Any]:
        """Names of the targets."""
        return self._output_names()

    @property
    def target_range_(self) -> NDArray[np.float64]:
        """Smallest and largest prediction, ``(targets, 2)``."""
        scale = self._scale
        return np.stack([scale.lows, scale.highs], axis=1)

    @property
    def intercept_(self) -> NDArray[np.float64]:
        """Prediction for a vote sum of 0, per target."""
        return self._scale.intercepts

    @property
    def vote_values_(self) -> NDArray[np.float64]:
        """What one vote adds to a prediction, per target."""
        return self._scale.values

    @property
    def _scale(self) -> VoteScale:
        self._check_fitted()
        return self._outputs.scale

    def _output_names(self) -> list[Any]:
        self._check_fitted()
        return list(self._outputs.names)

    # What GraphTMEstimator requires

    def _truth(self, y: Any, n: int) -> TargetTable:
        return y if isinstance(y, TargetTable) else read_targets(y, n)

    def _outputs_of(self, truth: TargetTable) -> RegressionOutputs:
        T = self.settings_for(truth.shape[1], truth.shape[0])["T"]
        ranges = truth.ranges() if self.target_range is None else self._given_ranges(truth.shape[1])
        scale = VoteScale.of_range(ranges, T)
        unresolved = (scale.values < np.finfo(np.float64).tiny) & (scale.lows < scale.highs)
        if unresolved.any():
            low, high = ranges[unresolved][0].tolist()
            raise ValueError(
                f"Targets must differ by more than floats can divide into {2 * T:,} votes; got {low} to {high}. Scale "
                "them first."
            )
        return RegressionOutputs(target_names(truth), truth.is_vector, scale)

    def _given_ranges(self, n_targets: int) -> NDArray[np.float64]:
        given = np.asarray(self.target_range, dtype=np.float64)
        if given.ndim == 2 and len(given) != n_targets:
            several = f", or a pair for each of {n_targets:,} targets" if n_targets > 1 else ""
            raise ValueError(
                f"The 'target_range' parameter of {type(self).__name__} must be one pair{several}. Got "
                f"{count(len(given), 'pair')} instead."
            )
        return np.broadcast_to(given, (n_targets, 2))

    def _check_same_range(self, scale: VoteScale) -> None:
        """Refuse to go on with another range, which would be ignored."""
        learned = np.stack([scale.lows, scale.highs], axis=1)
        if self.target_range is not None and not np.array_equal(self._given_ranges(len(learned)), learned):
            raise ValueError(
                f"The 'target_range' parameter of {type(self).__name__} must stay {learned.tolist()}, since the model "
                f"was trained with it. Got {self.target_range!r} instead. {self._from_scratch}"
            )

    def _fitted_outputs(self) -> RegressionOutputs:
        return self._outputs

    def _adopt(self, outputs: RegressionOutputs) -> None:
        self._outputs = outputs

    def _targets(
        self, truth: TargetTable, outputs: RegressionOutputs, weights: NDArray[np.float64] | None, T: int
    ) -> Targets:
        self._check_kind(truth, outputs, "y")
        self._check_same_range(outputs.scale)
        return value_targets(outputs.scale.votes(_limited(truth.values, outputs.scale), T), T, weights)

    def _scores(self, sums: NDArray[np.int64], truth: TargetTable, outputs: RegressionOutputs) -> dict[str, float]:
        predicted = outputs.scale.predicted(sums)
        return {
            "r2": r_squared(truth.values, predicted) if len(predicted) > 1 else float("nan"),
            "mae": float(mean_absolute_error(truth.values, predicted)),
        }

    def _truth_numbers(self, truth: TargetTable, outputs: RegressionOutputs) -> list[NDArray[Any]]:  # noqa: ARG002
        return [truth.values]

    def _check_kind(self, truth: TargetTable, outputs: RegressionOutputs, what: str) -> None:
        if truth.shape[1] != len(outputs):
            raise ValueError(
                f"{what} must hold {count(len(outputs), 'target')} for each graph, as in the first fit; got "
                f"{truth.shape[1]}."
            )
        unnamed = target_names(replace(truth, names=None))
        if not truth.is_vector and truth.names not in (None, outputs.names) and outputs.names != unnamed:
            raise ValueError(
                f"{what} must have the columns of the first fit, in the same order: {shorten(outputs.names)}; got "
                f"{shorten(truth.names)}."
            )

    def _extra(self) -> dict[str, Any]:
        return self._outputs.to_json()

    def _restore_extra(self, extra: dict[str, Any]) -> None:
        self._outputs = RegressionOutputs.from_json(extra)
        if len(self._outputs) != self.model_.params.n_outputs:
            raise ValueError("there must be one target per output")

    # Predictions

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Return the predictions, in the units of the targets: ``intercept_ + vote_values_ * class_sums(X)``.

        They stay within ``target_range_``.

        Returns
        -------
        ndarray of float64
            ``(graphs,)``, or ``(graphs, targets)`` if ``fit`` was given rows of targets.
        """
        sums = self.class_sums(X)
        values = self._outputs.scale.predicted(sums)
        return values[:, 0] if self._outputs.is_vector else values

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return R2, the share of the variance of the targets that is predicted: at most 1, and 0 for their mean.

        With several targets, it is the mean over these.

        Parameters
        ----------
        X, y
            Graphs and their targets.
        sample_weight
            Weight of each graph.

        Raises
        ------
        ValueError
            If there are no graphs, or the targets do not match them.
        """
        sums = self.class_sums(X)
        if not len(sums):
            raise ValueError("At least one graph is needed for a score; got none.")
        truth = self._truth(y, len(sums))
        self._check_kind(truth, self._outputs, "y")
        predicted = self._outputs.scale.predicted(sums)
        return r_squared(truth.values, predicted, checked_weights(sample_weight, len(sums)))

    # Short models

    def refit(self, X: Any, y: Any, n_rules: int | None = None, sample_weight: Any = None) -> GraphTMRegressor:
        """Choose rules and set their weights by a linear regression on the clause outputs.

        Training moves weights by one at a time and leaves votes with every clause. Here, a regression with an L1
        penalty chooses clauses, the same for all targets, and least squares give them weights, which are rounded to
        whole votes. ``intercept_`` becomes the intercept of the regression. The clauses themselves do not change. Call
        :meth:`prune` afterwards to remove those without votes.

        ``partial_fit`` continues with all clauses: those with a weight of 0 vote again after their first update.
        Targets that are further from the new ``intercept_`` than half of the range are then learned as if they were
        there.

        Parameters
        ----------
        X, y
            Graphs and their targets, such as those of the training.
        n_rules
            Largest number of clauses with a vote; ``None`` finds it by cross-validation.
        sample_weight
            Weight of each graph.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If ``n_rules`` is out of range, the targets do not match the graphs, or no rule is left. On any error the
            model stays unchanged.

        Warns
        -----
        UserWarning
            If targets are outside ``target_range_``; they count as its nearest end.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 80, [[1, 0], [1, 1], [0, 1], [0, 0]] * 20, ["sun", "rain"])
        >>> machine = gtm.GraphTMRegressor(n_clauses=20, depth=1, random_state=0).fit(graphs, [25, 18, 10, 15] * 20)
        >>> print(machine.refit(graphs, [25, 18, 10, 15] * 20, n_rules=2).rules())
        2 rules; each adds to [y], which starts at [12.51]
        C0 (and 10 equal): sun AND NOT rain   [+6.96]
        C8: sun   [+5.48]
        """
        check_at_least("n_rules", "refit", n_rules, 1)
        batch = self._some_graphs(X, "refit")
        truth = self._truth(y, len(batch))
        self._check_kind(truth, self._outputs, "y")
        weights = checked_weights(sample_weight, len(batch))
        scale = self._outputs.scale
        found = LinearRules(self.transform(batch), _limited(truth.values, scale), weights).fit(n_rules)
        steps = np.where(scale.values > 0, scale.values, np.inf)[:, None]
        votes = np.clip(np.rint(found.coefficients / steps), -_MOST_WEIGHT, _MOST_WEIGHT).astype(np.int32)
        self._replace_machine(self.model_.params, replace(self.model_.state, weights=votes))
        self._outputs = replace(self._outputs, scale=replace(scale, intercepts=found.intercepts))
        return self

    # Rules and explanations

    def rules(self, output: Any = None, top: int | None = None, simplify: bool = True) -> RuleSet:
        """Return the clauses as rules, with what each adds to a prediction, in the units of the targets.

        With ``max_misses`` above 0, rules count their literals: see :class:`~graphtm.explain.Rule`.

        Parameters
        ----------
        output
            Name of a target: the rules that change it most come first, and only what they add to it is shown. Default:
            all targets.
        top
            Maximum number of rules, strongest first.
        simplify
            Whether to merge equivalent clauses, drop those that are never true or never vote, and remove redundant
            literals. Predictions stay the same.

        Raises
        ------
        ValueError
            If there is no such target.
        """
        number = None if output is None else self._target_number(output)
        return self._rules(self._output_names(), number, top, simplify, alone=True, scale=self._outputs.scale)

    def _target_number(self, output: Any) -> int:
        names = [name_key(name) for name in self._output_names()]
        key = name_key(normalize_name(output))
        if key not in names:
            raise ValueError(f"The target must be one of [{shorten(self._output_names())}]; got {output!r}.")
        return names.index(key)

    def explain(self, graph: Any) -> RegressionExplanation:
        """Explain the prediction for one graph: what the clauses add, where they are true, and why.

        Graded clauses are shown where they are strongest.

        Parameters
        ----------
        graph
            A :class:`~graphtm.Graph`, such as ``graphs[3]``, or a batch of one graph, ``graphs[3:4]``, which is faster.

        Returns
        -------
        RegressionExplanation
            Use ``print``, or its methods for witnesses of clauses, scores of nodes, edges and symbols, and the smallest
            change that reaches another number.
        """
        names = self._output_names()
        return self._explain(graph, names, partial(RegressionExplanation, scale=self._outputs.scale))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

    def _program(self) -> Program:
        return replace(super()._program(), scale=self._outputs.scale, is_vector=self._outputs.is_vector)


def _limited(values: NDArray[np.float64], scale: VoteScale) -> NDArray[np.float64]:
    """Return targets within the range that is learned, and warn if some were not."""
    outside = (values < scale.lows) | (values > scale.highs)
    if outside.any():
        row, column = np.argwhere(outside)[0].tolist()
        low, high = scale.lows[column], scale.highs[column]
        warn_user(
            f"{int(outside.any(axis=1).sum()):,} of {len(values):,} graphs have targets outside the range that is "
            f"learned, such as {values[row, column]:g}, which is not within {low:g} to {high:g}. They are learned as "
            "the nearest end. Set target_range before the first fit to include them.",
            UserWarning,
        )
    return np.clip(values, scale.lows, scale.highs)
