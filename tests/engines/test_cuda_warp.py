"""Graded clauses of the CUDA kernels without a device: their source, run by a warp of threads of the host."""

import shutil
import struct
import subprocess
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from graphtm.engines.cuda.records import ONE_WORD, TWO_WORDS

NODES = (1, 32, 33, 64, 65, 128, 129, 256, 400, 512, 513, 1024, 1025, 2048, 2049, 4200)


def kernels():
    """The source of graded clauses, with the declarations of block.cuh that it needs."""
    files = resources.files("graphtm.engines.cuda") / "source"
    text = {
        name: (files / f"{name}.cuh").read_text(encoding="utf-8") for name in ("types", "evaluate", "block", "graded")
    }
    parts = [
        ("// The current graph and its record.", "__device__ __forceinline__ void start_copy"),
        ("// The node type of a clause.", "// Evaluate a layer of one clause on rows"),
        (
            "// The variant for the layout of a graph",
            "template <class R>\n__device__ __forceinline__ bool evaluate_rows",
        ),
    ]
    block = [text["block"][text["block"].index(first) :].partition(last)[0] for first, last in parts]
    return "\n".join([text["types"], text["evaluate"], *block, text["graded"]])


def compiled(folder, planes, source):
    compiler = shutil.which("g++") or pytest.skip("g++ is not installed")
    (folder / "kernels.h").write_text(source, encoding="utf-8")
    here = Path(__file__).with_name("warp.cpp")
    options = ["-std=c++17", "-O1", "-w", "-pthread", f"-DGRADED={planes}", f'-DKERNELS="{folder / "kernels.h"}"']
    subprocess.run([compiler, *options, str(here), "-o", str(folder / "warp")], check=True)
    return folder / "warp"


def random_case(rng, planes):
    """A clause, a graph by rows or by nodes with inboxes, and its strengths at the nodes."""
    by_rows = bool(rng.random() < 0.8)
    n = int(rng.choice(NODES if by_rows else NODES[:2]))
    depth, n_types, sizes = int(rng.integers(1, 4)), int(rng.integers(1, 4)), rng.integers(1, 150, 2)
    max_misses = int(rng.integers(2 ** (planes - 1), min(2**planes, 255)))
    layers = [sizes[0], *[sizes[1]] * (depth - 1)]
    bits = [rng.random((n, size)) < rng.choice([0.1, 0.5, 0.9]) for size in layers]
    included = [rng.random(2 * size) < rng.choice([0, 1, 2]) * max_misses / sum(2 * layers) for size in layers]
    types, readout = rng.integers(0, n_types, n), rng.random(n) < 0.8
    if n > 4096 and rng.random() < 0.8:
        readout &= (np.arange(n) >= 4096) | (rng.random(n) < 0.001)  # the strongest nodes are often the last
    clause, top = int(rng.integers(0, 2)), int(rng.integers(0, 2))
    misses = sum(
        np.concatenate([~b, b], axis=1).astype(int) @ i.astype(int) for b, i in zip(bits, included, strict=True)
    )
    strengths = np.where(types == clause % n_types, np.maximum(0, max_misses + 1 - misses), 0)
    strengths = strengths * readout if top else strengths

    words = -(-n // 32)
    fours = -(-words // 4)
    stride = words if words <= 2 else 4 * (fours | 1)
    lanes = {1: ONE_WORD, 2: TWO_WORDS}.get(words, int(np.ceil(np.log2(min(fours, 32)))))
    masks = np.stack([*(types == each for each in range(n_types)), readout])
    if by_rows:
        data = [packed(np.concatenate([b.T, masks]) if layer == 0 else b.T, stride) for layer, b in enumerate(bits)]
    else:
        data = [packed(b, 2 * -(-b.shape[1] // 64)) for b in bits]
        data[0] = np.concatenate([data[0].reshape(-1), packed(masks, 1).reshape(-1)])
    include = [packed(half[None], 2 * -(-half.size // 64)) for i in included for half in np.split(i, 2)]
    head = struct.pack("11i", n, stride, lanes, by_rows, depth, n_types, *sizes, max_misses, clause, top)
    return head + b"".join(each.tobytes() for each in (*data, *include)), strengths, clause


def packed(bits, n_words):
    padded = np.zeros((len(bits), 32 * n_words), bool)
    padded[:, : bits.shape[1]] = bits
    return np.packbits(padded, axis=1, bitorder="little").view(np.uint32)


def n_differences(program, planes, n_cases):
    rng = np.random.default_rng(planes)
    cases = [random_case(rng, planes) for _ in range(n_cases)]
    answer = subprocess.run([str(program)], input=b"".join(case[0] for case in cases), capture_output=True, check=True)
    at, wrong = 0, 0
    for _, strengths, clause in cases:
        n, words = len(strengths), -(-len(strengths) // 32)
        results = np.frombuffer(answer.stdout, np.uint32, 32, at)
        truth = np.frombuffer(answer.stdout, np.uint8, 4 * words, at + 128)
        written = np.frombuffer(answer.stdout, np.uint8, 2 * n, at + 128 + 4 * words).reshape(n, 2)
        at += 128 + 4 * words + 2 * n
        most = strengths.max()
        best = np.unpackbits(truth, bitorder="little")[:n]
        right = (results == most).all() and (written[:, clause] == strengths).all()
        wrong += not (right and (most == 0 or (best == (strengths == most)).all()))
    assert at == len(answer.stdout)
    return wrong


@pytest.mark.parametrize("planes", [pytest.param(n, marks=pytest.mark.slow) if n != 4 else n for n in range(1, 9)])
def test_clauses_have_their_strengths_in_every_layout(tmp_path, planes):
    assert n_differences(compiled(tmp_path, planes, kernels()), planes, 300) == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("(1 << GRADED) - 1 - m.max_misses", "(1 << GRADED) - m.max_misses"),
        ("if (count != least) nodes = Nodes<N>{};", ""),
        ("if (upper) word += N / 2;", ""),
        ("if (strength > most) clear_nodes(truth, 0, first);", ""),
        ("borrow = majority(~other, start, borrow);", ""),
        ("else if (strength == most && strength)", "else if (strength > most)"),
    ],
)
def test_a_planted_bug_is_caught(tmp_path, right, wrong):
    assert kernels().count(right) == 1
    assert n_differences(compiled(tmp_path, 4, kernels().replace(right, wrong)), 4, 1500) > 0
