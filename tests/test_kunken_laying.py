"""Laying out in Kunken, sentence by sentence of RULES.md: whist, too many jokers for a while, swaps, the discard, the order of building.

Unless a table says otherwise seat 0 is in turn, has the hand that is named, and the other hands are of no use.
"""

import pytest
from kunken_positions import KUNKEN, OPEN, OTHER, Table, laying, opened, run_from, words

from penzoo.envs.kunken.state import RANKS, Phase

# ---------------------------------------------------------------------------------------------------------------- lay out


def test_nothing_more_need_be_laid_after_the_duty():
    table = opened("3d 4d Qc Qd Qh 9s", "5d").play("take 5d").lay("3d 4d 5d")
    assert (table.offered("put"), table.offered("discard")) == ("Qc", "Qc, Qd, Qh, 9s")
    assert table.play("discard Qd").seat == 1


def test_as_much_as_one_likes():
    table = laying("Qc Qd Qh 3d 4d 5d 6d 7s 9s").lay("Qc Qd Qh", "3d 4d 5d").add(2, "6d").add(0, "7s")
    assert table.table == "0: 7c 7d 7h 7s | 0: Qc Qd Qh | 0: 3d 4d 5d 6d"
    assert table.legal == "discard 2s, discard 9s"


def test_whist_goes_onto_anybodys_combinations_and_its_points_to_who_adds():
    combinations = f"{OPEN} | 1: Qs Ks As | 2: Tc Td Th"
    table = laying("7s 2s Js Ts * 9h", combinations, stock="9d")
    assert table.offered("meld") == "0, 1, 2"
    table.add(1, "Js 2s")
    assert (table.laid, table.table) == ([30, 30, 15], "0: 7c 7d 7h | 1: Js Qs Ks As 2s | 2: Tc Td Th")
    table.add(2, "*=Ts")
    assert (table.laid, table.table) == ([35, 30, 15], "0: 7c 7d 7h | 1: Js Qs Ks As 2s | 2: Tc Td Th *")


@pytest.mark.parametrize(
    ("table", "hand", "puts"),
    [
        ("1: 3d 4d 5d", "2d 6d 7d Ad 3d 4d 3h", "2d, 6d"),
        ("1: Qd Kd Ad", "Jd 2d 3d Td Kh", "2d, Jd"),
        ("1: 3c 3d 3h", "3s 3c 4c 2d", "3s"),
        ("1: 3c 3h *", "3c 3d 3h 3s 4h", "3d, 3s"),
        ("1: 3c 3d 3h *", "3s 3c 4h", ""),
        ("1: 3c 3d * *", "3h 3s 4h", ""),
        ("1: 3d *=4d 5d", "4d 2d 6d 9c", "2d, 6d"),
        ("1: *=3d 4d 5d", "2d 3d 6d 9c", "2d, 6d"),
    ],
)
def test_what_fits_onto_a_combination(table, hand, puts):
    position = laying(hand, table, stock="9s")
    assert position.offered("meld") == ("0" if puts or "*" in table else "")
    if position.offered("meld"):
        assert position.play("meld 0").offered("put") == puts


def test_a_joker_is_put_at_both_ends_of_a_run_and_into_a_set_under_one_name():
    assert laying("* 9c", "1: 3d 4d 5d").play("meld 0").legal == "put *=2d, put *=6d"
    assert laying("* 9c", "1: Qd Kd Ad").play("meld 0").legal == "put *=2d, put *=Jd"
    assert laying("* 9c", "1: 3c 3h 3s").play("meld 0").legal == "put *=3d"
    assert laying("* 9c", "1: 3c 3h *").play("meld 0").legal == "put *=3d"
    assert laying("* * 9c", "1: 3d 4d *=5d").play("meld 0").legal == "put *=2d, put *=6d"


@pytest.mark.parametrize("first", [0, 1, 5, 12])
@pytest.mark.parametrize("joker", [False, True])
def test_the_card_that_a_run_of_twelve_lacks_goes_onto_its_upper_end(first, joker):
    run, missing = run_from(first, 12), RANKS[(first + 12) % 13] + "d"
    put = f"*={missing}" if joker else missing
    table = laying("* 9c" if joker else f"{missing} 9c", f"1: {run}").play("meld 0")
    assert table.legal == f"put {put}"
    table.play(f"put {put}")
    assert table.legal == "close"
    assert table.table == f"1: {run} {put}"


