"""Classify the graphs of TU datasets with the recommended pipeline, all defaults, beside three others, over ten folds.

    python benchmarks/tu_defaults.py --data-home DIR [--sets NCI109 MUTAG ...] [--method recommended ...] [--json OUT]

DIR is a folder of TU datasets, zip files such as ``NCI109.zip`` or folders; by default, that of the environment
variable ``GRAPHTM_DATA``. ``--sets`` takes the names of any; the default is all zip files in DIR. Numeric attributes
are not used. Folds are those of ``StratifiedKFold(10, shuffle=True, random_state=0)``. Sets of fewer than 1,000
graphs are run with five seeds on each fold. The machines count with their last epoch. The methods are:

- recommended: ``make_classifier(graphs)``, fitted to the training graphs. No parameter is given but the seed;
- WL and linear SVM: counts of node labels and of neighbourhoods up to three edges away (colours of Weisfeiler and
  Leman), scaled to unit length; the number of edges and C are chosen by cross-validation on the training graphs;
- facts and forest: scikit-learn's random forest on the facts that the clauses of the recommended pipeline see;
- plain: ``GraphTMClassifier()`` on the graphs as they are.

Prints the accuracy on the test graphs in percent as a Markdown table, with the standard deviation over folds and seeds,
and seconds for fitting with encoding; OUT is rewritten after each fold. ``--validate`` holds out a tenth of the
training graphs and scores these instead of the test graphs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer
from sklearn.svm import LinearSVC
from symbol_counts import symbol_counts
from tqdm.auto import tqdm
from tu_graded import N_FOLDS, find_sets, load, splits

from graphtm import GraphBatch, GraphTMClassifier, make_classifier
from graphtm.encoders import Neighbourhoods

FEW_GRAPHS, SEEDS = 1000, 5
BARS = {
    "NCI109": 82, "Mutagenicity": 80, "DHFR": 82, "COX2": 80, "AIDS": 99, "PTC_FM": 61, "IMDB-MULTI": 47
}  # fmt: skip
"""What the recommended pipeline must reach, in percent."""


def wl_and_svm(graphs: GraphBatch, seed: int) -> GridSearchCV:  # noqa: ARG001
    """Return a linear model of Weisfeiler-Leman counts that chooses its parameters by cross-validation."""
    looks = Neighbourhoods(parts=False, min_graphs=1)
    model = make_pipeline(looks, FunctionTransformer(symbol_counts), Normalizer(), LinearSVC(max_iter=10_000))
    grid = {"neighbourhoods__hops": [1, 2, 3], "linearsvc__C": [0.1, 1.0, 10.0, 100.0]}
    return GridSearchCV(model, grid, cv=StratifiedKFold(3, shuffle=True, random_state=0), error_score="raise")


def facts_and_forest(graphs: GraphBatch, seed: int) -> Pipeline:
    """Return a random forest on what the machine of the recommended pipeline sees."""
    *encoders, _ = make_classifier(graphs)
    forest = RandomForestClassifier(random_state=seed, n_jobs=-1)
    return make_pipeline(*encoders, FunctionTransformer(symbol_counts), forest)


METHODS: dict[str, Callable[[GraphBatch, int], Any]] = {
    "recommended": lambda graphs, seed: make_classifier(graphs, random_state=seed),
    "WL and linear SVM": wl_and_svm,
    "facts and forest": facts_and_forest,
    "plain": lambda graphs, seed: GraphTMClassifier(random_state=seed),  # noqa: ARG005
}
SEEDLESS = ("WL and linear SVM",)


def learn(model: Any, graphs: GraphBatch, y: NDArray[Any], train: Any, test: Any) -> dict[str, float]:
    """Fit a model to one fold; return its accuracy on both parts and the seconds for fitting."""
    known, start = graphs[train], time.perf_counter()
    model.fit(known, y[train])
    seconds = time.perf_counter() - start
    return {
        "accuracy": float(model.score(graphs[test], y[test])),
        "train_accuracy": float(model.score(known, y[train])),
        "seconds": seconds,
    }


def table(results: list[dict[str, Any]]) -> str:
    """Return the means over folds and seeds as a Markdown table, with a row per set."""
    names = list(dict.fromkeys(result["method"] for result in results))
    heads = ["set", "graphs", "largest class", "bar", *(f"{name} | s" for name in names)]
    lines = [f"| {' | '.join(heads)} |", "|---" * (4 + 2 * len(names)) + "|"]
    for dataset in dict.fromkeys(result["set"] for result in results):
        own = [result for result in results if result["set"] == dataset]
        cells = [dataset, f"{own[0]['graphs']:,}", f"{own[0]['largest_class']:.1f}", f"{BARS.get(dataset, '')}"]
        for name in names:
            runs = [result for result in own if result["method"] == name]
            accuracy = 100 * np.array([run["accuracy"] for run in runs])
            seconds = np.array([run["seconds"] for run in runs])
            cells += [f"{accuracy.mean():.1f} ± {accuracy.std():.1f}", f"{seconds.mean():.1f}"] if runs else ["", ""]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-home", type=Path, help="folder of the TU datasets; default: GRAPHTM_DATA")
    parser.add_argument("--sets", nargs="+", help="names of the sets; default: all zip files in the folder")
    parser.add_argument("--method", nargs="+", choices=list(METHODS), default=list(METHODS), help="default: all")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help=f"run only the first of {N_FOLDS} folds")
    parser.add_argument("--seeds", type=int, default=SEEDS, help=f"seeds for sets of fewer than {FEW_GRAPHS:,} graphs")
    parser.add_argument("--validate", action="store_true", help="score held-out training graphs, not test graphs")
    parser.add_argument("--json", type=Path, help="where to write the results")
    options = parser.parse_args()

    home, sets = find_sets(parser, options)
    results: list[dict[str, Any]] = []
    with tqdm(total=len(sets) * min(options.folds, N_FOLDS), unit="fold") as bar:
        for dataset in sets:
            graphs, y = load(dataset, home)
            seeds = options.seeds if len(graphs) < FEW_GRAPHS else 1
            about = {
                "set": dataset,
                "graphs": len(graphs),
                "largest_class": 100 * float(np.unique(y, return_counts=True)[1].max() / len(y)),
            }
            for fold, (train, test) in enumerate(splits(y, options.folds, options.validate)):
                for method in options.method:
                    runs = []
                    for seed in range(1 if method in SEEDLESS else seeds):
                        bar.set_description(f"{dataset}, {method}, fold {fold}, seed {seed}")
                        run = learn(METHODS[method](graphs[train], fold + N_FOLDS * seed), graphs, y, train, test)
                        runs.append({**about, "method": method, "fold": fold, "seed": seed, **run})
                    results += runs
                    right, known, seconds = (
                        np.mean([run[what] for run in runs]) for what in ("accuracy", "train_accuracy", "seconds")
                    )
                    tqdm.write(
                        f"{dataset}, {method}, fold {fold}: {100 * right:.1f} %, on the training graphs "
                        f"{100 * known:.1f} %, {seconds:.1f} s"
                    )
                if options.json:
                    options.json.write_text(json.dumps(results, indent=1) + "\n")
                bar.update()
    print(table(results))


if __name__ == "__main__":
    main()
