"""Positions of Пень from text, for the table tests: hands, pile, stumps and stock in the notation of cards."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.pen.state import CARDS, HAND, NUM_CARDS, PILE, STOCK, STUMP, Phase

PEN = get_game("pen")
NOWHERE = -1  # a place that no rule asks for: a position needs only the cards that it is about


class Table:
    """A deal of Пень in a given position; all cards, actions and questions are in names.

    Args:
        hands: the cards of each seat, as in "6c Th"; None for a seat that is out.
        pile: from the bottom to the top.
        stumps: the cards of each seat's stump, "" where it has been taken up; empty: no stump lies.
        stock: in the order in which it is drawn.
        trumps: the card that was shown for trumps, or its suit alone.
        seat: who is to move.
        leads: whether that seat is to lead; by default it is where there is no pile.
        out: the seats that are out, in the order in which they went; by default those without a hand, by seat.
        known: cards in hands that everyone saw go there.
        dealer, moves: as in a deal.
        options: of the rules.
    """

    def __init__(
        self,
        hands: Sequence[str | None],
        *,
        pile: str = "",
        stumps: Sequence[str] = (),
        stock: str = "",
        trumps: str = "h",
        seat: int = 0,
        leads: bool | None = None,
        out: Sequence[int] | None = None,
        known: str = "",
        dealer: int = 0,
        moves: int = 0,
        **options: Any,
    ) -> None:
        self.batch = Batch(PEN, 1, 0, num_players=len(hands), autoreset=False, **options)
        self.state = self.batch._states[0]
        self.state["place"] = NOWHERE
        for name in ("known", "pile", "stock", "out_place", "in_hand", "in_stump"):
            self.state[name] = 0
        for owner, hand in enumerate(hands):
            self.state["in_hand"][owner] = self._put(hand or "", HAND + owner)
        for owner, stump in enumerate(stumps):
            self.state["in_stump"][owner] = self._put(stump, STUMP + owner)
        self.state["known"][_cards(known)] = 1
        self._stack("pile", _cards(pile), PILE)
        self._stack("stock", _cards(stock)[::-1], STOCK)
        gone = [owner for owner, hand in enumerate(hands) if hand is None] if out is None else out
        for place, owner in enumerate(gone, start=1):
            self.state["out_place"][owner] = place
        self.state["num_out"] = len(gone)
        self.state["trump_card"] = CARDS.index(trumps if len(trumps) > 1 else f"6{trumps}")
        self.state["phase"] = Phase.LEAD if (leads if leads is not None else not pile) else Phase.BEAT
        self.state["seat"], self.state["dealer"], self.state["moves"] = seat, dealer, moves
        self.refresh()

    def refresh(self) -> None:
        """Fill the batch's arrays from the record."""
        batch = self.batch
        PEN.loops.refresh_rows(batch._states, np.arange(1), 0, 1, batch._observations, batch._masks, batch._seats)

    def play(self, actions: str) -> "Table":
        """Play actions in turn, each by the seat to move; ValueError at one that is not legal."""
        for name in actions.split():
            self.batch.step([PEN.actions.index(name)])
        return self

    @property
    def legal(self) -> str:
        """The legal actions in the order of the table of actions."""
        return " ".join(PEN.legal_names(self.batch.masks[0]))

    @property
    def seat(self) -> int:
        """Who is to move."""
        return int(self.batch.seats[0])

    @property
    def leads(self) -> bool:
        """Whether that seat is to lead, not to beat."""
        return bool(self.state["phase"] == Phase.LEAD)

    @property
    def pile(self) -> str:
        """The pile from the bottom to the top."""
        return _names(self.state["pile"][: self.state["pile_size"]])

    @property
    def stock(self) -> str:
        """The stock in the order in which it is drawn."""
        return _names(self.state["stock"][: self.state["stock_size"]][::-1])

    @property
    def end(self) -> str:
        """`terminated`, `truncated`, or nothing while the deal goes on."""
        return " ".join(name for name in ("terminated", "truncated") if getattr(self.batch, name)[0])

    @property
    def returns(self) -> list[float]:
        """What the deal brought to each seat."""
        return [float(value) for value in self.batch.returns[0]]

    def hand(self, seat: int) -> str:
        """A hand in the order of the card index."""
        return self._at(HAND + seat)

    def stump(self, seat: int) -> str:
        """A stump that still lies, in the order of the card index."""
        return self._at(STUMP + seat)

    def is_out(self, seat: int) -> bool:
        """Whether a seat is out."""
        return bool(self.state["out_place"][seat])

    def sees(self, seat: int, piece: str) -> str | float:
        """A piece of a seat's observation: a number, or the cards for which it is not 0, in the order of their numbers."""
        values = self.batch.observe([seat])[0][PEN.observation_layout(self.batch.num_players).slices[piece]]
        if len(values) != NUM_CARDS:
            return float(values[0])
        return _names(sorted(np.flatnonzero(values), key=lambda card: (values[card], card)))

    def _put(self, names: str, place: int) -> int:
        cards = _cards(names)
        assert (self.state["place"][cards] == NOWHERE).all(), f"{names}: a card is in two places"
        self.state["place"][cards] = place
        return len(cards)

    def _stack(self, field: str, cards: list[int], place: int) -> None:
        self._put(_names(cards), place)
        self.state[field][: len(cards)] = cards
        self.state[f"{field}_size"] = len(cards)

    def _at(self, place: int) -> str:
        return _names(np.flatnonzero(self.state["place"] == place))


def fresh_deal(players: int, deck: Sequence[str] = CARDS, dealer: int = 0, trump_card: str = "6c", **options: Any) -> Table:
    """A deal of a given deck, before its first move."""
    table = Table([""] * players, **options)
    table.batch.reset(decks=[list(deck)], dealers=[dealer], chances={"trump_card": [trump_card]})
    return table


def _cards(names: str) -> list[int]:
    return [CARDS.index(name) for name in names.split()]


def _names(cards: Any) -> str:
    return " ".join(CARDS[card] for card in cards)
