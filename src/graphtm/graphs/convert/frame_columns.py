"""Columns of data frames: their names, and checks that report all problems at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from graphtm.errors import GraphError
from graphtm.foundation.frames import BOOLEAN, FLOAT, LIST, NAME, Library
from graphtm.foundation.names import shorten
from graphtm.graphs.attributes import BOOLEANISE, refuse_strange, refuse_unused


@dataclass(frozen=True)
class FrameColumns:
    """Names of the columns; see :func:`graphtm.from_pandas`."""

    graph: Hashable | None
    node: Hashable
    symbols: Any
    type: Hashable | None
    source: Hashable
    destination: Hashable
    edge_type: Hashable | None
    label: Hashable | None
    ignore: Iterable[Hashable]

    def single(self) -> list[tuple[Hashable | None, str]]:
        """Return the names of single columns, with the parameter that gives each."""
        several = ("symbols", "ignore")
        return [(getattr(self, field.name), field.name) for field in fields(self) if field.name not in several]

    @property
    def of_nodes(self) -> tuple[Hashable, ...]:
        """Columns of the nodes, except those of symbols."""
        return self.graph, self.node, self.type, self.label

    @property
    def of_edges(self) -> tuple[Hashable, ...]:
        """Columns of the edges."""
        return self.graph, self.source, self.destination, self.edge_type


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
    ignored
        Names of the columns to ignore.
    nodes, edges
        The data frames; ``edges`` may be ``None``.
    """

    def __init__(
        self,
        library: Library,
        columns: FrameColumns,
        carried: list[tuple[Hashable, bool]],
        ignored: frozenset[Hashable],
        nodes: Any,
        edges: Any,
    ) -> None:
        self._library, self._columns, self._carried, self._ignored = library, columns, carried, ignored
        self._frames = {"nodes": nodes} if edges is None else {"nodes": nodes, "edges": edges}

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
        refuse_strange(self._ignored, there, "columns of the nodes or edges", f"from_{self._library.name}")
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
            ends = [(columns.source, "source"), (columns.destination, "destination"), (columns.edge_type, "edge_type")]
            own = [(columns.node, "node"), (columns.type, "type")] if what == "nodes" else ends
            for name, parameter in ((columns.graph, "graph"), *own):
                if name is not None:
                    yield what, name, parameter

    def _absent(self) -> Iterator[str]:
        label = [] if self._columns.label is None else [("nodes", self._columns.label, "label")]
        symbols = [("nodes", name, "symbols") for name, _ in self._carried]
        for what, name, parameter in (*self._wanted(), *label, *symbols):
            there = self._library.names(self._frames[what])
            if there.count(name) != 1:
                found = "more than one" if name in there else f"only {shorten(there, 10)}"
                yield f"The {what} must have one column {name!r} (parameter {parameter!r}); they have {found}."

    def _unchosen(self) -> Iterator[str]:
        read = {"nodes": {*self._columns.of_nodes, *(name for name, _ in self._carried)}}
        read["edges"] = {*self._columns.of_edges}
        advice = {"nodes": "add {it} to symbols", "edges": "pass edge_type={name}"}
        for what, frame in self._frames.items():
            left = [name for name in self._library.names(frame) if name not in read[what] | self._ignored]
            try:
                refuse_unused(left, "Column", advice[what], f" of the {what}")
            except GraphError as error:
                yield str(error)

    def _kind(self, what: str, name: Hashable) -> str | None:
        """Return the kind of a column, or ``None`` if there is not exactly one with that name."""
        frame = self._frames[what]
        there = self._library.names(frame)
        return self._library.kind(self._library.column(frame, name)) if there.count(name) == 1 else None

    def _no_names(self) -> Iterator[str]:
        for what, name, _ in self._wanted():
            yield from self._no_name(what, name)
        advice = " Or pass ignore=[{!r}]." if self._columns.symbols is None else ""
        for name, plain in self._carried:
            kind = self._kind("nodes", name)
            if kind != LIST and (plain or kind != BOOLEAN):
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
