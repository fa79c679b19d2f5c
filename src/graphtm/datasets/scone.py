"""SCONE: instructions in plain words, one after the other, that change a small world."""

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
    advice="Get scone.zip from https://nlp.stanford.edu/projects/scone/ and unpack it.",
)
DOMAINS = ("tangrams", "scene", "alchemy")


class SconeRow(TypedDict):
    """One example: what was said, and the world as it was before each of it."""

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
    """Load instructions and the worlds they lead to; Tangrams, unless another domain is asked for.

    Parameters
    ----------
    subset
        ``"train"``, ``"dev"``, ``"test"``, ``"all"`` for the three in this order, or ``"train-orig"`` for the one or
        two utterances per example of the original paper, where a world that was not used is ``"?"``.
    data_home, download
        As for :func:`load_mnist`, but nothing can be downloaded; the folder is ``scone/``.
    domain
        ``"tangrams"``, ``"scene"`` or ``"alchemy"``.

    Returns
    -------
    X, y
        For each example a dictionary with its ``id``, its ``utterances`` and the ``worlds`` before each of them; and
        the last world. A world is a text such as ``"1:2 2:1 3:4"``: at place 1 the piece 2, and so on.

    Raises
    ------
    DatasetNotFoundError
        If the files (``tangrams-train.tsv`` and so on, also with ``rlong-`` before) are not there.
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
            f"line {number} must be an id, a world, and an utterance and a world or more; got {len(fields)} fields",
        )
    worlds = fields[1::2]
    return {"id": fields[0], "worlds": tuple(worlds[:-1]), "utterances": tuple(fields[2::2])}, worlds[-1]
