"""Pengingan: a Panguingue for 2 to 8 players. The rules: RULES.md beside this file."""

from typing import Any

import numpy as np

from penzoo.envs.game import Functions, Game, Outcome, max_moves_option
from penzoo.envs.options import Option, flag
from penzoo.envs.pengingan import hidden, rules, stock, views
from penzoo.envs.pengingan.screen import remark, text
from penzoo.envs.pengingan.state import (
    CARDS,
    FEWEST_PACKS,
    HAND_SIZE,
    MAX_DECK,
    MAX_MELDS,
    MAX_PACKS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    NUM_CARDS,
    STATE,
    StockOut,
)
from penzoo.envs.reshuffle import pile_chance
from penzoo.envs.tables import ActionGroup, ActionTable

MAX_MOVES = 20_000  # more than a deal can last: see RULES.md, "End"

PACKS = Option(
    "packs", "players", "packs of 40 cards: as many as players, or so many", choices=("players", *range(FEWEST_PACKS, MAX_PACKS + 1))
)


def full_deck(players: int, options: dict[str, Any]) -> np.ndarray:
    """The cards of all packs, int8, by card index.

    Raises:
        ValueError: the packs are not enough for ten cards each and one more.
    """
    packs = players if options["packs"] == "players" else options["packs"]
    needed = players * HAND_SIZE + 1
    if packs * NUM_CARDS < needed:
        fewest = -(-needed // NUM_CARDS)
        raise ValueError(f"option packs={packs} is not possible: {players} players need {needed} cards, so {fewest} packs or more")
    return np.repeat(np.arange(NUM_CARDS, dtype=np.int8), packs)


def _went_out(states: np.ndarray) -> np.ndarray:
    went_out: np.ndarray = states["out_seat"][:, None] == np.arange(states["players"][0])
    return went_out


GAME = Game(
    name="pengingan",
    version=0,
    title="Pengingan",
    min_players=MIN_PLAYERS,
    max_players=MAX_PLAYERS,
    default_players=4,
    state_dtype=STATE,
    card_names=CARDS,
    options=(
        PACKS,
        Option(
            "extension_pay",
            "per_card",
            "per_card: an extended condition pays its value for each card added; once: once",
            choices=("per_card", "once"),
        ),
        flag("rearrange", True, "own melds may be taken apart and built anew"),
        Option(
            "hand_cards",
            "used_meld",
            "where cards from hand may go in a rearrangement: used_meld: into the meld that holds the card used; any_meld: into any",
            choices=("used_meld", "any_meld"),
        ),
        Option(
            "going_out",
            "eleven",
            "eleven: the deal ends with eleven cards on a table; empty_hand: also when the last card of a hand is discarded",
            choices=("eleven", "empty_hand"),
        ),
        Option(
            "forcing",
            "ask",
            "ask: opponents are asked whether they demand that a live card be used, or a live discard taken back; "
            "always: both rules are in the mask; never: neither",
            choices=("ask", "always", "never"),
        ),
        Option(
            "stock_out",
            "end",
            "end: the deal ends when a card has to be turned and the stock is empty; reshuffle: the dead cards become a new stock, once",
            choices=("end", "reshuffle"),
        ),
        max_moves_option(MAX_MOVES),
    ),
    actions=ActionTable(
        (
            ActionGroup("pass", ("pass",), "decline the card, waive the demand, or end the turn"),
            ActionGroup("demand", ("demand",), "demand that the player uses the live card, or takes the live discard back"),
            ActionGroup("turn", ("turn",), "turn the extra card"),
            ActionGroup("new", ("new",), "begin a new meld with the card"),
            ActionGroup("extend", tuple(f"extend {number}" for number in range(MAX_MELDS)), "put the card onto own meld 0, 1 or 2"),
            ActionGroup("rearrange", ("rearrange",), "take the own melds apart, to build them anew with the card"),
            ActionGroup("put", tuple(f"put {card}" for card in CARDS), "put a loose card, else one from hand, onto the open meld"),
            ActionGroup("close", ("close",), "close the open meld"),
            ActionGroup("discard", tuple(f"discard {card}" for card in CARDS), "discard from hand"),
        )
    ),
    chances=(
        pile_chance(
            "reshuffled",
            "the new stock of `stock_out=reshuffle`, in the order in which it is turned",
            "pengingan",
            CARDS,
            lambda state: np.full(NUM_CARDS, stock.packs(state)),
            ("stock_out", "reshuffle", StockOut.RESHUFFLE),
        ),
    ),
    deck=full_deck,
    largest_deck=MAX_DECK,
    observation_layout=views.observation_layout,
    state_layout=views.state_layout,
    functions=Functions(
        deck_size=stock.deck_size,
        chance=stock.chance,
        deal=rules.deal,
        next_dealer=rules.next_dealer,
        legal_mask=rules.legal_mask,
        apply=rules.apply,
        observe=views.observe,
        determinize=hidden.determinize,
        view=views.view,
    ),
    text=text,
    remark=remark,
    outcomes=(Outcome("out", "went out, and so ended the deal", _went_out),),
    payoff_unit="chips",
)
