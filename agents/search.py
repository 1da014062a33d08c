"""Search agents: what the heuristic would do, improved by playing each decision on from deals that may be the true one.

A decision is a flat search: one step of policy improvement over a heuristic (Tesauro and Galperin 1996, "On-line policy improvement using
Monte-Carlo search"). In each of many determinizations all candidates are played on from the same cards, so that they are compared in
pairs; the simulations are spent by sequential halving (Karnin, Koren and Somekh 2013, "Almost optimal exploration in multi-armed
bandits"). The action of the heuristic is never dropped, and gives way only to one that is better beyond the noise.
"""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from penzoo.agents import kunken_careful, pen_careful, pengingan_careful
from penzoo.agents.base import HeuristicAgent
from penzoo.envs import get_game
from penzoo.envs.game import Functions, Game
from penzoo.envs.jit import bind, compiled, read_only
from penzoo.envs.rng import shuffle

if TYPE_CHECKING:  # bound by `_bind`
    legal_mask: Callable[..., Any]
    apply: Callable[..., Any]
    observe: Callable[..., Any]
    determinize: Callable[..., Any]
    rollout: Callable[..., int]

SEARCH = "search"
LARGEST_BUDGET = 10**9  # of simulations for a decision: more would take days
FEWEST_PAIRS = 4  # of determinizations, before an action is preferred to the heuristic's

Share = Callable[[Callable[[int, int], Any], int], Any]
"""(work, count): let `work(lo, hi)` be done for all of 0 to count - 1, in one part or several at a time."""


@dataclass(frozen=True)
class Policies:
    """What a search of a game goes by.

    Attributes:
        prior: compiled, (observation, mask, players) -> action: whom the search improves on.
        rollout: the same, for all seats from the next decision on.
        caution: how many standard errors an action has to be better than the prior's.
    """

    prior: Callable[..., int]
    rollout: Callable[..., int]
    caution: float


POLICIES = {
    "pen": Policies(pen_careful.careful, pen_careful.careful, 1.0),
    "pengingan": Policies(pengingan_careful.careful, pengingan_careful.careful, 1.0),
    "kunken": Policies(kunken_careful.careful, kunken_careful.careful, 1.0),
}


def in_one_part(work: Callable[[int, int], Any], count: int) -> None:
    """A `Share` without threads."""
    work(0, count)


