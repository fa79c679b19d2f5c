"""Formulas say what the machine computes, at every node, always; and they evaluate themselves."""

import pickle

import numpy as np
import pytest
from explained import chain_truth, check_class_sums, differences
from hypothesis import given, settings
from hypothesis import strategies as st
from sequences import word_graph
from strategies import graph_lists

import graphtm as gtm
from graphtm import codes
from graphtm.engines.random import Purpose, code_draws
from graphtm.explain import Clauses, Formulas, evaluate, evaluation, matches, meanings, unrolling
from graphtm.explain import clauses as clauses_module
from graphtm.model import MachineParams, MachineState, Model
from graphtm.testing import random_case


def test_random_machines():
    """One-hot and random codes of symbols, every code of messages, node types, 0 to 20 edge types, readout sets."""
    for seed in range(100):
        case = random_case(seed)
        assert differences(case.model, case.batch) == 0, case.name
        check_class_sums(case.model, case.batch)


@pytest.mark.slow
def test_thousands_of_random_machines():
    for seed in range(100, 2100):
        case = random_case(seed)
        assert differences(case.model, case.batch) == 0, case.name
        check_class_sums(case.model, case.batch)


@st.composite
def machines(draw):
    """A machine of any depth and codes, dense in literals so that bits meet, and graphs with any names."""
    batch = gtm.GraphBatch.from_graphs(draw(graph_lists(min_size=1, max_size=3)))
    vocabulary = batch.vocabulary
    n_types, depth = len(vocabulary.node_types), draw(st.integers(1, 4))
    n_clauses = draw(st.integers(max(1, n_types), max(1, n_types) + 5))
    schemes = st.sampled_from(["one_hot", "random", "double_hashing"])
    symbol_code = _code(draw, draw(schemes), len(vocabulary.symbols), 1, Purpose.SYMBOL_CODE)
    stride = max(1, len(vocabulary.edge_types))
    message_code = _code(draw, draw(schemes), n_clauses, stride, Purpose.CLAUSE_CODE)
    params = MachineParams(
        n_outputs=2,
        n_clauses=n_clauses,
        hypervector_size=symbol_code.size,
        message_code=message_code,
        depth=depth,
        max_misses=draw(st.sampled_from([0, 0, 1, 2, 5, 20])),
        n_node_types=n_types,
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    per_team = draw(st.sampled_from([0.5, 1.5, 3.0]))
    automata = []
    for layer in range(depth):
        shape = (n_clauses, 2 * params.layer_size(layer))
        automata.append(np.where(rng.random(shape) < per_team / max(1, shape[1]), 200, 50).astype(np.uint8))
    weights = rng.integers(-3, 4, (2, n_clauses)).astype(np.int32)
    return Model(vocabulary, symbol_code, params, MachineState(tuple(automata), weights)), batch


def _code(draw, scheme, n_owners, stride, purpose):
    distinct = purpose == Purpose.SYMBOL_CODE
    if scheme == "one_hot":
        return codes.one_hot(n_owners, stride)
    if scheme == "double_hashing":
        return codes.double_hashing(n_owners, draw(st.integers(5, 9)), distinct=distinct)
    size, bits = draw(st.integers(6, 12)), draw(st.integers(1, 3) if not distinct else st.just(2))
    return codes.random(n_owners, size, bits, code_draws(draw(st.integers(0, 9)), purpose), distinct=distinct)


@given(machines())
def test_any_machine(case):
    model, batch = case
    assert differences(model, batch) == 0
    check_class_sums(model, batch)


@pytest.mark.slow
@settings(max_examples=2000)
@given(machines())
def test_very_many_machines(case):
    model, batch = case
    assert differences(model, batch) == 0
    check_class_sums(model, batch)


@settings(max_examples=50)
@given(machines())
def test_many_owners_are_read_bit_by_bit(case):
    """As if every hashed bit had too many owners to sort them out."""
    model, batch = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clauses_module, "SMALL", 0)
        assert differences(model, batch) == 0
        check_class_sums(model, batch)


def found_by_the_cases(limit=60):
    """Whether the random machines show a difference."""
    return any(differences(random_case(seed).model, random_case(seed).batch) for seed in range(limit))


def test_a_reversed_direction_is_found(monkeypatch):
    forward = evaluation.NodeTruth._edges_by_type.func

    def backward(self):
        sources, destinations, ptr = forward(self)
        return destinations, sources, ptr

    monkeypatch.setattr(evaluation.NodeTruth, "_edges_by_type", property(backward))
    assert found_by_the_cases()


def test_a_bit_taken_for_its_first_symbol_is_found(monkeypatch):
    honest = meanings.Owners.of
    monkeypatch.setattr(meanings.Owners, "of", lambda self, bit: honest(self, bit)[:1])
    assert found_by_the_cases()


def test_an_edge_type_that_does_not_shift_is_found(monkeypatch):
    def careless(code, n_edge_types):
        messages = np.repeat(np.arange(code.n_owners * n_edge_types), code.bits_per_owner)
        bits = np.repeat(code.positions.astype(np.int64), n_edge_types, axis=0).reshape(-1)
        return meanings.owners_from_pairs(bits, messages, code.size, code.n_owners * n_edge_types)

    monkeypatch.setattr(clauses_module, "message_owners", careless)
    assert found_by_the_cases()


