"""The stock of Pengingan, the dead cards, and the new stock that these may become (RULES.md, "Cards and deal", "End")."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.state import FEWEST_PACKS, NUM_CARDS, StockOut
from penzoo.envs.rng import random_below, shuffle

_HALF = np.uint64(32)  # bits of a seed
_HALVES = 1 << 32


@compiled
def packs(state):
    """How many packs are in play: as many as players, unless the option says otherwise (S, O)."""
    return int(state["players"]) if state["packs"] == 0 else int(state["packs"]) + FEWEST_PACKS - 1


@compiled
def deck_size(state):
    """How many cards the deck has."""
    return packs(state) * NUM_CARDS


@compiled
def chance(state, rng):
    """Draw what the order of the deck leaves open: the seed of the reshuffle."""
    high, low = np.uint64(random_below(rng, _HALVES)), np.uint64(random_below(rng, _HALVES))
    state["reshuffle_seed"] = (high << _HALF) | low | np.uint64(1)  # a stream is never 0
    state["reshuffled"][:] = NO_CARD


@compiled
def is_reshuffle_left(state):
    """Whether the dead cards, if there are any, may still become a new stock (O)."""
    return state["stock_out"] == StockOut.RESHUFFLE and not state["is_reshuffled"]


@compiled
def can_turn(state):
    """Whether a card can be turned from the stock, or from a new one."""
    return state["stock_size"] > 0 or (state["dead_size"] > 0 and is_reshuffle_left(state))


@compiled
def bury(state):
    """Turn the face-up card down: it is dead."""
    state["dead"][state["card"]] += 1
    state["dead_size"] += 1
    state["card"] = NO_CARD


@compiled
def turn_up(state):
    """Turn the next card of the stock face up; there must be one, or dead cards for a new stock."""
    if state["stock_size"] == 0:
        _reshuffle(state)
    state["stock_size"] -= 1
    depth = state["stock_size"]
    state["card"] = state["stock"][depth]
    state["stock"][depth] = 0  # a card turned leaves no trace for whoever is handed a record
    state["is_turned"] = 1


@compiled
def _reshuffle(state):
    """The dead cards become a new stock (O)."""
    order = np.empty(state["dead_size"], np.int8)
    _order_dead(state, order)
    state["reshuffled"][:] = NO_CARD
    for position in range(len(order)):
        state["reshuffled"][position] = order[position]
        state["stock"][len(order) - 1 - position] = order[position]
    state["stock_size"] = len(order)
    state["dead"][:] = 0
    state["dead_size"] = 0
    state["is_reshuffled"] = 1


@compiled
def _order_dead(state, order):
    """Put the dead cards in the order of `reshuffled` as far as that names them, the others at random behind these."""
    count = 0
    for position in range(len(state["reshuffled"])):
        card = state["reshuffled"][position]
        if card != NO_CARD and state["dead"][card] > 0:
            state["dead"][card] -= 1
            order[count] = card
            count += 1
    named = count
    for card in range(NUM_CARDS):
        for _ in range(state["dead"][card]):
            order[count] = card
            count += 1
    rng = np.empty(1, np.uint64)
    rng[0] = state["reshuffle_seed"]
    shuffle(order[named:], rng)
