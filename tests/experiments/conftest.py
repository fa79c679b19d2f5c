"""The stand-ins, written once."""

import pytest
from experiments.standins import stand_in


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """Return a data folder with a tiny stand-in for each experiment."""
    return stand_in(tmp_path_factory.mktemp("data"))
