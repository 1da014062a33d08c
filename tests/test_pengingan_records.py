"""Every deal of `records/pengingan.jsonl`, played by a separate reference, goes the same way here."""

import copy
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import replay

from penzoo.envs import get_game

PENGINGAN = get_game("pengingan")
RECORDS = replay.read_records("pengingan")
SOME = 4  # records: observations take most of the time
IDS = [
    f"{k}-{record['players']}p" + "".join(f"-{name}={value}" for name, value in record["options"].items())
    for k, record in enumerate(RECORDS)
]


@pytest.mark.parametrize("record", RECORDS, ids=IDS)
def test_record_replays(record):
    asked, played = replay.replay(record), len(record["actions"])
    assert asked == played or (record["options"].get("auto_single") and asked < played)


@pytest.mark.parametrize("record", [record for record in RECORDS if record["options"].get("auto_single")])
def test_record_with_forced_moves_replays_also_action_by_action(record):
    assert replay.replay(record, auto_single=False) == len(record["actions"])


def test_records_cover_every_number_of_players():
    assert {record["players"] for record in RECORDS} == set(range(2, 9))


@pytest.mark.parametrize("option", [option for option in PENGINGAN.all_options if option.bounds is None], ids=lambda option: option.name)
def test_records_cover_every_value_of_every_option(option):
    values = [record["options"].get(option.name, option.default) for record in RECORDS]
    assert {(type(value), value) for value in values} == {(type(choice), choice) for choice in option.choices}


def test_records_cover_every_action():
    played = {name for record in RECORDS for _, name in record["actions"]}
    assert played == set(PENGINGAN.actions.names)


def test_records_cover_what_follows_a_demand_and_an_extra_card():
    pairs = {(one[1].split()[0], two[1].split()[0]) for record in RECORDS for one, two in itertools.pairwise(record["actions"])}
    assert {after for before, after in pairs if before == "demand"} == {"extend", "discard"}
    assert {after for before, after in pairs if before == "turn"} == {"pass", "new", "extend", "rearrange"}


def test_records_cover_a_reshuffle_and_a_deal_in_which_nobody_is_paid():
    assert any(record.get("reshuffled") for record in RECORDS)
    assert any(not any(record["returns"]) for record in RECORDS)


def test_records_replay_uncompiled_without_a_warning():
    run = subprocess.run(
        [sys.executable, "-W", "error", str(Path(replay.__file__)), "pengingan"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) == len(RECORDS)


def test_records_replay_uncompiled_with_observations():
    assert {name for record in RECORDS[:SOME] for _, name in record["actions"]} >= {"new", "extend 0", "rearrange"}
    script = f"import replay; [replay.replay(record) for record in replay.read_records('pengingan')[:{SOME}]]"
    paths = [str(Path(replay.__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr


def _other_seat(record):
    record["actions"][7][0] = 1 - record["actions"][7][0]


def _other_legal(record):
    record["legal"][9] = record["legal"][9][:-1]


def _other_returns(record):
    record["returns"][0] += 0.5


def _shorter(record):
    del record["actions"][-1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_other_seat, "action 7: seat"),
        (_other_legal, "action 9: legal"),
        (_other_returns, "action .*: returns"),
        (_shorter, "action .*: end"),
    ],
)
def test_a_record_that_differs_is_noticed(change, message):
    record = copy.deepcopy(RECORDS[0])
    assert record["players"] == 2
    change(record)
    with pytest.raises(AssertionError, match=message):
        replay.replay(record)
