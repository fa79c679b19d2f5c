"""Evaluation: the nodes of a graph at which each clause is true (semantics, section 3)."""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.barrier import wait
from graphtm.engines.cpu.columns import layer_by_column, list_false
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.graded import grade_by_row
from graphtm.engines.cpu.lists import keep_lists, rows_pay
from graphtm.engines.cpu.messages import sign_apart, sign_together, travel
from graphtm.engines.cpu.rows import layer_by_row, so_far
from graphtm.engines.cpu.strengths import grade_by_node
from graphtm.engines.cpu.structs import clause_share, literals_start, share, team_start, team_words
from graphtm.engines.cpu.tiles import node_mask, rows_of
from graphtm.engines.cpu.vectors import PLAIN, load, some, splat, store
from graphtm.engines.cpu.words import U, trailing_zeros


@kernel
def evaluate(wide, half, exact, graded, m, g, s, p, graph, learning, between, barrier, thread, n_threads):
    """Evaluate a thread's share of the clauses on a graph; return True if stopped.

    The machine is modified only if ``learning``. ``between`` says that another example has just ended.
    """
    # Semantics 3, steps 1 to 3.
    first, n_nodes = g.node_ptr[graph], g.node_ptr[graph + 1] - g.node_ptr[graph]
    low, high = clause_share(m, thread, n_threads)
    for layer in range(m.depth):
        by_row = rows_pay(m, n_nodes, layer)
        apart = not by_row and s.n_senders >= n_threads
        if not (layer and apart) and wait(barrier, n_threads, between and layer == 0):
            return True
        if layer == 0:
            _lay_out(m, g, s, first, n_nodes, thread, n_threads)
        else:
            if apart:
                sign_apart(m, s, n_nodes, low, high, thread)
            else:
                sign_together(wide, m, s, p, n_nodes, thread, n_threads)
            if wait(barrier, n_threads, False):
                return True
            n_senders = n_threads if apart else 1
            travel(wide, half, m, g, s, first, n_nodes, layer, n_senders, thread, n_threads)
        if wait(barrier, n_threads, False):
            return True
        if by_row:
            rows_of(wide, m, s, p, n_nodes, layer, thread, n_threads)
            if thread == 0:
                list_false(m, s, layer, n_nodes, learning)
            if wait(barrier, n_threads, False):
                return True
        columns = by_row and (s.false[0] or s.false[1])
        if learning:
            keep_lists(m, g.always, layer, by_row, columns, low, high)
        _layer(wide, half, exact, graded, m, s, p, layer, n_nodes, by_row, columns, barrier, low, high)
    if exact is not None:
        _read_out(wide, m, g, s, n_nodes, low, high)
    return False


@kernel
def _lay_out(m, g, s, first, n_nodes, thread, n_threads):
    """Write the literals of a graph's nodes, and masks of its nodes, its readout nodes and its node types."""
    n_blocks = (n_nodes + 511) // 512
    low, high = share(n_blocks, thread, n_threads)
    for w in range(low * 8, high * 8):
        there = node_mask(n_nodes, w)
        s.read[w] = there
        if m.n_types == 1:
            s.start[w] = there
    if m.n_types > 1:
        _lay_out_types(m, g, s, first, n_nodes, low, high)
    if len(g.readout):
        for node in range(512 * low, min(512 * high, n_nodes)):
            if not g.readout[first + node]:
                s.read[node >> 6] &= ~(U(1) << U(node & 63))
    low, high = share(n_nodes, thread, n_threads)
    for node in range(low, high):
        source, target = U((first + node) * m.half0), U(node * s.stride0)
        for w in range(m.half0):
            word = g.bits[source + U(w)]
            s.literals[target + U(w)] = word
            s.literals[target + U(m.half0) + U(w)] = ~word & m.valid0[w]


@inlined
def _lay_out_types(m, g, s, first, n_nodes, low, high):
    for i in range(low * m.n_types * 8, high * m.n_types * 8):
        s.start[i] = U(0)
    for node in range(512 * low, min(512 * high, n_nodes)):
        place = ((node >> 9) * m.n_types + g.node_types[first + node]) * 8 + ((node >> 6) & 7)
        s.start[place] |= U(1) << U(node & 63)


