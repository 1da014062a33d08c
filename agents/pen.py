"""Hand-written agents for Пень: functions of one observation and its mask (`penzoo.envs.pen.views` says what stands where)."""

from penzoo.envs.jit import compiled
from penzoo.envs.pen.rules import TAKE
from penzoo.envs.pen.state import NUM_CARDS, NUM_RANKS, NUM_SUITS
from penzoo.envs.pen.views import AT

_TRUMP_SUIT = AT["trump_suit"]


@compiled
def greedy(observation, mask, players):
    """Beat and lead with the cheapest card, trumps last; take only when nothing beats."""
    trump_suit = find_trump_suit(observation)
    best, best_cost = TAKE, 2 * NUM_RANKS
    for card in range(NUM_CARDS):
        cost = cheapness(card, trump_suit)
        if mask[card] and cost < best_cost:
            best, best_cost = card, cost
    return best


@compiled
def find_trump_suit(observation):
    """The suit of trumps, 0 to 3."""
    for suit in range(NUM_SUITS):
        if observation[_TRUMP_SUIT + suit] > 0:
            return suit
    return 0


@compiled
def cheapness(card, trump_suit):
    """The order in which cards are given away, 0 first: by rank, every trump after every other card."""
    rank = card % NUM_RANKS
    return rank + NUM_RANKS if card // NUM_RANKS == trump_suit else rank
