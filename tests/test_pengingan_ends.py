"""How a deal of Pengingan ends, and what a player sees (RULES.md): positions as in `test_pengingan_rules`."""

import numpy as np
import pytest
from pengingan_positions import FILLER, PENGINGAN, RUN, Table, forced, worked
from scipy.stats import chisquare

from penzoo.envs import rng
from penzoo.envs.batch import Batch
from penzoo.envs.pengingan import rules
from penzoo.envs.pengingan.state import CARDS, Phase

SEED = 20240
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never


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


# --------------------------------------------------------------------------------------------------- what is hidden, dealt anew


def deal_anew(table, seat, seed=SEED):
    """The record after all that a seat cannot see has been dealt anew."""
    return table.batch.determinize([seat], rng.streams(seed, 1))[0]


@pytest.mark.parametrize("players", [2, 8])
def test_a_run_that_lacks_eight_cards_is_soon_dealt_anew_and_can_still_be_finished(players):
    hand = "As 2s 3s 4s 5s 6s 7s Js Qs 2c"
    table = Table([hand] + [FILLER] * (players - 1), card="Ks", stock=" ".join(CARDS)).play("new", "put As")
    assert table.legal == "put 2s"
    for seed in range(3):
        state = deal_anew(table, 1, seed)
        assert {CARDS[card] for card in np.flatnonzero(state["hand"][0])} >= {"2s", "3s", "4s", "5s", "6s", "7s", "Js", "Qs"}
        assert state["hand"][0].sum() == state["hand_size"][0] == 9


def test_what_can_still_be_built_is_dealt_each_way_as_likely():
    # 4s with two of 5s 5h 5d 6s in hand: 5s 6s make the run, nothing makes a group; of the hidden cards six ways to deal two, one fits
    table = Table(["5s 6s"], card="4s", stock="5h 5d", players=2)
    table.state["hand"][1], table.state["hand_size"][1] = 0, 0
    table.play("new")
    for seed in range(20):
        assert {CARDS[card] for card in np.flatnonzero(deal_anew(table, 1, seed)["hand"][0])} == {"5s", "6s"}
    # with 2s 3s in the stock three of the six ways fit: 5s 6s, 2s 3s, 3s 5s, each as likely
    table = Table(["5s 6s"], card="4s", stock="2s 3s", players=2)
    table.state["hand"][1], table.state["hand_size"][1] = 0, 0
    table.play("new")
    hands = [tuple(np.flatnonzero(deal_anew(table, 1, seed)["hand"][0])) for seed in range(600)]
    counts = [hands.count(each) for each in set(hands)]
    assert len(counts) == 3 and chisquare(counts).pvalue > MIN_P_VALUE


def test_an_order_of_a_reshuffle_that_cannot_come_is_refused():
    with pytest.raises(ValueError, match="reshuffled is given, but without option stock_out='reshuffle' there is no new stock"):
        Batch(PENGINGAN, 1).reset(chances={"reshuffled": [["2c"]]})


def test_an_order_of_a_reshuffle_is_in_the_record_before_it_comes():
    batch = Batch(PENGINGAN, 1, 0, stock_out="reshuffle")
    chance = PENGINGAN.chances[0]
    assert chance.write(batch.states[0]) is None
    batch.reset(chances={"reshuffled": [["2c", "Kd"]]})
    assert chance.write(batch.states[0]) == ["2c", "Kd"]


@pytest.mark.parametrize(("players", "message"), [(2, "card 'Kd' is missing|is missing"), (4, "one too many")])
def test_a_padded_deck_of_another_number_of_packs_is_refused_by_its_cards(players, message):
    other = Batch(PENGINGAN, 1, 0, num_players=players)
    with pytest.raises(ValueError, match=message):
        Batch(PENGINGAN, 1, 0, num_players=3).reset(decks=other.decks)


def test_a_flag_is_set_only_while_it_says_something():
    table = Table([FILLER, "6s 4d 5d"], ["6c 6d 6h", "2d 3d 4d"], "6s", players=2, turn=0).play("pass", "demand", "extend 0", "close")
    assert not table.state["is_turned"] and not table.state["is_returned"]
