"""Runs of the cooperative kernel: launches in the same room, each short enough for Ctrl-C."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines.cuda.kernels import Program, fixed
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.cuda.memory import Workroom
from graphtm.engines.cuda.plan import Launch, slots_per_example
from graphtm.engines.cuda.records import Sizes
from graphtm.model import MachineParams

_SECONDS = 0.2  # of a launch: as long as Ctrl-C may wait
_FIRST, _GROWTH = 16, 8  # examples of the first launch, and how many times more the next may have
_SLOTS_BYTES = 1 << 27  # votes of the examples of a launch


class Pace:
    """How many examples to learn in a launch, so that Ctrl-C is heard in time."""

    def __init__(self) -> None:
        self._most = _FIRST
        self._seconds = 0.0  # for a unit of work

    def piece(self, work: NDArray[np.int64], most: int) -> int:
        """Return how many of the next examples to take, given how much work they are."""
        upto = np.cumsum(work[: min(most, self._most)]) * self._seconds
        return max(1, int(np.searchsorted(upto, _SECONDS, side="right")))

    def note(self, n_examples: int, work: float, seconds: float) -> None:
        """Learn from a launch how long work takes."""
        self._most = max(self._most, _GROWTH * n_examples)
        self._seconds = seconds / work


class Run:
    """Launches a cooperative kernel again and again, in the same room.

    Parameters
    ----------
    cupy
        The module, on the device at hand.
    params, machine
        The machine, and its struct.
    sizes, common
        Of the graphs that it will see: the largest, and in what all agree.
    launch
        How blocks share the work.
    launcher
        What launches kernels.
    n_examples
        How many there will be to learn from at most; 0 for prediction.
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
        """Learn from examples, whose targets are given in the order of the graphs; return the seconds it took."""
        return self._start("learn", (self._machine, graphs, examples, self._room.struct))

    def answer(self, graphs: NDArray[Any], answers: NDArray[Any]) -> None:
        """Predict graphs."""
        self._start("answer_together", (self._machine, graphs, self._room.struct, answers))

    def _start(self, name: str, arguments: tuple[NDArray[Any], ...]) -> float:
        launch = self._launch
        self._room.clear()
        program: Program = "together" if launch.planes_in_shared else "together_far"
        return self._launcher.launch(
            program, name, self._constants, launch.n_blocks, launch.n_threads, launch.shared_bytes, arguments
        )
