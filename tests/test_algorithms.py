"""How runs learn: with a network of cards, by cloning, by AggreVaTe; their curves, and the exploitation of an agent."""

import json
from typing import NamedTuple

import numpy as np
import pytest
import torch
from test_train import PEN, small_config

from penzoo.agents import make_agent
from penzoo.agents.card_layers import card_plan
from penzoo.agents.heuristics import make_heuristic
from penzoo.agents.policy import Layers, PolicyAgent, add_advice, describe, load_policy, save_policy
from penzoo.envs import GAMES
from penzoo.envs.batch import Batch
from penzoo.eval.exact import MINI_STUMP, best_response
from penzoo.train import exploit as exploit_module
from penzoo.train import training as training_module
from penzoo.train.aggrevate import Sampler
from penzoo.train.card_network import CardNetwork
from penzoo.train.curves import last_payoff, read_curves, save_curves
from penzoo.train.exploit import exploit, response_config
from penzoo.train.folder import RunFolder
from penzoo.train.run import make_training, train

torch.set_num_threads(1)
PLAYERS = 3
AGGREVATE = (
    "algorithm=aggrevate",
    "network.advisor=greedy",
    "network.advice_weight=0.01",
    "aggrevate.memory=2000",
    "aggrevate.batch_size=64",
    "progress.opponents=[greedy]",
    "evaluation.opponents=[greedy]",
)


def begin(tmp_path, *overrides):
    config = small_config(tmp_path, *overrides)
    return make_training(config, RunFolder.create(config))


def rows_of(agent="random", steps=15, deals=32):
    """Observations and masks in the middle of deals that an agent plays."""
    batch, agent = Batch(PEN, deals, seed=3, num_players=PLAYERS), make_agent(agent, "pen", seed=0)
    for _ in range(steps):
        batch.step(agent.act(batch.observations, batch.masks))
    return batch.observations.copy(), batch.masks.copy()


# ------------------------------------------------------------------------------------------------------------ a network of cards

CARDS = ("network.kind=cards", "network.layers=[16, 24]", "network.channels=8")


@pytest.mark.parametrize("game", list(GAMES))
def test_torch_and_numpy_compute_the_same_network_of_cards(game):
    table = GAMES[game]
    for players, advised in ((table.min_players, False), (table.max_players, False), (table.min_players, True)):
        plan, actions = card_plan(table, players, advised), len(table.actions)
        assert (plan.size, plan.num_actions) == (table.observation_layout(players).size + actions * advised, actions)
        assert sorted([*plan.planes.ravel(), *plan.others]) == list(range(plan.size))
        assert sorted([*plan.action_planes.ravel(), *plan.other_actions]) == list(range(plan.num_actions))
        network = random_card_network(plan)
        observations = np.random.default_rng(1).random((9, plan.size), np.float32)
        with torch.no_grad():
            logits = network(torch.as_tensor(observations))[0].numpy()
        np.testing.assert_allclose(network.layers()(observations), logits, rtol=1e-4, atol=1e-4 * np.abs(logits).max())


def random_card_network(plan, sizes=(8, 16, 24)):
    network = CardNetwork(plan, sizes)
    generator = torch.Generator().manual_seed(2)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(0.3 * torch.randn(parameter.shape, generator=generator))
    return network


@pytest.mark.parametrize("game", list(GAMES))
def test_suits_and_in_kunken_ranks_are_alike_to_a_network_of_cards(game):
    """What is asked of one card's action is asked of another's when the cards change places: but for what is learned of each card."""
    plan = card_plan(GAMES[game], GAMES[game].default_players, advised=True)
    network = random_card_network(plan)
    with torch.no_grad():
        network.cards.zero_()
    layers, ranks = network.layers(), plan.ranks
    observations = np.random.default_rng(1).random((5, plan.size), np.float32)
    cards = np.arange(4 * ranks).reshape(4, ranks)
    shuffles = [cards[[2, 0, 3, 1]].ravel()]
    if plan.is_round:
        shuffles.append(np.roll(cards, 5, axis=1).ravel())
    else:
        moved = np.roll(cards, 5, axis=1).ravel()
        other = observations.copy()
        other[:, plan.planes] = observations[:, plan.planes[:, moved]]
        assert np.abs(layers(other)[:, plan.action_planes] - layers(observations)[:, plan.action_planes[:, moved]]).max() > 0.01
    for shuffle in shuffles:
        other = observations.copy()
        other[:, plan.planes] = observations[:, plan.planes[:, shuffle]]
        expected = layers(observations)[:, plan.action_planes[:, shuffle]]
        np.testing.assert_allclose(layers(other)[:, plan.action_planes], expected, rtol=1e-3, atol=1e-3)


