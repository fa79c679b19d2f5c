"""Generated data: the labels are what the rule says, and the rule is what an independent reader says."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm.datasets import (
    hex_boards,
    hex_winner,
    motif_graphs,
    multivalue_xor,
    noisy_xor,
    sequences,
)
from graphtm.datasets.matching import Motif, find_motif

GENERATORS = [
    noisy_xor,
    lambda n=5000, **more: multivalue_xor(n, n_values=7, **more),
    sequences,
    lambda n=5000, **more: sequences(n, task="longest", **more),
    motif_graphs,
    lambda n=1000, **more: hex_boards(n, size=4, **more),
]


@pytest.mark.parametrize("make", GENERATORS)
def test_what_all_generators_share(make):
    made = make(400, random_state=3)
    graphs, y = made
    assert graphs is made.graphs
    assert y is made.y
    assert len(graphs) == len(y) == 400
    graphs.validate()
    assert np.array_equal(made.rule(graphs), y)
    assert made.nodes.shape == (graphs.n_nodes,)
    assert made.nodes.dtype == np.bool_
    assert str(made.rule) in repr(made)

    again = make(400, random_state=3)
    assert again.graphs == graphs
    assert np.array_equal(again.y, y)
    assert make(400, random_state=4).graphs != graphs

    noisy = make(4000, noise=0.1, random_state=3)
    assert 0.08 < np.mean(noisy.rule(noisy.graphs) != noisy.y) < 0.12
    assert set(noisy.y) == set(y)
    with pytest.raises(ValueError, match=r"The 'noise' parameter of \w+ must be in the range \[0, 1\]. Got 1.5 inst"):
        make(10, noise=1.5)
    with pytest.raises(ValueError, match=r"The 'n_samples' parameter of \w+ must be an integer >= 0. Got -1 instead."):
        make(-1)
    assert len(make(0, random_state=0).graphs) == 0
    assert make(0, random_state=0).nodes.shape == (0,)


@pytest.mark.parametrize("make", GENERATORS)
def test_rules_judge_any_batch_by_names(make):
    """A rule must not depend on how the generator numbered graphs, symbols or edges."""
    made = make(60, random_state=5)
    back = np.arange(60)[::-1]
    graphs = list(made.graphs)
    rebuilt = gtm.GraphBatch.from_graphs([graphs[number] for number in back])
    assert np.array_equal(made.rule(rebuilt), made.y[back])
    with pytest.raises(TypeError, match="A true rule needs a GraphBatch; got 'list'"):
        made.rule(graphs)


def letters_of(graph):
    return "".join(graph.properties(node)[0] for node in graph.nodes)


@pytest.mark.parametrize(("length", "run"), [(5, 3), (4, 1), (6, 6), (1, 1)])
def test_labels_follow_the_rule(length, run):
    graphs, y = made = sequences(300, length=length, run=run, random_state=0)
    for graph, label in zip(graphs, y, strict=True):
        word = letters_of(graph)
        assert ("A" * run in word) == bool(label)
        assert set(graph.edges) == {
            *((n, n + 1, "right") for n in range(length - 1)),
            *((n + 1, n, "left") for n in range(length - 1)),
        }
    assert y.mean() > 0.25
    for word, nodes in zip(map(letters_of, graphs), made.nodes.reshape(300, length), strict=True):
        covered = {p + k for p in range(length - run + 1) if word[p : p + run] == "A" * run for k in range(run)}
        assert covered == set(np.flatnonzero(nodes).tolist())


def test_longest_runs():
    graphs, y = made = sequences(300, task="longest", random_state=0)
    assert set(y) == {1, 2, 3}
    for graph, label, nodes in zip(graphs, y, made.nodes.reshape(300, 5), strict=True):
        word = letters_of(graph)
        assert max(map(len, "".join(c if c == "A" else " " for c in word).split(" "))) == label
        assert [letter == "A" for letter in word] == nodes.tolist()


def test_the_longest_run_of_any_word():
    words = ["".join(letters) for letters in itertools.product("AB", repeat=5)]
    batch = gtm.GraphBatch.from_arrays(
        np.full(32, 5),
        (np.arange(160), ["AB".index(letter) for letter in "".join(words)]),
        ["A", "B"],
        ([n for n in range(160) if n % 5 < 4], [n + 1 for n in range(160) if n % 5 < 4]),
        ["right"],
    )
    rule = sequences(1, task="longest").rule
    assert rule(batch).tolist() == [max(map(len, word.split("B"))) for word in words]
    for word, nodes in zip(words, rule.nodes(batch).reshape(32, 5), strict=True):
        longest = max(map(len, word.split("B")))
        starts = [p for p in range(5) if longest and word[p : p + longest] == "A" * longest]
        assert {p + k for p in starts for k in range(longest)} == set(np.flatnonzero(nodes).tolist())


def test_a_closed_walk_has_a_longest_run():
    ring = gtm.GraphBatch.from_arrays([3], ([0, 1, 2], [0, 0, 0]), ["A"], ([0, 1, 2], [1, 2, 0]), ["right"])
    assert sequences(1, task="longest").rule(ring).tolist() == [3]
    assert sequences(1).rule(ring).tolist() == [1]


def test_parity():
    graphs, y = made = multivalue_xor(300, n_values=9, random_state=0)
    for graph, label, values in zip(graphs, y, made.data, strict=True):
        carried = [graph.properties(node)[0] for node in (0, 1)]
        assert carried == values.tolist()
        assert sum(carried) % 2 == label
        assert {(edge.source, edge.destination) for edge in graph.edges} == {(0, 1), (1, 0)}
    assert np.array_equal(made.nodes.reshape(300, 2), np.repeat(y[:, None] == 1, 2, axis=1))
    words = sequences(3, random_state=0).graphs
    with pytest.raises(gtm.GraphError, match="must be integers; got 'A'"):
        made.rule(words)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sequences(10, run=6), r"The 'run' parameter of sequences must be in the range \[1, 5\]. Got 6"),
        (lambda: sequences(10, run=0), r"The 'run' parameter of sequences must be in the range \[1, 5\]"),
        (lambda: sequences(10, letters=""), "at least one letter and 1. Got '' and 5"),
        (lambda: sequences(10, task="count"), "must be 'contains' or 'longest'. Got 'count' instead"),
        (lambda: sequences(10, task="longest", letters="A"), "must be at least two letters .* Got 'A' instead"),
        (
            lambda: multivalue_xor(10, n_values=1),
            "'n_values' parameter of multivalue_xor must be an integer >= 2. Got 1",
        ),
        (lambda: hex_boards(10, size=0), "'size' parameter of hex_boards must be an integer >= 1. Got 0"),
        (lambda: hex_boards(10, size=2.5), "'size' parameter of hex_boards must be an integer >= 1. Got 2.5"),
        (lambda: hex_boards(10, size=1), "must be at least 2 for balanced classes"),
        (lambda: motif_graphs(10, motif="square"), "one of 'path', 'star', 'triangle' or a Graph. Got 'square'"),
        (lambda: motif_graphs(10, n_nodes=2), "'n_nodes' parameter of motif_graphs must be an integer >= 3. Got 2"),
        (lambda: motif_graphs(10, n_nodes=(9, 5)), "must be an integer >= 9. Got 5"),
        (lambda: motif_graphs(10, density=-1), "'density' parameter of motif_graphs must be a number >= 0. Got -1"),
        (lambda: motif_graphs(10, symbols="AB"), r"have one symbol from 'symbols', \['A', 'B'\]. Got \('C',\)"),
        (lambda: motif_graphs(10, edge_types=[]), "'edge_types' parameter of motif_graphs must not be empty"),
        (lambda: motif_graphs(10, symbols="ABCA"), "Names of symbols must be unique; got 'A' twice"),
        (lambda: motif_graphs(10, edge_types=["red"]), r"type from 'edge_types', \['red'\]. Got 'blue'"),
        (lambda: motif_graphs(10, density=500.0, n_nodes=10), r"still contain it by chance. Lower 'density'"),
    ],
)
def test_wrong_parameters(make, message, monkeypatch):
    monkeypatch.setattr("graphtm.datasets.motifs.ROUNDS", 3)
    with pytest.raises(ValueError, match=message):
        make()


# Motifs


def occurrences(graph, motif):
    """Every way to give the motif's nodes nodes of the graph of their own, by trying all."""
    edges = set(graph.edges)
    found = []
    for nodes in itertools.permutations(graph.nodes, len(motif)):
        image = dict(zip(motif.nodes, nodes, strict=True))
        symbols = all(set(motif.properties(one)) <= set(graph.properties(image[one])) for one in motif)
        if symbols and all((image[a], image[b], kind) in edges for a, b, kind in motif.edges):
            found.append(nodes)
    return sorted(found)


