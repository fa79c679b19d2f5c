"""Commands of ``graphtm``, each a thin wrapper around a function of the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

import graphtm
from graphtm.cli import export_command, fit_command, model_commands, reproduce
from graphtm.cli.running import DEBUG, Commands

app = typer.Typer(
    name="graphtm",
    cls=Commands,
    help="Learn logical rules from graphs, and read them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(graphtm.__version__)
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option(DEBUG, help="Show where an error occurs; works anywhere.")] = False,
) -> None:
    """Learn logical rules from graphs, and read them."""


app.command("fit")(fit_command.fit)
app.command("predict")(model_commands.predict)
app.command("rules")(model_commands.rules)
app.command("explain")(model_commands.explain)
app.command("export")(export_command.export)
app.command("data")(model_commands.data_command)
app.command("reproduce")(reproduce.reproduce)


@app.command()
def demo(
    name: Annotated[str, typer.Argument(help="Name of the demo: sequence.")] = "sequence",
    seed: Annotated[int, typer.Option(min=0, max=2**32, help="Seed of the data and of the classifier.")] = 42,
) -> None:
    """Train on a small task, and print the accuracy and the learned rules."""
    from graphtm.cli.demo import DEMOS

    if name not in DEMOS:
        raise typer.BadParameter(f"There is no demo {name!r}. Choose from: {', '.join(DEMOS)}.", param_hint="NAME")
    DEMOS[name](Console(), seed)


@app.command()
def engines() -> None:
    """List the engines, whether they can run here, and if not, why."""
    from graphtm.engines import engine_statuses

    table = Table("engine", "runs here", "details")
    for status in engine_statuses():
        table.add_row(status.name, "yes" if status.available else "no", escape(status.detail))
    Console().print(table)


@app.command()
def bench(
    engine: Annotated[str, typer.Option(help="Engine to measure; auto is the fastest one available.")] = "auto",
    workload: Annotated[
        list[str] | None, typer.Option(help="Measure only this workload; may be given several times.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder that contains mnist/; if not given, digits are drawn."),
    ] = None,
    n_jobs: Annotated[
        int | None, typer.Option(help="Number of threads, -1 for all processors. Default: all, at most eight.")
    ] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Number of timed runs; the median is reported.")] = 3,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the results to this file as JSON.", dir_okay=False)
    ] = None,
) -> None:
    """Measure an engine: microseconds per training and prediction example, per workload."""
    from graphtm.cli.bench import bench_engine

    console = Console()
    if json_file is not None and not json_file.absolute().parent.is_dir():
        raise typer.BadParameter(f"The folder of {json_file} does not exist. Create it first.", param_hint="--json")
    results = bench_engine(console, engine, workload, data, n_jobs, repeats)
    if json_file is not None:
        json_file.write_text(json.dumps({"version": graphtm.__version__, "results": results}, indent=2) + "\n")
        console.print(f"Written to {json_file}")


def main() -> None:
    """Run the command."""
    app()
