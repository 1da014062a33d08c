"""A deal of Pengingan on one readable screen."""

import numpy as np


def text(state: np.void, viewer: int | None, reveal: bool) -> str:
    """The deal as text."""
    return ""
