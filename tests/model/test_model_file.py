"""Model files: complete, and refused when damaged; a killed save leaves the old file whole."""

import json
import os
import pickle
import random
import signal
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from types import SimpleNamespace

import numpy as np
import pytest

import graphtm as gtm
from graphtm.datasets import sequences
from graphtm.model.file import MAGIC, MODEL_VERSION, VERSION


@pytest.fixture(scope="module")
def fitted():
    graphs, y = sequences(100, random_state=1)
    return gtm.GraphTMClassifier(n_clauses=5, T=8, s=3.0, epochs=2, random_state=5).fit(graphs, y)


@pytest.fixture
def saved(fitted, tmp_path):
    path = tmp_path / "model.gtm"
    fitted.save(path)
    return path


def test_a_model_predicts_in_a_fresh_process(fitted, saved):
    graphs, _ = sequences(50, random_state=9)
    graphs.save(saved.with_suffix(".gtmg"))
    script = (
        "import graphtm, sys; clf = graphtm.load(sys.argv[1]); graphs = graphtm.load_graphs(sys.argv[2]); "
        "print(clf.class_sums(graphs).tolist())"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, saved, saved.with_suffix(".gtmg")], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == fitted.class_sums(graphs).tolist()


def test_everything_comes_back(fitted, saved):
    again = gtm.load(saved)
    assert again.state_.equals(fitted.state_)
    assert again.get_params() == fitted.get_params()
    assert again.history_ == fitted.history_
    assert again.model_.vocabulary == fitted.model_.vocabulary
    assert again.model_.symbol_code == fitted.model_.symbol_code
    assert again.model_.params.message_code == fitted.model_.params.message_code
    assert again.model_.epoch == fitted.model_.epoch == 2
    assert again.seed_ == fitted.seed_
    assert str(again.rules()) == str(fitted.rules())


def test_equal_models_equal_bytes(fitted, saved, tmp_path):
    gtm.load(saved).save(tmp_path / "again.gtm")
    assert (tmp_path / "again.gtm").read_bytes() == saved.read_bytes()


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_every_flipped_bit_is_noticed(saved, step):
    whole = saved.read_bytes()
    for place in range(0, len(whole), step):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << place % 8
        saved.write_bytes(damaged)
        with pytest.raises(gtm.ModelFormatError):
            gtm.load(saved)


def test_every_truncation_is_noticed(saved):
    whole = saved.read_bytes()
    for length in range(0, len(whole), 7):
        saved.write_bytes(whole[:length])
        with pytest.raises(gtm.ModelFormatError, match=r"truncated|is not a"):
            gtm.load(saved)


def test_versions(saved):
    content = bytearray(saved.read_bytes())
    newer = f"has format {VERSION + 1}; this version reads formats 1 to {VERSION}. Update graphtm to read it"
    other = "format 3 does not match its content"
    for version, message in ((VERSION + 1, newer), (0, "has format 0; .* No release wrote this format"), (3, other)):
        content[8:12] = struct.pack("<I", version)
        saved.write_bytes(content)
        with pytest.raises(gtm.ModelFormatError, match=message):
            gtm.load(saved)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a file was executed",))


@pytest.mark.parametrize("kind", ["pickle", "npz", "zip bomb", "text", "empty", "graph file"])
def test_foreign_files(tmp_path, kind):
    path = tmp_path / "model.gtm"
    if kind == "npz":
        with path.open("wb") as file:
            np.savez(file, state=np.array([Bomb()], dtype=object))
    elif kind == "zip bomb":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("weights.npy", bytes(50_000_000))
    elif kind == "graph file":
        gtm.GraphBatch.from_arrays([1]).save(path)
    else:
        path.write_bytes({"pickle": pickle.dumps(Bomb()), "text": b"hello", "empty": b""}[kind])
    with pytest.raises(gtm.ModelFormatError, match="is not a model file"):
        gtm.load(path)


