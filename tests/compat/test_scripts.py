"""Scripts written for the package GraphTsetlinMachine, unchanged, through ``python -m graphtm.compat``."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from shared import shared_data

from graphtm.compat import install, run_script
from graphtm.errors import GraphTMError

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture(autouse=True)
def _old_names():
    """Leave NumPy's global generator and the old names as they were."""
    state = np.random.get_state()
    yield
    np.random.set_state(state)
    for name in [name for name in sys.modules if name.partition(".")[0] == "GraphTsetlinMachine"]:
        del sys.modules[name]


def run(name, *arguments):
    """Return the global variables of a script."""
    return run_script(SCRIPTS / f"{name}.py", map(str, arguments))


@pytest.mark.parametrize("codes", [(), ("--double-hashing",), ("--one-hot-encoding",)])
def test_noisy_xor(codes):
    found = run("noisy_xor", "--epochs", 5, *codes)
    assert found["result_test"] >= 99


def test_multivalue_xor():
    assert run("multivalue_xor", "--epochs", 8)["result_test"] >= 98


def test_sequences_longer_than_those_of_training():
    found = run("sequence", "--epochs", 3)
    assert found["result_test"] >= 99
    assert found["graphs_test"].max_number_of_graph_nodes > found["graphs_train"].max_number_of_graph_nodes


def test_multi_output():
    assert (run("multi_output", "--epochs", 4)["result_test"] >= 99).all()


def test_clauses_are_printed(capsys):
    found = run("print_clauses")
    assert found["accuracy"] >= 99
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Clause #")]
    assert len(lines) == found["tm"].number_of_clauses
    assert any(re.search(r"\b(A|B) x\d", line) for line in lines)
    assert any(re.search(r"\b(forth|back):C\d x\d", line) for line in lines)


def test_saving_and_loading():
    assert run("save_and_load")["accuracy"] >= 95


def test_subsets():
    assert run("subsets")["accuracy"] >= 99


@pytest.mark.slow
@pytest.mark.parametrize(("name", "bar"), [("mnist_vanilla", 96), ("mnist_convolution", 97)])
def test_mnist(name, bar):
    data = shared_data("mnist") / "mnist.npz"
    assert run(name, "--data", data)["result_test"] >= bar


def test_the_module_runs_a_script_with_its_arguments(tmp_path):
    script = tmp_path / "old.py"
    script.write_text(
        "import sys\n"
        "import beside\n"
        "from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine\n"
        "print(__name__, sys.argv[1:], beside.ANSWER, MultiClassGraphTsetlinMachine.__module__)\n"
    )
    (tmp_path / "beside.py").write_text("ANSWER = 42\n")
    command = [sys.executable, "-m", "graphtm.compat", str(script), "--epochs", "2"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=True)
    assert done.stdout == "__main__ ['--epochs', '2'] 42 graphtm.compat.machines\n"


def test_the_command_says_what_it_needs(monkeypatch, capsys, tmp_path):
    from graphtm.compat.__main__ import main

    for arguments, code in (([], 2), (["--help"], 0)):
        monkeypatch.setattr(sys, "argv", ["graphtm.compat", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == code
        assert "Usage: python -m graphtm.compat SCRIPT" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["graphtm.compat", str(tmp_path / "missing.py")])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    assert capsys.readouterr().err == f"Error: The script must be a file; there is no {tmp_path / 'missing.py'}.\n"


def test_the_earlier_implementation_is_not_replaced_once_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, "GraphTsetlinMachine.tm", re)
    with pytest.raises(GraphTMError, match=r"install must be called before GraphTsetlinMachine\.tm is imported"):
        install()
    assert "GraphTsetlinMachine.graphs" not in sys.modules
