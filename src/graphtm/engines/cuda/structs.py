"""The structs passed to kernels, with the same fields as in ``source/types.cuh``."""

from __future__ import annotations

from typing import Any

import numpy as np

_POINTER, _WIDE, _INT, _KEY = np.uint64, np.int64, np.int32, np.uint64


def _struct(**fields: Any) -> np.dtype[Any]:
    return np.dtype(list(fields.items()), align=True)


MACHINE = _struct(
    planes=_POINTER,
    weights=_POINTER,
    code=_POINTER,
    owner_ptr=_POINTER,
    owners=_POINTER,
    mask_k=_POINTER,
    mask_n=_POINTER,
    step=_POINTER,
    focus_key=_KEY,
    output_key=_KEY,
    update_key=_KEY,
    mask_key=_KEY,
    inverse=np.float64,
    k=_KEY,
    limit=_WIDE,
    n_clauses=_INT,
    n_outputs=_INT,
    depth=_INT,
    T=_INT,
    n_types=_INT,
    size0=_INT,
    half0=_INT,
    size1=_INT,
    half1=_INT,
    words=_INT,
    code_bits=_INT,
    first_plane=_INT,
    boost=_INT,
    by_class=_INT,
    limited=_INT,
    same_masks=_INT,
    n=_INT,
    max_misses=_INT,
)
HEAD = _struct(at=_WIDE, first=_WIDE, n_nodes=_INT, stride=_INT, n_words=_INT, n_edges=_INT, by_rows=_INT, lanes=_INT)
GRAPHS = _struct(
    records=_POINTER, heads=_POINTER, edge_ptr=_POINTER, sources=_POINTER, edge_types=_POINTER, n_graphs=_WIDE
)
EXAMPLES = _struct(ptr=_POINTER, outputs=_POINTER, values=_POINTER, gates=_POINTER, weights=_POINTER, silent=_INT)
ROOM = _struct(
    planes=_INT,
    weights=_INT,
    truth=_INT,
    inbox=_INT,
    focus=_INT,
    records=_INT,
    record_words=_INT,
    inbox_words=_INT,
    flags=_INT,
    entries=_INT,
    heard=_INT,
    group=_INT,
    n_entries=_INT,
    clauses_per_block=_INT,
    global_truth=_POINTER,
    global_sent=_POINTER,
    global_inbox=_POINTER,
    global_posts=_POINTER,
    global_focus=_POINTER,
    global_heard=_POINTER,
    truth_stride=_WIDE,
    inbox_stride=_WIDE,
    posts_stride=_WIDE,
    heard_stride=_WIDE,
    slots=_POINTER,
    barrier=_POINTER,
    wide=_INT,
)
DESK = _struct(
    truth=_INT,
    truth_rows=_INT,
    inbox=_INT,
    inbox_words=_INT,
    sent=_INT,
    list=_INT,
    list_room=_INT,
    includes=_POINTER,
    global_truth=_POINTER,
    truth_stride=_WIDE,
)
ANSWERS = _struct(sums=_POINTER, outputs=_POINTER, nodes=_POINTER)
BY_NAME = {
    "Machine": MACHINE,
    "GraphHead": HEAD,
    "Graphs": GRAPHS,
    "Examples": EXAMPLES,
    "Room": ROOM,
    "Desk": DESK,
    "Answers": ANSWERS,
}


def filled(struct: np.dtype[Any], **values: Any) -> np.ndarray[Any, Any]:
    """Return a struct with these values, to be passed to a kernel. Arrays are replaced by their device pointers.

    All fields are required; ``None`` means no array.
    """
    if set(values) != set(struct.names or ()):
        raise TypeError(f"The fields must be {struct.names}; got {tuple(values)}.")
    result = np.zeros((), struct)
    for name, value in values.items():
        result[name] = 0 if value is None else value if _is_number(value) else value.data.ptr
    return result


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_)
