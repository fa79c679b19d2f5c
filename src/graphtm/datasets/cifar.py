"""CIFAR-10, in all its published file formats."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Remote, Store, check_subset, class_labels, parts, read_npz, read_tar
from graphtm.errors import GraphFormatError
from graphtm.foundation.calling import require
from graphtm.foundation.compressed import damaged, opened, read_bytes

Images: TypeAlias = NDArray[np.uint8]
Batch: TypeAlias = tuple[Images, NDArray[np.int64]]

CIFAR10 = Dataset(
    "CIFAR-10",
    (
        "cifar10",
        "cifar-10-batches-bin",
        "cifar-10-batches-py",
        "cifar10/cifar-10-batches-bin",
        "cifar10/cifar-10-batches-py",
    ),
    ("cifar-10-*.tar.gz", "data_batch_*", "test_batch*"),
    (Remote("https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz", "c32a1d4ab5d03f1284b67883e8d87530"),),
)
BATCHES = {"train": [f"data_batch_{number}" for number in range(1, 6)], "test": ["test_batch"]}
SIDE = 32
PIXELS = 3 * SIDE * SIDE


def load_cifar10(
    *, subset: str = "train", data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> tuple[Images, NDArray[np.int64]]:
    """Load CIFAR-10, colour images of ten classes: 50,000 for training and 10,000 for testing.

    Any of these formats is read: the binary batches (``data_batch_1.bin``), the Python batches (``data_batch_1``),
    either archive (``cifar-10-binary.tar.gz``, which is also the download, or ``cifar-10-python.tar.gz``), and mosaics
    of 32 × 32 tiles (``data_batch_1.webp``) with ``labels.npz``, which require Pillow. The Python batches are pickles;
    only the bytes of the array are read, and no code is executed.

    Parameters
    ----------
    subset, data_home, download
        As for :func:`load_mnist`; the folder is ``cifar10/``.

    Returns
    -------
    X, y
        Images, uint8 of shape ``(n, 32, 32, 3)``, RGB; and classes 0 to 9: airplane, automobile, bird, cat, deer, dog,
        frog, horse, ship, truck.

    Raises
    ------
    DatasetNotFoundError
        If the files are missing and cannot be downloaded.
    GraphFormatError
        If a file is damaged.
    """
    check_subset("load_cifar10", subset, ("train", "test", "all"))
    store = Store(CIFAR10, data_home, download)
    names = [name for part in parts(subset) for name in BATCHES[part]]
    batches = _find_batches(store, names)
    return np.concatenate([images for images, _ in batches]), np.concatenate([labels for _, labels in batches])


def _find_batches(store: Store, names: Sequence[str]) -> list[Batch]:
    """Return the batches in the first format that is complete."""
    forms = ([*(f"{name}.webp" for name in names), "labels.npz"], [f"{name}.bin" for name in names], names)
    lacking = []
    for files, read in zip(forms, (_read_mosaics, _read_binaries, _read_pythons), strict=True):
        paths = {file: path for file in files if (path := store.find(file))}
        if len(paths) == len(files):
            return read(list(paths.values()), names)
        lacking.append(next(file for file in files if file not in paths))
    return _read_archive(store.get(*lacking, "cifar-10-binary.tar.gz", "cifar-10-python.tar.gz"), names)


def _read_binaries(paths: Sequence[Path], _: Sequence[str]) -> list[Batch]:
    return [read_binary(read_bytes(path), path) for path in paths]


def _read_pythons(paths: Sequence[Path], _: Sequence[str]) -> list[Batch]:
    return [read_python(read_bytes(path), path) for path in paths]


def _read_archive(path: Path, names: Sequence[str]) -> list[Batch]:
    """Return the batches of an archive, without writing to disk."""
    found: dict[str, Batch] = {}
    for file, content in read_tar(path, "the batches", lambda file: file.name.removesuffix(".bin") in names):
        read = read_binary if file.suffix == ".bin" else read_python
        found[file.name.removesuffix(".bin")] = read(content, path)
    missing = [name for name in names if name not in found]
    if missing:
        raise damaged(path, f"{missing[0]} is missing")
    return [found[name] for name in names]


def read_binary(content: bytes, path: Path) -> Batch:
    """Read a binary batch: for each image its class, then 1,024 bytes each of red, green and blue."""
    if not content or len(content) % (1 + PIXELS):
        raise damaged(path, f"a binary batch must have {1 + PIXELS:,} bytes per image; got {len(content):,} bytes")
    rows = np.frombuffer(content, np.uint8).reshape(-1, 1 + PIXELS)
    return _images(rows[:, 1:]), class_labels(rows[:, 0], path)


def _images(rows: NDArray[np.uint8]) -> Images:
    return np.ascontiguousarray(rows.reshape(-1, 3, SIDE, SIDE).transpose(0, 2, 3, 1))


class _Written:
    """Replaces arrays and dtypes in a pickle: stores their arguments and state, and executes nothing."""

    def __init__(self, *arguments: object) -> None:
        self.arguments = arguments
        self.state: Any = None

    def __setstate__(self, state: object) -> None:
        self.state = state


class _BatchUnpickler(pickle.Unpickler):
    """Unpickles the Python batches, which contain plain values and one array; raises for everything else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in (
            ("numpy.core.multiarray", "_reconstruct"),
            ("numpy._core.multiarray", "_reconstruct"),
            ("numpy", "ndarray"),
            ("numpy", "dtype"),
        ):
            return _Written
        raise pickle.UnpicklingError(f"it asks for {module}.{name}")


