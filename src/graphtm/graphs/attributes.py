"""Attributes of nodes and edges as symbols and types, in the same way for all converters.

An attribute ``atom`` with the value ``"C"`` becomes the symbol ``("atom", "C")``; a list becomes one symbol per item; a
Boolean becomes the symbol ``"atom"`` if it is true, since clauses can negate it. Floats must be divided into bins
first. The attribute ``properties`` holds symbols directly. None, NaN and pandas' NA are missing values, also in lists:
they give no symbol, and for an edge the type ``"plain"``. Attributes that are neither used nor ignored raise an error.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np

from graphtm.errors import GraphError, GraphFormatError, GraphTMError
from graphtm.foundation.names import Name, as_list, in_order, is_missing, normalize_name, saved_name, shorten
from graphtm.graphs.vocabulary import PLAIN

PROPERTIES = "properties"

BOOLEANISE = "Divide floats into bins first (bins=4 of the converters does), or convert whole numbers to integers"


def symbols_of_mapping(attributes: Mapping[Any, Any], where: str) -> list[Name]:
    """Return the symbols of a node from a mapping of attributes; ``where`` describes the node in error messages.

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
        Name of the attribute.
    value
        Value of the attribute.
    plain
        Whether the value is a symbol, or a list of symbols; if not, symbols are ``(attribute, value)``.
    where
        Description of the node, for error messages.

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
    """Refuse floats, which cannot be names."""
    for value in values:
        if isinstance(value, float | np.floating):
            raise GraphError(
                f"Symbols and types must be strings, integers or Booleans; {attribute!r} of {where} is "
                f"{float(value)!r}. {BOOLEANISE}."
            )


def saved_name_at(name: object, where: str, kind: str = "symbol") -> Name:
    """Return the name of a symbol or type as plain Python; error messages start with ``where``."""
    try:
        return saved_name(name, kind)
    except GraphError as error:
        raise _at(where, error) from None


def node_name_at(name: object, where: str) -> Name:
    """Return the name of a node as plain Python; error messages start with ``where``."""
    try:
        return normalize_name(name)
    except GraphError as error:
        raise _at(where, error) from None


def _at(where: str, error: GraphError) -> GraphError:
    return GraphError(f"{where[0].upper()}{where[1:]}: {error}")


def _items(value: object) -> Sequence[Any] | None:
    """Return the items of a list, tuple, set or array, or None if the value is something else."""
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, Set):
        return as_list(value)
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim == 1 else None


MISSING = ("error", "drop", "symbol")
"""What to do with missing attributes of nodes."""


def check_missing(missing: object, function: str) -> None:
    """Refuse an invalid ``missing`` parameter."""
    if missing not in MISSING:
        raise ValueError(
            f"The 'missing' parameter of {function} must be a str among {{{', '.join(map(repr, MISSING))}}}. Got "
            f"{missing!r} instead."
        )


def refuse_two_labels(label: object, node_label: object, function: str) -> None:
    """Refuse labels of graphs and of nodes at the same time."""
    if label is not None and node_label is not None:
        raise ValueError(
            f"Either 'label' (of graphs) or 'node_label' (of nodes) must be None in {function}. Got {label!r} and "
            f"{node_label!r} instead."
        )


def edge_attributes(edge_type: Any, function: str) -> tuple[bool, list[Any]]:
    """Return whether the ``edge_type`` parameter is a list, and the attributes that it names."""
    several = isinstance(edge_type, list)
    names = list(edge_type) if several else [edge_type]
    for name in names:
        check_one_name(name, "edge_type", function, "one name, a list of names, or None")
    if several and (not names or None in names or len(set(names)) < len(names)):
        raise ValueError(
            f"The 'edge_type' parameter of {function} must be one name, a list of distinct names, or None. Got "
            f"{edge_type!r} instead."
        )
    return several, [name for name in names if name is not None]


TYPE = "type"
READOUT = "readout"
LABEL = "label"


def edge_type_from(attribute: Name, value: object, where: str) -> Name:
    """Return the type of an edge from an attribute; a missing value gives ``"plain"``."""
    if type(value) is str:
        return value
    if is_missing(value):
        return PLAIN
    refuse_floats(attribute, [value], where)
    return saved_name_at(value, f"attribute {attribute!r} of {where}", "edge type")


