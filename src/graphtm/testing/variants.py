"""The ways in which an engine can compute: all of them must give the oracle's bits."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from graphtm.engines import Engine, make_engine
from graphtm.engines.registry import engine_kind


def adjusted(name: str, **choices: Any) -> Engine:
    """Return a new engine that computes in a certain way; see :meth:`graphtm.engines.Engine.adjust`."""
    engine = make_engine(name)
    engine.adjust(**choices)
    return engine


def engine_variants(name: str) -> list[Callable[..., Engine]]:
    """Return functions that make an engine in each of the ways that it describes itself."""
    return [partial(adjusted, name, **choices) for choices in engine_kind(name).variants()]
