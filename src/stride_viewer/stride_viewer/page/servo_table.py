"""The table of servos: every reading with its age, alarms and state."""

from __future__ import annotations

from nicegui import ui

from stride_viewer.live import Panel
from stride_viewer.words import SERVO_COLUMNS, servo_row

#: Rows with something wrong are coloured by the page's style.
_ROW_CLASS = ":table-row-class-fn=\"row => row.trouble ? 'troubled' : ''\""


class ServoTable:
    """The table of one page."""

    def __init__(self) -> None:
        columns = [
            {
                "name": field,
                "label": heading,
                "field": field,
                "align": "left" if field in ("joint", "flags", "status") else "right",
            }
            for field, heading in SERVO_COLUMNS
        ]
        self._table = (
            ui.table(columns=columns, rows=[], row_key="joint", pagination=0)
            .props(f"dense flat hide-bottom {_ROW_CLASS}")
            .classes("servos")
        )

    def renew(self, panel: Panel, now: float) -> None:
        """Show the newest readings."""
        telemetry = panel.telemetry
        silence = telemetry.age("servo_states", now)
        rows = [servo_row(servo, silence) for servo in telemetry.servos.values()]
        if rows != self._table.rows:
            self._table.rows = rows
            self._table.update()
