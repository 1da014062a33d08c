"""Evaluation: seatings, decks, figures, intervals, and what is told when it cannot be done."""

import io
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from penzoo.agents import make_agent
from penzoo.envs import GAMES, get_game
from penzoo.envs.batch import Batch
from penzoo.eval import (
    arena,
    draw_deals,
    evaluate,
    mean_interval,
    play,
    print_table,
    print_tournament,
    save_json,
    save_picture,
    save_tournament_picture,
    seatings,
    tournament,
)
from penzoo.eval.intervals import Interval, share_interval

PEN, PENGINGAN, KUNKEN = (get_game(name) for name in ("pen", "pengingan", "kunken"))
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


class Dearest:
    """Plays the last legal action by index: bad, and without chance."""

    def __init__(self, name="dearest", game=None, num_players=None):
        self.name, self.game, self.num_players = name, game, num_players

    def act(self, observations, masks):
        return masks.shape[1] - 1 - np.argmax(masks[:, ::-1], axis=1)


class Declines(Dearest):
    """Plays the first legal action by index: in Pengingan it passes whenever it may."""

    def act(self, observations, masks):
        return np.argmax(masks, axis=1)


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


CHANCE = {"pen": ["dealer", "trump_card"], "pengingan": ["dealer", "reshuffle_seed"], "kunken": ["dealer", "recycle_seed"]}


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
def test_deals_are_the_same_however_many_are_drawn(game):
    few, many, other = (draw_deals(game, 3, count, seed) for count, seed in ((70, 4), (200, 4), (70, 5)))
    assert (len(few), len(many)) == (70, 200)
    for name, array in few.arrays.items():
        np.testing.assert_array_equal(array, many.arrays[name][:70], err_msg=name)
    assert len({deck.tobytes() for deck in many.arrays["decks"]}) == 200
    assert set(many.arrays["states"]["dealer"]) == {0, 1, 2}
    for name in ["decks", *CHANCE[game.name]]:
        mine, others = (deals.arrays[name] if name == "decks" else deals.arrays["states"][name] for deals in (few, other))
        assert not np.array_equal(mine, others), name


def test_deals_bring_the_options_for_which_they_were_drawn():
    options = {"packs": 3, "stock_out": "reshuffle", "auto_single": True}
    deals = draw_deals(PENGINGAN, 4, 3, seed=0, options=options)
    assert PENGINGAN.changed_options(deals.options(PENGINGAN)) == options
    assert (deals.arrays["decks"] >= 0).sum(axis=1).tolist() == [120] * 3
    (games,) = play(PENGINGAN, [make_agent("random", seed=0)], seatings([0], 4), deals)
    assert games.returns.shape == (3, 1, 4)


def test_deals_for_other_players_are_refused():
    with pytest.raises(ValueError, match="shape"):
        next(play(PEN, [make_agent("greedy", "pen")], seatings([0], 3), draw_deals(PEN, 2, 3, seed=0)))


@pytest.mark.parametrize("at_once", [2048, 8])
def test_also_the_reshuffle_is_common_to_all_seatings_and_as_drawn(monkeypatch, at_once):
    deals = draw_deals(PENGINGAN, 2, 20, seed=0, options={"stock_out": "reshuffle"})
    ended, make = [], arena._ended
    monkeypatch.setattr(arena, "_ended", lambda batch, rows, *sizes: (ended.append(batch.states[rows]), make(batch, rows, *sizes))[1])
    monkeypatch.setattr(arena, "GAMES_AT_ONCE", at_once)
    for games in play(PENGINGAN, [Declines(), Declines("second")], seatings([0, 1], 2), deals):
        assert not games.returns.any()
    first, second = (np.concatenate(halves) for halves in zip(*(np.split(states, 2) for states in ended), strict=True))
    assert first["is_reshuffled"].all()
    np.testing.assert_array_equal(first["reshuffled"], second["reshuffled"])
    np.testing.assert_array_equal(first["reshuffle_seed"], deals.arrays["states"]["reshuffle_seed"])
    assert len(np.unique(first["reshuffled"], axis=0)) == 20


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


def slowly(game, agents, players, count, seed, **options):
    """The same figures by the plainest means: one game after the other. Per agent and deck: payoff, outcome, moves, truncated."""
    figures = [[[] for _ in range(count)] for _ in agents]
    for seating in seatings(range(len(agents)), players):
        # a batch of as many rows deals the same
        batch = Batch(game, 64, seed, num_players=players, autoreset=False, **options)
        for k in range(count):
            row = np.array([k])
            while not batch.ended[k]:
                batch.step(agents[seating[batch.seats[k]]].act(batch.observations[row], batch.masks[row]), row)
            state = batch.states[k]
            for seat, agent in enumerate(seating):
                outcome = state["out_seat"] == seat if game is PENGINGAN else batch.returns[k, seat] == -1
                figures[agent][k].append((batch.returns[k, seat], outcome, state["moves"], batch.truncated[k]))
    return np.array([[np.mean(deck, axis=0) for deck in decks] for decks in figures])


