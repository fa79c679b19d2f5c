"""Runs of the cooperative kernel: launches in the same room, each short enough for Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines.cuda.kernels import Program, fixed
from graphtm.engines.cuda.memory import Workroom
from graphtm.engines.cuda.plan import Launch, slots_per_example
from graphtm.engines.cuda.records import Sizes
from graphtm.model import MachineParams

_SECONDS = 0.2  # of a launch: as long as Ctrl-C may wait
_SLOTS_BYTES = 1 << 27  # votes of the examples of a launch


class Pace:
    """How many examples to learn in a launch, so that Ctrl-C is heard in time."""

    def __init__(self) -> None:
        self._seconds = 1e-9  # for a unit of work; a first guess that is too long rather than too short

    def piece(self, work: NDArray[np.int64], most: int) -> int:
        """Return how many of the next examples to take, given how much work they are."""
        upto = np.cumsum(work[:most]) * self._seconds
        return max(1, int(np.searchsorted(upto, _SECONDS, side="right")))

    def note(self, work: float, seconds: float) -> None:
        """Learn from a launch how long work takes."""
        self._seconds = seconds / work


class Run:
    """Launches a cooperative kernel again and again.

    Parameters
    ----------
    cupy
        The module, on the device at hand.
    params, sizes, heads
        The machine, and the graphs that it will see.
    launch
        How to launch.
    program
        Gives a program, and may compile it for the constants that it is offered.
    start
        Launches a kernel, waits for it and returns the seconds it took.
    """

    def __init__(
        self,
        cupy: Any,
        params: MachineParams,
        sizes: Sizes,
        heads: NDArray[Any],
        launch: Launch,
        program: Callable[[Program, Callable[[], str]], Any],
        start: Callable[..., float],
    ) -> None:
        self._cupy, self._params, self._sizes, self._heads, self._launch = cupy, params, sizes, heads, launch
        self._program, self._start = program, start
        self._room: Workroom | None = None
        self.most_examples = max(1, _SLOTS_BYTES // (8 * slots_per_example(params)[0]))

    def learn(self, machine: NDArray[Any], graphs: NDArray[Any], examples: NDArray[Any]) -> float:
        """Learn from examples, whose targets are given in the order of the graphs; return the seconds it took."""
        room = self._ready(int(graphs["n_graphs"]))
        return self._launch_kernel("learn", machine, (machine, graphs, examples, room))

    def answer(self, machine: NDArray[Any], graphs: NDArray[Any], answers: NDArray[Any]) -> None:
        """Predict graphs."""
        self._launch_kernel("answer_together", machine, (machine, graphs, self._ready(0), answers))

    def _ready(self, n_examples: int) -> NDArray[Any]:
        """Return the struct of the room, with votes for so many examples, all zero."""
        if self._room is None or self._room.n_examples < n_examples:
            self._room = Workroom(self._cupy, self._params, self._sizes, self._launch, n_examples)
        else:
            self._room.reset()
        return self._room.struct

    def _launch_kernel(self, name: str, machine: NDArray[Any], arguments: tuple[NDArray[Any], ...]) -> float:
        launch, room = self._launch, self._room
        assert room is not None  # noqa: S101 -- made before the arguments were

        def constants() -> str:
            return fixed(machine, room.struct, self._heads, launch.n_blocks, launch.n_threads)

        module = self._program("together" if launch.planes_in_shared else "together_far", constants)
        return self._start(module.get_function(name), launch.n_blocks, launch.n_threads, launch.shared_bytes, arguments)
