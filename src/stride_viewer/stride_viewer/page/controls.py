"""Controls of a running robot. What may not be used is disabled, and says why."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui

from stride_viewer.freshness import LATE, Freshness
from stride_viewer.live import BodyWish, Live, Panel
from stride_viewer.page.elements import Slider, VelocityPad
from stride_viewer.pilot import Velocity
from stride_viewer.words import UNKNOWN

#: Largest values of the velocity pad at full speed: m/s and rad/s. The motion engine clips further.
FASTEST, FASTEST_TURN = 0.15, 0.6
#: After a page moved its own slider, what others say does not move it for so long, in renewals.
OWN_TIME = 3
TORQUE_NOTE = "The servos hold where they are, then the motion engine goes on. Keep clear."
MILLISECONDS = 1000.0
#: Sends a slider's value and when that was, ms. NiceGUI takes all that is sent for the slider's value.
WITH_TIME = "(value) => { emit(value, Date.now()); element.props['model-value'] = value; }"
#: Body pose: label, key, largest value, unit, step.
_BODY = (
    ("height", "z", 30.0, "mm", 1.0),
    ("forward", "x", 30.0, "mm", 1.0),
    ("left", "y", 30.0, "mm", 1.0),
    ("roll", "roll", 12.0, "deg", 0.5),
    ("pitch", "pitch", 12.0, "deg", 0.5),
    ("yaw", "yaw", 12.0, "deg", 0.5),
)


class ControlPanel:
    """Controls of one page.

    Args:
        live: What all pages share.
        page: Name of this page.
        freshness: Of what its browser says. What was held up on the way is not done.
    """

    def __init__(self, live: Live, page: str, freshness: Freshness) -> None:
        self._live, self._page, self._freshness = live, page, freshness
        self._own = 0
        self._sequences: dict[str, _Choice] = {}
        self._gaits: dict[str, _Choice] = {}
        self._torque_group()
        self._steering_group()
        self._velocity_group()
        self._sequence_group()
        self._body_group()

    def renew(self, panel: Panel) -> None:
        """Enable what may be used; show what others asked for."""
        controls = panel.controls
        self._own = max(self._own - 1, 0)
        self._torque.renew(controls.torque_on)
        self._motion.text = controls.motion_message or "no motion engine is heard"
        _enable(self._slider, not controls.steering)
        _enable(self._center, not controls.steering)
        self._steering_reason.text = controls.steering
        if not self._own and math.isfinite(panel.telemetry.steering):
            self._slider.value = panel.telemetry.steering
            self._steering_value.text = f"{panel.telemetry.steering:+.2f}"
        self._pad.set_disabled(bool(controls.velocity))
        self._velocity_reason.text = controls.velocity or _driven_by(panel, self._page)
        self._renew_choices(
            self._sequence_rows, self._sequences, controls.sequences, self._live.select_sequence
        )
        for name, choice in self._sequences.items():
            choice.mark(name == controls.sequence)
        self._renew_choices(self._gait_rows, self._gaits, controls.gaits, self._live.set_gait)
        for name, choice in self._gaits.items():
            choice.mark(name == controls.gait)
        self._torque_note.set_visibility(not controls.torque_on)
        self._velocity_card.set_visibility(not controls.takes or "cmd_vel" in controls.takes)
        has_sequences = bool(controls.sequences)
        self._sequence_card.set_visibility(has_sequences)
        self._body_card.set_visibility(has_sequences)
        self._body_reason.text = controls.body_pose
        for slider in self._body.values():
            _enable(slider, not controls.body_pose)
        if not self._own:
            for (_, key, _, unit, _), value in zip(_BODY, _body_values(panel.body), strict=True):
                self._body[key].value = round(value * _scale(unit), 3)

    def _torque_group(self) -> None:
        with _group("Robot"):
            self._motion = ui.label("").classes("motion").props("data-testid=motion")
            self._torque = _Choice(
                "torque on", self._when_fresh("torque on", lambda: self._live.set_torque(True))
            )
            self._torque_note = ui.label(TORQUE_NOTE).classes("small")

    def _steering_group(self) -> None:
        with _group("Steering"):
            with ui.row().classes("w-full items-center no-wrap"):
                ui.label("right").classes("small")
                self._slider = Slider(min=-1.0, max=1.0, step=0.05, value=0.0).props(
                    "data-testid=steering"
                )
                ui.label("left").classes("small")
            # From the page's user only: `value` also changes when another page steers.
            self._slider.on("update:model-value", self._steer, throttle=0.05, js_handler=WITH_TIME)
            with ui.row().classes("w-full items-center"):
                self._steering_value = ui.label(UNKNOWN).props("data-testid=steering-value")
                self._center = ui.button("straight on").props("flat dense no-caps")
                _on_click(
                    self._center, self._when_fresh("straight on", lambda: self._live.steer(0.0))
                )
            self._steering_reason = ui.label("").classes("why")

    def _velocity_group(self) -> None:
        with _group("Velocity: hold to walk") as self._velocity_card:
            self._pad = VelocityPad(self._hold, lambda: self._live.release(self._page))
            self._pad.props("data-testid=pad")
            with ui.row().classes("w-full items-center no-wrap"):
                ui.label("speed").classes("small")
                self._speed = Slider(min=0.1, max=1.0, step=0.05, value=0.6)
            self._velocity_reason = ui.label("").classes("why")

    def _sequence_group(self) -> None:
        with _group("Sequences and gaits") as self._sequence_card:
            self._sequence_rows = ui.element("div").classes("choices")
            ui.label("gait").classes("small")
            self._gait_rows = ui.element("div").classes("choices")
            reset = ui.button("reset fault").props("flat dense no-caps")
            _on_click(reset, self._when_fresh("reset fault", self._live.reset_fault))

    def _body_group(self) -> None:
        self._body: dict[str, Slider] = {}
        with _group("Body pose") as self._body_card:
            for label, key, largest, unit, step in _BODY:
                with ui.row().classes("w-full items-center no-wrap body-row"):
                    ui.label(f"{label} ({unit})").classes("small wide")
                    slider = Slider(min=-largest, max=largest, step=step, value=0.0)
                    slider.props(f"label data-testid=body-{key}").on(
                        "update:model-value",
                        self._hold_body,
                        throttle=0.1,
                        js_handler=WITH_TIME,
                    )
                    self._body[key] = slider
            normal = ui.button("back to normal").props("flat dense no-caps")
            _on_click(
                normal,
                self._when_fresh("back to normal", lambda: self._live.hold_body(BodyWish())),
            )
            self._body_reason = ui.label("").classes("why")

    def _when_fresh(
        self, what: str, ask: Callable[[], Awaitable[None] | None]
    ) -> Callable[[Any], Awaitable[None]]:
        async def asked(event: Any) -> None:
            if self._is_fresh(what, event.args):
                answer = ask()
                if answer is not None:
                    await answer

        return asked

    def _is_fresh(self, what: str, sent: float) -> bool:
        """Whether it was asked for now; says so if not. `sent` is the browser's time, ms."""
        late = self._freshness.lateness(float(sent) / MILLISECONDS, self._live.source.time())
        if late <= LATE:
            return True
        self._live.refuse(f"{what}: came {late:.0f} s late and was not done; ask again")
        return False

    def _steer(self, event: Any) -> None:
        value, sent = event.args
        if not self._is_fresh("steering", sent):
            return
        self._own = OWN_TIME
        value = float(value)
        self._steering_value.text = f"{value:+.2f}"
        self._live.steer(value)

    def _hold(self, forward: float, left: float, turn: float, sent: float) -> None:
        if not self._is_fresh("velocity", sent):
            return
        speed = float(self._speed.value) * FASTEST
        rate = float(self._speed.value) * FASTEST_TURN
        self._live.hold(self._page, Velocity(forward * speed, left * speed, turn * rate))

    def _hold_body(self, event: Any) -> None:
        if not self._is_fresh("body pose", event.args[1]):
            return
        self._own = OWN_TIME
        wish = {key: float(self._body[key].value) / _scale(unit) for _, key, _, unit, _ in _BODY}
        self._live.hold_body(
            BodyWish((wish["x"], wish["y"], wish["z"]), (wish["roll"], wish["pitch"], wish["yaw"]))
        )

    def _renew_choices(
        self,
        rows: ui.element,
        choices: dict[str, _Choice],
        reasons: Mapping[str, str],
        ask: Callable[[str], Awaitable[None]],
    ) -> None:
        if list(reasons) != list(choices) and reasons:
            rows.clear()
            choices.clear()
            with rows:
                for name in reasons:
                    choices[name] = _Choice(name, self._when_fresh(name, partial(ask, name)))
        for name, choice in choices.items():
            choice.renew(reasons.get(name, "the motion engine is not heard"))


