"""``graphtm fit``, from each kind of data to a model."""

import json
import re
import zipfile

import networkx
import pytest
from commands import FAST, chain, refuse, run, succeed, words

import graphtm
from graphtm.cli import fit as fit_module
from graphtm.cli import model_files
from graphtm.cli import training as training_module
from graphtm.learning import Checkpoint


def test_fit_without_options_says_what_it_chose_and_how_good_it_is(data, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "words.jsonl").write_bytes((data / "words.jsonl").read_bytes())
    result = succeed("fit", "words.jsonl", "-o", "m.gtm")
    text = " ".join(result.stdout.split())
    assert "60 graphs from words.jsonl (JSON lines): 180 nodes, 3 symbols, 1 edge type" in text
    assert "Labels: yes" in text
    assert "Representation: whole graphs, 2 hops. Why: rules can combine what is anywhere in a graph" in text
    assert "--clauses 1000: The recommended number" in text
    assert "Training on 80 % of them, to measure the accuracy on the rest, then training on all 60 graphs." in text
    assert "Accuracy on 12 graphs held out: 100.0 %; always 'yes' would be" in text
    assert re.search(r"predicted\ntrue +no +yes\n", result.stdout)
    assert re.search(r"Clauses: 1,000, of which [\d,]+ vote on graphs of the training data", text)
    assert re.search(r"Time: [\d.]+ s, of which [\d.]+ s for the saved model", text)
    assert "The strongest 5 rules; votes for [no, yes]:" in text
    assert "trained on all 60 graphs" in text
    assert "Next: graphtm rules m.gtm graphtm explain m.gtm words.jsonl -i 0" in text
    assert max(map(len, result.stdout.splitlines())) <= 80
    assert graphtm.load(tmp_path / "m.gtm").score(*graphtm.read_jsonl(data / "words.jsonl")) == 1.0


def test_json_is_the_only_output(data, tmp_path):
    arguments = ["fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", "--json", "--seed", "3", *FAST]
    result = succeed(*arguments)
    found = json.loads(result.stdout)
    assert found["task"] == "classification"
    assert found["classes"] == ["no", "yes"]
    assert found["choice"]["encoders"] == ["Neighbourhoods", "WholeGraph"]
    assert found["choice"]["reasons"]["n_clauses"] == "Given by --clauses."
    assert found["validation"]["n"] == sum(map(sum, found["validation"]["confusion"])) == 12
    assert found["folds"] is None
    assert found["clauses"]["n"] == 6
    assert found["used"]["random_state"] == found["seed"] == 3
    assert len(found["rules"]) <= 5
    again = json.loads(succeed(*arguments).stdout)
    assert again["rules"] == found["rules"]  # the seed decides


def test_folds(data, tmp_path):
    result = succeed("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", "--folds", "3", *FAST)
    text = " ".join(result.stdout.split())
    assert re.search(r"Accuracy in 3 folds: [\d.]+ \+- [\d.]+ % \(mean and standard deviation\)", text)
    assert "Cross-validating on 3 folds, then training on all 60 graphs." in text
    assert "Fold 3 of 3 ..." in result.stderr
    result = succeed("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", "--folds", "3", "--json", *FAST)
    found = json.loads(result.stdout)["folds"]
    assert len(found["accuracies"]) == found["n"] == 3
    assert sum(map(sum, found["confusion"])) == 60


def test_quiet_prints_nothing(data, tmp_path):
    result = succeed("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", "--quiet", *FAST)
    assert result.output == ""


def test_no_validation(data, tmp_path):
    result = succeed("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", "--validation", "0", *FAST)
    assert "Accuracy: not measured, since nothing was held out" in result.stdout


def test_too_few_to_hold_out(tmp_path):
    (tmp_path / "two.jsonl").write_text(f"{chain('AB', 'yes')}\n{chain('BB', 'no')}\n")
    result = succeed("fit", tmp_path / "two.jsonl", "-o", tmp_path / "m.gtm", *FAST)
    note = "Note: there are too few graphs to hold some out, so the accuracy is not measured."
    assert note in " ".join(result.stderr.split())


def test_parameters_of_the_machine(data, tmp_path):
    machine = ["--depth", "3", "--clauses", "8", "--T", "50", "--s", "4.5", "--epochs", "2", "--max-misses", "0"]
    machine += ["--max-included-literals", "3"]
    others = ["--plain", "--engine", "reference", "--n-jobs", "1", "--validation", "0"]
    result = succeed("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", *machine, *others)
    assert "Representation: nodes, depth 3. Why: asked for by --plain." in " ".join(result.stdout.split())
    (clf,) = graphtm.load(tmp_path / "m.gtm")
    used = clf.params_
    assert [used[name] for name in ("depth", "n_clauses", "T", "s", "epochs", "max_misses")] == [3, 8, 50, 4.5, 2, 0]
    assert used["max_included_literals"] == 3
    assert clf.engine == "reference"


