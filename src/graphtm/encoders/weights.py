"""Weights of symbols, as rules and explanations give them: what encoders turn back into pictures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.graphs.names import Names


def symbol_weights(weights: Any, symbols: Names) -> NDArray[np.float64]:
    """Return a mapping from symbols to weights as an array in the order of the symbols; the others weigh 0.

    Raises
    ------
    TypeError
        If it is no mapping.
    UnknownSymbolError
        If a symbol is not one of the encoder's.
    """
    if not isinstance(weights, Mapping):
        raise TypeError(
            f"The weights to render must be a mapping from symbols to numbers; got a {type(weights).__name__!r}."
        )
    result = np.zeros(len(symbols))
    for symbol, weight in weights.items():
        result[symbols.index(symbol)] = weight
    return result


def heaviest(weights: Any, symbols: Names) -> list[tuple[Hashable, float]]:
    """Return the symbols that weigh something, the heaviest first, equal ones in the order of their numbers."""
    values = symbol_weights(weights, symbols)
    order = np.argsort(-values, kind="stable")
    return [(symbols[int(number)], float(values[number])) for number in order if values[number]]
