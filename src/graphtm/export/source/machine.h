/* The parts of the workspace. A block is as many nodes as a word has bits. */
typedef struct gtm_memory {
    gtm_word *bits;     /* bits[k]: nodes of the block whose bit k is 1 */
    gtm_word *types;    /* types[t]: nodes of the block that have type t */
    uint8_t *strengths; /* of each clause: the largest so far */
    gtm_word *states;   /* of each clause in each block, see gtm_miss */
    gtm_word *sent;     /* for each node, a bit per clause: whether it sends a message */
    size_t edge;        /* if destinations ascend: the first edge into a later block */
    int ascend;
} gtm_memory;

static inline int gtm_fits(size_t n_nodes, size_t size)
{
    size_t room = size / sizeof(gtm_word);
    if (room < gtm_FIXED_WORDS) return 0;
#if gtm_DEPTH > 1
    const size_t blocks = n_nodes / gtm_WORD_BITS + (n_nodes % gtm_WORD_BITS != 0);
    room -= gtm_FIXED_WORDS;
    if (blocks > room / gtm_BLOCK_WORDS) return 0;
    room -= blocks * gtm_BLOCK_WORDS;
    return n_nodes <= room / gtm_NODE_WORDS;
#else
    (void)n_nodes;
    return 1;
#endif
}

/* Return 0, or what is wrong with a graph. */
static inline int gtm_check(const gtm_graph *graph)
{
    const size_t n_nodes = graph->n_nodes;
    if (n_nodes == 0) return gtm_ERROR_NODES;
    if (graph->property_ptr != NULL) {
        for (size_t n = 0; n < n_nodes; n++)
            if (graph->property_ptr[n + 1] < graph->property_ptr[n]) return gtm_ERROR_PROPERTIES;
#if !gtm_IGNORES_UNKNOWN
        for (size_t i = graph->property_ptr[0]; i < graph->property_ptr[n_nodes]; i++)
            if (!gtm_IS_SYMBOL(graph->properties[i])) return gtm_ERROR_SYMBOL;
#endif
    }
#if gtm_TYPES_MATTER
    if (graph->node_types == NULL) return gtm_ERROR_NODE_TYPE;
    for (size_t n = 0; n < n_nodes; n++)
        if (graph->node_types[n] >= gtm_N_NODE_TYPES) return gtm_ERROR_NODE_TYPE;
#endif
#if gtm_DEPTH > 1
    for (size_t e = 0; e < graph->n_edges; e++) {
        if (graph->source[e] >= n_nodes || graph->destination[e] >= n_nodes) return gtm_ERROR_EDGE;
#if !gtm_IGNORES_UNKNOWN
        if (!gtm_IS_EDGE_TYPE(graph->edge_types[e])) return gtm_ERROR_EDGE_TYPE;
#endif
    }
#endif
    if (graph->readout != NULL) {
        size_t n = 0;
        while (n < n_nodes && graph->readout[n] == 0) n++;
        if (n == n_nodes) return gtm_ERROR_READOUT;
    }
    return 0;
}

/* Return the nodes of a block; of readout nodes only, if readout is not NULL. */
static inline gtm_word gtm_nodes(const uint8_t *readout, size_t first, size_t n_nodes)
{
    gtm_word nodes = 0;
    for (size_t n = 0; n < n_nodes; n++)
        if (readout == NULL || readout[first + n] != 0) nodes = (gtm_word)(nodes | (gtm_word)1 << n);
    return nodes;
}

/* Read the properties and types of the nodes of a block. */
static inline void gtm_read(const gtm_graph *graph, gtm_memory *memory, size_t first, size_t n_nodes)
{
    for (size_t k = 0; k < gtm_N_ROWS; k++) memory->bits[k] = 0;
    for (size_t n = 0; n < n_nodes; n++) {
        const gtm_word node = (gtm_word)((gtm_word)1 << n);
#if gtm_TYPES_MATTER
        memory->types[graph->node_types[first + n]] |= node;
#endif
        if (graph->property_ptr == NULL) continue;
        for (size_t i = graph->property_ptr[first + n]; i < graph->property_ptr[first + n + 1]; i++) {
            const size_t symbol = graph->properties[i];
#if gtm_IGNORES_UNKNOWN
            if (!gtm_IS_SYMBOL(graph->properties[i])) continue;
#endif
#if gtm_SYMBOL_BITS > 0
            for (size_t k = symbol * gtm_SYMBOL_BITS; k < (symbol + 1) * gtm_SYMBOL_BITS; k++)
                memory->bits[gtm_symbol_bits[k]] |= node;
#else
            memory->bits[symbol] |= node;
#endif
        }
    }
}

