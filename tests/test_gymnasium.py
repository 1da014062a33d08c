"""The Gymnasium environments: the checkers, the AEC environment and Gymnasium's own vector environment as references."""

import copy
import itertools
import pickle
import subprocess
import sys
import warnings
import zlib
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, VectorEnv

from penzoo import MODULES, pen_v0, registration
from penzoo.agents import make_agent
from penzoo.envs import GAMES, rng
from penzoo.envs.batch import Batch
from penzoo.envs.learner import LearnerBatch, fixed_seating
from penzoo.envs.pen import GAME
from penzoo.envs.pen.rules import TAKE
from penzoo.envs.pen.state import NUM_RANKS

ID = "penzoo/Pen-v0"
SEED = 11


def arrays_in(value: Any) -> list[np.ndarray]:
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return [array for each in value for array in arrays_in(each)]
    if isinstance(value, np.ndarray) and value.dtype == np.object_:
        return [value, *arrays_in(tuple(value.tolist()))]
    return [value] if isinstance(value, np.ndarray) else []


def share_memory(one: Any, other: Any) -> bool:
    return any(np.shares_memory(mine, theirs) for mine in arrays_in(one) for theirs in arrays_in(other))


class Fickle:
    """Chooses by a checksum of what it sees: neither the order of the calls nor who else is asked matters."""

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.array([fickle(observation, mask) for observation, mask in zip(observations, masks, strict=True)])


