"""Formulas as text and as LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphtm.explain.literals import latex_name
from graphtm.foundation.display import bare
from graphtm.foundation.parameters import check_at_least

if TYPE_CHECKING:
    from graphtm.explain.formulas import Formula


GROUPS = ("all", "any", "count")
"""Kinds of formulas that combine several parts; those used more than once get a name."""


@dataclass(frozen=True)
class Notation:
    """How to write each kind of formula."""

    name: Callable[[Any], str]
    node_type: str
    anything: str
    never: str
    constant: str
    negation: str
    exists: str
    conjunction: str
    any_of: str
    counted: Callable[[int], tuple[str, str, str]]
    times: tuple[str, str]
    match: str
    label: str
    where: str
    left_out: str

    def around(self, times: int) -> tuple[str, str]:
        """Return what stands before and after a part that counts so many times."""
        before, after = self.times if times > 1 else ("", "")
        return before.format(times), after.format(times)

    def counting(self, text: str, times: int) -> str:
        """Return the text of a part that counts so many times."""
        before, after = self.around(times)
        return f"{before}{text}{after}"


def _counted_text(base: int) -> tuple[str, str, str]:
    """Return what opens, separates and closes counted parts; ``base`` is the strength if none of them holds."""
    opened = f"at least {1 - base} of" if base <= 0 else f"{TEXT.constant.format(base)}, and 1 more for each of"
    return f"{opened}: ", ", ", ""


def _counted_latex(base: int) -> tuple[str, str, str]:
    if base < 0:
        return r"\max(0, ", " + ", f" - {-base})"
    return f"{base} + " if base else "", " + ", ""


TEXT = Notation(
    name=bare,
    node_type="TYPE {}",
    anything="ANY",
    never="NEVER",
    constant="strength {} always",
    negation="NOT ",
    exists="EXISTS {}: ",
    conjunction=" AND ",
    any_of="ANY OF {:,}: (",
    counted=_counted_text,
    times=("", " (counts as {})"),
    match="M({}, X_{})",
    label="F{}",
    where="\nwhere {} = {}",
    left_out="\n({:,} of {:,} terms left out)",
)
LATEX = Notation(
    name=latex_name,
    node_type=r"\mathrm{{type}}\,{}",
    anything=r"\phi",
    never=r"\bot",
    constant="{}",
    negation=r"\neg ",
    exists=r"\exists_{{{}}}\, ",
    conjunction=r" \wedge ",
    any_of=r"\bigvee\nolimits_{{{:,}}} (",
    counted=_counted_latex,
    times=(r"{} \cdot ", ""),
    match=r"\mathcal{{M}}({}, X_{})",
    label="F_{{{}}}",
    where=r" \quad\text{{where }} {} = {}",
    left_out=r" \quad\text{{({:,} of {:,} terms left out)}}",
)


def written(formula: Formula, notation: Notation, max_terms: int | None) -> str:
    """Return a formula in a notation; parts used more than once are named and written once."""
    check_at_least("max_terms", "to_text and to_latex", max_terms, 1)
    return _Writer(formula, notation, max_terms).text()


def place_text(place: int) -> str:
    """Return a place of a chain in the paper's notation: ``n``, ``{n-1}``."""
    return f"{{n{place:+d}}}" if place else "n"


class _Writer:
    """Writes one formula from the top, without recursion: formulas can be deeper than Python's stack."""

    def __init__(self, formula: Formula, notation: Notation, max_terms: int | None) -> None:
        self._formula, self._notation = formula, notation
        self._named, self._n_terms = _named_and_terms(formula)
        self._left = self._n_terms if max_terms is None else max_terms
        self._labels: dict[int, str] = {}

    def text(self) -> str:
        notation, written = self._notation, 0
        pieces: list[str] = []
        waiting = [self._formula]
        for formula in waiting:
            if self._left <= 0 and pieces:
                break
            before = self._left
            body = "".join(self._body(formula, waiting))
            label = self._labels.get(formula.number)
            pieces.append(body if label is None else notation.where.format(label, body))
            written += before - self._left
        if written < self._n_terms:
            pieces.append(notation.left_out.format(self._n_terms - written, self._n_terms))
        return "".join(pieces)

    def _body(self, top: Formula, waiting: list[Formula]) -> Iterator[str]:
        """Yield the pieces of one formula; named parts are added to ``waiting``."""
        frames: list[tuple[Iterator[Formula], str, str]] = [(iter([top]), "", "")]
        separator = ""
        while frames:
            parts, between, close = frames[-1]
            part = next(parts, None)
            if part is None or self._left <= 0:
                yield (f"{between}..." if part is not None else "") + close
                frames.pop()
                separator = frames[-1][1] if frames else ""
                continue
            yield separator
            before, after = self._notation.around(part.name if part.kind == "times" else 1)
            prefix, core = self._unwrapped(part.parts[0] if part.kind == "times" else part)
            yield f"{before}{prefix}"
            if core.kind in GROUPS and core.parts and (core is top or core.number not in self._named):
                opened, separator, close = self._brackets(core, bare=core is top and not prefix)
                yield opened
                frames.append((iter(core.parts), separator, f"{close}{after}"))
                separator = ""
                continue
            yield (self._label(core, waiting) if core.number in self._named else self._atom(core)) + after
            self._left -= 1
            separator = between

    def _unwrapped(self, formula: Formula) -> tuple[str, Formula]:
        """Return the prefix of NOT and EXISTS, and the formula they apply to."""
        prefix = []
        while formula.kind in ("not", "exists"):
            notation = self._notation
            negated = formula.kind == "not"
            prefix.append(notation.negation if negated else notation.exists.format(notation.name(formula.name)))
            formula = formula.parts[0]
        return "".join(prefix), formula

    def _brackets(self, group: Formula, *, bare: bool) -> tuple[str, str, str]:
        if group.kind == "any":
            return self._notation.any_of.format(len(group.parts)), ", ", ")"
        if group.kind == "count":
            opened, separator, close = self._notation.counted(group.name)
            return (opened, separator, close) if bare else (f"({opened}", separator, f"{close})")
        return ("", self._notation.conjunction, "") if bare else ("(", self._notation.conjunction, ")")

    def _label(self, formula: Formula, waiting: list[Formula]) -> str:
        if formula.number not in self._labels:
            self._labels[formula.number] = self._notation.label.format(len(self._labels) + 1)
            waiting.append(formula)
        return self._labels[formula.number]

    def _atom(self, formula: Formula) -> str:
        notation = self._notation
        if formula.kind == "has":
            return notation.name(formula.name)
        if formula.kind == "type":
            return notation.node_type.format(notation.name(formula.name))
        if formula.kind == "match":
            place, conditions = formula.name
            texts = ["".join((prefix, self._atom(core))) for prefix, core in map(self._unwrapped, conditions)]
            return notation.match.format(notation.conjunction.join(texts) or notation.anything, place_text(place))
        if formula.kind == "count":
            return notation.constant.format(formula.name)
        return notation.anything if formula.is_true else notation.never


def _named_and_terms(formula: Formula) -> tuple[set[int], int]:
    """Return the parts used more than once, which get a name, and the number of terms to write.

    A term is a symbol, a type, ANY, or the name of a part.
    """
    times = {formula.number: 1}
    named: set[int] = set()
    n_terms = 0
    for part in reversed(formula.walk()):
        written = times[part.number]
        if part.kind in GROUPS and part.parts and written > 1:
            named.add(part.number)
            n_terms += written
            written = 1
        elif not part.parts:
            n_terms += written
        for inner in part.parts:
            times[inner.number] = times.get(inner.number, 0) + written
    return named, n_terms
