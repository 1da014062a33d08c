"""Evaluation: seatings, decks, figures, intervals, and what is told when it cannot be done."""

import json
from collections import Counter

import numpy as np
import pytest
from rich.console import Console

from penzoo.agents import make_agent
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.eval import arena, draw_deals, evaluate, mean_interval, play, print_table, save_json, save_picture, seatings
from penzoo.eval.arena import sole_lowest

PEN = get_game("pen")
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Dearest:
    """Plays the last legal action by index: bad, and without chance."""

    def __init__(self, name="dearest", game=None, num_players=None):
        self.name, self.game, self.num_players = name, game, num_players

    def act(self, observations, masks):
        return masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)


# ------------------------------------------------------------------------------------------------------------------ seatings


@pytest.mark.parametrize(
    ("listed", "players", "expected"),
    [
        ([0], 2, {"00"}),
        ([0, 1], 2, {"01", "10"}),
        ([0, 1], 3, {"010", "100", "001", "101", "011", "110"}),
        ([0, 1], 4, {"0101", "1010"}),
        ([0, 1, 2], 2, {"01", "10", "02", "20", "12", "21"}),
        ([0, 1, 1, 1], 4, {"0111", "1110", "1101", "1011"}),
        ([0, 0, 1], 2, {"00", "01", "10"}),
        ([0, 1, 2], 3, {"012", "120", "201"}),
        ([0, 1, 2], 4, {"0120", "1200", "2001", "0012", "1201", "2011", "0112", "1120", "2012", "0122", "1220", "2201"}),
    ],
)
def test_seatings(listed, players, expected):
    made = ["".join(map(str, seating)) for seating in seatings(listed, players)]
    assert set(made) == expected
    assert len(made) == len(expected)


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("count", range(1, 9))
def test_no_agent_is_favoured_by_its_seat_or_table(count, players):
    made = seatings(range(count), players)
    per_seat = [[int((made[:, seat] == agent).sum()) for seat in range(players)] for agent in range(count)]
    assert len({number for numbers in per_seat for number in numbers}) == 1
    assert len(Counter(map(tuple, made))) == len(made)


# --------------------------------------------------------------------------------------------------------------------- decks


def test_deals_are_the_same_however_many_are_drawn():
    few, many = draw_deals(PEN, 3, 70, seed=4), draw_deals(PEN, 3, 200, seed=4)
    assert len(few) == 70
    np.testing.assert_array_equal(few.decks, many.decks[:70])
    np.testing.assert_array_equal(few.dealers, many.dealers[:70])
    assert few.chances["trump_card"] == many.chances["trump_card"][:70]
    assert len({deck.tobytes() for deck in many.decks}) == 200
    assert set(many.dealers) == {0, 1, 2}
    assert not np.array_equal(few.decks, draw_deals(PEN, 3, 70, seed=5).decks)


def test_the_same_seed_gives_the_same_figures_whatever_the_chunks_and_threads(monkeypatch):
    def figures(seed, threads=1):
        return evaluate(["greedy", Dearest()], players=3, deals=20, seed=seed, threads=threads, options={"max_moves": 200}).rows

    whole, threaded, other = figures(1), figures(1, threads=2), figures(2)
    monkeypatch.setattr(arena, "GAMES_AT_ONCE", 40)
    assert whole == threaded == figures(1)
    assert whole != other


def test_agents_with_chance_of_their_own_repeat_themselves():
    first, second = (evaluate(["random", "greedy"], players=2, deals=10, options={"must_beat": True}) for _ in range(2))
    assert first == second


# ------------------------------------------------------------------------------------------------------------------- figures


