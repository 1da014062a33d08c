"""Opening (RULES.md, "Turn"): whether combinations of so many points can be laid from a hand, and by which steps.

Only players who have laid out nothing are asked this, with fourteen usable cards at the most. All good combinations are listed, each with
the kinds that it takes, its jokers and its points; packing them is a search over the lowest natural card: it goes into one of the
combinations of which it is the lowest, or is left, and what is left may not be worth more than what can be spared.
"""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken import melds
from penzoo.envs.kunken.actions import CLOSE, PUT, PUT_JOKER
from penzoo.envs.kunken.melds import (
    as_set,
    count_bits,
    count_cards,
    count_jokers,
    first_rank,
    is_set,
    joker_bits,
    joker_name,
    kinds_points,
    lowest_bit,
    meld_points,
    natural_bits,
    natural_kinds,
    rank_bits,
    run_of,
    set_of,
    span,
    suit_bits,
    suit_of,
)
from penzoo.envs.kunken.state import HAND_SIZE, HIGH, JOKER, LONGEST_RUN, LONGEST_SET, NUM_KINDS, NUM_RANKS, NUM_SUITS, SHORTEST

# the columns of a list of combinations
MELD, KINDS, JOKERS, SIZE, POINTS, NEXT = range(6)
COLUMNS = 6
_LISTED = 128  # room for so many at first; more than hands with at most one joker usually have

# the columns of the stack of the search
_HELD, _TWICE, _LEFT, _NEEDED, _ROOM, _POTENTIAL, _INDEX = range(7)
WIDTH = 7
DEPTH = 2 + (HAND_SIZE + 1) // SHORTEST


# --------------------------------------------------------------------------------------------------------------------- lists


@compiled
def list_melds(kinds, jokers, must, high):
    """All good combinations from cards of these kinds and so many jokers.

    Args:
        kinds: natural cards, one of each kind.
        jokers: how many.
        must: the card that must be in each, or NO_CARD.
        high: the kinds that count ten.

    Returns:
        int64 of shape (at least their number, COLUMNS), and their number. A run of thirteen stands there once for each beginning.
    """
    found = np.empty((_LISTED, COLUMNS), np.int64)
    count = _fill(kinds, jokers, must, high, found)
    if count > _LISTED:
        found = np.empty((count, COLUMNS), np.int64)
        _fill(kinds, jokers, must, high, found)
    return found, count


@compiled
def _fill(kinds, jokers, must, high, found):
    """Write as many as there is room for; returns how many there are."""
    count = 0
    for suit in range(NUM_SUITS):
        if must < 0 or must == JOKER or must // NUM_RANKS == suit:
            count = _fill_runs(suit_bits(kinds, suit), suit, jokers, must, high, found, count)
    for rank in range(NUM_RANKS):
        if must < 0 or must == JOKER or must % NUM_RANKS == rank:
            suits = rank_bits(kinds, rank)
            if suits & (suits - 1):
                count = _fill_sets(suits, rank, jokers, must, high, found, count)
    return count


@compiled
def _write(meld, must, high, found, count):
    if must != NO_CARD and not melds.holds(meld, must):
        return count
    if count < len(found):
        found[count, MELD] = meld
        found[count, KINDS] = natural_kinds(meld)
        found[count, JOKERS] = count_jokers(meld)
        found[count, SIZE] = count_cards(meld)
        found[count, POINTS] = meld_points(meld, high)
    return count + 1


@compiled
def _fill_sets(suits, rank, jokers, must, high, found, count):
    chosen = suits
    while chosen:  # over all choices of the suits
        naturals = count_bits(chosen)
        for filled in range(min(jokers, naturals, LONGEST_SET - naturals) + 1):
            if naturals + filled >= SHORTEST:
                count = _write(set_of(rank, chosen, filled), must, high, found, count)
        chosen = (chosen - 1) & suits
    return count


@compiled
def _fill_runs(ranks, suit, jokers, must, high, found, count):
    if not ranks & (ranks - 1):
        return count
    for first in range(NUM_RANKS):
        naturals, rank = 0, first
        for size in range(1, LONGEST_RUN + 1):
            naturals += (ranks >> rank) & 1
            rank = rank + 1 if rank + 1 < NUM_RANKS else 0
            missing = size - naturals
            if missing > jokers:
                break
            if size >= SHORTEST and 2 * missing <= size:
                places = span(first, size)
                count = _fill_places(places, places & ranks, suit, first, jokers, must, high, found, count)
    return count


