/* Return the number of the predicted class, or an error code. */
static inline int gtm_predict(const gtm_graph *graph, gtm_word *workspace, size_t size)
{
    gtm_memory memory;
    const int wrong = gtm_run(graph, &memory, workspace, size);
    if (wrong < 0) return wrong;
    int best = 0;
    int64_t largest = gtm_sum(memory.strengths, 0);
    for (int i = 1; i < gtm_N_OUTPUTS; i++) {
        const int64_t sum = gtm_sum(memory.strengths, (size_t)i);
        if (sum > largest) {
            largest = sum;
            best = i;
        }
    }
    return best;
}
