"""Hypervectors and inboxes of one graph, bit by bit: which are set, by what, and what a clause asks of them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphtm.engines.trace import Trace
from graphtm.explain.clauses import Clauses
from graphtm.explain.literals import Message, latex_text
from graphtm.explain.tables import ClauseTable
from graphtm.explain.witness import Witnesses
from graphtm.foundation.arrays import BoolArray
from graphtm.foundation.display import bare, count, cut
from graphtm.foundation.parameters import check_at_least
from graphtm.foundation.short_repr import short_repr
from graphtm.plots.drawing import MOST_LETTERS
from graphtm.plots.tables import draw_hypervectors

MOST_BITS = 24
"""Number of bits of a layer that a picture shows."""
FEW_BITS = 64
"""Number of bits of a layer up to which the owners of all are named."""
_SHOWN = 2
"""Number of owners that a cell names."""


@dataclass(frozen=True, eq=False)
class LayerBits:
    """The bits of one layer at all nodes: hypervectors at layer 0, inboxes above.

    Parameters
    ----------
    layer
        The layer.
    bits
        Which bits are set, (nodes, bits).
    set_by
        What set each bit of each node, by the numbers of the node and the bit: names of symbols, or messages.
    owners
        Everything that could set a bit, by its number: of all bits if they are few, else of those that matter.
    wanted
        Whether the clause includes each bit, 1, its negation, -1, neither, 0, or both, 2.
    holds
        At which nodes the clause holds up to this layer.
    """

    layer: int
    bits: BoolArray
    set_by: dict[tuple[int, int], tuple[Hashable, ...]]
    owners: dict[int, tuple[Hashable, ...]]
    wanted: np.ndarray[Any, np.dtype[np.int8]] | None
    holds: BoolArray | None

    __repr__ = short_repr

    @property
    def title(self) -> str:
        """What the bits are."""
        return f"inbox at layer {self.layer}" if self.layer else "hypervector"

    def chosen(self, most: int) -> list[int]:
        """Return the bits to show: those that the clause includes, then those set at most nodes; in ascending order."""
        n_set = self.bits.sum(axis=0)
        included = np.zeros(len(n_set), np.bool_) if self.wanted is None else self.wanted != 0
        known = np.array(sorted(self.owners), dtype=np.int64)
        order = np.lexsort((known, -n_set[known], ~included[known]))
        return sorted(known[order[:most]].tolist())

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return the layer as plain data, as :func:`graphtm.plots.draw_hypervectors` takes it.

        Parameters
        ----------
        most
            Maximum number of bits. Default: all.
        """
        size = self.bits.shape[1]
        chosen = list(range(size)) if most is None else self.chosen(most)
        owners = [self.owners.get(bit, ()) for bit in chosen]
        names = [_owner_text(found[0]) if len(found) == 1 else "" for found in owners]
        alone = all(names) and len(set(names)) == len(names)
        return {
            "title": self.title if len(chosen) == size else f"{self.title}: {len(chosen)} of {count(size, 'bit')}",
            "columns": [name if alone else str(bit) for bit, name in zip(chosen, names, strict=True)],
            "cells": [[self._cell(node, bit, alone=alone) for bit in chosen] for node in range(len(self.bits))],
            "wanted": None if self.wanted is None else [("", "1", "0 1", "0")[int(self.wanted[bit])] for bit in chosen],
            "holds": None if self.holds is None else self.holds.tolist(),
        }

    def _cell(self, node: int, bit: int, *, alone: bool) -> str:
        """Return what set a bit as text; where each bit has one owner, the heading says it."""
        if not self.bits[node, bit]:
            return ""
        names = [_owner_text(owner) for owner in self.set_by[node, bit]]
        more = len(names) - _SHOWN
        return "1" if alone else "\n".join([*names[:_SHOWN], *([f"+{more} more"] if more > 0 else [])])


