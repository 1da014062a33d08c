"""Search: what it chooses, what it may see, and how it is asked by batches, evaluations, learners and environments.

As a script it prints the choices of tiny searches in this process' mode, compiled or not.
"""

import os
import subprocess
import sys

import contract
import numpy as np
import pytest
from contract import Setting
from kunken_positions import Table as KunkenTable
from pengingan_positions import Table as PenginganTable
from positions import PEN
from positions import Table as PenTable

from penzoo import kunken_v0, pen_v0, pengingan_v0
from penzoo.agents import HEURISTICS, make_agent, search
from penzoo.agents.search import POLICIES, Policies, SearchAgent
from penzoo.envs import GAMES, get_game, rng
from penzoo.envs.batch import Batch
from penzoo.envs.jit import compiled
from penzoo.envs.learner import LearnerBatch, fixed_seating
from penzoo.envs.single import SingleEnv
from penzoo.eval.arena import play
from penzoo.eval.deals import draw_deals
from penzoo.play import play_deal

SEED = 2996
BUDGET = 24
ROWS = 12
STEPS = 300
MODULES = {"pen": pen_v0, "pengingan": pengingan_v0, "kunken": kunken_v0}
STRANGE = {  # options under which a rollout could go wrong
    "pen": {"must_beat": True, "payoff": "placement", "max_moves": 60, "auto_single": True},
    "pengingan": {"auto_single": True, "stock_out": "reshuffle", "max_moves": 90},
    "kunken": {"jokers": 6, "opening_points": 0, "lay_on_draw": "any", "swap_own_jokers": True, "max_moves": 90, "auto_single": True},
}

every_game = pytest.mark.parametrize("name", GAMES)


def positions(name: str, players: int | None = None, rows: int = ROWS, **options) -> Batch:
    """Deals on their way, played at random and by the heuristics; those that have ended are dealt anew."""
    game = get_game(name)
    batch = contract.walk(Setting(game, players or game.default_players, options), rows, SEED)
    batch.reset(rows=np.flatnonzero(batch.ended))
    return batch


def dealt_anew(batch: Batch, seed: int = SEED) -> np.ndarray:
    return batch.determinize(batch.seats, rng.streams(seed, batch.num_envs))


# --------------------------------------------------------------------------------------------------------------- what it plays


@pytest.mark.parametrize("options", [False, True], ids=["defaults", "strange"])
@every_game
def test_what_it_plays_is_legal_wherever_a_deal_has_come(name, options):
    batch = positions(name, **(STRANGE[name] if options else {}), rows=6)
    agent, wild, generator = make_agent("search:10", name, seed=SEED), make_agent("random", seed=SEED), np.random.default_rng(SEED)
    for _ in range(20):
        actions = batch.ask(agent)
        assert batch.masks[np.arange(6), actions].all()
        at_random = generator.random(6) < 0.5
        batch.step(np.where(at_random, batch.ask(wild), actions))
        batch.reset(rows=np.flatnonzero(batch.ended))
    assert agent.simulations


@pytest.mark.parametrize("budget", [1, 2, 3, 7, 50, 1000])
@every_game
def test_a_budget_is_never_exceeded_and_with_hardly_any_the_heuristic_is_played(name, budget):
    batch = positions(name)
    agent = SearchAgent(name, budget, SEED)
    deals = dealt_anew(batch)
    for row in range(3 if budget > 50 else ROWS):
        before = agent.simulations
        assert batch.masks[row, agent.act_deals(deals[row : row + 1])[0]]
        assert agent.simulations - before <= budget
    if budget <= search.FEWEST_PAIRS:
        prior = make_agent("careful", name)
        assert np.array_equal(agent.act_deals(deals), prior.act(batch.observations, batch.masks))


@every_game
def test_most_of_a_budget_is_used(name):
    batch = positions(name)
    rows = np.flatnonzero(batch.masks.sum(1) > 1)
    agent = SearchAgent(name, 400, SEED)
    agent.act_deals(dealt_anew(batch)[rows])
    assert 0.7 * 400 * len(rows) <= agent.simulations <= 400 * len(rows)


