"""What a seat of Kunken cannot see (RULES.md, "What a player sees"): what is known of hands, and the rest dealt anew."""

import itertools
from collections import Counter

import contract
import numpy as np
import pytest
from kunken_positions import KUNKEN, Table
from scipy.stats import chisquare

from penzoo.envs import rng
from penzoo.envs.batch import Batch
from penzoo.envs.kunken.state import CARDS, JOKER, MAX_JOKERS, NUM_KINDS, PACKS, Duty, Phase

SEED = 2024
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never
DRAWS = 1500
COPIES = np.array([PACKS] * NUM_KINDS + [MAX_JOKERS])

# ------------------------------------------------------------------------------------------------- each way as likely that fits


def redealt(table: Table, viewer: int, draws: int) -> np.ndarray:
    """Records in which all that a seat cannot see has been dealt anew."""
    return table.batch.determinize([viewer] * draws, rng.streams(SEED, draws), rows=[0] * draws)


def names(counts: np.ndarray) -> str:
    return " ".join(CARDS[card] for card in np.repeat(np.arange(len(counts)), counts))


def ways(hidden: str, size: int, fits) -> Counter[str]:
    """How many ways there are to deal each hand of so many of the hidden cards that fits; copies are cards of their own."""
    chosen = (sorted(hand, key=CARDS.index) for hand in itertools.combinations(hidden.split(), size))
    return Counter(" ".join(hand) for hand in chosen if fits(set(hand)))


def assert_dealt_as_likely(table: Table, known: str, expected: Counter[str]) -> None:
    """Seat 0's hand, seen by seat 1, is one of those expected beside the known cards, each as often as there are ways to deal it."""
    dealt: Counter[str] = Counter()
    for state in redealt(table, 1, DRAWS):
        hand = state["hand"][0].copy()
        for card in known.split():
            hand[CARDS.index(card)] -= 1
        assert (hand >= 0).all()
        dealt[names(hand)] += 1
    assert dealt.keys() == expected.keys()
    shares = np.array(list(expected.values())) / expected.total()
    assert chisquare([dealt[hand] for hand in expected], shares * DRAWS).pvalue > MIN_P_VALUE


def has_pair(hand: set[str]) -> bool:
    """Whether 5d makes a run with two of these."""
    return any({one, other} <= hand for one, other in (("3d", "4d"), ("4d", "6d"), ("6d", "7d")))


@pytest.mark.parametrize(("stock", "count"), [("3d 7d 2h", 10), ("3d 3d 2h", 6), ("9h 2h 8s", 4)])
def test_one_who_has_to_lay_the_third_to_two_in_hand_has_them_each_way_as_likely(stock, count):
    table = Table(["4d 6d Kc", ""], bank="5d", stock=stock, opened=[0]).play("take 5d")
    expected = ways(f"4d 6d Kc {stock}", 3, has_pair)
    assert len(expected) == count
    assert_dealt_as_likely(table, "5d", expected)


def test_one_who_has_to_open_can_each_way_as_likely():
    table = Table(["Kc Kd Kh 3d 4d 6d 2c", ""], bank="5d", stock="9h Ks", players=2).play("take 5d")
    # 50 points with 5d among them: three or four kings and 3-4-5-6, or four kings and three of those; and a card is left
    runs = ({"3d", "4d"}, {"4d", "6d"})

    def fits(hand: set[str]) -> bool:
        kings = 10 * len([card for card in hand if card[0] == "K"])
        return kings >= 30 and ({"3d", "4d", "6d"} <= hand or (kings >= 40 and any(run <= hand for run in runs)))

    expected = ways("Kc Kd Kh 3d 4d 6d 2c 9h Ks", 7, fits)
    assert len(expected) == 4 * 2 + 1 + 2 * 2
    assert_dealt_as_likely(table, "5d", expected)


def test_one_who_has_begun_can_go_on_each_way_as_likely():
    table = Table(["4d 6d Kc", ""], bank="5d", stock="7d * 2h", opened=[0]).play("take 5d", "put 4d", "put 5d")
    assert table.phase == Phase.BUILD
    # 6d or a joker makes it three, and one card stays: of 6d Kc 7d * 2h two, one of those among them
    expected = ways("6d Kc 7d * 2h", 2, lambda hand: "6d" in hand or "*" in hand)
    assert len(expected) == 7
    assert_dealt_as_likely(table, "", expected)


