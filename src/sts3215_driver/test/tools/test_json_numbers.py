"""Replacing a number in JSON text: every other byte stays, whatever the text looks like."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sts3215_driver.tools.json_numbers import replace_numbers, scalars

#: A busy machine makes neither the texts nor the code wrong.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
SPACE = st.text(" \t\n\r", max_size=3)
NUMBERS = st.one_of(
    st.integers(-(10**9), 10**9).map(str),
    st.sampled_from(["-0", "0.10", "1e3", "-2.50E-2", "4.00", "12345678901234567"]),
)
KEYS = st.text(max_size=6) | st.sampled_from(["zero", "servos", '"zero": 3', "}", "[", "\\"])


@st.composite
def json_texts(draw, depth: int = 3) -> str:
    """JSON written in any style, with spaces and escapes that `json.dumps` would not choose."""
    kinds = ["number", "string", "literal"] + (["object", "array"] * 2 if depth else [])
    kind = draw(st.sampled_from(kinds))
    space = draw(SPACE)
    if kind == "number":
        return draw(NUMBERS)
    if kind == "string":
        return json.dumps(draw(KEYS), ensure_ascii=draw(st.booleans()))
    if kind == "literal":
        return draw(st.sampled_from(["true", "false", "null"]))
    if kind == "array":
        items = draw(st.lists(json_texts(depth=depth - 1), max_size=4))
        return f"[{space}{f'{space},'.join(items)}{space}]"
    keys = draw(st.lists(KEYS, max_size=4, unique=True))
    members = []
    for key in keys:
        escaped = draw(st.booleans())
        name = json.dumps(key, ensure_ascii=escaped)
        if escaped and key == "zero":
            name = '"z\\u0065ro"'
        members.append(f"{name}{draw(SPACE)}:{draw(SPACE)}{draw(json_texts(depth=depth - 1))}")
    return "{" + space + f"{space},{space}".join(members) + space + "}"


def places(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    """Every scalar but strings, as the json module sees it."""
    if isinstance(value, dict):
        return {p: v for k, item in value.items() for p, v in places(item, (*path, k)).items()}
    if isinstance(value, list):
        return {p: v for i, item in enumerate(value) for p, v in places(item, (*path, i)).items()}
    return {} if isinstance(value, str) else {path: value}


@PATIENT
@given(json_texts())
def test_the_scanner_sees_what_the_json_module_sees(text) -> None:
    found = {path: json.loads(text[start:end]) for path, (start, end) in scalars(text)}
    assert found == places(json.loads(text))


@PATIENT
@given(json_texts(), st.data(), st.integers(0, 4095))
def test_every_other_byte_stays(text, data, number) -> None:
    spans = {path: span for path, span in scalars(text) if text[span[0]] in "-0123456789"}
    if not spans:
        return
    path = data.draw(st.sampled_from(sorted(spans, key=str)))
    start, end = spans[path]
    result = replace_numbers(text, {path: number})
    assert result == text[:start] + str(number) + text[end:]
    expected = places(json.loads(text)) | {path: number}
    assert places(json.loads(result)) == expected


@PATIENT
@given(json_texts(), st.data())
def test_many_numbers_at_once(text, data) -> None:
    spans = {path: span for path, span in scalars(text) if text[span[0]] in "-0123456789"}
    chosen = [path for path in spans if data.draw(st.booleans())]
    values = {path: 1000 + i for i, path in enumerate(chosen)}
    assert places(json.loads(replace_numbers(text, values))) == (
        places(json.loads(text)) | dict(values)
    )


@pytest.mark.parametrize("path", [("b",), ("a", 1), ("a",), ("s",), ("t",)])
def test_a_path_without_a_number_is_an_error(path) -> None:
    with pytest.raises(KeyError):
        replace_numbers('{"a": [1], "s": "3", "t": true}', {path: 5})
