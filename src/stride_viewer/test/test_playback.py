"""A recording on its own time: play, pause, speed, jump."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from stride_base.errors import RefusedError
from stride_base.strict_json import FileError
from stride_viewer.playback import LEAD_IN, Playback


@dataclass(frozen=True)
class Record:
    topic: str
    time: float
    message: Any


class FakeRecording:
    """One joint that is at its time, ten times a second for ten seconds from 100 s."""

    start_time, end_time = 100.0, 110.0
    path = "walk.mcap"

    def __init__(self, namespace: str = "") -> None:
        self.metadata = {"namespace": namespace}
        self.unreadable: dict[str, str] = {}
        self.damaged_at = math.inf
        self._joints = f"{namespace}/joint_states"
        self.topics = {self._joints: "sensor_msgs/msg/JointState", "/camera": "x"}
        self.asked: list[Collection[str]] = []

    def messages(
        self, topics: Collection[str], start: float = 0.0, end: float = math.inf
    ) -> Iterator[Record]:
        self.asked.append(topics)
        for step in range(101):
            time = 100.0 + step / 10.0
            if time >= self.damaged_at:
                raise FileError("walk.mcap: is damaged at byte 70")
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
    playback = Playback(recording, Clock(), "/left")
    assert recording.asked[-1] == ["/left/joint_states"]
    assert played(playback) == 100.0


def test_topics_of_another_type_and_those_that_cannot_be_decoded_are_passed_over() -> None:
    recording = FakeRecording()
    recording.topics |= {
        "/joints_fixed": "std_msgs/msg/String",
        "/steering": "std_msgs/msg/Float64",
    }
    recording.unreadable["/steering"] = "its message definition cannot be read"
    Playback(recording, Clock())
    assert recording.asked[-1] == ["/joint_states"]


def test_a_damaged_recording_is_played_as_far_as_it_can_be_read_and_says_so() -> None:
    clock = Clock()
    recording = FakeRecording()
    recording.damaged_at = 105.0
    playback = Playback(recording, clock)
    clock.now = 8.0
    assert math.isclose(played(playback), 104.9)
    assert "damaged" in playback.trouble
    playback.jump(7.0)
    assert "damaged" in playback.trouble
    playback.jump(0.0)
    assert playback.trouble == ""
    assert played(playback) == 100.0


def test_a_recording_without_messages_has_nothing_to_play() -> None:
    recording = FakeRecording()
    recording.start_time = recording.end_time = math.nan
    with pytest.raises(RefusedError, match="no messages"):
        Playback(recording, Clock())


def test_a_recording_of_which_nothing_can_be_decoded_is_refused_with_the_reason() -> None:
    recording = FakeRecording()
    recording.unreadable["/joint_states"] = "messages in 'json' are unknown"
    with pytest.raises(RefusedError, match="'json' are unknown"):
        Playback(recording, Clock())
