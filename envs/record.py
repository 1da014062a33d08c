"""Records: deals that anyone can replay, one JSON object a line."""

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from penzoo.envs import get_game
from penzoo.envs.batch import Batch
from penzoo.envs.game import Game

_KEYS = {"game": str, "version": int, "players": int, "dealer": int, "options": dict, "deck": list, "actions": list, "returns": list}
_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Position:
    """One moment of a replayed deal: before an action, or after the last."""

    number: int  # actions before it
    state: np.void  # a copy of the engine's record
    seat: int  # to move
    legal: tuple[str, ...]  # names, none after the end
    action: str | None  # what is played there; None after the last action


@dataclass(frozen=True)
class Record:
    """A deal: all chance and every action.

    Attributes:
        game, version, players, dealer, options: what was played; `options` holds what differs from the game's defaults.
        deck: card names in the order in which they leave the deck.
        chances: what the game draws beside the deck, by name (in Пень the trump card).
        actions: of each move the seat and the action's name, forced ones included.
        returns: for each seat the sum of its rewards.
    """

    game: str
    version: int
    players: int
    dealer: int
    options: Mapping[str, Any]
    deck: tuple[str, ...]
    chances: Mapping[str, Any]
    actions: tuple[tuple[int, str], ...]
    returns: tuple[float, ...]

    def to_json(self) -> str:
        """The record as one line, without its end."""
        fields = {"game": self.game, "version": self.version, "players": self.players, "dealer": self.dealer, "options": dict(self.options)}
        return json.dumps(
            {**fields, "deck": self.deck, **self.chances, "actions": self.actions, "returns": self.returns}, ensure_ascii=False
        )

    @classmethod
    def from_json(cls, line: str) -> "Record":
        """Undo `to_json`; keys that a record does not have are passed over.

        Raises:
            ValueError: the line is no record; says what is missing or wrong. (Whether it replays, `replay` tells.)
        """
        try:
            data = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(f"no JSON: {error}") from None
        if not isinstance(data, dict):
            raise ValueError(f"a record is a JSON object, not {type(data).__name__}")
        for key, kind in _KEYS.items():
            if key not in data:
                raise ValueError(f"{key!r} is missing")
            if not isinstance(data[key], kind) or isinstance(data[key], bool):
                raise ValueError(f"{key}={data[key]!r} is no {kind.__name__}")
        game = get_game(data["game"])
        if data["version"] != game.version:
            raise ValueError(f"version {data['version']} of {game.name} is not known: this is version {game.version}")
        return cls(
            game=game.name,
            version=game.version,
            players=data["players"],
            dealer=data["dealer"],
            options=data["options"],
            deck=tuple(data["deck"]),
            chances={chance.name: data[chance.name] for chance in game.chances if chance.name in data},
            actions=tuple(_parse_action(entry, number) for number, entry in enumerate(data["actions"])),
            returns=_parse_returns(data["returns"]),
        )

    def reset_options(self) -> dict[str, Any]:
        """What `reset(options=…)` of an environment takes to play this deal again."""
        return {"deck": list(self.deck), "dealer": self.dealer, **self.chances}

    def replay(self) -> Iterator[Position]:
        """The positions of the deal, from the first decision to the last action's outcome; every action and the returns are checked.

        Raises:
            ValueError: it does not replay; says at which action and why.
        """
        game = get_game(self.game)
        batch = self._deal(game)
        for number, (seat, name) in enumerate(self.actions):
            where = f"action {number} ([{seat}, {name!r}])"
            if batch.ended[0]:
                raise ValueError(f"{where}: the deal had ended before it")
            if seat != batch.seats[0]:
                raise ValueError(f"{where}: seat {batch.seats[0]} is to move, not seat {seat}")
            yield _position(game, batch, number, name)
            try:
                batch.step([game.actions.index(name)])
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
        self._check_returns(batch.returns[0])
        yield _position(game, batch, len(self.actions), None)

    def _deal(self, game: Game) -> Batch:
        # what auto_single would play by itself stands in the record too: here every action is a decision
        options = {**self.options, "auto_single": False}
        game.complete_options(dict(self.options))
        batch = Batch(game, 1, num_players=self.players, autoreset=False, **options)
        chances = {name: [value] for name, value in self.chances.items()}
        missing = [chance.name for chance in game.chances if chance.name not in chances and chance.required]
        if missing:
            raise ValueError(f"{missing[0]!r} is missing")
        batch.reset(decks=[self.deck], dealers=[self.dealer], chances=chances)
        return batch

    def _check_returns(self, returns: np.ndarray) -> None:
        if len(self.returns) != len(returns):
            raise ValueError(f"returns {list(self.returns)} are of {len(self.returns)} seats, not of {len(returns)}")
        if not all(math.isclose(a, b, abs_tol=_TOLERANCE) for a, b in zip(self.returns, returns, strict=True)):
            raise ValueError(f"after action {len(self.actions) - 1}: returns are {returns.tolist()}, the record says {list(self.returns)}")


def read_records(path: str | Path) -> Iterator[Record]:
    """The records of a file, one after the other.

    Raises:
        ValueError: a line is no record; names the line.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                try:
                    yield Record.from_json(line.decode())
                except ValueError as error:
                    raise ValueError(f"{path}, line {number}: {error}") from None


def write_records(path: str | Path, records: Iterable[Record], append: bool = False) -> None:
    """Write records to a file, a line each."""
    with open(path, "a" if append else "w", encoding="utf-8") as file:
        for record in records:
            file.write(record.to_json() + "\n")


def _parse_action(entry: Any, number: int) -> tuple[int, str]:
    match entry:
        case [int(seat), str(name)] if not isinstance(seat, bool):
            return seat, name
    raise ValueError(f"action {number} is {entry!r}: it should be [seat, name]")


def _parse_returns(values: list[Any]) -> tuple[float, ...]:
    if any(isinstance(value, bool) or not isinstance(value, int | float) for value in values):
        raise ValueError(f"returns={values!r} are no numbers")
    try:
        return tuple(map(float, values))
    except OverflowError:
        raise ValueError(f"returns={values!r} are too large") from None


def _position(game: Game, batch: Batch, number: int, action: str | None) -> Position:
    return Position(number, batch.states.copy()[0], int(batch.seats[0]), tuple(game.legal_names(batch.masks[0])), action)
