"""How an arrangement is built step by step, so that no step leads where it cannot be finished (RULES.md, "Actions").

There is one search, `can_complete`: it lists what the open meld can become, takes each in turn, lets the lowest loose card open the next
meld, and so on. With eleven cards there are three melds at most, and few ways for each. (It is a loop and no recursion: what calls itself,
numba cannot load from its disk cache.)
"""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.melds import (
    MAX_FOUND,
    add,
    add_counts,
    can_begin,
    count_suit,
    fits,
    holds,
    is_good,
    is_of_one_rank,
    is_within,
    list_melds,
    lowest_card,
    mark_live,
    may_join,
    single,
    split,
)
from penzoo.envs.pengingan.state import MAX_MELDS, MELD_SIZE, NO_MELD, NUM_CARDS, NUM_RANKS, Building, HandCards

# ---------------------------------------------------------------------------------------------------------------- the search


@compiled
def can_complete(meld, last_put, closed, num_closed, loose, hand, table, used, any_meld, former, num_former):
    """Whether a rearrangement can be finished: tries, one after the other, all melds that the open one and those after it can become.

    `meld` is the open one, and `last_put` the card that was put there last, or NO_CARD. `closed`, int32 of shape (3,), holds the
    `num_closed` melds that are closed; what stands behind them is written over, and so are `loose` and `hand`, int8 of shape (40,): what
    there is to be put. `table` counts the table cards as they lay before, in the melds `former`; `used` is the card used, and `any_meld`
    says whether cards from hand may go into any meld.
    """
    found = np.empty((MAX_MELDS, MAX_FOUND), np.int32)
    left = np.empty(MAX_MELDS, np.int64)  # by meld: how many of those found are to be tried yet
    opened = np.empty(MAX_MELDS, np.int64)  # by meld: how it began
    parts = np.empty((MAX_MELDS, 2), np.int64)  # by meld: what it took of the loose cards and of the hand
    level = num_closed
    opened[level] = meld
    left[level] = list_melds(meld, last_put, loose, hand, found[level])
    while True:
        while left[level] == 0:  # back to the meld before, and to what else it can become
            if level == num_closed:
                return False
            add_counts(loose, opened[level], 1)
            level -= 1
            _give(loose, hand, parts[level], 1)
        left[level] -= 1
        closed[level] = found[level, left[level]]
        if not any_meld and not holds(closed[level], used) and not _is_covered(closed[level], table):
            continue
        parts[level] = split(closed[level], opened[level], loose)
        _give(loose, hand, parts[level], -1)
        opener = lowest_card(loose)
        if opener == NO_CARD and is_rearranged(closed, level + 1, table, used, any_meld, former, num_former):
            return True
        if opener == NO_CARD or level + 1 == MAX_MELDS:
            _give(loose, hand, parts[level], 1)
            continue
        level += 1
        opened[level] = single(opener)
        loose[opener] -= 1
        left[level] = list_melds(opened[level], NO_CARD, loose, hand, found[level])


@compiled
def _give(loose, hand, parts, times):
    """Give the cards that a meld took back to the loose cards and to the hand; -1 times takes them."""
    add_counts(loose, parts[0], times)
    add_counts(hand, parts[1], times)