def test_rules_and_prune(data, tmp_path):
    options = ["--clauses", "20", "--epochs", "10", "--rules", "3", "--prune"]
    succeed("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", *options)
    assert graphtm.load(tmp_path / "m.gtm")[-1].state_.weights.any(axis=0).sum() <= 3


def test_no_rule_can_be_chosen(tmp_path):
    file, options = tmp_path / "same.jsonl", ["--clauses", "10", "--epochs", "2"]
    file.write_text("\n".join(chain("ABC", "yes" if number % 3 else "no") for number in range(60)))
    succeed("fit", file, "-o", tmp_path / "whole.gtm", *options)
    result = succeed("fit", file, "-o", tmp_path / "m.gtm", "--rules", "2000", *options)
    assert result.stderr == (
        "Warning: --rules 2000 has no effect, since no clause of the model tells samples apart: all clauses are "
        "kept. Train with more --epochs, with more --clauses, or without --rules.\n"
    )
    assert "Saved to" in result.stdout
    found, whole = (graphtm.load(tmp_path / name)[-1] for name in ("m.gtm", "whole.gtm"))
    assert found.state_.equals(whole.state_)


def test_depth_without_use_is_noted(data, tmp_path):
    result = run("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", "--depth", "2", *FAST)
    assert "--depth has no use here" in result.stderr
    assert "Add --plain" in " ".join(result.stderr.split())


def test_csv_with_bins_and_types(data, tmp_path):
    folder = data / "csv"
    files = [folder / "nodes.csv", "--edges", folder / "edges.csv", "--graphs", folder / "graphs.csv"]
    result = succeed("fit", *files, "--edge-type", "kind", "--bins", "2", "-o", tmp_path / "m.gtm", *FAST)
    assert "60 graphs from" in result.stdout
    note = "Limits of bins come from all graphs, those held out included."
    assert f"then training on all 60 graphs. {note}" in " ".join(result.stdout.split())
    assert note not in " ".join(succeed("fit", data / "words.jsonl", "-o", tmp_path / "n.gtm", *FAST).stdout.split())
    predicted = succeed("predict", tmp_path / "m.gtm", folder)  # the model remembers --edge-type
    assert predicted.stdout.splitlines()[0] == "number,graph,prediction"
    assert predicted.stdout.splitlines()[1].startswith("0,w0,")
    assert "Accuracy on 60 graphs: " in predicted.stderr
    new = tmp_path / "new"
    new.mkdir()
    (new / "nodes.csv").write_text("graph,node,letter,weight\nx,0,A,0.7\n")
    trained = "The model was trained with edges, but "
    advice = ": pass --edges FILE. For graphs without edges, a file with only the names of its columns is enough."
    for command in ("predict", "explain"):
        assert refuse(command, tmp_path / "m.gtm", new) == f"{trained}{new} has no edges.csv{advice}"
    message = refuse("predict", tmp_path / "m.gtm", new / "nodes.csv")
    assert message == f"{trained}there is no file of edges{advice}"
    (new / "edges.csv").write_text("graph,source,destination,kind\n")
    assert len(succeed("predict", tmp_path / "m.gtm", new).stdout.splitlines()) == 2


def test_csv_without_edges(data, tmp_path):
    new = tmp_path / "new"
    new.mkdir()
    for name in ("nodes.csv", "graphs.csv"):
        (new / name).write_bytes((data / "csv" / name).read_bytes())
    note = "Note: no edges.csv: graphs have no edges"
    assert note in " ".join(succeed("data", new).stdout.split())
    result = succeed("fit", new, "-o", tmp_path / "m.gtm", "--validation", "0", *FAST)
    assert note in " ".join(result.stdout.split())
    assert "Note: no --edges: graphs have no edges" in " ".join(succeed("data", new / "nodes.csv").stdout.split())
    assert "Accuracy on 60 graphs: " in succeed("predict", tmp_path / "m.gtm", new).stderr


