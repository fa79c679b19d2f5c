"""Names of symbols, edge types and node types: what may be one, and how they are numbered.

Users name symbols and types with strings, whole numbers, Booleans, ``None`` and tuples of these, which files hold;
nodes with anything hashable. Python holds ``1`` and ``True`` to be equal; as names they are different things here,
because a symbol ``True`` of one table column must not turn into the symbol ``1`` of another.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import TypeAlias, TypeVar

import numpy as np

from graphtm.errors import GraphError, GraphFormatError

Name: TypeAlias = Hashable
JsonName: TypeAlias = "str | int | bool | list[JsonName] | None"

T = TypeVar("T")

_MISSING = ("NoneType", "NAType", "NaTType")
_PLAIN = frozenset([str, int, bool, type(None)])
_DEEPEST = 100
_SAVED = "str, int, bool, None or tuples of these"


def normalize_name(name: object, depth: int = 0) -> Name:
    """Return the name of a node as plain Python: NumPy scalars become ``int``, ``bool``, ``str`` or ``float``.

    Raises
    ------
    GraphError
        If the name is NaN (it would never be found again), cannot be hashed, or nests tuples so deeply that it could
        not be compared or printed.
    """
    if type(name) in _PLAIN:
        return name
    if isinstance(name, np.datetime64 | np.timedelta64):
        raise GraphError(f"A name must not be a NumPy date or duration, got {name!r}; write it as a string.")
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, tuple):
        if depth == _DEEPEST:
            raise GraphError(f"Tuples in a name must not be nested more than {_DEEPEST} deep; those of one are.")
        return tuple(normalize_name(part, depth + 1) for part in name)
    if isinstance(name, np.ndarray):
        raise GraphError(f"A name must be hashable (a string, a number, a tuple, ...); got an array, {name!r}.")
    if name != name:
        raise GraphError("A name must not be NaN, since NaN equals nothing; use None or a string instead.")
    try:
        hash(name)
    except TypeError:
        raise GraphError(
            f"A name must be hashable (a string, a number, a tuple, ...); got {name!r} of type {type(name).__name__!r}."
        ) from None
    return name


def saved_name(name: object, kind: str = "symbol") -> Name:
    """Return the name of a symbol or type as plain Python.

    Names that no file can hold are refused here, where they are given: a model that was trained with one could not be
    saved.

    Raises
    ------
    GraphError
        If the name is neither str, int, bool, None nor a tuple of these.
    """
    if type(name) in _PLAIN or (type(name) is tuple and _PLAIN.issuperset(map(type, name))):
        return name
    return _savable(normalize_name(name), kind)


def _savable(name: Name, kind: str) -> Name:
    if type(name) in _PLAIN:
        return name
    if isinstance(name, tuple):
        return tuple(_savable(part, kind) for part in name)
    if isinstance(name, str):
        return str.__str__(name)  # of an Enum, too, whose own text is another
    if isinstance(name, int):
        return int.__int__(name)
    advice = "Cut numbers into bins, or write it as a string" if isinstance(name, float) else "Write it as a string"
    raise GraphError(
        f"Names of {kind}s must be {_SAVED}, which files hold; got {name!r} of type {type(name).__name__!r}. {advice}."
    )


def is_missing(value: object) -> bool:
    """Whether a value of some data stands for none: ``None``, NaN, or the NA and NaT of pandas."""
    if isinstance(value, str):
        return False
    # By their names: a value of pandas is at hand only where pandas is.
    return type(value).__name__ in _MISSING or (isinstance(value, float | np.floating) and bool(value != value))


def in_order(values: Set[T]) -> list[T]:
    """Return the items of a set in the same order in every process, which the order of a set of strings is not."""
    return sorted(values, key=lambda item: (type(plain := _plain(item)).__name__, repr(plain)))


def _plain(item: object) -> object:
    """Return a value whose text is the same in every process and with every version of NumPy."""
    if isinstance(item, np.generic):
        return item.item()
    if isinstance(item, tuple):
        return tuple(map(_plain, item))
    return in_order(item) if isinstance(item, Set) else item


def listed(names: Iterable[T], what: str) -> list[T]:
    """Return names that number something by their order: those of a set are put in order.

    Raises
    ------
    TypeError
        If they are one string, or a mapping, whose values would be lost.
    """
    if isinstance(names, str | bytes):
        raise TypeError(f"The {what} must be a list of names; got the string {names!r}; write [{names!r}].")
    if isinstance(names, Mapping) or not isinstance(names, Iterable):
        raise TypeError(f"The {what} must be a list of names; got a {type(names).__name__!r}.")
    return in_order(names) if isinstance(names, Set) else list(names)


def refuse_set(names: object, what: str) -> None:
    """Refuse a set where the place of an item says what it belongs to."""
    if isinstance(names, Set):
        raise TypeError(
            f"The {what} must be a list, since the place of each item tells what it belongs to. Got a "
            f"{type(names).__name__!r} instead, which has no order."
        )


def name_key(name: Name) -> Hashable:
    """Return a dictionary key under which names of different types never meet."""
    if type(name) is str:
        return name
    if isinstance(name, tuple):
        return (tuple, *map(name_key, name))
    return (type(name), name)


def name_to_json(name: Name) -> JsonName:
    """Return the JSON form of a name; a tuple becomes a list, since no list can be a name.

    Raises
    ------
    GraphError
        If the name is of a type that a file cannot hold.
    """
    if type(name) in _PLAIN:
        return name  # type: ignore[return-value]
    if type(name) is tuple:
        return [name_to_json(part) for part in name]
    raise GraphError(
        f"Only names that are {_SAVED} can be written to a file; got {name!r} of type {type(name).__name__!r}. Rename "
        "it before saving."
    )


def name_from_json(value: object, depth: int = 0) -> Name:
    """Return the name that :func:`name_to_json` wrote, or another reader of JSON found.

    Raises
    ------
    GraphFormatError
        If it is no name, or lists are nested so deeply that it could not be compared or printed.
    """
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, list):
        if depth == _DEEPEST:
            raise GraphFormatError(f"Lists in a name must not be nested more than {_DEEPEST} deep; those of one are.")
        return tuple(name_from_json(part, depth + 1) for part in value)
    raise GraphFormatError(
        f"A name in the file must be a string, an integer, a Boolean, null or a list; got {value!r}."
    )


def shorten(names: Sequence[object], limit: int = 5) -> str:
    """Return the first few names as text, and how many were left out."""
    text = ", ".join(map(repr, names[:limit]))
    return f"{text}, ... ({len(names) - limit:,} more)" if len(names) > limit else text
