"""Graphs as C source are read by exported headers as by the estimator."""

import subprocess
from functools import cache

import pytest
from explained import random_model
from export.compiled import build, needs_cc, needs_cxx
from export.odd_machines import machine_for
from fitted import estimator_of

import graphtm as gtm
from graphtm.errors import UnknownSymbolError
from graphtm.export import c_graphs_text, c_header_text

MAIN = r"""
#include <stdio.h>
#include "machine.h"
#include "graphs.h"
int main(void)
{
    static machine_word workspace[machine_WORKSPACE(machine_MOST_NODES)];
    for (int i = 0; i < machine_N_GRAPHS; i++)
        printf("%d\n", machine_predict(&machine_graphs[i], workspace, sizeof workspace));
    return 0;
}
"""


def predicted(estimator, graphs, folder, *flags, cxx=False):
    """Return the predictions for graphs in C source."""
    program = estimator._program()
    (folder / "machine.h").write_text(c_header_text(program, "machine"))
    (folder / "graphs.h").write_text(c_graphs_text(graphs, program, "machine"))
    source = "main.cpp" if cxx else "main.c"
    (folder / source).write_text(MAIN)
    build(folder, source, "-o", "main", *flags, cxx=cxx)
    lines = subprocess.run([folder / "main"], capture_output=True, text=True, check=True).stdout.split()
    return [program.outputs[int(line)] for line in lines]


@cache
def odd_graphs():
    """Machines of depth 1 and more, with and without node types and readout nodes."""
    models = [random_model(seed, max_misses=seed % 3) for seed in range(40)]
    return {
        (model.params.depth > 1, model.params.n_node_types > 1, graphs.pack().readout is not None): (model, graphs)
        for model, graphs in models
    }


@needs_cc
@pytest.mark.parametrize("kind", odd_graphs())
def test_all_kinds_of_graphs(kind, tmp_path):
    model, graphs = odd_graphs()[kind]
    graphs = gtm.GraphBatch.concatenate([graphs, graphs[::-1]])
    estimator = estimator_of(model)
    assert predicted(estimator, graphs, tmp_path, "-Dmachine_INDEX=uint16_t") == estimator.predict(graphs).tolist()


@needs_cxx
def test_as_cplusplus(tmp_path):
    model, graphs = random_model(3)
    estimator = estimator_of(model)
    assert predicted(estimator, graphs, tmp_path, cxx=True) == estimator.predict(graphs).tolist()


@needs_cc
def test_names_are_matched_and_unknown_ones_ignored_or_refused(tmp_path):
    def words(*texts):
        graphs = []
        for text in texts:
            graph = gtm.Graph()
            for place, letter in enumerate(text):
                graph.add_node(place, [letter])
            for place in range(len(text) - 1):
                graph.add_edge(place, place + 1, "next" if text[place] < "X" else "odd")
            graphs.append(graph)
        return gtm.GraphBatch.from_graphs(graphs)

    graphs = words("ZAB", "BXA", "AB", "BAC", "CAX")
    for seed in range(4):
        strict = estimator_of(machine_for(words("ABC"), seed))
        ignoring = estimator_of(strict.model_).set_params(unknown="ignore")
        with pytest.raises(UnknownSymbolError, match="'Z'"):
            c_graphs_text(graphs, strict._program(), "machine")
        with pytest.warns(UserWarning, match="ignored"):
            expected = ignoring.predict(graphs).tolist()
        assert predicted(ignoring, graphs, tmp_path) == expected


@needs_cc
def test_no_graphs(tmp_path):
    model, graphs = random_model(0)
    assert predicted(estimator_of(model), graphs[:0], tmp_path, "-Wno-type-limits") == []


def test_names_of_headers_are_checked():
    model, graphs = random_model(0)
    with pytest.raises(ValueError, match="must begin with a letter"):
        c_graphs_text(graphs, estimator_of(model)._program(), "a b")
