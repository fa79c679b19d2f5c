"""Sentiment datasets: IMDB, Yelp, MPQA."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePath

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import (
    Dataset,
    Remote,
    Store,
    check_subset,
    decode,
    parts,
    read_lines,
    read_records,
    read_tar,
    read_text,
)
from graphtm.foundation.compressed import damaged

IMDB = Dataset(
    "IMDB",
    ("imdb",),
    ("aclImdb*",),
    (
        Remote(
            "https://ai.stanford.edu/~amaas/data/sentiment/aclImdb_v1.tar.gz",
            "7c2ac02c03563afcf9b574c7e56c153a",
        ),
    ),
)
YELP = Dataset(
    "Yelp",
    ("yelp", "yelp_reviews_stars"),
    ("yelp*", "kaggle_yelp_10k.csv"),
    advice=(
        "Yelp reviews may not be redistributed: get yelp_review_polarity_csv or yelp_review_full_csv (Zhang et al. "
        "2015, arXiv:1509.01626), or yelp.csv of the Kaggle competition 'Yelp business rating'."
    ),
)
MPQA = Dataset(
    "MPQA",
    ("mpqa",),
    ("mpqa.*",),
    advice=(
        "Get mpqa.all, or mpqa.pos and mpqa.neg, as used in papers on sentence classification (Wiebe et al. 2005, "
        "doi:10.1007/s10579-005-7880-9)."
    ),
)


def load_imdb(
    *, subset: str = "train", data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> tuple[list[str], NDArray[np.int64]]:
    """Load IMDB, film reviews: 25,000 for training and 25,000 for testing, half of them positive.

    Parameters
    ----------
    subset, data_home, download
        As for :func:`load_mnist`; the folder is ``imdb/``.

    Returns
    -------
    X, y
        Original texts (with ``<br />``), and 1 for positive, 0 for negative reviews. Negative reviews come first, so
        shuffle before you take a part.

    Raises
    ------
    DatasetNotFoundError
        If the files (``train.jsonl`` and ``test.jsonl``, the folder ``aclImdb``, or ``aclImdb_v1.tar.gz``) are missing
        and cannot be downloaded.
    GraphFormatError
        If a file is damaged.
    """
    check_subset("load_imdb", subset, ("train", "test", "all"))
    store = Store(IMDB, data_home, download)
    reviews: list[tuple[str, int]] = []
    for part in parts(subset):
        path = store.get(f"{part}.jsonl", f"aclImdb/{part}", "aclImdb_v1.tar.gz")
        if path.is_dir():
            reviews += _read_folder(path)
        elif path.name.endswith(".tar.gz"):
            reviews += _read_archive(path, part)
        else:
            reviews += _read_json_lines(path)
    return [text for text, _ in reviews], np.array([label for _, label in reviews], dtype=np.int64)


def _read_json_lines(path: Path) -> list[tuple[str, int]]:
    reviews: list[tuple[str, int]] = []
    lines = read_lines(path)
    try:
        for line in lines:
            review = json.loads(line)
            if not isinstance(review["text"], str) or review["label"] not in (0, 1):
                raise ValueError
            reviews.append((review["text"], int(review["label"])))
    except (ValueError, LookupError, TypeError, RecursionError):
        raise damaged(
            path, f"line {len(reviews) + 1} must be a JSON object with a 'text' and a 'label', 0 or 1"
        ) from None
    return reviews


def _read_folder(folder: Path) -> list[tuple[str, int]]:
    files = [(path, path.read_bytes()) for side in ("neg", "pos") for path in (folder / side).glob("*.txt")]
    return _in_order(files, folder)


def _read_archive(path: Path, part: str) -> list[tuple[str, int]]:
    files = read_tar(path, "the reviews", lambda file: file.match(f"{part}/???/*.txt"))
    return _in_order(files, path)


def _in_order(files: Iterable[tuple[PurePath, bytes]], source: Path) -> list[tuple[str, int]]:
    """Return the reviews sorted by class and number, both taken from the path: ``pos/127_8.txt``."""
    reviews = []
    for path, content in files:
        name = re.fullmatch(r"(\d+)_\d+\.txt", path.name)
        if name and path.parent.name in ("neg", "pos"):
            reviews.append((path.parent.name == "pos", int(name[1]), decode(content, source / path)))
    if not reviews:
        raise damaged(source, "it must contain reviews such as pos/127_8.txt; found none")
    return [(text, int(positive)) for positive, _, text in sorted(reviews)]


def load_yelp(
    *,
    subset: str = "train",
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    stars: bool = False,
) -> tuple[list[str], NDArray[np.int64]]:
    """Load Yelp, reviews of shops and restaurants.

    Stars are converted to polarity by the usual rule: one and two are negative, four and five positive, three is
    dropped. The reviews depend on the files: those of Zhang et al. (arXiv:1509.01626; ``yelp_review_polarity_csv/``,
    whose polarity is used unchanged, or ``yelp_review_full_csv/``), or the Kaggle file of 10,000 reviews (``yelp.csv``
    or ``kaggle_yelp_10k.csv``) and ``dev.csv`` for training with ``test.csv`` for testing, 20,000 in total.

    Parameters
    ----------
    subset, data_home, download
        As for :func:`load_mnist`, but there is no download; the folder is ``yelp/`` or ``yelp_reviews_stars/``.
    stars
        If True, return the stars, 1 to 5, of all reviews instead of the polarity.

    Returns
    -------
    X, y
        Texts, and 1 for positive, 0 for negative reviews.

    Raises
    ------
    DatasetNotFoundError
        If the files are missing.
    GraphFormatError
        If a file is damaged.
    """
    check_subset("load_yelp", subset, ("train", "test", "all"))
    store = Store(YELP, data_home, download)
    texts: list[str] = []
    given: list[int] = []
    for part in parts(subset):
        zhang = (f"yelp_review_polarity_csv/{part}.csv", f"yelp_review_full_csv/{part}.csv")
        kaggle = ("kaggle_yelp_10k.csv", "yelp.csv") if part == "train" else ("test.csv",)
        path = store.get(*(zhang[1:] if stars else zhang), *kaggle)
        if path.parent.name.endswith("_csv"):
            read = _read_zhang(path)
        else:
            read = _read_stars(path)
            dev = store.find("dev.csv") if part == "train" else None
            read += _read_stars(dev) if dev else []
        texts += [text for text, _ in read]
        given += [star for _, star in read]
    y = np.array(given, dtype=np.int64)
    if stars:
        return texts, y
    kept = y != 3
    return [text for text, keep in zip(texts, kept.tolist(), strict=True) if keep], (y[kept] > 3).astype(np.int64)


def _read_stars(path: Path) -> list[tuple[str, int]]:
    """Read a file with a column ``stars``, or a column ``label2`` with values such as ``Review Stars: 4.0``."""
    rows = list(read_records(path, ("text",)))
    column = "label2" if rows and "label2" in rows[0] else "stars"
    if rows and column not in rows[0]:
        raise damaged(path, f"column 'stars' or 'label2' is missing; it has {list(rows[0])!r}")
    return [(row["text"], _stars(row[column].removeprefix("Review Stars:"), path)) for row in rows]


def _read_zhang(path: Path) -> list[tuple[str, int]]:
    """Read a file without a header: stars, or polarity as 1 and 2, then the text with escaped line breaks."""
    worth = {"1": "1", "2": "5"} if "polarity" in path.parent.name else {}
    try:
        rows = list(csv.reader(io.StringIO(read_text(path), newline=""), strict=True))
    except csv.Error as error:
        raise damaged(path, f"it is not valid CSV ({error})") from None
    if any(len(row) != 2 for row in rows):
        raise damaged(path, "every row must have a label and a text")
    return [(text.replace("\\n", "\n"), _stars(worth.get(label, label), path)) for label, text in rows]


def _stars(text: str, path: Path) -> int:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value not in (1, 2, 3, 4, 5):
        raise damaged(path, f"stars must be 1 to 5; got {text!r}")
    return int(value)


def load_mpqa(
    *, subset: str = "all", data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> tuple[list[str], NDArray[np.int64]]:
    """Load MPQA, 10,606 short phrases from news, 3,312 of them with a positive opinion.

    Parameters
    ----------
    subset
        ``"all"``: there is no official split; ten-fold cross-validation is usual.
    data_home, download
        As for :func:`load_mnist`, but there is no download; the folder is ``mpqa/``.

    Returns
    -------
    X, y
        Texts, three of them empty, and 1 for positive, 0 for negative opinions.

    Raises
    ------
    DatasetNotFoundError
        If the files (``mpqa.all``, or ``mpqa.pos`` and ``mpqa.neg``, also with ``.txt``) are missing.
    GraphFormatError
        If a file is damaged.
    """
    check_subset("load_mpqa", subset, ("all",), "MPQA has no official split; split it yourself")
    store = Store(MPQA, data_home, download)
    path = store.get("mpqa.all.txt", "mpqa.all", "mpqa.neg.txt", "mpqa.neg")
    if ".all" not in path.name:
        negative = read_lines(path, "latin-1")
        positive = read_lines(store.get("mpqa.pos.txt", "mpqa.pos"), "latin-1")
        return negative + positive, np.repeat([0, 1], [len(negative), len(positive)])
    pairs = [line.partition(" ") for line in read_lines(path, "latin-1")]
    wrong = [number for number, (label, _, _) in enumerate(pairs, start=1) if label not in ("0", "1")]
    if wrong:
        raise damaged(path, f"line {wrong[0]} must be a label (0 or 1), a space and a text")
    return [text for _, _, text in pairs], np.array([int(label) for label, _, _ in pairs], dtype=np.int64)
