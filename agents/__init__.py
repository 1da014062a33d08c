"""Agents: random, hand-written and trained, all of them blind to what their seat cannot see."""

from pathlib import Path

from penzoo.agents.base import Agent, RandomAgent
from penzoo.agents.heuristics import HEURISTICS, make_heuristic
from penzoo.agents.policy import SUFFIX, load_policy
from penzoo.envs import get_game

__all__ = ["HEURISTICS", "Agent", "agent_names", "make_agent"]

RANDOM = RandomAgent.name


def agent_names(game: str) -> tuple[str, ...]:
    """The names that `make_agent` knows for a game, weakest first."""
    return (RANDOM, *HEURISTICS.get(game, {}))


def make_agent(spec: str | Path, game: str | None = None, num_players: int | None = None, seed: int | None = None) -> Agent:
    """An agent by name or from a file.

    Args:
        spec: `random`, a heuristic (`greedy`, `careful`), either also with its game before it (`pen:careful`), or the path of a trained
            agent (`agent.safetensors`).
        game: the name of the game that it is to play; needed only where the name of a heuristic alone leaves it open.
        num_players: of the tables at which it is to play, checked if given.
        seed: of its own chance, for agents that have any.

    Raises:
        ValueError: there is no such agent, or not for this game or number of players.
        FileNotFoundError: there is no such file.
    """
    agent = load_policy(Path(spec), seed) if str(spec).endswith(SUFFIX) else _make_named(str(spec), game, seed)
    if game is not None and agent.game not in (None, game):
        raise ValueError(f"agent {spec} plays {agent.game}, not {game}: name its game (--game {agent.game})")
    if num_players is not None and agent.num_players not in (None, num_players):
        raise ValueError(f"agent {spec} plays at tables of {agent.num_players}, not of {num_players}")
    return agent


def _make_named(spec: str, game: str | None, seed: int | None) -> Agent:
    prefix, _, name = spec.rpartition(":")
    if prefix and game not in (None, get_game(prefix).name):
        raise ValueError(f"agent {spec} plays {prefix}, not {game}: name its game (--game {prefix})")
    games = [prefix] if prefix else [game] if game else list(HEURISTICS)
    if name == RANDOM:
        return RandomAgent(seed)
    found = [each for each in games if name in HEURISTICS.get(each, {})]
    if not found:
        known = "; ".join(f"{each}: {', '.join(agent_names(each))}" for each in games)
        raise ValueError(f"agent {spec!r} does not exist: there are {known}, and files that end in {SUFFIX}")
    if len(found) > 1:
        raise ValueError(f"agent {spec!r} exists for {' and '.join(found)}: name one, as in {found[0]}:{name}")
    return make_heuristic(name, found[0])
