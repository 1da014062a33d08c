"""How an arrangement is built step by step, so that no step leads where it cannot be finished (RULES.md, "Actions").

There is one search, `can_finish`: it lists what the open meld can become, takes each in turn, lets the lowest loose card open the next
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
    count_suits,
    holds,
    is_bound,
    is_within,
    list_melds,
    lowest_card,
    lowest_of,
    mark_live,
    ranks_of,
    single,
    split,
    value,
    without,
)
from penzoo.envs.pengingan.state import (
    LIVE,
    MAX_MELDS,
    MELD_SIZE,
    MELD_WIDTH,
    NO_MELD,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    Building,
    HandCards,
)

# ---------------------------------------------------------------------------------------------------------------- the search


@compiled
def can_finish(closed, num_closed, loose, hand, table, used, any_meld, former, num_former):
    """Whether a rearrangement can be finished: tries, one after the other, all melds that the loose cards can make in turn.

    `closed`, int32 of shape (3,), holds the `num_closed` melds that are closed; behind them are written those of the first way to finish,
    if there is one (what stands behind these means nothing). `loose` and `hand`, int8 of shape (40,), are what there is to be put; at the
    end they are as they were. `table` counts the table cards as they lay before, in the melds `former`; `used` is the card used, and
    `any_meld` says whether cards from hand may go into any meld.
    """
    opener = lowest_card(loose, 0)
    if opener == NO_CARD:
        return is_rearranged(closed, num_closed, table, used, any_meld, former, num_former)
    if num_closed == MAX_MELDS:
        return False
    found = np.empty((MAX_MELDS, MAX_FOUND), np.int32)
    # by meld: how many of those found are to be tried yet, which card opened it, and what it took of the loose cards and of the hand
    left, opened, from_loose, from_hand = np.empty((4, MAX_MELDS), np.int64)
    level, is_done = num_closed, False
    opened[level], left[level] = opener, _open(opener, loose, hand, found[level])
    while True:
        while left[level] == 0 or is_done:  # back to the meld before, and to what else it can become
            loose[opened[level]] += 1
            if level == num_closed:
                return is_done
            level -= 1
            _give(loose, hand, from_loose[level], from_hand[level], 1)
        left[level] -= 1
        meld = found[level, left[level]]
        if not any_meld and not holds(meld, used) and not _is_covered(meld, table):
            continue
        closed[level] = meld
        from_loose[level], from_hand[level] = split(meld, single(opened[level]), loose)
        _give(loose, hand, from_loose[level], from_hand[level], -1)
        opener = lowest_card(loose, opened[level])
        if opener != NO_CARD and level + 1 < MAX_MELDS:
            level += 1
            opened[level], left[level] = opener, _open(opener, loose, hand, found[level])
            continue
        is_done = opener == NO_CARD and is_rearranged(closed, level + 1, table, used, any_meld, former, num_former)
        _give(loose, hand, from_loose[level], from_hand[level], 1)


@compiled
def _open(card, loose, hand, found):
    """Take the loose card that opens a meld, and list what this can become; returns the number of melds."""
    loose[card] -= 1
    if not can_begin(card, loose, hand, 1):  # most can become nothing, and this look is cheaper
        return 0
    return list_melds(single(card), NO_CARD, loose, hand, found)


@compiled
def _give(loose, hand, from_loose, from_hand, times):
    """Give the cards that a meld took back to the loose cards and to the hand; -1 times takes them."""
    add_counts(loose, from_loose, times)
    add_counts(hand, from_hand, times)


@compiled
def _is_covered(meld, table):
    """Whether a meld can be made of the former table cards alone."""
    return split(meld, NO_MELD, table)[1] == NO_MELD


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
    if size < (MELD_SIZE if any_meld else MELD_SIZE + 1) or not can_begin(card, state["hand"][seat], state["table"][seat], 1):
        return False
    loose, closed = state["table"][seat].copy(), np.empty(MAX_MELDS, np.int32)
    loose[card] += 1
    former, num_former = state["meld"][seat].copy(), int(state["num_melds"][seat])
    return can_finish(closed, 0, loose, state["hand"][seat].copy(), state["table"][seat].copy(), card, any_meld, former, num_former)


@compiled
def mark_steps(state, puts):
    """Set `puts`, int8 of shape (40,), to 1 for the cards that may be put onto the open meld; returns whether it may be closed.

    Cards are put in ascending order, so of each good meld that the open one can become the lowest missing card is the next step.
    """
    seat, number, found = state["turn"], state["open_meld"], np.empty(MAX_FOUND, np.int32)
    meld = int(state["meld"][seat, number])
    count = list_melds(meld, int(state["last_put"]), state["loose"], state["hand"][seat], found)
    if state["building"] == Building.REARRANGE:
        return _mark_rearranging(state, puts, meld, found[:count])
    one_suit = state["building"] == Building.EXTEND and is_bound(state["former"][number])
    may_close = False
    for index in range(count):
        if not one_suit or count_suits(found[index]) == 1:
            card = lowest_of(without(found[index], meld))
            if card == NO_CARD:
                may_close = True
            else:
                puts[card] = 1
    return may_close


@compiled
def _mark_rearranging(state, puts, meld, found):
    """As `mark_steps`; of what has been found counts that after which the arrangement can be finished."""
    seat, used, any_meld = state["turn"], int(state["card"]), state["hand_cards"] == HandCards.ANY_MELD
    loose, hand, table = state["loose"].copy(), state["hand"][seat].copy(), state["table"][seat].copy()
    former, num_former = state["former"].copy(), int(state["num_former"])
    closed, num_closed = state["meld"][seat].copy(), int(state["num_melds"][seat])
    may_close = False
    for index in range(len(found)):
        card = lowest_of(without(found[index], meld))
        if may_close if card == NO_CARD else puts[card] != 0:
            continue
        from_loose, from_hand = split(found[index], meld, loose)
        _give(loose, hand, from_loose, from_hand, -1)
        closed[num_closed] = found[index]
        can = can_finish(closed, num_closed + 1, loose, hand, table, used, any_meld, former, num_former)
        _give(loose, hand, from_loose, from_hand, 1)
        if can and card == NO_CARD:
            may_close = True
        elif can:
            puts[card] = 1
    return may_close


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
        state["loose"][:] = state["table"][seat]
        state["loose"][card] += 1
        state["meld"][seat, :] = NO_MELD
        state["shown"][seat, :LIVE] = 0  # what is live is that of the melds before, until the arrangement is done
        state["num_melds"][seat] = 0
        _open_next(state)
        return
    state["open_meld"] = number if building == Building.EXTEND else state["num_melds"][seat]
    state["meld"][seat, state["open_meld"]] = add(state["meld"][seat, state["open_meld"]], card)
    _show_open(state)


@compiled
def _open_next(state):
    """The lowest loose card opens the next meld."""
    seat, card = state["turn"], lowest_card(state["loose"], 0)
    state["loose"][card] -= 1
    state["open_meld"] = state["num_melds"][seat]
    state["meld"][seat, state["open_meld"]] = single(card)
    state["last_put"] = NO_CARD
    _show_open(state)


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
    _show_open(state)


@compiled
def take_from_hand(state, seat, card):
    """A card leaves a hand; of a kind that has been shown, it may be the one shown."""
    state["hand"][seat, card] -= 1
    state["hand_size"][seat] -= 1
    if state["known"][seat, card] > 0:
        state["known"][seat, card] -= 1
        state["known_size"][seat] -= 1


@compiled
def close(state):
    """Close the open meld; returns whether the arrangement is finished."""
    seat = state["turn"]
    if state["building"] != Building.EXTEND:
        state["num_melds"][seat] += 1
    if lowest_card(state["loose"], 0) != NO_CARD:
        _show_meld(state, seat, state["open_meld"], value(state["meld"][seat, state["open_meld"]]))
        _open_next(state)
        return False
    note_table(state, seat)
    return True


@compiled
def note_table(state, seat):
    """Note what follows from a player's melds: which cards lie there, which are live, and what is shown of the melds."""
    state["table"][seat, :] = 0
    state["shown"][seat, :] = 0
    for number in range(state["num_melds"][seat]):
        meld = state["meld"][seat, number]
        add_counts(state["table"][seat], meld, 1)
        mark_live(meld, state["shown"][seat, LIVE:])
        _show_meld(state, seat, number, value(meld))


@compiled
def _show_meld(state, seat, number, chips):
    """Write a meld, and what it is worth, among what is shown."""
    meld = state["meld"][seat, number]
    shown = state["shown"][seat, number * MELD_WIDTH : (number + 1) * MELD_WIDTH]
    for rank in range(NUM_RANKS):
        shown[rank] = ranks_of(meld) >> rank & 1
    for suit in range(NUM_SUITS):
        shown[NUM_RANKS + suit] = count_suit(meld, suit)
    shown[NUM_RANKS + NUM_SUITS] = chips


@compiled
def _show_open(state):
    """An open meld is worth nothing yet."""
    _show_meld(state, state["turn"], state["open_meld"], 0)
