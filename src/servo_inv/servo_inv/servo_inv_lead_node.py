"""Node `servo_inv_lead`: goals that run ahead of the wanted motion by a fixed time."""

from __future__ import annotations

from typing import Any

from servo_inv.goal_model import PositionModel
from servo_inv.inverse_servo_node import InverseServoNode
from servo_inv.timing import TIMING_PARAMS
from stride_base.stride_node import run_node


class ServoInvLeadNode(InverseServoNode):
    """Inverse model of a servo that follows its goals exactly; see docs/servo_inv.md."""

    def __init__(self, **node_arguments: Any) -> None:
        super().__init__(
            "servo_inv_lead", TIMING_PARAMS, lambda _node: PositionModel(), **node_arguments
        )


def main() -> None:
    """Run the node until a signal ends it."""
    run_node(ServoInvLeadNode)


if __name__ == "__main__":
    main()
