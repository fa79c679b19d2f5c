"""Graphs from GraphML files.

Files are not read by networkx, which returns only the first graph of a file and refuses files with both directed and
undirected edges.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

from numpy.typing import NDArray

from graphtm.errors import GraphError, GraphFormatError
from graphtm.foundation.names import Name
from graphtm.graphs.attributes import (
    LABEL,
    PROPERTIES,
    READOUT,
    TYPE,
    ignored,
    is_true,
    node_type_from,
    refuse_strange,
    refuse_unused,
)
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.convert.collect import Found, collect
from graphtm.graphs.convert.file_cuts import FileCuts
from graphtm.graphs.graph import Graph

_UNKNOWN_PARTS = ("graph", "hyperedge", "port", "locator")


def read_graphml(
    folder: str | os.PathLike[str], *, bins: Any = None, ignore: Iterable[str] = ()
) -> tuple[GraphBatch, NDArray[Any] | None]:
    """Read a GraphML file, or all ``*.graphml`` files of a folder, sorted by name.

    The node attribute ``properties`` lists symbols, separated by commas, or by spaces if there is no comma; ``type`` is
    the type of the node; other attributes become symbols: the value ``"C"`` of ``atom`` becomes the symbol
    ``("atom", "C")``, and a Boolean becomes the symbol ``"atom"`` if it is true. The edge attribute ``type`` is the
    type of the edge, by default ``"plain"``; an undirected edge becomes two edges. The graph attribute ``label`` is the
    label; other graph attributes are not read. Values have the types that the file declares. Node ids become names.

    Parameters
    ----------
    folder
        Path of the folder, or of a single file.
    bins
        How to divide numbers of nodes, and numbers as types of edges, into bins, as for :func:`read_jsonl`.
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
        If a file is not valid GraphML, or has hyperedges, ports, nested graphs, edge attributes other than the
        type, or floats without ``bins``. The message names the file.

    Examples
    --------
    >>> import tempfile, pathlib, networkx as nx
    >>> import graphtm as gtm
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for size in (2, 3):
    ...     path = nx.path_graph(size, create_using=nx.DiGraph)
    ...     path.graph["label"] = "odd" if size % 2 else "even"
    ...     path.nodes[0]["properties"] = "first blue"
    ...     nx.write_graphml(path, folder / f"path{size}.graphml")
    >>> graphs, y = gtm.read_graphml(folder)
    >>> print(graphs[0], y)
    Graph with 2 nodes and 1 edge
      '0': 'first', 'blue'
          plain -> '1'
      '1': no properties
    ['even' 'odd']
    """
    without = ignored(ignore, "read_graphml")
    folder = Path(folder)
    if not folder.exists():
        raise FileNotFoundError(f"The folder {folder} does not exist.")
    files = sorted(folder.glob("*.graphml")) if folder.is_dir() else [folder]
    if not files:
        raise FileNotFoundError(f"The folder {folder} has no *.graphml files.")
    there: dict[str, None] = {}
    cuts = FileCuts(bins, "read_graphml")
    if cuts.are_wanted:
        for file in files:
            _note(file, without, cuts)
        cuts.learn()
    found = (each for file in files for each in _read(file, without, there, cuts))
    batch, labels = collect(found, GraphFormatError)
    known = (PROPERTIES, TYPE, READOUT)
    refuse_strange(without, there, "attributes of nodes or edges", "read_graphml", known)
    return cuts.finished(batch, without), labels


class _XMLError(GraphFormatError):
    """A file that is not valid XML; its message names the file."""


class _Key(NamedTuple):
    """Declaration of an attribute: name, conversion of values, default, and what has it."""

    name: str
    convert: Callable[[str], object]
    default: str | None
    on: str


def _read(path: Path, without: frozenset[Hashable], there: dict[str, None], cuts: FileCuts) -> Iterator[Found]:
    """Yield the graphs of a file; names of declared attributes of nodes and edges are added to ``there``."""
    with _errors_of(path):
        keys, graphs = _keys_and_graphs(path)
        there.update((key.name, None) for key in keys.values() if key.on != "graph")
        for number, element in enumerate(graphs):
            where = str(path) if len(graphs) == 1 else f"graph {number} of {path}"
            yield Found(_graph(element, keys, without, cuts), _data(element, keys, "graph").get(LABEL), where)


def _note(path: Path, without: frozenset[Hashable], cuts: FileCuts) -> None:
    """Remember the attributes in a file."""
    with _errors_of(path):
        keys, graphs = _keys_and_graphs(path)
        for part in (part for element in graphs for part in element):
            if _tag(part) == "node":
                data = _data(part, keys, "node", without)
                attributes = {name: value for name, value in data.items() if name not in (TYPE, READOUT)}
                cuts.note("node", attributes, f"node {_given(part, 'id')!r} of {path}")
            elif _tag(part) == "edge":
                data = _data(part, keys, "edge", without)
                where = f"edge {_given(part, 'source')!r} -> {_given(part, 'target')!r} of {path}"
                cuts.note("edge", {TYPE: data.get(TYPE)}, where)


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Let messages of errors name the file."""
    try:
        yield
    except _XMLError:
        raise
    except (GraphError, GraphFormatError, TypeError) as error:
        raise GraphFormatError(f"{path}: {error}") from None


