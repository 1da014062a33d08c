"""The command line: `penzoo list | play | train | curves | eval | exploit | replay | bench`.

What a command needs is imported inside it, so that `penzoo --help` is quick and nothing but training asks for PyTorch.
"""

import json
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

if TYPE_CHECKING:
    from penzoo.envs.game import Game
    from penzoo.envs.record import Record

USER_ERROR = 2  # exit codes, as shells and typer have them
INTERRUPTED = 130

TABLE = "table"  # formats of `eval`
PAIR_FORMATS = ("round-robin", "gauntlet", "ladder")  # those of `penzoo.eval.tournament`, which is slow to import

_RATE_WIDTH = 50  # of the name of what `bench` measures

# what `pip install penzoo` does not bring, and the extra that does
_EXTRA = "train"
_OF_EXTRA = {"matplotlib", "pydantic", "sb3_contrib", "stable_baselines3", "tensorboard", "torch", "tqdm"}


class _Commands(TyperGroup):
    """Commands whose mistakes are told in a line: a traceback is for those who can mend the program."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (ValueError, OSError) as error:
            _fail(_in_words(error))
        except ModuleNotFoundError as error:
            name = (error.name or "").partition(".")[0]
            if name not in _OF_EXTRA:
                raise
            _fail(f'this needs {name}, which is not installed: pip install "penzoo[{_EXTRA}]"')
        except KeyboardInterrupt:
            typer.echo("\ninterrupted", err=True)
            raise typer.Exit(INTERRUPTED) from None


def _fail(message: str) -> NoReturn:
    typer.echo(f"error: {message}", err=True)
    raise typer.Exit(USER_ERROR) from None


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


app = typer.Typer(cls=_Commands, no_args_is_help=True, pretty_exceptions_enable=False)

GameName = Annotated[str, typer.Option("--game", help="Name of the game, as `penzoo list` shows it.")]
Players = Annotated[int | None, typer.Option(help="Seats at the table; the game's default if left out.")]
RuleOptions = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="A rule option, as in auto_single=true; as often as wished."),
]


def main() -> None:
    """Run the command line."""
    app()


def _show_version(wished: bool) -> None:
    if wished:
        from penzoo import __version__

        typer.echo(f"penzoo {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[bool, typer.Option("--version", help="Show the version and exit.", callback=_show_version, is_eager=True)] = False,
) -> None:
    """PenZoo: card games for reinforcement learning, and against you."""


# ---------------------------------------------------------------------------------------------------------------------- list


@app.command("list")
def list_games() -> None:
    """The games: version, players, rule options with their defaults, and the agents that play them."""
    from rich.console import Console

    from penzoo.envs import GAMES

    console = Console(highlight=False)
    for game in GAMES.values():
        _print_game(console, game)


def _print_game(console: Any, game: "Game") -> None:
    from rich.table import Table
    from rich.text import Text

    from penzoo.agents import agent_labels

    console.print(Text.assemble((game.id, "bold"), f"  {game.title}"))
    table = Table(box=None, show_header=False, padding=(0, 2, 0, 2))
    table.add_column(no_wrap=True)
    table.add_row("players", f"{game.min_players} to {game.max_players}, {game.default_players} by default")
    table.add_row("agents", f"{', '.join(agent_labels(game.name))}, search:N, module:function, or the file of a trained one")
    for option in game.all_options:
        table.add_row(f"{option.name}={_as_value(option.default)}", f"{option.meaning} ({_possible(option)})")
    console.print(table)


def _possible(option: Any) -> str:
    return option.values() if option.bounds else " or ".join(_as_value(choice) for choice in option.choices)


def _as_value(value: Any) -> str:
    """A value as it is written on the command line and in a config."""
    return str(value).lower() if isinstance(value, bool) else str(value)


# ---------------------------------------------------------------------------------------------------------------------- play


@app.command()
def play(
    more_opponents: Annotated[list[str] | None, typer.Argument(metavar="OPPONENT", help="The same as --opponents.")] = None,
    game: GameName = "pen",
    players: Players = None,
    opponents: Annotated[
        list[str] | None,
        typer.Option(
            metavar="AGENT...", help="Names or files: one for all, or one for each other seat; the best hand-written one if left out."
        ),
    ] = None,
    seat: Annotated[int, typer.Option(help="Your seat, counted from 0.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Of the deal: the same seed, the same cards; drawn if left out.")] = None,
    reveal: Annotated[bool, typer.Option("--reveal", help="Show every card.")] = False,
    record: Annotated[Path | None, typer.Option(help="A .jsonl file to which the finished deal is added.")] = None,
    option: RuleOptions = None,
) -> None:
    """Play a deal against agents in the terminal."""
    from penzoo.envs import get_game
    from penzoo.play import play_deal

    table = get_game(game)
    _check_folder(record)
    played = play_deal(
        table,
        players=players,
        opponents=[*(opponents or []), *(more_opponents or [])],
        seat=seat,
        seed=seed,
        reveal=reveal,
        options=parse_options(option or []),
    )
    if played is not None and record is not None:
        from penzoo.envs.record import write_records

        write_records(record, [played], append=True)
        typer.echo(f"recorded in {record}")


def parse_options(pairs: Sequence[str]) -> dict[str, Any]:
    """Rule options from `key=value` texts; a value is read as YAML reads it (`true`, `200`, `placement`).

    Raises:
        ValueError: a text without `=`, or a key given twice.
    """
    import yaml

    options: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not (key and equals):
            raise ValueError(f"option {pair!r} is no KEY=VALUE: write it as in auto_single=true")
        if key in options:
            raise ValueError(f"option {key!r} is given twice")
        try:
            options[key] = yaml.safe_load(value)
        except yaml.YAMLError:
            options[key] = value
    return options


def _check_folder(*paths: Path | None) -> None:
    """Tell before the work, not after it, that a file cannot be written."""
    for path in paths:
        if path is not None and not path.parent.is_dir():
            raise ValueError(f"{path}: there is no folder {path.parent}")
        if path is not None and path.is_dir():
            raise ValueError(f"{path} is a folder: name a file")


# --------------------------------------------------------------------------------------------------------------------- train


@app.command()
def train(
    config: Annotated[
        str | None, typer.Argument(metavar="CONFIG", help="A YAML file, such as configs/pen.yaml.", show_default=False)
    ] = None,
    overrides: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Values that replace those of the config.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="The folder of an interrupted run, to go on with.")] = None,
) -> None:
    """Train an agent by self-play, and evaluate it. With --resume, CONFIG may be left out: it is the run's own then."""
    from penzoo.train.run import train as run_training

    changes = list(overrides or [])
    if config is not None and "=" in config and not Path(config).exists():
        changes.insert(0, config)
        config = None
    run_training(config, changes, resume)


