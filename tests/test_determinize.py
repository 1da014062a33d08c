"""What a seat cannot see is dealt anew each way as likely: small cases against the count of every deal that fits, in all games.

What fits is said here in sets of cards, without the engine; a deal is the hidden cards of each hand (and stump) in any order and the stock
in its order. Copies of a card are cards of their own, so that a deal that more of them can make is as many times as likely.
"""

import itertools
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from kunken_positions import Table as KunkenTable
from pengingan_positions import Table as PenginganTable
from positions import Table as PenTable
from scipy.stats import chisquare

from penzoo.envs import get_game, hidden, kunken, loops, pengingan, rng
from penzoo.envs.jit import bind, compiled
from penzoo.envs.pen.rules import determinize as determinize_pen
from penzoo.envs.pen.rules import is_hidden
from penzoo.envs.pen.state import HAND, STUMP
from penzoo.envs.rng import random_below

SEED = 2718
DRAWS_PER_DEAL = 20  # of deals that can come, on average
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never
CAUGHT = 1e-9  # what a wrong way of dealing comes to at the most

Deal = tuple[str, ...]  # the hidden cards of each place in order, then the stock as it lies


@dataclass(frozen=True)
class Case:
    """A position, whose view is kept, the hidden cards by place, and which hands may be dealt."""

    table: PenTable | PenginganTable | KunkenTable
    viewer: int
    hidden: str  # all hidden cards
    places: dict[str, int]  # `hand 1`, `stump 0`: how many of them lie there; what is left is the stock, from its bottom
    fits: Callable[[Deal], bool] = lambda deal: True

    @property
    def expected(self) -> Counter[Deal]:
        """In how many ways each deal that fits can be dealt."""
        cards, found = self.hidden.split(), Counter[Deal]()
        for order in itertools.permutations(cards):
            at, deal = 0, []
            for size in self.places.values():
                deal.append(_sorted(order[at : at + size]))
                at += size
            deal.append(" ".join(order[at:]))
            found[tuple(deal)] += 1
        return Counter({deal: ways for deal, ways in found.items() if self.fits(deal)})

    def read(self, state: np.void) -> Deal:
        """The hidden cards of a record, by place."""
        names = self.table.batch.game.card_names
        stock = " ".join(names[card] for card in state["stock"][: state["stock_size"]])
        return (*(_sorted(self._cards(state, *place.split())) for place in self.places), stock)

    def _cards(self, state: np.void, place: str, seat: str) -> list[str]:
        names = self.table.batch.game.card_names
        if self.table.batch.game.name == "pen":
            where = {"hand": HAND, "stump": STUMP}[place] + int(seat)
            return [name for name, at, known in zip(names, state["place"], state["known"], strict=True) if at == where and not known]
        counts = state["hand"][int(seat)] - state["known"][int(seat)]
        assert (counts >= 0).all(), "a card that all know of is no longer in the hand"
        return [names[card] for card in np.repeat(np.arange(len(counts)), counts)]


def _sorted(cards) -> str:
    return " ".join(sorted(cards))


def redealt(case: Case, rows: Callable[..., None], draws: int) -> np.ndarray:
    """So many copies of the position, dealt anew by these rows' loop."""
    states = np.repeat(case.table.batch.states[:1], draws)
    rows(states, np.full(draws, case.viewer), rng.streams(SEED, draws), 0, draws)
    return states


def p_value(case: Case, rows: Callable[..., None], draws: int = 0) -> float:
    """How likely uniform draws would differ from the count of all deals as much as these do; 0 if one came that cannot."""
    expected = case.expected
    drawn = Counter(case.read(state) for state in redealt(case, rows, draws or DRAWS_PER_DEAL * len(expected)))
    if not drawn.keys() <= expected.keys():
        return 0.0
    shares = np.array(list(expected.values())) / expected.total()
    return float(chisquare([drawn[deal] for deal in expected], shares * drawn.total()).pvalue)


# ---------------------------------------------------------------------------------------------------------------------- cases


def pen_with_all_places() -> Case:
    """Hands, stumps (the own one is hidden as well) and the stock, with cards that all know."""
    table = PenTable(["6c 7c", "8c 9c Kd", "Js 9d"], stumps=["6d", "7d", ""], stock="As Ts", pile="Qs", known="9c Kd 7c 9d", seat=0)
    return Case(table, 0, "8c Js 6d 7d Ts As", {"hand 1": 1, "hand 2": 1, "stump 0": 1, "stump 1": 1})