@every_game
def test_one_legal_action_is_not_searched(name):
    batch, agent = Batch(get_game(name), 32, SEED), SearchAgent(name, 100, SEED)
    wild, found = make_agent("random", seed=SEED), 0
    for _ in range(STEPS):
        rows = np.flatnonzero(batch.masks.sum(1) == 1)
        if len(rows):
            assert np.array_equal(batch.ask(agent, rows), batch.masks[rows].argmax(axis=1))
            found += len(rows)
        batch.step(batch.ask(wild))
    assert found and agent.simulations == 0


@compiled
def last_legal(observation, mask, players):
    """A bad adviser: the last action, in Пень to take."""
    return np.flatnonzero(mask)[-1]


@pytest.mark.parametrize(
    ("hand", "pile", "played"),
    [
        ("Kc", "9s Jc", ["Kc"]),  # out at once, or two cards more
        ("Ah", "6c 7c 8c 9c Tc", ["Ah"]),  # with a trump
        ("Tc 9h", "9s Kc", ["Tc", "9h"]),  # a beat and a lead: out by the end of the turn
    ],
)
def test_it_goes_out_in_pen_where_it_can_also_against_its_prior(hand, pile, played):
    table = PenTable([hand, "7d 8d Qd", "Js Qs As"], pile=pile, payoff="placement")
    advised = Policies(last_legal, POLICIES["pen"].rollout, POLICIES["pen"].caution)
    for policies in (advised, None):
        agent = SearchAgent("pen", 100, SEED, policies)
        assert PEN.actions.name(int(table.batch.ask(agent)[0])) in played
        assert agent.simulations


def test_it_goes_out_in_kunken_where_it_can():
    """The deal is cut off before any other way to go out: `max_moves` holds in its simulations, too."""
    table = KunkenTable(["7s", None, None], "0: 7c 7d 7h", stock="Kd 7d 2h 9s Jc", max_moves=6).play("draw")
    for _ in range(6):
        if table.batch.ended[0]:
            break
        table.batch.step(table.batch.ask(SearchAgent("kunken", 100, SEED)))
    assert table.winner == 0


def test_it_goes_out_in_pengingan_where_it_can():
    table = PenginganTable(["2d 3d", None], "5s 5d 5c | 6s 7s Js Qs Ks", card="4d", players=2)
    for _ in range(6):
        if table.batch.ended[0] or table.turn != 0:
            break
        table.batch.step(table.batch.ask(SearchAgent("pengingan", 100, SEED)))
    assert table.out == 0


@every_game
def test_it_does_not_change_what_it_is_given(name):
    batch = positions(name)
    deals, states = dealt_anew(batch), batch.states.copy()
    before = deals.copy()
    deals.flags.writeable = False
    SearchAgent(name, BUDGET, SEED).act_deals(deals)
    batch.ask(SearchAgent(name, BUDGET, SEED))
    assert (deals == before).all() and (batch.states == states).all()


# ---------------------------------------------------------------------------------------------------------------- what it sees


@every_game
def test_its_choice_follows_from_what_the_seat_sees_and_its_chance_alone(name):
    """The leak test: another true deal that looks the same to the seat to move, and the same streams."""
    batch = positions(name, rows=40)
    other = contract.Setting(get_game(name), batch.num_players).batch(40, SEED, autoreset=False)
    changed = contract.deal_anew(get_game(name), batch.states, batch.seats, SEED + 1)
    assert (changed != batch.states).mean() > 0.8
    chosen = SearchAgent(name, 60, SEED).act_deals(batch.states.copy())
    assert np.array_equal(SearchAgent(name, 60, SEED).act_deals(changed), chosen)
    contract.plant(other, batch.states)
    other.from_arrays({**other.to_arrays(), "rng": batch.to_arrays()["rng"]})
    asked = other.ask(SearchAgent(name, 60, SEED))
    contract.plant(other, changed)
    assert np.array_equal(other.ask(SearchAgent(name, 60, SEED)), asked)


@every_game
def test_the_same_seed_chooses_alike_and_another_does_not_always(name):
    batch = positions(name, rows=40)
    chosen = [batch.ask(SearchAgent(name, 40, seed)) for seed in (1, 1, 2, 3)]
    assert np.array_equal(chosen[0], chosen[1])
    assert not np.array_equal(chosen[0], chosen[2]) or not np.array_equal(chosen[0], chosen[3])
    agent = SearchAgent(name, 40, 5)
    batch.ask(agent)
    agent.reseed(1)
    assert np.array_equal(batch.ask(agent), chosen[0])


