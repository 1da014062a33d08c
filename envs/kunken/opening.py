"""Opening (RULES.md, "Turn"): whether combinations of so many points can be laid from a hand, and by which steps.

Only players who have laid out nothing are asked this, with fourteen usable cards at the most. All good combinations are listed, each with
the kinds that it takes, its jokers and its points; packing them is a search over the lowest natural card: it goes into one of the
combinations of which it is the lowest, or is left, and what is left may not be worth more than what can be spared.
"""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken import melds
from penzoo.envs.kunken.actions import CLOSE, PUT, PUT_JOKER, TAKE
from penzoo.envs.kunken.melds import (
    NONE,
    as_set,
    card_points,
    count_bits,
    count_cards,
    count_jokers,
    first_rank,
    is_set,
    joker_bits,
    joker_name,
    kinds_points,
    lowest_bit,
    natural_bits,
    natural_kinds,
    of_rank,
    plain_kinds,
    rank_bits,
    run_of,
    run_starts,
    set_of,
    set_ranks,
    shortest_with,
    span,
    suit_bits,
    suit_of,
)
from penzoo.envs.kunken.state import (
    HAND_SIZE,
    HIGH,
    JOKER,
    LONGEST_RUN,
    LONGEST_SET,
    MAX_JOKERS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    SHORTEST,
)
from penzoo.envs.kunken.stock import copy_at

# the columns of a list of combinations
MELD, KINDS, JOKERS, SIZE, POINTS, NEXT = range(6)
_COLUMNS = 6
_LISTED = 128  # room for so many at first; more than hands with at most one joker usually have

# what `link` tells of a list, by index: the kinds in combinations of so many jokers or fewer; then the most points for a joker
_BEST = MAX_JOKERS + 1

# the columns of the stack of the search
_HELD, _TWICE, _LEFT, _NEEDED, _ROOM, _ALL, _PLAIN, _INDEX = range(8)
_WIDTH = 8
_DEPTH = 2 + (HAND_SIZE + 1) // SHORTEST


# --------------------------------------------------------------------------------------------------------------------- lists


@compiled
def new_list():
    """Room for a list of combinations."""
    return np.empty((_LISTED, _COLUMNS), np.int64)


@compiled
def list_melds(kinds, jokers, must, high, found):
    """List all good combinations from cards of these kinds and so many jokers.

    Args:
        kinds: natural cards, one of each kind.
        jokers: how many.
        must: the card that must be in each, or NO_CARD.
        high: the kinds that count ten.
        found: where to, as of `new_list`.

    Returns:
        The list, int64 of shape (at least their number, columns), which is `found` if that is long enough; and their number. A run of
        thirteen stands there once for each beginning.
    """
    count = _fill(kinds, jokers, must, high, found)
    if count > len(found):
        found = np.empty((count, _COLUMNS), np.int64)
        _fill(kinds, jokers, must, high, found)
    return found, count


@compiled
def list_begun(begun, kinds, jokers, high, found):
    """As `list_melds`, of the combinations that begin, in the order of building, with a half-built one, whose cards are among the kinds."""
    count = _fill_begun(begun, kinds, jokers, high, found)
    if count > len(found):
        found = np.empty((count, _COLUMNS), np.int64)
        _fill_begun(begun, kinds, jokers, high, found)
    return found, count


@compiled
def _fill(kinds, jokers, must, high, found):
    """Write as many as there is room for; returns how many there are."""
    count = 0
    if 0 <= must < JOKER:
        suit, rank = must // NUM_RANKS, must % NUM_RANKS
        ranks = suit_bits(kinds, suit)
        for before in range(NUM_RANKS):
            first = rank - before if rank >= before else rank - before + NUM_RANKS
            if before + 1 - count_bits(ranks & span(first, before + 1)) > jokers:
                break
            count = _fill_runs(ranks, suit, first, before + 1, jokers, must, high, found, count)
        return _fill_sets(rank_bits(kinds, rank), rank, jokers, must, high, found, count)
    for suit in range(NUM_SUITS):
        ranks = suit_bits(kinds, suit)
        firsts = run_starts(ranks, jokers) if ranks & (ranks - 1) else 0
        while firsts:
            count = _fill_runs(ranks, suit, lowest_bit(firsts), 1, jokers, must, high, found, count)
            firsts &= firsts - 1
    ranks = set_ranks(kinds, jokers)
    while ranks:
        rank = lowest_bit(ranks)
        count = _fill_sets(rank_bits(kinds, rank), rank, jokers, must, high, found, count)
        ranks &= ranks - 1
    return count


@compiled
def _fill_begun(begun, kinds, jokers, high, found):
    count, size = 0, count_cards(begun)
    if not is_set(begun):
        ranks = suit_bits(kinds, suit_of(begun))
        count = _fill_runs(ranks, suit_of(begun), first_rank(begun), size, jokers, NO_CARD, high, found, count)
    if is_set(begun) or (size == 1 and joker_bits(begun) == 0):
        rank = first_rank(begun)
        count = _fill_sets(rank_bits(kinds, rank), rank, jokers, NO_CARD, high, found, count)
    return count


