"""The careful agent for Pengingan: weighs what a choice pays, what the cards left promise, and what it leaves to the next player."""

import numpy as np

from penzoo.agents.pengingan import (
    read_card,
    read_former,
    read_last_put,
    read_loose,
    read_melds,
    read_open,
    read_turn,
)
from penzoo.agents.pengingan_worth import (
    WAIT,
    WEIGHTS,
    count_melds,
    count_table,
    find_discard,
    read_sight,
    sum_conditions,
    weigh,
    weigh_gift,
    weigh_laid,
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
    is_bound,
    list_melds,
    lowest_card,
    lowest_of,
    single,
    split,
    value,
    without,
)
from penzoo.envs.pengingan.payments import OUT_CHIPS
from penzoo.envs.pengingan.rules import CLOSE, DEMAND, DISCARD, EXTEND, NEW, PASS, PUT, REARRANGE, TURN
from penzoo.envs.pengingan.state import (
    ALL_OUT,
    MAX_MELDS,
    NO_MELD,
    NUM_CARDS,
    Building,
    Phase,
)
from penzoo.envs.pengingan.views import AT

_SECOND, _BUILD, _ASK_USE = (AT["phase"] + phase for phase in (Phase.SECOND, Phase.BUILD, Phase.ASK_USE))
_REARRANGE = AT["building"] + Building.REARRANGE - 1


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
    return weigh(sight) * (1 + sight.weights[WAIT])


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
