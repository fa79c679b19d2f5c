"""Graphs as the package ``GraphTsetlinMachine`` has them."""

from graphtm.compat.graphs import Graphs

__all__ = ["Graphs"]
