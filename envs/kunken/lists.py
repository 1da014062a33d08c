"""Lists of all good combinations that a hand can lay, each with the kinds that it takes, its jokers and its points."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.actions import CLOSE, PUT, PUT_JOKER
from penzoo.envs.kunken.completing import run_starts, set_ranks
from penzoo.envs.kunken.melds import (
    as_set,
    card_points,
    count_bits,
    count_cards,
    first_rank,
    is_set,
    joker_bits,
    joker_name,
    kinds_points,
    lowest_bit,
    natural_bits,
    of_rank,
    rank_bits,
    run_of,
    set_of,
    span,
    suit_bits,
    suit_of,
)
from penzoo.envs.kunken.state import JOKER, LONGEST_RUN, LONGEST_SET, NUM_RANKS, NUM_SUITS, SHORTEST

# the columns of a list of combinations
MELD, KINDS, JOKERS, SIZE, POINTS, NEXT = range(6)
_COLUMNS = 6
_LISTED = 128  # room for so many at first; more than hands with at most one joker usually have


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
