"""Explanations of what a bandit would choose."""

from __future__ import annotations

from graphtm.explain.explanation import Explanation


class ArmExplanation(Explanation):
    """Explanation of the best known arm for one graph, as ``bandit.explain(graph)`` returns it.

    It works like :class:`Explanation`, with arms in place of classes.

    Parameters
    ----------
    model, graphs, classes, engine
        As for :class:`Explanation`; the outputs are the arms.
    """

    _output = "arm"
