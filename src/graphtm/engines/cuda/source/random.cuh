// The random generator, a pure function, as defined in graphtm/engines/random.py. Semantics 6.

constexpr u64 G = 0x9E3779B97F4A7C15ull, K2 = 0xC2B2AE3D27D4EB4Full, K3 = 0x9FB21C651E98DF25ull;
constexpr u64 K4 = 0xD6E8FEB86659FD93ull;

__device__ __forceinline__ u64 mix(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

// The key of a step, given that of a purpose; or of an output, given that of a step.
__device__ __forceinline__ u64 key_below(u64 key, u64 number) { return mix(key + (number + 1) * G); }

__device__ __forceinline__ u64 clause_key(u64 key, u64 clause, u64 layer) {
    return mix(key + (clause + 1) * K2 + layer * K3);
}

__device__ __forceinline__ u32 hash32(u64 key, u32 index) {
    u32 x = index * 0x9E3779B9u + (u32)key;
    x = (x ^ (x >> 16)) * 0x7FEB352Du;
    x = (x ^ (x >> 15) ^ (u32)(key >> 32)) * 0x846CA68Bu;
    return x ^ (x >> 16);
}

__device__ __forceinline__ u64 rotated_left(u64 x, int places) { return (x << places) | (x >> (64 - places)); }

// 64 bits that are 1 with probability k / 2^n each. Semantics 6: mask digits. Digits are drawn from first to last; a
// bit is decided by the first digit that differs from that of k / 2^n.
// Only the bits of `wanted` are right, if clauses are graded: with a large s, few of them stay undecided for long.
__device__ __forceinline__ u64 mask_word(u64 key, u64 word, u64 k, int n, u64 wanted) {
    if (n == 0) return ~0ull;
    u64 x = key + word * G;
    x = (x ^ (x >> 32)) * K4;
    x = x ^ (x >> 32);
    u64 y = rotated_left(x, 32) * K4;
    u64 mask = 0, undecided = GRADED ? wanted : ~0ull;
    for (int digit = n - 1; digit >= 0; digit--) {
        if (GRADED && !undecided) break;
        x = rotated_left(x, 56) + y;
        y = rotated_left(y, 3) ^ x;
        u64 one = 0ull - (k >> digit & 1);
        mask |= undecided & x & one;
        undecided &= x ^ one;
    }
    return mask;
}
