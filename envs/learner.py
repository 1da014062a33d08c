"""Many deals seen by one learner in each: the other seats are played in between, and what falls meanwhile is the learner's too."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from penzoo.envs.batch import Batch

LEARNER = -1  # in an assignment: the learner's seat
_MAX_EMPTY_DEALS = 1000
_SEED_BOUND = 2**63  # of the actors' seeds


class Actor(Protocol):
    """What plays the other seats: any agent of `penzoo.agents`, asked as `Batch.ask` does it.

    One with a chance of its own may have a method `reseed(seed)`, which begins that chance anew; a seeded `LearnerBatch.begin` calls it.
    """

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """An action for each row of observations and masks."""
        ...


Seating = Callable[[int, np.random.Generator], np.ndarray]
"""(deals, generator) -> int of shape (deals, players): LEARNER in the learner's seat, elsewhere the index of the actor who sits there."""


def fixed_seating(players: int, actors: int, seat: int | None = None) -> Seating:
    """The actors, beginning anew where they are too few, on the seats that follow the learner's.

    Args:
        players: at the table.
        actors: how many there are.
        seat: the learner's; None draws it for each deal.
    """
    return functools.partial(_sit_after_learner, players, actors, seat)


def _sit_after_learner(players: int, actors: int, seat: int | None, deals: int, generator: np.random.Generator) -> np.ndarray:
    seats = generator.integers(players, size=deals) if seat is None else np.full(deals, seat)
    after = (np.arange(players) - seats[:, None]) % players  # how many seats after the learner's
    return np.where(after == 0, LEARNER, (after - 1) % actors)


class LearnerBatch:
    """A batch in which every decision that is shown is the learner's.

    Attributes:
        batch: the deals; one that has ended stays until `begin`.
        actors: whom the assignments count; may be exchanged between deals.
        seats: int64 of shape (num_envs,), the learner's seat in each deal.
        assignment: int64 of shape (num_envs, num_players), as `Seating` gives it.
        rewards: float64 of shape (num_envs,), what came to the learner's seat since its decision before, by whosever move; the first of
            a deal also holds what came before it.

    Args:
        batch: made with `autoreset=False`.
        actors: who plays the other seats.
        seating: who sits where, drawn for each deal.
        seed: of the seating.

    Raises:
        ValueError: the batch begins new deals by itself.
    """

    def __init__(self, batch: Batch, actors: Sequence[Actor], seating: Seating, seed: int | None = None) -> None:
        if batch.autoreset:
            raise ValueError("a LearnerBatch begins its deals itself: make the Batch with autoreset=False")
        self.batch = batch
        self.actors = list(actors)
        self.seating = seating
        self.seats = np.zeros(batch.num_envs, np.int64)
        self.assignment = np.full((batch.num_envs, batch.num_players), LEARNER, np.int64)
        self.rewards = np.zeros(batch.num_envs)
        self.generator = np.random.default_rng(seed)
        self._owed = np.zeros(batch.num_envs)
        self._all_rows = np.arange(batch.num_envs)

    @property
    def asked(self) -> np.ndarray:
        """Bool of shape (num_envs,): the learner is to move."""
        return (self.batch.seats == self.seats) & ~self.batch.ended

    def begin(
        self,
        rows: np.ndarray | None = None,
        seed: int | Sequence[int | None] | None = None,
        given: Mapping[str, Any] | None = None,
        seating: Seating | None = None,
    ) -> None:
        """Begin new deals, and play them to the learner's first decision. A deal that ends before it is followed by another.

        Args:
            rows: which, int; None for all.
            seed: of the deals, as `Batch.reset` takes it, of the seating, and of the actors that have a chance of their own; None lets
                all of them run on.
            given: decks, dealers or chances as `Batch.reset` takes them.
            seating: for these deals; None for the usual one.

        Raises:
            ValueError: what is given is impossible (nothing has changed then), or a given deal never asks the learner.
        """
        rows = self._all_rows if rows is None else np.asarray(rows, np.int64)
        seating = self.seating if seating is None else seating
        for _ in range(_MAX_EMPTY_DEALS):
            self.batch.reset(seed, rows, **(given or {}))
            if seed is not None:
                self._reseed(seed)
            self.assignment[rows] = seating(len(rows), self.generator)
            self.seats[rows] = np.argmax(self.assignment[rows] == LEARNER, axis=1)
            self.rewards[rows] = 0
            self._advance(rows)
            self._owed[rows] = self.rewards[rows]
            rows, seed = rows[self.batch.ended[rows]], None
            if not len(rows):
                return
            if given:
                break
        raise ValueError(f"the learner in seat {self.seats[rows[0]]} is never asked: every deal ends before its first decision")

    def step(self, actions: np.ndarray, rows: np.ndarray | None = None) -> None:
        """Play the learner's actions, and the others' until it is to move again or the deal has ended.

        Args:
            actions: int of shape (number of rows,).
            rows: which, int; None for all. None of them may have ended.

        Raises:
            ValueError: an action is illegal; nothing has changed then.
        """
        rows = self._all_rows if rows is None else rows
        self.batch.step(actions, rows)
        self.rewards[rows] = self._owed[rows] + self._came(rows)
        self._owed[rows] = 0
        self._advance(rows)

    def observe(self, rows: np.ndarray | None = None) -> np.ndarray:
        """What the learner sees: a new float32 array of shape (number of rows, observation size), right also after the end."""
        rows = self._all_rows if rows is None else rows
        return self.batch.observe(self.seats[rows], rows)

    def _reseed(self, seed: int | Sequence[int | None]) -> None:
        self.generator = np.random.default_rng([each for each in seed if each is not None] if isinstance(seed, Sequence) else seed)
        for actor, own in zip(self.actors, self.generator.integers(_SEED_BOUND, size=len(self.actors)).tolist(), strict=True):
            reseed = getattr(actor, "reseed", None)
            if reseed is not None:
                reseed(own)

    def _came(self, rows: np.ndarray) -> np.ndarray:
        return self.batch.rewards[rows, self.seats[rows]]

    def _advance(self, rows: np.ndarray) -> None:
        """Play the other seats until the learner is to move or the deal has ended."""
        batch = self.batch
        while len(rows) > 1:
            rows = rows[(batch.seats[rows] != self.seats[rows]) & ~batch.ended[rows]]
            if len(rows):
                batch.step(self._choose(rows), rows)
                self.rewards[rows] += self._came(rows)
        if len(rows):
            self._advance_one(rows)

    def _advance_one(self, rows: np.ndarray) -> None:
        """The same in a single row, several times as fast: a batch of one, and the last that a batch waits for."""
        batch, row = self.batch, int(rows[0])
        learner, every = int(self.seats[row]), None if batch.num_envs == 1 else rows
        while not (batch.seats.item(row) == learner or batch.terminated.item(row) or batch.truncated.item(row)):
            actor = self.actors[self.assignment.item(row, batch.seats.item(row))]
            batch.step(batch.ask(actor, every), every)
            self.rewards[row] += batch.rewards.item(row, learner)

    def _choose(self, rows: np.ndarray) -> np.ndarray:
        who = self.assignment[rows, self.batch.seats[rows]]
        actions = np.empty(len(rows), np.int64)
        for index in np.unique(who):
            mine = who == index
            actions[mine] = self.batch.ask(self.actors[index], rows[mine])
        return actions
