"""Pengingan played slowly and plainly, from the rules page alone: it shares no code with the package and is there to check it.

Cards are text (`5s`). As a script it replays the first N records of a file: `python tests/pengingan_reference.py FILE [N]`.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

RANKS = "A234567JQK"
SUITS = "cdhs"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]
INDEX = {card: k for k, card in enumerate(CARDS)}
NO_COMOQUERS = "AK"
VALLE = "357"
SHORTEST_MELD = 3
SUITS_OF_A_MIXED_GROUP = 3
PACKET = 10
GOING_OUT_CHIPS = 1
EXTENSION_PAY = ("per_card", "once")
HAND_CARDS = ("used_meld", "any_meld")
GOING_OUT = ("eleven", "empty_hand")
FORCING = ("ask", "always", "never")
STOCK_OUT = ("end", "reshuffle")


# Melds


def in_order(cards):
    """The cards as a tuple by card index: the one form in which a meld or a hand is kept here."""
    return tuple(sorted(cards, key=INDEX.get))


def ranks_of(cards):
    return {card[0] for card in cards}


def suits_of(cards):
    return {card[1] for card in cards}


def is_run(cards):
    places = sorted(RANKS.index(card[0]) for card in cards)
    consecutive = list(range(places[0], places[0] + len(places)))
    return len(cards) >= SHORTEST_MELD and len(suits_of(cards)) == 1 and places == consecutive


def is_group(cards):
    if len(cards) < SHORTEST_MELD or len(ranks_of(cards)) != 1:
        return False
    return cards[0][0] in NO_COMOQUERS or len(suits_of(cards)) == 1 or len(suits_of(cards)) >= SUITS_OF_A_MIXED_GROUP


def is_one_suit_comoquers(cards):
    return is_group(cards) and cards[0][0] not in NO_COMOQUERS and len(suits_of(cards)) == 1


def is_good(cards, kept_one_suit=False):
    """Whether the cards are a meld; with `kept_one_suit` they extend a one-suit group of comoquers and must stay of one suit."""
    cards = in_order(cards)
    if not cards or (kept_one_suit and len(suits_of(cards)) != 1):
        return False
    return is_run(cards) or is_group(cards)


def value(meld):
    """What a meld is worth in chips from each opponent."""
    one_suit, spades = len(suits_of(meld)) == 1, suits_of(meld) == {"s"}
    if is_run(meld):
        return (1 + spades) * bool(ranks_of(meld) & set(NO_COMOQUERS))
    if meld[0][0] in VALLE:
        return 4 if spades else 2 if one_suit else 1
    return 2 if spades else 1 if one_suit else 0


def fits(card, meld):
    """Whether the card alone can be put onto the meld as it lies."""
    return is_good([*meld, card], kept_one_suit=is_one_suit_comoquers(meld))


def partitions(cards):
    """Every way to divide the cards into good melds, each a tuple of melds in order, as a set."""
    cards = in_order(cards)
    if not cards:
        return {()}
    first, others, found = cards[0], cards[1:], set()
    for size in range(len(others) + 1):
        for companions in set(combinations(others, size)):
            meld = (first, *companions)
            if is_good(meld):
                rest = (Counter(others) - Counter(companions)).elements()
                found |= {tuple(sorted((meld, *more))) for more in partitions(rest)}
    return found


# Building an arrangement, step by step


class Meld(NamedTuple):
    """A meld of an arrangement: its cards that lay on the table or are the card used, and its cards from hand."""

    loose: tuple
    hand: tuple

    @property
    def cards(self):
        return in_order(self.loose + self.hand)


class Arrangement(NamedTuple):
    """An arrangement somewhere between its first step and its last; `open` is None once it is done."""

    kind: str  # "new", "extend" or "rearrange"
    used: str
    former: tuple  # the player's melds before
    extended: int | None
    any_meld: bool
    closed: tuple
    open: Meld | None
    last_put: str | None
    loose: tuple
    hand: tuple


def begin(kind, used, former, hand, extended=None, any_meld=False):
    """The arrangement that opens with the action `kind`; a meld to extend is given by its number."""
    empty = Arrangement(kind, used, former, extended, any_meld, (), None, None, (), in_order(hand))
    if kind == "rearrange":
        return open_next(empty._replace(loose=in_order([used, *(card for meld in former for card in meld)])))
    lying = former[extended] if kind == "extend" else ()
    return empty._replace(open=Meld(in_order([*lying, used]), ()))


def open_next(arrangement):
    lowest, *others = arrangement.loose
    return arrangement._replace(open=Meld((lowest,), ()), last_put=None, loose=tuple(others))


def without(cards, card):
    return in_order((Counter(cards) - Counter([card])).elements())


def put(arrangement, card):
    """The arrangement after `put card`: of one kind, the loose one goes first."""
    loose, hand = arrangement.open
    if card in arrangement.loose:
        return arrangement._replace(open=Meld((*loose, card), hand), last_put=card, loose=without(arrangement.loose, card))
    return arrangement._replace(open=Meld(loose, (*hand, card)), last_put=card, hand=without(arrangement.hand, card))


def close(arrangement):
    arrangement = arrangement._replace(closed=(*arrangement.closed, arrangement.open), open=None)
    return open_next(arrangement) if arrangement.loose else arrangement


def may_close(arrangement):
    lying = arrangement.former[arrangement.extended] if arrangement.kind == "extend" else ()
    return is_good(arrangement.open.cards, kept_one_suit=is_one_suit_comoquers(lying))


def may_share_a_meld(card, others):
    """Whether the card shares suit or rank with each of the others, as any two cards of a meld do."""
    return all(card[0] == other[0] or card[1] == other[1] for other in others)


def steps(arrangement) -> Iterator[tuple[str, Arrangement]]:
    """Every step in ascending order, by name, and what it leads to, whether or not that can be finished."""
    if may_close(arrangement):
        yield "close", close(arrangement)
    for card in CARDS:
        ascends = arrangement.last_put is None or INDEX[card] >= INDEX[arrangement.last_put]
        is_there = card in arrangement.loose or card in arrangement.hand
        if is_there and ascends and may_share_a_meld(card, arrangement.open.cards):
            yield "put " + card, put(arrangement, card)


@lru_cache(maxsize=200_000)
def can_be_finished(arrangement):
    """Whether some sequence of steps leads to an arrangement that the rules allow, by trying them all."""
    if arrangement.open is None:
        return is_allowed(arrangement)
    return any(can_be_finished(after) for _, after in steps(arrangement))


def building_actions(arrangement):
    """The legal steps: those from which the arrangement can be finished."""
    return [name for name, after in steps(arrangement) if can_be_finished(after)]


def is_allowed(arrangement):
    """Whether an arrangement that is done is what the rules call a new meld, an extension or a rearrangement."""
    if arrangement.kind != "rearrange":
        return True
    return is_divided_anew(arrangement) and (arrangement.any_meld or hand_cards_join_the_used(arrangement))


def is_divided_anew(arrangement):
    return not each_found_whole(arrangement.former, [meld.cards for meld in arrangement.closed])


def each_found_whole(former, melds):
    """Whether each former meld can be found whole in a meld of its own."""
    if not former:
        return True
    first, *others = former
    return any(Counter(first) <= Counter(meld) and each_found_whole(others, melds[:k] + melds[k + 1 :]) for k, meld in enumerate(melds))


def hand_cards_join_the_used(arrangement):
    """Whether one meld can be said to hold the card used and all the cards from hand, as cards of one kind are alike."""
    from_hand = Counter(card for meld in arrangement.closed for card in meld.hand)
    together = from_hand + Counter([arrangement.used])
    return not from_hand or any(together <= Counter(meld.cards) for meld in arrangement.closed)


def melds_after(arrangement):
    """The player's melds, in their numbering, once the arrangement is done."""
    laid = [meld.cards for meld in arrangement.closed]
    if arrangement.kind == "rearrange":
        return laid
    melds = list(arrangement.former)
    if arrangement.kind == "new":
        return melds + laid
    melds[arrangement.extended] = laid[0]
    return melds


