"""Self-play training: from a configuration to an evaluated agent in a run folder (`penzoo.train.run.train`)."""

import os

# Read when PyTorch loads: its threads sleep while they wait. Where they spin (its default) and another program wants one of the cores,
# each waits for the other's turn, and training takes four times as long; with all cores free sleeping costs a sixth of the speed.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
