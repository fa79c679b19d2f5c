"""Tables of text: aligned, as Markdown, as LaTeX, as a frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from graphtm.explain.latex import latex_text
from graphtm.foundation.calling import require
from graphtm.foundation.display import count

MOST_ROWS = 50
"""Rows of a table that notebooks show."""
_LEFT = ' style="text-align: left"'


@dataclass(frozen=True)
class Table:
    """Rows of text under a header.

    Parameters
    ----------
    header
        Names of the columns.
    rows
        The cells.
    latex_header, latex_rows
        The same for LaTeX, where that is written differently; it must then be escaped.

    Examples
    --------
    >>> print(Table(("rule", "votes"), (("A", "+3"), ("NOT A", "-12"))))
    rule   votes
    A      +3
    NOT A  -12
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    latex_header: tuple[str, ...] = ()
    latex_rows: tuple[tuple[str, ...], ...] = ()

    def __str__(self) -> str:
        lines = [self.header, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def __repr__(self) -> str:
        return f"<Table of {count(len(self.rows), 'row')} and {count(len(self.header), 'column')}>"

    def _repr_html_(self) -> str:
        return table_html(self.header, self.rows)

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return "\n".join(map(_markdown_row, (self.header, ["---"] * len(self.header), *self.rows)))

    def to_latex(self) -> str:
        """Return the table as a LaTeX ``tabular`` with the rules of ``booktabs``."""
        written = (self.latex_header, *self.latex_rows)
        if not self.latex_header:
            written = tuple(tuple(map(latex_text, row)) for row in (self.header, *self.rows))
        header, *rows = [" & ".join(row) + r" \\" for row in written]
        columns = "l" * len(self.header)
        lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", header, r"\midrule", *rows, r"\bottomrule"]
        return "\n".join([*lines, r"\end{tabular}"])

    def to_frame(self) -> Any:
        """Return the table as a ``pandas.DataFrame``.

        Raises
        ------
        MissingLibraryError
            If pandas is not installed.
        """
        return require("pandas", "to_frame", "frames").DataFrame(list(self.rows), columns=list(self.header))


def table_html(header: Sequence[str], rows: Sequence[Sequence[str]], n_rows: int | None = None) -> str:
    """Return a table of text; of more than ``MOST_ROWS`` rows the first, and a line that says how many there are.

    Parameters
    ----------
    header, rows
        Text, which is escaped here.
    n_rows
        How many rows there are, if not all are given.
    """
    total = len(rows) if n_rows is None else n_rows
    shown = rows[:MOST_ROWS]
    more = f"<p>... and {total - len(shown):,} more rows</p>" if total > len(shown) else ""
    lines = "".join(_row(row, "td") for row in shown)
    return f"<table><thead>{_row(header, 'th')}</thead><tbody>{lines}</tbody></table>{more}"


def _row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}{_LEFT}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
