"""The rules of Pengingan (RULES.md): what is allowed and what follows. Marks S, D, O are that page's.

Every function works in place on one record (`state.STATE`), compiled or not. Melds are in `melds`, arrangements in `building`.
"""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan import building
from penzoo.envs.pengingan.melds import can_begin, can_extend, can_take, count_cards, value
from penzoo.envs.pengingan.state import (
    ALL_OUT,
    FEWEST_PACKS,
    HAND_SIZE,
    MAX_MELDS,
    NO_MELD,
    NOBODY,
    NUM_CARDS,
    Building,
    ExtensionPay,
    Forcing,
    GoingOut,
    Phase,
    StockOut,
)
from penzoo.envs.rng import random_below, shuffle

# the actions, in the order of their table
PASS, DEMAND, TURN, NEW, EXTEND = range(5)
REARRANGE = EXTEND + MAX_MELDS
PUT = REARRANGE + 1
CLOSE = PUT + NUM_CARDS
DISCARD = CLOSE + 1
NUM_ACTIONS = DISCARD + NUM_CARDS

OUT_CHIPS = 1  # from each opponent for going out (S)
_HALF = np.uint64(32)  # bits of a seed
_HALVES = 1 << 32

# ---------------------------------------------------------------------------------------------------------------------- deal


@compiled
def packs(state):
    """How many packs are in play: as many as players, unless the option says otherwise (S, O)."""
    return int(state["players"]) if state["packs"] == 0 else int(state["packs"]) + FEWEST_PACKS - 1


@compiled
def deck_size(state):
    """How many cards the deck has."""
    return packs(state) * NUM_CARDS


@compiled
def chance(state, rng):
    """Draw what the order of the deck leaves open: the seed of the reshuffle."""
    high, low = np.uint64(random_below(rng, _HALVES)), np.uint64(random_below(rng, _HALVES))
    state["reshuffle_seed"] = (high << _HALF) | low | np.uint64(1)  # a stream is never 0
    state["reshuffled"][:] = NO_CARD


@compiled
def deal(state, deck, dealer):
    """Deal `deck` (int8 card indices, dealt from the front) into a record whose options and chance are set."""
    players = int(state["players"])
    _clear(state)
    state["dealer"] = dealer
    position = 0
    for turn in range(players):
        seat = (dealer + 1 + turn) % players
        state["hand_size"][seat] = HAND_SIZE
        for k in range(position, position + HAND_SIZE):
            state["hand"][seat, deck[k]] += 1
        position += HAND_SIZE
    size = len(deck) - position
    state["stock_size"] = size
    for depth in range(size):
        state["stock"][depth] = deck[len(deck) - 1 - depth]
    state["turn"] = dealer
    _turn_up(state)
    _begin_turn(state)


@compiled
def _clear(state):
    state["moves"] = 0
    state["terminated"] = 0
    state["truncated"] = 0
    state["is_extra"] = 0
    state["is_forced"] = 0
    state["is_returned"] = 0
    state["stock"][:] = 0
    state["dead"][:] = 0
    state["dead_size"] = 0
    state["is_reshuffled"] = 0
    state["hand"][:] = 0
    state["hand_size"][:] = 0
    state["known"][:] = 0
    state["known_size"][:] = 0
    state["meld"][:] = NO_MELD
    state["num_melds"][:] = 0
    state["table_size"][:] = 0
    state["table"][:] = 0
    state["live"][:] = 0
    state["chips"][:] = 0
    state["out_seat"] = NOBODY
    building.clear(state)


@compiled
def next_dealer(state):
    """Who deals next in a match: the deal passes to the right (D), to the next seat."""
    return (state["dealer"] + 1) % state["players"]


# --------------------------------------------------------------------------------------------------------------------- legal


@compiled
def legal_mask(state, mask):
    """Set `mask` (int8 of shape (NUM_ACTIONS,)) to 1 where the seat to move may act so, 0 elsewhere; all 0 after the end."""
    mask[:] = 0
    phase = state["phase"]
    if state["terminated"] or state["truncated"]:
        return
    if phase == Phase.FIRST or phase == Phase.SECOND:
        _legal_use(state, mask)
    elif phase == Phase.ASK_USE or phase == Phase.ASK_DISCARD:
        mask[PASS] = 1
        mask[DEMAND] = 1
    elif phase == Phase.BUILD:
        _legal_build(state, mask)
    elif phase == Phase.DISCARD:
        _legal_discard(state, mask)
    elif phase == Phase.FORCED:
        _legal_forced(state, mask)
    else:
        mask[PASS] = 1
        mask[TURN] = can_turn(state)


@compiled
def _legal_use(state, mask):
    seat, card = state["turn"], int(state["card"])
    hand = state["hand"][seat]
    mask[PASS] = state["forcing"] != Forcing.ALWAYS or not state["live"][seat, card]
    mask[NEW] = can_begin(card, hand, hand, 0)
    for number in range(state["num_melds"][seat]):
        mask[EXTEND + number] = can_extend(state["meld"][seat, number], card, hand)
    mask[REARRANGE] = state["rearrange"] != 0 and building.can_rearrange(state, seat, card)


