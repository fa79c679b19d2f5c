// Evaluation of a graph by all blocks, layer by layer. Semantics 3.

// Whether the number of included literals is within the limit. Semantics 4, steps 1 and 4.
__device__ __forceinline__ bool within_limit(const Machine& m, const u32* include) {
    u32 n = 0;
    for (int i = lane_id(); i < 2 * m.words; i += 32) n += __popc(include[i]);
    return (i64)__reduce_add_sync(ALL, n) <= m.limit;
}

// Location of the inboxes of a layer of the current graph.
struct Inbox {
    u32* far;  // in global memory
    int near;  // offset in shared memory, or -1
    int stride;
};

__device__ __forceinline__ Inbox inbox_of(const Machine& m, const Room& room, const Scene& scene, int layer) {
    Inbox inbox;
    if (scene.head.by_rows) {
        inbox.stride = scene.head.stride;
        inbox.far = room.global_inbox + (layer - 1) * room.inbox_stride;
        inbox.near = m.size1 * inbox.stride <= room.inbox_words ? room.inbox : -1;  // of the latest layer
    } else {
        inbox.stride = 2 * m.half1;
        const int n = (scene.head.n_nodes * inbox.stride + 3) & ~3;  // copied in vectors of four words
        inbox.far = room.global_posts + ((scene.number & 1) * (m.depth - 1) + layer - 1) * room.posts_stride;
        inbox.near = (m.depth - 1) * n <= room.inbox_words ? room.inbox + (layer - 1) * n : -1;
    }
    return inbox;
}

// The literals of the current graph in each layer: calls `use` with the rows, which may be in shared memory.
struct Literals {
    const Machine& m;
    const Room& room;
    const Scene& scene;
    template <class F>
    __device__ __forceinline__ void in(int layer, F use) const {
        const bool by_rows = scene.head.by_rows;
        if (layer == 0) {
            const int stride = by_rows ? scene.head.stride : 2 * m.half0;
            if (scene.near) use(Rows{near_record(room, scene.number), stride});
            else use(Rows{scene.record, stride});
            return;
        }
        const Inbox inbox = inbox_of(m, room, scene, layer);
        if (inbox.near >= 0 && (!by_rows || layer == m.depth - 1)) use(Rows{shared + inbox.near, inbox.stride});
        else use(SharedByBlocks{inbox.far, inbox.stride});
    }
};

// Evaluate a layer of the block's clauses. On a graph by nodes, clauses write their messages to `posts`.
// Semantics 3, steps 1 to 3.
template <class R>
__device__ __forceinline__ void evaluate_layer(const Machine& m, const Room& room, const Block& block,
                                               const Scene& scene, R rows, const u32* record, int layer, bool masked,
                                               u32* posts) {
    const bool last = layer == m.depth - 1, top = last && masked;
    const Team team = team_of(m, layer);
    for (int c = block.warp; c < block.n_clauses; c += block.n_warps) {
        const u32* include = included(block, m, c);
        u32* truth = block.truth + c * room.truth_stride;
        const int clause = block.first + c;
        bool any;
        if (scene.head.by_rows) {
            u32* copy = last || room.truth < 0 ? nullptr : room.global_truth + clause * room.truth_stride;
            any = evaluate_rows(m, scene, rows, record, include + team.offset, team, top, clause, truth, copy);
        } else {
            u32 found = evaluate_nodes(m, scene, rows, record, include + team.offset, team, top, clause, truth);
            any = found != 0;
            if (!last && any) post(m, scene.head, record, clause, found, posts);
        }
        if (team.bottom) {
            const bool within = m.limited ? within_limit(m, include) : true;
            if (lane_id() == 0) block.flags[c] = within ? WITHIN_LIMIT : 0;
        }
        if (last) {
            __syncwarp();
            if (any && lane_id() == 0) block.flags[c] |= TRUE_OF_GRAPH;
        }
    }
}

#if GRADED
// Evaluate the block's clauses over all layers, given the inboxes of all layers. Semantics 9.
__device__ __forceinline__ void evaluate_graded(const Machine& m, const Room& room, const Block& block,
                                                const Scene& scene, bool top, unsigned char* nodes) {
    const u32* record = scene.near ? near_record(room, scene.number) : scene.record;
    const Literals literals{m, room, scene};
    for (int c = block.warp; c < block.n_clauses; c += block.n_warps) {
        const u32* include = included(block, m, c);
        u32* truth = block.truth + c * room.truth_stride;
        const bool within = m.limited ? within_limit(m, include) : true;
        const u32 strength = graded_clause(m, scene, literals, record, include, top, block.first + c, truth, nodes);
        const u32 flags = (within ? WITHIN_LIMIT : 0) | (strength ? TRUE_OF_GRAPH : 0) | strength << STRENGTH;
        if (lane_id() == 0) block.flags[c] = flags;
    }
}
#endif