@pytest.mark.parametrize("first", range(13))
def test_a_run_of_thirteen_takes_no_card_but_its_joker_can_be_swapped(first):
    run = run_from(first, 13, jokers=(4,))
    card = RANKS[(first + 4) % 13] + "d"
    table = laying(f"{run_from(first, 13)} * 9c", f"1: {run}").play("meld 0")
    assert table.legal == f"swap {card}"
    assert table.play(f"swap {card}", "close").table == f"1: {run_from(first, 13)}"


def test_a_combination_is_added_to_in_any_order_and_closed_once_something_was_done():
    table = laying("2d 6d 4d 9c", "1: 3d *=4d 5d").play("meld 0")
    assert table.legal == "put 2d, put 6d, swap 4d"
    orders = [("put 2d", "put 6d", "swap 4d"), ("swap 4d", "put 6d", "put 2d"), ("put 6d", "swap 4d", "put 2d")]
    begin = table.batch.save()
    for order in orders:
        table.batch.restore(begin)
        for step in order:
            table.play(step)
            assert "close" in table.legal
        assert table.play("close").table == "1: 2d 3d 4d 5d 6d"


def test_a_card_put_makes_room_for_the_next():
    table = laying("6d 7d 9c", "1: 3d 4d 5d").play("meld 0")
    assert table.legal == "put 6d"
    assert table.play("put 6d").legal == "put 7d, close"


def test_a_chosen_combination_cannot_be_left_unchanged():
    table = laying("6d 9c 9h", "1: 3d 4d 5d").play("meld 0")
    assert table.legal == "put 6d"


def test_combinations_are_numbered_in_the_order_in_which_they_were_laid():
    table = laying("7s 8d Qc Qd Qh Qs 9c", "0: 7c 7d 7h | 1: 5d 6d 7d")
    assert table.offered("meld") == "0, 1"
    table.lay("Qc Qd Qh")
    assert (table.offered("meld"), table.table) == ("0, 1, 2", "0: 7c 7d 7h | 1: 5d 6d 7d | 0: Qc Qd Qh")


def test_thirty_six_combinations_have_numbers():
    combinations = " | ".join(["1: 5c 5d 5h"] * 36)
    table = laying("5s 9c", combinations)
    assert words(table.offered("meld")) == [str(number) for number in range(36)]
    assert table.add(35, "5s").table.endswith("1: 5c 5d 5h | 1: 5c 5d 5h 5s")
    with pytest.raises(ValueError, match="meld 36"):
        KUNKEN.actions.index("meld 36")


def test_two_copies_of_a_card_go_into_two_combinations():
    table = laying("5c 5d 5h 5c 5d 5s 9c").lay("5c 5d 5h", "5c 5d 5s")
    assert table.table == f"{OPEN} | 0: 5c 5d 5h | 0: 5c 5d 5s"


# ----------------------------------------------------------------------------------------- too many jokers for a while


def test_too_many_jokers_are_put_where_a_card_of_the_hand_mends_it():
    table = laying("* * 8d 9c", "1: 3d 4d *=5d").play("meld 0", "put *=6d")
    assert table.legal == "put *=7d, close"  # *=2d could not be mended
    table.play("put *=7d")
    assert table.legal == "put 8d"  # three of five: no `close`
    assert table.play("put 8d").legal == "close"
    assert table.play("close").table == "1: 3d 4d *=5d *=6d *=7d 8d"


def test_too_many_jokers_are_not_put_where_nothing_mends_it():
    assert laying("* * 9c Jc", "1: 3d 4d *=5d").play("meld 0", "put *=6d").legal == "close"
    assert laying("* * 8d 9c", "1: 3d 4d *=5d").play("meld 0", "put *=2d").legal == "close"
    assert laying("* * 8h 9c", "1: 3d 4d *=5d").play("meld 0", "put *=6d").legal == "close"


def test_too_many_jokers_are_not_put_where_the_card_that_mends_it_must_be_kept():
    table = Table("* * ", "0: 3d 4d *=5d", stock="8d").play("draw", "meld 0", "put *=6d")
    assert table.legal == "close"  # with *=7d only 8d would be left, to discard
    table = Table("* * 9c", "0: 3d 4d *=5d", stock="8d").play("draw", "meld 0", "put *=6d")
    assert table.legal == "put *=7d, close"


