"""The parameters of the auto-encoder beside those of every estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtm.estimators.parameters import EstimatorSettings
from graphtm.foundation.names import name_key, normalize_name
from graphtm.foundation.parameters import ParameterChecks, integer, is_integer, parameter

_MOST = 2**31 - 1


def listed(symbols: Any) -> Any:
    """Return the symbols to predict, with those of an array as a list."""
    return symbols.tolist() if isinstance(symbols, np.ndarray) and symbols.ndim == 1 else symbols


def _check_symbols(checks: ParameterChecks, name: str) -> None:
    symbols = listed(checks.value(name))
    if symbols is None:
        return
    if is_integer(symbols):
        checks.integer(name, 2, _MOST)
        return
    known = isinstance(symbols, list | tuple) and len(symbols) > 1
    if not known or len({name_key(normalize_name(symbol)) for symbol in symbols}) < len(symbols):
        checks.refuse(name, "an int of at least 2, a list of at least two different symbols, or None")


@dataclass(eq=False, repr=False, kw_only=True)
class AutoencoderSettings(EstimatorSettings):
    """Parameters of the auto-encoder."""

    symbols: Any = parameter(
        _check_symbols,
        "The symbols to predict: a list, the number of the most frequent ones, or ``None`` for all. Every symbol is "
        "input for the others.",
        default=None,
    )
    n_contexts: int = parameter(
        integer(1, _MOST),
        "Number of examples per symbol and epoch, in which it is masked and predicted. Their nodes are drawn at "
        "random, the same in every epoch; those of rare symbols occur several times, so that all symbols are learned "
        "alike.",
        default=500,
    )
    accumulation: int = parameter(
        integer(1, 1 << 16),
        "Number of nodes per example. Several nodes with the same masked symbol are merged into one, which has the "
        "symbols and the edges of all. This helps where single nodes say little, such as sentences of a few words: "
        "what many contexts of a symbol have in common shows. Must be 1 if nodes have types.",
        default=1,
    )
    n_absent: int = parameter(
        integer(1, _MOST),
        "Number of symbols per masked one that the node does not have, drawn at random, whose votes are reduced.",
        default=1,
    )
    epochs: int = parameter(integer(0, _MOST), "Number of times that ``fit`` goes through the sample.", default=10)
    validation_fraction: float | None = parameter(
        ParameterChecks.fraction,
        "Share of the sample that ``fit`` holds out and scores at the end of each epoch. A node of these examples can "
        "occur in others, from which the machine learns: to know how it does on new graphs, pass them as ``eval_set``. "
        "``None`` holds out nothing.",
        default=None,
    )
