"""The README cannot drift: its tables are the games' own, its code runs, its commands exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from penzoo import docs
from penzoo.cli import app
from penzoo.envs import GAMES

ROOT = Path(__file__).parent.parent
TABLES_OF_A_GAME = ("options", "actions", "observation")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_the_tables_are_those_of_the_games() -> None:
    assert docs.fill(README) == README, "run: python -m penzoo.docs README.md"
    assert README.count("<!-- table:") == README.count("<!-- end of table -->") == 1 + len(TABLES_OF_A_GAME) * len(GAMES)


@pytest.mark.parametrize("block", blocks("python"), ids=lambda block: block.splitlines()[0])
def test_the_code_runs(block: str, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-W", "error", "-c", block], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_first_example_is_short_and_has_a_loser(tmp_path: Path) -> None:
    block = blocks("python")[0]
    assert len(block.splitlines()) <= 15
    done = subprocess.run([sys.executable, "-c", block], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert sorted(line.split()[1] for line in done.stdout.splitlines()) == ["-1.0", "0.5", "0.5"]


def commands() -> list[list[str]]:
    lines = [line for block in blocks("bash") for line in block.splitlines()]
    return [shlex.split(part, comments=True)[1:] for line in lines for part in line.split("&&") if part.strip().startswith("penzoo ")]


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_the_commands_and_their_options_exist(command: list[str]) -> None:
    usage = CliRunner().invoke(app, [command[0], "--help"]).output
    for option in (word for word in command if word.startswith("--")):
        assert option in usage


@pytest.mark.parametrize("link", re.findall(r"\]\((?!https?:)([^)#]+)\)", README))
def test_the_files_that_it_links_to_exist(link: str) -> None:
    assert (ROOT / link).exists()


def test_nothing_was_left_to_be_filled_in() -> None:
    assert "@@" not in README


def test_it_names_the_two_commands() -> None:
    assert blocks("bash")[0] == 'pip install -e ".[train]" && penzoo train configs/pen.yaml\n'
    assert blocks("bash")[1] == 'pip install -e ".[dev]" && pytest\n'