def test_a_card_sees_its_neighbours_and_not_across_the_end_of_a_suit():
    plan = card_plan(PEN, PLAYERS)
    layers = random_card_network(plan).layers()
    cards = np.zeros((1, 4, plan.ranks, 1), np.float32)
    cards[0, 1, plan.ranks - 1] = 1  # the highest of the second suit
    around = layers._around(cards, (1, -1, 2, -2))[0]
    assert around.shape == (4, plan.ranks, 6)
    assert around[1, :, 0].tolist() == [0] * (plan.ranks - 1) + [1]
    assert not around[1, :, 1].any()  # no card comes after it
    assert np.flatnonzero(around[1, :, 2]).tolist() == [plan.ranks - 2]
    assert np.flatnonzero(around[1, :, 4]).tolist() == [plan.ranks - 3]
    assert around[:, plan.ranks - 1, 5].tolist() == [1, 0, 1, 1]
    assert around.sum() == 1 + 2 + 3


def test_a_run_with_a_network_of_cards(tmp_path):
    training = begin(tmp_path, *CARDS)
    observations, masks = rows_of()
    with torch.no_grad():
        for parameter in training.model.policy.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(1)))
        found = training.model.policy.get_distribution(torch.as_tensor(observations), masks).distribution.probs.numpy()
    np.testing.assert_allclose(training.present(0).probabilities(observations, masks), found, atol=1e-5)
    training.close()
    folder = train(small_config(tmp_path, *CARDS, "name=cards"))
    agent = load_policy(folder / "agent.safetensors")
    assert (agent.layers.kind, agent.description.network, agent.description.layers) == ("cards", "cards", [8, 16, 24])
    again = make_training(RunFolder.open(folder).read_config(), RunFolder.open(folder))
    np.testing.assert_array_equal(again.agent().act(observations, masks), agent.act(observations, masks))
    again.close()


def test_a_file_of_a_network_of_cards_that_is_damaged_is_told(tmp_path):
    layers = random_card_network(card_plan(PEN, PLAYERS)).layers()
    description = describe(PEN, PLAYERS, layers, "best", "cards")
    path = save_policy(tmp_path / "agent.safetensors", layers, description)
    observations, masks = rows_of()
    np.testing.assert_array_equal(load_policy(path).act(observations, masks), PolicyAgent(layers, description).act(observations, masks))
    for changes, complaint in (
        ({"layers": [8, 16]}, "has 3 sizes"),
        ({"layers": [8, 16, 25]}, "shape"),
        ({"network": "graph"}, "network 'graph' does not exist: there are mlp, cards"),
        ({"advisor": "bold"}, "no hand-written agent 'bold'"),
        ({"advisor": "greedy"}, "shape"),  # it would read advice, too
    ):
        save_policy(path, layers, type(description)(**{**vars(description), **changes}))
        with pytest.raises(ValueError, match=complaint):
            load_policy(path)


