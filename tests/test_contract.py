"""What holds for any game, tried on each: exact masks, ends, cards, ranges, batches, copies, and no leak."""

import copy
import dataclasses
import json
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path

import contract
import leaky_games
import numpy as np
import pytest
from contract import ALL_SETTINGS, PLAIN_SETTINGS, ROWS, SEED, STEADY_SETTINGS, Setting

from penzoo.agents import HEURISTICS, make_agent
from penzoo.envs import GAMES, loops, rng
from penzoo.envs.aec import CheckedEnv
from penzoo.envs.batch import Batch
from penzoo.envs.cards import NO_CARD

UNCOMPILED_STEPS = 25
FEW_ROWS, MANY_ROWS = 8, 192
FEW_ACTIONS = 2
FEW_DEALS = 3
FEW_MOMENTS = 4
MANY_STEPS = 1000
MANY_SLOTS = 12  # numbered pieces of the state from this number on are like those before, and seldom filled
TOLERANCE = 1e-12
_WALKED: dict[str, np.ndarray] = {}


def walked(setting: Setting) -> np.ndarray:
    """Records of many deals, each played for a while."""
    name = str(setting)
    if name not in _WALKED:
        _WALKED[name] = contract.walk(setting, MANY_ROWS, seed=SEED + setting.players).states.copy()
    return _WALKED[name]


