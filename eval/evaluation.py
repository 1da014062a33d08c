"""Agents compared at one kind of table, on common decks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penzoo.agents import Agent
from penzoo.envs.game import Game
from penzoo.eval.arena import Games, play, seatings
from penzoo.eval.deals import draw_deals
from penzoo.eval.entrants import set_up
from penzoo.eval.figures import Row, deck_figures, make_row, plain, versions
from penzoo.eval.intervals import CONFIDENCE
from penzoo.eval.progress import progress_bar


@dataclass(frozen=True)
class Evaluation:
    """Agents compared.

    Attributes:
        game: its name and version, as in `pen_v0`.
        agents: as listed.
        players: at the tables.
        deals: different decks.
        games: in all.
        seed: from which the decks were drawn.
        options: the rule options, complete.
        payoff_unit: of the payoffs.
        outcomes: what is counted beside them: what each name means.
        confidence: of the intervals.
        rows: one for each different agent, in the order in which they are listed.
        versions: of what it ran with.
        deck_payoffs: for each agent, float64 of shape (deals,), its mean payoff on each deck, for comparisons deck by deck.
    """

    game: str
    agents: list[str]
    players: int
    deals: int
    games: int
    seed: int
    options: dict[str, Any]
    payoff_unit: str
    outcomes: dict[str, str]
    confidence: float
    rows: list[Row]
    versions: dict[str, str]
    deck_payoffs: dict[str, np.ndarray] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All but the figures of single decks, as JSON holds it."""
        return plain(self)


def evaluate(
    agents: Sequence[Agent | str],
    game: str | Game = "pen",
    *,
    players: int | None = None,
    deals: int = 1000,
    seed: int = 0,
    threads: int = 1,
    options: Mapping[str, Any] | None = None,
    progress: bool = False,
) -> Evaluation:
    """Let agents play each other: every deck in every rotation of the seats, at the tables that `arena.seatings` makes.

    The same seed gives the same decks, whatever the agents and the threads.

    Args:
        agents: as `make_agent` takes them, or made; one that is listed several times has several seats and one row.
        game: its name, or itself.
        players: at the table; the game's default if None.
        deals: how many decks.
        seed: of the decks, and of the chance of the agents that are made here.
        threads: how many work on a step of the games.
        options: the game's rule options.
        progress: show a bar on the error output, if that is a terminal.

    Raises:
        ValueError: an argument or an option is impossible, or an agent is not for this game and table.
        FileNotFoundError: an agent's file does not exist.
    """
    setup = set_up(agents, game, players, deals, seed, threads, options)
    seats = seatings(setup.listed, setup.players)
    drawn = draw_deals(setup.game, setup.players, deals, seed, setup.options)
    parts = []
    with progress_bar(progress, "decks", deals) as advance:
        for part in play(setup.game, setup.agents, seats, drawn, threads=threads):
            parts.append(part)
            advance(len(part))
    figures = deck_figures(Games.joined(parts), seats, len(setup.agents))
    outcomes = {outcome.name: outcome.meaning for outcome in setup.game.outcomes}
    tables = [int((seats == index).any(axis=1).sum()) for index in range(len(setup.agents))]  # at which each agent sits
    return Evaluation(
        game=setup.game.id,
        agents=[setup.names[index] for index in setup.listed],
        players=setup.players,
        deals=deals,
        games=deals * len(seats),
        seed=seed,
        options=setup.options,
        payoff_unit=setup.game.payoff_unit,
        outcomes=outcomes,
        confidence=CONFIDENCE,
        rows=[
            make_row(name, outcomes, of_agent, deals * count) for name, of_agent, count in zip(setup.names, figures, tables, strict=True)
        ],
        versions=versions(),
        deck_payoffs={name: of_agent["payoff"] for name, of_agent in zip(setup.names, figures, strict=True)},
    )
