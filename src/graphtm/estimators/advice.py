"""Advice on parameters with which a machine cannot learn."""

from __future__ import annotations

from graphtm.estimators.automatic import automatic_margin
from graphtm.foundation.calling import warn_user
from graphtm.model import MachineParams, Model

LEAST_GRADED_S = 30.0
"""Smallest ``s`` of graded clauses without a warning; on molecules, 10 and 3 lost 7 to 9 points of accuracy."""
MANY_LITERALS, MANY_WITH_MESSAGES = 100, 20
"""Number of literals for each vote of a graded clause above which it needs a limit: on 480 and 2,700 facts, clauses
without one were all false; with messages, 20 clauses without one missed a rule about 90 literals."""
MOST_WEIGHT = 20
"""Largest weight that all clauses may need, at full strength, to reach T without a warning. On words of five letters,
20 clauses always learned a rule with a T of up to 10 times their number, and lost 2 to 18 points with 25 and more."""
MOST_S = 1000.0
"""Largest ``s`` without a warning, times ``max_misses + 1``; on the same words, nothing was learned with it."""


def warn_about_settings(model: Model, automatic_T: int | None = None) -> None:
    """Warn, with advice, if the parameters of a machine keep it from learning.

    ``automatic_T`` is what ``T="auto"`` means for it, if that differs from the margin of classifiers.
    """
    params = model.params
    margin = _about_margin(params, automatic_T)
    for advice in (_about_symbols(model), margin, _about_forgetting(params), _about_limit(params)):
        if advice:
            warn_user(advice, UserWarning)


def _about_symbols(model: Model) -> str:
    if model.vocabulary.symbols or model.params.depth > 1:
        return ""
    return (
        "Nothing can be learned from nodes without symbols: give nodes properties, use graphs.with_degrees(), or a "
        "smaller min_graphs of WholeGraph. Got no symbols, and a depth of 1."
    )


def _about_margin(params: MachineParams, automatic_T: int | None) -> str:
    reach = params.n_clauses * (params.max_misses + 1)
    if MOST_WEIGHT * reach >= params.T:
        return ""
    usual = automatic_margin(params.n_clauses, params.max_misses)
    margin = usual if automatic_T is None else automatic_T
    least, most = (reach, margin) if params.max_misses or margin != usual else (margin, max(reach, 2 * margin))
    return (
        f"T is far above what the clauses can reach: use a T of {least} to {most}, or 'auto'. Got T={params.T} "
        f"with {params.n_clauses} clauses, which cast {reach} votes in all with weights of 1."
    )


def _about_forgetting(params: MachineParams) -> str:
    misses = params.max_misses
    layers = list(enumerate(params.s_per_layer))
    layer, s = min(layers, key=lambda one: one[1])
    if misses and s < LEAST_GRADED_S:
        return (
            f"Graded clauses (max_misses={misses}) forget what they learn if s is small: use an s of 100 to 1,000, or "
            f"of at least {LEAST_GRADED_S:g} with a few thousand examples. Got s={s:g}{_place(params, layer)}."
        )
    layer, s = max(layers, key=lambda one: one[1])
    if s >= MOST_S * (misses + 1):
        usual = "100 to 1,000" if misses else "1 to 30"
        return (
            f"Clauses hardly forget a literal if s is very large, and grow until none is true: use an s of {usual}, or "
            f"'auto'. Got s={s:g}{_place(params, layer)}."
        )
    return ""


def _place(params: MachineParams, layer: int) -> str:
    return f" in layer {layer}" if len(set(params.s_per_layer)) > 1 else ""


def _about_limit(params: MachineParams) -> str:
    limit, misses = params.max_included_literals, params.max_misses
    use = f"with max_misses={misses}, use a max_included_literals of {3 * misses} to {6 * misses}"
    if limit == 0 and misses == 0:
        return "Clauses without literals are always true: use a max_included_literals of at least 1. Got 0."
    if limit is not None and limit <= misses:
        return f"Clauses that may miss all of their literals say little: {use}. Got {limit}."
    n_literals = 2 * (params.hypervector_size + params.message_size)
    many = MANY_LITERALS if params.depth == 1 else MANY_WITH_MESSAGES
    if limit is None and misses > 0 and n_literals > many * (misses + 1):
        return f"Graded clauses without a limit grow until none is true: {use}. Got None, with {n_literals:,} literals."
    return ""
