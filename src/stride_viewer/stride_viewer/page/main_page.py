"""The page as one browser sees it: head with STOP, robot, controls, plots and table."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from stride_viewer.condition import State
from stride_viewer.freshness import Freshness
from stride_viewer.live import Live, Panel
from stride_viewer.page.controls import MILLISECONDS, ControlPanel
from stride_viewer.page.elements import RobotView
from stride_viewer.page.meshes import Meshes
from stride_viewer.page.player import Player
from stride_viewer.page.plots import Plots
from stride_viewer.page.servo_table import ServoTable
from stride_viewer.robot_model import RobotModel
from stride_viewer.words import facts, not_measured

_COLORS = {
    State.RUNNING: "positive",
    State.TORQUE_OFF: "warning",
    State.NOT_ACTIVE: "warning",
    State.PORT_LOST: "negative",
    State.STOPPED: "grey-7",
    State.NOT_HEARD: "grey-7",
}
_VIEW_SWITCHES = (
    ("ghost", "wanted pose"),
    ("load", "load"),
    ("ground", "support"),
    ("follow", "follow"),
)
PLOTS, SERVOS = "plots", "servos"
#: Texts that are the same for every part of the same problem are shown up to this many.
MOST_TROUBLES = 6


class MainPage:
    """One open page.

    Args:
        live: What all pages share.
        name: Of this page, to tell who drives.
        meshes: Where the browser finds the robot's meshes.
    """

    def __init__(self, live: Live, name: str, meshes: Meshes) -> None:
        self._live, self._meshes = live, meshes
        self._freshness = Freshness()
        self._head()
        with ui.element("main").classes("stage"):
            self._robot()
            with ui.element("aside").classes("side"):
                if live.robot is None:
                    self._player: Player | None = Player(live)
                    self._controls: ControlPanel | None = None
                else:
                    self._player = None
                    self._controls = ControlPanel(live, name, self._freshness)
            with ui.element("section").classes("below"):
                with ui.tabs().props("dense align=left no-caps") as self._tabs:
                    ui.tab(PLOTS, label="Plots")
                    ui.tab(SERVOS, label="Servos")
                with ui.tab_panels(self._tabs, value=PLOTS).classes("panels").props("keep-alive"):
                    with ui.tab_panel(PLOTS):
                        self._plots = Plots(live)
                    with ui.tab_panel(SERVOS):
                        self._table = ServoTable()

    def draw(self, picture: dict[str, Any]) -> None:
        self._view.draw(picture)

    def use_model(self, model: RobotModel | None, note: str) -> None:
        scene = self._meshes.scene(model)
        self._view.use_robot(scene, self._meshes.note(scene, note))

    def renew(self, panel: Panel) -> None:
        if not self._view.may_renew():
            return
        self._show(panel)
        self._view.settle()

    def _show(self, panel: Panel) -> None:
        state, telemetry = panel.condition.state, panel.telemetry
        self._state.text = state.value.upper()
        self._state.props(f"color={_COLORS[state]}")
        self._reason.text = panel.condition.reason
        self._stale.set_visibility(not panel.condition.heard and panel.playback is None)
        self._stale.text = f"{state.value}: {panel.condition.reason}"
        self._facts.text = facts(telemetry, panel.margin, self._live.source.time())
        answer = panel.answer
        self._answer.text = answer.message if answer is not None else ""
        refused = answer is not None and not answer.accepted
        self._answer.classes(add="refused" if refused else "", remove="" if refused else "refused")
        self._show_trouble(panel)
        if self._controls is not None:
            self._controls.renew(panel)
        if self._player is not None:
            self._player.renew(panel)
        if self._tabs.value == PLOTS:
            self._plots.renew(panel)
        else:
            self._table.renew(panel, self._live.source.time())

    def _head(self) -> None:
        with ui.element("header").classes("head"):
            ui.label(f"Stride · {self._live.name}").classes("title")
            self._state = ui.badge("").classes("state").props("data-testid=state")
            self._reason = ui.label("").classes("reason")
            ui.space()
            self._facts = ui.label("").classes("facts").props("data-testid=facts")
            if self._live.robot is not None:
                # Not through the page's own connection: it works when that is broken or busy.
                stop = ui.button("STOP").classes("stop")
                stop.props("color=negative unelevated data-testid=stop")
                stop.props('title="torque off at all servos, at once (key: Escape)"')
                stop.on("click", js_handler="() => window.strideStop()")
            else:
                ui.badge("RECORDING").props("color=info").classes("state")
        ui.html('<div id="stop-answer" role="alert"></div>', sanitize=False)

    def _robot(self) -> None:
        with ui.element("section").classes("view"):
            scene = self._meshes.scene(self._live.model)
            note = self._meshes.note(scene, self._live.note)
            self._view = RobotView(scene, note, self._heard).classes("robot")
            with ui.row().classes("view-switches"):
                for option, label in _VIEW_SWITCHES:
                    ui.checkbox(label, value=True, on_change=self._switch(option)).props("dense")
            ui.html("<span>load 0</span><i></i><span>0.8</span>", sanitize=False).classes(
                "load-key"
            )
            self._stale = ui.label("").classes("stale")
            with ui.element("div").classes("view-foot"):
                self._answer = ui.label("").classes("answer").props("data-testid=answer")
                self._trouble = ui.label("").classes("trouble")

    def _heard(self, sent: float) -> None:
        self._freshness.note(sent / MILLISECONDS, self._live.source.time())

    def _switch(self, option: str) -> Any:
        return lambda event: self._view.show(**{option: bool(event.value)})

    def _show_trouble(self, panel: Panel) -> None:
        trouble = panel.condition.trouble if panel.condition.heard else ()
        unseen = not_measured(self._live.model, panel.telemetry)
        more = len(trouble) - MOST_TROUBLES
        lines = [*trouble[:MOST_TROUBLES], *([f"and {more} more"] if more > 0 else [])]
        lines += [unseen] if unseen else []
        self._trouble.text = "\n".join(lines)
