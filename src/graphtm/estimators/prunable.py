"""Estimators whose fitted model can be pruned, and whose training can be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeVar

from graphtm.codes import encode
from graphtm.errors import UnknownSymbolError
from graphtm.estimators.fitting import GraphTMEstimator
from graphtm.graphs import GraphBatch
from graphtm.learning.pruning import pruned
from graphtm.model import MachineParams, MachineState
from graphtm.plots.training import TrainingDisplay

Self = TypeVar("Self", bound="PrunableEstimator")


class PrunableEstimator(GraphTMEstimator):
    """Base class of estimators with :meth:`prune` and :meth:`plot_training`."""

    def plot_training(self, metrics: str | Iterable[str] | None = None, *, x: str = "epoch", ax: Any = None) -> Any:
        """Draw the scores in ``history_``, epoch by epoch.

        Parameters
        ----------
        metrics
            Names of what to draw. Default: all scores, or the mean number of literals of a clause if ``fit`` recorded
            no scores. An ``eval_set``, or :class:`graphtm.History` among the callbacks, makes ``fit`` record them.
        x
            What is on the horizontal axis: ``"epoch"``, ``"step"`` or ``"seconds"``.
        ax
            Axes of matplotlib to draw on; ``None`` makes new ones.

        Returns
        -------
        matplotlib.axes.Axes
            After early stopping, the epoch whose model was kept is marked.

        Raises
        ------
        ValueError
            If the history is empty, or has no numbers of such a name.
        MissingLibraryError
            If matplotlib is not installed.

        Examples
        --------
        >>> import matplotlib
        >>> matplotlib.use("Agg")
        >>> import graphtm as gtm
        >>> graphs, y = gtm.datasets.sequences(300, random_state=0)
        >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=3, random_state=0)
        >>> ax = clf.fit(graphs, y, callbacks=[gtm.History()]).plot_training()
        >>> [text.get_text() for text in ax.texts]
        ['accuracy']
        """
        return TrainingDisplay.from_estimator(self, metrics, x=x, ax=ax).ax_

    def prune(self: Self, X: Any) -> Self:
        """Shorten the model without changing its class sums on these graphs.

        Clauses that are false for all graphs lose their votes. Of clauses with equal outputs for all graphs, the first
        gets the votes of all, as far as 32 bits hold them. Then literals are removed one by one, if no output of a
        voting clause changes for any graph, and no message that another clause reads. The order is fixed: layers from
        the highest down; clauses by number; within a clause and layer, negations before plain literals, each by
        number. No further literal can be removed afterwards.

        With ``depth=1`` and at most one node type, clauses without votes are dropped and the others renumbered; the
        parameter ``n_clauses`` stays as it is. Else messages or node types depend on the numbers, and such clauses stay
        with a weight of 0; those that no clause hears lose all their literals.

        On other graphs, predictions can change. Pass the training graphs, or others that are typical.

        A removed literal is excluded, in the lowest state. ``partial_fit`` continues with the pruned model: a removed
        literal comes back only after ``2 ** (state_bits - 1)`` updates in its favour, and a clause with a weight of 0
        votes again after its first update.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are no graphs. On any error the model stays unchanged.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
        >>> clf = gtm.GraphTMClassifier(n_clauses=6, T=5, s=3.0, depth=1, epochs=10, random_state=3)
        >>> sums = clf.fit(graphs, ["summer", "winter"] * 20).class_sums(graphs)
        >>> print(clf.prune(graphs).rules())
        3 rules; votes for [summer, winter]
        C0: ANY NODE   [-1, 0]
        C1: hot   [+6, -5]
        C2: cold   [-4, +5]
        >>> bool((clf.class_sums(graphs) == sums).all())
        True
        """
        batch = self._some_graphs(X, "prune")
        model = self.model_
        outputs = self.transform(batch)
        encoded = encode(batch, model.symbol_code)
        params, state = pruned(model.params, model.state, encoded, outputs, verbose=bool(self.verbose))
        self._replace_machine(params, state)
        return self

    def _some_graphs(self, X: Any, what: str) -> GraphBatch:
        """Return graphs with the vocabulary of the model, at least one."""
        self._check_fitted()
        try:
            batch = self._known(X, self.model_.vocabulary)
        except UnknownSymbolError as error:
            hint = f"As the last step of a pipeline, {what} what it sees: pipeline[:-1].transform(graphs)."
            raise UnknownSymbolError(f"{error} {hint}") from error
        if not len(batch):
            raise ValueError(f"At least one graph is needed to {what}; got none.")
        return batch

    def _replace_machine(self, params: MachineParams, state: MachineState) -> None:
        self.model_ = replace(self.model_, params=params, state=state)
        self._engine = None
