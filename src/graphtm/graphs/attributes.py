"""How attributes become symbols: one rule for every source that has attributes.

An attribute ``atom`` with the value ``"C"`` gives the symbol ``("atom", "C")``; a list gives one symbol per item; a
Boolean gives the symbol ``"atom"`` where it is true, since clauses can negate it. Numbers with a fraction are
measurements, which have to be cut into bins first. The attribute ``properties`` holds symbols as they are. None, NaN
and the NA of pandas are missing values, within lists too: no symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from graphtm.errors import GraphError
from graphtm.foundation.names import Name, in_order, is_missing, normalize_name, saved_name

PROPERTIES = "properties"

BOOLEANISE = "Cut measurements into bins first (graphtm.encoders.Table does); write whole numbers as integers"


def symbols_of_mapping(attributes: Mapping[Any, Any], where: str) -> list[Name]:
    """Return the symbols of a node whose attributes are given as a mapping; ``where`` is the node in words.

    Raises
    ------
    GraphError
        If a value cannot be a symbol.
    """
    return [
        symbol
        for attribute, value in attributes.items()
        for symbol in symbols_from(attribute, value, attribute == PROPERTIES, where)
    ]


def symbols_from(attribute: Name, value: object, plain: bool, where: str) -> list[Name]:
    """Return the symbols of one attribute of a node.

    Parameters
    ----------
    attribute
        The attribute's name.
    value
        Its value.
    plain
        Whether the value holds symbols as they are, not values to be named after the attribute.
    where
        The node in words, for messages.

    Raises
    ------
    GraphError
        If the value cannot be a symbol.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return []
    if isinstance(value, bool) and not plain:
        return [saved_name(attribute)] if value else []
    listed = _items(value)
    items = [value] if listed is None else [item for item in listed if not is_missing(item)]
    refuse_floats(attribute, items, where)
    try:
        return [saved_name(item if plain else (attribute, item)) for item in items]
    except GraphError as error:
        raise _at(f"attribute {attribute!r} of {where}", error) from None


def refuse_floats(attribute: Name, values: Iterable[object], where: str) -> None:
    """Refuse numbers with a fraction, which are no names."""
    for value in values:
        if isinstance(value, float | np.floating):
            raise GraphError(
                f"An attribute must hold names, whole numbers or Booleans to become symbols or types; {attribute!r} "
                f"of {where} is {float(value)!r}. {BOOLEANISE}."
            )


def saved_name_at(name: object, where: str, kind: str = "symbol") -> Name:
    """Return the name of a symbol or type as plain Python; if it cannot be one, the message says where it stands."""
    try:
        return saved_name(name, kind)
    except GraphError as error:
        raise _at(where, error) from None


def node_name_at(name: object, where: str) -> Name:
    """Return the name of a node as plain Python; if it cannot be one, the message says where it stands."""
    try:
        return normalize_name(name)
    except GraphError as error:
        raise _at(where, error) from None


def _at(where: str, error: GraphError) -> GraphError:
    return GraphError(f"{where[0].upper()}{where[1:]}: {error}")


def _items(value: object) -> Sequence[Any] | None:
    """Return the items of a list of any kind, or None where the value is no list."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, Set):
        return in_order(value)
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else None
