"""Heat maps as pictures: colours, outlines, scales, and what is refused."""

import io
import sys

import numpy as np
import pytest

import graphtm as gtm

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed; pictures are drawn with it")
matplotlib.use("Agg")

from matplotlib import pyplot  # noqa: E402

from graphtm.plots import HeatMapDisplay, draw_heat_map  # noqa: E402

POSITIVE, NEGATIVE = np.array([[0.0, 3.0, 1.0], [0.0, 0.0, 0.0]]), np.array([[2.0, 0.0, 1.0], [0.0, 0.0, 0.5]])
IMAGE = np.array([[0, 200, 200], [0, 0, 0]], np.uint8)


def colour(ax, row, column):
    """Red, green and blue of a pixel as it is drawn."""
    picture = ax.images[0]
    return picture.cmap(picture.norm(picture.get_array()))[row, column, :3]


def test_red_is_positive_and_blue_is_negated():
    ax = draw_heat_map(POSITIVE, NEGATIVE)
    np.testing.assert_array_equal(ax.images[0].get_array(), POSITIVE - NEGATIVE)
    red, _, blue = colour(ax, 0, 1)
    assert red > 2 * blue
    red, _, blue = colour(ax, 0, 0)
    assert blue > 2 * red
    for row, column in ((0, 2), (1, 0)):
        assert np.ptp(colour(ax, row, column)) < 0.02
    assert not ax.collections
    assert len(ax.get_xticks()) == len(ax.get_yticks()) == 0


def test_most_pixels_set_the_scale():
    votes = np.ones((40, 40))
    votes[3, 3] = 500
    ax = draw_heat_map(votes, np.zeros((40, 40)))
    assert ax.images[0].get_clim() == (-1, 1)
    assert ax.images[0].colorbar.extend == "both"
    assert draw_heat_map(votes, votes).images[0].get_clim() == (-1, 1)
    alone = draw_heat_map(votes * (votes > 1), np.zeros((40, 40)))
    assert alone.images[0].get_clim() == (-500, 500)
    assert alone.images[0].colorbar.extend == "neither"
    assert draw_heat_map(votes, votes / 2, limit=7).images[0].get_clim() == (-7, 7)


def test_the_scale_has_votes_on_both_sides():
    bar = draw_heat_map(10 * POSITIVE, NEGATIVE).images[0].colorbar
    bar.ax.figure.canvas.draw()
    shown = [label.get_text() for label in bar.ax.get_yticklabels() if label.get_text()]
    assert "10" in shown
    assert all(float(text) >= 0 for text in shown)
    assert "negated literals" in bar.ax.get_ylabel()
    figure, ax = pyplot.subplots()
    draw_heat_map(POSITIVE, NEGATIVE, colorbar=False, ax=ax)
    assert figure.axes == [ax]


def test_the_outline_divides_dark_from_light():
    ax = draw_heat_map(POSITIVE, NEGATIVE, IMAGE)
    (outline,) = ax.collections
    assert outline.levels.tolist() == [100.0]
    corners = np.concatenate([path.vertices for path in outline.get_paths()])
    assert corners[:, 0].min() == 0.5
    assert corners[:, 1].max() == 0.5
    in_colour = draw_heat_map(POSITIVE, NEGATIVE, np.stack([IMAGE, IMAGE, 0 * IMAGE], axis=-1))
    assert len(in_colour.collections) == 1
    assert not draw_heat_map(POSITIVE, NEGATIVE, 0 * IMAGE).collections


def test_titles_are_never_mathematics():
    title = "Votes for $x_1$ and a name that is much too long for one line"
    ax = draw_heat_map(POSITIVE, NEGATIVE, title=title, ax=pyplot.subplots(figsize=(2, 2))[1])
    assert ax.get_title().split() == title.split()
    assert "\n" in ax.get_title()
    assert not ax.title.get_parse_math()
    ax.figure.savefig(io.BytesIO())


def test_displays_draw_the_image_beside_the_map():
    display = HeatMapDisplay.from_maps(POSITIVE.tolist(), NEGATIVE, IMAGE, title="Votes for 1")
    np.testing.assert_array_equal(display.image_ax_.images[0].get_array(), IMAGE)
    np.testing.assert_array_equal(display.ax_.images[0].get_array(), POSITIVE - NEGATIVE)
    assert (display.ax_.get_title(), len(display.ax_.collections)) == ("Votes for 1", 1)
    assert display.figure_ is display.ax_.figure is display.image_ax_.figure
    _, axes = pyplot.subplots(1, 3)
    again = display.plot(axes[0], colorbar=False, limit=4)
    assert again is display
    assert (display.ax_, display.image_ax_) == (axes[0], None)
    assert display.ax_.images[0].get_clim() == (-4, 4)
    assert (display.plot(axes[1:]).image_ax_, display.ax_) == (axes[1], axes[2])
    assert HeatMapDisplay.from_maps(POSITIVE, NEGATIVE).image_ax_ is None
    with pytest.raises(ValueError, match="must be the axes of the map, since there is no image"):
        HeatMapDisplay(POSITIVE, NEGATIVE).plot(axes[1:])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (POSITIVE, NEGATIVE[:1]),
            r"must be of the same shape, with a pixel at least. Got shapes \(2, 3\) and \(1, 3\)",
        ),
        ((np.zeros((0, 2)), np.zeros((0, 2))), "with a pixel at least"),
        ((POSITIVE, -NEGATIVE), r"'negative' parameter of draw_heat_map must be numbers of at least 0. Got -2 instead"),
        (
            ([1, 2], NEGATIVE),
            r"'positive' .* finite numbers, \(height, width\). Got an array with shape \(2,\) instead",
        ),
        ((POSITIVE * np.nan, NEGATIVE), "Got an array with numbers that are not finite instead"),
        ((POSITIVE, NEGATIVE, IMAGE.T), r"'image' .* must be of shape \(2, 3\), or with channels.* Got shape \(3, 2\)"),
    ],
)
def test_what_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_heat_map(*arguments)
    with pytest.raises(
        ValueError, match=r"'limit' parameter of draw_heat_map must be a number above 0\. Got 0 instead"
    ):
        draw_heat_map(POSITIVE, NEGATIVE, limit=0)


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    for draw in (lambda: draw_heat_map(POSITIVE, NEGATIVE), HeatMapDisplay(POSITIVE, NEGATIVE, IMAGE).plot):
        with pytest.raises(gtm.MissingLibraryError, match=r"needs the library .*pip install 'graphtm\[plots\]'"):
            draw()
