"""Ways to cut images into patches and to read their pixels, and how the parameters of an encoder say which."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from graphtm.encoders.booleanise import MODES, SPACINGS, Booleaniser
from graphtm.errors import GraphError
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.parameters import ParameterChecks, is_integer

PARAMETERS = ("patch_size", "stride", "booleanise", "threshold", "bins", "spacing", "sigma", "offset")
"""The parameters of an encoder that a view may have otherwise."""


@dataclass(frozen=True)
class View:
    """One way to cut images into patches and to read their pixels.

    Parameters
    ----------
    name
        What its nodes and pixels are marked with; ``None`` for an only view.
    patch, stride, grid
        Height and width of a patch, steps down and across from one patch to the next, rows and columns of patches.
    pixels
        How pixels are read.
    """

    name: Hashable
    patch: tuple[int, int]
    stride: tuple[int, int]
    grid: tuple[int, int]
    pixels: Booleaniser

    @property
    def n_nodes(self) -> int:
        return self.grid[0] * self.grid[1]

    @property
    def n_symbols(self) -> int:
        """Symbols of its pixels."""
        return self.patch[0] * self.patch[1] * self.pixels.n_bits

    def pixel_symbols(self) -> list[Hashable]:
        """Return the names of its pixels' symbols, in the order of the bits of a patch."""
        start = ("pixel",) if self.name is None else (self.name, "pixel")
        ends = self.pixels.names()
        return [(*start, i, j, *end) for i in range(self.patch[0]) for j in range(self.patch[1]) for end in ends]

    def places(self) -> tuple[Int64Array, Int64Array]:
        """Return the row and the column of the grid for each of its nodes."""
        row, column = np.divmod(np.arange(self.n_nodes), self.grid[1])
        return row, column


def view_settings(encoder: Any) -> list[tuple[Hashable, Any]]:
    """Return the name of each view of an encoder, and an encoder with the parameters of that view, checked.

    Raises
    ------
    ValueError
        If a parameter that views may have otherwise, or the list of views, is not what it must be.
    """
    _check_parameters(encoder)
    if encoder.views is None:
        return [(None, encoder)]
    if not isinstance(encoder.views, list | tuple) or not encoder.views:
        ParameterChecks(encoder).refuse("views", "a list of dictionaries or None")
    owner, settings = type(encoder).__name__, []
    for view in encoder.views:
        if not isinstance(view, Mapping) or not set(view) <= {"name", *PARAMETERS}:
            raise ValueError(
                f"Each of the 'views' of {owner} must be a dictionary with keys among 'name', "
                f"{', '.join(map(repr, PARAMETERS))}. Got {view!r} instead."
            )
        one = clone(encoder).set_params(**{key: value for key, value in view.items() if key != "name"})
        _check_parameters(one)
        settings.append((view.get("name", one.booleanise), one))
    names = [name for name, _ in settings]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError(
            f"The 'views' of {owner} must have different names, each a str, under the key 'name'. Got {names} instead."
        )
    return settings


def fitted_view(name: Hashable, encoder: Any, images: NDArray[Any]) -> View:
    """Return the view that the checked parameters of an encoder are, fitted to images.

    Raises
    ------
    GraphError
        If the images are smaller than a patch, or cannot be read in this way.
    """
    patch, stride = _pair(encoder.patch_size), _pair(encoder.stride)
    height, width = images.shape[1:3]
    if patch[0] > height or patch[1] > width:
        raise GraphError(
            f"Images must be at least as large as a patch, {patch[0]} x {patch[1]} pixels; got {height} x {width}."
        )
    grid = ((height - patch[0]) // stride[0] + 1, (width - patch[1]) // stride[1] + 1)
    pixels = Booleaniser.fit(
        images, encoder.booleanise, encoder.threshold, encoder.bins, encoder.spacing, encoder.sigma, encoder.offset
    )
    return View(name, patch, stride, grid, pixels)


def _check_parameters(encoder: Any) -> None:
    checks = ParameterChecks(encoder)
    for name in ("patch_size", "stride"):
        value = getattr(encoder, name)
        pair = isinstance(value, list | tuple) and len(value) == 2
        if not all(is_integer(number) and number >= 1 for number in (value if pair else [value])):
            checks.refuse(name, "an int of at least 1, or a pair of them")
    checks.one_of("booleanise", MODES)
    checks.integer("threshold", 1, 255)
    checks.integer("bins", 1, 255)
    checks.one_of("spacing", SPACINGS)
    checks.positive("sigma")
    checks.number("offset", -255, 255)


def _pair(value: Any) -> tuple[int, int]:
    down, across = (value, value) if is_integer(value) else value
    return int(down), int(across)
