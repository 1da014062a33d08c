"""Пень in OpenSpiel: the same tree by another road, its own best responses, and what its users find."""

import os

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import exploitability  # noqa: E402  # only where OpenSpiel is installed
from open_spiel.python.algorithms.get_all_states import get_all_states  # noqa: E402

from penzoo.agents import make_agent  # noqa: E402
from penzoo.envs import get_game  # noqa: E402
from penzoo.eval import openspiel  # noqa: E402
from penzoo.eval.exact import MINI_STOCK, MINI_STUMP, walk  # noqa: E402

PEN = get_game("pen")
EQUAL = 1e-9
LONG = "PENZOO_LONG_TESTS"  # environment variable
QUEENS_AND_KINGS = {"lowest_rank": "Q", "highest_rank": "K", "suits": 2, "hand_size": 2, "stump_size": 0}
ONE_SUIT = {"lowest_rank": "J", "suits": 1, "hand_size": 2, "stump_size": 0}  # J Q K T A: a stock of one
# Smaller than those of `exact`, which take OpenSpiel minutes: options, the trump card, the dealer.
SMALL = {
    "stump": ({**MINI_STUMP, "max_moves": 5}, "Jc", 0),
    "stock": ({**ONE_SUIT, "max_moves": 7}, "Kc", 1),
    "must beat": ({**MINI_STOCK, "max_moves": 5, "must_beat": True}, "Qc", 0),
    "all drawn": ({**QUEENS_AND_KINGS, "max_moves": 8}, None, None),
}
AGENTS = ("random", "greedy", "careful", "mixed")


class Mixed:
    """Plays any legal action, how likely by random weights of all that it sees."""

    name = "mixed"

    def __init__(self):
        self.weights = np.random.default_rng(3).normal(size=(PEN.observation_layout(2).size, len(PEN.actions)))

    def probabilities(self, observations, masks):
        # summed row by row: a product of matrices rounds otherwise for one row than for many
        logits = np.array([(row[:, None] * self.weights).sum(axis=0) for row in observations.astype(np.float64)])
        weights = np.exp(logits) * masks
        return weights / weights.sum(axis=1, keepdims=True)


def agent_named(name):
    return Mixed() if name == "mixed" else make_agent(name, "pen", 2)


def both_roads(options, trump_card, dealer, name, tree=None):
    """Best-response values, policy values, NashConv and number of information states, as OpenSpiel and as `exact` find them."""
    agent = agent_named(name)
    ours = (tree or walk("pen", options, trump_card=trump_card, dealer=dealer)).best_response(agent)
    game = openspiel.load(options, trump_card=trump_card, dealer=dealer)
    policy = openspiel.AgentPolicy(game, agent)
    found = [exploitability.best_response(game, policy, seat) for seat in range(2)]
    values = [each["best_response_value"] for each in found]
    theirs = [*values, *found[0]["on_policy_values"], sum(each["nash_conv"] for each in found)]
    states = sum(len(each["info_sets"]) for each in found)
    return theirs, [*ours.values, *ours.policy_values, ours.nash_conv], states, ours.information_states


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize("case", SMALL)
def test_best_responses_are_those_of_openspiel(case, name):
    theirs, ours, their_states, our_states = both_roads(*SMALL[case], name)
    np.testing.assert_allclose(ours, theirs, rtol=0, atol=EQUAL)
    assert their_states == our_states
    assert max(ours[:2]) > min(ours[2:4])


def test_exploitability_and_nash_conv_are_those_of_openspiel():
    options, trump_card, dealer = SMALL["stump"]
    agent = agent_named("careful")
    ours = walk("pen", options, trump_card=trump_card, dealer=dealer).best_response(agent)
    game = openspiel.load(options, trump_card=trump_card, dealer=dealer)
    policy = openspiel.AgentPolicy(game, agent)
    assert ours.nash_conv == pytest.approx(exploitability.nash_conv(game, policy), abs=EQUAL)
    assert ours.exploitability == pytest.approx(exploitability.nash_conv(game, policy) / 2, abs=EQUAL)


@pytest.mark.slow
@pytest.mark.skipif(LONG not in os.environ, reason=f"takes OpenSpiel 10 minutes or more: set {LONG}=1 to run it")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("options", [MINI_STUMP, MINI_STOCK], ids=["stump", "stock"])
def test_best_responses_in_the_mini_games_are_those_of_openspiel(options):
    """Two to six minutes for each agent."""
    tree = walk("pen", options, trump_card="Jc")
    for name in ("random", "greedy", "careful"):
        theirs, ours, their_states, our_states = both_roads(options, "Jc", 0, name, tree)
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=EQUAL)
        assert their_states == our_states


@pytest.mark.parametrize("case", SMALL)
def test_histories_are_as_many_as_in_the_other_tree(case):
    options, trump_card, dealer = SMALL[case]
    game = openspiel.load(options, trump_card=trump_card, dealer=dealer)
    states = get_all_states(game, depth_limit=-1, include_terminals=True, include_chance_states=False)
    assert len(states) == walk("pen", options, trump_card=trump_card, dealer=dealer).histories


