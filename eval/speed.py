"""Speed: moves per CPU-second of the AEC environment and of the batch, each beside a yardstick measured in the same run.

Machines differ and are shared, so the yardstick is a do-nothing game in PettingZoo's usual wrapper stack, played by the same loop in
turns with the environment: the ratio is what to quote. Play is random and legal; observation and mask are filled at every move.
"""

import functools
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from penzoo.agents.base import RandomAgent
from penzoo.envs.aec import CheckedEnv
from penzoo.envs.batch import Batch, available_cores
from penzoo.envs.game import Game

_AEC_STEPS = 4000  # in one slice
_BATCH_MOVES = 200_000
_SLICES = 9
_EMPTY_STEPS = 500  # of a deal of the empty game


@dataclass(frozen=True)
class Rate:
    """What one contestant did.

    Attributes:
        name: what was measured.
        per_cpu_second: moves per second of processor time of the whole process, the median over the slices.
        per_second: the same by the wall clock.
        ratio: to the yardstick, the median of the ratios taken slice by slice; None where there is none.
    """

    name: str
    per_cpu_second: float
    per_second: float
    ratio: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


class EmptyEnv(AECEnv[str, dict[str, np.ndarray], int]):
    """A game of two agents in which nothing happens: what an environment costs that costs nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.metadata = {"name": "empty_v0", "render_modes": []}
        self.possible_agents = ["player_0", "player_1"]
        space = spaces.Dict({"observation": spaces.Box(0, 1, (1,), np.float32), "action_mask": spaces.Box(0, 1, (2,), np.int8)})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(2) for agent in self.possible_agents}
        self._seen: dict[str, np.ndarray] = {"observation": np.zeros(1, np.float32), "action_mask": np.ones(2, np.int8)}

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for both."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Two actions, which do nothing."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._steps = 0

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """The same at all times."""
        return self._seen

    def step(self, action: int) -> None:
        """Pass the turn."""
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self._steps += 1
        self.agent_selection = self.possible_agents[self._steps % 2]
        if self._steps == _EMPTY_STEPS:
            self.terminations = dict.fromkeys(self.agents, True)


def wrapped_empty_env() -> AECEnv[str, Any, Any]:
    """The empty game in the stack that PettingZoo's own card games come in."""
    env: Any = wrappers.TerminateIllegalWrapper(EmptyEnv(), illegal_reward=-1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)


def play_loop(env: AECEnv[str, Any, Any], steps: int, seed: int = 0) -> int:
    """The plain loop of PettingZoo's documentation with a cheap random sampler, for so many steps; returns how many that were."""
    left = steps
    draw = np.random.default_rng(seed).random
    env.reset(seed=seed)
    while left > 0:
        for _agent in env.agent_iter(left):
            observation, _reward, terminated, truncated, _info = env.last()
            if terminated or truncated:
                action = None
            else:
                legal = np.flatnonzero(observation["action_mask"])
                action = int(legal[int(draw() * len(legal))])
            env.step(action)
            left -= 1
        env.reset()
    return steps


def batch_loop(batch: Batch, moves: int, agent: RandomAgent) -> int:
    """Random play in every row; returns the number of moves, at least `moves`."""
    rounds = -(-moves // batch.num_envs)
    for _ in range(rounds):
        batch.step(agent.act(batch.observations, batch.masks))
    return rounds * batch.num_envs


def measure(game: Game, players: int, num_envs: int, threads: int | None = None, slices: int = _SLICES, **options: Any) -> Iterator[Rate]:
    """Measure the AEC environment against the empty game, and the batch.

    Args:
        game: what to play.
        players: at the table.
        num_envs: of the batch.
        threads: of the second measurement of the batch; all cores if None.
        slices: how often each is measured, in turns.
        options: the game's rule options.

    Yields:
        The rates: the yardstick, the AEC environment, the batch on one thread, the batch on all.
    """
    yield from _measure_aec(game, players, slices, options)
    yield _measure_batch(game, players, num_envs, 1, slices, options)
    threads = threads or available_cores()
    if threads > 1:
        yield _measure_batch(game, players, num_envs, threads, slices, options)


def _measure_aec(game: Game, players: int, slices: int, options: dict[str, Any]) -> Iterator[Rate]:
    empty, bare, env = wrapped_empty_env(), EmptyEnv(), CheckedEnv(game, players, **options)
    names = ("empty game, usual wrappers", "empty game, bare", f"{game.id} AEC, env(), {players} players")
    contestants = dict(zip(names, (empty, bare, env), strict=True))
    for contestant in contestants.values():
        play_loop(contestant, _AEC_STEPS)  # compiles
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for k in range(slices):
        for name, contestant in contestants.items():
            taken[name].append(_rates(functools.partial(play_loop, contestant, _AEC_STEPS, k)))
    for name in names:
        ratios = [mine[0] / yardstick[0] for mine, yardstick in zip(taken[name], taken[names[0]], strict=True)]
        yield _median(name, taken[name], statistics.median(ratios))


def _measure_batch(game: Game, players: int, num_envs: int, threads: int, slices: int, options: dict[str, Any]) -> Rate:
    batch = Batch(game, num_envs, seed=0, threads=threads, num_players=players, **options)
    agent = RandomAgent(seed=0)
    batch_loop(batch, _BATCH_MOVES, agent)  # compiles, and takes the deals into their middles
    taken = [_rates(lambda: batch_loop(batch, _BATCH_MOVES, agent)) for _ in range(slices)]
    batch.close()
    return _median(f"{game.id} batch of {num_envs}, {players} players, {threads} thread{'s' * (threads > 1)}", taken, None)


def _rates(work: Callable[[], int]) -> tuple[float, float]:
    """Moves per CPU-second and per second of what `work` does; it returns how many moves that was."""
    cpu, wall = time.process_time(), time.perf_counter()
    moves = work()
    return moves / (time.process_time() - cpu), moves / (time.perf_counter() - wall)


def _median(name: str, taken: list[tuple[float, float]], ratio: float | None) -> Rate:
    return Rate(name, statistics.median(cpu for cpu, _ in taken), statistics.median(wall for _, wall in taken), ratio)