@pytest.mark.parametrize(
    ("game", "outcome", "players", "options"),
    [
        (PEN, "losses", 2, {"max_moves": 200}),
        (PEN, "losses", 3, {"max_moves": 200}),
        (PENGINGAN, "out", 2, {"packs": 3, "auto_single": True}),
        (PENGINGAN, "out", 3, {"stock_out": "reshuffle", "max_moves": 150}),
    ],
)
def test_figures_are_those_of_one_game_after_the_other(game, outcome, players, options):
    agents = [Dearest(), Declines() if game is PENGINGAN else make_agent("greedy", "pen")]
    expected = slowly(game, agents, players, 6, seed=3, **options)
    assert expected[:, :, 1].any()
    result = evaluate(agents, game, players=players, deals=6, seed=3, options=options)
    for row, figures in zip(result.rows, expected, strict=True):
        assert [row.payoff, row.shares[outcome], row.moves, row.truncated] == pytest.approx(figures.mean(axis=0), abs=1e-9)
        assert row.payoff_interval == pytest.approx(mean_interval(figures[:, 0]), abs=1e-9)
        assert row.share_intervals[outcome] == pytest.approx(share_interval(figures[:, 1]), abs=1e-9)


@pytest.mark.parametrize("players", range(2, 7))
def test_an_agent_against_itself_gets_exactly_its_share(players):
    row = evaluate(["greedy"], players=players, deals=40).rows[0]
    assert (row.payoff, *row.payoff_interval) == (0, 0, 0)
    assert row.shares["losses"] <= 1 / players + 1e-9
    assert row.games == row.decks == 40


def test_without_draws_an_agent_against_itself_loses_exactly_one_nth():
    deals = draw_deals(PEN, 3, 200, seed=0)
    (games,) = play(PEN, [make_agent("greedy", "pen")], seatings([0], 3), deals)
    lost = games.outcomes["losses"]
    decided = lost.any(axis=2).all(axis=1)
    assert decided.sum() > 100
    assert lost[decided].mean() == pytest.approx(1 / 3, abs=1e-12)


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
    assert better.share_intervals["losses"].high < 1 / 4 < worse.share_intervals["losses"].low


@pytest.mark.parametrize("players", [2, 4])
def test_careful_is_seen_to_lose_less_than_greedy(players):
    careful, greedy = evaluate(["careful", "greedy"], players=players, deals=300).rows
    assert careful.share_intervals["losses"].high < greedy.share_intervals["losses"].low


def test_a_truncated_deal_has_no_loser():
    row = evaluate(["greedy"], players=3, deals=5, options={"max_moves": 5}).rows[0]
    assert (row.payoff, row.shares["losses"], row.moves, row.truncated) == (0, 0, 5, 1)


@pytest.mark.parametrize(
    ("out_place", "terminated", "expected"),
    [([1, 2, 0], 1, [0, 0, 1]), ([0, 1, 2], 1, [1, 0, 0]), ([2, 1, 3], 1, [0, 0, 0]), ([0, 1, 0], 0, [0, 0, 0])],
    ids=["one left with cards", "another", "a draw", "truncated"],
)
def test_losses_in_pen(out_place, terminated, expected):
    (outcome,) = PEN.outcomes
    states = PEN.new_states(1, 3, {})
    states["out_place"][0, :3], states["terminated"] = out_place, terminated
    assert (outcome.name, outcome.is_even) == ("losses", True)
    assert outcome.of(states).tolist() == [[bool(lost) for lost in expected]]


def test_losses_in_pen_are_the_lowest_returns():
    deals = draw_deals(PEN, 3, 100, seed=0, options={"payoff": "placement"})
    for games in play(PEN, [make_agent("greedy", "pen")], seatings([0], 3), deals):
        np.testing.assert_array_equal(games.outcomes["losses"], games.returns == -1)


@pytest.mark.parametrize("out_seat", [-1, 0, 3])
def test_going_out_in_pengingan(out_seat):
    (outcome,) = PENGINGAN.outcomes
    states = PENGINGAN.new_states(2, 4, {})
    states["out_seat"] = out_seat
    assert outcome.name == "out"
    assert outcome.of(states).tolist() == [[seat == out_seat for seat in range(4)]] * 2