@pytest.mark.parametrize(
    ("overrides", "complaint"),
    [
        (("network.advisor=bold",), "pen has no hand-written agent 'bold': it has greedy, careful"),
        (("clone.agent=random",), "pen has no hand-written agent 'random'"),
        (("network.advisor=greedy",), "network.advisor is for algorithm='aggrevate'"),
        (("algorithm=aggrevate",), "network.advisor is for algorithm='aggrevate', which needs one"),
        (("algorithm=dqn",), "algorithm='dqn' is not possible"),
        (("network.kind=cards", "network.layers=[16]"), "kind='cards' takes layers of two sizes"),
        (("network.kind=cards", "network.layers=[16, 8]", "network.shared=1"), "kind='cards' takes layers of two sizes"),
        (("network.kind=graph",), "network.kind='graph' is not possible"),
    ],
)
def test_what_cannot_be_is_told(tmp_path, overrides, complaint):
    with pytest.raises(ValueError, match=complaint):
        small_config(tmp_path, *overrides)


# -------------------------------------------------------------------------------------------------------------------- cloning


def test_cloning_imitates(tmp_path):
    training = begin(
        tmp_path,
        "clone.agent=greedy",
        "clone.decisions=20000",
        "clone.learning_rate=3e-3",
        "clone.batch_size=128",
        "decisions=20000",
        "num_envs=64",
        "network.layers=[64]",
        "progress.every=0",
    )
    observations, masks = rows_of("greedy", deals=256)
    greedy = make_heuristic("greedy", "pen").act(observations, masks)
    before = (training.agent().act(observations, masks) == greedy).mean()
    training.learn()
    assert training.decisions >= 20_000
    assert (training.agent().act(observations, masks) == greedy).mean() > max(0.75, before + 0.2)
    training.close()


def test_cloning_ends_with_the_run(tmp_path):
    folder = train(small_config(tmp_path, "clone.agent=careful", "clone.decisions=100000", "evaluation.deals=2", "progress.every=0"))
    assert load_policy(folder / "agent.safetensors").description.decisions == 512


def test_ppo_goes_on_where_cloning_ended(tmp_path):
    folder = train(small_config(tmp_path, "clone.agent=greedy", "clone.decisions=256"))
    assert RunFolder.open(folder).last_checkpoint() == 512
    assert json.loads((folder / "agent.json").read_text(encoding="utf-8"))["decisions"] == 512


# ------------------------------------------------------------------------------------------------------------------- AggreVaTe


@pytest.fixture(scope="module")
def aggrevated(tmp_path_factory):
    return train(small_config(tmp_path_factory.mktemp("runs"), *AGGREVATE, "decisions=2000"))


def test_aggrevate_leaves_what_every_run_leaves(aggrevated):
    agent = load_policy(aggrevated / "agent.safetensors")
    assert agent.description.advisor == "greedy"
    assert agent.description.decisions >= 2000
    assert RunFolder.open(aggrevated).read_progress()
    assert set(json.loads((aggrevated / "evaluation.json").read_text(encoding="utf-8"))) == {"greedy"}


def test_aggrevate_is_repeatable(tmp_path, aggrevated):
    again = train(small_config(tmp_path, *AGGREVATE, "decisions=2000"))
    for one, other in zip(
        load_policy(again / "agent.safetensors").layers.weights, load_policy(aggrevated / "agent.safetensors").layers.weights, strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_aggrevate_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training_module, "evaluate", interrupt)
        with pytest.raises(KeyboardInterrupt):
            train(small_config(tmp_path, *AGGREVATE, "decisions=2000"))
    [folder] = tmp_path.iterdir()
    made = RunFolder.open(folder).last_checkpoint()
    assert 256 <= made < 2000
    assert train(None, resume=folder) == folder
    assert RunFolder.open(folder).last_checkpoint() >= 2000


def test_aggrevate_with_a_network_of_cards(tmp_path):
    small = (*AGGREVATE, *CARDS, "options={auto_single: true}", "decisions=600", "num_envs=64")
    folder = train(small_config(tmp_path, *small, "evaluation.deals=2", "progress.every=0"))
    agent = load_policy(folder / "agent.safetensors")
    assert "folder" not in agent.description.training  # of this machine
    again = make_training(RunFolder.open(folder).read_config(), RunFolder.open(folder))
    observations, masks = rows_of()
    advice = make_heuristic("greedy", "pen").act(observations, masks)
    inputs = add_advice(observations, advice, len(PEN.actions))
    with torch.no_grad():
        promised = again._average.module(torch.as_tensor(inputs))[0].numpy()
    np.testing.assert_allclose(agent.layers(inputs), promised, rtol=1e-4, atol=1e-5)
    promised[np.arange(len(advice)), advice] += np.float32(0.01)
    np.testing.assert_array_equal(agent.act(observations, masks), np.where(masks, promised, -np.inf).argmax(axis=1))
    again.close()


