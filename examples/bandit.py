"""Choose one of three arms where an edge decides which pays, learning only from the rewards of the chosen arms.

Each graph has a key, a lock and other things, and random edges between them. "open" pays most often if there is an edge
from the key to the lock, "close" if there is one from the lock to the key, and "wait" if there is neither. The symbols
alone, and the number of edges, do not tell. Compares graph bandits with a bandit without messages, a linear contextual
bandit (LinUCB) and chance, and saves a picture of the regret of all.

Run it with ``python examples/bandit.py [--picture FILE] [--epochs N]``; an epoch is 1,000 decisions.
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


def play(policy: gtm.GraphTMBandit | LinUCB | Chance, seen: Iterable, best: np.ndarray) -> np.ndarray:
    """Let a policy choose for what it sees, one after the other; return the numbers of the arms."""
    luck = np.random.default_rng(7).random(len(best))
    chosen = np.zeros(len(best), int)
    for i, (x, right) in enumerate(zip(seen, best.tolist(), strict=True)):
        chosen[i] = policy.act(x)
        policy.update(x, int(chosen[i]), float(luck[i] < (PAYS if chosen[i] == right else OTHERS_PAY)))
    return chosen


def played(n: int) -> tuple[RegretDisplay, dict[str, float]]:
    """Return the regret of all policies over ``n`` decisions, and how often each took the best arm of the last 500."""
    graphs, best = rooms(n, seed=1)
    kinds = {
        "graphs, epsilon": {"depth": 2, "epsilon": 0.05},
        "graphs, Thompson": {"depth": 2, "exploration": "thompson"},
        "flat machine": {"depth": 1, "epsilon": 0.05},
    }
    chosen = {}
    for name, settings in kinds.items():
        bandit = gtm.GraphTMBandit(
            arms=3, n_clauses=100, T=100, s=3.0, max_included_literals=6, random_state=0, **settings
        )
        chosen[name] = play(bandit, bandit.prepare(graphs), best)
    chosen["linear (LinUCB)"] = play(LinUCB(3, len(THINGS) + 2), counts(graphs), best)
    chosen["random"] = play(Chance(3), graphs, best)
    regret = {name: np.cumsum((PAYS - OTHERS_PAY) * (arms != best)) for name, arms in chosen.items()}
    return RegretDisplay(regret), {name: float(np.mean((arms == best)[-500:])) for name, arms in chosen.items()}


def main() -> None:
    """Play, draw the regret, and print how often the best arm was taken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--picture", default="bandit.png", help="where to save the picture")
    parser.add_argument("--epochs", type=int, default=4, help="thousands of decisions")
    given = parser.parse_args()
    display, late = played(1000 * given.epochs)
    display.plot().figure_.savefig(given.picture, dpi=120)
    shares = ", ".join(f"{name}: {share:.1%}" for name, share in list(late.items())[1:])
    first = late["graphs, epsilon"]
    print(f"The graph bandit took the best arm for {first:.1%} of the last 500 graphs; {shares}")  # noqa: T201


if __name__ == "__main__":
    main()
