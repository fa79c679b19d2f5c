"""Inputs of a fit: sample weights, evaluation sets, held-out graphs, prepared graphs and their checksum."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphtm.codes import Code, encode
from graphtm.engines import Engine
from graphtm.engines.random import epoch_order
from graphtm.foundation.type_names import type_of
from graphtm.graphs import GraphBatch, PackedGraphs

_NO_EPOCH = 2**64 - 1
"""Number of an epoch that is never reached; its order selects the held-out graphs."""


def checked_weights(weights: Any, n: int) -> NDArray[np.float64] | None:
    """Return checked sample weights of ``n`` graphs.

    Raises
    ------
    ValueError
        If their number is wrong, one is negative or not finite, or all are 0.
    """
    if weights is None:
        return None
    if sparse.issparse(weights):
        raise ValueError("sample_weight must be an array with one number per graph; got a sparse matrix.")
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"sample_weight must be one number for each of {n:,} graphs; got shape {values.shape}.")
    bad = np.flatnonzero(~(np.isfinite(values) & (values >= 0)))
    if len(bad):
        raise ValueError(f"sample_weight must be finite numbers of at least 0; got {values[bad[0]]} at place {bad[0]}.")
    if n and not values.any():
        raise ValueError("sample_weight must contain at least one non-zero number; all are 0.")
    return values


def evaluation_sets(eval_set: Any) -> list[tuple[Any, Any]]:
    """Return a pair, or a list of pairs, as a list of pairs of graphs and labels.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if eval_set is None:
        return []
    return [_pair(one) for one in (eval_set if isinstance(eval_set, list) else [eval_set])]


def _pair(given: Any) -> tuple[Any, Any]:
    # A batch of two graphs is not a pair.
    parts = [] if isinstance(given, GraphBatch | np.ndarray | str) or not isinstance(given, Iterable) else list(given)
    if len(parts) != 2:
        raise TypeError(
            "eval_set must be a pair (graphs, y), or a list of such pairs; got "
            + (f"{len(parts)} items in place of a pair." if parts else f"{type_of(given)}.")
        )
    if isinstance(parts[0], tuple) and any(isinstance(part, GraphBatch) for part in parts[0]):
        raise TypeError(
            "eval_set must be a pair (graphs, y), or a list of such pairs; got a tuple of pairs. Write a list."
        )
    return parts[0], parts[1]


def held_out(strata: NDArray[np.int64], fraction: float, seed: int) -> NDArray[np.bool_]:
    """Return which examples to hold out: a fraction of each stratum, chosen by the random generator.

    At least one example of each stratum is kept.

    Raises
    ------
    ValueError
        If no example would be held out.
    """
    chosen = np.zeros(len(strata), np.bool_)
    order = epoch_order(seed, _NO_EPOCH, len(strata))
    for stratum in np.unique(strata):
        members = order[strata[order] == stratum]
        chosen[members[: min(round(fraction * len(members)), len(members) - 1)]] = True
    if not chosen.any():
        raise ValueError(
            f"A validation_fraction of {fraction} holds out none of {len(strata):,} graphs. Increase it, or pass an "
            "eval_set."
        )
    return chosen


class PreparedGraphs:
    """Graphs prepared for an engine, with a checksum that is computed only on demand.

    Parameters
    ----------
    engine, code
        The engine, and the code of the symbols.
    batch
        The graphs, numbered as the code is.
    parts
        Further parts of the checksum, such as targets.
    checksum
        Whether the checksum will be needed. If False, it can still be computed, but the graphs are encoded again.
    watch
        Passed to :func:`graphtm.codes.encode`.
    """

    def __init__(
        self,
        engine: Engine,
        batch: GraphBatch,
        code: Code,
        parts: Sequence[Any],
        *,
        checksum: bool,
        watch: Callable[[PackedGraphs], None] | None = None,
    ) -> None:
        encoded = encode(batch, code, watch)
        self._known = fingerprint(encoded, *parts) if checksum else None
        self._compute: Callable[[], int] = lambda: fingerprint(encode(batch, code), *parts)
        self.graphs = engine.prepare(encoded)

    def checksum(self) -> int:
        """Return the checksum."""
        if self._known is None:
            self._known = self._compute()
        return self._known


def fingerprint(*parts: Any) -> int:
    """Return a checksum of arrays, numbers and dataclasses of these."""
    check = 0
    for part in parts:
        if is_dataclass(part) and not isinstance(part, type):
            check = zlib.crc32(str(fingerprint(*(getattr(part, field.name) for field in fields(part)))).encode(), check)
        elif isinstance(part, np.ndarray):
            check = zlib.crc32(f"{part.dtype.str}{part.shape}".encode(), check)
            check = zlib.crc32(np.ascontiguousarray(part).data.cast("B") if part.size else b"", check)
        else:
            check = zlib.crc32(repr(part).encode(), check)
    return check