def test_too_many_jokers_are_mended_by_a_swap_in_anothers_combination():
    table = laying("* * 5d 9c", "1: 3d 4d *=5d").play("meld 0", "put *=6d")
    assert table.legal == "put *=2d, put *=7d, swap 5d, close"
    table.play("put *=7d")
    assert table.legal == "swap 5d"
    assert table.play("swap 5d").legal == "put *=2d, put *=8d, close"
    assert table.play("close").table == "1: 3d 4d 5d *=6d *=7d"


def test_too_many_jokers_are_not_mended_by_a_swap_in_an_own_combination():
    assert laying("* * 5d 9c", "0: 3d 4d *=5d").play("meld 0", "put *=6d").legal == "close"
    table = laying("* * 5d 9c", "0: 3d 4d *=5d", swap_own_jokers=True).play("meld 0", "put *=6d")
    assert table.legal == "put *=2d, put *=7d, swap 5d, close"


# ------------------------------------------------------------------------------------------------------------------- swaps


@pytest.mark.parametrize(
    ("table", "hand", "swaps"),
    [
        ("1: 3d *=4d 5d", "4d 3d 5d 4h 2d", "4d"),
        ("1: *=3d 4d 5d *=6d", "3d 6d 2d 7d", "3d, 6d"),
        ("1: *=Kd Ad 2d", "Kd Qd 3d", "Kd"),
        ("1: 3c 3h *", "3c 3d 3h 3s", "3d, 3s"),
        ("1: 3c 3h * *", "3c 3d 3h 3s", "3d, 3s"),
        ("1: 3c 3d 3h *", "3c 3d 3h 3s", "3s"),
        ("1: 3c 3d 3h", "3s", ""),
        ("0: 3c 3h *", "3d 3s", ""),
        ("0: 3d *=4d 5d", "4d", ""),
    ],
)
def test_a_joker_is_swapped_for_the_card_for_which_it_stands(table, hand, swaps):
    position = opened(f"{hand} 9c", table=f"{OPEN} | {table}")
    assert position.offered("meld") == ("1" if swaps else "")
    if swaps:
        assert position.play("meld 1").legal == ", ".join(f"swap {card}" for card in swaps.split(", "))


def test_a_swap_moves_no_points_and_earns_nothing_and_the_joker_need_not_be_played():
    table = laying("4d 9c", f"{OPEN} | 1: 3d *=4d 5d").swap(1, "4d")
    assert (table.laid, table.hand(), table.table) == ([15, 15], "9c 2s *", "0: 7c 7d 7h | 1: 3d 4d 5d")
    assert "discard 9c" in table.legal
    table.play("discard *")
    assert (table.bank, table.seat) == ("4c *", 1)


def test_points_of_a_joker_stay_with_who_put_it_when_it_is_swapped():
    table = Table(["* 9c 8s", "6d 2s 2h"], "0: 7c 7d 7h | 1: Kc Kd Kh | 2: 3d 4d 5d", stock="Jc Jh").play("draw").add(2, "*=6d")
    assert table.laid == [20, 30, 15]
    table.play("discard Jc").swap(2, "6d")
    assert (table.laid, table.hand(1)) == ([20, 30, 15], "2h 2s *")


def test_swap_own_jokers():
    for value, legal in ((False, "draw"), (True, "draw, meld 0")):
        assert Table("4d 9c", "0: 3d *=4d 5d", swap_own_jokers=value).legal == legal
    table = Table("4d 9c", "0: 3d *=4d 5d", swap_own_jokers=True).swap(0, "4d")
    assert (table.table, table.hand(), table.laid) == ("0: 3d 4d 5d", "9c *", [15, 0])


def test_a_joker_that_one_put_into_anothers_combination_may_be_swapped_and_one_that_another_put_into_an_own_may_not():
    table = laying("* 6d 9c", f"{OPEN} | 1: 3d 4d 5d").add(1, "*=6d")
    assert table.play("meld 1").legal == "swap 6d"
    table = Table(["* 9c", "6d 9h"], "0: 8c 8d 8h | 1: 3d 4d 5d", stock="Jc Jh").play("draw").add(1, "*=6d").play("discard 9c")
    assert table.legal == "draw"


