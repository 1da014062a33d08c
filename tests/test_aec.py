"""The PettingZoo environment: the API's own tests, the promises of the usual wrappers, and what goes beyond them."""

import copy
import dataclasses
import itertools
import pickle
import warnings
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import contract
import numpy as np
import pettingzoo
import pytest
from gymnasium import spaces
from kunken_positions import Table
from pettingzoo.test import api_test, max_cycles_test, render_test, seed_test
from pettingzoo.utils import wrappers
from pettingzoo.utils.conversions import aec_to_parallel_wrapper
from pettingzoo.utils.env_logger import EnvLogger

import penzoo
from penzoo import kunken_v0, pen_v0
from penzoo.envs import GAMES
from penzoo.envs.aec import CheckedEnv, RawEnv
from penzoo.envs.batch import Batch

PLAYERS = range(2, 7)
VARIANTS = [
    {"must_beat": must_beat, "payoff": payoff, "max_moves": max_moves, "auto_single": auto_single}
    for must_beat, payoff, max_moves, auto_single in itertools.product((False, True), ("loser", "placement"), (60, 1000), (False, True))
]


@pytest.fixture(params=[(players, variant) for players in PLAYERS for variant in VARIANTS], ids=str)
def table(request: pytest.FixtureRequest) -> tuple[int, dict[str, Any]]:
    return request.param


def play(env: Any, rng: np.random.Generator, moves: int = 10**9) -> None:
    """Random legal moves until the deal has ended or so many are made."""
    while moves > 0 and env.legal_actions():
        env.step(env.action_index(rng.choice(env.legal_actions())))
        moves -= 1


# ------------------------------------------------------------------------------------------------------- PettingZoo's own tests


def test_api_and_seed_tests_pass_without_warnings(table: tuple[int, dict[str, Any]]) -> None:
    players, variant = table
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # api_test would have no dict of observation and mask, which is PettingZoo's own way
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be|Observation is not a NumPy array")
        api_test(pen_v0.env(players, **variant), num_cycles=40)
        api_test(pen_v0.raw_env(players, **variant), num_cycles=5)
        seed_test(lambda: pen_v0.env(players, **variant), num_cycles=60)


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("must_beat", [False, True])
def test_render_test_passes(players: int, must_beat: bool) -> None:
    render_test(lambda render_mode: pen_v0.env(players, render_mode, must_beat=must_beat))


class ScriptedEnv(CheckedEnv):
    """PettingZoo's max_cycles_test samples without a mask, and expects every agent to act once a cycle. In Пень that is so where each
    lead is answered by a take. So the action space samples such a play, of a deal in which there is one: no trumps in any hand.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.metadata["is_parallelizable"] = True
        self.script: Iterator[int] | None = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        trumps, others = [card for card in deck() if card[1] == "h"], [card for card in deck() if card[1] != "h"]
        stumps = 2 * self.num_players
        for seed in itertools.count():
            np.random.default_rng(seed).shuffle(others)
            cards = [*trumps[:stumps], *others, *trumps[stumps:]]
            super().reset(options={"deck": cards, "dealer": self.num_players - 1, "trump_card": "6h"})  # player_0 begins each cycle
            if actions := self._scripted():
                self.script = iter(actions)
                return

    def _scripted(self) -> list[int]:
        """Lead what is taken, take, lead …; empty where a lead cannot be."""
        ahead, actions = self.clone(), []
        while legal := ahead.legal_actions():
            for name in ["take"] if "take" in legal else legal:
                after = ahead.clone()
                after.step(after.action_index(name))
                if name == "take" or not after.legal_actions() or "take" in after.legal_actions():
                    break
            else:
                return []
            actions.append(ahead.action_index(name))
            ahead = after
        return actions

    def action_space(self, agent: str) -> spaces.Discrete:
        space = spaces.Discrete(37)
        if self.script is not None:
            space.sample = lambda: next(self.script)  # type: ignore[method-assign, assignment, arg-type]
        return space


@pytest.mark.parametrize("players", PLAYERS)
@pytest.mark.parametrize("variant", [{"must_beat": b, "payoff": p} for b in (False, True) for p in ("loser", "placement")], ids=str)
def test_max_cycles_test_passes(players: int, variant: dict[str, Any]) -> None:
    def env(max_cycles: int) -> ScriptedEnv:
        return ScriptedEnv(GAMES["pen"], players, max_cycles=max_cycles, **variant)

    max_cycles_test(SimpleNamespace(env=env, parallel_env=lambda max_cycles: aec_to_parallel_wrapper(env(max_cycles))))


def test_max_cycles_means_max_moves_for_each_player() -> None:
    assert pen_v0.env(4, max_cycles=25).options["max_moves"] == 100
    with pytest.raises(ValueError, match="max_cycles=5 or max_moves=7, not both"):
        pen_v0.env(4, max_cycles=5, max_moves=7)
    with pytest.raises(ValueError, match="max_cycles=0 is not possible"):
        pen_v0.env(4, max_cycles=0)


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="PettingZoo has a registry from 1.27 on")
def test_pettingzoo_makes_it_by_name() -> None:
    env = pettingzoo.make("aec", "penzoo/pen-v0", num_players=5, must_beat=True, max_cycles=10)
    assert isinstance(env, CheckedEnv)
    assert (env.num_players, env.options["must_beat"], env.options["max_moves"]) == (5, True, 50)


def test_penzoo_makes_it_by_name() -> None:
    assert str(penzoo.make("pen", num_players=2)) == str(penzoo.make("pen_v0")) == "pen_v0"
    with pytest.raises(ValueError, match="game 'chess' does not exist: there are pen_v0"):
        penzoo.make("chess")


# --------------------------------------------------------------------------------------------- the promises of the usual wrappers


def wrapped(**kwargs: Any) -> Any:
    """The raw environment in PettingZoo's usual stack: what `env()` must be like."""
    env: Any = wrappers.TerminateIllegalWrapper(pen_v0.raw_env(**kwargs), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(env))