def test_one_who_may_stop_can_have_anything():
    table = Table(["4d 6d Kc 2s", ""], bank="5d", stock="7d 2h", opened=[0]).play("take 5d", "put 4d", "put 5d", "put 6d")
    assert_dealt_as_likely(table, "", ways("Kc 2s 7d 2h", 2, lambda hand: True))


def test_one_who_has_chosen_a_combination_can_add_to_it_each_way_as_likely():
    table = Table(["4d Kc", ""], "1: 5d 6d 7d", stock="8d 2h 3h", opened=[0]).play("draw", "meld 0")
    assert table.phase == Phase.ADD
    expected = ways("4d Kc 8d 2h 3h", 3, lambda hand: bool({"4d", "8d"} & hand))
    assert len(expected) == 9
    assert_dealt_as_likely(table, "", expected)


def test_the_order_of_the_stock_is_dealt_each_way_as_likely():
    table = Table(["", ""], stock="2h 3h 4h", opened=[0])
    orders = Counter(tuple(state["stock"][:3].tolist()) for state in redealt(table, 1, 600))
    assert len(orders) == 6 and chisquare(list(orders.values())).pvalue > MIN_P_VALUE


@pytest.mark.parametrize("viewer", [0, 1, 2])
def test_the_view_of_each_seat_leaves_open_the_other_hands_and_the_stock(viewer):
    table = Table(["2c 3c", "5c 6c", "8c 9c"], known=["2c", "5c", "8c"], stock="Jc Qc", opened=[0])
    hands = [Counter(names(state["hand"][seat]) for state in redealt(table, viewer, 200)) for seat in range(3)]
    own = ["2c 3c", "5c 6c", "8c 9c"]
    for seat, known in enumerate(("2c", "5c", "8c")):
        others = {card for hand in hands[seat] for card in hand.split()}
        hidden = {"3c", "6c", "9c", "Jc", "Qc"} - {own[viewer].split()[1]}
        assert others == (set(own[seat].split()) if seat == viewer else {known} | hidden)


# -------------------------------------------------------------------------------------------------------------------- known


EAGER = {"draw": 0.3, "take": 9, "swap": 9, "put": 4, "meld": 2, "close": 1, "pass": 0.05, "discard": 1}
LIVELY = [
    {"num_players": 2, "opening_points": 0, "jokers": 6},
    {"num_players": 3, "opening_points": 10, "jokers": 6, "swap_own_jokers": True, "lay_on_draw": "any"},
    {"num_players": 4, "opening_points": 20, "lay_on_draw": "never"},
    {"num_players": 5, "stock_out": "recycle"},
]
LIVELY_STEPS = 400


def weights() -> np.ndarray:
    """By action: how often one is played beside others where much is to happen."""
    return np.array([EAGER[name.split()[0]] for name in KUNKEN.actions.names])


def lively(options, rows=6, steps=LIVELY_STEPS):
    """Play with many takes and swaps: the batch before each step with the actions that follow; without those that have ended."""
    batch, generator, often = Batch(KUNKEN, rows, SEED, autoreset=False, **options), np.random.default_rng(SEED), weights()
    for _ in range(steps):
        if batch.ended.all():
            return
        actions = np.argmax(generator.random(batch.masks.shape) * batch.masks * often, axis=1)
        yield batch, actions
        batch.step(actions)


class Witness:
    """One at the table who remembers what all have seen go into hands and come out of them, by the names of actions.

    What waits, taken along and not to be used yet, is told to it.
    """

    def __init__(self, bank: str, players: int) -> None:
        self.bank, self.known = [bank], [Counter[str]() for _ in range(players)]

    def see(self, seat: int, action: str, waiting: str) -> None:
        word, _, rest = action.partition(" ")
        known, card = self.known[seat], rest.split("=")[0].split()[0] if rest else ""
        if word == "take":
            copy = int(rest.split()[1]) if " " in rest else 1
            at = [place for place, lies in enumerate(self.bank) if lies == card][-copy]
            known.update(self.bank[at:])
            del self.bank[at:]
        elif word in ("put", "swap", "discard"):
            known.subtract([card] if known[card] > waiting.split().count(card) else [])
            if word == "swap":
                known["*"] += 1
            elif word == "discard":
                self.bank.append(card)

    def recycle(self) -> None:
        self.bank = self.bank[-1:]


