"""`kunken_reference`, a slow simulator that shares no code with the engine: it reads the records as they were played, and deals played at
random go the same in both, step by step."""

import json
import random
from collections import Counter
from collections.abc import Iterable

import kunken_reference as reference
import numpy as np
import pytest
from kunken_positions import Table
from replay import read_records

from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.kunken.state import CARDS, NO_MELD, RANKS, Duty, Phase

RECORDS = read_records("kunken")
EVERY = 9  # the simulator is slow: each ninth record
GAME = get_game("kunken")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3))
def test_records_replay(first):
    for record in RECORDS[first::EVERY]:
        reference.replay(record)


def test_a_record_that_differs_is_noticed():
    record = json.loads(json.dumps(RECORDS[0]))
    record["legal"][5] = record["legal"][5][1:]
    with pytest.raises(AssertionError):
        reference.replay(record)


# --------------------------------------------------------------------------------------------------- deals played in both

VALUES = {
    "jokers": range(reference.MOST_JOKERS + 1),
    "ten_is_honour": (False, True),
    "lay_on_draw": reference.LAY_ON_DRAW,
    "opening_points": (0, 5, 13, 15, 20, 25, 30, 35, 50, 61),
    "swap_own_jokers": (False, True),
    "stock_out": reference.STOCK_OUT,
    "reward": reference.REWARDS,
    "max_moves": (2000, 2000, 2000, 300, 60),
}
EAGER = {"take": 20, "meld": 8, "swap": 8, "put": 6, "close": 4, "draw": 2, "discard": 0.5, "pass": 0.5}
PATIENT = {"draw": 10, "discard": 2, "swap": 4, "pass": 0.3}  # and all else 1: the stock then ends
PHASES = {"start": Phase.START, "drawn": Phase.DRAWN, "swap": Phase.DRAWN, "bound": Phase.DUTY, "free": Phase.LAY}
DUTIES = {"": Duty.NONE, "opening": Duty.OPENING, "third": Duty.THIRD}


class OrderedDeal(reference.Deal):
    """A deal whose bank, when it becomes a stock, lies in the order of a list: what is not in it is passed over."""

    def __init__(self, order, *arguments, **options):
        super().__init__(*arguments, **options)
        self.order = order

    def recycle(self):
        left, self.recycled = Counter(self.bank[:-1]), []
        for card in self.order:
            if left[card]:
                left[card] -= 1
                self.recycled.append(card)
        super().recycle()


def choose(chance: random.Random, legal: list[str], eager: dict[str, float]) -> str:
    """A random action, some more often than chance would have it."""
    return chance.choices(legal, [eager.get(name.split()[0], 1) for name in legal])[0]


def random_deck(chance: random.Random, jokers: int) -> list[str]:
    """A deck shuffled, or in order but for some cards that have changed places: hands of which much can be made."""
    deck = [*chance.choice((reference.CARDS * reference.PACKS, sorted(reference.CARDS * reference.PACKS))), *[reference.JOKER] * jokers]
    exchanges = chance.choice((len(deck) * 4, len(deck) * 4, 80, 30, 10))
    for _ in range(exchanges):
        one, other = chance.randrange(len(deck)), chance.randrange(len(deck))
        deck[one], deck[other] = deck[other], deck[one]
    return deck


def cards_of(counts: Iterable[int]) -> list[str]:
    return [CARDS[card] for card, count in enumerate(counts) for _ in range(count)]


def bits(number: int, offset: int, width: int) -> list[int]:
    return [k for k in range(width) if (number >> (offset + k)) & 1]


def combination(meld: int) -> tuple[str, ...]:
    """A combination of the engine's as the reference writes it: how it is kept is said in `envs/kunken/melds.py`."""
    rank = (meld >> 26) & 15
    if meld >> 32:
        naturals = tuple(RANKS[rank] + reference.SUITS[suit] for suit in bits(meld, 0, 4))
        filled = (meld >> 13) & 3
        return naturals + (reference.set_joker(naturals),) * filled if filled else naturals
    suit, naturals, jokers = reference.SUITS[(meld >> 30) & 3], bits(meld, 0, 13), bits(meld, 13, 13)
    places = [(rank + k) % len(RANKS) for k in range(len(naturals) + len(jokers))]
    assert sorted(places) == sorted(naturals + jokers), f"{meld}: a run with gaps"
    return tuple(("*=" if place in jokers else "") + RANKS[place] + suit for place in places)


def check_state(deal: reference.Deal, state: np.void, where: str) -> None:
    """What is public, the hands and the stock are the same in both."""
    for seat in range(deal.players):
        assert cards_of(state["hand"][seat]) == list(reference.in_order(deal.hands[seat].elements())), f"{where}: hand of seat {seat}"
        assert state["hand_size"][seat] == deal.hands[seat].total(), f"{where}: size of the hand of seat {seat}"
        assert cards_of(state["known"][seat]) == list(reference.in_order(deal.known[seat].elements())), f"{where}: known of seat {seat}"
        assert state["known_size"][seat] == deal.known[seat].total(), f"{where}: how many are known of seat {seat}"
    assert state["opened"][: deal.players].tolist() == deal.opened, f"{where}: who has opened"
    assert state["laid"][: deal.players].tolist() == deal.laid, f"{where}: points laid"
    assert [CARDS[card] for card in state["bank"][: state["bank_size"]]] == deal.bank, f"{where}: bank"
    assert [CARDS[card] for card in state["stock"][: state["stock_size"]][::-1]] == deal.stock, f"{where}: stock"
    table = [combination(int(meld)) for meld in state["meld"][: state["num_melds"]]]
    assert table == [laid.cards for laid in deal.table], f"{where}: combinations"
    assert state["owner"][: state["num_melds"]].tolist() == [laid.owner for laid in deal.table], f"{where}: who laid them"
    assert (state["meld"][state["num_melds"] :] == NO_MELD).all(), f"{where}: combinations beyond the last"
    if not deal.over:
        check_turn(deal, state, where)


