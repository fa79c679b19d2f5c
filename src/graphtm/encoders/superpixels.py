"""Encode images as graphs of superpixels: segments of similar pixels, connected to nearby segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.booleanise import check_later_images, check_training_images
from graphtm.encoders.learned import Learned
from graphtm.encoders.rendering import ENCODINGS, FloatArray, SuperpixelPicture, Weights, node_scores, symbol_weights
from graphtm.encoders.segments import SegmentPlan
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.calling import require
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch


class Superpixels(GraphEncoder):
    """Encode images as graphs with one node per superpixel.

    SLIC (doi:10.1109/TPAMI.2012.120) divides an image into segments of similar pixels. Each segment is a node with
    symbols for its mean intensity and the position of its centre, both binned. Two segments are connected in both
    directions if one is among the nearest of the other. The graphs are lazy: only the intensity and the centre of each
    segment are stored. Requires scikit-image.

    Parameters
    ----------
    n_segments
        Approximate number of segments per image.
    compactness
        Weight of spatial distance against difference of pixels. Larger values give squarer segments.
    neighbours
        Number of nearest segments to connect to.
    levels
        Number of intensity bins: symbols ``("intensity", step)``, or ``("intensity", "red", step)`` for colours.
    places
        Number of position bins per axis: symbols ``("x", step)`` to the right and ``("y", step)`` down.
    encoding
        ``"one_hot"``: one symbol per bin. ``"thermometer"``: symbols ``("x", ">=", step)`` for all bins up to the
        value.
    neighbour_features
        Whether to add symbols for the position of the nearest segment, ``("nearest x", step)`` and ``("nearest y",
        step)``, and for the number of neighbours, ``("neighbours", number)``, which is capped at twice
        ``neighbours``. They gain 3 and 5 % of accuracy in the paper (arXiv:2507.14874).
    n_jobs
        Number of processes for segmentation. None means 1, -1 means all processors.

    Attributes
    ----------
    vocabulary_
        Names of symbols and edge types.
    image_shape_
        Height, width and channels of the training images. Other shapes raise an error.

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
        """Create the vocabulary; it depends only on the shape of the images.

        Parameters
        ----------
        X
            Images of shape (images, height, width) or (images, height, width, channels): bool, uint8, or float in
            [0, 1].
        y
            Ignored.

        Raises
        ------
        GraphError
            If ``X`` is not such an array.
        ValueError
            If a parameter is invalid.
        MissingLibraryError
            If scikit-image is not installed.
        """
        self._check_parameters()
        require("skimage", "Superpixels", "images")
        self._make(self._plan_for(check_training_images(X, "Superpixels").shape[1:]))
        self._keep_parameters()
        return self

    def _plan_for(self, image_shape: tuple[int, int, int]) -> SegmentPlan:
        return SegmentPlan(
            image_shape,
            int(self.n_segments),
            float(self.compactness),
            int(self.neighbours),
            int(self.levels),
            int(self.places),
            self.encoding == "thermometer",
            bool(self.neighbour_features),
            self.n_jobs,
        )

    def _make(self, plan: SegmentPlan) -> None:
        self.vocabulary_ = plan.vocabulary()
        self.image_shape_ = plan.image_shape
        self._plan = plan

    def _learned(self) -> dict[str, Any]:
        return {"image_shape": list(self._plan.image_shape)}

    def _restore(self, learned: Learned) -> None:
        self._check_parameters()
        height, width, n_channels = learned.shape("image_shape", 3)
        learned.allow(n_channels)
        plan = self._plan_for((height, width, n_channels))
        learned.allow(sum(scale.n_symbols for scale in plan.scales()))
        self._make(plan)

    def transform(self, X: Any) -> GraphBatch:
        """Return the images as lazy graphs; the images themselves are not stored.

        Raises
        ------
        GraphError
            If the images do not have the shape of the training images.
        """
        check_is_fitted(self, "vocabulary_")
        images = check_later_images(X, "Superpixels", self._plan.image_shape)
        return GraphBatch.from_source(self._plan.source(images, self.vocabulary_))

    def segments(self, X: Any) -> Int64Array:
        """Return the node that each pixel of each image belongs to, for plots.

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
        """Arrange weights of symbols as arrays that can be plotted.

        Parameters
        ----------
        weights
            Mapping from symbols to numbers, or the literals of a rule, ``rule.layers[0]`` (weight 1, or -1 if
            negated).

        Raises
        ------
        UnknownSymbolError
            If the encoder does not have a symbol.
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

    def to_pixels(self, scores: Any, image: Any) -> FloatArray:
        """Place scores of symbols at the nodes of one graph on the pixels of its image.

        Parameters
        ----------
        scores
            Array or sparse matrix, (nodes, symbols), such as ``scores.present`` of an explanation. Only scores of
            intensities count.
        image
            The image, which has to be segmented again.

        Returns
        -------
        ndarray, (height, width)
            The score of each segment, divided equally among its pixels.

        Raises
        ------
        GraphError
            If the image does not have the shape of the training images.
        ValueError
            If the scores have another shape, or are not finite.

        Examples
        --------
        >>> import numpy as np
        >>> from graphtm.encoders.superpixels import Superpixels
        >>> image = np.zeros((28, 28))
        >>> image[8:20, 12:16] = 1.0
        >>> encoder = Superpixels(n_segments=20).fit(image[None])
        >>> graphs = encoder.transform(image[None])
        >>> scores = np.zeros((graphs.n_nodes, len(graphs.vocabulary.symbols)))
        >>> scores[3, 0] = 5.0
        >>> pixels = encoder.to_pixels(scores, image)
        >>> round(float(pixels.sum()), 6), bool((pixels[encoder.segments(image[None])[0] != 3] == 0).all())
        (5.0, True)
        """
        check_is_fitted(self, "vocabulary_")
        labels = self.segments(np.asarray(image)[None])[0]
        sizes = np.bincount(labels.reshape(-1))
        table = node_scores(scores, len(sizes), len(self.vocabulary_.symbols))
        n_levels = sum(scale.n_symbols for scale in self._plan.intensities())
        return np.asarray((table[:, :n_levels].sum(axis=1) / sizes)[labels])

    def _check_parameters(self) -> None:
        checks = ParameterChecks(self)
        for name in ("n_segments", "neighbours", "levels", "places"):
            checks.integer(name, 1, 256 if name == "levels" else 2**31 - 1)
        checks.positive("compactness")
        checks.one_of("encoding", ENCODINGS)
        checks.boolean("neighbour_features")
        checks.jobs()
