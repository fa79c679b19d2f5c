"""Working memory of the kernels, and its size in bytes before it is allocated."""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu import structs
from graphtm.engines.cpu.layout import Team, aligned, column_room, column_words, n_planes, teams
from graphtm.foundation.resources import require_memory
from graphtm.model import MachineParams, MachineSize

_FEW = 8 * 64 + 8  # literals of eight words, and room to write some before their number is known


def shared_room(
    params: MachineParams, most_nodes: int, n_threads: int, vectors: bool, rows: str = "auto"
) -> structs.Shared:
    """Return working memory for graphs of up to ``most_nodes`` nodes, shared by ``n_threads`` threads."""
    below, above = teams(params, vectors)
    sizes = _shared_words(params, most_nodes, n_threads, below, above)
    words = {name: aligned(n, np.uint64) for name, n in sizes.items()}
    n = params.n_clauses
    return structs.Shared(
        alive=np.zeros(n, np.int32),
        true=np.zeros(n, np.int32),
        missed=np.zeros(n, np.int32),
        focus=np.zeros(n, np.int64),
        false=np.zeros(_n_false(params, most_nodes, rows), np.int32),
        columns_shown=True,
        sums=np.zeros(2 * n_threads * params.n_outputs, np.int64),
        most_nodes=most_nodes,
        n_senders=_n_senders(most_nodes, n_threads),
        stride0=below.stride,
        stride1=above.stride,
        stride_sent=_sent_words(above),
        **words,
    )


def private_room(params: MachineParams) -> structs.Private:
    """Return the working memory of one thread."""
    flags = aligned(-(-params.n_clauses // 8) * 8, np.uint8)
    return structs.Private(
        tile=aligned(512, np.uint64),
        nodes=aligned(8, np.uint64),
        few=aligned(_FEW, np.uint16),
        active=np.zeros(params.n_outputs, np.int32),
        wanted=np.zeros(params.n_outputs, np.int64),
        chosen=np.zeros(params.n_clauses, np.int32),
        flags=flags,
        eights=flags.view(np.uint64),
        pending=aligned(params.n_clauses, np.uint64),
    )


def shared_bytes(params: MachineParams, most_nodes: int, n_threads: int, vectors: bool, rows: str = "auto") -> int:
    """Return the bytes that :func:`shared_room` takes."""
    below, above = teams(params, vectors)
    words = sum(_shared_words(params, most_nodes, n_threads, below, above).values())
    false = 4 * _n_false(params, most_nodes, rows)
    return 8 * words + false + 20 * params.n_clauses + 16 * n_threads * params.n_outputs


def require_room(params: MachineParams, most_nodes: int, n_threads: int, vectors: bool, rows: str = "auto") -> None:
    """Check that there is enough memory to evaluate the largest graph.

    Raises
    ------
    NotEnoughMemoryError
        If there is not.
    """
    below, above = teams(params, vectors)
    words = _shared_words(params, most_nodes, n_threads, below, above)
    advice = f"Lower n_clauses (now {params.n_clauses:,}), or use smaller graphs"
    if params.depth > 1 and words["literals"] + words["messages"] > words["truth"]:
        advice = (
            f"Lower message_size (now {params.message_size:,}) or depth (now {params.depth}), or use smaller graphs"
        )
    elif words["literals"] + words["rows"] > words["truth"]:
        advice = f"Lower hypervector_size (now {params.hypervector_size:,}), or use smaller graphs"
    needed = shared_bytes(params, most_nodes, n_threads, vectors, rows) + n_threads * private_bytes(params)
    require_memory(needed, f"Evaluating a graph of {most_nodes:,} nodes", advice)


def machine_bytes(params: MachineParams | MachineSize, vectors: bool, rows: str = "auto") -> int:
    """Return the bytes that a machine takes in the engine."""
    below, above = teams(params, vectors)
    layers = params.depth - 1
    words = below.words + layers * above.words
    lists = below.room + layers * above.room
    columns = column_words(params, rows)
    planes = structs.LOW_PLANES + (2 if columns else 1)  # with the include bits, and those that the columns show
    per_clause = 8 * words * planes + 2 * lists + 10 * params.depth + 4 + 4 * params.n_outputs
    return params.n_clauses * per_clause + 8 * columns


def _n_false(params: MachineParams, most_nodes: int, rows: str) -> int:
    room = column_room(params, rows)
    return 2 + (structs.PLACES + most_nodes + 2 * room * -(-most_nodes // 512) if room else 0)


def private_bytes(params: MachineParams) -> int:
    """Return the bytes that :func:`private_room` takes."""
    return 12 * params.n_clauses + -(-params.n_clauses // 8) * 8 + 12 * params.n_outputs + 8 * (512 + 8) + 2 * _FEW


def _n_senders(most_nodes: int, n_threads: int) -> int:
    # A buffer per thread is faster for few nodes; for many, it would take too much memory.
    return n_threads if most_nodes <= 4096 else 1


def _sent_words(above: Team) -> int:
    # The bits twice, and padding for a vector plus one word that starts in the second copy.
    return 2 * above.half + 16


def _shared_words(params: MachineParams, most_nodes: int, n_threads: int, below: Team, above: Team) -> dict[str, int]:
    blocks = -(-most_nodes // 512)
    layers = params.depth - 1
    return {
        "truth": blocks * params.n_clauses * 8,
        "counters": blocks * params.n_clauses * 8 * n_planes(params) if layers else 0,
        "start": blocks * max(1, params.n_node_types) * 8,
        "read": blocks * 8,
        "literals": most_nodes * (below.stride + layers * above.stride),
        "rows": blocks * 1024 * max(below.half, above.half if layers else 0),
        "missing": blocks * max(below.words, above.words if layers else 0) + 8,
        "messages": _n_senders(most_nodes, n_threads) * most_nodes * _sent_words(above) if layers else 0,
    }
