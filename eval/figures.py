"""From games to figures: each agent's means on each deck, and rows of means with intervals over decks."""

import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numba
import numpy as np

from penzoo import __version__
from penzoo.eval.arena import Games
from penzoo.eval.intervals import CONFIDENCE, FIXED, Interval, Method

_DECIMALS = 12

Figures = dict[str, np.ndarray]  # of an agent: `payoff`, `moves`, `truncated` and each outcome, float64 of shape (decks,)


@dataclass(frozen=True)
class Row:
    """What one agent did. Means are over its seats in all games, intervals over decks.

    Attributes:
        agent: its name.
        payoff: mean return of a deal.
        payoff_interval: of `payoff`.
        shares: for each of the game's outcomes by its name, the share of its deals in which it came to that, of all, the truncated ones
            included.
        share_intervals: of each of `shares`.
        moves: decisions in a deal, of all seats together.
        truncated: share of its deals that were truncated.
        decks: different decks.
        games: in which it had a seat.
    """

    agent: str
    payoff: float
    payoff_interval: Interval
    shares: dict[str, float]
    share_intervals: dict[str, Interval]
    moves: float
    truncated: float
    decks: int
    games: int


def deck_figures(games: Games, seats: np.ndarray, num_agents: int) -> list[Figures]:
    """Each agent's means over its seats, deck by deck.

    Args:
        games: as of `arena.play`.
        seats: int of shape (seatings, players), in which they were played.
        num_agents: how many there are, each with a seat somewhere.
    """
    shape = games.returns.shape
    values = {
        "payoff": games.returns,
        "moves": np.broadcast_to(games.moves[:, :, None], shape),
        "truncated": np.broadcast_to(games.truncated[:, :, None], shape),
        **games.outcomes,
    }
    return [{name: _seat_means(array, seats == index) for name, array in values.items()} for index in range(num_agents)]


def _seat_means(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """For each deck the mean over the seats in `mask`; what is left of thirds in the last bits is no spread, and is rounded off."""
    means: np.ndarray = values[:, mask].mean(axis=1).round(_DECIMALS)
    return means + 0.0  # no minus before a zero


def make_row(
    agent: str,
    outcomes: Iterable[str],
    figures: Mapping[str, np.ndarray],
    games: int,
    method: Method = FIXED,
    confidence: float = CONFIDENCE,
) -> Row:
    """A row from an agent's figures on each deck; `games` in which it had a seat, intervals by `method`."""
    payoff = figures["payoff"]
    return Row(
        agent=agent,
        payoff=float(payoff.mean()),
        payoff_interval=method.of_mean(payoff, confidence),
        shares={name: float(figures[name].mean()) for name in outcomes},
        share_intervals={name: method.of_share(figures[name], confidence) for name in outcomes},
        moves=float(figures["moves"].mean()),
        truncated=float(figures["truncated"].mean()),
        decks=len(payoff),
        games=games,
    )


def variance_ratio(*sides: np.ndarray) -> float | None:
    """How many times more games it would take without common decks and rotations, for a mean of the same variance.

    That is the variance which the mean payoff would have if each game were played on a deck and in a seat of its own, drawn at random,
    divided by the variance which it has as it was played, each deck in every rotation. The former is the variance of single games divided
    by their number; of the n decks of g games here, it is estimated without bias by the variance of all n · g payoffs about their mean
    (divided by n · g), and what the mean itself varies by (the variance of the decks' means, divided by n) on top.

    Of two sides it is the ratio for the difference of their means: without common decks the variances of both would add up; on common
    decks what is luck of the deck for both cancels out.

    Args:
        sides: one or two arrays of float64 of shape (decks, games), the payoffs of the games, the same decks for both.

    Returns:
        The ratio; 1 where common decks bring nothing, less than 1 where the games of a deck are alike. None where decks do not differ.
    """
    if len(sides) not in (1, 2):
        raise ValueError(f"{len(sides)} sides: a ratio is of one, or of the difference of two")
    on_decks = np.stack([side.mean(axis=1) for side in sides])
    of_means = on_decks.var(axis=1, ddof=1) / on_decks.shape[1]
    alone = sum((side.var() + extra) / side.shape[1] for side, extra in zip(sides, of_means, strict=True))
    difference = (on_decks[0] - on_decks[1] if len(sides) == 2 else on_decks[0]).round(_DECIMALS)
    together = difference.var(ddof=1)
    return float(alone / together) if together > 0 else None


def versions() -> dict[str, str]:
    """Of what this runs with, by name."""
    return {"penzoo": __version__, "numpy": np.__version__, "numba": numba.__version__, "python": platform.python_version()}


def plain(value: Any) -> Any:
    """The value as JSON gives it back: lists for tuples and intervals, for a dataclass the fields that are compared."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value) if each.compare}
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value