def facts(env: Any) -> tuple[Any, ...]:
    # the maps are compared in their order, too
    maps = (env.rewards, env.terminations, env.truncations, env.infos, env.unwrapped._cumulative_rewards)
    return (env.agents, env.num_agents, env.agents and env.agent_selection, *(list(each.items()) for each in maps))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("illegal_share", [0.0, 0.02])
def test_env_does_what_the_wrapper_stack_does(seed: int, illegal_share: float) -> None:
    rng = np.random.default_rng(seed)
    kwargs = {"num_players": int(rng.integers(2, 7)), "must_beat": bool(rng.integers(2)), "max_moves": int(rng.integers(20, 400))}
    mine, theirs = pen_v0.env(**kwargs), wrapped(**kwargs)
    for env in (mine, theirs):
        env.reset(seed=seed)
    broken = False
    for agent, same_agent in zip(mine.agent_iter(), theirs.agent_iter(), strict=True):
        assert agent == same_agent
        (seen, *rest), (seen_by_theirs, *rest_of_theirs) = mine.last(), theirs.last()
        assert rest == rest_of_theirs
        assert np.array_equal(seen["observation"], seen_by_theirs["observation"])
        if not broken:  # after an illegal action the raw environment does not know that the deal is over
            assert np.array_equal(seen["action_mask"], seen_by_theirs["action_mask"])
        if rest[1] or rest[2]:
            action = None
        elif rng.random() < illegal_share:
            action, broken = int(rng.choice(np.flatnonzero(seen["action_mask"] == 0))), True
        else:
            action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        mine.step(action)
        theirs.step(action)
        assert facts(mine) == facts(theirs)


