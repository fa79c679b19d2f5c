"""The result of ``tune``: the best pipeline, with all trials as data and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sklearn.pipeline import Pipeline

from graphtm.foundation.calling import require
from graphtm.foundation.display import count
from graphtm.search.keys import same
from graphtm.search.suggestion import WIDTH, aligned, shown


@dataclass(frozen=True)
class TuningTrial:
    """A trial of :func:`graphtm.tune`.

    Parameters
    ----------
    number
        Number of the trial in the study.
    score
        Score on held-out samples; of the last epoch reported if it was pruned.
    pruned
        Whether it was ended early, since others were better after as many epochs.
    epochs
        Number of epochs, in the first fold if there are several.
    seconds
        Duration.
    params
        Parameters, as for ``set_params`` of the pipeline.
    """

    number: int
    score: float
    pruned: bool
    epochs: int
    seconds: float
    params: Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class TuningResult:
    """What :func:`graphtm.tune` found; ``print`` shows it.

    Parameters
    ----------
    pipeline
        The pipeline with the best parameters, fitted to all data unless ``refit=False``.
    best_score
        Score of the best trial on held-out samples. It is the best of many, so expect less on new data.
    best_params
        Its parameters, as for ``set_params`` of the pipeline.
    start_score, start_params
        Score with the parameters that the pipeline had, and these. The score is ``None`` if that trial was pruned,
        which only a pruner of your own does.
    metric
        Name of the score.
    trials
        One record per trial, in the order of their numbers.
    study
        The study of Optuna, for its plots or for more trials.
    """

    pipeline: Pipeline
    best_score: float
    best_params: Mapping[str, Any]
    start_score: float | None
    start_params: Mapping[str, Any]
    metric: str
    trials: tuple[TuningTrial, ...]
    study: Any

    def to_frame(self) -> Any:
        """Return the trials as a ``pandas.DataFrame``, with a column per parameter.

        Raises
        ------
        MissingLibraryError
            If pandas is not installed.
        """
        pandas = require("pandas", "TuningResult.to_frame", "frames")
        names = ("number", "score", "pruned", "epochs", "seconds")
        return pandas.DataFrame(
            [{name: getattr(one, name) for name in names} | dict(one.params) for one in self.trials]
        )

    def __repr__(self) -> str:
        return f"<TuningResult: best {self.metric} {self.best_score:.3f} of {count(len(self.trials), 'trial')}>"

    def __str__(self) -> str:
        n_pruned = sum(one.pruned for one in self.trials)
        first = "" if self.start_score is None else f" (first: {self.start_score:.3f})"
        head = (
            f"Best {self.metric} on held-out samples: {self.best_score:.3f}{first}; "
            f"{count(len(self.trials), 'trial')}, {n_pruned:,} pruned."
        )
        rows = [("parameter", "first", "best")]
        for name, value in self.best_params.items():
            start = self.start_params[name]
            rows.append((name, shown(start), "" if same(value, start) else shown(value)))
        return "\n".join([*textwrap.wrap(head, WIDTH), "", *aligned(rows)])
