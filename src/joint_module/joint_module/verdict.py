"""A report in a few words."""

from __future__ import annotations

from joint_module.report import Report


def exceeded(found: Report) -> list[str]:
    """Which of position and speed go beyond their limits."""
    margins = (("position", found.position), ("speed", found.velocity))
    return [name for name, margin in margins if margin and margin.margin < 0.0]


def is_good(found: Report) -> bool:
    """Whether there is nothing to complain of; an overload run ends at the torque limit by intent."""
    return (found.meets_load or found.mode == "overload") and not exceeded(found)


def verdict(found: Report) -> str:
    """What the load asks for and whether the module has it."""
    load = f"{abs(found.load_torque):.4g} N m"
    beyond = exceeded(found)
    also = f"; exceeds its {' and '.join(beyond)} limit" if beyond else ""
    if found.mode == "overload":
        return f"carries up to {load}{also}"
    return f"{'meets' if found.meets_load else 'does not meet'} its load of {load}{also}"
