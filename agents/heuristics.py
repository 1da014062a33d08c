"""The hand-written agents of each game, by name."""

from collections.abc import Callable

from penzoo.agents import kunken, kunken_careful, pen, pen_careful, pengingan, pengingan_careful
from penzoo.agents.base import HeuristicAgent

HEURISTICS: dict[str, dict[str, Callable[..., int]]] = {
    "pen": {"greedy": pen.greedy, "careful": pen_careful.careful},
    "pengingan": {"greedy": pengingan.greedy, "careful": pengingan_careful.careful},
    "kunken": {"greedy": kunken.greedy, "careful": kunken_careful.careful},
}  # weakest first


def make_heuristic(name: str, game: str) -> HeuristicAgent:
    """A game's hand-written agent of that name.

    Raises:
        ValueError: the game has none of that name.
    """
    choices = HEURISTICS.get(game, {})
    if name not in choices:
        raise ValueError(f"{game} has no hand-written agent {name!r}: it has {', '.join(choices) or 'none'}")
    return HeuristicAgent(name, game, choices[name])
