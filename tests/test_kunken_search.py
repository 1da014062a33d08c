"""What may be laid, against a brute force that shares no code with the engine nor with `kunken_reference`.

The brute force knows cards as text. It writes down every good combination that a hand can lay, in the order in which it is put (every
choice of cards of a suit with every first card, every choice of cards of a rank), and allows a step where one of those begins so and the
turn can still be finished. Turns are walked at random in it and in the engine, the legal actions being equal at every step.
"""

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any

import numpy as np
import pytest

from penzoo.envs import get_game
from penzoo.envs.cards import NO_CARD
from penzoo.envs.kunken import legal, rules
from penzoo.envs.kunken.melds import run_of, set_of
from penzoo.envs.kunken.state import Phase
from penzoo.envs.kunken.stock import push

RANKS, SUITS, JOKER = "A23456789TJQK", "cdhs", "*"
NATURALS = [rank + suit for suit in SUITS for rank in RANKS]
CARDS = [*NATURALS, JOKER]
GAME = get_game("kunken")

Combination = tuple[str, ...]  # as it is put: `5d`, and `*=5d` for a joker
Hand = tuple[str, ...]  # in the order of the card index

# ------------------------------------------------------------------------------------------------------------- combinations


def in_order(cards: Iterable[str]) -> Hand:
    return tuple(sorted(cards, key=CARDS.index))


def less(cards: Iterable[str], gone: Iterable[str]) -> Hand:
    return in_order((Counter(cards) - Counter(gone)).elements())


def bare(laid: str) -> str:
    return laid[0] if laid[0] == JOKER else laid


def cards_of(combination: Combination) -> Hand:
    return in_order(map(bare, combination))


def stands_for(rank: str, suits: Iterable[str]) -> str:
    """A joker as it is named in a set with these suits."""
    return f"{JOKER}={rank}{next(suit for suit in SUITS if suit not in suits)}"


def set_of_suits(rank: str, suits: Iterable[str], jokers: int) -> Combination:
    naturals = [rank + suit for suit in SUITS if suit in suits]
    return (*naturals, *[stands_for(rank, suits)] * jokers) if jokers else tuple(naturals)


def run_from(first: int, suit: str, length: int, held: Iterable[str]) -> Combination:
    """The run of so many cards from a rank on, jokers where a rank is not held."""
    ranks = [RANKS[(first + k) % len(RANKS)] for k in range(length)]
    return tuple(rank + suit if rank in held else f"{JOKER}={rank}{suit}" for rank in ranks)


def subsets(things: Iterable[str]) -> list[tuple[str, ...]]:
    things = list(things)
    return [chosen for size in range(1, len(things) + 1) for chosen in itertools.combinations(things, size)]


@lru_cache(maxsize=512)
def arrangements(hand: Hand) -> list[Combination]:
    """Every good combination of cards of the hand, in the order in which it is put: at most half of it jokers."""
    jokers, found = hand.count(JOKER), []
    for suit in SUITS:
        for ranks in subsets(rank for rank in RANKS if rank + suit in hand):
            for length in range(max(3, len(ranks)), min(len(RANKS), len(ranks) + min(jokers, len(ranks))) + 1):
                runs = (run_from(first, suit, length, ranks) for first in range(len(RANKS)))
                found += [run for run in runs if sum(laid[0] != JOKER for laid in run) == len(ranks)]
    for rank in RANKS:
        for suits in subsets(suit for suit in SUITS if rank + suit in hand):
            most = min(jokers, len(suits), len(SUITS) - len(suits))
            found += [set_of_suits(rank, suits, filled) for filled in range(most + 1) if len(suits) + filled >= 3]
    return found


def is_set(combination: Combination) -> bool:
    return len({laid[-2] for laid in combination}) == 1


def is_good(combination: Combination) -> bool:
    return len(combination) >= 3 and 2 * cards_of(combination).count(JOKER) <= len(combination)


@cache
def worth(combination: Combination, ten_is_honour: bool) -> int:
    return sum(10 if laid[-2] in ("AKQJT" if ten_is_honour else "AKQJ") else 5 for laid in combination)


