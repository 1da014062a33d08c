"""What is stored of a deal of Pengingan: one record, in which cards of one kind are counted, since they are alike."""

from enum import IntEnum

import numpy as np

from penzoo.envs.cards import SUITS, card_names
from penzoo.envs.fields import common_fields

MIN_PLAYERS, MAX_PLAYERS = 2, 8
RANKS = "A234567JQK"  # low to high: the ace is low, and the jack follows the seven (S, D)
CARDS = card_names(RANKS)
NUM_CARDS = len(CARDS)  # kinds of cards: a pack has one of each
NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)
ACE, KING = RANKS.index("A"), RANKS.index("K")
SPADES = SUITS.index("s")
VALLE_RANKS = "357"  # (S)

FEWEST_PACKS, MAX_PACKS = 2, 8
MAX_DECK = MAX_PACKS * NUM_CARDS
HAND_SIZE = 10
ALL_OUT = HAND_SIZE + 1  # cards on the table of one who goes out (D)
MELD_SIZE = 3  # the least
MAX_MELDS = ALL_OUT // MELD_SIZE

# In `shown`: for each meld a bit for each rank, the number of cards of each suit, and the value; then a bit for each kind that is live.
MELD_WIDTH = NUM_RANKS + NUM_SUITS + 1
LIVE = MAX_MELDS * MELD_WIDTH
SHOWN_SIZE = LIVE + NUM_CARDS

NOBODY = -1
NO_MELD = 0  # no bits: see `melds`


class Phase(IntEnum):
    """What the seat to move is to do."""

    FIRST = 0  # use the card that lay face up (x), or decline it
    SECOND = 1  # use the card turned from the stock (y), or decline it
    FORCED = 2  # a demanded card: choose the meld that it goes to
    BUILD = 3  # go on with an arrangement
    DISCARD = 4  # give one card from hand
    ASK_USE = 5  # demand that the player uses the declined card, or waive it
    ASK_DISCARD = 6  # demand that the player takes the discard back, or waive it
    EXTRA = 7  # turn the extra card, or end the turn


class Building(IntEnum):
    """Which kind of arrangement is being built."""

    NONE = 0
    NEW = 1
    EXTEND = 2
    REARRANGE = 3


# The values of the options, in the order of their choices.


class ExtensionPay(IntEnum):
    """`extension_pay`."""

    PER_CARD = 0
    ONCE = 1


class HandCards(IntEnum):
    """`hand_cards`."""

    USED_MELD = 0
    ANY_MELD = 1


class GoingOut(IntEnum):
    """`going_out`."""

    ELEVEN = 0
    EMPTY_HAND = 1


class Forcing(IntEnum):
    """`forcing`."""

    ASK = 0
    ALWAYS = 1
    NEVER = 2


class StockOut(IntEnum):
    """`stock_out`."""

    END = 0
    RESHUFFLE = 1


STATE = np.dtype(
    [
        *common_fields(MAX_PLAYERS),  # `seat` is whoever decides: in a question an opponent of the player in turn
        ("packs", np.int16),  # 0: as many as players; 1: FEWEST_PACKS, 2: one more, …
        ("extension_pay", np.int16),
        ("rearrange", np.int16),
        ("hand_cards", np.int16),
        ("going_out", np.int16),
        ("forcing", np.int16),
        ("stock_out", np.int16),
        ("turn", np.int16),  # the player in turn
        ("card", np.int16),  # the face-up card, also while it is being used, or NO_CARD
        ("is_turned", np.int8),  # 1: that card was turned from the stock in this turn
        ("is_extra", np.int8),  # 1: the extra card of this turn has been turned
        ("is_forced", np.int8),  # 1: the card used last was demanded
        ("is_returned", np.int8),  # 1: a discard came back in this turn; the next must not be live
        ("stock", np.int8, MAX_DECK),  # the last of the stock_size cards is turned next
        ("stock_size", np.int16),
        ("dead", np.int8, NUM_CARDS),  # how many of each kind are dead
        ("dead_size", np.int16),
        ("is_reshuffled", np.int8),  # 1: the dead cards have become a stock
        ("reshuffle_seed", np.uint64),  # of the order in which they do, where `reshuffled` does not say it
        ("reshuffled", np.int8, MAX_DECK),  # that order, from the card turned first, then NO_CARD: as given before, or as it was
        ("hand", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # how many of each kind
        ("hand_size", np.int16, MAX_PLAYERS),
        ("known", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # how many of them everyone saw go back there
        ("known_size", np.int16, MAX_PLAYERS),
        ("meld", np.int32, (MAX_PLAYERS, MAX_MELDS)),  # see `melds`; a half-built one stands behind the others
        ("num_melds", np.int16, MAX_PLAYERS),  # a half-built one not counted
        ("table_size", np.int16, MAX_PLAYERS),  # cards in melds, loose and half-built ones included
        ("table", np.int8, (MAX_PLAYERS, NUM_CARDS)),  # how many of each kind lie there; while an arrangement is built, as before it
        ("shown", np.int8, (MAX_PLAYERS, SHOWN_SIZE)),  # as observations hold it: the melds, then for each kind whether it is live
        ("chips", np.int32, MAX_PLAYERS),
        ("out_seat", np.int16),  # who went out, or NOBODY
        # while an arrangement is being built
        ("building", np.int8),  # a Building
        ("open_meld", np.int16),  # the number of the meld that is being built
        ("last_put", np.int16),  # what was put there last, or NO_CARD
        ("loose", np.int8, NUM_CARDS),  # how many of each kind lie loose (REARRANGE)
        ("former", np.int32, MAX_MELDS),  # the melds as they lay before
        ("num_former", np.int16),
    ],
    align=True,
)
