"""What is wrong is said in one line, with exit code 2; interruptions and closed pipes are no errors."""

import gzip
import json
import os
import struct
import subprocess
import sys

import pytest
from commands import FAST, chain, refuse, run, succeed, words

from graphtm.cli import model_commands
from graphtm.cli.output import in_options

COMMAND = [sys.executable, "-m", "graphtm"]


@pytest.fixture
def fit(tmp_path):
    """Return what a fit of a file with this content refuses."""

    def refused(content, *options, name="words.jsonl"):
        path = tmp_path / name
        path.write_text(content)
        return refuse("fit", path, "-o", tmp_path / "m.gtm", *FAST, *options).replace(str(path), name)

    return refused


def lines_of(n=20):
    return [chain(word, label) for word, label in zip(*words(n), strict=True)]


# Files


def test_missing_files(tmp_path, model, data):
    nodes = data / "csv" / "nodes.csv"
    assert refuse("fit", "none.jsonl", "-o", tmp_path / "m.gtm") == "There is no file or folder none.jsonl."
    assert refuse("predict", "none.gtm", "x.jsonl") == "There is no model file none.gtm."
    assert refuse("predict", model, "none.jsonl") == "There is no file or folder none.jsonl."
    assert refuse("data", nodes, "--edges", "none.csv") == "There is no file none.csv."
    assert refuse("data", data / "words.jsonl", "--labels", "none.csv") == "There is no file none.csv."
    assert refuse("predict", data, "x.jsonl") == f"{data} is a folder; a model file (.gtm) is needed."


def test_wrong_json_on_line_17(fit):
    lines = lines_of()
    lines[16] = lines[16][:-1]
    message = fit("\n".join(lines))
    assert message == (
        f"Line 17 of words.jsonl: It is not valid JSON: Expecting ',' delimiter at column {len(lines[16]) + 2}."
    )
    lines[16] = '{"nodes": 3}'
    assert fit("\n".join(lines)) == "Line 17 of words.jsonl: 'nodes' must be a list of objects; got 3."
    message = fit('{"text": "a", "label": 1}\n{"text": \n', "--as", "text")
    assert message.startswith("Line 2 of words.jsonl: It is not valid JSON: ")
    assert fit("[1]\n", "--as", "text") == "Line 1 of words.jsonl: A line must be a JSON object; got '[1]'."


def test_empty_files(fit, tmp_path):
    assert fit("") == "words.jsonl is empty: it has no graphs."
    assert fit("", "--as", "text") == "words.jsonl has no column 'text'; its columns are ."
    (tmp_path / "y.csv").write_text("")
    for name, options in (("nodes.csv", []), ("nodes.csv", ["--task", "bandit", "--labels", "log.csv"])):
        assert fit("\n", *options, name=name) == "nodes.csv is empty; its first line must name the columns."
    assert fit("graph,node\n", name="nodes.csv") == "nodes.csv is empty: it has no graphs."
    message = fit(chain("AB"), "--labels", tmp_path / "y.csv")
    assert message == f"{tmp_path / 'y.csv'} is empty; it must have one label on each line."
    assert fit("", "--as", "table", name="table.csv") == "table.csv is empty; its first line must name the columns."
    assert fit("", name="texts.txt") == "texts.txt is empty: it has no texts."


def test_a_label_missing_on_one_line(fit, tmp_path):
    lines = lines_of()
    lines[16] = chain("ABC")
    message = fit("\n".join(lines))
    assert message == (
        "Either all graphs or none must have a label; line 1 of words.jsonl has one, line 17 of words.jsonl has none."
    )
    rows = ["size,level", *(f"{n},{'low' if n < 30 else ''}" for n in range(40))]
    message = fit("\n".join(rows), "--as", "table", "--label", "level", name="table.csv")
    assert message == "Line 32 of table.csv has no label in column 'level'."
    labels = tmp_path / "y.csv"
    labels.write_text("yes\nno\n\nyes\n")
    message = fit("\n".join(map(chain, words(4)[0])), "--labels", labels)
    assert message == f"Line 3 of {labels} has no label."
    labels.write_text("answer\nyes\nno\nyes\nno\n")
    message = fit("\n".join(map(chain, words(4)[0])), "--labels", labels)
    assert message == (
        f"There must be one label for each graph: {labels} has 5 for 4. If its first line names the column, pass "
        "--label NAME."
    )


