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

// Add misses that were counted from the same start.
template <int N>
__device__ __forceinline__ void add(const Machine& m, Misses<N>& misses, const Misses<N>& others) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        u32 carry = 0, borrow = 0;
#pragma unroll
        for (int plane = 0; plane < GRADED; plane++) {
            const u32 start = start_plane(m, plane), own = misses.planes[plane].words[i];
            const u32 other = others.planes[plane].words[i], counted = other ^ start ^ borrow;
            borrow = majority(~other, start, borrow);
            misses.planes[plane].words[i] = own ^ counted ^ carry;
            carry = majority(own, counted, carry);
        }
        misses.over.words[i] |= others.over.words[i] | carry;
    }
}

// Split words between this lane and the one STEP away: keep one half, get that half from the other lane.
template <int STEP, int N>
__device__ __forceinline__ void halve(const Nodes<N>& words, bool upper, Nodes<N / 2>& own, Nodes<N / 2>& others) {
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        own.words[i] = words.words[upper ? i + N / 2 : i];
        others.words[i] = __shfl_xor_sync(ALL, words.words[upper ? i : i + N / 2], STEP);
    }
}

// Sum the misses that lanes STEP, 2 STEP, ... apart have counted for the same words, of which `word` is the first. A
// lane keeps fewer words with each step, as long as it has several.
template <int STEP, int N>
__device__ __forceinline__ auto sum_of_lanes(const Machine& m, Misses<N> misses, int& word) {
    if constexpr (STEP == 32) {
        return misses;
    } else if constexpr (N == 1) {
        Misses<1> others;
#pragma unroll
        for (int plane = 0; plane < GRADED; plane++)
            others.planes[plane].words[0] = __shfl_xor_sync(ALL, misses.planes[plane].words[0], STEP);
        others.over.words[0] = __shfl_xor_sync(ALL, misses.over.words[0], STEP);
        add(m, misses, others);
        return sum_of_lanes<2 * STEP>(m, misses, word);
    } else {
        const bool upper = lane_id() & STEP;
        Misses<N / 2> own, others;
#pragma unroll
        for (int plane = 0; plane < GRADED; plane++)
            halve<STEP>(misses.planes[plane], upper, own.planes[plane], others.planes[plane]);
        halve<STEP>(misses.over, upper, own.over, others.over);
        add(m, own, others);
        if (upper) word += N / 2;
        return sum_of_lanes<2 * STEP>(m, own, word);
    }
}

template <int N>
__device__ __forceinline__ bool any_left(const Nodes<N>& nodes, const Misses<N>& misses) {
    u32 any = 0;
#pragma unroll
    for (int i = 0; i < N; i++) any |= nodes.words[i] & ~misses.over.words[i];
    return any != 0;
}

// Included literals that a group of 2^LANES lanes counts: as many bits of each word, so that all groups get about the
// same number. Bit p of the result is bit p % 2^LANES of the group's bits of word `first` + p / 2^LANES.
template <int LANES>
__device__ __forceinline__ u64 literals_of_group(const u32* include, int first, int n_words) {
    constexpr int WIDTH = 1 << LANES;
    if constexpr (LANES == 0) {
        const int place = first + lane_id();
        return transposed(place < n_words ? include[place] : 0);
    }
    u64 literals = 0;
    const int shift = lane_id() & ~(WIDTH - 1);
#pragma unroll
    for (int i = 0; i < 64 / WIDTH; i++)
        if (first + i < n_words) literals |= (u64)(include[first + i] >> shift & (ALL >> (32 - WIDTH))) << i * WIDTH;
    return literals;
}

// The misses of a literal at nodes, given as a bit of the group's literals; none unless it `counts`.
template <int N, int LANES, class R>
__device__ __forceinline__ Nodes<N> misses_of(R rows, int first, int half, int bit, bool counts, int word) {
    constexpr int WIDTH = 1 << LANES;
    const int place = first + (bit >> LANES);
    const bool negated = place >= half;
    const int row = (negated ? place - half : place) * 32 + (lane_id() & ~(WIDTH - 1)) + (bit & (WIDTH - 1));
    const u32 inverted = negated ? 0 : ALL, mask = counts ? ALL : 0;
    Nodes<N> missed = rows.template nodes<N>(row, word);
#pragma unroll
    for (int i = 0; i < N; i++) missed.words[i] = (missed.words[i] ^ inverted) & mask;
    return missed;
}

