"""Games with leaks planted in their own functions, from which the loops are bound; and honest ones beside them.

As a script it plays each and prints as JSON what `contract.check_blind` says of it by each of `contract.PROBES`: nothing, or what leaks.
It is meant to run uncompiled: compiling each of these games would take its time.
"""

import dataclasses
import functools
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import contract
import numpy as np
from contract import SEED, Setting

from penzoo.envs import GAMES
from penzoo.envs.game import Game

PLAYERS = 3
WALKS, ROWS = 64, 8  # so many deals are played, and so many of them looked into
LONGEST = 60  # moves of the deals that are looked into
SEEN_BY = ("observation", "batch", "environment")
MASKED_BY = ("mask", "batch", "environment")
READ_BY = ("text", "environment")

Function = Callable[..., Any]


def next_seat(state: np.void, seat: int) -> int:
    """The seat that plays after this one."""
    return (seat + 1) % int(state["players"])


def shown(game: Game, name: str) -> slice:
    """Where a piece of the observation lies."""
    return game.observation_layout(PLAYERS).slices[name]


def hidden(game: Game, state: np.void, seat: int, name: str) -> np.ndarray:
    """A piece of the global state, named as for `contract.piece`."""
    return contract.piece(game, np.array([state]), np.array([seat]), name)[0]


def is_odd(game: Game, numbers: np.ndarray) -> bool:
    """Whether there are cards of an odd number of ranks in the first suit."""
    return bool(np.count_nonzero(numbers[: len(game.card_names) // 4]) % 2)


# ------------------------------------------------------------------------------------------------------------------- leaks


def observe_piece(game: Game, name: str, where: str) -> Function:
    """A hidden piece is added to another piece of the observation."""

    def observe(state: np.void, seat: int, obs: np.ndarray) -> None:
        game.functions.observe(state, seat, obs)
        obs[shown(game, where)] += hidden(game, state, seat, name)

    return observe


def observe_next_card(game: Game) -> Function:
    """The size of the stock tells the card that is drawn next."""

    def observe(state: np.void, seat: int, obs: np.ndarray) -> None:
        game.functions.observe(state, seat, obs)
        if state["stock_size"] > 0:
            obs[shown(game, "stock_size")] += state["stock"][state["stock_size"] - 1] / len(game.card_names) ** 2

    return observe


def observe_into_a_stale_buffer(game: Game) -> Function:
    """What stood in place of the hand before, whoever's it was, is not cleared."""
    copies = contract.copies(Setting(game, PLAYERS)).max()

    def observe(state: np.void, seat: int, obs: np.ndarray) -> None:
        hand = shown(game, "hand")
        stale = obs[hand].copy()
        game.functions.observe(state, seat, obs)
        counts = np.rint(stale * copies)
        is_hand = (counts >= 1) & (counts <= copies) & np.isclose(stale * copies, counts)  # not what lay in new memory
        obs[hand] = np.maximum(obs[hand], np.where(is_hand, stale, 0))

    return observe


def mask_by(game: Game, name: str) -> Function:
    """One who has a choice may not take the last action where a hidden piece holds an odd number of ranks in the first suit."""

    def legal_mask(state: np.void, mask: np.ndarray) -> None:
        game.functions.legal_mask(state, mask)
        legal = np.flatnonzero(mask)
        if len(legal) > 1 and is_odd(game, hidden(game, state, int(state["seat"]), name)):
            mask[legal[-1]] = 0

    return legal_mask


def text_with_everything(game: Game) -> Function:
    """`reveal` is on, whoever asks."""
    return lambda state, viewer, reveal: game.text(state, viewer, True)


def text_of_the_next_seat(game: Game) -> Function:
    """The cards of the seat after the viewer's are shown too."""

    def text(state: np.void, viewer: int | None, reveal: bool) -> str:
        own = game.text(state, viewer, reveal)
        return own if viewer is None else own + game.text(state, next_seat(state, viewer), reveal)

    return text


def text_of_the_mover(game: Game) -> Function:
    """The cards of whoever is to move are shown to everybody."""
    return lambda state, viewer, reveal: game.text(state, int(state["seat"]), reveal)


# ------------------------------------------------------------------------------------------------------------------- games


def variant(game: Game, text: Callable[..., str] | None = None, **functions: Any) -> Game:
    """A game with other functions."""
    return dataclasses.replace(game, text=text or game.text, functions=dataclasses.replace(game.functions, **functions))


@dataclass(frozen=True)
class Leaky:
    """A game that leaks, and the probes of `contract.PROBES` that must see it."""

    game: Game
    caught_by: tuple[str, ...]


def leaks(game: Game) -> dict[str, Leaky]:
    """A game with each of the leaks: those of all that a seat cannot see and that has the size of a hand, and the others."""
    own = [name for name in contract.hidden_from(game) if "{own}" in name]
    others = [name for name in contract.hidden_from(game) if "{next}" in name]
    found = {f"observe: {name}": Leaky(variant(game, observe=observe_piece(game, name, "seat_1.known")), SEEN_BY) for name in others}
    found |= {f"observe: {name}": Leaky(variant(game, observe=observe_piece(game, name, "hand")), SEEN_BY) for name in own}
    found |= {f"legal_mask: by {name}": Leaky(variant(game, legal_mask=mask_by(game, name)), MASKED_BY) for name in (*others, *own)}
    return found | {
        "observe: the next card of the stock": Leaky(variant(game, observe=observe_next_card(game)), SEEN_BY),
        # a new buffer for each look may show nothing: a batch's, which all seats share, gives it away
        "observe: into a stale buffer": Leaky(variant(game, observe=observe_into_a_stale_buffer(game)), ("batch", "environment")),
        "text: everything": Leaky(variant(game, text=text_with_everything(game)), READ_BY),
        "text: of the next seat": Leaky(variant(game, text=text_of_the_next_seat(game)), READ_BY),
        "text: of the mover": Leaky(variant(game, text=text_of_the_mover(game)), READ_BY),
    }


HONEST = {(name, kind): each for name, game in GAMES.items() for kind, each in {"the game": game, "a copy of it": variant(game)}.items()}
LEAKY = {(name, leak): leaky for name, game in GAMES.items() for leak, leaky in leaks(game).items()}


@functools.cache
def freest(name: str, legal_mask: Function) -> np.ndarray:
    """Of deals that a game has played at random those with most to choose from: a mask that allows one action gives nothing away.

    Games that differ only in what they show have played the same.
    """
    batch = contract.walk(Setting(variant(GAMES[name], legal_mask=legal_mask), PLAYERS), WALKS, SEED, LONGEST)
    return batch.states[np.argsort(-batch.masks.sum(axis=1), kind="stable")[:ROWS]].copy()


def said_of(game: Game) -> dict[str, str]:
    """By each probe what the check says of deals that this game has played, nothing if it finds nothing."""
    setting, states = Setting(game, PLAYERS), np.repeat(freest(game.name, game.functions.legal_mask), PLAYERS)
    seats = np.tile(np.arange(PLAYERS), ROWS)
    found = {}
    for name, probe in contract.PROBES.items():
        found[name] = ""
        try:
            contract.check_blind(lambda records, viewers, probe=probe: probe(setting, records, viewers), game, states, seats)
        except AssertionError as error:
            found[name] = str(error)
    return found


if __name__ == "__main__":
    games = {**HONEST, **{name: leaky.game for name, leaky in LEAKY.items()}}
    print(json.dumps([[*name, said_of(game)] for name, game in games.items()]))
