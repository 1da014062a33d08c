"""Trained agents as files: plain tensors and a description, nothing executed, and every mismatch told."""

import itertools
import json
import pickletools
import struct
import subprocess
import sys

import numpy as np
import pytest
from safetensors.numpy import save_file

from penzoo.agents import make_agent
from penzoo.agents.policy import Layers, PolicyAgent, describe, load_policy, save_policy
from penzoo.envs import get_game
from penzoo.envs.batch import Batch

PLAYERS = 3
HIDDEN = 8
ROWS = 64
GAME = get_game("pen")
SIZES = (GAME.observation_layout(PLAYERS).size, HIDDEN, len(GAME.actions))


def random_layers(seed=0, activation="relu", sizes=SIZES):
    generator = np.random.default_rng(seed)
    shapes = list(itertools.pairwise(sizes))
    weights = [generator.normal(size=(outputs, inputs)).astype(np.float32) for inputs, outputs in shapes]
    return Layers(weights, [generator.normal(size=outputs).astype(np.float32) for _, outputs in shapes], activation)


@pytest.fixture
def layers():
    return random_layers()


@pytest.fixture
def description(layers):
    return describe(GAME, PLAYERS, layers, "sample", "tester", decisions=7, training={"seed": 3}, versions={"torch": "none"})


@pytest.fixture
def path(tmp_path, layers, description):
    return save_policy(tmp_path / "agent.safetensors", layers, description)


@pytest.fixture(scope="module")
def rows():
    batch = Batch(GAME, ROWS, seed=0, num_players=PLAYERS)
    agent = make_agent("random", seed=0)
    for _ in range(20):
        batch.step(agent.act(batch.observations, batch.masks))
    return batch.observations.copy(), batch.masks.copy()


def rewrite(path, change):
    """Change an agent's file: `change` gets its tensors and its description, and may change both."""
    agent = load_policy(path)
    tensors = {f"layers.{k}.weight": w for k, w in enumerate(agent.layers.weights)}
    tensors |= {f"layers.{k}.bias": b for k, b in enumerate(agent.layers.biases)}
    values = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    change(tensors, values)
    save_file(tensors, path, metadata={"penzoo": json.dumps(values)})


def test_a_file_gives_the_same_agent(path, layers, description, rows):
    agent = load_policy(path, seed=5)
    for mine, read in zip(layers.weights, agent.layers.weights, strict=True):
        np.testing.assert_array_equal(mine, read)
    assert (agent.name, agent.game, agent.num_players, agent.choice) == ("tester", "pen", PLAYERS, "sample")
    assert agent.description.training == {"seed": 3}
    assert agent.description.decisions == 7
    assert set(agent.description.versions) == {"penzoo", "numpy", "torch"}
    original = PolicyAgent(layers, description, seed=5)
    np.testing.assert_array_equal(agent.act(*rows), original.act(*rows))


def test_the_description_can_be_read_beside_the_file(path):
    beside = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    assert beside["observation"][0] == ["hand", 36]
    assert sum(size for _, size in beside["observation"]) == beside["layers"][0]
    assert sum(size for _, size in beside["actions"]) == beside["layers"][-1]


def test_make_agent_reads_it(path):
    assert make_agent(path, "pen", PLAYERS, 0).name == "tester"
    with pytest.raises(ValueError, match="tables of 3, not of 4"):
        make_agent(path, "pen", 4, 0)


def test_a_file_holds_nothing_that_is_executed(path):
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__")
    assert {tensor["dtype"] for tensor in header.values()} == {"F32"}
    assert max(tensor["data_offsets"][1] for tensor in header.values()) == len(data) - 8 - length
    with pytest.raises(ValueError):  # any of pickletools' complaints
        list(pickletools.genops(data))


