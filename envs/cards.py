"""Cards as text: rank then suit, `*` for a joker; the card index counts suit by suit in the order c d h s, then the jokers."""

SUITS = "cdhs"
JOKER = "*"
NO_CARD = -1  # in place of a card index

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
