"""The paper's printed clauses, given as state, come out in its notation; its traceability tables come out as tables."""

import pytest
from sequences import hand_made_model, word_graph

from graphtm.explain import rules_of

THREE_AS = (
    [
        ["NOT A", "r1:0", "r1:1"],
        ["l1:0", "l1:1", "l1:3", "NOT r1:0"],
        ["A", "r1:2", "r1:3", "NOT r1:0", "NOT l1:0"],
        ["A", "l1:2", "l1:3", "NOT r1:0", "NOT l1:0", "NOT r1:1", "NOT r1:2"],
    ],
    [[3, -3], [3, -2], [-5, 6], [-2, 2]],
    2,
)
RUNS_OF_AS = (
    [["A", "r1:1", "r1:2", "r2:1"], ["l1:0", "l1:2", "l2:0", "l2:1"], ["A", "l2:0", "l2:1"], ["NOT A"]],
    [[-6, 8, -2], [0, -8, 6], [-1, -3, 1], [3, -3, -5]],
    3,
)
PLACES = {"r": -1, "l": 1}


def paper_rules(clauses, weights, depth, edge_types=("r", "l")):
    return rules_of(hand_made_model(clauses, weights, depth, edge_types), range(len(weights[0])))


@pytest.fixture
def three_as():
    return paper_rules(*THREE_AS)


@pytest.fixture
def runs_of_as():
    return paper_rules(*RUNS_OF_AS)


def test_printed_clauses(three_as):
    r"""Sequence experiment: C_0 = \neg A \wedge r1:0 \wedge r1:1; [3, -3], and so on."""
    assert [rule.to_latex() for rule in three_as] == [
        r"C_{0} = \neg A \wedge r1{:}0 \wedge r1{:}1;~[3, -3]",
        r"C_{1} = l1{:}0 \wedge l1{:}1 \wedge l1{:}3 \wedge \neg r1{:}0;~[3, -2]",
        r"C_{2} = A \wedge r1{:}2 \wedge r1{:}3 \wedge \neg r1{:}0 \wedge \neg l1{:}0;~[-5, 6]",
        (
            r"C_{3} = A \wedge l1{:}2 \wedge l1{:}3 \wedge \neg r1{:}0 \wedge \neg l1{:}0 \wedge \neg r1{:}1 "
            r"\wedge \neg r1{:}2;~[-2, 2]"
        ),
    ]
    assert three_as.to_latex().splitlines()[:2] == [r"\begin{align*}", "&" + three_as[0].to_latex() + r" \\"]
    assert str(three_as[2]) == "C2: A AND r:C2 AND r:C3 AND NOT r:C0 AND NOT l:C0   [-5, +6]"


def test_printed_clauses_of_experiment_two(runs_of_as):
    assert [rule.to_latex() for rule in runs_of_as] == [
        r"C_{0} = A \wedge r1{:}1 \wedge r1{:}2 \wedge r2{:}1;~[-6, 8, -2]",
        r"C_{1} = l1{:}0 \wedge l1{:}2 \wedge l2{:}0 \wedge l2{:}1;~[0, -8, 6]",
        r"C_{2} = A \wedge l2{:}0 \wedge l2{:}1;~[-1, -3, 1]",
        r"C_{3} = \neg A;~[3, -3, -5]",
    ]


def test_evaluation_at_a_node(three_as):
    """The four equations; M(ANY, .) is the paper's M(phi, .), which it drops where another match implies it."""
    plain = [str(rule.unroll(simplify=False).chain(PLACES)) for rule in three_as]
    assert plain == [
        "M(NOT A, X_n) AND M(NOT A, X_{n-1})",
        "M(NOT A, X_{n+1}) AND M(A, X_{n+1}) AND NOT M(NOT A, X_{n-1})",
        "M(A, X_n) AND M(A, X_{n-1}) AND NOT M(NOT A, X_{n-1}) AND NOT M(NOT A, X_{n+1})",
        (
            "M(A, X_n) AND M(A, X_{n+1}) AND NOT M(NOT A, X_{n-1}) AND NOT M(NOT A, X_{n+1}) "
            "AND NOT M(ANY, X_{n-1}) AND NOT M(A, X_{n-1})"
        ),
    ]
    step_d = three_as[0].unroll(simplify=False).chain(PLACES, simplify=False)
    assert str(step_d) == "M(NOT A, X_n) AND M(NOT A, X_{n-1}) AND M(ANY, X_{n-1})"
    assert step_d.to_latex() == (
        r"\mathcal{M}(\neg A, X_n) \wedge \mathcal{M}(\neg A, X_{n-1}) \wedge \mathcal{M}(\phi, X_{n-1})"
    )


def test_simpler_than_the_paper(three_as):
    """That there is no left neighbour implies that none is an A; and on any graph, not on chains only."""
    assert str(three_as[3].unroll()) == "A AND EXISTS l: A AND NOT EXISTS l: NOT A AND NOT EXISTS r: ANY"
    assert str(three_as[3].unroll().chain(PLACES)) == (
        "M(A, X_n) AND M(A, X_{n+1}) AND NOT M(NOT A, X_{n+1}) AND NOT M(ANY, X_{n-1})"
    )
    assert str(three_as[0].unroll()) == "NOT A AND EXISTS r: NOT A"


def test_experiment_two_at_a_node(runs_of_as):
    """Messages at layer 2 carry all lower layers, hence C2 is A(n), A(n+1), A(n+2); C0's layer 0 is A."""
    assert [str(rule.unroll().chain(PLACES)) for rule in runs_of_as] == [
        "M(A, X_n) AND M(A, X_{n-1})",
        "M(A, X_{n+1}) AND M(A, X_n) AND M(A, X_{n+2})",
        "M(A, X_n) AND M(A, X_{n+1}) AND M(A, X_{n+2})",
        "M(NOT A, X_n)",
    ]