def test_table(data, tmp_path):
    path = tmp_path / "m.gtm"
    table = [data / "table.csv", "--as", "table", "--label", "level"]
    result = succeed("fit", *table, "-o", path, "--bins", "4", "--clauses", "20", "--epochs", "20")
    assert "60 rows from" in result.stdout
    assert "--bins 4: Given by --bins." in result.stdout
    # Columns are found by name, and have the types of the training data.
    (tmp_path / "new.csv").write_text("kind,other,size\na,?,59\nNA,?,1\n")
    assert succeed("predict", path, tmp_path / "new.csv").stdout == "number,prediction\n0,high\n1,low\n"
    result = succeed("explain", path, tmp_path / "new.csv", "-i", "0")
    assert "Row: size 59, kind a" in result.stdout
    (tmp_path / "bad.csv").write_text("kind,size\na,1\nb,many\n")
    message = f"Line 3 of {tmp_path / 'bad.csv'}: Column 'size' must have numbers, as in the training data; got 'many'."
    assert refuse("predict", path, tmp_path / "bad.csv") == message


def test_texts(data, tmp_path):
    path = tmp_path / "m.gtm"
    succeed("fit", data / "texts.csv", "--as", "text", "-o", path, "--clauses", "20", "--epochs", "20")
    lines = '{"text": "a good play"}\n{"text": "a bad play"}\n'
    assert succeed("predict", path, "-", stdin=lines).stdout == "number,prediction\n0,+\n1,-\n"
    result = succeed("predict", path, data / "texts.txt", "--labels", data / "moods.csv")
    assert "Accuracy on 60 texts: 100.0 %" in result.stderr
    succeed("fit", data / "texts.txt", "--labels", data / "moods.csv", "-o", path, *FAST)


@pytest.fixture
def formats(data, tmp_path):
    """Return the arguments that read the words in every other format."""
    graphs, y = graphtm.read_jsonl(data / "words.jsonl")
    graphtm.write_jsonl(tmp_path / "words.jsonl.gz", graphs, y)
    graphs.save(tmp_path / "words.gtmg")
    (tmp_path / "graphml").mkdir()
    for number, label in enumerate(y.tolist()):
        graph = graphs.to_networkx(number)
        graph.graph["label"] = label
        for _, attributes in graph.nodes(data=True):
            attributes["properties"] = " ".join(attributes["properties"])
        networkx.write_graphml(graph, tmp_path / "graphml" / f"{number:02}.graphml")
    letters = [graph.properties(node)[0] for graph in graphs for node in graph.nodes]
    (tmp_path / "tu").mkdir()
    files = {
        "A": [f"{3 * graph + node}, {3 * graph + node + 1}" for graph in range(60) for node in (1, 2)],
        "graph_indicator": [graph + 1 for graph in range(60) for _ in range(3)],
        "graph_labels": [int(label == "yes") for label in y],
        "node_labels": ["ABC".index(letter) for letter in letters],
        "node_attributes": [place / 7 for place in range(180)],
    }
    with zipfile.ZipFile(tmp_path / "tu.zip", "w") as archive:
        for name, lines in files.items():
            text = "".join(f"{line}\n" for line in lines)
            (tmp_path / "tu" / f"WORDS_{name}.txt").write_text(text)
            archive.writestr(f"WORDS/WORDS_{name}.txt", text)
    names = ["words.jsonl.gz", "graphml", "tu", "tu.zip"]
    return {
        "words.gtmg": [tmp_path / "words.gtmg", "--labels", data / "labels.csv"],
        **{name: [tmp_path / name] for name in names},
    }


def test_every_format_of_graphs(formats, tmp_path):
    path = tmp_path / "m.gtm"
    for arguments in formats.values():
        succeed("fit", *arguments, "-o", path, "--validation", "0", "-q", *FAST)
        result = succeed("predict", path, *arguments)
        assert len(result.stdout.splitlines()) == 61
        assert "Accuracy on 60 graphs: " in result.stderr
        assert "Predicted " in succeed("explain", path, *arguments, "-i", "5").stdout


def test_labels_in_their_own_file(data, tmp_path):
    files = [data / "unlabelled.jsonl", "--labels", data / "labels.csv"]
    succeed("fit", *files, "-o", tmp_path / "m.gtm", *FAST)
    (tmp_path / "named.csv").write_text("id,answer\n" + "".join(f"{n},{n % 2}\n" for n in range(60)))
    files = [data / "unlabelled.jsonl", "--labels", tmp_path / "named.csv"]
    message = refuse("fit", *files, "-o", tmp_path / "m.gtm")
    assert (
        message == f"{tmp_path / 'named.csv'} has several columns, id, answer; say which has the labels: --label NAME."
    )
    succeed("fit", *files, "--label", "answer", "-o", tmp_path / "m.gtm", *FAST)
    assert graphtm.load(tmp_path / "m.gtm").classes_.tolist() == [0, 1]


