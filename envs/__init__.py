"""The games, and all that is written once for any game."""

from penzoo.envs.game import Game
from penzoo.envs.kunken import GAME as KUNKEN
from penzoo.envs.pen import GAME as PEN
from penzoo.envs.pengingan import GAME as PENGINGAN

GAMES: dict[str, Game] = {game.name: game for game in (PEN, PENGINGAN, KUNKEN)}


def get_game(name: str) -> Game:
    """The game of that name.

    Raises:
        ValueError: there is no such game.
    """
    if name not in GAMES:
        raise ValueError(f"game {name!r} does not exist: the games are {', '.join(GAMES)}")
    return GAMES[name]
