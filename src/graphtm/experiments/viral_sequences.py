"""Sequences of five viruses: beginnings of genomes without duplicates, generated chains, and the graphs of both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from graphtm.datasets import load_viral_genomes
from graphtm.encoders import KMers, WholeGraph
from graphtm.experiments.declaration import Folder, Split
from graphtm.graphs import GraphBatch

VIRUSES = ("Influenza A virus", "SARS-CoV-2", "Dengue virus", "Zika virus", "Rotavirus")
NUCLEOTIDES = "ACGT"


def load(data_home: Folder | None, quick: bool) -> dict[str, list[str]]:  # noqa: ARG001
    """Return the sequences of each virus."""
    genomes: dict[str, list[str]] = {name: [] for name in VIRUSES}
    for text, virus in zip(*load_viral_genomes(data_home=data_home), strict=True):
        genomes[str(virus)].append(text)
    return genomes


def distinct(texts: Iterable[str], length: int) -> list[str]:
    """Return the different beginnings of this length that consist of A, C, G and T.

    Examples
    --------
    >>> from graphtm.experiments.viral_sequences import distinct
    >>> distinct(["ACGTA", "ACGTT", "CCNTT", "CC"], 4)
    ['ACGT']
    """
    cut = dict.fromkeys(text[:length] for text in texts if len(text) >= length)
    return [text for text in cut if set(text) <= set(NUCLEOTIDES)]


def split_of(genomes: Mapping[str, Sequence[str]], task: Mapping[str, Any]) -> Split:
    """Return beginnings of genomes, four fifths of each virus for training; duplicates are removed before.

    With ``trial``, a fifth of the training samples replaces the test set. With ``samples``, only so many are used for
    training.
    """
    texts: list[str] = []
    y: list[str] = []
    for number in task["viruses"]:
        found = distinct(genomes[VIRUSES[number]], task["length"])
        texts += found
        y += [VIRUSES[number]] * len(found)
    train, test, y_train, y_test = train_test_split(texts, y, test_size=0.2, stratify=y, random_state=0)
    if task["trial"]:
        train, test, y_train, y_test = train_test_split(train, y_train, test_size=0.2, stratify=y_train, random_state=0)
    samples = task["samples"]
    if samples is not None and samples < len(train):
        train, _, y_train, _ = train_test_split(train, y_train, train_size=samples, stratify=y_train, random_state=0)
    return Split(train, np.array(y_train), test, np.array(y_test))


def transitions() -> NDArray[np.float64]:
    """Return how often each nucleotide follows each other one in generated sequences, for each virus.

    Returns
    -------
    ndarray of shape (viruses, nucleotides, nucleotides)
        The nucleotide that follows is on the last axis, whose sum is 1.
    """
    return np.random.default_rng(0).dirichlet(np.full(4, 5.0), size=(len(VIRUSES), 4))


def generated(n: int, seed: int, length: int) -> tuple[list[str], NDArray[np.str_]]:
    """Return sequences generated with the frequencies of :func:`transitions`, and their viruses in turn.

    Examples
    --------
    >>> from graphtm.experiments.viral_sequences import generated
    >>> texts, y = generated(6, seed=0, length=8)
    >>> len(texts[0]), str(y[0]), str(y[5])
    (8, 'Influenza A virus', 'Influenza A virus')
    """
    rng = np.random.default_rng(seed)
    virus = np.arange(n) % len(VIRUSES)
    letters = np.empty((n, length), np.int64)
    letters[:, 0] = rng.integers(0, 4, n)
    draws = rng.random((n, length))
    bounds = transitions().cumsum(axis=2)[..., :-1]
    for before, place in pairwise(range(length)):
        letters[:, place] = (draws[:, place, None] > bounds[virus, letters[:, before]]).sum(axis=1)
    return ["".join(row) for row in np.array(list(NUCLEOTIDES))[letters]], np.array(VIRUSES)[virus]


def data_of(genomes: Mapping[str, Sequence[str]], task: Mapping[str, Any]) -> Split:
    """Return the samples of a variant: beginnings of genomes, or generated sequences.

    With ``trial``, generated test sequences have another seed.
    """
    n, length = task["generated"], task["length"]
    if n is None:
        return split_of(genomes, task)
    return Split(*generated(n, 1, length), *generated(n // 5, 3 if task["trial"] else 2, length))


def encoded(split: Split, task: Mapping[str, Any]) -> tuple[GraphBatch, GraphBatch]:
    """Return chains of k-mers for training and testing; with ``counts``, a node per genome that has its k-mers.

    Which k-mers, and how many of them, a node can have is learned from the training sequences.
    """
    kmers = KMers(task["k"], edges="both" if task["counts"] is None else None, unknown="error").fit(split.train)
    train, test = kmers.transform(split.train), kmers.transform(split.test)
    if task["counts"] is None:
        return train, test
    facts = WholeGraph(task["counts"])
    return facts.fit_transform(train), facts.transform(test)
