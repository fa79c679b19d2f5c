"""Ratings: films of MovieLens and products of Amazon."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Remote, Store, check_subset, decode, read_npz, read_records, split_lines
from graphtm.foundation.compressed import damaged, read_bytes, read_member

_GROUPLENS = "https://files.grouplens.org/datasets/movielens/"
MOVIELENS = {
    "1m": Dataset(
        "MovieLens 1M",
        ("movielens1m", "ml-1m"),
        # Other sizes have a ratings.dat too.
        ("ml-1m.zip",),
        (Remote(_GROUPLENS + "ml-1m.zip", "c4d9eecfca2ab87c1945afe126590906"),),
    ),
    "100k": Dataset(
        "MovieLens 100K",
        ("movielens100k", "ml-100k"),
        ("ml-100k.zip", "u.*"),
        (Remote(_GROUPLENS + "ml-100k.zip", "0e33842e24a9c977be4e0107933c0723"),),
    ),
}
AMAZON_SALES = Dataset(
    "The Amazon sales dataset",
    ("amazon_sales",),
    ("amazon.csv",),
    advice="Download amazon.csv from Kaggle, 'karkavelrajaj/amazon-sales-dataset'.",
)
COLUMNS = ("user_id", "movie_id", "timestamp")
GENRES_100K = (
    *("unknown", "Action", "Adventure", "Animation", "Children's", "Comedy", "Crime", "Documentary", "Drama"),
    *("Fantasy", "Film-Noir", "Horror", "Musical", "Mystery", "Romance", "Sci-Fi", "Thriller", "War", "Western"),
)


class Movie(NamedTuple):
    """A film's title and genres."""

    title: str
    genres: tuple[str, ...]


class User(NamedTuple):
    """A user. In MovieLens 1M, the age is the lower bound of a range, and the occupation is a number."""

    gender: str
    age: int
    occupation: str
    zip_code: str


