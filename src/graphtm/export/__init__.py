"""Exports: a trained machine as a program in another language, which predicts exactly the same."""

from graphtm.export.program import Program, Term, program_of

__all__ = ["Program", "Term", "program_of"]
