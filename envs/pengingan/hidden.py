"""Dealing anew what a seat cannot see (RULES.md, "What a player sees")."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.rules import NUM_ACTIONS, holds_other, legal_mask, next_seat
from penzoo.envs.pengingan.state import LIVE, MAX_DECK, NUM_CARDS, Phase
from penzoo.envs.pengingan.stock import chance
from penzoo.envs.rng import random_below, shuffle

_MOST_TRIES = 500  # of deals drawn as a whole
_SWAPS_PER_CARD = 8


@compiled
def determinize(state, seat, rng):
    """Deal anew what this seat cannot see, the other hands and the stock: each way as likely that fits the decision in hand.

    What a player has begun to build can be finished from that player's hand, and a player who may have to take a discard back has
    another card to give. Deals are drawn until one fits. Where hardly any does (a run is open that lacks eight cards), they are found by
    so many swaps of two cards, from the true deal on, that of this nothing is left but what fits (Metropolis et al., 1953).
    """
    cards = np.empty(MAX_DECK, np.int8)
    count = _gather_hidden(state, seat, cards)
    true_deal = cards.copy()
    is_dealt, tries = False, 0
    while not is_dealt and tries < _MOST_TRIES:
        shuffle(cards[:count], rng)
        _deal_hidden(state, seat, cards)
        is_dealt = _is_possible(state, seat)
        tries += 1
    if not is_dealt:
        _swap_hidden(state, seat, true_deal, count, rng)
    _note_order(state, rng)


@compiled
def _swap_hidden(state, seat, cards, count, rng):
    for _ in range(_SWAPS_PER_CARD * count):
        one, other = random_below(rng, count), random_below(rng, count)
        cards[one], cards[other] = cards[other], cards[one]
        _deal_hidden(state, seat, cards)
        if not _is_possible(state, seat):
            cards[one], cards[other] = cards[other], cards[one]
    _deal_hidden(state, seat, cards)


@compiled
def _note_order(state, rng):
    """Let the record tell no other order of cards than that of the new stock."""
    if not state["is_reshuffled"]:
        chance(state, rng)
        return
    turned = 0
    while turned < MAX_DECK and state["reshuffled"][turned] != NO_CARD:
        turned += 1
    for depth in range(state["stock_size"]):
        state["reshuffled"][turned - 1 - depth] = state["stock"][depth]


@compiled
def _gather_hidden(state, seat, cards):
    """List what the seat cannot see, in the order in which `_deal_hidden` deals it; returns how many cards there are."""
    count = 0
    for other in range(state["players"]):
        if other != seat:
            for card in range(NUM_CARDS):
                for _ in range(state["hand"][other, card] - state["known"][other, card]):
                    cards[count] = card
                    count += 1
    for depth in range(state["stock_size"]):
        cards[count] = state["stock"][depth]
        count += 1
    return count


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


@compiled
def _is_possible(state, seat):
    """Whether the player in turn could have done what all have seen."""
    turn = state["turn"]
    if turn == seat or state["terminated"] or state["truncated"]:
        return True
    if state["phase"] == Phase.ASK_DISCARD or (state["phase"] == Phase.DISCARD and state["is_returned"]):
        return holds_other(state["hand"][turn], state["shown"][next_seat(state, turn), LIVE:])
    if state["phase"] == Phase.BUILD:
        mask = np.zeros(NUM_ACTIONS, np.int8)
        legal_mask(state, mask)
        return mask.any()
    return True
