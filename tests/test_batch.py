"""Batches of deals: seeds, given deals, errors that name what is wrong, new deals after the end, saved deals."""

import io
import re

import contract
import numpy as np
import pytest
from contract import SEED

from penzoo.envs import get_game, rng, snapshot
from penzoo.envs.batch import Batch
from penzoo.envs.pen.state import CARDS, HAND

PEN = get_game("pen")
ROWS = 12
DECK = list(CARDS)


def play(batch, steps, seed=SEED):
    """Play at random; returns the batch."""
    for _ in contract.play(batch, steps, seed):
        pass
    return batch


def trace(batch, steps=300):
    """What is seen in every row at every step."""
    return [(batch.observations.copy(), batch.seats.copy(), batch.decks.copy(), batch.returns.copy()) for _ in contract.play(batch, steps)]


def same(one, other, rows=slice(None)):
    """Whether two traces are alike, the second cut to some rows."""
    return all(np.array_equal(a, b[rows]) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True))


def play_until_end(batch, seed=SEED):
    """Play at random until a deal ends; gives the row and what the rows held right before."""
    generator = np.random.default_rng(seed)
    for _ in range(2000):
        before = batch.save()
        batch.step(contract.random_actions(batch, generator))
        if batch.ended.any():
            return int(np.argmax(batch.ended)), before
    raise AssertionError("no deal ended")


# ------------------------------------------------------------------------------------------------------------------- seeds


def test_the_same_seed_gives_the_same_deals():
    assert same(trace(Batch(PEN, ROWS, SEED)), trace(Batch(PEN, ROWS, SEED)))
    assert not np.array_equal(Batch(PEN, ROWS, SEED).decks, Batch(PEN, ROWS, SEED + 1).decks)
    assert not np.array_equal(Batch(PEN, ROWS).decks, Batch(PEN, ROWS).decks)


def test_rows_have_different_decks_dealers_and_trumps_and_so_have_the_deals_of_a_row():
    batch = Batch(PEN, 200, SEED, max_moves=1, num_players=6)
    assert len(np.unique(batch.decks, axis=0)) == 200
    assert set(batch.states["dealer"]) == set(range(6)) and len(set(batch.states["trump_card"])) > 30
    decks = batch.decks.copy()
    play(batch, 1)
    assert (decks != batch.decks).any(axis=1).all()


def test_reset_with_a_seed_begins_as_a_new_batch_of_that_seed_does():
    played = play(Batch(PEN, ROWS, 3), 77)
    played.reset(SEED)
    assert same(trace(played), trace(Batch(PEN, ROWS, SEED)))


def test_reset_without_a_seed_goes_on_with_other_deals():
    batch = Batch(PEN, ROWS, SEED)
    decks = batch.decks.copy()
    batch.reset()
    assert (decks != batch.decks).any(axis=1).all()


def test_reset_of_some_rows_leaves_the_others_alone():
    batch = play(Batch(PEN, ROWS, SEED), 30)
    before = contract.snapshot(batch)
    batch.reset(rows=[2, 5])
    others = np.setdiff1d(np.arange(ROWS), [2, 5])
    assert all(np.array_equal(getattr(batch, name)[others], array[others]) for name, array in before.items())
    assert (batch.states["moves"][[2, 5]] == 0).all() and not batch.ended[[2, 5]].any() and not batch.rewards[[2, 5]].any()


def test_a_seed_for_each_row_deals_as_row_0_of_a_batch_of_that_seed():
    batch = play(Batch(PEN, ROWS, SEED), 30)
    batch.reset([5, 6], rows=[1, 3])
    assert np.array_equal(batch.decks[1], Batch(PEN, 1, 5).decks[0])
    assert np.array_equal(batch.decks[3], Batch(PEN, 1, 6).decks[0])
    with pytest.raises(ValueError, match="seed: 2 given for 3 rows"):
        batch.reset([5, 6], rows=[1, 2, 3])


@pytest.mark.parametrize("reset", [lambda: Batch(PEN, 2, -1), lambda: Batch(PEN, 2, 0).reset(-1), lambda: Batch(PEN, 2, 0).reset([1, -1])])
def test_a_negative_seed_is_refused(reset):
    with pytest.raises(ValueError, match="seed=-1 is not possible: it takes an int from 0 on"):
        reset()