@pytest.mark.parametrize("is_express", [0, 1])
@pytest.mark.parametrize("winner", [-1, 0, 3])
def test_winning_and_express_in_kunken(winner, is_express):
    won, express = KUNKEN.outcomes
    states = KUNKEN.new_states(2, 4, {})
    states["winner"], states["is_express"] = winner, is_express
    assert (won.name, express.name) == ("won", "express")
    assert won.of(states).tolist() == [[seat == winner for seat in range(4)]] * 2
    assert express.of(states).tolist() == [[seat == winner and is_express == 1 for seat in range(4)]] * 2


def test_points_and_the_shares_of_wins_and_express_are_reported_of_kunken():
    result = evaluate(["greedy", "random"], "kunken", players=3, deals=60)
    assert (result.payoff_unit, list(result.outcomes)) == ("points", ["won", "express"])
    greedy, rand = result.rows
    assert greedy.payoff > 0 and greedy.payoff + rand.payoff == pytest.approx(0, abs=1e-9)  # each has as many seats as the other
    assert greedy.shares["won"] > rand.shares["won"] > 0
    assert 0 < greedy.shares["express"] < greedy.shares["won"]


@pytest.mark.parametrize("players", [2, 6])
def test_chips_sum_to_zero_over_the_agents(players):
    result = evaluate(["random", Dearest()], "pengingan", players=players, deals=10)
    assert sum(row.payoff for row in result.rows) == pytest.approx(0, abs=1e-9)
    assert any(abs(row.payoff) > 0 for row in result.rows)
    assert result.payoff_unit == "chips"
    assert list(result.outcomes) == ["out"]


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
    (games,) = play(PEN, agents, seatings([0, 1], 2), deals)
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
        (["random"], {"game": "pengingan", "players": 8, "options": {"packs": 2}}, "packs=2 is not possible: 8 players need 81 cards"),
        (["pen:greedy"], {"game": "pengingan"}, "plays pen, not pengingan"),
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

    with pytest.raises(ValueError, match=r"agent .*: row \d+: action .* is illegal for seat"):
        evaluate([Cheat()], deals=2)


@pytest.mark.parametrize(
    "answer",
    [
        lambda masks: np.argmax(masks, axis=1) + 0.7,
        lambda masks: np.argmax(masks, axis=1)[:1],
        lambda masks: np.argmax(masks, axis=1)[:, None],
        lambda masks: int(np.argmax(masks[0])),
        lambda masks: None,
    ],
    ids=["floats", "too few", "a column", "one", "none"],
)
def test_answers_that_are_no_actions_are_told(answer):
    class Sloppy(Dearest):
        def act(self, observations, masks):
            return answer(masks)

    with pytest.raises(ValueError, match=r"agent sloppy: actions of shape .* do not fit: give \d+ ints, one a row"):
        evaluate([Sloppy("sloppy"), "random"], players=2, deals=4)


def test_more_decks_than_memory_holds_are_refused():
    with pytest.raises(ValueError, match=r"deals=100000000000 is not possible: it takes an int from 2 to 1000000"):
        evaluate(["random"], deals=100_000_000_000)


@pytest.mark.parametrize("name", ["[bold]x[/bold]", "[/b].safetensors", r"$\frac$"])
def test_names_are_shown_as_they_are(name, tmp_path):
    pytest.importorskip("matplotlib")
    for result, show, draw in (
        (evaluate([Dearest(name), "random"], players=2, deals=2), print_table, save_picture),
        (tournament([Dearest(name), "random"], players=2, deals=2), print_tournament, save_tournament_picture),
    ):
        console = Console(file=io.StringIO(), width=200)
        show(result, console)
        assert name in console.file.getvalue()
        draw(result, tmp_path / "figures.png")


# ------------------------------------------------------------------------------------------------------------------- reports


EVALUATIONS = {
    "pen": (["greedy", "random"], "pen", {"must_beat": True}),
    "pengingan": ([Dearest(), "random"], "pengingan", {"packs": 3, "rearrange": False}),
}


@pytest.fixture(scope="module", params=EVALUATIONS)
def evaluation(request):
    agents, game, options = EVALUATIONS[request.param]
    return evaluate(agents, game, players=4, deals=20, seed=7, options=options)


@pytest.fixture
def two_outcomes(evaluation):
    """As of a game that counts two things, and in which the name of an agent is long."""
    more = {"outcomes": {**evaluation.outcomes, "express": "went out at once"}}
    rows = [
        replace(
            row,
            agent="runs/2030-01-01-pen/agent.safetensors",
            shares={**row.shares, "express": 0.123},
            share_intervals={**row.share_intervals, "express": Interval(0.1, 0.2)},
        )
        for row in evaluation.rows
    ]
    return replace(evaluation, rows=rows, **more)


