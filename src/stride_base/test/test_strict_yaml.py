"""Strict YAML."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stride_base.errors import ConfigError
from stride_base.strict_json import FileError
from stride_base.strict_yaml import dumps, load, loads


def test_a_document_is_read_as_written() -> None:
    document = loads("a: {b: 1, c: [1.5, true, text]}\n")
    assert document == {"a": {"b": 1, "c": [1.5, True, "text"]}}


def test_numbers_with_an_exponent_need_no_point() -> None:
    assert loads("[1e-3, -2E5, +1e2, 1.5e3]") == [1e-3, -2e5, 1e2, 1.5e3]


def test_integers_beyond_every_float_become_infinite() -> None:
    assert loads(f"a: {10**400}") == {"a": math.inf}
    assert loads("[12, 0x10]") == [12, 16]


TEXTS = st.text(st.characters(codec="utf-8")) | st.sampled_from(["0e0", "1e-3", "on", "1_0", "~"])


@given(st.dictionaries(TEXTS, st.floats(allow_nan=False) | TEXTS | st.booleans()))
def test_what_is_written_is_read_again(document: dict[str, object]) -> None:
    assert loads(dumps(document)) == document


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3\n", "{a: 1, b: 2, a: 3}"])
def test_duplicate_keys_are_refused_by_name(text: str) -> None:
    with pytest.raises(ConfigError, match="'a' is 3; expected each key only once"):
        loads(text, "file.yaml")


def test_a_merged_mapping_may_be_overridden() -> None:
    assert loads("x: &x {a: 1, b: 2}\ny: {<<: *x, a: 3}")["y"] == {"a": 3, "b": 2}


@pytest.mark.parametrize("text", ["on: 1", "3: 1", "~: 1"])
def test_keys_that_are_no_texts_are_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"line 1: 'key' is .*; expected a text"):
        loads(text)


@pytest.mark.parametrize(
    "text", ["a: [1", "a: b: c", "\tb", "!!python/object:os.x {}", "a: 1\n---\nb: 2", "[" * 5000]
)
def test_what_is_no_yaml_is_said_in_one_sentence(text: str) -> None:
    with pytest.raises(FileError, match=r"file.yaml: is not YAML: ") as caught:
        loads(text, "file.yaml")
    assert "\n" not in str(caught.value)


def test_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none.yaml: cannot be read: No such file"):
        load(tmp_path / "none.yaml")
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"a: \xe9")
    with pytest.raises(FileError, match="is not UTF-8 text"):
        load(latin)
