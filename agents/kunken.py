"""A hand-written agent for Kunken, and how hand-written ones read an observation (`penzoo.envs.kunken.views`)."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.actions import CLOSE, DISCARD, DRAW, MELD, PASS, PUT, PUT_JOKER, SWAP, TAKE
from penzoo.envs.kunken.melds import card_points, count_bits, honours, rank_bits, suit_bits, turned
from penzoo.envs.kunken.opening import held_kinds
from penzoo.envs.kunken.state import (
    HIGH,
    JOKER,
    MAX_DECK,
    MAX_JOKERS,
    MAX_MELDS,
    MELD_WIDTH,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    PACKS,
    SHORTEST,
    SHOWN_FITS,
    SHOWN_HELD,
    SHOWN_JOKER,
)
from penzoo.envs.kunken.stock import card_at
from penzoo.envs.kunken.views import AT

_HAND, _BANK, _BANK_SIZE = AT["hand"], AT["bank"], AT["bank_size"]
_SUITS, _RANKS = AT["meld_0_suits"], AT["meld_0_ranks"]
IS_THERE, JOKER_THERE, PUT_THERE = (shown / SHOWN_HELD for shown in (SHOWN_HELD, SHOWN_JOKER, SHOWN_FITS))  # among suits and ranks
_HALF = 0.5  # to round by
HONOURS = honours(False)  # an observation does not tell whether tens are honours
NO_ACTION = -1


# ------------------------------------------------------------------------------------------------------------------- reading


@compiled
def read_counts(observation, at):
    """How many cards of each kind a piece of 53 numbers tells, int8 of shape (53,)."""
    counts = np.zeros(NUM_CARDS, np.int8)
    for card in range(NUM_KINDS):
        if observation[at + card] > 0:
            counts[card] = int(observation[at + card] * PACKS + _HALF)
    counts[JOKER] = int(observation[at + JOKER] * MAX_JOKERS + _HALF)
    return counts


@compiled
def read_hand(observation):
    """The observer's hand, int8 of shape (53,)."""
    return read_counts(observation, _HAND)


@compiled
def read_size(observation, at):
    """A number of cards."""
    return int(observation[at] * MAX_DECK + _HALF)


@compiled
def read_bank(observation):
    """The bank from its bottom, int8 of shape (110,), NO_CARD behind its top, and its size."""
    bank, size = np.full(MAX_DECK, NO_CARD, np.int8), read_size(observation, _BANK_SIZE)
    for copy in range(MAX_DECK):
        if observation[_BANK + copy] > 0:
            bank[size - 1 - find_depth(observation, copy)] = card_at(copy)
    return bank, size


@compiled
def find_depth(observation, copy):
    """How many cards lie on a copy of a card in the bank, copies in the order of the actions `take`."""
    return MAX_DECK - read_size(observation, _BANK + copy)


@compiled
def find_first(mask, first, end):
    """The first legal action from one on, before another; NO_ACTION if there is none."""
    for action in range(first, end):
        if mask[action]:
            return action
    return NO_ACTION


# -------------------------------------------------------------------------------------------------------------------- greedy


@compiled
def greedy(observation, mask, players):
    """Take as much of the bank as it may, lay out whatever it can, the dearest first; discard the card of the least use."""
    if mask[DRAW] or mask[PASS]:
        return find_deepest(observation, mask)
    hand = read_hand(observation)
    put = find_put(mask, hand)
    if put != NO_ACTION:
        return put
    if mask[CLOSE]:
        return CLOSE
    action = find_joker_put(mask)
    if action == NO_ACTION:
        action = find_first(mask, SWAP, CLOSE)
    if action == NO_ACTION:
        action = find_meld(observation, mask)
    return action if action != NO_ACTION else find_discard(mask, hand)


@compiled
def find_deepest(observation, mask):
    """The `take` that brings most cards, or what there is in its place."""
    best, deepest = DRAW if mask[DRAW] else PASS, -1
    for copy in range(MAX_DECK):
        if mask[TAKE + copy] and find_depth(observation, copy) > deepest:
            best, deepest = TAKE + copy, find_depth(observation, copy)
    return best


@compiled
def find_put(mask, hand):
    """The `put` of a card from which the dearest cards follow in hand; NO_ACTION if there is none."""
    best, most = NO_ACTION, -1
    kinds = 0
    for card in range(NUM_KINDS):
        if mask[PUT + card]:
            if kinds == 0:
                kinds, _ = held_kinds(hand)
            points = count_following(card, kinds) * card_points(card, HONOURS)
            if points > most:
                best, most = PUT + card, points
    return best


@compiled
def find_joker_put(mask):
    """The `put` of a joker that stands for the dearest card; NO_ACTION if there is none."""
    best, most = NO_ACTION, 0
    for card in range(NUM_KINDS):
        if mask[PUT_JOKER + card] and card_points(card, HONOURS) > most:
            best, most = PUT_JOKER + card, card_points(card, HONOURS)
    return best


@compiled
def find_meld(observation, mask):
    """The combination that can be chosen onto which the dearest card fits, in hand or not; NO_ACTION if none can be chosen."""
    best, most = NO_ACTION, -1
    for number in range(MAX_MELDS):
        if mask[MELD + number]:
            points = 0
            for card in range(NUM_KINDS):
                if fits_onto(observation, number, card):
                    points = max(points, card_points(card, HONOURS))
            if points > most:
                best, most = MELD + number, points
    return best


@compiled
def fits_onto(observation, number, card):
    """Whether a card can be put onto a combination on the table."""
    at = number * MELD_WIDTH
    suit, rank = observation[_SUITS + at + card // NUM_RANKS], observation[_RANKS + at + card % NUM_RANKS]
    return min(suit, rank) == PUT_THERE and max(suit, rank) == IS_THERE  # the suit of a run and an end of it, or the rank of a set


@compiled
def count_following(card, kinds):
    """How many cards a combination of natural cards can have that is put from this one on."""
    ranks, run = turned(suit_bits(kinds, card // NUM_RANKS), card % NUM_RANKS), 0
    while run < NUM_RANKS and (ranks >> run) & 1:
        run += 1
    return max(run, count_bits(rank_bits(kinds, card % NUM_RANKS) >> card // NUM_RANKS))


@compiled
def find_discard(mask, hand):
    """The discard with the fewest partners in hand, of those the dearest; a joker last of all."""
    best, least = NO_ACTION, np.inf
    for card in range(NUM_CARDS):
        if mask[DISCARD + card]:
            use = (HIGH + 1) * count_partners(card, hand) - card_points(card, HONOURS)
            if use < least:
                best, least = DISCARD + card, use
    return best


@compiled
def count_partners(card, hand):
    """How many cards in hand could lie with a card in a combination of three, for a joker more than any card has."""
    if card == JOKER:
        return NUM_CARDS
    count, rank, suit = 0, card % NUM_RANKS, card // NUM_RANKS
    for other in range(NUM_SUITS):
        count += other != suit and hand[other * NUM_RANKS + rank] > 0
    for by in range(1, SHORTEST):
        count += hand[suit * NUM_RANKS + (rank + by) % NUM_RANKS] > 0
        count += hand[suit * NUM_RANKS + (rank - by) % NUM_RANKS] > 0
    return count
