"""Numbers that are written as text."""

from __future__ import annotations

import re

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_DIGITS = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?|inf|infinity)", re.IGNORECASE)


def as_integer(text: str) -> int | None:
    """Return an integer of at most 64 bits, written as Python writes it, or None.

    Examples
    --------
    >>> as_integer("-7"), as_integer("007"), as_integer("7.0")
    (-7, None, None)
    """
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def as_number(text: str) -> float | None:
    """Return a number that is written in any usual way, with or without spaces around it, or None.

    Examples
    --------
    >>> as_number(" 1.5"), as_number("007"), as_number("1e-3"), as_number("1,5")
    (1.5, 7.0, 0.001, None)
    """
    stripped = text.strip(" ")
    return float(stripped) if _NUMBER.fullmatch(stripped) else None


def is_whole(text: str) -> bool:
    """Whether a number is written with digits only."""
    return _DIGITS.fullmatch(text.strip(" ")) is not None
