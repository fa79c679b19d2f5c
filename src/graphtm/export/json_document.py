"""A trained machine as JSON: everything that a prediction needs, in a documented form."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from graphtm.errors import GraphTMError
from graphtm.export.program import Program
from graphtm.foundation.names import Name, escaped_surrogates, name_to_json
from graphtm.foundation.version import __version__

FORMAT, FORMAT_NUMBER = "graphtm-machine", 1

_NUMBER = {"type": "integer", "minimum": 0}
_BITS = {"type": "array", "items": _NUMBER}
_NAME = {"$ref": "#/$defs/name"}

JSON_SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "A trained Graph Tsetlin Machine",
    "type": "object",
    "required": [
        "format",
        "format_number",
        "graphtm",
        "task",
        "outputs",
        "unknown",
        "depth",
        "max_misses",
        "hypervector_size",
        "message_size",
        "symbols",
        "edge_types",
        "node_types",
        "clauses",
    ],
    "additionalProperties": False,
    "properties": {
        "format": {"const": FORMAT},
        "format_number": {"const": FORMAT_NUMBER},
        "graphtm": {"type": "string", "description": "Version that wrote the file."},
        "task": {"enum": ["classification", "multilabel", "regression"]},
        "outputs": {
            "description": "The classes, labels or targets; all numbers with a fraction or an exponent are floats.",
            "type": "array",
            "items": {"anyOf": [_NAME, {"type": "number"}]},
        },
        "unknown": {
            "description": "Whether names that are not listed here are errors or ignored; node types never are.",
            "enum": ["error", "ignore"],
        },
        "depth": {"description": "Number of layers.", "type": "integer", "minimum": 1},
        "max_misses": {"description": "How many literals a clause may miss, over all layers.", **_NUMBER},
        "hypervector_size": {"description": "Number of bits of a node.", **_NUMBER},
        "message_size": {"description": "Number of bits of an inbox; 0 if there is one layer.", **_NUMBER},
        "symbols": {
            "description": "Names of the symbols, and the bits that each sets in a node.",
            "type": "array",
            "items": {
                "type": "object",
                "required": ["name", "bits"],
                "additionalProperties": False,
                "properties": {"name": _NAME, "bits": _BITS},
            },
        },
        "edge_types": {"description": "The place of a name is its number.", "type": "array", "items": _NAME},
        "node_types": {"description": "Empty if nodes have no types.", "type": "array", "items": _NAME},
        "scale": {
            "description": (
                "For regression only, for each output: a vote sum v means the float64 intercept + value * v, at least "
                "low and at most high."
            ),
            "type": "array",
            "items": {
                "type": "object",
                "required": ["intercept", "value", "low", "high"],
                "additionalProperties": False,
                "properties": {name: {"type": "number"} for name in ("intercept", "value", "low", "high")},
            },
        },
        "clauses": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["node_type", "bits", "layers", "votes"],
                "additionalProperties": False,
                "properties": {
                    "node_type": {
                        "description": "Number of the only type of nodes where the clause can be true; null: all.",
                        "anyOf": [_NUMBER, {"type": "null"}],
                    },
                    "bits": {"description": "Bits of its messages; none if there is one layer.", **_BITS},
                    "layers": {
                        "description": "Its literals: bits that must be 1 and bits that must be 0.",
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["ones", "zeros"],
                            "additionalProperties": False,
                            "properties": {"ones": _BITS, "zeros": _BITS},
                        },
                    },
                    "votes": {
                        "description": "For each output.",
                        "type": "array",
                        "items": {"type": "integer"},
                    },
                },
            },
        },
    },
    "$defs": {
        "name": {
            "description": "A string, an integer, a Boolean, null, or a list of names, which is a tuple.",
            "anyOf": [
                {"type": "string"},
                {"type": "integer"},
                {"type": "boolean"},
                {"type": "null"},
                {"type": "array", "items": _NAME},
            ],
        },
    },
}
"""Schema of the documents, as JSON Schema 2020-12."""


def json_text(program: Program) -> str:
    """Return a program as a JSON document; :data:`JSON_SCHEMA` describes it.

    Parameters
    ----------
    program
        The program.

    Raises
    ------
    GraphTMError
        If a name has two halves of a surrogate pair side by side, which are another character in JSON.

    Examples
    --------
    >>> import graphtm as gtm, json
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
    >>> document = json.loads(gtm.export.json_text(clf.fit(graphs, ["summer", "winter"] * 20)._program()))
    >>> document["symbols"][1], document["clauses"][3]["layers"]
    ({'name': 'cold', 'bits': [1]}, [{'ones': [1], 'zeros': [0]}])
    """
    try:
        return escaped_surrogates("".join(_lines(_document(program))))
    except ValueError as error:
        raise GraphTMError(f"The machine cannot be written as JSON: {error}") from None


def _document(program: Program) -> dict[str, Any]:
    names, kinds = program.vocabulary, len(program.vocabulary.node_types)
    return {
        "format": FORMAT,
        "format_number": FORMAT_NUMBER,
        "graphtm": __version__,
        "task": program.task,
        "outputs": [output if isinstance(output, float) else name_to_json(output) for output in program.outputs],
        "unknown": "ignore" if program.ignores_unknown else "error",
        "depth": program.depth,
        "max_misses": program.max_misses,
        "hypervector_size": program.hypervector_size,
        "message_size": program.message_size,
        "symbols": [
            {"name": name_to_json(name), "bits": list(bits)}
            for name, bits in zip(names.symbols, program.symbol_bits, strict=True)
        ],
        "edge_types": _names(names.edge_types),
        "node_types": _names(names.node_types),
        **_scale(program),
        "clauses": [
            {
                "node_type": clause % kinds if program.types_matter else None,
                "bits": list(program.message_bits(clause)),
                "layers": [{"ones": list(term.ones), "zeros": list(term.zeros)} for term in program.layers(clause)],
                "votes": list(program.votes(clause)),
            }
            for clause in range(program.n_clauses)
        ],
    }


def _scale(program: Program) -> dict[str, Any]:
    if program.scale is None:
        return {}
    names = ("intercept", "value", "low", "high")
    return {"scale": [dict(zip(names, meaning, strict=True)) for meaning in program.meanings()]}


def _names(names: Iterable[Name]) -> list[Any]:
    return [name_to_json(name) for name in names]


def _lines(document: dict[str, Any]) -> Iterable[str]:
    """Yield the lines of a document, with one item of a list on each."""
    for number, (key, value) in enumerate(document.items()):
        yield f"{',' if number else '{'}\n  {_text(key)}: "
        if isinstance(value, list) and value:
            yield "[\n    " + ",\n    ".join(map(_text, value)) + "\n  ]"
        else:
            yield _text(value)
    yield "\n}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
