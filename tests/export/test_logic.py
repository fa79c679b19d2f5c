"""Logic programs, run by clingo, vote and predict as the estimator does, and refuse what they cannot compute."""

import itertools
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from explained import chain_machine, random_model
from export.odd_machines import machine_for
from export.reasoner import answer_of, disagreements, named
from export.trained import QUICK, trained
from fitted import estimator_of, model_of, with_state
from hypothesis import given
from hypothesis import strategies as st
from machines import cases
from sequences import word_graph
from strategies import graph_lists, names

import graphtm as gtm
from graphtm.export import Program, Term, facts_text, logic_clauses, logic_text
from graphtm.export.logic_terms import LARGEST, term
from graphtm.foundation.names import name_key

clingo = pytest.importorskip("clingo", reason="clingo is not installed")

kinds = st.sampled_from([gtm.GraphTMClassifier, gtm.GraphTMMultiLabelClassifier])
HOSTILE = [
    'quo"te',
    "back\\slash",
    "\\",
    'end\\"). has(0,0,"A"). %',
    "line\nbreak",
    "carriage\rreturn",
    "tab\t",
    "\x00",
    "\x1b[31m",
    "*/",
    "*% %* #script(python) #end.",
    "import os",
    "true",
    "none",
    "not",
    "é漢😀",
    "\u2028",
    "\u202e",
    "\ud800",
    "",
    "1",
    1,
    -1,
    True,
    None,
    LARGEST,
    LARGEST + 1,
    -(2**70),
    (),
    ("A",),
    ("A", (None, False)),
    ("characters", 0),
]


def example(*parts):
    """Return a graph whose nodes have these properties, with edges of one type between neighbours, both ways."""
    graph = gtm.Graph()
    for node, properties in enumerate(parts):
        graph.add_node(node, properties)
    for node in range(len(parts) - 1):
        graph.add_edge(node, node + 1, "next")
        graph.add_edge(node + 1, node, "next")
    return graph


# Agreement with the estimators


@pytest.mark.slow
@given(cases(), kinds)
def test_random_machines(case, kind):
    model, graphs = model_of(case)
    model = with_state(model, weights=np.clip(model.state.weights, -40_000, 40_000))
    assert disagreements(estimator_of(model, kind), graphs) == []


@given(st.integers(0, 2**32 - 1), st.sampled_from([0, 0, 1, 2, 5, 254]), kinds, st.sampled_from([0, 200]))
def test_machines_whose_clauses_are_true(seed, max_misses, kind, many_clauses):
    model, graphs = random_model(seed, max_misses)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logic_clauses, "MANY_CLAUSES", many_clauses)
        assert disagreements(estimator_of(model, kind), graphs) == []


def test_with_many_clauses_atoms_are_looked_up(monkeypatch):
    monkeypatch.setattr(logic_clauses, "MANY_CLAUSES", 1)
    model, graphs = chain_machine()
    estimator = estimator_of(model)
    looked_up = 'node(G,N), not not true(0,1,G,N), not not message(G,N,1,"red",0).'
    assert f"true(1,1,G,N) :- {looked_up}" in logic_text(estimator._program())
    assert disagreements(estimator, graphs) == []


@given(graph_lists(min_size=1), st.integers(0, 2**32 - 1))
def test_graphs_with_any_names(graphs, seed):
    batch = gtm.GraphBatch.from_graphs(graphs)
    assert disagreements(estimator_of(machine_for(batch, seed)), batch) == []


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("name", QUICK)
def test_trained_machines(name, graded):
    estimator, graphs = trained(name, graded)
    n = {"hex": 10, "text": 2, "tu": 30}.get(name, 30)
    assert disagreements(estimator, graphs[:n]) == []


