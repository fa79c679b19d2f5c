"""The input formats, each with a tiny example that runs as it is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InputFormat:
    """A format of data.

    Parameters
    ----------
    title
        What it is.
    notes
        What must hold, in lines of at most 76 characters.
    files
        A tiny example: content by name.
    command
        Arguments of ``graphtm data`` that read it.
    """

    title: str
    notes: tuple[str, ...]
    files: dict[str, str]
    command: str


_GRAPHML = """\
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="a" for="node" attr.name="atom" attr.type="string"/>
  <key id="t" for="edge" attr.name="type" attr.type="string"/>
  <key id="l" for="graph" attr.name="label" attr.type="string"/>
  <graph edgedefault="undirected">
    <data key="l">yes</data>
    <node id="0"><data key="a">C</data></node>
    <node id="1"><data key="a">O</data></node>
    <edge source="0" target="1"><data key="t">double</data></edge>
  </graph>
</graphml>
"""

FORMATS = (
    InputFormat(
        "JSON lines, .jsonl (also .jsonl.gz, or - for standard input)",
        (
            'One graph a line, as networkx.node_link_data writes it. "properties" of a',
            'node is a list of symbols; other attributes become symbols: "atom": "C" is',
            'atom=C. The "type" of an edge and the "label" of the graph are optional.',
            'Edges are undirected unless the line has "directed": true.',
        ),
        {
            "graphs.jsonl": (
                '{"label": "yes", "nodes": [{"id": 0, "atom": "C"}, {"id": 1, "atom": "O"}], '
                '"edges": [{"source": 0, "target": 1, "type": "double"}]}\n'
                '{"label": "no", "nodes": [{"id": 0, "atom": "C"}], "edges": []}\n'
            )
        },
        "graphs.jsonl",
    ),
    InputFormat(
        "CSV, a folder with nodes.csv, edges.csv and graphs.csv",
        (
            "Or files anywhere: nodes.csv --edges edges.csv --graphs graphs.csv.",
            "Nodes: a row per node with the columns graph and node; other columns become",
            "symbols, numbers with decimals in bins. Edges: graph, source, destination;",
            "--edge-type names the column of types, --undirected makes each row an edge in",
            "both directions. Labels: a file with the columns graph and label. Other names",
            "of columns: --column graph=molecule, --label toxic.",
        ),
        {
            "molecules/nodes.csv": "graph,node,atom,charge\n0,0,C,0.51\n0,1,O,-0.3\n1,0,C,0.1\n",
            "molecules/edges.csv": "graph,source,destination,bond\n0,0,1,double\n",
            "molecules/graphs.csv": "graph,label\n0,yes\n1,no\n",
        },
        "molecules --edge-type bond --undirected",
    ),
    InputFormat(
        "GraphML, .graphml or a folder of such files",
        (
            'Attributes of nodes become symbols, "properties" lists symbols, the edge',
            'attribute "type" is the type, the graph attribute "label" the label.',
        ),
        {"molecule.graphml": _GRAPHML},
        "molecule.graphml",
    ),
    InputFormat(
        "TUDataset, a folder or a zip archive",
        (
            "DS_A.txt (edges), DS_graph_indicator.txt and DS_graph_labels.txt; optionally",
            "DS_node_labels.txt, DS_edge_labels.txt, and DS_node_attributes.txt and",
            "DS_edge_attributes.txt, whose numbers are divided into bins.",
        ),
        {
            "tu/DS_A.txt": "1, 2\n2, 1\n",
            "tu/DS_graph_indicator.txt": "1\n1\n2\n",
            "tu/DS_graph_labels.txt": "1\n-1\n",
            "tu/DS_node_labels.txt": "6\n8\n6\n",
        },
        "tu",
    ),
    InputFormat(
        "Graph files, .gtmg, as GraphBatch.save writes them",
        ("They have no labels: pass --labels FILE, see below.",),
        {},
        "",
    ),
    InputFormat(
        "A table, with --as table",
        (
            "CSV with a row per sample; --label names the column of labels. Numbers are",
            "divided into bins, other cells are categories. JSON lines work, too.",
        ),
        {"table.csv": "age,city,ill\n20,Rome,no\n35,Oslo,yes\n"},
        "table.csv --as table --label ill",
    ),
    InputFormat(
        "Texts, with --as text",
        (
            "CSV or JSON lines with text and label (other names: --text, --label), or a",
            ".txt file with one text a line, whose labels are in a file of their own.",
        ),
        {"texts.csv": 'text,label\n"a good film, really",good\na bad film,bad\n'},
        "texts.csv --as text",
    ),
    InputFormat(
        "Labels in a file of their own, for any of these: --labels FILE",
        (
            "One label a line, in the order of the samples; or CSV with a column label,",
            "or one that --label names. With --task multilabel, labels of a sample are",
            "separated by ; and JSON lines may have lists.",
        ),
        {"texts.txt": "a good film\na bad film\n", "labels.csv": "good\nbad\n"},
        "texts.txt --labels labels.csv",
    ),
)


def schema_text() -> str:
    """Return all formats as text, with their examples."""
    parts = []
    for one in FORMATS:
        lines = [one.title, *(f"  {note}" for note in one.notes)]
        for name, content in one.files.items():
            lines += ["", f"  {name}:", *(f"    {line}" for line in content.splitlines())]
        if one.command:
            lines += ["", f"  $ graphtm data {one.command}"]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)
