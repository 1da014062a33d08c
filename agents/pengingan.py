"""A hand-written agent for Pengingan, and how hand-written ones read an observation (`penzoo.envs.pengingan.views`)."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.melds import MAX_FOUND, add, can_take, count_cards, list_melds, mark_live, single, value
from penzoo.envs.pengingan.rules import CLOSE, DEMAND, DISCARD, EXTEND, NEW, PASS, PUT, REARRANGE, TURN
from penzoo.envs.pengingan.state import (
    ALL_OUT,
    HAND_SIZE,
    MAX_MELDS,
    MAX_PACKS,
    MELD_WIDTH,
    NO_MELD,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    Phase,
)
from penzoo.envs.pengingan.views import AT, BLOCK_SIZE

_HAND, _CARD, _OPEN, _PACKS, _MELD = (AT[name] for name in ("hand", "card", "open", "packs", "seat_0.meld_0_ranks"))
_TURN, _ASK_DISCARD = AT["seat_0.turn"], AT["phase"] + Phase.ASK_DISCARD
_LOOSE, _LAST_PUT, _FORMER = (AT[name] for name in ("loose", "last_put", "former_0_ranks"))
_FORMER_WIDTH = AT["former_1_ranks"] - _FORMER
_HALF = 0.5  # to round by
_PARTNER_REACH = 2  # ranks between cards of one suit that one more card can make a run


# ------------------------------------------------------------------------------------------------------------------- reading


@compiled
def read_counts(observation, at):
    """How many cards of each kind a piece of 40 numbers tells, int8 of shape (40,)."""
    copies = observation[_PACKS] * MAX_PACKS
    counts = np.empty(NUM_CARDS, np.int8)
    for card in range(NUM_CARDS):
        counts[card] = int(observation[at + card] * copies + _HALF)
    return counts


@compiled
def read_hand(observation):
    """The observer's hand, int8 of shape (40,)."""
    return read_counts(observation, _HAND)


@compiled
def read_card(observation):
    """The face-up card, also while it is being used; NO_CARD if there is none."""
    for card in range(NUM_CARDS):
        if observation[_CARD + card] > 0:
            return card
    return NO_CARD


@compiled
def read_meld(observation, at):
    """The meld whose ranks and suits stand from `at` on, as in `penzoo.envs.pengingan.melds`; NO_MELD if there is none."""
    meld, is_group = NO_MELD, observation[at : at + NUM_RANKS].sum() == 1
    for suit in range(NUM_SUITS):
        count = int(observation[at + NUM_RANKS + suit] * HAND_SIZE + _HALF)
        if count > 0:
            for rank in range(NUM_RANKS):
                if observation[at + rank] > 0:
                    for _ in range(count if is_group else 1):
                        meld = add(meld, suit * NUM_RANKS + rank)
    return meld


@compiled
def read_row(observation, at, width):
    """The melds whose pieces stand from `at` on, each `width` after the one before, int32 of shape (3,)."""
    melds = np.empty(MAX_MELDS, np.int32)
    for number in range(MAX_MELDS):
        melds[number] = read_meld(observation, at + width * number)
    return melds


@compiled
def read_melds(observation, seat):
    """The melds of a seat, counted from the observer's, int32 of shape (3,); a half-built one stands behind the others."""
    return read_row(observation, _MELD + BLOCK_SIZE * seat, MELD_WIDTH)


@compiled
def read_former(observation):
    """The own melds as they lay before an arrangement, int32 of shape (3,)."""
    return read_row(observation, _FORMER, _FORMER_WIDTH)


@compiled
def read_loose(observation):
    """The loose cards, int8 of shape (40,)."""
    return read_counts(observation, _LOOSE)


@compiled
def read_last_put(observation):
    """The card put last onto the open meld, or NO_CARD."""
    return int(observation[_LAST_PUT] * NUM_CARDS + _HALF) - 1


@compiled
def read_open(observation):
    """The number of the open meld."""
    for number in range(MAX_MELDS):
        if observation[_OPEN + number] > 0:
            return number
    return MAX_MELDS


