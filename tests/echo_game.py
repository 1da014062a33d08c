"""A tiny game whose value is known, and in which a seat is paid by the moves of the others.

A card, 0 or 1, lies open all the time. The seats move in turn, `ROUNDS` times each, and each names a number:

- who names the card gets `RIGHT`, who does not gets `WRONG`, but only in the next move, by whoever makes it (the last of a deal at once);
- who does not name the card gets the `BAIT` at once;
- in every move, each seat that does not make it gets the `DRIP`.

So naming the card is worth `RIGHT`, the other number `WRONG + BAIT`, and only the drip depends on where one sits.
"""

import numpy as np

from penzoo.envs.fields import common_fields
from penzoo.envs.game import Functions, Game, max_moves_option
from penzoo.envs.jit import compiled
from penzoo.envs.rng import random_below
from penzoo.envs.tables import ActionGroup, ActionTable, Layout, Piece

MAX_PLAYERS = 3
NUM_CARDS = 2
ROUNDS = 2
RIGHT, WRONG, BAIT, DRIP = 1.0, -1.0, 0.5, 0.125
NOBODY = -1

STATE = np.dtype([*common_fields(MAX_PLAYERS), ("card", np.int16), ("last_seat", np.int16), ("last_action", np.int16)], align=True)


def best_value(players: int) -> float:
    """What a seat gets in a deal if it always names the card."""
    return ROUNDS * RIGHT + ROUNDS * (players - 1) * DRIP


@compiled
def deck_size(state):
    return NUM_CARDS


@compiled
def chance(state, rng):
    state["card"] = random_below(rng, NUM_CARDS)


@compiled
def deal(state, deck, dealer):
    state["dealer"] = dealer
    state["seat"] = (dealer + 1) % state["players"]
    state["moves"] = 0
    state["terminated"] = 0
    state["truncated"] = 0
    state["last_seat"] = NOBODY


@compiled
def next_dealer(state):
    return state["dealer"]


@compiled
def legal_mask(state, mask):
    mask[:] = not (state["terminated"] or state["truncated"])


@compiled
def apply(state, action):
    seat = state["seat"]
    for other in range(state["players"]):
        if other != seat:
            state["rewards"][other] += DRIP
    if action != state["card"]:
        state["rewards"][seat] += BAIT
    pay_last(state)
    state["last_seat"] = seat
    state["last_action"] = action
    state["moves"] += 1
    state["seat"] = (seat + 1) % state["players"]
    if state["moves"] == ROUNDS * state["players"]:
        pay_last(state)
        state["terminated"] = 1
    elif state["moves"] >= state["max_moves"]:
        state["truncated"] = 1


@compiled
def pay_last(state):
    if state["last_seat"] != NOBODY:
        state["rewards"][state["last_seat"]] += RIGHT if state["last_action"] == state["card"] else WRONG


@compiled
def observe(state, seat, obs):
    obs[:] = 0
    obs[0] = state["card"]
    if state["moves"] < ROUNDS * state["players"]:
        obs[1 + state["moves"]] = 1


@compiled
def determinize(state, seat, rng):
    pass


@compiled
def view(state, out):
    observe(state, 0, out)


def layout(players: int) -> Layout:
    return Layout((Piece("card", 1, "the open card", "0 or 1"), Piece("moves", ROUNDS * players, "the number of moves made", "0 or 1")))


GAME = Game(
    name="echo",
    version=0,
    title="Echo",
    min_players=2,
    max_players=MAX_PLAYERS,
    default_players=2,
    state_dtype=STATE,
    card_names=("zero", "one"),
    options=(max_moves_option(1000),),
    actions=ActionTable((ActionGroup("name", ("zero", "one"), "name a number"),)),
    chances=(),
    deck=lambda players, options: np.arange(NUM_CARDS, dtype=np.int8),
    largest_deck=NUM_CARDS,
    observation_layout=layout,
    state_layout=layout,
    functions=Functions(deck_size, chance, deal, next_dealer, legal_mask, apply, observe, determinize, view),
    text=lambda state, viewer, reveal: "",
)
