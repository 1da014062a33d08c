"""The engine against `pengingan_reference`, a slow simulator that shares no code with it: deals played at random in both, step by step."""

import random
from collections import Counter

import numpy as np
import pengingan_reference as reference
import pytest

from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.cards import NO_CARD
from penzoo.envs.pengingan.state import CARDS, LIVE, Phase

GAME = get_game("pengingan")
VALUES = {
    "packs": ("players", 2, 3, 5, 8),
    "extension_pay": reference.EXTENSION_PAY,
    "rearrange": (True, True, True, False),
    "hand_cards": reference.HAND_CARDS,
    "going_out": reference.GOING_OUT,
    "forcing": reference.FORCING,
    "stock_out": reference.STOCK_OUT,
    "max_moves": (20_000, 20_000, 20_000, 150),
}
PREFERRED = ("rearrange", "extend", "new", "demand", "turn", "put")
SHARE_PREFERRED = 0.6
# what the reference calls a phase
ASKING = {
    "x": Phase.FIRST,
    "y": Phase.SECOND,
    "forced": Phase.FORCED,
    "build": Phase.BUILD,
    "discard": Phase.DISCARD,
    "rediscard": Phase.DISCARD,
    "demand use": Phase.ASK_USE,
    "demand discard": Phase.ASK_DISCARD,
    "extra": Phase.EXTRA,
}


class OrderedDeal(reference.Deal):
    """A deal whose dead cards, when they become a stock, lie in the order of a list: what is not dead there is passed over."""

    def __init__(self, order, *arguments, **options):
        super().__init__(*arguments, **options)
        self.order = order

    def reshuffle(self):
        left, self.reshuffled = Counter(self.dead), []
        for card in self.order:
            if left[card]:
                left[card] -= 1
                self.reshuffled.append(card)
        super().reshuffle()


def draw_options(rng, players):
    options = {name: rng.choice(values) for name, values in VALUES.items()}
    if options["packs"] == 2 and players == 8:
        options["packs"] = "players"
    return options


def choose(rng, legal):
    """A random action, more often one that lays cards than chance would have it: deals then get somewhere."""
    preferred = [name for name in legal if name.split()[0] in PREFERRED]
    return rng.choice(preferred if preferred and rng.random() < SHARE_PREFERRED else legal)


def cards_of(counts):
    return [CARDS[card] for card in range(len(CARDS)) for _ in range(counts[card])]


def check_state(deal, state, step):
    """All that is public, and the hands, are the same in both."""
    for seat in range(int(state["players"])):
        if deal.asking == "build" and seat == deal.turn:
            continue  # the reference keeps what is being built apart
        assert cards_of(state["hand"][seat]) == list(reference.in_order(deal.hands[seat].elements())), f"step {step}: hand of seat {seat}"
        known = reference.in_order(deal.taken_back[seat].elements())
        assert cards_of(state["known"][seat]) == list(known), f"step {step}: cards taken back by seat {seat}"
        tables = [reference.in_order(meld) for meld in deal.tables[seat]]
        table = [card for meld in tables for card in meld]
        assert cards_of(state["table"][seat]) == list(reference.in_order(table)), f"step {step}: table of seat {seat}"
        live = [card for card in CARDS if any(reference.fits(card, meld) for meld in tables)]
        assert [CARDS[card] for card in np.flatnonzero(state["shown"][seat, LIVE:])] == live, f"step {step}: live for seat {seat}"
    assert cards_of(state["dead"]) == list(reference.in_order(deal.dead)), f"step {step}: dead cards"
    assert state["stock_size"] == len(deal.stock), f"step {step}: stock"
    assert state["phase"] == ASKING[deal.asking] and state["turn"] == deal.turn, f"step {step}: what is asked"
    if deal.asking != "build":
        card = CARDS[state["card"]] if state["card"] != NO_CARD else None
        assert card == deal.card, f"step {step}: face-up card"


def play_in_both(seed):
    """Play a deal of random options to its end; returns the number of decisions."""
    rng = random.Random(seed)
    players = rng.randint(GAME.min_players, GAME.max_players)
    options = draw_options(rng, players)
    batch = Batch(GAME, 1, seed, num_players=players, autoreset=False, **options)
    deck, dealer = [CARDS[card] for card in batch.deck(0)], rng.randrange(players)
    own = {**options, "packs": players if options["packs"] == "players" else options["packs"]}
    # the new stock, if there will be one, in an order that both are told: cards that are not dead then are passed over
    order = rng.sample(deck, len(deck))
    chances = {"reshuffled": [order]} if options["stock_out"] == "reshuffle" else {}
    batch.reset(decks=[deck], dealers=[dealer], chances=chances)
    deal = OrderedDeal(order, deck, players, dealer, **own)
    step = 0
    while not deal.over:
        legal = deal.legal()
        assert deal.seat == batch.seats[0], f"step {step}: seat to move"
        assert sorted(GAME.legal_names(batch.masks[0])) == legal, f"step {step}: legal actions"
        check_state(deal, batch.states[0], step)
        name = choose(rng, legal)
        deal.play(name)
        batch.step([GAME.actions.index(name)])
        assert abs(batch.rewards.sum()) < 1e-9, f"step {step}: payments sum to zero"
        assert batch.returns[0].tolist() == list(deal.returns), f"step {step}: returns"
        step += 1
    assert batch.ended[0] and bool(batch.terminated[0]) == (deal.over == "terminated")
    return step


@pytest.mark.parametrize("seed", range(40))
def test_a_deal_of_random_options_goes_the_same_in_both(seed):
    assert play_in_both(seed) > 0


@pytest.mark.slow
def test_many_deals_of_random_options_go_the_same_in_both():
    for seed in range(1000, 1100):
        play_in_both(seed)
