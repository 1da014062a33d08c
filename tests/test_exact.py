"""Exact best responses: the tree, its information states, the values, and what is refused. (`test_openspiel` checks them by OpenSpiel.)"""

import itertools
import json
from collections import defaultdict

import numpy as np
import pytest

from penzoo.agents import make_agent
from penzoo.agents.policy import Layers, PolicyAgent, describe
from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.eval.exact import MINI_STOCK, MINI_STUMP, best_response, probabilities, walk

PEN = get_game("pen")
NUM_ACTIONS, OBSERVATION = len(PEN.actions), PEN.observation_layout(2).size
TAKE = PEN.actions.index("take")
STUMP = {**MINI_STUMP, "max_moves": 7}
STOCK = {**MINI_STOCK, "max_moves": 6}
SMALL = {"STUMP": STUMP, "STOCK": STOCK}
EXACT = 1e-12


class Takes:
    """Takes whenever it may, else leads its first card."""

    name = "takes"

    def act(self, observations, masks):
        return np.where(masks[:, TAKE] > 0, TAKE, np.argmax(masks, axis=1))


class Fickle(Takes):
    """Draws its actions without telling how."""

    def __init__(self):
        self.generator = np.random.default_rng(0)

    def act(self, observations, masks):
        return np.argmax(self.generator.random(masks.shape) * masks, axis=1)


class Told(Takes):
    """Plays by the probabilities that a function gives for the masks."""

    def __init__(self, tell):
        self.probabilities = lambda observations, masks: tell(masks)


def policy_agent(choice, seed=0):
    """An untrained network, which plays by all that it sees."""
    generator = np.random.default_rng(seed)
    layers = Layers([generator.normal(size=(NUM_ACTIONS, OBSERVATION)).astype(np.float32)], [np.zeros(NUM_ACTIONS, np.float32)], "relu")
    return PolicyAgent(layers, describe(PEN, 2, layers, choice, f"network {seed}"))


@pytest.fixture(scope="module", params=SMALL)
def tree(request):
    return walk("pen", SMALL[request.param])


@pytest.fixture(scope="module")
def tiny():
    return walk("pen", STUMP, trump_card="Jc")


def paths(tree):
    """For each level of a tree the deal and the actions of each history."""
    found = [[(deal, ()) for deal in range(len(tree.levels[0].parents))]]
    for level in tree.levels[1:]:
        before = found[-1]
        pairs = zip(level.parents.tolist(), level.actions.tolist(), strict=True)
        found.append([(before[parent][0], (*before[parent][1], action)) for parent, action in pairs])
    return found


def all_deals(options, dealer=0):
    """A batch with every order of the deck and every trump card."""
    deck = PEN.deck(2, PEN.complete_options(dict(options)))
    pairs = list(itertools.product(itertools.permutations(deck.tolist()), deck))
    batch = Batch(PEN, len(pairs), 0, num_players=2, autoreset=False, **options)
    trumps = [PEN.card_names[card] for _, card in pairs]
    batch.reset(decks=np.array([order for order, _ in pairs], np.int8), dealers=[dealer] * len(pairs), chances={"trump_card": trumps})
    return batch


# -------------------------------------------------------------------------------------------------------------------- the tree


@pytest.mark.parametrize(("options", "histories", "states"), [(MINI_STUMP, 270_303, 137_941), (MINI_STOCK, 501_850, 134_777)])
def test_mini_games_are_as_large_as_they_are_said_to_be(options, histories, states):
    tree = walk("pen", options, trump_card="Jc")
    assert (tree.histories, tree.information_states) == (histories, states)
    assert len(tree.levels) == options["max_moves"] + 1


def test_deals_are_those_that_differ_each_as_likely_as_the_orders_of_the_deck_make_it(tree):
    assert len(tree.chances) == 180 * 6  # 6! / (2! 2!) stumps and hands, or hands and stocks, by the trump cards
    np.testing.assert_allclose(tree.chances, 1 / len(tree.chances), rtol=EXACT)
    assert len({record.tobytes() for record in tree.levels[0].records}) == len(tree.levels[0].records)


