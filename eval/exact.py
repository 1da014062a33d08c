"""Exact best responses, by walking the whole tree of a game of two players that is small enough: how far an agent is from unbeatable.

A *history* is a deal and the decisions made in it. Histories that one seat cannot tell apart are one *information state* of it: the same
decisions so far (every action of these games is public) and the same observations at each of its own decisions, so that it forgets
nothing. The *best response* to an agent chooses in each information state of its seat the action that is best on average over the
histories there, each weighed by how likely chance and the agent bring it about. NashConv is what both seats together win by answering the
other's play in the best way instead of playing on as they do; exploitability is half of it, and 0 only in an equilibrium (Lanctot et al.,
2017, "A Unified Game-Theoretic Approach to Multiagent Reinforcement Learning"; the terms and numbers are OpenSpiel's).
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

import numpy as np

from penzoo.agents import Agent
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.game import Game
from penzoo.envs.options import check_int

PLAYERS = 2
LIMIT = 2_000_000  # histories; walking takes about 2 kB of memory for each

_SMALL_DECK = {"lowest_rank": "J", "highest_rank": "K", "suits": 2, "hand_size": 2}
MINI_STUMP: Mapping[str, Any] = {**_SMALL_DECK, "stump_size": 1, "max_moves": 14}  # J Q K of clubs and diamonds, no stock
MINI_STOCK: Mapping[str, Any] = {**_SMALL_DECK, "stump_size": 0, "max_moves": 12}  # the same with a stock of two in place of the stumps

_ENDED = -1  # in place of a seat or an information state
_TOLERANCE = 1e-5  # of the sum of an agent's probabilities, which may come from float32
_TRUMP_CARD = "trump_card"


class Strategy(Protocol):
    """An agent that tells how likely it plays what."""

    name: str

    def probabilities(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Float of shape (rows, actions), 0 where the mask forbids, each row with the sum 1; arguments as of `Agent.act`."""
        ...


@dataclass(frozen=True)
class Level:
    """All histories of so many decisions.

    Attributes:
        parents: int64 of shape (histories,), the index in the level before; in the first, which holds the deals, -1.
        actions: int64 of shape (histories,), the last one; in the first level -1.
        seats: int64 of shape (histories,), who is to decide; -1 where the deal has ended.
        information: int64 of shape (histories,), the information state of that seat, numbered in the level; -1 where the deal has ended.
        returns: float64 of shape (histories, 2), what the decisions have brought to each seat.
        records: a history of each information state, records of the game's `state_dtype`, shape (information states,).
    """

    parents: np.ndarray
    actions: np.ndarray
    seats: np.ndarray
    information: np.ndarray
    returns: np.ndarray
    records: np.ndarray


