"""The CUDA engine where there is no device, or one that fails: what is refused and how that is told."""

import sys
from types import SimpleNamespace

import pytest
from fake_cuda import CompileError, CudaError, FakeCuda, OutOfMemoryError, fail
from typer.testing import CliRunner

import graphtm as gtm
from graphtm.cli.app import app
from graphtm.engines import engine_statuses, make_engine
from graphtm.engines.cuda import device, kernels, launching
from graphtm.engines.cuda.kernels import Constants
from graphtm.engines.cuda.launching import Launcher
from graphtm.errors import EngineFailedError, EngineUnavailableError, NotEnoughMemoryError


def test_a_device_is_described(monkeypatch):
    FakeCuda(monkeypatch, memory=2000, shared=1000, count=2)
    assert device.find_device(1) == device.Device(1, "Toy", 4, 1000, 2000)


@pytest.mark.parametrize(
    ("number", "changes", "message"),
    [
        (0, {"count": None}, "needs an NVIDIA device with its driver; CUDA reports: no driver"),
        (0, {"lost": True}, "needs an NVIDIA device with its driver; CUDA reports: GPU is lost"),
        (2, {"count": 2}, "CUDA device number 2 does not exist; found 2 CUDA devices, numbered from 0"),
        (0, {"major": 7, "minor": 5}, r"compute capability 8\.0 or later; device 0, Toy, has 7\.5"),
        (0, {"hip": True}, "needs CuPy for CUDA; the installed CuPy is for ROCm"),
        (0, {"compiles": False}, r"device 0, Toy, cannot be used: no libnvrtc.*pip install 'graphtm\[cuda\]'"),
        (0, {"cooperativeLaunch": 0}, "with cooperative launch, which device 0, Toy, does not support"),
    ],
)
def test_devices_that_cannot_be_used(monkeypatch, number, changes, message):
    FakeCuda(monkeypatch, **changes)
    with pytest.raises(EngineUnavailableError, match=message):
        device.find_device(number)


def test_without_cupy_everything_else_works(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(EngineUnavailableError, match=r"needs CuPy.*pip install 'graphtm\[cuda\]'"):
        make_engine("cuda")
    assert make_engine("auto").name == "cpu"
    assert [status.available for status in engine_statuses()] == [False, True, True]
    shown = CliRunner().invoke(app, ["engines"])
    assert "needs CuPy" in " ".join(shown.output.split())
    assert "graphtm[cuda]" in shown.output, "brackets are no markup"


def test_a_named_device_must_be_there(monkeypatch):
    FakeCuda(monkeypatch)
    with pytest.raises(EngineUnavailableError, match="CUDA device number 3"):
        make_engine("cuda:3")


def test_a_model_of_a_device_is_used_without_one(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]])
    model = gtm.GraphTMClassifier(n_clauses=4, T=5, depth=1, epochs=2, random_state=0, engine="cpu").fit(graphs, [0, 1])
    for engine in ("cuda", "cuda:1"):
        model.set_params(engine=engine).save(tmp_path / "m.gtm")
        with pytest.warns(gtm.EngineUnavailableWarning, match=f"engine='{engine}', .*: The CUDA engine needs"):
            loaded = gtm.load(tmp_path / "m.gtm")
        assert loaded.engine == "auto"
        assert list(loaded.predict(graphs)) == list(model.set_params(engine="cpu").predict(graphs))


@pytest.mark.parametrize("engine", ["cuda", "cuda:1"])
def test_estimators_take_a_device(monkeypatch, engine):
    monkeypatch.setitem(sys.modules, "cupy", None)
    graphs = gtm.GraphBatch.from_arrays([1, 1], [[1, 0], [0, 1]])
    with pytest.raises(EngineUnavailableError, match="needs CuPy"):
        gtm.GraphTMClassifier(n_clauses=4, depth=1, engine=engine).fit(graphs, [0, 1])
    with pytest.raises(ValueError, match=r"'engine' parameter of GraphTMClassifier.*'cuda:1'.*Got 'cuda:one'"):
        gtm.GraphTMClassifier(n_clauses=4, depth=1, engine="cuda:one").fit(graphs, [0, 1])


