"""The table of ``graphtm bench``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer
from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

import graphtm
from graphtm.bench import measure_engine, workloads
from graphtm.engines import Engine, engine_names, make_engine
from graphtm.engines.registry import engine_kind, is_engine_name


def bench_engine(
    console: Console, engine: str, only: list[str] | None, data: Path | None, n_jobs: int | None, repeats: int
) -> list[dict[str, Any]]:
    """Measure an engine on the workloads, print a table, and return the results for JSON."""
    if not is_engine_name(engine):
        raise typer.BadParameter(
            f"Unknown engine {engine!r}. Choose from: auto, {', '.join(engine_names())}.", param_hint="--engine"
        )
    makers = workloads(data)
    names = only or list(makers)
    for name in names:
        if name not in makers:
            raise typer.BadParameter(
                f"Unknown workload {name!r}. Choose from: {', '.join(makers)}.", param_hint="--workload"
            )
    if n_jobs == 0:
        raise typer.BadParameter("The number of threads must be at least 1, or -1 for all.", param_hint="--n-jobs")
    table = Table("workload", "learn, early", "learn, late", "predict", "start, s")
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
    table.title = f"graphtm {graphtm.__version__}, engine {results[0]['engine']}: microseconds per example"
    console.print(table)
    return results


def _engine(name: str, n_jobs: int | None) -> Engine:
    """Return an engine in the state that it reaches after warming up."""
    engine = make_engine(name, n_jobs)
    engine.adjust(**engine_kind(engine.name).warmed_up)
    return engine
