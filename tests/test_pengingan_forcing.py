"""Questions about declined cards and discards, and the extra card (RULES.md): positions as in `test_pengingan_rules`."""

import pytest
from pengingan_positions import FILLER, RUN, Table, forced

from penzoo.envs.pengingan.state import CARDS, Phase

PLAYERS = range(2, 9)


# ----------------------------------------------------------------------------------------------------------------- forcing


def asked(table: Table) -> list[int]:
    """Who is asked, one after the other, while all waive."""
    seats, phase, turn = [], table.phase, table.turn
    assert phase in (Phase.ASK_USE, Phase.ASK_DISCARD)
    while (table.phase, table.turn, table.end) == (phase, turn, ""):
        assert table.legal == "pass, demand"
        seats.append(table.seat)
        table.play("pass")
    return seats


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("phase", [Phase.FIRST, Phase.SECOND])
def test_opponents_are_asked_one_by_one_from_the_next_seat_on(players, phase):
    for turn in range(players):
        tables = [RUN if seat == turn else "" for seat in range(players)]
        table = Table(tables=tables, card="Qs", turn=turn, phase=phase).play("pass")
        assert asked(table) == [(turn + k) % players for k in range(1, players)]


def test_x_declined_is_turned_down_only_after_the_questions():
    table = Table("2d", RUN, "Qs", players=3, stock="Jd 7c").play("pass")
    assert (table.dead, table.card, table.stock, table.turn, table.seat) == ("", "Qs", "Jd 7c", 0, 1)
    table.play("pass")
    assert (table.dead, table.card, table.seat) == ("", "Qs", 2)
    table.play("pass")
    assert (table.dead, table.card, table.stock, table.seat, table.phase) == ("Qs", "Jd", "7c", 0, Phase.SECOND)


def test_y_declined_and_waived_by_all_is_the_next_players_x():
    table = Table("2d", RUN, "Qs", players=3, phase=Phase.SECOND, stock="Jd").play("pass", "pass", "pass")
    assert (table.dead, table.card, table.stock, table.seat, table.phase) == ("", "Qs", "Jd", 1, Phase.FIRST)


def test_both_x_and_y_can_be_asked_about():
    table = Table("2d", RUN, "Qs", stock="5s Jd").play("pass", "pass")
    assert (table.card, table.phase) == ("5s", Phase.SECOND)
    assert table.play("pass").phase == Phase.ASK_USE


@pytest.mark.parametrize("waivers", [0, 1, 2])
def test_the_first_to_demand_settles_it(waivers):
    table = Table("2d", RUN, "Qs", players=4).play("pass", *["pass"] * waivers, "demand")
    assert (table.seat, table.phase, table.legal) == (0, Phase.FORCED, "extend 0")


@pytest.mark.parametrize(
    ("melds", "hand", "card", "legal"),
    [
        ("6s 7s Js", "2c", "Qs", "extend 0"),
        ("6s 7s Js | Qc Qd Qh", "2c", "Qs", "extend 0, extend 1"),  # own choice
        ("Qc Qd Qh | 2c 3c 4c | 6s 7s Js", "2d", "Qs", "extend 0, extend 2"),
        ("6s 7s Js | Kc Kd Kh", "Qs", "Ks", "extend 1"),  # it fits the run only with help from the hand
        ("5s 5s 5s | 6s 7s Js", "5c 5d", "5s", "extend 0, extend 1"),
        ("6s 7s Js", "Qc Qd 2c", "Qs", "extend 0"),  # no new meld …
        ("2h 3h 4h 5h | 5s 5d 5c", "7h", "6h", "extend 0"),  # … and no rearrangement
    ],
)
def test_a_forced_player_has_the_melds_that_the_card_fits_and_nothing_else(melds, hand, card, legal):
    table = Table(hand, melds, card).play("pass", "demand")
    assert (table.legal, table.seat) == (legal, 0)


def test_a_forced_player_may_let_cards_from_hand_follow_onto_that_meld_collects_and_discards():
    table = Table("Ks 2d Kd", f"Kc Kd Kh | {RUN}", "Qs", players=3).play("pass", "demand", "extend 1")
    assert table.legal == "put Ks, close"
    assert table.play("put Ks", "close").paid == 2
    assert table.legal == "discard 2d, discard Kd"
    assert table.sees(2, "forced") == 1


