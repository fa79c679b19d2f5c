// The cooperative kernel: all blocks process the same graph; each keeps its clauses for the whole launch.

// Sum the votes of the block's true clauses for a group of outputs. Semantics 3, step 4.
__device__ __forceinline__ void count_votes(const Machine& m, const Block& block, Group& group, int part, int output,
                                            bool counts) {
    i64 votes = 0;
    __syncwarp();
    for (int c = block.warp; c < block.n_clauses; c += block.n_warps)
        if (block.flags[c] & TRUE_OF_GRAPH && counts)
            votes += strength_of(block.flags[c]) * block.weights[(i64)c * m.n_outputs + output];
    if (votes) group.votes[part].add(votes);
}

__device__ __forceinline__ i64 take_votes(Group& group, int part) {
    const i64 votes = group.votes[part].sum();
    group.votes[part].clear();
    return votes;
}

__device__ __forceinline__ u64* slot_of(const Machine& m, const Room& room, i64 number, int output) {
    return room.slots + (number * m.n_outputs + output) * (room.wide ? 2 : 1);
}

// As many clauses of a block as fit into working memory, and the entries of those that are updated.
struct Round {
    int first, last;
    u32* n_entries;
    Entry* entries;
    u32* focus;  // [entry][words]: literals at the focus node
};

// Select the clauses of a round to update, update their weights, and copy the literals at their focus nodes.
// Semantics 4, step 3: updates and weights.
__device__ __forceinline__ void choose(const Machine& m, const Room& room, const Block& block, const Scene& scene,
                                       const Group& group, int output, const Round& round) {
    const int lane = lane_id();
    const u64 key = group.update_keys[lane], threshold = group.thresholds[lane];
    const int wanted_sign = group.signs[lane];
    for (int c = round.first + block.warp; c < round.last; c += block.n_warps) {
        const int clause = block.first + c;
        const u32 flags = block.flags[c];
        const bool selected = hash32(key, clause) < threshold;
        bool type_one = false;
        if (selected) {
            int* weight = block.weights + (i64)c * m.n_outputs + output;
            const int sign = *weight >= 0 ? 1 : -1;
            type_one = wanted_sign == sign;
            if (flags & TRUE_OF_GRAPH) {
                const i64 moved = (i64)*weight + (type_one ? sign : -sign);
                if (moved <= 0x7fffffffll && moved >= -0x7fffffffll) *weight = (int)moved;
            }
        }
        const u32 ones = __ballot_sync(ALL, selected && type_one);
        const u32 twos = flags & TRUE_OF_GRAPH ? __ballot_sync(ALL, selected && !type_one) : 0;
        if (!(ones | twos)) continue;
        const bool grows = (flags & TRUE_OF_GRAPH) && (flags & WITHIN_LIMIT);
        const bool prunes = GRADED && (flags & TRUE_OF_GRAPH);
        const u32 reinforce = (grows ? GROWS : 0) | (prunes ? PRUNES : 0);
        u32 place = lane == 0 ? atomicAdd(round.n_entries, 1u) : 0;
        place = __shfl_sync(ALL, place, 0);
        if (lane == 0) round.entries[place] = Entry{(u32)c, ones, twos, reinforce};
        if (twos || (reinforce && ones)) {
            const u32* truth = block.truth + c * room.truth_stride;
            const int node = focus_node(truth, scene.n_words, hash32(group.focus_key, clause));
            all_literals_at(m, room, scene, node, round.focus + (i64)place * m.words);
        }
    }
}

// Update the automata of the selected clauses: a thread applies all feedback of the group to 64 automata.
// Semantics 4, steps 4 and 5.
__device__ __forceinline__ void update(const Machine& m, const Block& block, const Group& group, const Round& round) {
    const u32 n = *round.n_entries * (u32)m.words;
    for (u32 i = threadIdx.x; i < n; i += n_threads()) {
        const u32 number = i / (u32)m.words, word = i - number * m.words;
        const Entry entry = round.entries[number];
        const Place place = place_of(m, word);
        u64 literals = ((const u64*)round.focus)[number * (i64)(m.words >> 1) + place.focus];
        if (place.negated) literals = ~literals & place.valid;
        u64* planes = block.planes + (i64)entry.clause * PLANES * m.words + word;
        u64 state[PLANES];
#pragma unroll
        for (int plane = 0; plane < PLANES; plane++) state[plane] = planes[plane * m.words];
        feedback(m, state, place, literals, entry, group.mask_keys, block.first + entry.clause);
#pragma unroll
        for (int plane = 0; plane < PLANES; plane++) planes[plane * m.words] = state[plane];
    }
}

