"""The careful agent for Kunken: weighs what the bank brings against what is left in hand, and does not feed it."""

import numpy as np

from penzoo.agents.kunken import (
    HONOURS,
    JOKER_THERE,
    NO_ACTION,
    find_depth,
    find_first,
    find_joker_put,
    find_meld,
    fits_onto,
    read_bank,
    read_counts,
    read_hand,
)
from penzoo.agents.kunken_worth import (
    DRAW_GAIN,
    HOLD,
    HOLD_NEAR,
    JOKER_KEEP,
    WEIGHTS,
    find_cost,
    find_nearest,
    has_opened,
    pack,
    points_of,
    read_sight,
    weigh_hand,
    weigh_keeping,
)
from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken import lists
from penzoo.envs.kunken.actions import CLOSE, DISCARD, DRAW, MELD, PASS, PUT, SWAP, TAKE
from penzoo.envs.kunken.lists import JOKERS, KINDS, POINTS
from penzoo.envs.kunken.melds import (
    add_counts,
    count_bits,
    count_cards,
    lowest_bit,
    run_of,
    set_of,
    span,
)
from penzoo.envs.kunken.opening import held_kinds
from penzoo.envs.kunken.state import (
    HIGH,
    JOKER,
    LONGEST_RUN,
    MAX_DECK,
    MAX_MELDS,
    MELD_WIDTH,
    NO_MELD,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    Duty,
    Phase,
)
from penzoo.envs.kunken.views import AT

_BUILD, _ADD = AT["phase"] + Phase.BUILD, AT["phase"] + Phase.ADD
_THIRD = AT["duty"] + Duty.THIRD - 1
_NAMED, _ASIDE, _OPEN = AT["named"], AT["aside"], AT["open"]
_IS_SET, _SIZE, _SUITS, _RANKS = (AT[f"meld_0_{name}"] for name in ("set", "size", "suits", "ranks"))
_LONG_LIST = 80  # combinations, from which on each is weighed by itself, not by what could be laid beside it: that takes too long
_HALF = 0.5  # to round by
_EVEN = 1.0  # what a point left in hand costs when the deal ends


# ------------------------------------------------------------------------------------------------------------------- choices


@compiled
def careful(observation, mask, players):
    """Choose what weighs most by `WEIGHTS`."""
    return choose(observation, mask, players, WEIGHTS)


@compiled
def choose(observation, mask, players, weights):
    """As `careful`, by given weights, float64 of the shape of `WEIGHTS`."""
    hand = read_hand(observation)
    if mask[DRAW] or mask[PASS]:
        return choose_turn(observation, mask, hand, players, weights)
    if observation[_ADD] > 0:
        return choose_addition(mask)
    action = choose_new(observation, mask, hand, 0)
    if action != NO_ACTION:
        return action
    if mask[DISCARD:].any():
        action = find_whist(observation, mask, hand)
        if action != NO_ACTION:
            return action
        if keeps_jokers(observation, hand, players, weights):
            return find_discard(observation, mask, hand, players, weights)
    for jokers in range(1, hand[JOKER] + 1):
        action = choose_new(observation, mask, hand, jokers)
        if action != NO_ACTION:
            return action
    for first, end in ((CLOSE, DISCARD), (PUT, MELD)):
        action = find_first(mask, first, end)
        if action != NO_ACTION:
            return action
    action = find_meld(observation, mask)
    return action if action != NO_ACTION else find_discard(observation, mask, hand, players, weights)


@compiled
def choose_turn(observation, mask, hand, players, weights):
    """Swap a joker; else draw, or take the bank from the card on that leaves the best hand to lay out from."""
    swap = find_first(mask, MELD, SWAP)
    if swap != NO_ACTION:
        return swap
    best = DRAW if mask[DRAW] else PASS
    if find_first(mask, TAKE, PUT) == NO_ACTION:
        return best
    cost, most = find_cost(observation, players, weights), -np.inf
    if mask[PASS]:
        cost, most = _EVEN, weigh_passing(hand, weights)
    elif has_opened(observation, 0):
        most = weigh_hand(hand, observation, cost, weights) + weights[DRAW_GAIN]
    bank, size = read_bank(observation)
    for copy in range(MAX_DECK):
        if mask[TAKE + copy]:
            after = hand.copy()
            for depth in range(find_depth(observation, copy) + 1):
                after[bank[size - 1 - depth]] += 1
            weight = weigh_hand(after, observation, cost, weights)
            if weight > most:
                best, most = TAKE + copy, weight
    return best


