"""The rules of Kunken, sentence by sentence of RULES.md: positions and what may be done in them, in the text notation.

Unless a table says otherwise seat 0 is in turn, has the hand that is named, and the other hands are of no use.
"""

from pathlib import Path

import numpy as np
import pytest
from kunken_positions import FILLER, KUNKEN, OPEN, OTHER, Table, fresh_deal, full_deck, laying, opened, points, run_from, words

from penzoo.envs import kunken
from penzoo.envs.batch import Batch
from penzoo.envs.kunken.state import CARDS, Duty, Phase

PLAYERS = range(2, 6)
NUMBERS = {"7": 7, "8": 8}  # as the worked cases count the other cards
KINGS = "Kc Kd Kh"


def bare(cards: str) -> str:
    """The cards themselves, jokers without what they stand for."""
    return " ".join(name.split("=")[0] for name in cards.split())


# ------------------------------------------------------------------------------------------------------------- worked cases

# The worked cases that begin with a choice: the named part of the hand, the others, the bank, whether it has opened, legal.
WORKED_CASES = [
    ("Kc Kd Kh 3d 4d 6d", "8c Tc Qh 5h 7h 3s Js", "9s 5d 2c", False, "draw, take 5d"),
    ("Kc Kd Kh 3d 4d", "8c Tc Qh 5h 7h 3s Js 9s", "5d", False, "draw"),
    ("Kc Kd Kh 3d 4d *", "8c Tc Qh 5h 7h 3s Js", "5d", False, "draw, take 5d"),
    ("Qs * 8c", "", "As", True, "draw, take As"),
    ("Qs *", "", "As", True, "draw"),
]


@pytest.mark.parametrize(("hand", "more", "bank", "has_opened", "legal"), WORKED_CASES)
def test_worked_cases_of_the_page(hand, more, bank, has_opened, legal):
    table = Table(f"{hand} {more}", OPEN if has_opened else "", bank)
    assert table.legal == legal
    assert has_opened or table.state["hand_size"][0] == 13


def test_worked_cases_are_those_of_the_page():
    page = (Path(kunken.__file__).parent / "RULES.md").read_text(encoding="utf-8")
    rows = page.split("## Worked cases")[1].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert len(cells) == len(WORKED_CASES) + 4
    for (hand, bank, _), (named, more, pile, has_opened, _) in zip(cells, WORKED_CASES, strict=False):
        assert hand.startswith("opened; ") == has_opened
        own, _, others = hand.removeprefix("opened; ").partition(" + ")
        assert (own, bank) == (named, pile)
        assert len(more.split()) == (NUMBERS[others[0]] if others else 0)
    assert [cell[0] for cell in cells[len(WORKED_CASES) :]] == [
        "Kd Ad 2d …",
        "2h * * * 6h 7h",
        "5d 5h * *",
        "Ac; another's set Ah Ad *",
    ]


def worked(number: int, **options) -> Table:
    hand, more, bank, has_opened, _ = WORKED_CASES[number]
    return Table(f"{hand} {more}", OPEN if has_opened else "", bank, **options)


def test_worked_case_three_kings_and_four_diamonds_make_fifty_and_2c_may_not_count():
    table = worked(0).play("take 5d")
    assert (table.bank, table.aside, table.combinations) == ("9s", "2c", ["3d 4d 5d 6d", KINGS])
    table.lay("3d 4d 5d 6d")
    assert (table.opened, table.combinations) == ([], [KINGS])
    table.lay(KINGS)
    assert (table.opened, table.laid, table.aside) == ([0], [50, 0], "")
    assert table.offered("discard") == "2c, 8c, Tc, 5h, 7h, Qh, 3s, Js"


def test_worked_case_what_comes_along_would_make_fifty_but_may_not_count():
    hand = "Kc Kd Kh 3d 4d 8c Tc Qh 5h 7h 3s Js 9s"
    assert Table(hand, bank="5d 6d").legal == "draw"  # 3-4-5-6 with the 6d that comes along
    assert Table(f"{hand[:-2]}6d", bank="5d").legal == "draw, take 5d"


def test_worked_case_a_joker_as_6d_one_of_four():
    table = worked(2).play("take 5d").lay("3d 4d 5d *=6d", KINGS)
    assert (table.opened, table.laid) == ([0], [50, 0])


def test_worked_case_a_run_with_a_joker_leaves_one_card_and_wins():
    table = worked(3).play("take As")
    assert table.combinations == ["Qs *=Ks As"]
    table.lay("Qs *=Ks As")
    assert (table.legal, table.laid) == ("discard 8c", [45, 0])
    table.play("discard 8c")
    assert (table.end, table.winner, table.is_express) == ("terminated", 0, False)


def test_worked_case_k_a_2_is_a_run():
    assert laying("Kd Ad 2d").combinations == ["Kd Ad 2d"]


def test_worked_case_a_run_of_six_with_three_jokers_cannot_be_split():
    run = "2h *=3h *=4h *=5h 6h 7h"
    table = laying("2h * * * 6h 7h", stock="9c")
    assert table.can_lay(run)
    assert [text for text in table.combinations if "2h" in text.split()] == [run]
    assert not table.can_lay("2h *=3h *=4h") and not table.can_lay("2h *=3h *=4h *=5h 6h")


