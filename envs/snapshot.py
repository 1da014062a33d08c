"""Deals as bytes: NumPy's own archive with a description, so that nothing is unpickled and a mismatch is told, not guessed."""

import io
import json
from typing import Any

import numpy as np

from penzoo.envs.game import Game

_META = "meta"


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


def check_players(meta: dict[str, Any], players: int) -> None:
    """ValueError if the deals that `meta` describes are of another number of players."""
    if meta["players"] != players:
        raise ValueError(f"saved with {meta['players']} players, not with {players}")


def _read(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = dict(archive)
        meta = json.loads(str(arrays.pop(_META)))
        return {key: meta[key] for key in ("game", "version", "kind", "players")} | meta, arrays
    except Exception as error:  # noqa: BLE001  # broken bytes raise whatever the layers below happen to stumble over
        raise ValueError(f"these {len(data)} bytes are no saved deal: {error}") from None
