"""Kunken played slowly and plainly, from the rules page alone: it shares no code with the package and is there to check it.

Cards are text (`5s`, a joker `*`); on the table a joker says what it stands for (`*=5s`), as in the names of the actions.
As a script it replays the first N records of a file: `python tests/kunken_reference.py FILE [N]`.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "cdhs"
JOKER = "*"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]
INDEX = {card: k for k, card in enumerate([*CARDS, JOKER])}
PACKS = 2
PACKET = 13
SHORTEST = 3
HIGH, LOW = 10, 5
HONOURS, HONOURS_WITH_TEN = "AKQJ", "AKQJT"
MOST_JOKERS = 6
MOST_MELDS = 36
PLAYERS = range(2, 6)
OPENING_POINTS = range(151)
LAY_ON_DRAW = ("opened", "never", "any")
STOCK_OUT = ("end", "recycle")
REWARDS = ("zero_sum", "score")


# Combinations: tuples of `5s` and `*=5s`, runs in ascending order


def in_order(cards):
    """The cards as a tuple by card index: the one form in which a hand is kept in the searches."""
    return tuple(sorted(cards, key=INDEX.get))


def without(cards, *gone):
    return in_order((Counter(cards) - Counter(gone)).elements())


def is_joker(laid):
    return laid[0] == JOKER


def place(laid):
    """The card that a card of a combination is or, a joker, stands for."""
    return laid[-2:]


def bare(laid):
    """The card itself, a joker without what it stands for."""
    return laid[0] if is_joker(laid) else laid


def naturals(combination):
    return [laid for laid in combination if not is_joker(laid)]


def jokers(combination):
    return [laid for laid in combination if is_joker(laid)]


def moved(card, by):
    """The card so many places up its suit, going round."""
    return RANKS[(RANKS.index(card[0]) + by) % len(RANKS)] + card[1]


def is_run(combination):
    places = [place(laid) for laid in combination]
    follows = all(after == moved(before, 1) for before, after in pairwise(places))
    return SHORTEST <= len(places) <= len(RANKS) and follows


def is_set(combination):
    ranks, suits = {place(laid)[0] for laid in combination}, [card[1] for card in naturals(combination)]
    return SHORTEST <= len(combination) <= len(SUITS) and len(ranks) == 1 and len(suits) == len(set(suits))


def is_good(combination):
    """Whether it is a set or a run (its cards in ascending order, going round) with no more jokers than naturals."""
    return len(jokers(combination)) * 2 <= len(combination) and (is_run(combination) or is_set(combination))


def card_points(card, honours=HONOURS):
    """What a card in hand counts; a joker there counts ten."""
    return HIGH if card == JOKER or card[0] in honours else LOW


def points(combination, honours=HONOURS):
    """What a combination is worth, its jokers as the cards that they stand for."""
    return sum(card_points(place(laid), honours) for laid in combination)


def set_joker(cards):
    """A joker as it is named in a set that holds these natural cards: the first suit that none of them has."""
    held = {card[1] for card in cards}
    return JOKER + "=" + cards[0][0] + next(suit for suit in SUITS if suit not in held)


def arranged_set(combination):
    """The set with its naturals in the order of suits, then its jokers, named anew."""
    cards = in_order(naturals(combination))
    return cards + tuple(set_joker(cards) for _ in jokers(combination))


def good_combinations(hand) -> Iterator[tuple[str, ...]]:
    """Every good combination that the cards of the hand can lay, each in the order in which it is put."""
    yield from good_runs(hand)
    yield from good_sets(hand)


def good_runs(hand):
    def longer(run, jokers_left):
        if is_good(run):
            yield run
        if len(run) == len(RANKS):
            return
        card = moved(place(run[-1]), 1)
        if card in hand:
            yield from longer((*run, card), jokers_left)
        if jokers_left:
            yield from longer((*run, JOKER + "=" + card), jokers_left - 1)

    jokers_held = Counter(hand)[JOKER]
    for first in CARDS:
        if first in hand:
            yield from longer((first,), jokers_held)
        if jokers_held:
            yield from longer((JOKER + "=" + first,), jokers_held - 1)


def good_sets(hand):
    def longer(chosen, others):
        for count in range(Counter(hand)[JOKER] + 1):
            if chosen and is_good(wanted := (*chosen, *[JOKER + "=" + chosen[0]] * count)):
                yield arranged_set(wanted)
        for k, card in enumerate(others):
            yield from longer((*chosen, card), others[k + 1 :])

    for rank in RANKS:
        yield from longer((), [rank + suit for suit in SUITS if rank + suit in hand])


@lru_cache(maxsize=50_000)
def worths(hand, honours):
    """The most points that each multiset of cards can be laid for as one combination, by its cards as a tuple in order."""
    found = {}
    for combination in good_combinations(hand):
        cards = in_order(map(bare, combination))
        found[cards] = max(found.get(cards, 0), points(combination, honours))
    return found


@lru_cache(maxsize=50_000)
def can_open(hand, needed, named="", spare=0, honours=HONOURS):
    """Whether combinations from the hand can bring the points needed, one of them holding the card named (if any), a card being left.

    `spare` counts the cards that are in the hand besides but may not be laid.
    """
    if len(hand) + spare == 0 or sum(card_points(card, honours) for card in hand) < needed:
        return False
    if needed <= 0 and not named:
        return True
    for cards, worth in worths(hand, honours).items():
        if (not named or named in cards) and can_open(without(hand, *cards), needed - worth, "", spare, honours):
            return True
    return False


# A new combination, step by step


class Laying(NamedTuple):
    """A player who lays out new combinations, between two steps."""

    hand: tuple  # what may be used
    spare: int = 0  # how many cards are in hand besides
    duty: str = ""  # "opening", "third", or "" where nothing need be laid
    named: str = ""  # the card that a combination must hold still
    needed: int = 0  # points still needed to open
    building: tuple = ()
    honours: str = HONOURS


def put_new(laying, laid):
    return laying._replace(hand=without(laying.hand, bare(laid)), building=(*laying.building, laid))


def next_places(building) -> Iterator[str]:
    """What the order of building lets follow, whether or not it is in hand and whatever comes of it."""
    if not building:
        yield from CARDS
        yield from (JOKER + "=" + card for card in CARDS)
        return
    ranks, suits = {place(laid)[0] for laid in building}, {place(laid)[1] for laid in building}
    last = building[-1]
    if len(suits) == 1 and len(building) < len(RANKS) and len(ranks) == len(building):
        yield moved(place(last), 1)
        yield JOKER + "=" + moved(place(last), 1)
    if len(ranks) == 1 and len(building) < len(SUITS) and naturals(building):
        if not jokers(building):
            yield from (last[0] + suit for suit in SUITS if suit > last[1])
        yield set_joker(naturals(building))


def put_steps(laying) -> Iterator[tuple[str, Laying]]:
    """Every `put` of a new combination by name, and what it leads to, whether or not that can be finished."""
    for laid in next_places(laying.building):
        if bare(laid) in laying.hand:
            yield "put " + laid, put_new(laying, laid)


def may_close_new(laying):
    holds_named = laying.named in map(bare, laying.building)
    return is_good(laying.building) and (laying.duty != "third" or holds_named)


def close_new(laying):
    """What `close` leads to; with the duty met the cards set aside are not yet joined to the hand."""
    named = "" if laying.named in map(bare, laying.building) else laying.named
    needed = max(0, laying.needed - points(laying.building, laying.honours))
    met = not named and not needed
    return laying._replace(named=named, needed=needed, duty="" if met else laying.duty, building=())


@lru_cache(maxsize=50_000)
def can_lay(laying):
    """Whether what is being laid can be completed, the duty met and a card left, by trying it."""
    if len(laying.hand) + laying.spare == 0:
        return False
    if laying.building:
        can_close = may_close_new(laying) and can_lay(close_new(laying))
        return can_close or any(can_lay(after) for _, after in put_steps(laying))
    if laying.duty == "opening":
        return can_open(laying.hand, laying.needed, laying.named, laying.spare, laying.honours)
    return not laying.duty or any(can_lay(after) for name, after in put_steps(laying) if may_meet(laying.named, name[-2:]))


def may_meet(one, other):
    """Whether two cards may be in one combination, as far as they show it; a joker may be anywhere."""
    return one == JOKER or one[0] == other[0] or one[1] == other[1]


@lru_cache(maxsize=50_000)
def can_open_by_steps(laying):
    """`can_lay` without the packing, step by step to the end: for small hands, to check the packing."""
    if len(laying.hand) + laying.spare == 0:
        return False
    if not laying.building and not laying.duty:
        return True
    can_close = may_close_new(laying) and can_open_by_steps(close_new(laying))
    return can_close or any(can_open_by_steps(after) for _, after in put_steps(laying))


def laying_actions(laying):
    """The names of the legal steps while a new combination is built."""
    names = ["put " + after.building[-1] for _, after in put_steps(laying) if can_lay(after)]
    return names + ["close"] * (may_close_new(laying) and can_lay(close_new(laying)))


# A combination on the table, added to step by step


class Adding(NamedTuple):
    """A player who has chosen a combination on the table, between two steps."""

    hand: tuple
    combination: tuple
    may_put: bool
    may_swap: bool
    is_changed: bool = False


def is_a_set(combination):
    return not is_run(combination)


def ends(combination):
    """The cards that a combination on the table can take, jokers as they would be named."""
    if is_a_set(combination):
        cards = naturals(combination)
        missing = [cards[0][0] + suit for suit in SUITS if cards[0][0] + suit not in cards]
        return [*missing, set_joker(cards)] if len(combination) < len(SUITS) else []
    lower, upper = moved(place(combination[0]), -1), moved(place(combination[-1]), 1)
    cards = [] if len(combination) == len(RANKS) else [upper] if lower == upper else [lower, upper]
    return cards + [JOKER + "=" + card for card in cards]


def with_added(combination, laid):
    if is_a_set(combination):
        return arranged_set((*combination, laid))
    at_upper_end = place(laid) == moved(place(combination[-1]), 1)
    return (*combination, laid) if at_upper_end else (laid, *combination)


def swappable(combination):
    """The cards that a joker of the combination can be swapped for."""
    if not jokers(combination):
        return []
    if is_a_set(combination):
        cards = naturals(combination)
        return [cards[0][0] + suit for suit in SUITS if cards[0][0] + suit not in cards]
    return [place(laid) for laid in jokers(combination)]


def with_swapped(combination, card):
    if is_a_set(combination):
        return arranged_set((*naturals(combination), card, *jokers(combination)[1:]))
    return tuple(card if laid == JOKER + "=" + card else laid for laid in combination)


def adding_steps(adding) -> Iterator[tuple[str, Adding]]:
    """Every `put` and `swap` by name, and what it leads to, whether or not that can be finished."""
    hand, combination = adding.hand, adding.combination
    for laid in ends(combination) if adding.may_put else []:
        if bare(laid) in hand:
            yield "put " + laid, adding._replace(hand=without(hand, bare(laid)), combination=with_added(combination, laid), is_changed=True)
    for card in swappable(combination) if adding.may_swap else []:
        if card in hand:
            left = in_order([*without(hand, card), JOKER])
            yield "swap " + card, adding._replace(hand=left, combination=with_swapped(combination, card), is_changed=True)


def may_close_added(adding):
    return adding.is_changed and is_good(adding.combination)


@lru_cache(maxsize=50_000)
def can_add(adding):
    """Whether the combination can be changed into a good one, a card being left, by trying it."""
    if not adding.hand:
        return False
    return may_close_added(adding) or any(can_add(after) for _, after in adding_steps(adding))


def adding_actions(adding):
    return [name for name, after in adding_steps(adding) if can_add(after)] + ["close"] * may_close_added(adding)


# A deal


class Combination(NamedTuple):
    """A combination on the table and who laid it new."""

    owner: int
    cards: tuple


class Deal:
    """One deal, from the cards dealt to its end.

    `seat` decides; `phase` says where in the turn: "start" (draw, take, or swap first), "bound" (a duty is to be met), "free" (lay out or
    discard), "swap" (swap or discard), "drawn" (discard, or with `lay_on_draw` "any" begin to open). `chosen` is the number of the
    combination chosen or half-built, if any. `hands` and `known` hold Counters, `bank` (bottom to top), `stock` (next to last) and `table`
    are lists. `over` is "", "terminated" or "truncated"; `scores` are those of a deal that ends now, `returns` zero before the end.
    """

    def __init__(
        self,
        deck,
        players,
        dealer,
        recycled=None,
        *,
        jokers=4,
        ten_is_honour=False,
        lay_on_draw="opened",
        opening_points=50,
        swap_own_jokers=False,
        stock_out="end",
        reward="zero_sum",
        max_moves=2000,
        seed=0,
    ):
        assert players in PLAYERS and dealer in range(players) and jokers in range(MOST_JOKERS + 1) and opening_points in OPENING_POINTS
        assert lay_on_draw in LAY_ON_DRAW and stock_out in STOCK_OUT and reward in REWARDS
        self.players, self.dealer, self.recycled, self.random = players, dealer, recycled, random.Random(seed)
        self.honours = HONOURS_WITH_TEN if ten_is_honour else HONOURS
        self.lay_on_draw, self.opening_points, self.swap_own_jokers = lay_on_draw, opening_points, swap_own_jokers
        self.recycles_left, self.reward, self.max_moves, self.moves = int(stock_out == "recycle"), reward, max_moves, 0
        self.winner, self.is_express, self.over, self.table = None, False, "", []
        self.laid, self.opened = [0] * players, [False] * players
        self.known = [Counter() for _ in range(players)]
        self.deal(list(deck), jokers)

    def deal(self, deck, jokers):
        assert Counter(deck) == Counter(CARDS * PACKS + [JOKER] * jokers), "the deck is not a permutation of the packs"
        self.hands = [Counter()] * self.players
        for seat in [(self.dealer + k) % self.players for k in range(1, self.players + 1)]:
            self.hands[seat] = Counter(deck[:PACKET])
            deck = deck[PACKET:]
        self.bank, self.stock = deck[:1], deck[1:]
        self.begin_turn(self.dealer + 1)

    def begin_turn(self, seat):
        self.seat = seat % self.players
        self.had_opened = self.opened[self.seat]
        self.phase, self.chosen, self.is_new = "start", None, False
        self.duty, self.named, self.needed = "", "", 0
        self.aside = Counter()  # taken along: not to be used until the duty is met

    # What is legal

    def legal(self):
        """The names of the legal actions, sorted."""
        return sorted(set(self.actions())) if not self.over else []

    def actions(self):
        if self.chosen is not None:
            return laying_actions(self.laying()) if self.is_new else adding_actions(self.adding(self.chosen))
        if self.phase == "start":
            return self.ways_to_draw() + self.takes() + self.melds()
        if self.phase == "bound":
            return laying_actions(self.laying())
        return self.discards() + self.melds() + self.first_puts()

    def laying(self):
        """The search's view of the player in turn as one who lays new combinations."""
        usable = in_order((self.hands[self.seat] - self.aside).elements())
        duty, needed = self.duty, self.needed
        if self.phase == "drawn":
            duty, needed = "opening", self.opening_points
        building = self.table[self.chosen].cards if self.is_new else ()
        return Laying(usable, self.aside.total(), duty, self.named, needed, building, self.honours)

    def adding(self, k):
        """The search's view of the player in turn as one who has chosen combination k."""
        may_put, may_swap = self.phase == "free", self.swap_own_jokers or self.table[k].owner != self.seat
        changed = k == self.chosen and self.is_changed
        return Adding(in_order(self.hands[self.seat].elements()), self.table[k].cards, may_put, may_swap, changed)

    def ways_to_draw(self):
        return ["draw"] if self.stock or self.can_recycle() else ["pass"]

    def can_recycle(self):
        return self.recycles_left > 0 and len(self.bank) > 1

    def takes(self):
        seen, names = Counter(), []
        for taken, card in enumerate(reversed(self.bank), start=1):
            seen[card] += 1
            if can_lay(self.laying_after_take(card, taken)):
                names.append(f"take {card}" if seen[card] == 1 else f"take {card} {seen[card]}")
        return names

    def laying_after_take(self, card, taken):
        duty, needed = self.duty_of_take()
        hand = in_order([*self.hands[self.seat].elements(), card])
        return Laying(hand, taken - 1, duty, card, needed, (), self.honours)

    def duty_of_take(self):
        return ("third", 0) if self.opened[self.seat] else ("opening", self.opening_points)

    def melds(self):
        if not self.opened[self.seat]:
            return []
        return [f"meld {k}" for k in range(min(len(self.table), MOST_MELDS)) if can_add(self.adding(k))]

    def discards(self):
        return ["discard " + card for card in self.hands[self.seat]]

    def first_puts(self):
        begins = self.phase == "free" or (self.phase == "drawn" and self.lay_on_draw == "any")
        return [name for name in laying_actions(self.laying()) if name != "close"] if begins else []

    # What an action does

    def play(self, name):
        """Play the action of that name for the seat that decides."""
        assert name in self.legal(), f"{name} is not among {self.legal()}"
        self.moves += 1
        word, *rest = name.split()
        {
            "draw": self.draw,
            "pass": self.end_without_winner,
            "take": self.take,
            "put": self.put,
            "meld": self.choose,
            "swap": self.swap,
            "close": self.close,
            "discard": self.discard,
        }[word](*rest)
        if not self.over and self.moves == self.max_moves:
            self.over = "truncated"

    def draw(self):
        if not self.stock:
            self.recycle()
        self.hands[self.seat][self.stock.pop(0)] += 1
        if not self.opened[self.seat]:
            self.phase = "drawn"
        else:
            self.phase = "swap" if self.lay_on_draw == "never" else "free"

    def recycle(self):
        self.recycles_left -= 1
        rest, self.bank = self.bank[:-1], self.bank[-1:]
        if self.recycled is None:
            self.recycled = list(in_order(rest))
            self.random.shuffle(self.recycled)
        assert Counter(self.recycled) == Counter(rest), "the new stock is not made of the bank below its top card"
        self.stock = list(self.recycled)

    def end_without_winner(self):
        self.over = "terminated"

    def take(self, card, copy="1"):
        places = [k for k in reversed(range(len(self.bank))) if self.bank[k] == card]
        at = places[int(copy) - 1]
        taken, self.bank = self.bank[at:], self.bank[:at]
        self.hands[self.seat] += Counter(taken)
        self.known[self.seat] += Counter(taken)
        self.aside = Counter(taken[1:])
        self.duty, self.needed = self.duty_of_take()
        self.phase, self.named = "bound", card

    def leave_hand(self, card):
        """Take a card out of the hand; of one name, one that is known goes first, but none that was taken along and waits."""
        self.hands[self.seat] -= Counter([card])
        if self.known[self.seat][card] > self.aside[card]:
            self.known[self.seat] -= Counter([card])

    def put(self, laid):
        self.leave_hand(bare(laid))
        self.laid[self.seat] += card_points(place(laid), self.honours)
        if self.chosen is None:
            self.begin_combination()
        owner, cards = self.table[self.chosen]
        self.table[self.chosen] = Combination(owner, (*cards, laid) if self.is_new else with_added(cards, laid))
        self.is_changed = True

    def begin_combination(self):
        if self.phase == "drawn":
            self.phase, self.duty, self.needed = "bound", "opening", self.opening_points
        self.chosen, self.is_new = len(self.table), True
        self.table.append(Combination(self.seat, ()))

    def choose(self, k):
        self.chosen, self.is_new, self.is_changed = int(k), False, False

    def swap(self, card):
        self.leave_hand(card)
        self.hands[self.seat][JOKER] += 1
        self.known[self.seat][JOKER] += 1
        owner, cards = self.table[self.chosen]
        self.table[self.chosen] = Combination(owner, with_swapped(cards, card))
        self.is_changed = True

    def close(self):
        if self.phase == "bound":
            after = close_new(self.laying())
            self.duty, self.named, self.needed = after.duty, after.named, after.needed
            if not self.duty:
                self.phase, self.aside, self.opened[self.seat] = "free", Counter(), True
        self.chosen, self.is_new = None, False

    def discard(self, card):
        self.leave_hand(card)
        self.bank.append(card)
        if self.hands[self.seat]:
            self.begin_turn(self.seat + 1)
        else:
            self.winner, self.is_express, self.over = self.seat, not self.had_opened, "terminated"

    # What it comes to

    @property
    def scores(self):
        """Each seat's score as it stands."""
        factor = 1 + self.is_express
        in_hand = [sum(card_points(card, self.honours) for card in hand.elements()) for hand in self.hands]
        return [
            laid * (factor if seat == self.winner else 1) - minus * factor
            for seat, (laid, minus) in enumerate(zip(self.laid, in_hand, strict=True))
        ]

    @property
    def returns(self):
        """Each seat's reward, zero before the end."""
        if not self.over:
            return [0] * self.players
        mean = sum(self.scores) / self.players
        return self.scores if self.reward == "score" else [score - mean for score in self.scores]


