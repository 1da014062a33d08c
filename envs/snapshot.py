"""Deals as bytes: NumPy's own archive with a description, so that nothing is unpickled and a mismatch is told, not guessed."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from penzoo.envs.game import Game

_META = "meta"
_KEYS = ("game", "version", "kind", "players")


def pack(game: Game, kind: str, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Arrays and a description as bytes; `kind` says of what, `meta` must be what JSON can hold."""
    text = json.dumps({"game": game.name, "version": game.version, "kind": kind, **meta})
    file = io.BytesIO()
    np.savez(file, **{_META: np.array(text)}, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def unpack(game: Game, kind: str, data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Undo `pack`.

    Raises:
        ValueError: the bytes were not packed here, or of another kind, game, version or layout of the state.
    """
    meta, arrays = _read(data)
    if (meta["game"], meta["version"]) != (game.name, game.version):
        raise ValueError(f"saved of {meta['game']}_v{meta['version']}, not of {game.id}")
    if meta["kind"] != kind:
        raise ValueError(f"saved from {meta['kind']}, not from {kind}")
    if arrays["states"].dtype != game.state_dtype:
        raise ValueError(f"saved by a PenZoo whose {game.id} stores its deals otherwise: replay its record instead")
    return meta, arrays


def check_players(saved: int, players: int) -> None:
    """ValueError if deals of another number of players were saved."""
    if saved != players:
        raise ValueError(f"saved with {saved} players, not with {players}")


def check_arrays(saved: Mapping[str, np.ndarray], own: Mapping[str, np.ndarray]) -> None:
    """ValueError if an array that is needed was not saved, or in another shape or dtype, or if a deal is of other players."""
    missing = [name for name in own if name not in saved]
    if missing:
        raise ValueError(f"these deals were not saved whole: {missing[0]} is missing")
    if saved["states"].ndim == 1 and len(saved["states"]) != len(own["states"]):
        raise ValueError(f"{len(saved['states'])} deals were saved, {len(own['states'])} rows are to be restored: name as many rows")
    for name, array in own.items():
        if (saved[name].shape, saved[name].dtype) != (array.shape, array.dtype):
            raise ValueError(f"saved by another PenZoo: {name} was of shape {saved[name].shape}, and would be of shape {array.shape}")
    players, seats = saved["states"]["players"], saved["states"]["seat"]
    if (players != own["states"]["players"]).any() or (seats < 0).any() or (seats >= players).any():
        raise ValueError("these deals are damaged: a seat to move, or a number of players, that does not exist")


def _read(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise ValueError(f"{type(data).__name__} is no saved deal: give the bytes that save() returned")
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = dict(archive)
        meta = json.loads(str(arrays.pop(_META)))
        return {key: meta[key] for key in _KEYS} | meta, {"states": arrays["states"]} | arrays
    except Exception as error:  # noqa: BLE001  # broken bytes raise whatever the layers below happen to stumble over
        raise ValueError(f"these {len(data)} bytes are no saved deal: {error!r}") from None
