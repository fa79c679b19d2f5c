"""Graph Tsetlin Machine: learn logical rules from graphs, and read them.

The public names live here and are loaded on first use, so that ``import graphtm`` stays quick.

Examples
--------
>>> import graphtm as gtm
>>> g = gtm.Graph()
>>> g.add_node("n0", properties=["A"])
>>> g.add_node("n1", properties=["B"])
>>> g.add_edge("n0", "n1", type="right")
>>> gtm.GraphBatch.from_graphs([g])
GraphBatch(1 graph, 2 nodes, 1 edge, 2 symbols, 1 edge type)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphtm.errors import (
        CodeCollisionWarning,
        CodeError,
        GraphError,
        GraphFormatError,
        GraphTMError,
        UnknownSymbolError,
    )
    from graphtm.graphs import Graph, GraphBatch, Vocabulary, load_graphs

__version__ = "0.1.0.dev0"

__all__ = [
    "Graph",
    "GraphBatch",
    "Vocabulary",
    "load_graphs",
    "GraphTMError",
    "GraphError",
    "GraphFormatError",
    "UnknownSymbolError",
    "CodeError",
    "CodeCollisionWarning",
    "__version__",
]

_HOME = {
    "Graph": "graphs",
    "GraphBatch": "graphs",
    "Vocabulary": "graphs",
    "load_graphs": "graphs",
    "GraphTMError": "errors",
    "GraphError": "errors",
    "GraphFormatError": "errors",
    "UnknownSymbolError": "errors",
    "CodeError": "errors",
    "CodeCollisionWarning": "errors",
}
_ROOMS = frozenset({"bench", "codes", "engines", "errors", "graphs"})


def __getattr__(name: str) -> object:
    if name in _HOME:
        value = getattr(importlib.import_module(f"graphtm.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return importlib.import_module(f"graphtm.{name}")
    raise AttributeError(f"module 'graphtm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_ROOMS})
