"""Messages: codes of true clauses are bound to edge types and collected in inboxes (semantics, section 3, step 2).

Clauses that share a message bit are ORed first; then whole words are moved along the edges. The message of a node is
stored twice in a row, ``x x``, so that the cyclic shift by an edge type is a plain shift for any number of bits.
"""

from __future__ import annotations

from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import literals_start, share
from graphtm.engines.cpu.tiles import transpose
from graphtm.engines.cpu.vectors import load, splat, store
from graphtm.engines.cpu.words import U, trailing_zeros


@kernel
def sign_together(wide, m, s, p, n_nodes, thread, n_threads):
    """Write the OR of the codes of the clauses that are true at each node; each thread writes some of the bits.

    The clauses that own a bit are ORed over a block of nodes; then 64 bits at a time are transposed.
    """
    # Semantics 3, step 2: messages before binding.
    # If the bits fill whole words, the second copy equals the first; else it is computed like the first.
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
    """Write the codes of a thread's true clauses bit by bit into its own buffer; for graphs of few nodes."""
    # Semantics 3, step 2: messages before binding.
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
    """Return the start of the messages in a thread's own buffer."""
    return thread * s.most_nodes * s.stride_sent


@kernel
def travel(wide, half, m, g, s, first, n_nodes, layer, n_senders, thread, n_threads):
    """Fill a thread's part of the inboxes of a layer with the messages in ``n_senders`` buffers."""
    low, high = share(n_nodes, thread, n_threads)
    if m.words1 <= 4:
        _travel(half, m, g, s, first, low, high, literals_start(s, layer)[0], n_senders)
    else:
        _travel(wide, m, g, s, first, low, high, literals_start(s, layer)[0], n_senders)


@inlined
def _travel(width, m, g, s, first, low, high, at, n_senders):
    """OR the messages along the edges into each node, and write the bits of its inbox and their negations."""
    # Semantics 3, step 2: inboxes; section 2: binding by cyclic shift.
    step = len(width)
    for node in range(low, high):
        inbox = at + node * s.stride1
        edges, end = g.edge_ptr[first + node], g.edge_ptr[first + node + 1]
        # The bits may overrun into the negations, which are written afterwards.
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
