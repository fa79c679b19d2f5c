"""A trained machine as a Python module that needs nothing but the standard library."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources import files

from graphtm.export.program import Program
from graphtm.foundation.display import count
from graphtm.foundation.version import __version__

DATA, INTERPRETER = "# The machine.\n", "# The interpreter."
"""Comments that begin these parts of ``interpreter.py``."""
_SAYS = {
    "classification": "the class of a graph",
    "multilabel": "the list of the labels of a graph",
    "regression": "the number that is predicted for a graph, or the list of numbers",
}

_DOCSTRING = '''"""A trained Graph Tsetlin Machine, exported by graphtm {version}; it needs only Python 3.10 or later.

{facts}.

    predict(graph)          {says}
    predict_many(graphs)    the same for several graphs
    class_sums(graph)       the vote sum of each output, in the order of OUTPUTS
    clause_outputs(graph)   the strength of each clause: {strengths}

A graph is a dict, as json.loads reads it from a line of a file that graphtm.write_jsonl wrote:

    {{"directed": True, "nodes": [{{"id": 0, "properties": ["A"]}}, {{"id": 1, "properties": ["B"]}}],
     "edges": [{{"source": 0, "target": 1, "type": "next"}}]}}

Edges are undirected unless "directed" is true. Names that the training data did not have are {unknown}.
On the command line, "python MODULE.py GRAPHS.jsonl" prints the prediction for each line, as JSON.
"""
'''


def python_text(program: Program) -> str:
    """Return a program as the text of a Python module.

    The module consists of literals and of the text of :mod:`graphtm.export.interpreter`, which is always the same.
    Names occur as literals only.

    Parameters
    ----------
    program
        The program.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
    >>> program = clf.fit(graphs, ["summer", "winter"] * 20)._program()
    >>> module = {"__name__": "seasons"}
    >>> exec(gtm.export.python_text(program), module)
    >>> module["predict"]({"nodes": [{"id": 0, "properties": ["cold"]}], "edges": []})
    'winter'
    """
    source = (files("graphtm.export") / "interpreter.py").read_text(encoding="utf-8")
    head, _, rest = source.partition(DATA)
    imports = head[head.index("from __future__") :]
    interpreter = rest[rest.index(INTERPRETER) :]
    return "".join([_docstring(program), "\n", imports, DATA, "\n", *_data(program), "\n", interpreter])


def _docstring(program: Program) -> str:
    vocabulary = program.vocabulary
    facts = [
        count(len(program.outputs), "output"),
        count(program.n_clauses, "clause"),
        f"depth {program.depth}",
        count(len(vocabulary.symbols), "symbol"),
        count(len(vocabulary.edge_types), "edge type"),
    ]
    if len(vocabulary.node_types):
        facts.append(count(len(vocabulary.node_types), "node type"))
    if program.max_misses:
        facts.append(f"at most {program.max_misses} missed literals per clause")
    return _DOCSTRING.format(
        version=__version__,
        facts=f"{program.task.capitalize()}: {', '.join(facts)}",
        says=_SAYS[program.task],
        strengths=f"from 0 to {program.max_misses + 1}",
        unknown="ignored" if program.ignores_unknown else "errors",
    )


def _data(program: Program) -> Iterable[str]:
    """Yield the lines that define the machine; every value is a literal."""
    vocabulary = program.vocabulary
    yield f"TASK = {program.task!r}\n"
    yield from _lines("OUTPUTS", program.outputs)
    yield "# For regression, what the vote sum of each output means: intercept, value of a vote, and limits.\n"
    yield from _lines("SCALE", program.meanings())
    yield f"IS_VECTOR = {program.is_vector!r}\n"
    yield f"MAX_MISSES = {program.max_misses!r}\n"
    yield f"IGNORES_UNKNOWN = {program.ignores_unknown!r}\n"
    yield f"MESSAGE_SIZE = {program.message_size!r}\n"
    yield from _lines("NODE_TYPES", vocabulary.node_types)
    yield from _lines("EDGE_TYPES", vocabulary.edge_types)
    yield "\n# Name and bits of each symbol.\n"
    yield from _lines("SYMBOLS", zip(vocabulary.symbols, program.symbol_bits, strict=True))
    yield "\n# For each clause: the bits of its messages; for each layer, the bits that must be 1 and those\n"
    yield "# that must be 0; its votes for the outputs.\n"
    yield from _lines("CLAUSES", (_clause(program, clause) for clause in range(program.n_clauses)))


def _clause(program: Program, clause: int) -> tuple[object, ...]:
    layers = tuple((term.ones, term.zeros) for term in program.layers(clause))
    return program.message_bits(clause), layers, program.votes(clause)


def _lines(name: str, values: Iterable[object]) -> Iterable[str]:
    yield f"{name} = [\n"
    for value in values:
        yield f"    {value!r},\n"
    yield "]\n"
