"""Conversion of graphs from and to other libraries and file formats."""

from graphtm.graphs.convert.adjacency import from_adjacency
from graphtm.graphs.convert.frames import from_pandas, from_polars, read_csv
from graphtm.graphs.convert.graphml import read_graphml
from graphtm.graphs.convert.jsonl import read_jsonl, write_jsonl
from graphtm.graphs.convert.networkx import from_networkx, to_networkx
from graphtm.graphs.convert.pyg import from_pyg, to_pyg
from graphtm.graphs.convert.smiles import from_smiles
from graphtm.graphs.convert.tudataset import read_tudataset

__all__ = [
    "from_adjacency",
    "from_networkx",
    "from_pandas",
    "from_polars",
    "from_pyg",
    "from_smiles",
    "read_csv",
    "read_graphml",
    "read_jsonl",
    "read_tudataset",
    "to_networkx",
    "to_pyg",
    "write_jsonl",
]
