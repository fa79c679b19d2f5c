"""Exported C headers predict as the estimator does, on every graph, and can do no harm."""

import re

import numpy as np
import pytest
from explained import random_model
from export.compiled import Compiled, needs_cc, needs_cxx, raw_graphs
from export.trained import QUICK, trained
from fitted import estimator_of, model_of
from hypothesis import given
from hypothesis import strategies as st
from machines import cases

import graphtm as gtm
from graphtm.export.c_header import prefixed
from graphtm.testing.machines import random_case, wide_cases

pytestmark = needs_cc
WORDS = ["uint32_t", "uint8_t", "uint16_t", "uint64_t"]
GRADES = [0, 0, 1, 2, 5, 254]
SANITIZERS = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
MULTILABEL = gtm.GraphTMMultiLabelClassifier


def some_machines(seeds):
    """Return estimators and graphs: half have clauses that are true, half are odd in other ways."""
    machines = {}
    for seed in seeds:
        kind = MULTILABEL if seed % 4 == 3 else gtm.GraphTMClassifier
        case = random_case(seed)
        machines[f"odd_{seed}"] = estimator_of(case.model, kind), case.batch
        model, graphs = random_model(seed, GRADES[seed % len(GRADES)])
        machines[f"true_{seed}"] = estimator_of(model, kind), graphs
    return machines


def programs_of(machines):
    return {name: estimator._program() for name, (estimator, _) in machines.items()}


def disagreements(compiled, machines, seed=0):
    """Return the names of the machines whose header says something else than the estimator."""
    rng = np.random.default_rng(seed)
    different = []
    for name, (estimator, graphs) in machines.items():
        errors, sums, predicted = compiled.run(name, raw_graphs(graphs, rng))
        expected = estimator.class_sums(graphs)
        if compiled.programs[name].task == "multilabel":
            labels = expected >= 0
            same = np.array_equal(predicted, np.column_stack([labels.sum(axis=1), labels]))
        else:
            classes = [compiled.programs[name].outputs[number] for number in predicted[:, 0]]
            same = classes == estimator.predict(graphs).tolist()
        if errors.any() or not same or not np.array_equal(sums, expected):
            different.append(name)
    return different


@pytest.fixture(scope="module")
def machines():
    return some_machines(range(8))


def mixed_types(machines):
    """Return flags that give the machines words and indices of several sizes."""
    words = [f"-D{name}_WORD={WORDS[number // 2 % 4]}" for number, name in enumerate(machines)]
    return [*words, *(f"-D{name}_INDEX=uint16_t" for name in list(machines)[::3])]


@pytest.fixture(scope="module")
def compiled(machines, tmp_path_factory):
    return Compiled(tmp_path_factory.mktemp("machines"), programs_of(machines), "-O0", *mixed_types(machines))


def test_random_machines(compiled, machines):
    assert disagreements(compiled, machines) == []


@needs_cxx
def test_as_cplusplus(machines, tmp_path):
    few = dict(list(machines.items())[-4:])
    assert disagreements(Compiled(tmp_path, programs_of(few), cxx=True), few) == []


@pytest.mark.slow
@pytest.mark.parametrize("first", [8, 28, 48, 68])
def test_many_random_machines_without_access_beyond_arrays(first, tmp_path):
    machines = some_machines(range(first, first + 20))
    flags = [*SANITIZERS, *mixed_types(machines)]
    assert disagreements(Compiled(tmp_path, programs_of(machines), *flags), machines) == []


@pytest.mark.slow
def test_wide_machines(tmp_path):
    machines = {
        f"wide_{n}": (estimator_of(case.model, engine="cpu"), case.batch) for n, case in enumerate(wide_cases())
    }
    assert disagreements(Compiled(tmp_path, programs_of(machines), "-O1"), machines) == []


@pytest.mark.slow
@given(st.lists(cases(), min_size=10, max_size=10))
def test_small_machines(tmp_path_factory, drawn):
    machines = {}
    for number, case in enumerate(drawn):
        model, graphs = model_of(case)
        machines[f"small_{number}"] = estimator_of(model, [gtm.GraphTMClassifier, MULTILABEL][number % 2]), graphs
    assert disagreements(Compiled(tmp_path_factory.mktemp("small"), programs_of(machines)), machines) == []


@pytest.mark.parametrize("name", QUICK)
def test_trained_machines(name, tmp_path):
    machines = {f"{name}_{int(graded)}": trained(name, graded) for graded in (False, True)}
    assert disagreements(Compiled(tmp_path, programs_of(machines)), machines) == []


def test_two_thousand_digits(tmp_path):
    machines = {f"digits_{int(graded)}": trained("digits", graded) for graded in (False, True)}
    assert all(len(graphs) == 2000 for _, graphs in machines.values())
    assert disagreements(Compiled(tmp_path, programs_of(machines)), machines) == []


# Planted bugs are found

BUGS = {
    "no shift by the edge type": ("code[k] + shift", "code[k] + 0 * shift"),
    "shifts that end at the last bit": ("bit - gtm_MESSAGE_SIZE", "gtm_MESSAGE_SIZE - 1"),
    "only the first bit of a clause": ("k < gtm_CLAUSE_BITS", "k < 1"),
    "only the first bit of a symbol": ("k < (symbol + 1) * gtm_SYMBOL_BITS", "k < symbol * gtm_SYMBOL_BITS + 1"),
    "messages in spite of misses": ("gtm_START >> p & 1 ? state[1 + p] : ~state[1 + p]", "~(gtm_word)0"),
    "messages of the wrong nodes": ("memory->sent + graph->source[e]", "memory->sent + graph->destination[e]"),
    "edges that are never seen again": ("memory->ascend = 0", "memory->ascend = 1"),
    "no literals that must be 0": ("(state[0] & bits[*literal])", "(0 & bits[*literal])"),
    "a miss too few": ("#define gtm_START ", "#define gtm_START 1 + "),
    "misses that are not carried": ("nodes = carry", "nodes = 0"),
    "the first strength, not the largest": ("memory->strengths[j] > gtm_MAX_MISSES", "memory->strengths[j] > 0"),
    "all nodes answer": ("? graph->readout : NULL", "? NULL : NULL"),
    "only readout nodes send": ("? graph->readout : NULL", "? graph->readout : graph->readout"),
    "every clause for every node type": ("state[0] &= memory->types", "state[0] |= memory->types"),
    "the last of equal sums": ("sum > largest", "sum >= largest"),
    "labels above 0 only": ("strengths, i) >= 0", "strengths, i) > 0"),
}


def assert_found(bug, machines, folder):
    old, new = BUGS[bug]
    n_changed = 0

    def change(text):
        nonlocal n_changed
        name = re.search(r"ifndef (\w+)_HEADER", text)[1]
        n_changed += prefixed(old, name) in text  # what predicts differs between tasks
        return text.replace(prefixed(old, name), prefixed(new, name))

    assert disagreements(Compiled(folder, programs_of(machines), "-O0", "-Wno-error", change=change), machines) != []
    assert n_changed > 0


def test_a_planted_bug_is_found(machines, tmp_path):
    assert_found("no shift by the edge type", dict(list(machines.items())[:6]), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("bug", BUGS)
def test_planted_bugs_are_found(bug, machines, tmp_path):
    assert_found(bug, machines, tmp_path)
