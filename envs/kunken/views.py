"""What one seat sees of a deal of Kunken, and the whole of it: observation and global state, each beside its table."""

import numpy as np

from penzoo.envs.cards import NO_CARD
from penzoo.envs.jit import compiled
from penzoo.envs.kunken.melds import add_counts
from penzoo.envs.kunken.state import (
    LONGEST_RUN,
    MAX_DECK,
    MAX_JOKERS,
    MAX_MELDS,
    MAX_OPENING,
    MELD_WIDTH,
    MOST_POINTS,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    PACKS,
    SHOWN_HELD,
    Duty,
    Phase,
)
from penzoo.envs.tables import Layout, Piece, seated_layout

_BIT = "0 or 1"
_COPIES = f"/{PACKS}, the joker /{MAX_JOKERS}"
_SUITS = "1: is there; -1: can be put; -1/2: can be swapped in only (wherever a set has a joker, the suits that can be put can be swapped)"
_RANKS = "1: is there; 1/2: a joker is, and can be swapped; -1: can be put"
_PLACE = f"top card 1, each card below 1/{MAX_DECK} less; 0: not in the bank"

_PHASES = "start drawn duty lay build add"
_COMMON = (
    Piece("hand", NUM_CARDS, "own hand, by card index: how many of each kind", _COPIES),
    Piece("aside", NUM_CARDS, "cards in the hand of the player in turn that may not be used until the duty is met, likewise", _COPIES),
    Piece("bank", MAX_DECK, "the bank in its order, a number for each copy of a card, in the order of the actions `take`", _PLACE),
    Piece(
        "fits",
        NUM_KINDS,
        "the cards that can be put onto a combination on the table, by card index",
        _BIT,
    ),
    Piece("swaps", NUM_KINDS, "the cards for which a joker on the table can be swapped, anybody's, by card index", _BIT),
    Piece("named", NUM_CARDS, "the card that a combination must hold still, by card index", _BIT),
    Piece("duty", len(Duty) - 1, "what must be laid first: the opening, a third to two in hand", _BIT),
    Piece("needed", 1, "points still needed to open, those of a half-built combination not taken off", f"/{MAX_OPENING}"),
    Piece("phase", len(Phase), f"what is to be decided: {_PHASES}", _BIT),
    Piece(
        "open",
        MAX_MELDS,
        "which combination has been chosen or is half-built (what fits onto it does so once it is closed)",
        _BIT,
    ),
    Piece("changed", 1, "whether something has been put onto the chosen combination, or swapped", _BIT),
    Piece("swap_only", 1, "whether nothing may be put onto it", _BIT),
    Piece("had_opened", 1, "whether the player in turn had opened before this turn: if not, going out in it is an express", _BIT),
    Piece("recycled", 1, "whether the bank has become a stock", _BIT),
    Piece("bank_size", 1, "cards in the bank", f"/{MAX_DECK}"),
    Piece("stock_size", 1, "cards in the stock", f"/{MAX_DECK}"),
    Piece("moves", 1, "decisions made in the deal", "/max_moves"),
    *(
        piece
        for number in range(MAX_MELDS)
        for piece in (
            Piece(f"meld_{number}_size", 1, "combination, in the order laid: its cards", f"/{LONGEST_RUN}"),
            Piece(f"meld_{number}_set", 1, "whether it is a set", _BIT),
            Piece(f"meld_{number}_suits", NUM_SUITS, "the suit of a run; the suits of a set (c d h s)", _SUITS),
            Piece(
                f"meld_{number}_ranks",
                NUM_RANKS,
                "the rank of a set; the ranks of a run (A 2 … T J Q K)",
                _RANKS,
            ),
        )
    ),
)
_PLAYER = (
    Piece("to_move", 1, "whose turn it is", _BIT),
    Piece("dealer", 1, "who dealt", _BIT),
    Piece("hand_size", 1, "cards in hand", f"/{MAX_DECK}"),
    Piece("opened", 1, "whether the player has opened", _BIT),
    Piece("laid", 1, "points of the cards laid out", f"/{MOST_POINTS}"),
    Piece("known", NUM_CARDS, "cards in hand that everyone saw go there, by card index: how many of each kind", _COPIES),
    Piece("owns", MAX_MELDS, "the combinations that the player laid new", _BIT),
)
_STATE_COMMON = (
    Piece("stock", NUM_CARDS, "the stock, by card index: how many of each kind", _COPIES),
    *_COMMON[1:],
    Piece("stock_order", MAX_DECK, "the stock from the card that is drawn next: card indices from 1", f"/{NUM_CARDS}"),
    Piece("banked", NUM_CARDS, "the bank, by card index: how many of each kind", _COPIES),
    Piece("table", NUM_CARDS, "the cards in combinations, by card index: how many of each kind", _COPIES),
)
_STATE_PLAYER = (*_PLAYER, Piece("hand", NUM_CARDS, "the hand, by card index: how many of each kind", _COPIES))


