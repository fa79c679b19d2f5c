"""Weights of symbols, as rules and explanations give them: what encoders turn back into pictures."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from graphtm.explain import Literal
from graphtm.foundation.numbering import Names

Weights: TypeAlias = Mapping[Hashable, float] | Sequence[Literal]
"""A weight per symbol; or literals of a rule's first layer."""


def are_of_symbols(weights: Any) -> TypeGuard[Weights]:
    """Whether weights are a mapping or literals, also none at all."""
    literals = isinstance(weights, list | tuple) and all(isinstance(item, Literal) for item in weights)
    return literals or isinstance(weights, Mapping)


def symbol_weights(weights: Any, symbols: Names) -> NDArray[np.float64]:
    """Return a weight for every symbol, in the order of the symbols; those that are not mentioned weigh 0.

    Parameters
    ----------
    weights
        A mapping from symbols to numbers. Or literals of a rule about the node itself, ``rule.layers[0]``, which weigh
        1, or -1 where negated; symbols that share the bit of a literal share that.
    symbols
        The encoder's symbols.

    Raises
    ------
    UnknownSymbolError
        If a symbol is not one of the encoder's.
    ValueError
        If a literal is about messages: these are about other nodes.
    TypeError
        If these are neither, or a weight is no number.

    Examples
    --------
    >>> symbol_weights({"b": 2.5}, Names(["a", "b"]))
    array([0. , 2.5])
    >>> symbol_weights([Literal(0, True, ("a",)), Literal(0, False, ("b",))], Names(["a", "b"]))
    array([-1.,  1.])
    """
    if not are_of_symbols(weights):
        raise TypeError(
            "The weights to render must be literals of a rule, `rule.layers[0]`, or a mapping from symbols to numbers; "
            f"got a {type(weights).__name__!r}."
        )
    result = np.zeros(len(symbols))
    for symbol, weight in weights.items() if isinstance(weights, Mapping) else _weighed(weights):
        if not isinstance(weight, Real | np.bool_):
            raise TypeError(f"The weights to render must be numbers; got {weight!r} for the symbol {symbol!r}.")
        result[symbols.index(symbol)] += weight
    return result


def _weighed(literals: Sequence[Literal]) -> Iterator[tuple[Hashable, float]]:
    """Yield the symbols of literals with what they weigh."""
    for literal in literals:
        if literal.layer:
            raise ValueError(
                "The literals to render must be about symbols of the node itself, `rule.layers[0]`; got "
                f"{str(literal)!r}, which is about messages, of layer {literal.layer}."
            )
        for owner in literal.owners:
            yield owner, (-1.0 if literal.negated else 1.0) / len(literal.owners)


def heaviest(weights: Any, symbols: Names) -> list[tuple[Hashable, float]]:
    """Return the symbols that weigh something, the heaviest first, equal ones in the order of their numbers."""
    values = symbol_weights(weights, symbols)
    order = np.argsort(-values, kind="stable")
    return [(symbols[int(number)], float(values[number])) for number in order if values[number]]
