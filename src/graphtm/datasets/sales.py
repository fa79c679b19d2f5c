"""Amazon sales: products, prices, categories and who reviewed them."""

from __future__ import annotations

import os

import numpy as np
from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Store, check_subset, read_records

AMAZON_SALES = Dataset(
    "The Amazon sales dataset",
    ("amazon_sales",),
    ("amazon.csv",),
    advice="Get amazon.csv from Kaggle, 'karkavelrajaj/amazon-sales-dataset'.",
)


def load_amazon_sales(
    *, subset: str = "all", data_home: str | os.PathLike[str] | None = None, download: bool = True
) -> tuple[list[dict[str, str]], NDArray[np.float64]]:
    """Load 1,465 products of a shop with their mean rating.

    Parameters
    ----------
    subset
        ``"all"``: there is no official split.
    data_home, download
        As for :func:`load_mnist`, but nothing can be downloaded; the folder is ``amazon_sales/``.

    Returns
    -------
    X, y
        For each row a dictionary of the other columns as they are written: ``product_id``, ``category`` (its levels
        joined by ``|``), ``user_id`` (the reviewers, joined by commas), prices and so on; and the rating, which is
        NaN where it is no number (one row).

    Raises
    ------
    DatasetNotFoundError
        If the file (``amazon.csv``) is not there.
    GraphFormatError
        If it is damaged.
    """
    check_subset("load_amazon_sales", subset, ("all",), "the dataset has no official split; split it yourself")
    path = Store(AMAZON_SALES, data_home, download).get("amazon.csv")
    rows = list(read_records(path, ("product_id", "category", "user_id", "rating")))
    return rows, np.array([_number(row.pop("rating")) for row in rows], dtype=np.float64)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return np.nan
