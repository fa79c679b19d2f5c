"""``graphtm data``: what is in a file of data."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from typing import Any

import numpy as np

from graphtm.cli.choice import describe
from graphtm.cli.data_files import Data, load_data
from graphtm.cli.explain import checked_number
from graphtm.cli.labels import are_decimals, as_numbers, label_counts, numbers_text
from graphtm.cli.output import Screen, label_text, write_json
from graphtm.cli.reading import GRAPHS, TEXT, Reading, Source
from graphtm.errors import GraphFormatError
from graphtm.foundation.display import bare, count

_MOST = 10
"""Number of symbols, types and classes that are shown."""
_BAR = 20


def inspect(screen: Screen, source: Source, reading: Reading, number: int | None, top: int) -> None:
    """Print what is in the data of a file, or one sample.

    Parameters
    ----------
    screen
        Where text goes.
    source, reading
        The data.
    number
        Number of the sample to print, or ``None`` for a summary of all.
    top
        Number of symbols to list, 0 for all.
    """
    data = load_data(source, reading)
    if number is not None:
        number = checked_number(number, data)
        _show_one(screen, data, number)
        return
    facts = facts_of(data)
    if screen.for_machines:
        write_json(facts)
        return
    screen.say(describe(data))
    numbers = _numbers(data)
    if numbers is None:
        _show_labels(screen, facts["labels"], len(data))
    else:
        screen.say(f"Labels: {numbers_text(numbers)}")
    if "nodes" in facts:
        _show_graphs(screen, facts, top)
    for name, column in facts.get("columns", {}).items():
        screen.say(f"{name}: {column}", first=2, indent=6)
    if "words" in facts:
        screen.say(f"Words per text: {_range(facts['words'])}")


def facts_of(data: Data) -> dict[str, Any]:
    """Return everything that is counted, as plain data."""
    facts: dict[str, Any] = {
        "name": data.name,
        "format": data.format,
        "kind": data.reading.kind,
        "n": len(data),
        "labels": _label_counts(data),
    }
    if data.reading.kind == GRAPHS:
        return facts | _graph_facts(data.X)
    if data.reading.kind == TEXT:
        return facts | {"words": _statistics(np.array([len(text.split()) for text in data.X]))}
    return facts | {"columns": {name: _column_text(data.X[name]) for name in data.X.columns}}


def _label_counts(data: Data) -> list[dict[str, Any]] | None:
    """Return the classes or labels, the most frequent first."""
    if data.y is None:
        return None
    return [{"label": label, "n": number} for label, number in label_counts(data.y).most_common()]


def _numbers(data: Data) -> Any:
    """Return labels as numbers if ``fit`` would predict numbers, else None."""
    if not isinstance(data.y, np.ndarray) or data.y.ndim > 1 or not are_decimals(data.y):
        return None
    with suppress(GraphFormatError):
        return as_numbers(data.y, data.name, data.noun)
    return None


def _graph_facts(batch: Any) -> dict[str, Any]:
    vocabulary = batch.vocabulary
    n_symbols, n_types = len(vocabulary.symbols), len(vocabulary.edge_types)
    symbols, edges, kinds = np.zeros(n_symbols, np.int64), np.zeros(n_types, np.int64), Counter[int]()
    out_degrees, in_degrees, edge_counts, bare_nodes, n_readout = [], [], [], 0, 0
    for chunk in batch.chunks():
        packed = chunk.pack()
        nodes, held = packed.properties.pairs()
        symbols += np.bincount(held, minlength=n_symbols)
        edges += np.bincount(packed.out_edges.types, minlength=n_types)
        out_degrees.append(np.diff(packed.out_edges.ptr))
        in_degrees.append(np.diff(packed.in_edges.ptr))
        edge_counts.append(np.diff(packed.out_edges.ptr[packed.node_ptr]))
        bare_nodes += packed.n_nodes - len(np.unique(nodes))
        n_readout += packed.n_nodes if packed.readout is None else int(np.count_nonzero(packed.readout))
        if packed.node_types is not None:
            kinds.update(packed.node_types.tolist())
    return {
        "nodes": _statistics(batch.node_counts),
        "edges": _statistics(np.concatenate(edge_counts)),
        "out_degrees": _statistics(np.concatenate(out_degrees)),
        "in_degrees": _statistics(np.concatenate(in_degrees)),
        "degree_counts": np.bincount(np.concatenate(out_degrees)).tolist(),
        "symbols": _frequencies(vocabulary.symbols, symbols),
        "edge_types": _frequencies(vocabulary.edge_types, edges),
        "node_types": [{"name": bare(vocabulary.node_types[one]), "n": number} for one, number in kinds.most_common()],
        "nodes_without_symbols": bare_nodes,
        "readout_nodes": n_readout,
    }


def _statistics(numbers: Any) -> dict[str, Any]:
    return {
        "sum": int(numbers.sum()),
        "least": int(numbers.min()),
        "mean": round(float(numbers.mean()), 3),
        "most": int(numbers.max()),
    }


def _frequencies(names: Any, counts: Any) -> list[dict[str, Any]]:
    order = np.argsort(-counts, kind="stable").tolist()
    return [{"name": bare(names[place]), "n": int(counts[place])} for place in order]


def _column_text(column: Any) -> str:
    """Return what a column of a table holds."""
    missing = int(column.isna().sum())
    without = f", {missing:,} missing" if missing else ""
    if column.dtype != object and str(column.dtype) != "boolean":
        there = column.dropna()
        return f"numbers from {there.min():g} to {there.max():g}{without}" if len(there) else "all missing"
    counts = column.value_counts()
    shown = ", ".join(f"{name} {number:,}" for name, number in counts.head(5).items())
    return f"{count(len(counts), 'category').replace('categorys', 'categories')}: {shown}{without}"


# Text


def _show_labels(screen: Screen, labels: list[dict[str, Any]] | None, n: int) -> None:
    if labels is None:
        screen.say("Labels: none")
        return
    screen.say(f"Labels ({len(labels):,}):")
    for one in labels[:_MOST]:
        screen.say(_bar(label_text(one["label"]), one["n"], n))
    _show_rest(screen, len(labels), _MOST)


def _show_graphs(screen: Screen, facts: dict[str, Any], top: int) -> None:
    screen.say(f"Nodes per graph: {_range(facts['nodes'])}")
    screen.say(f"Edges per graph: {_range(facts['edges'])}; an undirected edge counts twice")
    screen.say(f"Edges from a node: {_range(facts['out_degrees'])}; to a node: {_range(facts['in_degrees'])}")
    degrees = facts["degree_counts"]
    shown = [f"{degree}: {number:,}" for degree, number in enumerate(degrees[:_MOST])]
    more = f", more: {sum(degrees[_MOST:]):,}" if len(degrees) > _MOST else ""
    screen.say(f"Nodes by edges from them: {', '.join(shown)}{more}")
    top = top or max(len(facts[key]) for key in ("symbols", "edge_types", "node_types"))
    n_nodes, n_edges = facts["nodes"]["sum"], facts["edges"]["sum"]
    for title, key, total in (
        ("Symbols, by nodes that carry them", "symbols", n_nodes),
        ("Edge types", "edge_types", n_edges),
        ("Node types", "node_types", n_nodes),
    ):
        if facts[key]:
            screen.say(f"{title} ({len(facts[key]):,}):")
            for one in facts[key][:top]:
                screen.say(_bar(one["name"], one["n"], total))
            _show_rest(screen, len(facts[key]), top)
    if facts["nodes_without_symbols"]:
        screen.say(f"Nodes without symbols: {facts['nodes_without_symbols']:,}")
    if facts["readout_nodes"] < n_nodes:
        screen.say(f"Readout nodes: {facts['readout_nodes']:,}")


def _show_rest(screen: Screen, n: int, shown: int) -> None:
    if n > shown:
        screen.say(f"... and {n - shown:,} more", first=2)


def _bar(name: str, number: int, total: int) -> str:
    """Return a name with its number and share, and a bar."""
    share = number / max(1, total)
    name = name if len(name) <= 32 else f"{name[:29]}..."
    return f"  {name:32}  {number:>10,}  {100 * share:5.1f} %  {'#' * round(_BAR * share)}".rstrip()


def _range(facts: dict[str, Any]) -> str:
    if facts["least"] == facts["most"]:
        return f"{facts['least']:,}"
    return f"{facts['least']:,} to {facts['most']:,}, {facts['mean']:,.1f} on average"


def _show_one(screen: Screen, data: Data, number: int) -> None:
    label = None if data.y is None else data.y[number]
    if screen.for_machines:
        sample = str(data.X[number]) if not hasattr(data.X, "columns") else data.X.iloc[number].astype(object).to_dict()
        write_json({"number": number, "label": label, "sample": sample})
        return
    shown = ", ".join(map(label_text, label)) if isinstance(label, set) else label_text(label)
    text = "" if label is None else f"; label {shown}"
    screen.say(f"{data.noun.capitalize()} {number}{text}")
    if data.reading.kind == GRAPHS:
        screen.say(str(data.X[number]), indent=10)
    elif hasattr(data.X, "columns"):
        for name, value in data.X.iloc[number].items():
            screen.say(f"{name}: {value}", first=2)
    else:
        screen.say(data.X[number])
