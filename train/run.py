"""Training from a configuration to an evaluated agent, in one folder, so that it can be interrupted and go on."""

import json
import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from rich.console import Console
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import LinearSchedule
from threadpoolctl import threadpool_limits
from torch.distributions import Distribution
from tqdm import tqdm

from penzoo.agents.policy import PolicyAgent, describe, save_policy
from penzoo.envs.batch import Batch, available_cores
from penzoo.envs.learner import LearnerBatch
from penzoo.eval import Evaluation, evaluate, print_table
from penzoo.eval.report import table_console
from penzoo.train.callback import EVALUATION, RunCallback
from penzoo.train.clock import Clock
from penzoo.train.config import Config, EvaluationConfig, load_config
from penzoo.train.folder import RunFolder, software, write_text
from penzoo.train.network import policy_arguments, policy_layers
from penzoo.train.pool import Pool
from penzoo.train.vecenv import DealVecEnv

_FIXED = ("game", "num_players", "network")  # what a run cannot change when it goes on
_NOT_SAVED = ["_last_obs", "_last_episode_starts", "ep_info_buffer", "ep_success_buffer"]
_TABLE_WIDTH = 110


def train(config: str | Path | Config | None = None, overrides: Sequence[str] = (), resume: str | Path | None = None) -> Path:
    """Train an agent, evaluate it, and print the table.

    Args:
        config: a YAML file, one of PenZoo's own by name, or a made configuration; None, with `resume`, for the run's own.
        overrides: `key=value` or `section.key=value`.
        resume: the folder of a run that is to go on from its last checkpoint, to the decisions that its configuration names. Deals begin
            anew, from a seed of their own; network, optimizer and pool are what they were.

    Returns:
        The run folder.

    Raises:
        FileNotFoundError: no such configuration or run.
        ValueError: the configuration is impossible, or does not fit the run that is to go on.
        KeyboardInterrupt: interrupted; a checkpoint has been written, and how to go on has been said.
    """
    run, resolved = _open(config, overrides, resume)
    training = Training(resolved, run)
    run.write_config(resolved)  # only now: what cannot be run is not left for later resumes
    return training.run()


def _open(config: str | Path | Config | None, overrides: Sequence[str], resume: str | Path | None) -> tuple[RunFolder, Config]:
    if resume is None:
        if config is None:
            raise ValueError("no configuration: name a YAML file, or a run to go on with")
        resolved = _resolve(config, overrides)
        _check_device(resolved)
        run = RunFolder.create(resolved)
    else:
        run = RunFolder.open(resume)
        old = run.read_config()
        resolved = run.read_config(overrides) if config is None else _resolve(config, overrides)
        _check_same(old, resolved)
        _check_device(resolved)
    return run, resolved


def _resolve(config: str | Path | Config, overrides: Sequence[str]) -> Config:
    if not isinstance(config, Config):
        return load_config(config, overrides)
    if overrides:
        raise ValueError(f"overrides {', '.join(overrides)}: they are for a configuration in a file, this one is made already")
    return config


def _check_device(config: Config) -> None:
    if config.device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device='cuda' is not possible: PyTorch finds no GPU here; give auto or cpu")


def _check_same(old: Config, new: Config) -> None:
    for key in _FIXED:
        if getattr(old, key) != getattr(new, key):
            raise ValueError(f"{key} was {getattr(old, key)!r} in the run that is to go on: it cannot become {getattr(new, key)!r}")


