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
    """All the chance of some deals.

    Attributes:
        decks: int8 of shape (deals, deck size), card indices in the order in which they are dealt.
        dealers: int64 of shape (deals,).
        chances: for each of `game.chances` a value for each deal.
    """

    decks: np.ndarray
    dealers: np.ndarray
    chances: dict[str, list[Any]]

    def __len__(self) -> int:
        return len(self.decks)

    def part(self, start: int, stop: int) -> "Deals":
        """The deals from `start` to before `stop`."""
        chances = {name: values[start:stop] for name, values in self.chances.items()}
        return Deals(self.decks[start:stop], self.dealers[start:stop], chances)


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
        drawn.append(_read(batch).part(0, count - start))
    return Deals(
        np.concatenate([deals.decks for deals in drawn]),
        np.concatenate([deals.dealers for deals in drawn]),
        {chance.name: [value for deals in drawn for value in deals.chances[chance.name]] for chance in game.chances},
    )


def _read(batch: Batch) -> Deals:
    """The deals that a batch has begun."""
    chances = {chance.name: [chance.write(state) for state in batch.states] for chance in batch.game.chances}
    return Deals(batch.decks.copy(), batch.states["dealer"].astype(np.int64), chances)
