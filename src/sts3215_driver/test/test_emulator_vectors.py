"""Every byte vector that a servo can answer: given the state, the request brings this reply."""

import json
from pathlib import Path

import pytest

from sts3215_driver.emulator.bench import Bench
from sts3215_driver.emulator.build import Setup
from sts3215_driver.emulator.servo_parser import ServoParser
from sts3215_driver.protocol import packets

DATA = Path(__file__).parents[3] / "test" / "data" / "sts3215.json"
VECTORS = {vector["id"]: vector for vector in json.loads(DATA.read_text())["vectors"]}

#: What must be so for the reply to be the vector's: commands before the request.
STATE = {
    "V02": ["turn 1 1304"],
    "V08": [
        "turn 2 2047",
        "register 1 present_voltage 121",
        "register 1 present_temperature 30",
        "register 2 present_voltage 119",
        "register 2 present_temperature 35",
    ],
    "V10": ["register 1 present_position 0x8064"],
    "V11": ["register 1 present_position 0x8001"],
    "V12": ["register 1 present_position 30719"],
    "V13": ["register 1 present_speed 0x812C"],
    "V14": ["register 1 present_load 123"],
    "V15": ["register 1 present_load 0x47B"],
    "V16": ["register 1 present_load 0x7E8"],
    "V17": ["register 1 present_current 0x8014"],
    "V18": ["register 1 present_voltage 121", "register 1 present_temperature 35"],
    "V19": [
        "register 1 present_position 1234",
        "register 1 present_speed 0x80FA",
        "register 1 present_load 0x541",
        "register 1 present_voltage 118",
        "register 1 present_temperature 41",
        "register 1 moving 1",
        "register 1 present_goal 1300",
        "register 1 present_current 37",
    ],
    "V21": ["register 1 position_offset 4096"],
    "V24": ["register 1 goal_speed 0xFFFF"],
    "V25": ["register 1 present_position 255", "register 1 present_speed 0x80FF"],
    "V44": ["write response_level 0"],
    "V47": ["turn 1 1000", "alarm 1 overload"],
    "V48": ["turn 1 1000", "alarm 1 voltage temperature"],
    "V49": ["alarm 1 sensor current"],
    "V50": ["turn 1 1000", "alarm 1 0x80"],
    "V52": ["turn 1 1000", "fault noise length=2 value=0"],
    "V54": ["turn 1 1000", "fault noise length=3 value=0xFF"],
    "V57": ["turn 1 1000", "fault corrupt byte=7 flip=1"],
    "V59": ["turn 1 777", "fault wrong_id"],
    "V62": ["fault truncate length=5"],
    "V66": ["fault drop"],
    "V67": ["turn 1 100", "turn 2 200", "turn 3 300"],
    "V69": ["turn 1 100", "turn 2 200", "power 3 off"],
    "V74": ["power all off"],
    "V75": ["alarm 6 voltage"],
}
IDS = {"V08": (1, 2), "V67": (1, 2, 3), "V69": (1, 2, 3), "V74": (1, 2, 3), "V75": (1, 5, 6)}
#: No STS servo says this: a claimed length of 250, and the byte order of another series.
NOT_OURS = {"V64", "V79"}


@pytest.mark.parametrize("vector_id", [each for each in VECTORS if each not in NOT_OURS])
def test_request_brings_the_reply_of_the_vector(vector_id: str) -> None:
    vector = VECTORS[vector_id]
    bench = Bench(IDS.get(vector_id, (1,)), Setup())
    for command in STATE.get(vector_id, []):
        if command.startswith("write "):
            _, name, value = command.split()
            bench.set(1, name, int(value))
        else:
            bench.do(command)
    replies = vector["reply"]
    expected = [replies] if isinstance(replies, str) else replies
    heard = [data.hex(" ") for _, data in bench.listen(bytes.fromhex(vector["request"]))]
    assert heard == [reply for reply in expected if reply]


@pytest.mark.parametrize("vector_id", VECTORS)
def test_every_request_is_understood(vector_id: str) -> None:
    (request,) = ServoParser().feed(bytes.fromhex(VECTORS[vector_id]["request"]))
    again = packets.status(request.id, request.instruction, request.parameters)
    assert again.hex(" ") == VECTORS[vector_id]["request"]
