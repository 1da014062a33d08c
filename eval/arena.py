"""Who sits where, and the playing of many games at once."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from penzoo.agents import Agent
from penzoo.envs.batch import Batch
from penzoo.envs.game import Game
from penzoo.eval.deals import Deals

GAMES_AT_ONCE = 2048  # enough for the batch to be fast, few enough for memory


@dataclass(frozen=True)
class Games:
    """How games ended: each of some deals, played once in each of some seatings.

    Attributes:
        returns: float64 of shape (deals, seatings, players).
        outcomes: for each of `game.outcomes` by its name, bool of shape (deals, seatings, players).
        moves: int64 of shape (deals, seatings), decisions made.
        truncated: bool of shape (deals, seatings).
    """

    returns: np.ndarray
    outcomes: dict[str, np.ndarray]
    moves: np.ndarray
    truncated: np.ndarray

    def __len__(self) -> int:
        return len(self.returns)

    @classmethod
    def joined(cls, parts: Sequence["Games"]) -> "Games":
        """The games of some deals after those of others, in the same seatings."""
        return cls(
            np.concatenate([part.returns for part in parts]),
            {name: np.concatenate([part.outcomes[name] for part in parts]) for name in parts[0].outcomes},
            np.concatenate([part.moves for part in parts]),
            np.concatenate([part.truncated for part in parts]),
        )


def seatings(listed: Sequence[int], players: int) -> np.ndarray:
    """All the seatings in which a deck is to be played, so that nobody is favoured by seat or table.

    As many agents as seats sit as they are listed. Fewer fill the seats in a cycle, once beginning with each of them. Of more, every
    combination has a table. Each table is played in every rotation of its seats; what would be the same seating again is left out.

    Args:
        listed: a number for each listed agent; the same number for the same agent.
        players: at the table.

    Returns:
        int64 of shape (seatings, players): who sits in each seat.
    """
    count = len(listed)
    if count > players:
        tables = list(itertools.combinations(listed, players))
    else:
        tables = [tuple(listed[(first + seat) % count] for seat in range(players)) for first in range(count)]
    rotations = [table[turn:] + table[:turn] for table in tables for turn in range(players)]
    return np.array(list(dict.fromkeys(rotations)), np.int64)


def play(game: Game, agents: Sequence[Agent], seats: np.ndarray, deals: Deals, *, threads: int = 1) -> Iterator[Games]:
    """Play every deal once in every seating; yields as it goes, for some deals at a time.

    Args:
        game: of `penzoo.envs.GAMES`.
        agents: who plays.
        seats: int of shape (seatings, players), each the index of an agent, as of `seatings`.
        deals: as of `draw_deals`, for as many players.
        threads: how many work on a step of the games.

    Raises:
        ValueError: the deals are for other players, or an agent plays an illegal action.
    """
    at_once = min(len(deals), max(1, GAMES_AT_ONCE // len(seats)))
    batch = Batch(game, at_once * len(seats), seed=0, threads=threads, num_players=seats.shape[1], autoreset=False, **deals.options(game))
    try:
        for start in range(0, len(deals), at_once):
            part = deals.part(start, start + at_once)
            rows = _begin(batch, part, len(seats))
            _play_out(batch, agents, seats[rows // len(part)], rows)
            yield _ended(batch, rows, len(part), len(seats))
    finally:
        batch.close()


def _begin(batch: Batch, deals: Deals, copies: int) -> np.ndarray:
    """Plant each deal `copies` times: deal k lies in the returned rows k, k + len(deals) and so on."""
    rows = np.arange(len(deals) * copies)
    batch.from_arrays(deals.arrays, rows[: len(deals)])
    batch.copy(rows % len(deals), rows)
    return rows


def _play_out(batch: Batch, agents: Sequence[Agent], seats: np.ndarray, rows: np.ndarray) -> None:
    """Play the deals in these rows (0 to len(seats)-1) to their ends; `seats[row]` says who plays each seat."""
    live = rows
    while len(live):
        movers = seats[live, batch.seats[live]]
        actions = np.empty(len(live), np.int64)
        for index, agent in enumerate(agents):
            own = np.flatnonzero(movers == index)
            if len(own):
                actions[own] = batch.ask(agent, live[own])
        batch.step(actions, live)
        live = live[~batch.ended[live]]


def _ended(batch: Batch, rows: np.ndarray, num_deals: int, num_seatings: int) -> Games:
    def by_deal(values: np.ndarray) -> np.ndarray:
        return values.reshape(num_seatings, num_deals, *values.shape[1:]).swapaxes(0, 1)

    states = batch.states[rows]
    return Games(
        by_deal(batch.returns[rows]),
        {outcome.name: by_deal(outcome.of(states)) for outcome in batch.game.outcomes},
        by_deal(states["moves"].astype(np.int64)),
        by_deal(batch.truncated[rows]),
    )
