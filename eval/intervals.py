"""Confidence intervals, of a number of decks that is fixed beforehand, and such as hold however often one looks."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special, stats

CONFIDENCE = 0.95
TUNED_FOR = 500  # decks, at which confidence sequences are narrowest for their kind; a constant, so that no look at figures changes it
OUTLIER = 10  # times as much as all decks so far have brought, to the other side, is what a deck yet unseen is thought to bring at the most


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
    _check_spread(values)
    half = stats.t.ppf((1 + confidence) / 2, len(values) - 1) * np.std(values, ddof=1) / np.sqrt(len(values))
    mean = np.mean(values)
    return Interval(float(mean - half), float(mean + half))


def mean_sequence(values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """The asymptotic confidence sequence of a mean: it holds at all numbers of decks at once, so one may look, and stop, at any time.

    Of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences" (Annals
    of Statistics 2024), theorem 2.2: with t values of standard deviation s, at the level a, the half width is

        s · sqrt(2 (t r² + 1) / (t² r²) · log(sqrt(t r² + 1) / a)),

    where r makes it narrowest at t = `TUNED_FOR`. As its name says, it is exact only for many values. Where all decks agree, and so have no
    spread, decks that are otherwise may be as frequent as `_unseen` says, and be `OUTLIER` times as good or bad.

    Args:
        values: as of `mean_interval`, in the order in which they were played.
        confidence: between 0 and 1, that the sequence holds the mean at every t.

    Raises:
        ValueError: fewer than two values.
    """
    _check_spread(values)
    count, alpha = len(values), 1 - confidence
    scaled = count * _mixture(alpha)
    half = np.std(values, ddof=1) * np.sqrt(2 * (scaled + 1) / (count * scaled) * np.log(np.sqrt(scaled + 1) / alpha))
    mean = np.mean(values)
    if half == 0:
        half = _unseen(count, alpha) * (1 + OUTLIER) * abs(mean)
    return Interval(float(mean - half), float(mean + half))


def _mixture(alpha: float) -> float:
    """The square of r in `mean_sequence`, which makes the half width at `TUNED_FOR` the least: there t r² = log((t r² + 1) / a²)."""
    return float(-1 - special.lambertw(-(alpha**2) / np.e, -1).real) / TUNED_FOR


def share_sequence(values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """The confidence sequence of a mean of shares, as `mean_sequence`, but honest where all decks agree on 0 or on 1.

    There decks that are otherwise may be as frequent as `_unseen` says.

    Args:
        values: of shape (n,), each between 0 and 1, one for each deck, in the order in which they were played.
        confidence: between 0 and 1.

    Raises:
        ValueError: fewer than two values.
    """
    low, high = mean_sequence(values, confidence)
    first = values[0]
    if first in (0.0, 1.0) and (values == first).all():
        reach = _unseen(len(values), 1 - confidence)
        return Interval(0.0, reach) if first == 0.0 else Interval(1 - reach, 1.0)
    return Interval(max(low, 0.0), min(high, 1.0))


def _unseen(count: int, alpha: float) -> float:
    """The largest share of decks of a kind of which there were none among `count`, at every count at once, but for a chance of alpha.

    By Robbins' mixture (1970) over all shares, uniform at first: at a share p, (count + 1) (1 - p) ^ count is more than alpha.
    """
    return float(1 - (alpha / (count + 1)) ** (1 / count))


def _check_spread(values: np.ndarray) -> None:
    if len(values) < 2:
        raise ValueError(f"{len(values)} value(s) have no spread: an interval takes at least 2")


class Method(NamedTuple):
    """A way to make intervals.

    Attributes:
        name: for reports.
        of_mean: of values and a confidence, the interval of their mean.
        of_share: the same for shares, between 0 and 1.
    """

    name: str
    of_mean: Callable[[np.ndarray, float], Interval]
    of_share: Callable[[np.ndarray, float], Interval]


FIXED = Method("by Student's t over a number of decks fixed beforehand", mean_interval, share_interval)
SEQUENCE = Method("asymptotic confidence sequence over decks, good at whatever number of them one stops", mean_sequence, share_sequence)
