"""The codes of servo_interfaces/ServoStates in words."""

STATUS_WORDS = {0: "ok", 1: "missing", 2: "corrupt", 3: "wrong length", 4: "not read"}
FLAG_WORDS = {1: "voltage", 2: "sensor", 4: "temperature", 8: "current", 32: "overload"}
TORQUE_WORDS = {0: "off", 1: "on"}