def pen_at_the_end() -> Case:
    """No stock any more; one is out."""
    table = PenTable(["6c 7c", "8c 9c Kd", None], stumps=["", "7d Ah", ""], pile="Qs", known="Kd", seat=0)
    return Case(table, 0, "8c 9c 7d Ah", {"hand 1": 2, "stump 1": 2})


def pen_seen_by_one_who_waits() -> Case:
    """The player to move has to beat, and can whatever the hand is: it may take."""
    table = PenTable(["6c 7c", "8c 9c"], pile="Kd", stock="Ah Qs", seat=1, must_beat=True)
    return Case(table, 0, "8c 9c Ah Qs", {"hand 1": 2})


def pengingan_with_copies() -> Case:
    """Two hands with a known card, equal cards among the hidden ones."""
    table = PenginganTable(["Kh", "2h 3c", "5s 5d"], card="7s", stock="5s 2h 3c", known=["", "3c", ""])
    return Case(table, 0, "2h 5s 5d 3c 2h 5s", {"hand 1": 1, "hand 2": 2})


def pengingan_building() -> Case:
    """4s lies alone: the builder holds two cards for a run with it (no three of these make a group)."""
    table = PenginganTable(["5s 6s", ""], card="4s", stock="2s 3s 3s", players=2).play("new")
    runs = ({"5s", "6s"}, {"2s", "3s"}, {"3s", "5s"})
    return Case(table, 1, "5s 6s 2s 3s 3s", {"hand 0": 2}, lambda deal: set(deal[0].split()) in runs)


def kunken_with_copies() -> Case:
    """Two hands with known cards, two jokers and two equal cards among the hidden ones."""
    table = KunkenTable(["Kc", "2c 3c *", "5c 8c"], known=["", "3c", "8c"], stock="2c * 9s", opened=[0])
    return Case(table, 0, "2c * 5c 2c * 9s", {"hand 1": 2, "hand 2": 1})


def kunken_taken_third() -> Case:
    """Who took 5d to lay it holds two cards for a run with it."""
    table = KunkenTable(["4d 6d Kc", ""], bank="5d", stock="3d 3d 2h", opened=[0]).play("take 5d")

    def fits(deal: Deal) -> bool:
        return any(set(run.split()) <= set(deal[0].split()) for run in ("3d 4d", "4d 6d", "6d 7d"))

    return Case(table, 1, "4d 6d Kc 3d 3d 2h", {"hand 0": 3}, fits)


def kunken_building() -> Case:
    """4d and 5d lie: 6d or a joker makes it three."""
    table = KunkenTable(["4d 6d Kc", ""], bank="5d", stock="7d * 2h", opened=[0]).play("take 5d", "put 4d", "put 5d")
    return Case(table, 1, "6d Kc 7d * 2h", {"hand 0": 2}, lambda deal: bool({"6d", "*"} & set(deal[0].split())))


CASES = {
    make.__name__: make
    for make in (
        pen_with_all_places,
        pen_at_the_end,
        pen_seen_by_one_who_waits,
        pengingan_with_copies,
        pengingan_building,
        kunken_with_copies,
        kunken_taken_third,
        kunken_building,
    )
}
REJECTING = ("pengingan_building", "kunken_taken_third", "kunken_building")
RUMMIES = {"pengingan": pengingan.hidden, "kunken": kunken.hidden}


# ---------------------------------------------------------------------------------------------------------------- ways to deal


def rows_of(determinize: Callable[..., None], name: str) -> Callable[..., None]:
    """The loop over records with another way of dealing anew."""
    return bind(loops.determinize_rows, name, {"determinize": determinize})


def rummy(game: str, name: str, **changed) -> Callable[..., None]:
    """A rummy's `determinize` in which some names mean something else."""
    rules = {"is_possible": RUMMIES[game]._is_possible, "note_chance": RUMMIES[game]._note_chance, **changed}
    rules["_swap_hidden"] = bind(hidden._swap_hidden, name, rules)
    return rows_of(bind(hidden.determinize, name, rules), name)


@compiled
def naive_shuffle(cards, stream):
    """Each card changes places with any other: the wrong way to shuffle, by which not all orders are as likely."""
    for one in range(len(cards)):
        other = random_below(stream, len(cards))
        cards[one], cards[other] = cards[other], cards[one]


@compiled
def anything_goes(state, seat):
    """A check of what fits that heeds nothing."""
    return True


def pen_without_stumps(state, seat, stream):
    """Deals hands and stock anew, and leaves every stump."""
    stumps = state["place"] >= STUMP
    places = state["place"].copy()
    determinize_pen(state, seat, stream)
    if not (state["place"][stumps] == places[stumps]).all():
        state["place"][:] = places