// Count the misses of a layer's included literals at N words of nodes in each of 2^LANES lanes; groups of 2^LANES lanes
// take different literals, as in `conjunction`. Return false if no nodes are left; this is not checked at the `end`.
template <int N, int LANES, class R>
__device__ __forceinline__ bool count_misses(Misses<N>& misses, const u32* include, int half, R rows, int word,
                                             const Nodes<N>& nodes, bool end) {
    constexpr int WIDTH = 1 << LANES, STEP = LANES ? 64 / WIDTH : 32;
    constexpr u32 LEADERS = ALL / (ALL >> (32 - WIDTH));  // a bit for each group
    for (int first = 0; first < 2 * half; first += STEP) {
        u64 literals = literals_of_group<LANES>(include, first, 2 * half);
        while (literals) {
            // Four at a time, so that loads overlap; if there are fewer, the first is read again but not counted.
            Nodes<N> missed[4];
            const int one = __ffsll(literals) - 1;
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int bit = literals ? __ffsll(literals) - 1 : one;
                missed[i] = misses_of<N, LANES>(rows, first, half, bit, literals != 0, word);
                literals &= literals - 1;
            }
            add(misses, missed[0], missed[1], missed[2], missed[3]);
        }
        __syncwarp();
        if (end && first + STEP >= 2 * half) break;
        u32 alive = __ballot_sync(ALL, any_left(nodes, misses));
#pragma unroll
        for (int step = 0; step < LANES; step++) alive |= alive >> (1 << step);
        if ((alive & LEADERS) != LEADERS) return false;  // the literals of some group alone are too many
    }
    return true;
}

#if ANY_MACHINE
// Rows wherever they are, so that generic programs need one copy of the code that reads them.
struct AnyRows {
    const u32* base = nullptr;
    int stride = 0;
    bool by_blocks = false;
    __device__ __forceinline__ void set(const Rows& rows) { *this = AnyRows{rows.base, rows.stride, false}; }
    __device__ __forceinline__ void set(const SharedByBlocks& rows) { *this = AnyRows{rows.base, rows.stride, true}; }
    __device__ __forceinline__ u32 at(int row, int word) const {
        return by_blocks ? SharedByBlocks{base, stride}.at(row, word) : Rows{base, stride}.at(row, word);
    }
    template <int N>
    __device__ __forceinline__ Nodes<N> nodes(int row, int word) const {
        return by_blocks ? SharedByBlocks{base, stride}.template nodes<N>(row, word)
                         : Rows{base, stride}.template nodes<N>(row, word);
    }
};
#define SHARED_BY_KERNELS __noinline__
#else
#define SHARED_BY_KERNELS __forceinline__
#endif

// Call `use` with the rows of a layer's literals.
template <class L, class F>
__device__ __forceinline__ void with_rows(const L& literals, int layer, F use) {
#if ANY_MACHINE
    AnyRows rows;
    literals.in(layer, [&](const auto& found) { rows.set(found); });
    use(rows);
#else
    literals.in(layer, use);
#endif
}

// Write the strengths of a clause at nodes.
template <int N>
__device__ __forceinline__ void write_strengths(const Machine& m, const Misses<N>& misses, const Nodes<N>& nodes,
                                                int word, int clause, unsigned char* strengths) {
#pragma unroll
    for (int i = 0; i < N; i++)
        for (u32 left = nodes.words[i] & ~misses.over.words[i]; left; left &= left - 1) {
            const int bit = __ffs(left) - 1;
            u32 count = 0;
#pragma unroll
            for (int plane = 0; plane < GRADED; plane++) count |= (misses.planes[plane].words[i] >> bit & 1) << plane;
            strengths[(i64)((word + i) * 32 + bit) * m.n_clauses + clause] = (1 << GRADED) - count;
        }
}

