"""The standard Tsetlin machine of tmu on the rows of `amazon`, with the settings of the paper.

A row is a one-hot code of its customers, product and category. Needs ``pip install tmu "numpy<2"``. Appends results to
``results/baselines.jsonl``, from which ``python -m graphtm.experiments`` takes them::

    python benchmarks/baselines/amazon_tm.py --data DIR
    python benchmarks/baselines/amazon_tm.py --data DIR --variants "noise 0.2" --trial     # on training rows
"""

from __future__ import annotations

import argparse
import time
from importlib.metadata import version

import numpy as np
from sklearn.preprocessing import OneHotEncoder

from graphtm.experiments import experiment
from graphtm.experiments.amazon_rows import split_of
from graphtm.experiments.baselines import append_baseline, command_of
from graphtm.experiments.declaration import ACCURACY

LITERALS = 32


def main() -> None:
    """Train, test after each epoch, and append the result of the last epoch."""
    from tmu.models.classification.vanilla_classifier import TMClassifier

    amazon = experiment("amazon")
    paper = amazon.presets["paper"].machine
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", help="folder that holds amazon_sales/")
    parser.add_argument(
        "--variants",
        nargs="+",
        choices=amazon.variants,
        default=list(amazon.variants),
        metavar="NAME",
        help="default: all",
    )
    parser.add_argument("--epochs", type=int, default=paper["epochs"])
    parser.add_argument("--seed", type=int, default=1, help="above 0; with 0, tmu never ends")
    parser.add_argument("--trial", action="store_true", help="test on training rows; the result is not recorded")
    parser.add_argument("--output", default="results", help="folder of results")
    options = parser.parse_args()

    rows = amazon.load(options.data, False)
    for variant in options.variants:
        split = split_of(rows, {**amazon.presets["paper"].of(variant).task, "trial": options.trial})
        codes = OneHotEncoder(handle_unknown="ignore", sparse_output=False, dtype=np.uint32).fit(split.train)
        train, test = codes.transform(split.train), codes.transform(split.test)
        classes, y = np.unique(split.y, return_inverse=True)
        # Each class has so many clauses, as in the paper's published code; its platform CPU_sparse is slower here.
        model = TMClassifier(
            paper["n_clauses"],
            paper["T"],
            paper["s"],
            platform="CPU",
            max_included_literals=LITERALS,
            weighted_clauses=True,
            seed=options.seed,
        )
        accuracy = seconds = 0.0
        for epoch in range(1, options.epochs + 1):
            begun = time.process_time()
            model.fit(train, y.astype(np.uint32))
            seconds += time.process_time() - begun
            accuracy = float(np.mean(classes[model.predict(test)] == split.y_test))
            print(f"{variant}, epoch {epoch}/{options.epochs}: {100 * accuracy:.2f} %, {seconds:.1f} s", flush=True)
        if options.trial:
            continue
        append_baseline(
            options.output,
            experiment=amazon.name,
            variant=variant,
            system=f"standard TM, {paper['n_clauses']:,} clauses per class",
            version=f"tmu {version('tmu')}",
            seeds=[options.seed],
            scores={ACCURACY: [accuracy]},
            seconds=[seconds],
            result=f"the last of {options.epochs} epochs, processor time of one core",
            command=command_of("amazon_tm.py", {**vars(options), "variants": [variant]}),
        )


if __name__ == "__main__":
    main()
