"""The CPU engine is the oracle, bit for bit, and catches Ctrl-C between examples."""

import numpy as np
import pytest
from hypothesis import given, settings
from machines import cases, run_engine

import graphtm as gtm
from graphtm.datasets import make_sequences
from graphtm.engines.cpu import CpuEngine, engine, kernels
from graphtm.engines.reference import ReferenceEngine
from graphtm.errors import EngineMismatchError
from graphtm.testing import check_engine


def test_parity_with_the_oracle():
    report = check_engine("cpu", cases=60)
    assert report.n_machines > 80


@pytest.mark.slow
def test_parity_with_the_oracle_on_many_machines():
    assert check_engine("cpu", cases=1000, first=10_000).n_machines > 1000


@settings(max_examples=150)
@given(cases())
def test_any_small_machine_is_the_oracles(case):
    state, *answers = run_engine(CpuEngine(), case)
    expected, *right_answers = run_engine(ReferenceEngine(), case)
    assert state.equals(expected)
    for got, right in zip(answers, right_answers, strict=True):
        assert np.array_equal(got, right)


@pytest.mark.parametrize(
    ("part", "wrong"),
    [
        ("_valid", lambda size: np.full((size + 63) // 64, ~np.uint64(0))),
        ("mask_digits", lambda s: (1, 1)),
        ("_PURPOSES", (1, 2, 3, 5)),
    ],
)
def test_a_planted_bug_is_caught(monkeypatch, part, wrong):
    monkeypatch.setattr(engine, part, wrong)
    with pytest.raises(EngineMismatchError, match=r"machine \d+"):
        check_engine("cpu", cases=60)


def test_an_interrupt_leaves_a_whole_machine(monkeypatch):
    """Learning goes in short runs; what has been learned up to the interrupt is what the oracle would have learned."""
    graphs, y = make_sequences(200, random_state=0)
    settings = dict(n_clauses=6, T=8, s=3.0, epochs=1, random_state=5, shuffle=False)
    whole, runs = kernels.fit, []

    def stopping(*arguments):
        runs.append(len(arguments[-2]))
        if len(runs) == 3:
            raise KeyboardInterrupt
        whole(*arguments)

    clf = gtm.GraphTMClassifier(**settings).fit(graphs[:1], y[:1])
    machine = CpuEngine()
    machine.load(clf.model_.params, clf.state_)
    prepared = machine.prepare(gtm.codes.encode(graphs, clf.model_.symbol_code))
    targets = gtm.engines.class_targets(np.zeros(200, int), clf.model_.params.n_outputs, 8)
    monkeypatch.setattr(kernels, "fit", stopping)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(prepared, targets, np.arange(200))
    monkeypatch.undo()
    learned = machine.state().step - clf.state_.step
    assert learned == sum(runs[:2]) > 0
    oracle = ReferenceEngine()
    oracle.load(clf.model_.params, clf.state_)
    oracle.fit(oracle.prepare(gtm.codes.encode(graphs, clf.model_.symbol_code)), targets, np.arange(learned))
    assert machine.state().equals(oracle.state())


def test_nothing_without_a_machine():
    with pytest.raises(gtm.GraphTMError, match="load one first"):
        CpuEngine().state()
