"""Formulas of graded clauses have the machine's strengths, at every node, always."""

import pickle
from itertools import count, islice

import numpy as np
import pytest
from explained import chain_truth, check_class_sums, differences, random_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sequences import word_graph

import graphtm as gtm
from graphtm import codes
from graphtm.explain import Clauses, Formulas, evaluate, matches, unrolling
from graphtm.model import MachineParams, MachineState, Model
from graphtm.testing import random_case


def graded_cases(start, n):
    """The first ``n`` random machines with graded clauses, from a seed on."""
    found = (case for case in map(random_case, count(start)) if case.params.max_misses)
    return islice(found, n)


@pytest.mark.slow
def test_formulas_have_the_strengths_of_two_thousand_machines():
    for case in graded_cases(10_000, 2000):
        assert differences(case.model, case.batch) == 0, case.name
        check_class_sums(case.model, case.batch)


def found(n=60):
    """Whether random graded machines, hashed and dense enough, show a difference between machine and formulas."""
    cases = ((case.model, case.batch) for case in graded_cases(0, n))
    return any(differences(*case) for case in [*cases, *(random_model(seed, 1 + seed % 5) for seed in range(n))])


def test_these_machines_have_no_differences():
    assert not found()


def test_one_miss_too_many_is_found(monkeypatch):
    graded = Formulas.graded
    monkeypatch.setattr(Formulas, "graded", lambda self, parts, m: graded(self, parts, m - 1))
    assert found()


def test_equal_literals_that_count_once_are_found(monkeypatch):
    graded = Formulas.graded
    monkeypatch.setattr(Formulas, "graded", lambda self, parts, m: graded(self, dict.fromkeys(parts), m))
    assert found()


def test_a_layer_whose_misses_do_not_count_is_found(monkeypatch):
    whole = unrolling.Unrolling._conditions

    def last_only(self, layer, terms, below, bits):
        counted = isinstance(terms, list) and layer < len(self._layers) - 1
        return iter(()) if counted else whole(self, layer, terms, below, bits)

    monkeypatch.setattr(unrolling.Unrolling, "_conditions", last_only)
    assert found()


def test_a_contradiction_taken_for_never_is_found(monkeypatch):
    graded = Formulas.graded

    def strict(self, parts, max_misses):
        parts = list(parts)
        opposed = {part.parts[0].number for part in parts if part.kind == "not"} & {part.number for part in parts}
        return self.false if opposed else graded(self, parts, max_misses)

    monkeypatch.setattr(Formulas, "graded", strict)
    assert found()


def test_messages_sent_by_clauses_that_miss_are_found(monkeypatch):
    """As if a sender of some strength sent messages, too."""
    exact = unrolling.Unrolling._formula

    def lenient(self, layer, clause, below, bits):
        terms = self._layers[layer].bits(self._clauses.included[layer][clause])
        conditions = list(self._conditions(layer, terms, below, bits))
        return exact(self, layer, clause, below, bits) if layer else self._graded(clause, conditions)

    monkeypatch.setattr(unrolling.Unrolling, "_formula", lenient)
    assert found()


@pytest.fixture
def make():
    return Formulas()


def test_what_a_count_leaves_out(make):
    a, b, c = make.has("A"), make.has("B"), make.has("C")
    assert str(make.graded([a, b, c], 1)) == "at least 2 of: A, B, C"
    assert str(make.graded([a, b, c], 0)) == "A AND B AND C"
    assert str(make.graded([a, b, c], 3)) == "strength 1 always, and 1 more for each of: A, B, C"
    assert str(make.graded([a], 3)) == "strength 3 always, and 1 more for each of: A"
    assert str(make.graded([], 3)) == "strength 4 always"
    assert make.graded([], 0).is_true
    assert str(make.graded([a, make.not_(a), b, c], 2)) == "at least 1 of: B, C"
    assert str(make.graded([a, make.not_(a), b, c], 1)) == "B AND C"
    assert make.graded([a, make.not_(a)], 0).is_false
    assert make.graded([make.true, make.false, b, c], 2) is make.graded([b, c], 1)
    assert make.graded([make.false, make.false, b, c], 1).is_false
    # B twice is missed twice: with one miss it is required.
    assert str(make.graded([b, a, b], 1)) == "B AND (strength 1 always, and 1 more for each of: A)"
    assert str(make.graded([b, a, b, c], 2)) == "at least 2 of: B (counts as 2), A, C"
    assert make.graded([a, a, b, c], 2) is make.graded([c, a, b, a], 2)
    assert make.graded([a, a, b, c], 2) != make.graded([a, b, b, c], 2)
    assert make.graded([a, b, c], np.int64(2)) is make.graded([a, b, c], 2)
    for wrong in (-1, 255, True, 1.5, np.int64(-1), np.float64(1)):
        with pytest.raises(ValueError, match=r"'max_misses' parameter of graded must be an int from 0 to 254\. Got"):
            make.graded([a], wrong)


def test_what_is_graded_is_not_counted(make):
    """Else its own strength could exceed that of the count, in which a formula counts once."""
    a, b, c = make.has("A"), make.has("B"), make.has("C")
    counted = make.graded([a, b], 1)
    for graded in (counted, make.all_of([c, counted])):
        with pytest.raises(ValueError, match=r"formulas to count must not be graded\. Got '.*at least 1 of: A, B"):
            make.graded([c, graded], 1)
    assert str(make.graded([make.graded([a, b], 0), c], 1)) == "at least 1 of: (A AND B), C"
    assert str(make.graded([make.not_(counted), c], 1)) == "at least 1 of: NOT (at least 1 of: A, B), C"


