"""Small tasks on built-in data, shown step by step."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.markup import escape

from graphtm.codes import Code, encode, message_code, message_collisions, symbol_code, symbol_collisions
from graphtm.engines.random import Purpose, code_draws
from graphtm.graphs import Graph, GraphBatch, load_graphs
from graphtm.graphs.properties import unpack_bits

WORDS = ("BAAAE", "BBAEE", "AAABC", "ABABA", "EDCBA", "CDAAA")


def word_graph(word: str) -> Graph:
    """Return a word as a graph: a node per letter, edges to both neighbours, typed by direction."""
    graph = Graph()
    for place, letter in enumerate(word):
        graph.add_node(place, properties=[letter])
    for place in range(len(word) - 1):
        graph.add_edge(place, place + 1, type="right")
    for place in range(1, len(word)):
        graph.add_edge(place, place - 1, type="left")
    return graph


def sequence(console: Console) -> None:
    """Show how words become graphs, graphs become bits, and how a batch survives a file."""
    batch = GraphBatch.from_graphs(map(word_graph, WORDS))
    console.print("[bold]1. Graphs carry symbols.[/] The word BAAAE, letter by letter:\n")
    console.print(escape(str(batch[0])), highlight=False)
    console.print(f"\n[bold]2. Many graphs are one batch.[/]\n\n{escape(str(batch))}", highlight=False)

    packed = batch.pack()
    console.print("\n[bold]3. Engines read bits.[/] The five letters of BAAAE as hypervectors:\n")
    draw = code_draws(seed=0, purpose=Purpose.SYMBOL_CODE)
    n_symbols = len(batch.vocabulary.symbols)
    for code in (
        symbol_code(n_symbols, draw),
        symbol_code(n_symbols, draw, encoding="random", size=16),
        symbol_code(n_symbols, draw, encoding="double_hashing", size=16),
    ):
        console.print(_hypervectors(batch, code), highlight=False)
        report = symbol_collisions(code, packed.properties.frequencies(), packed.n_nodes)
        console.print(f"    {report}", highlight=False)
    messages = message_code(4, len(batch.vocabulary.edge_types), code_draws(seed=0, purpose=Purpose.CLAUSE_CODE))
    console.print(f"  messages of 4 clauses over 2 edge types, {messages.scheme}:", highlight=False)
    console.print(f"    {message_collisions(messages, 2)}", highlight=False)

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "words.gtmg"
        batch.save(path)
        same = load_graphs(path) == batch
        console.print(
            f"\n[bold]4. A batch survives a file.[/] {path.stat().st_size:,} bytes on disk, read back: "
            f"{'equal' if same else 'DIFFERENT'}.",
            highlight=False,
        )


def _hypervectors(batch: GraphBatch, code: Code) -> str:
    rows = unpack_bits(encode(batch[:1], code).bits, code.size)
    letters = [batch[0].properties(node)[0] for node in batch[0]]
    lines = [f"    {letter}  {''.join(np.where(row, '1', '.'))}" for letter, row in zip(letters, rows, strict=True)]
    return "\n".join([f"  {code.scheme}, {code.size} bits", *lines])


DEMOS: dict[str, Callable[[Console], None]] = {"sequence": sequence}
