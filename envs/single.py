"""The Gymnasium environment of any game: one learner among given opponents, a deal an episode."""

import operator
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded

from penzoo.envs.game import Game
from penzoo.envs.learner import Actor
from penzoo.envs.learner_tables import METADATA, LearnerTables

_ROW = np.zeros(1, np.int64)


class SingleEnv(gymnasium.Env[np.ndarray, np.int64]):
    """One deal in which every step is a decision of the learner; the moves of the others are played in between.

    An observation is float32 of shape (size,) in [-1, 1], what the learner's seat sees (`game.observation_layout`). The reward of a step
    is all that has come to the learner since its decision before, by whosever move. Infos hold `action_mask` (int8 of shape (number of
    actions,), all 0 once the deal has ended), `seat` (the learner's), and at the end `returns` (float64 of shape (num_players,), the sums
    of the rewards of each seat); there also, unless an illegal action ended the deal, what the game tells of each seat (`game.infos`), as
    arrays of shape (num_players,): in Kunken `score`, int64, and `express`, bool. Every array is the caller's own.

    A seed gives the same deals as the PettingZoo environment and `Batch` give by it; it also seeds the draws of the learner's seat, and
    those opponents that have a method `reseed`.

    Args:
        game: of `penzoo.envs.GAMES`.
        opponents: who play the other seats, beginning with the one after the learner's; begun anew where they are too few.
        num_players: at the table; the game's default if None.
        render_mode: None, "ansi" (`render` returns a screen of text) or "human" (it is printed whenever the learner is asked).
        options: `seat`, `illegal`, `illegal_reward`, `reveal` and `match` of `penzoo.envs.learner_tables.LearnerTables`, and the game's
            rule options.

    Raises:
        ValueError: an argument or an option is impossible.
    """

    metadata = METADATA

    def __init__(
        self,
        game: Game,
        opponents: Sequence[Actor],
        num_players: int | None = None,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game, self.render_mode = game, render_mode
        self.tables = LearnerTables(game, 1, opponents, num_players, render_mode, **options)
        self.observation_space, self.action_space = self.tables.observation_space, self.tables.action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin a deal, and play it to the learner's first decision.

        Args:
            seed: begin all chance anew; None lets it run on.
            options: what is given of the deal: `deck` (all card names in the order in which they leave the deck), `dealer` (a seat), what
                else the game draws (in Пень `trump_card`, in Pengingan `reshuffled`, in Kunken `recycled`), and `seat`, the learner's in
                this deal; what is left out is drawn.

        Returns:
            Observation and info.

        Raises:
            ValueError: what is given is impossible (the deal in play is untouched then), or the given deal never asks the learner.
        """
        if seed is None and self._np_random is None:
            seed = self.np_random_seed  # so that what follows can be had again by this seed
        super().reset(seed=seed)
        self.tables.learner.generator = self.np_random
        self.tables.begin(_ROW, seed, options)
        self._np_random = self.tables.learner.generator
        self._show()
        return self.tables.observe()[0], self._info()

    def step(self, action: int | np.integer[Any]) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """Play an action, and go on to the learner's next decision or the end of the deal.

        Args:
            action: an int of `action_space`, legal by the mask.

        Returns:
            Observation, reward, terminated, truncated, info.

        Raises:
            ValueError: the action is illegal, unless `illegal` is "terminate"; nothing has changed then.
            ResetNeeded: no deal has begun, or it has ended.
        """
        if self.tables.needs_reset[0]:
            raise ResetNeeded("the learner has nothing to decide: call reset() first, and again after every deal that has ended")
        rewards, terminated, truncated = self.tables.step(self._as_actions(action), _ROW)
        self._show()
        return self.tables.observe()[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._info()

    def action_masks(self) -> np.ndarray:
        """int8 of shape (number of actions,): what the learner may do; the name under which sb3-contrib looks for it."""
        return self.tables.action_masks()[0]

    def render(self) -> str | None:
        """The deal as text, as the learner sees it: returned in render mode "ansi", printed in "human"."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render mode: give make(…, render_mode='ansi') or 'human'")
            return None
        text = self.tables.text(0)
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """End the batch's threads."""
        self.tables.batch.close()

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _info(self) -> dict[str, Any]:
        tables = self.tables
        info = {"action_mask": tables.action_masks()[0], "seat": int(tables.learner.seats[0])}
        if not tables.needs_reset[0]:
            return info
        told = tables.infos(_ROW) if tables.ended_by_rules[0] else {}
        return {**info, "returns": tables.returns()[0], **{name: array[0] for name, array in told.items()}}

    def _as_actions(self, action: Any) -> np.ndarray:
        try:
            return np.array([operator.index(action)], np.int64)
        except (TypeError, OverflowError):
            raise ValueError(f"action {action!r} is no action: actions are the ints 0 to {len(self.game.actions) - 1}") from None
