"""Drawings of witnesses: the graph, with the nodes and edges that make a clause true."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import ArrayLike

from graphtm.foundation.display import bare, cut
from graphtm.foundation.names import Name, name_key
from graphtm.graphs import Graph, GraphBatch
from graphtm.plots.drawing import MOST_LETTERS, Drawing, node_lines, read_graph
from graphtm.plots.graphs import paint
from graphtm.plots.highlight import Highlight, Words

MOST_CLAUSES, MOST_ON_EDGES = 4, 2
"""Number of clauses that are named at a node, and at an edge."""
WORDS = Words("witness", "true here", "sends a message", "message")


def draw_witness(
    graph: Graph | GraphBatch,
    steps: Sequence[Mapping[str, Any]],
    *,
    ax: Any = None,
    layout: str | ArrayLike = "auto",
    node_text: Sequence[str] | None = None,
    max_symbols: int = 6,
    seed: int = 0,
    title: str | None = None,
) -> Any:
    r"""Draw a graph with the witness of a clause: where it is true, and the messages that this depends on.

    The node at which the clause is true has the thickest border. Nodes whose messages it depends on are orange, too,
    and each such message is an arrow with the number of the clause that sends it, if there is room. Where several
    messages satisfy a condition, it is the first of them. Boxes name the clauses of the proof, and the layer up to
    which they hold there. All else is pale.

    Parameters
    ----------
    graph
        The graph, or a batch of one.
    steps
        The steps of the proof, as ``witness.to_dict()`` returns them.
    node_text
        Text of each node. Default: its name and its symbols, those that a condition requires first.
    ax, layout, max_symbols, seed, title
        As for :func:`draw_graph`.

    Returns
    -------
    matplotlib.axes.Axes
        The axes.

    Raises
    ------
    MissingLibraryError
        If matplotlib is not installed.

    Examples
    --------
    C1 is true at ``y``, because it has B, and because C0, that is A, holds at ``x``:

    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import graphtm as gtm
    >>> from graphtm.plots import draw_witness
    >>> graph = gtm.Graph()
    >>> graph.add_node("x", ["A"])
    >>> graph.add_node("y", ["B"])
    >>> graph.add_edge("x", "y", "right")
    >>> message = {"edge": ("x", "y", "right"), "clause": 0}
    >>> symbol, arrival = {"granted_by": ["B"]}, {"granted_by": [message], "literal": {"layer": 1}}
    >>> steps = [{"clause": 1, "node": "y", "layer": 1, "conditions": [symbol, arrival]}]
    >>> ax = draw_witness(graph, steps)
    >>> [text.get_text() for text in ax.texts]
    ['x\nA\nC0, layer 0', 'y\nB\nC1', 'C0']
    """
    drawing = read_graph(graph, None)
    proof = _Proof(steps)
    symbols = [proof.first(name_key(name), own) for name, own in zip(drawing.names, drawing.properties, strict=True)]
    texts = _with_lines(drawing.names, _own_lines(drawing, symbols, node_text, max_symbols), proof.clauses)
    edges = [(edge, ", ".join(_cut(clauses, MOST_ON_EDGES))) for edge, clauses in proof.messages.values()]
    marks = Highlight(drawing, proof.nodes, edges, [steps[0]["node"]], words=WORDS)
    return paint(drawing, marks, ax=ax, layout=layout, node_text=texts, seed=seed, title=title)


class _Proof:
    """What the steps of a proof say of nodes and edges.

    The attribute ``clauses`` has the clauses that hold at each node as text, ``messages`` those that send over each
    edge, and ``nodes`` the names of all nodes that take part.
    """

    def __init__(self, steps: Sequence[Mapping[str, Any]]) -> None:
        self.clauses: dict[Hashable, dict[str, None]] = {}
        self.messages: dict[tuple[Hashable, ...], tuple[tuple[Name, ...], dict[str, None]]] = {}
        self.nodes: list[Hashable] = []
        self._granting: dict[Hashable, set[Hashable]] = {}
        for number, step in enumerate(steps):
            self._add(step["node"], f"C{step['clause']}" + (f", layer {step['layer']}" if number else ""))
            for condition in step["conditions"]:
                self._read(step["node"], condition)

    def _add(self, node: Hashable, text: str) -> None:
        self.nodes.append(node)
        self.clauses.setdefault(name_key(node), {})[text] = None

    def _read(self, node: Hashable, condition: Mapping[str, Any]) -> None:
        # What sets a bit that must not be set is no evidence, and neither is a literal that changes nothing.
        if condition.get("missed") or condition.get("constant"):
            return
        granting = condition["granted_by"]
        if granting and isinstance(granting[0], Mapping):
            # One message is enough, and the first is the one that the proof follows.
            edge, sender = tuple(granting[0]["edge"]), f"C{granting[0]['clause']}"
            self._add(edge[0], f"{sender}, layer {condition['literal']['layer'] - 1}")
            _, clauses = self.messages.setdefault(tuple(map(name_key, edge)), (edge, {}))
            clauses[sender] = None
        else:
            self._granting.setdefault(name_key(node), set()).update(map(name_key, granting))

    def first(self, node: Hashable, symbols: Sequence[Name]) -> list[Name]:
        """Return the symbols of a node, those that conditions require first."""
        granting = self._granting.get(node, set())
        return sorted(symbols, key=lambda symbol: name_key(symbol) not in granting)


def draw_evidence(
    graph: Graph | GraphBatch,
    nodes: Sequence[tuple[Hashable, Sequence[Name]]],
    edges: Iterable[tuple[Name, Name, Name]],
    *,
    ax: Any = None,
    layout: str | ArrayLike = "auto",
    node_text: Sequence[str] | None = None,
    max_symbols: int = 6,
    seed: int = 0,
    title: str | None = None,
) -> Any:
    """Draw a graph with the nodes that make facts true, which are written into them, and the edges that belong to them.

    Parameters
    ----------
    graph
        The graph, or a batch of one.
    nodes
        Pairs of a node and the facts that it makes true.
    edges
        Edges (source, destination, type) to highlight.
    ax, layout, node_text, max_symbols, seed, title
        As for :func:`draw_witness`.
    """
    drawing = read_graph(graph, None)
    facts = {name_key(name): [cut(bare(fact), MOST_LETTERS) for fact in held] for name, held in nodes}
    texts = _with_lines(drawing.names, _own_lines(drawing, drawing.properties, node_text, max_symbols), facts)
    words = Words("evidence", nodes="makes a condition true", edges="part of it")
    marks = Highlight(drawing, [name for name, _ in nodes], [(edge, "") for edge in edges], words=words)
    return paint(drawing, marks, ax=ax, layout=layout, node_text=texts, seed=seed, title=title)


def _own_lines(
    drawing: Drawing, symbols: Sequence[Sequence[Name]], node_text: Sequence[str] | None, max_symbols: int
) -> list[list[str]]:
    """Return the lines of each node, without those of a proof."""
    if node_text is None:
        named = len(drawing.names) > 1
        rows = zip(drawing.names, symbols, strict=True)
        return [node_lines(name, own, max_symbols, named=named) for name, own in rows]
    texts = list(node_text)
    if isinstance(node_text, str) or len(texts) != len(drawing.names):
        given = repr(node_text) if isinstance(node_text, str) else len(texts)
        raise ValueError(
            "The 'node_text' parameter of draw_witness must be a list of one string per node, "
            f"{len(drawing.names)} in total. Got {given} instead."
        )
    return [str(text).splitlines() for text in texts]


def _with_lines(names: Sequence[Hashable], own: list[list[str]], more: Mapping[Hashable, Iterable[str]]) -> list[str]:
    """Return the text of each node, with further lines by the key of its name."""
    return ["\n".join([*lines, *_cut(more.get(name_key(name), ()))]) for name, lines in zip(names, own, strict=True)]


def _cut(texts: Iterable[str], most: int = MOST_CLAUSES) -> list[str]:
    """Return the first few texts, and the number of the others."""
    found = list(texts)
    more = len(found) - most
    return [*found[:most], *([f"+{more} more"] if more > 0 else [])]
