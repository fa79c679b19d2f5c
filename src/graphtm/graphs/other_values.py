"""Attributes whose values are not all numbers: what the other values are, and whether they look like mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import count
from graphtm.foundation.names import is_missing
from graphtm.foundation.parameters import is_number
from graphtm.graphs.number_texts import as_number, is_whole


@dataclass(frozen=True)
class Values:
    """The values of an attribute, some of which are not numbers.

    Parameters
    ----------
    different
        The different values.
    numbers
        Index into ``different`` for each node or edge; -1 if it has no value.
    where
        Returns the description of a node or edge from its place: ``"row 3"``.
    """

    different: Sequence[object]
    numbers: Int64Array
    where: Callable[[int], str]

    @classmethod
    def read(cls, values: Iterable[object], where: Callable[[int], str]) -> Values | None:
        """Return the values of an attribute; None if some are lists, or cannot be compared."""
        found: dict[tuple[type, object], int] = {}
        numbers = []
        for value in values:
            if isinstance(value, tuple):
                return None
            try:
                numbers.append(-1 if is_missing(value) else found.setdefault((type(value), value), len(found)))
            except TypeError:
                return None
        return cls([value for _, value in found], np.array(numbers, np.int64), where)

    def others(self) -> str | None:
        """Return the number of values that are not numbers, also not as text, and the first one; None if all are."""
        other = np.array([_number(value) is None for value in self.different] + [False])
        places = np.flatnonzero(other[self.numbers])
        if not len(places):
            return None
        first = f"{self.different[self.numbers[places[0]]]!r:.60} ({self.where(int(places[0]))})"
        if len(places) == 1:
            return f"1 value that is not a number: {first}"
        return f"{count(len(places), 'value')} that are not numbers, the first is {first}"

    def look_like_numbers(self) -> bool:
        """Whether numbers were probably meant: one has decimals, and at least half of the different values are numbers.

        Floats always are numbers. Integers and their texts may be names.
        """
        if any(isinstance(value, float | np.floating) for value in self.different):
            return True
        texts = [value for value in self.different if isinstance(value, str) and as_number(value) is not None]
        n_numbers = sum(_number(value) is not None for value in self.different)
        return 2 * n_numbers >= len(self.different) and not all(map(is_whole, texts))


def _number(value: object) -> float | None:
    if isinstance(value, str):
        return as_number(value)
    return float(value) if is_number(value) else None