@pytest.mark.parametrize(
    ("melds", "hand", "card"),
    [
        ("6s 7s Js", "Qs 2d", "Ks"),  # needs help from the hand
        ("5s 5h 5d 5c", "4s", "6s"),  # can be used to rearrange only
        ("", "6c 6d", "6s"),  # new only
        ("3s 3s 3s", "2d", "3h"),
    ],
)
def test_there_is_no_question_about_a_card_that_is_not_live(melds, hand, card):
    table = Table(hand, melds, card, stock="Jd").play("pass")
    assert (table.seat, table.phase, table.dead) == (0, Phase.SECOND, card)


def test_a_forced_extension_that_ruins_a_condition_pays_nothing():
    table = Table("2d 4d", "Kd Kd Kd", "Ks").play("pass", "demand", "extend 0", "close")
    assert (table.paid, table.chips, table.phase, table.melds(0)) == (0, [0, 0], Phase.DISCARD, "Kd Kd Kd Ks")


# --------------------------------------------------------------------------------------------------------------- the extra card


def test_after_a_demanded_card_the_player_may_turn_one_more_which_covers_and_kills_the_discard():
    table = forced().play("discard 2d")
    assert (table.seat, table.phase, table.legal, table.card, table.dead) == (0, Phase.EXTRA, "pass, turn", "2d", "")
    table.play("turn")
    assert (table.card, table.dead, table.stock, table.legal) == ("2h", "2d", "7c", "pass")
    assert (table.sees(1, "extra"), table.sees(1, "turned"), table.seat) == (1, 1, 0)


def test_the_player_need_not_turn_it():
    table = forced().play("discard 2d", "pass")
    assert (table.seat, table.phase, table.card, table.dead, table.stock) == (1, Phase.FIRST, "2d", "", "2h 7c")


def test_the_extra_card_declined_is_the_next_players_x():
    table = forced().play("discard 2d", "turn", "pass")
    assert (table.seat, table.phase, table.card, table.dead, table.stock) == (1, Phase.FIRST, "2h", "2d", "7c")
    assert table.sees(0, "extra") == 0


@pytest.mark.parametrize(
    ("stock", "hand", "actions", "melds"),
    [
        ("Ks", "2d 4d 2h", ["extend 0", "close"], "6s 7s Js Qs Ks"),
        ("2h", "2d 2c 2s 4d", ["new", "put 2c", "put 2s", "close"], "6s 7s Js Qs | 2c 2h 2s"),
    ],
)
def test_the_extra_card_used_is_followed_by_a_discard_and_no_other_extra_card(stock, hand, actions, melds):
    table = forced(stock, hand).play("discard 2d", "turn", *actions)
    assert (table.melds(0), table.phase, table.sees(1, "forced")) == (melds, Phase.DISCARD, 0)
    table.play("discard 4d")
    assert (table.seat, table.phase, table.card) == (1, Phase.FIRST, "4d")


def test_the_extra_card_can_rearrange():
    table = forced("5h", "2d 4d", "6s 7s Js | 3h 4h 5h 6h 7h").play("discard 2d", "turn")
    assert table.arrangements("rearrange") == {"3h 4h 5h | 5h 6h 7h | 6s 7s Js Qs"}


def test_the_extra_card_can_be_demanded_but_there_is_only_one_a_turn():
    table = forced("Ks 7c", players=3).play("discard 2d", "turn", "pass")
    assert (table.phase, table.seat) == (Phase.ASK_USE, 1)
    table.play("pass", "demand")
    assert (table.seat, table.legal) == (0, "extend 0")
    table.play("extend 0", "close", "discard 4d")
    assert (table.seat, table.phase, table.card, table.stock) == (1, Phase.FIRST, "4d", "7c")


def test_the_extra_card_declined_and_waived_by_all_is_the_next_players_x():
    table = forced("Ks 7c", players=3).play("discard 2d", "turn", "pass", "pass", "pass")
    assert (table.seat, table.phase, table.card, table.dead) == (1, Phase.FIRST, "Ks", "2d")


def test_with_no_card_to_turn_only_pass_is_legal():
    table = forced("").play("discard 2d")
    assert (table.phase, table.legal) == (Phase.EXTRA, "pass")
    table.play("pass")
    assert (table.seat, table.card, table.end) == (1, "2d", "")


def test_there_is_no_extra_card_for_one_who_used_the_card_unasked():
    table = Table("2d 4d", RUN, "Qs").arrange("extend 0").play("discard 2d")
    assert (table.seat, table.phase) == (1, Phase.FIRST)


