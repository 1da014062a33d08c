"""Proximal policy optimization (Schulman et al., 2017) with masks: sb3-contrib's MaskablePPO, in self-play against a pool."""

from pathlib import Path
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule
from torch.distributions import Distribution

from penzoo.agents.policy import Network
from penzoo.envs.batch import Batch
from penzoo.envs.learner import LearnerBatch
from penzoo.train.callback import RunCallback
from penzoo.train.clone import Cloning
from penzoo.train.config import Config
from penzoo.train.folder import RunFolder
from penzoo.train.network import policy_arguments, policy_class, policy_layers
from penzoo.train.pool import Pool
from penzoo.train.training import Training
from penzoo.train.vecenv import DealVecEnv

_NOT_SAVED = ["_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer"]


class PPOTraining(Training):
    """A run that learns by PPO.

    Attributes:
        pool: the opponents.
        env: the deals.
        model: the learner.
    """

    def __init__(self, config: Config, folder: RunFolder) -> None:
        super().__init__(config, folder)
        seeds = np.random.SeedSequence([config.seed, self.start]).generate_state(3).tolist()
        self.pool = Pool(config, self.present, folder.pool, seeds[0], self.clock)
        self.env = self._make_env(seeds[1])
        self.model = self._make_model(seeds[2])
        if self.start:
            self.model.set_parameters(str(folder.checkpoint(self.start)), device=self.model.device)
            self.model.num_timesteps = self.start
        self.pool.restore(self.start)
        self.pool.refresh()

    def _make_env(self, seed: int) -> DealVecEnv:
        config, options = self.config, dict[str, Any](self.config.options)
        batch = Batch(
            config.table,
            config.num_envs,
            seed,
            config.env_threads,
            num_players=config.players,
            autoreset=False,
            **options,
        )
        learner = LearnerBatch(batch, self.pool.actors, self.pool.seating, seed)
        ppo = config.ppo
        return DealVecEnv(learner, reward_scale=ppo.reward_scale, bootstrap_truncated=ppo.bootstrap_truncated, clock=self.clock)

    def _make_model(self, seed: int) -> MaskablePPO:
        ppo = self.config.ppo
        model = MaskablePPO(
            policy_class(self.config.network),
            self.env,
            learning_rate=LinearSchedule(ppo.learning_rate, ppo.learning_rate_end or ppo.learning_rate, 1.0),
            n_steps=ppo.n_steps,
            batch_size=ppo.batch_size,
            n_epochs=ppo.n_epochs,
            gamma=ppo.gamma,
            gae_lambda=ppo.gae_lambda,
            clip_range=ppo.clip_range,
            ent_coef=ppo.ent_coef,
            vf_coef=ppo.vf_coef,
            max_grad_norm=ppo.max_grad_norm,
            target_kl=ppo.target_kl,
            policy_kwargs=policy_arguments(self.config.network, self.config.table, self.config.players),
            seed=seed,
            device=self.config.device,
        )
        model.set_logger(self.logger)
        return model

    @property
    def decisions(self) -> int:
        """As `Training.decisions`."""
        return self.model.num_timesteps

    def layers(self) -> Network:
        """As `Training.layers`."""
        return policy_layers(self.model.policy)

    def learn(self) -> None:
        """As `Training.learn`."""
        config = self.config
        bar = self.bar()
        callback = RunCallback(config, self.clock, bar, self.pool.refresh, [(config.pool.snapshot_every, self.pool.snapshot), *self.jobs()])
        validate = Distribution._validate_args
        Distribution.set_default_validate_args(False)  # checks of what SB3 itself computes: 2 of the 30 ms of a gradient step
        try:
            if config.clone.agent is not None and self.decisions < config.clone.decisions:
                Cloning(config, self.model, self.env, self.agent, self.clock).learn(bar, self.jobs())
            self.model.learn(config.decisions - self.decisions, callback, reset_num_timesteps=False)
            self.save_checkpoint(self.decisions)
        except KeyboardInterrupt:
            callback.close()
            self.save_checkpoint(self.decisions)
            raise
        finally:
            callback.close()
            Distribution.set_default_validate_args(validate)

    def write_checkpoint(self, path: Path) -> None:
        """As `Training.write_checkpoint`: SB3's zip."""
        self.model.save(path, exclude=_NOT_SAVED)

    def close(self) -> None:
        """As `Training.close`."""
        self.env.close()
