"""How explanations are printed: names of nodes and edges, the largest scores, and long lines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from graphtm.explain.scores import Floats, Scores
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.display import bare
from graphtm.foundation.names import Name, name_key, normalize_name, shorten
from graphtm.graphs import Edge, PackedGraphs

WIDTH = 110
"""Largest width of printed lines, unless another is given."""
SHOWN = 5
"""Number of rules, nodes, edges, symbols and outputs that text shows."""
MOST_USED = 10
"""Maximum number of clauses that text lists because messages refer to them."""
MORE_RULES, MORE_USED = "see .rules(), or .to_text(max_rules=None)", "see .rules().used()"
"""Where to find what text leaves out."""
_UNITS = re.compile(r"""(?<!\w)'(?:[^'\\]|\\.)*'|(?<!\w)"(?:[^"\\]|\\.)*"|\([^()]*\)|\[[^\[\]]*\]| +""")
_SPACE = "\0"


def folded(line: str, width: int | None = WIDTH) -> str:
    """Return a line in several ones of at most ``width``, the others indented; names and their scores stay together.

    Examples
    --------
    >>> print(folded("  C0: " + " AND ".join(["a symbol"] * 15)))
      C0: a symbol AND a symbol AND a symbol AND a symbol AND a symbol AND a symbol AND a symbol AND a symbol AND
          a symbol AND a symbol AND a symbol AND a symbol AND a symbol AND a symbol AND a symbol
    """
    if width is None or len(line) <= width:
        return line
    text = line.lstrip()
    first = line[: len(line) - len(text)]
    return wrapped_text(_UNITS.sub(_glued, text), width, first, f"{first}    ").replace(_SPACE, " ")


def wrapped_text(text: str, width: int, first: str, others: str) -> str:
    """Return text in lines of at most ``width``, indented; what is longer without a space is broken after commas.

    Examples
    --------
    >>> print(wrapped_text("C0: 'C(-C,-N),C(-C,-O)' AND red", 14, "  ", "      "))
      C0:
          'C(-C,
          -N),
          C(-C,
          -O)' AND
          red
    """
    lines = textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(part for line in lines for part in _at_commas(line, width, others))


def _at_commas(line: str, width: int, indent: str) -> Iterator[str]:
    """Yield a line that is too long in parts."""
    while len(line) > width:
        end = line.rfind(",", len(indent) + 1, width) + 1
        if not end:
            break
        yield line[:end]
        line = indent + line[end:].lstrip(f" {_SPACE}")
    yield line


def _glued(found: re.Match[str]) -> str:
    """Keep spaces at which lines may be broken: between items and between parts of a rule."""
    before = found.string[: found.start()]
    may_break = found[0].isspace() and (len(found[0]) > 2 or before.endswith((",", ";", ":", " AND")))
    return found[0] if may_break or not before else found[0].replace(" ", _SPACE)


def listed(texts: Sequence[str], total: int) -> str:
    """Return the first texts, and the number of remaining ones."""
    more = f", ... ({total - len(texts):,} more)" if total > len(texts) else ""
    return ", ".join(texts) + more


def votes_text(votes: Iterable[tuple[Hashable, int]]) -> str:
    """Return names of outputs with their vote sums."""
    return ", ".join(f"{bare(name)} {vote:+,}" for name, vote in votes)


def ranked(names: Sequence[str], values: Floats, text_of: Callable[[float], str]) -> list[str]:
    """Return the names with the largest absolute values, and the values, as text."""
    order = np.argsort(-np.abs(values), kind="stable")[:SHOWN].tolist()
    return [f"{names[place]} {text_of(float(values[place]))}" for place in order if values[place]]


# Nodes and edges


def node_texts(graph: PackedGraphs) -> list[str]:
    """Return the names of the nodes of one graph; mere numbers come with what the node is, as in ``2 (bites)``."""
    names, vocabulary = graph.names_of(0), graph.vocabulary.symbols
    nodes, symbols = graph.properties.pairs()
    carried = np.split(symbols, np.searchsorted(nodes, np.arange(1, graph.n_nodes)))
    texts = []
    for name, numbers in zip(names, carried, strict=True):
        is_number = isinstance(name, int) and not isinstance(name, bool) and graph.n_nodes > 1
        kind = _kind([vocabulary[number] for number in numbers.tolist()]) if is_number else ""
        texts.append(f"{name!r} ({kind})" if kind else repr(name))
    return texts


def _kind(symbols: list[Name]) -> str:
    """Return what a node is: its only symbol that is a word, else its only attribute whose value is a word."""
    words = [symbol for symbol in symbols if isinstance(symbol, str)]
    words = words or [s[1] for s in symbols if isinstance(s, tuple) and len(s) == 2 and isinstance(s[1], str)]
    return bare(words[0]) if len(words) == 1 else ""


def edge_text(edge: Edge, text_of: Callable[[Hashable], str], *, both: bool = False) -> str:
    """Return an edge, or both directions of it, as text; types that are not words are in brackets."""
    kind = bare(edge.type) if isinstance(edge.type, str) else f"[{bare(edge.type)}]"
    return f"{text_of(edge.source)} -{kind}{'-' if both else '->'} {text_of(edge.destination)}"


def numbers_of(wanted: Iterable[Hashable], names: Sequence[Hashable], kind: str) -> Int64Array:
    """Return the numbers of names, all of which must exist."""
    if isinstance(wanted, str):
        raise TypeError(f"The {kind}s must be a list of names; got the string {wanted!r}; write [{wanted!r}].")
    number = {name_key(name): place for place, name in enumerate(names)}
    wanted = [normalize_name(name) for name in wanted]
    strange = [name for name in wanted if name_key(name) not in number]
    if strange:
        raise ValueError(f"Every {kind} must be one of {shorten(names)}; got {shorten(strange)}.")
    return np.array([number[name_key(name)] for name in wanted], dtype=np.int64)


def scores_dict(scores: Scores, names: Sequence[Name]) -> dict[str, Any]:
    """Return scores as plain data, symbols by name."""
    present, absent = scores.symbols, scores.absences
    return {
        "nodes": scores.nodes.tolist(),
        "edges": scores.edges.tolist(),
        "present": [(names[k], float(present[k])) for k in np.flatnonzero(present).tolist()],
        "absent": [(names[k], float(absent[k])) for k in np.flatnonzero(absent).tolist()],
        "silence": scores.silence,
        "existence": scores.existence,
    }
