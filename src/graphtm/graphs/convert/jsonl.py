"""Graphs in JSON Lines files, in the node-link format of networkx."""

from __future__ import annotations

import gzip
import json
import os
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphtm.errors import GraphError, GraphFormatError
from graphtm.foundation.container import atomic_write
from graphtm.foundation.names import Name, escaped_surrogates, name_from_json, name_to_json
from graphtm.graphs.attributes import (
    LABEL,
    PROPERTIES,
    READOUT,
    TYPE,
    ignored,
    is_true,
    refuse_strange,
    refuse_unused,
)
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.convert.collect import Found, collect, label_array, refuse_none
from graphtm.graphs.convert.file_cuts import FileCuts
from graphtm.graphs.graph import Graph

_T = TypeVar("_T")
_NODE_KEYS = {"id", PROPERTIES, TYPE, READOUT}
_EDGE_KEYS = {"source", "target", "key", TYPE}


def write_jsonl(
    path: str | os.PathLike[str], graphs: GraphBatch | Iterable[Graph], y: NDArray[Any] | Iterable[object] | None = None
) -> None:
    """Write graphs to a JSON Lines file, one graph per line; the file is written completely or not at all.

    ``networkx.node_link_graph`` can read each line: ``nodes`` have ``id``, ``properties``, ``type`` and, if not all
    nodes are readout nodes, ``readout``; ``edges`` have ``source``, ``target`` and ``type``; ``graph`` has the
    ``label``. Names keep their types; a tuple becomes a list.

    Parameters
    ----------
    path
        Path of the file; it is compressed if the path ends with ``.gz``.
    graphs
        A batch or a list of graphs.
    y
        One label per graph.

    Raises
    ------
    GraphError
        If a name or label cannot be represented in JSON, or if a symbol or edge type is None.

    Examples
    --------
    >>> import tempfile, pathlib, graphtm as gtm
    >>> batch = gtm.GraphBatch.from_arrays([2, 1], [[1], [0], [1]], [("colour", "red")], edges=([0], [1]))
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graphs.jsonl"
    >>> gtm.write_jsonl(path, batch, ["yes", "no"])
    >>> print(path.read_text().splitlines()[1])
    {"directed":true,"multigraph":true,"graph":{"label":"no"},"nodes":[{"id":0,"properties":[["colour","red"]]}],"edges":[]}
    >>> gtm.read_jsonl(path)
    (GraphBatch(2 graphs, 3 nodes, 1 edge, 1 symbol, 1 edge type), array(['yes', 'no'], dtype='<U3'))
    """
    if not isinstance(graphs, GraphBatch):
        graphs = GraphBatch.from_graphs(graphs)
    labels = None if y is None else label_array(y.tolist() if isinstance(y, np.ndarray) else list(y))
    if labels is not None and len(labels) != len(graphs):
        raise GraphError(f"y must have one label per graph, {len(graphs):,}; got {len(labels):,}.")
    path = Path(path)
    with atomic_write(path, streams=True) as file, _packing(file, path) as out:
        for number, graph in enumerate(graphs):
            refuse_none(graph, number, "JSON")
            try:
                line = escaped_surrogates(_line(graph, None if labels is None else labels[number].tolist())).encode()
            except ValueError as error:
                raise GraphError(f"Graph {number} cannot be written as JSON: {error}") from None
            out.write(line)


def read_jsonl(
    path: str | os.PathLike[str], *, bins: Any = None, ignore: Iterable[str] = ()
) -> tuple[GraphBatch, NDArray[Any] | None]:
    """Read graphs from a JSON Lines file in the node-link format of networkx, one graph per line.

    A line is an object with ``nodes``, which have an ``id`` and optionally ``properties`` (a list of symbols) and
    ``type``; with ``edges`` (or ``links``), which have ``source``, ``target`` and optionally ``type``; and with the
    ``label``, under ``graph`` or at the top level. As in networkx, edges are undirected unless the line has
    ``"directed": true``. A list as a name becomes a tuple. Other attributes of nodes become symbols: ``"atom": "C"``
    becomes ``("atom", "C")``, a list becomes one symbol per item, ``"ring": true`` becomes ``"ring"``; ``null`` is a
    missing value, also in lists. Graph attributes other than the label are not read. Empty lines are skipped.

    Parameters
    ----------
    path
        Path of the file; it is decompressed if the path ends with ``.gz``.
    bins
        How to divide numbers of nodes, and numbers as types of edges, into bins, as for :func:`from_networkx`: a number
        of bins for attributes with floats; a mapping from attributes to numbers of bins or to cuts; or a training
        batch, its vocabulary, or a pipeline, encoder or estimator fitted to it.
    ignore
        Attributes of nodes and edges to ignore; they must exist.

    Returns
    -------
    graphs : GraphBatch
    labels : array or None
        One label per graph, or None if there are no labels.

    Raises
    ------
    GraphFormatError
        If a line is not valid, or has edge attributes other than the type, or floats without ``bins``. The message has
        the number of the line.

    Examples
    --------
    >>> import json, tempfile, pathlib, graphtm as gtm
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "graphs.jsonl"
    >>> nodes = [{"id": number, "charge": charge} for number, charge in enumerate([-0.4, 0.1, 0.7])]
    >>> _ = path.write_text(json.dumps({"nodes": nodes, "edges": []}))
    >>> graphs, _ = gtm.read_jsonl(path, bins=2)
    >>> print(graphs[0])
    Graph with 3 nodes and 0 edges
      0: no properties
      1: charge>=0.1
      2: charge>=0.1
    """
    without = ignored(ignore, "read_jsonl")
    there: dict[str, None] = {}
    cuts = learned_cuts(Path(path), without, bins)
    batch, labels = collect(each_graph(Path(path), without, there, cuts), GraphFormatError)
    if len(batch):
        known = (_NODE_KEYS | _EDGE_KEYS) - {"id", "source", "target"}
        refuse_strange(without, there, "attributes of nodes or edges", "read_jsonl", known)
    return cuts.finished(batch, without), labels


