"""Melds: what is good, what it is worth, what can be added, and what an unfinished one can become (RULES.md, "Melds").

A meld is one int: a bit for each rank that it holds, and above them for each suit the number of its cards, in four bits. That says all:
a run has one suit and as many ranks as cards, a group has one rank. A single card may become either.
"""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.state import (
    ACE,
    KING,
    MELD_SIZE,
    NO_MELD,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    SPADES,
    VALLE_RANKS,
)

_RANK_BITS = (1 << NUM_RANKS) - 1
_COUNT_WIDTH = 4
_COUNT_BITS = (1 << _COUNT_WIDTH) - 1
_ENDS = 1 << ACE | 1 << KING
_VALLE = sum(1 << RANKS.index(rank) for rank in VALLE_RANKS)
_FEWEST_SUITS = 3  # of a group of comoquers that is not of one suit

_GROUP_VALUE, _VALLE_VALUE, _RUN_VALUE = 0, 1, 1  # with different suits; the run holds an ace or a king
_ONE_SUIT_VALUE, _VALLE_ONE_SUIT_VALUE = 1, 2
_IN_SPADES = 2  # times

# by the bits of the ranks
_LOWEST = np.array([min([rank for rank in range(NUM_RANKS) if bits >> rank & 1], default=NUM_RANKS) for bits in range(_RANK_BITS + 1)])
_HIGHEST = np.array([bits.bit_length() - 1 for bits in range(_RANK_BITS + 1)])
_COUNT = np.array([bits.bit_count() for bits in range(_RANK_BITS + 1)])

# Of what is left of a hand of ten and a table, one card can become at most so many melds: of a rank no more than 144 (4, 4, 3 and 3 ways
# to take cards of the four suits), of a suit no more than 27 (low and high ends around it).
MAX_FOUND = 256


# --------------------------------------------------------------------------------------------------------------------- parts


@compiled
def single(card):
    """A card alone, as the beginning of a meld."""
    return add(NO_MELD, card)


