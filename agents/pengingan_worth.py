"""What cards are worth to the careful agent for Pengingan: what it reads from an observation, and how it weighs that."""

from typing import NamedTuple

import numpy as np

from penzoo.agents.pengingan import (
    read_card,
    read_counts,
    read_hand,
    read_loose,
    read_melds,
)
from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.melds import (
    add,
    add_counts,
    can_take,
    count_cards,
    highest_rank,
    is_comoquer,
    is_of_one_rank,
    lowest_rank,
    single,
    suit_of,
    value,
)
from penzoo.envs.pengingan.payments import OUT_CHIPS
from penzoo.envs.pengingan.state import (
    ALL_OUT,
    MAX_DECK,
    MAX_MELDS,
    MAX_PACKS,
    MELD_SIZE,
    NO_MELD,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    Phase,
)
from penzoo.envs.pengingan.views import AT

_DEAD, _PACKS, _STOCK_SIZE = AT["dead"], AT["packs"], AT["stock_size"]
_BUILD = AT["phase"] + Phase.BUILD
_OFFERS = 2  # cards that a player is offered in a turn
_HALF = 0.5  # to round by

# What counts, in chips from each opponent. The numbers were found in two steps. An evolution strategy (CMA-ES) played them against tables
# of greedy and of earlier versions, all on common decks. Then some 40,000 decisions at tables of two, four and seven were taken from play
# of the agent with itself; what each legal action brings was estimated by playing on 40 times from copies in which all that is hidden was
# dealt anew, and the same strategy looked for the weights whose choices bring most. A second round, with the agent so found, changed
# nothing that play could show.
_CARDS, _DANGER, _OUT, _STOP, _EXTEND_PAY, _USES, _HELD_PAY, _NEW_CARD, _NEW_PAY, _GIFT_PAY, WAIT = range(11)
WEIGHTS = np.array(
    [
        9.0,  # _CARDS: offered yet while nobody else has a card on the table
        0.6,  # _DANGER: the share of them that is not, once somebody else has all cards there
        0.68,  # _OUT: for each chip that going out would bring
        0.32,  # _STOP: for each chip that it would keep another player from collecting
        0.7,  # _EXTEND_PAY: for each chip that cards to come would pay as extensions …
        2.5,  # _USES: … the less, the more uses to come compete for the cards in hand that they cost
        0.22,  # _HELD_PAY: for each chip that a card in hand will pay when it goes along with another onto an own meld
        0.38,  # _NEW_CARD: a card to come is so much of a use for each card in hand that makes a new meld with it
        0.42,  # _NEW_PAY: for each chip that cards to come would pay as new melds
        0.28,  # _GIFT_PAY: lost for each chip that a live card pays the next player, if it is left there
        0.03,  # WAIT: the share of all that is promised that y adds when x is declined
    ]
)
_NOTHING = (0.0, 0.0, 0.0, 0.0)


class Sight(NamedTuple):
    """What an observation shows, for weighing.

    Attributes:
        hand: own hand, int8 of shape (40,); changed and put back while something is weighed.
        melds: own melds, int32 of shape (3,); likewise.
        next_melds: those of the next player.
        coming: how many cards of each kind are expected to be offered yet, float64 of shape (40,).
        threat: what another player would collect by going out, on average.
        weights: float64 of the shape of `WEIGHTS`.
    """

    hand: np.ndarray
    melds: np.ndarray
    next_melds: np.ndarray
    coming: np.ndarray
    threat: float
    weights: np.ndarray


# ------------------------------------------------------------------------------------------------------------------- reading


@compiled
def read_sight(observation, players, weights):
    """What an observation shows, for weighing."""
    hand, melds, next_melds = read_hand(observation), read_melds(observation, 0), read_melds(observation, 1)
    unseen, most, threat = find_unseen(observation, hand, melds), 0, 0
    for seat in range(1, players):
        table = next_melds if seat == 1 else read_melds(observation, seat)
        for number in range(MAX_MELDS):
            add_counts(unseen, table[number], -1)
        threat += sum_conditions(table)
        most = max(most, count_table(table))
    stock = int(observation[_STOCK_SIZE] * MAX_DECK + _HALF)
    cards = min(weights[_CARDS] * (1 - weights[_DANGER] * most / ALL_OUT), _OFFERS * stock / players)
    coming = np.maximum(unseen, 0) * (cards / max(1, unseen.sum()))
    return Sight(hand, melds, next_melds, coming, threat / (players - 1), weights)


