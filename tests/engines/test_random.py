"""The generator: published vectors, the naive twin, and the statistics that a machine relies on."""

import naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphtm.engines.random import (
    Purpose,
    clause_key,
    code_draws,
    digit_words,
    epoch_order,
    hash32,
    initial_weights,
    mask_digits,
    mask_words,
    mix,
    output_key,
    step_key,
)

VECTORS = {
    "mix(1)": 0x5692161D100B05E5,
    "step_key(mask, 7)": 0x63DFB6A53047DC53,
    "output_key(mask, 7, 3)": 0x8346625831AF7A5,
    "R(mask, 7, 3, 5, 1, 2, digits 1 2 3 9)": [
        0x58D51573F2C56C97,
        0x2CB17E9907172971,
        0xF7A0E404373B2086,
        0xAF5B10F22CAFB4A6,
    ],
    "mask(7, 3, 5, 1, words 0..3), s = 3": [
        0x92806710343A3,
        0x84D9002ADE01B481,
        0x4891141102052893,
        0x5E99B952028F2A18,
    ],
    "mask(7, 3, 5, 1, words 0..3), s = 10": [0x80241020003, 0xD1000200010400, 0x80000002002000, 0x81010000002000],
    "u32(update, 2^64-1, 4000, 0..2), seed 2^64-1": [0xB6ABA94E, 0x7651B5E7, 0x68E4652],
    "u32(focus, 7, clauses 0..2)": [0x2A7F924B, 0x5A111F68, 0x66FC7205],
    "u32(output, 7, outputs 0..2)": [0x74156A43, 0xF58CE759, 0x9BB9CE60],
    "u32(update, 7, 3, 0..2)": [0x7D4610E7, 0x1CADDFB, 0x41CB191C],
    "u32(weight, 3, 0..2)": [0x3FDEC752, 0xE02C4340, 0xB9CDDF1B],
    "u32(symbol code, 9, draws 0..2)": [0xC4BD0DCE, 0x8F151AC0, 0x472A6255],
    "u32(clause code, 9, draws 0..2)": [0x81F6726C, 0xD8ADB4FE, 0x7066EE75],
    "order(epoch 1, 8 examples)": [5, 0, 6, 3, 1, 2, 4, 7],
    "weights(1 output, 16 clauses)": [1, 1, -1, -1, 1, -1, -1, 1, -1, -1, -1, -1, 1, -1, -1, 1],
}

words64 = st.integers(0, 2**64 - 1)
small = st.integers(0, 2**31 - 1)


def test_published_vectors():
    """The numbers of docs/decisions/0003-random-generator.md; they may never change."""
    seed = 42
    assert int(mix(np.array([1], np.uint64))[0]) == VECTORS["mix(1)"]
    assert int(step_key(seed, Purpose.MASK, 7)[0]) == VECTORS["step_key(mask, 7)"]
    key = output_key(seed, Purpose.MASK, 7, 3)
    assert int(key[0]) == VECTORS["output_key(mask, 7, 3)"]
    below = clause_key(key, 5, 1)
    digits = [int(word[0]) for word in digit_words(below, 2, 9)]
    assert [*digits[:3], digits[8]] == VECTORS["R(mask, 7, 3, 5, 1, 2, digits 1 2 3 9)"]
    # a team of 65 literals and their negations: words 0 and 1, then 2 and 3
    for s in (3.0, 10.0):
        words = mask_words(below, np.arange(4), *mask_digits(s))
        assert words.tolist() == VECTORS[f"mask(7, 3, 5, 1, words 0..3), s = {s:.0f}"]
    late = 2**64 - 1
    assert (
        hash32(output_key(late, Purpose.UPDATE, late, 4000), np.arange(3)).tolist()
        == VECTORS["u32(update, 2^64-1, 4000, 0..2), seed 2^64-1"]
    )
    assert hash32(output_key(seed, Purpose.FOCUS, 7), np.arange(3)).tolist() == VECTORS["u32(focus, 7, clauses 0..2)"]
    assert hash32(step_key(seed, Purpose.OUTPUT, 7), np.arange(3)).tolist() == VECTORS["u32(output, 7, outputs 0..2)"]
    assert hash32(output_key(seed, Purpose.UPDATE, 7, 3), np.arange(3)).tolist() == VECTORS["u32(update, 7, 3, 0..2)"]
    assert hash32(output_key(seed, Purpose.WEIGHT, 0, 3), np.arange(3)).tolist() == VECTORS["u32(weight, 3, 0..2)"]
    for purpose, name in ((Purpose.SYMBOL_CODE, "symbol"), (Purpose.CLAUSE_CODE, "clause")):
        draws = code_draws(seed, purpose)(np.full(3, 9), np.arange(3))
        assert draws.tolist() == VECTORS[f"u32({name} code, 9, draws 0..2)"]
    assert epoch_order(seed, 1, 8).tolist() == VECTORS["order(epoch 1, 8 examples)"]
    assert initial_weights(seed, 1, 16).tolist() == [VECTORS["weights(1 output, 16 clauses)"]]


