"""Piles that are shuffled into a new stock: the order that is given, drawn and kept, for every game that has one."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from penzoo.envs import get_game, rng
from penzoo.envs.batch import Batch
from penzoo.envs.cards import NO_CARD
from penzoo.envs.game import Chance, Game
from penzoo.envs.reshuffle import draw_seed, note_order, note_stock, order_pile

MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never


@dataclass(frozen=True)
class Pile:
    """A game whose stock can be made anew, and what the test needs of it."""

    game: Game
    options: dict[str, Any]  # with which it can
    card: str  # that there is
    missing: str  # that there is not
    copies: int  # of a card, at the most

    @property
    def chance(self) -> Chance:
        return self.game.chances[0]

    def batch(self, rows: int = 1, **options: Any) -> Batch:
        return Batch(self.game, rows, 0, num_players=3, **{**self.options, **options})


PILES = [
    Pile(get_game("pengingan"), {"stock_out": "reshuffle"}, "2c", "8c", 3),
    Pile(get_game("kunken"), {"stock_out": "recycle"}, "8c", "1c", 2),
]
every_pile = pytest.mark.parametrize("pile", PILES, ids=lambda pile: pile.game.name)


@every_pile
@pytest.mark.parametrize("what", ["a text", "a number", "a dict", "a number in it", "no card", "a card too often"])
def test_an_order_that_cannot_be_is_refused_by_what_is_wrong_and_nothing_changes(pile, what):
    name, card, batch = pile.chance.name, pile.card, pile.batch()
    given, says = {
        "a text": (
            f"{card} {card}",
            f"{name}='{card} {card}' is no list of card names",
        ),
        "a number": (3, f"{name}=3 is no list of card names"),
        "a dict": ({card: 1}, f"{name}={{'{card}': 1}} is no list of card names"),
        "a number in it": ([card, 3], f"{name}: card 3 does not exist: {pile.game.name} has {' '.join(pile.game.card_names)}"),
        "no card": ([card, pile.missing], f"{name}: card '{pile.missing}' does not exist"),
        "a card too often": (
            [card] * (pile.copies + 1),
            f"{name}: there are {pile.copies + 1} of card '{card}': the deck has {pile.copies}",
        ),
    }[what]
    before = batch.states.copy()
    with pytest.raises(ValueError) as error:
        batch.reset(chances={name: [given]})
    assert str(error.value).startswith(says)
    assert np.array_equal(before, batch.states)


@every_pile
def test_an_order_is_refused_where_there_is_no_new_stock(pile):
    (name,), (value,) = pile.options.keys(), pile.options.values()
    batch = Batch(pile.game, 1, 0)
    with pytest.raises(ValueError, match=f"{pile.chance.name} is given, but without option {name}='{value}' there is no new stock"):
        batch.reset(chances={pile.chance.name: [[pile.card]]})
    for nothing in (None, []):
        batch.reset(chances={pile.chance.name: [nothing]})


@pytest.mark.parametrize("jokers", [0, 2, 4, 6])
def test_an_order_of_kunken_has_as_many_jokers_as_the_deck(jokers):
    batch = PILES[1].batch(jokers=jokers)
    batch.reset(chances={"recycled": [["*"] * jokers]})
    with pytest.raises(ValueError, match=rf"recycled: there are {jokers + 1} of card '\*': the deck has {jokers}"):
        batch.reset(chances={"recycled": [["*"] * (jokers + 1)]})


@every_pile
@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_an_order_that_is_read_is_the_one_that_is_written(pile, kind):
    batch, order = pile.batch(), [pile.card, "Kd", pile.card]
    assert pile.chance.write(batch.states[0]) is None
    batch.reset(chances={pile.chance.name: [kind(order)]})
    assert pile.chance.write(batch.states[0]) == order
    batch.reset(chances={pile.chance.name: [order[:1]]})
    assert pile.chance.write(batch.states[0]) == order[:1], "of an order given before nothing is left"
    batch.reset()
    assert pile.chance.write(batch.states[0]) is None and not pile.chance.required


def test_a_seed_is_never_0_and_no_two_are_alike():
    stream = rng.streams(1, 1)
    seeds = [int(draw_seed(stream)) for _ in range(1000)]
    assert all(seeds) and len(set(seeds)) == 1000


def ordered(pile: str, named: str, seed: int = 1, room: int = 12) -> list[str]:
    """A pile of cards a b c … in its new order."""
    kinds = "abcdef"
    counts, given, order = (np.full(size, NO_CARD, np.int8) for size in (len(kinds), room, len(pile)))
    counts[:] = [pile.count(kind) for kind in kinds]
    given[: len(named)] = [kinds.index(card) for card in named]
    order_pile(counts, given, np.uint64(seed), order)
    return [kinds[card] for card in order]


def test_named_cards_come_first_as_far_as_they_are_there_and_the_others_behind_them():
    assert ordered("abc", "cab") == list("cab")
    assert ordered("aabc", "bfa")[:2] == list("ba") and sorted(ordered("aabc", "bfa")[2:]) == list("ac")
    assert ordered("ab", "aab") == list("ab"), "a card named once too often is passed over"
    assert sorted(ordered("aabbcc", "")) == list("aabbcc") and ordered("", "abc") == []


def test_what_is_not_named_comes_each_way_as_likely_and_by_its_seed():
    assert ordered("abcdef", "", 5) == ordered("abcdef", "", 5)
    stream = rng.streams(7, 1)
    orders = Counter("".join(ordered("abcd", "d", int(draw_seed(stream)))) for _ in range(1200))
    assert len(orders) == 6 and chisquare(list(orders.values())).pvalue > MIN_P_VALUE


def test_an_order_is_kept_where_it_is_read_and_so_is_what_is_left_of_it():
    named = np.full(6, 4, np.int8)
    note_order(np.array([2, 0, 1], np.int8), named)
    assert named.tolist() == [2, 0, 1, NO_CARD, NO_CARD, NO_CARD]
    note_stock(np.array([3, 5], np.int8), named)  # the next card last
    assert named.tolist() == [5, 3, NO_CARD, NO_CARD, NO_CARD, NO_CARD]