def test_an_illegal_action_costs_the_offender_and_ends_the_deal_for_all() -> None:
    env = pen_v0.env(3, illegal_reward=-2.5)
    env.reset(seed=0)
    offender = env.agent_selection
    EnvLogger.flush()
    env.step(env.action_index("take"))  # nothing lies there to be taken
    assert "Illegal move made" in EnvLogger.mqueue[-1]
    assert env.rewards == {agent: -2.5 if agent == offender else 0.0 for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert all(env.truncations.values())
    assert all(not env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    assert env.legal_actions() == []
    for _ in env.agent_iter():
        env.step(None)
    assert env.agents == []


def test_an_illegal_action_raises_where_that_is_asked_for_and_changes_nothing() -> None:
    for env in (pen_v0.env(3, illegal="raise"), pen_v0.raw_env(3)):
        env.reset(seed=0)
        before, seat = env.save(), env.possible_agents.index(env.agent_selection)
        with pytest.raises(ValueError, match=rf"action 36 \(take\) is illegal for seat {seat}: legal are {', '.join(env.legal_actions())}"):
            env.step(env.action_index("take"))
        assert env.save() == before


OUT_OF_BOUNDS = [37, -1, 10**9, 1.0, "take", None, np.float32(3), np.array([3])]


@pytest.mark.parametrize("action", OUT_OF_BOUNDS, ids=str)
def test_an_action_out_of_bounds_is_refused_and_changes_nothing(action: Any) -> None:
    theirs = wrapped(num_players=3)
    for env, error in ((pen_v0.env(3), AssertionError), (pen_v0.raw_env(3), ValueError)):
        env.reset(seed=0)
        before = env.save()
        with pytest.raises(error, match="action is not in action space"):
            env.step(action)
        assert env.save() == before
    theirs.reset(seed=0)
    with pytest.raises(AssertionError):
        theirs.step(action)


@pytest.mark.parametrize("kind", [int, np.int64, np.int8, np.uint8, np.array], ids=str)
def test_every_kind_of_integer_is_an_action(kind: Any) -> None:
    env = pen_v0.env(3)
    env.reset(seed=0)
    env.step(kind(env.action_index(env.legal_actions()[0])))
    assert env.record().actions


def test_calls_before_reset_are_refused_as_the_wrappers_refuse_them() -> None:
    for env in (pen_v0.env(3), wrapped(num_players=3)):
        for call in (env.render, env.state, env.agent_iter, lambda env=env: env.observe("player_0"), lambda env=env: env.step(0)):
            with pytest.raises(AssertionError, match="reset\\(\\) needs to be called before"):
                call()
        for name in ("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents"):
            with pytest.raises(AttributeError, match="cannot be accessed before reset"):
                getattr(env, name)


def test_a_loop_without_a_step_is_refused() -> None:
    for env in (pen_v0.env(3), wrapped(num_players=3)):
        env.reset(seed=0)
        with pytest.raises(AssertionError, match="need to call step\\(\\) or reset\\(\\) in a loop"):
            for _ in env.agent_iter():
                pass


def test_agent_iter_stops_at_its_limit() -> None:
    env = pen_v0.env(3)
    env.reset(seed=0)
    turns = 0
    for _ in env.agent_iter(7):
        env.step(env.action_index(env.legal_actions()[0]))
        turns += 1
    assert turns == 7


def test_after_the_end_none_is_the_only_action_and_then_there_is_a_warning() -> None:
    for env in (pen_v0.env(2, max_moves=1), wrapped(num_players=2, max_moves=1)):
        env.reset(seed=0)
        env.step(int(np.flatnonzero(env.last()[0]["action_mask"])[0]))
        with pytest.raises(ValueError, match="when an agent is dead, the only valid action is None"):
            env.step(0)
        with pytest.raises(AssertionError):
            env.step(1000)
        env.step(None)
        env.step(None)
        assert env.agents == []
        EnvLogger.flush()
        env.step(0)
        assert "step() called after all agents are terminated or truncated" in EnvLogger.mqueue[-1]


# -------------------------------------------------------------------------------------------------------------- what agents get


def test_each_agent_is_observed_rightly_at_any_time(table: tuple[int, dict[str, Any]]) -> None:
    players, variant = table
    env, rng = pen_v0.env(players, **variant), np.random.default_rng(players)
    game, size = env.game, env.observation_space("player_0")["observation"].shape
    env.reset(seed=1)
    for _ in range(30):
        state = env._states.copy()
        for seat, agent in enumerate(env.possible_agents):
            expected, mask = np.full(size, np.nan, np.float32), np.zeros(len(game.actions), np.int8)
            game.functions.observe(state[0], seat, expected)
            if agent == env.agent_selection:
                game.functions.legal_mask(state[0], mask)
            seen = env.observe(agent)
            assert np.array_equal(seen["observation"], expected)
            assert np.array_equal(seen["action_mask"], mask)
            assert env.observation_space(agent).contains(seen)
        assert env.state_space.contains(env.state())
        play(env, rng, moves=3)


def test_an_observation_is_its_receivers_own() -> None:
    env = pen_v0.env(3)
    env.reset(seed=0)
    kept, state = env.last()[0], env.state()
    copies = copy.deepcopy(kept), state.copy()
    for value in kept.values():
        value[:] = 7  # writing into it does not touch the deal
    state[:] = 7
    assert np.array_equal(env.last()[0]["observation"], copies[0]["observation"])
    assert np.array_equal(env.last()[0]["action_mask"], copies[0]["action_mask"])
    assert np.array_equal(env.state(), copies[1])
    seen = env.last()[0]
    play(env, np.random.default_rng(0), moves=5)
    assert np.array_equal(seen["observation"], copies[0]["observation"])  # nor do later moves touch what was seen


def test_an_unknown_agent_is_named() -> None:
    env = pen_v0.env(3)
    env.reset()
    with pytest.raises(ValueError, match="agent 'player_3' does not exist: the agents are player_0, player_1, player_2"):
        env.observe("player_3")


def test_truncation_is_truncation_and_pays_nothing() -> None:
    env = pen_v0.env(4, max_moves=11)
    env.reset(seed=3)
    play(env, np.random.default_rng(0))
    assert env.record().returns == (0.0,) * 4
    assert len(env.record().actions) == 11
    assert set(env.truncations.values()) == {True}
    assert set(env.terminations.values()) == {False}


def test_the_loser_pays_and_each_agent_is_told_once() -> None:
    env, rng = pen_v0.env(4, must_beat=True), np.random.default_rng(5)
    env.reset(seed=5)
    play(env, rng)
    losses = [agent for agent, reward in env.rewards.items() if reward == -1]
    assert len(losses) == 1
    told = {}
    for agent in env.agent_iter():
        told[agent] = env.last()[1]
        env.step(None)
    assert told == {agent: -1.0 if agent in losses else pytest.approx(1 / 3) for agent in env.possible_agents}


def seats_and_moves(state: np.void) -> list[dict[str, Any]]:
    """Infos of every kind that a game may give."""
    moves, last = int(state["moves"]), int(state["seat"])
    return [{"seat": seat, "half": moves / 2, "is_last": seat == last} for seat in range(3)]


TELLING = [dataclasses.replace(GAMES["pen"], infos=seats_and_moves), *GAMES.values()]


@pytest.mark.parametrize("game", TELLING, ids=["telling pen", *GAMES])
@pytest.mark.parametrize("kind", [CheckedEnv, RawEnv])
@pytest.mark.parametrize("options", [{}, {"max_moves": 25}], ids=str)
def test_infos_tell_what_the_game_tells_once_a_deal_has_ended_and_nothing_before(game: Any, kind: Any, options: dict[str, Any]) -> None:
    env = kind(game, 3, **options)
    env.reset(seed=4)
    empty: dict[str, Any] = {agent: {} for agent in env.possible_agents}
    for _ in range(20):
        assert env.infos == empty
        play(env, np.random.default_rng(4), moves=1)
    play(env, np.random.default_rng(4))
    told = dict(zip(env.possible_agents, game.infos(env._states[0]), strict=True))
    assert env.infos == told and env.last()[4] == told[env.agent_selection]
    restored = kind(game, 3)
    restored.restore(env.save())
    for each in (restored, env.clone(), *([pickle.loads(pickle.dumps(env))] if game in GAMES.values() else [])):
        assert each.infos == told
    kept = env.infos
    env.reset()
    assert env.infos == empty and kept == told, "a new deal has infos of its own"


@pytest.mark.parametrize("game", TELLING, ids=["telling pen", *GAMES])
def test_infos_tell_nothing_of_a_deal_that_an_illegal_action_has_ended(game: Any) -> None:
    env = CheckedEnv(game, 3)
    env.reset(seed=0)
    env.step(int(np.argmin(env.last()[0]["action_mask"])))
    assert env.terminations["player_0"] and env.infos == {agent: {} for agent in env.possible_agents}


@pytest.mark.parametrize("reward", ["zero_sum", "score"])
@pytest.mark.parametrize("players", range(2, 6))
def test_infos_of_kunken_hold_the_scores_and_whether_it_was_express(players: int, reward: str) -> None:
    env = kunken_v0.env(players, reward=reward)
    env.reset(seed=players)
    play(env, np.random.default_rng(players))
    scores = np.array([env.infos[agent]["score"] for agent in env.possible_agents])
    assert scores.any() and [type(env.infos[agent]["score"]) for agent in env.possible_agents] == [int] * players
    assert list(env.rewards.values()) == pytest.approx(scores - scores.mean() if reward == "zero_sum" else scores)
    assert [env.infos[agent]["express"] for agent in env.possible_agents] == [False] * players


def test_infos_of_kunken_after_an_express() -> None:
    table = Table(["Kc Kd Kh 3d 4d 6d 2c", "9c Kd"], bank="5d")
    env = kunken_v0.env(2)
    env.reset(seed=0)
    contract.plant(env._batch, table.batch.states)
    env._begin()
    for name in ("take 5d", "put Kc", "put Kd", "put Kh", "close", "put 3d", "put 4d", "put 5d", "put 6d", "close", "discard 2c"):
        env.step(env.action_index(name))
    assert env.infos == {"player_0": {"score": 100, "express": True}, "player_1": {"score": -30, "express": True}}
    assert env.rewards == {"player_0": 65.0, "player_1": -65.0}


def test_env_plays_what_the_batch_plays() -> None:
    for players, variant in itertools.product(PLAYERS, VARIANTS[::3]):
        env, rng = pen_v0.env(players, **variant), np.random.default_rng(0)
        batch = Batch(GAMES["pen"], 1, num_players=players, autoreset=False, **variant)
        env.reset(seed=9)
        batch.reset(seed=9)
        for _ in range(40):
            seen = env.observe(env.possible_agents[batch.seats[0]])
            assert np.array_equal(seen["observation"], batch.observations[0])
            assert np.array_equal(seen["action_mask"], batch.masks[0])
            if batch.ended[0]:
                break
            assert env.agent_selection == f"player_{batch.seats[0]}"
            action = int(rng.choice(np.flatnonzero(batch.masks[0])))
            env.step(action)
            batch.step([action])
            assert list(env.rewards.values()) == batch.rewards[0].tolist()


def test_auto_single_asks_less_and_plays_the_same() -> None:
    """The first decision of a deal is always asked; whoever plays the record of one finds the other's."""
    for seed in range(20):
        asked: dict[bool, int] = {}
        records = {}
        for auto_single in (False, True):
            env = pen_v0.env(3, must_beat=True, auto_single=auto_single)
            env.reset(seed=seed)
            asked[auto_single] = 0
            while env.legal_actions():
                asked[auto_single] += 1
                assert asked[auto_single] == 1 or not auto_single or len(env.legal_actions()) > 1
                env.step(env.action_index(env.legal_actions()[0]))
            records[auto_single] = env.record()
        assert asked[True] < asked[False] == len(records[False].actions)
        assert records[True].actions == records[False].actions
        assert records[True].returns == records[False].returns
        assert records[True].options == {"must_beat": True, "auto_single": True}


# ------------------------------------------------------------------------------------------------------------------------- reset


def deck() -> list[str]:
    return list(GAMES["pen"].card_names)


BAD_RESETS = [
    ({"decks": deck()}, "reset option 'decks' does not exist: reset takes deck, dealer, trump_card"),
    ({"must_beat": True}, "rule options go to env"),
    ({"dealer": 3}, "dealer=3 does not exist: with 3 players the seats are 0 to 2"),
    ({"dealer": -1}, "dealer=-1 does not exist"),
    ({"dealer": "player_0"}, "dealer='player_0' does not exist"),
    ({"trump_card": np.array(["6c"])}, "trump_card=array"),
    ({"trump_card": ["6c"]}, "trump_card="),
    ({"trump_card": 5}, "trump_card=5 does not exist"),
    ({"deck": 3}, "deck 3 is no list of card names"),
    ({"trump_card": "2c"}, "trump_card='2c' does not exist: the cards are 6c"),
    ({"deck": deck()[:-1]}, "card 'As' is missing: a deck has 36 cards, this one 35"),
    ({"deck": [*deck(), "6c"]}, "card '6c' at position 36 is one too many"),
    ({"deck": ["6c", "6c", *deck()[2:]]}, "card '6c' at position 1 is one too many"),
    ({"deck": ["1c", *deck()[1:]]}, "card '1c' does not exist"),
    ({"deck": "6c"}, "deck '6c' is no list of card names"),
]


@pytest.mark.parametrize(("options", "message"), BAD_RESETS, ids=[message for _, message in BAD_RESETS])
def test_a_reset_that_is_impossible_is_refused_and_loses_nothing(options: dict[str, Any], message: str) -> None:
    env = pen_v0.env(3)
    env.reset(seed=0)
    play(env, np.random.default_rng(0), moves=7)
    before = env.save()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=1, options=options)
    assert env.save() == before


@pytest.mark.parametrize("seed", ["5", 1.5, float("nan"), True, -1, [1, 2]], ids=repr)
def test_what_is_no_seed_is_refused_by_its_name_and_loses_nothing(seed: Any) -> None:
    for env in (pen_v0.env(3), pen_v0.raw_env(3)):
        env.reset(seed=0)
        play(env, np.random.default_rng(0), moves=7)
        before = env.save()
        with pytest.raises(ValueError, match="seed"):
            env.reset(seed=seed)
        assert env.save() == before


BAD_ARGUMENTS = [
    ({"num_players": 7}, "num_players=7 is not possible: pen takes 2 to 6 players"),
    ({"num_players": 1}, "num_players=1 is not possible"),
    ({"num_players": 2.0}, "num_players=2.0 is not possible"),
    ({"must_beat": 1}, "option must_beat=1 is not possible: it takes False or True"),
    ({"payoff": "winner"}, "option payoff='winner' is not possible: it takes 'loser' or 'placement'"),
    ({"max_moves": 0}, "option max_moves=0 is not possible: it takes an int from 1 to"),
    ({"colour": "red"}, "option 'colour' does not exist: pen has must_beat, payoff, lowest_rank, "),
    ({"render_mode": "rgb_array"}, "render_mode='rgb_array' is not possible"),
    ({"illegal": "ignore"}, "illegal='ignore' is not possible"),
    ({"viewer": "player_9"}, "agent 'player_9' does not exist"),
    ({"illegal_reward": "x"}, "illegal_reward='x' is not possible"),
    ({"illegal_reward": None}, "illegal_reward=None is not possible"),
]
# what the batch within takes, and the environment does not
NO_OPTIONS = {"seed": 3, "threads": 2, "check": False, "autoreset": True, "num_envs": 2}


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS, ids=[message for _, message in BAD_ARGUMENTS])
def test_an_argument_that_is_impossible_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pen_v0.env(**arguments)


