"""Heat maps on images: which pixels earn a class its votes, by being on and by being off."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphtm.foundation.calling import require
from graphtm.plots.display import FONT, axes_for, checked_array, titled

_SHARE = 0.995
"""Share of the pixels whose colours differ by default; the others have the strongest colour."""
_LABEL = "\N{LEFTWARDS ARROW} negated literals    votes    positive literals \N{RIGHTWARDS ARROW}"


def draw_heat_map(
    positive: ArrayLike,
    negative: ArrayLike,
    image: ArrayLike | None = None,
    *,
    limit: float | None = None,
    colorbar: bool = True,
    title: str | None = None,
    ax: Any = None,
) -> Any:
    """Draw the votes of pixels: red where positive literals have more of them, blue where negated literals do.

    The colour shows the difference of both. The same picture shows the pixels of a rule, as an encoder renders them.

    Parameters
    ----------
    positive, negative
        Votes of positive and of negated literals, (height, width), at least 0.
    image
        The image, (height, width) or (height, width, channels), whose outline is drawn: the line between its darker and
        its lighter half.
    limit
        Votes with the strongest colour. Default: those that 99.5 % of the pixels do not exceed.
    colorbar
        Whether to add a scale of colours.
    title
        Text above the picture.
    ax
        Axes of matplotlib to draw on; ``None`` makes new ones.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the arrays have different shapes, a vote is below 0, or the limit is not above 0.
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from graphtm.plots import draw_heat_map
    >>> ax = draw_heat_map([[4, 0], [1, 0]], [[0, 2], [0, 0]])
    >>> ax.images[0].get_array().tolist()
    [[4.0, -2.0], [1.0, 0.0]]
    """
    difference = _difference(positive, negative)
    shown = None if image is None else _checked_image(image, difference.shape)
    if limit is None:
        strengths = np.abs(difference)
        limit = float(np.quantile(strengths, _SHARE) or strengths.max() or 1)
    elif not limit > 0:
        raise ValueError(f"The 'limit' parameter of draw_heat_map must be a number above 0. Got {limit!r} instead.")
    ax = axes_for(ax, "draw_heat_map", (4.6, 3.8))
    picture = ax.imshow(difference, cmap="RdBu_r", vmin=-limit, vmax=limit, interpolation="nearest")
    if shown is not None:
        _outline(ax, shown)
    _without_ticks(ax)
    titled(ax, title)
    if colorbar:
        clipped = bool(np.abs(difference).max() > limit)
        bar = ax.figure.colorbar(picture, ax=ax, fraction=0.046, pad=0.04, extend="both" if clipped else "neither")
        # Both sides are votes for the class.
        bar.formatter = require("matplotlib.ticker", "draw_heat_map", "plots").FuncFormatter(lambda x, _: f"{abs(x):g}")
        bar.ax.tick_params(labelsize=FONT)
        bar.set_label(_LABEL, fontsize=FONT)
    return ax


class HeatMapDisplay:
    """Heat map of the votes for a class, on one image or on several.

    :meth:`from_estimator` computes it with a fitted pipeline, :meth:`from_maps` takes the votes of pixels.

    Parameters
    ----------
    positive, negative
        Votes of positive and of negated literals, (height, width), at least 0.
    image
        The image, or the mean of several.
    title
        Text above the map.

    Attributes
    ----------
    figure_, ax_
        Figure and axes of the map, once it is drawn.
    image_ax_
        Axes of the image, ``None`` if it is not drawn.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import numpy as np
    >>> import graphtm as gtm
    >>> from sklearn.pipeline import make_pipeline
    >>> from graphtm.plots import HeatMapDisplay
    >>> images, y = np.zeros((40, 5, 5)), np.arange(40) % 2
    >>> images[y == 0, 2, :] = images[y == 1, :, 2] = 1
    >>> machine = gtm.GraphTMClassifier(n_clauses=10, T=10, s=5.0, depth=1, epochs=10, random_state=0)
    >>> pipeline = make_pipeline(gtm.encoders.ImagePatches(patch_size=3), machine).fit(images, y)
    >>> display = HeatMapDisplay.from_estimator(pipeline, images, 0)
    >>> display.title
    'Votes for 0'
    >>> bool((display.positive[images[0] == 0] == 0).all())     # positive literals hold at pixels that are on
    True
    """

    def __init__(
        self, positive: ArrayLike, negative: ArrayLike, image: ArrayLike | None = None, title: str | None = None
    ) -> None:
        self.positive = np.asarray(positive, dtype=np.float64)
        self.negative = np.asarray(negative, dtype=np.float64)
        self.image = None if image is None else np.asarray(image)
        self.title = title

    @classmethod
    def from_maps(
        cls,
        positive: ArrayLike,
        negative: ArrayLike,
        image: ArrayLike | None = None,
        *,
        title: str | None = None,
        limit: float | None = None,
        colorbar: bool = True,
        ax: Any = None,
    ) -> HeatMapDisplay:
        """Draw votes of pixels; the parameters are those of the class and of :meth:`plot`."""
        return cls(positive, negative, image, title).plot(ax, limit=limit, colorbar=colorbar)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        i: int | None = None,
        *,
        class_: Any = None,
        limit: float | None = None,
        colorbar: bool = True,
        ax: Any = None,
    ) -> HeatMapDisplay:
        """Draw which pixels of an image earn a class its votes, or the mean of several images.

        Only clauses that vote for the class count. Each gives its votes, its weight times its strength, in equal shares
        to the nodes at which it is strongest, and there in equal shares to the literals that hold. A share belongs to
        the pixel of its literal: if the literal is positive, to the votes of pixels that are on, else to those of
        pixels that are off. Literals of positions have shares too, which are not drawn. Shares of messages go to the
        nodes that sent them, as in :meth:`graphtm.explain.Explanation.scores`.

        Parameters
        ----------
        estimator
            A fitted :class:`sklearn.pipeline.Pipeline` that ends with :class:`~graphtm.encoders.ImagePatches` or
            :class:`~graphtm.encoders.Superpixels` and an estimator of this package.
        X
            Images, as the pipeline takes them.
        i
            Number of the image. ``None`` draws the mean of all images in ``X``. An image takes some hundredths of a
            second, so pass a sample of the images of a class.
        class_
            The class. Default: the predicted class of each image.
        limit, colorbar, ax
            As for :meth:`plot`.

        Raises
        ------
        TypeError
            If the estimator is not such a pipeline, or ``i`` is not an int.
        IndexError
            If there is no such image.
        ValueError
            If there is no such class, or no image.
        """
        # Pipelines depend on pictures, not the other way round; see docs/decisions/0008-heat-maps.md.
        compute = importlib.import_module("graphtm.pipelines.heat_maps").heat_map
        return cls(*compute(estimator, X, i, class_)).plot(ax, limit=limit, colorbar=colorbar)

    def plot(self, ax: Any = None, *, limit: float | None = None, colorbar: bool = True) -> HeatMapDisplay:
        """Draw the map, beside the image or with its outline.

        Parameters
        ----------
        ax
            Axes for the map, or a pair of axes, for the image and the map. ``None`` makes new ones, a pair if there is
            an image.
        limit, colorbar
            As for :func:`draw_heat_map`.
        """
        if ax is None and self.image is not None:
            pyplot = require("matplotlib.pyplot", "HeatMapDisplay", "plots")
            ax = pyplot.subplots(1, 2, figsize=(7.2, 3.4), layout="constrained")[1]
        self.image_ax_ = None
        if isinstance(ax, Sequence | np.ndarray):
            self.image_ax_, ax = ax
            _draw_image(self.image_ax_, self.image)
        self.ax_ = draw_heat_map(
            self.positive, self.negative, self.image, limit=limit, colorbar=colorbar, title=self.title, ax=ax
        )
        self.figure_ = self.ax_.figure
        return self


def _difference(positive: ArrayLike, negative: ArrayLike) -> NDArray[np.float64]:
    """Return the difference of checked votes."""
    both = []
    for name, values in (("positive", positive), ("negative", negative)):
        votes = checked_array(values, name, "draw_heat_map", 2, "finite numbers, (height, width)")
        if (votes < 0).any():
            raise ValueError(
                f"The {name!r} parameter of draw_heat_map must be numbers of at least 0. Got {votes.min():g} instead."
            )
        both.append(votes)
    if both[0].shape != both[1].shape or not both[0].size:
        raise ValueError(
            "The parameters 'positive' and 'negative' of draw_heat_map must be of the same shape, with a pixel at "
            f"least. Got shapes {both[0].shape} and {both[1].shape} instead."
        )
    return np.asarray(both[0] - both[1])


def _checked_image(image: ArrayLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return an image of this height and width as grey levels."""
    array = np.asarray(image)
    if array.ndim not in (2, 3) or array.shape[:2] != shape:
        raise ValueError(
            f"The 'image' parameter of draw_heat_map must be of shape {shape}, or with channels, like the votes. Got "
            f"shape {array.shape} instead."
        )
    return np.asarray(array.astype(np.float64).reshape(*shape, -1).mean(axis=2))


def _outline(ax: Any, grey: NDArray[Any]) -> None:
    low, high = float(grey.min()), float(grey.max())
    if low < high and min(grey.shape) > 1:
        ax.contour(grey, levels=[(low + high) / 2], colors="#222222", linewidths=0.7)


def _draw_image(ax: Any, image: NDArray[Any] | None) -> None:
    if image is None:
        raise ValueError("The 'ax' parameter of plot must be the axes of the map, since there is no image. Got a pair.")
    colour = image.ndim == 3 and image.shape[2] in (3, 4)
    ax.imshow(image if colour or image.ndim == 2 else image.mean(axis=2), cmap="gray", interpolation="nearest")
    _without_ticks(ax)


def _without_ticks(ax: Any) -> None:
    ax.set_xticks([])
    ax.set_yticks([])