# ------------------------------------------------------------------------------------------------------------------ packing
# A hand is one number here, with four bits for each kind of card, the uppermost of them always free.

PLACES = {card: 4 * k for k, card in enumerate(CARDS)}
FREE = sum(8 << place for place in PLACES.values())


def as_number(cards: Iterable[str]) -> int:
    return sum(1 << PLACES[card] for card in cards)


def is_within(part: int, whole: int) -> bool:
    return ((whole | FREE) - part) & FREE == FREE


IMPOSSIBLE = -1000  # points, where a card named can be in no combination


class Packing:
    """The most points that combinations from parts of one hand can bring together."""

    def __init__(self, hand: Hand, ten_is_honour: bool) -> None:
        worths: dict[Hand, int] = {}
        for combination in arrangements(hand):
            cards = cards_of(combination)
            worths[cards] = max(worths.get(cards, 0), worth(combination, ten_is_honour))
        self.by_lowest: dict[str, list[tuple[int, int]]] = {card: [] for card in CARDS}
        self.with_card: dict[str, list[tuple[int, int]]] = {card: [] for card in CARDS}
        for cards, points in worths.items():
            way = as_number(cards), points
            self.by_lowest[cards[0]].append(way)
            for card in set(cards):
                self.with_card[card].append(way)
        self.found: dict[int, int] = {0: 0}
        self.best = cache(self._best)

    def most(self, hand: int) -> int:
        """Of a part of the hand: its lowest card is left, or is in a combination of which it is the lowest."""
        if hand not in self.found:
            k = ((hand & -hand).bit_length() - 1) // 4
            ways = [points + self.most(hand - cards) for cards, points in self.by_lowest[CARDS[k]] if is_within(cards, hand)]
            self.found[hand] = max([self.most(hand - (1 << 4 * k)), *ways])
        return self.found[hand]

    def _best(self, hand: int, named: str, must_leave: bool) -> int:
        """Of a part of the hand, one combination holding the card named, if any, and a card being left, if one must be."""
        if must_leave:
            left = [1 << place for place in PLACES.values() if (hand >> place) & 15]
            return max((self.best(hand - card, named, False) for card in left), default=IMPOSSIBLE)
        if not named:
            return self.most(hand)
        ways = [points + self.most(hand - cards) for cards, points in self.with_card[named] if is_within(cards, hand)]
        return max(ways, default=IMPOSSIBLE)


@lru_cache(maxsize=64)
def packing(hand: Hand, ten_is_honour: bool) -> Packing:
    return Packing(hand, ten_is_honour)


# ------------------------------------------------------------------------------------------------------------------- a turn


