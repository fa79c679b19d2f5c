"""Runs of the cooperative kernel: launches that share working memory, each short enough for Ctrl-C."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines.cuda.kernels import Program, fixed
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.cuda.memory import Workroom
from graphtm.engines.cuda.plan import Launch, slots_per_example
from graphtm.engines.cuda.records import Sizes
from graphtm.model import MachineParams

_SECONDS = 0.2  # of a launch, during which Ctrl-C waits
_GROWTH = 8  # largest factor by which work grows from one launch to the next
_SLOTS_BYTES = 1 << 27  # most bytes for the votes of the examples of a launch


class Pace:
    """Chooses the number of graphs per launch, to keep launches short for Ctrl-C and for display watchdogs.

    Parameters
    ----------
    first
        Largest work of the first launch, whose duration is not known yet.
    """

    def __init__(self, first: float) -> None:
        self._most = first

    def pieces(self, work: NDArray[np.int64], most: int | None = None) -> Iterator[slice]:
        """Yield slices of graphs, given the work per graph, with at most ``most`` graphs each.

        Each slice takes the launches recorded so far into account.
        """
        first = 0
        while first < len(work):
            upto = np.cumsum(work[first : None if most is None else first + most])
            last = first + max(1, int(np.searchsorted(upto, self._most, side="right")))
            yield slice(first, last)
            first = last

    def note(self, work: float, seconds: float) -> None:
        """Record the duration of a launch."""
        self._most = min(max(self._most, _GROWTH * work), work * _SECONDS / max(seconds, 1e-9))


class Run:
    """Launches of the cooperative kernel with the same working memory.

    Parameters
    ----------
    cupy
        The module, on the current device.
    params, machine
        Parameters of the machine, and its struct.
    sizes, common
        Largest sizes of the graphs, and fields of heads that are the same for all.
    launch
        Launch plan.
    launcher
        Launches the kernels.
    n_examples
        Largest number of examples to learn from; 0 for prediction.
    """

    def __init__(
        self,
        cupy: Any,
        params: MachineParams,
        machine: NDArray[Any],
        sizes: Sizes,
        common: Mapping[str, int],
        launch: Launch,
        launcher: Launcher,
        n_examples: int = 0,
    ) -> None:
        self.most_examples = max(1, _SLOTS_BYTES // (8 * slots_per_example(params)[0]))
        self._room = Workroom(cupy, params, sizes, launch, min(n_examples, self.most_examples))
        self._machine, self._launch, self._launcher = machine, launch, launcher
        self._constants = fixed(machine, self._room.struct, common, launch.n_blocks, launch.n_threads)

    def learn(self, graphs: NDArray[Any], examples: NDArray[Any]) -> float:
        """Learn from examples, with targets in the order of the graphs; return the seconds it took."""
        return self._start("learn", (self._machine, graphs, examples, self._room.struct))

    def answer(self, graphs: NDArray[Any], answers: NDArray[Any]) -> float:
        """Predict graphs; return the seconds it took."""
        return self._start("answer_together", (self._machine, graphs, self._room.struct, answers))

    def _start(self, name: str, arguments: tuple[NDArray[Any], ...]) -> float:
        launch = self._launch
        self._room.clear()
        program: Program = "together" if launch.planes_in_shared else "together_far"
        return self._launcher.launch(
            program, name, self._constants, launch.n_blocks, launch.n_threads, launch.shared_bytes, arguments
        )
