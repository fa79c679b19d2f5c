"""Names that pictures must show as they are: quotes, line breaks, mathematics, code."""

import io
from itertools import pairwise

from matplotlib.text import Text

HOSTILE = ('it\'s "quoted"', "*/ import os", "$x$", "_hidden", "na\u00efve \u2603", "line\nbreak", "\\frac{$", " ")
"""Names as a user may choose them."""
SHOWN = (*HOSTILE[:5], "'line\\nbreak'", "\\frac{$", "' '")
"""What pictures write for them: names that cannot be printed as they would be typed in Python."""


def overlaps(texts, figure):
    """Draw a figure and return how far texts that are one above the other overlap, in pixels; at most 0 is good."""
    figure.canvas.draw()
    boxes = sorted((Text.get_window_extent(text) for text in texts), key=lambda box: box.y0)
    return max(low.y1 - high.y0 for low, high in pairwise(boxes))


def literal_texts(figure):
    """Draw a figure and return the texts in it that are not read as mathematics, without line breaks."""
    figure.savefig(io.BytesIO())
    texts = [text for text in figure.findobj(Text) if text.get_text() and not text.get_parse_math()]
    return [" ".join(text.get_text().split("\n")) for text in texts]
