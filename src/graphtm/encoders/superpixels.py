"""Images as graphs of superpixels: segments of like pixels, connected to the segments around them."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.booleanise import LevelArray, as_levels, channel_names, check_images
from graphtm.encoders.rendering import SuperpixelPicture, Weights, gathered, literal_weights
from graphtm.encoders.segments import nearest_segments, segment_means, slic_segments
from graphtm.errors import GraphError, require
from graphtm.estimators.parameters import ParameterChecks
from graphtm.graphs import GraphBatch, Vocabulary
from graphtm.graphs.arrays import BoolArray, Int64Array, pointers

EDGE = "neighbour"
"""Type of the edges between segments."""


@dataclass(frozen=True)
class Scale:
    """Steps 0, 1, ..., ``n`` - 1 of something, and the symbols that tell them.

    Parameters
    ----------
    name
        How the symbols' names begin.
    n
        Number of steps.
    graded
        Whether there is a symbol for "at least this step" instead of one for each step.
    """

    name: tuple[Hashable, ...]
    n: int
    graded: bool

    def symbols(self) -> list[Hashable]:
        if self.graded:
            return [(*self.name, ">=", step) for step in range(1, self.n)]
        return [(*self.name, step) for step in range(self.n)]

    def booleans(self, steps: Int64Array) -> BoolArray:
        """Return a row of Booleans for each step, one per symbol."""
        if self.graded:
            return np.asarray(steps[:, None] > np.arange(self.n - 1))
        return np.asarray(steps[:, None] == np.arange(self.n))


class Superpixels(GraphEncoder):
    """Turn images into graphs with a node for every superpixel.

    SLIC parts an image into segments of like pixels. Each is a node with symbols for its mean intensity and for the
    place of its centre, both in steps. Two segments are connected, both ways, if the centre of one is among the
    nearest to the other's. Needs scikit-image.

    Parameters
    ----------
    n_segments
        Segments that SLIC aims at; how many it finds depends on the image.
    compactness
        How much nearness counts beside likeness; large values give squares.
    neighbours
        How many nearest segments each is connected to.
    levels
        Steps of intensity, ``("intensity", step)``; with colours ``("intensity", "red", step)``.
    places
        Steps along each side of the image, ``("x", step)`` to the right and ``("y", step)`` down.
    encoding
        ``"one_hot"``, a symbol for each step; or ``"thermometer"``, symbols ``("x", ">=", step)`` for all steps up to
        it.
    neighbour_features
        Whether nodes carry the place of the nearest other segment, ``("nearest x", step)`` and ``("nearest y",
        step)``, and their number of neighbours, ``("neighbours", number)``, where twice ``neighbours`` stands for that
        many and more. The paper found them worth 3 and 5 % of accuracy.
    n_jobs
        Processes that segment images; ``None`` for one, -1 for one per processor.

    Attributes
    ----------
    vocabulary_
        The names of symbols and edge types.
    image_shape_
        Height, width and channels of the training images; others are refused.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.encoders.superpixels import Superpixels
    >>> images = np.zeros((2, 28, 28))
    >>> images[:, 8:20, 12:16] = 1.0
    >>> encoder = Superpixels(n_segments=20, neighbours=4)
    >>> graphs = encoder.fit_transform(images)
    >>> graphs
    GraphBatch(2 graphs, ... nodes, ... edges, 129 symbols, 1 edge type)
    >>> graphs[0].properties(0)
    (('intensity', 0), ('x', ...), ('y', ...), ('nearest x', ...), ('nearest y', ...), ('neighbours', ...))
    """

    image_shape_: tuple[int, int, int]

    def __init__(
        self,
        n_segments: int = 75,
        *,
        compactness: float = 0.3,
        neighbours: int = 8,
        levels: int = 8,
        places: int = 28,
        encoding: str = "one_hot",
        neighbour_features: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.n_segments = n_segments
        self.compactness = compactness
        self.neighbours = neighbours
        self.levels = levels
        self.places = places
        self.encoding = encoding
        self.neighbour_features = neighbour_features
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Superpixels:  # noqa: ARG002
        """Name the symbols; nothing is learnt from the images but their shape.

        Parameters
        ----------
        X
            Images of shape (images, height, width) or (images, height, width, channels): bool, uint8, or float in
            [0, 1].
        y
            Not used.

        Raises
        ------
        GraphError
            If these are no such images.
        ValueError
            If a parameter is not what it must be.
        MissingLibraryError
            If scikit-image is not installed.
        """
        self._check()
        require("skimage", "Superpixels", "images")
        images = check_images(X, "Superpixels")
        if not len(images):
            raise GraphError("Superpixels needs at least one image to fit; got none.")
        scales = self._scales(images.shape[3])
        self.vocabulary_ = Vocabulary([name for scale in scales for name in scale.symbols()], [EDGE])
        self.image_shape_ = images.shape[1:]
        return self

    def transform(self, X: Any) -> GraphBatch:
        """Return images as graphs.

        Raises
        ------
        GraphError
            If the images are not like those that were fitted.
        """
        images, labels = self._segmented(X)
        if not len(images):
            return GraphBatch.from_graphs([], self.vocabulary_)
        counts = labels.max(axis=(1, 2)) + 1
        first = pointers(counts)
        means, centres = segment_means(images, labels, first)
        linked = [nearest_segments(centres[a:b], self.neighbours) for a, b in pairwise(first)]
        nearest = np.concatenate([order[:, 0] + start for (order, _), start in zip(linked, first[:-1], strict=True)])
        edges = np.concatenate([pairs + start for (_, pairs), start in zip(linked, first[:-1], strict=True)], axis=1)
        height, width = self.image_shape_[:2]
        steps = [*(means * self.levels / 256).astype(np.int64).T]
        place = (centres * self.places / (width, height)).astype(np.int64)
        steps += [*place.T]
        if self.neighbour_features:
            degree = np.bincount(edges[0], minlength=len(centres))
            steps += [*place[nearest].T, np.minimum(degree, 2 * self.neighbours)]
        scales = self._scales(images.shape[3])
        properties = [scale.booleans(step) for scale, step in zip(scales, steps, strict=True)]
        return GraphBatch.from_arrays(
            counts,
            np.concatenate(properties, axis=1),
            symbols=self.vocabulary_.symbols,
            edges=(edges[0], edges[1]),
            edge_types=[EDGE],
        )

    def segments(self, X: Any) -> Int64Array:
        """Return, for each pixel of each image, the number of the node that it belongs to: for pictures.

        Examples
        --------
        >>> import numpy as np
        >>> from graphtm.encoders.superpixels import Superpixels
        >>> images = np.zeros((1, 28, 28))
        >>> encoder = Superpixels().fit(images)
        >>> labels = encoder.segments(images)
        >>> labels.shape, bool(labels.max() + 1 == encoder.transform(images).n_nodes)
        ((1, 28, 28), True)
        """
        return self._segmented(X)[1]

    def render(self, weights: Weights) -> SuperpixelPicture:
        """Lay weights of symbols out as arrays that can be drawn.

        Parameters
        ----------
        weights
            A weight per symbol; or literals of a rule, ``rule.layers[0]``, which weigh 1, or -1 where negated; or
            symbols.

        Raises
        ------
        UnknownSymbolError
            If a symbol is not the encoder's.

        Examples
        --------
        >>> import numpy as np
        >>> from graphtm.encoders.superpixels import Superpixels
        >>> encoder = Superpixels(places=3).fit(np.zeros((1, 28, 28)))
        >>> encoder.render({("x", 2): 1.0, ("y", 0): 1.0}).position
        array([[1., 1., 2.], [0., 0., 1.], [0., 0., 1.]])
        """
        check_is_fitted(self, "vocabulary_")
        found, first, parts = literal_weights(weights, self.vocabulary_), 0, []
        scales = self._scales(self.image_shape_[2])
        for scale in scales:
            last = first + len(scale.symbols())
            parts.append(gathered(found[first:last], graded=scale.graded))
            first = last
        n_channels = self.image_shape_[2]
        x, y, *others = parts[n_channels:]
        near_x, near_y, degree = others or (np.zeros(self.places), np.zeros(self.places), np.zeros(0))
        intensity = parts[0] if n_channels == 1 else np.stack(parts[:n_channels])
        return SuperpixelPicture(intensity, np.add.outer(y, x), np.add.outer(near_y, near_x), degree)

    def _check(self) -> None:
        checks = ParameterChecks(self)
        for name in ("n_segments", "neighbours", "levels", "places"):
            checks.integer(name, 1, 256 if name == "levels" else 2**31 - 1)
        checks.positive("compactness")
        checks.one_of("encoding", ("one_hot", "thermometer"))
        checks.boolean("neighbour_features")
        if self.n_jobs is not None:
            checks.integer("n_jobs", -1, 2**31 - 1)
            if self.n_jobs == 0:
                checks._refuse("n_jobs", "an int above 0, -1 for all processors, or None")

    def _scales(self, n_channels: int) -> list[Scale]:
        graded = self.encoding == "thermometer"
        ends: list[tuple[Hashable, ...]] = [() if name is None else (name,) for name in channel_names(n_channels)]
        scales = [Scale(("intensity", *end), self.levels, graded) for end in ends]
        names = ["x", "y", *(["nearest x", "nearest y"] if self.neighbour_features else [])]
        scales += [Scale((name,), self.places, graded) for name in names]
        if self.neighbour_features:
            scales.append(Scale(("neighbours",), 2 * self.neighbours + 1, graded))
        return scales

    def _segmented(self, X: Any) -> tuple[LevelArray, Int64Array]:
        """Return images as levels, and the segment of every pixel."""
        check_is_fitted(self, "vocabulary_")
        images = check_images(X, "Superpixels")
        if images.shape[1:] != self.image_shape_:
            raise GraphError(
                f"Images must have the height, width and channels of those that were fitted, {self.image_shape_}; "
                f"got {images.shape[1:]}."
            )
        require("skimage", "Superpixels", "images")
        levels = as_levels(images)
        parts = np.array_split(levels, max(1, len(levels) // 256))
        work = (delayed(slic_segments)(part, self.n_segments, self.compactness) for part in parts)
        return levels, np.concatenate(Parallel(n_jobs=self.n_jobs)(work))
