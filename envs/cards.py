"""Cards as text: rank then suit, `*` for a joker; the card index counts suit by suit in the order c d h s, then the jokers."""

from collections.abc import Iterable

SUITS = "cdhs"
JOKER = "*"
NO_CARD = -1  # in place of a card index
SCREEN_WIDTH = 100  # columns

_SCREEN_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def card_names(ranks: str) -> tuple[str, ...]:
    """The names of a pack by card index; `ranks` from low to high as the game orders them."""
    return tuple(rank + suit for suit in SUITS for rank in ranks)


def on_screen(name: str) -> str:
    """A card as people read it: `Th` is 10♥."""
    if name == JOKER:
        return name
    rank, suit = name[0], name[1]
    return ("10" if rank == "T" else rank) + _SCREEN_SUITS[suit]


def in_lines(parts: Iterable[str], between: str, indent: str = "") -> str:
    """The parts one after the other, with line breaks between them where a line would be longer than a screen is wide.

    `indent` stands before each line but the first, for which as much is left.
    """
    lines: list[str] = []
    for part in parts:
        if lines and len(indent) + len(lines[-1]) + len(between) + len(part) <= SCREEN_WIDTH:
            lines[-1] += between + part
        else:
            lines.append(part)
    return f"\n{indent}".join(lines)