@compiled
def find_unseen(observation, hand, melds):
    """How many cards of each kind are neither in sight nor on another's table, or may be there, int8 of shape (40,)."""
    unseen = np.full(NUM_CARDS, int(observation[_PACKS] * MAX_PACKS + _HALF), np.int8)
    unseen -= hand
    unseen -= read_counts(observation, _DEAD)
    for number in range(MAX_MELDS):
        add_counts(unseen, melds[number], -1)
    if observation[_BUILD] > 0:
        unseen -= read_loose(observation)
    elif read_card(observation) != NO_CARD:
        unseen[read_card(observation)] -= 1
    return unseen


@compiled
def count_melds(melds):
    """How many melds there are."""
    count = 0
    for number in range(MAX_MELDS):
        count += melds[number] != NO_MELD
    return count


@compiled
def count_table(melds):
    """How many cards lie in melds."""
    count = 0
    for number in range(MAX_MELDS):
        count += count_cards(melds[number])
    return count


@compiled
def sum_conditions(melds):
    """What going out with these melds brings from each opponent."""
    chips = OUT_CHIPS
    for number in range(MAX_MELDS):
        if melds[number] != NO_MELD:
            chips += value(melds[number])
    return chips


# ------------------------------------------------------------------------------------------------------------------ weighing


@compiled
def weigh_laid(sight):
    """The weight of what lies there after an arrangement, beside its pay: going out, or what is left after the best discard."""
    if not sight.hand.any():
        return float(sum_conditions(sight.melds))
    return find_discard(sight.hand, sight)[1]


@compiled
def find_discard(allowed, sight):
    """The best discard of those for which `allowed` is not 0, and what own cards are then worth, less what it gives away."""
    parts, cards, best, most = find_parts(sight), sight.hand.sum() - 1, 0, -np.inf
    for card in range(NUM_CARDS):
        if allowed[card] and sight.hand[card] > 0:
            left = plus(parts, find_lost(card, sight.melds, sight.hand, sight.coming, sight.weights), -1)
            weight = weigh_parts(left, cards, sight.weights) - weigh_gift(card, sight)
            if weight > most:
                best, most = card, weight
    return best, most


@compiled
def find_lost(card, melds, hand, coming, weights):
    """The parts that are lost with a discard."""
    before = find_parts_of(card, melds, hand, coming, weights)
    hand[card] -= 1
    after = find_parts_of(card, melds, hand, coming, weights)
    hand[card] += 1
    return plus(before, after, -1)


@compiled
def weigh(sight):
    """What own cards promise."""
    return weigh_parts(find_parts(sight), sight.hand.sum(), sight.weights)


@compiled
def weigh_parts(parts, cards, weights):
    """What the parts promise together, with so many cards in hand: to go out is likelier with more uses to come and fewer needed."""
    uses, extension_pay, pay, out = parts
    needed = cards + 1
    competition = needed / (needed + weights[_USES] * uses)
    return pay + weights[_EXTEND_PAY] * extension_pay * competition + out * uses / (uses + needed)


@compiled
def plus(one, other, times):
    """The sum of parts, of the others so many times."""
    return one[0] + times * other[0], one[1] + times * other[1], one[2] + times * other[2], one[3] + times * other[3]


@compiled
def find_parts(sight):
    """What own cards promise, in parts: uses to come, what extensions will pay, what other cards will, and what going out is worth."""
    hand, melds, coming, weights = sight.hand, sight.melds, sight.coming, sight.weights
    parts = (0.0, 0.0, 0.0, weights[_OUT] * sum_conditions(melds) + weights[_STOP] * sight.threat)
    for number in range(MAX_MELDS):
        if melds[number] != NO_MELD:
            parts = plus(parts, find_parts_of_meld(melds[number], hand, coming, weights), 1)
    if melds[MAX_MELDS - 1] == NO_MELD:
        for rank in range(NUM_RANKS):
            parts = plus(parts, find_parts_of_rank(rank, hand, coming, weights), 1)
        for suit in range(NUM_SUITS):
            parts = plus(parts, find_parts_of_suit(suit, hand, coming, weights), 1)
    return parts


