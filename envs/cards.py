"""Cards as text: rank then suit, `*` for a joker; the card index counts suit by suit in the order c d h s, then the jokers."""

from collections.abc import Iterable, Sequence

SUITS = "cdhs"
JOKER = "*"
JOKER_FOR = f"{JOKER}="  # before the card for which a joker stands: *=5d
NO_CARD = -1  # in place of a card index
SCREEN_WIDTH = 100  # columns
INDENT = "    "  # of lines that go on
BETWEEN = " · "  # what a line tells one after the other
BACK = "▒▒"  # of a card that is hidden

_SCREEN_SUITS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}


def card_names(ranks: str) -> tuple[str, ...]:
    """The names of a pack by card index; `ranks` from low to high as the game orders them."""
    return tuple(rank + suit for suit in SUITS for rank in ranks)


def on_screen(name: str) -> str:
    """A card as people read it: `Th` is 10♥, `*=Th`, a joker that stands for it, *=10♥."""
    if name == JOKER:
        return name
    if name.startswith(JOKER_FOR):
        return JOKER_FOR + on_screen(name.removeprefix(JOKER_FOR))
    rank, suit = name[0], name[1]
    return ("10" if rank == "T" else rank) + _SCREEN_SUITS[suit]


def counted_on_screen(counts: Iterable[int], names: Sequence[str]) -> list[str]:
    """Cards as people read them, from how many there are of each of these names."""
    return [on_screen(name) for name, count in zip(names, counts, strict=True) for _ in range(count)]


def hand_on_screen(shown: Iterable[int], size: int, names: Sequence[str]) -> list[str]:
    """A hand of so many cards, of which those counted in `shown` are seen, the others by their backs, which stand last."""
    cards = counted_on_screen(shown, names)
    return cards + [BACK] * (size - len(cards))


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
