"""What pictures of machines share: axes, colours, text that is never read as mathematics, and labels beside axes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.calling import require
from graphtm.foundation.names import Name
from graphtm.foundation.type_names import type_of
from graphtm.plots.drawing import MOST_TITLE_LINES, name_text, wrapped
from graphtm.plots.edges import COLOURS
from graphtm.plots.heat import AGAINST, FOR

FONT = 8.0
"""Size in points of labels."""
TITLE_FONT = 10.0
GRID = {"color": "#E3E3E3", "linewidth": 0.8}
_MARKERS = ("o", "s", "^", "D", "v")
_GAP = 4.0
_NARROWEST = 60.0
_LINE = 1.25
_MOST_LINES = 6
"""Maximum number of lines of a text beside axes."""


def axes_for(ax: Any, owner: str, size: tuple[float, float]) -> Any:
    """Return the axes given, or new ones in a figure of a size in inches that makes room for text beside them."""
    if ax is not None:
        return ax
    return require("matplotlib.pyplot", owner, "plots").subplots(figsize=size, layout="constrained")[1]


def looks(number: int) -> dict[str, str]:
    """Return the colour and the marker of a class; both change, so that 35 classes differ."""
    return {"color": COLOURS[number % len(COLOURS)], "marker": _MARKERS[number % len(_MARKERS)]}


def vote_colours() -> Any:
    """Return a colour map from votes against (blue) over none (white) to votes for a class (orange)."""
    return require("matplotlib.colors", "draw_weights", "plots").LinearSegmentedColormap.from_list(
        "votes", [AGAINST, "white", FOR]
    )


def plain(texts: Iterable[Any]) -> None:
    """Keep texts from being read as mathematics: names may contain dollar signs."""
    for text in texts:
        text.set_parse_math(False)


def titled(ax: Any, title: str | None) -> None:
    """Set a title, in as many lines as the width of the axes needs, up to a maximum."""
    if title is not None:
        ax.apply_aspect()
        width = ax.get_window_extent().width * 72 / ax.figure.dpi
        text = wrapped(title, max(width, _NARROWEST), TITLE_FONT, MOST_TITLE_LINES)
        plain([ax.set_title(text, fontsize=TITLE_FONT)])


def legend_text(name: Name) -> str:
    """Return a name for a legend, which would hide one that begins with an underscore."""
    text = name_text(name)
    return f" {text}" if text.startswith("_") else text


def checked_array(values: ArrayLike, name: str, owner: str, n_dimensions: int, must: str) -> NDArray[np.float64]:
    """Return finite numbers as an array of floats.

    Raises
    ------
    ValueError
        If there are other dimensions, or a number is not finite.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != n_dimensions or not np.isfinite(array).all():
        what = f"shape {array.shape}" if array.ndim != n_dimensions else "numbers that are not finite"
        raise ValueError(f"The {name!r} parameter of {owner} must be {must}. Got an array with {what} instead.")
    return array


def fitted_parts(estimator: Any, owner: str) -> tuple[list[Any], Any]:
    """Return the transformers of a fitted pipeline, none for an estimator alone, and the estimator.

    Raises
    ------
    TypeError
        If it is not an estimator of this package, or a pipeline that ends with one.
    NotFittedError
        If it is not fitted.
    """
    before: list[Any] = []
    machine = estimator
    while hasattr(machine, "steps"):
        *first, (_, machine) = machine.steps
        before += [step for _, step in first if not (step is None or isinstance(step, str))]
    if not hasattr(type(machine), "state_"):
        search = " Pass its best_estimator_." if hasattr(machine, "best_estimator_") else ""
        raise TypeError(
            f"The 'estimator' parameter of {owner}.from_estimator must be an estimator of graphtm, or a Pipeline that "
            f"ends with one. Got {type_of(machine)} instead.{search}"
        )
    machine._check_fitted()
    return before, machine


def spread(levels: NDArray[np.float64], sizes: NDArray[np.float64], room: float) -> NDArray[np.float64]:
    """Return centres of items near their levels, in the same order, so that they do not overlap.

    Parameters
    ----------
    levels
        Wanted centres, from 0 to ``room``.
    sizes
        Sizes of the items.
    room
        The largest end; items that do not fit into the room go beyond it.

    Examples
    --------
    >>> spread(np.array([50.0, 52.0, 5.0]), np.full(3, 20.0), 100)
    array([41., 61., 10.])
    """
    blocks: list[tuple[list[int], float, float]] = []  # items, start and end of those that touch
    for item in np.argsort(levels, kind="stable").tolist():
        items, start, end = [item], levels[item] - sizes[item] / 2, levels[item] + sizes[item] / 2
        while True:
            start = max(0.0, min(start, room - (total := float(sizes[items].sum()))))
            end = start + total
            if not blocks or blocks[-1][2] <= start:
                break
            items = [*blocks.pop()[0], *items]
            offsets = np.cumsum(sizes[items]) - sizes[items] / 2
            start = float((levels[items] - offsets).mean())
        blocks.append((items, start, end))
    centres = np.zeros(len(levels))
    for items, start, _ in blocks:
        centres[items] = start + np.cumsum(sizes[items]) - sizes[items] / 2
    return centres


def _fitted(
    texts: Sequence[str], width: float, height: float, most_lines: int = _MOST_LINES
) -> tuple[list[str], NDArray[np.float64]]:
    """Return texts in as many lines as they need and there is room for, and the heights of these."""
    lines = [wrapped(text, width, FONT, most_lines) for text in texts]
    sizes = np.array([(line.count("\n") + 1) * FONT * _LINE + _GAP for line in lines])
    if sizes.sum() <= height or most_lines == 1:
        return lines, sizes
    return _fitted(texts, width, height, most_lines - 1)


def side_labels(ax: Any, points: ArrayLike, texts: Sequence[str], colours: Sequence[str], width: float = 170.0) -> None:
    """Write texts to the right of axes, level with their points if there is room, and join both by lines.

    Long texts are cut, to few lines if there are many texts.

    Parameters
    ----------
    ax
        Axes with all that they show.
    points
        Place (x, y) of each point.
    texts, colours
        Text of each point, and the colour of its line.
    width
        Width in points at which texts are wrapped.
    """
    if not texts:
        return
    ax.autoscale_view()  # which would otherwise wait until the figure is drawn
    height = ax.get_window_extent().height * 72 / ax.figure.dpi
    lines, sizes = _fitted(texts, width, height)
    levels = ax.transAxes.inverted().transform(ax.transData.transform(np.asarray(points)))[:, 1] * height
    centres = spread(np.clip(levels, 0, height), sizes, height) / height
    for point, line, centre, colour in zip(points, lines, centres.tolist(), colours, strict=True):  # type: ignore[arg-type]
        ax.annotate(
            line,
            point,
            (1.03, centre),
            textcoords="axes fraction",
            va="center",
            fontsize=FONT,
            color="#222222",
            linespacing=1.1,
            annotation_clip=False,
            parse_math=False,
            arrowprops={
                "arrowstyle": "-",
                "color": colour,
                "linewidth": 0.8,
                "relpos": (0, 0.5),
                "shrinkA": 2,
                "shrinkB": 3,
            },
        )
