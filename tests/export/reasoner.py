"""Running logic programs in clingo, and comparing what they say with an estimator."""

import numpy as np
import pytest

import graphtm as gtm
from graphtm.export import facts_text, logic_text
from graphtm.export.logic_terms import term


def answer_of(*texts):
    """Return the atoms of the only answer set, as symbols of clingo; any message of clingo is an error."""
    clingo = pytest.importorskip("clingo", reason="clingo is not installed")
    messages = []
    control = clingo.Control(["0"], logger=lambda code, message: messages.append(message))
    try:
        control.add("base", [], "\n".join(texts))
        control.ground([("base", [])])
    except RuntimeError as error:
        raise AssertionError(messages) from error
    answers = []
    with control.solve(yield_=True) as found:
        answers.extend(model.symbols(atoms=True) for model in found)
    assert messages == []
    assert len(answers) == 1
    return answers[0]


def named(atoms, name, n_arguments):
    """Return the arguments of the atoms of a predicate."""
    return [atom.arguments for atom in atoms if atom.match(name, n_arguments)]


def disagreements(estimator, graphs, program=None):
    """Return the graphs for which a logic program has other vote sums or predictions than the estimator."""
    machine = estimator._program()
    atoms = answer_of(logic_text(machine) if program is None else program, facts_text(graphs))
    outputs = {term(name): number for number, name in enumerate(machine.outputs)}
    sums = np.full((len(graphs), len(outputs)), np.iinfo(np.int64).min)
    for graph, output, total in named(atoms, "votes", 3):
        sums[graph.number, outputs[str(output)]] = total.number
    predicted = [set() for _ in graphs]
    for graph, output in named(atoms, "predict", 2):
        predicted[graph.number].add(str(output))
    wanted = estimator.predict(graphs)
    several = isinstance(estimator, gtm.GraphTMMultiLabelClassifier)
    wanted = [set(map(term, labels if several else [labels])) for labels in (wanted if several else wanted.tolist())]
    expected = estimator.class_sums(graphs)
    return [
        graph
        for graph in range(len(graphs))
        if predicted[graph] != wanted[graph] or sums[graph].tolist() != expected[graph].tolist()
    ]