def test_loading_needs_neither_torch_nor_pickle(path):
    code = (
        "import sys\n"
        "class Banned:\n"
        "    def __getattr__(self, name): raise AssertionError(f'pickle.{name} was used')\n"
        "from penzoo.agents.policy import load_policy\n"
        "import pickle\n"
        "pickle.load = pickle.loads = pickle.Unpickler = Banned()\n"
        f"agent = load_policy({str(path)!r})\n"
        "assert agent.name == 'tester'\n"
        "assert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


@pytest.mark.parametrize("choice", ["sample", "best"])
@pytest.mark.parametrize("activation", ["relu", "tanh"])
def test_every_action_is_legal(rows, choice, activation):
    observations, masks = rows
    layers = random_layers(1, activation)
    agent = PolicyAgent(layers, describe(GAME, PLAYERS, layers, choice, "tester"), seed=0)
    for _ in range(20):
        actions = agent.act(observations, masks)
        assert actions.dtype == np.int64
        assert masks[np.arange(ROWS), actions].all()


def test_draws_follow_the_distribution(rows):
    observations, masks = rows
    layers = random_layers(2)
    layers.weights[-1][:] *= 0.1
    agent = PolicyAgent(layers, describe(GAME, PLAYERS, layers, "sample", "tester"), seed=0)
    draws = 4000
    row = int(np.argmax(masks.sum(axis=1)))
    expected = agent.probabilities(observations[[row]], masks[[row]])[0]
    assert expected.sum() == pytest.approx(1)
    assert not expected[masks[row] == 0].any()
    actions = agent.act(np.repeat(observations[[row]], draws, 0), np.repeat(masks[[row]], draws, 0))
    np.testing.assert_allclose(np.bincount(actions, minlength=len(expected)) / draws, expected, atol=0.04)


def test_best_is_the_likeliest(rows):
    layers = random_layers(3)
    agent = PolicyAgent(layers, describe(GAME, PLAYERS, layers, "best", "tester"))
    np.testing.assert_array_equal(agent.act(*rows), agent.probabilities(*rows).argmax(axis=1))


def test_huge_logits_still_draw_a_legal_action(rows):
    observations, masks = rows
    layers = random_layers(4)
    layers.weights[-1][:] *= 1e6
    agent = PolicyAgent(layers, describe(GAME, PLAYERS, layers, "sample", "tester"), seed=0)
    assert masks[np.arange(ROWS), agent.act(observations, masks)].all()


def test_a_seed_repeats_the_draws(rows):
    layers = random_layers(5)
    layers.weights[-1][:] *= 0.01
    agent = PolicyAgent(layers, describe(GAME, PLAYERS, layers, "sample", "tester"), seed=9)
    first = agent.act(*rows)
    assert (agent.act(*rows) != first).any()
    agent.reseed(9)
    np.testing.assert_array_equal(agent.act(*rows), first)


def test_observations_of_another_table_are_refused(path):
    size = GAME.observation_layout(4).size
    with pytest.raises(ValueError, match=f"3 players.*not of {size}"):
        load_policy(path).act(np.zeros((1, size), np.float32), np.ones((1, len(GAME.actions)), np.int8))


def test_a_foreign_suffix_is_refused(tmp_path, layers, description):
    with pytest.raises(ValueError, match=r"ends in \.safetensors"):
        save_policy(tmp_path / "agent.pt", layers, description)


def test_an_unknown_choice_is_refused(path):
    with pytest.raises(ValueError, match="choice 'worst' does not exist: there are sample, best"):
        load_policy(path, choice="worst")
    assert load_policy(path, choice="best").choice == "best"


def test_a_missing_file_is_told(tmp_path):
    with pytest.raises(FileNotFoundError, match="does not exist"):
        load_policy(tmp_path / "none.safetensors")


BAD_BYTES = {
    "empty": (lambda data: b"", "no whole"),
    "cut": (lambda data: data[: len(data) // 2], "no whole"),
    "noise": (lambda data: bytes(range(256)) * 8, "no whole"),
    "pickle": (lambda data: b"\x80\x04K\x01.", "no whole"),
}


@pytest.mark.parametrize("kind", BAD_BYTES)
def test_a_damaged_file_is_told(path, kind):
    spoil, message = BAD_BYTES[kind]
    path.write_bytes(spoil(path.read_bytes()))
    with pytest.raises(ValueError, match=message):
        load_policy(path)


def _set(**changes):
    return lambda tensors, values: values.update(changes)


BAD_CONTENT = {
    "game": (_set(game="whist"), "game 'whist' does not exist"),
    "rules": (_set(game_version=99), "made for pen_v99: this PenZoo plays pen_v0"),
    "players": (_set(num_players=17), "num_players=17 is not possible"),
    "format": (_set(format_version=99), "description of format 99"),
    "activation": (_set(activation="exec"), "activation 'exec' does not exist"),
    "choice": (_set(choice="worst"), "choice 'worst' does not exist"),
    "field": (_set(surprise=1), "the description is damaged"),
    "weight of no kind": (_set(advice_weight="much"), "the description is damaged"),
    "weight without bounds": (_set(advice_weight=float("inf")), "advice_weight=inf is not possible: it is a finite number"),
    "layers": (_set(layers=[1, 2]), "tensors"),
    "no layers": (_set(layers=[]), "tensors"),
    "layers of no kind": (_set(layers=None), "damaged"),
    "pieces of no kind": (_set(observation=[1, 2]), "damaged"),
    "piece": (
        lambda tensors, values: values["observation"][1].__setitem__(0, "heap"),
        "part 1 was heap of size 36, and is pile of size 36 now",
    ),
    "less": (lambda tensors, values: values["observation"].pop(), "was nothing, and is seat_2.known"),
    "action": (lambda tensors, values: values["actions"].append(["pass", 1]), "part 2 was pass of size 1, and is nothing now"),
    "missing": (lambda tensors, values: tensors.pop("layers.1.bias"), "layers .* have"),
    "strange": (lambda tensors, values: tensors.update(more=np.zeros(1, np.float32)), "tensors .*more"),
    "shape": (lambda tensors, values: tensors.update({"layers.1.bias": np.zeros(3, np.float32)}), "tensor layers.1.bias"),
    "kind": (lambda tensors, values: tensors.update({"layers.1.bias": np.zeros(37)}), "float64"),
    "nan": (lambda tensors, values: tensors["layers.0.weight"].__setitem__((0, 0), np.nan), "finite"),
}


@pytest.mark.parametrize("kind", BAD_CONTENT)
def test_what_does_not_fit_is_told(path, kind):
    change, message = BAD_CONTENT[kind]
    rewrite(path, change)
    with pytest.raises(ValueError, match=message) as caught:
        load_policy(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("metadata", [None, {}, {"format": "pt"}, {"penzoo": "{"}, {"penzoo": "[]"}, {"penzoo": "{}"}])
def test_tensors_of_others_are_told(tmp_path, metadata):
    path = tmp_path / "other.safetensors"
    save_file({"x": np.zeros(3, np.float32)}, path, metadata=metadata)
    with pytest.raises(ValueError, match=r"no description|damaged|format None"):
        load_policy(path)
