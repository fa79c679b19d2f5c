"""Words with numbered places, whose targets are counts that depend on edges."""

import numpy as np

import graphtm as gtm


def words(n, length=5, seed=0):
    """Return words of A and B as chains, and how often an A follows a B and two A stand side by side in each."""
    rng = np.random.default_rng(seed)
    texts = ["".join(letters) for letters in rng.choice(["A", "B"], (n, length))]
    counts = [[text.count("BA"), sum(text[place : place + 2] == "AA" for place in range(length))] for text in texts]
    return gtm.GraphBatch.from_graphs(map(chain, texts)), np.array(counts, float), texts


def chain(text):
    graph = gtm.Graph()
    for place, letter in enumerate(text):
        graph.add_node(place, properties=[letter, ("place", place)])
    for place in range(1, len(text)):
        graph.add_edge(place - 1, place, type="right")
    return graph
