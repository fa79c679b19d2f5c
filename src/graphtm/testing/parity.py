"""Any engine against the oracle: over random machines and whole epochs, 0 differing bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines import Engine, initial_state, make_engine
from graphtm.engines.random import epoch_order
from graphtm.engines.reference import ReferenceEngine
from graphtm.errors import EngineMismatchError
from graphtm.testing.machines import MachineCase, random_case


@dataclass
class ParityReport:
    """How much was compared without a difference."""

    n_machines: int = 0
    n_examples: int = 0
    n_bits: int = 0

    def __str__(self) -> str:
        return (
            f"{self.n_machines:,} machines, {self.n_examples:,} training examples, {self.n_bits:,} bits compared: "
            "no difference"
        )


def check_engine(
    engine: str | Callable[[], Engine],
    cases: int = 100,
    first: int = 0,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> ParityReport:
    """Compare an engine with the oracle on random machines.

    Each machine is trained for whole epochs. The engine gets every epoch in two runs, split at random, and in the
    middle of training its state moves to a new engine: neither may make a difference.

    Parameters
    ----------
    engine
        The name of an engine, or a function that makes one.
    cases
        How many machines.
    first
        Number of the first one; a failing machine is found again by its number.
    progress
        Wrapped around the numbers of the machines, for a progress bar.

    Raises
    ------
    EngineMismatchError
        At the first difference; the message says in which machine, array and place.

    Examples
    --------
    >>> print(check_engine("reference", cases=3))
    3 machines, ... training examples, ... bits compared: no difference
    """
    make = (lambda: make_engine(engine)) if isinstance(engine, str) else engine
    report = ParityReport()
    for number in progress(range(first, first + cases)):
        _check_case(make, random_case(number), report)
        report.n_machines += 1
    return report


def _check_case(make: Callable[[], Engine], case: MachineCase, report: ParityReport) -> None:
    oracle, engine = ReferenceEngine(), make()
    rng = np.random.default_rng(case.seed)
    start = initial_state(case.params)
    oracle.load(case.params, start)
    engine.load(case.params, start)
    expected_graphs, graphs = oracle.prepare(case.graphs), engine.prepare(case.graphs)
    n = case.graphs.n_graphs
    for epoch in range(case.epochs):
        order = epoch_order(case.params.seed, epoch, n)
        oracle.fit(expected_graphs, case.targets, order)
        split = int(rng.integers(0, n + 1))
        engine.fit(graphs, case.targets, order[:split])
        if epoch == case.epochs // 2:
            moved = engine.state()
            engine = make()
            engine.load(case.params, moved)
            graphs = engine.prepare(case.graphs)
        engine.fit(graphs, case.targets, order[split:])
        report.n_examples += n
        _compare_states(oracle, engine, f"machine {case.seed}, after epoch {epoch}", report)
    where = f"machine {case.seed}, trained"
    for what in ("class_sums", "clause_outputs", "node_outputs"):
        expected, got = getattr(oracle, what)(expected_graphs), getattr(engine, what)(graphs)
        _compare(expected, got, f"{where}: {what}", 64 if what == "class_sums" else 1, report)


def _compare_states(oracle: Engine, engine: Engine, where: str, report: ParityReport) -> None:
    expected, got = oracle.state(), engine.state()
    if got.step != expected.step:
        raise EngineMismatchError(f"{where}: the step must be {expected.step}; the engine has {got.step}.")
    for layer, (mine, theirs) in enumerate(zip(expected.automata, got.automata, strict=True)):
        _compare(mine, theirs, f"{where}: automata of layer {layer}", 8, report)
    _compare(expected.weights, got.weights, f"{where}: weights", 32, report)


def _compare(expected: NDArray[Any], got: NDArray[Any], where: str, bits: int, report: ParityReport) -> None:
    if got.shape != expected.shape or got.dtype != expected.dtype:
        raise EngineMismatchError(
            f"{where} must be {expected.dtype} of shape {expected.shape}; the engine gives {got.dtype} of {got.shape}."
        )
    if not np.array_equal(expected, got):
        places = np.argwhere(expected != got)
        first = tuple(places[0].tolist())
        raise EngineMismatchError(
            f"{where} differ from the oracle in {len(places):,} of {expected.size:,} places; at {first} there must be "
            f"{expected[first]}, the engine has {got[first]}."
        )
    report.n_bits += expected.size * bits
