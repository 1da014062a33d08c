"""An evaluation as a table, as JSON and as a picture; and what of these a tournament shares."""

import json
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penzoo.envs import get_game

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from rich.console import Console

    from penzoo.envs.game import Game, Outcome
    from penzoo.eval.evaluation import Evaluation
    from penzoo.eval.figures import Row
    from penzoo.eval.intervals import Interval
    from penzoo.eval.tournament import Tournament

EVEN_PAYOFF = 0.0  # every game's returns sum to 0

DIGITS = 3
_NAME_WIDTH = 10
_FILE_WIDTH = 200  # of a table that no terminal bounds
LABEL_WIDTH = 24  # characters
_PICTURE_LABELS, _PICTURE_PANEL, _PICTURE_MARGIN, _PICTURE_ROW, _PICTURE_LINE = 1.0, 4.0, 1.8, 0.25, 0.2  # inches
_LEAST_SPAN = 0.05  # of an axis: below it lies nothing worth a look
_PICTURE_DPI = 150


def print_table(evaluation: "Evaluation", console: "Console | None" = None, *, markdown: bool = False) -> None:
    """Print a row for each agent, on the standard output if no console is given; `markdown` as text files hold tables."""
    console = console or table_console(markdown)
    interval = f"{evaluation.confidence:.0%} interval"
    table = figure_table(["agent"], [evaluation.payoff_unit, interval, *share_headings(evaluation, interval), "moves", "trunc."], markdown)
    for row in evaluation.rows:
        payoff = [signed(row.payoff), " to ".join(map(signed, row.payoff_interval))]
        table.add_row(name_cell(row.agent, markdown), *payoff, *share_cells(row), f"{row.moves:.1f}", f"{row.truncated:.1%}")
    console.print(title(evaluation) + "\n" * markdown, highlight=False)
    console.print(table)
    for name, meaning in evaluation.outcomes.items():
        console.print(f"{name}: {meaning}", highlight=False)


def figure_table(names: Sequence[str], headings: Sequence[str], markdown: bool) -> Any:
    """An empty table: columns of names, which may be folded, and of figures, which may not."""
    from rich import box
    from rich.table import Table

    table = Table(
        box=box.MARKDOWN if markdown else box.SIMPLE_HEAD,
        pad_edge=markdown,
        collapse_padding=not markdown,
    )
    for name in names:
        table.add_column(name, overflow="fold", min_width=_NAME_WIDTH)
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    return table


def name_cell(name: str, markdown: bool) -> Any:
    """A name as it is, also where it looks like markup."""
    from rich.text import Text

    return Text(name.replace("|", r"\|") if markdown else name)


def picture_label(name: str) -> str:
    """A name for a picture, in lines, without what would be set as a formula."""
    return textwrap.fill(name, LABEL_WIDTH).replace("$", r"\$")


def share_headings(result: "Evaluation | Tournament", interval: str) -> list[str]:
    """The headings of what `share_cells` gives."""
    return [heading for outcome in result.outcomes for heading in (outcome, interval)]


def table_console(markdown: bool = False) -> "Console":
    """A console for the standard output; wide where no terminal bounds it, and for Markdown."""
    from rich.console import Console

    console = Console()
    return console if console.is_terminal and not markdown else Console(width=_FILE_WIDTH)


def share_cells(row: "Row") -> Iterator[str]:
    """The share of each outcome and its interval."""
    for name, share in row.shares.items():
        low, high = row.share_intervals[name]
        yield f"{share:.1%}"
        yield f"{100 * low:.1f} to {high:.1%}"


def save_json(result: "Evaluation | Tournament", path: str | Path) -> None:
    """Write all of `result.to_dict()`."""
    Path(path).write_text(json.dumps(result.to_dict(), indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def save_picture(evaluation: "Evaluation", path: str | Path) -> None:
    """Draw each agent's payoff and its share of each outcome, with their intervals, as a PNG.

    Raises:
        ModuleNotFoundError: matplotlib is not installed (it comes with `penzoo[train]`).
    """
    names = [picture_label(row.agent) for row in evaluation.rows]
    lines = sum(1 + name.count("\n") for name in names)
    height = _PICTURE_MARGIN + _PICTURE_ROW * len(names) + _PICTURE_LINE * lines
    panels = 1 + len(evaluation.outcomes)
    figure = new_figure(_PICTURE_LABELS + _PICTURE_PANEL * panels, height)
    payoffs, *shares = figure.subplots(1, panels, sharey=True, squeeze=False)[0]
    _draw_payoffs(payoffs, evaluation)
    for axes, outcome in zip(shares, _game(evaluation).outcomes, strict=True):
        _draw_shares(axes, evaluation, outcome)
    payoffs.set_yticks(range(len(names)), names)
    payoffs.set_ylim(len(names) - 0.5, -0.5)
    figure.suptitle(title(evaluation), fontsize="medium", wrap=True)
    figure.legend(*payoffs.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False, fontsize="small")
    save_figure(figure, path)


def new_figure(width: float, height: float) -> "Figure":
    """An empty figure of a size in inches; not pyplot's, whose windows and settings are the user's."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: "Figure", path: str | Path) -> None:
    """Write a figure as a PNG."""
    figure.savefig(path, format="png", dpi=_PICTURE_DPI)


def _draw_payoffs(axes: "Axes", evaluation: "Evaluation") -> None:
    _draw_even(axes, EVEN_PAYOFF)
    draw_dots(axes, [row.payoff for row in evaluation.rows], [row.payoff_interval for row in evaluation.rows])
    axes.set_xlabel(f"mean {evaluation.payoff_unit} of a deal")


def _draw_shares(axes: "Axes", evaluation: "Evaluation", outcome: "Outcome") -> None:
    if outcome.is_even:
        _draw_even(axes, 1 / evaluation.players)
    name = outcome.name
    draw_dots(axes, [row.shares[name] for row in evaluation.rows], [row.share_intervals[name] for row in evaluation.rows])
    axes.set_xlabel(f"{name}: share of deals\n({outcome.meaning})")
    axes.xaxis.set_major_formatter(lambda share, _: f"{round(100 * share, DIGITS):g}%")


def _draw_even(axes: "Axes", even: float) -> None:
    """A line where all would be alike."""
    axes.axvline(even, color="0.6", linestyle="--", linewidth=1, label="an even share")


def draw_dots(axes: "Axes", means: list[float], intervals: "list[Interval]") -> None:
    """A dot with the bar of its interval for each row, from the top down."""
    lows = [mean - low for mean, (low, _) in zip(means, intervals, strict=True)]
    highs = [high - mean for mean, (_, high) in zip(means, intervals, strict=True)]
    axes.errorbar(means, range(len(means)), xerr=[lows, highs], fmt="o", capsize=4, label="mean and its interval over decks")
    axes.grid(axis="x", alpha=0.3)
    low, high = axes.get_xlim()
    missing = max(0.0, _LEAST_SPAN - (high - low))
    axes.set_xlim(low - missing / 2, high + missing / 2)


def title(result: "Evaluation | Tournament") -> str:
    """What was played, in one line."""
    game = _game(result)
    changed = "".join(f", {name}={value}" for name, value in game.changed_options(result.options).items())
    return (
        f"{game.title} ({result.game}{changed}), {result.players} players: "
        f"{result.games:,} games of {result.deals:,} decks, seed {result.seed}"
    )


def _game(result: "Evaluation | Tournament") -> "Game":
    return get_game(result.game.rpartition("_v")[0])


def signed(value: float) -> str:
    """With its sign, rounded."""
    return f"{round(value, DIGITS) + 0.0:+.{DIGITS}f}"