def fickle(observation: np.ndarray, mask: np.ndarray) -> int:
    """Mostly a card of low rank, so that deals come to an end; else anything."""
    legal = np.flatnonzero(mask).tolist()
    chance = zlib.crc32(observation.tobytes())
    return legal[chance // 4 % len(legal)] if chance % 4 == 0 else min(legal, key=lambda card: (card == TAKE, card % NUM_RANKS))


class Stubborn:
    """Takes, whether it may or not."""

    def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return np.full(len(masks), TAKE)


def make(**options: Any) -> Any:
    return gymnasium.make(ID, **options)


def make_vec(num_envs: int, **options: Any) -> Any:
    return gymnasium.make_vec(ID, num_envs=num_envs, **options)


def play(env: Any, observation: np.ndarray, info: dict[str, Any], steps: int) -> Iterator[tuple[Any, ...]]:
    """Go on for so many steps, a new deal after each that ends; yields what each step and reset gives."""
    for _ in range(steps):
        result = env.step(fickle(observation, info["action_mask"]))
        yield result
        observation, info = result[0], result[4]
        if result[2] or result[3]:
            observation, info = env.reset()
            yield observation, info


def choose_rows(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Any action in a row that has none left."""
    return np.array([fickle(o, m) if m.any() else 0 for o, m in zip(observations, masks, strict=True)])


def assert_same(left: Any, right: Any) -> None:
    assert type(left) is type(right)
    if isinstance(left, dict):
        assert left.keys() == right.keys()
        for key in left:
            assert_same(left[key], right[key])
    elif isinstance(left, tuple | list):
        for one, other in zip(left, right, strict=True):
            assert_same(one, other)
    elif isinstance(left, np.ndarray):
        assert (left.dtype, left.shape) == (right.dtype, right.shape)
        for one, other in zip(left, right, strict=True) if left.dtype == object else ():
            assert_same(one, other)
        assert left.dtype == object or (left == right).all()
    else:
        assert left == right


# ------------------------------------------------------------------------------------------------------------------ registration


def test_every_game_is_registered() -> None:
    assert {game.id for game in GAMES.values()} == set(MODULES)
    for game in GAMES.values():
        spec = gymnasium.spec(registration.gymnasium_id(game.name, game.version))
        assert spec.entry_point and spec.vector_entry_point
    assert ID in gymnasium.registry


def test_registering_twice_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        registration.register_gymnasium(MODULES)


@pytest.mark.parametrize(("line", "name"), [("import penzoo", ID), ("pass", f"penzoo:{ID}")])
def test_make_needs_one_import_in_a_fresh_process(line: str, name: str) -> None:
    script = f"import gymnasium, sys; {line}; print('numba' in sys.modules, gymnasium.make({name!r}).unwrapped.game.name)"
    output = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout
    assert output == "False pen\n", "importing penzoo registers the games, and loads no compiler"


# ---------------------------------------------------------------------------------------------------------- Gymnasium's own checks


class LegalSpace(Discrete):
    """An action space that samples by the environment's mask.

    The checker seeds it, samples, and only then resets by the same seed: so that the action is legal there, seeding it resets.
    """

    def __init__(self, env: Any) -> None:
        super().__init__(int(env.action_space.n))
        self.env = env

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        return super().sample(self.env.action_masks())

    def seed(self, seed: int | None = None) -> Any:
        if seed is not None:
            self.env.reset(seed=seed)
        return super().seed(seed)


CHECKED = [
    {"num_players": 2, "opponents": "random", "must_beat": True, "render_mode": "ansi"},
    {"num_players": 3, "opponents": "careful", "seat": 0, "payoff": "placement", "render_mode": "human"},
    {"num_players": 4, "opponents": ["greedy", "random", "careful"], "seat": 3, "auto_single": True},
    {"num_players": 5, "opponents": Fickle(), "reveal": True, "match": True},
    {"num_players": 6, "opponents": ["pen:greedy", Fickle()], "seat": 2},
    {},
]


@pytest.mark.parametrize("options", CHECKED)
def test_single_passes_the_checker_without_a_warning(options: dict[str, Any]) -> None:
    env = make(**options).unwrapped
    env.action_space = LegalSpace(env)
    env.reset(seed=SEED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


@pytest.mark.parametrize("players", range(2, 7))
def test_single_passes_the_checker_with_any_actions_where_illegal_ones_end_the_deal(players: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(num_players=players, opponents="greedy", illegal="terminate").unwrapped)


@pytest.mark.parametrize("mode", AutoresetMode)
def test_vector_gives_what_its_spaces_say_and_keeps_nothing_of_it(mode: AutoresetMode) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = make_vec(5, num_players=3, opponents="greedy", max_moves=12, autoreset_mode=mode)
    assert env.metadata["autoreset_mode"] is mode and isinstance(env, VectorEnv)
    observations, infos = env.reset(seed=SEED)
    results: list[Any] = [(observations, infos)]
    for _ in range(12):
        actions = choose_rows(observations, infos["action_mask"])
        assert observations in env.observation_space and actions in env.action_space
        assert (infos["action_mask"] == env.action_masks()).all()
        observations, rewards, terminated, truncated, infos = env.step(actions)
        assert (rewards.dtype, terminated.dtype, truncated.dtype) == (np.float64, np.bool_, np.bool_)
        assert rewards.shape == terminated.shape == truncated.shape == (5,)
        results.append((observations, infos))
        if mode is AutoresetMode.DISABLED and (terminated | truncated).any():
            observations, infos = env.reset(options={"reset_mask": terminated | truncated})
            results.append((observations, infos))
    for one, other in itertools.combinations(results, 2):
        assert not share_memory(one, other)


# ----------------------------------------------------------------------------------------------------------------- against the AEC

OPTIONS = [{}, {"must_beat": True}, {"payoff": "placement"}, {"max_moves": 30}, {"auto_single": True, "must_beat": True}]


def aec_decisions(env: Any, learner: str) -> Iterator[tuple[np.ndarray, np.ndarray, float, bool, bool, str]]:
    """What the AEC environment gives the learner, who is played as `fickle`, at each of its turns; the last mover is with it."""
    mover = ""
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if agent == learner:
            yield observation["observation"], observation["action_mask"], reward, terminated, truncated, mover
        if terminated or truncated:
            env.step(None)
        else:
            mover = agent
            env.step(fickle(observation["observation"], observation["action_mask"]))


def compare_deal(env: Any, aec: Any, observation: np.ndarray, info: dict[str, Any]) -> tuple[float, bool]:
    """Play a deal in both; the learner's return, and whether it came by another's move."""
    reward, total, terminated, truncated = 0.0, 0.0, False, False
    learner = f"player_{info['seat']}"
    for seen, mask, paid, is_terminated, is_truncated, mover in aec_decisions(aec, learner):
        np.testing.assert_array_equal(observation, seen)
        np.testing.assert_array_equal(info["action_mask"], mask)
        assert (reward, terminated, truncated) == (paid, is_terminated, is_truncated)
        total += reward
        if terminated or truncated:
            assert info["returns"][info["seat"]] == total and not info["action_mask"].any()
            return total, mover != learner
        assert "returns" not in info
        observation, reward, terminated, truncated, info = env.step(fickle(observation, info["action_mask"]))
    raise AssertionError("the AEC environment ended without telling the learner")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("players", range(2, 7))
def test_single_gives_what_the_aec_environment_gives(players: int, options: dict[str, Any]) -> None:
    env = make(num_players=players, opponents=Fickle(), **options)
    aec = pen_v0.env(num_players=players, illegal="raise", **options)
    by_others = []
    for deal in range(8):
        aec.reset(seed=SEED if deal == 0 else None)
        total, by_other = compare_deal(env, aec, *env.reset(seed=SEED if deal == 0 else None))
        by_others += [total] if by_other else []
    assert "max_moves" in options or any(by_others), "no deal paid the learner in another's move: the test shows less than it should"


@pytest.mark.parametrize("seat", range(3))
def test_a_given_deal_is_the_one_that_the_aec_environment_deals(seat: int) -> None:
    given = {"deck": list(reversed(GAME.card_names)), "dealer": 1, "trump_card": "9h"}
    env, aec = make(num_players=3, opponents=Fickle(), seat=2), pen_v0.env(num_players=3, illegal="raise")
    aec.reset(options=given)
    observation, info = env.reset(options={**given, "seat": seat})
    assert info["seat"] == seat
    compare_deal(env, aec, observation, info)
    assert env.reset(options=given)[1]["seat"] == 2, "a seat given to reset was for that deal only"


def test_opponents_sit_in_order_from_the_seat_after_the_learner() -> None:
    asked: list[str] = []

    class Named(Fickle):
        def __init__(self, name: str) -> None:
            self.name = name

        def act(self, observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
            asked.append(self.name)
            return super().act(observations, masks)

    env = make(num_players=4, opponents=[Named("left"), Named("right")], seat=1)
    env.reset(seed=SEED, options={"dealer": 1})
    assert [name for name, _ in itertools.groupby(asked)] == ["left", "right", "left"], "seats 2, 3 and 0 play before seat 1"


# ------------------------------------------------------------------------------------------------------- vector as many single ones


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("illegal", ["raise", "terminate"])
def test_vector_is_gymnasiums_own_vector_of_single_ones(mode: AutoresetMode, illegal: str) -> None:
    options: dict[str, Any] = {"num_players": 3, "opponents": ["careful", "greedy"], "seat": 1, "max_moves": 70, "illegal": illegal}
    own = make_vec(6, autoreset_mode=mode, **options)
    reference = make_vec(6, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **options)
    chance = np.random.default_rng(SEED)
    observations, infos = own.reset(seed=SEED)
    assert_same((observations, infos), reference.reset(seed=SEED))
    ended = np.zeros(2, int)
    for _ in range(100):
        actions = choose_rows(observations, infos["action_mask"])
        if illegal == "terminate":
            actions = np.where(chance.random(6) < 0.05, chance.integers(37, size=6), actions)
        observations, rewards, terminated, truncated, infos = own.step(actions)
        assert_same((observations, rewards, terminated, truncated, infos), reference.step(actions))
        ended += terminated.sum(), truncated.sum()
    assert ended.all(), "no deal ended, or none was truncated: the test shows less than it should"


def test_vector_without_autoreset_is_gymnasiums_own_vector_of_single_ones() -> None:
    options: dict[str, Any] = {"num_players": 2, "opponents": "greedy", "seat": 0}
    own = make_vec(4, autoreset_mode=AutoresetMode.DISABLED, **options)
    reference = make_vec(4, vectorization_mode="sync", vector_kwargs={"autoreset_mode": AutoresetMode.DISABLED}, **options)
    seeds = [3, 1, 4, 1]
    observations, infos = own.reset(seed=seeds)
    assert_same((observations, infos), reference.reset(seed=seeds))
    resets = 0
    for _ in range(60):
        actions = choose_rows(observations, infos["action_mask"])
        observations, rewards, terminated, truncated, infos = own.step(actions)
        assert_same((observations, rewards, terminated, truncated, infos), reference.step(actions))
        ended = terminated | truncated
        if ended.any():
            resets += 1
            with pytest.raises(ResetNeeded, match="rows"):
                own.step(actions)
            observations, infos = own.reset(options={"reset_mask": ended})
            expected, begun = reference.reset(options={"reset_mask": ended})
            assert_same(observations, expected)
            assert (infos["action_mask"][ended] == begun["action_mask"][ended]).all()
            assert infos["action_mask"].any(axis=1).all(), "the masks of the other deals can be had too"
    assert resets


def test_vector_with_drawn_seats_is_single_ones_that_are_given_its_deals() -> None:
    own = make_vec(4, num_players=3, opponents="greedy")
    singles = [make(num_players=3, opponents="greedy") for _ in range(4)]
    observations, infos = own.reset(seed=SEED)
    batch, waiting, seats = own.unwrapped.tables.batch, np.ones(4, bool), set()
    for _ in range(100):
        for row, env in enumerate(singles):
            if waiting[row]:
                deck = [GAME.card_names[card] for card in batch.decks[row]]
                state = batch.states[row]
                given = {"deck": deck, "dealer": state["dealer"], "trump_card": GAME.card_names[state["trump_card"]]}
                observation, info = env.reset(options={**given, "seat": infos["seat"][row]})
                assert_same((observation, info["action_mask"]), (observations[row], infos["action_mask"][row]))
                seats.add(info["seat"])
        actions = choose_rows(observations, infos["action_mask"])
        ended = ~infos["action_mask"].any(axis=1)
        observations, rewards, terminated, truncated, infos = own.step(actions)
        for row, env in enumerate(singles):
            if not ended[row]:
                result = env.step(actions[row])
                assert_same(result[:4], (observations[row], float(rewards[row]), bool(terminated[row]), bool(truncated[row])))
                assert_same(result[4]["action_mask"], infos["action_mask"][row])
        waiting = ended
    assert seats == {0, 1, 2}


def test_threads_change_nothing() -> None:
    envs = [make_vec(9, num_players=4, opponents=["random", "careful"], threads=threads) for threads in (1, 2)]
    results = [env.reset(seed=SEED) for env in envs]
    for _ in range(30):
        assert_same(*results)
        results = [env.step(choose_rows(result[0], result[-1]["action_mask"])) for env, result in zip(envs, results, strict=True)]
    for env in envs:
        env.close()
        env.close()


def test_gymnasiums_vector_wrappers_fit() -> None:
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(make_vec(4, num_players=2, opponents="greedy"))
    observations, infos = env.reset(seed=SEED)
    lengths: list[float] = []
    while not lengths:
        observations, _, _, _, infos = env.step(choose_rows(observations, infos["action_mask"]))
        lengths += infos["episode"]["l"][infos["_episode"]].tolist() if "episode" in infos else []
    assert lengths[0] > 1


# ------------------------------------------------------------------------------------------------- what games tell at the end


def gym_id(name: str) -> str:
    return registration.gymnasium_id(name, GAMES[name].version)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("options", [{"max_moves": 400}, {"max_moves": 9}, {"max_moves": 400, "illegal": "terminate"}], ids=str)
def test_infos_hold_what_the_game_tells_of_each_seat_once_a_deal_has_ended(name: str, options: dict[str, Any]) -> None:
    env = gymnasium.make(gym_id(name), num_players=3, opponents=Fickle(), **options)
    game, state, ended = GAMES[name], env.unwrapped.tables.batch.states[0], 0  # type: ignore[attr-defined]
    names = set(game.infos(state)[0])
    observation, info = env.reset(seed=SEED)
    for step in range(200):
        is_illegal = "illegal" in options and step % 20 == 19
        action = int(np.argmin(info["action_mask"])) if is_illegal else fickle(observation, info["action_mask"])
        observation, _, terminated, truncated, info = env.step(action)
        if not (terminated or truncated) or is_illegal:
            assert info.keys() == {"action_mask", "seat"} | ({"returns"} if is_illegal else set())
        else:
            ended += 1
            assert info.keys() == {"action_mask", "seat", "returns"} | names
            for each in names:
                assert info[each].shape == (3,) and info[each].tolist() == [told[each] for told in game.infos(state)]
        if terminated or truncated:
            observation, info = env.reset()
    assert ended or "illegal" in options


@pytest.mark.parametrize("num_envs", [None, 3])
@pytest.mark.parametrize("reward", ["zero_sum", "score"])
def test_infos_of_kunken_hold_the_scores_and_whether_it_was_express(num_envs: int | None, reward: str) -> None:
    options: dict[str, Any] = {"num_players": 4, "opponents": Fickle(), "max_moves": 120, "reward": reward}
    env = gymnasium.make_vec(gym_id("kunken"), num_envs=num_envs, **options) if num_envs else gymnasium.make(gym_id("kunken"), **options)
    observations, infos = env.reset(seed=SEED)
    while "returns" not in infos:
        masks = infos["action_mask"]
        observations, _, _, _, infos = env.step(choose_rows(observations, masks) if num_envs else fickle(observations, masks))
    shape = (num_envs, 4) if num_envs else (4,)
    scores, returns, express = infos["score"], infos["returns"], infos["express"]
    assert (scores.dtype, scores.shape, express.dtype, express.shape) == (np.int64, shape, np.bool_, shape)
    np.testing.assert_allclose(returns, scores - scores.mean(axis=-1, keepdims=True) if reward == "zero_sum" else scores, atol=1e-12)
    assert scores.any() and not express.any()
    assert not num_envs or (infos["_score"] == infos["_returns"]).all()


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("illegal", ["raise", "terminate"])
def test_vector_of_kunken_tells_what_gymnasiums_own_vector_of_single_ones_tells(mode: AutoresetMode, illegal: str) -> None:
    options: dict[str, Any] = {"num_players": 3, "opponents": Fickle(), "seat": 1, "max_moves": 70, "illegal": illegal}
    own, reference = (
        gymnasium.make_vec(gym_id("kunken"), num_envs=5, **given, **options)
        for given in ({"autoreset_mode": mode}, {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": mode}})
    )
    chance, told, forfeited = np.random.default_rng(SEED), 0, 0
    observations, infos = own.reset(seed=SEED)
    assert_same((observations, infos), reference.reset(seed=SEED))
    for _ in range(60):
        actions = choose_rows(observations, infos["action_mask"])
        if illegal == "terminate":
            actions = np.where(chance.random(5) < 0.03, np.argmin(infos["action_mask"], axis=1), actions)
        observations, rewards, terminated, truncated, infos = own.step(actions)
        assert_same((observations, rewards, terminated, truncated, infos), reference.step(actions))
        final = infos.get("final_info", {}) if mode is AutoresetMode.SAME_STEP else infos
        assert "score" not in infos or mode is AutoresetMode.NEXT_STEP
        told += int(final.get("_score", np.zeros(5)).sum())
        forfeited += int((final.get("_returns", np.zeros(5)) != final.get("_score", np.zeros(5))).sum())
    assert told and bool(forfeited) == (illegal == "terminate")


# ----------------------------------------------------------------------------------------------------------------------- seeds


def first_steps(env: Any, seed: int | None, steps: int = 40) -> list[Any]:
    observation, info = env.reset(seed=seed)
    return [(observation, info), *play(env, observation, info, steps)]


@pytest.mark.parametrize("opponents", ["random", ["random", "greedy"]])
def test_a_seed_gives_the_same_again_with_opponents_of_chance(opponents: Any) -> None:
    env, other = (make(num_players=3, opponents=opponents) for _ in range(2))
    first = first_steps(env, SEED)
    assert_same(first, first_steps(env, SEED))
    assert_same(first, first_steps(other, SEED))
    assert any((one[0] != two[0]).any() for one, two in zip(first, first_steps(env, SEED + 1), strict=False))


def test_an_unseeded_environment_tells_its_seed() -> None:
    env = make(num_players=3, opponents="random")
    first = first_steps(env, None)
    assert_same(first, first_steps(env, env.np_random_seed))
    vector = make_vec(3, num_players=3, opponents="random")
    assert_same(vector.reset(), vector.reset(seed=vector.np_random_seed))


def test_vector_of_one_is_the_single_one_also_in_its_draws() -> None:
    env, vector = make(num_players=4, opponents="random"), make_vec(1, num_players=4, opponents="random")
    for seed in range(5):
        observation, info = env.reset(seed=seed)
        observations, infos = vector.reset(seed=seed)
        assert info["seat"] == infos["seat"][0]
        assert_same((observation, info["action_mask"]), (observations[0], infos["action_mask"][0]))


def test_rows_have_seeds_of_their_own() -> None:
    vector = make_vec(3, num_players=3, opponents="greedy", seat=0)
    by_int, _ = vector.reset(seed=7)
    assert_same(by_int, vector.reset(seed=[7, 8, 9])[0])
    again, _ = vector.reset(seed=[None, 7, None])
    assert (again[1] == by_int[0]).all() and (again[0] != by_int[0]).any()
    assert vector.np_random_seed == -1


def test_seats_are_drawn_from_np_random() -> None:
    drawn = []
    for _ in range(2):
        env = make(num_players=6, opponents="greedy").unwrapped
        env.reset(seed=SEED)
        env.np_random = np.random.default_rng(5)
        drawn.append([env.reset()[1]["seat"] for _ in range(30)])
    assert drawn[0] == drawn[1] and set(drawn[0]) == set(range(6))


# ------------------------------------------------------------------------------------------------------------ ends of a deal


def test_a_deal_without_an_end_is_truncated_not_terminated() -> None:
    env = make(num_players=2, opponents="greedy", max_moves=5)
    observation, info = env.reset(seed=SEED)
    _, reward, terminated, truncated, info = next(result for result in play(env, observation, info, 5) if "returns" in result[-1])
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert info["returns"].tolist() == [0.0, 0.0]


class PayingBatch(Batch):
    """Every move pays every seat, so that rewards also fall between two decisions of the learner, and before its first one."""

    def step(self, actions: Any, rows: Any = None) -> None:
        super().step(actions, rows)
        paid = slice(None) if rows is None else rows
        payments = 1.0 + np.arange(self.num_players)
        self._rewards[paid] += payments
        self._returns[paid] += payments


@pytest.mark.parametrize("num_envs", [1, 4])
def test_the_learner_gets_all_that_comes_to_its_seat(num_envs: int) -> None:
    batch = PayingBatch(GAME, num_envs, SEED, num_players=3, autoreset=False)
    learner = LearnerBatch(batch, [Fickle()], fixed_seating(3, 1), SEED)
    for _ in range(3):
        learner.begin()
        totals, rows = np.zeros(num_envs), np.arange(num_envs)
        while len(rows):
            learner.step(choose_rows(batch.observations[rows], batch.masks[rows]), rows)
            totals[rows] += learner.rewards[rows]
            rows = rows[~batch.ended[rows]]
        np.testing.assert_allclose(totals, batch.returns[np.arange(num_envs), learner.seats])
        assert (totals >= batch.states["moves"] - 1).all()


def test_an_illegal_action_is_an_error_and_changes_nothing() -> None:
    env = make(num_players=3, opponents="greedy", seat=0)
    observation, info = env.reset(seed=SEED, options={"dealer": 2})
    legal = ", ".join(GAME.legal_names(info["action_mask"]))
    for action, name in ((TAKE, "36 (take)"), (37, "37 (no action"), (-1, "-1 (no action")):
        with pytest.raises(ValueError, match="illegal for seat 0") as error:
            env.step(action)
        assert str(error.value).startswith(f"action {name}") and str(error.value).endswith(f"legal are {legal}")
    for action in ("take", None, 1.5, np.zeros(2, int), 2**70):
        with pytest.raises(ValueError, match="0 to 36"):
            env.step(action)
    other = make(num_players=3, opponents="greedy", seat=0)
    other.reset(seed=SEED, options={"dealer": 2})
    action = fickle(observation, info["action_mask"])
    assert_same(env.step(action), other.step(np.int64(action)))


def test_an_illegal_action_can_end_the_deal_instead() -> None:
    env = make(num_players=3, opponents="greedy", seat=0, illegal="terminate", illegal_reward=-3)
    before, _ = env.reset(seed=SEED, options={"dealer": 2})
    observation, reward, terminated, truncated, info = env.step(36)
    assert (reward, terminated, truncated) == (-3.0, True, False)
    assert (observation == before).all() and not info["action_mask"].any() and info["returns"].tolist() == [-3.0, 0.0, 0.0]
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(0)
    assert env.reset()[1]["action_mask"].any()


def test_an_illegal_action_in_a_row_names_the_row() -> None:
    env = make_vec(3, num_players=2, opponents="greedy", seat=0)
    observations, infos = env.reset(seed=SEED, options={"dealer": 1})
    actions = choose_rows(observations, infos["action_mask"])
    with pytest.raises(ValueError, match=r"row 1: action 36 \(take\) is illegal for seat 0: legal are"):
        env.step(np.array([actions[0], 36, actions[2]]))
    assert_same(infos["action_mask"], env.action_masks())
    env.step(actions)


def test_an_illegal_action_of_an_opponent_is_an_error_and_asks_for_a_reset() -> None:
    env = make(num_players=2, opponents=Stubborn(), seat=0, must_beat=True)
    with pytest.raises(ValueError, match=r"take\) is illegal for seat 1"):
        env.reset(options={"dealer": 0})
    with pytest.raises(ResetNeeded):
        env.step(36)
    assert env.reset(options={"dealer": 1})[1]["action_mask"].sum() == 4


def test_in_a_match_the_loser_deals_next() -> None:
    env = make(num_players=3, opponents="greedy", match=True)
    observation, info = env.reset(seed=SEED)
    dealers, results = [], list(play(env, observation, info, 300))
    for result, begun in itertools.pairwise(results):
        if len(result) == 5 and result[2] and result[4]["returns"].min() == -1:
            dealer = GAME.observation_layout(3).slices
            seat = next(k for k in range(3) if begun[0][dealer[f"seat_{k}.dealer"]])
            dealers.append((seat + begun[1]["seat"]) % 3 == result[4]["returns"].argmin())
    assert len(dealers) > 3 and all(dealers)


# --------------------------------------------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 7}, "num_players=7 is not possible: pen takes 2 to 6"),
        ({"opponents": "carefull"}, "agent 'carefull' does not exist"),
        ({"opponents": []}, "opponents: 0 given for 3 players: give 1 to 2"),
        ({"opponents": ["greedy"] * 3}, "opponents: 3 given for 3 players: give 1 to 2"),
        ({"opponents": [3]}, "agent '3' does not exist"),
        ({"seat": 3}, "seat=3 does not exist: with 3 players the seats are 0 to 2"),
        ({"seat": True}, "seat=True does not exist"),
        ({"illegal": "ignore"}, "illegal='ignore' is not possible: it takes 'raise' or 'terminate'"),
        ({"render_mode": "rgb_array"}, "render_mode='rgb_array' is not possible: it takes None, 'ansi' or 'human'"),
        ({"must_beat": 1}, "option must_beat=1 is not possible"),
        ({"check": False}, "option 'check' does not exist: pen has must_beat"),
        ({"seed": 3}, "option 'seed' does not exist"),
    ],
)
def test_what_cannot_be_made_is_named(options: dict[str, Any], message: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Gymnasium's own, of render modes
        for maker in (make, lambda **given: make_vec(2, **given)):
            with pytest.raises(ValueError) as error:
                maker(**options)
            assert message in str(error.value)


def test_what_only_the_vector_takes_is_checked() -> None:
    with pytest.raises(ValueError, match=r"autoreset_mode='never' is not possible.*'NextStep', 'SameStep', 'Disabled'"):
        make_vec(2, autoreset_mode="never")
    with pytest.raises(ValueError, match="num_envs=0"):
        make_vec(0)
    assert make_vec(2, autoreset_mode="SameStep").metadata["autoreset_mode"] is AutoresetMode.SAME_STEP


DECK = list(GAME.card_names)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dek": DECK}, "reset option 'dek' does not exist: reset takes deck, dealer, trump_card, seat"),
        ({"deck": DECK[:-1]}, "deck: card 'As' is missing"),
        ({"deck": [*DECK[:-1], "6c"]}, "deck: card '6c' at position 35 is one too many"),
        ({"deck": "6c 7c"}, "is no list of card names"),
        ({"dealer": 3}, "dealer=3 does not exist"),
        ({"trump_card": "1h"}, "trump_card='1h' does not exist"),
        ({"seat": -1}, "seat=-1 does not exist"),
    ],
)
def test_what_reset_cannot_take_is_named_and_changes_nothing(options: dict[str, Any], message: str) -> None:
    for env in (make(num_players=3), make_vec(2, num_players=3)):
        env.reset(seed=SEED)
        batch = env.unwrapped.tables.batch
        before = batch.states.copy(), batch.decks.copy(), env.unwrapped.action_masks()
        with pytest.raises(ValueError) as error:
            env.reset(options=options)
        assert message in str(error.value)
        assert_same(before, (batch.states.copy(), batch.decks.copy(), env.unwrapped.action_masks()))


@pytest.mark.parametrize("mask", [np.zeros(2, bool), np.ones(3, bool), np.ones(2, int), [True, True]])
def test_a_reset_mask_that_does_not_fit_is_refused(mask: Any) -> None:
    with pytest.raises(ValueError, match="reset_mask="):
        make_vec(2).reset(options={"reset_mask": mask})


def test_what_a_vector_cannot_do_is_refused() -> None:
    env = make_vec(2, num_players=2)
    for actions in ([0], [0.0, 1.0], 0, [[0, 0]]):
        with pytest.raises(ValueError, match="give 2 ints"):
            env.step(actions)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step([0, 0])
    with pytest.raises(ValueError, match="seed: 3 given for 2 rows"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(gymnasium.error.Error, match="greater or equal to zero"):
        env.reset(seed=-1)
    with pytest.raises(ValueError, match="-4"):
        env.reset(seed=[1, -4])
    assert not env.action_masks().any(), "nothing is legal before the first reset"


def test_a_given_deal_that_never_asks_the_learner_is_refused() -> None:
    env = make(num_players=3, opponents="greedy", max_moves=1, seat=0)
    with pytest.raises(ValueError, match="seat 0 is never asked"):
        env.reset(options={"dealer": 0})
    with pytest.raises(ResetNeeded):
        env.step(0)
    assert env.reset()[1]["action_mask"].any(), "a drawn deal is one that asks"


# --------------------------------------------------------------------------------------------- copies, rendering, leaks, training


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copy_in_the_middle_of_a_deal_goes_on_identically(copier: Any) -> None:
    env = make(num_players=3, opponents=["random", "careful"])
    observation, info = env.reset(seed=SEED)
    *_, (observation, _, _, _, info) = play(env, observation, info, 4)
    twin = copier(env)
    ahead = list(play(env, observation, info, 60))
    assert_same(ahead, list(play(twin, observation, info, 60)))
    assert_same(env.reset(), twin.reset())


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"])
def test_a_copy_of_a_vector_goes_on_identically(copier: Any) -> None:
    env = make_vec(4, num_players=3, opponents=["random", "careful"], threads=2)
    result: Any = env.reset(seed=SEED)
    for _ in range(5):
        result = env.step(choose_rows(result[0], result[-1]["action_mask"]))
    twin, other = copier(env), result
    for _ in range(40):
        result = env.step(choose_rows(result[0], result[-1]["action_mask"]))
    for _ in range(40):
        other = twin.step(choose_rows(other[0], other[-1]["action_mask"]))
    assert_same(result, other)


def test_text_shows_the_learners_cards_and_no_others() -> None:
    hidden, shown = (make(num_players=2, opponents="greedy", seat=0, render_mode="ansi", reveal=reveal) for reveal in (False, True))
    given = {"deck": DECK, "dealer": 1, "trump_card": "As"}
    for env in (hidden, shown):
        env.reset(options=given)
    # two cards of the stump to each seat, then four to each hand
    assert "4 in hand: J♣ Q♣ K♣ 10♣ · stump ▒▒ ▒▒" in hidden.render()
    assert "A♣" not in hidden.render().replace("A♠", "") and "A♣" in shown.render() and "▒▒" not in shown.render()


def test_human_prints_when_the_learner_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    env = make(num_players=2, opponents="greedy", render_mode="human")
    observation, info = env.reset(seed=SEED)
    assert capsys.readouterr().out.count("Пень") == 1
    env.step(fickle(observation, info["action_mask"]))
    assert capsys.readouterr().out.count("Пень") == 1
    vector = make_vec(3, num_players=2, opponents="greedy", render_mode="human")
    vector.reset()
    assert capsys.readouterr().out.count("Пень") == 3 and vector.render() is None


def test_rendering_by_vector_and_list() -> None:
    vector = make_vec(3, num_players=2, opponents="greedy", render_mode="ansi")
    vector.reset()
    assert len(vector.render()) == 3 and all("player_1" in text for text in vector.render())
    env = make(num_players=2, opponents="greedy", render_mode="ansi_list")
    observation, info = env.reset()
    env.step(fickle(observation, info["action_mask"]))
    assert len(env.render()) == 2
    with pytest.warns(UserWarning, match="render_mode"):
        assert make(num_players=2).unwrapped.render() is None


def shown(env: Any) -> tuple[Any, ...]:
    """All that the learner gets."""
    tables = env.unwrapped.tables
    return tables.observe(), env.unwrapped.action_masks(), env.unwrapped._infos(np.ones(4, bool), tables.needs_reset), env.render()


@pytest.mark.parametrize("reveal", [False, True])
@pytest.mark.parametrize("players", [2, 4, 6])
def test_nothing_hidden_is_shown(players: int, reveal: bool) -> None:
    """Also the other way round: with `reveal` the same test does find the leak."""
    env = make_vec(4, num_players=players, opponents=Fickle(), render_mode="ansi", reveal=reveal)
    streams = rng.streams(SEED, 4)
    observations, infos = env.reset(seed=SEED)
    leaks = 0
    for _ in range(40):
        before, twin = shown(env), copy.deepcopy(env)
        batch = twin.unwrapped.tables.batch
        batch._states[:] = batch.determinize(twin.unwrapped.tables.learner.seats, streams)
        rows = np.arange(4)
        GAME.loops.refresh_rows(batch._states, rows, 0, 4, batch._observations, batch._masks, batch._seats)
        after = shown(twin)
        assert_same(before[:3], after[:3])
        leaks += before[3] != after[3]
        observations, _, _, _, infos = env.step(choose_rows(observations, infos["action_mask"]))
    assert leaks > 20 if reveal else leaks == 0


def test_maskable_ppo_learns_through_make() -> None:
    contrib = pytest.importorskip("sb3_contrib")
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    env = make(num_players=3, opponents="careful")
    assert is_masking_supported(env)
    env.reset(seed=SEED)
    assert get_action_masks(env).sum() == env.unwrapped.action_masks().sum() > 0
    model = contrib.MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=64, n_epochs=1, seed=SEED, device="cpu")
    model.learn(128)
    assert model.num_timesteps == 128 and model.ep_info_buffer


def test_a_trained_agent_plays_from_its_file(tmp_path: Any) -> None:
    from penzoo.agents.policy import Layers, describe, save_policy

    size, actions = GAME.observation_layout(3).size, len(GAME.actions)
    layers = Layers([np.zeros((actions, size), np.float32)], [np.zeros(actions, np.float32)], "tanh")
    path = save_policy(tmp_path / "agent.safetensors", layers, describe(GAME, 3, layers, "sample", "flat"))
    env = make(num_players=3, opponents=[path, str(path)])
    assert_same(first_steps(env, SEED), first_steps(env, SEED))
    with pytest.raises(ValueError, match="tables of 3, not of 2"):
        make(num_players=2, opponents=path)
    assert make_agent("random").act(*(np.zeros((0, n)) for n in (size, actions))).shape == (0,)