def test_swaps_are_open_before_and_after_the_choice_of_draw_or_take_to_one_who_has_opened():
    combinations = f"{OPEN} | {OTHER}"
    assert opened("Ac 9c", table=combinations).legal == "draw, meld 1"
    assert opened("Ac 9c", table=combinations, stock="2s").play("draw").offered("meld") == "1"
    assert Table("Ac 9c", OTHER).legal == "draw"
    assert Table("Ac 9c", OTHER).play("draw").offered("meld") == ""
    assert opened("Ac 3d 4d 9c", "5d", combinations).play("take 5d").offered("meld") == ""
    assert opened("Ac 3d 4d 9c", "5d", combinations).play("take 5d").lay("3d 4d 5d").offered("meld") == "1"
    assert "swap" not in laying("Ac Ks Kd Kh 9c", combinations).play("put Kd").legal


def test_before_the_choice_cards_may_be_swapped_and_not_put():
    table = opened("Ac 7s 9c", table=f"{OPEN} | {OTHER}")
    assert table.legal == "draw, meld 1"
    assert table.play("meld 1").legal == "swap Ac"
    assert table.play("swap Ac").legal == "close"
    assert (table.play("close").legal, table.phase) == ("draw", Phase.START)


def test_several_jokers_are_swapped_one_after_the_other():
    table = opened("3d 6d 9c", table=f"{OPEN} | 1: *=3d 4d 5d *=6d").play("meld 1", "swap 3d")
    assert table.legal == "swap 6d, close"
    table.play("swap 6d", "close")
    assert (table.table, table.hand()) == (f"{OPEN} | 1: 3d 4d 5d 6d", "9c * *")
    table = opened("Ac As 9c", table=f"{OPEN} | 1: Ad Ah * *").swap(1, "As").swap(1, "Ac")
    assert (table.table, table.hand()) == (f"{OPEN} | 1: Ac Ad Ah As", "9c * *")


def test_a_joker_swapped_out_serves_for_a_take_and_goes_back_onto_the_table():
    combinations = f"{OPEN} | {OTHER}"
    table = opened("Ac Qs 8c", "Ks", combinations)
    assert table.legal == "draw, meld 1"
    table.swap(1, "Ac")
    assert table.legal == "draw, take Ks"
    assert set(table.play("take Ks").combinations) == {"*=Js Qs Ks", "Qs Ks *=As"}
    table = laying("Ac 9c", combinations).play("meld 1", "swap Ac")
    assert table.legal == "put *=As, close"
    assert table.play("put *=As", "close").table == f"{OPEN} | 1: Ac Ad Ah *"
    assert table.laid == [25, 30]


def test_a_swap_needs_one_card_only():
    table = opened("Ac", table=f"{OPEN} | {OTHER}")
    assert table.legal == "draw, meld 1"
    table.swap(1, "Ac")
    assert (table.hand(), table.legal) == ("*", "draw")
    table = opened("Qc Qd Ac", "Qh", f"{OPEN} | {OTHER}").play("take Qh").lay("Qc Qd Qh")
    assert table.legal == "meld 1, discard Ac"
    assert table.play("meld 1").legal == "swap Ac"
    assert table.play("swap Ac", "close").legal == "discard *"


# ----------------------------------------------------------------------------------------------------------------- discard


def test_the_discard_ends_the_turn_and_lies_on_top_of_the_bank():
    table = Table(["2c 9c", None, None], bank="4c 8h", stock="Kd").play("draw", "discard 9c")
    assert (table.bank, table.seat, table.phase, table.hand()) == ("4c 8h 9c", 1, Phase.START, "2c Kd")


def test_turns_go_round():
    table = Table(players=3, turn=2).play("draw", "discard Ac")
    assert (table.seat, table.phase) == (0, Phase.START)


def test_a_joker_may_be_discarded():
    table = Table("2c *", stock="Kd").play("draw")
    assert table.legal == "discard 2c, discard Kd, discard *"
    assert table.play("discard *").bank == "4c *"


def test_a_card_drawn_or_taken_may_be_discarded_again():
    assert Table("2c", stock="Kd").play("draw", "discard Kd").bank == "4c Kd"
    table = opened("3d 4d 9s 8h", "5d Jc").play("take 5d").lay("3d 4d 5d").play("discard Jc")
    assert table.bank == "Jc"


