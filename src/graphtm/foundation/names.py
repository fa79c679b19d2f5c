"""Names of nodes, symbols, edge types and node types: which values are allowed, and how files store them.

Names of symbols and types are strings, integers, Booleans, ``None`` and tuples of these, which can be saved. Names of
nodes are any hashable values. ``1`` and ``True`` are equal in Python but are different names here, so that the value
``True`` of one table column is not confused with the value ``1`` of another.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, ItemsView, Iterable, KeysView, Mapping, Sequence, Set
from typing import Any, TypeAlias, TypeGuard, TypeVar

import numpy as np

from graphtm.errors import GraphError, GraphFormatError
from graphtm.foundation.type_names import type_of

Name: TypeAlias = Hashable
JsonName: TypeAlias = "str | int | bool | list[JsonName] | None"

T = TypeVar("T")

_SURROGATE, _PAIR = re.compile("[\ud800-\udfff]"), re.compile("[\ud800-\udbff][\udc00-\udfff]")

_MISSING = ("NoneType", "NAType", "NaTType")
_PLAIN = frozenset([str, int, bool, type(None)])
_DEEPEST = 100
_MOST_BITS = 4096
"""Larger integers cannot be written as text by Python, and so not be saved."""
_SAVED = "str, int, bool, None or tuples of these"


def normalize_name(name: object, depth: int = 0) -> Name:
    """Return the name of a node as plain Python: NumPy scalars become ``int``, ``bool``, ``str`` or ``float``.

    Raises
    ------
    GraphError
        If the name is NaN, cannot be hashed, or has tuples that are nested too deeply.
    """
    if type(name) in _PLAIN:
        return name
    if isinstance(name, np.datetime64 | np.timedelta64):
        raise GraphError(f"A name must not be a NumPy date or duration; got {name!r}. Convert it to a string.")
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, tuple):
        if depth == _DEEPEST:
            raise GraphError(f"Tuples in a name must be nested at most {_DEEPEST} deep; got a deeper one.")
        return tuple(normalize_name(part, depth + 1) for part in name)
    if isinstance(name, np.ndarray):
        raise GraphError(f"A name must be hashable (a string, a number, a tuple, ...); got an array, {name!r}.")
    if is_missing(name) or name != name:
        raise GraphError(f"A name must not be NaN or missing; got {name!r}. Use None or a string instead.")
    try:
        hash(name)
    except TypeError:
        raise GraphError(
            f"A name must be hashable (a string, a number, a tuple, ...); got {name!r} of type {type(name).__name__!r}."
        ) from None
    return name


def saved_name(name: object, kind: str = "symbol") -> Name:
    """Return the name of a symbol or type as plain Python.

    Names that cannot be saved are refused here, and not only when a trained model is saved.

    Raises
    ------
    GraphError
        If the name is not a str, int, bool, None or a tuple of these.
    """
    if type(name) is int and name.bit_length() > _MOST_BITS:
        raise GraphError(
            f"Names of {kind}s must have at most {_MOST_BITS:,} bits if they are integers; got a larger one."
        )
    if type(name) in _PLAIN or (type(name) is tuple and _PLAIN.issuperset(map(type, name))):
        return name
    return _savable(normalize_name(name), kind)


def _savable(name: Name, kind: str) -> Name:
    if type(name) in _PLAIN:
        return name
    if isinstance(name, tuple):
        return tuple(_savable(part, kind) for part in name)
    if isinstance(name, str):
        return str.__str__(name)  # also of an Enum, whose str() differs
    if isinstance(name, int):
        return int.__int__(name)
    advice = (
        "Divide numbers into bins, or convert it to a string" if isinstance(name, float) else "Convert it to a string"
    )
    raise GraphError(f"Names of {kind}s must be {_SAVED}; got {name!r} of type {type(name).__name__!r}. {advice}.")


def is_missing(value: object) -> bool:
    """Whether a value is missing: ``None``, NaN, or pandas' NA or NaT."""
    if isinstance(value, str):
        return False
    # Compared by name, since pandas may not be installed.
    return type(value).__name__ in _MISSING or (isinstance(value, float | np.floating) and bool(value != value))