def test_masks_of_ones_have_the_shape_of_the_others():
    keys = clause_key(output_key(3, Purpose.MASK), np.arange(5))[:, None]
    assert mask_words(keys, np.arange(8), 1, 0).shape == mask_words(keys, np.arange(8), 1, 1).shape == (5, 8)


@given(st.integers(1, 12), st.data())
def test_folding_as_digits_come_is_the_same(n, data):
    k = data.draw(st.integers(0, 2 ** (n - 1) - 1)) * 2 + 1
    keys = clause_key(output_key(data.draw(words64), Purpose.MASK), 3)
    digits = digit_words(keys, np.arange(6), n)
    mask, undecided = np.zeros(6, np.uint64), np.full(6, ~np.uint64(0))
    for digit, word in enumerate(digits, start=1):
        if k >> (n - digit) & 1:
            mask, undecided = mask | (undecided & word), undecided & ~word
        else:
            undecided = undecided & word
    assert np.array_equal(mask, mask_words(keys, np.arange(6), k, n))


@given(words64, st.sampled_from(list(Purpose)), words64, small, small, small, st.integers(0, 100))
def test_numpy_equals_python_integers(seed, purpose, step, output, clause, word, layer):
    assert int(step_key(seed, purpose, step)[0]) == naive.step_key(seed, purpose, step)
    key = output_key(seed, purpose, step, output)
    assert int(key[0]) == naive.output_key(seed, purpose, step, output)
    below = clause_key(key, clause, layer)
    assert int(below[0]) == naive.clause_key(seed, purpose, step, output, clause, layer)
    assert int(hash32(key, clause)[0]) == naive.hash32(naive.output_key(seed, purpose, step, output), clause)
    masks = clause_key(output_key(seed, Purpose.MASK, step, output), clause, layer)
    for digit, value in enumerate(digit_words(masks, word, 4), start=1):
        assert int(value[0]) == naive.mask_digit(seed, step, output, clause, layer, word, digit)


@given(words64, st.integers(0, 1000), st.integers(0, 50))
def test_epoch_orders_are_permutations(seed, epoch, n):
    order = epoch_order(seed, epoch, n)
    assert sorted(order.tolist()) == list(range(n))
    assert order.tolist() == naive.shuffled(seed, epoch, n)


@given(st.floats(0.01, 1e6))
def test_mask_fraction_equals_the_twin(s):
    assert mask_digits(s) == naive.mask_fraction(s)


def bits_of(words):
    return np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")


@pytest.mark.parametrize("s", [1.5, 2.0, 2.2, 3.0, 10.0, 100.0])
def test_masks_have_their_mean_and_no_correlations(s):
    """Steps x clauses x words as a machine uses them; 5 standard deviations."""
    k, n = mask_digits(s)
    p = k / 2**n
    keys = clause_key(output_key(3, Purpose.MASK, np.arange(50)[:, None]), np.arange(40))
    words = mask_words(keys[..., None], np.arange(8), k, n)
    assert words.shape == (50, 40, 8)
    bits = (bits_of(words.reshape(-1)) - p) / (p * (1 - p)) ** 0.5
    total = len(bits)
    assert abs(bits.mean()) < 5 / (64 * total) ** 0.5
    assert np.abs(bits.mean(axis=0)).max() < 5 / total**0.5
    if p * p * total < 100:
        return  # too few coincidences for the normal approximation of correlations
    correlation = bits.T @ bits / total
    np.fill_diagonal(correlation, 0)
    assert np.abs(correlation).max() < 5 / total**0.5
    cube = bits.reshape(50, 40, 8, 64)
    for one, other in ((cube[1:], cube[:-1]), (cube[:, 1:], cube[:, :-1]), (cube[:, :, 1:], cube[:, :, :-1])):
        one, other = one.reshape(-1, 64), other.reshape(-1, 64)
        assert np.abs(one.T @ other / len(one)).max() < 5.5 / len(one) ** 0.5


@pytest.mark.parametrize("purpose", [Purpose.FOCUS, Purpose.UPDATE, Purpose.OUTPUT, Purpose.WEIGHT])
def test_draws_are_uniform_and_uncorrelated(purpose):
    if purpose == Purpose.OUTPUT:
        draws = hash32(step_key(5, purpose, np.arange(2000))[:, None], np.arange(50))
    else:
        draws = hash32(output_key(5, purpose, np.arange(2000))[:, None], np.arange(50))
    u = draws / 2**32
    counts = np.histogram(u, bins=64, range=(0, 1))[0]
    expected = u.size / 64
    chi2 = ((counts - expected) ** 2 / expected).sum()
    assert abs(chi2 - 63) < 5 * (2 * 63) ** 0.5
    centred = (u - 0.5) * 12**0.5
    for one, other in ((centred[1:], centred[:-1]), (centred[:, 1:], centred[:, :-1])):
        assert abs((one * other).mean()) < 5 / one.size**0.5


def test_weights_are_balanced():
    weights = initial_weights(1, 100, 1000)
    assert set(np.unique(weights).tolist()) == {-1, 1}
    assert abs(int(weights.sum())) < 5 * 100_000**0.5
