"""The README's tables, made from the games' own: `python -m penzoo.docs README.md` writes them anew between their marks."""

import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from penzoo.agents import agent_names
from penzoo.envs import GAMES, get_game
from penzoo.envs.game import Game
from penzoo.envs.tables import Layout

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
            _code(agent_names(game.name)),
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
    """A row for each piece of the observation; the blocks of the seats, which are alike, once."""
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
    step = _step(game, layout)
    rows = []
    for piece, place in layout(game.min_players):
        owner, dot, name = piece.name.partition(".")
        if owner == f"{block}_0":
            rows.append((f"{step}·k + {_indices(place)}", f"`{block}_k.{name}`", piece.meaning, piece.scale))
        elif not dot:
            rows.append((_indices(place), f"`{piece.name}`", piece.meaning, piece.scale))
    return _table(("index", "piece", "meaning", "scale"), rows)


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
