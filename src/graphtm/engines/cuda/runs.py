"""Runs of the cooperative kernel: launches in the same room, each short enough for Ctrl-C."""

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

_SECONDS = 0.2  # of a launch: as long as Ctrl-C may wait
_GROWTH = 8  # how many times as much the next launch may have to do
_SLOTS_BYTES = 1 << 27  # votes of the examples of a launch


class Pace:
    """How many graphs to take in a launch, so that Ctrl-C is heard in time and no display's watchdog ends it.

    Parameters
    ----------
    first
        Work of the first launch at most, since nothing is known yet of how long it takes.
    """

    def __init__(self, first: float) -> None:
        self._most = first

    def pieces(self, work: NDArray[np.int64], most: int | None = None) -> Iterator[slice]:
        """Yield which graphs to take next, given how much work each is; at most so many at a time.

        What is noted of a launch counts from the next on.
        """
        first = 0
        while first < len(work):
            upto = np.cumsum(work[first : None if most is None else first + most])
            last = first + max(1, int(np.searchsorted(upto, self._most, side="right")))
            yield slice(first, last)
            first = last

    def note(self, work: float, seconds: float) -> None:
        """Learn from a launch how long work takes."""
        self._most = min(max(self._most, _GROWTH * work), work * _SECONDS / max(seconds, 1e-9))


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
