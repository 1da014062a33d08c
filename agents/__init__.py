"""Agents: random, hand-written, searching and trained, all of them blind to what their seat cannot see."""

import importlib
import os
import re
import sys
from collections.abc import Callable
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType

from penzoo.agents.base import Agent, CallableAgent, RandomAgent
from penzoo.agents.heuristics import HEURISTICS, make_heuristic
from penzoo.agents.policy import SUFFIX, PolicyAgent, load_policy
from penzoo.agents.search import LARGEST_BUDGET, SEARCH, SearchAgent
from penzoo.envs import GAMES, get_game

__all__ = ["HEURISTICS", "Agent", "agent_labels", "agent_names", "heuristic_names", "make_agent"]

RANDOM = RandomAgent.name
OTHERS = f"{SEARCH}:N (N simulations a decision), module:function, and files that end in {SUFFIX}"


def heuristic_names(game: str) -> tuple[str, ...]:
    """The names of the agents of a game that neither search nor were trained, weakest first."""
    return (RANDOM, *HEURISTICS.get(game, {}))


def agent_names(game: str) -> tuple[str, ...]:
    """The names that `make_agent` knows for a game: heuristics, weakest first, and the trained ones, each for tables of one size.

    The searches, by their budgets, are not among them.
    """
    return (*heuristic_names(game), *reference_files(game))


def agent_labels(game: str) -> tuple[str, ...]:
    """As `agent_names`, and behind each that plays at tables of one size how large those are: `ppo (3 players)`."""
    trained = [_load_reference(name, file, None) for name, file in reference_files(game).items()]
    return (*heuristic_names(game), *(f"{agent.name} ({agent.num_players} players)" for agent in trained))


def reference_files(game: str) -> dict[str, Traversable]:
    """Where the trained agents of a game lie that ship with the package, by name: that of the algorithm."""
    found = {}
    for file in resources.files("penzoo.agents.reference").iterdir():
        of_game, _, algorithm = file.name.removesuffix(SUFFIX).rpartition("_")
        if file.name.endswith(SUFFIX) and of_game == game:
            found[algorithm] = file
    return dict(sorted(found.items()))


def make_agent(spec: str | Path, game: str | None = None, num_players: int | None = None, seed: int | None = None) -> Agent:
    """An agent by name, from a file or from Python code.

    Args:
        spec: one of

            - `random`, a heuristic (`greedy`, `careful`), or a trained agent of `penzoo.agents.reference`, which ships with PenZoo, by the
              algorithm that made it: `ppo`, `aggrevate`; each plays at tables of one size;
            - `search:200`, a search with so many simulations for a decision (`penzoo.agents.search`);
            - each of these with its game before it: `pen:careful`, `pen:search:200`;
            - the path of a trained agent: `agent.safetensors`;
            - `module:function`, any callable (observation, mask) -> action: observation float32 of shape (size,), mask int8 of shape
              (number of actions,). The module is looked for as Python does, in the current folder first.
        game: the name of the game that it is to play; needed where the name of an agent alone leaves it open.
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
        raise ValueError(
            f"agent {spec} plays at tables of {agent.num_players}, not of {num_players}: set such tables (--players {agent.num_players})"
        )
    return agent


def _make_named(spec: str, game: str | None, seed: int | None) -> Agent:
    prefix, colon, name = spec.partition(":")
    if colon and prefix in GAMES:
        if game not in (None, prefix):
            raise ValueError(f"agent {spec} plays {prefix}, not {game}: name its game (--game {prefix})")
        return _make_known(spec, name, [prefix], seed)
    if colon and prefix != SEARCH:
        return CallableAgent(spec, _find_function(spec, prefix, name), game)
    return _make_known(spec, spec, [game] if game else list(GAMES), seed)


def _make_known(spec: str, name: str, games: list[str], seed: int | None) -> Agent:
    """An agent by its name without a game, of one of these games."""
    kind, _, budget = name.partition(":")
    if kind == SEARCH:
        return _make_search(spec, budget, games, seed)
    if name == RANDOM:
        return RandomAgent(seed)
    found = [each for each in games if name in agent_names(each)]
    if not found:
        known = "; ".join(f"{each}: {', '.join(agent_names(each))}" for each in games)
        raise ValueError(f"agent {spec!r} does not exist: there are {known}; {OTHERS}")
    _check_one(spec, name, found)
    files = reference_files(found[0])
    return _load_reference(name, files[name], seed) if name in files else make_heuristic(name, found[0])


def _check_one(spec: str, name: str, games: list[str]) -> None:
    if len(games) > 1:
        raise ValueError(f"agent {spec!r} exists for {' and '.join(games)}: name one, as in {games[0]}:{name}")


def _make_search(spec: str, budget: str, games: list[str], seed: int | None) -> SearchAgent:
    if not re.fullmatch("0*[1-9][0-9]{0,9}", budget) or int(budget) > LARGEST_BUDGET:
        raise ValueError(
            f"agent {spec!r} is not possible: write {SEARCH}:N, N simulations a decision, from 1 to {LARGEST_BUDGET} ({SEARCH}:200)"
        )
    _check_one(spec, f"{SEARCH}:{budget}", games)
    return SearchAgent(get_game(games[0]), int(budget), seed)


def _load_reference(name: str, file: Traversable, seed: int | None) -> PolicyAgent:
    with resources.as_file(file) as path:
        agent = load_policy(path, seed)
    agent.name = name
    return agent


def _find_function(spec: str, module_name: str, name: str) -> Callable[..., int]:
    """The callable that `module:function` names; what goes wrong in the module itself is raised as it is."""
    module = _import_module(spec, module_name)
    function: Callable[..., int] | None = getattr(module, name, None)
    if function is None:
        raise ValueError(f"agent {spec!r}: module {module_name} ({getattr(module, '__file__', None) or 'built in'}) has no {name!r}")
    if not callable(function):
        raise ValueError(f"agent {spec!r}: {name} in {module_name} is {function!r}, no function (observation, mask) -> action")
    return function


def _import_module(spec: str, name: str) -> ModuleType:
    if not all(part.isidentifier() for part in name.split(".")):
        raise ValueError(f"agent {spec!r}: {name!r} is no name of a module: write module:function, as in my_agents:cautious")
    folder = os.getcwd()
    if folder not in sys.path and "" not in sys.path:
        sys.path.insert(0, folder)  # where `python -m` looks first; a console script does not look there
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{name}.".startswith(f"{error.name}."):
            raise  # the module is there, and misses another
        raise ValueError(
            f"agent {spec!r}: game {name!r} does not exist: the games are {', '.join(GAMES)}; nor does a module {name!r}: "
            f"looked in {', '.join(each or '.' for each in sys.path)}"
        ) from None
