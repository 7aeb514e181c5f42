"""A flood of bad messages is counted fully and logged once a second."""

from stride_base.refusals import Refusals


def test_a_flood_is_counted_and_said_once_a_second() -> None:
    now, said = [0.0], list[str]()
    refusals = Refusals(said.append, lambda: now[0])
    for step in range(1500):
        now[0] = step * 0.001
        refusals.add("steering", "NaN")
    assert refusals.counts == {"steering": 1500}
    assert said == ["steering refused: NaN", "steering refused: NaN (1000 since the last warning)"]


def test_two_kinds_do_not_hide_each_other() -> None:
    said = list[str]()
    refusals = Refusals(said.append, lambda: 0.0)
    refusals.add("steering", "NaN")
    refusals.add("goals", "unknown joint")
    assert len(said) == 2
