"""Training: the vector environment, the pool, and whole short runs in a folder."""

import contextlib
import io
import json
import re
import time
from collections import Counter

import echo_game
import numpy as np
import pytest
import torch
import yaml
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from penzoo.agents import make_agent
from penzoo.agents.policy import load_policy
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.learner import LEARNER, LearnerBatch, fixed_seating
from penzoo.train import training as training_module
from penzoo.train.clock import Clock
from penzoo.train.config import NetworkConfig, parse_config
from penzoo.train.network import policy_arguments, policy_layers
from penzoo.train.pool import PRESENT, Pool
from penzoo.train.run import make_training, train
from penzoo.train.training import Every
from penzoo.train.vecenv import DealVecEnv

torch.set_num_threads(1)
PEN, PENGINGAN = get_game("pen"), get_game("pengingan")
PLAYERS = 3
ENVS = 16

# ------------------------------------------------------------------------------------------------------ the vector environment


def pen_vecenv(num_envs=ENVS, *, agent="greedy", bootstrap=False, seat=None, **options):
    batch = Batch(PEN, num_envs, seed=0, num_players=PLAYERS, autoreset=False, **options)
    learner = LearnerBatch(batch, [make_agent(agent, "pen", PLAYERS, 1)], fixed_seating(PLAYERS, 1, seat), seed=0)
    return DealVecEnv(learner, bootstrap_truncated=bootstrap)


def pengingan_vecenv(reward_scale=1.0, num_envs=ENVS, **options):
    batch = Batch(PENGINGAN, num_envs, seed=0, num_players=PLAYERS, autoreset=False, **options)
    learner = LearnerBatch(batch, [make_agent("random", seed=1)], fixed_seating(PLAYERS, 1), seed=0)
    return DealVecEnv(learner, reward_scale=reward_scale)


def play(env, steps, seed=0):
    """Random play; yields what each step gave, with what was shown before it."""
    agent = make_agent("random", seed=seed)
    env.seed(seed)
    observations = env.reset()
    for _ in range(steps):
        masks = get_action_masks(env)
        seats = env.learner.seats.copy()
        step = env.step(agent.act(observations, masks))
        yield observations, masks, seats, step
        observations = step[0]


def test_shapes_and_kinds():
    env = pen_vecenv()
    assert is_masking_supported(env)
    assert not env.has_attr("no_such_thing")
    for observations, masks, _, (after, rewards, dones, infos) in play(env, 5):
        for array in (observations, after):
            assert array.shape == (ENVS, *env.observation_space.shape)
            assert array.dtype == np.float32
            assert all(env.observation_space.contains(row) for row in array)
        assert masks.shape == (ENVS, env.action_space.n)
        assert (rewards.shape, rewards.dtype) == ((ENVS,), np.float32)
        assert (dones.shape, dones.dtype) == ((ENVS,), np.bool_)
        assert len(infos) == ENVS


def test_what_was_given_is_not_changed_later():
    env = pen_vecenv()
    kept = [(observations, observations.copy(), dones, dones.copy()) for *_, (observations, _, dones, _) in play(env, 20)]
    for observations, copy, dones, dones_copy in kept:
        np.testing.assert_array_equal(observations, copy)
        np.testing.assert_array_equal(dones, dones_copy)


def test_masks_are_of_the_deals_that_are_asked_for():
    env = pen_vecenv()
    env.reset()
    masks = env.action_masks()
    np.testing.assert_array_equal(np.stack(env.env_method("action_masks")), masks)
    np.testing.assert_array_equal(env.env_method("action_masks", indices=[3, 1]), masks[[3, 1]])
    np.testing.assert_array_equal(env.env_method("action_masks", indices=2), masks[[2]])
    with pytest.raises(AttributeError, match="no method 'close_deal'"):
        env.env_method("close_deal")


def test_every_observation_is_the_learners_at_its_own_decision():
    env = pen_vecenv()
    to_move = PEN.observation_layout(PLAYERS).slices["seat_0.to_move"]
    for observations, masks, _, _ in play(env, 60):
        assert (observations[:, to_move] == 1).all()
        assert masks.any(axis=1).all()


