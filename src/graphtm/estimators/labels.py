"""Class labels of any type, and the class numbers that engines use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.multiclass import check_classification_targets

from graphtm.errors import GraphError, GraphTMError
from graphtm.foundation.calling import warn_user
from graphtm.foundation.names import name_from_json, name_key, name_to_json, normalize_name, shorten
from graphtm.foundation.type_names import type_of

_SIMPLE = (str, bool, int, float, np.bool_, np.integer, np.floating, np.str_)
_DTYPES = frozenset(
    ["|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "str", "object"]
)


def as_labels(y: Any, n: int) -> NDArray[Any]:
    """Return labels as a one-dimensional array, one for each of ``n`` graphs.

    Raises
    ------
    ValueError
        If their number is wrong, or they are not class labels.
    """
    if y is None:
        raise ValueError("y must hold one label for each graph; got None.")
    labels = _array(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warn_user(
            "A column-vector y was passed when a 1d array was expected: one label per graph. Use y.ravel().",
            DataConversionWarning,
        )
        labels = labels[:, 0]
    if labels.ndim != 1 or len(labels) != n:
        hint = " To predict labels of nodes, use GraphBatch.node_examples." if len(labels) > n else ""
        raise ValueError(f"y must hold one label for each of {n:,} graphs; got shape {labels.shape}.{hint}")
    if labels.dtype != object and n:
        refuse_numbers(labels)
        check_classification_targets(labels)
    return labels


def refuse_numbers(y: Any) -> None:
    """Refuse targets that are numbers with a fraction, which are no classes.

    Raises
    ------
    ValueError
        If there are such targets.
    """
    try:
        array = np.asarray(y)
    except ValueError:  # lists of several lengths, which are sets of labels
        return
    if array.dtype.kind == "f":
        fractions = array[np.isfinite(array) & (array != np.rint(array))]
        if len(fractions):
            raise _no_class(fractions[0].item())


def _no_class(number: float) -> ValueError:
    return ValueError(
        f"Unknown label type: {number!r}. Labels must be classes; floats must be whole numbers. To predict numbers, "
        "use GraphTMRegressor."
    )


def _array(values: Any) -> NDArray[Any]:
    """Return labels as an array that keeps their types: an object array where NumPy would convert them."""
    if isinstance(values, str | bytes | dict | set | frozenset):
        raise ValueError(f"Labels must be a list or an array; got {type_of(values)}.")
    if sparse.issparse(values):
        raise ValueError(
            f"Labels must be a list or an array with one label per graph; got a sparse matrix of shape {values.shape}. "
            "Several labels per graph are learned by GraphTMMultiLabelClassifier."
        )
    if not hasattr(values, "__array__"):
        values = list(values) if isinstance(values, Iterable) else [values]
        kinds = {type(label) for label in values}
        if len(kinds) > 1 or any(not issubclass(kind, (*_SIMPLE, list, np.ndarray)) for kind in kinds):
            objects = np.empty(len(values), dtype=object)
            objects[:] = values
            values = objects
    array = np.asarray(values)
    if array.dtype.kind == "f" and not np.all(np.isfinite(array)):
        place = int(np.argwhere(~np.isfinite(array))[0][0])
        what = "NaN" if np.isnan(array).any() else f"infinity or a value too large for {array.dtype!r}"
        raise ValueError(f"Input y contains {what}. Every graph must have a label; see position {place}.")
    if array.dtype == object and array.ndim == 1:
        try:
            plain = [normalize_name(label) for label in array]
        except GraphError as cause:
            raise ValueError(f"A label must be hashable and not NaN ({cause})") from None
        fraction = next((label for label in plain if isinstance(label, float) and label != int(label)), None)
        if fraction is not None:
            raise _no_class(fraction)
        array = np.empty(len(plain), dtype=object)
        array[:] = plain
    return array


def classes_of(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the different labels, sorted.

    Raises
    ------
    ValueError
        If they cannot be sorted.
    """
    if labels.dtype != object:
        return np.unique(labels)
    different = list({name_key(label): label for label in labels}.values())
    try:
        different.sort()
    except TypeError:
        kinds = sorted({type(label).__name__ for label in different})
        raise ValueError(
            f"Labels must be of one sortable type; got {', '.join(kinds)}. "
            "Pass partial_fit(classes=...) to fix their order."
        ) from None
    classes = np.empty(len(different), dtype=object)
    classes[:] = different
    return classes