def observation_layout(players: int) -> Layout:
    """The observation at a table of so many; `seat_k` is the k-th to play after the observer."""
    return seated_layout(_COMMON, _PLAYER, players, "seat")


def state_layout(players: int) -> Layout:
    """The global state at a table of so many; `player_k` is seat k."""
    return seated_layout(_STATE_COMMON, _STATE_PLAYER, players, "player")


# where the pieces begin, whatever the number of players; those of seat k's block lie BLOCK_SIZE * k further on
AT = {name: piece.start for name, piece in seated_layout(_COMMON, _PLAYER, 1, "seat").slices.items()}
BLOCK_SIZE = Layout(_PLAYER).size
_HAND, _ASIDE, _BANK, _FITS, _SWAPS, _NAMED = (AT[n] for n in ("hand", "aside", "bank", "fits", "swaps", "named"))
_DUTY, _NEEDED, _PHASE, _OPEN, _MELDS = (AT[n] for n in ("duty", "needed", "phase", "open", "meld_0_size"))
_CHANGED, _SWAP_ONLY, _HAD_OPENED, _RECYCLED, _BANK_SIZE, _STOCK_SIZE, _MOVES = (
    AT[n] for n in ("changed", "swap_only", "had_opened", "recycled", "bank_size", "stock_size", "moves")
)
_BLOCKS = Layout(_COMMON).size
_TO_MOVE, _DEALER, _SIZE, _OPENED, _LAID, _KNOWN, _OWNS = (
    AT[f"seat_0.{name}"] - _BLOCKS for name in ("to_move", "dealer", "hand_size", "opened", "laid", "known", "owns")
)

_STATE_AT = {name: piece.start for name, piece in seated_layout(_STATE_COMMON, _STATE_PLAYER, 1, "player").slices.items()}
_STATE_STOCK, _STATE_ORDER, _STATE_BANKED, _STATE_TABLE = (_STATE_AT[n] for n in ("stock", "stock_order", "banked", "table"))
_STATE_BLOCKS = Layout(_STATE_COMMON).size
_STATE_BLOCK_SIZE = Layout(_STATE_PLAYER).size
_STATE_HAND = _STATE_AT["player_0.hand"] - _STATE_BLOCKS

_PER_CARD = np.float32(1 / MAX_DECK)
_PER_POINT = np.float32(1 / MOST_POINTS)
_COPY_SCALE = np.array([1 / PACKS] * NUM_KINDS + [1 / MAX_JOKERS], np.float32)
_SHOWN_SCALE = np.array(([1 / LONGEST_RUN, 1] + [1 / SHOWN_HELD] * (MELD_WIDTH - 2)) * MAX_MELDS, np.float32)


@compiled
def observe(state, seat, obs):
    """Write what a seat sees into `obs`, float32 of `observation_layout(players).size`, each number in [-1, 1].

    It holds what RULES.md lists under "What a player sees", and nothing that `determinize` would change.
    """
    obs[:] = 0
    _write_common(state, obs)
    _write_players(state, seat, _BLOCKS, BLOCK_SIZE, obs)
    _write_counts(state["hand"][seat], obs, _HAND)


