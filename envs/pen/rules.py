"""The rules of Пень (RULES.md): what is allowed and what follows. Marks S, D, O are that page's.

Every function works in place on one record (`state.STATE`), compiled or not.
"""

import numpy as np

from penzoo.envs.jit import compiled
from penzoo.envs.pen.state import (
    HAND,
    NOT_IN_DECK,
    NOT_OUT,
    NUM_CARDS,
    NUM_RANKS,
    PILE,
    STOCK,
    STUMP,
    Payoff,
    Phase,
)
from penzoo.envs.rng import random_below, shuffle

TAKE = NUM_CARDS  # the action after the cards
TAKE_COUNTS = np.array([6, 7, 8, 9, 2, 3, 4, 10, 6], np.int64)  # by rank, 6 7 8 9 J Q K T A (S)
NOBODY = -1

# ---------------------------------------------------------------------------------------------------------------------- deal


@compiled
def deck_size(state):
    """How many cards the deck has: the pack, or what the options leave of it (O)."""
    return ranks(state) * int(state["suits"])


@compiled
def ranks(state):
    """How many ranks the deck has."""
    return int(state["highest_rank"]) - int(state["lowest_rank"]) + 1


@compiled
def deck_card(state, number):
    """The card of that number in the deck in its order, from 0 on."""
    return number // ranks(state) * NUM_RANKS + int(state["lowest_rank"]) + number % ranks(state)


@compiled
def chance(state, rng):
    """Draw what the order of the deck leaves open: the trump card, any of the deck's, independent of their order (D)."""
    state["trump_card"] = deck_card(state, random_below(rng, deck_size(state)))


@compiled
def deal(state, deck, dealer):
    """Deal `deck` (int8 of `deck_size` card indices, dealt from the front) into a record whose options and trump card are set."""
    players = state["players"]
    hand_size, stump_size, cards = int(state["hand_size"]), int(state["stump_size"]), deck_size(state)
    state["dealer"] = dealer
    state["seat"] = (dealer + 1) % players
    state["phase"] = Phase.LEAD
    state["moves"] = 0
    state["terminated"] = 0
    state["truncated"] = 0
    state["pile_size"] = 0
    state["num_out"] = 0
    state["place"][:] = NOT_IN_DECK
    state["known"][:] = 0
    state["pile"][:] = 0
    state["in_hand"][:] = 0
    state["in_stump"][:] = 0
    state["out_place"][:] = NOT_OUT
    position = 0
    for turn in range(players):
        seat = (dealer + 1 + turn) % players
        state["in_stump"][seat] = stump_size
        position = _deal_packet(state, deck, position, stump_size, STUMP + seat)
    for turn in range(players):
        seat = (dealer + 1 + turn) % players
        state["in_hand"][seat] = hand_size
        position = _deal_packet(state, deck, position, hand_size, HAND + seat)
    state["stock_size"] = cards - position
    state["stock"][:] = 0
    for depth in range(cards - position):
        card = deck[cards - 1 - depth]
        state["stock"][depth] = card
        state["place"][card] = STOCK


@compiled
def _deal_packet(state, deck, position, size, place):
    for k in range(position, position + size):
        state["place"][deck[k]] = place
    return position + size


@compiled
def next_dealer(state):
    """Who deals next in a match: the loser (S); after a draw or a truncation the seat after the dealer (D)."""
    if state["terminated"]:
        for seat in range(state["players"]):
            if state["out_place"][seat] == NOT_OUT:
                return seat
    return (state["dealer"] + 1) % state["players"]


# --------------------------------------------------------------------------------------------------------------------- legal


@compiled
def legal_mask(state, mask):
    """Set `mask` (int8 of shape (37,)) to 1 where the seat to move may act so, 0 elsewhere; all 0 after the end."""
    mask[:] = 0
    if state["terminated"] or state["truncated"]:
        return
    if state["phase"] == Phase.LEAD:
        _legal_lead(state, mask)
    else:
        _legal_beat(state, mask)


@compiled
def _legal_lead(state, mask):
    held, place = HAND + state["seat"], state["place"]
    for card in range(NUM_CARDS):
        mask[card] = place[card] == held


@compiled
def _legal_beat(state, mask):
    held, place = HAND + state["seat"], state["place"]
    ranges = beating_ranges(top_card(state), state["trump_card"])
    can_beat = False
    for card in range(NUM_CARDS):  # no branch: what a hand holds cannot be predicted, and a wrong guess costs more than all the rest
        mask[card] = (place[card] == held) & is_beating(card, ranges)
        can_beat |= mask[card] != 0
    mask[TAKE] = not (state["must_beat"] and can_beat)


@compiled
def top_card(state):
    """The card to beat; there must be a pile."""
    return state["pile"][state["pile_size"] - 1]


@compiled
def beating_ranges(top, trump_card):
    """The cards that beat the top card: the higher ones of its suit, and any trump if it is none (S), as two ranges of card indices."""
    suit, trump_suit = int(top) // NUM_RANKS, trump_card // NUM_RANKS
    trumps = trump_suit * NUM_RANKS
    end_of_trumps = trumps if suit == trump_suit else trumps + NUM_RANKS
    return int(top) + 1, (suit + 1) * NUM_RANKS, trumps, end_of_trumps


@compiled
def is_beating(card, ranges):
    """Whether a card is in one of the ranges of `beating_ranges`."""
    higher, end_of_suit, trumps, end_of_trumps = ranges
    return ((card >= higher) & (card < end_of_suit)) | ((card >= trumps) & (card < end_of_trumps))


# --------------------------------------------------------------------------------------------------------------------- apply


