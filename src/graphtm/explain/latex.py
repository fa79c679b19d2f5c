"""Any text for LaTeX: what would be taken for a command is escaped."""

from __future__ import annotations

from collections.abc import Hashable

from graphtm.foundation.display import bare

_IN_TEXT = str.maketrans(
    {character: f"\\{character}" for character in "_%&#${}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
_IN_MATH = _IN_TEXT | str.maketrans(
    {"\\": r"{\backslash}", "~": r"\text{\textasciitilde}", "^": r"\text{\textasciicircum}", " ": r"\ "}
)


def latex_text(text: str) -> str:
    r"""Return text for a paragraph or a cell.

    Examples
    --------
    >>> print(latex_text("50 % of {A}"))
    50 \% of \{A\}
    """
    return text.translate(_IN_TEXT)


def latex_name(name: Hashable) -> str:
    r"""Return a name for LaTeX's mathematical mode, upright if it is longer than a letter.

    Examples
    --------
    >>> print(latex_name("A"), latex_name("next_to"))
    A \mathrm{next\_to}
    """
    text = bare(name).translate(_IN_MATH)
    return text if len(text) == 1 else rf"\mathrm{{{text}}}"
