"""How often a rule is true of given graphs, and of which classes they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.names import shorten


@dataclass(frozen=True)
class Measures:
    """A rule on given graphs.

    Parameters
    ----------
    n_graphs
        How many graphs there were.
    support
        How many of them it is true of.
    precision
        Of those that it is true of, the share of each class; ``None`` for each if there are none. Empty without labels.
    recall
        Of those of each class, the share that it is true of; ``None`` if there are none. Empty without labels.
    """

    n_graphs: int
    support: int
    precision: tuple[float | None, ...] = ()
    recall: tuple[float | None, ...] = ()

    @property
    def coverage(self) -> float:
        """The share of all graphs that it is true of."""
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
    """Return which graphs are of which class, (graphs, outputs).

    Parameters
    ----------
    y
        A label per graph, or a row of Booleans, one per output; of a single output also a Boolean per graph.
    outputs
        The classes.
    n_graphs
        How many graphs there are.

    Raises
    ------
    ValueError
        If there is not one label, or one row, per graph, or no label is one of the outputs.
    """
    labels = np.asarray(y)
    if len(outputs) == 1 and labels.shape == (n_graphs,) and labels.dtype == np.bool_:
        labels = labels[:, None]
    if labels.shape == (n_graphs, len(outputs)):
        return labels.astype(np.bool_)
    if labels.shape != (n_graphs,):
        raise ValueError(
            f"The labels must be one per graph, {n_graphs:,}, or {n_graphs:,} rows of {len(outputs)} Booleans; got an "
            f"array of shape {labels.shape}."
        )
    members = np.array([[label == output for output in outputs] for label in labels.tolist()], np.bool_)
    if n_graphs and not members.any():
        got = shorten(labels.tolist())
        raise ValueError(f"The labels must be names of outputs, {shorten(outputs)}; got none of these, but {got}.")
    return members.reshape(n_graphs, len(outputs))


def measure(true: NDArray[np.bool_], members: NDArray[np.bool_] | None) -> Measures:
    """Return the measures of a rule that is true of these graphs."""
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
