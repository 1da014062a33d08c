"""What holds for any game: settings to try, random play, and checks that raise AssertionError.

A new game is covered as soon as it is among `penzoo.envs.GAMES` and the three tables below say where its cards are.
As a script it prints traces of play in this process' mode, compiled or not.
"""

import hashlib
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from penzoo.agents import HEURISTICS, make_agent
from penzoo.envs import GAMES, rng
from penzoo.envs.aec import CheckedEnv
from penzoo.envs.batch import Batch
from penzoo.envs.game import Game
from penzoo.envs.kunken.state import JOKER, MAX_JOKERS, PACKS

# Pieces of the global state (the part of the name after the dot): each card stands in exactly one of them as often as there are copies …
CARD_PIECES = {
    "pen": ("stock", "pile", "hand", "stump_cards"),
    "pengingan": ("stock", "dead", "pile", "loose", "hand", "table"),
    "kunken": ("stock", "banked", "hand", "table"),
}
# … and these may change when what a seat cannot see is dealt anew; all others are public.
HIDDEN_PIECES = {
    "pen": ("stock", "hand", "stump_cards"),
    "pengingan": ("stock", "stock_order", "hand"),
    "kunken": ("stock", "stock_order", "hand"),
}


def is_there(numbers: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Of a game in which no card has a copy: whatever is not 0 is the card."""
    return (numbers != 0).astype(int)


def share_of_copies(numbers: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Of a game that counts cards of one kind: a number is the share of their copies that lies there."""
    counts = np.rint(numbers * copies)
    assert np.allclose(numbers * copies, counts, atol=1e-4), "a number of the global state is no whole number of cards"
    return counts.astype(int)


def share_of_most_copies(numbers: np.ndarray, copies: np.ndarray) -> np.ndarray:
    """Of a game with two packs: a number is the share of two copies, or of as many jokers as there can be."""
    return share_of_copies(numbers, np.where(np.arange(len(copies)) == JOKER, MAX_JOKERS, PACKS))


# How many cards a number in those places stands for: (numbers, copies of each card in the deck) -> counts.
CARDS_IN = {"pen": is_there, "pengingan": share_of_copies, "kunken": share_of_most_copies}
# A value of an option with which the rewards of the seats do not add up to 0.
NOT_ZERO_SUM = {"kunken": ("reward", "score")}

SEED = 4711
SOME_MOVES = 40  # a value for an option that takes any number from 1 on
ROWS = 48
MOST_ALONE = 40  # settings with one option changed; where there were more, each value is tried with so many numbers of players:
SIZES_ALONE = 2
VALUES: dict[str, dict[str, list[Any]]] = {  # tried in place of all others, of options that take many
    "pen": {"lowest_rank": ["7"], "highest_rank": ["T"], "suits": [3], "hand_size": [2], "stump_size": [1]},
}
TOGETHER: dict[str, list[dict[str, Any]]] = {  # values rarely seen at work alone
    "pen": [{"lowest_rank": "J", "highest_rank": "K", "suits": 2, "hand_size": 2, "stump_size": 0}],
    "pengingan": [{"packs": 2, "stock_out": "reshuffle"}],
    "kunken": [
        {"jokers": 6, "opening_points": 0, "lay_on_draw": "never"},
        {"jokers": 6, "opening_points": 0, "lay_on_draw": "any", "swap_own_jokers": True},
    ],
}
LONGEST_WALK = 600
SHARE_OF_RANDOM_MOVES = 0.2  # the rest is by heuristics, which reach the end of a deal sooner
ARRAYS = ("states", "decks", "observations", "masks", "seats", "rewards", "returns", "terminated", "truncated")

Probe = Callable[[np.ndarray, np.ndarray], Sequence[Any]]


@dataclass(frozen=True)
class Setting:
    """A game, a number of players and values of options."""

    game: Game
    players: int
    options: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return "-".join([self.game.name, f"{self.players}p", *(f"{name}={value}" for name, value in self.options.items())])

    @property
    def is_zero_sum(self) -> bool:
        """Whether the rewards of the seats add up to 0."""
        name, value = NOT_ZERO_SUM.get(self.game.name, ("", None))
        return name not in self.options or self.options[name] != value

    def batch(self, rows: int = ROWS, seed: int | None = SEED, **arguments: Any) -> Batch:
        """A batch of such deals."""
        return Batch(self.game, rows, seed, num_players=self.players, **arguments, **self.options)


def settings(game: Game) -> Iterator[Setting]:
    """Every number of players with the defaults and with all options changed, and each other value of each option alone.

    A value alone is tried with every number of players or, where that makes too many settings, with two, others for each value. Settings
    that the game refuses are left out.
    """
    others = {option.name: VALUES.get(game.name, {}).get(option.name) or _other_values(option) for option in game.all_options}
    alone = [*({name: value} for name, values in others.items() for value in values), *TOGETHER.get(game.name, ())]
    all_changed = {name: values[-1] for name, values in others.items()}
    sizes = range(game.min_players, game.max_players + 1)
    tried = [_sizes_tried(game, options, number, len(alone)) for number, options in enumerate(alone)]
    for players in sizes:
        wanted = [{}, *(options for options, tables in zip(alone, tried, strict=True) if players in tables), all_changed]
        yield from (Setting(game, players, options) for options in wanted if _is_possible(game, players, options))


def _sizes_tried(game: Game, options: dict[str, Any], number: int, count: int) -> list[int]:
    """The numbers of players with which the `number`-th of `count` values is tried alone."""
    sizes = [players for players in range(game.min_players, game.max_players + 1) if _is_possible(game, players, options)]
    if count * len(sizes) <= MOST_ALONE:
        return sizes
    # the 0-th value begins at the second size: a value that goes by the number of players may be no other at its own
    return [sizes[(number + 1 + k * len(sizes) // SIZES_ALONE) % len(sizes)] for k in range(SIZES_ALONE)]


def _is_possible(game: Game, players: int, options: dict[str, Any]) -> bool:
    try:
        game.deck(players, game.complete_options(options))
    except ValueError:
        return False
    return True


def _other_values(option: Any) -> list[Any]:
    values = option.choices if option.bounds is None else (option.bounds[0], min(option.bounds[0] + SOME_MOVES, option.bounds[1]))
    return [value for value in values if value != option.default]


ALL_SETTINGS = [setting for game in GAMES.values() for setting in settings(game)]
PLAIN_SETTINGS = [setting for setting in ALL_SETTINGS if not setting.options]
STEADY_SETTINGS = [setting for setting in ALL_SETTINGS if setting.options.get("max_moves") != 1]  # with deals long enough to look into


# -------------------------------------------------------------------------------------------------------------- random play


def random_actions(batch: Batch, generator: np.random.Generator) -> np.ndarray:
    """A random legal action for each row (0 where the deal has ended)."""
    return np.argmax(generator.random(batch.masks.shape) * batch.masks, axis=1)


def play(batch: Batch, steps: int, seed: int = SEED) -> Iterator[Batch]:
    """Random legal play in all rows; gives the batch after each step."""
    generator = np.random.default_rng(seed)
    for _ in range(steps):
        batch.step(random_actions(batch, generator))
        yield batch


def walk(setting: Setting, rows: int = ROWS, seed: int = SEED, longest: int = LONGEST_WALK) -> Batch:
    """Deals that have been played for random numbers of moves, from none to `longest`, some of them to their end.

    Half of the rows are played at random; the others by a heuristic with some random moves, if the game has one.
    """
    generator = np.random.default_rng(seed)
    batch = setting.batch(rows, seed, autoreset=False)
    lengths = np.exp(generator.random(rows) * np.log(longest + 1)).astype(int) - 1
    is_known = GAMES.get(setting.game.name) is setting.game  # a variant may show other things than the heuristics can read
    names = HEURISTICS.get(setting.game.name, {}) if is_known else {}
    agents = [make_agent(name, setting.game.name, setting.players, seed) for name in names]
    for move in range(longest):
        going = np.flatnonzero((lengths > move) & ~batch.ended)
        if len(going) == 0:
            break
        actions = random_actions(batch, generator)[going]
        if agents:
            chosen = agents[move % len(agents)].act(batch.observations[going], batch.masks[going])
            by_heuristic = (going % 2 == 1) & (generator.random(len(going)) > SHARE_OF_RANDOM_MOVES)
            actions = np.where(by_heuristic, chosen, actions)
        batch.step(actions, going)
    return batch


def same_deals(one: Batch, other: Batch, rows: Any = slice(None), other_rows: Any = slice(None), without: Sequence[str] = ()) -> bool:
    """Whether rows of two batches are alike in every array."""
    return all(np.array_equal(getattr(one, name)[rows], getattr(other, name)[other_rows]) for name in ARRAYS if name not in without)


def snapshot(batch: Batch) -> dict[str, np.ndarray]:
    """Copies of all arrays."""
    return {name: getattr(batch, name).copy() for name in ARRAYS}


def is_unchanged(batch: Batch, before: dict[str, np.ndarray]) -> bool:
    """Whether all arrays are as they were."""
    return all(np.array_equal(getattr(batch, name), array) for name, array in before.items())


def repack(data: bytes, edit: Callable[[dict[str, Any], dict[str, np.ndarray]], Any]) -> bytes:
    """Saved deals after `edit(meta, arrays)` has changed their description or their arrays in place."""
    with np.load(io.BytesIO(data)) as archive:
        arrays = dict(archive)
    meta = json.loads(str(arrays.pop("meta")))
    edit(meta, arrays)
    file = io.BytesIO()
    np.savez(file, meta=np.array(json.dumps(meta)), **arrays)  # type: ignore[arg-type]
    return file.getvalue()


# -------------------------------------------------------------------------------------------------------------------- cards


def view(game: Game, states: np.ndarray) -> np.ndarray:
    """The global state of each record."""
    players = int(states["players"][0])
    out = np.empty((len(states), game.state_layout(players).size), np.float32)
    game.loops.view_rows(states, 0, len(states), out)
    return out


def varied(game: Game, states: np.ndarray, count: int) -> np.ndarray:
    """So many of the records, which show as much as possible of what few of them show: chosen one by one, by what is new in each."""
    shown = (view(game, states) != 0).astype(np.float32)
    worth = shown / np.maximum(shown.sum(axis=0), 1)
    times, chosen = np.zeros(shown.shape[1], np.float32), []
    for _ in range(count):
        gain = worth @ (1 / (1 + times))
        gain[chosen] = -1
        chosen.append(int(np.argmax(gain)))
        times += shown[chosen[-1]]
    return states[chosen]


def pieces(game: Game, players: int, names: Sequence[str]) -> list[slice]:
    """Where the pieces of the global state of these names lie."""
    found = [where for piece, where in game.state_layout(players) if piece.name.split(".")[-1] in names]
    assert found, f"{game.name} has no piece of the global state named {' or '.join(names)}"
    return found


def piece(game: Game, states: np.ndarray, seats: np.ndarray, name: str) -> np.ndarray:
    """A piece of the global state for each record; in its name {own} stands for the seat, {next} for the one that plays after it."""
    players = int(states["players"][0])
    whole, slices = view(game, states), game.state_layout(players).slices
    names = [name.format(own=seat, next=(seat + 1) % players) for seat in seats]
    return np.stack([numbers[slices[each]] for numbers, each in zip(whole, names, strict=True)])


def hidden_from(game: Game) -> list[str]:
    """The names, for `piece`, of all that a seat cannot see."""
    slices = game.state_layout(game.max_players).slices
    names = HIDDEN_PIECES[game.name]
    of_seats = [name for name in names if name not in slices]
    others, own = [f"player_{{next}}.{name}" for name in of_seats], [f"player_{{own}}.{name}" for name in of_seats if name != "hand"]
    return [*others, *own, *(name for name in names if name in slices)]


def copies(setting: Setting) -> np.ndarray:
    """How many of each card the deck has."""
    deck = setting.game.deck(setting.players, setting.game.complete_options(setting.options))
    return np.bincount(deck, minlength=len(setting.game.card_names))


def cards(setting: Setting, numbers: np.ndarray) -> np.ndarray:
    """How many of each card lie where the global state has these numbers."""
    assert setting.game.name in CARDS_IN, f"tests/contract.py: say in CARDS_IN how {setting.game.name} shows its cards"
    return CARDS_IN[setting.game.name](numbers, copies(setting))


def check_cards(setting: Setting, states: np.ndarray) -> None:
    """Each card is in exactly one place (as often as the deck has it)."""
    game = setting.game
    assert game.name in CARD_PIECES, f"tests/contract.py: say in CARD_PIECES where {game.name} has its cards"
    seen = view(game, states)
    counts = sum(cards(setting, seen[:, where]) for where in pieces(game, setting.players, CARD_PIECES[game.name]))
    assert (counts == copies(setting)).all(), "a card is lost, or in two places"


# ------------------------------------------------------------------------------------------------------------------ no leak


def deal_anew(game: Game, states: np.ndarray, seats: np.ndarray, seed: int) -> np.ndarray:
    """Copies in which all that the seat of each cannot see is dealt anew."""
    copies = states.copy()
    game.loops.determinize_rows(copies, seats, rng.streams(seed, len(copies)), 0, len(copies))
    return copies


def check_blind(probe: Probe, game: Game, states: np.ndarray, seats: np.ndarray, redeals: int = 3, seed: int = SEED) -> None:
    """What a seat gets does not change when all that it cannot see is dealt anew.

    Args:
        probe: (states, seats) -> for each record what that seat gets of it: arrays, text, anything that compares.
        game: whose states they are.
        states: records.
        seats: one for each.
        redeals: how often each is dealt anew.
        seed: of these.
    """
    before = probe(states, seats)
    for redeal in range(redeals):
        after = probe(deal_anew(game, states, seats, seed + redeal), seats)
        if isinstance(before, np.ndarray) and np.array_equal(before, after):
            continue
        for row, seat in enumerate(seats):
            assert _same(after[row], before[row]), f"record {row}: seat {seat} gets what it cannot know"


def _same(one: Any, other: Any) -> bool:
    return np.array_equal(one, other) if isinstance(one, np.ndarray | np.generic) else one == other


def plant(batch: Batch, states: np.ndarray) -> None:
    """Put records in place of a batch's deals, and fill what the seats to move get.

    Every seat looks first, into the same buffers: a view that leaves standing what another seat was shown there gives it away.
    """
    rows, observe, refresh = np.arange(len(states)), batch.game.loops.observe_rows, batch.game.loops.refresh_rows
    batch._states[:] = states
    for seat in range(batch.num_players):
        observe(batch._states, rows, np.full(len(rows), seat), 0, len(rows), batch._observations)
    refresh(batch._states, rows, 0, len(rows), batch._observations, batch._masks, batch._seats)


def plain(value: Any) -> Any:
    """The same with lists in place of arrays, at any depth: it compares by ==."""
    match value:
        case dict():
            return {key: plain(each) for key, each in value.items()}
        case list() | tuple():
            return [plain(each) for each in value]
        case np.ndarray() | np.generic():
            return value.tolist()
    return value


def texts(setting: Setting, states: np.ndarray, seats: np.ndarray) -> list[Any]:
    """The deal as text for each seat, and as text for everybody."""
    text = setting.game.text
    return [(text(state, int(seat), False), text(state, None, False)) for state, seat in zip(states, seats, strict=True)]


def through_batch(setting: Setting, states: np.ndarray, seats: np.ndarray) -> list[Any]:
    """What a batch hands to each seat: its view, and if it is to move the row's observation and mask."""
    batch = setting.batch(len(states), autoreset=False)
    plant(batch, states)
    seen = batch.observe(seats)
    rows = zip(seen, batch.observations, batch.masks, batch.seats == seats, strict=True)
    return [plain((view, observation, mask) if to_move else view) for view, observation, mask, to_move in rows]


def environment(setting: Setting, states: np.ndarray, seats: np.ndarray, kind: type[CheckedEnv] = CheckedEnv) -> list[Any]:
    """What the PettingZoo environment hands to each seat's agent, at the first look at a deal and once a step has been settled."""
    agents = [f"player_{seat}" for seat in range(setting.players)]
    envs = [kind(setting.game, setting.players, "ansi", viewer=agent, **setting.options) for agent in agents]
    found = []
    for state, seat in zip(states, seats, strict=True):
        env = envs[seat]
        # the deck and the stream stand in no record: drawn by a seed that follows from it, they are others where the deal is another
        env.reset(seed=_seed_of(state))
        plant(env._batch, np.array([state]))
        env._begin()
        begun = _handed_out(env, agents[seat])
        env._settle()
        found.append(plain([begun, _handed_out(env, agents[seat])]))
    return found


def _seed_of(state: np.void) -> int:
    return zlib.crc32(b"".join(state[name].tobytes() for name in state.dtype.names))


def _handed_out(env: CheckedEnv, agent: str) -> list[Any]:
    public = [env.agents, env.agent_selection, env.rewards, env._cumulative_rewards, env.terminations, env.truncations, env.render()]
    own = [env.observe(agent), env.infos[agent]]
    return public + own + ([env.last(), env.legal_actions()] if env.agent_selection == agent else [])


def observations(game: Game, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """What each seat observes."""
    out = np.empty((len(states), game.observation_layout(int(states["players"][0])).size), np.float32)
    game.loops.observe_rows(states, np.arange(len(states)), seats, 0, len(states), out)
    return out


def masks(game: Game, states: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """What each seat may do: nothing if it is not to move."""
    rows = np.arange(len(states))
    out, seen, to_move = np.zeros((len(states), len(game.actions)), np.int8), np.zeros_like(view(game, states)), np.zeros(len(states), int)
    game.loops.refresh_rows(states, rows, 0, len(states), seen, out, to_move)
    out[to_move != seats] = 0
    return out


# What an agent is handed on every way; (setting, states, seats) -> for each record what that seat gets.
PROBES: dict[str, Callable[[Setting, np.ndarray, np.ndarray], Sequence[Any]]] = {
    "observation": lambda setting, states, seats: observations(setting.game, states, seats),
    "mask": lambda setting, states, seats: masks(setting.game, states, seats),
    "text": texts,
    "batch": through_batch,
    "environment": environment,
}


# ------------------------------------------------------------------------------------------------------------------- traces


def trace(setting: Setting, steps: int, states: np.ndarray | None = None, rows: int = 2) -> str:
    """A digest of every array after each step of random play, and of what is dealt anew: one word a step.

    The deals go on from `states`, if given.
    """
    batch = setting.batch(rows if states is None else len(states))
    if states is not None:
        plant(batch, states)
    words = [_digest(batch, 0)]
    words += [_digest(batch, step) for step, _ in enumerate(play(batch, steps), start=1)]
    return f"{setting} {' '.join(words)}"


def _digest(batch: Batch, step: int) -> str:
    digest = hashlib.sha256()
    redealt = deal_anew(batch.game, batch.states, batch.seats, SEED + step)
    for array in (*(getattr(batch, name) for name in ARRAYS), redealt, view(batch.game, batch.states)):
        for name in array.dtype.names or [None]:  # field by field: what lies between the fields of a record means nothing
            digest.update(np.ascontiguousarray(array if name is None else array[name]).tobytes())
    return digest.hexdigest()[:12]


def traces(steps: int, folder: Path) -> list[str]:
    """The traces of all settings: of new deals, and of those that lie in the folder."""
    return [trace(setting, steps, states) for setting in ALL_SETTINGS for states in (None, np.load(folder / f"{setting}.npy"))]


if __name__ == "__main__":
    print("\n".join(traces(int(sys.argv[1]), Path(sys.argv[2]))))
