"""Programs that can be ended while they are still importing, without a traceback.

`ros2 launch` starts programs by their entry points, and ROS takes a second to import. So an entry point
is a module without imports of its own, and names what it starts.
"""

from __future__ import annotations

import importlib
import signal
from collections.abc import Callable


def program(target: str) -> Callable[[], None]:
    """An entry point that imports and calls `target` (``module:function``).

    Until then there is nothing to undo: SIGINT ends the process as SIGTERM does.
    """

    def start() -> None:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        module, _, name = target.partition(":")
        function = getattr(importlib.import_module(module), name)
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        function()

    return start
