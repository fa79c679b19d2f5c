"""Size and speed of exported C headers: train machines, compile them, check that they agree, measure.

    python benchmarks/export_c.py [--mnist FILE] [--cc COMPILER] [--json OUT]

Prints Markdown tables. Bytes of flash are those of code and constants of an object file that predicts (``size``), with
``-Os`` and without the tables of names; the workspace is that of the largest graph. Microseconds per prediction are
processor time on one core, the least of five runs over all graphs. Vote sums are compared with those of the classifier.
Without ``--mnist``, only sequences and boards are measured.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from graphtm import GraphBatch, GraphTMClassifier
from graphtm.bench import INK
from graphtm.datasets import hex_boards, load_mnist, sequences
from graphtm.encoders import ImagePatches
from graphtm.export import Program, c_graphs_text, c_header_text

WORDS = ("uint8_t", "uint32_t", "uint64_t")
SPEEDS = (("uint8_t", "-Os"), ("uint32_t", "-Os"), ("uint32_t", "-O2"), ("uint64_t", "-O2"))
N_IMAGES = 50
USE = """#include "model.h"
int use(const model_graph *graph, model_word *workspace, size_t size);
int use(const model_graph *graph, model_word *workspace, size_t size)
{
    return model_predict(graph, workspace, size);
}
"""
MAIN = r"""#include <stdio.h>
#include <time.h>
#include "model.h"
#include "graphs.h"

int main(void)
{
    static model_word workspace[model_WORKSPACE(model_MOST_NODES)];
    double least = 1e30;
    long predicted = 0;
    for (int i = 0; i < model_N_GRAPHS; i++) {
        int64_t sums[model_N_OUTPUTS];
        if (model_class_sums(&model_graphs[i], workspace, sizeof workspace, sums) != 0) return 1;
        for (int k = 0; k < model_N_OUTPUTS; k++) printf("%lld ", (long long)sums[k]);
    }
    for (int run = 0; run < 5; run++) {
        double seconds;
        long n = 0;
        const clock_t start = clock();
        do {
            for (int i = 0; i < model_N_GRAPHS; i++)
                predicted += model_predict(&model_graphs[i], workspace, sizeof workspace);
            n += model_N_GRAPHS;
            seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        } while (seconds < 0.2);
        if (seconds / n < least) least = seconds / n;
    }
    printf("\n%.9f %zu %ld\n", least, sizeof workspace, predicted);
    return 0;
}
"""


def machines(mnist: Path | None) -> Iterator[tuple[str, GraphTMClassifier, GraphBatch]]:
    """Yield trained machines with graphs to measure."""
    words, tests = sequences(5_000, noise=0.01, random_state=0), sequences(1_000, random_state=1)
    small = GraphTMClassifier(n_clauses=10, T=10, s=3.0, depth=3, epochs=5, random_state=0)
    yield "sequence", small.fit(words.graphs, words.y), tests.graphs
    boards, tests = hex_boards(2_000, random_state=0), hex_boards(200, random_state=1)
    machine: dict[str, Any] = dict(
        n_clauses=200, T=400, s=3.0, depth=3, epochs=5, max_included_literals=24, random_state=0
    )
    yield "hex 6 x 6", GraphTMClassifier(**machine).fit(boards.graphs, boards.y), tests.graphs
    if mnist is None:
        return
    x, y = load_mnist(data_home=mnist.parent if mnist.is_file() else mnist, download=False)
    encoder = ImagePatches().fit(x > INK)
    train, images = encoder.transform(x > INK), encoder.transform(x[:N_IMAGES] > INK)
    settings: dict[str, Any] = dict(depth=1, epochs=3, symbol_encoding="one_hot", random_state=0)
    yield "MNIST", GraphTMClassifier(n_clauses=2_000, T=2_500, s=10.0, **settings).fit(train, y), images
    graded: dict[str, Any] = dict(max_misses=9, max_included_literals=60, n_clauses=200, T=1_000, s=500.0)
    yield "MNIST, graded", GraphTMClassifier(**graded, **settings).fit(train, y), images


def compiled(cc: str, folder: Path, *arguments: str) -> None:
    warnings = ("-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    subprocess.run([cc, *warnings, *arguments], cwd=folder, check=True)


def flash(cc: str, folder: Path, *flags: str) -> int:
    compiled(cc, folder, "-Os", "-c", "use.c", "-o", "use.o", *flags)
    table = subprocess.run(["size", "use.o"], cwd=folder, check=True, capture_output=True, text=True).stdout
    text, data, bss = table.splitlines()[1].split()[:3]
    assert data == bss == "0"
    return int(text)


def measured(name: str, clf: GraphTMClassifier, graphs: GraphBatch, cc: str, folder: Path) -> dict[str, Any]:
    program: Program = clf._program()
    files = {
        "model.h": c_header_text(program, "model"),
        "graphs.h": c_graphs_text(graphs, program, "model"),
        "use.c": USE,
        "main.c": MAIN,
    }
    for file, text in files.items():
        (folder / file).write_text(text)
    n_literals = sum(term.n_literals for layer in program.terms for term in layer)
    result: dict[str, Any] = {
        "machine": name,
        "clauses": program.n_clauses,
        "depth": program.depth,
        "literals": n_literals,
        "nodes": float(graphs.node_counts.mean()),
        "flash": flash(cc, folder, "-Dmodel_NO_NAMES"),
    }
    expected = clf.class_sums(graphs)
    for word, level in SPEEDS:
        compiled(cc, folder, level, f"-Dmodel_WORD={word}", "main.c", "-o", "main")
        printed = subprocess.run([folder / "main"], check=True, capture_output=True, text=True).stdout.splitlines()
        sums = np.array(printed[0].split(), np.int64).reshape(expected.shape)
        assert np.array_equal(sums, expected), "the header does not agree with the classifier"
        seconds, workspace = printed[1].split()[:2]
        result[f"{word} {level}"] = 1e6 * float(seconds)
        result[f"{word} workspace"] = int(workspace)
    return result


def row(cells: list[object]) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mnist", type=Path, metavar="FILE", help="mnist.npz, or its folder")
    parser.add_argument("--cc", default="cc", help="C compiler")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the results to this file")
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name, clf, graphs in machines(options.mnist):
            results.append(measured(name, clf, graphs, options.cc, Path(folder)))
    print(row(["machine", "clauses", "depth", "literals", "nodes", "flash", *(f"workspace, {word}" for word in WORDS)]))
    print(row(["---"] * (6 + len(WORDS))))
    for one in results:
        counts = [f"{one[key]:,}" for key in ("clauses", "depth", "literals")]
        sizes = [f"{one[key]:,}" for key in ("flash", *(f"{word} workspace" for word in WORDS))]
        print(row([one["machine"], *counts, f"{one['nodes']:.0f}", *sizes]))
    columns = [f"{word} {level}" for word, level in SPEEDS]
    print()
    print(row(["machine", *columns]))
    print(row(["---"] * (1 + len(columns))))
    for one in results:
        print(row([one["machine"], *(f"{one[column]:,.2f}" for column in columns)]))
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