@every_game
def test_threads_do_not_matter(name):
    game = get_game(name)
    played = []
    for threads in (1, 3):
        batch, agent = Batch(game, 7, SEED, threads=threads), SearchAgent(name, BUDGET, SEED)
        for _ in range(8):
            batch.step(batch.ask(agent))
        played.append((batch.states.tobytes(), agent.simulations))
        batch.close()
    assert played[0] == played[1]


@every_game
def test_neither_decks_nor_other_agents_depend_on_who_is_asked(name):
    game, wild = get_game(name), make_agent("random", seed=SEED)
    searching, plain = Batch(game, 6, SEED), Batch(game, 6, SEED)
    for _ in range(5):
        searching.ask(SearchAgent(game, 10, SEED))
        searching.ask(make_agent("careful", name))
        actions = plain.ask(wild)
        searching.step(actions)
        plain.step(actions)
    assert searching.save() == plain.save()


class Listener:
    """Asks for deals, keeps them, and plays what is first allowed."""

    def __init__(self, game):
        self.game, self.heard = game, []

    def act_deals(self, deals, share):
        self.heard.append(deals.copy())
        batch = Batch(self.game, len(deals), 0, num_players=int(deals["players"][0]), autoreset=False)
        contract.plant(batch, deals)
        return batch.masks.argmax(axis=1)


@every_game
def test_nobody_is_handed_the_true_deal(name):
    game = get_game(name)
    batch, listener = positions(name, rows=60), Listener(game)
    batch.ask(listener)
    (heard,) = listener.heard
    assert (heard != batch.states).mean() > 0.8
    other = Setting(game, batch.num_players).batch(60, SEED, autoreset=False)
    contract.plant(other, heard)
    assert np.array_equal(other.observations, batch.observations) and np.array_equal(other.masks, batch.masks)
    batch.ask(listener)
    assert (listener.heard[1] == heard).all(), "the same decision is dealt anew alike"


def test_what_is_dealt_anew_differs_by_row_and_by_move():
    batch, listener = Batch(PEN, 50, SEED), Listener(PEN)
    contract.plant(batch, np.repeat(batch.states[:1], 50))
    batch.ask(listener)
    assert len({deal["place"].tobytes() for deal in listener.heard[0]}) > 40
    batch._states["moves"] += 1
    batch.ask(listener)
    assert (listener.heard[0]["place"] != listener.heard[1]["place"]).any(axis=1).mean() > 0.9


# ------------------------------------------------------------------------------------------------------------- how it is asked


@every_game
def test_evaluations_ask_it(name):
    game = get_game(name)
    agents = [make_agent("search:6", name, seed=SEED), make_agent("greedy", name)]
    players = game.min_players
    seats = np.array([[0, *[1] * (players - 1)], [*[1] * (players - 1), 0]])
    (games,) = play(game, agents, seats, draw_deals(game, players, 2, SEED))
    assert agents[0].simulations and np.isfinite(games.returns).all()


@every_game
def test_a_learner_meets_it(name):
    game = get_game(name)
    results = []
    for rows in (1, 3):
        agent = make_agent("search:6", name, seed=SEED)
        learner = LearnerBatch(Batch(game, rows, SEED, autoreset=False), [agent], fixed_seating(game.default_players, 1), SEED)
        learner.begin()
        going = np.flatnonzero(~learner.batch.ended)
        learner.step(learner.batch.masks[going].argmax(axis=1), going)
        assert agent.simulations
        results.append(learner.rewards.copy())
    assert all(np.isfinite(each).all() for each in results)


def test_the_pool_of_a_training_asks_it():
    """A place at the tables may change hands, from one who is asked by observations to a search."""
    pytest.importorskip("sb3_contrib")
    from penzoo.train.clock import Clock
    from penzoo.train.pool import _Actor

    place, batch = _Actor(make_agent("greedy", "pen"), Clock()), Batch(PEN, 4, SEED)
    assert np.array_equal(batch.ask(place), batch.ask(make_agent("greedy", "pen")))
    place.agent = make_agent("search:20", "pen", seed=SEED)
    assert np.array_equal(batch.ask(place), batch.ask(make_agent("search:20", "pen", seed=SEED)))
    assert place.agent.simulations