@dataclass
class Turn:
    """The turn of seat 0, in text: what is in the engine's record, as far as the masks hang on it."""

    hand: Hand
    bank: list[str] = field(default_factory=list)  # from the bottom to the top
    table: list[Combination] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    stock: list[str] = field(default_factory=list)  # drawn from the end
    opened: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    phase: Phase = Phase.START
    back: Phase = Phase.LAY
    aside: Hand = ()
    is_bound: bool = False
    needed: int = 0
    named: str = ""
    begun: Combination = ()
    chosen: int = 0
    is_changed: bool = False

    def option(self, name: str) -> Any:
        return self.options.get(name, GAME.complete_options({})[name])

    @property
    def usable(self) -> Hand:
        return less(self.hand, self.aside)

    # what is legal

    def legal(self) -> set[str]:
        if self.phase == Phase.START:
            return {"draw" if self.stock else "pass"} | self.takes() | self.melds(False)
        if self.phase == Phase.ADD:
            may_put, may_swap = self.back == Phase.LAY, self.may_swap(self.chosen)
            return adding_steps(self.hand, self.table[self.chosen], may_put, may_swap, self.is_changed)
        if self.phase in (Phase.DUTY, Phase.BUILD):
            return self.new_steps()
        names = {f"discard {card}" for card in self.hand} | self.melds(self.phase == Phase.LAY)
        if self.phase == Phase.LAY or (not self.opened and self.option("lay_on_draw") == "any"):
            names |= self.new_steps()
        return names

    def takes(self) -> set[str]:
        names, seen = set(), Counter()
        for depth, card in enumerate(reversed(self.bank)):
            seen[card] += 1
            if self.may_take(card, depth):
                names.add(f"take {card}" + (f" {seen[card]}" if seen[card] > 1 else ""))
        return names

    def may_take(self, card: str, along: int) -> bool:
        hand = in_order((*self.hand, card))
        if self.opened:
            return any(card in cards_of(found) and (along or len(found) < len(hand)) for found in arrangements(hand))
        return packing(hand, self.option("ten_is_honour")).best(as_number(hand), card, not along) >= self.option("opening_points")

    def new_steps(self) -> set[str]:
        """How a new combination is begun, or goes on."""
        hand, size, names = in_order((*self.usable, *cards_of(self.begun))), len(self.begun), set()
        for found in arrangements(hand):
            name = f"put {found[size]}" if len(found) > size else "close"
            if found[:size] == self.begun and name not in names and self.may_lay(found, hand):
                names.add(name)
        return names

    def may_lay(self, found: Combination, hand: Hand) -> bool:
        rest, named = less(hand, cards_of(found)), "" if self.named in cards_of(found) else self.named
        if not rest and not self.aside:
            return False
        if self.phase == Phase.LAY or (self.phase == Phase.BUILD and not self.is_bound):
            return True
        if self.opened:
            return not named
        needed = (self.option("opening_points") if self.phase == Phase.DRAWN else self.needed) - worth(found, self.option("ten_is_honour"))
        return packing(hand, self.option("ten_is_honour")).best(as_number(rest), named, not self.aside) >= needed

    def may_swap(self, number: int) -> bool:
        return self.option("swap_own_jokers") or self.owners[number] != 0

    def melds(self, may_put: bool) -> set[str]:
        if not self.opened:
            return set()
        ways = [adding_steps(self.hand, found, may_put, self.may_swap(number), False) for number, found in enumerate(self.table)]
        return {f"meld {number}" for number, steps in enumerate(ways) if steps}

    # what an action does

    def play(self, name: str) -> None:
        word, _, rest = name.partition(" ")
        getattr(self, f"play_{word}")(rest)

    def play_draw(self, _: str) -> None:
        self.hand = in_order((*self.hand, self.stock.pop()))
        self.phase = Phase.LAY if self.opened and self.option("lay_on_draw") != "never" else Phase.DRAWN

    def play_take(self, rest: str) -> None:
        card, _, copy = rest.partition(" ")
        at = [k for k in reversed(range(len(self.bank))) if self.bank[k] == card][int(copy or 1) - 1]
        self.hand, self.aside, self.bank = in_order((*self.hand, *self.bank[at:])), in_order(self.bank[at + 1 :]), self.bank[:at]
        self.named, self.needed = card, 0 if self.opened else self.option("opening_points")
        self.phase, self.is_bound = Phase.DUTY, True

    def play_put(self, laid: str) -> None:
        self.hand = less(self.hand, [bare(laid)])
        if self.phase == Phase.ADD:
            self.table[self.chosen], self.is_changed = added(self.table[self.chosen], laid), True
            return
        if self.phase == Phase.DRAWN:
            self.is_bound, self.needed = True, self.option("opening_points")
        self.begun, self.phase = (*self.begun, laid), Phase.BUILD

    def play_meld(self, number: str) -> None:
        self.chosen, self.is_changed, self.back, self.phase = int(number), False, self.phase, Phase.ADD

    def play_swap(self, card: str) -> None:
        self.hand = in_order((*less(self.hand, [card]), JOKER))
        self.table[self.chosen], self.is_changed = swapped(self.table[self.chosen], card), True

    def play_close(self, _: str) -> None:
        if self.phase == Phase.ADD:
            self.phase, self.back = self.back, Phase.LAY
            return
        self.named = "" if self.named in cards_of(self.begun) else self.named
        self.needed = max(0, self.needed - worth(self.begun, self.option("ten_is_honour")))
        self.table.append(self.begun)
        self.owners.append(0)
        self.begun = ()
        if self.is_bound and (self.needed or self.named):
            self.phase = Phase.DUTY
            return
        self.opened, self.is_bound, self.aside, self.phase = True, False, (), Phase.LAY


# adding to a combination on the table, and swapping, step by step


