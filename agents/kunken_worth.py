"""What cards are worth to the careful agent for Kunken: what it reads from an observation, and how it weighs that."""

from typing import NamedTuple

import numpy as np

from penzoo.agents.kunken import HONOURS, IS_THERE, read_bank, read_counts, read_size
from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.lists import JOKERS, KINDS, POINTS, list_melds, new_list
from penzoo.envs.kunken.melds import card_points
from penzoo.envs.kunken.opening import held_kinds
from penzoo.envs.kunken.state import (
    HIGH,
    JOKER,
    MAX_DECK,
    MAX_MELDS,
    MELD_WIDTH,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    PACKS,
)
from penzoo.envs.kunken.views import AT, BLOCK_SIZE

_FITS, _HAND_SIZE, _KNOWN, _OPENED = AT["fits"], AT["seat_0.hand_size"], AT["seat_0.known"], AT["seat_0.opened"]
_SIZE, _SUITS, _RANKS = (AT[f"meld_0_{name}"] for name in ("size", "suits", "ranks"))
_THREES = 6  # combinations of three in which a card can be, jokers left out: three sets and three runs
_SETS = 3  # of them
_LAST = 1e6  # more than any other card weighs: a joker is discarded where there is nothing else

# What counts, in points; each tried alone against greedy on common decks, at tables of two and of four. The first eight stand there twice:
# for one who has not opened, and for one who has.
FULL, PART, FAINT, BANKED, JOKER_PART, COST, RISK, DANGER = range(8)
AFTER = 8  # so much further on for one who has opened
TWIN, UNOPENED, JOKER_KEEP, OUT, DRAW_GAIN, HOLD, HOLD_NEAR = range(16, 23)
WEIGHTS = np.array(
    [
        2.0,  # FULL: a point of a combination of three that is complete in hand
        0.2,  # PART: of one that lacks a card, for each copy of that which may come
        0.01,  # FAINT: of one that lacks two, for each pair of copies
        3.0,  # BANKED: a copy in the bank is as much as so many hidden ones
        0.5,  # JOKER_PART: of one that lacks a card, at least, with a joker in hand
        0.2,  # COST: lost for each point left in hand …
        1.0,  # RISK: … and so much more, divided by the cards that the nearest to going out has
        2.0,  # DANGER: lost for each point that others could lay with a discard, by its probability, on their average
        *(1.0, 0.2, 0.01, 4.0, 0.5, 0.2, 1.0, 0.5),  # the same after the opening, when cards to come can be drawn for and laid at once
        0.3,  # TWIN: the share of its use that a card has of which there are two
        0.7,  # UNOPENED: what one who has not opened can lay with a discard, as against one who has
        60.0,  # JOKER_KEEP: for a joker in hand, more than for any other card
        40.0,  # OUT: for going out
        5.0,  # DRAW_GAIN: for a draw, against a take
        4.0,  # HOLD: with more cards than these a joker is kept for the bank …
        3.0,  # HOLD_NEAR: … while all others who have opened have more cards than so many
    ]
)


class Sight(NamedTuple):
    """What an observation shows, for weighing.

    Attributes:
        coming: how many copies of each kind may come, float64 of shape (52,), those in the bank by their weight.
        held: how likely each opponent holds a card of each kind, float64 of shape (players, 52), by the root of what counts for it.
        cost: of a point left in hand.
        after: AFTER if the observer has opened, else 0.
        weights: float64 of the shape of `WEIGHTS`.
    """

    coming: np.ndarray
    held: np.ndarray
    cost: float
    after: int
    weights: np.ndarray


# ------------------------------------------------------------------------------------------------------------------- reading


@compiled
def read_sight(observation, players, hand, weights):
    """What an observation shows, for weighing; `hand` is the observer's."""
    after = AFTER if has_opened(observation, 0) else 0
    hidden, banked = find_unseen(observation, hand), count_bank(observation)
    known = np.zeros((players, NUM_CARDS), np.int8)
    for seat in range(1, players):
        known[seat] = read_counts(observation, _KNOWN + seat * BLOCK_SIZE)
    coming, total = np.empty(NUM_KINDS), 0
    for card in range(NUM_KINDS):
        count = int(hidden[card]) - banked[card]
        for seat in range(1, players):
            count -= known[seat, card]
        hidden[card] = max(count, 0)
        total += max(count, 0)
        coming[card] = hidden[card] + weights[after + BANKED] * banked[card]
    held = np.zeros((players, NUM_KINDS))
    for seat in range(1, players):
        fill_held(observation, seat, hidden, total, known[seat], weights, held[seat])
    return Sight(coming, held, find_cost(observation, players, weights), after, weights)


@compiled
def fill_held(observation, seat, hidden, total, known, weights, held):
    """Write how likely a seat holds a card of each kind."""
    scale = 1.0 if has_opened(observation, seat) else np.sqrt(weights[UNOPENED])
    rate = max(0, read_hand_size(observation, seat) - known.sum()) / max(1, total)
    for card in range(NUM_KINDS):
        held[card] = scale * (1.0 if known[card] > 0 else min(1.0, rate * hidden[card]))


@compiled
def has_opened(observation, seat):
    """Whether a seat, counted from the observer's, has opened."""
    return observation[_OPENED + seat * BLOCK_SIZE] > 0


@compiled
def read_hand_size(observation, seat):
    """How many cards a seat has in hand."""
    return read_size(observation, _HAND_SIZE + seat * BLOCK_SIZE)


@compiled
def find_nearest(observation, players):
    """The fewest cards that another has who has opened; more than there are if nobody has."""
    nearest = MAX_DECK
    for seat in range(1, players):
        if has_opened(observation, seat):
            nearest = min(nearest, read_hand_size(observation, seat))
    return nearest


