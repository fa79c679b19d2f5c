"""Launch plans: blocks, threads and use of shared memory. Pure arithmetic; no device is needed."""

from __future__ import annotations

from dataclasses import dataclass

from graphtm.engines.cuda.records import Sizes, in_fours
from graphtm.errors import NotEnoughMemoryError
from graphtm.foundation.properties import n_words
from graphtm.model import MachineParams

PLANES = 8
GROUP_WORDS = 404  # struct Group of targets.cuh, rounded up
ENTRY_WORDS = 4  # struct Entry of automata.cuh
# Number of clauses up to which one block is faster than several that wait for each other, and number per block if there
# are more. Graded clauses take longer, so that fewer make a block.
_ALONE, _ALONE_GRADED = 64, 16
_CLAUSES_PER_BLOCK, _CLAUSES_PER_BLOCK_GRADED = 8, 2
MOST_THREADS = 1024
_MOST_HEARD = 1024  # most words of marks of active outputs in shared memory
_LIST = 4096  # true clauses whose votes are summed at a time in prediction
_SAFE_VOTES = 2**16 - 1  # sums of more weights may not fit into 48 bits
NOWHERE = -1


def counter_planes(max_misses: int) -> int:
    """Return the number of bits of a counter of up to ``max_misses`` misses; 0 if clauses are not graded."""
    return max_misses.bit_length()


@dataclass(frozen=True)
class Shape:
    """Sizes of a machine in words.

    Parameters
    ----------
    half0, half1
        Number of 64-bit words of a hypervector and of an inbox.
    words
        Number of 64-bit words of a clause's teams, summed over all layers.
    """

    half0: int
    half1: int
    words: int

    @classmethod
    def of(cls, params: MachineParams) -> Shape:
        half0, half1 = n_words(params.hypervector_size), n_words(params.message_size)
        return cls(half0, half1, 2 * half0 + (params.depth - 1) * 2 * half1)


@dataclass(frozen=True)
class Launch:
    """Launch plan of the cooperative kernel; offsets are 32-bit words in shared memory, or ``NOWHERE``."""

    n_blocks: int
    n_threads: int
    clauses_per_block: int
    n_entries: int
    group: int
    flags: int
    entries: int
    heard: int
    planes: int
    weights: int
    records: int
    record_words: int
    truth: int
    inbox: int
    inbox_words: int
    focus: int
    shared_bytes: int

    @property
    def planes_in_shared(self) -> bool:
        return self.planes != NOWHERE


class _Carver:
    """Allocates shared memory, aligned for 16-byte copies."""

    def __init__(self, n_bytes: int) -> None:
        self.room = n_bytes // 4
        self.used = 0

    def take(self, n: int) -> int:
        """Return the offset of ``n`` words, or ``NOWHERE`` if they do not fit."""
        n = in_fours(n)
        if self.used + n > self.room:
            return NOWHERE
        self.used += n
        return self.used - n

    @property
    def left(self) -> int:
        return self.room - self.used


