"""Files of pipelines, estimators and encoders: what goes in at one end and comes out at the other, in one file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from graphtm import encoders
from graphtm.encoders import GraphEncoder
from graphtm.encoders.learned import Learned
from graphtm.errors import GraphTMError, ModelFormatError
from graphtm.estimators.files import ESTIMATORS, estimator_from
from graphtm.estimators.machine_estimator import MachineEstimator
from graphtm.foundation.container import DAMAGE, Arrays
from graphtm.foundation.values_json import value_from_json, value_to_json
from graphtm.model.file import ENCODERS, MOST_BYTES, Parts, model_from_parts, read_parts, write_parts

ENCODER_KINDS: dict[str, type[GraphEncoder]] = {
    name: getattr(encoders, name) for name in encoders.__all__ if name != GraphEncoder.__name__
}
"""All encoders by name."""
_ESTIMATOR_NAME = "estimator_name"
_NAME_BYTES = 128
"""Memory that a name takes, roughly, for the limit on what a file may need."""


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted pipeline, estimator or encoder to one ``.gtm`` file; :func:`load` reads it.

    A pipeline is a :class:`sklearn.pipeline.Pipeline` of encoders of this package, in any number, and an estimator of
    this package as its last step, or of encoders only. The file is complete: what is loaded takes the same raw data, in
    another process and on another computer, and returns the same predictions. An existing file is replaced only when
    the new one is complete.

    The file holds the parameters of the last fit. Of those that were changed since, only ``unknown``, ``engine``,
    ``n_jobs`` and ``verbose`` of the estimator are saved. ``memory`` and ``verbose`` of the pipeline are not saved.

    Parameters
    ----------
    model
        A fitted pipeline, estimator or encoder.
    path
        The file.

    Raises
    ------
    TypeError
        If it is none of these, or a step of the pipeline is neither an encoder nor an estimator of this package.
    NotFittedError
        If it is not fitted.
    GraphTMError
        If a label, or a parameter of an encoder, is of a type that cannot be saved. Nothing is written in any of
        these cases.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.pipeline import make_pipeline
    >>> import graphtm as gtm
    >>> texts, y = ["a good film", "good fun", "a bad film", "bad"], ["+", "+", "-", "-"]
    >>> machine = gtm.GraphTMClassifier(n_clauses=10, T=20, s=3.0, depth=1, epochs=20, random_state=0)
    >>> pipeline = make_pipeline(gtm.encoders.Tokens(position=False), machine).fit(texts, y)
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "films.gtm"
    >>> gtm.save(pipeline, path)
    >>> gtm.load(path).predict(["a good play", "a bad play"])
    array(['+', '-'], dtype='<U1')
    """
    write_parts(path, parts_of(model))


def parts_of(model: Any) -> Parts:
    """Return the parts of the file of a fitted pipeline, estimator or encoder; see :func:`save`."""
    if isinstance(model, MachineEstimator):
        model._check_fitted()
        return model._file_parts(model.model_)
    header: dict[str, Any] = {}
    arrays: Arrays = {}
    *first, (last_name, last) = _checked_steps(model)
    if isinstance(last, MachineEstimator):
        last._check_fitted()
        header, arrays = last._file_parts(last.model_)
        header[_ESTIMATOR_NAME] = last_name
    else:
        first.append((last_name, last))
    header[ENCODERS] = []
    for number, (name, encoder) in enumerate(first):
        entry, found = _encoder_to_parts(encoder)
        header[ENCODERS].append({"name": name, **entry})
        arrays |= {f"{ENCODERS}.{number}.{key}": array for key, array in found.items()}
    header["pipeline"] = isinstance(model, Pipeline)
    return Parts(header, arrays)


