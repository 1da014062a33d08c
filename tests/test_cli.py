"""The command line: every command, its options, and what it tells of a mistake."""

import json
import re
import subprocess
import sys
import types

import pytest
from typer.testing import CliRunner

from penzoo import __version__, cli
from penzoo.cli import INTERRUPTED, USER_ERROR, app, parse_options
from penzoo.envs import get_game
from penzoo.envs.record import read_records, write_records
from penzoo.eval import speed
from penzoo.play import _answers, moves_text


@pytest.fixture
def run(monkeypatch):
    """Runs a command in this process; the help in a width in which no word is broken."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "dumb")

    def invoke(*arguments, answers=""):
        return CliRunner().invoke(app, [str(argument) for argument in arguments], input=answers)

    return invoke


def assert_error(result, match):
    """One line that tells, no traceback, and the exit code of a user's mistake."""
    assert result.exit_code == USER_ERROR, result.output
    assert isinstance(result.exception, SystemExit)
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert re.search(match, line), line


# ------------------------------------------------------------------------------------------------------------------ the whole


def test_help_names_every_command_and_loads_nothing_heavy():
    code = (
        "import sys; from typer.testing import CliRunner; from penzoo.cli import app\n"
        "result = CliRunner().invoke(app, ['--help']); print(result.output)\n"
        "print('loaded:', {'torch', 'matplotlib', 'numba', 'scipy'} & set(sys.modules))"
    )
    output = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8").stdout
    for command in ("list", "play", "train", "eval", "replay", "bench"):
        assert re.search(rf"\b{command} ", output)
    assert "loaded: set()" in output


def test_python_m_penzoo():
    done = subprocess.run([sys.executable, "-m", "penzoo", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"penzoo {__version__}"


def test_without_a_command_the_help_is_shown(run):
    assert "Usage" in run().output


@pytest.mark.parametrize(
    "arguments", [["whist"], ["eval", "--whist"], ["replay"], ["eval", "--deals", "many"], ["replay", "x", "--delay", "-1"]]
)
def test_a_wrong_command_line(run, arguments):
    assert run(*arguments).exit_code == USER_ERROR


def test_a_file_that_is_not_there_is_named(run, tmp_path):
    assert_error(run("replay", tmp_path / "none.jsonl"), "none.jsonl: No such file")


def test_an_interrupt_ends_with_a_message(run, monkeypatch):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("penzoo.eval.evaluate", interrupted)
    result = run("eval", "greedy")
    assert result.exit_code == INTERRUPTED
    assert "interrupted" in result.stderr


def test_a_bug_is_no_user_error(run, monkeypatch):
    def broken(*_arguments, **_options):
        raise TypeError("a bug")

    monkeypatch.setattr("penzoo.eval.evaluate", broken)
    assert isinstance(run("eval", "greedy").exception, TypeError)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([], {}),
        (["must_beat=true", "payoff=placement", "max_moves=200"], {"must_beat": True, "payoff": "placement", "max_moves": 200}),
        (
            ["packs=3", "rearrange=false", "stock_out=end", "forcing=never"],
            {"packs": 3, "rearrange": False, "stock_out": "end", "forcing": "never"},
        ),
        (["packs=players"], {"packs": "players"}),
        (["a=b=c"], {"a": "b=c"}),
        (["a=["], {"a": "["}),
    ],
)
def test_options_are_read_as_yaml(pairs, expected):
    assert parse_options(pairs) == expected


@pytest.mark.parametrize(("pairs", "match"), [(["must_beat"], "KEY=VALUE"), (["=3"], "KEY=VALUE"), (["a=1", "a=2"], "twice")])
def test_what_is_no_option_is_told(pairs, match):
    with pytest.raises(ValueError, match=match):
        parse_options(pairs)


# ----------------------------------------------------------------------------------------------------------------------- list


def test_list_shows_games_options_and_agents(run):
    output = run("list").output
    for text in ("pen_v0", "Пень", "2 to 6", "must_beat=false", "payoff=loser", "max_moves=1000", "random, greedy, careful"):
        assert text in output
    for text in ("pengingan_v0", "2 to 8, 4 by default", "packs=players", "players or 2 or 3", "rearrange=true", "any_meld"):
        assert text in output


