"""Piles that are shuffled into a new stock: their order is a seed in the record, or given to `reset` and kept in records of deals."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.game import Chance
from penzoo.envs.jit import compiled
from penzoo.envs.rng import random_below, shuffle

_HALF = np.uint64(32)  # bits of a seed
_HALVES = 1 << 32


@compiled
def draw_seed(rng):
    """A seed for `order_pile` from a stream: uint64, never 0."""
    high, low = np.uint64(random_below(rng, _HALVES)), np.uint64(random_below(rng, _HALVES))
    return (high << _HALF) | low | np.uint64(1)  # a stream is never 0


@compiled
def order_pile(counts, named, seed, order):
    """Put a pile in the order in which it leaves the new stock.

    Args:
        counts: int8, how many of each card index; used up.
        named: int8, the order as it was given, NO_CARD standing for nothing: cards of the pile come so, as far as they are named there,
            the others at random behind these.
        seed: uint64, of what is random.
        order: int8, gets the card indices.
    """
    count = 0
    for position in range(len(named)):
        card = named[position]
        if card != NO_CARD and counts[card] > 0:
            counts[card] -= 1
            order[count] = card
            count += 1
    behind = count
    for card in range(len(counts)):
        for _ in range(counts[card]):
            order[count] = card
            count += 1
    rng = np.empty(1, np.uint64)
    rng[0] = seed
    shuffle(order[behind:], rng)


@compiled
def note_order(order, named):
    """Keep an order where `order_pile` would read it."""
    named[:] = NO_CARD
    for position in range(len(order)):
        named[position] = order[position]


@compiled
def new_stock(counts, named, seed, stock):
    """Let a pile become the stock, in the order of `order_pile`, whose other arguments these are; `named` then tells all of it.

    `stock`, int8, gets the cards, the next one last. Returns how many there are.
    """
    order = np.empty(int(counts.sum()), np.int8)
    order_pile(counts, named, seed, order)
    note_order(order, named)
    stock[: len(order)] = order[::-1]
    return len(order)


@compiled
def note_stock(stock, named):
    """Keep the order of a new stock as far as it still lies, its next card last; what has left it is told no more."""
    note_order(stock[::-1], named)


def pile_chance(
    name: str, meaning: str, game: str, cards: Sequence[str], copies: Callable[[np.void], np.ndarray], needs: tuple[str, str, int]
) -> Chance:
    """The new stock's order as a key of `reset`'s options and of a record; the state's field of the same name holds it.

    Args:
        name: of both.
        meaning: for the documentation.
        game: its name, for errors.
        cards: their names by card index.
        copies: how many of each card the deck of a record has, by card index.
        needs: the option without which there is no new stock: its name, its value, and the integer for that.
    """

    def read(names: Any, state: np.void) -> None:
        order = [] if names is None else names
        if isinstance(order, str) or not isinstance(order, Sequence | np.ndarray):
            raise ValueError(f"{name}={names!r} is no list of card names: give the new stock in the order in which it is dealt")
        for card in order:
            if not isinstance(card, str) or card not in cards:
                raise ValueError(f"{name}: card {card!r} does not exist: {game} has {' '.join(cards)}")
        option, value, code = needs
        if len(order) and state[option] != code:
            raise ValueError(f"{name} is given, but without option {option}={value!r} there is no new stock")
        indices = [cards.index(card) for card in order]
        there, deck = np.bincount(indices, minlength=len(cards)), copies(state)
        for index in indices:
            if there[index] > deck[index]:
                raise ValueError(f"{name}: there are {there[index]} of card {cards[index]!r}: the deck has {deck[index]}")
        state[name] = NO_CARD
        state[name][: len(indices)] = indices

    def write(state: np.void) -> list[str] | None:
        return [cards[card] for card in state[name] if card != NO_CARD] or None

    return Chance(name, meaning, read, write, required=False)
