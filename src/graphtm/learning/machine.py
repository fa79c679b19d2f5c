"""A machine in training: epochs over an engine, shuffled by the generator, with a history."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from graphtm.engines import Engine, Targets
from graphtm.engines.random import epoch_order
from graphtm.model import MachineParams, MachineState


@dataclass(frozen=True)
class EpochRecord:
    """What is known of an epoch once it is over.

    Parameters
    ----------
    epoch
        Its number since the machine was new, from 0.
    step
        Examples that the machine had seen at its end.
    seconds
        How long it took.
    included_literals
        Literals that a clause includes on average.
    """

    epoch: int
    step: int
    seconds: float
    included_literals: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)


class Machine:
    """Trains the machine that an engine holds.

    Parameters
    ----------
    engine
        Where it is computed; it is loaded with ``state``.
    params, state
        The machine.
    epoch
        Epochs begun since it was new, with which shuffling goes on.

    Attributes
    ----------
    state
        What had been learned when the last whole epoch ended.
    """

    def __init__(self, engine: Engine, params: MachineParams, state: MachineState, epoch: int = 0) -> None:
        self.engine = engine
        self.params = params
        self.state = state
        self.epoch = epoch
        engine.load(params, state)

    def train(self, graphs: Any, targets: Targets, epochs: int, *, shuffle: bool = True) -> Iterator[EpochRecord]:
        """Train for some epochs; each is over when its record is yielded.

        Parameters
        ----------
        graphs
            What the engine's ``prepare`` returned.
        targets
            One for each graph.
        epochs
            How many times to present all examples.
        shuffle
            Present them in an order of the generator, or else as they stand.
        """
        for _ in range(epochs):
            start = time.perf_counter()
            n = targets.n_examples
            order = epoch_order(self.params.seed, self.epoch, n) if shuffle else np.arange(n)
            self.engine.fit(graphs, targets, order)
            self.epoch += 1
            yield self._record(time.perf_counter() - start)

    def _record(self, seconds: float) -> EpochRecord:
        self.state, bits = self.engine.state(), self.params.state_bits
        included = sum(int(self.state.includes(layer, bits).sum()) for layer in range(self.params.depth))
        return EpochRecord(self.epoch - 1, self.state.step, seconds, included / self.params.n_clauses)