@inlined
def _layer(wide, half, exact, graded, m, s, p, layer, n_nodes, by_row, columns, barrier, low, high):
    """Restrict ``truth`` to the nodes at which the teams of a layer hold; mark clauses that are true somewhere.

    At the last layer, graded clauses get their strengths instead.
    """
    # Semantics 3, steps 1 and 2: A_j^d; section 9: strengths.
    if columns and exact is not None:
        layer_by_column(wide, half, m, s, p, layer, n_nodes, barrier, low, high)
    elif by_row and exact is not None:
        layer_by_row(wide, half, m, s, layer, n_nodes, barrier, low, high)
    elif by_row and graded is not None:
        grade_by_row(wide, half, m, s, layer, n_nodes, barrier, low, high)
    elif graded is not None and layer == m.depth - 1:
        grade_by_node(wide, half, m, s, p, n_nodes, low, high)
    elif team_words(m, layer)[0] <= 4:
        _layer_by_node(half, m, s, layer, n_nodes, low, high)
    else:
        _layer_by_node(wide, m, s, layer, n_nodes, low, high)


@kernel
def _layer_by_node(width, m, s, layer, n_nodes, low, high):
    """Evaluate a layer node by node, for all literals at once."""
    words, _ = team_words(m, layer)
    literals, stride = literals_start(s, layer)
    n_words = (n_nodes + 63) // 64
    for clause in range(low, high):
        start, found = U(team_start(m, layer, clause)), U(0)
        if layer == 0:
            _clear(width, m, s, clause, (n_words + 7) // 8)
        for w in range(n_words):
            at = U(((w >> 3) * m.n_clauses + clause) * 8 + (w & 7))
            left = so_far(PLAIN, m, s, layer, clause, w >> 3, w & 7)
            kept = left
            while left:
                node = np.int64(trailing_zeros(left)) + 64 * w
                if _violates(width, m.includes, start, words, s.literals, U(literals + node * stride)):
                    kept ^= left & (~left + U(1))
                left &= left - U(1)
            s.truth[at] = kept
            found |= kept
        s.alive[clause] = -1 if found else 0


@inlined
def _clear(width, m, s, clause, n_blocks):
    for block in range(n_blocks):
        for w in range(0, 8, len(width)):
            store(width, s.truth, U((block * m.n_clauses + clause) * 8 + w), splat(width, U(0)))


@inlined
def _violates(width, includes, start, words, literals, at):
    """Return whether a team includes a literal that is not among these."""
    step = len(width)
    w, whole = 0, words - words % (4 * step)
    # Four at a time: an early exit pays off, a branch for every vector does not.
    while w < whole:
        a, b, c, d = U(w), U(w + step), U(w + 2 * step), U(w + 3 * step)
        bad = load(width, includes, start + a) & ~load(width, literals, at + a)
        bad = bad | (load(width, includes, start + b) & ~load(width, literals, at + b))
        bad = bad | (load(width, includes, start + c) & ~load(width, literals, at + c))
        bad = bad | (load(width, includes, start + d) & ~load(width, literals, at + d))
        if some(width, bad):
            return True
        w += 4 * step
    while w < words:
        if some(width, load(width, includes, start + U(w)) & ~load(width, literals, at + U(w))):
            return True
        w += step
    return False


@kernel
def _read_out(wide, m, g, s, n_nodes, low, high):
    """Store which clauses are true for the graph: at some readout node."""
    # Semantics 3, step 3: C_j.
    n_blocks = (n_nodes + 511) // 512
    for clause in range(low, high):
        s.true[clause] = s.alive[clause]
        if len(g.readout) and s.alive[clause]:
            found = splat(wide, U(0))
            for block in range(n_blocks):
                for w in range(0, 8, len(wide)):
                    truth = load(wide, s.truth, U((block * m.n_clauses + clause) * 8 + w))
                    found = found | (truth & load(wide, s.read, U(block * 8 + w)))
            s.true[clause] = -1 if some(wide, found) else 0
