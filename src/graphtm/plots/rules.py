"""Rules by support and precision: which are general, which are sharp, and which class they vote for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.names import Name
from graphtm.foundation.parameters import check_at_least
from graphtm.plots.display import (
    FONT,
    GRID,
    axes_for,
    checked_array,
    fitted_parts,
    legend_text,
    looks,
    plain,
    side_labels,
    titled,
)
from graphtm.plots.drawing import text_width

MOST_CLASSES = 12
"""Maximum number of classes in the legend."""
_SMALLEST, _LARGEST = 14.0, 130.0
"""Areas of points in square points."""
_WIDE = 20
"""Ratio of the largest to the smallest support from which on the axis is logarithmic."""
_MOST_LITERALS, _MOST_LETTERS = 4, 30
"""Maximum numbers of literals of a label, and of letters of a name in it."""
_MUST = "one finite number per rule"


def draw_rules(
    support: ArrayLike,
    precision: ArrayLike,
    weights: ArrayLike | None = None,
    classes: Sequence[Name] | None = None,
    texts: Sequence[str] | None = None,
    *,
    top: int = 5,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw rules as points: the more graphs a rule is true for, the further right; the more precise, the higher.

    Parameters
    ----------
    support
        Number of graphs for which each rule is true.
    precision
        Share of these graphs that are of the class of the rule, from 0 to 1.
    weights
        Vote of each rule. The area of a point is proportional to its absolute value.
    classes
        Class of each rule, shown by colour and marker, with a legend.
    texts
        Text of each rule. The ``top`` rules with the largest absolute votes are labelled with it, to the right of the
        axes.
    top
        Maximum number of labelled rules.
    title
        Text above the points.
    ax
        Axes of matplotlib to draw on; ``None`` makes new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the lists have different lengths, or a number is out of range.
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_rules
    >>> ax = draw_rules([40, 10], [0.9, 1.0], [12, -3], ["spam", "ham"], ["C0: free", "C1: NOT free"], top=1)
    >>> [text.get_text() for text in ax.texts], [text.get_text() for text in ax.get_legend().get_texts()]
    (['C0: free'], ['spam', 'ham'])
    """
    check_at_least("top", "draw_rules", top, 0, optional=False)
    right = checked_array(support, "support", "draw_rules", 1, _MUST)
    n = len(right)
    up = checked_array(precision, "precision", "draw_rules", 1, _MUST)
    votes = np.ones(n) if weights is None else checked_array(weights, "weights", "draw_rules", 1, _MUST)
    lists = {"precision": up, "weights": votes, "classes": classes, "texts": texts}
    for name, values in lists.items():
        if values is not None and len(values) != n:
            raise ValueError(
                f"The {name!r} parameter of draw_rules must have one entry per rule, {n:,} in total. Got "
                f"{len(values):,} instead."
            )
    if (up < 0).any() or (up > 1).any() or (right <= 0).any():
        raise ValueError(
            "The parameters 'support' and 'precision' of draw_rules must be numbers above 0, and shares from 0 to 1. "
            f"Got support from {right.min():g}, and precision from {up.min():g} to {up.max():g}. Leave out rules "
            "that are never true."
        )
    n_texts = 0 if texts is None else min(top, n)
    ax = axes_for(ax, "draw_rules", (8.0, max(4.2, 1.2 + 0.2 * n_texts)))
    ax.grid(**GRID)
    ax.set_axisbelow(True)
    names: list[Name] = [""] if classes is None else list(dict.fromkeys(classes))
    numbers = np.zeros(n, np.int64) if classes is None else np.array([names.index(name) for name in classes], np.int64)
    sizes = _areas(np.abs(votes))
    for number in range(len(names)):
        of = np.flatnonzero(numbers == number)
        # Large points first, so that they do not cover small ones.
        of = of[np.argsort(-sizes[of], kind="stable")]
        ax.scatter(
            right[of], up[of], s=sizes[of], alpha=0.75, edgecolors="white", linewidths=0.5,
            label=legend_text(names[number]), **looks(number),
        )  # fmt: skip
    if n and right.max() >= _WIDE * right.min():
        ax.set_xscale("log")
    ax.margins(0.06)
    ax.set_xlabel("support: graphs for which the rule is true", fontsize=FONT + 1)
    ax.set_ylabel("precision: share of its class", fontsize=FONT + 1)
    ax.tick_params(labelsize=FONT)
    ax.spines[["top", "right"]].set_visible(False)
    titled(ax, title)
    if classes is not None and n:
        _legend(ax, larger=weights is not None)
    if texts is not None:
        chosen = np.argsort(-np.abs(votes), kind="stable")[:top].tolist()
        side_labels(
            ax,
            np.column_stack([right, up])[chosen],
            [texts[rule] for rule in chosen],
            [looks(int(numbers[rule]))["color"] for rule in chosen],
        )
    return ax


