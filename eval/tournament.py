"""Each agent alone among seats of each other one, on common decks: a round robin, a gauntlet or a ladder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np

from penzoo.agents import Agent
from penzoo.agents.search import SearchAgent
from penzoo.envs.game import Game
from penzoo.envs.options import check_choice, check_int
from penzoo.eval.arena import Games, play, seatings
from penzoo.eval.deals import Deals, draw_deals
from penzoo.eval.entrants import MIN_DEALS, Setup, chance, set_up
from penzoo.eval.figures import Figures, Row, deck_figures, make_row, plain, variance_ratio, versions
from penzoo.eval.intervals import CONFIDENCE, FIXED, SEQUENCE, Interval, Method
from penzoo.eval.progress import progress_bar
from penzoo.eval.ratings import Rating, deck_wins, rate
from penzoo.eval.store import Store

ROUND_ROBIN, GAUNTLET, LADDER = "round-robin", "gauntlet", "ladder"
FORMATS = (ROUND_ROBIN, GAUNTLET, LADDER)

CHUNK = 50  # decks played, and kept, at a time; part of what a seed means, as the agents' chance begins anew with each
FIRST_LOOK = 100  # decks before which nothing is called significant: the sequences are asymptotic


@dataclass(frozen=True)
class Pair(Row):
    """What one agent did alone among seats of another: `payoff` and the rest are the one agent's.

    Attributes:
        opponent: in all other seats.
        significant: whether `payoff_interval` leaves 0 out; with `until_significant` never before `FIRST_LOOK` decks.
        variance_ratio: how many times more games its payoff would have taken without common decks and rotations (`variance_ratio` of
            `penzoo.eval.figures`).
    """

    opponent: str
    significant: bool
    variance_ratio: float | None


@dataclass(frozen=True)
class Comparison:
    """Two agents compared deck by deck against the same opponent; in a gauntlet, the first agent against two opponents.

    Attributes:
        first: agent and opponent of one pair.
        second: of the other.
        difference: of the mean payoff of the first pair's agent over that of the second's, on the decks that both pairs played.
        difference_interval: of `difference`.
        variance_ratio: how many times more games the difference would have taken without common decks and rotations.
        decks: that both pairs played.
    """

    first: tuple[str, str]
    second: tuple[str, str]
    difference: float
    difference_interval: Interval
    variance_ratio: float | None
    decks: int


@dataclass(frozen=True)
class Tournament:
    """A round robin, a gauntlet or a ladder.

    Attributes:
        game: its name and version, as in `pen_v0`.
        format: `round-robin`, `gauntlet` or `ladder`.
        agents: as listed.
        players: at the tables.
        deals: different decks; of the pair that played most of them, if some played fewer.
        search_deals: at how many decks pairs with a search ended, if that was set.
        games: in all. At tables of two the games of a pair are also those of the pair the other way round, and counted once.
        seed: from which the decks were drawn.
        options: the rule options, complete.
        payoff_unit: of the payoffs.
        outcomes: what is counted beside them: what each name means.
        until_significant: whether a pair was to stop as soon as its payoff was significant.
        intervals: how they were made, in words.
        confidence: of the intervals of `overall`, `ratings` and `comparisons`.
        pair_confidence: of the intervals of `pairs`: as `confidence`, but with `until_significant` so much higher (Bonferroni's correction
            for the number of pairs that are played) that those of the payoffs hold all together with `confidence`.
        pairs: in the order of the agents.
        overall: for each agent that was alone among others, the mean over its opponents: first deck by deck, so that what the same deck
            does to several pairs is in the interval; over the decks that all its pairs played.
        ratings: of every agent. Their intervals are by bootstrap, and do not know of an early stop.
        comparisons: of each two pairs of the same opponent; in a gauntlet, of the same agent.
        versions: of what it ran with.
        deck_payoffs: for each pair (agent, opponent), float64 of shape (decks,), the agent's mean payoff on each deck, in the same order of
            decks for all pairs.
    """

    game: str
    format: str
    agents: list[str]
    players: int
    deals: int
    search_deals: int | None
    games: int
    seed: int
    options: dict[str, Any]
    payoff_unit: str
    outcomes: dict[str, str]
    until_significant: bool
    intervals: str
    confidence: float
    pair_confidence: float
    pairs: list[Pair]
    overall: list[Row]
    ratings: list[Rating]
    comparisons: list[Comparison]
    versions: dict[str, str]
    deck_payoffs: dict[tuple[str, str], np.ndarray] = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """All but the figures of single decks, as JSON holds it."""
        return plain(self)


def tournament(
    agents: Sequence[Agent | str],
    game: str | Game = "pen",
    *,
    format: str = ROUND_ROBIN,  # noqa: A002 (the word of the command line)
    players: int | None = None,
    deals: int = 1000,
    search_deals: int | None = None,
    seed: int = 0,
    threads: int = 1,
    options: Mapping[str, Any] | None = None,
    until_significant: bool = False,
    folder: str | Path | None = None,
    progress: bool = False,
) -> Tournament:
    """Let each agent play alone among seats of each other one, the first among each of the others, or each of the others among the first.

    All pairs play the same decks, and each deck in every rotation of the seats. At tables of two, where A against B is also B against A,
    the games are played once and give both pairs. The same arguments give the same figures, interrupted or not, if the agents have no
    chance or a method `reseed(seed)`, by which it begins anew with every chunk of decks.

    Args:
        agents: as `make_agent` takes them, or made; each is listed once.
        game: its name, or itself.
        format: `round-robin`, each among each other one, `gauntlet`, the first among each of the others, or `ladder`, each of the others
            among the first.
        players: at the table; the game's default if None.
        deals: how many decks, at the most.
        search_deals: how many, at the most, where one of a pair is a search, which plays whole deals for each decision: the first of the
            decks; as `deals` if None. A folder keeps `CHUNK` decks at a time: multiples of it lose nothing when more are played later.
        seed: of the decks, and of the chance of the agents.
        threads: how many work on a step of the games.
        options: the game's rule options.
        until_significant: stop a pair as soon as its mean payoff differs from 0. The decks are looked at chunk by chunk, by intervals that
            allow it (`intervals.mean_sequence`), with Bonferroni's correction for the number of pairs that are played, so that with the
            confidence of 95 % no pair at all stops of those that do not differ.
        folder: keep the games there, and go on from those that are there already. More deals, another format and other threads are
            possible in the same folder.
        progress: show a bar on the error output, if that is a terminal.

    Raises:
        ValueError: an argument or an option is impossible, an agent is not for this game and table or listed twice, or the folder is that
            of another tournament or damaged.
        FileNotFoundError: an agent's file does not exist.
    """
    check_choice("format", format, FORMATS)
    setup = set_up(agents, game, players, deals, seed, threads, options)
    _check_agents(setup, format)
    if search_deals is not None:
        check_int("search_deals", search_deals, MIN_DEALS)
        if until_significant and search_deals < FIRST_LOOK:
            raise ValueError(
                f"search_deals={search_deals} is not possible with until_significant: a pair is first looked at after {FIRST_LOOK} decks"
            )
    store = None if folder is None else Store(folder, setup, seed)
    played = _Field(setup, format, deals, search_deals, seed, threads, store, until_significant)
    with progress_bar(progress, f"{len(played.pairs)} pairs × decks", sum(played.limits.values())) as advance:
        games = played.play(advance)
    return _tally(played, games)


def _check_agents(setup: Setup, form: str) -> None:
    if len(setup.listed) < 2:
        raise ValueError(f"a {form} takes at least 2 agents: there is only {setup.names[0]}")
    for name, index in zip(setup.names, range(len(setup.names)), strict=True):
        if setup.listed.count(index) > 1:
            raise ValueError(f"agent {name} is listed twice: in a {form} each is listed once, and meets the others only")


class _Field:
    """The pairs of a tournament and how they are played; a pair is of the numbers of an agent and of its opponent."""

    def __init__(
        self,
        setup: Setup,
        form: str,
        deals: int,
        search_deals: int | None,
        seed: int,
        threads: int,
        store: Store | None,
        until_significant: bool,
    ) -> None:
        self.setup, self.form, self.deals, self.seed, self.threads = setup, form, deals, seed, threads
        self.store, self.until_significant = store, until_significant
        numbers = range(len(setup.agents))
        if form == GAUNTLET:
            self.pairs = [(0, opponent) for opponent in numbers[1:]]
        elif form == LADDER:
            self.pairs = [(agent, 0) for agent in numbers[1:]]
        else:
            self.pairs = list(combinations(numbers, 2) if self.both_ways else permutations(numbers, 2))
        searches = [isinstance(agent, SearchAgent) for agent in setup.agents]
        self.search_deals = search_deals
        fewer = deals if search_deals is None else min(deals, search_deals)
        self.limits = {(agent, other): fewer if searches[agent] or searches[other] else deals for agent, other in self.pairs}
        self.seats = seatings([0] + [1] * (setup.players - 1), setup.players)  # of the agent of a pair, 0, and its opponent, 1
        self.method: Method = SEQUENCE if until_significant else FIXED
        self.pair_confidence = 1 - (1 - CONFIDENCE) / (len(self.pairs) if until_significant else 1)

    @property
    def both_ways(self) -> bool:
        """Whether a game of A against B is also one of B against A, and is to be tallied as both."""
        return self.setup.players == 2 and self.form == ROUND_ROBIN

    def play(self, advance: Any) -> dict[tuple[int, int], Games]:
        """The games of each pair; `advance` is told of decks that are done."""
        drawn = draw_deals(self.setup.game, self.setup.players, self.deals, self.seed, self.setup.options)
        parts: dict[tuple[int, int], list[Games]] = {pair: [] for pair in self.pairs}
        payoffs = {pair: np.empty(0) for pair in self.pairs}
        going = list(self.pairs)
        for start in range(0, self.deals, CHUNK):
            going = [pair for pair in going if start < self.limits[pair]]
            for pair in going:
                stop = min(start + CHUNK, self.limits[pair])
                parts[pair].append(self._chunk(pair, drawn, start, stop))
                payoffs[pair] = np.append(payoffs[pair], deck_figures(parts[pair][-1], self.seats, 2)[0]["payoff"])
                advance(stop - start)
            if self.until_significant:
                decided = {pair for pair in going if self._has_decided(payoffs[pair])}
                advance(sum(self.limits[pair] - len(payoffs[pair]) for pair in decided))
                going = [pair for pair in going if pair not in decided]
        return {pair: Games.joined(of_pair) for pair, of_pair in parts.items()}

    def _has_decided(self, payoffs: np.ndarray) -> bool:
        return self.is_significant(self.method.of_mean(payoffs, self.pair_confidence), len(payoffs))

    def is_significant(self, interval: Interval, decks: int) -> bool:
        """Whether a pair's mean payoff differs from 0 by its interval over so many decks."""
        return leaves_out_zero(interval) and (decks >= FIRST_LOOK or not self.until_significant)

    def _chunk(self, pair: tuple[int, int], drawn: Deals, start: int, stop: int) -> Games:
        kept = None if self.store is None else self.store.load(pair, start, stop, len(self.seats))
        if kept is not None:
            return kept
        for agent in pair:
            # chance that hangs on nothing that was played before, so that an interrupted tournament can go on
            reseed = getattr(self.setup.agents[agent], "reseed", None)
            if reseed is not None:
                reseed(chance(self.seed, agent, *pair, start))
        agents = [self.setup.agents[agent] for agent in pair]
        games = Games.joined(list(play(self.setup.game, agents, self.seats, drawn.part(start, stop), threads=self.threads)))
        if self.store is not None:
            self.store.save(pair, start, stop, games)
        return games


