"""Parameters and records of estimators as JSON, for model files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from graphtm.errors import GraphTMError
from graphtm.foundation.names import name_from_json, name_to_json, normalize_name

_PAIRS = "pairs"


def settings_to_json(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return parameters as JSON; a random generator becomes ``None``."""
    return {name: _to_json(value) for name, value in settings.items()}


def records_to_json(history: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the records of epochs as JSON.

    Raises
    ------
    GraphTMError
        If a callback has added a value that cannot be saved.
    """
    return [{_record_name(name): _record_value(name, value) for name, value in record.items()} for record in history]


def _record_name(name: Any) -> str:
    if not isinstance(name, str):
        raise GraphTMError(f"Names that callbacks add to a record must be str; got {name!r}.")
    return name


def _record_value(name: str, value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_record_value(name, part) for part in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise GraphTMError(
        f"Values that callbacks add to a record must be numbers, strings, Booleans or lists of these; {name!r} is a "
        f"{type(value).__name__!r}."
    )


def records_from_json(history: Any) -> list[dict[str, Any]]:
    """Return the records that :func:`records_to_json` wrote.

    Raises
    ------
    GraphTMError, ValueError
        If they are not records.
    """
    if not isinstance(history, list) or not all(isinstance(record, dict) for record in history):
        raise ValueError("the history must be a list of records")
    return records_to_json(history)


def _to_json(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return [_to_json(part) for part in value]
    if isinstance(value, Mapping):  # from labels, which are names or floats
        return {_PAIRS: [[_label_to_json(key), _to_json(part)] for key, part in value.items()]}
    return value if value is None or isinstance(value, str | int | float | bool) else None


def _label_to_json(label: Any) -> Any:
    label = label.item() if isinstance(label, np.generic) else label
    return label if isinstance(label, float) else name_to_json(normalize_name(label))


def settings_from_json(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that :func:`settings_to_json` wrote."""
    return {name: _from_json(value) for name, value in settings.items()}


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {key if isinstance(key, float) else name_from_json(key): part for key, part in value[_PAIRS]}
    return value
