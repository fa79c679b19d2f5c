"""Exports: a trained machine as a program in another language, which predicts exactly the same."""

from graphtm.export.c_graphs import c_graphs_text
from graphtm.export.c_header import c_header_text
from graphtm.export.json_document import JSON_SCHEMA, json_text
from graphtm.export.logic import logic_text
from graphtm.export.logic_facts import facts_text
from graphtm.export.program import Program, Term, program_of
from graphtm.export.python_module import python_text
from graphtm.export.writing import write_export, write_graphs

__all__ = [
    "JSON_SCHEMA",
    "Program",
    "Term",
    "c_graphs_text",
    "c_header_text",
    "facts_text",
    "json_text",
    "logic_text",
    "program_of",
    "python_text",
    "write_export",
    "write_graphs",
]
