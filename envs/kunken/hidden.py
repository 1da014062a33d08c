"""Dealing anew what a seat cannot see (RULES.md, "What a player sees"): what fits, and what else the record may tell."""

import numpy as np

from penzoo.envs.hidden import bind_determinize
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.actions import NUM_ACTIONS
from penzoo.envs.kunken.legal import legal_mask
from penzoo.envs.kunken.state import Phase
from penzoo.envs.kunken.stock import chance
from penzoo.envs.reshuffle import note_stock


@compiled
def _is_possible(state, seat):
    """Whether the player in turn can meet the duty, finish what is half-built, and add to the combination that has been chosen."""
    if state["seat"] == seat or state["terminated"] or state["truncated"]:
        return True
    if state["phase"] == Phase.DUTY or state["phase"] == Phase.BUILD or state["phase"] == Phase.ADD:
        mask = np.zeros(NUM_ACTIONS, np.int8)
        legal_mask(state, mask)
        return mask.any()
    return True


@compiled
def _note_chance(state, rng):
    """Let the record tell no other order of cards than that of the new stock."""
    chance(state, rng)
    if state["is_recycled"]:
        note_stock(state["stock"][: state["stock_size"]], state["recycled"])


determinize = bind_determinize("kunken", _is_possible, _note_chance)