# Records


def replay(record):
    """Play a record and return the deal, ended; AssertionError, with the number of the action, where it goes otherwise here."""
    options = {name: option for name, option in record["options"].items() if name != "auto_single"}
    deal = Deal(record["deck"], record["players"], record["dealer"], record.get("recycled"), **options)
    for number, (seat, name) in enumerate(record["actions"]):
        assert not deal.over, f"action {number}: the deal is over here"
        assert deal.seat == seat, f"action {number}: seat {deal.seat} decides here, not {seat}"
        legal = deal.legal()
        expected = record["legal"][number] if "legal" in record else legal
        assert legal == expected, f"action {number}: legal here {legal}, not {expected}"
        assert name in legal, f"action {number}: {name} is not legal here: {legal}"
        deal.play(name)
    assert deal.over, f"action {len(record['actions'])}: the deal goes on here"
    assert deal.returns == record["returns"], f"action {len(record['actions'])}: returns here {deal.returns}, not {record['returns']}"
    return deal


def main(path, most=None):
    with open(path, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines][: None if most is None else int(most)]
    for number, record in enumerate(records):
        try:
            replay(record)
        except AssertionError as error:
            raise AssertionError(f"record {number}: {error}") from error
    print(len(records), "records,", sum(len(record["actions"]) for record in records), "actions")


if __name__ == "__main__":
    main(*sys.argv[1:])
