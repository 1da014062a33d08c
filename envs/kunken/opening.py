"""Opening (RULES.md, "Turn"): whether combinations of so many points can be laid from a hand, and by which steps.

Only players who have laid out nothing are asked this, with fourteen usable cards at the most. All good combinations are listed, each with
the kinds that it takes, its jokers and its points; packing them is a search over the lowest natural card: it goes into one of the
combinations of which it is the lowest, or is left, and what is left may not be worth more than what can be spared.
"""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.actions import TAKE
from penzoo.envs.kunken.completing import NONE, plain_kinds, shortest_with
from penzoo.envs.kunken.lists import JOKERS, KINDS, MELD, NEXT, POINTS, SIZE, begins_so, list_begun, list_melds, new_list, next_step
from penzoo.envs.kunken.melds import card_points, count_cards, count_jokers, holds, kinds_points, lowest_bit, natural_kinds
from penzoo.envs.kunken.state import HAND_SIZE, HIGH, JOKER, MAX_JOKERS, NUM_KINDS, SHORTEST
from penzoo.envs.kunken.stock import copy_at

# what `link` tells of a list, by index: the kinds in combinations of so many jokers or fewer; then the most points for a joker
_BEST = MAX_JOKERS + 1

# the columns of the stack of the search
_HELD, _TWICE, _LEFT, _NEEDED, _ROOM, _ALL, _PLAIN, _INDEX = range(8)
_WIDTH = 8
_DEPTH = 2 + (HAND_SIZE + 1) // SHORTEST


