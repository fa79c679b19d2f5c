"""Messages: what clauses sign at their nodes is bound to edge types and arrives in inboxes.

Clauses that share a message bit are joined first; then whole words travel along edges. What a node sends is written
out twice in a row, ``x x``, so that the cyclic shift by an edge type is the same plain shift for any number of bits.
"""

from __future__ import annotations

from graphtm.engines.cpu.barrier import wait
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import share
from graphtm.engines.cpu.tiles import transpose
from graphtm.engines.cpu.vectors import load, splat, store
from graphtm.engines.cpu.words import U, trailing_zeros


@inlined
def deliver(wide, half, m, g, s, p, first, n_nodes, at, by_row, barrier, thread, n_threads):
    """Fill the inboxes of a layer, which begin at ``at``; return whether to stop instead."""
    # With whole words the second copy is the first one again; else it has to be made like the first.
    n_groups = m.half1 if m.message_size % 64 == 0 else (2 * m.message_size + 63) // 64
    if by_row:
        _sign_by_row(wide, m, s, p, n_nodes, n_groups, thread, n_threads)
    else:
        _sign_by_node(m, s, n_nodes, n_groups, thread, n_threads)
    if wait(barrier, n_threads):
        return True
    low, high = share(n_nodes, thread, n_threads)
    if m.words1 <= 4:
        _travel(half, m, g, s, first, low, high, at)
    else:
        _travel(wide, m, g, s, first, low, high, at)
    return wait(barrier, n_threads)


@kernel
def _sign_by_row(wide, m, s, p, n_nodes, n_groups, thread, n_threads):
    """Join the clauses that own a bit, over a block of nodes, and turn 64 bits at a time to the nodes."""
    n_blocks = (n_nodes + 511) // 512
    low, high = share(n_blocks * n_groups, thread, n_threads)
    for task in range(low, high):
        block, group = task // n_groups, task % n_groups
        for i in range(64):
            bit = 64 * group + i
            bit = bit if bit < m.message_size else bit - m.message_size
            for w in range(0, 8, len(wide)):
                value = splat(wide, U(0))
                if bit < m.message_size:
                    for o in range(m.owner_ptr[bit], m.owner_ptr[bit + 1]):
                        clause = U(block * m.n_clauses + m.owners[o])
                        value = value | load(wide, s.truth, clause * U(8) + U(w))
                store(wide, p.tile, U(i * 8 + w), value)
        transpose(wide, p.tile)
        for node in range(512 * block, min(512 * block + 512, n_nodes)):
            word = p.tile[U((node & 63) * 8 + ((node >> 6) & 7))]
            _write_twice(m, s, node, group, word)


@kernel
def _sign_by_node(m, s, n_nodes, n_groups, thread, n_threads):
    """The same for few nodes: bit by bit."""
    low, high = share(n_groups, thread, n_threads)
    for group in range(low, high):
        for node in range(n_nodes):
            _write_twice(m, s, node, group, U(0))
        for i in range(64):
            bit = 64 * group + i
            bit = bit if bit < m.message_size else bit - m.message_size
            if bit < m.message_size:
                _sign_bit(m, s, n_nodes, bit, group, U(1) << U(i))


@inlined
def _sign_bit(m, s, n_nodes, bit, group, mark):
    first, last = m.owner_ptr[bit], m.owner_ptr[bit + 1]
    if first == last:
        return
    for word in range((n_nodes + 63) // 64):
        nodes = U(0)
        for o in range(first, last):
            nodes |= s.truth[U(((word >> 3) * m.n_clauses + m.owners[o]) * 8 + (word & 7))]
        while nodes:
            place = (U(64 * word) + trailing_zeros(nodes)) * U(s.stride_sent) + U(group)
            value = s.messages[place] | mark
            s.messages[place] = value
            if m.message_size % 64 == 0:
                s.messages[place + U(m.half1)] = value
            nodes &= nodes - U(1)


@inlined
def _write_twice(m, s, node, group, word):
    place = U(node * s.stride_sent + group)
    s.messages[place] = word
    if m.message_size % 64 == 0:
        s.messages[place + U(m.half1)] = word


@kernel
def _travel(width, m, g, s, first, low, high, at):
    """Gather the messages of each node along its edges, and write them down with their negations."""
    step = len(width)
    for node in range(low, high):
        inbox = at + node * s.stride1
        edges, end = g.edge_ptr[first + node], g.edge_ptr[first + node + 1]
        # The bits run over into the place of the negations, which are written afterwards.
        for w in range(0, m.half1, step):
            value = splat(width, U(0))
            for edge in range(edges, end):
                kind = g.edge_types[edge]
                shift = m.message_size - (kind if kind < m.message_size else kind % m.message_size)
                source = U(g.edge_sources[edge] * s.stride_sent + (shift >> 6) + w)
                low_part = load(width, s.messages, source) >> U(shift & 63)
                high_part = (load(width, s.messages, source + U(1)) << U(1)) << U(63 - (shift & 63))
                value = value | low_part | high_part
            store(width, s.inbox, U(inbox + w), value & load(width, m.valid1, U(w)))
        for w in range(0, m.half1, step):
            value = ~load(width, s.inbox, U(inbox + w)) & load(width, m.valid1, U(m.half1 + w))
            store(width, s.inbox, U(inbox + m.half1 + w), value)
