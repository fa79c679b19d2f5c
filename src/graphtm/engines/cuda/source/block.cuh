// State of a block of the cooperative kernel: its clauses, and the current graph, which all blocks share.

extern __shared__ __align__(16) u32 shared[];

constexpr u32 TRUE_OF_GRAPH = 1, WITHIN_LIMIT = 2;
constexpr int STRENGTH = 8;  // first bit of the strength of a graded clause

// The number of votes of a true clause with these flags.
__device__ __forceinline__ i64 strength_of(u32 flags) { return GRADED ? flags >> STRENGTH : 1; }

struct Block {
    int first, n_clauses;  // range of its clauses
    int warp, n_warps;
    u64* planes;   // [clause][plane][word]
    int* weights;  // [clause][output]
    u32* truth;    // [clause][truth_stride]
    u32* flags;    // [clause]
    u32 arrivals;  // expected at the next barrier of the grid
};

__device__ __forceinline__ Block make_block(const Machine& m, const Room& room) {
    Block block;
    block.first = blockIdx.x * room.clauses_per_block;
    block.n_clauses = max(0, min(room.clauses_per_block, m.n_clauses - block.first));
    block.warp = threadIdx.x >> 5;
    block.n_warps = n_threads() >> 5;
#if PLANES_IN_SHARED
    block.planes = (u64*)(shared + room.planes);
#else
    block.planes = m.planes + (i64)block.first * PLANES * m.words;
#endif
    block.weights = room.weights >= 0 ? (int*)(shared + room.weights) : m.weights + (i64)block.first * m.n_outputs;
    block.truth = room.truth >= 0 ? shared + room.truth : room.global_truth + block.first * room.truth_stride;
    block.flags = shared + room.flags;
    block.arrivals = 0;
    return block;
}

__device__ __forceinline__ const u32* included(const Block& block, const Machine& m, int clause) {
    return (const u32*)(block.planes + ((i64)clause * PLANES + PLANES - 1) * m.words);
}

// The current graph and its record.
struct Scene {
    GraphHead head;
    const u32* record;
    bool near;  // whether the record is in shared memory
    int n_words;
    i64 number;  // index of the example in this launch
};

__device__ __forceinline__ void start_copy(u32* to, const u32* from, int n_words) {
    for (int i = 4 * threadIdx.x; i < n_words; i += 4 * n_threads()) {
        u32 place = (u32)__cvta_generic_to_shared(to + i);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from + i) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__device__ __forceinline__ GraphHead head_of(const Graphs& g, i64 number) {
    GraphHead head = g.heads[number];
    fix(head);
    return head;
}

// Shared memory for the record of an example if it fits. The next record is copied to the other buffer.
__device__ __forceinline__ u32* near_record(const Room& room, i64 number) {
    return shared + room.records + (number & 1) * room.record_words;
}

__device__ __forceinline__ void fetch(const Graphs& g, const Room& room, const GraphHead& head, i64 number) {
    if (head.n_words <= room.record_words)
        start_copy(near_record(room, number), g.records + head.at, head.n_words);
}

__device__ __forceinline__ Scene make_scene(const Graphs& g, const Room& room, const GraphHead& head, i64 number) {
    Scene scene;
    scene.head = head;
    scene.near = head.n_words <= room.record_words;
    scene.record = g.records + head.at;
    scene.n_words = (head.n_nodes + 31) >> 5;
    scene.number = number;
    return scene;
}

// The node type of a clause. Semantics 3, step 1.
__device__ __forceinline__ int type_of(const Machine& m, int clause) { return m.n_types == 1 ? 0 : clause % m.n_types; }

// Evaluate a layer of one clause on rows, N words in each of 2^LANES lanes; return whether it is true anywhere.
// Semantics 3, steps 1 and 2: A_j^d; step 3: readout nodes, if `top`.
template <int N, int LANES, class R>
__device__ __forceinline__ bool rows_of_clause(const Machine& m, const Scene& scene, R rows, const u32* record,
                                               const u32* include, const Team& team, bool top, int clause, u32* truth,
                                               u32* copy) {
    constexpr int WIDTH = 1 << LANES;
    const Rows masks{masks_of(scene.head, record, m.size0, m.half0), scene.head.stride};
    const int lane = lane_id();
    bool any = false;
    for (int first = 0; first < scene.n_words; first += N * WIDTH) {
        const int word = first + N * (lane & (WIDTH - 1));
        const bool inside = word < scene.n_words;
        const int near = inside ? word : 0;
        Nodes<N> found = team.bottom ? masks.template nodes<N>(type_of(m, clause), near)
                                     : *(const Nodes<N>*)(truth + near);
        if (!inside) found = Nodes<N>{};
        if (__any_sync(ALL, any_of(found))) found = conjunction<N, LANES>(include, team.half, rows, near, found);
        if (top) narrow(found, masks.template nodes<N>(m.n_types, near), 0);
        __syncwarp();  // all groups have read before the first one overwrites
        if (lane < WIDTH && inside) {
            *(Nodes<N>*)(truth + word) = found;
            if (copy) *(Nodes<N>*)(copy + word) = found;
        }
        any |= __any_sync(ALL, any_of(found));
    }
    return any;
}

// The variant for the layout of a graph: see `lanes` of GraphHead. Generic programs leave some lanes idle instead of
// being compiled for every number of lanes.
__device__ __forceinline__ int lanes_of(const GraphHead& head) {
    return ANY_MACHINE && head.lanes <= 5 ? (head.lanes == 0 ? 0 : head.lanes <= 2 ? 2 : 5) : head.lanes;
}

template <class R>
__device__ __forceinline__ bool evaluate_rows(const Machine& m, const Scene& scene, R rows, const u32* record,
                                              const u32* include, const Team& team, bool top, int clause, u32* truth,
                                              u32* copy) {
    switch (lanes_of(scene.head)) {
        case ONE_WORD: return rows_of_clause<1, 0>(m, scene, rows, record, include, team, top, clause, truth, copy);
        case TWO_WORDS: return rows_of_clause<2, 0>(m, scene, rows, record, include, team, top, clause, truth, copy);
        case 0: return rows_of_clause<4, 0>(m, scene, rows, record, include, team, top, clause, truth, copy);
        case 2: return rows_of_clause<4, 2>(m, scene, rows, record, include, team, top, clause, truth, copy);
#if !ANY_MACHINE
        case 1: return rows_of_clause<4, 1>(m, scene, rows, record, include, team, top, clause, truth, copy);
        case 3: return rows_of_clause<4, 3>(m, scene, rows, record, include, team, top, clause, truth, copy);
        case 4: return rows_of_clause<4, 4>(m, scene, rows, record, include, team, top, clause, truth, copy);
#endif
        default: return rows_of_clause<4, 5>(m, scene, rows, record, include, team, top, clause, truth, copy);
    }
}

// Evaluate a layer of one clause on a graph by nodes, which has at most 32 nodes; return where it is true.
// Semantics 3, steps 1 and 2: A_j^d; step 3: readout nodes, if `top`.
template <class R>
__device__ __forceinline__ u32 evaluate_nodes(const Machine& m, const Scene& scene, R rows, const u32* record,
                                              const u32* include, const Team& team, bool top, int clause, u32* truth) {
    const u32* masks = masks_of(scene.head, record, m.size0, m.half0);
    u32 found = team.bottom ? masks[type_of(m, clause)] : truth[0];
    if (found) found = node_by_node(include, team.half, rows, scene.head.n_nodes, found);
    if (top) found &= masks[m.n_types];
    __syncwarp();
    if (lane_id() == 0) truth[0] = found;
    return found;
}
