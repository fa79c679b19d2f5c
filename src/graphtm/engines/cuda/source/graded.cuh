// Graded clauses: strengths at nodes, by the number of included literals that do not hold. Semantics 9.
// GRADED is the number of bits of a counter of misses; 0 if clauses are not graded.

#if GRADED
// Counters of misses at nodes, a bit of all counters in each plane, lowest first. They start at a number from which the
// first miss too many makes them overflow.
template <int N>
struct Misses {
    Nodes<N> planes[GRADED];
    Nodes<N> over;  // counters that have overflowed
};

__device__ __forceinline__ u32 majority(u32 a, u32 b, u32 c) { return (a & b) | (c & (a | b)); }

__device__ __forceinline__ u32 start_plane(const Machine& m, int plane) {
    return 0u - (((1 << GRADED) - 1 - m.max_misses) >> plane & 1);
}

template <int N>
__device__ __forceinline__ Misses<N> no_misses(const Machine& m) {
    Misses<N> misses;
#pragma unroll
    for (int i = 0; i < N; i++) {
#pragma unroll
        for (int plane = 0; plane < GRADED; plane++) misses.planes[plane].words[i] = start_plane(m, plane);
        misses.over.words[i] = 0;
    }
    return misses;
}

// Add the misses of four literals.
template <int N>
__device__ __forceinline__ void add(Misses<N>& misses, const Nodes<N>& a, const Nodes<N>& b, const Nodes<N>& c,
                                    const Nodes<N>& d) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        const u32 ones = misses.planes[0].words[i], some = ones ^ a.words[i] ^ b.words[i];
        u32 carry = majority(ones, a.words[i], b.words[i]);
        const u32 other = majority(some, c.words[i], d.words[i]);
        misses.planes[0].words[i] = some ^ c.words[i] ^ d.words[i];
        if constexpr (GRADED == 1) {
            carry |= other;
        } else {
            const u32 twos = misses.planes[1].words[i];
            misses.planes[1].words[i] = twos ^ carry ^ other;
            carry = majority(twos, carry, other);
#pragma unroll
            for (int plane = 2; plane < GRADED; plane++) {
                const u32 before = misses.planes[plane].words[i];
                misses.planes[plane].words[i] = before ^ carry;
                carry &= before;
            }
        }
        misses.over.words[i] |= carry;
    }
}

// Add the misses that another lane has counted from the same start.
template <int N>
__device__ __forceinline__ void add_from(const Machine& m, Misses<N>& misses, int step) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        u32 carry = 0, borrow = 0;
#pragma unroll
        for (int plane = 0; plane < GRADED; plane++) {
            const u32 start = start_plane(m, plane), own = misses.planes[plane].words[i];
            const u32 other = __shfl_xor_sync(ALL, own, step), counted = other ^ start ^ borrow;
            borrow = majority(~other, start, borrow);
            misses.planes[plane].words[i] = own ^ counted ^ carry;
            carry = majority(own, counted, carry);
        }
        misses.over.words[i] |= __shfl_xor_sync(ALL, misses.over.words[i], step) | carry;
    }
}

template <int N>
__device__ __forceinline__ bool any_left(const Nodes<N>& nodes, const Misses<N>& misses) {
    u32 any = 0;
#pragma unroll
    for (int i = 0; i < N; i++) any |= nodes.words[i] & ~misses.over.words[i];
    return any != 0;
}

// Count the misses of a layer's included literals, as `conjunction` narrows nodes. Return whether nodes are left.
template <int N, int LANES, class R>
__device__ __forceinline__ bool count_misses(Misses<N>& misses, const u32* include, int half, R rows, int word,
                                             const Nodes<N>& nodes) {
    constexpr int WIDTH = 1 << LANES, GROUPS = 32 / WIDTH;
    constexpr u32 LEADERS = ALL / (ALL >> (32 - WIDTH));  // a bit for each group
    for (int first = 0; first < 2 * half; first += GROUPS) {
        const int place = first + (lane_id() >> LANES);
        u32 literals = place < 2 * half ? include[place] : 0;
        const u32 inverted = place >= half ? 0 : ALL;
        const int base = (place >= half ? place - half : place) * 32;
        while (literals) {
            // Four at a time, so that loads overlap; if there are fewer, the first is read again but not counted.
            Nodes<N> missed[4];
            const int one = __ffs(literals) - 1;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                missed[i] = rows.template nodes<N>(base + (literals ? __ffs(literals) - 1 : one), word);
                const u32 counts = literals ? ALL : 0;
#pragma unroll
                for (int j = 0; j < N; j++) missed[i].words[j] = (missed[i].words[j] ^ inverted) & counts;
                literals &= literals - 1;
            }
            add(misses, missed[0], missed[1], missed[2], missed[3]);
        }
        __syncwarp();
        u32 alive = __ballot_sync(ALL, any_left(nodes, misses));
#pragma unroll
        for (int step = 0; step < LANES; step++) alive |= alive >> (1 << step);
        if ((alive & LEADERS) != LEADERS) return false;  // the literals of some group alone are too many
    }
    return true;
}

// Write the strengths of a clause at the nodes of a word.
__device__ __forceinline__ void write_strengths(const Machine& m, const u32* planes, u32 left, int node, int clause,
                                                unsigned char* strengths) {
    for (; left; left &= left - 1) {
        const int bit = __ffs(left) - 1;
        u32 count = 0;
#pragma unroll
        for (int plane = 0; plane < GRADED; plane++) count |= (planes[plane] >> bit & 1) << plane;
        strengths[(i64)(node + bit) * m.n_clauses + clause] = (1 << GRADED) - count;
    }
}

