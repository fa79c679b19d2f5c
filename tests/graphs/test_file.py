"""Graph files: what is saved comes back; what is damaged is refused, and nothing in it is run."""

import json
import pickle
import struct
import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import batches

import graphtm as gtm
from graphtm.foundation import container
from graphtm.graphs.file import MAGIC, write_graphs


@given(batches(), st.booleans())
def test_a_batch_survives_a_file(tmp_path_factory, graphs_and_batch, mmap):
    graphs, batch = graphs_and_batch
    path = tmp_path_factory.mktemp("files") / "graphs.gtmg"
    batch.save(path)
    again = gtm.load_graphs(path, mmap=mmap)
    assert again == batch
    assert list(again) == graphs
    assert [repr(name) for name in again.vocabulary.symbols] == [repr(name) for name in batch.vocabulary.symbols]
    assert again[:0] == batch[:0]


@pytest.fixture
def saved(tmp_path):
    graph = gtm.Graph()
    graph.add_node("a", ["x", 1, True, None, ("t", 2)], "kind")
    graph.add_node("b", [], "other")
    graph.add_edge("a", "b", "to")
    graph.add_edge("b", "b", "self")
    graph.set_readout(["b"])
    path = tmp_path / "graphs.gtmg"
    gtm.GraphBatch.from_graphs([graph, graph]).save(path)
    return path


@pytest.fixture
def listed(tmp_path):
    path = tmp_path / "listed.gtmg"
    gtm.GraphBatch.from_arrays([2, 1], ([0, 0, 2], [5, 1000, 7]), edges=([0], [1])).save(path)
    return path


@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_every_flipped_bit_is_noticed(saved, listed, step):
    for path in (saved, listed):
        whole = path.read_bytes()
        for place in range(0, len(whole), step):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << place % 8
            path.write_bytes(damaged)
            with pytest.raises(gtm.GraphFormatError):
                gtm.load_graphs(path)


def test_every_truncation_is_noticed(saved):
    whole = saved.read_bytes()
    for length in range(len(whole)):
        saved.write_bytes(whole[:length])
        with pytest.raises(gtm.GraphFormatError, match=r"truncated|is not a"):
            gtm.load_graphs(saved, mmap=bool(length % 2))


def test_bytes_behind_the_end_are_noticed(saved):
    saved.write_bytes(saved.read_bytes() + b"\0")
    with pytest.raises(gtm.GraphFormatError, match="truncated or damaged: it must have"):
        gtm.load_graphs(saved)


@given(st.binary(max_size=300))
def test_noise_is_refused(tmp_path_factory, noise):
    path = tmp_path_factory.mktemp("noise") / "x.gtmg"
    for content in (noise, MAGIC + noise, MAGIC + struct.pack("<IIQ", 1, zlib.crc32(noise), len(noise)) + noise):
        path.write_bytes(content)
        with pytest.raises(gtm.GraphFormatError):
            gtm.load_graphs(path)


def test_other_versions_are_named(saved):
    content = bytearray(saved.read_bytes())
    for version, advice in ((2, "Update graphtm to read it"), (0, "No release wrote this format")):
        content[8:12] = struct.pack("<I", version)
        saved.write_bytes(content)
        with pytest.raises(gtm.GraphFormatError, match=f"has format {version}; this version reads format 1. {advice}"):
            gtm.load_graphs(saved)


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a file was executed",))


@pytest.mark.parametrize("kind", ["npz", "npy", "pickle", "text", "empty"])
def test_foreign_files_are_refused_and_not_run(tmp_path, kind):
    path = tmp_path / "foreign.gtmg"
    if kind == "npz":
        with path.open("wb") as file:
            np.savez(file, node_ptr=np.array([Bomb()], dtype=object))
    elif kind == "npy":
        with path.open("wb") as file:
            np.save(file, np.arange(3))
    else:
        path.write_bytes({"pickle": pickle.dumps(Bomb()), "text": b"hello", "empty": b""}[kind])
    with pytest.raises(gtm.GraphFormatError, match="is not a graph file"):
        gtm.load_graphs(path)


def test_a_missing_file_and_a_folder(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"^There is no file .*nothing.gtmg; a graph file \(.gtmg\) is needed.$"
    ):
        gtm.load_graphs(tmp_path / "nothing.gtmg")
    with pytest.raises(IsADirectoryError, match=rf"^{tmp_path} is a folder; a graph file \(.gtmg\) is needed.$"):
        gtm.load_graphs(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"^There is no file .*nothing.gtm; a model file \(.gtm\) is needed.$"):
        gtm.load(tmp_path / "nothing.gtm")
    with pytest.raises(IsADirectoryError, match=rf"^{tmp_path} is a folder; a model file \(.gtm\) is needed.$"):
        gtm.load(tmp_path)


