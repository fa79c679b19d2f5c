"""The auto-encoder: it learns to predict the symbols of nodes from the rest of the graph, and so what they mean."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from graphtm.codes import encode
from graphtm.engines import Engine, Targets
from graphtm.errors import GraphError
from graphtm.estimators.autoencoder_examples import (
    MaskedGraphs,
    MaskedTruth,
    judged,
    most_frequent,
    occurrences,
    readout_of,
    sampled,
    without,
)
from graphtm.estimators.autoencoder_settings import AutoencoderSettings, listed
from graphtm.estimators.fit_inputs import PreparedGraphs
from graphtm.estimators.prunable import PrunableEstimator
from graphtm.explain import RuleSet, SymbolExplanation
from graphtm.foundation.arrays import Int64Array
from graphtm.foundation.names import name_from_json, name_key, name_to_json, normalize_name, shorten
from graphtm.foundation.parameters import check_at_least, documented, is_integer, seed_from
from graphtm.graphs import Graph, GraphBatch, PackedGraphs
from graphtm.graphs.build import packed_graph
from graphtm.learning import Callback
from graphtm.learning.training import Scorer
from graphtm.model import read_model

_AT_ONCE = 1 << 22
"""Number of votes, or of vote sums, that are in memory at a time."""


@documented
@dataclass(eq=False, repr=False, kw_only=True)
class GraphTMAutoencoder(AutoencoderSettings, PrunableEstimator):
    """Auto-encoder: it learns to predict each symbol of a node from the rest of the graph, without labels.

    An example is a node from which one of its symbols is removed. The clauses at that node, which see its other symbols
    and, with a depth above 1, its neighbourhood, vote for the removed symbol, and against one that the node does not
    have. The votes of all clauses on a symbol are its embedding: symbols that occur in similar contexts have similar
    embeddings. On texts, this is the auto-encoder for word embeddings of Bhattarai et al. (2023, arXiv:2301.00709).

    Only the symbol itself is masked, not facts about it elsewhere: encoders such as
    :class:`~graphtm.encoders.Neighbourhoods`, which write the symbols of a node into others, tell what was masked.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    symbols_
        The symbols, in the order of the rows of ``embeddings_``.
    embeddings_
        Votes of the clauses on the symbols, (symbols, clauses).
    history_
        One record per epoch.
    seed_, engine_, state_
        Seed, name of the engine, and learned state.

    Examples
    --------
    Cats and dogs do one thing, cars and buses another:

    >>> import graphtm as gtm
    >>> words = ["cat", "dog", "eats", "sleeps", "car", "bus", "drives", "stops"]
    >>> texts = [[0, 2], [0, 3], [1, 2], [1, 3], [4, 6], [4, 7], [5, 6], [5, 7]] * 10
    >>> has = [[number in text for number in range(8)] for text in texts]
    >>> graphs = gtm.GraphBatch.from_arrays([1] * 80, has, words)
    >>> encoder = gtm.GraphTMAutoencoder(n_clauses=20, T=20, s=3.0, depth=1, n_contexts=50, random_state=0)
    >>> encoder.fit(graphs).most_similar("cat", 1)[0][0]
    'dog'
    """

    _metrics = ("accuracy",)
    _task = "multilabel"
    _noun = "symbol"

    @property
    def embeddings_(self) -> NDArray[np.int32]:
        """Votes of the clauses on the symbols, (symbols, clauses)."""
        return self.state_.weights

    # Learning

    def fit(  # type: ignore[override]
        self,
        X: Any,
        y: Any = None,  # noqa: ARG002
        *,
        eval_set: Any = None,
        callbacks: Iterable[Callback] | None = None,
        resume_from: str | os.PathLike[str] | None = None,
    ) -> GraphTMAutoencoder:
        """Learn the symbols of graphs, from scratch unless ``warm_start`` or ``resume_from`` is set.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`. Only symbols of readout nodes are
            predicted.
        y
            Not used.
        eval_set
            Other graphs. At the end of each epoch, ``"val_accuracy"`` is how often a masked symbol of theirs gets more
            votes than one that the node does not have: 0.5 by chance.
        callbacks, resume_from
            As for :class:`~graphtm.GraphTMClassifier`.

        Raises
        ------
        ValueError
            If a parameter is out of range, a chosen symbol does not occur, or there are fewer than two symbols.
        GraphTMError
            If the graphs cannot be learned from. The estimator stays unchanged.
        """
        self._check()
        again = self.warm_start and hasattr(self, "model_")
        packed = (self._known(X, self.model_.vocabulary) if again else self._batch(X)).pack()
        symbols = self._same_symbols() if again else self._chosen_symbols(packed)
        seed = self._seed_of_sample(again, resume_from)
        batch, truth = self._sample(packed, symbols, seed)
        others = None
        if eval_set is not None:
            if isinstance(eval_set, list | tuple) and any(
                isinstance(one, GraphBatch | list | tuple) for one in eval_set
            ):
                raise TypeError("The auto-encoder takes one evaluation set, without labels: pass eval_set=graphs.")
            others = self._sample(self._known(eval_set, packed.vocabulary).pack(), symbols, seed)
        super().fit(batch, truth, eval_set=others, callbacks=callbacks, resume_from=resume_from)
        return self

    def partial_fit(self, X: Any, y: Any = None) -> GraphTMAutoencoder:  # noqa: ARG002
        """Learn one epoch from a sample of these graphs; the first call chooses the symbols.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.
        y
            Not used.
        """
        self._check()
        fitted = hasattr(self, "model_")
        packed = (self._known(X, self.model_.vocabulary) if fitted else self._batch(X)).pack()
        symbols = self._same_symbols() if fitted else self._chosen_symbols(packed)
        batch, truth = self._sample(packed, symbols, self._seed_of_sample(fitted))
        self._fit_epoch(batch, truth, None, None)
        return self

    def _chosen_symbols(self, packed: PackedGraphs) -> tuple[Hashable, ...]:
        given, names = listed(self.symbols), packed.vocabulary.symbols
        if given is None or is_integer(given):
            numbers = most_frequent(packed, None if given is None else int(given))
        else:
            there = most_frequent(packed, None)
            numbers = np.array([names.index(symbol) for symbol in given], dtype=np.int64)
            missing = [symbol for symbol, number in zip(given, numbers, strict=True) if number not in there]
            if missing:
                raise ValueError(
                    f"The 'symbols' parameter of {type(self).__name__} must be symbols of readout nodes; none has "
                    f"{shorten(missing)}."
                )
        if len(numbers) < 2:
            raise ValueError(f"There must be at least two symbols to predict; the readout nodes have {len(numbers)}.")
        return tuple(names[number] for number in numbers.tolist())

    def _same_symbols(self) -> tuple[Any, ...]:
        """Return the symbols of the model; refuse others."""
        now, then = (
            [*one] if isinstance(one, tuple) else listed(one) for one in (self.symbols, self._fitted_params["symbols"])
        )
        if now != then:
            raise ValueError(
                f"The 'symbols' parameter of {type(self).__name__} must stay {then!r}, since the model was trained "
                f"with it. Got {now!r} instead. {self._from_scratch}"
            )
        return self.symbols_

    def _seed_of_sample(self, again: bool, resume_from: str | os.PathLike[str] | None = None) -> int:
        """Return the seed of the model that is trained, from which its examples are drawn before it is made."""
        if resume_from is not None and Path(resume_from).exists():
            return read_model(Path(resume_from)).model.params.seed
        self._drawn = self.seed_ if again else seed_from(self.random_state)
        return self._drawn

    def _new(self, *args: Any) -> Any:
        seeded = copy(self)
        seeded.random_state = self._drawn
        return super(GraphTMAutoencoder, seeded)._new(*args)

    def _sample(
        self, packed: PackedGraphs, symbols: tuple[Any, ...], seed: int, depth: int | None = None
    ) -> tuple[GraphBatch, MaskedTruth]:
        if self.accumulation > 1 and packed.node_types is not None:
            raise ValueError(
                f"The 'accumulation' parameter of {type(self).__name__} must be 1 if nodes have types, since nodes of "
                f"different types cannot be merged. Got {self.accumulation} instead."
            )
        batch, truth = sampled(
            packed,
            symbols,
            int(self.depth if depth is None else depth) - 1,
            n_contexts=int(self.n_contexts),
            accumulation=int(self.accumulation),
            n_absent=min(int(self.n_absent), len(symbols) - 1),
            seed=seed,
        )
        if not len(batch):
            raise GraphError(f"The readout nodes must have some of the symbols {shorten(symbols)}; they have none.")
        return batch, truth

    # What GraphTMEstimator requires

    def _truth(self, y: Any, n: int) -> MaskedTruth:
        if not isinstance(y, MaskedTruth) or len(y) != n:
            raise TypeError("The auto-encoder takes graphs only; pass eval_set=graphs.")
        return y

    def _outputs_of(self, truth: MaskedTruth) -> tuple[Any, ...]:
        return truth.symbols

    def _fitted_outputs(self) -> tuple[Any, ...]:
        return self.symbols_

    def _adopt(self, outputs: tuple[Any, ...]) -> None:
        self.symbols_ = outputs

    def _targets(
        self,
        truth: MaskedTruth,
        outputs: tuple[Any, ...],  # noqa: ARG002
        weights: NDArray[np.float64] | None,
        T: int,
    ) -> Targets:
        return truth.targets(T, weights)

    def _scores(self, sums: NDArray[np.int64], truth: MaskedTruth, outputs: Any) -> Mapping[str, float]:  # noqa: ARG002
        return truth.scores(np.take_along_axis(sums, np.maximum(truth.numbers, 0), axis=1))

    def _scorer(self, engine: Engine, examples: PreparedGraphs, truth: MaskedTruth, outputs: Any) -> Scorer:  # noqa: ARG002
        return lambda: truth.scores(_compared(engine, examples.graphs, truth))

    def _truth_numbers(self, truth: MaskedTruth, outputs: Any) -> list[NDArray[Any]]:  # noqa: ARG002
        return [truth.numbers]

    def _check_kind(self, truth: MaskedTruth, outputs: Any, what: str) -> None:
        """Accept it: the symbols are those of the model."""

    def _strata(self, truth: MaskedTruth, outputs: Any) -> Int64Array:  # noqa: ARG002
        return np.ascontiguousarray(truth.numbers[:, 0])

    # What was learned

    def most_similar(self, symbol: Hashable, n: int = 10) -> list[tuple[Hashable, float]]:
        """Return the symbols whose embeddings have the largest cosine similarity with that of a symbol.

        Parameters
        ----------
        symbol
            One of ``symbols_``.
        n
            Number of symbols, at most.

        Returns
        -------
        list of tuple
            Symbols with their similarities, most similar first.
        """
        number = self._number_of(symbol)
        check_at_least("n", "most_similar", n, 1, optional=False)
        similar = self.similarities()[number]
        similar[number] = -np.inf
        order = np.argsort(-similar, kind="stable")[: min(int(n), len(similar) - 1)]
        return [(self.symbols_[place], float(similar[place])) for place in order.tolist()]

    def similarities(self) -> NDArray[np.float64]:
        """Return the cosine similarity of the embeddings of all pairs of symbols, (symbols, symbols)."""
        vectors = self.embeddings_.astype(np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.maximum(lengths, 1e-300)
        return np.asarray(vectors @ vectors.T)

    def reconstruct(self, X: Any) -> sparse.csr_array:
        """Return which symbols the readout nodes are expected to have, each judged from the rest of the graph.

        A symbol that a node has is masked when it is judged, so that it is never its own evidence.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.

        Returns
        -------
        csr_array of bool, (readout nodes, symbols)
            Whether the vote sum is at least 0; columns are ``symbols_``.
        """
        packed = self._own(X)
        numbers = self._symbol_numbers()
        nodes = np.flatnonzero(readout_of(packed))
        centres, outputs = occurrences(packed, numbers)
        bounds = np.searchsorted(centres, nodes), np.searchsorted(centres, nodes, side="right")
        step = max(1, _AT_ONCE // len(numbers))
        rows = [sparse.csr_array((0, len(numbers)), dtype=np.bool_)]
        for start in range(0, len(nodes), step):
            some = nodes[start : start + step]
            sums = self._sums_at(packed, some, np.full(len(some), -1))
            first, last = bounds[0][start], bounds[1][min(start + step, len(nodes)) - 1]
            for at in range(first, last, step):
                pairs = slice(at, min(at + step, last))
                masked = self._sums_at(packed, centres[pairs], numbers[outputs[pairs]])
                place = np.searchsorted(some, centres[pairs])
                sums[place, outputs[pairs]] = masked[np.arange(len(masked)), outputs[pairs]]
            rows.append(sparse.csr_array(sums >= 0))
        return sparse.csr_array(sparse.vstack(rows, format="csr", dtype=np.bool_))

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002
        """Return how often a masked symbol gets more votes than one that its node does not have: 0.5 by chance.

        Every symbol counts alike, with up to ``n_contexts`` of its nodes, drawn at random.
        """
        packed = self._own(X)
        batch, truth = self._sample(packed, self.symbols_, self.seed_, self.model_.params.depth)
        engine, code, sums, at = self._loaded_engine(), self.model_.symbol_code, [], 0
        for chunk in batch.chunks():
            part = truth[at : at + len(chunk)]
            sums.append(_compared(engine, engine.prepare(encode(chunk, code)), part))
            at += len(chunk)
        return float(truth.scores(np.concatenate(sums))["accuracy"])

    def rules(self, symbol: Any = None, top: int | None = None, simplify: bool = True) -> RuleSet:
        """Return the clauses as rules, in the names of the data: what predicts a symbol of a node.

        Parameters
        ----------
        symbol
            Symbol that the rules must vote for; the strongest come first, and only votes for it are shown. Default:
            all.
        top
            Maximum number of rules, strongest first.
        simplify
            Whether to merge equivalent clauses, drop those that are never true or never vote, and remove redundant
            literals. Class sums stay the same.

        Examples
        --------
        >>> import graphtm as gtm
        >>> graphs = gtm.GraphBatch.from_arrays([1] * 40, [[1, 1, 0, 0], [0, 0, 1, 1]] * 20, symbols=[*"abcd"])
        >>> encoder = gtm.GraphTMAutoencoder(n_clauses=6, T=8, s=3.0, depth=1, random_state=2).fit(graphs)
        >>> rule = encoder.rules("a", top=1)[0]
        >>> "b" in rule.symbols() or "NOT" in str(rule)
        True
        """
        self._check_fitted()
        number = None if symbol is None and None not in self.symbols_ else self._number_of(symbol)
        return self._rules(list(self.symbols_), number, top, simplify, alone=True)

    def explain(self, graph: Any, node: Hashable = None, symbol: Any = None) -> SymbolExplanation:
        """Explain which symbols are expected at a node: votes, the clauses behind them, where these are true, and why.

        Parameters
        ----------
        graph
            A :class:`~graphtm.Graph`, or a batch of one graph.
        node
            Name of the node. Default: the only readout node.
        symbol
            Symbol of the node to mask. Default: none, so that the node keeps its symbols as evidence for others.

        Returns
        -------
        SymbolExplanation
        """
        self._check_fitted()
        packed = self._own(GraphBatch(packed_graph(graph)) if isinstance(graph, Graph) else graph)
        if packed.n_graphs != 1:
            raise ValueError(f"explain takes one graph; got {packed.n_graphs:,}. Write graphs[i].")
        batch = GraphBatch(packed)
        if node is not None:
            batch = batch.with_readout([[node]])
        packed = batch.pack()
        (centres,) = np.nonzero(readout_of(packed))
        if len(centres) != 1:
            raise ValueError(f"explain needs the name of a node; the graph has {len(centres):,} readout nodes.")
        if symbol is not None:
            number = self._symbol_numbers()[self._number_of(symbol)]
            properties = without(packed.properties, centres, np.array([number]))
            if properties.n_pairs == packed.properties.n_pairs:
                raise ValueError(f"The symbol to mask must be one of the node's; it does not have {symbol!r}.")
            packed = replace(packed, properties=properties)
        return self._explain(GraphBatch(packed), self.symbols_, SymbolExplanation)

    def prune(self, X: Any) -> GraphTMAutoencoder:
        """Shorten the model without changing what it says about the readout nodes of these graphs.

        Vote sums stay the same at every readout node, as it is and with each of its symbols masked, and so do
        ``reconstruct`` and ``score`` on these graphs. Otherwise it works like ``prune`` of
        :class:`~graphtm.GraphTMClassifier`. Clauses that are always true together become one, which weighs more in
        ``embeddings_`` than before: similarities change a little.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`. Some thousands are enough: each symbol
            of each readout node is masked once, which takes long for very many.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are no graphs. On any error the model stays unchanged.
        """
        return super().prune(self._judged(self._some_graphs(X, "prune").pack()))

    def _judged(self, packed: PackedGraphs) -> GraphBatch:
        """Return readout nodes as they are, without each of their symbols, and as they are sampled."""
        depth = self.model_.params.depth
        batches = [judged(packed, self._symbol_numbers(), depth - 1)]
        if self.accumulation > 1 and len(batches[0]) > np.count_nonzero(readout_of(packed)):  # some can be sampled
            batches.append(self._sample(packed, self.symbols_, self.seed_, depth)[0])
        return GraphBatch.concatenate(batches)

    def _own(self, X: Any) -> PackedGraphs:
        """Return packed graphs with the vocabulary of the model."""
        self._check_fitted()
        return self._known(X, self.model_.vocabulary).pack()

    def _sums_at(self, packed: PackedGraphs, nodes: Int64Array, symbols: Int64Array) -> NDArray[np.int64]:
        """Return the vote sums at nodes without a symbol each, (nodes, outputs)."""
        masked = MaskedGraphs(packed, nodes[:, None], symbols, self.model_.params.depth - 1)
        engine, code = self._loaded_engine(), self.model_.symbol_code
        chunks = GraphBatch.from_source(masked).chunks()
        sums = [engine.class_sums(engine.prepare(encode(chunk, code))) for chunk in chunks]
        return np.concatenate([np.zeros((0, len(self.symbols_)), np.int64), *sums])

    def _symbol_numbers(self) -> Int64Array:
        """Return the numbers of ``symbols_`` in the vocabulary."""
        index = self.model_.vocabulary.symbols.index
        return np.array([index(symbol) for symbol in self.symbols_], dtype=np.int64)

    def _number_of(self, symbol: Any) -> int:
        self._check_fitted()
        keys = [name_key(one) for one in self.symbols_]
        try:
            return keys.index(name_key(normalize_name(symbol)))
        except (ValueError, TypeError):
            raise ValueError(
                f"The symbol must be one of those that are predicted, {shorten(self.symbols_)}; got {symbol!r}."
            ) from None

    # Files

    def _output_names(self) -> list[Any]:
        return list(self.symbols_)

    def _extra(self) -> dict[str, Any]:
        return {"symbols": [name_to_json(symbol) for symbol in self.symbols_]}

    def _restore_extra(self, extra: dict[str, Any]) -> None:
        self.symbols_ = tuple(map(name_from_json, extra["symbols"]))
        if len(self.symbols_) != self.model_.params.n_outputs:
            raise ValueError("there must be one symbol per output")
        self._symbol_numbers()  # raises if one is not in the vocabulary


def _compared(engine: Engine, graphs: Any, truth: MaskedTruth) -> NDArray[np.int64]:
    """Return the vote sums of the outputs that a truth names, in its form: all sums might not fit into memory."""
    found, weights = engine.clause_outputs(graphs), engine.state().weights
    numbers = np.maximum(truth.numbers, 0)
    step = max(1, _AT_ONCE // (weights.shape[1] * numbers.shape[1]))
    parts = [
        np.einsum("ec,eoc->eo", found[at : at + step].astype(np.int64), weights[numbers[at : at + step]])
        for at in range(0, len(numbers), step)
    ]
    return np.concatenate(parts)
