"""Heat maps of images: the votes for a class, divided among pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from graphtm.codes import encode
from graphtm.encoders.booleanise import as_levels, check_images
from graphtm.engines import predicted_classes
from graphtm.engines.trace import trace_graph
from graphtm.estimators.machine_estimator import MachineEstimator
from graphtm.explain import Clauses
from graphtm.explain.rule_text import MOST_LETTERS
from graphtm.explain.scores import share_votes
from graphtm.foundation.display import bare, count, cut
from graphtm.foundation.names import shorten
from graphtm.pipelines.explaining import named_steps
from graphtm.pipelines.samples import one_sample

Floats = NDArray[np.float64]


def heat_map(pipeline: Any, X: Any, i: int | None, class_: Any) -> tuple[Floats, Floats, NDArray[Any], str]:
    """Return the votes of pixels that are on and of pixels that are off, the image, and a title.

    See :meth:`graphtm.plots.HeatMapDisplay.from_estimator`.
    """
    first, encoder, estimator = _parts(pipeline)
    estimator._check_fitted()
    data = X if i is None else one_sample(X, i, "HeatMapDisplay.from_estimator")
    for step in first:
        data = step.transform(data)
    images = as_levels(check_images(data, type(encoder).__name__))
    n = len(images)
    if not n:
        raise ValueError("At least one image is needed for a heat map; got none.")
    names = estimator.classes_.tolist()
    if class_ is not None and class_ not in names:
        raise ValueError(f"The {estimator._noun} must be one of [{shorten(names)}]; got {class_!r}.")
    number = None if class_ is None else names.index(class_)
    maps, predicted = _votes(encoder, estimator, images, number)
    positive, negative = maps / n
    image = np.rint(images.mean(axis=0)).astype(np.uint8)
    shown = predicted if n == 1 and number is None else number
    title = "Votes for " + ("the predicted class" if shown is None else cut(bare(names[shown]), MOST_LETTERS))
    title += f", mean of {count(n, 'image')}" if n > 1 else ""
    return positive, negative, image[..., 0] if image.shape[2] == 1 else image, title


def _parts(pipeline: Any) -> tuple[list[Any], Any, Any]:
    """Return the steps before the encoder of images, the encoder, and the estimator."""
    steps = [step for _, step in named_steps(pipeline)] if isinstance(pipeline, Pipeline) else [pipeline]
    if len(steps) < 2 or not hasattr(steps[-2], "to_pixels") or not isinstance(steps[-1], MachineEstimator):
        got = " and ".join(repr(type(step).__name__) for step in steps[-2:])
        search = " Pass its best_estimator_." if hasattr(steps[-1], "best_estimator_") else ""
        raise TypeError(
            "The 'estimator' parameter of HeatMapDisplay.from_estimator must be a Pipeline whose last steps are "
            f"ImagePatches or Superpixels and an estimator of graphtm. Got {got} instead.{search}"
        )
    return steps[:-2], steps[-2], steps[-1]


def _votes(encoder: Any, estimator: MachineEstimator, images: NDArray[Any], number: int | None) -> tuple[Floats, int]:
    """Return the summed votes of pixels that are on and off, (2, height, width), and the last predicted class."""
    model, total, at, predicted = estimator.model_, np.zeros((2, *images.shape[1:3])), 0, -1
    clauses = Clauses(model)
    columns = encoder.vocabulary_.symbols.numbers_in(model.vocabulary.symbols)
    for chunk in estimator._known(encoder.transform(images), model.vocabulary).chunks():
        encoded = encode(chunk, model.symbol_code)
        for graph in range(len(chunk)):
            trace = trace_graph(model.params, model.state, encoded, graph)
            predicted = int(predicted_classes(trace.votes))
            weights = model.state.weights[predicted if number is None else number].astype(np.int64)
            properties = chunk[graph : graph + 1].pack().properties
            scores = share_votes(clauses, trace, properties, np.maximum(weights, 0), misses=False)
            for side, table in enumerate((scores.present, scores.absent)):
                # A last column of zeros, for symbols that the model does not know.
                known = np.pad(table.toarray(), ((0, 0), (0, 1)))
                total[side] += encoder.to_pixels(known[:, columns], images[at])
            at += 1
    return total, predicted