@app.command()
def curves(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="Run folders of one configuration, each from a seed of its own.")],
    picture: Annotated[Path, typer.Option(metavar="FILE.png", help="Draw the learning curves there.")],
    against: Annotated[
        list[str] | None, typer.Option(metavar="AGENT", help="Only against this opponent; as often as wished, all if left out.")
    ] = None,
) -> None:
    """Draw the learning curves of training runs, and tell what they reached."""
    _check_folder(picture)
    _check_picture(picture)
    from penzoo.train.curves import last_payoff, read_curves, save_curves

    config, drawn = read_curves(runs, against or [])
    save_curves(config, drawn, picture)
    for opponent in dict.fromkeys(curve.opponent for curve in drawn):
        same = [curve for curve in drawn if curve.opponent == opponent]
        mean, interval = last_payoff(same)
        spread = "" if interval is None else f" ({interval.low:+.3f} to {interval.high:+.3f} over {len(same)} seeds)"
        typer.echo(f"among {opponent}: {mean:+.3f} {config.table.payoff_unit} a deal{spread}")
    typer.echo(f"picture: {picture}")


# ---------------------------------------------------------------------------------------------------------------------- eval


@app.command("eval")
def evaluate_agents(
    more_agents: Annotated[list[str] | None, typer.Argument(metavar="AGENT", help="The same as --agents.")] = None,
    game: GameName = "pen",
    agents: Annotated[
        list[str] | None, typer.Option(metavar="AGENT...", help="Names (`penzoo list`) or .safetensors files; any number.")
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="table: one kind of table for all agents; round-robin: each alone among seats of each other; gauntlet: the first alone "
            "among seats of each of the others; ladder: each of the others alone among seats of the first.",
        ),
    ] = TABLE,
    players: Players = None,
    deals: Annotated[int, typer.Option(help="Decks, at the most; each is played in every rotation of the seats.")] = 1000,
    search_deals: Annotated[
        int | None,
        typer.Option(help="Decks, at the most, of a pair with a search in it, which takes long; as --deals if left out (not for a table)."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the decks: the same seed, the same decks, whoever plays.")] = 0,
    threads: Annotated[int, typer.Option(help="Threads that play.")] = 1,
    option: RuleOptions = None,
    until_significant: Annotated[
        bool, typer.Option("--until-significant", help="Stop a pair as soon as its payoff differs from 0 (not for a table).")
    ] = False,
    folder: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep the games there; the same command goes on after an interrupt (not for a table)."),
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write all figures there as JSON.")] = None,
    picture: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the figures there.")] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the table as Markdown.")] = False,
) -> None:
    """Let agents play each other on common decks; intervals are over decks.

    At a table (--format table) as many agents as seats sit as listed, fewer fill the seats in a cycle, and of more every combination has
    a table.
    """
    listed = [*(agents or []), *(more_agents or [])]
    if not listed:
        raise ValueError("no agents: name at least one, as in --agents careful greedy")
    _check_format(
        form,
        {"--search-deals": search_deals is not None, "--until-significant": until_significant, "--folder": folder is not None},
    )
    _check_folder(json_file, picture)
    if picture is not None:
        _check_picture(picture)
    from penzoo import eval as evaluation

    rules: dict[str, Any] = {
        "players": players,
        "deals": deals,
        "seed": seed,
        "threads": threads,
        "options": parse_options(option or []),
        "progress": True,
    }
    result: Any
    show: Callable[..., None]
    draw: Callable[..., None]
    if form == TABLE:
        result = evaluation.evaluate(listed, game, **rules)
        show, draw = evaluation.print_table, evaluation.save_picture
    else:
        with _telling_how_to_go_on(folder):
            result = evaluation.tournament(
                listed, game, format=form, search_deals=search_deals, until_significant=until_significant, folder=folder, **rules
            )
        show, draw = evaluation.print_tournament, evaluation.save_tournament_picture
    if json_file is not None:
        evaluation.save_json(result, json_file)
    if picture is not None:
        draw(result, picture)
    show(result, markdown=markdown)  # last, as whoever reads it may stop listening


