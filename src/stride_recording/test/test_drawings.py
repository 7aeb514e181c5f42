"""Page and picture show the panels' numbers, and the command says what it wrote."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from sensor_msgs.msg import JointState

from stride_base.errors import StrideError
from stride_recording import page, picture
from stride_recording.cli.plot import plot
from stride_recording.panels import Panel, make_panels
from stride_recording.reader import Recording
from stride_recording.robot_series import collect

Maker = Callable[..., Path]
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def panels(record: Maker, walk: Any) -> list[Panel]:
    return make_panels(collect(Recording.open(record(walk.said())), ""), ("a", "b"))


def run(*arguments: object) -> str:
    result = CliRunner().invoke(plot, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_the_page_draws_the_numbers_of_the_panels(panels: list[Panel], walk: Any) -> None:
    figure = page.figure(panels)
    found = [t for t in figure.data if t.legendgroup == "b" and t.yaxis == "y"]
    wanted, measured = found
    np.testing.assert_array_equal(wanted.y, [row[1] for row in walk.wanted])
    np.testing.assert_array_equal(measured.y, [row[1] for row in walk.measured])
    assert np.flatnonzero(np.isnan(measured.y)).tolist() == [20, 21]
    assert not measured.connectgaps
    assert (wanted.line.dash, measured.line.dash) == ("dash", "solid")


def test_every_curve_is_on_the_page_and_times_are_linked(panels: list[Panel]) -> None:
    figure = page.figure(panels)
    assert len(figure.data) == sum(len(panel.curves) for panel in panels)
    axes = [axis for name, axis in figure.to_dict()["layout"].items() if name.startswith("xaxis")]
    assert len(axes) == len(panels)
    assert len({axis.get("matches", "self") for axis in axes}) == 2


def test_each_joint_is_once_in_the_legend_with_its_error(panels: list[Panel]) -> None:
    named = [t.name for t in page.figure(panels).data if t.legendgroup and t.showlegend]
    assert named == ["a, rms 0.100 rad", "b, rms 0.000 rad"]


def test_choosing_a_joint_hides_the_others_and_nothing_else(panels: list[Panel]) -> None:
    figure = page.figure(panels)
    (menu,) = figure.layout.updatemenus
    assert [button.label for button in menu.buttons] == ["all joints", "a", "b"]
    visible = menu.buttons[1].args[0]["visible"]
    for trace, shown in zip(figure.data, visible, strict=True):
        assert shown == ("legendonly" if trace.legendgroup == "b" else True)


def test_the_page_needs_nothing_else(record: Maker, walk: Any, tmp_path: Path) -> None:
    path = tmp_path / "walk.html"
    text = run(record(walk.said()), "--output", path)
    assert f"wrote {path}" in text
    html = path.read_text(encoding="utf-8")
    assert "plotly.js v" in html
    assert not re.search(r"<(script|link)[^>]+(src|href)=", html)
    assert "<td>a</td><td>0.1000</td><td>0.1000</td><td>rad</td><td>0</td>" in html


def test_the_page_is_written_beside_the_recording(record: Maker, walk: Any) -> None:
    file = record(walk.said())
    assert f"wrote {file.with_suffix('.html')}" in run(file, "--quiet")
    assert file.with_suffix(".html").is_file()


def test_the_picture_is_a_png_with_the_numbers_of_the_panels(
    panels: list[Panel], walk: Any, tmp_path: Path
) -> None:
    path = tmp_path / "walk.png"
    picture.draw(panels, "walk $ of_it", path)
    assert path.read_bytes().startswith(PNG)
    lines = [line for axes in _axes(panels) for line in axes.get_lines()]
    drawn = [line.get_ydata() for line in lines]
    expected = [row[1] for row in walk.measured]
    assert any(
        len(d) == len(expected) and np.array_equal(d, expected, equal_nan=True) for d in drawn
    )
    assert len(lines) == sum(len(panel.curves) for panel in panels)


def test_a_gap_is_in_the_picture_too(panels: list[Panel]) -> None:
    (axes,) = [a for a in _axes(panels) if a.get_title().startswith("b: position")]
    measured = axes.get_lines()[1].get_ydata()
    assert np.flatnonzero(np.isnan(measured)).tolist() == [20, 21]


def test_eighteen_joints_begin_with_the_one_that_follows_worst(
    record: Maker, tmp_path: Path
) -> None:
    names = [f"joint_{number}" for number in range(18)]
    said: list[Any] = []
    for number in range(20):
        time = number * 0.02
        wanted = JointState(name=names, position=[0.0] * 18)
        measured = JointState(name=names, position=[0.01 * (7 - abs(n - 7)) for n in range(18)])
        said += [("/joints_fixed", time, wanted), ("/joint_states", time, measured)]
    path = tmp_path / "many.png"
    file = record(said)
    run(file, "--output", path)
    assert path.read_bytes().startswith(PNG)
    run(file, "--quiet")
    html = file.with_suffix(".html").read_text(encoding="utf-8")
    assert '"active":8' in html


def test_only_the_joints_that_are_named_are_drawn(record: Maker, walk: Any) -> None:
    text = run(record(walk.said()), "--joints", "b")
    assert re.search(r"│ b +│", text)
    assert not re.search(r"│ a +│", text)


def test_the_tables_tell_topics_rates_errors_and_the_bus(record: Maker, walk: Any) -> None:
    text = run(record(walk.said()))
    assert re.search(r"/joint_states +│ sensor_msgs/msg/JointState +│ +50 │ +50\.0", text)
    assert re.search(r"│ a +│ +0\.1000 │ +0\.1000 │ +rad │ +0 │", text)
    assert "bus: 2 missed cycles, at most 2.50 ms late" in text


def test_a_robot_in_a_namespace_is_found_by_the_recording(record: Maker, walk: Any) -> None:
    walk.space = "/left"
    text = run(record(walk.said(), namespace="/left"))
    assert re.search(r"│ a +│ +0\.1000", text)
    assert "2 missed cycles" in text


def test_a_recording_that_was_cut_off_is_drawn_and_told(record: Maker, walk: Any) -> None:
    assert "was cut off" in run(record(walk.said(), finish=False))


def test_names_from_a_recording_cannot_write_into_the_page(record: Maker) -> None:
    evil = "<script>alert(1)</script>"
    said = [
        (topic, time, JointState(name=[evil], position=[time]))
        for time in (0.0, 0.02, 0.04)
        for topic in ("/joints_fixed", "/joint_states")
    ]
    file = record(said)
    run(file, "--quiet")
    html = file.with_suffix(".html").read_text(encoding="utf-8")
    assert evil not in html
    assert "&lt;script&gt;alert(1)" in html


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--joints", "a,zz"), "has no joint 'zz'; it has a, b"),
        (("--from", "0.6", "--to", "0.5"), "'--to' is 0.5; expected more than --from, 0.6 s"),
        (("--from", "99"), "holds nothing to draw there; it is 1.0 s long"),
        (("--output", "x.pdf"), "expected a name that ends in .html or .png"),
        (("--output", "/nowhere/x.png"), "/nowhere/x.png cannot be written: No such file"),
        (("--namespace", "right"), "nothing of a robot in namespace /right; it has /"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_one_sentence(
    record: Maker, walk: Any, arguments: tuple[str, ...], words: str
) -> None:
    file = record(walk.said())
    with pytest.raises(StrideError) as error:
        run(file, *arguments)
    assert words in str(error.value)
    assert not file.with_suffix(".html").exists()


def _axes(panels: list[Panel]) -> list[Any]:
    figure = picture.figure(panels, "walk")
    return [axes for part in figure.subfigs for axes in part.axes]
