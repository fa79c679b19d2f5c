"""Comparison of engines with the oracle, bit for bit, on random machines and whole epochs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines import Engine, make_engine
from graphtm.engines.random import epoch_order
from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.registry import engine_kind
from graphtm.errors import EngineMismatchError
from graphtm.model import MachineState
from graphtm.testing.machines import MachineCase, random_case, wide_cases
from graphtm.testing.variants import engine_variants


@dataclass
class ParityReport:
    """Amount of data compared without a difference."""

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
    *,
    wide: bool = True,
    progress: Callable[[Iterable[MachineCase]], Iterable[MachineCase]] = iter,
) -> ParityReport:
    """Compare an engine with the oracle on random machines.

    Each machine starts new or in an extreme state and is trained for whole epochs. Each epoch is split at random into
    two runs, with predictions between epochs. Half-way, the state moves to another engine object that has held another
    machine; if the engine has a ``detour``, that one learns from some examples in between. The last epoch repeats
    examples. None of this may change the results, and no array that is passed in or returned may change later.

    Parameters
    ----------
    engine
        Name of an engine, all variants of which are compared in turn; or a function that returns an engine.
    cases
        Number of random machines.
    first
        Number of the first machine, to repeat a failure.
    wide
        Whether to add two dozen fixed machines that are each large in one dimension.
    progress
        Function that wraps the iterable of machines, for a progress bar.

    Raises
    ------
    EngineMismatchError
        At the first difference; the message names the machine, the array and the position.

    Examples
    --------
    >>> print(check_engine("reference", cases=3, wide=False))
    3 machines, ... training examples, ... bits compared: no difference
    """
    variants = engine_variants(engine) if isinstance(engine, str) else [engine]
    detour = engine_kind(engine).detour if isinstance(engine, str) else None
    by_way_of = None if detour is None else make_engine(detour)
    report = ParityReport()
    used = [make() for make in variants]
    for number, case in enumerate(
        progress(chain(map(random_case, range(first, first + cases)), wide_cases() if wide else ()))
    ):
        try:
            # Another variant continues; over the machines, all pairs of variants occur.
            later = (number + 1 + number // len(variants)) % len(variants)
            _check_case(variants[number % len(variants)](), used[later], case, report, by_way_of)
        except EngineMismatchError:
            raise
        except Exception as error:
            raise EngineMismatchError(f"{case.name}: the engine failed with {error!r}.") from error
        report.n_machines += 1
    return report


def _check_case(
    engine: Engine, used: Engine, case: MachineCase, report: ParityReport, by_way_of: Engine | None = None
) -> None:
    """Train a machine on the oracle and on ``engine``, then on ``used``, which may have held another machine."""
    oracle = ReferenceEngine()
    rng = np.random.default_rng(case.seed)
    start = case.start.copy()
    oracle.load(case.params, case.start)
    engine.load(case.params, start)
    expected_graphs, graphs = oracle.prepare(case.graphs), engine.prepare(case.graphs)
    n = case.graphs.n_graphs
    for epoch in range(case.epochs):
        given = engine.state()
        kept = given.copy()
        order = epoch_order(case.params.seed, epoch, n)
        if epoch == case.epochs - 1:
            order = np.concatenate([order, order[: n // 2]])
        oracle.fit(expected_graphs, case.targets, order)
        split = int(rng.integers(0, n + 1))
        engine.fit(graphs, case.targets, order[:split])
        _compare_own(kept, given, f"{case.name}: a state returned by an engine must not change")
        if epoch == case.epochs // 2:
            if by_way_of is not None:
                until = int(rng.integers(split, n + 1))
                by_way_of.load(case.params, engine.state())
                by_way_of.fit(by_way_of.prepare(case.graphs), case.targets, order[split:until])
                engine, split = by_way_of, until
            used.load(case.params, engine.state())
            engine, graphs = used, used.prepare(case.graphs)
        engine.fit(graphs, case.targets, order[split:])
        report.n_examples += len(order)
        where = f"{case.name}, after epoch {epoch}"
        _compare_states(oracle, engine, where, report)
        per_output = 1 if case.params.max_misses == 0 else 8
        for what, bits in (("class_sums", 64), ("clause_outputs", per_output), ("node_outputs", per_output)):
            expected, got = getattr(oracle, what)(expected_graphs), getattr(engine, what)(graphs)
            _compare(expected, got, f"{where}: {what}", bits, report)
        _compare_states(oracle, engine, f"{where} and predicting", report)
    _compare_own(case.start, start, f"{case.name}: a state passed to an engine must not change")


def _compare_own(before: MachineState, after: MachineState, rule: str) -> None:
    if not after.equals(before):
        raise EngineMismatchError(f"{rule}; it did.")


def _compare_states(oracle: Engine, engine: Engine, where: str, report: ParityReport) -> None:
    expected, got = oracle.state(), engine.state()
    if got.step != expected.step:
        raise EngineMismatchError(f"{where}: the step must be {expected.step}; the engine has {got.step}.")
    if len(got.automata) != len(expected.automata):
        raise EngineMismatchError(f"{where}: there must be {len(expected.automata)} layers; got {len(got.automata)}.")
    for layer, (mine, theirs) in enumerate(zip(expected.automata, got.automata, strict=True)):
        _compare(mine, theirs, f"{where}: automata of layer {layer}", 8, report)
    _compare(expected.weights, got.weights, f"{where}: weights", 32, report)


def _compare(expected: NDArray[Any], got: NDArray[Any], where: str, bits: int, report: ParityReport) -> None:
    if got.shape != expected.shape or got.dtype != expected.dtype:
        raise EngineMismatchError(
            f"{where} must be {expected.dtype} of shape {expected.shape}; the engine has {got.dtype} of {got.shape}."
        )
    if not np.array_equal(expected, got):
        places = np.argwhere(expected != got)
        first = tuple(places[0].tolist())
        raise EngineMismatchError(
            f"{where} differ from the oracle in {len(places):,} of {expected.size:,} values; at {first} the oracle has "
            f"{expected[first]}, the engine {got[first]}."
        )
    report.n_bits += expected.size * bits
