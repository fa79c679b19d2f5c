"""The paper's first figure: parity of two of ten values by elimination, and the clauses that it takes at each depth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from graphtm.experiments.declaration import Experiment, Preset, Reported
from graphtm.experiments.multivalue_xor import train_and_test
from graphtm.experiments.pictures import clause_curves
from graphtm.experiments.records import Record

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
    run=partial(train_and_test, shown=SHOWN),
    seeds=5,
    standard_error=True,
    note="Elimination needs messages, and then few clauses: with depth 2, every run reaches 100 % from 4 clauses on; "
    "with depth 1, none does, even with 256. The paper's figure is a drawing without numbers. `graphtm reproduce "
    "multivalue_xor --values 10` runs this.",
    draw=draw,
)
