"""A machine in training: examples over an engine, in the order of the generator, with a record of each epoch."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.engines import Engine, Targets
from graphtm.engines.random import epoch_order
from graphtm.model import Model


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
        How long learning took.
    included_literals
        Literals that a clause includes on average.
    empty_clauses
        Clauses that include none, and so are true everywhere.
    mean_weight
        Size of a clause's weight for an output, on average.
    """

    epoch: int
    step: int
    seconds: float
    included_literals: float
    empty_clauses: int
    mean_weight: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields."""
        return asdict(self)


class Machine:
    """Trains the machine that an engine holds, piece by piece; where an epoch is cut changes no bit.

    Parameters
    ----------
    engine
        Where it is computed; it holds the model already.
    model
        The machine, and how far it has come.
    graphs
        What the engine's ``prepare`` returned.
    targets
        One for each graph.
    shuffle
        Whether to present the graphs in an order of the generator, or else as they stand.
    seconds
        What the epoch that the model is in has taken so far.
    """

    def __init__(
        self, engine: Engine, model: Model, graphs: Any, targets: Targets, *, shuffle: bool, seconds: float = 0.0
    ) -> None:
        self.engine = engine
        self.graphs = graphs
        self.targets = targets
        self.shuffle = shuffle
        self.epoch = model.epoch
        self.position = model.position
        self.step = model.state.step
        self.seconds = seconds
        self._model = model
        self._order: NDArray[np.int64] | None = None

    @property
    def n_examples(self) -> int:
        """Examples of an epoch."""
        return self.targets.n_examples

    def learn(self, n_examples: int) -> None:
        """Learn from so many examples more, or up to the end of the epoch."""
        if self._order is None:
            n, seed = self.n_examples, self._model.params.seed
            self._order = epoch_order(seed, self.epoch, n) if self.shuffle else np.arange(n)
        piece = self._order[self.position : self.position + n_examples]
        start = time.perf_counter()
        self.engine.fit(self.graphs, self.targets, piece)
        self.seconds += time.perf_counter() - start
        self.position += len(piece)
        self.step += len(piece)

    def model(self) -> Model:
        """Return the model as it is now, perhaps inside an epoch."""
        return replace(self._model, state=self.engine.state(), epoch=self.epoch, position=self.position)

    def end_epoch(self) -> tuple[Model, EpochRecord]:
        """Close an epoch whose examples have all been presented; return the model and what is known of the epoch."""
        self.epoch, self.position, self._order = self.epoch + 1, 0, None
        model, seconds, self.seconds = self.model(), self.seconds, 0.0
        params, state = model.params, model.state
        literals = sum(state.includes(layer, params.state_bits).sum(axis=1) for layer in range(params.depth))
        return model, EpochRecord(
            epoch=self.epoch - 1,
            step=state.step,
            seconds=seconds,
            included_literals=float(np.mean(literals)),
            empty_clauses=int(np.sum(np.equal(literals, 0))),
            mean_weight=float(np.abs(state.weights).mean()),
        )
