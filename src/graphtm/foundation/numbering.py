"""Numbered names: immutable lists of distinct names, and numbers in order of first appearance."""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError, UnknownSymbolError
from graphtm.foundation.names import Name, listed, name_key, normalize_name, saved_name, shorten


class Names(Sequence[Name]):
    """An immutable list of distinct names; the index of a name is its number.

    Parameters
    ----------
    names
        The names, in order; names in a set are sorted.
    kind
        What the names stand for, in the singular, for error messages.

    Raises
    ------
    GraphError
        If a name is given twice or cannot be saved.
    """

    __slots__ = ("_kind", "_names", "_number")

    def __init__(self, names: Iterable[object] = (), kind: str = "symbol") -> None:
        self._kind = kind
        self._names: tuple[Name, ...] = tuple(saved_name(name, kind) for name in listed(names, f"{kind}s"))
        self._number = {name_key(name): number for number, name in enumerate(self._names)}
        if len(self._number) < len(self._names):
            seen: set[Hashable] = set()
            for name in self._names:
                if name_key(name) in seen:
                    raise GraphError(f"Names of {kind}s must be unique; got {name!r} twice.")
                seen.add(name_key(name))

    @property
    def kind(self) -> str:
        """What the names stand for, in the singular."""
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

    def __reduce__(self) -> tuple[type[Names], tuple[tuple[Name, ...], str]]:
        # Numbers follow from the names. Their keys contain classes, and joblib cannot hash the class of None.
        return Names, (self._names, self._kind)

    def index(self, name: object, start: int = 0, stop: int | None = None) -> int:
        """Return the number of a name.

        Raises
        ------
        UnknownSymbolError
            If there is no such name. The message lists some names and suggests a similar one.
        """
        number = self._number.get(name_key(normalize_name(name)))
        if number is None or number < start or (stop is not None and number >= stop):
            raise UnknownSymbolError(self.unknown_message([name]))
        return number

    def union(self, other: Names) -> Names:
        """Return these names, followed by the names that are only in ``other``."""
        new = [name for name in other if name_key(name) not in self._number]
        return Names((*self, *new), self.kind) if new else self

    def numbers_in(self, other: Names) -> NDArray[np.int64]:
        """Return the number of each name in ``other``, or -1 if it is not there."""
        return np.array([other._number.get(name_key(name), -1) for name in self], dtype=np.int64)

    def unknown_message(self, unknown: Sequence[object]) -> str:
        """Return an error message with the unknown names, some known names, and similar names."""
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
    """Numbers names in order of first appearance, or as in a declared list of names."""

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