# ----------------------------------------------------------------------------------------------------------------- for its users


def begun(game, choice=0):
    """A state after the deal, chance having chosen the same outcome at every node."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(choice)
    return state


def test_openspiel_plays_games_of_every_size_to_their_ends():
    generator = np.random.default_rng(5)
    for options, players, dealer in [({"must_beat": True}, 2, None), ({"hand_size": 3}, 6, 4), ({"payoff": "placement"}, 4, 0)]:
        game = openspiel.load({**options, "max_moves": 60}, players=players, dealer=dealer)
        for _ in range(3):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():
                    actions, chances = zip(*state.chance_outcomes(), strict=True)
                    assert sum(chances) == pytest.approx(1) and len(actions) <= game.max_chance_outcomes()
                    state.apply_action(int(generator.choice(actions)))
                else:
                    state.apply_action(int(generator.choice(state.legal_actions())))
            assert sum(state.returns()) == pytest.approx(0, abs=1e-9)
            assert state.rewards() == state.returns()


def test_the_registered_game_takes_parameters():
    loaded = pyspiel.load_game("penzoo_pen", {"lowest_rank": "J", "highest_rank": "K", "suits": 2, "hand_size": 2, "stump_size": 1})
    assert loaded.num_players() == 2 and len(loaded.deck) == 6
    assert loaded.num_distinct_actions() == 37
    assert pyspiel.load_game("penzoo_pen").num_players() == 2
    again = pyspiel.load_game(str(openspiel.load(MINI_STUMP, trump_card="Kd", dealer=1)))
    assert (again.trump_card, again.dealer, again.options) == ("Kd", 1, PEN.complete_options(dict(MINI_STUMP)))


def test_a_state_can_be_cloned_and_told_again_from_its_history():
    state = begun(openspiel.load(MINI_STOCK, trump_card="Jc"))
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert (state.history(), len(copy.history())) == (copy.history()[:-1], len(state.history()) + 1)
    assert str(state) != str(copy)
    game, told = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), copy))
    assert (told.history(), str(told), told.information_state_string(0)) == (copy.history(), str(copy), copy.information_state_string(0))
    assert game.options == state.get_game().options


def test_information_states_tell_own_cards_and_all_moves_and_no_hidden_card():
    game = openspiel.load(MINI_STUMP, trump_card="Jc")
    state = begun(game)  # seat 1 gets the stump Jc, seat 0 Qc; hands Kc Jd and Qd Kd
    assert state.information_state_string(1) == "player 1, dealer 0, trumps Jc; KcJd"
    assert state.information_state_string(0) == "player 0, dealer 0, trumps Jc; QdKd"
    state.apply_action(PEN.actions.index("Jd"))
    assert state.information_state_string(1) == "player 1, dealer 0, trumps Jc; KcJd 1:Jd Kc"
    assert state.information_state_string(0) == "player 0, dealer 0, trumps Jc; QdKd 1:Jd"
    assert state.action_to_string(0, state.legal_actions()[0]) == "Qd"
    undealt = openspiel.load(MINI_STUMP).new_initial_state()
    undealt.apply_action(0)  # the trump card
    assert undealt.information_state_string(0) == "the deal"


def test_observations_are_those_of_the_package():
    state = begun(openspiel.load(MINI_STUMP, trump_card="Jc"))
    slices = PEN.observation_layout(2).slices
    for seat, hand in enumerate(("Qd Kd", "Kc Jd")):
        seen = np.array(state.observation_tensor(seat))
        assert " ".join(PEN.card_names[card] for card in np.flatnonzero(seen[slices["hand"]])) == " ".join(
            sorted(hand.split(), key=PEN.card_names.index)
        )
        assert f"player_{seat}" in state.observation_string(seat) and "▒▒" in state.observation_string(seat)
    assert not any(openspiel.load(MINI_STUMP).new_initial_state().observation_tensor(0))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"options": {"auto_single": True}}, "auto_single=True is not possible"),
        ({"options": {"suits": 1}}, "2 players need 12 cards"),
        ({"options": {"suit": 1}}, "option 'suit' does not exist"),
        ({"players": 7}, "num_players=7 is not possible"),
        ({"dealer": 2}, "dealer=2 does not exist"),
        ({"options": MINI_STUMP, "trump_card": "Ah"}, "trump_card='Ah' does not exist"),
    ],
)
def test_games_that_do_not_exist_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        openspiel.load(**arguments)


def test_observers_take_no_parameters_and_show_one_player_only():
    game = openspiel.load(MINI_STUMP)
    with pytest.raises(ValueError, match="take no parameters"):
        game.make_py_observer(None, {"pieces": 1})
    with pytest.raises(ValueError, match="what one player sees"):
        game.make_py_observer(pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS))