def test_a_layer_left_out_is_found(monkeypatch):
    whole = unrolling.Unrolling._formula

    def component(self, layer, clause, below, bits):
        nothing_below = dict.fromkeys(below, self._make.true)
        return whole(self, layer, clause, nothing_below if layer > 1 else below, bits)

    monkeypatch.setattr(unrolling.Unrolling, "_formula", component)
    assert found_by_the_cases(200)


def test_pieces_make_no_difference(monkeypatch):
    """However little memory, and whether graphs are made on demand or there are none."""
    case = random_case(7)
    clauses = Clauses(case.model)
    made = clauses.unroll(range(clauses.n_clauses))
    at, of = evaluate(made, case.batch), matches(made, case.batch)
    monkeypatch.setattr(evaluation, "_TRUTH_BYTES", 1)
    np.testing.assert_array_equal(evaluate(made, case.batch), at)
    np.testing.assert_array_equal(matches(made, case.batch), of)
    assert evaluate(made, case.batch[:0]).shape == matches(made, case.batch[:0]).shape == (0, clauses.n_clauses)
    assert evaluate([], case.batch).shape == (case.batch.n_nodes, 0)


# What formulas know of themselves


@pytest.fixture
def make():
    return Formulas()


def test_what_is_plain_is_left_out(make):
    a, b = make.has("A"), make.has("B")
    assert make.all_of([]).is_true
    assert make.any_of([]).is_false
    assert make.all_of([a, a]) is a
    assert make.all_of([a, make.not_(a)]).is_false
    assert make.any_of([a, make.not_(a)]).is_true
    assert make.not_(make.not_(a)) is a
    assert make.exists("t", make.false).is_false
    assert make.all_of([make.is_type("x"), make.is_type("y")]).is_false
    assert str(make.all_of([a, make.any_of([a, b])])) == "A"
    assert make.all_of([a, b]) is make.all_of([b, a])


def test_names_of_different_types_are_different(make):
    assert make.has(1) is not make.has(True)
    assert make.has(1) != make.has(True)


def test_what_edges_imply(make):
    a, b = make.has("A"), make.has("B")
    any_, some, both = (make.exists("t", inner) for inner in (make.true, a, make.all_of([a, b])))
    other = make.exists("u", make.true)
    assert str(any_) == "EXISTS t: ANY"
    assert str(make.all_of([any_, some, other])) == "EXISTS t: A AND EXISTS u: ANY"
    assert str(make.all_of([some, both])) == "EXISTS t: (A AND B)"
    assert str(make.all_of([make.not_(some), make.not_(both)])) == "NOT EXISTS t: A"
    assert str(make.all_of([make.not_(any_), make.not_(some)])) == "NOT EXISTS t: ANY"
    assert make.all_of([both, make.not_(some)]).is_false
    assert make.all_of([some, make.not_(any_)]).is_false
    assert make.all_of([some, make.not_(make.any_of([other, any_]))]).is_false
    assert not make.all_of([some, make.not_(both)]).is_false
    assert make.any_of([any_, some, other]) == make.any_of([any_, other])
    assert str(make.any_of([some, both])) == "EXISTS t: A"


def test_equality_is_about_how_they_are_made():
    one, other = Formulas(), Formulas()
    other.has("Z")
    formula = one.all_of([one.has("A"), one.exists("t", one.any_of([one.has("B"), one.has("C")]))])
    same = other.all_of([other.exists("t", other.any_of([other.has("C"), other.has("B")])), other.has("A")])
    assert formula == same
    assert hash(formula) == hash(same)
    assert formula != one.has("A")
    assert formula != other.all_of([other.exists("u", other.any_of([other.has("C"), other.has("B")])), other.has("A")])
    assert formula != "A"


def test_formulas_of_different_makings_go_together():
    """As ``[rule.unroll() for rule in rules]`` has them."""
    one, other = Formulas(), Formulas()
    a, b = one.has("A"), other.not_(other.has("B"))
    graph = word_graph("ABC")
    np.testing.assert_array_equal(evaluate([a, b], graph), [[True, True], [False, False], [False, True]])
    np.testing.assert_array_equal(matches([a, b], [graph]), [[True, True]])
    assert str(one.all_of([a, b])) == "A AND NOT B"
    assert one.all_of([a, b]).evaluate(graph).tolist() == [True, False, False]


def test_formulas_travel():
    """At any depth; numbers are given anew, for those of another process may be taken."""
    make = Formulas()
    formula = make.has("A")
    for _ in range(2000):
        formula = make.all_of([make.is_type(True), make.exists(("t", 1), make.not_(formula))])
    there = pickle.loads(pickle.dumps(formula))
    assert there == formula
    assert hash(there) == hash(formula)
    assert there.to_text(None) == formula.to_text(None)
    assert not {part.number for part in there.walk()} & {part.number for part in formula.walk()}
    chain = make.all_of([make.has("A"), make.exists("right", make.not_(make.has("B")))]).chain()
    assert pickle.loads(pickle.dumps(chain)) == chain