def test_no_labels_at_all(fit, data, tmp_path):
    message = fit("\n".join(map(chain, words(4)[0])))
    assert message == 'words.jsonl has no labels: add "label" to each line, or pass --labels FILE.'
    message = fit("size,level\n1,2\n", "--as", "table", name="table.csv")
    assert message == "table.csv has no labels: pass --label COLUMN, or pass --labels FILE."
    message = fit("size,level\n1,2\n", "--as", "table", "--label", "levle", name="table.csv")
    assert message == "table.csv has no column 'levle'; its columns are size, level."
    nodes = data / "csv" / "nodes.csv"
    assert refuse("fit", nodes, "-o", tmp_path / "m.gtm") == (
        f"{nodes} has no labels: pass --graphs FILE with the columns graph and label, or --label COLUMN, or pass "
        "--labels FILE."
    )


def test_labels_that_are_no_classes(fit):
    message = fit("\n".join(chain("AB", "yes") for _ in range(4)))
    assert message == "There must be at least two classes; all 4 graphs of words.jsonl have the label 'yes'."
    decimals = "\n".join(chain("AB", number + 0.25) for number in range(4))
    assert fit(decimals, "--task", "classification") == (
        "Labels such as 0.25 are numbers, not classes: pass --task regression, or divide them into classes first."
    )


def test_formats(tmp_path, data, model):
    (tmp_path / "x.xlsx").write_text("")
    message = refuse("data", tmp_path / "x.xlsx")
    assert message.startswith(f"{tmp_path / 'x.xlsx'} is of an unknown format. Supported: .jsonl, .gtmg, ")
    assert "It is a model; data are needed here." in refuse("data", model)
    message = refuse("data", data / "table.csv")
    assert message.endswith(
        "has no column 'graph', so its rows are no nodes of graphs. For rows of a table, pass --as table; for texts, "
        "--as text; for one row per node, --edges FILE and --column graph=NAME."
    )
    message = refuse("data", data / "words.jsonl", "--edges", "x.csv")
    assert message == (
        "Invalid value for --edges: It has no effect for JSON lines (--as graphs). See 'graphtm data --help'."
    )
    message = refuse("data", data / "texts.txt", "--as", "table")
    assert message.endswith(
        "With --as table, the data must be CSV or JSON lines; " + str(data / "texts.txt") + " is not."
    )
    (tmp_path / "x.jsonl.gz").write_bytes(gzip.compress(b"{}")[:-4])
    assert f"{tmp_path / 'x.jsonl.gz'} is damaged after line" in refuse("data", tmp_path / "x.jsonl.gz")
    (tmp_path / "x.csv").write_text("a;b\n1;2\n")
    message = refuse("data", tmp_path / "x.csv", "--as", "table")
    assert message.endswith("its first line is 'a;b'. Pass --separator ';'.")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3\n")
    message = refuse("data", tmp_path / "x.csv", "--as", "table")
    assert message == f"Line 3 of {tmp_path / 'x.csv'} must have 2 cells, as the first line; it has 1."


def test_columns_with_other_names(data, tmp_path):
    """Each problem is a line; columns without a use are no problem where one is missing, since they may be it."""
    nodes, edges = ((data / "csv" / f"{name}.csv").read_text() for name in ("nodes", "edges"))
    (tmp_path / "nodes.csv").write_text(nodes)
    (tmp_path / "edges.csv").write_text(edges.replace("destination", "dst"))
    (tmp_path / "graphs.csv").write_text("graph,the answer\nw0,1\n")
    result = run("data", tmp_path)
    assert result.exit_code == 2
    renamed, destination = "If it has another name, pass", "--column destination=NAME"
    assert result.stderr.splitlines() == [
        "Error: There are 2 problems with the columns:",
        f"- The edges have no column 'destination' (columns: graph, source, dst, kind). {renamed} {destination}.",
        f"- The graphs have no column 'label' (columns: graph, 'the answer'). {renamed} --label NAME.",
    ]
    (tmp_path / "graphs.csv").unlink()
    (tmp_path / "edges.csv").write_text(edges)
    (tmp_path / "nodes.csv").write_text(nodes.replace("graph", "word"))
    assert refuse("data", tmp_path, "--edge-type", "kind") == (
        "The nodes have no column 'graph' (columns: word, node, letter, weight). If it has another name, pass --column "
        "graph=NAME."
    )


