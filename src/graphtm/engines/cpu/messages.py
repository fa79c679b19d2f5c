"""Messages: what clauses sign at their nodes is bound to edge types and arrives in inboxes.

Clauses that share a message bit are joined first; then whole words travel along edges. What a node sends is written
out twice in a row, ``x x``, so that the cyclic shift by an edge type is the same plain shift for any number of bits.
"""

from __future__ import annotations

from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import literals_start, share
from graphtm.engines.cpu.tiles import transpose
from graphtm.engines.cpu.vectors import load, splat, store
from graphtm.engines.cpu.words import U, trailing_zeros


@kernel
def sign(wide, m, s, p, n_nodes, by_row, thread, n_threads):
    """Write down what the clauses that are true at each node sign; a thread does its part."""
    # With whole words the second copy is the first one again; else it has to be made like the first.
    n_groups = m.half1 if m.message_size % 64 == 0 else (2 * m.message_size + 63) // 64
    if by_row:
        _sign_by_row(wide, m, s, p, n_nodes, n_groups, thread, n_threads)
    else:
        _sign_by_node(m, s, n_nodes, n_groups, thread, n_threads)


@kernel
def travel(wide, half, m, g, s, first, n_nodes, layer, thread, n_threads):
    """Fill a thread's part of the inboxes of a layer."""
    low, high = share(n_nodes, thread, n_threads)
    if m.words1 <= 4:
        _travel(half, m, g, s, first, low, high, literals_start(s, layer)[0])
    else:
        _travel(wide, m, g, s, first, low, high, literals_start(s, layer)[0])


@inlined
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
            place = U(node * s.stride_sent + group)
            s.messages[place] = word
            if m.message_size % 64 == 0:
                s.messages[place + U(m.half1)] = word


@inlined
def _sign_by_node(m, s, n_nodes, n_groups, thread, n_threads):
    """Do the same bit by bit, for few nodes; a thread writes its part of the words."""
    low, high = share(n_groups, thread, n_threads)
    for node in range(n_nodes):
        for group in range(low, high):
            s.messages[U(node * s.stride_sent + group)] = U(0)
    for clause in range(m.n_clauses):
        if s.alive[clause]:
            for i in range(m.code_bits):
                bit = m.code[clause * m.code_bits + i]
                if low <= (bit >> 6) < high:
                    _sign_bit(m, s, n_nodes, clause, bit)
                if m.message_size % 64 and low <= ((bit + m.message_size) >> 6) < high:
                    _sign_bit(m, s, n_nodes, clause, bit + m.message_size)
    if m.message_size % 64 == 0:
        for node in range(n_nodes):
            for group in range(low, high):
                place = U(node * s.stride_sent + group)
                s.messages[place + U(m.half1)] = s.messages[place]


@inlined
def _sign_bit(m, s, n_nodes, clause, bit):
    for word in range((n_nodes + 63) // 64):
        nodes = s.truth[U(((word >> 3) * m.n_clauses + clause) * 8 + (word & 7))]
        while nodes:
            place = (U(64 * word) + trailing_zeros(nodes)) * U(s.stride_sent) + U(bit >> 6)
            s.messages[place] |= U(1) << U(bit & 63)
            nodes &= nodes - U(1)


@inlined
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
            store(width, s.literals, U(inbox + w), value & load(width, m.valid1, U(w)))
        for w in range(0, m.half1, step):
            value = ~load(width, s.literals, U(inbox + w)) & load(width, m.valid1, U(m.half1 + w))
            store(width, s.literals, U(inbox + m.half1 + w), value)