class SearchAgent:
    """A determinized Monte-Carlo search.

    It is asked by `act_deals`, not by observations: `Batch.ask`, evaluations, environments of learners and `env.ask` do so.

    Args:
        game: what it plays.
        budget: simulations for a decision, each a deal played to its end; a decision with one legal action takes none.
        seed: of its chance.
        policies: what it goes by; those of `POLICIES` if None.
        name: for reports; `search:` and the budget if None.

    Raises:
        ValueError: the budget is no int from 1 to `LARGEST_BUDGET`, or there is no heuristic for the game.
    """

    num_players: int | None = None

    def __init__(
        self, game: Game | str, budget: int, seed: int | None = None, policies: Policies | None = None, name: str | None = None
    ) -> None:
        table = get_game(game) if isinstance(game, str) else game
        if isinstance(budget, bool) or not isinstance(budget, int | np.integer) or not 1 <= budget <= LARGEST_BUDGET:
            raise ValueError(
                f"budget={budget!r} is not possible: a search takes an int from 1 to {LARGEST_BUDGET}, the simulations for a decision"
            )
        if policies is None and table.name not in POLICIES:
            raise ValueError(f"there is no search for {table.name}: it needs a heuristic, as {', '.join(POLICIES)} have one")
        policies = POLICIES[table.name] if policies is None else policies
        self.name = name or f"{SEARCH}:{budget}"
        self.game: str | None = table.name
        self.budget = int(budget)
        self.simulations = 0
        """How many it has played so far."""
        self._table, self._caution = table, policies.caution
        self._prior = HeuristicAgent(policies.prior.__name__, table.name, policies.prior)
        self._search = bind_search(table.name, table.functions, policies.rollout)
        self.reseed(seed)

    def reseed(self, seed: int | None) -> None:
        """Begin its chance anew."""
        self._generator = np.random.default_rng(seed)

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """It cannot choose by what a seat sees alone.

        Raises:
            ValueError: always; names what is to be used.
        """
        raise ValueError(
            f"agent {self.name} searches deals, and cannot act on observations: ask it with Batch.ask(agent), or env.ask(agent) in an AEC "
            "environment, or call act_deals with records dealt anew by Batch.determinize for the seats to move"
        )

    def act_deals(self, deals: np.ndarray, share: Share = in_one_part) -> np.ndarray:
        """Choose an action in each deal.

        Args:
            deals: records of the game, shape (rows,), in which all that the seat to move cannot see is dealt anew (`Batch.determinize`);
                they stay as they are.
            share: shares the rows among threads; what is chosen is the same however it does.

        Returns:
            int64 of shape (rows,).

        Raises:
            ValueError: the records are not of its game or of tables of different sizes, or a deal among them has ended.
        """
        self._check(deals)
        rows, size = len(deals), self._table.observation_layout(int(deals["players"].max(initial=self._table.min_players))).size
        deals, all_rows = deals.copy(), read_only(np.arange(rows))
        streams = self._generator.integers(1, 2**64, rows, np.uint64)
        observations, masks = np.zeros((rows, size), np.float32), np.zeros((rows, len(self._table.actions)), np.int8)
        seats, actions, simulations = (np.zeros(rows, np.int64) for _ in range(3))

        def work(lo: int, hi: int) -> None:
            self._table.loops.refresh_rows(deals, all_rows, lo, hi, observations, masks, seats)
            actions[lo:hi] = self._prior.act(observations[lo:hi], masks[lo:hi])
            scratch, observation, mask = np.zeros(2, deals.dtype), np.zeros(size, np.float32), np.zeros(masks.shape[1], np.int8)
            self._search(deals, masks, streams, lo, hi, self.budget, self._caution, scratch, observation, mask, actions, simulations)

        share(work, rows)
        self.simulations += int(simulations.sum())
        return actions

    def _check(self, deals: np.ndarray) -> None:
        if not isinstance(deals, np.ndarray) or deals.dtype != self._table.state_dtype or deals.ndim != 1:
            what = f"{deals.dtype} of shape {deals.shape}" if isinstance(deals, np.ndarray) else type(deals).__name__
            raise ValueError(f"{self.name} cannot search in {what}: it takes an array of records of {self._table.name}")
        if len(np.unique(deals["players"])) > 1:
            raise ValueError(f"{self.name} cannot search in deals of tables of different sizes at once: give those of each by themselves")
        ended = np.flatnonzero((deals["terminated"] != 0) | (deals["truncated"] != 0))
        if len(ended):
            raise ValueError(f"{self.name} cannot search in deal {ended[0]}: it has ended, nobody is to move")


@functools.cache
def bind_search(game: str, functions: Functions, rollout: Callable[..., int]) -> Callable[..., None]:
    """`search_rows` with the functions of a game, named so, and a heuristic in it."""
    return _bind(game, functions, rollout, (play_on, compare, search, search_rows))


@functools.cache
def bind_gains(game: str, functions: Functions, rollout: Callable[..., int]) -> Callable[..., None]:
    """`gain_rows` with the functions of a game, named so, and a heuristic in it."""
    return _bind(game, functions, rollout, (play_on, gain_rows))


def _bind(game: str, functions: Functions, rollout: Callable[..., int], templates: Sequence[Callable[..., Any]]) -> Callable[..., None]:
    """The last of some templates, each of which calls those before it."""
    name = f"{game}.{rollout.__name__}"
    rules: dict[str, Any] = {each: getattr(functions, each) for each in ("legal_mask", "apply", "observe", "determinize")}
    rules["rollout"] = rollout
    for template in templates:
        rules[template.__name__] = bind(template, name, rules)
    last: Callable[..., None] = rules[templates[-1].__name__]
    return last


# ------------------------------------------------------------------------------------------------------------------ templates


