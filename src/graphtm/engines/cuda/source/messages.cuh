// Messages between nodes. Semantics 3, step 2. In small graphs, by nodes, every true clause writes its bits along the
// edges. In other graphs, by rows, the bits of all true clauses are ORed at each node; then words move along the edges.

// Write a clause's bits from the nodes where it is true, shifted by the edge types, into the inboxes `posts`.
__device__ __forceinline__ void post(const Machine& m, const GraphHead& head, const u32* record, int clause, u32 truth,
                                     u32* posts) {
    const u32* edges = edges_of(head, record, m.half0, m.n_types);
    const int width = 2 * m.half1;
    for (int i = lane_id(); i < head.n_edges * m.code_bits; i += 32) {
        const int edge = i / m.code_bits, bit = i - edge * m.code_bits;
        const u32 ends = edges[2 * edge];
        if (!(truth >> (ends & 0xffff) & 1)) continue;
        const u32 type = edges[2 * edge + 1];
        u32 place = m.code[clause * (i64)m.code_bits + bit] + (type < (u32)m.size1 ? type : type % m.size1);
        if (place >= (u32)m.size1) place -= m.size1;
        atomicOr(posts + (ends >> 16) * width + (place >> 5), 1u << (place & 31));
    }
}

// Messages before binding: the OR of the codes of true clauses, for 32 nodes and 32 message bits.
template <class R>
__device__ __forceinline__ u32 sent_tile(const Machine& m, R truth, int bits, int word) {
    const int bit = bits * 32 + lane_id();
    u32 nodes = 0;
    if (bit < m.size1) {
        const int last = m.owner_ptr[bit + 1];
        for (int i = m.owner_ptr[bit]; i < last; i += 4) {
            u32 a = truth.at(m.owners[i], word), b = truth.at(m.owners[min(i + 1, last - 1)], word);
            u32 c = truth.at(m.owners[min(i + 2, last - 1)], word), d = truth.at(m.owners[min(i + 3, last - 1)], word);
            nodes |= a | b | c | d;
        }
    }
    return transposed(nodes);
}

// 32 bits of a cyclic row of `size` bits, starting at a position.
template <class R>
__device__ __forceinline__ u32 bits_from(R rows, int row, int position, int size) {
    u32 found = 0;
    for (int filled = 0; filled < 32;) {
        const int n = min(32 - filled, size - position), word = position >> 5;
        const u32 low = rows.at(row, word), high = (word + 1) * 32 < size ? rows.at(row, word + 1) : 0;
        u32 bits = __funnelshift_r(low, high, position & 31);
        if (n < 32) bits &= (1u << n) - 1;
        found |= bits << filled;
        filled += n;
        position = 0;
    }
    return found;
}

// 32 bits of the inboxes of 32 nodes: the OR of the messages along the edges. A lane per node, then a lane per bit.
template <class R>
__device__ __forceinline__ u32 inbox_tile(const Machine& m, const Graphs& g, const GraphHead& head, R sent, int bits,
                                          int word) {
    const int node = word * 32 + lane_id();
    u32 found = 0;
    if (node < head.n_nodes) {
        const i64 last = g.edge_ptr[head.first + node + 1];
        for (i64 edge = g.edge_ptr[head.first + node]; edge < last; edge++) {
            int type = g.edge_types[edge];
            if (type >= m.size1) type %= m.size1;
            int position = bits * 32 - type;  // of a message bit before the shift by the edge type
            if (position < 0) position += m.size1;
            if (position >= m.size1) position %= m.size1;
            found |= bits_from(sent, g.sources[edge], position, m.size1);
        }
    }
    return transposed(found);
}
