"""``python -m graphtm.experiments``: write the page of results from the records of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphtm.errors import GraphTMError
from graphtm.experiments import NAMES, experiment, read_records
from graphtm.experiments.page import results_of, results_page
from graphtm.experiments.pictures import save_pictures


def main(
    results: Annotated[Path, typer.Option(help="Folder of the records.", file_okay=False, exists=True)] = Path(
        "results"
    ),
    page: Annotated[Path, typer.Option(help="File to write.", dir_okay=False)] = Path("docs/results.md"),
    plot: Annotated[Path | None, typer.Option(help="Folder for pictures.", file_okay=False, exists=True)] = None,
) -> None:
    """Write the page of results and, if a folder is given, the pictures of the presets that were run."""
    try:
        text = results_page([experiment(name) for name in NAMES], results)
        page.write_text(text, encoding="utf-8")
        for name in NAMES if plot is not None else ():
            found = experiment(name)
            records = results_of(found, "paper", read_records(results, name))
            if records and plot is not None:
                save_pictures(found, records, plot)
    except (GraphTMError, OSError) as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(2) from error
    typer.echo(f"Written: {page}")


if __name__ == "__main__":
    typer.run(main)
