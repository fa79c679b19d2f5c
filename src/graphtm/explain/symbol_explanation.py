"""Explanations of the symbols that an auto-encoder expects."""

from __future__ import annotations

from graphtm.explain.explanation import LabelExplanation


class SymbolExplanation(LabelExplanation):
    """Explanation of the symbols that are expected at a node, as ``autoencoder.explain(graph, node)`` returns it.

    It works like :class:`LabelExplanation`, with symbols in place of labels.

    Parameters
    ----------
    model, graphs, classes, engine
        As for :class:`Explanation`; the outputs are the symbols.
    """

    _output = "symbol"
