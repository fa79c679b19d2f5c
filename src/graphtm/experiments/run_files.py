"""Files of runs: checkpoints, the records of runs that have ended, and models."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sklearn.pipeline import make_pipeline

from graphtm.encoders import GraphEncoder
from graphtm.estimators import GraphTMClassifier, GraphTMMultiLabelClassifier
from graphtm.experiments.declaration import Folder
from graphtm.experiments.records import Record, as_json, record_from
from graphtm.pipelines.files import load, save


def file_name(experiment: str, preset: str, variant: str, seed: int) -> str:
    """Return the name of a run for files, without a suffix.

    Examples
    --------
    >>> from graphtm.experiments.run_files import file_name
    >>> file_name("multivalue_xor", "paper", "50 clauses, M=2,048", 3)
    'multivalue_xor-paper-50_clauses_M=2048-seed3'
    """
    plain = re.sub(r"[^\w.=]+", "_", variant.replace(",", ""))
    return "-".join(filter(None, (experiment, preset, plain, f"seed{seed}")))


def fingerprint(settings: Mapping[str, Any]) -> str:
    """Return eight letters that differ between settings."""
    text = json.dumps(as_json(settings), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:8]


class RunFiles:
    """The checkpoint of a run, and its record once it has ended.

    Both stay until the whole command has ended: the same command finds in them what it need not do again.
    """

    def __init__(self, folder: Folder, name: str) -> None:
        self.checkpoint = Path(folder) / f"{name}.gtm"
        self._ended = Path(folder) / f"{name}.json"

    def record(self) -> Record | None:
        """Return the record of the run; ``None`` if it has not ended."""
        if not self._ended.exists():
            return None
        return record_from(self._ended.read_text(encoding="utf-8"), str(self._ended))

    def end(self, record: Record) -> None:
        """Keep the record of a run that has ended."""
        unfinished = self._ended.with_suffix(".part")
        unfinished.write_text(record.to_json(), encoding="utf-8")
        unfinished.replace(self._ended)

    def classifier(self, **parameters: Any) -> Any:
        """Return the trained classifier of a run that has ended."""
        return load(self.checkpoint).set_params(**parameters)

    def remove(self) -> None:
        """Remove both files."""
        for path in (self._ended, self.checkpoint):
            path.unlink(missing_ok=True)


def save_model(
    path: Path, encoders: Sequence[GraphEncoder], classifier: GraphTMClassifier | GraphTMMultiLabelClassifier
) -> None:
    """Save a classifier, or a pipeline of encoders and it that takes raw data.

    The pipeline ignores symbols that the classifier does not know: variants may leave out some of an encoder.
    """
    if not encoders:
        save(classifier, path)
        return
    known, classifier.unknown = classifier.unknown, "ignore"
    try:
        save(make_pipeline(*encoders, classifier), path)
    finally:
        classifier.unknown = known