def slowly(agents, players, count, seed, **options):
    """The same figures by the plainest means: one game after the other. Per agent and deck: payoffs, losses, moves."""
    deals = draw_deals(PEN, players, count, seed, options)
    figures = [[[] for _ in range(count)] for _ in agents]
    for k in range(count):
        for seating in seatings(range(len(agents)), players):
            batch = Batch(PEN, 1, num_players=players, autoreset=False, **options)
            batch.reset(decks=[deals.decks[k]], dealers=[deals.dealers[k]], chances={"trump_card": [deals.chances["trump_card"][k]]})
            while not batch.ended[0]:
                batch.step(agents[seating[batch.seats[0]]].act(batch.observations, batch.masks))
            for seat, agent in enumerate(seating):
                payoff = batch.returns[0, seat]
                figures[agent][k].append((payoff, payoff == -1, batch.states[0]["moves"], batch.truncated[0]))
    return np.array([[np.mean(deck, axis=0) for deck in decks] for decks in figures])


@pytest.mark.parametrize("players", [2, 3])
def test_figures_are_those_of_one_game_after_the_other(players):
    agents = [make_agent("greedy", "pen"), Dearest()]
    expected = slowly(agents, players, 6, seed=3, max_moves=200)
    result = evaluate(agents, players=players, deals=6, seed=3, options={"max_moves": 200})
    for row, figures in zip(result.rows, expected, strict=True):
        assert [row.payoff, row.loss_rate, row.moves, row.truncated] == pytest.approx(figures.mean(axis=0), abs=1e-9)
        assert row.payoff_interval == pytest.approx(mean_interval(figures[:, 0]), abs=1e-9)


@pytest.mark.parametrize("players", range(2, 7))
def test_an_agent_against_itself_gets_exactly_its_share(players):
    row = evaluate(["greedy"], players=players, deals=40).rows[0]
    assert (row.payoff, *row.payoff_interval) == (0, 0, 0)
    assert row.loss_rate <= 1 / players + 1e-9
    assert row.games == row.decks == 40


def test_without_draws_an_agent_against_itself_loses_exactly_one_nth():
    deals = draw_deals(PEN, 3, 200, seed=0)
    (games,) = play(PEN, [make_agent("greedy", "pen")], seatings([0], 3), deals)
    decided = games.lost.any(axis=2).all(axis=1)
    assert decided.sum() > 100
    assert games.lost[decided].mean() == pytest.approx(1 / 3, abs=1e-12)


def test_two_of_the_same_kind_tie_within_the_interval():
    rows = evaluate(["random", "pen:random"], players=2, deals=60, options={"must_beat": True}).rows
    for row in rows:
        low, high = row.payoff_interval
        assert low < 0 < high


@pytest.mark.parametrize(
    "agents", [["greedy", "random"], ["greedy", "random", Dearest()], ["greedy", Dearest(), Dearest("second"), "random"]]
)
def test_payoffs_sum_to_zero(agents):
    result = evaluate(agents, players=3, deals=20, options={"must_beat": True, "payoff": "placement"})
    assert sum(row.payoff for row in result.rows) == pytest.approx(0, abs=1e-9)
    assert len(result.rows) == len(agents)


def test_an_agent_listed_several_times_has_one_row():
    result = evaluate(["random", "greedy", "greedy", "greedy"], players=4, deals=10, options={"must_beat": True})
    assert [row.agent for row in result.rows] == ["random", "greedy"]
    assert result.agents == ["random", "greedy", "greedy", "greedy"]
    assert result.rows[0].payoff + 3 * result.rows[1].payoff == pytest.approx(0, abs=1e-9)
    assert result.games == 40


def test_agents_of_one_name_are_told_apart():
    result = evaluate([Dearest(), Dearest(), "greedy"], players=3, deals=4)
    assert [row.agent for row in result.rows] == ["dearest", "dearest (2)", "greedy"]


def test_the_better_agent_is_seen():
    better, worse = evaluate(["greedy", "random"], players=4, deals=100, options={"must_beat": True}).rows
    assert better.payoff_interval.low > 0 > worse.payoff_interval.high
    assert better.loss_interval.high < 1 / 4 < worse.loss_interval.low


@pytest.mark.parametrize("players", [2, 4])
def test_careful_is_seen_to_lose_less_than_greedy(players):
    careful, greedy = evaluate(["careful", "greedy"], players=players, deals=300).rows
    assert careful.loss_interval.high < greedy.loss_interval.low


