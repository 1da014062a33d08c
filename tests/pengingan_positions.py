"""Positions of Pengingan from text, for the table tests: hands, tables, face-up card and stock in the notation of cards."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.cards import NO_CARD
from penzoo.envs.pengingan.building import note_table
from penzoo.envs.pengingan.melds import add, add_counts, is_good
from penzoo.envs.pengingan.state import CARDS, HAND_SIZE, LIVE, NO_MELD, NOBODY, NUM_CARDS, NUM_RANKS, RANKS, Phase
from penzoo.envs.pengingan.stock import packs

PENGINGAN = get_game("pengingan")
FILLER = "Ac 2d 3h 4s 5c 6d 7h Js Qc Kd"  # a hand of which no two cards can be in one meld of three
STOCK = "2c 4d 2c 4d 2c"  # where a position does not say what is to come
BETWEEN = " | "  # two melds


class Table:
    """A deal of Pengingan in a given position; all cards, actions and questions are in names.

    Cards need not add up to a deck: a position needs only those that it is about.

    Args:
        hands: the cards of each seat from seat 0 on, as in "6c Kh"; None, and every seat not named: as many as there should be, of no use.
            A text alone is the hand of seat 0.
        tables: the melds of each seat, as in "6s 7s Js | 5s 5d 5c"; a text alone is the table of seat 0.
        card: which lies face up.
        players: how many sit at the table; by default as many as are named, two at least.
        turn: the player in turn, who is to move.
        phase: FIRST: the card is x; SECOND: it is y, turned from the stock in this turn.
        is_extra: the extra card of this turn has been turned.
        stock: in the order in which it is turned.
        dead: the dead cards.
        reshuffled: the new stock of a reshuffle to come, in the order in which it is turned.
        is_reshuffled: the dead cards have become a stock before.
        known: for each seat, cards of its hand that everyone saw go there.
        chips: of each seat.
        dealer, moves: as in a deal.
        options: of the rules.
    """

    def __init__(
        self,
        hands: str | Sequence[str | None] = (),
        tables: str | Sequence[str] = (),
        card: str = "",
        *,
        players: int | None = None,
        turn: int = 0,
        phase: Phase = Phase.FIRST,
        is_extra: bool = False,
        stock: str = STOCK,
        dead: str = "",
        reshuffled: str = "",
        is_reshuffled: bool = False,
        known: Sequence[str] = (),
        chips: Sequence[int] = (),
        dealer: int = 0,
        moves: int = 0,
        **options: Any,
    ) -> None:
        hands, tables = _per_seat(hands), _per_seat(tables)
        count = players or max(len(hands), len(tables), PENGINGAN.min_players)
        self.batch = Batch(PENGINGAN, 1, 0, num_players=count, autoreset=False, **options)
        self.state = self.batch._states[0]
        for name in (
            "hand",
            "hand_size",
            "known",
            "known_size",
            "meld",
            "num_melds",
            "table_size",
            "table",
            "shown",
            "chips",
            "stock",
            "dead",
        ):
            self.state[name] = 0
        for seat in range(count):
            self._set_melds(seat, tables[seat] if seat < len(tables) else "")
            self._set_hand(seat, hands[seat] if seat < len(hands) else None)
        for seat, names in enumerate(known):
            self.state["known_size"][seat] = _count(names, self.state["known"][seat])
        self.state["chips"][: len(chips)] = chips
        self.state["card"] = CARDS.index(card) if card else NO_CARD
        self.state["phase"], self.state["is_turned"], self.state["is_extra"] = phase, phase == Phase.SECOND, is_extra
        self._set_stock(stock, dead, reshuffled, is_reshuffled)
        self.state["seat"] = self.state["turn"] = turn
        self.state["dealer"], self.state["moves"] = dealer, moves
        self.refresh()

    def _set_melds(self, seat: int, text: str) -> None:
        for number, names in enumerate(text.split(BETWEEN) if text else ()):
            meld = NO_MELD
            for card in _cards(names):
                meld = add(meld, card)
            assert is_good(meld), f"{names}: no meld"
            self.state["meld"][seat, number] = meld
            self.state["num_melds"][seat] += 1
            self.state["table_size"][seat] += len(names.split())
        note_table(self.state, seat)

    def _set_hand(self, seat: int, hand: str | None) -> None:
        if hand is None:
            hand = " ".join(FILLER.split()[: HAND_SIZE - self.state["table_size"][seat]])
        self.state["hand_size"][seat] = _count(hand, self.state["hand"][seat])

    def _set_stock(self, stock: str, dead: str, reshuffled: str, is_reshuffled: bool) -> None:
        cards, order = _cards(stock)[::-1], _cards(reshuffled)
        self.state["stock"][: len(cards)] = cards
        self.state["stock_size"] = len(cards)
        self.state["dead_size"] = _count(dead, self.state["dead"])
        self.state["is_reshuffled"] = is_reshuffled
        self.state["reshuffled"] = NO_CARD
        self.state["reshuffled"][: len(order)] = order

    def refresh(self) -> None:
        """Fill the batch's arrays from the record."""
        batch = self.batch
        PENGINGAN.loops.refresh_rows(batch._states, np.arange(1), 0, 1, batch._observations, batch._masks, batch._seats)

    # ------------------------------------------------------------------------------------------------------------------- play

    def play(self, *actions: str) -> "Table":
        """Play actions in turn, each by the seat to move; ValueError at one that is not legal."""
        for name in actions:
            self.batch.step([PENGINGAN.actions.index(name)])
        return self

    def arrange(self, first: str, puts: str = "") -> "Table":
        """Play an arrangement of a single meld: how it begins, the cards that are put, and `close`."""
        return self.play(first, *(f"put {card}" for card in puts.split()), "close")

    @property
    def legal(self) -> str:
        """The legal actions in the order of the table of actions."""
        return ", ".join(PENGINGAN.legal_names(self.batch.masks[0]))

    def offered(self, what: str) -> str:
        """The cards of the legal actions of a kind: `put`, `discard`, or the numbers of `extend`."""
        return " ".join(name.split()[1] for name in PENGINGAN.legal_names(self.batch.masks[0]) if name.split()[0] == what)

    def arrangements(self, first: str) -> set[str]:
        """All tables to which an arrangement can lead, if it begins with an action that is legal; each once, its melds in order."""
        return {BETWEEN.join(sorted(melds)) for melds in self.ways(first)}

    def ways(self, first: str) -> Iterator[tuple[str, ...]]:
        """The melds after each sequence of legal actions from an action to the end of its arrangement, by number."""
        action = PENGINGAN.actions.index(first)
        if self.batch.masks[0][action]:
            yield from _walk(self.state, action, np.zeros_like(self.batch.masks[0]))

    # ------------------------------------------------------------------------------------------------------------------- read

    @property
    def seat(self) -> int:
        """Who is to move."""
        return int(self.batch.seats[0])

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return int(self.state["turn"])

    @property
    def phase(self) -> Phase:
        """What is to be decided."""
        return Phase(int(self.state["phase"]))

    @property
    def card(self) -> str:
        """The face-up card, or nothing."""
        return "" if self.state["card"] == NO_CARD else CARDS[self.state["card"]]

    @property
    def stock(self) -> str:
        """The stock in the order in which it is turned."""
        return " ".join(CARDS[card] for card in self.state["stock"][: self.state["stock_size"]][::-1])

    @property
    def dead(self) -> str:
        """The dead cards in the order of the card index."""
        assert self.state["dead"].sum() == self.state["dead_size"]
        return _names(self.state["dead"])

    @property
    def end(self) -> str:
        """`terminated`, `truncated`, or nothing while the deal goes on."""
        return " ".join(name for name in ("terminated", "truncated") if getattr(self.batch, name)[0])

    @property
    def out(self) -> int | None:
        """Who went out."""
        return None if self.state["out_seat"] == NOBODY else int(self.state["out_seat"])

    @property
    def rewards(self) -> list[float]:
        """What the last action brought to each seat."""
        return [float(value) for value in self.batch.rewards[0]]

    @property
    def returns(self) -> list[float]:
        """What the deal brought to each seat since it stood in the given position."""
        return [float(value) for value in self.batch.returns[0]]

    @property
    def paid(self) -> float:
        """What the last action brought to the player in turn from each opponent."""
        others = {reward for seat, reward in enumerate(self.rewards) if seat != self.turn}
        assert len(others) == 1 and sum(self.rewards) == 0, f"{self.rewards}: not the same from each opponent"
        return -others.pop()

    @property
    def chips(self) -> list[int]:
        """The chips of each seat."""
        return [int(value) for value in self.state["chips"][: self.batch.num_players]]

    def hand(self, seat: int) -> str:
        """A hand in the order of the card index."""
        assert self.state["hand"][seat].sum() == self.state["hand_size"][seat]
        return _names(self.state["hand"][seat])

    def melds(self, seat: int) -> str:
        """A seat's melds by number, each in the order of the card index; an open one where it stands."""
        return BETWEEN.join(_melds(self.state, seat))

    def live(self, seat: int) -> str:
        """The cards that are live for a seat, in the order of the card index."""
        return _names(self.state["shown"][seat, LIVE:])

    def known(self, seat: int) -> str:
        """The cards of a hand that everyone saw go there, in the order of the card index."""
        assert self.state["known"][seat].sum() == self.state["known_size"][seat]
        return _names(self.state["known"][seat])

    def sees(self, seat: int, piece: str) -> str | float | list[float]:
        """A piece of a seat's observation: a number, cards, or ranks; anything else as the numbers that stand there."""
        values = self.batch.observe([seat])[0][PENGINGAN.observation_layout(self.batch.num_players).slices[piece]]
        if len(values) == NUM_CARDS:
            is_bits = piece == "card" or piece.endswith("live")
            return _names(np.rint(values if is_bits else values * packs(self.state)).astype(int))
        if len(values) == NUM_RANKS:
            return "".join(rank for rank, value in zip(RANKS, values, strict=True) if value)
        return float(values[0]) if len(values) == 1 else [float(value) for value in values]