@compiled
def read_turn(observation, players):
    """Whose turn it is, counted from the observer's seat."""
    for seat in range(players):
        if observation[BLOCK_SIZE * seat + _TURN] > 0:
            return seat
    return 0


# -------------------------------------------------------------------------------------------------------------------- greedy


@compiled
def greedy(observation, mask, players):
    """Use a card whenever that is possible, in the way that pays most; discard the card that is of least use to itself."""
    if mask[DEMAND]:
        return answer(observation, players)
    if mask[TURN]:
        return TURN
    hand, melds = read_hand(observation), read_melds(observation, 0)
    use = find_use(mask, read_card(observation), hand, melds)
    if use != PASS:
        return use
    step = find_step(observation, mask, melds)
    return step if step != PASS else find_discard(mask, hand, melds)


@compiled
def answer(observation, players):
    """Demand that a discard goes back, unless it is offered to itself, and that a card is used if that neither pays nor ends the deal."""
    card, turn = read_card(observation), read_turn(observation, players)
    if observation[_ASK_DISCARD] > 0:
        return PASS if turn == players - 1 else DEMAND
    melds, size = read_melds(observation, turn), 1
    for number in range(MAX_MELDS):
        size += count_cards(melds[number])
        if melds[number] != NO_MELD and can_take(melds[number], card) and value(add(melds[number], card)) > 0:
            return PASS
    return PASS if size == ALL_OUT else DEMAND


@compiled
def find_use(mask, card, hand, melds):
    """How to use the card: what pays most, a new meld before an extension where they pay alike; PASS if it cannot be used."""
    if mask[NEW]:
        best, best_pay = NEW, value_of_new(card, hand)
    else:
        best, best_pay = REARRANGE if mask[REARRANGE] else PASS, -1
    for number in range(MAX_MELDS):
        if mask[EXTEND + number] and value(add(melds[number], card)) > best_pay:
            best, best_pay = EXTEND + number, value(add(melds[number], card))
    return best


@compiled
def value_of_new(card, hand):
    """The value of the best meld that a card can make with cards from hand."""
    found, none = np.empty(MAX_FOUND, np.int32), np.zeros(NUM_CARDS, np.int8)
    best = 0
    for index in range(list_melds(single(card), NO_CARD, none, hand, found)):
        best = max(best, value(found[index]))
    return best


@compiled
def find_step(observation, mask, melds):
    """The next step of an arrangement: as many cards as keep the open meld's value, the dearest ones first; PASS if none is built."""
    best, best_value = PASS, -1
    number = read_open(observation)
    for card in range(NUM_CARDS):
        if mask[PUT + card] and value(add(melds[number], card)) > best_value:
            best, best_value = PUT + card, value(add(melds[number], card))
    if mask[CLOSE] and value(melds[number]) > best_value:
        best = CLOSE
    return best


@compiled
def find_discard(mask, hand, melds):
    """The discard with the fewest partners in hand that does not go with an own meld; PASS if there is none to be made."""
    live = np.zeros(NUM_CARDS, np.int8)
    for number in range(MAX_MELDS):
        if melds[number] != NO_MELD:
            mark_live(melds[number], live)
    best, fewest = PASS, MAX_FOUND
    for card in range(NUM_CARDS):
        if mask[DISCARD + card]:
            partners = count_partners(card, hand) + HAND_SIZE * live[card]
            if partners < fewest:
                best, fewest = DISCARD + card, partners
    return best


@compiled
def count_partners(card, hand):
    """How many cards in hand could lie with a card in a meld of three."""
    rank, first = card % NUM_RANKS, card - card % NUM_RANKS
    count = -1  # itself
    for suit in range(NUM_SUITS):
        count += hand[suit * NUM_RANKS + rank]
    for other in range(max(0, rank - _PARTNER_REACH), min(NUM_RANKS, rank + _PARTNER_REACH + 1)):
        count += other != rank and hand[first + other] > 0
    return count
