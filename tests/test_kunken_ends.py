"""How a deal of Kunken ends, what it comes to, and what a player sees (RULES.md): positions as in `test_kunken_rules`."""

import numpy as np
import pytest
from kunken_positions import FILLER, KUNKEN, OPEN, OTHER, Table, fresh_deal, full_deck
from scipy.stats import chisquare

from penzoo import kunken_v0
from penzoo.envs import rng
from penzoo.envs.batch import Batch
from penzoo.envs.kunken.actions import DRAW, PASS
from penzoo.envs.kunken.state import CARDS, JOKER_COPIES, MAX_DECK, MOST_POINTS, SECOND_COPY, Phase

SEED = 20240
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never
FILLER_POINTS = 85
GOING_OUT = ("draw", "meld 0", "put 7s", "close", "discard 5c")


def won(others: list[str], table: str = "", **options) -> Table:
    """Seat 0 had opened, lays 7s onto its sevens and discards 5c, its last card: 20 points laid."""
    combinations = f"{OPEN} | {table}" if table else OPEN
    return Table(["7s", *others], combinations, stock="5c 9h", **options).play(*GOING_OUT)


def express(others: list[str], table: str = "", hand: str = "Kc Kd Kh Qc Qd 8c", **options) -> Table:
    """Seat 0 opens with three kings and three queens, 60 points, nothing of it laid before; 8c is left to discard."""
    return Table([hand, *others], table, "Qh", **options).play("take Qh").lay("Kc Kd Kh", "Qc Qd Qh")


# ---------------------------------------------------------------------------------------------------------------- going out


def test_who_discards_the_last_card_has_won_and_the_deal_is_over():
    table = won(["2c 3c"])
    assert (table.end, table.winner, table.is_express, table.legal, table.hand(0)) == ("terminated", 0, False, "", "")
    assert table.bank == "4c 5c"


def test_the_deal_goes_on_while_a_card_is_left():
    table = Table(["7s 9c", "2c 3c"], OPEN, stock="5c").play(*GOING_OUT)
    assert (table.end, table.winner, table.seat, table.returns) == ("", None, 1, [0, 0])


def test_a_joker_may_be_the_last_card():
    table = Table("7s", OPEN, stock="*").play("draw", "meld 0", "put 7s", "close", "discard *")
    assert (table.end, table.winner, table.scores) == ("terminated", 0, [20, -FILLER_POINTS])


# -------------------------------------------------------------------------------------------------------------------- score


@pytest.mark.parametrize(
    ("hand", "low_ten", "high_ten"),
    [
        ("Ac", -10, -10),
        ("Kd Qh Js", -30, -30),
        ("2c 9d", -10, -10),
        ("Th", -5, -10),
        ("2c 3c 4c 5c 6c 7c 8c 9c", -40, -40),
        ("*", -10, -10),
        ("* * * * 3c", -45, -45),
        (FILLER, -FILLER_POINTS, -FILLER_POINTS - 5),
    ],
)
def test_cards_left_in_hand_count_minus_a_joker_ten(hand, low_ten, high_ten):
    assert won([hand]).scores == [20, low_ten]
    assert won([hand], ten_is_honour=True).scores == [20, high_ten]


@pytest.mark.parametrize(
    ("table", "laid"),
    [
        ("1: Qs Ks As", 30),
        ("1: Qs *=Ks As", 30),
        ("1: 3c 4c *=5c *=6c", 20),
        ("1: 9c Tc Jc", 20),
        ("1: 5d 5h * *", 20),
        ("1: Jd Jh *", 30),
        ("1: 3d 4d 5d | 1: Kc Kd Kh", 45),
    ],
)
def test_cards_laid_out_count_plus_for_who_laid_them(table, laid):
    assert won(["2c"], table).scores == [20, laid - 5]


def test_jokers_laid_count_as_what_they_stand_for_and_in_hand_ten():
    table = Table(["5c 5d * * 9h 9c", "2s"], OPEN, stock="3s").play("draw").lay("5c 5d *=5h").play("discard 3s")
    assert table.scores == [15 + 15 - 20, -5]
    table = Table(["Kc Kd * 9h 9c", "2s"], OPEN, stock="3s").play("draw").lay("Kc Kd *=Kh").play("discard 3s")
    assert table.scores == [15 + 30 - 10, -5]


