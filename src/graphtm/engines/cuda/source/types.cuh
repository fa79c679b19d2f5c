// The structs that the host passes to kernels; structs.py has the same fields in the same order.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 ALL = 0xffffffffu;
constexpr int PLANES = 8;  // bits of a state, lowest first; the highest one says whether the literal is included

// A machine. The teams of all layers of a clause are stored in a row of `words` 64-bit words: for each layer its
// literals, then their negations. The state of a clause has PLANES such rows.
struct Machine {
    u64* planes;           // [clause][plane][word]
    int* weights;          // [clause][output]
    const int* code;       // [clause][code_bits]: message bits of a clause
    const int* owner_ptr;  // [message bit + 1]
    const int* owners;     // clauses that own each message bit
    const u64* mask_k;     // [layer]: mask bits are 1 with probability k / 2^n
    const int* mask_n;     // [layer]
    u64* step;             // number of examples learned; updated by kernels, so it is right after an interrupt
    u64 focus_key, output_key, update_key, mask_key;
    double inverse;  // 1 / 2T
    u64 k;           // if `same_masks`: k and n of all layers
    i64 limit;       // max_included_literals
    int n_clauses, n_outputs, depth, T, n_types;
    int size0, half0, size1, half1;  // bits of hypervector and inbox; words of 64 bits that hold them
    int words, code_bits;
    int first_plane;  // states of fewer than eight bits are in the upper planes
    int boost, by_class, limited;
    int same_masks, n;
    int max_misses;
};

// A graph. By rows: a row of node bits for each literal, then one for each node type (or one for all), then one for
// readout nodes. By nodes: a row of literals for each node, then the same masks, then two words for each edge.
struct GraphHead {
    i64 at;     // first word of its record
    i64 first;  // number of its first node
    int n_nodes;
    int stride;   // words from one row to the next
    int n_words;  // words of the record
    int n_edges;  // of a graph by nodes
    int by_rows;
    int lanes;  // by rows: 2^lanes lanes take four words of a row each, or one lane takes the whole row
};

constexpr int ONE_WORD = 6, TWO_WORDS = 7;  // `lanes` of graphs of up to 32 and up to 64 nodes

struct Graphs {
    const u32* records;
    const GraphHead* heads;  // in the order of presentation
    const i64* edge_ptr;     // [node + 1]: edges into each node
    const int* sources;      // within their graph
    const int* edge_types;
    i64 n_graphs;
};

// Targets of examples, in the order of presentation.
struct Examples {
    const i64* ptr;
    const int* outputs;
    const int* values;
    const u64* gates;
    const u64* weights;
    int silent;
};

// Working memory of a block. Offsets in shared memory are in 32-bit words; -1 if not in shared memory.
struct Room {
    int planes, weights, truth, inbox, focus;  // of the block's clauses
    int records, record_words;                 // two records of at most record_words words
    int inbox_words;
    int flags, entries, heard, group;
    int n_entries;  // number of clauses updated at a time
    int clauses_per_block;
    u32* global_truth;  // [clause][truth_stride]
    u32* global_sent;   // [node][message words]
    u32* global_inbox;  // [layer - 1][message bit][stride]
    u32* global_posts;  // [2][layer - 1][posts_stride]: inboxes of graphs by nodes
    u64* global_focus;  // [block][entry][words / 2]
    u32* global_heard;  // [block][output word]
    i64 truth_stride, inbox_stride, posts_stride, heard_stride;
    u64* slots;  // [example][output]: vote sum, and number of blocks that have added theirs
    u32* barrier;
    int wide;  // whether vote sums may exceed 47 bits, so that each takes two slots
};

// Working memory of a block that predicts its own graph. The record of the graph comes first.
struct Desk {
    int truth;       // a row per clause, or per warp if depth is 1 and nodes are not requested; -1: in global memory
    int truth_rows;  // of a block
    int inbox, inbox_words;  // inboxes of a layer; of all layers, inbox_words apart, if clauses are graded
    int sent;
    int list, list_room;  // true clauses whose votes are summed at a time; if graded, followed by their strengths
    const u32* includes;  // [clause][word]: the highest plane
    u32* global_truth;    // [block][row][truth_stride]
    i64 truth_stride;
};

// Results of prediction; null if not requested.
struct Answers {
    i64* sums;               // [graph][output]
    unsigned char* outputs;  // [graph][clause]: truth or strength
    unsigned char* nodes;    // [node][clause]
};
