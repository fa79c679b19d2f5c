"""Evaluation of graded clauses node by node: misses are counted over all literals of a vector at once."""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import literals_start, share, team_start, team_words
from graphtm.engines.cpu.vectors import bit_counts, load, splat, total
from graphtm.engines.cpu.words import U, trailing_zeros


@kernel
def grade_by_node(wide, half, m, s, p, n_nodes, low, high):
    """Store the strength of each clause for the graph, and the readout nodes at which it has that strength.

    The literals of all layers must be there.
    """
    # Semantics 9: evaluation.
    for clause in range(low, high):
        s.true[clause] = 0
    for w in range((n_nodes + 63) // 64):
        left = s.read[U(w)]
        while left:
            _grade_at(wide, half, m, s, p, n_nodes, np.int64(trailing_zeros(left)) + 64 * w, low, high)
            left &= left - U(1)


@inlined
def _grade_at(wide, half, m, s, p, n_nodes, node, low, high):
    """Raise the strengths to those at a node."""
    # Most clauses miss too much in their first vector: these are sorted out in loops without branches.
    if m.words0 == 0:
        for clause in range(low, high):
            s.missed[U(clause)] = 0
    elif m.words0 <= 4:
        _first_misses(half, m, s, node, low, high)
    else:
        _first_misses(wide, m, s, node, low, high)
    n_left = 0
    for clause in range(low, high):
        p.chosen[U(n_left)] = clause
        n_left += s.missed[U(clause)] + max(1, s.true[U(clause)]) <= m.max_misses + 1
    word, bit = node >> 6, U(1) << U(node & 63)
    for i in range(n_left):
        clause = np.int64(p.chosen[U(i)])
        if not _serves(m, s, clause, node):
            continue
        so_far = s.true[U(clause)]
        strength = m.max_misses + 1 - _n_missed(wide, half, m, s, clause, node, m.max_misses + 1 - so_far)
        if strength > so_far:
            s.true[U(clause)] = strength
            for w in range((n_nodes + 63) // 64):
                s.truth[U(((w >> 3) * m.n_clauses + clause) * 8 + (w & 7))] = U(0)
        if strength > 0 and strength >= so_far:
            s.truth[U(((word >> 3) * m.n_clauses + clause) * 8 + (word & 7))] |= bit


@inlined
def _first_misses(width, m, s, node, low, high):
    """Store how many literals of the first vector of each clause are missed at a node."""
    literals = load(width, s.literals, U(node * s.stride0))
    for clause in range(low, high):
        missed = load(width, m.includes, U(clause * m.words0)) & ~literals
        s.missed[U(clause)] = total(width, bit_counts(width, missed))


@inlined
def _serves(m, s, clause, node):
    """Return whether a node is of the type that a clause serves."""
    kind = clause % m.n_types if m.n_types > 1 else 0
    return (s.start[U(((node >> 9) * m.n_types + kind) * 8 + ((node >> 6) & 7))] >> U(node & 63)) & U(1) != U(0)


@kernel
def write_strengths(wide, half, m, g, s, strengths, graph, n_nodes, thread, n_threads):
    """Write the strengths of a thread's share of the clauses at all nodes."""
    low, high = share(m.n_clauses, thread, n_threads)
    for node in range(n_nodes):
        for clause in range(low, high):
            missed = m.max_misses + 1
            if _serves(m, s, clause, node):
                missed = min(missed, _n_missed(wide, half, m, s, clause, node, missed))
            strengths[g.node_ptr[graph] + node, clause] = m.max_misses + 1 - missed


@inlined
def _n_missed(wide, half, m, s, clause, node, enough):
    """Return how many included literals of all layers do not hold at a node; counting may end above ``enough``."""
    n = 0
    for layer in range(m.depth):
        words, _ = team_words(m, layer)
        start, stride = literals_start(s, layer)
        at, team = U(start + node * stride), U(team_start(m, layer, clause))
        if words <= 4:
            n += _n_absent(half, m.includes, team, words, s.literals, at, enough)
        else:
            n += _n_absent(wide, m.includes, team, words, s.literals, at, enough)
        if n > enough:
            break
    return n


@inlined
def _n_absent(width, includes, start, words, literals, at, enough):
    """Return how many literals of a team are not among these."""
    step = len(width)
    counts = splat(width, U(0))
    w = 0
    # An early exit pays off only where many vectors are left.
    while w < words and np.int64(total(width, counts)) <= enough:
        end = min(w + 16 * step, words)
        while w < end:
            missed = load(width, includes, start + U(w)) & ~load(width, literals, at + U(w))
            counts = counts + bit_counts(width, missed)
            w += step
    return np.int64(total(width, counts))
