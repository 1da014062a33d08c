"""A hand-written agent for Kunken, and how hand-written ones read an observation (`penzoo.envs.kunken.views`)."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.actions import CLOSE, DISCARD, DRAW, MELD, NUM_ACTIONS, PASS, PUT, PUT_JOKER, SWAP, TAKE
from penzoo.envs.kunken.melds import card_points, count_bits, honours, rank_bits, suit_bits, turned
from penzoo.envs.kunken.state import (
    HIGH,
    JOKER,
    MAX_DECK,
    MAX_JOKERS,
    MAX_MELDS,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    PACKS,
    SHORTEST,
)
from penzoo.envs.kunken.stock import card_at
from penzoo.envs.kunken.views import AT

_HAND, _BANK, _BANK_SIZE = AT["hand"], AT["bank"], AT["bank_size"]
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
    for first, end in ((PUT_JOKER, MELD), (SWAP, CLOSE), (MELD, SWAP)):
        action = find_first(mask, first, end)
        if action != NO_ACTION:
            return action
    return find_discard(mask, hand)


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
    kinds = np.int64(0)
    for card in range(NUM_KINDS):
        if mask[PUT + card]:
            if kinds == 0:
                kinds = find_kinds(hand, 1)
            points = count_following(card, kinds) * card_points(card, HONOURS)
            if points > most:
                best, most = PUT + card, points
    return best


@compiled
def find_kinds(hand, copies):
    """The kinds of natural cards of which there are so many in hand, a bit for each."""
    kinds = np.int64(0)
    for card in range(NUM_KINDS):
        kinds |= np.int64(hand[card] >= copies) << card
    return kinds


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


assert NUM_ACTIONS == DISCARD + NUM_CARDS and SWAP == MELD + MAX_MELDS
