"""What every encoder's ``render`` takes: weights of symbols, or literals of a rule."""

import importlib.util
import subprocess
import sys

import numpy as np
import pytest

import graphtm as gtm
from graphtm.encoders import BoardGame, ImagePatches, KMers, Relations, Superpixels, Table, Tokens
from graphtm.encoders.rendering import heaviest, symbol_weights
from graphtm.explain import Literal, Message
from graphtm.foundation.numbering import Names
from graphtm.testing.encoders import _same

SYMBOLS = Names(["a", ("b", 1), 3])
ENCODERS = [
    (ImagePatches(2), np.eye(3)[None]),
    (Tokens(), ["the dog bites", "a cat"]),
    (KMers(), ["GATTACA"]),
    (Table(), [[1.0, "a"], [2.0, "b"]]),
    (Relations(edges=[("a", "to", "b")]), [{"a": "x", "b": "y"}]),
    (BoardGame(), np.eye(3, dtype=int)[None]),
    *([(Superpixels(4), np.eye(6)[None])] if importlib.util.find_spec("skimage") else []),
]


def test_mappings_and_literals():
    assert symbol_weights({"a": 2, 3: -0.5}, SYMBOLS).tolist() == [2, 0, -0.5]
    literals = (Literal(0, False, ("a",)), Literal(0, True, (("b", 1), 3)), Literal(0, True, ()))
    assert symbol_weights(literals, SYMBOLS).tolist() == [1, -0.5, -0.5]
    assert symbol_weights({}, SYMBOLS).tolist() == symbol_weights((), SYMBOLS).tolist() == [0, 0, 0]
    assert heaviest(literals, SYMBOLS) == [("a", 1.0), (("b", 1), -0.5), (3, -0.5)]


@pytest.mark.parametrize(("encoder", "data"), ENCODERS, ids=[type(encoder).__name__ for encoder, _ in ENCODERS])
def test_every_encoder_renders_the_literals_of_a_rule(encoder, data):
    encoder.fit(data)
    first, last = encoder.vocabulary_.symbols[0], encoder.vocabulary_.symbols[-1]
    rule = (Literal(0, False, (first,)), Literal(0, True, (last,)))
    assert _same(encoder.render(rule), encoder.render({first: 1, last: -1}))
    with pytest.raises(ValueError, match=r"symbols of the node, `rule.layers\[0\]`; got 'to:C3'"):
        encoder.render([Literal(1, False, (Message("to", 3),))])
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol 'stranger'"):
        encoder.render({"stranger": 1})


@pytest.mark.parametrize("weights", ["a", 5, None, ["a"], [[]], gtm.explain.Rule(0, (), (), ())])
def test_what_has_no_weights_is_refused(weights):
    with pytest.raises(TypeError, match=r"a mapping from symbols to numbers, or the literals of a rule, .*; got '"):
        symbol_weights(weights, SYMBOLS)


def test_weights_that_are_no_numbers_are_refused():
    with pytest.raises(TypeError, match="The weights to render must be numbers; got 'much' for symbol 'a'"):
        symbol_weights({"a": "much"}, SYMBOLS)


def test_encoders_load_nothing_of_the_machine():
    code = "import sys, graphtm.encoders; print(*{name.split('.')[1] for name in sys.modules if 'graphtm.' in name})"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert set(loaded.split()) == {"encoders", "errors", "foundation", "graphs"}
