"""What encoders learned from data, as files hold it: values and arrays by name, checked when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.foundation.arrays import LIMIT
from graphtm.foundation.names import Name, saved_name
from graphtm.foundation.parameters import is_integer


class Learned:
    """What an encoder learned, read from a file that may be damaged or forged.

    Parameters
    ----------
    values
        Values by name.
    arrays
        Arrays by name.
    most_names
        Largest number of names, or of similar things, that may be made from a few numbers in the file.

    Raises
    ------
    ValueError, KeyError
        By all methods, if the file does not hold what they ask for.
    """

    def __init__(self, values: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], most_names: int) -> None:
        self._values, self._arrays, self._most_names = values, arrays, most_names
        self._unread = {*values, *arrays}

    def value(self, name: str) -> Any:
        """Return any value."""
        self._unread.discard(name)
        return self._values[name]

    def items(self, name: str) -> list[Any]:
        """Return a list."""
        found = self.value(name)
        if not isinstance(found, list):
            raise ValueError(f"{name!r} must be a list")
        return found

    def whole(self, name: str, low: int = 0) -> int:
        """Return an integer of at least ``low``."""
        return whole(self.value(name), name, low)

    def shape(self, name: str, n: int) -> tuple[int, ...]:
        """Return ``n`` integers above 0."""
        found = tuple(whole(side, name, 1) for side in self.items(name))
        if len(found) != n:
            raise ValueError(f"{name!r} must have {n} numbers")
        return found

    def names(self, name: str) -> list[Name]:
        """Return a list of names."""
        return [saved_name(found, name) for found in self.items(name)]

    def array(self, name: str, dtype: type[np.generic], *shape: int | None) -> NDArray[Any]:
        """Return an array of a dtype and a shape, in which None stands for any length."""
        self._unread.discard(name)
        found = self._arrays[name]
        fits = found.ndim == len(shape) and all(
            side in (None, length) for side, length in zip(shape, found.shape, strict=True)
        )
        if found.dtype != dtype or not fits:
            raise ValueError(f"array {name!r} has dtype {found.dtype} and shape {found.shape}")
        return found

    def allow(self, n: int) -> None:
        """Refuse to make ``n`` names or more from the file if that is too many."""
        if n > self._most_names:
            raise ValueError(f"it makes {n:,} names or edges; at most {self._most_names:,} are allowed")

    def check_all_read(self) -> None:
        """Refuse values and arrays that nothing has read."""
        if self._unread:
            raise ValueError(f"unknown entry {min(self._unread)!r}; a newer version of graphtm may have written it")


def whole(value: object, name: str, low: int = 0) -> int:
    """Return an integer of at least ``low`` that fits into 32 bits."""
    if not is_integer(value) or not low <= value <= LIMIT:  # type: ignore[operator]
        raise ValueError(f"{name!r} must be integers of at least {low}, not {value!r:.60}")
    return int(value)  # type: ignore[call-overload, no-any-return]