# ----------------------------------------------------------------------------------------------------------------------- eval


def test_eval_prints_a_table_and_writes_files(run, tmp_path):
    files = ["--json", tmp_path / "e.json", "--picture", tmp_path / "e.png"]
    result = run(
        "eval", "--game", "pen", "--agents", "greedy", "random", "--deals", 4, "--players", 4, "--seed", 3, "-o", "must_beat=true", *files
    )
    assert result.exit_code == 0, result.output
    for text in ("greedy", "random", "4 players", "must_beat"):
        assert text in result.stdout
    data = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert (data["players"], data["deals"], data["seed"], data["options"]["must_beat"]) == (4, 4, 3, True)
    assert data["agents"] == ["greedy", "random"]
    assert (tmp_path / "e.png").stat().st_size > 0


def test_eval_of_another_game_is_in_its_own_terms(run, tmp_path):
    options = ["-o", "packs=3", "-o", "rearrange=false", "-o", "auto_single=true"]
    result = run("eval", "--game", "pengingan", "random", "--deals", 4, *options, "--json", tmp_path / "e.json")
    assert result.exit_code == 0, result.output
    for text in ("Pengingan (pengingan_v0, packs=3, rearrange=False, auto_single=True)", "chips", "out"):
        assert text in result.stdout
    assert "loss" not in result.stdout
    data = json.loads((tmp_path / "e.json").read_text(encoding="utf-8"))
    assert (data["game"], data["payoff_unit"], list(data["rows"][0]["shares"])) == ("pengingan_v0", "chips", ["out"])


def test_eval_as_markdown(run):
    assert re.search(r"^\| agent .*\n\|-", run("eval", "greedy", "--deals", 2, "--markdown").stdout, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ([], "at least one"),
        (["nobody"], "agent 'nobody' does not exist"),
        (["greedy", "--game", "whist"], "game 'whist' does not exist"),
        (["greedy", "--players", "7"], "2 to 6 players"),
        (["greedy", "--deals", "1"], "deals=1"),
        (["greedy", "-o", "must_beat=maybe"], "must_beat='maybe' is not possible"),
        (["greedy", "-o", "must_lead=true"], "option 'must_lead' does not exist"),
        (["greedy", "-o", "must_beat"], "KEY=VALUE"),
        (["random", "--game", "pengingan", "-o", "packs=9"], "packs=9 is not possible: it takes 'players' or 2 or 3"),
        (["random", "--game", "pengingan", "-o", "packs=2", "--players", "8"], "packs=2 is not possible: 8 players need 81 cards"),
        (["random", "--game", "pengingan", "-o", "rearrange=1"], "rearrange=1 is not possible: it takes False or True"),
        (["random", "--game", "pengingan", "-o", "must_beat=true"], "option 'must_beat' does not exist: pengingan has packs, "),
        (["none.safetensors"], "none.safetensors"),
        (["greedy", "--picture", "e.pdf"], "should end in .png"),
        (["greedy", "--json", "nowhere/e.json"], "there is no folder nowhere"),
        (["greedy", "--json", "."], "is a folder"),
    ],
)
def test_eval_tells_mistakes_before_it_plays(run, arguments, match, monkeypatch):
    monkeypatch.setattr("penzoo.eval.evaluation.play", None)
    assert_error(run("eval", *arguments), match)


def test_a_missing_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert_error(run("eval", "greedy", "--deals", 2, "--picture", "e.png"), r'needs matplotlib.*pip install "penzoo\[train\]"')


# ----------------------------------------------------------------------------------------------------------------------- play


