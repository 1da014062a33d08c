"""The rules of Kunken (RULES.md): the deal, and what follows from an action. Marks S, D, O are that page's.

Every function works in place on one record (`state.STATE`), compiled or not. What is allowed is in `legal`, combinations are in `melds`,
stock and bank in `stock`, points in `scores`.
"""

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken import melds
from penzoo.envs.kunken.actions import CLOSE, DISCARD, DRAW, MELD, PUT, SWAP, TAKE
from penzoo.envs.kunken.melds import card_points, fitting, honours, swappable
from penzoo.envs.kunken.scores import pay
from penzoo.envs.kunken.state import (
    HAND_SIZE,
    JOKER,
    MELD_WIDTH,
    NO_MELD,
    NOBODY,
    NUM_KINDS,
    Duty,
    LayOnDraw,
    Phase,
)
from penzoo.envs.kunken.stock import card_at, clear_bank, draw, pop, push

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
        for k in range(position, position + HAND_SIZE):
            state["hand"][seat, deck[k]] += 1
        state["hand_size"][seat] = HAND_SIZE
        position += HAND_SIZE
    push(state, int(deck[position]))
    size = len(deck) - position - 1
    state["stock_size"] = size
    for depth in range(size):
        state["stock"][depth] = deck[len(deck) - 1 - depth]
    state["seat"] = dealer
    _begin_turn(state)


@compiled
def _clear(state):
    state["moves"] = 0
    state["terminated"] = 0
    state["truncated"] = 0
    state["stock"][:] = 0
    state["is_recycled"] = 0
    clear_bank(state)
    state["hand"][:] = 0
    state["hand_size"][:] = 0
    state["known"][:] = 0
    state["known_size"][:] = 0
    state["opened"][:] = 0
    state["laid"][:] = 0
    state["meld"][:] = NO_MELD
    state["owner"][:] = NOBODY
    state["num_melds"] = 0
    state["fits"][:] = 0
    state["swaps"][:] = 0
    state["shown"][:] = 0
    state["winner"] = NOBODY
    state["is_express"] = 0


@compiled
def next_dealer(state):
    """Who deals next in a match: the deal passes to the next seat (S)."""
    return (state["dealer"] + 1) % state["players"]


# --------------------------------------------------------------------------------------------------------------------- apply


@compiled
def apply(state, action):
    """Play a legal action. Rewards are added to `state["rewards"]`, which whoever calls has cleared."""
    state["moves"] += 1
    if action >= DISCARD:
        _apply_discard(state, action - DISCARD)
    elif action == CLOSE:
        _apply_close(state)
    elif action >= SWAP:
        _apply_swap(state, action - SWAP)
    elif action >= MELD:
        _apply_meld(state, action - MELD)
    elif action >= PUT:
        _apply_put(state, action - PUT)
    elif action >= TAKE:
        _apply_take(state, action - TAKE)
    elif action == DRAW:
        _apply_draw(state)
    else:
        _end(state)  # without a winner (D)
    if not state["terminated"] and state["moves"] >= state["max_moves"]:
        state["truncated"] = 1
        pay(state)


@compiled
def _end(state):
    state["terminated"] = 1
    pay(state)


@compiled
def _apply_draw(state):
    seat = state["seat"]
    state["hand"][seat, draw(state)] += 1
    state["hand_size"][seat] += 1
    may_lay = state["opened"][seat] and state["lay_on_draw"] != LayOnDraw.NEVER
    state["phase"] = Phase.LAY if may_lay else Phase.DRAWN


@compiled
def _apply_take(state, copy):
    """Take the bank from a card on, which brings the duty to lay that card (S)."""
    seat, bottom = state["seat"], state["place"][copy]
    state["named"] = card_at(copy)
    while state["bank_size"] >= bottom:
        card = pop(state)
        state["hand"][seat, card] += 1
        state["hand_size"][seat] += 1
        state["known"][seat, card] += 1
        state["known_size"][seat] += 1
        if state["bank_size"] >= bottom:
            state["aside"][card] += 1
            state["aside_size"] += 1
    _set_duty(state)
    state["phase"] = Phase.DUTY


@compiled
def _set_duty(state):
    if state["opened"][state["seat"]]:
        state["duty"] = Duty.THIRD
    else:
        state["duty"] = Duty.OPENING
        state["needed"] = state["opening_points"]