// Give feedback from one group of outputs. If `own`, the first warp already has the vote sums of its lanes' outputs;
// else it waits until all blocks have added their votes.
// Semantics 4, step 2: clipped sums, targets and P.
__device__ __forceinline__ void give_feedback(const Machine& m, const Room& room, const Block& block,
                                              const Scene& scene, Group& group, int number, i64 votes, bool own) {
    const int lane = lane_id(), output = number * 32 + lane;
    if (block.warp == 0) {
        u64 threshold = 0;
        const bool heard = group.heard >> lane & 1;
        // One lane waits even if no output is active: blocks must not run ahead by more than one example.
        if (!own && (heard || (lane == 0 && m.n_outputs <= 32)))
            votes = await_votes(slot_of(m, room, scene.number, output), room.wide, m.depth > 1);
        if (heard) {
            const int clipped = (int)max((i64)-m.T, min((i64)m.T, votes)), wanted = group.wanted[lane];
            threshold = update_threshold(m, wanted, clipped, group.gate, group.weight);
            group.signs[lane] = clipped <= wanted ? 1 : -1;
        }
        group.thresholds[lane] = threshold;
        const u32 active = __ballot_sync(ALL, threshold > 0);
        if (lane == 0) group.active = active;
    }
    __syncthreads();
    if (!group.active) return;
    Entry* entries = (Entry*)(shared + room.entries);
    u32* focus = room.focus >= 0 ? shared + room.focus
                                 : (u32*)(room.global_focus + (i64)blockIdx.x * room.n_entries * (m.words >> 1));
    int part = 0;
    for (int first = 0; first < block.n_clauses; first += room.n_entries, part ^= 1) {
        const int last = min(first + room.n_entries, block.n_clauses);
        const Round round{first, last, &group.n_entries[part], entries, focus};
        if (first) __syncthreads();
        choose(m, room, block, scene, group, output, round);
        __syncthreads();
        if (threadIdx.x == 0) group.n_entries[part ^ 1] = 0;
        update(m, block, group, round);
    }
}

// Learn from the graph that was just evaluated, and call `meanwhile` while the votes of other blocks are on their way.
// Threads return without synchronising.
// Semantics 4, steps 2 to 5.
template <class F>
__device__ __forceinline__ void learn_from(const Machine& m, const Examples& ex, const Room& room, Block& block,
                                           const Scene& scene, Group& group, u64 step, F meanwhile) {
    const int n_groups = (m.n_outputs + 31) >> 5, lane = lane_id();
    if (n_groups == 1) {
        const bool own = n_blocks() == 1;
        i64 votes = 0;
        count_votes(m, block, group, 0, lane, lane < m.n_outputs);
        __syncthreads();
        if (block.warp == 0) {
            votes = take_votes(group, 0);
            if (!own && lane < m.n_outputs)
                add_votes(slot_of(m, room, scene.number, lane), votes, room.wide, m.depth > 1);
        }
        meanwhile();
        give_feedback(m, room, block, scene, group, 0, votes, own);
        return;
    }
    meanwhile();
    u32* heard = room.heard >= 0 ? shared + room.heard : room.global_heard + blockIdx.x * room.heard_stride;
    mark_heard(m, ex, scene.number, step, heard, block);
    bool silent = true;
    for (int number = 0, part = 0; number < n_groups; number++) {
        if (!heard[number]) continue;
        silent = false;
        const int output = number * 32 + lane;
        const bool counts = heard[number] >> lane & 1;
        count_votes(m, block, group, part, output, counts);
        __syncthreads();
        if (block.warp == 0) {
            const i64 votes = take_votes(group, part);
            if (counts) add_votes(slot_of(m, room, scene.number, output), votes, room.wide, m.depth > 1);
        }
        part ^= 1;
    }
    if (silent) meet(room.barrier, block.arrivals);
    for (int number = 0; number < n_groups; number++) {
        if (!heard[number]) continue;
        __syncthreads();
        if (block.warp == 0) prepare_group(m, ex, scene.number, step, number * 32, group);
        give_feedback(m, room, block, scene, group, number, 0, false);
    }
}

// Write the results of a graph. Semantics 3, steps 3 and 4.
__device__ __forceinline__ void answer(const Machine& m, const Room& room, const Block& block, const Scene& scene,
                                       const Answers& answers) {
    for (int c = threadIdx.x; answers.outputs && c < block.n_clauses; c += n_threads())
        answers.outputs[scene.number * m.n_clauses + block.first + c] =
            block.flags[c] & TRUE_OF_GRAPH ? strength_of(block.flags[c]) : 0;
    for (int output = threadIdx.x; answers.sums && output < m.n_outputs; output += n_threads()) {
        i64 votes = 0;
        for (int c = 0; c < block.n_clauses; c++)
            if (block.flags[c] & TRUE_OF_GRAPH)
                votes += strength_of(block.flags[c]) * block.weights[(i64)c * m.n_outputs + output];
        if (votes) atomicAdd((u64*)answers.sums + scene.number * m.n_outputs + output, (u64)votes);
    }
    const i64 n = answers.nodes && !GRADED ? (i64)scene.head.n_nodes * block.n_clauses : 0;
    for (i64 i = threadIdx.x; i < n; i += n_threads()) {
        const int node = (int)(i / block.n_clauses), c = (int)(i % block.n_clauses);
        const u32 nodes = block.truth[c * room.truth_stride + (node >> 5)];
        answers.nodes[(scene.head.first + node) * m.n_clauses + block.first + c] = nodes >> (node & 31) & 1;
    }
}

