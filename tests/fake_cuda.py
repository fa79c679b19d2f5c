"""A CUDA device in host memory, of any size, whose kernels leave traces of where they read and wrote.

Kernels are compared with the oracle on a real device; this one is for the host side: which graphs are copied when,
where answers end up, what is allocated. An address outside of all arrays is an error, as is more memory than there is.
"""

import ctypes
import sys
import weakref
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np

from graphtm import GraphBatch
from graphtm.codes import Code, encode, one_hot
from graphtm.engines.cuda import engine, launching, structs
from graphtm.engines.cuda.plan import PLANES
from graphtm.model import MachineParams

SHARED = 232_448  # bytes of a block on Hopper


class OutOfMemoryError(Exception):
    """As CuPy raises it."""


class CudaError(Exception):
    """Whatever else goes wrong."""


class CompileError(Exception):
    """As NVRTC would."""


def fail(error):
    raise error


class Array(np.ndarray):
    """An array of the device."""

    device = None  # the one that there is

    def __getitem__(self, index):
        result = super().__getitem__(index)
        return self.device.asarray(result) if isinstance(index, np.ndarray) else result

    @property
    def data(self):
        return SimpleNamespace(ptr=self.ctypes.data)

    def get(self, out=None):
        if out is None:
            return np.array(self)
        np.copyto(out, self)
        return out


