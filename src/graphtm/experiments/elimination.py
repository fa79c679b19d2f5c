"""The paper's first figure: parity of two of ten values by elimination, and the clauses that it takes at each depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphtm.datasets import multivalue_xor
from graphtm.experiments.declaration import Experiment, Preset, Reported
from graphtm.experiments.multivalue_xor import TEST_SEED
from graphtm.experiments.pictures import clause_curves
from graphtm.experiments.records import Record
from graphtm.experiments.running import Run

CLAUSES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
DEPTHS = (1, 2)
SHOWN = "depth 2, 4 clauses"


def name_of(depth: int, n_clauses: int) -> str:
    """Return the name of a variant."""
    return f"depth {depth}, {n_clauses} clause{'s' if n_clauses > 1 else ''}"


GRID = {name_of(depth, clauses): (depth, clauses) for depth in DEPTHS for clauses in CLAUSES}

# The figure is a drawing; the settings are those of the larger task, with a bit for each symbol and message.
PAPER = Preset(
    machine=dict(s=2.2, epochs=30),
    task=dict(n_values=10, noise=0.01, n_train=5000, n_test=2000),
    variants={name: dict(depth=depth, n_clauses=n, T=10 * n) for name, (depth, n) in GRID.items()},
    quick=dict(n_train=500, n_test=200, epochs=3),
)


def run(run: Run) -> None:
    """Train with more and more clauses, and print those of a small machine."""
    for variant in run.variants:
        task = run.task(variant)
        n_values = task["n_values"]
        test = multivalue_xor(task["n_test"], n_values=n_values, random_state=TEST_SEED)
        for seed in run.seeds:
            train = multivalue_xor(task["n_train"], n_values=n_values, noise=task["noise"], random_state=seed)
            classifier = run.fit((train.graphs, train.y), (test.graphs, test.y), seed=seed, variant=variant)
            if variant == SHOWN and seed == run.seeds[0]:
                run.show(f"Clauses of {variant}: even and odd values are found by elimination.\n{classifier.rules()}")


def draw(records: Sequence[Record]) -> Mapping[str, Any]:
    """Draw a curve for each depth."""
    curves = {f"depth {depth}": {n: name_of(depth, n) for n in CLAUSES} for depth in DEPTHS}
    return {"clauses": clause_curves(EXPERIMENT, records, curves)}


EXPERIMENT = Experiment(
    name="elimination",
    title="Parity of the sum of two of ten values, by elimination",
    section="Introduction (first figure)",
    reported=[Reported(variant=variant) for variant in GRID],
    presets={"paper": PAPER, "best": PAPER},
    run=run,
    seeds=5,
    standard_error=True,
    note="The paper's figure is a drawing without numbers. `graphtm reproduce multivalue_xor --values 10` runs this.",
    draw=draw,
)
