"""What a machine is: its parameters, and what it has learned."""

from graphtm.model.params import MachineParams
from graphtm.model.state import MachineState

__all__ = ["MachineParams", "MachineState"]
