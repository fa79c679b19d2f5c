"""Checkpoints: files from which an interrupted fit is resumed, bit for bit."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphtm.foundation.container import remove_unfinished
from graphtm.learning.callbacks import Callback

if TYPE_CHECKING:
    from graphtm.learning.training import Training

_UNITS = ("epochs", "examples", "seconds")


class Checkpoint(Callback):
    """Write checkpoints regularly; ``fit(..., resume_from=path)`` continues from them, bit for bit.

    The file is replaced atomically: if the process is killed, the last complete checkpoint remains, and the next fit
    removes unfinished files. A checkpoint is also a model file: :func:`graphtm.load` returns the estimator as it was at
    that moment. After the fit it holds the model that ``fit`` returned.

    Parameters
    ----------
    path
        File to write; an existing file is replaced.
    every
        Number of epochs, examples or seconds between checkpoints. The end of the fit is always written.
    unit
        ``"epochs"``, ``"examples"`` or ``"seconds"``. The last two also write within epochs.

    Examples
    --------
    A script that can be killed and restarted at any time:

    >>> import pathlib, tempfile
    >>> import graphtm as gtm
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.gtm"
    >>> graphs, y = gtm.datasets.sequences(500, random_state=0)
    >>> def train(epochs):
    ...     clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=epochs, random_state=0)
    ...     return clf.fit(graphs, y, callbacks=[gtm.Checkpoint(path, every=10, unit="seconds")], resume_from=path)
    >>> train(2).epoch_, train(5).epoch_
    (2, 5)
    """

    writes_checkpoints = True
    order = 2

    def __init__(self, path: str | os.PathLike[str], every: float = 1, unit: str = "epochs") -> None:
        if unit not in _UNITS:
            raise ValueError(
                f"The 'unit' parameter of Checkpoint must be a str among {{{', '.join(map(repr, _UNITS))}}}. "
                f"Got {unit!r} instead."
            )
        whole = unit != "seconds"
        kinds = (int, np.integer) if whole else (int, float, np.integer)
        if not isinstance(every, kinds) or isinstance(every, bool) or not every >= (1 if whole else 0):
            rule = "an int of at least 1" if whole else "a number of at least 0"
            raise ValueError(f"The 'every' parameter of Checkpoint must be {rule} for {unit}. Got {every!r} instead.")
        self.path = Path(path)
        self.every = every
        self.unit = unit
        self.every_examples = int(every) if unit == "examples" else None

    def on_fit_begin(self, training: Training) -> None:  # noqa: ARG002
        folder = Path(os.path.realpath(self.path)).parent
        if not folder.is_dir():
            raise FileNotFoundError(f"The folder of the checkpoint {self.path} does not exist; create it first.")
        if self.path.is_dir():
            raise IsADirectoryError(f"The checkpoint must be a file; {self.path} is a folder. Add a file name.")
        try:  # the only reliable check: permissions are not enough
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as cause:
            what = f"Cannot create files in the folder of the checkpoint ({cause.strerror})"
            raise OSError(cause.errno, what, str(self.path)) from cause
        remove_unfinished(self.path)
        self._last = time.monotonic()
        self._has_written = False

    def on_progress(self, training: Training) -> None:
        if self._is_due(training):
            self._save(training)

    def on_epoch_end(self, training: Training) -> None:
        due = training.epoch % self.every == 0 if self.unit == "epochs" else self._is_due(training)
        if due or training.is_over:
            self._save(training)

    def on_fit_end(self, training: Training) -> None:
        if training.has_returned or not self._has_written:
            self._save(training)

    def _is_due(self, training: Training) -> bool:
        if self.unit == "seconds":
            return time.monotonic() - self._last >= self.every
        return self.unit == "examples" and training.step % self.every == 0

    def _save(self, training: Training) -> None:
        training.save(self.path)
        self._last = time.monotonic()
        self._has_written = True
