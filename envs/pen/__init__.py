"""Пень: a beating game with a hidden stump. The rules: RULES.md beside this file."""

from typing import Any

import numpy as np

from penzoo.envs.cards import SUITS
from penzoo.envs.game import Chance, Functions, Game, Outcome, max_moves_option
from penzoo.envs.options import Option, flag
from penzoo.envs.pen import rules, views
from penzoo.envs.pen.screen import text
from penzoo.envs.pen.state import CARDS, MAX_PLAYERS, MIN_PLAYERS, NOT_OUT, NUM_CARDS, NUM_RANKS, NUM_SUITS, RANKS, STATE
from penzoo.envs.tables import ActionGroup, ActionTable

_MOST_CARDS = NUM_CARDS // MIN_PLAYERS  # for one player
_LEAST_HAND = 2  # one to beat with and one to lead, so that nobody runs out of cards while there is a stock


def full_deck(players: int, options: dict[str, Any]) -> np.ndarray:
    """The cards of the deck, int8, by card index: the ranks from `lowest_rank` to `highest_rank` in the first `suits` suits.

    Raises:
        ValueError: the ranks are in the wrong order, or the cards are not enough for a hand and a stump each.
    """
    lowest, highest = options["lowest_rank"], options["highest_rank"]
    ranks = RANKS[RANKS.index(lowest) : RANKS.index(highest) + 1]
    if not ranks:
        raise ValueError(f"options lowest_rank={lowest!r} and highest_rank={highest!r} leave no card: the ranks go up as {RANKS}")
    suits, hand, stump = options["suits"], options["hand_size"], options["stump_size"]
    cards, needed = len(ranks) * suits, players * (hand + stump)
    if cards < needed:
        raise ValueError(
            f"options hand_size={hand} and stump_size={stump} are not possible: {players} players need {needed} cards, "
            f"{len(ranks)} ranks in suits={suits} are {cards}; give fewer to each, or a larger deck"
        )
    return np.array([suit * NUM_RANKS + RANKS.index(rank) for suit in range(suits) for rank in ranks], np.int8)


def _read_trump_card(name: Any, state: np.void) -> None:
    deck = [CARDS[rules.deck_card(state, number)] for number in range(rules.deck_size(state))]
    if not isinstance(name, str) or name not in deck:
        raise ValueError(f"trump_card={name!r} does not exist: the cards are {' '.join(deck)}")
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
        Option("lowest_rank", RANKS[0], f"of the cards in the deck; from low to high the ranks are {RANKS}", choices=tuple(RANKS)),
        Option("highest_rank", RANKS[-1], "of the cards in the deck", choices=tuple(RANKS)),
        Option("suits", NUM_SUITS, f"suits in the deck, the first of {' '.join(SUITS)}", bounds=(1, NUM_SUITS)),
        Option("hand_size", 4, "cards dealt to each hand, and filled up to", bounds=(_LEAST_HAND, _MOST_CARDS)),
        Option("stump_size", 2, "cards dealt to each stump; 0: there are no stumps", bounds=(0, _MOST_CARDS - _LEAST_HAND)),
        max_moves_option(1000),
    ),
    actions=ActionTable(
        (
            ActionGroup("play", CARDS, "beat with the card, or lead it"),
            ActionGroup("take", ("take",), "take cards from the pile, as many as its top card says"),
        )
    ),
    chances=(Chance("trump_card", "the card that is shown for trumps", _read_trump_card, _write_trump_card),),
    deck=full_deck,
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