def test_whist_on_anothers_combination_counts_for_who_adds():
    table = Table(["Ks", "2c", "3c"], "0: 8c 8d 8h | 1: Ts Js Qs | 2: 2h 3h 4h", stock="5c").play("draw", "meld 1", "put Ks", "close")
    assert table.play("discard 5c").scores == [25, 25 - 5, 15 - 5]


def test_a_swapped_joker_leaves_the_points_where_they_were():
    table = Table(["Ac 9c", "2c"], f"{OPEN} | {OTHER}", stock="3c").swap(1, "Ac")
    assert (table.laid, table.scores) == ([15, 30], [15 - 5 - 10, 30 - 5])  # in hand a joker for the ace
    table = Table(["Ac 7s", "2c"], f"{OPEN} | {OTHER}", stock="3c").swap(1, "Ac").play("draw").add(0, "7s").play("discard *")
    assert (table.play("pass").end, table.scores) == ("terminated", [20 - 5, 30 - 5])


def test_a_swap_and_the_joker_laid_again_earn_the_joker_only():
    table = Table(["Ac 9c 9d", "2c"], f"{OPEN} | {OTHER}", stock="3c").play("draw", "meld 1", "swap Ac", "put *=As", "close")
    assert (table.laid, table.table) == ([25, 30], f"{OPEN} | 1: Ac Ad Ah *")


@pytest.mark.parametrize(
    ("others", "table", "scores"),
    [
        (["2c"], "", [120, -10]),
        (["Ac *"], "", [120, -40]),
        (["Ac *", "Th 3c"], "1: 9c 9d 9h", [120, 15 - 40, -20]),
        (["2c"], "1: 9c 9d 9h | 1: Qs Ks As", [120, 45 - 10]),
    ],
)
def test_express_doubles_the_winners_points_and_the_others_minus_not_what_others_laid(others, table, scores):
    table = express(others, table).play("discard 8c")
    assert (table.end, table.winner, table.is_express, table.scores) == ("terminated", 0, True, scores)
    mean = sum(scores) / len(scores)
    assert table.returns == pytest.approx([score - mean for score in scores])


def test_express_doubles_what_was_added_to_anothers_combination_and_leaves_that_of_the_others():
    table = express(["2c"], "1: Ts Js Qs", hand="Kc Kd Kh Qc Qd Ks 8c").add(0, "Ks").play("discard 8c")
    assert (table.is_express, table.scores) == (True, [2 * 70, 25 - 10])


def test_express_counts_a_joker_swapped_in_and_laid():
    table = express(["2c"], OTHER, hand="Kc Kd Kh Qc Qd Ac 8c").play("meld 0", "swap Ac", "put *=As", "close", "discard 8c")
    assert (table.is_express, table.laid, table.scores) == (True, [70, 30], [140, 30 - 10])


def test_express_after_a_draw_where_that_may_open():
    table = Table(["Kc Kd Kh Qc Qd 8c", "2c"], stock="Qh", lay_on_draw="any").play("draw").lay("Kc Kd Kh", "Qc Qd Qh").play("discard 8c")
    assert (table.end, table.is_express, table.scores) == ("terminated", True, [120, -10])


def test_no_express_for_one_who_had_opened():
    table = Table(["Kc Kd Qc Qd Qh 8c", "2c"], OPEN, "Kh").play("take Kh").lay("Kc Kd Kh", "Qc Qd Qh").play("discard 8c")
    assert (table.end, table.winner, table.is_express, table.scores) == ("terminated", 0, False, [75, -5])


def test_no_express_for_one_who_opened_a_turn_before():
    table = express(["2c 3d 9h"], hand="Kc Kd Kh Qc Qd 8c Ks", stock="9s Qs").play("discard 8c")
    assert (table.end, table.opened) == ("", [0])
    table.play("draw", "discard 9s", "draw").add(0, "Ks").play("discard Qs")
    assert (table.end, table.winner, table.is_express, table.scores) == ("terminated", 0, False, [70, -15])


# ------------------------------------------------------------------------------------------------------------------- reward


def test_reward_is_given_at_the_end_and_sums_to_zero_by_default():
    table = Table(["7s", "Ac", "2c 3c"], f"{OPEN} | 1: Qs Ks As", stock="5c")
    for action in GOING_OUT[:-1]:
        assert not table.play(action).batch.rewards.any()
    table.play(GOING_OUT[-1])
    assert table.scores == [20, 20, -10]
    assert table.returns == pytest.approx([10, 10, -20])