@compiled
def find_cost(observation, players, weights):
    """What a point left in hand costs: the more, the nearer another is to going out."""
    after = AFTER if has_opened(observation, 0) else 0
    return weights[after + COST] + weights[after + RISK] / max(1, find_nearest(observation, players))


@compiled
def count_bank(observation):
    """How many cards of each kind lie in the bank, int8 of shape (53,)."""
    counts = np.zeros(NUM_CARDS, np.int8)
    bank, size = read_bank(observation)
    for depth in range(size):
        counts[bank[depth]] += 1
    return counts


@compiled
def find_unseen(observation, hand):
    """How many cards of each kind are neither in hand nor on the table, int8 of shape (52,)."""
    unseen = np.full(NUM_KINDS, PACKS, np.int8)
    for card in range(NUM_KINDS):
        unseen[card] -= hand[card]
    for number in range(MAX_MELDS):
        at = number * MELD_WIDTH
        if observation[_SIZE + at] == 0:
            break
        for rank in range(NUM_RANKS):
            if observation[_RANKS + at + rank] == IS_THERE:  # not a joker
                for suit in range(NUM_SUITS):
                    unseen[suit * NUM_RANKS + rank] -= observation[_SUITS + at + suit] > 0
    return unseen


# ------------------------------------------------------------------------------------------------------------------ weighing


@compiled
def partners(card, number):
    """The two other cards of one of the six combinations of three in which a card can be."""
    suit, rank = card // NUM_RANKS, card % NUM_RANKS
    if number < _SETS:
        one, other = (suit + 1 + number) % NUM_SUITS, (suit + 1 + (number + 1) % _SETS) % NUM_SUITS
        return one * NUM_RANKS + rank, other * NUM_RANKS + rank
    lowest = rank + NUM_RANKS - (number - _SETS)
    one = lowest if number > _SETS else lowest + 1
    other = lowest + 1 if number == _THREES - 1 else lowest + 2
    return suit * NUM_RANKS + one % NUM_RANKS, suit * NUM_RANKS + other % NUM_RANKS


@compiled
def points_of(card):
    """What a card counts in hand, tens being low."""
    return card_points(card, HONOURS)


@compiled
def weigh_use(card, hand, sight):
    """What a card in hand promises together with others there, and with those that may come."""
    weights, use, after = sight.weights, 0.0, sight.after
    for number in range(_THREES):
        one, other = partners(card, number)
        points = points_of(card) + points_of(one) + points_of(other)
        if hand[one] > 0 and hand[other] > 0:
            use += weights[after + FULL] * points
        elif hand[one] > 0 or hand[other] > 0:
            missing = other if hand[one] > 0 else one
            use += points * max(weights[after + PART] * sight.coming[missing], weights[after + JOKER_PART] if hand[JOKER] > 0 else 0.0)
        else:
            use += points * weights[after + FAINT] * sight.coming[one] * sight.coming[other]
    return use


@compiled
def weigh_danger(card, sight):
    """What others could lay with a card from the bank; at a larger table it costs less, as only differences to the mean count."""
    danger = 0.0
    for seat in range(1, len(sight.held)):
        held = sight.held[seat]
        for number in range(_THREES):
            one, other = partners(card, number)
            danger += held[one] * held[other] * (points_of(card) + points_of(one) + points_of(other))
    return sight.weights[sight.after + DANGER] * danger / (len(sight.held) - 1)


@compiled
def weigh_keeping(card, hand, sight):
    """What is lost by discarding a card from a hand."""
    if card == JOKER:
        return _LAST
    use = weigh_use(card, hand, sight)
    if hand[card] > 1:
        use *= sight.weights[TWIN]
    return use - sight.cost * points_of(card) + weigh_danger(card, sight)


@compiled
def pack(found, count, held, twice, jokers):
    """Combinations of a list laid one after the other, each time the dearest; a joker counts no more than in hand.

    Returns:
        Their points, their kinds, and their jokers.
    """
    total, used, filled = 0, np.int64(0), 0
    while True:
        index = find_dearest(found, count, held, jokers - filled)
        if index < 0:
            return total, used, filled
        kinds = found[index, KINDS]
        held, twice = held & ~(kinds & ~twice), twice & ~kinds
        total, used, filled = total + found[index, POINTS], used | kinds, filled + found[index, JOKERS]


@compiled
def find_dearest(found, count, held, jokers):
    """The combination of a list that brings most of what is held, jokers taken off; -1 if there is none."""
    index, most = -1, -1
    for other in range(count):
        points = found[other, POINTS] - HIGH * found[other, JOKERS]
        if points > most and found[other, JOKERS] <= jokers and found[other, KINDS] & ~held == 0:
            index, most = other, points
    return index


@compiled
def weigh_hand(hand, observation, cost, weights):
    """What a hand can lay out, as if it had opened, less what its other cards cost."""
    held, twice = held_kinds(hand)
    found, count = list_melds(held, 0, NO_CARD, HONOURS, new_list())
    total, left = 0.0, 0
    while True:
        index = find_dearest(found, count, held, 0)
        if index < 0:
            break
        kinds = found[index, KINDS]
        held, twice = held & ~(kinds & ~twice), twice & ~kinds
        total += found[index, POINTS]
    for card in range(NUM_KINDS):
        copies = ((held >> card) & 1) + ((twice >> card) & 1)
        if copies > 0 and observation[_FITS + card] > 0:
            total += points_of(card)
            copies -= 1
        left += copies
        total -= cost * points_of(card) * copies
    total += weights[JOKER_KEEP] * hand[JOKER]
    return total + weights[OUT] if left <= 1 + hand[JOKER] else total