def test_play_to_the_end_and_replay_the_record(run, tmp_path):
    file = tmp_path / "games.jsonl"
    options = ["--players", 2, "--seed", 3, "--record", file, "-o", "max_moves=60"]
    for _ in range(2):
        result = run("play", *options, "--opponents", "greedy", answers="1\n" * 100)
        assert result.exit_code == 0, result.output
    assert "You are player_0" in result.stdout
    assert "player_1 (greedy): " in result.stdout
    first, second = read_records(file)
    assert first == second
    assert first.options == {"max_moves": 60}
    *_, last = first.replay()
    assert last.legal == ()
    for seat, value in enumerate(first.returns):
        assert re.search(rf"player_{seat} \(\w+\): {re.escape(f'{value:+.3f}')}", result.stdout)
    replayed = run("replay", file, "--deal", 2)
    assert replayed.exit_code == 0
    assert "deal 2" in replayed.stdout
    assert "deal 1" not in replayed.stdout
    assert replayed.stdout.count("Пень") == len(first.actions) + 1


def test_play_takes_numbers_and_names_and_asks_again(run):
    result = run("play", "--seed", 3, answers="zz\n99\n\nqh\n?\n8D\n10♥\nqh\nq\n")
    assert result.exit_code == 0
    for text in (
        "There is no move 'zz'",
        "There is no move '99'",
        "That was no move",
        "Q♥ is not allowed now. Give a number or a name: 1 or 8d, 2 or 8s, 3 or take.",
        "Answer with the number",
        "player_0 (you): 8♦",
        "10♥ is not allowed now",
        "player_0 (you): Q♥",
        "given up",
    ):
        assert text in result.stdout


def test_play_shows_only_what_the_seat_sees(run):
    hidden, shown = (run("play", "--seed", 3, *reveal, answers="q\n").stdout for reveal in ([], ["--reveal"]))
    assert "player_1: 4 in hand: ▒▒ ▒▒ ▒▒ ▒▒ · stump ▒▒ ▒▒" in hidden
    assert "player_0 (dealer): 4 in hand: 8♦ Q♥ 6♠ 8♠ · stump ▒▒ ▒▒" in hidden
    assert "▒▒" not in shown


def test_play_ends_cleanly_where_the_input_ends(run, tmp_path):
    result = run("play", "--record", tmp_path / "games.jsonl", answers="")
    assert result.exit_code == 0
    assert "input has ended" in result.stdout
    assert not (tmp_path / "games.jsonl").exists()


def test_play_at_another_seat(run):
    result = run("play", "--seed", 3, "--seat", 1, "--opponents", "greedy", "random", answers="q\n")
    assert "You are player_1" in result.stdout
    assert "> player_1:" in result.stdout


def test_play_makes_forced_moves_by_itself_and_shows_them(run, tmp_path):
    file = tmp_path / "games.jsonl"
    options = ["-o", "must_beat=true", "-o", "auto_single=true", "--players", 2, "--seed", 1, "--record", file]
    result = run("play", *options, answers="1\n" * 1000)
    assert "(you): take (the only move)" in result.stdout
    (record,) = read_records(file)
    assert record.options == {"must_beat": True, "auto_single": True}
    assert list(record.replay())[-1].legal == ()


@pytest.mark.parametrize(
    ("game", "options", "unit"),
    [
        ("pengingan", {"packs": 2, "stock_out": "reshuffle"}, "chips"),
        ("kunken", {"jokers": 2, "stock_out": "recycle", "max_moves": 400}, "points"),
    ],
)
def test_play_of_another_game(run, tmp_path, game, options, unit):
    file = tmp_path / "games.jsonl"
    given = [text for name, value in options.items() for text in ("-o", f"{name}={value}")]
    arguments = ["--game", game, "--players", 3, *given, "--seed", 3, "--record", file]
    result = run("play", *arguments, "--opponents", "random", answers="1\n" * 2000)
    assert result.exit_code == 0, result.output
    (record,) = read_records(file)
    assert record.options == options
    replayed = run("replay", file)
    assert replayed.exit_code == 0, replayed.output
    assert f"returns: {', '.join(f'{value:+g} {unit}' for value in record.returns)}" in replayed.stdout
    assert len(record.returns) == 3


def test_play_helps_with_moves_as_they_are_answered(run):
    output = run("play", "--game", "kunken", "--seed", 3, answers="?\nq\n").stdout
    assert "as in Ac or A♣ (T ten; c clubs, d diamonds, h hearts, s spades); a joker is *.\n" in output
    for line in ("  draw: ", "  take Ac 2 … take Ks 2: ", "  take * … take * 6: ", "  put *=Ac … put *=Ks: ", "  close: "):
        assert f"\n{line}" in output


