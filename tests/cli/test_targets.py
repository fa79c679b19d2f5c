"""Where commands write: never over what they read, nor over pipes and devices."""

import os
import threading

import pytest
from commands import FAST, refuse, succeed

import graphtm


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def message(option, path, argument, command):
    return (
        f"Invalid value for {option}: It must be another file than those that are read, but {path} is {argument}; "
        f"choose another name. See 'graphtm {command} --help'."
    )


@pytest.fixture
def files(data, model, tmp_path):
    """Return a folder with a model, data and labels that must stay as they are."""
    (tmp_path / "m.gtm").write_bytes(model.read_bytes())
    for name in ("words.jsonl", "labels.csv", *(f"csv/{name}.csv" for name in ("nodes", "edges", "graphs"))):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes((data / name).read_bytes())
    (tmp_path / "link").symlink_to(tmp_path / "words.jsonl")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "argument"),
    [("m.gtm", "MODEL"), ("words.jsonl", "DATA"), ("link", "DATA"), ("labels.csv", "--labels")],
)
def test_predictions_do_not_replace_what_is_read(files, name, argument):
    before = content(files)
    arguments = [files / "m.gtm", files / "words.jsonl", "--labels", files / "labels.csv"]
    found = refuse("predict", *arguments, "-o", files / name)
    assert found == message("-o", files / name, argument, "predict")
    assert content(files) == before


def test_a_model_or_a_checkpoint_does_not_replace_what_is_read(files):
    before = content(files)
    arguments = ["fit", files / "words.jsonl", "--labels", files / "labels.csv"]
    for name, argument in (("words.jsonl", "DATA"), ("labels.csv", "--labels")):
        assert refuse(*arguments, "-o", files / name) == message("-o", files / name, argument, "fit")
        found = refuse(*arguments, "-o", files / "new.gtm", "--checkpoint", files / name)
        assert found == message("--checkpoint", files / name, argument, "fit")
    found = refuse(*arguments, "-o", files / "run.held-out", "--checkpoint", files / "run")
    assert "It must be another file than the model." in found
    assert content(files) == before


def test_files_of_a_folder_of_data_are_not_replaced(files):
    folder = files / "csv"
    before = content(folder)
    for name in before:
        assert refuse("fit", folder, "-o", folder / name) == message("-o", folder / name, "part of DATA", "fit")
    nodes, edges, graphs = (folder / f"{name}.csv" for name in ("nodes", "edges", "graphs"))
    for file, argument in ((edges, "--edges"), (graphs, "--graphs"), (nodes, "DATA")):
        found = refuse("fit", nodes, "--edges", edges, "--graphs", graphs, "-o", file)
        assert found == message("-o", file, argument, "fit")
    assert content(folder) == before
    # Other files in the folder can be replaced, again and again.
    for _ in range(2):
        options = ["--edge-type", "kind", "-o", folder / "m.gtm", "--validation", "0", "-q"]
        succeed("fit", folder, *options, *FAST)


@pytest.fixture
def pipe(tmp_path):
    """Return a pipe and what its reader has got."""
    path, got = tmp_path / "pipe", []
    if not hasattr(os, "mkfifo"):
        pytest.skip("there are no named pipes here")
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()), daemon=True)
    reader.start()

    def read():
        reader.join(20)
        return got[0]

    yield path, read
    if reader.is_alive():
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))


def test_predictions_go_into_a_pipe(data, model, pipe):
    path, read = pipe
    succeed("predict", model, data / "words.jsonl", "-o", path)
    assert read().decode() == succeed("predict", model, data / "words.jsonl").stdout
    assert path.is_fifo()
    assert list(path.parent.iterdir()) == [path]


def test_graphs_go_into_a_pipe(data, pipe):
    path, read = pipe
    graphs, y = graphtm.read_jsonl(data / "words.jsonl")
    graphtm.write_jsonl(path, graphs, y)
    assert len(read().splitlines()) == 60
    assert path.is_fifo()


def test_a_model_does_not_replace_a_pipe(data, model, pipe):
    path, _ = pipe
    found = refuse("fit", data / "words.jsonl", "-o", path)
    assert f"{path} is a pipe or a device, but a model must be a file; choose another name." in found
    with pytest.raises(FileExistsError, match="is a pipe or a device, not a file; choose another name"):
        graphtm.save(graphtm.load(model), path)
    assert path.is_fifo()
    assert list(path.parent.iterdir()) == [path]
