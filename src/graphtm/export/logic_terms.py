"""Names as terms of clingo: different names are different terms, and no name can end a string or a line."""

from __future__ import annotations

from unicodedata import category

from graphtm.errors import GraphTMError
from graphtm.foundation.names import Name
from graphtm.foundation.type_names import type_of

LARGEST = 2**31 - 1
"""The largest integer with which clingo computes; larger ones would silently become others."""
_CONSTANTS: dict[bool | None, str] = {True: "true", False: "false", None: "none"}
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
_UNSAFE = frozenset(["Cc", "Cs", "Zl", "Zp"])
"""Categories of characters that no string of clingo can hold, or that editors and terminals take for line ends."""


def term(name: Name | float) -> str:
    r"""Return a name as a term of clingo.

    Strings are quoted strings; a string with a control character other than a line feed, or with a lone surrogate, is
    ``characters(...)`` with the numbers of its characters. Integers are numbers, or ``int("...")`` beyond 32 bits;
    floats are ``float("...")``; Booleans and ``None`` are the constants ``true``, ``false`` and ``none``; tuples are
    tuples.

    Raises
    ------
    GraphTMError
        If the name is of another type.

    Examples
    --------
    >>> print(term('a "b"'), term("a\tb"), term(5), term(2**31), term(1.0), term(True), term(("x", None)), term(()))
    "a \"b\"" characters(97,9,98) 5 int("2147483648") float("1.0") true ("x",none) ()
    """
    if isinstance(name, str):
        if any(category(character) in _UNSAFE for character in name.replace("\n", "")):
            return f"characters({','.join(str(ord(character)) for character in name)})"
        return f'"{name.translate(_ESCAPES)}"'
    if name is None or isinstance(name, bool):
        return _CONSTANTS[name]
    if isinstance(name, int):
        return str(name) if abs(name) <= LARGEST else f'int("{name}")'
    if isinstance(name, float):
        return f'float("{name!r}")'
    if isinstance(name, tuple):
        return f"({','.join(map(term, name))}{',' if len(name) == 1 else ''})"
    raise GraphTMError(
        "Names in a logic program must be str, int, float, bool, None or tuples of these; got "
        f"{type_of(name)}. Convert it to a string."
    )
