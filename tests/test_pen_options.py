"""The options of Пень for the deck and the deal (RULES.md, "Deal"): which cards there are, who gets how many, and what follows."""

from collections import Counter

import numpy as np
import pytest
from positions import PEN, Table, fresh_deal
from scipy.stats import chisquare

from penzoo.agents import make_agent
from penzoo.envs import rng
from penzoo.envs.aec import CheckedEnv
from penzoo.envs.batch import Batch
from penzoo.envs.pen.state import CARDS, HAND, STUMP
from penzoo.envs.record import Record
from penzoo.eval import evaluate
from penzoo.eval.exact import MINI_STOCK, MINI_STUMP

SEED = 905
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never
MINI_DECK = ["Jc", "Qc", "Kc", "Jd", "Qd", "Kd"]
SMALL = {"lowest_rank": "9", "highest_rank": "T", "suits": 3, "hand_size": 3, "stump_size": 1}  # 15 cards


def deck(players=2, **options):
    return [CARDS[card] for card in PEN.deck(players, PEN.complete_options(options))]


def play_out(batch, seed=SEED, longest=200):
    """Random play to the end of all deals, giving the batch before each step."""
    generator = np.random.default_rng(seed)
    for _ in range(longest):
        going = np.flatnonzero(~batch.ended)
        if not len(going):
            return
        yield batch
        batch.step(np.argmax(generator.random(batch.masks.shape) * batch.masks, axis=1)[going], going)


# -------------------------------------------------------------------------------------------------------------------- the deck


