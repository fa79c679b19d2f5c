"""What the literals of clauses say of symbols and messages, as counts of bits."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from graphtm.codes import Code
from graphtm.engines.trace import code_matrix, included_literals
from graphtm.foundation.arrays import Int32Array
from graphtm.foundation.display import count
from graphtm.foundation.resources import require_memory
from graphtm.model import Model


def symbol_counts(model: Model, hypervectors: ArrayLike) -> Int32Array:
    """Return how many bits of each symbol a clause includes, ``(clauses, 2 * symbols)``: plain, then negated.

    Parameters
    ----------
    model
        The model.
    hypervectors
        Positions of the bits of each symbol, ``(symbols, bits)``.

    Raises
    ------
    ValueError
        If these are no positions in a hypervector.
    """
    size, positions = model.params.hypervector_size, np.asarray(hypervectors)
    if positions.ndim != 2 or positions.dtype.kind not in "iu":
        raise ValueError(
            f"The hypervectors must be positions of shape (symbols, bits), as graphs.hypervectors is; got "
            f"{positions.dtype} of shape {positions.shape}."
        )
    if positions.size and not 0 <= int(positions.min()) <= int(positions.max()) < size:
        raise ValueError(
            f"The hypervectors must be positions from 0 to {size - 1} for this machine; got values from "
            f"{positions.min()} to {positions.max()}."
        )
    included = included_literals(model.params, model.state, 0)
    shape = (model.params.n_clauses, 2 * len(positions))
    what = f"The symbols of {model.params.n_clauses:,} clauses"
    counts = _zeros(shape, what, "Pass fewer hypervectors at a time, such as graphs.hypervectors[:1000]")
    _add_counts(counts, included, Code("random", size, positions.astype(np.int32)))
    return counts


def message_counts(model: Model, layer: int, n_edge_types: int) -> Int32Array:
    """Return how many bits of each message a clause includes, ``(edge types, clauses, 2 * clauses)``.

    The last axis has the senders: bits included plain, then negated.
    """
    code = model.params.message_code
    assert code is not None  # noqa: S101 -- deep machines have one
    included = included_literals(model.params, model.state, layer)
    what = f"The messages of {count(n_edge_types, 'edge type')} between {code.n_owners:,} clauses"
    counts = _zeros((n_edge_types, code.n_owners, 2 * code.n_owners), what, "Read them as rules: native().rules()")
    for edge_type in range(n_edge_types):
        shifted = (code.positions + edge_type) % code.size
        _add_counts(counts[edge_type], included, Code("random", code.size, shifted))
    return counts


def _zeros(shape: tuple[int, ...], what: str, advice: str) -> Int32Array:
    require_memory(4 * math.prod(shape), what, advice)
    return np.zeros(shape, np.int32)


def _add_counts(counts: Int32Array, included: sparse.csr_array, code: Code) -> None:
    """Count the included bits of each owner, plain and then negated; as sparse as they are, until they are added."""
    owned = code_matrix(code).T
    for first, half in ((0, included[:, : code.size]), (code.n_owners, included[:, code.size :])):
        found = (half @ owned).tocoo()
        counts[found.row, first + found.col] = found.data