def test_aggrevate_with_more_tries_than_actions_and_with_hardly_a_decision(tmp_path):
    train(small_config(tmp_path, *AGGREVATE, "aggrevate.tries=99", "evaluation.deals=2", "progress.every=0"))
    training = begin(tmp_path, *AGGREVATE)
    before = [weight.copy() for weight in training.layers().weights]
    training._update(1)  # nothing is remembered yet
    assert all(np.array_equal(*pair) for pair in zip(before, training.layers().weights, strict=True))
    training.close()


def test_an_advised_agent_reads_what_its_advisor_would_do(tmp_path):
    observations, masks = rows_of()
    advice = make_heuristic("careful", "pen").act(observations, masks)
    size, actions = observations.shape[1], masks.shape[1]
    inputs = add_advice(observations, advice, actions)
    assert inputs.dtype == np.float32
    np.testing.assert_array_equal(inputs, np.hstack([observations, np.eye(actions)[advice]]))
    other = (advice + 1) % actions
    weights = np.zeros((actions, size + actions), np.float32)
    weights[np.arange(actions), size + (np.arange(actions) - 1) % actions] = 1  # it promises 1 for the action after the advised one
    layers = Layers([weights], [np.zeros(actions, np.float32)], "relu")
    everything = np.ones_like(masks)
    for weight, expected in ((0.9, other), (1.1, advice)):
        description = describe(PEN, PLAYERS, layers, "best", "advised", advisor="careful", advice_weight=weight)
        path = save_policy(tmp_path / "agent.safetensors", layers, description)
        for agent in (PolicyAgent(layers, description), load_policy(path)):
            agent._advisor = FixedAdvice(advice)  # careful itself would read other masks
            np.testing.assert_array_equal(agent.act(observations, everything), expected)
    with pytest.raises(ValueError, match=f"reads observations of size {size} .*, not of {size + actions}"):
        agent.act(inputs, masks)
    description = describe(PEN, PLAYERS, layers, "best", "unadvised")
    path = save_policy(tmp_path / "agent.safetensors", layers, description)
    with pytest.raises(ValueError, match=f"do not lead from observations of size {size} to {actions} actions"):
        load_policy(path)


class FixedAdvice(NamedTuple):
    actions: np.ndarray

    def act(self, observations, masks):
        return self.actions


@pytest.mark.parametrize("learner_share", [0.0, 1.0])
def test_the_gains_are_those_of_playing_on(tmp_path, learner_share):
    """What an action, and then greedy in every seat, brings more than greedy's own action in the same deal."""
    overrides = ("aggrevate.tries=3", "aggrevate.temperature=1.0", f"aggrevate.learner_share={learner_share}", "aggrevate.reward_scale=0.5")
    config = small_config(tmp_path, *AGGREVATE, *overrides)
    sampler, training, greedy = Sampler(config, 5), begin(tmp_path, *AGGREVATE), make_heuristic("greedy", "pen")
    seen = 0
    for _ in range(6):
        labels, batch = sampler.sample(training.agent()), sampler._batch
        rows = np.flatnonzero((batch.masks.sum(axis=1) > 1) & (~sampler._learns | (batch.seats == sampler._seats)))
        np.testing.assert_array_equal(labels.first, greedy.act(batch.observations[rows], batch.masks[rows]))
        for row, first, tried, gains in zip(rows, labels.first, labels.tried, labels.gains, strict=True):
            legal = np.flatnonzero(batch.masks[row])
            actions = tried[tried >= 0]
            assert len(actions) == len(set(actions) - {first}) == min(3, len(legal) - 1)
            assert set(actions) <= set(legal)
            returns = [_return(batch, row, action, greedy) for action in (first, *actions)]
            np.testing.assert_allclose(gains[tried >= 0], 0.5 * (np.array(returns[1:]) - returns[0]), atol=1e-6)
            assert not gains[tried < 0].any()
            seen += np.count_nonzero(gains)
    assert seen > 5
    sampler.close()
    training.close()


