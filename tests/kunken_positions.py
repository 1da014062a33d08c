"""Positions of Kunken from text, for the table tests: hands, bank, combinations and stock in the notation of cards."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.cards import NO_CARD, SUITS
from penzoo.envs.kunken import melds, rules
from penzoo.envs.kunken.scores import score
from penzoo.envs.kunken.state import (
    CARDS,
    JOKER,
    MAX_JOKERS,
    NO_MELD,
    NOBODY,
    NUM_CARDS,
    NUM_KINDS,
    NUM_RANKS,
    NUM_SUITS,
    PACKS,
    RANKS,
    Duty,
    Phase,
)
from penzoo.envs.kunken.stock import clear_bank, push

KUNKEN = get_game("kunken")
FILLER = "Ac 2d 3h 4s 5c 6d 7h 8s 9c Td Jh Qs Kd"  # a hand without a combination
BANK = "4c"  # where a position does not say what lies there
STOCK = "7s 7d 2h 9s Jc"  # or what is to come
BETWEEN = " | "  # two combinations
HONOURS, HIGH, LOW = "AKQJ", 10, 5
OPEN = "0: 7c 7d 7h"  # laid by one who has opened; only 7s fits onto it
OTHER = "1: Ah Ad *"  # another's set, in which Ac and As can be swapped


class Table:
    """A deal of Kunken at the beginning of a turn; all cards, actions and questions are in names.

    Cards need not add up to a deck: a position needs only those that it is about.

    Args:
        hands: the cards of each seat from seat 0 on, as in "Kc *"; None, and every seat not named: thirteen, of no use. A text alone is
            the hand of seat 0.
        table: the combinations in the order in which they were laid, each behind its owner, as in "0: Kc Kd * | 1: Qs *=Ks As".
        bank: from the bottom to the top.
        players: how many sit at the table; by default as many as are named, two at least.
        turn: the player in turn.
        opened: seats that have opened, beside the owners of combinations.
        laid: the points of each seat; by default those of the combinations that it owns.
        stock: in the order in which it is drawn.
        recycled: the new stock to come, in the order in which it is drawn.
        is_recycled: the bank has become a stock before.
        known: for each seat, cards of its hand that everyone saw go there.
        dealer, moves: as in a deal.
        options: of the rules.
    """

    def __init__(
        self,
        hands: str | Sequence[str | None] = (),
        table: str = "",
        bank: str = BANK,
        *,
        players: int | None = None,
        turn: int = 0,
        opened: Sequence[int] = (),
        laid: Sequence[int] | None = None,
        stock: str = STOCK,
        recycled: str = "",
        is_recycled: bool = False,
        known: Sequence[str] = (),
        dealer: int = 0,
        moves: int = 0,
        **options: Any,
    ) -> None:
        hands = [hands] if isinstance(hands, str) else list(hands)
        combinations = [_owned(text) for text in table.split(BETWEEN)] if table else []
        owners = {owner for owner, _ in combinations}
        count = players or max(len(hands), len(known), turn + 1, *(owner + 1 for owner in owners), KUNKEN.min_players)
        self.batch = Batch(KUNKEN, 1, 0, num_players=count, autoreset=False, **options)
        self.state = self.batch._states[0]
        for name in ("hand", "hand_size", "known", "known_size", "opened", "laid", "stock", "stock_size"):
            self.state[name] = 0
        for seat in range(count):
            hand = hands[seat] if seat < len(hands) else None
            self.state["hand_size"][seat] = _count(FILLER if hand is None else hand, self.state["hand"][seat])
        for seat, names in enumerate(known):
            self.state["known_size"][seat] = _count(names, self.state["known"][seat])
        self._set_table(combinations, opened, laid)
        self._set_stock(stock, bank, recycled, is_recycled)
        self.state["dealer"], self.state["moves"], self.state["seat"] = dealer, moves, (turn - 1) % count
        rules._begin_turn(self.state)
        self.refresh()

    def _set_table(self, combinations: list[tuple[int, str]], opened: Sequence[int], laid: Sequence[int] | None) -> None:
        high = HONOURS + "T" * int(self.state["ten_is_honour"])
        for number, (owner, cards) in enumerate(combinations):
            self.state["owner"][number] = owner
            self.state["opened"][owner] = 1
            self.state["laid"][owner] += points(cards, high)
            rules._set_meld(self.state, number, _meld(cards))
        self.state["num_melds"] = len(combinations)
        self.state["opened"][list(opened)] = 1
        if laid is not None:
            self.state["laid"][: len(laid)] = laid

    def _set_stock(self, stock: str, bank: str, recycled: str, is_recycled: bool) -> None:
        cards, order = _cards(stock)[::-1], _cards(recycled)
        self.state["stock"][: len(cards)] = cards
        self.state["stock_size"] = len(cards)
        clear_bank(self.state)
        for card in _cards(bank):
            push(self.state, card)
        self.state["is_recycled"] = is_recycled
        self.state["recycled"] = NO_CARD
        self.state["recycled"][: len(order)] = order

    def refresh(self) -> None:
        """Fill the batch's arrays from the record."""
        batch = self.batch
        KUNKEN.loops.refresh_rows(batch._states, np.arange(1), 0, 1, batch._observations, batch._masks, batch._seats)

    # ------------------------------------------------------------------------------------------------------------------- play

    def play(self, *actions: str) -> "Table":
        """Play actions in turn, each by the seat to move; ValueError at one that is not legal."""
        for name in actions:
            self.batch.step([KUNKEN.actions.index(name)])
        return self

    def lay(self, *combinations: str) -> "Table":
        """Lay new combinations: their cards, each put in turn, a joker as `*=5s`, and `close`."""
        for cards in combinations:
            self.play(*(f"put {card}" for card in cards.split()), "close")
        return self

    def add(self, number: int, cards: str) -> "Table":
        """Put cards onto a combination on the table."""
        return self.play(f"meld {number}", *(f"put {card}" for card in cards.split()), "close")

    def swap(self, number: int, cards: str) -> "Table":
        """Swap cards for jokers of a combination on the table."""
        return self.play(f"meld {number}", *(f"swap {card}" for card in cards.split()), "close")

    @property
    def legal(self) -> str:
        """The legal actions in the order of the table of actions."""
        return ", ".join(KUNKEN.legal_names(self.batch.masks[0]))

    def offered(self, what: str) -> str:
        """What stands behind a word in the legal actions: the cards of `put` in the order of the actions, the numbers of `meld`."""
        names = (name.partition(" ") for name in KUNKEN.legal_names(self.batch.masks[0]))
        return ", ".join(rest for word, _, rest in names if word == what)

    def can(self, *actions: str) -> bool:
        """Whether actions can be played in turn; the position stays as it is."""
        begin = self.batch.save()
        try:
            self.play(*actions)
        except ValueError:
            return False
        finally:
            self.batch.restore(begin)
        return True

    def can_lay(self, *combinations: str) -> bool:
        """Whether combinations can be laid; the position stays as it is."""
        return self.can(*(name for cards in combinations for name in (*(f"put {card}" for card in cards.split()), "close")))

    @property
    def combinations(self) -> list[str]:
        """All that can be laid as the next new combination, once for each way in which it can be built, sorted."""
        puts = [action for action in np.flatnonzero(self.batch.masks[0]) if KUNKEN.actions.name(int(action)).startswith("put ")]
        mask = np.zeros_like(self.batch.masks[0])
        return sorted(text for action in puts for text in _walk(self.state, int(action), mask))

    # ------------------------------------------------------------------------------------------------------------------- read

    @property
    def seat(self) -> int:
        """Who is to move."""
        return int(self.batch.seats[0])

    @property
    def phase(self) -> Phase:
        """What is to be decided."""
        return Phase(int(self.state["phase"]))

    @property
    def duty(self) -> Duty:
        """What must be laid before anything else."""
        return Duty(int(self.state["duty"]))

    @property
    def bank(self) -> str:
        """The bank from the bottom to the top."""
        return _joined(self.state["bank"][: self.state["bank_size"]])

    @property
    def stock(self) -> str:
        """The stock in the order in which it is drawn."""
        return _joined(self.state["stock"][: self.state["stock_size"]][::-1])

    @property
    def table(self) -> str:
        """The combinations behind their owners, runs from their first card on; as `__init__` takes them, but with all that jokers name."""
        return BETWEEN.join(
            f"{self.state['owner'][number]}: {_meld_text(int(self.state['meld'][number]))}" for number in range(self.state["num_melds"])
        )

    @property
    def end(self) -> str:
        """`terminated`, `truncated`, or nothing while the deal goes on."""
        return " ".join(name for name in ("terminated", "truncated") if getattr(self.batch, name)[0])

    @property
    def winner(self) -> int | None:
        """Who discarded the last card."""
        return None if self.state["winner"] == NOBODY else int(self.state["winner"])

    @property
    def is_express(self) -> bool:
        """Whether the winner had laid out nothing before the last turn."""
        return bool(self.state["is_express"])

    @property
    def scores(self) -> list[int]:
        """What each seat's score is as it stands."""
        return [int(score(self.state, seat)) for seat in range(self.batch.num_players)]

    @property
    def returns(self) -> list[float]:
        """What the deal brought to each seat."""
        return [float(value) for value in self.batch.returns[0]]

    @property
    def laid(self) -> list[int]:
        """The points that each seat has laid out."""
        return [int(value) for value in self.state["laid"][: self.batch.num_players]]

    @property
    def opened(self) -> list[int]:
        """The seats that have opened."""
        return [int(seat) for seat in np.flatnonzero(self.state["opened"])]

    @property
    def aside(self) -> str:
        """The cards that were taken along and wait."""
        assert self.state["aside"].sum() == self.state["aside_size"]
        return _names(self.state["aside"])

    def hand(self, seat: int = 0) -> str:
        """A hand in the order of the card index."""
        assert self.state["hand"][seat].sum() == self.state["hand_size"][seat]
        return _names(self.state["hand"][seat])

    def known(self, seat: int = 0) -> str:
        """The cards of a hand that everyone saw go there, in the order of the card index."""
        assert self.state["known"][seat].sum() == self.state["known_size"][seat]
        return _names(self.state["known"][seat])

    def sees(self, seat: int, piece: str) -> Any:
        """A piece of a seat's observation: a number; cards, ranks or suits by name; anything else as the numbers that stand there.

        Ranks and suits of combinations: those that are there, * before one for which a joker is, + before one that can be put, ~ before
        one that can be swapped in only.
        """
        values = self.batch.observe([seat])[0][KUNKEN.observation_layout(self.batch.num_players).slices[piece]]
        if len(values) in (NUM_CARDS, NUM_KINDS):
            is_bits = piece in ("fits", "swaps", "named")
            copies = np.array([PACKS] * NUM_KINDS + [MAX_JOKERS])[: len(values)]
            return _names(np.rint(values if is_bits else values * copies).astype(int))
        if len(values) in (NUM_RANKS, NUM_SUITS):
            signs = {1: "", 0.5: "*", -1: "+", -0.5: "~"}
            named = zip(RANKS if len(values) == NUM_RANKS else SUITS, values.tolist(), strict=True)
            return "".join(signs[value] + name for name, value in named if value)
        return float(values[0]) if len(values) == 1 else [float(value) for value in values]