def rewritten(path, change):
    """Write the file again, with right checksums, after a change of its header or arrays."""
    content = path.read_bytes()
    length = struct.unpack("<Q", content[16:24])[0]
    header = json.loads(content[24 : 24 + length])
    start = -(-(24 + length) // 64) * 64
    data = content[start:]
    arrays = {
        entry["name"]: (entry, data[entry["offset"] : entry["offset"] + entry["stored"]]) for entry in header["arrays"]
    }
    change(header, arrays)
    offset, pieces, header["arrays"] = 0, b"", []
    for entry, stored in arrays.values():
        pieces += bytes(-len(pieces) % 64)
        offset = len(pieces)
        header["arrays"].append({**entry, "offset": offset, "stored": len(stored), "crc32": zlib.crc32(stored)})
        pieces += stored
    header["data_bytes"] = len(pieces)
    text = json.dumps(header).encode()
    body = MAGIC + struct.pack("<IIQ", MODEL_VERSION, zlib.crc32(text), len(text)) + text
    path.write_bytes(body + bytes(-len(body) % 64) + pieces)


def put(name, content, **entry):
    def change(header, arrays):
        arrays[name] = ({**arrays[name][0], **entry}, zlib.compress(content))

    return change


def machine(**values):
    return lambda header, arrays: header["machine"].update(values)


def top(**values):
    return lambda header, arrays: header.update(values)


def nested(depth):
    label = 1
    for _ in range(depth):
        label = [label]
    return label


CRAFTED = {
    "inflates beyond its size": (put("weights", bytes(100_000_000)), "does not decompress to 40 bytes"),
    "inflates to less": (put("weights", b"1234"), "does not decompress to 40 bytes"),
    "not deflated": (lambda h, a: a.update(weights=(a["weights"][0], b"garbage")), "does not decompress"),
    "huge": (put("weights", b"", shape=[2**20, 2**20]), "arrays must be"),
    "absurd": (put("weights", b"", shape=[2**40, 2**40]), "outside the file"),
    "many dimensions": (put("weights", bytes(40), shape=[1] * 68 + [2, 5]), "70 dimensions"),
    "endless dimension": (put("weights", b"", shape=[0, 2**70]), "outside the file"),
    "fractions": (put("weights", bytes(40), shape=[2.0, 5.0]), "outside the file"),
    "other shape": (put("weights", bytes(40), shape=[5, 2]), "arrays must be"),
    "other dtype": (put("weights", bytes(80), dtype="<i8"), "arrays must be"),
    "junk": (lambda h, a: a.update(junk=({**a["weights"][0], "name": "junk"}, a["weights"][1])), "arrays must be"),
    "consistent but huge": (
        lambda h, a: [
            h["machine"].update(n_clauses=2**30),
            *(
                a[k][0].update(shape=[2**30, *a[k][0]["shape"][1:]])
                for k in ("automata_0", "automata_1", "message_positions")
            ),
            a["weights"][0].update(shape=[2, 2**30]),
        ],
        "at most 8,589,934,592 are allowed",
    ),
    "missing array": (lambda h, a: a.pop("automata_1") and None, "automata_1"),
    "weight": (put("weights", struct.pack("<10i", *[-(2**31)] * 10)), "above -2"),
    "state bits": (machine(state_bits=2), "states must be below 4"),
    "clauses": (machine(n_clauses=6), "arrays must be"),
    "T": (machine(T=0), "'T' parameter"),
    "T as text": (machine(T="8"), "'T' parameter"),
    "node types": (machine(n_node_types=2), "node types"),
    "depth": (machine(depth=3), "arrays must be"),
    "endless depth": (machine(depth=2**40), "does not match the codes"),
    "shallow": (machine(depth=1), "does not match the codes"),
    "endless s": (machine(s=[10**400, 1]), "'s' parameter"),
    "endless s of the estimator": (lambda h, a: h["settings"].update(s=10**400), "'s' parameter"),
    "endless depth of the estimator": (lambda h, a: h["settings"].update(depth=2**31 - 1), "'depth' parameter"),
    "misses": (
        machine(max_misses=255),
        r"'max_misses' parameter of MachineParams must be an int in the range \[0, 254\]",
    ),
    "other misses": (machine(max_misses=3), "'max_misses' parameter of GraphTMClassifier must stay 3"),
    "boost": (machine(boost_true_positive="no"), "'boost_true_positive' parameter"),
    "contradiction": (lambda h, a: h["settings"].update(T=9), "'T' parameter of GraphTMClassifier must stay 8"),
    "epoch beyond": (top(epoch=2**70), "not an integer"),
    "history": (lambda h, a: h["extra"].update(history="abc"), "history"),
    "history of numbers": (lambda h, a: h["extra"].update(history=[3]), "history must be a list of records"),
    "history of objects": (lambda h, a: h["extra"].update(history=[{"a": {"b": 1}}]), "add to a record must be"),
    "permuted one_hot": (
        lambda h, a: a.update(
            symbol_positions=(a["symbol_positions"][0], zlib.compress(struct.pack("<5i", 1, 0, 2, 3, 4)))
        ),
        "one_hot",
    ),
    "more edge types": (lambda h, a: h["vocabulary"].update(edge_types=["right", "left", "up"]), "one_hot"),
    "symbols as text": (lambda h, a: h["vocabulary"].update(symbols="ABCDE"), "names of a vocabulary must be lists"),
    "label too large": (
        lambda h, a: h["extra"].update(classes={"dtype": "|i1", "labels": [1000, 2]}),
        "content is not a model",
    ),
    "label too long": (lambda h, a: h["extra"].update(classes={"dtype": "<U500000000", "labels": ["a", "b"]}), "dtype"),
    "label too deep": (
        lambda h, a: h["extra"].update(classes={"dtype": "object", "labels": [nested(900), 1]}),
        "content is not a model|header is not valid",
    ),
    "label twice": (lambda h, a: h["extra"].update(classes={"dtype": "<i8", "labels": [1, 1]}), "each given once"),
    "labels in rows": (lambda h, a: h["extra"].update(classes={"dtype": "<i8", "labels": [[0, 1]]}), "each given once"),
    "label not a number": (
        lambda h, a: h["extra"].update(classes={"dtype": "<f8", "labels": [float("nan"), 1.0]}),
        "NaN",
    ),
    "s": (machine(s=["x", 1]), "'s' parameter"),
    "seed": (machine(seed=-1), "'seed' parameter"),
    "step": (top(step=-1), "not an integer"),
    "epoch": (top(epoch="many"), "not an integer"),
    "position": (top(position=-1), "not an integer"),
    "a state that is not there": (top(states={"best": 3}), "best.automata_0"),
    "states as a list": (top(states=["best"]), "best.automata_0"),
    "temperature": (lambda h, a: h["extra"].update(temperature=0), "temperature cannot be 0"),
    "class weight": (lambda h, a: h["settings"].update(class_weight={"pairs": [[0, "x"]]}), "'class_weight' parameter"),
    "odd class weight": (lambda h, a: h["settings"].update(class_weight={"0": 1}), "content is not a model"),
    "unknown estimator": (top(kind="os.system"), "holds a 'os.system'; this version knows"),
    "unknown parameter": (lambda h, a: h["settings"].update(command="rm"), "command"),
    "wrong parameter": (lambda h, a: h["settings"].update(T=-1), "'T' parameter"),
    "no classes": (top(extra={}), "content is not a model"),
    "too few classes": (
        lambda h, a: h["extra"].update(classes={"dtype": "<i8", "labels": [1]}),
        "one class per output",
    ),
    "odd classes": (lambda h, a: h["extra"].update(classes={"dtype": "O", "labels": [1, 2]}), "labels of dtype"),
    "vocabulary": (lambda h, a: h["vocabulary"].update(symbols=["A"]), "arrays must be"),
    "code": (lambda h, a: h["codes"]["symbols"].update(scheme="secret"), "unknown code"),
    "code size": (lambda h, a: h["codes"]["symbols"].update(size=3), "arrays must be"),
    "settings": (top(settings=[]), "must be JSON objects"),
}


@pytest.mark.parametrize("case", CRAFTED)
def test_crafted_files_are_refused(saved, case):
    change, message = CRAFTED[case]
    rewritten(saved, change)
    with pytest.raises(gtm.ModelFormatError, match=message):
        gtm.load(saved)


def test_rewriting_without_a_change_is_accepted(fitted, saved):
    rewritten(saved, lambda header, arrays: None)
    assert gtm.load(saved).state_.equals(fitted.state_)


def test_more_memory_can_be_allowed(saved):
    with pytest.raises(gtm.ModelFormatError, match="at most 100 are allowed"):
        gtm.load(saved, most_bytes=100)


def test_a_model_belongs_to_no_engine(fitted, saved):
    """But only "auto" may take another one in silence."""
    rewritten(saved, lambda header, arrays: header["settings"].update(engine="cuda:9999"))
    with pytest.warns(gtm.EngineUnavailableWarning, match=r"saved with engine='cuda:9999', which cannot run here: .*"):
        again = gtm.load(saved)
    assert again.engine == "auto"
    assert again.state_.equals(fitted.state_)


CHANGES = [
    dict(T=20),
    dict(s=7.0),
    dict(n_clauses=9),
    dict(depth=3),
    dict(state_bits=5),
    dict(max_included_literals=4),
    dict(boost_true_positive=False),
    dict(symbol_encoding="random"),
    dict(hypervector_size=64),
    dict(message_size=64),
    dict(negative_sampling="class"),
    dict(epochs=-3),
    dict(class_weight="balance"),
    dict(random_state="seed"),
    dict(s=[1, 2, 3], depth=99),
]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_a_file_holds_the_parameters_of_the_fit(fitted, saved, change):
    """Those that were set since are not what the model was learned with, and may be none that a file can have."""
    whole = saved.read_bytes()
    changed = pickle.loads(pickle.dumps(fitted)).set_params(**change)
    changed.save(saved)
    assert saved.read_bytes() == whole
    assert gtm.load(saved).get_params() == fitted.get_params()
    assert changed.get_params() == {**fitted.get_params(), **change}


def test_what_a_fit_was_given_can_change_in_place(tmp_path):
    graphs, y = sequences(50, random_state=1)
    weights, s = {0: 2.0}, [3.0, 4.0]
    clf = gtm.GraphTMClassifier(n_clauses=5, T=8, s=s, epochs=1, class_weight=weights, random_state=5).fit(graphs, y)
    weights["no class"] = -1
    s.append(5.0)
    clf.save(tmp_path / "m.gtm")
    again = gtm.load(tmp_path / "m.gtm")
    assert (again.class_weight, again.s) == ({0: 2.0}, (3.0, 4.0))


def test_what_matters_to_prediction_is_saved_as_it_is(fitted, saved):
    now = dict(unknown="ignore", engine="reference", n_jobs=1, verbose=1)
    changed = pickle.loads(pickle.dumps(fitted)).set_params(**now)
    changed.save(saved)
    assert gtm.load(saved).get_params() == {**fitted.get_params(), **now}


@pytest.mark.parametrize(
    "change", [dict(unknown="maybe"), dict(engine="gpu"), dict(n_jobs=0), dict(verbose=-1)], ids=str
)
def test_a_good_file_is_not_replaced_by_one_that_cannot_be_read(fitted, saved, change):
    whole = saved.read_bytes()
    with pytest.raises(ValueError, match=f"{next(iter(change))!r} parameter of GraphTMClassifier must be"):
        pickle.loads(pickle.dumps(fitted)).set_params(**change).save(saved)
    assert saved.read_bytes() == whole


@pytest.mark.parametrize("addition", [{1: 2}, {"own": {"a": 1}}, {"own": object()}], ids=["number", "dict", "object"])
def test_records_that_no_file_can_hold(fitted, saved, addition):
    whole = saved.read_bytes()
    changed = pickle.loads(pickle.dumps(fitted))
    changed.history_[0].update(addition)
    with pytest.raises(gtm.GraphTMError, match="that callbacks add to a record must"):
        changed.save(saved)
    assert saved.read_bytes() == whole


class Derived(gtm.GraphTMClassifier):
    pass


def test_what_could_not_be_loaded_is_not_saved(tmp_path):
    graphs, y = sequences(20, random_state=1)
    clf = Derived(n_clauses=4, T=8, epochs=1, random_state=0).fit(graphs, y)
    with pytest.raises(gtm.GraphTMError, match="Only estimators of graphtm can be saved; Derived is defined in"):
        clf.save(tmp_path / "m.gtm")
    with pytest.raises(gtm.GraphTMError, match="Only estimators of graphtm can be saved"):
        clf.fit(graphs, y, callbacks=[gtm.Checkpoint(tmp_path / "m.gtm")])
    assert list(tmp_path.iterdir()) == []
    assert pickle.loads(pickle.dumps(clf)).state_.equals(clf.state_)


def test_parameters_that_are_newer_than_a_file(saved, fitted, monkeypatch):
    """Their value in older files is declared with them; one that is unknown here is refused."""
    from graphtm.model import file

    declared = dict(file.parameters_of(gtm.model.MachineParams))
    state_bits = declared["state_bits"]
    newer = SimpleNamespace(metadata={**state_bits.metadata, "before": 8})
    monkeypatch.setattr(file, "parameters_of", lambda cls: {**declared, "state_bits": newer})
    rewritten(saved, lambda header, arrays: header["machine"].pop("state_bits"))
    assert gtm.load(saved).state_.equals(fitted.state_)
    rewritten(saved, lambda header, arrays: header["machine"].update(decay=5))
    with pytest.raises(gtm.ModelFormatError, match="unknown parameter 'decay'; a newer version of graphtm may have"):
        gtm.load(saved)


def test_links_and_permissions_stay(fitted, tmp_path):
    target, link = tmp_path / "target.gtm", tmp_path / "link.gtm"
    fitted.save(target)
    target.chmod(0o600)
    link.symlink_to(target)
    fitted.save(link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o600
    assert gtm.load(target).state_.equals(fitted.state_)


def test_labels_that_a_file_cannot_hold_are_refused_at_save(tmp_path):
    graphs, y = sequences(20, random_state=1)
    labels = np.array([frozenset(), frozenset("a")], dtype=object)[y]
    clf = gtm.GraphTMClassifier(n_clauses=2, epochs=1, random_state=0)
    clf.partial_fit(graphs, labels, classes=np.array([frozenset(), frozenset("a")], dtype=object))
    with pytest.raises(
        gtm.GraphTMError, match=r"Labels must be str, int, float, bool, None or tuples .*; got frozenset"
    ):
        clf.save(tmp_path / "m.gtm")
    assert list(tmp_path.iterdir()) == []


SAVER = """
import sys
from graphtm.model import read_model, write_model
saved = read_model(sys.argv[1])
print("ready", flush=True)
while True:
    write_model(saved.model, sys.argv[2], saved.kind, saved.settings, saved.extra)
"""


def survived_kills(fitted, source, target, kills):
    """Kill, at random moments, a process that saves without pause; the file must be whole each time."""
    fitted.save(target)
    rng = random.Random(0)
    for number in range(kills):
        process = subprocess.Popen([sys.executable, "-c", SAVER, source, target], stdout=subprocess.PIPE)
        assert process.stdout.readline().strip() == b"ready"
        time.sleep(rng.uniform(0.0, 0.05))
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        assert gtm.load(target).state_.equals(fitted.state_), f"after kill {number}"
    return len(list(target.parent.glob(".target.gtm.*.tmp")))


def test_a_killed_save_leaves_the_old_file_whole(fitted, saved, tmp_path):
    assert survived_kills(fitted, saved, tmp_path / "target.gtm", 5) <= 5


@pytest.mark.slow
def test_a_hundred_killed_saves(fitted, saved, tmp_path):
    """Files left over show that some of the kills hit a save half-way."""
    assert survived_kills(fitted, saved, tmp_path / "target.gtm", 100) > 5
