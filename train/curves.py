"""Learning curves: what the evaluations during training found, of one run or of the same run from several seeds, as a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from penzoo.eval.intervals import Interval, mean_interval
from penzoo.eval.report import new_figure, picture_label, save_figure
from penzoo.train.config import Config
from penzoo.train.folder import RunFolder

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANEL, _HEIGHT = 4.5, 3.6  # inches
_MAY_DIFFER = ("seed", "name", "folder", "threads", "env_threads", "device", "checkpoints_kept", "checkpoint_every")


@dataclass(frozen=True)
class Curve:
    """The payoff of one run's agent against one opponent.

    Attributes:
        seed: of the run.
        opponent: in all other seats.
        decisions: int64 of shape (evaluations,), made before each evaluation.
        payoffs: float64 of shape (evaluations,), in the game's unit.
        intervals: float64 of shape (evaluations, 2), of each payoff over decks.
    """

    seed: int
    opponent: str
    decisions: np.ndarray
    payoffs: np.ndarray
    intervals: np.ndarray


def read_curves(folders: Sequence[str | Path], against: Sequence[str] = ()) -> tuple[Config, list[Curve]]:
    """The curves of runs that differ in nothing but their seeds (and in what changes no result, as threads).

    Args:
        folders: of the runs.
        against: opponents; all that were met if empty.

    Returns:
        The configuration of the first run, and a curve for each run and opponent.

    Raises:
        FileNotFoundError: a folder is no run's.
        ValueError: no folder, runs that differ, a seed twice, a run without evaluations, or an opponent that none of them met.
    """
    if not folders:
        raise ValueError("no runs: name the folder of at least one")
    runs = [RunFolder.open(folder) for folder in folders]
    configs = [run.read_config() for run in runs]
    for run, config in zip(runs, configs, strict=True):
        _check_same(runs[0], configs[0], run, config)
    _check_seeds(configs)
    curves = []
    for run, config in zip(runs, configs, strict=True):
        lines = run.read_progress()
        if not lines:
            raise ValueError(f"{run.path} has no evaluations: it was trained with progress.every=0, or has not come to the first")
        met = list(dict.fromkeys(opponent for line in lines for opponent in line["against"]))
        curves += [_curve(run.path, config.seed, opponent, lines, met) for opponent in against or met]
    return configs[0], curves


def _check_same(first_run: RunFolder, first: Config, run: RunFolder, config: Config) -> None:
    for key, value in first.model_dump().items():
        if key not in _MAY_DIFFER and value != config.model_dump()[key]:
            raise ValueError(
                f"{run.path} is no run of the same configuration as {first_run.path}: "
                f"{key} is {config.model_dump()[key]!r} there and {value!r} here"
            )


def _check_seeds(configs: Sequence[Config]) -> None:
    seeds = [config.seed for config in configs]
    for seed in seeds:
        if seeds.count(seed) > 1:
            raise ValueError(f"seed {seed} is there twice: each run needs a seed of its own")


def _curve(path: Path, seed: int, opponent: str, lines: Sequence[dict], met: Sequence[str]) -> Curve:
    if opponent not in met:
        raise ValueError(f"{path} was not evaluated against {opponent!r} while it learned: it met {', '.join(met)}")
    lines = [line for line in lines if opponent in line["against"]]  # a run that goes on may meet others
    rows = [line["against"][opponent]["rows"][0] for line in lines]
    return Curve(
        seed,
        opponent,
        np.array([line["decisions"] for line in lines], np.int64),
        np.array([row["payoff"] for row in rows]),
        np.array([row["payoff_interval"] for row in rows]),
    )


def last_payoff(curves: Sequence[Curve]) -> tuple[float, Interval | None]:
    """The mean over runs of what they last reached, and its interval over runs (Student's t); None of one run alone."""
    last = np.array([curve.payoffs[-1] for curve in curves])
    return float(last.mean()), mean_interval(last) if len(last) > 1 else None


def save_curves(config: Config, curves: Sequence[Curve], path: str | Path) -> None:
    """Draw a panel for each opponent, in it a line with the band of its interval for each run, as a PNG.

    Args:
        config: of the runs.
        curves: of `read_curves`.
        path: of the picture.
    """
    opponents = list(dict.fromkeys(curve.opponent for curve in curves))
    figure = new_figure(_PANEL * len(opponents), _HEIGHT)
    for axes, opponent in zip(figure.subplots(1, len(opponents), squeeze=False)[0], opponents, strict=True):
        _draw(axes, config, [curve for curve in curves if curve.opponent == opponent])
    figure.suptitle(f"{config.table.title}, {config.players} players: {config.name}", fontsize="medium")
    save_figure(figure, path)


def _draw(axes: "Axes", config: Config, curves: Sequence[Curve]) -> None:
    axes.axhline(0, color="0.6", linestyle="--", linewidth=1)
    for curve in curves:
        millions = curve.decisions / 1e6
        (line,) = axes.plot(millions, curve.payoffs, label=f"seed {curve.seed}")
        axes.fill_between(millions, *curve.intervals.T, color=line.get_color(), alpha=0.15, linewidth=0)
    axes.set_xlabel("decisions, millions")
    axes.set_ylabel(f"mean {config.table.payoff_unit} of a deal, with its interval")
    axes.set_title(f"among {picture_label(curves[0].opponent)}", fontsize="medium")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, fontsize="small")
