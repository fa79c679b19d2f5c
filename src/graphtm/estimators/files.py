"""Fitted estimators from the content of model files."""

from __future__ import annotations

import os
from typing import Any

from graphtm.engines.registry import engine_status
from graphtm.errors import EngineUnavailableWarning, ModelFormatError
from graphtm.estimators.autoencoder import GraphTMAutoencoder
from graphtm.estimators.bandit import GraphTMBandit
from graphtm.estimators.classifier import GraphTMClassifier
from graphtm.estimators.multilabel import GraphTMMultiLabelClassifier
from graphtm.estimators.regressor import GraphTMRegressor
from graphtm.foundation.calling import warn_user
from graphtm.foundation.container import DAMAGE
from graphtm.model import SavedModel

_KINDS: tuple[type[Any], ...] = (
    GraphTMClassifier,
    GraphTMMultiLabelClassifier,
    GraphTMRegressor,
    GraphTMAutoencoder,
    GraphTMBandit,
)
ESTIMATORS = {kind.__name__: kind for kind in _KINDS}
"""All estimators by name."""


def estimator_from(saved: SavedModel, path: str | os.PathLike[str]) -> Any:
    """Return the fitted estimator of a model file, see :func:`graphtm.load`.

    Raises
    ------
    ModelFormatError
        If its parts are not consistent, or the estimator is unknown.

    Warns
    -----
    EngineUnavailableWarning
        If the engine that the model was saved with cannot run here; ``engine="auto"`` is used instead.
    """
    if saved.kind not in ESTIMATORS:
        raise ModelFormatError(
            f"{path} holds a {saved.kind!r}; this version knows {', '.join(ESTIMATORS)}. Update graphtm to read it."
        )
    try:
        estimator = ESTIMATORS[saved.kind]._from_file(saved.model, saved.settings, saved.extra)
    except DAMAGE as cause:
        raise ModelFormatError(f"{path} is damaged: its content is not a model ({cause}).") from cause
    if estimator.engine != "auto" and not (status := engine_status(estimator.engine)).available:
        warn_user(
            f"The model in {path} was saved with engine={status.name!r}, which cannot run here: {status.detail} It is "
            "loaded with engine='auto', which computes the same.",
            EngineUnavailableWarning,
        )
        estimator.engine = "auto"
    return estimator
