"""Names, counts and sizes as text."""

from __future__ import annotations

import re
from zlib import crc32

from graphtm.foundation.names import Name

# Words with a meaning in rules, and names of clauses and of parts of formulas.
_WORDS = re.compile(r"[^\W\d_]\w*([ -]\w+)*")
_RESERVED = frozenset(
    ["AND", "ANY", "EXISTS", "IN", "IS", "NEVER", "NODE", "NOT", "OF", "OR", "TYPE", "True", "False", "None"]
)
_CLAUSE = re.compile(r"[CF]\d+")
_COMPARISONS = frozenset([">=", "<=", ">", "<", "!="])
# Names of floats, which are text, and of ranges in tables.
_DECIMAL = re.compile(r"-?\d+\.\d+|-?\d+(\.\d+)?e[-+]\d+")
_RANGE = re.compile(r"\[[-+.\w]+, [-+.\w]+\)")
_HALF_RANGE = re.compile(r"(<|>=) [-+.\w]+")
# Names of neighbourhoods, such as "C(-C(-C,-N),=O(=C))", grow with the number of hops and neighbours.
_NESTED = re.compile(r".*\(.*\)'*", re.DOTALL)
_LONGEST, _SHOWN = 80, 60


def count(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural if needed."""
    return f"{number:,} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """Return a noun in the plural."""
    return f"{noun}{'es' if noun.endswith('s') else 's'}"


def bare(name: Name) -> str:
    """Return a name as rules print it: without quotes if that is unambiguous.

    Tuples are printed as comparisons or lists. Different names have different texts, except that a tuple with a number
    and one with its text may look alike.

    Examples
    --------
    >>> print(bare("red"), bare("NOT"), bare(("color", "red")), bare(("age", ">=", 30)), bare(("pixel", 5, 7)))
    red 'NOT' color=red age>=30 pixel(5, 7)
    """
    if isinstance(name, tuple):
        return _tuple_text(name)
    plain = isinstance(name, str) and _WORDS.fullmatch(name) and not _RESERVED.intersection(re.split("[ -]", name))
    if plain and not _CLAUSE.fullmatch(str(name)):
        return str(name)
    return repr(shortened(name) if isinstance(name, str) else name)


def shortened(name: str) -> str:
    """Return a long name of nested parts as its beginning and a checksum, by which different names still differ.

    Examples
    --------
    >>> shortened("C(-C,-C)")
    'C(-C,-C)'
    >>> shortened("C(" + 30 * "-C(-C)," + "-C)")
    'C(-C(-C),-C(-C),-C(-C),-C(-C),-C(-C),-C(-C),-C(-C),-C(-C),-C...)#105eb495'
    """
    if len(name) <= _LONGEST or not _NESTED.fullmatch(name):
        return name
    return f"{name[:_SHOWN]}...)#{crc32(name.encode('utf-8', 'surrogatepass')):08x}"


def _tuple_text(name: tuple[Name, ...]) -> str:
    """Return a tuple as text: a comparison with its first part on the left, or a list in parentheses."""
    if _is_list(name):
        return f"({', '.join(map(_part, name))})"
    if all(isinstance(part, tuple) and part for part in name):  # such as several attributes of an edge
        return f"({', '.join(map(bare, name))})"
    head, *rest = name
    if len(rest) == 1:
        return f"{_part(head)}={_part(rest[0])}"
    sign, value = rest[-2:]
    if isinstance(sign, str) and sign in _COMPARISONS:
        return f"{_called(head, rest[:-2])}{sign}{_part(value)}"
    if sign == "is" and len(rest) == 2:
        return f"{_part(head)} IS {_part(value)}"
    if sign == "in" and len(rest) == 2 and isinstance(value, str):
        if _RANGE.fullmatch(value):
            return f"{_part(head)} IN {value}"
        if _HALF_RANGE.fullmatch(value):
            return f"{_part(head)} {value}"
    if all(isinstance(part, str) for part in name):  # words in a row
        return "+".join(map(_part, name))
    return _called(head, rest)


def _is_list(name: tuple[Name, ...]) -> bool:
    """Whether a tuple is printed as a list: it has fewer than two parts, or its first part is not a name."""
    return len(name) < 2 or not isinstance(name[0], str | tuple)


def _called(head: Name, rest: list[Name]) -> str:
    return f"{_part(head)}({', '.join(map(_part, rest))})" if rest else _part(head)


def _part(part: Name) -> str:
    """Return a part of a tuple as text; nested tuples are put in parentheses."""
    if isinstance(part, str) and _DECIMAL.fullmatch(part):
        return part
    return f"({bare(part)})" if isinstance(part, tuple) and not _is_list(part) else bare(part)


def cut(text: str, most: int | None) -> str:
    """Return at most so many letters of a text, of which the last shows that others are missing.

    Examples
    --------
    >>> print(cut("a long name", 7), cut("name", 7))
    a long… name
    """
    return text if most is None or len(text) <= most else f"{text[: most - 1]}…"


def size_text(n_bytes: int) -> str:
    """Return a number of bytes in readable units."""
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"