BAD_SEEDS = ["5", 1.5, np.nan, True, np.True_, -1, np.int64(-1)]


@pytest.mark.parametrize("seed", BAD_SEEDS, ids=repr)
def test_what_is_no_seed_is_refused_by_its_name_and_nothing_changes(seed):
    batch = play(Batch(PEN, 2, SEED), 5)
    before, streams = contract.snapshot(batch), batch._rng.copy()
    message = rf"seed[ =]{re.escape(repr(seed))}|seed[ =]{re.escape(str(seed))}"
    for reset in (lambda: batch.reset(seed), lambda: batch.reset([1, seed]), lambda: batch.reset([seed], rows=[1])):
        with pytest.raises(ValueError, match=message):
            reset()
        assert contract.is_unchanged(batch, before) and np.array_equal(batch._rng, streams)
    with pytest.raises(ValueError, match=message):
        Batch(PEN, 2, seed)


def test_every_kind_of_integer_is_a_seed():
    for seed in (np.int64(SEED), np.uint16(SEED)):
        assert np.array_equal(Batch(PEN, 2, seed).decks, Batch(PEN, 2, SEED).decks)
        batch = Batch(PEN, 2, 0)
        batch.reset([seed, None])
        assert np.array_equal(batch.decks[0], Batch(PEN, 1, SEED).decks[0])


@pytest.mark.parametrize("max_moves", [5, 1000])
def test_a_seeded_reset_in_a_match_is_the_same_whether_or_not_a_deal_has_ended_before(max_moves):
    options = {"num_players": 4, "match": True, "must_beat": True, "max_moves": max_moves, "autoreset": False}
    fresh, played = Batch(PEN, ROWS, SEED, **options), Batch(PEN, ROWS, SEED + 1, **options)
    if max_moves == 5:
        assert play(played, 5).ended.all()
    else:
        play_until_end(played)
        assert not played.ended.all()
    played.reset(SEED)
    assert contract.same_deals(fresh, played)
    for _ in contract.play(played, 5):  # one deal is over, and the next begun by a seed for each row
        pass
    played.reset([SEED] * ROWS)
    assert all(contract.same_deals(fresh, played, [0], [row]) for row in range(ROWS))


# ------------------------------------------------------------------------------------------------------------- given deals


def test_given_decks_dealers_and_trump_cards_are_dealt():
    batch = Batch(PEN, 3, SEED, num_players=4)
    decks = [DECK, DECK[::-1], DECK[5:] + DECK[:5]]
    batch.reset(decks=decks, dealers=[0, 3, 1], chances={"trump_card": ["Ah", "6c", "Ts"]})
    assert [[CARDS[card] for card in deck] for deck in batch.decks] == decks
    assert batch.states["dealer"].tolist() == [0, 3, 1]
    assert batch.seats.tolist() == [1, 0, 2]
    assert [CARDS[card] for card in batch.states["trump_card"]] == ["Ah", "6c", "Ts"]
    assert {CARDS[card] for card in np.flatnonzero(batch.states["place"][0] == HAND + 1)} == set(DECK[8:12])


def test_a_deck_may_be_given_as_card_indices():
    batch = Batch(PEN, 2, SEED)
    batch.reset(decks=np.stack([np.arange(36)[::-1], np.arange(36)]))
    assert batch.decks.tolist() == [list(range(36))[::-1], list(range(36))]


def test_what_is_not_given_is_drawn_as_without_it():
    drawn, given = Batch(PEN, ROWS, SEED), Batch(PEN, ROWS, SEED)
    drawn.reset()
    given.reset(dealers=[2] * ROWS)
    assert np.array_equal(drawn.decks, given.decks)
    assert np.array_equal(drawn.states["trump_card"], given.states["trump_card"])
    assert (given.states["dealer"] == 2).all() and (given.seats == 0).all()


def test_a_given_deal_in_some_rows():
    batch = Batch(PEN, ROWS, SEED)
    batch.reset(rows=[7, 2], decks=[DECK, DECK[::-1]], dealers=[1, 2])
    assert batch.decks[7].tolist() == list(range(36)) and batch.decks[2].tolist() == list(range(36))[::-1]
    assert batch.states["dealer"][[7, 2]].tolist() == [1, 2]


# ------------------------------------------------------------------------------------------------------------------ errors

