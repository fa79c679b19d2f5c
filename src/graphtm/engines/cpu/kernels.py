"""The machine in Numba: what ``docs/semantics.md`` says, on 64-bit words.

Everything compiled is in this one module, because Numba's cache on disk notices edits of a module but not of
functions that it calls from elsewhere. Arrays are flat with offsets, and loops run over the words of a team, so that
the compiler vectorises them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

U = np.uint64
ONES = U(0xFFFFFFFFFFFFFFFF)
G = U(0x9E3779B97F4A7C15)
K2 = U(0xC2B2AE3D27D4EB4F)
K3 = U(0x9FB21C651E98DF25)
K4 = U(0xD6E8FEB86659FD93)
ALWAYS = U(1 << 32)
WEIGHT_LIMIT = 2**31 - 1

# Nothing here makes an array, so Numba need not count references (_nrt): doing so, atomically, for every field of a
# struct, took almost half of the time.
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "boundscheck": False,
    "_nrt": False,
}
_jit = njit(**_OPTIONS)
# Structs are costly to hand over: what takes one and is called per clause is inlined.
_inline = njit(forceinline=True, **_OPTIONS)


class Machine(NamedTuple):
    """A machine in an engine: automata as bit planes, weights by clause, lists of included literals."""

    planes: Any  # uint64: per layer and clause, state_bits rows of literal words; the last row is the include mask
    weights: Any  # int32 (clauses, outputs)
    lists: Any  # int32: included literals of each layer and clause
    list_sizes: Any  # int32 (layers * clauses)
    dirty: Any  # uint8 (layers * clauses): whether the list is out of date
    code: Any  # int32 (clauses, bits): positions in the inbox
    valid0: Any  # uint64: which bits of a half of layer 0 are literals
    valid1: Any  # uint64: the same for message layers
    mask_k: Any  # int64 (layers): masks have bits with probability k / 2^n
    mask_n: Any
    purpose_keys: Any  # uint64: keys of the purposes focus, output, update, mask
    n_clauses: int
    n_outputs: int
    depth: int
    state_bits: int
    T: int
    limit: int
    n_node_types: int
    message_size: int
    boost: bool
    by_class: bool


class Graphs(NamedTuple):
    """Graphs in an engine: hypervectors by node and, per graph, by bit."""

    bits: Any  # uint64 (nodes, words)
    rows: Any  # uint64: per graph, a row of node words for each bit
    row_ptr: Any  # int64: where a graph's rows begin
    node_ptr: Any
    edge_ptr: Any  # edges by destination
    edge_sources: Any
    edge_types: Any
    node_types: Any  # int32, empty if untyped
    readout: Any  # bool, empty if all nodes are read


class Scratch(NamedTuple):
    """Room for one example."""

    truth: Any  # uint64 (clauses, node words): where each clause is true, as far as evaluated
    true: Any  # uint8 (clauses): whether it is true of the graph
    included: Any  # int64 (clauses): literals over all layers
    focus: Any  # int64 (clauses): -1 not drawn yet
    start: Any  # uint64 (node types or 1, node words): where clauses may be true
    read: Any  # uint64 (node words): which nodes are read
    inbox: Any  # uint64 (layers - 1, nodes, message words)
    sent: Any  # uint64 (message bits, node words)
    messages: Any  # uint64 (nodes, message words)
    inbox_rows: Any  # uint64 (message bits, node words)
    block: Any  # uint64 (64): a block to transpose
    literals: Any  # uint64: literals of the focus node
    up: Any
    down: Any
    mask: Any
    x: Any
    y: Any
    undecided: Any
    active: Any  # int32 (outputs)
    wanted: Any  # int64 (outputs)
    sums: Any  # int64 (outputs)
    chosen: Any  # uint8 (clauses)


# Words


@_jit
def node_words(n_nodes):
    """Return the words that a row of nodes takes: one, or a multiple of eight, a vector register's worth."""
    return 1 if n_nodes <= 64 else (n_nodes + 511) // 512 * 8


@intrinsic
def _trailing_zeros(context: Any, word: Any) -> Any:
    """Count the zeros below the lowest 1 of a word that is not 0."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), code


@intrinsic
def _ones(context: Any, word: Any) -> Any:
    """Count the ones of a word."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


@_inline
def _mix(z):
    z = (z ^ (z >> U(30))) * U(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> U(27))) * U(0x94D049BB133111EB)
    return z ^ (z >> U(31))