def fresh_deal(players: int, deck: Sequence[str] | None = None, dealer: int = 0, **options: Any) -> Table:
    """A deal of a given deck, by default in the order of the card index, before its first move."""
    table = Table(players=players, **options)
    if deck is None:
        deck = [CARDS[card] for card in PENGINGAN.deck(players, table.batch.options)]
    table.batch.reset(decks=[list(deck)], dealers=[dealer])
    return table


def _walk(state: np.void, action: int, mask: np.ndarray) -> Iterator[tuple[str, ...]]:
    state = state.copy()
    PENGINGAN.functions.apply(state, action)
    if state["phase"] != Phase.BUILD or state["terminated"]:
        yield _melds(state, int(state["turn"]))
        return
    PENGINGAN.functions.legal_mask(state, mask)
    actions = np.flatnonzero(mask)
    assert len(actions), f"{' | '.join(_melds(state, int(state['turn'])))}: begun, and cannot be finished"
    for following in actions:
        yield from _walk(state, int(following), mask)


def _per_seat(given: Any) -> list[Any]:
    return [given] if isinstance(given, str) else list(given)


def _melds(state: np.void, seat: int) -> tuple[str, ...]:
    return tuple(_meld_names(int(meld)) for meld in state["meld"][seat] if meld != NO_MELD)


