"""What an exported Python module does with its data; the text of this file is part of every export.

The data here are those of a small machine, which says "hot" if a node is red.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Iterable
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

# The machine.

TASK = "classification"
OUTPUTS: list[Any] = ["cold", "hot"]
SCALE: list[tuple[float, float, float, float]] = []
IS_VECTOR = False
MAX_MISSES = 0
IGNORES_UNKNOWN = False
MESSAGE_SIZE = 0
NODE_TYPES: list[Any] = []
EDGE_TYPES: list[Any] = []
SYMBOLS: list[tuple[Any, tuple[int, ...]]] = [("red", (0,))]
CLAUSES: list[tuple[tuple[int, ...], tuple[tuple[tuple[int, ...], tuple[int, ...]], ...], tuple[int, ...]]] = [
    ((), (((0,), ()),), (-1, 1)),
]

# The interpreter. A set of nodes is an integer with WIDTH bytes per node, which are 1 for the nodes of the set, so that
# intersections, unions and counts take one operation for all nodes.

LAYERS = list(zip(*(layers for _, layers, _ in CLAUSES), strict=True))
READ = [{bit for ones, zeros in layer for bit in (*ones, *zeros)} for layer in LAYERS]
MOST = max(sum(len(ones) + len(zeros) for ones, zeros in layers) for _, layers, _ in CLAUSES)
WIDTH = 1 if not MAX_MISSES or MOST < 2**8 else 2 if MOST < 2**16 else 4


def predict(graph: dict[str, Any]) -> Any:
    """Return the class of a graph; for several labels, their list; for regression, a number or a list of numbers."""
    sums = class_sums(graph)
    if TASK == "regression":
        numbers = [
            min(max(intercept + value * total, low), high)
            for total, (intercept, value, low, high) in zip(sums, SCALE, strict=True)
        ]
        return numbers[0] if IS_VECTOR else numbers
    if TASK == "multilabel":
        return [output for output, total in zip(OUTPUTS, sums, strict=True) if total >= 0]
    return OUTPUTS[sums.index(max(sums))]


def predict_many(graphs: Iterable[dict[str, Any]]) -> list[Any]:
    """Return the predictions of several graphs."""
    return [predict(graph) for graph in graphs]


def class_sums(graph: dict[str, Any]) -> list[int]:
    """Return the vote sum of each output."""
    sums = [0] * len(OUTPUTS)
    for strength, (_, _, votes) in zip(clause_outputs(graph), CLAUSES, strict=True):
        if strength:
            sums = [total + strength * vote for total, vote in zip(sums, votes, strict=True)]
    return sums


def clause_outputs(graph: dict[str, Any]) -> list[int]:
    """Return the strength of each clause: from 0, if it is false, to MAX_MISSES + 1."""
    symbols, types, edges, readout = _read(graph)
    n_nodes, n_types = len(symbols), max(1, len(NODE_TYPES))
    reached = _reached(edges)
    everywhere = _set(range(n_nodes), n_nodes)
    # With several node types, each clause serves one.
    serving = [[node for node in range(n_nodes) if n_types == 1 or types[node] == kind] for kind in range(n_types)]
    served = [_set(nodes, n_nodes) for nodes in serving]
    truth = [served[clause % n_types] for clause in range(len(CLAUSES))]
    misses = [0] * len(CLAUSES)
    for layer, terms in enumerate(LAYERS):
        holds = _inboxes(truth, reached, layer, n_nodes) if layer else _hypervectors(symbols, n_nodes)
        for clause, (ones, zeros) in enumerate(terms):
            truth[clause] = _conjunction(truth[clause], ones, zeros, holds)
            if MAX_MISSES:
                misses[clause] += len(ones) * everywhere
                misses[clause] += sum(holds.get(bit, 0) for bit in zeros) - sum(holds.get(bit, 0) for bit in ones)
    if not MAX_MISSES:
        answering = _set(readout, n_nodes)
        return [1 if nodes & answering else 0 for nodes in truth]
    answering_of = [sorted(readout.intersection(nodes)) for nodes in serving]
    return [_strength(misses[clause], answering_of[clause % n_types], n_nodes) for clause in range(len(CLAUSES))]


def _conjunction(nodes: int, ones: tuple[int, ...], zeros: tuple[int, ...], holds: dict[int, int]) -> int:
    """Return at which of the nodes some bits are 1 and others 0."""
    for bit in ones:
        if not nodes:
            return 0
        nodes &= holds.get(bit, 0)
    for bit in zeros:
        if bit in holds:
            nodes &= ~holds[bit]
    return nodes


def _strength(misses: int, nodes: list[int], n_nodes: int) -> int:
    """Return the largest strength at some nodes, given how many literals do not hold at each node of the graph."""
    counts = struct.unpack(f"<{n_nodes}{' BH I'[WIDTH]}", misses.to_bytes(n_nodes * WIDTH, "little"))
    return max(0, MAX_MISSES + 1 - min(counts[node] for node in nodes)) if nodes else 0


def _hypervectors(symbols: list[list[int]], n_nodes: int) -> dict[int, int]:
    """Return at which nodes each bit is 1, as their symbols say."""
    members: dict[int, list[int]] = {}
    for node, carried in enumerate(symbols):
        for symbol in carried:
            for bit in SYMBOLS[symbol][1]:
                members.setdefault(bit, []).append(node)
    return {bit: _set(nodes, n_nodes) for bit, nodes in members.items() if bit in READ[0]}


def _reached(edges: list[tuple[int, int, int]]) -> dict[int, list[tuple[int, list[int]]]]:
    """Return, for each type of edges, the nodes that send along them and the nodes that each of them reaches."""
    targets: dict[int, dict[int, set[int]]] = {}
    for source, target, edge_type in edges:
        targets.setdefault(edge_type, {}).setdefault(source, set()).add(target)
    return {
        edge_type: [(source, list(found)) for source, found in of_type.items()]
        for edge_type, of_type in targets.items()
    }


def _inboxes(
    truth: list[int], reached: dict[int, list[tuple[int, list[int]]]], layer: int, n_nodes: int
) -> dict[int, int]:
    """Return at which nodes each bit of the inbox is 1: clauses send from where they are true, along edges."""
    holds: dict[int, int] = {}
    known: dict[tuple[int, int], int] = {}  # many clauses are true at the same nodes
    for clause, nodes in enumerate(truth):
        for edge_type, sources in reached.items() if nodes else ():
            bits = _message(clause, edge_type, layer)
            if not bits:
                continue
            targets = known.get((nodes, edge_type))
            if targets is None:
                sends = nodes.to_bytes(n_nodes * WIDTH, "little")
                targets = _set(chain.from_iterable([to for node, to in sources if sends[node * WIDTH]]), n_nodes)
                known[nodes, edge_type] = targets
            for bit in bits:
                holds[bit] = holds.get(bit, 0) | targets
    return holds


@cache
def _message(clause: int, edge_type: int, layer: int) -> tuple[int, ...]:
    """Return the bits of a message that some clause reads in a layer."""
    bits = ((bit + edge_type) % MESSAGE_SIZE for bit in CLAUSES[clause][0])
    return tuple(bit for bit in bits if bit in READ[layer])


def _set(nodes: Iterable[int], n_nodes: int) -> int:
    """Return a set of nodes as an integer."""
    members = bytearray(n_nodes * WIDTH)
    for node in nodes:
        members[node * WIDTH] = 1
    return int.from_bytes(members, "little")


# Graphs.


def _text(name: Any, depth: int = 0) -> str:
    """Return a name as text: 1, True and "1" differ, and a list is a tuple."""
    if name is None or type(name) in (str, int, bool):
        return repr(name)
    if isinstance(name, (list, tuple)) and depth < 100:
        return f"({''.join(_text(part, depth + 1) + ',' for part in name)})"
    raise ValueError(f"A name must be a string, an integer, a Boolean, None or a list of names; got {name!r}.")


SYMBOL_NUMBERS = {_text(name): number for number, (name, _) in enumerate(SYMBOLS)}
EDGE_TYPE_NUMBERS = {_text(name): number for number, name in enumerate(EDGE_TYPES)}
NODE_TYPE_NUMBERS = {_text(name): number for number, name in enumerate(NODE_TYPES)}


def _number(numbers: dict[str, int], name: Any, what: str, ignores: bool = IGNORES_UNKNOWN) -> int:
    """Return the number of a name, or -1 if it is unknown and unknown names are ignored."""
    number = numbers.get(repr(name), -1)
    if number < 0:
        number = numbers.get(_text(name), -1)
        if number >= 0:
            numbers[repr(name)] = number  # faster from now on
        elif not ignores:
            raise ValueError(f"Unknown {what} {name!r}: the training data had none of this name.")
    return number


def _read(graph: dict[str, Any]) -> tuple[list[list[int]], list[int], list[tuple[int, int, int]], set[int]]:
    """Return symbols and types of the nodes, the edges, and the readout nodes, all as numbers."""
    nodes, lines = _objects(graph, "nodes"), _objects(graph, "edges", "links")
    symbols, types, edges = [], [], []
    places: dict[str, int] = {}
    for place, node in enumerate(nodes):
        if places.setdefault(_text(_required(node, "id")), place) != place:
            raise ValueError(f"Names of nodes must be unique within a graph; there are two nodes {node['id']!r}.")
        numbers = [_number(SYMBOL_NUMBERS, symbol, "symbol") for symbol in _symbols(node)]
        symbols.append([number for number in numbers if number >= 0])
        if (node.get("type") is None) == bool(NODE_TYPES):
            what = f"must have a type, one of {NODE_TYPES!r}" if NODE_TYPES else "must have no type"
            raise ValueError(f"Nodes {what}; the type of node {node['id']!r} is {node.get('type')!r}.")
        types.append(_number(NODE_TYPE_NUMBERS, node["type"], "node type", False) if NODE_TYPES else 0)
    directed = _flag(graph, "directed", False)
    for line in lines:
        if not line.keys() <= {"source", "target", "type", "key"}:
            raise ValueError(f"An edge must have 'source', 'target' and, if need be, 'type' only; got {line!r}.")
        source, target = (places.get(_text(_required(line, end)), -1) for end in ("source", "target"))
        if source < 0 or target < 0:
            raise ValueError(f"Both ends of an edge must be nodes of the graph; got {line!r}.")
        name = line.get("type")
        edge_type = _number(EDGE_TYPE_NUMBERS, "plain" if name is None else name, "edge type")
        if edge_type >= 0:
            edges.append((source, target, edge_type))
            if not directed:
                edges.append((target, source, edge_type))
    some = any("readout" in node for node in nodes)
    readout = {place for place, node in enumerate(nodes) if _flag(node, "readout", not some)}
    if not readout:
        raise ValueError("A graph must have at least one node, and one whose 'readout' is true if nodes have it.")
    return symbols, types, edges, readout


def _symbols(node: dict[str, Any]) -> list[Any]:
    """Return the symbols of a node: its properties, and its other attributes with their values."""
    found = node.get("properties")
    if not (found is None or isinstance(found, (list, tuple))):
        raise ValueError(f"The 'properties' of a node must be a list of symbols; got {found!r}.")
    symbols = list(found or ())
    for attribute, value in node.items():
        if attribute in ("id", "properties", "type", "readout"):
            continue
        if isinstance(value, bool):
            symbols += [attribute] * value
        else:
            values = value if isinstance(value, (list, tuple)) else [value]
            symbols += [(attribute, one) for one in values if one is not None]
    return [symbol for symbol in symbols if symbol is not None]


def _objects(graph: dict[str, Any], *keys: str) -> list[dict[str, Any]]:
    """Return the list of nodes or edges of a graph."""
    found = next((graph[key] for key in keys if key in graph), None) if isinstance(graph, dict) else None
    if not isinstance(found, (list, tuple)) or not all(isinstance(one, dict) for one in found):
        raise ValueError(f"A graph must be a dict with lists of dicts 'nodes' and 'edges'; got {graph!r:.200}.")
    return list(found)


def _required(item: dict[str, Any], key: str) -> Any:
    if key not in item:
        raise ValueError(f"Nodes must have 'id', edges 'source' and 'target'; got {item!r}.")
    return item[key]


def _flag(item: dict[str, Any], key: str, default: bool) -> bool:
    value = item.get(key, default)
    if not isinstance(value, bool):
        raise ValueError(f"{key!r} must be True or False; got {value!r}.")
    return value


def main(arguments: list[str]) -> int:
    """Print a prediction, as JSON, for each line of a file of graphs."""
    if len(arguments) != 1:
        sys.stderr.write("Usage: python MODULE.py GRAPHS.jsonl, or - for standard input\n")
        return 2
    number = 0
    try:
        with sys.stdin.buffer if arguments[0] == "-" else Path(arguments[0]).open("rb") as lines:
            for number, line in enumerate(lines, 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    sys.stdout.write(json.dumps(predict(json.loads(text))) + "\n")
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads on, of which Python would complain when it exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except (OSError, ValueError) as error:
        sys.stderr.write(f"Line {number}: {error}\n" if number else f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
