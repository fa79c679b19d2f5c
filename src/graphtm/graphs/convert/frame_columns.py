"""Whether two data frames have the columns that are to be read from them: all that is wrong is told at once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from graphtm.errors import GraphError
from graphtm.foundation.frames import BOOLEAN, FLOAT, LIST, NAME, Library
from graphtm.foundation.names import shorten
from graphtm.graphs.attributes import BOOLEANISE, refuse_strange, refuse_unchosen


@dataclass(frozen=True)
class FrameColumns:
    """Names of the columns, as :func:`graphtm.graphs.convert.from_pandas` describes them."""

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
        """Return what must be the name of one column, and the parameter that gives it."""
        several = ("symbols", "ignore")
        return [(getattr(self, field.name), field.name) for field in fields(self) if field.name not in several]

    @property
    def of_nodes(self) -> tuple[Hashable, ...]:
        """The columns of the nodes that something else than symbols is read from."""
        return self.graph, self.node, self.type, self.label

    @property
    def of_edges(self) -> tuple[Hashable, ...]:
        """The columns of the edges that something is read from."""
        return self.graph, self.source, self.destination, self.edge_type


class FrameChecks:
    """What the columns of two frames must be.

    Parameters
    ----------
    library
        What the frames are of.
    columns
        The names of the columns, as the user gave them.
    carried
        The columns that symbols are read from, and whether they hold symbols as they are.
    ignored
        The columns to leave out.
    nodes, edges
        The frames; the second may be ``None``.
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
        """Refuse frames whose columns are not as they must be.

        Raises
        ------
        GraphError
            If columns are not there, are neither read nor ignored, or hold what cannot be names.
        ValueError
            If a column is to be ignored that is not there.
        """
        there = [name for frame in self._frames.values() for name in self._library.names(frame)]
        refuse_strange(self._ignored, there, "columns that the nodes or edges have", f"from_{self._library.name}")
        problems = [*self._absent(), *self._unchosen(), *self._no_names()]
        if len(problems) == 1:
            raise GraphError(problems[0])
        if problems:
            lines = "\n".join(f"- {problem}" for problem in problems)
            raise GraphError(f"The columns must be as they are said to be; {len(problems)} things are wrong:\n{lines}")

    def _wanted(self) -> Iterator[tuple[str, Hashable, str]]:
        """Yield the frame, name and parameter of each column that is read, but for the label and symbols."""
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
                must = f"one column {name!r}, given by the {parameter!r} parameter"
                yield f"The {what} must have {must}; they have {found}."

    def _unchosen(self) -> Iterator[str]:
        read = {"nodes": {*self._columns.of_nodes, *(name for name, _ in self._carried)}}
        read["edges"] = {*self._columns.of_edges}
        advice = {"nodes": "Name them in symbols", "edges": "Name one as edge_type"}
        for what, frame in self._frames.items():
            left = [name for name in self._library.names(frame) if name not in read[what] | self._ignored]
            try:
                refuse_unchosen(left, f"the {what} have the columns", advice[what])
            except GraphError as error:
                yield str(error)

    def _kind(self, what: str, name: Hashable) -> str | None:
        """Return what a column holds, or ``None`` if there is not one such column."""
        frame = self._frames[what]
        there = self._library.names(frame)
        return self._library.kind(self._library.column(frame, name)) if there.count(name) == 1 else None

    def _no_names(self) -> Iterator[str]:
        for what, name, _ in self._wanted():
            yield from self._no_name(what, name)
        advice = " Or leave it out: ignore=[{!r}]." if self._columns.symbols is None else ""
        for name, plain in self._carried:
            kind = self._kind("nodes", name)
            if kind != LIST and (plain or kind != BOOLEAN):
                yield from self._no_name("nodes", name, advice.format(name))

    def _no_name(self, what: str, name: Hashable, advice: str = "") -> Iterator[str]:
        kind = self._kind(what, name)
        if kind == FLOAT:
            yield (
                f"Names must be strings, whole numbers or Booleans; the column {name!r} of the {what} holds floats. "
                f"{BOOLEANISE} (.astype('Int64') in pandas, where missing values turned them into floats).{advice}"
            )
        elif kind not in (NAME, BOOLEAN, None):
            yield (
                f"Names must be strings, whole numbers or Booleans; the column {name!r} of the {what} is of type "
                f"{kind}. Turn its values into strings first.{advice}"
            )
