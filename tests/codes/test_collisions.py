"""The collision report against brute force and simulation."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphtm as gtm
from graphtm import codes
from graphtm.engines.random import Purpose, code_draws

DRAW = code_draws(3, Purpose.CLAUSE_CODE)


@given(st.integers(1, 8), st.integers(1, 5), st.integers(1, 9), st.integers(1, 3), st.integers(0, 1000))
def test_message_counts_equal_brute_force(n_clauses, n_edge_types, size, bits, seed):
    if bits > size:
        return
    code = codes.random(n_clauses, size, bits, code_draws(seed, Purpose.CLAUSE_CODE), distinct=False)
    report = codes.message_collisions(code, n_edge_types)
    messages = [
        frozenset((position + shift) % size for position in row)
        for row in code.positions.tolist()
        for shift in range(n_edge_types)
    ]
    assert report.n_messages == len(messages)
    assert report.n_aliased == len(messages) - len(set(messages))
    load = np.bincount([bit for message in messages for bit in message], minlength=size)
    assert report.n_shared_bits == np.count_nonzero(load > 1)
    assert report.n_aliased_edge_types == max(0, n_edge_types - size)


def test_one_hot_never_collides():
    report = codes.symbol_collisions(codes.one_hot(70), [10] * 70, n_nodes=10)
    assert (report.n_shared_bits, report.false_per_true, report.too_small) == (0, 0.0, False)
    assert str(report) == "70 symbols in 70 bits: no bit is shared."
    messages = codes.message_collisions(codes.one_hot(10, stride=4), 4)
    assert (messages.n_shared_bits, messages.n_aliased, messages.false_rate, messages.too_small) == (0, 0, 0.0, False)
    assert "no bit is shared" in str(messages)


def test_false_positives_agree_with_simulation():
    rng = np.random.default_rng(0)
    shares = rng.uniform(0.01, 0.3, size=60)
    code = codes.random(60, 50, 2, DRAW, distinct=True)
    nodes = rng.random((20_000, 60)) < shares
    report = codes.symbol_collisions(code, nodes.sum(axis=0), len(nodes))
    bits = np.zeros((len(nodes), 50), dtype=bool)
    for symbol, row in enumerate(code.positions):
        bits[:, row] |= nodes[:, symbol, None]
    seems = np.stack([bits[:, row].all(axis=1) for row in code.positions], axis=1) & ~nodes
    assert report.false_per_true == pytest.approx(seems.sum() / nodes.sum(), rel=0.15)
    absent_rate = seems.sum(axis=0) / (~nodes).sum(axis=0)
    assert report.worst_rate == pytest.approx(absent_rate[report.worst_symbol], rel=0.2)


def test_the_size_that_would_do_does():
    frequencies, n_nodes = np.full(500, 30), 3000
    small = codes.symbol_collisions(codes.random(500, 64, 2, DRAW, distinct=True), frequencies, n_nodes)
    assert small.too_small
    assert small.sufficient_size > 64
    enough = codes.symbol_collisions(
        codes.random(500, small.sufficient_size, 2, DRAW, distinct=True), frequencies, n_nodes
    )
    assert not enough.too_small
    assert enough.sufficient_size == small.sufficient_size


def test_the_message_size_that_would_do_does():
    small = codes.message_collisions(codes.random(1000, 32, 2, DRAW, distinct=False), 4)
    assert small.too_small
    enough = codes.message_collisions(codes.random(1000, small.sufficient_size, 2, DRAW, distinct=False), 4)
    assert not enough.too_small
    assert "messages have no code of their own" in str(enough)


def test_double_hashed_messages_get_honest_advice():
    report = codes.message_collisions(codes.double_hashing(300, 64, distinct=False), 12)
    assert report.too_small
    assert report.sufficient_size is None
    with pytest.warns(gtm.CodeCollisionWarning, match="Use message_encoding='random'"):
        codes.warn_if_too_small(None, report)
    single = codes.message_collisions(codes.double_hashing(300, 8, distinct=False), 1)
    assert single.too_small
    assert not codes.message_collisions(codes.double_hashing(300, single.sufficient_size, distinct=False), 1).too_small


@pytest.mark.parametrize(("n_symbols", "carried"), [(20, 2), (100, 2), (100, 5), (400, 5)])
def test_the_size_that_would_do_for_double_hashing_does(n_symbols, carried):
    size = codes.schemes.smallest_double_hashing(n_symbols)
    frequencies = [1000 * carried // n_symbols] * n_symbols
    small = codes.symbol_collisions(codes.double_hashing(n_symbols, size, distinct=True), frequencies, 1000)
    assert small.too_small
    enough = codes.double_hashing(n_symbols, small.sufficient_size, distinct=True)
    assert not codes.symbol_collisions(enough, frequencies, 1000).too_small


def test_neighbours_of_double_hashing_may_be_too_frequent_at_any_size():
    report = codes.symbol_collisions(codes.double_hashing(20, 8, distinct=True), [250] * 20, 1000)
    assert report.sufficient_size is None
    with pytest.warns(gtm.CodeCollisionWarning, match="Use symbol_encoding='one_hot', which takes 20 bits"):
        codes.warn_if_too_small(report, None)


@pytest.mark.parametrize(("n_clauses", "n_edge_types"), [(20_000, 100), (60_000, 10), (10_000, 50), (5000, 1)])
def test_the_automatic_size_draws_no_warning(n_clauses, n_edge_types):
    code = codes.message_code(n_clauses, n_edge_types, DRAW)
    assert code.scheme == "random"
    assert not codes.message_collisions(code, n_edge_types).too_small


@pytest.mark.parametrize("frequencies", [[1, 2], [1, 2, 99], [1, 2, float("nan")], [1, 2, -1]])
def test_impossible_frequencies_are_refused(frequencies):
    with pytest.raises(gtm.CodeError, match=r"one number in 0\.\.10 for each of the 3 symbols"):
        codes.symbol_collisions(codes.one_hot(3), frequencies, 10)


def test_no_clauses_no_messages():
    assert not codes.message_collisions(codes.one_hot(0), 2).too_small


def test_an_inbox_holds_no_more_messages_than_there_are():
    report = codes.message_collisions(codes.double_hashing(2, 3, distinct=False), 1)
    assert report.messages_per_inbox == 2


def test_one_hot_is_advised_where_it_is_small():
    symbols = codes.symbol_collisions(codes.random(138, 32, 2, DRAW, distinct=True), [30] * 138, 1000)
    with pytest.warns(gtm.CodeCollisionWarning, match="symbol_encoding='one_hot', which takes 138 bits"):
        codes.warn_if_too_small(symbols, None)


def test_edge_types_beyond_the_size_are_reported():
    report = codes.message_collisions(codes.random(4, 8, 2, DRAW, distinct=False), 10)
    assert report.n_aliased_edge_types == 2
    assert report.too_small
    assert codes.message_collisions(codes.random(1, 8, 2, DRAW, distinct=False), 9).too_small
    assert "2 edge types cannot be distinguished from another one" in str(report)
    assert report.sufficient_size >= 16


def test_symbols_that_nobody_carries():
    report = codes.symbol_collisions(codes.double_hashing(10, 8, distinct=True), [0] * 10, n_nodes=5)
    assert (report.false_per_true, report.worst_symbol, report.too_small) == (0.0, None, False)


def test_a_symbol_of_every_node_is_no_trouble():
    report = codes.symbol_collisions(codes.double_hashing(10, 8, distinct=True), [5] * 10, n_nodes=5)
    assert report.false_per_true == pytest.approx(0.0, abs=1e-9)


def test_one_warning_names_the_sizes():
    symbols = codes.symbol_collisions(codes.random(500, 64, 2, DRAW, distinct=True), [30] * 500, 3000)
    messages = codes.message_collisions(codes.random(1000, 32, 2, DRAW, distinct=False), 4)
    expected = rf"too small.*hypervector_size={symbols.sufficient_size}.*message_size={messages.sufficient_size}"
    with pytest.warns(gtm.CodeCollisionWarning, match=expected) as caught:
        codes.warn_if_too_small(symbols, messages)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        codes.warn_if_too_small(None, None)
        codes.warn_if_too_small(
            codes.symbol_collisions(codes.one_hot(3), [1, 1, 1], 3), codes.message_collisions(codes.one_hot(3), 1)
        )


def test_periodic_codes_are_counted_once():
    # {0, 4} of 8 shifted by 4 is itself: 8 edge types give 4 different messages.
    code = codes.Code("random", 8, np.array([[0, 4]], dtype=np.int32))
    distinct = {frozenset(((0 + t) % 8, (4 + t) % 8)) for t in range(8)}
    assert len(distinct) == 4
    assert codes.message_collisions(code, 8).n_aliased == 8 - 4
    assert all(len(pair) == 2 for pair in itertools.chain(distinct))