def test_reward_score_is_the_score_itself():
    assert won(["Ac", "2c 3c"], "1: Qs Ks As", reward="score").returns == [20, 20, -10]
    assert express(["Ac *"], reward="score").play("discard 8c").returns == [120, -40]
    assert Table(["2c", "3c"], OPEN, stock="", reward="score").play("pass").returns == [10, -5]


def test_infos_hold_the_scores_and_whether_it_was_express():
    assert KUNKEN.infos(won(["Ac", "2c 3c"]).state) == [{"score": score, "express": False} for score in (20, -10, -10)]
    assert KUNKEN.infos(express(["Ac *"]).play("discard 8c").state) == [{"score": score, "express": True} for score in (120, -40)]
    assert KUNKEN.infos(Table(["2c", "3c"], OPEN, stock="").play("pass").state) == [
        {"score": score, "express": False} for score in (10, -5)
    ]


def test_the_agents_infos_hold_them_at_the_end_and_not_before():
    env = kunken_v0.raw_env(num_players=2, max_moves=2)
    env.reset(options={"deck": full_deck(Batch(KUNKEN, 1, num_players=2)), "dealer": 1})
    env.step(KUNKEN.actions.index("draw"))
    assert not any(env.infos.values())
    env.step(KUNKEN.actions.index("discard Ac"))
    # Ac Ac 2c … 6c 6c 7c were dealt to seat 0, which drew Ad, and 7c 8c … Kc Kc to seat 1
    assert list(env.infos.values()) == [{"score": -75, "express": False}, {"score": -95, "express": False}]
    assert list(env.rewards.values()) == [10, -10]


# ---------------------------------------------------------------------------------------------------------------- stock out


def test_with_an_empty_stock_pass_stands_in_place_of_draw_and_ends_the_deal_without_a_winner():
    table = Table(["2c Ac", "3c"], stock="")
    assert table.legal == "pass"
    table.play("pass")
    assert (table.end, table.winner, table.is_express, table.legal) == ("terminated", None, False, "")
    assert (table.scores, table.returns) == ([-15, -5], [-5, 5])


def test_pass_is_legal_beside_a_take_and_a_swap():
    table = Table("3d 4d Ac 9s", f"{OPEN} | {OTHER}", "5d", stock="")
    assert table.legal == "pass, take 5d, meld 1"
    assert table.swap(1, "Ac").legal == "pass, take 5d"


def test_the_last_card_of_the_stock_is_drawn_before_there_is_a_pass():
    table = Table(["2c 9h", "3c"], stock="Kd")
    assert table.legal == "draw"
    table.play("draw", "discard 2c")
    assert (table.end, table.seat, table.legal) == ("", 1, "pass")


def test_points_laid_count_when_the_stock_is_out():
    table = Table(["2c", "* Ac", "Kh"], f"{OPEN} | 1: Qs Ks As", stock="", turn=2).play("pass")
    assert table.scores == [10, 10, -10]


def test_recycle_makes_the_bank_but_for_its_top_card_a_new_stock_in_the_order_given():
    table = Table(["2h", "3h"], bank="2c 3c * Kd", stock="", recycled="3c * 2c", stock_out="recycle")
    assert (table.legal, table.sees(1, "recycled")) == ("draw", 0)
    table.play("draw")
    assert (table.hand(), table.bank, table.stock) == ("3c 2h", "Kd", "* 2c")
    assert (table.sees(1, "recycled"), table.sees(1, "seat_1.known")) == (1, "")
    table.play("discard 2h")
    assert (table.bank, table.legal) == ("Kd 2h", "draw")
    assert table.play("draw").hand(1) == "3h *"


def test_recycle_is_done_by_a_draw_and_not_before():
    table = Table("3d 4d 9s", OPEN, "8c 5d", stock="", stock_out="recycle")
    assert table.legal == "draw, take 5d"
    assert table.play("take 5d").bank == "8c"


def test_recycle_is_done_once():
    table = Table(["2h 9s", "3h 9d"], bank="2c Kd", stock="", stock_out="recycle").play("draw", "discard 9s")
    assert (table.bank, table.stock, table.legal) == ("Kd 9s", "", "pass")
    assert Table(["2h"], bank="2c 3c Kd", stock="", is_recycled=True, stock_out="recycle").legal == "pass"


