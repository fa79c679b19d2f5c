"""Checks of the arguments of ``tune``, before any time is spent on trials."""

from __future__ import annotations

from itertools import product
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline, make_pipeline

from graphtm.estimators import GraphTMClassifier, GraphTMMultiLabelClassifier
from graphtm.estimators.fitting import GraphTMEstimator
from graphtm.foundation.parameters import is_integer, is_number
from graphtm.foundation.type_names import type_of
from graphtm.pipelines.recommended import make_classifier
from graphtm.search.space import Choice, Space


def checked_pipeline(pipeline: Any, X: Any, y: Any) -> Pipeline:
    """Return a copy of the pipeline to tune.

    Raises
    ------
    TypeError
        If it does not end with a classifier of graphtm.
    ValueError
        If a parameter of the classifier is out of range.
    """
    if pipeline is None:
        return make_classifier(X, y)
    copy = clone(pipeline) if isinstance(pipeline, Pipeline | GraphTMEstimator) else None
    if isinstance(copy, GraphTMEstimator):
        copy = make_pipeline(copy)
    if copy is None or not isinstance(copy[-1], GraphTMClassifier | GraphTMMultiLabelClassifier):
        got = f"one that ends with {type_of(copy[-1])}" if copy else type_of(pipeline)
        raise TypeError(
            "The 'pipeline' parameter of tune must be a scikit-learn Pipeline that ends with a classifier of graphtm, "
            f"or such a classifier. Got {got} instead. For other estimators, use a search of scikit-learn."
        )
    copy[-1]._check()
    return copy


def check_machines(pipeline: Pipeline, space: Space) -> None:
    """Require that every trial can be scored: an error in a later trial, or after the last, would lose the others.

    Raises
    ------
    TypeError
        If a trial would use another kind of classifier.
    ValueError
        If a classifier would not be trained, or would stop early by the scores of held-out samples.
    """
    step = pipeline.steps[-1][0]
    names = [step, *(f"{step}__{name}" for name in ("epochs", "patience", "validation_fraction"))]
    choices = [one for one in space.dimensions if isinstance(one, Choice) and one.name in names]
    for values in product(*(choice.values for choice in choices)):
        drawn = {choice.name: value for choice, value in zip(choices, values, strict=True)}
        machine = clone(pipeline).set_params(**drawn)[-1]
        kind = type(machine).__name__
        if not isinstance(machine, type(pipeline[-1])):
            raise TypeError(
                f"The 'space' parameter of tune must keep the kind of classifier, {type(pipeline[-1]).__name__!r}. Got "
                f"a {kind!r} for {step!r} instead."
            )
        if machine.epochs == 0:
            raise ValueError(
                f"The 'epochs' parameter of {kind} must be at least 1 in tune, which scores trials after each epoch. "
                "Got 0 instead."
            )
        if machine.patience is not None and machine.validation_fraction is None:
            raise ValueError(
                f"The 'patience' parameter of {kind} must be None in tune unless validation_fraction is set, since "
                f"samples that score a trial must not choose its best epoch. Got patience={machine.patience!r}. Set "
                "validation_fraction=0.1, for instance, or patience=None."
            )


def check_study(study: Any) -> None:
    """Require a study that is maximised, or none."""
    if study is not None and getattr(getattr(study, "direction", None), "name", None) != "MAXIMIZE":
        raise ValueError(
            "The 'study' parameter of tune must be a study of Optuna whose direction is 'maximize': write "
            f"optuna.create_study(direction='maximize'). Got {study!r} instead."
        )


def check_arguments(n_trials: Any, timeout: Any, random_state: Any, n_jobs: Any, metric: Any) -> None:
    """Require arguments of ``tune`` that are within their range."""
    rules = {
        "n_trials": ("an int of at least 1", n_trials, is_integer(n_trials) and n_trials >= 1),
        "timeout": (
            "a number above 0, or None",
            timeout,
            timeout is None or (is_number(timeout) and timeout > 0),
        ),
        "random_state": (
            "an int from 0 to 2^32 - 1",
            random_state,
            is_integer(random_state) and 0 <= random_state < 2**32,
        ),
        "n_jobs": ("an int of at least 1, or -1", n_jobs, is_integer(n_jobs) and (n_jobs >= 1 or n_jobs == -1)),
        "metric": ("a str", metric, isinstance(metric, str)),
    }
    for name, (rule, value, holds) in rules.items():
        if not holds:
            raise ValueError(f"The {name!r} parameter of tune must be {rule}. Got {value!r} instead.")
