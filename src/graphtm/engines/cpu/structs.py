"""Data of the kernels: flat arrays in named tuples.

A *team* is the automata of one clause at one layer. Its literals are numbered as in section 2 of
``docs/semantics.md``: the words of the bits, then the words of their negations. A team takes ``words`` words, rounded
up to whole vectors; padding bits are never included and never move up. Nodes are processed in blocks of 512, which are
eight words of node bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from graphtm.engines.cpu.compiling import inlined

LOW_PLANES = 7  # bits of a state below the highest
CHANGED = 3  # age of a team that has just changed
PLACES = 65  # room for the places of false literals of the last nodes, rounded up to 64, and for their end


class Machine(NamedTuple):
    """A machine in the form of the kernels."""

    planes: Any  # uint64: per team and vector, the lower bits of the states, one vector per bit
    includes: Any  # uint64: per team, the highest bits of the states; from ``shown`` on, those that columns show
    columns: Any  # uint64: per layer, 512 clauses and literal, which of the clauses include it
    lists: Any  # uint16: per team, the included literals, padded by repetition to a multiple of 4
    list_sizes: Any  # int32: per team, the length of its list; -1 if it is too long
    ages: Any  # uint8: per team, 0 if its list is valid, CHANGED if it has just changed, less in later examples; then,
    # per team, 1 if columns may not show it
    included: Any  # int32: per team, the number of included literals, valid if limited and counted since it changed;
    # then, per clause, their sum over the layers
    weights: Any  # int32 (outputs, clauses)
    code: Any  # int32 (clauses, code_bits): the message bits of each clause
    owner_ptr: Any  # int64: message bit b is owned by the clauses owners[owner_ptr[b] : owner_ptr[b + 1]]
    owners: Any  # int32
    valid0: Any  # uint64 (stride0): mask of the bits that are literals
    valid1: Any  # uint64 (stride1)
    bottom: Any  # uint64 (LOW_PLANES): the bits of the lowest state, all ones or all zeros
    mask_k: Any  # int64 (layers): mask bits are 1 with probability k / 2^n
    mask_n: Any
    purpose_keys: Any  # uint64: keys of the purposes focus, output, update, mask
    n_clauses: int
    n_outputs: int
    depth: int
    T: int
    max_misses: int
    n_planes: int  # of a counter of misses, 0 if clauses are not graded
    first_count: int  # value of a counter without a miss
    limited: bool
    limit: int
    n_types: int  # number of node types, 1 if untyped
    message_size: int
    code_bits: int
    half0: int  # words of the bits of layer 0, without the negations
    half1: int
    words0: int
    words1: int
    room0: int  # capacity of a list
    room1: int
    shown: int  # where the include bits that columns show begin
    columns0: bool  # whether layer 0 has columns
    columns1: bool
    column_room: int  # most false literals of 512 nodes for which columns are used
    column_gain: int  # false literals of 512 nodes that cost as much as one row for each clause
    tile_cost: int  # of transposing a tile, in vector comparisons
    row_cost: int  # of evaluating a clause row by row, in vector comparisons
    eight_bits: bool  # whether states have eight bits
    boost: bool
    by_class: bool


class Graphs(NamedTuple):
    """Graphs in the form of the kernels."""

    bits: Any  # uint64 (nodes, half0), flat
    node_ptr: Any
    edge_ptr: Any  # edges by destination
    edge_sources: Any
    edge_types: Any
    node_types: Any  # int32, empty if untyped
    readout: Any  # bool, empty if all nodes are readout nodes
    always: Any  # uint64 (stride0): literals that hold at every node of every graph


class Examples(NamedTuple):
    """Targets of the graphs; see :class:`graphtm.engines.targets.Targets`."""

    ptr: Any
    outputs: Any
    values: Any
    gates: Any
    weights: Any
    order: Any  # int64: the graphs to process
    silent: bool


class Shared(NamedTuple):
    """Working memory for one example, shared by the threads."""

    truth: Any  # uint64 (blocks, clauses, 8): nodes at which each clause is true, up to the current layer;
    # at last, if clauses are graded, the readout nodes of maximal strength
    alive: Any  # int32 (clauses): -1 if true at some node, up to the current layer
    true: Any  # int32 (clauses): -1 if true for the graph; its strength if clauses are graded
    missed: Any  # int32 (clauses): literals missed in the first vector at a node, if clauses are graded
    counters: Any  # uint64 (blocks, clauses, n_planes, 8): see :mod:`graphtm.engines.cpu.graded`
    focus: Any  # int64 (clauses): focus node, -1 if not drawn yet
    start: Any  # uint64 (blocks, node types, 8): nodes of each type
    read: Any  # uint64 (blocks, 8): readout nodes
    literals: Any  # uint64: (most_nodes, stride0) of layer 0, then (most_nodes, stride1) of each layer above
    rows: Any  # uint64 (blocks, literals, 8): nodes at which a literal holds; undefined beyond the last node
    missing: Any  # uint64 (blocks, words): literals that hold at no node of a block
    false: Any  # int32: whether the bits, and their negations, are evaluated by column; from 2 on, per node, where its
    # false literals begin; these literals
    messages: Any  # uint64 (n_senders, nodes, stride_sent): OR of the codes of true clauses, stored twice
    sums: Any  # int64 (2, threads, outputs)
    columns_shown: bool  # whether columns show the machine, or can be updated
    most_nodes: int
    n_senders: int  # number of message buffers, one per thread
    stride0: int
    stride1: int
    stride_sent: int


class Private(NamedTuple):
    """Working memory of one thread."""

    tile: Any  # uint64 (64, 8): a block of bits to transpose
    nodes: Any  # uint64 (8): mask of the nodes of a block
    few: Any  # uint16: literals of up to eight words of a team, padded
    active: Any  # int32 (outputs): active outputs
    wanted: Any  # int64 (outputs): their targets
    chosen: Any  # int32 (clauses): clauses that get feedback
    flags: Any  # uint8 (clauses): 1 for clauses that get feedback
    eights: Any  # uint64: the flags, eight at a time
    pending: Any  # uint64 (clauses): feedback of a group of outputs, two bits for each


@inlined
def team_number(m, layer, clause):
    """Return the number of a team."""
    return layer * m.n_clauses + clause


@inlined
def team_words(m, layer):
    """Return the number of words of a team, and of its bits without the negations."""
    if layer == 0:
        return m.words0, m.half0
    return m.words1, m.half1


@inlined
def team_start(m, layer, clause):
    """Return the index of the first word of a team."""
    if layer == 0:
        return clause * m.words0
    return m.n_clauses * m.words0 + ((layer - 1) * m.n_clauses + clause) * m.words1


@inlined
def literals_start(s, layer):
    """Return the index of the first literals of a layer, and the words from one node to the next."""
    if layer == 0:
        return 0, s.stride0
    return s.most_nodes * (s.stride0 + (layer - 1) * s.stride1), s.stride1


@inlined
def list_start(m, layer, clause):
    """Return the index of the first entry of a team's list."""
    if layer == 0:
        return clause * m.room0
    return m.n_clauses * m.room0 + ((layer - 1) * m.n_clauses + clause) * m.room1


@inlined
def clause_share(m, thread, n_threads):
    """Return the start and end of a thread's share of the clauses; no word of a column has bits of two threads."""
    if not (m.columns0 or m.columns1):
        return share(m.n_clauses, thread, n_threads)
    low, high = share((m.n_clauses + 63) // 64, thread, n_threads)
    return 64 * low, min(64 * high, m.n_clauses)


@inlined
def share(n, thread, n_threads):
    """Return the start and end of a thread's share of ``range(n)``."""
    return n * thread // n_threads, n * (thread + 1) // n_threads