def connected(graph):
    """Whether spreading from the first node, either way along edges, reaches all."""
    reached = {graph.nodes[0]}
    for _ in graph.nodes:
        reached |= {end for a, b, _ in graph.edges if a in reached or b in reached for end in (a, b)}
    return len(reached) == len(graph)


@st.composite
def small_graphs(draw, max_nodes):
    graph = gtm.Graph()
    n = draw(st.integers(1, max_nodes))
    for node in range(n):
        graph.add_node(node, draw(st.lists(st.sampled_from("AB"), unique=True, max_size=2)))
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.sampled_from(["red", "blue"]))
    for edge in draw(st.lists(ends, max_size=2 * max_nodes)):
        graph.add_edge(*edge)
    return graph


@given(st.lists(small_graphs(5), min_size=1, max_size=4), small_graphs(3))
def test_every_occurrence_is_found_and_nothing_else(graphs, motif):
    if not connected(motif):
        with pytest.raises(ValueError, match="must be a connected graph"):
            Motif.from_graph(motif)
        return
    pattern = Motif.from_graph(motif)
    batch = gtm.GraphBatch.from_graphs(graphs)
    found = sorted(map(tuple, find_motif(batch.pack(), pattern).tolist()))
    first = np.concatenate([[0], np.cumsum(batch.node_counts)])
    expected = [
        {first[g] + node for node in nodes} for g, graph in enumerate(graphs) for nodes in occurrences(graph, motif)
    ]
    assert len(found) == len(expected)
    # The motif's nodes are renumbered, so sets of nodes are compared, as often as they occur.
    assert sorted(map(sorted, expected)) == sorted(map(sorted, found))