def plan_together(
    params: MachineParams, sizes: Sizes, n_processors: int, shared_bytes: int, *, n_blocks: int | None = None
) -> Launch:
    """Return the plan for kernels in which all blocks share each graph, as in training.

    Shared memory is allocated by frequency of use: automata, then records of graphs, and so on.

    Parameters
    ----------
    params, sizes
        The machine, and the largest sizes of its graphs.
    n_processors, shared_bytes
        Number of multiprocessors of the device, and shared memory of a block.
    n_blocks
        Number of blocks; chosen automatically if ``None``.

    Raises
    ------
    NotEnoughMemoryError
        If a block would have too many clauses.
    """
    shape, n = Shape.of(params), params.n_clauses
    if n_blocks is None:
        graded = params.max_misses > 0
        n_alone = _ALONE_GRADED if graded else _ALONE
        n_each = _CLAUSES_PER_BLOCK_GRADED if graded else _CLAUSES_PER_BLOCK
        n_blocks = 1 if n <= n_alone else min(n_processors, -(-n // n_each))
    per_block = -(-n // n_blocks)
    n_blocks = -(-n // per_block)  # no block without clauses
    carver = _Carver(shared_bytes)
    group, flags = carver.take(GROUP_WORDS), carver.take(per_block)
    n_entries = min(per_block, max(32, carver.left // 4 // ENTRY_WORDS))
    entries = carver.take(ENTRY_WORDS * n_entries)
    if NOWHERE in (flags, entries) or per_block > _SAFE_VOTES:
        raise NotEnoughMemoryError(
            f"The bookkeeping of a block's clauses must fit into {shared_bytes:,} bytes of shared memory; "
            f"{n:,} clauses are {per_block:,} for each of {n_blocks} blocks. Lower n_clauses, or use engine='cpu'."
        )
    n_heard = strides(params, sizes)["heard_stride"]
    heard = carver.take(n_heard) if n_heard <= _MOST_HEARD else NOWHERE
    planes = carver.take(per_block * PLANES * shape.words * 2)
    # Graphs that are too large are read from global memory; smaller ones are still copied.
    record_words = min(sizes.record, carver.left // 16 * 4 if 2 * sizes.record > carver.left else sizes.record)
    records = carver.take(2 * record_words)
    truth = carver.take(per_block * sizes.truth)
    focus = carver.take(n_entries * shape.words)
    if focus == NOWHERE and carver.left >= 32 * shape.words:
        n_entries = carver.left // (4 * max(1, shape.words)) * 4
        focus = carver.take(n_entries * shape.words)
    weights = carver.take(per_block * params.n_outputs)
    wanted = _inbox_words(params, sizes)
    inbox_words = min(wanted, carver.left // 4 * 4)
    inbox = carver.take(inbox_words)
    return Launch(
        n_blocks=n_blocks,
        n_threads=_threads(per_block, shape, deep_rows=params.depth > 1 and sizes.row_nodes > 0),
        clauses_per_block=per_block,
        n_entries=n_entries,
        group=group,
        flags=flags,
        entries=entries,
        heard=heard,
        planes=planes,
        weights=weights,
        records=records,
        record_words=record_words,
        truth=truth,
        inbox=inbox,
        inbox_words=inbox_words,
        focus=focus,
        shared_bytes=4 * carver.used,
    )


def _threads(per_block: int, shape: Shape, *, deep_rows: bool) -> int:
    """Return the threads of a block: a warp per clause and one to prepare, or more for many automata or tiles."""
    wanted = MOST_THREADS if deep_rows else max(32 * per_block + 32, per_block * shape.words // 2, 128)
    return min(MOST_THREADS, -(-wanted // 32) * 32)


def _inbox_words(params: MachineParams, sizes: Sizes) -> int:
    """Return the words of the inboxes of the largest graph: of one layer by rows, or of all layers by nodes."""
    of_a_layer = strides(params, sizes)
    return max(of_a_layer["inbox_stride"], (params.depth - 1) * of_a_layer["posts_stride"])


def strides(params: MachineParams, sizes: Sizes) -> dict[str, int]:
    """Return strides in words: of truth rows, of the inboxes of a layer by rows and by nodes, of marks of outputs."""
    deep = params.depth > 1
    return {
        "truth_stride": sizes.truth,
        "inbox_stride": in_fours(params.message_size * sizes.row_stride) if deep else 0,
        "posts_stride": in_fours(sizes.node_nodes * 2 * n_words(params.message_size)),
        "heard_stride": 2 * n_words(params.n_outputs),
    }


def global_words(params: MachineParams, sizes: Sizes, launch: Launch, n_examples: int = 0) -> dict[str, int]:
    """Return the sizes of the cooperative kernel's global memory in words, for ``n_examples`` at a time."""
    shape, n_layers, apart = Shape.of(params), params.depth - 1, strides(params, sizes)
    deep_rows = n_layers > 0 and sizes.row_nodes > 0
    return {
        "global_truth": params.n_clauses * sizes.truth if deep_rows or launch.truth == NOWHERE else 0,
        "global_sent": sizes.row_nodes * 2 * shape.half1 if deep_rows else 0,
        "global_inbox": n_layers * apart["inbox_stride"],
        "global_posts": 2 * n_layers * apart["posts_stride"],
        "global_focus": launch.n_blocks * launch.n_entries * shape.words if launch.focus == NOWHERE else 0,
        "global_heard": launch.n_blocks * apart["heard_stride"] if launch.heard == NOWHERE else 0,
        "slots": 2 * n_examples * slots_per_example(params)[0],
        "barrier": 1,
    }


@dataclass(frozen=True)
class Desk:
    """Launch plan with one graph per block; offsets are 32-bit words in shared memory, or ``NOWHERE``."""

    n_blocks: int
    n_threads: int
    truth: int
    truth_rows: int
    inbox: int
    inbox_words: int
    sent: int
    list: int
    list_room: int
    shared_bytes: int


def plan_alone(
    params: MachineParams, sizes: Sizes, n_processors: int, shared_bytes: int, *, for_nodes: bool, most_bytes: int
) -> Desk | None:
    """Return the plan for prediction with one graph per block, or ``None`` if the graphs are too large.

    Parameters
    ----------
    params, sizes, n_processors, shared_bytes
        As for :func:`plan_together`.
    for_nodes
        Whether to return the truth at every node.
    most_bytes
        Largest global memory of all blocks.
    """
    shape = Shape.of(params)
    n_threads = MOST_THREADS // 2
    carver = _Carver(shared_bytes)
    if carver.take(sizes.record) == NOWHERE:
        return None
    graded = params.max_misses > 0
    list_room = min(_LIST, params.n_clauses) if params.n_outputs > 32 else 0
    listed = carver.take(1 + list_room * (2 if graded else 1))  # of clauses, and of their strengths
    inbox = inbox_words = sent = 0
    if params.depth > 1:
        rows = params.message_size * sizes.row_stride
        turned = sizes.row_nodes * (2 * shape.half1 | 1)
        nodes = sizes.node_nodes * 2 * shape.half1
        # Graded clauses read the inboxes of all layers at once, others one layer after the other.
        inbox_words = in_fours(max(rows, nodes)) if graded else 0
        inbox = carver.take(inbox_words * (params.depth - 1) or max(rows, nodes))
        sent = carver.take(max(rows, turned, nodes))
    if NOWHERE in (listed, inbox, sent):
        return None
    truth_rows = n_threads // 32 if params.depth == 1 and not for_nodes else params.n_clauses
    truth = carver.take(truth_rows * sizes.truth)
    # With small graphs, a multiprocessor can run more than one block.
    per_processor = max(1, min(2, shared_bytes // max(1, 4 * carver.used + 1024)))
    n_blocks = n_processors * per_processor
    if truth == NOWHERE:
        n_blocks = min(n_blocks, most_bytes // max(1, 4 * truth_rows * sizes.truth))
        if n_blocks < max(1, n_processors // 4):
            return None
    return Desk(n_blocks, n_threads, truth, truth_rows, inbox, inbox_words, sent, listed, list_room, 4 * carver.used)


def slots_per_example(params: MachineParams) -> tuple[int, bool]:
    """Return the number of 64-bit words for the votes of an example, and whether each output needs two."""
    wide = params.n_clauses * (params.max_misses + 1) > _SAFE_VOTES
    return params.n_outputs * (2 if wide else 1), wide
