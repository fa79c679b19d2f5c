"""Names of types, and articles, in messages."""

from __future__ import annotations


def quoted(name: str) -> str:
    """Return the name of a type in quotes, with its article.

    Examples
    --------
    >>> print(quoted("int"), quoted("str"), quoted("uint8"))
    an 'int' a 'str' a 'uint8'
    """
    return f"{article(name)} {name!r}"


def article(word: str) -> str:
    """Return the indefinite article of a word.

    Examples
    --------
    >>> from graphtm.foundation.type_names import article
    >>> article("arm"), article("label")
    ('an', 'a')
    """
    return "an" if word[0] in "aeioAEIO" else "a"


def type_of(value: object) -> str:
    """Return the type of a value, as text with an article."""
    return quoted(type(value).__name__)
