"""The careful agent for Pengingan: weighs what a choice pays, what the cards left promise, and what it leaves to the next player."""

from typing import NamedTuple

import numpy as np

from penzoo.agents.pengingan import (
    read_card,
    read_counts,
    read_former,
    read_hand,
    read_last_put,
    read_loose,
    read_melds,
    read_open,
    read_turn,
)
from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.building import can_finish
from penzoo.envs.pengingan.melds import (
    MAX_FOUND,
    add,
    add_counts,
    can_take,
    count_cards,
    highest_rank,
    is_bound,
    is_comoquer,
    is_of_one_rank,
    list_melds,
    lowest_card,
    lowest_of,
    lowest_rank,
    single,
    split,
    suit_of,
    value,
    without,
)
from penzoo.envs.pengingan.payments import OUT_CHIPS
from penzoo.envs.pengingan.rules import CLOSE, DEMAND, DISCARD, EXTEND, NEW, PASS, PUT, REARRANGE, TURN
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
    Building,
    Phase,
)
from penzoo.envs.pengingan.views import AT

_DEAD, _PACKS, _STOCK_SIZE = AT["dead"], AT["packs"], AT["stock_size"]
_SECOND, _BUILD, _ASK_USE = (AT["phase"] + phase for phase in (Phase.SECOND, Phase.BUILD, Phase.ASK_USE))
_REARRANGE = AT["building"] + Building.REARRANGE - 1
_OFFERS = 2  # cards that a player is offered in a turn
_HALF = 0.5  # to round by

# What counts, in chips from each opponent.
_CARDS, _DANGER, _OUT, _STOP, _EXTEND_PAY, _USES, _HELD_PAY, _NEW_CARD, _NEW_PAY, _GIFT_PAY, _WAIT = range(11)
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
        0.03,  # _WAIT: the share of all that is promised that y adds when x is declined
    ]
)
_NOTHING = (0.0, 0.0, 0.0)


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


# ------------------------------------------------------------------------------------------------------------------- choices


@compiled
def careful(observation, mask, players):
    """Choose what weighs most by `WEIGHTS`."""
    return choose(observation, mask, players, WEIGHTS)


@compiled
def choose(observation, mask, players, weights):
    """As `careful`, by given weights, float64 of the shape of `WEIGHTS`."""
    last = find_last(mask)
    if not mask[:last].any():
        return last
    if mask[TURN]:
        return TURN
    sight = read_sight(observation, players, weights)
    if mask[DEMAND]:
        return choose_answer(observation, players, sight)
    if observation[_BUILD] > 0:
        action = choose_step(observation, sight)
    elif last < DISCARD:
        action = choose_use(observation, mask, sight)
    else:
        action = DISCARD + find_discard(mask[DISCARD:], sight)[0]
    return action if mask[action] else last  # where an option allows what the rules that it assumes do not


@compiled
def find_last(mask):
    """The last legal action."""
    for action in range(len(mask) - 1, -1, -1):
        if mask[action]:
            return action
    return PASS


@compiled
def choose_use(observation, mask, sight):
    """Decline the card, or use it in the way that weighs most."""
    card = read_card(observation)
    best, most = PASS, weigh_pass(observation, card, sight) if mask[PASS] else -np.inf
    for action in range(NEW, REARRANGE + 1):
        if mask[action]:
            weight = weigh_use(action, card, sight)
            if weight > most:
                best, most = action, weight
    return best


@compiled
def weigh_use(action, card, sight):
    """The weight of the best that can come of a use."""
    if action == REARRANGE:
        return weigh_rearranging(card, sight)
    if action == NEW:
        return find_target(count_melds(sight.melds), NO_MELD, single(card), NO_CARD, sight)[0]
    former = sight.melds[action - EXTEND]
    return find_target(action - EXTEND, former, add(former, card), NO_CARD, sight)[0]