@pytest.mark.parametrize("options", LIVELY, ids=str)
def test_known_are_the_cards_taken_or_swapped_in_and_not_played_since(options):
    witnesses, words = [], Counter[str]()
    for batch, actions in lively(options):
        witnesses = witnesses or [Witness(CARDS[state["bank"][0]], batch.num_players) for state in batch.states]
        layout, players = KUNKEN.observation_layout(batch.num_players).slices, batch.num_players
        for viewer in range(players):
            seen = batch.observe(np.full(batch.num_envs, viewer))
            for row in np.flatnonzero(~batch.ended):
                for k in range(players):
                    counts = np.rint(seen[row, layout[f"seat_{k}.known"]] * COPIES).astype(int)
                    assert names(counts).split() == sorted(witnesses[row].known[(viewer + k) % players].elements(), key=CARDS.index)
        for row in np.flatnonzero(~batch.ended):
            name = KUNKEN.actions.name(int(actions[row]))
            words[name.split()[0]] += 1
            if name == "draw" and batch.states[row]["stock_size"] == 0:
                witnesses[row].recycle()
                words["recycle"] += 1
            witnesses[row].see(int(batch.seats[row]), name, names(batch.states[row]["aside"]))
    assert all(words[word] for word in ("take", "put", "discard", "recycle" if "stock_out" in options else "swap")), words


@pytest.mark.parametrize("options", LIVELY, ids=str)
def test_whatever_is_dealt_anew_keeps_what_is_known_and_all_sizes(options):
    changed = 0
    for step, (batch, _) in enumerate(lively(options)):
        if step % 10:
            continue
        before = batch.states[~batch.ended]
        for viewer in range(batch.num_players):
            after = contract.deal_anew(KUNKEN, before, np.full(len(before), viewer), SEED + step)
            hands = after["hand"].sum(2)
            assert np.array_equal(hands, before["hand_size"]) and np.array_equal(after["hand_size"], before["hand_size"])
            assert (after["hand"] >= before["known"]).all() and np.array_equal(after["known"], before["known"])
            assert np.array_equal(after["hand"][:, viewer], before["hand"][:, viewer])
            assert (after["stock_size"] == before["stock_size"]).all()
            for one, other in zip(before, after, strict=True):
                assert Counter(stock_and_hands(one)) == Counter(stock_and_hands(other))
            changed += int((after["hand"] != before["hand"]).any())
            waiting = after["aside"] <= after["hand"][np.arange(len(after)), after["seat"]]
            assert waiting.all(), "a card that was taken along, and waits, is in the hand"
    assert changed


def stock_and_hands(state: np.void) -> list[int]:
    return [*state["stock"][: state["stock_size"]].tolist(), *np.repeat(np.arange(JOKER + 1), state["hand"].sum(0)).tolist()]


def test_a_card_taken_along_stays_in_the_hand_also_once_its_copy_has_been_played():
    table = Table(["3d 4d 5d Kc", "", ""], bank="2d 5d", stock="7s 7d 2h 9s", opened=[0]).play(
        "take 2d", "put 2d", "put 3d", "put 4d", "put 5d"
    )
    assert (table.hand(0), table.aside) == ("Kc 5d", "5d")
    assert all(state["hand"][0, CARDS.index("5d")] for state in redealt(table, 1, 50))


@pytest.mark.parametrize("viewer", [0, 1])
def test_a_record_dealt_anew_tells_no_card_drawn_from_the_new_stock(viewer):
    table = Table([None, None], bank="2c 3c 4c 5c 6c", stock="", recycled="4c 2c 5c 3c", stock_out="recycle")
    table.play("draw", "discard Ac", "draw", "discard Ac")  # seat 0 drew 4c, seat 1 drew 2c
    (chance,) = KUNKEN.chances
    assert chance.write(table.state) == ["4c", "2c", "5c", "3c"]
    for state in redealt(table, viewer, 20):
        assert chance.write(state) == [CARDS[card] for card in state["stock"][: state["stock_size"]][::-1]]
        assert state["recycle_seed"] != table.state["recycle_seed"], "with the bank as all saw it the seed would tell the order"