@pytest.mark.parametrize(("needed", "legal"), [(30, "draw, take 2h"), (31, "draw")])
def test_worked_case_a_run_of_six_with_three_jokers_is_found_for_the_opening(needed, legal):
    table = Table("* * * 6h 7h Tc Ts 8c 9d Js Qd Kc Ad", bank="2h", opening_points=needed)
    assert table.legal == legal
    if "take" in legal:
        assert table.play("take 2h").combinations == ["2h *=3h *=4h *=5h 6h 7h"]


def test_worked_case_two_jokers_of_four_and_not_of_three():
    assert "5d 5h * *" in laying("5d 5h * *").combinations
    assert laying("5d * *").combinations == []


@pytest.mark.parametrize("card", ["Ac", "As"])
def test_worked_case_a_joker_of_anothers_set_is_swapped_for_either_suit(card):
    table = opened(f"{card} 8c 9d", table=f"{OPEN} | {OTHER}")
    assert table.legal == "draw, meld 1"
    assert table.play("meld 1").legal == f"swap {card}"
    table.play(f"swap {card}", "close")
    assert (table.hand(), table.laid, table.seat) == ("8c 9d *", [15, 30], 0)


# -------------------------------------------------------------------------------------------------------------------- deal


@pytest.mark.parametrize(("options", "size"), [({}, 108), ({"jokers": 0}, 104), ({"jokers": 6}, 110)])
def test_two_packs_and_four_jokers_by_default(options, size):
    deck = full_deck(Batch(KUNKEN, 1, **options))
    assert len(deck) == size
    assert [deck.count(card) for card in CARDS] == [2] * 52 + [size - 104]


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("players", PLAYERS)
def test_thirteen_cards_each_beginning_after_the_dealer_and_one_card_in_the_bank(players, dealer):
    rng = np.random.default_rng(players)
    deck = [str(card) for card in rng.permutation(full_deck(Batch(KUNKEN, 1, num_players=players)))]
    table = fresh_deal(players, deck, dealer)
    for turn in range(players):
        packet = deck[13 * turn : 13 * turn + 13]
        assert table.hand((dealer + 1 + turn) % players) == " ".join(sorted(packet, key=CARDS.index))
    assert table.bank == deck[13 * players]
    assert table.stock.split() == deck[13 * players + 1 :]
    assert (table.seat, table.table, table.laid, table.opened) == ((dealer + 1) % players, "", [0] * players, [])


@pytest.mark.parametrize("players", PLAYERS)
def test_the_deal_passes_to_the_next_seat(players):
    table = fresh_deal(players, dealer=players - 1)
    assert KUNKEN.functions.next_dealer(table.state) == 0
    assert KUNKEN.functions.next_dealer(fresh_deal(players).state) == 1


def test_two_to_five_players():
    assert (KUNKEN.min_players, KUNKEN.max_players) == (2, 5)
    for players in (1, 6):
        with pytest.raises(ValueError, match="2 to 5 players"):
            Batch(KUNKEN, 1, num_players=players)


def test_options_have_the_defaults_of_the_page():
    defaults = {
        "jokers": 4,
        "ten_is_honour": False,
        "lay_on_draw": "opened",
        "opening_points": 50,
        "swap_own_jokers": False,
        "stock_out": "end",
        "max_moves": 2000,
        "reward": "zero_sum",
    }
    assert {name: value for name, value in KUNKEN.complete_options({}).items() if name in defaults} == defaults


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("jokers", 7),
        ("jokers", -1),
        ("opening_points", 151),
        ("opening_points", -1),
        ("lay_on_draw", "always"),
        ("stock_out", "reshuffle"),
        ("reward", "points"),
        ("ten_is_honour", 2),
    ],
)
def test_other_values_of_the_options_are_refused(name, value):
    with pytest.raises(ValueError, match=name):
        Batch(KUNKEN, 1, **{name: value})


# ------------------------------------------------------------------------------------------------------------ combinations


@pytest.mark.parametrize(
    ("cards", "is_good"),
    [
        ("5c 5d 5h", True),
        ("5c 5h 5s", True),
        ("5c 5d 5h 5s", True),
        ("5c 5d", False),
        ("5c 5c 5d", False),
        ("5c 5d 5d", False),
        ("5c 5d 5h 5h", False),
        ("5c 5d 6h", False),
        ("5c 5d *=5h", True),
        ("5c 5d 5h *=5s", True),
        ("5c 5d *=5h *=5h", True),
        ("5c *=5d *=5d", False),
        ("5c *=5d *=5d *=5d", False),
        ("5c 5d 5h 5s *=5c", False),
        ("5c 5d 5h *=5s *=5s", False),
        ("5c 6c 7c", True),
        ("5c 6c", False),
        ("5c 6c 7d", False),
        ("5c 6c 8c", False),
        ("5c 6d 7h", False),
        ("Qc Kc Ac", True),
        ("Kc Ac 2c", True),
        ("Jc Qc Kc Ac 2c 3c", True),
        ("Tc Jc Qc", True),
        ("9c Tc Jc", True),
        ("9c Jc Qc", False),
        ("*=5c 6c 7c", True),
        ("5c *=6c 7c", True),
        ("5c 6c *=7c", True),
        ("*=Kc Ac 2c", True),
        ("*=5c *=6c 7c", False),
        ("5c *=6c *=7c", False),
        ("*=5c *=6c 7c 8c", True),
        ("5c *=6c *=7c 8c", True),
        ("*=5c 6c 7c *=8c", True),
        ("*=5c 6c *=7c 8c *=9c Tc", True),
        ("*=5c *=6c *=7c 8c 9c", False),
        ("*=Kc *=Ac *=2c 3c 4c 5c", True),
    ],
)
def test_sets_and_runs(cards, is_good):
    assert laying(f"{bare(cards)} 9d").can_lay(cards) == is_good