def load(path: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> Any:
    """Load what :func:`save`, or the method ``save`` of an estimator, wrote to a file.

    Nothing in the file is executed, so it is safe to load files from unknown sources.

    Parameters
    ----------
    path
        The ``.gtm`` file.
    most_bytes
        Largest size of the model in memory; 8 GiB by default.

    Returns
    -------
    estimator, encoder or Pipeline
        It predicts, explains and continues training like the one that was saved.

    Raises
    ------
    ModelFormatError
        If the file is damaged, truncated, of a newer version, not a model file, or too large.

    Warns
    -----
    EngineUnavailableWarning
        If the engine that the model was saved with cannot run here; ``engine="auto"`` is used instead.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, depth=1, epochs=3, random_state=0).fit(graphs, ["a", "b"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.gtm"
    >>> clf.save(path)
    >>> bool((gtm.load(path).predict(graphs) == clf.predict(graphs)).all())
    True
    """
    return from_parts(path, read_parts(path, most_bytes=most_bytes), most_bytes=most_bytes)


def from_parts(path: str | os.PathLike[str], parts: Parts, *, most_bytes: int = MOST_BYTES) -> Any:
    """Return what the parts of a file hold, the inverse of :func:`parts_of`; ``path`` is for error messages."""
    if ENCODERS not in parts.header:
        return estimator_from(model_from_parts(path, parts), path)
    steps = _encoders_from_parts(path, parts, most_bytes // _NAME_BYTES)
    if "machine" in parts.header:
        estimator = estimator_from(model_from_parts(path, parts), path)
        steps.append((parts.header.get(_ESTIMATOR_NAME), estimator))
    try:
        if parts.header["pipeline"] is False:
            ((_, only),) = steps
            return only
        return _pipeline(steps)
    except DAMAGE as cause:
        raise ModelFormatError(f"{path} is damaged: its steps are not a pipeline ({cause}).") from cause


def _pipeline(steps: list[tuple[Any, Any]]) -> Pipeline:
    """Return a pipeline, after checking the names of its steps, which scikit-learn does only when it is used."""
    names, taken = [name for name, _ in steps], Pipeline([]).get_params(deep=False)
    for name in names:
        if not isinstance(name, str) or "__" in name or name in taken or names.count(name) > 1:
            raise ValueError(f"{name!r} is not the name of a step")
    if not steps:
        raise ValueError("there is no step")
    return Pipeline(steps)


def _checked_steps(model: Any) -> list[tuple[str, Any]]:
    """Return the steps of a pipeline, or an encoder as the only step; refuse what a file cannot hold."""
    if _is_ours(model, ENCODER_KINDS):
        return [("encoder", model)]
    if type(model) is not Pipeline:
        raise TypeError(
            "The 'model' parameter of save must be an estimator or encoder of graphtm, or a scikit-learn Pipeline of "
            f"them. Got {_kind(model)} instead."
        )
    *first, (last_name, last) = model.steps
    for name, step in first:
        if not _is_ours(step, ENCODER_KINDS):
            raise TypeError(
                f"Step {name!r} of the pipeline must be an encoder of graphtm; got {_kind(step)}. {_advice(step)}"
            )
    if not _is_ours(last, {**ENCODER_KINDS, **ESTIMATORS}):
        raise TypeError(
            f"Step {last_name!r}, the last of the pipeline, must be an estimator or encoder of graphtm; got "
            f"{_kind(last)}. {_advice(last)}"
        )
    return [*first, (last_name, last)]


def _is_ours(step: Any, kinds: Mapping[str, type]) -> bool:
    return kinds.get(type(step).__name__) is type(step)


def _kind(step: Any) -> str:
    plain = step is None or isinstance(step, str)
    return repr(step) if plain else f"a {type(step).__module__}.{type(step).__qualname__}"


def _advice(step: Any) -> str:
    if isinstance(step, Pipeline):
        return "Write the steps of the inner pipeline as steps of the outer one."
    if step is None or isinstance(step, str):
        return "Leave the step out."
    return "Save the steps of graphtm alone, and other steps with their own library, or pickle the pipeline."


def _encoder_to_parts(encoder: GraphEncoder) -> tuple[dict[str, Any], Arrays]:
    """Return the entry of a fitted encoder in the header, and its arrays; raise if they could not be loaded."""
    check_is_fitted(encoder, "vocabulary_")
    kind = type(encoder).__name__
    settings = {
        name: value_to_json(value, f"the parameter {name!r} of {kind}")
        for name, value in encoder._fitted_params.items()
    }
    learned = encoder._learned()
    arrays = {name: value for name, value in learned.items() if isinstance(value, np.ndarray)}
    values = {
        name: value_to_json(value, f"what {kind} learned") for name, value in learned.items() if name not in arrays
    }
    entry = {"kind": kind, "settings": settings, "learned": values}
    again = _encoder_from_entry(entry, arrays, MOST_BYTES // _NAME_BYTES)
    if again.vocabulary_ != encoder.vocabulary_:
        raise GraphTMError(f"{kind} cannot be saved: it was changed after it was fitted. Fit it again.")
    return entry, arrays


def _encoders_from_parts(path: str | os.PathLike[str], parts: Parts, most_names: int) -> list[tuple[Any, Any]]:
    """Return the names of the encoders in a file, and the encoders."""
    try:
        entries = parts.header[ENCODERS]
        steps: list[tuple[Any, Any]] = []
        places = [name.split(".", 2) for name in parts.arrays if name.startswith(f"{ENCODERS}.")]
        if not isinstance(entries, list) or {place for _, place, _ in places} - set(map(str, range(len(entries)))):
            raise ValueError("arrays belong to no encoder")
        for number, entry in enumerate(entries):
            arrays = {
                name: parts.arrays[f"{ENCODERS}.{number}.{name}"] for _, place, name in places if place == str(number)
            }
            if entry["kind"] not in ENCODER_KINDS:
                raise ModelFormatError(
                    f"{path} holds the encoder {entry['kind']!r}; this version knows {', '.join(ENCODER_KINDS)}. "
                    "Update graphtm to read it."
                )
            steps.append((entry["name"], _encoder_from_entry(entry, arrays, most_names)))
        return steps
    except ModelFormatError:
        raise
    except DAMAGE as cause:
        raise ModelFormatError(f"{path} is damaged: its encoders are not valid ({cause}).") from cause


def _encoder_from_entry(entry: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], most_names: int) -> GraphEncoder:
    settings = {name: value_from_json(value) for name, value in entry["settings"].items()}
    values = {name: value_from_json(value) for name, value in entry["learned"].items()}
    return ENCODER_KINDS[entry["kind"]]._from_file(settings, Learned(values, arrays, most_names))
