// Prediction: each block processes its own graphs, so that blocks do not wait for each other. Semantics 3.

// Inboxes of a graph by rows: the bits of true clauses, in `inbox`, are transposed, moved along the edges, and
// transposed back. Semantics 3, step 2.
__device__ __forceinline__ void deliver_alone(const Machine& m, const Graphs& g, const Scene& scene, u32* inbox,
                                              u32* sent) {
    const int groups = 2 * m.half1, n_tiles = groups * scene.n_words, n_warps = n_threads() >> 5;
    const int stride = scene.head.stride;
    __syncthreads();
    for (int tile = threadIdx.x >> 5; tile < n_tiles; tile += n_warps) {
        const int bits = tile % groups, word = tile / groups, bit = bits * 32 + lane_id(), node = word * 32 + lane_id();
        const u32 turned = transposed(bit < m.size1 ? inbox[bit * stride + word] : 0);
        if (node < scene.head.n_nodes) sent[node * (groups | 1) + bits] = turned;
    }
    __syncthreads();
    for (int tile = threadIdx.x >> 5; tile < n_tiles; tile += n_warps) {
        const int bits = tile / scene.n_words, word = tile % scene.n_words, bit = bits * 32 + lane_id();
        const u32 nodes = inbox_tile(m, g, scene.head, Rows{sent, groups | 1}, bits, word);
        if (bit < m.size1) inbox[bit * stride + word] = nodes;
    }
    __syncthreads();
}

__device__ __forceinline__ void clear(u32* words, int n) {
    for (int i = threadIdx.x; i < n; i += n_threads()) words[i] = 0;
}

// Add the votes of the listed clauses, with their strengths if they are graded. Semantics 3, step 4.
__device__ __forceinline__ void add_list(const Machine& m, const int* list, const int* strengths, int n, i64* sums) {
    for (int output = threadIdx.x; output < m.n_outputs; output += n_threads()) {
        i64 votes = 0;
        for (int i = 0; i < n; i++)
            votes += (GRADED ? (i64)strengths[i] : 1) * m.weights[(i64)list[i] * m.n_outputs + output];
        sums[output] += votes;
    }
}

// Inboxes of a layer. Those of the layers below are kept for graded clauses only.
__device__ __forceinline__ u32* inbox_alone(const Desk& desk, int layer) {
    return shared + desk.inbox + (GRADED ? (layer - 1) * desk.inbox_words : 0);
}

// The literals of the graph of the block in each layer.
struct LiteralsAlone {
    const Machine& m;
    const Desk& desk;
    const GraphHead& head;
    template <class F>
    __device__ __forceinline__ void in(int layer, F use) const {
        const u32* rows = layer ? inbox_alone(desk, layer) : shared;
        use(Rows{rows, head.by_rows ? head.stride : 2 * (layer ? m.half1 : m.half0)});
    }
};