def test_text_names_what_is_used_twice(make):
    pair = make.all_of([make.has("A"), make.not_(make.has("B"))])
    formula = make.all_of([make.exists("left", pair), make.not_(make.exists("right", pair)), make.is_type("x")])
    assert str(formula) == "EXISTS left: F1 AND NOT EXISTS right: F1 AND TYPE x\nwhere F1 = A AND NOT B"
    assert formula.to_latex() == (
        r"\exists_{\mathrm{left}}\, F_{1} \wedge \neg \exists_{\mathrm{right}}\, F_{1} \wedge \mathrm{type}\,x"
        r" \quad\text{where } F_{1} = A \wedge \neg B"
    )
    assert str(make.has("F1")) == "'F1'"
    assert str(make.has("EXISTS")) == "'EXISTS'"
    assert repr(make.has("A")) == "<Formula A>"


def test_text_stops_and_says_so(make):
    symbols = [make.has(f"s{number}") for number in range(1200)]
    formula = make.all_of([make.has("A"), make.exists("t", make.any_of(symbols)), make.has("B")])
    assert formula.to_text(3) == (
        "A AND EXISTS t: ANY OF 1,200: (s0, s1, ...) AND ...\n(1,199 of 1,202 terms left out)"
    )
    assert "left out" not in formula.to_text(1202)
    assert formula.to_text(None) == formula.to_text(1202)
    shared = make.all_of([make.has("A"), make.has("B")])
    twice = make.all_of([make.exists("t", shared), make.exists("u", shared)])
    assert twice.to_text(2) == "EXISTS t: F1 AND EXISTS u: F1\n(2 of 4 terms left out)"
    assert twice.to_text(3) == "EXISTS t: F1 AND EXISTS u: F1\nwhere F1 = A AND ...\n(1 of 4 terms left out)"
    for wrong in (0, True, "all"):
        with pytest.raises(ValueError, match=r"'max_terms' parameter .* must be an int of at least 1 or None"):
            formula.to_text(wrong)


def test_any_depth(make):
    """Far beyond Python's stack: made, compared, evaluated and written."""
    formula = make.has("A")
    for _ in range(5000):
        formula = make.all_of([make.has("A"), make.exists("t", formula)])
    graph = gtm.Graph()
    graph.add_node(0, ["A"])
    graph.add_edge(0, 0, "t")
    assert formula.evaluate(graph).tolist() == [True]
    assert formula.to_text(None).count("EXISTS") == 5000
    other = Formulas()
    copy = other.has("A")
    for _ in range(5000):
        copy = other.all_of([other.has("A"), other.exists("t", copy)])
    assert formula == copy
    part = formula.walk()[2000]
    assert str(part.chain({"t": -1})).startswith("M(A, X_n) AND M(A, X_{n-1}) AND ")


def test_formulas_go_by_names(make):
    graph = gtm.Graph()
    graph.add_node("a", [1], type="x")
    graph.add_node("b", [True], type="y")
    graph.add_edge("a", "b", "to")
    at = {
        make.has(1): [True, False],
        make.has(True): [False, True],
        make.has("nowhere"): [False, False],
        make.is_type("y"): [False, True],
        make.is_type("z"): [False, False],
        make.exists("to", make.has(1)): [False, True],
        make.exists("fro", make.true): [False, False],
        make.not_(make.exists("to", make.true)): [True, False],
    }
    for formula, expected in at.items():
        assert formula.evaluate(graph).tolist() == expected
        assert formula.evaluate([graph, graph]).tolist() == expected * 2
    assert make.has(1).matches([graph]).tolist() == [True]
    graph.set_readout(["b"])
    assert make.has(1).matches([graph]).tolist() == [False]
    with pytest.raises(ValueError, match="A formula in chain form cannot be evaluated"):
        make.has(1).chain().evaluate(graph)


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 4), st.booleans())
def test_chains_say_the_same(seed, depth, simplify):
    """On words, places say what neighbours do; whatever the order of steps to the left and to the right."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("AB"), rng.integers(1, 6))) for _ in range(4)]
    n_clauses, code = 5, codes.one_hot(5, 2)
    params = MachineParams(n_outputs=2, n_clauses=n_clauses, hypervector_size=2, message_code=code, depth=depth)
    automata = tuple(
        np.where(rng.random((n_clauses, 2 * params.layer_size(layer))) < (0.3 if layer == 0 else 0.1), 200, 50).astype(
            np.uint8
        )
        for layer in range(depth)
    )
    state = MachineState(automata, np.ones((2, n_clauses), np.int32))
    model = Model(gtm.Vocabulary(["A", "B"], ["right", "left"]), codes.one_hot(2), params, state)
    for formula in Clauses(model).unroll(range(n_clauses), simplify=simplify):
        form = formula.chain(simplify=simplify)
        for word in words:
            expected = formula.evaluate(word_graph(word)).tolist()
            assert [chain_truth(form, word, n) for n in range(len(word))] == expected, (str(formula), str(form), word)
