"""Names of symbols, edge types and node types: what may be one, and how they are numbered.

Users name things with strings, numbers, Booleans, ``None`` and tuples of these. Python holds ``1``,
``True`` and ``1.0`` to be equal; as names they are three different things here, because a symbol
``True`` of one table column must not turn into the symbol ``1`` of another.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Iterator, Sequence, Set
from typing import TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError, GraphFormatError, UnknownSymbolError

Name: TypeAlias = Hashable
JsonName: TypeAlias = "str | int | bool | list[JsonName] | None"

T = TypeVar("T")

_MISSING = ("NoneType", "NAType", "NaTType")


def normalize_name(name: object) -> Name:
    """Return a name as plain Python: NumPy scalars become ``int``, ``bool``, ``str`` or ``float``.

    Raises
    ------
    GraphError
        If the name is NaN (it would never be found again) or cannot be hashed.
    """
    if type(name) is str:
        return name
    if isinstance(name, np.datetime64 | np.timedelta64):
        raise GraphError(f"A name must not be a NumPy date or duration, got {name!r}; write it as a string.")
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, tuple):
        return tuple(normalize_name(part) for part in name)
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


def is_missing(value: object) -> bool:
    """Whether a value of some data stands for none: ``None``, NaN, or the NA and NaT of pandas."""
    if isinstance(value, str):
        return False
    # By their names: a value of pandas is at hand only where pandas is.
    return type(value).__name__ in _MISSING or (isinstance(value, float | np.floating) and bool(value != value))


def in_order(values: Set[T]) -> list[T]:
    """Return the items of a set in the same order in every process, which the order of a set of strings is not."""
    return sorted(values, key=lambda item: (type(item).__name__, repr(item)))


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
    if name is None or type(name) in (str, int, bool):
        return name  # type: ignore[return-value]
    if type(name) is tuple:
        return [name_to_json(part) for part in name]
    raise GraphError(
        "Only names that are str, int, bool, None or tuples of these can be written to a file; "
        f"got {name!r} of type {type(name).__name__!r}. Rename it before saving."
    )


def name_from_json(value: object) -> Name:
    """Return the name that :func:`name_to_json` wrote."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, list):
        return tuple(name_from_json(part) for part in value)
    raise GraphFormatError(
        f"A name in the file must be a string, an integer, a Boolean, null or a list; got {value!r}."
    )


class Names(Sequence[Name]):
    """An immutable list of distinct names, each numbered by its place.

    Parameters
    ----------
    names
        The names in order.
    kind
        What they name, in the singular, for error messages.

    Raises
    ------
    GraphError
        If a name occurs twice.
    """

    __slots__ = ("_kind", "_names", "_number")

    def __init__(self, names: Iterable[object] = (), kind: str = "symbol") -> None:
        if isinstance(names, str | bytes):
            raise TypeError(f"The {kind} names must be a list of names; got the string {names!r}; write [{names!r}].")
        self._kind = kind
        self._names: tuple[Name, ...] = tuple(normalize_name(name) for name in names)
        self._number = {name_key(name): number for number, name in enumerate(self._names)}
        if len(self._number) < len(self._names):
            seen: set[Hashable] = set()
            for name in self._names:
                if name_key(name) in seen:
                    raise GraphError(f"Every {kind} must be named once; got {name!r} twice.")
                seen.add(name_key(name))

    @property
    def kind(self) -> str:
        """What these name, in the singular."""
        return self._kind

    @overload
    def __getitem__(self, index: int) -> Name: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Name, ...]: ...
    def __getitem__(self, index: int | slice) -> Name | tuple[Name, ...]:
        return self._names[index]

    def __len__(self) -> int:
        return len(self._names)

    def __iter__(self) -> Iterator[Name]:
        return iter(self._names)

    def __contains__(self, name: object) -> bool:
        return name_key(normalize_name(name)) in self._number

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Names):
            return NotImplemented
        return self is other or tuple(map(name_key, self)) == tuple(map(name_key, other))

    def __hash__(self) -> int:
        return hash(tuple(map(name_key, self)))

    def __repr__(self) -> str:
        return f"Names({shorten(self)})"

    def index(self, name: object, start: int = 0, stop: int | None = None) -> int:
        """Return the number of a name.

        Raises
        ------
        UnknownSymbolError
            If there is no such name; the message lists names that are there.
        """
        number = self._number.get(name_key(normalize_name(name)))
        if number is None or number < start or (stop is not None and number >= stop):
            raise UnknownSymbolError(self.unknown_message([name]))
        return number

    def union(self, other: Names) -> Names:
        """Return these names followed by those of ``other`` that are not among them."""
        new = [name for name in other if name_key(name) not in self._number]
        return Names((*self, *new), self.kind) if new else self

    def numbers_in(self, other: Names) -> NDArray[np.int64]:
        """Return, for each of these names, its number in ``other``, or -1 where it has none."""
        return np.array([other._number.get(name_key(name), -1) for name in self], dtype=np.int64)

    def unknown_message(self, unknown: Sequence[object]) -> str:
        """Return a sentence that names what is unknown, what is known and what is near."""
        known = f"which has {len(self):,} {self.kind}s: {shorten(self)}" if len(self) else f"which has no {self.kind}s"
        strings = [name for name in self if isinstance(name, str)]
        near = [
            match
            for name in unknown[:3]
            if isinstance(name, str)
            for match in difflib.get_close_matches(name, strings[:10_000], n=1)
        ]
        hint = f" Did you mean {', '.join(map(repr, dict.fromkeys(near)))}?" if near else ""
        plural = "s" if len(unknown) > 1 else ""
        return f"Unknown {self.kind}{plural} {shorten(unknown)}: not in the vocabulary, {known}.{hint}"


class Numbering:
    """Numbers names in order of first appearance, or looks them up where they are declared."""

    def __init__(self, declared: Names | None = None) -> None:
        self._declared = declared
        self._numbers: dict[Hashable, int] = {}
        self._names: list[Name] = []

    def __call__(self, name: Name) -> int:
        if self._declared is not None:
            return self._declared.index(name)
        number = self._numbers.setdefault(name_key(name), len(self._names))
        if number == len(self._names):
            self._names.append(name)
        return number

    def names(self) -> Iterable[Name]:
        """Return all names in the order of their numbers."""
        return self._names if self._declared is None else self._declared


def shorten(names: Sequence[object], limit: int = 5) -> str:
    """Return the first few names as text, and how many were left out."""
    text = ", ".join(map(repr, names[:limit]))
    return f"{text}, ... ({len(names) - limit:,} more)" if len(names) > limit else text