def _check_format(form: str, asked: dict[str, bool]) -> None:
    if form not in (TABLE, *PAIR_FORMATS):
        raise ValueError(f"--format {form} does not exist: there are {', '.join((TABLE, *PAIR_FORMATS))}")
    for name, is_asked in asked.items():
        if is_asked and form == TABLE:
            raise ValueError(f"{name} is for --format {', '.join(PAIR_FORMATS)}, not for a {TABLE}")


@contextmanager
def _telling_how_to_go_on(folder: Path | None) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        kept = (
            f"what is finished is kept in {folder}: the same command goes on from there"
            if folder
            else "with --folder it could have gone on"
        )
        typer.echo(f"\n{kept}", err=True)
        raise


def _check_picture(path: Path) -> None:
    if path.suffix != ".png":
        raise ValueError(f"{path} is no name for a picture: it should end in .png")
    import_module("matplotlib")  # to miss it now, before minutes of play


# ------------------------------------------------------------------------------------------------------------------- exploit


@app.command()
def exploit(
    agent: Annotated[
        str | None, typer.Argument(help="Who is to be beaten: a name, or the file of a trained agent.", show_default=False)
    ] = None,
    overrides: Annotated[list[str] | None, typer.Argument(metavar="KEY=VALUE", help="Values that replace those of the config.")] = None,
    game: GameName = "pen",
    players: Players = None,
    config: Annotated[
        str | None, typer.Option(help="How the best response is trained; the game's own config if left out.", show_default=False)
    ] = None,
    option: RuleOptions = None,
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="The folder of an interrupted run, to go on with.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Tell the exact value beside it, where the game is small enough.")] = False,
) -> None:
    """Train a best response to an agent: what it wins is a lower bound of what that agent can be beaten by."""
    from penzoo.train.exploit import exploit as train_response

    changes = list(overrides or [])
    if resume is not None:
        for name, given in {"--players": players, "--config": config, "--option": option}.items():
            if given:
                raise ValueError(f"{name} is not possible with --resume: a run goes on with its own")
        if agent is not None:
            changes.insert(0, agent)  # with --resume the agent is the run's own
        found = train_response("", overrides=changes, resume=resume, exact=exact)
    elif agent is None:
        raise ValueError("no agent: name the one that is to be beaten, as in penzoo exploit careful")
    else:
        rules = parse_options(option or [])
        found = train_response(agent, game, players=players, options=rules, config=config, overrides=changes, exact=exact)
    typer.echo(str(found))