// Compute the inboxes of all nodes of a graph by rows; all blocks share the work. Semantics 3, step 2.
__device__ __forceinline__ void deliver(const Machine& m, const Graphs& g, const Room& room, Block& block,
                                        const Scene& scene, u32* inbox) {
    const int groups = 2 * m.half1, n_tiles = groups * scene.n_words, n_warps = n_blocks() * block.n_warps;
    const int mine = block.warp * n_blocks() + blockIdx.x;
    meet(room.barrier, block.arrivals);
    for (int tile = mine; tile < n_tiles; tile += n_warps) {
        const int bits = tile % groups, word = tile / groups, node = word * 32 + lane_id();
        u32 sent = sent_tile(m, SharedByBlocks{room.global_truth, (int)room.truth_stride}, bits, word);
        if (node < scene.head.n_nodes) room.global_sent[(i64)node * groups + bits] = sent;
    }
    meet(room.barrier, block.arrivals);
    for (int tile = mine; tile < n_tiles; tile += n_warps) {
        const int bits = tile / scene.n_words, word = tile % scene.n_words, bit = bits * 32 + lane_id();
        u32 nodes = inbox_tile(m, g, scene.head, SharedByBlocks{room.global_sent, groups}, bits, word);
        if (bit < m.size1) inbox[bit * scene.head.stride + word] = nodes;
    }
    meet(room.barrier, block.arrivals);
}

__device__ __forceinline__ void copy_near(u32* to, const u32* from, int n_words) {
    for (int i = threadIdx.x; 4 * i < n_words; i += n_threads()) ((uint4*)to)[i] = __ldcg((const uint4*)from + i);
    __syncthreads();
}

// Evaluate all layers, and set `truth` and `flags` of the block's clauses; `nodes` is for graded clauses.
// `dirty` is the number of words per layer that the previous graph has left in `global_posts`.
__device__ __forceinline__ void evaluate_graph(const Machine& m, const Graphs& g, const Room& room, Block& block,
                                               const Scene& scene, bool masked, int& dirty, unsigned char* nodes) {
    const u32* near = near_record(room, scene.number);
    const bool alone = n_blocks() == 1;
    for (int layer = 0; layer < m.depth; layer++) {
#if GRADED
        if (layer == m.depth - 1) {
            evaluate_graded(m, room, block, scene, masked, nodes);
            break;
        }
#endif
        u32* posts = nullptr;
        if (!scene.head.by_rows && layer < m.depth - 1) {
            Inbox next = inbox_of(m, room, scene, layer + 1);
            posts = alone && next.near >= 0 ? shared + next.near : next.far;
        }
        if (layer == 0) {
            const int stride = scene.head.by_rows ? scene.head.stride : 2 * m.half0;
            if (scene.near) evaluate_layer(m, room, block, scene, Rows{near, stride}, near, 0, masked, posts);
            else evaluate_layer(m, room, block, scene, Rows{scene.record, stride}, scene.record, 0, masked, posts);
        } else {
            const u32* record = scene.near ? near : scene.record;
            Inbox inbox = inbox_of(m, room, scene, layer);
            if (inbox.near >= 0) {
                const Rows rows{shared + inbox.near, inbox.stride};
                evaluate_layer(m, room, block, scene, rows, record, layer, masked, posts);
            } else {
                const SharedByBlocks rows{inbox.far, inbox.stride};
                evaluate_layer(m, room, block, scene, rows, record, layer, masked, posts);
            }
        }
        if (layer == m.depth - 1) break;
        Inbox inbox = inbox_of(m, room, scene, layer + 1);
        if (scene.head.by_rows) {
            deliver(m, g, room, block, scene, inbox.far);
            if (inbox.near >= 0) copy_near(shared + inbox.near, inbox.far, m.size1 * inbox.stride);
        } else {
            meet(room.barrier, block.arrivals);
            if (inbox.near >= 0 && !alone) copy_near(shared + inbox.near, inbox.far, scene.head.n_nodes * inbox.stride);
        }
        if (layer == 0 && dirty) {  // the messages of the previous graph are no longer read
            u32* old = room.global_posts + (~scene.number & 1) * (m.depth - 1) * room.posts_stride;
            const int n = dirty * (m.depth - 1);
            for (int i = blockIdx.x * n_threads() + threadIdx.x; i < n; i += n_blocks() * n_threads())
                old[i / dirty * room.posts_stride + i % dirty] = 0;
        }
    }
    if (m.depth > 1) {
        const bool far = !scene.head.by_rows && !(alone && inbox_of(m, room, scene, 1).near >= 0);
        dirty = far ? scene.head.n_nodes * 2 * m.half1 : 0;
    }
}
