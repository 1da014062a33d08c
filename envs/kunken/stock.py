"""The stock and the bank of Kunken, and the new stock that the bank may become (RULES.md, "Turn", "End")."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.state import JOKER, JOKER_COPIES, MAX_JOKERS, NUM_CARDS, SECOND_COPY, StockOut
from penzoo.envs.reshuffle import draw_seed, new_stock


@compiled
def deck_size(state):
    """How many cards the deck has."""
    return JOKER_COPIES + int(state["jokers"])


@compiled
def chance(state, rng):
    """Draw what the order of the deck leaves open: the seed of the recycling."""
    state["recycle_seed"] = draw_seed(rng)
    state["recycled"][:] = NO_CARD


@compiled
def can_draw(state):
    """Whether a card can be drawn, from the stock or from a new one (O)."""
    return state["stock_size"] > 0 or (state["stock_out"] == StockOut.RECYCLE and not state["is_recycled"] and state["bank_size"] > 1)


@compiled
def draw(state):
    """Take the top card off the stock, after recycling where it is empty; returns the card."""
    if state["stock_size"] == 0:
        _recycle(state)
    state["stock_size"] -= 1
    depth = state["stock_size"]
    card = int(state["stock"][depth])
    state["stock"][depth] = 0  # a card drawn leaves no trace for whoever is handed a record
    return card


@compiled
def _recycle(state):
    """The bank but for its top card becomes a new stock (O)."""
    below = state["bank_size"] - 1
    counts = np.zeros(NUM_CARDS, np.int8)
    for depth in range(below):
        counts[state["bank"][depth]] += 1
    state["stock_size"] = new_stock(counts, state["recycled"], state["recycle_seed"], state["stock"])
    state["is_recycled"] = 1
    top = int(state["bank"][below])
    clear_bank(state)
    push(state, top)


@compiled
def clear_bank(state):
    """Nothing lies in the bank."""
    state["bank"][:] = 0
    state["bank_size"] = 0
    state["place"][:] = 0


@compiled
def push(state, card):
    """Lay a card on top of the bank."""
    state["bank"][state["bank_size"]] = card
    state["bank_size"] += 1
    place = state["place"]
    if card == JOKER:
        for copy in range(MAX_JOKERS - 1, 0, -1):
            place[JOKER_COPIES + copy] = place[JOKER_COPIES + copy - 1]
        place[JOKER_COPIES] = state["bank_size"]
    else:
        place[SECOND_COPY + card] = place[card]
        place[card] = state["bank_size"]


@compiled
def pop(state):
    """Take the top card off the bank."""
    state["bank_size"] -= 1
    depth = state["bank_size"]
    card = int(state["bank"][depth])
    state["bank"][depth] = 0
    place = state["place"]
    if card == JOKER:
        for copy in range(MAX_JOKERS - 1):
            place[JOKER_COPIES + copy] = place[JOKER_COPIES + copy + 1]
        place[JOKER_COPIES + MAX_JOKERS - 1] = 0
    else:
        place[card] = place[SECOND_COPY + card]
        place[SECOND_COPY + card] = 0
    return card


@compiled
def card_at(copy):
    """The card of which `place` tells a copy at this index."""
    if copy >= JOKER_COPIES:
        return JOKER
    return copy - SECOND_COPY if copy >= SECOND_COPY else copy


@compiled
def copy_at(bank, place, depth):
    """Where `place` tells of the card at a depth of the bank, counted from its bottom; undoes it."""
    card = int(bank[depth])
    if card != JOKER:
        return card if place[card] == depth + 1 else SECOND_COPY + card
    copy = JOKER_COPIES
    while place[copy] != depth + 1:
        copy += 1
    return copy
