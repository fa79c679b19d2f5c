"""Training of a machine by an engine: shuffled epochs in pieces, with a record per epoch."""

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
    """Statistics of an epoch.

    Parameters
    ----------
    epoch
        Number of the epoch, from 0.
    step
        Number of examples seen at its end.
    seconds
        Duration of learning.
    included_literals
        Mean number of included literals per clause.
    empty_clauses
        Number of clauses without literals, which are always true.
    mean_weight
        Mean absolute weight.
    """

    epoch: int
    step: int
    seconds: float
    included_literals: float
    empty_clauses: int
    mean_weight: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return asdict(self)


class Machine:
    """Train the machine held by an engine, piece by piece; how an epoch is split does not change the result.

    Parameters
    ----------
    engine
        The engine, which already holds the model.
    model
        The model and its progress.
    graphs
        Prepared graphs of the engine.
    targets
        Targets, one per graph.
    shuffle
        Whether to shuffle the graphs in each epoch.
    seconds
        Duration of the current epoch so far.
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
        """Number of examples per epoch."""
        return self.targets.n_examples

    def learn(self, n_examples: int) -> None:
        """Learn from the next ``n_examples`` examples, or up to the end of the epoch."""
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
        """Return the current model, possibly within an epoch."""
        return replace(self._model, state=self.engine.state(), epoch=self.epoch, position=self.position)

    def end_epoch(self) -> tuple[Model, EpochRecord]:
        """End an epoch whose examples have all been presented; return the model and the record of the epoch."""
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