def check_turn(deal: reference.Deal, state: np.void, where: str) -> None:
    """What the player in turn is to do is the same in both."""
    building = Phase.BUILD if deal.is_new else Phase.ADD
    assert state["phase"] == (PHASES[deal.phase] if deal.chosen is None else building), f"{where}: phase"
    assert state["duty"] == DUTIES[deal.duty] and state["needed"] == deal.needed, f"{where}: duty"
    assert cards_of(state["aside"]) == list(reference.in_order(deal.aside.elements())), f"{where}: cards taken along"
    if deal.duty:
        assert ("" if state["named"] < 0 else CARDS[state["named"]]) == deal.named, f"{where}: card named"


def play_in_both(seed: int, **fixed) -> Counter:
    """Play a deal of random options to its end; returns how often each kind of action was played, and how it ended."""
    chance = random.Random(seed)
    players = chance.randint(GAME.min_players, GAME.max_players)
    options = {name: chance.choice(values) for name, values in VALUES.items()} | fixed
    batch = Batch(GAME, 1, seed, num_players=players, autoreset=False, **options)
    deck, dealer, eager = random_deck(chance, options["jokers"]), chance.randrange(players), chance.choice((EAGER, EAGER, PATIENT))
    order = chance.sample(deck, len(deck))
    chances = {"recycled": [order]} if options["stock_out"] == "recycle" else {}
    batch.reset(decks=[deck], dealers=[dealer], chances=chances)
    deal, seen = OrderedDeal(order, deck, players, dealer, **options), Counter()
    while not deal.over:
        where, legal = f"seed {seed}, {players} players, {options}, action {deal.moves}", deal.legal()
        assert deal.seat == batch.seats[0], f"{where}: seat to move"
        assert sorted(GAME.legal_names(batch.masks[0])) == legal, f"{where}: legal actions"
        check_state(deal, batch.states[0], where)
        name = choose(chance, legal, eager)
        deal.play(name)
        batch.step([GAME.actions.index(name)])
        assert np.allclose(batch.returns[0], deal.returns, atol=1e-9), f"{where}: returns"
        seen.update([name.split()[0], "actions"])
    check_state(deal, batch.states[0], f"seed {seed}, at the end")
    assert batch.ended[0] and bool(batch.terminated[0]) == (deal.over == "terminated")
    infos = GAME.infos(batch.states[0])
    assert [info["score"] for info in infos] == deal.scores and all(info["express"] == deal.is_express for info in infos)
    seen.update([deal.over, "won" if deal.winner is not None else "", "express" if deal.is_express else ""])
    seen["recycled"] += bool(deal.recycled)
    del seen[""]
    return seen


@pytest.mark.parametrize("seed", range(16))
def test_a_deal_of_random_options_goes_the_same_in_both(seed):
    assert play_in_both(seed)["actions"] > 0


RUNS = [" ".join(rank + suit for rank in ranks) for suit in reference.SUITS for ranks in ("A23", "456", "789", "TJQ") for _ in range(2)]
KINGS = ["Kc Kd *=Kh", "Kh Ks *=Kc"] * 2


@pytest.mark.parametrize(
    ("kings", "hands", "bank", "stock"),
    [
        (3, ("Kh *", "*"), "Ks *", "7s"),  # the 36th combination can be laid
        (3, ("Kh Ks * *", "*"), "*", "7s"),
        (2, ("Kh Kc Ks * *", "Kd *"), "* *", "7s"),  # one more is laid, and no other
        (4, ("*", "*"), "7s", "7s"),  # 36 lie there: nothing but whist and swaps
    ],
)
@pytest.mark.parametrize("swap_own_jokers", [False, True])
def test_a_table_full_of_combinations_goes_the_same_in_both(kings, hands, bank, stock, swap_own_jokers):
    combinations, options = RUNS + KINGS[:kings], {"jokers": 6, "swap_own_jokers": swap_own_jokers}
    table = " | ".join(f"{number % 2}: {cards}" for number, cards in enumerate(combinations))
    most = 0
    for seed in range(6):
        chance, position = random.Random(seed), Table(list(hands), table, bank, players=2, stock=stock, **options)
        deal = reference.Deal(reference.CARDS * reference.PACKS + [reference.JOKER] * 6, 2, 1, **options)
        deal.hands, deal.bank, deal.stock = [Counter(hand.split()) for hand in hands], bank.split(), stock.split()
        deal.table = [reference.Combination(number % 2, tuple(cards.split())) for number, cards in enumerate(combinations)]
        deal.laid = [sum(reference.points(laid.cards) for laid in deal.table if laid.owner == seat) for seat in range(2)]
        deal.opened = [True, True]
        deal.begin_turn(0)
        while not deal.over:
            where = f"seed {seed}, action {deal.moves}"
            assert sorted(GAME.legal_names(position.batch.masks[0])) == deal.legal(), f"{where}: legal actions"
            check_state(deal, position.state, where)
            name = choose(chance, deal.legal(), EAGER)
            deal.play(name)
            position.play(name)
            most = max(most, len(deal.table))
        assert np.allclose(position.returns, deal.returns)
    assert most == (35 if kings == 2 else 36)


@pytest.mark.slow
def test_many_deals_of_random_options_go_the_same_in_both():
    seen = Counter()
    for seed in range(1000, 1060):
        seen += play_in_both(seed)
    assert all(seen[name] for name in (*EAGER, "won", "express", "truncated", "recycled")), seen