@pytest.mark.parametrize(
    ("options", "cards"),
    [
        (dict(MINI_STUMP), " ".join(MINI_DECK)),
        (dict(MINI_STOCK), " ".join(MINI_DECK)),
        ({"lowest_rank": "T", "hand_size": 2, "stump_size": 0}, "Tc Ac Td Ad Th Ah Ts As"),  # the ten stands above the king
        ({"lowest_rank": "9", "highest_rank": "Q", "suits": 3, "hand_size": 2}, "9c Jc Qc 9d Jd Qd 9h Jh Qh"),
        ({"suits": 1, "hand_size": 2}, "6c 7c 8c 9c Jc Qc Kc Tc Ac"),
        ({}, " ".join(CARDS)),
    ],
)
def test_the_deck_has_the_ranks_from_the_lowest_to_the_highest_in_the_first_suits(options, cards):
    assert deck(**options) == cards.split()
    batch = Batch(PEN, 8, SEED, num_players=2, **options)
    for row in range(8):
        assert sorted(batch.deck(row)) == sorted(CARDS.index(card) for card in cards.split())
    assert (batch.decks[:, len(cards.split()) :] == -1).all()


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        (2, {"lowest_rank": "T", "highest_rank": "K"}, "lowest_rank='T' and highest_rank='K' leave no card: the ranks go up as 6789JQKTA"),
        (2, {"suits": 1}, "2 players need 12 cards, 9 ranks in suits=1 are 9; give fewer to each, or a larger deck"),
        (3, dict(MINI_STUMP), "3 players need 9 cards, 3 ranks in suits=2 are 6"),
        (6, {"hand_size": 5}, "options hand_size=5 and stump_size=2 are not possible: 6 players need 42 cards"),
        (2, {"suits": 5}, "option suits=5 is not possible: it takes an int from 1 to 4"),
        (2, {"hand_size": 1}, "option hand_size=1 is not possible: it takes an int from 2 to 18"),
        (2, {"stump_size": -1}, "option stump_size=-1 is not possible: it takes an int from 0 to 16"),
        (2, {"lowest_rank": 5}, "option lowest_rank=5 is not possible: it takes '6' or '7'"),
        (2, {"lowest_rank": True}, "option lowest_rank=True is not possible: it takes '6' or '7'"),
        (2, {"highest_rank": "2"}, "option highest_rank='2' is not possible"),
    ],
)
def test_a_deck_that_cannot_be_dealt_is_refused_with_what_would_be_right(players, options, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        Batch(PEN, 1, 0, num_players=players, **options)


def test_all_cards_of_a_deck_may_be_dealt():
    batch = Batch(PEN, 1, 0, num_players=6, hand_size=6, stump_size=0)
    assert batch.states["stock_size"][0] == 0
    batch = Batch(PEN, 1, 0, num_players=2, hand_size=18, stump_size=0)
    assert batch.states["in_hand"][0, :2].tolist() == [18, 18]


# -------------------------------------------------------------------------------------------------------------------- the deal


def test_stumps_hands_and_stock_have_their_sizes_in_the_order_of_the_deal():
    cards = deck(3, **SMALL)
    order = [cards[k] for k in np.random.default_rng(SEED).permutation(len(cards))]
    table = fresh_deal(3, order, dealer=1, trump_card="9d", **SMALL)
    for turn, seat in enumerate((2, 0, 1)):
        assert table.stump(seat) == order[turn]
        assert set(table.hand(seat).split()) == set(order[3 + 3 * turn : 6 + 3 * turn])
    assert table.stock.split() == order[12:]


def test_cards_that_are_not_in_the_deck_are_nowhere_whoever_held_them_before():
    batch = Batch(PEN, 16, SEED, num_players=3, autoreset=False, **SMALL)
    absent = [card for card in range(36) if CARDS[card] not in deck(3, **SMALL)]
    slices = PEN.observation_layout(3).slices
    pieces = ["hand", "pile", "top", "trump_card", "seat_0.known", "seat_1.known", "seat_2.known"]
    for played in play_out(batch):
        assert (played.states["place"][:, absent] == -1).all() and not played.masks[:, absent].any()
        for name in pieces:
            assert not played.observations[:, slices[name]][:, absent].any(), name


def test_a_deal_of_the_whole_deck_and_one_of_a_part_may_follow_each_other_in_a_record():
    states = PEN.new_states(1, 2, MINI_STUMP)
    batch = Batch(PEN, 1, SEED, num_players=2)
    full = batch.states["place"].copy()
    batch.adopt(states, batch.observations.copy(), batch.masks.copy())
    batch.reset(seed=SEED)
    assert (batch.states["place"] >= 0).sum() == 6
    states[:] = PEN.new_states(1, 2, {})
    batch.reset(seed=SEED)
    np.testing.assert_array_equal(batch.states["place"], full)


def test_the_trump_card_is_any_of_the_deck_with_equal_chance():
    trumps = Counter(CARDS[card] for card in Batch(PEN, 3000, SEED, num_players=2, **MINI_STUMP).states["trump_card"])
    assert set(trumps) == set(MINI_DECK)
    assert chisquare(list(trumps.values())).pvalue > MIN_P_VALUE


def test_a_planted_trump_card_must_be_in_the_deck():
    batch = Batch(PEN, 1, 0, num_players=2, **MINI_STUMP)
    with pytest.raises(ValueError, match="trump_card='6c' does not exist: the cards are Jc Qc Kc Jd Qd Kd"):
        batch.reset(chances={"trump_card": ["6c"]})
    with pytest.raises(ValueError, match="card '6c' at position 0 is one too many"):
        batch.reset(decks=[["6c", *MINI_DECK[1:]]])
    batch.reset(decks=[MINI_DECK], chances={"trump_card": ["Kd"]})
    assert CARDS[batch.states["trump_card"][0]] == "Kd"


# -------------------------------------------------------------------------------------------------------------------- the play


@pytest.mark.parametrize(
    ("size", "hand", "stock", "hand_after", "stock_after"),
    [
        (2, "6c 7c", "Ks Qs", "7c Ks", "Qs"),
        (2, "6c 7c 8c", "Ks Qs", "7c 8c", "Ks Qs"),
        (3, "6c 7c 8c", "Ks", "7c 8c Ks", ""),
        (6, "6c 7c 8c 9c Jc Qc", "Ks As", "7c 8c 9c Jc Qc Ks", "As"),
    ],
)
def test_a_hand_is_filled_up_to_its_size(size, hand, stock, hand_after, stock_after):
    table = Table([hand, "As" if "As" not in stock else "Ts"], stock=stock, hand_size=size, stump_size=2).play("6c")
    assert (table.hand(0), table.stock) == (hand_after, stock_after)


def test_a_stump_of_another_size_is_taken_up_whole():
    table = Table(["Kc", "As"], pile="9c", stumps=["6d 7d 8d", ""], stump_size=3).play("Kc")
    assert (table.hand(0), table.state["in_hand"][0], table.stump(0)) == ("6d 7d 8d", 3, "")


def test_without_stumps_a_player_without_cards_is_out_at_once():
    order = ["Jc", "Kd", "Qc", "Kc", "Jd", "Qd"]  # hands Jc Kd to seat 1, Qc Kc to seat 0; stock Jd Qd
    table = fresh_deal(2, order, dealer=0, trump_card="Jc", **MINI_STOCK)
    assert (table.hand(1), table.hand(0), table.stock, table.sees(1, "seat_0.stump")) == ("Jc Kd", "Qc Kc", "Jd Qd", 0)
    table.play("Jc")  # and draws Jd
    assert (table.hand(1), table.seat) == ("Jd Kd", 0)
    table.play("Qc Kc")  # beats, leads, and draws the last of the stock only: a trump that nothing beats
    assert (table.hand(0), table.stock, table.seat) == ("Qd", "", 1)
    table.play("take")  # four for the king, or all three: the pile is empty
    assert (table.hand(1), table.seat, table.leads) == ("Jc Qc Kc Jd Kd", 0, True)
    table.play("Qd")
    assert (table.is_out(0), table.end, table.returns) == (True, "terminated", [1.0, -1.0])


@pytest.mark.parametrize("options", [MINI_STOCK, {**SMALL, "hand_size": 2}, {"hand_size": 2, "stump_size": 0}])
def test_while_there_is_a_stock_every_turn_begins_with_a_full_hand(options):
    batch = Batch(PEN, 64, SEED, num_players=2, autoreset=False, **options)
    size = batch.options["hand_size"]
    for played in play_out(batch):
        states = played.states
        begun = (states["stock_size"] > 0) & ((states["phase"] == 1) | (states["pile_size"] == 0)) & ~played.ended
        assert (states["in_hand"][begun, :2] >= size).all()
        assert played.masks[~played.ended].any(axis=1).all()


def test_dealing_anew_keeps_to_the_deck_each_way_as_likely():
    batch = Batch(PEN, 1, SEED, num_players=2, **MINI_STUMP)
    count = 6000
    states = batch.determinize(np.zeros(count, int), rng.streams(SEED, count), np.zeros(count, int))
    ways = Counter(tuple(place) for place in states["place"].tolist())
    own = np.flatnonzero(batch.states["place"][0] == HAND)
    assert all(way[card] == HAND for way in ways for card in own)
    assert all(sorted(way) == sorted(batch.states["place"][0].tolist()) for way in ways)
    assert len(ways) == 12  # of the four hidden cards two in the other hand, one in each stump
    assert chisquare(list(ways.values())).pvalue > MIN_P_VALUE
    assert {way.index(STUMP) for way in ways} == set(range(36)) & {CARDS.index(card) for card in MINI_DECK} - set(own.tolist())


# ------------------------------------------------------------------------------------------------------- around the game itself


@pytest.mark.parametrize("options", [MINI_STUMP, MINI_STOCK])
def test_records_replay_with_the_options(options):
    env = CheckedEnv(PEN, 2, **options)
    generator = np.random.default_rng(SEED)
    for seed in range(5):
        env.reset(seed=seed)
        while env.agents:
            observation, _, terminated, truncated, _ = env.last()
            legal = np.flatnonzero(observation["action_mask"])
            env.step(None if terminated or truncated else int(generator.choice(legal)))
            if not (terminated or truncated):
                last = env.record()
        record = Record.from_json(last.to_json())
        assert len(record.deck) == 6 and record.options == PEN.changed_options(PEN.complete_options(dict(options)))
        assert len(list(record.replay())) == len(record.actions) + 1


@pytest.mark.parametrize(("players", "options"), [(2, MINI_STUMP), (2, MINI_STOCK), (3, SMALL)])
def test_agents_play_small_games_on_common_decks(players, options):
    result = evaluate(["greedy", "careful", "random"][:players], "pen", players=players, deals=40, seed=SEED, options=options)
    assert sum(row.payoff for row in result.rows) == pytest.approx(0, abs=1e-9)
    again = evaluate(["greedy", "careful", "random"][:players], "pen", players=players, deals=40, seed=SEED, options=options)
    assert again.rows == result.rows


def test_a_large_stump_can_be_watched():
    env = CheckedEnv(PEN, 2, "ansi", viewer="player_0", hand_size=2, stump_size=6)
    env.reset(seed=SEED)
    assert env.render().count("stump ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒") == 2


def test_heuristics_are_legal_wherever_the_small_games_lead():
    for name in ("greedy", "careful"):
        agent = make_agent(name, "pen", 2)
        batch = Batch(PEN, 64, SEED, num_players=2, autoreset=False, **MINI_STUMP)
        for played in play_out(batch):
            going = np.flatnonzero(~played.ended)
            actions = agent.act(played.observations[going], played.masks[going])
            assert played.masks[going, actions].all()


def test_a_rank_may_be_a_number_as_yaml_reads_it():
    assert PEN.complete_options({"lowest_rank": 7})["lowest_rank"] == "7"