@dataclass(frozen=True)
class BestResponse:
    """How well an agent can be answered. Values are in the game's payoff, per deal, exact up to the rounding of float64.

    Attributes:
        game: its name and version, as in `pen_v0`.
        options: the rule options, complete.
        dealer: the seat that deals; None if each does in half of the deals.
        trump_card: of every deal; None if each card of the deck is in as many.
        agents: the names of the agents in seats 0 and 1.
        values: of the best response in seat 0 (to the agent in seat 1), and in seat 1.
        policy_values: of seats 0 and 1 when both agents play.
        histories: in the tree, from the deals to the ends.
        information_states: of both seats together.
    """

    game: str
    options: dict[str, Any]
    dealer: int | None
    trump_card: str | None
    agents: tuple[str, str]
    values: tuple[float, float]
    policy_values: tuple[float, float]
    histories: int
    information_states: int

    @property
    def nash_conv(self) -> float:
        """What the two seats gain together by the best responses, over what they have when the agents play each other."""
        return sum(self.values) - sum(self.policy_values)

    @property
    def exploitability(self) -> float:
        """NashConv shared by the two seats; for one agent in both seats of a zero-sum game what a best response wins of it on average."""
        return self.nash_conv / PLAYERS

    def to_dict(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        values = {**asdict(self), "nash_conv": self.nash_conv, "exploitability": self.exploitability}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


@dataclass(frozen=True)
class Tree:
    """Every history of a game of two players.

    Attributes:
        game: which.
        options: the rule options, complete.
        dealer, trump_card: as in `BestResponse`.
        chances: float64 of shape (deals,), how likely each history of the first level is.
        levels: the histories by the number of decisions.
    """

    game: Game
    options: dict[str, Any]
    dealer: int | None
    trump_card: str | None
    chances: np.ndarray
    levels: tuple[Level, ...]

    @property
    def histories(self) -> int:
        """How many, from the deals to the ends."""
        return sum(len(level.parents) for level in self.levels)

    @property
    def information_states(self) -> int:
        """How many, of both seats together."""
        return sum(len(level.records) for level in self.levels)

    def best_response(self, agents: "Strategy | Agent | Sequence[Strategy | Agent]") -> BestResponse:
        """The best responses to an agent, or to one in each seat.

        Args:
            agents: one for both seats, or two. One that has `probabilities` plays by them; any other plays what it answers to `act`.

        Raises:
            ValueError: not one or two agents; one for another game; one whose answers are no probabilities or actions, or vary from
                asking to asking (it then needs `probabilities`).
        """
        pair = tuple(agents) if isinstance(agents, Sequence) and not isinstance(agents, str) else (agents, agents)
        for agent in pair:
            if not (hasattr(agent, "probabilities") or hasattr(agent, "act")):
                raise ValueError(f"{agent!r} is no agent: give what penzoo.agents.make_agent makes, or an object with act or probabilities")
        if len(pair) != PLAYERS:
            raise ValueError(f"{len(pair)} agents are given: give one for both seats, or {PLAYERS}")
        strategies = [self._strategies(agent) for agent in (pair[:1] if pair[0] is pair[1] else pair)]
        played = [self._mixed([own[depth] for own in strategies], level) for depth, level in enumerate(self.levels)]
        return BestResponse(
            game=self.game.id,
            options=self.options,
            dealer=self.dealer,
            trump_card=self.trump_card,
            agents=(pair[0].name, pair[1].name),
            values=(self._value(played, 0, True), self._value(played, 1, True)),
            policy_values=(self._value(played, 0, False), self._value(played, 1, False)),
            histories=self.histories,
            information_states=self.information_states,
        )

    def _strategies(self, agent: "Strategy | Agent") -> list[np.ndarray]:
        """For each level float64 of shape (information states, actions): how likely the agent plays what."""
        for what, mine in (("game", self.game.name), ("num_players", PLAYERS)):
            if getattr(agent, what, None) not in (None, mine):
                raise ValueError(f"agent {agent.name} is for {what}={getattr(agent, what)!r}: this tree is of {what}={mine!r}")
        asked = [level for level in self.levels if len(level.records)]  # in the last level nothing is
        found = [probabilities(agent, *_seen(self.game, level.records)) for level in asked]
        return found + [np.empty((0, len(self.game.actions)))] * (len(self.levels) - len(asked))

    @staticmethod
    def _mixed(strategies: list[np.ndarray], level: Level) -> np.ndarray:
        """The strategies of one level as they are played: in each information state that of the agent in its seat."""
        if len(strategies) == 1:
            return strategies[0]
        return np.where((level.records["seat"] == 0)[:, None], *strategies)

    def _value(self, played: list[np.ndarray], seat: int, responds: bool) -> float:
        """What a seat gets if it plays as given, or responds best."""
        reach = self._reach(played, seat) if responds else []
        values = self.levels[-1].returns[:, seat]
        for depth in range(len(self.levels) - 2, -1, -1):
            level, following = self.levels[depth], self.levels[depth + 1]
            shares = _shares(played[depth], level, following)
            if responds:
                own = level.seats[following.parents] == seat
                shares[own] = _best(level, following, reach[depth][following.parents] * values, len(self.game.actions), own)
            after = np.bincount(following.parents, shares * values, len(level.parents))
            values = np.where(level.seats == _ENDED, level.returns[:, seat], after)
        return float(self.chances @ values)

    def _reach(self, played: list[np.ndarray], seat: int) -> list[np.ndarray]:
        """For each level float64 of shape (histories,): how likely chance and the other seat bring each about if this seat wants it."""
        reach = [self.chances]
        for depth, (level, following) in enumerate(itertools.pairwise(self.levels)):
            own = level.seats[following.parents] == seat
            reach.append(reach[-1][following.parents] * np.where(own, 1.0, _shares(played[depth], level, following)))
        return reach


def _shares(played: np.ndarray, level: Level, following: Level) -> np.ndarray:
    """How likely the last action of each history of the following level is."""
    shares: np.ndarray = played[level.information[following.parents], following.actions]
    return shares


def _best(level: Level, following: Level, weighed: np.ndarray, num_actions: int, own: np.ndarray) -> np.ndarray:
    """Which of the histories that follow a decision of the seat (those in `own`) follow its best action: 1 or 0 for each of them.

    `weighed` holds the value of each history of the following level times how likely the others bring it about.
    """
    information, actions = level.information[following.parents[own]], following.actions[own]
    options = information * num_actions + actions
    sums = np.full(len(level.records) * num_actions, -np.inf)
    sums[options] = 0.0
    sums += np.bincount(options, weighed[own], len(sums))
    best = sums.reshape(-1, num_actions).argmax(axis=1)
    return (actions == best[information]).astype(np.float64)


def probabilities(agent: "Strategy | Agent", observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """How likely an agent plays what.

    Args:
        agent: by its `probabilities` if it has such a method and does not take its likeliest action (`choice="best"` of a trained agent),
            else by `act`, as one that does not draw. A search draws, and tells no probabilities.
        observations: as of `Agent.act`.
        masks: as of `Agent.act`.

    Returns:
        float64 of shape (rows, actions), each row with the sum 1.

    Raises:
        ValueError: its answers are no probabilities, or no legal actions, or it answered the same question in two ways.
    """
    told = getattr(agent, "probabilities", None)
    if told is not None and getattr(agent, "choice", "sample") == "sample":
        found = np.array(told(observations.copy(), masks.copy()), np.float64)
        if found.shape != masks.shape or not (found >= 0).all() or found[masks == 0].any():
            raise ValueError(f"agent {agent.name}: probabilities are numbers from 0 on, shape {masks.shape}, 0 for what is illegal")
        sums = found.sum(axis=1, keepdims=True)
        if not np.allclose(sums, 1, rtol=0, atol=_TOLERANCE):
            raise ValueError(f"agent {agent.name}: the probabilities of a row have the sum {sums[np.argmax(abs(sums - 1)), 0]}, not 1")
        return found / sums
    if hasattr(agent, "act_deals"):
        raise ValueError(f"agent {agent.name} searches deals: how likely it plays what is not known, and so no exact answer to it")
    act = agent.act  # type: ignore[union-attr]
    actions = np.asarray(act(observations.copy(), masks.copy()))
    if not np.array_equal(actions, act(observations.copy(), masks.copy())):
        raise ValueError(f"agent {agent.name} draws its actions: give it a method `probabilities(observations, masks)`")
    rows = np.arange(len(masks))
    if actions.shape != rows.shape or not masks[rows, actions].all():
        raise ValueError(f"agent {agent.name} plays illegal actions, or not one for each row")
    found = np.zeros(masks.shape)
    found[rows, actions] = 1
    return found


def best_response(
    game: str | Game,
    options: Mapping[str, Any],
    agents: "Strategy | Agent | Sequence[Strategy | Agent]",
    *,
    dealer: int | None = 0,
    trump_card: str | None = None,
    limit: int = LIMIT,
) -> BestResponse:
    """The best responses to an agent in a game of two players; `walk` once for several agents.

    Args:
        game: its name, or itself.
        options: the game's rule options, such as `MINI_STUMP`.
        agents: as of `Tree.best_response`.
        dealer: as of `walk`.
        trump_card: as of `walk`.
        limit: as of `walk`.

    Raises:
        ValueError: as `walk` and `Tree.best_response`.
    """
    return walk(game, options, dealer=dealer, trump_card=trump_card, limit=limit).best_response(agents)


def walk(
    game: str | Game, options: Mapping[str, Any], *, dealer: int | None = 0, trump_card: str | None = None, limit: int = LIMIT
) -> Tree:
    """Walk every history of a game of two players.

    Args:
        game: its name, or itself; one that draws nothing but the deck and a trump card (`pen`).
        options: the game's rule options, such as `MINI_STUMP`.
        dealer: the seat that deals; None for each in half of the deals, which makes the tree twice as large, and in which NashConv is that
            of a single dealer, since the seats are alike.
        trump_card: the one that is shown in every deal; None for each card of the deck in as many, which makes the tree so much larger.
        limit: histories at the most.

    Raises:
        ValueError: an argument or an option is impossible, or the tree has more histories than `limit`.
    """
    game = get_game(game) if isinstance(game, str) else game
    complete = game.complete_options(dict(options))
    check_int("limit", limit, 1)
    if dealer is not None:
        dealer = game.check_dealer(dealer, PLAYERS)
    if [chance.name for chance in game.chances] != [_TRUMP_CARD]:
        raise ValueError(f"{game.name} cannot be walked: it must draw nothing but the deck and a trump card, as pen does")
    if complete["auto_single"]:
        raise ValueError("auto_single=True is not possible: in the tree every decision is asked")
    deck = game.deck(PLAYERS, complete)
    if math.factorial(len(deck)) > limit:
        raise ValueError(f"a deck of {len(deck)} cards has more than limit={limit} orders: make the deck smaller, or raise the limit")
    batch, chances = _deals(game, complete, deck, dealer, trump_card)
    return Tree(game, complete, dealer, trump_card, chances, tuple(_levels(batch, limit)))


# -------------------------------------------------------------------------------------------------------------------- the deals


def _deals(game: Game, options: dict[str, Any], deck: np.ndarray, dealer: int | None, trump_card: str | None) -> tuple[Batch, np.ndarray]:
    """All deals that differ, and how likely each is."""
    orders = np.array(list(itertools.permutations(deck.tolist())), np.int8)
    trumps = [game.card_names[card] for card in deck] if trump_card is None else [trump_card]
    dealers = range(PLAYERS) if dealer is None else (dealer,)
    dealt = _batch(game, options, len(orders))
    dealt.reset(decks=orders, dealers=[0] * len(orders), chances={_TRUMP_CARD: trumps[:1] * len(orders)})
    _, first, counts = np.unique(_as_bytes(dealt.to_arrays()["states"]), return_index=True, return_counts=True)
    deals = list(itertools.product(first, trumps, dealers))
    batch = _batch(game, options, len(deals))
    batch.reset(
        decks=orders[[order for order, _, _ in deals]],
        dealers=[seat for _, _, seat in deals],
        chances={_TRUMP_CARD: [trump for _, trump, _ in deals]},
    )
    return batch, np.repeat(counts / len(orders), len(trumps) * len(dealers)) / (len(trumps) * len(dealers))


def _batch(game: Game, options: dict[str, Any], rows: int) -> Batch:
    return Batch(game, rows, 0, num_players=PLAYERS, autoreset=False, check=False, **options)


def _as_bytes(rows: np.ndarray) -> np.ndarray:
    """Rows of numbers, or records, as one item of raw bytes each: equal where all of them are."""
    flat = np.ascontiguousarray(rows)
    return flat.view(np.dtype((np.void, flat.nbytes // len(flat)))).reshape(-1)


# ------------------------------------------------------------------------------------------------------------------- the levels


def _levels(batch: Batch, limit: int) -> Iterator[Level]:
    """The levels one after the other, from the deals in a batch on."""
    size = batch.num_envs
    parents, actions = np.full(size, -1), np.full(size, -1)
    known = np.zeros((PLAYERS, size), np.int64)  # by seat: what it has seen and done, numbered in the level
    returns = np.zeros((size, PLAYERS))
    total = size
    while True:
        seats = np.where(batch.ended, _ENDED, batch.seats)
        going = np.flatnonzero(~batch.ended)
        information, first = _information(batch, known, going)
        yield Level(parents, actions, seats, information, returns, _records(batch.states, first))
        if not len(going):
            return
        known[seats[going], going] = information[going]
        rows, actions = np.nonzero(batch.masks[going])
        parents = going[rows]
        total += len(parents)
        if total > limit:
            raise ValueError(
                f"the tree has more than limit={limit} histories: make deck, hands, stumps or max_moves smaller, or raise the limit"
            )
        known = np.stack([_numbered(own[parents], actions) for own in known])
        batch = _played(batch, parents, actions)
        returns = returns[parents] + batch.rewards


def _information(batch: Batch, known: np.ndarray, going: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The information state of each history, -1 where it has ended, and of each information state a history.

    `known` says by seat what it knew before it looked; what it sees now is added to that.
    """
    information = np.full(batch.num_envs, _ENDED)
    if not len(going):
        return information, going
    seats = batch.seats[going]
    seen = np.unique(_as_bytes(batch.observations[going]), return_inverse=True)[1]
    numbers = _numbered(known[seats, going], seats, seen)
    information[going] = numbers
    return information, going[np.unique(numbers, return_index=True)[1]]


def _numbered(*columns: np.ndarray) -> np.ndarray:
    """Numbers from 0 on, the same for two rows if all their columns (ints from 0 on) are; exact, where a hash might collide."""
    numbers = columns[0]
    for column in columns[1:]:
        numbers = np.unique(numbers * (column.max() + 1) + column, return_inverse=True)[1]
    return numbers


def _played(batch: Batch, rows: np.ndarray, actions: np.ndarray) -> Batch:
    """Copies of these rows of a batch after one action in each."""
    played = _batch(batch.game, batch.options, len(rows))
    # observations and masks need not be copied: the step fills them
    played.adopt(_records(batch.states, rows), np.zeros_like(played.observations), np.zeros_like(played.masks))
    played.step(actions)
    return played


def _records(states: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Copies of records; by bytes, since NumPy copies records field by field, which takes many times as long."""
    copies: np.ndarray = states.view(np.uint8).reshape(len(states), -1)[rows].view(states.dtype).reshape(-1)
    return copies


def _seen(game: Game, records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Observation and mask of the seat to move in each record."""
    rows = np.arange(len(records))
    observations = np.zeros((len(records), game.observation_layout(PLAYERS).size), np.float32)
    masks, seats = np.zeros((len(records), len(game.actions)), np.int8), np.zeros(len(records), np.int64)
    game.loops.refresh_rows(records, rows, 0, len(records), observations, masks, seats)
    return observations, masks
