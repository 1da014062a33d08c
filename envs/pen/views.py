"""What one seat sees of a deal of Пень, and the whole of it: observation and global state, each beside its table."""

import numpy as np

from penzoo.envs.jit import compiled
from penzoo.envs.pen.rules import top_card
from penzoo.envs.pen.state import HAND, NUM_CARDS, NUM_RANKS, NUM_SUITS, STUMP, Phase
from penzoo.envs.tables import Layout, Piece, seated_layout

_BIT = "0 or 1"
_PILE_SCALE = f"top card 1, each card below 1/{NUM_CARDS} less; 0: not in the pile"

_COMMON = (
    Piece("hand", NUM_CARDS, "own hand, by card index", _BIT),
    Piece("pile", NUM_CARDS, "the pile in its order, by card index", _PILE_SCALE),
    Piece("top", NUM_CARDS, "the top card of the pile", _BIT),
    Piece("trump_suit", NUM_SUITS, "the suit of trumps (c d h s)", _BIT),
    Piece("trump_card", NUM_CARDS, "the card that was shown for trumps", _BIT),
    Piece("beat", 1, "the decision: 1 to beat, 0 to lead", _BIT),
    Piece("pile_size", 1, "cards in the pile", f"/{NUM_CARDS}"),
    Piece("stock_size", 1, "cards in the stock", f"/{NUM_CARDS}"),
    Piece("moves", 1, "decisions made in the deal", "/max_moves"),
)
_PLAYER = (
    Piece("to_move", 1, "whose decision it is", _BIT),
    Piece("dealer", 1, "who dealt", _BIT),
    Piece("hand_size", 1, "cards in hand", f"/{NUM_CARDS}"),
    Piece("stump", 1, "whether the stump still lies", _BIT),
    Piece("out", 1, "0: not out; the first who went out 1/players, …, the last 1", "/players"),
    Piece("known", NUM_CARDS, "cards in hand that everyone saw go there, by card index", _BIT),
)
_STATE_COMMON = (
    Piece("stock", NUM_CARDS, "the stock in its order, by card index", f"next card 1, each card after it 1/{NUM_CARDS} less; 0: not there"),
    *_COMMON[1:],
)
_STATE_PLAYER = (
    *_PLAYER,
    Piece("hand", NUM_CARDS, "the hand, by card index", _BIT),
    Piece("stump_cards", NUM_CARDS, "the cards of the stump, by card index", _BIT),
)


def observation_layout(players: int) -> Layout:
    """The observation at a table of so many; `seat_k` is the k-th to play after the observer."""
    return seated_layout(_COMMON, _PLAYER, players, "seat")


def state_layout(players: int) -> Layout:
    """The global state at a table of so many; `player_k` is seat k."""
    return seated_layout(_STATE_COMMON, _STATE_PLAYER, players, "player")


# where the pieces begin, whatever the number of players; those of seat k's block lie BLOCK_SIZE * k further on
AT = {name: piece.start for name, piece in seated_layout(_COMMON, _PLAYER, 1, "seat").slices.items()}
_HAND, _PILE, _TOP, _TRUMP_SUIT, _TRUMP_CARD = (AT[n] for n in ("hand", "pile", "top", "trump_suit", "trump_card"))
_BEAT, _PILE_SIZE, _STOCK_SIZE, _MOVES = (AT[n] for n in ("beat", "pile_size", "stock_size", "moves"))
_BLOCKS = Layout(_COMMON).size
_TO_MOVE, _DEALER, _SIZE, _STUMP, _OUT, _KNOWN = (AT[f"seat_0.{piece.name}"] - _BLOCKS for piece in _PLAYER)
BLOCK_SIZE = Layout(_PLAYER).size
_STATE_BLOCK_SIZE = Layout(_STATE_PLAYER).size
_STATE_STOCK = _HAND  # the stock stands in the global state where the own hand stands in the observation
_SHARE = (np.arange(NUM_CARDS + 1) / NUM_CARDS).astype(np.float32)  # of the pack; a division costs more than a look
_STATE_HAND, _STATE_STUMP = BLOCK_SIZE, BLOCK_SIZE + NUM_CARDS


@compiled
def observe(state, seat, obs):
    """Write what a seat sees into `obs`, float32 of `observation_layout(players).size`, each number in [0, 1].

    It holds what RULES.md lists under "What a player sees", and nothing that `determinize` would change.
    """
    obs[_PILE:_BEAT] = 0  # all else is written in full below
    _write_common(state, obs)
    _write_players(state, seat, BLOCK_SIZE, obs)
    own = HAND + seat
    place, hand = state["place"], obs[_HAND : _HAND + NUM_CARDS]
    for card in range(NUM_CARDS):
        hand[card] = _is_at(place[card], own)


@compiled
def _is_at(place, where):
    """1 where the places are the same, else 0: `place == where`, in arithmetic that the compiler turns into no branch."""
    return np.int8(max(np.int8(0), np.int8(1 - abs(place - where))))


@compiled
def view(state, out):
    """Write the whole deal, hidden cards included, into `out`, float32 of `state_layout(players).size`, each number in [0, 1]."""
    out[:] = 0
    _write_common(state, out)
    _write_players(state, 0, _STATE_BLOCK_SIZE, out)
    for card in range(NUM_CARDS):
        place = int(state["place"][card])
        if place >= STUMP:
            out[_BLOCKS + (place - STUMP) * _STATE_BLOCK_SIZE + _STATE_STUMP + card] = 1
        elif place >= HAND:
            out[_BLOCKS + (place - HAND) * _STATE_BLOCK_SIZE + _STATE_HAND + card] = 1
    size = state["stock_size"]
    for depth in range(size):
        out[_STATE_STOCK + state["stock"][depth]] = _SHARE[NUM_CARDS - size + 1 + depth]


@compiled
def _write_common(state, out):
    size = state["pile_size"]
    for depth in range(size):
        out[_PILE + state["pile"][depth]] = _SHARE[NUM_CARDS - size + 1 + depth]
    if size > 0:
        out[_TOP + top_card(state)] = 1
    out[_TRUMP_SUIT + state["trump_card"] // NUM_RANKS] = 1
    out[_TRUMP_CARD + state["trump_card"]] = 1
    out[_BEAT] = state["phase"] == Phase.BEAT
    out[_PILE_SIZE] = _SHARE[size]
    out[_STOCK_SIZE] = _SHARE[state["stock_size"]]
    out[_MOVES] = state["moves"] / state["max_moves"]


@compiled
def _write_players(state, first, block_size, out):
    """A block for each seat, from seat `first` on."""
    players, place, known = state["players"], state["place"], state["known"]
    for k in range(players):
        seat = first + k if first + k < players else first + k - players
        at = _BLOCKS + k * block_size
        out[at + _TO_MOVE] = state["seat"] == seat
        out[at + _DEALER] = state["dealer"] == seat
        out[at + _SIZE] = _SHARE[state["in_hand"][seat]]
        out[at + _STUMP] = state["in_stump"][seat] > 0
        out[at + _OUT] = state["out_place"][seat] / players
        hand = HAND + seat
        shown = out[at + _KNOWN : at + _KNOWN + NUM_CARDS]
        for card in range(NUM_CARDS):  # no branch, since which cards are known cannot be predicted; int8, to do many at once
            shown[card] = np.int8(known[card] & np.int8(place[card] == hand))