def rewritten(path, change):
    """Write the file again with right checksums but another header, as an attacker would."""
    content = path.read_bytes()
    length = struct.unpack("<Q", content[16:24])[0]
    header = json.loads(content[24 : 24 + length])
    start = -(-(24 + length) // 64) * 64
    data = bytearray(content[start:])
    header = change(header, data) or header
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    body = MAGIC + struct.pack("<IIQ", 1, zlib.crc32(text), len(text)) + text
    path.write_bytes(body + bytes(-len(body) % 64) + data)


def array_entry(header, name):
    return next(entry for entry in header["arrays"] if entry["name"] == name)


def poke(name, *values):
    """Return a change that puts other first numbers into an array and mends the checksum."""

    def change(header, data):
        entry = array_entry(header, name)
        array = np.frombuffer(data, entry["dtype"], int(np.prod(entry["shape"])), entry["offset"])
        array[: len(values)] = values
        entry["crc32"] = zlib.crc32(array)

    return change


def set_entry(array, **values):
    return lambda header, data: array_entry(header, array).update(values)


def set_header(**values):
    return lambda header, data: header.update(values)


CRAFTED = {
    "neighbour outside": (poke("out_neighbours", 99), "goes to node 99"),
    "negative neighbour": (poke("out_neighbours", -1), "goes to node -1"),
    "edge type outside": (poke("out_types", 9), "Edge type numbers must be in"),
    "pointer": (poke("out_ptr", 5), "must be int64 and ascend from 0"),
    "in edges do not mirror": (poke("in_types", 1), "Edges by destination must be the same edges"),
    "node pointer": (poke("node_ptr", 1), "node_ptr must be int64 and ascend from 0"),
    "padding bit": (poke("property_bits", 1 << 63), "after the last symbol must be 0"),
    "node type outside": (poke("node_types", 7), "Node type numbers must be in 0..1; got 7 at node 0 of graph 0"),
    "no readout": (lambda h, d: set_readout(h, d, b"\0\0\1\1"), "readout node; graph 0 has none"),
    "wrapping pointer": (poke("out_ptr", 0, 2**63 - 1, -(2**63), -(2**62)), "must be int64 and ascend from 0"),
    "wrapping node pointer": (poke("node_ptr", 0, -(2**63)), "must be int64 and ascend from 0"),
    "no checksum": (lambda h, d: array_entry(h, "node_ptr").pop("crc32") and None, "header is not valid"),
    "odd Boolean": (lambda h, d: set_readout(h, d, b"\x02\1\1\1"), "stored as bytes 0 or 1"),
    "deflated": (set_entry("node_ptr", stored=24), "header is not valid"),
    "dtype": (set_entry("node_ptr", dtype="|O"), "header is not valid"),
    "wrong dtype": (set_entry("node_ptr", dtype="<u8"), "array 'node_ptr' has dtype uint64"),
    "shape": (set_entry("node_ptr", shape=[10**15]), "outside the file|overlap"),
    "negative shape": (set_entry("node_ptr", shape=[-1]), "outside the file"),
    "odd shape": (set_entry("node_ptr", shape=[[1]]), "header is not valid"),
    "offset": (set_entry("out_ptr", offset=-64), "outside the file"),
    "overlap": (set_entry("out_ptr", offset=0), "overlap"),
    "unknown array": (set_entry("node_ptr", name="surprise"), "surprise"),
    "no arrays": (set_header(arrays=None), "header is not valid"),
    "no symbols": (lambda h, d: h.pop("symbols") and None, "symbols"),
    "symbol twice": (set_header(symbols=["x", "x", "y", "z", "w"]), "twice"),
    "float name": (set_header(symbols=[0.5, 1, 2, 3, 4]), "a name in the file|A name in the file"),
    "node names": (set_header(node_names=[["a"], ["a", "b"]]), "unique within a graph; graph 0"),
    "node names twice": (set_header(node_names=[["a", "a"], None]), "unique within a graph; graph 0"),
    "node names as text": (set_header(node_names="ab"), "Node names must be one list per graph"),
    "node names of a graph as text": (set_header(node_names=["ab", None]), "Node names must be one list per graph"),
    "node names as an object": (set_header(node_names={"a": 1}), "Node names must be one list per graph"),
    "deep name": (set_header(symbols=[json.loads("[" * 150 + "]" * 150)]), "nested at most 100 deep"),
    "symbols as text": (set_header(symbols="abcde"), "names of a vocabulary must be lists"),
    "array without name": (set_entry("node_ptr", name=None), "header is not valid"),
    "shape as text": (set_entry("node_ptr", shape=""), "header is not valid"),
    "node names count": (set_header(node_names=[None]), "per graph; got 1 for 2 graphs"),
    "list": (lambda h, d: b"[]", "header is not valid"),
    "no JSON": (lambda h, d: b"{", "header is not valid"),
    "deep JSON": (lambda h, d: b"[" * 100_000, "header is not valid"),
    "digits": (lambda h, d: b'{"arrays":[],"data_bytes":' + b"9" * 5000 + b"}", "header is not valid"),
}


def set_readout(header, data, content):
    entry = array_entry(header, "readout")
    data[entry["offset"] : entry["offset"] + 4] = content
    entry["crc32"] = zlib.crc32(content)


@pytest.mark.parametrize("case", CRAFTED)
def test_crafted_files_are_refused(saved, case):
    change, message = CRAFTED[case]
    rewritten(saved, change)
    with pytest.raises(gtm.GraphFormatError, match=message):
        gtm.load_graphs(saved)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (poke("property_ids", 2000), "must be in 0..1000; got 2000 at node 0 of graph 0"),
        (poke("property_ids", 1000), "ascending; they are not at node 0 of graph 0"),
        (poke("property_ptr", 1), "property ptr must be int64 and ascend"),
        (poke("property_ptr", 0, 2**63 - 1, -(2**63)), "property ptr must be int64 and ascend"),
    ],
)
def test_crafted_lists_are_refused(listed, change, message):
    rewritten(listed, change)
    with pytest.raises(gtm.GraphFormatError, match=message):
        gtm.load_graphs(listed)


