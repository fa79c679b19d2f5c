"""``graphtm fit`` for tasks without labels: auto-encoders of symbols, and bandits that learn from a log."""

from __future__ import annotations

import shlex
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import typer

from graphtm.cli.choice import choose_bare, describe, show_choice
from graphtm.cli.data_files import Data, load_data
from graphtm.cli.labels import ARM, REWARD, read_log
from graphtm.cli.model_files import save_model
from graphtm.cli.output import Screen, label_text, write_json
from graphtm.cli.reading import GRAPHS
from graphtm.cli.rules import what_rules_do
from graphtm.cli.training import FINAL, HELD_OUT, Schedule, announce
from graphtm.estimators.fit_inputs import held_out
from graphtm.explain.rule_text import number_text
from graphtm.foundation.display import count, size_text
from graphtm.learning import Checkpoint, ProgressBar

if TYPE_CHECKING:
    from graphtm.cli.fit import FitRequest

AUTOENCODING, BANDIT = "autoencoding", "bandit"
OTHER_TASKS = (AUTOENCODING, BANDIT)
_MOST_RULES, _MOST_SYMBOLS, _MOST_SIMILAR = 5, 10, 4


def fit_other(screen: Screen, request: FitRequest, target: Path) -> None:
    """Train an auto-encoder or a bandit on the graphs of a file, print a summary, and save the model."""
    source, schedule = request.source, request.schedule
    labels = source.labels if request.task == AUTOENCODING else None
    for given, option in ((schedule.folds, "--folds"), (schedule.n_rules, "--rules"), (labels, "--labels")):
        if given is not None:
            raise typer.BadParameter(f"It has no effect with --task {request.task}.", param_hint=option)
    with screen.waiting("Reading ..."):
        data = load_data(replace(source, labels=None), replace(request.reading, labelled=False))
    if data.reading.kind != GRAPHS:
        raise typer.BadParameter(f"It takes graphs, not --as {data.reading.kind}.", param_hint="--task")
    screen.say(describe(data))
    parts = [] if request.task == AUTOENCODING else _log(screen, request, data)
    screen.say()
    choice = choose_bare(_machine(request, parts), data, request.parameters)
    show_choice(screen, choice)
    begun = time.perf_counter()
    out = _held_out(screen, len(data), schedule)
    value = None
    if out is not None:
        announce(screen, data, schedule, "reward" if parts else "accuracy")
        trained = _trained(screen, request, data, parts, ~out, HELD_OUT)
        value = _value(trained, data.X[out], [part[out] for part in parts])
    machine = _trained(screen, request, data, parts, np.ones(len(data), np.bool_), FINAL)
    if schedule.prune:
        with screen.waiting("Pruning ..."):
            machine.prune(data.X)
    save_model(machine, target, data.reading)
    for file in map(schedule.checkpoint_of, (FINAL, HELD_OUT)):
        if file is not None:
            file.unlink(missing_ok=True)
    if request.task == AUTOENCODING:
        _show_symbols(screen, machine, data, value, out)
    else:
        _show_arms(screen, machine, value)
    _show_rest(screen, machine, data, target, source.data, time.perf_counter() - begun)
    if screen.for_machines:
        write_json(
            {
                "model": str(target),
                "data": {"name": data.name, "format": data.format, "kind": data.reading.kind, "n": len(data)},
                "task": request.task,
                "choice": choice.to_dict(),
                "outputs": machine._output_names(),
                "used": machine.params_,
                "validation": None if value is None else {"n": int(out.sum()), **value.to_dict()},
                "rules": machine.rules(top=_MOST_RULES).to_dict(),
            }
        )
    screen.finish()


def _log(screen: Screen, request: FitRequest, data: Data) -> list[Any]:
    """Return the arms and the rewards of a log."""
    if request.source.labels is None:
        raise typer.BadParameter(
            f"It must name a CSV file with the columns {ARM} and {REWARD}, a row per graph.", param_hint="--labels"
        )
    arms, rewards = read_log(request.source.labels, len(data), request.reading.separator)
    names, numbers = np.unique(arms, return_inverse=True)
    means = [number_text(rewards[numbers == number].mean()) for number in range(len(names))]
    counts = np.bincount(numbers).tolist()
    shown = [
        f"{label_text(name)} {taken:,} (mean reward {mean})"
        for name, taken, mean in zip(names.tolist(), counts, means, strict=True)
    ]
    screen.say(f"Arms that were taken: {', '.join(shown)}")
    return [arms, rewards]


def _held_out(screen: Screen, n: int, schedule: Schedule) -> Any:
    """Return which graphs to hold out, or None."""
    if not schedule.validation:
        return None
    try:
        return held_out(np.zeros(n, np.int64), schedule.validation, schedule.seed)
    except ValueError:
        screen.note("Note: there are too few graphs to hold some out, so nothing is measured.")
        return None


