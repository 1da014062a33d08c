"""The rules of Pengingan, sentence by sentence of RULES.md: positions and what may be done in them, in the text notation.

Unless a table says otherwise seat 0 is in turn with a card that lay face up (x), and has the hand and the melds that are named.
"""

from pathlib import Path

import numpy as np
import pytest
from pengingan_positions import FILLER, PENGINGAN, WORKED_CASES, Table, fresh_deal, in_any_order, worked

from penzoo.envs import pengingan
from penzoo.envs.batch import Batch
from penzoo.envs.pengingan import rules
from penzoo.envs.pengingan.state import CARDS, Phase

PLAYERS = range(2, 9)
RANKS = "A234567JQK"  # low to high (S, D)
NUMBERS = {"two": 2, "five": 5, "six": 6, "seven": 7}  # as the worked cases name them


def is_meld(names: str) -> bool:
    """Whether cards can be laid as one new meld; it must not matter which of them is the card used."""
    cards = sorted(names.split(), key=CARDS.index)
    answers = set()
    for number, card in enumerate(cards):
        others = cards[:number] + cards[number + 1 :]
        answers.add(" ".join(cards) in Table(" ".join(others), "", card).arrangements("new"))
    assert len(answers) == 1, f"{names}: {answers}"
    return answers.pop()


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