@pytest.mark.parametrize("name", NO_OPTIONS)
@pytest.mark.parametrize("make", [pen_v0.env, pen_v0.raw_env], ids=["env", "raw_env"])
def test_an_argument_of_the_batch_is_no_option_of_the_environment(make: Any, name: str) -> None:
    with pytest.raises(ValueError, match=f"option '{name}' does not exist: pen has must_beat, payoff, lowest_rank, "):
        make(3, **{name: NO_OPTIONS[name]})


def test_a_given_deal_is_played() -> None:
    env = pen_v0.env(3)
    cards = deck()[::-1]
    env.reset(options={"deck": cards, "dealer": 1, "trump_card": "Th"})
    assert env.agent_selection == "player_2"
    assert env.legal_actions() == sorted(cards[6:10], key=env.action_index)  # after three stumps of two
    assert env.record().reset_options() == {"deck": cards, "dealer": 1, "trump_card": "Th"}


def test_a_seeded_reset_keeps_the_options_and_gives_the_same_deals() -> None:
    env = pen_v0.env(5, must_beat=True, payoff="placement", max_moves=77)
    deals = []
    for _ in range(2):
        env.reset(seed=8)
        deals.append([env.record().deck])
        env.reset()
        deals[-1].append(env.record().deck)
    assert deals[0] == deals[1]
    assert deals[0][0] != deals[0][1]
    assert env.options == env.game.complete_options({"must_beat": True, "payoff": "placement", "max_moves": 77})