def test_play_names_some_of_many_moves_to_who_names_none(run):
    output = run("play", "--game", "kunken", "--players", 2, "--seed", 3, answers="draw\nzz\nq\n").stdout
    assert re.search(r"'zz'\. Give a number or a name: 1 or discard \S+, (\d or discard \S+, ){5}…, \d+ or discard \S+\.\n", output)


JOKERS = ["put Kc", "put *=Th", "put *=Qd", "meld 3", "meld 12", "discard 5d", "discard Kh", "discard *"]


@pytest.mark.parametrize(
    ("game", "moves", "shown"),
    [
        ("kunken", ["draw", "take 5d", "take 5d 2", "take *"], ["1 draw   2 take 5♦   3 take 5♦ 2   4 take *"]),
        ("kunken", JOKERS[:5], ["1 put K♣   2 put *=10♥   3 put *=Q♦   4 meld 3   5 meld 12"]),
        (
            "kunken",
            JOKERS,
            ["1 put K♣", "2 put *=10♥   3 put *=Q♦", "4 meld 3   5 meld 12", "6 discard 5♦   7 discard K♥   8 discard *"],
        ),
        (
            "kunken",
            ["close", *["discard As"] * 8],
            [
                "1 close",
                "2 discard A♠   3 discard A♠   4 discard A♠   5 discard A♠   6 discard A♠   7 discard A♠",
                "8 discard A♠   9 discard A♠",
            ],
        ),
        ("pen", ["6c", "Th", "take"], ["1 6♣   2 10♥   3 take"]),
    ],
)
def test_moves_are_listed_on_a_line_or_a_line_for_each_kind(game, moves, shown):
    assert moves_text(get_game(game), moves).splitlines() == shown


@pytest.mark.parametrize("answer", ["put *=Th", "PUT  *=th", "put *=10♥", "*=Th", "*=10♥"])
def test_a_joker_may_be_answered_with_the_card_for_which_it_stands(answer):
    assert " ".join(answer.lower().split()) in _answers(get_game("kunken"), "put *=Th")


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["--game", "pengingan", "--players", "8", "-o", "packs=2"], "8 players need 81 cards"),
        (["--seat", "3"], "seats are 0 to 2"),
        (["--players", "1"], "2 to 6 players"),
        (["--opponents", "nobody"], "agent 'nobody' does not exist"),
        (["--opponents", "greedy", "random", "random"], "3 opponents for 2 other seats"),
        (["--seed", "-1"], "seed"),
        (["--record", "nowhere/games.jsonl"], "there is no folder nowhere"),
        (["-o", "max_moves=0"], "max_moves=0"),
    ],
)
def test_play_tells_mistakes(run, arguments, match):
    assert_error(run("play", *arguments), match)


# --------------------------------------------------------------------------------------------------------------------- replay


@pytest.fixture
def recorded(run, tmp_path):
    file = tmp_path / "games.jsonl"
    run("play", "--players", 2, "--seed", 3, "--record", file, "-o", "max_moves=20", answers="1\n" * 20)
    return file


def test_replay_shows_every_card_or_only_what_all_saw(run, recorded):
    assert "▒▒" not in run("replay", recorded).stdout
    assert "player_0 (dealer): 4 in hand: ▒▒ ▒▒ ▒▒ ▒▒" in run("replay", recorded, "--no-reveal").stdout


def test_replay_waits_between_moves(run, recorded, monkeypatch):
    waits = []
    monkeypatch.setattr(cli, "time", types.SimpleNamespace(sleep=waits.append))
    run("replay", recorded, "--delay", 0.5)
    assert waits == [0.5] * 20


def test_a_record_that_does_not_replay_says_where_and_why(run, recorded):
    (record,) = read_records(recorded)
    actions = list(record.actions)
    actions[3] = (actions[3][0], "Xc")
    write_records(recorded, [record, record.__class__(**{**vars(record), "actions": tuple(actions)})])
    result = run("replay", recorded)
    assert_error(result, r"games.jsonl, deal 2: action 3 .*'Xc' does not exist")
    assert "3. player_" in result.stdout


