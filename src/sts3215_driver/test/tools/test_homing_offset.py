"""The position offset in the coding of both firmware generations."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sts3215_driver.protocol.homing_offset import (
    decode_offset,
    encode_offset,
    offset_to_read,
    wrap_offset,
)

OLD, NEW = (3, 9), (3, 10)


@pytest.mark.parametrize(
    ("raw", "old", "new"),
    [(85, 85, 85), (2047, 2047, 2047), (0x0800 | 85, -85, -85), (0x0FFF, -2047, -2047)],
)
def test_short_offsets_read_alike(raw, old, new) -> None:
    assert decode_offset(raw, OLD) == old
    assert decode_offset(raw, NEW) == new


@pytest.mark.parametrize(
    ("raw", "steps"), [(4096, 2048), (6143, 4095), (6144, -2048), (8191, -4095)]
)
def test_the_long_coding_of_new_firmware(raw, steps) -> None:
    assert decode_offset(raw, NEW) == steps


def test_an_offset_is_no_twos_complement() -> None:
    """Field report: homing offset moves the joint the wrong way."""
    assert encode_offset(-100, OLD) == 0x0800 | 100


def test_magnitude_2114_becomes_the_other_half_turn() -> None:
    """Field report: "magnitude 2114 exceeds 2047" when calibrating."""
    assert wrap_offset(2114) == -1982
    assert decode_offset(encode_offset(2114, OLD), OLD) == -1982


@pytest.mark.parametrize(("steps", "wrapped"), [(2048, -2047), (-2048, 2047)])
def test_half_a_turn_becomes_the_other_half_on_old_firmware(steps, wrapped) -> None:
    assert decode_offset(encode_offset(steps, OLD), OLD) == wrapped


@pytest.mark.parametrize("steps", [2048, -2048])
def test_half_a_turn_is_exact_on_new_firmware(steps) -> None:
    assert decode_offset(encode_offset(steps, NEW), NEW) == steps


@settings(deadline=None)
@given(st.integers(-20000, 20000), st.sampled_from([OLD, NEW, (3, 7), (4, 0)]))
def test_every_offset_puts_the_shaft_into_its_place(steps, firmware) -> None:
    decoded = decode_offset(encode_offset(steps, firmware), firmware)
    error = (decoded - steps) % 4096
    assert error == 0 or (steps % 4096 == 2048 and firmware < NEW and error in (1, 4095))


@settings(deadline=None)
@given(st.integers(0, 4095), st.integers(-2047, 2047), st.integers(0, 4095))
def test_a_new_offset_makes_the_shaft_read_what_is_wanted(raw, offset, wanted) -> None:
    present = (raw - offset) % 4096
    new = offset_to_read(present, offset, wanted)
    assert -2047 <= new <= 2048
    assert (raw - new) % 4096 == wanted