# -------------------------------------------------------------------------------------------------------------------- replay


@app.command()
def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Records, a deal a line.")],
    deal: Annotated[int | None, typer.Option(min=1, help="Only this deal of the file, counted from 1; all if left out.")] = None,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between the moves.")] = 0,
    reveal: Annotated[bool, typer.Option(help="Show every card, or only what all saw.")] = True,
) -> None:
    """Show recorded deals move by move; a record that does not replay is an error that says where and why."""
    number = 0
    for number, record in enumerate(_read(file), 1):
        if deal in (None, number):
            _show_record(record, f"{file}, deal {number}", delay, reveal)
        if deal == number:
            return
    if number == 0:
        raise ValueError(f"{file} has no deals")
    if deal is not None:
        raise ValueError(f"{file} has {number} deal{'s' * (number > 1)}: there is no deal {deal}")


def _read(file: Path) -> Iterator["Record"]:
    from penzoo.envs.record import read_records

    try:
        yield from read_records(file)
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is no text in UTF-8: {error.reason} at byte {error.start}") from None


def _show_record(record: "Record", where: str, delay: float, reveal: bool) -> None:
    from penzoo.envs import get_game
    from penzoo.play import move_text, payments_text, payoff_text

    game = get_game(record.game)
    typer.echo(f"== {where} ==\n")
    positions = record.replay()
    while True:
        try:
            position = next(positions, None)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from None
        if position is None:
            return
        paid = position.state["rewards"][: record.players].tolist()
        if any(paid) and position.action is not None:
            typer.echo(f"    {payments_text(game, paid, lambda seat: f'player_{seat}')}\n")
        typer.echo(game.text(position.state, None, reveal))
        if position.action is None:
            typer.echo(f"returns: {', '.join(payoff_text(game, value) for value in record.returns)}\n")
        else:
            typer.echo(f"{position.number + 1}. player_{position.seat}: {move_text(game, position.action)}\n")
            time.sleep(delay)


# --------------------------------------------------------------------------------------------------------------------- bench


@app.command()
def bench(
    game: GameName = "pen",
    players: Annotated[int, typer.Option(help="Seats at the table.")] = 4,
    num_envs: Annotated[int, typer.Option(help="Deals at once in the batch.")] = 1024,
    threads: Annotated[int | None, typer.Option(help="Of the second measurement of the batch; all cores if left out.")] = None,
    slices: Annotated[int, typer.Option(min=1, help="How often each is measured, in turns; medians are shown.")] = 9,
    option: RuleOptions = None,
    json_file: Annotated[Path | None, typer.Option("--json", metavar="FILE", help="Write the rates there as JSON.")] = None,
) -> None:
    """Measure moves per CPU-second, of random legal play: the environment beside a do-nothing one, and the batch."""
    from penzoo.envs import get_game
    from penzoo.eval import speed

    _check_folder(json_file)
    table = get_game(game)
    options = table.complete_options(parse_options(option or []))
    num_players = table.check_players(players)
    table.deck(num_players, options)  # tells options that do not suit so many, before the table below is begun
    rates = []
    typer.echo(f"{'moves per':{_RATE_WIDTH}}{'CPU-second':>12}{'second':>12}{'ratio':>8}")
    for rate in speed.measure(table, num_players, num_envs, threads, slices, **options):
        ratio = "" if rate.ratio is None else f"{rate.ratio:.2f}"
        typer.echo(f"{rate.name:{_RATE_WIDTH}}{rate.per_cpu_second:>12,.0f}{rate.per_second:>12,.0f}{ratio:>8}")
        rates.append(rate.to_dict())
    if json_file is not None:
        json_file.write_text(json.dumps(rates, indent=2) + "\n", encoding="utf-8")
