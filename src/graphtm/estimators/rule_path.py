"""The path of scores against the number of rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.estimators.fit_inputs import evaluation_sets
from graphtm.estimators.short_models import ShortModels, check_regression
from graphtm.foundation.calling import require
from graphtm.foundation.parameters import is_integer
from graphtm.foundation.type_names import type_of
from graphtm.plots.curves import draw_curves


@dataclass(frozen=True, eq=False)
class RulePath:
    """Scores of a model with more and more rules, returned by :func:`rule_path`.

    Parameters
    ----------
    n_rules
        Number of rules at each point, ascending.
    scores
        Scores at each point, by names such as ``"accuracy"``, on the graphs that weights were fitted to, and
        ``"val_accuracy"``, on the evaluation set.
    """

    n_rules: NDArray[np.int64]
    scores: Mapping[str, NDArray[np.float64]]

    def to_frame(self) -> Any:
        """Return a ``pandas.DataFrame`` with a row per point.

        Raises
        ------
        MissingLibraryError
            If pandas is not installed.
        """
        pandas = require("pandas", "RulePath.to_frame", "frames")
        return pandas.DataFrame({"n_rules": self.n_rules, **self.scores})

    def plot(self, metric: str = "accuracy", ax: Any = None) -> Any:
        """Draw a score against the number of rules, one curve per set of graphs.

        Parameters
        ----------
        metric
            Name of the score, without ``"val_"``.
        ax
            Axes of matplotlib to draw on; ``None`` makes new ones.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError
            If there is no such score.
        MissingLibraryError
            If matplotlib is not installed.
        """
        curves = {name: values.tolist() for name, values in self.scores.items() if name.split("_", 1)[-1] == metric}
        if not curves:
            known = sorted({name.split("_", 1)[-1] for name in self.scores})
            raise ValueError(
                f"The 'metric' parameter of plot must be a str among {{{', '.join(map(repr, known))}}}. "
                f"Got {metric!r} instead."
            )
        return draw_curves(self.n_rules.tolist(), curves, x_label="number of rules", y_label=metric, ax=ax)


def rule_path(
    estimator: ShortModels,
    X: Any,
    y: Any,
    n_rules: Iterable[int] = (5, 10, 20, 50, 100, 200, 500),
    *,
    C: float = 1.0,
    sample_weight: Any = None,
    eval_set: Any = None,
) -> RulePath:
    """Score the models that :meth:`~graphtm.GraphTMClassifier.refit` would make with different numbers of rules.

    Use it to choose the number of rules. The estimator does not change.

    Parameters
    ----------
    estimator
        A fitted classifier, for one or for several labels.
    X, y, C, sample_weight
        As in ``refit``.
    n_rules
        Largest numbers of rules. The path ends where more would not be chosen.
    eval_set
        A pair ``(graphs, y)`` or a list of such pairs to score, named as in ``fit``. Use graphs that the model was not
        trained on.

    Returns
    -------
    RulePath
        Numbers of rules and scores, as arrays, as a data frame (``to_frame``) and as a picture (``plot``).

    Raises
    ------
    TypeError
        If the estimator cannot be refitted.
    ValueError
        If a parameter is out of range, or a class does not occur.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.sequences(1000, random_state=0)
    >>> clf = gtm.GraphTMClassifier(n_clauses=20, T=20, s=3.0, epochs=5, random_state=0).fit(graphs[:500], y[:500])
    >>> path = gtm.rule_path(clf, graphs[:500], y[:500], [1, 2, 5], eval_set=(graphs[500:], y[500:]))
    >>> path.n_rules
    array([1, 2, 5])
    >>> list(path.scores)
    ['accuracy', 'val_accuracy']
    """
    if not isinstance(estimator, ShortModels):
        raise TypeError(
            "The 'estimator' parameter of rule_path must be a fitted GraphTMClassifier or "
            f"GraphTMMultiLabelClassifier; got {type_of(estimator)}. Of a pipeline, pass the last step, and "
            "the graphs that the steps before it make."
        )
    limits = list(n_rules) if isinstance(n_rules, Iterable) else [n_rules]
    if not limits or not all(is_integer(limit) and limit >= 1 for limit in limits):
        raise ValueError(f"The 'n_rules' parameter of rule_path must be ints of at least 1. Got {n_rules!r} instead.")
    check_regression(None, C, "rule_path")
    batch = estimator._some_graphs(X, "rule_path")
    outputs = estimator.transform(batch)
    regression = estimator._rule_regression(batch, y, sample_weight, outputs)
    known, model = estimator._fitted_outputs(), estimator.model_
    sets = {"": (outputs, estimator._truth(y, len(batch)))}
    for number, pair in enumerate(evaluation_sets(eval_set), 1):
        graphs, truth = estimator._evaluation(*pair, model, known)
        sets[f"val{number if number > 1 else ''}_"] = estimator.transform(graphs), truth
    points: dict[int, dict[str, float]] = {}
    for limit in map(int, limits):
        weights, _ = estimator._from_regression(regression.fit(limit, float(C)))
        found: dict[str, float] = {}
        for prefix, (strengths, truth) in sets.items():
            sums = strengths.astype(np.int64) @ weights.T.astype(np.int64)
            for name, value in estimator._scores(sums, truth, known).items():
                found[f"{prefix}{name}"] = value
        points[int(np.count_nonzero(weights.any(axis=0)))] = found
    numbers = sorted(points)
    scores = {name: np.array([points[number][name] for number in numbers]) for name in points[numbers[0]]}
    return RulePath(np.array(numbers), scores)
