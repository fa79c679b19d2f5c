// Where a clause is true: a warp evaluates a clause, by rows of nodes or node by node.

// Rows of bits that do not change while a kernel runs, or that lie in shared memory.
struct Rows {
    const u32* base;
    int stride;
    __device__ __forceinline__ u32 at(int row, int word) const { return base[row * stride + word]; }
};

// Rows in global memory that other blocks have written: not to be read from a cache of this multiprocessor.
struct SharedByBlocks {
    const u32* base;
    int stride;
    __device__ __forceinline__ u32 at(int row, int word) const { return __ldcg(base + row * stride + word); }
};

__device__ __forceinline__ int lane_id() { return threadIdx.x & 31; }

// AND together the rows of all included literals. 2^LANES lanes take the words of a row each; the groups of so many
// lanes take different literals. `include` has `half` words of literals, then as many of negated ones.
template <int LANES, class R>
__device__ __forceinline__ u32 conjunction_of(const u32* include, int half, R rows, int word, u32 found) {
    constexpr int WIDTH = 1 << LANES, GROUPS = 32 / WIDTH;
    constexpr u32 LEADERS = ALL / (ALL >> (32 - WIDTH));  // a bit for each group
    for (int first = 0; first < 2 * half; first += GROUPS) {
        const int place = first + (lane_id() >> LANES);
        u32 literals = place < 2 * half ? include[place] : 0;
        const u32 inverted = place >= half ? ALL : 0;
        const int base = (place >= half ? place - half : place) * 32;
        while (literals) {
            // Four at a time, so that loads overlap; a missing one repeats the first.
            const int a = __ffs(literals) - 1;
            literals &= literals - 1;
            const int b = literals ? __ffs(literals) - 1 : a;
            literals &= literals - 1;
            const int c = literals ? __ffs(literals) - 1 : a;
            literals &= literals - 1;
            const int d = literals ? __ffs(literals) - 1 : a;
            literals &= literals - 1;
            const u32 ra = rows.at(base + a, word), rb = rows.at(base + b, word);
            const u32 rc = rows.at(base + c, word), rd = rows.at(base + d, word);
            found &= (ra ^ inverted) & (rb ^ inverted) & (rc ^ inverted) & (rd ^ inverted);
        }
        __syncwarp();
        u32 alive = __ballot_sync(ALL, found != 0);
#pragma unroll
        for (int step = 0; step < LANES; step++) alive |= alive >> (1 << step);
        if ((alive & LEADERS) != LEADERS) return 0;  // no node satisfies what some group has seen
    }
#pragma unroll
    for (int step = WIDTH; step < 32; step <<= 1) found &= __shfl_xor_sync(ALL, found, step);
    return found;
}

template <class R>
__device__ __forceinline__ u32 conjunction(const u32* include, int half, R rows, int word, u32 found, int lanes) {
    switch (lanes) {
        case 0: return conjunction_of<0>(include, half, rows, word, found);
        case 1: return conjunction_of<1>(include, half, rows, word, found);
        case 2: return conjunction_of<2>(include, half, rows, word, found);
        case 3: return conjunction_of<3>(include, half, rows, word, found);
        case 4: return conjunction_of<4>(include, half, rows, word, found);
        default: return conjunction_of<5>(include, half, rows, word, found);
    }
}

// Compare whole rows of literals, node by node; returns a bit per node, in every lane.
template <class R>
__device__ __forceinline__ u32 node_by_node(const u32* include, int half, R rows, int n_nodes, u32 candidates) {
    u32 found = candidates;
    for (int node = 0; node < n_nodes; node++) {
        if (!(candidates >> node & 1)) continue;
        u32 violated = 0;
        for (int place = lane_id(); place < half; place += 32) {
            const u32 bits = rows.at(node, place);
            violated |= (include[place] & ~bits) | (include[half + place] & bits);
        }
        if (__any_sync(ALL, violated != 0)) found &= ~(1u << node);
    }
    return found;
}

// 32 x 32 bits, a row per lane: afterwards bit j of lane i is what bit i of lane j was.
__device__ __forceinline__ u32 transposed(u32 x) {
    const int lane = lane_id();
    u32 low = 0x0000ffffu;
    for (int step = 16; step; step >>= 1, low ^= low << step) {
        u32 y = __shfl_xor_sync(ALL, x, step);
        x = lane & step ? (x & ~low) | ((y & ~low) >> step) : (x & low) | ((y & low) << step);
    }
    return x;
}

// The masks behind the rows of a record: nodes of a type, and nodes that answer.
__device__ __forceinline__ u32 mask_at(const GraphHead& head, const u32* record, int number, int size0, int half0, int word) {
    if (head.by_rows) return record[(size0 + number) * head.stride + word];
    return record[head.n_nodes * 2 * half0 + number];
}