#if gtm_DEPTH > 1
/* Read the inboxes of the nodes of a block: the codes of the clauses that their in-neighbours send. */
static inline void gtm_receive(const gtm_graph *graph, gtm_memory *memory, size_t first, size_t n_nodes)
{
    size_t e = memory->ascend ? memory->edge : 0;
    for (size_t k = 0; k < gtm_MESSAGE_SIZE; k++) memory->bits[k] = 0;
    for (; e < graph->n_edges; e++) {
        const size_t destination = graph->destination[e];
        const size_t shift = graph->edge_types[e] % gtm_MESSAGE_SIZE;
        if (destination < first) continue;
        if (destination >= first + n_nodes) {
            if (memory->ascend) break;
            continue;
        }
#if gtm_IGNORES_UNKNOWN
        if (!gtm_IS_EDGE_TYPE(graph->edge_types[e])) continue;
#endif
        const gtm_word node = (gtm_word)((gtm_word)1 << (destination - first));
        const gtm_word *sent = memory->sent + graph->source[e] * gtm_NODE_WORDS;
        for (size_t w = 0; w < gtm_NODE_WORDS; w++) {
            const gtm_message_bit *code = gtm_clause_bits + w * gtm_WORD_BITS * gtm_CLAUSE_BITS;
            for (gtm_word clauses = sent[w]; clauses != 0; clauses = (gtm_word)(clauses >> 1)) {
                for (size_t k = 0; (clauses & 1) != 0 && k < gtm_CLAUSE_BITS; k++) {
                    const size_t bit = code[k] + shift;
                    memory->bits[bit < gtm_MESSAGE_SIZE ? bit : bit - gtm_MESSAGE_SIZE] |= node;
                }
                code += gtm_CLAUSE_BITS;
            }
        }
    }
    memory->edge = e;
}

/* Let each node send the clauses that hold there without a miss. */
static inline void gtm_send(gtm_memory *memory, size_t n_nodes)
{
    const gtm_word *state = memory->states;
    for (size_t k = 0; k < n_nodes * gtm_NODE_WORDS; k++) memory->sent[k] = 0;
    for (size_t first = 0; first < n_nodes; first += gtm_WORD_BITS) {
        for (size_t j = 0; j < gtm_N_CLAUSES; j++, state += 1 + gtm_N_PLANES) {
            gtm_word *sent = memory->sent + first * gtm_NODE_WORDS + j / gtm_WORD_BITS;
            gtm_word nodes = state[0];
            for (int p = 0; p < gtm_N_PLANES; p++)
                nodes = (gtm_word)(nodes & (gtm_START >> p & 1 ? state[1 + p] : ~state[1 + p]));
            for (; nodes != 0; nodes = (gtm_word)(nodes >> 1), sent += gtm_NODE_WORDS)
                if (nodes & 1) *sent = (gtm_word)(*sent | (gtm_word)1 << j % gtm_WORD_BITS);
        }
    }
}
#endif

/* Count a miss of a clause at some nodes. Bits of state[0] are the nodes without too many misses; those of the other
   words are the digits of counters, which start at gtm_START and overflow after gtm_MAX_MISSES misses. */
static inline void gtm_miss(gtm_word *state, gtm_word nodes)
{
    for (int p = 1; p <= gtm_N_PLANES && nodes != 0; p++) {
        const gtm_word carry = (gtm_word)(state[p] & nodes);
        state[p] = (gtm_word)(state[p] ^ nodes);
        nodes = carry;
    }
    state[0] = (gtm_word)(state[0] & ~nodes);
}

/* Return the largest strength of a clause at the nodes in state[0]. */
static inline unsigned gtm_strength(const gtm_word *state)
{
    gtm_word nodes = state[0];
    unsigned least = 0;
    if (nodes == 0) return 0;
    for (int p = gtm_N_PLANES; p > 0; p--) {
        const gtm_word less = (gtm_word)(nodes & ~state[p]);
        if (less != 0) nodes = less;
        else least |= 1u << (p - 1);
    }
    return (1u << gtm_N_PLANES) - least;
}

