"""Rules for clingo that say where clauses are true, how many literals they miss, and which messages arrive."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from graphtm.export.logic_terms import term
from graphtm.export.program import Program

MANY_CLAUSES = 200
"""Number of clauses above which rules take the faster, longer form."""
_WIDTH = 120


@dataclass(frozen=True)
class Needs:
    """What the rules must say, from the votes down: which clauses at which layer, and which bits."""

    voting: list[int]
    true: list[list[int]]
    """Clauses whose exact truth up to each layer is needed."""
    bits: list[list[int]]
    """Bits that are read at each layer."""


class ClauseRules:
    """The rules of clauses, and of the bits that they read."""

    def __init__(self, program: Program) -> None:
        self._program = program
        names = program.vocabulary
        self._symbol_terms, self._edge_type_terms = list(map(term, names.symbols)), list(map(term, names.edge_types))
        self._symbols = _symbol_owners(program)
        self._messages = _message_owners(program)
        self._needs = self._found_needs()

    def _found_needs(self) -> Needs:
        program, graded = self._program, self._program.max_misses > 0
        voting = [clause for clause in range(program.n_clauses) if any(row[clause] for row in program.weights)]
        above: set[int] = set() if graded else set(voting)
        true: list[list[int]] = []
        bits: list[list[int]] = []
        for layer in reversed(range(program.depth)):
            readers = above.union(voting) if graded else above
            terms = [program.terms[layer][clause] for clause in readers]
            read = {bit for included in terms for bit in (*included.ones, *included.zeros)}
            true.append(sorted(above))
            bits.append(sorted(read))
            if layer:
                above = above | {clause for bit in read for clause, _ in self._messages.get(bit, ())}
        return Needs(voting, true[::-1], bits[::-1])

    @property
    def many_clauses(self) -> bool:
        """Whether rules are written so that the time does not grow with the square of the number of clauses."""
        return self._program.depth > 1 and self._program.n_clauses > MANY_CLAUSES

    def shares(self, layer: int) -> list[int]:
        """Return the bits of a layer that are read and have several owners."""
        return [bit for bit in self._needs.bits[layer] if self._n_owners(layer, bit) > 1]

    def shared_symbols(self) -> Iterator[str]:
        """Yield the bits of a node that several symbols own."""
        shared = self.shares(0)
        if shared:
            yield "bit(G,N,K) :- has(G,N,Symbol), symbol_bit(Symbol,K)."
        for bit in shared:
            yield " ".join(f"symbol_bit({self._symbol_terms[owner]},{bit})." for owner in self._symbols[bit])

    def clauses(self) -> Iterator[str]:
        """Yield the rules of each clause, with its votes."""
        program, needs = self._program, self._needs
        outputs = list(map(term, program.outputs))
        true = [set(clauses) for clauses in needs.true]
        for clause in range(program.n_clauses):
            rules = [self._true(layer, clause) for layer in range(program.depth) if clause in true[layer]]
            votes = [(output, row[clause]) for output, row in zip(outputs, program.weights, strict=True) if row[clause]]
            if votes and program.max_misses:
                rules.append(self._misses(clause))
            if votes:
                rules.append(" ".join(f"weight({output},{clause},{weight})." for output, weight in votes))
            if rules:
                yield "\n".join(rules) + "\n"
        if not needs.voting:
            yield "#defined weight/3. #defined true/4. #defined misses/4."

    def messages(self) -> Iterator[str]:
        """Yield what arrives at nodes."""
        program, edge_types = self._program, self._edge_type_terms
        any_shared = False
        for layer in range(1, program.depth):
            for bit in self._needs.bits[layer]:
                if self._n_owners(layer, bit) == 1:
                    clause, number = self._messages[bit][0]
                    sent = f"true({layer - 1},{clause},G,U), edge(G,U,N,{edge_types[number]})"
                    yield f"message(G,N,{layer},{edge_types[number]},{clause}) :- {sent}."
            shared = self.shares(layer)
            if shared:
                any_shared = True
                yield (
                    f"inbox(G,N,{layer},K) :- true({layer - 1},J,G,U), edge(G,U,N,Type), clause_bit(J,B), "
                    f"shift(Type,T), K = (B+T) \\ {program.message_size}, read({layer},K)."
                )
                yield from (f"read({layer},{bit})." for bit in shared)
        if any_shared:
            for clause, bits in enumerate(program.clause_bits):
                yield " ".join(f"clause_bit({clause},{bit})." for bit in bits)
            yield from (f"shift({name},{number})." for number, name in enumerate(edge_types))

    def _true(self, layer: int, clause: int) -> str:
        included = self._program.terms[layer][clause]
        # A rule that begins with atoms of one clause makes clingo search those of all clauses for them.
        look_up = "not not " if layer and self.many_clauses else ""
        start = [f"{look_up}true({layer - 1},{clause},G,N)"] if layer else self._node(clause, "node(G,N)")
        ones = [look_up + self._bit(layer, bit) for bit in included.ones]
        zeros = [f"not {self._bit(layer, bit)}" for bit in included.zeros]
        literals = [*(["node(G,N)"] if look_up else []), *start, *ones, *zeros]
        *body, last = dict.fromkeys(literals)
        return filled([f"true({layer},{clause},G,N) :-", *(f"{literal}," for literal in body), f"{last}."])

    def _misses(self, clause: int) -> str:
        """Return the rule that counts which literals of a clause do not hold at a node."""
        missed = []
        for layer, terms in enumerate(self._program.terms):
            missed += [f"not {self._bit(layer, bit)}" for bit in terms[clause].ones]
            missed += [self._bit(layer, bit) for bit in terms[clause].zeros]
        start = [f"{literal}," for literal in self._node(clause, "answers(G,N)")]
        *others, last = [f"{number}: {literal}" for number, literal in enumerate(missed, 1)] or [""]
        count = ["M = #count {", *(f"{counted};" for counted in others), last]
        return filled([f"misses(G,{clause},N,M) :-", *start, *count, f"}}, M <= {self._program.max_misses}."])

    def _node(self, clause: int, start: str) -> list[str]:
        """Return the condition that a node has the type of a clause, where types matter."""
        types = self._program.vocabulary.node_types
        if not self._program.types_matter:
            return [start]
        return [start, f"type(G,N,{term(types[clause % len(types)])})"]

    def _bit(self, layer: int, bit: int) -> str:
        """Return the condition that a bit of a layer is set."""
        n_owners = self._n_owners(layer, bit)
        if n_owners == 0:
            return "#false"
        if layer == 0:
            name = self._symbol_terms[self._symbols[bit][0]]
            return f"has(G,N,{name})" if n_owners == 1 else f"bit(G,N,{bit})"
        clause, number = self._messages[bit][0]
        name = self._edge_type_terms[number]
        return f"message(G,N,{layer},{name},{clause})" if n_owners == 1 else f"inbox(G,N,{layer},{bit})"

    def _n_owners(self, layer: int, bit: int) -> int:
        return len((self._messages if layer else self._symbols).get(bit, ()))


def _symbol_owners(program: Program) -> dict[int, list[int]]:
    """Return the symbols that own each bit of a node."""
    owners: dict[int, list[int]] = {}
    for symbol, bits in enumerate(program.symbol_bits):
        for bit in bits:
            owners.setdefault(bit, []).append(symbol)
    return owners


def _message_owners(program: Program) -> dict[int, list[tuple[int, int]]]:
    """Return the messages, as clause and number of the edge type, that own each bit that some clause reads."""
    owners: dict[int, list[tuple[int, int]]] = {}
    n_types = len(program.vocabulary.edge_types)
    read = sorted({bit for terms in program.terms[1:] for included in terms for bit in included.ones + included.zeros})
    if not read or not n_types:
        return owners
    codes = np.array(program.clause_bits, dtype=np.int64)
    bits = (codes[:, :, None] + np.arange(n_types)) % program.message_size
    for clause, place, number in np.argwhere(np.isin(bits, read)).tolist():
        owners.setdefault(int(bits[clause, place, number]), []).append((clause, number))
    return owners


def filled(pieces: Iterable[str]) -> str:
    """Return the pieces of a rule, separated by spaces, in lines of limited width; a long piece has its own line.

    Examples
    --------
    >>> filled(["a :-", "b,", "c."])
    'a :- b, c.'
    """
    lines: list[str] = []
    for piece in filter(None, pieces):
        if lines and len(lines[-1]) + 1 + len(piece) <= _WIDTH:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"    {piece}" if lines else piece)
    return "\n".join(lines)