def _meld_names(meld: int) -> str:
    counts = np.zeros(NUM_CARDS, np.int8)
    add_counts(counts, meld, 1)
    return _names(counts)


def _cards(names: str) -> list[int]:
    return [CARDS.index(name) for name in names.split()]


def _count(names: str, counts: np.ndarray) -> int:
    """Count cards into an array by card index; returns how many there are."""
    cards = _cards(names)
    np.add.at(counts, cards, 1)
    return len(cards)


def _names(counts: Any) -> str:
    return " ".join(CARDS[card] for card in np.repeat(np.arange(NUM_CARDS), counts))


# The worked cases of the page: own table, hand, the other cards of the hand, card, legal.
WORKED_CASES = [
    ("", "6c 6d 6h 5s 5h", "2c Jd 3s Kh Qc", "5d", "pass, new"),
    ("", "6c 6d 6h", "2c Jd 3s Kh Qc 4h 2s", "6s", "pass, new"),
    ("6s 7s Js", "Ks 2d", "4c 4h Jh 6c 2h", "Qs", "pass, extend 0"),
    ("6s 7s Js", "Qs 2d", "4c 4h Jh 6c 2h", "Ks", "pass, extend 0"),
    ("As 2s 3s", "5s", "4c Jh 6c 2h Qd Kd", "4s", "pass, extend 0"),
    ("3s 3s 3s", "", "4c 4d Jh 6c 2h Qd Kd", "3h", "pass"),
    ("3s 3h 3d", "", "4c 4d Jh 6c 2h Qd Kd", "3s", "pass, extend 0"),
    ("Kd Kd Kd", "", "4c 4d Jh 6c 2h Qd 7s", "Ks", "pass, extend 0"),
    ("5s 5h 5d 5c", "4s", "Kc Jh 2h Qd 7d", "6s", "pass, rearrange"),
    ("2h 3h 4h 5h | 5s 5d 5c", "7h", "Kc Jd", "6h", "pass, extend 0, rearrange"),
]
RUN = "6s 7s Js"  # for which 5s and Qs are live


def worked(number: int, **options) -> Table:
    """The position of a worked case, counted from 0."""
    table, hand, more, card, _ = WORKED_CASES[number]
    return Table(f"{hand} {more}", table, card, **options)


def in_any_order(melds: str) -> str:
    """Melds in one order, whatever their numbers: as `Table.arrangements` gives them."""
    return " | ".join(sorted(melds.split(" | ")))


def in_order(cards: list[str]) -> str:
    """Cards in the order of the card index, in which they can be put."""
    return " ".join(sorted(cards, key=CARDS.index))


def outcomes_of(position: Table) -> dict[str, set[float]]:
    """What each table to which a rearrangement can lead has paid, however it was built."""
    outcomes: dict[str, set[float]] = {}
    paths = [("rearrange",)] if "rearrange" in position.legal else []
    begin = position.batch.save()
    while paths:
        path = paths.pop()
        position.batch.restore(begin)
        position.play(*path)
        if position.phase == Phase.BUILD:
            paths += [(*path, name) for name in position.legal.split(", ")]
        else:
            outcomes.setdefault(in_any_order(position.melds(0)), set()).add(position.paid)
    return outcomes


def forced(stock: str = "2h 7c", hand: str = "2d 4d", tables: str | list[str] = RUN, **options) -> Table:
    """One who was forced to take Qs onto 6s 7s Js and has 2d to discard."""
    return Table(hand, tables, "Qs", stock=stock, **options).play("pass", "demand", "extend 0", "close")
