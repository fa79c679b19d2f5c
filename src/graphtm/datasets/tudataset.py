"""The graph benchmarks of TU Dortmund: MUTAG, PROTEINS and many more."""

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
    booleanise: int | None = None,
    ignore: Iterable[str] = (),
) -> tuple[GraphBatch, NDArray[Any]]:
    """Load one of the TU datasets as graphs.

    Parameters
    ----------
    name
        Its name, such as ``"MUTAG"``.
    subset
        ``"all"``: there is no official split.
    data_home
        The folder that holds the dataset's folder or its zip file, or the dataset's folder itself. Without it the
        environment variable ``GRAPHTM_DATA`` names the folder, else it is the user's cache.
    download
        Not used: no checksums are published, so nothing is downloaded.
    booleanise
        In how many quantile bins numeric attributes are put; they are refused without it.
    ignore
        Optional files to leave out: ``"node_labels"``, ``"node_attributes"``, ``"edge_labels"``,
        ``"edge_attributes"``.

    Returns
    -------
    graphs, y
        The graphs and their classes.

    Raises
    ------
    DatasetNotFoundError
        If the files (``MUTAG_A.txt`` and so on, or ``MUTAG.zip``), or one of them, are not there.
    GraphError, GraphFormatError
        If they do not describe graphs.
    """
    from graphtm.graphs.convert.tudataset import read_tudataset

    check_subset("load_tudataset", subset, ("all",), "the TU datasets have no official split; split them yourself")
    if not isinstance(name, str) or not re.fullmatch(r"[\w-]+", name):
        raise ValueError(
            f"The 'name' parameter of load_tudataset must be a dataset's name such as 'MUTAG'. Got {name!r} instead."
        )
    folders = (name, f"{name}/{name}", f"{name}/raw", f"tudataset/{name}", f"TUDataset/{name}", f"TUDataset/{name}/raw")
    dataset = Dataset(
        f"The TU dataset {name}",
        (*folders, "tudataset", "TUDataset"),
        own=(f"{name}_*.txt", f"{name}.zip"),
        advice=f"Get {name}.zip from https://chrsmrrs.github.io/datasets/.",
    )
    path = Store(dataset, data_home, download).get(f"{name}_A.txt", f"{name}.zip")
    place = path if path.suffix == ".zip" else path.parent
    return read_tudataset(place, name=name, booleanise=booleanise, ignore=ignore)
