"""Dealing anew what a seat cannot see (RULES.md, "What a player sees"): what fits, and what else the record may tell."""

import numpy as np

from penzoo.envs.hidden import bind_determinize
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.rules import NUM_ACTIONS, holds_other, legal_mask, next_seat
from penzoo.envs.pengingan.state import LIVE, Phase
from penzoo.envs.pengingan.stock import chance
from penzoo.envs.reshuffle import note_stock


@compiled
def _is_possible(state, seat):
    """Whether the player in turn could have done what all have seen.

    What a player has begun to build can be finished from that player's hand, and a player who may have to take a discard back has
    another card to give.
    """
    turn = state["turn"]
    if turn == seat or state["terminated"] or state["truncated"]:
        return True
    if state["phase"] == Phase.ASK_DISCARD or (state["phase"] == Phase.DISCARD and state["is_returned"]):
        return holds_other(state["hand"][turn], state["shown"][next_seat(state, turn), LIVE:])
    if state["phase"] == Phase.BUILD:
        mask = np.zeros(NUM_ACTIONS, np.int8)
        legal_mask(state, mask)
        return mask.any()
    return True


@compiled
def _note_chance(state, rng):
    """Let the record tell no other order of cards than that of the new stock."""
    chance(state, rng)
    if state["is_reshuffled"]:
        note_stock(state["stock"][: state["stock_size"]], state["reshuffled"])


determinize = bind_determinize("pengingan", _is_possible, _note_chance)
