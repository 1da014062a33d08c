"""Many deals at once: the engine as arrays."""

import itertools
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from penzoo.envs import loops, rng, snapshot
from penzoo.envs.cards import NO_CARD
from penzoo.envs.game import Game
from penzoo.envs.jit import compiled, read_only
from penzoo.envs.options import check_int

NO_HISTORY = np.empty(0, np.int16)
_DEALING_ANEW = np.uint64(0x9E3779B97F4A7C15)  # makes other streams of those of the decks
_MIXERS = ((np.uint64(30), np.uint64(0xBF58476D1CE4E5B9)), (np.uint64(27), np.uint64(0x94D049BB133111EB)))
_LAST_SHIFT = np.uint64(31)


def available_cores() -> int:
    """How many cores this process may use, which may be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Batch:
    """N deals of one game, each on its own way; one call plays one action in each.

    Every array below is filled in place by `reset`, `step` and `restore`, and is read-only to others: copy what is to be kept.

    Attributes:
        observations: float32 of shape (num_envs, observation size), what the seat to move sees (`game.observation_layout`).
        masks: int8 of shape (num_envs, number of actions), 1 where that seat may act so; all 0 in a deal that has ended.
        seats: int64 of shape (num_envs,), the seat to move.
        rewards: float64 of shape (num_envs, num_players), what the last step brought to each seat.
        returns: float64 of shape (num_envs, num_players), the sums of the rewards of the deal that the last step belonged to.
        terminated, truncated: bool of shape (num_envs,), whether the last step ended the deal so. (With `autoreset` the next deal has
            begun already: observations, masks and seats belong to it, rewards and returns to the one that ended.)
        states: records of `game.state_dtype`, shape (num_envs,): the engine's own, not for agents.
        decks: int8 of shape (num_envs, game.largest_deck), the decks of the deals in play, then NO_CARD (`deck` gives one without).

    Args:
        game: of `penzoo.envs.GAMES`.
        num_envs: how many deals.
        seed: the same seed gives the same deals, whatever the number of threads, and deal k of row i whatever `num_envs`.
        threads: how many work on a step.
        num_players: at each table; the game's default if None.
        autoreset: begin a new deal at once where one has ended; else it stays as it is, and actions there do nothing.
        match: after a deal that has ended the next dealer is the one that the rules name; else the dealer is drawn for each deal.
        check: refuse illegal actions. Without it an illegal action has no defined result.
        options: the game's rule options.

    Raises:
        ValueError: an argument or an option is impossible.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        seed: int | None = None,
        threads: int = 1,
        *,
        num_players: int | None = None,
        autoreset: bool = True,
        match: bool = False,
        check: bool = True,
        **options: Any,
    ) -> None:
        check_int("num_envs", num_envs, 1)
        check_int("threads", threads, 1)
        self.game, self.num_envs, self.check, self.match, self.autoreset = game, num_envs, check, match, autoreset
        self.num_players = game.check_players(game.default_players if num_players is None else num_players)
        self.options = game.complete_options(options)
        self._states = game.new_states(num_envs, self.num_players, self.options)
        self._decks = self._padded([game.deck(self.num_players, self.options)]).repeat(num_envs, axis=0)
        self._rng = rng.streams(seed, num_envs)
        self._observations = np.zeros((num_envs, game.observation_layout(self.num_players).size), np.float32)
        self._masks = np.zeros((num_envs, len(game.actions)), np.int8)
        self._seats = np.zeros(num_envs, np.int64)
        self._rewards = np.zeros((num_envs, self.num_players), np.float64)
        self._returns = np.zeros((num_envs, self.num_players), np.float64)
        self._terminated = np.zeros(num_envs, np.bool_)
        self._truncated = np.zeros(num_envs, np.bool_)
        self._all_rows = _as_ints(np.arange(num_envs))
        self._threads = threads
        self._expose()
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.reset()

    def _expose(self) -> None:
        for name in _PER_ROW:
            setattr(self, name, read_only(getattr(self, f"_{name}")))

    def adopt(self, states: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> None:
        """Use these arrays, which hold what the batch's own hold, in their place: for whoever wants them to lie in its own memory."""
        self._states, self._observations, self._masks = states, observations, masks
        self._expose()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in (*_PER_ROW, "_pool")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._expose()
        self._pool = ThreadPoolExecutor(self._threads) if self._threads > 1 else None

    # set by `_expose`
    states: np.ndarray
    decks: np.ndarray
    observations: np.ndarray
    masks: np.ndarray
    seats: np.ndarray
    rewards: np.ndarray
    returns: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray

    @property
    def ended(self) -> np.ndarray:
        """Bool of shape (num_envs,): terminated or truncated by the last step."""
        return self._terminated | self._truncated

    def deck(self, row: int) -> np.ndarray:
        """The deck of a row's deal, int8 card indices in the order in which they are dealt."""
        deck: np.ndarray = self._decks[row]
        return deck[deck != NO_CARD]

    # ------------------------------------------------------------------------------------------------------------------- play

    def reset(
        self,
        seed: int | Sequence[int | None] | None = None,
        rows: np.ndarray | None = None,
        *,
        decks: np.ndarray | Sequence[Sequence[str]] | None = None,
        dealers: np.ndarray | Sequence[int] | None = None,
        chances: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        """Begin new deals.

        Args:
            seed: begin the streams of chance of all rows anew, whichever are named; None lets them run on. A list holds one for each of
                the rows named, which then deals as row 0 of a batch of that seed would.
            rows: which, int; None for all.
            decks: a deck for each of those rows, in names or as card indices; None shuffles.
            dealers: a seat for each of those rows; None draws.
            chances: for each of `game.chances` a value for each of those rows; what is left out is drawn.

        Raises:
            ValueError: a seed, row, deck, dealer or chance that is impossible; nothing has changed then.
        """
        rows = self._rows(rows)
        if rows is not self._all_rows and len(np.unique(rows)) < len(rows):
            raise ValueError(f"rows {rows.tolist()} name a row twice: it can begin one deal")
        given = self._check_given(rows, decks, dealers, chances or {})
        if seed is not None:
            self._reseed(seed, rows)
        over = (self._states["terminated"][rows] | self._states["truncated"][rows]).astype(bool)
        goes_on = over & (self.match and seed is None)
        self._clear(rows)
        self._start(_as_ints(rows[~goes_on]), loops.RANDOM_DEALER)
        self._start(_as_ints(rows[goes_on]), loops.MATCH_DEALER)
        if given:
            for write in given:
                write()
            self._start(rows, loops.GIVEN_DEAL)

    def step(self, actions: np.ndarray | Sequence[int], rows: np.ndarray | None = None) -> None:
        """Play one action in each of the rows.

        Args:
            actions: int of shape (number of rows,).
            rows: which, int, each at most once; None for all. The others stay as they are, their rewards of the step before included.

        Raises:
            ValueError: an action that is illegal (with `check`), or arrays that do not fit; nothing has changed then.
        """
        rows = self._rows(rows)
        actions = _as_actions(actions, rows)
        if self.check:
            if rows is not self._all_rows and len(np.unique(rows)) < len(rows):
                raise ValueError(f"rows {rows.tolist()} name a row twice: its second action cannot be checked before its first is played")
            self._check_actions(actions, rows)
        how = loops.NO_DEAL if not self.autoreset else loops.MATCH_DEALER if self.match else loops.RANDOM_DEALER
        self._run(
            lambda lo, hi: self.game.loops.step_rows(
                self._states,
                self._decks,
                self._rng,
                actions,
                rows,
                lo,
                hi,
                how,
                NO_HISTORY,
                self._observations,
                self._masks,
                self._seats,
                self._rewards,
                self._returns,
                self._terminated,
                self._truncated,
            ),
            len(rows),
        )

    def ask(self, actor: Any, rows: np.ndarray | None = None) -> np.ndarray:
        """What an actor chooses in each of the rows, for `step`.

        One that has a method `act_deals` (`penzoo.agents.search`) gets copies of the deals in which all that the seat to move cannot see
        is dealt anew, and a function that shares work on rows among the batch's threads; any other gets observations and masks. What is
        dealt anew has streams of its own: it follows from the row's stream and the number of moves, and moves no other stream on.

        Args:
            actor: an agent of `penzoo.agents`, or any object with `act(observations, masks)` or `act_deals(deals, share)`.
            rows: which, int, deals in play; None for all.

        Returns:
            int of shape (number of rows,).

        Raises:
            ValueError: what it answers is not an int for each row, or (with `check`) an illegal action; names the actor.
        """
        rows = self._rows(rows)
        act_deals = getattr(actor, "act_deals", None)
        if act_deals is None:
            answers = actor.act(self._observations[rows], self._masks[rows])
        else:
            answers = act_deals(self._deal_anew(rows), self._run)
        try:
            actions = _as_actions(answers, rows)
            if self.check:
                self._check_actions(actions, rows)
        except ValueError as error:
            raise ValueError(f"agent {getattr(actor, 'name', type(actor).__name__)}: {error}") from None
        return actions

    def _deal_anew(self, rows: np.ndarray) -> np.ndarray:
        """Copies of deals in which all that the seat to move cannot see is dealt anew."""
        states = self._states[rows]
        seats, streams = _as_ints(states["seat"]), _mix(self._rng[rows] + _DEALING_ANEW * (states["moves"].astype(np.uint64) + 1))
        self._run(lambda lo, hi: self.game.loops.determinize_rows(states, seats, streams, lo, hi), len(rows))
        return states

    def observe(self, seats: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """What given seats see.

        Args:
            seats: int of shape (number of rows,).
            rows: which, int; None for all.

        Returns:
            A new float32 array of shape (number of rows, observation size).
        """
        rows = self._rows(rows)
        seats = self._check_seats(seats, rows)
        observations = np.empty((len(rows), self._observations.shape[1]), np.float32)
        self.game.loops.observe_rows(self._states, rows, seats, 0, len(rows), observations)
        return observations

    def determinize(self, seats: np.ndarray, streams: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """Copies of deals in which all that a seat cannot see is dealt anew, each way as likely.

        Args:
            seats: int of shape (number of rows,), whose view each copy keeps.
            streams: uint64 of shape (number of rows,), of `penzoo.envs.rng.streams`; they run on.
            rows: which, int, a row as often as wished; None for all.

        Returns:
            Records of shape (number of rows,).
        """
        rows = self._rows(rows)
        seats = self._check_seats(seats, rows)
        if not isinstance(streams, np.ndarray):
            raise ValueError(f"streams of type {type(streams).__name__} do not fit: give uint64 of shape {rows.shape}")
        if streams.shape != rows.shape or streams.dtype != np.uint64:
            raise ValueError(f"streams of shape {streams.shape} and dtype {streams.dtype} do not fit: give uint64 of shape {rows.shape}")
        states = self._states[rows]
        self.game.loops.determinize_rows(states, seats, streams, 0, len(rows))
        return states

    # ---------------------------------------------------------------------------------------------------- copy, save, restore

    def copy(self, source: np.ndarray | Sequence[int], target: np.ndarray | Sequence[int]) -> None:
        """Copy deals from the source rows into the target rows; the streams from which later deals come stay with their rows.

        Raises:
            ValueError: a row that does not exist, or not as many sources as targets.
        """
        sources, targets = self._rows(source), self._rows(target)
        if len(sources) != len(targets):
            raise ValueError(f"{len(sources)} source rows and {len(targets)} target rows: give as many of each")
        for array in self._per_row():
            array[targets] = array[sources]

    def save(self, rows: np.ndarray | Sequence[int] | None = None) -> bytes:
        """Deals as bytes, for `restore`: with the streams of chance, so that also the deals after them are the same."""
        return snapshot.pack(self.game, _KIND, {"players": self.num_players}, self.to_arrays(rows))

    def restore(self, data: bytes, rows: np.ndarray | Sequence[int] | None = None) -> None:
        """Put saved deals into rows, in the order in which they were saved.

        A row then has the options that its deal was dealt with, and keeps them for later deals.

        Raises:
            ValueError: the bytes are not deals of this game, number of players and version, or not as many as the rows; nothing has
                changed then.
        """
        meta, arrays = snapshot.unpack(self.game, _KIND, data)
        snapshot.check_players(meta["players"], self.num_players)
        self.from_arrays(arrays, rows)

    def to_arrays(self, rows: np.ndarray | Sequence[int] | None = None) -> dict[str, np.ndarray]:
        """What `save` saves: new arrays by name, with a row for each deal."""
        rows = self._rows(rows)
        # `take`, not an index: that would leave what memory held in the gaps between the fields, and equal deals would not be equal bytes
        arrays = {name: array.take(rows, axis=0) for name, array in zip(_PER_ROW, self._per_row(), strict=True)}
        return {**arrays, "rng": self._rng[rows]}

    def from_arrays(self, arrays: Mapping[str, np.ndarray], rows: np.ndarray | Sequence[int] | None = None) -> None:
        """Undo `to_arrays`. ValueError if they do not fit, or are not as many as the rows; nothing has changed then."""
        rows = self._rows(rows)
        snapshot.check_arrays(arrays, self.to_arrays(rows))
        for name, array in zip(_PER_ROW, self._per_row(), strict=True):
            array[rows] = arrays[name]
        self._rng[rows] = arrays["rng"]

    def close(self) -> None:
        """End the threads."""
        if self._pool is not None:
            self._pool.shutdown()

    # ---------------------------------------------------------------------------------------------------------------- private

    def _per_row(self) -> list[np.ndarray]:
        return [getattr(self, f"_{name}") for name in _PER_ROW]

    def _clear(self, rows: np.ndarray) -> None:
        for array in (self._rewards, self._returns, self._terminated, self._truncated):
            array[rows] = 0

    def _start(self, rows: np.ndarray, how: int) -> None:
        self._run(
            lambda lo, hi: self.game.loops.start_rows(
                self._states, self._decks, self._rng, rows, lo, hi, how, self._observations, self._masks, self._seats
            ),
            len(rows),
        )

    def _reseed(self, seed: int | Sequence[int | None], rows: np.ndarray) -> None:
        if isinstance(seed, np.ndarray):
            seed = seed.tolist()
        if isinstance(seed, str) or not isinstance(seed, Sequence):
            self._rng[:] = rng.streams(seed, self.num_envs)
        elif len(seed) != len(rows):
            raise ValueError(f"seed: {len(seed)} given for {len(rows)} rows")
        else:
            own = [self._rng[row] if each is None else rng.streams(each, 1)[0] for row, each in zip(rows, seed, strict=True)]
            self._rng[rows] = own

    def _run(self, work: Callable[[int, int], Any], count: int) -> None:
        """Do the work on rows 0 to count-1, shared among the threads."""
        if self._pool is None:
            work(0, count)
            return
        bounds = np.linspace(0, count, self._threads + 1).astype(int).tolist()
        for future in [self._pool.submit(work, lo, hi) for lo, hi in itertools.pairwise(bounds)]:
            future.result()

    def _rows(self, rows: np.ndarray | Sequence[int] | None) -> np.ndarray:
        if rows is None:
            return self._all_rows
        rows = np.asarray(rows)
        if rows.ndim != 1 or (len(rows) and not (rows.dtype.kind in "iu" and rows.min() >= 0 and rows.max() < self.num_envs)):
            raise ValueError(f"rows {rows.tolist()} do not all exist: rows are ints, 0 to {self.num_envs - 1}")
        return _as_ints(rows)

    def _check_seats(self, seats: np.ndarray, rows: np.ndarray) -> np.ndarray:
        seats = np.asarray(seats)
        fit = seats.shape == rows.shape and (not len(seats) or (seats.dtype.kind in "iu" and seats.min() >= 0))
        if not fit or (len(seats) and seats.max() >= self.num_players):
            raise ValueError(f"seats {seats.tolist()} do not fit: give an int, 0 to {self.num_players - 1}, for each of {len(rows)} rows")
        return _as_ints(seats)

    def _check_actions(self, actions: np.ndarray, rows: np.ndarray) -> None:
        k = _first_illegal(actions, rows, self._masks, self._terminated, self._truncated, self.autoreset)
        if k < len(rows):
            row = int(rows[k])
            error = self.game.illegal_action(int(actions[k]), int(self._seats[row]), self._masks[row])
            raise ValueError(f"row {row}: {error}")

    def _check_given(self, rows: np.ndarray, decks: Any, dealers: Any, chances: Mapping[str, Sequence[Any]]) -> list[Callable[[], None]]:
        """What is given for new deals, checked, as writes that are to be done once the rest has been drawn."""
        writes: list[Callable[[], None]] = []
        for what, values in {"decks": decks, "dealers": dealers, **chances}.items():
            if values is None:
                continue
            if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
                raise ValueError(f"{what}={values!r} is no list: give one value for each of {len(rows)} rows")
            if len(values) != len(rows):
                raise ValueError(f"{what}: {len(values)} given for {len(rows)} rows")
        if not len(rows):
            return writes
        if decks is not None:
            parsed = self._padded([self._parse_deck(deck, row) for deck, row in zip(decks, rows, strict=True)])
            writes.append(lambda: self._decks.__setitem__(rows, parsed))
        if dealers is not None:
            seats = np.array([self.game.check_dealer(dealer, self.num_players) for dealer in dealers], np.int8)
            writes.append(lambda: self._states["dealer"].__setitem__(rows, seats))
        known = {chance.name: chance for chance in self.game.chances}
        for name, values in chances.items():
            if name not in known:
                raise ValueError(f"chance {name!r} does not exist: {self.game.name} has {', '.join(known) or 'none'}")
            scratch = self._states[rows]
            for state, value in zip(scratch, values, strict=True):
                known[name].read(value, state)
            writes.append(lambda name=name, scratch=scratch: self._states[name].__setitem__(rows, scratch[name]))  # type: ignore[misc]
        return writes

    def _padded(self, decks: Sequence[np.ndarray]) -> np.ndarray:
        """Decks as the rows of one array."""
        padded = np.full((len(decks), self.game.largest_deck), NO_CARD, np.int8)
        for row, deck in enumerate(decks):
            padded[row, : len(deck)] = deck
        return padded

    def _parse_deck(self, deck: Any, row: int) -> np.ndarray:
        options = self.game.options_of(self._states[row])  # the row's: a restored deal has brought its own
        if isinstance(deck, np.ndarray) and deck.dtype.kind in "iu":
            names, size = self.game.card_names, len(deck)
            while size > 1 and deck[size - 1] == NO_CARD:  # as in `decks`
                size -= 1
            deck = [names[card] if 0 <= card < len(names) else str(card) for card in deck[:size]]
        return self.game.parse_deck(deck, self.num_players, options)


@compiled
def _first_illegal(actions, rows, masks, terminated, truncated, autoreset):
    """The first k for which the mask of row `rows[k]` forbids `actions[k]`, or how many there are; in an ended deal any action does."""
    for k in range(len(rows)):
        row, action = rows[k], actions[k]
        if not autoreset and (terminated[row] or truncated[row]):
            continue
        if action < 0 or action >= masks.shape[1] or not masks[row, action]:
            return k
    return len(rows)


def _mix(numbers: np.ndarray) -> np.ndarray:
    """Streams of `penzoo.envs.rng` from numbers that may be alike, uint64 (the finalizer of SplitMix64, Steele, Lea and Flood 2014)."""
    for shift, factor in _MIXERS:
        numbers = (numbers ^ (numbers >> shift)) * factor
    numbers = numbers ^ (numbers >> _LAST_SHIFT)
    numbers[numbers == 0] = 1
    return numbers


def _as_actions(actions: Any, rows: np.ndarray) -> np.ndarray:
    """As `_as_ints`, an action for each row. ValueError if they are none."""
    actions = np.asarray(actions)
    if actions.shape != rows.shape or (len(rows) and actions.dtype.kind not in "iu"):
        raise ValueError(f"actions of shape {actions.shape} and dtype {actions.dtype} do not fit: give {len(rows)} ints, one a row")
    return _as_ints(actions)


def _as_ints(array: np.ndarray) -> np.ndarray:
    """As int64, contiguous and read-only: always the same type to numba, whatever the caller has."""
    return read_only(np.ascontiguousarray(array, np.int64))


_KIND = "a batch"
_PER_ROW = ("states", "decks", "observations", "masks", "seats", "rewards", "returns", "terminated", "truncated")
