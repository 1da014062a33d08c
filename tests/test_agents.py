"""The agents without training: what the heuristics choose in given positions, how strong and how blind they are, how agents are made.

As a script it prints the heuristics' actions over some deals in this process' mode, compiled or not.
"""

import os
import subprocess
import sys

import contract
import numpy as np
import pytest
from contract import Setting
from positions import PEN, Table
from scipy.stats import chisquare

import penzoo.agents
from penzoo.agents import HEURISTICS, agent_names, heuristic_names, make_agent, policy
from penzoo.agents.base import CallableAgent
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.pen.rules import TAKE
from penzoo.envs.pen.state import HAND

SEED = 3107
NAMES = tuple(HEURISTICS["pen"])
SETTINGS = [Setting(PEN, players, {"must_beat": must_beat}) for players in range(2, 7) for must_beat in (False, True)]
STATES = 400  # in which legality and blindness are looked at, for each setting
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never
NORMAL_95 = 1.96

every_heuristic = pytest.mark.parametrize("name", NAMES)
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)


def choice(name: str, table: Table) -> str:
    """What an agent does in a position, in names."""
    return PEN.actions.name(int(make_agent(name, "pen").act(table.batch.observations, table.batch.masks)[0]))


def states_to_move(setting: Setting, rows: int = STATES) -> Batch:
    """Deals on their way, played at random and by the heuristics; those that have ended are dealt anew."""
    batch = contract.walk(setting, rows, SEED)
    batch.reset(rows=np.flatnonzero(batch.ended))
    return batch


# ------------------------------------------------------------------------------------------------------------------ greedy

# hand, pile from the bottom, trumps, what greedy does
GREEDY = [
    ("Kc 7d 9s", "", "h", "7d"),  # leads its cheapest card
    ("6h Kc As", "", "h", "Kc"),  # and trumps last
    ("6c 6d 7s", "", "d", "6c"),  # of two alike the first by card index
    ("9h Ah 7h", "", "h", "7h"),  # among trumps the lowest
    ("Tc Kc 6h", "Qc", "h", "Kc"),  # beats with the cheapest: the ten is above the king
    ("Tc Ac 6h", "Kc", "h", "Tc"),
    ("9c Th 6h Ad", "Kc", "h", "6h"),  # a trump only where no plain card beats
    ("Jh 6h Ad", "9h", "h", "Jh"),
    ("Qs 7d Kd", "6s 7s Js", "h", "Qs"),  # however little a take would cost
    ("9c 7d Kd", "Ts", "h", "take"),  # takes only when it must
    ("9h Ad", "Jh", "h", "take"),
]


@pytest.mark.parametrize(("hand", "pile", "trumps", "expected"), GREEDY)
def test_greedy_choices(hand, pile, trumps, expected):
    assert choice("greedy", Table([hand, ""], pile=pile, trumps=trumps)) == expected


# ----------------------------------------------------------------------------------------------------------------- careful

BELOW = "6s 8c 6c 7c 8d"  # a pile that nobody wants

# hands (None: a seat that is out), pile from the bottom, stock, known cards, whether seat 0 leads, what careful does; trumps hearts
CAREFUL = [
    # takes of its own will where few cards are taken and they are trumps, rather than give a trump …
    (("Kd 9s 8h Ks", "6c 7s 8s 9c"), "6s Th 9h Qc", "8d 8c", "", False, "take"),
    (("Qh 9s 6d 7d", "6c 7s 8s 9c"), "6s Ah Jh", "8d 8c Ks", "", False, "take"),
    # … but not for rubbish, nor if the best of it lies one card too deep
    (("Kd 9s 8h Ks", "6c 7s 8s 9c"), "7c 6s 8d Qc", "Jd 8c", "", False, "8h"),
    (("Qh 9s 6d 7d", "6c 7s 8s 9c"), "Ah 6s Jh", "8d 8c Ks", "", False, "Qh"),
    # goes out if it can, whatever could be taken
    (("8h 7d", "6d 7s 8s 9c"), "6s Ah Th Qc", "", "", False, "8h"),
    # keeps trumps: beats with an ace rather than with a low trump, and leads a plain card
    (("8h Ad 7s Kc", "6d 9s 8s 9c"), "6s 6c Td", "8d 8c", "", False, "Ad"),
    (("8h 9s Ad Kc", "Ks Kd 6d 7s"), BELOW, "8s 9c", "", True, "9s"),
    # leads what the next player is known not to beat, and the cheaper card where that does not help
    (("7d 7s", "9d Kd"), BELOW, "", "9d Kd", True, "7s"),
    (("7d 7s", "9s Ks"), BELOW, "", "9s Ks", True, "7d"),
    (("7d 8s Ts", "9d Kd"), BELOW, "", "9d Kd", True, "8s"),
    # even a trump, where the next player is known to have to take
    (("6h 7s", "8s"), BELOW, "", "8s", True, "6h"),
    (("6h 7s", "8s"), BELOW, "", "", True, "7s"),
    # the next player is the next one who is not out
    (("7s 7d", None, "9s Qs"), BELOW, "", "9s Qs", True, "7d"),
    (("7s 7d", "Kd", "9s Qs"), BELOW, "", "Kd 9s Qs", True, "7s"),
]