@compiled
def _fill_places(places, held, suit, first, jokers, must, high, found, count):
    """The runs at these places: with every held card, and with jokers for some of them, as a card may be wanted elsewhere."""
    missing, half = count_bits(places & ~held), count_bits(places) // 2
    count = _write(run_of(suit, first, held, places & ~held), must, high, found, count)
    at = np.empty(LONGEST_RUN, np.int64)
    size = 0
    for rank in range(NUM_RANKS):
        if (held >> rank) & 1:
            at[size] = rank
            size += 1
    chosen = np.empty(LONGEST_RUN, np.int64)
    for more in range(1, min(jokers, half) - missing + 1):
        for k in range(more):
            chosen[k] = k
        while True:  # over all choices of so many of the held cards
            replaced = 0
            for k in range(more):
                replaced |= 1 << at[chosen[k]]
            count = _write(run_of(suit, first, held & ~replaced, (places & ~held) | replaced), must, high, found, count)
            k = more - 1
            while k >= 0 and chosen[k] == size - more + k:
                k -= 1
            if k < 0:
                break
            chosen[k] += 1
            for later in range(k + 1, more):
                chosen[later] = chosen[later - 1] + 1
    return count


@compiled
def link(found, count, start):
    """Chain the combinations with the same lowest natural card: `start` (int64 of shape (52,)) gets the first of each, NEXT the others."""
    start[:] = -1
    for index in range(count):
        lowest = lowest_bit(found[index, KINDS])
        found[index, NEXT] = start[lowest]
        start[lowest] = index


# ------------------------------------------------------------------------------------------------------------------- packing


@compiled
def can_pack(found, start, held, twice, jokers, needed, room, high, stack):
    """Whether combinations of a list can be laid that bring the points needed.

    Args:
        found, start: the list, linked.
        held, twice: the kinds of natural cards of which there are one or two, and those of which there are two; none but those that are
            in some combination of the list.
        jokers: how many.
        needed: points.
        room: how many cards may be laid at the most.
        high: the kinds that count ten.
        stack: int64 of shape (DEPTH, WIDTH), to work in.
    """
    if needed <= 0:
        return True
    depth = 0
    stack[0, _HELD], stack[0, _TWICE], stack[0, _LEFT], stack[0, _NEEDED] = held, twice, jokers, needed
    stack[0, _ROOM], stack[0, _INDEX] = room, _first_index(start, held)
    stack[0, _POTENTIAL] = kinds_points(held, high) + kinds_points(twice, high) + HIGH * jokers
    while depth >= 0:
        held, twice, needed = stack[depth, _HELD], stack[depth, _TWICE], stack[depth, _NEEDED]
        if held == 0 or stack[depth, _POTENTIAL] < needed or stack[depth, _ROOM] < SHORTEST:
            depth -= 1
            continue
        index = stack[depth, _INDEX]
        while index >= 0 and not is_available(found, index, held, stack[depth, _LEFT], stack[depth, _ROOM]):
            index = found[index, NEXT]
        if index < 0:  # the lowest card is left
            lowest = held & -held
            stack[depth, _POTENTIAL] -= kinds_points(lowest, high) + kinds_points(lowest & twice, high)
            stack[depth, _HELD], stack[depth, _TWICE] = held & ~lowest, twice & ~lowest
            stack[depth, _INDEX] = _first_index(start, held & ~lowest)
            continue
        if found[index, POINTS] >= needed:
            return True
        stack[depth, _INDEX] = found[index, NEXT]
        kinds = found[index, KINDS]
        left = held & ~(kinds & ~twice)
        # where the lowest card is there once more, go on in the list, so that no two combinations are tried in both orders
        stack[depth + 1, _INDEX] = index if left & -left == held & -held else _first_index(start, left)
        stack[depth + 1, _HELD], stack[depth + 1, _TWICE] = left, twice & ~kinds
        stack[depth + 1, _LEFT] = stack[depth, _LEFT] - found[index, JOKERS]
        stack[depth + 1, _NEEDED] = needed - found[index, POINTS]
        stack[depth + 1, _ROOM] = stack[depth, _ROOM] - found[index, SIZE]
        stack[depth + 1, _POTENTIAL] = stack[depth, _POTENTIAL] - kinds_points(kinds, high) - HIGH * found[index, JOKERS]
        depth += 1
    return False


@compiled
def _first_index(start, held):
    return start[lowest_bit(held)] if held else -1


@compiled
def is_available(found, index, held, jokers, room):
    """Whether the cards of a combination of the list are there, and may be laid."""
    return found[index, KINDS] & ~held == 0 and found[index, JOKERS] <= jokers and found[index, SIZE] <= room


@compiled
def held_kinds(hand):
    """The kinds of which there are one or two, and those of which there are two."""
    held, twice = 0, 0
    for card in range(NUM_KINDS):
        held |= np.int64(hand[card] > 0) << card
        twice |= np.int64(hand[card] > 1) << card
    return held, twice


# -------------------------------------------------------------------------------------------------------------------- taking