@compiled
def view(state, out):
    """Write the whole deal, hidden cards included, into `out`, float32 of `state_layout(players).size`, each number in [-1, 1]."""
    out[:] = 0
    _write_common(state, out)
    _write_players(state, 0, _STATE_BLOCKS, _STATE_BLOCK_SIZE, out)
    counts = np.zeros(NUM_CARDS, np.int8)
    size = int(state["stock_size"])
    for depth in range(size):
        card = state["stock"][size - 1 - depth]
        counts[card] += 1
        out[_STATE_ORDER + depth] = (int(card) + 1) / NUM_CARDS
    _write_counts(counts, out, _STATE_STOCK)
    counts[:] = 0
    for depth in range(state["bank_size"]):
        counts[state["bank"][depth]] += 1
    _write_counts(counts, out, _STATE_BANKED)
    counts[:] = 0
    for number in range(state["num_melds"]):
        add_counts(counts, state["meld"][number], 1)
    _write_counts(counts, out, _STATE_TABLE)
    for seat in range(state["players"]):
        _write_counts(state["hand"][seat], out, _STATE_BLOCKS + seat * _STATE_BLOCK_SIZE + _STATE_HAND)


@compiled
def _write_common(state, out):
    bank = out[_BANK : _BANK + MAX_DECK]
    below_top = MAX_DECK - int(state["bank_size"])
    for copy in range(MAX_DECK):
        place = int(state["place"][copy])
        bank[copy] = np.float32(place + below_top) * _PER_CARD if place > 0 else np.float32(0)
    _write_table(state, out)
    phase = int(state["phase"])
    out[_PHASE + phase] = 1
    if state["duty"] != Duty.NONE:
        _write_duty(state, out)
    if phase >= Phase.BUILD:
        out[_OPEN + state["open_meld"]] = 1
        out[_CHANGED] = state["is_changed"]
        out[_SWAP_ONLY] = state["back"] != Phase.LAY
    out[_HAD_OPENED] = state["had_opened"]
    out[_RECYCLED] = state["is_recycled"]
    out[_BANK_SIZE] = state["bank_size"] * _PER_CARD
    out[_STOCK_SIZE] = state["stock_size"] * _PER_CARD
    out[_MOVES] = state["moves"] / state["max_moves"]


@compiled
def _write_duty(state, out):
    out[_DUTY + int(state["duty"]) - 1] = 1
    out[_NEEDED] = state["needed"] / MAX_OPENING
    if state["named"] != NO_CARD:
        out[_NAMED + state["named"]] = 1
    if state["aside_size"] > 0:
        _write_counts(state["aside"], out, _ASIDE)


@compiled
def _write_table(state, out):
    fits, swaps = np.int64(0), np.int64(0)
    for number in range(state["num_melds"]):
        fits |= state["fits"][number]
        swaps |= state["swaps"][number]
    _write_kinds(fits, out, _FITS)
    _write_kinds(swaps, out, _SWAPS)
    shown, size = state["shown"], int(state["num_melds"]) * MELD_WIDTH
    at = out[_MELDS : _MELDS + MAX_MELDS * MELD_WIDTH]
    for k in range(size):
        at[k] = np.float32(shown[k]) * _SHOWN_SCALE[k]


@compiled
def _write_players(state, first, blocks, block_size, out):
    """A block for each seat, from seat `first` on."""
    players = int(state["players"])
    for k in range(players):
        seat = first + k if first + k < players else first + k - players
        at = blocks + k * block_size
        out[at + _DEALER] = state["dealer"] == seat
        out[at + _SIZE] = state["hand_size"][seat] * _PER_CARD
        out[at + _OPENED] = state["opened"][seat]
        out[at + _LAID] = state["laid"][seat] * _PER_POINT
        if state["known_size"][seat] > 0:
            _write_counts(state["known"][seat], out, at + _KNOWN)
        for number in range(state["num_melds"]):
            out[at + _OWNS + number] = state["owner"][number] == seat
    out[blocks + (state["seat"] - first) % players * block_size + _TO_MOVE] = 1


@compiled
def _write_kinds(kinds, out, at):
    if kinds:
        shown = out[at : at + NUM_KINDS]
        for card in range(NUM_KINDS):
            shown[card] = (kinds >> card) & 1


@compiled
def _write_counts(counts, out, at):
    shown = out[at : at + NUM_CARDS]
    for card in range(NUM_CARDS):
        shown[card] = np.float32(counts[card]) * _COPY_SCALE[card]
