"""Evaluation: the nodes of a graph at which each clause is true (semantics, section 3)."""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.barrier import hurry, wait
from graphtm.engines.cpu.columns import has_columns, list_false, show, strike
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.graded import grade_by_row
from graphtm.engines.cpu.lists import keep_lists, rows_pay
from graphtm.engines.cpu.messages import sign_apart, sign_together, travel
from graphtm.engines.cpu.strengths import grade_by_node
from graphtm.engines.cpu.structs import (
    clause_share,
    list_start,
    literals_start,
    share,
    team_number,
    team_start,
    team_words,
)
from graphtm.engines.cpu.tiles import node_mask, rows_of
from graphtm.engines.cpu.vectors import PLAIN, load, some, splat, store
from graphtm.engines.cpu.words import U, count_ones, trailing_zeros, zeros_below

_GUESS = 2  # literals of a word that are listed before their number is known


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
        columns = exact is not None and by_row and s.columns_shown and has_columns(m, layer)
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
            if columns and thread == 0:
                list_false(m, s, layer, n_nodes)
            if wait(barrier, n_threads, False):
                return True
        columns = columns and (s.few[0] or s.few[1])
        if learning:
            keep_lists(m, g.always, layer, by_row and not columns, low, high)
            if columns:
                show(m, layer, low, high)
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
        _layer_by_column(wide, half, m, s, p, layer, n_nodes, barrier, low, high)
    elif by_row and exact is not None:
        _layer_by_row(wide, half, m, s, p, layer, n_nodes, barrier, low, high)
    elif by_row and graded is not None:
        grade_by_row(wide, half, m, s, layer, n_nodes, barrier, low, high)
    elif graded is not None and layer == m.depth - 1:
        grade_by_node(wide, half, m, s, p, n_nodes, low, high)
    elif team_words(m, layer)[0] <= 4:
        _layer_by_node(half, m, s, layer, n_nodes, low, high)
    else:
        _layer_by_node(wide, m, s, layer, n_nodes, low, high)


