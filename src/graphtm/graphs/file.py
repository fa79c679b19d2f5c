"""Graph files (``.gtmg``)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from graphtm.errors import GraphFormatError
from graphtm.foundation.container import DAMAGE, Arrays, read_container, write_container
from graphtm.foundation.names import name_from_json, name_to_json
from graphtm.foundation.properties import ListedProperties, PackedProperties, Properties
from graphtm.graphs.edges import EdgeTable
from graphtm.graphs.packed import NodeNames, PackedGraphs
from graphtm.graphs.validate import validate
from graphtm.graphs.vocabulary import vocabulary_from_json, vocabulary_to_json

MAGIC = b"\x89GTMG\r\n\n"
VERSION = 1
_DTYPES = {
    "node_ptr": "<i8",
    "property_bits": "<u8",
    "property_ptr": "<i8",
    "property_ids": "<i4",
    "out_ptr": "<i8",
    "out_neighbours": "<i4",
    "out_types": "<i4",
    "in_ptr": "<i8",
    "in_neighbours": "<i4",
    "in_types": "<i4",
    "node_types": "<i4",
    "readout": "|b1",
}


def write_graphs(graphs: PackedGraphs, path: str | os.PathLike[str]) -> None:
    """Write graphs to a file, completely or not at all."""
    arrays: Arrays = {"node_ptr": graphs.node_ptr}
    if isinstance(graphs.properties, PackedProperties):
        arrays["property_bits"] = graphs.properties.bits
    else:
        arrays |= {"property_ptr": graphs.properties.ptr, "property_ids": graphs.properties.ids}
    for way, table in (("out", graphs.out_edges), ("in", graphs.in_edges)):
        arrays |= {
            f"{way}_ptr": table.ptr,
            f"{way}_neighbours": table.neighbours,
            f"{way}_types": table.types,
        }
    if graphs.node_types is not None:
        arrays["node_types"] = graphs.node_types
    if graphs.readout is not None:
        arrays["readout"] = graphs.readout
    header = {
        **vocabulary_to_json(graphs.vocabulary),
        "node_names": _names_to_json(graphs.node_names),
    }
    write_container(Path(path), MAGIC, VERSION, header, arrays)


def read_graphs(path: str | os.PathLike[str], *, mmap: bool = False, verify: bool = True) -> PackedGraphs:
    """Read graphs from a file; see :func:`graphtm.load_graphs`."""
    path = Path(path)
    header, arrays = read_container(
        path, MAGIC, VERSION, "graph file (.gtmg)", GraphFormatError, mmap=mmap, verify=verify
    )
    try:
        _check_arrays(arrays)
        vocabulary = vocabulary_from_json(header)
        graphs = PackedGraphs(
            vocabulary,
            arrays["node_ptr"],
            _properties(arrays, len(vocabulary.symbols)),
            EdgeTable(arrays["out_ptr"], arrays["out_neighbours"], arrays["out_types"]),
            EdgeTable(arrays["in_ptr"], arrays["in_neighbours"], arrays["in_types"]),
            arrays.get("node_types"),
            arrays.get("readout"),
            _names_from_json(header["node_names"]),
        )
        if verify:
            validate(graphs)
    except DAMAGE as error:
        raise GraphFormatError(f"{path} is damaged: its content is not a valid batch of graphs ({error}).") from error
    return graphs


def _check_arrays(arrays: Arrays) -> None:
    for name, array in arrays.items():
        expected = 2 if name == "property_bits" else 1
        if array.dtype.str != _DTYPES[name] or array.ndim != expected:
            raise ValueError(f"array {name!r} has dtype {array.dtype} and {array.ndim} dimensions")


def _properties(arrays: Arrays, n_symbols: int) -> Properties:
    if "property_bits" in arrays:
        return PackedProperties(arrays["property_bits"], n_symbols)
    return ListedProperties(arrays["property_ptr"], arrays["property_ids"], n_symbols)


def _names_to_json(names: NodeNames | None) -> list[Any] | None:
    if names is None:
        return None
    return [None if graph is None else list(map(name_to_json, graph)) for graph in names]


def _names_from_json(names: object) -> NodeNames | None:
    if names is None:
        return None
    if not isinstance(names, list) or not all(graph is None or isinstance(graph, list) for graph in names):
        raise GraphFormatError("Node names must be one list per graph.")
    return tuple(None if graph is None else tuple(map(name_from_json, graph)) for graph in names)
