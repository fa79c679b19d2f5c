"""Loading fitted estimators from model files."""

from __future__ import annotations

import os
from typing import Any

from graphtm.engines.registry import engine_status
from graphtm.errors import EngineUnavailableWarning, ModelFormatError
from graphtm.estimators.classifier import GraphTMClassifier
from graphtm.estimators.multilabel import GraphTMMultiLabelClassifier
from graphtm.foundation.calling import warn_user
from graphtm.foundation.container import DAMAGE
from graphtm.model import read_model
from graphtm.model.file import MOST_BYTES

_KINDS = {kind.__name__: kind for kind in (GraphTMClassifier, GraphTMMultiLabelClassifier)}


def load(path: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> Any:
    """Load a fitted estimator from a file written by ``save``.

    Nothing in the file is executed, so it is safe to load files from unknown sources.

    Parameters
    ----------
    path
        The ``.gtm`` file.
    most_bytes
        Largest size of the model in memory; 8 GiB by default.

    Returns
    -------
    estimator
        It predicts, explains and continues training like the one that was saved.

    Raises
    ------
    ModelFormatError
        If the file is damaged, truncated, of a newer version, not a model file, or too large.

    Warns
    -----
    EngineUnavailableWarning
        If the engine that the model was saved with cannot run here; ``engine="auto"`` is used instead.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import graphtm as gtm
    >>> graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]], symbols=["hot", "cold"])
    >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, depth=1, epochs=3, random_state=0).fit(graphs, ["a", "b"])
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.gtm"
    >>> clf.save(path)
    >>> bool((gtm.load(path).predict(graphs) == clf.predict(graphs)).all())
    True
    """
    saved = read_model(path, most_bytes=most_bytes)
    if saved.kind not in _KINDS:
        raise ModelFormatError(
            f"{path} holds a {saved.kind!r}; this version knows {', '.join(_KINDS)}. Update graphtm to read it."
        )
    try:
        estimator = _KINDS[saved.kind]._from_file(saved.model, saved.settings, saved.extra)
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
