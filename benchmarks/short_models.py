"""Shorten models of TU datasets by ``prune`` and ``refit``: rules and literals before and after, held-out accuracy.

    python benchmarks/short_models.py --data-home DIR [--sets Mutagenicity ...] [--setting recommended] [--json OUT]

By default, the model is the recommended pipeline, ``make_classifier(graphs)``; ``--clauses``, ``--max-misses`` and
``--max-included-literals`` change its machine, ``--hops``, ``--parts``, ``--counts`` and ``--min-graphs`` its encoders.
The settings ``graded`` and ``ungraded`` are the deep machines of ``graphtm reproduce graph_benchmarks`` on nodes with
labels and degrees, and the folds are those of this experiment. On the training graphs of each fold, a model is trained,
pruned, and then refitted to different numbers of rules, each time from the pruned model, and pruned again. Accuracies
are on the test graphs of the fold. Prints a Markdown table of means over the folds; with ``--rules``, also the rules of
the first fold after the refit to 20.

Atoms and bonds of Mutagenicity are named as chemists name them.
"""

from __future__ import annotations

import argparse
import json
import time
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from tqdm.auto import tqdm

from graphtm import GraphBatch, GraphTMClassifier, make_classifier
from graphtm.experiments import Split
from graphtm.experiments.graph_benchmarks import GRADED, PLAIN
from graphtm.experiments.graph_benchmarks_data import N_FOLDS, edge_arrays, fold_of, load_graphs, with_degrees

N_RULES = (5, 10, 20, 50, 100)
RECOMMENDED = "recommended"
SETTINGS = {"ungraded": PLAIN.machine, "graded": GRADED.machine}
ATOMS = ("C", "O", "Cl", "H", "N", "F", "Br", "S", "P", "I", "Na", "K", "Li", "Ca")
BONDS = ("single", "double", "triple")
CLASSES = ("mutagenic", "not")
"""What the labels of Mutagenicity mean, by number."""


def chemical(graphs: GraphBatch) -> GraphBatch:
    """Return the graphs of Mutagenicity with the names of atoms and bonds."""
    packed = graphs.pack()
    atoms: list[Any] = list(graphs.vocabulary.symbols)
    bonds: list[Any] = list(graphs.vocabulary.edge_types)
    symbols, edge_types = [ATOMS[number] for _, number in atoms], [BONDS[number] for number in bonds]
    return GraphBatch.from_arrays(
        packed.node_counts, packed.properties.pairs(), symbols, edge_arrays(packed), edge_types
    )


def model_for(graphs: GraphBatch, options: argparse.Namespace, seed: int) -> Any:
    """Return the model that the options ask for, as a pipeline that is not fitted."""
    common = dict(engine=options.engine, random_state=seed)
    if options.setting != RECOMMENDED:
        return make_pipeline(GraphTMClassifier(**SETTINGS[options.setting], **common))

    def given(**names: str) -> dict[str, Any]:
        values = {name: getattr(options, option) for name, option in names.items()}
        return {name: value for name, value in values.items() if value is not None}

    machine = {name: name for name in ("n_clauses", "max_misses", "max_included_literals")}
    encoders = given(
        neighbourhoods__hops="hops",
        neighbourhoods__parts="parts",
        wholegraph__counts="counts",
        wholegraph__min_graphs="min_graphs",
    )
    return make_classifier(graphs, **given(**machine), **common).set_params(**encoders)


def size(classifier: GraphTMClassifier) -> tuple[int, int]:
    """Return the number of clauses that vote, and of literals of all clauses."""
    params, state = classifier.model_.params, classifier.state_
    n_literals = sum(int(state.includes(layer, params.state_bits).sum()) for layer in range(params.depth))
    return int(np.count_nonzero(state.weights.any(axis=0))), n_literals


def shorten(model: Any, fold: Split) -> tuple[dict[str, dict[str, float]], GraphTMClassifier]:
    """Return rules, literals, accuracy and seconds of each step on one fold, and the model with at most 20 rules.

    ``model`` is a pipeline that is not fitted, whose last step is the classifier.
    """
    steps: dict[str, dict[str, float]] = {}

    def record(step: str, classifier: GraphTMClassifier, start: float) -> None:
        seconds, (rules, literals) = time.perf_counter() - start, size(classifier)
        accuracy = classifier.score(unseen, fold.y_test)
        steps[step] = dict(rules=rules, literals=literals, accuracy=accuracy, seconds=seconds)

    start = time.perf_counter()
    classifier = model.fit(fold.train, fold.y)[-1]
    seconds = time.perf_counter() - start
    known, unseen = (model[:-1].transform(part) if len(model) > 1 else part for part in (fold.train, fold.test))
    record("trained", classifier, time.perf_counter() - seconds)
    sums, start = classifier.class_sums(known), time.perf_counter()
    classifier.prune(known)
    record("pruned", classifier, start)
    if not np.array_equal(classifier.class_sums(known), sums):
        raise AssertionError("pruning must not change class sums on the training graphs")
    kept = classifier
    for n_rules in (None, *reversed(N_RULES)):
        start = time.perf_counter()
        short = deepcopy(classifier).refit(known, fold.y, n_rules=n_rules).prune(known)
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
    parser.add_argument("--data-home", type=Path, help="folder of the TU datasets; default: GRAPHTM_DATA")
    parser.add_argument("--sets", nargs="+", default=["Mutagenicity"], help="names of the sets")
    parser.add_argument("--setting", choices=[RECOMMENDED, *SETTINGS], default=RECOMMENDED)
    parser.add_argument("--clauses", type=int, dest="n_clauses", help="of the recommended pipeline, as the next six")
    parser.add_argument("--max-misses", type=int)
    parser.add_argument("--max-included-literals", type=int)
    parser.add_argument("--hops", type=int)
    parser.add_argument("--min-graphs", type=int, help="number of training graphs that facts must hold in")
    parser.add_argument("--parts", nargs="*", help="kinds of parts of looks")
    parser.add_argument("--counts", nargs="+", type=int, help="counts of facts")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help=f"run only the first of {N_FOLDS} folds")
    parser.add_argument("--validate", action="store_true", help="score held-out training graphs, not test graphs")
    parser.add_argument("--engine", default="auto")
    parser.add_argument("--rules", action="store_true", help="print the rules of the first fold")
    parser.add_argument("--json", type=Path, help="where to write the results")
    options = parser.parse_args()

    results: list[dict[str, Any]] = []
    with tqdm(total=len(options.sets) * min(options.folds, N_FOLDS), unit="fold") as bar:
        for dataset in options.sets:
            graphs, y = load_graphs(dataset, options.data_home)
            if dataset == "Mutagenicity":
                graphs, y = chemical(graphs), np.array(CLASSES)[y]
            if options.setting != RECOMMENDED:
                graphs = with_degrees(graphs)
            for number in range(min(options.folds, N_FOLDS)):
                fold = fold_of(graphs, y, number, options.validate)
                model = model_for(fold.train, options, number)
                if number == 0:
                    tqdm.write(str(model))
                steps, short = shorten(model, fold)
                results.append({"set": dataset, "fold": number, "steps": steps})
                if options.rules and number == 0:
                    tqdm.write(str(short.rules().sort()))
                if options.json:
                    options.json.write_text(json.dumps(results, indent=1) + "\n")
                bar.update()
    print(table(results))


if __name__ == "__main__":
    main()
