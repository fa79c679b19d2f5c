"""The paper's worked examples, to the bit."""

import numpy as np
import pytest
from sequences import hand_made, true_nodes, votes, word_batch

from graphtm import Graph, GraphBatch, Vocabulary, codes
from graphtm.engines.reference import ReferenceEngine
from graphtm.engines.trace import trace_graph
from graphtm.model import MachineParams, MachineState


def text(row):
    """A row of literals as the paper prints it."""
    half = len(row) // 2
    return " ".join("".join("01"[int(bit)] for bit in part) for part in (row[:half], row[half:]))


def appendix_machine(depth=2):
    """One clause, A at layer 0 and l1:0 AND r1:0 at layer 1; I_sb = [0, 1], I_cl = [4, 5], sizes 8."""
    code = codes.Code("random", 8, np.array([[4, 5]], dtype=np.int32))
    params = MachineParams(n_outputs=1, n_clauses=1, hypervector_size=8, message_code=code, depth=depth)
    automata = [np.full((1, 16), 127, np.uint8) for _ in range(depth)]
    automata[0][0, [0, 1]] = 128
    automata[1][0, [4, 5, 6]] = 128
    engine = ReferenceEngine()
    engine.load(params, MachineState(tuple(automata), np.ones((1, 1), np.int32)))
    return engine


SYMBOL_CODE = codes.Code("random", 8, np.array([[0, 1]], dtype=np.int32))


def test_hypervectors_of_baaae():
    """Table "Hypervectors in a two-layer GraphTM", both layers."""
    engine = appendix_machine()
    graphs = codes.encode(word_batch(["BAAAE"], ["A"]), SYMBOL_CODE)
    evaluation, trace = engine._evaluate(graphs, 0), trace_graph(engine._params, engine.state(), graphs)
    nothing, letter = "00000000 11111111", "11000000 00111111"
    assert [text(row) for row in evaluation.literals[0]] == [nothing, letter, letter, letter, nothing]
    assert trace.truth[0][0].tolist() == [False, True, True, True, False]
    assert [text(row) for row in evaluation.literals[1]] == [
        "00000110 11111001",
        "00000110 11111001",
        "00001110 11110001",
        "00001100 11110011",
        "00001100 11110011",
    ]
    assert trace.truth[1][0].tolist() == [False, False, True, False, False]
    assert engine.node_outputs(graphs)[:, 0].tolist() == [False, False, True, False, False]


def test_message_update_step_by_step():
    """Algorithm 2 at X_2: bits [4, 5] from the left neighbour, then [5, 6] from the right one."""
    engine = appendix_machine()
    inboxes = []
    for edges in ([(1, 2, "right")], [(1, 2, "right"), (3, 2, "left")]):
        graph = Graph()
        for place, letter in enumerate("BAAAE"):
            graph.add_node(place, ["A"] if letter == "A" else [])
        for edge in edges:
            graph.add_edge(*edge)
        batch = GraphBatch.from_graphs([graph], Vocabulary(["A"], ["right", "left"]))
        inboxes.append(engine._evaluate(codes.encode(batch, SYMBOL_CODE), 0).literals[1][2])
    assert text(inboxes[0]) == "00001100 11110011"
    assert text(inboxes[1]) == "00001110 11110001"
    assert np.flatnonzero(inboxes[0][:8]).tolist() == [4, 5]
    assert set(np.flatnonzero(inboxes[1][:8]).tolist()) == {4, 5} | {5, 6}


@pytest.fixture
def three_as():
    """The four clauses of the sequence experiment."""
    return hand_made(
        [
            ["NOT A", "r1:0", "r1:1"],
            ["l1:0", "l1:1", "l1:3", "NOT r1:0"],
            ["A", "r1:2", "r1:3", "NOT r1:0", "NOT l1:0"],
            ["A", "l1:2", "l1:3", "NOT r1:0", "NOT l1:0", "NOT r1:1", "NOT r1:2"],
        ],
        [[3, -3], [3, -2], [-5, 6], [-2, 2]],
        depth=2,
    )


def test_sequence_experiment_on_baaae(three_as):
    assert true_nodes(three_as, "BAAAE") == [[], [], [2], []]
    assert votes(three_as, "BAAAE") == [-5, 6]


def test_sequence_experiment_at_the_border(three_as):
    """No edge, no message: C3 can be true at X_0 only, where NOT r1:1 holds although C1 is empty at layer 0."""
    assert true_nodes(three_as, "AAABC")[3] == [0]
    for word in ("BAAAE", "BBAAA", "AABAA", "BBAEE", "AAAAA"):
        assert set(true_nodes(three_as, word)[3]) <= {0}
        assert true_nodes(three_as, word)[1] == []


@pytest.fixture
def runs_of_as():
    """The four clauses of Experiment 2, as the list prints them."""
    return hand_made(
        [
            ["A", "r1:1", "r1:2", "r2:1"],
            ["l1:0", "l1:2", "l2:0", "l2:1"],
            ["A", "l2:0", "l2:1"],
            ["NOT A"],
        ],
        [[-6, 8, -2], [0, -8, 6], [-1, -3, 1], [3, -3, -5]],
        depth=3,
    )


def test_experiment_two_on_bbaee(runs_of_as):
    assert true_nodes(runs_of_as, "BBAEE") == [[], [], [], [0, 1, 3, 4]]
    assert votes(runs_of_as, "BBAEE") == [3, -3, -5]


def test_experiment_two_deep_clauses(runs_of_as):
    """Messages at layer 2 carry all lower layers, hence C2 is A(n), A(n+1), A(n+2)."""
    for word in ("AAABC", "BAAAE", "EDAAA", "AABAA", "ABABA"):
        runs = [n for n in range(len(word)) if word[n : n + 3] == "AAA"]
        assert true_nodes(runs_of_as, word)[2] == runs


def test_experiment_two_on_baaae(runs_of_as):
    """By hand: C0 where an A follows an A, C1 and C2 at the first of three; class 2, three A's."""
    assert true_nodes(runs_of_as, "BAAAE") == [[2, 3], [1], [1], [0, 4]]
    assert votes(runs_of_as, "BAAAE") == [-4, -6, 0]