def leaves_out_zero(interval: Interval) -> bool:
    """Whether a mean differs from 0 by its interval."""
    return not interval.low <= 0 <= interval.high


@dataclass(frozen=True)
class _Side:
    """The agent of a pair in its games."""

    figures: Figures
    payoffs: np.ndarray  # float64 of shape (decks, seatings)


def _tally(played: _Field, games: dict[tuple[int, int], Games]) -> Tournament:
    setup = played.setup
    outcomes = {outcome.name: outcome.meaning for outcome in setup.game.outcomes}
    sides = _sides(played, games)
    rows = {pair: _pair_row(played, pair, side) for pair, side in sides.items()}
    return Tournament(
        game=setup.game.id,
        format=played.form,
        agents=setup.names,
        players=setup.players,
        deals=max(len(each) for each in games.values()),
        search_deals=played.search_deals,
        games=sum(each.moves.size for each in games.values()),
        seed=played.seed,
        options=setup.options,
        payoff_unit=setup.game.payoff_unit,
        outcomes=outcomes,
        until_significant=played.until_significant,
        intervals=played.method.name,
        confidence=CONFIDENCE,
        pair_confidence=played.pair_confidence,
        pairs=list(rows.values()),
        overall=_overall(played, sides),
        ratings=rate(setup.names, _wins(played, games), played.seed),
        comparisons=_comparisons(played, sides),
        versions=versions(),
        deck_payoffs={(row.agent, row.opponent): sides[pair].figures["payoff"] for pair, row in rows.items()},
    )


