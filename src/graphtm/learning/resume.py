"""How far a fit had come when a checkpoint was written, beside the model itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NoReturn

from graphtm.learning.machine import EpochRecord
from graphtm.model import Model

_LARGEST = 2**64 - 1


@dataclass(frozen=True)
class Checksums:
    """Checksums of what a fit was given.

    Parameters
    ----------
    examples
        Of the graphs that are learned from and their targets.
    evaluations
        Of the evaluation sets; ``None`` if there are none.
    """

    examples: int
    evaluations: int | None = None


@dataclass(frozen=True)
class Progress:
    """What a checkpoint says of its fit.

    Parameters
    ----------
    first_epoch
        The epoch with which the fit began.
    records
        Epochs of this fit that are over: the last so many of the history.
    seconds
        What the epoch under way has taken so far.
    stopping
        Whether a callback has stopped the fit.
    shuffle
        Whether graphs are presented in an order of the generator.
    n_examples, fingerprint
        How many examples an epoch has, and a checksum of graphs and targets.
    callbacks
        For each callback that has something to remember: ``kind``, ``values``, and names of its ``states``.
    evaluations
        A checksum of the evaluation sets; ``None`` if there are none, or an earlier version wrote the file.
    last_epoch
        Epochs behind the state ``"last"``, with which training goes on, if the model itself is an earlier one that the
        fit has returned to; ``None`` if training goes on with the model.
    """

    first_epoch: int
    records: int
    seconds: float
    stopping: bool
    shuffle: bool
    n_examples: int
    fingerprint: int
    callbacks: list[dict[str, Any]]
    evaluations: int | None = None
    last_epoch: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)

    @classmethod
    def from_json(
        cls, value: Any, model: Model, states: Container[str], history: Sequence[Mapping[str, Any]]
    ) -> Progress:
        """Return what :meth:`to_json` gave.

        Parameters
        ----------
        value
            What the file has.
        model, states, history
            The model in the file, names of other states there, and its history.

        Raises
        ------
        ValueError
            If it is something else, or does not go with the rest of the file.
        """
        if not isinstance(value, dict):
            cls._refuse("progress", value)
        unknown = set(value) - {field.name for field in fields(cls)}
        if unknown:
            cls._refuse("progress", sorted(unknown))
        progress = cls(**value)
        progress._check_fields()
        progress._check_against(model, states, history)
        return progress

    def _check_fields(self) -> None:
        for name in ("first_epoch", "records", "n_examples", "fingerprint"):
            self._check(name, _is_count)
        for name in ("evaluations", "last_epoch"):
            self._check(name, lambda number: number is None or _is_count(number))
        for name in ("stopping", "shuffle"):
            self._check(name, lambda flag: isinstance(flag, bool))
        self._check("seconds", lambda number: isinstance(number, float) and 0 <= number < math.inf)
        self._check("callbacks", lambda callbacks: isinstance(callbacks, list) and all(map(_is_memory, callbacks)))

    def _check_against(self, model: Model, states: Container[str], history: Sequence[Mapping[str, Any]]) -> None:
        names = [f"{number}.{name}" for number, one in enumerate(self.callbacks) for name in one["states"]]
        if not all(name in states for name in names):
            raise ValueError("the states that callbacks remember must be there")
        epochs = model.epoch if self.last_epoch is None else self.last_epoch
        if (self.last_epoch is not None) != ("last" in states) or model.epoch > epochs:
            raise ValueError("the last epoch and its state must be there together")
        if self.records != epochs - self.first_epoch or self.records > len(history):
            raise ValueError(f"epochs {self.first_epoch} to {epochs} cannot have {self.records} records")
        if model.position and model.position >= self.n_examples:
            raise ValueError(f"{model.position} of {self.n_examples} examples cannot have been presented")
        for record in history[len(history) - self.records :]:
            for field in fields(EpochRecord):
                if not isinstance(record.get(field.name), int | float):
                    raise ValueError(f"a record must have a number as {field.name!r}")

    def _check(self, name: str, is_right: Callable[[Any], bool]) -> None:
        if not is_right(getattr(self, name)):
            self._refuse(name, getattr(self, name))

    @staticmethod
    def _refuse(name: str, value: object) -> NoReturn:
        raise ValueError(f"{name} cannot be {value!r}")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST


def _is_memory(one: object) -> bool:
    """Whether this is what a checkpoint keeps of a callback."""
    if not isinstance(one, dict) or set(one) != {"kind", "values", "states"}:
        return False
    names = isinstance(one["states"], list) and all(isinstance(name, str) for name in one["states"])
    return isinstance(one["kind"], str) and isinstance(one["values"], dict) and names