@pytest.mark.parametrize("suit", "cdhs")
@pytest.mark.parametrize("first", range(13))
def test_runs_go_round(first, suit):
    cards = run_from(first, 3, suit)
    assert cards in laying(cards, stock="9d").combinations


MOST_JOKERS = [(size, size // 2) for size in range(3, 14)]


@pytest.mark.parametrize(("size", "most"), MOST_JOKERS)
def test_jokers_are_at_most_half_of_a_run(size, most):
    hand = f"{run_from(4, size)} * * * * * *"
    for place in (0, size - most):  # the jokers together at one end or the other
        assert laying(hand, stock="9c", jokers=6).can_lay(run_from(4, size, jokers=tuple(range(place, place + most))))
    if most < 6:
        assert not laying(hand, stock="9c", jokers=6).can_lay(run_from(4, size, jokers=tuple(range(most + 1))))


@pytest.mark.parametrize("first", range(13))
def test_a_run_of_thirteen_may_begin_anywhere_and_a_fourteenth_card_never_fits(first):
    run = run_from(first, 13)
    table = laying(f"{run} {run} * *", "")
    table.play(*(f"put {card}" for card in run.split()))
    assert table.legal == "close"
    table.play("close")
    assert (table.table, table.offered("meld")) == (f"0: {run}", "")


def test_all_but_the_run_of_thirteen_are_built_in_one_way_only():
    found = laying(run_from(0, 13), stock="9s").combinations
    runs = {run_from(first, size) for size in range(3, 14) for first in range(13)}
    assert len(found) == len(set(found)) == 13 * 11
    assert set(found) == runs


@pytest.mark.parametrize(
    ("hand", "combinations"),
    [
        ("5c 5d 5h 5s", ["5c 5d 5h", "5c 5d 5h 5s", "5c 5d 5s", "5c 5h 5s", "5d 5h 5s"]),
        ("5c 5d 5h *", ["5c 5d *", "5c 5d 5h", "5c 5d 5h *", "5c 5h *", "5d 5h *"]),
        ("5c 5d * *", ["5c 5d *", "5c 5d * *"]),
        ("5c 5c 5d *", ["5c 5d *"]),
        ("5c 6c 7c 5d 5h", ["5c 5d 5h", "5c 6c 7c"]),
        ("5c 6c *", ["*=4c 5c 6c", "5c 6c *=7c"]),
        ("5c 7c *", ["5c *=6c 7c"]),
        ("5c 8c *", []),
        ("5c 8c * *", ["5c *=6c *=7c 8c"]),
        (
            "5c 6c 7c *",
            ["*=4c 5c 6c", "*=4c 5c 6c 7c", "*=5c 6c 7c", "5c *=6c 7c", "5c 6c *=7c", "5c 6c 7c", "5c 6c 7c *=8c", "6c 7c *=8c"],
        ),
        ("* * * *", []),
        ("5c * * *", []),
    ],
)
def test_each_combination_is_built_in_one_way(hand, combinations):
    assert laying(hand, stock="9s").combinations == combinations


@pytest.mark.parametrize("hand", ["5c 5d 5h 5s * * *", "Kc Ac 2c 4c 5c * * * Kd Kh", "9d Td Jd 9h Th Jh 9s * *"])
def test_no_combination_can_be_built_in_two_ways(hand):
    found = laying(hand, stock="3s").combinations
    assert len(found) == len(set(found)) > 10


# --------------------------------------------------------------------------------------------------------- points of cards


@pytest.mark.parametrize(
    ("cards", "laid", "with_honours"),
    [
        ("Qc Kc Ac", 30, 30),
        ("9c Tc Jc", 20, 25),
        ("2d 3d 4d", 15, 15),
        ("Kd Ad 2d", 25, 25),
        ("Tc Td Th", 15, 30),
        ("*=Ks As 2s", 25, 25),
        ("*=3s 4s 5s", 15, 15),
        ("8s 9s *=Ts", 15, 20),
        ("Ah As *=Ac", 30, 30),
        ("5d 5h *=5c *=5c", 20, 20),
        ("Jd Jh *=Jc *=Jc", 40, 40),
        (run_from(0, 13), 85, 90),
    ],
)
def test_honours_count_ten_low_cards_five_and_jokers_as_what_they_stand_for(cards, laid, with_honours):
    for is_honour, expected in ((False, laid), (True, with_honours)):
        table = laying(bare(cards), laid=[0], ten_is_honour=is_honour).lay(cards)
        assert table.laid == [expected, 0]
        assert table.laid[0] == points(cards, "ATJQK" if is_honour else "AJQK")


def test_ten_is_honour_counts_for_the_opening():
    hand = "Tc Td Kc Kd 3h 5h 7s 9s 2s 4d 6d 8c Ah"
    assert Table(f"{hand[:-2]}Kh", bank="Th").legal == "draw"  # 15 + 30
    assert Table(f"{hand[:-2]}Kh", bank="Th", ten_is_honour=True).legal == "draw, take Th"


# -------------------------------------------------------------------------------------------------------------------- draw


def test_draw_takes_the_top_card_of_the_stock_and_one_card_is_discarded():
    table = Table("Kc Kd Kh Qc Qd Qh 3s", stock="2c 9h").play("draw")
    assert (table.hand(), table.stock) == ("2c Qc Kc Qd Kd Qh Kh 3s", "9h")
    assert table.legal == "discard 2c, discard Qc, discard Kc, discard Qd, discard Kd, discard Qh, discard Kh, discard 3s"
    table.play("discard Kd")
    assert (table.bank, table.seat, table.phase, table.hand()) == ("4c Kd", 1, Phase.START, "2c Qc Kc Qd Qh Kh 3s")


def test_after_a_draw_the_card_drawn_may_be_laid_by_one_who_has_opened():
    table = opened("Qc Qd 8s 9h", table=f"{OPEN} | 1: 3h 4h 5h", stock="Qh").play("draw")
    assert table.legal == "put Qc, discard Qc, discard Qd, discard 9h, discard Qh, discard 8s"
    assert table.lay("Qc Qd Qh").laid == [45, 15]
    table = opened("Qc Qd 8s 9h", table=f"{OPEN} | 1: 3h 4h 5h", stock="6h").play("draw")
    assert (table.offered("put"), table.offered("meld")) == ("", "1")


def test_lay_on_draw_never_lets_only_jokers_be_swapped():
    hand, combinations = "Ac Qc Qd Qh 7s 9h", f"{OPEN} | {OTHER}"
    table = opened(hand, table=combinations, stock="6h", lay_on_draw="never").play("draw")
    assert table.legal == "meld 1, discard Ac, discard Qc, discard Qd, discard 6h, discard 9h, discard Qh, discard 7s"
    assert table.play("meld 1").legal == "swap Ac"
    table.play("swap Ac")
    assert table.legal == "close"
    table.play("close")
    assert table.legal == "discard Qc, discard Qd, discard 6h, discard 9h, discard Qh, discard 7s, discard *"
    table = opened(hand, table=combinations, stock="6h").play("draw")
    assert (table.offered("put"), table.offered("meld")) == ("Qc", "0, 1")


def test_lay_on_draw_never_lets_everything_be_laid_after_a_take():
    table = opened("Qc Qd 7s 9h", "Qh", lay_on_draw="never").play("take Qh").lay("Qc Qd Qh").add(0, "7s").play("discard 9h")
    assert (table.end, table.winner) == ("terminated", 0)


def test_lay_on_draw_never_leaves_one_with_a_single_card_without_an_end():
    table = opened("7s", lay_on_draw="never", stock="9h 9c 9d").play("draw")
    assert table.legal == "discard 9h, discard 7s"
    assert opened("7s", stock="9h").play("draw").offered("meld") == "0"


def test_lay_on_draw_never_gives_nothing_to_one_who_has_not_opened():
    table = Table("Kc Kd Kh Qc Qd Qh 3s", OTHER, stock="2c", lay_on_draw="never").play("draw")
    assert {name.split()[0] for name in words(table.legal)} == {"discard"}


def test_lay_on_draw_any_opens_from_the_hand_with_the_card_drawn():
    table = Table("Kc Kd Kh 3d 4d 6d 9s", stock="5d", lay_on_draw="any").play("draw")
    assert (table.offered("put"), table.offered("discard")) == ("Kc, 3d", "Kc, 3d, 4d, 5d, 6d, Kd, Kh, 9s")
    assert table.combinations == ["3d 4d 5d 6d", KINGS]
    table.lay(KINGS)
    assert (table.legal, table.opened, table.duty) == ("put 3d", [], Duty.OPENING)  # once begun, the 50 must be reached
    table.lay("3d 4d 5d 6d")
    assert (table.legal, table.opened, table.duty) == ("discard 9s", [0], Duty.NONE)
    assert Table("Kc Kd Kh 3d 4d 5d 9s", stock="2s", lay_on_draw="any").play("draw").offered("put") == ""  # 45


def test_lay_on_draw_any_keeps_a_card_to_discard():
    assert Table("Kc Kd Kh 3d 4d 6d", stock="5d", lay_on_draw="any").play("draw").offered("put") == ""
    assert Table("Kc Kd Kh Ks 3d 4d 6d", stock="5d", lay_on_draw="any").play("draw").offered("put") == "Kc, 3d, 4d, Kd"


def test_lay_on_draw_any_lets_nobody_add_or_swap_before_the_opening():
    table = Table("Ac As Kc Kd Kh 3d 4d 6d 9s", OTHER, stock="5d", lay_on_draw="any").play("draw")
    assert table.offered("meld") == ""
    assert table.lay(KINGS).offered("meld") == ""
    assert table.lay("3d 4d 5d 6d").offered("meld") == "0"


def test_lay_on_draw_any_leaves_open_whether_to_open():
    table = Table("Kc Kd Kh 3d 4d 6d 9s", stock="5d", lay_on_draw="any").play("draw", "discard 9s")
    assert (table.seat, table.opened) == (1, [])


def test_lay_on_draw_any_lets_more_be_laid_once_opened():
    table = Table("Kc Kd Kh 3d 4d 6d Ac 8h 9s", OTHER, stock="5d", lay_on_draw="any").play("draw").lay(KINGS, "3d 4d 5d 6d")
    assert table.legal == "meld 0, discard Ac, discard 8h, discard 9s"
    assert table.play("meld 0").legal == "put Ac, swap Ac"


def test_lay_on_draw_any_with_opening_points_0_opens_with_one_combination():
    table = Table("5c 5d 5h 2h 4d 9s", stock="Js", lay_on_draw="any", opening_points=0).play("draw")
    assert table.combinations == ["5c 5d 5h"]
    assert table.lay("5c 5d 5h").opened == [0]


def test_lay_on_draw_any_is_as_opened_for_one_who_has_opened():
    hand, combinations = "Ac Qc Qd Qh 7s 9h", f"{OPEN} | {OTHER}"
    tables = [opened(hand, table=combinations, lay_on_draw=value).play("draw") for value in ("opened", "any")]
    assert tables[0].legal == tables[1].legal


# -------------------------------------------------------------------------------------------------------------------- take


def test_take_brings_the_card_and_all_above_it_and_the_bank_keeps_those_below():
    table = opened("5c 5d 9s", "2c Kh 5h Jd *").play("take 5h")
    assert (table.hand(), table.bank, table.aside) == ("5c 5d Jd 5h 9s *", "2c Kh", "Jd *")


def test_take_names_each_card_of_the_bank_that_fits():
    table = opened("5c 5d Qs Ks 2s", "4d As 5h Js 9c")
    assert table.legal == "draw, take 5h, take As, take Js"
    assert opened("5c 5d Qs Ks 2s", "9c").legal == "draw"


def test_take_tells_the_copy_nearest_the_top_from_the_one_below_it():
    table = opened("5c 5d 9s", "5h 2c 5h Jd")
    assert table.legal == "draw, take 5h, take 5h 2"
    begin = table.batch.save()
    table.play("take 5h")
    assert (table.bank, table.hand(), table.aside) == ("5h 2c", "5c 5d Jd 5h 9s", "Jd")
    table.batch.restore(begin)
    table.play("take 5h 2")
    assert (table.bank, table.hand(), table.aside) == ("", "2c 5c 5d Jd 5h 5h 9s", "2c Jd 5h")


def test_take_names_jokers_from_the_top_down():
    table = opened("5c 5d 9s", "* 2h * * 8h * * *", jokers=6)
    assert table.legal == "draw, take *, take * 2, take * 3, take * 4, take * 5, take * 6"
    for copy, (bank, aside) in {
        "take *": ("* 2h * * 8h * *", ""),
        "take * 2": ("* 2h * * 8h *", "*"),
        "take * 3": ("* 2h * * 8h", "* *"),
        "take * 4": ("* 2h *", "8h * * *"),
        "take * 5": ("* 2h", "8h * * * *"),
        "take * 6": ("", "2h 8h * * * * *"),
    }.items():
        begin = table.batch.save()
        table.play(copy)
        assert (table.bank, table.aside) == (bank, aside)
        assert table.combinations == ["5c 5d *"]  # one joker only, the others wait
        table.batch.restore(begin)


@pytest.mark.parametrize("card", ["5h", "*"])
def test_a_copy_left_in_the_bank_becomes_the_one_nearest_the_top(card):
    table = Table(["5c 5d 9s 8h", "5c 5s 9h"], f"{OPEN} | 1: 3c 3d 3h", f"{card} 2c {card} Jd").play(f"take {card}")
    table.lay(f"5c 5d {card.replace('*', '*=5h')}").play("discard 9s")
    assert (table.bank, table.offered("take")) == (f"{card} 2c 9s", card)
    assert table.play(f"take {card}").bank == ""


def test_a_discard_of_the_second_copy_becomes_the_one_nearest_the_top():
    table = opened("5h 9s", "5h 2c", f"{OPEN} | 1: 3c 3d 3h").play("draw", "discard 5h")
    assert table.bank == "5h 2c 5h"
    table = Table([None, "5c 5d 9s"], f"{OPEN} | 1: 3c 3d 3h", "5h 2c 5h", turn=1)
    assert table.legal == "draw, take 5h, take 5h 2"


# ----------------------------------------------------------------------------------------------------------------- opening

REST = "8c Td 7h 9h Js 6s 2s 4s"  # of no use: no two of them are in a combination without a joker


def test_opening_counts_jokers_only_where_they_have_a_place():
    assert Table("Kc Kd * * 4s 9h", bank="Kh").legal == "draw"  # three kings with a joker 40; nothing to lay with the other
    assert Table("Kc Kd * * 4s 6s 9h", bank="Kh").legal == "draw, take Kh"
    assert Table("Kc Kd * * 4s 6s", bank="Kh").legal == "draw"  # but all would be laid


@pytest.mark.parametrize(
    ("hand", "bank", "takes"),
    [
        ("Kc Kd Qc Qd Qh", "Kh", "Kh"),  # 60, the named card's points counting
        ("Kc Kd 5c 5d 5h", "Kh", ""),  # 45
        ("Kc Kd 5c 5d 5h 5s", "Kh", "Kh"),  # 50
        ("Kc Kd Ks 5c 5d", "5h", ""),  # 45
        ("Kc Kd Ks 5c 5d *", "5h", "5h"),  # 40 + 15 or 30 + 20
        ("Kc Kd Ks Qc Qd Qs", "5h", ""),  # 60 without the named card
        ("Kc Kd Ks Qc Qd Qs", "Kh", "Kh"),
        ("Kc Kd Ks Qc Qd Qs 4h", "5h", ""),
        ("Kc Kd Ks Qc Qd Qs 4h 3h", "5h", "5h"),
        ("Tc Jc Qc Kc Ac", "2c", "2c"),  # one run of 50
        ("Jc Qc Kc Ac", "2c", ""),  # 45
        ("Jc Qc Kc Ac", "2c 3c", ""),  # 3c comes along with 2c
        ("Jc Qc Kc Ac 3c", "2c 3c", "2c"),  # with an own 3c
        ("Kc Kd Kc Kd Qc Qd", "Kh", ""),  # copies: one combination of three kings only, and no third queen
        ("Kc Kd Kc Kd Kh Qh", "Kh", "Kh"),  # two sets of three kings
        ("Kc Kd Qc Qd * *", "Kh", "Kh"),
    ],
)
def test_opening_takes_fifty_with_the_named_card_and_cards_of_the_hand(hand, bank, takes):
    more = " ".join(REST.split()[: 13 - len(hand.split())])
    assert Table(f"{hand} {more}", bank=bank).offered("take") == takes


def test_opening_uses_only_the_named_card_and_the_hand_as_it_was_until_it_is_met():
    table = Table(f"{KINGS} Qc Qd Qh 3d 4d 8c Tc 9h Js 6s", bank="5d 6d 2d").play("take 5d")
    assert (table.aside, table.duty) == ("2d 6d", Duty.OPENING)
    assert table.combinations == ["3d 4d 5d", KINGS, "Qc Qd Qh"]
    table.lay(KINGS, "Qc Qd Qh")
    assert (table.laid, table.opened, table.combinations) == ([60, 0], [], ["3d 4d 5d"])  # 50 are reached, the named card has not been laid
    table.play("put 3d", "put 4d", "put 5d")
    assert table.legal == "close"
    table.play("close")
    assert (table.opened, table.aside, table.duty) == ([0], "", Duty.NONE)
    assert table.add(2, "2d 6d").table == f"0: {KINGS} | 0: Qc Qd Qh | 0: 2d 3d 4d 5d 6d"


def test_opening_with_the_second_copy_uses_one_of_both():
    table = Table("Kc Kd Qc Qd Qh Ks 2s", bank="9c Kh 3c Kh")
    assert table.legal == "draw, take Kh, take Kh 2"
    table.play("take Kh 2")
    assert (table.bank, table.aside) == ("9c", "3c Kh")
    table.lay("Kc Kd Kh")
    assert table.combinations == ["Qc Qd Qh"]  # the other Kh waits
    assert table.lay("Qc Qd Qh").hand() == "3c Kh 2s Ks"


def test_opening_may_begin_with_the_named_card_and_must_go_on_to_fifty():
    table = Table(f"{KINGS} Qc Qd Qh 3d 4d 8c Tc 9h Js 6s", bank="5d").play("take 5d").lay("3d 4d 5d")
    assert (table.opened, table.duty, table.combinations) == ([], Duty.OPENING, [KINGS, "Qc Qd Qh"])
    table.lay("Qc Qd Qh")
    assert (table.opened, table.combinations) == ([], [KINGS])
    assert table.lay(KINGS).opened == [0]


def test_opening_offers_no_combination_that_leaves_the_fifty_out_of_reach():
    table = Table("Kc Kd Ks Qh Jh 5c 5d 3d 3s 7c 7s 9s 2s", bank="Kh").play("take Kh")
    assert table.combinations == ["Jh Qh Kh", "Kc Kd Ks"]  # four kings are 40, and leave no other combination
    assert table.play("put Kc").legal == "put Kd"
    assert table.play("put Kd").legal == "put Ks"


def test_between_combinations_of_the_opening_nothing_else_is_to_be_done():
    table = Table(f"{KINGS} Qc Qd Qh Ac 2d 3d 4d 9h Js 6s", OTHER, bank="5d").play("take 5d")
    assert {name.split()[0] for name in words(table.legal)} == {"put"}
    table.lay(KINGS)
    assert {name.split()[0] for name in words(table.legal)} == {"put"}
    table.lay("Qc Qd Qh", "3d 4d 5d")
    assert {name.split()[0] for name in words(table.legal)} == {"discard", "meld"}


def test_opening_keeps_a_card_to_discard_and_cards_taken_along_are_enough():
    hand = "Kc Kd Qc Qd Qh"
    assert Table(hand, bank="Kh").offered("take") == ""
    assert Table(f"{hand} 2s", bank="Kh").offered("take") == "Kh"
    table = Table(hand, bank="Kh 9s").play("take Kh").lay(KINGS, "Qc Qd Qh")
    assert (table.opened, table.legal) == ([0], "discard 9s")


def test_opening_keeps_a_card_though_more_could_be_laid():
    table = Table("Kc Kd Ks Qc Qd Qh", bank="Kh").play("take Kh")
    assert table.combinations == ["Kc Kd Kh", "Kc Kh Ks", "Kd Kh Ks", "Qc Qd Qh"]


@pytest.mark.parametrize("points_needed", [0, 5, 15])
def test_opening_points_0_needs_one_combination_with_the_named_card(points_needed):
    table = Table(f"3d 4d {REST}", bank="9d 5d", opening_points=points_needed)
    assert table.offered("take") == "5d"
    table.play("take 5d")
    assert table.combinations == ["3d 4d 5d"]
    assert table.lay("3d 4d 5d").opened == [0]


def test_opening_points_0_lets_the_named_card_come_later():
    table = Table(f"3d 4d {KINGS} {REST}", bank="5d", opening_points=0).play("take 5d")
    assert table.combinations == ["3d 4d 5d", KINGS]
    assert table.lay(KINGS).opened == []
    assert table.combinations == ["3d 4d 5d"]
    assert table.lay("3d 4d 5d").opened == [0]


@pytest.mark.parametrize(
    ("bank", "needed", "takes"),
    [("Kh 9s", 140, "Kh"), ("Kh 9s", 141, ""), ("Kh 9s", 150, ""), ("Kh", 130, "Kh"), ("Kh", 131, "")],
)
def test_opening_points_up_to_150(bank, needed, takes):
    # four jacks, four queens, three aces and three kings, the named one among them: fourteen cards of ten
    hand = "Jc Jd Jh Js Qc Qd Qh Qs Ac Ad Ah Kc Kd"
    table = Table(hand, bank=bank, opening_points=needed)
    assert table.offered("take") == takes
    if bank == "Kh 9s" and takes:
        table.play("take Kh").lay("Jc Jd Jh Js", "Qc Qd Qh Qs", "Ac Ad Ah")
        assert (table.opened, table.combinations) == ([], [KINGS])
        assert table.lay(KINGS).laid == [140, 0]


def test_a_joker_may_stand_for_a_card_that_is_held():
    # 5c for three fives; in 4-5-6 of clubs a joker for it
    table = Table("4c 6c 5c 5d * Qc Qd Qh 9h 9s Js 2s 7h", bank="5h", opening_points=60).play("take 5h")
    assert table.lay("4c *=5c 6c", "5c 5d 5h", "Qc Qd Qh").laid == [60, 0]


@pytest.mark.parametrize(("needed", "legal"), [(60, "draw, take 5h"), (61, "draw")])
def test_a_joker_for_a_card_that_is_held_may_be_the_only_way_to_open(needed, legal):
    table = Table("4c 5c 6c * * Qc Qd Qh 9h 2s 7d Js", bank="5h", opening_points=needed)
    assert table.legal == legal
    if "take" in legal:
        table.play("take 5h")
        assert table.combinations == ["4c *=5c 6c", "5c 5h *", "Qc Qd Qh"]


# --------------------------------------------------------------------------------------------------- the third to two in hand


@pytest.mark.parametrize(
    ("hand", "bank", "takes"),
    [
        ("3d 4d 9s", "5d", "5d"),
        ("4d 6d 9s", "5d", "5d"),
        ("6d 7d 9s", "5d", "5d"),
        ("5c 5h 9s", "5d", "5d"),
        ("5c 5d 9s", "5d", ""),
        ("3d 5h 9s", "5d", ""),
        ("3d 6d 9s", "5d", ""),
        ("3d 6d * 9s", "5d", "5d"),
        ("2d 8d * 9s", "5d", ""),
        ("4d * 9s", "5d", "5d"),
        ("* * 9s", "5d", ""),
        ("2d * * 9s", "5d", "5d"),
        ("8d * * 9s", "5d", "5d"),
        ("9d * * 9s", "5d", ""),
        ("8d 9d * * 3s", "5d", "5d"),
        ("Qd * 9s", "Ad", "Ad"),
        ("2d * 9s", "Kd", "Kd"),
        ("3d 4d 6d 8d 9d * * 2s", "Jd", "Jd"),
        ("3d 9s", "5d 4d", ""),  # 4d comes along, and waits
        ("3d 4d 9s", "6d 5d", "5d"),  # and 5d, when 6d is named
    ],
)
def test_take_once_opened_needs_the_card_as_the_third_to_two_in_hand(hand, bank, takes):
    assert opened(hand, bank).offered("take") == takes


def test_take_is_not_offered_for_what_only_fits_onto_the_table():
    assert opened("8c Td", "7s").legal == "draw"
    assert opened("8c Td", "5d", f"{OPEN} | 0: 2d 3d 4d").legal == "draw"


def test_the_first_combination_holds_the_named_card_and_cards_that_were_in_hand():
    table = opened("3d 4d 6d Qc Qd Qh 9s", "5d 7d 2d").play("take 5d")
    assert (table.duty, table.aside) == (Duty.THIRD, "2d 7d")
    assert table.combinations == ["3d 4d 5d", "3d 4d 5d 6d", "4d 5d 6d"]  # of any length; neither queens first nor 2d or 7d
    table.lay("4d 5d 6d")
    assert (table.duty, table.aside, table.hand()) == (Duty.NONE, "", "Qc 2d 3d 7d Qd Qh 9s")
    assert table.offered("put") == "Qc"
    assert table.add(1, "3d 2d 7d").table == f"{OPEN} | 0: 2d 3d 4d 5d 6d 7d"


def test_nothing_but_a_new_combination_before_the_duty_is_met():
    table = opened("3d 4d Ac 7s 9s", "5d", f"{OPEN} | {OTHER}").play("take 5d")
    assert table.legal == "put 3d"
    assert table.play("put 3d").legal == "put 4d"
    assert table.play("put 4d").legal == "put 5d"
    assert table.play("put 5d").legal == "close"
    assert table.play("close").legal == "meld 0, meld 1, discard Ac, discard 7s, discard 9s"


def test_the_duty_leaves_a_card_to_discard():
    assert opened("3d 4d", "5d").legal == "draw"
    assert opened("3d 4d 9s", "5d").legal == "draw, take 5d"
    assert opened("3d 4d", "5d 9s").legal == "draw, take 5d"  # 9s comes along
    table = opened("3d 4d 6d", "5d").play("take 5d")
    assert table.combinations == ["3d 4d 5d", "4d 5d 6d"]
    assert opened("3d 4d 6d", "5d 9s").play("take 5d").combinations == ["3d 4d 5d", "3d 4d 5d 6d", "4d 5d 6d"]


def test_a_joker_that_stands_for_the_named_card_does_not_serve():
    table = opened("3d 4d * 9s", "5d").play("take 5d")
    assert table.play("put 3d", "put 4d").legal == "put 5d"
    table = opened("5c 5h * 9s", "5d").play("take 5d")
    assert table.combinations == ["5c 5d *", "5c 5d 5h", "5c 5d 5h *", "5d 5h *"]


def test_any_copy_serves_as_the_named_card():
    table = opened("3d 4d 5d 5c 5h 9s", "5d").play("take 5d")
    assert set(table.combinations) == {"3d 4d 5d", "5c 5d 5h"}
    table.lay("5c 5d 5h")
    assert table.duty == Duty.NONE
    assert table.can_lay("3d 4d 5d")


def test_of_two_copies_taken_one_may_be_used_before_the_duty_is_met():
    table = opened("3d 4d 5c 5h 9s", "5d 5d").play("take 5d 2")
    assert table.aside == "5d"
    assert set(table.combinations) == {"3d 4d 5d", "5c 5d 5h"}
    table.lay("5c 5d 5h")
    assert (table.aside, table.combinations) == ("", ["3d 4d 5d"])


def test_for_a_named_joker_any_joker_serves_and_it_must_be_in_the_combination():
    table = opened("5c 5d 5h 9s", "*").play("take *")
    assert table.combinations == ["5c 5d *", "5c 5d 5h *", "5c 5h *", "5d 5h *"]
    assert opened("5c 9s", "*").offered("take") == ""
    assert opened("5c 6c 9s", "*").play("take *").combinations == ["*=4c 5c 6c", "5c 6c *=7c"]
    table = opened("5c 5d * 9s", "*").play("take *")
    assert table.combinations == ["5c 5d *", "5c 5d * *"]


def test_a_joker_named_beside_another_uses_as_many_as_were_there_and_one():
    table = opened("5c 5d 9s", "* *").play("take * 2")
    assert (table.aside, table.combinations) == ("*", ["5c 5d *"])
    table = opened("5c 5d * 9s", "* *").play("take * 2")
    assert (table.aside, table.combinations) == ("*", ["5c 5d *", "5c 5d * *"])


def test_a_joker_as_the_named_card_opens():
    table = Table("Kc Kd Qc Qd Qh 8c 7h 9h Js 6s 2s 4s 3d", bank="9c *")
    assert table.legal == "draw, take *"
    table.play("take *").lay("Qc Qd Qh")
    assert set(table.combinations) == {"Kc Kd *"}
    assert table.lay("Kc Kd *=Kh").opened == [0]
    assert Table("Kc Kd Kh Qc Qd Qh 8c 7h 9h Js 6s 2s 4s", bank="*").play("take *").lay("Kc Kd Kh").opened == []


# --------------------------------------------------------------------------------------- no jokers, more jokers; hands of use


def test_filler_is_of_no_use():
    assert Table(FILLER, opened=[0], stock="9c").play("draw").combinations == []


def test_without_jokers_the_deck_has_none_and_with_six_it_has_six():
    for jokers in (0, 4, 6):
        table = fresh_deal(5, jokers=jokers)
        places = [table.bank, table.stock, *(table.hand(seat) for seat in range(5))]
        assert " ".join(places).split().count("*") == jokers


def test_a_run_of_twelve_with_six_jokers():
    run = run_from(0, 12, jokers=(0, 1, 2, 3, 4, 5))
    assert laying(f"{bare(run)} 9c", jokers=6).can_lay(run)
