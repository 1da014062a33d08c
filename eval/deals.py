"""Deals drawn once and played by many tables, so that the luck of the deck is common to all."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from penzoo.envs.batch import Batch
from penzoo.envs.game import Game

# deals drawn at a time; part of what a seed means, so a change of it changes every deck
_DRAWN_AT_ONCE = 64


@dataclass(frozen=True)
class Deals:
    """Some deals as they were dealt: decks, dealers, and whatever a game draws beside, also what shows only later, as a reshuffle.

    Attributes:
        arrays: as of `Batch.to_arrays`, a row for each deal.
    """

    arrays: dict[str, np.ndarray]

    def __len__(self) -> int:
        return len(self.arrays["states"])

    def part(self, start: int, stop: int) -> "Deals":
        """The deals from `start` to before `stop`."""
        return Deals({name: array[start:stop] for name, array in self.arrays.items()})

    def options(self, game: Game) -> dict[str, Any]:
        """The rule options for which they were drawn, complete."""
        return game.options_of(self.arrays["states"][0])


def draw_deals(game: Game, players: int, count: int, seed: int, options: Mapping[str, Any] | None = None) -> Deals:
    """Draw deals: deal k is the same for a game, number of players, options and seed, however many are drawn.

    Args:
        game: of `penzoo.envs.GAMES`.
        players: at the table.
        count: how many deals.
        seed: an int from 0 on.
        options: the game's rule options.

    Raises:
        ValueError: an argument or an option is impossible.
    """
    batch = Batch(game, _DRAWN_AT_ONCE, seed, num_players=players, **(options or {}))
    drawn = []
    for start in range(0, count, _DRAWN_AT_ONCE):
        if start:
            batch.reset()
        drawn.append(batch.to_arrays(np.arange(min(_DRAWN_AT_ONCE, count - start))))
    return Deals({name: np.concatenate([arrays[name] for arrays in drawn]) for name in drawn[0]})