def test_counts_travel_and_are_equal_by_how_they_are_made(make):
    a, b, c = (make.has(symbol) for symbol in "ABC")
    formula = make.all_of([make.is_type("x"), make.graded([a, a, make.not_(b), make.exists("t", c)], 2)])
    there = pickle.loads(pickle.dumps(formula))
    assert there == formula
    assert hash(there) == hash(formula)
    assert str(there) == str(formula) == "TYPE x AND (at least 2 of: A (counts as 2), NOT B, EXISTS t: C)"
    other = Formulas()
    a, b, c = (other.has(symbol) for symbol in "ABC")
    swapped = [a, other.not_(b), other.not_(b), other.exists("t", c)]
    assert formula != other.all_of([other.is_type("x"), other.graded(swapped, 2)])
    fewer = [a, a, other.not_(b), other.exists("t", c)]
    assert formula != other.all_of([other.is_type("x"), other.graded(fewer, 1)])
    assert formula == other.all_of([other.graded(fewer[::-1], 2), other.is_type("x")])


def test_latex_writes_sums(make):
    a, b, c = make.has("A"), make.has("B"), make.exists("t", make.has("C"))
    assert make.graded([a, b, c], 1).to_latex() == r"\max(0, A + B + \exists_{t}\, C - 1)"
    assert make.graded([a, b, c], 2).to_latex() == r"A + B + \exists_{t}\, C"
    assert make.graded([a, b], 3).to_latex() == "2 + A + B"
    assert make.graded([], 3).to_latex() == "4"
    assert make.graded([a, c, c, b], 2).to_latex() == r"\max(0, A + 2 \cdot \exists_{t}\, C + B - 1)"
    typed = make.all_of([make.is_type("x"), make.graded([a, b], 1)])
    assert typed.to_latex() == r"\mathrm{type}\,x \wedge (A + B)"
    assert str(typed) == "TYPE x AND (at least 1 of: A, B)"


def test_text_of_counts_stops_and_says_so(make):
    symbols = [make.has(f"s{number}") for number in range(50)]
    formula = make.graded([*symbols, symbols[0]], 40)
    assert formula.to_text(3) == "at least 11 of: s0 (counts as 2), s1, s2, ...\n(47 of 50 terms left out)"
    assert "left out" not in formula.to_text(50)
    pair = make.all_of([make.has("A"), make.has("B")])
    twice = make.graded([make.exists("t", pair), make.exists("u", pair), make.has("C")], 1)
    assert str(twice) == "at least 2 of: EXISTS t: F1, EXISTS u: F1, C\nwhere F1 = A AND B"
    twice = make.graded([make.exists("t", pair), make.exists("t", pair), make.has("C"), make.has("D")], 2)
    assert str(twice) == "at least 2 of: EXISTS t: (A AND B) (counts as 2), C, D"


def test_other_parts_ask_whether_a_strength_is_above_zero(make):
    """Only an AND keeps a strength: the least of its parts."""
    graph = gtm.Graph()
    for name, symbols in (("x", "ABC"), ("y", "AB"), ("z", "A")):
        graph.add_node(name, list(symbols))
    graph.add_edge("y", "z", "t")
    a, b, c = (make.has(symbol) for symbol in "ABC")
    counted = make.graded([a, b, c], 1)
    assert counted.evaluate(graph).tolist() == [2, 1, 0]
    assert make.not_(counted).evaluate(graph).tolist() == [False, False, True]
    assert make.exists("t", counted).evaluate(graph).tolist() == [False, False, True]
    assert make.any_of([counted, c]).evaluate(graph).tolist() == [True, True, False]
    both = make.all_of([counted, make.graded([b], 4), make.not_(make.has("D"))])
    assert both.is_graded
    assert both.evaluate(graph).tolist() == [2, 1, 0]
    assert both.evaluate(graph).dtype == np.uint8
    assert counted.matches([graph]).tolist() == [2]
    graph.set_readout(["y", "z"])
    assert counted.matches([graph]).tolist() == [1]
    assert evaluate([counted, c], graph).tolist() == [[2, 1], [1, 0], [0, 0]]
    assert matches([counted, c], graph).tolist() == [[1, 0]]
    assert evaluate([], graph).dtype == evaluate([c], graph).dtype == np.bool_


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 4), st.booleans())
def test_chains_have_the_same_strengths(seed, depth, max_misses, simplify):
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("AB"), rng.integers(1, 6))) for _ in range(4)]
    params = MachineParams(
        n_outputs=2,
        n_clauses=4,
        hypervector_size=2,
        message_code=codes.one_hot(4, 2),
        depth=depth,
        max_misses=max_misses,
    )
    automata = tuple(
        np.where(rng.random((4, 2 * params.layer_size(layer))) < (0.4 if layer == 0 else 0.2), 200, 50).astype(np.uint8)
        for layer in range(depth)
    )
    state = MachineState(automata, np.ones((2, 4), np.int32))
    model = Model(gtm.Vocabulary(["A", "B"], ["right", "left"]), codes.one_hot(2), params, state)
    for formula in Clauses(model).unroll(range(4), simplify=simplify):
        form = formula.chain(simplify=simplify)
        for word in words:
            expected = formula.evaluate(word_graph(word)).tolist()
            assert [chain_strength(form, word, n) for n in range(len(word))] == expected, (
                str(formula),
                str(form),
                word,
            )


def chain_strength(form, word, n):
    least = 1
    strengths = []
    for part in form.conjuncts:
        if part.kind == "count":
            held = [
                (one.name if one.kind == "times" else 1)
                * chain_truth(one.parts[0] if one.kind == "times" else one, word, n)
                for one in part.parts
            ]
            strengths.append(max(0, part.name + sum(held)))
        else:
            least = min(least, chain_truth(part, word, n))
    return min(strengths, default=1) * least
