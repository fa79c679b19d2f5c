"""Lists of the literals that teams include, and when to use them.

A list is made once its team has not changed for an example, or for two if the team is small; until then, the team is
scanned word by word. Graded clauses get a list at once, layers that are evaluated by column none in learning.
"""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.columns import show
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import CHANGED, list_start, team_number, team_start, team_words
from graphtm.engines.cpu.words import U, count_ones, trailing_zeros


@inlined
def rows_pay(m, n_nodes, layer):
    """Return whether evaluating literal by literal over nodes is cheaper than node by node over literals.

    Costs are counted in vector comparisons.
    """
    n_blocks = (n_nodes + 511) // 512
    if m.max_misses:
        # Counters are kept in one form for all layers.
        words, half = m.words0 + (m.depth - 1) * m.words1, m.half0 + (m.depth - 1) * m.half1
        row_cost = m.row_cost * m.depth * m.n_clauses
        return n_blocks * (m.tile_cost * half + row_cost) < m.n_clauses * n_nodes * ((words + 7) // 8)
    words, half = team_words(m, layer)
    return n_blocks * (m.tile_cost * half + m.row_cost * m.n_clauses) < m.n_clauses * n_nodes * ((words + 7) // 8)


@kernel
def list_all(m, always, most_nodes, low, high):
    """Make the lists of all teams where they are used, so that evaluation only reads the machine."""
    for layer in range(m.depth):
        by_row = rows_pay(m, most_nodes, layer)
        for clause in range(low, high):
            age = m.ages[team_number(m, layer, clause)]
            if age == CHANGED:
                _count(m, layer, clause)
            if age and by_row:
                _make_list(m, layer, clause, always)
        show(m, layer, low, high)


@inlined
def keep_lists(m, always, layer, by_row, columns, low, high):
    """Count the included literals of teams that have just changed; list those of teams that are stable again."""
    if columns:
        show(m, layer, low, high)
    words, _ = team_words(m, layer)
    for clause in range(low, high):
        team = U(team_number(m, layer, clause))
        age = m.ages[team]
        if age == CHANGED:
            _count(m, layer, clause)
        if age == 0 or not by_row or columns:
            continue
        # Small teams are scanned fast. Misses are counted four literals at a time, so graded clauses need a list.
        if age == 1 or m.max_misses or (words > 8 and age < CHANGED):
            _make_list(m, layer, clause, always)
        else:
            m.ages[team] = age - 1


@inlined
def _count(m, layer, clause):
    words, _ = team_words(m, layer)
    start, team = team_start(m, layer, clause), team_number(m, layer, clause)
    m.ages[team] = CHANGED - 1
    if not m.limited:
        return
    n = U(0)
    for w in range(words):
        n += count_ones(m.includes[U(start + w)])
    m.included[team_number(m, m.depth, clause)] += np.int64(n) - m.included[team]
    m.included[team] = n


@inlined
def _make_list(m, layer, clause, always):
    """List the included literals, except those that hold at every node of every graph."""
    _, half = team_words(m, layer)
    start, team = team_start(m, layer, clause), team_number(m, layer, clause)
    first, room = list_start(m, layer, clause), (m.room0 if layer == 0 else m.room1)
    m.ages[team] = 0
    n = 0
    for w in range(2 * half):
        n += np.int64(count_ones(_to_list(m, layer, start, w, always)))
    if n > room:
        m.list_sizes[team] = -1
        return
    n = 0
    for w in range(2 * half):
        word = _to_list(m, layer, start, w, always)
        while word:
            m.lists[U(first + n)] = 64 * w + np.int64(trailing_zeros(word))
            n += 1
            word &= word - U(1)
    while n & 3 and m.max_misses == 0:
        m.lists[U(first + n)] = m.lists[U(first + n - 1)]
        n += 1
    m.list_sizes[team] = n


@inlined
def _to_list(m, layer, start, w, always):
    word = m.includes[U(start + w)]
    return word & ~always[U(w)] if layer == 0 else word
