// Conversion between the arrays of the host and those of the kernels.

extern "C" __global__ void pack_graphs(const Graphs g, u32* records, const u64* bits, const int* node_types,
                                       const unsigned char* readout, const int size0, const int half0,
                                       const int n_types) {
    const int lane = lane_id(), n_warps = blockDim.x >> 5, warp = threadIdx.x >> 5;
    for (i64 graph = blockIdx.x; graph < g.n_graphs; graph += gridDim.x) {
        const GraphHead head = g.heads[graph];
        u32* record = records + head.at;
        const u32* words = (const u32*)(bits + head.first * half0);
        const int n_words = (head.n_nodes + 31) >> 5, half = 2 * half0;
        if (head.by_rows) {
            for (int tile = warp; tile < half * n_words; tile += n_warps) {
                const int place = tile / n_words, word = tile % n_words;
                const int node = word * 32 + lane, row = place * 32 + lane;
                const u32 nodes = transposed(node < head.n_nodes ? words[(i64)node * half + place] : 0);
                if (row < size0) record[row * head.stride + word] = nodes;
            }
        } else {
            for (int i = threadIdx.x; i < head.n_nodes * half; i += blockDim.x) record[i] = words[i];
            u32* edges = edges_of(head, record, half0, n_types);
            for (int node = threadIdx.x; node < head.n_nodes; node += blockDim.x) {
                const i64 first = g.edge_ptr[head.first], last = g.edge_ptr[head.first + node + 1];
                for (i64 edge = g.edge_ptr[head.first + node]; edge < last; edge++) {
                    edges[2 * (edge - first)] = g.sources[edge] | (u32)node << 16;
                    edges[2 * (edge - first) + 1] = g.edge_types[edge];
                }
            }
        }
        u32* masks = record + (head.by_rows ? size0 * head.stride : head.n_nodes * half);
        const int stride = head.by_rows ? head.stride : 1;
        for (int tile = warp; tile < (n_types + 1) * n_words; tile += n_warps) {
            const int number = tile / n_words, word = tile % n_words, node = word * 32 + lane;
            bool belongs = node < head.n_nodes;
            if (belongs && number == n_types) belongs = !readout || readout[head.first + node];
            else if (belongs && n_types > 1) belongs = node_types[head.first + node] == number;
            const u32 nodes = __ballot_sync(ALL, belongs);
            if (lane == 0) masks[number * stride + word] = nodes;
        }
    }
}

// Position of an automaton, given as a bit of a word of a clause's teams, among the states of its layer.
struct Automaton {
    int layer;
    i64 column;
};

__device__ __forceinline__ Automaton automaton_of(const Machine& m, const Place& place, int bit) {
    const int size = place.layer ? m.size1 : m.size0, half = place.layer ? m.half1 : m.half0;
    return Automaton{place.layer, (place.negated ? size + 64ll * (place.word - half) : 64ll * place.word) + bit};
}

// States are stored layer after layer, [clause][automaton] in each.
__device__ __forceinline__ i64 state_at(const Machine& m, const Automaton& automaton, i64 clause) {
    const i64 below = 2ll * m.size0, above = 2ll * m.size1;
    if (automaton.layer == 0) return clause * below + automaton.column;
    return m.n_clauses * (below + (automaton.layer - 1) * above) + clause * above + automaton.column;
}

extern "C" __global__ void pack_states(const Machine m, const unsigned char* states) {
    const i64 n = (i64)m.n_clauses * m.words;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 clause = i / m.words;
        const int word = (int)(i - clause * m.words);
        const Place place = place_of(m, word);
        u64 planes[PLANES] = {};
        for (int bit = 0; bit < 64 && place.valid >> bit & 1; bit++) {
            const u32 state = (u32)states[state_at(m, automaton_of(m, place, bit), clause)] << m.first_plane;
#pragma unroll
            for (int plane = 0; plane < PLANES; plane++) planes[plane] |= (u64)(state >> plane & 1) << bit;
        }
#pragma unroll
        for (int plane = 0; plane < PLANES; plane++)
            m.planes[(clause * PLANES + plane) * m.words + word] = planes[plane];
    }
}

extern "C" __global__ void unpack_states(const Machine m, unsigned char* states) {
    const i64 n = (i64)m.n_clauses * m.words;
    for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (i64)blockDim.x) {
        const i64 clause = i / m.words;
        const int word = (int)(i - clause * m.words);
        const Place place = place_of(m, word);
        u64 planes[PLANES];
#pragma unroll
        for (int plane = 0; plane < PLANES; plane++)
            planes[plane] = m.planes[(clause * PLANES + plane) * m.words + word];
        for (int bit = 0; bit < 64 && place.valid >> bit & 1; bit++) {
            u32 state = 0;
#pragma unroll
            for (int plane = 0; plane < PLANES; plane++) state |= (u32)(planes[plane] >> bit & 1) << plane;
            states[state_at(m, automaton_of(m, place, bit), clause)] = (unsigned char)(state >> m.first_plane);
        }
    }
}
