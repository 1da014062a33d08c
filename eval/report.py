"""An evaluation as a table, as JSON and as a picture."""

import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from penzoo.envs import get_game

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console

    from penzoo.eval.evaluation import Evaluation, Row
    from penzoo.eval.intervals import Interval

EVEN_PAYOFF = 0.0  # every game's returns sum to 0

_DIGITS = 3
_NAME_WIDTH = 10
_FILE_WIDTH = 200  # of a table that no terminal bounds
_LABEL_WIDTH = 24  # characters
_PICTURE_WIDTH, _PICTURE_MARGIN, _PICTURE_ROW, _PICTURE_LINE = 9.0, 1.6, 0.25, 0.2  # inches
_LEAST_SPAN = 0.05  # of an axis: below it lies nothing worth a look
_PICTURE_DPI = 150


def print_table(evaluation: "Evaluation", console: "Console | None" = None, *, markdown: bool = False) -> None:
    """Print a row for each agent, on the standard output if no console is given; `markdown` as text files hold tables."""
    from rich import box
    from rich.table import Table

    console = console or table_console(markdown)
    interval = f"{evaluation.confidence:.0%} interval"
    table = Table(
        box=box.MARKDOWN if markdown else box.SIMPLE_HEAD,
        title=None if markdown else title(evaluation),
        title_justify="left",
        pad_edge=markdown,
        collapse_padding=not markdown,
    )
    table.add_column("agent", overflow="fold", min_width=_NAME_WIDTH)
    for heading in ("payoff", interval, "losses", interval, "moves", "trunc."):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in evaluation.rows:
        table.add_row(*_cells(row))
    if markdown:
        console.print(title(evaluation) + "\n", highlight=False)
    console.print(table)


def table_console(markdown: bool = False) -> "Console":
    """A console for the standard output; wide where no terminal bounds it, and for Markdown."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal and not markdown else Console(width=_FILE_WIDTH)


def _cells(row: "Row") -> tuple[str, ...]:
    low, high = row.payoff_interval
    low_loss, high_loss = row.loss_interval
    return (
        row.agent,
        _signed(row.payoff),
        f"{_signed(low)} to {_signed(high)}",
        f"{row.loss_rate:.1%}",
        f"{100 * low_loss:.1f} to {high_loss:.1%}",
        f"{row.moves:.1f}",
        f"{row.truncated:.1%}",
    )


def save_json(evaluation: "Evaluation", path: str | Path) -> None:
    """Write all of `evaluation.to_dict()`."""
    Path(path).write_text(json.dumps(evaluation.to_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def save_picture(evaluation: "Evaluation", path: str | Path) -> None:
    """Draw each agent's payoff and loss rate, with their intervals, as a PNG.

    Raises:
        ModuleNotFoundError: matplotlib is not installed (it comes with `penzoo[train]`).
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    names = [textwrap.fill(row.agent, _LABEL_WIDTH) for row in evaluation.rows]
    lines = sum(1 + name.count("\n") for name in names)
    height = _PICTURE_MARGIN + _PICTURE_ROW * len(names) + _PICTURE_LINE * lines
    figure = Figure(figsize=(_PICTURE_WIDTH, height), layout="constrained")
    FigureCanvasAgg(figure)  # not pyplot, whose windows and settings are the user's
    left, right = figure.subplots(1, 2, sharey=True)
    _dots(left, [row.payoff for row in evaluation.rows], [row.payoff_interval for row in evaluation.rows], EVEN_PAYOFF)
    _dots(right, [row.loss_rate for row in evaluation.rows], [row.loss_interval for row in evaluation.rows], 1 / evaluation.players)
    left.set_xlabel("mean payoff of a deal")
    right.set_xlabel("share of deals lost")
    right.xaxis.set_major_formatter(lambda share, _: f"{round(100 * share, _DIGITS):g}%")
    left.set_yticks(range(len(names)), names)
    left.set_ylim(len(names) - 0.5, -0.5)
    figure.suptitle(title(evaluation), fontsize="medium")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    figure.savefig(path, format="png", dpi=_PICTURE_DPI)


def _dots(axes: "Axes", means: list[float], intervals: "list[Interval]", even: float) -> None:
    """A dot with the bar of its interval for each row, from the top down, and a line where all would be alike."""
    lows = [mean - low for mean, (low, _) in zip(means, intervals, strict=True)]
    highs = [high - mean for mean, (_, high) in zip(means, intervals, strict=True)]
    axes.axvline(even, color="0.6", linestyle="--", linewidth=1, label="an even share")
    axes.errorbar(means, range(len(means)), xerr=[lows, highs], fmt="o", capsize=4, label="mean and its interval over decks")
    axes.grid(axis="x", alpha=0.3)
    low, high = axes.get_xlim()
    missing = max(0.0, _LEAST_SPAN - (high - low))
    axes.set_xlim(low - missing / 2, high + missing / 2)


def title(evaluation: "Evaluation") -> str:
    """What was played, in one line."""
    game = get_game(evaluation.game.rpartition("_v")[0])
    changed = "".join(f", {name}={value}" for name, value in game.changed_options(evaluation.options).items())
    return (
        f"{game.title} ({evaluation.game}{changed}), {evaluation.players} players: "
        f"{evaluation.games:,} games of {evaluation.deals:,} decks, seed {evaluation.seed}"
    )


def _signed(value: float) -> str:
    return f"{round(value, _DIGITS) + 0.0:+.{_DIGITS}f}"
