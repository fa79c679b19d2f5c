// Evaluation of clauses, one per warp, by rows of nodes or node by node. Semantics 3.

// One, two or four words of node bits, loaded at once.
template <int N>
struct alignas(4 * N) Nodes {
    u32 words[N];
};

template <int N>
__device__ __forceinline__ bool any_of(const Nodes<N>& nodes) {
    u32 any = 0;
#pragma unroll
    for (int i = 0; i < N; i++) any |= nodes.words[i];
    return any != 0;
}

// found &= other, or its complement where `inverted` is all ones.
template <int N>
__device__ __forceinline__ void narrow(Nodes<N>& found, const Nodes<N>& other, u32 inverted) {
#pragma unroll
    for (int i = 0; i < N; i++) found.words[i] &= other.words[i] ^ inverted;
}

// Rows of bits that do not change while a kernel runs, or that are in shared memory.
struct Rows {
    const u32* base;
    int stride;
    __device__ __forceinline__ u32 at(int row, int word) const { return base[row * stride + word]; }
    template <int N>
    __device__ __forceinline__ Nodes<N> nodes(int row, int word) const {
        return *(const Nodes<N>*)(base + row * stride + word);
    }
};

// Rows in global memory written by other blocks; reads must bypass the multiprocessor's cache.
struct SharedByBlocks {
    const u32* base;
    int stride;
    __device__ __forceinline__ u32 at(int row, int word) const { return __ldcg(base + (i64)row * stride + word); }
    template <int N>
    __device__ __forceinline__ Nodes<N> nodes(int row, int word) const {
        Nodes<N> found;
        const u32* place = base + (i64)row * stride + word;
        if constexpr (N == 4) *(uint4*)&found = __ldcg((const uint4*)place);
        else if constexpr (N == 2) *(uint2*)&found = __ldcg((const uint2*)place);
        else found.words[0] = __ldcg(place);
        return found;
    }
};

__device__ __forceinline__ int lane_id() { return threadIdx.x & 31; }

// AND of the rows of all included literals. Each of 2^LANES lanes takes N words of a row; groups of 2^LANES lanes take
// different literals. `include` has `half` words of literals, then `half` words of negated ones.
template <int N, int LANES, class R>
__device__ __forceinline__ Nodes<N> conjunction(const u32* include, int half, R rows, int word, Nodes<N> found) {
    constexpr int WIDTH = 1 << LANES, GROUPS = 32 / WIDTH;
    constexpr u32 LEADERS = ALL / (ALL >> (32 - WIDTH));  // a bit for each group
    for (int first = 0; first < 2 * half; first += GROUPS) {
        const int place = first + (lane_id() >> LANES);
        u32 literals = place < 2 * half ? include[place] : 0;
        const u32 inverted = place >= half ? ALL : 0;
        const int base = (place >= half ? place - half : place) * 32;
        while (literals) {
            // Four at a time, so that loads overlap; if there are fewer, the first is repeated.
            const int a = __ffs(literals) - 1;
            literals &= literals - 1;
            const int b = literals ? __ffs(literals) - 1 : a;
            literals &= literals - 1;
            const int c = literals ? __ffs(literals) - 1 : a;
            literals &= literals - 1;
            const int d = literals ? __ffs(literals) - 1 : a;
            literals &= literals - 1;
            const Nodes<N> at_a = rows.template nodes<N>(base + a, word), at_b = rows.template nodes<N>(base + b, word);
            const Nodes<N> at_c = rows.template nodes<N>(base + c, word), at_d = rows.template nodes<N>(base + d, word);
            narrow(found, at_a, inverted);
            narrow(found, at_b, inverted);
            narrow(found, at_c, inverted);
            narrow(found, at_d, inverted);
        }
        __syncwarp();
        u32 alive = __ballot_sync(ALL, any_of(found));
#pragma unroll
        for (int step = 0; step < LANES; step++) alive |= alive >> (1 << step);
        if ((alive & LEADERS) != LEADERS) return Nodes<N>{};  // no node satisfies the literals of some group
    }
#pragma unroll
    for (int step = WIDTH; step < 32; step <<= 1) {
#pragma unroll
        for (int i = 0; i < N; i++) found.words[i] &= __shfl_xor_sync(ALL, found.words[i], step);
    }
    return found;
}

// Compare rows of literals node by node; return a bit per node, in every lane.
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

// Transpose 32 x 32 bits, a row per lane: bit j of lane i becomes bit i of lane j.
__device__ __forceinline__ u32 transposed(u32 x) {
    const int lane = lane_id();
    u32 low = 0x0000ffffu;
    for (int step = 16; step; step >>= 1, low ^= low << step) {
        u32 y = __shfl_xor_sync(ALL, x, step);
        x = lane & step ? (x & ~low) | ((y & ~low) >> step) : (x & low) | ((y & low) << step);
    }
    return x;
}

// Start of the masks after the rows of a record: nodes of each type, then readout nodes.
__device__ __forceinline__ const u32* masks_of(const GraphHead& head, const u32* record, int size0, int half0) {
    return record + (head.by_rows ? size0 * head.stride : head.n_nodes * 2 * half0);
}

// Start of the edges after the masks of a graph by nodes, for reading or writing.
template <class T>
__device__ __forceinline__ T* edges_of(const GraphHead& head, T* record, int half0, int n_types) {
    return record + head.n_nodes * 2 * half0 + n_types + 1;
}

// Offset of the team of a layer among the teams of its clause, and number of its words of literals, which are followed
// by as many words of negations. Words of 32 bits.
struct Team {
    bool bottom;  // whether the literals are of hypervectors (layer 0), not of inboxes
    i64 offset;
    int half;
};

__device__ __forceinline__ Team team_of(const Machine& m, int layer) {
    const bool bottom = layer == 0;
    return Team{bottom, bottom ? 0 : 4 * m.half0 + (layer - 1) * 4 * m.half1, 2 * (bottom ? m.half0 : m.half1)};
}
