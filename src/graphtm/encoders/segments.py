"""Segments of images: SLIC, what is measured of them, and which are near one another."""

from __future__ import annotations

import numpy as np

from graphtm.encoders.booleanise import LevelArray
from graphtm.encoders.rendering import FloatArray
from graphtm.foundation.arrays import Int64Array, pointers
from graphtm.foundation.calling import require


def slic_segments(images: LevelArray, n_segments: int, compactness: float) -> Int64Array:
    """Return the segment of every pixel of some images, numbered 0, 1, 2, ... in each."""
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
        # A number that no pixel has would be a node without a place.
        label.flat = np.unique(found, return_inverse=True)[1]
    return labels


def segment_means(images: LevelArray, labels: Int64Array) -> tuple[Int64Array, FloatArray, FloatArray]:
    """Return how many segments each image has, then each segment's mean level per channel, and x and y of its centre.

    The segments of the first image come first. Pixels are 1 wide.
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
    """Return, for the segments of one image, the others from near to far, and the pairs that are connected.

    Of segments at the same distance the one with the smaller number is nearer. A lone segment is its own nearest.
    """
    n = len(centres)
    if n == 1:
        return np.zeros((1, 1), np.int64), np.zeros((2, 0), np.int64)
    # Rounded, so that distances that are equal on paper are equal here.
    distance = np.round(((centres[:, None] - centres) ** 2).sum(axis=2), 6)
    np.fill_diagonal(distance, np.inf)
    order = np.argsort(distance, axis=1, kind="stable")[:, :neighbours]
    linked = np.zeros((n, n), np.bool_)
    np.put_along_axis(linked, order, values=True, axis=1)
    np.fill_diagonal(linked, val=False)
    return order, np.stack(np.nonzero(linked | linked.T))
