"""``graphtm predict``: a line per sample, as CSV or JSON lines."""

from __future__ import annotations

import csv
import io
import json
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import typer

from graphtm.cli.data_files import Data, load_data
from graphtm.cli.labels import SET_SEPARATOR, as_classes, as_numbers, read_log
from graphtm.cli.model_files import Loaded, check_target, load_model, refusing_unknown
from graphtm.cli.other_tasks import MeanReward
from graphtm.cli.output import Screen, named, plain, write_lines
from graphtm.cli.reading import Reading, Source
from graphtm.cli.scoring import Score, label_sets, percent, score_of
from graphtm.errors import GraphFormatError
from graphtm.foundation.container import atomic_write
from graphtm.foundation.display import count, plural

JSON_LINES = (".jsonl", ".ndjson")
MOST_NAMED = 5
"""Number of labels that a warning names."""


def predict(
    screen: Screen,
    model: str,
    source: Source,
    given: Reading,
    output: str,
    *,
    probabilities: bool,
    as_json: bool,
    unknown: str | None,
    engine: str | None,
    n_jobs: int | None,
) -> None:
    """Predict the data of a file, and print or write a line per sample.

    Parameters
    ----------
    screen
        Where notes go.
    model
        The model file.
    source, given
        The data, and what options say of them.
    output
        File for the predictions, or ``-``.
    probabilities
        Whether to add the probability of each class or label.
    as_json
        Whether to print JSON lines.
    unknown
        ``"error"`` or ``"ignore"``: what to do with names that are not in the training data; ``None``: encoders warn
        and ignore them, estimators do as they were told in training.
    engine, n_jobs
        As for estimators.
    """
    if output != "-":
        check_target(output, inputs=[("MODEL", Path(model)), *source.files()], streams=True)
    loaded = load_model(model, engine, n_jobs)
    if probabilities and not hasattr(loaded.estimator, "predict_proba"):
        what = "numbers, which have" if loaded.is_regressor else "what has"
        raise typer.BadParameter(f"The model predicts {what} no probabilities.", param_hint="--proba")
    if unknown is not None:
        loaded.estimator.set_params(unknown=unknown)
    logged = source.labels if loaded.is_bandit else None
    data = data_for(loaded, source if logged is None else replace(source, labels=None), given)
    log = None if logged is None else read_log(logged, len(data), loaded.reading.changed_by(given).separator)
    with screen.waiting("Predicting ..."), refusing_unknown(unknown):
        predicted = loaded.model.reconstruct(data.X) if loaded.is_autoencoder else loaded.model.predict(data.X)
        shares = loaded.model.predict_proba(data.X) if probabilities else None
    as_json = as_json or output.endswith(JSON_LINES)
    if loaded.is_autoencoder:
        lines = symbol_lines(loaded.estimator.symbols_, data, predicted, as_json=as_json)
    else:
        lines = (_json_lines if as_json else _csv_lines)(loaded, data, predicted, shares)
    if output == "-":
        for line in lines:
            write_lines(line)
    else:
        content = "".join(f"{line}\n" for line in lines).encode()
        try:
            with atomic_write(Path(output), streams=True) as file:
                file.write(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            reason = os.strerror(error.errno) if error.errno else str(error)
            raise OSError(f"The predictions cannot be written to {output}: {reason}.") from error
        screen.note(f"{count(len(data), 'prediction')} written to {output}")
    if log is not None:
        _show_reward(screen, loaded, predicted, *log)
    elif data.y is not None:
        _show_accuracy(screen, loaded, data, predicted)


def _show_accuracy(screen: Screen, loaded: Loaded, data: Data, predicted: Any) -> None:
    if loaded.is_regressor:
        if predicted.ndim == 1:  # a file has one label per sample
            found = score_of(data.y, predicted, loaded.estimator, 0.0)
            screen.note(f"Score on {count(len(data), data.noun)}: {found}")
        return
    classes = loaded.estimator.classes_.tolist()
    truth, unknown = as_classes(data.y, classes)
    if unknown:
        _warn(f"Labels that are no class of the model count as errors: {_first(unknown)}", loaded, classes)
    score = cast("Score", score_of(truth, predicted, loaded.estimator, 0.0))
    extra = f", with all labels right; F1 {score.f1:.3f}" if loaded.is_multilabel else ""
    screen.note(f"Accuracy on {count(len(data), data.noun)}: {percent(score.accuracy)}{extra}")


def _show_reward(screen: Screen, loaded: Loaded, predicted: Any, taken: Any, rewards: Any) -> None:
    """Print the mean reward of the graphs whose arm in the log is the predicted one."""
    arms = loaded.estimator.arms_.tolist()
    taken, unknown = as_classes(taken, arms)
    if unknown:
        _warn(f"Rows with other arms than those of the model do not count: {_first(unknown)}", loaded, arms)
    screen.note(MeanReward.of(predicted, taken, rewards).text())


def _warn(text: str, loaded: Loaded, names: list[Any]) -> None:
    known = f"{plural(loaded.noun).capitalize()} of the model: {_first(names)}."
    warnings.warn(f"{text}. {known}", stacklevel=3)


def _first(names: list[Any]) -> str:
    return ", ".join(map(named, names[:MOST_NAMED])) + (", ..." if len(names) > MOST_NAMED else "")


def data_for(loaded: Loaded, source: Source, given: Reading) -> Data:
    """Return data, read as those that the model was trained on, except for what options say.

    Labels that cannot be compared are left out.

    Raises
    ------
    typer.BadParameter
        If labels are given to a model that predicts nothing they can be compared with.
    GraphFormatError
        If labels in a file of their own should be numbers, and are not.
    """
    reading = replace(loaded.reading.changed_by(given), multilabel=loaded.is_multilabel)
    if not loaded.has_labels:
        if source.labels is not None:
            raise typer.BadParameter(
                f"It has no effect: the model predicts {plural(loaded.noun)}, not labels.", param_hint="--labels"
            )
        return load_data(source, replace(reading, labelled=False), loaded.model)
    data = load_data(source, reading, loaded.model)
    if loaded.is_regressor and data.y is not None:
        name = data.name if source.labels is None else str(source.labels)
        try:
            return replace(data, y=as_numbers(data.y, name, data.noun), of_numbers=True)
        except GraphFormatError as error:
            if source.labels is not None:
                raise
            warnings.warn(f"Labels are not compared with predictions. {error}", stacklevel=2)
            return replace(data, y=None)
    return data


def _answers(loaded: Loaded, predicted: Any) -> list[Any]:
    """Return predictions: a class each, or a sorted list of labels."""
    if not loaded.is_multilabel:
        return list(predicted.tolist())  # of a regressor with several targets, lists
    classes = loaded.estimator.classes_.tolist()
    return [[one for one in classes if one in found] for found in label_sets(predicted, classes)]


def _csv_lines(loaded: Loaded, data: Data, predicted: Any, shares: Any) -> Iterator[str]:
    classes = loaded.estimator._output_names()
    header = ["number", *([] if data.ids is None else [data.noun]), "prediction"]
    yield _csv_line([*header, *([] if shares is None else [f"probability of {named(one)}" for one in classes])])
    for number, answer in enumerate(_answers(loaded, predicted)):
        text = SET_SEPARATOR.join(map(named, answer)) if isinstance(answer, list) else named(answer)
        row = [number, *([] if data.ids is None else [data.ids[number]]), text]
        yield _csv_line([*row, *([] if shares is None else [f"{share:.4f}" for share in shares[number]])])


def symbol_lines(symbols: Sequence[Any], data: Data, found: Any, *, as_json: bool) -> Iterator[str]:
    """Yield a line per readout node, with the symbols that an auto-encoder expects there."""
    packed = data.X.pack()
    readout = np.ones(packed.n_nodes, np.bool_) if packed.readout is None else packed.readout
    graph_of = np.repeat(np.arange(packed.n_graphs), packed.node_counts)
    if not as_json:
        yield _csv_line(["number", *([] if data.ids is None else [data.noun]), "node", "prediction"])
    for row, place in enumerate(np.flatnonzero(readout).tolist()):
        number = int(graph_of[place])
        node = packed.names_of(number)[place - int(packed.node_ptr[number])]
        expected = [symbols[column] for column in np.sort(found[[row]].indices).tolist()]
        if as_json:
            name = {} if data.ids is None else {data.noun: data.ids[number]}
            yield json.dumps(
                plain({"number": number, **name, "node": node, "prediction": expected}), ensure_ascii=False
            )
        else:
            name_cells = [] if data.ids is None else [data.ids[number]]
            yield _csv_line([number, *name_cells, named(node), SET_SEPARATOR.join(map(named, expected))])


def _csv_line(cells: list[Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(cells)
    return text.getvalue()


def _json_lines(loaded: Loaded, data: Data, predicted: Any, shares: Any) -> Iterator[str]:
    classes = list(map(named, loaded.estimator._output_names()))
    for number, answer in enumerate(_answers(loaded, predicted)):
        line: dict[str, Any] = {"number": number}
        if data.ids is not None:
            line[data.noun] = data.ids[number]
        line["prediction"] = answer
        if shares is not None:
            line["probabilities"] = dict(zip(classes, np.round(shares[number], 6).tolist(), strict=True))
        yield json.dumps(plain(line), ensure_ascii=False)
