"""The trained agents that ship with PenZoo: for each game that has one `<game>_ppo.safetensors`, its description beside it."""