TOY = device.Device(0, "Toy", 4, 1000, 2000)


class Toy:
    """A device whose launches take 0.3 seconds each."""

    def __init__(self, monkeypatch, fails=False):
        self.compiled = []
        self.fails = fails
        monkeypatch.setattr(launching, "compiled", self.compile)
        monkeypatch.setattr(Launcher, "_timed", lambda *arguments: 0.3)
        monkeypatch.setattr(Launcher, "_spent", {})

    def compile(self, program, toy, constants):
        self.compiled.append((program, constants))
        if constants != "any" and self.fails:
            raise EngineFailedError("the disk is full")
        return SimpleNamespace(get_function=lambda name: name)


@pytest.mark.parametrize(("special", "first"), [(None, 3), (True, 1), (False, 9)])
def test_kernels_are_made_for_a_machine_once_that_pays(monkeypatch, special, first):
    toy = Toy(monkeypatch)
    for _ in range(4):
        Launcher(TOY, special).launch("alone", "predict", Constants("these", "any"), 1, 32, 0, ())
    made = [place for place, program in enumerate(toy.compiled, 1) if program == ("alone", "these")]
    assert made == list(range(first, 5)), "seconds count, whichever engine spent them"
    Launcher(TOY, special).launch("alone", "predict", Constants("others", "any"), 1, 32, 0, ())
    assert toy.compiled[-1] == ("alone", "others" if special else "any"), "seconds count for their numbers only"


def test_what_works_goes_on_where_faster_kernels_cannot_be_compiled(monkeypatch, caplog):
    toy = Toy(monkeypatch, fails=True)
    for _ in range(5):
        assert Launcher(TOY).launch("alone", "predict", Constants("these", "any"), 1, 32, 0, ()) == 0.3
    assert toy.compiled == [("alone", "any")] * 2 + [("alone", "these")] + [("alone", "any")] * 3
    assert "Faster kernels cannot be compiled; generic kernels are used instead. the disk is full" in caplog.text


@pytest.mark.parametrize("error", [PermissionError("no such luck"), CompileError("no such luck")])
def test_kernels_that_cannot_be_compiled_or_kept_are_told(monkeypatch, error):
    FakeCuda(monkeypatch)
    module = SimpleNamespace(compile=lambda: fail(error))
    monkeypatch.setattr(sys.modules["cupy"], "RawModule", lambda **options: module, raising=False)
    with pytest.raises(EngineFailedError, match=r"Toy, or cannot be cached on disk: no such luck. .*CUPY_CACHE_DIR"):
        kernels.compiled.__wrapped__("alone", TOY, "these constants")


@pytest.mark.parametrize("name", ["cuda:", "cuda:x", "cuda:-1", "cuda1", "CUDA"])
def test_names_that_are_no_device(name):
    with pytest.raises(ValueError, match=r"'engine' parameter must be a str among .*'cuda'"):
        make_engine(name)
    with pytest.raises(ValueError, match=r"must be 'cuda' or 'cuda:' with a device number"):
        device.device_number(name)


@pytest.mark.parametrize(
    ("error", "expected", "message"),
    [
        (OutOfMemoryError("4 bytes"), NotEnoughMemoryError, r"Graphs must fit .*Toy: .*4 bytes.*Take fewer"),
        (CompileError("syntax"), EngineFailedError, "cannot be compiled for CUDA device 0, Toy: syntax"),
        (CudaError("illegal address"), EngineFailedError, r"Toy, failed: illegal address.*engine='cpu'"),
    ],
)
def test_failures_of_a_device_are_told(monkeypatch, error, expected, message):
    FakeCuda(monkeypatch)
    toy = device.find_device()
    with pytest.raises(expected, match=message), device.on_device(toy, "Graphs", "Take fewer"):
        raise error