/* Evaluate a layer of all clauses at some nodes of a block. */
static inline void gtm_evaluate(gtm_memory *memory, unsigned layer, size_t block, gtm_word nodes)
{
    const gtm_literal *literal = gtm_literals + gtm_layers[layer];
    const gtm_word *bits = memory->bits;
    for (size_t j = 0; j < gtm_N_CLAUSES; j++) {
        const gtm_literal *zeros = literal + gtm_n_ones[(size_t)layer * gtm_N_CLAUSES + j];
        const gtm_literal *end = zeros + gtm_n_zeros[(size_t)layer * gtm_N_CLAUSES + j];
#if gtm_DEPTH > 1
        gtm_word *state = memory->states + (block * gtm_N_CLAUSES + j) * (1 + gtm_N_PLANES);
#else
        gtm_word state[1 + gtm_N_PLANES];
        (void)block;
#endif
        if (layer == 0) {
            state[0] = nodes;
            for (int p = 0; p < gtm_N_PLANES; p++)
                state[1 + p] = (gtm_word)(gtm_START >> p & 1 ? ~(gtm_word)0 : 0);
#if gtm_TYPES_MATTER
            state[0] &= memory->types[j % gtm_N_NODE_TYPES];
#endif
        }
        state[0] &= nodes;
        if (layer + 1 == gtm_DEPTH && memory->strengths[j] > gtm_MAX_MISSES) literal = end;
        for (; literal < zeros && state[0] != 0; literal++)
            gtm_miss(state, (gtm_word)(state[0] & ~bits[*literal]));
        for (; literal < end && state[0] != 0; literal++)
            gtm_miss(state, (gtm_word)(state[0] & bits[*literal]));
        literal = end;
        if (layer + 1 == gtm_DEPTH) {
            const unsigned strength = gtm_strength(state);
            if (strength > memory->strengths[j]) memory->strengths[j] = (uint8_t)strength;
        }
    }
}

/* Compute the strengths of all clauses for a graph; return 0 or what is wrong. */
static inline int gtm_run(const gtm_graph *graph, gtm_memory *memory, gtm_word *workspace, size_t size)
{
    const int wrong = gtm_check(graph);
    const size_t n_nodes = graph->n_nodes;
    if (wrong != 0) return wrong;
    if (!gtm_fits(n_nodes, size)) return gtm_ERROR_WORKSPACE;
    memory->bits = workspace;
    memory->types = workspace + gtm_N_BITS;
    memory->strengths = (uint8_t *)(workspace + gtm_N_ROWS);
    memory->states = workspace + gtm_FIXED_WORDS;
    memory->sent = memory->states;
#if gtm_DEPTH > 1
    memory->sent += gtm_WORDS(n_nodes) * gtm_BLOCK_WORDS;
    memory->ascend = 1;
    for (size_t e = 1; e < graph->n_edges; e++)
        if (graph->destination[e] < graph->destination[e - 1]) memory->ascend = 0;
#endif
    for (size_t j = 0; j < gtm_N_CLAUSES; j++) memory->strengths[j] = 0;
    for (unsigned layer = 0; layer < gtm_DEPTH; layer++) {
        const uint8_t *readout = layer + 1 == gtm_DEPTH ? graph->readout : NULL;
        memory->edge = 0;
        for (size_t first = 0; first < n_nodes; first += gtm_WORD_BITS) {
            const size_t left = n_nodes - first, here = left < gtm_WORD_BITS ? left : gtm_WORD_BITS;
            const gtm_word nodes = gtm_nodes(readout, first, here);
            if (nodes == 0) continue;
#if gtm_DEPTH > 1
            if (layer > 0) gtm_receive(graph, memory, first, here);
            else
#endif
                gtm_read(graph, memory, first, here);
            gtm_evaluate(memory, layer, first / gtm_WORD_BITS, nodes);
        }
#if gtm_DEPTH > 1
        if (layer + 1 < gtm_DEPTH) gtm_send(memory, n_nodes);
#endif
    }
    return 0;
}

static inline int64_t gtm_sum(const uint8_t *strengths, size_t output)
{
    const gtm_weight *weights = gtm_weights + output * gtm_N_CLAUSES;
    gtm_votes sum = 0;
    for (size_t j = 0; j < gtm_N_CLAUSES; j++) sum += (gtm_votes)weights[j] * strengths[j];
    return sum;
}

/* Compute the vote sum of each output; return 0 or an error code. `size` is sizeof workspace, in bytes. */
static inline int gtm_class_sums(const gtm_graph *graph, gtm_word *workspace, size_t size, int64_t *sums)
{
    gtm_memory memory;
    const int wrong = gtm_run(graph, &memory, workspace, size);
    for (size_t i = 0; wrong == 0 && i < gtm_N_OUTPUTS; i++) sums[i] = gtm_sum(memory.strengths, i);
    return wrong;
}