@compiled
def weigh_pass(observation, card, sight):
    """The weight of declining: y goes to the next player, after x another card comes."""
    if observation[_SECOND] > 0:
        return weigh(sight) - weigh_gift(card, sight)
    return weigh(sight) * (1 + sight.weights[_WAIT])


@compiled
def choose_step(observation, sight):
    """The next step towards the best that the open meld can become."""
    number, last_put, card = read_open(observation), read_last_put(observation), read_card(observation)
    meld, former = int(sight.melds[number]), read_former(observation)
    if observation[_REARRANGE] > 0:
        _, target = find_division(meld, last_put, number, read_loose(observation), card, former, sight)
    else:
        _, target = find_target(number, former[number], meld, last_put, sight)
    card = lowest_of(without(target, meld))
    return CLOSE if card == NO_CARD else PUT + card


@compiled
def choose_answer(observation, players, sight):
    """Demand that a card is used where that does its owner harm, and that a discard goes back where it would do the receiver good."""
    card, turn = read_card(observation), read_turn(observation, players)
    if observation[_ASK_USE] > 0:
        return DEMAND if weigh_force(read_melds(observation, turn), card) < 0 else PASS
    receiver = (turn + 1) % players
    if receiver > 0:
        return DEMAND if weigh_force(read_melds(observation, receiver), card) > 0 else PASS
    best = -np.inf
    for number in range(MAX_MELDS):
        if sight.melds[number] != NO_MELD and can_take(sight.melds[number], card):
            best = max(best, weigh_use(EXTEND + number, card, sight))
    return PASS if best > weigh(sight) else DEMAND


@compiled
def weigh_force(melds, card):
    """What another player gains by extending with a card alone: the pay, and what going out will bring, the surer the nearer it is."""
    size, conditions, best = count_table(melds), sum_conditions(melds), -np.inf
    if size + 1 == ALL_OUT:
        return float(OUT_CHIPS)  # the deal would end, at least
    for number in range(MAX_MELDS):
        meld = melds[number]
        if meld != NO_MELD and can_take(meld, card):
            pay = value(add(meld, card))
            best = max(best, pay + ((size + 1) * (conditions + pay - value(meld)) - size * conditions) / ALL_OUT)
    return best


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


# ------------------------------------------------------------------------------------------------------------------ building


@compiled
def find_target(number, former, meld, last_put, sight):
    """The weight of the best that an open meld can become with cards from hand, and that meld; `former` is what it was before."""
    found, none, kept = np.empty(MAX_FOUND, np.int32), np.zeros(NUM_CARDS, np.int8), sight.melds[number]
    best, most = meld, -np.inf
    for index in range(list_melds(meld, last_put, none, sight.hand, found)):
        target = int(found[index])
        if is_bound(former) and not is_bound(target):
            continue
        sight.melds[number] = target
        add_counts(sight.hand, without(target, meld), -1)
        weight = find_pay(former, target) + weigh_laid(sight)
        add_counts(sight.hand, without(target, meld), 1)
        if weight > most:
            best, most = target, weight
    sight.melds[number] = kept
    return most, best


@compiled
def find_pay(former, target):
    """What a meld pays that is laid new or extended."""
    if former != NO_MELD and value(former) > 0:
        return value(target) * (count_cards(target) - count_cards(former))
    return value(target)


@compiled
def weigh_rearranging(card, sight):
    """The weight of the best rearrangement."""
    former, loose = sight.melds.copy(), np.zeros(NUM_CARDS, np.int8)
    for number in range(MAX_MELDS):
        add_counts(loose, former[number], 1)
    loose[card] += 1
    opener = lowest_card(loose, 0)
    loose[opener] -= 1
    sight.melds[:] = NO_MELD
    weight, _ = find_division(single(opener), NO_CARD, 0, loose, card, former, sight)
    sight.melds[:] = former
    return weight