def test_the_info_of_an_ended_deal_holds_the_learners_last_view_its_return_and_its_decisions():
    env, counts, sums, ended = pen_vecenv(), np.zeros(ENVS, int), np.zeros(ENVS), 0
    moves_at = PEN.observation_layout(PLAYERS).slices["moves"].start
    for observations, _, _, (_, rewards, dones, infos) in play(env, 300):
        counts, sums = counts + 1, sums + rewards
        for row in np.flatnonzero(dones):
            assert infos[row]["episode"] == {"r": pytest.approx(sums[row], abs=1e-6), "l": counts[row]}
            assert infos[row]["terminal_observation"][moves_at] > observations[row][moves_at]
            ended += 1
        assert all(not infos[row] for row in np.flatnonzero(~dones))
        counts[dones], sums[dones] = 0, 0
    assert ended > ENVS
    assert env.moves > 20 * ended


@pytest.mark.parametrize("auto_single", [False, True])
def test_rewards_are_scaled_and_the_return_of_a_deal_is_in_chips(auto_single):
    env, sums, returns = pengingan_vecenv(0.125, auto_single=auto_single), np.zeros(ENVS), []
    for _, _, _, (_, rewards, dones, infos) in play(env, 150):
        assert not (rewards % 0.125).any()
        sums += rewards
        for row in np.flatnonzero(dones):
            returns.append(infos[row]["episode"]["r"])
            assert returns[-1] == sums[row] / 0.125
        sums[dones] = 0
    assert len(returns) > ENVS
    assert max(map(abs, returns)) > 3


def test_the_scale_changes_nothing_but_the_rewards():
    plain, scaled = (list(play(pengingan_vecenv(scale, auto_single=True), 60)) for scale in (1.0, 0.5))
    for (*_, (observations, rewards, dones, _)), (*_, (same, halved, same_dones, _)) in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(observations, same)
        np.testing.assert_array_equal(dones, same_dones)
        np.testing.assert_array_equal(rewards / 2, halved)


def test_with_auto_single_the_learner_decides_between_at_least_two():
    env, first = pengingan_vecenv(auto_single=True), np.ones(ENVS, bool)
    for _, masks, _, (_, _, dones, _) in play(env, 60):
        assert (masks.sum(axis=1)[~first] > 1).all()  # the first decision of a deal is asked whatever it is
        first = dones


@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_truncated_deal_is_reported_as_configured(bootstrap):
    env, truncated = pen_vecenv(agent="random", bootstrap=bootstrap, max_moves=30), 0
    for _, _, _, (_, rewards, dones, infos) in play(env, 30):
        truncated += sum(infos[row]["TimeLimit.truncated"] for row in np.flatnonzero(dones))
        assert not rewards.any()
    assert bool(truncated) == bootstrap


def test_the_seat_is_drawn_anew_for_each_deal():
    env, seen = pen_vecenv(), Counter()
    for _, _, seats, (_, _, dones, _) in play(env, 200):
        seen.update(seats[dones].tolist())
    assert set(seen) == set(range(PLAYERS))
    assert min(seen.values()) > sum(seen.values()) / PLAYERS / 2


def test_a_seed_repeats_everything():
    first = [step for *_, step in play(pen_vecenv(), 100, seed=5)]
    second = [step for *_, step in play(pen_vecenv(), 100, seed=5)]
    for (observations, rewards, dones, _), (same, same_rewards, same_dones, _) in zip(first, second, strict=True):
        np.testing.assert_array_equal(observations, same)
        np.testing.assert_array_equal(rewards, same_rewards)
        np.testing.assert_array_equal(dones, same_dones)
    other = [step for *_, step in play(pen_vecenv(), 1, seed=6)]
    assert (other[0][0] != first[0][0]).any()


def test_one_deal_at_a_time_is_what_a_loop_by_hand_gives():
    env, greedy = pen_vecenv(1), make_agent("greedy", "pen")
    by_hand = Batch(PEN, 1, num_players=PLAYERS, autoreset=False)
    agent = make_agent("random", seed=0)
    env.seed(3)
    observations = env.reset()
    by_hand.reset(3)
    learner, paid, deals = int(env.learner.seats[0]), 0.0, 0

    def others():
        paid = 0.0
        while by_hand.seats[0] != learner and not by_hand.ended[0]:
            by_hand.step(greedy.act(by_hand.observations, by_hand.masks))
            paid += by_hand.rewards[0, learner]
        return paid

    others()
    for _ in range(300):
        np.testing.assert_array_equal(observations, by_hand.observations)
        np.testing.assert_array_equal(env.action_masks(), by_hand.masks)
        action = agent.act(observations, by_hand.masks)
        observations, rewards, dones, infos = env.step(action)
        by_hand.step(action)
        paid = by_hand.rewards[0, learner] + others()
        assert rewards[0] == np.float32(paid)
        assert dones[0] == by_hand.ended[0]
        if dones[0]:
            deals += 1
            np.testing.assert_array_equal(infos[0]["terminal_observation"], by_hand.observe(np.array([learner]))[0])
            by_hand.reset()
            learner = int(env.learner.seats[0])
            others()
    assert deals > 3


