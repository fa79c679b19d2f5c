"""The classifier: one class per graph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from graphtm.engines import Targets, class_targets
from graphtm.errors import check_at_least
from graphtm.estimators.base import BaseGraphTM
from graphtm.estimators.labels import (
    as_labels,
    class_numbers,
    classes_from_json,
    classes_of,
    classes_to_json,
    given_classes,
)
from graphtm.explain import Explanation, RuleSet
from graphtm.graphs import GraphBatch


class GraphTMClassifier(ClassifierMixin, BaseGraphTM):  # type: ignore[misc]
    """Graph Tsetlin Machine for classification, with scikit-learn's interface.

    Clauses are AND-rules over the symbols of a node and the messages of its neighbours; they vote for classes, and
    they can be read: see :meth:`rules`.

    Parameters
    ----------
    n_clauses
        Number of clauses, shared by all classes.
    T
        Voting margin: the vote sum at which a class is content with an example. More clauses want a larger T.
    s
        Specificity: larger values make longer, more special rules. A number, or one for each layer.
    q
        How many other classes hear an example, on average; ``None`` for 1.
    negative_sampling
        Whether those are drawn anew for each ``"clause"`` or once for a ``"class"``; ``"auto"``: per clause up to 32
        classes.
    depth
        Number of layers: a rule sees ``depth - 1`` edges far.
    epochs
        How many times ``fit`` presents all graphs.
    max_included_literals
        Length above which rules stop growing; ``None`` for no limit.
    boost_true_positive
        Whether literals that hold are always reinforced.
    state_bits
        Bits of an automaton's memory.
    symbol_encoding, hypervector_size, symbol_bits
        How symbols become bits: ``"one_hot"``, ``"random"``, ``"double_hashing"``, or ``"auto"``: one_hot while that is
        small and no size is given, else random.
    message_encoding, message_size, message_bits
        The same for messages.
    unknown
        What to do with names that the training data did not have: ``"error"``, or ``"ignore"`` them with a warning.
    shuffle
        Whether every epoch presents the graphs in another order.
    random_state
        Seed of everything random: the same seed gives the same bits on every engine. ``None`` draws one and keeps it
        in ``seed_``.
    engine
        ``"auto"`` or the name of an engine, see ``graphtm engines``.
    n_jobs
        Threads at most; results do not depend on it. ``None``: the processors this process may use, up to eight; -1:
        all. Fewer are used where fewer are faster.
    verbose
        1 shows a progress bar.

    Attributes
    ----------
    classes_
        The class labels, sorted, or as given to ``partial_fit``.
    history_
        One record per epoch.
    seed_, engine_, state_
        The seed, the engine's name, and what was learned.

    Examples
    --------
    Which words have an A right after a B?

    >>> import graphtm as gtm
    >>> def word(text):
    ...     graph = gtm.Graph()
    ...     for place, letter in enumerate(text):
    ...         graph.add_node(place, properties=[letter])
    ...     for place in range(1, len(text)):
    ...         graph.add_edge(place - 1, place, type="right")
    ...     return graph
    >>> words = ["BA", "AB", "ABA", "AAB", "BBA", "BB", "AA", "AABA"] * 20
    >>> graphs = gtm.GraphBatch.from_graphs(map(word, words))
    >>> y = ["yes" if "BA" in text else "no" for text in words]
    >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=5, random_state=1).fit(graphs, y)
    >>> clf.score(graphs, y)
    1.0
    >>> clf.predict([word("BAB"), word("AAAA")])
    array(['yes', 'no'], dtype='<U3')
    """

    def fit(self, X: Any, y: Any) -> GraphTMClassifier:
        """Learn from graphs and their classes, from scratch.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.
        y
            One label per graph, of any sortable type.

        Raises
        ------
        ValueError
            If a parameter is out of range, or labels do not fit the graphs.
        GraphTMError
            If the graphs or sizes do not allow it. Nothing is changed then.
        """
        self._check()
        batch = self._batch(X)
        labels = as_labels(y, len(batch))
        self._begin(batch, labels, classes_of(labels), int(self.epochs))
        return self

    def partial_fit(self, X: Any, y: Any, classes: ArrayLike | None = None) -> GraphTMClassifier:
        """Learn from one more epoch over the graphs given.

        Parameters
        ----------
        X, y
            Graphs and their labels; not every class needs to be among them.
        classes
            All classes there will ever be; needed only by the first call, and only if ``y`` lacks some of them.
        """
        self._check()
        batch = self._batch(X)
        labels = as_labels(y, len(batch))
        if not hasattr(self, "model_"):
            self._begin(batch, labels, classes_of(labels) if classes is None else given_classes(classes), 1)
            return self
        self._check_unchanged(self.model_)
        if classes is not None:
            numbers = class_numbers(given_classes(classes), self.classes_, strict=False)
            if numbers.tolist() != list(range(len(self.classes_))):
                raise ValueError(
                    f"The classes must be those of the first fit, {self.classes_.tolist()}; got {classes!r}."
                )
        targets = self._targets(labels, self.classes_)
        self._learn(*self._ready(self.model_, self._known(batch)), targets, 1)
        return self

    def _begin(self, batch: GraphBatch, labels: NDArray[Any], classes: NDArray[Any], epochs: int) -> None:
        """Start anew; an old model is given up only when nothing can fail any more."""
        targets = self._targets(labels, classes)
        model = self._new_model(batch, len(classes))
        machine, graphs = self._ready(model, batch)
        self.model_, self.classes_, self.history_ = model, classes, []
        self._learn(machine, graphs, targets, epochs)

    def _targets(self, labels: NDArray[Any], classes: NDArray[Any]) -> Targets:
        return class_targets(class_numbers(labels, classes), len(classes), int(self.T), self.q)

    def _extra(self) -> dict[str, Any]:
        return {"classes": classes_to_json(self.classes_)}

    def _restore_extra(self, extra: dict[str, Any]) -> None:
        self.classes_ = classes_from_json(extra["classes"])
        if len(self.classes_) != self.model_.params.n_outputs:
            raise ValueError("there must be one class per output")

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class with the largest vote sum; of several, the first.

        Returns
        -------
        ndarray, (graphs,)
        """
        sums = self.class_sums(X)
        return np.asarray(self.classes_[sums.argmax(axis=1)])

    def score(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of graphs whose class is predicted right.

        Parameters
        ----------
        X, y
            Graphs and their true labels, of any type that ``fit`` takes.
        sample_weight
            How much each graph counts.
        """
        sums = self.class_sums(X)
        truth = class_numbers(as_labels(y, len(sums)), self.classes_, strict=False)
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return float(np.average(sums.argmax(axis=1) == truth, weights=weights))

    def decision_function(self, X: Any) -> NDArray[np.int64]:
        """Return the vote sums in scikit-learn's shape.

        Returns
        -------
        ndarray of int64
            ``(graphs,)`` for two classes, the second's sum minus the first's; else ``(graphs, classes)``.
        """
        sums = self.class_sums(X)
        return np.asarray(sums[:, 1] - sums[:, 0] if len(self.classes_) == 2 else sums)

    def rules(self, class_: Any = None, top: int | None = None, simplify: bool = True) -> RuleSet:
        """Return the clauses as rules in the names of the data.

        Parameters
        ----------
        class_
            Only rules that vote for this class, the strongest first.
        top
            Only so many, the strongest first.
        simplify
            Whether clauses that say the same become one rule with the votes of all, clauses that can never be true or
            cast no vote are left out, and literals say no more than others leave open. Class sums stay the same.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
        >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
        >>> print(clf.fit(graphs, ["summer", "winter"] * 20).rules("winter"))
        1 rule; votes for [summer, winter]
        C3: cold AND NOT hot   [-5, +5]
        """
        check_is_fitted(self, "model_")
        check_at_least("top", "rules", top, 0)
        if not isinstance(simplify, bool):
            raise ValueError(f"The 'simplify' parameter of rules must be a bool. Got {simplify!r} instead.")
        name = None
        if class_ is not None:
            number = class_numbers(given_classes([class_]), self.classes_, strict=False)[0]
            if number < 0:
                raise ValueError(f"The class must be one of {self.classes_.tolist()}; got {class_!r}.")
            name = self.classes_.tolist()[number]
        rules = self._rules(self.classes_.tolist(), simplify=simplify)
        if class_ is None and top is None:
            return rules
        return rules.filter(name).sort("weight", name)[:top]

    def explain(self, graph: Any) -> Explanation:
        """Return why one graph gets its class: votes, the clauses that cast them, where they are true, and why.

        Parameters
        ----------
        graph
            A :class:`~graphtm.Graph`, for instance ``graphs[3]``, or a batch of one, ``graphs[3:4]``, which is quicker.

        Returns
        -------
        Explanation
            ``print`` it; ask it for a witness of a clause, scores of nodes, edges and symbols, or the smallest change
            that turns the prediction.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 0], [0, 1]] * 20, symbols=["hot", "cold"])
        >>> clf = gtm.GraphTMClassifier(n_clauses=4, T=5, s=3.0, depth=1, epochs=10, random_state=3)
        >>> ex = clf.fit(graphs, ["summer", "winter"] * 20).explain(graphs[0])
        >>> ex.votes
        {'summer': 5, 'winter': -6}
        """
        check_is_fitted(self, "model_")
        return self._explain(graph, self.classes_.tolist())
