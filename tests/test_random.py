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
    "step_key(42, mask, 7)": 0x63DFB6A53047DC53,
    "output_key(42, mask, 7, 3)": 0x8346625831AF7A5,
    "R(mask, 7, 3, 5, 1, 2, 1..3)": [0x58D51573F2C56C97, 0x2CB17E9907172971, 0xF7A0E404373B2086],
    "u32(focus, 7, 3, 0..2)": [0x73A3F931, 0xF0525648, 0xCC217240],
    "u32(update, 7, 3, 0..2)": [0x7D4610E7, 0x1CADDFB, 0x41CB191C],
    "u32(weight, 7, 3, 0..2)": [0x7F86F1A2, 0x46782C1B, 0xE8169122],
    "u32(output, 7, 0..2)": [0x74156A43, 0xF58CE759, 0x9BB9CE60],
    "u32(symbol code, 9, 0..2)": [0xC4BD0DCE, 0x8F151AC0, 0x472A6255],
    "order(42, epoch 1, 8 examples)": [5, 0, 6, 3, 1, 2, 4, 7],
    "weights(42, 1 output, 16 clauses)": [1, 1, -1, -1, 1, -1, -1, 1, -1, -1, -1, -1, 1, -1, -1, 1],
}

words64 = st.integers(0, 2**64 - 1)
small = st.integers(0, 2**31 - 1)


def test_published_vectors():
    """The numbers of docs/decisions/0003-random-generator.md; they may never change."""
    assert int(mix(np.array([1], np.uint64))[0]) == 0x5692161D100B05E5
    seed = 42
    assert int(step_key(seed, Purpose.MASK, 7)[0]) == VECTORS["step_key(42, mask, 7)"]
    assert int(output_key(seed, Purpose.MASK, 7, 3)[0]) == VECTORS["output_key(42, mask, 7, 3)"]
    key = output_key(seed, Purpose.MASK, 7, 3)
    assert [int(word[0]) for word in digit_words(clause_key(key, 5, 1), 2, 3)] == VECTORS[
        "R(mask, 7, 3, 5, 1, 2, 1..3)"
    ]
    for purpose, name in ((Purpose.FOCUS, "focus"), (Purpose.UPDATE, "update"), (Purpose.WEIGHT, "weight")):
        key = output_key(seed, purpose, 7, 3)
        assert hash32(key, np.arange(3)).tolist() == VECTORS[f"u32({name}, 7, 3, 0..2)"]
    assert hash32(step_key(seed, Purpose.OUTPUT, 7), np.arange(3)).tolist() == VECTORS["u32(output, 7, 0..2)"]
    draws = code_draws(seed, Purpose.SYMBOL_CODE)(np.full(3, 9), np.arange(3))
    assert draws.tolist() == VECTORS["u32(symbol code, 9, 0..2)"]
    assert epoch_order(seed, 1, 8).tolist() == VECTORS["order(42, epoch 1, 8 examples)"]
    assert initial_weights(seed, 1, 16).tolist() == [VECTORS["weights(42, 1 output, 16 clauses)"]]


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