@kernel
def _layer_by_row(wide, half, m, s, p, layer, n_nodes, barrier, low, high):
    """Evaluate a layer literal by literal, for all nodes of a block at once."""
    words, half_words = team_words(m, layer)
    # After the last layer, the truth of a clause that is true nowhere is read only if there are several blocks.
    last = layer == m.depth - 1 and n_nodes <= 512
    for clause in range(low, high):
        s.alive[clause] = 0
    for block in range((n_nodes + 511) // 512):
        if hurry(barrier):
            return
        for clause in range(low, high):
            at = (block * m.n_clauses + clause) * 8
            reached = layer == 0 or _anywhere(wide, s.truth, at)
            if reached and _holds_by_row(wide, half, m, s, p, layer, clause, words, half_words, block, at, last):
                s.alive[clause] = -1


@kernel
def _layer_by_column(wide, half, m, s, p, layer, n_nodes, barrier, low, high):
    """Evaluate a layer by column, except a half of which many literals are false: that one literal by literal."""
    words, half_words = team_words(m, layer)
    for clause in range(low, high):
        s.alive[clause] = 0
    for block in range((n_nodes + 511) // 512):
        if hurry(barrier):
            return
        rows, missing = U(block * half_words * 1024), block * words
        for clause in range(low, high):
            start, at = team_start(m, layer, clause), (block * m.n_clauses + clause) * 8
            reached = layer == 0 or _anywhere(wide, s.truth, at)
            hopeless = not reached or _hopeless(wide, half, m, s, start, words, missing)
            for w in range(0, 8, len(wide)):
                value = splat(wide, U(0)) if hopeless else _so_far(wide, m, s, layer, clause, block, w)
                for part in range(2):
                    if not hopeless and not s.few[part]:
                        value = _scan_half(
                            wide, p, value, m.includes, start, words, half_words, part, s.missing, missing, s.rows,
                            rows + U(w),
                        )
                store(wide, s.truth, U(at + w), value)
        for word in range(8 * block, min(8 * block + 8, (n_nodes + 63) // 64)):
            strike(wide, m, s, p, layer, word, n_nodes, low, high)
        for clause in range(low, high):
            if _anywhere(wide, s.truth, (block * m.n_clauses + clause) * 8):
                s.alive[clause] = -1


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
            left = _so_far(PLAIN, m, s, layer, clause, w >> 3, w & 7)
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
def _anywhere(wide, truth, at):
    found = splat(wide, U(0))
    for w in range(0, 8, len(wide)):
        found = found | load(wide, truth, U(at + w))
    return some(wide, found)


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


@inlined
def _hopeless(wide, half, m, s, start, words, missing):
    """Return whether a team includes a literal that holds at no node of a block."""
    if words <= 4:
        return _includes(half, m.includes, start, words, s.missing, missing)
    return _includes(wide, m.includes, start, words, s.missing, missing)


@inlined
def _includes(width, includes, start, words, literals, at):
    """Return whether a team includes one of these literals."""
    for w in range(0, words, len(width)):
        if some(width, load(width, includes, U(start + w)) & load(width, literals, U(at + w))):
            return True
    return False


@inlined
def _holds_by_row(wide, half, m, s, p, layer, clause, words, half_words, block, at, last):
    """Evaluate a team on all nodes of a block, literal by literal; return whether it holds at any of them."""
    start, team = team_start(m, layer, clause), team_number(m, layer, clause)
    missing = block * words
    if _hopeless(wide, half, m, s, start, words, missing):
        if not last:
            for w in range(0, 8, len(wide)):
                store(wide, s.truth, U(at + w), splat(wide, U(0)))
        return False
    rows = U(block * half_words * 1024)
    found = False
    listed = m.ages[team] == 0 and m.list_sizes[team] >= 0
    for w in range(0, 8, len(wide)):
        value = _so_far(wide, m, s, layer, clause, block, w)
        if listed:
            first = U(list_start(m, layer, clause))
            value = _by_list(wide, value, m.lists, first, U(m.list_sizes[team]), s.rows, rows + U(w))
        else:
            value = _by_scan(wide, p, value, m.includes, start, words, half_words, s.missing, missing, s.rows, rows + U(w))
        here = some(wide, value)
        # On the plain path, any of the eight words may be the first that is not 0.
        if here or not last or len(wide) < 8:
            store(wide, s.truth, U(at + w), value)
        found |= here
    return found


@inlined
def _so_far(width, m, s, layer, clause, block, w):
    """Return the nodes at which a clause is true in the layers below; at layer 0, the nodes of its type."""
    if layer:
        return load(width, s.truth, U((block * m.n_clauses + clause) * 8 + w))
    kind = clause % m.n_types if m.n_types > 1 else 0
    return load(width, s.start, U((block * m.n_types + kind) * 8 + w))


@inlined
def _by_list(wide, value, lists, first, n, rows, base):
    i, end = first, first + n
    while i < end and some(wide, value):
        a, b = load(wide, rows, base + U(lists[i]) * U(8)), load(wide, rows, base + U(lists[i + U(1)]) * U(8))
        c, d = load(wide, rows, base + U(lists[i + U(2)]) * U(8)), load(wide, rows, base + U(lists[i + U(3)]) * U(8))
        value = value & (a & b) & (c & d)
        i += U(4)
    return value


@inlined
def _by_scan(wide, p, value, includes, start, words, half_words, missing, missing_at, rows, base):
    """Restrict nodes to those at which all included literals hold, skipping literals that hold at all nodes."""
    for part in range(2):
        value = _scan_half(
            wide, p, value, includes, start, words, half_words, part, missing, missing_at, rows, base
        )
    return value


@inlined
def _scan_half(wide, p, value, includes, start, words, half_words, part, missing, missing_at, rows, base):
    """Do this for the bits, or for their negations, eight words at a time."""
    team, opposite = start + part * half_words, missing_at + (1 - part) * half_words
    first = 0
    while first < half_words and some(wide, value):
        end = min(first + 8, half_words)
        inside = part * half_words + first + 8 <= words
        if not inside or _differs(wide, includes, U(team + first), missing, U(opposite + first)):
            n = _list_some(p.few, includes, team, missing, opposite, first, end)
            here = base + U((part * half_words + first) * 512)
            value = _by_list(wide, value, p.few, U(0), n, rows, here)
        first = end
    return value


@inlined
def _differs(wide, includes, at, missing, opposite):
    """Return whether some of eight words include a literal whose opposite is not missing."""
    found = splat(wide, U(0))
    for w in range(0, 8, len(wide)):
        found = found | (load(wide, includes, at + U(w)) & ~load(wide, missing, opposite + U(w)))
    return some(wide, found)


@inlined
def _list_some(few, includes, team, missing, opposite, first, end):
    """List the included literals of some words, numbered from the first word; return their padded number.

    Literals whose opposite is missing hold at all nodes and are left out. A few literals of each word are written,
    whether there are that many or not: branches on their number would be hard to predict.
    """
    n = U(0)
    for w in range(first, end):
        word = includes[U(team + w)] & ~missing[U(opposite + w)]
        n_next, here = n + count_ones(word), U(64 * (w - first))
        for i in range(_GUESS):
            few[n + U(i)] = here + zeros_below(word)
            word &= word - U(1)
        n += U(_GUESS)
        while word:
            few[n] = here + zeros_below(word)
            word &= word - U(1)
            n += U(1)
        n = n_next
    if n:
        for i in range(3):
            few[n + U(i)] = few[n - U(1)]
    return (n + U(3)) & ~U(3)


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
