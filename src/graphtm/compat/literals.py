"""What the literals of clauses say of symbols and messages, as counts of bits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from graphtm.codes import Code
from graphtm.engines.trace import code_matrix, included_literals
from graphtm.foundation.arrays import Int32Array
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
    return _counts(included, Code("random", size, positions.astype(np.int32)))


def message_counts(model: Model, layer: int, n_edge_types: int) -> Int32Array:
    """Return how many bits of each message a clause includes, ``(edge types, clauses, 2 * clauses)``.

    The last axis has the senders: bits included plain, then negated.
    """
    code = model.params.message_code
    assert code is not None  # noqa: S101 -- deep machines have one
    included = included_literals(model.params, model.state, layer)
    shifted = [(code.positions + edge_type) % code.size for edge_type in range(n_edge_types)]
    counts = [_counts(included, Code("random", code.size, positions)) for positions in shifted]
    none = np.zeros((0, code.n_owners, 2 * code.n_owners), np.int32)
    return np.stack(counts) if counts else none


def _counts(included: sparse.csr_array, code: Code) -> Int32Array:
    owned = code_matrix(code).T
    halves = (included[:, : code.size] @ owned, included[:, code.size :] @ owned)
    return np.concatenate([half.toarray() for half in halves], axis=1).astype(np.int32)