def test_lists_of_names_are_several_labels(tmp_path):
    made, _ = words(40)
    sets = [[], *(sorted(set(word) & {"A", "B"}) for word in made[1:])]
    path, file = tmp_path / "m.gtm", tmp_path / "words.jsonl"
    file.write_text("\n".join(chain(word, label) for word, label in zip(made, sets, strict=True)))
    result = succeed("fit", file, "-o", path, *FAST)
    assert "several per graph" in " ".join(result.stdout.split())
    assert "with all labels right" in succeed("predict", path, file).stderr
    assert "Labels (2):" in succeed("data", file).stdout
    message = refuse("fit", file, "-o", path, "--task", "classification")
    assert message == f"{file} has several labels for each graph: pass --task multilabel."
    texts = [json.dumps({"text": word, "label": label}) for word, label in zip(made, sets, strict=True)]
    file.write_text("\n".join(texts))
    result = succeed("fit", file, "--as", "text", "-o", path, *FAST)
    assert "several per text" in " ".join(result.stdout.split())


@pytest.mark.parametrize("in_lists", [True, False])
def test_multilabel(tmp_path, in_lists):
    made, _ = words(40)
    sets = [sorted(set(word) & {"A", "B"}) for word in made]
    lines = [chain(word, label if in_lists else ";".join(label)) for word, label in zip(made, sets, strict=True)]
    (tmp_path / "words.jsonl").write_text("\n".join(lines))
    path = tmp_path / "m.gtm"
    options = ["--task", "multilabel", "--clauses", "20", "--epochs", "20"]
    result = succeed("fit", tmp_path / "words.jsonl", "-o", path, *options)
    assert "with all labels right; F1" in " ".join(result.stdout.split())
    predicted = succeed("predict", path, tmp_path / "words.jsonl", "--json")
    found = [set(json.loads(line)["prediction"]) for line in predicted.stdout.splitlines()]
    graphs, _ = graphtm.read_jsonl(_without_labels(tmp_path, made))
    assert found == graphtm.load(path).predict(graphs)
    right = sum(a == set(b) for a, b in zip(found, sets, strict=True)) / 40
    assert f"Accuracy on 40 graphs: {100 * right:.1f} %, with all labels right; F1 " in predicted.stderr
    assert "Predicted " in succeed("explain", path, tmp_path / "words.jsonl", "-i", "1").stdout


def _without_labels(folder, made):
    path = folder / "unlabelled.jsonl"
    path.write_text("\n".join(map(chain, made)))
    return path


def test_many_classes_are_listed_by_confusion(tmp_path):
    lines = [chain("ABC"[n % 3], f"class {n % 12}") for n in range(60)]
    (tmp_path / "many.jsonl").write_text("\n".join(lines))
    result = succeed("fit", tmp_path / "many.jsonl", "-o", tmp_path / "m.gtm", *FAST)
    assert "Most frequent confusions among 12 classes:" in result.stdout
    assert re.search(r"class \d+ predicted as class \d+: \d of \d", result.stdout)


def test_long_names_of_classes_are_numbered(tmp_path):
    lines = [chain("ABC"[n % 3], f"a class with a very long name, number {n % 3}") for n in range(60)]
    (tmp_path / "long.jsonl").write_text("\n".join(lines))
    result = succeed("fit", tmp_path / "long.jsonl", "-o", tmp_path / "m.gtm", *FAST)
    table = result.stdout[result.stdout.index("predicted") :].splitlines()
    assert table[1].split() == ["true", "(1)", "(2)", "(3)"]
    assert table[2].startswith("(1) a class with a very long name, number 0")
    assert max(map(len, table[:5])) <= 80