def _return(source, row, action, expert):
    """What the seat to move in a row gets from now on by an action, if the expert plays on."""
    batch, seat = Batch(source.game, 1, num_players=PLAYERS, autoreset=False, max_moves=60), source.seats[row]
    batch.from_arrays(source.to_arrays([row]))
    before = batch.returns[0, seat]
    batch.step([action])
    while not batch.ended[0]:
        batch.step(expert.act(batch.observations, batch.masks))
    return batch.returns[0, seat] - before


# ---------------------------------------------------------------------------------------------------------------------- curves


def test_curves_of_several_seeds(tmp_path):
    runs = [
        train(small_config(tmp_path, f"seed={seed}", f"name=seed-{seed}", "progress.opponents=[greedy]", "evaluation.deals=2"))
        for seed in (0, 1)
    ]
    config, curves = read_curves(runs)
    assert config.name == "seed-0"
    assert [(curve.seed, curve.opponent) for curve in curves] == [(0, "greedy"), (1, "greedy")]
    assert all(curve.decisions.tolist() == [256, 512] or curve.decisions.tolist() == [256] for curve in curves)
    mean, interval = last_payoff(curves)
    assert interval.low <= mean <= interval.high
    picture = tmp_path / "curves.png"
    save_curves(config, curves, picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="seed 0 is there twice"):
        read_curves([runs[0], runs[0]])
    with pytest.raises(ValueError, match="was not evaluated against 'careful'"):
        read_curves(runs, ["careful"])
    other = train(small_config(tmp_path, "seed=2", "network.layers=[8]", "evaluation.deals=2"))
    with pytest.raises(ValueError, match="no run of the same configuration"):
        read_curves([runs[0], other])
    quiet = train(small_config(tmp_path, "seed=3", "progress.every=0", "evaluation.deals=2"))
    with pytest.raises(ValueError, match="has no evaluations"):
        read_curves([quiet])
    with pytest.raises(ValueError, match="no runs"):
        read_curves([])


def test_curves_of_a_run_that_went_on_among_others_or_whose_lines_are_damaged(tmp_path):
    config = small_config(tmp_path)
    run = RunFolder.create(config)
    run.write_config(config)
    row = {"payoff": 0.5, "payoff_interval": [0.25, 0.75]}
    run.note_progress(100, {"greedy": {"rows": [row]}})
    run.note_progress(200, {"careful": {"rows": [row]}, "greedy": {"rows": [row]}})
    run.note_progress(300, {"careful": {"rows": [row]}})
    _, curves = read_curves([run.path])
    assert [(curve.opponent, curve.decisions.tolist()) for curve in curves] == [("greedy", [100, 200]), ("careful", [200, 300])]
    for damage in ('{"decis', "[]", '{"decisions": 1}'):
        text = run.progress_path.read_text(encoding="utf-8")
        run.progress_path.write_text(f"{text}{damage}\n", encoding="utf-8")
        with pytest.raises(ValueError, match=r"progress\.jsonl: line 4 is damaged: remove it"):
            read_curves([run.path])
        run.progress_path.write_text(text, encoding="utf-8")


# ----------------------------------------------------------------------------------------------------------------- exploitation


def test_a_best_response_meets_nobody_but_the_agent():
    config = response_config("greedy", "pen", 2, {"max_moves": 60}, None, ["decisions=500"])
    assert config.pool.heuristics == {"greedy": 1.0}
    assert config.pool.present == config.pool.past == 0
    assert config.progress.opponents == config.evaluation.opponents == ("greedy",)
    assert (config.players, config.options["max_moves"], config.decisions) == (2, 60, 500)
    with pytest.raises(ValueError, match="'bold' does not exist"):
        response_config("bold", "pen", 2, {}, None, [])


