"""Rows of the Amazon sales data: customers, products and categories with ratings, ten times over and with noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from graphtm.datasets import load_amazon_sales
from graphtm.experiments.declaration import Folder, Split
from graphtm.graphs import GraphBatch

COLUMNS = {"customers": "user_id", "product": "product_id", "category": "category"}
"""Kinds of nodes, and the columns of the data that name them."""
PRODUCT, CATEGORY = (list(COLUMNS).index(kind) for kind in ("product", "category"))
RATINGS = (1, 2, 3, 4, 5)
COPIES, TEST_SHARE = 10, 0.25
SEED = 42
"""Seed of the draws of the paper's published code."""


class Rows(NamedTuple):
    """Rows of the data.

    Parameters
    ----------
    names
        A matrix with a column for each kind of node.
    y
        The ratings without their fractions: "4.3 stars" is 4.
    """

    names: NDArray[np.str_]
    y: NDArray[np.int64]

    def take(self, chosen: NDArray[np.int64]) -> Rows:
        """Return some rows."""
        return Rows(self.names[chosen], self.y[chosen])


def load(data_home: Folder | None, quick: bool) -> Rows:  # noqa: ARG001
    """Return the rows that have a rating."""
    products, stars = load_amazon_sales(data_home=data_home)
    names = np.array([[product[column] for column in COLUMNS.values()] for product in products])
    rated = ~np.isnan(stars)
    return Rows(names[rated], stars[rated].astype(np.int64))


def with_noise(rows: Rows, noise: float, rng: np.random.RandomState) -> Rows:
    """Return ten copies of all rows in a random order, a share of which have a random rating and a random category.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.amazon_rows import Rows, with_noise
    >>> rows = Rows(np.array([["Ann", "kettle", "kitchen"], ["Ben", "lamp", "light"]]), np.array([4, 3]))
    >>> noisy = with_noise(rows, 0.1, np.random.RandomState(0))
    >>> len(noisy.y), int(np.sum((noisy.names[:, 1] == "kettle") & (noisy.y == 4)))
    (20, 9)
    """
    n = COPIES * len(rows.y)
    names, y = rows.take(np.random.RandomState(SEED).permutation(n) % len(rows.y))
    changed = rng.choice(n, size=int(noise * n), replace=False)
    y[changed] = rng.choice(RATINGS, size=len(changed))
    categories = list(dict.fromkeys(names[:, CATEGORY].tolist()))
    names[changed, CATEGORY] = rng.choice(categories, size=len(changed))
    return Rows(names, y)


def split_of(rows: Rows, task: Mapping[str, Any]) -> Split:
    """Return rows for training and testing, three quarters and one.

    As in the paper, copies of a row are in both parts, or in only one with ``split_first``. With ``trial``, a quarter
    of the training rows replaces the test set.
    """
    rng = np.random.RandomState(SEED)

    def parts(whole: Rows) -> tuple[Rows, Rows]:
        train, test = train_test_split(np.arange(len(whole.y)), test_size=TEST_SHARE, random_state=rng)
        if task["trial"]:
            train, test = train_test_split(train, test_size=TEST_SHARE, random_state=rng)
        return whole.take(train), whole.take(test)

    if task["split_first"]:
        train, test = (with_noise(part, task["noise"], rng) for part in parts(rows))
    else:
        train, test = parts(with_noise(rows, task["noise"], rng))
    return Split(train.names, train.y, test.names, test.y)


def graphs_of(names: NDArray[np.str_], chain: bool = True) -> GraphBatch:
    """Return a graph for each row: a chain of its customers, product and category, or one node that has all three.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtm.experiments.amazon_rows import graphs_of
    >>> print(graphs_of(np.array([["Ann", "kettle", "kitchen"]]))[0])
    Graph with 3 nodes and 4 edges
      0: customers=Ann
          customers-product -> 1
      1: product=kettle
          product-customers -> 0
          product-category -> 2
      2: category=kitchen
          category-product -> 1
    """
    n, n_kinds = names.shape
    symbols: list[tuple[str, str]] = []
    numbers = np.empty((n, n_kinds), np.int64)
    for place, kind in enumerate(COLUMNS):
        known, found = np.unique(names[:, place], return_inverse=True)
        numbers[:, place] = len(symbols) + found
        symbols += [(kind, name) for name in known.tolist()]
    if not chain:
        return GraphBatch.from_arrays(
            np.ones(n, np.int64), (np.repeat(np.arange(n), n_kinds), numbers.ravel()), symbols
        )
    kinds = list(COLUMNS)
    links = [(a, b) for a, b in ((0, 1), (1, 0), (1, 2), (2, 1))]
    sources, ends = (np.tile([link[side] for link in links], n) for side in (0, 1))
    types = [f"{kinds[a]}-{kinds[b]}" for a, b in links]
    return GraphBatch.from_arrays(
        np.full(n, n_kinds),
        (np.arange(n * n_kinds), numbers.ravel()),
        symbols,
        (sources, ends, np.tile(np.arange(len(links)), n)),
        types,
        edge_counts=np.full(n, len(links)),
    )
