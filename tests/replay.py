"""Plays records of a separate reference through the engine; as a script it does so uncompiled (NUMBA_DISABLE_JIT=1)."""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.game import Game

RECORDS = Path(__file__).parent / "records"


def read_records(game: str) -> list[dict[str, Any]]:
    """The reference's records of a game."""
    return [json.loads(line) for line in (RECORDS / f"{game}.jsonl").read_text(encoding="utf-8").splitlines()]


def replay(record: dict[str, Any], game: Game | None = None, **options: Any) -> int:
    """Play a record, comparing seat, legal names and returns at every decision that the engine asks for.

    Args:
        record: as in the notation, with the legal names before each action under `legal`.
        game: in place of the one that the record names.
        options: in place of the record's.

    Returns:
        How many decisions were asked for: all, or with `auto_single` those that were not forced.

    Raises:
        AssertionError: something differs; it says at which action.
    """
    game = game or get_game(record["game"])
    batch = Batch(game, 1, num_players=record["players"], autoreset=False, **{**record["options"], **options})
    chances = {chance.name: [record[chance.name]] for chance in game.chances if record.get(chance.name) is not None}
    batch.reset(decks=[record["deck"]], dealers=[record["dealer"]], chances=chances)
    asked, position = 0, 0
    while position < len(record["actions"]):
        seat, name = record["actions"][position]
        _same(position, "seat to move", int(batch.seats[0]), seat)
        _same(position, "legal names", sorted(game.legal_names(batch.masks[0])), record["legal"][position])
        _same(position, "end", bool(batch.ended[0]), False)
        batch.step([game.actions.index(name)])
        asked += 1
        before, position = position, int(batch.states["moves"][0])
        for forced in range(before + 1, position):
            _same(forced, "forced action", record["legal"][forced], [record["actions"][forced][1]])
        _check_returns(position, record, batch)
    _same(position, "number of actions", position, len(record["actions"]))
    return asked


def _check_returns(position: int, record: dict[str, Any], batch: Batch) -> None:
    is_over = position == len(record["actions"])
    _same(position, "end", bool(batch.ended[0]), is_over)
    if is_over:
        returns, expected = batch.returns[0], record["returns"]
        assert np.allclose(returns, expected, rtol=0, atol=1e-12), f"action {position}: returns {returns}, not {expected}"


def _same(position: int, what: str, got: Any, expected: Any) -> None:
    assert got == expected, f"action {position}: {what} {got!r}, not {expected!r}"


def blind(game: Game) -> Game:
    """The game without its observations, which records do not hold: uncompiled they take most of the time."""
    return dataclasses.replace(game, functions=dataclasses.replace(game.functions, observe=lambda state, seat, obs: None))


def main(name: str, count: str, *, observed: bool) -> None:
    """Replay the first `count` records of a game uncompiled, and print how many these were."""
    game, records = get_game(name), read_records(name)[: int(count)]
    for record in records:
        replay(record, game if observed else blind(game))
    print(len(records))


if __name__ == "__main__":
    main(*sys.argv[1:3], observed="observed" in sys.argv[3:])
