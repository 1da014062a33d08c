"""The tables from which a game's spaces, slices, names and documentation all come."""

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Piece:
    """One named stretch of an observation or of the global state."""

    name: str
    size: int
    meaning: str
    scale: str  # how a number there is to be read, for the documentation


@dataclass(frozen=True)
class Layout:
    """Pieces, one after the other."""

    pieces: tuple[Piece, ...]

    @functools.cached_property
    def size(self) -> int:
        """How many numbers in all."""
        return sum(piece.size for piece in self.pieces)

    @functools.cached_property
    def slices(self) -> dict[str, slice]:
        """Where each piece lies."""
        slices, start = {}, 0
        for piece in self.pieces:
            slices[piece.name] = slice(start, start + piece.size)
            start += piece.size
        return slices

    def __iter__(self) -> Iterator[tuple[Piece, slice]]:
        return zip(self.pieces, self.slices.values(), strict=True)


def seated_layout(common: Iterable[Piece], block: Iterable[Piece], players: int, prefix: str) -> Layout:
    """The pieces that all have in common, and then for each of so many seats a block, its names beginning with `prefix_k.`."""
    own = tuple(block)
    blocks = [Piece(f"{prefix}_{k}.{piece.name}", piece.size, piece.meaning, piece.scale) for k in range(players) for piece in own]
    return Layout((*common, *blocks))


@dataclass(frozen=True)
class ActionGroup:
    """Actions of one kind, one after the other in the action space."""

    name: str
    names: tuple[str, ...]
    meaning: str


class ActionTable:
    """Every action of a game: its index, and its name in the text notation."""

    def __init__(self, groups: Iterable[ActionGroup]) -> None:
        self.groups = tuple(groups)
        self.names: tuple[str, ...] = tuple(name for group in self.groups for name in group.names)
        self._index = {name: index for index, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    @functools.cached_property
    def slices(self) -> dict[str, slice]:
        """Where each group lies in the action space."""
        slices, start = {}, 0
        for group in self.groups:
            slices[group.name] = slice(start, start + len(group.names))
            start += len(group.names)
        return slices

    def name(self, index: int) -> str:
        """The name of an action.

        Raises:
            ValueError: there is no action of that index.
        """
        if not 0 <= index < len(self.names):
            raise ValueError(f"action {index} does not exist: actions are 0 to {len(self.names) - 1}")
        return self.names[index]

    def index(self, name: str) -> int:
        """The index of the action of that name; undoes `name`.

        Raises:
            ValueError: there is no action of that name.
        """
        try:
            return self._index[name]
        except (KeyError, TypeError):
            close = get_close_matches(str(name), self.names, n=3)
            hint = f": did you mean {', '.join(close)}?" if close else f"; the actions are {', '.join(self.names)}"
            raise ValueError(f"action {name!r} does not exist{hint}") from None
