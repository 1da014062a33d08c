"""Configurations: whatever is wrong in one is told by its key, with what would be right."""

import json
from pathlib import Path

import pytest
from pydantic import BaseModel

from penzoo.agents import heuristic_names
from penzoo.train.config import Config, dump_config, load_config, parse_config

CONFIGS = Path(__file__).parent.parent / "configs"

WRONG = {
    "unknown key": ("decision: 5", "key 'decision' does not exist: did you mean decisions"),
    "unknown key far off": ("zzz: 5", "key 'zzz' does not exist: the keys are name, folder, game"),
    "unknown key in a section": ("ppo: {learning_rat: 0.1}", "key 'ppo.learning_rat' does not exist: did you mean ppo.learning_rate"),
    "unknown heuristic": ("pool: {heuristics: {greedi: 1}}", "pool.heuristics: agent 'greedi' does not exist: did you mean greedy"),
    "unknown opponent": ("evaluation: {opponents: [bold]}", "evaluation.opponents: agent 'bold' does not exist: the agents are random"),
    "search without a budget": ("pool: {heuristics: {search: 1}}", "pool.heuristics: agent 'search' is not possible: write search:N"),
    "wrong budget": ("progress: {opponents: ['search:0']}", "progress.opponents: agent 'search:0' is not possible"),
    "no such file": ("evaluation: {opponents: [no.safetensors]}", "evaluation.opponents: no.safetensors does not exist"),
    "no such module": ("evaluation: {opponents: ['nowhere_at_all:act']}", "evaluation.opponents: .*does a module 'nowhere_at_all'"),
    "search of another game": ("pool: {heuristics: {'kunken:search:9': 1}}", "pool.heuristics: agent kunken:search:9 plays kunken"),
    "unknown game": ("game: whist", "game: game 'whist' does not exist"),
    "unknown option": ("options: {beat: true}", "option 'beat' does not exist"),
    "text for an int": ("decisions: many", "decisions='many' is not possible: it takes an int"),
    "number for an int": ("decisions: 1.5", "decisions=1.5 is not possible: it takes an int"),
    "whole number for an int": ("decisions: 1e6", "decisions=1000000.0 is not possible: it takes an int"),
    "bool for an int": ("seed: true", "seed=True is not possible: it takes an int"),
    "text for a number": ("ppo: {gamma: '0.9'}", "ppo.gamma='0.9' is not possible: it takes a number"),
    "number for a flag": ("ppo: {bootstrap_truncated: 1}", "ppo.bootstrap_truncated=1 is not possible: it takes true or false"),
    "number for a list": ("network: {layers: 64}", "network.layers=64 is not possible: it takes a list"),
    "text in a list": ("network: {layers: [a]}", "network.layers.0='a' is not possible: it takes an int"),
    "number for a section": ("pool: 3", "pool=3 is not possible: it takes a section"),
    "nothing": ("seed:", "seed=None is not possible: it takes an int"),
    "negative": ("pool: {present: -1}", "pool.present=-1 is not possible: it takes .*0"),
    "beyond one": ("ppo: {gamma: 1.5}", "ppo.gamma=1.5 is not possible: it takes .*1"),
    "other word": ("device: gpu", "device='gpu' is not possible: it takes 'auto', 'cpu' or 'cuda'"),
    "wrong option": ("options: {must_beat: 3}", "option must_beat=3 is not possible"),
    "option of another game": ("{game: pengingan, options: {must_beat: true}}", "option 'must_beat' does not exist: pengingan has packs"),
    "wrong value of an option": (
        "{game: pengingan, options: {packs: player}}",
        "option packs='player' is not possible: it takes 'players'",
    ),
    "option that does not suit": ("{game: pengingan, num_players: 8, options: {packs: 2}}", "packs=2 is not possible: 8 players need 81"),
    "heuristic of another game": ("{game: pengingan, pool: {heuristics: {nobody: 1}}}", "agent 'nobody' does not exist"),
    "no scale": ("ppo: {reward_scale: 0}", "ppo.reward_scale=0 is not possible: it takes .*0"),
    "wrong players": ("num_players: 9", "num_players=9 is not possible"),
    "nobody": ("pool: {present: 0, past: 0}", "all shares are 0"),
    "too much shared": ("network: {shared: 3}", "shared=3 is not possible"),
    "batch too big": ("num_envs: 1", "ppo.batch_size=.* is not possible: num_envs"),
    "twice": ("seed: 1\nseed: 2", "key 'seed' stands there twice"),
    "no mapping": ("[1, 2]", "no mapping"),
    "no YAML": ("a: [", "no YAML"),
    "a date": ("seed: 2020-01-01", "not JSON serializable"),
}


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_told(what):
    text, message = WRONG[what]
    with pytest.raises(ValueError, match=message) as caught:
        parse_config(text, source="mine.yaml")
    assert "mine.yaml" in str(caught.value)


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(ValueError, match=r"(?s)seed='x'.*decisions='y'"):
        parse_config("{seed: x, decisions: y}")