@pytest.mark.parametrize(("bank", "legal"), [("Kd", "pass"), ("", "pass"), ("2c Kd", "draw"), ("2c 3c Kd", "draw")])
def test_recycle_needs_two_cards_in_the_bank(bank, legal):
    assert Table(["2h"], bank=bank, stock="", stock_out="recycle").legal == legal
    assert Table(["2h"], bank=bank, stock="").legal == "pass"


def test_recycle_leaves_the_bank_to_be_taken_from_as_it_lies():
    table = Table(["2h", "5c 5d 9s"], f"{OPEN} | 1: 8c 8d 8h", "5h 2c 5h", stock="", recycled="2c 5h", stock_out="recycle")
    table.play("draw", "discard 2h")
    assert (table.bank, table.offered("take")) == ("5h 2h", "5h")


def test_the_order_of_a_recycling_is_in_the_record():
    (chance,) = KUNKEN.chances
    table = Table(["2h"], bank="2c 3c 3c Kd", stock="", stock_out="recycle")
    assert chance.write(table.state) is None
    table.play("draw")
    order = chance.write(table.state)
    assert sorted(order) == ["2c", "3c", "3c"]
    assert order[1:] == table.stock.split() and order[0] in table.hand().split()
    again = Table(["2h"], bank="2c 3c 3c Kd", stock="", recycled=" ".join(order), stock_out="recycle").play("draw")
    assert (again.hand(), again.stock) == (table.hand(), table.stock)


def test_an_order_that_names_other_cards_serves_as_far_as_it_goes():
    table = Table(["2h"], bank="2c 3c 4c Kd", stock="", recycled="9s 4c Kd 2c 2c", stock_out="recycle").play("draw")
    assert (table.hand(), table.stock, table.bank) == ("4c 2h", "2c 3c", "Kd")


def test_a_recycling_is_random_each_order_as_likely():
    table = Table(["2h"], bank="2c 3c 4c Kd", stock="", stock_out="recycle")
    orders: dict[str, int] = {}
    for seed in Batch(KUNKEN, 6 * 100, SEED).states["recycle_seed"]:
        state = table.state.copy()
        state["recycle_seed"] = seed
        KUNKEN.functions.apply(state, DRAW)
        (chance,) = KUNKEN.chances
        order = " ".join(chance.write(state))
        orders[order] = orders.get(order, 0) + 1
    assert len(orders) == 6
    assert chisquare(list(orders.values())).pvalue > MIN_P_VALUE


def test_a_given_order_is_kept_until_it_comes():
    batch = Batch(KUNKEN, 1, 0, stock_out="recycle")
    (chance,) = KUNKEN.chances
    batch.reset(chances={"recycled": [["2c", "*", "Kd"]]})
    assert chance.write(batch.states[0]) == ["2c", "*", "Kd"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("2c 3c", "recycled"),
        (["2c", "1c"], "'1c' does not exist"),
        (["2c", "10c"], "'10c' does not exist"),
        (["2c"] * 3, "'2c'"),
        (["*"] * 5, r"'\*'"),
        ([3], "3 does not exist"),
        (7, "recycled"),
    ],
)
def test_an_impossible_order_of_a_recycling_is_refused(given, message):
    batch = Batch(KUNKEN, 1, stock_out="recycle")
    with pytest.raises(ValueError, match=message):
        batch.reset(chances={"recycled": [given]})
    env = kunken_v0.env(stock_out="recycle")
    with pytest.raises(ValueError, match=message):
        env.reset(options={"recycled": given})


def test_an_order_of_a_recycling_is_refused_where_the_deck_has_no_such_jokers():
    with pytest.raises(ValueError, match=r"'\*'"):
        Batch(KUNKEN, 1, stock_out="recycle", jokers=0).reset(chances={"recycled": [["*"]]})
    Batch(KUNKEN, 1, stock_out="recycle", jokers=6).reset(chances={"recycled": [["*"] * 6]})


def test_an_order_of_a_recycling_is_refused_without_the_option():
    with pytest.raises(ValueError, match=r"recycled.*stock_out='recycle'"):
        Batch(KUNKEN, 1).reset(chances={"recycled": [["2c"]]})
    Batch(KUNKEN, 1).reset(chances={"recycled": [[]]})


# -------------------------------------------------------------------------------------------------------------- given decks


def shuffled(players: int, **options) -> list[str]:
    return [str(card) for card in np.random.default_rng(SEED).permutation(full_deck(Batch(KUNKEN, 1, num_players=players, **options)))]


