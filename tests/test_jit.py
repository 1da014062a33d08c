"""The disk cache of compiled code never plays old rules, and is used where nothing has changed.

The tests edit a copy of the package, and run it in processes and a cache of their own.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import numba
import pytest

import penzoo
from penzoo.envs import jit

RULE, OTHER_RULE = "return card > top", "return card < top"  # of the same length: only the content of the file differs
OLD_LEGAL, NEW_LEGAL = ["8d", "take"], ["6d", "take"]  # with 6d and 8d in hand, over 7d
SECONDS_PER_DAY = 86_400

# A loop of `loops.py`, with the rules of `pen/rules.py` compiled in; observing nothing keeps the compilation short.
SCRIPT = """
import dataclasses, json
import numba
import numpy as np
import penzoo.envs
from penzoo.envs.jit import compiled
from penzoo.envs.loops import bind_loops
from penzoo.envs.pen.state import CARDS, HAND, Phase

@compiled
def observe_nothing(state, seat, obs):
    obs[:] = 0

game = penzoo.envs.get_game("pen")
loops = bind_loops("pen", dataclasses.replace(game.functions, observe=observe_nothing), game.state_dtype)
states = game.new_states(1, 2, {})
states["place"][0, [CARDS.index(name) for name in ("6d", "8d")]] = HAND
states["place"][0, [card for card in range(len(CARDS)) if CARDS[card] not in ("6d", "8d")]] = -1
states["pile"][0, 0], states["pile_size"], states["phase"] = CARDS.index("7d"), 1, Phase.BEAT
masks = np.zeros((1, len(game.actions)), np.int8)
loops.refresh_rows(states, np.arange(1), 0, 1, np.zeros((1, 1), np.float32), masks, np.zeros(1, np.int64))
print(json.dumps({
    "package": penzoo.envs.__file__,
    "legal": game.legal_names(masks[0]),
    "hits": sum(loops.refresh_rows.stats.cache_hits.values()),
    "misses": sum(loops.refresh_rows.stats.cache_misses.values()),
    "cache_dir": numba.config.CACHE_DIR,
}))
"""


class Package:
    """A copy of the package that can be edited and run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        source, copy = Path(penzoo.__file__).parent, folder / "penzoo"
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(source, copy, ignore=ignore)
        for name in ("envs", "agents"):
            shutil.copytree(Path(jit.__file__).parents[1] / name, copy / name, ignore=ignore, dirs_exist_ok=True)
        (folder / "script.py").write_text(SCRIPT, encoding="utf-8")

    def run(self, **environment: str) -> tuple[dict, str]:
        """Run the script in a process of its own: what it prints, and its warnings."""
        own = {"PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(self.cache), **environment}
        run = subprocess.run(
            [sys.executable, str(self.folder / "script.py")], env={**os.environ, **own}, capture_output=True, text=True, check=False
        )
        assert run.returncode == 0, run.stderr
        found = json.loads(run.stdout)
        assert Path(found["package"]).is_relative_to(self.folder)
        return found, run.stderr

    def edit_rules(self, before: str, after: str) -> None:
        """Replace a line of the rules, and leave no trace of it in the file's size and time."""
        file = self.folder / "penzoo" / "envs" / "pen" / "rules.py"
        times, text = file.stat(), file.read_text(encoding="utf-8")
        assert text.count(before) == 1
        file.write_text(text.replace(before, after), encoding="utf-8")
        os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))

    def cached(self) -> dict[str, int]:
        """The files of the cache, and when each was written."""
        return {str(file): file.stat().st_mtime_ns for file in self.cache.rglob("*.nb?")}


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    return Package(tmp_path_factory.mktemp("package"))


@pytest.fixture(scope="module")
def first_run(package):
    return package.run()


@pytest.mark.slow
def test_a_fresh_process_plays_the_edited_rule_and_compiles_nothing_twice(package, first_run):
    assert first_run[0]["legal"] == OLD_LEGAL
    assert (first_run[0]["hits"], first_run[0]["misses"]) == (0, 1)
    files = package.cached()
    assert files
    again, _ = package.run()
    assert (again["legal"], again["hits"], again["misses"]) == (OLD_LEGAL, 1, 0)
    assert package.cached() == files
    package.edit_rules(RULE, OTHER_RULE)
    edited, _ = package.run()
    assert (edited["legal"], edited["hits"], edited["misses"]) == (NEW_LEGAL, 0, 1)
    package.edit_rules(OTHER_RULE, RULE)
    back, _ = package.run()
    assert (back["legal"], back["hits"], back["misses"]) == (OLD_LEGAL, 1, 0)


@pytest.mark.slow
def test_the_cache_directory_of_numba_is_the_users_again_after_the_import(package, first_run):
    found, warnings = first_run
    assert found["cache_dir"] == str(package.cache)
    assert not warnings
    assert not list((package.folder / "penzoo").rglob("*.nb?"))


def test_the_cache_directory_of_numba_is_untouched_in_this_process():
    assert os.environ.get("NUMBA_CACHE_DIR", "") == numba.config.CACHE_DIR


@pytest.mark.slow
def test_a_cache_that_cannot_be_written_gives_a_warning_and_the_rules_are_played(package, first_run):
    blocked = package.folder / "script.py" / "cache"  # below a file no folder can be made, whoever asks
    found, warnings = package.run(NUMBA_CACHE_DIR=str(blocked))
    assert (found["legal"], found["hits"], found["cache_dir"]) == (OLD_LEGAL, 0, str(blocked))
    assert "PenZoo compiles anew in every process" in warnings and "set NUMBA_CACHE_DIR to a folder that can" in warnings


def test_folders_of_the_cache_that_nobody_has_used_for_long_are_removed(tmp_path):
    stale, fresh, other = tmp_path / "numba-0123456789abcdef", tmp_path / "numba-fedcba9876543210", tmp_path / "runs"
    for folder in (stale, fresh, other):
        folder.mkdir()
        (folder / "file").touch()
    long_ago = time.time() - (jit.STALE_AFTER_DAYS + 1) * SECONDS_PER_DAY
    for folder in (stale, other):
        os.utime(folder, (long_ago, long_ago))
    jit._drop_stale(tmp_path)
    assert not stale.exists() and fresh.exists() and other.exists()


def test_uncompiled_a_function_is_itself():
    script = (
        "from penzoo.envs.jit import bind, compiled\n"
        "def double(x): return 2 * helper(x)\n"
        "def add(x): return x + 1\n"
        "assert compiled(add) is add\n"
        "print(bind(double, 'test', {'helper': add})(3))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", script], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "8"
