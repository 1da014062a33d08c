"""What one seat sees of a deal of Pengingan, and the whole of it: observation and global state, each beside its table."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.pengingan.melds import add_counts, count_suit, highest_rank, lowest_rank, ranks_of
from penzoo.envs.pengingan.state import (
    ALL_OUT,
    HAND_SIZE,
    MAX_DECK,
    MAX_MELDS,
    MAX_PACKS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    SHOWN_SIZE,
    Building,
    Phase,
)
from penzoo.envs.pengingan.stock import packs
from penzoo.envs.tables import Layout, Piece, seated_layout

_BIT = "0 or 1"
_COPIES = "/packs"
_MOST_VALUE = 4  # of a condition: valle cards, all spades
_CHIPS_SCALE = 100

_PHASES = "first second forced build discard ask_use ask_discard extra"
_COMMON = (
    Piece("hand", NUM_CARDS, "own hand, by card index: how many of each kind", _COPIES),
    Piece("dead", NUM_CARDS, "the dead cards, by card index: how many of each kind", _COPIES),
    Piece("card", NUM_CARDS, "the face-up card, also while it is being used", _BIT),
    Piece("phase", len(Phase), f"what is to be decided: {_PHASES} (RULES.md: x, y, the questions, the extra card)", _BIT),
    Piece("building", len(Building) - 1, "the arrangement that is being built: new, extend, rearrange", _BIT),
    Piece("open", MAX_MELDS, "which meld of the player in turn is open", _BIT),
    Piece("last_put", 1, "the card put onto it last, by card index from 1; only this one and higher ones may follow", f"/{NUM_CARDS}"),
    Piece("loose", NUM_CARDS, "loose cards of the player in turn, by card index: how many of each kind", _COPIES),
    *(
        piece
        for number in range(MAX_MELDS)
        for piece in (
            Piece(f"former_{number}_ranks", NUM_RANKS, "a meld as it lay before that arrangement: its ranks, A 2 3 4 5 6 7 J Q K", _BIT),
            Piece(f"former_{number}_suits", NUM_SUITS, "its cards of each suit, c d h s", f"/{HAND_SIZE}"),
        )
    ),
    Piece("turned", 1, "whether the face-up card was turned from the stock in this turn", _BIT),
    Piece("extra", 1, "whether the extra card of this turn has been turned", _BIT),
    Piece("forced", 1, "whether the card used last was demanded", _BIT),
    Piece("returned", 1, "whether a discard came back, so that the next must not be live", _BIT),
    Piece("reshuffled", 1, "whether the dead cards have become a stock", _BIT),
    Piece("packs", 1, "packs in play: cards of each kind", f"/{MAX_PACKS}"),
    Piece("stock_size", 1, "cards in the stock", f"/{MAX_DECK}"),
    Piece("moves", 1, "decisions made in the deal", "/max_moves"),
)
_PLAYER = (
    Piece("to_move", 1, "whose decision it is", _BIT),
    Piece("turn", 1, "whose turn it is: while others are asked, too", _BIT),
    Piece("dealer", 1, "who dealt", _BIT),
    Piece("hand_size", 1, "cards in hand", f"/{HAND_SIZE}"),
    Piece("table_size", 1, "cards on the table", f"/{ALL_OUT}"),
    Piece("chips", 1, "chips won or lost in this deal", f"/{_CHIPS_SCALE}, cut off at 1 and -1"),
    *(
        piece
        for number in range(MAX_MELDS)
        for piece in (
            Piece(f"meld_{number}_ranks", NUM_RANKS, "the ranks that the meld holds, A 2 3 4 5 6 7 J Q K", _BIT),
            Piece(f"meld_{number}_suits", NUM_SUITS, "its cards of each suit, c d h s", f"/{HAND_SIZE}"),
            Piece(f"meld_{number}_value", 1, "what it is worth, in chips from each opponent; 0 for an open one", f"/{_MOST_VALUE}"),
        )
    ),
    Piece("live", NUM_CARDS, "the cards that are live for the player, by card index (as before an arrangement, while one is built)", _BIT),
    Piece("known", NUM_CARDS, "cards taken back after an objection and not played since, by card index: how many of each kind", _COPIES),
)
_STATE_COMMON = (
    Piece("stock", NUM_CARDS, "the stock, by card index: how many of each kind", _COPIES),
    *_COMMON[1:],
    Piece("pile", NUM_CARDS, "the face-up card, if it is not being used", _COPIES),
    Piece("stock_order", MAX_DECK, "the stock from the card that is turned next: card indices from 1", f"/{NUM_CARDS}"),
)
_STATE_PLAYER = (
    *_PLAYER,
    Piece("hand", NUM_CARDS, "the hand, by card index: how many of each kind", _COPIES),
    Piece("table", NUM_CARDS, "the cards in melds, by card index: how many of each kind", _COPIES),
)


def observation_layout(players: int) -> Layout:
    """The observation at a table of so many; `seat_k` is the k-th to play after the observer."""
    return seated_layout(_COMMON, _PLAYER, players, "seat")


def state_layout(players: int) -> Layout:
    """The global state at a table of so many; `player_k` is seat k."""
    return seated_layout(_STATE_COMMON, _STATE_PLAYER, players, "player")


# where the pieces begin, whatever the number of players; those of seat k's block lie BLOCK_SIZE * k further on
AT = {name: piece.start for name, piece in seated_layout(_COMMON, _PLAYER, 1, "seat").slices.items()}
BLOCK_SIZE = Layout(_PLAYER).size
_HAND, _DEAD, _CARD, _PHASE, _BUILDING, _OPEN = (AT[n] for n in ("hand", "dead", "card", "phase", "building", "open"))
_LAST_PUT, _LOOSE, _FORMER, _FLAGS = (AT[n] for n in ("last_put", "loose", "former_0_ranks", "turned"))
_FORMER_WIDTH = NUM_RANKS + NUM_SUITS
_PACKS, _STOCK_SIZE, _MOVES = (AT[n] for n in ("packs", "stock_size", "moves"))
_BLOCKS = Layout(_COMMON).size
_TO_MOVE, _TURN, _DEALER, _SIZE, _TABLE_SIZE, _CHIPS = (
    AT[f"seat_0.{name}"] - _BLOCKS for name in ("to_move", "turn", "dealer", "hand_size", "table_size", "chips")
)
_SHOWN, _KNOWN = (AT[f"seat_0.{name}"] - _BLOCKS for name in ("meld_0_ranks", "known"))  # `shown` lies as it does in the record

_STATE_AT = {name: piece.start for name, piece in seated_layout(_STATE_COMMON, _STATE_PLAYER, 1, "player").slices.items()}
_STATE_STOCK, _STATE_PILE, _STATE_ORDER = (_STATE_AT[n] for n in ("stock", "pile", "stock_order"))
_STATE_BLOCKS = Layout(_STATE_COMMON).size
_STATE_BLOCK_SIZE = Layout(_STATE_PLAYER).size
_STATE_HAND, _STATE_TABLE = (_STATE_AT[f"player_0.{name}"] - _STATE_BLOCKS for name in ("hand", "table"))

_ONE = np.float32(1)
_PER_CARD = np.float32(1 / HAND_SIZE)
_PER_TABLE = np.float32(1 / ALL_OUT)
_MELD_SCALE = [1] * NUM_RANKS + [1 / HAND_SIZE] * NUM_SUITS + [1 / _MOST_VALUE]
_SHOWN_SCALE = np.array(_MELD_SCALE * MAX_MELDS + [1] * NUM_CARDS, np.float32)
_PER_CHIP = np.float32(1 / _CHIPS_SCALE)


@compiled
def observe(state, seat, obs):
    """Write what a seat sees into `obs`, float32 of `observation_layout(players).size`, each number in [-1, 1].

    It holds what RULES.md lists under "What a player sees", and nothing that `determinize` would change.
    """
    obs[:] = 0
    _write_common(state, obs)
    _write_players(state, seat, _BLOCKS, BLOCK_SIZE, obs)
    _write_counts(state["hand"][seat], _ONE / np.float32(packs(state)), obs, _HAND)


@compiled
def view(state, out):
    """Write the whole deal, hidden cards included, into `out`, float32 of `state_layout(players).size`, each number in [-1, 1]."""
    out[:] = 0
    _write_common(state, out)
    _write_players(state, 0, _STATE_BLOCKS, _STATE_BLOCK_SIZE, out)
    copy = _ONE / np.float32(packs(state))
    if state["card"] != NO_CARD and state["phase"] != Phase.BUILD:
        out[_STATE_PILE + state["card"]] = copy
    counts = np.zeros(NUM_CARDS, np.int8)
    size = int(state["stock_size"])
    for depth in range(size):
        card = state["stock"][size - 1 - depth]
        counts[card] += 1
        out[_STATE_ORDER + depth] = (int(card) + 1) / NUM_CARDS
    _write_counts(counts, copy, out, _STATE_STOCK)
    for seat in range(state["players"]):
        at = _STATE_BLOCKS + seat * _STATE_BLOCK_SIZE
        _write_counts(state["hand"][seat], copy, out, at + _STATE_HAND)
        counts[:] = 0
        for number in range(MAX_MELDS):
            add_counts(counts, state["meld"][seat, number], 1)
        _write_counts(counts, copy, out, at + _STATE_TABLE)


@compiled
def _write_common(state, out):
    copy = _ONE / np.float32(packs(state))
    _write_counts(state["dead"], copy, out, _DEAD)
    if state["card"] != NO_CARD:
        out[_CARD + state["card"]] = 1
    out[_PHASE + int(state["phase"])] = 1
    if state["phase"] == Phase.BUILD:
        _write_building(state, copy, out)
    out[_FLAGS] = state["is_turned"]
    out[_FLAGS + 1] = state["is_extra"]
    out[_FLAGS + 2] = state["is_forced"]
    out[_FLAGS + 3] = state["is_returned"]
    out[_FLAGS + 4] = state["is_reshuffled"]
    out[_PACKS] = packs(state) / MAX_PACKS
    out[_STOCK_SIZE] = state["stock_size"] / MAX_DECK
    out[_MOVES] = state["moves"] / state["max_moves"]


@compiled
def _write_building(state, copy, out):
    out[_BUILDING + int(state["building"]) - 1] = 1
    out[_OPEN + state["open_meld"]] = 1
    out[_LAST_PUT] = (int(state["last_put"]) + 1) / NUM_CARDS
    _write_counts(state["loose"], copy, out, _LOOSE)
    for number in range(state["num_former"]):
        _write_meld(state["former"][number], out, _FORMER + number * _FORMER_WIDTH)


@compiled
def _write_players(state, first, blocks, block_size, out):
    """A block for each seat, from seat `first` on."""
    players = int(state["players"])
    copy = _ONE / np.float32(packs(state))
    for k in range(players):
        seat = first + k if first + k < players else first + k - players
        at = blocks + k * block_size
        out[at + _DEALER] = state["dealer"] == seat
        out[at + _SIZE] = state["hand_size"][seat] * _PER_CARD
        out[at + _TABLE_SIZE] = state["table_size"][seat] * _PER_TABLE
        out[at + _CHIPS] = min(max(state["chips"][seat] * _PER_CHIP, -_ONE), _ONE)
        shown = out[at + _SHOWN : at + _SHOWN + SHOWN_SIZE]
        for k in range(SHOWN_SIZE):
            shown[k] = np.float32(state["shown"][seat, k]) * _SHOWN_SCALE[k]
        if state["known_size"][seat] > 0:
            _write_counts(state["known"][seat], copy, out, at + _KNOWN)
    out[blocks + (state["seat"] - first) % players * block_size + _TO_MOVE] = 1
    out[blocks + (state["turn"] - first) % players * block_size + _TURN] = 1


@compiled
def _write_meld(meld, out, at):
    ranks = ranks_of(meld)
    for rank in range(lowest_rank(meld), highest_rank(meld) + 1):
        out[at + rank] = ranks >> rank & 1
    for suit in range(NUM_SUITS):
        out[at + NUM_RANKS + suit] = count_suit(meld, suit) * _PER_CARD


@compiled
def _write_counts(counts, scale, out, at):
    shown = out[at : at + NUM_CARDS]
    for card in range(NUM_CARDS):
        shown[card] = np.float32(counts[card]) * scale