def _machine(request: FitRequest, parts: list[Any]) -> Any:
    from graphtm.estimators import GraphTMAutoencoder, GraphTMBandit

    if request.task == AUTOENCODING:
        return GraphTMAutoencoder(**request.parameters)
    arms, rewards = parts
    low, high = float(rewards.min()), float(rewards.max())
    return GraphTMBandit(
        arms=np.unique(arms).tolist(), reward_range=(low, high if high > low else low + 1.0), **request.parameters
    )


def _trained(screen: Screen, request: FitRequest, data: Data, parts: list[Any], some: Any, part: str) -> Any:
    """Return a machine that was trained on some graphs."""
    machine, file = _machine(request, parts), request.schedule.checkpoint_of(part)
    callbacks: list[Any] = [ProgressBar()] if screen.shows_progress else []
    callbacks += [] if file is None else [Checkpoint(file)]
    y = tuple(one[some] for one in parts) or None
    return machine.fit(data.X[some], y, callbacks=callbacks, resume_from=file if request.schedule.resume else None)


def _value(machine: Any, X: Any, parts: list[Any]) -> Accuracy | MeanReward:
    return MeanReward.of(machine.predict(X), *parts) if parts else Accuracy(float(machine.score(X)))


class Accuracy(NamedTuple):
    """The share of masked symbols that get more votes than one that the node does not have."""

    value: float

    def to_dict(self) -> dict[str, Any]:
        return {"accuracy": self.value}


class MeanReward(NamedTuple):
    """The mean reward of the graphs for which a bandit would take the arm of a log.

    Parameters
    ----------
    value
        The mean reward, or ``None`` if there is no such graph.
    n_same
        Number of these graphs.
    n
        Number of all graphs in the log.
    of_all
        Mean reward of all graphs in the log.
    """

    value: float | None
    n_same: int
    n: int
    of_all: float

    @classmethod
    def of(cls, predicted: Any, arms: Any, rewards: Any) -> MeanReward:
        """Return the mean reward, given the predicted arms, and the arms and rewards of the log."""
        same = np.array(predicted.tolist(), dtype=object) == np.array(arms.tolist(), dtype=object)
        value = float(rewards[same].mean()) if same.any() else None
        return cls(value, int(same.sum()), len(same), float(rewards.mean()))

    def to_dict(self) -> dict[str, Any]:
        return {"n_same_arm": self.n_same, "reward": self.value, "reward_of_all": self.of_all}

    def text(self, where: str = "") -> str:
        """Return this as text; ``where`` says where the graphs are from."""
        value = "none has that arm" if self.value is None else number_text(self.value)
        graphs = f"{self.n_same:,} of {count(self.n, 'graph')}{where}"
        return (
            f"Mean reward on {graphs}, where the bandit would take the arm of the log: {value}; of all {self.n:,} in "
            f"the log: {number_text(self.of_all)}"
        )


def _show_symbols(screen: Screen, machine: Any, data: Data, found: Any, out: Any) -> None:
    screen.say()
    if found is not None:
        screen.say(
            f"Accuracy on {count(int(out.sum()), 'graph')} held out: {100 * found.value:.1f} % of masked symbols get "
            "more votes than one that the node does not have; 50 % by chance"
        )
    carried = data.X.pack().properties.frequencies()
    numbers = [data.X.vocabulary.symbols.index(name) for name in machine.symbols_]
    order = np.argsort(-carried[numbers], kind="stable")[:_MOST_SYMBOLS]
    screen.say(f"Most similar to frequent symbols ({len(machine.symbols_):,} symbols in all):")
    for name in (machine.symbols_[number] for number in order.tolist()):
        near = machine.most_similar(name, _MOST_SIMILAR)
        text = ", ".join(f"{label_text(one)} {similar:.2f}" for one, similar in near)
        screen.say(f"{label_text(name)}: {text}", first=2, indent=6)


def _show_arms(screen: Screen, machine: Any, found: Any) -> None:
    screen.say()
    if found is not None:
        screen.say(found.text(" held out"))
    low, high = machine.reward_range
    screen.say(f"Arms: {', '.join(map(label_text, machine.arms_.tolist()))}; rewards from {low:g} to {high:g}")


def _show_rest(screen: Screen, machine: Any, data: Data, target: Path, source: str, seconds: float) -> None:
    screen.say(f"Time: {seconds:.1f} s")
    found = machine.rules(top=_MOST_RULES)
    screen.say()
    screen.say(f"The strongest {count(len(found), 'rule')}; {what_rules_do(found)}:")
    for rule in found:
        screen.say(str(rule), first=2, indent=6)
    screen.say()
    size = size_text(target.stat().st_size)
    screen.say(f"Saved to {target} ({size}), trained on all {count(len(data), data.noun)}.")
    model = shlex.quote(str(target))
    screen.say(f"Next: graphtm rules {model}")
    screen.lines(f"      graphtm predict {model} {'DATA' if source == '-' else shlex.quote(source)}")
