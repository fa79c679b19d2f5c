"""Progress of a fit in a checkpoint."""

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
    """Checksums of the data of a fit.

    Parameters
    ----------
    examples
        Of training graphs and targets.
    evaluations
        Of the evaluation sets; ``None`` if there are none.
    """

    examples: int
    evaluations: int | None = None


@dataclass(frozen=True)
class Progress:
    """Progress of a fit.

    Parameters
    ----------
    first_epoch
        First epoch of the fit.
    records
        Number of finished epochs of this fit; their records are the last ones of the history.
    seconds
        Duration of the current epoch so far.
    stopping
        Whether a callback has stopped the fit.
    shuffle
        Whether graphs are shuffled.
    n_examples, fingerprint
        Number of examples per epoch, and checksum of graphs and targets.
    callbacks
        For each callback with state: ``kind``, ``values``, and names of its ``states``.
    evaluations
        Checksum of the evaluation sets; ``None`` if there are none, or if an earlier version wrote the file.
    last_epoch
        Epoch of the state ``"last"``, from which training continues, if the fit has returned to an earlier model;
        ``None`` if training continues from the model itself.
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
        """Return the fields as a dict."""
        return asdict(self)

    @classmethod
    def from_json(
        cls, value: Any, model: Model, states: Container[str], history: Sequence[Mapping[str, Any]]
    ) -> Progress:
        """Return the progress that :meth:`to_json` wrote.

        Parameters
        ----------
        value
            Content of the file.
        model, states, history
            Model, names of other states, and history in the file.

        Raises
        ------
        ValueError
            If it is invalid, or contradicts the rest of the file.
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
    """Return whether this is the state of a callback in a checkpoint."""
    if not isinstance(one, dict) or set(one) != {"kind", "values", "states"}:
        return False
    names = isinstance(one["states"], list) and all(isinstance(name, str) for name in one["states"])
    return isinstance(one["kind"], str) and isinstance(one["values"], dict) and names