BAD_DEALS = [
    ({"decks": [[*DECK[:3], "6c", *DECK[4:]]]}, "card '6c' at position 3 is one too many: a deck has 1 of it"),
    ({"decks": [["6c", "7c", "7c", "6c", *DECK]]}, "card '7c' at position 2 is one too many"),  # the first along the deck
    ({"decks": [[*DECK, "Ah"]]}, "card 'Ah' at position 36 is one too many"),
    ({"decks": [[card for card in DECK if card not in ("Td", "8c")]]}, "card '8c' is missing: a deck has 36 cards, this one 34"),
    ({"decks": [[]]}, "card '6c' is missing"),
    ({"decks": [["5c", *DECK[1:]]]}, "card '5c' does not exist: pen has 6c 7c"),
    ({"decks": [[6, *DECK[1:]]]}, "card 6 does not exist"),
    ({"decks": [[None, *DECK[1:]]]}, "card None does not exist"),
    ({"decks": ["6c 7c 8c"]}, "deck '6c 7c 8c' is no list of card names"),
    ({"decks": [None]}, "deck None is no list of card names"),
    ({"decks": [7]}, "deck 7 is no list of card names"),
    ({"decks": np.full((1, 36), 40)}, "card '40' does not exist"),
    ({"decks": np.full((1, 36), -1)}, "card '-1' does not exist"),
    ({"decks": np.zeros((1, 36), int)}, "card '6c' at position 1 is one too many"),
    ({"decks": np.arange(36.0)[None]}, "(0.0) does not exist"),
    ({"decks": [DECK, DECK]}, "decks: 2 given for 1 rows"),
    ({"dealers": [3]}, "dealer=3 does not exist: with 3 players the seats are 0 to 2"),
    ({"dealers": [-1]}, "dealer=-1 does not exist"),
    ({"dealers": [1.0]}, "dealer=1.0 does not exist"),
    ({"dealers": [True]}, "dealer=True does not exist"),
    ({"dealers": ["0"]}, "dealer='0' does not exist"),
    ({"dealers": [0, 1]}, "dealers: 2 given for 1 rows"),
    ({"chances": {"trump_card": ["5h"]}}, "trump_card='5h' does not exist: the cards are 6c 7c"),
    ({"chances": {"trump_card": [3]}}, "trump_card=3 does not exist"),
    ({"chances": {"trump_card": []}}, "trump_card: 0 given for 1 rows"),
    ({"decks": 3}, "decks"),
    ({"dealers": 3}, "dealers"),
    ({"chances": {"trump_card": 5}}, "trump_card"),
    ({"chances": {"trump_card": [np.array(["6c"])]}}, "trump_card"),
    ({"chances": {"trump_card": [["6c"]]}}, "trump_card"),
    ({"chances": {"trump_card": [None]}}, "trump_card=None does not exist"),
    ({"chances": {"trumps": ["6h"]}}, "chance 'trumps' does not exist: pen has trump_card"),
    ({"rows": [4]}, "rows [4] do not all exist: rows are ints, 0 to 3"),
    ({"rows": [-1]}, "rows [-1] do not all exist"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_DEALS)
def test_a_deal_that_is_impossible_is_refused_and_nothing_changes(arguments, message):
    batch = play(Batch(PEN, 4, SEED), 10)
    before, streams = contract.snapshot(batch), batch._rng.copy()
    with pytest.raises(ValueError, match=re.escape(message)):
        batch.reset(5, **{"rows": [2], **arguments})
    assert contract.is_unchanged(batch, before)
    assert np.array_equal(batch._rng, streams)


def test_a_reset_of_no_rows_with_nothing_given_for_them_does_nothing():
    batch = play(Batch(PEN, 4, SEED), 10)
    before, streams = contract.snapshot(batch), batch._rng.copy()
    nothing = {"decks": [], "dealers": [], "chances": {"trump_card": []}}
    for given in ({}, *({name: value} for name, value in nothing.items()), nothing, {"decks": np.empty((0, 36), np.int8)}):
        batch.reset(rows=[], **given)
        batch.reset([], rows=[], **given)
        assert contract.is_unchanged(batch, before)
        assert np.array_equal(batch._rng, streams)


def test_one_impossible_deal_among_others_changes_none():
    batch = Batch(PEN, 2, SEED)
    before = contract.snapshot(batch)
    with pytest.raises(ValueError, match="dealer=9"):
        batch.reset(decks=[DECK, DECK], dealers=[0, 9])
    assert contract.is_unchanged(batch, before)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_players": 1}, "num_players=1 is not possible: pen takes 2 to 6 players"),
        ({"num_players": 7}, "num_players=7 is not possible"),
        ({"num_players": 3.0}, "num_players=3.0 is not possible"),
        ({"num_players": True}, "num_players=True is not possible"),
        ({"num_players": "3"}, "num_players='3' is not possible"),
        ({"must_bet": True}, "option 'must_bet' does not exist: pen has must_beat, payoff, lowest_rank, "),
        ({"must_beat": 1}, "option must_beat=1 is not possible: it takes False or True"),
        ({"must_beat": None}, "option must_beat=None is not possible"),
        ({"payoff": "winner"}, "option payoff='winner' is not possible: it takes 'loser' or 'placement'"),
        ({"max_moves": 0}, "option max_moves=0 is not possible: it takes an int from 1 to 1000000"),
        ({"max_moves": 10**6 + 1}, "option max_moves=1000001 is not possible"),
        ({"max_moves": 10.5}, "option max_moves=10.5 is not possible"),
        ({"max_moves": True}, "option max_moves=True is not possible"),
        ({"auto_single": "yes"}, "option auto_single='yes' is not possible"),
        ({"num_envs": 0}, "num_envs=0 is not possible: it takes an int from 1 on"),
        ({"num_envs": -3}, "num_envs=-3 is not possible"),
        ({"num_envs": 2.5}, "num_envs=2.5 is not possible"),
        ({"num_envs": "3"}, "num_envs='3' is not possible"),
        ({"num_envs": True}, "num_envs=True is not possible"),
        ({"num_envs": None}, "num_envs=None is not possible"),
        ({"threads": 0}, "threads=0 is not possible"),
        ({"threads": 2.5}, "threads=2.5 is not possible"),
        ({"threads": "3"}, "threads='3' is not possible"),
        ({"threads": True}, "threads=True is not possible"),
    ],
)
def test_an_impossible_argument_of_a_batch_is_refused(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Batch(PEN, **{"num_envs": 2, **arguments})


@pytest.mark.parametrize(
    ("actions", "rows", "message"),
    [
        ([0], None, "actions of shape (1,) and dtype int64 do not fit: give 4 ints, one a row"),
        ([[0], [0], [0], [0]], None, "actions of shape (4, 1)"),
        ([0.0, 0.0, 0.0, 0.0], None, "dtype float64 do not fit"),
        ([True] * 4, None, "dtype bool do not fit"),
        (["6c"] * 4, None, "do not fit"),
        (0, None, "actions of shape ()"),
        ([0, 0], [1], "do not fit: give 1 ints"),
        ([0], [4], "rows [4] do not all exist: rows are ints, 0 to 3"),
        ([0], [[1]], "do not all exist"),
    ],
)
def test_actions_that_do_not_fit_are_refused_and_nothing_changes(actions, rows, message):
    batch = play(Batch(PEN, 4, SEED), 10)
    before = contract.snapshot(batch)
    with pytest.raises(ValueError, match=re.escape(message)):
        batch.step(actions, rows)
    assert contract.is_unchanged(batch, before)


@pytest.mark.parametrize("rows", [[1, 1], np.array([True, False, True, False]), [0.5, 1.5]], ids=["twice", "bool", "float"])
def test_rows_that_are_no_rows_or_named_twice_are_refused(rows):
    batch = Batch(PEN, 4, SEED)
    before = contract.snapshot(batch)
    legal = np.argmax(batch.masks, axis=1)
    with pytest.raises(ValueError, match="rows"):
        batch.step(legal[[1] * len(rows)], rows)
    assert contract.is_unchanged(batch, before)


def test_an_illegal_action_names_itself_the_seat_and_what_is_legal():
    batch = Batch(PEN, 2, SEED)
    batch.reset(decks=[DECK, DECK], dealers=[0, 1], chances={"trump_card": ["6h", "6h"]})
    with pytest.raises(ValueError, match=re.escape("row 1: action 36 (take) is illegal for seat 2: legal are Kc, Tc, Ac, 6d")) as error:
        batch.step([6, 36])
    assert "row 0" not in str(error.value)
    with pytest.raises(ValueError, match=re.escape("row 0: action 37 (no action of the 37) is illegal for seat 1")):
        batch.step([37, 6])
    with pytest.raises(ValueError, match=re.escape("row 0: action -1 (no action of the 37) is illegal for seat 1")):
        batch.step([-1, 6])


def test_seats_that_do_not_exist_cannot_observe():
    batch = Batch(PEN, 2, SEED)
    for seats in ([3, 0], [-1, 0], [0], [[0, 0]], [0.0, 1.0], [True, False], np.array([0.5, 0]), ["0", "1"], [None, 0], 0, None):
        with pytest.raises(ValueError, match="seats"):
            batch.observe(seats)
        with pytest.raises(ValueError, match="seats"):
            batch.determinize(seats, rng.streams(0, 2))


@pytest.mark.parametrize(
    "streams",
    [rng.streams(0, 3), rng.streams(0, 2).tolist(), rng.streams(0, 2).astype(np.int64), None, 5],
    ids=["3", "list", "int64", "None", "5"],
)
def test_what_are_no_streams_for_the_rows_is_refused(streams):
    with pytest.raises(ValueError, match="streams"):
        Batch(PEN, 2, SEED).determinize([0, 0], streams)


def test_the_arrays_of_a_batch_are_read_only():
    batch = Batch(PEN, 2, SEED)
    for name in contract.ARRAYS:
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, name)[0] = 0


