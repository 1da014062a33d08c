"""What holds for any game: settings to try, random play, and checks that raise AssertionError.

A new game is covered as soon as it is among `penzoo.envs.GAMES` and the two tables below say where its cards are.
As a script it prints traces of play in this process' mode, compiled or not.
"""

import hashlib
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penzoo.agents import HEURISTICS, make_agent
from penzoo.envs import GAMES, rng
from penzoo.envs.aec import CheckedEnv
from penzoo.envs.batch import Batch
from penzoo.envs.game import Game

# Pieces of the global state (the part of the name after the dot): each card stands in exactly one of them as often as there are copies …
CARD_PIECES = {"pen": ("stock", "pile", "hand", "stump_cards"), "pengingan": ("stock", "dead", "pile", "loose", "hand", "table")}
# … and these may change when what a seat cannot see is dealt anew; all others are public.
HIDDEN_PIECES = {"pen": ("stock", "hand", "stump_cards")}

SEED = 4711
SOME_MOVES = 40  # a value for an option that takes any number from 1 on
ROWS = 48
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

    def batch(self, rows: int = ROWS, seed: int | None = SEED, **arguments: Any) -> Batch:
        """A batch of such deals."""
        return Batch(self.game, rows, seed, num_players=self.players, **arguments, **self.options)


def settings(game: Game) -> Iterator[Setting]:
    """Every number of players with the defaults, with each other value of each option, and with all options changed."""
    for players in range(game.min_players, game.max_players + 1):
        yield Setting(game, players)
        others = {option.name: _other_values(option) for option in game.all_options}
        for name, values in others.items():
            for value in values:
                yield Setting(game, players, {name: value})
        yield Setting(game, players, {name: values[-1] for name, values in others.items()})


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


def pieces(game: Game, players: int, names: Sequence[str]) -> list[slice]:
    """Where the pieces of the global state of these names lie."""
    found = [where for piece, where in game.state_layout(players) if piece.name.split(".")[-1] in names]
    assert found, f"{game.name} has no piece of the global state named {' or '.join(names)}"
    return found


def check_cards(setting: Setting, states: np.ndarray) -> None:
    """Each card is in exactly one place (as often as the deck has it)."""
    game = setting.game
    assert game.name in CARD_PIECES, f"tests/contract.py: say in CARD_PIECES where {game.name} has its cards"
    seen = view(game, states)
    counts = sum((seen[:, where] != 0).astype(int) for where in pieces(game, setting.players, CARD_PIECES[game.name]))
    deck = game.deck(setting.players, game.complete_options(setting.options))
    assert (counts == np.bincount(deck, minlength=len(game.card_names))).all(), "a card is lost, or in two places"


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


def trace(setting: Setting, steps: int, rows: int = 2) -> str:
    """A digest of every array after each step of random play, and of what is dealt anew: one word a step."""
    batch = setting.batch(rows)
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


def traces(steps: int) -> list[str]:
    """The traces of all settings."""
    return [trace(setting, steps) for setting in ALL_SETTINGS]


if __name__ == "__main__":
    print("\n".join(traces(int(sys.argv[1]))))