@compiled
def add(meld, card):
    """The meld with one card more."""
    return (int(meld) | 1 << int(card) % NUM_RANKS) + (1 << NUM_RANKS + _COUNT_WIDTH * (int(card) // NUM_RANKS))


@compiled
def ranks_of(meld):
    """The ranks that it holds, as bits."""
    return int(meld) & _RANK_BITS


@compiled
def count_suit(meld, suit):
    """How many of its cards are of a suit."""
    return int(meld) >> NUM_RANKS + _COUNT_WIDTH * int(suit) & _COUNT_BITS


@compiled
def count_cards(meld):
    """How many cards it has."""
    return count_suit(meld, 0) + count_suit(meld, 1) + count_suit(meld, 2) + count_suit(meld, 3)


@compiled
def count_suits(meld):
    """How many suits it has."""
    return (count_suit(meld, 0) > 0) + (count_suit(meld, 1) > 0) + (count_suit(meld, 2) > 0) + (count_suit(meld, 3) > 0)


@compiled
def suit_of(meld):
    """The lowest suit that it holds: the only one of a run."""
    for suit in range(NUM_SUITS):
        if count_suit(meld, suit) > 0:
            return suit
    return NUM_SUITS


@compiled
def lowest_rank(meld):
    """The lowest rank that it holds: the only one of a group."""
    return _LOWEST[ranks_of(meld)]


@compiled
def highest_rank(meld):
    """The highest rank that it holds."""
    return _HIGHEST[ranks_of(meld)]


@compiled
def is_of_one_rank(meld):
    """Whether it is a group, or one card, which may become one."""
    ranks = ranks_of(meld)
    return ranks & ranks - 1 == 0


@compiled
def is_part_of_run(meld):
    """Whether it is of one suit and no card is in it twice."""
    return count_suits(meld) == 1 and count_suit(meld, suit_of(meld)) == _COUNT[ranks_of(meld)]


@compiled
def without(meld, part):
    """The part of a meld that another part of it leaves."""
    ranks = ranks_of(meld) if is_of_one_rank(meld) else ranks_of(meld) & ~ranks_of(part)
    return ranks | (int(meld) >> NUM_RANKS) - (int(part) >> NUM_RANKS) << NUM_RANKS


@compiled
def lowest_of(part):
    """The lowest card of a part of a meld, or NO_CARD."""
    return NO_CARD if count_cards(part) == 0 else suit_of(part) * NUM_RANKS + lowest_rank(part)


@compiled
def holds(meld, card):
    """Whether a card of a kind is in a meld or in a part of one."""
    return ranks_of(meld) >> card % NUM_RANKS & 1 and count_suit(meld, card // NUM_RANKS) > 0


@compiled
def add_counts(counts, meld, times):
    """Add to `counts`, of shape (40,), how many cards of each kind there are, `times` over; of a meld, or of a part of one."""
    if meld == NO_MELD:
        return
    low = lowest_rank(meld)
    if is_of_one_rank(meld):
        for suit in range(NUM_SUITS):
            counts[suit * NUM_RANKS + low] += times * count_suit(meld, suit)
        return
    first, ranks = suit_of(meld) * NUM_RANKS, ranks_of(meld)
    for rank in range(low, highest_rank(meld) + 1):
        counts[first + rank] += times * (ranks >> rank & 1)


# --------------------------------------------------------------------------------------------------------------------- rules


@compiled
def is_comoquer(rank):
    """Whether a rank is neither ace nor king (S)."""
    return rank != ACE and rank != KING


@compiled
def is_good(meld):
    """Whether it is a run or a group of three or more (S, D)."""
    if count_cards(meld) < MELD_SIZE:
        return False
    if is_of_one_rank(meld):
        suits = count_suits(meld)
        return suits == 1 or suits >= _FEWEST_SUITS or not is_comoquer(lowest_rank(meld))
    ranks = ranks_of(meld)
    lowest = ranks & -ranks
    return is_part_of_run(meld) and ranks + lowest & ranks == 0  # adding its lowest bit leaves nothing of an unbroken row


@compiled
def value(meld):
    """What a good meld pays, in chips from each opponent; 0 if it is no condition (S)."""
    is_one_suit = count_suits(meld) == 1
    if is_of_one_rank(meld):
        is_valle = ranks_of(meld) & _VALLE != 0
        if is_one_suit:
            chips = _VALLE_ONE_SUIT_VALUE if is_valle else _ONE_SUIT_VALUE
        else:
            chips = _VALLE_VALUE if is_valle else _GROUP_VALUE
    else:
        chips = _RUN_VALUE if ranks_of(meld) & _ENDS else 0
    return chips * _IN_SPADES if is_one_suit and count_suit(meld, SPADES) > 0 else chips


@compiled
def is_bound(meld):
    """Whether it is a group of comoquers of one suit, which may be extended in that suit only (S, D)."""
    return is_of_one_rank(meld) and is_comoquer(lowest_rank(meld)) and count_suits(meld) == 1


@compiled
def fits(meld, card):
    """Whether a card shares what the cards of an unfinished meld share: their rank, or their suit and is not there yet."""
    if is_of_one_rank(meld) and lowest_rank(meld) == card % NUM_RANKS:
        return True
    return is_part_of_run(meld) and suit_of(meld) == card // NUM_RANKS and not ranks_of(meld) >> card % NUM_RANKS & 1


@compiled
def may_join(meld, card):
    """Whether a card that fits a good meld may extend it: not if the meld is bound to another suit."""
    return not is_bound(meld) or suit_of(meld) == card // NUM_RANKS


@compiled
def can_take(meld, card):
    """Whether a card alone may extend a good meld: it is then live for the owner (S)."""
    return fits(meld, card) and may_join(meld, card) and is_good(add(meld, card))


@compiled
def is_within(part, whole):
    """Whether a good meld can be found whole in another one: at least as many cards of each kind."""
    if is_of_one_rank(part) != is_of_one_rank(whole) or ranks_of(part) & ~ranks_of(whole):
        return False
    for suit in range(NUM_SUITS):
        if count_suit(part, suit) > count_suit(whole, suit):
            return False
    return True


@compiled
def mark_live(meld, live):
    """Set `live`, int8 of shape (40,), to 1 for the cards that may extend a good meld."""
    if is_of_one_rank(meld):
        only_one_suit = is_bound(meld)
        for suit in range(NUM_SUITS):
            if not only_one_suit or count_suit(meld, suit) > 0:
                live[suit * NUM_RANKS + lowest_rank(meld)] = 1
        return
    first = suit_of(meld) * NUM_RANKS
    low, high = lowest_rank(meld), highest_rank(meld)
    if low > 0:
        live[first + low - 1] = 1
    if high < NUM_RANKS - 1:
        live[first + high + 1] = 1


# ----------------------------------------------------------------------------------------------------------- with the hand


@compiled
def can_begin(card, hand, table, with_table):
    """Whether a card makes a new meld with two or more cards, and so with two: from `hand`, and with 1 for `with_table` from `table`, too.

    Both are counts of shape (40,).
    """
    rank, first = card % NUM_RANKS, card - card % NUM_RANKS
    in_row, length = 0, 0  # the longest row of neighbours of which the card is one
    for place in range(max(0, rank - 2), min(NUM_RANKS, rank + 3)):
        is_there = place == rank or hand[first + place] + with_table * table[first + place] > 0
        in_row = in_row + 1 if is_there else 0
        length = max(length, in_row)
    alike, suits, others = 0, 0, 0
    for suit in range(NUM_SUITS):
        count = hand[suit * NUM_RANKS + rank] + with_table * table[suit * NUM_RANKS + rank]
        others += count
        if suit * NUM_RANKS == first:
            alike = count
        elif count > 0:
            suits += 1
    is_group = others >= MELD_SIZE - 1 if not is_comoquer(rank) else (alike >= MELD_SIZE - 1 or suits >= _FEWEST_SUITS - 1)
    return length >= MELD_SIZE or is_group


@compiled
def can_extend(meld, card, hand):
    """Whether a card extends a good meld, alone or with cards from `hand`: only a run may need them, to close the gap."""
    if can_take(meld, card):
        return True
    if is_of_one_rank(meld) or not fits(meld, card):
        return False
    first, rank = card - card % NUM_RANKS, card % NUM_RANKS
    low, high = lowest_rank(meld), highest_rank(meld)
    gap = range(rank + 1, low) if rank < low else range(high + 1, rank)
    for between in gap:
        if hand[first + between] == 0:
            return False
    return True


# ------------------------------------------------------------------------------------------------------------ what can become


@compiled
def list_melds(meld, last_put, loose, hand, found):
    """List all good melds that an unfinished one can become by cards put in ascending order after `last_put`.

    The meld itself is listed, too, if it is good. `last_put` is a card, or NO_CARD: only this one and higher ones may follow. `loose` and
    `hand`, counts of shape (40,), are what there is to be put. `found`, int32 of shape (MAX_FOUND,), gets the melds; returns their number.
    """
    count = 0
    if is_part_of_run(meld):
        count = _list_runs(meld, last_put, loose, hand, found)
    if is_of_one_rank(meld):
        count = _list_groups(meld, last_put, loose, hand, found, count)
    return count


@compiled
def _list_runs(meld, last_put, loose, hand, found):
    first, low, high = suit_of(meld) * NUM_RANKS, lowest_rank(meld), highest_rank(meld)
    for rank in range(low + 1, high):
        if not ranks_of(meld) >> rank & 1:
            card = first + rank
            if card < last_put or loose[card] + hand[card] == 0:
                return 0
            meld = add(meld, card)
    count = 0
    bottom = low
    while True:  # the run reaches down to `bottom`, and from there to each height in turn
        run, top = meld, high
        while True:
            if top - bottom + 1 >= MELD_SIZE:
                found[count] = run
                count += 1
            top += 1
            card = first + top
            if top == NUM_RANKS or card < last_put or loose[card] + hand[card] == 0:
                break
            run = add(run, card)
        bottom -= 1
        card = first + bottom
        if bottom < 0 or card < last_put or loose[card] + hand[card] == 0:
            return count
        meld = add(meld, card)


@compiled
def _list_groups(meld, last_put, loose, hand, found, count):
    rank = lowest_rank(meld)
    for clubs in range(_left(rank, last_put, loose, hand) + 1):
        for diamonds in range(_left(NUM_RANKS + rank, last_put, loose, hand) + 1):
            for hearts in range(_left(2 * NUM_RANKS + rank, last_put, loose, hand) + 1):
                for spades in range(_left(3 * NUM_RANKS + rank, last_put, loose, hand) + 1):
                    more = clubs | diamonds << _COUNT_WIDTH | hearts << 2 * _COUNT_WIDTH | spades << 3 * _COUNT_WIDTH
                    group = int(meld) + (more << NUM_RANKS)
                    if is_good(group):
                        found[count] = group
                        count += 1
    return count


@compiled
def _left(card, last_put, loose, hand):
    """How many cards of a kind may yet be put."""
    return 0 if card < last_put else loose[card] + hand[card]


@compiled
def split(meld, open_meld, loose):
    """What has to be put to make the one out of the other: the part for which there are loose cards, and the part from hand."""
    missing, from_loose = without(meld, open_meld), NO_MELD
    if missing >> NUM_RANKS == 0:
        return NO_MELD, NO_MELD
    low = lowest_rank(missing)
    if is_of_one_rank(missing):
        for suit in range(NUM_SUITS):
            number = min(count_suit(missing, suit), int(loose[suit * NUM_RANKS + low]))
            from_loose += number << NUM_RANKS + _COUNT_WIDTH * suit
        if from_loose != NO_MELD:
            from_loose |= ranks_of(missing)
    else:
        first, ranks = suit_of(missing) * NUM_RANKS, ranks_of(missing)
        for rank in range(low, highest_rank(missing) + 1):
            if ranks >> rank & 1 and loose[first + rank] > 0:
                from_loose = add(from_loose, first + rank)
    from_hand = without(missing, from_loose)
    return from_loose, from_hand if from_hand >> NUM_RANKS else NO_MELD


@compiled
def lowest_card(counts, start):
    """The lowest kind from `start` on of which there is a card in `counts`, of shape (40,), or NO_CARD."""
    for card in range(start, NUM_CARDS):
        if counts[card] > 0:
            return card
    return NO_CARD
