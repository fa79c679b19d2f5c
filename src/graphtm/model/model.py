"""A whole model: everything that is needed to predict, and to go on learning, in one value."""

from __future__ import annotations

from dataclasses import dataclass

from graphtm.codes import Code
from graphtm.graphs import Vocabulary
from graphtm.model.params import MachineParams
from graphtm.model.state import MachineState


@dataclass(frozen=True, eq=False)
class Model:
    """The machine with the names and codes through which it sees graphs.

    Parameters
    ----------
    vocabulary
        The names it was trained with; their numbers are the model's.
    symbol_code
        Which bits each symbol owns.
    params
        The machine's parameters, the code of its clauses among them.
    state
        What it has learned.
    epoch
        Whole epochs since the machine was new, which the shuffling counts.
    position
        Examples of the next epoch that it has already seen; above 0 only if it was kept inside an epoch.
    """

    vocabulary: Vocabulary
    symbol_code: Code
    params: MachineParams
    state: MachineState
    epoch: int = 0
    position: int = 0
