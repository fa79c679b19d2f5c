"""Tune the parameters of a pipeline with Optuna."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
from sklearn.base import clone
from tqdm.auto import tqdm

from graphtm.errors import GraphTMError
from graphtm.estimators import GraphTMMultiLabelClassifier
from graphtm.foundation.calling import require
from graphtm.foundation.parameters import is_integer, is_number
from graphtm.search.objective import Objective, Split
from graphtm.search.samples import Samples, read_samples
from graphtm.search.space import Space, default_space, given_space
from graphtm.search.tuning_checks import check_arguments, check_machines, check_study, checked_pipeline
from graphtm.search.tuning_result import TuningResult, TuningTrial

STARTUP_TRIALS = 5
"""Number of trials that are never pruned."""
SAFE_PART = 5
"""No trial is pruned in the first fifth of the epochs that the pipeline would use."""


def tune(
    X: Any,
    y: Any,
    n_trials: int = 50,
    *,
    pipeline: Any = None,
    space: Mapping[str, Sequence[Any]] | None = None,
    validation: Any = 0.2,
    metric: str = "accuracy",
    timeout: float | None = None,
    refit: bool = True,
    random_state: int = 0,
    n_jobs: int = 1,
    verbose: int = 0,
    study: Any = None,
) -> TuningResult:
    """Search for good parameters of a pipeline with Optuna.

    Every trial is trained on one part of the data and scored on the rest after each epoch. It is pruned when half of
    the trials before it were better after as many epochs. The first trial uses the parameters that the pipeline has,
    so the best is never worse than these on the held-out samples. Needs Optuna: ``pip install 'graphtm[search]'``.

    Parameters
    ----------
    X, y
        Data and labels, as for ``fit`` of the pipeline.
    n_trials
        Number of trials.
    pipeline
        The pipeline to tune: steps that end with a classifier of graphtm, or such a classifier. ``None`` is the
        recommended one, :func:`graphtm.make_classifier`.
    space
        Lists of values by the name of the parameter, as for ``set_params`` of the pipeline; its own values are tried,
        too. ``None`` searches the parameters of the classifier that matter most, and those of ``Neighbourhoods``,
        ``WholeGraph``, ``Tokens`` and ``Table``.
    validation
        Held-out samples: a fraction of the data, a number of folds, or any ``cv`` of scikit-learn (an object with
        ``split``, or a list of pairs of indices). With several folds, scores are means, and trials are pruned in the
        first fold.
    metric
        Score to maximise: ``"accuracy"`` or, with several labels, also ``"f1"``.
    timeout
        Seconds after which no trial is started, except for the first. ``None`` sets no limit.
    refit
        Whether to fit the best pipeline to all data in the end.
    random_state
        Seed of the split, of the search, and of the classifier if it has none.
    n_jobs
        Number of trials at a time, as threads. Each fit uses several threads by itself, so 1 is usually best. Only
        with 1 are results reproducible.
    verbose
        1 shows a progress bar, 2 also the log of Optuna, 0 nothing.
    study
        A study of Optuna to use and to add trials to, with its own sampler and pruner; its direction must be
        ``"maximize"``. ``None`` makes a new one.

    Returns
    -------
    TuningResult
        ``pipeline``, ``best_score``, ``best_params``, ``trials`` and ``study``.

    Raises
    ------
    MissingLibraryError
        If Optuna is not installed.
    TypeError
        If the pipeline does not end with a classifier of graphtm.
    ValueError
        If a parameter is out of range, or the labels do not match the data; or, before the first trial, if trials
        cannot be scored: with ``epochs=0``, or with a ``patience`` but no ``validation_fraction``.
    KeyboardInterrupt
        On Ctrl-C, as scikit-learn does. A ``study`` that was passed keeps the trials that are complete; pass it again
        to continue.

    See Also
    --------
    graphtm.suggest : compares representations in a few seconds.

    Notes
    -----
    ``T``, ``s`` and ``epochs`` are searched relative to what the pipeline would use, as ``T_factor`` and so on in the
    study. Encoders are fitted to the training part only, once for all trials with the same parameters of encoders.

    Examples
    --------
    >>> import graphtm as gtm
    >>> graphs, y = gtm.datasets.sequences(200, random_state=0)
    >>> pipeline = gtm.make_classifier(graphs, n_clauses=20, epochs=5, random_state=0)
    >>> space = {"graphtmclassifier__n_clauses": [10, 20, 40]}
    >>> result = gtm.tune(graphs, y, n_trials=4, pipeline=pipeline, space=space)
    >>> result.best_score >= result.start_score
    True
    >>> list(result.best_params)
    ['graphtmclassifier__n_clauses']
    """
    optuna = require("optuna", "tune", "search")
    check_arguments(n_trials, timeout, random_state, n_jobs, metric)
    tuned = checked_pipeline(pipeline, X, y)
    check_study(study)
    machine = tuned[-1]
    if metric not in machine._metrics:
        known = ", ".join(map(repr, machine._metrics))
        raise ValueError(f"The 'metric' parameter of tune must be a str among {{{known}}}. Got {metric!r} instead.")
    start, seed = time.perf_counter(), int(random_state)
    if machine.random_state is None:
        machine.set_params(random_state=seed)
    samples = read_samples(X, y, isinstance(machine, GraphTMMultiLabelClassifier))
    searched = default_space(tuned) if space is None else given_space(tuned, space)
    check_machines(tuned, searched)
    objective = Objective(tuned, _splits(samples, validation, seed), searched, metric, optuna.TrialPruned)
    with _quiet(optuna, verbose), tqdm(total=n_trials, unit="trial") if verbose else nullcontext() as bar:
        if study is None:
            study = _new_study(optuna, objective, seed)
        _enqueue_start(study, searched)
        shown = [] if bar is None else [lambda study, _: _show(bar, study)]
        study.optimize(objective, n_trials=1, callbacks=shown)  # however little time there is
        left = None if timeout is None else timeout - (time.perf_counter() - start)
        if n_trials > 1 and (left is None or left > 0):
            study.optimize(objective, n_trials=n_trials - 1, timeout=left, n_jobs=n_jobs, callbacks=shown)
        result = _result(optuna, study, objective)
    if refit:
        result.pipeline.fit(X, y)
    return result


def _result(optuna: Any, study: Any, objective: Objective) -> TuningResult:
    def parameters(values: Mapping[str, Any]) -> dict[str, Any]:
        return objective.parameters(optuna.trial.FixedTrial(values))

    start = objective.space.start()
    done = [one for one in study.trials if one.value is not None and set(one.params) == set(start)]
    complete = [one for one in done if one.state.name == "COMPLETE"]
    if not complete:
        raise GraphTMError("No trial was completed: the pruner of the study must let some trials end.")
    best = max(complete, key=lambda one: (one.value, -one.number))
    found = parameters(best.params)
    return TuningResult(
        clone(objective.pipeline).set_params(**found),
        float(best.value),
        found,
        next((float(one.value) for one in complete if one.params == start), None),
        parameters(start),
        objective.metric,
        tuple(
            TuningTrial(
                one.number,
                float(one.value),
                one.state.name == "PRUNED",
                len(one.intermediate_values),
                one.duration.total_seconds(),
                parameters(one.params),
            )
            for one in done
        ),
        study,
    )


def _new_study(optuna: Any, objective: Objective, seed: int) -> Any:
    machine = objective.pipeline[-1]
    epochs = machine.chosen(objective.n_train).get("epochs", machine.epochs)
    return optuna.create_study(
        direction="maximize",
        sampler=optuna.samplers.TPESampler(seed=seed),
        pruner=optuna.pruners.MedianPruner(n_startup_trials=STARTUP_TRIALS, n_warmup_steps=epochs // SAFE_PART),
    )


def _enqueue_start(study: Any, space: Space) -> None:
    """Let the next trial use the parameters of the pipeline, unless one has been completed with them."""
    start = space.start()
    if not any(one.state.name == "COMPLETE" and one.params == start for one in study.trials):
        study.enqueue_trial(start)


def _splits(samples: Samples, validation: Any, seed: int) -> list[Split]:
    """Return training and held-out samples."""
    n = len(samples)
    if is_integer(validation) and 2 <= validation <= n:
        folds = samples.folds(int(validation), seed)
        pairs = [(np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)) for fold in range(int(validation))]
    elif is_number(validation) and not is_integer(validation) and 0 < validation < 1:
        n_held_out = min(max(1, round(float(validation) * n)), n - 1)
        held_out = np.zeros(n, np.bool_)
        held_out[samples.stratified_order(seed)[np.arange(n_held_out) * n // n_held_out]] = True
        pairs = [(np.flatnonzero(~held_out), np.flatnonzero(held_out))]
    elif hasattr(validation, "split") and not isinstance(validation, str):
        pairs = list(validation.split(np.zeros(n), samples.truth))
    elif isinstance(validation, Iterable) and not isinstance(validation, str):
        pairs = list(validation)
    else:
        raise ValueError(
            "The 'validation' parameter of tune must be a number between 0 and 1, a number of folds from 2 to the "
            f"number of samples, or a cv of scikit-learn. Got {validation!r} instead."
        )
    return [Split(samples.part(np.asarray(train)), samples.part(np.asarray(test))) for train, test in pairs]


@contextmanager
def _quiet(optuna: Any, verbose: int) -> Iterator[None]:
    """Keep Optuna's log and the warnings of trials quiet."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.INFO if verbose > 1 else optuna.logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        optuna.logging.set_verbosity(before)


def _show(bar: Any, study: Any) -> None:
    scores = [one.value for one in study.trials if one.state.name == "COMPLETE"]
    if scores:
        bar.set_postfix(best=f"{max(scores):.3f}")
    bar.update()
