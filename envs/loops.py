"""Loops over many deals, written once; `bind_loops` compiles them for a game.

The names in the block below stand for the game's own functions, which are put in their place when the loops are bound.
In all of them `lo` and `hi` bound the part of `rows` that a thread works on; a row's arrays are written by its own thread only.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penzoo.envs.jit import bind
from penzoo.envs.rng import random_below, shuffle

if TYPE_CHECKING:
    from penzoo.envs.game import Functions

    chance: Callable[..., Any]
    deal: Callable[..., Any]
    next_dealer: Callable[..., int]
    legal_mask: Callable[..., Any]
    apply: Callable[..., Any]
    observe: Callable[..., Any]
    determinize: Callable[..., Any]
    view: Callable[..., Any]

RANDOM_DEALER, MATCH_DEALER, GIVEN_DEAL, NO_DEAL = range(4)  # how a deal begins


@dataclass(frozen=True)
class Loops:
    """The compiled loops of one game; the arguments are those of the functions of the same name below."""

    start_rows: Callable[..., Any]
    step_rows: Callable[..., Any]
    step_one: Callable[..., Any]
    refresh_rows: Callable[..., Any]
    observe_rows: Callable[..., Any]
    determinize_rows: Callable[..., Any]
    view_rows: Callable[..., Any]


def bind_loops(name: str, functions: "Functions") -> Loops:
    """The loops with a game's functions in them."""
    rules = vars(functions)
    helpers = {helper.__name__: bind(helper, name, rules) for helper in (play, start, refresh)}
    return Loops(**{loop: bind(globals()[loop], name, {**rules, **helpers}) for loop in Loops.__dataclass_fields__})


def play(state, action, mask, history):
    """Play an action and then, with `auto_single`, whatever is forced; leaves the mask of the next decision in `mask`.

    `state["rewards"]` then holds the sums over all that was played. `history`, int16 of shape (n, 2), gets each move's seat and action
    at the number of moves made before it; with n = 0 nothing is kept.
    """
    state["rewards"][:] = 0
    while True:
        if len(history) > 0:
            history[state["moves"], 0] = state["seat"]
            history[state["moves"], 1] = action
        apply(state, action)
        legal_mask(state, mask)
        if not state["auto_single"]:
            return
        count = 0
        for index in range(len(mask)):
            if mask[index]:
                count += 1
                action = index
        if count != 1:
            return


def start(states, decks, rng, row, how):
    """Begin a deal in a row; GIVEN_DEAL takes the dealer, the deck and the rest of chance as they stand there."""
    state = states[row]
    dealer = state["dealer"]
    if how != GIVEN_DEAL:
        stream = rng[row : row + 1]
        dealer = next_dealer(state) if how == MATCH_DEALER else random_below(stream, state["players"])
        shuffle(decks[row], stream)
        chance(state, stream)
    deal(state, decks[row], dealer)
    state["rewards"][:] = 0


def start_rows(states, decks, rng, rows, lo, hi, how, observations, masks, seats):
    """Begin deals, and fill what the seat to move gets."""
    for k in range(lo, hi):
        row = rows[k]
        start(states, decks, rng, row, how)
        refresh(states, row, observations, masks, seats)


def refresh(states, row, observations, masks, seats):
    """Fill a row's observation, mask and seat to move from its record."""
    state = states[row]
    seats[row] = state["seat"]
    legal_mask(state, masks[row])
    observe(state, state["seat"], observations[row])


def refresh_rows(states, rows, lo, hi, observations, masks, seats):
    """Fill observation, mask and seat to move from the records."""
    for k in range(lo, hi):
        refresh(states, rows[k], observations, masks, seats)


def step_rows(
    states, decks, rng, actions, rows, lo, hi, how, history, observations, masks, seats, rewards, returns, terminated, truncated
):
    """Play `actions[k]` in row `rows[k]`. A deal that ends is followed at once by another, begun as `how` says.

    With NO_DEAL it stays as it ended, and further actions in it do nothing.
    """
    for k in range(lo, hi):
        row = rows[k]
        state = states[row]
        if terminated[row] or truncated[row]:
            returns[row, :] = 0
        rewards[row, :] = 0
        if state["terminated"] or state["truncated"]:
            continue
        play(state, actions[k], masks[row], history)
        for seat in range(state["players"]):
            rewards[row, seat] = state["rewards"][seat]
            returns[row, seat] += state["rewards"][seat]
        terminated[row] = state["terminated"]
        truncated[row] = state["truncated"]
        if how != NO_DEAL and (state["terminated"] or state["truncated"]):
            start(states, decks, rng, row, how)
            legal_mask(state, masks[row])
        seats[row] = state["seat"]
        observe(state, state["seat"], observations[row])


def step_one(states, action, observations, masks, history):
    """Play an action in row 0; returns whether any seat was paid or the deal ended."""
    state = states[0]
    play(state, action, masks[0], history)
    observe(state, state["seat"], observations[0])
    event = state["terminated"] or state["truncated"]
    for seat in range(state["players"]):
        event = event or state["rewards"][seat] != 0
    return event


def observe_rows(states, rows, seats, lo, hi, observations):
    """Write into `observations[k]` what `seats[k]` sees of row `rows[k]`."""
    for k in range(lo, hi):
        observe(states[rows[k]], seats[k], observations[k])


def determinize_rows(states, seats, rng, lo, hi):
    """Deal anew in record k, with stream k, all that `seats[k]` cannot see."""
    for k in range(lo, hi):
        determinize(states[k], seats[k], rng[k : k + 1])


def view_rows(states, lo, hi, out):
    """Write into `out[k]` the whole of record k."""
    for k in range(lo, hi):
        view(states[k], out[k])
