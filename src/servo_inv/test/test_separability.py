"""Which parameters the samples can tell apart."""

import numpy as np
import pytest

from servo_inv.identification.separability import separability

RANDOM = np.random.default_rng(1)
A, B, C, NOISE = RANDOM.normal(size=(4, 500))


def test_unrelated_columns_are_told_apart() -> None:
    found = separability(np.column_stack([A, 1000.0 * B, C]), ("a", "b", "c"))
    assert found.condition < 1.2
    assert found.groups == () and found.unexcited == ()


def test_columns_that_go_together_are_a_group() -> None:
    columns = np.column_stack([A, B, 0.1 * A + 1e-3 * NOISE])
    found = separability(columns, ("a", "b", "c"))
    assert found.condition > 100.0
    assert found.groups == (("a", "c"),)


def test_a_sum_of_columns_is_a_group_of_all() -> None:
    found = separability(np.column_stack([A, B, A + B + 1e-3 * NOISE]), ("a", "b", "c"))
    assert found.groups == (("a", "b", "c"),)


def test_two_pairs_are_two_groups_or_one_of_all() -> None:
    columns = np.column_stack([A, A + 1e-3 * NOISE, B, B + 1e-3 * RANDOM.normal(size=500)])
    found = separability(columns, ("a", "b", "c", "d"))
    assert set().union(*found.groups) == {"a", "b", "c", "d"}


def test_identical_columns_are_a_group() -> None:
    assert separability(np.column_stack([A, A]), ("a", "b")).groups == (("a", "b"),)


def test_columns_of_zeros_are_not_excited() -> None:
    found = separability(np.column_stack([A, 0.0 * A]), ("a", "b"))
    assert found.unexcited == ("b",) and found.condition == pytest.approx(1.0)
    nothing = separability(np.zeros((10, 2)), ("a", "b"))
    assert nothing.unexcited == ("a", "b") and nothing.condition == np.inf
