"""SCONE: sequences of instructions in natural language that change a small world (arXiv:1606.05378)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Store, check_subset, read_lines
from graphtm.foundation.compressed import damaged

SCONE = Dataset(
    "SCONE",
    ("scone", "rlong", "scone/rlong"),
    ("rlong-*.tsv", "tangrams-*.tsv"),
    advice="Download scone.zip from https://nlp.stanford.edu/projects/scone/ and unpack it.",
)
DOMAINS = ("tangrams", "scene", "alchemy")


class SconeRow(TypedDict):
    """A sample: its utterances, and the world before each of them."""

    id: str
    worlds: tuple[str, ...]
    utterances: tuple[str, ...]


def load_scone(
    *,
    subset: str = "train",
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    domain: str = "tangrams",
) -> tuple[list[SconeRow], NDArray[np.str_]]:
    """Load SCONE, sequences of instructions and the resulting worlds.

    Parameters
    ----------
    subset
        ``"train"``, ``"dev"``, ``"test"``, ``"all"`` for the three in this order, or ``"train-orig"`` for the training
        data of the original paper: one or two utterances per sample, and ``"?"`` for unused worlds.
    data_home, download
        As for :func:`load_mnist`, but there is no download; the folder is ``scone/``.
    domain
        ``"tangrams"``, ``"scene"`` or ``"alchemy"``.

    Returns
    -------
    X, y
        A dictionary per sample, with its ``id``, its ``utterances`` and the ``worlds`` before each of them; and the
        final world. A world is a string such as ``"1:2 2:1 3:4"``: piece 2 at position 1, and so on.

    Raises
    ------
    DatasetNotFoundError
        If the files (``tangrams-train.tsv`` and so on, or ``rlong-tangrams-train.tsv``) are missing.
    GraphFormatError
        If a file is damaged.
    """
    check_subset("load_scone", subset, ("train", "dev", "test", "all", "train-orig"))
    if domain not in DOMAINS:
        choice = " or ".join(map(repr, DOMAINS))
        raise ValueError(f"The 'domain' parameter of load_scone must be {choice}. Got {domain!r} instead.")
    store = Store(SCONE, data_home, download)
    rows: list[SconeRow] = []
    last: list[str] = []
    for part in ("train", "dev", "test") if subset == "all" else (subset,):
        path = store.get(f"{domain}-{part}.tsv", f"rlong-{domain}-{part}.tsv")
        for number, line in enumerate(read_lines(path), start=1):
            row, world = _read_row(line, number, path)
            rows.append(row)
            last.append(world)
    return rows, np.array(last, dtype=np.str_)


def _read_row(line: str, number: int, path: Path) -> tuple[SconeRow, str]:
    fields = line.split("\t")
    if len(fields) < 4 or len(fields) % 2:
        raise damaged(
            path,
            f"line {number} must have an id, a world, and pairs of an utterance and a world; got {len(fields)} fields",
        )
    worlds = fields[1::2]
    return {"id": fields[0], "worlds": tuple(worlds[:-1]), "utterances": tuple(fields[2::2])}, worlds[-1]
