"""The result of ``suggest``: a pipeline, with what was counted and tried, as data and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sklearn.pipeline import Pipeline

from graphtm.foundation.calling import require
from graphtm.foundation.display import count
from graphtm.foundation.parameters import is_integer
from graphtm.search.counts import counts_text
from graphtm.search.trials import RepresentationTrial

WIDTH = 80
"""Largest width of printed lines."""


@dataclass(frozen=True, eq=False, repr=False)
class Suggestion:
    """What :func:`graphtm.suggest` proposes, and why; ``print`` shows all of it.

    Parameters
    ----------
    pipeline
        The suggested pipeline, not fitted.
    representation
        Name of the suggested representation.
    parameters
        Parameters of encoders and machine by name, with what ``"auto"`` will become for these data.
    reasons
        A sentence for the representation and for each parameter.
    counts
        Counts of the data by name. Means per graph are those of the sample that was tried.
    trials
        One record for each representation tried, the recommended one first.
    untried
        Names of representations for which there was no time.
    """

    pipeline: Pipeline
    representation: str
    parameters: Mapping[str, Any]
    reasons: Mapping[str, str]
    counts: Mapping[str, int | float]
    trials: tuple[RepresentationTrial, ...]
    untried: tuple[str, ...] = ()

    def to_frame(self) -> Any:
        """Return the trials as a ``pandas.DataFrame`` with a row per representation.

        Raises
        ------
        MissingLibraryError
            If pandas is not installed.
        """
        return require("pandas", "Suggestion.to_frame", "frames").DataFrame(list(map(asdict, self.trials)))

    def __repr__(self) -> str:
        tried = next(trial for trial in self.trials if trial.name == self.representation)
        return (
            f"<Suggestion {self.representation!r}: accuracy {tried.accuracy:.3f} in a trial, "
            f"{count(len(self.trials), 'representation')} tried>"
        )

    def __str__(self) -> str:
        lines = textwrap.wrap(counts_text(dict(self.counts)), WIDTH)
        rows = [("", "representation", "accuracy", "gain", "symbols", "time")]
        for number, trial in enumerate(self.trials):
            rows.append(
                (
                    ">" if trial.name == self.representation else "",
                    trial.name,
                    f"{trial.accuracy:.3f} +- {trial.standard_error:.3f}",
                    f"{trial.gain:+.3f} +- {trial.gain_error:.3f}" if number else "recommended",
                    f"{trial.n_symbols:,}",
                    f"{trial.seconds:.1f} s",
                )
            )
        lines += ["", *aligned(rows, right={4, 5}), ""]
        for name, reason in self.reasons.items():
            head = f"{name} = {shown(self.parameters[name])}" if name in self.parameters else name
            lines += textwrap.wrap(f"{head}: {reason}", WIDTH, subsequent_indent="    ", break_long_words=False)
        return "\n".join(lines)


def shown(value: Any) -> str:
    """Return the value of a parameter as text."""
    if isinstance(value, float):
        return f"{value:.4g}"
    return f"{value:,}" if is_integer(value) else str(value)


def aligned(rows: Sequence[Sequence[str]], right: set[int] | frozenset[int] = frozenset()) -> list[str]:
    """Return rows of text as lines with aligned columns; columns in ``right`` are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