def _sides(played: _Field, games: dict[tuple[int, int], Games]) -> dict[tuple[int, int], _Side]:
    """Of each pair, in the order of the agents."""
    found = {}
    for (agent, opponent), each in games.items():
        figures = deck_figures(each, played.seats, 2)
        found[agent, opponent] = _Side(figures[0], each.returns[:, played.seats == 0])
        if played.both_ways:
            found[opponent, agent] = _Side(figures[1], each.returns[:, played.seats == 1])
    return dict(sorted(found.items()))


def _pair_row(played: _Field, pair: tuple[int, int], side: _Side) -> Pair:
    agent, opponent = (played.setup.names[number] for number in pair)
    row = _row(played, agent, side.figures, side.payoffs.size, played.pair_confidence)
    return Pair(
        **vars(row),
        opponent=opponent,
        significant=played.is_significant(row.payoff_interval, row.decks),
        variance_ratio=variance_ratio(side.payoffs),
    )


def _row(played: _Field, agent: str, figures: Figures, games: int, confidence: float) -> Row:
    return make_row(agent, [outcome.name for outcome in played.setup.game.outcomes], figures, games, played.method, confidence)


def _overall(played: _Field, sides: dict[tuple[int, int], _Side]) -> list[Row]:
    rows = []
    for number, agent in enumerate(played.setup.names):
        own = [side for pair, side in sides.items() if pair[0] == number]
        if own:
            decks = min(len(side.payoffs) for side in own)
            figures = {name: np.mean([side.figures[name][:decks] for side in own], axis=0) for name in own[0].figures}
            rows.append(_row(played, agent, figures, decks * len(played.seats) * len(own), CONFIDENCE))
    return rows


