"""Teams of automata: feedback moves them up or down one state, a vector of states at a time.

States are stored as bit planes: plane b holds bit b of the states of a vector. The highest plane, stored separately,
is the mask of included literals. One carry chain handles both directions: a carry propagates through ones, a borrow
through zeros. States of fewer than eight bits are shifted to the middle of the eight-bit range: the lowest one has the
bits ``bottom``, the highest one their complement.
"""

from __future__ import annotations

from graphtm.engines.cpu.compiling import inlined
from graphtm.engines.cpu.structs import LOW_PLANES
from graphtm.engines.cpu.vectors import load, places, prefetch, some, splat, store
from graphtm.engines.cpu.words import K4, ONES, G, U


@inlined
def begin_mask(width, key, first):
    """Return the state of the generator before the first digit; ``first`` is the index of the first word."""
    x = (places(width) + splat(width, first)) * splat(width, G) + splat(width, key)
    x = (x ^ (x >> U(32))) * splat(width, K4)
    x = x ^ (x >> U(32))
    return x, ((x << U(32)) | (x >> U(32))) * splat(width, K4)


@inlined
def next_digit(x, y):
    """Return the next state of the generator; its first part is the digit."""
    x = ((x >> U(8)) | (x << U(56))) + y
    return x, ((y << U(3)) | (y >> U(61))) ^ x


@inlined
def random_mask(width, key, first, k, n):
    """Return bits that are 1 with probability k / 2^n, n > 0; ``first`` is the index of the first word.

    Digits are folded in order: a bit is decided by the first digit that differs from that of k.
    """
    # Semantics 6: mask digits.
    x, y = begin_mask(width, key, first)
    mask, undecided = splat(width, U(0)), splat(width, ONES)
    for digit in range(1, n + 1):
        x, y = next_digit(x, y)
        if (k >> (n - digit)) & 1:
            mask = mask | (undecided & x)
            undecided = undecided & ~x
        else:
            undecided = undecided & x
    return mask


@inlined
def fetch(m, team, words):
    """Load the beginning of a team, up to 16 words, into the cache."""
    for w in range(0, min(words, 16), 8):
        prefetch(m.includes, U(team + w))
    for place in range(LOW_PLANES * team, LOW_PLANES * (team + min(words, 16)), 8):
        prefetch(m.planes, U(place))


@inlined
def type_one(width, m, team, words, literals, at, learns, key, k, n):
    """Give Type I feedback: true literals move up and false ones down; all move down unless ``learns``.

    Return whether an include bit changed. Nothing is drawn for vectors in which no state can change.
    """
    # Semantics 4, step 4: Type I.
    step = len(width)
    reinforced = splat(width, ONES if learns else U(0))
    changed = splat(width, U(0))
    for w in range(0, words, step):
        plane, place = U((team + w) * LOW_PLANES), U(team + w)
        up = load(width, literals, U(at + w)) & reinforced
        if m.eight_bits:
            changed = changed | _forget_eight(width, m, plane, place, up, key, U(w), k, n)
        else:
            changed = changed | _forget_fewer(width, m, plane, place, up, key, U(w), k, n)
    return some(width, changed)


@inlined
def _forget_eight(width, m, plane, place, up, key, w, k, n):
    """Move eight-bit states in registers; where a state overflows, the remaining carry restores it."""
    step = len(width)
    top = load(width, m.includes, place)
    a, b = load(width, m.planes, plane), load(width, m.planes, plane + U(step))
    c, d = load(width, m.planes, plane + U(2 * step)), load(width, m.planes, plane + U(3 * step))
    e, f = load(width, m.planes, plane + U(4 * step)), load(width, m.planes, plane + U(5 * step))
    g = load(width, m.planes, plane + U(6 * step))
    if not some(width, (a | b | c) | (d | e | f) | (g | top | up)):
        return top ^ top
    down = ~up
    if n > 0:
        mask = random_mask(width, key, w, k, n)
        down = down & mask
        if not m.boost:
            up = up & ~mask
    elif not m.boost:
        up = splat(width, U(0))
    carry = up | down
    new_a, carry = a ^ carry, carry & (a ^ down)
    new_b, carry = b ^ carry, carry & (b ^ down)
    new_c, carry = c ^ carry, carry & (c ^ down)
    new_d, carry = d ^ carry, carry & (d ^ down)
    new_e, carry = e ^ carry, carry & (e ^ down)
    new_f, carry = f ^ carry, carry & (f ^ down)
    new_g, carry = g ^ carry, carry & (g ^ down)
    new_top, carry = top ^ carry, carry & (top ^ down)
    store(width, m.planes, plane, new_a ^ carry)
    store(width, m.planes, plane + U(step), new_b ^ carry)
    store(width, m.planes, plane + U(2 * step), new_c ^ carry)
    store(width, m.planes, plane + U(3 * step), new_d ^ carry)
    store(width, m.planes, plane + U(4 * step), new_e ^ carry)
    store(width, m.planes, plane + U(5 * step), new_f ^ carry)
    store(width, m.planes, plane + U(6 * step), new_g ^ carry)
    store(width, m.includes, place, new_top ^ carry)
    return new_top ^ carry ^ top


@inlined
def _forget_fewer(width, m, plane, place, up, key, w, k, n):
    """Move states of fewer bits; states that would overflow are excluded first."""
    top = load(width, m.includes, place)
    above_bottom, at_top = extremes(width, m, plane, top)
    down = above_bottom & ~up
    up = up & ~at_top
    if n > 0 and some(width, down | up):
        mask = random_mask(width, key, w, k, n)
        down = down & mask
        if not m.boost:
            up = up & ~mask
    elif n == 0 and not m.boost:
        up = splat(width, U(0))
    return move(width, m, plane, place, top, up, down)


@inlined
def extremes(width, m, plane, top):
    """Return which states are above the lowest one, and which are the highest one."""
    step = len(width)
    above_bottom, at_top = top, top
    for b in range(LOW_PLANES):
        differs = load(width, m.planes, plane + U(b * step)) ^ splat(width, m.bottom[b])
        above_bottom = above_bottom | differs
        at_top = at_top & differs
    return above_bottom, at_top


@inlined
def move(width, m, plane, place, top, up, down):
    """Move states, none of which may overflow; return which include bits change."""
    step = len(width)
    carry = up | down
    for b in range(LOW_PLANES):
        value = load(width, m.planes, plane + U(b * step))
        store(width, m.planes, plane + U(b * step), value ^ carry)
        carry = carry & (value ^ down)
    store(width, m.includes, place, top ^ carry)
    return carry


@inlined
def type_two(width, m, team, words, literals, at, valid):
    """Give Type II feedback: excluded literals that are false move up. Return whether an include bit changed."""
    # Semantics 4, step 5: Type II.
    step = len(width)
    changed = splat(width, U(0))
    for w in range(0, words, step):
        top = load(width, m.includes, U(team + w))
        carry = ~(load(width, literals, U(at + w)) | top) & load(width, valid, U(w))
        if some(width, carry):
            plane = U((team + w) * LOW_PLANES)
            for b in range(LOW_PLANES):
                value = load(width, m.planes, plane + U(b * step))
                store(width, m.planes, plane + U(b * step), value ^ carry)
                carry = carry & value
            store(width, m.includes, U(team + w), top ^ carry)
            changed = changed | carry
    return some(width, changed)
