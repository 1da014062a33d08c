"""Training: self-play from a configuration to an evaluated agent."""
