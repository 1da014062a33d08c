"""Who plays the other seats: the present self, past selves and the agents known by name, in shares."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from penzoo.agents import Agent, make_agent
from penzoo.agents.policy import DESCRIPTION_SUFFIX, SUFFIX, PolicyAgent, load_policy, save_policy
from penzoo.envs.learner import LEARNER
from penzoo.train.clock import Clock
from penzoo.train.config import Config

OPPONENTS = "opponents"  # what the clock calls them
PRESENT = 0  # the actor that is the present self; then come those known by name, then the past selves

_DIGITS = 12  # of a file's name, so that names sort as numbers do


class _Actor:
    """A place at the tables; who has it may change."""

    def __init__(self, agent: Agent | None, clock: Clock) -> None:
        self.agent, self._clock = agent, clock

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        assert self.agent is not None  # a place without an agent is never drawn
        with self._clock.time(OPPONENTS):
            return self.agent.act(observations, masks)

    @property
    def act_deals(self) -> Callable[..., np.ndarray] | None:
        """The agent's own if it is a search, which `Batch.ask` then asks by it."""
        search = getattr(self.agent, "act_deals", None)
        return search and functools.partial(self._act_deals, search)

    def _act_deals(self, search: Callable[..., np.ndarray], *arguments: Any) -> np.ndarray:
        with self._clock.time(OPPONENTS):
            return search(*arguments)

    def reseed(self, seed: int) -> None:
        reseed = getattr(self.agent, "reseed", None)
        if reseed is not None:
            reseed(seed)


class Pool:
    """The opponents of a learner: `actors` and `seating` for a `LearnerBatch`.

    For each deal the learner's seat is drawn anew, and for each other seat one of: the present self, an agent known by name, a past self,
    by the shares of the configuration; which past self, evenly. The past selves are the last `pool.size` snapshots: the newest takes the
    place of the oldest, also in deals that are being played.

    Attributes:
        actors: for `LearnerBatch`.
        folder: where every snapshot is kept, an agent's file each.

    Args:
        config: of the run.
        present: makes an agent of the present self, from a seed.
        folder: of the snapshots.
        seed: of the opponents' chance.
        clock: gets the time that they take.
    """

    def __init__(self, config: Config, present: Callable[[int], PolicyAgent], folder: Path, seed: int, clock: Clock) -> None:
        self._config, self._present, self.folder = config, present, folder
        self._seeds = np.random.SeedSequence(seed)
        self._names = list(config.pool.heuristics)
        self._first_past = 1 + len(self._names)
        named = [make_agent(name, config.game, config.players, self._new_seed()) for name in self._names]
        agents = [None, *named, *[None] * config.pool.size]
        self.actors = [_Actor(agent, clock) for agent in agents]
        self._snapshots: list[int] = []

    @property
    def snapshots(self) -> list[int]:
        """Of the past selves: after how many decisions each was taken, oldest first."""
        return self._snapshots[-self._config.pool.size :]

    def refresh(self) -> None:
        """Let the present self be what the learner is now."""
        actor = self.actors[PRESENT]
        if actor.agent is None:
            actor.agent = self._present(self._new_seed())
        else:
            actor.agent.layers = self._present(0).layers  # type: ignore[attr-defined]

    def snapshot(self, decisions: int) -> None:
        """Take the present self into the past, and write it into the folder."""
        agent = self._present(self._new_seed())
        agent.layers = agent.layers.copy()
        save_policy(self._path(decisions), agent.layers, agent.description)
        self._add(decisions, agent)

    def restore(self, decisions: int) -> None:
        """Be what the pool was after so many decisions: read the snapshots of until then, and remove those of later."""
        found = sorted(int(path.stem) for path in self.folder.glob(f"*{SUFFIX}"))
        for later in (taken for taken in found if taken > decisions):
            self._path(later).unlink()
            self._path(later).with_suffix(DESCRIPTION_SUFFIX).unlink(missing_ok=True)
        for taken in [taken for taken in found if taken <= decisions][-self._config.pool.size :]:
            self._add(taken, load_policy(self._path(taken), self._new_seed()))

    def seating(self, deals: int, generator: np.random.Generator) -> np.ndarray:
        """A `Seating`: int64 of shape (deals, players)."""
        shape = (deals, self._config.players)
        assignment = generator.choice(self._first_past + 1, shape, p=self._shares())
        past = assignment == self._first_past
        assignment[past] += generator.integers(max(1, len(self.snapshots)), size=int(past.sum()))
        assignment[np.arange(deals), generator.integers(self._config.players, size=deals)] = LEARNER
        return assignment

    def _shares(self) -> np.ndarray:
        """Of the present self, each agent known by name, and the past selves together."""
        pool = self._config.pool
        shares = np.array([pool.present, *(pool.heuristics[name] for name in self._names), pool.past])
        if not self._snapshots:
            shares[[PRESENT, -1]] = pool.present + pool.past, 0
        return shares / shares.sum()

    def _add(self, decisions: int, agent: PolicyAgent) -> None:
        place = len(self._snapshots) % self._config.pool.size
        self.actors[self._first_past + place].agent = agent
        self._snapshots.append(decisions)

    def _path(self, decisions: int) -> Path:
        return self.folder / f"{decisions:0{_DIGITS}d}{SUFFIX}"

    def _new_seed(self) -> int:
        return int(self._seeds.spawn(1)[0].generate_state(1)[0])