@pytest.mark.parametrize("graded", [False, True])
def test_questions_about_all_graphs(graded):
    """What clingo says of graphs that it makes up is what the estimator says of each."""
    estimator, _ = trained("sequence", graded)
    words = list(itertools.product("AB", repeat=4))
    every = """
        node(0,0..3). { has(0,N,("A";"B")) } = 1 :- node(0,N).
        edge(0,N,N+1,"right") :- node(0,N), node(0,N+1). edge(0,N+1,N,"left") :- node(0,N), node(0,N+1).
    """
    control = clingo.Control(["0"])
    control.add("base", [], logic_text(estimator._program()) + every)
    control.ground([("base", [])])
    said = {}
    with control.solve(yield_=True) as found:
        for model in found:
            atoms = model.symbols(atoms=True)
            word = tuple(symbol.string for _, _, symbol in sorted(named(atoms, "has", 3)))
            [(_, said[word])] = named(atoms, "predict", 2)
    predicted = estimator.predict([word_graph(word) for word in words]).tolist()
    assert {word: label.number for word, label in said.items()} == dict(zip(words, predicted, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("name", [*QUICK, "digits"])
def test_trained_machines_on_all_graphs(name, graded):
    estimator, graphs = trained(name, graded)
    assert disagreements(estimator, graphs[:500]) == []


def test_the_first_of_the_best_classes_is_predicted():
    model, graphs = chain_machine()
    model = with_state(model, weights=np.zeros((2, 2), np.int32))
    estimator = estimator_of(model)
    assert estimator.class_sums(graphs).tolist() == [[0, 0]] * len(graphs)
    assert disagreements(estimator, graphs) == []
    last = logic_text(estimator._program()).replace("I = #min", "I = #max")
    assert disagreements(estimator, graphs, last) == list(range(len(graphs)))
    assert disagreements(estimator_of(model, gtm.GraphTMMultiLabelClassifier), graphs) == []


def test_many_graphs_are_numbered_across_chunks(monkeypatch):
    graphs = gtm.datasets.sequences(30, random_state=0).graphs
    whole = facts_text(graphs)
    monkeypatch.setattr(gtm.GraphBatch.chunks, "__defaults__", (7,))
    assert len(list(graphs.chunks())) == 30
    assert facts_text(graphs) == whole == facts_text(list(graphs))
    assert "node(29,4)." in whole


def test_readout_nodes_are_facts_where_others_are_none():
    graphs = gtm.GraphBatch.from_graphs([example(["A"], ["B"])] * 2)
    assert "readout" not in facts_text(graphs)
    facts = facts_text(graphs.with_readout([0, 1, 3])).splitlines()
    assert [line.split()[1] for line in facts] == ['has(0,0,"A").', 'has(0,1,"B").', 'has(1,0,"A").', "readout(1,1)."]


# A wrong rule is noticed


PLANTED = [
    ("not has(", "has("),
    ("not message(", "message("),
    ("true(0,1,G,U)", "true(1,1,G,U)"),
    (", answers(G,N)", ", answers(G,N), N < 2"),
    ("edge(G,U,N,", "edge(G,N,U,"),
    ("weight(1,", "weight(0,"),
    ("S = #sum { W,J:", "S = #sum { W:"),
]
PLANTED_GRADED = [
    ("M <= 3", "M <= 2"),
    ("#count { 1: ", "#count { 2: "),
    ("S = #max { 4-M,N:", "S = #min { 4-M,N:"),
    ("W*X,J", "W*X"),
    (" 3: not ", " 3: "),
]


@pytest.mark.parametrize(
    ("right", "wrong", "graded"),
    [*((*pair, False) for pair in PLANTED), *((*pair, True) for pair in PLANTED_GRADED)],
)
def test_a_planted_bug_is_noticed(right, wrong, graded):
    estimator, graphs = trained("sequence", graded)
    text = logic_text(estimator._program())
    assert right in text
    assert disagreements(estimator, graphs[:20], text.replace(right, wrong))


# Names


@given(names, names)
def test_different_names_are_different_terms(one, other):
    for name in (one, other):
        text = term(name)
        assert str(clingo.parse_term(text)) == text
        assert "\n" not in text
    assert (term(one) == term(other)) == (name_key(one) == name_key(other))


def test_hostile_names_are_different_terms():
    texts = list(map(term, [*HOSTILE, 1.0, -0.0, 1e300]))
    assert [str(clingo.parse_term(text)) for text in texts] == texts
    assert len(set(texts)) == len(texts)
    assert all(text.isprintable() or "\u202e" in text for text in texts)


@pytest.mark.parametrize("seed", range(6))
def test_hostile_names_are_harmless(seed):
    rng = np.random.default_rng(seed)
    some = [HOSTILE[number] for number in rng.permutation(len(HOSTILE))]
    node_types = [name for name in some if name is not None][:3]
    graphs = []
    for _ in range(3):
        graph = gtm.Graph()
        for node in some[:4]:
            properties = [name for name in some if rng.random() < 0.5]
            graph.add_node(repr(node), properties, node_types[rng.integers(3)])
        for number in rng.integers(len(some), size=20):
            graph.add_edge(repr(some[rng.integers(4)]), repr(some[rng.integers(4)]), some[number])
        graphs.append(graph)
    batch = gtm.GraphBatch.from_graphs(graphs, gtm.Vocabulary(some, some, node_types))
    estimator = estimator_of(machine_for(batch, seed), gtm.GraphTMMultiLabelClassifier)
    estimator.classes_ = np.empty(3, object)
    estimator.classes_[:] = some[-3:]
    assert disagreements(estimator, batch) == []
    atoms = answer_of(logic_text(estimator._program()), facts_text(batch))
    assert {str(name) for _, _, name in named(atoms, "has", 3)} == set(map(term, some))
    assert {str(name) for _, name, _ in named(atoms, "votes", 3)} == set(map(term, some[-3:]))


def test_names_of_other_types_are_refused():
    with pytest.raises(gtm.GraphTMError, match="must be str, int, float, bool, None or tuples of these; got a 'bytes'"):
        term(b"A")


# Files


def test_files_are_run_by_the_command(tmp_path):
    estimator, graphs = trained("sequence")
    estimator.export(tmp_path / "model.lp")
    gtm.export.write_graphs(estimator._program(), graphs[:3], tmp_path / "graphs.lp")
    command = [sys.executable, "-m", "clingo", "model.lp", "graphs.lp"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    shown = run.stdout.split("Answer: 1")[1].split("\n")[1].split()
    assert sorted(shown) == [f"predict({graph},{label})" for graph, label in enumerate(estimator.predict(graphs[:3]))]


# What the program says


def test_one_hot_machines_are_written_by_name():
    model, _ = chain_machine()
    lines = logic_text(estimator_of(model)._program()).splitlines()
    assert [line for line in lines if line.startswith(("true", "message", "weight"))] == [
        'true(0,0,G,N) :- node(G,N), has(G,N,"A").',
        "true(1,0,G,N) :- true(0,0,G,N).",
        "weight(0,0,1).",
        'true(0,1,G,N) :- node(G,N), has(G,N,"B"), not has(G,N,"A").',
        'true(1,1,G,N) :- true(0,1,G,N), message(G,N,1,"red",0).',
        "weight(0,1,-2). weight(1,1,3).",
        'message(G,N,1,"red",0) :- true(0,0,G,U), edge(G,U,N,"red").',
    ]


def test_clauses_that_neither_vote_nor_are_heard_have_no_rules():
    model, graphs = chain_machine()
    silent = estimator_of(with_state(model, weights=np.array([[0, 0], [0, 3]], np.int32)))
    text = logic_text(silent._program())
    assert "true(0,0,G,N) :-" in text  # heard by the other clause
    assert "true(1,0,G,N) :-" not in text
    assert disagreements(silent, graphs) == []
    alone = estimator_of(with_state(model, weights=np.array([[2, 0], [-1, 0]], np.int32)))
    text = logic_text(alone._program())
    assert "message" not in text.split("% Which nodes answer")[1]
    assert "true(0,1," not in text
    assert disagreements(alone, graphs) == []


def hand_made(*layers, weights=((1, 10, 100),), **others):
    """Return the program of a machine: symbols A and B share bit 1, bit 3 has no owner, messages have three bits."""
    settings = dict(
        task="classification",
        outputs=("only",),
        vocabulary=gtm.Vocabulary(["A", "B"], ["next", "far"]),
        hypervector_size=4,
        message_size=3 if len(layers) > 1 else 0,
        symbol_bits=((0, 1), (1, 2)),
        clause_bits=((0,), (1,), (1,)) if len(layers) > 1 else (),
        max_misses=0,
        types_matter=False,
        ignores_unknown=False,
    )
    return Program(terms=layers, weights=weights, **(settings | others))


def rules_of(program, *heads):
    """Return the rules that begin with one of these."""
    return [line for line in logic_text(program).splitlines() if line.startswith(heads)]


def test_bits_that_several_own_are_numbers():
    program = hand_made((Term((1,), ()), Term((0, 1), (2,)), Term((), (3,))))
    assert rules_of(program, "true", "bit", "symbol_bit") == [
        "bit(G,N,K) :- has(G,N,Symbol), symbol_bit(Symbol,K).",
        'symbol_bit("A",1). symbol_bit("B",1).',
        "true(0,0,G,N) :- node(G,N), bit(G,N,1).",
        'true(0,1,G,N) :- node(G,N), has(G,N,"A"), bit(G,N,1), not has(G,N,"B").',
        "true(0,2,G,N) :- node(G,N), not #false.",
    ]
    atoms = answer_of(
        logic_text(program), facts_text([example(["A"]), example(["B"]), example([]), example(["A", "B"])])
    )
    assert [total.number for _, _, total in sorted(named(atoms, "votes", 3))] == [111, 101, 100, 101]


def test_messages_that_share_bits_are_numbers():
    nothing = Term((), ())
    first = (Term((0,), ()), Term((2,), ()), nothing)
    program = hand_made(first, (Term((1,), ()), Term((0,), ()), Term((2,), ())))
    assert rules_of(program, "true(1", "message", "inbox", "read") == [
        # Over "next", clauses send their own bits, over "far" the bits after these: bit 0 has one owner.
        "true(1,0,G,N) :- true(0,0,G,N), inbox(G,N,1,1).",
        'true(1,1,G,N) :- true(0,1,G,N), message(G,N,1,"next",0).',
        "true(1,2,G,N) :- true(0,2,G,N), inbox(G,N,1,2).",
        'message(G,N,1,"next",0) :- true(0,0,G,U), edge(G,U,N,"next").',
        "inbox(G,N,1,K) :- true(0,J,G,U), edge(G,U,N,Type), clause_bit(J,B), shift(Type,T), K = (B+T) \\ 3, read(1,K).",
        "read(1,1).",
        "read(1,2).",
    ]
    atoms = answer_of(logic_text(program), facts_text([example(["A"], ["B"]), example(["A"])]))
    # Clause 2 sends bit 1 over "next" from every node, clause 0 bit 0 from A to B.
    assert [total.number for _, _, total in sorted(named(atoms, "votes", 3))] == [11, 0]


def test_a_literal_that_two_bits_repeat_counts_twice():
    both = Term((0, 1), ())
    known = gtm.Vocabulary(["A", "B"])
    program = hand_made((both,), vocabulary=known, weights=((1,),), symbol_bits=((0, 1), (2, 3)), max_misses=2)
    atoms = answer_of(logic_text(program), facts_text([example(["A"]), example(["B"])]))
    assert [total.number for _, _, total in sorted(named(atoms, "votes", 3))] == [3, 1]
    assert rules_of(replace(program, max_misses=0), "true") == ['true(0,0,G,N) :- node(G,N), has(G,N,"A").']


# Refusals


def test_graphs_with_unknown_names_are_refused():
    clauses = (Term((0,), ()), Term((), (0,)), Term((), ()))
    program = hand_made(clauses)
    graphs = [example(["A"], ["B"]), example(["A", "b"]), example(["A"], ["A"]), example([None])]
    graphs[2].add_edge(0, 1, "other")
    atoms = answer_of(logic_text(program), facts_text(graphs))
    assert sorted(f"{graph} {reason}" for graph, reason in named(atoms, "refused", 2)) == [
        '1 symbol("b")',
        '2 edge_type("other")',
        "3 symbol(none)",
    ]
    assert [graph.number for graph, _ in named(atoms, "predict", 2)] == [0]
    with pytest.raises(gtm.UnknownSymbolError, match="Unknown symbol"):
        facts_text(graphs, program)

    ignoring = replace(program, ignores_unknown=True)
    for facts in (facts_text(graphs), facts_text(graphs, ignoring)):
        atoms = answer_of(logic_text(ignoring), facts)
        assert named(atoms, "refused", 2) == []
        assert [graph.number for graph, _ in sorted(named(atoms, "predict", 2))] == [0, 1, 2, 3]
        assert [total.number for _, _, total in sorted(named(atoms, "votes", 3))] == [111, 101, 101, 110]
    assert '"b"' not in facts_text(graphs, ignoring)


@pytest.mark.parametrize("ignores_unknown", [False, True])
def test_graphs_whose_node_types_are_unknown_are_refused(ignores_unknown):
    typed, untyped = gtm.Graph(), gtm.Graph()
    typed.add_node(0, ["A"], type="x")
    untyped.add_node(0, ["A"])
    clauses = (Term((0,), ()), Term((), (0,)), Term((), ()))
    for node_types, accepted in (([], [1]), (["x", "y"], [0]), (["y"], [])):
        known = gtm.Vocabulary(["A", "B"], ["next"], node_types)
        program = hand_made(clauses, vocabulary=known, types_matter=bool(node_types), ignores_unknown=ignores_unknown)
        for number, graph in enumerate((typed, untyped)):
            atoms = answer_of(logic_text(program), facts_text([graph]))
            assert len(named(atoms, "predict", 2)) == (number in accepted)
            assert len(named(atoms, "refused", 2)) == (number not in accepted)
            if number not in accepted:
                with pytest.raises((gtm.GraphError, gtm.UnknownSymbolError), match="node type"):
                    facts_text([graph], program)


@pytest.mark.parametrize("max_misses", [0, 2])
def test_votes_must_fit_into_32_bits(max_misses):
    most = LARGEST // (max_misses + 1)
    clauses = (Term((0,), ()), Term((), ()), Term((), (1,)))
    largest = hand_made(clauses, weights=((most - 5, 5, 0),), max_misses=max_misses)
    atoms = answer_of(logic_text(largest), facts_text([example(["A"])]))
    assert [total.number for _, _, total in named(atoms, "votes", 3)] == [most * (max_misses + 1)]
    negative = hand_made(clauses, weights=((5 - most, -5, 0),), max_misses=max_misses)
    atoms = answer_of(logic_text(negative), facts_text([example(["A"])]))
    assert [total.number for _, _, total in named(atoms, "votes", 3)] == [-most * (max_misses + 1)]
    for weights in ((most - 5, 6, 0), (most, 0, -1)):
        with pytest.raises(gtm.GraphTMError, match=r"'only' must add up to at most 2,147,483,647 .* Call refit"):
            logic_text(hand_made(clauses, weights=(weights,), max_misses=max_misses))


def test_messages_must_fit_into_32_bits():
    clauses = (Term((), ()),) * 3
    with pytest.raises(
        gtm.GraphTMError, match=r"Messages must have fewer than 2,147,483,647 bits .* got 2,147,483,646"
    ):
        logic_text(hand_made(clauses, clauses, message_size=LARGEST - 1))


def test_what_is_no_list_of_graphs_is_refused():
    with pytest.raises(TypeError, match=r"got one Graph. Write \[graph\]"):
        facts_text(example(["A"]))
    with pytest.raises(TypeError, match="Graph"):
        facts_text([1])
    assert facts_text([]) == ""
