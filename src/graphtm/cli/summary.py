"""The summary at the end of ``graphtm fit``."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphtm.cli.output import Screen, label_text, named
from graphtm.cli.scoring import Score, percent, pooled, show_confusion
from graphtm.cli.training import Schedule, Trained
from graphtm.explain.rule_text import rule_text
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
        Scores on held-out samples.
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
    scores: Sequence[Score]
    schedule: Schedule
    n: int
    noun: str
    alive: int
    seconds: float

    @property
    def accuracies(self) -> list[float]:
        return [score.accuracy for score in self.scores]

    @property
    def deviation(self) -> float:
        """Standard deviation of the accuracies of the folds."""
        return float(np.std(self.accuracies, ddof=1))

    def folds_to_dict(self) -> dict[str, Any]:
        """Return the scores of the folds as plain data."""
        return {
            "n": len(self.scores),
            "accuracies": self.accuracies,
            "mean": float(np.mean(self.accuracies)),
            "standard_deviation": self.deviation,
            **{name: value for name, value in pooled(self.scores).to_dict().items() if name not in ("n", "accuracy")},
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
    votes = ", ".join(label_text(one) for one in machine.classes_.tolist()[:10])
    more = ", ..." if len(machine.classes_) > 10 else ""
    screen.say(f"The strongest {count(len(rules), 'rule')}; votes for [{votes}{more}]:")
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
    score = pooled(result.scores)
    held = count(len(score.truth), result.noun)
    if len(result.scores) == 1:
        text = f"Accuracy on {held} held out: {percent(score.accuracy)}"
    else:
        mean = 100 * float(np.mean(result.accuracies))
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
