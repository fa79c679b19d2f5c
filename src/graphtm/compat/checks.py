"""Checks of what scripts pass to the methods that build graphs."""

from __future__ import annotations

from typing import Any

from graphtm.errors import GraphError

MOST = 2**32 - 1
"""Largest number of nodes of a graph, and of edges from a node: what 32 bits can hold."""


def whole(number: Any) -> int | None:
    """Return a number without fraction as an int: numbers that scripts take from arrays may be floats, for instance."""
    try:
        found = int(number)
        return found if found == number else None
    except (TypeError, ValueError, OverflowError):
        return None


def number_of_edges(given: object, graph_id: object, node_name: object) -> int:
    """Return how many edges a node will have, or say what is wrong with the number."""
    number = whole(given)
    if number is None or not 0 <= number <= MOST:
        raise GraphError(
            f"number_of_outgoing_edges must be an int from 0 to {MOST:,}; got {given!r} for "
            f"{described(graph_id, node_name)}."
        )
    return number


def described(graph_id: object, node_name: object) -> str:
    """Return which node of which graph is meant, for error messages."""
    return f"node {node_name!r} of graph {graph_id!r}"


def check_hashable(name: object, what: str, graph_id: object, node_name: object) -> None:
    """Refuse names that cannot be keys of a dictionary."""
    try:
        hash(name)
    except TypeError:
        raise GraphError(
            f"{what} must be hashable, such as a string or a number; got {name!r} for {described(graph_id, node_name)}."
        ) from None
