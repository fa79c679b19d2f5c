"""Positive or negative texts: what the experiments on IMDB, Yelp and MPQA share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.feature_selection import chi2

from graphtm.encoders import Tokens, WholeGraph
from graphtm.estimators import GraphTMClassifier
from graphtm.experiments.declaration import ACCURACY, Folder, Preset, Split
from graphtm.experiments.phrases import Encode, report, words_of
from graphtm.experiments.running import Measure, Run
from graphtm.foundation.arrays import BoolArray
from graphtm.graphs import GraphBatch, Vocabulary

DEPTH_1, DEPTH_2 = "depth 1", "depth 2"
DEPTHS = (DEPTH_1, DEPTH_2)
SECTION = "Sentiment Polarity Classification"
WORDS, TEXTS, BOTH = "words", "texts", "both"
EXPLAINED, QUICK_EXPLAINED = 30, 10
"""Numbers of test texts whose deciding words are printed; the second one is for quick looks."""

TASK = dict(graphs=WORDS, window=2, ngrams=1, beginnings=(), counts=(1,), min_texts=1, n_phrases=None, texts=None)
FACTS = {**TASK, "graphs": TEXTS, "per_class": False}
BESIDE = dict(graphs=BOTH, depth=2)
"""Parameters of facts about the whole text beside the graph of its words, whose clauses ask for neighbours."""


def paper(window: int | None) -> Preset:
    """Return the settings of the paper, with edges between words up to a distance; it gives no number of bits."""
    return Preset(
        machine=dict(
            n_clauses=10_000,
            T=100_000,
            s=15.0,
            depth=2,
            symbol_encoding="random",
            hypervector_size=2048,
            symbol_bits=2,
            message_encoding="random",
            message_size=1024,
            message_bits=2,
            epochs=40,
        ),
        task={**TASK, "window": window},
        variants={DEPTH_1: dict(depth=1)},
        quick=dict(n_clauses=100, T=1000, epochs=2),
        only=DEPTHS,
    )


# Graphs


def word_graphs(texts: Sequence[str], task: Mapping[str, Any]) -> tuple[GraphBatch, Encode]:
    """Return a node for each word with its position, and edges typed by the signed distance, and how to make them.

    With a window of ``None``, edges lead from each word to all others. Edges are made when they are needed.
    """
    tokens = Tokens(window=task["window"])
    return tokens.fit_transform(texts), tokens.transform


def text_facts(texts: Sequence[str], y: NDArray[np.int64], task: Mapping[str, Any]) -> tuple[GraphBatch, Encode]:
    """Return a node for each training text with its most informative phrases, and how to make it for other texts.

    Phrases are n-grams of words, and prefixes of words. They are chosen by the training texts.
    """
    lengths, per_class = task["beginnings"], task.get("per_class", False)
    graphs, encode = _facts(texts, task["ngrams"], task)
    if not lengths:
        chosen = most_informative(graphs, y, task["n_phrases"], per_class)
        return graphs.with_vocabulary(chosen, "ignore"), lambda others: encode(others).with_vocabulary(chosen, "ignore")
    prefixes, encode_prefixes = _facts([beginnings(text, lengths) for text in texts], 1, task)
    graphs = merged([graphs, prefixes])
    chosen = most_informative(graphs, y, task["n_phrases"], per_class)

    def encode_both(others: Sequence[str]) -> GraphBatch:
        parts = [encode(others), encode_prefixes([beginnings(text, lengths) for text in others])]
        return merged(parts).with_vocabulary(chosen, "ignore")

    return graphs.with_vocabulary(chosen, "ignore"), encode_both


def _facts(
    texts: Sequence[Any], n: int, task: Mapping[str, Any]
) -> tuple[GraphBatch, Callable[[Sequence[Any]], GraphBatch]]:
    """Return a node for each text, a string or a list of words, with its n-grams, and how to make it for others."""
    tokens = Tokens(ngrams=n, min_count=task["min_texts"], position=False, edges=None)
    facts = WholeGraph(task["counts"], min_graphs=task["min_texts"])
    return facts.fit_transform(tokens.fit_transform(texts)), lambda others: facts.transform(tokens.transform(others))


def beginnings(text: str, lengths: Sequence[int]) -> list[str]:
    """Return prefixes of words longer than them.

    Examples
    --------
    >>> from graphtm.experiments.sentiment import beginnings
    >>> beginnings("Warned of evil", (3, 4))
    ['war...', 'warn...', 'evi...']
    """
    return [f"{word[:n]}..." for word in words_of(text) for n in lengths if len(word) > n]


def merged(parts: Sequence[GraphBatch]) -> GraphBatch:
    """Return one node for each text that carries the facts of all parts, which have a node for each text."""
    if len(parts) == 1:
        return parts[0]
    names = [name for part in parts for name in part.vocabulary.symbols]
    firsts = np.cumsum([0, *(len(part.vocabulary.symbols) for part in parts[:-1])])
    pairs = [part.pack().properties.pairs() for part in parts]
    nodes = np.concatenate([nodes for nodes, _ in pairs])
    symbols = np.concatenate([first + numbers for first, (_, numbers) in zip(firsts.tolist(), pairs, strict=True)])
    return GraphBatch.from_arrays(np.ones(len(parts[0]), np.int64), (nodes, symbols), names)


def most_informative(graphs: GraphBatch, y: NDArray[np.int64], n: int | None, per_class: bool = False) -> Vocabulary:
    """Return the symbols with the largest chi-square statistics between symbol and class; ``None`` means all.

    Parameters
    ----------
    graphs, y
        One node for each text, and the classes.
    n
        Number of symbols.
    per_class
        Whether to take equally many of each class, that is, of the symbols that are more frequent in it than in the
        others. Without it, most symbols are of the rarer class.

    Examples
    --------
    >>> import graphtm as gtm
    >>> from graphtm.experiments.sentiment import most_informative
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 4, [[1, 0, 1], [1, 0, 0], [1, 1, 1], [1, 1, 0]], ["a", "b", "c"])
    >>> list(most_informative(graphs, [0, 0, 1, 1], 1).symbols)
    ['b']
    """
    symbols = graphs.vocabulary.symbols
    if n is None or n >= len(symbols):
        return graphs.vocabulary
    nodes, numbers = graphs.pack().properties.pairs()
    table = sparse.csr_matrix((np.ones(len(nodes)), (nodes, numbers)), shape=(len(graphs), len(symbols)))
    order = np.argsort(-np.nan_to_num(chi2(table, y)[0]), kind="stable")
    if per_class:
        classes = np.unique(y)
        frequencies = np.stack([np.asarray(table[np.asarray(y) == label].mean(axis=0)).ravel() for label in classes])
        of = frequencies.argmax(axis=0)[order]
        order = np.concatenate([order[of == number][: n // len(classes)] for number in range(len(classes))])
    return Vocabulary([symbols[number] for number in np.sort(order[:n]).tolist()])


def with_text_nodes(words: GraphBatch, facts: GraphBatch) -> GraphBatch:
    """Return graphs of words with one more node each, of another type, that carries the facts of the whole text.

    Clauses are divided among the two types of nodes.
    """
    packed = words.pack()
    edges, vocabulary = packed.out_edges, packed.vocabulary
    nodes, symbols = packed.properties.pairs()
    texts = packed.node_ptr[1:] + np.arange(len(words))  # after the words of each text
    n_before = np.repeat(np.arange(len(words)), packed.node_counts)
    owners, numbers = facts.pack().properties.pairs()
    counts = np.diff(edges.ptr[packed.node_ptr])
    sources = edges.near_ends() - np.repeat(packed.node_ptr[:-1], counts)
    kinds = np.zeros(packed.n_nodes + len(words), np.int64)
    kinds[texts] = 1
    return GraphBatch.from_arrays(
        packed.node_counts + 1,
        (
            np.concatenate([nodes + n_before[nodes], texts[owners]]),
            np.concatenate([symbols, len(vocabulary.symbols) + numbers]),
        ),
        [*vocabulary.symbols, *facts.vocabulary.symbols],
        (sources, edges.neighbours, edges.types),
        list(vocabulary.edge_types),
        edge_counts=counts,
        node_types=(kinds, ["word", "text"]),
    )


def encoded(split: Split, task: Mapping[str, Any]) -> tuple[GraphBatch, Encode]:
    """Return the graphs of the training texts, and a function that encodes other texts in the same way."""
    if task["graphs"] == WORDS:
        return word_graphs(split.train, task)
    facts, encode_facts = text_facts(split.train, split.y, task)
    if task["graphs"] == TEXTS:
        return facts, encode_facts
    words, encode_words = word_graphs(split.train, task)
    return with_text_nodes(words, facts), lambda texts: with_text_nodes(encode_words(texts), encode_facts(texts))


# Texts


def load_reviews(loader: Callable[..., Any], data_home: Folder | None, quick: bool) -> Split:
    """Return the reviews of a loader, shuffled, since files begin with reviews of one class."""
    train, test = (shuffled(*loader(subset=subset, data_home=data_home)) for subset in ("train", "test"))
    split = Split(*train, *test)
    return split.first(500, 250) if quick else split


def shuffled(texts: Sequence[str], y: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the texts and their labels in a fixed random order, so that a part of them is a sample."""
    order = np.random.default_rng(0).permutation(len(texts))
    return [texts[number] for number in order.tolist()], y[order]


