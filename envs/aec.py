"""The PettingZoo AEC environment of any game: one deal, one compiled call a step.

`env()` returns a `CheckedEnv`, which keeps the promises of PettingZoo's usual wrapper stack (TerminateIllegal, AssertOutOfBounds,
OrderEnforcing) inside one class: forwarding every attribute through three wrappers would cost most of the speed. `raw_env()` returns a
`RawEnv`, for those who put wrappers of their own around it.
"""

import copy
import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable
from pettingzoo.utils.env_logger import EnvLogger

from penzoo.envs import snapshot
from penzoo.envs.batch import Batch
from penzoo.envs.game import Game
from penzoo.envs.jit import direct
from penzoo.envs.loops import EVENT
from penzoo.envs.options import RAISE, RENDER_MODES, TERMINATE, check_choice, check_int
from penzoo.envs.record import Record

_KIND = "an environment"
_AFTER_RESET = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "_cumulative_rewards")
_PROBE = "options"  # PettingZoo's api_test resets with this key, to see that options are taken at all


class RawEnv(AECEnv[str, dict[str, np.ndarray], int]):
    """One deal as a PettingZoo AEC environment.

    Agents are `player_0` … in the order of the seats. An observation is a dict of `observation`, float32 of shape (size,) in [-1, 1]
    (`game.observation_layout`), and `action_mask`, int8 of shape (number of actions,), all zeros for an agent that is not to move.
    Both are the caller's own. An agent that goes out during the deal stays an agent until the end. Rewards are known at the step that
    pays them: in Пень the last one. Infos are empty until the rules end or truncate the deal; then each agent's hold what the game tells
    of its seat (`game.infos`): in Kunken `score` and `express`.

    Args:
        game: of `penzoo.envs.GAMES`.
        num_players: at the table; the game's default if None.
        render_mode: None, "ansi" (`render` returns a screen of text) or "human" (it is printed at each step).
        reveal: show hidden cards in the rendered text.
        viewer: the agent whose cards the text shows; None shows what everybody sees.
        match: after a deal that has ended the next dealer is the one that the rules name; else the dealer is drawn for each deal.
        max_cycles: PettingZoo's word for `max_moves`: truncate after so many decisions for each player.
        options: the game's rule options.

    Raises:
        ValueError: an argument or an option is impossible.
    """

    def __init__(
        self,
        game: Game,
        num_players: int | None = None,
        render_mode: str | None = None,
        *,
        reveal: bool = False,
        viewer: str | None = None,
        match: bool = False,
        max_cycles: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        players = game.check_players(game.default_players if num_players is None else num_players)
        if max_cycles is not None:
            options = _with_max_cycles(max_cycles, players, options)
        self.game = game
        self.render_mode = render_mode
        self.reveal = reveal
        self.metadata = {"name": game.id, "render_modes": list(RENDER_MODES), "is_parallelizable": False, "render_fps": 1}
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._viewer = None if viewer is None else self._seat(viewer)
        self._ended = True  # no deal yet: what needs one looks whether it has been dealt, off the fast path
        complete = game.complete_options(options)  # first, so that no option can be taken for another argument of Batch
        self._batch = Batch(game, 1, num_players=players, autoreset=False, match=match, **complete)
        self._make_spaces(players)
        self._history = np.zeros(0, np.int16)  # seat and action of each move, flat
        self._bind()

    def _make_spaces(self, players: int) -> None:
        size, actions = self.game.observation_layout(players).size, len(self.game.actions)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(-1.0, 1.0, (size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in self.possible_agents}
        self.state_space = spaces.Box(-1.0, 1.0, (self.game.state_layout(players).size,), np.float32)

    def _bind(self) -> None:
        """Lay state, observation, history and mask onto one desk, which the batch then writes too."""
        loops, batch = self.game.loops, self._batch
        size, moves = batch.observations.shape[1], int(batch.states["max_moves"][0])
        history = np.zeros(2 * moves, np.int16)
        history[: len(self._history)] = self._history[: len(history)]
        parts = [batch.states, batch.observations[0], history, batch.masks[0]]
        self._desk = np.concatenate([part.view(np.uint8) for part in parts])
        self._states, self._observation, self._history, self._mask = loops.desk_parts(self._desk, size, moves)
        batch.adopt(self._states, self._observation[None], self._mask[None])
        self._rewards = self._states["rewards"][0]
        self._copy_observation, self._copy_mask = self._observation.copy, self._mask.copy
        # one number out of a memoryview costs a third of one out of an array
        self._legal, self._mover = memoryview(self._mask), memoryview(self._states["seat"])  # type: ignore[arg-type]
        self._size, self._moves, self._num_actions = size, moves, len(self.game.actions)

    # -------------------------------------------------------------------------------------------------------------- PettingZoo

    def observation_space(self, agent: str) -> spaces.Dict:
        """The agent's observation space, always the same object."""
        return self.observation_spaces[agent]  # type: ignore[return-value]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The agent's action space, always the same object."""
        return self.action_spaces[agent]  # type: ignore[return-value]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a deal.

        Args:
            seed: begin the stream of chance anew; None lets it run on.
            options: what is given of the deal: `deck` (all card names in the order in which they leave the deck), `dealer` (a seat) and
                what else the game draws (in Пень `trump_card`, in Pengingan `reshuffled`, in Kunken `recycled`); what is left out is
                drawn. The rule options stay as they are.

        Raises:
            ValueError: what is given is impossible; the deal in play is untouched then.
        """
        given = dict(options or {})
        given.pop(_PROBE, None)
        chances = {chance.name: [given.pop(chance.name)] for chance in self.game.chances if chance.name in given}
        deck, dealer = given.pop("deck", None), given.pop("dealer", None)
        if given:
            known = ", ".join(["deck", "dealer", *(chance.name for chance in self.game.chances)])
            raise ValueError(f"reset option {next(iter(given))!r} does not exist: reset takes {known}; rule options go to env()")
        self._batch.reset(seed, decks=None if deck is None else [deck], dealers=None if dealer is None else [dealer], chances=chances)
        self._begin()
        if self.render_mode == "human":
            self.render()

    def _begin(self) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self._mover[0]]
        self._skip_agent_selection: str | None = None
        self._returns = [0.0] * self.num_players
        self._paid = False
        self._ended = False
        self._has_updated = True
        self._compile()

    def _compile(self) -> None:
        self._step_one = direct(self.game.loops.step_one, self._desk, 0, self._size, self._moves)

    def step(self, action: int | np.integer | None) -> None:
        """Play an action of `agent_selection`; None for an agent whose deal has ended.

        Raises:
            ValueError: the action is illegal, or not None where it should be; nothing has changed then.
        """
        self._has_updated = True
        if self._ended:
            self._step_ended(action)
            return
        index = action if type(action) is int else self._as_index(action)
        if not 0 <= index < self._num_actions:
            self._refuse_out_of_bounds(action)
        if not self._legal[index]:
            self._refuse_illegal(index)
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        if self._paid:
            self._clear_rewards()
            self._paid = False
        seat = self._step_one(self._desk, index, self._size, self._moves)
        if seat == EVENT:
            self._settle()
        else:
            self.agent_selection = self.possible_agents[seat]
        if self.render_mode == "human":
            self.render()

    def _step_ended(self, action: Any) -> None:
        self._require_reset(EnvLogger.error_step_before_reset)
        self._was_dead_step(action)

    def _settle(self) -> None:
        """Hand out what the last action paid, and end the deal if it did."""
        self._paid = True
        self.agent_selection = self.possible_agents[self._mover[0]]
        for seat, agent in enumerate(self.possible_agents):
            reward = float(self._rewards[seat])
            self._returns[seat] += reward
            self.rewards[agent] = reward
            self._cumulative_rewards[agent] += reward
        terminated, truncated = bool(self._states["terminated"][0]), bool(self._states["truncated"][0])
        if terminated or truncated:
            self.terminations = dict.fromkeys(self.agents, terminated)
            self.truncations = dict.fromkeys(self.agents, truncated)
            self.infos = dict(zip(self.possible_agents, self.game.infos(self._states[0]), strict=True))
            self._end()

    def _end(self) -> None:
        self._ended = True
        self._deads_step_first()

    def _as_index(self, action: Any) -> int:
        """The action as an int, -1 if it is none; takes what `Discrete.contains` takes."""
        if isinstance(action, int | np.integer) or (isinstance(action, np.ndarray) and action.shape == () and action.dtype.kind in "iu"):
            return int(action)
        return -1

    def _refuse_out_of_bounds(self, action: Any) -> None:
        raise ValueError(self._out_of_bounds(action))

    def _out_of_bounds(self, action: Any) -> str:
        return f"action is not in action space: {action!r} was given to {self.agent_selection}, actions are 0 to {self._num_actions - 1}"

    def _refuse_illegal(self, action: int) -> None:
        raise self.game.illegal_action(action, self._mover[0], self._mask)

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees, at any time, also when another is to move and after the end; new arrays."""
        if not self._ended and self._seat_of.get(agent) == self._mover[0]:
            return {"observation": self._copy_observation(), "action_mask": self._copy_mask()}
        self._require_reset(EnvLogger.error_observe_before_reset)
        seats = np.array([self._seat(agent)])
        return {"observation": self._batch.observe(seats)[0], "action_mask": np.zeros(self._num_actions, np.int8)}

    def state(self) -> np.ndarray:
        """The whole deal, hidden cards included: float32 of `state_space` (`game.state_layout`)."""
        self._require_reset(EnvLogger.error_state_before_reset)
        out = np.empty((1, *self.state_space.shape), np.float32)
        self.game.loops.view_rows(self._states, 0, 1, out)
        return out[0]

    def render(self) -> str | None:  # type: ignore[override]
        """The deal as text: returned in render mode "ansi", printed in "human"."""
        self._require_reset(EnvLogger.error_render_before_reset)
        if self.render_mode is None:
            gymnasium.logger.warn("render() does nothing without a render mode: give env(render_mode='ansi') or 'human'")
            return None
        text = self.game.text(self._states[0], self._viewer, self.reveal)
        if self._ended and self._mask.any():
            text += "\n(an illegal action has ended the deal: nobody is to move)"
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """Nothing is held that would need closing."""

    # ------------------------------------------------------------------------------------------------------------ beyond the API

    @property
    def num_players(self) -> int:
        """How many sit at the table, whether or not they are still agents."""
        return len(self.possible_agents)

    @property
    def options(self) -> dict[str, Any]:
        """The rule options with their values."""
        return self.game.options_of(self._states[0])

    def action_name(self, action: int) -> str:
        """The name of an action in the text notation. ValueError if there is none of that index."""
        return self.game.actions.name(action)

    def action_index(self, name: str) -> int:
        """The index of an action by its name; undoes `action_name`. ValueError if there is none of that name."""
        return self.game.actions.index(name)

    def legal_actions(self) -> list[str]:
        """The names of the actions that `agent_selection` may choose from; none after the end."""
        return [] if self._ended else self.game.legal_names(self._mask)

    def ask(self, actor: Any) -> int:
        """The action that an agent chooses for `agent_selection`, to be given to `step`.

        A search gets the deal with all that the seat to move cannot see dealt anew, any other agent gets observation and mask.

        Args:
            actor: of `penzoo.agents.make_agent`, or any object with `act(observations, masks)` or `act_deals(deals, share)`.

        Raises:
            ValueError: the deal has ended.
        """
        self._require_reset(EnvLogger.error_observe_before_reset)
        if self._ended:
            raise ValueError("the deal has ended: nobody is to move, and no agent to ask")
        return int(self._batch.ask(actor)[0])

    def record(self) -> Record:
        """The deal so far as a record that anyone can replay.

        Raises:
            ValueError: nothing has been dealt yet.
        """
        if "agents" not in vars(self):
            raise ValueError("there is nothing to record before reset()")
        state, names = self._states[0], self.game.actions.names
        chances = {chance.name: chance.write(state) for chance in self.game.chances}
        return Record(
            game=self.game.name,
            version=self.game.version,
            players=self.num_players,
            dealer=int(state["dealer"]),
            options=self.game.changed_options(self.options),
            deck=tuple(self.game.card_names[card] for card in self._batch.deck(0)),
            chances={name: value for name, value in chances.items() if value is not None},
            actions=tuple((seat, names[action]) for seat, action in self._moves_made().reshape(-1, 2).tolist()),
            returns=tuple(self._returns),
        )

    # ------------------------------------------------------------------------------------------------------ save, restore, clone

    def save(self) -> bytes:
        """The deal in play, with the stream from which later deals come, as bytes for `restore`.

        Raises:
            ValueError: nothing has been dealt yet.
        """
        if "agents" not in vars(self):
            raise ValueError("there is nothing to save before reset()")
        meta = {name: getattr(self, name) for name in _SAVED}
        arrays = {**self._batch.to_arrays(), "history": self._moves_made()}
        return snapshot.pack(self.game, _KIND, {**meta, "players": self.num_players}, arrays)

    def restore(self, data: bytes) -> None:
        """Put a saved deal in place of the one in play; it goes on as it would have.

        The rule options become those that it was dealt with, also for later deals.

        Raises:
            ValueError: the bytes are no deal of this game, version and number of players; nothing has changed then.
        """
        meta, arrays = snapshot.unpack(self.game, _KIND, data)
        snapshot.check_players(meta["players"], self.num_players)
        missing = [name for name in _SAVED if name not in meta] + ["history"] * ("history" not in arrays)
        if missing:
            raise ValueError(f"this deal was not saved whole: {missing[0]} is missing")
        history, moves = arrays["history"], arrays["states"]["moves"]
        if moves.shape != (1,) or history.shape != (2 * moves[0],) or history.dtype != np.int16:
            raise ValueError(f"this deal is damaged: its history is not of {moves.tolist()} moves")
        self._batch.from_arrays(arrays)
        self._bind()
        self._history[: len(history)] = history
        self._begin()
        for name in _SAVED:
            setattr(self, name, meta[name])

    def clone(self) -> "RawEnv":
        """An independent copy in the same position."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        bound = (
            "_step_one",
            "_desk",
            "_states",
            "_observation",
            "_mask",
            "_legal",
            "_mover",
            "_rewards",
            "_copy_observation",
            "_copy_mask",
        )
        return {name: value for name, value in vars(self).items() if name not in bound}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()
        self._compile()

    # --------------------------------------------------------------------------------------------------------------------- private

    def _require_reset(self, error: Callable[[], None]) -> None:
        """PettingZoo's error, an AssertionError, where there has been no `reset`."""
        if "agents" not in vars(self):
            error()

    def _seat(self, agent: str) -> int:
        try:
            return self._seat_of[agent]
        except KeyError:
            raise ValueError(f"agent {agent!r} does not exist: the agents are {', '.join(self.possible_agents)}") from None

    def _moves_made(self) -> np.ndarray:
        return self._history[: 2 * int(self._states["moves"][0])]


_SAVED = (*_AFTER_RESET, "_skip_agent_selection", "_returns", "_paid", "_ended", "_has_updated")


class CheckedEnv(RawEnv):
    """A `RawEnv` that keeps every promise of PettingZoo's usual wrapper stack: AssertionErrors where the wrappers assert, too.

    Args:
        game, num_players, render_mode, options: as for `RawEnv`.
        illegal: "terminate" ends the deal for all at an illegal action, as TerminateIllegalWrapper does: the offender gets
            `illegal_reward`, the others 0; "raise" raises a ValueError and leaves the deal as it was.
        illegal_reward: what an illegal action costs, in the game's unit: -1 is the worst payoff in Пень, but one chip in Pengingan, one
            point in Kunken.
    """

    def __init__(
        self,
        game: Game,
        num_players: int | None = None,
        render_mode: str | None = None,
        *,
        illegal: str = TERMINATE,
        illegal_reward: float = -1.0,
        **options: Any,
    ) -> None:
        check_choice("illegal", illegal, (TERMINATE, RAISE))
        self.illegal = illegal
        if isinstance(illegal_reward, bool) or not isinstance(illegal_reward, int | float | np.integer | np.floating):
            raise ValueError(f"illegal_reward={illegal_reward!r} is not possible: it takes a number")
        self.illegal_reward = float(illegal_reward)
        super().__init__(game, num_players, render_mode, **options)
        if type(self) is CheckedEnv:
            self.__class__ = _NotResetEnv

    def _begin(self) -> None:
        if type(self) is _NotResetEnv:
            self.__class__ = CheckedEnv
        super()._begin()

    def _refuse_out_of_bounds(self, action: Any) -> None:
        raise AssertionError(self._out_of_bounds(action))

    def _refuse_illegal(self, action: int) -> None:
        if self.illegal == RAISE:
            super()._refuse_illegal(action)
        EnvLogger.warn_on_illegal_move()
        offender = self.agent_selection
        self._cumulative_rewards[offender] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[offender] = self.illegal_reward
        self._accumulate_rewards()
        self._end()

    def _step_ended(self, action: Any) -> None:
        self._require_reset(EnvLogger.error_step_before_reset)
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        if action is not None and self._as_index(action) not in range(self._num_actions):
            self._refuse_out_of_bounds(action)
        self._was_dead_step(action)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What `agent_selection` gets: observation (None unless `observe`), rewards since it last acted, terminated, truncated, info.

        The same as PettingZoo's, in one call fewer.
        """
        agent = self.agent_selection
        if not observe:
            observation = None
        elif self._ended:
            observation = self.observe(agent)
        else:
            observation = {"observation": self._copy_observation(), "action_mask": self._copy_mask()}
        return observation, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[str, dict[str, np.ndarray], int]:
        """The agents in the order in which they are to act; AssertionError before `reset`, or without a step between two of them."""
        self._require_reset(EnvLogger.error_agent_iter_before_reset)
        return _OrderedIterable(self, max_iter)


class _NotResetEnv(CheckedEnv):
    """What a `CheckedEnv` is until its first `reset`: it tells why an attribute is missing.

    A class apart, since every attribute of a class with `__getattr__` is looked up the slow way, which costs the loop a tenth.
    """

    def __getattr__(self, name: str) -> Any:
        if name in (*_AFTER_RESET, "num_agents"):
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


class _OrderedIterable(AECIterable[str, dict[str, np.ndarray], int]):
    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        env = self.env
        for _ in itertools.repeat(None, min(self.max_iter, sys.maxsize)):
            if not env.agents:
                return
            assert env._has_updated, "need to call step() or reset() in a loop over `agent_iter`"
            env._has_updated = False
            yield env.agent_selection


def _with_max_cycles(max_cycles: int, players: int, options: dict[str, Any]) -> dict[str, Any]:
    if "max_moves" in options:
        raise ValueError(f"give max_cycles={max_cycles!r} or max_moves={options['max_moves']!r}, not both")
    check_int("max_cycles", max_cycles, 1)
    return {**options, "max_moves": int(max_cycles) * players}