@pytest.mark.parametrize("name", ["path", "star", "triangle"])
def test_motifs_are_planted_in_class_1_only(name):
    made = motif_graphs(80, motif=name, n_nodes=(4, 8), random_state=1)
    edges = {
        "path": ["AB red", "BC blue"],
        "star": ["BA red", "CA blue"],
        "triangle": ["AB red", "BC blue", "CA red"],
    }[name]
    motif = gtm.Graph()
    for letter in "ABC":
        motif.add_node(letter, [letter])
    for (source, destination), kind in map(str.split, edges):
        motif.add_edge(source, destination, kind)
    assert made.y.sum() == 40
    start = 0
    for graph, label in zip(made.graphs, made.y, strict=True):
        found = occurrences(graph, motif)
        assert bool(found) == bool(label)
        nodes = np.flatnonzero(made.nodes[start : start + len(graph)]).tolist()
        assert set(nodes) == {node for one in found for node in one}
        start += len(graph)
    assert np.all((made.graphs.node_counts >= 4) & (made.graphs.node_counts <= 8))


def test_near_misses_lack_one_thing():
    """Without random edges, a graph of class 0 is the motif but for one symbol, one edge, or one edge's type."""
    kinds = set()
    for graph in motif_graphs(200, n_nodes=3, density=0.0, random_state=0).graphs:
        word = sorted(graph.properties(node)[0] for node in graph.nodes)
        carried = {(graph.properties(a)[0], graph.properties(b)[0], kind) for a, b, kind in graph.edges}
        if word != ["A", "B", "C"]:
            kinds.add("symbol")
            assert len(carried & {("A", "B", "red"), ("B", "C", "blue")}) <= 1
        elif len(carried) == 1:
            kinds.add("missing")
            assert carried <= {("A", "B", "red"), ("B", "C", "blue")}
        elif carried != {("A", "B", "red"), ("B", "C", "blue")}:
            kinds.add("type")
            assert {pair[:2] for pair in carried} == {("A", "B"), ("B", "C")}
        else:
            kinds.add("motif")
    assert kinds == {"symbol", "missing", "type", "motif"}