@pytest.mark.parametrize("part", ["run.gtm.held-out", "run.gtm"])
def test_a_checkpoint_continues_an_interrupted_fit(data, tmp_path, monkeypatch, part):
    whole, path, checkpoint = tmp_path / "whole.gtm", tmp_path / "m.gtm", tmp_path / "run.gtm"
    arguments = ["fit", data / "words.jsonl", "--clauses", "6", "--epochs", "6", "--json"]
    expected = json.loads(succeed(*arguments, "-o", whole).stdout)

    class Interrupted(Checkpoint):
        def on_epoch_end(self, training):
            super().on_epoch_end(training)
            if self.path.name == part and training.epoch == 2:
                raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training_module, "Checkpoint", Interrupted)
        result = run(*arguments, "-o", path, "--checkpoint", checkpoint)
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-2:] == [
        "Run the same command with --resume to continue from the checkpoint.",
        "Interrupted.",
    ]
    assert not path.exists()
    assert (tmp_path / part).exists()
    assert checkpoint.exists() == (part == "run.gtm")
    message = refuse(*arguments, "-o", path, "--checkpoint", checkpoint)
    assert f"{tmp_path / part} exists. " in message or f"{checkpoint} exists. " in message
    assert "Pass --resume to continue from it, or delete it to start again." in message

    begun = {}

    class Watched(Checkpoint):
        def on_epoch_end(self, training):
            super().on_epoch_end(training)
            begun.setdefault(self.path.name, training.epoch)

    with monkeypatch.context() as patch:
        patch.setattr(training_module, "Checkpoint", Watched)
        result = succeed(*arguments, "-o", path, "--checkpoint", checkpoint, "--resume")
    assert begun[part] == 3  # the first two epochs are not repeated
    found = json.loads(result.stdout)
    for scores in (found["validation"], expected["validation"]):
        del scores["seconds"]
    assert found["validation"] == expected["validation"]
    assert_same_models(path, whole, data)
    # Nothing is left over, so that the same command can be repeated.
    assert sorted(file.name for file in tmp_path.iterdir()) == ["m.gtm", "whole.gtm"]
    succeed(*arguments, "-o", path, "--checkpoint", checkpoint)
    assert_same_models(path, whole, data)


def assert_same_models(one, other, data):
    """Compare all automata, all weights, and votes."""
    graphs, _ = graphtm.read_jsonl(data / "words.jsonl")
    found, expected = graphtm.load(one), graphtm.load(other)
    assert found[-1].state_.equals(expected[-1].state_)
    assert (found.decision_function(graphs) == expected.decision_function(graphs)).all()
    assert found.predict(graphs).tolist() == expected.predict(graphs).tolist()


@pytest.mark.parametrize("name", ["run.gtm", "run.gtm.held-out"])
def test_checkpoints_are_opened_before_training(data, model, tmp_path, monkeypatch, name):
    monkeypatch.setattr(fit_module, "load_data", lambda *_: pytest.fail("it has begun"))
    arguments = [
        "fit",
        data / "words.jsonl",
        "-o",
        tmp_path / "m.gtm",
        "--checkpoint",
        tmp_path / "run.gtm",
        "--resume",
    ]
    file = tmp_path / name
    graphtm.save(graphtm.load(model)[-1], tmp_path / "machine.gtm")
    contents = {
        b"text": f"{file} is not a model file (.gtm).",
        model.read_bytes(): f"{file} holds encoders, not only a model.",
        (tmp_path / "machine.gtm").read_bytes(): f"{file} is a saved model.",
    }
    for content, reason in contents.items():
        file.write_bytes(content)
        message = refuse(*arguments)
        assert message.startswith(
            f"Invalid value for --checkpoint: It must be a checkpoint of an earlier run. {reason} "
        )
        assert "Choose another name to start again." in message
        assert file.read_bytes() == content


def test_resume_needs_a_checkpoint(data, tmp_path):
    message = refuse("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm", "--resume")
    assert "It needs --checkpoint FILE, to say what to continue from." in message
    path = tmp_path / "m.gtm"
    message = refuse("fit", data / "words.jsonl", "-o", path, "--checkpoint", path)
    assert "It must be another file than the model." in message


def test_a_full_disk_leaves_the_old_model(data, model, tmp_path, monkeypatch):
    from graphtm.foundation import container

    path = tmp_path / "m.gtm"
    path.write_bytes(model.read_bytes())

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(container.os, "fsync", full)
    message = refuse("fit", data / "words.jsonl", "-o", path, "--validation", "0", *FAST)
    assert message == (f"The model cannot be saved to {path}: No space left on device. The old {path} is unchanged.")
    assert path.read_bytes() == model.read_bytes()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("-", "A model is a binary file; give it a name, such as model.gtm."),
        ("{folder}", "{folder} is a folder; add a file name."),
        ("{folder}/none/m.gtm", "The folder of {folder}/none/m.gtm does not exist; create it first."),
    ],
)
def test_the_target_is_checked_before_training(data, tmp_path, monkeypatch, output, message):
    monkeypatch.setattr(fit_module, "load_data", lambda *_: pytest.fail("it has begun"))
    found = refuse("fit", data / "words.jsonl", "-o", output.format(folder=tmp_path))
    assert found == f"Invalid value for -o: {message.format(folder=tmp_path)} See 'graphtm fit --help'."


def test_a_folder_that_is_not_writable(data, tmp_path, monkeypatch):
    def refused(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(model_files.tempfile, "TemporaryFile", refused)
    message = refuse("fit", data / "words.jsonl", "-o", tmp_path / "m.gtm")
    assert f"Files cannot be written to {tmp_path}: Permission denied." in message