@compiled
def link(found, count, start, told):
    """Chain the combinations with the same lowest natural card, and tell what bounds there are.

    `start` (int64 of shape (52,)) gets the first of each chain, NEXT in the list the others; `told` (int64 of shape (8,)) gets for each
    number of jokers the kinds in combinations with so many or fewer, and last the most points that a combination has for each joker.
    """
    start[:] = -1
    told[:] = 0
    for index in range(count):
        kinds, jokers = found[index, KINDS], found[index, JOKERS]
        lowest = lowest_bit(kinds)
        found[index, NEXT] = start[lowest]
        start[lowest] = index
        told[jokers] |= kinds
        if jokers > 0 and found[index, POINTS] > told[_BEST] * jokers:
            told[_BEST] = -(-found[index, POINTS] // jokers)
    for jokers in range(1, MAX_JOKERS + 1):
        told[jokers] |= told[jokers - 1]


# ------------------------------------------------------------------------------------------------------------------- packing


@compiled
def can_pack(found, start, told, held, twice, jokers, needed, room, high, stack):
    """Whether combinations of a list can be laid that bring the points needed.

    Args:
        found: the list.
        start: of its chains.
        told: of it, as `link` does.
        held: the kinds of natural cards of which there are one or two.
        twice: those of which there are two.
        jokers: how many.
        needed: points.
        room: how many cards may be laid at the most.
        high: the kinds that count ten.
        stack: int64, as of `new_stack`, to work in.
    """
    if needed <= 0:
        return True
    _push(stack, 0, told, held, twice, jokers, needed, room, high)
    stack[0, _INDEX] = _first_index(start, stack[0, _HELD])
    depth = 0
    while depth >= 0:
        held, twice, needed, room = stack[depth, _HELD], stack[depth, _TWICE], stack[depth, _NEEDED], stack[depth, _ROOM]
        if held == 0 or min(stack[depth, _ALL], stack[depth, _PLAIN]) < needed or room < SHORTEST:
            depth -= 1
            continue
        index, jokers = stack[depth, _INDEX], stack[depth, _LEFT]
        while index >= 0 and not is_available(found, index, held, jokers, room):
            index = found[index, NEXT]
        if index < 0:  # the lowest card is left
            lowest = held & -held
            worth = kinds_points(lowest, high) + kinds_points(lowest & twice, high)
            stack[depth, _ALL] -= worth
            if lowest & told[0]:
                stack[depth, _PLAIN] -= worth
            stack[depth, _HELD], stack[depth, _TWICE] = held & ~lowest, twice & ~lowest
            stack[depth, _INDEX] = _first_index(start, held & ~lowest)
            continue
        if found[index, POINTS] >= needed:
            return True
        stack[depth, _INDEX] = found[index, NEXT]
        kinds = found[index, KINDS]
        left, points = jokers - found[index, JOKERS], found[index, POINTS]
        depth += 1
        _push(stack, depth, told, held & ~(kinds & ~twice), twice & ~kinds, left, needed - points, room - found[index, SIZE], high)
        # where the lowest card is there once more, go on in the list, so that no two combinations are tried in both orders
        still = stack[depth, _HELD]
        stack[depth, _INDEX] = index if still & -still == held & -held else _first_index(start, still)
    return False


@compiled
def new_stack():
    """Room for the search to work in."""
    return np.empty((_DEPTH, _WIDTH), np.int64)


@compiled
def _push(stack, depth, told, held, twice, jokers, needed, room, high):
    """A state of the search; cards that no combination with so many jokers has are left out of it.

    No more points can come than all cards and jokers count, nor more than the cards of combinations without jokers count and, for each
    joker, the best combination does.
    """
    held, twice = held & told[jokers], twice & told[jokers]
    stack[depth, _HELD], stack[depth, _TWICE], stack[depth, _LEFT] = held, twice, jokers
    stack[depth, _NEEDED], stack[depth, _ROOM] = needed, room
    stack[depth, _ALL] = kinds_points(held, high) + kinds_points(twice, high) + HIGH * jokers
    stack[depth, _PLAIN] = kinds_points(held & told[0], high) + kinds_points(twice & told[0], high) + told[_BEST] * jokers


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
        held |= int(hand[card] > 0) << card
        twice |= int(hand[card] > 1) << card
    return held, twice


# -------------------------------------------------------------------------------------------------------------------- taking


@compiled
def mark_takes(hand, size, bank, bank_size, place, needed, high, mask):
    """Set in `mask` from which cards of the bank on one who has laid out nothing may take it.

    Args:
        hand: int8 of shape (53,).
        size: cards in it.
        bank: int8, its cards from the bottom to the top.
        bank_size: how many.
        place: int8, where the copies of cards lie in it, as in the state.
        needed: points.
        high: the kinds that count ten.
        mask: of all actions.
    """
    held, twice = held_kinds(hand)
    jokers, wanted = int(hand[JOKER]), 0
    for depth in range(bank_size):
        card = int(bank[depth])
        if (wanted >> card) & 1 == 0 and _may_open_with(card, held, twice, jokers, needed, high):
            wanted |= 1 << card
    if wanted == 0:
        return
    with_card, rest, rest_count = new_list(), new_list(), -1
    start, told, stack = np.empty(NUM_KINDS, np.int64), np.empty(_BEST + 1, np.int64), new_stack()
    for depth in range(bank_size):
        card = int(bank[depth])
        if (wanted >> card) & 1 == 0:
            continue
        own, bit = (jokers + 1, 0) if card == JOKER else (jokers, 1 << card)
        room = size if depth + 1 == bank_size else size + 1  # on top of another card, those can be discarded
        with_card, with_count = list_melds(held | bit, own, card, high, with_card)
        for index in range(with_count):
            if with_card[index, SIZE] > room:
                continue
            kinds, left_jokers = with_card[index, KINDS] & ~bit, own - with_card[index, JOKERS]
            left, left_twice, left_needed = held & ~(kinds & ~twice), twice & ~kinds, needed - with_card[index, POINTS]
            if left_needed > 0 and rest_count < 0:
                rest, rest_count = list_melds(held, jokers, NO_CARD, high, rest)
                link(rest, rest_count, start, told)
            left_room = room - with_card[index, SIZE]
            if can_pack(rest, start, told, left, left_twice, left_jokers, left_needed, left_room, high, stack):
                mask[TAKE + copy_at(bank, place, depth)] = 1
                break


@compiled
def _may_open_with(card, held, twice, jokers, needed, high):
    """Whether a hand with a card more might open, at the first look: false only where it cannot."""
    if jokers > 0 or card == JOKER:
        most = kinds_points(held, high) + kinds_points(twice, high) + HIGH * jokers + card_points(card, high)
        return most >= needed and shortest_with(card, held, jokers) != NONE
    bit = 1 << card
    plain = plain_kinds(held | bit)
    most = kinds_points(plain, high) + kinds_points(plain & twice, high) + kinds_points(held & bit, high)
    return plain & bit != 0 and most >= needed


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
    held, twice = held_kinds(hand)
    jokers, own, own_kinds = int(hand[JOKER]), count_jokers(begun), natural_kinds(begun)
    found, rest = new_list(), new_list()
    start, told, stack = np.empty(NUM_KINDS, np.int64), np.empty(_BEST + 1, np.int64), new_stack()
    is_listed, rest_count = False, 0
    if size:
        found, count = list_begun(begun, held | own_kinds, jokers + own, high, found)
    else:
        found, count = list_melds(held, jokers, NO_CARD, high, found)
        rest, rest_count, is_listed = found, count, True
        link(rest, rest_count, start, told)
    for index in range(count):
        if found[index, SIZE] - size > room or not begins_so(found[index, MELD], begun, size):
            continue
        action = next_step(found[index, MELD], size)
        if mask[action]:
            continue
        kinds, left_jokers = found[index, KINDS] & ~own_kinds, jokers - (found[index, JOKERS] - own)
        left, left_twice, left_needed = held & ~(kinds & ~twice), twice & ~kinds, needed - found[index, POINTS]
        still = NO_CARD if named == NO_CARD or holds(found[index, MELD], named) else named
        if not is_listed and (left_needed > 0 or still != NO_CARD):
            rest, rest_count = list_melds(held, jokers, NO_CARD, high, rest)
            link(rest, rest_count, start, told)
            is_listed = True
        left_room = room - (found[index, SIZE] - size)
        if still == NO_CARD:
            if can_pack(rest, start, told, left, left_twice, left_jokers, left_needed, left_room, high, stack):
                mask[action] = 1
        elif _can_pack_with(still, rest, rest_count, start, told, left, left_twice, left_jokers, left_needed, left_room, high, stack):
            mask[action] = 1


@compiled
def _can_pack_with(card, found, count, start, told, held, twice, jokers, needed, room, high, stack):
    """As `can_pack`, where one of the combinations must hold a card."""
    for index in range(count):
        if is_available(found, index, held, jokers, room) and holds(found[index, MELD], card):
            kinds = found[index, KINDS]
            left, left_twice, left_jokers = held & ~(kinds & ~twice), twice & ~kinds, jokers - found[index, JOKERS]
            left_needed, left_room = needed - found[index, POINTS], room - found[index, SIZE]
            if can_pack(found, start, told, left, left_twice, left_jokers, left_needed, left_room, high, stack):
                return True
    return False