@compiled
def find_division(meld, last_put, num_closed, loose, used, former, sight):
    """The weight of the best rearrangement that a search finds for each that the open meld can become, and that one."""
    melds, hand, found = sight.melds.copy(), sight.hand.copy(), np.empty(MAX_FOUND, np.int32)
    best, most = meld, -np.inf
    for index in range(list_melds(meld, last_put, loose, hand, found)):
        sight.melds[num_closed] = found[index]
        weight = weigh_division(meld, num_closed, loose.copy(), used, former, sight)
        sight.melds[:] = melds
        sight.hand[:] = hand
        if weight > most:
            best, most = int(found[index]), weight
    return most, best


@compiled
def weigh_division(meld, num_closed, loose, used, former, sight):
    """The weight of a rearrangement in which the open meld becomes what stands in its place; `sight` and `loose` are changed."""
    table = np.zeros(NUM_CARDS, np.int8)
    for number in range(MAX_MELDS):
        add_counts(table, former[number], 1)
    take(sight.melds[num_closed], meld, loose, sight.hand)
    if not can_finish(sight.melds, num_closed + 1, loose, sight.hand, table, used, False, former, count_melds(former)):
        return -np.inf
    for number in range(num_closed + 1, MAX_MELDS):
        if loose.any():
            take(sight.melds[number], NO_MELD, loose, sight.hand)
        else:
            sight.melds[number] = NO_MELD
    return find_pay_of_division(former, sight.melds) + weigh_laid(sight)


@compiled
def take(target, meld, loose, hand):
    """Take from the loose cards, else from hand, what makes the one meld out of the other."""
    from_loose, from_hand = split(target, meld, loose)
    add_counts(loose, from_loose, -1)
    add_counts(hand, from_hand, -1)


@compiled
def find_pay_of_division(former, melds):
    """What a rearrangement pays: each condition that did not lie there before."""
    pay = 0
    for number in range(MAX_MELDS):
        if melds[number] != NO_MELD and not (former == melds[number]).any():
            pay += value(melds[number])
    return pay


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
    parts, best, most = find_parts(sight), 0, -np.inf
    for card in range(NUM_CARDS):
        if allowed[card] and sight.hand[card] > 0:
            weight = weigh_without(card, parts, sight)
            if weight > most:
                best, most = card, weight
    return best, most


@compiled
def weigh_without(card, parts, sight):
    """What own cards promise after a discard, less what it gives to the next player."""
    parts = plus(parts, find_parts_of(card, sight), -1)
    sight.hand[card] -= 1
    weight = weigh_parts(plus(parts, find_parts_of(card, sight), 1), sight)
    sight.hand[card] += 1
    return weight - weigh_gift(card, sight)


@compiled
def weigh(sight):
    """What own cards promise."""
    return weigh_parts(find_parts(sight), sight)


@compiled
def weigh_parts(parts, sight):
    """What the parts promise together: chips to come, and going out, the likelier the more uses are to come and the fewer are needed."""
    uses, extension_pay, pay = parts
    weights, needed = sight.weights, sight.hand.sum() + 1
    out = weights[_OUT] * sum_conditions(sight.melds) + weights[_STOP] * sight.threat
    extensions = weights[_EXTEND_PAY] * extension_pay * needed / (needed + weights[_USES] * uses)
    return pay + extensions + out * uses / (uses + needed)


@compiled
def plus(one, other, times):
    """The sum of parts, of the others so many times."""
    return one[0] + times * other[0], one[1] + times * other[1], one[2] + times * other[2]


@compiled
def find_parts(sight):
    """What own cards promise, in parts: uses to come, what extensions will pay, and what other cards will."""
    parts = _NOTHING
    for number in range(MAX_MELDS):
        if sight.melds[number] != NO_MELD:
            parts = plus(parts, find_parts_of_meld(sight.melds[number], sight), 1)
    if sight.melds[MAX_MELDS - 1] == NO_MELD:
        for rank in range(NUM_RANKS):
            parts = plus(parts, find_parts_of_rank(rank, sight), 1)
        for suit in range(NUM_SUITS):
            parts = plus(parts, find_parts_of_suit(suit, sight), 1)
    return parts