def missing(combination: Combination) -> list[str]:
    """The cards of a set's rank that are not in it."""
    rank = combination[0][-2]
    return [rank + suit for suit in SUITS if rank + suit not in combination]


def reset_set(combination: Iterable[str]) -> Combination:
    """The set in its order."""
    combination = list(combination)
    naturals = [laid for laid in combination if laid[0] != JOKER]
    return set_of_suits(naturals[0][0], [card[1] for card in naturals], len(combination) - len(naturals))


def neighbour(laid: str, by: int) -> str:
    return RANKS[(RANKS.index(laid[-2]) + by) % len(RANKS)] + laid[-1]


def added(combination: Combination, laid: str) -> Combination:
    if is_set(combination):
        return reset_set((*combination, laid))
    return (*combination, laid) if laid[-2:] == neighbour(combination[-1], 1) else (laid, *combination)


def swapped(combination: Combination, card: str) -> Combination:
    if not is_set(combination):
        return tuple(card if laid == f"{JOKER}={card}" else laid for laid in combination)
    joker = next(laid for laid in combination if laid[0] == JOKER)
    others = list(combination)
    others.remove(joker)
    return reset_set((*others, card))


def changes(hand: Hand, combination: Combination, may_put: bool, may_swap: bool) -> dict[str, tuple[Hand, Combination]]:
    """What can be put or swapped in next, and the hand and the combination that come of it."""
    fitting, swapping = [], []
    if is_set(combination):
        if len(combination) < len(SUITS):
            fitting = [*missing(combination), f"{JOKER}={missing(combination)[0]}"]
        if any(laid[0] == JOKER for laid in combination):
            swapping = missing(combination)
    else:
        if len(combination) < len(RANKS):
            ends = {neighbour(combination[0], -1), neighbour(combination[-1], 1)}
            fitting = [*ends, *(f"{JOKER}={card}" for card in ends)]
        swapping = [laid[-2:] for laid in combination if laid[0] == JOKER]
    puts = {f"put {laid}": (less(hand, [bare(laid)]), added(combination, laid)) for laid in fitting if may_put and bare(laid) in hand}
    swaps = [card for card in swapping if may_swap and card in hand]
    return puts | {f"swap {card}": (in_order((*less(hand, [card]), JOKER)), swapped(combination, card)) for card in swaps}


@lru_cache(maxsize=100_000)
def can_mend(hand: Hand, combination: Combination, may_put: bool, may_swap: bool) -> bool:
    """Whether the combination is good or can be made so, a card being left all the time."""
    if not hand:
        return False
    return is_good(combination) or any(
        can_mend(*after, may_put, may_swap) for after in changes(hand, combination, may_put, may_swap).values()
    )


def adding_steps(hand: Hand, combination: Combination, may_put: bool, may_swap: bool, is_changed: bool) -> set[str]:
    ways = changes(hand, combination, may_put, may_swap)
    names = {name for name, after in ways.items() if can_mend(*after, may_put, may_swap)}
    return names | ({"close"} if is_changed and is_good(combination) else set())


# --------------------------------------------------------------------------------------------------------------- the engine


def coded(combination: Combination) -> int:
    """A combination as the engine keeps it."""
    jokers = [laid for laid in combination if laid[0] == JOKER]
    naturals = [laid for laid in combination if laid[0] != JOKER]
    if is_set(combination):
        return int(set_of(RANKS.index(combination[0][-2]), sum(1 << SUITS.index(card[1]) for card in naturals), len(jokers)))
    ranks = [sum(1 << RANKS.index(laid[-2]) for laid in part) for part in (naturals, jokers)]
    return int(run_of(SUITS.index(combination[0][-1]), RANKS.index(combination[0][-2]), *ranks))


