"""Base class of estimators: parameters, a model in an engine, prediction, and model files."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from graphtm.codes import encode
from graphtm.engines import Engine, make_engine
from graphtm.engines.base import Outputs, output_type
from graphtm.engines.registry import resolved_name
from graphtm.errors import GraphTMError, UnknownNameWarning
from graphtm.estimators.automatic import is_automatic
from graphtm.estimators.new_models import check_unchanged
from graphtm.estimators.parameters import EstimatorSettings
from graphtm.estimators.settings_json import records_from_json, records_to_json, settings_from_json, settings_to_json
from graphtm.explain import RuleSet, rules_of
from graphtm.explain.base_explanation import BaseExplanation
from graphtm.export import Program, program_of, write_export, write_graphs
from graphtm.export.program import Task
from graphtm.foundation.calling import warn_user
from graphtm.foundation.names import shorten
from graphtm.foundation.parameters import ParameterChecks, check_at_least, unknown_parameters
from graphtm.foundation.type_names import type_of
from graphtm.graphs import Graph, GraphBatch, Vocabulary
from graphtm.graphs.build import packed_graph
from graphtm.model import MachineState, Model, VoteScale
from graphtm.model.file import Parts, model_to_parts, write_parts

Explained = TypeVar("Explained", bound=BaseExplanation)
Self = TypeVar("Self", bound="MachineEstimator")


class MachineEstimator(ABC, EstimatorSettings, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A machine with its parameters, which :class:`graphtm.GraphTMClassifier` describes."""

    _former_parameters: ClassVar[tuple[str, ...]] = ()
    """Parameters that earlier versions had and wrote into files; they could only be ``None``."""
    _no_model: ClassVar[str] = "This %(name)s is not fitted yet. Call fit first."
    _from_scratch: ClassVar[str] = "Use fit to start from scratch."
    _not_fitted: ClassVar[tuple[str, ...]] = ("unknown", "engine", "n_jobs", "verbose")
    """Parameters that may change after a fit, since the fitted model does not depend on them."""
    _task: ClassVar[Task]
    """What exports predict: one class, several labels, or numbers."""
    _noun: ClassVar[str] = "class"
    """The word for an output."""

    model_: Model
    history_: list[dict[str, Any]]
    _fitted_params: dict[str, Any]
    _epochs: int
    _engine: Engine | None
    _engine_made_for: tuple[str, int | None]

    def __new__(cls: type[Self], *args: Any, **parameters: Any) -> Self:
        """Refuse parameters that do not exist, with the name of the class that the user typed."""
        unknown_parameters(cls, args, parameters)
        made: Self = super().__new__(cls)
        return made

    # What a fitted estimator has

    def _check_fitted(self) -> None:
        check_is_fitted(self, "model_", msg=self._no_model)

    @property
    def state_(self) -> MachineState:
        """The learned state: automata, weights and number of examples seen."""
        self._check_fitted()
        return self.model_.state

    @property
    def epoch_(self) -> int:
        """Number of complete epochs that the model was trained for; after early stopping, up to the best one."""
        self._check_fitted()
        return self.model_.epoch

    @property
    def seed_(self) -> int:
        """The 64-bit seed of the model."""
        self._check_fitted()
        return self.model_.params.seed

    @property
    def params_(self) -> dict[str, Any]:
        """The parameters of the last fit, with what ``"auto"`` and ``random_state`` became.

        ``epochs`` is the number that the last ``fit`` was asked for, 1 after ``partial_fit``.
        """
        self._check_fitted()
        params, symbols = self.model_.params, self.model_.symbol_code
        one_s = len(set(params.s_per_layer)) == 1
        used = {
            **{name: getattr(params, name) for name in self._fitted_params if name in vars(params)},
            "s": params.s_per_layer[0] if one_s else params.s_per_layer,
            "n_clauses": self._fitted_params["n_clauses"],  # pruning may have left fewer
            "epochs": self._epochs,
            "symbol_encoding": symbols.scheme,
            "hypervector_size": symbols.size,
            "random_state": params.seed,
            "engine": resolved_name(self.engine),
        }
        if params.message_code is not None:
            used |= {"message_encoding": params.message_code.scheme, "message_size": params.message_code.size}
        return {**self._fitted_params, **{name: getattr(self, name) for name in self._not_fitted}, **used}

    def transform(self, X: Any) -> Outputs:
        """Return which clauses are true for which graphs, or how strongly, as features for another model.

        Parameters
        ----------
        X
            A :class:`~graphtm.GraphBatch`, or a list of :class:`~graphtm.Graph`.

        Returns
        -------
        ndarray, (graphs, clauses)
            Truth values (bool). With ``max_misses`` above 0, strengths (uint8): from 0, for a clause that is false, to
            ``max_misses + 1``, for a clause without a miss at some readout node.
        """
        engine, params = self._loaded_engine(), self.model_.params
        rows = [engine.clause_outputs(graphs) for graphs in self._prepared(X, engine)]
        return np.concatenate([np.zeros((0, params.n_clauses), output_type(params)), *rows])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the columns of :meth:`transform`: ``"C0"``, ``"C1"``, ..., as in the rules."""
        self._check_fitted()
        return np.array([f"C{clause}" for clause in range(self.model_.params.n_clauses)], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # graphs are not a table
        tags.transformer_tags.preserves_dtype = []
        return tags

    def transform_nodes(self, X: Any) -> sparse.csr_array:
        """Return at which nodes which clauses are true, or how strongly.

        Returns
        -------
        csr_array, (nodes of all graphs, clauses)
            Truth values (bool) or, with ``max_misses`` above 0, strengths (uint8), as in :meth:`transform`.
        """
        engine, params = self._loaded_engine(), self.model_.params
        rows = [sparse.csr_array(engine.node_outputs(graphs)) for graphs in self._prepared(X, engine)]
        empty = sparse.csr_array((0, params.n_clauses), dtype=output_type(params))
        return sparse.csr_array(sparse.vstack([empty, *rows], dtype=empty.dtype))

    def class_sums(self, X: Any) -> NDArray[np.int64]:
        """Return the vote sums of all classes or labels, not clipped.

        Returns
        -------
        ndarray of int64, (graphs, outputs)
        """
        engine = self._loaded_engine()
        rows = [engine.class_sums(graphs) for graphs in self._prepared(X, engine)]
        return np.concatenate([np.zeros((0, self.model_.params.n_outputs), np.int64), *rows])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted estimator to a ``.gtm`` file; :func:`graphtm.load` reads it.

        The file is complete: the loaded estimator predicts in another process, on another computer and with another
        engine, and continues training where this one stopped. An existing file is replaced only when the new one is
        complete.

        The file holds the parameters of the last fit. Later changes by ``set_params`` are not saved, except for
        ``unknown``, ``engine``, ``n_jobs`` and ``verbose``.

        Raises
        ------
        GraphTMError
            If a label is of a type that cannot be saved.
        ValueError
            If one of these four parameters is invalid. An existing file stays unchanged.
        """
        self._check_fitted()
        self._write(path, self.model_)

    def export(
        self,
        path: str | os.PathLike[str],
        graphs: GraphBatch | Iterable[Graph] | None = None,
        *,
        name: str | None = None,
    ) -> None:
        """Write the fitted machine as a program that predicts the same without this library, or graphs for it.

        The program takes the graphs that this estimator takes. In a pipeline, these are the graphs that the encoders
        make: ``pipeline[:-1].transform(X)``.

        Parameters
        ----------
        path
            Path of the file. Its suffix says what is written: ``.json``, the machine as data; ``.py``, a Python module
            that needs only the standard library; ``.h``, a C99 header; ``.lp``, a logic program for clingo. An existing
            file is replaced when the new one is complete.
        graphs
            Graphs to write instead of the machine, as the program reads them: ``.jsonl``, JSON lines for the Python
            module; ``.h``, arrays for the C header; ``.lp``, facts for the logic program.
        name
            For C: what all identifiers begin with. Default: the name of the file, without ``_graphs`` for graphs.

        Raises
        ------
        ValueError
            If the file ends otherwise, or if the name is not fit for C.
        GraphTMError
            If a label is of a type that cannot be exported.
        UnknownSymbolError
            If the machine does not know a name in the graphs, unless ``unknown="ignore"``. JSON lines are not checked.

        Examples
        --------
        >>> import graphtm as gtm, pathlib, tempfile
        >>> graphs, y = gtm.datasets.noisy_xor(500, random_state=0)
        >>> clf = gtm.GraphTMClassifier(n_clauses=10, T=10, s=3.0, epochs=5, random_state=0).fit(graphs, y)
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> clf.export(folder / "xor.py")
        >>> print((folder / "xor.py").read_text().splitlines()[2])
        Classification: 2 outputs, 10 clauses, depth 2, 2 symbols, 1 edge type.
        >>> clf.export(folder / "graphs.jsonl", graphs[:5])
        """
        self._check_fitted()
        if graphs is None:
            write_export(self._program(), path, name)
        else:
            write_graphs(self._program(), self._batch(graphs), path, name)

    def _program(self) -> Program:
        """Return the fitted machine as what exports write down."""
        return program_of(self.model_, self._task, self._output_names(), ignores_unknown=self.unknown == "ignore")

    @abstractmethod
    def _output_names(self) -> list[Any]:
        """Return the names of the outputs of the fitted model: the classes, for instance."""

    def _write(
        self,
        path: str | os.PathLike[str],
        model: Model,
        progress: dict[str, Any] | None = None,
        states: dict[str, MachineState] | None = None,
    ) -> None:
        """Write a model file; a checkpoint also has the progress of the fit and other states."""
        write_parts(path, self._file_parts(model, progress, states))

    def _file_parts(
        self,
        model: Model,
        progress: dict[str, Any] | None = None,
        states: dict[str, MachineState] | None = None,
    ) -> Parts:
        """Return the parts of a file, see :meth:`_write`; raise if it could not be loaded."""
        self._check_kind_of_file()
        settings = settings_to_json({**self._fitted_params, **{name: getattr(self, name) for name in self._not_fitted}})
        extra = {
            **self._extra(),
            "epochs": self._epochs,
            "history": records_to_json(self.history_),
            **({} if progress is None else {"progress": progress}),
        }
        self._from_file(model, settings, extra)  # raises before a good file is replaced by one that cannot be loaded
        return model_to_parts(model, type(self).__name__, settings, extra, states)

    def _check_kind_of_file(self) -> None:
        """Refuse a subclass of the user's, which could not be loaded."""
        if not type(self).__module__.startswith("graphtm."):
            raise GraphTMError(
                f"Only estimators of graphtm can be saved; {type(self).__name__} is defined in "
                f"{type(self).__module__}. Use pickle for a subclass."
            )

    @classmethod
    def _from_file(cls: type[Self], model: Model, settings: Mapping[str, Any], extra: dict[str, Any]) -> Self:
        """Return the estimator described by a file; a damaged file may raise any error."""
        former = {name for name in cls._former_parameters if settings.get(name) is None}
        estimator = cls(**{name: value for name, value in settings_from_json(settings).items() if name not in former})
        estimator._restore(model, extra)
        return estimator

    @abstractmethod
    def _extra(self) -> dict[str, Any]:
        """Return what the estimator needs besides the model, as JSON."""

    @abstractmethod
    def _restore_extra(self, extra: dict[str, Any]) -> None:
        """Restore what :meth:`_extra` returned."""

    def _restore(self, model: Model, extra: dict[str, Any]) -> None:
        self._check()
        check_unchanged(self, model, self.n_clauses)
        self.model_ = model
        self.history_ = records_from_json(extra["history"])
        self._fitted_params = self.get_params(deep=False)
        self._epochs = int(extra.get("epochs", model.epoch if is_automatic(self.epochs) else self.epochs))
        self._restore_extra(extra)

    # Data

    def _batch(self, X: Any) -> GraphBatch:
        if isinstance(X, GraphBatch):
            return X
        if isinstance(X, Graph):
            raise TypeError("The graphs must be a GraphBatch or a list of Graph; got one Graph. Write [graph].")
        must = f"The graphs must be a GraphBatch or a list of Graph; got {type_of(X)}."
        if isinstance(X, np.ndarray) or hasattr(X, "columns"):
            raise TypeError(
                f"{must} If its rows are samples, use graphtm.encoders.Table; if it describes nodes and edges, "
                f"use {'graphtm.from_pandas' if hasattr(X, 'columns') else 'GraphBatch.from_arrays'}."
            )
        if not isinstance(X, Iterable) or isinstance(X, str | dict):
            raise TypeError(must)
        return GraphBatch.from_graphs(X)

    def _known(self, X: Any, known: Vocabulary) -> GraphBatch:
        """Return the graphs with the vocabulary of a model, matched by name."""
        batch = self._batch(X)
        if batch.vocabulary == known:
            return batch
        if self.unknown == "ignore":
            missing = batch.names_missing_in(known)
            if missing:
                text = f"Names that are not in the training data are ignored: {shorten(missing)}."
                warn_user(text, UnknownNameWarning)
        return batch.with_vocabulary(known, self.unknown)

    def _prepared(self, X: Any, engine: Engine) -> Iterator[Any]:
        for chunk in self._known(X, self.model_.vocabulary).chunks():
            yield engine.prepare(encode(chunk, self.model_.symbol_code))

    # The engine

    def _loaded_engine(self) -> Engine:
        """Return an engine that holds the model."""
        self._check_fitted()
        engine: Engine | None = getattr(self, "_engine", None)
        if engine is None or self._engine_made_for != (self.engine, self.n_jobs):
            self._check()
            engine = make_engine(*self._engine_choice())
            engine.load(self.model_.params, self.model_.state)
            self._keep(engine)
        return engine

    def _engine_choice(self) -> tuple[str, int | None]:
        return self.engine, None if self.n_jobs is None else int(self.n_jobs)

    def _keep(self, engine: Engine) -> None:
        """Keep an engine that holds the model, until another engine is chosen."""
        self._engine, self._engine_made_for = engine, (self.engine, self.n_jobs)

    @property
    def engine_(self) -> str:
        """Name of the engine in use."""
        return self._loaded_engine().name

    def _check(self) -> None:
        ParameterChecks(self).declared()

    def __getstate__(self) -> dict[str, Any]:
        """Exclude the engine, which is made again when needed."""
        state: dict[str, Any] = dict(super().__getstate__())
        state.pop("_engine", None)
        return state

    def _rules(
        self,
        names: Sequence[Any],
        number: int | None,
        top: int | None,
        simplify: bool,
        *,
        alone: bool,
        scale: VoteScale | None = None,
    ) -> RuleSet:
        """Return the clauses as rules: all, or those that vote for one output, strongest first.

        Rules of a regressor count whether they vote for an output or against it.

        Parameters
        ----------
        names, number
            Names of the outputs, and the number of that output.
        top, simplify
            As in ``rules``.
        alone
            Whether rules of one output show only its votes; those for thousands of labels would hide them.
        scale
            For a regressor, what votes mean.
        """
        check_at_least("top", "rules", top, 0)
        if not isinstance(simplify, bool):
            raise ValueError(f"The 'simplify' parameter of rules must be a bool. Got {simplify!r} instead.")
        model, outputs = self.model_, list(names)
        if number is not None and alone:
            weights = model.state.weights[number : number + 1]
            model, outputs = replace(model, state=replace(model.state, weights=weights)), [names[number]]
            scale = None if scale is None else scale.only([number])
        rules = rules_of(model, outputs, simplify=simplify, scale=scale, noun=self._noun)
        if number is None and top is None:
            return rules
        name = None if number is None or scale is not None else names[number]
        return rules.filter(name).sort("weight", name)[:top]

    def _explain(self, graph: Any, outputs: Iterable[Any], kind: Callable[..., Explained]) -> Explained:
        self._check_fitted()
        batch = self._known(
            GraphBatch(packed_graph(graph)) if isinstance(graph, Graph) else graph, self.model_.vocabulary
        )
        if len(batch) != 1:
            raise ValueError(f"explain takes one graph; got {len(batch):,}. Write graphs[i].")
        return kind(self.model_, batch, outputs, self._loaded_engine())
