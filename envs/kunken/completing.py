"""What a combination of Kunken can be completed to from the cards of a hand, since no step may lead nowhere (RULES.md, "Actions").

Kinds and ranks are told by bits, as in `melds`.
"""

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.melds import (
    RANK_BITS,
    as_set,
    count_bits,
    count_cards,
    count_jokers,
    first_rank,
    holds,
    is_good,
    is_set,
    joker_bits,
    natural_bits,
    rank_bits,
    set_of,
    span,
    suit_bits,
    suit_of,
    turned,
    upper_end,
)
from penzoo.envs.kunken.state import JOKER, LONGEST_RUN, LONGEST_SET, NUM_RANKS, NUM_SUITS, SHORTEST

_LOWEST = sum(1 << NUM_RANKS * suit for suit in range(NUM_SUITS))  # the first rank of every suit
_HIGHEST = _LOWEST << NUM_RANKS - 1

NONE = 99  # more cards than any combination has


@compiled
def run_starts(ranks, jokers):
    """Ranks from which a good run of these ranks and so many jokers may begin: no other one does, though not all of them need to.

    Of its first three places no more are for jokers than there are jokers.
    """
    second, third = turned(ranks, 1), turned(ranks, 2)
    if jokers == 0:
        return ranks & second & third
    if jokers == 1:
        return (ranks & (second | third)) | (second & third)
    return ranks | second | third if jokers == 2 else RANK_BITS


@compiled
def set_ranks(kinds, jokers):
    """The ranks of which a good set can be made with so many jokers."""
    clubs, diamonds, hearts, spades = suit_bits(kinds, 0), suit_bits(kinds, 1), suit_bits(kinds, 2), suit_bits(kinds, 3)
    if jokers > 0:
        return (clubs & diamonds) | ((clubs | diamonds) & (hearts | spades)) | (hearts & spades)
    return (clubs & diamonds & (hearts | spades)) | (hearts & spades & (clubs | diamonds))


@compiled
def plain_kinds(kinds):
    """Those of the kinds that are in a good combination of them without jokers."""
    second = ((kinds & ~_LOWEST) >> 1) | ((kinds & _LOWEST) << NUM_RANKS - 1)
    third = ((second & ~_LOWEST) >> 1) | ((second & _LOWEST) << NUM_RANKS - 1)
    found = kinds & second & third  # the first cards of runs of three
    for _ in range(2):
        found |= ((found & ~_HIGHEST) << 1) | ((found & _HIGHEST) >> NUM_RANKS - 1)
    ranks = set_ranks(kinds, 0)
    for suit in range(NUM_SUITS):
        found |= kinds & (ranks << NUM_RANKS * suit)
    return found