def test_advice_names_options(data, tmp_path):
    folder = data / "csv"
    message = refuse("data", folder)
    assert message == "Column 'kind' of the edges is not used: pass --edge-type kind, or --ignore kind."
    assert in_options("pass ignore=['a b', 'c']. The 'n_clauses' parameter of X must") == (
        "pass --ignore 'a b' --ignore c. --clauses must"
    )
    assert in_options("pass bins=4") == "pass --bins 4"
    assert (
        in_options("pass source=NAME. Or pass type=NAME.") == "pass --column source=NAME. Or pass --column type=NAME."
    )
    assert in_options("as in bins={'charge': 4}.") == "as in --bins charge=4."
    assert in_options("Ignore it. Of a pipeline, pass the whole: bins=pipeline.") == "Ignore it."


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--as", "tabel"], "Invalid value for '--as': 'tabel' is not one of 'graphs', 'table', 'text'."),
        (
            ["--task", "clas"],
            "'clas' is not one of 'classification', 'multilabel', 'regression', 'autoencoding', 'bandit'.",
        ),
        (["--task", "regression"], "Labels of a regression must be finite numbers; that of graph 0 of "),
        (["--clauses", "many"], "Invalid value for '--clauses': "),
        (["--clauses", "0"], "--clauses must be "),
        (["--T", "x"], "Invalid value for --T: It must be a whole number, or auto; got 'x'."),
        (["--s", "0"], "--s must be "),
        (["--engine", "gpu"], "--engine must be a str among "),
        (["--validation", "1"], "Invalid value for --validation: It must be a fraction below 1; got 1."),
        (["--validation", "abc"], "Invalid value for --validation: It must be a number from 0 to 1; got 'abc'."),
        (["--validation", "-1"], "Invalid value for --validation: It must be a number from 0 to 1; got '-1'."),
        (["--folds", "50"], "There are too few graphs for 50 folds: each class needs as many."),
        (
            ["--column", "x"],
            "It must be WHAT=NAME, where WHAT is one of graph, node, source, destination, type; got",
        ),
        (["--separator", "ab"], "It must be one character, or tab; got 'ab'."),
        (["--label", "x"], "Invalid value for --label: It has no effect for JSON lines (--as graphs)."),
        (["--separator", ";"], "Invalid value for --separator: It has no effect for JSON lines (--as graphs)."),
        (["--checkpoint", "none/run.gtm"], "The folder of none/run.gtm does not exist; create it first."),
        (["--clausse", "3"], "No such option: --clausse"),
        (["--ignore", "colour"], "--ignore must list attributes of nodes or edges: "),
    ],
)
def test_unknown_values_of_options(fit, options, message):
    assert message in fit("\n".join(lines_of()), *options)


def test_bins(fit):
    options = ["--as", "table", "--label", "level", "--bins"]
    message = fit("size,level\n1,2\n2,3\n", *options, "x", name="t.csv")
    assert "It must be a number of bins of at least 2, or NAME=NUMBER for each column; got 'x'." in message
    message = fit("size,level\n1,2\n2,3\n", *options, "size=3", name="t.csv")
    assert "For a table, it must be one number for all columns." in message


def test_unknown_commands_and_missing_arguments():
    assert "No such command 'fitt'. Did you mean 'fit'" in refuse("fitt")
    assert "Missing argument 'DATA'" in refuse("fit", "-o", "m.gtm")
    assert "Missing option '--output' / '-o'" in refuse("fit", "x.jsonl")


# Models


def test_a_model_of_a_newer_format(model, data, tmp_path):
    content = bytearray(model.read_bytes())
    content[8:12] = struct.pack("<I", 99)
    (tmp_path / "new.gtm").write_bytes(content)
    message = refuse("predict", tmp_path / "new.gtm", data / "words.jsonl")
    assert message.startswith(f"{tmp_path / 'new.gtm'} has format 99")
    assert "Update graphtm" in message


def test_files_that_are_no_models(model, data, tmp_path):
    message = refuse("rules", data / "words.jsonl")
    assert message.startswith(f"{data / 'words.jsonl'} is not a model file (.gtm)")
    (tmp_path / "cut.gtm").write_bytes(model.read_bytes()[:-100])
    assert refuse("rules", tmp_path / "cut.gtm").startswith(f"{tmp_path / 'cut.gtm'} is ")


def test_a_model_remembers_nothing_that_is_damaged(model, data, tmp_path):
    from graphtm.cli.reading import Reading
    from graphtm.model.file import read_parts, write_parts

    parts = read_parts(model)
    assert Reading.from_json(parts.header["reading"]).kind == "graphs"
    parts.header["reading"] = {"kind": 3, "ignore": "no list", "label": "label", "new": 1}
    write_parts(tmp_path / "m.gtm", parts)
    assert run("predict", tmp_path / "m.gtm", data / "words.jsonl").exit_code == 0


# Ends