@compiled
def find_parts_of(card, sight):
    """The parts in which cards of one kind in hand have a share."""
    parts = _NOTHING
    for number in range(MAX_MELDS):
        if sight.melds[number] != NO_MELD and can_take(sight.melds[number], card):
            parts = plus(parts, find_parts_of_extension(sight.melds[number], card, sight), 1)
    if sight.melds[MAX_MELDS - 1] == NO_MELD:
        parts = plus(parts, find_parts_of_rank(card % NUM_RANKS, sight), 1)
        parts = plus(parts, find_parts_of_suit(card // NUM_RANKS, sight), 1)
    return parts


@compiled
def find_parts_of_meld(meld, sight):
    """What can come onto an own meld."""
    parts = _NOTHING
    if is_of_one_rank(meld):
        for suit in range(NUM_SUITS):
            parts = plus(parts, find_parts_of_extension(meld, suit * NUM_RANKS + lowest_rank(meld), sight), 1)
        return parts
    first, low, high = suit_of(meld) * NUM_RANKS, lowest_rank(meld), highest_rank(meld)
    if low > 0:
        parts = plus(parts, find_parts_of_extension(meld, first + low - 1, sight), 1)
    if high < NUM_RANKS - 1:
        parts = plus(parts, find_parts_of_extension(meld, first + high + 1, sight), 1)
    return parts


@compiled
def find_parts_of_extension(meld, card, sight):
    """What cards of a kind promise for an own meld, those to come and those in hand; nothing if they spoil it."""
    if not can_take(meld, card) or value(add(meld, card)) < value(meld):
        return _NOTHING
    coming, pay, held = sight.coming[card], value(add(meld, card)), int(sight.hand[card])
    if not is_of_one_rank(meld):
        held = min(held, 1)
    return coming, coming * pay, sight.weights[_HELD_PAY] * held * pay


@compiled
def find_parts_of_rank(rank, sight):
    """What the cards of a rank in hand promise as a new group."""
    parts, total, suits = _NOTHING, 0, 0
    for suit in range(NUM_SUITS):
        total += sight.hand[suit * NUM_RANKS + rank]
        suits += sight.hand[suit * NUM_RANKS + rank] > 0
    if total < MELD_SIZE - 1:
        return parts
    for suit in range(NUM_SUITS):
        card = suit * NUM_RANKS + rank
        alike = sight.hand[card]
        of_one_suit = value(add(add(single(card), card), card))
        if alike >= MELD_SIZE - 1 and of_one_suit > 0:
            parts = plus(parts, find_parts_of_new(card, alike, of_one_suit, sight), 1)
        elif suits - (alike > 0) >= MELD_SIZE - 1 or not is_comoquer(rank):
            parts = plus(parts, find_parts_of_new(card, total, value_of_mixed(rank), sight), 1)
    return parts


@compiled
def value_of_mixed(rank):
    """The value of a group of different suits."""
    return value(add(add(single(rank), NUM_RANKS + rank), 2 * NUM_RANKS + rank))


@compiled
def find_parts_of_suit(suit, sight):
    """What the cards of a suit in hand promise as a new run."""
    hand, first, parts, below = sight.hand, suit * NUM_RANKS, _NOTHING, 0
    for rank in range(NUM_RANKS):
        above = 0
        while rank + above + 1 < NUM_RANKS and hand[first + rank + above + 1] > 0:
            above += 1
        if below + above >= MELD_SIZE - 1:
            pay = value_of_run(first + rank - below, first + rank + above)
            parts = plus(parts, find_parts_of_new(first + rank, below + above, pay, sight), 1)
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
def find_parts_of_new(card, cards, pay, sight):
    """What a card to come promises as a new meld with so many cards from hand, that pays so much."""
    coming = sight.coming[card]
    return coming * sight.weights[_NEW_CARD] * cards, 0.0, coming * sight.weights[_NEW_PAY] * pay


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
