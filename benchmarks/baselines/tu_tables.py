"""Models of tables on the ten folds of the graph benchmarks, with graphs as counts.

``svm`` is a linear support vector machine on counts of node labels and of neighbourhoods up to three edges away, the
colours of Weisfeiler and Leman, scaled to unit length; the number of edges and C are chosen by cross-validation on the
training graphs of each fold. ``forest`` is scikit-learn's random forest on the facts that the clauses of the
recommended pipeline see. Appends results to ``results/baselines.jsonl``, from which ``python -m graphtm.experiments``
takes them::

    python benchmarks/baselines/tu_tables.py --data DIR --system svm
    python benchmarks/baselines/tu_tables.py --data DIR --system forest --sets MUTAG --trial    # on training data
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, Normalizer
from sklearn.svm import LinearSVC

from graphtm import GraphBatch, make_classifier
from graphtm.encoders import Neighbourhoods
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY
from graphtm.experiments.graph_benchmarks_data import N_FOLDS, SETS, fold_of, load_graphs, symbol_counts


def wl_and_svm(graphs: GraphBatch, seed: int) -> GridSearchCV:  # noqa: ARG001
    """Return a linear machine on Weisfeiler-Leman counts that chooses its parameters by cross-validation."""
    looks = Neighbourhoods(parts=False, min_graphs=1)
    model = make_pipeline(looks, FunctionTransformer(symbol_counts), Normalizer(), LinearSVC(max_iter=10_000))
    grid = {"neighbourhoods__hops": [1, 2, 3], "linearsvc__C": [0.1, 1.0, 10.0, 100.0]}
    return GridSearchCV(model, grid, cv=StratifiedKFold(3, shuffle=True, random_state=0), error_score="raise")


def facts_and_forest(graphs: GraphBatch, seed: int) -> Pipeline:
    """Return a random forest on what the machine of the recommended pipeline sees."""
    *encoders, _ = make_classifier(graphs)
    return make_pipeline(*encoders, FunctionTransformer(symbol_counts), RandomForestClassifier(random_state=seed))


SYSTEMS: dict[str, tuple[str, str, Callable[[GraphBatch, int], Any]]] = {
    "svm": ("linear SVM on WL counts", "hops and C by cross-validation, which is a part of the time", wl_and_svm),
    "forest": ("random forest on the facts of the recommended pipeline", "100 trees", facts_and_forest),
}


def main() -> None:
    """Fit a model to each fold of each set, and append the accuracies on the test graphs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder of the TU datasets, or one that holds tu/")
    parser.add_argument("--system", choices=list(SYSTEMS), required=True)
    parser.add_argument("--sets", nargs="+", default=list(SETS), help="names of TU datasets; default: all seven")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="run the first of ten folds; fewer are not recorded")
    parser.add_argument("--trial", action="store_true", help="test on training graphs; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()
    system, result, model_of = SYSTEMS[options.system]
    for name in options.sets:
        graphs, y = load_graphs(name, options.data)
        scores, seconds = [], []
        for number in range(options.folds):
            fold = fold_of(graphs, y, number, options.trial)
            start = time.process_time()
            model = model_of(fold.train, number).fit(fold.train, fold.y)
            seconds.append(time.process_time() - start)
            scores.append(float(model.score(fold.test, fold.y_test)))
            print(f"{name}, fold {number}: {100 * scores[-1]:.2f} %, {seconds[-1]:.1f} s", flush=True)
        if options.trial or options.folds < N_FOLDS:
            continue
        append_baseline(
            options.output,
            experiment="graph_benchmarks",
            variant=name,
            system=system,
            version=f"scikit-learn {version('scikit-learn')}",
            seeds=range(N_FOLDS),
            scores={ACCURACY: scores},
            seconds=seconds,
            result=f"{result}; processor time",
            command=command_of("tu_tables.py", {**vars(options), "sets": [name]}),
        )


if __name__ == "__main__":
    main()