@compiled
def apply(state, action):
    """Play a legal action of the seat to move; what it pays is added to the record's `rewards`."""
    state["moves"] += 1
    if action == TAKE:
        _apply_take(state)
    elif state["phase"] == Phase.LEAD:
        _apply_lead(state, action)
    else:
        _apply_beat(state, action)
    if not state["terminated"] and state["moves"] >= state["max_moves"]:
        state["truncated"] = 1


@compiled
def _apply_take(state):
    seat = state["seat"]
    size = state["pile_size"]
    count = min(TAKE_COUNTS[top_card(state) % NUM_RANKS], size)
    for k in range(size - count, size):
        card = state["pile"][k]
        state["place"][card] = HAND + seat
        state["known"][card] = 1
        state["pile"][k] = 0
    state["pile_size"] = size - count
    state["in_hand"][seat] += count
    if state["num_out"] == state["players"] - 1:  # the last player did not beat the last card: no draw
        _finish(state)
    else:
        _pass_turn(state)


@compiled
def _apply_beat(state, card):
    _play(state, card)
    _take_up_stump(state)
    if state["in_hand"][state["seat"]] > 0:
        state["phase"] = Phase.LEAD
    else:
        _go_out(state)


@compiled
def _apply_lead(state, card):
    _play(state, card)
    _fill_up(state)
    _take_up_stump(state)
    if state["in_hand"][state["seat"]] > 0:
        _pass_turn(state)
    else:
        _go_out(state)


@compiled
def _play(state, card):
    state["place"][card] = PILE
    state["known"][card] = 0
    state["pile"][state["pile_size"]] = card
    state["pile_size"] += 1
    state["in_hand"][state["seat"]] -= 1


@compiled
def _fill_up(state):
    seat = state["seat"]
    while state["in_hand"][seat] < state["hand_size"] and state["stock_size"] > 0:
        state["stock_size"] -= 1
        depth = state["stock_size"]
        state["place"][state["stock"][depth]] = HAND + seat
        state["stock"][depth] = 0  # a drawn card leaves no trace for whoever is handed a record
        state["in_hand"][seat] += 1


@compiled
def _take_up_stump(state):
    """The stump is taken up once hand and stock are empty (S), after a beat and after a lead alike (D)."""
    seat = state["seat"]
    if state["in_hand"][seat] > 0 or state["stock_size"] > 0 or state["in_stump"][seat] == 0:
        return
    for card in range(NUM_CARDS):
        if state["place"][card] == STUMP + seat:
            state["place"][card] = HAND + seat
    state["in_hand"][seat] = state["in_stump"][seat]
    state["in_stump"][seat] = 0


@compiled
def _pass_turn(state):
    seat = (state["seat"] + 1) % state["players"]
    while state["out_place"][seat] != NOT_OUT:
        seat = (seat + 1) % state["players"]
    state["seat"] = seat
    state["phase"] = Phase.BEAT if state["pile_size"] > 0 else Phase.LEAD


@compiled
def _go_out(state):
    state["num_out"] += 1
    state["out_place"][state["seat"]] = state["num_out"]
    still_in = state["players"] - state["num_out"]
    if still_in == 0:
        _finish(state)
        return
    _pass_turn(state)
    if still_in == 1 and not _can_draw(state):
        _finish(state)


@compiled
def _can_draw(state):
    """Whether the last player still gets the turn: one card, no stump, and it beats the top card (D)."""
    seat = state["seat"]
    if state["in_hand"][seat] != 1 or state["in_stump"][seat] > 0:
        return False
    for card in range(NUM_CARDS):
        if state["place"][card] == HAND + seat:
            return is_beating(card, beating_ranges(top_card(state), state["trump_card"]))
    return False


@compiled
def _finish(state):
    state["terminated"] = 1
    players = state["players"]
    is_draw = state["num_out"] == players
    for seat in range(players):
        place = state["out_place"][seat]
        if state["payoff"] == Payoff.PLACEMENT:
            state["rewards"][seat] += _placement(place, players, is_draw)
        elif not is_draw:
            state["rewards"][seat] += -1.0 if place == NOT_OUT else 1.0 / (players - 1)


@compiled
def _placement(place, players, is_draw):
    """From 1 for the first out to -1 for the loser, evenly spaced; in a draw the last two share the mean of the last two places (O)."""
    rank = players - 1.0 if place == NOT_OUT else place - 1.0
    if is_draw and place >= players - 1:
        rank = players - 1.5
    return 1.0 - 2.0 * rank / (players - 1)


# --------------------------------------------------------------------------------------------------------------- determinize


@compiled
def determinize(state, seat, rng):
    """Deal anew, each way as likely, all that this seat cannot see: unknown cards in other hands, every stump, the stock."""
    places = np.empty(NUM_CARDS, np.int64)
    cards = np.empty(NUM_CARDS, np.int64)
    count = 0
    for card in range(NUM_CARDS):
        if is_hidden(state, card, seat):
            places[count] = state["place"][card]
            cards[count] = card
            count += 1
    places[:count].sort()  # so that what is drawn follows from what the seat sees and the stream alone, not from the cards that lie there
    shuffle(cards[:count], rng)
    depth = 0
    for k in range(count):
        state["place"][cards[k]] = places[k]
        if places[k] == STOCK:
            state["stock"][depth] = cards[k]
            depth += 1


@compiled
def is_hidden(state, card, seat):
    """Whether a seat does not know where a card is."""
    place = state["place"][card]
    if place == STOCK or place >= STUMP:
        return True
    return place >= HAND and place != HAND + seat and not state["known"][card]
