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

RULE = "return int(top) + 1, (suit + 1) * NUM_RANKS,"  # higher cards of the suit beat
OTHER_RULE = "return suit * NUM_RANKS, int(top),".ljust(len(RULE))  # lower ones do; of the same length: only the content differs
OLD_LEGAL, NEW_LEGAL = ["8d", "take"], ["6d", "take"]  # with 6d and 8d in hand, over 7d
SECONDS_PER_DAY = 86_400

# A loop of `loops.py`, with the rules of `pen/rules.py` compiled in; observing nothing keeps the compilation short.
SCRIPT = """
import dataclasses, json, os
import numba
import numpy as np
import penzoo.envs
from penzoo.envs.jit import compiled
from penzoo.envs.loops import bind_loops
from penzoo.envs.pen.state import CARDS, HAND, Phase

@compiled
def observe_nothing(state, seat, obs):
    obs[:] = 0

exec(os.environ.get("BEFORE_USE", ""))
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


def edit(file: Path, before: str, after: str) -> None:
    """Replace a piece of text, and leave no trace of it in the file's size and time."""
    times, text = file.stat(), file.read_text(encoding="utf-8")
    assert text.count(before) == 1 and len(before) == len(after)
    file.write_text(text.replace(before, after), encoding="utf-8")
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


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

    @property
    def rules(self) -> Path:
        """The file of the rules."""
        return self.folder / "penzoo" / "envs" / "pen" / "rules.py"

    def edit_rules(self, before: str, after: str) -> None:
        """Replace a line of the rules."""
        edit(self.rules, before, after)

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
def test_rules_edited_between_import_and_use_are_played_as_imported_and_not_stored_as_the_new_ones(tmp_path):
    package = Package(tmp_path)
    edit_while_running = f"from pathlib import Path; file = Path({str(package.rules)!r}); "
    edit_while_running += f"file.write_text(file.read_text(encoding='utf-8').replace({RULE!r}, {OTHER_RULE!r}), encoding='utf-8')"
    running, _ = package.run(BEFORE_USE=edit_while_running)
    assert OTHER_RULE in package.rules.read_text(encoding="utf-8")
    assert running["legal"] == OLD_LEGAL
    fresh, _ = package.run()
    assert fresh["legal"] == NEW_LEGAL
    package.edit_rules(OTHER_RULE, RULE)
    back, _ = package.run()
    assert (back["legal"], back["hits"]) == (OLD_LEGAL, 1)  # it is the running process' code, stored under what it had imported


@pytest.mark.slow
def test_a_link_that_leads_nowhere_does_not_break_the_import(package, first_run):
    links = [package.rules.parent / ".#rules.py", package.rules.parents[1] / ".#jit.py"]  # as an editor leaves them by an open file
    for link in links:
        link.symlink_to("somebody@nowhere.1234")
    try:
        found, warnings = package.run()
    finally:
        for link in links:
            link.unlink()
    assert (found["legal"], found["hits"], warnings) == (OLD_LEGAL, 1, "")


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


def twice(x):
    return 2 * x


def test_own_folders_of_the_cache_that_nobody_has_used_for_long_are_removed_and_no_others(tmp_path, monkeypatch):
    own, others = (
        tmp_path / "penzoo",
        ("numba-my-thesis", "numba-0123456789abcdef", "0123456789abcdef", "penzoo/other", "penzoo/0123456789abcde"),
    )
    others = [
        tmp_path / name for name in (*others, "penzoo/0123456789ABCDEF", "penzoo/0123456789abcdef.old", "penzoo/numba-0123456789abcdef")
    ]
    stale, fresh = own / "0123456789abcdef", own / "fedcba9876543210"
    for folder in (stale, fresh, *others):
        folder.mkdir(parents=True)
        (folder / "file").touch()
    for folder in (stale, *others):
        days_ago(folder, jit.STALE_AFTER_DAYS + 1)
    days_ago(fresh, jit.STALE_AFTER_DAYS - 1)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    assert jit.compiled(twice)(4) == 8
    assert str(tmp_path) == numba.config.CACHE_DIR
    assert not stale.exists() and fresh.exists() and all((folder / "file").exists() for folder in others)
    made = set(own.iterdir()) - {fresh, *others}
    assert len(made) == 1
    name = made.pop().name
    assert len(name) == 16 and set(name) <= set("0123456789abcdef")
    assert list((own / name).rglob("*.nbi"))