# ------------------------------------------------------------------------------------------------------ credit, in a known game


class Misnames:
    """Never names the card."""

    def act(self, observations, masks):
        return 1 - observations[:, 0].astype(np.int64)


def echo_vecenv(players, num_envs=32):
    batch = Batch(echo_game.GAME, num_envs, seed=0, num_players=players, autoreset=False)
    return DealVecEnv(LearnerBatch(batch, [Misnames()], fixed_seating(players, 1), seed=0))


@pytest.mark.parametrize("players", [2, 3])
def test_the_vector_environment_pays_the_value_of_the_tiny_game(players):
    env = echo_vecenv(players)
    observations = env.reset()
    for _ in range(echo_game.ROUNDS):
        observations, _, dones, infos = env.step(observations[:, 0].astype(np.int64))
    assert dones.all()
    assert {info["episode"]["r"] for info in infos} == {echo_game.best_value(players)}


@pytest.mark.parametrize("players", [2, 3])
def test_ppo_learns_the_value_and_the_play_of_the_tiny_game(players):
    env = echo_vecenv(players)
    model = MaskablePPO(
        "MlpPolicy", env, n_steps=16, batch_size=256, n_epochs=8, gamma=1.0, learning_rate=5e-3, seed=0, device="cpu",
        policy_kwargs={"net_arch": [32]},
    )  # fmt: skip
    model.learn(32 * 16 * 24)
    moves = np.eye(echo_game.ROUNDS * players)[:players]  # a learner's first decision may come after 0 to players-1 moves
    first = np.array([[card, *row] for card in (0, 1) for row in moves], np.float32)
    with torch.no_grad():
        tensor = torch.from_numpy(first)
        values = model.policy.predict_values(tensor).numpy().ravel()
        probabilities = model.policy.get_distribution(tensor).distribution.probs.numpy()
    right = probabilities[np.arange(len(first)), first[:, 0].astype(int)]
    assert (right > 0.95).all(), right
    np.testing.assert_allclose(values, echo_game.best_value(players), atol=0.15)


# -------------------------------------------------------------------------------------------------------------------- the pool


def small_config(tmp_path, *overrides):
    text = """
    {name: small, decisions: 512, num_envs: 16, threads: 1, checkpoint_every: 128,
     network: {layers: [16, 8]}, ppo: {n_steps: 8, batch_size: 64, n_epochs: 2},
     pool: {present: 0.2, past: 0.3, heuristics: {greedy: 0.4, random: 0.1}, size: 2, snapshot_every: 128},
     options: {max_moves: 60},
     progress: {deals: 2, every: 256}, evaluation: {deals: 4}}
    """
    return parse_config(text, [f"folder={tmp_path}", *overrides])


def fake_pool(tmp_path, *overrides):
    config = small_config(tmp_path, *overrides)
    policy = MaskablePPO("MlpPolicy", pen_vecenv(1), policy_kwargs=policy_arguments(config.network, PEN, PLAYERS), device="cpu").policy

    def present(seed):
        layers = policy_layers(policy)
        from penzoo.agents.policy import PolicyAgent, describe

        return PolicyAgent(layers, describe(PEN, PLAYERS, layers, "sample", "small"), seed)

    return Pool(config, present, tmp_path, 0, Clock()), policy


def shares_at(pool, deals=20_000):
    assignment = pool.seating(deals, np.random.default_rng(0))
    assert ((assignment == LEARNER).sum(axis=1) == 1).all()
    others = assignment[assignment != LEARNER]
    return np.bincount(others, minlength=len(pool.actors)) / len(others)


def test_opponents_are_drawn_in_their_shares(tmp_path):
    pool, _ = fake_pool(tmp_path)
    # the present self, greedy, random, two past selves
    np.testing.assert_allclose(shares_at(pool), [0.5, 0.4, 0.1, 0, 0], atol=0.02)
    pool.snapshot(100)
    np.testing.assert_allclose(shares_at(pool), [0.2, 0.4, 0.1, 0.3, 0], atol=0.02)
    pool.snapshot(200)
    np.testing.assert_allclose(shares_at(pool), [0.2, 0.4, 0.1, 0.15, 0.15], atol=0.02)