# --------------------------------------------------------------------------------------------------- the end and what follows


def test_a_finished_deal_starts_anew_at_once_and_its_last_rewards_are_not_lost():
    batch = Batch(PEN, ROWS, SEED, num_players=3, must_beat=True)
    row, before = play_until_end(batch)
    same_without = Batch(PEN, ROWS, 0, num_players=3, must_beat=True, autoreset=False)
    same_without.restore(before)
    decks = same_without.decks.copy()
    assert batch.terminated[row] and not batch.truncated[row]
    assert batch.rewards[row].tolist() == batch.returns[row].tolist() and sorted(batch.returns[row]) == [-1, 0.5, 0.5]
    assert batch.states["moves"][row] == 0 and batch.states["terminated"][row] == 0
    assert batch.masks[row].sum() == 4 and (batch.decks[row] != decks[row]).any()
    assert np.array_equal(batch.observations[row], batch.observe(batch.seats)[row])
    play(batch, 1)
    assert not batch.ended[row] and not batch.rewards[row].any() and not batch.returns[row].any()


def test_without_autoreset_a_deal_stays_as_it_ended():
    batch = Batch(PEN, ROWS, SEED, must_beat=True, autoreset=False)
    row, _ = play_until_end(batch)
    assert batch.terminated[row] and not batch.masks[row].any()
    ended = contract.snapshot(batch)
    play(batch, 20)
    for name in ("states", "observations", "masks", "seats", "returns", "terminated", "truncated"):
        assert np.array_equal(getattr(batch, name)[row], ended[name][row]), name
    batch.reset(rows=[row])
    assert not batch.ended[row] and batch.masks[row].any() and not batch.returns[row].any()