def search_rows(deals, masks, streams, lo, hi, budget, caution, scratch, observation, mask, actions, simulations):
    """Search in deals lo to hi - 1, each with its mask and its stream, from the prior's `actions`, which are replaced.

    `deals` are records and stay as they are; `streams` is uint64, `actions` and `simulations` int64, of shape (rows,). `scratch` (two
    records), `observation` (float32 of an observation's size) and `mask` (int8) are this thread's own.
    """
    for k in range(lo, hi):
        actions[k], simulations[k] = search(
            deals[k : k + 1], np.flatnonzero(masks[k]), actions[k], streams[k : k + 1], budget, caution, scratch, observation, mask
        )


def gain_rows(deals, rows, lo, hi, first, tried, scratch, observation, mask, gains):
    """Play on with what is tried and with the first action in deals `rows[lo]` to `rows[hi - 1]`, as they lie, hidden cards included.

    `first` is int64 of shape (rows,), `tried` int64 of shape (rows, tries), -1 for none; `gains`, float32 of that shape, gets how much
    more each brought than the first, 0 where there is none. `deals` stay as they are; `scratch`, `observation` and `mask` as in
    `search_rows`.
    """
    for k in range(lo, hi):
        scratch[0] = deals[rows[k]]
        yardstick = play_on(scratch, first[k], observation, mask)
        for place in range(tried.shape[1]):
            action = tried[k, place]
            gains[k, place] = play_on(scratch, action, observation, mask) - yardstick if action >= 0 else 0.0


def search(deal, legal, first, stream, budget, caution, scratch, observation, mask):
    """The action for the one deal, where the prior's is `first`, and the simulations that it took."""
    living = legal[legal != first]
    shuffle(living, stream)  # which are tried where the budget is too small for all
    living = living[: max(0, budget - 1)]
    sums, squares = np.zeros(len(mask)), np.zeros(len(mask))
    dealt, left = 0, budget
    while len(living) > 0:
        rounds, cost = count_halvings(len(living)) + 1, len(living) + 1
        times = min(max(1, left // (rounds * cost)), left // cost)
        compare(deal, stream, times, first, living, scratch, observation, mask, sums, squares)
        dealt += times
        left -= times * cost
        if rounds == 1 or times == 0:
            break
        living = living[np.argsort(-sums[living])[: (len(living) + 1) // 2]]
    return choose_best(first, living, sums, squares, dealt, caution), budget - left


def compare(deal, stream, times, first, living, scratch, observation, mask, sums, squares):
    """Play the living actions and the first from so many deals dealt anew: add up how much more each brings than the first.

    `sums` and `squares`, float64 of shape (number of actions,), get the differences and their squares.
    """
    for _ in range(times):
        scratch[0] = deal[0]
        determinize(scratch[0], scratch[0]["seat"], stream)  # noqa: F821
        yardstick = play_on(scratch, first, observation, mask)
        for action in living:
            difference = play_on(scratch, action, observation, mask) - yardstick
            sums[action] += difference
            squares[action] += difference * difference


def play_on(scratch, action, observation, mask):
    """Play an action in a copy of the first record, then by the heuristic to the end: what the seat to move gets from now on."""
    scratch[1] = scratch[0]
    state = scratch[1]
    seat = int(state["seat"])
    state["rewards"][:] = 0
    apply(state, action)  # noqa: F821
    while not (state["terminated"] or state["truncated"]):
        legal_mask(state, mask)  # noqa: F821
        observe(state, state["seat"], observation)  # noqa: F821
        apply(state, rollout(observation, mask, state["players"]))  # noqa: F821
    return state["rewards"][seat]


@compiled
def count_halvings(count):
    """How often so many are halved, rounded up, until one is left."""
    halvings = 0
    while count > 1:
        count = (count + 1) // 2
        halvings += 1
    return halvings


@compiled
def choose_best(first, living, sums, squares, dealt, caution):
    """The best of the living actions if it is better than the first beyond `caution` standard errors, else the first."""
    best, most = first, 0.0
    if dealt < FEWEST_PAIRS:
        return best
    for action in living:
        mean = sums[action] / dealt
        variance = max(0.0, squares[action] / dealt - mean * mean) / (dealt - 1)
        if mean > most and mean > caution * np.sqrt(variance):
            best, most = action, mean
    return best
