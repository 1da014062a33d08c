"""What a deal of Kunken comes to (RULES.md, "Score")."""

from penzoo.envs.jit import compiled
from penzoo.envs.kunken.melds import card_points, honours
from penzoo.envs.kunken.state import NUM_CARDS, Reward


@compiled
def hand_points(state, seat):
    """What the cards in a hand count, jokers ten (D)."""
    high, points = honours(state["ten_is_honour"]), 0
    for card in range(NUM_CARDS):
        points += int(state["hand"][seat, card]) * card_points(card, high)
    return points


@compiled
def score(state, seat):
    """A seat's score as it stands: the winner's points, and the others' minus, count double in an express (S)."""
    times = 2 if state["is_express"] else 1
    laid = int(state["laid"][seat])
    return laid * (times if state["winner"] == seat else 1) - hand_points(state, seat) * times


@compiled
def pay(state):
    """Hand out the rewards at the end of the deal (D, O)."""
    players, total = int(state["players"]), 0
    for seat in range(players):
        points = score(state, seat)
        total += points
        state["rewards"][seat] += points
    if state["reward"] == Reward.ZERO_SUM:
        for seat in range(players):
            state["rewards"][seat] -= total / players
