"""Who answers out of turn: replies to a SYNC_READ come in the order of the ids in the request."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise


def out_of_turn(heard: Sequence[int], asked: Sequence[int]) -> set[int]:
    """Ids whose place among the replies is not that of their owner.

    Where somebody is missing, a reply out of turn may be his, sent in another's name whose own reply was
    lost. The longest run of replies in order is taken for true; where several are as long, only what
    they have in common.

    Args:
        heard: Ids in the order of their replies, each once.
        asked: Ids in the order of the request, each once; holds all that were heard.
    """
    place = {servo_id: index for index, servo_id in enumerate(asked)}
    ranks = [place[servo_id] for servo_id in heard]
    if all(a < b for a, b in pairwise(ranks)):
        return set()
    before = _longest_runs(ranks)
    behind = _longest_runs([-rank for rank in reversed(ranks)])[::-1]
    lengths = [a + b - 1 for a, b in zip(before, behind, strict=True)]
    longest = max(lengths)
    in_a_run = [index for index, length in enumerate(lengths) if length == longest]
    steps = [before[index] for index in in_a_run]
    certain = {heard[index] for index in in_a_run if steps.count(before[index]) == 1}
    return set(heard) - certain


def _longest_runs(ranks: Sequence[int]) -> list[int]:
    """Length of the longest rising run that ends with each of them."""
    lengths: list[int] = []
    for index, rank in enumerate(ranks):
        lower = [lengths[i] for i in range(index) if ranks[i] < rank]
        lengths.append(1 + max(lower, default=0))
    return lengths
