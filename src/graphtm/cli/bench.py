"""The tables of ``graphtm bench``."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import graphtm
from graphtm.bench import Measurement, measure_data, measure_engine, workloads
from graphtm.bench.converters import measure_converters
from graphtm.bench.image_encoders import measure_image_encoders
from graphtm.bench.text_encoders import measure_text_encoders
from graphtm.engines import Engine, engine_names, make_engine
from graphtm.engines.registry import engine_kind, is_engine_name
from graphtm.foundation.display import size_text


def bench_graphs(console: Console, repeats: int) -> list[dict[str, Any]]:
    """Measure work on graphs; print a table, and return it for JSON."""
    return _table(console, "graphs", "peak memory,\nof the work", measure_data(repeats))


def bench_encoders(console: Console, data: Path | None) -> list[dict[str, Any]]:
    """Measure encoders, on real data where there is a folder with it; print a table, and return it for JSON."""
    frames = find_spec("pandas") is not None
    if not frames:
        console.print("Frames are left out, since pandas is not installed: pip install 'graphtm[frames]'.")
    work = chain(measure_converters() if frames else (), measure_text_encoders(data), measure_image_encoders(data))
    return _table(console, "encoders", "peak memory,\nwhole process", work)


def _table(console: Console, what: str, peak: str, measurements: Iterable[Measurement]) -> list[dict[str, Any]]:
    table = Table("work", "data", "seconds", peak, "result", title=f"graphtm {graphtm.__version__}, {what}")
    results = []
    with console.status("Measuring ..."):
        for result in measurements:
            results.append(result.to_dict())
            table.add_row(
                result.name,
                result.data,
                f"{result.seconds:.3f}",
                size_text(result.peak_bytes),
                size_text(result.result_bytes),
            )
    console.print(table)
    return results


def bench_engine(
    console: Console, engine: str, only: list[str] | None, data: Path | None, n_jobs: int | None, repeats: int
) -> list[dict[str, Any]]:
    """Measure an engine on the workloads; print a table, and return it for JSON."""
    if not is_engine_name(engine):
        raise typer.BadParameter(
            f"There is no engine {engine!r}. Choose from: {', '.join(engine_names())}.", param_hint="--engine"
        )
    makers = workloads(data)
    names = only or list(makers)
    for name in names:
        if name not in makers:
            raise typer.BadParameter(
                f"There is no workload {name!r}. Choose from: {', '.join(makers)}.", param_hint="--workload"
            )
    if n_jobs == 0:
        raise typer.BadParameter("Threads must be at least 1, or -1 for all processors.", param_hint="--n-jobs")
    title = f"graphtm {graphtm.__version__}, engine {engine}: microseconds per example"
    table = Table("workload", "learn, early", "learn, late", "predict", "start, s", title=title)
    results = []
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=None)
        for name in names:
            progress.update(task, description=f"Measuring {name} ...")
            times = measure_engine(_engine(engine, n_jobs), makers[name](), repeats)
            results.append(times.to_dict())
            table.add_row(
                f"{name}\n[dim]{times.detail}[/]",
                f"{times.early:,.1f}",
                f"{times.late:,.1f}",
                f"{times.predict:,.1f}",
                f"{times.start_seconds:.2f}",
            )
    console.print(table)
    return results


def _engine(name: str, n_jobs: int | None) -> Engine:
    """Return an engine as it is after a while of work."""
    engine = make_engine(name, n_jobs)
    engine.adjust(**engine_kind(engine.name).warmed_up)
    return engine
