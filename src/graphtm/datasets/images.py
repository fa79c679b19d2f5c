"""MNIST and Fashion-MNIST."""

from __future__ import annotations

import math
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Remote, Store, check_subset, class_labels, parts, read_npz
from graphtm.foundation.compressed import damaged, read_bytes

_MNIST = "https://ossci-datasets.s3.amazonaws.com/mnist/"
_FASHION = "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/"

MNIST = Dataset(
    "MNIST",
    ("mnist", "MNIST/raw"),
    ("mnist.npz",),
    (
        Remote(_MNIST + "train-images-idx3-ubyte.gz", "f68b3c2dcbeaaa9fbdd348bbdeb94873"),
        Remote(_MNIST + "train-labels-idx1-ubyte.gz", "d53e105ee54ea40749a09fcbcd1e9432"),
        Remote(_MNIST + "t10k-images-idx3-ubyte.gz", "9fb629c4189551a2d022fa330f9573f3"),
        Remote(_MNIST + "t10k-labels-idx1-ubyte.gz", "ec29112dd5afa0611ce80d1b7f02629c"),
    ),
)
FASHION_MNIST = Dataset(
    "Fashion-MNIST",
    ("fashion_mnist", "FashionMNIST/raw", "fashion-mnist"),
    ("fashion_mnist.npz",),
    (
        Remote(_FASHION + "train-images-idx3-ubyte.gz", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
        Remote(_FASHION + "train-labels-idx1-ubyte.gz", "25c81989df183df01b3e8a0aad5dffbe"),
        Remote(_FASHION + "t10k-images-idx3-ubyte.gz", "bef4ecab320f06d8554ea6380940ec79"),
        Remote(_FASHION + "t10k-labels-idx1-ubyte.gz", "bb300cfdad3c16e7a12a480ee83cd310"),
    ),
)


def load_mnist(
    *, subset: str = "train", data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Load MNIST, handwritten digits: 60,000 images for training and 10,000 for testing.

    Parameters
    ----------
    subset
        ``"train"``, ``"test"``, or ``"all"`` for both in this order.
    data_home
        Folder that contains ``mnist/``, or that folder itself. By default, the environment variable ``GRAPHTM_DATA``,
        or ``graphtm`` in the user's cache.
    download
        Whether to download missing files.

    Returns
    -------
    X, y
        Images, uint8 of shape ``(n, 28, 28)``, and digits.

    Raises
    ------
    DatasetNotFoundError
        If the files (``mnist.npz``, or the four IDX files, compressed or not) are missing and cannot be downloaded.
    GraphFormatError
        If a file is damaged.
    """
    return _load("load_mnist", MNIST, "mnist.npz", subset, data_home, download)


def load_fashion_mnist(
    *, subset: str = "train", data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Load Fashion-MNIST, images of clothes in the format of MNIST (arXiv:1708.07747).

    Parameters
    ----------
    subset, data_home, download
        As for :func:`load_mnist`; the folder is ``fashion_mnist/``.

    Returns
    -------
    X, y
        Images, uint8 of shape ``(n, 28, 28)``, and classes 0 to 9: T-shirt, trouser, pullover, dress, coat, sandal,
        shirt, sneaker, bag, ankle boot.

    Raises
    ------
    DatasetNotFoundError
        If the files (``fashion_mnist.npz``, or the four IDX files) are missing and cannot be downloaded.
    GraphFormatError
        If a file is damaged.
    """
    return _load("load_fashion_mnist", FASHION_MNIST, "fashion_mnist.npz", subset, data_home, download)


def _load(
    function: str,
    dataset: Dataset,
    npz: str,
    subset: str,
    data_home: str | os.PathLike[str] | None,
    download: bool,
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    check_subset(function, subset, ("train", "test", "all"))
    store = Store(dataset, data_home, download)
    images, labels = [], []
    for part in parts(subset):
        prefix = "train" if part == "train" else "t10k"
        path = store.get(npz, f"{prefix}-images-idx3-ubyte")
        if path.suffix == ".npz":
            x, y = read_npz(path, f"x_{part}", f"y_{part}")
        else:
            x, y = read_idx(path), read_idx(store.get(f"{prefix}-labels-idx1-ubyte"))
        if x.dtype != np.uint8 or x.shape != (len(x), 28, 28) or y.shape != x.shape[:1]:
            raise damaged(path, f"it must have one 28 x 28 uint8 image per label; got shapes {x.shape} and {y.shape}")
        images.append(x)
        labels.append(class_labels(y, path))
    return np.concatenate(images), np.concatenate(labels)


def read_idx(path: Path) -> NDArray[np.uint8]:
    """Return the array of an IDX file: two zeros, the code of uint8, the number of dimensions, the shape, values."""
    content = read_bytes(path)
    if content[:4] not in (b"\x00\x00\x08\x01", b"\x00\x00\x08\x03"):
        got = content[:4].hex(" ") or "nothing"
        raise damaged(path, f"an IDX file of images or labels must start with 00 00 08 03 or 01; got {got}")
    start = 4 + 4 * content[3]
    if len(content) < start:
        raise damaged(path, "the IDX header is incomplete")
    shape = tuple(np.frombuffer(content[4:start], ">u4").tolist())
    if len(content) - start != math.prod(shape):
        raise damaged(
            path, f"the IDX header declares {math.prod(shape):,} bytes of values; got {len(content) - start:,}"
        )
    return np.frombuffer(content, np.uint8, offset=start).reshape(shape)
