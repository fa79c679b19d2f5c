// Targets of the outputs, and probabilities of feedback. Semantics 4, step 2.

constexpr u64 ALWAYS = 1ull << 32;

// Votes of a block for 32 outputs, in two parts: 64-bit atomics in shared memory are slow. The sum of all votes of a
// block, of up to 2^16 clauses of strength up to 255, fits.
struct Votes {
    u32 low[32];  // 24 bits of the votes of each warp
    int high[32];
    __device__ __forceinline__ void add(i64 votes) {
        atomicAdd(&low[lane_id()], (u32)(votes & 0xffffff));
        atomicAdd(&high[lane_id()], (int)(votes >> 24));
    }
    __device__ __forceinline__ i64 sum() const { return ((i64)high[lane_id()] << 24) + low[lane_id()]; }
    __device__ __forceinline__ void clear() { low[lane_id()] = high[lane_id()] = 0; }
};

// Data of 32 outputs in shared memory that every warp needs to give feedback.
struct Group {
    u64 thresholds[32];  // P: a clause is updated if a 32-bit draw is below
    u64 update_keys[32], mask_keys[32];
    u64 focus_key;
    u64 gate, weight;
    int wanted[32];
    int signs[32];  // target: +1 if the sum should grow, else -1
    u32 heard;      // active outputs: not silent, and sampled if negative
    u32 active;     // active outputs with a threshold above 0
    u32 n_entries[2];
    Votes votes[2];
};

// P of an output, thinned and weighted.
__device__ __forceinline__ u64 update_threshold(const Machine& m, int wanted, int votes, u64 gate, u64 weight) {
    // Integer division by way of a product of doubles, which is off by at most one.
    const i64 distance = (i64)abs(wanted - votes) << 32, range = 2 * (i64)m.T;
    i64 quotient = (i64)((double)distance * m.inverse);
    const i64 rest = distance - quotient * range;
    u64 threshold = quotient + (rest >= range) - (rest < 0);
    if (wanted == -m.T && !m.by_class && gate != ALWAYS) threshold = (threshold * gate) >> 32;
    if (__umul64hi(threshold, weight)) return ALWAYS;
    return min(ALWAYS, (threshold * weight) >> 16);
}

// First of the sorted outputs in [low, high) that is not below a number.
__device__ __forceinline__ i64 lower_bound(const int* outputs, i64 low, i64 high, int number) {
    while (low < high) {
        const i64 middle = (low + high) >> 1;
        if (outputs[middle] < number) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Mark the active outputs of an example, a bit for each, if there are more than 32: negative sampling by class.
__device__ __forceinline__ void mark_heard(const Machine& m, const Examples& ex, i64 number, u64 step, u32* heard,
                                           const Block& block) {
    const u64 gate = ex.gates[number], key = key_below(m.output_key, step);
    const int n_groups = (m.n_outputs + 31) >> 5;
    for (int group = block.warp; group < n_groups; group += block.n_warps) {
        const int output = group * 32 + lane_id();
        bool hears = output < m.n_outputs && !ex.silent;
        if (hears && m.by_class) hears = hash32(key, output) < gate;
        const u32 word = __ballot_sync(ALL, hears);
        if (lane_id() == 0) heard[group] = word;
    }
    __syncthreads();
    for (i64 i = ex.ptr[number] + threadIdx.x; i < ex.ptr[number + 1]; i += n_threads()) {
        const int output = ex.outputs[i];
        if (ex.values[i] != -m.T || !m.by_class || hash32(key, output) < gate)
            atomicOr(heard + (output >> 5), 1u << (output & 31));
    }
    __syncthreads();
}

// Target of this lane's output; returns whether the output is active.
__device__ __forceinline__ bool wanted_of(const Machine& m, const Examples& ex, i64 number, u64 step, int output,
                                          u64 gate, int& wanted) {
    const i64 end = ex.ptr[number + 1];
    i64 first = ex.ptr[number];
    if (m.n_outputs > 32) first = lower_bound(ex.outputs, first, end, output & ~31);
    bool listed = false;
    wanted = -m.T;
    for (i64 i = first; i < end; i++) {
        const int other = ex.outputs[i];
        if (other > (output | 31)) break;
        if (other == output) {
            wanted = ex.values[i];
            listed = true;
        }
    }
    if (output >= m.n_outputs || (ex.silent && !listed)) return false;
    return wanted != -m.T || !m.by_class || hash32(key_below(m.output_key, step), output) < gate;
}

// Data of a group of outputs that does not depend on votes; called by one warp.
__device__ __forceinline__ void prepare_group(const Machine& m, const Examples& ex, i64 number, u64 step, int first,
                                              Group& group) {
    const int lane = lane_id(), output = first + lane;
    const u64 gate = ex.gates[number], weight = ex.weights[number];
    int wanted;
    const u32 heard = __ballot_sync(ALL, wanted_of(m, ex, number, step, output, gate, wanted));
    group.wanted[lane] = wanted;
    group.update_keys[lane] = key_below(key_below(m.update_key, step), output);
    group.mask_keys[lane] = key_below(key_below(m.mask_key, step), output);
    if (lane == 0) {
        group.gate = gate;
        group.weight = weight;
        group.heard = heard;
        group.focus_key = key_below(key_below(m.focus_key, step), 0);
        group.n_entries[0] = 0;
    }
    __syncwarp();
}