def payment(arrangement, extension_pay):
    """What each opponent pays for an arrangement that is done."""
    if arrangement.kind == "rearrange":
        changed = Counter(meld.cards for meld in arrangement.closed) - Counter(arrangement.former)
        return sum(value(meld) for meld in changed.elements())
    laid = arrangement.closed[0].cards
    if arrangement.kind == "new":
        return value(laid)
    before = arrangement.former[arrangement.extended]
    added = len(laid) - len(before)
    return value(laid) * (added if value(before) and extension_pay == "per_card" else 1)


# A deal


class Deal:
    """One deal, from the cards dealt to its end.

    `seat` decides; `asking` says what: "x" and "y" (use the face-up card?), "forced" (onto which meld?), "build", "discard", "rediscard",
    "demand use", "demand discard", "extra" (turn one more card?). `turn` is the player in turn, who differs from `seat` in the demands.
    `hands` and `taken_back` hold Counters, `tables` lists of melds (tuples by card index) in their numbering; `dead` and `stock` are lists.
    """

    def __init__(
        self,
        deck,
        players,
        dealer,
        reshuffled=None,
        *,
        packs=None,
        extension_pay="per_card",
        rearrange=True,
        hand_cards="used_meld",
        going_out="eleven",
        forcing="ask",
        stock_out="end",
        max_moves=None,
        seed=0,
    ):
        assert extension_pay in EXTENSION_PAY and hand_cards in HAND_CARDS and going_out in GOING_OUT
        assert forcing in FORCING and stock_out in STOCK_OUT and isinstance(rearrange, bool)
        self.packs = players if packs is None else packs
        self.players, self.dealer, self.reshuffled, self.random = players, dealer, reshuffled, random.Random(seed)
        self.extension_pay, self.rearrange, self.any_meld = extension_pay, rearrange, hand_cards == "any_meld"
        self.ends_on_empty_hand, self.forcing, self.reshuffles_left = going_out == "empty_hand", forcing, int(stock_out == "reshuffle")
        self.max_moves, self.moves = max_moves, 0
        self.returns, self.over, self.dead = [0] * players, "", []
        self.tables = [[] for _ in range(players)]
        self.taken_back = [Counter() for _ in range(players)]
        self.deal(list(deck))

    def deal(self, deck):
        assert Counter(deck) == Counter(CARDS * self.packs), "the deck is not a permutation of the packs"
        assert len(deck) > PACKET * self.players, "too few packs"
        self.hands = [Counter()] * self.players
        for seat in [*self.others_after(self.dealer), self.dealer]:
            self.hands[seat] = Counter(deck[:PACKET])
            deck = deck[PACKET:]
        self.card, self.stock = deck[0], deck[1:]
        self.begin_turn(self.next_to(self.dealer))

    def next_to(self, seat):
        return (seat + 1) % self.players

    def others_after(self, seat):
        return [(seat + k) % self.players for k in range(1, self.players)]

    def begin_turn(self, seat):
        self.turn = self.seat = seat
        self.arrangement = None
        self.asked = []  # the opponents still to be asked after the one at `seat`
        self.was_demanded = False  # the card in use was demanded
        self.extra_spent = False
        self.asking = "x"

    # What is legal

    def legal(self):
        """The names of the legal actions, sorted."""
        return sorted(self.actions()) if not self.over else []

    def actions(self):
        if self.asking in ("x", "y"):
            return self.uses() + ([] if self.forcing == "always" and self.is_live(self.card) else ["pass"])
        if self.asking == "forced":
            return [f"extend {m}" for m in self.live_melds(self.card, self.turn)]
        if self.asking == "build":
            return building_actions(self.arrangement)
        if self.asking in ("discard", "rediscard"):
            return ["discard " + card for card in self.discards()]
        if self.asking == "extra":
            return ["pass", "turn"] if self.stock or self.can_reshuffle() else ["pass"]
        return ["demand", "pass"]

    def live_melds(self, card, seat):
        return [m for m, meld in enumerate(self.tables[seat]) if fits(card, meld)]

    def is_live(self, card, seat=None):
        """Whether the card is live for the seat, by default the player in turn."""
        return bool(self.live_melds(card, self.turn if seat is None else seat))

    def begin(self, action):
        """The arrangement that `new`, `extend m` or `rearrange` begins."""
        kind, *number = action.split()
        extended = int(number[0]) if number else None
        return begin(kind, self.card, tuple(self.tables[self.turn]), self.hands[self.turn].elements(), extended, self.any_meld)

    def uses(self):
        kinds = ["new"] + [f"extend {m}" for m in range(len(self.tables[self.turn]))]
        if self.rearrange:
            kinds.append("rearrange")
        return [kind for kind in kinds if can_be_finished(self.begin(kind))]

    def discards(self):
        hand = list(self.hands[self.turn])
        not_live = [card for card in hand if not self.is_live(card, self.next_to(self.turn))]
        if self.asking == "rediscard" or (self.forcing == "always" and not_live):
            return not_live
        return hand

    def can_reshuffle(self):
        return self.reshuffles_left > 0 and bool(self.dead)

    # What an action does

    def play(self, name):
        """Play the action of that name for the seat that decides."""
        assert name in self.legal(), f"{name} is not among {self.legal()}"
        self.moves += 1
        word, *rest = name.split()
        if self.asking in ("x", "y", "forced"):
            self.decline_card() if word == "pass" else self.use_card(name)
        elif self.asking == "build":
            self.build(name)
        elif self.asking in ("discard", "rediscard"):
            self.discard(rest[0])
        elif self.asking == "extra":
            self.turn_extra() if word == "turn" else self.begin_turn(self.next_to(self.turn))
        else:
            self.answer(word)
        if not self.over and self.moves == self.max_moves:
            self.over = "truncated"

    def decline_card(self):
        self.declined = self.asking
        if self.forcing == "ask" and self.is_live(self.card):
            self.ask("demand use")
        else:
            self.after_decline()

    def after_decline(self):
        """What follows once nobody demanded, or could demand, the declined card."""
        if self.declined == "y":
            self.begin_turn(self.next_to(self.turn))
            return
        self.dead.append(self.card)
        self.card = None
        self.turn_card()

    def turn_card(self):
        """Turn the stock's top card up, or end the deal if there is none."""
        if not self.stock and self.can_reshuffle():
            self.reshuffle()
        if not self.stock:
            self.over = "terminated"
            return
        self.card = self.stock.pop(0)
        self.seat, self.asking, self.was_demanded = self.turn, "y", False

    def reshuffle(self):
        self.reshuffles_left -= 1
        if self.reshuffled is None:
            self.reshuffled = list(in_order(self.dead))
            self.random.shuffle(self.reshuffled)
        assert Counter(self.reshuffled) == Counter(self.dead), "the new stock is not made of the dead cards"
        self.stock, self.dead = list(self.reshuffled), []

    def turn_extra(self):
        """Turn one more card, which covers and kills the discard, so that a reshuffle for it comes too early for the discard."""
        self.extra_spent, covered = True, self.card
        self.turn_card()
        self.dead.append(covered)

    def ask(self, question):
        self.asking = question
        self.seat, *self.asked = self.others_after(self.turn)

    def answer(self, word):
        if word == "pass" and self.asked:
            self.seat, *self.asked = self.asked
            return
        question, self.seat, self.asked = self.asking, self.turn, []
        if question == "demand use":
            self.force() if word == "demand" else self.after_decline()
        else:
            self.take_back() if word == "demand" else self.after_discard()

    def force(self):
        self.was_demanded = True
        self.asking = "forced"

    def take_back(self):
        self.hands[self.turn][self.card] += 1
        self.taken_back[self.turn][self.card] += 1
        self.card = None
        self.asking = "rediscard"

    def use_card(self, name):
        self.arrangement = self.begin(name)
        self.card = None
        self.asking = "build"

    def build(self, name):
        self.arrangement = dict(steps(self.arrangement))[name]
        if self.arrangement.open is None:
            self.finish()

    def finish(self):
        """Lay the finished arrangement, take what it pays, and go out or go on to the discard."""
        done, self.arrangement = self.arrangement, None
        self.collect(payment(done, self.extension_pay))
        self.tables[self.turn] = melds_after(done)
        for meld in done.closed:
            for card in meld.hand:
                self.leave_hand(card)
        if self.hands[self.turn]:
            self.asking = "discard"
        else:
            self.go_out()

    def leave_hand(self, card):
        """Take a card out of the hand; of one kind, one that was once taken back goes first."""
        self.hands[self.turn] -= Counter([card])
        self.taken_back[self.turn] -= Counter([card])

    def collect(self, chips):
        """Take so many chips from each opponent of the player in turn."""
        for seat in range(self.players):
            self.returns[seat] -= chips
        self.returns[self.turn] += chips * self.players

    def go_out(self):
        self.collect(GOING_OUT_CHIPS + sum(value(meld) for meld in self.tables[self.turn]))
        self.over = "terminated"

    def discard(self, card):
        all_live = all(self.is_live(other, self.next_to(self.turn)) for other in self.hands[self.turn])
        self.leave_hand(card)
        self.card = card
        if self.ends_on_empty_hand and not self.hands[self.turn]:
            self.go_out()
        elif self.forcing == "ask" and self.is_live(card, self.next_to(self.turn)) and not all_live:
            self.ask("demand discard")
        else:
            self.after_discard()

    def after_discard(self):
        if self.was_demanded and not self.extra_spent:
            self.asking = "extra"
        else:
            self.begin_turn(self.next_to(self.turn))


# Records


def replay(record):
    """Play a record and return the deal, ended; AssertionError, with the number of the action, where it goes otherwise here."""
    options = {name: option for name, option in record["options"].items() if name != "auto_single"}
    deal = Deal(record["deck"], record["players"], record["dealer"], record.get("reshuffled"), **options)
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
