"""Where things lie on a CUDA device and how kernels are launched: arithmetic that needs none."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from fake_cuda import SHARED, graphs_of_nodes, params
from hypothesis import given, settings
from hypothesis import strategies as st

from graphtm.engines.cuda import structs
from graphtm.engines.cuda.memory import presented
from graphtm.engines.cuda.plan import (
    GROUP_WORDS,
    NOWHERE,
    Shape,
    counter_planes,
    plan_alone,
    plan_together,
    slots_per_example,
)
from graphtm.engines.cuda.records import Sizes, bytes_of, check_sizes, common_of, heads_of, sizes_of, slices, taken
from graphtm.engines.cuda.runs import Pace
from graphtm.engines.targets import sparse_targets
from graphtm.errors import GraphTMError, NotEnoughMemoryError
from graphtm.testing import random_case

seeds = st.integers(0, 3000)


# Records


@settings(max_examples=60)
@given(seeds, st.sampled_from(["auto", "always", "never"]))
def test_records_lie_side_by_side(seed, rows):
    case = random_case(seed)
    heads = heads_of(case.graphs, case.params, rows)
    counts = np.diff(case.graphs.node_ptr)
    assert np.array_equal(heads["n_nodes"], counts)
    assert np.array_equal(heads["first"], case.graphs.node_ptr[:-1])
    assert heads["at"][0] == 0
    assert np.array_equal(heads["at"][1:], (heads["at"] + heads["n_words"])[:-1])
    assert not np.any(heads["n_words"] % 4)
    masks = max(1, case.params.n_node_types) + 1
    for head in heads:
        if head["by_rows"]:
            assert 32 * head["stride"] >= head["n_nodes"]
            assert head["n_words"] >= (case.params.hypervector_size + masks) * head["stride"]
        else:
            assert head["n_nodes"] <= 32
            assert head["n_words"] >= head["n_nodes"] * 2 * Shape.of(case.params).half0 + masks + 2 * head["n_edges"]
    assert rows != "always" or heads["by_rows"].all()
    assert rows != "never" or not heads["by_rows"][counts <= 32].any()


@pytest.mark.parametrize(
    ("n_nodes", "stride", "lanes"),
    [(9, 1, 6), (32, 1, 6), (33, 2, 7), (64, 2, 7), (65, 4, 0), (128, 4, 0), (129, 12, 1), (361, 12, 2), (498, 20, 2)],
)
def test_rows_are_read_in_fours(n_nodes, stride, lanes):
    """129 nodes are 5 words, 2 fours, which 2^1 lanes read; 12 words, an odd number of fours, keep columns apart."""
    (head,) = heads_of(graphs_of_nodes(n_nodes), params())
    assert (head["stride"], head["lanes"]) == (stride, lanes)


def test_sizes_are_the_largest():
    case = random_case(4)
    sizes = sizes_of(heads_of(case.graphs, case.params, "never"))
    counts = np.diff(case.graphs.node_ptr)
    assert sizes.node_nodes == counts[counts <= 32].max()
    assert sizes.row_nodes == max([0, *counts[counts > 32]])
    assert 32 * sizes.truth >= counts.max()


def test_what_all_graphs_have_in_common():
    heads = np.zeros(3, structs.HEAD)
    heads["n_nodes"], heads["stride"] = (5, 5, 6), 4
    common = common_of(heads)
    assert common["stride"] == 4
    assert "n_nodes" not in common
    assert common_of(heads[:0]) == {}


def test_graphs_are_taken_in_any_order():
    case = random_case(11)
    which = np.array([2, 0, 2])
    some = taken(case.graphs, which)
    assert some.n_graphs == 3
    for place, graph in enumerate(which):
        mine, other = (slice(*b.node_ptr[i : i + 2]) for b, i in ((some, place), (case.graphs, graph)))
        assert np.array_equal(some.bits[mine], case.graphs.bits[other])
        edges, others = some.in_edges.select(mine), case.graphs.in_edges.select(other)
        assert edges.equals(others)
    mine, others = (bytes_of(graphs, heads_of(graphs, case.params)) for graphs in (some, case.graphs))
    assert np.array_equal(mine, others[which])


def test_a_graph_that_is_too_large_is_refused():
    huge = params(size=2**26)
    graphs = SimpleNamespace(
        node_ptr=np.array([0, 2000]), in_edges=SimpleNamespace(ptr=np.zeros(2001, np.int64)), bits=np.zeros((2000, 1))
    )
    with pytest.raises(GraphTMError, match=r"at most 2\^31 nodes or words.*2,000 nodes.*engine='cpu'"):
        heads_of(graphs, huge)
    with pytest.raises(GraphTMError, match=r"inboxes of at most.*messages of 1,073,741,824 bits.*Lower message_size"):
        check_sizes(params(depth=2, message_size=2**30), Sizes(16, 12, 361, 12, 0))
    with pytest.raises(GraphTMError, match=r"inboxes.*32 nodes with messages of 134,217,728 bits in 16 layers"):
        check_sizes(params(1, depth=17, message_size=2**27), Sizes(16, 1, 0, 0, 32))


@given(st.lists(st.integers(0, 30)), st.integers(1, 40))
def test_parts_are_as_large_as_they_may_be(sizes, most):
    parts = list(slices(np.array(sizes, np.int64), most))
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(len(sizes)))
    for part, following in pairwise(parts):
        assert sum(sizes[part]) <= most or part.stop == part.start + 1
        assert sum(sizes[part.start : following.start + 1]) > most


@given(st.lists(st.sets(st.integers(0, 4)), min_size=1), st.data())
def test_targets_are_presented_in_order(labels, data):
    ptr = np.concatenate([[0], np.cumsum([len(some) for some in labels])])
    outputs = np.array([output for some in labels for output in sorted(some)], np.int64)
    values = np.arange(len(outputs)) % 7
    targets = sparse_targets(ptr, outputs, values, 5, 10, weights=np.arange(len(labels)))
    order = np.array(data.draw(st.lists(st.integers(0, len(labels) - 1))), np.int64)
    arrays = presented(targets, order)
    assert len(arrays["ptr"]) == len(order) + 1
    for place, example in enumerate(order):
        mine, other = slice(*arrays["ptr"][place : place + 2]), slice(*ptr[example : example + 2])
        assert np.array_equal(arrays["outputs"][mine], outputs[other])
        assert np.array_equal(arrays["values"][mine], values[other])
        assert arrays["weights"][place] == targets.weights[example]


# Launches


@settings(max_examples=200)
@given(
    n_clauses=st.sampled_from([1, 3, 64, 65, 1000, 2500, 80_000, 1_000_000]),
    n_outputs=st.sampled_from([1, 10, 32, 33, 5000, 100_000]),
    size=st.sampled_from([0, 1, 64, 128, 2048, 60_000]),
    depth=st.sampled_from([1, 2, 5]),
    message_size=st.sampled_from([3, 512, 100_000]),
    record=st.sampled_from([4, 1692, 50_000, 10**7]),
    n_words=st.sampled_from([1, 2, 12, 400]),
    shared=st.sampled_from([65_536, 101_376, SHARED]),
)
def test_places_in_shared_memory_are_apart(n_clauses, n_outputs, size, depth, message_size, record, n_words, shared):
    machine = params(n_clauses, n_outputs, size, depth, message_size)
    sizes = Sizes(record, n_words, 32 * n_words, n_words, 2)
    launch = plan_together(machine, sizes, 132, shared)
    shape = Shape.of(machine)
    per_block = launch.clauses_per_block
    lengths = {
        "group": GROUP_WORDS,
        "flags": per_block,
        "entries": 4 * launch.n_entries,
        "heard": 2 * -(-n_outputs // 64),
        "planes": per_block * 16 * shape.words,
        "weights": per_block * n_outputs,
        "records": 2 * launch.record_words,
        "truth": per_block * n_words,
        "inbox": launch.inbox_words,
        "focus": launch.n_entries * shape.words,
    }
    places = sorted((getattr(launch, name), length) for name, length in lengths.items())
    places = [(place, length) for place, length in places if place != NOWHERE and length]
    for (place, length), (following, _) in pairwise(places):
        assert place + length <= following
    assert 4 * sum(places[-1]) <= launch.shared_bytes <= shared
    assert all(place % 4 == 0 for place, _ in places)
    assert launch.n_blocks <= 132
    assert launch.n_blocks * per_block >= n_clauses
    assert 1 <= launch.n_entries <= per_block
    assert launch.n_threads % 32 == 0
    assert 128 <= launch.n_threads <= 1024
    assert launch.n_entries * shape.words < 2**31


def test_small_machines_run_in_one_block():
    sizes = Sizes(16, 1, 0, 0, 2)
    assert plan_together(params(64), sizes, 132, SHARED).n_blocks == 1
    assert plan_together(params(65), sizes, 132, SHARED).n_blocks == 9
    assert plan_together(params(2500), sizes, 132, SHARED).n_blocks == 132


def test_state_that_does_not_fit_stays_in_global_memory():
    sizes = Sizes(1692, 12, 361, 12, 0)
    assert plan_together(params(80_000, 10, 128), sizes, 132, SHARED).planes_in_shared
    far = plan_together(params(80_000, 10, 4096), sizes, 132, SHARED)
    assert not far.planes_in_shared
    assert far.records != NOWHERE


def test_more_clauses_than_blocks_can_account_for():
    with pytest.raises(NotEnoughMemoryError, match="50,000,000 clauses are 378,788 for each of 132 blocks"):
        plan_together(params(50_000_000), Sizes(16, 1, 0, 0, 2), 132, SHARED)
    # However much shared memory later devices have: votes of a block's clauses are added up in 48 bits.
    with pytest.raises(NotEnoughMemoryError, match="10,000,000 clauses are 75,758 for each of 132 blocks"):
        plan_together(params(10_000_000), Sizes(16, 1, 0, 0, 2), 132, 10 * SHARED)


def test_prediction_of_a_graph_in_one_block():
    small = plan_alone(
        params(2500, 10, 128), Sizes(1692, 12, 361, 12, 0), 132, SHARED, for_nodes=False, most_bytes=2**30
    )
    assert small is not None
    assert small.n_blocks == 264
    assert small.truth != NOWHERE
    assert small.shared_bytes <= SHARED
    # The truth of many clauses at many nodes lies in global memory; a record that does not fit is for all blocks.
    sizes = Sizes(40_000, 400, 12_800, 400, 0)
    far = plan_alone(params(2500, 10, 64), sizes, 132, SHARED, for_nodes=True, most_bytes=2**30)
    assert far is not None
    assert far.truth == NOWHERE
    assert far.truth_rows == 2500
    # Where only the last layer counts, each of 16 warps has a row of its own, wherever that lies.
    last = plan_alone(
        params(2500, 10, 64), Sizes(50_000, 752, 24_000, 752, 0), 132, SHARED, for_nodes=False, most_bytes=2**30
    )
    assert last is not None
    assert (last.truth, last.truth_rows, last.n_threads) == (NOWHERE, 16, 512)
    assert plan_alone(params(), Sizes(10**6, 400, 12_800, 400, 0), 132, SHARED, for_nodes=False, most_bytes=1) is None


def test_a_block_must_have_room_for_its_truth():
    sizes = Sizes(16, 10**6, 32 * 10**6, 10**6, 0)
    assert plan_alone(params(100_000), sizes, 2, SHARED, for_nodes=True, most_bytes=2**30) is None


def test_votes_of_many_clauses_take_two_words():
    assert slots_per_example(params(65_535, 10)) == (10, False)
    assert slots_per_example(params(65_536, 10)) == (20, True)


def test_votes_of_strong_clauses_take_two_words():
    assert slots_per_example(params(257, 10, max_misses=254)) == (10, False)
    assert slots_per_example(params(258, 10, max_misses=254)) == (20, True)
    assert slots_per_example(params(6553, 10, max_misses=9)) == (10, False)
    assert slots_per_example(params(6554, 10, max_misses=9)) == (20, True)


def test_graded_clauses_are_spread_over_more_blocks():
    sizes = Sizes(1692, 12, 361, 12, 0)
    assert plan_together(params(250, 10), sizes, 132, SHARED).n_blocks == 32
    assert plan_together(params(250, 10, max_misses=9), sizes, 132, SHARED).n_blocks == 125
    assert plan_together(params(16, 10, max_misses=9), sizes, 132, SHARED).n_blocks == 1


def test_prediction_keeps_the_inboxes_of_all_layers_for_graded_clauses():
    sizes = Sizes(100, 4, 100, 4, 0)
    desks = [
        plan_alone(params(100, depth=4, max_misses=m), sizes, 132, SHARED, for_nodes=False, most_bytes=2**30)
        for m in (0, 9)
    ]
    assert [desk.inbox_words for desk in desks] == [0, 64 * 4]
    assert desks[1].sent - desks[1].inbox == 3 * 64 * 4
    assert desks[0].sent - desks[0].inbox == 64 * 4


@pytest.mark.parametrize(("max_misses", "planes"), [(0, 0), (1, 1), (2, 2), (3, 2), (9, 4), (15, 4), (16, 5), (254, 8)])
def test_counters_have_as_many_bits_as_their_largest_number(max_misses, planes):
    assert counter_planes(max_misses) == planes


def test_launches_are_short():
    pace = Pace(1600)
    work = np.full(100_000, 100)
    pieces = pace.pieces(work)
    assert next(pieces) == slice(0, 16)
    pace.note(1600, 0.001)
    assert next(pieces) == slice(16, 16 + 128), "at most eight times as much as before"
    pace.note(1e7, 10.0)
    assert next(pieces) == slice(144, 144 + 2000), "a fifth of a second"
    assert sum(piece.stop - piece.start for piece in pieces) == 100_000 - 2144
    assert [piece.stop for piece in pace.pieces(work[:1200], 500)] == [500, 1000, 1200]
    assert list(pace.pieces(np.array([10**12, 10**12]))) == [slice(0, 1), slice(1, 2)]
    assert list(pace.pieces(work[:0])) == []
