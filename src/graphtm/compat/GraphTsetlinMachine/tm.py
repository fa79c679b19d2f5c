"""Machines as the package ``GraphTsetlinMachine`` has them."""

from graphtm.compat.machines import GraphTsetlinMachine, MultiClassGraphTsetlinMachine, MultiOutputGraphTsetlinMachine

__all__ = ["GraphTsetlinMachine", "MultiClassGraphTsetlinMachine", "MultiOutputGraphTsetlinMachine"]
