"""The graph benchmarks of TU Dortmund: MUTAG, PROTEINS and many more."""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from graphtm.datasets.files import Dataset, Store, check_subset, damaged
from graphtm.graphs import GraphBatch


def load_tudataset(
    name: str,
    *,
    subset: str = "all",
    data_home: str | os.PathLike[str] | None = None,
    download: bool = True,
    booleanise: int | None = None,
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

    Returns
    -------
    graphs, y
        The graphs and their classes.

    Raises
    ------
    DatasetNotFoundError
        If the files (``MUTAG_A.txt`` and so on, or ``MUTAG.zip``) are not there.
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
        advice=f"Get {name}.zip from https://chrsmrrs.github.io/datasets/.",
    )
    path = Store(dataset, data_home, download).get(f"{name}_A.txt", f"{name}.zip")
    if path.suffix != ".zip":
        return read_tudataset(path.parent, booleanise=booleanise)
    with tempfile.TemporaryDirectory() as folder:
        _unpack(path, name, Path(folder) / name)
        return read_tudataset(Path(folder) / name, booleanise=booleanise)


def _unpack(path: Path, name: str, folder: Path) -> None:
    """Write the dataset's own text files to a folder, wherever in the archive they claim to lie."""
    folder.mkdir()
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.namelist():
                file = Path(member).name
                if file.startswith(f"{name}_") and file.endswith(".txt"):
                    (folder / file).write_bytes(archive.read(member))
    except (zipfile.BadZipFile, OSError) as error:
        raise damaged(path, f"it is no zip archive ({error})") from None