// The nodes of a clause's type among N words of nodes, of which `word` is the first; readout nodes only, if `top`.
template <int N>
__device__ __forceinline__ Nodes<N> candidates(const Machine& m, const Scene& scene, const Rows& masks, bool top,
                                               int clause, int word) {
    if (word >= scene.n_words) return Nodes<N>{};
    Nodes<N> nodes = masks.template nodes<N>(type_of(m, clause), word);
    if (top) narrow(nodes, masks.template nodes<N>(m.n_types, word), 0);
    return nodes;
}

// Reduce `nodes` to those with the fewest misses, over all lanes; return the strength there.
template <int N>
__device__ __forceinline__ u32 strongest(const Misses<N>& misses, Nodes<N>& nodes) {
    narrow(nodes, misses.over, ALL);
    u32 count = any_of(nodes) ? 0 : 1 << GRADED;  // of this lane's words
#pragma unroll
    for (int plane = GRADED - 1; plane >= 0; plane--) {
        Nodes<N> fewer = nodes;
        narrow(fewer, misses.planes[plane], ALL);
        if (any_of(fewer)) nodes = fewer;
        else count |= 1 << plane;
    }
    const u32 least = min(1u << GRADED, __reduce_min_sync(ALL, count));
    if (count != least) nodes = Nodes<N>{};
    return (1 << GRADED) - least;
}

__device__ __forceinline__ void clear_nodes(u32* truth, int first, int last) {
    for (int i = first + lane_id(); i < last; i += 32) truth[i] = 0;
}

// Evaluate a clause on rows, as `rows_of_clause` does for a layer. Set `truth` to the nodes where it is strongest, and
// return the strength there.
template <int N, int LANES, class L>
__device__ __forceinline__ u32 graded_rows(const Machine& m, const Scene& scene, const L& literals, const u32* record,
                                           const u32* include, bool top, int clause, u32* truth,
                                           unsigned char* strengths) {
    constexpr int WIDTH = 1 << LANES, LEFT = N * WIDTH / 32 ? N * WIDTH / 32 : 1;  // words of a lane in the end
    const Rows masks{masks_of(scene.head, record, m.size0, m.half0), scene.head.stride};
    u32 most = 0;
    for (int first = 0; first < scene.n_words; first += N * WIDTH) {
        int word = first + N * (lane_id() & (WIDTH - 1));
        const int near = word < scene.n_words ? word : 0;
        const Nodes<N> nodes = candidates<N>(m, scene, masks, top, clause, word);
        Misses<N> misses = no_misses<N>(m);
        bool left = __any_sync(ALL, any_of(nodes));
        for (int layer = 0; layer < m.depth && left; layer++) {
            const Team team = team_of(m, layer);
            with_rows(literals, layer, [&](auto rows) {
                const bool end = layer == m.depth - 1;
                left = count_misses<N, LANES>(misses, include + team.offset, team.half, rows, near, nodes, end);
            });
        }
        Nodes<LEFT> best{};
        u32 strength = 0;
        if (left) {
            const Misses<LEFT> sums = sum_of_lanes<WIDTH>(m, misses, word);
            best = candidates<LEFT>(m, scene, masks, top, clause, word);
            if (strengths) write_strengths(m, sums, best, word, clause, strengths);
            strength = strongest(sums, best);
        }
        // The nodes of these words are the strongest so far, or among them; or none of them is.
        if (strength > most) clear_nodes(truth, 0, first);
        most = max(most, strength);
        if (strength < most) clear_nodes(truth, first, min(first + N * WIDTH, scene.n_words));
        else if (strength && word < scene.n_words) *(Nodes<LEFT>*)(truth + word) = best;
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
            with_rows(literals, layer, [&](auto rows) {
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
// strength there; write the strengths at the nodes of the graph if `nodes` is not null. In generic programs, kernels
// share one copy of this function, which takes long to compile.
template <class L>
__device__ SHARED_BY_KERNELS u32 graded_clause(const Machine& m, const Scene& scene, const L& literals,
                                               const u32* record, const u32* include, bool top, int clause, u32* truth,
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