class _Choice:
    """A button with the reason why it may not be pressed beside it."""

    def __init__(self, label: str, ask: Callable[[Any], Awaitable[None]]) -> None:
        name = label.replace(" ", "-")
        self._box = ui.element("div").classes("choice")
        with self._box:
            self.button = ui.button(label).props(
                f"dense no-caps unelevated outline data-testid={name}"
            )
            _on_click(self.button, ask)
            self._why = ui.label("").classes("why")

    def renew(self, reason: str) -> None:
        _enable(self.button, not reason)
        if self._why.text != reason:
            self._why.text = reason
            # Long reasons are cut; the whole one is a tooltip, also of a disabled button.
            self._box.props["title"] = reason
            self._box.update()

    def mark(self, active: bool) -> None:
        """Show that this is what goes on now."""
        self.button.classes(add="active" if active else "", remove="" if active else "active")


def _on_click(button: ui.button, ask: Callable[[Any], Awaitable[None]]) -> None:
    button.on("click", ask, js_handler="() => emit(Date.now())")


def _group(title: str) -> ui.card:
    card = ui.card().classes("group")
    with card:
        ui.label(title).classes("group-title")
    return card


def _enable(element: Any, enabled: bool) -> None:
    if element.enabled != enabled:
        element.set_enabled(enabled)


def _driven_by(panel: Panel, page: str) -> str:
    if not panel.driver:
        return ""
    who = "this page" if panel.driver == page else "another page"
    v = panel.velocity
    forward, left, turn = (round(value, 2) + 0.0 for value in (v.forward, v.left, v.turn))
    return f"{who} drives: {forward:+.2f} {left:+.2f} m/s, {turn:+.2f} rad/s"


def _body_values(wish: BodyWish) -> tuple[float, ...]:
    """In the order of _BODY."""
    x, y, z = wish.position
    return (z, x, y, *wish.angles)


def _scale(unit: str) -> float:
    """Units of the page in a metre or radian."""
    return 1000.0 if unit == "mm" else math.degrees(1.0)
