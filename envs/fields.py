"""The fields that the record of every game begins with, through which the shared code sees a deal."""

from typing import Any

import numpy as np

MAX_MOVES_BOUNDS = (1, 1_000_000)


def common_fields(max_players: int) -> list[tuple[Any, ...]]:
    """Fields for a `numpy.dtype`.

    `players`, `max_moves` and `auto_single` are set before the deal; the others belong to the rules.
    """
    return [
        ("players", np.int16),
        ("max_moves", np.int32),  # decisions after which the deal is truncated
        ("auto_single", np.int8),  # 1: a decision with one legal action is played without asking
        ("dealer", np.int16),
        ("seat", np.int16),  # who is to decide
        ("phase", np.int8),
        ("moves", np.int32),  # decisions made
        ("terminated", np.int8),
        ("truncated", np.int8),
        ("rewards", np.float64, max_players),  # what each seat got by the last decision
    ]