def test_a_truncated_deal_has_no_loser():
    row = evaluate(["greedy"], players=3, deals=5, options={"max_moves": 5}).rows[0]
    assert (row.payoff, row.loss_rate, row.moves, row.truncated) == (0, 0, 5, 1)


@pytest.mark.parametrize(
    ("returns", "terminated", "expected"),
    [
        ([0.5, 0.5, -1], True, [0, 0, 1]),
        ([0, 0, 0], True, [0, 0, 0]),
        ([1, -0.5, -0.5], True, [0, 0, 0]),
        ([1, 0, -1], True, [0, 0, 1]),
        ([0.5, 0.5, -1], False, [0, 0, 0]),
    ],
)
def test_who_has_lost(returns, terminated, expected):
    assert sole_lowest(np.array([returns]), np.array([terminated])).tolist() == [[bool(lost) for lost in expected]]


class NearlyGreedy(Dearest):
    """Greedy, but for every tenth move or so."""

    def __init__(self):
        super().__init__("nearly greedy")
        self.greedy = make_agent("greedy", "pen")

    def act(self, observations, masks):
        pile_size = PEN.observation_layout(2).slices["pile_size"]
        slips = np.round(observations[:, pile_size.start] * 36).astype(int) % 10 == 1
        return np.where(slips, super().act(observations, masks), self.greedy.act(observations, masks))


def test_playing_every_seat_of_a_deck_takes_luck_away():
    agents = [make_agent("greedy", "pen"), NearlyGreedy()]
    deals = draw_deals(PEN, 2, 400, seed=0, options={"must_beat": True})
    (games,) = play(PEN, agents, seatings([0, 1], 2), deals, options={"must_beat": True})
    first, second = games.returns[:, 0, 0], games.returns[:, 1, 1]  # of agent 0, in seat 0 and in seat 1
    other_decks = (first.var() + second.var()) / 4  # what the mean of two games varies by if their decks are not the same
    assert ((first + second) / 2).var() < 0.8 * other_decks


# ----------------------------------------------------------------------------------------------------------------- intervals


def test_the_interval_of_three_values():
    # the mean is 2, the standard deviation 1, and Student's t for 2 degrees of freedom 4.30265
    assert mean_interval(np.array([1.0, 2.0, 3.0])) == pytest.approx((2 - 4.30265 / 3**0.5, 2 + 4.30265 / 3**0.5), abs=1e-5)


def test_the_interval_takes_two_values():
    with pytest.raises(ValueError, match="at least 2"):
        mean_interval(np.array([1.0]))


@pytest.mark.parametrize("decks", [10, 100])
def test_the_interval_covers_the_truth_as_often_as_it_says(decks):
    # payoffs as at a table of four: a deck's mean over the four rotations, each of them lost with a chance that the deck sets
    rng = np.random.default_rng(0)
    covered = 0
    for _ in range(1000):
        chance = rng.beta(2, 4, (decks, 1))
        payoffs = np.where(rng.random((decks, 4)) < chance, -1, 1 / 3).mean(axis=1)
        low, high = mean_interval(payoffs)
        covered += low <= 1 / 3 - 4 / 3 * 2 / 6 <= high
    assert 930 <= covered <= 970


def test_the_interval_is_over_decks_not_over_games():
    result = evaluate(["greedy", Dearest()], players=4, deals=30, options={"must_beat": True})
    assert result.games == 60
    assert result.rows[0].decks == 30
    payoffs = result.deck_payoffs["greedy"]
    assert payoffs.shape == (30,)
    assert result.rows[0].payoff_interval == mean_interval(payoffs)


