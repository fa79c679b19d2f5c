"""Short ``repr`` of dataclasses with arrays or long sequences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from itertools import islice
from typing import Any

import numpy as np
from scipy import sparse

MOST = 6
"""Number of items of a tuple, list or dict that are shown."""


def short_repr(value: Any) -> str:
    """Return the usual ``repr`` of a dataclass, but shorten arrays and long sequences.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(repr=False)
    ... class Measured:
    ...     values: object
    ...     names: object
    ...     __repr__ = short_repr
    >>> Measured(np.zeros((400, 2)), tuple(range(400)))
    Measured(values=<float64 array (400, 2)>, names=(0, 1, 2, 3, 4, 5, ... (394 more)))
    """
    shown = (f"{field.name}={_short(getattr(value, field.name))}" for field in fields(value) if field.repr)
    return f"{type(value).__name__}({', '.join(shown)})"


def _short(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"<{value.dtype} array {value.shape}>"
    if sparse.issparse(value):
        return f"<{value.dtype} sparse {value.shape}>"
    if type(value) is tuple:
        comma = "," if len(value) == 1 else ""
        return f"({_items(map(_short, value), len(value))}{comma})"
    if type(value) is list:
        return f"[{_items(map(_short, value), len(value))}]"
    if isinstance(value, Mapping):
        return f"{{{_items((f'{_short(key)}: {_short(one)}' for key, one in value.items()), len(value))}}}"
    return repr(value)


def _items(texts: Iterable[str], n: int) -> str:
    shown = list(islice(texts, MOST))
    return ", ".join([*shown, *([f"... ({n - MOST:,} more)"] if n > MOST else [])])
