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
def sign_together(wide, m, s, p, n_nodes, thread, n_threads):
    """Write down what the clauses that are true at each node sign, a thread some of the bits.

    The clauses that own a bit are joined over a block of nodes, and 64 bits at a time are turned to the nodes.
    """
    # With whole words the second copy is the first one again; else it has to be made like the first.
    n_groups = m.half1 if m.message_size % 64 == 0 else (2 * m.message_size + 63) // 64
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


@kernel
def sign_apart(m, s, n_nodes, low, high, thread):
    """Write down what a thread's own clauses sign, bit by bit: for few nodes, in a place of its own."""
    start = sent_start(s, thread)
    whole = m.message_size % 64 == 0
    n_words = m.half1 if whole else 2 * m.half1
    for node in range(n_nodes):
        for w in range(n_words):
            s.messages[U(start + node * s.stride_sent + w)] = U(0)
    for clause in range(low, high):
        if s.alive[clause]:
            for i in range(m.code_bits):
                bit = m.code[clause * m.code_bits + i]
                _sign_bit(m, s, start, n_nodes, clause, bit)
                if not whole:
                    _sign_bit(m, s, start, n_nodes, clause, bit + m.message_size)
    if whole:
        for node in range(n_nodes):
            for w in range(m.half1):
                place = U(start + node * s.stride_sent + w)
                s.messages[place + U(m.half1)] = s.messages[place]


@inlined
def _sign_bit(m, s, start, n_nodes, clause, bit):
    for word in range((n_nodes + 63) // 64):
        nodes = s.truth[U(((word >> 3) * m.n_clauses + clause) * 8 + (word & 7))]
        while nodes:
            node = U(64 * word) + trailing_zeros(nodes)
            s.messages[U(start) + node * U(s.stride_sent) + U(bit >> 6)] |= U(1) << U(bit & 63)
            nodes &= nodes - U(1)


@inlined
def sent_start(s, thread):
    """Return where the messages begin that a thread has signed apart."""
    return thread * s.most_nodes * s.stride_sent


@kernel
def travel(wide, half, m, g, s, first, n_nodes, layer, n_senders, thread, n_threads):
    """Fill a thread's part of the inboxes of a layer with what so many threads have signed."""
    low, high = share(n_nodes, thread, n_threads)
    if m.words1 <= 4:
        _travel(half, m, g, s, first, low, high, literals_start(s, layer)[0], n_senders)
    else:
        _travel(wide, m, g, s, first, low, high, literals_start(s, layer)[0], n_senders)


@inlined
def _travel(width, m, g, s, first, low, high, at, n_senders):
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
                for sender in range(n_senders):
                    place = sent_start(s, sender) + g.edge_sources[edge] * s.stride_sent + (shift >> 6) + w
                    low_part = load(width, s.messages, U(place)) >> U(shift & 63)
                    high_part = (load(width, s.messages, U(place + 1)) << U(1)) << U(63 - (shift & 63))
                    value = value | low_part | high_part
            store(width, s.literals, U(inbox + w), value & load(width, m.valid1, U(w)))
        for w in range(0, m.half1, step):
            value = ~load(width, s.literals, U(inbox + w)) & load(width, m.valid1, U(m.half1 + w))
            store(width, s.literals, U(inbox + m.half1 + w), value)