def read_python(content: bytes, path: Path) -> Batch:
    """Read a Python batch, written by Python 2: a pickled dictionary with ``data`` and ``labels``."""
    try:
        batch = _BatchUnpickler(io.BytesIO(content), encoding="bytes").load()
        _, shape, kind, columns_first, values = batch[b"data"].state
        rows = np.frombuffer(values, np.uint8).reshape(shape)
        if kind.arguments[0] not in (b"u1", "u1") or columns_first or rows.shape != (len(batch[b"labels"]), PIXELS):
            raise ValueError(f"got values of type {kind.arguments[0]!r} and shape {rows.shape}")
        labels = class_labels(np.array(batch[b"labels"]), path)
    except GraphFormatError:
        raise
    except Exception as error:
        # A crafted or broken pickle can fail in any way; the cause is always the same.
        raise damaged(path, f"it must be a batch of CIFAR-10 and contain nothing else ({error})") from None
    return _images(rows), labels


def _read_mosaics(paths: Sequence[Path], names: Sequence[str]) -> list[Batch]:
    *pictures, labels = paths
    y = dict(zip(("train", "test"), read_npz(labels, "y_train", "y_test"), strict=True))
    batches: list[Batch] = []
    for name, path in zip(names, pictures, strict=True):
        images = read_mosaic(path)
        part = "test" if name == "test_batch" else "train"
        if y[part].shape != (len(images) * len(BATCHES[part]),):
            raise damaged(
                labels, f"it must have one label per tile; got {y[part].size:,} for {len(images):,} in {path.name}"
            )
        start = BATCHES[part].index(name) * len(images)
        batches.append((images, class_labels(y[part][start : start + len(images)], labels)))
    return batches


def read_mosaic(path: Path) -> Images:
    """Return the tiles of an image, row by row."""
    pillow = require("PIL.Image", "Reading mosaics of CIFAR-10", "images")
    with opened(path, "it is not an image") as file, pillow.open(file) as picture:
        mosaic = np.asarray(picture.convert("RGB"))
    rows, columns = mosaic.shape[0] // SIDE, mosaic.shape[1] // SIDE
    if mosaic.shape != (rows * SIDE, columns * SIDE, 3):
        raise damaged(path, f"it must consist of tiles of {SIDE} x {SIDE}; got {mosaic.shape[0]} x {mosaic.shape[1]}")
    tiles = mosaic.reshape(rows, SIDE, columns, SIDE, 3).transpose(0, 2, 1, 3, 4)
    return tiles.reshape(-1, SIDE, SIDE, 3)
