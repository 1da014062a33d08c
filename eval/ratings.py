"""Ratings from comparisons of agents, on the scale of Elo."""

from dataclasses import dataclass

import choix
import numpy as np

from penzoo.eval.intervals import CONFIDENCE, Interval

ELO_SCALE = 400 / np.log(10)  # points for a factor e in the odds of doing better
RESAMPLES = 1000
_TIES = 1.0  # games that each pair that met is taken to have tied beside those that it played
_MOST_STEPS, _PRECISION, _ROUGH = 100_000, 1e-8, 1e-4  # of log strengths; 1e-4 are 0.02 points, enough for the ends of intervals


@dataclass(frozen=True)
class Rating:
    """An agent's strength.

    Attributes:
        agent: its name.
        points: on the scale of Elo, on which 400 more are odds of 10 to 1 of doing better; the mean of all agents is 0.
        points_interval: by bootstrap over decks: the percentiles of the ratings of decks drawn anew.
    """

    agent: str
    points: float
    points_interval: Interval


def rate(agents: list[str], wins: np.ndarray, seed: int, confidence: float = CONFIDENCE) -> list[Rating]:
    """The maximum-likelihood ratings of Bradley and Terry (1952), as `choix` computes them (Maystre and Grossglauser 2015).

    Each pair that met is given one tied game more, so that one who always wins has a finite rating.

    Args:
        agents: names; all are linked by those that met.
        wins: float64 of shape (decks, agents, agents): on each deck, how often the one did better than the other; a tie is half a win
            for both.
        seed: of the decks that are drawn anew.
        confidence: of the intervals.
    """
    decks, count, _ = wins.shape
    flat = wins.reshape(decks, count * count)
    total = flat.sum(axis=0).reshape(count, count)
    ties = np.where(total + total.T > 0, _TIES / 2, 0.0)
    strengths = _fit(total + ties)
    generator, evenly = np.random.default_rng(seed), np.full(decks, 1 / decks)
    drawn = ((generator.multinomial(decks, evenly) @ flat).reshape(count, count) for _ in range(RESAMPLES))  # one at a time, for memory
    again = np.stack([_fit(each + ties, strengths, _ROUGH) for each in drawn])
    ends = (1 - confidence) / 2
    lows, highs = np.quantile(again, [ends, 1 - ends], axis=0) * ELO_SCALE
    return [
        Rating(agent, float(points), Interval(float(low), float(high)))
        for agent, points, low, high in zip(agents, strengths * ELO_SCALE, lows, highs, strict=True)
    ]


def _fit(wins: np.ndarray, start: np.ndarray | None = None, precision: float = _PRECISION) -> np.ndarray:
    """Log strengths, their mean 0, of shape (agents,)."""
    found = choix.ilsr_pairwise_dense(wins, initial_params=start, max_iter=_MOST_STEPS, tol=precision)
    return found - found.mean()


def deck_wins(returns: np.ndarray, is_agent: np.ndarray) -> np.ndarray:
    """How much of the games of each deck the agent wins against the others at its table.

    A game is a win for each other seat that it does better than, and half a win for each with which it ties, each counted as one part of
    as many as there are other seats: a table of more than two is broken into pairs, and weighs no more than a table of two.

    Args:
        returns: float64 of shape (decks, seatings, players).
        is_agent: bool of shape (seatings, players), one seat in each seating.

    Returns:
        float64 of shape (decks,), from 0 to the number of seatings.
    """
    own = returns[:, is_agent][:, :, None]
    others = returns[:, ~is_agent].reshape(*own.shape[:2], -1)
    wins: np.ndarray = ((own > others) + (own == others) / 2).mean(axis=2).sum(axis=1)
    return wins
