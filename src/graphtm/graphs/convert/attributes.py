"""How the attributes of a node become its symbols: one rule for every source that has attributes.

An attribute ``atom`` with the value ``"C"`` gives the symbol ``("atom", "C")``; a list gives one symbol per item; a
Boolean gives the symbol ``"atom"`` where it is true, since clauses can negate it; a missing value gives none. Numbers
with a fraction are measurements, which have to be cut into bins first. The attribute ``properties`` holds symbols as
they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from graphtm.errors import GraphError, GraphFormatError
from graphtm.graphs.names import Name, normalize_name

PROPERTIES = "properties"
TYPE = "type"
READOUT = "readout"
LABEL = "label"

BOOLEANISE = "Cut measurements into bins first (graphtm.encoders.Table does); write whole numbers as integers"


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
    if value is None or (isinstance(value, float) and value != value):
        return []
    if isinstance(value, bool) and not plain:
        return [attribute] if value else []
    items = _items(value)
    if items is None:
        items = [value]
    # A list of symbols may well hold 0.5, which is a name like any other; a number on its own is a measurement.
    if not plain or items == [value]:
        refuse_floats(attribute, items, where)
    if not plain:
        items = [(attribute, item) for item in items]
    return [name_at(item, f"attribute {attribute!r} of {where}") for item in items]


def refuse_floats(attribute: Name, values: Iterable[object], where: str) -> None:
    """Refuse numbers with a fraction, which are no names."""
    for value in values:
        if isinstance(value, float | np.floating):
            raise GraphError(
                f"An attribute must hold names, whole numbers or Booleans to become symbols; {attribute!r} of {where} "
                f"is {float(value)!r}. {BOOLEANISE}."
            )


def symbols_in_file(attribute: str, value: object, where: str) -> list[Name]:
    """Return the symbols of an attribute that was found in a file, where it was not chosen but can be left out."""
    try:
        return symbols_from(attribute, value, False, where)
    except GraphError as error:
        raise GraphFormatError(f"{error} Or leave it out: ignore=[{attribute!r}].") from None


def refuse_edge_attributes(attributes: Iterable[str], source: Name, destination: Name) -> None:
    """Refuse what a file says of an edge beyond its type."""
    for attribute in sorted(attributes):
        raise GraphFormatError(
            f"An edge must have no attribute but its 'type'; {source!r} -> {destination!r} has {attribute!r}. "
            f"Leave it out, ignore=[{attribute!r}], or make it the type."
        )


def name_at(name: object, where: str) -> Name:
    """Return a name as plain Python; if it cannot be one, the message says where it stands."""
    try:
        return normalize_name(name)
    except GraphError as error:
        raise GraphError(f"{where[0].upper()}{where[1:]}: {error}") from None


def is_true(value: object, attribute: str, where: str) -> bool:
    """Return a Boolean attribute, refusing anything else."""
    if not isinstance(value, bool | np.bool_):
        raise GraphError(f"The attribute {attribute!r} of {where} must be True or False; got {value!r}.")
    return bool(value)


def chosen(names: Iterable[str] | str, parameter: str, function: str) -> list[str]:
    """Return names that a user listed, refusing one string where a list is meant."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"The {parameter!r} parameter of {function} must be a list of names. Got {names!r} instead.")
    return list(names)


def _items(value: object) -> Sequence[Any] | None:
    """Return the items of a list of any kind, or None where the value is no list."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, set | frozenset):
        # In the same order in every process, which the order of a set of strings is not.
        return sorted(value, key=lambda item: (type(item).__name__, repr(item)))
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else None
