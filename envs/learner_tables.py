"""What both Gymnasium environments are made of: tables at which one learner sits among given opponents."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from gymnasium import spaces

from penzoo.envs.batch import Batch
from penzoo.envs.game import Game
from penzoo.envs.learner import Actor, LearnerBatch, Seating, fixed_seating
from penzoo.envs.options import RAISE, RENDER_MODES, TERMINATE, check_choice

METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}


class StepResult(NamedTuple):
    """What a step brought; arrays of shape (num_envs,), 0 and False at the tables where it did not play."""

    rewards: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray


class LearnerTables:
    """A `LearnerBatch` with what the environments add to it: illegal actions, reset's options, and whose turn it is to reset.

    Args:
        game: of `penzoo.envs.GAMES`.
        num_envs: how many tables.
        opponents: who play the other seats, beginning with the one after the learner's; begun anew where they are too few.
        num_players: at each table; the game's default if None.
        render_mode: None, "ansi" or "human".
        seat: the learner's; None draws it for each deal.
        illegal: "raise" makes an illegal action a ValueError, "terminate" ends the deal with `illegal_reward` for the learner.
        illegal_reward: what it costs, in the game's unit: -1 is the worst payoff in Пень, but one chip in Pengingan, one
            point in Kunken.
        reveal: show hidden cards in the rendered text.
        match: after a deal that has ended the next dealer is the one that the rules name; else the dealer is drawn for each deal.
        threads: how many work on a step.
        options: the game's rule options.

    Raises:
        ValueError: an argument or an option is impossible.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Actor],
        num_players: int | None,
        render_mode: str | None,
        *,
        seat: int | None = None,
        illegal: str = RAISE,
        illegal_reward: float = -1.0,
        reveal: bool = False,
        match: bool = False,
        threads: int = 1,
        **options: Any,
    ) -> None:
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        check_choice("illegal", illegal, (RAISE, TERMINATE))
        # completed first, so that no option can be taken for another argument of Batch
        options = game.complete_options(options)
        batch = Batch(game, num_envs, threads=threads, num_players=num_players, autoreset=False, match=match, **options)
        self.game, self.illegal, self.illegal_reward, self.reveal = game, illegal, float(illegal_reward), reveal
        self.batch, self._opponents = batch, len(opponents)
        if not 1 <= len(opponents) < batch.num_players:
            raise ValueError(f"opponents: {len(opponents)} given for {batch.num_players} players: give 1 to {batch.num_players - 1}")
        self.learner = LearnerBatch(batch, opponents, self._seating(seat))
        self._is_stopped = np.ones(num_envs, np.bool_)  # not dealt yet, or ended by an illegal action

    @property
    def observation_space(self) -> spaces.Box:
        """Of one table."""
        return spaces.Box(-1.0, 1.0, self.batch.observations.shape[1:], np.float32)

    @property
    def action_space(self) -> spaces.Discrete:
        """Of one table."""
        return spaces.Discrete(len(self.game.actions))

    @property
    def ended_by_rules(self) -> np.ndarray:
        """Bool of shape (num_envs,): the deal has been played to its end or truncated, and not ended by an illegal action."""
        return self.batch.ended & ~self._is_stopped

    @property
    def needs_reset(self) -> np.ndarray:
        """Bool of shape (num_envs,): the learner has nothing to decide here until the next deal."""
        return self._is_stopped | ~self.learner.asked

    # ------------------------------------------------------------------------------------------------------------------- play

    def begin(self, rows: np.ndarray, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin new deals.

        Args:
            rows: which, int.
            seed: as `LearnerBatch.begin` takes it.
            options: what is given of the deals, the same in each: `deck`, `dealer`, what else the game draws, and `seat`, the learner's.

        Raises:
            ValueError: an option that does not exist or is impossible.
        """
        given, seating = self._read(dict(options or {}), len(rows))
        self.learner.begin(rows, seed, given, seating)
        self._is_stopped[rows] = False

    def step(self, actions: np.ndarray, rows: np.ndarray) -> StepResult:
        """Play the learner's actions, int of shape (number of rows,), at tables where it has something to decide.

        Raises:
            ValueError: an action is illegal, and this is to be an error; nothing has changed then.
        """
        legal = self._are_legal(actions, rows)
        if self.illegal == RAISE and not legal.all():
            raise self._illegal_action(actions, rows, int(np.argmin(legal)))
        played, forfeited = rows[legal], rows[~legal]
        self._is_stopped[forfeited] = True
        self.learner.step(actions[legal], None if len(played) == self.batch.num_envs else played)
        count = self.batch.num_envs
        result = StepResult(np.zeros(count), np.zeros(count, np.bool_), np.zeros(count, np.bool_))
        result.rewards[played] = self.learner.rewards[played]
        result.rewards[forfeited] = self.illegal_reward
        result.terminated[played] = self.batch.terminated[played]
        result.terminated[forfeited] = True
        result.truncated[played] = self.batch.truncated[played]
        return result

    def _are_legal(self, actions: np.ndarray, rows: np.ndarray) -> np.ndarray:
        exists = (actions >= 0) & (actions < self.batch.masks.shape[1])
        return exists & (self.batch.masks[rows, np.where(exists, actions, 0)] == 1)

    def _illegal_action(self, actions: np.ndarray, rows: np.ndarray, k: int) -> ValueError:
        row = int(rows[k])
        error = self.game.illegal_action(int(actions[k]), int(self.batch.seats[row]), self.batch.masks[row])
        return error if self.batch.num_envs == 1 else ValueError(f"row {row}: {error}")

    # ------------------------------------------------------------------------------------------- what the learner gets; new arrays

    def observe(self) -> np.ndarray:
        """float32 of shape (num_envs, observation size): what the learner sees, also after the end."""
        observations = self.batch.observations.copy()  # where the learner is to move they are its own
        others = np.flatnonzero(~self.learner.asked)
        if len(others):
            observations[others] = self.learner.observe(others)
        return observations

    def action_masks(self) -> np.ndarray:
        """int8 of shape (num_envs, number of actions): 1 where the learner may act so; all 0 where the deal has ended."""
        masks = self.batch.masks.copy()
        masks[self.needs_reset] = 0
        return masks

    def returns(self) -> np.ndarray:
        """float64 of shape (num_envs, num_players): the sums of the rewards of each seat in a deal that has ended."""
        returns = self.batch.returns.copy()
        forfeited = np.flatnonzero(self._is_stopped)
        returns[forfeited, self.learner.seats[forfeited]] += self.illegal_reward
        return returns

    def infos(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """What the game tells of deals that have ended by its rules (`game.infos`).

        Args:
            rows: which, int; at least one.

        Returns:
            By name arrays of shape (number of rows, num_players), an entry for each seat: int64, float64 or bool, as the values are.
        """
        told = [self.game.infos(self.batch.states[row]) for row in rows.tolist()]
        return {name: np.array([[info[name] for info in seats] for seats in told]) for name in told[0][0]}

    def text(self, row: int) -> str:
        """A table as the learner sees it; with `reveal` the whole of it."""
        return self.game.text(self.batch.states[row], int(self.learner.seats[row]), self.reveal)

    # ---------------------------------------------------------------------------------------------------------------- private

    def _read(self, options: dict[str, Any], count: int) -> tuple[dict[str, Any], Seating | None]:
        """Reset's options as `LearnerBatch.begin` takes them."""
        chances = {chance.name: [options.pop(chance.name)] * count for chance in self.game.chances if chance.name in options}
        given = {f"{name}s": [options.pop(name)] * count for name in ("deck", "dealer") if options.get(name) is not None}
        seating = self._seating(options.pop("seat")) if "seat" in options else None
        unknown = [name for name in options if name not in ("deck", "dealer")]
        if unknown:
            known = ", ".join(("deck", "dealer", *(chance.name for chance in self.game.chances), "seat"))
            raise ValueError(f"reset option {unknown[0]!r} does not exist: reset takes {known}; rule options go to make()")
        return {**given, **({"chances": chances} if chances else {})}, seating

    def _seating(self, seat: int | None) -> Seating:
        players = self.batch.num_players
        if seat is not None and (isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < players):
            raise ValueError(f"seat={seat!r} does not exist: with {players} players the seats are 0 to {players - 1}; None draws one")
        return fixed_seating(players, self._opponents, None if seat is None else int(seat))
