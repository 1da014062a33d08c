"""The rules of Пень, sentence by sentence of RULES.md: positions and what may be done in them, in the text notation.

Unless a table says otherwise trumps are hearts, seat 0 is to move, and the cards that are not named play no part.
"""

from pathlib import Path

import numpy as np
import pytest
from positions import PEN, Table, fresh_deal
from scipy.stats import chi2_contingency, chisquare

from penzoo.envs import pen, rng
from penzoo.envs.batch import Batch
from penzoo.envs.pen import rules
from penzoo.envs.pen.state import CARDS, HAND, STUMP

SEED = 20240
PLAYERS = range(2, 7)
RANKS = "6789JQKTA"  # low to high (S)
TAKES = {"A": 6, "K": 4, "Q": 3, "J": 2, "T": 10, "9": 9, "8": 8, "7": 7, "6": 6}  # (S)
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never

# The worked cases of the page: top of the pile, cards below it, hand, legal; trumps hearts.
WORKED_CASES = [
    ("Kc", "", "Tc Ac Qc 6h 9d", "Tc Ac 6h take"),
    ("Ts", "", "As Ks", "As take"),
    ("9h", "", "6h Jh Ad", "Jh take"),
    ("Ac", "6s 7s", "7d", "take"),
    ("Tc", "6s 7s 8s 9s Js Qs Ks Ts As 6d 8d 9d Jd", "9c", "take"),
]


def full_of(count: int, *, without: str) -> str:
    """So many cards for the bottom of a pile, none of them among the given."""
    return " ".join([card for card in CARDS if card not in without.split()][:count])


# ------------------------------------------------------------------------------------------------------------- worked cases


@pytest.mark.parametrize(("top", "below", "hand", "legal"), WORKED_CASES)
def test_worked_cases_of_the_page(top, below, hand, legal):
    assert Table([hand, "6c"], pile=f"{below} {top}").legal == legal


def test_worked_cases_are_those_of_the_page():
    page = (Path(pen.__file__).parent / "RULES.md").read_text(encoding="utf-8")
    rows = page.split("## Worked cases (trumps hearts)")[1].split("## ")[0].strip().splitlines()[2:]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    assert [(top.split()[0], hand) for top, hand, _ in cells] == [(top, hand) for top, _, hand, _ in WORKED_CASES]
    for (_, _, said), (_, _, _, legal) in zip(cells, WORKED_CASES, strict=True):
        assert said.startswith(legal)


def test_worked_case_an_ace_on_three_cards_gives_all_three_and_the_next_player_leads():
    table = Table(["7d", "6c"], pile="6s 7s Ac").play("take")
    assert (table.hand(0), table.pile, table.seat, table.leads, table.legal) == ("Ac 7d 6s 7s", "", 1, True, "6c")


def test_worked_case_a_ten_on_fourteen_cards_gives_ten_and_the_fourth_from_the_bottom_is_to_beat():
    table = Table(["9c", "6c Tc Th"], pile="6s 7s 8s 9s Js Qs Ks Ts As 6d 7d 8d 9d Td").play("take")
    assert (table.pile, table.seat, table.leads, table.legal) == ("6s 7s 8s 9s", 1, False, "Th take")


# ------------------------------------------------------------------------------------------------------------------- cards


@pytest.mark.parametrize("trumps", "cdhs")
def test_a_card_beats_a_lower_one_of_its_suit_and_a_trump_any_other_suit(trumps):
    for top in CARDS:
        hand = [card for card in CARDS if card != top]
        beating = [
            card
            for card in hand
            if (card[1] == top[1] and RANKS.index(card[0]) > RANKS.index(top[0])) or (card[1] != top[1] and card[1] == trumps)
        ]
        assert Table([" ".join(hand), ""], pile=top, trumps=trumps).legal.split() == [*beating, "take"], top


@pytest.mark.parametrize(
    ("top", "hand", "legal"),
    [
        ("Ks", "Qs Ts", "Ts take"),  # the ten stands above the king …
        ("Ts", "Ks", "take"),
        ("As", "Ts", "take"),  # … and below the ace
        ("Jd", "Qd Kd", "Qd Kd take"),
        ("9d", "Jd", "Jd take"),
        ("Jd", "9d", "take"),
        ("Ah", "Th Ad", "take"),  # nothing beats the ace of trumps
        ("6h", "Ad Ac As", "take"),  # no other suit beats a trump
        ("As", "6h", "6h take"),  # the lowest trump beats any other card
        ("6c", "As Ad", "take"),  # another suit that is not trumps
    ],
)
def test_ten_stands_second_and_trumps_beat(top, hand, legal):
    assert Table([hand, ""], pile=top).legal == legal


