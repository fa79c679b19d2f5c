"""What every encoder must hold to: ``check_encoder(encoder, data, *, bad=(), render=None)``.

An encoder reads its parameters in ``fit`` and nowhere else: ``fit`` checks them and stores one frozen plan, which is
all that ``transform``, ``render`` and ``inverse_transform`` read. So ``set_params`` on a fitted encoder changes nothing
before the next ``fit``. A ``fit`` that fails changes nothing at all.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from graphtm.encoders import GraphEncoder
from graphtm.encoders.base import symbol_texts
from graphtm.errors import GraphTMError
from graphtm.graphs import GraphBatch


class EncoderCheckError(GraphTMError, AssertionError):
    """An encoder does not do what every encoder must."""


class _NoParameter:
    """What no parameter may be."""

    def __repr__(self) -> str:
        return "<no parameter>"


# True and False are there because a parameter that is only asked "if" takes any object for yes.
_OTHERS = (_NoParameter(), None, False, True, 2)


def check_encoder(
    encoder: GraphEncoder,
    data: Any,
    *,
    bad: Iterable[Any] = (),
    render: Callable[[Any], Any] | None = None,
) -> None:
    """Check that an encoder does what every encoder must.

    ``fit`` returns the encoder, leaves its parameters alone, and refuses with a ``ValueError`` or ``TypeError`` every
    parameter that cannot be, by its name. ``transform`` gives the same graphs every time, whatever scikit-learn is
    asked to wrap them into, under ``vocabulary_``, whose symbols, as text, are ``get_feature_names_out()``. Graphs,
    pictures and what ``inverse_transform`` gives stay the same after ``set_params``, after pickling, and after a
    ``fit`` that failed, which also leaves every attribute alone. ``clone`` gives an encoder that is not fitted and
    learns the same.

    Parameters
    ----------
    encoder
        Any encoder, fitted or not; only copies of it are used.
    data
        Data that it can be fitted to; a few examples will do.
    bad
        More data that ``fit`` must refuse; what is no data at all is always tried. Give data that is bad in its last
        example, or in what is looked at last.
    render
        Called with the fitted encoder in place of ``encoder.render({symbol: number, ...})``, where that needs more.

    Raises
    ------
    EncoderCheckError
        At the first thing that does not hold.

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
        raise EncoderCheckError(f"{name}.transform must raise NotFittedError before fit; it gave a result.")
    _require(fitted.fit(data) is fitted, f"{name}.fit must return the encoder itself; it returned something else.")
    kept = fitted.get_params(deep=False)
    changed = [key for key in parameters if kept[key] is not parameters[key]]
    _require(not changed, f"{name}.fit must leave parameters as they are; it changed {changed}.")
    given = _given(fitted, data, render)
    _check_graphs(fitted, data, given["transform"])
    _check_copies(fitted, data, given, render)
    _check_later_parameters(fitted, data, given, render)
    _check_failures(fitted, data, given, bad, render)


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise EncoderCheckError(message)


def _given(encoder: Any, data: Any, render: Callable[[Any], Any] | None) -> dict[str, Any]:
    """Return all that a fitted encoder gives: graphs, what is read back from them, and a picture."""
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
    """Return a result, or what it was refused with: not all graphs can be read back."""
    try:
        return call()
    except (GraphTMError, ValueError, TypeError) as error:
        return type(error), str(error)


def _check_same(encoder: Any, data: Any, given: dict[str, Any], render: Callable[[Any], Any] | None, when: str) -> None:
    """Require that an encoder gives the same as before."""
    name = type(encoder).__name__
    try:
        now = _given(encoder, data, render)
    except Exception as error:
        raise EncoderCheckError(f"{name} must give the same {when}; it failed with {error!r}.") from error
    for method, result in given.items():
        _require(_same(now[method], result), f"{name}.{method} must give the same {when}; it gave something else.")


def _same(one: Any, other: Any) -> bool:
    """Whether two results are equal, arrays and pictures made of them included."""
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
        isinstance(graphs, GraphBatch), f"{name}.transform must return a GraphBatch; got a {type(graphs).__name__!r}."
    )
    graphs.validate()
    _require(graphs.vocabulary == encoder.vocabulary_, f"The graphs of {name} must have the names in vocabulary_.")
    _require(
        encoder.get_feature_names_out().tolist() == symbol_texts(encoder.vocabulary_.symbols),
        f"{name}.get_feature_names_out must return the symbols of vocabulary_ as text, in their order; it returned "
        "others.",
    )
    for output in ("default", "pandas", "polars"):
        with config_context(transform_output=output):
            for made in (encoder.transform(data), clone(encoder).fit_transform(data)):
                _require(
                    _same(made, graphs),
                    f"{name} must return the same GraphBatch from fit_transform and from every transform, whatever "
                    f"output scikit-learn is set to; it did not with {output!r}.",
                )


def _check_copies(encoder: Any, data: Any, given: dict[str, Any], render: Callable[[Any], Any] | None) -> None:
    _check_same(_copy(encoder), data, given, render, "after pickling")
    copied = clone(encoder)
    _require(not hasattr(copied, "vocabulary_"), f"A clone of {type(encoder).__name__} must not be fitted; it was.")
    _check_same(copied.fit(data), data, given, render, "from a clone")


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
        _check_failure(copied, worse, "data that is bad")
        _check_same(copied, data, given, render, "after a fit that failed")
    for parameter in encoder.get_params(deep=False):
        changed = _copy(encoder).set_params(**{parameter: _OTHERS[0]})
        message = _check_failure(changed, data, f"{parameter}={_OTHERS[0]!r}")
        _require(
            parameter in message,
            f"What {name}.fit says of a bad parameter must name it, {parameter!r}; it says: {message}",
        )


def _check_failure(encoder: Any, data: Any, what: str) -> str:
    """Require that ``fit`` fails and changes nothing; return what it says."""
    name, before = type(encoder).__name__, dict(vars(encoder))
    try:
        encoder.fit(data)
    except (ValueError, TypeError) as error:
        after = vars(encoder)
        names = sorted(key for key in {*before, *after} if before.get(key, encoder) is not after.get(key, encoder))
        _require(not names, f"A fit of {name} that fails must change nothing; with {what} it changed {names}.")
        return str(error)
    raise EncoderCheckError(f"{name}.fit must refuse {what} with a ValueError or TypeError; it took it.")


def _copy(encoder: Any) -> Any:
    return pickle.loads(pickle.dumps(encoder))  # noqa: S301  # its own bytes
