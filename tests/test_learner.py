"""Rewards are credited to the learner's own seat across the others' moves: on a tiny game whose value is known."""

import echo_game
import numpy as np
import pytest
from echo_game import BAIT, DRIP, RIGHT, WRONG, best_value

from penzoo.agents import make_agent
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.learner import LEARNER, LearnerBatch, fixed_seating

TABLES = [(players, seat, dealer) for players in (2, 3) for seat in range(players) for dealer in range(players)]


class Names:
    """Names the card (`right`) or the other number."""

    def __init__(self, right: bool) -> None:
        self.right = right

    def act(self, observations, masks):
        cards = observations[:, 0].astype(np.int64)
        return cards if self.right else 1 - cards


class MoverCredited(Batch):
    """The usual mistake, planted in the batch: what the mover gets by a move is credited to whomever one looks at."""

    def step(self, actions, rows=None):
        movers = self.seats.copy()
        super().step(actions, rows)
        self._rewards[:] = self._rewards[np.arange(self.num_envs), movers][:, None]


class OwnMovesOnly(Batch):
    """The other usual mistake: what comes to a seat in the others' moves is lost."""

    def step(self, actions, rows=None):
        own = np.arange(self.num_players) == self.seats[:, None]
        super().step(actions, rows)
        self._rewards[~own] = 0


def learner_of(players, seat, *, kind=Batch):
    batch = kind(echo_game.GAME, 1, seed=0, num_players=players, autoreset=False)
    return LearnerBatch(batch, [Names(False)], fixed_seating(players, 1, seat), seed=0)


def credited(learner, dealer, choices):
    """The rewards of one deal, in which the learner names the card where `choices` says so."""
    learner.begin(given={"dealers": [dealer]})
    rewards = []
    for right in choices:
        assert learner.batch.seats[0] == learner.seats[0]
        card = int(learner.batch.observations[0, 0])
        learner.step(np.array([card if right else 1 - card]))
        rewards.append(float(learner.rewards[0]))
    assert learner.batch.terminated[0]
    return rewards


def by_hand(players, seat, dealer, choices):
    """The same, from the rules of the game: before the first decision, then from each decision to the next or to the end."""
    before = (seat - dealer - 1) % players  # the others' moves until the learner's first
    after = players - 1 - before  # the others' moves after its last
    worth = [RIGHT if right else WRONG + BAIT for right in choices]
    return [before * DRIP + worth[0] + (players - 1) * DRIP, worth[1] + after * DRIP]


@pytest.mark.parametrize(("players", "seat", "dealer"), TABLES)
@pytest.mark.parametrize("choices", [(True, True), (True, False), (False, True), (False, False)])
def test_what_comes_in_the_moves_of_others_is_credited_to_the_decision_before(players, seat, dealer, choices):
    rewards = credited(learner_of(players, seat), dealer, choices)
    assert rewards == by_hand(players, seat, dealer, choices)


def test_by_hand_is_the_value_of_the_game():
    for players, seat, dealer in TABLES:
        assert sum(by_hand(players, seat, dealer, (True, True))) == best_value(players)


def test_numbers_written_out_once():
    # three seats, dealer 2: seat 0 moves 1st and 4th, seat 1 2nd and 5th, seat 2 3rd and last
    assert credited(learner_of(3, 0), 2, (True, False)) == [1 + 2 * 0.125, -1 + 0.5 + 2 * 0.125]
    assert credited(learner_of(3, 1), 2, (True, False)) == [0.125 + 1 + 2 * 0.125, -1 + 0.5 + 0.125]
    assert credited(learner_of(3, 2), 2, (True, False)) == [2 * 0.125 + 1 + 2 * 0.125, -1 + 0.5]


@pytest.mark.parametrize("kind", [MoverCredited, OwnMovesOnly])
def test_the_check_catches_planted_bugs(kind):
    caught = 0
    for players, seat, dealer in TABLES:
        rewards = credited(learner_of(players, seat, kind=kind), dealer, (True, True))
        caught += rewards != by_hand(players, seat, dealer, (True, True))
    assert caught == len(TABLES)


def test_the_rewards_of_a_deal_sum_to_its_return_in_every_seat():
    batch = Batch(get_game("pen"), 64, seed=1, num_players=4, autoreset=False)
    greedy = make_agent("greedy", "pen")
    learner = LearnerBatch(batch, [greedy], fixed_seating(4, 1), seed=3)
    learner.begin()
    sums, ended = np.zeros(64), np.zeros(64, bool)
    while not ended.all():
        rows = np.flatnonzero(~ended)
        learner.step(greedy.act(batch.observations[rows], batch.masks[rows]), rows)
        sums[rows] += learner.rewards[rows]
        ended = batch.ended
    returns = batch.returns[np.arange(64), learner.seats]
    np.testing.assert_allclose(sums, returns, atol=1e-12)
    assert set(learner.seats) == {0, 1, 2, 3}
    assert {-1.0, round(1 / 3, 6)} <= set(returns.round(6))


def test_seating_gives_the_seats_after_the_learner_to_the_actors_in_order():
    generator = np.random.default_rng(0)
    assert fixed_seating(4, 2, 1)(1, generator).tolist() == [[0, LEARNER, 0, 1]]
    drawn = fixed_seating(4, 3)(4000, generator)
    seats = np.argmax(drawn == LEARNER, axis=1)
    assert np.bincount(seats, minlength=4).min() > 900


def test_a_batch_that_deals_by_itself_is_refused():
    with pytest.raises(ValueError, match="autoreset=False"):
        LearnerBatch(Batch(echo_game.GAME, 1, seed=0), [Names(True)], fixed_seating(2, 1))


def test_a_deal_that_never_asks_the_learner_is_told():
    batch = Batch(echo_game.GAME, 1, seed=0, autoreset=False, max_moves=1)
    learner = LearnerBatch(batch, [Names(True)], fixed_seating(2, 1, 0), seed=0)
    with pytest.raises(ValueError, match="never asked"):
        learner.begin(given={"dealers": [0]})
