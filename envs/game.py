"""What a game is to the rest of the suite: its tables, and a few compiled functions over one record."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penzoo.envs.fields import MAX_MOVES_BOUNDS
from penzoo.envs.loops import Loops, bind_loops
from penzoo.envs.options import Option, flag
from penzoo.envs.tables import ActionTable, Layout

AUTO_SINGLE = flag("auto_single", False, "play a decision with a single legal action without asking, the first of a deal excepted")


NOT_OUTCOMES = ("payoff", "moves", "truncated")  # what evaluations report of every game beside its outcomes


def max_moves_option(default: int) -> Option:
    """The option `max_moves`, which every game has."""
    return Option("max_moves", default, "decisions after which a deal without an end is truncated", bounds=MAX_MOVES_BOUNDS)


@dataclass(frozen=True)
class Chance:
    """What a deal draws beside the order of the deck: a key of `reset`'s options and of a record."""

    name: str
    meaning: str
    read: Callable[[Any, np.void], None]  # the value given, checked, into a record; ValueError where it is impossible
    write: Callable[[np.void], Any]  # the value in a record; None where it has none
    required: bool = True  # a deal cannot be replayed without it


@dataclass(frozen=True)
class Outcome:
    """What can become of a seat in a deal; evaluations report in which share of its deals it came to an agent."""

    name: str  # in reports: losses
    meaning: str  # of a seat: left with cards
    of: Callable[[np.ndarray], np.ndarray]  # records of deals that have ended, shape (deals,) -> bool of shape (deals, players)
    is_even: bool = False  # 1/players of the deals is the share of each of equal players


@dataclass(frozen=True)
class Functions:
    """A game's functions over one record of its `state_dtype`, in place, compiled by numba.

    `rng` is a stream of `penzoo.envs.rng`: uint64 of shape (1,).
    """

    deck_size: Callable[..., Any]  # (state) -> cards in the deck
    chance: Callable[..., Any]  # (state, rng): draw what the deck leaves open
    deal: Callable[..., Any]  # (state, deck, dealer)
    next_dealer: Callable[..., Any]  # (state) -> seat
    legal_mask: Callable[..., Any]  # (state, mask)
    apply: Callable[..., Any]  # (state, action): rewards are added, the loops clear them before a decision
    observe: Callable[..., Any]  # (state, seat, obs)
    determinize: Callable[..., Any]  # (state, seat, rng): deal anew what the seat cannot see
    view: Callable[..., Any]  # (state, out): the whole deal as numbers


def _no_remark(state: np.void) -> str:
    return ""


def _no_infos(state: np.void) -> list[dict[str, Any]]:
    return [{} for _ in range(state["players"])]


