"""Parameters of the driver node, as data."""

from stride_base.parameters import Param

PARAMS = (
    Param(
        "port", "", "serial port of the servo bus, e.g. /dev/ttyACM0; auto: where the servos answer"
    ),
    Param("baud_rate", 1_000_000, "bit rate of the port, bit/s", 9600, 4_000_000),
    Param(
        "latency",
        0.003,
        "longest extra delay of adapter and system, s; 0.025 for an ESP32 pass-through",
        0.0005,
        0.5,
    ),
    Param(
        "echo", "auto", "whether the adapter sends back what is sent", choices=("auto", "on", "off")
    ),
    Param("servo_file", "", "JSON file with the servos: id, name, mode, sign, zero, min, max"),
    Param(
        "joint_module",
        "",
        "joint module file (JSON) whose limits hold for all joints as well; empty: none",
    ),
    Param("rate", 50.0, "bus cycles per second, Hz", 1.0, 1000.0),
    Param(
        "feedback",
        "auto",
        "registers read of every servo in a cycle: 6 bytes, 15 bytes, or what the rate allows",
        choices=("auto", "short", "long"),
    ),
    Param(
        "sync_phase",
        "auto",
        "when a cycle is announced to the motion engine",
        choices=("auto", "after_read", "after_write"),
    ),
    Param(
        "command_timeout",
        0.5,
        "a wheel stops when it got no goal for so long, s; 0: never",
        0.0,
        60.0,
    ),
    Param("catch_up_speed", 1.0, "joint speed until goals are first reached, rad/s", 0.05, 5.0),
    Param("stall_torque", 2.94, "torque at full load register, N m", 0.01, 100.0),
    Param("autostart", True, "whether the node configures and activates itself"),
    Param("torque_on_start", True, "whether activation switches torque on"),
    Param(
        "alarm_action",
        "release",
        "what three alarms in a row do: torque off for that servo, or only a report",
        choices=("release", "report"),
    ),
    Param(
        "recover_after",
        0.0,
        "try a released servo again after so long without alarm, s; 0: only on request",
        0.0,
        3600.0,
    ),
    Param("port_timeout", 10.0, "how long to wait for the port at the start, s", 0.0, 3600.0),
    Param(
        "states_rate",
        0.0,
        "servo_states per second at most, Hz; 0: one every cycle",
        0.0,
        1000.0,
    ),
)
