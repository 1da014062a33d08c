"""Behaviour cloning as a start: the learner imitates a hand-written agent, also where its own play has led (DAgger, Ross et al., 2011)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from torch.nn.functional import mse_loss
from torch.nn.utils import clip_grad_norm_

from penzoo.agents.heuristics import make_heuristic
from penzoo.agents.policy import PolicyAgent
from penzoo.train.callback import INFERENCE, REST, UPDATES
from penzoo.train.clock import Clock
from penzoo.train.config import Config
from penzoo.train.training import Every
from penzoo.train.vecenv import DealVecEnv


@dataclass
class _Rollout:
    """Decisions of all deals, as they were made: a row for each step, then flat."""

    observations: np.ndarray  # float32 (steps, deals, size)
    masks: np.ndarray  # int8 (steps, deals, actions)
    actions: np.ndarray  # int64 (steps, deals), what the expert would do
    rewards: np.ndarray  # float32 (steps, deals)
    dones: np.ndarray  # float32 (steps, deals)
    values: np.ndarray  # float32 (steps + 1, deals), by the value network

    def returns(self, gamma: float, gae_lambda: float) -> np.ndarray:
        """What the value network should have said, float32 (steps, deals): TD(lambda)."""
        targets = np.empty_like(self.rewards)
        ahead = np.zeros(self.rewards.shape[1], np.float32)
        for step in reversed(range(len(self.rewards))):
            goes_on = gamma * (1 - self.dones[step])
            error = self.rewards[step] + goes_on * self.values[step + 1] - self.values[step]
            ahead = error + gae_lambda * goes_on * ahead
            targets[step] = ahead + self.values[step]
        return targets


class Cloning:
    """Teaches a policy what an expert does, and the value network what comes of it, before PPO goes on.

    The loss is the cross-entropy to the expert's action, and the squared error of the value. The expert plays at first; after
    `clone.demonstrated` of the decisions the learner itself makes half of them, so that it sees, and is told of, what its own mistakes lead
    to.

    Args:
        config: of the run; its section `clone` names the expert.
        model: the learner.
        env: the deals.
        present: the learner as an agent that plays as the configuration says.
        clock: gets the time.
    """

    def __init__(self, config: Config, model: MaskablePPO, env: DealVecEnv, present: Callable[[], PolicyAgent], clock: Clock) -> None:
        assert config.clone.agent is not None
        self._config, self._model, self._env, self._present, self._clock = config, model, env, present, clock
        self._expert = make_heuristic(config.clone.agent, config.game)
        self._generator = np.random.default_rng([config.seed, model.num_timesteps])

    def learn(self, bar: Any, jobs: Sequence[tuple[int, Callable[[int], Any]]]) -> None:
        """Clone until `clone.decisions` are made, or all of the run; `bar` and `jobs` as of `Training`."""
        model, until = self._model, min(self._config.clone.decisions, self._config.decisions)
        timers = [Every(interval, model.num_timesteps) for interval, _ in jobs]
        observations = self._env.reset()
        self._clock.begin(REST)
        while model.num_timesteps < until:
            with self._clock.time(INFERENCE):
                rollout, observations = self._play(observations)
            with self._clock.time(UPDATES):
                self._update(rollout)
            made = rollout.actions.size
            model.num_timesteps += made
            bar.update(made)
            for timer, (_, job) in zip(timers, jobs, strict=True):
                if timer.is_due(model.num_timesteps):
                    job(model.num_timesteps)
        self._clock.end()

    def _play(self, observations: np.ndarray) -> tuple[_Rollout, np.ndarray]:
        steps, env = self._config.ppo.n_steps, self._env
        size, actions = observations.shape[1], env.learner.batch.masks.shape[1]
        shape = (steps, env.num_envs)
        rollout = _Rollout(
            np.empty((*shape, size), np.float32),
            np.empty((*shape, actions), np.int8),
            np.empty(shape, np.int64),
            np.empty(shape, np.float32),
            np.empty(shape, np.float32),
            np.empty((steps + 1, env.num_envs), np.float32),
        )
        learner = self._present() if self._model.num_timesteps >= self._config.clone.demonstrated * self._config.clone.decisions else None
        for step in range(steps):
            masks = env.action_masks()
            expert = self._expert.act(observations, masks)
            rollout.observations[step], rollout.masks[step], rollout.actions[step] = observations, masks, expert
            rollout.values[step] = self._values(observations)
            after, rollout.rewards[step], rollout.dones[step], _ = env.step(self._played(expert, observations, masks, learner))
            assert isinstance(after, np.ndarray)  # not one of the other kinds of observation that SB3 knows
            observations = after
        rollout.values[steps] = self._values(observations)
        return rollout, observations

    def _played(self, expert: np.ndarray, observations: np.ndarray, masks: np.ndarray, learner: PolicyAgent | None) -> np.ndarray:
        if learner is None:
            return expert
        own = np.flatnonzero(self._generator.random(len(expert)) < self._config.clone.learner_share)
        played = expert.copy()
        if len(own):
            played[own] = learner.act(observations[own], masks[own])
        return played

    def _values(self, observations: np.ndarray) -> np.ndarray:
        policy = self._model.policy
        with torch.no_grad():
            return policy.predict_values(policy.obs_to_tensor(observations)[0]).cpu().numpy()[:, 0]

    def _update(self, rollout: _Rollout) -> None:
        config, policy = self._config, self._model.policy
        observations = rollout.observations.reshape(-1, rollout.observations.shape[-1])
        masks = rollout.masks.reshape(len(observations), -1)
        returns = rollout.returns(config.ppo.gamma, config.ppo.gae_lambda).reshape(-1)
        actions = rollout.actions.reshape(-1)
        done = min(1.0, self._model.num_timesteps / config.clone.decisions)
        start, end = config.clone.learning_rate, config.clone.learning_rate_end
        for group in policy.optimizer.param_groups:
            group["lr"] = start + (end - start) * done
        order = self._generator.permutation(len(actions))
        policy.set_training_mode(True)
        losses = []
        for first in range(0, len(order), config.clone.batch_size):
            rows = order[first : first + config.clone.batch_size]
            given = [torch.as_tensor(array[rows], device=self._model.device) for array in (observations, actions, masks, returns)]
            values, log_probabilities, _ = policy.evaluate_actions(given[0], given[1], action_masks=given[2])
            imitation, error = -log_probabilities.mean(), mse_loss(values[:, 0], given[3])
            policy.optimizer.zero_grad()
            (imitation + config.ppo.vf_coef * error).backward()
            clip_grad_norm_(policy.parameters(), config.ppo.max_grad_norm)
            policy.optimizer.step()
            losses.append((imitation.item(), error.item()))
        for name, value in zip(("imitation_loss", "value_loss"), np.mean(losses, axis=0), strict=True):
            self._model.logger.record(f"clone/{name}", float(value))
        self._model.logger.dump(self._model.num_timesteps)
