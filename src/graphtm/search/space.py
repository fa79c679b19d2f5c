"""The search space of ``tune``: parameters of a pipeline around the values that it has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from graphtm.encoders import Neighbourhoods, Table, Tokens, WholeGraph
from graphtm.estimators.advice import LEAST_GRADED_S
from graphtm.model.settings import MAX_S, MAX_T
from graphtm.search.keys import same

CHOICES: dict[type, dict[str, tuple[Any, ...]]] = {
    Neighbourhoods: {"hops": (1, 2, 3), "parts": (True, False), "min_graphs": (2, 3, 5, 10)},
    WholeGraph: {"counts": ((1,), (1, 2, 3), (1, 2, 3, 5, 8)), "min_graphs": (2, 3, 5, 10)},
    Tokens: {"ngrams": (1, 2, 3)},
    Table: {"bins": (4, 8, 16)},
}
"""Values to try for parameters of encoders, beside those that the pipeline has."""
MISSES = (0, 4, 9, 19)
LIMITS = (10, 20, 50, 100, None)
FACTORS = {"T": (0.125, 4.0), "s": (0.125, 8.0), "epochs": (0.25, 2.0)}
"""Range of factors for what the pipeline would use."""
FEWER_CLAUSES, MORE_CLAUSES = 4, 2


@dataclass(frozen=True)
class Choice:
    """A parameter with a list of values; the first is that of the pipeline."""

    name: str
    values: tuple[Any, ...]

    @property
    def start(self) -> Any:
        return self._labels[0]

    def draw(self, trial: Any) -> Any:
        """Return the value that a trial of Optuna chooses."""
        labels = self._labels
        return self.values[labels.index(trial.suggest_categorical(self.name, labels))]

    @property
    def _labels(self) -> list[Any]:
        """The values by which Optuna knows them: studies can be stored only if choices are plain values."""
        labels: list[Any] = []
        for number, value in enumerate(self.values):
            label = value if value is None or isinstance(value, bool | int | float | str) else repr(value)
            # Different values may have the same text, which is shortened for long arrays, and 1 equals True.
            labels.append(f"{label} ({number})" if label in labels else label)
        return labels


@dataclass(frozen=True)
class Factor:
    """A positive number around 1, on a logarithmic scale."""

    name: str
    low: float
    high: float
    start: float = 1.0

    def draw(self, trial: Any) -> float:
        """Return the value that a trial of Optuna chooses."""
        return float(trial.suggest_float(self.name, self.low, self.high, log=True))


@dataclass(frozen=True)
class Clauses:
    """A number of clauses, on a logarithmic scale."""

    name: str
    start: int

    def draw(self, trial: Any) -> int:
        """Return the value that a trial of Optuna chooses."""
        low, high = max(1, self.start // FEWER_CLAUSES), self.start * MORE_CLAUSES
        return int(trial.suggest_int(self.name, low, high, log=True))


@dataclass(frozen=True, eq=False)
class Space:
    """What to search: dimensions, of which those of the machine depend on each other.

    ``T``, ``s`` and ``epochs`` are searched as factors of what the pipeline would use: ``T`` grows with the number of
    clauses and their votes, and ``s`` is larger for graded clauses, never below 30. A factor of 1 leaves what the
    pipeline has, such as ``"auto"``.
    """

    dimensions: tuple[Choice | Factor | Clauses, ...]
    machine: str
    """Prefix of the machine's parameters."""

    def start(self) -> dict[str, Any]:
        """Return the values with which the pipeline stays as it is, for Optuna."""
        return {dimension.name: dimension.start for dimension in self.dimensions}

    def draw(self, trial: Any, pipeline: Pipeline, n_train: int) -> dict[str, Any]:
        """Return parameters for ``set_params`` of the pipeline, for so many training samples."""
        drawn = {dimension.name: dimension.draw(trial) for dimension in self.dimensions}
        own = {name[len(self.machine) :]: drawn.pop(name) for name in [*drawn] if name.startswith(self.machine)}
        factors = {name: own.pop(f"{name}_factor") for name in FACTORS if f"{name}_factor" in own}
        if factors:
            own = _machine_parameters(pipeline[-1], own, factors, n_train)
        return {**drawn, **{self.machine + name: value for name, value in own.items()}}


