"""Games of Пень with leaks planted in their own functions, from which the loops are bound; and honest ones beside them.

As a script it plays each and prints as JSON what `contract.check_blind` says of it by each of `contract.PROBES`: nothing, or what leaks.
It is meant to run uncompiled: compiling each of these games would take its time.
"""

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import contract
import numpy as np
from contract import SEED, Setting

from penzoo.envs.game import Game
from penzoo.envs.pen import GAME, rules, screen, views
from penzoo.envs.pen.state import HAND, NUM_CARDS, STUMP

PLAYERS = 3
ROWS = 8
LONGEST = 60  # moves of the deals that are looked into
SEEN_BY = ("observation", "batch", "environment")
MASKED_BY = ("mask", "batch", "environment")
READ_BY = ("text", "environment")

# where the pieces of an observation lie
OWN_HAND = slice(views.AT["hand"], views.AT["hand"] + NUM_CARDS)
NEXT_KNOWN = slice(views.AT["seat_0.known"] + views.BLOCK_SIZE, views.AT["seat_0.known"] + views.BLOCK_SIZE + NUM_CARDS)
STOCK_SIZE = views.AT["stock_size"]


def next_seat(state: np.void, seat: int) -> int:
    """The seat that plays after this one."""
    return (seat + 1) % int(state["players"])


def observe_next_hand(state: np.void, seat: int, obs: np.ndarray) -> None:
    """Every card of the next seat is shown as known."""
    views.observe(state, seat, obs)
    obs[NEXT_KNOWN] = state["place"] == HAND + next_seat(state, seat)


def observe_own_stump(state: np.void, seat: int, obs: np.ndarray) -> None:
    """The own stump is shown among the hand."""
    views.observe(state, seat, obs)
    obs[OWN_HAND] += state["place"] == STUMP + seat


def observe_next_card(state: np.void, seat: int, obs: np.ndarray) -> None:
    """The size of the stock tells the card that is drawn next."""
    views.observe(state, seat, obs)
    if state["stock_size"] > 0:
        obs[STOCK_SIZE] += state["stock"][state["stock_size"] - 1] / NUM_CARDS**2


def observe_into_a_stale_buffer(state: np.void, seat: int, obs: np.ndarray) -> None:
    """What stood in place of the hand before, whoever's it was, is not cleared."""
    stale = obs[OWN_HAND].copy()
    views.observe(state, seat, obs)
    obs[OWN_HAND] = np.maximum(obs[OWN_HAND], stale == 1)


def mask_by_the_next_hand(state: np.void, mask: np.ndarray) -> None:
    """One who can beat may take only where the next seat holds a trump."""
    rules.legal_mask(state, mask)
    hand = np.flatnonzero(state["place"] == HAND + next_seat(state, int(state["seat"])))
    if mask[: rules.TAKE].any() and state["trump_card"] // 9 not in hand // 9:
        mask[rules.TAKE] = 0


def mask_by_the_own_stump(state: np.void, mask: np.ndarray) -> None:
    """One who can beat may take only where a trump lies in the own stump."""
    rules.legal_mask(state, mask)
    stump = np.flatnonzero(state["place"] == STUMP + state["seat"])
    if mask[: rules.TAKE].any() and state["trump_card"] // 9 not in stump // 9:
        mask[rules.TAKE] = 0


def text_with_everything(state: np.void, viewer: int | None, reveal: bool) -> str:
    """`reveal` is on, whoever asks."""
    return screen.text(state, viewer, True)


def text_of_the_next_seat(state: np.void, viewer: int | None, reveal: bool) -> str:
    """The cards of the seat after the viewer's are shown too."""
    own = screen.text(state, viewer, reveal)
    return own if viewer is None else own + screen.text(state, next_seat(state, viewer), reveal)


def text_of_the_mover(state: np.void, viewer: int | None, reveal: bool) -> str:
    """The cards of whoever is to move are shown to everybody."""
    return screen.text(state, int(state["seat"]), reveal)


def variant(text: Callable[..., str] = GAME.text, **functions: Any) -> Game:
    """Пень with other functions."""
    return dataclasses.replace(GAME, text=text, functions=dataclasses.replace(GAME.functions, **functions))


@dataclass(frozen=True)
class Leaky:
    """A game that leaks, and the probes of `contract.PROBES` that must see it."""

    game: Game
    caught_by: tuple[str, ...]


HONEST: dict[str, Game] = {"the game": GAME, "a copy of it": variant()}
LEAKY: dict[str, Leaky] = {
    "observe: the next hand": Leaky(variant(observe=observe_next_hand), SEEN_BY),
    "observe: the own stump": Leaky(variant(observe=observe_own_stump), SEEN_BY),
    "observe: the next card of the stock": Leaky(variant(observe=observe_next_card), SEEN_BY),
    # a new buffer for each look may show nothing: a batch's, which all seats share, gives it away
    "observe: into a stale buffer": Leaky(variant(observe=observe_into_a_stale_buffer), ("batch", "environment")),
    "legal_mask: by the next hand": Leaky(variant(legal_mask=mask_by_the_next_hand), MASKED_BY),
    "legal_mask: by the own stump": Leaky(variant(legal_mask=mask_by_the_own_stump), MASKED_BY),
    "text: everything": Leaky(variant(text=text_with_everything), READ_BY),
    "text: of the next seat": Leaky(variant(text=text_of_the_next_seat), READ_BY),
    "text: of the mover": Leaky(variant(text=text_of_the_mover), READ_BY),
}


def said_of(game: Game) -> dict[str, str]:
    """By each probe what the check says of deals that this game has played, nothing if it finds nothing."""
    setting = Setting(game, PLAYERS)
    walked = contract.walk(setting, ROWS, SEED, LONGEST).states
    states, seats = np.repeat(walked, PLAYERS), np.tile(np.arange(PLAYERS), ROWS)
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
    print(json.dumps({name: said_of(game) for name, game in games.items()}))
