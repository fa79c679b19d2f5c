"""A bandit's model, which an engine holds between updates, and its graphs, arms and rewards."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import encode
from graphtm.engines import Engine, Targets
from graphtm.engines.random import Purpose
from graphtm.errors import UnknownSymbolError
from graphtm.estimators.advice import warn_about_settings
from graphtm.estimators.bandit_graphs import PreparedGraph, PreparedGraphs
from graphtm.estimators.bandit_log import BanditLog, Draws
from graphtm.estimators.bandit_rewards import Rewards
from graphtm.estimators.bandit_settings import BanditSettings
from graphtm.estimators.bandit_targets import ArmOutputs
from graphtm.estimators.new_models import CollisionWatch, check_unchanged
from graphtm.estimators.prunable import PrunableEstimator
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import shorten
from graphtm.graphs import Graph, GraphBatch
from graphtm.graphs.build import packed_graph
from graphtm.model import Model

_FIXED = ("arms", "reward_range", "exploration", "n_heads")
"""Parameters that cannot change once there is a model, beside those of the machine."""


class OnlineBandit(BanditSettings, PrunableEstimator):
    """Base class of the bandit: it learns from single graphs with as little as possible around the engine.

    The engine is ahead of the model by ``_n_ahead`` examples; the state is fetched when ``model_`` is asked for.
    """

    _no_model = "This %(name)s has no model yet. Call act, update, prepare or fit first."
    _from_scratch = "Use sklearn.base.clone to start from scratch, or fit to learn from a log."
    _not_fitted = (*PrunableEstimator._not_fitted, "epsilon")

    arms_: NDArray[Any]
    _names: list[Any]
    _numbers: dict[Any, int]
    _heads: int
    _log: BanditLog
    _model: Model
    _n_ahead: int
    _checked: tuple[Any, ...] | None

    @property
    def model_(self) -> Model:
        model: Model | None = self.__dict__.get("_model")
        if model is None:
            raise AttributeError(self._no_model % {"name": type(self).__name__})
        if self._n_ahead:
            assert self._engine is not None  # noqa: S101 -- it is dropped only with its model
            self._model, self._n_ahead = replace(model, state=self._engine.state()), 0
        return self._model

    @model_.setter
    def model_(self, model: Model) -> None:
        self._model, self._n_ahead = model, 0

    def __getstate__(self) -> dict[str, Any]:
        if "_model" in self.__dict__:
            _ = self.model_
        state = super().__getstate__()
        for name in ("_draws", "_checked"):
            state.pop(name, None)
        return state

    def _loaded_engine(self) -> Engine:
        engine: Engine | None = self.__dict__.get("_engine")
        if engine is not None and self._engine_made_for == (self.engine, self.n_jobs):
            return engine
        return super()._loaded_engine()

    def _batch(self, X: Any) -> GraphBatch:
        first = X[0] if isinstance(X, list | tuple) and len(X) else X
        if isinstance(X, PreparedGraph | PreparedGraphs) or isinstance(first, PreparedGraph):
            raise TypeError(
                "Prepared graphs are for act and update, one by one, such as act(ready[0]). Pass a GraphBatch or a "
                "list of Graph here."
            )
        return super()._batch(X)

    def _learn(self, *args: Any, **kwargs: Any) -> None:
        if "_model" in self.__dict__:
            _ = self.model_  # an interrupted fit returns to this model, but not to its engine
        super()._learn(*args, **kwargs)

    # Graphs

    def prepare(self, X: Any) -> PreparedGraphs:
        """Encode graphs once, so that acting and learning take microseconds each.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`. If there is no model yet, it gets
            their names.

        Returns
        -------
        PreparedGraphs
            A sequence; pass ``ready[i]`` to :meth:`act` and :meth:`update`.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 4, [[1, 0], [0, 1]] * 2, symbols=["hot", "cold"])
        >>> bandit = gtm.GraphTMBandit(arms=["tea", "ice"], n_clauses=4, depth=1, random_state=0)
        >>> ready = bandit.prepare(graphs)
        >>> len(ready), bandit.act(ready[0]) in ("tea", "ice")
        (4, True)
        """
        batch = self._batch(X)
        self._begin(batch)
        prepared = PreparedGraphs(self._own(batch), self._model.symbol_code)
        if len(prepared):
            prepared.of(0, self._loaded_engine(), self._model)
        return prepared

    def _present(
        self,
        engine: Engine,
        graphs: Any,
        targets: Targets,
        order: Int64Array,
        rows: Iterable[tuple[int, float, float]],
    ) -> None:
        """Present examples to the engine, and log those it learned from, all of them unless it is interrupted."""
        add = self._log.add
        before = self._step
        try:
            engine.fit(graphs, targets, order)
        except BaseException:
            self._n_ahead += 1  # at most: the engine says how many
            learned = self.model_.state.step - before
            for row, _ in zip(rows, range(learned)):  # noqa: B905
                add(*row)
            raise
        self._n_ahead += len(order)
        for row in rows:
            add(*row)

    @property
    def _step(self) -> int:
        """Number of examples presented since initialisation."""
        step: int = self._model.state.step + self._n_ahead
        return step

    def _begin(self, X: Any) -> None:
        """Make the model if there is none yet, else check that it still matches the parameters."""
        if "_model" not in self.__dict__:
            self._start(X)
        now = tuple(map(self.__dict__.get, self._fitted_params))
        checked = self.__dict__.get("_checked")
        if checked is None or any(map(operator.is_not, now, checked)):
            self._check()
            check_unchanged(self, self._model, self._fitted_params["n_clauses"])
            self._check_fixed(self._fitted_params)
            self._checked = now

    def _check_fixed(self, then: Mapping[str, Any]) -> None:
        for name in _FIXED:
            if name in then and not np.array_equal(getattr(self, name), then[name]):
                raise ValueError(
                    f"The {name!r} parameter of {type(self).__name__} must stay {then[name]!r}, since the model was "
                    f"trained with it. Got {getattr(self, name)!r} instead. {self._from_scratch}"
                )

    def _start(self, X: Any) -> None:
        if isinstance(X, PreparedGraph):
            raise UnknownSymbolError("The graphs were prepared for another bandit; this one has no model yet.")
        self._check()
        batch = GraphBatch(packed_graph(X)) if isinstance(X, Graph) else self._batch(X)
        outputs = ArmOutputs(self.arm_names, self.heads)
        model = self._new(batch, outputs, 0, self.chosen(len(batch))).model
        watch = CollisionWatch(model)
        encode(batch, model.symbol_code, watch)
        watch.warn()
        warn_about_settings(model)
        self._adopt(outputs)
        self._fitted_params, self._epochs = deepcopy(self.get_params(deep=False)), 0
        self.model_, self.history_, self._engine = model, [], None

    def _own(self, X: Any) -> GraphBatch:
        """Return graphs with the names of the model."""
        try:
            return self._known(X, self._model.vocabulary)
        except UnknownSymbolError as error:
            raise UnknownSymbolError(
                f"{error} The first graphs fix the names: start with prepare(graphs) on graphs that have all names, or "
                "set unknown='ignore'."
            ) from error

    def _one(self, graph: Graph | PreparedGraph, engine: Engine) -> Any:
        """Return one graph in the form of the engine."""
        if isinstance(graph, PreparedGraph):
            return graph.graphs.of(graph.number, engine, self._model)
        return engine.prepare(encode(self._own(GraphBatch(packed_graph(graph))), self._model.symbol_code))

    def _words(self, purpose: Purpose) -> Draws:
        draws: dict[Purpose, Draws] | None = self.__dict__.get("_draws")
        seed = self._model.params.seed
        if draws is None or draws[purpose].seed != seed:
            self._draws = draws = {one: Draws(seed, one) for one in (Purpose.DECISION, Purpose.BOOTSTRAP)}
        return draws[purpose]

    # Arms and rewards

    @property
    def _rewards(self) -> Rewards:
        low, high = self.reward_range
        return Rewards(low, high)

    def _given_numbers(self) -> dict[Any, int]:
        """Return the numbers of the arms that the parameters name."""
        return {name: number for number, name in enumerate(self.arm_names.tolist())}

    def _number_of(self, arm: Any, numbers: Mapping[Any, int] | None = None) -> int:
        names = self.__dict__.get("_numbers") if numbers is None else numbers
        if names is None:  # before the first graph
            self._check()
            names = self._given_numbers()
        try:
            return int(names[arm])
        except (KeyError, TypeError):
            raise ValueError(f"The arm must be one of {shorten(list(names))}; got {arm!r}.") from None

    def _numbers_of(self, arms: Any, n: int, numbers: Mapping[Any, int] | None = None) -> Int64Array:
        given = [arms] if isinstance(arms, str) else np.asarray(arms, dtype=object).reshape(-1).tolist()
        if len(given) != n:
            raise ValueError(f"There must be one arm for each of {n:,} graphs; got {len(given):,}.")
        return np.array([self._number_of(arm, numbers) for arm in given], dtype=np.int64)
