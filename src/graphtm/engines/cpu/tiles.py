"""Tiles of 64 rows of 512 bits, and transposing between bits by node and nodes by bit."""

from __future__ import annotations

from graphtm.engines.cpu.compiling import inlined, kernel
from graphtm.engines.cpu.structs import literals_start, share, team_words
from graphtm.engines.cpu.vectors import load, some, splat, store
from graphtm.engines.cpu.words import ONES, U


@inlined
def transpose(wide, tile):
    """Transpose each of the eight squares of 64 by 64 bits in a tile."""
    step = len(wide)
    for first in range(0, 8, step):
        width, mask = 32, U(0x00000000FFFFFFFF)
        while width:
            shift, lanes = U(width), splat(wide, mask)
            for start in range(0, 64, 2 * width):
                for row in range(start, start + width):
                    a, b = U(row * 8 + first), U((row + width) * 8 + first)
                    upper, lower = load(wide, tile, a), load(wide, tile, b)
                    swap = ((upper >> shift) ^ lower) & lanes
                    store(wide, tile, a, upper ^ (swap << shift))
                    store(wide, tile, b, lower ^ swap)
            width >>= 1
            mask ^= mask << U(width)


@kernel
def rows_of(wide, m, s, p, n_nodes, layer, thread, n_threads):
    """Transpose a thread's share of the literals; store which literals hold at no node of a block."""
    words, half = team_words(m, layer)
    start, stride = literals_start(s, layer)
    n_blocks = (n_nodes + 511) // 512
    first, last = share(n_blocks * half, thread, n_threads)
    for task in range(first, last):
        block, group = task // half, task % half
        for w in range(8):
            p.nodes[w] = node_mask(n_nodes, block * 8 + w)
        _fill(p.tile, s.literals, start + group, stride, block, n_nodes)
        transpose(wide, p.tile)
        no_bit, no_negation = U(0), U(0)
        row = U((block * 2 * half + group) * 512)
        opposite = row + U(half * 512)
        for i in range(64):
            there = splat(wide, U(0))
            absent = splat(wide, U(0))
            for w in range(0, 8, len(wide)):
                value = load(wide, p.tile, U(i * 8 + w))
                store(wide, s.rows, row + U(i * 8 + w), value)
                store(wide, s.rows, opposite + U(i * 8 + w), ~value)
                there = there | value
                absent = absent | (value ^ load(wide, p.nodes, U(w)))
            if not some(wide, there):
                no_bit |= U(1) << U(i)
            if not some(wide, absent):
                no_negation |= U(1) << U(i)
        s.missing[block * words + group] = no_bit
        s.missing[block * words + half + group] = no_negation


@inlined
def node_mask(n_nodes, w):
    """Return the mask of the nodes that exist among the 64 of a word."""
    n = n_nodes - 64 * w
    if n >= 64:
        return ONES
    return (U(1) << U(n)) - U(1) if n > 0 else U(0)


@inlined
def _fill(tile, source, start, stride, block, n_nodes):
    """Copy one word of each of 512 nodes into a tile: 64 nodes per column, eight columns."""
    for w in range(8):
        node = block * 512 + w * 64
        n = min(64, n_nodes - node)
        for i in range(n):
            tile[U(i * 8 + w)] = source[U(start + (node + i) * stride)]
        for i in range(max(0, n), 64):
            tile[U(i * 8 + w)] = U(0)
