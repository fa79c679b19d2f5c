"""Graphs of image segments, made on demand: SLIC, the features of segments, and their neighbours.

Images are segmented at once, because the number of nodes depends on it. Only the intensity and the centre of each
segment are kept. Symbols and edges, which take most of the memory, are made when they are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from graphtm.encoders.booleanise import blocks, channel_names
from graphtm.encoders.rendering import FloatArray, Scale
from graphtm.foundation.arrays import Int64Array, LevelArray, pointers, ragged
from graphtm.foundation.calling import require
from graphtm.foundation.resources import capped_jobs
from graphtm.graphs import GraphBatch, PackedGraphs, Vocabulary

EDGE = "neighbour"
"""Type of the edges between segments."""

_BITS = 64
"""Bits per pixel and channel for :func:`blocks`: sums are computed in floats."""


def slic_segments(images: LevelArray, n_segments: int, compactness: float) -> Int64Array:
    """Return the segment of every pixel; segments are numbered 0, 1, 2, ... in each image."""
    slic = require("skimage.segmentation", "Superpixels", "images").slic
    labels = np.zeros(images.shape[:3], np.int64)
    for image, label in zip(images, labels, strict=True):
        found = slic(
            image / 255.0,
            n_segments=n_segments,
            compactness=compactness,
            convert2lab=False,
            start_label=0,
            channel_axis=-1,
        )
        # A number without pixels would be a node without a centre.
        label.flat = np.unique(found, return_inverse=True)[1]
    return labels


def segment_means(images: LevelArray, labels: Int64Array) -> tuple[Int64Array, FloatArray, FloatArray]:
    """Return the number of segments per image, the mean level of each segment per channel, and its centre (x, y).

    The segments of the first image come first. A pixel has width 1.
    """
    n, height, width, n_channels = images.shape
    counts = labels.max(axis=(1, 2)) + 1
    node = (labels + pointers(counts)[:-1, None, None]).reshape(-1)
    y, x = np.divmod(np.arange(height * width), width)
    values = (*images.reshape(-1, n_channels).T, np.tile(x, n), np.tile(y, n))
    sums = np.stack([np.bincount(node, value) for value in values], axis=1)
    means = sums / np.bincount(node)[:, None]
    return counts, means[:, :n_channels], means[:, n_channels:] + 0.5


def nearest_segments(centres: FloatArray, neighbours: int) -> tuple[Int64Array, Int64Array]:
    """Return the nearest other segments of each segment of one image, and the connected pairs.

    At equal distance, the segment with the smaller number comes first. A single segment is its own nearest.
    """
    n = len(centres)
    if n == 1:
        return np.zeros((1, 1), np.int64), np.zeros((2, 0), np.int64)
    # Rounded, so that rounding errors do not break ties.
    distance = np.round(((centres[:, None] - centres) ** 2).sum(axis=2), 6)
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1, kind="stable")[:, :neighbours]
    linked = np.zeros((n, n), np.bool_)
    np.put_along_axis(linked, order, values=True, axis=1)
    np.fill_diagonal(linked, val=False)
    return order, np.stack(np.nonzero(linked | linked.T))


@dataclass(frozen=True)
class SegmentPlan:
    """Everything about a graph of segments that does not depend on the image; the fields are encoder parameters."""

    image_shape: tuple[int, int, int]
    n_segments: int
    compactness: float
    neighbours: int
    levels: int
    places: int
    graded: bool
    neighbour_features: bool
    n_jobs: int | None

    def intensities(self) -> list[Scale]:
        """Return the scale of intensity of each channel."""
        ends = [() if name is None else (name,) for name in channel_names(self.image_shape[2])]
        return [Scale(("intensity", *end), self.levels, self.graded) for end in ends]

    def scales(self) -> list[Scale]:
        """Return all scales of the nodes, in the order of their symbols."""
        scales = [*self.intensities(), *(Scale((axis,), self.places, self.graded) for axis in ("x", "y"))]
        if self.neighbour_features:
            scales += [Scale((f"nearest {axis}",), self.places, self.graded) for axis in ("x", "y")]
            scales.append(Scale(("neighbours",), 2 * self.neighbours + 1, self.graded))
        return scales

    def vocabulary(self) -> Vocabulary:
        """Return all names."""
        return Vocabulary([name for scale in self.scales() for name in scale.symbols()], [EDGE])

    def labels(self, images: NDArray[Any]) -> Int64Array:
        """Return the segment of every pixel of checked images."""
        work = (delayed(slic_segments)(part, self.n_segments, self.compactness) for _, part in blocks(images, _BITS))
        return np.concatenate(
            [np.zeros((0, *images.shape[1:3]), np.int64), *Parallel(n_jobs=capped_jobs(self.n_jobs))(work)]
        )

    def source(self, images: NDArray[Any], vocabulary: Vocabulary) -> SegmentSource:
        """Segment checked images and return the source of their graphs."""
        work = (delayed(_measured)(self, part) for _, part in blocks(images, _BITS))
        none = (np.zeros(0, np.int64), np.zeros((0, images.shape[3]), np.uint8), np.zeros((0, 2)))
        parts = zip(none, *Parallel(n_jobs=capped_jobs(self.n_jobs))(work), strict=True)
        return SegmentSource(self, vocabulary, *map(np.concatenate, parts))


def _measured(plan: SegmentPlan, images: LevelArray) -> tuple[Int64Array, LevelArray, FloatArray]:
    """Return the number of segments per image, and the intensity step and the centre of each segment."""
    labels = slic_segments(images, plan.n_segments, plan.compactness)
    counts, means, centres = segment_means(images, labels)
    return counts, (means * plan.levels / 256).astype(np.uint8), centres


class SegmentSource:
    """Makes graphs of chosen images from the stored features of their segments.

    Parameters
    ----------
    plan
        Layout of the graphs.
    vocabulary
        The plan's vocabulary.
    counts
        Number of segments per image.
    intensity
        Intensity steps of each segment, one per channel.
    centres
        Centre (x, y) of each segment.
    """

    def __init__(
        self, plan: SegmentPlan, vocabulary: Vocabulary, counts: Int64Array, intensity: LevelArray, centres: FloatArray
    ) -> None:
        self._plan = plan
        self._intensity = intensity
        self._centres = centres
        self._ptr = pointers(counts)
        self.vocabulary = vocabulary
        self.node_counts = counts

    def make(self, graphs: Int64Array) -> PackedGraphs:
        """Make the graphs of these images."""
        plan, counts = self._plan, self.node_counts[graphs]
        first, nodes = pointers(counts), ragged(self._ptr, graphs)
        centres = self._centres[nodes]
        nearest, edges = [np.zeros(0, np.int64)], [np.zeros((2, 0), np.int64)]
        for start, end in pairwise(first.tolist()):
            order, pairs = nearest_segments(centres[start:end], plan.neighbours)
            nearest.append(order[:, 0] + start)
            edges.append(pairs + start)
        source, destination = np.concatenate(edges, axis=1)
        height, width = plan.image_shape[:2]
        place = (centres * plan.places / (width, height)).astype(np.int64)
        steps = [*self._intensity[nodes].T, *place.T]
        if plan.neighbour_features:
            degree = np.bincount(source, minlength=len(centres))
            steps += [*place[np.concatenate(nearest)].T, np.minimum(degree, 2 * plan.neighbours)]
        properties = [scale.booleans(step) for scale, step in zip(plan.scales(), steps, strict=True)]
        return GraphBatch.from_arrays(
            counts,
            np.concatenate(properties, axis=1),
            symbols=self.vocabulary.symbols,
            edges=(source, destination),
            edge_types=self.vocabulary.edge_types,
        ).pack()
