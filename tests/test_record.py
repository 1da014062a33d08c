"""Records: what is written replays, and what does not replay says where and why."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penzoo import pen_v0
from penzoo.envs.record import Record, read_records, write_records


def play(seed: int = 0, moves: int = 10**6, **kwargs: Any) -> pen_v0.CheckedEnv:
    env = pen_v0.env(**kwargs)
    env.reset(seed=seed)
    rng = np.random.default_rng(seed)
    while env.legal_actions() and moves > 0:
        env.step(env.action_index(rng.choice(env.legal_actions())))
        moves -= 1
    return env


@pytest.mark.parametrize("players", range(2, 7))
@pytest.mark.parametrize("options", [{}, {"must_beat": True, "payoff": "placement"}, {"max_moves": 50, "auto_single": True}], ids=str)
def test_what_was_played_replays(players: int, options: dict[str, Any], tmp_path: Path) -> None:
    records = [play(seed, num_players=players, **options).record() for seed in range(3)]
    write_records(tmp_path / "deals.jsonl", records[:1])
    write_records(tmp_path / "deals.jsonl", records[1:], append=True)
    read = list(read_records(tmp_path / "deals.jsonl"))
    assert read == records
    for record in read:
        positions = list(record.replay())
        assert [position.action for position in positions] == [name for _, name in record.actions] + [None]
        assert all(position.action in position.legal for position in positions[:-1])
        assert positions[-1].legal == ()


def test_a_record_holds_what_differs_from_the_defaults() -> None:
    record = json.loads(play(num_players=2, must_beat=True, max_moves=1000).record().to_json())
    assert list(record) == ["game", "version", "players", "dealer", "options", "deck", "trump_card", "actions", "returns"]
    assert record["options"] == {"must_beat": True}
    assert len(record["deck"]) == 36


def test_a_record_of_a_running_deal_replays_so_far() -> None:
    env = play(num_players=3, moves=9)
    *_, last = env.record().replay()
    assert last.number == 9
    assert last.legal == tuple(env.legal_actions())


def test_an_environment_plays_a_record_again() -> None:
    record = play(num_players=4, seed=3).record()
    env = pen_v0.env(record.players, **record.options)
    env.reset(options=record.reset_options())
    for seat, name in record.actions:
        assert env.agent_selection == f"player_{seat}"
        env.step(env.action_index(name))
    assert env.record() == record


RECORD = play(num_players=3, seed=1, max_moves=30).record()
SEAT, NAME = RECORD.actions[5]


def with_action(number: int, seat: int, name: str) -> Record:
    actions = list(RECORD.actions)
    actions[number] = (seat, name)
    return replace(RECORD, actions=tuple(actions))


BROKEN = {
    "seat": (with_action(5, (SEAT + 1) % 3, NAME), rf"action 5 \(\[{(SEAT + 1) % 3}, '{NAME}'\]\): seat {SEAT} is to move"),
    "illegal": (
        with_action(0, RECORD.actions[0][0], "take"),
        r"action 0 \(\[\d, 'take'\]\): row 0: action 36 \(take\) is illegal for seat \d: legal are",
    ),
    "unknown": (with_action(5, SEAT, "2c"), r"action 5 .*: action '2c' does not exist"),
    "too long": (replace(RECORD, actions=(*RECORD.actions, (0, "6c"))), r"action 30 .*: the deal had ended before it"),
    "returns": (
        replace(RECORD, returns=(1.0, 0.0, -1.0)),
        r"after action 29: returns are \[0.0, 0.0, 0.0\], the record says \[1.0, 0.0, -1.0\]",
    ),
    "seats": (replace(RECORD, returns=(0.0, 0.0)), "are of 2 seats, not of 3"),
    "deck": (replace(RECORD, deck=RECORD.deck[1:]), "is missing: a deck has 36 cards, this one 35"),
    "dealer": (replace(RECORD, dealer=3), "dealer=3 does not exist"),
    "players": (replace(RECORD, players=9), "num_players=9 is not possible"),
    "option": (replace(RECORD, options={"must": True}), "option 'must' does not exist"),
    "no trump card": (replace(RECORD, chances={}), "'trump_card' is missing"),
    "trump card": (replace(RECORD, chances={"trump_card": "2c"}), "trump_card='2c' does not exist"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_a_record_that_does_not_replay_says_where_and_why(what: str) -> None:
    record, message = BROKEN[what]
    with pytest.raises(ValueError, match=message):
        list(record.replay())


GOOD = json.loads(RECORD.to_json())
BAD_LINES = {
    "no JSON": ("{", "no JSON"),
    "no object": ("[1, 2]", "a record is a JSON object, not list"),
    "key": (json.dumps({key: value for key, value in GOOD.items() if key != "deck"}), "'deck' is missing"),
    "kind": (json.dumps({**GOOD, "players": "3"}), "players='3' is no int"),
    "flag": (json.dumps({**GOOD, "dealer": True}), "dealer=True is no int"),
    "game": (json.dumps({**GOOD, "game": "whist"}), "game 'whist' does not exist"),
    "version": (json.dumps({**GOOD, "version": 7}), "version 7 of pen is not known: this is version 0"),
    "action": (json.dumps({**GOOD, "actions": [[0, "6c"], ["6c", 0]]}), r"action 1 is \['6c', 0\]: it should be \[seat, name\]"),
    "returns": (json.dumps({**GOOD, "returns": ["much"]}), "returns.*much"),
}


@pytest.mark.parametrize("what", BAD_LINES)
def test_a_line_that_is_no_record_is_named(what: str, tmp_path: Path) -> None:
    line, message = BAD_LINES[what]
    path = tmp_path / "deals.jsonl"
    path.write_text(RECORD.to_json() + "\n\n" + line + "\n", encoding="utf-8")
    records = read_records(path)
    assert next(records) == RECORD
    with pytest.raises(ValueError, match=f"deals.jsonl, line 3: .*{message}"):
        next(records)


def test_keys_beside_those_of_a_record_are_passed_over() -> None:
    assert Record.from_json(json.dumps({**GOOD, "legal": [["6c"]], "comment": "a good one"})) == RECORD
