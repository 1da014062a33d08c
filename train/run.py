"""Training from a configuration to an evaluated agent, in one folder, so that it can be interrupted and go on."""

from collections.abc import Sequence
from pathlib import Path

import torch

from penzoo.train.aggrevate import AggrevateTraining
from penzoo.train.config import Config, load_config
from penzoo.train.folder import RunFolder
from penzoo.train.ppo import PPOTraining
from penzoo.train.training import Training

ALGORITHMS: dict[str, type[Training]] = {"ppo": PPOTraining, "aggrevate": AggrevateTraining}
_FIXED = ("game", "num_players", "network", "algorithm")  # what a run cannot change when it goes on


def train(
    config: str | Path | Config | None = None,
    overrides: Sequence[str] = (),
    resume: str | Path | None = None,
    command: str = "penzoo train",
) -> Path:
    """Train an agent, evaluate it, and print the table.

    Args:
        config: a YAML file, one of PenZoo's own by name, or a made configuration; None, with `resume`, for the run's own.
        overrides: `key=value` or `section.key=value`.
        resume: the folder of a run that is to go on from its last checkpoint, to the decisions that its configuration names. Deals begin
            anew, from a seed of their own; network, optimizer and pool are what they were.
        command: what an interrupted run says to go on with, before `--resume` and its folder.

    Returns:
        The run folder.

    Raises:
        FileNotFoundError: no such configuration or run.
        ValueError: the configuration is impossible, or does not fit the run that is to go on.
        KeyboardInterrupt: interrupted; a checkpoint has been written, and how to go on has been said.
    """
    run, resolved = _open(config, overrides, resume)
    training = make_training(resolved, run)
    run.write_config(resolved)  # only now: what cannot be run is not left for later resumes
    return training.run(command)


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


def make_training(config: Config, folder: RunFolder) -> Training:
    """The run of a configuration's algorithm in a folder, from its beginning or its last checkpoint."""
    return ALGORITHMS[config.algorithm](config, folder)


__all__ = ["ALGORITHMS", "make_training", "train"]