def _comparisons(played: _Field, sides: dict[tuple[int, int], _Side]) -> list[Comparison]:
    common = 0 if played.form == GAUNTLET else 1  # the agent, or the opponent
    return [
        _comparison(played, one, other, sides[one], sides[other]) for one, other in combinations(sides, 2) if one[common] == other[common]
    ]


def _comparison(played: _Field, one: tuple[int, int], other: tuple[int, int], first: _Side, second: _Side) -> Comparison:
    names = played.setup.names
    decks = min(len(first.payoffs), len(second.payoffs))
    difference = first.figures["payoff"][:decks] - second.figures["payoff"][:decks]
    return Comparison(
        first=(names[one[0]], names[one[1]]),
        second=(names[other[0]], names[other[1]]),
        difference=float(difference.mean()),
        difference_interval=played.method.of_mean(difference, CONFIDENCE),
        variance_ratio=variance_ratio(first.payoffs[:decks], second.payoffs[:decks]),
        decks=decks,
    )


def _wins(played: _Field, games: dict[tuple[int, int], Games]) -> np.ndarray:
    """As `rate` takes them; nothing for a pair on decks that it did not play."""
    count = len(played.setup.names)
    wins = np.zeros((max(len(each) for each in games.values()), count, count))
    for (agent, opponent), each in games.items():
        won = deck_wins(each.returns, played.seats == 0)
        wins[: len(each), agent, opponent] += won
        wins[: len(each), opponent, agent] += len(played.seats) - won
    return wins
