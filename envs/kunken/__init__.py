"""Kunken: a two-pack rummy with jokers and an open bank, for 2 to 5 players. The rules: RULES.md beside this file."""

from typing import Any

import numpy as np

from penzoo.envs.game import Functions, Game, Outcome, max_moves_option
from penzoo.envs.kunken import hidden, legal, rules, stock, views
from penzoo.envs.kunken.actions import ACTIONS
from penzoo.envs.kunken.scores import score
from penzoo.envs.kunken.screen import remark, text
from penzoo.envs.kunken.state import (
    CARDS,
    DEFAULT_JOKERS,
    DEFAULT_OPENING,
    JOKER,
    MAX_DECK,
    MAX_JOKERS,
    MAX_OPENING,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_KINDS,
    PACKS,
    STATE,
    StockOut,
)
from penzoo.envs.options import Option, flag
from penzoo.envs.reshuffle import pile_chance

MAX_MOVES = 2000


def _full_deck(players: int, options: dict[str, Any]) -> np.ndarray:
    return np.repeat(np.arange(JOKER + 1, dtype=np.int8), _copies(options))


def _copies(options: np.void | dict[str, Any]) -> np.ndarray:
    return np.array([PACKS] * NUM_KINDS + [options["jokers"]])


def _won(states: np.ndarray) -> np.ndarray:
    won: np.ndarray = states["winner"][:, None] == np.arange(states["players"][0])
    return won


def _express(states: np.ndarray) -> np.ndarray:
    return _won(states) & states["is_express"][:, None].astype(bool)


def _infos(state: np.void) -> list[dict[str, Any]]:
    is_express = bool(state["is_express"])
    return [{"score": int(score(state, seat)), "express": is_express} for seat in range(state["players"])]


GAME = Game(
    name="kunken",
    version=0,
    title="Kunken",
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    default_players=3,
    state_dtype=STATE,
    card_names=CARDS,
    options=(
        Option("jokers", DEFAULT_JOKERS, "jokers in the deck", bounds=(0, MAX_JOKERS)),
        flag("ten_is_honour", False, "a ten counts 10 points, as A K Q J do, not 5"),
        Option(
            "lay_on_draw",
            "opened",
            "who may lay out after drawing: opened: one who has opened in an earlier turn; never: nobody, jokers may be swapped; "
            "any: one who has not may open, too",
            choices=("opened", "never", "any"),
        ),
        Option("opening_points", DEFAULT_OPENING, "points that the first laying-out must bring", bounds=(0, MAX_OPENING)),
        flag("swap_own_jokers", False, "jokers may be swapped out of own combinations, too"),
        Option(
            "stock_out",
            "end",
            "end: with an empty stock one may pass, which ends the deal; recycle: the bank but for its top card becomes a new stock, once",
            choices=("end", "recycle"),
        ),
        Option(
            "reward",
            "zero_sum",
            "zero_sum: a seat's score less the mean of all scores; score: the score",
            choices=("zero_sum", "score"),
        ),
        max_moves_option(MAX_MOVES),
    ),
    actions=ACTIONS,
    chances=(
        pile_chance(
            "recycled",
            "the new stock of `stock_out=recycle`, in the order in which it is drawn",
            "kunken",
            CARDS,
            _copies,
            ("stock_out", "recycle", StockOut.RECYCLE),
        ),
    ),
    deck=_full_deck,
    largest_deck=MAX_DECK,
    observation_layout=views.observation_layout,
    state_layout=views.state_layout,
    functions=Functions(
        deck_size=stock.deck_size,
        chance=stock.chance,
        deal=rules.deal,
        next_dealer=rules.next_dealer,
        legal_mask=legal.legal_mask,
        apply=rules.apply,
        observe=views.observe,
        determinize=hidden.determinize,
        view=views.view,
    ),
    text=text,
    remark=remark,
    infos=_infos,
    outcomes=(
        Outcome("won", "discarded the last card, and so ended the deal", _won),
        Outcome("express", "won with everything laid out in one turn", _express),
    ),
    payoff_unit="points",
)