def test_there_are_36_cards_and_37_actions():
    assert sorted(PEN.card_names) == sorted(rank + suit for rank in RANKS for suit in "cdhs")
    assert PEN.actions.names == (*CARDS, "take")
    assert (PEN.min_players, PEN.max_players) == (2, 6)


def test_the_trump_card_is_any_of_the_36_and_independent_of_the_deck():
    batch = Batch(PEN, 36 * 400, SEED)
    trumps = batch.states["trump_card"]
    where = np.argmax(batch.decks == trumps[:, None], axis=1)
    assert chisquare(np.bincount(trumps, minlength=36)).pvalue > MIN_P_VALUE
    assert chisquare(np.bincount(where, minlength=36)).pvalue > MIN_P_VALUE
    pairs = np.zeros((4, 36))
    np.add.at(pairs, (batch.decks[:, 0] // 9, trumps), 1)
    assert chi2_contingency(pairs).pvalue > MIN_P_VALUE


def test_the_trump_card_stays_in_the_deck_and_its_suit_is_trumps():
    table = fresh_deal(6, trump_card="Kd")
    assert (table.state["place"] != -1).all()
    assert table.sees(0, "trump_card") == table.sees(5, "trump_card") == "Kd"


# -------------------------------------------------------------------------------------------------------------------- deal


@pytest.mark.parametrize("players", PLAYERS)
def test_deal_order_stumps_go_round_first_then_hands_from_the_seat_after_the_dealer(players):
    deck = [CARDS[card] for card in np.random.default_rng(players).permutation(36)]
    for dealer in range(players):
        table = fresh_deal(players, deck, dealer)
        packets = [(dealer + 1 + turn) % players for turn in range(players)]
        for turn, seat in enumerate(packets):
            assert set(table.stump(seat).split()) == set(deck[2 * turn : 2 * turn + 2])
            start = 2 * players + 4 * turn
            assert set(table.hand(seat).split()) == set(deck[start : start + 4])
        assert table.stock.split() == deck[6 * players :]


@pytest.mark.parametrize("players", PLAYERS)
def test_the_seat_after_the_dealer_leads_first_and_only_leads(players):
    for dealer in range(players):
        table = fresh_deal(players, dealer=dealer)
        first = (dealer + 1) % players
        assert (table.seat, table.leads, table.pile) == (first, True, "")
        assert table.legal == table.hand(first)
        card = table.legal.split()[0]
        table.play(card)
        assert (table.seat, table.leads, table.pile) == ((first + 1) % players, False, card)


def test_with_six_players_all_cards_are_dealt():
    assert fresh_deal(6).stock == ""


def test_nobody_sees_a_stump_its_owner_included():
    table = Table(["6c 7c", "6d"], stumps=["Ah Ad", "As Ac"], stock="6s")
    seen = " ".join(str(table.sees(seat, piece)) for seat in (0, 1) for piece in ("hand", "pile", "top", "seat_0.known", "seat_1.known"))
    assert not set(seen.split()) & {"Ah", "Ad", "As", "Ac"}


# ------------------------------------------------------------------------------------------------------------ beat or take


@pytest.mark.parametrize(
    ("must_beat", "hand", "legal"),
    [
        (False, "Kc 6d", "Kc take"),  # takes even if able to beat
        (True, "Kc 6d", "Kc"),  # only one who cannot beat may take
        (True, "6h 6d", "6h"),  # a trump is able too
        (True, "6c 6d", "take"),
        (False, "6c 6d", "take"),
    ],
)
def test_must_beat_takes_the_choice_from_one_who_can_beat(must_beat, hand, legal):
    assert Table([hand, "As"], pile="9c", must_beat=must_beat).legal == legal


@pytest.mark.parametrize("must_beat", [False, True])
def test_a_lead_is_any_card_of_the_hand_whatever_must_beat_says(must_beat):
    assert Table(["6c Kd Th", "As"], must_beat=must_beat).legal == "6c Kd Th"
    assert Table(["6c Kd Th", "As"], pile="Ac", leads=True, must_beat=must_beat).legal == "6c Kd Th"


@pytest.mark.parametrize("trump", [False, True])
@pytest.mark.parametrize("rank", RANKS)
def test_the_number_taken_is_set_by_the_top_card_or_is_the_whole_pile(rank, trump):
    top, hand = rank + ("h" if trump else "c"), "6d"
    for size in range(1, 14):
        below = full_of(size - 1, without=f"{top} {hand}")
        table = Table([hand, "7s 8s"], pile=f"{below} {top}")
        pile = table.pile.split()
        count = min(TAKES[rank], size)
        table.play("take")
        assert set(table.hand(0).split()) == {hand, *pile[size - count :]}
        assert table.pile.split() == pile[: size - count]
        assert table.state["in_hand"][0] == 1 + count
        assert (table.seat, table.leads) == (1, size == count)


def test_after_a_take_the_next_player_must_beat_the_new_top_card():
    table = Table(["6d", "Qc 8s 6c", "9s"], pile="9d Jc 7s Jd").play("take")
    assert (table.pile, table.seat, table.legal) == ("9d Jc", 1, "Qc take")


def test_a_take_passes_the_turn_over_those_who_are_out():
    table = Table(["6d", None, None, "As", "Ts"], pile="9c Jc 7s Jd").play("take")
    assert (table.seat, table.leads) == (3, False)


def test_takes_may_go_round_until_the_pile_is_empty_and_then_the_next_leads():
    table = Table(["6d", "7d", "8d"], pile="7c Jc Qs Js").play("take take")
    assert (table.hand(0), table.hand(1)) == ("6d Js Qs", "7c Jc 7d")
    assert (table.pile, table.seat, table.leads) == ("", 2, True)


def test_a_take_draws_nothing_from_the_stock():
    table = Table(["6d 7d", "8d 9d"], pile="Jc", stock="6s 7s", stumps=["Ac Ad", "As Ts"]).play("take")
    assert (table.hand(0), table.stock) == ("Jc 6d 7d", "6s 7s")


def test_cards_taken_from_the_pile_are_known_until_they_are_played():
    table = Table(["6d", "7d", "8d"], pile="9c Jc").play("take")
    assert table.sees(1, "seat_2.known") == table.sees(2, "seat_1.known") == table.sees(0, "seat_0.known") == "9c Jc"
    table.play("7d take Jc")
    assert table.sees(0, "seat_0.known") == table.sees(2, "seat_1.known") == "9c"


# ------------------------------------------------------------------------------------------------------------------- leads


def test_after_beating_the_same_player_puts_one_more_card_of_any_kind():
    table = Table(["Kc 6d 7h 8s", "As"], pile="9c").play("Kc")
    assert (table.seat, table.leads, table.pile, table.legal) == (0, True, "9c Kc", "6d 7h 8s")
    table.play("6d")
    assert (table.seat, table.leads, table.pile) == (1, False, "9c Kc 6d")


def test_one_who_finds_the_pile_empty_only_leads():
    table = Table(["6d", "As Ks", "6s"], pile="7c").play("take")
    assert (table.seat, table.legal) == (1, "Ks As")
    table.play("Ks")
    assert (table.seat, table.leads) == (2, False)


# ----------------------------------------------------------------------------------------------------------------- fill up


@pytest.mark.parametrize(
    ("hand", "pile", "stock", "actions", "hand_after", "stock_after"),
    [
        ("6c 7c 8c 9c", "", "Ks Qs Js", "6c", "7c 8c 9c Ks", "Qs Js"),  # after a lead
        ("6c 7c 8c Kc", "9c", "Ks Qs Js", "Kc", "6c 7c 8c", "Ks Qs Js"),  # the turn is not over after the beat
        ("6c 7c 8c Kc", "9c", "Ks Qs Js", "Kc 8c", "6c 7c Qs Ks", "Js"),  # after beat and lead
        ("6c 7c 8c Kc", "9c", "Ks", "Kc 8c", "6c 7c Ks", ""),  # while the stock lasts
        ("6c 7c 8c Kc 6d", "9c", "Ks Qs", "Kc 8c", "6c 7c 6d Ks", "Qs"),
        ("6c 7c 8c Kc 6d 7d", "9c", "Ks Qs", "Kc 8c", "6c 7c 6d 7d", "Ks Qs"),  # four are enough
        ("6c 7c 8c Kc 6d 7d 8d", "", "Ks Qs", "Kc", "6c 7c 8c 6d 7d 8d", "Ks Qs"),  # more than four are kept
        ("6c 7c 8c", "", "", "6c", "7c 8c", ""),  # no stock, no cards
        ("6c", "", "Ks Qs Js", "6c", "Js Qs Ks", ""),  # and the stump lies on
    ],
)
def test_fill_up_to_four_after_a_turn_in_which_a_card_was_played(hand, pile, stock, actions, hand_after, stock_after):
    table = Table([hand, "As"], pile=pile, stock=stock, stumps=["6h 7h", "8h 9h"]).play(actions)
    assert (table.hand(0), table.stock) == (hand_after, stock_after)
    assert table.stump(0) == "6h 7h"


def test_while_there_is_a_stock_every_turn_begins_with_four_cards_in_each_hand():
    for players in PLAYERS:
        batch = Batch(PEN, 64, SEED, num_players=players)
        generator = np.random.default_rng(SEED)
        for _ in range(150):
            states = batch.states
            begun = (states["stock_size"] > 0) & ((states["phase"] == 1) | (states["pile_size"] == 0))
            assert (states["in_hand"][begun, :players] >= 4).all()
            batch.step(np.argmax(generator.random(batch.masks.shape) * batch.masks, axis=1))


# ------------------------------------------------------------------------------------------------------------------- stump


def test_stump_is_taken_up_by_one_who_beat_with_the_last_card_and_leads_from_it_in_the_same_turn():
    table = Table(["Kc", "As", "Ts"], pile="9c", stumps=["6d 7d", "", ""]).play("Kc")
    assert (table.hand(0), table.stump(0), table.seat, table.leads, table.legal) == ("6d 7d", "", 0, True, "6d 7d")
    table.play("7d")
    assert (table.hand(0), table.pile, table.seat, table.leads) == ("6d", "9c Kc 7d", 1, False)


def test_stump_is_taken_up_at_once_by_one_who_led_the_last_card():
    table = Table(["Kc", "As", "Ts"], stumps=["6d 7d", "", ""]).play("Kc")
    assert (table.hand(0), table.stump(0), table.seat, table.leads) == ("6d 7d", "", 1, False)
    assert not table.is_out(0)


def test_stump_lies_while_the_hand_holds_a_card():
    assert Table(["Kc 6s", "As"], pile="9c", stumps=["6d 7d", ""]).play("Kc").stump(0) == "6d 7d"
    assert Table(["Kc 6s", "As"], stumps=["6d 7d", ""]).play("Kc").stump(0) == "6d 7d"


def test_stump_is_not_taken_up_by_a_take():
    assert Table(["6s", "As"], pile="9c", stumps=["6d 7d", ""]).play("take").stump(0) == "6d 7d"


def test_only_the_owner_takes_up_a_stump_and_only_the_owner_sees_it_then():
    table = Table(["Kc", "As"], stumps=["6d 7d", "8d 9d"])
    assert table.sees(1, "seat_1.stump") == table.sees(0, "seat_0.stump") == 1
    table.play("Kc")
    assert (table.hand(1), table.stump(1)) == ("As", "8d 9d")
    assert (table.sees(0, "hand"), table.sees(0, "seat_0.stump"), table.sees(1, "seat_1.stump")) == ("6d 7d", 0, 0)
    assert (table.sees(1, "seat_1.known"), table.sees(1, "seat_1.hand_size")) == ("", pytest.approx(2 / 36))


def test_one_with_a_stump_left_is_not_out():
    table = Table(["Kc", "As Ts"], pile="9c", stumps=["6d 7d", ""]).play("Kc 6d")
    assert (table.is_out(0), table.hand(0), table.end) == (False, "7d", "")


# --------------------------------------------------------------------------------------------------------------------- out


def test_one_who_went_out_by_beating_leads_nothing_and_the_next_must_beat_that_card():
    table = Table(["Kc", "As Tc", "Ts 6s"], pile="9c").play("Kc")
    assert (table.is_out(0), table.seat, table.leads, table.pile, table.legal) == (True, 1, False, "9c Kc", "Tc take")


def test_one_who_went_out_by_leading_leaves_the_led_card_to_beat():
    table = Table(["Kc", "As Tc", "Ts 6s"]).play("Kc")
    assert (table.is_out(0), table.seat, table.leads, table.legal) == (True, 1, False, "Tc take")


def test_one_who_leads_the_last_card_after_beating_is_out_and_the_led_card_is_to_beat():
    table = Table(["Kc 6s", "8s Tc", "Ts 7s"], pile="9c").play("Kc 6s")
    assert (table.is_out(0), table.seat, table.legal) == (True, 1, "8s take")


def test_one_who_is_out_gets_no_turn_any_more():
    table = Table(["Kc", "As Tc 6d", "Ts 6s 7s", None], out=[3]).play("Kc Tc 6d")
    assert table.seat == 2
    assert table.play("take").seat == 1  # past seat 3 and seat 0


def test_the_order_in_which_seats_went_out_is_public():
    table = Table(["Kc", None, "Ts 6s 7s", "As 6h"], out=[1]).play("Kc")
    assert [table.sees(2, f"seat_{k}.out") for k in range(4)] == [0, 0, 0.5, 0.25]


def test_with_a_stock_nobody_goes_out():
    table = Table(["Kc", "As Ts 8s 9s"], stock="6d").play("Kc")
    assert (table.is_out(0), table.hand(0), table.stock) == (False, "6d", "")


# --------------------------------------------------------------------------------------------------------------------- end

BY_LEADING, BY_BEATING = {"hand": "Kc", "pile": ""}, {"hand": "Kc", "pile": "9c"}


@pytest.mark.parametrize("way", [BY_LEADING, BY_BEATING], ids=["by leading", "by beating"])
@pytest.mark.parametrize(
    ("last_hand", "last_stump", "gets_the_turn"),
    [
        ("Tc", "", True),  # exactly one card, which beats
        ("6h", "", True),  # a trump beats as well
        ("Qc", "", False),  # it does not beat
        ("As", "", False),  # another suit
        ("Tc Ac", "", False),  # two cards
        ("Tc 6d", "", False),
        ("Tc", "6d 7d", False),  # a stump still lies
        ("Tc", "6h Ah", False),
    ],
)
def test_the_last_player_gets_the_turn_only_with_one_card_which_beats_and_no_stump(way, last_hand, last_stump, gets_the_turn):
    table = Table([way["hand"], last_hand], pile=way["pile"], stumps=["", last_stump]).play("Kc")
    if gets_the_turn:
        assert (table.end, table.seat, table.leads, table.legal) == ("", 1, False, f"{last_hand} take")
    else:
        assert (table.end, table.legal, table.returns) == ("terminated", "", [1, -1])
        assert (table.hand(1), table.stump(1)) == (last_hand, last_stump)


@pytest.mark.parametrize("way", [BY_LEADING, BY_BEATING], ids=["by leading", "by beating"])
def test_the_last_player_who_beats_with_the_last_card_makes_a_draw(way):
    table = Table([way["hand"], "Tc"], pile=way["pile"]).play("Kc Tc")
    assert (table.end, table.legal, table.returns) == ("terminated", "", [0, 0])
    assert table.is_out(0) and table.is_out(1)


def test_the_last_player_who_takes_instead_has_lost_and_the_cards_move():
    table = Table(["Kc", "Tc"], pile="9c").play("Kc take")
    assert (table.end, table.returns) == ("terminated", [1, -1])
    assert (table.hand(1), table.pile) == ("9c Kc Tc", "")


def test_the_last_player_who_takes_instead_gets_only_as_many_as_the_top_card_says():
    table = Table(["Jc", "Tc"], pile="6s 7s 9c").play("Jc take")
    assert (table.end, table.hand(1), table.pile) == ("terminated", "9c Jc Tc", "6s 7s")


@pytest.mark.parametrize("way", [BY_LEADING, BY_BEATING], ids=["by leading", "by beating"])
def test_the_last_player_may_only_beat_under_must_beat(way):
    table = Table([way["hand"], "Tc"], pile=way["pile"], must_beat=True).play("Kc")
    assert table.legal == "Tc"
    assert table.play("Tc").returns == [0, 0]


def test_a_draw_is_possible_at_a_big_table_wherever_the_last_player_sits():
    table = Table([None, "Kc", None, None, "Tc"], seat=1, out=[3, 0, 2]).play("Kc")
    assert (table.end, table.seat, table.legal) == ("", 4, "Tc take")
    assert table.play("Tc").returns == [0] * 5


def test_the_deal_goes_on_while_two_hold_cards():
    assert Table(["Kc", "6s", "7s"]).play("Kc").end == ""


def test_two_who_hold_one_card_each_end_it_with_the_first_to_go_out():
    table = Table(["8s", "9s", "6d"], pile="7s").play("8s 9s")  # both by beating; the last one has a card that does not
    assert (table.end, table.returns) == ("terminated", [0.5, 0.5, -1])


# --------------------------------------------------------------------------------------------------------------- max_moves


def test_max_moves_is_1000_by_default():
    assert PEN.complete_options({})["max_moves"] == 1000


def test_max_moves_truncates_at_the_limit_and_not_before():
    table = Table(["6c 7c 8c 9c", "6d 7d 8d 9d"], max_moves=4)
    for actions in ("6c", "take", "7c"):  # a lead, a take: every action counts
        assert table.play(actions).end == ""
    assert table.legal == "take"
    assert (table.play("take").end, table.legal, table.returns) == ("truncated", "", [0, 0])


def test_max_moves_truncates_between_a_beat_and_its_lead():
    table = Table(["Kc 6d", "As Ts"], pile="9c", moves=9, max_moves=10).play("Kc")
    assert (table.end, table.legal, table.hand(0)) == ("truncated", "", "6d")


@pytest.mark.parametrize("last_hand", ["As", "Ts 6s"])
def test_max_moves_does_not_truncate_a_deal_that_ends_with_the_same_move(last_hand):
    table = Table(["Kc", last_hand], moves=9, max_moves=10).play("Kc")
    assert (table.end, table.returns) == ("terminated", [1, -1])


def test_max_moves_does_not_truncate_a_draw_or_a_loss_of_the_last_player_at_the_limit():
    assert Table(["Kc", "Tc"], moves=8, max_moves=10).play("Kc Tc").end == "terminated"
    assert Table(["Kc", "Tc"], moves=8, max_moves=10).play("Kc take").returns == [1, -1]


def test_max_moves_truncates_while_the_last_player_could_still_make_a_draw():
    table = Table(["Kc", "Tc"], moves=9, max_moves=10).play("Kc")
    assert (table.end, table.legal, table.returns) == ("truncated", "", [0, 0])


@pytest.mark.parametrize(("max_moves", "hand_after"), [(3, "6c 6d 7d"), (4, "6c 7c 6d 7d")])
def test_max_moves_counts_forced_moves_too_and_stops_them(max_moves, hand_after):
    table = Table(["6c 7c 8c", "6d 7d"], max_moves=max_moves, auto_single=True).play("6c")  # seat 1 can but take
    assert (int(table.state["moves"]), table.seat, table.end) == (2, 0, "")
    assert (table.play("7c").end, table.hand(1)) == ("truncated", hand_after)


# ----------------------------------------------------------------------------------------------------------------- payoffs

LOSER = {n: [1 / (n - 1)] * (n - 1) + [-1] for n in PLAYERS}  # in the order in which the seats went out, the loser last
PLACEMENT = {2: [1, -1], 3: [1, 0, -1], 4: [1, 1 / 3, -1 / 3, -1], 5: [1, 0.5, 0, -0.5, -1], 6: [1, 0.6, 0.2, -0.2, -0.6, -1]}
PLACEMENT_DRAW = {2: [0, 0], 3: [1, -0.5, -0.5], 4: [1, 1 / 3, -2 / 3, -2 / 3], 5: [1, 0.5, 0, -0.75, -0.75]}
PLACEMENT_DRAW[6] = [1, 0.6, 0.2, -0.2, -0.8, -0.8]


def last_two(order: list[int], last_hand: str, **options) -> Table:
    """A table at which all but the last two of the order are out; the first of these two is to lead its last card, Kc."""
    hands: list[str | None] = [None] * len(order)
    hands[order[-2]], hands[order[-1]] = "Kc", last_hand
    return Table(hands, seat=order[-2], out=order[:-2], **options)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize(
    ("payoff", "actions", "expected"),
    [
        ("loser", "Kc take", LOSER),
        ("loser", "Kc Tc", {n: [0] * n for n in PLAYERS}),
        ("placement", "Kc take", PLACEMENT),
        ("placement", "Kc Tc", PLACEMENT_DRAW),
    ],
)
def test_payoff(payoff, actions, expected, players):
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(players).tolist()
        table = last_two(order, "Tc", payoff=payoff).play(actions)
        assert table.end == "terminated"
        assert [table.returns[seat] for seat in order] == pytest.approx(expected[players])


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("payoff", ["loser", "placement"])
def test_payoff_of_a_truncated_deal_is_0_for_all(payoff, players):
    table = last_two(list(range(players)), "Tc", payoff=payoff, moves=9, max_moves=10).play("Kc")
    assert (table.end, table.returns) == ("truncated", [0] * players)


def test_payoff_comes_with_the_last_move_only():
    table = Table(["Kc", "Tc", "6s"], payoff="placement").play("Kc")
    assert table.batch.rewards.tolist() == [[0, 0, 0]]
    assert table.play("Tc").batch.rewards.tolist() == [[1, 0, -1]]


# ------------------------------------------------------------------------------------------------------------- next dealer


@pytest.mark.parametrize(
    ("last_hand", "actions", "options", "dealer", "expected"),
    [
        ("Tc", "Kc take", {}, 0, 3),  # the loser deals next
        ("As", "Kc", {}, 3, 3),  # also who dealt this deal
        ("Tc", "Kc Tc", {}, 0, 1),  # after a draw the next seat …
        ("Tc", "Kc Tc", {}, 3, 0),  # … round the table
        ("Tc", "Kc", {"max_moves": 1}, 2, 3),  # after a truncation too
        ("Tc", "Kc", {"max_moves": 1}, 3, 0),
    ],
)
def test_the_loser_deals_next_and_the_next_seat_after_a_draw_or_a_truncation(last_hand, actions, options, dealer, expected):
    table = last_two([2, 0, 1, 3], last_hand, dealer=dealer, **options).play(actions)
    assert table.end
    assert rules.next_dealer(table.state) == expected


# ----------------------------------------------------------------------------------------------------- what a player sees


def test_a_player_sees_what_the_page_lists():
    table = Table(
        ["6c 7c Ks", "8c 9c", None, "Jd Qd Kd Td"],
        pile="6s 9d Jc",
        stumps=["6h 7h", "8h 9h", "", ""],
        known="Ks Kd 9c",
        trumps="Ts",
        seat=1,
        dealer=3,
        moves=50,
        max_moves=100,
    )
    seen = {piece.name: table.sees(1, piece.name) for piece, _ in PEN.observation_layout(4) if piece.name != "trump_suit"}
    common = {"hand": "8c 9c", "pile": "6s 9d Jc", "top": "Jc", "trump_card": "Ts", "beat": 1, "pile_size": 3 / 36, "stock_size": 0}
    blocks = [
        {"to_move": 1, "dealer": 0, "hand_size": 2 / 36, "stump": 1, "out": 0, "known": "9c"},  # seat 1, the observer
        {"to_move": 0, "dealer": 0, "hand_size": 0, "stump": 0, "out": 0.25, "known": ""},
        {"to_move": 0, "dealer": 1, "hand_size": 4 / 36, "stump": 0, "out": 0, "known": "Kd"},
        {"to_move": 0, "dealer": 0, "hand_size": 3 / 36, "stump": 1, "out": 0, "known": "Ks"},
    ]
    expected = {**common, "moves": 0.5, **{f"seat_{k}.{name}": value for k, block in enumerate(blocks) for name, value in block.items()}}
    assert seen == {name: pytest.approx(value) if not isinstance(value, str) else value for name, value in expected.items()}
    layout = PEN.observation_layout(4)
    assert table.batch.observe([1])[0][layout.slices["trump_suit"]].tolist() == [0, 0, 0, 1]


def test_a_stock_is_seen_by_its_size_only():
    one = Table(["6c 7c 8c 9c", "6d 7d 8d 9d"], stock="Ks Qs")
    other = Table(["6c 7c 8c 9c", "6d 7d 8d 9d"], stock="Qs Ks")
    assert one.sees(0, "stock_size") == pytest.approx(2 / 36)
    assert np.array_equal(one.batch.observations, other.batch.observations)


# --------------------------------------------------------------------------------------------------- the record hangs together


@pytest.mark.parametrize("must_beat", [False, True])
@pytest.mark.parametrize("players", PLAYERS)
def test_every_count_in_the_record_is_that_of_its_cards(players, must_beat):
    batch = Batch(PEN, 32, SEED, num_players=players, must_beat=must_beat, autoreset=False)
    generator = np.random.default_rng(SEED)
    while not batch.ended.all():
        states = batch.states
        for seat in range(players):
            assert ((states["place"] == HAND + seat).sum(1) == states["in_hand"][:, seat]).all()
            assert ((states["place"] == STUMP + seat).sum(1) == states["in_stump"][:, seat]).all()
        assert (((states["place"] >= HAND) & (states["place"] < STUMP)) >= states["known"]).all()
        assert ((states["out_place"] > 0).sum(1) == states["num_out"]).all()
        batch.step(np.argmax(generator.random(batch.masks.shape) * batch.masks, axis=1))


@pytest.mark.parametrize("field", ["stock", "pile"])
@pytest.mark.parametrize("players", PLAYERS)
def test_a_card_that_has_left_the_stock_or_the_pile_leaves_no_trace_in_the_record(players, field):
    batch = Batch(PEN, 64, SEED, num_players=players)
    generator, has_left = np.random.default_rng(SEED), False
    for _ in range(200):
        batch.step(np.argmax(generator.random(batch.masks.shape) * batch.masks, axis=1))
        unused = np.arange(len(CARDS)) >= batch.states[f"{field}_size"][:, None]
        assert not batch.states[field][unused].any()
        has_left |= bool((batch.states["in_hand"].sum(1) > 4 * players).any())
    assert has_left


# ------------------------------------------------------------------------------------------------- what is dealt anew, unseen


def test_what_a_seat_cannot_see_is_dealt_anew_each_way_as_likely():
    table = Table(
        ["6c 7c", "8c 9c Jc Kd", None],
        stumps=["6d 7d", "", ""],
        stock="As Ts",
        pile="Qs",
        known="9c Kd 7c",
        seat=1,
    )
    draws = 40 * 180  # the hidden cards 8c Jc | 6d 7d | As Ts can lie in 6! / (2! * 2!) = 180 ways, as the stock has an order
    states = table.batch.determinize([0] * draws, rng.streams(SEED, draws), rows=[0] * draws)
    ways = {}
    for state in states:
        places, stock = state["place"], tuple(state["stock"][:2].tolist())
        way = (tuple(np.flatnonzero(places == HAND + 1)), tuple(np.flatnonzero(places == STUMP)), stock)
        ways[way] = ways.get(way, 0) + 1
    assert len(ways) == 180
    assert chisquare(list(ways.values())).pvalue > MIN_P_VALUE


@pytest.mark.parametrize(
    ("seat", "fixed"),
    [
        (0, {"6c", "7c", "9c", "Kd", "Qs"}),  # the own hand, what is known of others, the pile
        (1, {"8c", "9c", "Jc", "Kd", "7c", "Qs"}),
        (2, {"9c", "Kd", "7c", "Qs"}),
    ],
)
def test_cards_that_a_seat_knows_stay_where_they_are(seat, fixed):
    table = Table(["6c 7c", "8c 9c Jc Kd", "9s"], stumps=["6d 7d", "", ""], stock="As Ts", pile="Qs", known="9c Kd 7c", seat=1)
    fixed = fixed | ({"9s"} if seat == 2 else set())
    states = table.batch.determinize([seat] * 200, rng.streams(SEED, 200), rows=[0] * 200)
    stays = {
        CARDS[card] for card in np.flatnonzero((states["place"] == table.state["place"]).all(axis=0)) if table.state["place"][card] >= 0
    }
    assert stays == fixed
    for field in table.state.dtype.names:
        if field not in ("place", "stock"):
            assert (states[field] == table.state[field]).all(), field
