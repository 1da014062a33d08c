"""The trained agents that ship with PenZoo, `GAME_ALGORITHM.safetensors`, known as `GAME:ALGORITHM`.

Beside each lie its description with the whole configuration of its training, the seed and the versions (`.json`), the figures of the ladder
on which it was measured (`.ratings.json`, by `penzoo eval --json`), and the learning curves of the configuration (`.curves.png`).
"""