def test_traceability_table(three_as):
    """The table of the sequence experiment, line by line."""
    table = three_as.traceability(PLACES)
    assert table.header == ("C_j", "C_j^0", "C_j^1", "C_j^0(X_n)", "C_j^1(X_n)", "weights")
    assert table.rows == (
        ("C0", "NOT A", "r:C0", "C0^0(X_n)", "C0^0(X_{n-1})", "[3, -3]"),
        ("", "", "r:C1", "", "C1^0(X_{n-1})", ""),
        ("C1", "ANY", "l:C0", "C1^0(X_n)", "C0^0(X_{n+1})", "[3, -2]"),
        ("", "", "l:C1", "", "C1^0(X_{n+1})", ""),
        ("", "", "l:C3", "", "C3^0(X_{n+1})", ""),
        ("", "", "NOT r:C0", "", "NOT C0^0(X_{n-1})", ""),
        ("C2", "A", "r:C2", "C2^0(X_n)", "C2^0(X_{n-1})", "[-5, 6]"),
        ("", "", "r:C3", "", "C3^0(X_{n-1})", ""),
        ("", "", "NOT r:C0", "", "NOT C0^0(X_{n-1})", ""),
        ("", "", "NOT l:C0", "", "NOT C0^0(X_{n+1})", ""),
        ("C3", "A", "l:C2", "C3^0(X_n)", "C2^0(X_{n+1})", "[-2, 2]"),
        ("", "", "l:C3", "", "C3^0(X_{n+1})", ""),
        ("", "", "NOT r:C0", "", "NOT C0^0(X_{n-1})", ""),
        ("", "", "NOT l:C0", "", "NOT C0^0(X_{n+1})", ""),
        ("", "", "NOT r:C1", "", "NOT C1^0(X_{n-1})", ""),
        ("", "", "NOT r:C2", "", "NOT C2^0(X_{n-1})", ""),
    )
    latex = table.to_latex().splitlines()
    assert latex[2] == r"$C_j$ & $C_j^0$ & $C_j^1$ & $C_j^0(X_n)$ & $C_j^1(X_n)$ & weights \\"
    assert latex[4] == r"$C_{0}$ & $\neg A$ & $r1{:}0$ & $C_{0}^0(X_n)$ & $C_{0}^0(X_{n-1})$ & $[3, -3]$ \\"


def test_traceability_table_of_experiment_two(runs_of_as):
    """Its list of clauses holds, and components of layer 1 are traced with the layers below them."""
    table = runs_of_as.traceability(PLACES)
    assert table.header[4:7] == ("C_j^0(X_n)", "C_j^1(X_n)", "C_j^2(X_n)")
    assert [row[6] for row in table.rows] == [
        "C1^1(X_{n-1}) -> C1^0(X_{n-1}), C0^0(X_n), C2^0(X_n)",
        "",
        "C0^1(X_{n+1}) -> C0^0(X_{n+1}), C1^0(X_n), C2^0(X_n)",
        "C1^1(X_{n+1}) -> C1^0(X_{n+1}), C0^0(X_{n+2}), C2^0(X_{n+2})",
        "C0^1(X_{n+1}) -> C0^0(X_{n+1}), C1^0(X_n), C2^0(X_n)",
        "C1^1(X_{n+1}) -> C1^0(X_{n+1}), C0^0(X_{n+2}), C2^0(X_{n+2})",
        "ANY",
    ]
    assert table.rows[-1] == ("C3", "NOT A", "ANY", "ANY", "C3^0(X_n)", "ANY", "ANY", "[3, -3, -5]")
    assert r"$C_{1}^1(X_{n-1}) \rightarrow C_{1}^0(X_{n-1}), C_{0}^0(X_n), C_{2}^0(X_n)$" in table.to_latex()


def test_truth_at_nodes(three_as, runs_of_as):
    """With its NOT l1:0, C2 is true at X2 of BAAAE only; on BBAEE only C3 of Experiment 2 is true."""
    table = three_as.truth_table(word_graph("BAAAE", edge_types=("r", "l")))
    assert table.header == ("C_j(X_n)", "X_0=B", "X_1=A", "X_2=A", "X_3=A", "X_4=E")
    assert table.rows == (
        ("C0", "False", "False", "False", "False", "False"),
        ("C1", "False", "False", "False", "False", "False"),
        ("C2", "False", "False", "True", "False", "False"),
        ("C3", "False", "False", "False", "False", "False"),
    )
    table = runs_of_as.truth_table(word_graph("BBAEE", edge_types=("r", "l")))
    assert [row[1:] for row in table.rows[:3]] == [("False",) * 5] * 3
    assert table.rows[3] == ("C3", "True", "True", "False", "True", "True")
    assert table.to_latex().splitlines()[2] == (
        r"$C_j(X_n)$ & $X_{0}=B$ & $X_{1}=B$ & $X_{2}=A$ & $X_{3}=E$ & $X_{4}=E$ \\"
    )


def test_other_edge_types_name_the_neighbour():
    rules = paper_rules(*THREE_AS, edge_types=("from", "to"))
    assert rules.traceability().rows[0][4] == "C0^0(X_{from})"
    with pytest.raises(ValueError, match=r"must have an offset for every edge type.*Got none for 'from'"):
        rules[0].unroll().chain()
    for wrong in (0.5, True, "left"):
        with pytest.raises(ValueError, match=rf"to integer offsets. Got {wrong!r} for 'from' instead"):
            rules[0].unroll().chain({"from": wrong})
    with pytest.raises(TypeError, match=r"of truth_table must be a Graph. Got a 'list' instead; write graphs\[i\]"):
        rules.truth_table([word_graph("AB")])