@pytest.mark.parametrize(("hands", "pile", "stock", "known", "leads", "expected"), CAREFUL)
def test_careful_choices(hands, pile, stock, known, leads, expected):
    assert choice("careful", Table(hands, pile=pile, stock=stock, known=known, leads=leads)) == expected


def test_careful_beats_where_it_must():
    hands, pile, stock = ("Kd 9s 8h Ks", "6c 7s 8s 9c"), "6s Th 9h Qc", "8d 8c"
    assert choice("careful", Table(hands, pile=pile, stock=stock, must_beat=True)) == "8h"


@pytest.mark.parametrize(("moves", "expected"), [(500, "take"), (501, "8h")])
def test_careful_plays_greedily_in_the_second_half_of_a_deal_that_does_not_end(moves, expected):
    hands, pile, stock = ("Kd 9s 8h Ks", "6c 7s 8s 9c"), "6s Th 9h Qc", "8d 8c"
    assert choice("careful", Table(hands, pile=pile, stock=stock, moves=moves, max_moves=1000)) == expected


# --------------------------------------------------------------------------------------------------------------- strength


def rotated(players: int, decks: int, seed: int = SEED) -> tuple[Batch, np.ndarray]:
    """A batch in which each deck is dealt once for each seat, and that seat for each row."""
    generator = np.random.default_rng(seed)
    batch = Batch(PEN, decks * players, seed, num_players=players, autoreset=False)
    pack = np.repeat([generator.permutation(36) for _ in range(decks)], players, axis=0)
    trump_cards = np.repeat(generator.integers(0, 36, decks), players)
    dealers = np.repeat(generator.integers(0, players, decks), players)
    batch.reset(decks=pack, dealers=dealers, chances={"trump_card": [PEN.card_names[card] for card in trump_cards]})
    return batch, np.tile(np.arange(players), decks)


def play_out(batch: Batch, hero: str, hero_seats: np.ndarray, villain: str) -> None:
    """Play to the end: the hero in its seat, the villain in all others."""
    agents = (make_agent(villain, "pen"), make_agent(hero, "pen"))
    while not batch.ended.all():
        for is_hero, agent in enumerate(agents):
            rows = np.flatnonzero(~batch.ended & ((batch.seats == hero_seats) == is_hero))
            if len(rows):
                batch.step(agent.act(batch.observations[rows], batch.masks[rows]), rows)


def loss_share(batch: Batch, hero_seats: np.ndarray) -> tuple[float, float]:
    """The hero's share of the deals that have a loser, and half its 95 % interval, over decks."""
    shape = (-1, batch.num_players)
    has_loser = (batch.returns.min(axis=1) < 0).reshape(shape).sum(axis=1)
    lost = (batch.returns[np.arange(batch.num_envs), hero_seats] < 0).reshape(shape).sum(axis=1)
    share = lost.sum() / has_loser.sum()
    return float(share), float(NORMAL_95 * np.sqrt(np.square(lost - share * has_loser).sum()) / has_loser.sum())


@pytest.mark.parametrize("players", range(2, 7))
def test_careful_loses_less_than_its_share_among_greedy(players):
    batch, seats = rotated(players, decks=300)
    play_out(batch, "careful", seats, "greedy")
    share, margin = loss_share(batch, seats)
    assert share + margin < 1 / players


