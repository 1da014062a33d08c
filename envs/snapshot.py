"""Deals as bytes: NumPy's own archive with a description, so that nothing is unpickled and a mismatch is told, not guessed."""

import io
import json
import zipfile
from typing import Any

import numpy as np

from penzoo.envs.game import Game

_META = "meta"


def pack(game: Game, meta: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Arrays and a description as bytes; `meta` must be what JSON can hold."""
    text = json.dumps({"game": game.name, "version": game.version, **meta})
    file = io.BytesIO()
    np.savez(file, **{_META: np.array(text)}, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def unpack(game: Game, data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Undo `pack`.

    Raises:
        ValueError: the bytes were not packed here, or for another game, version or layout of the state.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = dict(archive)
        meta = json.loads(str(arrays.pop(_META)))
    except (ValueError, OSError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(f"these {len(data)} bytes are no saved deal: {error}") from None
    if (meta["game"], meta["version"]) != (game.name, game.version):
        raise ValueError(f"saved of {meta['game']}_v{meta['version']}, not of {game.id}")
    if arrays["states"].dtype != game.state_dtype:
        raise ValueError(f"saved by a PenZoo whose {game.id} stores its deals otherwise: replay its record instead")
    return meta, arrays
