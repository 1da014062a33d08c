"""Confidence intervals."""

from typing import NamedTuple

import numpy as np
from scipy import stats

CONFIDENCE = 0.95


class Interval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


def share_interval(values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """The confidence interval of a mean of shares, as `mean_interval`, but honest where all decks agree on 0 or on 1.

    There Student's t would find no spread, as if more decks could not show any; the exact interval of Clopper and Pearson (1934) for the
    share of decks does not.

    Args:
        values: of shape (n,), each between 0 and 1, one for each deck.
        confidence: between 0 and 1.

    Raises:
        ValueError: fewer than two values.
    """
    low, high = mean_interval(values, confidence)
    if low == high and low in (0.0, 1.0):
        exact = stats.binomtest(round(float(values.sum())), len(values)).proportion_ci(confidence, method="exact")
        return Interval(float(exact.low), float(exact.high))
    return Interval(max(low, 0.0), min(high, 1.0))


def mean_interval(values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """The confidence interval of a mean by Student's t.

    Args:
        values: of shape (n,), independent of each other: one for each deck, not one for each game, since games of one deck are alike.
        confidence: between 0 and 1.

    Raises:
        ValueError: fewer than two values, from which no spread can be told.
    """
    if len(values) < 2:
        raise ValueError(f"{len(values)} value(s) have no spread: an interval takes at least 2")
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    mean = np.mean(values)
    return Interval(float(mean - half), float(mean + half))
