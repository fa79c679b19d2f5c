"""Conversion of states, graphs and targets to and from the arrays of the kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import EncodedBatch
from graphtm.engines.cpu import structs
from graphtm.engines.cpu.vectors import HALF, PLAIN, WIDE
from graphtm.engines.cpu.words import ONES, U
from graphtm.engines.random import Purpose, mask_digits, purpose_key
from graphtm.engines.targets import Targets
from graphtm.foundation.arrays import pointers
from graphtm.foundation.properties import n_words, pack_bits, unpack_bits
from graphtm.model import MachineParams, MachineSize, MachineState

_PURPOSES = (Purpose.FOCUS, Purpose.OUTPUT, Purpose.UPDATE, Purpose.MASK)
_LINE = 64  # bytes of a cache line, and of the widest vector
# Teams that include more literals, or have more than 2^16, are scanned word by word.
_LONGEST_LIST = 512  # lists of small teams are shorter: a long list takes more memory than the team
_TILE_COST = 1000  # of transposing 64 bits of 512 nodes, in vector comparisons; measured
_ROW_COST = 16  # approximate number of literals examined per clause
# Graded clauses count at each comparison, which takes longer, and examine more literals.
_GRADED_TILE_COST = 300
_GRADED_ROW_COST = 64
_COLUMN_WORDS, _COLUMN_CLAUSES = 8, 512  # smaller teams, or fewer clauses, are evaluated fast without columns
_COLUMN_ROOM, _FORCED_ROOM = 8192, 200  # most false literals of 512 nodes for which columns are used
_COLUMN_GAIN = 48  # so many false literals of 512 nodes cost about as much as one row for each clause
_PIECE = 1 << 20  # number of automata packed or unpacked at a time


@dataclass(frozen=True)
class Team:
    """Shape of the teams of a layer."""

    half: int  # words of the bits, without the negations
    step: int  # words of a vector
    words: int  # words of a team
    stride: int  # words from the literals of one node to those of the next
    room: int  # capacity of a list; 0 if literal numbers need more than 16 bits

    @classmethod
    def of(cls, size: int, vectors: bool) -> Team:
        """Return the shape for this number of bits; teams of up to four words use vectors of four."""
        half = n_words(size)
        step = (4 if 2 * half <= 4 else 8) if vectors else 1
        words = _up(2 * half, step)
        room = 128 if half <= 4 else _LONGEST_LIST if half <= 512 else 0
        return cls(half, step, words, _up(half + _up(half, step), step), room)


def _up(n: int, step: int) -> int:
    return -(-n // step) * step


def widths(vectors: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the widths that kernels take: of full vectors, and of those for small teams."""
    return (WIDE, HALF) if vectors else (PLAIN, PLAIN)


def kinds(params: MachineParams) -> tuple[bool | None, bool | None]:
    """Return the kinds of clauses that kernels take, exact and graded: ``None`` for the kind that is not used."""
    return (True, None) if params.max_misses == 0 else (None, True)


