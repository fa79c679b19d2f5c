"""Pictures and measures of rules that vote for classes or labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.estimators.label_sets import LabelTable
from graphtm.estimators.prunable import PrunableEstimator
from graphtm.explain import RuleSet
from graphtm.plots.rules import RulesDisplay


class Pictures(PrunableEstimator):
    """Base class of classifiers whose rules can be measured and drawn."""

    classes_: NDArray[Any]

    def _output_names(self) -> list[Any]:
        names: list[Any] = self.classes_.tolist()
        return names

    @abstractmethod
    def rules(self, class_: Any = None, top: int | None = None, simplify: bool = True) -> RuleSet:
        """Return the clauses as rules."""

    def plot_rules(self, X: Any = None, y: Any = None, class_: Any = None, *, top: int = 5, ax: Any = None) -> Any:
        """Draw the rules by support and precision on these graphs.

        Each rule is a point: the more graphs it is true for, the further right; the larger the share of these that are
        of the class it votes for most, the higher. The area of a point is its vote, colour and marker are its class.

        Parameters
        ----------
        X, y
            Graphs and their labels.
        class_
            Class that the rules must vote for; precision and votes are those for it. Default: the rules of all classes.
        top
            Number of rules that are labelled with their text, those with the largest votes.
        ax
            Axes of matplotlib to draw on; ``None`` makes new ones.

        Returns
        -------
        matplotlib.axes.Axes
            Use :class:`graphtm.plots.RulesDisplay` for the numbers.

        Raises
        ------
        TypeError
            If there are no graphs or no labels.
        ValueError
            If there is no such class, or no rule is true for any of the graphs.
        MissingLibraryError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
        >>> y = ["summer", "winter"] * 20
        >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3).fit(graphs, y)
        >>> [text.get_text() for text in clf.plot_rules(graphs, y).texts]
        ['C0: hot AND NOT cold', 'C3: cold AND NOT hot']
        """
        if X is None or y is None:
            raise TypeError(
                "plot_rules needs graphs and their labels: it counts for how many graphs a rule is true, and how many "
                "of these are of its class. Write clf.plot_rules(graphs, y)."
            )
        return RulesDisplay.from_estimator(self, X, y, class_=class_, top=top, ax=ax).ax_

    def measured_rules(self, X: Any, y: Any) -> RuleSet:
        """Return the rules with their support, precision and recall on these graphs, as :meth:`RuleSet.measured` does.

        Parameters
        ----------
        X, y
            Graphs and their labels, in any form that ``fit`` takes.

        Returns
        -------
        RuleSet

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
        >>> y = ["summer", "winter"] * 20
        >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3).fit(graphs, y)
        >>> rule = clf.measured_rules(graphs, y)[0]
        >>> print(rule.conditions(), rule.measures.support, rule.measures.precision)
        hot AND NOT cold 20 (1.0, 0.0)
        """
        outputs = self.transform(X)
        truth, classes = self._truth(y, len(outputs)), self._fitted_outputs()
        if isinstance(truth, LabelTable):
            names = classes.classes
            truth = truth.numbered(names, strict=False)[:, : len(names)].toarray().astype(np.bool_)
        return self.rules().measured(outputs, truth)
