"""A whole `LearnerBatch` as one vector environment of stable-baselines3: no Python object per deal."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env.base_vec_env import VecEnv, VecEnvIndices, VecEnvStepReturn

from penzoo.envs.learner import LearnerBatch
from penzoo.train.clock import Clock

ENVIRONMENT = "environment"  # what the clock calls it


class DealVecEnv(VecEnv):
    """Deals in which every step is a decision of the learner; a deal that has ended is followed at once by another.

    Observations are float32 of shape (num_envs, observation size), rewards what came to the learner's seat since its decision before,
    times `reward_scale`. The info of a deal that has ended holds `terminal_observation` (what the learner sees at the end),
    `TimeLimit.truncated`, and `episode` with the learner's return `r`, as the game pays it, and the number of its decisions `l`.

    Truncation: `max_moves` is a rule of the deal, known from the observation, and what a truncated deal has paid is final. So a truncated
    deal is by default an ended one; with `bootstrap_truncated` SB3 is told of a time limit, and adds the value of the last observation.

    Attributes:
        learner: the deals.
        moves: decisions of all seats in the deals that have ended.

    Args:
        learner: the deals.
        reward_scale: what the rewards are multiplied by.
        bootstrap_truncated: report a truncated deal as cut off by a time limit.
        clock: gets the time that the steps take.
    """

    def __init__(
        self, learner: LearnerBatch, *, reward_scale: float = 1.0, bootstrap_truncated: bool = False, clock: Clock | None = None
    ) -> None:
        batch = learner.batch
        self.learner, self.reward_scale, self.bootstrap_truncated = learner, reward_scale, bootstrap_truncated
        self.clock = clock or Clock()
        self.moves = 0
        self.render_mode = None
        self._actions = np.zeros(batch.num_envs, np.int64)
        self._decisions = np.zeros(batch.num_envs, np.int64)
        observations = spaces.Box(-1.0, 1.0, (batch.observations.shape[1],), np.float32)
        super().__init__(batch.num_envs, observations, spaces.Discrete(batch.masks.shape[1]))

    def reset(self) -> np.ndarray:
        """Begin all deals; after `seed` from that seed."""
        self.learner.begin(seed=self._seeds[0])
        self._reset_seeds()
        self._decisions[:] = 0
        return self.learner.batch.observations.copy()

    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions, int of shape (num_envs,)."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play them; the arrays are the caller's to keep.

        Raises:
            ValueError: an action is illegal.
        """
        with self.clock.time(ENVIRONMENT):
            self.learner.step(self._actions)
            self._decisions += 1
            rewards = (self.learner.rewards * self.reward_scale).astype(np.float32)
            dones = self.learner.batch.ended
            infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
            ended = np.flatnonzero(dones)
            if len(ended):
                self._report(ended, infos)
                self.learner.begin(ended)
            return self.learner.batch.observations.copy(), rewards, dones, infos

    def _report(self, ended: np.ndarray, infos: list[dict[str, Any]]) -> None:
        batch, seats = self.learner.batch, self.learner.seats
        for row, last in zip(ended.tolist(), self.learner.observe(ended), strict=True):
            infos[row] = {
                "terminal_observation": last,
                "TimeLimit.truncated": self.bootstrap_truncated and bool(batch.truncated[row]),
                "episode": {"r": float(batch.returns[row, seats[row]]), "l": int(self._decisions[row])},
            }
        self.moves += int(batch.states["moves"][ended].sum())
        self._decisions[ended] = 0

    def action_masks(self) -> np.ndarray:
        """int8 of shape (num_envs, number of actions): what the learner may do in each deal."""
        return self.learner.batch.masks.copy()

    # --------------------------------------------------------------------------------------------- as if of one object a deal

    def env_method(self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any) -> list[Any]:
        """The rows of what a method of the whole gives, so that sb3-contrib finds `action_masks`.

        Raises:
            AttributeError: there is no such method, or it does not give a row for each deal.
        """
        if method_name != "action_masks":
            raise AttributeError(f"{type(self).__name__} has no method {method_name!r} for each deal: it has action_masks")
        masks = self.action_masks()
        return list(masks) if indices is None else [masks[index] for index in self._get_indices(indices)]

    def has_attr(self, attr_name: str) -> bool:
        """Whether the whole has it."""
        return hasattr(self, attr_name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """The attribute of the whole, once for each deal.

        Raises:
            AttributeError: there is none.
        """
        value = getattr(self, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Not possible for single deals.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{attr_name!r} cannot be set for single deals: they are rows of one batch")

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """No deal is."""
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[np.ndarray | None]:
        """None: deals are not drawn here."""
        return [None] * self.num_envs

    def close(self) -> None:
        """End the batch's threads."""
        self.learner.batch.close()