def test_a_given_deck_is_dealt():
    deck = shuffled(3)
    env = kunken_v0.env(num_players=3)
    env.reset(options={"deck": deck, "dealer": 2})
    assert env.agent_selection == env.possible_agents[0]
    table = fresh_deal(3, deck, dealer=2)
    assert (table.seat, table.hand(0)) == (0, " ".join(sorted(deck[:13], key=CARDS.index)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda deck: [*deck, "*"], r"'\*'"),
        (lambda deck: [*deck, "5d", "Kc"], "'5d'"),
        (lambda deck: ["5d" if k == deck.index("2c") else card for k, card in enumerate(deck)], "'5d'"),
        (lambda deck: [card for card in deck if card not in ("2c", "Kd", "*")], "'2c' is missing"),
        (lambda deck: [card for card in deck if card != "*"], r"'\*' is missing"),
        (lambda deck: [], "'Ac' is missing"),
        (lambda deck: [*deck[:-1], "1c"], "'1c' does not exist"),
        (lambda deck: " ".join(deck), "no list"),
    ],
)
def test_a_deck_that_is_no_permutation_is_refused_by_its_first_wrong_card(change, message):
    with pytest.raises(ValueError, match=message):
        fresh_deal(3).batch.reset(decks=[change(shuffled(3))])


def test_a_deck_of_another_number_of_jokers_is_refused():
    with pytest.raises(ValueError, match=r"'\*'"):
        fresh_deal(3, jokers=3).batch.reset(decks=[shuffled(3)])
    with pytest.raises(ValueError, match=r"'\*' is missing"):
        fresh_deal(3, jokers=5).batch.reset(decks=[shuffled(3)])


@pytest.mark.parametrize("dealer", [-1, 3, "0", True])
def test_a_dealer_who_does_not_exist_is_refused(dealer):
    with pytest.raises(ValueError, match="dealer"):
        fresh_deal(3).batch.reset(dealers=[dealer])


# ----------------------------------------------------------------------------------------------------------------- max_moves


def test_max_moves_truncates_at_the_limit_and_not_before_whoever_moves():
    table = Table(["2c", "3c"], stock="9h 9d", max_moves=3).play("draw", "discard 9h")
    assert (table.end, table.seat) == ("", 1)
    table.play("draw")
    assert (table.end, table.legal, table.winner) == ("truncated", "", None)
    assert (table.scores, table.returns) == ([-5, -10], [2.5, -2.5])


@pytest.mark.parametrize(
    ("actions", "scores"),
    [
        (["take 5d"], [15 - 20, 30 - 5]),
        (["take 5d", "put 3d"], [20 - 15, 30 - 5]),
        (["take 5d", "put 3d", "put 4d"], [25 - 10, 30 - 5]),
        (["take 5d", "put 3d", "put 4d", "put 5d"], [30 - 5, 30 - 5]),
        (["take 5d", "put 3d", "put 4d", "put 5d", "close"], [30 - 5, 30 - 5]),
    ],
)
def test_max_moves_truncates_inside_a_turn_and_cards_count_as_laid_from_put_on(actions, scores):
    table = Table(["3d 4d 9s", "2c"], f"{OPEN} | {OTHER}", "5d", moves=100 - len(actions), max_moves=100).play(*actions)
    assert (table.end, table.scores, table.is_express) == ("truncated", scores, False)
    assert table.returns == [(scores[0] - scores[1]) / 2, (scores[1] - scores[0]) / 2]


def test_max_moves_inside_an_opening():
    table = Table(["Kc Kd Kh Qc Qd 8c", "2c"], bank="Qh", max_moves=6).play("take Qh", "put Kc", "put Kd", "put Kh", "close", "put Qc")
    assert (table.end, table.laid, table.scores, table.opened) == ("truncated", [40, 0], [40 - 25, -5], [])


def test_max_moves_after_a_swap():
    table = Table(["Ac 9s", "2c"], f"{OPEN} | {OTHER}", max_moves=2).play("meld 1", "swap Ac")
    assert (table.end, table.scores) == ("truncated", [15 - 5 - 10, 30 - 5])


@pytest.mark.parametrize("moves", [0, 8])
def test_max_moves_does_not_truncate_a_deal_that_ends_with_the_same_move(moves):
    table = won(["2c"], moves=moves, max_moves=moves + len(GOING_OUT))
    assert (table.end, table.winner) == ("terminated", 0)
    assert Table(["2c"], stock="", moves=moves, max_moves=moves + 1).play("pass").end == "terminated"


