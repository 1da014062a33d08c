"""The hand-written agents for Pengingan: what they choose in given positions, and how strong they are."""

import contract
import pytest
from pengingan_positions import PENGINGAN, RUN, Table, forced

from penzoo.agents import HEURISTICS, heuristic_names, make_agent
from penzoo.envs.pengingan.state import Phase
from penzoo.eval import evaluate

SEED = 4177
NAMES = tuple(HEURISTICS["pengingan"])
PLAYERS = range(2, 9)
SETTINGS = [each for each in contract.STEADY_SETTINGS if each.game is PENGINGAN and (not each.options or each.players == 4)]
STOCK = "2c 4d " * 45  # as much as there is early in a deal of four
MOST_MOVES = 2000  # of a deal; the longest of these has less than half as many

every_heuristic = pytest.mark.parametrize("name", NAMES)


def choice(name: str, table: Table) -> str:
    """What an agent does in a position, in names."""
    return PENGINGAN.actions.name(int(make_agent(name, "pengingan").act(table.batch.observations, table.batch.masks)[0]))


def used(name: str, table: Table) -> str:
    """The melds of the player in turn after the use that an agent makes of a card, or "pass"."""
    action = choice(name, table)
    while action not in ("pass", "close"):
        action = choice(name, table.play(action))
    while action == "close" and table.play(action).phase == Phase.BUILD and not table.end:  # of a rearrangement another meld follows
        action = choice(name, table)
        while action != "close":
            action = choice(name, table.play(action))
    return action if action == "pass" else table.melds(table.turn)


# -------------------------------------------------------------------------------------------------------------- use or not

# hand, melds, card; the melds that greedy and careful make of them
USES = [
    # both take what pays most, and put what pays more …
    ("Ks 2d Ah 4c 5c 5d Jh", RUN, "Qs", "6s 7s Js Qs Ks", "6s 7s Js Qs Ks"),
    ("5s 2d Ah 4c 7c 5d Jh", "As 2s 3s", "4s", "As 2s 3s 4s 5s", "As 2s 3s 4s 5s"),
    # … but nothing that makes a condition cheaper
    ("5s 5s 5h 5d 2c 7c Jd Qh Kc As", "", "5s", "5s 5s 5s", "5s 5s 5s"),
    # what was not to be had otherwise is to be had by rearranging
    ("4s 2c 7h Ad Jh Qd", "5s 5h 5d 5c", "6s", "5c 5d 5h | 4s 5s 6s", "5c 5d 5h | 4s 5s 6s"),
    # the eleventh card, even if it spoils a condition
    ("", "6d 7d Jd | Kc Kc Kc | 7c 7d 7h 7s", "Ks", "6d 7d Jd | Kc Kc Kc Ks | 7c 7d 7h 7s", "6d 7d Jd | Kc Kc Kc Ks | 7c 7d 7h 7s"),
    # greedy uses whatever it can; careful keeps a condition as it is …
    ("2d Ah 4c 5c 5d Jh Qs", "Kd Kd Kd", "Ks", "Kd Kd Kd Ks", "pass"),
    # … and cards in hand of which something better can become …
    ("Ad 2d 3d As", "3c 3d 3h | 5c 5h 5s", "Ac", "3c 3d 3h | 5c 5h 5s | Ac Ad As", "pass"),
    # … but makes a meld that pays nothing where they are of no other use
    ("6c 2h 4s 2d", "5c 5d 5h | 3s 3h 3d", "2c", "5c 5d 5h | 3d 3h 3s | 2c 2d 2h", "5c 5d 5h | 3d 3h 3s | 2c 2d 2h"),
    # greedy extends rather than rearrange; careful makes room for more cards
    ("7h Ac Qd", "2h 3h 4h 5h | 5s 5d 5c", "6h", "2h 3h 4h 5h 6h 7h | 5c 5d 5s", "5c 5d 5s | 2h 3h 4h | 5h 6h 7h"),
]


@pytest.mark.parametrize("phase", [Phase.FIRST, Phase.SECOND])
@pytest.mark.parametrize(("hand", "melds", "card", "greedy", "careful"), USES)
def test_uses(hand, melds, card, greedy, careful, phase):
    for name, expected in (("greedy", greedy), ("careful", careful)):
        assert used(name, Table(hand, melds, card, phase=phase, players=4, stock=STOCK)) == expected


def test_where_a_live_card_must_be_used_it_is():
    assert used("careful", Table("2d Ah 4c", "Kd Kd Kd", "Ks", players=4, forcing="always")) == "Kd Kd Kd Ks"


def test_of_two_melds_a_forced_card_goes_to_the_better_one():
    for name in NAMES:
        table = Table("2d 4c", "5d 5h 5s | 2s 3s 4s", "5s", players=4, stock=STOCK).play("pass", "demand")
        assert table.phase == Phase.FORCED
        assert choice(name, table) == "extend 0"


@every_heuristic
def test_the_extra_card_is_taken(name):
    assert choice(name, forced(players=4).play("discard 4d")) == "turn"


# ------------------------------------------------------------------------------------------------------------------ discard