def test_unequal_chances_of_deals_are_those_of_a_shuffle():
    options = {"lowest_rank": "Q", "highest_rank": "K", "suits": 2, "hand_size": 2, "stump_size": 0, "max_moves": 4}
    tree = walk("pen", options)
    assert (len(tree.chances), tree.chances.sum()) == (6 * 4, pytest.approx(1, abs=EXACT))


def test_a_level_holds_all_that_may_follow_the_one_before(tree):
    for level, following in itertools.pairwise(tree.levels):
        asked = np.flatnonzero(level.seats >= 0)
        assert set(following.parents) == set(asked)
        pairs = set(zip(following.parents.tolist(), following.actions.tolist(), strict=True))
        assert len(pairs) == len(following.parents)
        masks = np.zeros((len(level.records), NUM_ACTIONS), np.int8)
        PEN.loops.refresh_rows(
            level.records.copy(),
            np.arange(len(masks)),
            0,
            len(masks),
            np.zeros((len(masks), OBSERVATION), np.float32),
            masks,
            np.zeros(len(masks), np.int64),
        )
        counts = masks.sum(axis=1)[level.information[asked]]
        np.testing.assert_array_equal(np.bincount(following.parents, minlength=len(level.parents))[asked], counts)
    last = tree.levels[-1]
    assert (last.seats == -1).all() and set(last.returns[:, 0].tolist()) <= {-1.0, 0.0, 1.0}
    assert (last.returns.sum(axis=1) == 0).all()


@pytest.mark.parametrize("options", SMALL.values(), ids=SMALL)
def test_information_states_separate_what_a_seat_can_tell_apart_and_nothing_else(options):
    """Against histories played one by one: all actions in their order, and what the seat saw at each of its own decisions."""
    tree = walk("pen", options, trump_card="Kd")
    batch = Batch(PEN, 1, 0, num_players=2, autoreset=False, **options)
    deals = {}
    deck = PEN.deck(2, PEN.complete_options(dict(options))).tolist()
    for order in itertools.permutations(deck):  # in the order of the tree: that of the records' bytes
        batch.reset(decks=np.array([order], np.int8), dealers=[0], chances={"trump_card": ["Kd"]})
        deals.setdefault(batch.states[0].tobytes(), batch.save())
    saved = [deals[key] for key in sorted(deals)]
    by_key, by_number = defaultdict(set), defaultdict(set)
    hands, masks = defaultdict(set), defaultdict(set)
    for depth, (level, histories) in enumerate(zip(tree.levels, paths(tree), strict=True)):
        chosen = [k for k in range(0, len(histories), 1 if depth < 4 else 31) if level.seats[k] >= 0]
        for k in chosen:
            deal, actions = histories[k]
            batch.restore(saved[deal])
            seat, seen = int(level.seats[k]), []
            for action in (*actions, None):
                if batch.seats[0] == seat:
                    seen.append(batch.observations[0].tobytes())
                if action is not None:
                    batch.step([action])
            assert batch.seats[0] == seat
            number, key = (depth, int(level.information[k])), (seat, actions, tuple(seen))
            by_key[key].add(number)
            by_number[number].add(key)
            masks[number].add(batch.masks[0].tobytes())
            hands[number].add(batch.states["place"][0].tobytes())
    assert all(len(numbers) == 1 for numbers in by_key.values())
    assert all(len(keys) == 1 for keys in by_number.values())
    assert all(len(found) == 1 for found in masks.values())
    assert max(len(found) for found in hands.values()) > 1  # differ only in what is hidden


def test_information_states_of_two_seats_or_with_other_masks_are_never_one(tree):
    for level in tree.levels:
        asked = level.seats >= 0
        assert (level.records["seat"][level.information[asked]] == level.seats[asked]).all()
        assert set(level.information[asked].tolist()) == set(range(len(level.records)))


# ------------------------------------------------------------------------------------------------------------------- the values