def test_auto_single_plays_the_forced_steps():
    # after 7s was put: close, discard 5c are single
    table = Table(["7s", "2c"], OPEN, stock="5c 9h", auto_single=True).play("draw", "meld 0")
    assert (table.end, table.winner, table.scores, int(table.state["moves"])) == ("terminated", 0, [20, -5], len(GOING_OUT))


# ------------------------------------------------------------------------------------------------- what is known of hands


def test_all_cards_taken_from_the_bank_are_known():
    table = Table(["3d 4d 9s", None, None], f"{OPEN} | {OTHER}", "8h 5d Jc *").play("take 5d")
    assert table.known() == "Jc 5d *"
    assert (table.sees(1, "seat_2.known"), table.sees(2, "seat_1.known"), table.sees(0, "seat_0.known")) == ("Jc 5d *",) * 3


def test_a_card_drawn_or_dealt_is_not_known():
    table = Table("3d 4d 9s", stock="5d").play("draw")
    assert table.known() == ""
    assert all(fresh_deal(3).known(seat) == "" for seat in range(3))


def test_a_known_card_is_struck_out_when_a_card_of_that_name_is_played():
    table = Table("3d 4d 5d 9s 5d", OPEN, known=["5d"], stock="Jc").play("draw", "put 3d", "put 4d")
    assert table.known() == "5d"
    table.play("put 5d")
    assert (table.known(), table.hand()) == ("", "Jc 5d 9s")  # the other copy is known no longer, though it may be that one


def test_a_card_that_waits_is_not_struck_out():
    table = Table("3d 4d 5d 9s", OPEN, "2d 5d Jc").play("take 2d", "put 2d", "put 3d", "put 4d")
    assert (table.known(), table.aside) == ("Jc 5d", "Jc 5d")
    table.play("put 5d")  # the one that was in hand before: that taken along is there still
    assert (table.known(), table.hand(), table.aside) == ("Jc 5d", "Jc 5d 9s", "Jc 5d")


def test_a_known_card_is_struck_out_when_a_card_of_that_name_is_discarded():
    table = Table("3d 4d 9s Jc", OPEN, "5d Jc").play("take 5d").lay("3d 4d 5d").play("discard Jc")
    assert (table.known(), table.hand()) == ("", "Jc 9s")
    table = Table("3d 4d 9s Jc", OPEN, "5d Jc").play("take 5d").lay("3d 4d 5d").play("discard 9s")
    assert (table.known(), table.hand()) == ("Jc", "Jc Jc")


def test_a_joker_swapped_in_is_known_until_a_joker_is_played_or_discarded():
    table = Table("Ac * 8h 9s", f"{OPEN} | {OTHER}", stock="3c").swap(1, "Ac")
    assert (table.known(), table.hand()) == ("*", "8h 9s * *")
    begin = table.play("draw").batch.save()
    assert table.play("discard *").known() == ""
    table.batch.restore(begin)
    table.add(0, "*=7s")
    assert (table.known(), table.hand()) == ("", "3c 8h 9s *")


def test_a_known_card_is_struck_out_when_a_card_of_that_name_is_swapped_away():
    table = Table("Ac Ac 9s", f"{OPEN} | {OTHER}", known=["Ac"]).swap(1, "Ac")
    assert (table.known(), table.hand()) == ("*", "Ac 9s *")


def test_cards_stay_known_over_the_turns():
    table = Table(["3d 4d 9s 8h", "2c"], OPEN, "5d Jc", stock="9h").play("take 5d").lay("3d 4d 5d").play("discard 8h", "draw", "discard 2c")
    assert (table.seat, table.known()) == (0, "Jc")


def test_known_cards_stay_where_they_are_when_all_else_is_dealt_anew():
    table = Table([None, "Kc Kd 8h", "2c 3c"], known=["", "Kc", "3c"], stock="9h 9d 9s * 6c 6d")
    hands = set()
    for seed in range(20):
        state = table.batch.determinize([0], rng.streams(seed, 1))[0]
        hands.add(state["hand"][1].tobytes())
        assert state["hand"][1][CARDS.index("Kc")] >= 1 and state["hand"][2][CARDS.index("3c")] >= 1
        assert (state["hand"][0] == table.state["hand"][0]).all()
    assert len(hands) > 10


