"""How attributes become symbols and types: one rule for every source that has attributes.

An attribute ``atom`` with the value ``"C"`` gives the symbol ``("atom", "C")``; a list gives one symbol per item; a
Boolean gives the symbol ``"atom"`` where it is true, since clauses can negate it. Numbers with a fraction are
measurements, which have to be cut into bins first. The attribute ``properties`` holds symbols as they are. None, NaN
and the NA of pandas are missing values, within lists too: no symbol, and for an edge the type ``"plain"``. What is
there and neither chosen nor ignored is refused.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from graphtm.errors import GraphError, GraphFormatError, GraphTMError
from graphtm.graphs.graph import Graph
from graphtm.graphs.names import Name, in_order, is_missing, normalize_name
from graphtm.graphs.vocabulary import PLAIN

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
    if is_missing(value):
        return []
    if isinstance(value, bool) and not plain:
        return [attribute] if value else []
    listed = _items(value)
    items = [value] if listed is None else [item for item in listed if not is_missing(item)]
    # A list of symbols may well hold 0.5, which is a name like any other; a number on its own is a measurement.
    if not plain or listed is None:
        refuse_floats(attribute, items, where)
    if not plain:
        items = [(attribute, item) for item in items]
    return [name_at(item, f"attribute {attribute!r} of {where}") for item in items]


def edge_type_from(value: object, where: str) -> Name:
    """Return the type of an edge whose attribute holds ``value``; a missing one is ``"plain"``."""
    return PLAIN if is_missing(value) else name_at(value, where)


def refuse_none(graph: Graph, number: int, form: str) -> None:
    """Refuse to write a symbol or edge type that would be read back as a missing value."""
    for what, names in (("symbol", [name for each in graph._properties for name in each]), ("type", graph._edge_types)):
        if any(name is None for name in names):
            raise GraphError(
                f"A symbol or edge type must not be None, which stands for a missing value in {form}; graph {number} "
                f"has a {what} None. Rename it first."
            )


def refuse_floats(attribute: Name, values: Iterable[object], where: str) -> None:
    """Refuse numbers with a fraction, which are no names."""
    for value in values:
        if isinstance(value, float | np.floating):
            raise GraphError(
                f"An attribute must hold names, whole numbers or Booleans to become symbols or types; {attribute!r} "
                f"of {where} is {float(value)!r}. {BOOLEANISE}."
            )


def symbols_in_file(attribute: str, value: object, where: str) -> list[Name]:
    """Return the symbols of an attribute that was found in a file, where it was not chosen but can be left out."""
    try:
        return symbols_from(attribute, value, False, where)
    except GraphError as error:
        raise GraphFormatError(f"{error} Or leave it out: ignore=[{attribute!r}].") from None


def refuse_unchosen(names: Iterable[Hashable], whose: str, advice: str, error: type[GraphTMError] = GraphError) -> None:
    """Refuse attributes or columns that are there and that nobody chose to read or to leave out.

    Parameters
    ----------
    names
        Their names; none at all is fine.
    whose
        What has them, with its verb: ``"the edges have"``.
    advice
        How to choose them, as the beginning of a sentence.
    error
        The error to raise.
    """
    left = list(names)
    if left:
        raise error(
            f"What is there must be read or left out on purpose; {whose} {', '.join(map(repr, left))}. {advice}, or "
            f"leave out what is not needed: ignore={left!r}."
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


def ignored(names: Iterable[Hashable], function: str) -> frozenset[Hashable]:
    """Return the names that a user listed to be left out."""
    return frozenset(chosen(names, "ignore", function))


def refuse_both(out: frozenset[Hashable], asked: Iterable[Hashable], function: str) -> None:
    """Refuse to leave out what another parameter asks for."""
    for name in asked:
        if name in out:
            raise ValueError(
                f"The 'ignore' parameter of {function} must not list what another parameter asks for. Got {name!r}, "
                "which one does."
            )


def chosen(names: Iterable[Any], parameter: str, function: str) -> list[Any]:
    """Return names that a user listed, refusing one string where a list is meant."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise TypeError(f"The {parameter!r} parameter of {function} must be a list of names. Got {names!r} instead.")
    return list(names)


def _items(value: object) -> Sequence[Any] | None:
    """Return the items of a list of any kind, or None where the value is no list."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, set | frozenset):
        return in_order(value)
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else None
