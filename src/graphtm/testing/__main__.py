"""``python -m graphtm.testing --engine NAME``: compare an engine with the oracle, without pytest."""

from __future__ import annotations

from typing import Annotated

import typer
from tqdm import tqdm

from graphtm.engines import engine_names
from graphtm.engines.registry import is_engine_name
from graphtm.errors import GraphTMError
from graphtm.testing.parity import check_engine

_ENGINES = ", ".join(engine_names())


def main(
    engine: Annotated[str, typer.Option(help=f"Engine to compare: {_ENGINES}.")],
    cases: Annotated[int, typer.Option(min=1, help="Number of random machines.")] = 200,
    first: Annotated[int, typer.Option(min=0, help="Number of the first machine, to repeat a failure.")] = 0,
    wide: Annotated[bool, typer.Option(help="Also compare machines that are each large in one dimension.")] = True,
) -> None:
    """Compare an engine with the oracle on random machines, bit for bit."""
    if engine == "auto" or not is_engine_name(engine):
        raise typer.BadParameter(f"There is no engine {engine!r}. Choose from: {_ENGINES}.", param_hint="--engine")
    try:
        report = check_engine(
            engine, cases, first, wide=wide, progress=lambda machines: tqdm(machines, desc=engine, unit="machine")
        )
    except GraphTMError as error:
        typer.echo(f"Error: {error}", err=True)
        raise typer.Exit(1) from error
    typer.echo(f"{engine}: {report}")


if __name__ == "__main__":
    typer.run(main)
