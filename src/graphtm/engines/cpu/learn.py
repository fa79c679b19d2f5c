"""Learning from one example: active outputs, selected clauses, and feedback (semantics, section 4)."""

from __future__ import annotations

import numpy as np

from graphtm.engines.cpu.automata import fetch, type_one, type_two
from graphtm.engines.cpu.barrier import wait
from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.graded_automata import graded_type_one
from graphtm.engines.cpu.structs import CHANGED, clause_share, literals_start, team_number, team_start, team_words
from graphtm.engines.cpu.words import ALWAYS, K2, K3, G, U, count_ones, hash32, mix, trailing_zeros

_WEIGHT_LIMIT = 2**31 - 1
_NONE, _TYPE_ONE, _TYPE_TWO = U(0), U(1), U(2)
_SLOTS = 32  # outputs whose feedback to a clause fits into a word


@kernel
def learn(wide, half, exact, graded, m, s, e, p, example, n_nodes, step, turn, barrier, thread, n_threads):
    """Give feedback to a thread's share of the clauses; return True if stopped, with nothing changed."""
    # Semantics 4, steps 2 and 3.
    low, high = clause_share(m, thread, n_threads)
    focus_key = mix(mix(m.purpose_keys[0] + (step + U(1)) * G) + G)
    output_key = mix(m.purpose_keys[1] + (step + U(1)) * G)
    update_step = mix(m.purpose_keys[2] + (step + U(1)) * G)
    mask_step = mix(m.purpose_keys[3] + (step + U(1)) * G)
    gate, weight = e.gates[example], e.weights[example]
    n_active = _heard(m, e, p, e.ptr[example], e.ptr[example + 1], gate, output_key)
    _vote(graded, m, s, p, n_active, turn, thread, n_threads, low, high)
    if wait(barrier, n_threads, False):
        return True
    for clause in range(low, high):
        s.focus[clause] = -1
    for first in range(0, n_active, _SLOTS):
        for clause in range(low, high):
            p.pending[U(clause)] = U(0)
        for a in range(first, min(first + _SLOTS, n_active)):
            output, y = p.active[a], p.wanted[a]
            votes = np.int64(0)
            for t in range(n_threads):
                votes += s.sums[U((turn * n_threads + t) * m.n_outputs + a)]
            v = min(max(votes, -m.T), m.T)
            threshold = _threshold(m, y, v, gate, weight)
            if threshold == U(0):
                continue
            n_chosen = _choose(p, mix(update_step + (U(output) + U(1)) * G), threshold, low, high)
            for i in range(n_chosen):
                clause = np.int64(p.chosen[U(i)])
                p.pending[U(clause)] |= _vote_feedback(m, s, output, clause, 1 if v <= y else -1) << U(2 * (a - first))
        n_chosen = 0
        for clause in range(low, high):
            p.chosen[U(n_chosen)] = clause
            n_chosen += p.pending[U(clause)] != U(0)
        for layer in range(m.depth):
            _adjust(wide, half, exact, graded, m, s, p, n_nodes, layer, first, n_chosen, focus_key, mask_step)
    return False


@inlined
def _threshold(m, y, v, gate, weight):
    """Return P: a clause gets feedback if a 32-bit word is below it."""
    # Semantics 4, step 2: P, thinned and weighted.
    threshold = (U(abs(y - v)) << U(32)) // U(2 * m.T)
    if y == -m.T and not m.by_class and gate != ALWAYS:
        threshold = (threshold * gate) >> U(32)
    if weight <= U(1 << 31):
        return min(ALWAYS, (threshold * weight) >> U(16))
    if threshold >= U(1 << 17):
        return ALWAYS
    return min(ALWAYS, threshold * (weight >> U(16)) + ((threshold * (weight & U(0xFFFF))) >> U(16)))


@inlined
def _heard(m, e, p, listed, end, gate, key):
    """List the active outputs, ascending, and their targets; return their number."""
    # Semantics 4, step 2: silent outputs, and negative sampling by class.
    n = 0
    if e.silent:
        for i in range(listed, end):
            y = np.int64(e.values[i])
            if y != -m.T or not m.by_class or U(hash32(key, e.outputs[i])) < gate:
                p.active[n] = e.outputs[i]
                p.wanted[n] = y
                n += 1
        return n
    for output in range(m.n_outputs):
        y = -m.T
        if listed < end and e.outputs[listed] == output:
            y = np.int64(e.values[listed])
            listed += 1
        if y != -m.T or not m.by_class or U(hash32(key, output)) < gate:
            p.active[n] = output
            p.wanted[n] = y
            n += 1
    return n


@inlined
def _vote(graded, m, s, p, n_active, turn, thread, n_threads, low, high):
    """Sum the votes of a thread's clauses for the active outputs."""
    # Semantics 3, step 4: class sums.
    for a in range(n_active):
        first = p.active[a] * m.n_clauses
        votes = np.int64(0)
        for clause in range(low, high):
            if graded is None:
                votes += np.int64(m.weights[U(first + clause)] & s.true[U(clause)])
            else:
                votes += np.int64(m.weights[U(first + clause)]) * np.int64(s.true[U(clause)])
        s.sums[U((turn * n_threads + thread) * m.n_outputs + a)] = votes