@dataclass(frozen=True, eq=False)
class Hypervectors:
    """The hypervectors and inboxes of one graph, see :meth:`Explanation.hypervectors`.

    Text has a row per node, as the paper's table of hypervectors does: all bits, then their negations; with a clause,
    ``C1^0`` is whether clause 1 holds up to layer 0.

    Parameters
    ----------
    nodes, symbols
        Names of the nodes, and their symbols.
    layers
        The bits of each layer.
    clause
        Number of the clause, ``None`` for none.
    title
        The clause in words.
    """

    nodes: tuple[Hashable, ...]
    symbols: tuple[tuple[Hashable, ...], ...]
    layers: tuple[LayerBits, ...]
    clause: int | None = None
    title: str = field(default="", repr=False)

    __repr__ = short_repr

    def __str__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def table(self) -> ClauseTable:
        """Return all bits as a table; its forms are text, Markdown, LaTeX, HTML and a data frame."""
        header, latex = ["node", "symbols"], ["node", "symbols"]
        rows = [[bare(name), ", ".join(map(bare, symbols))] for name, symbols in self._rows]
        for layer in self.layers:
            header.append(f"H^{layer.layer}")
            latex.append(f"$H^{{{layer.layer}}}$")
            for row, bits in zip(rows, layer.bits, strict=True):
                row.append(f"{_bits_text(bits)} {_bits_text(~bits)}")
            if layer.holds is not None:
                header.append(f"C{self.clause}^{layer.layer}")
                latex.append(f"$C_{{{self.clause}}}^{{{layer.layer}}}$")
                for row, holds in zip(rows, layer.holds.tolist(), strict=True):
                    row.append(str(int(holds)))
        cells = tuple(map(tuple, rows))
        return ClauseTable(tuple(header), cells, tuple(latex), tuple(tuple(map(latex_text, row)) for row in cells))

    @property
    def _rows(self) -> list[tuple[Hashable, tuple[Hashable, ...]]]:
        return list(zip(self.nodes, self.symbols, strict=True))

    def to_dict(self, max_bits: int | None = None) -> dict[str, Any]:
        """Return the tables as plain data, the arguments of :func:`graphtm.plots.draw_hypervectors`.

        Parameters
        ----------
        max_bits
            Maximum number of bits per layer. Default: all.
        """
        texts = [": ".join(filter(None, [bare(name), ", ".join(map(bare, found))])) for name, found in self._rows]
        return {
            "nodes": [cut(text, 2 * MOST_LETTERS) for text in texts],
            "layers": [layer.to_dict(max_bits) for layer in self.layers],
            "clause": None if self.clause is None else f"C{self.clause}",
            "title": self.title or None,
        }

    def plot(self, *, max_bits: int = MOST_BITS, ax: Any = None) -> Any:
        """Draw the tables side by side; see :func:`graphtm.plots.draw_hypervectors`.

        Parameters
        ----------
        max_bits
            Maximum number of bits per layer: those that the clause includes, then those that are set at most nodes.
        ax
            Axes of matplotlib to draw on. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
            The axes.

        Raises
        ------
        MissingLibraryError
            If matplotlib is not installed.
        """
        check_at_least("max_bits", "plot", max_bits, 1)
        return draw_hypervectors(**self.to_dict(max_bits), ax=ax)


def hypervectors(
    clauses: Clauses,
    witnesses: Witnesses,
    trace: Trace,
    clause: int | None,
    chosen: Sequence[int],
    names: Sequence[Hashable],
    symbols: Sequence[tuple[Hashable, ...]],
    title: str,
) -> Hypervectors:
    """Return the bits of some nodes of a graph.

    Parameters
    ----------
    clauses, witnesses, trace
        The clauses of the machine, what sets the bits of the graph, and its evaluation.
    clause
        Number of a clause, or ``None``.
    chosen, names, symbols
        Numbers of the nodes, their names and their symbols.
    title
        The clause in words.
    """
    layers = []
    for layer in range(clauses.depth):
        bits = (trace.messages[layer - 1] > 0 if layer else trace.bits)[chosen]
        set_by = {(row, bit): witnesses.setting(chosen[row], layer, bit) for row, bit in np.argwhere(bits).tolist()}
        wanted, holds = None, None
        if clause is not None:
            wanted, holds = np.zeros(bits.shape[1], np.int8), trace.truth[layer][clause][chosen]
            numbers = clauses.included[layer][clause]
            negated, positive = numbers[numbers >= len(wanted)] - len(wanted), numbers[numbers < len(wanted)]
            wanted[positive] = 1
            wanted[negated] = np.where(wanted[negated] == 1, 2, -1)
        matters = bits.any(axis=0) | (False if wanted is None else wanted != 0)
        known = range(bits.shape[1]) if bits.shape[1] <= FEW_BITS else np.flatnonzero(matters).tolist()
        owners = {bit: clauses.literal(layer, bit).owners for bit in known}
        layers.append(LayerBits(layer, bits, set_by, owners, wanted, holds))
    return Hypervectors(tuple(names), tuple(symbols), tuple(layers), clause, title)


def _owner_text(owner: Hashable) -> str:
    return cut(str(owner) if isinstance(owner, Message) else bare(owner), MOST_LETTERS)


def _bits_text(bits: BoolArray) -> str:
    return "".join("1" if bit else "0" for bit in bits.tolist())