@pytest.mark.parametrize(("one", "two"), [("greedy", "careful"), ("careful", "careful"), ("takes", "greedy")])
def test_policy_values_are_the_means_over_all_orders_of_the_deck(tree, one, two):
    agents = [Takes() if name == "takes" else make_agent(name, "pen", 2) for name in (one, two)]
    result = tree.best_response(agents)
    batch = all_deals(tree.options)
    while not batch.ended.all():
        going = np.flatnonzero(~batch.ended)
        actions = np.empty(len(going), np.int64)
        for seat, agent in enumerate(agents):
            own = batch.seats[going] == seat
            actions[own] = agent.act(batch.observations[going[own]], batch.masks[going[own]])
        batch.step(actions, going)
    np.testing.assert_allclose(result.policy_values, batch.returns.mean(axis=0), atol=EXACT)


def test_each_seat_answers_the_other_ones_agent(tree):
    greedy, careful = make_agent("greedy", "pen"), make_agent("careful", "pen")
    both, one, two = (tree.best_response(agents) for agents in ([greedy, careful], greedy, careful))
    assert both.values == (two.values[0], one.values[1])
    assert both.agents == ("greedy", "careful") and one.agents == ("greedy", "greedy")


def test_no_answer_is_better_than_the_best_one(tree):
    fixed = make_agent("greedy", "pen")
    best = tree.best_response(fixed).values
    others = [make_agent("careful", "pen"), make_agent("random", "pen"), Takes(), fixed, *(policy_agent("best", seed) for seed in range(4))]
    for other in others:
        assert tree.best_response([other, fixed]).policy_values[0] <= best[0] + EXACT
        assert tree.best_response([fixed, other]).policy_values[1] <= best[1] + EXACT


def test_one_who_always_takes_always_loses_to_a_best_answer_that_leads():
    """The leader plays card after card, and is rid of them all while the other has not led once."""
    for options in (MINI_STUMP, MINI_STOCK):
        values = best_response("pen", {**options, "max_moves": 8}, Takes(), dealer=0, trump_card="Kd").values
        assert values[1] == 1


def test_values_of_seats_change_places_with_the_dealer_and_nash_conv_does_not(tree):
    other, drawn = walk(tree.game, tree.options, dealer=1), walk(tree.game, tree.options, dealer=None)
    assert drawn.histories == 2 * tree.histories
    for agent in (make_agent("careful", "pen"), make_agent("random", "pen")):
        first, second, both = (each.best_response(agent) for each in (tree, other, drawn))
        np.testing.assert_allclose(first.values, second.values[::-1], atol=EXACT)
        np.testing.assert_allclose(both.values, np.mean(first.values), atol=EXACT)
        assert both.nash_conv == pytest.approx(first.nash_conv, abs=EXACT)


def test_all_trump_cards_are_the_mean_of_each(tree):
    agent = make_agent("careful", "pen")
    each = [best_response("pen", tree.options, agent, trump_card=card).values for card in ("Jc", "Qc", "Kc", "Jd", "Qd", "Kd")]
    np.testing.assert_allclose(tree.best_response(agent).values, np.mean(each, axis=0), atol=EXACT)


def test_more_moves_cannot_help_one_who_is_answered_without_end():
    """In a deal that may go on for longer the best answer wins at least as often from one who only takes."""
    values = [sum(best_response("pen", {**MINI_STOCK, "max_moves": moves}, Takes(), trump_card="Jc").values) for moves in (4, 6, 8, 10)]
    assert values == sorted(values) and values[0] < values[-1]


def test_a_trained_agent_plays_its_distribution_or_its_likeliest_action(tiny):
    drawn, likeliest = policy_agent("sample"), policy_agent("best")
    observations = np.random.default_rng(0).random((5, OBSERVATION), np.float32)
    masks = np.ones((5, NUM_ACTIONS), np.int8)
    shares, sure = probabilities(drawn, observations, masks), probabilities(likeliest, observations, masks)
    np.testing.assert_allclose(shares.sum(axis=1), 1, rtol=EXACT)
    assert shares.max() < 1
    np.testing.assert_array_equal(sure.argmax(axis=1), shares.argmax(axis=1))
    assert set(sure.ravel().tolist()) == {0.0, 1.0}
    one, other = tiny.best_response(drawn), tiny.best_response(likeliest)
    assert one.nash_conv > 0 and other.nash_conv > 0 and one.values != other.values