def _machine_parameters(
    given: Any, drawn: Mapping[str, Any], factors: Mapping[str, float], n_train: int
) -> dict[str, Any]:
    """Return parameters of a machine that fit each other, from those drawn and from factors."""
    own, misses, limit = dict(drawn), drawn["max_misses"], drawn["max_included_literals"]
    if limit is not None and limit <= misses:  # such clauses are always true
        own["max_included_literals"] = 3 * misses
    machine = clone(given).set_params(**own)
    values = {name: getattr(machine, name) for name in factors} | machine.chosen(n_train)
    if given.T != "auto":  # a given T belongs to the given clauses
        reach = machine.n_clauses * (misses + 1) / (given.n_clauses * (given.max_misses + 1))
        own["T"] = values["T"] = _scaled(given.T, reach)
    for name, factor in factors.items():
        if factor == 1:
            own[name] = own.get(name, getattr(machine, name))
        elif name == "s":  # graded clauses with a smaller s forget what they learn
            own[name] = _scaled_s(values[name], factor, LEAST_GRADED_S if misses else 1.0)
        else:
            own[name] = _scaled(values[name], factor)
    return own


def default_space(pipeline: Pipeline) -> Space:
    """Return the search space of a pipeline, by the kinds of its steps."""
    dimensions: list[Choice | Factor | Clauses] = []
    for step_name, step in pipeline.steps[:-1]:
        for name, values in CHOICES.get(type(step), {}).items():
            dimensions.append(_choice(f"{step_name}__{name}", getattr(step, name), values))
    machine_name, machine = pipeline.steps[-1]
    prefix = f"{machine_name}__"
    dimensions.append(Clauses(f"{prefix}n_clauses", int(machine.n_clauses)))
    # A given s is one for graded clauses, or one for exact clauses.
    misses = [one for one in MISSES if machine.s == "auto" or (one > 0) == (machine.max_misses > 0)]
    dimensions.append(_choice(f"{prefix}max_misses", int(machine.max_misses), misses))
    dimensions.append(_choice(f"{prefix}max_included_literals", machine.max_included_literals, LIMITS))
    dimensions += [Factor(f"{prefix}{name}_factor", *bounds) for name, bounds in FACTORS.items()]
    return Space(tuple(dimensions), prefix)


def given_space(pipeline: Pipeline, values: Mapping[str, Sequence[Any]]) -> Space:
    """Return the search space of lists of values by the name of the parameter.

    Raises
    ------
    ValueError
        If the pipeline has no such parameter, or a list is empty.
    """
    known = pipeline.get_params()
    dimensions = []
    for name, choices in values.items():
        if name not in known:
            raise ValueError(
                f"The 'space' parameter of tune must name parameters of the pipeline; got {name!r}. "
                f"pipeline.get_params() lists them, such as {pipeline.steps[-1][0]}__n_clauses."
            )
        listed = isinstance(choices, list | tuple | range | np.ndarray) and len(choices) > 0
        if not listed:
            raise ValueError(
                f"The 'space' parameter of tune must have a list of values for each parameter. Got {choices!r} for "
                f"{name!r} instead."
            )
        dimensions.append(_choice(name, known[name], tuple(choices)))
    return Space(tuple(dimensions), f"{pipeline.steps[-1][0]}__")


def _choice(name: str, start: Any, values: Sequence[Any]) -> Choice:
    plain = [value.item() if isinstance(value, np.generic) else value for value in (start, *values)]
    different: list[Any] = []
    for value in plain:
        if not any(same(value, other) for other in different):
            different.append(value)
    return Choice(name, tuple(different))


def _scaled(value: int, factor: float) -> int:
    """Return ``T`` or a number of epochs times a factor, within their range."""
    return min(max(round(value * factor), 1), MAX_T - 1)


def _scaled_s(value: Any, factor: float, least: float) -> float | tuple[float, ...]:
    """Return ``s``, or that of each layer, times a factor, within its range."""
    scaled = np.clip(np.multiply(value, factor), least, MAX_S)
    return float(scaled) if scaled.ndim == 0 else tuple(map(float, scaled))
