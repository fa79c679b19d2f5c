"""Values of parameters as JSON, from which they are read unchanged: numbers, strings, lists, mappings, patterns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set, ValuesView
from typing import Any

import numpy as np

from graphtm.errors import GraphTMError
from graphtm.foundation.names import in_order, is_set

_TUPLE, _PAIRS, _PATTERN = "tuple", "pairs", "pattern"


def copied(value: Any) -> Any:
    """Return a copy of a value that later changes of its lists, mappings and arrays do not reach.

    Sets become lists in the same order in every process, and so do ranges and the views of a dict.
    """
    if isinstance(value, Mapping):
        return {key: copied(part) for key, part in value.items()}
    if isinstance(value, tuple):
        return tuple(map(copied, value))
    if isinstance(value, list | range | Set | ValuesView):
        return [copied(part) for part in (in_order(value) if is_set(value) else value)]
    return value.copy() if isinstance(value, np.ndarray) else value


def value_to_json(value: Any, what: str) -> Any:
    """Return a value as JSON; ``what`` describes it in the error message.

    Arrays become lists.

    Raises
    ------
    GraphTMError
        If the value, or a part of it, is of a type that cannot be saved.

    Examples
    --------
    >>> value_to_json({"size": (2, 3), 1: None}, "the value")
    {'pairs': [['size', {'tuple': [2, 3]}], [1, None]]}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, list):
        return [value_to_json(part, what) for part in value]
    if isinstance(value, tuple):
        return {_TUPLE: [value_to_json(part, what) for part in value]}
    if isinstance(value, Mapping):
        return {_PAIRS: [[value_to_json(key, what), value_to_json(part, what)] for key, part in value.items()]}
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        return {_PATTERN: [value.pattern, value.flags]}
    raise GraphTMError(
        "Files can hold numbers, strings, Booleans, None, lists, tuples, mappings and regular expressions; "
        f"{what} has a value of type {type(value).__name__!r}. Replace it by one of these, and fit again."
    )


def value_from_json(value: Any) -> Any:
    """Return the value that :func:`value_to_json` wrote.

    Raises
    ------
    ValueError, TypeError
        If it is no such value.

    Examples
    --------
    >>> value_from_json({"pairs": [["size", {"tuple": [2, 3]}], [1, None]]})
    {'size': (2, 3), 1: None}
    """
    if isinstance(value, list):
        return [value_from_json(part) for part in value]
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if not isinstance(content, list):
        raise ValueError(f"{content!r} is not the content of a value")
    if kind == _TUPLE:
        return tuple(map(value_from_json, content))
    if kind == _PAIRS:
        return {value_from_json(key): value_from_json(part) for key, part in content}
    if kind == _PATTERN:
        text, flags = content
        try:
            return re.compile(text, flags)
        except re.error as error:
            raise ValueError(f"{text!r} is not a regular expression: {error}") from None
    raise ValueError(f"{kind!r} is not a kind of value")