def test_nothing_may_be_laid_that_leaves_no_card_to_discard():
    table = Table("Qc Qd", OPEN, stock="Qh").play("draw")
    assert table.legal == "discard Qc, discard Qd, discard Qh"
    assert Table("Qc Qd 9s", OPEN, stock="Qh").play("draw").offered("put") == "Qc"
    table = Table("Qc Qd Qs", OPEN, stock="Qh").play("draw")
    assert table.combinations == ["Qc Qd Qh", "Qc Qd Qs", "Qc Qh Qs", "Qd Qh Qs"]
    table = Table("7s", OPEN, stock="7s").play("draw", "meld 0", "put 7s", "close")
    assert table.legal == "discard 7s"
    table = Table("6d 7d", f"{OPEN} | 1: 3d 4d 5d", stock="8d").play("draw", "meld 1", "put 6d", "put 7d")
    assert table.legal == "close"


def test_a_hand_without_a_card_is_never_reached_but_by_a_discard():
    table = Table("Qc Qd Qs * ", OPEN, stock="*").play("draw")
    table.play("put Qc", "put Qd", "put *=Qh", "put *=Qh")
    assert table.legal == "close"
    assert table.play("close").legal == "discard Qs"


# ---------------------------------------------------------------------------------------------------------------- building


@pytest.mark.parametrize(
    ("hand", "steps"),
    [
        ("5d 6d 7d 9c", ["5d", "6d", "7d", ""]),
        ("5d 6d 7d 8d 9c", ["5d, 6d", "6d", "7d", "8d"]),
        ("5c 5d 5h 9s", ["5c", "5d", "5h", ""]),
        ("5c 5d 5h 5s 9s", ["5c, 5d", "5d, 5h", "5h, 5s", "5s"]),
        ("5c 5d * 9s", ["5c", "5d", "*=5h", ""]),
        ("5c 5h * 9s", ["5c", "5h", "*=5d", ""]),
        ("5d 5h * * 9s", ["5d", "5h", "*=5c", "*=5c"]),
        ("5c 5d 5s * 9h", ["5c, 5d", "5d, 5s", "5s, *=5h", "*=5h"]),
        ("Kd Ad 2d 9c", ["Kd", "Ad", "2d", ""]),
        ("5d 7d * 9c", ["5d", "*=6d", "7d", ""]),
    ],
)
def test_runs_are_put_from_their_first_card_and_sets_in_the_order_of_suits(hand, steps):
    """Each step is what is offered; the first of it is put."""
    table = laying(hand, "1: 8c 8d 8h", stock="Ks")
    for step in steps:
        assert table.offered("put") == step
        if step:
            table.play(f"put {step.split(', ')[0]}")
    assert "close" in table.legal


def test_close_is_a_decision_of_its_own():
    table = laying("5d 6d 7d 8d 9c").play("put 5d", "put 6d")
    assert table.legal == "put 7d"
    assert table.play("put 7d").legal == "put 8d, close"
    assert table.play("put 8d").legal == "close"
    assert table.play("close").phase == Phase.LAY


def test_while_a_combination_is_built_it_is_gone_on_with_or_closed():
    table = laying("5d 6d 7d 7s 9c").play("put 5d", "put 6d", "put 7d")
    assert table.legal == "close"


@pytest.mark.parametrize(("naturals", "name"), [("c d", "h"), ("c h", "d"), ("d h", "c"), ("c s", "d"), ("c d h", "s"), ("d h s", "c")])
def test_a_joker_of_a_set_is_named_after_the_first_suit_that_no_natural_card_has(naturals, name):
    cards = [f"5{suit}" for suit in naturals.split()]
    table = laying(" ".join([*cards, "* * 9d"])).play(*(f"put {card}" for card in cards))
    assert table.offered("put").split(", ")[-1] == f"*=5{name}"
    table.play(f"put *=5{name}")
    assert table.offered("put") == ("" if len(cards) == 3 else f"*=5{name}")
    assert table.play("close").table.endswith(f"0: {' '.join(cards)} *")
    assert (
        laying("* 9d", f"1: {' '.join(cards)} *" if len(cards) == 2 else f"1: {' '.join(cards)}").play("meld 0").legal == f"put *=5{name}"
    )


def test_jokers_are_counted_as_cards_of_the_hand():
    assert laying("* *", stock="5c").offered("put") == ""
    assert laying("* 5d", stock="5c").combinations == []
    assert laying("* 5d 9s", stock="5c").combinations == ["5c 5d *"]
