"""The stock of Pengingan, the dead cards, and the new stock that these may become (RULES.md, "Cards and deal", "End")."""

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.state import FEWEST_PACKS, NUM_CARDS, StockOut
from penzoo.envs.reshuffle import draw_seed, new_stock


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
    state["reshuffle_seed"] = draw_seed(rng)
    state["reshuffled"][:] = NO_CARD


@compiled
def is_reshuffle_left(state):
    """Whether the dead cards, if there are any, may still become a new stock (O)."""
    return state["stock_out"] == StockOut.RESHUFFLE and not state["is_reshuffled"]


@compiled
def can_turn(state):
    """Whether a card can be turned from the stock, or from a new one."""
    return state["stock_size"] > 0 or (state["dead_size"] > 0 and is_reshuffle_left(state))


@compiled
def bury(state):
    """Turn the face-up card down: it is dead."""
    state["dead"][state["card"]] += 1
    state["dead_size"] += 1
    state["card"] = NO_CARD


@compiled
def turn_up(state):
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
    """The dead cards become a new stock (O)."""
    state["stock_size"] = new_stock(state["dead"], state["reshuffled"], state["reshuffle_seed"], state["stock"])
    state["dead"][:] = 0
    state["dead_size"] = 0
    state["is_reshuffled"] = 1
