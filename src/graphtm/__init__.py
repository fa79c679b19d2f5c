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

from graphtm.foundation.version import __version__

if TYPE_CHECKING:
    from graphtm.errors import (
        CodeCollisionWarning,
        CodeError,
        DatasetNotFoundError,
        EngineFailedError,
        EngineMismatchError,
        EngineUnavailableError,
        EngineUnavailableWarning,
        GraphError,
        GraphFormatError,
        GraphTMError,
        MissingLibraryError,
        ModelFormatError,
        NotEnoughMemoryError,
        UnknownNameWarning,
        UnknownSymbolError,
    )
    from graphtm.estimators import (
        GraphTMAutoencoder,
        GraphTMBandit,
        GraphTMClassifier,
        GraphTMMultiLabelClassifier,
        GraphTMRegressor,
        RulePath,
        rule_path,
    )
    from graphtm.explain import CallablePackage
    from graphtm.graphs import Graph, GraphBatch, Vocabulary, load_graphs
    from graphtm.graphs.convert import (
        from_adjacency,
        from_networkx,
        from_pandas,
        from_polars,
        from_pyg,
        from_smiles,
        read_csv,
        read_graphml,
        read_jsonl,
        read_tudataset,
        to_networkx,
        to_pyg,
        write_jsonl,
    )
    from graphtm.learning import Callback, Checkpoint, EarlyStopping, History, ProgressBar
    from graphtm.pipelines import load, make_classifier, save
    from graphtm.search import suggest, tune

    explain: CallablePackage

__all__ = [
    "Graph",
    "GraphBatch",
    "Vocabulary",
    "load_graphs",
    "from_networkx",
    "from_pyg",
    "from_adjacency",
    "from_pandas",
    "from_polars",
    "from_smiles",
    "to_networkx",
    "to_pyg",
    "read_csv",
    "read_jsonl",
    "write_jsonl",
    "read_graphml",
    "read_tudataset",
    "GraphTMClassifier",
    "GraphTMMultiLabelClassifier",
    "GraphTMRegressor",
    "GraphTMAutoencoder",
    "GraphTMBandit",
    "make_classifier",
    "suggest",
    "tune",
    "load",
    "save",
    "explain",
    "rule_path",
    "RulePath",
    "Callback",
    "Checkpoint",
    "EarlyStopping",
    "History",
    "ProgressBar",
    "GraphTMError",
    "GraphError",
    "GraphFormatError",
    "ModelFormatError",
    "UnknownSymbolError",
    "CodeError",
    "DatasetNotFoundError",
    "EngineUnavailableError",
    "EngineFailedError",
    "EngineMismatchError",
    "NotEnoughMemoryError",
    "MissingLibraryError",
    "CodeCollisionWarning",
    "EngineUnavailableWarning",
    "UnknownNameWarning",
    "__version__",
]

_ROOMS = {
    "graphs": ("Graph", "GraphBatch", "Vocabulary", "load_graphs"),
    "graphs.convert": tuple(name for name in __all__ if name.startswith(("from_", "to_", "read_", "write_"))),
    "estimators": (
        *(name for name in __all__ if name.startswith("GraphTM") and name != "GraphTMError"),
        "rule_path",
        "RulePath",
    ),
    "errors": tuple(name for name in __all__ if name.endswith(("Error", "Warning"))),
    "bench": (),
    "codes": (),
    "compat": (),
    "datasets": (),
    "encoders": (),
    "engines": (),
    "experiments": (),
    "export": (),
    "explain": (),
    "learning": ("Callback", "Checkpoint", "EarlyStopping", "History", "ProgressBar"),
    "model": (),
    "pipelines": ("make_classifier", "load", "save"),
    "plots": (),
    "search": ("suggest", "tune"),
    "testing": (),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}


def __getattr__(name: str) -> object:
    if name in _HOME:
        value = getattr(importlib.import_module(f"graphtm.{_HOME[name]}"), name)
        globals()[name] = value
        return value
    if name in _ROOMS:
        return importlib.import_module(f"graphtm.{name}")
    raise AttributeError(f"module 'graphtm' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(room for room in _ROOMS if "." not in room)})
