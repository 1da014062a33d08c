"""Who is to play what, checked before anything is played."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from penzoo.agents import Agent, make_agent
from penzoo.envs import get_game
from penzoo.envs.game import Game
from penzoo.envs.options import check_int

MIN_DEALS = 2  # an interval needs a spread
MOST_DEALS = 1_000_000  # all are drawn before the first is played, and lie in memory


@dataclass(frozen=True)
class Setup:
    """What an evaluation is of.

    Attributes:
        game: that is played.
        players: at each table.
        options: the rule options, complete.
        agents: the different ones.
        names: theirs, no two alike.
        listed: for each agent as it was listed, which of `agents` it is.
    """

    game: Game
    players: int
    options: dict[str, Any]
    agents: list[Agent]
    names: list[str]
    listed: list[int]


def set_up(
    agents: Sequence[Agent | str],
    game: str | Game,
    players: int | None,
    deals: int,
    seed: int,
    threads: int,
    options: Mapping[str, Any] | None,
) -> Setup:
    """Check the arguments of an evaluation, as `evaluate` takes them, and make the agents that are named.

    Raises:
        ValueError: an argument or an option is impossible, or an agent is not for this game and table.
        FileNotFoundError: an agent's file does not exist.
    """
    table = get_game(game) if isinstance(game, str) else game
    num_players = table.check_players(table.default_players if players is None else players)
    complete = table.complete_options(dict(options or {}))
    for name, value, least in (("deals", deals, MIN_DEALS), ("seed", seed, 0), ("threads", threads, 1)):
        check_int(name, value, least)
    if deals > MOST_DEALS:
        raise ValueError(f"deals={deals} is not possible: it takes an int from {MIN_DEALS} to {MOST_DEALS}")
    if not agents:
        raise ValueError("no agents: name at least one")
    return Setup(table, num_players, complete, *_different(agents, table, num_players, seed))


def chance(seed: int, *keys: int) -> int:
    """The seed of an agent's chance; never the seed itself, which is the decks' own."""
    return int(np.random.SeedSequence([seed, *keys]).generate_state(1)[0])


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
        return make_agent(agent, game.name, players, chance(seed, index))
    if agent.game not in (None, game.name):
        raise ValueError(f"agent {agent.name} plays {agent.game}, not {game.name}")
    if agent.num_players not in (None, players):
        raise ValueError(f"agent {agent.name} plays at tables of {agent.num_players}, not of {players}: set such tables")
    return agent


def _free_name(name: str, taken: Sequence[str]) -> str:
    """The name, with a number where another agent has it already."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} ({number})"
    return free
