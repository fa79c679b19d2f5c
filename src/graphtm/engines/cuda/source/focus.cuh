// The focus node of a true clause, and the literals there.

// The focus node: one of the nodes of `truth`, chosen by `draw`. Semantics 4, step 1.
__device__ __forceinline__ int focus_node(const u32* truth, int n_words, u32 draw) {
    const int lane = lane_id();
    u32 count = 0;
    for (int word = lane; word < n_words; word += 32) count += __popc(truth[word]);
    u32 place = __umulhi(draw, __reduce_add_sync(ALL, count));
    for (int first = 0;; first += 32) {
        const u32 nodes = first + lane < n_words ? truth[first + lane] : 0;
        const u32 own = __popc(nodes);
        u32 upto = own;
#pragma unroll
        for (int step = 1; step < 32; step <<= 1) {
            const u32 other = __shfl_up_sync(ALL, upto, step);
            if (lane >= step) upto += other;
        }
        const u32 total = __shfl_sync(ALL, upto, 31);
        if (place >= total) {
            place -= total;
            continue;
        }
        const int word = __ffs(__ballot_sync(ALL, upto > place)) - 1;
        const u32 bits = __shfl_sync(ALL, nodes, word), rank = place - __shfl_sync(ALL, upto - own, word);
        const bool chosen = (bits >> lane & 1) && __popc(bits & ((1u << lane) - 1)) == rank;
        return (first + word) * 32 + __ffs(__ballot_sync(ALL, chosen)) - 1;
    }
}

// Write the literals at a node to `focus`; from rows of nodes, one column is read.
template <class R>
__device__ __forceinline__ void literals_at(R rows, bool by_rows, int size, int half, int node, u32* focus) {
    const int lane = lane_id();
    if (!by_rows) {
        for (int i = lane; i < half; i += 32) focus[i] = rows.at(node, i);
        return;
    }
    for (int i = 0; i < half; i++) {
        const int row = i * 32 + lane;
        const u32 bits = __ballot_sync(ALL, row < size && (rows.at(row, node >> 5) >> (node & 31) & 1));
        if (lane == 0) focus[i] = bits;
    }
}

__device__ __forceinline__ void all_literals_at(const Machine& m, const Room& room, const Scene& scene, int node,
                                                u32* focus) {
    const Literals literals{m, room, scene};
    for (int layer = 0; layer < m.depth; layer++) {
        const int size = layer ? m.size1 : m.size0, half = 2 * (layer ? m.half1 : m.half0);
        literals.in(layer, [&](auto rows) { literals_at(rows, scene.head.by_rows, size, half, node, focus); });
        focus += half;
    }
}
