"""Class labels of any type, and the numbers that engines know them by."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from graphtm.errors import GraphTMError
from graphtm.graphs.names import name_from_json, name_key, name_to_json, shorten


def as_labels(y: Any, n: int) -> NDArray[Any]:
    """Return labels as a one-dimensional array, one for each of ``n`` graphs.

    Raises
    ------
    ValueError
        If there are more or fewer, or they are no class labels.
    """
    if y is None:
        raise ValueError("Classification needs labels: y must hold one for each graph; got None.")
    if isinstance(y, list | tuple) and any(isinstance(label, tuple) for label in y):
        labels: NDArray[Any] = np.empty(len(y), dtype=object)
        labels[:] = y
    else:
        labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != n:
        raise ValueError(f"y must hold one label for each of {n:,} graphs; got shape {labels.shape}.")
    if labels.dtype.kind == "f" and not np.all(np.isfinite(labels)):
        raise ValueError(
            f"y must not hold NaN or infinity; it does at place {np.flatnonzero(~np.isfinite(labels))[0]}."
        )
    if labels.dtype != object and n:
        check_classification_targets(labels)
    return labels


def classes_of(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels, sorted.

    Raises
    ------
    ValueError
        If they cannot be sorted.
    """
    try:
        return np.unique(labels)
    except TypeError:
        kinds = sorted({type(label).__name__ for label in labels})
        raise ValueError(
            f"Labels must be of one sortable type; got {', '.join(kinds)}. "
            "Give partial_fit(classes=...) to fix their order."
        ) from None


def given_classes(classes: Any) -> NDArray[Any]:
    """Return classes in the order given; each must be there once."""
    labels = as_labels(classes, len(classes))
    if len({name_key(label) for label in labels.tolist()}) < len(labels) or not len(labels):
        raise ValueError(f"The classes must be at least one, each given once; got {shorten(labels.tolist())}.")
    return labels


def class_numbers(labels: NDArray[Any], classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of each label's class.

    Raises
    ------
    ValueError
        If a label is none of the classes.
    """
    number = {label: place for place, label in enumerate(classes.tolist())}
    wanted = labels.tolist()
    unknown = list(dict.fromkeys(label for label in wanted if label not in number))
    if unknown:
        raise ValueError(
            f"Every label must be one of the {len(classes)} classes, {shorten(classes.tolist())}; "
            f"got {shorten(unknown)}. Classes are fixed by the first fit."
        )
    return np.array([number[label] for label in wanted], dtype=np.int64)


def classes_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    """Return classes as a model file holds them.

    Raises
    ------
    GraphTMError
        If labels are of a type that a file cannot hold.
    """
    if classes.dtype.kind in "biuf":
        return {"dtype": classes.dtype.str, "labels": classes.tolist()}
    if classes.dtype.kind == "U":
        return {"dtype": "str", "labels": classes.tolist()}
    if classes.dtype == object:
        return {"dtype": "object", "labels": [name_to_json(label) for label in classes.tolist()]}
    raise GraphTMError(
        f"Labels of dtype {classes.dtype} cannot be written to a file; use str, int, float or bool labels."
    )


def classes_from_json(value: dict[str, Any]) -> NDArray[Any]:
    """Return the classes that :func:`classes_to_json` wrote."""
    kind, labels = value["dtype"], value["labels"]
    if kind == "object":
        classes = np.empty(len(labels), dtype=object)
        classes[:] = [name_from_json(label) for label in labels]
        return classes
    dtype = np.dtype(str if kind == "str" else kind)
    if dtype.kind not in "biufU":
        raise ValueError(f"labels of dtype {kind!r}")
    return np.array(labels, dtype=dtype)
