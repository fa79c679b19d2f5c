"""The summary at the end of ``graphtm fit``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphtm.cli.output import Screen, named
from graphtm.cli.regression_scoring import RegressionScore, pooled_numbers
from graphtm.cli.rules import what_rules_do
from graphtm.cli.scoring import percent, pooled, show_confusion
from graphtm.cli.training import Schedule, Trained
from graphtm.explain.rule_text import number_text, rule_text
from graphtm.foundation.display import count, size_text

MOST_RULES = 5
"""Number of rules in the summary."""
_MOST_LITERALS = 8
_LONGEST = 140
"""Longest formula that is shown below a rule with messages."""


@dataclass(frozen=True)
class Result:
    """A trained model and what is to be said of it.

    Parameters
    ----------
    trained
        The model, fitted to all samples.
    scores
        Scores on held-out samples: :class:`Score`, or for numbers :class:`RegressionScore`.
    schedule
        How it was trained.
    n, noun
        Number of samples, and what one is called.
    alive
        Number of clauses that vote on a sample at least.
    seconds
        Time of everything.
    """

    trained: Trained
    scores: Sequence[Any]
    schedule: Schedule
    n: int
    noun: str
    alive: int
    seconds: float

    @property
    def of_numbers(self) -> bool:
        """Whether numbers are predicted."""
        return bool(self.scores) and isinstance(self.scores[0], RegressionScore)

    @property
    def of_folds(self) -> list[float]:
        """The accuracies of the folds, or for numbers their R2."""
        return [score.r2 if self.of_numbers else score.accuracy for score in self.scores]

    @property
    def deviation(self) -> float:
        """Standard deviation over the folds."""
        return float(np.std(self.of_folds, ddof=1))

    def folds_to_dict(self) -> dict[str, Any]:
        """Return the scores of the folds as plain data."""
        together = pooled_numbers(self.scores) if self.of_numbers else pooled(self.scores)
        return {
            "n": len(self.scores),
            "r2" if self.of_numbers else "accuracies": self.of_folds,
            "mean": float(np.mean(self.of_folds)),
            "standard_deviation": self.deviation,
            **{name: value for name, value in together.to_dict().items() if name not in ("n", "accuracy", "r2")},
        }


def show_summary(screen: Screen, result: Result, target: Path, source: str) -> None:
    """Print accuracy, confusion, time, clauses, the strongest rules, and what to do next."""
    screen.say()
    _show_accuracy(screen, result)
    machine = result.trained.pipeline[-1]
    n_clauses = machine.state_.weights.shape[1]
    screen.say(f"Clauses: {n_clauses:,}, of which {result.alive:,} vote on {result.noun}s of the training data")
    screen.say(f"Time: {result.seconds:.1f} s, of which {result.trained.seconds:.1f} s for the saved model")
    rules = machine.rules(top=MOST_RULES)
    screen.say()
    screen.say(f"The strongest {count(len(rules), 'rule')}; {what_rules_do(rules)}:")
    for rule in rules:
        screen.say(rule_text(rule, _MOST_LITERALS), first=2, indent=6)
        formula = str(rule.unroll()) if any(rule.layers[1:]) else ""
        if 0 < len(formula) <= _LONGEST:
            screen.say(f"= {formula}", first=6, indent=8)
    screen.say()
    screen.say(
        f"Saved to {target} ({size_text(target.stat().st_size)}), trained on all {count(result.n, result.noun)}."
    )
    model, data = shlex.quote(str(target)), "DATA" if source == "-" else shlex.quote(source)
    screen.say(f"Next: graphtm rules {model}")
    screen.lines(f"      graphtm explain {model} {data} -i 0")


def _show_accuracy(screen: Screen, result: Result) -> None:
    if not result.scores:
        screen.say("Accuracy: not measured, since nothing was held out")
        return
    if result.of_numbers:
        _show_errors(screen, result)
        return
    score = pooled(result.scores)
    held = count(len(score.truth), result.noun)
    if len(result.scores) == 1:
        text = f"Accuracy on {held} held out: {percent(score.accuracy)}"
    else:
        mean = 100 * float(np.mean(result.of_folds))
        text = (
            f"Accuracy in {len(result.scores)} folds: {mean:.1f} +- {100 * result.deviation:.1f} % (mean and standard "
            "deviation)"
        )
    if score.multilabel:
        screen.say(f"{text} with all labels right; F1 {score.f1:.3f}")
    else:
        most, baseline = score.baseline
        screen.say(f"{text}; always {named(most)!r} would be {percent(baseline)}")
    screen.say()
    show_confusion(screen, score)
    screen.say()


def _show_errors(screen: Screen, result: Result) -> None:
    score = pooled_numbers(result.scores)
    held = count(len(score.truth), result.noun)
    baseline = f"always the median would be {number_text(score.baseline)}"
    if len(result.scores) == 1:
        screen.say(f"Score on {held} held out: {score}; {baseline}")
    else:
        mean = float(np.mean(result.of_folds))
        screen.say(
            f"R2 in {len(result.scores)} folds: {mean:.3f} +- {result.deviation:.3f} (mean and standard deviation); "
            f"mean absolute error {number_text(score.mae)}; {baseline}"
        )
