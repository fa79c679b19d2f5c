"""Model files (``.gtm``): complete, compressed, checksummed, and safe to load from unknown sources."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from graphtm.codes import SCHEMES, Code, one_hot
from graphtm.errors import ModelFormatError
from graphtm.foundation.container import DAMAGE, Arrays, read_container, write_container
from graphtm.foundation.parameters import parameters_of
from graphtm.graphs.vocabulary import vocabulary_from_json, vocabulary_to_json
from graphtm.model.model import Model
from graphtm.model.params import MachineParams
from graphtm.model.settings import MAX_DEPTH
from graphtm.model.state import MachineState

MAGIC = b"\x89GTM\r\n\x1a\n"
VERSION = 3
"""Newest format number. Format 1 has no ``max_misses``, format 2 no encoders."""
MODEL_VERSION = 2
"""Format of files without encoders, which versions that know only format 2 can read."""
ENCODERS = "encoders"
"""Entry of the header with the encoders of a pipeline, and first part of the names of their arrays."""
MOST_BYTES = 1 << 33
"""Default limit on the size of a model in memory when it is loaded: 8 GiB."""


class Parts(NamedTuple):
    """Content of a file: its header, without the list of arrays, and its arrays."""

    header: dict[str, Any]
    arrays: Arrays


class SavedModel(NamedTuple):
    """Content of a model file: the model, the data of its estimator as JSON, and other states by name."""

    model: Model
    kind: str
    settings: dict[str, Any]
    extra: dict[str, Any]
    states: dict[str, MachineState]


def write_model(
    model: Model,
    path: str | os.PathLike[str],
    kind: str,
    settings: dict[str, Any],
    extra: dict[str, Any],
    states: Mapping[str, MachineState] | None = None,
) -> None:
    """Write a model to a file atomically.

    Parameters
    ----------
    model
        The model.
    path
        The file, replaced if it exists.
    kind, settings
        Class name of the estimator, and its parameters.
    extra
        Other data of the estimator, such as its classes.
    states
        Other states of the same machine, such as the best one in a checkpoint.
    """
    write_parts(path, model_to_parts(model, kind, settings, extra, states))


def write_parts(path: str | os.PathLike[str], parts: Parts) -> None:
    """Write the parts of a file atomically."""
    version = VERSION if ENCODERS in parts.header else MODEL_VERSION
    write_container(Path(path), MAGIC, version, parts.header, parts.arrays, compressed=True)


def model_to_parts(
    model: Model,
    kind: str,
    settings: dict[str, Any],
    extra: dict[str, Any],
    states: Mapping[str, MachineState] | None = None,
) -> Parts:
    """Return the parts of a model file, see :func:`write_model`."""
    params, others = model.params, states or {}
    arrays: Arrays = {"symbol_positions": model.symbol_code.positions}
    codes = {"symbols": _code_header(model.symbol_code)}
    if params.message_code is not None:
        arrays["message_positions"] = params.message_code.positions
        codes["messages"] = _code_header(params.message_code)
    for prefix, state in (("", model.state), *((f"{name}.", state) for name, state in others.items())):
        state.check(params)
        arrays[f"{prefix}weights"] = state.weights
        arrays |= {f"{prefix}automata_{layer}": automata for layer, automata in enumerate(state.automata)}
    header = {
        "kind": kind,
        "settings": settings,
        "extra": extra,
        "vocabulary": vocabulary_to_json(model.vocabulary),
        "codes": codes,
        "machine": {name: getattr(params, name) for name in parameters_of(MachineParams)},
        "step": model.state.step,
        "epoch": model.epoch,
        "position": model.position,
        "states": {name: state.step for name, state in others.items()},
    }
    return Parts(header, arrays)


def _code_header(code: Code) -> dict[str, Any]:
    return {"scheme": code.scheme, "size": code.size, "bits": code.bits_per_owner}


def read_model(path: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> SavedModel:
    """Read a model written by :func:`write_model`. Nothing in the file is executed.

    Raises
    ------
    ModelFormatError
        If the file is damaged, truncated, of a newer version, not a model file, or too large.
    """
    parts = read_parts(path, most_bytes=most_bytes)
    if ENCODERS in parts.header:
        raise ModelFormatError(f"{path} holds encoders, not only a model. Use graphtm.load to read it.")
    return model_from_parts(path, parts)


def read_parts(path: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> Parts:
    """Read the parts of a file; it may have encoders, and may have no model then.

    Raises
    ------
    ModelFormatError
        If the file is damaged, truncated, of a newer version, not a model file, or too large.
    """
    header, arrays = read_container(
        Path(path),
        MAGIC,
        VERSION,
        "model file (.gtm)",
        ModelFormatError,
        compressed=True,
        most_bytes=most_bytes,
        expected=_expected_arrays,
    )
    return Parts(header, arrays)


def model_from_parts(path: str | os.PathLike[str], parts: Parts) -> SavedModel:
    """Return the model in a file.

    Raises
    ------
    ModelFormatError
        If its parts are not consistent.
    """
    try:
        for name, (dtype, shape) in _model_arrays(parts.header).items():
            array = parts.arrays[name]
            if (array.dtype.str, array.shape) != (dtype, shape):
                raise ValueError(f"{name} must be {dtype} of shape {shape}; got {array.dtype.str} of {array.shape}")
        return _model(*parts)
    except DAMAGE as cause:
        raise ModelFormatError(f"{path} is damaged: its content is not a model ({cause}).") from cause


def _expected_arrays(header: dict[str, Any], version: int) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the types and shapes of the arrays of a file with this header; encoders check their own."""
    if (ENCODERS in header) != (version > MODEL_VERSION):
        raise ValueError(f"format {version} does not match its content")
    if ENCODERS not in header:
        return _model_arrays(header)
    arrays = {} if "machine" not in header else _model_arrays(header)
    for entry in header["arrays"]:
        if entry["name"].startswith(f"{ENCODERS}."):
            arrays[entry["name"]] = (entry["dtype"], tuple(entry["shape"]))
    return arrays


