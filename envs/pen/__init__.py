"""Пень: a beating game with a hidden stump. The rules: RULES.md beside this file."""

from typing import Any

import numpy as np

from penzoo.envs.game import Chance, Functions, Game, Outcome, max_moves_option
from penzoo.envs.options import Option, flag
from penzoo.envs.pen import rules, views
from penzoo.envs.pen.screen import text
from penzoo.envs.pen.state import CARDS, MAX_PLAYERS, MIN_PLAYERS, NOT_OUT, NUM_CARDS, STATE
from penzoo.envs.tables import ActionGroup, ActionTable


def _read_trump_card(name: Any, state: np.void) -> None:
    if not isinstance(name, str) or name not in CARDS:
        raise ValueError(f"trump_card={name!r} does not exist: the cards are {' '.join(CARDS)}")
    state["trump_card"] = CARDS.index(name)


def _write_trump_card(state: np.void) -> str:
    return CARDS[state["trump_card"]]


def _lost(states: np.ndarray) -> np.ndarray:
    players = states["players"][0]
    lost: np.ndarray = (states["out_place"][:, :players] == NOT_OUT) & states["terminated"][:, None].astype(bool)
    return lost


GAME = Game(
    name="pen",
    version=0,
    title="Пень",
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    default_players=3,
    state_dtype=STATE,
    card_names=CARDS,
    options=(
        flag("must_beat", False, "only one who cannot beat may take"),
        Option(
            "payoff",
            "loser",
            "loser: -1 to the loser, the rest shared by the others; placement: from 1 for the first out to -1, evenly spaced",
            choices=("loser", "placement"),
        ),
        max_moves_option(1000),
    ),
    actions=ActionTable(
        (
            ActionGroup("play", CARDS, "beat with the card, or lead it"),
            ActionGroup("take", ("take",), "take cards from the pile, as many as its top card says"),
        )
    ),
    chances=(Chance("trump_card", "the card that is shown for trumps", _read_trump_card, _write_trump_card),),
    deck=lambda players, options: np.arange(NUM_CARDS, dtype=np.int8),
    largest_deck=NUM_CARDS,
    observation_layout=views.observation_layout,
    state_layout=views.state_layout,
    functions=Functions(
        deck_size=rules.deck_size,
        chance=rules.chance,
        deal=rules.deal,
        next_dealer=rules.next_dealer,
        legal_mask=rules.legal_mask,
        apply=rules.apply,
        observe=views.observe,
        determinize=rules.determinize,
        view=views.view,
    ),
    text=text,
    outcomes=(Outcome("losses", "left with cards when the deal ended", _lost, is_even=True),),
)
