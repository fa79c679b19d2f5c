"""Checks that every encoder must pass: ``check_encoder(encoder, data, *, bad=(), render=None)``.

An encoder reads its parameters only in ``fit``, which checks them and stores one frozen plan. ``transform``, ``render``
and ``inverse_transform`` read only that plan. So ``set_params`` has no effect on a fitted encoder before the next
``fit``, and a ``fit`` that fails has no effect at all.
"""

from __future__ import annotations

import pickle
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from graphtm.encoders import GraphEncoder
from graphtm.encoders.base import symbol_texts
from graphtm.errors import GraphTMError
from graphtm.graphs import GraphBatch
from graphtm.pipelines import load, save
from graphtm.pipelines.files import ENCODER_KINDS


class EncoderCheckError(GraphTMError, AssertionError):
    """An encoder does not pass a check."""


class _NoParameter:
    """A value that is invalid for every parameter."""

    def __repr__(self) -> str:
        return "<no parameter>"


# True and False are included because a parameter that is only tested for truth accepts any object.
_OTHERS = (_NoParameter(), None, False, True, 2)


def check_encoder(
    encoder: GraphEncoder,
    data: Any,
    *,
    bad: Iterable[Any] = (),
    render: Callable[[Any], Any] | None = None,
) -> None:
    """Check that an encoder behaves as every encoder must.

    - ``fit`` returns the encoder, does not change its parameters, and raises a ``ValueError`` or ``TypeError`` that
      names the parameter if one is invalid.
    - ``transform`` always returns the same graphs with ``vocabulary_``, whatever scikit-learn's ``transform_output``
      is. ``get_feature_names_out()`` returns the symbols as strings.
    - The results of ``transform``, ``render`` and ``inverse_transform`` stay the same after ``set_params``, after
      pickling, and after a ``fit`` that failed. A failing ``fit`` changes no attribute.
    - ``clone`` returns an encoder that is not fitted, and fitting it gives the same results.
    - An encoder of this package returns the same results after :func:`graphtm.save` and :func:`graphtm.load`.

    Parameters
    ----------
    encoder
        Any encoder, fitted or not; only copies of it are used.
    data
        Data to fit the encoder to; a few samples are enough.
    bad
        Invalid data for which ``fit`` must raise an error, in addition to ``None`` and an object. Preferably only the
        last sample is invalid, or the part that is read last.
    render
        Function of the fitted encoder that is called instead of ``encoder.render({symbol: number, ...})``, if that
        needs more arguments.

    Raises
    ------
    EncoderCheckError
        If a check fails.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.encoders import ImagePatches
    >>> check_encoder(ImagePatches(patch_size=2), np.eye(4)[None])
    """
    name = type(encoder).__name__
    fitted = clone(encoder)
    parameters = fitted.get_params(deep=False)
    try:
        fitted.transform(data)
    except NotFittedError:
        pass
    else:
        raise EncoderCheckError(f"{name}.transform must raise NotFittedError before fit; it returned a result.")
    _require(fitted.fit(data) is fitted, f"{name}.fit must return the encoder itself; it returned something else.")
    kept = fitted.get_params(deep=False)
    changed = [key for key in parameters if kept[key] is not parameters[key]]
    _require(not changed, f"{name}.fit must not change parameters; it changed {changed}.")
    given = _given(fitted, data, render)
    _check_graphs(fitted, data, given["transform"])
    _check_copies(fitted, data, given, render)
    _check_file(fitted, data, given, render)
    _check_later_parameters(fitted, data, given, render)
    _check_failures(fitted, data, given, bad, render)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise EncoderCheckError(message)


def _given(encoder: Any, data: Any, render: Callable[[Any], Any] | None) -> dict[str, Any]:
    """Return the results of all methods of a fitted encoder."""
    graphs = encoder.transform(data)
    given = {"transform": graphs}
    if hasattr(encoder, "inverse_transform"):
        given["inverse_transform"] = _outcome(lambda: encoder.inverse_transform(graphs))
    if render is not None:
        given["render"] = render(encoder)
    elif hasattr(encoder, "render"):
        given["render"] = encoder.render({symbol: n + 1 for n, symbol in enumerate(encoder.vocabulary_.symbols)})
    return given


def _outcome(call: Callable[[], Any]) -> Any:
    """Return a result, or the error: not all graphs can be inverted."""
    try:
        return call()
    except (GraphTMError, ValueError, TypeError) as error:
        return type(error), str(error)


