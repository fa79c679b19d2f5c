"""Evaluation of all clauses at once at nodes where few literals are false.

The *column* of a literal has a bit for each clause that includes it. At a node, the OR of the columns of the false
literals marks the clauses that are false there. Where nodes have few of many bits, as the words of a text do, and
clauses include many negations, this is much less work than going through the literals of each clause.

The bits of a layer and their negations are separate halves: one may be evaluated by column, the other one by row.
Columns are kept for 512 clauses at a time. They follow the include bits of a team when they are needed.
"""

from __future__ import annotations

from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import literals_start, team_number, team_start, team_words
from graphtm.engines.cpu.tiles import transpose
from graphtm.engines.cpu.vectors import load, splat, store
from graphtm.engines.cpu.words import U, count_ones, trailing_zeros


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
    words, half = team_words(m, layer)
    for clause in range(low, high):
        team = U(team_number(m, layer, clause))
        if not m.stale[team]:
            continue
        m.stale[team] = 0
        start, bit = team_start(m, layer, clause), U(1) << U(clause & 63)
        first = U(_start(m, layer, clause >> 9) + ((clause >> 6) & 7))
        for w in range(2 * half):
            word = m.includes[U(start + w)]
            changes = word ^ m.shown[U(start + w)]
            m.shown[U(start + w)] = word
            while changes:
                m.columns[first + (U(64 * w) + trailing_zeros(changes)) * U(8)] ^= bit
                changes &= changes - U(1)


@kernel
def list_false(m, s, layer, n_nodes):
    """List the false literals of each node, of those halves in which there are few; store which halves these are."""
    _, half = team_words(m, layer)
    start, stride = literals_start(s, layer)
    room = m.column_room * ((n_nodes + 511) // 512)
    for part in range(2):
        # A literal is false where its opposite, in the other half, is true.
        n, opposite = U(0), start + (1 - part) * half
        for node in range(n_nodes):
            for w in range(half):
                n += count_ones(s.literals[U(opposite + node * stride + w)])
        s.few[part] = n <= U(room)
    n = U(0)
    for node in range(n_nodes):
        s.false_ptr[node] = n
        for part in range(2):
            if s.few[part]:
                opposite = start + (1 - part) * half + node * stride
                for w in range(half):
                    word = s.literals[U(opposite + w)]
                    while word:
                        s.false[n] = U(64 * (part * half + w)) + trailing_zeros(word)
                        n += U(1)
                        word &= word - U(1)
    for node in range(n_nodes, (n_nodes + 63) // 64 * 64 + 1):
        s.false_ptr[node] = n


@inlined
def strike(wide, m, s, p, layer, word, n_nodes, low, high):
    """Remove from 64 nodes of clauses those at which they are false, by the listed literals."""
    # Semantics 3, steps 1 and 2: A_j^d.
    for group in range(low >> 9, (high + 511) >> 9):
        columns = U(_start(m, layer, group))
        for i in range(64):
            first, end = s.false_ptr[64 * word + i], s.false_ptr[64 * word + i + 1]
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