def test_own_motifs():
    motif = gtm.Graph()
    motif.add_node("x", [1])
    motif.add_node("y", [1])
    motif.add_edge("y", "x", "to")
    motif.add_edge("x", "x", "to")
    made = motif_graphs(60, motif=motif, symbols=[1, 2, 3], edge_types=["to", "fro"], random_state=2)
    assert np.array_equal(made.rule(made.graphs), made.y)
    assert str(made.rule) == "1 if the graph has 0(1) -to-> 0(1), 1(1) -to-> 0(1), else 0"
    assert [bool(occurrences(graph, motif)) for graph in made.graphs] == (made.y == 1).tolist()

    # True is not 1: names of different types are different names.
    with pytest.raises(ValueError, match=r"have one symbol from 'symbols', \[True, 2\]. Got \(1,\)"):
        motif_graphs(60, motif=motif, symbols=[True, 2], edge_types=["to"])

    single = gtm.Graph()
    single.add_node(0, ["A"])
    made = motif_graphs(20, motif=single, symbols="ABCDEFGHIJ", n_nodes=2, random_state=2)
    assert np.array_equal(made.y == 1, ["A" in letters_of(graph) for graph in made.graphs])
    with pytest.raises(ValueError, match="needs at least two 'symbols'"):
        motif_graphs(20, motif=single, symbols="A")


def test_motifs_that_cannot_be():
    apart = gtm.Graph()
    apart.add_node(0, ["A"])
    apart.add_node(1, ["B"])
    with pytest.raises(
        ValueError, match=r"a connected graph\. Got 2 nodes instead, 0 of them connected with the first"
    ):
        motif_graphs(10, motif=apart)
    typed = gtm.Graph()
    typed.add_node(0, ["A"], type="letter")
    with pytest.raises(ValueError, match="must have nodes without types"):
        motif_graphs(10, motif=typed)
    with pytest.raises(gtm.GraphError, match="at least one node"):
        motif_graphs(10, motif=gtm.Graph())


# Hex


def brute_winner(board):
    """Walk from the first side over neighbouring stones, cell by cell."""
    rows, columns = len(board), len(board[0])
    for player in (1, 2):
        seen = {(r, c) for r in range(rows) for c in range(columns) if (r, c)[player - 1] == 0}
        seen = {cell for cell in seen if board[cell[0]][cell[1]] == player}
        todo = list(seen)
        while todo:
            r, c = todo.pop()
            if (r, c)[player - 1] == (rows, columns)[player - 1] - 1:
                return player
            for near in ((r, c + 1), (r, c - 1), (r + 1, c), (r - 1, c), (r - 1, c + 1), (r + 1, c - 1)):
                inside = 0 <= near[0] < rows and 0 <= near[1] < columns
                if inside and near not in seen and board[near[0]][near[1]] == player:
                    seen.add(near)
                    todo.append(near)
    return 0


@pytest.mark.parametrize("shape", [(1, 1), (2, 2), (3, 3), (2, 4), (4, 1)])
def test_the_winner_of_every_board(shape):
    cells = shape[0] * shape[1]
    boards = np.array(list(itertools.product(range(3), repeat=min(cells, 8)))).astype(np.int8)
    if cells == 9:
        full = np.array(list(itertools.product((1, 2), repeat=9)))
        boards = np.concatenate([full, np.random.default_rng(0).integers(0, 3, (2000, 9))])
    boards = boards.reshape(-1, *shape)
    assert hex_winner(boards).tolist() == [brute_winner(board) for board in boards.tolist()]


def test_exactly_one_winner_on_every_full_board():
    """Both players' chains are looked for apart, so that two winners or none would show."""
    boards = 1 + ((np.arange(2**16)[:, None] >> np.arange(16)) & 1).reshape(-1, 4, 4)
    without_o, without_x = np.where(boards == 1, 1, 0), np.where(boards == 2, 2, 0)
    x_wins, o_wins = hex_winner(without_o) == 1, hex_winner(without_x) == 2
    assert np.array_equal(x_wins, ~o_wins)
    assert np.array_equal(hex_winner(boards) == 1, x_wins)