@compiled
def _is_covered(meld, table):
    """Whether a meld can be made of the former table cards alone."""
    for card in range(NUM_CARDS):
        if holds(meld, card) and (count_suit(meld, card // NUM_RANKS) if is_of_one_rank(meld) else 1) > table[card]:
            return False
    return True


@compiled
def is_rearranged(melds, num_melds, table, used, any_meld, former, num_former):
    """Whether melds made of all former table cards, the card used and cards from hand are a rearrangement (S, D, O)."""
    return (any_meld or _is_hand_in_one(melds, num_melds, table, used)) and _is_divided_otherwise(former, num_former, melds, num_melds)


@compiled
def _is_hand_in_one(melds, num_melds, table, used):
    """Whether all cards from hand can lie in the meld that holds the card used: the table's are enough for the others."""
    others = np.empty(NUM_CARDS, np.int8)
    for number in range(num_melds):
        if holds(melds[number], used):
            others[:] = 0
            for other in range(num_melds):
                if other != number:
                    add_counts(others, melds[other], 1)
            if (others <= table).all():
                return True
    return False


@compiled
def _is_divided_otherwise(former, num_former, melds, num_melds):
    """Whether the former melds cannot each be found whole in a meld of its own (D).

    They can if any of them, taken together, have as many melds to be found in (the marriage theorem of Hall, 1935).
    """
    for chosen in range(1, 1 << num_former):
        places, wanted = 0, 0
        for index in range(num_former):
            if chosen >> index & 1:
                wanted += 1
                for place in range(num_melds):
                    if is_within(former[index], melds[place]):
                        places |= 1 << place
        if (places & 1) + (places >> 1 & 1) + (places >> 2 & 1) < wanted:
            return True
    return False


# ------------------------------------------------------------------------------------------------------------------ what may


@compiled
def can_rearrange(state, seat, card):
    """Whether a player can use a card to rearrange (S): every table card then lies in a good meld, and not all as before."""
    size, any_meld = state["table_size"][seat], state["hand_cards"] == HandCards.ANY_MELD
    # a second meld takes three of the table's cards, or one where the hand may fill it up, and there must be some left to divide
    if size < (MELD_SIZE if any_meld else MELD_SIZE + 1):
        return False
    former, num_former, hand = state["meld"][seat].copy(), int(state["num_melds"][seat]), state["hand"][seat].copy()
    table = _table_of(former)
    if not can_begin(card, table + hand):
        return False
    loose, closed = table.copy(), np.empty(MAX_MELDS, np.int32)
    loose[card] += 1
    opener = lowest_card(loose)
    loose[opener] -= 1
    return can_complete(single(opener), NO_CARD, closed, 0, loose, hand, table, card, any_meld, former, num_former)


@compiled
def can_put(state, card):
    """Whether the builder may put a card onto the open meld: it is in ascending order, and the arrangement can then be finished."""
    seat = state["turn"]
    meld, loose, hand = int(state["meld"][seat, state["open_meld"]]), state["loose"].copy(), state["hand"][seat].copy()
    if card < state["last_put"] or loose[card] + hand[card] == 0 or not fits(meld, card):
        return False
    if loose[card] > 0:
        loose[card] -= 1
    else:
        hand[card] -= 1
    if state["building"] == Building.REARRANGE:
        return _can_rearrange_from(state, add(meld, card), card, int(state["num_melds"][seat]), loose, hand)
    if state["building"] == Building.EXTEND and not may_join(state["former"][state["open_meld"]], card):
        return False
    return list_melds(add(meld, card), card, loose, hand, np.empty(MAX_FOUND, np.int32)) > 0


@compiled
def can_close(state):
    """Whether the open meld may be closed: it is good, and the arrangement can then be finished."""
    seat = state["turn"]
    if not is_good(state["meld"][seat, state["open_meld"]]):
        return False
    if state["building"] != Building.REARRANGE:
        return True
    loose, num_closed, former = state["loose"].copy(), int(state["num_melds"][seat]) + 1, state["former"].copy()
    opener = lowest_card(loose)
    if opener == NO_CARD:
        any_meld, used, num_former = state["hand_cards"] == HandCards.ANY_MELD, int(state["card"]), int(state["num_former"])
        return is_rearranged(state["meld"][seat], num_closed, _table_of(former), used, any_meld, former, num_former)
    if num_closed == MAX_MELDS:
        return False
    loose[opener] -= 1
    return _can_rearrange_from(state, single(opener), NO_CARD, num_closed, loose, state["hand"][seat].copy())


@compiled
def _can_rearrange_from(state, meld, last_put, num_closed, loose, hand):
    any_meld, used, closed = state["hand_cards"] == HandCards.ANY_MELD, int(state["card"]), state["meld"][state["turn"]].copy()
    former, num_former = state["former"].copy(), int(state["num_former"])
    return can_complete(meld, last_put, closed, num_closed, loose, hand, _table_of(former), used, any_meld, former, num_former)


@compiled
def _table_of(melds):
    """How many cards of each kind lie in melds, int8 of shape (40,)."""
    table = np.zeros(NUM_CARDS, np.int8)
    for number in range(len(melds)):
        add_counts(table, melds[number], 1)
    return table


# --------------------------------------------------------------------------------------------------------------------- steps


@compiled
def clear(state):
    """Nothing is being built."""
    state["building"] = Building.NONE
    state["open_meld"] = 0
    state["last_put"] = NO_CARD
    state["loose"][:] = 0
    state["former"][:] = NO_MELD
    state["num_former"] = 0


@compiled
def begin(state, building, number):
    """Lay the card used: alone as a new meld, onto meld `number`, or among all own melds, taken apart."""
    seat, card = state["turn"], state["card"]
    state["building"] = building
    state["last_put"] = NO_CARD
    state["former"][:] = state["meld"][seat]
    state["num_former"] = state["num_melds"][seat]
    state["table_size"][seat] += 1
    if building == Building.REARRANGE:
        state["loose"][:] = _table_of(state["former"])
        state["loose"][card] += 1
        state["meld"][seat, :] = NO_MELD
        state["num_melds"][seat] = 0
        _open_next(state)
        return
    state["open_meld"] = number if building == Building.EXTEND else state["num_melds"][seat]
    state["meld"][seat, state["open_meld"]] = add(state["meld"][seat, state["open_meld"]], card)


@compiled
def _open_next(state):
    """The lowest loose card opens the next meld."""
    seat, card = state["turn"], lowest_card(state["loose"])
    state["loose"][card] -= 1
    state["open_meld"] = state["num_melds"][seat]
    state["meld"][seat, state["open_meld"]] = single(card)
    state["last_put"] = NO_CARD


@compiled
def put(state, card):
    """Put a loose card, else one from hand, onto the open meld."""
    seat = state["turn"]
    if state["loose"][card] > 0:
        state["loose"][card] -= 1
    else:
        take_from_hand(state, seat, card)
        state["table_size"][seat] += 1
    state["meld"][seat, state["open_meld"]] = add(state["meld"][seat, state["open_meld"]], card)
    state["last_put"] = card


@compiled
def take_from_hand(state, seat, card):
    """A card leaves a hand; of a kind that has been shown, it may be the one shown."""
    state["hand"][seat, card] -= 1
    state["hand_size"][seat] -= 1
    state["known"][seat, card] = max(0, state["known"][seat, card] - 1)


@compiled
def close(state):
    """Close the open meld; returns whether the arrangement is finished."""
    seat = state["turn"]
    if state["building"] != Building.EXTEND:
        state["num_melds"][seat] += 1
    if lowest_card(state["loose"]) != NO_CARD:
        _open_next(state)
        return False
    state["live"][seat, :] = 0
    for number in range(state["num_melds"][seat]):
        mark_live(state["meld"][seat, number], state["live"][seat])
    return True