def test_json_holds_all_of_it(evaluation, tmp_path):
    save_json(evaluation, tmp_path / "figures.json")
    data = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert data == evaluation.to_dict()
    assert (data["players"], data["deals"], data["games"], data["seed"]) == (4, 20, 40, 7)
    assert data["options"] == evaluation.options
    assert data["agents"] == evaluation.agents
    assert data["payoff_unit"] == {"pen_v0": "payoff", "pengingan_v0": "chips"}[data["game"]]
    assert (
        data["outcomes"]
        == {
            "pen_v0": {"losses": "left with cards when the deal ended"},
            "pengingan_v0": {"out": "went out, and so ended the deal"},
        }[data["game"]]
    )
    row, made = data["rows"][0], evaluation.rows[0]
    assert row["payoff_interval"] == list(made.payoff_interval)
    assert row["shares"] == made.shares
    assert row["share_intervals"] == {name: list(interval) for name, interval in made.share_intervals.items()}
    assert data["versions"].keys() >= {"penzoo", "numpy", "python"}
    assert "deck_payoffs" not in data


def test_the_table_shows_every_agent_and_figure(evaluation, capsys):
    print_table(evaluation)
    text = capsys.readouterr().out
    row = evaluation.rows[1]
    (line,) = (line for line in text.splitlines() if "random" in line)
    ((name, share),) = row.shares.items()
    low, high = row.share_intervals[name]
    for figure in (f"{row.payoff:+.3f}", f"{share:.1%}", f"{100 * low:.1f} to {high:.1%}", f"{row.moves:.1f}"):
        assert figure in line
    assert f"{row.payoff_interval.low:+.3f} to {row.payoff_interval.high:+.3f}" in line
    assert "4 players" in text
    changed = {"pen_v0": "must_beat=True", "pengingan_v0": "packs=3, rearrange=False"}[evaluation.game]
    assert changed in text
    (head,) = (line.split() for line in text.splitlines() if "agent" in line)
    expected = {"pen_v0": ["payoff", "losses"], "pengingan_v0": ["chips", "out"]}[evaluation.game]
    assert [head[1], head[4]] == expected


def test_the_table_fits_a_terminal(evaluation):
    console = Console(width=80, record=True)
    print_table(evaluation, console)
    assert "…" not in console.export_text()


def test_a_table_of_more_outcomes_has_a_column_for_each(two_outcomes):
    console = Console(width=110, record=True)
    print_table(two_outcomes, console)
    text = console.export_text()
    assert text.count("12.3%  10.0 to 20.0%") == len(two_outcomes.rows)


def test_a_name_of_a_trained_agent_is_shown_in_full(evaluation):
    row = replace(evaluation.rows[0], agent="runs/2030-01-01-pen/agent.safetensors")
    console = Console(width=80, record=True)
    print_table(replace(evaluation, rows=[row]), console)
    first_cells = "".join(line.strip().split(" ")[0] for line in console.export_text().splitlines())
    assert "runs/2030-01-01-pen/agent.safetensors" in first_cells


def test_the_table_as_markdown(evaluation, capsys):
    print_table(evaluation, markdown=True)
    heading, *lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert "4 players" in heading
    meanings = [lines.pop() for _ in evaluation.outcomes]
    assert meanings[::-1] == [f"{name}: {meaning}" for name, meaning in evaluation.outcomes.items()]
    assert all(line.strip().startswith("|") and line.strip().endswith("|") for line in lines)
    assert len({line.count("|") for line in lines}) == 1
    assert len(lines) == 4


def test_the_picture_is_a_png(evaluation, tmp_path):
    pytest.importorskip("matplotlib")
    save_picture(evaluation, tmp_path / "figures.png")
    assert (tmp_path / "figures.png").read_bytes().startswith(PNG_SIGNATURE)


def test_the_picture_has_a_panel_for_the_payoff_and_each_outcome_and_even_lines_where_they_mean_something(
    evaluation, monkeypatch, tmp_path
):
    figure_module = pytest.importorskip("matplotlib.figure")
    drawn = []
    monkeypatch.setattr(figure_module.Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    save_picture(evaluation, tmp_path / "figures.png")
    payoff, share = drawn[0].axes
    unit, name, share_lines = {"pen_v0": ("payoff", "losses", [1 / 4]), "pengingan_v0": ("chips", "out", [])}[evaluation.game]
    assert unit in payoff.get_xlabel()
    assert share.get_xlabel().startswith(name)
    assert even_lines(payoff) == [0]
    assert even_lines(share) == share_lines


def even_lines(axes):
    return [line.get_xdata()[0] for line in axes.lines if line.get_label() == "an even share"]


def test_no_bar_where_there_is_no_terminal(capfd):
    evaluate(["greedy"], players=2, deals=2, progress=True)
    assert capfd.readouterr() == ("", "")