@pytest.mark.parametrize("deal", [2, 9])
def test_replay_of_a_deal_that_is_not_there(run, recorded, deal):
    assert_error(run("replay", recorded, "--deal", deal), f"has 1 deal: there is no deal {deal}")


def test_replay_of_what_is_no_record(run, tmp_path):
    file = tmp_path / "games.jsonl"
    file.write_text("", encoding="utf-8")
    assert_error(run("replay", file), "no deals")
    file.write_text("{}\n", encoding="utf-8")
    assert_error(run("replay", file), "games.jsonl, line 1")
    file.write_bytes(b"\xff\xfe\x00")
    assert_error(run("replay", file), "games.jsonl")


# --------------------------------------------------------------------------------------------------------------------- others


def test_bench_shows_and_writes_the_rates(run, tmp_path, monkeypatch):
    asked = []

    def measure(game, players, num_envs, threads, slices, **options):
        asked.append((game.name, players, num_envs, threads, slices, options["must_beat"]))
        yield speed.Rate("an environment", 120_000.4, 110_000, 7.5)
        yield speed.Rate("a batch", 2_000_000, 1_900_000)

    monkeypatch.setattr(speed, "measure", measure)
    arguments = ["--players", 3, "--num-envs", 64, "--threads", 2, "--slices", 1, "-o", "must_beat=true"]
    result = run("bench", *arguments, "--json", tmp_path / "rates.json")
    assert result.exit_code == 0, result.output
    assert asked == [("pen", 3, 64, 2, 1, True)]
    assert re.search(r"an environment +120,000 +110,000 +7.50", result.stdout)
    assert "2,000,000" in result.stdout
    assert [rate["name"] for rate in json.loads((tmp_path / "rates.json").read_text())] == ["an environment", "a batch"]


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["--players", "7"], "2 to 6 players"),
        (["--game", "pengingan", "--players", "8", "-o", "packs=2"], "8 players need 81 cards"),
        (["--game", "pengingan", "-o", "packs=many"], "packs='many' is not possible"),
    ],
)
def test_bench_tells_mistakes_before_its_table(run, arguments, match):
    result = run("bench", *arguments)
    assert_error(result, match)
    assert not result.stdout


def test_bench_of_another_game_is_aligned(run):
    result = run("bench", "--game", "pengingan", "--players", 6, "--num-envs", 16, "--threads", 1, "--slices", 1, "-o", "packs=3")
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines[3:]] == ["pengingan_v0", "pengingan_v0"]
    assert len({len(line) for line in lines}) == 1


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["pen.yaml"], ("pen.yaml", [], None)),
        (["pen.yaml", "seed=3", "ppo.gamma=0.9"], ("pen.yaml", ["seed=3", "ppo.gamma=0.9"], None)),
        (["--resume", "runs/1"], (None, [], "runs/1")),
        (["--resume", "runs/1", "seed=3", "threads=2"], (None, ["seed=3", "threads=2"], "runs/1")),
    ],
)
def test_train_passes_on_what_it_is_given(run, monkeypatch, arguments, expected):
    calls = []
    module = types.ModuleType("penzoo.train.run")
    module.train = lambda *given: calls.append(given)
    monkeypatch.setitem(sys.modules, "penzoo.train.run", module)
    assert run("train", *arguments).exit_code == 0
    ((config, overrides, resume),) = calls
    assert (config, overrides, resume and resume.as_posix()) == expected


def test_train_without_a_config_tells_what_is_missing(run):
    pytest.importorskip("torch")
    assert_error(run("train"), "no configuration")


def test_train_without_its_extra_names_it(run, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("penzoo.train")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert_error(run("train", "pen.yaml"), r'needs torch.*pip install "penzoo\[train\]"')


@pytest.mark.parametrize("more", [("--players", 3), ("--config", "pen.yaml"), ("--option", "must_beat=true")])
def test_a_best_response_that_goes_on_takes_nothing_that_it_would_not_heed(run, more):
    pytest.importorskip("torch")
    assert_error(run("exploit", "--resume", "runs/1", *more), rf"{more[0]} is not possible with --resume")