def test_a_best_response_of_another_game_or_that_would_not_meet_the_agent_is_refused(tmp_path):
    with pytest.raises(ValueError, match="game=kunken is not possible beside the game pen"):
        response_config("random", "pen", 2, {}, None, ["game=kunken", "num_players=2"])
    with pytest.raises(ValueError, match="algorithm=aggrevate is not possible: it learns among its expert, not among random"):
        response_config("random", "pen", 2, {}, None, ["algorithm=aggrevate", "network.advisor=careful"])
    run = RunFolder.create(small_config(tmp_path))
    run.write_config(small_config(tmp_path))
    with pytest.raises(ValueError, match="trains no best response to one agent"):
        exploit("", resume=run.path)
    assert not run.last_checkpoint()


def test_the_exact_value_is_that_of_one_tree_of_all_trump_cards_and_dealers():
    options = {**MINI_STUMP, "max_moves": 5}
    config = response_config("greedy", "pen", 2, options, None, [])
    expected = best_response("pen", options, make_agent("pen:greedy"), dealer=None).exploitability
    assert exploit_module._exact_value(config) == pytest.approx(expected, abs=1e-12)


def test_the_exact_value_of_the_mini_game_is_to_be_had(monkeypatch):
    """Each trump card has a tree of its own, which is below the limit; all of them together are not."""
    walked = []
    monkeypatch.setattr(exploit_module, "best_response", lambda *_, trump_card: walked.append(trump_card) or Valued(len(walked)))
    assert exploit_module._exact_value(response_config("greedy", "pen", 2, MINI_STUMP, None, [])) == 3.5
    assert walked == ["Jc", "Qc", "Kc", "Jd", "Qd", "Kd"]


class Valued(NamedTuple):
    exploitability: float


SMALL_RESPONSE = (
    "num_envs=16",
    "threads=1",
    "network.layers=[16]",
    "network.shared=0",
    "ppo.n_steps=8",
    "ppo.batch_size=64",
    "evaluation.deals=6",
    "progress.every=0",
)


def test_exploit_reports_what_a_best_response_wins(tmp_path):
    overrides = [*SMALL_RESPONSE, "decisions=600", f"folder={tmp_path}"]
    found = exploit("random", "pen", players=2, options={"max_moves": 60}, overrides=overrides)
    assert found.evaluation.agents[-1] == "random"
    assert found.exact is None
    [folder] = tmp_path.iterdir()
    kept = json.loads((folder / "exploit.json").read_text(encoding="utf-8"))
    assert kept["rows"][0]["payoff"] == found.evaluation.rows[0].payoff
    assert "best response to random" in str(found)
    assert exploit("", resume=folder).evaluation.rows[0].payoff == found.evaluation.rows[0].payoff


def test_in_a_small_game_a_trained_response_comes_near_the_exact_one(tmp_path):
    """J Q K in two suits, one card of stump each: random can be beaten by what the tree tells, and no response wins more than that."""
    options = {"lowest_rank": "J", "highest_rank": "K", "suits": 2, "hand_size": 2, "stump_size": 1, "max_moves": 8}
    overrides = [*SMALL_RESPONSE, "decisions=60000", "num_envs=128", "ppo.batch_size=256", "evaluation.deals=2000", f"folder={tmp_path}"]
    found = exploit("random", "pen", players=2, options=options, overrides=overrides, exact=True)
    low, high = found.evaluation.rows[0].payoff_interval
    assert found.exact > 0.2
    assert 0.6 * found.exact < high
    assert low < found.exact
    assert f"wins {found.exact:+.4f}, by walking" in str(found)
    with pytest.raises(ValueError, match="exact value is for 2 players, not for 3"):
        exploit("random", "pen", players=3, overrides=overrides, exact=True)