class Training:
    """One run, from its beginning or from its last checkpoint.

    Attributes:
        config: of the run.
        folder: of the run.
        clock: where the time went.
        pool: the opponents.
        env: the deals.
        model: the learner.
    """

    def __init__(self, config: Config, folder: RunFolder) -> None:
        self.config, self.folder, self.clock = config, folder, Clock()
        self._start = folder.last_checkpoint()
        seeds = np.random.SeedSequence([config.seed, self._start]).generate_state(3).tolist()
        _set_threads(config.threads)
        self.pool = Pool(config, self._present, folder.pool, seeds[0], self.clock)
        self.env = self._make_env(seeds[1])
        self.model = self._make_model(seeds[2])
        if self._start:
            self.model.set_parameters(str(folder.checkpoint(self._start)), device=self.model.device)
            self.model.num_timesteps = self._start
        self.pool.restore(self._start)
        self.pool.refresh()

    def run(self) -> Path:
        """Learn, export, evaluate, report; returns the run folder.

        Raises:
            KeyboardInterrupt: as `train`.
        """
        self.folder.note_start(self.config, self._start)
        # NumPy's threads and PyTorch's, each waiting for its own in a loop, leave each other a sixth of the speed of PyTorch's alone
        with threadpool_limits(limits=1, user_api="blas"):
            try:
                self._run()
            except KeyboardInterrupt:
                again = f"penzoo train --resume {shlex.quote(str(self.folder.path))}"
                _say(f"interrupted after {self.model.num_timesteps:,} decisions; go on with: {again}")
                raise
            finally:
                self.model.logger.close()
                self.env.close()
        return self.folder.path

    def _run(self) -> None:
        if self._start < self.config.decisions:
            self._learn()
        else:
            _say(f"{self.folder.path} has made its {self.config.decisions:,} decisions: it is only evaluated; decisions=… goes on")
        self._finish()

    # -------------------------------------------------------------------------------------------------------------- making

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
            "MlpPolicy",
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
            policy_kwargs=policy_arguments(self.config.network),
            seed=seed,
            device=self.config.device,
        )
        model.set_logger(configure(str(self.folder.tensorboard), ["tensorboard"]))
        return model

    def _present(self, seed: int) -> PolicyAgent:
        """The learner as it is now, as an agent."""
        config = self.config
        layers = policy_layers(self.model.policy)
        description = describe(
            config.table,
            config.players,
            layers,
            "sample",
            config.name,
            decisions=self.model.num_timesteps,
            training=config.model_dump(mode="json"),
            versions=software(),
        )
        return PolicyAgent(layers, description, seed)

    # ------------------------------------------------------------------------------------------------------------ learning

    def _learn(self) -> None:
        config = self.config
        jobs = [
            (config.pool.snapshot_every, self.pool.snapshot),
            (config.checkpoint_every, self.save_checkpoint),
            (config.progress.every, self._evaluate_progress),
        ]
        callback = RunCallback(config, self.clock, self.pool.refresh, jobs)
        validate = Distribution._validate_args
        Distribution.set_default_validate_args(False)  # checks of what SB3 itself computes: 2 of the 30 ms of a gradient step
        try:
            self.model.learn(config.decisions - self._start, callback, reset_num_timesteps=False)
            self.save_checkpoint(self.model.num_timesteps)
        except KeyboardInterrupt:
            callback.close()
            self.save_checkpoint(self.model.num_timesteps)
            raise
        finally:
            callback.close()
            Distribution.set_default_validate_args(validate)

    def save_checkpoint(self, decisions: int) -> None:
        """Write SB3's zip, whole or not at all, and drop the oldest beyond those that are kept."""
        path = self.folder.checkpoint(decisions)
        part = path.with_name(path.name + ".part")
        self.model.save(part, exclude=_NOT_SAVED)
        os.replace(part, path)
        self.folder.keep_checkpoints(self.config.checkpoints_kept)

    # ---------------------------------------------------------------------------------------------------------- evaluating

    def _finish(self) -> None:
        """Export the agent, evaluate it against each opponent, and print what came of it."""
        agent = self._agent()
        save_policy(self.folder.agent_path, agent.layers, agent.description)
        evaluations = self._evaluate(self.config.evaluation, progress=True)
        for name, evaluation in evaluations.items():
            self._record(name, evaluation)
        self.model.logger.dump(self.model.num_timesteps)
        results = {name: evaluation.to_dict() for name, evaluation in evaluations.items()}
        write_text(self.folder.evaluation_path, json.dumps(results, indent=2, ensure_ascii=False) + "\n")
        self._report(evaluations)

    def _agent(self) -> PolicyAgent:
        present = self._present(self.config.seed)
        values = {**vars(present.description), "choice": self.config.choice}
        return PolicyAgent(present.layers, type(present.description)(**values), self.config.seed)

    def _evaluate(self, how: EvaluationConfig, progress: bool) -> dict[str, Evaluation]:
        """The agent alone among seats of each opponent."""
        config = self.config
        return {
            name: evaluate(
                [self._agent(), *[name] * (config.players - 1)],
                config.table,
                players=config.players,
                deals=how.deals,
                seed=how.seed,
                threads=config.env_threads,
                options=config.options,
                progress=progress,
            )
            for name in how.opponents or config.baselines
        }

    def _evaluate_progress(self, decisions: int) -> None:
        with self.clock.time(EVALUATION):
            evaluations = self._evaluate(self.config.progress, progress=False)
        for name, evaluation in evaluations.items():
            self._record(name, evaluation)
        figures = "; ".join(f"against {name} {_in_short(evaluation)}" for name, evaluation in evaluations.items())
        tqdm.write(f"{decisions:>12,} decisions: {figures}", file=sys.stderr)

    def _record(self, name: str, evaluation: Evaluation) -> None:
        row = evaluation.rows[0]
        figures = {"payoff": row.payoff, **row.shares, "truncated": row.truncated, "moves": row.moves}
        for what, value in figures.items():
            self.model.logger.record(f"against_{name}/{what}", value)

    def _report(self, evaluations: dict[str, Evaluation]) -> None:
        with open(self.folder.table_path, "w", encoding="utf-8") as file:
            for console in (table_console(), Console(file=file, width=_TABLE_WIDTH)):
                for evaluation in evaluations.values():
                    print_table(evaluation, console)
        print(self._speed())
        print(f"agent: {self.folder.agent_path}")
        print(f"again: {self._command(list(evaluations)[-1])}")

    def _command(self, opponent: str) -> str:
        """What evaluates the agent anew as it was evaluated here, against one opponent."""
        config = self.config
        changed = config.table.changed_options(config.table.complete_options(dict(config.options)))
        agents = [str(self.folder.agent_path), *[opponent] * (config.players - 1)]
        options = [word for name, value in changed.items() for word in ("--option", f"{name}={json.dumps(value)}")]
        words = ["penzoo", "eval", "--game", config.game, "--agents", *agents, *options]
        numbers = {"--players": config.players, "--deals": config.evaluation.deals, "--seed": config.evaluation.seed}
        return shlex.join([*words, *(str(word) for pair in numbers.items() for word in pair)])

    def _speed(self) -> str:
        made = self.model.num_timesteps - self._start
        seconds = sum(value for name, value in self.clock.seconds.items() if name != EVALUATION)
        if not made or not seconds:
            return "nothing learned anew"
        shares = ", ".join(f"{name} {share:.0%}" for name, share in self.clock.shares().items())
        return f"{made:,} decisions, {made / seconds:,.0f} a second; time: {shares}"


def _in_short(evaluation: Evaluation) -> str:
    """The learner's payoff and shares: `+1.204 chips, out 31.0%`."""
    row = evaluation.rows[0]
    shares = "".join(f", {name} {share:.1%}" for name, share in row.shares.items())
    return f"{row.payoff:+.3f} {evaluation.payoff_unit}{shares}"


def _set_threads(threads: int) -> None:
    torch.set_num_threads(threads or available_cores())


def _say(text: str) -> None:
    print(text, file=sys.stderr)


__all__ = ["Training", "train"]
