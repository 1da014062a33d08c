"""The Gymnasium vector environment of any game: many deals, each with one learner among given opponents, as one batch."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from penzoo.envs.game import Game
from penzoo.envs.learner import Actor
from penzoo.envs.learner_tables import METADATA, LearnerTables

_RESET_MASK = "reset_mask"


class BatchVectorEnv(VectorEnv[np.ndarray, np.ndarray, np.ndarray]):
    """As many `SingleEnv` as wished, without a Python object for each.

    Observations are float32 of shape (num_envs, size), rewards float64 and ends bool of shape (num_envs,). Infos hold `action_mask` (int8
    of shape (num_envs, number of actions)) and `seat` (int64 of shape (num_envs,)), and in a step that ended deals `returns` (float64 of
    shape (num_envs, num_players)) and, of the deals that no illegal action ended, what the game tells of each seat (`game.infos`; in
    Kunken `score`, int64, and `express`, bool, both of that shape), each with the mask `_action_mask`, … of the rows that have it. Every
    array is the caller's own.

    Autoreset, as in Gymnasium's own vector environments: by default the step after the end of a deal ignores that row's action (its mask
    is all 0) and begins the next one; SAME_STEP begins it at once, with the end in `final_obs` and `final_info`; DISABLED leaves it to
    `reset(options={"reset_mask": …})`.

    Row k of a batch that was seeded with s plays the deals of a `SingleEnv` that was seeded with s + k. Opponents are asked for all rows
    at once, so those with a chance of their own, and a drawn seat, do not go by rows.

    Args:
        game: of `penzoo.envs.GAMES`.
        num_envs: how many deals.
        opponents: who play the other seats, beginning with the one after the learner's; begun anew where they are too few.
        num_players: at each table; the game's default if None.
        render_mode: None, "ansi" (`render` returns a screen of text for each deal) or "human" (they are printed at every step).
        autoreset_mode: of `gymnasium.vector.AutoresetMode`, or its value.
        options: `seat`, `illegal`, `illegal_reward`, `reveal`, `match` and `threads` of `penzoo.envs.learner_tables.LearnerTables`, and
            the game's rule options.

    Raises:
        ValueError: an argument or an option is impossible.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        opponents: Sequence[Actor],
        num_players: int | None = None,
        render_mode: str | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        **options: Any,
    ) -> None:
        self.game, self.num_envs, self.render_mode = game, num_envs, render_mode
        self.autoreset_mode = _as_mode(autoreset_mode)
        self.metadata = {**METADATA, "autoreset_mode": self.autoreset_mode}
        self.tables = LearnerTables(game, num_envs, opponents, num_players, render_mode, **options)
        self.single_observation_space, self.single_action_space = self.tables.observation_space, self.tables.action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._has_begun = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin new deals, and play them to the learner's first decisions.

        Args:
            seed: s, for the seeds s, s + 1, … of the rows, or a list of them; None lets all chance run on, also within a list.
            options: as for `SingleEnv.reset`, for every deal; and `reset_mask`, bool of shape (num_envs,), which deals to begin.

        Returns:
            Observations and infos, of all rows.

        Raises:
            ValueError: a seed or an option is impossible.
        """
        options = dict(options or {})
        rows = self._rows(options.pop(_RESET_MASK, None))
        seeds = self._seeds(seed, rows)
        self.tables.learner.generator = self.np_random
        self._begin(rows, seeds, options)
        self._np_random = self.tables.learner.generator
        self._has_begun = True
        self._show()
        return self.tables.observe(), self._infos(np.ones(self.num_envs, np.bool_))

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Play an action in each deal, and go on to the learner's next decision or the end of the deal.

        Args:
            actions: int of shape (num_envs,), legal by the masks; any in a row that this step resets.

        Returns:
            Observations, rewards, terminations, truncations, infos.

        Raises:
            ValueError: an action is illegal, unless `illegal` is "terminate", or the array does not fit; nothing has changed then.
            ResetNeeded: a deal has ended or not begun, and is not reset by this step.
        """
        actions = self._check_actions(actions)
        waiting = self.tables.needs_reset
        if not self._has_begun or (waiting.any() and self.autoreset_mode is not AutoresetMode.NEXT_STEP):
            raise ResetNeeded(
                f"rows {np.flatnonzero(waiting).tolist()} have no deal in play: call reset() first, with DISABLED also after each end"
            )
        rewards, terminated, truncated = self.tables.step(actions[~waiting], np.flatnonzero(~waiting))
        self._begin(np.flatnonzero(waiting))
        observations, infos = self._after(terminated | truncated)
        self._show()
        return observations, rewards, terminated, truncated, infos

    def _after(self, ended: np.ndarray) -> tuple[np.ndarray, dict[str, Any]]:
        """Observations and infos; with SAME_STEP those of the deals that follow."""
        rows = np.flatnonzero(ended)
        if self.autoreset_mode is not AutoresetMode.SAME_STEP or not len(rows):
            return self.tables.observe(), self._infos(np.ones(self.num_envs, np.bool_), ended)
        observations = np.full(self.num_envs, None, np.object_)
        for row, observation in zip(rows.tolist(), self.tables.learner.observe(rows), strict=True):
            observations[row] = observation
        final = {
            "final_obs": observations,
            "_final_obs": ended.copy(),
            "final_info": self._infos(ended, ended),
            "_final_info": ended.copy(),
        }
        self._begin(rows)
        return self.tables.observe(), {**final, **self._infos(np.ones(self.num_envs, np.bool_))}

    def _infos(self, shown: np.ndarray, ended: np.ndarray | None = None) -> dict[str, Any]:
        """The infos of the rows shown, and how those that have ended came out; both bool of shape (num_envs,)."""
        values = {"action_mask": (self.tables.action_masks(), shown), "seat": (self.tables.learner.seats.copy(), shown)}
        if ended is not None and ended.any():
            values |= {"returns": (self.tables.returns(), ended), **self._told(ended & self.tables.ended_by_rules)}
        infos: dict[str, Any] = {}
        for name, (array, rows) in values.items():
            array[~rows] = array.dtype.type()  # 0, False or no text
            infos[name], infos[f"_{name}"] = array, rows.copy()
        return infos

    def _told(self, rows: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """What the game tells of the rows, bool of shape (num_envs,): for each name an array with a row for each deal, and the rows."""
        found = self.tables.infos(np.flatnonzero(rows)) if rows.any() else {}
        whole = {name: np.zeros((self.num_envs, *array.shape[1:]), array.dtype) for name, array in found.items()}
        for name, array in found.items():
            whole[name][rows] = array
        return {name: (array, rows) for name, array in whole.items()}

    def action_masks(self) -> np.ndarray:
        """int8 of shape (num_envs, number of actions): what the learner may do in each deal; all 0 in one that has ended."""
        return self.tables.action_masks()

    def render(self) -> tuple[str, ...] | None:
        """The deals as text, as the learner sees them: returned in render mode "ansi", printed in "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render mode: give make_vec(…, render_mode='ansi') or 'human'")
            return None
        texts = tuple(self.tables.text(row) for row in range(self.num_envs))
        if self.render_mode == "ansi":
            return texts
        for row, text in enumerate(texts):
            print(f"[{row}] {text}", end="\n\n")
        return None

    def close_extras(self, **kwargs: Any) -> None:
        """End the batch's threads."""
        if "tables" in vars(self):  # Gymnasium closes also what could not be made
            self.tables.batch.close()

    def _begin(self, rows: np.ndarray, seeds: list[int | None] | None = None, options: dict[str, Any] | None = None) -> None:
        if len(rows):
            self.tables.begin(rows, seeds, options)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _rows(self, reset_mask: Any) -> np.ndarray:
        if reset_mask is None:
            return np.arange(self.num_envs)
        if not isinstance(reset_mask, np.ndarray) or reset_mask.shape != (self.num_envs,) or reset_mask.dtype != np.bool_:
            raise ValueError(f"reset_mask={reset_mask!r} is not possible: it takes a bool array of shape ({self.num_envs},)")
        if not reset_mask.any():
            raise ValueError(f"reset_mask={reset_mask!r} names no row: at least one must be True")
        return np.flatnonzero(reset_mask)

    def _seeds(self, seed: int | Sequence[int | None] | None, rows: np.ndarray) -> list[int | None] | None:
        """A seed for each of the rows."""
        if seed is None and self._np_random is None:
            seed = self.np_random_seed  # so that what follows can be had again by this seed
        if seed is None:
            return None
        if not isinstance(seed, Sequence | np.ndarray):
            super().reset(seed=seed)
            return [seed + row for row in rows.tolist()]
        if len(seed) != self.num_envs:
            raise ValueError(f"seed: {len(seed)} given for {self.num_envs} rows: give one for each, or one int")
        seeds = [seed[row] for row in rows.tolist()]
        if all(each is None for each in seeds):
            return None
        self._np_random_seed = -1  # Gymnasium's mark of a generator that is not of one seed
        return seeds

    def _check_actions(self, actions: Any) -> np.ndarray:
        array = np.asarray(actions)
        if array.shape != (self.num_envs,) or array.dtype.kind not in "iu":
            raise ValueError(f"actions of shape {array.shape} and dtype {array.dtype} do not fit: give {self.num_envs} ints, one a row")
        return array.astype(np.int64, copy=False)


def _as_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        modes = ", ".join(repr(each.value) for each in AutoresetMode)
        raise ValueError(f"autoreset_mode={mode!r} is not possible: it takes a gymnasium.vector.AutoresetMode or one of {modes}") from None
