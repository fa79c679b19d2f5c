"""Pictures of heat maps, weights, training and rules, for docs/pictures.md."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib import pyplot
from matplotlib.figure import Figure
from sklearn.datasets import load_wine
from sklearn.pipeline import Pipeline, make_pipeline

import graphtm as gtm
from graphtm.encoders import ImagePatches, Superpixels, Table
from graphtm.plots import HeatMapDisplay, RulesDisplay, TrainingDisplay, WeightsDisplay, draw_heat_map

N_TRAIN, N_TEST, N_MEAN, N_MEAN_VIEWS = 10_000, 2_000, 100, 50
"""Numbers of training images, of test images, and of images of a class in a mean, of one view and of several."""
OF_MODELS = {"mnist_heat_maps": "mnist", "one_heat_map": "mnist", "fashion_heat_maps": "fashion_mnist"}
"""Experiments whose saved models the functions of these pictures take as a second argument."""
GARMENTS = ("T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot")


@cache
def _images(name: str, data: Path | None) -> dict[str, tuple[Any, Any]]:
    """Return training and test images with labels."""
    load = getattr(gtm.datasets, f"load_{name}")
    home = None if data is None else data / name
    parts = {part: load(subset=part, data_home=home, download=data is None) for part in ("train", "test")}
    return {
        "train": tuple(one[:N_TRAIN] for one in parts["train"]),
        "test": tuple(one[:N_TEST] for one in parts["test"]),
    }


def _graded(epochs: int = 8, n_clauses: int = 500, **settings: Any) -> gtm.GraphTMClassifier:
    return gtm.GraphTMClassifier(
        **{
            "n_clauses": n_clauses,
            "T": 6 * n_clauses,
            "s": 500.0,
            "depth": 1,
            "epochs": epochs,
            "max_misses": 9,
            "max_included_literals": 45,
            "random_state": 0,
        }
        | settings
    )


@cache
def _digits(data: Path | None) -> Pipeline:
    images, y = _images("mnist", data)["train"]
    return make_pipeline(ImagePatches(patch_size=10), _graded()).fit(images, y)


@cache
def _garments(data: Path | None) -> Pipeline:
    images, y = _images("fashion_mnist", data)["train"]
    encoder = ImagePatches(patch_size=6, booleanise="thermometer", bins=4)
    return make_pipeline(encoder, _graded()).fit(images, y)


def _of_view(pipeline: Pipeline, view: Any) -> Pipeline:
    """Return a pipeline whose maps show the votes of one view only."""
    encoder, machine = (step for _, step in pipeline.steps)
    own, one = np.array([symbol[0] == view for symbol in encoder.vocabulary_.symbols]), copy.copy(encoder)
    one.to_pixels = lambda scores, image=None: encoder.to_pixels(np.where(own, scores, 0), image)
    return make_pipeline(one, machine)


def _map_of_view(pipeline: Pipeline, images: Any, number: int, view: Any, ax: Any) -> None:
    """Draw the map of one view of whole images; each of its points has a square as large as its step."""
    display = HeatMapDisplay.from_estimator(_of_view(pipeline, view.name), images, class_=number, colorbar=False, ax=ax)
    down, across = view.dilation
    positive, negative = (
        votes[::down, ::across].repeat(down, axis=0).repeat(across, axis=1)
        for votes in (display.positive, display.negative)
    )
    ax.clear()
    HeatMapDisplay.from_maps(positive, negative, display.image, colorbar=False, ax=ax)


def _example(images: Any, y: Any, predicted: Any, number: int, name: str, ax: Any) -> tuple[int, Any]:
    """Draw an image of a class that is predicted correctly, and return its number and those of all of the class."""
    of_class = np.flatnonzero(y == number)
    i = int(of_class[predicted[of_class] == number][2])
    ax.imshow(images[i], cmap="gray")
    ax.set_title(name, fontsize=9)
    ax.set_xticks([])
    ax.set_yticks([])
    return i, of_class


def _heat_maps_of_views(pipeline: Pipeline, images: Any, y: Any, names: tuple[str, ...]) -> Figure:
    """Draw an image of each class, and for each view of whole images its map and the mean map of the class."""
    views = pipeline.steps[0][1].views_
    figure, axes = pyplot.subplots(1 + 2 * len(views), len(names), figsize=(9.6, 5.3), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
    predicted = pipeline.predict(images)
    for number, (name, column) in enumerate(zip(names, axes.T, strict=True)):
        i, of_class = _example(images, y, predicted, number, name, column[0])
        for row, view in enumerate(views):
            for ax, chosen in zip(column[1 + 2 * row :], ([i], of_class[:N_MEAN_VIEWS]), strict=False):
                _map_of_view(pipeline, images[chosen], number, view, ax)
    axes[0, 0].set_ylabel("image", fontsize=9)
    for row, view in enumerate(views):
        axes[1 + 2 * row, 0].set_ylabel(f"its {view.name}", fontsize=9)
        axes[2 + 2 * row, 0].set_ylabel(f"mean of {N_MEAN_VIEWS}", fontsize=9)
    return figure


def _heat_maps(pipeline: Pipeline, images: Any, y: Any, names: tuple[str, ...]) -> Figure:
    """Draw an image of each class, its map, and the mean map of the class."""
    figure, axes = pyplot.subplots(3, len(names), figsize=(9.6, 3.25), layout="constrained")
    figure.get_layout_engine().set(w_pad=0.02, h_pad=0.02, wspace=0.02, hspace=0.02)
    predicted = pipeline.predict(images)
    for number, (name, column) in enumerate(zip(names, axes.T, strict=True)):
        i, of_class = _example(images, y, predicted, number, name, column[0])
        for ax, chosen in ((column[1], [i]), (column[2], of_class[:N_MEAN])):
            HeatMapDisplay.from_estimator(pipeline, images[chosen], class_=number, colorbar=False, ax=ax)
            ax.set_title("")
    for ax, text in zip(axes[:, 0], ("image", "its votes", f"mean of {N_MEAN}"), strict=True):
        ax.set_ylabel(text, fontsize=9)
    return figure


def mnist_heat_maps(data: Path | None, model: Path | None = None) -> Figure:
    """Draw digits, as in the paper's figure."""
    pipeline = _digits(data) if model is None else gtm.load(model)
    return _heat_maps(pipeline, *_images("mnist", data)["test"], tuple(map(str, range(10))))


