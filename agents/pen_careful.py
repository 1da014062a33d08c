"""The careful agent for Пень: weighs the cards that a turn gives away, those that it brings, and what it leaves to the next player."""

import numpy as np

from penzoo.agents.pen import find_trump_suit, greedy
from penzoo.envs.jit import compiled
from penzoo.envs.pen.rules import TAKE, TAKE_COUNTS
from penzoo.envs.pen.state import NUM_CARDS, NUM_RANKS
from penzoo.envs.pen.views import AT, BLOCK_SIZE

_HAND, _PILE, _BEAT = AT["hand"], AT["pile"], AT["beat"]
_PILE_SIZE, _STOCK_SIZE, _MOVES = AT["pile_size"], AT["stock_size"], AT["moves"]
_SIZE, _STUMP, _OUT, _KNOWN = (AT[f"seat_0.{name}"] for name in ("hand_size", "stump", "out", "known"))

# What counts, in ranks of a plain card; the left column while there is a stock, the right one after it. The numbers were found by an
# evolution strategy (CMA-ES) that played them against tables of greedy, every deck once from each seat, and were then rounded.
_SIX, _TRUMP, _TURN, _TAKEN, _FORCED, _NO_HIGHER = range(6)
WEIGHTS = np.array(
    [
        [-5.0, -10.0],  # _SIX: worth of a plain six; a seven is worth 1 more, …, an ace 8 more; what is below 0 is better given away
        [6.0, 11.0],  # _TRUMP: worth of a trump, whatever its rank
        [8.0, 22.0],  # _TURN: lost with the turn by taking
        [0.0, 2.5],  # _TAKEN: lost with each card taken, beside its worth: a card more is one more to be rid of
        [1.2, 1.2],  # _FORCED: gained for each rank below 0 that the next player has to take up, as far as that player cannot beat
        [1.0, 5.5],  # _NO_HIGHER: gained as far as the next player has no higher card of the suit, and so has to give a trump or take
    ]
)
_OUT_BONUS = 1000.0  # going out comes before anything else
_PATIENCE = 0.5  # of max_moves; a deal of careful players may go round for ever, so after that they play greedily, which does not


@compiled
def careful(observation, mask, players):
    """Take the turn that weighs best by `WEIGHTS`: beats and what is led after them, leads, and taking."""
    if observation[_MOVES] > _PATIENCE:
        return greedy(observation, mask, players)
    return choose(observation, mask, players, WEIGHTS)


@compiled
def choose(observation, mask, players, all_weights):
    """As `careful`, by given weights, float64 of the shape of `WEIGHTS`."""
    weights = all_weights[:, 0 if observation[_STOCK_SIZE] > 0 else 1]
    trump_suit = find_trump_suit(observation)
    worth = find_worth(trump_suit, weights)
    pile = find_pile(observation)
    helpless, no_higher = find_chances(observation, players, trump_suit, pile)
    best, best_value = TAKE, -np.inf
    if mask[TAKE]:
        best_value = weigh_take(pile, worth, helpless, no_higher, weights)
    for card in range(NUM_CARDS):
        if mask[card]:
            if observation[_BEAT] > 0:
                value = weigh_beat(card, observation, pile, worth, helpless, no_higher, weights)
            else:
                value = weigh_lead(card, -1, pile, worth, helpless, no_higher, weights)
            if value > best_value:
                best, best_value = card, value
    return best


@compiled
def weigh_take(pile, worth, helpless, no_higher, weights):
    """The value of taking: the cards taken, and the card that the next player then has to beat."""
    count = count_taken(pile)
    value = sum_worth(pile[:count], worth) - weights[_TURN] - weights[_TAKEN] * count
    if count < len(pile):
        top = pile[count]
        forced = sum_worth(pile[count : count + TAKE_COUNTS[top % NUM_RANKS]], worth)
        value += weigh_top(top, forced, helpless, no_higher, weights)
    return value


@compiled
def weigh_beat(card, observation, pile, worth, helpless, no_higher, weights):
    """The value of beating with a card and leading the best card that is then left."""
    best_lead = -np.inf
    left = 0
    for lead in range(NUM_CARDS):
        if observation[_HAND + lead] > 0 and lead != card:
            left += 1
            best_lead = max(best_lead, weigh_lead(lead, card, pile, worth, helpless, no_higher, weights))
    stays_in = observation[_STUMP] > 0 or observation[_STOCK_SIZE] > 0
    if left == 0:
        best_lead = 0.0  # an unknown card of the stump, if any
    if left <= 1 and not stays_in:
        best_lead += _OUT_BONUS
    return best_lead - worth[card]