def aligned(n: int, dtype: Any) -> NDArray[Any]:
    """Return an array of zeros aligned to a cache line."""
    size = n * np.dtype(dtype).itemsize
    room = np.zeros(size + _LINE, np.uint8)
    first = -room.ctypes.data % _LINE
    return room[first : first + size].view(dtype)


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only, contiguous view: kernels are compiled for one array type."""
    view = np.ascontiguousarray(array).view(np.ndarray)
    view.flags.writeable = False
    return view


def teams(params: MachineParams | MachineSize, vectors: bool) -> tuple[Team, Team]:
    """Return the shapes of the teams at layer 0 and at the layers above."""
    return Team.of(params.hypervector_size, vectors), Team.of(params.message_size, vectors)


def column_room(params: MachineParams | MachineSize, rows: str) -> int:
    """Return the most false literals of 512 nodes for which columns are used, of the bits or of the negations."""
    if not any(have_columns(params, rows)):
        return 0
    return _COLUMN_ROOM if rows == "auto" else _FORCED_ROOM


def column_words(params: MachineParams | MachineSize, rows: str) -> int:
    """Return the number of words of the columns."""
    first, others = have_columns(params, rows)
    half = n_words(params.hypervector_size) * first + n_words(params.message_size) * (params.depth - 1) * others
    return -(-params.n_clauses // 512) * half * 1024


def have_columns(params: MachineParams | MachineSize, rows: str) -> tuple[bool, bool]:
    """Return whether layer 0 and the layers above have columns."""
    if params.max_misses or rows in ("never", "always"):
        return False, False
    if rows == "columns":
        return True, params.depth > 1
    many, sizes = params.n_clauses >= _COLUMN_CLAUSES, (params.hypervector_size, params.message_size)
    first, others = (many and n_words(size) >= _COLUMN_WORDS for size in sizes)
    return first, others and params.depth > 1


def n_planes(params: MachineParams) -> int:
    """Return the number of bit planes of a counter of misses, 0 if clauses are not graded."""
    return 0 if params.max_misses == 0 else 4 if params.max_misses < 15 else 8


def machine_of(params: MachineParams, state: MachineState, vectors: bool, rows: str = "auto") -> structs.Machine:
    """Return a machine in the form of the kernels; the arrays are copied."""
    below, above = teams(params, vectors)
    columns = have_columns(params, rows)
    n, layers = params.n_clauses, params.depth
    words = n * (below.words + (layers - 1) * above.words)
    planes, includes = aligned(words * structs.LOW_PLANES, np.uint64), aligned(words * (1 + any(columns)), np.uint64)
    at, lift = 0, _lift(params)
    for layer, states in enumerate(state.automata):
        team = above if layer else below
        # A few clauses at a time keep temporary arrays small compared to the machine.
        for some in _pieces(n, states.shape[1]):
            _pack(states[some] + lift, lift, team, planes, includes, at + some.start * team.words)
        at += n * team.words
    code = np.zeros((n, 0), np.int32) if params.message_code is None else params.message_code.positions.copy()
    ptr, owners = _owners(params)
    digits = np.array([mask_digits(s) for s in params.s_per_layer], dtype=np.int64)
    limit = params.max_included_literals
    graded = params.max_misses > 0
    tile_cost, row_cost = (_GRADED_TILE_COST, _GRADED_ROW_COST) if graded else (_TILE_COST, _ROW_COST)
    return structs.Machine(
        planes=planes,
        includes=includes,
        columns=aligned(column_words(params, rows), np.uint64),
        lists=aligned(n * (below.room + (layers - 1) * above.room), np.uint16),
        list_sizes=np.zeros(layers * n, np.int32),
        ages=np.repeat(np.array([structs.CHANGED, 1], np.uint8), layers * n),
        included=np.zeros((layers + 1) * n, np.int32),
        weights=state.weights.reshape(-1).copy(),
        code=code.reshape(-1),
        owner_ptr=ptr,
        owners=owners,
        valid0=_valid(params.hypervector_size, below),
        valid1=_valid(params.message_size, above),
        bottom=np.where(np.arange(structs.LOW_PLANES) < params.state_bits - 1, U(0), ONES),
        mask_k=np.ascontiguousarray(digits[:, 0]),
        mask_n=np.ascontiguousarray(digits[:, 1]),
        purpose_keys=np.concatenate([purpose_key(params.seed, purpose) for purpose in _PURPOSES]),
        n_clauses=n,
        n_outputs=params.n_outputs,
        depth=layers,
        T=params.T,
        max_misses=params.max_misses,
        n_planes=n_planes(params),
        first_count=(1 << n_planes(params)) - 1 - params.max_misses,
        limited=limit is not None,
        limit=2**62 if limit is None else limit,
        n_types=max(1, params.n_node_types),
        message_size=params.message_size,
        code_bits=code.shape[1],
        half0=below.half,
        half1=above.half,
        words0=below.words,
        words1=above.words,
        room0=below.room,
        room1=above.room,
        shown=words,
        columns0=columns[0],
        columns1=columns[1],
        column_room=column_room(params, rows),
        column_gain=_COLUMN_GAIN if rows == "auto" else 1 << 20,
        tile_cost=tile_cost if rows == "auto" else 0,
        row_cost=row_cost if rows == "auto" else 1 << 20 if rows == "never" else 0,
        eight_bits=params.state_bits == 8,
        boost=params.boost_true_positive,
        by_class=params.negative_sampling == "class",
    )


def state_of(params: MachineParams, machine: structs.Machine, step: int, vectors: bool) -> MachineState:
    """Return the learned state in its canonical form."""
    automata, at = [], 0
    shapes = teams(params, vectors)
    for layer in range(params.depth):
        team = shapes[min(layer, 1)]
        states = np.zeros((params.n_clauses, 2 * params.layer_size(layer)), np.uint8)
        for some in _pieces(*states.shape):
            first = at + some.start * team.words
            _unpack(
                params.layer_size(layer), _lift(params), team, machine.planes, machine.includes, states[some], first
            )
        automata.append(states)
        at += params.n_clauses * team.words
    return MachineState(tuple(automata), machine.weights.reshape(params.n_outputs, params.n_clauses).copy(), step)


def votes_of(params: MachineParams, machine: structs.Machine, vectors: bool) -> NDArray[np.uint64]:
    """Return the weights by clause as 64-bit words; rows of outputs are padded to whole vectors."""
    votes = np.zeros((params.n_clauses, _up(params.n_outputs, len(widths(vectors)[0]))), np.int64)
    votes[:, : params.n_outputs] = machine.weights.reshape(params.n_outputs, params.n_clauses).T
    return votes.view(np.uint64).reshape(-1)


def _pieces(n_clauses: int, n_literals: int) -> list[slice]:
    step = max(1, _PIECE // max(1, n_literals))
    return [slice(first, min(first + step, n_clauses)) for first in range(0, n_clauses, step)]


def _lift(params: MachineParams) -> np.uint8:
    """Return the offset to add to states so that literals are included from 128 on for any number of bits."""
    return np.uint8(128 - (1 << (params.state_bits - 1)))


def _pack(
    states: NDArray[np.uint8],
    lift: np.uint8,
    team: Team,
    planes: NDArray[np.uint64],
    includes: NDArray[np.uint64],
    at: int,
) -> None:
    """Write the states of some clauses as bit planes, starting at word ``at``."""
    n, low, size = len(states), structs.LOW_PLANES, states.shape[1] // 2
    vectors = planes[at * low : (at + n * team.words) * low].reshape(n, team.words // team.step, low, team.step)
    padding = ~_valid(size, team)[: team.words]
    for bit in range(low + 1):
        ones = (states >> np.uint8(bit) & np.uint8(1)).astype(np.bool_)
        # Padding has the lowest state, so that it never moves down.
        words = np.zeros((n, team.words), np.uint64) | (padding if lift >> bit & 1 else U(0))
        words[:, : team.half] |= pack_bits(ones[:, :size])
        words[:, team.half : 2 * team.half] |= pack_bits(ones[:, size:])
        if bit < low:
            vectors[:, :, bit, :] = words.reshape(n, -1, team.step)
        else:
            includes[at : at + n * team.words] = words.reshape(-1)


def _unpack(
    size: int,
    lift: np.uint8,
    team: Team,
    planes: NDArray[np.uint64],
    includes: NDArray[np.uint64],
    states: Any,
    at: int,
) -> None:
    """Read the states of some clauses from bit planes, starting at word ``at``."""
    n, low = len(states), structs.LOW_PLANES
    vectors = planes[at * low : (at + n * team.words) * low].reshape(n, team.words // team.step, low, team.step)
    for bit in range(low + 1):
        words = vectors[:, :, bit, :] if bit < low else includes[at : at + n * team.words]
        halves = np.ascontiguousarray(words).reshape(n, team.words)[:, : 2 * team.half].reshape(n, 2, team.half)
        for part in range(2):
            ones = unpack_bits(np.ascontiguousarray(halves[:, part]), size)
            states[:, part * size : (part + 1) * size] |= ones.astype(np.uint8) << np.uint8(bit)
    states -= lift


def _owners(params: MachineParams) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return the clauses that own each message bit."""
    if params.message_code is None or params.depth == 1:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    positions = params.message_code.positions
    order = np.argsort(positions.reshape(-1), kind="stable")
    counts = np.bincount(positions.reshape(-1), minlength=params.message_size)
    return pointers(counts).copy(), (order // positions.shape[1]).astype(np.int32)


def _valid(size: int, team: Team) -> NDArray[np.uint64]:
    """Return the mask of the bits of a team that are literals, padded for vectors that extend past the end."""
    valid = aligned(team.stride, np.uint64)
    valid[: team.half] = valid[team.half : 2 * team.half] = pack_bits(np.ones((1, size), np.bool_)).reshape(-1)
    return valid


def graphs_of(graphs: EncodedBatch, team: Team) -> structs.Graphs:
    """Return graphs in the form of the kernels; their bits are not copied."""
    always = np.zeros(team.stride, np.uint64)
    if graphs.n_nodes:
        always[: team.half] = _over_all(np.bitwise_and, graphs.bits)
        always[team.half : 2 * team.half] = ~_over_all(np.bitwise_or, graphs.bits)
    return structs.Graphs(
        bits=frozen(graphs.bits.reshape(-1)),
        node_ptr=frozen(graphs.node_ptr),
        edge_ptr=frozen(graphs.in_edges.ptr),
        edge_sources=frozen(graphs.in_edges.neighbours),
        edge_types=frozen(graphs.in_edges.types),
        node_types=frozen(np.zeros(0, np.int32) if graphs.node_types is None else graphs.node_types),
        readout=frozen(np.zeros(0, np.bool_) if graphs.readout is None else graphs.readout),
        always=frozen(always),
    )


def _over_all(function: Any, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Reduce the bits of all nodes; long rows first, which NumPy does at memory speed."""
    n, words = bits.shape
    whole = n // 512 * 512
    parts = [function.reduce(bits[whole:], axis=0)] if whole < n else []
    if whole:
        row = function.reduce(bits[:whole].reshape(whole // 512, 512 * words), axis=0)
        parts.append(function.reduce(row.reshape(512, words), axis=0))
    return np.asarray(function.reduce(np.stack(parts), axis=0), dtype=np.uint64)


def examples_of(targets: Targets, order: NDArray[np.int64]) -> structs.Examples:
    """Return targets in the form of the kernels."""
    return structs.Examples(
        ptr=frozen(targets.ptr),
        outputs=frozen(targets.outputs),
        values=frozen(targets.values),
        gates=frozen(targets.gates),
        weights=frozen(targets.weights),
        order=frozen(order),
        silent=targets.silent,
    )


def graphs_only(order: NDArray[np.int64]) -> structs.Examples:
    """Return an order of graphs without targets, for prediction."""
    no_words, no_numbers = frozen(np.zeros(0, np.uint64)), frozen(np.zeros(0, np.int32))
    return structs.Examples(
        frozen(np.zeros(1, np.int64)), no_numbers, no_numbers, no_words, no_words, frozen(order), False
    )