@given(st.integers(2, 12), st.integers(0, 2**32))
def test_large_boards(size, seed):
    boards = np.random.default_rng(seed).integers(0, 3, (3, size, size))
    full = np.random.default_rng(seed).integers(1, 3, (3, size, size))
    assert hex_winner(boards).tolist() == [brute_winner(board) for board in boards.tolist()]
    assert hex_winner(full).tolist() == [brute_winner(board) for board in full.tolist()]
    assert hex_winner(full).min() >= 1
    assert hex_winner(full[0]) == hex_winner(full)[0]


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("balanced", [True, False])
def test_boards_of_random_play(full, balanced):
    made = hex_boards(200, size=5, full=full, balanced=balanced, random_state=0)
    winner = np.array([brute_winner(board) for board in made.data.tolist()])
    assert np.array_equal(winner == 1, made.y == 1)
    assert np.array_equal(winner == 2, made.y == 0)
    if balanced:
        assert made.y.sum() == 100
    stones = [(made.data == player).sum(axis=(1, 2)) for player in (1, 2)]
    if full:
        assert np.all(stones[0] == 13)
        assert np.all(stones[1] == 12)
    else:
        # Who made the last move has won: X, who began, is one stone ahead then.
        assert np.array_equal(stones[0] - stones[1], made.y)
        assert np.any(made.data == 0)


def test_a_game_ends_with_the_winning_move():
    made = hex_boards(50, size=4, random_state=1)
    for board, label in zip(made.data, made.y, strict=True):
        player = 1 if label else 2
        taken_back = []
        for r, c in np.argwhere(board == player):
            earlier = board.copy()
            earlier[r, c] = 0
            taken_back.append(brute_winner(earlier.tolist()))
        assert 0 in taken_back


def test_boards_are_joined_as_the_encoder_joins_them():
    made = hex_boards(3, size=4, random_state=2)
    encoded = gtm.encoders.BoardGame(neighbours="hex").fit_transform(made.data)
    assert [set(graph.edges) for graph in made.graphs] == [set(graph.edges) for graph in encoded]
    assert list(made.graphs.vocabulary.edge_types) == list(encoded.vocabulary.edge_types)


def test_boards_as_graphs():
    made = hex_boards(20, size=4, random_state=2)
    for graph, board, nodes in zip(made.graphs, made.data, made.nodes.reshape(-1, 4, 4), strict=True):
        for node in graph.nodes:
            r, c = divmod(node, 4)
            expected = {1: {"X"}, 2: {"O"}, 0: set()}[int(board[r, c])]
            sides = {"top": r == 0, "bottom": r == 3, "left": c == 0, "right": c == 3}
            expected |= {side for side, here in sides.items() if here}
            assert set(graph.properties(node)) == expected
        steps = {"right": (0, 1), "left": (0, -1), "down": (1, 0), "up": (-1, 0)}
        steps |= {"down left": (1, -1), "up right": (-1, 1)}
        assert set(graph.edges) == {
            (4 * r + c, 4 * (r + dr) + c + dc, kind)
            for r in range(4)
            for c in range(4)
            for kind, (dr, dc) in steps.items()
            if 0 <= r + dr < 4 and 0 <= c + dc < 4
        }
        # The marked stones alone decide the game, and all of them are the winner's.
        assert brute_winner(np.where(nodes, board, 0).tolist()) == brute_winner(board.tolist())
        assert len(set(board[nodes].tolist())) == 1


@pytest.mark.parametrize(
    ("boards", "message"),
    [
        ([0, 1], r"shape \(n, rows, columns\) or \(rows, columns\); got shape \(2,\)"),
        ([[0.5]], "integer array .* got shape .* and dtype float64"),
        (np.zeros((2, 0, 3), int), "got shape"),
        ([[3]], r"must be 0 \(empty\), 1 \(X\) or 2 \(O\); got values from 3 to 3"),
        ([[-1]], "got values from -1 to -1"),
    ],
)
def test_what_is_no_board(boards, message):
    with pytest.raises(gtm.GraphError, match=message):
        hex_winner(boards)


@pytest.mark.slow
def test_learning_the_star():
    """The planted rule can be learnt from the graphs alone, which it could not be if labels and motifs disagreed."""
    train, test = motif_graphs(3000, motif="star", random_state=1), motif_graphs(1000, motif="star", random_state=2)
    clf = gtm.GraphTMClassifier(n_clauses=100, T=100, s=5.0, depth=2, epochs=15, random_state=1).fit(*train)
    assert clf.score(*test) > 0.97
