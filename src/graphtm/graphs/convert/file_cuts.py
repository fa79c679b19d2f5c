"""Numbers in files of graphs: their cuts are found before the graphs are made."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from graphtm.errors import GraphError, GraphFormatError
from graphtm.foundation.names import Name, is_missing
from graphtm.foundation.parameters import is_number
from graphtm.graphs.attributes import PROPERTIES, TYPE, edge_type_from, symbols_in_file
from graphtm.graphs.batch import GraphBatch
from graphtm.graphs.bins import Binning, Cuts, Numbers, Owner, edge_cuts
from graphtm.graphs.convert.collect import with_declared
from graphtm.graphs.other_values import Values


class FileCuts:
    """The cuts of the attributes in a file, which is read twice: for its numbers, and for its graphs.

    Parameters
    ----------
    bins
        As for converters.
    function
        Name of the converter, for error messages.
    """

    def __init__(self, bins: Any, function: str) -> None:
        self._binning = Binning(bins, function)
        self._values: dict[Owner, dict[str, list[object]]] = {"node": {}, "edge": {}}
        # Where values that are not numbers occur first.
        self._first: dict[tuple[Owner, str, object], str] = {}
        self._counts: dict[Owner, int] = {"node": 0, "edge": 0}
        self._has_properties = False
        # Cuts and their names, by attribute.
        self._nodes: dict[str, tuple[Cuts, list[Name]]] = {}
        self._edges: dict[str, tuple[Cuts, list[Name]]] = {}

    @property
    def are_wanted(self) -> bool:
        """Whether numbers are divided into bins, so that the file must be read twice."""
        return not self._binning.is_none

    def note(self, owner: Owner, attributes: Mapping[str, object], where: str) -> None:
        """Remember the attributes of a node, or the type of an edge."""
        self._counts[owner] += 1
        for name, value in attributes.items():
            if name == PROPERTIES:
                self._has_properties = True
                continue
            if is_missing(value):
                continue
            value = tuple(value) if isinstance(value, list) else value
            self._values[owner].setdefault(name, []).append(value)
            if isinstance(value, str) and (owner, name, value) not in self._first:
                self._first[owner, name, value] = where

    def learn(self) -> None:
        """Find the cuts in what was remembered.

        Raises
        ------
        GraphFormatError
            If attributes that are to be divided do not have numbers, or floats have no cuts.
        """
        owners: tuple[tuple[Owner, dict[str, tuple[Cuts, list[Name]]]], ...] = (
            ("node", self._nodes),
            ("edge", self._edges),
        )
        try:
            for owner, found in owners:
                for name, values in self._values[owner].items():
                    cuts = self._cuts(owner, name, values)
                    if cuts is not None:
                        found[name] = cuts, cuts.symbols() if owner == "node" else cuts.intervals()
        except GraphError as error:
            raise GraphFormatError(str(error)) from None
        self._binning.refuse_unknown()
        self._values = {"node": {}, "edge": {}}

    def _cuts(self, owner: Owner, name: str, values: list[object]) -> Cuts | None:
        def where(place: int) -> str:
            return self._first.get((owner, name, values[place]), f"one of the {owner}s")

        if owner == "edge" and any(isinstance(value, tuple) for value in values):
            return None  # names of bins already
        return self._binning.cuts(name, owner, Numbers.read(values), lambda: Values.read(values, where))

    def symbols(self, attribute: str, value: object, where: str) -> list[Name]:
        """Return the symbols of an attribute of a node."""
        if attribute not in self._nodes or not is_number(value):
            return symbols_in_file(attribute, value, where)
        cuts, names = self._nodes[attribute]
        return names[: int(np.searchsorted(cuts.values, float(value), side="right"))]

    def edge_type(self, value: object, where: str) -> Name:
        """Return the type of an edge from its attribute ``type``."""
        if TYPE not in self._edges or not is_number(value):
            return edge_type_from(TYPE, value, where)
        cuts, names = self._edges[TYPE]
        return names[int(np.searchsorted(cuts.values, float(value), side="right"))]

    def finished(self, batch: GraphBatch, without: Collection[object]) -> GraphBatch:
        """Return the batch with the symbols of all cuts, after checking that all cuts of the training batch are used.

        A file whose nodes have ``properties`` may have the symbols of the cuts themselves.

        Raises
        ------
        GraphFormatError
            If some are not.
        """
        if not self.are_wanted:
            return batch
        given: dict[Owner, Collection[object]] = {"node": (), "edge": edge_cuts(batch.vocabulary)}
        try:
            for owner, known in given.items():
                unused = [one for one in self._binning.unused(owner) if one not in without and one not in known]
                if self._counts[owner] and not (owner == "node" and self._has_properties):
                    self._binning.refuse_unused(owner, unused)
        except GraphError as error:
            raise GraphFormatError(str(error)) from None
        return with_declared(batch, [symbol for _, names in self._nodes.values() for symbol in names])