# ----------------------------------------------------------------------------------------------------- what a player sees


def test_the_bank_is_seen_in_its_order():
    table = Table(bank="2c * 5h 2c Kd *")
    values = table.sees(1, "bank")
    places = {"2c": 3, "Kd": 5, "5h": 3}
    seen = {index: round(value * MAX_DECK) for index, value in enumerate(values) if value}
    two, king, five = (CARDS.index(name) for name in places)
    top = MAX_DECK
    assert seen == {
        two: top - 2,
        king: top - 1,
        five: top - 3,
        SECOND_COPY + two: top - 5,
        JOKER_COPIES: top,
        JOKER_COPIES + 1: top - 4,
    }
    assert table.sees(1, "bank_size") == pytest.approx(6 / MAX_DECK)


def test_combinations_are_seen_with_their_owners_what_jokers_stand_for_and_what_fits():
    table = Table(["2c", "3c", "4c"], "2: Qs *=Ks As | 0: 5d 5h * | 2: 9c Tc Jc | 0: 7c 7d * * | 1: 8c 8d 8h 8s")
    expected = [
        (0, 3 / 13, "s", "A+2+JQ*K"),
        (1, 3 / 13, "+cdh+s", "5"),
        (0, 3 / 13, "c", "+89TJ+Q"),
        (1, 4 / 13, "cd~h~s", "7"),
        (1, 4 / 13, "cdhs", "8"),
        (0, 0, "", ""),
    ]
    for number, values in enumerate(expected):
        for piece, value in zip(("set", "size", "suits", "ranks"), values, strict=True):
            assert table.sees(1, f"meld_{number}_{piece}") == (value if isinstance(value, str) else pytest.approx(value)), piece
    owns = {f"seat_{k}.owns": table.sees(1, f"seat_{k}.owns")[:6] for k in range(3)}
    assert owns == {"seat_0.owns": [0, 0, 0, 0, 1, 0], "seat_1.owns": [1, 0, 1, 0, 0, 0], "seat_2.owns": [0, 1, 0, 1, 0, 0]}
    assert (table.sees(1, "fits"), table.sees(1, "swaps")) == ("5c 8c Qc 2s 5s Js", "5c 7h 5s 7s Ks")


def test_a_half_built_combination_is_seen_with_the_duty():
    table = Table(["Kc Kd Kh Qc Qd 8c", "2c"], bank="5h Qh 9s", moves=4, max_moves=100).play("take Qh", "put Kc", "put Kd")
    assert (table.sees(1, "duty"), table.sees(1, "named"), table.sees(1, "aside")) == ([1, 0], "Qh", "9s")
    assert table.sees(1, "needed") == pytest.approx(50 / 150)
    assert (table.sees(1, "meld_0_suits"), table.sees(1, "meld_0_ranks"), table.sees(1, "meld_0_set")) == ("cd+h+s", "K", 1)
    assert table.sees(1, "phase") == [int(phase == Phase.BUILD) for phase in Phase]
    assert table.sees(1, "open")[:2] == [1, 0]
    assert (table.sees(1, "seat_1.to_move"), table.sees(1, "seat_1.owns")[0]) == (1, 1)
    assert table.sees(1, "seat_1.laid") == pytest.approx(20 / MOST_POINTS)
    assert table.sees(1, "moves") == pytest.approx(0.07)
    table.play("put Kh", "close")
    assert (table.sees(1, "needed"), table.sees(1, "named")) == (pytest.approx(20 / 150), "Qh")
    assert (table.sees(1, "seat_1.opened"), table.lay("Qc Qd Qh").sees(1, "seat_1.opened")) == (0, 1)
    assert (table.sees(1, "duty"), table.sees(1, "named"), table.sees(1, "aside"), table.sees(1, "needed")) == ([0, 0], "", "", 0)


def test_the_third_to_two_in_hand_is_seen_as_the_duty():
    table = Table(["3d 4d 9s", "2c"], OPEN, "5d Jc").play("take 5d")
    assert (table.sees(1, "duty"), table.sees(1, "named"), table.sees(1, "aside"), table.sees(1, "had_opened")) == ([0, 1], "5d", "Jc", 1)
    assert table.sees(1, "phase") == [int(phase == Phase.DUTY) for phase in Phase]


