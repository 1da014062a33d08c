"""Random numbers for compiled code: xorshift64 (Marsaglia 2003, "Xorshift RNGs", the triple 13, 7, 17).

It is made of shifts and exclusive ors, so that it gives the same numbers, without overflow warnings, when the code runs uncompiled.
A stream is one uint64 in an array of one, never 0; it belongs to whoever holds the array.
"""

import numpy as np

from penzoo.envs.jit import compiled

_HALF = np.uint64(32)
_SHIFTS = (np.uint64(13), np.uint64(7), np.uint64(17))


def streams(seed: int | None, count: int) -> np.ndarray:
    """Independent streams, uint64 of shape (count,): stream k is the same whatever the count.

    Args:
        seed: any int from 0 on; None draws one from the operating system.
        count: how many.

    Raises:
        ValueError: the seed is no such int.
    """
    if seed is not None and (isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0):
        raise ValueError(f"seed={seed!r} is not possible: it takes an int from 0 on, or None")
    states = np.random.SeedSequence(seed).generate_state(count, np.uint64)
    states[states == 0] = 1  # the one state that xorshift never leaves
    return states


@compiled
def random_below(rng, n):
    """A random int64 from 0 to n-1, each as likely (to within n / 2**32); `rng` is a stream, uint64 of shape (1,)."""
    x = rng[0]
    x ^= x << _SHIFTS[0]
    x ^= x >> _SHIFTS[1]
    x ^= x << _SHIFTS[2]
    rng[0] = x
    return np.int64(((x >> _HALF) * np.uint64(n)) >> _HALF)


@compiled
def shuffle(cards, rng):
    """Put an array in random order, in place (Fisher and Yates)."""
    for last in range(len(cards) - 1, 0, -1):
        other = random_below(rng, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card
