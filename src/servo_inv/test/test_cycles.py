"""Control cycles: what counts as the cycle before, and how long ago it was."""

from servo_inv.cycles import CycleMemory, Earlier


def test_without_ticks_each_value_is_a_cycle() -> None:
    memory = CycleMemory[str]()
    assert memory.earlier() is None
    memory.keep("a")
    assert memory.earlier() == Earlier("a", 1)
    memory.keep("b")
    assert memory.earlier() == Earlier("b", 1)


def test_values_of_one_cycle_share_the_last_value_of_the_cycle_before() -> None:
    memory = CycleMemory[str]()
    memory.on_step(1)
    memory.keep("a1")
    assert memory.earlier() is None
    memory.keep("a2")
    memory.on_step(2)
    assert memory.earlier() == Earlier("a2", 1)
    memory.keep("b1")
    assert memory.earlier() == Earlier("a2", 1)
    memory.keep("b2")
    memory.on_step(3)
    assert memory.earlier() == Earlier("b2", 1)


def test_cycles_without_a_value_lengthen_the_way_back() -> None:
    memory = CycleMemory[str]()
    memory.on_step(1)
    memory.keep("a")
    memory.on_step(2)
    memory.on_step(3)
    assert memory.earlier() == Earlier("a", 2)
    memory.on_step(7)
    assert memory.earlier() == Earlier("a", 6)
    memory.keep("b")
    assert memory.earlier() == Earlier("a", 6)
    memory.on_step(8)
    assert memory.earlier() == Earlier("b", 1)
    assert memory.silent_cycles == 5


def test_numbers_that_were_jumped_over_count_as_cycles_and_as_missed() -> None:
    memory = CycleMemory[str]()
    memory.on_step(10)
    memory.keep("a")
    memory.on_step(13)
    assert memory.earlier() == Earlier("a", 3)
    assert (memory.ticks, memory.missed_ticks, memory.silent_cycles) == (2, 2, 2)


def test_a_number_seen_twice_is_no_new_cycle() -> None:
    memory = CycleMemory[str]()
    memory.on_step(4)
    memory.keep("a")
    memory.on_step(5)
    memory.keep("b")
    memory.on_step(5)
    assert memory.earlier() == Earlier("a", 1)
    assert memory.ticks == 2


def test_a_smaller_number_means_a_restarted_driver_and_forgets() -> None:
    memory = CycleMemory[str]()
    memory.on_step(500)
    memory.keep("a")
    memory.on_step(501)
    memory.keep("b")
    memory.on_step(0)
    assert memory.earlier() is None
    memory.keep("c")
    assert memory.earlier() is None
    memory.on_step(1)
    assert memory.earlier() == Earlier("c", 1)
    assert (memory.restarts, memory.missed_ticks) == (1, 0)


def test_the_first_tick_opens_the_cycle_after_the_last_value_whatever_its_number() -> None:
    memory = CycleMemory[str]()
    memory.keep("a")
    memory.keep("b")
    memory.on_step(70_000)
    assert memory.earlier() == Earlier("b", 1)
    memory.keep("c")
    assert memory.earlier() == Earlier("b", 1)
    assert memory.missed_ticks == 0


def test_after_forgetting_the_next_value_is_the_first_of_its_cycle() -> None:
    memory = CycleMemory[str]()
    memory.on_step(1)
    memory.keep("a")
    memory.on_step(2)
    memory.forget()
    memory.keep("b")
    assert memory.earlier() is None
    memory.on_step(4)
    assert memory.earlier() == Earlier("b", 2)


def test_numbers_up_to_the_largest_that_the_message_holds() -> None:
    memory = CycleMemory[str]()
    memory.on_step(0)
    memory.keep("a")
    memory.on_step(2**64 - 1)
    assert memory.earlier() == Earlier("a", 2**64 - 1)