@pytest.mark.parametrize("players", [2, 4])
def test_greedy_among_greedy_loses_its_share(players):
    batch, seats = rotated(players, decks=50)
    play_out(batch, "greedy", seats, "greedy")
    assert loss_share(batch, seats)[0] == pytest.approx(1 / players)


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("villain", NAMES)
def test_deals_with_careful_come_to_an_end(players, villain):
    batch, seats = rotated(players, decks=240 // players)
    play_out(batch, "careful", seats, villain)
    assert batch.truncated.mean() < 0.02


# --------------------------------------------------------------------------------------------------- legality and blindness


def peek(states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Choices of an agent that looks into the next hand: greedy, but never with a card of a suit of which that hand holds the ace."""
    masks = contract.masks(PEN, states, seats)
    held_next = states["place"] == (HAND + (seats + 1) % states["players"])[:, None]
    holds_ace = np.repeat(held_next.reshape(len(states), 4, 9)[:, :, -1], 9, axis=1)
    allowed = masks.copy()
    allowed[:, :TAKE] &= ~holds_ace
    allowed = np.where(allowed.any(axis=1)[:, None], allowed, masks)
    return make_agent("greedy", "pen").act(contract.observations(PEN, states, seats), allowed)


@every_setting
def test_an_agent_that_peeks_is_caught(setting):
    batch = states_to_move(setting)
    with pytest.raises(AssertionError, match="cannot know"):
        contract.check_blind(peek, PEN, batch.states, batch.seats)


# ------------------------------------------------------------------------------------------------------------------ random


def test_random_is_uniform_over_what_is_legal():
    masks = np.tile(np.array([0, 1, 1, 0, 1, 0, 0, 1], np.int8), (8000, 1))
    actions = make_agent("random", seed=SEED).act(np.empty((len(masks), 0), np.float32), masks)
    counts = np.bincount(actions, minlength=masks.shape[1])
    assert (counts[masks[0] == 0] == 0).all()
    assert chisquare(counts[masks[0] == 1]).pvalue > MIN_P_VALUE


def test_random_is_the_same_with_the_same_seed_alone():
    masks = np.ones((100, 37), np.int8)

    def draw(seed):
        agent = make_agent("random", seed=seed)
        return np.concatenate([agent.act(masks, masks) for _ in range(2)]).tolist()

    assert draw(SEED) == draw(SEED)
    assert draw(SEED) != draw(SEED + 1)
    assert draw(None) != draw(None)
    assert draw(SEED)[:100] != draw(SEED)[100:]


# ------------------------------------------------------------------------------------------------------------- make_agent


def test_agents_by_name():
    assert heuristic_names("pen") == ("random", "greedy", "careful")
    assert agent_names("pen")[:3] == heuristic_names("pen")
    assert [make_agent(name, "pen").name for name in heuristic_names("pen")] == ["random", "greedy", "careful"]
    assert [make_agent(spec).game for spec in ("random", "pen:greedy", "pengingan:careful", "kunken:greedy")] == [
        None,
        "pen",
        "pengingan",
        "kunken",
    ]
    assert make_agent("careful", "pen", num_players=6).num_players is None


@pytest.mark.parametrize(
    ("spec", "game", "says"),
    [
        ("clever", None, "'clever' does not exist.*pen: random, greedy, careful.*safetensors"),
        ("clever", "pen", "'clever' does not exist"),
        ("", "pen", "'' does not exist"),
        ("chess:greedy", None, "game 'chess' does not exist.*pen.*nor does a module 'chess': looked in ."),
        ("chess:random", None, "game 'chess' does not exist.*pen"),
        ("pen:module:function", None, "'pen:module:function' does not exist"),
        ("search", "pen", r"'search' is not possible: write search:N.*\(search:200\)"),
        ("search:", "pen", "'search:' is not possible"),
        ("search:0", "pen", "'search:0' is not possible"),
        ("search:x", "pen", "'search:x' is not possible"),
        ("search:-5", "pen", "'search:-5' is not possible"),
        ("search:1.5", "pen", "is not possible"),
        ("search:²", "pen", "is not possible"),
        ("search:5:6", "pen", "is not possible"),
        ("pen:search:x", None, "'pen:search:x' is not possible"),
        ("search:200", None, "exists for pen and pengingan and kunken: name one, as in pen:search:200"),
        ("search:200", "chess", "game 'chess' does not exist"),
        ("pen:search:9", "kunken", "plays pen, not kunken"),
        (":act", None, "'' is no name of a module: write module:function"),
        ("a b:act", None, "'a b' is no name of a module"),
        (".base:act", None, "is no name of a module"),
        ("no_such_module:act", None, "does a module 'no_such_module'"),
        ("json.nowhere:act", None, "does a module 'json.nowhere'"),
        ("json:no_such_function", None, r"module json \(.*\) has no 'no_such_function'"),
        ("json:", None, "has no ''"),
        ("json:__name__", None, "__name__ in json is 'json', no function"),
        ("pen:clever", None, "'pen:clever' does not exist"),
        ("greedy", None, "exists for pen and pengingan and kunken: name one, as in pen:greedy"),
        ("pen:greedy", "chess", "plays pen, not chess"),
        ("pen:random", "chess", "plays pen, not chess"),
    ],
)
def test_an_agent_that_does_not_exist(spec, game, says):
    with pytest.raises(ValueError, match=says):
        make_agent(spec, game)


@pytest.mark.parametrize("spec", ["search:7", "kunken:search:7"])
def test_a_search_by_name(spec):
    agent = make_agent(spec, "kunken")
    assert (agent.name, agent.game, agent.budget, agent.num_players) == ("search:7", "kunken", 7, None)


def test_no_trained_agent_where_none_ships(monkeypatch):
    monkeypatch.setattr(penzoo.agents, "reference_files", lambda game: {})
    assert agent_names("pen") == heuristic_names("pen")
    for spec in ("ppo", "pen:ppo"):
        with pytest.raises(ValueError, match=f"agent '{spec}' does not exist: there are pen: random, greedy, careful;"):
            make_agent(spec, "pen")


def test_a_trained_agent_that_ships_is_known_by_its_algorithm(monkeypatch, tmp_path):
    size, actions = PEN.observation_layout(3).size, len(PEN.actions)
    layers = policy.Layers([np.zeros((actions, size), np.float32)], [np.zeros(actions, np.float32)], "relu")
    policy.save_policy(tmp_path / "pen_dqn.safetensors", layers, policy.describe(PEN, 3, layers, "best", "run-7"))
    monkeypatch.setattr(penzoo.agents.resources, "files", lambda package: tmp_path)
    assert agent_names("pen") == (*heuristic_names("pen"), "dqn") and "dqn" not in agent_names("pengingan")
    for spec, game in (("dqn", "pen"), ("pen:dqn", None), ("dqn", None)):
        agent = make_agent(spec, game, num_players=3)
        assert (agent.name, agent.game, agent.num_players) == ("dqn", "pen", 3)
    with pytest.raises(ValueError, match="plays at tables of 3, not of 4"):
        make_agent("dqn", "pen", num_players=4)
    with pytest.raises(ValueError, match="'dqn' does not exist"):
        make_agent("dqn", "kunken")


# ------------------------------------------------------------------------------------------------------- functions of Python

MY_AGENTS = """
import numpy as np

def first(observation, mask):
    assert observation.dtype == np.float32 and observation.ndim == 1 and mask.dtype == np.int8 and mask.shape == (37,)
    mask[:0] = 0
    observation[:] = 0
    return np.flatnonzero(mask)[0]

def illegal(observation, mask):
    return int(np.flatnonzero(mask == 0)[0])

def broken(observation, mask):
    return {}["card"]

class Agent:
    def __call__(self, observation, mask):
        return int(mask.argmax())

thing = Agent()
"""


@pytest.fixture
def folder_of_agents(monkeypatch, tmp_path):
    """The current folder, with modules of agents in it, which is not on Python's path."""
    (tmp_path / "my_test_agents.py").write_text(MY_AGENTS)
    (tmp_path / "my_lacking_agents.py").write_text("import a_module_that_is_missing\n")
    (tmp_path / "my_raising_agents.py").write_text("raise ValueError('my own')\n")
    monkeypatch.setattr(sys, "path", [each for each in sys.path if each])
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    sys.modules.pop("my_test_agents", None)


@pytest.mark.parametrize("name", ["first", "thing"])
def test_a_function_of_a_module_in_the_current_folder_plays(name, folder_of_agents):
    agent, batch = make_agent(f"my_test_agents:{name}", "pen", num_players=3), Batch(PEN, 5, SEED)
    assert (agent.name, agent.num_players) == (f"my_test_agents:{name}", None)
    for _ in range(30):
        before = batch.observations.copy()
        actions = batch.ask(agent)
        assert actions.dtype == np.int64 and np.array_equal(actions, batch.masks.argmax(axis=1))
        assert np.array_equal(before, batch.observations)
        batch.step(actions)
    assert batch.ask(agent, np.empty(0, int)).shape == (0,)


def test_a_function_that_plays_what_is_not_legal_is_named(folder_of_agents):
    batch = Batch(PEN, 1, SEED)
    legal = np.flatnonzero(batch.masks[0])
    named = ", ".join(rf"{action} \({PEN.actions.name(int(action))}\)" for action in legal)
    with pytest.raises(ValueError, match=rf"agent my_test_agents:illegal chose \d+, which is no legal action: legal are the ints {named}"):
        batch.ask(make_agent("my_test_agents:illegal", "pen"))


@pytest.mark.parametrize("answer", [1.0, "1", None, True, np.bool_(True), np.array([1]), -1, 37, np.float32(1)])
def test_an_answer_that_is_no_legal_int(answer):
    agent = CallableAgent("mine", lambda observation, mask: answer)
    with pytest.raises(ValueError, match=r"agent mine chose .*, which is no legal action: legal are the ints 1, 4$"):
        agent.act(np.zeros((1, 2), np.float32), np.array([[0, 1, 0, 0, 1]], np.int8))


@pytest.mark.parametrize("answer", [1, np.int8(1), np.array(1)])
def test_an_answer_may_be_any_int(answer):
    agent = CallableAgent("mine", lambda observation, mask: answer)
    assert agent.act(np.zeros((2, 2), np.float32), np.array([[0, 1], [1, 1]], np.int8)).tolist() == [1, 1]


def test_errors_of_ones_own_code_pass_through(folder_of_agents):
    with pytest.raises(KeyError, match="card"):
        Batch(PEN, 1).ask(make_agent("my_test_agents:broken", "pen"))
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_missing"):
        make_agent("my_lacking_agents:act")
    with pytest.raises(ValueError, match=r"^my own$"):
        make_agent("my_raising_agents:act")


def test_the_name_of_a_game_always_means_the_game(folder_of_agents):
    (folder_of_agents / "pen.py").write_text("def greedy(observation, mask):\n    return 0\n")
    assert make_agent("pen:greedy").game == "pen" and not isinstance(make_agent("pen:greedy"), CallableAgent)


def test_a_file_that_does_not_exist():
    with pytest.raises(FileNotFoundError, match=r"nowhere\.safetensors"):
        make_agent("nowhere.safetensors")


@every_heuristic
def test_observations_and_masks_that_do_not_fit(name):
    agent = make_agent(name, "pen")
    observations, masks = np.zeros((2, PEN.observation_layout(3).size), np.float32), np.ones((2, len(PEN.actions)), np.int8)
    with pytest.raises(ValueError, match=rf"{name} cannot read observations of shape \(2, 17\).*for 2 players.*for 6 players"):
        agent.act(observations[:, :17], masks)
    with pytest.raises(ValueError, match=f"{name} cannot read observations of shape"):
        agent.act(observations[0], masks)
    for wrong in (masks[:1], masks[:, 1:], masks[0]):
        with pytest.raises(ValueError, match=rf"{name} cannot read masks of shape.*need \(2, 37\)"):
            agent.act(observations, wrong)


# ---------------------------------------------------------------------------------------------------- compiled, uncompiled


TRACED = [
    *SETTINGS[::4],
    *(Setting(get_game("pengingan"), players) for players in (2, 5, 8)),
    *(Setting(get_game("kunken"), players) for players in (2, 4)),
]


def traces(steps: int = 60) -> list[str]:
    """The actions of every agent by name over some moves at small, middling and large tables of every game: one line each."""
    lines = []
    for setting in TRACED:
        for name in heuristic_names(setting.game.name):
            agent, batch = make_agent(name, setting.game.name, seed=SEED), setting.batch(2, SEED)
            actions = []
            for _ in range(steps):
                actions.append(agent.act(batch.observations, batch.masks))
                batch.step(actions[-1])
            lines.append(f"{setting} {name} {np.concatenate(actions).tolist()}")
    return lines


def test_agents_act_alike_uncompiled():
    run = subprocess.run(
        [sys.executable, "-W", "error", __file__],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == traces()


if __name__ == "__main__":
    print("\n".join(traces()))
