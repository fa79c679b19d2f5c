"""Encode images as graphs of patches, as convolutional Tsetlin machines do (arXiv:1905.09688)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from graphtm.encoders.base import GraphEncoder
from graphtm.encoders.booleanise import check_later_images, check_training_images
from graphtm.encoders.learned import Learned
from graphtm.encoders.patches import PatchPlan, PatchSource, View, fitted_view, restored_view, view_settings
from graphtm.encoders.rendering import ENCODINGS, FloatArray, PatchPicture, Weights, node_scores, symbol_weights
from graphtm.foundation.parameters import ParameterChecks
from graphtm.graphs import GraphBatch


class ImagePatches(GraphEncoder):
    """Encode images as graphs with one node per patch.

    A window slides over the image. Each window position is a node with symbols for its position and its pixels. By
    default there are no edges, so a clause is a pattern that can match anywhere in the image, or in some rows and
    columns: a convolution. The graphs are lazy: only Booleanised images are stored.

    Parameters
    ----------
    patch_size
        Height and width of a patch; an int for a square.
    stride
        Vertical and horizontal steps between patches; an int for both. Pixels at the bottom and on the right that no
        patch reaches are ignored.
    dilation
        Vertical and horizontal steps between the pixels of a patch; an int for both. With 2, a patch has every other
        pixel, and spans ``2 * patch_size - 1`` pixels.
    position
        ``"one_hot"``: symbols ``("row", r)`` and ``("column", c)``, the position in the grid of patches.
        ``"thermometer"``: symbols ``("row", ">=", r)`` for all steps up to the position, so one literal selects a half
        plane. ``None``: no position symbols.
    booleanise
        ``"threshold"``: symbol ``("pixel", i, j)`` if the level is at least ``threshold``; i and j count from the
        upper left corner of the patch. ``"thermometer"``: symbol ``("pixel", i, j, ">=", level)`` for each of ``bins``
        levels that the pixel reaches. ``"adaptive"``: symbol ``("pixel", i, j)`` if the pixel is at most ``offset``
        darker than its surroundings, a Gaussian mean of width ``sigma``. ``"colour"``: as ``"thermometer"``, for
        colour images only. ``"gradients"``: symbol ``("pixel", i, j, "right", ">=", level)`` for each of ``bins``
        levels, if the brightness around the pixel increases to the right by as much, averaged with a Gaussian of width
        ``sigma``; there are eight directions. Otherwise, each channel has its own symbols: ``("pixel", i, j, "red")``,
        ``("pixel", i, j, "red", ">=", level)``.
    threshold
        Threshold level, 1 to 255; images in [0, 1] are multiplied by 255.
    bins
        Number of levels per pixel and channel or direction.
    spacing
        Spacing of the levels. ``"linear"``: even. ``"quantile"``: quantiles of the nonzero pixels of the training
        images; equal levels are merged.
    sigma, offset
        Width of the Gaussian in pixels, for ``"adaptive"`` and ``"gradients"``; for ``"adaptive"``, offset in grey
        levels.
    views
        Several views of each image, combined in one graph: a list of dictionaries with the parameters that differ
        from the encoder's, among ``patch_size``, ``stride``, ``dilation`` and those from ``booleanise`` to ``offset``,
        and a ``"name"``, by default the value of ``booleanise``. Pixel symbols are then ``(view, "pixel", ...)``.
    join_views
        Whether patches of different views in the same row and column of the grid share a node, which has the symbols
        of all views; the views must have the same grid, and cannot be marked by types. Otherwise, each view has its own
        nodes.
    mark_views
        How nodes show their view, unless views share them. ``"symbol"``: symbol ``("view", name)``. ``"type"``: the
        view is the node type, and each clause belongs to one view. ``None``: by their pixels only.
    edges
        ``"grid"``: edges to adjacent patches of the same view, of types ``"right"``, ``"left"``, ``"down"`` and
        ``"up"``. ``None``: no edges.

    Attributes
    ----------
    vocabulary_
        Names of symbols, edge types and node types.
    image_shape_
        Height, width and channels of the training images. Other shapes raise an error.
    views_
        The fitted views: patch, stride, grid and levels.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.encoders.images import ImagePatches
    >>> images = np.zeros((2, 28, 28), np.uint8)
    >>> images[0, 5, 7] = 200
    >>> encoder = ImagePatches(patch_size=10)
    >>> graphs = encoder.fit_transform(images)
    >>> graphs
    GraphBatch(2 graphs, 722 nodes, 138 symbols, 0 edge types, lazy)
    >>> graphs[0].properties(0)
    (('row', 0), ('column', 0), ('pixel', 5, 7))
    >>> encoder.render({("pixel", 5, 7): 2.0, ("row", 3): 1.0}).pixels[5, 6:9]
    array([0., 2., 0.])

    Two views of colour images, as in the paper's CIFAR-10 experiment (arXiv:2507.14874):

    >>> photos = np.zeros((1, 32, 32, 3), np.uint8)
    >>> two = ImagePatches(patch_size=8, views=[{"booleanise": "adaptive"}, {"booleanise": "colour", "bins": 8}])
    >>> two.fit_transform(photos)
    GraphBatch(1 graph, 1,250 nodes, 1,780 symbols, 0 edge types, lazy)
    >>> two.vocabulary_.symbols[-1]
    ('colour', 'pixel', 7, 7, 'blue', '>=', 228)
    """

    image_shape_: tuple[int, int, int]
    views_: tuple[View, ...]
    _plan: PatchPlan

    def __init__(
        self,
        patch_size: int | Sequence[int] = 10,
        stride: int | Sequence[int] = 1,
        *,
        dilation: int | Sequence[int] = 1,
        position: str | None = "one_hot",
        booleanise: str = "threshold",
        threshold: int = 76,
        bins: int = 8,
        spacing: str = "linear",
        sigma: float = 2.0,
        offset: float = 2.0,
        views: Sequence[Mapping[str, Any]] | None = None,
        join_views: bool = False,
        mark_views: str | None = "symbol",
        edges: str | None = None,
    ) -> None:
        self.patch_size = patch_size
        self.stride = stride
        self.dilation = dilation
        self.position = position
        self.booleanise = booleanise
        self.threshold = threshold
        self.bins = bins
        self.spacing = spacing
        self.sigma = sigma
        self.offset = offset
        self.views = views
        self.join_views = join_views
        self.mark_views = mark_views
        self.edges = edges

    def fit(self, X: Any, y: Any = None) -> ImagePatches:  # noqa: ARG002
        """Choose the levels and create the vocabulary.

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
            If ``X`` is not such an array, or images are smaller than a patch.
        ValueError
            If a parameter is invalid.
        """
        self._check_parameters()
        settings = view_settings(self)
        images = check_training_images(X, "ImagePatches")
        self._make(self._plan_of([fitted_view(name, encoder, images) for name, encoder in settings]), images.shape[1:])
        self._keep_parameters()
        return self

    def _plan_of(self, views: Sequence[View]) -> PatchPlan:
        apart = self.views is not None and not self.join_views
        return PatchPlan(
            tuple(views),
            self.position,
            marked=apart and self.mark_views == "symbol",
            typed=apart and self.mark_views == "type",
            connected=self.edges is not None,
            joined=bool(self.join_views),
        )

    def _make(self, plan: PatchPlan, image_shape: tuple[int, int, int]) -> None:
        self.vocabulary_ = plan.vocabulary()
        self.image_shape_ = image_shape
        self.views_ = plan.views
        self._plan = plan

    def _learned(self) -> dict[str, Any]:
        levels = [[list(channel) for channel in view.pixels.levels] for view in self._plan.views]
        return {"image_shape": list(self.image_shape_), "levels": levels}

    def _restore(self, learned: Learned) -> None:
        self._check_parameters()
        height, width, n_channels = learned.shape("image_shape", 3)
        learned.allow(n_channels)
        views = [
            restored_view(name, encoder, (height, width, n_channels), levels)
            for (name, encoder), levels in zip(view_settings(self), learned.items("levels"), strict=True)
        ]
        plan = self._plan_of(views)
        learned.allow(plan.n_symbols)
        self._make(plan, (height, width, n_channels))

    def transform(self, X: Any) -> GraphBatch:
        """Return the images as lazy graphs; the images themselves are not stored.

        Raises
        ------
        GraphError
            If the images do not have the shape of the training images.
        """
        check_is_fitted(self, "vocabulary_")
        images = check_later_images(X, "ImagePatches", self.image_shape_)
        rows = [view.pixels.packed_rows(images) for view in self._plan.views]
        return GraphBatch.from_source(PatchSource(self._plan, self.vocabulary_, rows))

    def places(self) -> NDArray[np.int64]:
        """Return view, row and column of the upper left pixel of each node of a graph.

        Examples
        --------
        >>> import numpy as np
        >>> from graphtm.encoders.images import ImagePatches
        >>> ImagePatches(patch_size=2, stride=2).fit(np.zeros((1, 4, 4))).places()
        array([[0, 0, 0], [0, 0, 2], [0, 2, 0], [0, 2, 2]])
        """
        check_is_fitted(self, "views_")
        corners = [np.stack(view.places(), axis=1) * view.stride for view in self._plan.node_views()]
        return np.column_stack([self._plan.view_of_nodes(), np.concatenate(corners)])

    def render(self, weights: Weights, view: Hashable = None) -> PatchPicture:
        """Arrange weights of symbols as images of a patch and of the grid of patches.

        Parameters
        ----------
        weights
            Mapping from symbols to numbers, or the literals of a rule, ``rule.layers[0]`` (weight 1, or -1 if
            negated).
        view
            Name of the view, if there are several.

        Raises
        ------
        UnknownSymbolError
            If the encoder does not have a symbol.
        ValueError
            If there is no such view, or a literal is about messages.

        Examples
        --------
        >>> import numpy as np
        >>> from graphtm.encoders.images import ImagePatches
        >>> encoder = ImagePatches(patch_size=2, position="thermometer").fit(np.zeros((1, 4, 4)))
        >>> picture = encoder.render({("pixel", 0, 1): 1, ("row", ">=", 2): 3})
        >>> picture.pixels
        array([[0., 1.], [0., 0.]])
        >>> picture.position
        array([[0., 0., 0.], [0., 0., 0.], [3., 3., 3.]])
        """
        check_is_fitted(self, "views_")
        names = [one.name for one in self._plan.views]
        if view not in names:
            raise ValueError(f"The 'view' parameter of render must be one of {names}. Got {view!r} instead.")
        chosen = self._plan.views[names.index(view)]
        found, first = symbol_weights(weights, self.vocabulary_.symbols), 0
        places = [np.zeros(n) for n in chosen.grid]
        for number, axis in enumerate(self._plan.axes()):
            places[number] = axis.gathered(found[first : first + axis.n_symbols])[: chosen.grid[number]]
            first += axis.n_symbols
        first = self.vocabulary_.symbols.index(chosen.pixel_symbols()[0])
        bits = found[first : first + chosen.n_symbols].reshape(*chosen.patch, -1)
        pixels = bits @ (chosen.pixels.channel_of_bits()[:, None] == np.arange(len(chosen.pixels.channels)))
        return PatchPicture(pixels[..., 0] if pixels.shape[2] == 1 else pixels, bits, *places)

    def to_pixels(self, scores: Any, image: Any = None) -> FloatArray:  # noqa: ARG002
        """Place scores of symbols at the nodes of one graph on the pixels of its image.

        Parameters
        ----------
        scores
            Array or sparse matrix, (nodes, symbols), such as ``scores.present`` of an explanation. Scores of positions
            and of views are ignored.
        image
            Not needed here; other encoders need it.

        Returns
        -------
        ndarray, (height, width)
            For each pixel, the sum of the scores of its symbols: over patches, levels, channels and views.

        Raises
        ------
        ValueError
            If the scores have another shape, or are not finite.

        Examples
        --------
        >>> import numpy as np
        >>> from graphtm.encoders.images import ImagePatches
        >>> encoder = ImagePatches(patch_size=2, position=None).fit(np.zeros((1, 3, 3)))
        >>> upper_left_pixel = np.zeros((4, 4))
        >>> upper_left_pixel[:, 0] = [1, 2, 3, 4]
        >>> encoder.to_pixels(upper_left_pixel)
        array([[1., 2., 0.], [3., 4., 0.], [0., 0., 0.]])
        """
        check_is_fitted(self, "views_")
        symbols, pixels = self.vocabulary_.symbols, np.zeros(self.image_shape_[:2])
        table = node_scores(scores, self._plan.n_nodes, len(symbols))
        of_pixels = table[:, symbols.index(self._plan.views[0].pixel_symbols()[0]) :]
        for view, nodes, own in self._plan.parts():
            patches = of_pixels[nodes, own].reshape(*view.grid, *view.patch, -1).sum(axis=-1)
            last = [(steps - 1) * stride + 1 for steps, stride in zip(view.grid, view.stride, strict=True)]
            for i, j in np.ndindex(*view.patch):
                top, left = i * view.dilation[0], j * view.dilation[1]
                pixels[top : top + last[0] : view.stride[0], left : left + last[1] : view.stride[1]] += patches[
                    ..., i, j
                ]
        return pixels

    def _check_parameters(self) -> None:
        checks = ParameterChecks(self)
        checks.one_of("position", ENCODINGS, optional=True)
        checks.boolean("join_views")
        checks.one_of("mark_views", ("symbol", "type"), optional=True)
        if self.join_views and self.views is None:
            checks.refuse("join_views", "False without views")
        if self.join_views and self.mark_views == "type":
            checks.refuse("mark_views", "'symbol' or None if views share nodes, which have one type each")
        checks.one_of("edges", ("grid",), optional=True)
