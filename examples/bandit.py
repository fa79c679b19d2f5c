"""Choose one of three arms where an edge decides which pays, learning only from the rewards of the chosen arms.

Each graph has a key, a lock and other things, and random edges between them. "open" pays most often if there is an edge
from the key to the lock, "close" if there is one from the lock to the key, and "wait" if there is neither. The symbols
alone, and the number of edges, do not tell. Compares graph bandits with a bandit without messages, a linear contextual
bandit (LinUCB) and chance, and saves a picture of the regret of all.

Run it with ``python examples/bandit.py [--picture FILE] [--epochs N] [--runs N]``; an epoch is 1,000 decisions.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable

import matplotlib as mpl
import numpy as np

import graphtm as gtm
from graphtm.plots import RegretDisplay

mpl.use("Agg")

ARMS = ["open", "close", "wait"]
THINGS = ["key", "lock", "cup", "pen", "hat", "map"]
PAYS, OTHERS_PAY = 0.9, 0.1
"""Probability of a reward for the best arm, and for the others."""


def rooms(n: int, seed: int) -> tuple[gtm.GraphBatch, np.ndarray]:
    """Return graphs of eight things, and the number of the best arm for each."""
    rng = np.random.default_rng(seed)
    best = rng.integers(0, 3, n)
    thing = rng.integers(2, len(THINGS), (n, 8))
    thing[:, 0], thing[:, 1] = 0, 1
    ends = rng.integers(0, 8, (n, 10, 2))
    between = (np.sort(ends, axis=2) == [0, 1]).all(axis=2)
    ends[between] = 2  # at most one edge between key and lock: the next one
    ends[:, 0] = np.choose(best[:, None], [[0, 1], [1, 0], [2, 3]])
    shuffled = np.argsort(rng.random((n, 8)), axis=1)  # the order of the things does not tell either
    ends = np.take_along_axis(np.argsort(shuffled, axis=1), ends.reshape(n, -1), axis=1).reshape(n, 10, 2)
    thing = np.take_along_axis(thing, shuffled, axis=1)
    graphs = gtm.GraphBatch.from_arrays(
        np.full(n, 8),
        (np.arange(8 * n), thing.ravel()),
        THINGS,
        edges=(ends[:, :, 0].ravel(), ends[:, :, 1].ravel()),
        edge_counts=np.full(n, 10),
    )
    return graphs, best


class LinUCB:
    """A linear model of the rewards of each arm, with a bonus for what it does not know (Li et al., 2010)."""

    def __init__(self, n_arms: int, n_features: int, alpha: float = 0.5) -> None:
        self._inverse = np.stack([np.eye(n_features)] * n_arms)
        self._paid = np.zeros((n_arms, n_features))
        self._alpha = alpha

    def act(self, x: np.ndarray) -> int:
        known = self._inverse @ x
        return int(np.argmax((self._paid * known).sum(axis=1) + self._alpha * np.sqrt(known @ x)))

    def update(self, x: np.ndarray, arm: int, reward: float) -> None:
        known = self._inverse[arm] @ x
        self._inverse[arm] -= np.outer(known, known) / (1 + known @ x)
        self._paid[arm] += reward * x


def counts(graphs: gtm.GraphBatch) -> np.ndarray:
    """Return what a linear model sees: a constant, how many nodes have each symbol, and the number of edges."""
    features = []
    for graph in graphs:
        there = [graph.properties(node)[0] for node in graph.nodes]
        features.append([1.0, *map(there.count, THINGS), graph.n_edges])
    return np.array(features) / 8


class Chance:
    """Any arm."""

    def __init__(self, n_arms: int) -> None:
        self._n_arms, self._rng = n_arms, np.random.default_rng(0)

    def act(self, x: object) -> int:  # noqa: ARG002
        return int(self._rng.integers(self._n_arms))

    def update(self, x: object, arm: int, reward: float) -> None:
        """Learn nothing."""


def play(policy: gtm.GraphTMBandit | LinUCB | Chance, seen: Iterable, best: np.ndarray, seed: int) -> np.ndarray:
    """Let a policy choose for what it sees, one after the other; return whether it took the best arm."""
    luck = np.random.default_rng(7 + seed).random(len(best))
    found = np.zeros(len(best), bool)
    for i, (x, right) in enumerate(zip(seen, best.tolist(), strict=True)):
        arm = int(policy.act(x))
        found[i] = arm == right
        policy.update(x, arm, float(luck[i] < (PAYS if found[i] else OTHERS_PAY)))
    return found


def played(n: int, seed: int) -> dict[str, np.ndarray]:
    """Return for all policies when they took the best arm, in ``n`` decisions."""
    graphs, best = rooms(n, seed=1 + seed)
    kinds = {
        "graphs, epsilon": {"depth": 2, "epsilon": 0.05},
        "graphs, Thompson": {"depth": 2, "exploration": "thompson"},
        "flat machine": {"depth": 1, "epsilon": 0.05},
    }
    found = {}
    for name, settings in kinds.items():
        bandit = gtm.GraphTMBandit(
            arms=3, n_clauses=100, T=100, s=3.0, max_included_literals=6, random_state=seed, **settings
        )
        found[name] = play(bandit, bandit.prepare(graphs), best, seed)
    found["linear (LinUCB)"] = play(LinUCB(3, len(THINGS) + 2), counts(graphs), best, seed)
    found["random"] = play(Chance(3), graphs, best, seed)
    return found


def main() -> None:
    """Play, draw the regret, and print how often the best arm was taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="bandit.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=4, help="thousands of decisions")
    parser.add_argument("--runs", type=int, default=1, help="number of runs, with other graphs and seeds each")
    given = parser.parse_args()
    runs = [played(1000 * given.epochs, seed) for seed in range(given.runs)]
    found = {name: np.array([run[name] for run in runs]) for name in runs[0]}
    regret = {name: np.cumsum((PAYS - OTHERS_PAY) * ~each, axis=1) for name, each in found.items()}
    RegretDisplay(regret).plot().figure_.savefig(given.picture, dpi=120)
    late = {name: f"{each[:, -500:].mean():.1%}" for name, each in found.items()}
    shares = ", ".join(f"{name}: {share}" for name, share in list(late.items())[1:])
    if given.runs > 1:
        every = ", ".join(f"{name}: {each[:, -500:].mean(axis=1).round(3).tolist()}" for name, each in found.items())
        print(f"Run by run: {every}")  # noqa: T201
    print(f"The graph bandit took the best arm for {late['graphs, epsilon']} of the last 500 graphs; {shares}")  # noqa: T201


if __name__ == "__main__":
    main()
