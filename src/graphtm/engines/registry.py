"""Engines by name."""

from __future__ import annotations

from collections.abc import Callable

from graphtm.engines.base import Engine


def _reference() -> Engine:
    from graphtm.engines.reference import ReferenceEngine

    return ReferenceEngine()


_ENGINES: dict[str, Callable[[], Engine]] = {"reference": _reference}


def engine_names() -> tuple[str, ...]:
    """Return the names of all engines."""
    return tuple(_ENGINES)


def make_engine(name: str) -> Engine:
    """Return a new engine.

    Raises
    ------
    ValueError
        If there is no engine of that name.
    """
    if name not in _ENGINES:
        raise ValueError(
            f"The 'engine' parameter must be a str among {{{', '.join(map(repr, _ENGINES))}}}. Got {name!r} instead."
        )
    return _ENGINES[name]()
