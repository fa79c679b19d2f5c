"""The parameters that estimators have beside those of the machine, each declared here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from graphtm.codes.choice import ENCODINGS
from graphtm.engines.registry import engine_choices, is_engine_name
from graphtm.estimators.automatic import (
    AUTOMATIC,
    automatic_epochs,
    automatic_margin,
    automatic_specificity,
    is_automatic,
)
from graphtm.foundation.parameters import Check, ParameterChecks, integer, one_of, parameter, parameters_of
from graphtm.model.settings import MachineSettings

CLASS_SAMPLING_ABOVE = 32
"""``negative_sampling="auto"`` draws negative outputs per clause up to this many outputs, per output above."""
_MOST = 2**31 - 1


def _check_engine(checks: ParameterChecks, name: str) -> None:
    if not is_engine_name(checks.value(name)):
        checks.refuse(name, f"a str among {{{engine_choices()}, ...}}")


def _check_q(checks: ParameterChecks, name: str) -> None:
    checks.positive(name, optional=True)


class _OrAutomatic(ParameterChecks):
    """Checks whose messages say that a value may also be chosen."""

    def refuse(self, name: str, rule: str) -> NoReturn:
        super().refuse(name, f"{rule}, or {AUTOMATIC!r}")


def or_automatic(check: Check) -> Check:
    """Return a check that also accepts ``"auto"``."""

    def checked(checks: ParameterChecks, name: str) -> None:
        if not is_automatic(checks.value(name)):
            check(_OrAutomatic(checks.owner), name)

    return checked


def automatic_parameter(name: str, rule: str) -> Any:
    """Declare that a parameter of the machine may be ``"auto"``, and is by default; ``rule`` says what that means."""
    machine = parameters_of(MachineSettings)[name].metadata
    return parameter(or_automatic(machine["check"]), f"{machine['doc']} {rule}", default=AUTOMATIC)


@dataclass(eq=False, repr=False, kw_only=True)
class EstimatorSettings(MachineSettings):
    """Parameters of every estimator."""

    T: Any = automatic_parameter(
        "T",
        '``"auto"`` is a fifth of the number of clauses, at least 10, or, with ``max_misses``, four times the sum of '
        "their greatest strengths.",
    )
    s: Any = automatic_parameter(
        "s",
        '``"auto"`` is 5 or, with ``max_misses``, ten times the root of the number of training graphs, from 100 to '
        "1,000; with a depth above 1, three times the root, from 30 to 300. The first ``partial_fit`` decides.",
    )
    epochs: Any = parameter(
        or_automatic(integer(0, _MOST)),
        'Number of times that ``fit`` goes through all graphs. ``"auto"`` is 30, and up to 200 for few graphs: '
        "as many as it takes to learn from 40,000 graphs in all, or from 12,000 with a depth of 1.",
        default=AUTOMATIC,
    )
    symbol_encoding: str = parameter(
        one_of(*ENCODINGS),
        'How symbols become bits: ``"one_hot"``, ``"random"``, ``"double_hashing"``, or ``"auto"``. That is '
        "one_hot if no size is given and there are at most 4,096 symbols or every graph is a single node, else random.",
        default="auto",
    )
    hypervector_size: int | None = parameter(
        integer(1, _MOST, optional=True), "Number of bits of a node; ``None`` chooses it.", default=None
    )
    symbol_bits: int = parameter(integer(1, _MOST), "Number of bits of a symbol in a random code.", default=2)
    message_encoding: str = parameter(
        one_of(*ENCODINGS), "Code of messages, with the same choices as ``symbol_encoding``.", default="auto"
    )
    message_size: int | None = parameter(
        integer(1, _MOST, optional=True), "Number of bits of a node's inbox; ``None`` chooses it.", default=None
    )
    message_bits: int = parameter(integer(1, _MOST), "Number of bits of a message in a random code.", default=2)
    validation_fraction: float | None = parameter(
        ParameterChecks.fraction,
        "Fraction of the graphs that ``fit`` holds out, stratified where there are classes, chosen by the seed. They "
        'are scored at the end of each epoch, as ``"val_..."`` in ``history_``. ``None`` holds out none.',
        default=None,
    )
    patience: int | None = parameter(
        integer(1, _MOST, optional=True),
        "Stop when the score on the held-out graphs, or else on the first ``eval_set``, has not improved for this many "
        "epochs, and keep the model of the best epoch. ``None`` runs all epochs and keeps the last.",
        default=None,
    )
    warm_start: bool = parameter(
        ParameterChecks.boolean,
        "Whether ``fit`` continues with the fitted model for ``epochs`` more epochs instead of starting anew.",
        default=False,
    )
    unknown: str = parameter(
        one_of("error", "ignore"),
        'What to do with names that were not in the training data: raise an ``"error"``, or ``"ignore"`` them with a '
        "warning.",
        default="error",
    )
    shuffle: bool = parameter(ParameterChecks.boolean, "Whether to shuffle the graphs before each epoch.", default=True)
    random_state: Any = parameter(
        ParameterChecks.seed,
        "Seed of everything random: the same seed gives the same bits on every engine. ``None`` draws one and keeps it "
        "in ``seed_``.",
        default=None,
    )
    engine: str = parameter(
        _check_engine, '``"auto"`` or the name of an engine; ``graphtm engines`` lists them.', default="auto"
    )
    n_jobs: int | None = parameter(
        ParameterChecks.jobs,
        "Number of threads at most; results do not depend on it. ``None`` uses the available processors, up to eight; "
        "-1 uses all. Fewer threads are used where fewer are faster.",
        default=None,
    )
    verbose: int = parameter(ParameterChecks.verbosity, "1 shows a progress bar with scores, 0 nothing.", default=0)

    def settings_for(self, n_outputs: int, n_graphs: int | None = None) -> dict[str, Any]:  # noqa: ARG002
        """Return the parameters of a machine: they cannot change once it learns.

        Parameters
        ----------
        n_outputs
            Number of classes or labels.
        n_graphs
            Number of training graphs, which decides what ``"auto"`` becomes. If ``None``, parameters that are
            ``"auto"`` are left out.
        """
        chosen = self.chosen(n_graphs or 0)
        values = {name: chosen.get(name, getattr(self, name)) for name in parameters_of(MachineSettings)}
        settings = MachineSettings(**values).machine_settings()
        return {name: value for name, value in settings.items() if n_graphs is not None or name not in chosen}

    def chosen(self, n_graphs: int) -> dict[str, Any]:
        """Return what the parameters that are ``"auto"`` become with so many training graphs, by name."""
        values = self._automatic_values(n_graphs)
        return {name: value for name, value in values.items() if is_automatic(getattr(self, name))}

    def _automatic_values(self, n_graphs: int) -> dict[str, Any]:
        """Return what ``"auto"`` means for each parameter that may have this value."""
        return {
            "T": automatic_margin(int(self.n_clauses), int(self.max_misses)),
            "s": automatic_specificity(int(self.max_misses), int(self.depth), n_graphs),
            "epochs": automatic_epochs(int(self.depth), n_graphs),
        }


@dataclass(eq=False, repr=False, kw_only=True)
class ThinningSettings(EstimatorSettings):
    """Parameters of estimators that learn from a sample of the outputs that an example does not have."""

    q: float | None = parameter(
        _check_q,
        "Expected number of negative classes updated per example or, with several labels, of absent labels per present "
        "one. ``None`` is 1; with up to 32 labels, all absent labels are updated.",
        default=None,
    )
    negative_sampling: str = parameter(
        one_of("auto", "clause", "class"),
        'Whether negatives are sampled for each ``"clause"`` or once per ``"class"``; ``"auto"`` samples per clause up '
        "to 32 classes or labels.",
        default="auto",
    )

    def settings_for(self, n_outputs: int, n_graphs: int | None = None) -> dict[str, Any]:
        sampling = self.negative_sampling
        if sampling == "auto":
            sampling = "class" if n_outputs > CLASS_SAMPLING_ABOVE else "clause"
        return {**super().settings_for(n_outputs, n_graphs), "negative_sampling": sampling}
