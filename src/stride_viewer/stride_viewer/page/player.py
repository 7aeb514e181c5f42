"""Controls of a recording: play, pause, speed, where in time."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from stride_viewer.live import Live, Panel
from stride_viewer.page.elements import Slider
from stride_viewer.playback import Playback

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0)


class Player:
    """Playback controls of one page; the last one that was touched wins, and all see it."""

    def __init__(self, live: Live) -> None:
        assert isinstance(live.source, Playback)
        self._playback = live.source
        with ui.card().classes("group"):
            ui.label("Recording").classes("group-title")
            with ui.row().classes("items-center"):
                self._button = ui.button(icon="pause", on_click=self._toggle).props("round dense")
                self._time = ui.label("")
            self._slider = Slider(min=0.0, max=max(self._playback.duration, 0.001), step=0.01)
            self._slider.on("update:model-value", self._jump, throttle=0.1)
            self._speed = ui.toggle({speed: f"{speed:g}×" for speed in SPEEDS}, value=1.0).props(
                "dense no-caps"
            )
            self._trouble = ui.label("").classes("why")
            self._speed.on(
                "update:model-value", lambda: self._playback.set_speed(self._speed.value)
            )

    def renew(self, panel: Panel) -> None:
        """Show where it is."""
        playback = self._playback
        elapsed = playback.elapsed
        self._button.props(f"icon={'pause' if playback.playing else 'play_arrow'}")
        self._time.text = f"{elapsed:.1f} of {playback.duration:.1f} s"
        self._slider.value = round(elapsed, 2)
        self._speed.value = playback.speed
        self._trouble.text = playback.trouble

    def _toggle(self) -> None:
        if self._playback.playing:
            self._playback.pause()
        else:
            self._playback.play()

    def _jump(self, event: Any) -> None:
        self._playback.jump(float(event.args))
