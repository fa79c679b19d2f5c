"""The graph benchmarks of TU Dortmund: MUTAG, PROTEINS and many more (arXiv:2007.08663)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Store, check_subset
from graphtm.graphs import GraphBatch


def load_tudataset(
    name: str,
    *,
    subset: str = "all",
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    bins: Any = None,
    bins_from: Any = None,
    booleanise: int | None = None,
    ignore: Iterable[str] = (),
) -> tuple[GraphBatch, NDArray[Any]]:
    """Load a TU dataset as graphs.

    Parameters
    ----------
    name
        Name of the dataset, such as ``"MUTAG"``.
    subset
        ``"all"``: there is no official split.
    data_home
        Folder that contains the dataset's folder or its zip file, or the dataset's folder itself. By default, the
        environment variable ``GRAPHTM_DATA``, or ``graphtm`` in the user's cache.
    download
        Ignored: there is no download, because no checksums are published.
    bins
        How to divide numeric attributes of nodes and edges into bins, see :func:`graphtm.read_tudataset`. If None,
        they raise an error.
    bins_from
        Numbers of the training graphs, or a mask of them: only they determine the quantiles of ``bins``. Default: all
        graphs.
    booleanise
        Former name of ``bins``, for a number of bins.
    ignore
        Optional files to ignore: ``"node_labels"``, ``"node_attributes"``, ``"edge_labels"``,
        ``"edge_attributes"``.

    Returns
    -------
    graphs, y
        The graphs and their classes.

    Raises
    ------
    DatasetNotFoundError
        If the files (``MUTAG_A.txt`` and so on, or ``MUTAG.zip``) are missing or incomplete.
    GraphError, GraphFormatError
        If the files do not describe valid graphs.
    """
    from graphtm.graphs.convert.tudataset import read_tudataset

    check_subset("load_tudataset", subset, ("all",), "the TU datasets have no official split; split them yourself")
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
        raise ValueError(
            f"The 'name' parameter of load_tudataset must be a dataset name such as 'MUTAG'. Got {name!r} instead."
        )
    folders = (
        name,
        f"{name}/{name}",
        f"{name}/raw",
        f"tudataset/{name}",
        f"tu/{name}",
        f"TUDataset/{name}",
        f"TUDataset/{name}/raw",
    )
    dataset = Dataset(
        f"The TU dataset {name}",
        (*folders, "tudataset", "tu", "TUDataset"),
        own=(f"{name}_*.txt", f"{name}.zip"),
        advice=f"Download {name}.zip from https://chrsmrrs.github.io/datasets/.",
    )
    path = Store(dataset, data_home, download).get(f"{name}_A.txt", f"{name}.zip")
    place = path if path.suffix == ".zip" else path.parent
    return read_tudataset(place, name=name, bins=bins, bins_from=bins_from, booleanise=booleanise, ignore=ignore)
