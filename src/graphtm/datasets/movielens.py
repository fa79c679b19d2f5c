"""MovieLens: who gave which film how many stars."""

from __future__ import annotations

import os
import warnings
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Remote, Store, check_subset, damaged, decode, read_bytes, read_npz

_GROUPLENS = "https://files.grouplens.org/datasets/movielens/"
MOVIELENS = {
    "1m": Dataset(
        "MovieLens 1M",
        ("movielens1m", "ml-1m"),
        (Remote(_GROUPLENS + "ml-1m.zip", "c4d9eecfca2ab87c1945afe126590906"),),
    ),
    "100k": Dataset(
        "MovieLens 100K",
        ("movielens100k", "ml-100k"),
        (Remote(_GROUPLENS + "ml-100k.zip", "0e33842e24a9c977be4e0107933c0723"),),
    ),
}
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
    """What a user told: of MovieLens 1M the age is the lowest of a range, and the occupation a number."""

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
    """Load ratings of films: 1,000,209 by 6,040 users, or 100,000 by 943.

    Parameters
    ----------
    subset
        ``"all"``: there is no official split that is generally used.
    data_home, download
        As for :func:`load_mnist`; the folder is ``movielens1m/`` or ``movielens100k/``.
    size
        ``"1m"`` or ``"100k"``.

    Returns
    -------
    X, y
        A structured array with the fields ``user_id``, ``movie_id`` and ``timestamp`` (seconds since 1970, -1 where
        it is not known), and the stars, 1 to 5.

    Raises
    ------
    DatasetNotFoundError
        If the files (``ratings.dat``, ``ratings.npz`` or ``ml-1m.zip``; ``u.data`` or ``ml-100k.zip``) are not there
        and cannot be had.
    GraphFormatError
        If a file is damaged.

    See Also
    --------
    load_movielens_movies, load_movielens_users : what is known about the films and the users.
    """
    check_subset("load_movielens", subset, ("all",), "MovieLens has no official split; split it yourself")
    store = _store("load_movielens", size, data_home, download)
    if size == "1m" and (npz := store.find("ratings.npz")):
        *columns, stars = read_npz(npz, *COLUMNS, "rating")
        return _ratings(columns, stars, npz)
    name = "ratings.dat" if size == "1m" else "u.data"
    content, path = _read_file(store, size, name)
    table = _numbers(content.replace(b"::", b" "), 4, path)
    return _ratings([table[:, 0], table[:, 1], table[:, 3]], table[:, 2], path)


def load_movielens_movies(
    *, data_home: str | os.PathLike[str] | None = None, download: bool = True, size: str = "1m"
) -> dict[int, Movie]:
    """Load the titles and genres of the films, by their number.

    Parameters
    ----------
    data_home, download, size
        As for :func:`load_movielens`; the files are ``movies.dat`` and ``u.item``.
    """
    store = _store("load_movielens_movies", size, data_home, download)
    if size == "1m":
        rows = _rows(store, size, "movies.dat", "::", 3)
        return {int(number): Movie(title, tuple(genres.split("|"))) for number, title, genres in rows}
    movies = {}
    for number, title, _, _, _, *flags in _rows(store, size, "u.item", "|", 5 + len(GENRES_100K)):
        genres = tuple(genre for genre, flag in zip(GENRES_100K, flags, strict=True) if flag == "1")
        movies[int(number)] = Movie(title, genres)
    return movies


def load_movielens_users(
    *, data_home: str | os.PathLike[str] | None = None, download: bool = True, size: str = "1m"
) -> dict[int, User]:
    """Load what is known about the users, by their number.

    Parameters
    ----------
    data_home, download, size
        As for :func:`load_movielens`; the files are ``users.dat`` and ``u.user``.
    """
    store = _store("load_movielens_users", size, data_home, download)
    if size == "1m":
        rows = _rows(store, size, "users.dat", "::", 5)
        return {int(number): User(gender, int(age), job, code) for number, gender, age, job, code in rows}
    rows = _rows(store, size, "u.user", "|", 5)
    return {int(number): User(gender, int(age), job, code) for number, age, gender, job, code in rows}


def _store(function: str, size: str, data_home: str | os.PathLike[str] | None, download: bool) -> Store:
    if size not in MOVIELENS:
        raise ValueError(f"The 'size' parameter of {function} must be '1m' or '100k'. Got {size!r} instead.")
    return Store(MOVIELENS[size], data_home, download)


def _read_file(store: Store, size: str, name: str) -> tuple[bytes, Path]:
    """Return a file of the dataset, which may lie there or in its archive."""
    path = store.get(name, f"ml-{size}.zip")
    if path.suffix != ".zip":
        return read_bytes(path), path
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.read(f"ml-{size}/{name}"), path
    except (zipfile.BadZipFile, KeyError) as error:
        raise damaged(path, f"it has no readable ml-{size}/{name} ({error})") from None


def _rows(store: Store, size: str, name: str, separator: str, n_fields: int) -> list[list[str]]:
    content, path = _read_file(store, size, name)
    rows = [line.split(separator) for line in decode(content, path, "latin-1").splitlines() if line]
    for number, row in enumerate(rows, start=1):
        if len(row) != n_fields or not row[0].isdecimal():
            raise damaged(path, f"line {number} of {name} must have {n_fields} fields, the first of them a number")
    return rows


def _numbers(content: bytes, n_columns: int, path: Path) -> NDArray[np.int64]:
    """Return whole numbers between white space as a table."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            numbers = np.fromstring(content.decode("ascii"), dtype=np.int64, sep=" ")
    except (ValueError, DeprecationWarning):
        raise damaged(path, "it must hold whole numbers and nothing else") from None
    if len(numbers) % n_columns:
        raise damaged(path, f"every line must have {n_columns} numbers; got {len(numbers):,} numbers in all")
    return numbers.reshape(-1, n_columns)


def _ratings(
    columns: Sequence[NDArray[Any]], stars: NDArray[Any], path: Path
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    if len({len(stars), *map(len, columns)}) > 1:
        raise damaged(path, "its columns differ in length")
    if len(stars) and not (stars.min() >= 1 and stars.max() <= 5):
        raise damaged(path, f"stars must be 1 to 5; got {stars.min()} to {stars.max()}")
    rows = np.empty(len(stars), dtype=[(name, np.int64) for name in COLUMNS])
    for name, values in zip(COLUMNS, columns, strict=True):
        rows[name] = values
    return rows, stars.astype(np.int64)