@dataclass(frozen=True)
class Game:
    """One game of the suite.

    Attributes:
        name: as in records, file names and the registries.
        version: of the rules as played; the N of `name_vN`.
        title: as people write it.
        min_players, max_players, default_players: how many may sit down.
        state_dtype: the record, which begins with `common_fields`.
        card_names: by card index.
        options: the game's own; every game also has `max_moves` (among them) and `auto_single`.
        actions: the table of actions.
        chances: what `reset` and a record take beside the deck.
        deck: (players, options) -> int8 array of the cards of a deck, in the order of the card index; ValueError where the options do
            not suit so many players.
        largest_deck: cards in it at the most.
        observation_layout, state_layout: players -> Layout.
        functions: the rules.
        text: (state, viewer, reveal) -> a readable screen; `viewer` is a seat whose cards are shown, or None.
        outcomes: what evaluations count beside the returns.
        infos: (state) -> for each seat what its infos hold once the deal has ended, beside the returns: plain numbers and truth values.
        remark: (state) -> what the next action is about, for those who see no screen before it; nothing if its name says it.
        payoff_unit: of the returns, for reports.
    """

    name: str
    version: int
    title: str
    min_players: int
    max_players: int
    default_players: int
    state_dtype: np.dtype
    card_names: tuple[str, ...]
    options: tuple[Option, ...]
    actions: ActionTable
    chances: tuple[Chance, ...]
    deck: Callable[[int, dict[str, Any]], np.ndarray]
    largest_deck: int
    observation_layout: Callable[[int], Layout]
    state_layout: Callable[[int], Layout]
    functions: Functions
    text: Callable[[np.void, int | None, bool], str]
    outcomes: tuple[Outcome, ...] = ()
    remark: Callable[[np.void], str] = _no_remark
    infos: Callable[[np.void], list[dict[str, Any]]] = _no_infos
    payoff_unit: str = "payoff"
    all_options: tuple[Option, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "all_options", (*self.options, AUTO_SINGLE))
        taken = [outcome.name for outcome in self.outcomes if outcome.name in NOT_OUTCOMES]
        if taken:
            raise ValueError(f"outcome {taken[0]!r} of {self.name} has a name that evaluations use for something else")

    @property
    def id(self) -> str:
        """The name with its version: `pen_v0`."""
        return f"{self.name}_v{self.version}"

    @functools.cached_property
    def loops(self) -> Loops:
        """The loops over many deals, compiled for this game at their first call."""
        return bind_loops(self.name, self.functions, self.state_dtype)

    def __copy__(self) -> "Game":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "Game":
        return self

    def __reduce__(self) -> Any:
        """A game is pickled by its name: it must be the one of that name in `penzoo.envs.GAMES`, here and where it is loaded."""
        from penzoo.envs import GAMES, get_game

        if GAMES.get(self.name) is not self:
            raise ValueError(f"this {self.name!r} cannot be pickled: it is not the game of that name in penzoo.envs.GAMES")
        return get_game, (self.name,)

    # ------------------------------------------------------------------------------------------------------ players, options

    def check_players(self, players: int) -> int:
        """The number of players as an int.

        Raises:
            ValueError: the game is not for so many.
        """
        if isinstance(players, bool) or not isinstance(players, int | np.integer) or not self.min_players <= players <= self.max_players:
            raise ValueError(f"num_players={players!r} is not possible: {self.name} takes {self.min_players} to {self.max_players} players")
        return int(players)

    def complete_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """All options with their values, the defaults filled in.

        Raises:
            ValueError: an option or a value that the game does not have.
        """
        names = [option.name for option in self.all_options]
        for name in options:
            if name not in names:
                raise ValueError(f"option {name!r} does not exist: {self.name} has {', '.join(names)}")
        values = {option.name: options.get(option.name, option.default) for option in self.all_options}
        return {option.name: option.decode(option.encode(values[option.name])) for option in self.all_options}

    def changed_options(self, options: dict[str, Any]) -> dict[str, Any]:
        """The options that differ from the defaults, as a record holds them."""
        return {option.name: options[option.name] for option in self.all_options if options[option.name] != option.default}

    def options_of(self, state: np.void) -> dict[str, Any]:
        """All options with the values that a record of a deal holds."""
        return {option.name: option.decode(state[option.name]) for option in self.all_options}

    def new_states(self, count: int, players: int, options: dict[str, Any]) -> np.ndarray:
        """Records of shape (count,) with players and options set, not dealt yet.

        Raises:
            ValueError: as `check_players` and `complete_options`.
        """
        states = np.zeros(count, self.state_dtype)
        states["players"] = self.check_players(players)
        complete = self.complete_options(options)
        for option in self.all_options:
            states[option.name] = option.encode(complete[option.name])
        return states

    # ----------------------------------------------------------------------------------------------------------------- cards

    def card_index(self, name: str) -> int:
        """The index of the card of that name.

        Raises:
            ValueError: the game has no such card.
        """
        if not isinstance(name, str) or name not in self.card_names:
            raise ValueError(f"card {name!r} does not exist: {self.name} has {' '.join(self.card_names)}")
        return self.card_names.index(name)

    def parse_deck(self, names: Sequence[str], players: int, options: dict[str, Any]) -> np.ndarray:
        """A deck in text, in the order in which it leaves the deck, as int8 card indices.

        Raises:
            ValueError: it is not a permutation of the game's cards; names the first card too many along the deck, else the first one
                missing by card index.
        """
        full = self.deck(players, options)
        if isinstance(names, str) or not isinstance(names, Sequence | np.ndarray):
            raise ValueError(f"deck {names!r} is no list of card names: give all {len(full)}, in the order in which they are dealt")
        left = np.bincount(full, minlength=len(self.card_names))
        copies = left.copy()
        deck = np.array([self.card_index(name) for name in names], np.int8)
        for position, card in enumerate(deck):
            left[card] -= 1
            if left[card] < 0:
                raise ValueError(
                    f"deck: card {self.card_names[card]!r} at position {position} is one too many: a deck has {copies[card]} of it"
                )
        missing = np.flatnonzero(left)
        if len(missing):
            raise ValueError(f"deck: card {self.card_names[missing[0]]!r} is missing: a deck has {len(full)} cards, this one {len(deck)}")
        return deck

    def check_dealer(self, dealer: int, players: int) -> int:
        """The dealer's seat as an int.

        Raises:
            ValueError: there is no such seat.
        """
        if isinstance(dealer, bool) or not isinstance(dealer, int | np.integer) or not 0 <= dealer < players:
            raise ValueError(f"dealer={dealer!r} does not exist: with {players} players the seats are 0 to {players - 1}")
        return int(dealer)

    # --------------------------------------------------------------------------------------------------------------- actions

    def legal_names(self, mask: np.ndarray) -> list[str]:
        """The names of the actions that a mask allows, in the order of the table."""
        return [self.actions.names[index] for index in np.flatnonzero(mask)]

    def illegal_action(self, action: int, seat: int, mask: np.ndarray) -> ValueError:
        """The error for an action that the mask forbids: it names the action, the seat and what is legal."""
        known = 0 <= action < len(self.actions)
        name = f"{action} ({self.actions.names[action]})" if known else f"{action} (no action of the {len(self.actions)})"
        return ValueError(f"action {name} is illegal for seat {seat}: legal are {', '.join(self.legal_names(mask))}")
