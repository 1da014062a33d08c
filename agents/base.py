"""What an agent is, and the kinds that need no file: random ones, and functions, compiled or not."""

import functools
import operator
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from penzoo.envs import get_game, rng
from penzoo.envs.jit import bind, compiled, read_only


class Agent(Protocol):
    """Anything that gives actions for rows of observations and masks.

    A search (`penzoo.agents.search`) refuses these, and has a method `act_deals(deals, share)` for deals of which all that the seat to
    move cannot see has been dealt anew. `Batch.ask` asks either kind.

    Attributes:
        name: for reports.
        game: the name of the game that it plays; None for any.
        num_players: the size of the tables at which it plays; None for any.
    """

    name: str
    game: str | None
    num_players: int | None

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Choose an action for each row.

        Args:
            observations: float32 of shape (rows, observation size), of the seats to move.
            masks: int8 of shape (rows, number of actions), at least one 1 in each row.

        Returns:
            int64 of shape (rows,), each legal by its mask.
        """
        ...


class RandomAgent:
    """Uniform over the legal actions, in any game."""

    name = "random"
    game: str | None = None
    num_players: int | None = None

    def __init__(self, seed: int | None = None) -> None:
        self._stream = rng.streams(seed, 1)

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """As `Agent.act`."""
        actions = np.empty(len(masks), np.int64)
        random_actions(read_only(masks), self._stream, actions)
        return actions

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """float64 of shape (rows, actions): how likely it plays what, 0 where the mask forbids."""
        return (masks != 0) / np.count_nonzero(masks, axis=1, keepdims=True)

    def reseed(self, seed: int) -> None:
        """Begin its chance anew."""
        self._stream = rng.streams(seed, 1)


class HeuristicAgent:
    """A hand-written agent: a compiled function of one observation and its mask.

    Args:
        name: as `make_agent` knows it.
        game: the name of its game.
        choose: compiled, (observation, mask, players) -> action.
    """

    num_players: int | None = None

    def __init__(self, name: str, game: str, choose: Callable[..., int]) -> None:
        self.name = name
        self.game: str | None = game
        table = get_game(game)
        self._num_actions = len(table.actions)
        self._players = {table.observation_layout(n).size: n for n in range(table.min_players, table.max_players + 1)}
        self._choose_rows = _bind_rows(f"{game}.{name}", choose)

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """As `Agent.act`.

        Raises:
            ValueError: the observations are not those of its game, or the masks do not fit them.
        """
        players = self._players.get(observations.shape[1]) if observations.ndim == 2 else None
        if players is None:
            sizes = ", ".join(f"{size} for {n} players" for size, n in self._players.items())
            raise ValueError(f"{self.name} cannot read observations of shape {observations.shape}: {self.game} has rows of {sizes}")
        if masks.shape != (len(observations), self._num_actions):
            expected = (len(observations), self._num_actions)
            raise ValueError(f"{self.name} cannot read masks of shape {masks.shape}: these observations need {expected}")
        actions = np.empty(len(masks), np.int64)
        self._choose_rows(read_only(observations), read_only(masks), players, actions)
        return actions


class CallableAgent:
    """A function of Python as an agent, asked a row at a time.

    Args:
        name: for reports and errors.
        function: (observation, mask) -> action: float32 of shape (observation size,), int8 of shape (number of actions,), an int.
        game: the name of the game that it plays; None for any.
    """

    num_players: int | None = None

    def __init__(self, name: str, function: Callable[[np.ndarray, np.ndarray], Any], game: str | None = None) -> None:
        self.name = name
        self.game = game
        self._function = function

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """As `Agent.act`; what the function raises passes through.

        Raises:
            ValueError: the function chose what is no legal action.
        """
        rows = zip(observations, masks, strict=True)
        return np.array([self._choose(observation, mask) for observation, mask in rows], np.int64)

    def _choose(self, observation: np.ndarray, mask: np.ndarray) -> int:
        action = self._function(observation.copy(), mask.copy())
        try:
            index = -1 if isinstance(action, bool) else operator.index(action)
        except TypeError:
            index = -1
        if not (0 <= index < len(mask) and mask[index]):
            raise ValueError(f"agent {self.name} chose {action!r}, which is no legal action: legal are the ints {self._legal(mask)}")
        return index

    def _legal(self, mask: np.ndarray) -> str:
        legal = np.flatnonzero(mask).tolist()
        names = [f" ({name})" for name in get_game(self.game).legal_names(mask)] if self.game else [""] * len(legal)
        return ", ".join(f"{action}{name}" for action, name in zip(legal, names, strict=True))


@functools.cache
def _bind_rows(name: str, choose: Callable[..., int]) -> Callable[..., None]:
    """`choose_rows` of an agent, bound and loaded once in a process, however often the agent is made."""
    return bind(choose_rows, name, {"choose": choose})


def choose_rows(observations, masks, players, actions):
    """Let an agent choose in each row; `choose` is bound to it."""
    for row in range(len(masks)):
        actions[row] = choose(observations[row], masks[row], players)  # type: ignore[name-defined]  # noqa: F821


@compiled
def random_actions(masks, stream, actions):
    """Draw a legal action for each row; `stream` as in `penzoo.envs.rng`."""
    for row in range(len(masks)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[row, action]
        skip = rng.random_below(stream, count)
        for action in range(masks.shape[1]):
            if masks[row, action]:
                if skip == 0:
                    actions[row] = action
                    break
                skip -= 1