@compiled
def _write(found, count, meld, kinds, jokers, size, points):
    if count < len(found):
        found[count, MELD] = meld
        found[count, KINDS] = kinds
        found[count, JOKERS] = jokers
        found[count, SIZE] = size
        found[count, POINTS] = points


@compiled
def _fill_sets(suits, rank, jokers, must, high, found, count):
    chosen, each = suits, card_points(rank, high)
    while chosen:  # over all choices of the suits
        naturals = count_bits(chosen)
        if must < 0 or must == JOKER or (chosen >> must // NUM_RANKS) & 1:
            least = max(1 if must == JOKER else 0, SHORTEST - naturals)
            for filled in range(least, min(jokers, naturals, LONGEST_SET - naturals) + 1):
                size = naturals + filled
                _write(found, count, set_of(rank, chosen, filled), of_rank(chosen, rank), filled, size, size * each)
                count += 1
        chosen = (chosen - 1) & suits
    return count


@compiled
def _fill_runs(ranks, suit, first, least, jokers, must, high, found, count):
    """The runs in a suit from a first rank on, of so many cards at least."""
    places = span(first, least - 1)
    naturals, rank = count_bits(ranks & places), (first + least - 1) % NUM_RANKS
    for size in range(least, LONGEST_RUN + 1):
        naturals += (ranks >> rank) & 1
        rank = rank + 1 if rank + 1 < NUM_RANKS else 0
        missing = size - naturals
        if missing > jokers:
            break
        if size >= SHORTEST and 2 * missing <= size:
            places = span(first, size)
            points = kinds_points(places << NUM_RANKS * suit, high)
            held, most = places & ranks, min(jokers, size // 2)
            if must != JOKER or missing > 0:
                _write(found, count, run_of(suit, first, held, places & ~held), held << NUM_RANKS * suit, missing, size, points)
                count += 1
            if most > missing:
                if 0 <= must < JOKER:
                    held &= ~(1 << must % NUM_RANKS)
                count = _fill_with_more(places, places & ranks, held, suit, first, most, size, points, found, count)
    return count


@compiled
def _fill_with_more(places, naturals, replaceable, suit, first, most, size, points, found, count):
    """The runs at these places with jokers for some cards that are held, as those may be wanted elsewhere."""
    missing = size - count_bits(naturals)
    if most == missing + 1:
        while replaceable:  # one of them
            left = naturals & ~(replaceable & -replaceable)
            _write(found, count, run_of(suit, first, left, places & ~left), left << NUM_RANKS * suit, most, size, points)
            count += 1
            replaceable &= replaceable - 1
        return count
    at, chosen = np.empty(LONGEST_RUN, np.int64), np.empty(LONGEST_RUN, np.int64)
    length = 0
    for rank in range(NUM_RANKS):
        if (replaceable >> rank) & 1:
            at[length] = rank
            length += 1
    for more in range(1, min(most - missing, length) + 1):
        for k in range(more):
            chosen[k] = k
        while True:  # over all choices of so many of them
            replaced = 0
            for k in range(more):
                replaced |= 1 << at[chosen[k]]
            left = naturals & ~replaced
            _write(found, count, run_of(suit, first, left, places & ~left), left << NUM_RANKS * suit, missing + more, size, points)
            count += 1
            k = more - 1
            while k >= 0 and chosen[k] == length - more + k:
                k -= 1
            if k < 0:
                break
            chosen[k] += 1
            for later in range(k + 1, more):
                chosen[later] = chosen[later - 1] + 1
    return count


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
        return shortest_with(card, held, jokers) != NONE
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
        still = NO_CARD if named == NO_CARD or melds.holds(found[index, MELD], named) else named
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
        if is_available(found, index, held, jokers, room) and melds.holds(found[index, MELD], card):
            kinds = found[index, KINDS]
            left, left_twice, left_jokers = held & ~(kinds & ~twice), twice & ~kinds, jokers - found[index, JOKERS]
            left_needed, left_room = needed - found[index, POINTS], room - found[index, SIZE]
            if can_pack(found, start, told, left, left_twice, left_jokers, left_needed, left_room, high, stack):
                return True
    return False


@compiled
def begins_so(meld, begun, size):
    """Whether a combination begins, in the order of building, with what is half-built, of so many cards."""
    if size == 0:
        return True
    if not is_set(meld):
        if is_set(begun) or suit_of(meld) != suit_of(begun) or first_rank(meld) != first_rank(begun) or count_cards(meld) < size:
            return False
        return natural_bits(meld) & span(first_rank(begun), size) == natural_bits(begun)
    if not is_set(begun) and (size > 1 or joker_bits(begun)):
        return False
    as_begun, suits = as_set(begun), natural_bits(meld)
    earlier = natural_bits(as_begun)
    if first_rank(as_begun) != first_rank(meld) or suits & earlier != earlier:
        return False
    later = suits & ~earlier
    if joker_bits(as_begun) > 0:
        return later == 0 and joker_bits(meld) >= joker_bits(as_begun)
    return later == 0 or later & -later > earlier


@compiled
def next_step(meld, size):
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
