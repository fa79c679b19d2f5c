"""Prediction: which graphs a block answers for alone, and which are so large that all blocks must do it together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.engines.cuda import structs
from graphtm.engines.cuda.kernels import fixed
from graphtm.engines.cuda.launching import Launcher
from graphtm.engines.cuda.memory import Desks, DeviceGraphs, DeviceMachine
from graphtm.engines.cuda.plan import Desk
from graphtm.engines.cuda.records import Sizes, common_of, sizes_of
from graphtm.engines.cuda.runs import Pace

_POINTERS = 2**64 - 1
Start: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], float]
"""Launches a kernel for graphs and their answers, both given as structs; returns the seconds it took."""


@dataclass(frozen=True, eq=False)
class Share:
    """Graphs that are answered in the same way.

    Parameters
    ----------
    graphs
        Their numbers, ascending; ``None`` for all.
    sizes, common
        The largest of them, and in what all agree.
    desk
        How a block works on each, or ``None`` if all blocks must work on it together.
    """

    graphs: NDArray[np.int64] | None
    sizes: Sizes
    common: Mapping[str, int]
    desk: Desk | None

    def among(self, first: int, n: int) -> NDArray[np.int64] | slice:
        """Return the places of its graphs among ``n`` from this one on."""
        if self.graphs is None:
            return slice(None)
        begin, end = np.searchsorted(self.graphs, (first, first + n))
        return self.graphs[begin:end] - first


def shares(
    heads: NDArray[Any], sizes: Sizes, common: Mapping[str, int], plan: Callable[[Sizes], Desk | None]
) -> list[Share]:
    """Return how to answer for graphs: a few large ones must not slow down all others.

    Parameters
    ----------
    heads, sizes, common
        Of the graphs.
    plan
        Returns how a block works on a graph of at most such sizes, or ``None`` if it cannot.
    """
    desk = plan(sizes)
    if desk is not None:
        return [Share(None, sizes, common, desk)]
    most = sizes.record
    while most:
        small = heads["n_words"] <= most
        desk = plan(sizes_of(heads[small])) if small.any() else None
        if desk is not None:
            return [
                Share(np.flatnonzero(mask), sizes_of(heads[mask]), common_of(heads[mask]), how)
                for mask, how in ((small, desk), (~small, None))
                if mask.any()
            ]
        most //= 2
    return [Share(None, sizes, common, None)]


def alone(cupy: Any, machine: DeviceMachine, launcher: Launcher, share: Share, desk: Desk) -> Start:
    """Return what launches a block for each graph of a share."""
    room = Desks(cupy, machine, share.sizes, desk)
    constants = fixed(machine.struct, room.struct, share.common, None, desk.n_threads)

    def start(graphs: NDArray[Any], answers: NDArray[Any]) -> float:
        arguments = (machine.struct, graphs, room.struct, answers)
        return launcher.launch(
            "alone", "predict", constants, desk.n_blocks, desk.n_threads, desk.shared_bytes, arguments
        )

    return start


@dataclass(frozen=True, eq=False)
class Way:
    """How the graphs of a share are answered: what launches that, and how many graphs at a time."""

    share: Share
    start: Start
    pace: Pace

    def answer(
        self,
        cupy: Any,
        what: str,
        packed: DeviceGraphs,
        heads: Any,
        first: int,
        work: NDArray[np.int64],
        answers: Any,
        row_of_node_0: int,
    ) -> None:
        """Answer for those graphs of the share that are among some that follow one another.

        Parameters
        ----------
        cupy
            The module, on the device at hand.
        what
            The kind of answers: ``"sums"``, ``"truth"`` or ``"nodes"``.
        packed, heads
            Graphs on the device, and the heads of those to answer for.
        first, work
            Number of the first of them, and how much work each is.
        answers
            Array to fill, a row for each graph or node.
        row_of_node_0
            Where in it the answers for the device's first node would be, perhaps before its beginning.
        """
        places = self.share.among(first, len(work))
        todo = work[places]
        if not len(todo):
            return
        # Answers for nodes find their places by the numbers of nodes, others by the order of the graphs.
        apart = what != "nodes" and not isinstance(places, slice)
        which = places if isinstance(places, slice) else cupy.asarray(places)
        chosen = heads[which]
        own = cupy.zeros((len(todo), answers.shape[1]), answers.dtype) if apart else answers
        for piece in self.pace.pieces(todo):
            struct = answers_at(what, own, row_of_node_0 if what == "nodes" else piece.start)
            self.pace.note(float(todo[piece].sum()), self.start(packed.struct(chosen[piece]), struct))
        if apart:
            answers[which] = own


def answers_at(what: str, array: Any, row: int) -> NDArray[Any]:
    """Return the struct with which kernels write answers of one kind into an array, from this row on.

    A row before the first stands for one that the kernel will not write.
    """
    pointer = array.data.ptr + row * array.shape[1] * array.itemsize & _POINTERS
    return structs.filled(structs.ANSWERS, **(dict.fromkeys(("sums", "truth", "nodes"), 0) | {what: pointer}))