def test_the_learner_sits_in_every_seat_alike(tmp_path):
    pool, _ = fake_pool(tmp_path)
    seats = np.argmax(pool.seating(6000, np.random.default_rng(0)) == LEARNER, axis=1)
    np.testing.assert_allclose(np.bincount(seats) / 6000, 1 / PLAYERS, atol=0.03)


def test_a_share_of_nothing_is_never_drawn(tmp_path):
    pool, _ = fake_pool(tmp_path, "pool.past=0", "pool.present=0", "pool.heuristics.random=0")
    pool.snapshot(100)
    np.testing.assert_array_equal(shares_at(pool, 1000), [0, 1, 0, 0, 0])


def test_the_newest_past_self_takes_the_place_of_the_oldest_and_stays_as_it_was(tmp_path):
    pool, policy = fake_pool(tmp_path)
    pool.refresh()
    for decisions in (100, 200, 300):
        with torch.no_grad():
            policy.action_net.bias.fill_(decisions)
        pool.snapshot(decisions)
    with torch.no_grad():
        policy.action_net.bias.fill_(400)
    pool.refresh()
    assert pool.snapshots == [200, 300]
    assert [actor.agent.layers.biases[-1][0] for actor in pool.actors[3:]] == [300, 200]
    assert pool.actors[PRESENT].agent.layers.biases[-1][0] == 400
    assert [path.stem.lstrip("0") for path in sorted(tmp_path.glob("*.safetensors"))] == ["100", "200", "300"]


def test_a_pool_is_restored_as_it_was_at_a_checkpoint(tmp_path):
    pool, _ = fake_pool(tmp_path)
    for decisions in (100, 200, 300):
        pool.snapshot(decisions)
    again, _ = fake_pool(tmp_path)
    again.restore(200)
    assert again.snapshots == [100, 200]
    assert not list(tmp_path.glob("*300*"))
    for actor in again.actors[3:]:
        assert actor.agent.game == "pen"


# ----------------------------------------------------------------------------------------------------------------- the networks


@pytest.mark.parametrize("activation", ["relu", "tanh"])
@pytest.mark.parametrize("shared", [0, 1, 2])
def test_an_agents_distribution_is_that_of_sb3(tmp_path, activation, shared):
    env = pen_vecenv()
    network = NetworkConfig(layers=(16, 8), activation=activation, shared=shared)
    model = MaskablePPO("MlpPolicy", env, policy_kwargs=policy_arguments(network, PEN, PLAYERS), seed=1, device="cpu")
    with torch.no_grad():
        model.policy.action_net.weight.mul_(200)  # SB3 begins close to uniform, where much would pass for equal
    pool, _ = fake_pool(tmp_path)
    agent = pool._present(0)
    agent.layers = policy_layers(model.policy)
    *_, (observations, masks, _, _) = play(env, 10)
    with torch.no_grad():
        expected = model.policy.get_distribution(torch.from_numpy(observations), masks).distribution.probs.numpy()
    found = agent.probabilities(observations, masks)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert np.ptp(found, axis=1).max() > 0.2


def test_a_policy_that_is_no_perceptron_is_refused():
    model = MaskablePPO("MlpPolicy", pen_vecenv(1), policy_kwargs={"activation_fn": torch.nn.ELU}, device="cpu")
    with pytest.raises(ValueError, match="a policy with ELU cannot be written"):
        policy_layers(model.policy)


# ------------------------------------------------------------------------------------------------------------------- whole runs


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    return train(small_config(tmp_path_factory.mktemp("runs")))


def test_a_run_leaves_everything_in_its_folder(finished):
    assert finished.name.startswith("small-")
    config = yaml.safe_load((finished / "config.yaml").read_text(encoding="utf-8"))
    assert parse_config((finished / "config.yaml").read_text(encoding="utf-8")).decisions == config["decisions"] == 512
    [start] = json.loads((finished / "versions.json").read_text(encoding="utf-8"))
    assert {"penzoo", "python", "torch", "stable-baselines3", "sb3-contrib", "numpy", "numba", "seed", "decisions"} <= set(start)
    assert [int(path.stem) for path in sorted((finished / "checkpoints").iterdir())] == [256, 384, 512]
    assert [int(path.stem) for path in sorted((finished / "pool").glob("*.safetensors"))] == [128, 256, 384]
    assert (finished / "agent.json").is_file()
    assert not list(finished.rglob("*.part"))