@compiled
def _leave_hand(state, card):
    """Take a card out of the hand of the player in turn; of its copies one that is known goes first, but for those that wait (D)."""
    seat = state["seat"]
    state["hand"][seat, card] -= 1
    state["hand_size"][seat] -= 1
    if state["known"][seat, card] > state["aside"][card]:
        state["known"][seat, card] -= 1
        state["known_size"][seat] -= 1


@compiled
def _set_meld(state, number, meld):
    """Let a combination be this, in all forms in which it is kept."""
    state["meld"][number] = meld
    state["fits"][number] = fitting(meld)
    state["swaps"][number] = swappable(meld)
    melds.show(meld, state["shown"][number * MELD_WIDTH : (number + 1) * MELD_WIDTH])


@compiled
def _apply_put(state, place):
    """Put a card (`place` its index), or a joker that stands for it (its index behind all those)."""
    is_joker, card = place >= NUM_KINDS, place % NUM_KINDS
    _leave_hand(state, JOKER if is_joker else card)
    state["laid"][state["seat"]] += card_points(card, honours(state["ten_is_honour"]))
    if state["phase"] == Phase.BUILD or state["phase"] == Phase.ADD:
        number = state["open_meld"]
        meld = state["meld"][number]
        _set_meld(state, number, melds.with_joker(meld, card) if is_joker else melds.with_card(meld, card))
        state["is_changed"] = 1
        return
    if state["phase"] == Phase.DRAWN:
        _set_duty(state)
    number = int(state["num_melds"])
    state["num_melds"] += 1
    state["open_meld"] = number
    state["owner"][number] = state["seat"]
    _set_meld(state, number, melds.begun_with_joker(card) if is_joker else melds.begun_with(card))
    state["phase"] = Phase.BUILD


@compiled
def _apply_meld(state, number):
    state["open_meld"] = number
    state["is_changed"] = 0
    state["back"] = state["phase"]
    state["phase"] = Phase.ADD


@compiled
def _apply_swap(state, card):
    """The card goes in, the joker into the hand; no points change (S, D)."""
    seat, number = state["seat"], state["open_meld"]
    _leave_hand(state, card)
    state["hand"][seat, JOKER] += 1
    state["hand_size"][seat] += 1
    state["known"][seat, JOKER] += 1
    state["known_size"][seat] += 1
    _set_meld(state, number, melds.with_swapped(state["meld"][number], card))
    state["is_changed"] = 1


@compiled
def _apply_close(state):
    number = state["open_meld"]
    state["open_meld"] = NOBODY
    state["is_changed"] = 0
    if state["phase"] == Phase.ADD:
        state["phase"] = state["back"]
        state["back"] = Phase.LAY
        return
    meld = state["meld"][number]
    if state["named"] != NO_CARD and melds.holds(meld, state["named"]):
        state["named"] = NO_CARD
    if state["duty"] == Duty.OPENING:
        state["needed"] = max(0, int(state["needed"]) - melds.meld_points(meld, honours(state["ten_is_honour"])))
    if state["named"] == NO_CARD and state["needed"] == 0:
        state["duty"] = Duty.NONE
        state["opened"][state["seat"]] = 1
        state["aside"][:] = 0
        state["aside_size"] = 0
    state["phase"] = Phase.LAY if state["duty"] == Duty.NONE else Phase.DUTY


@compiled
def _apply_discard(state, card):
    seat = state["seat"]
    _leave_hand(state, card)
    push(state, card)
    if state["hand_size"][seat] == 0:
        state["winner"] = seat
        state["is_express"] = not state["had_opened"]
        _end(state)
    else:
        _begin_turn(state)


@compiled
def _begin_turn(state):
    seat = state["seat"] + 1
    seat = seat if seat < state["players"] else 0
    state["seat"] = seat
    state["had_opened"] = state["opened"][seat]
    state["phase"] = Phase.START
    state["duty"] = Duty.NONE
    state["named"] = NO_CARD
    state["needed"] = 0
    state["aside"][:] = 0
    state["aside_size"] = 0
    state["open_meld"] = NOBODY
    state["is_changed"] = 0
    state["back"] = Phase.LAY