@compiled
def weigh_lead(card, beating_card, pile, worth, helpless, no_higher, weights):
    """The value of leading a card on the pile, and on the card that has just beaten (-1: none)."""
    count = TAKE_COUNTS[card % NUM_RANKS] - 1
    forced = worth[card]
    if beating_card >= 0:
        forced += worth[beating_card]
        count -= 1
    forced += sum_worth(pile[:count], worth)
    return weigh_top(card, forced, helpless, no_higher, weights) - worth[card]


@compiled
def weigh_top(top, forced, helpless, no_higher, weights):
    """The value of a top card for the next player to beat, `forced` being the worth of the cards to be taken from it."""
    return weights[_NO_HIGHER] * no_higher[top] - weights[_FORCED] * helpless[top] * forced


@compiled
def sum_worth(cards, worth):
    """The worth of cards together."""
    total = 0.0
    for card in cards:
        total += worth[card]
    return total


@compiled
def find_worth(trump_suit, weights):
    """What holding each card is worth, float64 of shape (36,)."""
    worth = np.empty(NUM_CARDS)
    for card in range(NUM_CARDS):
        worth[card] = weights[_TRUMP] if card // NUM_RANKS == trump_suit else weights[_SIX] + card % NUM_RANKS
    return worth


@compiled
def find_pile(observation):
    """The pile from its top, int64."""
    pile = np.empty(count_cards(observation[_PILE_SIZE]), np.int64)
    for card in range(NUM_CARDS):
        if observation[_PILE + card] > 0:
            pile[count_cards(1 - observation[_PILE + card])] = card
    return pile


@compiled
def count_taken(pile):
    """How many cards taking brings; there must be a pile."""
    return min(TAKE_COUNTS[pile[0] % NUM_RANKS], len(pile))


@compiled
def find_uncovered(pile):
    """The card that lies on top after taking; -1: none."""
    if len(pile) == 0 or count_taken(pile) == len(pile):
        return -1
    return pile[count_taken(pile)]


@compiled
def count_cards(share):
    """How many cards a share of the pack is."""
    return int(share * NUM_CARDS + 0.5)


@compiled
def find_next(observation, players):
    """Which seat plays next, counted from the observer's: the first one on that is not out."""
    for seat in range(1, players):
        if observation[BLOCK_SIZE * seat + _OUT] == 0:
            return seat
    return 1


@compiled
def find_hidden(observation, players):
    """Which cards are neither in the pile nor in a hand that shows them: int64 of shape (36,), 1 where hidden.

    An observation does not tell which cards options have left out of the deck: these count as hidden too, so that in such a deck the
    chances that follow from it are approximate.
    """
    hidden = np.empty(NUM_CARDS, np.int64)
    for card in range(NUM_CARDS):
        seen = observation[_HAND + card] + observation[_PILE + card]
        for seat in range(1, players):
            seen += observation[BLOCK_SIZE * seat + _KNOWN + card]
        hidden[card] = seen == 0
    return hidden


@compiled
def find_chances(observation, players, trump_suit, pile):
    """How likely the next player can only take, and has no higher card of the suit, for each top card: twice float64 of shape (36,).

    Filled only for the cards that this turn can leave on top: those in hand, and the one that taking uncovers.
    """
    helpless, no_higher = np.zeros(NUM_CARDS), np.zeros(NUM_CARDS)
    hidden = find_hidden(observation, players)
    block = BLOCK_SIZE * find_next(observation, players)
    known = observation[block + _KNOWN : block + _KNOWN + NUM_CARDS]
    cards, drawn = hidden.sum(), count_cards(observation[block + _SIZE]) - int(known.sum())
    trumps = slice(trump_suit * NUM_RANKS, (trump_suit + 1) * NUM_RANKS)
    hidden_trumps, known_trumps = hidden[trumps].sum(), known[trumps].sum()
    uncovered = find_uncovered(pile)
    for top in range(NUM_CARDS):
        if observation[_HAND + top] == 0 and top != uncovered:
            continue
        higher = slice(top + 1, (top // NUM_RANKS + 1) * NUM_RANKS)
        hidden_higher, known_higher = hidden[higher].sum(), known[higher].sum()
        no_higher[top] = chance_of_none(known_higher, hidden_higher, cards, drawn)
        if top // NUM_RANKS == trump_suit:
            helpless[top] = no_higher[top]
        else:
            helpless[top] = chance_of_none(known_higher + known_trumps, hidden_higher + hidden_trumps, cards, drawn)
    return helpless, no_higher


@compiled
def chance_of_none(known, hidden, cards, drawn):
    """The chance that a hand has none of some cards: of the known ones, or of the hidden ones if it drew so many of all hidden cards."""
    if known > 0 or hidden + drawn > cards:
        return 0.0
    chance = 1.0
    for k in range(drawn):
        chance *= (cards - hidden - k) / (cards - k)
    return chance