def is_set(values: object) -> TypeGuard[Set[Any]]:
    """Return whether values are a set, whose order differs between processes; the keys of a dict have an order."""
    return isinstance(values, Set) and not isinstance(values, KeysView | ItemsView)


def in_order(values: Set[T]) -> list[T]:
    """Return the items of a set in the same order in every process."""
    return sorted(values, key=lambda item: (type(plain := _plain(item)).__name__, repr(plain)))


def as_list(values: Iterable[T]) -> list[T]:
    """Return values as a list; those of a set are sorted, so that the order is the same in every process."""
    return in_order(values) if is_set(values) else list(values)


def _plain(item: object) -> object:
    """Return a value whose repr is the same in every process and with every version of NumPy."""
    if isinstance(item, np.generic):
        return item.item()
    if isinstance(item, tuple):
        return tuple(map(_plain, item))
    return in_order(item) if is_set(item) else item


def listed(names: Iterable[T], what: str) -> list[T]:
    """Return names as a list; names in a set are sorted.

    Raises
    ------
    TypeError
        If the names are a single string or a mapping.
    """
    if isinstance(names, str | bytes):
        raise TypeError(f"The {what} must be a list of names; got the string {names!r}. Write [{names!r}].")
    if isinstance(names, Mapping) or not isinstance(names, Iterable):
        raise TypeError(f"The {what} must be a list of names; got {type_of(names)}.")
    return as_list(names)


def refuse_set(names: object, what: str) -> None:
    """Refuse a set where the order of the items matters."""
    if is_set(names):
        raise TypeError(
            f"The {what} must be a list, since the order of the items matters. Got {type_of(names)} instead."
        )


def number_name(value: float) -> int | str:
    """Return a number as an int if it is an integer, else as text, because files cannot store floats as names.

    The name is exact: Python reads the same number back. Floats of 2**64 and more are text.
    """
    if isinstance(value, int) or (value.is_integer() and abs(value) < 2**64):
        return int(value)
    return str(value)


def name_key(name: Name) -> Hashable:
    """Return a dictionary key that differs for names of different types, such as ``1`` and ``True``."""
    if type(name) is str:
        return name
    if isinstance(name, tuple):
        return (tuple, *map(name_key, name))
    return (type(name), name)


def name_to_json(name: Name) -> JsonName:
    """Return a name as JSON; a tuple becomes a list.

    Raises
    ------
    GraphError
        If the name has a type that cannot be saved.
    """
    if type(name) in _PLAIN:
        return name  # type: ignore[return-value]
    if type(name) is tuple:
        return [name_to_json(part) for part in name]
    raise GraphError(
        f"Names must be {_SAVED} to be saved; got {name!r} of type {type(name).__name__!r}. Rename it before saving."
    )


def name_from_json(value: object, depth: int = 0) -> Name:
    """Return a name read from JSON; a list becomes a tuple.

    Raises
    ------
    GraphFormatError
        If the value is not a name, or has lists that are nested too deeply.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, list):
        if depth == _DEEPEST:
            raise GraphFormatError(f"Lists in a name must be nested at most {_DEEPEST} deep; got a deeper one.")
        return tuple(name_from_json(part, depth + 1) for part in value)
    raise GraphFormatError(
        f"A name in the file must be a string, an integer, a Boolean, null or a list; got {value!r}."
    )


def escaped_surrogates(text: str) -> str:
    r"""Return JSON with halves of surrogate pairs, which UTF-8 does not have, as escapes.

    Raises
    ------
    ValueError
        If two halves are side by side, which JSON reads as another character.

    Examples
    --------
    >>> print(escaped_surrogates('["a\ud800"]'))
    ["a\ud800"]
    """
    if _PAIR.search(text):
        raise ValueError("a name has two halves of a surrogate pair side by side. Rename it first.")
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def shorten(names: Sequence[object], limit: int = 5) -> str:
    """Return the first names as text, and the number of remaining ones."""
    text = ", ".join(map(repr, names[:limit]))
    return f"{text}, ... ({len(names) - limit:,} more)" if len(names) > limit else text
