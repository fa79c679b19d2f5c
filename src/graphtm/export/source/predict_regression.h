/* Write the number that is predicted for each output, and return 0; or return an error code. */
static inline int gtm_predict(const gtm_graph *graph, gtm_word *workspace, size_t size, double *numbers)
{
    gtm_memory memory;
    const int wrong = gtm_run(graph, &memory, workspace, size);
    for (size_t i = 0; wrong == 0 && i < gtm_N_OUTPUTS; i++) {
        /* Volatile, so that the product is rounded before it is added, on every processor. */
        volatile double number = gtm_values[i] * (double)gtm_sum(memory.strengths, i);
        number = gtm_intercepts[i] + number;
        numbers[i] = number < gtm_lows[i] ? gtm_lows[i] : number > gtm_highs[i] ? gtm_highs[i] : number;
    }
    return wrong;
}
