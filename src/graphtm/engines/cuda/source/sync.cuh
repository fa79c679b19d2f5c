// Communication between blocks: barriers of the whole grid, and vote sums with arrival counts.

__device__ __forceinline__ u32 load_acquire(const u32* place) {
    u32 value;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    return value;
}

__device__ __forceinline__ u64 load_relaxed(const u64* place) {
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(place) : "memory");
    return value;
}

// Barrier of all blocks; `arrivals` increases over the launch. Needs a cooperative launch: all blocks must be running.
__device__ __forceinline__ void meet(u32* barrier, u32& arrivals) {
    __syncthreads();
    if (n_blocks() == 1) return;
    arrivals += n_blocks();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(barrier, 1u);
        while ((int)(load_acquire(barrier) - arrivals) < 0) {
        }
        __threadfence();
    }
    __syncthreads();
}

constexpr u64 ARRIVED = 1ull << 48;  // upper 16 bits of a slot: blocks that have added their votes; below: the sum

__device__ __forceinline__ bool everyone(u64 slot) { return ((slot + (ARRIVED >> 1)) >> 48) >= n_blocks(); }

__device__ __forceinline__ i64 slot_sum(u64 slot) { return (i64)(slot << 16) >> 16; }

// `fenced`: earlier writes of the block are visible to blocks that have seen all votes arrive.
__device__ __forceinline__ void add_votes(u64* slot, i64 votes, bool wide, bool fenced) {
    if (fenced) __threadfence();
    if (wide) {
        atomicAdd(slot, ARRIVED + (u64)(votes & 0xffffffffll));
        atomicAdd(slot + 1, ARRIVED + (u64)(votes >> 32));
    } else {
        atomicAdd(slot, ARRIVED + (u64)votes);
    }
}

__device__ __forceinline__ i64 await_slot(const u64* slot) {
    u64 value;
    do value = load_relaxed(slot);
    while (!everyone(value));
    return slot_sum(value);
}

__device__ __forceinline__ i64 await_votes(const u64* slot, bool wide, bool fenced) {
    i64 low = await_slot(slot);
    i64 votes = wide ? low + (await_slot(slot + 1) << 32) : low;
    if (fenced) __threadfence();
    return votes;
}