def test_autoreset_and_reset_begin_the_same_deals():
    one, other = Batch(PEN, ROWS, SEED, max_moves=30), Batch(PEN, ROWS, SEED, max_moves=30, autoreset=False)
    generator = np.random.default_rng(SEED)
    for _ in range(100):
        assert contract.same_deals(one, other, without=("rewards", "returns", "terminated", "truncated"))
        actions = contract.random_actions(one, generator)
        one.step(actions)
        other.step(actions)
        assert contract.same_deals(one, other, without=("states", "decks", "observations", "masks", "seats"))
        other.reset(rows=np.flatnonzero(other.ended))


@pytest.mark.parametrize("max_moves", [1000, 60])
def test_in_a_match_the_loser_deals_next_and_the_next_seat_where_nobody_lost(max_moves):
    batch = Batch(PEN, ROWS, SEED, num_players=4, match=True, must_beat=True, max_moves=max_moves)
    generator, seen = np.random.default_rng(SEED), set()
    for _ in range(1500):
        dealers = batch.states["dealer"].copy()
        batch.step(contract.random_actions(batch, generator))
        for row in np.flatnonzero(batch.ended):
            returns = batch.returns[row]
            has_loser = returns.min() == -1
            expected = int(np.argmin(returns)) if has_loser else (dealers[row] + 1) % 4
            assert batch.states["dealer"][row] == expected
            seen.add(bool(has_loser))
        assert np.array_equal(batch.states["dealer"][~batch.ended], dealers[~batch.ended])
    assert (max_moves == 1000 and True in seen) or (max_moves == 60 and False in seen)


