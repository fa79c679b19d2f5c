"""A trained machine as a logic program for clingo, which predicts exactly the same.

Bits are written by name: a bit with one owner is the property or message that owns it, and so are all bits of one_hot
codes. Only bits that several owners share remain numbers, with rules that say which properties and messages set them.
Clauses that neither vote nor send a message that another clause reads have no rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from graphtm.errors import GraphTMError
from graphtm.export.logic_clauses import ClauseRules
from graphtm.export.logic_terms import LARGEST, term
from graphtm.export.program import Program
from graphtm.foundation.version import __version__

_HEADER = """\
% A trained Graph Tsetlin Machine as a logic program, written by graphtm {version}: clingo model.lp graphs.lp
% G is a graph, N a node, J the number of a clause.
%
% Facts about graphs:
%   node(G,N)  has(G,N,Symbol)  edge(G,From,To,Type)  type(G,N,Type)
%   readout(G,N): the nodes that answer, if not all nodes of the graph do
% Answers:
%   predict(G,C): {predicted}
%   votes(G,C,S): the vote sum of {output} C
%   refused(G,Reason): the graph has a name that the machine does not know, and no prediction
% Clauses:
%   true(L,J,G,N): all literals of the clause up to layer L hold at the node
%   message(G,N,L,Type,J): over an edge of this type comes a message from a node where true(L-1,J,...)
"""
_GRADED = """\
%   misses(G,J,N,M): the clause misses M of its literals at the node, which are few enough
%   strength(G,J,S): {one_more} minus the fewest misses at a node that answers
"""
_UNGRADED = """\
%   fires(G,J): the clause is true at a node that answers
"""
_MANY_CLAUSES = """\
%   `not not` changes nothing but the speed: clingo looks such an atom up instead of searching for all like it
"""
_SHARED_SYMBOLS = """\
%   bit(G,N,K): bit K of the node, which several symbols own, is set
"""
_SHARED_MESSAGES = """\
%   inbox(G,N,L,K): bit K of what the node receives at layer L, which several messages own, is set
"""


def logic_text(program: Program) -> str:
    r"""Return a trained machine as a logic program for clingo.

    With the facts of :func:`~graphtm.export.facts_text`, it has one answer set, whose ``predict`` and ``votes`` are
    those of the machine.

    Parameters
    ----------
    program
        The machine.

    Raises
    ------
    GraphTMError
        If a vote sum could be beyond the 32-bit integers of clingo, which would be wrong without notice; or if the
        machine predicts numbers.

    Examples
    --------
    >>> from graphtm import Vocabulary
    >>> from graphtm.export import Program, Term
    >>> both = Term(ones=(0, 1), zeros=())
    >>> known = Vocabulary(["A", "B"], ["right"])
    >>> program = Program("classification", ("no", "yes"), known, 2, 0, ((0,), (1,)), (), ((both,),), ((-1,), (2,)), 0,
    ...                   False, False)
    >>> print(*(line for line in logic_text(program).splitlines() if line.startswith(("true", "weight"))), sep="\n")
    true(0,0,G,N) :- node(G,N), has(G,N,"A"), has(G,N,"B").
    weight("no",0,-1). weight("yes",0,2).
    """
    if program.task == "regression":
        raise GraphTMError(
            "A regressor cannot be a logic program, since clingo has no numbers with fractions. Export it in JSON, as "
            "a Python module or as a C header."
        )
    _check_range(program)
    rules = ClauseRules(program)
    parts = [
        _header(program, rules),
        _section("Which nodes answer", _NODES),
        _section("Properties: bits that several symbols own", rules.shared_symbols()),
        _section("Clauses and their votes", rules.clauses()),
        _section("Messages", rules.messages()),
        _section("Votes", _votes(program)),
        _section("Names that the machine knows", _known_names(program)),
        _section("What clingo prints", ["#show predict/2.", "#show refused/2."]),
    ]
    return "\n".join(filter(None, parts))


_NODES = [
    "graph(G) :- node(G,_).",
    "restricted(G) :- readout(G,_).",
    "answers(G,N) :- node(G,N), not restricted(G).",
    "answers(G,N) :- node(G,N), readout(G,N).",
    "#defined has/3. #defined edge/4. #defined type/3. #defined readout/2.",
]


def _header(program: Program, rules: ClauseRules) -> str:
    several = program.task == "multilabel"
    predicted = "each label with a sum of at least 0" if several else "the first class with the largest sum"
    text = _HEADER.format(predicted=predicted, output="label" if several else "class", version=__version__)
    text += _GRADED.format(one_more=program.max_misses + 1) if program.max_misses else _UNGRADED
    text += _MANY_CLAUSES if rules.many_clauses else ""
    text += _SHARED_SYMBOLS if rules.shares(0) else ""
    return text + (_SHARED_MESSAGES if any(rules.shares(layer) for layer in range(1, program.depth)) else "")


def _section(title: str, lines: Iterable[str]) -> str:
    text = "\n".join(lines).rstrip()
    return f"% {title}\n\n{text}\n" if text else ""


def _votes(program: Program) -> Iterator[str]:
    """Yield the vote sums and the prediction."""
    if program.max_misses:
        yield (f"strength(G,J,S) :- misses(G,J,_,_), S = #max {{ {program.max_misses + 1}-M,N: misses(G,J,N,M) }}.")
        yield "votes(G,C,S) :- graph(G), output(_,C), S = #sum { W*X,J: strength(G,J,X), weight(C,J,W) }."
    else:
        yield f"fires(G,J) :- true({program.depth - 1},J,G,N), answers(G,N)."
        yield "votes(G,C,S) :- graph(G), output(_,C), S = #sum { W,J: fires(G,J), weight(C,J,W) }."
    if program.task == "multilabel":
        yield "predict(G,C) :- votes(G,C,S), S >= 0, not refused(G,_)."
    else:
        yield "largest(G,S) :- graph(G), S = #max { X: votes(G,_,X) }."
        yield "first(G,I) :- largest(G,S), I = #min { K: votes(G,C,S), output(K,C) }."
        yield "predict(G,C) :- first(G,I), output(I,C), not refused(G,_)."
    yield from (f"output({number},{term(name)})." for number, name in enumerate(program.outputs))


def _known_names(program: Program) -> Iterator[str]:
    """Yield which names are known, and that graphs with others are refused, as estimators do."""
    vocabulary = program.vocabulary
    if not program.ignores_unknown:
        yield "refused(G,symbol(S)) :- has(G,_,S), not symbol(S)."
        yield "refused(G,edge_type(T)) :- edge(G,_,_,T), not edge_type(T)."
        yield from (f"symbol({term(name)})." for name in vocabulary.symbols)
        yield from (f"edge_type({term(name)})." for name in vocabulary.edge_types)
    yield "refused(G,node_type(T)) :- type(G,_,T), not node_type(T)."
    if len(vocabulary.node_types):
        yield "refused(G,untyped) :- node(G,N), not type(G,N,_)."
    yield from (f"node_type({term(name)})." for name in vocabulary.node_types)
    yield "#defined symbol/1. #defined edge_type/1. #defined node_type/1."


def _check_range(program: Program) -> None:
    """Refuse what clingo would compute modulo 2**32."""
    for output, weights in zip(program.outputs, program.weights, strict=True):
        most = (program.max_misses + 1) * sum(map(abs, weights))
        if most > LARGEST:
            raise GraphTMError(
                f"The votes for {output!r} must add up to at most {LARGEST:,} in a logic program, since clingo has "
                f"32-bit integers; they can reach {most:,}. Call refit, which makes weights small, or export in JSON."
            )
    if program.message_size + len(program.vocabulary.edge_types) > LARGEST:
        raise GraphTMError(
            f"Messages must have fewer than {LARGEST:,} bits in a logic program, since clingo computes with 32-bit "
            f"integers; got {program.message_size:,}. Export in JSON."
        )
