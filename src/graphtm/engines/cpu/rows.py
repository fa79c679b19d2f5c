"""Evaluation of teams literal by literal, for all nodes of a block at once.

The row of a literal has a bit for each node at which it holds. The AND of the rows of a team's literals marks the nodes
at which the team holds.
"""

from __future__ import annotations

from graphtm.engines.cpu.barrier import hurry
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import list_start, team_number, team_start, team_words
from graphtm.engines.cpu.vectors import load, some, splat, store
from graphtm.engines.cpu.words import U, count_ones, trailing_zeros, zeros_below

_GUESS = 2  # literals of a word that are listed before their number is known


@kernel
def layer_by_row(wide, half, m, s, layer, n_nodes, barrier, low, high):
    """Evaluate a layer literal by literal, for all nodes of a block at once."""
    # After the last layer, the truth of a clause that is true nowhere is read only if there are several blocks.
    last = layer == m.depth - 1 and n_nodes <= 512
    for clause in range(low, high):
        s.alive[clause] = 0
    for block in range((n_nodes + 511) // 512):
        if hurry(barrier):
            return
        for clause in range(low, high):
            at = (block * m.n_clauses + clause) * 8
            reached = layer == 0 or anywhere(wide, s.truth, at)
            if reached and _holds_by_row(wide, half, m, s, layer, clause, block, at, last):
                s.alive[clause] = -1


@inlined
def anywhere(wide, truth, at):
    """Return whether a clause is true at some node of a block, whose truth begins at this word."""
    found = splat(wide, U(0))
    for w in range(0, 8, len(wide)):
        found = found | load(wide, truth, U(at + w))
    return some(wide, found)


@inlined
def hopeless(wide, half, m, s, layer, clause, block):
    """Return whether a team includes a literal that holds at no node of a block."""
    words, _ = team_words(m, layer)
    start = team_start(m, layer, clause)
    if words <= 4:
        return _includes(half, m.includes, start, words, s.missing, block * words)
    return _includes(wide, m.includes, start, words, s.missing, block * words)


@inlined
def _includes(width, includes, start, words, literals, at):
    """Return whether a team includes one of these literals."""
    for w in range(0, words, len(width)):
        if some(width, load(width, includes, U(start + w)) & load(width, literals, U(at + w))):
            return True
    return False


@inlined
def _holds_by_row(wide, half, m, s, layer, clause, block, at, last):
    """Evaluate a team on all nodes of a block, literal by literal; return whether it holds at any of them."""
    _, half_words = team_words(m, layer)
    team = team_number(m, layer, clause)
    if hopeless(wide, half, m, s, layer, clause, block):
        if not last:
            for w in range(0, 8, len(wide)):
                store(wide, s.truth, U(at + w), splat(wide, U(0)))
        return False
    found = False
    listed = has_list(m, team)
    for w in range(0, 8, len(wide)):
        value = so_far(wide, m, s, layer, clause, block, w)
        if listed:
            first, rows = U(list_start(m, layer, clause)), U(block * half_words * 1024 + w)
            value = _by_list(wide, value, m.lists, first, U(m.list_sizes[team]), s.rows, rows)
        else:
            value = _by_scan(wide, m, s, value, layer, clause, block, w)
        here = some(wide, value)
        # On the plain path, any of the eight words may be the first that is not 0.
        if here or not last or len(wide) < 8:
            store(wide, s.truth, U(at + w), value)
        found |= here
    return found


@inlined
def has_list(m, team):
    """Return whether a team has a list of its included literals."""
    return m.ages[team] == 0 and m.list_sizes[team] >= 0


@inlined
def so_far(width, m, s, layer, clause, block, w):
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
def _by_scan(wide, m, s, value, layer, clause, block, w):
    """Scan the words of included literals, skipping literals that hold at all nodes of the block."""
    words, half_words = team_words(m, layer)
    team, missing, rows = team_start(m, layer, clause), block * words, block * half_words * 1024 + w
    for v in range(2 * half_words):
        opposite = v + half_words if v < half_words else v - half_words
        word = m.includes[U(team + v)] & ~s.missing[U(missing + opposite)]
        here = U(rows + v * 512)
        while word:
            value = value & load(wide, s.rows, here + trailing_zeros(word) * U(8))
            word &= word - U(1)
            if not some(wide, value):
                return value
    return value


@inlined
def scan_half(wide, m, s, p, value, layer, clause, part, block, w):
    """Restrict nodes to those at which the included literals hold: the bits (part 0) or their negations (1).

    Literals that hold at all nodes of the block are skipped.
    """
    words, half_words = team_words(m, layer)
    team = team_start(m, layer, clause) + part * half_words
    opposite, rows = block * words + (1 - part) * half_words, (2 * block + part) * half_words * 512 + w
    first = 0
    while first < half_words and some(wide, value):
        whole = part * half_words + first + 8 <= words
        if not whole or _differs(wide, m.includes, U(team + first), s.missing, U(opposite + first)):
            n = _list_some(p.few, m.includes, team, s.missing, opposite, first, min(first + 8, half_words))
            value = _by_list(wide, value, p.few, U(0), n, s.rows, U(rows + first * 512))
        first += 8
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