def test_outside_of_a_match_every_seat_deals_as_often():
    batch = Batch(PEN, 3000, SEED, num_players=3, max_moves=1)
    play(batch, 1)
    assert (np.abs(np.bincount(batch.states["dealer"]) - 1000) < 100).all()


def test_without_the_check_legal_play_is_the_same():
    assert same(trace(Batch(PEN, ROWS, SEED)), trace(Batch(PEN, ROWS, SEED, check=False)))


# -------------------------------------------------------------------------------------------------------- saved and restored


def change(data, **changes):
    """Saved deals with other values in the description."""
    return contract.repack(data, lambda meta, arrays: meta.update(changes))


def other_bytes():
    """Bytes that are no saved deals of three players in four rows, and what is said of them."""
    data = Batch(PEN, 4, SEED).save()
    file = io.BytesIO()
    np.save(file, np.arange(3))
    archive = io.BytesIO()
    np.savez(archive, states=np.arange(3))
    return {
        "nothing": (b"", "are no saved deal"),
        "garbage": (b"garbage", "are no saved deal"),
        "long garbage": (bytes(range(256)) * 40, "are no saved deal"),
        "a pickle": (b"\x80\x04K\x01.", "are no saved deal"),
        "one array": (file.getvalue(), "are no saved deal"),
        "other arrays": (archive.getvalue(), "are no saved deal"),
        "another archive": (
            snapshot.pack(PEN, "an environment", {"players": 3}, {"states": PEN.new_states(4, 3, {})}),
            "saved from an environment, not from a batch",
        ),
        "half": (data[: len(data) // 2], "are no saved deal"),
        "cut": (data[:-1], "are no saved deal"),
        "players": (Batch(PEN, 4, SEED, num_players=4).save(), "saved with 4 players, not with 3"),
        "count": (Batch(PEN, 3, SEED).save(), "3 deals were saved, 4 rows are to be restored"),
        "version": (change(data, version=9), "saved of pen_v9, not of pen_v0"),
        "game": (change(data, game="kunken"), "saved of kunken_v0, not of pen_v0"),
    }


@pytest.mark.parametrize("name", other_bytes())
def test_other_bytes_are_refused_and_nothing_changes(name):
    data, message = other_bytes()[name]
    batch = play(Batch(PEN, 4, 0), 9)
    before, streams = contract.snapshot(batch), batch._rng.copy()
    with pytest.raises(ValueError, match=message):
        batch.restore(data)
    assert contract.is_unchanged(batch, before)
    assert np.array_equal(batch._rng, streams)


ARCHIVED = (*contract.ARRAYS, "rng")
FLAWS = {
    "lacks": lambda arrays, name: arrays.pop(name),
    "has another shape of": lambda arrays, name: arrays.update({name: arrays[name][:, None]}),
    "has more of each row of": lambda arrays, name: arrays.update({name: np.stack([arrays[name]] * 2, axis=1)}),
    "has a row less of": lambda arrays, name: arrays.update({name: arrays[name][:-1]}),
    "has a single number for": lambda arrays, name: arrays.update({name: np.array(0)}),
    "has complex numbers in": lambda arrays, name: arrays.update({name: np.zeros(arrays[name].shape, np.complex64)}),
    "has other numbers in": lambda arrays, name: arrays.update({name: np.zeros(arrays[name].shape, np.float16)}),
}


@pytest.mark.parametrize("name", ARCHIVED)
@pytest.mark.parametrize("flaw", FLAWS)
def test_an_archive_with_a_flaw_in_an_array_is_refused_and_nothing_changes(flaw, name):
    batch = play(Batch(PEN, 4, 0), 9)
    before, streams, data = contract.snapshot(batch), batch._rng.copy(), play(Batch(PEN, 4, SEED), 20).save()
    arrays = play(Batch(PEN, 4, SEED), 20).to_arrays()
    FLAWS[flaw](arrays, name)
    for restore in (
        lambda: batch.restore(contract.repack(data, lambda meta, arrays: FLAWS[flaw](arrays, name))),
        lambda: batch.from_arrays(arrays),
    ):
        with pytest.raises(ValueError, match=r".+"):
            restore()
        assert contract.is_unchanged(batch, before) and np.array_equal(batch._rng, streams)


@pytest.mark.parametrize("key", ["game", "version", "kind", "players"])
def test_an_archive_that_lacks_a_word_of_its_description_is_refused_and_nothing_changes(key):
    batch = play(Batch(PEN, 4, 0), 9)
    before, data = contract.snapshot(batch), Batch(PEN, 4, SEED).save()
    with pytest.raises(ValueError, match="are no saved deal"):
        batch.restore(contract.repack(data, lambda meta, arrays: meta.pop(key)))
    assert contract.is_unchanged(batch, before)


@pytest.mark.parametrize("data", [None, "x", 5, ["x"], {}], ids=repr)
def test_what_are_no_bytes_are_no_saved_deals(data):
    batch = play(Batch(PEN, 4, 0), 9)
    before = contract.snapshot(batch)
    with pytest.raises(ValueError, match=r".+"):
        batch.restore(data)
    assert contract.is_unchanged(batch, before)


def test_bytes_with_a_flaw_anywhere_are_refused_or_harmless():
    batch, generator = Batch(PEN, 1, SEED), np.random.default_rng(SEED)
    data = batch.save()
    for at in generator.integers(0, len(data), 300):
        flawed = bytearray(data)
        flawed[at] ^= 1 << int(generator.integers(8))
        before = contract.snapshot(batch)
        try:
            batch.restore(bytes(flawed))
        except ValueError:
            assert contract.is_unchanged(batch, before)


def test_equal_deals_are_equal_bytes():
    one, other = play(Batch(PEN, 4, SEED), 9), play(Batch(PEN, 4, SEED), 9)
    junk = [np.full(len(one.save()), 255, np.uint8) for _ in range(20)]  # what freed memory would leave in gaps
    del junk
    assert one.save() == other.save()
    assert one.save([2]) == other.save([2])


def test_some_rows_are_saved_and_restored_in_their_order():
    batch = play(Batch(PEN, ROWS, SEED), 25)
    other = Batch(PEN, 3, 0)
    other.restore(batch.save([7, 0, 4]))
    assert contract.same_deals(batch, other, [7, 0, 4])
    other.restore(batch.save([7]), [2])
    assert contract.same_deals(batch, other, [7, 0, 7])


def test_a_restored_deal_keeps_its_options():
    must = play(Batch(PEN, 2, SEED, must_beat=True, payoff="placement"), 12)
    plain = Batch(PEN, 2, SEED)
    plain.restore(must.save())
    assert (plain.states["must_beat"] == 1).all() and (plain.states["payoff"] == 1).all()
    assert np.array_equal(plain.masks, must.masks)


def test_copies_need_as_many_targets_as_sources():
    batch = Batch(PEN, ROWS, SEED)
    with pytest.raises(ValueError, match="2 source rows and 1 target rows"):
        batch.copy([0, 1], [2])
    with pytest.raises(ValueError, match="do not all exist"):
        batch.copy([0], [ROWS])


def test_a_copied_row_draws_its_later_deals_from_its_own_stream():
    batch = Batch(PEN, 2, SEED, max_moves=1)
    batch.copy([0], [1])
    assert np.array_equal(batch.decks[0], batch.decks[1])
    batch.step(np.argmax(batch.masks, axis=1))
    assert not np.array_equal(batch.decks[0], batch.decks[1])


def test_copies_may_swap():
    batch = play(Batch(PEN, 2, SEED), 17)
    before = contract.snapshot(batch)
    batch.copy([0, 1], [1, 0])
    assert all(np.array_equal(getattr(batch, name), array[::-1]) for name, array in before.items())


# ------------------------------------------------------------------------------------------------------------- determinize


def test_determinize_copies_a_row_as_often_as_wished_and_changes_no_row():
    batch = play(Batch(PEN, 3, SEED), 15)
    before = contract.snapshot(batch)
    states = batch.determinize([0] * 50, rng.streams(SEED, 50), rows=[1] * 50)
    assert states.dtype == PEN.state_dtype and len(np.unique(states["place"], axis=0)) == 50
    assert contract.is_unchanged(batch, before)
