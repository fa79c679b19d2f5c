"""The contextual bandit: it chooses arms for graphs, and learns from the rewards of the arms it chose."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphtm.codes import encode
from graphtm.engines import Engine, Targets, predicted_classes
from graphtm.engines.random import Purpose
from graphtm.estimators.bandit_graphs import PreparedGraph
from graphtm.estimators.bandit_log import BanditLog, Draws
from graphtm.estimators.bandit_online import OnlineBandit
from graphtm.estimators.bandit_rewards import BEST, LOGGED, Rewards, checked_numbers, logged
from graphtm.estimators.bandit_targets import ArmOutputs, one_target
from graphtm.estimators.labels import classes_from_json, classes_to_json
from graphtm.explain import RuleSet
from graphtm.explain.arm_explanation import ArmExplanation
from graphtm.export.program import Program
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.parameters import documented
from graphtm.graphs import Graph, GraphBatch
from graphtm.learning import Callback
from graphtm.model import MachineState
from graphtm.plots.regret import draw_regret

_LOG_SEED = 0
"""Seed of the halves of a log from which heads learn; it is not the model's, since the log is read before."""
_MOST_WEIGHT = 2**31 - 1
_FIRST = np.zeros(1, np.int64)


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class GraphTMBandit(OnlineBandit):
    """Contextual bandit: it chooses one of several arms for each graph, and learns only from the reward of that arm.

    Clauses vote on how well each arm pays. An update gives feedback to the votes on the arm that was taken; all other
    arms are silent. Use :meth:`act` and :meth:`update` in turn; no :meth:`fit` is needed. The first graphs fix the
    names of symbols and edge types: call :meth:`prepare` with typical graphs first.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    arms_
        Names of the arms.
    rewards_, regret_
        Reward of each update, and the sum of what was lost up to it, where ``update`` was told the best reward.
    history_
        One record per epoch of :meth:`fit`.
    seed_, engine_, state_
        Seed, name of the engine, and learned state.

    Examples
    --------
    "left" pays if an A points to a B, "right" if a B points to an A; single nodes do not tell.

    >>> import graphtm as gtm
    >>> graphs, pays_left = gtm.datasets.sequences(600, random_state=0)
    >>> bandit = gtm.GraphTMBandit(arms=["yes", "no"], n_clauses=20, T=20, s=3.0, random_state=0)
    >>> ready = bandit.prepare(graphs)
    >>> for graph, truth in zip(ready, pays_left):
    ...     arm = bandit.act(graph)
    ...     bandit = bandit.update(graph, arm, reward=(arm == "yes") == truth, best=1)
    >>> bandit.act(graphs[0]) in ("yes", "no")
    True
    >>> float(bandit.regret_[-1]) < 600 / 4
    True
    """

    _metrics = ("reward",)
    _task = "classification"
    _noun = "arm"

    # Acting and learning

    def act(self, X: Any) -> Any:
        """Choose an arm for a graph, or for each graph of a batch, with exploration.

        Each choice is one more step of the bandit's random numbers, so that the same calls give the same arms again.
        Use :meth:`predict` for the best known arm, without exploration.

        Parameters
        ----------
        X
            A :class:`~graphtm.Graph`, one of the graphs of :meth:`prepare`, a :class:`~graphtm.GraphBatch`, or a list.

        Returns
        -------
        str or int, or ndarray, (graphs,)
            Name of the arm; for a batch, one per graph.
        """
        one = isinstance(X, Graph | PreparedGraph)
        self._begin(X)
        engine, log = self._loaded_engine(), self._log
        if one:
            sums = engine.class_sums(self._one(X, engine))
            number = self._choose_one(sums[0], self._words(Purpose.DECISION)[log.n_decisions])
            log.n_decisions += 1
            return self._names[number]
        batch = self._own(X)
        sums = self._head_sums(self._sums_of(batch, engine))
        numbers = np.arange(len(batch), dtype=np.uint64) + np.uint64(log.n_decisions)
        chosen = self._choose(sums, self._words(Purpose.DECISION).words(numbers))
        log.n_decisions += len(batch)
        return self.arms_[chosen]

    def update(self, X: Any, arm: Any, reward: Any, best: Any = None) -> GraphTMBandit:
        """Learn from the reward of an arm; a batch is learned in the given order, as if graph by graph.

        Parameters
        ----------
        X
            As for :meth:`act`.
        arm
            The arm that was taken, whoever chose it. For a batch, one per graph.
        reward
            Its reward, within ``reward_range``. For a batch, one per graph.
        best
            The largest reward that any arm would have brought on average, for ``regret_``, if it is known, as in
            simulations. For a batch, one number or one per graph.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there is no such arm, or the reward is outside ``reward_range``. Nothing changes then.
        """
        if not isinstance(X, Graph | PreparedGraph):
            return self._update_batch(self._batch(X), arm, reward, best)
        number, rewards = self._number_of(arm), self._rewards
        reward = rewards.checked(reward)
        best = np.nan if best is None else rewards.checked(best, BEST)
        self._begin(X)
        engine, params, heads = self._loaded_engine(), self._model.params, self._heads
        first = number * heads
        if heads == 1:
            outputs: tuple[int, ...] = (first,)
        else:
            word = self._words(Purpose.BOOTSTRAP)[self._step]
            outputs = tuple([first + head for head in range(heads) if word >> head & 1])
        targets = one_target(outputs, rewards.votes_of(reward, params.T), params.n_outputs, params.T)
        self._present(engine, self._one(X, engine), targets, _FIRST, ((number, reward, best),))
        return self

    def _update_batch(self, batch: GraphBatch, arm: Any, reward: Any, best: Any) -> GraphTMBandit:
        n, rewards = len(batch), self._rewards
        arms = self._numbers_of(arm, n)
        paid = rewards.checked_all(reward, n)
        known = np.full(n, np.nan) if best is None else rewards.checked_all(best, n, BEST)
        self._begin(batch)
        engine, params = self._loaded_engine(), self._model.params
        graphs = engine.prepare(encode(self._own(batch), self._model.symbol_code))
        words = self._words(Purpose.BOOTSTRAP).words(np.arange(n, dtype=np.uint64) + np.uint64(self._step))
        targets = self._fitted_outputs().targets(arms, rewards.all_votes_of(paid, params.T), words, params.T)
        self._present(engine, graphs, targets, np.arange(n), zip(arms.tolist(), paid.tolist(), known.tolist()))  # noqa: B905
        return self

    def _choose_one(self, sums: NDArray[np.int64], word: int) -> int:
        low = word & 0xFFFFFFFF
        heads, n = self._heads, len(self._names)
        if heads > 1:
            return int(sums[low * heads >> 32 :: heads].argmax())
        if word >> 32 < int(self.epsilon * 2**32):
            return low * n >> 32
        return int(sums.argmax())

    def _choose(self, sums: NDArray[np.int64], words: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the numbers of the arms chosen by vote sums of heads, (graphs, arms, heads), and random words."""
        chosen = [self._choose_one(row.reshape(-1), word) for row, word in zip(sums, words.tolist(), strict=True)]
        return np.array(chosen, dtype=np.int64)

    @property
    def rewards_(self) -> NDArray[np.float64]:
        """Reward of each update, in order."""
        self._check_fitted()
        return self._log.rewards

    @property
    def regret_(self) -> NDArray[np.float64]:
        """Cumulative regret: the sum of ``best - reward`` up to each update that knew its best reward.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 3, [[1], [0], [1]], symbols=["hot"])
        >>> bandit = gtm.GraphTMBandit(n_clauses=4, depth=1, random_state=0)
        >>> bandit.update(graphs, [0, 0, 1], [0.0, 1.0, 0.5], best=1.0).regret_
        array([1. , 1. , 1.5])
        """
        self._check_fitted()
        lost = self._log.best - self._log.rewards
        return np.asarray(np.cumsum(lost[~np.isnan(lost)]))

    def plot_regret(self, *, ax: Any = None) -> Any:
        """Draw ``regret_``; :class:`graphtm.plots.RegretDisplay` compares several bandits.

        Parameters
        ----------
        ax
            Axes of matplotlib to draw on; ``None`` makes new ones.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        ValueError
            If no update was told the best reward.
        """
        return draw_regret({type(self).__name__: self.regret_}, ax=ax)

    # Prediction

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the best known arm for each graph, without exploration; ties go to the first arm.

        Returns
        -------
        ndarray, (graphs,)
        """
        sums = self.class_sums(X)
        return np.asarray(self.arms_[predicted_classes(sums)])

    def class_sums(self, X: Any) -> NDArray[np.int64]:
        """Return the vote sums of all arms, not clipped; with ``exploration="thompson"``, summed over the heads.

        Returns
        -------
        ndarray of int64, (graphs, arms)
        """
        sums = super().class_sums(X)
        return np.asarray(self._head_sums(sums).sum(axis=2))

    def expected_rewards(self, X: Any) -> NDArray[np.float64]:
        """Return the reward that each arm is expected to bring: its vote sum, in units of rewards.

        Returns
        -------
        ndarray of float64, (graphs, arms)
        """
        sums = super().class_sums(X)
        rewards = Rewards(*self._fitted_params["reward_range"])
        return np.asarray(rewards.expected(self._head_sums(sums), self.model_.params.T).mean(axis=2))

    def _sums_of(self, batch: GraphBatch, engine: Engine) -> NDArray[np.int64]:
        rows = [engine.class_sums(engine.prepare(encode(part, self._model.symbol_code))) for part in batch.chunks()]
        return np.concatenate([np.zeros((0, self._model.params.n_outputs), np.int64), *rows])

    def _head_sums(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._fitted_outputs().sums(sums)

    # What was learned

    def _policy(self) -> GraphTMBandit:
        """Return the same bandit with one head: the votes of all heads of an arm added up, as :meth:`predict` does."""
        if self._heads == 1:
            return self
        model, policy = self.model_, copy(self)
        weights = self._head_sums(model.state.weights.T.astype(np.int64)).sum(axis=2).T
        clipped = np.clip(weights, -_MOST_WEIGHT, _MOST_WEIGHT).astype(np.int32)
        state = MachineState(model.state.automata, clipped, model.state.step)
        policy._heads = 1
        policy.model_ = replace(model, params=replace(model.params, n_outputs=len(self.arms_)), state=state)
        return policy

    def rules(self, arm: Any = None, top: int | None = None, simplify: bool = True) -> RuleSet:
        """Return the clauses as rules, in the names of the data.

        Parameters
        ----------
        arm
            Arm that the rules must vote for; the strongest come first. Default: all arms.
        top
            Maximum number of rules, strongest first.
        simplify
            Whether to merge equivalent clauses, drop those that are never true or never vote, and remove redundant
            literals. Class sums stay the same.
        """
        self._check_fitted()
        number = None if arm is None else self._number_of(arm)
        return self._policy()._rules(self._names, number, top, simplify, alone=False)

    def explain(self, graph: Any) -> ArmExplanation:
        """Explain the best known arm of one graph: votes, the clauses behind them, where these are true, and why.

        Parameters
        ----------
        graph
            A :class:`~graphtm.Graph`, such as ``graphs[3]``, or a batch of one graph, ``graphs[3:4]``.

        Returns
        -------
        ArmExplanation
        """
        self._check_fitted()
        return self._policy()._explain(graph, self._names, ArmExplanation)

    # Learning from a log

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        callbacks: Iterable[Callback] | None = None,
        resume_from: str | os.PathLike[str] | None = None,
    ) -> GraphTMBandit:
        """Learn from a log of earlier decisions, from scratch unless ``warm_start`` or ``resume_from`` is set.

        Afterwards, :meth:`act` and :meth:`update` continue from there, with an empty list of rewards.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.
        y
            A pair ``(arms, rewards)``: for each graph the arm that was taken, and its reward.
        sample_weight
            Weight of each graph, such as the inverse of the probability with which its arm was taken.
        eval_set
            A pair ``(graphs, (arms, rewards))`` or a list of such pairs, scored at the end of each epoch: the mean
            reward of the graphs for which the bandit would take the logged arm, in ``history_`` as ``"val_reward"``.
        callbacks, resume_from
            As for :class:`~graphtm.GraphTMClassifier`.
        """
        super().fit(X, y, sample_weight, eval_set=eval_set, callbacks=callbacks, resume_from=resume_from)
        return self

    def _truth(self, y: Any, n: int) -> NDArray[Any]:
        if isinstance(y, np.ndarray) and y.dtype == LOGGED:
            return y  # part of a log that was read before
        arms, rewards = logged(y)
        numbers = self._numbers_of(arms, n, self._given_numbers())  # a fit may be for other arms than the model's
        return checked_numbers(numbers, self._rewards.checked_all(rewards, n))

    def _outputs_of(self, truth: NDArray[Any]) -> ArmOutputs:  # noqa: ARG002
        return ArmOutputs(self.arm_names, self.heads)

    def _fitted_outputs(self) -> ArmOutputs:
        return ArmOutputs(self.arms_, self._heads)

    def _adopt(self, outputs: ArmOutputs) -> None:
        self.arms_, self._names, self._heads = outputs.names, outputs.names.tolist(), outputs.heads
        self._numbers = {name: number for number, name in enumerate(self._names)}
        log: BanditLog | None = self.__dict__.get("_log")
        self._log = BanditLog(log.n_decisions if log is not None and self.warm_start else 0)
        self._checked = None

    def _targets(
        self, truth: NDArray[Any], outputs: ArmOutputs, weights: NDArray[np.float64] | None, T: int
    ) -> Targets:
        words = Draws(_LOG_SEED, Purpose.BOOTSTRAP).words(np.arange(len(truth)))
        return outputs.targets(truth["arm"], self._rewards.all_votes_of(truth["reward"], T), words, T, weights)

    def _scores(self, sums: NDArray[np.int64], truth: NDArray[Any], outputs: ArmOutputs) -> Mapping[str, float]:
        same = predicted_classes(outputs.sums(sums).sum(axis=2)) == truth["arm"]
        return {"reward": float(truth["reward"][same].mean()) if same.any() else float(self.reward_range[0])}

    def _truth_numbers(self, truth: NDArray[Any], outputs: ArmOutputs) -> list[NDArray[Any]]:  # noqa: ARG002
        return [truth["arm"].copy(), truth["reward"].copy()]

    def _check_kind(self, truth: NDArray[Any], outputs: ArmOutputs, what: str) -> None:
        """Arms were checked when they were read."""

    def _strata(self, truth: NDArray[Any], outputs: ArmOutputs) -> Int64Array:  # noqa: ARG002
        return np.ascontiguousarray(truth["arm"])

    # Files

    def _output_names(self) -> list[Any]:
        return list(self._names)

    def _program(self) -> Program:
        return super(GraphTMBandit, self._policy())._program()

    def _extra(self) -> dict[str, Any]:
        return {"arms": classes_to_json(self.arms_), "log": self._log.to_json()}

    def _restore_extra(self, extra: dict[str, Any]) -> None:
        outputs = ArmOutputs(classes_from_json(extra["arms"]), self.heads)
        if outputs.names.tolist() != self.arm_names.tolist() or len(outputs) != self.model_.params.n_outputs:
            raise ValueError("the arms must be those of the settings, and have one output per head")
        self._adopt(outputs)
        self._log = BanditLog.from_json(extra["log"], len(outputs.names), self.model_.state.step)
