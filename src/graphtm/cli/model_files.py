"""Model files of the command line: pipelines that remember how their data were read."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import typer

from graphtm.cli.labels import predicts_numbers, takes_several_labels
from graphtm.cli.reading import Reading
from graphtm.errors import ModelFormatError, UnknownNameWarning, UnknownSymbolError
from graphtm.foundation.container import is_stream

READING = "reading"
"""Entry of the header with what the command line remembers."""


class Loaded(NamedTuple):
    """A model, its estimator, and how its data were read."""

    model: Any
    estimator: Any
    reading: Reading

    @property
    def is_multilabel(self) -> bool:
        return takes_several_labels(self.estimator)

    @property
    def is_regressor(self) -> bool:
        return predicts_numbers(self.estimator)

    @property
    def is_autoencoder(self) -> bool:
        return type(self.estimator).__name__ == "GraphTMAutoencoder"

    @property
    def is_bandit(self) -> bool:
        return type(self.estimator).__name__ == "GraphTMBandit"

    @property
    def noun(self) -> str:
        """The word for what is predicted."""
        noun: str = self.estimator._noun
        return noun

    @property
    def has_labels(self) -> bool:
        """Whether what is predicted can be compared with labels."""
        return hasattr(self.estimator, "classes_") or self.is_regressor

    def seen(self, X: Any) -> Any:
        """Return what the machine sees of data."""
        return self.model[:-1].transform(X) if hasattr(self.model, "steps") and len(self.model) > 1 else X


def check_target(
    path: str, option: str = "-o", *, inputs: Iterable[tuple[str, Path]] = (), streams: bool = False
) -> Path:
    """Return where to write a file, after checking that it can be written.

    Parameters
    ----------
    path, option
        The file, and the option that names it.
    inputs
        Files that the command reads, which must stay as they are, with the arguments that name them.
    streams
        Whether pipes and devices can be written to.

    Raises
    ------
    typer.BadParameter
        If not, before hours of training are lost.
    """
    if path == "-":
        raise typer.BadParameter("A model is a binary file; give it a name, such as model.gtm.", param_hint=option)
    target = Path(path)
    for argument, file in inputs:
        if same_file(target, file):
            raise typer.BadParameter(
                f"It must be another file than those that are read, but {path} is {argument}; choose another name.",
                param_hint=option,
            )
    if is_stream(target):
        if not streams:
            raise typer.BadParameter(
                f"{path} is a pipe or a device, but a model must be a file; choose another name.", param_hint=option
            )
        return target
    if target.is_dir():
        raise typer.BadParameter(f"{path} is a folder; add a file name.", param_hint=option)
    folder = Path(os.path.realpath(target)).parent
    if not folder.is_dir():
        raise typer.BadParameter(f"The folder of {path} does not exist; create it first.", param_hint=option)
    try:  # the only reliable check: permissions are not enough
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        raise typer.BadParameter(f"Files cannot be written to {folder}: {error.strerror}.", param_hint=option) from None
    return target


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths are the same file, also if it does not exist yet."""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.realpath(one) == os.path.realpath(other)


def check_checkpoint(path: Path) -> None:
    """Raise ``typer.BadParameter`` if a file is no checkpoint, before anything is trained."""
    from graphtm.model.file import read_model

    try:
        reason = "" if "progress" in read_model(path).extra else f"{path} is a saved model."
    except (ModelFormatError, OSError) as error:
        reason = str(error)
    if reason:
        raise typer.BadParameter(
            f"It must be a checkpoint of an earlier run. {reason} Choose another name to start again.",
            param_hint="--checkpoint",
        )


def save_model(model: Any, path: Path, reading: Reading) -> None:
    """Write a pipeline and how its data were read; an old file is replaced when the new one is complete."""
    from graphtm.model.file import write_parts
    from graphtm.pipelines.files import parts_of

    parts = parts_of(model)
    parts.header[READING] = reading.to_json()
    try:
        write_parts(path, parts)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        old = f" The old {path} is unchanged." if path.exists() else ""
        raise OSError(f"The model cannot be saved to {path}: {reason}.{old}") from error


def load_model(path: str, engine: str | None = None, n_jobs: int | None = None) -> Loaded:
    """Return the model in a file.

    Raises
    ------
    FileNotFoundError, ModelFormatError
        If there is no such file, or it holds no estimator.
    """
    if not Path(path).exists():
        raise FileNotFoundError(f"There is no model file {path}.")
    if Path(path).is_dir():
        raise ModelFormatError(f"{path} is a folder; a model file (.gtm) is needed.")
    from graphtm.model.file import read_parts
    from graphtm.pipelines.files import from_parts

    parts = read_parts(path)
    model = from_parts(path, parts)
    estimator = model[-1] if hasattr(model, "steps") else model
    if not hasattr(estimator, "class_sums"):
        raise ModelFormatError(f"{path} holds no classifier, but a {type(estimator).__name__}.")
    changes = {name: value for name, value in (("engine", engine), ("n_jobs", n_jobs)) if value is not None}
    estimator.set_params(**changes)
    reading = Reading.from_json(parts.header.get(READING))
    return Loaded(model, estimator, reading)


@contextmanager
def refusing_unknown(unknown: str | None) -> Iterator[None]:
    """Raise ``UnknownSymbolError`` where encoders warn of unknown names, if ``unknown`` is ``"error"``."""
    if unknown != "error":
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnknownNameWarning)
        try:
            yield
        except UnknownNameWarning as warning:
            raise UnknownSymbolError(f"Unknown names: {str(warning).partition(' in all: ')[2]}") from None