def test_the_evaluation_is_against_each_baseline(finished):
    evaluation = json.loads((finished / "evaluation.json").read_text(encoding="utf-8"))
    assert list(evaluation) == ["random", "greedy", "careful"]
    for name, values in evaluation.items():
        assert [row["agent"] for row in values["rows"]] == ["small", name]
        assert (values["deals"], values["games"], values["players"]) == (4, 12, PLAYERS)
        assert values["options"]["max_moves"] == 60
    assert "greedy" in (finished / "evaluation.txt").read_text(encoding="utf-8")


def test_the_agent_is_what_the_last_checkpoint_plays(finished):
    agent = load_policy(finished / "agent.safetensors")
    assert agent.description.decisions == 512
    assert agent.description.training["ppo"]["n_steps"] == 8
    model = MaskablePPO.load(finished / "checkpoints" / f"{512:012d}.zip", device="cpu")
    np.testing.assert_array_equal(policy_layers(model.policy).weights[-1], agent.layers.weights[-1])


def test_tensorboard_has_the_scalars(finished):
    events = EventAccumulator(str(finished / "tensorboard")).Reload()
    for name in (
        "against_greedy/losses", "against_random/payoff", "against_careful/losses", "train/entropy", "train/explained_variance",
        "speed/decisions_per_second", "speed/moves_per_second", "speed/share_updates", "rollout/ep_rew_mean",
    ):  # fmt: skip
        assert events.Scalars(name), name
    assert [point.step for point in events.Scalars("against_greedy/losses")] == [384, 512]
    assert all(0 <= point.value <= 4 for point in events.Scalars("train/entropy"))


def test_a_finished_run_is_only_evaluated(finished, capsys):
    before = (finished / "agent.safetensors").read_bytes()
    assert train(resume=finished) == finished
    assert "is only evaluated" in capsys.readouterr().err
    assert load_policy(finished / "agent.safetensors").description.decisions == 512
    assert len(before) == (finished / "agent.safetensors").stat().st_size


@pytest.fixture(scope="module")
def chips(tmp_path_factory):
    """A run whose rewards are scaled to next to nothing, what it printed, and what its rewards were in chips."""
    overrides = (
        "game=pengingan", "num_players=4", "options={auto_single: true, packs: 3}", "ppo.reward_scale=1e-3", "decisions=1024",
        "pool.heuristics={random: 0.5}", "progress.every=512", "evaluation.opponents=[random]", "progress.opponents=[random]",
    )  # fmt: skip
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        folder = train(small_config(tmp_path_factory.mktemp("runs"), *overrides))
    return folder, out.getvalue(), err.getvalue()


def test_what_is_reported_of_a_run_is_in_chips(chips):
    folder, out, err = chips
    evaluation = json.loads((folder / "evaluation.json").read_text(encoding="utf-8"))["random"]
    assert (evaluation["game"], evaluation["payoff_unit"], evaluation["options"]["packs"]) == ("pengingan_v0", "chips", 3)
    row = evaluation["rows"][0]
    assert row["shares"].keys() == {"out"}
    text = (folder / "evaluation.txt").read_text(encoding="utf-8")
    payoff, share = f"{row['payoff']:+.3f}", f"{row['shares']['out']:.1%}"
    for table in (text, out):
        assert re.search(rf"small +{re.escape(payoff)} .* {share} ", table)
        assert "chips" in table
    assert re.search(r" 512 decisions: against random [+-]\d+\.\d{3} chips, out \d+\.\d%", err)
    events = EventAccumulator(str(folder / "tensorboard")).Reload()
    assert events.Scalars("against_random/payoff")[-1].value == pytest.approx(row["payoff"])
    assert events.Scalars("against_random/out")[-1].value == pytest.approx(row["shares"]["out"])
    assert max(abs(point.value) for point in events.Scalars("rollout/ep_rew_mean")) > 0.02


def test_a_run_learns_from_scaled_rewards(tmp_path):
    config = small_config(tmp_path, "ppo.reward_scale=0.25")
    training = make_training(config, training_module.RunFolder.create(config))
    assert training.model.get_env() is training.env
    assert training.env.reward_scale == 0.25
    training.env.close()