class Engine:
    """The engine's record of a turn that begins."""

    def __init__(self, turn: Turn) -> None:
        self.states = GAME.new_states(1, 2, GAME.complete_options(turn.options))
        self.state, self.mask = self.states[0], np.zeros(len(GAME.actions), np.int8)
        state = self.state
        rules._clear(state)
        for card in turn.hand:
            state["hand"][0, CARDS.index(card)] += 1
        state["hand_size"][0], state["hand"][1, 0], state["hand_size"][1] = len(turn.hand), 1, 1
        for card in turn.bank:
            push(state, CARDS.index(card))
        for number, combination in enumerate(turn.table):
            rules._set_meld(state, number, coded(combination))
            state["owner"][number] = turn.owners[number]
        state["num_melds"] = len(turn.table)
        state["opened"][0] = turn.opened
        state["seat"] = 1
        rules._begin_turn(state)
        state["stock"][: len(turn.stock)] = [CARDS.index(card) for card in turn.stock]
        state["stock_size"] = len(turn.stock)
        assert state["seat"] == 0 and state["named"] == NO_CARD

    def legal(self) -> list[str]:
        legal.legal_mask(self.state, self.mask)
        return list(GAME.legal_names(self.mask))

    def play(self, name: str) -> None:
        rules.apply(self.state, GAME.actions.index(name))

    def hand(self) -> Hand:
        return tuple(card for card, count in zip(CARDS, self.state["hand"][0], strict=True) for _ in range(count))


def text_of(turn: Turn) -> str:
    table = [f"{' '.join(found)} (of {owner})" for found, owner in zip(turn.table, turn.owners, strict=True)]
    return (
        f"hand {' '.join(turn.hand)}, bank {' '.join(turn.bank)}, stock {' '.join(turn.stock)}, table {table}, "
        f"opened {turn.opened}, {turn.options}"
    )


ENDS = ("discard", "pass")
EAGER = {"take": 20, "meld": 8, "swap": 6, "put": 6, "close": 4, "draw": 2, "discard": 0.2, "pass": 0.2}
EAGER_FOR_JOKERS = 4
MOST_STEPS = 60


def eagerness(name: str) -> float:
    """How much more often than others an action is chosen, so that the rare ones are met."""
    return EAGER[name.split()[0]] * (EAGER_FOR_JOKERS if name.startswith(f"put {JOKER}") else 1)


def walk(turn: Turn, chance: random.Random, seen: Counter) -> None:
    """Walk through a turn at random in both, and compare the legal actions at each step."""
    engine, here, played = Engine(turn), deepcopy(turn), []
    for _ in range(MOST_STEPS):
        legal, expected = engine.legal(), here.legal()
        where = f"{text_of(turn)}; after {played}"
        assert len(legal) == len(set(legal)) and set(legal) == expected, (
            f"{where}: in the engine alone {set(legal) - expected}, here alone " + str(expected - set(legal))
        )
        assert engine.hand() == here.hand and engine.state["phase"] == here.phase, where
        seen["positions"] += 1
        seen[f"{here.phase.name} {'opened' if here.opened else 'unopened'}"] += 1
        seen.update({f"{here.phase.name} {name.split()[0]}" for name in legal})
        seen["to mend"] += here.phase == Phase.ADD and not is_good(here.table[here.chosen])
        names = sorted(legal)
        name = chance.choices(names, [eagerness(name) for name in names])[0]
        played.append(name)
        if name.split()[0] in ENDS:
            return
        here.play(name)
        engine.play(name)


# ------------------------------------------------------------------------------------------------------------ the positions

NEEDED = (0, 0, 5, 10, 15, 20, 25, 30, 30, 35, 40, 45, 50, 3, 17, 22, 28, 41, 60)
OWN_JOKERS, ALL_JOKERS = 4, 6
HAND_SIZE = 13
MOST_NEEDED = 150


def random_pool(chance: random.Random) -> list[str]:
    """Two copies of cards of few ranks and suits."""
    low, width = chance.randrange(len(RANKS)), chance.randint(3, 8)
    ranks = [RANKS[(low + k) % len(RANKS)] for k in range(width)]
    return [rank + suit for rank in ranks for suit in chance.sample(SUITS, chance.choice((1, 1, 2, 2, 3)))] * 2


