"""The package as a whole: its names, its start-up, its command, its wheel."""

import importlib
import re
import subprocess
import sys
import venv
import zipfile
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

import graphtm
from graphtm.cli import demo
from graphtm.cli.app import app
from graphtm.datasets import sequences

ROOT = Path(__file__).parent.parent
runner = CliRunner()


def test_public_names_exist():
    for name in graphtm.__all__:
        assert getattr(graphtm, name) is not None
        assert name in dir(graphtm)
    assert graphtm.codes.one_hot(1).size == 1
    with pytest.raises(AttributeError, match="module 'graphtm' has no attribute 'Grpah'"):
        graphtm.Grpah  # noqa: B018


def test_public_names_are_the_documented_ones():
    reference = (ROOT / "docs" / "reference.md").read_text()
    assert ".. automodule:: graphtm.errors" in reference
    assert ".. automodule:: graphtm.graphs.convert" in reference
    # The function explain is documented where it is; its short name is also that of a package.
    directive = r"^\.\. auto(?:class|function):: graphtm\.(?:pipelines\.)?(\w+)$"
    documented = set(re.findall(directive, reference, re.MULTILINE))
    documented |= {name for name in vars(graphtm.errors) if name.endswith(("Error", "Warning"))}
    documented |= set(graphtm.graphs.convert.__all__)
    assert documented == set(graphtm.__all__) - {"__version__"}


def test_every_name_in_the_documentation_exists():
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = re.compile(r"\b(?:gtm|graphtm)((?:\.[A-Za-z]\w*)+)")
    used = {(page.name, path) for page in pages for path in names.findall(page.read_text())}
    missing = []
    for page, path in sorted(used):
        thing = graphtm
        for name in path.split(".")[1:]:
            if isinstance(thing, ModuleType | type) and not hasattr(thing, name):
                with suppress(ImportError):
                    importlib.import_module(f"{thing.__name__}.{name}")
            if isinstance(thing, ModuleType | type) and not hasattr(thing, name):
                missing.append((page, path))
                break
            thing = getattr(thing, name, None)
    assert missing == []


def test_version_is_the_installed_one():
    assert graphtm.__version__ == version("graphtm")


def test_every_error_is_a_child_of_the_base():
    from graphtm import errors

    children = [thing for thing in vars(errors).values() if isinstance(thing, type) and issubclass(thing, Exception)]
    for child in children:
        assert issubclass(child, errors.GraphTMError | Warning)


def test_import_is_light():
    heavy = ["numpy", "scipy", "sklearn", "numba", "typer", "rich", "tqdm", "optuna"]
    script = f"import graphtm, sys; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_graphs_need_neither_sklearn_nor_numba():
    script = "import graphtm, sys; graphtm.Graph; print([n for n in ('sklearn', 'numba', 'typer') if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_demo(monkeypatch):
    monkeypatch.setattr(demo, "EPOCHS", 2)
    monkeypatch.setattr(demo, "TRAIN", 800)
    monkeypatch.setattr(demo, "TEST", 100)
    result = runner.invoke(app, ["demo", "--seed", "3"])
    assert result.exit_code == 0, result.output
    assert "Accuracy on 100 new words without noise: " in result.stdout
    assert "4 rules; votes for [0, 1]" in result.stdout
    assert "BAAAE: " in result.stdout


@pytest.mark.slow
def test_the_demo_is_reliable():
    """50 seeds, the best epoch by noisy training accuracy: none below 100 % on noise-free words."""
    results = {}
    for seed in range(50):
        best = demo.best_of(demo.learn_sequences(seed))
        results[seed] = best.classifier.score(*sequences(demo.TEST, random_state=seed + 1_000_003))
    assert {seed: accuracy for seed, accuracy in results.items() if accuracy < 1.0} == {}


def test_engines():
    result = runner.invoke(app, ["engines"])
    assert result.exit_code == 0
    assert "reference" in result.stdout


def test_unknown_demo():
    result = runner.invoke(app, ["demo", "sequnce"])
    assert result.exit_code == 2
    assert "There is no demo 'sequnce'" in result.output


def test_version_is_written_once():
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    file = re.search(r'\[tool\.hatch\.version\]\npath = "(.+)"', settings)[1]
    assert f'\n__version__ = "{graphtm.__version__}"\n' in (ROOT / file).read_text(encoding="utf-8")


def test_version_option():
    assert runner.invoke(app, ["--version"]).stdout.strip() == graphtm.__version__


def test_library_errors_become_one_line(monkeypatch):
    def fail(*_):
        raise graphtm.GraphError("what must hold; write [graph]\nor [/x]")

    monkeypatch.setitem(demo.DEMOS, "sequence", fail)
    result = runner.invoke(app, ["demo"])
    assert result.exit_code == 2
    assert result.stderr == "Error: what must hold; write [graph] or [/x]\n"


def test_bench_refuses_a_folder_that_is_not_there_before_it_begins(monkeypatch, tmp_path):
    from graphtm.cli import bench

    monkeypatch.setattr(bench, "bench_engine", lambda *args: pytest.fail("it has begun"))
    result = runner.invoke(app, ["bench", "--json", str(tmp_path / "none" / "bench.json")])
    assert result.exit_code == 2
    assert "does not exist. Create it first" in " ".join(result.output.replace("│", "").split())


@pytest.mark.slow
def test_the_wheel_runs_the_demo_in_an_empty_environment(tmp_path):
    subprocess.run([sys.executable, "-m", "build", "--outdir", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert len(list(tmp_path.glob("*.tar.gz"))) == 1
    kernels = {f.relative_to(ROOT / "src").as_posix() for f in ROOT.glob("src/graphtm/engines/cuda/source/*.cu*")}
    assert len(kernels) == 14
    assert kernels <= set(zipfile.ZipFile(wheel).namelist())
    environment = tmp_path / "env"
    venv.create(environment, with_pip=True)
    python = environment / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    done = subprocess.run(
        [environment / "bin" / "graphtm", "demo"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "Accuracy on 2,000 new words without noise: 100.00%" in done.stdout
    typed = "import graphtm, pathlib; print((pathlib.Path(graphtm.__file__).parent / 'py.typed').exists())"
    done = subprocess.run([python, "-c", typed], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "True"