@compiled
def _legal_forced(state, mask):
    seat = state["turn"]
    for number in range(state["num_melds"][seat]):
        mask[EXTEND + number] = can_take(state["meld"][seat, number], int(state["card"]))


@compiled
def _legal_build(state, mask):
    mask[CLOSE] = building.mark_steps(state, mask[PUT:CLOSE])


@compiled
def _legal_discard(state, mask):
    """Any card from hand; but none that is live for the next player where it must not be, unless all are (S, O)."""
    hand, live = state["hand"][state["turn"]], state["live"][next_seat(state, state["turn"])]
    only_dead = (state["forcing"] == Forcing.ALWAYS or state["is_returned"] != 0) and holds_other(hand, live)
    for card in range(NUM_CARDS):
        mask[DISCARD + card] = (hand[card] > 0) & ((live[card] == 0) | (not only_dead))


@compiled
def holds_other(hand, live):
    """Whether there is a card in hand that is not live; both int8 of shape (40,)."""
    count = 0
    for card in range(NUM_CARDS):
        count += (hand[card] > 0) & (live[card] == 0)
    return count > 0


@compiled
def can_turn(state):
    """Whether a card can be turned from the stock, or will be after a reshuffle (O)."""
    return state["stock_size"] > 0 or can_reshuffle(state)


@compiled
def can_reshuffle(state):
    """Whether the dead cards may still become a new stock (O)."""
    return state["stock_out"] == StockOut.RESHUFFLE and not state["is_reshuffled"] and state["dead_size"] > 0


# --------------------------------------------------------------------------------------------------------------------- apply


@compiled
def apply(state, action):
    """Play a legal action of the seat to move; what it pays is added to the record's `rewards`."""
    state["moves"] += 1
    if action >= DISCARD:
        _apply_discard(state, action - DISCARD)
    elif action == CLOSE:
        _apply_close(state)
    elif action >= PUT:
        building.put(state, action - PUT)
    elif action == PASS:
        _apply_pass(state)
    elif action == DEMAND:
        _apply_demand(state)
    elif action == TURN:
        _apply_turn(state)
    else:
        _apply_use(state, action)
    if not state["terminated"] and state["moves"] >= state["max_moves"]:
        state["truncated"] = 1


@compiled
def _apply_pass(state):
    """Decline, waive, or end the turn."""
    phase, seat = state["phase"], state["turn"]
    if phase == Phase.EXTRA:
        _begin_turn(state)
    elif phase == Phase.ASK_USE:
        if not _asknext_seat(state):
            _decline(state)
    elif phase == Phase.ASK_DISCARD:
        if not _asknext_seat(state):
            _end_discard(state)
    elif state["forcing"] == Forcing.ASK and state["live"][seat, state["card"]]:
        state["phase"] = Phase.ASK_USE
        _asknext_seat(state)
    else:
        _decline(state)


@compiled
def _asknext_seat(state):
    """Let the next opponent be asked (D); returns whether there is one."""
    seat = next_seat(state, state["seat"])
    state["seat"] = seat
    return seat != state["turn"]


@compiled
def _decline(state):
    """The card is not used: x is dead, and y is turned (S); y stays for the next player (S)."""
    if state["is_turned"]:
        _begin_turn(state)
        return
    _bury(state)
    if can_turn(state):
        _turn_up(state)
        state["phase"] = Phase.SECOND
    else:
        state["terminated"] = 1  # nobody went out, all payments stand (D)


@compiled
def _apply_demand(state):
    seat, card = state["turn"], state["card"]
    state["seat"] = seat
    if state["phase"] == Phase.ASK_USE:
        state["is_forced"] = 1
        state["phase"] = Phase.FORCED
        return
    state["hand"][seat, card] += 1
    state["hand_size"][seat] += 1
    state["known"][seat, card] += 1
    state["known_size"][seat] += 1
    state["card"] = NO_CARD
    state["is_returned"] = 1
    state["phase"] = Phase.DISCARD


@compiled
def _apply_turn(state):
    """Turn the extra card, which covers and kills the discard (S)."""
    state["is_extra"] = 1
    covered = state["card"]
    _turn_up(state)
    state["dead"][covered] += 1
    state["dead_size"] += 1
    state["phase"] = Phase.SECOND


@compiled
def _apply_use(state, action):
    if state["phase"] != Phase.FORCED:
        state["is_forced"] = 0
    if action == NEW:
        building.begin(state, Building.NEW, 0)
    elif action == REARRANGE:
        building.begin(state, Building.REARRANGE, 0)
    else:
        building.begin(state, Building.EXTEND, action - EXTEND)
    state["phase"] = Phase.BUILD