class RulesDisplay:
    """Rules of a machine by support and precision.

    Parameters
    ----------
    support, precision, weights, classes, texts
        As for :func:`draw_rules`.

    Attributes
    ----------
    figure_, ax_
        Figure and axes, once it is drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import graphtm as gtm
    >>> from graphtm.plots import RulesDisplay
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    >>> y = ["summer", "winter"] * 20
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3).fit(graphs, y)
    >>> display = RulesDisplay.from_estimator(clf, graphs, y)
    >>> display.support, display.precision, display.texts
    (array([20, 20]), array([1., 1.]), ['C0: hot AND NOT cold', 'C3: cold AND NOT hot'])
    """

    def __init__(
        self,
        support: ArrayLike,
        precision: ArrayLike,
        weights: ArrayLike | None = None,
        classes: Sequence[Name] | None = None,
        texts: Sequence[str] | None = None,
    ) -> None:
        self.support = np.asarray(support)
        self.precision = np.asarray(precision, dtype=np.float64)
        self.weights = None if weights is None else np.asarray(weights)
        self.classes = None if classes is None else list(classes)
        self.texts = None if texts is None else list(texts)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, class_: Any = None, top: int = 5, ax: Any = None
    ) -> RulesDisplay:
        """Draw the rules of a fitted estimator, or of a pipeline that ends with one, measured on these graphs.

        Parameters
        ----------
        estimator
            The estimator.
        X, y
            Graphs, or what the pipeline takes, and their labels.
        class_
            Class that the rules must vote for; precision and votes are those for it. Default: each rule is shown with
            the class it votes for most.
        top, ax
            As for :func:`draw_rules`.

        Raises
        ------
        TypeError
            If it is not an estimator of this package, or a pipeline that ends with one.
        ValueError
            If there is no such class, or no rule is true for any of the graphs.
        """
        before, machine = fitted_parts(estimator, "RulesDisplay")
        for step in before:
            X = step.transform(X)
        rules = machine.measured_rules(X, y)
        rules = rules if class_ is None else rules.filter(class_)
        names = {output: place for place, output in enumerate(rules.outputs)}
        found = [(names[rule.class_ if class_ is None else class_], rule) for rule in rules if rule.measures.support]
        if not found:
            raise ValueError("At least one rule must be true for one of the graphs to be drawn; none is.")
        found.sort(key=lambda pair: pair[0])  # so that classes have the order of the outputs
        return cls(
            [rule.measures.support for _, rule in found],
            [rule.measures.precision[place] for place, rule in found],
            [rule.weights[place] for place, rule in found],
            [rules.outputs[place] for place, _ in found],
            [f"C{rule.clause}: {rule.conditions(_MOST_LITERALS, _MOST_LETTERS)}" for _, rule in found],
        ).plot(ax, top=top)

    def plot(self, ax: Any = None, *, top: int = 5) -> RulesDisplay:
        """Draw the rules; see :func:`draw_rules`."""
        self.ax_ = draw_rules(self.support, self.precision, self.weights, self.classes, self.texts, top=top, ax=ax)
        self.figure_ = self.ax_.figure
        return self


def _areas(votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return areas of points, proportional to votes."""
    return _SMALLEST + (_LARGEST - _SMALLEST) * votes / (votes.max(initial=0.0) or 1.0)


def _legend(ax: Any, *, larger: bool) -> None:
    """Add a legend of the classes above the axes."""
    handles, labels = ax.get_legend_handles_labels()
    if len(labels) > MOST_CLASSES:
        labels = [*labels[: MOST_CLASSES - 1], f"\N{HORIZONTAL ELLIPSIS} {len(labels) - MOST_CLASSES + 1} more classes"]
        handles = handles[:MOST_CLASSES]
    width = ax.get_window_extent().width * 72 / ax.figure.dpi
    columns = int(width // (max(map(text_width, labels)) * FONT + 30))
    legend = ax.legend(
        handles,
        labels,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=max(1, min(columns, len(labels))),
        fontsize=FONT,
        frameon=False,
        title="class" + (" (larger points: more votes)" if larger else ""),
        title_fontsize=FONT,
        alignment="left",
        handletextpad=0.2,
        columnspacing=1.0,
        borderaxespad=0.2,
    )
    for handle in legend.legend_handles:
        handle.set_sizes([40])
    plain(legend.get_texts())
