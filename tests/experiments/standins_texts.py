"""Tiny stand-ins for reviews and phrases, in the files of the real data."""

import csv
import io
import json

import numpy as np
from archives import write

GOOD, BAD = ("good", "great", "fine", "superb"), ("bad", "awful", "poor", "dull")
OTHER = ("the", "film", "food", "was", "a", "with", "some", "people", "and", "place")


def review(rng, positive, n_words):
    """Return random words; some of them say the polarity, one of them after a "not" that turns it around."""
    words = list(rng.choice(OTHER, n_words))
    told, turned = (GOOD, BAD) if positive else (BAD, GOOD)
    for place in rng.choice(n_words, max(1, n_words // 4), replace=False):
        words[place] = str(rng.choice(told))
    if n_words > 5:
        words[2:4] = ["not", str(rng.choice(turned))]
    return " ".join(words)


def imdb(folder):
    """Write reviews as JSON lines, the negative ones first."""
    rng = np.random.default_rng(0)
    for part, n in (("train", 200), ("test", 80)):
        lines = []
        for number in range(n):
            positive = number >= n // 2
            text = review(rng, positive, int(rng.integers(8, 25))).replace(" and ", "<br />", 1)
            lines.append(
                json.dumps({"label": int(positive), "rating": 9 if positive else 2, "id": number, "text": text})
            )
        write(folder / f"{part}.jsonl.xz", "\n".join(lines) + "\n")


def table(header, rows):
    """Return rows as a table of text."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


def yelp(folder):
    """Write reviews with one to five stars in the three files."""
    rng = np.random.default_rng(0)
    rated = [(1 + number % 5, review(rng, number % 5 > 1, 12)) for number in range(200)]
    header = ["business_id", "date", "review_id", "stars", "text", "type"]
    kaggle = [
        ["b", "2011-01-26", str(number), str(stars), text, "review"] for number, (stars, text) in enumerate(rated[:100])
    ]
    write(folder / "kaggle_yelp_10k.csv.gz", table(header, kaggle))
    for name, part in (("dev", rated[100:150]), ("test", rated[150:])):
        rows = [[text, "Business Category: Restaurants", f"Review Stars: {stars}.0"] for stars, text in part]
        write(folder / f"{name}.csv.gz", table(["text", "label1", "label2"], rows))


def mpqa(folder):
    """Write phrases with their labels, a few of them twice."""
    rng = np.random.default_rng(0)
    lines = []
    for number in range(300):
        positive = number % 3 == 0
        lines.append(f"{int(positive)} {review(rng, positive, int(rng.integers(1, 5)))}")
    write(folder / "mpqa.all.txt.gz", "\n".join([*lines, "0 "]) + "\n")
