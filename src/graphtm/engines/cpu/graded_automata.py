"""Feedback of Type I to graded clauses (semantics, section 9).

``s`` is large, so that masks have many digits and few ones. Drawing them takes most of the time of forgetting. A branch
on a mask would have to wait for its last digit and is hard to predict, so there is none.
"""

from __future__ import annotations

from graphtm.engines.cpu.automata import begin_mask, extremes, move, next_digit, random_mask
from graphtm.engines.cpu.compiling import inlined
from graphtm.engines.cpu.structs import LOW_PLANES
from graphtm.engines.cpu.vectors import load, some, splat
from graphtm.engines.cpu.words import ONES, U


@inlined
def graded_type_one(width, m, team, words, literals, at, true, grows, key, k, n):
    """Give Type I feedback: reinforce a clause that is true, forget any other. Return whether an include bit changed.

    A true clause that does not ``grow`` only moves automata down.
    """
    if true:
        return _reinforce(width, m, team, words, literals, at, grows, key, k, n)
    return _forget(width, m, team, words, key, k, n)


@inlined
def _reinforce(width, m, team, words, literals, at, grows, key, k, n):
    """Move literals that hold up, if the clause ``grows``, and excluded ones that do not hold down."""
    # Semantics 9: step 4.
    step = len(width)
    growing = splat(width, ONES if grows else U(0))
    changed = splat(width, U(0))
    for w in range(0, words, step):
        plane, place = U((team + w) * LOW_PLANES), U(team + w)
        holds, top = load(width, literals, U(at + w)), load(width, m.includes, place)
        above_bottom, at_top = extremes(width, m, plane, top)
        up, down = holds & growing & ~at_top, above_bottom & ~(holds | top)
        if not m.boost and some(width, up):
            up = up & ~random_mask(width, key, U(w), k, n) if n > 0 else splat(width, U(0))
        if some(width, up | down):
            changed = changed | move(width, m, plane, place, top, up, down)
    return some(width, changed)


@inlined
def _forget(width, m, team, words, key, k, n):
    """Move automata down at random."""
    # Semantics 4, step 4: Type I.
    step = len(width)
    changed = splat(width, U(0))
    for w in range(0, words, 2 * step):
        mask, next_mask = _two_masks(width, key, U(w), k, n)
        changed = changed | _move_down(width, m, team + w, mask)
        if w + step < words:
            changed = changed | _move_down(width, m, team + w + step, next_mask)
    return some(width, changed)


@inlined
def _move_down(width, m, at, mask):
    plane, place = U(at * LOW_PLANES), U(at)
    top = load(width, m.includes, place)
    above_bottom, _ = extremes(width, m, plane, top)
    return move(width, m, plane, place, top, splat(width, U(0)), mask & above_bottom)


@inlined
def _two_masks(width, key, first, k, n):
    """Return the masks of two vectors, as :func:`graphtm.engines.cpu.automata.random_mask` does; all ones if n is 0.

    Each digit depends on the one before, so two masks at once take less time than one after the other.
    """
    x, y = begin_mask(width, key, first)
    u, v = begin_mask(width, key, first + U(len(width)))
    mask, undecided = splat(width, U(0)), splat(width, ONES)
    if n == 0:
        return undecided, undecided
    other_mask, other_undecided = mask, undecided
    for digit in range(1, n + 1):
        x, y = next_digit(x, y)
        u, v = next_digit(u, v)
        if (k >> (n - digit)) & 1:
            mask, other_mask = mask | (undecided & x), other_mask | (other_undecided & u)
            undecided, other_undecided = undecided & ~x, other_undecided & ~u
        else:
            undecided, other_undecided = undecided & x, other_undecided & u
    return mask, other_mask