// Clear the messages of graphs by nodes, which a single block keeps in its shared memory.
__device__ __forceinline__ void clear_posts(const Machine& m, const Room& room, const GraphHead& head) {
    if (n_blocks() > 1 || m.depth == 1 || head.by_rows) return;
    const int n = (m.depth - 1) * ((head.n_nodes * 2 * m.half1 + 3) & ~3);
    for (int i = threadIdx.x; i < min(n, room.inbox_words); i += n_threads()) shared[room.inbox + i] = 0;
}

template <bool LEARNS>
__device__ __forceinline__ void run(const Machine& m, const Graphs& g, const Examples& ex, const Room& room,
                                    const Answers& answers) {
    Block block = make_block(m, room);
    Group& group = *(Group*)(shared + room.group);
    // Planes that stay in global memory are not copied.
    [[maybe_unused]] const i64 n_planes = (i64)block.n_clauses * PLANES * m.words;
    const i64 n_weights = (i64)block.n_clauses * m.n_outputs;
    [[maybe_unused]] const i64 at_planes = (i64)block.first * PLANES * m.words;
    const i64 at_weights = (i64)block.first * m.n_outputs;
#if PLANES_IN_SHARED
    for (i64 i = threadIdx.x; i < n_planes; i += n_threads()) block.planes[i] = m.planes[at_planes + i];
#endif
    for (i64 i = threadIdx.x; room.weights >= 0 && i < n_weights; i += n_threads())
        block.weights[i] = m.weights[at_weights + i];
    if (block.warp < 2) group.votes[block.warp].clear();
    // The few graded clauses of a block are evaluated fast, so that the next graph is better copied while blocks wait.
    constexpr bool WAITS = GRADED && LEARNS;
    int dirty = 0;
    const u64 step = LEARNS ? *m.step : 0;
    GraphHead head = head_of(g, 0), next = head_of(g, g.n_graphs > 1 ? 1 : 0);
    fetch(g, room, head, 0);
    clear_posts(m, room, head);
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    for (i64 number = 0; number < g.n_graphs; number++) {
        const Scene scene = make_scene(g, room, head, number);
        GraphHead after;
        const auto prepare_next = [&] {
            if (number + 1 < g.n_graphs) fetch(g, room, next, number + 1);
            after = head_of(g, min(number + 2, g.n_graphs - 1));
        };
        if (!WAITS) prepare_next();
        // By the last warp, which has the fewest clauses.
        if (LEARNS && m.n_outputs <= 32 && block.warp == block.n_warps - 1)
            prepare_group(m, ex, number, step + number, 0, group);
        evaluate_graph(m, g, room, block, scene, LEARNS || !answers.nodes, dirty, LEARNS ? nullptr : answers.nodes);
        if (LEARNS) {
            learn_from(m, ex, room, block, scene, group, step + number, [&] {
                if (WAITS) prepare_next();
            });
        } else {
            __syncthreads();
            answer(m, room, block, scene, answers);
            if (m.depth > 1) meet(room.barrier, block.arrivals);
        }
        head = next;
        next = after;
        clear_posts(m, room, head);  // those of the last graph are no longer read
        asm volatile("cp.async.wait_all;" ::: "memory");
        __syncthreads();
    }
    if (!LEARNS) return;
    // Every block has read the step by now, since the last votes of all blocks have arrived.
    if (blockIdx.x == 0 && threadIdx.x == 0) *m.step = step + g.n_graphs;
#if PLANES_IN_SHARED
    for (i64 i = threadIdx.x; i < n_planes; i += n_threads()) m.planes[at_planes + i] = block.planes[i];
#endif
    for (i64 i = threadIdx.x; room.weights >= 0 && i < n_weights; i += n_threads())
        m.weights[at_weights + i] = block.weights[i];
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS, 1)
learn(const Machine machine, const Graphs g, const Examples ex, const Room place) {
    Machine m = machine;
    Room room = place;
    fix(m);
    fix(room);
    run<true>(m, g, ex, room, Answers{});
}

extern "C" __global__ void __launch_bounds__(MOST_THREADS, 1)
answer_together(const Machine machine, const Graphs g, const Room place, const Answers answers) {
    Machine m = machine;
    Room room = place;
    fix(m);
    fix(room);
    run<false>(m, g, Examples{}, room, answers);
}