def test_a_chosen_combination_is_seen():
    table = Table(["Ac 9s", "2c"], f"{OPEN} | {OTHER}").play("meld 1")
    assert (table.sees(1, "open")[:3], table.sees(1, "changed"), table.sees(1, "swap_only")) == ([0, 1, 0], 0, 1)
    assert table.play("swap Ac").sees(1, "changed") == 1
    table = Table(["Ac 9s", "2c"], f"{OPEN} | {OTHER}", stock="3c").play("draw", "meld 1")
    assert table.sees(1, "swap_only") == 0


def test_sizes_of_hands_and_stock_are_seen():
    table = Table(["2c 3c", "4c", "5c 6c 7c"], stock="9h 9d", bank="4c 4d", dealer=2)
    assert [table.sees(1, f"seat_{k}.hand_size") * MAX_DECK for k in range(3)] == pytest.approx([1, 3, 2])
    assert [table.sees(1, f"seat_{k}.dealer") for k in range(3)] == [0, 1, 0]
    assert [table.sees(1, f"seat_{k}.to_move") for k in range(3)] == [0, 0, 1]
    assert table.sees(1, "stock_size") * MAX_DECK == pytest.approx(2)
    assert (table.sees(1, "hand"), table.sees(0, "hand")) == ("4c", "2c 3c")


@pytest.mark.parametrize("seat", [0, 2])
def test_nobody_sees_other_hands_or_the_order_of_the_stock(seat):
    one = Table(["2d 3d", "6c 6d 7h", "Kc Kd 2h"], stock="Jd 7c *")
    other = Table(["2d 3d", "As * Qh", "Kc Kd 2h"], stock="6c Jd 7h")
    assert np.array_equal(one.batch.observe([seat]), other.batch.observe([seat]))
    assert not np.array_equal(one.batch.observe([1]), other.batch.observe([1]))


# --------------------------------------------------------------------------------------------------- the record hangs together

VARIANTS = [
    {"max_moves": 250},
    {"num_players": 2, "stock_out": "recycle", "jokers": 6, "swap_own_jokers": True, "max_moves": 400},
    {"num_players": 5, "lay_on_draw": "any", "opening_points": 0, "max_moves": 300},
    {"num_players": 4, "lay_on_draw": "never", "jokers": 0, "opening_points": 15, "max_moves": 300},
]


def random_steps(**options):
    """Batches after each step of random play, until all deals have ended; cards are taken and laid oftener than uniform play would."""
    batch = Batch(KUNKEN, 8, SEED, autoreset=False, **options)
    generator = np.random.default_rng(SEED)
    weights = np.ones(len(KUNKEN.actions))
    weights[[DRAW, PASS]] = 0.3
    for name in ("take", "take_second", "take_joker", "put", "put_joker", "meld", "swap", "close"):
        weights[KUNKEN.actions.slices[name]] = 3
    while not batch.ended.all():
        batch.step(np.argmax(generator.random(batch.masks.shape) * batch.masks * weights, axis=1))
        yield batch


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_card_is_somewhere_once_and_every_count_is_that_of_its_cards(options):
    laid = swapped = 0
    for batch in random_steps(**options):
        states = batch.states
        layout = KUNKEN.state_layout(batch.num_players)
        out = np.empty((batch.num_envs, layout.size), np.float32)
        KUNKEN.loops.view_rows(states, 0, batch.num_envs, out)
        places = ["stock", "banked", "table", *(f"player_{k}.hand" for k in range(batch.num_players))]
        whole = np.ones(len(CARDS))
        whole[-1] = batch.options["jokers"] / 6
        np.testing.assert_allclose(sum(out[:, layout.slices[place]] for place in places), np.tile(whole, (8, 1)), rtol=0, atol=1e-5)
        assert (states["hand"].sum(2) == states["hand_size"]).all()
        assert (states["known"] <= states["hand"]).all() and (states["known"].sum(2) == states["known_size"]).all()
        assert (states["aside"].sum(1) == states["aside_size"]).all()
        going = ~batch.ended
        assert (batch.masks.any(1) == going).all()
        assert (states["hand_size"][going][:, : batch.num_players] > 0).all()
        assert not batch.rewards[going].any()
        laid, swapped = max(laid, int(states["num_melds"].max())), swapped + int((states["phase"] == Phase.ADD).sum())
    assert laid > 1
    assert swapped > 0 or options.get("lay_on_draw") == "never"
    assert batch.rewards.sum(1) == pytest.approx(np.zeros(8))