def test_in_a_match_the_loser_deals_next() -> None:
    env, rng = pen_v0.env(4, must_beat=True, match=True), np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(10):
        play(env, rng)
        losers = [agent for agent, reward in env.rewards.items() if reward == -1]
        env.reset()
        assert [f"player_{env.record().dealer}"] == losers


# ---------------------------------------------------------------------------------------------------------- save, restore, copy


@pytest.mark.parametrize("moves", [0, 1, 30, 10**6])
@pytest.mark.parametrize("variant", VARIANTS[::5], ids=str)
def test_a_copy_of_any_kind_goes_on_identically(moves: int, variant: dict[str, Any]) -> None:
    env, rng = pen_v0.env(4, **variant), np.random.default_rng(2)
    env.reset(seed=2)
    play(env, rng, moves)
    if moves > 1000:
        env.step(None)  # in the middle of the agents' leaving
    restored = pen_v0.env(4)
    restored.restore(env.save())
    copies = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env)), restored]
    for _ in range(2):  # this deal and the next
        while env.agents:
            actions = env.legal_actions()
            action = env.action_index(rng.choice(actions)) if actions else None
            for each in (env, *copies):
                each.step(action)
            for each in copies:
                assert facts(each) == facts(env)
                assert np.array_equal(each.state(), env.state())
                assert each.record() == env.record()
        for each in (env, *copies):
            each.reset()