@compiled
def _apply_close(state):
    seat, kind = state["turn"], state["building"]
    if not building.close(state):
        return
    _pay(state, seat, _earned(state, seat, kind))
    building.clear(state)
    state["card"] = NO_CARD
    state["is_returned"] = 0
    state["phase"] = Phase.DISCARD
    if state["table_size"][seat] == ALL_OUT:
        _go_out(state)


@compiled
def _apply_discard(state, card):
    seat = state["turn"]
    live = state["live"][next_seat(state, seat)]
    may_object = live[card] != 0 and state["forcing"] == Forcing.ASK and holds_other(state["hand"][seat], live)
    building.take_from_hand(state, seat, card)
    state["card"] = card
    state["is_turned"] = 0
    if state["hand_size"][seat] == 0 and state["going_out"] == GoingOut.EMPTY_HAND:
        _go_out(state)
    elif may_object:
        state["phase"] = Phase.ASK_DISCARD
        _asknext_seat(state)
    else:
        _end_discard(state)


@compiled
def _end_discard(state):
    """The discard stays: after a demanded card there may be an extra one, once (S, D)."""
    if state["is_forced"] and not state["is_extra"]:
        state["seat"] = state["turn"]
        state["phase"] = Phase.EXTRA
    else:
        _begin_turn(state)


@compiled
def _begin_turn(state):
    """The next player is offered what lies face up."""
    state["turn"] = next_seat(state, state["turn"])
    state["seat"] = state["turn"]
    state["is_turned"] = 0
    state["is_extra"] = 0
    state["is_forced"] = 0
    state["is_returned"] = 0
    state["phase"] = Phase.FIRST


@compiled
def next_seat(state, seat):
    """Who plays after a seat."""
    return seat + 1 if seat + 1 < state["players"] else 0


# --------------------------------------------------------------------------------------------------------------------- stock


@compiled
def _bury(state):
    """Turn the face-up card down: it is dead."""
    state["dead"][state["card"]] += 1
    state["dead_size"] += 1
    state["card"] = NO_CARD


@compiled
def _turn_up(state):
    """Turn the next card of the stock face up; there must be one, or dead cards for a new stock."""
    if state["stock_size"] == 0:
        _reshuffle(state)
    state["stock_size"] -= 1
    depth = state["stock_size"]
    state["card"] = state["stock"][depth]
    state["stock"][depth] = 0  # a card turned leaves no trace for whoever is handed a record
    state["is_turned"] = 1


@compiled
def _reshuffle(state):
    """The dead cards become a new stock (O), in the order of `reshuffled` as far as that names them, the others at random after these."""
    order = np.empty(state["dead_size"], np.int8)
    count = 0
    for position in range(len(state["reshuffled"])):
        card = state["reshuffled"][position]
        if card != NO_CARD and state["dead"][card] > 0:
            state["dead"][card] -= 1
            order[count] = card
            count += 1
    named = count
    for card in range(NUM_CARDS):
        for _ in range(state["dead"][card]):
            order[count] = card
            count += 1
    rng = np.empty(1, np.uint64)
    rng[0] = state["reshuffle_seed"]
    shuffle(order[named:], rng)
    state["reshuffled"][:] = NO_CARD
    for position in range(count):
        state["reshuffled"][position] = order[position]
        state["stock"][count - 1 - position] = order[position]
    state["stock_size"] = count
    state["dead"][:] = 0
    state["dead_size"] = 0
    state["is_reshuffled"] = 1


# ------------------------------------------------------------------------------------------------------------------ payments


@compiled
def _pay(state, seat, chips):
    """Every opponent pays a player so many chips."""
    players = state["players"]
    for other in range(players):
        amount = -chips if other != seat else chips * (players - 1)
        state["chips"][other] += amount
        state["rewards"][other] += amount


@compiled
def _earned(state, seat, kind):
    """What the arrangement that has just been closed pays, in chips from each opponent (S, D)."""
    if kind == Building.REARRANGE:
        return _earned_by_rearranging(state, seat)
    number = state["open_meld"]
    meld = state["meld"][seat, number]
    if kind == Building.NEW:
        return value(meld)
    former = state["former"][number]
    if value(former) == 0 or state["extension_pay"] == ExtensionPay.ONCE:
        return value(meld)
    return value(meld) * (count_cards(meld) - count_cards(former))


@compiled
def _earned_by_rearranging(state, seat):
    """Every condition pays that did not lie there exactly so before (D)."""
    chips, matched = 0, 0
    for number in range(state["num_melds"][seat]):
        meld, is_new = state["meld"][seat, number], True
        for place in range(state["num_former"]):
            if is_new and not matched >> place & 1 and state["former"][place] == meld:
                matched |= 1 << place
                is_new = False
        if is_new:
            chips += value(meld)
    return chips


@compiled
def _go_out(state):
    """A chip from each opponent, and once more what every condition on the table is worth (S, D)."""
    seat, chips = state["turn"], OUT_CHIPS
    for number in range(state["num_melds"][seat]):
        chips += value(state["meld"][seat, number])
    _pay(state, seat, chips)
    state["out_seat"] = seat
    state["terminated"] = 1