def _model_arrays(header: dict[str, Any]) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return the types and shapes of the arrays of a model with this header."""
    machine, codes = header["machine"], header["codes"]
    n_clauses, depth = _whole(machine["n_clauses"]), _whole(machine["depth"])
    if depth > MAX_DEPTH or (depth > 1) != ("messages" in codes):
        raise ValueError(f"a depth of {depth} does not match the codes {sorted(codes)}")
    sizes = [_whole(codes["symbols"]["size"])] + [_whole(codes["messages"]["size"]) for _ in range(depth - 1)]
    n_symbols = len(header["vocabulary"]["symbols"])
    arrays: dict[str, tuple[str, tuple[int, ...]]] = {
        "symbol_positions": ("<i4", (n_symbols, _whole(codes["symbols"]["bits"]))),
    }
    if depth > 1:
        arrays["message_positions"] = ("<i4", (n_clauses, _whole(codes["messages"]["bits"])))
    for prefix in ("", *(f"{name}." for name in header["states"])):
        arrays[f"{prefix}weights"] = ("<i4", (_whole(machine["n_outputs"]), n_clauses))
        arrays |= {f"{prefix}automata_{layer}": ("|u1", (n_clauses, 2 * size)) for layer, size in enumerate(sizes)}
    return arrays


def _model(header: dict[str, Any], arrays: Arrays) -> SavedModel:
    machine, codes = header["machine"], header["codes"]
    vocabulary = vocabulary_from_json(header["vocabulary"])
    n_edge_types = max(1, len(vocabulary.edge_types))
    symbol_code = _code(codes["symbols"], arrays["symbol_positions"], 1)
    message_code = _code(codes["messages"], arrays["message_positions"], n_edge_types) if "messages" in codes else None
    params = MachineParams(**_machine_parameters(machine), message_code=message_code)
    state = _state(arrays, params, header["step"])
    others = {name: _state(arrays, params, step, f"{name}.") for name, step in header["states"].items()}
    if symbol_code.size != params.hypervector_size:
        raise ValueError("the symbol code does not match the machine")
    if params.n_node_types != len(vocabulary.node_types):
        raise ValueError("the machine does not match the node types of the vocabulary")
    if not isinstance(header["settings"], dict) or not isinstance(header["extra"], dict):
        raise ValueError("settings and extra must be JSON objects")
    model = Model(vocabulary, symbol_code, params, state, _whole(header["epoch"]), _whole(header["position"]))
    return SavedModel(model, str(header["kind"]), header["settings"], header["extra"], others)


def _machine_parameters(machine: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the machine; those that later versions added have their former value in older files."""
    declared = parameters_of(MachineParams)
    unknown = sorted(set(machine) - set(declared))
    if unknown:
        raise ValueError(f"unknown parameter {unknown[0]!r}; a newer version of graphtm may have written it")
    former = {name: one.metadata["before"] for name, one in declared.items() if "before" in one.metadata}
    return {name: machine[name] if name in machine or name not in former else former[name] for name in declared}


def _state(arrays: Arrays, params: MachineParams, step: object, prefix: str = "") -> MachineState:
    automata = tuple(arrays[f"{prefix}automata_{layer}"] for layer in range(params.depth))
    state = MachineState(automata, arrays[f"{prefix}weights"], _whole(step))
    state.check(params)
    return state


def _code(header: dict[str, Any], positions: np.ndarray[Any, Any], stride: int) -> Code:
    """Return a code. The positions of one_hot codes are checked, since engines and rules rely on them."""
    code = Code(header["scheme"], _whole(header["size"]), positions)
    if code.scheme not in SCHEMES:
        raise ValueError(f"unknown code {code.scheme!r}")
    if code.scheme == "one_hot" and code != one_hot(code.n_owners, stride):
        raise ValueError("the positions of a one_hot code are wrong")
    if code.bits_per_owner < 1 and code.n_owners:
        raise ValueError("a code must have at least one bit")
    if positions.size and (positions.min() < 0 or positions.max() >= code.size or np.any(np.diff(positions) <= 0)):
        raise ValueError("code positions must be ascending and below the size of the hypervector")
    return code


def _whole(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**64:
        raise ValueError(f"{value!r} is not an integer in [0, 2^64)")
    return value