def given_classes(classes: Any) -> NDArray[Any]:
    """Return classes in the order given; each must occur once."""
    labels = _array(classes)
    if labels.ndim != 1 or not len(labels) or len({name_key(label) for label in labels.tolist()}) < len(labels):
        raise ValueError(f"There must be at least one class, each given once; got {shorten(labels.tolist())}.")
    return labels


def check_classes(given: NDArray[Any], fitted: NDArray[Any]) -> None:
    """Check that classes are those of a fitted model.

    Raises
    ------
    ValueError
        If they differ, also in order.
    """
    if class_numbers(given, fitted, strict=False).tolist() != list(range(len(fitted))):
        raise ValueError(
            f"The classes must be those of the first fit, {shorten(fitted.tolist())}; got {shorten(given.tolist())}."
        )


def class_numbers(labels: NDArray[Any], classes: NDArray[Any], *, strict: bool = True) -> NDArray[np.int64]:
    """Return the class number of each label, or -1 for a label that is not a class.

    Raises
    ------
    ValueError
        If a label is not a class, unless ``strict`` is False.
    """
    mixed = labels.dtype == object or classes.dtype == object
    number = {_key(label, mixed): place for place, label in enumerate(classes.tolist())}
    numbers = np.array([number.get(_key(label, mixed), -1) for label in labels.tolist()], dtype=np.int64)
    if strict and np.any(numbers < 0):
        unknown = list({_key(label, mixed): label for label in labels[numbers < 0].tolist()}.values())
        raise ValueError(
            f"Every label must be one of the {len(classes)} classes, {shorten(classes.tolist())}; "
            f"got {shorten(unknown)}. Classes are fixed by the first fit."
        )
    return numbers


def _key(label: Any, mixed: bool) -> Any:
    # Among labels of one NumPy type 1 and 1.0 are the same; among objects 1, 1.0 and True are not.
    return name_key(label) if mixed else label


def check_same_kind(labels: NDArray[Any], classes: NDArray[Any], what: str) -> None:
    """Refuse labels that are all of another type than the classes.

    Labels of the right type that are not a class are accepted: a fold may lack a rare class.

    Parameters
    ----------
    labels, classes
        The labels, and the classes.
    what
        Subject of the error message.

    Raises
    ------
    ValueError
        If all labels are of other types than the classes.
    """
    given, wanted = _kinds(labels), _kinds(classes)
    if "object" in (labels.dtype, classes.dtype):  # then 1 and True are different labels
        given, wanted = ({type(label).__name__ for label in values.tolist()} for values in (labels, classes))
    if given and not given & wanted:
        raise ValueError(
            f"{what} must have labels of the same type as the classes, such as {classes.tolist()[0]!r}; got "
            f"{labels.tolist()[0]!r}. Convert the labels first."
        )


def _kinds(labels: NDArray[Any]) -> set[str]:
    """Return the kinds of labels that can be equal: numbers of all NumPy types are compared by value."""
    kind = {"U": "str", "b": "number", "i": "number", "u": "number", "f": "number"}.get(labels.dtype.kind)
    return set() if not len(labels) else {labels.dtype.name if kind is None else kind}


def classes_to_json(classes: NDArray[Any]) -> dict[str, Any]:
    """Return classes as JSON for a model file.

    Raises
    ------
    GraphTMError
        If labels are of a type that cannot be saved.
    """
    kind = "str" if classes.dtype.kind == "U" else "object" if classes.dtype == object else classes.dtype.str
    if kind not in _DTYPES:
        raise GraphTMError(f"Labels of dtype {classes.dtype} cannot be saved; use str, int, float or bool labels.")
    if kind != "object":
        return {"dtype": kind, "labels": classes.tolist()}
    try:
        labels = [label if isinstance(label, float) else name_to_json(label) for label in classes.tolist()]
    except GraphError:
        kinds = sorted({type(label).__name__ for label in classes.tolist()})
        raise GraphTMError(
            f"Labels must be str, int, float, bool, None or tuples of these to be saved; got {', '.join(kinds)}. "
            "Convert the labels before fitting."
        ) from None
    return {"dtype": kind, "labels": labels}


def classes_from_json(value: dict[str, Any]) -> NDArray[Any]:
    """Return the classes that :func:`classes_to_json` wrote."""
    kind, labels = value["dtype"], value["labels"]
    if kind not in _DTYPES or not isinstance(labels, list):
        raise ValueError(f"labels of dtype {kind!r}")
    if kind == "object":
        classes = np.empty(len(labels), dtype=object)
        classes[:] = [label if isinstance(label, float) else name_from_json(label) for label in labels]
    else:
        classes = np.array(labels, dtype=str if kind == "str" else kind)
    return given_classes(classes)
