"""Keys of parameter values: equal for equal values, different for different ones."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

_PLAIN = (str, int, float, bool, type(None))


class NoKeyError(Exception):
    """A value cannot be told from others by a key."""


def key_of(value: Any) -> Hashable:
    """Return a key of a parameter value: of plain values, arrays of these, and what is built of them.

    Values of different types have different keys, so that ``1``, ``1.0`` and ``True`` are different. An estimator has
    the key of its class and its parameters. Printed text would not do, since it may be shortened.

    Raises
    ------
    NoKeyError
        If the value is of another type, such as a function.

    Examples
    --------
    >>> key_of([1, "a"]) == key_of([1, "a"])
    True
    >>> key_of(1) == key_of(True)
    False
    """
    kind = type(value)
    if kind in _PLAIN:
        return kind, repr(value)  # NaN differs from itself, its text does not
    if isinstance(value, np.generic | np.ndarray) and not value.dtype.hasobject:
        return kind, value.dtype.str, value.shape, value.tobytes()
    if kind in (list, tuple):
        return kind, tuple(map(key_of, value))
    if kind is dict:
        return kind, tuple((key_of(name), key_of(one)) for name, one in value.items())
    if hasattr(value, "get_params") and not isinstance(value, type):
        return kind, tuple((name, key_of(one)) for name, one in sorted(value.get_params(deep=False).items()))
    raise NoKeyError(f"a {kind.__name__!r} has no key")


def same(value: Any, other: Any) -> bool:
    """Return whether two parameter values are certainly the same."""
    try:
        return value is other or key_of(value) == key_of(other)
    except NoKeyError:
        return False