def test_a_folder_in_use_is_not_removed_however_long_ago_it_was_made(tmp_path, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    jit.compiled(twice)
    (folder,) = (tmp_path / "penzoo").iterdir()
    days_ago(folder, jit.STALE_AFTER_DAYS + 1)
    jit._cache_folder.cache_clear()  # as in a process of its own
    jit.compiled(twice)
    assert folder.exists() and time.time() - folder.stat().st_mtime < SECONDS_PER_DAY


def days_ago(folder, days):
    """Make a folder as old as that."""
    then = time.time() - days * SECONDS_PER_DAY
    os.utime(folder, (then, then))


# ------------------------------------------------------------------------------------------------ what others compile with it

CALLER = "from penzoo.envs.jit import compiled\n{}\n@compiled\ndef calculate(x):\n    return {}(x) * 10\n"
BETWEEN = "from penzoo.envs.jit import compiled\nfrom third.helper import add\n\n@compiled\ndef through(x):\n    return add(x)\n"
HELPER = "from penzoo.envs.jit import compiled\n\n@compiled\ndef add(x):\n    return x + 1\n"
WAYS = {
    "a function of another folder": ("from third.helper import add", "add"),
    "under another name": ("from third.helper import add as plus", "plus"),
    "an attribute of a module": ("from third import helper", "helper.add"),
    "an attribute of a module's module": ("import third.helper", "third.helper.add"),
    "through a function of a folder between": ("from second.between import through", "through"),
}


def run_python(code, **options):
    """Run code in a process of its own: what it prints."""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, **options)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


@pytest.fixture(scope="module")
def calculated(tmp_path_factory):
    """What each way of calling a helper gives, and whether it came from the cache: in two processes, and in one after an edit of it."""
    folder = tmp_path_factory.mktemp("folders")
    texts = {f"first/way_{k}.py": CALLER.format(*way) for k, way in enumerate(WAYS.values())}
    for name, text in {**texts, "second/between.py": BETWEEN, "third/helper.py": HELPER}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    own = {"PYTHONDONTWRITEBYTECODE": "1", "NUMBA_CACHE_DIR": str(folder / "cache")}
    code = "from importlib import import_module\nfor k in range({}):\n f = import_module(f'first.way_{{k}}').calculate\n"
    code += " print(f(2), sum(f.stats.cache_hits.values()))"

    def run():
        found = run_python(code.format(len(WAYS)), env={**os.environ, **own}, cwd=folder)  # which `-c` has on its path
        return list(zip(found[::2], found[1::2], strict=True))

    runs = [run(), run()]
    edit(folder / "third" / "helper.py", "x + 1", "x - 1")
    return dict(zip(WAYS, zip(*runs, run(), strict=True), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_an_edit_of_a_helper_in_another_folder_is_seen_by_a_fresh_process(calculated, way):
    assert calculated[way] == (("30", "0"), ("30", "1"), ("10", "0"))


@pytest.mark.parametrize(
    "code",
    ["@compiled\ndef add(x): return x + 1\n", "exec('@compiled\\ndef add(x): return x + 1', globals())\n"],
    ids=["python -c", "exec"],
)
def test_a_function_without_a_file_is_compiled_and_not_cached(tmp_path, code):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = f"from penzoo.envs.jit import compiled\n{code}print(add(1), len(add.signatures))"
    assert run_python(code, env=environment, cwd=tmp_path) == ["2", "1"]
    assert not [file for file in tmp_path.rglob("*.nbi") if "add" in file.name]


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
