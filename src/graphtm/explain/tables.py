"""Tables of text: aligned, as Markdown, as LaTeX, as a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from graphtm.errors import require
from graphtm.explain.latex import latex_text


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


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |"