# ---------------------------------------------------------------------------------------------------------------------- tests


@pytest.mark.parametrize("what", CASES)
def test_every_deal_that_fits_is_dealt_as_often_as_there_are_ways(what):
    case = CASES[what]()
    assert case.expected[case.read(case.table.state)], "the true deal itself"
    assert p_value(case, case.table.batch.game.loops.determinize_rows) > MIN_P_VALUE


def test_some_cases_leave_out_deals_and_some_weigh_them():
    for what in REJECTING:
        case = CASES[what]()
        every = Case(case.table, case.viewer, case.hidden, case.places).expected
        assert case.expected.total() < every.total(), what
    assert len(set(pengingan_with_copies().expected.values())) == len(set(kunken_with_copies().expected.values())) == 2


@pytest.mark.parametrize("what", REJECTING)
def test_swaps_find_each_deal_as_often_where_drawing_whole_ones_is_given_up(what):
    case = CASES[what]()
    game = case.table.batch.game.name
    assert p_value(case, rummy(game, f"{game}.swaps", _MOST_TRIES=0)) > MIN_P_VALUE


def test_swaps_forget_the_true_deal_where_hardly_any_deal_fits():
    """A run of nine from As to Qs of which eight must be held: of 49 hidden cards, so that no drawn deal ever fits."""
    cards = list(get_game("pengingan").card_names)
    needed = ["2s", "3s", "4s", "5s", "6s", "7s", "Js", "Qs"]
    table = PenginganTable([f"As {' '.join(needed)} 2c", None], card="Ks", stock=" ".join(cards)).play("new", "put As")
    case = Case(table, 1, "", {"hand 0": 9})
    hidden_cards = Counter([*cards, *needed, "2c"])
    # of the needed kinds each lies there twice: one of the two, or both; beside one of each any other card
    expected = {card: 2.0 ** (len(needed) - 1) if card in needed else 2.0 ** len(needed) * hidden_cards[card] for card in hidden_cards}
    draws = 800
    drawn = Counter[str]()
    for state in redealt(case, table.batch.game.loops.determinize_rows, draws):
        held = Counter(case.read(state)[0].split())
        held.subtract(needed)
        assert min(held.values()) >= 0
        drawn.update(+held)
    assert drawn.total() == draws
    shares = np.array(list(expected.values())) / sum(expected.values())
    assert chisquare([drawn[card] for card in expected], shares * draws).pvalue > MIN_P_VALUE


def test_a_wrong_shuffle_is_caught():
    assert p_value(kunken_with_copies(), rummy("kunken", "kunken.naive", shuffle=naive_shuffle), 8000) < CAUGHT
    pen = bind(getattr(determinize_pen, "py_func", determinize_pen), "pen.naive", {"shuffle": naive_shuffle})
    assert p_value(pen_at_the_end(), rows_of(pen, "pen.naive"), 8000) < CAUGHT


def test_dealing_what_does_not_fit_is_caught():
    assert p_value(kunken_taken_third(), rummy("kunken", "kunken.anything", is_possible=anything_goes)) < CAUGHT


def test_too_few_swaps_are_caught():
    wrong = rummy("pengingan", "pengingan.stays", _MOST_TRIES=0, _SWAPS_PER_CARD=1)
    assert p_value(pengingan_building(), wrong) < CAUGHT


def test_a_place_that_is_left_out_is_caught():
    assert p_value(pen_with_all_places(), rows_of(bind(pen_without_stumps, "pen.stumps", {}), "pen.stumps")) < CAUGHT


@pytest.mark.parametrize("what", CASES)
def test_what_is_dealt_follows_from_what_is_seen_and_the_stream_alone(what):
    """Whatever lies there truly: dealt anew from another deal that fits, by the same stream, it is the same (drawn whole)."""
    case = CASES[what]()
    rows, draws = case.table.batch.game.loops.determinize_rows, 64
    first, others = redealt(case, rows, draws), redealt(case, rows, draws)[::-1].copy()
    rows(others, np.full(draws, case.viewer), rng.streams(SEED, draws), 0, draws)
    assert len({case.read(state) for state in first}) > 1
    assert [case.read(state) for state in first] == [case.read(state) for state in others]


def test_one_place_of_pen_is_hidden_from_its_owner_too():
    case = pen_with_all_places()
    cards = case.table.batch.game.card_names
    assert sorted(cards[card] for card in range(len(cards)) if is_hidden(case.table.state, card, 0)) == sorted(case.hidden.split())
