"""Graphs as C source, in the form that an exported C header reads."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from graphtm.export.c_header import prefixed
from graphtm.export.c_text import array, check_identifier
from graphtm.export.program import Program
from graphtm.graphs import GraphBatch, PackedGraphs

_TYPES = {
    "property_ptr": "gtm_index",
    "properties": "gtm_symbol",
    "node_types": "gtm_node_type",
    "source": "gtm_index",
    "destination": "gtm_index",
    "edge_types": "gtm_edge_type",
    "readout": "uint8_t",
}
"""Types of the fields that are arrays, in the order of the struct, which has ``n_edges`` before ``source``."""


def c_graphs_text(batch: GraphBatch, program: Program, name: str) -> str:
    """Return graphs as C source, to be included after the header of a machine.

    It defines the array ``NAME_graphs`` of ``NAME_N_GRAPHS`` graphs with up to ``NAME_MOST_NODES`` nodes.

    Parameters
    ----------
    batch
        The graphs. Names are matched with those of the machine.
    program
        The machine.
    name
        The name given to :func:`c_header_text`.

    Raises
    ------
    UnknownSymbolError
        If the machine does not know a name, unless it ignores unknown names.
    ValueError
        If identifiers cannot begin with the name.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
    >>> clf = clf.fit(graphs, ["summer", "winter"] * 20)
    >>> program = gtm.export.program_of(clf.model_, "classification", clf.classes_.tolist(), ignores_unknown=False)
    >>> print(gtm.export.c_graphs_text(graphs[:2], program, "season"))
    #define season_N_GRAPHS 2
    #define season_MOST_NODES 1
    <BLANKLINE>
    static const season_index season_graphs_property_ptr[] = {
        0, 1, 0, 1
    };
    static const season_symbol season_graphs_properties[] = {
        0, 1
    };
    <BLANKLINE>
    static const season_graph season_graphs[] = {
        {1, season_graphs_property_ptr, season_graphs_properties, NULL, 0, NULL, NULL, NULL, NULL},
        {1, season_graphs_property_ptr + 2, season_graphs_properties + 1, NULL, 0, NULL, NULL, NULL, NULL}
    };
    """
    check_identifier(name)
    known = batch.with_vocabulary(program.vocabulary, "ignore" if program.ignores_unknown else "error").pack()
    graphs = [_fields(known, graph, program) for graph in range(known.n_graphs)]
    head = f"#define gtm_N_GRAPHS {len(graphs)}\n#define gtm_MOST_NODES {known.node_counts.max(initial=0)}\n"
    return prefixed("\n".join([head, *_definitions(graphs)]), name)


def _fields(graphs: PackedGraphs, graph: int, program: Program) -> dict[str, NDArray[np.generic]]:
    """Return the arrays of a graph that the machine reads."""
    one = graphs.take(slice(graph, graph + 1))
    nodes, symbols = one.properties.pairs()
    fields: dict[str, NDArray[np.generic]] = {
        "property_ptr": np.searchsorted(nodes, np.arange(one.n_nodes + 1)),
        "properties": symbols,
    }
    if program.types_matter and one.node_types is not None:
        fields["node_types"] = one.node_types
    if program.depth > 1:
        edges = one.in_edges  # ordered by destination, which is faster
        fields |= {"source": edges.neighbours, "destination": edges.near_ends(), "edge_types": edges.types}
    if one.readout is not None:
        fields["readout"] = one.readout.astype(np.uint8)
    return fields


def _definitions(graphs: list[dict[str, NDArray[np.generic]]]) -> Iterator[str]:
    present = [field for field in _TYPES if graphs and field in graphs[0]]
    starts = dict.fromkeys(present, 0)
    entries = []
    for graph in graphs:
        places = {field: f"gtm_graphs_{field} + {start}".removesuffix(" + 0") for field, start in starts.items()}
        values = [str(len(graph["property_ptr"]) - 1), *(places.get(field, "NULL") for field in _TYPES)]
        values.insert(4, str(len(graph.get("source", ()))))
        entries.append(f"    {{{', '.join(values)}}}")
        starts = {field: start + len(graph[field]) for field, start in starts.items()}
    for field in present:
        yield array(f"{_TYPES[field]} gtm_graphs_{field}", [item for graph in graphs for item in graph[field].tolist()])
    nothing = f"    {{{', '.join(['0'] * 9)}}}"
    yield "\nstatic const gtm_graph gtm_graphs[] = {\n" + ",\n".join(entries or [nothing]) + "\n};\n"
