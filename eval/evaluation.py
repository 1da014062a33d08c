"""Agents compared on common decks."""

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import numba
import numpy as np

from penzoo import __version__
from penzoo.agents import Agent, make_agent
from penzoo.envs import get_game
from penzoo.envs.game import Game
from penzoo.envs.options import check_int
from penzoo.eval.arena import Games, play, seatings
from penzoo.eval.deals import draw_deals
from penzoo.eval.intervals import CONFIDENCE, Interval, mean_interval, share_interval

_DECIMALS = 12
MIN_DEALS = 2  # an interval needs a spread


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
        values = asdict(self)
        del values["deck_payoffs"]
        for row in values["rows"]:
            row["payoff_interval"] = list(row["payoff_interval"])
            row["share_intervals"] = {name: list(interval) for name, interval in row["share_intervals"].items()}
        return values


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
    table = get_game(game) if isinstance(game, str) else game
    num_players = table.check_players(table.default_players if players is None else players)
    complete = table.complete_options(dict(options or {}))
    _check_numbers(deals, seed, threads, len(agents))
    made, names, listed = _different(agents, table, num_players, seed)
    seats = seatings(listed, num_players)
    drawn = draw_deals(table, num_players, deals, seed, complete)
    with _shown(progress, deals) as show:
        played = play(table, made, seats, drawn, threads=threads)
        figures = [_figures(games, seats, len(made)) for games in show(played)]
    per_deck = {what: np.concatenate([part[what] for part in figures], axis=1) for what in figures[0]}
    outcomes = {outcome.name: outcome.meaning for outcome in table.outcomes}
    tables = [int((seats == index).any(axis=1).sum()) for index in range(len(made))]  # at which each agent sits
    return Evaluation(
        game=table.id,
        agents=[names[index] for index in listed],
        players=num_players,
        deals=deals,
        games=deals * len(seats),
        seed=seed,
        options=complete,
        payoff_unit=table.payoff_unit,
        outcomes=outcomes,
        confidence=CONFIDENCE,
        rows=[
            _row(name, outcomes, {what: values[index] for what, values in per_deck.items()}, deals * tables[index])
            for index, name in enumerate(names)
        ],
        versions={"penzoo": __version__, "numpy": np.__version__, "numba": numba.__version__, "python": platform.python_version()},
        deck_payoffs=dict(zip(names, per_deck["payoff"], strict=True)),
    )


def _check_numbers(deals: int, seed: int, threads: int, num_agents: int) -> None:
    for name, value, least in (("deals", deals, MIN_DEALS), ("seed", seed, 0), ("threads", threads, 1)):
        check_int(name, value, least)
    if num_agents == 0:
        raise ValueError("no agents: name at least one")


def _different(agents: Sequence[Agent | str], game: Game, players: int, seed: int) -> tuple[list[Agent], list[str], list[int]]:
    """The different agents, their names, and for each that is listed which of them it is."""
    made: list[Agent] = []
    names: list[str] = []
    index_of: dict[str | int, int] = {}
    keys = [agent if isinstance(agent, str) else id(agent) for agent in agents]
    for key, agent in zip(keys, agents, strict=True):
        if key not in index_of:
            index_of[key] = len(made)
            made.append(_make(agent, game, players, seed, len(made)))
            names.append(_free_name(agent if isinstance(agent, str) else agent.name, names))
    return made, names, [index_of[key] for key in keys]


def _make(agent: Agent | str, game: Game, players: int, seed: int, index: int) -> Agent:
    if isinstance(agent, str):
        # not the seed itself: it is the decks' own
        chance = int(np.random.SeedSequence([seed, index]).generate_state(1)[0])
        return make_agent(agent, game.name, players, chance)
    if agent.game not in (None, game.name):
        raise ValueError(f"agent {agent.name} plays {agent.game}, not {game.name}")
    if agent.num_players not in (None, players):
        raise ValueError(f"agent {agent.name} plays at tables of {agent.num_players}, not of {players}")
    return agent


def _free_name(name: str, taken: Sequence[str]) -> str:
    """The name, with a number where another agent has it already."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free


def _figures(games: Games, seats: np.ndarray, num_agents: int) -> dict[str, np.ndarray]:
    """Each agent's means over its seats: arrays of shape (agents, deals)."""
    shape = games.returns.shape
    values = {
        "payoff": games.returns,
        "moves": np.broadcast_to(games.moves[:, :, None], shape),
        "truncated": np.broadcast_to(games.truncated[:, :, None], shape),
        **games.outcomes,
    }
    return {name: np.stack([_seat_means(array, seats == index) for index in range(num_agents)]) for name, array in values.items()}


def _seat_means(values: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """For each deck the mean over the seats in `mask`; what is left of thirds in the last bits is no spread, and is rounded off."""
    means: np.ndarray = values[:, mask].mean(axis=1).round(_DECIMALS)
    return means + 0.0  # no minus before a zero


def _row(agent: str, outcomes: Iterable[str], per_deck: Mapping[str, np.ndarray], games: int) -> Row:
    """A row from an agent's figures on each deck."""
    payoff = per_deck["payoff"]
    return Row(
        agent=agent,
        payoff=float(payoff.mean()),
        payoff_interval=mean_interval(payoff),
        shares={name: float(per_deck[name].mean()) for name in outcomes},
        share_intervals={name: share_interval(per_deck[name]) for name in outcomes},
        moves=float(per_deck["moves"].mean()),
        truncated=float(per_deck["truncated"].mean()),
        decks=len(payoff),
        games=games,
    )


@contextmanager
def _shown(progress: bool, deals: int) -> Iterator[Any]:
    """A function that passes games through, and shows how many of the deals they are if that is wished."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not (progress and console.is_terminal):
        yield lambda played: played
        return
    with Progress(console=console, transient=True) as bar:
        task = bar.add_task("decks", total=deals)

        def show(played: Iterable[Games]) -> Iterator[Games]:
            for games in played:
                bar.advance(task, len(games.returns))
                yield games

        yield show
