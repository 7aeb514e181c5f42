"""What the node takes at a time."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

from stride_viewer.telemetry import Telemetry
from stride_viewer.viewer_node import ALL, ViewerNode


class Flood(nullcontext[None], AbstractContextManager[None]):
    """A subscription that always has one more message."""

    taken = 0

    def take_message(self, _kind: object, _raw: bool) -> tuple[Any, object]:
        self.taken += 1
        return SimpleNamespace(data=float(self.taken)), object()


def test_a_flood_of_messages_does_not_keep_the_page_from_everything_else() -> None:
    flood, telemetry = Flood(), Telemetry()
    subscription = SimpleNamespace(handle=flood, msg_type=object, qos_profile=ALL)
    node: Any = SimpleNamespace(
        _subscriptions_of_page=[("steering", subscription)], telemetry=telemetry
    )
    ViewerNode.poll(node, 1.0)
    assert flood.taken == ALL.depth
    assert telemetry.steering == float(ALL.depth)
