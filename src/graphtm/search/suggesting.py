"""Suggest a representation and parameters, from counts and a few seconds of trial."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any

from tqdm.auto import tqdm

from graphtm.foundation.parameters import is_integer
from graphtm.pipelines.recommended import is_multilabel, pipeline_with, recommended_representation
from graphtm.search.candidates import Candidate, candidates_for
from graphtm.search.counts import counts_of
from graphtm.search.reasons import parameters_of, reasons_for
from graphtm.search.samples import read_samples
from graphtm.search.suggestion import Suggestion
from graphtm.search.trials import RepresentationTrial, run_trials, trial_sample


def suggest(
    X: Any, y: Any, *, seconds: float = 10.0, random_state: int = 0, verbose: int = 0, **parameters: Any
) -> Suggestion:
    """Suggest a pipeline for these data, from counts and a few seconds of trial, with the reasons.

    Representations are tried with small machines on up to 1,000 samples: each is trained on two thirds and scored on
    the rest, three times. The recommended representation, that of :func:`graphtm.make_classifier`, comes first. It is
    kept unless another is better by more than the standard error of the difference; of those, the best is taken, and
    of equally good ones the one with fewest symbols.

    - Graphs: whole graphs with neighbours up to 1, 2 and 3 hops and without; nodes with neighbours up to one hop;
      nodes with messages (``depth=2``), with graded and with exact clauses.
    - Texts: words, pairs and triples (``ngrams``).
    - Tables: 4, 8 and 16 bins.

    Parameters
    ----------
    X
        Graphs, texts or a table.
    y
        Labels: one per sample, or label sets or an indicator matrix.
    seconds
        Time for the trials, roughly. The recommended representation is tried in any case.
    random_state
        Seed of the sample, the folds, the machines, and the suggested pipeline.
    verbose
        1 shows a progress bar, 0 nothing.
    **parameters
        Parameters of the classifier to use in any case, such as ``engine`` or ``max_misses``. Trials use fewer clauses
        and epochs.

    Returns
    -------
    Suggestion
        ``pipeline``, not fitted, with ``reasons``, ``parameters`` and ``trials``; ``print`` shows them.

    Raises
    ------
    GraphError
        If there are fewer than 12 samples.
    ValueError
        If the labels do not match the data or are all the same, or a parameter is out of range.
    TypeError
        If the data are neither graphs nor texts nor a table, or there is no such parameter.

    See Also
    --------
    graphtm.make_classifier : the recommended pipeline, without trials.
    graphtm.tune : searches for good parameters of a pipeline.

    Notes
    -----
    Time decides only how many representations are tried. A trial that is not finished in time does not count, so a seed
    gives the same suggestion whenever the same representations were tried. The time that an engine takes to compile
    once does not count.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.sequences(200, random_state=0)
    >>> suggestion = gtm.suggest(graphs, y, n_clauses=20, epochs=5)
    >>> [trial.name for trial in suggestion.trials][0]
    'whole graphs, 2 hops'
    >>> suggestion.reasons["epochs"]
    'Given by the caller.'
    >>> pipeline = suggestion.pipeline.fit(graphs, y)
    """
    if not isinstance(seconds, Real) or isinstance(seconds, bool) or not 0 <= seconds < math.inf:
        raise ValueError(f"The 'seconds' parameter of suggest must be a number of at least 0. Got {seconds!r} instead.")
    if not is_integer(random_state) or not 0 <= random_state < 2**32:
        raise ValueError(
            f"The 'random_state' parameter of suggest must be an int from 0 to 2^32 - 1. Got {random_state!r} instead."
        )
    multilabel, given = is_multilabel(y), dict(parameters)
    # Refuses data of other kinds and wrong parameters before labels are read.
    pipeline_with(recommended_representation(X), multilabel, given)[-1]._check()
    samples = read_samples(X, y, multilabel)
    seed = int(random_state)
    candidates = candidates_for(samples.X, given)

    def pipeline_of(candidate: Candidate) -> Any:
        return candidate.pipeline(multilabel, {**given, "random_state": seed})

    sample = trial_sample(samples, seed)
    trials = run_trials(
        candidates, sample, pipeline_of, seconds=float(seconds), seed=seed, watched=_bar if verbose else iter
    )
    tried = list(zip(candidates, trials, strict=False))
    untried = tuple(candidate.name for candidate in candidates[len(trials) :])
    chosen = _choice(tried)
    pipeline = pipeline_of(chosen)
    found = parameters_of(pipeline, len(samples))
    reasons = reasons_for(chosen, tried, untried, found, given, samples.X, len(samples))
    return Suggestion(pipeline, chosen.name, found, reasons, counts_of(samples, sample), tuple(trials), untried)


def _choice(tried: Sequence[tuple[Candidate, RepresentationTrial]]) -> Candidate:
    """Return the candidate to suggest: the first, unless another is clearly better."""
    better = [(trial.accuracy, -trial.n_symbols, candidate) for candidate, trial in tried if trial.is_better]
    return max(better, key=lambda one: one[:2])[2] if better else tried[0][0]


def _bar(candidates: Sequence[Candidate]) -> Iterable[Candidate]:
    """Yield candidates and show which one is being tried."""
    with tqdm(total=len(candidates), unit="trial") as bar:
        for candidate in candidates:
            bar.set_description(candidate.name)
            yield candidate
            bar.update()