def moments(setting: Setting, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Records at moments of a deal, half of them at random, and a seat for each: every seat, the one to move and others."""
    at_random, others = np.split(walked(setting), [rows // 2])
    states = np.concatenate([at_random, contract.varied(setting.game, others, rows - rows // 2)])
    return np.repeat(states, setting.players), np.tile(np.arange(setting.players), rows)


every_game = pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.name)
every_setting = pytest.mark.parametrize("setting", ALL_SETTINGS, ids=str)
every_steady_setting = pytest.mark.parametrize("setting", STEADY_SETTINGS, ids=str)
every_table = pytest.mark.parametrize("setting", PLAIN_SETTINGS, ids=str)


# ------------------------------------------------------------------------------------------------------------------- tables


@every_game
def test_action_name_and_action_index_undo_each_other(game):
    assert len(set(game.actions.names)) == len(game.actions)
    for index, name in enumerate(game.actions.names):
        assert game.actions.name(index) == name
        assert game.actions.index(name) == index
    for index in (-1, len(game.actions)):
        with pytest.raises(ValueError, match=f"action {index} does not exist"):
            game.actions.name(index)
    for name in ("", "no such action", None, 3):
        with pytest.raises(ValueError, match="does not exist"):
            game.actions.index(name)


@every_game
def test_action_groups_fill_the_table(game):
    slices = game.actions.slices
    assert [index for where in slices.values() for index in range(where.start, where.stop)] == list(range(len(game.actions)))
    assert all(game.actions.names[slices[group.name]] == group.names and group.meaning for group in game.actions.groups)


@every_table
def test_layouts_add_up_and_their_names_are_unique(setting):
    batch = setting.batch(1)
    game, players = setting.game, setting.players
    assert batch.observations.shape == (1, game.observation_layout(players).size)
    for layout in (game.observation_layout(players), game.state_layout(players)):
        names = [piece.name for piece, _ in layout]
        assert len(set(names)) == len(names)
        covered = [index for _, where in layout for index in range(where.start, where.stop)]
        assert covered == list(range(layout.size))
        assert all(piece.size > 0 and piece.meaning and piece.scale for piece, _ in layout)


@every_game
def test_options_undo_their_codes_and_refuse_other_values(game):
    for option in game.all_options:
        values = option.choices or (*option.bounds, option.default)
        assert [option.decode(option.encode(value)) for value in values] == list(values)
        assert option.default in values
        for value in (None, "no such value", -1, 2.5, [], np.nan):
            with pytest.raises(ValueError, match=f"option {option.name}="):
                option.encode(value)


@every_game
def test_every_number_of_players_and_every_value_of_every_option_is_tried(game):
    tried = [setting for setting in ALL_SETTINGS if setting.game is game]
    sizes = set(range(game.min_players, game.max_players + 1))
    assert {setting.players for setting in tried if not setting.options} == sizes
    assert {setting.players for setting in tried if len(setting.options) == len(game.all_options)} == sizes
    for option in game.all_options:
        alone = [setting for setting in tried if list(setting.options) == [option.name]]
        if option.choices:
            wanted = contract.VALUES.get(game.name, {}).get(option.name, option.choices)
            assert {setting.options[option.name] for setting in alone} == {*wanted} - {option.default}
        assert len({setting.players for setting in alone}) >= contract.SIZES_ALONE


@every_setting
def test_each_deal_has_the_whole_deck(setting):
    batch = setting.batch(FEW_ROWS)
    full = setting.game.deck(setting.players, batch.options)
    size = len(full)
    decks = np.concatenate([batch.decks, *(played.decks.copy() for played in contract.play(batch, 60))])
    assert decks.shape[1] == setting.game.largest_deck
    assert (np.sort(decks[:, :size], axis=1) == full).all()
    assert len(batch.deck(0)) == size
    assert (decks[:, size:] == NO_CARD).all()


@every_game
def test_a_game_is_pickled_by_its_name(game):
    assert pickle.loads(pickle.dumps(game)) is game


@every_game
def test_a_copy_of_a_game_is_the_game_itself_also_of_a_variant(game):
    variant = dataclasses.replace(game, title="a variant")
    for each in (game, variant):
        assert copy.copy(each) is copy.deepcopy(each) is each
        assert copy.deepcopy([each])[0] is each
    env = CheckedEnv(variant)
    assert env.clone().game is variant
    env.reset(seed=SEED)
    assert env.clone().game is copy.copy(env).game is variant


@every_game
def test_a_variant_is_not_pickled_under_the_name_of_another_game(game):
    variants = dataclasses.replace(game, title="a variant"), dataclasses.replace(game, name="nobodys")
    for variant in variants:
        for thing in (variant, [variant], Batch(variant, 1)):
            with pytest.raises((ValueError, pickle.PicklingError), match=f"{variant.name}.*GAMES"):
                pickle.dumps(thing)


# -------------------------------------------------------------------------------------------------------------------- masks


@every_setting
def test_every_other_action_is_refused_and_nothing_changes(setting):
    batch = contract.walk(setting, MANY_ROWS)
    before, count = contract.snapshot(batch), len(setting.game.actions)
    generator = np.random.default_rng(SEED)
    for row in np.flatnonzero(~batch.ended):
        illegal = np.flatnonzero(batch.masks[row] == 0)
        tried = illegal if row < FEW_ROWS else generator.choice(illegal, min(FEW_ACTIONS, len(illegal)), replace=False)
        for action in (*tried, *((-1, count, -(2**40), 2**40) if row < FEW_ROWS else ())):
            with pytest.raises(ValueError, match="is illegal for seat"):
                batch.step([action], [row])
    assert contract.is_unchanged(batch, before)


@every_setting
def test_every_action_in_the_mask_is_accepted_and_leads_to_a_decision_or_the_end(setting):
    batch = contract.walk(setting, MANY_ROWS)
    rows, actions = np.nonzero(batch.masks)
    trial = setting.batch(max(len(rows), 1), autoreset=False)
    if len(rows):
        trial.restore(batch.save(rows))
        trial.step(actions)
    moves = trial.states["moves"] - batch.states["moves"][rows] if len(rows) else np.ones(1)
    assert (moves >= 1).all() if setting.options.get("auto_single") else (moves == 1).all()
    assert (trial.masks.any(axis=1) != trial.ended).all()
    contract.check_cards(setting, trial.states)


@every_setting
def test_mask_is_zero_at_the_end_and_only_there_and_every_deal_ends_by_max_moves(setting):
    batch = setting.batch(autoreset=False)
    limit = int(batch.states["max_moves"][0])
    for _ in contract.play(batch, limit):
        assert (batch.masks.any(axis=1) != batch.ended).all()
        assert np.isin(batch.masks, (0, 1)).all()
        if batch.ended.all():
            break
    assert batch.ended.all()
    assert not (batch.terminated & batch.truncated).any()
    assert (batch.states["moves"] <= limit).all()
    assert (batch.states["moves"][batch.truncated] == limit).all()


@every_table
def test_actions_in_an_ended_deal_do_nothing_and_its_returns_stay(setting):
    batch = setting.batch(FEW_ROWS, autoreset=False)
    sums = np.zeros((FEW_ROWS, setting.players))
    for _ in contract.play(batch, min(int(batch.states["max_moves"][0]), MANY_STEPS)):  # most end, and are stepped on, long before the last
        sums += batch.rewards
        assert np.abs(batch.returns - sums).max() < TOLERANCE
    assert batch.ended.all()
    before = contract.snapshot(batch)
    for action in (0, len(setting.game.actions) - 1, -1):
        batch.step(np.full(FEW_ROWS, action))
        assert not batch.rewards.any()
        assert contract.is_unchanged(batch, {name: array for name, array in before.items() if name != "rewards"})


# --------------------------------------------------------------------------------------------------- cards, numbers, payoffs


@every_setting
def test_cards_are_conserved(setting):
    batch = setting.batch(FEW_ROWS)
    contract.check_cards(setting, batch.states)
    for step, _ in enumerate(contract.play(batch, 300)):
        if step % 5 == 0:
            contract.check_cards(setting, batch.states)
    contract.check_cards(setting, contract.walk(setting).states)


@every_setting
def test_numbers_are_within_their_bounds(setting):
    batch = contract.walk(setting)
    seats = np.arange(ROWS) % setting.players
    for numbers in (batch.observations, batch.observe(seats), contract.view(setting.game, batch.states)):
        assert numbers.dtype == np.float32
        assert (np.abs(numbers) <= 1).all()  # false for NaN too
    assert ((batch.seats >= 0) & (batch.seats < setting.players)).all()
    assert np.array_equal(batch.observations, batch.observe(batch.seats))


@every_setting
def test_rewards_of_a_deal_add_up_to_its_returns_and_to_0_over_the_seats_where_they_should(setting):
    batch = setting.batch(FEW_ROWS)
    sums, ended, sum_of_seats = np.zeros((FEW_ROWS, setting.players)), 0, 0.0
    for _ in contract.play(batch, min(int(batch.states["max_moves"][0]), MANY_STEPS)):
        sums += batch.rewards
        assert np.abs(batch.returns - sums).max() < TOLERANCE
        sum_of_seats = max(sum_of_seats, np.abs(batch.rewards.sum(axis=1)).max())
        ended += batch.ended.sum()
        sums[batch.ended] = 0
    assert ended >= FEW_ROWS
    assert (sum_of_seats < TOLERANCE) == setting.is_zero_sum


# ------------------------------------------------------------------------------------------------------- compiled, uncompiled


def test_compiled_play_is_uncompiled_play_step_by_step(tmp_path):
    """From the first move, and on from moments that show what is rare."""
    for setting in ALL_SETTINGS:
        states = walked(setting)
        going = states[(states["terminated"] | states["truncated"]) == 0]
        np.save(tmp_path / f"{setting}.npy", contract.varied(setting.game, going, FEW_MOMENTS))
    run = subprocess.run(
        [sys.executable, "-W", "error", str(Path(contract.__file__)), str(UNCOMPILED_STEPS), str(tmp_path)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.splitlines() == contract.traces(UNCOMPILED_STEPS, tmp_path)


# ------------------------------------------------------------------------------------------------------------------ batches


@every_steady_setting
def test_a_batch_is_as_many_batches_of_one(setting):
    batch = setting.batch(FEW_ROWS)
    singles = [setting.batch(1) for _ in range(FEW_ROWS)]
    for row, single in enumerate(singles):
        single.restore(batch.save([row]))
    generator = np.random.default_rng(SEED)
    for _ in range(60):
        actions = contract.random_actions(batch, generator)
        batch.step(actions)
        for row, single in enumerate(singles):
            single.step(actions[[row]])
            assert contract.same_deals(batch, single, [row])


@every_steady_setting
def test_a_row_has_the_same_deals_whatever_the_number_of_rows(setting):
    large, small = setting.batch(3 * FEW_ROWS), setting.batch(FEW_ROWS)
    generator = np.random.default_rng(SEED)
    for _ in range(100):
        actions = contract.random_actions(large, generator)
        large.step(actions)
        small.step(actions[:FEW_ROWS])
        assert contract.same_deals(large, small, slice(FEW_ROWS))


@every_table
@pytest.mark.parametrize("threads", [2, 3, 5])
def test_threads_play_the_same(setting, threads):
    one, many = setting.batch(FEW_ROWS + 3), setting.batch(FEW_ROWS + 3, threads=threads)
    generator = np.random.default_rng(SEED)
    for _ in range(200):
        actions = contract.random_actions(one, generator)
        one.step(actions)
        many.step(actions)
        assert contract.same_deals(one, many)
    many.close()


@every_steady_setting
def test_a_step_in_some_rows_leaves_the_others_alone(setting):
    batch, all_rows = setting.batch(FEW_ROWS), setting.batch(FEW_ROWS)
    generator = np.random.default_rng(SEED)
    for _ in range(60):
        actions = contract.random_actions(batch, generator)
        all_rows.step(actions)
        order = generator.permutation(FEW_ROWS)
        first, second = order[:3], order[3:]
        before = contract.snapshot(batch)
        batch.step(actions[first], first)
        assert all(np.array_equal(getattr(batch, name)[second], array[second]) for name, array in before.items())
        batch.step(actions[second], second)
        assert contract.same_deals(batch, all_rows)


@every_steady_setting
def test_saved_deals_go_on_the_same_in_other_rows_and_batches(setting):
    batch = setting.batch(FEW_ROWS)
    *_, batch = contract.play(batch, 37)
    data = pickle.loads(pickle.dumps(batch.save()))
    other = setting.batch(FEW_ROWS + 5, seed=SEED + 1)
    rows = np.random.default_rng(SEED).permutation(FEW_ROWS + 5)[:FEW_ROWS]
    other.restore(data, rows)
    assert contract.same_deals(batch, other, slice(None), rows)
    generator = np.random.default_rng(SEED)
    for _ in range(120):  # the deals after these are the same too
        actions = contract.random_actions(batch, generator)
        batch.step(actions)
        other.step(actions, rows)
        assert contract.same_deals(batch, other, slice(None), rows)


@every_steady_setting
def test_a_restored_batch_plays_again_what_it_played(setting):
    batch = setting.batch(FEW_ROWS)
    for moment in (0, 1, 13, 50):
        *_, batch = contract.play(batch, moment + 1)
        data = batch.save()
        first = [contract.snapshot(batch) for _ in contract.play(batch, 40)]
        batch.restore(data)
        second = [contract.snapshot(batch) for _ in contract.play(batch, 40)]
        for one, other in zip(first, second, strict=True):
            assert all(np.array_equal(one[name], other[name]) for name in contract.ARRAYS)


@every_steady_setting
def test_a_copied_deal_goes_on_as_its_source(setting):
    batch = setting.batch(2 * FEW_ROWS, autoreset=False)
    *_, batch = contract.play(batch, 21)
    sources, targets = np.arange(FEW_ROWS), np.arange(FEW_ROWS) + FEW_ROWS
    batch.copy(sources, targets)
    generator = np.random.default_rng(SEED)
    for _ in range(60):
        assert contract.same_deals(batch, batch, sources, targets)
        actions = contract.random_actions(batch, generator)[sources]
        batch.step(np.concatenate([actions, actions]))


@every_game
def test_deals_with_different_options_play_in_one_batch(game):
    kinds = [setting for setting in STEADY_SETTINGS if setting.game is game and setting.players == game.default_players]
    mixed = Batch(game, len(kinds), num_players=game.default_players)
    alone = [setting.batch(1, seed=SEED + k) for k, setting in enumerate(kinds)]
    for row, batch in enumerate(alone):
        mixed.restore(batch.save(), [row])
    generator = np.random.default_rng(SEED)
    for _ in range(150):
        actions = contract.random_actions(mixed, generator)
        mixed.step(actions)
        for row, batch in enumerate(alone):
            batch.step(actions[[row]])
            assert contract.same_deals(mixed, batch, [row])  # also decks of other sizes, once a deal has ended


@every_game
def test_tables_of_different_sizes_play_in_one_call_of_the_engine(game):
    kinds = [setting for setting in STEADY_SETTINGS if setting.game is game]
    alone = [setting.batch(1, seed=SEED + k, autoreset=False) for k, setting in enumerate(kinds)]
    states, rows = np.concatenate([batch.states for batch in alone]), np.arange(len(kinds))
    decks = np.zeros((len(kinds), max(batch.decks.shape[1] for batch in alone)), np.int8)
    seen = np.zeros((len(kinds), game.observation_layout(game.max_players).size), np.float32)
    masks, seats = np.zeros((len(kinds), len(game.actions)), np.int8), np.zeros(len(kinds), np.int64)
    rewards, returns = np.zeros((2, len(kinds), game.max_players))
    terminated, truncated = np.zeros((2, len(kinds)), np.bool_)
    game.loops.refresh_rows(states, rows, 0, len(rows), seen, masks, seats)
    generator = np.random.default_rng(SEED)
    for _ in range(150):
        actions = np.argmax(generator.random(masks.shape) * masks, axis=1)
        for batch, action in zip(alone, actions, strict=True):
            batch.step([action])
        streams, how = rng.streams(SEED, len(rows)), loops.NO_DEAL
        results = (seen, masks, seats, rewards, returns, terminated, truncated)
        no_history = np.empty((0, 2), np.int16)
        game.loops.step_rows(states, decks, streams, actions, rows, 0, len(rows), how, no_history, *results)
        for row, batch in enumerate(alone):
            assert np.array_equal(states[[row]], batch.states)
            assert np.array_equal(masks[[row]], batch.masks)
            assert np.array_equal(seen[row, : batch.observations.shape[1]], batch.observations[0])
            assert np.array_equal(rewards[row, : batch.num_players], batch.rewards[0])


# ---------------------------------------------------------------------------------------------------------- what agents are paid


@every_setting
def test_each_agent_is_told_at_each_of_its_decisions_what_it_was_paid_since_the_last(setting):
    """Also by what others did in between, and where it is asked out of turn: the rewards of the batch are summed up apart."""
    env, batch = CheckedEnv(setting.game, setting.players, **setting.options), setting.batch(1, autoreset=False)
    env.reset(seed=SEED)
    due, told, generator = np.zeros(setting.players), np.zeros(setting.players), np.random.default_rng(SEED)
    for agent in env.agent_iter():
        seat = env.possible_agents.index(agent)
        _, reward, terminated, truncated, _ = env.last()
        assert reward == due[seat]
        told[seat] += reward
        due[seat] = 0
        if terminated or truncated:
            env.step(None)
            continue
        action = int(contract.random_actions(batch, generator)[0])
        env.step(action)
        batch.step([action])
        assert list(env.rewards.values()) == batch.rewards[0].tolist()
        assert abs(sum(env.rewards.values())) < TOLERANCE or not setting.is_zero_sum
        due += batch.rewards[0]
    assert told == pytest.approx(batch.returns[0], abs=TOLERANCE)
    assert told == pytest.approx(env.record().returns, abs=TOLERANCE)


def play_whole(setting, seed, **options):
    """A deal in which who has a choice chooses at random, the same for the same deal; its record, and how often an agent was asked."""
    env, generator = CheckedEnv(setting.game, setting.players, **{**setting.options, **options}), np.random.default_rng(seed)
    env.reset(seed=seed)
    asked = 0
    while legal := env.legal_actions():
        asked += 1
        assert asked == 1 or not options["auto_single"] or len(legal) > 1  # the first decision of a deal is always asked
        env.step(env.action_index(generator.choice(legal) if len(legal) > 1 else legal[0]))
    return env.record(), asked


@every_setting
def test_with_auto_single_agents_are_asked_less_and_the_record_is_the_same(setting):
    asked = np.zeros((FEW_DEALS, 2), int)
    for seed in range(FEW_DEALS):
        records, asked[seed] = zip(*(play_whole(setting, seed, auto_single=auto_single) for auto_single in (False, True)), strict=True)
        assert asked[seed, 0] == len(records[0].actions)
        assert records[1].actions == records[0].actions
        assert records[1].returns == records[0].returns
        for record in records:  # each replays, and to its end
            *_, last = record.replay()
            assert last.legal == ()
            assert last.number == len(record.actions)
    assert setting.options.get("max_moves") == 1 or asked[:, 1].sum() < asked[:, 0].sum()


# ------------------------------------------------------------------------------------------------------------------ no leak


def heuristic_choices(setting, states, seats):
    """What each heuristic would do, where the seat is to move."""
    seen, masks = contract.observations(setting.game, states, seats), contract.masks(setting.game, states, seats)
    asked = masks.any(axis=1)
    choices = np.full((len(states), 1 + len(HEURISTICS.get(setting.game.name, {}))), -1)
    for k, name in enumerate(HEURISTICS.get(setting.game.name, {})):
        choices[asked, k] = make_agent(name, setting.game.name, setting.players).act(seen[asked], masks[asked])
    return choices


PROBES = {**contract.PROBES, "heuristics": heuristic_choices}


def check_blind(probe, setting, states, seats):
    """`contract.check_blind` for the probes here, which take the setting too."""
    contract.check_blind(lambda records, viewers: probe(setting, records, viewers), setting.game, states, seats)


@every_steady_setting
@pytest.mark.parametrize("name", PROBES)
def test_no_leak(setting, name):
    rows = FEW_ROWS if name in ("text", "batch", "environment") else ROWS
    check_blind(PROBES[name], setting, *moments(setting, rows))


@every_steady_setting
def test_what_heuristics_choose_is_legal(setting):
    batch = contract.walk(setting)
    asked = np.flatnonzero(~batch.ended)
    for name in HEURISTICS.get(setting.game.name, {}):
        actions = make_agent(name, setting.game.name).act(batch.observations[asked], batch.masks[asked])
        assert batch.masks[asked, actions].all(), name


@every_table
def test_what_a_seat_cannot_see_is_often_dealt_otherwise(setting):
    states, seats = moments(setting)
    going = states["terminated"] == 0
    changed = (
        contract.view(setting.game, states) != contract.view(setting.game, contract.deal_anew(setting.game, states, seats, SEED))
    ).any(1)
    assert changed[going].mean() > 0.8
    early = states["moves"] < 10
    assert early.any() and changed[early].all()


@every_steady_setting
def test_what_is_public_and_what_a_seat_holds_stays_when_the_rest_is_dealt_anew(setting):
    game, players = setting.game, setting.players
    states, seats = moments(setting)
    redealt = contract.deal_anew(game, states, seats, SEED)
    contract.check_cards(setting, redealt)
    before, after = contract.view(game, states), contract.view(game, redealt)
    hidden = contract.pieces(game, players, contract.HIDDEN_PIECES[game.name])
    places = contract.pieces(game, players, contract.CARD_PIECES[game.name])
    for piece, where in game.state_layout(players):
        if where not in hidden:
            assert np.array_equal(before[:, where], after[:, where]), piece.name
        elif where in places:
            sizes = [contract.cards(setting, numbers[:, where]).sum(axis=1) for numbers in (before, after)]
            assert np.array_equal(*sizes), piece.name
        else:  # an order: as many cards stand in it
            assert np.array_equal((before[:, where] != 0).sum(axis=1), (after[:, where] != 0).sum(axis=1)), piece.name
    for seat in range(players):
        own = game.state_layout(players).slices[f"player_{seat}.hand"]
        known = game.state_layout(players).slices.get(f"player_{seat}.known")
        assert np.array_equal(before[seats == seat, own], after[seats == seat, own])
        assert known is None or (contract.cards(setting, after[:, own]) >= contract.cards(setting, after[:, known])).all()


@every_steady_setting
def test_a_deal_dealt_anew_from_any_seats_view_can_be_played_to_its_end(setting):
    states, seats = moments(setting)
    batch = setting.batch(len(states), autoreset=False)
    contract.plant(batch, contract.deal_anew(setting.game, states, seats, SEED))
    over = (states["terminated"] | states["truncated"]).astype(bool)
    assert (batch.masks.any(axis=1) != over).all()
    rows = np.flatnonzero(~over)
    generator = np.random.default_rng(SEED)
    while len(rows):
        batch.step(contract.random_actions(batch, generator)[rows], rows)
        assert (batch.masks[rows].any(axis=1) != batch.ended[rows]).all()
        rows = rows[~batch.ended[rows]]
    contract.check_cards(setting, batch.states)


@every_game
def test_the_moments_that_are_looked_into_show_every_piece(game):
    """Else a leak in what they do not show would go unseen: a question, a card known to be in a hand, a half-built meld."""
    shown: dict[str, np.ndarray] = {}
    for setting in STEADY_SETTINGS:
        if setting.game is game:
            numbers = contract.view(game, moments(setting)[0]) != 0
            for piece, where in game.state_layout(setting.players):
                name = piece.name.split(".")[-1]
                if any(int(number) >= MANY_SLOTS for number in re.findall(r"(?<=_)\d+(?=_)", name)):
                    continue
                shown[name] = shown.get(name, np.zeros(piece.size, bool)) | numbers[:, where].any(axis=0)
    assert all(numbers.any() for numbers in shown.values())
    kinds = game.state_layout(game.min_players).slices.get("phase")
    assert kinds is None or shown["phase"].all()


# ---- leaks planted on purpose: the check above must catch each of them


def piece_of(name):
    """A piece of the global state, named as for `contract.piece`."""
    return lambda setting, states, seats: contract.piece(setting.game, states, seats, name)


next_hand = piece_of("player_{next}.hand")


def first_suit(setting, hands):
    """How many ranks of the first suit there are in each hand."""
    return np.count_nonzero(hands[:, : len(setting.game.card_names) // 4], axis=1)


def with_observation(probe):
    """The observation with something added."""
    return lambda setting, states, seats: np.hstack([contract.observations(setting.game, states, seats), probe(setting, states, seats)])


def next_stock_card(setting, states, seats):
    """Only the card that is drawn next."""
    cards = states["stock"][np.arange(len(states)), states["stock_size"] - 1]
    return np.where(states["stock_size"] > 0, cards, NO_CARD)[:, np.newaxis]


def mask_from_the_next_hand(setting, states, seats):
    """The mask with one more action where the next player has an odd number of ranks in the first suit."""
    masks = contract.masks(setting.game, states, seats)
    masks[:, -1] |= (first_suit(setting, next_hand(setting, states, seats)) % 2).astype(np.int8)
    return masks


def uncleared_buffer(setting, states, seats):
    """The observation written over another seat's, the zeros left out."""
    other = contract.observations(setting.game, states, (seats + 1) % setting.players)
    own = contract.observations(setting.game, states, seats)
    return np.where(own != 0, own, other)


def text_of_another_seat(setting, states, seats):
    """The text that shows the next seat's cards."""
    return [setting.game.text(state, int(seat + 1) % setting.players, False) for state, seat in zip(states, seats, strict=True)]


def text_with_everything(setting, states, seats):
    """The text with every card."""
    return [setting.game.text(state, int(seat), True) for state, seat in zip(states, seats, strict=True)]


def info_with_a_hint(setting, states, seats):
    """An info that counts what the next player has of a suit."""
    return [{"clubs_of_next": int(count)} for count in first_suit(setting, next_hand(setting, states, seats))]


def info_with_the_record(setting, states, seats):
    """An info with the record, to go on from it."""
    return [{"state": state.tobytes()} for state in states]


class InfosEnv(CheckedEnv):
    """An environment that tells its agents what `hint` gives: anew when a deal begins and when a step is settled."""

    def hint(self, seat):
        raise NotImplementedError

    def _tell(self):
        self.infos = {agent: {"hint": self.hint(seat)} for seat, agent in enumerate(self.possible_agents)}

    def _begin(self):
        super()._begin()
        self._tell()

    def _settle(self):
        super()._settle()
        self._tell()

    def hand(self, seat):
        return self.state()[self.game.state_layout(self.num_players).slices[f"player_{seat}.hand"]]


class NextHandEnv(InfosEnv):
    """Infos with the next seat's hand."""

    def hint(self, seat):
        return self.hand((seat + 1) % self.num_players)


class DeckEnv(InfosEnv):
    """Infos with the deck."""

    def hint(self, seat):
        return self._batch.decks[0].copy()


class StreamEnv(InfosEnv):
    """Infos with the stream of chance, from which the next deals can be told."""

    def hint(self, seat):
        return int(self._batch._rng[0])


class RewardsEnv(InfosEnv):
    """Rewards that tell how many ranks of the first suit the last seat holds."""

    def _tell(self):
        self.rewards = dict.fromkeys(self.rewards, float(first_suit(self, self.hand(self.num_players - 1)[np.newaxis])[0]))


class OwnHandEnv(InfosEnv):
    """Infos with what an agent may know."""

    def hint(self, seat):
        return self.hand(seat)


def through(kind):
    """The probe of the environment, for another kind of it."""
    return lambda setting, states, seats: contract.environment(setting, states, seats, kind)


def peeking_heuristic(setting, states, seats):
    """A choice by the next player's hand."""
    return np.argmax(next_hand(setting, states, seats), axis=1)


PLANTED_LEAKS = {
    "observation: the next card of the stock": with_observation(next_stock_card),
    "observation: in an uncleared buffer": uncleared_buffer,
    "mask: by the next hand": mask_from_the_next_hand,
    "text: another seat's": text_of_another_seat,
    "text: revealed": text_with_everything,
    "info: a count": info_with_a_hint,
    "info: the record": info_with_the_record,
    "environment: infos with the next hand": through(NextHandEnv),
    "environment: infos with the deck": through(DeckEnv),
    "environment: infos with the stream": through(StreamEnv),
    "environment: rewards by the last hand": through(RewardsEnv),
    "heuristic: that peeks": peeking_heuristic,
}


def planted_leaks(game):
    """By name the probes that must be caught: every hidden piece beside the observation, and the others."""
    return {**{f"observation: {name}": with_observation(piece_of(name)) for name in contract.hidden_from(game)}, **PLANTED_LEAKS}


@pytest.mark.parametrize(
    ("setting", "name"), [(setting, name) for setting in PLAIN_SETTINGS for name in planted_leaks(setting.game)], ids=str
)
def test_a_planted_leak_is_caught(setting, name):
    states, seats = moments(setting, ROWS if name.startswith("observation") else FEW_ROWS)
    if "stock" in name and not states["stock_size"].any():
        pytest.skip("so many players leave no stock")
    with pytest.raises(AssertionError, match="gets what it cannot know"):
        check_blind(planted_leaks(setting.game)[name], setting, states, seats)


@every_table
def test_infos_with_what_an_agent_may_know_are_no_leak(setting):
    check_blind(through(OwnHandEnv), setting, *moments(setting, FEW_ROWS))


# ---- leaks in the engine itself: other functions in a game's loops, played through Batch and the environment


@pytest.fixture(scope="module")
def leaky_run():
    """For each game of `leaky_games` and each probe what the check says; uncompiled, so that nothing need be compiled for them."""
    run = subprocess.run(
        [sys.executable, str(Path(leaky_games.__file__))],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return {(game, name): said for game, name, said in json.loads(run.stdout)}


@pytest.mark.parametrize("name", leaky_games.HONEST, ids=": ".join)
def test_an_honest_game_passes_uncompiled_too(leaky_run, name):
    assert leaky_run[name] == dict.fromkeys(contract.PROBES, "")


@pytest.mark.parametrize("name", leaky_games.LEAKY, ids=": ".join)
def test_a_leak_in_the_engine_is_caught_on_every_way_to_the_agent(leaky_run, name):
    for probe in leaky_games.LEAKY[name].caught_by:
        assert "gets what it cannot know" in leaky_run[name][probe], probe
