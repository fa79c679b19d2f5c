"""Images as graphs of superpixels: segments of like pixels, connected to the segments around them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.booleanise import check_later_images, check_training_images
from graphtm.encoders.rendering import ENCODINGS, SuperpixelPicture, Weights, symbol_weights
from graphtm.encoders.segments import SegmentPlan
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.calling import require
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch


class Superpixels(GraphEncoder):
    """Turn images into graphs with a node for every superpixel.

    SLIC parts an image into segments of like pixels. Each is a node with symbols for its mean intensity and for the
    place of its centre, both in steps. Two segments are connected, both ways, if the centre of one is among the
    nearest to the other's. The graphs are lazy; only intensity and centre of each segment are held. Needs scikit-image.

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
    GraphBatch(2 graphs, ... nodes, 129 symbols, 1 edge type, lazy)
    >>> graphs[0].properties(0)
    (('intensity', 0), ('x', ...), ('y', ...), ('nearest x', ...), ('nearest y', ...), ('neighbours', ...))
    """

    image_shape_: tuple[int, int, int]
    _plan: SegmentPlan

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
        self._check_parameters()
        require("skimage", "Superpixels", "images")
        images = check_training_images(X, "Superpixels")
        height, width, n_channels = images.shape[1:]
        plan = SegmentPlan(
            (height, width, n_channels),
            int(self.n_segments),
            float(self.compactness),
            int(self.neighbours),
            int(self.levels),
            int(self.places),
            self.encoding == "thermometer",
            bool(self.neighbour_features),
            self.n_jobs,
        )
        self.vocabulary_ = plan.vocabulary()
        self.image_shape_ = plan.image_shape
        self._plan = plan
        return self

    def transform(self, X: Any) -> GraphBatch:
        """Return images as lazy graphs; the images themselves are not kept.

        Raises
        ------
        GraphError
            If the images are not like those that were fitted.
        """
        check_is_fitted(self, "vocabulary_")
        images = check_later_images(X, "Superpixels", self._plan.image_shape)
        return GraphBatch.from_source(self._plan.source(images, self.vocabulary_))

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
        check_is_fitted(self, "vocabulary_")
        return self._plan.labels(check_later_images(X, "Superpixels", self._plan.image_shape))

    def render(self, weights: Weights) -> SuperpixelPicture:
        """Lay weights of symbols out as arrays that can be drawn.

        Parameters
        ----------
        weights
            A mapping from symbols to numbers, or literals of a rule, ``rule.layers[0]``, which weigh 1, or -1 where
            negated.

        Raises
        ------
        UnknownSymbolError
            If a symbol is not the encoder's.
        ValueError
            If a literal is about messages.

        Examples
        --------
        >>> import numpy as np
        >>> from graphtm.encoders.superpixels import Superpixels
        >>> encoder = Superpixels(places=3).fit(np.zeros((1, 28, 28)))
        >>> encoder.render({("x", 2): 1.0, ("y", 0): 1.0}).position
        array([[1., 1., 2.], [0., 0., 1.], [0., 0., 1.]])
        """
        check_is_fitted(self, "vocabulary_")
        found, first, parts = symbol_weights(weights, self.vocabulary_.symbols), 0, []
        for scale in self._plan.scales():
            parts.append(scale.gathered(found[first : first + scale.n_symbols]))
            first += scale.n_symbols
        n_channels, n_places = self._plan.image_shape[2], self._plan.places
        x, y, *others = parts[n_channels:]
        near_x, near_y, degree = others or (np.zeros(n_places), np.zeros(n_places), np.zeros(0))
        intensity = parts[0] if n_channels == 1 else np.stack(parts[:n_channels])
        return SuperpixelPicture(intensity, np.add.outer(y, x), np.add.outer(near_y, near_x), degree)

    def _check_parameters(self) -> None:
        checks = ParameterChecks(self)
        for name in ("n_segments", "neighbours", "levels", "places"):
            checks.integer(name, 1, 256 if name == "levels" else 2**31 - 1)
        checks.positive("compactness")
        checks.one_of("encoding", ENCODINGS)
        checks.boolean("neighbour_features")
        checks.jobs()
