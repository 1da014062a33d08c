"""The rules of Pengingan, sentence by sentence of RULES.md: positions and what may be done in them, in the text notation.

Unless a table says otherwise seat 0 is in turn with a card that lay face up (x), and has the hand and the melds that are named.
"""

from pathlib import Path

import numpy as np
import pytest
from pengingan_positions import FILLER, PENGINGAN, Table, fresh_deal
from scipy.stats import chisquare

from penzoo.envs import pengingan
from penzoo.envs.batch import Batch
from penzoo.envs.pengingan import rules
from penzoo.envs.pengingan.state import CARDS, Phase

SEED = 20240
PLAYERS = range(2, 9)
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never
RANKS = "A234567JQK"  # low to high (S, D)
NUMBERS = {"two": 2, "five": 5, "six": 6, "seven": 7}  # as the worked cases name them

# The worked cases of the page: own table, hand, the other cards of the hand, card, legal.
WORKED_CASES = [
    ("", "6c 6d 6h 5s 5h", "2c Jd 3s Kh Qc", "5d", "pass, new"),
    ("", "6c 6d 6h", "2c Jd 3s Kh Qc 4h 2s", "6s", "pass, new"),
    ("6s 7s Js", "Ks 2d", "4c 4h Jh 6c 2h", "Qs", "pass, extend 0"),
    ("6s 7s Js", "Qs 2d", "4c 4h Jh 6c 2h", "Ks", "pass, extend 0"),
    ("As 2s 3s", "5s", "4c Jh 6c 2h Qd Kd", "4s", "pass, extend 0"),
    ("3s 3s 3s", "", "4c 4d Jh 6c 2h Qd Kd", "3h", "pass"),
    ("3s 3h 3d", "", "4c 4d Jh 6c 2h Qd Kd", "3s", "pass, extend 0"),
    ("Kd Kd Kd", "", "4c 4d Jh 6c 2h Qd 7s", "Ks", "pass, extend 0"),
    ("5s 5h 5d 5c", "4s", "Kc Jh 2h Qd 7d", "6s", "pass, rearrange"),
    ("2h 3h 4h 5h | 5s 5d 5c", "7h", "Kc Jd", "6h", "pass, extend 0, rearrange"),
]


def worked(number: int, **options) -> Table:
    """The position of a worked case, counted from 0."""
    table, hand, more, card, _ = WORKED_CASES[number]
    return Table(f"{hand} {more}", table, card, **options)


def in_any_order(melds: str) -> str:
    """Melds in one order, whatever their numbers: as `Table.arrangements` gives them."""
    return " | ".join(sorted(melds.split(" | ")))


def is_meld(names: str) -> bool:
    """Whether cards can be laid as one new meld; it must not matter which of them is the card used."""
    cards = sorted(names.split(), key=CARDS.index)
    answers = set()
    for number, card in enumerate(cards):
        others = cards[:number] + cards[number + 1 :]
        answers.add(" ".join(cards) in Table(" ".join(others), "", card).arrangements("new"))
    assert len(answers) == 1, f"{names}: {answers}"
    return answers.pop()


def in_order(cards: list[str]) -> str:
    """Cards in the order of the card index, in which they can be put."""
    return " ".join(sorted(cards, key=CARDS.index))


def outcomes_of(position: Table) -> dict[str, set[float]]:
    """What each table to which a rearrangement can lead has paid, however it was built."""
    outcomes: dict[str, set[float]] = {}
    paths = [("rearrange",)] if "rearrange" in position.legal else []
    begin = position.batch.save()
    while paths:
        path = paths.pop()
        position.batch.restore(begin)
        position.play(*path)
        if position.phase == Phase.BUILD:
            paths += [(*path, name) for name in position.legal.split(", ")]
        else:
            outcomes.setdefault(in_any_order(position.melds(0)), set()).add(position.paid)
    return outcomes


# ------------------------------------------------------------------------------------------------------------- worked cases


@pytest.mark.parametrize(("table", "hand", "more", "card", "legal"), WORKED_CASES)
def test_worked_cases_of_the_page(table, hand, more, card, legal):
    position = Table(f"{hand} {more}", table, card)
    assert position.legal == legal
    assert position.state["hand_size"][0] + position.state["table_size"][0] == 10