def test_copies_do_not_share_anything() -> None:
    env = pen_v0.env(3)
    env.reset(seed=0)
    before = env.save()
    for each in (env.clone(), pickle.loads(pickle.dumps(env))):
        play(each, np.random.default_rng(0))
    assert env.save() == before


def test_what_was_not_saved_here_is_not_restored_and_nothing_is_lost() -> None:
    env, other = pen_v0.env(3), pen_v0.env(4)
    with pytest.raises(ValueError, match="nothing to save before reset"):
        env.save()
    env.reset(seed=0)
    other.reset(seed=0)
    before = env.save()
    bad = {
        b"garbage": "are no saved deal",
        before[:-40]: "are no saved deal",
        other.save(): "saved with 4 players, not with 3",
        Batch(GAMES["pen"], 1, num_players=3).save(): "saved from a batch, not from an environment",
    }
    for data, message in bad.items():
        with pytest.raises(ValueError, match=message):
            env.restore(data)
        assert env.save() == before


def saved_deal(**kwargs: Any) -> bytes:
    """A deal of three in its midst."""
    env = pen_v0.env(3, **kwargs)
    env.reset(seed=1)
    play(env, np.random.default_rng(1), moves=20)
    return env.save()


def described() -> list[str]:
    """The words of the description of a saved deal."""
    found: list[str] = []
    contract.repack(saved_deal(), lambda meta, arrays: found.extend(meta))
    return found