OVERRIDES = {
    "decisions=5000": lambda config: config.decisions == 5000,
    "ppo.learning_rate=3e-4": lambda config: config.ppo.learning_rate == 3e-4,
    "ppo.ent_coef = 0.1": lambda config: config.ppo.ent_coef == 0.1,
    "network.layers=[32, 16]": lambda config: config.network.layers == (32, 16),
    "pool.heuristics.greedy=0.5": lambda config: config.pool.heuristics["greedy"] == 0.5,
    "ppo.reward_scale=0.1": lambda config: config.ppo.reward_scale == 0.1,
    "options.must_beat=true": lambda config: config.options["must_beat"] is True,
    "pool={present: 1}": lambda config: config.pool.present == 1 and not config.pool.heuristics,
    "name=a.b-c": lambda config: config.name == "a.b-c",
    "num_players=null": lambda config: config.num_players is None,
}


@pytest.mark.parametrize("override", OVERRIDES)
def test_any_value_can_be_overridden(override):
    assert OVERRIDES[override](parse_config("pool: {heuristics: {random: 0.1}}", [override]))


WRONG_OVERRIDES = {
    "decisions": "write key=value",
    "=5": "write key=value",
    "ppo.=5": "write key=value",
    "seed.x=5": "seed is no section",
    "ppo.gamma=high": "ppo.gamma='high' is not possible: it takes a number",
    "pp.gamma=1": "key 'pp' does not exist: did you mean ppo",
    "seed=[": "no YAML",
}


@pytest.mark.parametrize("override", WRONG_OVERRIDES)
def test_a_wrong_override_is_told(override):
    with pytest.raises(ValueError, match=WRONG_OVERRIDES[override]):
        parse_config("seed: 1", [override])


def test_the_last_override_counts():
    assert parse_config("", ["seed=1", "seed=2"]).seed == 2


def test_what_is_left_out_has_its_default():
    assert parse_config("") == Config()
    assert Config().ppo.ent_coef == 0.05


def test_a_dump_reads_back():
    config = parse_config("{seed: 4, options: {must_beat: true}, pool: {heuristics: {greedy: 1}}}", ["network.layers=[3]"])
    assert parse_config(dump_config(config)) == config


def test_a_config_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        Config().seed = 3


def sections(model):
    yield model
    for field in model.model_fields.values():
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from sections(field.annotation)


def test_every_value_is_documented():
    for model in sections(Config):
        for name, field in model.model_fields.items():
            assert field.description, f"{model.__name__}.{name}"


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_our_own_configurations_hold(path):
    config = load_config(path)
    assert config == load_config(path.stem) == load_config(path.name)
    assert config.name == path.stem.replace("_", "-")
    assert config.baselines == heuristic_names(config.game)


@pytest.mark.parametrize(
    ("name", "players"),
    [("pengingan", 4), ("pengingan_6", 6), ("pengingan_strong", 2), ("kunken", 2), ("kunken_4", 4), ("kunken_strong", 4)],
)
def test_rummies_are_trained_without_forced_decisions_and_with_scaled_rewards(name, players):
    config = load_config(name)
    assert (config.game, config.players) == (name.split("_")[0], players)
    assert config.options == {"auto_single": True}
    assert 0 < getattr(config, config.algorithm).reward_scale < 1
    assert (config.network.advisor == "careful") == name.endswith("_strong")


def test_any_option_of_a_game_can_be_trained_on():
    values = {"packs": 5, "extension_pay": "once", "rearrange": False, "forcing": "always", "stock_out": "reshuffle", "max_moves": 500}
    overrides = [f"options.{name}={json.dumps(value)}" for name, value in values.items()]
    assert load_config("pengingan", overrides).options == {"auto_single": True, **values}


def test_a_missing_configuration_is_told():
    names = r"kunken\.yaml, kunken_4\.yaml, kunken_strong\.yaml, pen\.yaml"
    message = rf"configuration none\.yaml does not exist: give a YAML file, or one of {names}"
    with pytest.raises(FileNotFoundError, match=message):
        load_config("none.yaml")


def test_whatever_plays_the_game_may_be_named_as_an_opponent():
    text = (
        "pool: {heuristics: {'search:2': 0.5, 'pen:greedy': 1}}\nprogress: {opponents: ['pen:search:3']}\nevaluation: {opponents: [random]}"
    )
    config = parse_config(text)
    assert list(config.pool.heuristics) == ["search:2", "pen:greedy"] and config.progress.opponents == ("pen:search:3",)
    assert parse_config(dump_config(config)) == config
