"""What is stored of a deal of Пень: one record, in which every card is in exactly one place."""

from enum import IntEnum

import numpy as np

from penzoo.envs.cards import SUITS, card_names
from penzoo.envs.fields import common_fields

MIN_PLAYERS, MAX_PLAYERS = 2, 6
RANKS = "6789JQKTA"  # low to high: the ten stands second (S)
CARDS = card_names(RANKS)
NUM_CARDS = len(CARDS)
NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)

# The values of `place`; a hand or a stump adds its seat.
NOT_IN_DECK, STOCK, PILE, HAND = -1, 0, 1, 2
STUMP = HAND + MAX_PLAYERS

NOT_OUT = 0


class Phase(IntEnum):
    """What the seat to move is to do."""

    LEAD = 0
    BEAT = 1


class Payoff(IntEnum):
    """The values of the option `payoff`, in the order of its choices."""

    LOSER = 0
    PLACEMENT = 1


STATE = np.dtype(
    [
        *common_fields(MAX_PLAYERS),
        ("must_beat", np.int16),
        ("payoff", np.int16),
        ("lowest_rank", np.int16),  # of the deck, by its place in RANKS
        ("highest_rank", np.int16),
        ("suits", np.int16),  # of the deck, the first so many
        ("hand_size", np.int16),  # cards dealt to each hand, and filled up to
        ("stump_size", np.int16),  # cards dealt to each stump
        ("trump_card", np.int16),
        ("place", np.int8, NUM_CARDS),  # NOT_IN_DECK, STOCK, PILE, HAND + seat or STUMP + seat
        ("known", np.int8, NUM_CARDS),  # 1: in a hand, and everyone saw it go there
        ("pile", np.int8, NUM_CARDS),  # from the bottom; only the first pile_size count
        ("pile_size", np.int16),
        ("stock", np.int8, NUM_CARDS),  # the last of the stock_size cards is drawn next
        ("stock_size", np.int16),
        ("in_hand", np.int16, MAX_PLAYERS),  # cards
        ("in_stump", np.int16, MAX_PLAYERS),  # cards: stump_size until it is taken up, then 0
        ("out_place", np.int16, MAX_PLAYERS),  # NOT_OUT, or 1 for the first who went out, …
        ("num_out", np.int16),
    ],
    align=True,
)
