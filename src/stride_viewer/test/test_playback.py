"""A recording on its own time: play, pause, speed, jump."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from stride_viewer.playback import LEAD_IN, Playback


@dataclass(frozen=True)
class Record:
    topic: str
    time: float
    message: Any


class FakeRecording:
    """One joint that is at its time, ten times a second for ten seconds from 100 s."""

    start_time, end_time = 100.0, 110.0

    def __init__(self, namespace: str = "") -> None:
        self.metadata = {"namespace": namespace}
        self._joints = f"{namespace}/joint_states"
        self.topics = {self._joints: "sensor_msgs/msg/JointState", "/camera": "x"}
        self.asked: list[Collection[str]] = []

    def messages(
        self, topics: Collection[str], start: float = 0.0, end: float = math.inf
    ) -> Iterator[Record]:
        self.asked.append(topics)
        for step in range(101):
            time = 100.0 + step / 10.0
            if start <= time <= end:
                yield Record(self._joints, time, SimpleNamespace(name=["hip"], position=[time]))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def played(playback: Playback) -> float:
    """Where the joint is now."""
    playback.poll(playback.time())
    return playback.telemetry.measured["hip"]


def test_recorded_seconds_pass_with_the_clock() -> None:
    clock = Clock()
    playback = Playback(FakeRecording(), clock)
    assert played(playback) == 100.0
    clock.now = 2.05
    assert played(playback) == 102.0
    assert math.isclose(playback.elapsed, 2.05)


def test_pause_holds_the_moment() -> None:
    clock = Clock()
    playback = Playback(FakeRecording(), clock)
    clock.now = 1.0
    playback.pause()
    clock.now = 5.0
    assert playback.elapsed == 1.0
    playback.play()
    clock.now = 6.0
    assert playback.elapsed == 2.0


def test_speed_changes_from_now_on() -> None:
    clock = Clock()
    playback = Playback(FakeRecording(), clock)
    clock.now = 1.0
    playback.set_speed(2.0)
    clock.now = 2.0
    assert playback.elapsed == 3.0


def test_it_ends_at_the_end_and_plays_again_from_the_beginning() -> None:
    clock = Clock()
    playback = Playback(FakeRecording(), clock)
    clock.now = 60.0
    assert played(playback) == 110.0
    assert not playback.playing
    playback.play()
    assert playback.playing
    assert playback.elapsed == 0.0


def test_a_jump_forgets_and_begins_a_little_earlier() -> None:
    clock = Clock()
    recording = FakeRecording()
    playback = Playback(recording, clock)
    clock.now = 9.0
    played(playback)
    before = playback.telemetry
    playback.jump(5.0)
    assert playback.telemetry is not before
    assert played(playback) == 105.0
    playback.poll(playback.time())
    assert playback.telemetry.heard["joint_states"] == 105.0
    assert LEAD_IN > 1.0, "diagnostics come once a second"


def test_jumps_stay_inside_the_recording() -> None:
    playback = Playback(FakeRecording(), Clock())
    playback.jump(-5.0)
    assert playback.elapsed == 0.0
    playback.jump(99.0)
    assert playback.elapsed == 10.0


def test_only_what_is_shown_is_read_and_namespaces_are_taken_off() -> None:
    recording = FakeRecording("/left")
    playback = Playback(recording, Clock())
    assert recording.asked[-1] == ["/left/joint_states"]
    assert played(playback) == 100.0
