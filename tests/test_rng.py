"""Random numbers for compiled code: bounds, uniformity, independence of the count, compiled or not."""

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import chisquare

from penzoo.envs import rng

SEED = 99
DRAWS = 12_000
MIN_P_VALUE = 1e-3  # with fixed seeds a test either passes always or never


def draws(n, count=DRAWS, seed=SEED):
    """So many numbers below n from one stream."""
    stream = rng.streams(seed, 1)
    return np.array([rng.random_below(stream, n) for _ in range(count)])


@pytest.mark.parametrize("n", [1, 2, 3, 6, 36, 1000, 2**31])
def test_random_below_stays_within_its_bounds(n):
    numbers = draws(n, 1000)
    assert numbers.min() >= 0 and numbers.max() < n


@pytest.mark.parametrize("n", [2, 3, 6, 36])
def test_random_below_gives_each_number_as_often(n):
    assert chisquare(np.bincount(draws(n), minlength=n)).pvalue > MIN_P_VALUE


def test_successive_numbers_are_independent():
    numbers = draws(6)
    pairs = np.bincount(6 * numbers[:-1:2] + numbers[1::2], minlength=36)
    assert chisquare(pairs).pvalue > MIN_P_VALUE


def test_first_numbers_of_neighbouring_streams_and_seeds_are_independent():
    streams = rng.streams(SEED, DRAWS)
    first = [rng.random_below(streams[k : k + 1], 6) for k in range(DRAWS)]
    assert chisquare(np.bincount(first, minlength=6)).pvalue > MIN_P_VALUE
    by_seed = [rng.random_below(rng.streams(seed, 1), 6) for seed in range(3000)]
    assert chisquare(np.bincount(by_seed, minlength=6)).pvalue > MIN_P_VALUE


def test_shuffle_permutes():
    cards = np.arange(36, dtype=np.int8)
    rng.shuffle(cards, rng.streams(SEED, 1))
    assert sorted(cards) == list(range(36)) and list(cards) != list(range(36))


def test_shuffle_gives_each_order_as_often():
    stream, counts = rng.streams(SEED, 1), dict.fromkeys(itertools.permutations(range(4)), 0)
    for _ in range(24 * 300):
        cards = np.arange(4, dtype=np.int8)
        rng.shuffle(cards, stream)
        counts[tuple(cards.tolist())] += 1
    assert chisquare(list(counts.values())).pvalue > MIN_P_VALUE


@pytest.mark.parametrize("size", [0, 1])
def test_shuffle_of_nothing_or_one_card(size):
    cards = np.arange(size, dtype=np.int8)
    rng.shuffle(cards, rng.streams(SEED, 1))
    assert cards.tolist() == list(range(size))


@pytest.mark.parametrize("seed", [0, 1, SEED, 2**63, 2**200])
def test_a_stream_is_the_same_whatever_the_count(seed):
    streams = rng.streams(seed, 1000)
    assert streams.dtype == np.uint64 and len(np.unique(streams)) == 1000 and streams.all()
    for count in (0, 1, 7):
        assert np.array_equal(rng.streams(seed, count), streams[:count])


def test_seeds_differ_and_none_draws_one():
    assert not np.array_equal(rng.streams(0, 4), rng.streams(1, 4))
    assert not np.array_equal(rng.streams(None, 4), rng.streams(None, 4))


def test_a_negative_seed_is_refused():
    with pytest.raises(ValueError, match="seed=-1 is not possible: it takes an int from 0 on"):
        rng.streams(-1, 3)


def test_compiled_numbers_are_uncompiled_numbers():
    script = (
        "from penzoo.envs import rng\n"
        f"stream = rng.streams({SEED}, 1)\n"
        "print([int(rng.random_below(stream, 1000)) for _ in range(500)], int(stream[0]))\n"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    stream = rng.streams(SEED, 1)
    numbers = [int(rng.random_below(stream, 1000)) for _ in range(500)]
    assert run.stdout.strip() == f"{numbers} {int(stream[0])}"