def test_rewriting_without_a_change_is_accepted(saved):
    before = gtm.load_graphs(saved)
    rewritten(saved, lambda header, data: None)
    assert gtm.load_graphs(saved) == before


def test_names_that_cannot_be_saved_leave_the_old_file(saved):
    before = saved.read_bytes()
    graph = gtm.Graph()
    graph.add_node(2.5)
    batch = gtm.GraphBatch.from_graphs([graph])
    with pytest.raises(gtm.GraphError, match=r"got 2.5 of type 'float'"):
        batch.save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"The folder of .*here\.gtmg does not exist"):
        gtm.GraphBatch.from_arrays([1]).save(tmp_path / "not" / "here.gtmg")


def test_a_failing_write_leaves_the_old_file(saved, monkeypatch):
    before = saved.read_bytes()
    batch = gtm.load_graphs(saved)

    def full_disk(descriptor):
        raise OSError("No space left on device")

    monkeypatch.setattr(container.os, "fsync", full_disk)
    with pytest.raises(OSError, match="No space left"):
        batch.save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_memory_mapped_arrays_are_read_only(saved):
    packed = gtm.load_graphs(saved, mmap=True, verify=False).pack()
    with pytest.raises(ValueError, match="read-only"):
        packed.node_ptr[0] = 1


def test_same_graphs_same_bytes(tmp_path):
    batch = gtm.GraphBatch.from_arrays([2], np.eye(2, dtype=bool), edges=([0, 1], [1, 0]))
    write_graphs(batch.pack(), tmp_path / "one")
    write_graphs(batch.pack(), tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_folder_is_no_file_to_write(tmp_path, monkeypatch):
    batch = gtm.GraphBatch.from_arrays([1])
    with pytest.raises(IsADirectoryError, match=rf"^{tmp_path} is a folder; add a file name\.$"):
        batch.save(tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    for name in ("folder", "link"):
        with pytest.raises(IsADirectoryError, match=rf"^{name} is a folder; add a file name\.$"):
            batch.save(name)
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "link"}


def test_errors_name_the_file_that_was_asked_for(tmp_path, monkeypatch):
    batch = gtm.GraphBatch.from_arrays([1])
    with pytest.raises(OSError, match=r"File name too long: '.*/x{250}'$"):
        batch.save(tmp_path / ("x" * 250))

    def refuse(path, *_):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(container.os, "open", refuse)
    with pytest.raises(PermissionError, match=r"Permission denied: '.*/graphs\.gtmg'$"):
        batch.save(tmp_path / "graphs.gtmg")


def test_a_file_with_an_array_beyond_all_bounds(tmp_path):
    path = tmp_path / "bare.gtmg"
    gtm.GraphBatch.from_arrays([2]).save(path)
    rewritten(path, set_entry("property_bits", shape=[2**61, 0]))
    with pytest.raises(gtm.GraphFormatError, match="header is not valid"):
        gtm.load_graphs(path)