def _check_same(encoder: Any, data: Any, given: dict[str, Any], render: Callable[[Any], Any] | None, when: str) -> None:
    """Require that an encoder returns the same results as before."""
    name = type(encoder).__name__
    try:
        now = _given(encoder, data, render)
    except Exception as error:
        raise EncoderCheckError(f"{name} must return the same results {when}; it failed with {error!r}.") from error
    for method, result in given.items():
        _require(_same(now[method], result), f"{name}.{method} must return the same result {when}; it did not.")


def _same(one: Any, other: Any) -> bool:
    """Return whether two results are equal, including arrays and dataclasses of arrays."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other)
    if is_dataclass(one):
        return all(_same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    if isinstance(one, Mapping):
        return list(one) == list(other) and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _check_graphs(encoder: Any, data: Any, graphs: Any) -> None:
    name = type(encoder).__name__
    _require(
        isinstance(graphs, GraphBatch),
        f"{name}.transform must return a GraphBatch; it returned {type(graphs).__name__!r}.",
    )
    graphs.validate()
    _require(graphs.vocabulary == encoder.vocabulary_, f"The graphs of {name} must have the vocabulary `vocabulary_`.")
    _require(
        encoder.get_feature_names_out().tolist() == symbol_texts(encoder.vocabulary_.symbols),
        f"{name}.get_feature_names_out must return the symbols of vocabulary_ as strings, in their order; it did not.",
    )
    for output in ("default", "pandas", "polars"):
        with config_context(transform_output=output):
            for made in (encoder.transform(data), clone(encoder).fit_transform(data)):
                _require(
                    _same(made, graphs),
                    f"{name} must return the same GraphBatch from fit_transform and transform for every "
                    f"transform_output of scikit-learn; it did not for {output!r}.",
                )


def _check_copies(encoder: Any, data: Any, given: dict[str, Any], render: Callable[[Any], Any] | None) -> None:
    _check_same(_copy(encoder), data, given, render, "after pickling")
    copied = clone(encoder)
    _require(not hasattr(copied, "vocabulary_"), f"A clone of {type(encoder).__name__} must not be fitted; it was.")
    _check_same(copied.fit(data), data, given, render, "from a clone")


def _check_file(encoder: Any, data: Any, given: dict[str, Any], render: Callable[[Any], Any] | None) -> None:
    """Require the same results from a file, which holds the parameters of the fit; only encoders of the package."""
    name = type(encoder).__name__
    if ENCODER_KINDS.get(name) is not type(encoder):
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "encoder.gtm"
        try:
            save(_copy(encoder).set_params(**dict.fromkeys(encoder.get_params(deep=False))), path)
            loaded = load(path)
        except Exception as error:
            raise EncoderCheckError(f"{name} must be saved and loaded; it failed with {error!r}.") from error
    _check_same(loaded, data, given, render, "after saving and loading")
    _check_failure(loaded, None, "invalid data")
    _check_same(clone(loaded).fit(data), data, given, render, "from a clone of what was loaded")


def _check_later_parameters(
    encoder: Any, data: Any, given: dict[str, Any], render: Callable[[Any], Any] | None
) -> None:
    for parameter in encoder.get_params(deep=False):
        for value in _OTHERS:
            changed = _copy(encoder).set_params(**{parameter: value})
            _check_same(changed, data, given, render, f"after set_params({parameter}={value!r}) without a new fit")


def _check_failures(
    encoder: Any, data: Any, given: dict[str, Any], bad: Iterable[Any], render: Callable[[Any], Any] | None
) -> None:
    name = type(encoder).__name__
    for worse in (object(), None, *bad):
        copied = _copy(encoder)
        _check_failure(copied, worse, "invalid data")
        _check_same(copied, data, given, render, "after a fit that failed")
    for parameter in encoder.get_params(deep=False):
        changed = _copy(encoder).set_params(**{parameter: _OTHERS[0]})
        message = _check_failure(changed, data, f"{parameter}={_OTHERS[0]!r}")
        _require(
            parameter in message,
            f"The error of {name}.fit for an invalid parameter must name it, {parameter!r}; it is: {message}",
        )


def _check_failure(encoder: Any, data: Any, what: str) -> str:
    """Require that ``fit`` fails and changes nothing; return the error message."""
    name, before = type(encoder).__name__, dict(vars(encoder))
    try:
        encoder.fit(data)
    except (ValueError, TypeError) as error:
        after = vars(encoder)
        names = sorted(key for key in {*before, *after} if before.get(key, encoder) is not after.get(key, encoder))
        _require(not names, f"{name}.fit must not change anything if it fails; with {what} it changed {names}.")
        return str(error)
    raise EncoderCheckError(f"{name}.fit must raise a ValueError or TypeError for {what}; it did not.")


def _copy(encoder: Any) -> Any:
    return pickle.loads(pickle.dumps(encoder))  # noqa: S301  # its own bytes
