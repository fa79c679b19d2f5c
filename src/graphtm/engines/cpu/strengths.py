"""Evaluation of graded clauses node by node: misses are counted over all literals of a vector at once."""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import literals_start, share, team_start, team_words
from graphtm.engines.cpu.vectors import bit_counts, load, splat, total
from graphtm.engines.cpu.words import U, trailing_zeros


@kernel
def grade_by_node(wide, half, m, s, n_nodes, low, high):
    """Store the strength of each clause for the graph, and the readout nodes at which it has that strength.

    The literals of all layers must be there.
    """
    # Semantics 9: evaluation.
    for clause in range(low, high):
        kind = clause % m.n_types if m.n_types > 1 else 0
        least = m.max_misses + 1
        for w in range((n_nodes + 63) // 64):
            block, kept = w >> 3, U(0)
            left = s.start[U((block * m.n_types + kind) * 8 + (w & 7))] & s.read[U(w)]
            while left:
                node = np.int64(trailing_zeros(left)) + 64 * w
                missed = _n_missed(wide, half, m, s, clause, node, least)
                if missed < least:
                    least, kept = missed, U(0)
                    for earlier in range(w):
                        s.truth[U(((earlier >> 3) * m.n_clauses + clause) * 8 + (earlier & 7))] = U(0)
                if missed == least:
                    kept |= left & (~left + U(1))
                left &= left - U(1)
            s.truth[U((block * m.n_clauses + clause) * 8 + (w & 7))] = kept
        s.true[clause] = m.max_misses + 1 - least


@kernel
def write_strengths(wide, half, m, g, s, strengths, graph, n_nodes, thread, n_threads):
    """Write the strengths of a thread's share of the clauses at all nodes."""
    low, high = share(m.n_clauses, thread, n_threads)
    for node in range(n_nodes):
        block, w, bit = node >> 9, (node >> 6) & 7, U(node & 63)
        for clause in range(low, high):
            kind = clause % m.n_types if m.n_types > 1 else 0
            missed = m.max_misses + 1
            if (s.start[U((block * m.n_types + kind) * 8 + w)] >> bit) & U(1):
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
    # Four at a time: an early exit pays off, a branch for every vector does not.
    counts = splat(width, U(0))
    w, whole = 0, words - words % (4 * step)
    while w < whole:
        a, b, c, d = U(w), U(w + step), U(w + 2 * step), U(w + 3 * step)
        counts = counts + bit_counts(width, load(width, includes, start + a) & ~load(width, literals, at + a))
        counts = counts + bit_counts(width, load(width, includes, start + b) & ~load(width, literals, at + b))
        counts = counts + bit_counts(width, load(width, includes, start + c) & ~load(width, literals, at + c))
        counts = counts + bit_counts(width, load(width, includes, start + d) & ~load(width, literals, at + d))
        w += 4 * step
        if w < words and np.int64(total(width, counts)) > enough:
            return enough + 1
    while w < words:
        counts = counts + bit_counts(width, load(width, includes, start + U(w)) & ~load(width, literals, at + U(w)))
        w += step
    return np.int64(total(width, counts))