def opened(hand: str, bank: str = "4c", table: str = OPEN, **options: Any) -> Table:
    """One who has opened, at the beginning of a turn."""
    return Table(hand, table, bank, **options)


def laying(hand: str, table: str = OPEN, stock: str = "2s", **options: Any) -> Table:
    """One who has opened and drawn 2s, which is kept to discard."""
    return Table(hand, table, stock=stock, opened=[0], **options).play("draw")


def words(names: str) -> list[str]:
    """Names that stand in a row."""
    return names.split(", ") if names else []


def run_from(first: int, length: int, suit: str = "d", jokers: tuple[int, ...] = ()) -> str:
    """A run in the order in which it is built; `jokers` are the places that jokers have."""
    names = [RANKS[(first + k) % NUM_RANKS] + suit for k in range(length)]
    return " ".join("*=" + name if k in jokers else name for k, name in enumerate(names))


def fresh_deal(players: int, deck: Sequence[str] | None = None, dealer: int = 0, **options: Any) -> Table:
    """A deal of a given deck, by default in the order of the card index, before its first move."""
    table = Table(players=players, **options)
    table.batch.reset(decks=[full_deck(table.batch) if deck is None else list(deck)], dealers=[dealer])
    return table


def full_deck(batch: Batch) -> list[str]:
    """All cards of a batch's deals in the order of the card index."""
    return [CARDS[card] for card in KUNKEN.deck(batch.num_players, batch.options)]