def normalised(text: str) -> str:
    """Return a text in lower case, with single spaces."""
    return " ".join(text.lower().split())


def is_new(split: Split) -> BoolArray:
    """Return which test texts are not among the training texts; case and spaces do not matter.

    Examples
    --------
    >>> from graphtm.experiments import Split
    >>> from graphtm.experiments.sentiment import is_new
    >>> is_new(Split(["Axis of evil"], [0], ["axis of  evil", "axis"], [0, 1]))
    array([False,  True])
    """
    known = set(map(normalised, split.train))
    return np.array([normalised(text) not in known for text in split.test])


# Runs


def accuracies(graphs: GraphBatch, split: Split, new: str) -> Measure:
    """Return a function that measures the accuracy on test texts, and on those of them that are new, by this name."""
    chosen = is_new(split)

    def measure(classifier: GraphTMClassifier) -> dict[str, float]:
        right = classifier.predict(graphs) == split.y_test
        return {ACCURACY: float(right.mean()), new: float(right[chosen].mean())}

    return measure


def run_texts(run: Run, new: str = "") -> None:
    """Train and test on texts, and print the words and rules that decided.

    Parameters
    ----------
    run
        The run.
    new
        Name of a metric: the accuracy on test texts that are not among the training texts, too. It is not measured by
        default.
    """
    for variant in run.variants:
        task = run.task(variant)
        n = task["texts"]
        split = run.data if n is None else run.data.first(2 * n).held_out(min(n, len(run.data.y) // 2))
        train, encode = encoded(split, task)
        test = encode(split.test)
        measure = accuracies(test, split, new) if new else None
        for seed in run.seeds:
            classifier = run.fit((train, split.y), (test, split.y_test), seed=seed, variant=variant, measure=measure)
            if seed == run.seeds[0] and n is None:  # not in comparisons
                texts = split.test[: QUICK_EXPLAINED if run.quick else EXPLAINED]
                run.show(f"{variant}\n{report(classifier, texts, encode)}")
