// A warp of 32 threads of the host that runs the CUDA source of graded clauses in lockstep. `KERNELS` is that source.
// Standard input has cases, standard output gets what `graded_clause` returns and writes; see test_cuda_warp.py.

#include <pthread.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#define __device__
#define __forceinline__ inline
#define __noinline__
#define ANY_MACHINE 0

using std::max;
using std::min;

struct Dim {
    unsigned x;
};
thread_local Dim threadIdx{0};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(8) uint2 {
    unsigned x, y;
};

static pthread_barrier_t barrier;
static unsigned values[32];

// Give a value of this lane to all lanes, and return what `use` makes of those of all.
template <class F>
static unsigned together(unsigned value, F use) {
    values[threadIdx.x] = value;
    pthread_barrier_wait(&barrier);
    const unsigned result = use();
    pthread_barrier_wait(&barrier);
    return result;
}

static unsigned __shfl_xor_sync(unsigned, unsigned value, int step) {
    return together(value, [&] { return values[threadIdx.x ^ step]; });
}
static unsigned __ballot_sync(unsigned, bool value) {
    return together(value, [] {
        unsigned bits = 0;
        for (int lane = 0; lane < 32; lane++) bits |= values[lane] << lane;
        return bits;
    });
}
static bool __any_sync(unsigned mask, bool value) { return __ballot_sync(mask, value) != 0; }
static unsigned __reduce_min_sync(unsigned, unsigned value) {
    return together(value, [] { return *std::min_element(values, values + 32); });
}
static unsigned __reduce_add_sync(unsigned, unsigned value) {
    return together(value, [] {
        unsigned sum = 0;
        for (unsigned each : values) sum += each;
        return sum;
    });
}
static void __syncwarp() { pthread_barrier_wait(&barrier); }
static int __ffs(unsigned value) { return __builtin_ffs(value); }
static int __ffsll(unsigned long long value) { return __builtin_ffsll(value); }
static int __popc(unsigned value) { return __builtin_popcount(value); }
template <class T>
static T __ldcg(const T* place) {
    return *place;
}

#include KERNELS

// The rows of each layer with their widths, as if those of layer 2 were written by other blocks.
struct Layers {
    const std::vector<u32*>& rows;
    int width0, width1;
    template <class F>
    void in(int layer, F use) const {
        if (layer == 2) use(SharedByBlocks{rows[layer], width1});
        else use(Rows{rows[layer], layer ? width1 : width0});
    }
};

static u32* read_words(size_t n) {
    u32* words = (u32*)aligned_alloc(16, (n / 4 + 2) * 16);
    if (fread(words, 4, n, stdin) != n) exit(1);
    return words;
}

int main() {
    pthread_barrier_init(&barrier, nullptr, 32);
    struct {
        int n_nodes, stride, lanes, by_rows, depth, n_types, size0, size1, max_misses, clause, top;
    } given;
    while (fread(&given, sizeof given, 1, stdin) == 1) {
        Machine m{};
        m.depth = given.depth, m.n_types = given.n_types, m.max_misses = given.max_misses, m.n_clauses = 2;
        m.size0 = given.size0, m.half0 = (given.size0 + 63) / 64;
        m.size1 = given.size1, m.half1 = (given.size1 + 63) / 64;
        m.words = 2 * m.half0 + (m.depth - 1) * 2 * m.half1;
        Scene scene{};
        scene.head.n_nodes = given.n_nodes, scene.head.stride = given.stride, scene.head.lanes = given.lanes;
        scene.head.by_rows = given.by_rows;
        scene.n_words = (given.n_nodes + 31) / 32;
        const bool by_rows = given.by_rows;
        const int width0 = by_rows ? given.stride : 2 * m.half0, width1 = by_rows ? given.stride : 2 * m.half1;
        const size_t masks = (given.n_types + 1) * (by_rows ? given.stride : 1);
        std::vector<u32*> rows{read_words((size_t)(by_rows ? given.size0 : given.n_nodes) * width0 + masks)};
        for (int layer = 1; layer < m.depth; layer++)
            rows.push_back(read_words((size_t)(by_rows ? given.size1 : given.n_nodes) * width1));
        u32* include = read_words(2 * m.words);
        std::vector<u32> truth(scene.n_words + 16, 0xaaaaaaaa);
        u32* const aligned = (u32*)(((size_t)truth.data() + 15) & ~(size_t)15);
        std::vector<unsigned char> strengths((size_t)given.n_nodes * m.n_clauses, 0);
        u32 result[32];
        std::vector<std::thread> lanes;
        for (unsigned lane = 0; lane < 32; lane++)
            lanes.emplace_back([&, lane] {
                threadIdx.x = lane;
                result[lane] = graded_clause(m, scene, Layers{rows, width0, width1}, rows[0], include, given.top,
                                             given.clause, aligned, strengths.data());
            });
        for (std::thread& lane : lanes) lane.join();
        fwrite(result, 4, 32, stdout);
        fwrite(aligned, 4, scene.n_words, stdout);
        fwrite(strengths.data(), 1, strengths.size(), stdout);
        for (u32* each : rows) free(each);
        free(include);
    }
}
