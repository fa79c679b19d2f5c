"""Exclusive or of two connected nodes: the smallest task that needs a message."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.generated import (
    Generated,
    Labels,
    Mask,
    TrueRule,
    check_common,
    check_count,
    graph_of_nodes,
    packed,
    with_noise,
)
from graphtm.errors import GraphError
from graphtm.graphs import GraphBatch


@dataclass(frozen=True)
class ParityRule(TrueRule):
    """Class 1: the sum of the values of the two nodes is odd. The nodes are both."""

    def __str__(self) -> str:
        return "1 if the sum of the two values is odd, else 0"

    def __call__(self, graphs: GraphBatch) -> Labels:
        arrays = packed(graphs)
        names = list(arrays.vocabulary.symbols)
        strange = [name for name in names if not isinstance(name, int) or isinstance(name, bool)]
        if strange:
            raise GraphError(f"The symbols of XOR graphs must be integers; got {strange[0]!r}.")
        nodes, symbols = arrays.properties.pairs()
        odd = np.array([name % 2 == 1 for name in names if isinstance(name, int)], dtype=np.bool_)
        n_odd = np.bincount(graph_of_nodes(arrays)[nodes[odd[symbols]]], minlength=arrays.n_graphs)
        return n_odd % 2

    def nodes(self, graphs: GraphBatch) -> Mask:
        return np.repeat(self(graphs) == 1, packed(graphs).node_counts)


def noisy_xor(n_samples: int = 5000, *, noise: float = 0.0, random_state: int | None = None) -> Generated:
    """Generate pairs of bits whose class is their exclusive or.

    A graph has two nodes with symbol 0 or 1, connected in both directions. A single node contains no information about
    the class: a machine of depth 1 cannot learn it, one of depth 2 can (10 clauses, ``T=10``, ``s=3``).

    Parameters
    ----------
    n_samples
        Number of pairs.
    noise
        Fraction of flipped labels.
    random_state
        Seed of the random generator.

    Returns
    -------
    Generated
        The graphs, their classes, the true rule, and the bits in ``data``.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.noisy_xor(1000, noise=0.01, random_state=0)
    >>> graphs
    GraphBatch(1,000 graphs, 2,000 nodes, 2,000 edges, 2 symbols, 1 edge type)
    """
    check_common("noisy_xor", n_samples, noise)
    return _pairs(n_samples, 2, noise, random_state)


def multivalue_xor(
    n_samples: int = 5000, *, n_values: int = 10, noise: float = 0.0, random_state: int | None = None
) -> Generated:
    """Generate pairs of values whose class is the parity of their sum.

    As :func:`noisy_xor`, with values 0 to ``n_values - 1``. The more values, the more clauses are needed.

    Parameters
    ----------
    n_samples
        Number of pairs.
    n_values
        Number of values; up to 500 in the paper (arXiv:2507.14874).
    noise
        Fraction of flipped labels.
    random_state
        Seed of the random generator.

    Returns
    -------
    Generated
        The graphs, their classes, the true rule, and the values in ``data``.

    Examples
    --------
    >>> import graphtm as gtm
    >>> made = gtm.datasets.multivalue_xor(1000, n_values=100, random_state=0)
    >>> print(made.rule)
    1 if the sum of the two values is odd, else 0
    >>> made.data[0], int(made.y[0])
    (array([85, 63]), 0)
    """
    check_common("multivalue_xor", n_samples, noise)
    check_count("multivalue_xor", "n_values", n_values, 2)
    return _pairs(n_samples, n_values, noise, random_state)


def _pairs(n_samples: int, n_values: int, noise: float, random_state: int | None) -> Generated:
    rng = np.random.default_rng(random_state)
    values: NDArray[np.int64] = rng.integers(0, n_values, (n_samples, 2))
    nodes = np.arange(2 * n_samples)
    graphs = GraphBatch.from_arrays(
        np.full(n_samples, 2), (nodes, values.reshape(-1)), symbols=range(n_values), edges=(nodes, nodes ^ 1)
    )
    return Generated(graphs, with_noise(values.sum(axis=1) % 2, noise, rng), ParityRule(), values)
