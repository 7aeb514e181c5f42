"""Panels as one HTML file that needs nothing else: curves to zoom into, joints to choose."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stride_base.atomic_file import write_atomically
from stride_recording.colours import colours
from stride_recording.panels import Curve, Panel, Style, thinned, value_range, with_gaps
from stride_recording.summary import Summary, number

#: Points of a curve; more are drawn slower than anybody looks.
MOST_POINTS = 3000
PANEL_HEIGHT, SPACE = 230, 52
ALL_JOINTS = "all joints"
#: With more joints than this, the page begins with the one that follows worst.
MOST_AT_ONCE = 6
_STYLE = """
body { font-family: sans-serif; margin: 0 auto; padding: 1em 1.5em; max-width: 1500px; color: #222; }
h1 { font-size: 1.3em; } p { margin: 0.3em 0; }
table { border-collapse: collapse; font-size: 0.85em; margin: 0.8em 2em 0.8em 0; }
th, td { padding: 0.15em 0.8em; border-bottom: 1px solid #ddd; text-align: right; }
th:first-child, td:first-child { text-align: left; }
.tables { display: flex; flex-wrap: wrap; align-items: flex-start; }
"""


def draw(panels: Sequence[Panel], title: str, summary: Summary, path: Path) -> None:
    """Write the page to `path`."""
    write_atomically(path, text(panels, title, summary))


def text(panels: Sequence[Panel], title: str, summary: Summary) -> str:
    """The page."""
    plot = figure(panels, _first(summary)).to_html(
        full_html=False, include_plotlyjs=True, config={"displaylogo": False, "responsive": True}
    )
    lines = "\n".join(f"<p>{html.escape(line)}</p>" for line in summary.lines())
    return (
        f"<!DOCTYPE html>\n<html><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
        f"<style>{_STYLE}</style></head><body>\n<h1>{html.escape(title)}</h1>\n{lines}\n{plot}\n"
        f"<div class='tables'>{_joint_table(summary)}{_topic_table(summary)}</div>\n"
        "</body></html>\n"
    )


def figure(panels: Sequence[Panel], first: str = ALL_JOINTS) -> Any:
    """The plotly figure: one row per panel, one time axis for all.

    Args:
        panels: What to draw.
        first: The joint that is shown at first, or ALL_JOINTS.
    """
    from plotly.subplots import make_subplots

    rows = len(panels)
    height = rows * (PANEL_HEIGHT + SPACE) + 80
    drawn = make_subplots(
        rows=rows,
        cols=1,
        shared_xaxes=True,
        vertical_spacing=SPACE / height if rows > 1 else 0.0,
        subplot_titles=[panel.title for panel in panels],
    )
    joints = list(dict.fromkeys(c.joint for panel in panels for c in panel.curves if c.joint))
    traces = _Traces(panels, joints, first)
    for row, panel in enumerate(panels, start=1):
        for curve in panel.curves:
            drawn.add_trace(traces.trace(curve, panel, row), row=row, col=1)
        drawn.update_yaxes(_value_axis(panel), row=row, col=1)
        drawn.update_xaxes(showticklabels=True, row=row, col=1)
        # Curves of no joint have a legend beside their panel.
        top = drawn.layout[f"yaxis{row if row > 1 else ''}"].domain[1]
        drawn.layout[f"legend{row + 1}"] = {
            "x": 1.01,
            "y": top,
            "yanchor": "top",
            "font": {"size": 11},
        }
    drawn.update_xaxes(title_text="s", row=rows, col=1)
    drawn.update_layout(
        height=height,
        template="plotly_white",
        margin={"l": 70, "r": 230, "t": 60, "b": 40},
        hovermode="closest",
        legend={"x": 1.01, "y": 1.0, "tracegroupgap": 0, "font": {"size": 11}},
        updatemenus=[_chooser(joints, traces.joints, first)] if len(joints) > 1 else [],
    )
    drawn.update_annotations(font_size=13, x=0.0, xanchor="left")
    return drawn


class _Traces:
    """Makes plotly's traces; a joint has one entry in the legend, which is for all panels."""

    def __init__(self, panels: Sequence[Panel], joints: Sequence[str], first: str) -> None:
        self._first, self._hues = first, colours(joints)
        self._others = [
            colours([curve.name for curve in panel.curves if not curve.joint]) for panel in panels
        ]
        self._labels = {joint: joint for joint in joints}
        for panel in panels:
            for curve in panel.curves:
                if curve.note:
                    self._labels[curve.joint] = f"{curve.joint}, {curve.note}"
        self._named: set[str] = set()
        #: Joint of each trace that was made; empty for none.
        self.joints: list[str] = []

    def trace(self, curve: Curve, panel: Panel, row: int) -> Any:
        """One curve in a row of panels, counted from 1."""
        from plotly.graph_objects import Scatter

        self.joints.append(curve.joint)
        dashed = curve.style is Style.DASHED
        legend: dict[str, Any] = {"legend": f"legend{row + 1}", "name": html.escape(curve.name)}
        if curve.joint:
            legend = {
                "legend": "legend",
                "legendgroup": curve.joint,
                "showlegend": not dashed and curve.joint not in self._named,
                "name": html.escape(self._labels[curve.joint]),
                "visible": _visible(curve.joint, self._first),
            }
            self._named |= set() if dashed else {curve.joint}
        drawn = thinned(with_gaps(curve), MOST_POINTS)
        return Scatter(
            x=drawn.time,
            y=drawn.values,
            mode="lines+markers" if curve.style is Style.MARKS else "lines",
            marker={"size": 5},
            line={
                "color": self._hues.get(curve.joint) or self._others[row - 1][curve.name],
                "width": 1.3,
                "dash": "dash" if dashed else "solid",
                "shape": "hv" if curve.style is Style.STEPS else "linear",
            },
            connectgaps=False,
            hovertemplate=f"{html.escape(curve.name)}<br>%{{x:.3f}} s: %{{y:.4g}}<extra></extra>",
            **legend,
        )


def _first(summary: Summary) -> str:
    known = [joint for joint in summary.joints if joint.rms == joint.rms]
    if len(summary.joints) <= MOST_AT_ONCE or not known:
        return ALL_JOINTS
    return max(known, key=lambda joint: joint.rms).joint


def _visible(joint: str, choice: str) -> bool | str:
    """A joint that is not chosen stays in the legend, to be added by a click."""
    return True if not joint or choice in (ALL_JOINTS, joint) else "legendonly"


def _value_axis(panel: Panel) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": panel.unit, "font": {"size": 11}}}
    shown = value_range(panel)
    if panel.logarithmic:
        axis |= {"type": "log", "dtick": 1, "exponentformat": "none"}
    elif panel.rows:
        names = [html.escape(row) for row in panel.rows]
        axis |= {"tickvals": list(range(len(names))), "ticktext": names, "tickfont": {"size": 8}}
        axis["range"] = [len(names) - 0.5, -0.5]
    elif shown is not None:
        axis["range"] = list(shown)
    return axis


def _chooser(joints: Sequence[str], drawn: Sequence[str], first: str) -> dict[str, Any]:
    """A list of the joints; what belongs to no joint is always there."""
    choices = (ALL_JOINTS, *joints)
    buttons = [
        {
            "label": html.escape(choice),
            "method": "restyle",
            "args": [{"visible": [_visible(joint, choice) for joint in drawn]}],
        }
        for choice in choices
    ]
    return {
        "buttons": buttons,
        "active": choices.index(first),
        "x": 1.01,
        "xanchor": "left",
        "y": 1.0,
        "yanchor": "bottom",
        "pad": {"b": 8},
    }


def _joint_table(summary: Summary) -> str:
    rows = [
        (j.joint, number(j.rms, 4), number(j.worst, 4), j.unit, str(j.missing))
        for j in summary.joints
    ]
    return _table(("joint", "error rms", "error max", "", "missing readings"), rows)


def _topic_table(summary: Summary) -> str:
    rows = [(t.topic, t.type_name, str(t.count), number(t.rate, 1)) for t in summary.topics]
    return _table(("topic", "type", "messages", "per s"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    titles = "".join(f"<th>{html.escape(title)}</th>" for title in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{titles}</tr>{lines}</table>"
