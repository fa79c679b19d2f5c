/* As many nodes as a word has bits are evaluated together. Define gtm_WORD before this header as uint8_t or uint16_t
   for a smaller workspace, or as uint64_t for more speed on 64-bit processors. */
#ifndef gtm_WORD
#define gtm_WORD uint32_t
#endif
typedef gtm_WORD gtm_word;

/* Numbers of nodes, edges and properties. Define gtm_INDEX before this header as uint16_t for smaller graphs. */
#ifndef gtm_INDEX
#define gtm_INDEX uint32_t
#endif
typedef gtm_INDEX gtm_index;

typedef struct gtm_graph {
    gtm_index n_nodes;
    /* The properties of node n are properties[property_ptr[n]] to properties[property_ptr[n + 1] - 1].
       NULL: no node has any. */
    const gtm_index *property_ptr; /* n_nodes + 1 offsets */
    const gtm_symbol *properties;  /* numbers of symbols, in any order */
    const gtm_node_type *node_types; /* one per node; not read if gtm_TYPES_MATTER is 0 */
    /* Edges in any order; large graphs are faster if destinations ascend. Not read if gtm_DEPTH is 1. */
    gtm_index n_edges;
    const gtm_index *source;
    const gtm_index *destination;
    const gtm_edge_type *edge_types;
    const uint8_t *readout; /* for each node, whether it is a readout node; NULL: all are */
} gtm_graph;

enum {
    gtm_ERROR_NODES = -1,      /* the graph has no nodes */
    gtm_ERROR_PROPERTIES = -2, /* the offsets of properties descend */
    gtm_ERROR_SYMBOL = -3,     /* a property is not below gtm_N_SYMBOLS */
    gtm_ERROR_NODE_TYPE = -4,  /* a node type is not below gtm_N_NODE_TYPES, or nodes have no types */
    gtm_ERROR_EDGE = -5,       /* an end of an edge is not below n_nodes */
    gtm_ERROR_EDGE_TYPE = -6,  /* an edge type is not below gtm_N_EDGE_TYPES */
    gtm_ERROR_READOUT = -7,    /* no node is a readout node */
    gtm_ERROR_WORKSPACE = -8   /* the workspace is too small */
};

/* gtm_WORKSPACE(n_nodes) is the number of words of workspace for graphs of up to n_nodes nodes. */
#define gtm_WORD_BITS (8 * sizeof(gtm_word))
#define gtm_WORDS(n_bits) (((size_t)(n_bits) + gtm_WORD_BITS - 1) / gtm_WORD_BITS)
#define gtm_N_ROWS (gtm_N_BITS + gtm_TYPES_MATTER * gtm_N_NODE_TYPES)
#define gtm_FIXED_WORDS (gtm_N_ROWS + gtm_WORDS(8 * (size_t)gtm_N_CLAUSES))
#if gtm_DEPTH > 1
#define gtm_BLOCK_WORDS ((size_t)gtm_N_CLAUSES * (1 + gtm_N_PLANES))
#define gtm_NODE_WORDS gtm_WORDS(gtm_N_CLAUSES)
#define gtm_WORKSPACE(n_nodes) \
    (gtm_FIXED_WORDS + gtm_WORDS(n_nodes) * gtm_BLOCK_WORDS + (size_t)(n_nodes) * gtm_NODE_WORDS)
#else
#define gtm_WORKSPACE(n_nodes) (gtm_FIXED_WORDS + 0 * (size_t)(n_nodes))
#endif
