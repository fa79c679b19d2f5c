/* Return the number of a name in one of the tables above, or -1: gtm_number(gtm_symbols, gtm_N_SYMBOLS, "A"). */
static inline int gtm_number(const char *const *names, size_t n_names, const char *name)
{
    for (size_t number = 0; number < n_names; number++) {
        size_t i = 0;
        while (name[i] != 0 && names[number][i] == name[i]) i++;
        if (names[number][i] == name[i]) return (int)number;
    }
    return -1;
}
