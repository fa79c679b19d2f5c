"""Exports of regressors: the same floats as ``predict``, bit for bit."""

import re

import counted
import numpy as np
import pytest
from export.compiled import Compiled, needs_cc, raw_graphs
from export.odd_machines import as_dicts
from export.test_json import document_of, sums_of
from export.test_python import module_of

import graphtm as gtm
from graphtm.export import c_header_text


@pytest.fixture(scope="module")
def graphs():
    return counted.words(40)[0]


@pytest.fixture(scope="module", params=["one", "graded", "several"])
def machine(request, graphs):
    """A machine whose numbers have no short binary form."""
    counts = counted.words(40)[1]
    y = {"one": counts[:, 0] / 3, "graded": counts[:, 1] * 1e-7 - 0.1, "several": counts * [np.pi, -1e9] + [0.7, 0.0]}
    grade = dict(max_misses=2) if request.param == "graded" else {}
    fitted = gtm.GraphTMRegressor(n_clauses=20, epochs=10, random_state=1, n_jobs=1, **grade)
    assert len(np.unique(fitted.fit(graphs, y[request.param]).predict(graphs))) > 5
    return fitted


def test_json(machine, graphs):
    document = document_of(machine)
    assert document["task"] == "regression"
    rows = []
    for graph in as_dicts(graphs):
        row = []
        for total, scale in zip(sums_of(document, graph), document["scale"], strict=True):
            row.append(min(max(scale["intercept"] + scale["value"] * total, scale["low"]), scale["high"]))
        rows.append(row)
    assert np.array_equal(np.squeeze(rows), machine.predict(graphs))


def test_python(machine, graphs):
    module = module_of(machine)
    assert module["predict_many"](as_dicts(graphs)) == machine.predict(graphs).tolist()
    assert module["TASK"] == "regression"


@needs_cc
@pytest.mark.parametrize("flags", [("-O0",), ("-O3", "-march=native", "-ffp-contract=fast")])
def test_c(machine, graphs, tmp_path, flags):
    """Also where the compiler may join a product and a sum into one operation that rounds once."""
    compiled = Compiled(tmp_path, {"machine": machine._program()}, *flags)
    errors, sums, predicted = compiled.run("machine", raw_graphs(graphs))
    assert not errors.any()
    assert np.array_equal(sums, machine.class_sums(graphs))
    assert np.array_equal(np.squeeze(predicted[:, 1:].copy().view(np.float64)), machine.predict(graphs))


def test_c_has_floats_for_regression_only(machine):
    code = c_header_text(machine._program(), "machine")
    assert "double numbers[machine_N_OUTPUTS];" in code
    assert "gtm_" not in re.sub(r"/\*.*?\*/", "", code, flags=re.DOTALL)


def test_a_logic_program_is_refused(machine, tmp_path):
    with pytest.raises(gtm.GraphTMError, match="A regressor cannot be a logic program, since clingo has no numbers"):
        machine.export(tmp_path / "machine.lp")
    assert list(tmp_path.iterdir()) == []