# -------------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("agents", "more", "match"),
    [
        (["greedy", "nobody"], {}, "'nobody' does not exist"),
        ([], {}, "at least one"),
        (["greedy"], {"deals": 1}, "deals=1 .* from 2 on"),
        (["greedy"], {"deals": 2.5}, "deals=2.5"),
        (["greedy"], {"seed": -1}, "seed=-1"),
        (["greedy"], {"threads": 0}, "threads=0"),
        (["greedy"], {"players": 7}, "2 to 6 players"),
        (["greedy"], {"players": 1}, "2 to 6 players"),
        (["greedy"], {"game": "whist"}, "game 'whist' does not exist"),
        (["greedy"], {"options": {"must_lead": True}}, "option 'must_lead' does not exist"),
        (["greedy"], {"options": {"must_beat": 3}}, "must_beat=3 is not possible"),
        ([Dearest(game="whist")], {}, "plays whist, not pen"),
        ([Dearest(num_players=4)], {"players": 3}, "tables of 4, not of 3"),
        (["missing.safetensors"], {}, "missing.safetensors"),
    ],
)
def test_what_is_impossible_is_told(agents, more, match):
    with pytest.raises((ValueError, FileNotFoundError), match=match):
        evaluate(agents, **more)


def test_an_illegal_action_is_told():
    class Cheat(Dearest):
        def act(self, observations, masks):
            return np.argmin(masks, axis=1)

    with pytest.raises(ValueError, match="is illegal for seat"):
        evaluate([Cheat()], deals=2)


# ------------------------------------------------------------------------------------------------------------------- reports


@pytest.fixture(scope="module")
def evaluation():
    return evaluate(["greedy", "random"], players=4, deals=20, seed=7, options={"must_beat": True})


def test_json_holds_all_of_it(evaluation, tmp_path):
    save_json(evaluation, tmp_path / "figures.json")
    data = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert data == evaluation.to_dict()
    assert (data["game"], data["players"], data["deals"], data["games"], data["seed"]) == ("pen_v0", 4, 20, 40, 7)
    assert data["options"] == {"must_beat": True, "payoff": "loser", "max_moves": 1000, "auto_single": False}
    assert data["agents"] == ["greedy", "random"]
    assert data["rows"][0]["payoff_interval"] == list(evaluation.rows[0].payoff_interval)
    assert data["versions"].keys() >= {"penzoo", "numpy", "python"}


def test_the_table_shows_every_agent_and_figure(evaluation, capsys):
    print_table(evaluation)
    text = capsys.readouterr().out
    row = evaluation.rows[1]
    (line,) = (line for line in text.splitlines() if "random" in line)
    for figure in (f"{row.payoff:+.3f}", f"{row.loss_rate:.1%}", f"{row.moves:.1f}", f"{row.payoff_interval.low:+.3f}"):
        assert figure in line
    assert "4 players" in text
    assert "must_beat" in text


def test_a_name_of_a_trained_agent_is_shown_in_full(evaluation):
    row = evaluation.rows[0].__class__(**{**vars(evaluation.rows[0]), "agent": "runs/2030-01-01-pen/agent.safetensors"})
    console = Console(width=80, record=True)
    print_table(evaluation.__class__(**{**vars(evaluation), "rows": [row]}), console)
    first_cells = "".join(line.strip().split(" ")[0] for line in console.export_text().splitlines())
    assert "runs/2030-01-01-pen/agent.safetensors" in first_cells


def test_the_table_as_markdown(evaluation, capsys):
    print_table(evaluation, markdown=True)
    heading, *lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert "4 players" in heading
    assert all(line.strip().startswith("|") and line.strip().endswith("|") for line in lines)
    assert len({line.count("|") for line in lines}) == 1
    assert len(lines) == 4


def test_the_picture_is_a_png(evaluation, tmp_path):
    pytest.importorskip("matplotlib")
    save_picture(evaluation, tmp_path / "figures.png")
    assert (tmp_path / "figures.png").read_bytes().startswith(PNG_SIGNATURE)


def test_no_bar_where_there_is_no_terminal(capfd):
    evaluate(["greedy"], players=2, deals=2, progress=True)
    assert capfd.readouterr() == ("", "")