class FakeCuda:
    """The module ``cupy``, and the kernels.

    Parameters
    ----------
    monkeypatch
        Puts it in place of the real ones.
    memory
        Bytes of the device.
    shared
        Bytes of shared memory of a block.
    limit
        Bytes that the process may take; 0 for all.
    count
        How many such devices there are; none without a driver.
    hip, compiles, lost
        Whether CuPy is for other devices, whether there is a compiler, whether the device has gone.
    changes
        Other properties of the device.
    """

    def __init__(
        self,
        monkeypatch,
        memory=2**30,
        shared=60_000,
        limit=0,
        count=1,
        hip=False,
        compiles=True,
        lost=False,
        **changes,
    ):
        self.memory, self.shared, self.limit = memory, shared, limit
        monkeypatch.setattr(Array, "device", self)
        self.arrays = {}
        self.launches = []
        self.learned = []
        self.most = 0
        properties = {"name": b"Toy", "major": 9, "minor": 0, "cooperativeLaunch": 1}
        properties |= {"multiProcessorCount": 4, "sharedMemPerBlockOptin": shared, **changes}
        runtime = SimpleNamespace(
            is_hip=hip,
            CUDARuntimeError=CudaError,
            getDeviceCount=lambda: fail(CudaError("no driver")) if count is None else count,
            getDeviceProperties=lambda number: fail(RuntimeError("GPU is lost")) if lost else properties,
            memGetInfo=lambda: (memory - self.used, memory),
        )
        nvrtc = SimpleNamespace(getVersion=lambda: (13, 0) if compiles else fail(RuntimeError("no libnvrtc")))
        cuda = SimpleNamespace(
            runtime=runtime,
            nvrtc=nvrtc,
            compiler=SimpleNamespace(CompileException=CompileError),
            driver=SimpleNamespace(CUDADriverError=CudaError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
            Device=lambda number: nullcontext(),
            get_current_stream=lambda: SimpleNamespace(synchronize=lambda: None),
        )
        module = SimpleNamespace(
            cuda=cuda,
            uint8=np.uint8,
            uint32=np.uint32,
            uint64=np.uint64,
            empty=self.empty,
            zeros=lambda shape, dtype: self.empty(shape, dtype, fill=0),
            asarray=self.asarray,
            ascontiguousarray=self.asarray,
            get_default_memory_pool=lambda: SimpleNamespace(
                free_bytes=lambda: 0, get_limit=lambda: limit, used_bytes=lambda: self.used
            ),
        )
        monkeypatch.setitem(sys.modules, "cupy", module)
        program = SimpleNamespace(get_function=lambda name: getattr(self, name))
        for user in (engine, launching):
            monkeypatch.setattr(user, "compiled", lambda *which: program)

    # Memory

    @property
    def used(self):
        return sum(self.arrays.values())

    def empty(self, shape, dtype, fill=77):
        n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if self.used + n_bytes > (self.limit or self.memory):
            raise OutOfMemoryError(f"{n_bytes:,} bytes")
        array = np.full(shape, fill, dtype).view(Array)
        place = array.ctypes.data
        if n_bytes:
            self.arrays[place] = n_bytes
            weakref.finalize(array, self.arrays.pop, place)
        self.most = max(self.most, self.used)
        return array

    def asarray(self, values):
        array = self.empty(values.shape, values.dtype)
        array[...] = values
        return array

    def at(self, address, shape, dtype):
        """Return the memory at an address, which must lie in one of the arrays."""
        n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        address = int(address)
        inside = any(
            first <= address and address + n_bytes <= first + length for first, length in list(self.arrays.items())
        )
        assert inside or not n_bytes, "a kernel reads or writes where no array is"
        return np.frombuffer((ctypes.c_char * n_bytes).from_address(address), dtype).reshape(shape)

    # Kernels. Automata are kept byte by byte, and a graph's record begins with a number made of its nodes' bits.

    def _clauses(self, machine, states):
        sizes = [2 * int(machine["size0"])] + (int(machine["depth"]) - 1) * [2 * int(machine["size1"])]
        n, at = int(machine["n_clauses"]), 0
        room = 8 * PLANES * int(machine["words"])
        planes = self.at(machine["planes"], (n, room), np.uint8)
        given = self.at(states.ctypes.data, (n * sum(sizes),), np.uint8)
        for layer, size in enumerate(sizes):
            first = sum(sizes[:layer])
            yield planes[:, first : first + size], given[at : at + n * size].reshape(n, size)
            at += n * size

    def pack_states(self, grid, block, arguments):
        self.launches.append("pack_states")
        for planes, states in self._clauses(*arguments):
            planes[...] = states

    def unpack_states(self, grid, block, arguments):
        for planes, states in self._clauses(*arguments):
            states[...] = planes

    def _heads(self, graphs):
        return self.at(graphs["heads"], (int(graphs["n_graphs"]),), structs.HEAD)

    def pack_graphs(self, grid, block, arguments):
        graphs, records, bits, *_ = arguments
        self.launches.append("pack_graphs")
        for head in self._heads(graphs):
            first, n = int(head["first"]), int(head["n_nodes"])
            record = self.at(records.ctypes.data + 4 * int(head["at"]), (int(head["n_words"]),), np.uint32)
            record[0] = number_of(bits[first : first + n])

    def _numbers(self, graphs):
        for head in self._heads(graphs):
            yield head, int(self.at(graphs["records"] + np.uint64(4 * int(head["at"])), (1,), np.uint32)[0])

    def predict(self, grid, block, arguments, shared_mem):
        machine, graphs, _, answers = arguments
        self._answer("predict", machine, graphs, answers, shared_mem)

    def answer_together(self, grid, block, arguments, shared_mem):
        machine, graphs, _, answers = arguments
        self._answer("answer_together", machine, graphs, answers, shared_mem)

    def _answer(self, name, machine, graphs, answers, shared_mem):
        assert shared_mem <= self.shared
        self.launches.append((name, int(graphs["n_graphs"])))
        n_outputs, n_clauses = int(machine["n_outputs"]), int(machine["n_clauses"])
        for place, (head, number) in enumerate(self._numbers(graphs)):
            if answers["sums"]:
                address = int(answers["sums"]) + 8 * place * n_outputs
                self.at(address, (n_outputs,), np.int64)[:] = sums_of(number, n_outputs)
            if answers["outputs"]:
                address = int(answers["outputs"]) + place * n_clauses
                self.at(address, (n_clauses,), np.bool_)[:] = truth_of(number, n_clauses)
            if answers["nodes"]:
                n = int(head["n_nodes"])
                address = int(answers["nodes"]) + int(head["first"]) * n_clauses & 2**64 - 1
                self.at(address, (n, n_clauses), np.bool_)[:] = nodes_of(number, n, n_clauses)

    def learn(self, grid, block, arguments, shared_mem):
        machine, graphs, examples, room = arguments
        n = int(graphs["n_graphs"])
        assert shared_mem <= self.shared
        self.launches.append(("learn", n))
        slots = int(machine["n_outputs"]) * (2 if room["wide"] else 1)
        assert not self.at(room["slots"], (n, slots), np.uint64).any(), "votes must be cleared before a launch"
        assert not self.at(room["barrier"], (1,), np.uint32).any()
        weights = self.at(examples["weights"], (n,), np.uint64)
        numbers = [number for _, number in self._numbers(graphs)]
        self.learned += zip(numbers, weights.tolist(), strict=True)
        self.at(machine["step"], (1,), np.uint64)[0] += np.uint64(n)


def number_of(bits):
    """Return a number made of the bits of a graph's nodes."""
    words = np.ascontiguousarray(bits).view(np.uint32).reshape(-1).astype(np.uint64)
    return int((words * np.arange(1, 2 * len(words) + 1, 2, dtype=np.uint64)).sum() % np.uint64(2**31 - 1))


def sums_of(number, n_outputs):
    return number + np.arange(n_outputs)


def truth_of(number, n_clauses):
    return (number >> np.arange(n_clauses) % 31) % 2 == 1


def nodes_of(number, n_nodes, n_clauses):
    return (number + np.arange(n_nodes)[:, None] * 3 + np.arange(n_clauses)) % 5 < 2


def params(n_clauses=100, n_outputs=2, size=64, depth=1, message_size=64, max_misses=0):
    """Return a machine that is large in some way."""
    positions = np.zeros((n_clauses, 1), np.int32)
    code = Code("random", message_size, positions) if depth > 1 else None
    return MachineParams(
        n_outputs=n_outputs,
        n_clauses=n_clauses,
        hypervector_size=size,
        message_code=code,
        depth=depth,
        max_misses=max_misses,
    )


def graphs_of_nodes(n_nodes):
    """Return a graph of so many nodes with 64 bits."""
    return encode(GraphBatch.from_arrays([n_nodes], np.ones((n_nodes, 64), bool)), one_hot(64))
