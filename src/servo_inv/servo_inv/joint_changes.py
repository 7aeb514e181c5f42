"""Says in one sentence how the joints of two messages differ."""

from __future__ import annotations

MOST_NAMES = 6


def describe_change(before: tuple[str, ...], now: tuple[str, ...]) -> str:
    """The difference between two different tuples of joint names."""
    old_names, new_names = set(before), set(now)
    gone = [name for name in before if name not in new_names]
    new = [name for name in now if name not in old_names]
    if not gone and not new:
        return f"the order of the joints changed: now {_listed(now)}"
    if len(before) == len(now):
        what = "the names of the joints changed"
    else:
        what = f"the number of joints changed from {len(before)} to {len(now)}"
    parts = [f"without {_listed(gone)}"] if gone else []
    parts += [f"with the new {_listed(new)}"] if new else []
    return f"{what}: now {' and '.join(parts)}"


def _listed(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more