// Evaluate a layer of all clauses on the graph of the block, in rounds, so that the true clauses fit into the list.
// Semantics 3, steps 1 to 4.
template <class R>
__device__ __forceinline__ void layer_alone(const Machine& m, const Scene& scene, const Desk& desk,
                                            const Answers& answers, R rows, const u32* record, int layer, i64 graph) {
    const int warp = threadIdx.x >> 5, n_warps = n_threads() >> 5, lane = lane_id();
    const bool last = layer == m.depth - 1, top = last && !answers.nodes, few = m.n_outputs <= 32;
    const Team team = team_of(m, layer);
    u32* all_truth = desk.truth >= 0 ? shared + desk.truth
                                     : desk.global_truth + (i64)blockIdx.x * desk.truth_rows * desk.truth_stride;
    int* list = (int*)(shared + desk.list);
    int* strengths = list + 1 + desk.list_room;
    i64* sums = answers.sums + graph * m.n_outputs;
    i64 votes = 0;
    const int round = last && answers.sums && !few ? desk.list_room : m.n_clauses;
    for (int first = 0; first < m.n_clauses; first += round) {
        for (int clause = first + warp; clause < min(first + round, m.n_clauses); clause += n_warps) {
            const u32* include = desk.includes + (i64)clause * 2 * m.words + team.offset;
            u32* truth = all_truth + (desk.truth_rows < m.n_clauses ? warp : clause) * desk.truth_stride;
            bool any;
            u32 strength = 1;
#if GRADED
            if (last) {
                const u32* all = desk.includes + (i64)clause * 2 * m.words;
                const LiteralsAlone literals{m, desk, scene.head};
                strength = graded_clause(m, scene, literals, record, all, top, clause, truth, answers.nodes);
                any = strength > 0;
            } else
#endif
            if (scene.head.by_rows) {
                any = evaluate_rows(m, scene, rows, record, include, team, top, clause, truth, nullptr);
                __syncwarp();
                for (int word = lane; !last && any && word < scene.n_words; word += 32)
                    for (int i = 0; i < m.code_bits; i++) {
                        const int bit = m.code[clause * (i64)m.code_bits + i];
                        atomicOr(shared + desk.sent + bit * scene.head.stride + word, truth[word]);
                    }
            } else {
                u32 found = evaluate_nodes(m, scene, rows, record, include, team, top, clause, truth);
                any = found != 0;
                if (!last && any) post(m, scene.head, record, clause, found, shared + desk.sent);
            }
            if (!last) continue;
            if (lane == 0 && answers.outputs) answers.outputs[graph * m.n_clauses + clause] = any ? strength : 0;
            if (any && answers.sums) {
                if (few && lane < m.n_outputs) votes += (i64)strength * m.weights[(i64)clause * m.n_outputs + lane];
                if (!few && lane == 0) {
                    const int place = atomicAdd(list, 1);
                    list[1 + place] = clause;
                    if (GRADED) strengths[place] = strength;
                }
            }
        }
        if (last && answers.sums && !few) {
            __syncthreads();
            add_list(m, list + 1, strengths, list[0], sums);
            __syncthreads();
            if (threadIdx.x == 0) list[0] = 0;
            __syncthreads();
        }
    }
    if (last && answers.sums && few && votes) atomicAdd((u64*)sums + lane, (u64)votes);
    if (last && answers.nodes && !GRADED) {
        __syncthreads();
        for (i64 i = threadIdx.x; i < (i64)scene.head.n_nodes * m.n_clauses; i += n_threads()) {
            const int node = (int)(i / m.n_clauses), clause = (int)(i % m.n_clauses);
            const u32 nodes = all_truth[clause * desk.truth_stride + (node >> 5)];
            answers.nodes[(scene.head.first + node) * m.n_clauses + clause] = nodes >> (node & 31) & 1;
        }
    }
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS, 1)
predict(const Machine machine, const Graphs g, const Desk place, const Answers answers) {
    Machine m = machine;
    Desk desk = place;
    fix(m);
    fix(desk);
    for (i64 graph = blockIdx.x; graph < g.n_graphs; graph += n_blocks()) {
        const GraphHead head = head_of(g, graph);
        Scene scene;
        scene.head = head;
        scene.n_words = (head.n_nodes + 31) >> 5;
        __syncthreads();
        start_copy(shared, g.records + head.at, head.n_words);
        if (threadIdx.x == 0) shared[desk.list] = 0;
        for (int layer = 0; layer < m.depth; layer++) {
            // Clauses read `inbox` and write `sent`, which becomes the next inbox (by nodes without further steps).
            const int n = head.by_rows ? m.size1 * head.stride : head.n_nodes * 2 * m.half1;
            const LiteralsAlone literals{m, desk, head};
            if (layer < m.depth - 1) clear(shared + desk.sent, n);
            asm volatile("cp.async.wait_all;" ::: "memory");
            __syncthreads();
            literals.in(layer, [&](auto rows) { layer_alone(m, scene, desk, answers, rows, shared, layer, graph); });
            __syncthreads();
            if (layer == m.depth - 1) break;
            u32* inbox = inbox_alone(desk, layer + 1);
            for (int i = threadIdx.x; i < n; i += n_threads()) inbox[i] = shared[desk.sent + i];
            __syncthreads();
            if (head.by_rows) deliver_alone(m, g, scene, inbox, shared + desk.sent);
        }
    }
}
