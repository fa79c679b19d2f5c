"""Viral genomes: nucleotide sequences of five viruses."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Store, check_subset, read_lines
from graphtm.datasets.generated import check_count
from graphtm.foundation.compressed import damaged

VIRAL_GENOMES = Dataset(
    "The viral genome dataset",
    ("viral_genomes",),
    ("viral_genomes.tsv",),
    advice=(
        "It is a table, viral_genomes.tsv, with the tab-separated columns 'label' and 'sequence'. Create it from FASTA "
        "files of the viruses, for example from the NCBI nucleotide database."
    ),
)


def load_viral_genomes(
    *,
    subset: str = "all",
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    length: int | None = None,
) -> tuple[list[str], NDArray[np.str_]]:
    """Load 12,648 nucleotide sequences of five viruses.

    Parameters
    ----------
    subset
        ``"all"``: there is no official split.
    data_home, download
        As for :func:`load_mnist`, but there is no download; the folder is ``viral_genomes/``.
    length
        Cut sequences to this length, drop shorter ones and duplicates. Without it, the length of a sequence reveals
        its class, and near duplicates end up on both sides of any split.

    Returns
    -------
    X, y
        Sequences over A, C, G, T and the letters for ambiguous bases, and names of viruses.

    Raises
    ------
    DatasetNotFoundError
        If the file (``viral_genomes.tsv``) is missing.
    GraphFormatError
        If it is damaged.
    """
    check_subset("load_viral_genomes", subset, ("all",), "the dataset has no official split; split it yourself")
    if length is not None:
        check_count("load_viral_genomes", "length", length, 1)
    path = Store(VIRAL_GENOMES, data_home, download).get("viral_genomes.tsv")
    header, *lines = read_lines(path) or [""]
    names = header.split("\t")
    if not {"label", "sequence"} <= set(names):
        raise damaged(path, f"it must have the columns 'label' and 'sequence'; got {names!r}")
    rows = [line.split("\t") for line in lines]
    wrong = [number for number, row in enumerate(rows, start=2) if len(row) != len(names)]
    if wrong:
        raise damaged(path, f"line {wrong[0]} must have {len(names)} fields")
    label, sequence = names.index("label"), names.index("sequence")
    pairs = [(row[sequence], row[label]) for row in rows]
    if length is not None:
        first: dict[str, str] = {}
        for text, virus in pairs:
            if len(text) >= length:
                first.setdefault(text[:length], virus)
        pairs = list(first.items())
    return [text for text, _ in pairs], np.array([virus for _, virus in pairs], dtype=np.str_)
