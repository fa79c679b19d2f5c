"""Codes: three schemes against their definitions, the word layout, and the choice among them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import graph_lists

import graphtm as gtm
from graphtm import codes
from graphtm.codes.choice import ONE_HOT_LIMIT, default_symbol_size
from graphtm.engines.random import Purpose, code_draws
from graphtm.foundation.properties import ListedProperties

DRAW = code_draws(7, Purpose.SYMBOL_CODE)


def naive_random(n_owners, size, bits, draw, distinct):
    """The rule of the scheme, one draw at a time."""
    rows, taken = [], set()
    for owner in range(n_owners):
        number, owned = 0, []
        while True:
            position = (int(draw(owner, number)[0]) * size) >> 32
            number += 1
            if position not in owned:
                owned.append(position)
            if len(owned) == bits:
                row = tuple(sorted(owned))
                if not distinct or row not in taken:
                    break
                owned = []
        taken.add(row)
        rows.append(row)
    return rows


@given(st.integers(1, 12), st.integers(1, 3), st.integers(0, 30), st.booleans(), st.integers(0, 2**64 - 1))
def test_random_follows_its_rule(size, bits, n_owners, distinct, seed):
    draw = code_draws(seed, Purpose.CLAUSE_CODE)
    if bits > size or (distinct and math.comb(size, bits) < n_owners):
        with pytest.raises(gtm.CodeError, match=r"must be between 1 and|as many different codes"):
            codes.random(n_owners, size, bits, draw, distinct=distinct)
        return
    code = codes.random(n_owners, size, bits, draw, distinct=distinct)
    assert list(map(tuple, code.positions.tolist())) == naive_random(n_owners, size, bits, draw, distinct)
    assert code.n_owners == n_owners
    if distinct:
        assert len({tuple(row) for row in code.positions.tolist()}) == n_owners


def test_every_last_code_is_found():
    code = codes.random(math.comb(7, 3), 7, 3, DRAW, distinct=True)
    assert {tuple(row) for row in code.positions.tolist()} == set(itertools.combinations(range(7), 3))


def test_random_codes_depend_on_seed_and_purpose_alone():
    same = codes.random(50, 100, 2, code_draws(7, Purpose.SYMBOL_CODE), distinct=True)
    assert codes.random(50, 100, 2, DRAW, distinct=True) == same
    assert codes.random(50, 100, 2, code_draws(8, Purpose.SYMBOL_CODE), distinct=True) != same
    assert codes.random(50, 100, 2, code_draws(7, Purpose.CLAUSE_CODE), distinct=True) != same
    assert same != "code"


def test_random_positions_are_spread_evenly():
    code = codes.random(20_000, 100, 2, DRAW, distinct=False)
    counts = np.bincount(code.positions.reshape(-1), minlength=100)
    # 400 expected; 5 standard deviations of a binomial count
    assert np.all(np.abs(counts - 400) < 5 * 20)


@given(st.integers(3, 40), st.data())
def test_double_hashing_follows_its_rule(size, data):
    n_codes = size * ((size - 1) // 2)
    n_owners = data.draw(st.integers(0, n_codes))
    code = codes.double_hashing(n_owners, size, distinct=True)
    for owner, row in enumerate(code.positions.tolist()):
        first = owner % size
        assert set(row) == {first, (first + 1 + (owner // size) % ((size - 1) // 2)) % size}
        assert len(set(row)) == 2
    assert len({tuple(row) for row in code.positions.tolist()}) == n_owners
    with pytest.raises(gtm.CodeError, match=r"double hashing into .* gives only .*Use a hypervector of"):
        codes.double_hashing(n_codes + 1, size, distinct=True)
    assert codes.double_hashing(n_codes + 1, size, distinct=False).n_owners == n_codes + 1


def test_double_hashing_says_which_size_would_do():
    with pytest.raises(gtm.CodeError, match="of 15 bits or more"):
        codes.double_hashing(100, 10, distinct=True)
    assert codes.double_hashing(100, 15, distinct=True).n_owners == 100
    with pytest.raises(gtm.CodeError, match="gives only"):
        codes.double_hashing(100, 14, distinct=True)


def test_double_hashing_needs_three_bits():
    with pytest.raises(gtm.CodeError, match="at least 3 bits; got 2"):
        codes.double_hashing(1, 2, distinct=True)


def test_one_hot_messages_never_meet():
    code = codes.message_code(5, 3, DRAW)
    assert code.scheme == "one_hot"
    assert code.size == 15
    owned = {(int(position) + shift) % code.size for position in code.positions[:, 0] for shift in range(3)}
    assert len(owned) == 15
    assert codes.message_code(5, 0, DRAW).size == 5


def test_auto_is_one_hot_while_that_is_small():
    assert codes.symbol_code(ONE_HOT_LIMIT, DRAW).scheme == "one_hot"
    assert codes.symbol_code(ONE_HOT_LIMIT + 1, DRAW).scheme == "random"
    assert codes.symbol_code(10, DRAW, size=64).scheme == "random"
    assert codes.message_code(ONE_HOT_LIMIT // 4, 4, DRAW).scheme == "one_hot"
    assert codes.message_code(ONE_HOT_LIMIT // 4, 5, DRAW).scheme == "random"
    large = codes.message_code(100, 1000, DRAW)
    assert large.size >= 1000
    assert codes.symbol_code(0, DRAW).size == 0


def test_default_sizes_grow_with_the_vocabulary():
    sizes = [default_symbol_size(n, 2) for n in (5000, 50_000, 500_000)]
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (dict(encoding="one_hot", size=7), gtm.CodeError, "hypervector_size must be the number of symbols, 5; got 7"),
        (dict(encoding="double_hashing", size=7, bits=3), gtm.CodeError, "symbol_bits must be 2; got 3"),
        (dict(encoding="random", size=3, bits=1), gtm.CodeError, "5 symbols need as many different codes; 1 of 3 bits"),
        (dict(encoding="random", size=3, bits=4), gtm.CodeError, "between 1 and the size of the hypervector, 3; got 4"),
        (dict(encoding="random", size=3, bits=0), gtm.CodeError, "between 1 and the size of the hypervector, 3; got 0"),
        (dict(encoding="random", size=2**31), gtm.CodeError, r"an int in \[1, 2\^31 - 1\]; got 2147483648"),
        (dict(encoding="random", size=64.0), gtm.CodeError, "an int in .* got 64.0"),
        (dict(encoding="double_hashing", size=-5), gtm.CodeError, "an int in .* got -5"),
        (dict(encoding="hash"), ValueError, "must be one of 'auto', 'one_hot'.*Got 'hash' instead"),
    ],
)
def test_contradicting_parameters_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        codes.symbol_code(5, DRAW, **arguments)


def test_one_hot_message_size_must_fit():
    with pytest.raises(gtm.CodeError, match="message_size must be clauses times edge types, 6"):
        codes.message_code(3, 2, DRAW, encoding="one_hot", size=5)
    with pytest.raises(gtm.CodeError, match="Use 'random' instead"):
        codes.message_code(2**20, 2**12, DRAW, encoding="one_hot")


@given(
    graph_lists(min_size=1, many_symbols=True), st.sampled_from(["one_hot", "random", "double_hashing"]), st.booleans()
)
def test_a_hypervector_is_the_or_of_its_symbols_codes(graphs, encoding, listed):
    batch = gtm.GraphBatch.from_graphs(graphs)
    if listed:  # names that nobody uses make lists the smaller layout
        mine = batch.vocabulary
        symbols = [*mine.symbols, *(f"unused {number}" for number in range(3000))]
        batch = gtm.GraphBatch.from_graphs(graphs, gtm.Vocabulary(symbols, mine.edge_types, mine.node_types))
    packed = batch.pack()
    assert isinstance(packed.properties, ListedProperties) or not listed
    n_symbols = packed.properties.n_symbols
    size = None if encoding == "one_hot" else 129
    code = codes.symbol_code(n_symbols, DRAW, encoding=encoding, size=size)
    encoded = codes.encode(batch, code)
    words = encoded.bits
    assert words.shape == (packed.n_nodes, -(-code.size // 64))
    node = 0
    for graph in graphs:
        for name in graph.nodes:
            expected = {
                position
                for symbol in graph.properties(name)
                for position in code.positions[batch.vocabulary.symbols.index(symbol)].tolist()
            }
            set_bits = {
                word * 64 + bit
                for word in range(words.shape[1])
                for bit in range(64)
                if int(words[node, word]) >> bit & 1
            }
            assert set_bits == expected
            node += 1


def test_codes_of_very_many_bits_are_drawn_at_once():
    code = codes.random(3, 1_000_000, 20_000, DRAW, distinct=True)
    assert code.positions.shape == (3, 20_000)
    assert (np.diff(code.positions, axis=1) > 0).all()


def test_a_code_must_fit_the_vocabulary():
    batch = gtm.GraphBatch.from_arrays([1], [[1, 0]])
    with pytest.raises(gtm.CodeError, match="one entry for each of the 2 symbols of the graphs; it has 3"):
        codes.encode(batch, codes.one_hot(3))


def test_a_one_hot_code_with_gaps_is_encoded_like_any_other():
    code = codes.one_hot(2, stride=70)
    encoded = codes.encode(gtm.GraphBatch.from_arrays([1], [[0, 1]]), code)
    assert encoded.bits.tolist() == [[0, 1 << 6, 0]]
    assert encoded.n_bits == 140


def test_numpy_seeds_are_seeds():
    assert code_draws(np.int64(5), Purpose.SYMBOL_CODE)(1, 2) == code_draws(5, Purpose.SYMBOL_CODE)(1, 2)
    large = np.uint64(2**64 - 1)
    assert code_draws(large, Purpose.SYMBOL_CODE)(1, 2) == code_draws(2**64 - 1, Purpose.SYMBOL_CODE)(1, 2)


def test_codes_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        codes.one_hot(3).positions[0] = 2