@_inline
def _hash32(key, index):
    low, high = np.uint32(key), np.uint32(key >> U(32))
    x = np.uint32(np.uint32(index) * np.uint32(0x9E3779B9) + low)
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D))
    x = np.uint32(np.uint32(x ^ (x >> np.uint32(15)) ^ high) * np.uint32(0x846CA68B))
    return np.uint32(x ^ (x >> np.uint32(16)))


@_jit
def transpose(source, source_start, source_step, n_rows, target, target_start, target_step, n_columns, block):
    """Turn ``n_rows`` rows of bits into columns, 64 by 64; rows beyond the last count as 0."""
    for row in range(0, n_rows, 64):
        for column in range(0, n_columns, 64):
            any_bit = U(0)
            for i in range(64):
                word = source[source_start + (row + i) * source_step + column // 64] if row + i < n_rows else U(0)
                block[i] = word
                any_bit |= word
            if any_bit != U(0):
                width, mask = 32, U(0x00000000FFFFFFFF)
                while width:
                    shift = U(width)
                    k = 0
                    while k < 64:
                        swap = ((block[k] >> shift) ^ block[k + width]) & mask
                        block[k] ^= swap << shift
                        block[k + width] ^= swap
                        k = (k + width + 1) & ~width
                    width >>= 1
                    mask ^= mask << U(width)
            for i in range(min(64, n_columns - column)):
                target[target_start + (column + i) * target_step + row // 64] = block[i]


@_jit
def transpose_all(bits, half, node_ptr, row_ptr, rows, block):
    """Turn the hypervectors of every graph into rows of node words, one for each bit."""
    for graph in range(len(node_ptr) - 1):
        first, n_nodes = node_ptr[graph], node_ptr[graph + 1] - node_ptr[graph]
        n_words = node_words(n_nodes)
        transpose(bits, first * half, half, n_nodes, rows, row_ptr[graph], n_words, 64 * half, block)


@_inline
def _or_rotated(target, to, source, at, n_words, size, shift):
    """OR the ``size`` bits of a row, rotated up by ``shift``, into another row; shift is below size."""
    _or_shifted_up(target, to, source, at, n_words, shift)
    if shift:
        _or_shifted_down(target, to, source, at, n_words, size - shift)
    if size & 63:
        target[to + n_words - 1] &= (U(1) << U(size & 63)) - U(1)


@_inline
def _or_shifted_up(target, to, source, at, n_words, shift):
    words, bits = shift >> 6, U(shift & 63)
    for w in range(n_words - 1, words - 1, -1):
        value = source[at + w - words] << bits
        if bits and w > words:
            value |= source[at + w - words - 1] >> (U(64) - bits)
        target[to + w] |= value


@_inline
def _or_shifted_down(target, to, source, at, n_words, shift):
    words, bits = shift >> 6, U(shift & 63)
    for w in range(n_words - words):
        value = source[at + w + words] >> bits
        if bits and w + words + 1 < n_words:
            value |= source[at + w + words + 1] << (U(64) - bits)
        target[to + w] |= value


# Evaluation


@_inline
def _team(m, layer, clause):
    """Return where a team's planes begin, and the words of one half of its literals."""
    half0, half1 = len(m.valid0), len(m.valid1)
    if layer == 0:
        return clause * m.state_bits * 2 * half0, half0
    before = m.n_clauses * m.state_bits * 2 * half0
    return before + ((layer - 1) * m.n_clauses + clause) * m.state_bits * 2 * half1, half1


@_inline
def _list_start(m, layer, clause):
    half0, half1 = len(m.valid0), len(m.valid1)
    if layer == 0:
        return clause * 128 * half0
    return m.n_clauses * 128 * half0 + ((layer - 1) * m.n_clauses + clause) * 128 * half1


@_inline
def _refresh(m, layer, clause):
    """Bring the list of included literals up to date; a literal is its place among the words of the team."""
    team, half = _team(m, layer, clause)
    include = team + (m.state_bits - 1) * 2 * half
    start = _list_start(m, layer, clause)
    n = 0
    for w in range(2 * half):
        word = m.planes[include + w]
        while word:
            m.lists[start + n] = 64 * w + np.int64(_trailing_zeros(word))
            n += 1
            word &= word - U(1)
    m.list_sizes[layer * m.n_clauses + clause] = n
    m.dirty[layer * m.n_clauses + clause] = 0


@_inline
def _holds(m, layer, clause, truth, at, n_words, rows, rows_at, use_rows, nodes, nodes_at):
    """Leave in ``truth`` the nodes at which a team holds; return whether there is one.

    Either literal by literal over whole words of nodes, or node by node over whole words of literals, whichever
    is less work; always node by node if ``use_rows`` is off. Places are unsigned and arrays are handed over whole:
    the compiler then looks for no negative place and counts no reference.
    """
    n_included = m.list_sizes[layer * m.n_clauses + clause]
    if n_included == 0:
        return True
    team, half = _team(m, layer, clause)
    n_true = U(0)
    for w in range(n_words):
        n_true += _ones(truth[U(at) + U(w)])
    if use_rows and n_included * n_words <= np.int64(n_true) * half:
        first = _list_start(m, layer, clause)
        if n_words == 1:
            return _holds_by_word(truth, at, m.lists, first, n_included, rows, rows_at, half)
        return _holds_by_row(truth, at, n_words, m.lists, first, n_included, rows, rows_at, half)
    return _holds_by_node(truth, at, n_words, m.planes, team + (m.state_bits - 1) * 2 * half, half, nodes, nodes_at)


@_inline
def _holds_by_word(truth, at, lists, first, n_included, rows, rows_at, half):
    word = truth[U(at)]
    for i in range(n_included):
        literal = U(lists[U(first) + U(i)])
        if literal < U(64 * half):
            word &= rows[U(rows_at) + literal]
        else:
            word &= ~rows[U(rows_at) + literal - U(64 * half)]
        if word == U(0):
            break
    truth[U(at)] = word
    return word != U(0)


@_inline
def _holds_by_row(truth, at, n_words, lists, first, n_included, rows, rows_at, half):
    found = False
    for block in range(0, n_words, 8):
        t = U(at) + U(block)
        t0, t1, t2, t3 = truth[t], truth[t + U(1)], truth[t + U(2)], truth[t + U(3)]
        t4, t5, t6, t7 = truth[t + U(4)], truth[t + U(5)], truth[t + U(6)], truth[t + U(7)]
        some = U(1)
        for i in range(n_included):
            literal = U(lists[U(first) + U(i)])
            flip = U(0)
            if literal >= U(64 * half):
                literal -= U(64 * half)
                flip = ONES
            r = U(rows_at) + literal * U(n_words) + U(block)
            t0 &= rows[r] ^ flip
            t1 &= rows[r + U(1)] ^ flip
            t2 &= rows[r + U(2)] ^ flip
            t3 &= rows[r + U(3)] ^ flip
            t4 &= rows[r + U(4)] ^ flip
            t5 &= rows[r + U(5)] ^ flip
            t6 &= rows[r + U(6)] ^ flip
            t7 &= rows[r + U(7)] ^ flip
            some = t0 | t1 | t2 | t3 | t4 | t5 | t6 | t7
            if some == U(0):
                break
        truth[t], truth[t + U(1)], truth[t + U(2)], truth[t + U(3)] = t0, t1, t2, t3
        truth[t + U(4)], truth[t + U(5)], truth[t + U(6)], truth[t + U(7)] = t4, t5, t6, t7
        found |= some != U(0)
    return found


@_inline
def _holds_by_node(truth, at, n_words, planes, include, half, nodes, nodes_at):
    found = False
    for w in range(n_words):
        left = truth[U(at) + U(w)]
        kept = left
        while left:
            bit = _trailing_zeros(left)
            left &= left - U(1)
            node = U(nodes_at) + (U(64 * w) + bit) * U(half)
            violated = U(0)
            for k in range(half):
                word = nodes[node + U(k)]
                violated |= planes[U(include) + U(k)] & ~word
                violated |= planes[U(include + half) + U(k)] & word
            if violated:
                kept &= ~(U(1) << bit)
        truth[U(at) + U(w)] = kept
        found |= kept != U(0)
    return found


@_jit
def _places(m, g, s, graph):
    """Set where clauses of each node type may be true, and which nodes are read; return the number of node words."""
    first, last = g.node_ptr[graph], g.node_ptr[graph + 1]
    n_words = node_words(last - first)
    n_types = max(1, m.n_node_types)
    for w in range(n_words):
        s.read[w] = U(0)
        for t in range(n_types):
            s.start[t * n_words + w] = U(0)
    for node in range(last - first):
        w, bit = node >> 6, U(1) << U(node & 63)
        kind = g.node_types[first + node] if m.n_node_types > 1 else 0
        s.start[kind * n_words + w] |= bit
        if len(g.readout) == 0 or g.readout[first + node]:
            s.read[w] |= bit
    return n_words


@_jit
def evaluate(m, g, s, graph):
    """Evaluate all clauses on a graph; return the number of node words."""
    first, last = g.node_ptr[graph], g.node_ptr[graph + 1]
    n_nodes = last - first
    n_words = _places(m, g, s, graph)
    half0 = len(m.valid0)
    rows_at = g.row_ptr[graph]
    n_types = max(1, m.n_node_types)
    bits = g.bits.reshape(-1)
    for clause in range(m.n_clauses):
        s.included[clause] = 0
        for layer in range(m.depth):
            if m.dirty[layer * m.n_clauses + clause]:
                _refresh(m, layer, clause)
            s.included[clause] += m.list_sizes[layer * m.n_clauses + clause]
        at = clause * n_words
        kind = clause % n_types
        for w in range(n_words):
            s.truth[at + w] = s.start[kind * n_words + w]
        s.true[clause] = _holds(m, 0, clause, s.truth, at, n_words, g.rows, rows_at, True, bits, first * half0)
    for layer in range(1, m.depth):
        _deliver(m, g, s, first, n_nodes, n_words, layer)
        half1 = len(m.valid1)
        inbox_at = (layer - 1) * n_nodes * half1
        for clause in range(m.n_clauses):
            if s.true[clause]:
                s.true[clause] = _holds(
                    m,
                    layer,
                    clause,
                    s.truth,
                    clause * n_words,
                    n_words,
                    s.inbox_rows,
                    0,
                    n_nodes > 4,
                    s.inbox,
                    inbox_at,
                )
    for clause in range(m.n_clauses):
        if s.true[clause]:
            some = U(0)
            for w in range(n_words):
                some |= s.truth[clause * n_words + w] & s.read[w]
            s.true[clause] = some != U(0)
    return n_words


@_jit
def _deliver(m, g, s, first, n_nodes, n_words, layer):
    """Fill the inboxes of a layer: collect what clauses sign, turn it to node by node, and move it along edges."""
    size, half = m.message_size, len(m.valid1)
    for i in range(64 * half * n_words):
        s.sent[i] = U(0)
    for clause in range(m.n_clauses):
        some = U(0)
        at = clause * n_words
        for w in range(n_words):
            some |= s.truth[at + w]
        if some == U(0):
            s.true[clause] = 0
            continue
        s.true[clause] = 1
        for b in range(m.code.shape[1]):
            row = U(m.code[clause, b]) * U(n_words)
            for w in range(n_words):
                s.sent[row + U(w)] |= s.truth[U(at) + U(w)]
    transpose(s.sent, 0, n_words, size, s.messages, 0, half, n_nodes, s.block)
    inbox_at = (layer - 1) * n_nodes * half
    for i in range(n_nodes * half):
        s.inbox[inbox_at + i] = U(0)
    for node in range(n_nodes):
        to = inbox_at + node * half
        for edge in range(g.edge_ptr[first + node], g.edge_ptr[first + node + 1]):
            at = g.edge_sources[edge] * half
            _or_rotated(s.inbox, to, s.messages, at, half, size, g.edge_types[edge] % size)
    if n_nodes > 4:
        inbox = s.inbox[inbox_at:]
        transpose(inbox, 0, half, n_nodes, s.inbox_rows, 0, n_words, 64 * half, s.block)


# Learning


@_jit
def fit(m, g, s, ptr, outputs, values, silent, gates, weights, order, step):
    """Learn from examples one after the other, the first being number ``step`` of the machine's life."""
    for i in range(len(order)):
        example = order[i]
        n_words = evaluate(m, g, s, example)
        _learn(m, g, s, example, n_words, ptr, outputs, values, silent, gates[example], weights[example], step + U(i))


@_jit
def _learn(m, g, s, example, n_words, ptr, outputs, values, silent, gate, weight, step):
    step_keys = (
        _mix(m.purpose_keys[0] + (step + U(1)) * G),
        _mix(m.purpose_keys[1] + (step + U(1)) * G),
        _mix(m.purpose_keys[2] + (step + U(1)) * G),
        _mix(m.purpose_keys[3] + (step + U(1)) * G),
    )
    n_active = _heard(m, s, ptr[example], ptr[example + 1], outputs, values, silent, gate, step_keys[1])
    for a in range(n_active):
        s.sums[a] = 0
    for clause in range(m.n_clauses):
        s.focus[clause] = -1
        if s.true[clause]:
            for a in range(n_active):
                s.sums[a] += m.weights[clause, s.active[a]]
    focus_key = _mix(step_keys[0] + G)
    for a in range(n_active):
        y = s.wanted[a]
        v = min(max(s.sums[a], -m.T), m.T)
        target = 1 if v <= y else -1
        threshold = (U(abs(y - v)) << U(32)) // U(2 * m.T)
        if y == -m.T and not m.by_class and gate != ALWAYS:
            threshold = (threshold * gate) >> U(32)
        threshold = _weighted(threshold, weight)
        if threshold == U(0):
            continue
        output = s.active[a]
        update_key = _mix(step_keys[2] + (U(output) + U(1)) * G)
        mask_key = _mix(step_keys[3] + (U(output) + U(1)) * G)
        _choose(s.chosen, update_key, threshold)
        for clause in range(m.n_clauses):
            if s.chosen[clause]:
                _feedback(m, g, s, example, n_words, output, clause, target, focus_key, mask_key)


@_inline
def _choose(chosen, key, threshold):
    """Draw which clauses get feedback."""
    if threshold >= ALWAYS:
        chosen[:] = 1
        return
    limit = np.uint32(threshold)
    for clause in range(len(chosen)):
        chosen[clause] = _hash32(key, clause) < limit


@_inline
def _weighted(threshold, weight):
    """Multiply a threshold with a weight in units of 2^-16; at most always."""
    if weight <= U(1 << 31):
        return min(ALWAYS, (threshold * weight) >> U(16))
    if threshold >= U(1 << 17):
        return ALWAYS
    return min(ALWAYS, threshold * (weight >> U(16)) + ((threshold * (weight & U(0xFFFF))) >> U(16)))


@_jit
def _heard(m, s, listed, end, outputs, values, silent, gate, key):
    """List the outputs that are heard, ascending, and what they want; return their number."""
    n = 0
    if silent:
        for i in range(listed, end):
            y = np.int64(values[i])
            if y != -m.T or not m.by_class or U(_hash32(key, outputs[i])) < gate:
                s.active[n] = outputs[i]
                s.wanted[n] = y
                n += 1
        return n
    for output in range(m.n_outputs):
        y = -m.T
        if listed < end and outputs[listed] == output:
            y = np.int64(values[listed])
            listed += 1
        if y != -m.T or not m.by_class or U(_hash32(key, output)) < gate:
            s.active[n] = output
            s.wanted[n] = y
            n += 1
    return n


@_inline
def _focus(s, clause, n_words, key):
    """Pick one of the nodes that are read and at which a clause is true."""
    at = clause * n_words
    count = U(0)
    for w in range(n_words):
        count += _ones(s.truth[at + w] & s.read[w])
    left = (U(_hash32(key, clause)) * count) >> U(32)
    for w in range(n_words):
        word = s.truth[at + w] & s.read[w]
        here = _ones(word)
        if left < here:
            while left:
                word &= word - U(1)
                left -= U(1)
            return 64 * w + np.int64(_trailing_zeros(word))
        left -= here
    return -1


@_inline
def _feedback(m, g, s, example, n_words, output, clause, target, focus_key, mask_key):
    weight = np.int64(m.weights[clause, output])
    sign = 1 if weight >= 0 else -1
    one = target == sign
    true = s.true[clause] != 0
    if not one and not true:
        return
    if true:
        moved = weight + (sign if one else -sign)
        if abs(moved) <= WEIGHT_LIMIT:
            m.weights[clause, output] = moved
        if s.focus[clause] < 0:
            s.focus[clause] = _focus(s, clause, n_words, focus_key)
    learns = true and s.included[clause] <= m.limit
    first = g.node_ptr[example]
    n_nodes = g.node_ptr[example + 1] - first
    for layer in range(m.depth):
        team, half = _team(m, layer, clause)
        n = 2 * half
        valid = m.valid0 if layer == 0 else m.valid1
        if true:
            if layer == 0:
                _all_literals(s.literals, half, g.bits.reshape(-1), (first + s.focus[clause]) * half, valid)
            else:
                at = ((layer - 1) * n_nodes + s.focus[clause]) * half
                _all_literals(s.literals, half, s.inbox, at, valid)
        if one:
            key = _mix(mask_key + (U(clause) + U(1)) * K2 + U(layer) * K3)
            _mask(s.mask, s.undecided, s.x, s.y, n, key, m.mask_k[layer], m.mask_n[layer])
            _type_one(s.up, s.down, s.literals, s.mask, valid, half, learns, m.boost)
        else:
            _type_two(s.up, s.down, s.literals, m.planes, team + (m.state_bits - 1) * n, valid, half)
        if _move(m.planes, team, m.state_bits, s.up, s.down, s.x, s.y, n):
            m.dirty[layer * m.n_clauses + clause] = 1


@_inline
def _all_literals(literals, half, bits, at, valid):
    """Fill in a node's literals: its bits, then their negations."""
    for w in range(half):
        word = bits[U(at) + U(w)]
        literals[w] = word
        literals[U(half) + U(w)] = ~word & valid[w]


@_inline
def _type_one(up, down, literals, mask, valid, half, learns, boost):
    """Reinforce literals that hold and forget the others; forget all if the clause does not learn."""
    for part in range(2):
        start = U(part * half)
        for w in range(half):
            i = start + U(w)
            holds = literals[i] if learns else U(0)
            up[i] = holds if boost else holds & ~mask[i]
            down[i] = ~holds & mask[i] & valid[w]


@_inline
def _type_two(up, down, literals, planes, include, valid, half):
    """Move what does not hold, and is not included, towards inclusion."""
    for part in range(2):
        start = U(part * half)
        for w in range(half):
            i = start + U(w)
            up[i] = ~literals[i] & ~planes[U(include) + i] & valid[w]
            down[i] = U(0)


@_inline
def _mask(mask, undecided, xs, ys, n_words, key, k, n):
    """Fill ``mask`` with bits that are 1 with probability k / 2^n; digits are folded as they come."""
    for w in range(n_words):
        mask[w] = ONES if n == 0 else U(0)
        undecided[w] = ONES
        x = key + U(w) * G
        x = (x ^ (x >> U(32))) * K4
        x ^= x >> U(32)
        xs[w] = x
        ys[w] = ((x << U(32)) | (x >> U(32))) * K4
    for digit in range(1, n + 1):
        one = ONES if (k >> (n - digit)) & 1 else U(0)
        for w in range(n_words):
            x = ((xs[w] >> U(8)) | (xs[w] << U(56))) + ys[w]
            ys[w] = ((ys[w] << U(3)) | (ys[w] >> U(61))) ^ x
            xs[w] = x
            mask[w] |= undecided[w] & x & one
            undecided[w] &= x ^ one


@_inline
def _move(planes, team, state_bits, up, down, carry, before, n):
    """Move automata one state up or down; both ends hold. Return whether an include bit changed.

    One carry chain serves both ways: a carry runs on through ones, a borrow through zeros. A lane whose carry leaves
    the last plane was at its end, and the carry itself undoes it.
    """
    include = U(team + (state_bits - 1) * n)
    for w in range(n):
        carry[w] = up[w] | down[w]
        before[w] = planes[include + U(w)]
    for b in range(state_bits):
        plane = U(team + b * n)
        for w in range(n):
            old, c = planes[plane + U(w)], carry[w]
            planes[plane + U(w)] = old ^ c
            carry[w] = c & (old ^ down[w])
    for b in range(state_bits):
        plane = U(team + b * n)
        for w in range(n):
            planes[plane + U(w)] ^= carry[w]
    changed = U(0)
    for w in range(n):
        changed |= before[w] ^ planes[include + U(w)]
    return changed != U(0)


# Prediction


@_jit
def predict(m, g, s, first, last, outputs, sums):
    """Evaluate graphs: which clauses are true of them, and the vote sums."""
    for graph in range(first, last):
        evaluate(m, g, s, graph)
        for clause in range(m.n_clauses):
            outputs[graph, clause] = s.true[clause] != 0
            if s.true[clause]:
                for output in range(m.n_outputs):
                    sums[graph, output] += m.weights[clause, output]


@_jit
def predict_nodes(m, g, s, first, last, truth):
    """Evaluate graphs: which clauses are true at which nodes, read or not."""
    for graph in range(first, last):
        n_words = evaluate(m, g, s, graph)
        start = g.node_ptr[graph]
        for clause in range(m.n_clauses):
            for node in range(g.node_ptr[graph + 1] - start):
                word = s.truth[clause * n_words + (node >> 6)]
                truth[start + node, clause] = (word >> U(node & 63)) & U(1)