@compiled
def shortest_with(card, kinds, jokers):
    """The fewest cards of a good combination of one card more (`card`) with cards from a hand of these kinds and so many jokers.

    The card is used as itself; NONE if there is none. A good combination of more than three cards of which jokers are less than half
    stays good without the card at one of its ends, so the shortest has three cards, or twice as many as jokers.
    """
    if card == JOKER:
        return _shortest_with_joker(kinds, jokers + 1)
    suit, rank = card // NUM_RANKS, card % NUM_RANKS
    suits = count_bits(rank_bits(kinds, rank) | (1 << suit))
    if suits > 2 or (suits == 2 and jokers > 0):
        return SHORTEST
    ranks = turned(suit_bits(kinds, suit), rank) | 1  # the card's own rank is the first bit now
    for before in range(SHORTEST):
        if _begins(turned(ranks, (NUM_RANKS - before) % NUM_RANKS), SHORTEST, jokers):
            return SHORTEST
    for half in range(2, min(jokers, LONGEST_RUN // 2) + 1):
        for before in range(2 * half):
            if count_bits(turned(ranks, (NUM_RANKS - before) % NUM_RANKS) & span(0, 2 * half)) >= half:
                return 2 * half
    return NONE


@compiled
def _begins(ranks, length, jokers):
    """Whether so many places from rank 0 on can be a run of these ranks and jokers."""
    missing = length - count_bits(ranks & ((1 << length) - 1))
    return missing <= min(jokers, length // 2)


@compiled
def _shortest_with_joker(kinds, jokers):
    """As `shortest_with`, for a combination that holds a joker, of so many in all."""
    if set_ranks(kinds, jokers):
        return SHORTEST
    shortest = NONE
    for suit in range(NUM_SUITS):
        ranks = suit_bits(kinds, suit)
        if ranks & (turned(ranks, 1) | turned(ranks, 2)):
            return SHORTEST
        for half in range(2, min(jokers, LONGEST_RUN // 2) + 1):
            if 2 * half < shortest:
                for first in range(NUM_RANKS):
                    if count_bits(ranks & span(first, 2 * half)) >= half:
                        shortest = 2 * half
                        break
    return shortest


@compiled
def can_complete(meld, kinds, jokers, room, named):
    """Whether a new combination can be completed by going on in order with cards of these kinds and so many jokers.

    Args:
        meld: what has been put.
        kinds: natural cards that may be used, besides.
        jokers: how many jokers, besides.
        room: how many cards may be put still.
        named: the card that must be in it, or NO_CARD.
    """
    if is_set(meld):
        return _can_complete_set(meld, kinds, jokers, room, named)
    if _can_complete_run(meld, kinds, jokers, room, named):
        return True
    return count_cards(meld) == 1 and count_jokers(meld) == 0 and _can_complete_set(as_set(meld), kinds, jokers, room, named)


@compiled
def _can_complete_run(meld, kinds, jokers, room, named):
    suit, size, own = suit_of(meld), count_cards(meld), count_jokers(meld)
    ranks = suit_bits(kinds, suit)
    wants_joker, is_missing = named == JOKER and own == 0, 0 <= named < JOKER and not holds(meld, named)
    if is_missing and named // NUM_RANKS != suit:
        return False
    naturals, rank = size - own, upper_end(meld)
    for more in range(min(room, LONGEST_RUN - size) + 1):
        filled = max(size + more - naturals - own, 1 if wants_joker else 0)
        if size + more - naturals - own > jokers:
            return False
        is_within = filled <= min(jokers, more) and own + filled <= (size + more) // 2
        if size + more >= SHORTEST and is_within and not is_missing:
            return True
        naturals += (ranks >> rank) & 1
        if is_missing and named % NUM_RANKS == rank:
            is_missing = False
        rank = rank + 1 if rank + 1 < NUM_RANKS else 0
    return False


@compiled
def _can_complete_set(meld, kinds, jokers, room, named):
    rank, suits, own = first_rank(meld), natural_bits(meld), joker_bits(meld)
    later = 0
    if own == 0:
        later = rank_bits(kinds, rank) & ~((1 << _highest_suit(suits) + 1) - 1)
    added = later
    while True:  # over all choices of the later suits
        size, count = count_bits(suits | added), count_bits(added)
        for filled in range(min(jokers, LONGEST_SET - own) + 1):
            after = set_of(rank, suits | added, own + filled)
            is_named_in = named == NO_CARD or holds(after, named)
            if is_named_in and count + filled <= room and size + own + filled <= LONGEST_SET and is_good(after):
                return True
        if added == 0:
            return False
        added = (added - 1) & later


@compiled
def _highest_suit(suits):
    highest = 0
    for suit in range(NUM_SUITS):
        if (suits >> suit) & 1:
            highest = suit
    return highest


@compiled
def can_mend(meld, kinds, jokers, room, may_swap):
    """Whether a combination on the table with more jokers than natural cards can be made good: a run, since a set never has so many.

    Args:
        meld: as it lies.
        kinds: natural cards in hand.
        jokers: how many jokers in hand.
        room: how many cards may be put still.
        may_swap: whether jokers may be swapped, too.
    """
    if is_good(meld):
        return True
    suit, size, own = suit_of(meld), count_cards(meld), count_jokers(meld)
    ranks, first = suit_bits(kinds, suit), first_rank(meld)
    swaps = count_bits(ranks & joker_bits(meld)) if may_swap else 0
    for more in range(min(room, LONGEST_RUN - size) + 1):
        for below in range(more + 1):
            places = span((first + NUM_RANKS - below) % NUM_RANKS, size + more) & ~(natural_bits(meld) | joker_bits(meld))
            filled = more - count_bits(places & ranks)
            if filled <= jokers + swaps and 2 * (own - swaps + filled) <= size + more:
                return True
    return False


@compiled
def first_puts(kinds, jokers, room, suit):
    """With which cards of a suit a new combination can begin, nothing being asked of it but that it can be completed.

    Args:
        kinds: natural cards that may be used.
        jokers: how many jokers.
        room: how many cards may be put in all.
        suit: of the first card.

    Returns:
        The ranks that may be put as natural cards, and those that a joker may stand for.
    """
    if room < SHORTEST:
        return 0, 0
    ranks = suit_bits(kinds, suit)
    second, third = turned(ranks, 1), turned(ranks, 2)
    others, pairs = 0, 0  # ranks of which a later suit is there, and of which two are
    for later in range(suit + 1, NUM_SUITS):
        of_later = suit_bits(kinds, later)
        pairs |= others & of_later
        others |= of_later
    if jokers == 0:
        return ranks & ((second & third) | pairs), 0
    naturals, filled = ranks & (second | third | others), second & third
    for half in range(2, min(jokers, room // 2, LONGEST_RUN // 2) + 1):  # else the shortest is half jokers: see `shortest_with`
        for first in range(NUM_RANKS):
            after = count_bits(ranks & span((first + 1) % NUM_RANKS, 2 * half - 1))
            if after + 1 >= half:
                naturals |= ranks & (1 << first)
            if after >= half:
                filled |= 1 << first
    return naturals, filled