ARCHIVED = (*contract.ARRAYS, "rng", "history")
FLAWS = {
    "lacks": lambda arrays, name: arrays.pop(name),
    "has another shape of": lambda arrays, name: arrays.update({name: arrays[name][:, None]}),
    "has less of": lambda arrays, name: arrays.update({name: arrays[name][:-1]}),
    "has an even number less of": lambda arrays, name: arrays.update({name: arrays[name][:-2]}),
    "has twice as much of": lambda arrays, name: arrays.update({name: np.concatenate([arrays[name]] * 2)}),
    "has other numbers in": lambda arrays, name: arrays.update({name: np.zeros(arrays[name].shape, np.float16)}),
}


def assert_refuses(env: Any, data: Any) -> None:
    """A ValueError, after which the deal is as it was and can be played on."""
    before, twin = env.save(), env.clone()
    with pytest.raises(ValueError, match=r".+"):
        env.restore(data)
    assert env.save() == before
    for each in (env, twin):
        play(each, np.random.default_rng(3), moves=5)
    assert facts(env) == facts(twin)
    assert env.record() == twin.record()


@pytest.mark.parametrize("make", [pen_v0.env, pen_v0.raw_env], ids=["env", "raw_env"])
@pytest.mark.parametrize("flaw", FLAWS)
def test_an_archive_with_a_flaw_in_an_array_is_refused_and_nothing_changes(flaw: str, make: Any) -> None:
    env, data = make(3), saved_deal(max_moves=77)
    env.reset(seed=0)
    play(env, np.random.default_rng(0), moves=7)
    for name in ARCHIVED:
        assert_refuses(env, contract.repack(data, lambda meta, arrays, name=name: FLAWS[flaw](arrays, name)))


def test_an_archive_that_lacks_a_word_of_its_description_is_refused_and_nothing_changes() -> None:
    env, data, keys = pen_v0.env(3), saved_deal(max_moves=77), described()
    env.reset(seed=0)
    assert {"game", "version", "kind", "players", "agents", "rewards", "infos"} < set(keys)
    for key in keys:
        assert_refuses(env, contract.repack(data, lambda meta, arrays, key=key: meta.pop(key)))