def fashion_heat_maps(data: Path | None, model: Path | None = None) -> Figure:
    """Draw garments, as in the paper's figure; the views of a saved model apart."""
    pipeline, draw = (_garments(data), _heat_maps) if model is None else (gtm.load(model), _heat_maps_of_views)
    return draw(pipeline, *_images("fashion_mnist", data)["test"], GARMENTS)


def one_heat_map(data: Path | None, model: Path | None = None) -> Figure:
    """Draw one digit with its map."""
    pipeline = _digits(data) if model is None else gtm.load(model)
    return HeatMapDisplay.from_estimator(pipeline, _images("mnist", data)["test"][0], 0).figure_


def superpixel_heat_maps(data: Path | None) -> Figure:
    """Draw digits as graphs of superpixels."""
    (images, y), test = _images("mnist", data).values()
    encoder = Superpixels(encoding="thermometer", places=14, levels=4, neighbour_features=False)
    machine = _graded(epochs=10, T=1500, s=200.0, max_misses=3, max_included_literals=12)
    pipeline = make_pipeline(encoder, machine).fit(images[:6000], y[:6000])
    return _heat_maps(pipeline, *test, tuple(map(str, range(10))))


def rule_patches(data: Path | None) -> Figure:
    """Draw the strongest rules for a digit, as patches."""
    encoder, clf = _digits(data).steps[0][1], _digits(data).steps[1][1]
    figure, axes = pyplot.subplots(1, 6, figsize=(9.6, 1.9), layout="constrained")
    for ax, rule in zip(axes, clf.rules(class_=7, top=6), strict=True):
        pixels = encoder.render(rule.layers[0]).pixels
        title = f"C{rule.clause}: {rule.weights[7]:+d}"
        draw_heat_map(np.maximum(pixels, 0), np.maximum(-pixels, 0), limit=1.5, colorbar=False, title=title, ax=ax)
    return figure


def weights(data: Path | None) -> Figure:
    """Draw the weights of the clauses for digits."""
    return WeightsDisplay.from_estimator(_digits(data)).figure_


def training(data: Path | None) -> Figure:
    """Draw the accuracy on training and test images, with early stopping."""
    parts = {name: (images[:4000], y[:4000]) for name, (images, y) in _images("mnist", data).items()}
    encoder = ImagePatches(patch_size=10)
    (graphs, y), (test, truth) = ((encoder.fit_transform(images), y) for images, y in parts.values())
    clf = _graded(epochs=40, n_clauses=200, patience=5)
    clf.fit(graphs, y, eval_set=(test, truth), callbacks=[gtm.History()])
    return TrainingDisplay.from_estimator(clf).figure_


def rules(data: Path | None) -> Figure:  # noqa: ARG001
    """Draw rules about wines."""
    wines = load_wine(as_frame=True)
    machine = gtm.GraphTMClassifier(
        n_clauses=60, T=60, s=2.0, depth=1, epochs=60, max_included_literals=3, random_state=0
    )
    y = np.array(["barolo", "grignolino", "barbera"])[wines.target]
    pipeline = make_pipeline(Table(bins=4), machine).fit(wines.data, y)
    return RulesDisplay.from_estimator(pipeline, wines.data, y).figure_


PICTURES: dict[str, Callable[..., Figure]] = {
    one.__name__: one
    for one in (
        mnist_heat_maps,
        fashion_heat_maps,
        one_heat_map,
        superpixel_heat_maps,
        rule_patches,
        weights,
        training,
        rules,
    )
}
