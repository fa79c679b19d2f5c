"""Columns of data frames: their names, what is done with them, and checks that report all problems at once."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from graphtm.errors import GraphError
from graphtm.foundation.frames import BOOLEAN, FLOAT, LIST, NAME, Library
from graphtm.graphs.attributes import BOOLEANISE, refuse_strange, refuse_unused

_MOST = 10
"""Number of columns that messages list."""


@dataclass(frozen=True)
class FrameColumns:
    """Names of the columns; see :func:`graphtm.from_pandas`."""

    graph: Hashable | None
    node: Hashable
    symbols: Any
    type: Hashable | None
    source: Hashable
    destination: Hashable
    edge_type: Any
    label: Hashable | None
    node_label: Hashable | None
    ignore: Iterable[Hashable]

    def single(self) -> list[tuple[Hashable | None, str]]:
        """Return the names of single columns, with the parameter that gives each."""
        several = ("symbols", "edge_type", "ignore")
        return [(getattr(self, field.name), field.name) for field in fields(self) if field.name not in several]

    @property
    def of_nodes(self) -> tuple[Hashable, ...]:
        """Columns of the nodes, except those of symbols and of labels of graphs."""
        return self.graph, self.node, self.type, self.node_label

    @property
    def edge_attributes(self) -> list[Hashable]:
        """Columns of the edges that give their types."""
        if isinstance(self.edge_type, list):
            return self.edge_type
        return [] if self.edge_type is None else [self.edge_type]

    @property
    def of_edges(self) -> tuple[Hashable, ...]:
        """Columns of the edges."""
        return self.graph, self.source, self.destination, *self.edge_attributes

    @property
    def asked(self) -> frozenset[Hashable]:
        """All columns that a parameter names, also those to ignore."""
        symbols = self.symbols if isinstance(self.symbols, list) else [self.symbols]
        return frozenset([*(name for name, _ in self.single()), *symbols, *self.edge_attributes, *self.ignore])


@dataclass(frozen=True)
class FrameOptions:
    """Other parameters; see :func:`graphtm.from_pandas`. ``function`` is the name of the converter."""

    function: str
    bins: Any
    missing: str
    directed: bool


class FrameChecks:
    """Checks of the columns of two data frames.

    Parameters
    ----------
    library
        Library of the data frames.
    columns
        Names of the columns.
    carried
        Names of the columns with symbols, and whether their values are symbols themselves.
    binned
        Frames and names of the columns that are divided into bins.
    ignored
        Names of the columns to ignore.
    frames
        The data frames by name: nodes, edges and graphs; the last two may be absent.
    function
        Name of the converter, for error messages.
    """

    def __init__(
        self,
        library: Library,
        columns: FrameColumns,
        carried: list[tuple[Hashable, bool]],
        binned: Collection[tuple[str, Hashable]],
        ignored: frozenset[Hashable],
        frames: Mapping[str, Any],
        function: str,
    ) -> None:
        self._library, self._columns, self._carried, self._ignored = library, columns, carried, ignored
        self._binned, self._frames, self._function = binned, frames, function

    def check(self) -> None:
        """Check all columns.

        Raises
        ------
        GraphError
            If a column is missing, is neither used nor ignored, or has values that cannot be names.
        ValueError
            If an ignored column does not exist.
        """
        there = [name for frame in self._frames.values() for name in self._library.names(frame)]
        refuse_strange(self._ignored, there, "columns of the nodes or edges", self._function)
        problems = [*self._absent(), *self._unchosen(), *self._no_names()]
        if len(problems) == 1:
            raise GraphError(problems[0])
        if problems:
            lines = "\n".join(f"- {problem}" for problem in problems)
            raise GraphError(f"There are {len(problems)} problems with the columns:\n{lines}")

    def _wanted(self) -> Iterator[tuple[str, Hashable, str]]:
        """Yield the frame, name and parameter of each column, except labels and symbols."""
        columns = self._columns
        for what in self._frames:
            own: dict[str, list[tuple[Hashable, str]]] = {
                "nodes": [(columns.node, "node"), (columns.type, "type")],
                "edges": [
                    (columns.source, "source"),
                    (columns.destination, "destination"),
                    *((name, "edge_type") for name in columns.edge_attributes),
                ],
                "graphs": [],
            }
            for name, parameter in ((columns.graph, "graph"), *own[what]):
                if name is not None:
                    yield what, name, parameter

    def _absent(self) -> Iterator[str]:
        symbols = [("nodes", name, "symbols") for name, _ in self._carried]
        for what, name, parameter in (*self._wanted(), *self._labels(), *symbols):
            there = self._library.names(self._frames[what])
            if name not in there:
                advice = f"If it has another name, pass {parameter}=NAME."
                advice = "Correct symbols." if parameter == "symbols" else advice
                yield f"The {what} have no column {name!r} (columns: {_listed(there)}). {advice}"
            elif there.count(name) > 1:
                yield f"The {what} have more than one column {name!r}. Rename the others."

    def _labels(self) -> list[tuple[str, Hashable, str]]:
        """Return the frame, name and parameter of each column of labels."""
        labels = [(self._labelled, self._columns.label, "label"), ("nodes", self._columns.node_label, "node_label")]
        return [one for one in labels if one[1] is not None]

    def _unchosen(self) -> Iterator[str]:
        read = {"nodes": {*self._columns.of_nodes, *(name for name, _ in self._carried)}}
        read |= {"edges": {*self._columns.of_edges}, "graphs": {self._columns.graph}}
        read[self._labelled].add(self._columns.label)
        advice = {"nodes": "add {it} to symbols", "edges": "pass edge_type={name}", "graphs": "pass label={name}"}
        needed = (*self._wanted(), *self._labels())
        absent = {what for what, name, _ in needed if name not in self._library.names(self._frames[what])}
        for what, frame in self._frames.items():
            if what in absent:  # one of the others is probably meant
                continue
            left = [name for name in self._library.names(frame) if name not in read[what] | self._ignored]
            try:
                refuse_unused(left, "Column", advice[what], f" of the {what}")
            except GraphError as error:
                yield str(error)

    @property
    def _labelled(self) -> str:
        """The data frame with the labels of graphs."""
        return "graphs" if "graphs" in self._frames else "nodes"

    def _kind(self, what: str, name: Hashable) -> str | None:
        """Return the kind of a column, or ``None`` if there is not exactly one with that name."""
        frame = self._frames[what]
        there = self._library.names(frame)
        return self._library.kind(self._library.column(frame, name)) if there.count(name) == 1 else None

    def _no_names(self) -> Iterator[str]:
        for what, name, _ in self._wanted():
            if (what, name) not in self._binned:
                yield from self._no_name(what, name)
        advice = " Or pass ignore=[{!r}]." if self._columns.symbols is None else ""
        for name, plain in self._carried:
            kind = self._kind("nodes", name)
            if ("nodes", name) not in self._binned and kind != LIST and (plain or kind != BOOLEAN):
                yield from self._no_name("nodes", name, advice.format(name))

    def _no_name(self, what: str, name: Hashable, advice: str = "") -> Iterator[str]:
        kind = self._kind(what, name)
        if kind == FLOAT:
            yield (
                f"Names must be strings, integers or Booleans; column {name!r} of the {what} has floats. {BOOLEANISE} "
                f"(in pandas, integers with missing values become floats: use .astype('Int64')).{advice}"
            )
        elif kind not in (NAME, BOOLEAN, None):
            yield (
                f"Names must be strings, integers or Booleans; column {name!r} of the {what} has dtype {kind}. Convert "
                f"it to strings first.{advice}"
            )


def _listed(names: list[Hashable]) -> str:
    """Return names of columns as text, quoted only where it matters."""
    shown = [name if isinstance(name, str) and name.isidentifier() else repr(name) for name in names[:_MOST]]
    return ", ".join(shown) + (f", ... ({len(names) - _MOST:,} more)" if len(names) > _MOST else "")
