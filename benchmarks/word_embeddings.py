"""Word embeddings of film reviews, judged against co-occurrence.

    python benchmarks/word_embeddings.py --data DIR [--words 200] [--json FILE]

DIR is the folder that holds ``imdb/``. A sentence is a graph of one node with its words; the auto-encoder predicts the
most frequent words that are not stop words from the others. Its neighbours of each word are compared with those of
co-occurrence: the cosine similarity of rows of positive pointwise mutual information (PPMI) between words in the same
sentence. Half of the sentences give the embeddings and the other half the judge, so that noise is not shared. The same
is reported for the counts of co-occurrences, for PPMI itself and for its truncated singular value decomposition (SVD),
all from the first half, and for random neighbours.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy import sparse
from scipy.stats import spearmanr
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, CountVectorizer

import graphtm as gtm
from graphtm.datasets import load_imdb

SHOWN = ("good", "bad", "actor", "director", "music", "horror", "funny", "father", "war", "school")
NEIGHBOURS = 10


def sentences(data: Path) -> list[str]:
    """Return the sentences of the training reviews, of five words and more."""
    reviews, _ = load_imdb(data_home=data, download=False)
    parts = (part for review in reviews for part in re.split(r"[.!?]+|<br\s*/?>", review))
    return [part for part in parts if len(part.split()) >= 5]


def cosines(vectors: Any) -> np.ndarray:
    """Return the cosine similarity of all pairs of rows."""
    dense = np.asarray(vectors, dtype=np.float64)
    dense = dense / np.maximum(np.linalg.norm(dense, axis=1, keepdims=True), 1e-300)
    return np.asarray(dense @ dense.T)


def counts(has: sparse.csr_array, words: np.ndarray) -> np.ndarray:
    """Return how often some words are in the same sentence as each other word."""
    together = (has[:, words].T @ has).toarray().astype(np.float64)
    together[np.arange(len(words)), words] = 0
    return np.asarray(together)


def ppmi(has: sparse.csr_array, words: np.ndarray) -> np.ndarray:
    """Return positive pointwise mutual information of some words with all, in the same sentence."""
    together = counts(has, words)
    share = together / together.sum()
    with np.errstate(divide="ignore"):
        information = np.log(share / (share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)))
    return np.asarray(np.maximum(information, 0))


def agreement(similar: np.ndarray, judge: np.ndarray) -> dict[str, float]:
    """Return the rank correlation of similarities, word by word, and the share of neighbours in common."""
    n = len(judge)
    others = ~np.eye(n, dtype=bool)
    correlations = [spearmanr(similar[word][others[word]], judge[word][others[word]])[0] for word in range(n)]
    near = [np.argsort(np.where(others, -table, np.inf), axis=1)[:, :NEIGHBOURS] for table in (similar, judge)]
    common = [len(np.intersect1d(mine, theirs)) / NEIGHBOURS for mine, theirs in zip(*near, strict=True)]
    return {"rank correlation": float(np.mean(correlations)), f"overlap@{NEIGHBOURS}": float(np.mean(common))}


def main() -> None:
    """Learn, compare, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--words", type=int, default=200, help="number of words to embed")
    parser.add_argument("--inputs", type=int, default=1000, help="number of words that sentences may have")
    parser.add_argument("--sentences", type=int, default=100_000)
    parser.add_argument("--clauses", type=int, default=400)
    parser.add_argument("--T", type=int, default=400)
    parser.add_argument("--s", type=float, default=5.0)
    parser.add_argument("--limit", type=int, default=20, help="max_included_literals")
    parser.add_argument("--contexts", type=int, default=1000)
    parser.add_argument("--accumulation", type=int, default=16)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--verbose", action="store_true", help="show progress")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()

    texts = sentences(given.data)
    chosen = np.random.default_rng(given.seed).permutation(len(texts))[: given.sentences]
    counter = CountVectorizer(max_features=given.inputs, stop_words=sorted(ENGLISH_STOP_WORDS), binary=True)
    has = sparse.csr_array(counter.fit_transform([texts[place] for place in chosen])).astype(np.int64)
    names = counter.get_feature_names_out().tolist()
    has = has[np.diff(has.indptr) >= 2]
    half = has.shape[0] // 2
    mine, others = has[:half], has[half:]
    words = np.sort(np.argsort(-np.asarray(mine.sum(axis=0)).ravel(), kind="stable")[: given.words])

    graphs = gtm.GraphBatch.from_arrays(np.ones(half, int), mine.astype(bool), names)
    begun = time.process_time()
    encoder = gtm.GraphTMAutoencoder(
        symbols=[names[word] for word in words],
        n_clauses=given.clauses,
        T=given.T,
        s=given.s,
        depth=1,
        max_included_literals=given.limit,
        n_contexts=given.contexts,
        accumulation=given.accumulation,
        epochs=given.epochs,
        random_state=given.seed,
        verbose=int(given.verbose),
        n_jobs=1,
    ).fit(graphs)
    seconds = time.process_time() - begun
    judge, own = cosines(ppmi(others, words)), ppmi(mine, words)
    reduced = TruncatedSVD(min(100, given.words - 1), random_state=0).fit_transform(own)
    results = {
        "auto-encoder": agreement(encoder.similarities(), judge),
        "counts of the same sentences": agreement(cosines(counts(mine, words)), judge),
        "PPMI of the same sentences": agreement(cosines(own), judge),
        "PPMI, 100 singular vectors": agreement(cosines(reduced), judge),
        "random": agreement(np.random.default_rng(0).random(judge.shape), judge),
    }
    table = Table("embedding", *results["random"])
    for name, scores in results.items():
        table.add_row(name, *(f"{score:.2f}" for score in scores.values()))
    console = Console()
    console.print(f"{half:,} sentences, {given.words} words; {seconds:.0f} processor seconds")
    console.print(table)
    near = Table("word", "most similar")
    for word in SHOWN:
        if word in encoder.symbols_:
            near.add_row(word, ", ".join(str(one) for one, _ in encoder.most_similar(word, 6)))
    console.print(near)
    if given.json:
        given.json.write_text(json.dumps({"seconds": seconds, **results}, indent=1))


if __name__ == "__main__":
    main()
