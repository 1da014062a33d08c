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

    deck_size: Callable[..., int]
    chance: Callable[..., Any]
    deal: Callable[..., Any]
    next_dealer: Callable[..., int]
    legal_mask: Callable[..., Any]
    apply: Callable[..., Any]
    observe: Callable[..., Any]
    determinize: Callable[..., Any]
    view: Callable[..., Any]
    state_dtype: np.dtype
    state_bytes: int

RANDOM_DEALER, MATCH_DEALER, GIVEN_DEAL, NO_DEAL = range(4)  # how a deal begins
EVENT = -1  # in place of a seat
FLOAT_BYTES = 4
MOVE_BYTES = 4  # a seat and an action, int16 each


@dataclass(frozen=True)
class Loops:
    """The compiled loops of one game (`desk_parts` uncompiled); the arguments are those of the functions of the same name below."""

    start_rows: Callable[..., Any]
    step_rows: Callable[..., Any]
    step_one: Callable[..., Any]
    desk_parts: Callable[..., Any]
    refresh_rows: Callable[..., Any]
    observe_rows: Callable[..., Any]
    determinize_rows: Callable[..., Any]
    view_rows: Callable[..., Any]


def bind_loops(name: str, functions: "Functions", state_dtype: np.dtype) -> Loops:
    """The loops with a game's functions in them."""
    rules = {**vars(functions), "state_dtype": state_dtype, "state_bytes": state_dtype.itemsize}
    helpers = {helper.__name__: bind(helper, name, rules) for helper in (play, start, refresh, desk_parts)}
    loops = [loop for loop in Loops.__dataclass_fields__ if loop not in helpers]
    bound = {loop: bind(globals()[loop], name, {**rules, **helpers}) for loop in loops}
    return Loops(**bound, desk_parts=getattr(helpers["desk_parts"], "py_func", helpers["desk_parts"]))


def play(state, action, mask, history):
    """Play an action and then, with `auto_single`, whatever is forced; leaves the mask of the next decision in `mask`.

    `state["rewards"]` then holds the sums over all that was played. `history`, int16 of shape (2 n,), gets each move's seat and
    action at twice the number of moves made before it; with n = 0 nothing is kept.
    """
    state["rewards"][:] = 0
    while True:
        if len(history) > 0:
            history[2 * state["moves"]] = state["seat"]
            history[2 * state["moves"] + 1] = action
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
    deck = decks[row, : deck_size(state)]
    dealer = state["dealer"]
    if how != GIVEN_DEAL:
        stream = rng[row : row + 1]
        dealer = next_dealer(state) if how == MATCH_DEALER else random_below(stream, state["players"])
        deck.sort()  # so that the deal follows from the stream alone, not from the deck that lay there before
        shuffle(deck, stream)
        chance(state, stream)
    deal(state, deck, dealer)
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


def step_rows(states, decks, rng, actions, rows, lo, hi, how, history, observations, masks, seats, rewards, returns, terminated, truncated):
    """Play `actions[k]` in row `rows[k]`. A deal that ends is followed at once by another, begun as `how` says.

    With NO_DEAL it stays as it ended, and further actions in it do nothing.
    """
    for k in range(lo, hi):
        row = rows[k]
        state = states[row]
        rewards[row, :] = 0
        if state["terminated"] or state["truncated"]:
            continue
        if terminated[row] or truncated[row]:
            returns[row, :] = 0
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


def step_one(desk, action, size, moves):
    """Play an action in the one deal on a desk (`desk_parts`); returns the seat to move next, or EVENT if any seat was paid or the deal
    has ended.
    """
    states, observations, history, mask = desk_parts(desk, size, moves)
    state = states[0]
    play(state, action, mask, history)
    observe(state, state["seat"], observations)
    if state["terminated"] or state["truncated"]:
        return EVENT
    for seat in range(state["players"]):
        if state["rewards"][seat] != 0:
            return EVENT
    return np.int64(state["seat"])


def desk_parts(desk, size, moves):
    """Cut a desk into state, observation, history and mask.

    A desk is one uint8 array that holds all that a step of one deal reads and writes: handing an array to compiled code costs as much as
    the step itself, so there should be one.

    Args:
        desk: uint8, C-contiguous.
        size: of the observation.
        moves: for how many the history has room.

    Returns:
        Views: a record in an array of shape (1,), float32 of shape (size,), int16 of shape (2 * moves,), int8 of what is left.
    """
    observation = state_bytes
    history = observation + size * FLOAT_BYTES
    mask = history + moves * MOVE_BYTES
    return (
        desk[:observation].view(state_dtype),
        desk[observation:history].view(np.float32),
        desk[history:mask].view(np.int16),
        desk[mask:].view(np.int8),
    )


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
