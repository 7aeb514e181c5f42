"""One colour per joint, the same in every panel, and one per other curve."""

from __future__ import annotations

from collections.abc import Sequence

#: Paired hues: a leg's joints stand beside each other, and are told apart.
PALETTE = (
    "#1f77b4",
    "#ff7f0e",
    "#2ca02c",
    "#d62728",
    "#9467bd",
    "#8c564b",
    "#e377c2",
    "#17becf",
    "#bcbd22",
    "#393b79",
    "#e6550d",
    "#637939",
    "#843c39",
    "#7b4173",
    "#3182bd",
    "#fd8d3c",
    "#31a354",
    "#756bb1",
)


def colours(names: Sequence[str]) -> dict[str, str]:
    """Name -> colour; after the last they begin again."""
    return {name: PALETTE[number % len(PALETTE)] for number, name in enumerate(names)}
