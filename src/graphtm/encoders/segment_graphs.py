"""Segments of images as graphs that are made on demand.

How many nodes a graph has is known only once its image is segmented, so segmenting cannot wait. What is kept of a
segment is its intensity and its centre; images and segments are gone. Symbols and edges, which are most of a graph, are
made when they are read.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from graphtm.encoders.booleanise import LevelArray, blocks, channel_names
from graphtm.encoders.rendering import FloatArray
from graphtm.encoders.scales import Scale
from graphtm.encoders.segments import nearest_segments, segment_means, slic_segments
from graphtm.foundation.arrays import Int64Array, pointers, ragged
from graphtm.foundation.resources import capped_jobs
from graphtm.graphs import GraphBatch, PackedGraphs, Vocabulary

EDGE = "neighbour"
"""Type of the edges between segments."""

_BITS = 64
"""Sums are taken in floats: so many bits for each pixel and channel, as :func:`blocks` counts them."""


@dataclass(frozen=True)
class SegmentPlan:
    """Everything about a graph of segments that does not depend on the image; parameters as of the encoder."""

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
        """Return all scales that nodes have a step of, in the order of their symbols."""
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
        """Segment checked images, and return what makes their graphs."""
        work = (delayed(_measured)(self, part) for _, part in blocks(images, _BITS))
        none = (np.zeros(0, np.int64), np.zeros((0, images.shape[3]), np.uint8), np.zeros((0, 2)))
        parts = zip(none, *Parallel(n_jobs=capped_jobs(self.n_jobs))(work), strict=True)
        return SegmentSource(self, vocabulary, *map(np.concatenate, parts))


def _measured(plan: SegmentPlan, images: LevelArray) -> tuple[Int64Array, LevelArray, FloatArray]:
    """Return how many segments each image has, and the step of intensity and the centre of each segment."""
    labels = slic_segments(images, plan.n_segments, plan.compactness)
    counts, means, centres = segment_means(images, labels)
    return counts, (means * plan.levels / 256).astype(np.uint8), centres


class SegmentSource:
    """Makes the graphs of some images at a time; holds what was measured of each segment.

    Parameters
    ----------
    plan
        What the graphs are like.
    vocabulary
        The plan's names.
    counts
        Segments per image.
    intensity
        For each segment, the steps of intensity of its channels.
    centres
        For each segment, x and y.
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