def points(cards: str, honours: str = HONOURS) -> int:
    """What a combination counts, each joker as the card that it stands for; in a set a `*` alone is enough."""
    names = cards.split()
    rank = next(name[-2] for name in names if name != CARDS[JOKER])
    return sum(HIGH if (rank if name == CARDS[JOKER] else name[-2]) in honours else LOW for name in names)


def _owned(text: str) -> tuple[int, str]:
    owner, cards = text.split(": ")
    return int(owner), cards


def _meld(cards: str) -> int:
    """A combination from its cards: of a run in their order, jokers as `*=5s`; in a set a `*` alone is enough."""
    names = cards.split()
    naturals = [CARDS.index(name) for name in names if not name.startswith(CARDS[JOKER])]
    if len({card % NUM_RANKS for card in naturals}) == 1:
        suits = sum(1 << card // NUM_RANKS for card in naturals)
        meld = melds.set_of(naturals[0] % NUM_RANKS, suits, len(names) - len(naturals))
    else:
        places = [CARDS.index(name[-2:]) for name in names]
        first, suit = places[0] % NUM_RANKS, places[0] // NUM_RANKS
        assert places == [NUM_RANKS * suit + (first + k) % NUM_RANKS for k in range(len(places))], f"{cards}: no run"
        held = sum(1 << card % NUM_RANKS for card in naturals)
        meld = melds.run_of(suit, first, held, melds.span(first, len(places)) & ~held)
    assert melds.is_good(meld) and melds.count_cards(meld) == len(names), f"{cards}: no combination"
    return int(meld)


def _meld_text(meld: int) -> str:
    """A combination in the order in which it is built, a joker of a run as what it stands for."""
    if melds.is_set(meld):
        naturals = [CARDS[card] for card in range(NUM_KINDS) if melds.natural_kinds(meld) >> card & 1]
        return " ".join([*naturals, *[CARDS[JOKER]] * int(melds.count_jokers(meld))])
    first, size, suit = melds.first_rank(meld), melds.count_cards(meld), melds.suit_of(meld)
    ranks = [int(first + k) % NUM_RANKS for k in range(size)]
    return " ".join(("*=" if melds.joker_bits(meld) >> rank & 1 else "") + RANKS[rank] + SUITS[suit] for rank in ranks)


def _walk(state: np.void, action: int, mask: np.ndarray) -> Iterator[str]:
    state = state.copy()
    number = int(state["open_meld"])
    KUNKEN.functions.apply(state, action)
    if state["phase"] != Phase.BUILD:
        yield _meld_text(int(state["meld"][number]))
        return
    KUNKEN.functions.legal_mask(state, mask)
    actions = np.flatnonzero(mask)
    assert len(actions), f"{_meld_text(int(state['meld'][state['open_meld']]))}: begun, and cannot be finished"
    for following in actions:
        yield from _walk(state, int(following), mask)


def _cards(names: str) -> list[int]:
    return [CARDS.index(name) for name in names.split()]


def _count(names: str, counts: np.ndarray) -> int:
    """Count cards into an array by card index; returns how many there are."""
    cards = _cards(names)
    np.add.at(counts, cards, 1)
    return len(cards)


def _joined(cards: np.ndarray) -> str:
    return " ".join(CARDS[card] for card in cards)


def _names(counts: Any) -> str:
    return " ".join(CARDS[card] for card in np.repeat(np.arange(len(counts)), counts))


assert NO_MELD == 0