@compiled
def find_parts_of(card, melds, hand, coming, weights):
    """The parts in which cards of one kind in hand have a share."""
    parts = _NOTHING
    for number in range(MAX_MELDS):
        if melds[number] != NO_MELD and can_take(melds[number], card):
            parts = plus(parts, find_parts_of_extension(melds[number], card, hand, coming, weights), 1)
    if melds[MAX_MELDS - 1] == NO_MELD:
        parts = plus(parts, find_parts_of_rank(card % NUM_RANKS, hand, coming, weights), 1)
        parts = plus(parts, find_parts_of_suit(card // NUM_RANKS, hand, coming, weights), 1)
    return parts


@compiled
def find_parts_of_meld(meld, hand, coming, weights):
    """What can come onto an own meld."""
    parts = _NOTHING
    if is_of_one_rank(meld):
        for suit in range(NUM_SUITS):
            parts = plus(parts, find_parts_of_extension(meld, suit * NUM_RANKS + lowest_rank(meld), hand, coming, weights), 1)
        return parts
    first, low, high = suit_of(meld) * NUM_RANKS, lowest_rank(meld), highest_rank(meld)
    if low > 0:
        parts = plus(parts, find_parts_of_extension(meld, first + low - 1, hand, coming, weights), 1)
    if high < NUM_RANKS - 1:
        parts = plus(parts, find_parts_of_extension(meld, first + high + 1, hand, coming, weights), 1)
    return parts


@compiled
def find_parts_of_extension(meld, card, hand, coming, weights):
    """What cards of a kind promise for an own meld, those to come and those in hand; nothing if they spoil it."""
    if not can_take(meld, card) or value(add(meld, card)) < value(meld):
        return _NOTHING
    offered, pay, held = coming[card], value(add(meld, card)), int(hand[card])
    if not is_of_one_rank(meld):
        held = min(held, 1)
    return offered, offered * pay, weights[_HELD_PAY] * held * pay, 0.0


@compiled
def find_parts_of_rank(rank, hand, coming, weights):
    """What the cards of a rank in hand promise as a new group."""
    parts, total, suits = _NOTHING, 0, 0
    for suit in range(NUM_SUITS):
        total += hand[suit * NUM_RANKS + rank]
        suits += hand[suit * NUM_RANKS + rank] > 0
    if total < MELD_SIZE - 1:
        return parts
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        alike = hand[card]
        if alike >= MELD_SIZE - 1:
            parts = plus(parts, find_parts_of_new(card, alike, value(add(add(single(card), card), card)), coming, weights), 1)
        elif suits - (alike > 0) >= MELD_SIZE - 1 or not is_comoquer(rank):
            parts = plus(parts, find_parts_of_new(card, total, value_of_mixed(rank), coming, weights), 1)
    return parts


@compiled
def value_of_mixed(rank):
    """The value of a group of different suits."""
    return value(add(add(single(rank), NUM_RANKS + rank), 2 * NUM_RANKS + rank))


@compiled
def find_parts_of_suit(suit, hand, coming, weights):
    """What the cards of a suit in hand promise as a new run."""
    first, parts, below = suit * NUM_RANKS, _NOTHING, 0
    held = 0
    for rank in range(NUM_RANKS):
        held |= (hand[first + rank] > 0) << rank
    if held & (held >> 1 | held >> MELD_SIZE - 1) == 0:  # no two of them are near enough
        return parts
    for rank in range(NUM_RANKS):
        above = 0
        while rank + above + 1 < NUM_RANKS and hand[first + rank + above + 1] > 0:
            above += 1
        if below + above >= MELD_SIZE - 1:
            pay = value_of_run(first + rank - below, first + rank + above)
            parts = plus(parts, find_parts_of_new(first + rank, below + above, pay, coming, weights), 1)
        below = below + 1 if hand[first + rank] > 0 else 0
    return parts


@compiled
def value_of_run(low, high):
    """The value of a run from one card to another."""
    run = single(low)
    for card in range(low + 1, high + 1):
        run = add(run, card)
    return value(run)


@compiled
def find_parts_of_new(card, cards, pay, coming, weights):
    """What a card to come promises as a new meld with so many cards from hand, that pays so much."""
    offered = coming[card]
    return offered * weights[_NEW_CARD] * cards, 0.0, offered * weights[_NEW_PAY] * pay, 0.0


@compiled
def weigh_gift(card, sight):
    """What the next player gets by a card that is left there: nothing if it is not live."""
    best, is_live = 0.0, False
    for number in range(MAX_MELDS):
        meld = sight.next_melds[number]
        if meld != NO_MELD and can_take(meld, card):
            is_live = True
            best = max(best, sight.weights[_GIFT_PAY] * value(add(meld, card)))
    if is_live and count_table(sight.next_melds) == ALL_OUT - 1:
        best += sum_conditions(sight.next_melds)
    return best
