"""Names of types in error messages."""

from __future__ import annotations


def quoted(name: str) -> str:
    """Return the name of a type in quotes, with its article.

    Examples
    --------
    >>> print(quoted("int"), quoted("str"), quoted("uint8"))
    an 'int' a 'str' a 'uint8'
    """
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name!r}"


def type_of(value: object) -> str:
    """Return the type of a value, as text with an article."""
    return quoted(type(value).__name__)
