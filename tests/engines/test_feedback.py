"""Every cell of the paper's Type I and Type II tables, as measured frequencies."""

import itertools

import numpy as np
import pytest

from graphtm import GraphBatch, codes
from graphtm.engines.random import mask_digits
from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.targets import value_targets
from graphtm.model import MachineParams, MachineState

H = 2000
T = 2**20
INCLUDED, EXCLUDED = 200, 50


def measured(feedback, clause_true, boost, s, updates=101):
    """Return, per (included, literal), how often an automaton moved up, not at all and down.

    The graph has one node with half of the symbols. A clause that is to be true includes true literals only; one
    that is to be false includes false ones as well. A weight of 4 makes every update certain.
    """
    bits = np.arange(H) % 2 == 0
    literals = np.concatenate([bits, ~bits])
    included = (np.arange(2 * H) % 4 < 2) & (literals | (not clause_true))
    params = MachineParams(n_outputs=1, n_clauses=1, hypervector_size=H, T=T, s=s, boost_true_positive=boost, seed=11)
    engine = ReferenceEngine()
    start = np.where(included, INCLUDED, EXCLUDED).astype(np.uint8)[None]
    engine.load(params, MachineState((start,), np.ones((1, 1), np.int32)))
    graphs = engine.prepare(codes.encode(GraphBatch.from_arrays([1], bits[None]), codes.one_hot(H)))
    targets = value_targets([T if feedback == "I" else -T], T, weights=[4.0])
    counts = {cell: np.zeros(3, int) for cell in itertools.product((True, False), repeat=2)}
    for step in range(updates):
        engine.load(params, MachineState((start,), np.ones((1, 1), np.int32), step))
        engine.fit(graphs, targets, np.zeros(1, np.int64))
        moved = engine.state().automata[0][0].astype(int) - start[0]
        for cell in counts:
            chosen = moved[(included == cell[0]) & (literals == cell[1])]
            counts[cell] += [np.sum(chosen == 1), np.sum(chosen == 0), np.sum(chosen == -1)]
        assert np.abs(moved).max() <= 1
    return counts


def expected(feedback, clause_true, included, literal, boost, r):
    """The probability of moving up; standing still; moving down: towards and away from inclusion.

    In the paper's words an included automaton that moves up, or an excluded one that moves down, is rewarded.
    """
    if feedback == "II":
        up = 1.0 if clause_true and not literal and not included else 0.0
        return up, 1 - up, 0.0
    if clause_true and literal:
        up = 1.0 if boost else 1 - r
        return up, 1 - up, 0.0
    return 0.0, 1 - r, r


@pytest.mark.parametrize("boost", [False, True])
@pytest.mark.parametrize("clause_true", [False, True])
@pytest.mark.parametrize("feedback", ["I", "II"])
@pytest.mark.parametrize("s", [3.0, 10.0])
def test_tables(feedback, clause_true, boost, s):
    k, n = mask_digits(s)
    counts = measured(feedback, clause_true, boost, s)
    for (included, literal), cell in counts.items():
        if clause_true and included and not literal:
            assert cell.sum() == 0  # NA in the paper: a true clause includes no false literal
            continue
        total = cell.sum()
        assert total >= 10**5
        for count, probability in zip(
            cell, expected(feedback, clause_true, included, literal, boost, k / 2**n), strict=True
        ):
            deviation = (total * probability * (1 - probability)) ** 0.5
            assert abs(count - total * probability) <= 5 * deviation, (included, literal, cell)


def test_mask_probability_is_near_one_over_s():
    for s in np.concatenate([np.linspace(0.2, 5, 200), np.geomspace(5, 10_000, 200)]):
        k, n = mask_digits(float(s))
        r = min(1.0, 1 / s)
        assert abs(k / 2**n - r) <= r / 128
        assert n == 0 or k % 2 == 1
        if n > 0:
            lower = 2 ** (n - 1)
            assert min(abs(np.floor(r * lower) / lower - r), abs(np.ceil(r * lower) / lower - r)) > r / 128


def weights_after(before, y):
    """Weights of two true clauses after one certain update; both clauses are empty."""
    params = MachineParams(n_outputs=1, n_clauses=2, hypervector_size=1, T=T)
    engine = ReferenceEngine()
    graphs = codes.encode(GraphBatch.from_arrays([1], [[1]]), codes.one_hot(1))
    engine.load(params, MachineState((np.full((2, 2), 127, np.uint8),), np.array([before], np.int32)))
    engine.fit(engine.prepare(graphs), value_targets([y], T, weights=[1e9]), np.zeros(1, np.int64))
    return engine.state().weights[0].tolist()


def test_weights_move_by_type_and_sign():
    assert weights_after([1, -1], T) == [2, 0]  # Type I for the first, Type II for the second
    assert weights_after([1, -1], -T) == [0, -2]
    assert weights_after([0, 0], T) == [1, 1]
    assert weights_after([0, 0], -T) == [-1, -1]


def test_weights_hold_at_their_ends():
    """Two clauses at opposite ends add up to 0, so that both are updated."""
    limit = 2**31 - 1
    assert weights_after([limit, -limit], T) == [limit, -limit + 1]
    assert weights_after([limit, -limit], -T) == [limit - 1, -limit]
