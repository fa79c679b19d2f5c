"""How far a fit had come when a checkpoint was written, beside the model itself."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import asdict, dataclass, fields
from typing import Any


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
    """

    first_epoch: int
    records: int
    seconds: float
    stopping: bool
    shuffle: bool
    n_examples: int
    fingerprint: int
    callbacks: list[dict[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any], states: Container[str]) -> Progress:
        """Return what :meth:`to_json` gave; callbacks may remember states with these names only.

        Raises
        ------
        ValueError
            If it is something else.
        """
        kinds = {"float": float, "bool": bool, "int": int}
        progress = cls(**{field.name: value[field.name] for field in fields(cls)})
        for field in fields(cls):
            if not isinstance(getattr(progress, field.name), kinds.get(str(field.type), list)):
                raise ValueError(f"{field.name} cannot be {getattr(progress, field.name)!r}")
        for number, one in enumerate(progress.callbacks):
            there = all(f"{number}.{name}" in states for name in one["states"])
            if not isinstance(one["kind"], str) or not isinstance(one["values"], dict) or not there:
                raise ValueError("callbacks must have a kind, values, and states that are there")
        return progress
