"""What `gymnasium.make` and `gymnasium.make_vec` call: the environments, with opponents by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from penzoo.agents import make_agent
from penzoo.envs import get_game
from penzoo.envs.game import Game
from penzoo.envs.learner import Actor
from penzoo.envs.single import SingleEnv
from penzoo.envs.vector import BatchVectorEnv

Opponent = str | Path | Actor
DEFAULT_OPPONENT = "random"  # the one that every game has


class GymEnv(SingleEnv):
    """A `SingleEnv` for `gymnasium.make("penzoo/Pen-v0", …)`, or another game's id.

    Args:
        game: the name of the game; the registration gives it.
        opponents: an agent or a list of them, from the seat after the learner's on, begun anew where they are too few: a name or path for
            `penzoo.agents.make_agent`, or any object with `act(observations, masks)` or `act_deals(deals, share)`.
        num_players, render_mode, options: as for `SingleEnv`; `seat` is the learner's, drawn for each deal if None.

    Raises:
        ValueError: an argument, an option or an agent is impossible.
        FileNotFoundError: there is no such file of an agent.
    """

    def __init__(
        self,
        game: str,
        opponents: Opponent | Sequence[Opponent] = DEFAULT_OPPONENT,
        num_players: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        table = get_game(game)
        super().__init__(table, as_actors(opponents, table, num_players), num_players, render_mode, **options)


class GymVectorEnv(BatchVectorEnv):
    """A `BatchVectorEnv` for `gymnasium.make_vec("penzoo/Pen-v0", num_envs=…, …)`, or another game's id.

    Args:
        game, opponents: as for `GymEnv`.
        num_envs, num_players, render_mode, options: as for `BatchVectorEnv`.

    Raises:
        ValueError: an argument, an option or an agent is impossible.
        FileNotFoundError: there is no such file of an agent.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Opponent | Sequence[Opponent] = DEFAULT_OPPONENT,
        num_players: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        table = get_game(game)
        super().__init__(table, num_envs, as_actors(opponents, table, num_players), num_players, render_mode, **options)


def as_actors(opponents: Opponent | Sequence[Opponent], game: Game, num_players: int | None) -> list[Actor]:
    """An opponent or several as objects that act.

    Raises:
        ValueError: there is no such agent, or not for this game or number of players.
        FileNotFoundError: there is no such file.
    """
    players = game.default_players if num_players is None else num_players
    each = list(opponents) if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents]
    return [one if hasattr(one, "act") or hasattr(one, "act_deals") else make_agent(one, game.name, players) for one in each]