def random_combination(jokers: int, chance: random.Random) -> Combination:
    """A good combination with at most so many jokers, many of them if there are any."""
    if chance.random() < 0.35:
        naturals = chance.sample(SUITS, chance.randint(2, 4))
        filled = min(chance.randint(0, 2), jokers, len(SUITS) - len(naturals))
        return set_of_suits(chance.choice(RANKS), naturals, filled) if len(naturals) + filled >= 3 else random_combination(jokers, chance)
    length, first = chance.choice((3, 3, 4, 4, 5, 6, 7, 8, 11, 12, 12, 13)), chance.randrange(len(RANKS))
    ranks = [RANKS[(first + k) % len(RANKS)] for k in range(length)]
    held = set(ranks) - set(chance.sample(ranks, min(chance.randint(0, length // 2), jokers)))
    return run_from(first, chance.choice(SUITS), length, held)


def random_table(chance: random.Random) -> list[Combination]:
    table, jokers = [], chance.choice((0, 2, 4, ALL_JOKERS))
    for _ in range(chance.choice((0, 1, 2, 2, 3))):
        table.append(random_combination(jokers, chance))
        jokers -= count_jokers(table[-1])
    return table


def count_jokers(combination: Combination) -> int:
    return cards_of(combination).count(JOKER)


def fitting(combination: Combination) -> list[str]:
    """Cards that can be put onto a combination, or swapped in, and more of its neighbourhood."""
    if is_set(combination):
        return missing(combination)
    beyond = [neighbour(combination[end], by) for end in (0, -1) for by in (-2, -1, 1, 2)]
    return [*beyond, *(laid[-2:] for laid in combination if laid[0] == JOKER)]


def random_cards(table: list[Combination], chance: random.Random) -> list[str]:
    """Two copies of cards that go together, and with `table` of those that fit there, in random order."""
    cards = random_pool(chance)
    if table and chance.random() < 0.8:
        near = sorted({card for combination in table for card in fitting(combination)})
        cards = sorted({*chance.sample(near, min(6, len(near))), *chance.sample(cards, min(4, len(cards)))}) * 2
    return chance.sample(cards, len(cards))


def random_turn(chance: random.Random, opened: bool, sizes: tuple[int, int]) -> Turn:
    """A turn that begins: a hand of few ranks and suits with some jokers, a bank, a card of stock, and with `opened` a table."""
    table = random_table(chance) if opened else []
    jokers = min(ALL_JOKERS - sum(map(count_jokers, table)), chance.choice((0, 0, 1, 2, 3, OWN_JOKERS)))
    cards, along = random_cards(table, chance), chance.choice((0, 0, 0, 1, 2)) if jokers else 0
    along = min(along, jokers)  # jokers that are not in hand
    size = max(1, min(chance.randint(*sizes), len(cards) + jokers - along - 1))
    own = min(jokers - along, size - 1)
    hand, rest = [JOKER] * own + cards[: size - own], cards[size - own :]
    stock, bank = rest[:1], rest[1 : chance.choice((1, 2, 3, 4, 6))] + [JOKER] * along
    bank = chance.sample(bank, len(bank))
    return Turn(in_order(hand), bank, table, [chance.choice((0, 1, 1)) for _ in table], stock, opened, random_options(chance))


def random_mending(chance: random.Random) -> Turn:
    """A run on the table of which half are jokers, or nearly so, and a hand with jokers that fits it."""
    length, first, suit = chance.choice((4, 4, 5, 6, 6, 8, 8, 10, 11, 12)), chance.randrange(len(RANKS)), chance.choice(SUITS)
    ranks = [RANKS[(first + k) % len(RANKS)] for k in range(length)]
    own = chance.randint(1, 3)
    filled = min(ALL_JOKERS - own, length // 2, chance.choice((2, 3, 4, 5)))
    table = [run_from(first, suit, length, set(ranks) - set(chance.sample(ranks, filled)))]
    near = [card for card in sorted(set(fitting(table[0]))) if chance.random() < 0.6]
    hand = [JOKER] * own + sorted({*near, *chance.sample(("Jd", "5c"), chance.choice((0, 1)))})
    options = {**random_options(chance), "lay_on_draw": "opened"}
    return Turn(in_order(hand), [], table, [chance.choice((0, 1))], ["Qd"], True, options)


def random_tight(chance: random.Random) -> Turn:
    """A hand of two to eight cards of one suit, pairs and jokers among them, of which all or nearly all must be used."""
    low, width, suit = chance.randrange(len(RANKS)), chance.randint(4, 7), chance.choice(SUITS)
    cards = [RANKS[(low + k) % len(RANKS)] + suit for k in range(width)]
    cards = chance.sample(cards * 2, width * 2)
    own, size = chance.choice((0, 1, 2, 2, 3)), chance.choice((1, 1, 2, 2, 3, 4, 5, 6))
    hand, bank = [JOKER] * own + cards[:size], chance.sample([JOKER, *cards[size : size + 2]], chance.choice((1, 1, 2)))
    return Turn(in_order(hand), bank, [], [], ["5c" if suit == "d" else "9d"], chance.random() < 0.7, random_options(chance))


def random_options(chance: random.Random) -> dict[str, Any]:
    return {
        "jokers": ALL_JOKERS,
        "opening_points": chance.choice(NEEDED),
        "lay_on_draw": chance.choice(("opened", "never", "any")),
        "ten_is_honour": chance.random() < 0.3,
        "swap_own_jokers": chance.random() < 0.3,
    }


def check_many(seed: str, count: int, position: Callable[[random.Random], Turn], walks: int = 2) -> Counter:
    """Walk through so many turns; returns what was met."""
    chance, seen = random.Random(seed), Counter()
    for _ in range(count):
        turn = position(chance)
        for _ in range(walks):
            walk(turn, chance, seen)
    return seen


# --------------------------------------------------------------------------------------------------------------- the tests


@pytest.mark.parametrize(
    ("hand", "bank", "opened", "expected"),
    [
        ("3d 4d 6d Kc Kd Kh 7h 9h Js", "9s 5d 2c", False, "draw, take 5d"),
        ("3d 4d Kc Kd Kh 7s 9h Js", "5d", False, "draw"),
        ("3d 4d Kc Kd Kh 7s 9h Js *", "5d", False, "draw, take 5d"),
        ("8c Qs *", "As", True, "draw, take As"),
        ("Qs *", "As", True, "draw"),
    ],
)
def test_the_brute_force_finds_the_worked_cases(hand, bank, opened, expected):
    assert Turn(in_order(hand.split()), bank.split(), stock=["2h"], opened=opened).legal() == set(expected.split(", "))


def drawing(turn: Turn, lay_on_draw: str) -> Turn:
    """The same with nothing to take."""
    return replace(turn, bank=[], options={**turn.options, "lay_on_draw": lay_on_draw})


KINDS_OF_TURN = {
    "unopened": (
        lambda chance: random_turn(chance, False, (4, 9)),
        "START take, DUTY put, BUILD put, BUILD close, DRAWN discard, LAY put",
    ),
    "opened": (
        lambda chance: random_turn(chance, True, (1, 12)),
        "START take, START meld, DUTY put, BUILD put, BUILD close, LAY put, LAY meld, ADD put, ADD swap, ADD close",
    ),
    "mending": (random_mending, "LAY meld, ADD put, ADD swap, ADD close, to mend"),
    "tight": (random_tight, "START take, DUTY put, BUILD put, BUILD close, LAY put"),
    "any": (lambda chance: drawing(random_turn(chance, False, (4, 10)), "any"), "DRAWN put, BUILD put, BUILD close, DUTY put"),
    "never": (lambda chance: drawing(random_mending(chance), "never"), "START meld, DRAWN meld, ADD swap, ADD close"),
    "unopened, large": (lambda chance: random_turn(chance, False, (9, 13)), "START take, DUTY put, BUILD put, BUILD close"),
    "opened, large": (lambda chance: random_turn(chance, True, (9, 20)), "START take, DUTY put, BUILD put, LAY put, ADD put"),
}
QUICK = {"unopened": 300, "opened": 200, "mending": 100, "tight": 400, "any": 200, "never": 100}  # turns
MANY = 700
EVERY = 500  # positions
MUCH_MANY = 40  # hands


@pytest.mark.parametrize("kind", QUICK)
def test_what_may_be_done_in_a_turn_is_what_the_rules_allow(kind):
    check_kind(kind, kind, QUICK[kind])


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS_OF_TURN)
def test_what_may_be_done_in_a_turn_is_what_the_rules_allow_in_many_turns(kind):
    check_kind(kind, f"many {kind}", MANY)


def check_kind(kind: str, seed: str, count: int) -> Counter:
    """Walk through so many turns of a kind, and see that what it is for is met in at least one of so many positions."""
    position, wanted = KINDS_OF_TURN[kind]
    seen = check_many(seed, count, position)
    assert all(seen[name] * EVERY >= seen["positions"] for name in wanted.split(", ")), seen
    return seen


# hands of thirteen cards of which much can be made, and a bank
MUCH = {
    "ten of a suit, jokers": ("Ac 2c 3c 5c 6c 8c 9c Tc Qc Kc * * *", "4c * Qc"),
    "nine of a suit, four jokers": ("2h 3h 4h 6h 7h 8h Th Jh Kh * * * *", "Ah 3h 5d"),
    "thirteen of a suit": ("As 2s 3s 4s 5s 6s 7s 8s 9s Ts Js Qs Ks", "7s 2s *"),
    "pairs of a suit": ("5d 5d 6d 6d 7d 7d 8d 8d 9d 9d Td Td Jd", "Jd 4d 7c"),
    "pairs of two suits": ("9c 9c Tc Tc Jc Jc 9d 9d Td Td Jd Jd *", "Jh * Qc"),
    "honours": ("Ac Ad Ah As Kc Kd Kh Ks Qc Qd Qh Qs Jc", "Jd Js Kd"),
    "pairs of honours": ("Ac Ac Ad Ad Kc Kc Kd Kd Qc Qc Qd Qd *", "* Jc Ah"),
    "every other": ("Ac 3c 5c 7c 9c Jc Kc Ad 3d 5d 7d * *", "* 9d 2c"),
    "two suits, sets across": ("3c 4c 5c 6c 7c 3d 4d 5d 6d 7d 3h 5h *", "7h * 4h 3c"),
}
NEAR = (-5, -1, 0, 1, 4)  # of what can just be reached


@pytest.mark.parametrize("name", MUCH)
def test_what_a_hand_can_just_reach(name):
    hand, bank = (names.split() for names in MUCH[name])
    check_near(Turn(in_order(hand), bank, options={"jokers": ALL_JOKERS}), random.Random(name), NEAR, walks=1)


def check_near(turn: Turn, chance: random.Random, near: Iterable[int], walks: int) -> int:
    """Walk through a turn where the points needed are about what can be reached with each card of the bank."""
    seen = Counter()
    for depth, card in enumerate(reversed(turn.bank)):
        hand = in_order((*turn.hand, card))
        most = packing(hand, turn.option("ten_is_honour")).best(as_number(hand), card, depth == 0)
        for needed in {min(max(0, most + by), MOST_NEEDED) for by in near}:
            turn.options["opening_points"] = needed
            for _ in range(walks):
                walk(turn, chance, seen)
    return seen["positions"]


def random_much(chance: random.Random) -> Turn:
    """Thirteen cards of one or two suits, or of few ranks, with up to four jokers, and a bank of such cards."""
    suits, ranks = chance.choice(((1, 13), (1, 13), (2, 7), (2, 13), (3, 5), (4, 3), (4, 4)))
    low, own = chance.randrange(len(RANKS)), chance.randint(0, OWN_JOKERS)
    cards = [RANKS[(low + k) % len(RANKS)] + suit for k in range(ranks) for suit in chance.sample(SUITS, suits)] * 2
    if suits == 1:
        cards = [card[0] + "h" for card in cards]
    chance.shuffle(cards)
    hand, rest = [JOKER] * own + cards[: HAND_SIZE - own], cards[HAND_SIZE - own :]
    bank = [*rest[: chance.randint(1, 2)], JOKER][: chance.randint(1, 3)]
    options = {"jokers": ALL_JOKERS, "ten_is_honour": chance.random() < 0.3}
    return Turn(in_order(hand), chance.sample(bank, len(bank)), options=options)


@pytest.mark.slow
def test_what_many_hands_can_just_reach():
    chance = random.Random("much")
    for _ in range(MUCH_MANY):
        check_near(random_much(chance), chance, chance.sample(range(-6, 7), 3), walks=1)