def test_the_command_that_evaluates_again_names_game_and_options(chips):
    folder, out, _ = chips
    (command,) = (line for line in out.splitlines() if line.startswith("again: "))
    assert "--game pengingan" in command
    assert "--option packs=3 --option auto_single=true" in command
    assert "--players 4" in command
    assert f"{folder / 'agent.safetensors'} random random random" in command


def weights(training):
    return [parameter.detach().clone() for parameter in training.model.policy.parameters()]


def test_the_same_seed_gives_the_same_agent(tmp_path, finished):
    again = train(small_config(tmp_path))
    for mine, other in zip(
        load_policy(again / "agent.safetensors").layers.weights, load_policy(finished / "agent.safetensors").layers.weights, strict=True
    ):
        np.testing.assert_array_equal(mine, other)


class Interrupts:
    """An evaluation that is interrupted, as by Ctrl-C."""

    def __call__(self, *args, **kwargs):
        raise KeyboardInterrupt


def test_an_interrupted_run_says_how_to_go_on_and_does(tmp_path, capsys, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(training_module, "evaluate", Interrupts())
        with pytest.raises(KeyboardInterrupt):
            train(small_config(tmp_path))
    [folder] = tmp_path.iterdir()
    assert f"interrupted after 256 decisions; go on with: penzoo train --resume {folder}" in capsys.readouterr().err
    assert max(int(path.stem) for path in (folder / "checkpoints").iterdir()) == 256
    assert not (folder / "agent.safetensors").exists()

    config = training_module.RunFolder.open(folder).read_config()
    training = make_training(config, training_module.RunFolder.open(folder))
    assert training.model.num_timesteps == 256
    assert training.pool.snapshots == [128, 256]
    assert training.model.policy.optimizer.state_dict()["state"][0]["step"] > 0
    saved = MaskablePPO.load(folder / "checkpoints" / f"{256:012d}.zip", device="cpu")
    for mine, other in zip(weights(training), saved.policy.parameters(), strict=True):
        assert torch.equal(mine, other)

    assert train(resume=folder) == folder
    starts = json.loads((folder / "versions.json").read_text(encoding="utf-8"))
    assert [start["decisions"] for start in starts] == [0, 256]
    assert load_policy(folder / "agent.safetensors").description.decisions == 512
    assert (folder / "evaluation.json").is_file()


def test_a_run_can_go_on_beyond_its_end_but_not_become_another(tmp_path):
    folder = train(small_config(tmp_path, "decisions=128", "progress.every=0"))
    train(resume=folder, overrides=["decisions=256"])
    assert load_policy(folder / "agent.safetensors").description.decisions == 256
    for override, message in (
        ("network.layers=[4]", "network was"),
        ("num_players=4", "num_players was None"),
        ("sed=1", "did you mean seed"),
    ):
        with pytest.raises(ValueError, match=message):
            train(resume=folder, overrides=[override])
    assert training_module.RunFolder.open(folder).read_config().decisions == 256


def test_what_is_no_run_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="no run folder"):
        train(resume=tmp_path)
    with pytest.raises(ValueError, match="no configuration"):
        train()
    with pytest.raises(ValueError, match="is made already"):
        train(small_config(tmp_path), ["seed=1"])


def test_two_runs_at_the_same_time_have_a_folder_each(tmp_path, monkeypatch):
    monkeypatch.setattr(training_module.RunFolder.create.__globals__["time"], "strftime", lambda form: "now")
    config = small_config(tmp_path)
    folders = [training_module.RunFolder.create(config).path.name for _ in range(3)]
    assert folders == ["small-now", "small-now-2", "small-now-3"]


# ---------------------------------------------------------------------------------------------------------------------- small parts


def test_every_is_due_once_for_each_interval():
    every = Every(100, 250)
    assert [every.is_due(decisions) for decisions in (260, 300, 320, 399, 650, 699, 700)] == [False, True, False, False, True, False, True]
    assert not Every(0, 0).is_due(10**9)


def test_a_stretch_within_another_is_taken_off_it(monkeypatch):
    ticks = iter([0.0, 1.0, 3.0, 7.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))
    clock = Clock()
    with clock.time("outer"), clock.time("inner"):
        pass
    assert clock.seconds == {"outer": 5.0, "inner": 2.0}
    assert list(clock.shares()) == ["outer", "inner"]
