"""The engine's rules, one test each, and the scenarios of the expected numbers."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hexapod_motion.engine import Engine
from hexapod_motion.player import Player
from hexapod_motion.sequences import Block, Book, Posture, make_book

STANDING = {"starts": ["standing"], "ends": "standing"}
POSTURES = {
    "DOWN": {"starts": ["floor", "standing"], "ends": "floor"},
    "UP": {"starts": ["floor"], "ends": "standing"},
}


def book_of(tables: Any) -> Book:
    """A book of tables in the form of the expected numbers."""
    fields = ("looped", "main_begin", "finalize_begin", "available", "iterations")
    return make_book(
        {
            name: (
                Path("tables"),
                {field: table[field] for field in fields} | POSTURES.get(name, STANDING),
            )
            for name, table in tables.items()
        }
    )


@pytest.fixture
def book(article_tables: Any) -> Book:
    return book_of(article_tables)


class Robot:
    """Engine and paths, tick by tick, with a log as in the expected numbers."""

    def __init__(self, book: Book) -> None:
        self.tick, self.log = 0, []  # type: int, list[list[object]]
        self.book = book
        self.engine = Engine(book, lambda entry: self.log.append([self.tick, *entry]))
        self.player = Player(self.engine, book.home_points)
        self.frames: list[Any] = []

    def select(self, name: str) -> bool:
        answer = self.engine.request(name)
        self.log.append([self.tick, "select", name, "accepted" if answer.accepted else "ignored"])
        return answer.accepted

    def step(self, ticks: int = 1) -> None:
        for _ in range(ticks):
            self.frames.append(self.player.step())
            self.tick += 1

    def until_idle(self) -> int:
        """Step to the tick in which the engine is idle; how many frames moved."""
        start = self.tick
        while True:
            self.step()
            if self.engine.idle:
                return self.tick - start - 1

    def stand(self) -> None:
        self.step()
        assert self.select("UP")
        self.until_idle()
        self.log.clear()

    def names(self, kind: str) -> list[object]:
        return [entry[2] for entry in self.log if entry[1] == kind]


@pytest.fixture
def robot(book: Book) -> Robot:
    return Robot(book)


def test_scenarios(book: Book, vectors: Any) -> None:
    for scenario in vectors["engine"]["scenarios"]:
        robot = Robot(book)
        for tick in range(scenario["ticks"]):
            for name in scenario["script"].get(str(tick), []):
                robot.select(name)
            robot.step()
        assert robot.log == scenario["log"], scenario["name"]
        assert robot.engine.current.name == scenario["final_current"]
        assert (robot.engine.pending or robot.engine.current.name) == scenario["final_next"]
        assert robot.engine.idle == (scenario["final_state"] == "IDLE")


def test_durations_of_the_article(robot: Robot, vectors: Any) -> None:
    expected = vectors["engine"]["durations_ticks"]
    robot.stand()
    for name in ("DIRECT_MOVEMENT", "REVERSE_MOVEMENT", "ROTATE_LEFT", "ROTATE_RIGHT"):
        robot.select(name)
        robot.step()
        robot.select("NONE")
        assert robot.until_idle() + 1 == sum(expected[name].values()), name
    robot.select("DOWN")
    robot.step()
    assert robot.until_idle() + 1 == expected["DOWN"]["main"]


def test_a_request_that_is_not_listed_is_refused_with_the_reason(robot: Robot) -> None:
    robot.step()
    answer = robot.engine.request("DIRECT_MOVEMENT")
    assert not answer.accepted
    assert answer.reason == "DIRECT_MOVEMENT may not follow DOWN; UP, NONE may"


def test_an_unknown_name_is_refused_with_the_known_ones(robot: Robot) -> None:
    answer = robot.engine.request("MOONWALK")
    assert not answer.accepted and "there are DOWN, UP, DIRECT_MOVEMENT" in answer.reason


def test_the_answer_says_what_will_happen(robot: Robot) -> None:
    robot.stand()
    assert robot.engine.request("DIRECT_MOVEMENT").reason == "DIRECT_MOVEMENT starts"
    robot.step()
    reason = robot.engine.request("ROTATE_LEFT").reason
    assert reason == "ROTATE_LEFT starts after the main block, when DIRECT_MOVEMENT is finished"
    assert robot.engine.request("DIRECT_MOVEMENT").reason == "DIRECT_MOVEMENT goes on"
    assert robot.engine.request("NONE").reason.startswith("stops after the main block")


def test_the_last_accepted_request_wins(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.step(100)
    for name in ("DOWN", "ROTATE_LEFT", "UP", "ROTATE_RIGHT", "MOONWALK"):
        robot.select(name)
    robot.step(300)
    assert robot.names("current") == ["DIRECT_MOVEMENT", "ROTATE_RIGHT"]


def test_a_change_waits_for_the_whole_main_block_and_finalize(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.step(84 + 1)
    robot.select("ROTATE_LEFT")
    robot.step(102 + 84 - 1)
    assert robot.names("current") == ["DIRECT_MOVEMENT"]
    robot.step()
    assert robot.names("current") == ["DIRECT_MOVEMENT", "ROTATE_LEFT"]


def test_asked_during_prepare_main_runs_once(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.step(3)
    robot.select("NONE")
    assert robot.until_idle() + 3 == 84 + 102 + 84
    assert [entry[3] for entry in robot.log if entry[1] == "iter"] == list(range(10))


def test_asking_for_the_running_looped_sequence_cancels_a_change(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.step(100)
    robot.select("NONE")
    robot.step(20)
    robot.select("DIRECT_MOVEMENT")
    robot.step(400)
    assert robot.names("idle") == [] and robot.engine.block is Block.MAIN


def test_asking_for_the_running_sequence_in_its_finalize_starts_it_again(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.select("DIRECT_MOVEMENT")
    robot.step()
    robot.select("NONE")
    robot.step(84 + 102 + 10)
    assert robot.engine.block is Block.FINALIZE
    robot.select("DIRECT_MOVEMENT")
    robot.step(84)
    assert robot.names("current") == ["DIRECT_MOVEMENT"] * 2 and robot.names("idle") == []


def test_a_sequence_that_is_not_looped_runs_its_finalize(article_tables: Any) -> None:
    up = article_tables["UP"]
    robot = Robot(book_of(article_tables | {"UP": up | {"finalize_begin": 3}}))
    robot.step()
    robot.select("UP")
    assert robot.until_idle() == 140
    assert [entry[3] for entry in robot.log if entry[1:3] == ["iter", "UP"]] == [0, 1, 2, 3, 4]


def test_the_list_of_a_finished_sequence_still_governs(robot: Robot) -> None:
    robot.stand()
    assert not robot.select("UP") and robot.select("ROTATE_LEFT")
    robot.step()
    robot.select("NONE")
    robot.until_idle()
    assert not robot.select("UP") and robot.select("ROTATE_LEFT")


def test_none_finishes_the_cycle_and_idles(robot: Robot) -> None:
    robot.stand()
    stand = robot.frames[-1]
    robot.select("DIRECT_MOVEMENT")
    robot.step(150)
    robot.select("NONE")
    assert robot.until_idle() + 150 == 84 + 102 + 84
    assert np.abs(robot.frames[-1] - stand).max() < 1e-9
    assert robot.engine.posture is Posture.STANDING


def test_the_longest_stop_from_main_is_186_frames(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.step(84 + 1)
    robot.select("NONE")
    assert robot.until_idle() + 1 == 186


def test_none_opens_no_way_from_the_floor_to_walking(robot: Robot) -> None:
    robot.step()
    assert robot.select("NONE")
    robot.step(5)
    assert not robot.select("DIRECT_MOVEMENT")
    robot.stand()
    robot.select("DOWN")
    robot.step()
    assert robot.select("NONE")
    robot.until_idle()
    assert not robot.select("DIRECT_MOVEMENT") and robot.select("UP")


def test_posture_guards_even_a_table_that_lists_what_cannot_follow(book: Book) -> None:
    down = book.home
    object.__setattr__(down, "available", ("UP", "DIRECT_MOVEMENT", "NONE"))
    robot = Robot(book)
    robot.step()
    answer = robot.engine.request("DIRECT_MOVEMENT")
    assert (answer.accepted, answer.reason) == (False, "DIRECT_MOVEMENT does not start floor")


def test_iterations_that_move_nothing_take_no_frame(robot: Robot) -> None:
    robot.step()
    assert robot.log == [[0, "current", "DOWN"], [0, "iter", "DOWN", 0], [0, "idle", "DOWN"]]


def test_a_looped_table_that_never_moves_does_not_hang(article_tables: Any) -> None:
    still = {"looped": True, "main_begin": 0, "finalize_begin": 1}
    tables = dict(article_tables)
    tables["ROTATE_LEFT"] = tables["ROTATE_LEFT"] | still
    tables["ROTATE_LEFT"]["iterations"] = [article_tables["UP"]["iterations"][-1]]
    robot = Robot(book_of(tables))
    robot.stand()
    robot.select("ROTATE_LEFT")
    robot.step(3)
    robot.select("DOWN")
    robot.step(100)
    assert robot.names("current") == ["ROTATE_LEFT", "DOWN"]


def test_after_a_loss_only_the_way_home_is_open(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.step(50)
    robot.select("ROTATE_LEFT")
    robot.engine.lose_posture()
    assert robot.engine.lost and robot.engine.pending == ""
    answer = robot.engine.request("ROTATE_LEFT")
    assert not answer.accepted and "DOWN brings them to the floor first" in answer.reason
    assert robot.select("DOWN")


def test_a_cycle_of_direct_movement_carries_the_body_180_mm(robot: Robot) -> None:
    robot.stand()
    robot.select("DIRECT_MOVEMENT")
    robot.step(84)
    start = len(robot.frames)
    robot.step(102)
    ground = [(1, 3, 5), (0, 2, 4)]
    ways = [
        robot.frames[start + 51 * half][limb][2] - robot.frames[start + 51 * half + 50][limb][2]
        for half, limbs in enumerate(ground)
        for limb in limbs
    ]
    assert ways == pytest.approx([90.0] * 6, abs=1e-9)
    assert pytest.approx(0.265, abs=5e-4) == 2 * 0.09 * 150.0 / 102.0
