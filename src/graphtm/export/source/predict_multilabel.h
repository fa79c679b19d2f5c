/* Write 1 or 0 for each label, and return how many there are; or return an error code. */
static inline int gtm_predict(const gtm_graph *graph, gtm_word *workspace, size_t size, uint8_t *labels)
{
    gtm_memory memory;
    int count = gtm_run(graph, &memory, workspace, size);
    if (count < 0) return count;
    for (size_t i = 0; i < gtm_N_OUTPUTS; i++) {
        labels[i] = gtm_sum(memory.strengths, i) >= 0;
        count += labels[i];
    }
    return count;
}
