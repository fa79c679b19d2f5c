// Automata in bit planes: 64 of them are updated at once.

// Move automata in `up` one state up and those in `down` one state down; states saturate. The sets are disjoint.
__device__ __forceinline__ void move(u64* state, u64 up, u64 down, int first_plane) {
#pragma unroll
    for (int plane = 0; plane < PLANES; plane++) {
        if (plane < first_plane) continue;
        u64 before = state[plane];
        state[plane] = before ^ (up | down);
        up &= before;
        down &= ~before;
    }
    if (up | down) {  // these have overflowed
#pragma unroll
        for (int plane = 0; plane < PLANES; plane++) {
            if (plane >= first_plane) state[plane] = (state[plane] | up) & ~down;
        }
    }
}

// Position of a word of a clause's teams.
struct Place {
    int layer, word;  // word of the team
    int focus;        // word of the literals at the focus node, with all layers in a row
    bool negated;
    u64 valid;  // bits that are literals
};

__device__ __forceinline__ Place place_of(const Machine& m, int word) {
    Place place;
    int half = m.half0, size = m.size0, before = 0;
    place.layer = 0;
    place.word = word;
    if (word >= 2 * m.half0) {
        int above = word - 2 * m.half0;
        place.layer = 1 + above / (2 * m.half1);
        place.word = above - (place.layer - 1) * 2 * m.half1;
        before = m.half0 + (place.layer - 1) * m.half1;
        half = m.half1;
        size = m.size1;
    }
    place.negated = place.word >= half;
    int within = place.negated ? place.word - half : place.word;
    int left = size - 64 * within;
    place.focus = before + within;
    place.valid = left >= 64 ? ~0ull : (1ull << left) - 1;
    return place;
}

constexpr u32 GROWS = 1, PRUNES = 2;

// A clause of a block to update, and its feedback from a group of up to 32 outputs.
struct Entry {
    u32 clause;
    u32 ones, twos;  // outputs that give Type I and Type II feedback
    u32 reinforce;   // GROWS: Type I moves true literals up; PRUNES: false excluded ones down, and forgets none
};

// Type I feedback to 64 automata of a graded clause that is true. Semantics 9.
__device__ __forceinline__ void graded_type_one(const Machine& m, u64* state, const Place& place, u64 literals,
                                                bool grows, u64 key, u64 clause, u64 k, int n) {
    u64 up = grows ? literals : 0;
    if (up && !m.boost) up &= ~mask_word(clause_key(key, clause, place.layer), place.word, k, n, up);
    const u64 down = ~literals & ~state[PLANES - 1] & place.valid;
    if (up | down) move(state, up, down, m.first_plane);
}

// Feedback of a group of outputs, in ascending order, to 64 automata of a clause.
// Semantics 4, steps 4 and 5: Type I and Type II.
__device__ __forceinline__ void feedback(const Machine& m, u64* state, const Place& place, u64 literals,
                                         const Entry& entry, const u64* mask_keys, u64 clause) {
    const bool reinforce = entry.reinforce & GROWS;
    const u64 k = m.same_masks ? m.k : m.mask_k[place.layer];
    const int n = m.same_masks ? m.n : m.mask_n[place.layer];
    for (u32 left = entry.ones | entry.twos; left; left &= left - 1) {
        const int output = __ffs(left) - 1;
        u64 up = 0, down = 0;
        if (GRADED && (entry.reinforce & PRUNES) && (entry.ones >> output & 1)) {
            graded_type_one(m, state, place, literals, reinforce, mask_keys[output], clause, k, n);
            continue;
        }
        if (entry.ones >> output & 1) {
            u64 above_bottom = 0;
#pragma unroll
            for (int plane = 0; plane < PLANES; plane++) above_bottom |= state[plane];
            u64 mask = 0;
            const u64 forgets = reinforce ? ~literals : ~0ull;
            // A mask that cannot change anything is not drawn.
            if ((forgets & above_bottom) || (reinforce && !m.boost && literals))
                mask = mask_word(clause_key(mask_keys[output], clause, place.layer), place.word, k, n, above_bottom);
            down = forgets & mask;
            if (reinforce) up = m.boost ? literals : literals & ~mask;
        } else {
            up = ~state[PLANES - 1] & ~literals & place.valid;
        }
        if (up | down) move(state, up, down, m.first_plane);
    }
}
