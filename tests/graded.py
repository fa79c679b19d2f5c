"""What tests of graded clauses share."""

import numpy as np

import graphtm as gtm

ENGINES = ["reference"]
"""Engines with graded clauses."""
GRADED = dict(T=60, s=100.0, max_misses=4, max_included_literals=16)
"""Parameters with which small machines learn :func:`majorities`."""


def majorities(n, random_state, n_symbols=12, deciding=7):
    """Return one-node graphs with random symbols, and whether they have most of the first ``deciding`` ones."""
    rng = np.random.default_rng(random_state)
    has = rng.random((n, n_symbols)) < 0.5
    return gtm.GraphBatch.from_arrays(np.ones(n, int), has), has[:, :deciding].sum(axis=1) > deciding // 2
