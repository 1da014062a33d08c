"""Round robins and gauntlets: pairs, intervals that hold what they say, ratings, early stops, and going on after an interrupt."""

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from rich.console import Console
from typer.testing import CliRunner

from penzoo import cli
from penzoo.agents import make_agent
from penzoo.agents.policy import Layers, describe, save_policy
from penzoo.envs import get_game
from penzoo.eval import evaluate, print_tournament, ratings, save_json, save_tournament_picture, tournament
from penzoo.eval import tournament as tournament_function
from penzoo.eval.arena import Games, play, seatings
from penzoo.eval.deals import draw_deals
from penzoo.eval.figures import deck_figures, make_row, variance_ratio
from penzoo.eval.intervals import TUNED_FOR, mean_interval, mean_sequence, share_sequence
from penzoo.eval.ratings import deck_wins, rate
from penzoo.eval.store import MANIFEST, Store
from penzoo.eval.tournament import leaves_out_zero

module = sys.modules[tournament_function.__module__]
PEN = get_game("pen")
THREE = ["careful", "greedy", "random"]


@pytest.fixture(scope="module", autouse=True)
def fewer_resamples():
    """Ratings take half a second, nearly all of it for their intervals."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ratings, "RESAMPLES", 100)
        yield


def planted(rng, decks, players, mean=0.0, shared=3.0):
    """Games of one agent among seats of another, whose mean payoff is known: luck of the deck, of the seat and of the game, all skewed.

    Args:
        rng: of the luck.
        decks: how many.
        players: at the table; each deck is played in as many rotations.
        mean: the true one, of the agent that is alone.
        shared: how much the luck of a deck is the agent's in all rotations, and not the seats'.
    """
    seats = seatings([0] + [1] * (players - 1), players)
    of_deck = shared * (rng.exponential(size=(decks, 1)) - 1)
    of_seat = rng.exponential(size=(decks, players)) * 2
    of_seat -= of_seat.mean(axis=1, keepdims=True)  # what one rotation brings, another takes
    favoured = np.linspace(-1, 1, players)  # a seat is better than another in all decks
    own = mean + of_deck + of_seat + favoured + 2 * (rng.exponential(size=(decks, players)) - 1)
    return Games(*results(own, seats))


def results(own, seats):
    """What `Games` takes, if the agent 0 gets `own` of shape (decks, seatings), and the others share its loss."""
    decks, players = len(own), seats.shape[1]
    returns = np.where(seats == 0, own[:, :, None], -own[:, :, None] / (players - 1))
    return returns, {"losses": returns < 0}, np.ones((decks, len(seats)), np.int64), np.zeros((decks, len(seats)), bool)


def field_of(count, players, form="round-robin", until_significant=False, deals=1000):
    """The pairs of a tournament of agents that are not asked."""
    setup = SimpleNamespace(game=PEN, players=players, options={}, agents=[None] * count, names=[f"agent {k}" for k in range(count)])
    return module._Field(setup, form, deals, None, 0, 1, None, until_significant)


# --------------------------------------------------------------------------------------------------------------------- pairs


@pytest.fixture(scope="module", params=[("pen", 2), ("pen", 4), ("kunken", 3)], ids=lambda param: f"{param[0]} {param[1]}")
def result(request):
    game, players = request.param
    return tournament(THREE, game, players=players, deals=60, seed=5)


def test_a_pair_is_the_table_of_one_agent_among_seats_of_another(result):
    assert [(pair.agent, pair.opponent) for pair in result.pairs] == list(itertools.permutations(THREE, 2))
    game = result.game.partition("_")[0]
    for pair in result.pairs:
        if "random" in (pair.agent, pair.opponent):
            continue  # whose chance is another one there
        table = evaluate([pair.agent] + [pair.opponent] * (result.players - 1), game, players=result.players, deals=60, seed=5)
        row = table.rows[0]
        for name in ("payoff", "payoff_interval", "shares", "share_intervals", "moves", "truncated", "decks", "games"):
            assert getattr(pair, name) == getattr(row, name), name
        np.testing.assert_array_equal(result.deck_payoffs[pair.agent, pair.opponent], table.deck_payoffs[pair.agent])


def test_the_variance_ratio_of_a_pair_is_of_the_agent_s_own_games(result):
    game = get_game(result.game.partition("_")[0])
    seats = seatings([0] + [1] * (result.players - 1), result.players)
    agents = [make_agent(name, game.name) for name in ("careful", "greedy")]
    (games,) = play(game, agents, seats, draw_deals(game, result.players, 60, seed=5))
    (pair,) = (pair for pair in result.pairs if (pair.agent, pair.opponent) == ("careful", "greedy"))
    assert pair.variance_ratio == variance_ratio(games.returns[:, seats == 0])


def test_at_tables_of_two_the_games_are_played_once_and_tallied_both_ways(result):
    ordered = len(THREE) * (len(THREE) - 1)
    assert result.games == 60 * result.players * ordered // (2 if result.players == 2 else 1)
    if result.players == 2:
        for (agent, opponent), payoffs in result.deck_payoffs.items():
            np.testing.assert_array_equal(payoffs, -result.deck_payoffs[opponent, agent])


def test_overall_is_the_mean_over_opponents_deck_by_deck(result):
    for row in result.overall:
        own = np.mean([payoffs for (agent, _), payoffs in result.deck_payoffs.items() if agent == row.agent], axis=0)
        assert row.payoff == pytest.approx(own.mean(), abs=1e-12)
        assert row.payoff_interval == pytest.approx(mean_interval(own), abs=1e-12)
        assert (row.decks, row.games) == (60, 60 * result.players * 2)


def test_two_agents_are_compared_against_the_same_opponent(result):
    assert len(result.comparisons) == len(THREE)
    for each in result.comparisons:
        assert each.first[1] == each.second[1]
        difference = result.deck_payoffs[each.first] - result.deck_payoffs[each.second]
        assert each.difference == pytest.approx(difference.mean())
        assert each.difference_interval == pytest.approx(mean_interval(difference))


def test_the_better_agents_have_the_higher_ratings(result):
    careful, greedy, rand = result.ratings
    assert careful.points > greedy.points > rand.points_interval.high
    assert sum(rating.points for rating in result.ratings) == pytest.approx(0, abs=1e-9)
    assert all(rating.points_interval.low <= rating.points <= rating.points_interval.high for rating in result.ratings)


@pytest.mark.parametrize("players", [2, 3])
def test_a_gauntlet_has_the_pairs_of_the_first_agent_as_a_round_robin_has_them(players):
    options = {"players": players, "deals": 60, "seed": 1}
    gauntlet, whole = (tournament(THREE, format=form, **options) for form in ("gauntlet", "round-robin"))
    assert gauntlet.pairs == [pair for pair in whole.pairs if pair.agent == "careful"]
    assert [row.agent for row in gauntlet.overall] == ["careful"]
    assert gauntlet.overall == whole.overall[:1]
    assert gauntlet.games == 60 * players * 2
    assert [rating.agent for rating in gauntlet.ratings] == THREE
    ((first, second),) = [(each.first, each.second) for each in gauntlet.comparisons]
    assert (first, second) == (("careful", "greedy"), ("careful", "random"))


def test_the_same_arguments_give_the_same_figures_whatever_the_threads():
    first, second, other = (
        tournament(THREE, players=2, deals=60, seed=seed, threads=threads) for seed, threads in ((1, 1), (1, 2), (2, 1))
    )
    assert first == second
    assert first.pairs != other.pairs


class Dull:
    """Plays the first legal action."""

    name, game, num_players = "dull", None, None

    def act(self, observations, masks):
        return np.argmax(masks, axis=1)


def test_agents_of_one_name_are_told_apart():
    made = tournament([Dull(), Dull()], players=2, deals=4)
    assert made.agents == ["dull", "dull (2)"]
    assert [pair.payoff for pair in made.pairs] == [0, 0]
    assert [pair.variance_ratio for pair in made.pairs] == [None, None]


def test_the_bar_counts_the_decks_of_all_pairs(monkeypatch, capfd):
    monkeypatch.setenv("FORCE_COLOR", "1")  # by which rich takes any output for a terminal
    tournament(THREE, players=2, deals=4, progress=True)
    told = capfd.readouterr()
    assert "3 pairs × decks" in told.err and "12/12" in told.err
    assert told.out == ""


@pytest.mark.parametrize("players", [2, 3])
def test_a_ladder_has_the_pairs_among_the_first_agent_as_a_round_robin_has_them(players):
    options = {"players": players, "deals": 60, "seed": 1}
    ladder, whole = (tournament(THREE, format=form, **options) for form in ("ladder", "round-robin"))
    same = [pair for pair in whole.pairs if pair.opponent == "careful"]
    if players == 2:  # there a round robin plays careful against random, whose chance is another then
        same[1] = ladder.pairs[1]
    assert ladder.pairs == same
    assert [row.agent for row in ladder.overall] == ["greedy", "random"]
    assert ladder.games == 60 * players * 2
    ((first, second),) = [(each.first, each.second) for each in ladder.comparisons]
    assert (first, second) == (("greedy", "careful"), ("random", "careful"))


DULL = Dull()


@pytest.mark.parametrize(
    ("agents", "more", "match"),
    [
        (THREE, {"format": "swiss"}, "format='swiss' is not possible: it takes 'round-robin', 'gauntlet' or 'ladder'"),
        (THREE, {"format": "table"}, "'round-robin', 'gauntlet' or 'ladder'"),
        (["greedy"], {}, "a round-robin takes at least 2 agents: there is only greedy"),
        (["greedy"], {"format": "gauntlet"}, "a gauntlet takes at least 2 agents"),
        (["greedy", "careful", "greedy"], {}, "agent greedy is listed twice"),
        (["greedy", "greedy"], {}, "agent greedy is listed twice"),
        ([DULL, DULL], {"format": "gauntlet"}, "agent dull is listed twice"),
        ([], {}, "at least one"),
        (THREE, {"deals": 1}, "deals=1 .* from 2 on"),
        (THREE, {"players": 7}, "2 to 6 players"),
        (["greedy", "nobody"], {}, "'nobody' does not exist"),
    ],
)
def test_what_is_impossible_is_told_before_anything_is_played(agents, more, match, monkeypatch):
    monkeypatch.setattr(module, "play", None)
    with pytest.raises(ValueError, match=match):
        tournament(agents, **more)


# ----------------------------------------------------------------------------------------------------------------- intervals


@pytest.mark.parametrize("players", [2, 4])
def test_the_interval_holds_the_truth_as_often_as_it_says(players):
    """2,000 evaluations of 120 decks with a known answer: those over decks hold it in 93 to 97 %, those over games would not."""
    rng = np.random.default_rng(players)
    runs, truth, field = 2000, 0.3, field_of(2, players)
    covered = over_games = 0
    for _ in range(runs):
        games = planted(rng, 120, players, truth)
        sides = module._sides(field, {(0, 1): games})
        low, high = module._pair_row(field, (0, 1), sides[0, 1]).payoff_interval
        covered += low <= truth <= high
        low, high = mean_interval(sides[0, 1].payoffs.ravel())
        over_games += low <= truth <= high
    assert 0.93 <= covered / runs <= 0.97
    assert over_games / runs < 0.93


def test_the_overall_interval_holds_the_truth_though_the_opponents_share_the_decks():
    rng = np.random.default_rng(0)
    runs, field = 2000, field_of(3, 3)
    covered = as_if_apart = 0
    for _ in range(runs):
        luck = 3 * (rng.exponential(size=(100, 1)) - 1)
        games = {}
        for opponent in (1, 2):
            own = planted(rng, 100, 3, 0.2 * opponent).returns[:, field.seats == 0] + luck
            games[0, opponent] = Games(*results(own, field.seats))
        sides = module._sides(field, games)
        low, high = module._overall(field, sides)[0].payoff_interval
        covered += low <= 0.3 <= high
        low, high = mean_interval(np.concatenate([side.figures["payoff"] for side in sides.values()]))
        as_if_apart += low <= 0.3 <= high
    assert 0.93 <= covered / runs <= 0.97
    assert as_if_apart / runs < 0.93


def test_intervals_of_shares_hold_the_truth_as_often_as_they_say():
    rng = np.random.default_rng(0)
    seats, runs, covered = seatings([0, 1], 2), 2000, 0
    for _ in range(runs):
        own = np.where(rng.random((150, 2)) < rng.beta(2, 6, (150, 1)), -1.0, 1.0)  # lost with a chance that the deck sets
        figures = deck_figures(Games(*results(own, seats)), seats, 2)[0]
        low, high = make_row("agent", ["losses"], figures, 300).share_intervals["losses"]
        covered += low <= 0.25 <= high
    assert 0.93 <= covered / runs <= 0.97


def test_small_evaluations_of_real_games_hold_what_a_big_one_finds():
    truth = evaluate(["careful", "greedy"], players=2, deals=4000, seed=1000).rows[0].payoff
    covered = 0
    for seed in range(60):
        low, high = evaluate(["careful", "greedy"], players=2, deals=40, seed=seed).rows[0].payoff_interval
        covered += low <= truth <= high
    assert covered >= 52  # 57 are expected, and less than 52 have a chance of 0.3 %


def test_the_sequence_by_its_formula():
    values = np.tile([1.0, 3.0], 250)
    scaled = 8.2120  # t r² at TUNED_FOR, where t r² = log((t r² + 1) / 0.05²)
    assert scaled == pytest.approx(np.log((scaled + 1) / 0.05**2), abs=1e-3)
    half = values.std(ddof=1) * np.sqrt(2 * (scaled + 1) / (500 * scaled) * np.log(np.sqrt(scaled + 1) / 0.05))
    assert TUNED_FOR == 500
    assert mean_sequence(values) == pytest.approx((2 - half, 2 + half), abs=1e-4)


def test_the_sequence_is_wider_than_the_interval_and_narrower_with_more_decks():
    values = np.random.default_rng(0).normal(size=4000)
    widths = [np.diff(mean_sequence(values[:count]))[0] for count in (100, 500, 2000, 4000)]
    assert widths == sorted(widths, reverse=True)
    assert np.diff(mean_sequence(values[:500]))[0] > 1.4 * np.diff(mean_interval(values[:500]))[0]


def test_where_all_decks_agree_the_sequence_is_not_sure_of_itself():
    low, high = mean_sequence(np.full(60, -1.0))
    assert (low + high) / 2 == pytest.approx(-1) and high > 0
    assert mean_sequence(np.full(150, -1.0)).high < 0
    low, high = share_sequence(np.zeros(100))
    assert low == 0 and high == pytest.approx(1 - (0.05 / 101) ** 0.01)
    assert share_sequence(np.ones(100)) == pytest.approx((1 - high, 1))
    for sequence in (mean_sequence, share_sequence):
        with pytest.raises(ValueError, match="at least 2"):
            sequence(np.ones(1))


# ---------------------------------------------------------------------------------------------------------------- early stops


@pytest.fixture
def stops(monkeypatch):
    """Plays planted games of a gauntlet of four by the real loop; gives for each pair the decks at which it stopped."""
    monkeypatch.setattr(module, "draw_deals", lambda *_: None)

    def play(rng, means, deals, method=None):
        field = field_of(len(means) + 1, 2, "gauntlet", True, deals)
        if method is not None:
            field.method = field.method._replace(of_mean=method)
        field._chunk = lambda pair, _, start, stop: planted(rng, stop - start, 2, means[pair[1] - 1])
        return [len(games) for games in field.play(lambda _: None).values()]

    return play


def test_looking_after_every_chunk_stops_no_even_pair_too_often(stops):
    rng = np.random.default_rng(0)
    runs, deals = 240, 800
    wrong = sum(min(stops(rng, [0, 0, 0], deals)) < deals for _ in range(runs))
    assert wrong / runs <= 0.05
    naive = sum(min(stops(rng, [0, 0, 0], deals, mean_interval)) < deals for _ in range(runs // 4))
    assert naive / (runs // 4) > 0.07  # what looking again and again does to intervals that do not allow it


def test_a_pair_stops_early_where_there_is_a_difference(stops):
    rng = np.random.default_rng(0)
    played = np.array([stops(rng, [2.0, 0.5, -2.0], 2000) for _ in range(20)])
    assert (played[:, [0, 2]] <= 200).all()
    assert played[:, 1].mean() > played[:, 0].mean()
    assert (played[:, 1] < 2000).mean() > 0.9
    assert (played % module.CHUNK == 0).all() and played.min() >= module.FIRST_LOOK


def test_a_pair_with_a_search_plays_fewer_decks_if_asked(tmp_path):
    agents, how = ["careful", "search:4", "greedy"], {"format": "ladder", "players": 2, "deals": 60, "seed": 3, "folder": tmp_path / "run"}
    few = tournament(agents, search_deals=3, **how)
    assert {(pair.agent, pair.decks) for pair in few.pairs} == {("search:4", 3), ("greedy", 60)}
    assert (few.deals, few.games) == (60, 2 * 63)
    assert [row.decks for row in few.overall] == [3, 60]
    assert few.search_deals == few.to_dict()["search_deals"] == 3
    more = tournament(agents, search_deals=52, **how)  # in the same folder, though its chunks are others
    assert [pair.decks for pair in more.pairs] == [52, 60]
    np.testing.assert_array_equal(more.deck_payoffs["search:4", "careful"][:3], few.deck_payoffs["search:4", "careful"])
    assert [pair.decks for pair in tournament(agents, search_deals=99, **how).pairs] == [60, 60]
    robin = tournament(agents, players=2, deals=5, search_deals=2, seed=3)
    assert {(pair.agent, pair.opponent): pair.decks for pair in robin.pairs}[("careful", "greedy")] == 5
    assert sorted(pair.decks for pair in robin.pairs) == [2, 2, 2, 2, 5, 5]
    assert [row.decks for row in robin.overall] == [2, 2, 2]  # those that all pairs of an agent played
    first = tournament(agents[1::-1], format="gauntlet", players=3, deals=5, search_deals=2, seed=3)
    assert [pair.decks for pair in first.pairs] == [2]
    with pytest.raises(ValueError, match=r"search_deals=99 is not possible with until_significant: .* first looked at after 100 decks"):
        tournament(agents, search_deals=99, until_significant=True, **how)
    for wrong in (1, True, 2.5):
        with pytest.raises(ValueError, match=f"search_deals={wrong} is not possible: it takes an int from 2 on"):
            tournament(agents, search_deals=wrong, **how)


def test_until_significant_with_real_agents():
    made = tournament(THREE, players=2, deals=400, seed=3, until_significant=True)
    assert made.pair_confidence == pytest.approx(1 - 0.05 / 3)
    assert "sequence" in made.intervals
    assert made.deals < 400
    for pair in made.pairs:
        assert pair.significant and module.FIRST_LOOK <= pair.decks < 400
        payoffs = made.deck_payoffs[pair.agent, pair.opponent]
        assert pair.payoff_interval == mean_sequence(payoffs, made.pair_confidence)
        assert not mean_sequence(payoffs[: -module.CHUNK], made.pair_confidence).high < 0 or pair.decks == module.FIRST_LOOK
    assert {row.decks for row in made.overall} <= {pair.decks for pair in made.pairs}
    few = tournament(["careful", "random"], players=2, deals=module.FIRST_LOOK - 1, seed=3, until_significant=True)
    assert all(leaves_out_zero(pair.payoff_interval) and not pair.significant for pair in few.pairs)
    even = tournament([Dull(), Dull()], players=2, deals=150, until_significant=True)
    assert [(pair.decks, pair.significant) for pair in even.pairs] == [(150, False)] * 2


# ------------------------------------------------------------------------------------------------------------------- ratings


def comparisons(rng, strengths, decks, games):
    """Wins by the model of Bradley and Terry, with the given points of Elo."""
    count = len(strengths)
    wins = np.zeros((decks, count, count))
    for one, other in itertools.combinations(range(count), 2):
        won = rng.binomial(games, 1 / (1 + 10 ** ((strengths[other] - strengths[one]) / 400)), decks)
        wins[:, one, other], wins[:, other, one] = won, games - won
    return wins


def test_three_wins_of_four_are_191_points():
    wins = np.tile([[0.0, 3.0], [1.0, 0.0]], (1000, 1, 1))
    first, second = rate(["a", "b"], wins, seed=0)
    assert first.points - second.points == pytest.approx(400 * np.log10(3), abs=0.1)


def test_ratings_find_planted_strengths_and_their_intervals_hold_them():
    rng = np.random.default_rng(0)
    strengths = np.array([150.0, 20.0, -30.0, -140.0])
    held = np.zeros(4)
    for _ in range(10):
        found = rate(list("abcd"), comparisons(rng, strengths, 200, 2), seed=0)
        assert [rating.points for rating in found] == pytest.approx(strengths, abs=80)
        held += [rating.points_interval.low <= true <= rating.points_interval.high for rating, true in zip(found, strengths, strict=True)]
    assert held.sum() >= 33  # of 40; 38 are expected


def test_one_who_always_wins_has_a_finite_rating():
    wins = np.tile([[0.0, 2.0, 2.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]], (500, 1, 1))
    found = rate(list("abc"), wins, seed=0)
    assert 500 < found[0].points - found[1].points < 2000
    assert np.isfinite([rating.points_interval for rating in found]).all()


def test_agents_that_met_only_the_first_are_rated_through_it():
    wins = np.zeros((400, 3, 3))
    wins[:, 0, 1], wins[:, 1, 0], wins[:, 0, 2], wins[:, 2, 0] = 1.5, 0.5, 0.5, 1.5
    first, weak, strong = (rating.points for rating in rate(list("abc"), wins, seed=0))
    assert (first, weak, strong) == pytest.approx((0, -400 * np.log10(3), 400 * np.log10(3)), abs=1)


@pytest.mark.parametrize(
    ("returns", "expected"),
    [
        ([[1, -1], [-1, 1]], 2),  # seats: the agent has seat 0 in the first seating, 1 in the second
        ([[1, -1], [1, -1]], 1),
        ([[0, 0], [-1, 1]], 0.5 + 1),
        ([[0, 0], [0, 0]], 1),
    ],
)
def test_wins_at_a_table_of_two(returns, expected):
    assert deck_wins(np.array([returns], float), np.eye(2, dtype=bool)).tolist() == [expected]


def test_a_table_of_more_is_broken_into_pairs():
    # the agent is in seat 0, 1, 2 and 3: it beats one, ties with one, loses to one; beats all; loses to all; and again one of each
    returns = np.array([[[1, 0, 1, 3], [0, 5, 0, 1], [2, 2, 1, 2], [3, 1, 0, 1]]], float)
    assert deck_wins(returns, np.eye(4, dtype=bool)).tolist() == pytest.approx([(1 + 0.5) / 3 + 1 + 0 + (1 + 0.5) / 3])


# -------------------------------------------------------------------------------------------------------------------- variance


def test_the_variance_ratio_of_planted_parts():
    rng = np.random.default_rng(0)
    decks, games = 40_000, 4
    of_deck, of_seat, of_game = (
        scale * rng.normal(size=shape) for scale, shape in ((2, (decks, 1)), (3, (decks, games)), (1, (decks, games)))
    )
    of_seat -= of_seat.mean(axis=1, keepdims=True)  # variance 9 · 3/4, and none in a deck's mean
    payoffs = of_deck + of_seat + of_game + [-1, 1, -1, 1]  # the seats: variance 1
    single = 4 + 9 * 3 / 4 + 1 + 1
    assert variance_ratio(payoffs) == pytest.approx(single / games / (4 + 1 / 4), rel=0.03)
    other = of_deck + rng.normal(size=(decks, games))  # the luck of the deck is common to both
    assert variance_ratio(payoffs, other) == pytest.approx((single + 4 + 1) / games / (1 / 4 + 1 / 4), rel=0.03)


def test_the_variance_ratio_is_one_where_decks_mean_nothing_and_one_nth_where_they_are_all():
    rng = np.random.default_rng(1)
    assert variance_ratio(rng.normal(size=(40_000, 3))) == pytest.approx(1, abs=0.03)
    assert variance_ratio(np.repeat(rng.normal(size=(40_000, 1)), 3, axis=1)) == pytest.approx(1 / 3, abs=0.01)
    assert variance_ratio(np.tile([1.0, -1.0], (10, 1))) is None
    with pytest.raises(ValueError, match="3 sides"):
        variance_ratio(*[np.ones((2, 2))] * 3)


# ------------------------------------------------------------------------------------------------------------------- going on


FOLDER_RUN = {"players": 2, "deals": 120, "seed": 4}


@pytest.fixture(scope="module")
def whole():
    return tournament(THREE, **FOLDER_RUN)


def assert_same(one, other):
    assert one == other
    for pair, payoffs in one.deck_payoffs.items():
        np.testing.assert_array_equal(payoffs, other.deck_payoffs[pair])


@pytest.fixture
def count_chunks(monkeypatch):
    """How many chunks have been played and saved; the one after `limit` is interrupted."""
    saved = SimpleNamespace(count=0, limit=None)
    save = Store.save

    def counted(*arguments):
        if saved.count == saved.limit:
            raise KeyboardInterrupt
        saved.count += 1
        save(*arguments)

    monkeypatch.setattr(Store, "save", counted)
    return saved


@pytest.mark.parametrize("finished", [0, 1, 4])
def test_an_interrupted_tournament_goes_on_to_the_same_figures(whole, count_chunks, tmp_path, finished):
    count_chunks.limit = finished
    with pytest.raises(KeyboardInterrupt):
        tournament(THREE, **FOLDER_RUN, folder=tmp_path / "run")
    count_chunks.limit = None
    assert_same(whole, tournament(THREE, **FOLDER_RUN, folder=tmp_path / "run", threads=2))
    assert count_chunks.count == 9  # chunks, of three pairs: none was played twice
    assert_same(whole, tournament(THREE, **FOLDER_RUN, folder=tmp_path / "run"))
    assert count_chunks.count == 9
    assert not list(tmp_path.rglob("*.part"))


def test_more_deals_and_another_format_use_what_there_is(whole, count_chunks, tmp_path):
    tournament(THREE, **{**FOLDER_RUN, "deals": 60}, format="gauntlet", folder=tmp_path)
    assert count_chunks.count == 4  # the second chunk, of 10 decks, is of no use for 120
    assert_same(whole, tournament(THREE, **FOLDER_RUN, folder=tmp_path))
    assert count_chunks.count == 4 + 9 - 2
    few = tournament(THREE, **{**FOLDER_RUN, "deals": 60}, folder=tmp_path)
    assert_same(few, tournament(THREE, **{**FOLDER_RUN, "deals": 60}))


def test_an_early_stop_is_the_same_when_it_goes_on(count_chunks, tmp_path):
    how = {**FOLDER_RUN, "deals": 300, "until_significant": True}
    expected = tournament(THREE, **how)
    count_chunks.limit = 4
    with pytest.raises(KeyboardInterrupt):
        tournament(THREE, **how, folder=tmp_path)
    count_chunks.limit = None
    assert_same(expected, tournament(THREE, **how, folder=tmp_path))


@pytest.mark.parametrize(
    ("agents", "more", "match"),
    [
        (THREE, {"seed": 5}, "has games of seed 4, not 5: name another folder, or the same seed"),
        (THREE, {"players": 3}, "has games of players 2, not 3"),
        (THREE[:2], {}, "has games of agents careful, greedy, random, not careful, greedy:"),
        (["greedy", "careful", "random"], {}, "has games of agents careful, greedy, random, not greedy, careful, random"),
        (THREE, {"options": {"must_beat": True}}, "has games of options must_beat=False, not must_beat=True"),
        (["random", "pengingan:random"], {"game": "pengingan"}, "has games of game pen_v0, not pengingan_v0"),
    ],
)
def test_the_folder_of_another_tournament_is_refused(tmp_path_factory, agents, more, match):
    folder = tmp_path_factory.getbasetemp() / "another"
    if not folder.exists():
        tournament(THREE, **{**FOLDER_RUN, "deals": 2}, folder=folder)
    with pytest.raises(ValueError, match=match):
        tournament(agents, **{**FOLDER_RUN, "deals": 2, **more}, folder=folder)


def trained(path, seed, **described):
    rng = np.random.default_rng(seed)
    sizes = PEN.observation_layout(2).size + len(PEN.actions) * ("advisor" in described), len(PEN.actions)
    layers = Layers([rng.normal(size=sizes[::-1]).astype(np.float32)], [np.zeros(sizes[1], np.float32)], "relu")
    return str(save_policy(path, layers, describe(PEN, 2, layers, "sample", "trained", **described)))


def test_a_trained_agent_is_known_by_what_its_file_holds(tmp_path):
    file, how = tmp_path / "agent.safetensors", {"players": 2, "deals": 4, "folder": tmp_path / "run"}
    first = tournament([trained(file, 0), "greedy"], **how)
    assert_same(first, tournament([trained(file, 0), "greedy"], **how))
    with pytest.raises(ValueError, match=r"has games of another .*agent\.safetensors: its file has changed"):
        tournament([trained(file, 1), "greedy"], **how)


def test_a_function_is_known_by_what_its_file_holds(tmp_path, monkeypatch):
    file, how = tmp_path / "agents_of_mine.py", {"players": 2, "deals": 2, "folder": tmp_path / "run"}
    monkeypatch.syspath_prepend(tmp_path)
    file.write_text("def play(observation, mask):\n    return int(mask.argmax())\n", encoding="utf-8")
    first = tournament(["agents_of_mine:play", "greedy"], **how)
    assert_same(first, tournament(["agents_of_mine:play", "greedy"], **how))
    file.write_text("def play(observation, mask):\n    return int(mask.nonzero()[0][-1])\n", encoding="utf-8")
    with pytest.raises(ValueError, match="has games of another agent by the name of agents_of_mine:play: its file has changed"):
        tournament(["agents_of_mine:play", "greedy"], **how)


def test_an_advised_agent_is_known_by_its_advisor_too(tmp_path):
    file, how = tmp_path / "agent.safetensors", {"players": 2, "deals": 2, "folder": tmp_path / "run"}
    tournament([trained(file, 0, advisor="greedy", advice_weight=1.0), "greedy"], **how)
    tournament([trained(file, 0, advisor="greedy", advice_weight=1.0), "greedy"], **how)
    for changed in ({"advisor": "greedy", "advice_weight": 9.0}, {"advisor": "careful", "advice_weight": 1.0}, {}):
        with pytest.raises(ValueError, match="its file has changed"):
            tournament([trained(file, 0, **changed), "greedy"], **how)


def shorten(file):
    file.write_bytes(file.read_bytes()[:-40])


def flip(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 3] ^= 255
    file.write_bytes(bytes(data))


def empty(file):
    file.write_bytes(b"")


def other_shape(file):
    with np.load(file) as arrays:
        changed = {**arrays, "returns": arrays["returns"][:-1]}
    np.savez(file, **changed)


def without_moves(file):
    with np.load(file) as arrays:
        changed = {name: array for name, array in arrays.items() if name != "moves"}
    np.savez(file, **changed)


@pytest.mark.parametrize("damage", [shorten, flip, empty, other_shape, without_moves], ids=lambda damage: damage.__name__)
def test_a_damaged_file_is_named_and_played_again_once_it_is_deleted(whole, tmp_path, damage):
    tournament(THREE, **FOLDER_RUN, folder=tmp_path)
    file = sorted((tmp_path / "games").iterdir())[1]
    damage(file)
    with pytest.raises(ValueError, match=rf"{file.name} is damaged .*delete it") as told:
        tournament(THREE, **FOLDER_RUN, folder=tmp_path)
    assert "\n" not in str(told.value)
    file.unlink()
    assert_same(whole, tournament(THREE, **FOLDER_RUN, folder=tmp_path))


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"game": "pen_v0"}'])
def test_a_damaged_manifest_is_named(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"{MANIFEST} is damaged"):
        tournament(THREE, **FOLDER_RUN, folder=tmp_path)


@pytest.mark.parametrize("changed", [{"options": 5}, {"agents": "careful"}, {"contents": [None]}, {"seed": "4"}])
def test_a_manifest_with_values_of_other_kinds_is_damaged(tmp_path, changed):
    tournament(THREE, **{**FOLDER_RUN, "deals": 2}, folder=tmp_path)
    manifest = tmp_path / MANIFEST
    manifest.write_text(json.dumps({**json.loads(manifest.read_text(encoding="utf-8")), **changed}), encoding="utf-8")
    with pytest.raises(ValueError, match=rf"{MANIFEST} is damaged"):
        tournament(THREE, **{**FOLDER_RUN, "deals": 2}, folder=tmp_path)


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf-8")
    with pytest.raises(ValueError, match="is no folder of a tournament"):
        tournament(THREE, **FOLDER_RUN, folder=tmp_path)
    with pytest.raises(ValueError, match=r"thesis\.tex is no folder"):
        tournament(THREE, **FOLDER_RUN, folder=tmp_path / "thesis.tex")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as POSIX has them")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_the_command_goes_on_after_it_was_stopped(tmp_path, sent):
    arguments = ["eval", "--format", "gauntlet", *THREE, "--deals", "20000", "--players", "2", "--folder", str(tmp_path / "run")]
    process = subprocess.Popen(
        [sys.executable, "-m", "penzoo", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored by all that a shell runs in the background
    )
    deadline = time.monotonic() + 120
    while len(list(tmp_path.rglob("*.npz"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(sent)
    _, told = process.communicate(timeout=60)
    if sent is signal.SIGINT:
        assert process.returncode == cli.INTERRUPTED
        assert f"what is finished is kept in {tmp_path / 'run'}: the same command goes on" in told
        assert "Traceback" not in told
    finished = sorted(tmp_path.rglob("*.npz"))
    assert 3 <= len(finished) < 2 * 400
    times = [file.stat().st_mtime_ns for file in finished]
    made = tournament(THREE, format="gauntlet", players=2, deals=100, folder=tmp_path / "run")
    assert made == tournament(THREE, format="gauntlet", players=2, deals=100)
    assert [file.stat().st_mtime_ns for file in finished] == times


# ------------------------------------------------------------------------------------------------------------------- reports


@pytest.fixture(scope="module")
def named(result):
    """The same with names as long as those of files, and not in Latin letters."""
    names = dict(zip(THREE, ["runs/2030-01-01-pen/agent.safetensors", "Осторожный Игрок", "random"], strict=True))
    return replace(
        result,
        pairs=[replace(pair, agent=names[pair.agent], opponent=names[pair.opponent]) for pair in result.pairs],
        overall=[replace(row, agent=names[row.agent]) for row in result.overall],
        ratings=[replace(rating, agent=names[rating.agent]) for rating in result.ratings],
    )


def printed(made, width=80, **options):
    console = Console(width=width, record=True, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 (it is the console's)
    print_tournament(made, console, **options)
    return console.export_text()


def test_the_table_shows_every_pair_best_agents_first(result):
    lines = printed(result, 120).splitlines()
    agents = [line.split()[0] for line in lines if line.split()[:1] and line.split()[0] in THREE and len(line.split()) > 6]
    assert agents[:3] == ["careful", "greedy", "random"]
    assert len(agents) == 3 + 6
    for pair in result.pairs:
        (line,) = (line for line in lines if line.split()[:2] == [pair.agent, pair.opponent])
        half = (pair.payoff_interval.high - pair.payoff_interval.low) / 2
        figures = [f"{pair.payoff:+.3f} ±{half:.3f}", *(f"{share:.1%}" for share in pair.shares.values()), f"{pair.decks}"]
        figures.append("–" if pair.variance_ratio is None else f"{pair.variance_ratio:.2f}")
        assert all(figure in line for figure in figures)
    text = " ".join(" ".join(lines).split())
    assert "ratio: variance ratio, how many times more games" in text
    assert "by Student's t" in text


def test_the_tables_fit_a_terminal(named):
    wide = 80 if named.game == "pen_v0" else 110
    text = printed(named, wide)
    assert "…" not in text
    assert all(len(line) <= wide for line in text.splitlines())
    (line,) = (line for line in text.splitlines() if "random" in line and "±" in line and line.rstrip().endswith("%"))
    assert line


def test_the_table_as_markdown(result):
    lines = [line.strip() for line in printed(result, 200, markdown=True).splitlines()]
    tables = [line for line in lines if line.startswith("|")]
    assert len(tables) == 2 + 3 + 2 + 6
    assert len({line.count("|") for line in tables}) == 2
    assert all(line.endswith("|") for line in tables)


def test_json_holds_all_of_it(result, tmp_path):
    save_json(result, tmp_path / "r.json")
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert data == result.to_dict()
    assert "deck_payoffs" not in data
    assert data["pairs"][0]["payoff_interval"] == list(result.pairs[0].payoff_interval)
    assert data["pairs"][0]["variance_ratio"] == result.pairs[0].variance_ratio
    assert data["comparisons"][0]["first"] == list(result.comparisons[0].first)
    assert data["ratings"][1]["points_interval"] == list(result.ratings[1].points_interval)
    assert (data["format"], data["players"], data["seed"], data["deals"]) == ("round-robin", result.players, 5, 60)
    assert data["versions"].keys() >= {"penzoo", "numpy", "python"}


def test_the_picture_has_a_cell_for_each_pair_and_a_rating_for_each_agent(named, monkeypatch, tmp_path):
    figure_module = pytest.importorskip("matplotlib.figure")
    drawn, save = [], figure_module.Figure.savefig
    monkeypatch.setattr(figure_module.Figure, "savefig", lambda figure, *a, **k: (drawn.append(figure), save(figure, *a, **k)))
    save_tournament_picture(named, tmp_path / "r.png")
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")
    pairs, points = drawn[0].axes
    assert len(pairs.texts) == 6
    assert all(text.get_text().count("±") == 1 for text in pairs.texts)
    assert not np.isfinite(np.diag(pairs.images[0].get_array().filled(np.nan))).any()
    assert pairs.images[0].norm.vmin == -pairs.images[0].norm.vmax
    assert len(pairs.get_yticks()) == len(pairs.get_xticks()) == 3
    assert "Elo" in points.get_xlabel()
    boxes = [text.get_window_extent() for text in pairs.texts]
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


# --------------------------------------------------------------------------------------------------------------- command line


@pytest.fixture
def run(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    return lambda *arguments: CliRunner().invoke(cli.app, ["eval", *(str(argument) for argument in arguments)])


def test_the_formats_of_the_command_are_those_of_tournaments():
    assert cli.PAIR_FORMATS == module.FORMATS


@pytest.mark.parametrize("form", module.FORMATS)
def test_the_command_prints_tables_and_writes_files(run, tmp_path, form):
    files = ["--json", tmp_path / "r.json", "--picture", tmp_path / "r.png", "--folder", tmp_path / "run"]
    done = run("--format", form, "--agents", *THREE, "--players", 3, "--deals", 120, "--seed", 2, "--until-significant", *files)
    assert done.exit_code == 0, done.output
    assert "Пень (pen_v0), 3 players" in done.stdout
    data = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert (data["format"], data["until_significant"], data["agents"]) == (form, True, THREE)
    assert (tmp_path / "r.png").stat().st_size > 0
    again = run("--format", form, "--agents", *THREE, "--players", 3, "--deals", 120, "--seed", 2, "--until-significant", *files)
    assert again.stdout == done.stdout


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["--format", "swiss", *THREE], "--format swiss does not exist: there are table, round-robin, gauntlet, ladder"),
        (["--search-deals", "5", *THREE], "--search-deals is for --format round-robin, gauntlet, ladder, not for a table"),
        (["--until-significant", *THREE], "--until-significant is for --format round-robin, gauntlet, ladder, not for a table"),
        (["--folder", "run", *THREE], "--folder is for --format round-robin, gauntlet, ladder, not for a table"),
        (["--format", "gauntlet", "greedy"], "a gauntlet takes at least 2 agents"),
        (["--format", "round-robin", "greedy", "greedy"], "agent greedy is listed twice"),
        (["--format", "round-robin", *THREE, "--picture", "r.jpg"], "should end in .png"),
        (["--format", "round-robin", *THREE, "--folder", __file__], "is no folder"),
    ],
)
def test_the_command_tells_mistakes_before_it_plays(run, arguments, match, monkeypatch):
    monkeypatch.setattr(module, "play", None)
    done = run(*arguments)
    assert done.exit_code == cli.USER_ERROR
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: ") and match in line
    assert not Path("run").exists()