def test_worked_cases_are_those_of_the_page():
    page = (Path(pengingan.__file__).parent / "RULES.md").read_text(encoding="utf-8")
    rows = page.split("## Worked cases")[1].strip().splitlines()[3:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert len(cells) == len(WORKED_CASES)
    for (table, hand, card, _), (own, named, more, used, _) in zip(cells, WORKED_CASES, strict=True):
        words = hand.removesuffix(" more").split(", ")
        assert (table.replace("–", "").replace(" · ", " | "), card) == (own, used)
        assert ([named] if named else []) + [len(more.split())] == [*words[:-1], NUMBERS[words[-1]]]


def test_worked_case_a_mixed_valle_group_with_the_sixes_left_in_hand():
    table = worked(0)
    assert table.arrangements("new") == {"5d 5h 5s"}
    table.arrange("new", "5h 5s")
    assert (table.paid, table.hand(0)) == (1, "2c 6c Qc 6d Jd 6h Kh 3s")


def test_worked_case_new_with_two_or_all_three_sixes():
    assert worked(1).arrangements("new") == {"6c 6d 6s", "6c 6h 6s", "6d 6h 6s", "6c 6d 6h 6s"}
    assert worked(1).arrange("new", "6c 6d 6h").paid == 0


def test_worked_case_a_run_that_becomes_a_condition_pays_once():
    table = worked(2).play("extend 0")
    assert table.legal == "put Ks, close"
    assert table.play("put Ks", "close").paid == 2
    assert worked(2).arrange("extend 0").paid == 0


def test_worked_case_a_card_that_needs_one_from_hand_is_not_live():
    table = worked(3)
    assert table.live(0) == "5s Qs"
    assert table.play("extend 0").legal == "put Qs"
    assert table.play("put Qs", "close").paid == 2
    assert worked(3).play("pass").phase == Phase.SECOND  # nobody is asked


@pytest.mark.parametrize(("extension_pay", "paid"), [("per_card", 4), ("once", 2)])
def test_worked_case_two_cards_on_a_condition(extension_pay, paid):
    assert worked(4, extension_pay=extension_pay).arrange("extend 0", "5s").paid == paid


def test_worked_case_a_one_suit_group_takes_its_suit_only():
    assert (worked(5).live(0), worked(6).live(0)) == ("3s", "3c 3d 3h 3s")
    assert worked(6).arrange("extend 0").paid == 1


def test_worked_case_a_king_ruins_a_condition():
    table = worked(7)
    assert table.live(0) == "Kc Kd Kh Ks"
    assert table.arrange("extend 0").paid == 0


def test_worked_case_a_group_that_loses_a_card_has_changed():
    table = worked(8)
    assert table.arrangements("rearrange") == {"4s 5s 6s | 5c 5d 5h"}
    table.play("rearrange", "put 5d", "put 5h", "close", "put 4s", "put 6s", "close")
    assert (table.paid, table.melds(0)) == (1, "5c 5d 5h | 4s 5s 6s")


def test_worked_case_a_run_is_extended_or_split():
    table = worked(9)
    assert table.arrangements("extend 0") == {"2h 3h 4h 5h 6h | 5c 5d 5s", "2h 3h 4h 5h 6h 7h | 5c 5d 5s"}
    assert table.arrangements("rearrange") == {"2h 3h 4h | 5c 5d 5s | 5h 6h 7h"}


# ------------------------------------------------------------------------------------------------------- cards and notation


def test_cards_go_suit_by_suit_and_within_a_suit_from_the_ace_to_the_king():
    assert PENGINGAN.card_names == tuple(rank + suit for suit in "cdhs" for rank in RANKS)


def test_there_are_89_actions():
    extends = ("extend 0", "extend 1", "extend 2")
    puts, discards = (tuple(f"{what} {card}" for card in CARDS) for what in ("put", "discard"))
    assert PENGINGAN.actions.names == ("pass", "demand", "turn", "new", *extends, "rearrange", *puts, "close", *discards)
    assert len(PENGINGAN.actions) == 89


def test_the_options_are_those_of_the_page_with_the_default_first():
    options = {option.name: (option.default, *option.choices) for option in PENGINGAN.options if option.name != "max_moves"}
    assert options == {
        "packs": ("players", "players", 2, 3, 4, 5, 6, 7, 8),
        "extension_pay": ("per_card", "per_card", "once"),
        "rearrange": (True, False, True),
        "hand_cards": ("used_meld", "used_meld", "any_meld"),
        "going_out": ("eleven", "eleven", "empty_hand"),
        "forcing": ("ask", "ask", "always", "never"),
        "stock_out": ("end", "end", "reshuffle"),
    }


# -------------------------------------------------------------------------------------------------------------------- deal


@pytest.mark.parametrize("players", PLAYERS)
def test_deal_ten_to_each_from_the_seat_after_the_dealer_then_the_card_then_the_stock(players):
    full = PENGINGAN.deck(players, PENGINGAN.complete_options({}))
    assert np.bincount(full).tolist() == [players] * 40  # as many copies of every card as players
    deck = [CARDS[card] for card in np.random.default_rng(players).permutation(full)]
    for dealer in range(players):
        table = fresh_deal(players, deck, dealer)
        for turn in range(players):
            hand = table.hand((dealer + 1 + turn) % players).split()
            assert sorted(hand) == sorted(deck[10 * turn : 10 * turn + 10])
        assert (table.card, table.stock.split()) == (deck[10 * players], deck[10 * players + 1 :])
        assert (table.seat, table.turn, table.phase) == ((dealer + 1) % players, (dealer + 1) % players, Phase.FIRST)
        assert (table.dead, table.chips, table.end) == ("", [0] * players, "")


@pytest.mark.parametrize(("players", "packs"), [(2, 8), (3, 2), (7, 2), (8, 3), (8, 8), (4, 4)])
def test_packs_say_how_many_copies_there_are(players, packs):
    table = fresh_deal(players, packs=packs)
    cards = [table.card, *table.stock.split(), *(card for seat in range(players) for card in table.hand(seat).split())]
    assert sorted(cards, key=CARDS.index) == [card for card in CARDS for _ in range(packs)]


def test_too_few_packs_are_refused():
    with pytest.raises(ValueError, match=r"packs=2 is not possible: 8 players need 81 cards, so 3 packs or more"):
        Batch(PENGINGAN, 1, num_players=8, packs=2)


@pytest.mark.parametrize("packs", [1, 9, "all", True])
def test_packs_that_do_not_exist_are_refused(packs):
    with pytest.raises(ValueError, match="packs"):
        Batch(PENGINGAN, 1, num_players=4, packs=packs)


@pytest.mark.parametrize("players", [1, 9])
def test_two_to_eight_may_play(players):
    with pytest.raises(ValueError, match="2 to 8 players"):
        Batch(PENGINGAN, 1, num_players=players)


@pytest.mark.parametrize(("dealer", "players", "expected"), [(0, 2, 1), (1, 2, 0), (2, 5, 3), (7, 8, 0)])
def test_the_next_seat_deals_next(dealer, players, expected):
    assert rules.next_dealer(Table(players=players, dealer=dealer, card="2c").state) == expected


# ------------------------------------------------------------------------------------------------------------------- melds


@pytest.mark.parametrize(
    "cards",
    [
        "6s 7s Js",  # the seven and the jack are neighbours
        "7c Jc Qc",
        "5h 6h 7h Jh Qh",
        "Ah 2h 3h",  # the ace is low
        "Jd Qd Kd",  # the king high
        "As 2s 3s 4s 5s 6s 7s Js Qs Ks",
        "Ks Ks Kd",  # kings and aces of any suits whatever
        "Kc Kc Kc",
        "Ac Ad Ac Ad",
        "Ah Ad As",
        "5s 5s 5s",  # one suit
        "6s 6s 6s",
        "Jd Jd Jd Jd",
        "5s 5h 5d",  # three suits
        "5s 5h 5d 5s",
        "2c 2d 2h 2s",
        "Qc Qc Qc Qd Qh",
    ],
)
def test_good_melds(cards):
    assert is_meld(cards)


@pytest.mark.parametrize(
    "cards",
    [
        "Qs Ks As",  # a run does not go round
        "Ks As 2s",
        "Js Qs Ks As",
        "6s 7s 7s Js",  # no card stands twice in a run
        "As 2s 3s 3s",
        "5s 6s Js",  # a gap
        "As 2s 4s",
        "7s Qs Ks",
        "6s 7s Jd",  # two suits
        "5s 5s 5h",
        "5s 5s 5h 5h",
        "Jc Jc Jc Jd",
        "2c 2d 2c 2d",
        "Ac Kc Ad",  # two ranks
        "Ac Ad 2c",
        "4s 5s 6s 5h",
        "5s 5h 5d 4s",
        "Ks Kd",  # two cards
        "5s 6s",
    ],
)
def test_cards_that_are_no_meld(cards):
    assert not is_meld(cards)


@pytest.mark.parametrize("suit", "cdhs")
def test_runs_of_three_are_eight_in_a_suit(suit):
    cards = [rank + suit for rank in RANKS]
    good = [(a, b, c) for k, a in enumerate(cards) for m, b in enumerate(cards[:k]) for c in cards[:m] if is_meld(f"{a} {b} {c}")]
    assert sorted(good) == sorted((c, b, a) for a, b, c in zip(cards, cards[1:], cards[2:], strict=False))


@pytest.mark.parametrize("rank", RANKS)
def test_groups_of_three_and_four_by_their_suits(rank):
    for suits, is_group in {
        "ccc": True,
        "ccd": rank in "AK",
        "cdh": True,
        "sshh": rank in "AK",
        "cccs": rank in "AK",
        "ccds": True,
    }.items():
        assert is_meld(" ".join(rank + suit for suit in suits)) == is_group, suits


LIVE = [
    ("", ""),
    ("6s 7s Js", "5s Qs"),
    ("7s Js Qs", "6s Ks"),
    ("Ac 2c 3c", "4c"),  # low ends …
    ("Jd Qd Kd", "7d"),  # … and high ones
    ("Ah 2h 3h 4h 5h 6h 7h Jh Qh Kh", ""),
    ("3s 3s 3s", "3s"),  # a one-suit group of comoquers
    ("Qc Qc Qc Qc", "Qc"),
    ("3s 3h 3d", "3c 3d 3h 3s"),
    ("3s 3s 3h 3d", "3c 3d 3h 3s"),
    ("Kd Kd Kd", "Kc Kd Kh Ks"),  # no-comoquers are never bound
    ("As Ah Ad", "Ac Ad Ah As"),
    ("6s 7s Js | Qc Qd Qh", "Qc Qd Qh 5s Qs"),
    ("As 2s 3s | Kd Kd Kd | 3s 3s 3s", "Kc Kd Kh 3s 4s Ks"),
]


@pytest.mark.parametrize(("melds", "live"), LIVE)
def test_live_is_what_alone_can_be_put_onto_a_meld(melds, live):
    table = Table("4d", melds, "4d")
    assert table.live(0) == table.sees(1, "seat_1.live") == live
    fitting = [card for card in CARDS if Table("", melds, card).offered("extend")]
    assert fitting == live.split()


@pytest.mark.parametrize(("melds", "live"), LIVE)
def test_live_cards_and_no_others_raise_the_question(melds, live):
    for card in CARDS:
        table = Table("", melds, card).play("pass")
        assert (table.phase == Phase.ASK_USE) == (card in live.split()), card


def test_live_follows_what_is_laid_extended_and_rearranged():
    assert Table("5s 5h 2c", "", "5d").arrange("new", "5h 5s").live(0) == "5c 5d 5h 5s"
    assert Table("2c", "6s 7s Js", "Qs").arrange("extend 0").live(0) == "5s Ks"
    table = worked(8).play("rearrange", "put 5d", "put 5h", "close", "put 4s", "put 6s", "close")
    assert table.live(0) == "5c 5d 5h 3s 5s 7s"


# -------------------------------------------------------------------------------------------------------------------- turn


def test_x_declined_is_dead_and_y_is_turned_for_the_same_player():
    table = Table("2c 4d 6h", "", "Qs", stock="Jd 7c").play("pass")
    assert (table.dead, table.card, table.stock) == ("Qs", "Jd", "7c")
    assert (table.seat, table.phase, table.sees(1, "turned")) == (0, Phase.SECOND, 1)


def test_y_declined_stays_face_up_and_is_the_next_players_x():
    table = Table("2c 4d 6h", "", "Qs", stock="Jd 7c").play("pass", "pass")
    assert (table.dead, table.card, table.stock) == ("Qs", "Jd", "7c")
    assert (table.seat, table.phase, table.sees(0, "turned")) == (1, Phase.FIRST, 0)
    assert table.play("pass").dead == "Jd Qs"  # offered to two players


@pytest.mark.parametrize("players", PLAYERS)
def test_play_passes_to_the_next_seat_round_the_table(players):
    table = Table([FILLER] * players, card="7c", stock=" ".join(["7c"] * 20))
    for turn in range(2 * players):
        assert (table.seat, table.turn) == (turn % players, turn % players)
        table.play("pass", "pass")


@pytest.mark.parametrize("phase", [Phase.FIRST, Phase.SECOND])
def test_after_a_use_one_card_from_hand_is_discarded_face_up_for_the_next_player_alone(phase):
    table = Table("6c 6d 2c 2c 4d", "", "6s", phase=phase, stock="Jd 7c").arrange("new", "6c 6d")
    assert (table.seat, table.phase, table.card) == (0, Phase.DISCARD, "")
    assert table.legal == "discard 2c, discard 4d"  # none from the table, and no passing
    table.play("discard 2c")
    assert (table.hand(0), table.card, table.dead, table.stock) == ("2c 4d", "2c", "", "Jd 7c")
    assert (table.seat, table.phase) == (1, Phase.FIRST)
    assert (table.play("pass").dead, table.card) == ("2c", "Jd")


def test_no_card_is_ever_taken_into_the_hand_so_it_can_be_declined_or_used_only():
    assert Table(FILLER, "", "7c").legal == "pass"


# --------------------------------------------------------------------------------------------------------------------- new


@pytest.mark.parametrize(
    ("hand", "card", "legal"),
    [
        ("6c 6d 6h 2c", "Qs", "pass"),  # a meld complete in hand stays there
        ("6c 6d 6h Qc", "Qs", "pass"),  # one card from hand is too few
        ("Qc Qd", "Qs", "pass, new"),
        ("Qs Qd", "Qs", "pass"),
        ("Qs Qs", "Qs", "pass, new"),
        ("Ks Kd", "Ks", "pass, new"),
        ("Ks Qs", "As", "pass"),
        ("2s 3s", "As", "pass, new"),
        ("As 3s", "2s", "pass, new"),
        ("As Ks", "2s", "pass"),
        ("7s Qs", "Js", "pass, new"),
        ("6s 7s", "Js", "pass, new"),
        ("5s 7s", "Js", "pass"),
        ("6s 7h", "Js", "pass"),
        ("", "Js", "pass"),
    ],
)
def test_new_takes_the_card_and_two_or_more_from_hand(hand, card, legal):
    assert Table(hand, "", card).legal == legal


def test_new_may_take_more_than_two_and_leave_what_it_likes():
    table = Table("5s 5s 5h 5d 6d", "", "5s")
    assert table.arrangements("new") == {"5s 5s 5s", "5d 5h 5s", "5d 5h 5s 5s", "5d 5h 5s 5s 5s"}


def test_new_lays_one_meld_only_even_if_there_are_cards_for_two():
    table = Table("5s 5h 6c 6d 6h 6d 7d", "", "5d")
    assert table.arrangements("new") == {"5d 5h 5s", "5d 6d 7d"}


def test_new_melds_are_numbered_in_the_order_in_which_they_were_laid():
    table = Table("Kc Kd 2c 2d 4h", "6s 7s Js", "Kh").arrange("new", "Kc Kd")
    assert table.melds(0) == "6s 7s Js | Kc Kd Kh"


def test_new_beside_melds_that_it_leaves_alone():
    table = Table("Kc Kd 2c", "Kh Ks Kh", "Kh")
    assert table.legal == "pass, new, extend 0"
    assert table.arrangements("new") == {"Kc Kd Kh | Kh Kh Ks"}


# ------------------------------------------------------------------------------------------------------------------ extend


@pytest.mark.parametrize(
    ("melds", "hand", "card", "numbers"),
    [
        ("6s 7s Js", "2c", "5s", "0"),
        ("6s 7s Js", "2c", "4s", ""),
        ("6s 7s Js", "5s", "4s", "0"),  # the gap is closed from hand
        ("6s 7s Js", "4s 5s", "3s", "0"),
        ("6s 7s Js", "4s", "3s", ""),
        ("6s 7s Js", "5s", "3s", ""),
        ("4s 5s 6s", "7s Js", "Qs", "0"),
        ("4s 5s 6s", "Js", "Qs", ""),
        ("4s 5s 6s", "7d Js", "Qs", ""),
        ("Js Qs Ks", "2s 3s", "As", ""),  # no run goes round
        ("6s 7s Js", "2c", "7s", ""),  # no card twice
        ("6s 7s Js", "5d", "5d", ""),
        ("5s 5s 5s", "5d", "5h", ""),  # a one-suit group of comoquers stays of one suit
        ("5s 5s 5s", "5d", "5s", "0"),
        ("5c 5d 5h", "2c", "5c", "0"),
        ("As As As", "2c", "Ac", "0"),
        ("Qc Qd Qh | 6s 7s Js", "2c", "Qs", "0 1"),
        ("Kc Kd Kh | 6s 7s Js", "2c", "Ks", "0"),
        ("Kc Kd Kh | 6s 7s Js", "Qs", "Ks", "0 1"),
        ("Ac 2c 3c | Ad Ah As | Jc Qc Kc", "2d", "Ac", "1"),
    ],
)
def test_extend(melds, hand, card, numbers):
    assert Table(hand, melds, card).offered("extend") == numbers


@pytest.mark.parametrize(
    ("melds", "hand", "card", "first", "tables"),
    [
        ("6s 7s Js", "Ks 5s 2s", "Qs", "extend 0", {"6s 7s Js Qs", "6s 7s Js Qs Ks", "5s 6s 7s Js Qs", "5s 6s 7s Js Qs Ks"}),
        ("6s 7s Js", "5s 2s 4h", "4s", "extend 0", {"4s 5s 6s 7s Js"}),
        ("3s 3s 3s", "3s 3h 3d", "3s", "extend 0", {"3s 3s 3s 3s", "3s 3s 3s 3s 3s"}),
        ("3s 3h 3d", "3s 3c", "3s", "extend 0", {"3d 3h 3s 3s", "3d 3h 3s 3s 3s", "3c 3d 3h 3s 3s", "3c 3d 3h 3s 3s 3s"}),
        ("As As As", "Ac", "As", "extend 0", {"As As As As", "Ac As As As As"}),
        ("Qc Qd Qh | 6s 7s Js", "Ks Qd", "Qs", "extend 0", {"Qc Qd Qh Qs | 6s 7s Js", "Qc Qd Qd Qh Qs | 6s 7s Js"}),
        ("Qc Qd Qh | 6s 7s Js", "Ks Qd", "Qs", "extend 1", {"Qc Qd Qh | 6s 7s Js Qs", "Qc Qd Qh | 6s 7s Js Qs Ks"}),
    ],
)
def test_cards_from_hand_follow_onto_that_same_meld_only(melds, hand, card, first, tables):
    position = Table(hand, melds, card)
    assert position.arrangements(first) == {in_any_order(text) for text in tables}


def test_extend_leaves_the_numbers_of_the_melds():
    table = Table("2c", "Kc Kd Kh | 6s 7s Js | 3s 3h 3d", "Qs").arrange("extend 1")
    assert table.melds(0) == "Kc Kd Kh | 6s 7s Js Qs | 3d 3h 3s"


# --------------------------------------------------------------------------------------------------------------- rearrange


@pytest.mark.parametrize(
    ("melds", "hand", "card", "tables"),
    [
        # split
        ("2h 3h 4h 5h | 5s 5d 5c", "7h", "6h", {"2h 3h 4h | 5c 5d 5s | 5h 6h 7h"}),
        ("As 2s 3s 4s 5s", "Kd", "4s", set()),
        ("As 2s 3s 4s 5s 6s", "Kd", "4s", {"As 2s 3s 4s | 4s 5s 6s"}),
        ("2s 3s 4s 5s 6s 7s Js", "Kd", "5s", {"2s 3s 4s 5s | 5s 6s 7s Js"}),
        ("As As As As | Ks Qs Js", "", "2s", set()),
        ("As As As As | Ks Qs Js", "3s", "2s", {"As 2s 3s | As As As | Js Qs Ks"}),
        # merge
        ("2h 3h 4h | 5h 6h 7h", "Kd", "Jh", {"2h 3h 4h 5h 6h 7h Jh", "2h 3h 4h 5h | 6h 7h Jh"}),
        ("2h 3h 4h | 5h 6h 7h", "Kd", "Ah", {"Ah 2h 3h 4h 5h 6h 7h", "Ah 2h 3h | 4h 5h 6h 7h"}),
        ("Kc Kc Kc | Kc Kc Kc", "", "Kc", {"Kc Kc Kc Kc Kc Kc Kc"}),  # three and four is what lay there, with one card more
        ("5s 5s 5s | 5d 5d 5d", "", "5c", {"5c 5d 5d 5d 5s 5s 5s"}),
        # each former meld whole in a meld of its own: no rearrangement
        ("5c 5d 5h", "6s 7s", "5s", set()),
        ("5s 5s 5s", "5d", "5h", set()),
        ("6s 7s Js", "Qs Kd", "Ks", set()),
        ("2c 3c 4c | 6s 7s Js", "5s", "5c", set()),
        ("", "5c 5d 5h", "5s", set()),
        # a one-suit group rebuilt with others may become a mixed one
        ("5s 5s 5s | 5h 6h 7h Jh", "Kd", "5d", {"5d 5h 5s 5s 5s | 6h 7h Jh"}),
        # the card used in a meld of table cards, hand cards along with it
        ("4s 5s 6s 7s", "4d Js", "4c", {"4c 4d 4s | 5s 6s 7s"}),
        # cards of one kind are alike: it does not matter which three, or which seven, lies where
        ("2h 3h 4h 5h", "3h", "Ah", {"Ah 2h 3h | 3h 4h 5h"}),
        ("4d 5d 6d 7d Jd Qd", "3d", "7d", {"4d 5d 6d 7d | 7d Jd Qd", "3d 4d 5d 6d 7d | 7d Jd Qd"}),
        ("4d 5d 6d 7d Jd Qd", "Kd", "7d", {"4d 5d 6d 7d | 7d Jd Qd", "4d 5d 6d 7d | 7d Jd Qd Kd"}),
        (
            "4d 5d 6d 7d Jd Qd",
            "3d Kd",
            "7d",
            {"4d 5d 6d 7d | 7d Jd Qd", "3d 4d 5d 6d 7d | 7d Jd Qd", "4d 5d 6d 7d | 7d Jd Qd Kd"},
        ),
        # no card is left over, none goes back to the hand
        ("5c 5d 5h 5s", "6s", "2c", set()),
        ("5c 5d 5h 5s", "4s", "6s", {"5c 5d 5h | 4s 5s 6s"}),
        ("5c 5d 5h 5s", "2s 3s", "4s", {"5c 5d 5h | 3s 4s 5s", "5c 5d 5h | 2s 3s 4s 5s"}),
        # nothing in hand
        ("2h 3h 4h 5h 6h 7h Jh | Kc Kd Kh", "", "5h", {"2h 3h 4h 5h | 5h 6h 7h Jh | Kc Kd Kh"}),
    ],
)
def test_rearrange(melds, hand, card, tables):
    position = Table(hand, melds, card)
    assert position.arrangements("rearrange") == {in_any_order(text) for text in tables}
    assert ("rearrange" in position.legal) == bool(tables)
    assert "rearrange" not in Table(hand, melds, card, rearrange=False).legal


@pytest.mark.parametrize(
    ("melds", "hand", "card", "used_meld", "more"),
    [
        ("4s 5s 6s 7s", "4d Js", "4c", {"4c 4d 4s | 5s 6s 7s"}, {"4c 4d 4s | 5s 6s 7s Js"}),
        (
            "4d 5d 6d 7d Jd Qd",
            "3d Kd",
            "7d",
            {"4d 5d 6d 7d | 7d Jd Qd", "3d 4d 5d 6d 7d | 7d Jd Qd", "4d 5d 6d 7d | 7d Jd Qd Kd"},
            {"3d 4d 5d 6d 7d | 7d Jd Qd Kd"},
        ),
        ("5c 5d 5h 5s", "4s 6s", "5d", set(), {"5c 5d 5d 5h | 4s 5s 6s"}),  # the card used gets nothing from hand
        ("5s 5s 5s | 5h 6h 7h Jh", "5d", "Qh", set(), {"5d 5h 5s 5s 5s | 6h 7h Jh Qh"}),
        ("As 2s 3s", "Ac Ad", "4s", set(), {"Ac Ad As | 2s 3s 4s"}),
        ("As 2s 3s", "Ac Ad 4s", "5s", set(), {"Ac Ad As | 2s 3s 4s 5s"}),  # into both
        ("As 2s 3s", "Ac Ad", "5s", set(), set()),
        # no meld is made of hand cards alone, so there is no 2h 3h 4h
        ("4s 5s 6s 7s", "4d 2h 3h 4h", "4c", {f"{group} | 5s 6s 7s" for group in ("4c 4d 4s", "4c 4h 4s", "4c 4d 4h 4s")}, set()),
    ],
)
def test_hand_cards_go_into_the_meld_with_the_card_used_or_into_any(melds, hand, card, used_meld, more):
    for hand_cards, tables in (("used_meld", used_meld), ("any_meld", used_meld | more)):
        position = Table(hand, melds, card, hand_cards=hand_cards)
        assert position.arrangements("rearrange") == {in_any_order(text) for text in tables}
        assert ("rearrange" in position.legal) == bool(tables)


def test_rearrange_takes_all_own_melds_apart_and_the_lowest_loose_card_opens():
    table = worked(9).play("rearrange")
    assert (table.melds(0), table.legal) == ("5c", "put 5d")
    assert table.sees(1, "loose") == "5d 2h 3h 4h 5h 6h 5s"
    table.play("put 5d", "put 5s", "close")
    assert (table.melds(0), table.sees(1, "loose"), table.legal) == ("5c 5d 5s | 2h", "3h 4h 5h 6h", "put 3h")


def test_rearranged_melds_are_numbered_in_the_order_in_which_they_were_closed():
    table = worked(9).play("rearrange", "put 5d", "put 5s", "close", "put 3h", "put 4h", "close", "put 6h", "put 7h", "close")
    assert (table.melds(0), table.phase) == ("5c 5d 5s | 2h 3h 4h | 5h 6h 7h", Phase.DISCARD)


def test_which_meld_of_the_lowest_loose_card_is_closed_first_is_free():
    ways = list(Table("3c Kd", "2c 2c 2d 2h", "4c").ways("rearrange"))
    assert sorted(ways) == [("2c 2d 2h", "2c 3c 4c"), ("2c 3c 4c", "2c 2d 2h")]


def test_the_card_used_opens_a_meld_or_is_put_like_any_other():
    table = Table("4d Js", "4s 5s 6s 7s", "4c").play("rearrange")
    assert (table.melds(0), table.legal) == ("4c", "put 4d")  # it is the lowest loose card
    table = worked(8).play("rearrange", "put 5d", "put 5h", "close", "put 4s")
    assert (table.melds(0), table.legal) == ("5c 5d 5h | 4s 5s", "put 6s")


def test_of_one_kind_the_loose_card_goes_before_the_one_in_hand():
    table = Table("4d 4s Kd", "4s 5s 6s 7s", "4c").play("rearrange", "put 4d", "put 4s")
    assert (table.hand(0), table.legal) == ("Kd 4s", "put 4s, close")
    table.play("put 4s")
    assert (table.hand(0), table.legal) == ("Kd", "close")


def test_rearrange_may_make_two_melds_three():
    table = Table("", "Ac Ac Ac Ad | 2d 3d 4d 5d 6d 7d", "4d")
    assert table.arrangements("rearrange") == {"2d 3d 4d | 4d 5d 6d 7d | Ac Ac Ac Ad", "4d 5d 6d 7d | Ac Ac Ac | Ad 2d 3d 4d"}


def test_others_melds_cannot_be_touched():
    table = Table(["2c Kd", None], ["", "6s 7s Js"], "Qs")
    assert table.legal == "pass"


# ------------------------------------------------------------------------------------------------------- steps of building


def test_cards_are_put_in_ascending_order_and_equal_ones_in_a_row():
    table = Table("7c 7d 7d 7h 7s Kd", "", "7c").play("new")
    assert table.legal == "put 7c, put 7d, put 7h"  # after 7s nothing would make it good
    table.play("put 7d")
    assert table.legal == "put 7d, put 7h, put 7s"
    table.play("put 7d")
    assert table.legal == "put 7h, put 7s"
    assert table.play("put 7h").legal == "put 7s, close"
    assert table.play("put 7s").legal == "close"


@pytest.mark.parametrize("used", ["4s", "5s", "6s", "7s"])
def test_the_card_that_opened_the_meld_may_stand_anywhere(used):
    run = ["4s", "5s", "6s", "7s"]
    table = Table(" ".join(card for card in run if card != used), "", used)
    full = [way for way in table.ways("new") if way == ("4s 5s 6s 7s",)]
    assert len(full) == 1  # in one way only
    assert len(set(table.ways("new"))) == len(list(table.ways("new")))


def test_close_is_a_decision_of_its_own():
    table = Table("6c 6d", "", "6s").play("new", "put 6c", "put 6d")
    assert (table.phase, table.legal, table.rewards) == (Phase.BUILD, "close", [0, 0])


@pytest.mark.parametrize(
    ("melds", "hand", "card", "steps", "legal"),
    [
        ("", "6c 6s 7s Js", "6d", ["new"], "put 6c"),  # 6d 6c needs 6s
        ("", "6c 6s 7s Js", "6d", ["new", "put 6c"], "put 6s"),
        ("", "7s Js 6d 6h", "6s", ["new"], "put 6d, put 7s"),  # a run or a group
        ("", "7s Js 6d 6h", "6s", ["new", "put 7s"], "put Js"),
        ("", "4s 6s 7s", "5s", ["new"], "put 4s, put 6s"),
        ("", "4s 6s 7s", "5s", ["new", "put 6s"], "put 7s"),  # 4s can no longer follow
        ("", "3s 4s 7s", "5s", ["new"], "put 3s"),
        ("4s 5s 6s", "7s Js Ks 3s", "Qs", ["extend 0"], "put 3s, put 7s"),
        ("4s 5s 6s", "7s Js Ks 3s", "Qs", ["extend 0", "put 7s"], "put Js"),
        ("4s 5s 6s", "7s Js Ks 3s", "Qs", ["extend 0", "put 7s", "put Js"], "put Ks, close"),
        ("6s 7s Js", "2s 4s 5s", "3s", ["extend 0"], "put 2s, put 4s"),
        ("5c 5d 5h 5s", "2s 3s", "4s", ["rearrange", "put 5d", "put 5h"], "close"),  # all four there would leave 4s alone
        ("5c 5d 5h 5s", "2s 3s", "4s", ["rearrange", "put 5d", "put 5h", "close"], "put 2s, put 3s"),
    ],
)
def test_no_step_leads_where_it_cannot_be_finished(melds, hand, card, steps, legal):
    assert Table(f"{hand} Kd", melds, card).play(*steps).legal == legal


# ---------------------------------------------------------------------------------------------------------------- payments

GROUP_VALUES = {  # rank by rank: suits differ, one suit, all spades
    **dict.fromkeys("357", (1, 2, 4)),
    **dict.fromkeys("A246JQK", (0, 1, 2)),
}


@pytest.mark.parametrize("rank", RANKS)
def test_pays_a_new_group(rank):
    mixed, one_suit, spades = GROUP_VALUES[rank]
    values = {"cdh": mixed, "sdh": mixed, "ssdh": mixed, "ccc": one_suit, "ddd": one_suit, "hhhh": one_suit, "sss": spades, "ssss": spades}
    if rank in "AK":
        values |= {"ccd": mixed, "sshh": mixed}
    for suits, value in values.items():
        card, *hand = (rank + suit for suit in suits)
        assert Table(" ".join([*hand, "4d"]), "", card).arrange("new", in_order(hand)).paid == value, suits


@pytest.mark.parametrize(("suit", "factor"), [("c", 1), ("d", 1), ("h", 1), ("s", 2)])
@pytest.mark.parametrize(
    ("ranks", "value"),
    [
        ("A23", 1),
        ("A234567", 1),
        ("JQK", 1),
        ("67JQK", 1),
        ("A234567JQK", 1),  # ace and king: once
        ("234", 0),
        ("67J", 0),
        ("7JQ", 0),
        ("234567JQ", 0),
    ],
)
def test_pays_a_new_run(ranks, value, suit, factor):
    card, *hand = (rank + suit for rank in ranks)
    table = Table(" ".join([*hand, "4d"]), "", card).play("new", *(f"put {name}" for name in hand), "close")
    assert table.paid == value * factor


@pytest.mark.parametrize(
    ("meld", "card", "puts", "per_card", "once"),
    [
        ("3s 3h 3d", "3s", "", 1, 1),
        ("3s 3h 3d", "3s", "3c 3h", 3, 1),
        ("3s 3s 3s", "3s", "", 4, 4),
        ("5s 5s 5s", "5s", "5s 5s", 12, 4),
        ("7h 7h 7h", "7h", "7h", 4, 2),
        ("2c 2d 2h", "2c", "2s", 0, 0),
        ("2c 2c 2c", "2c", "2c", 2, 1),
        ("Qs Qs Qs", "Qs", "Qs", 4, 2),
        ("As 2s 3s", "4s", "", 2, 2),
        ("As 2s 3s", "4s", "5s", 4, 2),
        ("Jd Qd Kd", "7d", "5d 6d", 3, 1),
        ("2h 3h 4h 5h 6h 7h Jh Qh Kh", "Ah", "", 1, 1),  # the second end adds nothing to the value
        ("As 2s 3s 4s 5s 6s 7s Js", "Ks", "Qs", 4, 2),
        ("6s 7s Js", "Qs", "", 0, 0),
        ("6s 7s Js", "Qs", "Ks", 2, 2),  # becomes a condition: once, as a new one
        ("6s 7s Js", "Ks", "Qs", 2, 2),
        ("2d 3d 4d", "Ad", "", 1, 1),
        ("2d 3d 4d", "Ad", "5d 6d", 1, 1),
        ("2s 3s 4s 5s 6s 7s Js", "As", "Qs Ks", 2, 2),
        ("Kd Kd Kd", "Kd", "", 1, 1),
        ("Kd Kd Kd", "Ks", "", 0, 0),  # ceases to be one
        ("Kd Kd Kd", "Kd", "Kd Ks", 0, 0),
        ("As As As", "As", "As", 4, 2),
        ("As As As", "Ac", "As As", 0, 0),
        ("As As Ad", "As", "As", 0, 0),
    ],
)
def test_pays_an_extension(meld, card, puts, per_card, once):
    for extension_pay, value in (("per_card", per_card), ("once", once)):
        assert Table(f"{puts} 4d", meld, card, extension_pay=extension_pay).arrange("extend 0", puts).paid == value


@pytest.mark.parametrize("extension_pay", ["per_card", "once"])
@pytest.mark.parametrize(
    ("melds", "hand", "card", "after", "paid"),
    [
        ("5c 5d 5h 5s", "4s", "6s", "5c 5d 5h | 4s 5s 6s", 1),  # by taking away
        ("5s 5s 5s 5s", "4s", "6s", "5s 5s 5s | 4s 5s 6s", 4),
        ("5d 5d 5d 5d", "4d", "6d", "5d 5d 5d | 4d 5d 6d", 2),
        ("6s 6s 6s 6s", "4s", "5s", "6s 6s 6s | 4s 5s 6s", 2),
        ("2c 2d 2h 2s", "3s", "4s", "2c 2d 2h | 2s 3s 4s", 0),
        ("2h 3h 4h 5h | 5s 5d 5c", "7h", "6h", "2h 3h 4h | 5c 5d 5s | 5h 6h 7h", 0),  # the fives are unchanged
        ("2h 3h 4h 5h | 5s 5d 5c", "", "Ah", "5c 5d 5h 5s | Ah 2h 3h 4h", 1 + 1),  # by adding, and a new condition
        ("2h 3h 4h 5h | 5s 5d 5c", "", "5c", "2h 3h 4h | 5c 5c 5d 5h 5s", 1),  # by adding two: once
        ("Ah 2h 3h 4h 5h | 5s 5d 5c", "", "5c", "Ah 2h 3h 4h | 5c 5c 5d 5h 5s", 1 + 1),
        ("5c 5d 5h 5s | 7c 7d 7h 7s", "", "6s", "5c 5d 5h | 5s 6s 7s | 7c 7d 7h", 1 + 1),
        ("3c 3d 3h 3s | Ac Ad Ah As", "", "2s", "3c 3d 3h | Ac Ad Ah | As 2s 3s", 1 + 0 + 2),
        ("5c 5d 5h | 5c 5d 5s", "", "5c", "5c 5c 5c 5d 5d 5h 5s", 1),  # merged
        ("2h 3h 4h | 5h 6h 7h", "", "Ah", "Ah 2h 3h 4h 5h 6h 7h", 1),
        ("2h 3h 4h | 5h 6h 7h", "", "Ah", "4h 5h 6h 7h | Ah 2h 3h", 1),
        ("5c 5d 5h | 5c 5d 5h 5s", "4s", "6s", "4s 5s 6s | 5c 5d 5h | 5c 5d 5h", 1),  # two equal ones, of which one lay there so
        ("5c 5d 5h 5s | 5c 5d 5h 5s", "", "5d", "5c 5c 5d 5d 5d 5h 5h 5s 5s", 1),
        ("5s 5s 5s | 5h 6h 7h Jh", "", "5d", "5d 5h 5s 5s 5s | 6h 7h Jh", 1),  # 4 before, 1 now: it pays what it is worth now
        ("Ks Ks Ks Ks | Qd Qh Qs", "", "Js", "", None),
        ("Ks Ks Ks Ks | Qd Qh Qs Qc", "", "Js", "Js Qs Ks | Ks Ks Ks | Qc Qd Qh", 2 + 2 + 0),
        ("2s 3s 4s 5s 6s 7s Js", "", "5s", "2s 3s 4s 5s | 5s 6s 7s Js", 0),
        ("As 2s 3s 4s 5s 6s", "", "4s", "4s 5s 6s | As 2s 3s 4s", 2),
    ],
)
def test_pays_a_rearrangement_for_each_condition_that_did_not_lie_there_so(melds, hand, card, after, paid, extension_pay):
    position = Table(f"{hand} Kc", melds, card, extension_pay=extension_pay)
    outcomes = outcomes_of(position)
    if paid is None:
        assert not outcomes
    else:
        assert outcomes[in_any_order(after)] == {paid}


@pytest.mark.parametrize("players", PLAYERS)
def test_every_opponent_pays_and_the_payments_sum_to_zero(players):
    hands = ["5s 5s 4d" if seat == 1 else FILLER for seat in range(players)]
    table = Table(hands, card="5s", turn=1).arrange("new", "5s 5s")
    expected = [-4] * players
    expected[1] = 4 * (players - 1)
    assert table.rewards == table.returns == table.chips == expected


def test_a_payment_falls_due_when_the_arrangement_is_finished_and_not_before():
    table = worked(9)
    for action in ("rearrange", "put 5d", "put 5s", "close", "put 3h", "put 4h", "close", "put 6h", "put 7h"):
        assert table.play(action).rewards == [0, 0]
    table = Table("5s 5s 4d", "", "5s").play("new", "put 5s", "put 5s")
    assert (table.rewards, table.play("close").rewards, table.play("discard 4d").rewards) == ([0, 0], [4, -4], [0, 0])


def test_chips_may_go_below_zero_and_nobody_drops_out():
    table = Table(["5s 5s 4d", FILLER, FILLER], card="5s", chips=[-7, 2, -90]).arrange("new", "5s 5s")
    assert (table.chips, table.returns) == ([1, -2, -94], [8, -4, -4])
    table.play("discard 4d", "pass", "pass")
    assert table.seat == 2


# --------------------------------------------------------------------------------------------------------------- going out


@pytest.mark.parametrize("going_out", ["eleven", "empty_hand"])
@pytest.mark.parametrize(
    ("melds", "hand", "card", "first", "puts", "paid"),
    [
        ("2c 3c 4c 5c 6c | Kc Kd Kh Ks Kc", "", "7c", "extend 0", "", 0 + 1),
        ("Ac 2c 3c 4c 5c 6c | 5s 5d 5h 5c", "", "7c", "extend 0", "", 1 + 1 + 1 + 1),  # on top of what the last laying paid
        ("2c 3c 4c 5c | Kc Kd Kh Ks", "7d 7h", "7s", "new", "7d 7h", 1 + 1 + 1),
        ("As 2s 3s 4s 5s | Ks Ks Ks", "7s Js", "6s", "extend 0", "7s Js", 3 * 2 + 1 + 2 + 2),
        ("3s 3s 3s | 5s 5s 5s", "7s 7s 7s 7s", "7s", "new", "7s 7s 7s 7s", 4 + 1 + 4 + 4 + 4),
        ("", "Kc Kc Kd Kd Kh Kh Ks Ks Ks Ks", "Kc", "new", "Kc Kc Kd Kd Kh Kh Ks Ks Ks Ks", 0 + 1 + 0),  # in the first turn
    ],
)
def test_the_deal_ends_with_eleven_on_the_table_and_pays_a_chip_and_every_condition_once_more(
    melds, hand, card, first, puts, paid, going_out
):
    table = Table(hand, melds, card, players=3, going_out=going_out)
    table.arrange(first, puts)
    assert (table.end, table.legal, table.paid, table.out, table.hand(0)) == ("terminated", "", paid, 0, "")
    assert table.returns == table.chips == [2 * paid, -paid, -paid]


def test_going_out_by_a_rearrangement_pays_both():
    table = Table("", "As 2s 3s 4s 5s 6s 7s | Kc Kd Kh", "4s")
    assert outcomes_of(table) == {"4s 5s 6s 7s | As 2s 3s 4s | Kc Kd Kh": {2 + 1 + 2}}
    assert table.end == "terminated"


def test_a_flat_player_plays_on_has_normal_turns_and_needs_one_card():
    table = Table(["", FILLER], "2c 3c 4c 5c 6c | Kc Kd Kh Ks Kc", "2d", stock="7h Qh 2d 7c")
    assert table.legal == "pass"
    table.play("pass", "pass", "pass", "pass")
    assert (table.seat, table.card, table.end) == (0, "Qh", "")
    table.play("pass")
    assert (table.card, table.legal) == ("2d", "pass")
    table.play("pass", "pass", "pass")
    assert (table.seat, table.card, table.legal) == (0, "7c", "pass, extend 0, rearrange")
    assert table.play("extend 0", "close").end == "terminated"


def test_a_flat_player_may_rearrange():
    table = Table("", "2h 3h 4h 5h 6h 7h Jh | Kc Kd Kh", "5h")
    assert table.legal == "pass, rearrange"
    assert outcomes_of(table) == {"2h 3h 4h 5h | 5h 6h 7h Jh | Kc Kd Kh": {1}}


def test_a_flat_player_can_be_forced():
    table = Table(["", FILLER], "2c 3c 4c 5c 6c | Kc Kd Kh Ks Kc", "7c").play("pass", "demand")
    assert table.legal == "extend 0"
    assert table.play("extend 0", "close").end == "terminated"
    assert table.paid == 1


@pytest.mark.parametrize(("going_out", "end", "rewards"), [("eleven", "", [0, 0, 0]), ("empty_hand", "terminated", [4, -2, -2])])
def test_the_discard_of_the_last_card_ends_the_deal_with_empty_hand_only(going_out, end, rewards):
    table = Table("2d", "2c 3c 4c 5c 6c | 5s 5d 5h 5c", "7c", players=3, going_out=going_out).arrange("extend 0")
    assert (table.end, table.rewards, table.legal) == ("", [0, 0, 0], "discard 2d")
    table.play("discard 2d")
    assert (table.end, table.rewards, table.card) == (end, rewards, "2d")
    assert (table.out, table.seat) == ((None, 1) if going_out == "eleven" else (0, table.seat))


def test_the_last_discard_ends_the_deal_with_empty_hand_even_if_it_is_live():
    table = Table(["3s"], ["2c 3c 4c 5c 6c | 5s 5d 5h 5c", "3c 3d 3h"], "7c", going_out="empty_hand")
    assert table.arrange("extend 0").play("discard 3s").end == "terminated"
    table = Table(["3s"], ["2c 3c 4c 5c 6c | 5s 5d 5h 5c", "3c 3d 3h"], "7c").arrange("extend 0").play("discard 3s")
    assert (table.end, table.seat, table.phase) == ("", 1, Phase.FIRST)  # all of the hand was live: nobody is asked


def test_a_forced_players_last_discard_ends_the_deal_with_empty_hand_before_any_extra_card():
    table = Table("2d", "2c 3c 4c 5c 6c | 5s 5d 5h 5c", "7c", going_out="empty_hand").play("pass", "demand", "extend 0", "close")
    assert table.play("discard 2d").end == "terminated"


# ----------------------------------------------------------------------------------------------------------------- forcing

RUN = "6s 7s Js"  # for which 5s and Qs are live


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


def forced(stock: str = "2h 7c", hand: str = "2d 4d", tables: str | list[str] = RUN, **options) -> Table:
    """One who was forced to take Qs onto 6s 7s Js and has 2d to discard."""
    return Table(hand, tables, "Qs", stock=stock, **options).play("pass", "demand", "extend 0", "close")


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


# ---------------------------------------------------------------------------------------------------------------- stock out


def test_the_deal_ends_when_a_card_has_to_be_turned_and_the_stock_is_empty():
    table = Table([FILLER, FILLER], card="7c", stock="", chips=[6, -6], dead="2c 2c").play("pass")
    assert (table.end, table.legal, table.out, table.chips, table.returns) == ("terminated", "", None, [6, -6], [0, 0])


def test_an_empty_stock_does_not_end_the_deal_before_a_card_has_to_be_turned():
    table = Table(["6c 6d 2d"], card="6h", stock="").arrange("new", "6c 6d").play("discard 2d")
    assert (table.end, table.seat) == ("", 1)
    table = Table([FILLER, FILLER], card="7c", stock="7d").play("pass", "pass")
    assert (table.end, table.seat, table.stock) == ("", 1, "")
    assert table.play("pass").end == "terminated"


def test_a_declined_live_x_is_asked_about_before_the_deal_ends_by_the_stock():
    table = Table("2d 4d", RUN, "Qs", stock="").play("pass")
    assert (table.end, table.phase) == ("", Phase.ASK_USE)
    assert table.play("pass").end == "terminated"


def test_payments_stand_when_the_deal_ends_by_the_stock():
    table = Table(["5s 5s 2d"], card="5s", stock="", players=3).arrange("new", "5s 5s").play("discard 2d", "pass")
    assert (table.end, table.returns, table.rewards) == ("terminated", [8, -4, -4], [0, 0, 0])


def test_reshuffle_makes_the_dead_cards_a_new_stock_in_the_order_given():
    table = Table([FILLER, FILLER], card="7c", stock="", dead="2c 3c 3c", reshuffled="3c 7c 3c 2c", stock_out="reshuffle").play("pass")
    assert (table.end, table.seat, table.phase, table.sees(1, "reshuffled")) == ("", 0, Phase.SECOND, 1)
    assert (table.card, table.stock, table.dead) == ("3c", "7c 3c 2c", "")
    assert table.sees(0, "stock_size") == pytest.approx(3 / 320)


def test_reshuffle_is_done_once():
    table = Table([FILLER, FILLER], card="7c", stock="", dead="2c", reshuffled="2c 7c", stock_out="reshuffle").play("pass")
    table.play("pass", "pass")  # 2c declined twice, 7c turned
    assert (table.card, table.stock, table.dead, table.end) == ("7c", "", "2c", "")
    table.play("pass")
    assert table.play("pass").end == "terminated"
    assert (table.dead, table.out) == ("2c 7c", None)
    table = Table([FILLER, FILLER], card="7c", stock="", dead="2c", is_reshuffled=True, stock_out="reshuffle")
    assert table.play("pass").end == "terminated"


def test_reshuffle_of_the_card_just_declined_alone():
    table = Table([FILLER, FILLER], card="7c", stock="", stock_out="reshuffle").play("pass")
    assert (table.card, table.dead, table.phase) == ("7c", "", Phase.SECOND)


def test_reshuffle_waits_until_a_card_has_to_be_turned():
    table = Table([FILLER, FILLER], card="7c", stock="7d", dead="2c", stock_out="reshuffle").play("pass", "pass")
    assert (table.stock, table.dead, table.sees(0, "reshuffled")) == ("", "2c 7c", 0)


@pytest.mark.parametrize(("dead", "is_reshuffled", "legal"), [("2c 3c", False, "pass, turn"), ("", False, "pass"), ("2c 3c", True, "pass")])
def test_reshuffle_gives_an_extra_card_if_it_can(dead, is_reshuffled, legal):
    table = forced("", dead=dead, is_reshuffled=is_reshuffled, reshuffled="3c 2c", stock_out="reshuffle").play("discard 2d")
    assert (table.phase, table.legal) == (Phase.EXTRA, legal)
    if "turn" in legal:
        table.play("turn")
        assert (table.card, table.stock, table.dead) == ("3c", "2c", "2d")  # the discard is covered by the card turned


def test_the_order_of_a_reshuffle_is_in_the_record():
    table = Table([FILLER, FILLER], card="7c", stock="", dead="2c 3c 3c", stock_out="reshuffle").play("pass")
    (chance,) = PENGINGAN.chances
    assert chance.write(table.state) == [table.card, *table.stock.split()]
    assert chance.write(Table(card="7c").state) is None


def test_a_reshuffle_is_random_each_order_as_likely():
    table = Table([FILLER, FILLER], card="7c", stock="", dead="2c 3c", stock_out="reshuffle")
    orders: dict[str, int] = {}
    for seed in Batch(PENGINGAN, 6 * 100, SEED).states["reshuffle_seed"]:
        state = table.state.copy()
        state["reshuffle_seed"] = seed
        PENGINGAN.functions.apply(state, rules.PASS)
        order = " ".join(CARDS[card] for card in (state["card"], *state["stock"][:2][::-1]))
        orders[order] = orders.get(order, 0) + 1
    assert len(orders) == 6
    assert chisquare(list(orders.values())).pvalue > MIN_P_VALUE


@pytest.mark.parametrize("given", ["2c 3c", ["2c", "8c"], ["2c"] * 4, [3]])
def test_an_impossible_order_of_a_reshuffle_is_refused(given):
    batch = Batch(PENGINGAN, 1, num_players=3, stock_out="reshuffle")
    with pytest.raises(ValueError, match="reshuffled"):
        batch.reset(chances={"reshuffled": [given]})


# ----------------------------------------------------------------------------------------------------------------- max_moves


def test_max_moves_is_20000_by_default():
    assert PENGINGAN.complete_options({})["max_moves"] == 20_000


def test_max_moves_truncates_at_the_limit_and_not_before():
    table = Table(["5s 5s 2d"], card="5s", max_moves=5).play("new", "put 5s", "put 5s", "close")
    assert (table.end, table.rewards) == ("", [4, -4])
    table.play("discard 2d")
    assert (table.end, table.legal, table.returns, table.rewards) == ("truncated", "", [4, -4], [0, 0])


def test_max_moves_counts_every_decision_and_truncates_in_the_middle_of_a_turn():
    table = Table("2d 4d", RUN, "Qs", moves=97, max_moves=100).play("pass", "demand")
    assert (table.end, table.legal) == ("", "extend 0")
    assert table.play("extend 0").end == "truncated"


@pytest.mark.parametrize("moves", [0, 8])
def test_max_moves_does_not_truncate_a_deal_that_ends_with_the_same_move(moves):
    table = Table("", "2c 3c 4c 5c 6c | Kc Kd Kh Ks Kc", "7c", moves=moves, max_moves=moves + 2).play("extend 0", "close")
    assert (table.end, table.paid) == ("terminated", 1)
    assert Table([FILLER], card="7c", stock="", moves=moves, max_moves=moves + 1).play("pass").end == "terminated"


# -------------------------------------------------------------------------------------------------------------- auto_single


def test_auto_single_plays_the_forced_steps_and_adds_up_what_they_pay():
    table = Table(["2d"], ["As 2s 3s | 7c 7d 7h"], "4s", stock="", auto_single=True).play("pass", "demand")
    # extend 0, close, discard 2d, pass; and seat 1 declines 2d, which ends the deal: there is nothing to choose
    assert (table.end, table.dead, int(table.state["moves"])) == ("terminated", "2d", 2 + 5)
    assert table.rewards == table.returns == [2, -2]


# ----------------------------------------------------------------------------------------------------- what a player sees


def seen(table: Table, seat: int) -> dict[str, object]:
    return {piece.name: table.sees(seat, piece.name) for piece, _ in PENGINGAN.observation_layout(table.batch.num_players)}


NO_MELDS = {f"meld_{k}_{what}": value for k in range(3) for what, value in (("ranks", ""), ("suits", [0] * 4), ("value", 0))}
NO_FORMER = {f"former_{k}_{what}": value for k in range(3) for what, value in (("ranks", ""), ("suits", [0] * 4))}
NOTHING_BUILT = {"building": [0] * 3, "open": [0] * 3, "last_put": 0, "loose": "", **NO_FORMER}


def one_hot(phase: Phase) -> list[int]:
    return [int(phase == other) for other in Phase]


def expect(common: dict[str, object], blocks: list[dict[str, object]]) -> dict[str, object]:
    """What is seen: the common pieces, then the blocks from the observer's on."""
    expected = {**common, **{f"seat_{k}.{name}": value for k, block in enumerate(blocks) for name, value in block.items()}}
    return {name: value if isinstance(value, str) else pytest.approx(value) for name, value in expected.items()}


def test_a_player_sees_what_the_page_lists():
    table = Table(
        ["2d 3d 3d", "6c 6c Ks 2d 4h Qh Kh", ""],
        ["6s 7s Js | 5s 5s 5s 5s", "3c 3d 3h", "Ac Ad As | Ks Ks Kd | 2c 3c 4c 5c"],
        "Qs",
        known=["3d", "", ""],
        chips=[7, -12, 5],
        dead="2c 2c 7d",
        stock="Jd Jd Jc",
        dealer=2,
        moves=49,
        max_moves=100,
        phase=Phase.SECOND,
        is_extra=True,
    ).play("pass")
    common = {
        "hand": "6c 6c 2d 4h Qh Kh Ks",
        "dead": "2c 2c 7d",
        "card": "Qs",
        "phase": one_hot(Phase.ASK_USE),
        **NOTHING_BUILT,
        "turned": 1,
        "extra": 1,
        "forced": 0,
        "returned": 0,
        "reshuffled": 0,
        "packs": 3 / 8,
        "stock_size": 3 / 320,
        "moves": 0.5,
    }
    own = {
        "to_move": 1,
        "turn": 0,
        "dealer": 0,
        "hand_size": 0.7,
        "table_size": 3 / 11,
        "chips": -0.12,
        **NO_MELDS,
        "meld_0_ranks": "3",
        "meld_0_suits": [0.1, 0.1, 0.1, 0],
        "meld_0_value": 1 / 4,
        "live": "3c 3d 3h 3s",
        "known": "",
    }
    after = {
        "to_move": 0,
        "turn": 0,
        "dealer": 1,
        "hand_size": 0,
        "table_size": 10 / 11,
        "chips": 0.05,
        **NO_MELDS,
        "meld_0_ranks": "A",
        "meld_0_suits": [0.1, 0.1, 0, 0.1],
        "meld_1_ranks": "K",
        "meld_1_suits": [0, 0.1, 0, 0.2],
        "meld_2_ranks": "2345",
        "meld_2_suits": [0.4, 0, 0, 0],
        "live": "Ac 6c Kc Ad Kd Ah Kh As Ks",
        "known": "",
    }
    player = {
        "to_move": 0,
        "turn": 1,
        "dealer": 0,
        "hand_size": 0.3,
        "table_size": 7 / 11,
        "chips": 0.07,
        **NO_MELDS,
        "meld_0_ranks": "67J",
        "meld_0_suits": [0, 0, 0, 0.3],
        "meld_1_ranks": "5",
        "meld_1_suits": [0, 0, 0, 0.4],
        "meld_1_value": 1,
        "live": "5s Qs",
        "known": "3d",
    }
    assert seen(table, 1) == expect(common, [own, after, player])


@pytest.mark.parametrize(("packs", "share"), [("players", 2 / 3), (2, 1), (8, 1 / 4)])
def test_cards_are_seen_as_shares_of_their_copies(packs, share):
    table = Table(["2d 2d"], card="Qs", players=3, dead="2d 2d", packs=packs)
    slices = PENGINGAN.observation_layout(3).slices
    seen_by_owner = table.batch.observe([0])[0]
    card = CARDS.index("2d")
    assert seen_by_owner[slices["hand"]][card] == seen_by_owner[slices["dead"]][card] == pytest.approx(share)


@pytest.mark.parametrize(("chips", "shown"), [(100, 1), (250, 1), (-250, -1), (-99, -0.99)])
def test_chips_are_cut_off_at_a_hundred(chips, shown):
    assert Table(card="Qs", chips=[chips, -chips]).sees(1, "seat_1.chips") == pytest.approx(shown)


def test_everyone_sees_a_half_built_arrangement():
    table = worked(9, players=2).play("rearrange", "put 5d", "put 5s", "close", "put 3h", "put 4h")
    pieces = seen(table, 1)
    assert (pieces["card"], pieces["loose"], pieces["phase"]) == ("6h", "5h 6h", one_hot(Phase.BUILD))
    assert (pieces["building"], pieces["open"], pieces["last_put"]) == ([0, 0, 1], [0, 1, 0], pytest.approx(24 / 40))
    assert (pieces["former_0_ranks"], pieces["former_1_ranks"], pieces["former_2_ranks"]) == ("2345", "5", "")
    assert pieces["former_1_suits"] == pytest.approx([0.1, 0.1, 0, 0.1])
    assert (pieces["seat_1.meld_0_ranks"], pieces["seat_1.meld_0_value"]) == ("5", 1 / 4)
    assert (pieces["seat_1.meld_1_ranks"], pieces["seat_1.meld_1_value"]) == ("234", 0)  # open: not worth anything yet
    assert pieces["seat_1.live"] == "5c 5d Ah 5h 6h 5s"  # as before
    assert (pieces["seat_1.table_size"], pieces["seat_1.hand_size"]) == (pytest.approx(8 / 11), pytest.approx(0.3))


@pytest.mark.parametrize(("what", "number"), [("new", 0), ("extend 0", 1)])
def test_everyone_sees_what_kind_of_arrangement_is_built_and_where(what, number):
    table = Table("Qc Qd 2c", RUN, "Qs").play(what)
    assert table.sees(1, "building") == [int(k == number) for k in range(3)]
    assert table.sees(1, "open") == ([0, 1, 0] if what == "new" else [1, 0, 0])
    assert (table.sees(1, "former_0_ranks"), table.sees(1, "loose"), table.sees(1, "last_put")) == ("67J", "", 0)


@pytest.mark.parametrize("seat", [0, 2])
def test_nobody_sees_other_hands_or_the_order_of_the_stock(seat):
    one = Table(["2d 3d", "6c 6d 7h", "Kc Kd 2h"], card="Qs", stock="Jd 7c 7c")
    other = Table(["2d 3d", "As 7c Qh", "Kc Kd 2h"], card="Qs", stock="6c Jd 7h")
    assert np.array_equal(one.batch.observe([seat]), other.batch.observe([seat]))
    assert not np.array_equal(one.batch.observe([1]), other.batch.observe([1]))


# --------------------------------------------------------------------------------------------------- the record hangs together

VARIANTS = [
    {},
    {"num_players": 2, "stock_out": "reshuffle", "hand_cards": "any_meld"},
    {"num_players": 3, "packs": 2, "forcing": "always", "going_out": "empty_hand"},
    {"num_players": 8, "extension_pay": "once"},
    {"num_players": 6, "forcing": "never", "rearrange": False, "packs": 8},
]


def random_steps(**options):
    """Batches after each step of random play, until all deals have ended; passes are rarer than uniform play would make them."""
    batch = Batch(PENGINGAN, 24, SEED, autoreset=False, **options)
    generator = np.random.default_rng(SEED)
    weights = np.where(np.arange(len(PENGINGAN.actions)) == rules.PASS, 0.4, 1)
    while not batch.ended.all():
        batch.step(np.argmax(generator.random(batch.masks.shape) * batch.masks * weights, axis=1))
        yield batch


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_payments_sum_to_zero_at_every_step_and_make_up_the_chips(options):
    paid = False
    for batch in random_steps(**options):
        assert (batch.rewards.sum(1) == 0).all()
        assert (batch.returns == batch.states["chips"][:, : batch.num_players]).all()
        paid |= bool(batch.rewards.any())
    assert paid


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_card_is_somewhere_once_at_every_step(options):
    for batch in random_steps(**options):
        layout = PENGINGAN.state_layout(batch.num_players)
        out = np.empty((batch.num_envs, layout.size), np.float32)
        PENGINGAN.loops.view_rows(batch.states, 0, batch.num_envs, out)
        places = ["stock", "dead", "pile", "loose", *(f"player_{k}.{what}" for k in range(batch.num_players) for what in ("hand", "table"))]
        np.testing.assert_allclose(sum(out[:, layout.slices[place]] for place in places), 1, rtol=0, atol=1e-5)


@pytest.mark.parametrize("options", VARIANTS, ids=str)
def test_every_count_in_the_record_is_that_of_its_cards(options):
    for batch in random_steps(**options):
        states = batch.states
        assert (states["hand"].sum(2) == states["hand_size"]).all()
        assert (states["dead"].sum(1) == states["dead_size"]).all()
        assert (states["known"] <= states["hand"]).all()
        assert (states["known"].sum(2) == states["known_size"]).all()
        closed = states["phase"] != Phase.BUILD
        assert (states["table"].sum(2) == states["table_size"])[closed].all()
        unturned = np.arange(states["stock"].shape[1]) < states["stock_size"][:, None]
        assert not states["stock"][~unturned].any()  # a card that was turned leaves no trace
        owned = states["hand_size"] + states["table_size"]
        going = ~batch.ended
        between = going & (states["phase"] == Phase.FIRST)
        assert (owned[between, : batch.num_players] == 10).all()