@compiled
def can_open_with(card, found, count, start, useful, held, twice, jokers, needed, room, high, stack):
    """Whether a hand can open with a card more, in a combination with that card.

    Args:
        card: the one more.
        found, count, start: all combinations of the hand, linked.
        useful: the kinds that are in any of them.
        held, twice, jokers: the hand, `held_kinds` and the number of its jokers.
        needed, room, high, stack: as for `can_pack`.
    """
    more = 1 if card == JOKER else 0
    bit = 0 if card == JOKER else 1 << card
    with_card, with_count = list_melds(held | bit, jokers + more, card, high)
    for index in range(with_count):
        points, size = with_card[index, POINTS], with_card[index, SIZE]
        if size <= room:
            kinds = with_card[index, KINDS] & ~bit
            left, left_twice = held & ~(kinds & ~twice) & useful, twice & ~kinds & useful
            left_jokers = jokers + more - with_card[index, JOKERS]
            if can_pack(found, start, left, left_twice, left_jokers, needed - points, room - size, high, stack):
                return True
    return False


@compiled
def useful_kinds(found, count):
    """The kinds that are in any combination of a list."""
    useful = 0
    for index in range(count):
        useful |= found[index, KINDS]
    return useful


# --------------------------------------------------------------------------------------------------------------------- steps


@compiled
def mark_steps(begun, hand, needed, room, named, high, mask):
    """Set in `mask` by which steps one who must open may go on.

    Args:
        begun: the half-built combination, or NO_MELD.
        hand: int8 of shape (53,), the cards that may be used, those of `begun` not among them.
        needed: points, those of `begun` included.
        room: how many cards may be put still.
        named: the card that must be in a combination, that which is half-built or a later one, or NO_CARD.
        high: the kinds that count ten.
        mask: of all actions.
    """
    size = count_cards(begun)
    cards = hand.copy()
    melds.add_counts(cards, begun, 1)
    held, twice = held_kinds(cards)
    jokers, room = int(cards[JOKER]), room + size
    found, count = list_melds(held, jokers, NO_CARD, high)
    start, stack = np.empty(NUM_KINDS, np.int64), np.empty((DEPTH, WIDTH), np.int64)
    link(found, count, start)
    useful = useful_kinds(found, count)
    held, twice = held & useful, twice & useful
    for index in range(count):
        if found[index, SIZE] <= room and _begins_so(found[index, MELD], begun, size):
            action = _step(found[index, MELD], size)
            if not mask[action] and _can_open_by(found, count, start, index, held, twice, jokers, needed, room, named, high, stack):
                mask[action] = 1


@compiled
def _can_open_by(found, count, start, index, held, twice, jokers, needed, room, named, high, stack):
    """Whether one can open with this combination of the list among others."""
    kinds = found[index, KINDS]
    held, twice, jokers = held & ~(kinds & ~twice), twice & ~kinds, jokers - found[index, JOKERS]
    needed, room = needed - found[index, POINTS], room - found[index, SIZE]
    if named == NO_CARD or melds.holds(found[index, MELD], named):
        return can_pack(found, start, held, twice, jokers, needed, room, high, stack)
    for other in range(count):
        if is_available(found, other, held, jokers, room) and melds.holds(found[other, MELD], named):
            kinds = found[other, KINDS]
            left, left_twice, left_jokers = held & ~(kinds & ~twice), twice & ~kinds, jokers - found[other, JOKERS]
            left_needed, left_room = needed - found[other, POINTS], room - found[other, SIZE]
            if can_pack(found, start, left, left_twice, left_jokers, left_needed, left_room, high, stack):
                return True
    return False


@compiled
def _begins_so(meld, begun, size):
    """Whether a combination begins, in the order of building, with what is half-built, of so many cards."""
    if size == 0:
        return True
    if not is_set(meld):
        if is_set(begun) or suit_of(meld) != suit_of(begun) or first_rank(meld) != first_rank(begun) or count_cards(meld) < size:
            return False
        return natural_bits(meld) & span(first_rank(begun), size) == natural_bits(begun)
    if not is_set(begun) and (size > 1 or joker_bits(begun)):
        return False
    begun, suits = as_set(begun), natural_bits(meld)
    if first_rank(begun) != first_rank(meld):
        return False
    if joker_bits(begun) > 0:
        return natural_bits(begun) == suits and joker_bits(meld) >= joker_bits(begun)
    earlier = natural_bits(begun)
    return suits & earlier == earlier and (suits & ~earlier) & -(suits & ~earlier) > earlier if suits != earlier else True


@compiled
def _step(meld, size):
    """The action that goes on towards a combination of which so many cards have been put."""
    if size == count_cards(meld):
        return CLOSE
    rank = first_rank(meld)
    if not is_set(meld):
        place = (rank + size) % NUM_RANKS
        card = NUM_RANKS * suit_of(meld) + place
        return PUT + card if (natural_bits(meld) >> place) & 1 else PUT_JOKER + card
    suits = natural_bits(meld)
    if size >= count_bits(suits):
        return PUT_JOKER + joker_name(suits, rank)
    for _ in range(size):
        suits &= suits - 1
    return PUT + NUM_RANKS * lowest_bit(suits) + rank
