"""What kernels work on: plain arrays, flat, gathered in named tuples.

A *team* is the automata of one clause at one layer. Its literals are numbered as in ``docs/semantics.md``: the words
of the bits, then the words of their negations. A team takes ``words`` words, rounded up to whole vectors; the bits
beyond the literals are never included and never move up. Nodes are taken in blocks of 512, eight words of node bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from graphtm.engines.cpu.compiling import inlined

LOW_PLANES = 7  # bits of a state below the highest


class Machine(NamedTuple):
    """A machine in the engine."""

    planes: Any  # uint64: per team and vector, the lower bits of the states, one vector each
    includes: Any  # uint64: per team, the highest bits of the states
    lists: Any  # uint16: per team, the included literals, repeated up to a multiple of 4
    list_sizes: Any  # int32: per team, the length of its list; -1 if there is no room
    ages: Any  # uint8: per team, 0 if its list is right, 1 if it has none, 2 if it has just changed
    included: Any  # int32: per team, the number of included literals; right when the age is 0 or 1, if there is a limit
    weights: Any  # int32 (outputs, clauses)
    code: Any  # int32 (clauses, code_bits): the message bits of each clause
    owner_ptr: Any  # int64: message bit b is owned by the clauses owners[owner_ptr[b] : owner_ptr[b + 1]]
    owners: Any  # int32
    valid0: Any  # uint64 (stride0): which bits are literals
    valid1: Any  # uint64 (stride1)
    bottom: Any  # uint64 (LOW_PLANES): the bits of the lowest state, all ones or all zeros
    mask_k: Any  # int64 (layers): masks have bits with probability k / 2^n
    mask_n: Any
    purpose_keys: Any  # uint64: keys of the purposes focus, output, update, mask
    n_clauses: int
    n_outputs: int
    depth: int
    T: int
    limited: bool
    limit: int
    n_types: int  # node types, 1 if there are none
    message_size: int
    code_bits: int
    half0: int  # words of the bits of layer 0, without their negations
    half1: int
    words0: int
    words1: int
    room0: int  # room for a list
    room1: int
    tile_cost: int  # of transposing a tile, counted in vectors to look at
    row_cost: int  # of evaluating a clause row by row
    eight_bits: bool  # whether states have all eight
    boost: bool
    by_class: bool


class Graphs(NamedTuple):
    """Graphs in the engine."""

    bits: Any  # uint64 (nodes, half0), flat
    node_ptr: Any
    edge_ptr: Any  # edges by destination
    edge_sources: Any
    edge_types: Any
    node_types: Any  # int32, empty if untyped
    readout: Any  # bool, empty if all nodes are read
    always: Any  # uint64 (stride0): literals that hold at every node of every graph


class Examples(NamedTuple):
    """What the graphs should be answered with; see :class:`graphtm.engines.targets.Targets`."""

    ptr: Any
    outputs: Any
    values: Any
    gates: Any
    weights: Any
    order: Any  # int64: the graphs to go through
    silent: bool


class Shared(NamedTuple):
    """Room for one example, shared by the threads."""

    truth: Any  # uint64 (blocks, clauses, 8): at which nodes each clause is true, as far as evaluated
    alive: Any  # int32 (clauses): -1 if it is true at some node, as far as evaluated
    true: Any  # int32 (clauses): -1 if it is true of the graph
    focus: Any  # int64 (clauses): -1 if not drawn yet
    start: Any  # uint64 (blocks, node types, 8): where the clauses of a type may be true
    read: Any  # uint64 (blocks, 8): which nodes are read
    literals: Any  # uint64: (most_nodes, stride0) of layer 0, then (most_nodes, stride1) of each layer above
    rows: Any  # uint64 (blocks, literals, 8): at which nodes a literal holds; beyond the last node anything
    missing: Any  # uint64 (blocks, words): literals that hold at no node of a block
    messages: Any  # uint64 (n_senders, nodes, stride_sent): what clauses sign at a node, written out twice
    sums: Any  # int64 (2, threads, outputs)
    most_nodes: int
    n_senders: int  # threads that may sign apart
    stride0: int
    stride1: int
    stride_sent: int


class Private(NamedTuple):
    """Room of one thread."""

    tile: Any  # uint64 (64, 8): a block of bits to transpose
    nodes: Any  # uint64 (8): which nodes of a block there are
    active: Any  # int32 (outputs): outputs that are heard
    wanted: Any  # int64 (outputs)
    chosen: Any  # int32 (clauses): those that get feedback
    flags: Any  # uint8 (clauses): 1 for those
    eights: Any  # uint64: the flags, eight at a time


@inlined
def team_number(m, layer, clause):
    """Return the number of a team."""
    return layer * m.n_clauses + clause


@inlined
def team_words(m, layer):
    """Return the words of a team, and those of its bits without their negations."""
    if layer == 0:
        return m.words0, m.half0
    return m.words1, m.half1


@inlined
def team_start(m, layer, clause):
    """Return where the words of a team begin."""
    if layer == 0:
        return clause * m.words0
    return m.n_clauses * m.words0 + ((layer - 1) * m.n_clauses + clause) * m.words1


@inlined
def literals_start(s, layer):
    """Return where the literals of a layer begin, and the words from one node to the next."""
    if layer == 0:
        return 0, s.stride0
    return s.most_nodes * (s.stride0 + (layer - 1) * s.stride1), s.stride1


@inlined
def list_start(m, layer, clause):
    """Return where the list of a team begins."""
    if layer == 0:
        return clause * m.room0
    return m.n_clauses * m.room0 + ((layer - 1) * m.n_clauses + clause) * m.room1


@inlined
def share(n, thread, n_threads):
    """Return the first of a thread's part of n things, and the one after its last."""
    return n * thread // n_threads, n * (thread + 1) // n_threads
