"""Combinations (RULES.md, "Combinations"): how they are kept, read and built.

A combination on the table is one int64, `meld` below. Of a run it holds the ranks of its natural cards (bits 0 to 12), the ranks for which
jokers stand (13 to 25), the first rank (26 to 29) and the suit (30, 31); of a set the suits of its natural cards (bits 0 to 3), how many
jokers it has (13, 14), the rank (26 to 29), and bit 32. A single natural card, which can become either, is a run of one.

Kinds of cards are also told by one int64, with bit k for the card of index k; within a suit by 13 bits, with bit r for rank r.
"""

from penzoo.envs.jit import compiled
from penzoo.envs.kunken.state import (
    HIGH,
    HONOURS,
    JOKER,
    LONGEST_RUN,
    LONGEST_SET,
    LOW,
    MELD_WIDTH,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    SHORTEST,
    SHOWN_FITS,
    SHOWN_HELD,
    SHOWN_JOKER,
    SHOWN_RANKS,
    SHOWN_SET,
    SHOWN_SIZE,
    SHOWN_SUITS,
    SHOWN_SWAPS,
    TEN,
)

_JOKERS, _RANK, _SUIT, _SET = 13, 26, 30, 32  # first bits
RANK_BITS = (1 << NUM_RANKS) - 1
SUIT_BITS = (1 << NUM_SUITS) - 1
_RANK_MASK, _SUIT_MASK = 15, 3

_HONOUR_BITS = sum(1 << rank for rank in HONOURS)
_HONOUR_KINDS = sum(_HONOUR_BITS << NUM_RANKS * suit for suit in range(NUM_SUITS))
_TEN_KINDS = sum(1 << NUM_RANKS * suit + TEN for suit in range(NUM_SUITS))

_PAIRS, _FOURS, _EIGHTS = 0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F
_COUNT_MASK = 0x7F


# ---------------------------------------------------------------------------------------------------------------------- bits


@compiled
def count_bits(bits):
    """How many bits are set, of 52 at most."""
    bits = bits - ((bits >> 1) & _PAIRS)
    bits = (bits & _FOURS) + ((bits >> 2) & _FOURS)
    bits = (bits + (bits >> 4)) & _EIGHTS
    bits += bits >> 8
    bits += bits >> 16
    bits += bits >> 32
    return bits & _COUNT_MASK


@compiled
def lowest_bit(bits):
    """The number of the lowest bit that is set; there must be one."""
    return count_bits((bits & -bits) - 1)


@compiled
def suit_bits(kinds, suit):
    """The ranks that are among the kinds in one suit."""
    return (kinds >> NUM_RANKS * suit) & RANK_BITS


@compiled
def rank_bits(kinds, rank):
    """The suits that are among the kinds in one rank."""
    found = 0
    for suit in range(NUM_SUITS):
        found |= ((kinds >> (NUM_RANKS * suit + rank)) & 1) << suit
    return found


@compiled
def of_rank(suits, rank):
    """The kinds of one rank in these suits."""
    found = 0
    for suit in range(NUM_SUITS):
        found |= ((suits >> suit) & 1) << (NUM_RANKS * suit + rank)
    return found


@compiled
def turned(ranks, by):
    """The ranks seen from one `by` places up: bit r is set where rank r + by, going round, is among them."""
    return ((ranks >> by) | (ranks << (NUM_RANKS - by))) & RANK_BITS


@compiled
def span(first, length):
    """The ranks of so many places from the first on, going round."""
    bits = ((1 << length) - 1) << first
    return (bits | (bits >> NUM_RANKS)) & RANK_BITS


@compiled
def honours(ten_is_honour):
    """The kinds that count HIGH."""
    return _HONOUR_KINDS | _TEN_KINDS if ten_is_honour else _HONOUR_KINDS


@compiled
def kinds_points(kinds, high):
    """What one card of each of the kinds counts, `high` being those that count HIGH (`honours`)."""
    return LOW * count_bits(kinds) + (HIGH - LOW) * count_bits(kinds & high)


