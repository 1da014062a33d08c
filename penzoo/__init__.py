"""PenZoo: a reinforcement-learning environment suite of three card games."""

__version__ = "0.1.0"
