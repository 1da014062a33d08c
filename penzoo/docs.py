"""The README's tables, made from the games' own: `python -m penzoo.docs README.md` writes them anew between their marks."""

import itertools
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from penzoo.agents import agent_labels
from penzoo.envs import GAMES, get_game
from penzoo.envs.game import Game
from penzoo.envs.tables import Layout, Piece

_NUMBER = re.compile(r"_(\d+)_")  # in the name of a piece: meld_0_ranks
_BLOCK = re.compile(r"<!-- table: (?P<kind>\w+)(?: (?P<game>\w+))? -->\n.*?<!-- end of table -->", re.DOTALL)


def games_table() -> str:
    """A row for each game."""
    rows = (
        (
            f"`{game.id}`",
            game.title,
            f"{game.min_players} to {game.max_players}",
            len(game.actions),
            _sizes(game),
            _code(agent_labels(game.name)),
        )
        for game in GAMES.values()
    )
    return _table(("module", "game", "players", "actions", "observation", "agents"), rows)


def options_table(game: Game) -> str:
    """A row for each rule option."""
    rows = ((f"`{option.name}`", option.values(), f"`{option.default!r}`", option.meaning) for option in game.all_options)
    return _table(("option", "takes", "default", "meaning"), rows)


def actions_table(game: Game) -> str:
    """A row for each group of actions."""
    rows = []
    for group in game.actions.groups:
        place = game.actions.slices[group.name]
        names = group.names if len(group.names) < 2 else (group.names[0], "…", group.names[-1])
        rows.append((_indices(place), " ".join(f"`{name}`" if name != "…" else name for name in names), group.meaning))
    return _table(("index", "name", "meaning"), rows)


def observation_table(game: Game) -> str:
    """A row for each piece of the observation; the blocks of the seats, which are alike, once, and so what is numbered in a block."""
    return _layout_table(game, game.observation_layout, "seat")


def state_table(game: Game) -> str:
    """A row for each piece of the global state, likewise."""
    return _layout_table(game, game.state_layout, "player")


def fill(text: str) -> str:
    """A page with the tables between its marks made anew."""
    return _BLOCK.sub(_filled, text)


_TABLES: dict[str, Callable[[Game], str]] = {
    "options": options_table,
    "actions": actions_table,
    "observation": observation_table,
    "state": state_table,
}


def _filled(block: re.Match[str]) -> str:
    kind, name = block["kind"], block["game"]
    table = games_table() if name is None else _TABLES[kind](get_game(name))
    return f"<!-- table: {kind}{f' {name}' if name else ''} -->\n{table}\n<!-- end of table -->"


def _layout_table(game: Game, layout: Callable[[int], Layout], block: str) -> str:
    step, smallest = _step(game, layout), layout(game.min_players)
    rows = []
    for piece, place in smallest:
        owner, dot, _ = piece.name.partition(".")
        index, name, meaning = _numbered(piece, place, smallest)
        if index and owner == f"{block}_0":
            rows.append((f"{step}·k + {index}", f"`{name.replace(owner, f'{block}_k')}`", meaning, piece.scale))
        elif index and not dot:
            rows.append((index, f"`{name}`", meaning, piece.scale))
    return _table(("index", "piece", "meaning", "scale"), rows)


def _numbered(piece: Piece, place: slice, layout: Layout) -> tuple[str, str, str]:
    """Index, name and meaning of a piece; of several that differ in a number, for all of them at the first, and none at the others."""
    number = _NUMBER.search(piece.name)
    if number is None:
        return _indices(place), piece.name, piece.meaning

    def named(other: object) -> str:
        return f"{piece.name[: number.start()]}_{other}_{piece.name[number.end() :]}"

    if number[1] != "0":
        return "", "", ""
    count = next(n for n in itertools.count() if named(n) not in layout.slices)
    step = layout.slices[named(1)].start - place.start
    return f"{step}·n + {_indices(place)}", named("n"), f"{piece.meaning} (n from 0 to {count - 1})"


def _step(game: Game, layout: Callable[[int], Layout]) -> int:
    """How much longer the layout is for one more player."""
    return layout(game.min_players + 1).size - layout(game.min_players).size


def _table(head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    head = tuple(head)
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _indices(place: slice) -> str:
    return str(place.start) if place.stop == place.start + 1 else f"{place.start} to {place.stop - 1}"


def _sizes(game: Game) -> str:
    step = _step(game, game.observation_layout)
    return f"{game.observation_layout(game.min_players).size - game.min_players * step} + {step} · players"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def main() -> None:
    """Write the tables of the pages that are named on the command line anew."""
    for name in sys.argv[1:]:
        path = Path(name)
        path.write_text(fill(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
