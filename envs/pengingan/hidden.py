"""Dealing anew what a seat cannot see (RULES.md, "What a player sees")."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.rules import NUM_ACTIONS, chance, holds_other, legal_mask, next_seat
from penzoo.envs.pengingan.state import MAX_DECK, NUM_CARDS, Phase
from penzoo.envs.rng import shuffle


@compiled
def determinize(state, seat, rng):
    """Deal anew, each way as likely that fits what all have seen, what this seat cannot see: the other hands and the stock.

    What a player has begun to build can be finished from that player's hand, and a player who may have to take a discard back has
    another card to give.
    """
    cards = np.empty(MAX_DECK, np.int8)
    count = _gather_hidden(state, seat, cards)
    while True:
        shuffle(cards[:count], rng)
        _deal_hidden(state, seat, cards)
        if _is_possible(state, seat):
            break
        _gather_hidden(state, seat, cards)
    size = state["stock_size"]
    if state["is_reshuffled"]:  # its end is the order of the stock
        turned = 0
        while turned < MAX_DECK and state["reshuffled"][turned] != NO_CARD:
            turned += 1
        for depth in range(size):
            state["reshuffled"][turned - 1 - depth] = state["stock"][depth]
    else:
        chance(state, rng)


@compiled
def _gather_hidden(state, seat, cards):
    """Take up what the seat cannot see; returns how many cards there are."""
    count = 0
    for other in range(state["players"]):
        if other != seat:
            for card in range(NUM_CARDS):
                for _ in range(state["hand"][other, card] - state["known"][other, card]):
                    cards[count] = card
                    count += 1
                state["hand"][other, card] = state["known"][other, card]
    for depth in range(state["stock_size"]):
        cards[count] = state["stock"][depth]
        count += 1
    return count


@compiled
def _deal_hidden(state, seat, cards):
    count = 0
    for other in range(state["players"]):
        if other != seat:
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
        return holds_other(state["hand"][turn], state["live"][next_seat(state, turn)])
    if state["phase"] == Phase.BUILD:
        mask = np.zeros(NUM_ACTIONS, np.int8)
        legal_mask(state, mask)
        return mask.any()
    return True