@compiled
def card_points(card, high):
    """What a card in hand counts, a joker HIGH."""
    return HIGH if card == JOKER or (high >> card) & 1 else LOW


# --------------------------------------------------------------------------------------------------------------- reading one


@compiled
def is_set(meld):
    """Whether it is a set."""
    return (meld >> _SET) & 1 == 1


@compiled
def first_rank(meld):
    """The rank of a run's first card, or of a set."""
    return (meld >> _RANK) & _RANK_MASK


@compiled
def suit_of(meld):
    """The suit of a run."""
    return (meld >> _SUIT) & _SUIT_MASK


@compiled
def natural_bits(meld):
    """The ranks of a run's natural cards, or the suits of a set's."""
    return meld & RANK_BITS


@compiled
def joker_bits(meld):
    """The ranks for which a run's jokers stand."""
    return (meld >> _JOKERS) & RANK_BITS


@compiled
def count_naturals(meld):
    """How many natural cards it has."""
    return count_bits(natural_bits(meld))


@compiled
def count_jokers(meld):
    """How many jokers it has."""
    return joker_bits(meld) if is_set(meld) else count_bits(joker_bits(meld))


@compiled
def count_cards(meld):
    """How many cards it has."""
    return count_naturals(meld) + count_jokers(meld)


@compiled
def natural_kinds(meld):
    """Its natural cards as kinds."""
    if is_set(meld):
        return of_rank(natural_bits(meld), first_rank(meld))
    return natural_bits(meld) << NUM_RANKS * suit_of(meld)


@compiled
def last_rank(meld):
    """The rank of a run's last card."""
    return (first_rank(meld) + count_cards(meld) - 1) % NUM_RANKS


@compiled
def is_good(meld):
    """Whether it has cards enough, and jokers at most for half of them (S)."""
    naturals, jokers = count_naturals(meld), count_jokers(meld)
    return naturals + jokers >= SHORTEST and jokers <= naturals


@compiled
def holds(meld, card):
    """Whether the card is in it, a joker as a joker."""
    return count_jokers(meld) > 0 if card == JOKER else (natural_kinds(meld) >> card) & 1 == 1


@compiled
def meld_points(meld, high):
    """What it counts, jokers as the cards for which they stand (S)."""
    if is_set(meld):
        return count_cards(meld) * card_points(first_rank(meld), high)
    ranks = natural_bits(meld) | joker_bits(meld)
    return kinds_points(ranks << NUM_RANKS * suit_of(meld), high)


# -------------------------------------------------------------------------------------------------------------- building one


@compiled
def run_of(suit, first, naturals, jokers):
    """A run from the ranks of its natural cards and of its jokers."""
    return naturals | (jokers << _JOKERS) | (first << _RANK) | (suit << _SUIT)


@compiled
def set_of(rank, suits, jokers):
    """A set from the suits of its natural cards and the number of its jokers."""
    return suits | (jokers << _JOKERS) | (rank << _RANK) | (1 << _SET)


