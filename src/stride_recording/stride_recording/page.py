"""Panels as one HTML file that needs nothing else: curves to zoom into, joints to choose."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stride_base.atomic_file import write_atomically
from stride_recording.colours import colours
from stride_recording.panels import Curve, Panel, Style, thinned, with_gaps
from stride_recording.summary import Summary

#: Points of a curve; more are drawn slower than anybody looks.
MOST_POINTS = 3000
PANEL_HEIGHT, SPACE = 230, 52
ALL_JOINTS = "all joints"
_STYLE = """
body { font-family: sans-serif; margin: 1.5em auto; max-width: 1500px; color: #222; }
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
    plot = figure(panels).to_html(
        full_html=False, include_plotlyjs=True, config={"displaylogo": False, "responsive": True}
    )
    lines = "\n".join(f"<p>{html.escape(line)}</p>" for line in summary.lines())
    return (
        f"<!DOCTYPE html>\n<html><head><meta charset='utf-8'><title>{html.escape(title)}</title>"
        f"<style>{_STYLE}</style></head><body>\n<h1>{html.escape(title)}</h1>\n{lines}\n{plot}\n"
        f"<div class='tables'>{_joint_table(summary)}{_topic_table(summary)}</div>\n"
        "</body></html>\n"
    )


def figure(panels: Sequence[Panel]) -> Any:
    """The plotly figure: one row per panel, one time axis for all."""
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
    hues = colours(joints)
    named: set[str] = set()
    shown: list[str] = []
    for row, panel in enumerate(panels, start=1):
        others = colours([curve.name for curve in panel.curves if not curve.joint])
        for curve in panel.curves:
            hue = hues[curve.joint] if curve.joint else others[curve.name]
            drawn.add_trace(_trace(curve, panel, hue, named), row=row, col=1)
            shown.append(curve.joint)
        drawn.update_yaxes(_value_axis(panel), row=row, col=1)
        drawn.update_xaxes(showticklabels=True, row=row, col=1)
    drawn.update_xaxes(title_text="s", row=rows, col=1)
    drawn.update_layout(
        height=height,
        template="plotly_white",
        margin={"l": 70, "r": 10, "t": 70, "b": 40},
        hovermode="closest",
        legend={"groupclick": "togglegroup", "tracegroupgap": 0, "font": {"size": 11}},
        updatemenus=[_chooser(joints, shown)] if len(joints) > 1 else [],
    )
    drawn.update_annotations(font_size=13)
    return drawn


def _trace(curve: Curve, panel: Panel, hue: str, named: set[str]) -> Any:
    from plotly.graph_objects import Scatter

    curve = thinned(with_gaps(curve), MOST_POINTS)
    # A joint has one entry in the legend, which shows and hides it in every panel.
    group = curve.joint or f"{panel.title}: {curve.name}"
    first = group not in named
    named.add(group)
    return Scatter(
        x=curve.time,
        y=curve.values,
        name=html.escape(curve.joint or curve.name),
        legendgroup=group,
        showlegend=first,
        legendgrouptitle=None,
        mode="lines+markers" if curve.style is Style.MARKS else "lines",
        marker={"size": 5},
        line={
            "color": hue,
            "width": 1.2,
            "dash": "dot" if curve.style is Style.DASHED else "solid",
            "shape": "hv" if curve.style is Style.STEPS else "linear",
        },
        connectgaps=False,
        hovertemplate=f"{html.escape(curve.name)}<br>%{{x:.3f}} s: %{{y:.4g}}<extra></extra>",
    )


def _value_axis(panel: Panel) -> dict[str, Any]:
    axis: dict[str, Any] = {"title": {"text": panel.unit, "font": {"size": 11}}}
    if panel.logarithmic:
        axis["type"] = "log"
    if panel.rows:
        names = [html.escape(row) for row in panel.rows]
        axis |= {"tickvals": list(range(len(names))), "ticktext": names, "tickfont": {"size": 8}}
        axis["range"] = [len(names) - 0.5, -0.5]
    return axis


def _chooser(joints: Sequence[str], shown: Sequence[str]) -> dict[str, Any]:
    """A list of the joints; what belongs to no joint is always there."""
    buttons = [
        {
            "label": html.escape(choice),
            "method": "restyle",
            "args": [{"visible": [choice in (ALL_JOINTS, joint) or not joint for joint in shown]}],
        }
        for choice in (ALL_JOINTS, *joints)
    ]
    return {
        "buttons": buttons,
        "x": 1.0,
        "xanchor": "right",
        "y": 1.0,
        "yanchor": "bottom",
        "pad": {"b": 25},
    }


def _joint_table(summary: Summary) -> str:
    rows = [
        (j.joint, f"{j.rms:.4f}", f"{j.worst:.4f}", j.unit, str(j.missing)) for j in summary.joints
    ]
    return _table(("joint", "error rms", "error max", "", "missing readings"), rows)


def _topic_table(summary: Summary) -> str:
    rows = [(t.topic, t.type_name, str(t.count), f"{t.rate:.1f}") for t in summary.topics]
    return _table(("topic", "type", "messages", "per s"), rows)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    titles = "".join(f"<th>{html.escape(title)}</th>" for title in head)
    lines = "".join(
        "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><tr>{titles}</tr>{lines}</table>"
