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
from graphtm.engines.cuda.memory import Desks, DeviceMachine
from graphtm.engines.cuda.plan import Desk
from graphtm.engines.cuda.records import Sizes, common_of, sizes_of

_POINTERS = 2**64 - 1
Start: TypeAlias = Callable[[NDArray[Any], NDArray[Any]], float]
"""Launches a kernel for graphs and their answers, both given as structs; returns the seconds it took."""


@dataclass(frozen=True, eq=False)
class Share:
    """Graphs that are answered in the same way.

    Parameters
    ----------
    which
        Their places among the graphs to answer for.
    sizes, common
        The largest of them, and in what all agree.
    desk
        How a block works on each, or ``None`` if all blocks must work on it together.
    """

    which: NDArray[np.int64] | slice
    sizes: Sizes
    common: Mapping[str, int]
    desk: Desk | None


def shares(
    heads: NDArray[Any],
    graphs: NDArray[np.int64],
    sizes: Sizes,
    common: Mapping[str, int],
    plan: Callable[[Sizes], Desk | None],
) -> list[Share]:
    """Return how to answer for graphs: a few large ones must not slow down all others.

    Parameters
    ----------
    heads
        Of all graphs.
    graphs
        Those to answer for.
    sizes, common
        Of all graphs; used if that suffices, so that the same kernels serve all.
    plan
        Returns how a block works on a graph of at most such sizes, or ``None`` if it cannot.
    """
    desk = plan(sizes)
    if desk is not None:
        return [Share(slice(None), sizes, common, desk)]
    heads = heads[graphs]
    most = int(heads["n_words"].max(initial=0))
    while most:
        small = heads["n_words"] <= most
        some = heads[small]
        desk = plan(sizes_of(some)) if len(some) else None
        if desk is not None:
            alone = Share(np.flatnonzero(small), sizes_of(some), common_of(some), desk)
            large = heads[~small]
            together = Share(np.flatnonzero(~small), sizes_of(large), common_of(large), None)
            return [alone, together] if len(large) else [alone]
        most //= 2
    return [Share(slice(None), sizes, common, None)]


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


def answers_at(what: str, array: Any, row: int) -> NDArray[Any]:
    """Return the struct with which kernels write answers of one kind into an array, from this row on.

    A row before the first stands for one that the kernel will not write.
    """
    pointer = array.data.ptr + row * array.shape[1] * array.itemsize & _POINTERS
    return structs.filled(structs.ANSWERS, **(dict.fromkeys(("sums", "truth", "nodes"), 0) | {what: pointer}))
