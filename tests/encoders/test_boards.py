"""Boards to graphs, and back."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline

import graphtm as gtm
from graphtm.encoders import BoardGame, KMers, Tokens
from graphtm.testing.encoders import check_encoder

KINDS = ["grid4", "grid8", "hex"]
boards_of_any_shape = st_numpy.arrays(
    np.int8, st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 4)), elements=st.integers(-2, 2)
)


def touches(kind, one, other):
    """Whether two cells are neighbours, by where their centres are drawn."""
    if kind == "grid4":
        return abs(one[0] - other[0]) + abs(one[1] - other[1]) == 1
    if kind == "grid8":
        return max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1
    height = np.sqrt(3) / 2
    centres = [(row * height, column + row / 2) for row, column in (one, other)]
    return bool(np.isclose(np.hypot(centres[0][0] - centres[1][0], centres[0][1] - centres[1][1]), 1))


@given(boards_of_any_shape, st.sampled_from(KINDS), st.booleans(), st.booleans())
def test_boards_survive(boards, kind, position, directions):
    encoder = BoardGame(neighbours=kind, position=position, directions=directions)
    graphs = encoder.fit_transform(boards)
    graphs.validate()
    assert graphs.is_lazy
    assert np.array_equal(encoder.inverse_transform(graphs), boards)
    cells = [(row, column) for row in range(boards.shape[1]) for column in range(boards.shape[2])]
    graph = graphs[0]
    expected = {(i, j) for i, one in enumerate(cells) for j, other in enumerate(cells) if touches(kind, one, other)}
    assert {(source, destination) for source, destination, _ in graph.edges} == expected
    assert len(graph.edges) == len(expected)
    for node, (row, column) in enumerate(cells):
        symbols = {int(boards[0, row, column])} | ({("row", row), ("column", column)} if position else set())
        assert set(graph.properties(node)) == symbols


@pytest.mark.parametrize("kind", KINDS)
def test_edges_lead_where_they_say(kind):
    graph = BoardGame(neighbours=kind).fit_transform(np.zeros((1, 3, 3), int))[0]
    for source, destination, edge_type in graph.edges:
        words = edge_type.split()
        down, right = destination // 3 - source // 3, destination % 3 - source % 3
        assert down == ("down" in words) - ("up" in words)
        assert right == ("right" in words) - ("left" in words)
    assert len([1 for source, _, _ in graph.edges if source == 4]) == {"grid4": 4, "grid8": 8, "hex": 6}[kind]


def test_pieces_are_named_as_asked():
    encoder = BoardGame(symbols={2: "white", 0: None, 1: "black", 3: "white"}).fit([[[0, 1]]])
    assert list(encoder.vocabulary_.symbols) == ["white", "black"]
    graphs = encoder.transform([[[0, 3]]])
    assert [graphs[0].properties(node) for node in (0, 1)] == [(), ("white",)]
    assert encoder.inverse_transform(graphs).tolist() == [[[0, 2]]]
    assert list(BoardGame(directions=False).fit([[[True, False]]]).vocabulary_.edge_types) == ["neighbour"]


def test_pieces_named_one_and_true_are_different():
    encoder = BoardGame(symbols={0: True, 1: 1, 2: "1", 3: np.int64(1)}).fit([[[0, 1]]])
    assert [type(name) for name in encoder.vocabulary_.symbols] == [bool, int, str]
    assert encoder.inverse_transform(encoder.transform([[[2, 0]], [[1, 3]]])).tolist() == [
        [[2, 0]],
        [[1, 1]],
    ]


def test_many_values_and_no_boards():
    boards = np.arange(300).reshape(1, 15, 20) * 1000
    encoder = BoardGame().fit(boards)
    assert np.array_equal(encoder.inverse_transform(encoder.transform(boards)), boards)
    assert len(encoder.transform(np.zeros((0, 15, 20), int))) == 0
    assert encoder.inverse_transform(encoder.transform(np.zeros((0, 15, 20), int))).shape == (0, 15, 20)


def test_graphs_do_not_change_when_the_encoder_learns_again():
    encoder = BoardGame(position=True)
    graphs = encoder.fit_transform([[[0, 1], [1, 1]]])
    text = str(graphs[0])
    encoder.set_params(neighbours="hex", position=False).fit([[[5]]])
    assert str(graphs[0]) == text
    assert pickle.loads(pickle.dumps(graphs)) == graphs


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"neighbours": "grid6"}, "'neighbours' parameter of BoardGame must be a str among"),
        ({"shape": (0, 2)}, r"'shape' parameter of BoardGame must be a pair \(rows, columns\)"),
        ({"shape": 3}, "'shape' parameter"),
        ({"symbols": ["a"]}, "'symbols' parameter of BoardGame must be a mapping"),
        ({"symbols": {"a": 1}}, "'symbols' parameter"),
        ({"symbols": {}}, "'symbols' parameter"),
        ({"position": 2}, "'position' parameter of BoardGame must be a bool"),
        ({"directions": None}, "'directions' parameter"),
    ],
)
def test_bad_parameters_are_refused(parameters, message):
    encoder = BoardGame(**parameters)
    with pytest.raises(ValueError, match=message):
        encoder.fit(np.zeros((1, 2, 2), int))
    assert not hasattr(encoder, "vocabulary_")


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        (np.zeros((2, 2), int), r"must be an array of shape \(n, rows, columns\); got shape \(2, 2\)"),
        (np.zeros((2, 0, 2), int), r"got shape \(2, 0, 2\)"),
        (np.zeros((1, 2, 2)), "must be an integer array; got dtype float64"),
        ([[["a"]]], "must be an integer array"),
        ([[[1, 2]], [[1]]], "must all have the same shape"),
        (np.zeros((0, 2, 2), int), "needs at least one board"),
    ],
)
def test_bad_boards_are_refused(boards, message):
    with pytest.raises(gtm.GraphError, match=message):
        BoardGame().fit(boards)


def test_strange_boards_are_refused():
    encoder = BoardGame()
    with pytest.raises(NotFittedError):
        encoder.transform([[[0]]])
    encoder.fit([[[0, 1]]])
    with pytest.raises(gtm.GraphError, match=r"values 0, 1; board 1 has 7 in row 0, column 1"):
        encoder.transform([[[0, 1]], [[0, 7]]])
    with pytest.raises(gtm.GraphError, match=r"must have shape \(1, 2\); got \(2, 1\)"):
        encoder.transform([[[0], [1]]])
    with pytest.raises(gtm.GraphError, match=r"shape \(3, 3\)"):
        BoardGame(shape=(3, 3)).fit([[[0, 1]]])
    with pytest.raises(gtm.GraphError, match="board 0 has 1 in row 0"):
        BoardGame(symbols={0: "empty"}).fit([[[0, 1]]])
    small = BoardGame().fit_transform([[[0]]])
    with pytest.raises(gtm.GraphError, match="must have 2 nodes; graph 1 has 1"):
        encoder.inverse_transform(gtm.GraphBatch.concatenate([encoder.transform([[[0, 1]]]), small]))


@pytest.mark.parametrize("encoder", [BoardGame().fit([[[0]]]), KMers().fit(["A"]), Tokens().fit(["a"])])
def test_only_batches_are_turned_back(encoder):
    with pytest.raises(TypeError, match=rf"must be a GraphBatch made by {type(encoder).__name__}. Got 'list'"):
        encoder.inverse_transform([gtm.Graph()])


def test_pictures_of_boards():
    encoder = BoardGame(symbols={0: None, 1: "X", 2: "O"}).fit([[[1, 0, 2]]])
    assert encoder.render([1, 2, 3]).tolist() == [[1, 2, 3]]
    assert encoder.render({"O": 2}).tolist() == [[[0, 0, 0]], [[2, 2, 2]]]
    with pytest.raises(ValueError, match="one number per cell, 3; got 2"):
        encoder.render([1, 2])
    with pytest.raises(TypeError, match=r"one number per cell, .* or the literals of a rule, .* got 'X'"):
        encoder.render("X")
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'Z'"):
        encoder.render({"Z": 1})


@pytest.mark.parametrize(
    "encoder",
    [
        BoardGame((2, 2), symbols={0: None, 1: "X", 2: "O"}, position=True, directions=False),
        BoardGame(neighbours="hex"),
    ],
)
def test_what_every_encoder_must_do(encoder):
    bad = [np.zeros((0, 2, 2), int)] + [[[[1, 0], [2, 7]]]] * (encoder.symbols is not None)
    check_encoder(encoder, [[[1, 0], [2, 1]], [[0, 0], [2, 2]]], bad=bad)


def test_a_pipeline_learns_three_in_a_row():
    rng = np.random.default_rng(0)
    boards = rng.integers(0, 3, (2400, 4, 4))
    y = ((boards[:, :, :-2] == 1) & (boards[:, :, 1:-1] == 1) & (boards[:, :, 2:] == 1)).any(axis=(1, 2))
    chosen = rng.permutation(np.concatenate([np.flatnonzero(y), np.flatnonzero(~y)[: y.sum()]]))
    boards, y = boards[chosen], y[chosen]
    machine = gtm.GraphTMClassifier(n_clauses=20, T=40, s=5.0, epochs=25, max_included_literals=8, random_state=1)
    pipeline = make_pipeline(BoardGame(), machine).fit(boards[:700], y[:700])
    assert pipeline.score(boards[700:], y[700:]) > 0.95