def test_the_random_agent_is_uniform(tiny):
    uniform = Told(lambda masks: masks / masks.sum(axis=1, keepdims=True))
    assert tiny.best_response(make_agent("random", "pen")).values == tiny.best_response(uniform).values


def test_a_result_is_told_as_json(tiny):
    result = tiny.best_response(make_agent("greedy", "pen"))
    told = json.loads(json.dumps(result.to_dict()))
    assert told["exploitability"] == result.exploitability == result.nash_conv / 2
    assert told["values"] == list(result.values)
    assert (told["game"], told["agents"], told["dealer"], told["trump_card"]) == ("pen_v0", ["greedy", "greedy"], 0, "Jc")
    assert told["options"] == tiny.options and told["histories"] == tiny.histories
    assert result.exploitability == pytest.approx((sum(result.values) - sum(result.policy_values)) / 2)


# --------------------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("game", "options", "arguments", "message"),
    [
        ("pen", MINI_STUMP, {"limit": 5000}, "more than limit=5000 histories: make deck, hands, stumps or max_moves smaller, or raise"),
        ("pen", {}, {}, "a deck of 36 cards has more than limit=2000000 orders"),
        ("pen", {**MINI_STUMP, "auto_single": True}, {}, "auto_single=True is not possible"),
        ("pen", {**MINI_STUMP, "hand_size": 3}, {}, "2 players need 8 cards"),
        ("pen", MINI_STUMP, {"dealer": 2}, "dealer=2 does not exist"),
        ("pen", MINI_STUMP, {"trump_card": "Ah"}, "trump_card='Ah' does not exist: the cards are Jc Qc Kc Jd Qd Kd"),
        ("pen", MINI_STUMP, {"limit": 0}, "limit=0 is not possible"),
        ("kunken", {}, {}, "kunken cannot be walked"),
        ("pengingan", {}, {}, "pengingan cannot be walked"),
    ],
)
def test_trees_that_cannot_be_walked(game, options, arguments, message):
    with pytest.raises(ValueError, match=message):
        walk(game, options, **arguments)


@pytest.mark.parametrize(
    ("agents", "message"),
    [
        (Fickle(), r"agent takes draws its actions: give it a method `probabilities\(observations, masks\)`"),
        (Told(lambda masks: masks.astype(float)), "the probabilities of a row have the sum"),
        (Told(lambda masks: np.ones(masks.shape) / NUM_ACTIONS), "0 for what is illegal"),
        (Told(lambda masks: np.full(masks.shape, np.nan)), "probabilities are numbers from 0 on"),
        (Told(lambda masks: np.ones(3)), r"shape \(\d+, 37\)"),
        (make_agent("pen:search:5"), "agent search:5 searches deals: how likely it plays what is not known"),
        ("careful", "'careful' is no agent: give what"),
        (None, "None is no agent"),
        ([], "0 agents are given: give one for both seats, or 2"),
        ([Takes()] * 3, "3 agents are given"),
        (make_agent("kunken:greedy"), "agent greedy is for game='kunken': this tree is of game='pen'"),
    ],
)
def test_agents_that_cannot_be_answered(tiny, agents, message):
    with pytest.raises(ValueError, match=message):
        tiny.best_response(agents)


def test_an_agent_that_scribbles_changes_nothing(tiny):
    class Scribbler(Takes):
        def act(self, observations, masks):
            found = masks.argmax(axis=1)
            observations[:], masks[:] = 0, 1
            return found

    class Tidy(Takes):
        def act(self, observations, masks):
            return masks.argmax(axis=1)

    assert tiny.best_response(Scribbler()).values == tiny.best_response(Tidy()).values


def test_agents_that_play_illegally(tiny):
    agent = Takes()
    agent.act = lambda observations, masks: np.full(len(masks), TAKE)
    with pytest.raises(ValueError, match="agent takes plays illegal actions"):
        tiny.best_response(agent)
