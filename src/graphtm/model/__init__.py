"""Parameters and state of a machine, and model files."""

from graphtm.model.file import SavedModel, read_model, write_model
from graphtm.model.model import Model
from graphtm.model.params import MachineParams, MachineSize
from graphtm.model.state import MachineState
from graphtm.model.vote_scale import VoteScale

__all__ = [
    "MachineParams",
    "MachineSize",
    "MachineState",
    "Model",
    "SavedModel",
    "VoteScale",
    "read_model",
    "write_model",
]
