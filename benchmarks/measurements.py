"""Time and memory of a piece of work: how it is measured, printed and written as JSON."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

import graphtm
from graphtm.foundation.display import size_text

REAL, DRAWN = "real", "drawn"
"""Kinds of data: a published dataset, or randomly drawn data like it."""


@dataclass(frozen=True)
class Measurement:
    """Seconds, peak memory and size of the result in bytes, and the kind of data."""

    name: str
    seconds: float
    peak_bytes: int
    result_bytes: int
    data: str = DRAWN


def measure(name: str, work: Callable[[], int], repeats: int = 3) -> Measurement:
    """Measure ``work``, which returns the size of its result: median time, and peak memory of its allocations.

    The first run is not timed. Memory is traced in a separate run, because tracing slows down small allocations.
    """
    result_bytes = work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    tracemalloc.start()
    try:
        work()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    return Measurement(name, median(times), peak, result_bytes)


def measure_apart(work: Callable[..., Measurement], *arguments: object) -> Measurement:
    """Run a measuring function in a new process, because the peak memory of a process never goes down."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, *arguments).result()


def peak_memory() -> int:
    """Return the peak memory of this process in bytes, including libraries, data and results."""
    status = Path("/proc/self/status")
    if status.is_file():
        # Unlike getrusage, this does not count the memory of the parent process.
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    import resource  # not available on every system

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def parser(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the option that all scripts share."""
    made = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("--json", type=Path, metavar="FILE", help="write the measurements to this file as JSON")
    return made


def report(title: str, memory: str, measurements: Iterable[Measurement], json_file: Path | None) -> None:
    """Print measurements as a table, and write them to a JSON file if one is given."""
    if json_file is not None and not json_file.absolute().parent.is_dir():
        sys.exit(f"The folder of {json_file} does not exist. Create it first.")
    console = Console()
    table = Table("work", "data", "seconds", memory, "result", title=f"graphtm {graphtm.__version__}, {title}")
    results = []
    with console.status("Measuring ..."):
        for one in measurements:
            results.append(asdict(one))
            sizes = size_text(one.peak_bytes), size_text(one.result_bytes)
            table.add_row(one.name, one.data, f"{one.seconds:.3f}", *sizes)
    console.print(table)
    if json_file is not None:
        json_file.write_text(json.dumps({"version": graphtm.__version__, "results": results}, indent=2) + "\n")
        console.print(f"Written to {json_file}")
