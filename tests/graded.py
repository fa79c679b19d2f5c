"""What tests of graded clauses share."""

import numpy as np

import graphtm as gtm

ENGINES = ["reference", "cpu"]
"""Engines that every machine has."""
GRADED = dict(n_clauses=10, T=50, s=30.0, max_misses=4, max_included_literals=20)
"""Parameters with which a small machine soon learns :func:`weak_signs`."""


def weak_signs(n, random_state):
    """Return graphs of one node and their classes, 0 or 1.

    A graph has three of the ten signs of its own class, one of the ten of the other class, and four of 20 other
    symbols. No sign decides alone.
    """
    rng = np.random.default_rng(random_state)
    y = rng.integers(0, 2, n)
    has = np.zeros((n, 40), np.bool_)
    for graph, class_ in enumerate(y):
        for count, low, high in ((3, 10 * class_, 10), (1, 10 - 10 * class_, 10), (4, 20, 20)):
            has[graph, low + rng.choice(high, count, replace=False)] = True
    return gtm.GraphBatch.from_arrays(np.ones(n, np.int64), has), y