def test_unexpected_errors_have_a_traceback_only_with_debug(monkeypatch, model):
    def fails(*_):
        raise KeyError("lost")

    monkeypatch.setattr(model_commands, "Screen", fails)
    result = run("rules", model)
    assert result.exit_code == 1
    assert result.stderr == "Error: KeyError: 'lost' (unexpected; --debug shows where)\n"
    for arguments in (["rules", model, "--debug"], ["--debug", "rules", model]):
        with pytest.raises(KeyError, match="lost"):
            raise run(*arguments).exception
    monkeypatch.undo()
    assert isinstance(run("rules", "none.gtm", "--debug").exception, FileNotFoundError)


def test_interruption(monkeypatch, model):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(model_commands, "Screen", interrupted)
    result = run("rules", model)
    assert (result.exit_code, result.output) == (130, "Interrupted.\n")


def test_no_command_prints_help():
    result = run()
    assert "Usage: " in result.output
    assert "predict" in result.output
    assert result.exit_code in (0, 2)


def test_warnings_are_one_line(data, tmp_path):
    options = ["--T", "100000", "--clauses", "6", "--epochs", "1"]
    result = run("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", *options)
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Warning: ")]
    assert line.startswith("Warning: T is far above what the clauses can reach")
    assert "UserWarning" not in result.stderr


# Processes of their own


@pytest.mark.slow
def test_a_pipe_closed_by_head(data, model, tmp_path):
    many = "\n".join((data / "unlabelled.jsonl").read_text().splitlines() * 50)
    (tmp_path / "many.jsonl").write_text(many)
    command = [*COMMAND, "predict", str(model), str(tmp_path / "many.jsonl"), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert json.loads(process.stdout.readline())["number"] == 0
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


SLOWER = [
    pytest.param("1", subprocess.STDOUT, marks=pytest.mark.slow),
    pytest.param("", subprocess.STDOUT, marks=pytest.mark.slow),
    pytest.param("1", subprocess.PIPE, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("unbuffered", "stderr"), [("", subprocess.PIPE), *SLOWER])
def test_a_closed_pipe_does_not_lose_the_model(data, tmp_path, unbuffered, stderr):
    path = tmp_path / "m.gtm"
    command = [*COMMAND, "fit", str(data / "words.jsonl"), "-o", str(path), "--folds", "3", *FAST]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment) as process:
        assert process.stdout.readline().startswith("60 graphs from ")
        assert process.poll() is None  # it says so before it has trained
        process.stdout.close()
        notes = "" if stderr == subprocess.STDOUT else process.stderr.read()
        assert "rror" not in notes
    assert process.returncode == 141
    assert run("predict", path, data / "words.jsonl").exit_code == 0


def test_a_disk_that_fills_up_while_saving(data, model, tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "m.gtm"
    path.write_bytes(model.read_bytes())

    def limit():
        import signal

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    command = [*COMMAND, "fit", str(data / "words.jsonl"), "-o", str(path), "--validation", "0", "--clauses", "40"]
    command += ["--epochs", "1", "--engine", "reference", "-q"]
    done = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"Error: The model cannot be saved to {path}: File too large. The old {path} is unchanged.\n"
    assert path.read_bytes() == model.read_bytes()
    assert list(tmp_path.iterdir()) == [path]


def test_help_imports_nothing_heavy():
    heavy = "numpy, scipy, sklearn, numba, pandas"
    script = f"import sys, graphtm.cli; print([name for name in {heavy.split(', ')} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_completion():
    environment = {**os.environ, "_GRAPHTM_COMPLETE": "complete_bash", "COMP_WORDS": "graphtm pre", "COMP_CWORD": "1"}
    script = "import sys; sys.argv = ['graphtm']; from graphtm.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    assert "predict" in done.stdout


def test_warnings_of_scikit_learn_are_hidden_and_rare_classes_are_named(tmp_path):
    lines = [chain("ABC", place % 25 if place < 50 else 25) for place in range(53)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    options = ["--folds", "3", "-o", tmp_path / "m.gtm", "--clauses", "4", "--epochs", "1"]
    found = succeed("fit", tmp_path / "many.jsonl", *options).stderr
    assert "regression problem" not in found
    assert "least populated" not in found
    note = "Note: 3 folds are more than the 2 graphs of class 0, so some folds have none of it."
    assert note in " ".join(found.split())


def test_labels_with_line_breaks_are_shown_in_one_line(tmp_path):
    path = tmp_path / "breaks.jsonl"
    path.write_text(
        "\n".join(chain(word, {"yes": "a\nb", "no": "c'd"}[label]) for word, label in zip(*words(30), strict=True))
    )
    text = succeed("fit", path, "-o", tmp_path / "m.gtm", *FAST).stdout
    assert r"'a\nb'" in text
    assert "\nb" not in text
    assert '"c\'d"' in text
    assert r"its label is " in succeed("explain", tmp_path / "m.gtm", path).stdout.splitlines()[0]
