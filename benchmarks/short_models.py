"""Shorten models of TU datasets by ``prune`` and ``refit``: rules and literals before and after, held-out accuracy.

    python benchmarks/short_models.py --data-home DIR [--sets Mutagenicity ...] [--setting graded] [--json OUT]

Graphs, folds and settings are those of ``tu_graded.py``: nodes carry their labels and degree. On the training graphs of
each fold, a model is trained, pruned, and then refitted to different numbers of rules, each time from the pruned model,
and pruned again. Accuracies are on the test graphs of the fold. Prints a Markdown table of means over the folds; with
``--rules``, also the rules of the first fold after the refit to 20.
"""

from __future__ import annotations

import argparse
import json
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm
from tu_graded import N_FOLDS, SETTINGS, splits, with_degrees

from graphtm import GraphBatch, GraphTMClassifier
from graphtm.datasets import load_tudataset
from graphtm.datasets.files import data_folder

N_RULES = (5, 10, 20, 50, 100)


def size(classifier: GraphTMClassifier) -> tuple[int, int]:
    """Return the number of clauses that vote, and of literals of all clauses."""
    params, state = classifier.model_.params, classifier.state_
    n_literals = sum(int(state.includes(layer, params.state_bits).sum()) for layer in range(params.depth))
    return int(np.count_nonzero(state.weights.any(axis=0))), n_literals


def shorten(
    graphs: GraphBatch, y: NDArray[Any], train: NDArray[np.int64], test: NDArray[np.int64], **parameters: Any
) -> tuple[dict[str, dict[str, float]], GraphTMClassifier]:
    """Return rules, literals, accuracy and seconds of each step on one fold, and the model with at most 20 rules."""
    known, answers = graphs[train], y[train]
    steps: dict[str, dict[str, float]] = {}

    def record(step: str, classifier: GraphTMClassifier, start: float) -> None:
        seconds, (rules, literals) = time.perf_counter() - start, size(classifier)
        accuracy = classifier.score(graphs[test], y[test])
        steps[step] = dict(rules=rules, literals=literals, accuracy=accuracy, seconds=seconds)

    start = time.perf_counter()
    classifier = GraphTMClassifier(**parameters).fit(known, answers)
    record("trained", classifier, start)
    sums, start = classifier.class_sums(known), time.perf_counter()
    classifier.prune(known)
    record("pruned", classifier, start)
    if not np.array_equal(classifier.class_sums(known), sums):
        raise AssertionError("pruning must not change class sums on the training graphs")
    kept = classifier
    for n_rules in (None, *reversed(N_RULES)):
        start = time.perf_counter()
        short = deepcopy(classifier).refit(known, answers, n_rules=n_rules).prune(known)
        record("refitted" if n_rules is None else f"refitted to {n_rules}", short, start)
        kept = short if n_rules == 20 else kept
    return steps, kept


def table(results: list[dict[str, Any]]) -> str:
    """Return the means over folds as a Markdown table."""
    lines = ["| set | step | rules | literals | literals per rule | accuracy, % | seconds |", "|---" * 7 + "|"]
    for dataset in dict.fromkeys(result["set"] for result in results):
        folds = [result["steps"] for result in results if result["set"] == dataset]
        for step in folds[0]:
            rules, literals, seconds = (
                np.mean([fold[step][what] for fold in folds]) for what in ("rules", "literals", "seconds")
            )
            accuracy = 100 * np.array([fold[step]["accuracy"] for fold in folds])
            lines.append(
                f"| {dataset} | {step} | {rules:.1f} | {literals:,.0f} | {literals / max(1, rules):.1f} | "
                f"{accuracy.mean():.1f} ± {accuracy.std():.1f} | {seconds:.1f} |"
            )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-home", type=Path, help="folder of the zip files; default: GRAPHTM_DATA")
    parser.add_argument("--sets", nargs="+", default=["Mutagenicity"], help="names of the sets")
    parser.add_argument("--setting", choices=list(SETTINGS), default="graded")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help=f"run only the first of {N_FOLDS} folds")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--depth", type=int, default=2)
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--rules", action="store_true", help="print the rules of the first fold")
    parser.add_argument("--json", type=Path, help="where to write the results")
    options = parser.parse_args()

    home = data_folder(options.data_home)
    own = dict(SETTINGS[options.setting], depth=options.depth, epochs=options.epochs, engine=options.engine)
    print(f"{options.setting}: {', '.join(f'{key}={value}' for key, value in own.items())}", flush=True)
    results: list[dict[str, Any]] = []
    with tqdm(total=len(options.sets) * min(options.folds, N_FOLDS), unit="fold") as bar:
        for dataset in options.sets:
            graphs, y = load_tudataset(dataset, data_home=home, ignore=["node_attributes"])
            graphs = with_degrees(graphs)
            for fold, (train, test) in enumerate(splits(y, options.folds, False)):
                steps, short = shorten(graphs, y, train, test, **own, random_state=fold)
                results.append({"set": dataset, "fold": fold, "steps": steps})
                if options.rules and fold == 0:
                    tqdm.write(str(short.rules().sort()))
                if options.json:
                    options.json.write_text(json.dumps(results, indent=1) + "\n")
                bar.update()
    print(table(results))


if __name__ == "__main__":
    main()
