"""Evaluation of all clauses at once at nodes where few literals are false.

The *column* of a literal has a bit for each clause that includes it. At a node, the OR of the columns of the false
literals marks the clauses that are false there. Where nodes have few of many bits, as the words of a text do, and
clauses include many negations, this is much less work than going through the literals of each clause.

The bits of a layer and their negations are separate halves: one may be evaluated by column, the other one by row.
Columns are kept for 512 clauses at a time. They follow the include bits of a team when they are needed.
"""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.barrier import hurry
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.rows import anywhere, hopeless, scan_half, so_far
from graphtm.engines.cpu.structs import PLACES, literals_start, team_number, team_start, team_words
from graphtm.engines.cpu.tiles import transpose
from graphtm.engines.cpu.vectors import load, splat, store
from graphtm.engines.cpu.words import U, count_ones, trailing_zeros

_UPDATING = 2  # in learning, where columns must be updated, they have to save so many times more


@inlined
def has_columns(m, layer):
    """Return whether there are columns of a layer."""
    return m.columns0 if layer == 0 else m.columns1


@inlined
def _start(m, layer, group):
    """Return the index of the first column of 512 clauses."""
    n_groups = (m.n_clauses + 511) // 512
    if layer == 0:
        return group * m.half0 * 1024
    above = n_groups * m.half0 * 1024 if m.columns0 else 0
    return above + ((layer - 1) * n_groups + group) * m.half1 * 1024


@kernel
def show(m, layer, low, high):
    """Update the columns for the teams that have changed."""
    _, half = team_words(m, layer)
    for clause in range(low, high):
        stale = U(team_number(m, m.depth + layer, clause))
        if not m.ages[stale]:
            continue
        m.ages[stale] = 0
        if not has_columns(m, layer):
            continue
        start, bit = team_start(m, layer, clause), U(1) << U(clause & 63)
        first = U(_start(m, layer, clause >> 9) + ((clause >> 6) & 7))
        for w in range(2 * half):
            word = m.includes[U(start + w)]
            changes = word ^ m.includes[U(m.shown + start + w)]
            m.includes[U(m.shown + start + w)] = word
            while changes:
                m.columns[first + (U(64 * w) + trailing_zeros(changes)) * U(8)] ^= bit
                changes &= changes - U(1)


@inlined
def _included(m, layer, part):
    """Return how many literals of a half a clause includes, the mean over a sample of clauses."""
    _, half = team_words(m, layer)
    n, step = U(0), max(1, m.n_clauses // 32)
    for clause in range(0, m.n_clauses, step):
        start = team_start(m, layer, clause) + part * half
        for w in range(half):
            n += count_ones(m.includes[U(start + w)])
    return np.int64(n) * step // m.n_clauses


@inlined
def _count_true(s, at, stride, half, n_nodes, enough):
    """Return how many literals of a half hold at all nodes together; counting may end above ``enough``."""
    n = 0
    for node in range(n_nodes):
        for w in range(half):
            n += np.int64(count_ones(s.literals[U(at + node * stride + w)]))
        if n > enough:
            break
    return n


@kernel
def list_false(m, s, layer, n_nodes, learning):
    """List the false literals of each node, of those halves in which there are few; store which halves these are.

    The more literals clauses include, the more may be false. There are no such halves if the layer has no columns, or
    if these may not show the machine.
    """
    s.false[0] = s.false[1] = 0
    if not s.columns_shown or not has_columns(m, layer):
        return
    _, half = team_words(m, layer)
    start, stride = literals_start(s, layer)
    n_blocks = (n_nodes + 511) // 512
    gain = m.column_gain // _UPDATING if learning else m.column_gain
    for part in range(2):
        room = min(m.column_room, gain * _included(m, layer, part)) * n_blocks
        # A literal is false where its opposite, in the other half, is true.
        s.false[part] = room > 0 and _count_true(s, start + (1 - part) * half, stride, half, n_nodes, room) <= room
    if not (s.false[0] or s.false[1]):
        return
    n = 2 + n_nodes + PLACES
    for node in range(n_nodes):
        s.false[2 + node] = n
        for part in range(2):
            if s.false[part]:
                opposite = start + (1 - part) * half + node * stride
                for w in range(half):
                    word = s.literals[U(opposite + w)]
                    while word:
                        s.false[n] = 64 * (part * half + w) + np.int32(trailing_zeros(word))
                        n += 1
                        word &= word - U(1)
    for node in range(n_nodes, (n_nodes + 63) // 64 * 64 + 1):
        s.false[2 + node] = n


@inlined
def _strike(wide, m, s, p, layer, word, n_nodes, low, high):
    """Remove from 64 nodes of clauses those at which they are false, by the listed literals."""
    # Semantics 3, steps 1 and 2: A_j^d.
    for group in range(low >> 9, (high + 511) >> 9):
        columns = U(_start(m, layer, group))
        for i in range(64):
            first, end = s.false[2 + 64 * word + i], s.false[3 + 64 * word + i]
            for w in range(0, 8, len(wide)):
                dead = splat(wide, U(0))
                for place in range(first, end):
                    dead = dead | load(wide, m.columns, columns + U(s.false[U(place)]) * U(8) + U(w))
                store(wide, p.tile, U(i * 8 + w), dead)
        transpose(wide, p.tile)
        at = U((word >> 3) * m.n_clauses * 8 + (word & 7))
        for clause in range(max(low, 512 * group), min(high, 512 * group + 512)):
            dead = p.tile[U((clause & 63) * 8 + ((clause >> 6) & 7))]
            s.truth[at + U(clause * 8)] &= ~dead


@kernel
def layer_by_column(wide, half, m, s, p, layer, n_nodes, barrier, low, high):
    """Evaluate a layer by column, except a half of which many literals are false: that one literal by literal."""
    other = 1 if s.false[0] else 0
    scans = not s.false[other]
    for clause in range(low, high):
        s.alive[clause] = 0
    for block in range((n_nodes + 511) // 512):
        if hurry(barrier):
            return
        for clause in range(low, high):
            at = (block * m.n_clauses + clause) * 8
            reached = layer == 0 or anywhere(wide, s.truth, at)
            lost = not reached or hopeless(wide, half, m, s, layer, clause, block)
            for w in range(0, 8, len(wide)):
                value = splat(wide, U(0)) if lost else so_far(wide, m, s, layer, clause, block, w)
                if scans and not lost:
                    value = scan_half(wide, m, s, p, value, layer, clause, other, block, w)
                store(wide, s.truth, U(at + w), value)
        for word in range(8 * block, min(8 * block + 8, (n_nodes + 63) // 64)):
            _strike(wide, m, s, p, layer, word, n_nodes, low, high)
        for clause in range(low, high):
            if anywhere(wide, s.truth, (block * m.n_clauses + clause) * 8):
                s.alive[clause] = -1
