"""Names that look like code, markup or mathematics, and how to check that a picture writes them as they are."""

import io

HOSTILE = (
    "'\"",
    "a\nb",
    "*/ x",
    "import os",
    "$x$",
    "$\\frac{1}{",
    "%s {0}",
    "<b>&amp;",
    "_hidden",
    "naïve ñ Ω",
    "\\n",
    "",
)
"""Each is a legal name of a symbol, a node, an edge type or a class."""


def literal_texts(ax):
    """Draw a picture in every format, and return its texts, none of which may be read as mathematics."""
    for suffix in ("png", "svg", "pdf"):
        ax.figure.savefig(io.BytesIO(), format=suffix)
    legends = [child for child in ax.get_children() if hasattr(child, "get_texts")]
    written = [*ax.texts, ax.title, *(text for one in legends for text in (*one.get_texts(), one.get_title()))]
    assert not any(text.get_parse_math() for text in written if "$" in text.get_text())
    return [text.get_text() for text in written]
