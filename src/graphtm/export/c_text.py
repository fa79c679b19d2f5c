"""C source as text: identifiers, integer types, arrays and string literals."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from graphtm.foundation.names import Name

_LONGEST_NAME = 31
"""C99 promises 63 significant characters in an identifier; headers add to the name."""
_LONGEST_LITERAL = 4000
"""C99 promises 4,095 characters in a string literal."""
_WIDTH = 100
_ESCAPED = {ord('"'): r"\"", ord("'"): r"\'", ord("\\"): r"\\", ord("?"): r"\?"}  # ?? could begin a trigraph


def check_identifier(name: str) -> None:
    """Check that the identifiers of a header can begin with a name.

    Raises
    ------
    ValueError
        If not.

    Examples
    --------
    >>> check_identifier("my model")
    Traceback (most recent call last):
        ...
    ValueError: The name of a C header must begin with a letter and have at most 31 letters, digits and single
    underscores, such as 'model'. Got 'my model' instead.
    """
    # C++ reserves names with two underscores in a row.
    if len(name) > _LONGEST_NAME or not re.fullmatch("[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*", name):
        raise ValueError(
            f"The name of a C header must begin with a letter and have at most {_LONGEST_NAME} letters, digits and "
            f"single underscores, such as 'model'. Got {name!r} instead."
        )


def identifier(stem: str) -> str:
    """Return the name of a file as a name that :func:`check_identifier` accepts.

    Examples
    --------
    >>> identifier("toxic-2 (new)"), identifier("2nd")
    ('toxic_2_new', 'machine_2nd')
    """
    name = re.sub("[^A-Za-z0-9]+", "_", stem).strip("_")
    name = name if re.match("[A-Za-z]", name) else f"machine_{name}"
    return name[:_LONGEST_NAME].rstrip("_")


def unsigned_type(largest: int) -> str:
    """Return the smallest type for numbers from 0 to ``largest``."""
    return next(f"uint{bits}_t" for bits in (8, 16, 32, 64) if largest < 1 << bits)


def signed_type(largest: int) -> str:
    """Return the smallest type for numbers from ``-largest`` to ``largest``.

    Examples
    --------
    >>> signed_type(127), signed_type(128)
    ('int8_t', 'int16_t')
    """
    return next(f"int{bits}_t" for bits in (8, 16, 32, 64) if largest < 1 << (bits - 1))


def array(declaration: str, items: Iterable[object]) -> str:
    """Return the definition of a constant array. Without items it has a zero, since C has no empty arrays.

    Examples
    --------
    >>> print(array("int8_t numbers", [1, -2]))
    static const int8_t numbers[] = {
        1, -2
    };
    """
    return "\n".join([f"static const {declaration}[] = {{", *_lines(list(map(str, items)) or ["0"]), "};"])


def _lines(items: Sequence[str]) -> Iterator[str]:
    start, width = 0, 4
    for number, item in enumerate(items):
        width += len(item) + 2
        if width > _WIDTH and number > start:
            yield f"    {', '.join(items[start:number])},"
            start, width = number, 4 + len(item) + 2
    yield f"    {', '.join(items[start:])}"


def string_literal(text: str) -> str:
    r"""Return a text as a string literal in plain ASCII; other characters are escaped bytes of UTF-8.

    Examples
    --------
    >>> print(string_literal('say "é"\n*/'))
    "say \"\303\251\"\012*/"
    """
    return f'"{"".join(_characters(text))}"'


def texts_of(names: Iterable[Name | float]) -> list[str]:
    r"""Return a text for each name: different ones for different names, and without NUL characters.

    If all names are strings, these are the texts. Otherwise, names that are not strings are written as JSON, and so are
    strings that read as JSON.

    Examples
    --------
    >>> texts_of(["A", "1"])
    ['A', '1']
    >>> print(*texts_of(["A", "1", 1, True, ("row", 1)]), sep="\n")
    A
    "1"
    1
    true
    ["row", 1]
    """
    names = list(names)
    plain = all(isinstance(name, str) and "\0" not in name for name in names)
    return [
        name if isinstance(name, str) and (plain or not _must_be_quoted(name)) else json.dumps(name, ensure_ascii=False)
        for name in names
    ]


def _must_be_quoted(name: str) -> bool:
    try:
        json.loads(name)
    except (ValueError, RecursionError):
        return "\0" in name
    return True


def name_table(identifier: str, names: Iterable[Name | float]) -> str:
    """Return the definition of an array of names as text.

    Examples
    --------
    >>> print(name_table("colours", ["red", "blue"]))
    static const char *const colours[] = {
        "red", "blue"
    };
    """
    long, literals = [], []
    for number, text in enumerate(texts_of(names)):
        literal = string_literal(text)
        if len(literal) > _LONGEST_LITERAL:
            literal = f"{identifier}_{number}"
            long.append(array(f"char {literal}", [*(f"'{one}'" for one in _characters(text)), "0"]))
        literals.append(literal)
    return "\n".join([*long, array(f"char *const {identifier}", literals)])


def _characters(text: str) -> list[str]:
    return [
        _ESCAPED.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
        for byte in text.encode("utf-8", "surrogatepass")
    ]