# ----------------------------------------------------------------------------------------------- what has been begun is finished


@pytest.mark.parametrize("options", [{"num_players": 3, "opening_points": 20}, *LIVELY], ids=str)
def test_who_is_in_the_midst_of_a_duty_or_a_combination_can_finish_it_in_every_deal_dealt_anew(options):
    """By any legal actions: until the duty is met, and the combination closed."""
    generator, met = np.random.default_rng(SEED), Counter[str]()
    for step, (batch, _) in enumerate(lively(options)):
        phases = batch.states["phase"]
        rows = np.flatnonzero(~batch.ended & ((phases == Phase.DUTY) | (phases == Phase.BUILD) | (phases == Phase.ADD)))
        states = batch.states[rows]
        if not len(rows) or step % 3:
            continue
        viewers = (states["seat"] + 1 + generator.integers(batch.num_players - 1, size=len(rows))) % batch.num_players
        trial = Batch(KUNKEN, len(rows), SEED, autoreset=False, **options)
        contract.plant(trial, contract.deal_anew(KUNKEN, states, viewers, SEED + step))
        for state in states:
            met[f"{Duty(int(state['duty'])).name} {Phase(int(state['phase'])).name}"] += 1
        going = np.arange(len(rows))
        while len(going):
            assert trial.masks[going].any(axis=1).all(), "begun, and cannot be finished"
            trial.step(contract.random_actions(trial, generator)[going], going)
            after = trial.states[going]
            is_over = (after["seat"] != states["seat"][going]) | (after["terminated"] == 1) | (after["truncated"] == 1)
            is_over |= (after["phase"] == Phase.LAY) | (after["phase"] == Phase.DRAWN) | (after["phase"] == Phase.START)
            done = after[is_over & (after["truncated"] == 0)]
            assert (done["duty"] == Duty.NONE).all()
            going = going[~is_over]
    assert met["THIRD DUTY"] and met["THIRD BUILD"] and met["OPENING BUILD"] and met["NONE BUILD"] and met["NONE ADD"], met


def test_a_run_of_thirteen_is_begun_and_soon_dealt_anew_so_that_it_can_be_finished():
    """Hardly any deal of the hidden cards can: it is found all the same."""
    hand = "As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs 2c"
    stock = " ".join(card for card in CARDS[:NUM_KINDS] if card[1] != "s")
    table = Table([hand, ""], bank="Ks", stock=stock, opening_points=85).play("take Ks", "put As")
    for state in redealt(table, 1, 3):
        assert state["hand"][0].sum() == 13
        trial = Table([hand, ""], bank="Ks", opening_points=85)
        contract.plant(trial.batch, np.array([state]))
        while trial.duty != Duty.NONE:
            trial.play(trial.legal.split(", ")[-1])


# ----------------------------------------------------------------------------------------------------- a leak is seen, and only that


def other_deal(table: Table, viewer: int) -> Table:
    """The same in which what a seat cannot see is another."""
    (state,) = redealt(table, viewer, 1)
    other = Table(players=table.batch.num_players)
    contract.plant(other.batch, np.array([state]))
    return other


def test_what_is_known_shows_to_all_and_the_rest_of_a_hand_to_none():
    table = Table(["2c 3c 4c * *", "Kd Kh 9c", "Qd Qh 8c"], known=["3c *", "", "8c"], stock="7s 7d", opened=[0])
    other = other_deal(table, 1)
    for k, known in enumerate(("", "8c", "3c *")):
        assert table.sees(1, f"seat_{k}.known") == other.sees(1, f"seat_{k}.known") == known
    assert np.array_equal(table.batch.observe([1]), other.batch.observe([1]))
    one, same = (Table([hand, "Kd Kh 9c"], known=["3c"], opened=[0]) for hand in ("2c 3c 4c", "3c Ts Js"))
    assert np.array_equal(one.batch.observe([1]), same.batch.observe([1]))
    assert not np.array_equal(one.batch.observe([0]), same.batch.observe([0]))
    shown = Table(["2c 3c 4c", "Kd Kh 9c"], known=["2c"], opened=[0])
    assert not np.array_equal(one.batch.observe([1]), shown.batch.observe([1]))
