"""The folder of a tournament: the games of each finished chunk of decks, so that it can be interrupted and go on."""

import hashlib
import json
import os
import sys
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from penzoo.agents import Agent
from penzoo.agents.base import CallableAgent
from penzoo.agents.policy import PolicyAgent
from penzoo.eval.arena import Games
from penzoo.eval.entrants import Setup
from penzoo.eval.figures import plain, versions

MANIFEST = "tournament.json"
_GAMES = "games"
_OUTCOME = "outcome_"
_DIGITS = 7  # of a deck's number in a file's name, so that names sort as numbers do


class Store:
    """What of a tournament has been played.

    In the folder lies `tournament.json`, which says whose games these are, and in `games/` a file for each pair of agents and chunk of
    decks. Files appear whole or not at all.

    Args:
        path: of a folder; it is made if there is none.
        setup: of the tournament.
        seed: of the decks.

    Raises:
        ValueError: the folder holds something else, or games of other agents, rules or decks; the error names what differs.
    """

    def __init__(self, path: str | Path, setup: Setup, seed: int) -> None:
        self.path = Path(path)
        self._setup = setup
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"{self.path} is no folder: name a new one, or that of an interrupted tournament")
        wanted = plain(_manifest(setup, seed))
        manifest = self.path / MANIFEST
        if manifest.is_file():
            _check_same(manifest, wanted)
        elif self.path.is_dir() and any(self.path.iterdir()):
            raise ValueError(f"{self.path} is no folder of a tournament: it has no {MANIFEST}; name a new or an empty one")
        (self.path / _GAMES).mkdir(parents=True, exist_ok=True)
        if not manifest.is_file():
            _write(manifest, lambda file: file.write(json.dumps(wanted, indent=2, ensure_ascii=False).encode() + b"\n"))

    def load(self, pair: tuple[int, int], start: int, stop: int, seatings: int) -> Games | None:
        """The games of the decks from `start` to before `stop`, if they have been played.

        Args:
            pair: the numbers of the agents.
            start: the first deck.
            stop: after the last one.
            seatings: in which each deck is played.

        Raises:
            ValueError: their file is damaged.
        """
        file = self._file(pair, start, stop)
        if not file.is_file():
            return None
        try:
            with np.load(file, allow_pickle=False) as arrays:
                games = Games(
                    arrays["returns"],
                    {outcome.name: arrays[_OUTCOME + outcome.name] for outcome in self._setup.game.outcomes},
                    arrays["moves"],
                    arrays["truncated"],
                )
        except (OSError, ValueError, KeyError, EOFError, NotImplementedError, zlib.error, zipfile.BadZipFile) as error:
            raise _damaged(file, error) from None
        tables = (stop - start, seatings)
        expected: list[tuple[np.ndarray, tuple[int, ...], Any]] = [
            (games.returns, (*tables, self._setup.players), np.float64),
            (games.moves, tables, np.int64),
        ]
        expected += [(games.truncated, tables, np.bool_)]
        expected += [(array, (*tables, self._setup.players), np.bool_) for array in games.outcomes.values()]
        for array, shape, dtype in expected:
            if array.shape != shape or array.dtype != dtype:
                raise _damaged(file, f"{array.dtype} of shape {array.shape} where {np.dtype(dtype)} of shape {shape} belongs")
        return games

    def save(self, pair: tuple[int, int], start: int, stop: int, games: Games) -> None:
        """Keep the games of the decks from `start` to before `stop`; arguments as of `load`."""
        outcomes = {_OUTCOME + name: array for name, array in games.outcomes.items()}
        arrays: dict[str, Any] = {"returns": games.returns, "moves": games.moves, "truncated": games.truncated, **outcomes}
        _write(self._file(pair, start, stop), lambda file: np.savez_compressed(file, **arrays))

    def _file(self, pair: tuple[int, int], start: int, stop: int) -> Path:
        return self.path / _GAMES / f"{pair[0]}-{pair[1]}_{start:0{_DIGITS}d}-{stop:0{_DIGITS}d}.npz"


def _manifest(setup: Setup, seed: int) -> dict[str, Any]:
    """All that the games depend on; not how many decks, how they are tallied, or when it is enough."""
    return {
        "game": setup.game.id,
        "players": setup.players,
        "seed": seed,
        "options": setup.options,
        "agents": setup.names,
        "contents": [_content(agent) for agent in setup.agents],
        "penzoo": versions()["penzoo"],
    }


def _content(agent: Agent) -> str | None:
    """A hash of all that a trained agent computes and how it chooses, or of the file of a `module:function`.

    None for others, which their names must tell apart.
    """
    if isinstance(agent, CallableAgent):
        file = getattr(sys.modules.get(agent.name.partition(":")[0]), "__file__", None)
        return None if file is None else hashlib.sha256(Path(file).read_bytes()).hexdigest()
    if not isinstance(agent, PolicyAgent):
        return None
    told = agent.description
    digest = hashlib.sha256(f"{agent.layers.kind} {agent.layers.activation} {agent.choice} {told.advisor} {told.advice_weight}".encode())
    for name, array in sorted(agent.layers.tensors.items()):
        digest.update(f"{name} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _check_same(manifest: Path, wanted: dict[str, Any]) -> None:
    try:
        found = json.loads(manifest.read_text(encoding="utf-8"))
        differing = [name for name in wanted if found[name] != wanted[name]]
        strange = [name for name in differing if type(found[name]) is not type(wanted[name])]
        if strange:
            raise ValueError(f"{strange[0]} is {found[strange[0]]!r}")
        if differing == ["contents"] and len(found["contents"]) != len(wanted["contents"]):
            raise ValueError(f"{len(found['contents'])} contents for {len(wanted['agents'])} agents")
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{manifest} is damaged ({error!r}): name another folder") from None
    if not differing:
        return
    name = differing[0]
    if name == "contents":
        changed = [agent for agent, then, now in zip(wanted["agents"], found[name], wanted[name], strict=True) if then != now]
        raise ValueError(
            f"{manifest.parent} has games of another agent by the name of {changed[0]}: its file has changed; name another folder"
        )
    then, now = found[name], wanted[name]
    if isinstance(now, dict):
        then, now = ({key: value for key, value in each.items() if then.get(key) != now.get(key)} for each in (then, now))
    then, now = _in_words(then), _in_words(now)
    raise ValueError(f"{manifest.parent} has games of {name} {then}, not {now}: name another folder, or the same {name}")


def _in_words(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}={each}" for name, each in value.items()) or "none"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _damaged(file: Path, why: Any) -> ValueError:
    return ValueError(f"{file} is damaged ({why}): delete it, and its decks are played again")


def _write(path: Path, write: Any) -> None:
    """Write a file by a function of the open file; it appears whole or not at all, also if two write it at once."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("wb") as file:
        write(file)
    os.replace(part, path)
