"""Variants of engines: code paths that must all give the bits of the oracle."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from graphtm.engines import Engine, make_engine
from graphtm.engines.registry import engine_kind


def adjusted(name: str, **choices: Any) -> Engine:
    """Return a new engine with a selected code path; see :meth:`graphtm.engines.Engine.adjust`."""
    engine = make_engine(name)
    engine.adjust(**choices)
    return engine


def engine_variants(name: str) -> list[Callable[..., Engine]]:
    """Return functions that create the engine, one for each variant in its description."""
    return [partial(adjusted, name, **choices) for choices in engine_kind(name).variants()]
