"""The folder of a run: where each thing lies, and what is written without a half-written file ever being left."""

import json
import os
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from penzoo import __version__
from penzoo.train.config import Config, dump_config, parse_config

_DIGITS = 12  # of a checkpoint's name, so that names sort as numbers do
_SOFTWARE = ("torch", "stable-baselines3", "sb3-contrib", "numpy", "numba", "gymnasium")


class RunFolder:
    """Config, versions, checkpoints, pool, TensorBoard's files, evaluations and the agent of one run.

    Args:
        path: of the folder, which exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_path = path / "config.yaml"
        self.versions_path = path / "versions.json"
        self.agent_path = path / "agent.safetensors"
        self.evaluation_path = path / "evaluation.json"
        self.table_path = path / "evaluation.txt"
        self.progress_path = path / "progress.jsonl"
        self.tensorboard = path / "tensorboard"
        self.pool = path / "pool"
        self.checkpoints = path / "checkpoints"

    @classmethod
    def create(cls, config: Config) -> "RunFolder":
        """Make the folder of a new run, `<folder>/<name>-<time>`, with a number where there is one already."""
        base = Path(config.folder) / f"{config.name}-{time.strftime('%Y%m%d-%H%M%S')}"
        path, number = base, 1
        while True:
            try:
                path.mkdir(parents=True)
                break
            except FileExistsError:
                number += 1
                path = base.with_name(f"{base.name}-{number}")
        run = cls(path)
        run.prepare()
        return run

    @classmethod
    def open(cls, path: str | Path) -> "RunFolder":
        """The folder of a run that began before.

        Raises:
            FileNotFoundError: there is no run in it.
        """
        run = cls(Path(path))
        if not run.config_path.is_file():
            raise FileNotFoundError(f"{path} is no run folder: it has no {run.config_path.name}")
        run.prepare()
        return run

    def prepare(self) -> None:
        """Make the folders within."""
        for folder in (self.tensorboard, self.pool, self.checkpoints):
            folder.mkdir(exist_ok=True)

    def write_config(self, config: Config) -> None:
        """Write the configuration, every value."""
        write_text(self.config_path, dump_config(config))

    def read_config(self, overrides: Any = ()) -> Config:
        """The configuration of the run.

        Raises:
            ValueError: as `parse_config`.
        """
        return parse_config(self.config_path.read_text(encoding="utf-8"), overrides, str(self.config_path))

    def note_start(self, config: Config, decisions: int) -> None:
        """Add to the versions file what the run goes on with from here: each start has an entry."""
        starts = json.loads(self.versions_path.read_text(encoding="utf-8")) if self.versions_path.is_file() else []
        starts.append({"decisions": decisions, "seed": config.seed, **software()})
        write_text(self.versions_path, json.dumps(starts, indent=2) + "\n")

    def note_progress(self, decisions: int, results: dict[str, Any]) -> None:
        """Add a line to the progress file: what an evaluation during training found, by opponent."""
        with open(self.progress_path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"decisions": decisions, "against": results}, ensure_ascii=False) + "\n")

    def read_progress(self) -> list[dict[str, Any]]:
        """The lines of the progress file, by decisions; of lines for the same number the last one, as after a resumption.

        Raises:
            ValueError: a line is damaged; names it.
        """
        if not self.progress_path.is_file():
            return []
        lines = []
        for number, text in enumerate(self.progress_path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                line = json.loads(text)
                line["decisions"], line["against"]
            except (ValueError, KeyError, TypeError):
                raise ValueError(f"{self.progress_path}: line {number} is damaged: remove it") from None
            lines.append(line)
        return [by for _, by in sorted({line["decisions"]: line for line in lines}.items())]

    def checkpoint(self, decisions: int) -> Path:
        """The path of the checkpoint after so many decisions."""
        return self.checkpoints / f"{decisions:0{_DIGITS}d}.zip"

    def last_checkpoint(self) -> int:
        """After how many decisions the last one was written; 0 if there is none."""
        return max((int(path.stem) for path in self.checkpoints.glob("*.zip")), default=0)

    def keep_checkpoints(self, count: int) -> None:
        """Remove all but the last `count`."""
        for path in sorted(self.checkpoints.glob("*.zip"))[:-count]:
            path.unlink()


def software() -> dict[str, str]:
    """What this runs with, by name."""
    return {"penzoo": __version__, "python": platform.python_version(), **{name: version(name) for name in _SOFTWARE}}


def write_text(path: Path, text: str) -> None:
    """Write a file; one that is there already is replaced at once."""
    part = path.with_name(path.name + ".part")
    part.write_text(text, encoding="utf-8")
    os.replace(part, path)
