"""Real datasets that tests may use where they lie; none is needed to pass."""

import os
from pathlib import Path

import pytest


def shared_data(name):
    """Return the folder of a dataset, or skip the test with the reason."""
    root = Path(os.environ.get("GRAPHTM_TEST_DATA", Path(__file__).parents[2] / "shared" / "data"))
    folder = root / name
    if not folder.is_dir():
        pytest.skip(f"the dataset {name!r} is not at hand; set GRAPHTM_TEST_DATA to the folder that holds it")
    return folder
