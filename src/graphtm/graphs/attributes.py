"""How attributes become symbols: one rule for every source that has attributes.

An attribute ``atom`` with the value ``"C"`` gives the symbol ``("atom", "C")``; a list gives one symbol per item; a
Boolean gives the symbol ``"atom"`` where it is true, since clauses can negate it. Numbers with a fraction are
measurements, which have to be cut into bins first. The attribute ``properties`` holds symbols as they are. None, NaN
and the NA of pandas are missing values, within lists too: no symbol.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from graphtm.errors import GraphError, GraphFormatError, GraphTMError
from graphtm.foundation.names import Name, in_order, is_missing, normalize_name, saved_name, shorten
from graphtm.graphs.vocabulary import PLAIN

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


TYPE = "type"
READOUT = "readout"
LABEL = "label"


def edge_type_from(attribute: Name, value: object, where: str) -> Name:
    """Return the type of an edge whose attribute holds ``value``; a missing one is ``"plain"``."""
    if type(value) is str:
        return value
    if is_missing(value):
        return PLAIN
    refuse_floats(attribute, [value], where)
    return saved_name_at(value, f"attribute {attribute!r} of {where}", "edge type")


def node_type_from(attribute: Name, value: object, where: str) -> Name:
    """Return the type of a node whose attribute holds ``value``; a missing one is ``None``."""
    if is_missing(value):
        return None
    refuse_floats(attribute, [value], where)
    return saved_name_at(value, f"attribute {attribute!r} of {where}", "node type")


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


def refuse_strange(
    out: frozenset[Hashable], there: Iterable[Hashable], what: str, function: str, known: Iterable[Hashable] = ()
) -> None:
    """Refuse to leave out what is not there, which is a slip of the pen.

    Parameters
    ----------
    out
        The names to leave out.
    there
        The names that the data has.
    what
        What may be listed, in words: ``"attributes that nodes or edges have"``.
    function
        The function, for the message.
    known
        Names that the function reads by itself. One setting may serve many datasets, not all of which have them.
    """
    has = list(dict.fromkeys(there))
    strange = in_order(out.difference(has, known))
    if strange:
        texts = [name for name in has if isinstance(name, str)]
        near = [match for name in strange for match in difflib.get_close_matches(str(name), texts, n=1)]
        hint = f" Did you mean {', '.join(map(repr, dict.fromkeys(near)))}?" if near else ""
        raise ValueError(
            f"The 'ignore' parameter of {function} must list {what}: {shorten(has, 20) or 'they have none'}. "
            f"Got {', '.join(map(repr, strange))} instead.{hint}"
        )


def chosen(names: Iterable[Any], parameter: str, function: str, must: str = "a list of names") -> list[Any]:
    """Return names that a user listed, those of a set in order, refusing one string where a list is meant."""
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
        raise TypeError(f"The {parameter!r} parameter of {function} must be {must}. Got {names!r} instead.")
    listed = in_order(names) if isinstance(names, Set) else list(names)
    for name in listed:
        check_one_name(name, parameter, function, must)
    return listed


def check_one_name(name: object, parameter: str, function: str, must: str = "one name, or None") -> None:
    """Refuse a list where the name of an attribute or column is meant."""
    try:
        hash(name)
    except TypeError:
        raise TypeError(f"The {parameter!r} parameter of {function} must be {must}. Got {name!r} instead.") from None
