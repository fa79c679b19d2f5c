"""Models: everything that is needed to predict and to continue training."""

from __future__ import annotations

from dataclasses import dataclass

from graphtm.codes import Code
from graphtm.graphs import Vocabulary
from graphtm.model.params import MachineParams
from graphtm.model.state import MachineState


@dataclass(frozen=True, eq=False)
class Model:
    """A machine, with the vocabulary and the code that map graphs to its input.

    Parameters
    ----------
    vocabulary
        Names of the training data and their numbers.
    symbol_code
        Bits that each symbol owns.
    params
        Parameters of the machine, including the code of its clauses.
    state
        Learned state.
    epoch
        Number of complete epochs, which determines the shuffling.
    position
        Number of examples of the next epoch that were already learned; above 0 only for a checkpoint within an epoch.
    """

    vocabulary: Vocabulary
    symbol_code: Code
    params: MachineParams
    state: MachineState
    epoch: int = 0
    position: int = 0
