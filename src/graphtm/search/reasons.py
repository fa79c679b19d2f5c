"""The parameters of a suggested pipeline and the reason for each, as sentences with the counts behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sklearn.pipeline import Pipeline

from graphtm.encoders import Neighbourhoods, Table, Tokens, WholeGraph
from graphtm.foundation.display import count
from graphtm.graphs import GraphBatch
from graphtm.search.candidates import Candidate
from graphtm.search.trials import RepresentationTrial

_OF_ENCODERS: dict[type, tuple[str, ...]] = {
    Neighbourhoods: ("hops", "parts", "min_graphs"),
    WholeGraph: ("counts", "min_graphs"),
    Tokens: ("ngrams",),
    Table: ("bins",),
}
_VARIED = ("hops", "ngrams", "bins")
_OF_MACHINE = ("depth", "n_clauses", "max_misses", "max_included_literals", "T", "s", "epochs")


def parameters_of(pipeline: Pipeline, n_samples: int) -> dict[str, Any]:
    """Return the parameters of encoders and machine, with what ``"auto"`` becomes for so many samples."""
    found: dict[str, Any] = {}
    for _, step in pipeline.steps[:-1]:
        found |= {name: getattr(step, name) for name in _OF_ENCODERS.get(type(step), ())}
    machine = pipeline[-1]
    chosen = machine.chosen(n_samples)
    return {**found, **{name: chosen.get(name, getattr(machine, name)) for name in _OF_MACHINE}}


def reasons_for(
    chosen: Candidate,
    tried: Sequence[tuple[Candidate, RepresentationTrial]],
    untried: Sequence[str],
    parameters: Mapping[str, Any],
    given: Mapping[str, Any],
    X: Any,
    n_samples: int,
) -> dict[str, str]:
    """Return a sentence for the representation and for each parameter.

    Parameters
    ----------
    chosen
        The suggested candidate.
    tried
        Candidates with their trials, the recommended one first.
    untried
        Names of those for which there was no time.
    parameters
        What :func:`parameters_of` returned.
    given
        Parameters that the caller has fixed.
    X
        The data, in which only the kind counts.
    n_samples
        Their number.
    """
    sentences = {
        "representation": _about_representation(chosen, [trial for _, trial in tried], untried),
        **parameter_reasons(chosen, parameters, X, n_samples),
        **{name: _about_varied(name, chosen, tried) for name in _VARIED},
    }
    order = ("representation", *parameters)
    return {name: "Given by the caller." if name in given else sentences[name] for name in order}


def parameter_reasons(
    chosen: Candidate, parameters: Mapping[str, Any], X: Any, n_samples: int, *, numbers: bool = False
) -> dict[str, str]:
    """Return a sentence for each parameter whose value does not come from trials; arguments as :func:`reasons_for`.

    With ``numbers``, they are about a regressor.
    """
    what = "graphs" if isinstance(X, GraphBatch) else "samples"
    helps = "tell finer differences" if numbers else "help if there are many classes"
    misses, n_clauses = int(parameters["max_misses"]), int(parameters["n_clauses"])
    return {
        "parts": "Parts of neighbourhoods say less than whole ones and occur in more graphs.",
        "counts": "A fact says that at least so many nodes carry a symbol.",
        "min_graphs": f"What is in fewer of the {n_samples:,} {what} is left out: rules on it do not carry over.",
        "depth": _about_depth(int(parameters["depth"]), chosen),
        "n_clauses": f"The recommended number; more can {helps}, and take longer.",
        "max_misses": (
            f"Clauses are graded, from {misses + 1} votes to 0, since real data rarely fit a long rule exactly."
            if misses
            else "Clauses are exact: all of their literals must hold. Graded ones were not better."
        ),
        "max_included_literals": (
            "Clauses are as long as s makes them."
            if parameters["max_included_literals"] is None
            else "A soft limit: above it, matches add no literals, but mistakes still can."
        ),
        "T": f"Chosen for {count(n_clauses, 'clause')} of up to {count(misses + 1, 'vote')} each.",
        "s": f"Chosen for {n_samples:,} {what} and {'graded' if misses else 'exact'} clauses.",
        "epochs": f"Chosen for {n_samples:,} {what}: few need many epochs.",
    }


def _about_representation(chosen: Candidate, trials: Sequence[RepresentationTrial], untried: Sequence[str]) -> str:
    name, reason = chosen.name, chosen.representation.reason
    others = trials[1:]
    if name != trials[0].name:
        (trial,) = (one for one in others if one.name == name)
        text = (
            f"{name}, since it is better than the recommended {trials[0].name!r} by {100 * trial.gain:.1f} points, "
            f"more than the standard error of {100 * trial.gain_error:.1f}: {reason}."
        )
        equal = [one.name for one in others if one.accuracy == trial.accuracy and one is not trial]
        if equal:
            text += f" As accurate: {', '.join(map(repr, equal))}; this one has the fewest symbols."
    elif others:
        best = max(others, key=lambda one: one.gain)
        text = (
            f"{name}, the recommended one: {reason}. No other is better by more than the standard error; {best.name!r} "
            f"comes closest ({100 * best.gain:+.1f} points, standard error {100 * best.gain_error:.1f})."
        )
    else:
        text = f"{name}, the recommended one: {reason}. No other was tried."
    return text + (f" There was no time for {', '.join(map(repr, untried))}." if untried else "")


def _about_depth(depth: int, chosen: Candidate) -> str:
    if depth > 1:
        return f"Clauses see nodes up to {count(depth - 1, 'edge')} away, by messages."
    if any(isinstance(encoder, Neighbourhoods) for encoder in chosen.representation.encoders):
        return "No messages are needed, since symbols name the neighbours."
    return "No messages are needed, since every sample becomes a single node, or edges are not used."


def _about_varied(name: str, chosen: Candidate, tried: Sequence[tuple[Candidate, RepresentationTrial]]) -> str:
    """Return the accuracies with the values of a parameter that were tried with the encoders of the chosen one."""
    kinds = [*map(type, chosen.representation.encoders)]
    found: dict[int, float] = {}
    for candidate, trial in tried:
        encoders = candidate.representation.encoders
        if not candidate.parameters and [*map(type, encoders)] == kinds:
            found |= {int(getattr(one, name)): trial.accuracy for one in encoders if hasattr(one, name)}
    if len(found) < 2:
        return "No other value was tried with this representation."
    subject = "With graded clauses, the accuracy" if chosen.parameters else "The accuracy"  # exact ones are not varied
    return f"{subject} was {', '.join(f'{accuracy:.3f} with {value}' for value, accuracy in sorted(found.items()))}."
