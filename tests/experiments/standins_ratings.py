"""Tiny stand-ins for rated products and films, in the files of the real data."""

import csv
import io

import numpy as np
from archives import write

N_PRODUCTS = 60
GENRES = ("Drama", "Comedy", "War")
N_FILMS, N_USERS = 24, 30


def sales(folder):
    """Write products with their customers and ratings, one of them without a rating, in the file of Amazon sales."""
    rng = np.random.default_rng(0)
    rows = [["product_id", "category", "user_id", "rating"]]
    for number in range(N_PRODUCTS):
        customers = [f"U{one}" for one in rng.integers(0, 40, 3)]
        rating = 3.0 + number % 2 + rng.integers(0, 10) / 10
        rows.append([f"P{number}", f"Home|Kind{number % 7}", ",".join(customers), f"{rating:.1f}"])
    rows.append(["P1", "Home|Kind1", "U1", "|"])
    text = io.StringIO(newline="")
    csv.writer(text).writerows(rows)
    write(folder / "amazon.csv", text.getvalue().encode())


def histories(seed):
    """Return the films of users in the order in which they saw them: each begins somewhere and goes on from there."""
    rng = np.random.default_rng(seed)
    return [(rng.integers(N_FILMS) + np.arange(rng.integers(12, N_FILMS))) % N_FILMS for _ in range(N_USERS)]


def films(folder):
    """Write ratings of films in the two files of MovieLens 100K."""
    rows = [
        f"{user}\t{film + 1}\t{1 + film % 5}\t{1000 * user + time}"
        for user, seen in enumerate(histories(0), start=1)
        for time, film in enumerate(seen.tolist())
    ]
    write(folder / "u.data", "\n".join(rows).encode() + b"\n")
    flags = [["1" if number in (8 - film % 2, 17) else "0" for number in range(19)] for film in range(N_FILMS)]
    lines = [f"{film + 1}|Film {film + 1}|01-Jan-1995||url|{'|'.join(flags[film])}" for film in range(N_FILMS)]
    write(folder / "u.item", "\n".join(lines).encode() + b"\n")


def many_films(folder):
    """Write ratings of films in the two files of MovieLens 1M; the times of the last user are not known."""
    seen = histories(1)
    columns = {"user_id": [], "movie_id": [], "rating": [], "timestamp": []}
    for user, own in enumerate(seen, start=1):
        columns["user_id"] += [user] * len(own)
        columns["movie_id"] += (own + 1).tolist()
        columns["rating"] += (1 + own % 5).tolist()
        columns["timestamp"] += [-1] * len(own) if user == N_USERS else list(range(len(own)))
    lines = [f"{film + 1}::Film {film + 1}::{GENRES[film % 3]}|{GENRES[2]}" for film in range(N_FILMS)]
    write(folder / "movies.dat", "\n".join(lines).encode() + b"\n")
    np.savez(folder / "ratings.npz", **{name: np.array(values, np.int32) for name, values in columns.items()})
