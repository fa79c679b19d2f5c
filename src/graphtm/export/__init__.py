"""Exports: a trained machine as a program in another language, which predicts exactly the same."""

from graphtm.export.json_document import JSON_SCHEMA, json_text
from graphtm.export.program import Program, Term, program_of
from graphtm.export.python_module import python_text
from graphtm.export.writing import write_export

__all__ = ["JSON_SCHEMA", "Program", "Term", "json_text", "program_of", "python_text", "write_export"]