def test_there_is_no_extra_card_for_one_who_used_y_unasked_after_all_waived_x():
    table = Table("2d 4d", RUN, "Qs", stock="5s 2h").play("pass", "pass").arrange("extend 0").play("discard 2d")
    assert (table.seat, table.phase) == (1, Phase.FIRST)


def test_a_demanded_y_earns_the_extra_card_too():
    table = Table("2d 4d", RUN, "Qs", phase=Phase.SECOND).play("pass", "demand", "extend 0", "close", "discard 2d")
    assert (table.seat, table.phase) == (0, Phase.EXTRA)


def test_the_next_turn_has_its_own_extra_card():
    table = Table(["2d 4d", "2h 4h"], [RUN, "6h 7h Jh"], "Qs", stock="Qh 2c").play("pass", "demand", "extend 0", "close", "discard 2d")
    table.play("turn", "pass")
    assert (table.seat, table.phase, table.card) == (1, Phase.FIRST, "Qh")
    table.play("pass", "demand", "extend 0", "close", "discard 2h")
    assert (table.seat, table.phase, table.legal) == (1, Phase.EXTRA, "pass, turn")


# ----------------------------------------------------------------------------------------------------------- live discards


def laid(hand: str, next_table: str = "3c 3d 3h", **options) -> Table:
    """One who has laid three sixes and is to discard; four at the table, and the next player has a table."""
    players = options.pop("players", 4)
    return Table([f"6c 6d {hand}"], ["", next_table], "6h", players=players, **options).arrange("new", "6c 6d")


def test_a_live_discard_is_asked_about_from_the_next_seat_on_the_next_player_included():
    table = laid("3s 2d").play("discard 3s")
    assert (table.phase, table.card, table.turn) == (Phase.ASK_DISCARD, "3s", 0)
    assert asked(table) == [1, 2, 3]


@pytest.mark.parametrize("waivers", [0, 1, 2])
def test_a_live_discard_demanded_goes_back_to_the_hand_and_another_that_is_not_live_is_discarded(waivers):
    table = laid("3s 2d 3c 4d").play("discard 3s", *["pass"] * waivers, "demand")
    assert (table.seat, table.hand(0), table.card) == (0, "3c 2d 4d 3s", "")
    assert table.legal == "discard 2d, discard 4d"  # of two live kinds neither
    assert table.sees(2, "returned") == 1
    table.play("discard 2d")
    assert (table.seat, table.phase, table.card) == (1, Phase.FIRST, "2d")  # no question about it


def test_a_live_discard_to_which_nobody_objects_stays():
    table = laid("3s 2d").play("discard 3s", "pass", "pass", "pass")
    assert (table.seat, table.phase, table.card, table.hand(0)) == (1, Phase.FIRST, "3s", "2d")
    assert table.legal == "pass, extend 0"


@pytest.mark.parametrize("hand", ["3s", "3s 3c", "3s 3s 3s"])
def test_a_hand_that_is_all_live_may_discard_any_of_it_without_a_question(hand):
    table = laid(hand)
    assert table.offered("discard").split() == sorted(set(hand.split()), key=CARDS.index)
    table.play("discard 3s")
    assert (table.seat, table.phase, table.card) == (1, Phase.FIRST, "3s")


def test_a_discard_that_is_live_for_another_than_the_next_player_is_not_asked_about():
    table = Table(["6c 6d 3s 2d"], ["", "", "3c 3d 3h"], "6h", players=4).arrange("new", "6c 6d").play("discard 3s")
    assert (table.seat, table.phase) == (1, Phase.FIRST)


def test_a_discard_that_the_next_player_can_use_otherwise_is_not_asked_about():
    table = laid("Ks 2d", RUN).play("discard Ks")  # it would need Qs from hand
    assert (table.seat, table.phase) == (1, Phase.FIRST)


def test_a_card_taken_back_is_known_until_it_is_played():
    table = laid("3s 2d Kh").play("discard 3s", "demand")
    assert table.known(0) == table.sees(0, "seat_0.known") == table.sees(1, "seat_3.known") == table.sees(3, "seat_1.known") == "3s"
    table.play("discard 2d")
    assert table.known(0) == "3s"
    table = Table(["4s 5s 2d", FILLER], card="6s", known=["4s"]).arrange("new", "4s 5s")
    assert table.known(0) == ""
    table = Table(["6c 6d 4s 5s", FILLER], card="6h", known=["4s 5s"]).arrange("new", "6c 6d").play("discard 4s")
    assert (table.known(0), table.sees(1, "seat_1.known")) == ("5s", "5s")


