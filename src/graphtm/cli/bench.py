"""The tables of ``graphtm bench``."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import graphtm
from graphtm.bench import Measurement, measure_data, measure_engine, workloads
from graphtm.bench.image_encoders import measure_image_encoders
from graphtm.bench.text_encoders import measure_text_encoders
from graphtm.datasets import load_imdb
from graphtm.engines import engine_names, make_engine
from graphtm.graphs.display import size_text


def bench_graphs(console: Console, repeats: int) -> list[dict[str, Any]]:
    """Measure work on graphs; print a table, and return it for JSON."""
    return _table(console, "graphs", measure_data(repeats))


def bench_encoders(console: Console, data: Path | None) -> list[dict[str, Any]]:
    """Measure encoders, on real data where there is a folder with it; print a table, and return it for JSON."""
    texts = None
    if data is not None and (data / "imdb").is_dir():
        texts = load_imdb(subset="train", data_home=data, download=False)[0]
    mnist = data if data is not None and any(data.glob("**/mnist.npz")) else None
    return _table(console, "encoders", chain(measure_text_encoders(texts), measure_image_encoders(mnist)))


def _table(console: Console, what: str, measurements: Iterable[Measurement]) -> list[dict[str, Any]]:
    table = Table("work", "seconds", "peak memory", "result", title=f"graphtm {graphtm.__version__}, {what}")
    results = []
    with console.status("Measuring ..."):
        for result in measurements:
            results.append(result.to_dict())
            table.add_row(
                result.name, f"{result.seconds:.3f}", size_text(result.peak_bytes), size_text(result.result_bytes)
            )
    console.print(table)
    return results


def bench_engine(
    console: Console, engine: str, only: list[str] | None, data: Path | None, n_jobs: int | None, repeats: int
) -> list[dict[str, Any]]:
    """Measure an engine on the workloads; print a table, and return it for JSON."""
    if engine not in ("auto", *engine_names()):
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
            times = measure_engine(make_engine(engine, n_jobs), makers[name](), repeats)
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
