"""What melds pay, and how a player goes out (RULES.md): positions in the text notation, as in `test_pengingan_rules`."""

import pytest
from pengingan_positions import FILLER, Table, in_any_order, in_order, outcomes_of, worked

from penzoo.envs.pengingan.state import Phase

PLAYERS = range(2, 9)
RANKS = "A234567JQK"  # low to high (S, D)


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