# hand, own melds, those of the next player and of the one after; dead cards; what greedy and careful discard
DISCARDS = [
    # both keep cards that can become a meld together, and those that go onto an own one
    ("5s 5d Kh", "6c 6d 6h", "", "", "", "Kh", "Kh"),
    ("6s 7s Jd", "Kc Kc Kc", "", "", "", "Jd", "Jd"),
    ("2d 5s Kh", "5c 5d 5h", "", "", "", "2d", "2d"),
    # careful prefers what can still come: the other fours are dead, or on the tables
    ("2c 2c 4h 4h", "6c 6d 6h", "", "", "", "2c", "2c"),
    ("2c 2c 4h 4h", "6c 6d 6h", "", "", "4h 4h", "2c", "4h"),
    ("2c 2c 4h 4h", "6c 6d 6h", "", "3h 4h 5h | 4h 5h 6h", "", "2c", "4h"),
    # and what would pay more
    ("4s 4s 5c 5c", "6c 6d 6h", "", "", "", "5c", "5c"),
    ("2s 2s 5c 5c 5d", "6c 6d 6h", "", "", "", "2s", "2s"),
    # and does not give the next player what pays there
    ("5c 2d", "6c 6d 6h", "5d 5h 5s", "", "", "5c", "2d"),
    ("5c 2d", "6c 6d 6h", "", "5d 5h 5s", "", "5c", "5c"),
]


@pytest.mark.parametrize(("hand", "melds", "following", "after", "dead", "greedy", "careful"), DISCARDS)
def test_discards(hand, melds, following, after, dead, greedy, careful):
    for name, expected in (("greedy", greedy), ("careful", careful)):
        table = Table([hand], [melds, following, after], phase=Phase.DISCARD, players=4, stock=STOCK, dead=dead)
        assert choice(name, table) == f"discard {expected}"


# ------------------------------------------------------------------------------------------------------------------ answers

# melds of the player in turn, the card that was declined; whether greedy and careful demand that it is used
DECLINED = [
    ("7c 7d 7s", "7h", "pass", "pass"),  # it would pay
    ("Kd Kd Kd", "Ks", "demand", "demand"),  # it spoils a condition
    ("6c 6d 6h", "6s", "demand", "pass"),  # it pays nothing, but is a step towards going out
    ("Kd Kd Kd | 6c 6d 6h 6h 6h 6s 6s", "Ks", "pass", "pass"),  # the eleventh card
]


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize(("melds", "card", "greedy", "careful"), DECLINED)
def test_demands(melds, card, greedy, careful, players):
    hand = "" if len(melds.split()) > 10 else None
    table = Table([hand], [melds], card, players=players, stock=STOCK).play("pass")
    assert table.phase == Phase.ASK_USE
    assert [choice(name, table) for name in ("greedy", "careful")] == [greedy, careful]


# melds of the next player, the discard; what greedy and careful say who are asked as that player, and as another one
LIVE_DISCARDS = [
    ("7c 7d 7s", "7h", "pass", "pass", "demand", "demand"),
    ("6c 6d 6h", "6s", "pass", "pass", "demand", "demand"),
    ("Kd Kd Kh Kh", "Ks", "pass", "pass", "demand", "demand"),
    ("Ks Ks Ks", "Kd", "pass", "demand", "demand", "pass"),  # it would spoil a condition
]


@pytest.mark.parametrize(("melds", "card", "greedy", "careful", "greedy_other", "careful_other"), LIVE_DISCARDS)
def test_objections(melds, card, greedy, careful, greedy_other, careful_other):
    hands = (f"{card} 2d 3c Jc Qd 4h Ah", "4c 4d 2h 3h 6s Js")
    table = Table(hands, ["5c 5d 5h", melds], phase=Phase.DISCARD, players=4, stock=STOCK).play(f"discard {card}")
    assert (table.phase, table.seat) == (Phase.ASK_DISCARD, 1)
    assert [choice(name, table) for name in ("greedy", "careful")] == [greedy, careful]
    table.play("pass")
    assert [choice(name, table) for name in ("greedy", "careful")] == [greedy_other, careful_other]


# ----------------------------------------------------------------------------------------------------------------- strength


@pytest.mark.parametrize("players", PLAYERS)
def test_careful_wins_chips_among_greedy(players):
    rows = evaluate(["careful"] + ["greedy"] * (players - 1), "pengingan", players=players, deals=250, seed=SEED).rows
    assert rows[0].agent == "careful"
    assert rows[0].payoff_interval[0] > 0


@pytest.mark.parametrize("players", PLAYERS)
def test_greedy_wins_chips_among_random(players):
    rows = evaluate(["greedy"] + ["random"] * (players - 1), "pengingan", players=players, deals=60, seed=SEED).rows
    assert rows[0].payoff_interval[0] > 0


OPTIONS = [setting for setting in SETTINGS if setting.options]


@pytest.mark.parametrize("setting", OPTIONS, ids=str)
def test_careful_wins_chips_among_greedy_whatever_the_options_and_deals_end(setting):
    agents = ["careful", "greedy", "greedy", "greedy"]
    row = evaluate(agents, "pengingan", players=4, deals=250, seed=SEED, options=setting.options).rows[0]
    assert row.payoff_interval[0] > 0
    assert (row.truncated == 0) == (setting.options.get("max_moves") is None)
    assert row.moves < MOST_MOVES


@every_heuristic
@pytest.mark.parametrize("players", PLAYERS)
def test_deals_come_to_an_end(name, players):
    options = {"max_moves": MOST_MOVES, "stock_out": "reshuffle"}
    rows = evaluate([name, "random"], "pengingan", players=players, deals=20, seed=SEED, options=options).rows
    assert rows[0].truncated == 0


def test_names():
    assert heuristic_names("pengingan") == ("random", "greedy", "careful")
