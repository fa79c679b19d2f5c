// The structs that the host hands to kernels; structs.py has the same fields in the same order.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

constexpr u32 ALL = 0xffffffffu;
constexpr int PLANES = 8;  // bits of a state, the lowest first; the highest says whether the literal is included

// A machine. Teams of all layers of a clause lie side by side: `words` of 64 bits, each layer its literals, then their
// negations. A clause's state is PLANES times so many words.
struct Machine {
    u64* planes;           // [clause][plane][word]
    int* weights;          // [clause][output]
    const int* code;       // [clause][code_bits]: message bits that a clause signs with
    const int* owner_ptr;  // [message bit + 1]
    const int* owners;     // clauses that own each message bit
    const u64* mask_k;     // [layer]: masks have ones with probability k / 2^n
    const int* mask_n;     // [layer]
    u64* step;             // examples learned; kernels count on, so that an interrupted host is never wrong
    u64 focus_key, output_key, update_key, mask_key;
    double inverse;  // 1 / 2T
    u64 k;           // what mask_k and mask_n hold where all layers have the same, which `same_masks` says
    i64 limit;       // literals above which a clause takes no more
    int n_clauses, n_outputs, depth, T, n_types;
    int size0, half0, size1, half1;  // bits of hypervector and inbox; words of 64 bits that hold them
    int words, code_bits;
    int first_plane;  // states of fewer than eight bits are in the upper planes
    int boost, by_class, limited;
    int same_masks, n;
};

// A graph. By rows: a row of node bits for each literal, then one for each node type (or one for all), then one for the
// nodes that answer. By nodes: a row of literals for each node, then the same masks, then two words for each edge.
struct GraphHead {
    i64 at;     // first word of its record
    i64 first;  // number of its first node
    int n_nodes;
    int stride;   // words from one row to the next
    int n_words;  // words of the record
    int n_edges;  // of a graph by nodes
    int by_rows;
    int lanes;  // by rows: 2^lanes lanes take four words of a row each, or one lane takes all of it
};

constexpr int ONE_WORD = 6, TWO_WORDS = 7;  // `lanes` of graphs of up to 32 and 64 nodes

struct Graphs {
    const u32* records;
    const GraphHead* heads;  // in the order in which they are presented
    const i64* edge_ptr;     // [node + 1]: edges into each node
    const int* sources;      // within their graph
    const int* edge_types;
    i64 n_graphs;
};

// What examples should be answered with, in the order in which they are presented.
struct Examples {
    const i64* ptr;
    const int* outputs;
    const int* values;
    const u64* gates;
    const u64* weights;
    int silent;
};

// Where a block keeps things. Places in shared memory are counted in words of 32 bits; -1 for what lies elsewhere.
struct Room {
    int planes, weights, truth, inbox, focus;  // of the block's clauses
    int records, record_words;                 // two records of at most so many words
    int inbox_words;
    int flags, entries, heard, group;
    int n_entries;  // clauses that are updated at a time
    int clauses_per_block;
    u32* global_truth;  // [clause][truth_stride]
    u32* global_sent;   // [node][message words]
    u32* global_inbox;  // [layer - 1][message bit][stride]
    u32* global_posts;  // [2][layer - 1][posts_stride]: inboxes of graphs by nodes
    u64* global_focus;  // [block][entry][words / 2]
    u32* global_heard;  // [block][output word]
    i64 truth_stride, inbox_stride, posts_stride, heard_stride;
    u64* slots;  // [example][output]: votes and how many blocks have added theirs
    u32* barrier;
    int wide;  // whether votes may exceed 47 bits, so that each takes two slots
};

// Where a block that predicts a graph of its own keeps things; the record of the graph comes first.
struct Desk {
    int truth;       // a row for each clause, or for each warp where only the last layer counts; -1: in global memory
    int truth_rows;  // of a block
    int inbox, sent;
    int list, list_room;  // true clauses that are added up at a time
    const u32* includes;  // [clause][word]: the highest plane alone
    u32* global_truth;    // [block][row][truth_stride]
    i64 truth_stride;
};

// What evaluating is for, beside learning.
struct Answers {
    i64* sums;             // [graph][output]
    unsigned char* truth;  // [graph][clause]
    unsigned char* nodes;  // [node][clause]
};
