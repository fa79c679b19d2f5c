"""Model files (``.gtm``): complete, compressed, checksummed, and safe to read from strangers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphtm.codes import Code
from graphtm.errors import GraphTMError, ModelFormatError
from graphtm.graphs.container import Arrays, read_container, write_container
from graphtm.graphs.vocabulary import vocabulary_from_json, vocabulary_to_json
from graphtm.model.model import Model
from graphtm.model.params import MachineParams
from graphtm.model.state import MachineState

MAGIC = b"\x89GTM\r\n\x1a\n"
VERSION = 1
MOST_BYTES = 1 << 33
"""Memory that a model may take when it is read, unless more is allowed: 8 GiB."""
_NUMBERS = (
    "n_outputs",
    "n_clauses",
    "hypervector_size",
    "depth",
    "T",
    "negative_sampling",
    "max_included_literals",
    "boost_true_positive",
    "state_bits",
    "n_node_types",
    "seed",
)


class SavedModel(NamedTuple):
    """What a model file holds: the model, and what the estimator around it needs, as JSON."""

    model: Model
    kind: str
    settings: dict[str, Any]
    extra: dict[str, Any]


def write_model(
    model: Model, path: str | os.PathLike[str], kind: str, settings: dict[str, Any], extra: dict[str, Any]
) -> None:
    """Write a model to a file, which appears complete or not at all.

    Parameters
    ----------
    model
        The model.
    path
        The file, replaced if it exists.
    kind, settings
        The estimator that it belongs to, and that one's parameters.
    extra
        What else the estimator needs: the classes, for instance.
    """
    params, state = model.params, model.state
    state.check(params)
    arrays: Arrays = {"symbol_positions": model.symbol_code.positions, "weights": state.weights}
    codes = {"symbols": {"scheme": model.symbol_code.scheme, "size": model.symbol_code.size}}
    if params.message_code is not None:
        arrays["message_positions"] = params.message_code.positions
        codes["messages"] = {"scheme": params.message_code.scheme, "size": params.message_code.size}
    arrays |= {f"automata_{layer}": states for layer, states in enumerate(state.automata)}
    header = {
        "kind": kind,
        "settings": settings,
        "extra": extra,
        "vocabulary": vocabulary_to_json(model.vocabulary),
        "codes": codes,
        "machine": {**{name: getattr(params, name) for name in _NUMBERS}, "s": list(params.s_per_layer)},
        "step": state.step,
        "epoch": model.epoch,
    }
    write_container(Path(path), MAGIC, VERSION, header, arrays, compressed=True)


def read_model(path: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> SavedModel:
    """Read a model that :func:`write_model` wrote; nothing in the file is executed.

    Raises
    ------
    ModelFormatError
        If the file is damaged, truncated, of another version, no model file, or larger than allowed.
    """
    path = Path(path)
    header, arrays = read_container(
        path, MAGIC, VERSION, "model file (.gtm)", ModelFormatError, compressed=True, most_bytes=most_bytes
    )
    try:
        return _model(header, arrays)
    except (GraphTMError, KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as cause:
        raise ModelFormatError(f"{path} is damaged: its content is not a model ({cause}).") from cause


def _model(header: dict[str, Any], arrays: Arrays) -> SavedModel:
    machine, codes = header["machine"], header["codes"]
    vocabulary = vocabulary_from_json(header["vocabulary"])
    symbol_code = _code(codes["symbols"], arrays["symbol_positions"])
    message_code = _code(codes["messages"], arrays["message_positions"]) if "messages" in codes else None
    params = MachineParams(
        **{name: machine[name] for name in _NUMBERS}, s=tuple(machine["s"]), message_code=message_code
    )
    state = MachineState(
        tuple(arrays[f"automata_{layer}"].copy() for layer in range(params.depth)),
        arrays["weights"].copy(),
        _whole(header["step"]),
    )
    state.check(params)
    if symbol_code.n_owners != len(vocabulary.symbols) or symbol_code.size != params.hypervector_size:
        raise ValueError("the symbol code does not fit the vocabulary or the machine")
    if (params.n_node_types or 0) != len(vocabulary.node_types):
        raise ValueError("the machine does not fit the node types of the vocabulary")
    if not isinstance(header["settings"], dict) or not isinstance(header["extra"], dict):
        raise ValueError("settings and extra must be objects")
    model = Model(vocabulary, symbol_code, params, state, _whole(header["epoch"]))
    return SavedModel(model, str(header["kind"]), header["settings"], header["extra"])


def _code(header: dict[str, Any], positions: np.ndarray[Any, Any]) -> Code:
    size = _whole(header["size"])
    if header["scheme"] not in ("one_hot", "random", "double_hashing"):
        raise ValueError(f"unknown code {header['scheme']!r}")
    if positions.dtype != np.int32 or positions.ndim != 2:
        raise ValueError("code positions must be a table of int32")
    if positions.size and (positions.min() < 0 or positions.max() >= size or np.any(np.diff(positions) <= 0)):
        raise ValueError("code positions must be ascending numbers within the hypervector")
    return Code(header["scheme"], size, positions)


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is not a whole number")
    return value
