"""Tables of clauses as aligned text, Markdown, LaTeX, HTML or a data frame."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from graphtm.explain.literals import latex_text
from graphtm.foundation.calling import require
from graphtm.foundation.display import count

MOST_ROWS = 50
"""Maximum number of rows that notebooks show."""
_LEFT = ' style="text-align: left"'


@dataclass(frozen=True)
class ClauseTable:
    """Table of clauses, as text.

    Parameters
    ----------
    header
        Column names.
    rows
        Cells, row by row.
    latex_header, latex_rows
        Header and cells for LaTeX, already escaped. Default: ``header`` and ``rows``, escaped.

    Examples
    --------
    >>> print(ClauseTable(("rule", "votes"), (("A", "+3"), ("NOT A", "-12"))))
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
        return f"<ClauseTable of {count(len(self.rows), 'row')} and {count(len(self.header), 'column')}>"

    def _repr_html_(self) -> str:
        return table_html(self.header, self.rows)

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return "\n".join(map(_markdown_row, (self.header, ["---"] * len(self.header), *self.rows)))

    def to_latex(self) -> str:
        """Return the table as a LaTeX ``tabular`` for the ``booktabs`` package."""
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
    """Return a table as HTML, at most ``MOST_ROWS`` rows of it and the number of rows left out.

    Parameters
    ----------
    header, rows
        Text; it is escaped here.
    n_rows
        Total number of rows, if ``rows`` holds only the first ones.
    """
    total = len(rows) if n_rows is None else n_rows
    shown = rows[:MOST_ROWS]
    more = f"<p>... and {total - len(shown):,} more rows</p>" if total > len(shown) else ""
    lines = "".join(_row(row, "td") for row in shown)
    return f"<table><thead>{_row(header, 'th')}</thead><tbody>{lines}</tbody></table>{more}"


def _row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}{_LEFT}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|").replace("\n", "<br>") for cell in cells) + " |"
