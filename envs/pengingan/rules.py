"""The rules of Pengingan (RULES.md): what is allowed and what follows. Marks S, D, O are that page's.

Every function works in place on one record (`state.STATE`), compiled or not. Melds are in `melds`, arrangements in `building`, the stock in
`stock`, chips in `payments`.
"""

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan import building
from penzoo.envs.pengingan.melds import can_begin, can_extend, can_take
from penzoo.envs.pengingan.payments import earned, go_out, pay
from penzoo.envs.pengingan.state import (
    ALL_OUT,
    HAND_SIZE,
    LIVE,
    MAX_MELDS,
    NO_MELD,
    NOBODY,
    NUM_CARDS,
    Building,
    Forcing,
    GoingOut,
    Phase,
)
from penzoo.envs.pengingan.stock import bury, can_turn, turn_up

# the actions, in the order of their table
PASS, DEMAND, TURN, NEW, EXTEND = range(5)
REARRANGE = EXTEND + MAX_MELDS
PUT = REARRANGE + 1
CLOSE = PUT + NUM_CARDS
DISCARD = CLOSE + 1
NUM_ACTIONS = DISCARD + NUM_CARDS


# ---------------------------------------------------------------------------------------------------------------------- deal


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
    turn_up(state)
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
    state["shown"][:] = 0
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
    mask[PASS] = state["forcing"] != Forcing.ALWAYS or not state["shown"][seat, LIVE + card]
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
    hand, live = state["hand"][state["turn"]], state["shown"][next_seat(state, state["turn"]), LIVE:]
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
        if not _ask_next(state):
            _decline(state)
    elif phase == Phase.ASK_DISCARD:
        if not _ask_next(state):
            _end_discard(state)
    elif state["forcing"] == Forcing.ASK and state["shown"][seat, LIVE + state["card"]]:
        state["phase"] = Phase.ASK_USE
        _ask_next(state)
    else:
        _decline(state)


@compiled
def _ask_next(state):
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
    bury(state)
    if can_turn(state):
        turn_up(state)
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
    turn_up(state)
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
    pay(state, seat, earned(state, seat, kind))
    building.clear(state)
    state["card"] = NO_CARD
    state["is_turned"] = 0
    state["phase"] = Phase.DISCARD
    if state["table_size"][seat] == ALL_OUT:
        go_out(state)


@compiled
def _apply_discard(state, card):
    seat = state["turn"]
    live = state["shown"][next_seat(state, seat), LIVE:]
    may_object = live[card] != 0 and state["forcing"] == Forcing.ASK and holds_other(state["hand"][seat], live)
    building.take_from_hand(state, seat, card)
    state["card"] = card
    state["is_returned"] = 0
    if state["hand_size"][seat] == 0 and state["going_out"] == GoingOut.EMPTY_HAND:
        go_out(state)
    elif may_object:
        state["phase"] = Phase.ASK_DISCARD
        _ask_next(state)
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