@compiled
def begun_with(card):
    """A combination of one natural card."""
    return run_of(card // NUM_RANKS, card % NUM_RANKS, 1 << card % NUM_RANKS, 0)


@compiled
def begun_with_joker(card):
    """A run of one joker that stands for a card."""
    return run_of(card // NUM_RANKS, card % NUM_RANKS, 0, 1 << card % NUM_RANKS)


@compiled
def as_set(meld):
    """The same as a set, if it is a single natural card."""
    return meld if is_set(meld) else set_of(first_rank(meld), 1 << suit_of(meld), 0)


@compiled
def with_card(meld, card):
    """It with a natural card more: the next of a run at either end, or another suit of a set."""
    rank, suit = card % NUM_RANKS, card // NUM_RANKS
    if is_set(meld) or suit != suit_of(meld):
        return as_set(meld) | (1 << suit)
    return _moved_down(meld, rank) | (1 << rank)


@compiled
def with_joker(meld, card):
    """It with a joker more that stands for the card: the next of a run at either end; any suit of a set."""
    rank = card % NUM_RANKS
    if is_set(meld) or rank == first_rank(meld):
        return as_set(meld) + (1 << _JOKERS)
    return _moved_down(meld, rank) | (1 << (_JOKERS + rank))


@compiled
def _moved_down(meld, rank):
    """A run that begins with the rank, if this is one below its first and not the next above its last."""
    first = first_rank(meld)
    if rank == (last_rank(meld) + 1) % NUM_RANKS:
        return meld
    return meld - (first << _RANK) + (rank << _RANK)


@compiled
def with_swapped(meld, card):
    """It with a natural card in place of a joker."""
    if is_set(meld):
        return (meld - (1 << _JOKERS)) | (1 << card // NUM_RANKS)
    rank = card % NUM_RANKS
    return (meld - (1 << (_JOKERS + rank))) | (1 << rank)


@compiled
def joker_name(suits, rank):
    """The card after which a joker is named in a set with these natural suits: the first that none of them has (D)."""
    return NUM_RANKS * lowest_bit(~suits & SUIT_BITS) + rank


@compiled
def fitting(meld):
    """The kinds that can be put onto a combination on the table: the ends of a run, the missing suits of a set."""
    size = count_cards(meld)
    if is_set(meld):
        return of_rank(~natural_bits(meld) & SUIT_BITS, first_rank(meld)) if size < LONGEST_SET else 0
    if size == LONGEST_RUN:
        return 0
    ends = (1 << lower_end(meld)) | (1 << upper_end(meld))
    return ends << NUM_RANKS * suit_of(meld)


@compiled
def lower_end(meld):
    """The rank that goes before a run's first."""
    return (first_rank(meld) + NUM_RANKS - 1) % NUM_RANKS


@compiled
def upper_end(meld):
    """The rank that goes after a run's last."""
    return (first_rank(meld) + count_cards(meld)) % NUM_RANKS


@compiled
def swappable(meld):
    """The kinds for which one of its jokers can be swapped (S, D)."""
    if is_set(meld):
        return of_rank(~natural_bits(meld) & SUIT_BITS, first_rank(meld)) if joker_bits(meld) > 0 else 0
    return joker_bits(meld) << NUM_RANKS * suit_of(meld)


@compiled
def show(meld, shown):
    """Write a combination into int8 of shape (MELD_WIDTH,), as observations hold it.

    Of a run the suit is there, natural cards and jokers at their ranks, and what fits at its ends; of a set the rank is there, natural
    cards at their suits, and the suits that can be put or swapped in.
    """
    shown[:] = 0
    size = count_cards(meld)
    shown[SHOWN_SIZE] = size
    suits, ranks = shown[SHOWN_SUITS:SHOWN_RANKS], shown[SHOWN_RANKS:MELD_WIDTH]
    if is_set(meld):
        shown[SHOWN_SET] = 1
        ranks[first_rank(meld)] = SHOWN_HELD
        missing = SHOWN_FITS if size < LONGEST_SET else SHOWN_SWAPS if joker_bits(meld) else 0
        for suit in range(NUM_SUITS):
            suits[suit] = SHOWN_HELD if (natural_bits(meld) >> suit) & 1 else missing
    elif size > 0:
        suits[suit_of(meld)] = SHOWN_HELD
        for rank in range(NUM_RANKS):
            ranks[rank] = SHOWN_HELD * ((natural_bits(meld) >> rank) & 1) + SHOWN_JOKER * ((joker_bits(meld) >> rank) & 1)
        if size < LONGEST_RUN:
            ranks[lower_end(meld)] = SHOWN_FITS
            ranks[upper_end(meld)] = SHOWN_FITS


@compiled
def add_counts(counts, meld, sign):
    """Add its cards to counts by card index, or with -1 take them off."""
    naturals = natural_kinds(meld)
    for card in range(NUM_KINDS):
        counts[card] += sign * ((naturals >> card) & 1)
    counts[JOKER] += sign * count_jokers(meld)
