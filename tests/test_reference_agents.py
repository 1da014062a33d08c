"""The trained agents that ship with the package: what they are, how they were made, and how strong they are."""

import json
from importlib import resources

import numpy as np
import pytest

from penzoo.agents import agent_names, heuristic_names, make_agent, reference_files
from penzoo.agents.heuristics import make_heuristic
from penzoo.envs import GAMES
from penzoo.envs.batch import Batch
from penzoo.eval import evaluate
from penzoo.train.config import load_config, parse_config

AGENTS = {"pen": "ppo", "pengingan": "aggrevate", "kunken": "aggrevate"}
CONFIGS = {game: f"{game}_strong.yaml" for game in AGENTS}
MOST_BYTES = 1_000_000
OF_ONE_RUN = {"seed", "folder", "name", "threads", "env_threads"}
FOLDER = resources.files("penzoo.agents.reference")


def ratings(game):
    return json.loads((FOLDER / f"{game}_{AGENTS[game]}.ratings.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("game", list(GAMES))
def test_each_game_has_one_by_name(game):
    name = AGENTS[game]
    assert list(reference_files(game)) == [name]
    assert agent_names(game) == (*heuristic_names(game), name)
    agent = make_agent(f"{game}:{name}")
    assert (agent.name, agent.game) == (name, game)
    assert make_agent(name, game, num_players=agent.num_players).name == name
    assert len(reference_files(game)[name].read_bytes()) < MOST_BYTES


@pytest.mark.parametrize("game", list(GAMES))
def test_it_was_made_by_a_config_of_the_package(game):
    agent = make_agent(AGENTS[game], game)
    description, config = agent.description, load_config(CONFIGS[game])
    trained = parse_config(json.dumps(description.training))
    differ = {key for key, value in trained.model_dump().items() if value != config.model_dump()[key]}
    assert differ <= OF_ONE_RUN
    assert (config.algorithm, config.players) == (AGENTS[game], agent.num_players)
    assert description.decisions >= config.decisions
    assert {"penzoo", "python", "torch", "numpy", "numba"} <= set(description.versions)
    beside = json.loads((FOLDER / f"{game}_{AGENTS[game]}.json").read_text(encoding="utf-8"))
    assert (beside["training"], beside["versions"]) == (description.training, description.versions)


@pytest.mark.parametrize("game", list(GAMES))
def test_its_ratings_lie_beside_it(game):
    found, name = ratings(game), AGENTS[game]
    agents = {rating["agent"] for rating in found["ratings"]}
    assert agents == {"random", "greedy", "careful", "search:200", "search:2000", name}
    assert (found["game"], found["players"]) == (GAMES[game].id, make_agent(name, game).num_players)
    [pair] = [pair for pair in found["pairs"] if (pair["agent"], pair["opponent"]) == (name, "careful")]
    assert pair["payoff_interval"][0] > 0


@pytest.mark.parametrize("game", list(GAMES))
def test_it_plays(game):
    """It differs from the hand-written agent, at tables of its size, as an agent does that has learned where."""
    agent, careful = make_agent(AGENTS[game], game), make_heuristic("careful", game)
    batch = Batch(GAMES[game], 64, seed=2, num_players=agent.num_players, auto_single=True)
    alike = []
    for _ in range(60):
        actions = agent.act(batch.observations, batch.masks)
        choice = batch.masks.sum(axis=1) > 1
        alike.append((actions == careful.act(batch.observations, batch.masks))[choice])
        batch.step(actions)
    batch.close()
    least, most = (0.3, 0.95) if AGENTS[game] == "ppo" else (0.7, 0.999)
    assert least < np.concatenate(alike).mean() < most


def test_it_beats_careful_in_pen():
    name, config = AGENTS["pen"], load_config(CONFIGS["pen"])
    others = ["careful"] * (config.players - 1)
    row = evaluate([name, *others], "pen", players=config.players, deals=100, seed=3, options=config.options).rows[0]
    assert row.payoff_interval.low > 0
    assert row.share_intervals["losses"].high < 1 / config.players
