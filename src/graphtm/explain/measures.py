"""Measures of a rule on given graphs: support, coverage, precision and recall."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.names import shorten


@dataclass(frozen=True)
class Measures:
    """Measures of a rule on given graphs. A graded rule counts as true if its strength is above 0.

    Parameters
    ----------
    n_graphs
        Number of graphs.
    support
        Number of graphs for which the rule is true.
    precision
        For each class, its share of the graphs for which the rule is true; ``None`` if there are no such graphs. Empty
        without labels.
    recall
        For each class, the share of its graphs for which the rule is true; ``None`` if the class has no graphs. Empty
        without labels.
    """

    n_graphs: int
    support: int
    precision: tuple[float | None, ...] = ()
    recall: tuple[float | None, ...] = ()

    @property
    def coverage(self) -> float:
        """Share of all graphs for which the rule is true."""
        return self.support / self.n_graphs if self.n_graphs else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the measures as plain data."""
        return {
            "n_graphs": self.n_graphs,
            "support": self.support,
            "coverage": self.coverage,
            "precision": list(self.precision),
            "recall": list(self.recall),
        }


def members_of(y: ArrayLike, outputs: Sequence[Any], n_graphs: int) -> NDArray[np.bool_]:
    """Return which graphs have which class, (graphs, outputs).

    Parameters
    ----------
    y
        One label per graph, or a Boolean matrix, (graphs, outputs); for a single output also one Boolean per graph.
    outputs
        The classes.
    n_graphs
        Number of graphs.

    Raises
    ------
    ValueError
        If ``y`` has another shape, or none of the labels is an output.
    """
    labels = np.asarray(y)
    if len(outputs) == 1 and labels.shape == (n_graphs,) and labels.dtype == np.bool_:
        labels = labels[:, None]
    if labels.shape == (n_graphs, len(outputs)):
        return labels.astype(np.bool_)
    if labels.shape != (n_graphs,):
        raise ValueError(
            f"The 'y' parameter of measured must hold {n_graphs:,} labels, one per graph, or {n_graphs:,} rows of "
            f"{len(outputs)} Booleans. Got an array of shape {labels.shape} instead."
        )
    members = np.array([[label == output for output in outputs] for label in labels.tolist()], np.bool_)
    if n_graphs and not members.any():
        got = shorten(labels.tolist())
        raise ValueError(
            f"Labels must be names of outputs to measure precision, {shorten(outputs)}. Got {got} instead."
        )
    return members.reshape(n_graphs, len(outputs))


def measure(true: NDArray[np.bool_], members: NDArray[np.bool_] | None) -> Measures:
    """Return the measures of a rule, given the graphs for which it is true."""
    support = int(np.count_nonzero(true))
    if members is None:
        return Measures(len(true), support)
    both, all_of_class = members[true].sum(axis=0).tolist(), members.sum(axis=0).tolist()
    return Measures(
        len(true),
        support,
        tuple(n / support if support else None for n in both),
        tuple(n / total if total else None for n, total in zip(both, all_of_class, strict=True)),
    )