def _keys_and_graphs(path: Path) -> tuple[dict[str, _Key], list[ElementTree.Element]]:
    """Return the declarations of attributes and the graphs of a file."""
    try:
        # ElementTree loads no external entities, and expat limits the expansion of entities.
        root = ElementTree.parse(path).getroot()  # noqa: S314
    except (ElementTree.ParseError, ValueError, LookupError) as error:
        raise _XMLError(f"{path} is not a valid XML file: {error}.") from None
    if _tag(root) != "graphml":
        raise GraphFormatError(f"the root element must be 'graphml'; got {_tag(root)!r}.")
    keys = {_given(key, "id"): _key(key) for key in root if _tag(key) == "key"}
    graphs = [element for element in root if _tag(element) == "graph"]
    if not graphs:
        raise GraphFormatError("there is no element 'graph'.")
    return keys, graphs


def _graph(element: ElementTree.Element, keys: dict[str, _Key], without: frozenset[Hashable], cuts: FileCuts) -> Graph:
    graph = Graph()
    answers: list[str] | None = None
    for part in element:
        if _tag(part) in _UNKNOWN_PARTS:
            raise GraphFormatError(f"a graph must only have nodes and edges; got an element {_tag(part)!r}.")
        if _tag(part) != "node":
            continue
        name = _given(part, "id")
        data = _data(part, keys, "node", without)
        where = f"node {name!r}"
        graph._add_node(name, _symbols(data, where, cuts), node_type_from(TYPE, data.get(TYPE), where))
        if READOUT in data:
            answers = answers or []
            if is_true(data[READOUT], READOUT, where):
                answers.append(name)
    if answers is not None:
        graph.set_readout(answers)
    directed = _direction(_given(element, "edgedefault"))
    for part in element:
        if _tag(part) == "edge":
            _add_edge(graph, part, keys, directed, without, cuts)
    return graph


def _symbols(data: dict[str, object], where: str, cuts: FileCuts) -> list[Name]:
    text = str(data.get(PROPERTIES, ""))
    symbols: list[Name] = [part.strip() for part in text.split(",")] if "," in text else list(text.split())
    for attribute, value in data.items():
        if attribute not in (PROPERTIES, TYPE, READOUT):
            symbols += cuts.symbols(attribute, value, where)
    return [symbol for symbol in symbols if symbol != ""]


def _add_edge(
    graph: Graph,
    element: ElementTree.Element,
    keys: dict[str, _Key],
    directed: bool,
    without: frozenset[Hashable],
    cuts: FileCuts,
) -> None:
    source, destination = _given(element, "source"), _given(element, "target")
    data = _data(element, keys, "edge", without)
    where = f"the edge {source!r} -> {destination!r}"
    refuse_unused(
        [name for name in data if name != TYPE], "Attribute", "rename {it} to 'type'", f" of {where}", GraphFormatError
    )
    edge_type = cuts.edge_type(data.get(TYPE), where)
    graph.add_edge(source, destination, edge_type)
    if "directed" in element.attrib:
        directed = _direction({"true": "directed", "false": "undirected"}.get(element.attrib["directed"], ""))
    if not directed and source != destination:
        graph.add_edge(destination, source, edge_type)


def _direction(text: str) -> bool:
    if text not in ("directed", "undirected"):
        raise GraphFormatError("edges must be 'directed' or 'undirected' ('true' or 'false' for a single edge).")
    return text == "directed"


def _data(
    element: ElementTree.Element, keys: dict[str, _Key], on: str, without: frozenset[Hashable] = frozenset()
) -> dict[str, object]:
    """Return the attributes of a graph, node or edge, including defaults."""
    texts = {key: declared.default for key, declared in keys.items() if declared.on in (on, "all")}
    for data in element:
        if _tag(data) in _UNKNOWN_PARTS and on != "graph":
            raise GraphFormatError(f"a {on} must only have data; got an element {_tag(data)!r}.")
        if _tag(data) != "data":
            continue
        key = _given(data, "key")
        if key not in keys:
            raise GraphFormatError(f"every attribute must be declared by a 'key' element; {key!r} is not.")
        if keys[key].name in without:
            continue
        if len(data):
            raise GraphFormatError(
                f"attributes must be text; {keys[key].name!r} has an element {_tag(data[0])!r}. Pass "
                f"ignore=[{keys[key].name!r}]."
            )
        texts[key] = data.text or ""
    return {
        keys[key].name: _converted(keys[key], text)
        for key, text in texts.items()
        if text is not None and keys[key].name not in without
    }


def _converted(key: _Key, text: str) -> object:
    try:
        return key.convert(text)
    except (ValueError, KeyError):
        found = f"{text[:57]!r}..." if len(text) > 60 else repr(text)
        raise GraphFormatError(f"values of attribute {key.name!r} must have the declared type; got {found}.") from None


def _key(element: ElementTree.Element) -> _Key:
    kind = element.attrib.get("attr.type", "string")
    converters: dict[str, Callable[[str], object]] = {
        "string": str,
        "int": int,
        "long": int,
        "float": float,
        "double": float,
        "boolean": lambda text: {"true": True, "1": True, "false": False, "0": False}[text.strip().lower()],
    }
    if kind not in converters:
        raise GraphFormatError(f"the type of an attribute must be one of {', '.join(converters)}; got {kind!r}.")
    default = next((part.text or "" for part in element if _tag(part) == "default"), None)
    name = element.attrib.get("attr.name", _given(element, "id"))
    return _Key(name, converters[kind], default, element.attrib.get("for", "all"))


def _given(element: ElementTree.Element, attribute: str) -> str:
    if attribute not in element.attrib:
        raise GraphFormatError(f"every {_tag(element)!r} element must have {attribute!r}; got {element.attrib}.")
    return element.attrib[attribute]


def _tag(element: ElementTree.Element) -> str:
    """Return the name of an element without its namespace, which is optional."""
    return str(element.tag).rpartition("}")[2]
