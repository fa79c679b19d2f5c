"""Scripts written for the package GraphTsetlinMachine, unchanged, through ``python -m graphtm.compat``."""

import importlib
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from shared import shared_data

from graphtm.compat import install, running
from graphtm.errors import GraphTMError

SCRIPTS = Path(__file__).parent / "scripts"


@pytest.fixture(autouse=True)
def _old_names():
    """Leave NumPy's global generator, the old names and the way that errors are printed as they were."""
    state, hook = np.random.get_state(), sys.excepthook
    yield
    sys.excepthook = hook
    np.random.set_state(state)
    for name in [name for name in sys.modules if name.partition(".")[0] == "GraphTsetlinMachine"]:
        del sys.modules[name]


@pytest.fixture
def run(monkeypatch, capsys):
    """Return a function that does in this process what ``python -m graphtm.compat`` does, and returns the output."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["python", *map(str, arguments)])
        runpy.run_module("graphtm.compat", run_name="__main__", alter_sys=True)
        return capsys.readouterr().out

    return run


def last_epoch(output, epochs):
    """Return the numbers in the line of the last epoch, which begins with its number."""
    (line,) = re.findall(rf"^{epochs - 1} .*", output, re.MULTILINE)
    return [float(number) for number in re.findall(r"\d+\.\d+", line)]


@pytest.mark.parametrize("codes", [(), ("--double-hashing",), ("--one-hot-encoding",)])
def test_noisy_xor(run, codes):
    output = run(SCRIPTS / "noisy_xor.py", "--epochs", 5, *codes)
    assert last_epoch(output, 5)[1] >= 99  # of the test graphs, which have no noise
    assert len(re.findall(r"^Clause #\d+ W:\(-?\d+ -?\d+\)", output, re.MULTILINE)) == 10


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_noisy_xor_with_any_seed(run, seed):
    assert last_epoch(run(SCRIPTS / "noisy_xor.py", "--epochs", 20, "--seed", seed), 20)[1] >= 99


def test_many_state_bits_are_asked_for(run):
    with pytest.warns(UserWarning, match="number_of_state_bits=16 is treated as 8"):
        output = run(SCRIPTS / "noisy_xor.py", "--epochs", 5, "--number-of-state-bits", 16)
    assert last_epoch(output, 5)[1] >= 99


@pytest.mark.parametrize("codes", [(), ("--double-hashing",)])
def test_multivalue_xor(run, codes):
    assert last_epoch(run(SCRIPTS / "multivalue_xor.py", "--epochs", 8, *codes), 8) >= [98]


@pytest.mark.parametrize("codes", [(), ("--double-hashing",)])
def test_sequences_longer_than_those_of_training(run, codes):
    output = run(SCRIPTS / "sequence.py", "--epochs", 6, *codes)
    assert last_epoch(output, 6) >= [99]
    assert output.startswith("8 12\n")  # nodes of the largest training and test graph


def test_multi_output(run):
    outputs = last_epoch(run(SCRIPTS / "multi_output.py", "--epochs", 4), 4)
    assert len(outputs) == 3
    assert min(outputs) >= 99


def test_clauses_are_printed(run):
    output = run(SCRIPTS / "print_clauses.py").splitlines()
    assert float(output[0]) >= 99
    assert output[1].startswith("Graph 0 with 2 nodes and 2 edges")
    lines = [line for line in output if line.startswith("Clause #")]
    assert len(lines) == 20
    assert any(re.search(r"\b(A|B) x\d", line) for line in lines)
    assert any(re.search(r"\b(forth|back):C\d x\d", line) for line in lines)


def test_saving_and_loading(run):
    assert float(run(SCRIPTS / "save_and_load.py")) >= 95


def test_subsets(run):
    assert float(run(SCRIPTS / "subsets.py").splitlines()[0]) >= 99


@pytest.mark.slow
@pytest.mark.parametrize(("name", "epochs", "bar"), [("mnist_vanilla", 20, 96), ("mnist_convolution", 12, 97)])
def test_mnist(run, name, epochs, bar):
    data = shared_data("mnist") / "mnist.npz"
    codes = ["--one-hot-encoding"] if name == "mnist_convolution" else []
    output = run(SCRIPTS / f"{name}.py", "--data", data, "--training-images", 10_000, "--epochs", epochs, *codes)
    assert last_epoch(output, epochs)[0] >= bar


def test_a_script_has_its_folder_its_arguments_and_the_old_names(tmp_path):
    script = tmp_path / "old.py"
    script.write_text(
        "import pickle, sys\n"
        "import beside\n"
        "import GraphTsetlinMachine.graphs\n"
        "from GraphTsetlinMachine.tm import MultiClassGraphTsetlinMachine\n"
        "class Own: pass\n"
        "print(__name__, sys.argv[0] == __file__, sys.argv[1:], beside.ANSWER)\n"
        "print(MultiClassGraphTsetlinMachine.__module__, GraphTsetlinMachine.graphs.Graphs(2))\n"
        "print(type(pickle.loads(pickle.dumps(Own()))) is Own)\n"
        "sys.exit(3)\n"
    )
    (tmp_path / "beside.py").write_text("ANSWER = 42\n")
    command = [sys.executable, "-m", "graphtm.compat", str(script), "--epochs", "2", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)
    assert done.returncode == 3, done.stderr
    assert done.stdout.splitlines() == [
        "__main__ True ['--epochs', '2', '--help'] 42",
        "graphtm.compat.machines Graphs(2 graphs, 0 symbols, not encoded)",
        "True",
    ]


def test_install_needs_no_other_import():
    command = "import graphtm as gtm; gtm.compat.install(); import GraphTsetlinMachine.tm"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_command_says_what_it_needs(run, monkeypatch, capsys, tmp_path):
    for arguments, code in (([], 2), (["--help"], 0), (["-h"], 0)):
        with pytest.raises(SystemExit) as stopped:
            run(*arguments)
        assert stopped.value.code == code
        output = capsys.readouterr()
        assert "Usage: python -m graphtm.compat SCRIPT" in (output.err if code else output.out)
    for script, message in (
        (tmp_path / "missing.py", f"there is no {tmp_path / 'missing.py'}"),
        (tmp_path, f"{tmp_path} is a folder"),
        ("--epochs", "there is no --epochs"),
    ):
        with pytest.raises(SystemExit) as stopped:
            run(script)
        assert stopped.value.code == 2
        assert capsys.readouterr().err == f"Error: The script must be a file; {message}.\n"


def test_errors_are_printed_from_the_line_of_the_script_on(run, tmp_path, capsys):
    script = tmp_path / "wrong.py"
    script.write_text(
        "from GraphTsetlinMachine.graphs import Graphs\n"
        "graphs = Graphs(1, symbols=['A'])\n"
        "graphs.set_number_of_graph_nodes(0, 1)\n"
        "graphs.prepare_node_configuration()\n"
        "graphs.add_graph_node(0, 'n', 0)\n"
        "graphs.add_graph_node_property(0, 'm', 'A')\n"
    )
    with pytest.raises(GraphTMError) as stopped:
        run(script)
    sys.excepthook(stopped.type, stopped.value, stopped.value.__traceback__)
    output = capsys.readouterr().err.splitlines()
    assert output[:2] == ["Traceback (most recent call last):", f'  File "{script}", line 6, in <module>']
    assert output[-1] == "graphtm.errors.GraphError: Graph 0 has no node 'm'; its nodes: 'n'."
    assert "KeyError" not in "\n".join(output)


def test_a_script_that_is_no_python(run, tmp_path, capsys):
    script = tmp_path / "open.py"
    script.write_text("print('begun'\n")
    with pytest.raises(SyntaxError) as stopped:
        run(script)
    sys.excepthook(stopped.type, stopped.value, stopped.value.__traceback__)
    assert capsys.readouterr().err.startswith(f'  File "{script}", line 1\n')


def test_files_that_a_script_misses_are_its_own_error(run, tmp_path):
    script = tmp_path / "reading.py"
    script.write_text(f"open({str(tmp_path / 'data.csv')!r})\n")
    with pytest.raises(FileNotFoundError, match=r"data\.csv"):
        run(script)
    script.write_text("raise FileNotFoundError('no data')\n")
    with pytest.raises(FileNotFoundError, match="no data"):
        run(script)


def test_other_processes_find_the_old_names(monkeypatch):
    monkeypatch.syspath_prepend(running._NAMES)
    package = importlib.import_module("GraphTsetlinMachine.tm")
    assert package is importlib.import_module("graphtm.compat.GraphTsetlinMachine.tm")
    assert sys.modules["GraphTsetlinMachine"].__name__ == "graphtm.compat.GraphTsetlinMachine"


def other_package(folder):
    """Write another package with the old name, as the earlier implementation is one."""
    package = folder / "GraphTsetlinMachine"
    package.mkdir(parents=True)
    for name in ("__init__", "graphs", "tm"):
        (package / f"{name}.py").write_text("raise ImportError('another package')\n")
    return folder


def test_other_processes_look_for_the_old_names_here_first(run, tmp_path, monkeypatch):
    script = other_package(tmp_path) / "looking.py"
    script.write_text(
        "from importlib.machinery import PathFinder\nprint(PathFinder.find_spec('GraphTsetlinMachine').origin)\n"
    )
    monkeypatch.syspath_prepend(other_package(tmp_path / "installed"))
    assert Path(run(script).strip()).parent == Path(running._NAMES)


@pytest.mark.slow
def test_a_script_starts_processes(tmp_path):
    script = other_package(tmp_path) / "parallel.py"
    script.write_text(
        "import multiprocessing, sys\n"
        "from GraphTsetlinMachine.graphs import Graphs\n"
        "def size(n):\n"
        "    return len(Graphs(n)), Graphs.__module__\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map_async(size, [3, 4]).get(60))\n"
    )
    command = [sys.executable, "-m", "graphtm.compat", str(script)]
    environment = os.environ | {"PYTHONPATH": str(other_package(tmp_path / "installed"))}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.stdout == "[(3, 'graphtm.compat.graphs'), (4, 'graphtm.compat.graphs')]\n", done.stderr


def test_the_earlier_implementation_is_not_replaced_once_imported(monkeypatch):
    monkeypatch.setitem(sys.modules, "GraphTsetlinMachine.tm", re)
    with pytest.raises(GraphTMError, match=r"install must be called before GraphTsetlinMachine\.tm is imported"):
        install()
    assert "GraphTsetlinMachine.graphs" not in sys.modules
