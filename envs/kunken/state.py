"""What is stored of a deal of Kunken: one record, in which cards of one kind are counted, since copies are alike."""

from enum import IntEnum

import numpy as np

from penzoo.envs.cards import JOKER as JOKER_NAME
from penzoo.envs.cards import SUITS, card_names
from penzoo.envs.fields import common_fields

MIN_PLAYERS, MAX_PLAYERS = 2, 5
RANKS = "A23456789TJQK"  # in the order in which runs go round
KINDS = card_names(RANKS)
NUM_KINDS = len(KINDS)
CARDS = (*KINDS, JOKER_NAME)
NUM_CARDS = len(CARDS)  # kinds of cards, the joker among them
JOKER = NUM_KINDS  # its card index
NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)
TEN = RANKS.index("T")
HONOURS = tuple(RANKS.index(rank) for rank in "AJQK")  # (D)

PACKS = 2
DEFAULT_JOKERS, MAX_JOKERS = 4, 6
MAX_DECK = PACKS * NUM_KINDS + MAX_JOKERS
HAND_SIZE = 13  # at the deal
SHORTEST = 3  # cards in a combination
LONGEST_SET, LONGEST_RUN = NUM_SUITS, NUM_RANKS
MAX_MELDS = (MAX_DECK - MIN_PLAYERS) // SHORTEST  # combinations on the table: every hand keeps a card
HIGH, LOW = 10, 5  # points of a card; a joker in hand counts HIGH
DEFAULT_OPENING, MAX_OPENING = 50, 150
MOST_POINTS = PACKS * NUM_SUITS * (NUM_RANKS * LOW + (len(HONOURS) + 1) * (HIGH - LOW)) + MAX_JOKERS * HIGH  # of a deck, tens being honours

# where the copies of a card in the bank stand in `place`: as in the table of actions
SECOND_COPY = NUM_KINDS
JOKER_COPIES = PACKS * NUM_KINDS

# In `shown`, for each combination: its length; whether it is a set; then for each suit and each rank one of the values below.
SHOWN_SIZE, SHOWN_SET, SHOWN_SUITS = range(3)
SHOWN_RANKS = SHOWN_SUITS + NUM_SUITS
MELD_WIDTH = SHOWN_RANKS + NUM_RANKS
SHOWN_HELD, SHOWN_JOKER, SHOWN_FITS, SHOWN_SWAPS = 2, 1, -2, -1  # is there; a joker is there; can be put; can be swapped in only

NOBODY = -1
NO_MELD = 0  # no bits: see `melds`


class Phase(IntEnum):
    """What the player in turn is to do."""

    START = 0  # draw or take the bank; swap jokers first, having opened
    DRAWN = 1  # discard, after a draw that lets nothing be laid out; swap first, or begin to open, as `lay_on_draw` allows
    DUTY = 2  # begin the next combination of the duty
    LAY = 3  # lay out, add and swap as one likes, or discard
    BUILD = 4  # go on with a new combination
    ADD = 5  # go on with a combination that lies on the table


class Duty(IntEnum):
    """What must be laid before anything else."""

    NONE = 0
    OPENING = 1  # so many points in all, a combination with the named card among them
    THIRD = 2  # a combination with the named card


# The values of the options, in the order of their choices.


class LayOnDraw(IntEnum):
    """`lay_on_draw`."""

    OPENED = 0
    NEVER = 1
    ANY = 2


class StockOut(IntEnum):
    """`stock_out`."""

    END = 0
    RECYCLE = 1


class Reward(IntEnum):
    """`reward`."""

    ZERO_SUM = 0
    SCORE = 1


STATE = np.dtype(
    [
        *common_fields(MAX_PLAYERS),
        ("jokers", np.int16),
        ("ten_is_honour", np.int16),
        ("lay_on_draw", np.int16),
        ("opening_points", np.int16),
        ("swap_own_jokers", np.int16),
        ("stock_out", np.int16),
        ("reward", np.int16),
        ("stock", np.int8, MAX_DECK),  # the last of the stock_size cards is drawn next
        ("stock_size", np.int16),
        ("is_recycled", np.int8),  # 1: the bank has become a stock
        ("recycle_seed", np.uint64),  # of the order in which it does, where `recycled` does not say it
        ("recycled", np.int8, MAX_DECK),  # that order, from the card drawn first, then NO_CARD: as given before, or as it was
        ("bank", np.int8, MAX_DECK),  # from the bottom to the top
        ("bank_size", np.int16),
        ("place", np.int8, MAX_DECK),  # of each copy in the bank, from 1 at its bottom, that nearest the top first; 0: not there
        ("hand", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # how many of each kind
        ("hand_size", np.int16, MAX_PLAYERS),
        ("known", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # how many of them everyone saw go there
        ("known_size", np.int16, MAX_PLAYERS),
        ("opened", np.int8, MAX_PLAYERS),  # 1: has met the duty of opening
        ("laid", np.int16, MAX_PLAYERS),  # points of the cards laid out
        ("meld", np.int64, MAX_MELDS),  # see `melds`; in the order in which they were laid, a half-built one last
        ("owner", np.int8, MAX_MELDS),  # who laid it new
        ("num_melds", np.int16),  # a half-built one counted
        ("fits", np.int64, MAX_MELDS),  # the kinds that can be put onto each, a bit for each kind
        ("swaps", np.int64, MAX_MELDS),  # the kinds for which one of its jokers can be swapped
        ("shown", np.int8, MAX_MELDS * MELD_WIDTH),  # the combinations as observations hold them
        ("winner", np.int16),  # who discarded the last card, or NOBODY
        ("is_express", np.int8),  # 1: and had laid out nothing before that turn
        # the turn
        ("had_opened", np.int8),  # 1: the player in turn had opened before it
        ("duty", np.int8),  # a Duty
        ("named", np.int16),  # the card that a combination must hold still, or NO_CARD
        ("needed", np.int16),  # points still needed to open, those of a half-built combination not taken off
        ("aside", np.int8, NUM_CARDS),  # cards in hand that were taken along: not to be used before the duty is met
        ("aside_size", np.int16),
        ("open_meld", np.int16),  # in BUILD and ADD: the number of the combination
        ("is_changed", np.int8),  # in ADD: 1: something was put or swapped
        ("back", np.int8),  # in ADD: the Phase to which `close` leads back; in LAY alone may cards be put
    ],
    align=True,
)