@pytest.mark.parametrize("data", [None, "x", 5, ["x"], {}, b"", b"x"], ids=repr)
def test_what_are_no_bytes_are_no_saved_deal(data: Any) -> None:
    env = pen_v0.env(3)
    env.reset(seed=0)
    assert_refuses(env, data)


@pytest.mark.parametrize(("max_moves", "others"), [(1000, 5), (60, 1000)])
@pytest.mark.parametrize("has_begun", [False, True])
def test_a_restored_deal_goes_on_as_its_original_whatever_the_max_moves_of_the_environment(
    max_moves: int, others: int, has_begun: bool
) -> None:
    original, restored = pen_v0.env(4, max_moves=max_moves), pen_v0.env(4, max_moves=others)
    original.reset(seed=6)
    play(original, np.random.default_rng(6), moves=50)
    if has_begun:
        restored.reset(seed=1)
        play(restored, np.random.default_rng(1), moves=4)
    restored.restore(original.save())
    assert restored.options == original.options
    for _ in range(2):  # this deal and the next
        while original.agents:
            actions = [each.action_index(each.legal_actions()[-1]) if each.legal_actions() else None for each in (original, restored)]
            assert actions[0] == actions[1]
            for env, action in zip((original, restored), actions, strict=True):
                env.step(action)
            assert facts(restored) == facts(original)
            assert restored.record() == original.record()
            assert np.array_equal(restored.state(), original.state())
        assert len(original.record().actions) > others or others > max_moves
        assert restored.save() == original.save()
        for env in (original, restored):
            env.reset()


@pytest.mark.parametrize("make", [pen_v0.env, pen_v0.raw_env], ids=["env", "raw_env"])
def test_there_is_no_record_before_reset(make: Any) -> None:
    with pytest.raises(ValueError, match="before reset"):
        make(3).record()


def test_action_names_and_indices_undo_each_other() -> None:
    env = pen_v0.env(3)
    assert [env.action_index(env.action_name(action)) for action in range(37)] == list(range(37))
    with pytest.raises(ValueError, match="action 37 does not exist: actions are 0 to 36"):
        env.action_name(37)
    with pytest.raises(ValueError, match="action 'tak' does not exist: did you mean take"):
        env.action_index("tak")


# ------------------------------------------------------------------------------------------------------------------------ render


def test_the_screen_hides_what_is_hidden_unless_asked(capsys: pytest.CaptureFixture[str]) -> None:
    given = {"deck": deck(), "dealer": 2, "trump_card": "9h"}
    screens = {}
    for name, kwargs in {"public": {}, "viewer": {"viewer": "player_1"}, "revealed": {"reveal": True}}.items():
        env = pen_v0.env(3, "ansi", **kwargs)
        env.reset(options=given)
        screens[name] = env.render()
    assert "player_0: 4 in hand: ▒▒ ▒▒ ▒▒ ▒▒ · stump ▒▒ ▒▒" in screens["public"]
    assert "player_1: 4 in hand: 7♦ 8♦ 9♦ J♦ · stump ▒▒ ▒▒" in screens["viewer"]
    assert "player_0: 4 in hand: ▒▒ ▒▒ ▒▒ ▒▒ · stump ▒▒ ▒▒" in screens["viewer"]
    assert "player_0: 4 in hand: Q♣ K♣ 10♣ A♣" not in screens["public"]
    assert "▒" not in screens["revealed"]
    assert "trumps ♥ (9♥ was shown)" in screens["public"]
    human = pen_v0.env(3, "human")
    human.reset(options=given)
    human.step(human.action_index(human.legal_actions()[0]))
    assert capsys.readouterr().out.count("Пень · trumps") == 2  # it is printed as it goes


def test_render_without_a_mode_warns() -> None:
    env = pen_v0.env(3)
    env.reset()
    with pytest.warns(UserWarning, match="without a render mode"):
        assert env.render() is None


def test_after_an_illegal_action_the_screen_says_so_until_the_next_deal() -> None:
    env = pen_v0.env(3, "ansi")
    env.reset(seed=0)
    assert "illegal" not in env.render()
    env.step(env.action_index("take"))
    restored = pen_v0.env(3, "ansi")
    restored.restore(env.save())
    for each in (env, env.clone(), restored):
        assert "illegal action" in each.render()
    env.reset()
    assert "illegal" not in env.render()
