"""Evaluation of graded clauses literal by literal: misses are counted at all nodes of a vector at once.

A counter of misses is stored as bit planes, one bit per node in each. It starts so high that it overflows at the first
miss too many, and the carry out of its highest plane marks the nodes at which the clause is silent. Counters of up to
14 misses have four planes, larger ones eight.
"""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.barrier import hurry
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.rows import has_list
from graphtm.engines.cpu.structs import list_start, team_number, team_start, team_words
from graphtm.engines.cpu.vectors import bit_counts, load, some, splat, store, total
from graphtm.engines.cpu.words import ONES, U, trailing_zeros


@kernel
def grade_by_row(wide, half, m, s, layer, n_nodes, barrier, low, high):
    """Add the misses of a layer; below the last one, store at which nodes nothing is missed, else the strengths."""
    # Semantics 9: evaluation.
    words, half_words = team_words(m, layer)
    last = layer == m.depth - 1
    for clause in range(low, high):
        s.alive[clause] = 0
        s.true[clause] = 0
    for block in range((n_nodes + 511) // 512):
        if hurry(barrier):
            return
        for clause in range(low, high):
            start, team = team_start(m, layer, clause), team_number(m, layer, clause)
            # Literals that are missed at all nodes may already be too many.
            missed = (
                _n_common(half, m.includes, start, words, s.missing, block * words)
                if words <= 4
                else _n_common(wide, m.includes, start, words, s.missing, block * words)
            )
            hopeless = missed > m.max_misses
            listed = has_list(m, team)
            for w in range(0, 8, len(wide)):
                planes, heard = _begin(wide, m, s, layer, clause, block, w, last, hopeless)
                if some(wide, heard):
                    rows = U(block * half_words * 1024 + w)
                    if listed:
                        first = U(list_start(m, layer, clause))
                        n = U(m.list_sizes[team])
                        planes, heard = _by_list(wide, m, planes, heard, m.lists, first, n, s.rows, rows)
                    else:
                        planes, heard = _by_scan(wide, m, planes, heard, start, half_words, s, block * words, rows)
                if last:
                    _keep_strongest(wide, m, s, clause, block, w, planes, heard)
                else:
                    _keep_counters(wide, m, s, clause, block, w, planes, heard)


@inlined
def _n_common(width, includes, start, words, literals, at):
    """Return how many of these literals a team includes."""
    counts = splat(width, U(0))
    for w in range(0, words, len(width)):
        counts = counts + bit_counts(width, load(width, includes, U(start + w)) & load(width, literals, U(at + w)))
    return np.int64(total(width, counts))


@inlined
def _counters(m, clause, block, w):
    return U(((block * m.n_clauses + clause) * m.n_planes) * 8 + w)


@inlined
def _begin(wide, m, s, layer, clause, block, w, last, hopeless):
    """Return the counters before a layer, and the nodes at which the clause has not missed too much yet."""
    if layer == 0:
        kind = clause % m.n_types if m.n_types > 1 else 0
        heard = load(wide, s.start, U((block * m.n_types + kind) * 8 + w))
        a, b = _digit(wide, m, 0), _digit(wide, m, 1)
        c, d = _digit(wide, m, 2), _digit(wide, m, 3)
        e, f = _digit(wide, m, 4), _digit(wide, m, 5)
        g, h = _digit(wide, m, 6), _digit(wide, m, 7)
    else:
        at = _counters(m, clause, block, w)
        a, b = load(wide, s.counters, at), load(wide, s.counters, at + U(8))
        c, d = load(wide, s.counters, at + U(16)), load(wide, s.counters, at + U(24))
        heard = a | b | c | d
        if m.n_planes > 4:
            e, f = load(wide, s.counters, at + U(32)), load(wide, s.counters, at + U(40))
            g, h = load(wide, s.counters, at + U(48)), load(wide, s.counters, at + U(56))
            heard = heard | e | f | g | h
        else:
            e, f, g, h = a, a, a, a
    if last:
        heard = heard & load(wide, s.read, U(block * 8 + w))
    if hopeless:
        heard = splat(wide, U(0))
    return (a, b, c, d, e, f, g, h), heard


@inlined
def _digit(wide, m, bit):
    return splat(wide, ONES if (m.first_count >> bit) & 1 else U(0))


@inlined
def _by_list(wide, m, planes, heard, lists, first, n, rows, base):
    """Count the misses of listed literals, four at a time in carry-save adders."""
    a, b, c, d, e, f, g, h = planes
    more = m.n_planes > 4
    i, end = first, first + n
    while i + U(4) <= end and some(wide, heard):
        v, x = ~load(wide, rows, base + U(lists[i]) * U(8)), ~load(wide, rows, base + U(lists[i + U(1)]) * U(8))
        y, z = (
            ~load(wide, rows, base + U(lists[i + U(2)]) * U(8)),
            ~load(wide, rows, base + U(lists[i + U(3)]) * U(8)),
        )
        a, two = _add(a, v, x)
        a, also_two = _add(a, y, z)
        b, four = _add(b, two, also_two)
        c, eight = c ^ four, c & four
        d, over = d ^ eight, d & eight
        if more:
            e, f, g, h, over = _carry(e, f, g, h, over)
        heard = heard & ~over
        i += U(4)
    while i < end and some(wide, heard):
        a, b, c, d, over = _carry(a, b, c, d, ~load(wide, rows, base + U(lists[i]) * U(8)))
        if more:
            e, f, g, h, over = _carry(e, f, g, h, over)
        heard = heard & ~over
        i += U(1)
    return (a, b, c, d, e, f, g, h), heard


@inlined
def _by_scan(wide, m, planes, heard, start, half_words, s, missing, base):
    """Do the same for teams without a list, skipping literals that hold at all nodes of the block."""
    a, b, c, d, e, f, g, h = planes
    more = m.n_planes > 4
    for w in range(2 * half_words):
        opposite = w + half_words if w < half_words else w - half_words
        word = m.includes[U(start + w)] & ~s.missing[U(missing + opposite)]
        here = base + U(w * 512)
        while word and some(wide, heard):
            a, b, c, d, over = _carry(a, b, c, d, ~load(wide, s.rows, here + trailing_zeros(word) * U(8)))
            if more:
                e, f, g, h, over = _carry(e, f, g, h, over)
            heard = heard & ~over
            word &= word - U(1)
    return (a, b, c, d, e, f, g, h), heard


@inlined
def _add(a, b, c):
    """Return the sums of three bits, and the carries."""
    sums = a ^ b
    return sums ^ c, (a & b) | (sums & c)


@inlined
def _carry(a, b, c, d, carry):
    """Add a bit to four planes; return them and the carry out of the last."""
    a, carry = a ^ carry, a & carry
    b, carry = b ^ carry, b & carry
    c, carry = c ^ carry, c & carry
    return a, b, c, d ^ carry, d & carry


@inlined
def _keep_counters(wide, m, s, clause, block, w, planes, heard):
    """Store the counters, 0 where too much is missed, and the nodes at which nothing is."""
    a, b, c, d, e, f, g, h = planes
    at = _counters(m, clause, block, w)
    store(wide, s.counters, at, a & heard)
    store(wide, s.counters, at + U(8), b & heard)
    store(wide, s.counters, at + U(16), c & heard)
    store(wide, s.counters, at + U(24), d & heard)
    differs = (a ^ _digit(wide, m, 0)) | (b ^ _digit(wide, m, 1)) | (c ^ _digit(wide, m, 2)) | (d ^ _digit(wide, m, 3))
    if m.n_planes > 4:
        store(wide, s.counters, at + U(32), e & heard)
        store(wide, s.counters, at + U(40), f & heard)
        store(wide, s.counters, at + U(48), g & heard)
        store(wide, s.counters, at + U(56), h & heard)
        differs = differs | (e ^ _digit(wide, m, 4)) | (f ^ _digit(wide, m, 5))
        differs = differs | (g ^ _digit(wide, m, 6)) | (h ^ _digit(wide, m, 7))
    true = heard & ~differs
    store(wide, s.truth, U((block * m.n_clauses + clause) * 8 + w), true)
    if some(wide, true):
        s.alive[clause] = -1


@inlined
def _keep_strongest(wide, m, s, clause, block, w, planes, heard):
    """Store the strength for the graph so far, and the nodes at which the clause has it."""
    a, b, c, d, e, f, g, h = planes
    at = (block * m.n_clauses + clause) * 8 + w
    if not some(wide, heard):
        store(wide, s.truth, U(at), heard)
        return
    # The smallest counter: where a node has a 0 in a plane, those with a 1 are no longer of interest.
    count = 0
    if m.n_planes > 4:
        heard, count = _smaller(wide, h, heard, count)
        heard, count = _smaller(wide, g, heard, count)
        heard, count = _smaller(wide, f, heard, count)
        heard, count = _smaller(wide, e, heard, count)
    heard, count = _smaller(wide, d, heard, count)
    heard, count = _smaller(wide, c, heard, count)
    heard, count = _smaller(wide, b, heard, count)
    heard, count = _smaller(wide, a, heard, count)
    strength = (1 << m.n_planes) - count
    if strength > s.true[clause]:
        s.true[clause] = strength
        for earlier in range(block + 1):
            for v in range(0, 8 if earlier < block else w, len(wide)):
                store(wide, s.truth, U((earlier * m.n_clauses + clause) * 8 + v), splat(wide, U(0)))
    elif strength < s.true[clause]:
        heard = splat(wide, U(0))
    store(wide, s.truth, U(at), heard)


@inlined
def _smaller(wide, plane, nodes, count):
    zero = some(wide, nodes & ~plane)
    return nodes & (plane ^ splat(wide, ONES if zero else U(0))), 2 * count + (0 if zero else 1)
