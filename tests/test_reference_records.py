"""Every deal of `records/`, played by a separate reference, goes the same way here."""

import copy
import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import replay

from penzoo.envs import GAMES
from penzoo.envs.record import Record

RECORDS = {game: replay.read_records(game) for game in GAMES}
SOME = 4  # records: observations take most of the time
ALL = [(game, number, record) for game, records in RECORDS.items() for number, record in enumerate(records)]
FORCED = [each for each in ALL if each[2]["options"].get("auto_single")]

# the reference plays with the whole deck, and hands and stumps of the rules
NOT_RECORDED = {"pen": {"lowest_rank", "highest_rank", "suits", "hand_size", "stump_size"}}

every_game = pytest.mark.parametrize("game", GAMES)


def name_of(value):
    """The options of a record, for the name of its test."""
    if not isinstance(value, dict):
        return str(value)
    return f"{value['players']}p" + "".join(f"-{name}={each}" for name, each in value["options"].items())


@pytest.mark.parametrize(("game", "number", "record"), ALL, ids=name_of)
def test_record_replays(game, number, record):
    asked, played = replay.replay(record), len(record["actions"])
    assert asked == played or (record["options"].get("auto_single") and asked < played)


@pytest.mark.parametrize(("game", "number", "record"), FORCED, ids=name_of)
def test_record_with_forced_moves_replays_also_action_by_action(game, number, record):
    assert replay.replay(record, auto_single=False) == len(record["actions"])


@every_game
def test_records_cover_every_number_of_players_every_action_and_every_value_of_every_option(game):
    table, records = GAMES[game], RECORDS[game]
    assert {record["players"] for record in records} == set(range(table.min_players, table.max_players + 1))
    played = {name for record in records for _, name in record["actions"]}
    assert all(played & set(group.names) for group in table.actions.groups)
    if game != "kunken":  # which has hundreds, for second copies and the thirtieth combination too
        assert played == set(table.actions.names)
    for option in table.all_options:
        if option.name in NOT_RECORDED.get(game, ()):
            continue
        values = [record["options"].get(option.name, option.default) for record in records]
        assert {(type(value), value) for value in values} >= {(type(choice), choice) for choice in option.choices}, option.name


def test_records_of_pengingan_cover_what_follows_a_demand_and_an_extra_card():
    records = RECORDS["pengingan"]
    pairs = {(one[1].split()[0], two[1].split()[0]) for record in records for one, two in itertools.pairwise(record["actions"])}
    assert {after for before, after in pairs if before == "demand"} == {"extend", "discard"}
    assert {after for before, after in pairs if before == "turn"} == {"pass", "new", "extend", "rearrange"}


def test_records_of_kunken_cover_very_large_hands_and_banks():
    positions = [position for number in (12, 13) for position in Record.from_json(json.dumps(RECORDS["kunken"][number])).replay()]
    assert max(position.state["hand_size"].max() for position in positions) == 80
    assert max(position.state["bank_size"] for position in positions) == 82


def test_records_of_pengingan_cover_a_reshuffle_and_a_deal_in_which_nobody_is_paid():
    assert any(record.get("reshuffled") for record in RECORDS["pengingan"])
    assert any(not any(record["returns"]) for record in RECORDS["pengingan"])


@every_game
@pytest.mark.parametrize("observed", [False, True])
def test_records_replay_uncompiled_without_a_warning(game, observed):
    count = SOME if observed else len(RECORDS[game])
    run = subprocess.run(
        [sys.executable, "-W", "error", str(Path(replay.__file__)), game, str(count), *(["observed"] if observed else [])],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) == count


def _other_seat(record):
    record["actions"][7][0] = 1 - record["actions"][7][0]


def _other_legal(record):
    record["legal"][9] = record["legal"][9][:-1]


def _other_returns(record):
    record["returns"][0] += 0.5


def _shorter(record):
    del record["actions"][-1]


@every_game
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_other_seat, "action 7: seat"),
        (_other_legal, "action 9: legal"),
        (_other_returns, "action .*: returns"),
        (_shorter, "action .*: end"),
    ],
)
def test_a_record_that_differs_is_noticed(game, change, message):
    record = copy.deepcopy(RECORDS[game][0])
    assert record["players"] == 2
    change(record)
    with pytest.raises(AssertionError, match=message):
        replay.replay(record)
