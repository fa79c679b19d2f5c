"""Weights of classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.estimators.labels import class_numbers, given_classes
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import ParameterChecks, is_weight

_RULE = "a dict from labels to finite numbers of at least 0, 'balanced' or None"


def check_class_weight(checks: ParameterChecks, name: str) -> None:
    """Require weights that :func:`class_weighted` takes, as far as can be told without labels."""
    value = checks.value(name)
    if value is None or (isinstance(value, str) and value == "balanced"):
        return
    if not isinstance(value, Mapping) or not value or not all(map(is_weight, value.values())):
        checks.refuse(name, _RULE)


def class_weighted(
    class_weight: Any, numbers: NDArray[np.int64], classes: NDArray[Any], weights: NDArray[np.float64] | None
) -> NDArray[np.float64] | None:
    """Return sample weights multiplied by the weights of the classes.

    Parameters
    ----------
    class_weight
        A mapping from labels to weights, 1 for labels that it lacks; ``"balanced"``, which gives all classes the same
        total weight; or ``None``.
    numbers
        Class number of each example.
    classes
        The labels.
    weights
        Sample weights, or ``None``.

    Raises
    ------
    ValueError
        If a label is not a class.
    """
    if class_weight is None:
        return weights
    own = np.ones(len(numbers)) if weights is None else weights
    if isinstance(class_weight, str):
        sums = np.bincount(numbers, own, minlength=len(classes))
        there = sums > 0
        factors = np.divide(sums.sum() / max(1, there.sum()), sums, out=np.ones(len(classes)), where=there)
    else:
        factors = np.ones(len(classes))
        labels = given_classes(list(class_weight))
        places = class_numbers(labels, classes, strict=False)
        if np.any(places < 0):
            raise ValueError(
                f"The labels of class_weight must be among the classes, {shorten(classes.tolist())}; "
                f"got {shorten(labels[places < 0].tolist())}."
            )
        factors[places] = list(class_weight.values())
    return np.asarray(own * factors[numbers])
