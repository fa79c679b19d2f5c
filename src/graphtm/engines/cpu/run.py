"""The only kernel that is called from Python: a thread's share of a run over graphs.

With a single entry point, everything is compiled once and cached in one file.
"""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.barrier import count, wait
from graphtm.engines.cpu.compiling import entry, inlined
from graphtm.engines.cpu.evaluate import evaluate
from graphtm.engines.cpu.learn import learn
from graphtm.engines.cpu.lists import list_all
from graphtm.engines.cpu.strengths import write_strengths
from graphtm.engines.cpu.structs import clause_share
from graphtm.engines.cpu.vectors import load, splat, store
from graphtm.engines.cpu.words import U

LEARN, SUMS, CLAUSES, NODES, LISTS = 0, 1, 2, 3, 4


@entry
def run(wide, half, exact, graded, mode, m, g, s, e, p, step, votes, answers, outputs, barrier, thread, n_threads):
    """Process the graphs of an order; return the number of graphs done before a stop.

    Parameters
    ----------
    wide, half
        Widths of vectors, see :mod:`graphtm.engines.cpu.vectors`.
    exact, graded
        One of them is ``None``: the other kind of clauses is evaluated. Only the code for that kind is compiled.
    mode
        What to do with each graph: learn from it, or write its vote sums or outputs. ``LISTS`` takes no graphs: it
        makes the lists of included literals, so that any number of threads can then evaluate the machine at the same
        time.
    m, g, s, e, p
        Machine, graphs, shared working memory, examples, and working memory of this thread.
    step
        Step of the first example: number of examples that the machine has learned from.
    votes
        Weights by clause as 64-bit words, flat: (clauses, outputs rounded up to whole vectors).
    answers
        Output array of vote sums; int64, (graphs, outputs).
    outputs
        Output array of truth values or strengths; uint8, (graphs or nodes, clauses).
    barrier, thread, n_threads
        Barrier of the threads, number of this thread, and number of threads.
    """
    if mode == LISTS:
        low, high = clause_share(m, thread, n_threads)
        list_all(m, g.always, s.most_nodes, low, high)
        return 0
    for i in range(len(e.order)):
        graph = e.order[i]
        if evaluate(wide, half, exact, graded, m, g, s, p, graph, mode == LEARN, i > 0, barrier, thread, n_threads):
            return i
        n_nodes = g.node_ptr[graph + 1] - g.node_ptr[graph]
        if mode == LEARN:
            now, turn = step + U(i), i & 1
            if learn(wide, half, exact, graded, m, s, e, p, graph, n_nodes, now, turn, barrier, thread, n_threads):
                return i
            if thread == 0:
                count(barrier, i + 1)
            continue
        if wait(barrier, n_threads, False):
            return i
        if mode == NODES and exact is not None:
            _write_nodes(m, g, s, outputs, graph, n_nodes, thread, n_threads)
        elif mode == NODES and graded is not None:
            write_strengths(wide, half, m, g, s, outputs, graph, n_nodes, thread, n_threads)
        elif thread == 0 and mode == SUMS:
            _sum_votes(wide, graded, m, s, p, votes, answers, graph)
        elif thread == 0:
            _write_clauses(m, s, outputs, graph)
    return len(e.order)


@inlined
def _sum_votes(wide, graded, m, s, p, votes, answers, graph):
    # Semantics 3, step 4: class sums.
    n_true = 0
    for clause in range(m.n_clauses):
        p.chosen[U(n_true)] = clause
        n_true += s.true[clause] != 0
    stride = U(len(votes) // m.n_clauses)
    for first in range(0, m.n_outputs, len(wide)):
        value = splat(wide, U(0))
        for i in range(n_true):
            weights = load(wide, votes, U(p.chosen[U(i)]) * stride + U(first))
            if graded is not None:
                weights = weights * splat(wide, U(s.true[U(p.chosen[U(i)])]))
            value = value + weights
        store(wide, p.tile, U(0), value)
        for output in range(first, min(first + len(wide), m.n_outputs)):
            answers[graph, output] = np.int64(p.tile[output - first])


@inlined
def _write_clauses(m, s, outputs, graph):
    for clause in range(m.n_clauses):
        outputs[graph, clause] = abs(s.true[clause])


@inlined
def _write_nodes(m, g, s, outputs, graph, n_nodes, thread, n_threads):
    low, high = clause_share(m, thread, n_threads)
    for node in range(n_nodes):
        block, w, bit = node >> 9, (node >> 6) & 7, U(node & 63)
        for clause in range(low, high):
            word = s.truth[U((block * m.n_clauses + clause) * 8 + w)] if s.alive[clause] else U(0)
            outputs[g.node_ptr[graph] + node, clause] = (word >> bit) & U(1)
