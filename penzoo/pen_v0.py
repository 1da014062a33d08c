"""Пень as PettingZoo environments. The rules: `penzoo/envs/pen/RULES.md`."""

from typing import Any

from penzoo.envs.aec import CheckedEnv, RawEnv
from penzoo.envs.pen import GAME

__all__ = ["GAME", "env", "raw_env"]


def env(num_players: int | None = None, render_mode: str | None = None, **options: Any) -> CheckedEnv:
    """The environment to use: illegal actions, actions out of bounds and calls out of order are dealt with as PettingZoo's wrappers do.

    Args:
        num_players: 2 to 6; 3 if None.
        render_mode: None, "ansi" or "human".
        options: the rule options `must_beat`, `payoff`, `max_moves` (or `max_cycles`) and `auto_single`, and for smaller games
            `lowest_rank`, `highest_rank`, `suits`, `hand_size` and `stump_size`; `illegal` and `illegal_reward` of
            `penzoo.envs.aec.CheckedEnv`; `reveal`, `viewer` and `match` of `RawEnv`.

    Raises:
        ValueError: an argument or an option is impossible.
    """
    return CheckedEnv(GAME, num_players, render_mode, **options)


def raw_env(num_players: int | None = None, render_mode: str | None = None, **options: Any) -> RawEnv:
    """The same without those promises, for wrappers of one's own; illegal actions are ValueErrors. Arguments as for `env`."""
    return RawEnv(GAME, num_players, render_mode, **options)