def test_of_two_of_a_kind_one_that_came_back_is_known():
    table = laid("3s 3s 2d Kh").play("discard 3s", "demand")
    assert (table.hand(0), table.known(0)) == ("2d Kh 3s 3s", "3s")


def test_questions_about_a_discard_come_before_the_extra_card():
    table = forced(hand="3s 2d 4d", tables=[RUN, "3c 3d 3h"]).play("discard 3s")
    assert (table.phase, table.seat) == (Phase.ASK_DISCARD, 1)
    table.play("pass")
    assert (table.phase, table.seat) == (Phase.EXTRA, 0)
    table = forced(hand="3s 2d 4d", tables=[RUN, "3c 3d 3h"]).play("discard 3s", "demand", "discard 2d")
    assert (table.phase, table.seat, table.legal) == (Phase.EXTRA, 0, "pass, turn")


def test_each_discard_of_a_turn_is_asked_about_anew():
    table = forced("Ks 7c", "3s 2d 4d", [RUN, "3c 3d 3h"]).play("discard 3s", "demand", "discard 2d", "turn", "extend 0", "close")
    assert (table.legal, table.sees(1, "returned")) == ("discard 4d, discard 3s", 0)
    assert table.play("discard 3s").phase == Phase.ASK_DISCARD


def test_the_extra_card_covers_a_live_discard_that_stayed():
    table = forced("7c", "3s 2d 4d", [RUN, "3c 3d 3h"]).play("discard 3s", "pass", "turn")
    assert (table.dead, table.card) == ("3s", "7c")


# --------------------------------------------------------------------------------------------------------- always and never


@pytest.mark.parametrize("phase", [Phase.FIRST, Phase.SECOND])
@pytest.mark.parametrize(
    ("melds", "hand", "card", "legal"),
    [
        ("6s 7s Js", "2c", "Qs", "extend 0"),
        ("6s 7s Js", "Qc Qd", "Qs", "new, extend 0"),  # any use will do
        ("2h 3h 4h 5h | 5s 5d 5c", "7h", "6h", "extend 0, rearrange"),
        ("6s 7s Js | Kc Kd Kh", "Qs", "Ks", "extend 0, extend 1"),
        ("6s 7s Js", "Qs", "Ks", "pass, extend 0"),  # not live: it can be declined
        ("5s 5h 5d 5c", "4s", "6s", "pass, rearrange"),
        ("", "6c 6d", "6s", "pass, new"),
        ("2c 3c 4c 5c 6c | Kc Kd Kh Ks Kc", "", "7c", "extend 0, rearrange"),  # a flat player as well
    ],
)
def test_always_a_live_card_cannot_be_declined(melds, hand, card, legal, phase):
    assert Table(hand, melds, card, phase=phase, forcing="always").legal == legal


def test_always_there_is_no_extra_card_and_nobody_is_asked():
    table = Table("2d 4d", RUN, "Qs", players=3, forcing="always").arrange("extend 0").play("discard 2d")
    assert (table.seat, table.phase) == (1, Phase.FIRST)


@pytest.mark.parametrize(
    ("hand", "discards"),
    [("3s 2d", "2d"), ("3s 2d 3c 4d", "2d 4d"), ("3s", "3s"), ("3s 3c", "3c 3s"), ("2d 4d", "2d 4d")],
)
def test_always_a_live_discard_is_masked_while_a_card_that_is_not_live_is_in_hand(hand, discards):
    table = laid(hand, forcing="always")
    assert table.offered("discard") == discards
    table.play(f"discard {discards.split()[-1]}")
    assert (table.seat, table.phase) == (1, Phase.FIRST)


@pytest.mark.parametrize("phase", [Phase.FIRST, Phase.SECOND])
def test_never_a_live_card_is_declined_without_a_question(phase):
    table = Table("2d", RUN, "Qs", players=3, phase=phase, forcing="never").play("pass")
    assert (table.seat, table.phase) == ((0, Phase.SECOND) if phase == Phase.FIRST else (1, Phase.FIRST))


def test_never_a_live_discard_stays_without_a_question():
    table = laid("3s 2d", forcing="never")
    assert table.offered("discard") == "2d 3s"
    assert table.play("discard 3s").phase == Phase.FIRST
