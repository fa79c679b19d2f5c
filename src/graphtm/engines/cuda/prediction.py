"""Prediction: one graph per block, or, for graphs that are too large, all blocks on each graph."""

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
"""Launches a kernel, given the structs of graphs and results; returns the seconds it took."""


@dataclass(frozen=True, eq=False)
class Share:
    """Graphs that are predicted in the same way.

    Parameters
    ----------
    graphs
        Numbers of the graphs, ascending; ``None`` for all.
    sizes, common
        Largest sizes of the graphs, and fields of heads that are the same for all.
    desk
        Plan for one graph per block, or ``None`` if all blocks must share each graph.
    """

    graphs: NDArray[np.int64] | None
    sizes: Sizes
    common: Mapping[str, int]
    desk: Desk | None

    def among(self, first: int, n: int) -> NDArray[np.int64] | slice:
        """Return the positions of its graphs among the ``n`` graphs starting at ``first``."""
        if self.graphs is None:
            return slice(None)
        begin, end = np.searchsorted(self.graphs, (first, first + n))
        return self.graphs[begin:end] - first


def shares(
    heads: NDArray[Any], sizes: Sizes, common: Mapping[str, int], plan: Callable[[Sizes], Desk | None]
) -> list[Share]:
    """Split graphs by how they are predicted, so that a few large ones do not slow down the rest.

    Parameters
    ----------
    heads, sizes, common
        Heads of the graphs, their largest sizes, and fields that are the same for all.
    plan
        Function that returns the plan for one graph per block, or ``None`` if graphs of these sizes are too large.
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
    """Return a function that launches prediction with one graph per block."""
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
    """How to predict the graphs of a share: the function that launches kernels, and how many graphs at a time."""

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
        """Predict the graphs of the share among a range of consecutive graphs.

        Parameters
        ----------
        cupy
            The module, on the current device.
        what
            Kind of results: ``"sums"``, ``"outputs"`` or ``"nodes"``.
        packed, heads
            Graphs on the device, and heads of the graphs of the range.
        first, work
            Number of the first graph of the range, and work per graph.
        answers
            Output array with a row for each graph or node of the range.
        row_of_node_0
            Row of the first node on the device; negative if that node is before the range.
        """
        places = self.share.among(first, len(work))
        todo = work[places]
        if not len(todo):
            return
        # Results for nodes are placed by node number, others by the order of the graphs.
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
    """Return the struct for kernels that write one kind of results into an array, starting at ``row``.

    The row may be negative if the kernel does not write there.
    """
    pointer = array.data.ptr + row * array.shape[1] * array.itemsize & _POINTERS
    return structs.filled(structs.ANSWERS, **(dict.fromkeys(("sums", "outputs", "nodes"), 0) | {what: pointer}))