def node_type_from(attribute: Name, value: object, where: str) -> Name:
    """Return the type of a node from an attribute; a missing value gives ``None``."""
    if is_missing(value):
        return None
    refuse_floats(attribute, [value], where)
    return saved_name_at(value, f"attribute {attribute!r} of {where}", "node type")


def symbols_in_file(attribute: str, value: object, where: str) -> list[Name]:
    """Return the symbols of an attribute in a file; error messages suggest to ignore it."""
    try:
        return symbols_from(attribute, value, False, where)
    except GraphError as error:
        raise GraphFormatError(f"{error} Or pass ignore=[{attribute!r}].") from None


def refuse_unused(
    names: Iterable[Hashable], what: str, advice: str, owner: str = "", error: type[GraphTMError] = GraphError
) -> None:
    """Refuse attributes or columns that are neither used nor ignored.

    Parameters
    ----------
    names
        Names of the unused attributes; may be empty.
    what
        What they are, in the singular: ``"Edge attribute"``.
    advice
        How to use them, such as ``"pass edge_type={name}"``. ``{name}`` becomes the name, or "..." if there are
        several; ``{names}`` becomes the list of names; ``{it}`` becomes "it" or "them".
    owner
        What has them, if it is not clear from ``what``: ``" of the nodes"``.
    error
        The error to raise.
    """
    left = list(names)
    if left:
        several = len(left) > 1
        advice = advice.format(
            name="..." if several else repr(left[0]), names=repr(left), it="them" if several else "it"
        )
        raise error(
            f"{what}{'s' * several} {', '.join(map(repr, left))}{owner} {'are' if several else 'is'} not used: "
            f"{advice}, or {'' if advice.startswith('pass ') else 'pass '}ignore={left!r}."
        )


def is_true(value: object, attribute: str, where: str) -> bool:
    """Return a Boolean attribute; other values are refused."""
    if not isinstance(value, bool | np.bool_):
        raise GraphError(f"Attribute {attribute!r} of {where} must be True or False; got {value!r}.")
    return bool(value)


def ignored(names: Iterable[Hashable], function: str) -> frozenset[Hashable]:
    """Return the names given by the ``ignore`` parameter."""
    return frozenset(chosen(names, "ignore", function))


def refuse_both(out: frozenset[Hashable], asked: Iterable[Hashable], function: str) -> None:
    """Refuse to ignore what another parameter uses."""
    for name in asked:
        if name in out:
            raise ValueError(
                f"The 'ignore' parameter of {function} must not list names that another parameter uses. Got {name!r} "
                "instead."
            )


def refuse_strange(
    out: frozenset[Hashable], there: Iterable[Hashable], what: str, function: str, known: Iterable[Hashable] = ()
) -> None:
    """Refuse to ignore what does not exist, which is probably a typo.

    Parameters
    ----------
    out
        Names to ignore.
    there
        Names in the data.
    what
        What may be listed: ``"attributes of nodes or edges"``.
    function
        Name of the function, for the error message.
    known
        Names that are always accepted, so that the same call works for datasets with and without them.
    """
    has = list(dict.fromkeys(there))
    strange = in_order(out.difference(has, known))
    if strange:
        texts = [name for name in has if isinstance(name, str)]
        near = [match for name in strange for match in difflib.get_close_matches(str(name), texts, n=1)]
        hint = f" Did you mean {', '.join(map(repr, dict.fromkeys(near)))}?" if near else ""
        raise ValueError(
            f"The 'ignore' parameter of {function} must list {what}: {shorten(has, 20) or 'there are none'}. "
            f"Got {', '.join(map(repr, strange))} instead.{hint}"
        )


def chosen(names: Iterable[Any], parameter: str, function: str, must: str = "a list of names") -> list[Any]:
    """Return a list of names given by a parameter; names in a set are sorted, a single string is refused."""
    if isinstance(names, str | bytes | Mapping) or not isinstance(names, Iterable):
        raise TypeError(f"The {parameter!r} parameter of {function} must be {must}. Got {names!r} instead.")
    listed = as_list(names)
    for name in listed:
        check_one_name(name, parameter, function, must)
    return listed


def check_one_name(name: object, parameter: str, function: str, must: str = "one name, or None") -> None:
    """Refuse a list in place of a single name."""
    try:
        hash(name)
    except TypeError:
        raise TypeError(f"The {parameter!r} parameter of {function} must be {must}. Got {name!r} instead.") from None
