"""A tournament as tables and as a picture."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from penzoo.eval.report import (
    DIGITS,
    LABEL_WIDTH,
    draw_dots,
    figure_table,
    name_cell,
    new_figure,
    picture_label,
    save_figure,
    share_cells,
    share_headings,
    signed,
    table_console,
    title,
)
from penzoo.eval.tournament import GAUNTLET

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from rich.console import Console

    from penzoo.eval.figures import Row
    from penzoo.eval.tournament import Pair, Tournament

_NO_RATIO = "–"
_CELL, _RATINGS, _MARGIN = 0.85, 3.5, 1.2  # inches
_LEAST_CELLS = 2.5  # in a row or a column, as wide as its title
_CHARACTER = 0.075  # inches, of a label
_DARK = 0.55  # of the strongest colour, beyond which a cell has white letters
_NOBODY = "0.93"  # grey, of cells that no pair has


def print_tournament(tournament: "Tournament", console: "Console | None" = None, *, markdown: bool = False) -> None:
    """Print a row for each agent, best first, and one for each pair; on the standard output if no console is given.

    Args:
        tournament: to be printed.
        console: where.
        markdown: as text files hold tables.
    """
    console = console or table_console(markdown)
    console.print(title(tournament) + "\n" * markdown, highlight=False)
    console.print(_agents_table(tournament, markdown))
    console.print("\n" * markdown + "One agent alone among seats of another:" + "\n" * markdown, highlight=False)
    console.print(_pairs_table(tournament, markdown))
    for line in _notes(tournament):
        console.print(line, highlight=False)


def _agents_table(tournament: "Tournament", markdown: bool) -> Any:
    overall = {row.agent: row for row in tournament.overall}
    headings = ["rating", _interval(tournament.confidence), *_headings(tournament, tournament.confidence)]
    table = figure_table(["agent"], headings, markdown)
    for rating in _best_first(tournament):
        points = [f"{rating.points:+.0f}", " to ".join(f"{end:+.0f}" for end in rating.points_interval)]
        row = overall.get(rating.agent)
        table.add_row(name_cell(rating.agent, markdown), *points, *(_cells(row) if row else ()))
    return table


def _pairs_table(tournament: "Tournament", markdown: bool) -> Any:
    table = figure_table(["agent", "among"], [*_headings(tournament, tournament.pair_confidence), "decks", "ratio"], markdown)
    for pair in tournament.pairs:
        names = (name_cell(name, markdown) for name in (pair.agent, pair.opponent))
        table.add_row(*names, *_cells(pair), f"{pair.decks}", _ratio(pair.variance_ratio))
    return table


def _headings(tournament: "Tournament", confidence: float) -> list[str]:
    return [f"{tournament.payoff_unit} ±{_percent(confidence)}", *share_headings(tournament, _interval(confidence))]


def _cells(row: "Row") -> Iterator[str]:
    yield f"{signed(row.payoff)} ±{_half_width(row):.{DIGITS}f}"
    yield from share_cells(row)


def _half_width(row: "Row") -> float:
    """Of the interval of its payoff, which lies evenly about it."""
    return (row.payoff_interval.high - row.payoff_interval.low) / 2


def _interval(confidence: float) -> str:
    return f"{_percent(confidence)} interval"


def _percent(confidence: float) -> str:
    return f"{100 * confidence:.4g}%"


def _best_first(tournament: "Tournament") -> list[Any]:
    return sorted(tournament.ratings, key=lambda rating: -rating.points)


def _ratio(ratio: float | None) -> str:
    return _NO_RATIO if ratio is None else f"{ratio:.2f}"


def _notes(tournament: "Tournament") -> Iterator[str]:
    for name, meaning in tournament.outcomes.items():
        yield f"{name}: {meaning}"
    yield "rating: Bradley-Terry on the scale of Elo, mean 0; a tie counts as half a win, a table of more than two as its pairs"
    yield f"intervals: {tournament.intervals}; of ratings by bootstrap over decks"
    if tournament.until_significant:
        stopped = sum(pair.significant for pair in tournament.pairs)
        yield f"{stopped} of {len(tournament.pairs)} pairs differ from 0 significantly, all together at {tournament.confidence:.0%}"
    yield f"ratio: variance ratio, how many times more games it would take without common decks and rotations{_compared(tournament)}"


def _compared(tournament: "Tournament") -> str:
    ratios = [each.variance_ratio for each in tournament.comparisons if each.variance_ratio is not None]
    if not ratios:
        return ""
    return f"; {median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}) for the difference of two pairs with one agent in common"


# ------------------------------------------------------------------------------------------------------------------- picture


def save_tournament_picture(tournament: "Tournament", path: str | Path) -> None:
    """Draw a heat map of the pairs' payoffs and the ratings, both with their intervals, as a PNG.

    Raises:
        ModuleNotFoundError: matplotlib is not installed (it comes with `penzoo[train]`).
    """
    best = [rating.agent for rating in _best_first(tournament)]
    across = [name for name in best if any(_place(tournament, pair)[1] == name for pair in tournament.pairs)]
    label = _CHARACTER * max(min(len(name), LABEL_WIDTH) for name in best)
    widths = [_CELL * max(len(across), _LEAST_CELLS), _RATINGS]
    figure = new_figure(_MARGIN + label + sum(widths), _MARGIN + label + _CELL * max(len(best), _LEAST_CELLS))
    pairs, ratings = figure.subplots(1, 2, width_ratios=widths, sharey=True)
    _draw_pairs(pairs, tournament, best, across)
    _draw_ratings(ratings, tournament)
    figure.suptitle(title(tournament), fontsize="medium", wrap=True)
    save_figure(figure, path)


def _place(tournament: "Tournament", pair: "Pair") -> tuple[str, str]:
    """Who names the row of a pair, and who the column; the rows are of all agents, also in a gauntlet, where only one was alone."""
    return (pair.opponent, pair.agent) if tournament.format == GAUNTLET else (pair.agent, pair.opponent)


def _draw_pairs(axes: "Axes", tournament: "Tournament", down: Sequence[str], across: Sequence[str]) -> None:
    payoffs = np.full((len(down), len(across)), np.nan)
    most = max(abs(pair.payoff) for pair in tournament.pairs) or 1.0
    digits = max(0, DIGITS - len(f"{int(most)}".lstrip("0")))
    for pair in tournament.pairs:
        row, column = _place(tournament, pair)
        place = down.index(row), across.index(column)
        payoffs[place] = pair.payoff
        color = "white" if abs(pair.payoff) > _DARK * most else "black"
        text = f"{round(pair.payoff, digits) + 0.0:+.{digits}f}\n±{_half_width(pair):.{digits}f}"
        axes.text(place[1], place[0], text, ha="center", va="center", color=color, fontsize="small")
    axes.set_facecolor(_NOBODY)
    axes.imshow(payoffs, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    axes.set_xticks(range(len(across)), [picture_label(name) for name in across], rotation=40, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(down)), [picture_label(name) for name in down])
    names = ["agent alone", "among seats of"]
    axes.set_ylabel(names[tournament.format == GAUNTLET])
    axes.set_xlabel(names[tournament.format != GAUNTLET])
    axes.set_title(f"{tournament.payoff_unit} ± {_interval(tournament.pair_confidence)}", fontsize="medium")


def _draw_ratings(axes: "Axes", tournament: "Tournament") -> None:
    best = _best_first(tournament)
    draw_dots(axes, [rating.points for rating in best], [rating.points_interval for rating in best])
    axes.set_xlabel("points of Elo, mean 0")
    axes.set_title(f"rating with {_interval(tournament.confidence)}", fontsize="medium")