def test_a_person_plays_against_it():
    played = play_deal(PEN, players=2, opponents=["search:4"], seed=3, read=lambda prompt: "1", write=lambda text: None)
    assert played is not None and played.actions


def test_an_environment_of_gymnasium_takes_it_as_an_opponent():
    from penzoo.gym_entry import as_actors

    env = SingleEnv(PEN, as_actors(["search:4", Listener(PEN)], PEN, 3), 3)
    _, info = env.reset(seed=SEED)
    for _ in range(3):
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        if terminated or truncated:
            env.reset()
    assert env.tables.learner.actors[0].simulations


@every_game
def test_in_a_petting_zoo_environment_it_is_asked_by_ask(name):
    agent = make_agent("search:10", name, seed=SEED)
    for make in (MODULES[name].env, MODULES[name].raw_env):
        env = make()
        env.reset(seed=SEED)
        for agent_name in env.agent_iter(30):
            observation, _, terminated, truncated, _ = env.last()
            action = None if terminated or truncated else env.ask(agent)
            assert action is None or (type(action) is int and observation["action_mask"][action]), agent_name
            env.step(action)
    assert agent.simulations
    env.reset(seed=SEED)
    assert env.ask(make_agent("careful", name)) == make_agent("careful", name).act(
        env.observe(env.agent_selection)["observation"][None], env.observe(env.agent_selection)["action_mask"][None]
    )


def test_an_environment_without_a_deal_asks_nobody():
    env = pen_v0.env()
    with pytest.raises(AssertionError, match="reset"):
        env.ask(make_agent("greedy", "pen"))
    env.reset(seed=SEED)
    while not env.terminations[env.agent_selection] and not env.truncations[env.agent_selection]:
        env.step(env.ask(make_agent("greedy", "pen")))
    with pytest.raises(ValueError, match="the deal has ended"):
        env.ask(make_agent("greedy", "pen"))


def test_observations_are_refused_with_what_to_use():
    agent = make_agent("search:10", "pen")
    with pytest.raises(ValueError, match=r"search:10 searches deals.*Batch\.ask.*env\.ask.*act_deals.*determinize"):
        agent.act(np.zeros((1, 3), np.float32), np.ones((1, 37), np.int8))


@pytest.mark.parametrize("what", ["other game", "no array", "one record", "ended"])
def test_what_is_no_deal_of_its_game_is_refused(what):
    agent, batch = make_agent("search:10", "pen"), Batch(PEN, 2, SEED, autoreset=False)
    ended = batch.states.copy()
    ended["terminated"][1] = 1
    given = {"other game": Batch(get_game("kunken"), 1).states, "no array": [1], "one record": batch.states[0], "ended": ended}[what]
    with pytest.raises(ValueError, match=r"deal 1: it has ended" if what == "ended" else "takes an array of records of pen"):
        agent.act_deals(given)


@pytest.mark.parametrize("budget", [0, -1, True, 1.5, "9", search.LARGEST_BUDGET + 1, 2**70])
def test_a_budget_that_is_none(budget):
    with pytest.raises(ValueError, match=r"budget=.*is not possible"):
        SearchAgent("pen", budget)


def test_it_has_no_game_without_a_heuristic():
    assert POLICIES.keys() == HEURISTICS.keys() == GAMES.keys()


# --------------------------------------------------------------------------------------------------------- compiled, uncompiled


def traces() -> list[str]:
    """What tiny searches choose: a line for each game."""
    lines = []
    for name in GAMES:
        batch, agent = Batch(get_game(name), 1, SEED, max_moves=40), SearchAgent(name, 5, SEED)
        chosen = []
        for _ in range(4):
            chosen.append(int(batch.ask(agent)[0]))
            batch.step(chosen[-1:])
        lines.append(f"{name} {chosen} {agent.simulations}")
    return lines


def test_it_searches_alike_uncompiled():
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    run = subprocess.run([sys.executable, "-W", "error", __file__], env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == traces()


if __name__ == "__main__":
    print("\n".join(traces()))