@compiled
def weigh_passing(hand, weights):
    """What a hand counts if the deal ends, in the scale of `weigh_hand`."""
    total = weights[JOKER_KEEP] * hand[JOKER]
    for card in range(NUM_KINDS):
        total -= hand[card] * points_of(card)
    return total


@compiled
def keeps_jokers(observation, hand, players, weights):
    """Whether a joker is of more use in hand, towards the next card of the bank, than laid out."""
    if not has_opened(observation, 0):
        return False
    return hand.sum() > weights[HOLD] and find_nearest(observation, players) > weights[HOLD_NEAR]


@compiled
def find_whist(observation, mask, hand):
    """A combination on the table that takes a natural card from hand; NO_ACTION if there is none."""
    for number in range(MAX_MELDS):
        if mask[MELD + number]:
            for card in range(NUM_KINDS):
                if hand[card] > 0 and fits_onto(observation, number, card):
                    return MELD + number
    return NO_ACTION


@compiled
def choose_addition(mask):
    """Put the dearest natural card; else swap a joker; else close. A joker is put only where there is nothing else to do."""
    best, most = NO_ACTION, 0
    for card in range(NUM_KINDS):
        if mask[PUT + card] and points_of(card) > most:
            best, most = PUT + card, points_of(card)
    if best != NO_ACTION:
        return best
    action = find_first(mask, SWAP, DISCARD)
    return action if action != NO_ACTION else find_joker_put(mask)


@compiled
def find_discard(observation, mask, hand, players, weights):
    """The discard that costs least."""
    sight = read_sight(observation, players, hand, weights)
    best, least = NO_ACTION, np.inf
    for card in range(NUM_CARDS):
        if mask[DISCARD + card]:
            weight = weigh_keeping(card, hand, sight)
            if weight < least:
                best, least = DISCARD + card, weight
    return best


# ---------------------------------------------------------------------------------------------------------- new combinations


@compiled
def choose_new(observation, mask, hand, jokers):
    """The next step towards the best new combination with so many jokers at the most; NO_ACTION if there is none."""
    is_begun = observation[_BUILD] > 0
    if not is_begun and find_first(mask, PUT, MELD) == NO_ACTION:
        return NO_ACTION
    cards = hand - read_counts(observation, _ASIDE)
    begun = read_open(observation) if is_begun else np.int64(NO_MELD)
    size = count_cards(begun)
    if is_begun:
        add_counts(cards, begun, 1)
    must = read_named(observation) if observation[_THIRD] > 0 else NO_CARD
    held, twice = held_kinds(cards)
    found, count = lists.list_melds(held, min(jokers, int(cards[JOKER])), must, HONOURS, lists.new_list())
    others, number = found, count
    if must != NO_CARD:
        others, number = lists.list_melds(held, 0, NO_CARD, HONOURS, lists.new_list())
    best, most = NO_ACTION, -np.inf
    for index in range(count):
        if lists.begins_so(found[index, lists.MELD], begun, size):
            action = lists.next_step(found[index, lists.MELD], size)
            if mask[action]:
                weight = found[index, POINTS] - HIGH * found[index, JOKERS]
                if max(count, number) < _LONG_LIST:
                    kinds = found[index, KINDS]
                    weight += pack(others, number, held & ~(kinds & ~twice), twice & ~kinds, 0)[0]
                if weight > most:
                    best, most = action, weight
    return best


@compiled
def read_named(observation):
    """The card that a combination must hold still, or NO_CARD."""
    for card in range(NUM_CARDS):
        if observation[_NAMED + card] > 0:
            return card
    return NO_CARD


@compiled
def read_open(observation):
    """The half-built combination, as in `penzoo.envs.kunken.melds`."""
    number = 0
    while observation[_OPEN + number] == 0:
        number += 1
    at = number * MELD_WIDTH
    size = read_length(observation, at)
    suits, ranks, jokers = np.int64(0), np.int64(0), np.int64(0)
    for suit in range(NUM_SUITS):
        suits |= np.int64(observation[_SUITS + at + suit] > 0) << suit
    for rank in range(NUM_RANKS):
        ranks |= np.int64(observation[_RANKS + at + rank] > 0) << rank
        jokers |= np.int64(observation[_RANKS + at + rank] == JOKER_THERE) << rank
    if observation[_IS_SET + at] > 0:
        return set_of(lowest_bit(ranks), suits, size - count_bits(suits))
    first = 0
    while span(first, size) != ranks:
        first += 1
    return run_of(lowest_bit(suits), first, ranks & ~jokers, jokers)


@compiled
def read_length(observation, at):
    """How many cards the combination has whose pieces stand so far behind those of the first."""
    return int(observation[_SIZE + at] * LONGEST_RUN + _HALF)