// Evaluate a clause on rows, as `rows_of_clause` does for a layer. Set `truth` to the nodes where it is strongest, and
// return the strength there.
template <int N, int LANES, class L>
__device__ __forceinline__ u32 graded_rows(const Machine& m, const Scene& scene, const L& literals, const u32* record,
                                           const u32* include, bool top, int clause, u32* truth,
                                           unsigned char* strengths) {
    constexpr int WIDTH = 1 << LANES;
    const Rows masks{masks_of(scene.head, record, m.size0, m.half0), scene.head.stride};
    const int lane = lane_id();
    u32 most = 0;
    for (int first = 0; first < scene.n_words; first += N * WIDTH) {
        const int word = first + N * (lane & (WIDTH - 1));
        const bool inside = word < scene.n_words;
        const int near = inside ? word : 0;
        Nodes<N> best = masks.template nodes<N>(type_of(m, clause), near);
        if (top) narrow(best, masks.template nodes<N>(m.n_types, near), 0);
        if (!inside) best = Nodes<N>{};
        Misses<N> misses = no_misses<N>(m);
        bool left = __any_sync(ALL, any_of(best));
        for (int layer = 0; layer < m.depth && left; layer++) {
            const Team team = team_of(m, layer);
            literals.in(layer, [&](auto rows) {
                left = count_misses<N, LANES>(misses, include + team.offset, team.half, rows, near, best);
            });
        }
        u32 strength = 0;
        if (left) {
#pragma unroll
            for (int step = WIDTH; step < 32; step <<= 1) add_from(m, misses, step);
            narrow(best, misses.over, ALL);
            left = __any_sync(ALL, any_of(best));
        }
        if (left) {
            if (strengths && lane < WIDTH)
                for (int i = 0; i < N; i++) {
                    u32 planes[GRADED];
#pragma unroll
                    for (int plane = 0; plane < GRADED; plane++) planes[plane] = misses.planes[plane].words[i];
                    write_strengths(m, planes, best.words[i], (word + i) * 32, clause, strengths);
                }
            __syncwarp();
            strength = 1 << GRADED;
#pragma unroll
            for (int plane = GRADED - 1; plane >= 0; plane--) {
                Nodes<N> fewer = best;
                narrow(fewer, misses.planes[plane], ALL);
                if (__any_sync(ALL, any_of(fewer))) best = fewer;
                else strength -= 1 << plane;
            }
        }
        if (strength > most) {
            for (int i = lane; i < first; i += 32) truth[i] = 0;
            most = strength;
        } else if (strength < most || !strength) {
            best = Nodes<N>{};
        }
        if (lane < WIDTH && inside) *(Nodes<N>*)(truth + word) = best;
        __syncwarp();
    }
    return most;
}

// Evaluate a clause node by node, on a graph of at most 32 nodes; otherwise like `graded_rows`.
template <class L>
__device__ __forceinline__ u32 graded_nodes(const Machine& m, const Scene& scene, const L& literals, const u32* record,
                                            const u32* include, bool top, int clause, u32* truth,
                                            unsigned char* strengths) {
    const u32* masks = masks_of(scene.head, record, m.size0, m.half0);
    u32 candidates = masks[type_of(m, clause)], most = 0, best = 0;
    if (top) candidates &= masks[m.n_types];
    for (; candidates; candidates &= candidates - 1) {
        const int node = __ffs(candidates) - 1;
        u32 misses = 0;
        for (int layer = 0; layer < m.depth; layer++) {
            const Team team = team_of(m, layer);
            const u32* included = include + team.offset;
            literals.in(layer, [&](auto rows) {
                for (int place = lane_id(); place < team.half; place += 32) {
                    const u32 bits = rows.at(node, place);
                    misses += __popc(included[place] & ~bits) + __popc(included[team.half + place] & bits);
                }
            });
        }
        misses = __reduce_add_sync(ALL, misses);
        const u32 strength = misses <= (u32)m.max_misses ? m.max_misses + 1 - misses : 0;
        if (strengths && strength && lane_id() == 0) strengths[(i64)node * m.n_clauses + clause] = strength;
        if (strength > most) {
            most = strength;
            best = 1u << node;
        } else if (strength == most && strength) {
            best |= 1u << node;
        }
    }
    if (lane_id() == 0) truth[0] = best;
    return most;
}

// Evaluate all layers of a graded clause at once. Set `truth` to the nodes where it is strongest, and return its
// strength there; write the strengths at the nodes of the graph if `nodes` is not null.
template <class L>
__device__ __forceinline__ u32 graded_clause(const Machine& m, const Scene& scene, const L& literals, const u32* record,
                                             const u32* include, bool top, int clause, u32* truth,
                                             unsigned char* nodes) {
    unsigned char* const to = nodes ? nodes + scene.head.first * m.n_clauses : nullptr;
    if (!scene.head.by_rows) return graded_nodes(m, scene, literals, record, include, top, clause, truth, to);
    switch (lanes_of(scene.head)) {
        case ONE_WORD: return graded_rows<1, 0>(m, scene, literals, record, include, top, clause, truth, to);
        case TWO_WORDS: return graded_rows<2, 0>(m, scene, literals, record, include, top, clause, truth, to);
        case 0: return graded_rows<4, 0>(m, scene, literals, record, include, top, clause, truth, to);
        case 2: return graded_rows<4, 2>(m, scene, literals, record, include, top, clause, truth, to);
#if !ANY_MACHINE
        case 1: return graded_rows<4, 1>(m, scene, literals, record, include, top, clause, truth, to);
        case 3: return graded_rows<4, 3>(m, scene, literals, record, include, top, clause, truth, to);
        case 4: return graded_rows<4, 4>(m, scene, literals, record, include, top, clause, truth, to);
#endif
        default: return graded_rows<4, 5>(m, scene, literals, record, include, top, clause, truth, to);
    }
}
#endif
