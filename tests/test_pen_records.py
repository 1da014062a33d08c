"""Every deal of `records/pen.jsonl`, played by a separate reference, goes the same way here."""

import copy
import os
import subprocess
import sys
from pathlib import Path

import pytest
import replay

RECORDS = replay.read_records("pen")
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


def test_records_cover_every_number_of_players_and_every_option():
    assert {record["players"] for record in RECORDS} == set(range(2, 7))
    assert {name for record in RECORDS for name in record["options"]} == {"must_beat", "payoff", "max_moves", "auto_single"}


def test_records_replay_uncompiled_without_a_warning():
    run = subprocess.run(
        [sys.executable, "-W", "error", str(Path(replay.__file__)), "pen"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert int(run.stdout) == len(RECORDS)


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
