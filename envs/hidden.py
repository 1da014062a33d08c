"""Dealing anew what a seat cannot see, for games with hands of counted cards and a stock; `bind_determinize` makes it a game's own.

The game's record has the fields `hand`, `hand_size`, `known`, `known_size` (a row for each seat), `stock` and `stock_size`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from penzoo.envs.jit import bind, compiled
from penzoo.envs.rng import random_below, shuffle

if TYPE_CHECKING:
    is_possible: Callable[..., bool]
    note_chance: Callable[..., Any]

_MOST_TRIES = 500  # of deals drawn as a whole
_SWAPS_PER_CARD = 8


def bind_determinize(name: str, is_possible: Callable[..., Any], note_chance: Callable[..., Any]) -> Callable[..., Any]:
    """A game's `determinize`.

    Args:
        name: of the game.
        is_possible: compiled, (state, seat) -> whether the player in turn could have done what this seat has seen.
        note_chance: compiled, (state, rng): let the record tell nothing else of what is hidden (seeds, orders).
    """
    rules = {"is_possible": is_possible, "note_chance": note_chance}
    return bind(determinize, name, {**rules, "_swap_hidden": bind(_swap_hidden, name, rules)})


def determinize(state, seat, rng):
    """Deal anew what this seat cannot see, the other hands and the stock: each way as likely that fits the decision in hand.

    Deals are drawn until one fits. Where hardly any does, they are found by so many swaps of two cards, from the true deal on, that of
    this nothing is left but what fits (Metropolis et al., 1953).
    """
    cards = np.empty(_count_hidden(state, seat), np.int8)
    _gather_hidden(state, seat, cards)
    true_deal = cards.copy()
    cards.sort()  # so that what is drawn follows from what the seat sees and the stream alone, not from the cards that lie there
    is_dealt, tries = False, 0
    while not is_dealt and tries < _MOST_TRIES:
        shuffle(cards, rng)
        _deal_hidden(state, seat, cards)
        is_dealt = is_possible(state, seat)  # noqa: F821
        tries += 1
    if not is_dealt:
        _swap_hidden(state, seat, true_deal, rng)
    note_chance(state, rng)  # noqa: F821


def _swap_hidden(state, seat, cards, rng):
    count = len(cards)
    for _ in range(_SWAPS_PER_CARD * count):
        one, other = random_below(rng, count), random_below(rng, count)
        cards[one], cards[other] = cards[other], cards[one]
        _deal_hidden(state, seat, cards)
        if not is_possible(state, seat):  # noqa: F821
            cards[one], cards[other] = cards[other], cards[one]
    _deal_hidden(state, seat, cards)


@compiled
def _count_hidden(state, seat):
    count = int(state["stock_size"])
    for other in range(state["players"]):
        if other != seat:
            count += int(state["hand_size"][other]) - int(state["known_size"][other])
    return count


@compiled
def _gather_hidden(state, seat, cards):
    """List what the seat cannot see, in the order in which `_deal_hidden` deals it."""
    count = 0
    for other in range(state["players"]):
        if other != seat:
            for card in range(state["hand"].shape[1]):
                for _ in range(state["hand"][other, card] - state["known"][other, card]):
                    cards[count] = card
                    count += 1
    for depth in range(state["stock_size"]):
        cards[count] = state["stock"][depth]
        count += 1


@compiled
def _deal_hidden(state, seat, cards):
    count = 0
    for other in range(state["players"]):
        if other != seat:
            state["hand"][other, :] = state["known"][other]
            for _ in range(state["hand_size"][other] - state["known_size"][other]):
                state["hand"][other, cards[count]] += 1
                count += 1
    for depth in range(state["stock_size"]):
        state["stock"][depth] = cards[count]
        count += 1