def _line(graph: Graph, label: object) -> str:
    readout = None if graph.readout is None else {graph._find(name) for name in graph.readout}
    ids = [name_to_json(name) for name in graph.nodes]
    nodes: list[dict[str, Any]] = []
    for number, name in enumerate(graph.nodes):
        node: dict[str, Any] = {"id": ids[number], PROPERTIES: [name_to_json(p) for p in graph.properties(name)]}
        if graph.node_type(name) is not None:
            node[TYPE] = name_to_json(graph.node_type(name))
        if readout is not None:
            node[READOUT] = number in readout
        nodes.append(node)
    edges = [
        {"source": ids[source], "target": ids[destination], TYPE: name_to_json(edge_type)}
        for source, destination, edge_type in zip(graph._sources, graph._destinations, graph._edge_types, strict=True)
    ]
    line = {
        "directed": True,
        "multigraph": True,
        "graph": {} if label is None else {LABEL: label},
        "nodes": nodes,
        "edges": edges,
    }
    return json.dumps(line, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def learned_cuts(path: Path, without: frozenset[Hashable], bins: Any) -> FileCuts:
    """Return the cuts of the attributes in a file."""
    cuts = FileCuts(bins, "read_jsonl")
    if not cuts.are_wanted:
        return cuts
    for number, (nodes, edges) in _each_line(path, lambda data: _parts(data, without)):
        for node in nodes:
            attributes = {key: value for key, value in node.items() if key == PROPERTIES or key not in _NODE_KEYS}
            cuts.note("node", attributes, f"node {node.get('id')!r} of line {number} of {path}")
        for edge in edges:
            where = f"edge {edge.get('source')!r} -> {edge.get('target')!r} of line {number} of {path}"
            cuts.note("edge", {TYPE: edge.get(TYPE)}, where)
    cuts.learn()
    return cuts


def _parts(data: object, without: frozenset[Hashable]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the nodes and edges of a line."""
    data = _checked(data)
    nodes = _objects(data, ("nodes",), without - {"id"}, {})
    return nodes, _objects(data, ("edges", "links"), without - {"source", "target"}, {})


def each_graph(
    path: Path, without: frozenset[Hashable], there: dict[str, None], cuts: FileCuts | None = None
) -> Iterator[Found]:
    """Yield the graphs of a file; with ``without``, names of attributes are added to ``there``."""
    cuts = cuts or FileCuts(None, "read_jsonl")
    for number, (graph, label) in _each_line(path, lambda data: _graph(data, without, there, cuts)):
        yield Found(graph, label, f"line {number} of {path}")


def _each_line(path: Path, read: Callable[[object], _T]) -> Iterator[tuple[int, _T]]:
    """Yield the numbers of lines that are not empty, and what ``read`` returns for them."""
    number = 0
    try:
        with _open(path) as file:
            for number, line in enumerate(file, 1):
                # Some editors write a byte order mark.
                line = line.removeprefix(BOM_UTF8) if number == 1 else line
                if line.strip():
                    yield number, read(_parsed(line))
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise GraphFormatError(f"{path} is damaged after line {number}: {error}") from None
    except RecursionError:
        raise GraphFormatError(f"Line {number} of {path} has lists that are nested too deeply.") from None
    except (GraphError, GraphFormatError, TypeError) as error:
        raise GraphFormatError(f"Line {number} of {path}: {error}") from None


def _packing(file: IO[bytes], path: Path) -> AbstractContextManager[gzip.GzipFile | IO[bytes]]:
    """Return the file to write to, which compresses if the path ends with ``.gz``."""
    # Equal content must give equal files: no time, no name of the temporary file.
    return gzip.GzipFile(path.stem, "wb", fileobj=file, mtime=0) if path.suffix == ".gz" else nullcontext(file)


def _open(path: Path) -> gzip.GzipFile | BufferedReader:
    if not path.is_file():
        raise FileNotFoundError(f"The file {path} does not exist.")
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")


def _parsed(line: bytes) -> object:
    """Return the parsed line; lines are decoded one by one, so that errors have a line number."""
    try:
        return json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        raise GraphFormatError(f"It is not valid UTF-8: {error}.") from None
    except GraphFormatError:
        raise
    except json.JSONDecodeError as error:
        # Its own text counts the end of the line as another line.
        raise GraphFormatError(f"It is not valid JSON: {error.msg} at column {error.pos + 1}.") from None
    except ValueError as error:  # Python limits the number of digits of integers
        raise GraphFormatError(f"It is not valid JSON: {error}.") from None


def _refuse_constant(text: str) -> None:
    raise GraphFormatError(f"JSON has no {text}; omit missing values, or write null.")


def _graph(data: object, without: frozenset[Hashable], there: dict[str, None], cuts: FileCuts) -> tuple[Graph, object]:
    data = _checked(data)
    graph = Graph()
    answers: list[Name] | None = None
    for node in _objects(data, ("nodes",), without - {"id"}, there):
        name = name_from_json(_required(node, "id", "node"))
        where = f"node {name!r}"
        graph._add_node(name, _symbols(node, where, cuts), name_from_json(node.get(TYPE)))
        if READOUT in node:
            answers = answers or []
            if is_true(node[READOUT], READOUT, where):
                answers.append(name)
    if answers is not None:
        graph.set_readout(answers)
    both_ways = not is_true(data.get("directed", False), "directed", "the graph")
    for edge in _objects(data, ("edges", "links"), without - {"source", "target"}, there):
        source = name_from_json(_required(edge, "source", "edge"))
        destination = name_from_json(_required(edge, "target", "edge"))
        where = f"the edge {source!r} -> {destination!r}"
        refuse_unused(
            [key for key in edge if key not in _EDGE_KEYS],
            "Attribute",
            "rename {it} to 'type'",
            f" of {where}",
            GraphFormatError,
        )
        value = edge.get(TYPE)
        edge_type = cuts.edge_type(value if isinstance(value, float) else name_from_json(value), where)
        graph.add_edge(source, destination, edge_type)
        if both_ways and graph._sources[-1] != graph._destinations[-1]:
            graph.add_edge(destination, source, edge_type)
    return graph, _label(data)


def _symbols(node: dict[str, Any], where: str, cuts: FileCuts) -> list[Name]:
    properties = node.get(PROPERTIES)
    if properties is None:
        properties = []
    if not isinstance(properties, list):
        raise GraphFormatError(
            f"The 'properties' of {where} must be a list of symbols; got {properties!r}. Write [{properties!r}]."
        )
    symbols = [name_from_json(symbol) for symbol in properties if symbol is not None]
    for attribute, value in node.items():
        if attribute not in _NODE_KEYS:
            if isinstance(value, list):
                value = [item if isinstance(item, float) else name_from_json(item) for item in value]
            symbols += cuts.symbols(attribute, value, where)
    return symbols


def _label(data: dict[str, Any]) -> object:
    attributes = data.get("graph", {})
    if not isinstance(attributes, dict):
        raise GraphFormatError(f"'graph' must be an object with graph attributes; got {_short(attributes)}.")
    label = attributes.get(LABEL)
    return data.get(LABEL) if label is None else label


def _checked(data: object) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise GraphFormatError(f"A line must be a JSON object with 'nodes' and 'edges'; got {_short(data)}.")
    return data


def _objects(
    data: dict[str, Any], keys: tuple[str, ...], without: frozenset[Hashable], there: dict[str, None]
) -> list[dict[str, Any]]:
    """Return the list of objects under the first key that exists, without ignored attributes."""
    key = next((key for key in keys if key in data), None)
    if key is None:
        raise GraphFormatError(f"A graph must have a list {' or '.join(map(repr, keys))}; got {_short(list(data))}.")
    if not isinstance(data[key], list) or not all(isinstance(item, dict) for item in data[key]):
        raise GraphFormatError(f"{key!r} must be a list of objects; got {_short(data[key])}.")
    objects: list[dict[str, Any]] = data[key]
    if not without:
        return objects
    there.update(dict.fromkeys(name for item in objects for name in item))
    return [{name: item[name] for name in item if name not in without} for item in objects]


def _required(item: dict[str, Any], key: str, what: str) -> object:
    if key not in item:
        raise GraphFormatError(f"Every {what} must have {key!r}; got {_short(item)}.")
    return item[key]


def _short(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