@inlined
def _choose(p, key, threshold, low, high):
    """List the clauses that get feedback, and return their number; they are drawn in a loop without branches."""
    # Semantics 4, step 3: u32 < P.
    n = 0
    if threshold >= ALWAYS:
        for clause in range(low, high):
            p.chosen[U(n)] = clause
            n += 1
        return n
    limit = np.uint32(threshold)
    for i in range(high - low):
        p.flags[U(i)] = hash32(key, low + i) < limit
    n_eights = (high - low + 7) // 8
    for i in range(high - low, 8 * n_eights):
        p.flags[U(i)] = 0
    for i in range(n_eights):
        eight = p.eights[U(i)]
        while eight:
            p.chosen[U(n)] = low + 8 * i + np.int64(trailing_zeros(eight) >> U(3))
            n += 1
            eight &= eight - U(1)
    return n


@inlined
def _focus(m, s, clause, n_nodes, key):
    """Return the focus node of a clause: one of the readout nodes at which it is true."""
    # Semantics 4, step 1: the focus node.
    n_blocks = (n_nodes + 511) // 512
    count = U(0)
    for block in range(n_blocks):
        at = U((block * m.n_clauses + clause) * 8)
        for w in range(8):
            count += count_ones(s.truth[at + U(w)] & s.read[U(block * 8 + w)])
    left = (U(hash32(key, clause)) * count) >> U(32)
    for block in range(n_blocks):
        at = U((block * m.n_clauses + clause) * 8)
        for w in range(8):
            word = s.truth[at + U(w)] & s.read[U(block * 8 + w)]
            here = count_ones(word)
            if left < here:
                while left:
                    word &= word - U(1)
                    left -= U(1)
                return 512 * block + 64 * w + np.int64(trailing_zeros(word))
            left -= here
    return np.int64(-1)


@inlined
def _vote_feedback(m, s, output, clause, target):
    """Move the weight of a clause, and return the type of feedback that its automata get."""
    # Semantics 4, step 3: weights, and the type of feedback.
    place = U(output * m.n_clauses + clause)
    weight = np.int64(m.weights[place])
    sign = 1 if weight >= 0 else -1
    one = target == sign
    if s.true[U(clause)] == 0:
        return _TYPE_ONE if one else _NONE
    moved = weight + (sign if one else -sign)
    if abs(moved) <= _WEIGHT_LIMIT:
        m.weights[place] = moved
    return _TYPE_ONE if one else _TYPE_TWO


@inlined
def _adjust(wide, half, exact, graded, m, s, p, n_nodes, layer, first, n_chosen, focus_key, mask_step):
    """Give the feedback of a group of outputs to the automata of a layer, clause by clause."""
    # Semantics 4, steps 3 to 5. Clauses do not depend on each other, nor do layers.
    words, _ = team_words(m, layer)
    valid = m.valid0 if layer == 0 else m.valid1
    start, stride = literals_start(s, layer)
    k, n = m.mask_k[layer], m.mask_n[layer]
    ahead = 4 if words <= 8 else 1
    for i in range(n_chosen):
        clause = np.int64(p.chosen[U(i)])
        fetch(m, team_start(m, layer, np.int64(p.chosen[U(min(i + ahead, n_chosen - 1))])), words)
        pending = p.pending[U(clause)]
        true = s.true[U(clause)] != 0
        learns, at = true, start
        if true:
            if s.focus[clause] < 0:
                s.focus[clause] = _focus(m, s, clause, n_nodes, focus_key)
            at += s.focus[clause] * stride
            learns = not m.limited or m.included[team_number(m, m.depth, clause)] <= m.limit
        team, changed = team_start(m, layer, clause), False
        while pending:
            slot = trailing_zeros(pending) >> U(1)
            one = (pending >> (slot * U(2))) & U(1) != U(0)
            pending &= ~(U(3) << (slot * U(2)))
            if one:
                output = U(p.active[U(first) + slot])
                key = mix(mix(mask_step + (output + U(1)) * G) + (U(clause) + U(1)) * K2 + U(layer) * K3)
                if words <= 4:
                    changed |= _type_one(half, exact, graded, m, team, words, s.literals, at, true, learns, key, k, n)
                else:
                    changed |= _type_one(wide, exact, graded, m, team, words, s.literals, at, true, learns, key, k, n)
            elif words <= 4:
                changed |= type_two(half, m, team, words, s.literals, at, valid)
            else:
                changed |= type_two(wide, m, team, words, s.literals, at, valid)
        if changed:
            m.ages[team_number(m, layer, clause)] = CHANGED
            m.ages[team_number(m, m.depth + layer, clause)] = 1


@inlined
def _type_one(width, exact, graded, m, team, words, literals, at, true, learns, key, k, n):
    changed = False
    if exact is not None:
        changed = type_one(width, m, team, words, literals, at, learns, key, k, n)
    if graded is not None:
        changed = graded_type_one(width, m, team, words, literals, at, true, learns, key, k, n)
    return changed