def load_movielens(
    *,
    subset: str = "all",
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    size: str = "1m",
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Load MovieLens, ratings of films: 1,000,209 by 6,040 users, or 100,000 by 943 users (doi:10.1145/2827872).

    Parameters
    ----------
    subset
        ``"all"``: there is no generally used split.
    data_home, download
        As for :func:`load_mnist`; the folder is ``movielens1m/`` or ``movielens100k/``.
    size
        ``"1m"`` or ``"100k"``.

    Returns
    -------
    X, y
        A structured array with the fields ``user_id``, ``movie_id`` and ``timestamp`` (seconds since 1970, -1 if
        unknown), and the ratings, 1 to 5 stars.

    Raises
    ------
    DatasetNotFoundError
        If the files (``ratings.dat``, ``ratings.npz`` or ``ml-1m.zip``; ``u.data`` or ``ml-100k.zip``) are missing
        and cannot be downloaded.
    GraphFormatError
        If a file is damaged.

    See Also
    --------
    load_movielens_movies, load_movielens_users : attributes of the films and the users.
    """
    check_subset("load_movielens", subset, ("all",), "MovieLens has no official split; split it yourself")
    store = _store("load_movielens", size, data_home, download)
    name = "ratings.dat" if size == "1m" else "u.data"
    path = store.get(*(["ratings.npz"] if size == "1m" else []), name, f"ml-{size}.zip")
    if path.suffix == ".npz":
        *columns, stars = read_npz(path, *COLUMNS, "rating")
        return _ratings(columns, stars, path)
    table = _numbers(_read_file(path, size, name).replace(b"::", b"\t"), 4, path)
    return _ratings([table[:, 0], table[:, 1], table[:, 3]], table[:, 2], path)


def load_movielens_movies(
    *, data_home: str | os.PathLike[str] | None = None, download: bool = True, size: str = "1m"
) -> dict[int, Movie]:
    """Load the titles and genres of the films, by movie id.

    Parameters
    ----------
    data_home, download, size
        As for :func:`load_movielens`; the files are ``movies.dat`` and ``u.item``.
    """
    store = _store("load_movielens_movies", size, data_home, download)
    if size == "1m":
        rows = _rows(store, size, "movies.dat", "::", 3)
        return {number: Movie(title, tuple(genres.split("|"))) for number, (title, genres) in rows.items()}
    movies = {}
    for number, (title, _, _, _, *flags) in _rows(store, size, "u.item", "|", 5 + len(GENRES_100K)).items():
        genres = tuple(genre for genre, flag in zip(GENRES_100K, flags, strict=True) if flag == "1")
        movies[number] = Movie(title, genres)
    return movies


def load_movielens_users(
    *, data_home: str | os.PathLike[str] | None = None, download: bool = True, size: str = "1m"
) -> dict[int, User]:
    """Load gender, age, occupation and zip code of the users, by user id.

    Parameters
    ----------
    data_home, download, size
        As for :func:`load_movielens`; the files are ``users.dat`` and ``u.user``.
    """
    store = _store("load_movielens_users", size, data_home, download)
    if size == "1m":
        rows = _rows(store, size, "users.dat", "::", 5, age=2)
        return {number: User(gender, int(age), job, code) for number, (gender, age, job, code) in rows.items()}
    rows = _rows(store, size, "u.user", "|", 5, age=1)
    return {number: User(gender, int(age), job, code) for number, (age, gender, job, code) in rows.items()}


def _store(function: str, size: str, data_home: str | os.PathLike[str] | None, download: bool) -> Store:
    if size not in MOVIELENS:
        raise ValueError(f"The 'size' parameter of {function} must be '1m' or '100k'. Got {size!r} instead.")
    return Store(MOVIELENS[size], data_home, download)


def _read_file(path: Path, size: str, name: str) -> bytes:
    """Return the content of a file; ``path`` is the file or the archive that contains it."""
    return read_member(path, f"ml-{size}/{name}") if path.suffix == ".zip" else read_bytes(path)


def _rows(
    store: Store, size: str, name: str, separator: str, n_fields: int, age: int | None = None
) -> dict[int, list[str]]:
    """Return the fields of each line by its id, the first field."""
    path = store.get(name, f"ml-{size}.zip")
    rows: dict[int, list[str]] = {}
    for line_number, line in enumerate(split_lines(decode(_read_file(path, size, name), path, "latin-1")), start=1):
        row = line.split(separator)
        if len(row) != n_fields or not all(_is_number(row[place]) for place in (0, age or 0)):
            numbers = "a number first" if age is None else f"with numbers as field 1 (id) and field {age + 1} (age)"
            raise damaged(path, f"line {line_number} of {name} must have {n_fields} fields, {numbers}")
        if int(row[0]) in rows:
            raise damaged(path, f"line {line_number} of {name} repeats the id {row[0]}")
        rows[int(row[0])] = row[1:]
    return rows


def _is_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def _numbers(content: bytes, n_columns: int, path: Path) -> NDArray[np.int64]:
    """Return lines of tab-separated integers as a matrix."""
    if not content.strip():
        return np.zeros((0, n_columns), np.int64)
    try:
        table = np.loadtxt(io.StringIO(content.decode("ascii")), np.int64, comments=None, delimiter="\t", ndmin=2)
    except (ValueError, OverflowError) as error:
        raise damaged(path, f"every line must have {n_columns} integers and nothing else ({error})") from None
    if table.shape[1] != n_columns:
        raise damaged(path, f"every line must have {n_columns} integers; got {table.shape[1]}")
    return table


def _ratings(
    columns: Sequence[NDArray[Any]], stars: NDArray[Any], path: Path
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    if any(column.ndim != 1 or column.dtype.kind not in "iu" for column in (stars, *columns)):
        raise damaged(path, "its columns must be one-dimensional integer arrays")
    if len({len(stars), *map(len, columns)}) > 1:
        raise damaged(path, "its columns differ in length")
    if len(stars) and not (stars.min() >= 1 and stars.max() <= 5):
        raise damaged(path, f"stars must be 1 to 5; got {stars.min()} to {stars.max()}")
    rows = np.empty(len(stars), dtype=[(name, np.int64) for name in COLUMNS])
    for name, values in zip(COLUMNS, columns, strict=True):
        rows[name] = values
    return rows, stars.astype(np.int64)


def load_amazon_sales(
    *, subset: str = "all", data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> tuple[list[dict[str, str]], NDArray[np.float64]]:
    """Load 1,465 products with their mean rating.

    Parameters
    ----------
    subset
        ``"all"``: there is no official split.
    data_home, download
        As for :func:`load_mnist`, but there is no download; the folder is ``amazon_sales/``.

    Returns
    -------
    X, y
        A dictionary of strings per row, with ``product_id``, ``category`` (levels separated by ``|``), ``user_id``
        (reviewers separated by commas), prices and so on; and the rating, which is NaN if it is not a number (one
        row).

    Raises
    ------
    DatasetNotFoundError
        If the file (``amazon.csv``) is missing.
    GraphFormatError
        If it is damaged.
    """
    check_subset("load_amazon_sales", subset, ("all",), "the dataset has no official split; split it yourself")
    path = Store(AMAZON_SALES, data_home, download).get("amazon.csv")
    rows = list(read_records(path, ("product_id", "category", "user_id", "rating")))
    return rows, np.array([_rating(row.pop("rating")) for row in rows], dtype=np.float64)


def _rating(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
